//! `salsa train`: models on an algorithm, with checkpoints and logs, to be stopped and resumed.

mod options;
mod side_by_side;
mod watched;

use std::collections::HashSet;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use salsa_learn::run::Seeds;
use salsa_learn::training::{Changes, Folder, Plan};

use self::side_by_side::train_all;
pub use self::watched::{Screen, ending, introduction, watched};
use crate::compute::ComputeArguments;
use crate::failure::Failure;

/// Train a model to execute an algorithm
///
/// What is trained comes from a run file, from options, or both; what neither says is as in the
/// paper. The folder gets two checkpoints (best.safetensors by validation loss, last.safetensors
/// to go on from), a log (log.jsonl) and curves for TensorBoard. Ctrl-C saves and stops, with exit
/// code 75; --resume goes on as if nothing had happened, also after a crash. With --seeds, several
/// runs share the device or the threads; each ends as it would have alone.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  salsa train --algorithm bfs
  salsa train --algorithm dijkstra --model recgnn --hints --seed 43
  salsa train --algorithm bfs --seeds 42..46 --device cuda
  salsa train runs/bfs-pgn.toml --set training.epochs=5 --out /tmp/bfs
  salsa train --resume /tmp/bfs")]
pub struct Train {
    /// A run file; options are laid over it
    #[arg(value_name = "RUN.toml")]
    file: Option<PathBuf>,

    /// Algorithm: bfs, dfs, dijkstra, mst, mis, eccentricity, ... (see salsa list) [default: bfs]
    #[arg(long, short, value_name = "NAME")]
    algorithm: Option<String>,

    /// Model: gin, pgn or recgnn [default: pgn]
    #[arg(long, short, value_name = "NAME")]
    model: Option<String>,

    /// Also learn the states between input and output
    #[arg(long)]
    hints: bool,

    /// How the model and the data are read where paper and published code differ: paper or release
    #[arg(long, value_name = "NAME")]
    convention: Option<String>,

    /// Seed of first weights and of shuffling [default: 42]
    #[arg(long)]
    seed: Option<u64>,

    /// Several seeds, a run each side by side: 42..46 (both ends count) or 42,44
    #[arg(long, value_name = "SEEDS", conflicts_with = "seed")]
    seeds: Option<Seeds>,

    /// Suite with the splits train and val [default: the convention's]
    #[arg(long, value_name = "NAME|FILE")]
    suite: Option<String>,

    /// Size of hidden states [default: 128]
    #[arg(long, value_name = "N")]
    hidden: Option<u64>,

    /// How messages are combined: max, sum or mean [default: max]
    #[arg(long, value_name = "NAME")]
    aggregation: Option<String>,

    /// Processor steps for each recorded step [default: 1]
    #[arg(long, value_name = "N")]
    steps_per_hint: Option<u64>,

    /// Epochs at most [default: 100]
    #[arg(long, value_name = "N")]
    epochs: Option<u64>,

    /// Graphs in a batch [default: 8, with --resume as before]
    #[arg(long, value_name = "N")]
    batch: Option<u64>,

    /// Learning rate at the start [default: the model's]
    #[arg(long, value_name = "X")]
    learning_rate: Option<f64>,

    /// Any other field of a run file, such as training.clip=0.5
    #[arg(long = "set", value_name = "FIELD=VALUE")]
    fields: Vec<String>,

    /// The folder to write to, with --seeds a folder seed-N in it for each [default:
    /// salsa-runs/ALGORITHM-MODEL-CONVENTION-SEED]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,

    /// Go on in the folder of a run that was stopped, with --epochs beyond the end it had, with
    /// --batch in batches of another size, such as fit into a GPU; several folders go on side by
    /// side
    #[arg(long, value_name = "FOLDER", num_args = 1.., conflicts_with_all = [
        "file", "algorithm", "model", "hints", "convention", "seed", "seeds", "suite", "hidden",
        "aggregation", "steps_per_hint", "learning_rate", "fields", "out",
    ])]
    resume: Vec<PathBuf>,

    #[command(flatten)]
    compute: ComputeArguments,
}

impl Train {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let stop = stop_on_interrupt()?;
        let compute = self.compute.compute()?;
        train_all(&self.plans()?, compute, &stop, out)
    }

    /// What is to be trained, and where.
    fn plans(&self) -> Result<Vec<Plan>, Failure> {
        let mut seen = HashSet::new();
        for path in &self.resume {
            if !seen.insert(path.canonicalize().unwrap_or_else(|_| path.clone())) {
                let twice = path.display();
                return Err(Failure::mistake(format!("--resume: {twice} is there twice")));
            }
        }
        if !self.resume.is_empty() {
            let changes = Changes { epochs: self.epochs, batch: self.batch };
            let plans = self.resume.iter().map(|path| Ok(Plan::resume(path, changes)?));
            return plans.collect();
        }
        let run = self.settled()?;
        let Some(seeds) = &self.seeds else {
            let path =
                self.out.clone().unwrap_or_else(|| Folder::default_of(&run).path().to_owned());
            return Ok(vec![Plan::new(&run, path)?]);
        };
        let plans = seeds.iter().map(|seed| {
            let run = Self::seeded(&run, seed)?;
            let path = match &self.out {
                Some(folder) => folder.join(format!("seed-{seed}")),
                None => Folder::default_of(&run).path().to_owned(),
            };
            Ok(Plan::new(&run, path)?)
        });
        plans.collect()
    }
}

/// Set by the first Ctrl-C; the second ends the process as usual.
pub fn stop_on_interrupt() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let set = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if set.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
    })
    .map_err(|error| Failure::System(format!("cannot watch for Ctrl-C: {error}")))?;
    Ok(stop)
}
