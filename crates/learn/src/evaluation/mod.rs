//! How good a network is: predictions graph by graph, metrics and validity, results as records.
//!
//! On the CPU a graph is predicted alone, so memory is that of one graph for each thread; a GPU
//! takes several at once, which keeps it busy. Which ones depends on the sets alone, not on who
//! comes first. Graphs are shared among threads and their answers put back in order: the result
//! is the same for any number of threads.

mod answers;
mod chunk;
mod graph_result;
mod phases;
mod predict;
mod record;
mod score;
mod steps;
mod tally;
mod test_set;
mod verdict;
mod watch;

pub use answers::{Answer, EvaluateError, Options, answers};
pub use graph_result::{GraphResult, MetricValue};
pub use predict::{Prediction, predict, predict_together, scores};
pub use record::{Data, Evaluation, Group, SplitResult, Trained};
pub use score::score;
pub use steps::{Steps, UnknownSteps};
pub use tally::{Tally, evaluate};
pub use test_set::TestSet;
pub use verdict::{Verdict, verdict};
pub use watch::{Watched, watch};

#[cfg(test)]
mod tests;
