//! What a split looks like, and which samples of one split occur in another.

use std::collections::HashSet;

use rayon::prelude::*;
use serde::Serialize;

use crate::algorithms::Algorithm;
use crate::hash::ContentHash;
use crate::sample::{Sample, SampleError, Sampler};
use crate::suite::{Role, Suite};

/// The smallest, mean and largest of some numbers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Summary {
    /// The smallest.
    pub min: f64,
    /// The mean.
    pub mean: f64,
    /// The largest.
    pub max: f64,
}

/// The statistics of one split.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SplitStats {
    /// The split.
    pub split: String,
    /// The family of its graphs.
    pub generator: String,
    /// How many samples were looked at.
    pub samples: u64,
    /// Nodes of a graph.
    pub nodes: Summary,
    /// Undirected edges of a graph.
    pub edges: Summary,
    /// Mean degree of a graph.
    pub mean_degree: Summary,
    /// Largest degree of a graph.
    pub max_degree: Summary,
    /// Steps of a trajectory.
    pub length: Summary,
    /// Changes that the hints of a trajectory record.
    pub changes: Summary,
}

/// How many samples of a split occur elsewhere: the same labelled graph with the same inputs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Overlap {
    /// The split.
    pub split: String,
    /// How many samples it has.
    pub samples: u64,
    /// How many different ones.
    pub distinct: u64,
    /// How many occur in the training split, which is another one.
    pub in_train: u64,
    /// How many occur in the validation split, which is another one.
    pub in_val: u64,
    /// How many occur in a test split, which is another one.
    pub in_test: u64,
}

impl Overlap {
    /// Whether a test sample occurs in training or validation, which spoils a benchmark.
    pub fn spoils_test(&self) -> bool {
        !matches!(self.split.as_str(), "train" | "val") && self.in_train + self.in_val > 0
    }
}

/// The statistics of the first `samples` samples of a split.
pub fn split_stats(
    sampler: &Sampler<'_>,
    samples: u64,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<SplitStats, SampleError> {
    let rows: Vec<[f64; 6]> = (0..samples)
        .into_par_iter()
        .map(|index| {
            let row = row(&sampler.sample(index, true)?);
            progress(1);
            Ok(row)
        })
        .collect::<Result<_, SampleError>>()?;
    let summary = |column: usize| {
        let values = || rows.iter().map(|row| row[column]);
        Summary {
            min: values().fold(f64::INFINITY, f64::min),
            mean: values().sum::<f64>() / rows.len() as f64,
            max: values().fold(f64::NEG_INFINITY, f64::max),
        }
    };
    Ok(SplitStats {
        split: sampler.split().name.clone(),
        generator: sampler.split().graphs.family.to_owned(),
        samples,
        nodes: summary(0),
        edges: summary(1),
        mean_degree: summary(2),
        max_degree: summary(3),
        length: summary(4),
        changes: summary(5),
    })
}

fn row(sample: &Sample) -> [f64; 6] {
    let (graph, trajectory) = (&sample.graph, &sample.trajectory);
    let max_degree = graph.nodes().map(|u| graph.degree(u)).max().unwrap_or(0);
    let changes = trajectory.hints.as_ref().map_or(0, |hints| hints.n_changes());
    [
        graph.n_nodes() as f64,
        graph.n_edges() as f64,
        2.0 * graph.n_edges() as f64 / graph.n_nodes() as f64,
        max_degree as f64,
        f64::from(trajectory.length),
        changes as f64,
    ]
}

/// The overlap of every split with the others.
pub fn overlaps(
    suite: &Suite,
    seed: u64,
    algorithm: &dyn Algorithm,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Vec<Overlap>, SampleError> {
    let mut hashes: Vec<Vec<ContentHash>> = Vec::with_capacity(suite.splits.len());
    for split in &suite.splits {
        let sampler = Sampler::new(suite, seed, algorithm, &split.name)?;
        let of_split = (0..split.samples)
            .into_par_iter()
            .map(|index| {
                let hash = sampler.sample(index, false)?.problem_hash();
                progress(1);
                Ok(hash)
            })
            .collect::<Result<_, SampleError>>()?;
        hashes.push(of_split);
    }
    let sets: Vec<HashSet<ContentHash>> =
        hashes.iter().map(|of_split| of_split.iter().copied().collect()).collect();
    let overlap = |place: usize| {
        let elsewhere = |role: Role| {
            let occurs = |hash: &&ContentHash| {
                (0..sets.len()).any(|other| {
                    other != place
                        && suite.splits[other].role() == role
                        && sets[other].contains(hash)
                })
            };
            hashes[place].iter().filter(occurs).count() as u64
        };
        Overlap {
            split: suite.splits[place].name.clone(),
            samples: hashes[place].len() as u64,
            distinct: sets[place].len() as u64,
            in_train: elsewhere(Role::Train),
            in_val: elsewhere(Role::Validation),
            in_test: elsewhere(Role::Test),
        }
    };
    Ok((0..sets.len()).map(overlap).collect())
}
