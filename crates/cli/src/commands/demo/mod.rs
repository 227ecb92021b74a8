//! `salsa demo`, also plain `salsa`: the whole way from a seed to a comparison with the paper.
//!
//! A network is trained on graphs of at most 16 nodes for a minute or two and then asked about
//! graphs a hundred times as large: what the benchmark is about, small enough to watch.

mod data;
mod learning;

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use salsa_learn::compute::Compute;
use salsa_learn::training::Outcome;
use salsa_traces::algorithms;
use salsa_traces::suite::Suite;

use crate::arguments::ThreadsArgument;
use crate::commands::train::stop_on_interrupt;
use crate::failure::Failure;
use crate::files::write_whole;
use crate::json::json_text;
use crate::results_table::results_table;

/// Train a network and compare it with the paper, in a minute or two
///
/// Writes some BFS trajectories and a picture of one, trains a PGN for a few epochs and evaluates
/// it on some graphs of every test set, beside the paper's results. Ctrl-C stops the training;
/// the next salsa demo goes on from there.
#[derive(Debug, Args)]
#[command(after_help = "Example: salsa demo --out /tmp/salsa-demo")]
pub struct Demo {
    /// The folder to write to, made if missing
    #[arg(long, value_name = "FOLDER", default_value = DEFAULT_FOLDER)]
    out: PathBuf,

    /// A tiny network on a few graphs: done in seconds, and as good as that sounds
    #[arg(long)]
    quick: bool,

    #[command(flatten)]
    threads: ThreadsArgument,
}

const DEFAULT_FOLDER: &str = "salsa-demo";

impl Default for Demo {
    fn default() -> Self {
        let threads = ThreadsArgument::default();
        Self { out: PathBuf::from(DEFAULT_FOLDER), quick: false, threads }
    }
}

impl Demo {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let suite = Suite::named("paper")?;
        let bfs = algorithms::find("bfs")?;
        let compute = Compute::Cpu { n_threads: self.threads.count()? };
        let samples = if self.quick { &data::FEW } else { &data::SOME };
        let stats = data::write(&suite, bfs, samples, &self.out)?;
        say(out, &format!("1. Data: BFS on graphs of the suite paper\n\n{stats}\n"))?;

        let lesson = if self.quick { learning::TINY } else { learning::SHORT };
        let folder = self.out.join("run");
        say(out, "2. Training: on graphs of at most 16 nodes\n")?;
        let stop = stop_on_interrupt()?;
        let outcome = learning::train(&lesson, &suite, &folder, compute, &stop, out)?;
        if outcome == Outcome::Interrupted {
            say(out, "salsa demo goes on from there")?;
            return Err(Failure::stopped());
        }

        say(out, "\n3. Evaluation: on graphs of up to 1600 nodes\n")?;
        let evaluation = learning::evaluate(&lesson, &suite, bfs, &folder, compute, &stop)?;
        let json = json_text(&evaluation)? + "\n";
        write_whole(&self.out.join("evaluation.json"), json.as_bytes())?;
        say(out, &results_table(&evaluation, None))?;
        let (at, run) = (self.out.display(), folder.display());
        say(
            out,
            &format!(
                "\nWritten to {at}: data (*.jsonl), a trajectory (bfs-er_16-0*), the training \
                 (run), evaluation.json\n\
                 Next: salsa evaluate {run} --split ws_1600 --steps auto\n      \
                 salsa train --algorithm dijkstra, salsa list, salsa --help"
            ),
        )
    }
}

/// Prints a line now: the next one may take a while.
fn say(out: &mut impl Write, line: &str) -> Result<(), Failure> {
    writeln!(out, "{line}").and_then(|()| out.flush()).map_err(Failure::output)
}
