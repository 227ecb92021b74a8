//! `salsa demo`, also plain `salsa`: the whole way from a seed to a picture, in a second.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use salsa_traces::algorithms;
use salsa_traces::dataset::{self, Request};
use salsa_traces::draw::{self, Options};
use salsa_traces::export::Format;
use salsa_traces::sample::Sampler;
use salsa_traces::stats::split_stats;
use salsa_traces::suite::Suite;

use crate::commands::stats::stats_table;
use crate::failure::Failure;
use crate::files::write_whole;
use crate::png;
use crate::progress::Progress;

/// Make a small data set, summarise it and draw a trajectory
#[derive(Debug, Args)]
#[command(after_help = "Example: salsa demo --out /tmp/salsa-demo")]
pub struct Demo {
    /// The folder to write to, made if missing
    #[arg(long, value_name = "FOLDER", default_value = DEFAULT_FOLDER)]
    out: PathBuf,
}

const DEFAULT_FOLDER: &str = "salsa-demo";

impl Default for Demo {
    fn default() -> Self {
        Self { out: PathBuf::from(DEFAULT_FOLDER) }
    }
}

/// The splits of the demonstration, and how many samples of each.
const SPLITS: [(&str, u64); 4] =
    [("train", 1000), ("er_16", 200), ("ws_80", 50), ("delaunay_160", 50)];

impl Demo {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let suite = Suite::named("paper")?;
        let bfs = algorithms::find("bfs")?;
        let progress = Progress::new(SPLITS.iter().map(|(_, samples)| 2 * samples).sum(), "demo");
        let advance = |done| progress.advance(done);
        let mut stats = Vec::new();
        let mut files = Vec::new();
        for (split, samples) in SPLITS {
            let sampler = Sampler::new(&suite, suite.seed, bfs, split)?;
            let (suite, seed, format) = (&suite, suite.seed, Format::JsonLines);
            let request = Request { suite, seed, sampler, samples, hints: true, format };
            files.push(dataset::write(&request, &self.out, &advance)?.0);
            stats.push(split_stats(&sampler, samples, &advance)?);
        }
        drop(progress);

        let sample = Sampler::new(&suite, suite.seed, bfs, "er_16")?.sample(0, true)?;
        let pictures = [
            ("bfs-er_16-0.svg", draw::animation as fn(_, _, _, _) -> String),
            ("bfs-er_16-0-steps.svg", draw::strip),
        ];
        let options = Options::default();
        for (name, draw) in pictures {
            let svg = draw(&sample.graph, &sample.inputs, &sample.trajectory, &options);
            let path = self.out.join(name);
            write_whole(&path, svg.as_bytes())?;
            files.push(path);
        }
        let svg = draw::strip(&sample.graph, &sample.inputs, &sample.trajectory, &options);
        let path = self.out.join("bfs-er_16-0-steps.png");
        let png = png::render(&svg, 2.0).map_err(|error| Failure::System(error.to_string()))?;
        write_whole(&path, &png)?;
        files.push(path);

        writeln!(out, "BFS trajectories of the suite \"paper\", seed {}\n", suite.seed)
            .map_err(Failure::output)?;
        writeln!(out, "{}\n\nWritten:", stats_table(&stats)).map_err(Failure::output)?;
        for file in files {
            writeln!(out, "  {}", file.display()).map_err(Failure::output)?;
        }
        writeln!(
            out,
            "\nNext: salsa inspect --algorithm bfs --split er_16, salsa list, salsa --help"
        )
        .map_err(Failure::output)
    }
}
