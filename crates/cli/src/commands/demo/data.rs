//! The demonstration's data: some trajectories in files, and one of them drawn.

use std::path::Path;

use salsa_traces::algorithms::Algorithm;
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

/// Splits, and how many samples of each.
pub type Samples = [(&'static str, u64); 3];

/// Enough for a summary.
pub const SOME: Samples = [("train", 1000), ("ws_80", 50), ("delaunay_160", 50)];

/// Enough for a look.
pub const FEW: Samples = [("train", 20), ("ws_80", 5), ("delaunay_160", 5)];

/// Writes them with pictures of the first of `er_16`; gives a table of what they are like.
pub fn write(
    suite: &Suite,
    algorithm: &dyn Algorithm,
    samples: &Samples,
    folder: &Path,
) -> Result<String, Failure> {
    let mut stats = Vec::new();
    for &(split, samples) in samples {
        let sampler = Sampler::new(suite, suite.seed, algorithm, split)?;
        let (seed, format) = (suite.seed, Format::JsonLines);
        let request = Request { suite, seed, sampler, samples, hints: true, format };
        dataset::write(&request, folder, &|_| ())?;
        stats.push(split_stats(&sampler, samples, &|_| ())?);
    }
    let sample = Sampler::new(suite, suite.seed, algorithm, "er_16")?.sample(0, true)?;
    let options = Options::default();
    let drawn = |draw: fn(_, _, _, _) -> String| {
        draw(&sample.graph, &sample.inputs, &sample.trajectory, &options)
    };
    let strip = drawn(draw::strip);
    let png = png::render(&strip, 2.0).map_err(|error| Failure::System(error.to_string()))?;
    write_whole(&folder.join("bfs-er_16-0.svg"), drawn(draw::animation).as_bytes())?;
    write_whole(&folder.join("bfs-er_16-0-steps.svg"), strip.as_bytes())?;
    write_whole(&folder.join("bfs-er_16-0-steps.png"), &png)?;
    Ok(stats_table(&stats))
}
