//! Whether a predicted answer is correct, even where it is not the recorded one.
//!
//! A graph has many breadth-first trees, and an execution records one of them. A prediction that
//! names another is wrong by the metrics and right by the definition of the problem; this tells
//! the two apart, and says of a wrong answer what is wrong with it and where. The answer is
//! judged by certificates (levels, path lengths, ancestors, better edges), without running the
//! recorded algorithm, in O((nodes + edges) log nodes).

mod check;
mod distances;
mod forest;
mod rules;
mod violation;

pub use check::{Instance, check};
pub use rules::{ALL, Rule};
pub use violation::Violation;
