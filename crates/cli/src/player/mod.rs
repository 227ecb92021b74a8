//! Executions for the report's player: a few small test samples of every algorithm, and what the
//! networks of a sweep make of them.
//!
//! Of networks that differ in their seeds only, the lowest seed is shown. A checkpoint that is not
//! there, or not the one of the record, is left out: a report is made of records, and these files
//! may have stayed on another machine.

mod answer;
mod episode;

use std::path::PathBuf;

use salsa_learn::checkpoint::Checkpoint;
use salsa_learn::compute::Compute;
use salsa_learn::network::Network;
use salsa_records::{Data, Record};
use salsa_report::page::Episode;
use salsa_traces::algorithms;
use salsa_traces::sample::{Sample, Sampler};
use salsa_traces::suite::{Role, Split, Suite};

use self::answer::answer;
use self::episode::episode;
use crate::progress::Progress;

/// The most nodes of a small sample.
const SMALL: u32 = 20;
/// The most nodes of the one larger sample.
const READABLE: u32 = 80;

/// What the player is made of.
pub struct Player<'a> {
    /// Small samples of each algorithm.
    pub samples: usize,
    /// Where checkpoints may be: folders of sweeps.
    pub folders: &'a [PathBuf],
}

/// A sample and where it is from.
struct Chosen {
    name: String,
    sample: Sample,
}

impl Player<'_> {
    /// Executions of every algorithm in the records, with the answers of their networks.
    pub fn episodes(&self, records: &[Record]) -> Vec<Episode> {
        let mut questions: Vec<(&str, &Data)> = Vec::new();
        for record in records {
            if let Some(data) = &record.data
                && !questions.contains(&(record.algorithm.as_str(), data))
            {
                questions.push((&record.algorithm, data));
            }
        }
        let progress = Progress::new(records.len() as u64, "playing");
        let mut episodes = Vec::new();
        for (algorithm, data) in questions {
            let own: Vec<&Record> = records
                .iter()
                .filter(|record| {
                    record.algorithm == algorithm && record.data.as_ref() == Some(data)
                })
                .collect();
            episodes.extend(self.of_algorithm(algorithm, data, &own).unwrap_or_default());
            progress.advance(own.len() as u64);
        }
        episodes
    }

    /// `None` where the samples cannot be made here.
    fn of_algorithm(
        &self,
        algorithm: &str,
        data: &Data,
        records: &[&Record],
    ) -> Option<Vec<Episode>> {
        let Data::Suite { name, version, convention, seed } = data else { return None };
        let suite = self.suite(name).filter(|suite| suite.version == *version)?;
        let chosen = self.samples_of(&suite, *seed, algorithm)?;
        let mut episodes: Vec<Episode> = chosen
            .iter()
            .map(|Chosen { name, sample }| episode(name, &sample.graph, sample, *convention))
            .collect();
        for record in shown(records.iter().copied()) {
            let Some(mut network) = self.network(record) else { continue };
            for (episode, Chosen { sample, .. }) in episodes.iter_mut().zip(&chosen) {
                let is_small = sample.graph.n_nodes() <= SMALL as usize;
                let given = answer(record, &mut network, sample, *convention, is_small);
                episode.answers.extend(given);
            }
        }
        Some(episodes)
    }

    fn suite(&self, name: &str) -> Option<Suite> {
        let of_folder = |folder: &PathBuf| Suite::load(&folder.join("suite.toml")).ok();
        let own = self.folders.iter().filter_map(of_folder).find(|suite| suite.name == name);
        own.or_else(|| Suite::named(name).ok())
    }

    /// Small samples, of each small test split in turn, and one larger, which is where networks go
    /// wrong.
    fn samples_of(&self, suite: &Suite, seed: u64, algorithm: &str) -> Option<Vec<Chosen>> {
        let algorithm = algorithms::find(algorithm).ok()?;
        let tests: Vec<&Split> =
            suite.splits.iter().filter(|split| split.role() == Role::Test).collect();
        let small: Vec<&Split> =
            tests.iter().copied().filter(|split| split.graphs.nodes.max() <= SMALL).collect();
        let larger = tests
            .iter()
            .copied()
            .filter(|split| (SMALL + 1..=READABLE).contains(&split.graphs.nodes.max()));
        // Graphs with positions are the easiest to read.
        let larger = larger
            .max_by_key(|split| (split.graphs.family == "delaunay", split.graphs.nodes.max()));
        let places = (0..self.samples)
            .filter(|_| !small.is_empty())
            .map(|place| (small[place % small.len()], (place / small.len()) as u64))
            .chain(larger.map(|split| (split, 0)));
        let made = places.filter_map(|(split, index)| {
            let sampler = Sampler::new(suite, seed, algorithm, &split.name).ok()?;
            let sample = sampler.sample(index, true).ok()?;
            Some(Chosen { name: format!("{}, sample {index}", split.name), sample })
        });
        Some(made.collect())
    }

    /// The network of a record, if its checkpoint is there and the one that was evaluated.
    fn network(&self, record: &Record) -> Option<Network> {
        let file = record.checkpoint.as_ref()?;
        let is_it = |path: &PathBuf| {
            std::fs::read(path)
                .is_ok_and(|bytes| blake3::hash(&bytes).to_hex().as_str() == file.blake3)
        };
        let mut places = self.folders.iter().map(|folder| folder.join(&file.path));
        let path = places.find(is_it)?;
        let checkpoint = Checkpoint::of_trained(&path).ok()?;
        Network::restore(&checkpoint, Compute::Cpu { n_threads: 1 }).ok()
    }
}

/// Of records that differ in their seeds only, those with the lowest.
pub fn shown<'a>(records: impl Iterator<Item = &'a Record>) -> Vec<&'a Record> {
    let mut kept: Vec<&Record> = Vec::new();
    for record in records {
        let is_same = |other: &&mut &Record| {
            (&other.algorithm, &other.model, other.hints, other.convention)
                == (&record.algorithm, &record.model, record.hints, record.convention)
                && settings(other).eq(settings(record))
        };
        match kept.iter_mut().find(is_same) {
            Some(other) if other.seed > record.seed => *other = record,
            Some(_) => {}
            None => kept.push(record),
        }
    }
    kept
}

/// What a network was trained with, but for the seed.
fn settings(record: &Record) -> impl Iterator<Item = (&String, &serde_json::Value)> {
    record.run.iter().filter(|(name, _)| *name != "seed")
}
