//! Suites: the named splits of a benchmark, as data.
//!
//! A suite is a TOML text that names a data convention, a seed and its splits, each a number of
//! samples from a family of graphs. The three built-in ones are files like any user's own.

mod custom;
mod parse;

pub use custom::Custom;

use std::collections::HashSet;
use std::path::Path;

use rand_chacha::ChaCha8Rng;
use thiserror::Error;

use crate::convention::Convention;
use crate::generators::{GenerateError, Generator};
use crate::graph::Graph;
use crate::nearest::did_you_mean;
use crate::parameters::Draw;

/// The built-in suites: name and text.
pub static BUILT_IN: &[(&str, &str)] = &[
    ("paper", include_str!("../../../../suites/paper.toml")),
    ("release", include_str!("../../../../suites/release.toml")),
    ("large", include_str!("../../../../suites/large.toml")),
];

/// A named list of splits.
#[derive(Debug)]
pub struct Suite {
    /// Its name; part of what seeds the samples.
    pub name: String,
    /// Its version; likewise.
    pub version: u32,
    /// What it is, in a line.
    pub summary: String,
    /// How algorithms are read.
    pub convention: Convention,
    /// The seed of its data, unless another is asked for.
    pub seed: u64,
    /// Its splits, in order.
    pub splits: Vec<Split>,
    /// The text it was read from, for manifests.
    pub text: String,
}

/// A number of samples from one distribution of graphs.
#[derive(Debug)]
pub struct Split {
    /// Its name; part of what seeds the samples.
    pub name: String,
    /// How many samples it has.
    pub samples: u64,
    /// Where its graphs come from.
    pub graphs: GraphDistribution,
}

/// A family of graphs with sizes and parameters.
#[derive(Debug)]
pub struct GraphDistribution {
    /// The family's name.
    pub family: &'static str,
    /// The sizes.
    pub nodes: Draw<u32>,
    generator: Box<dyn Generator>,
}

/// What a split is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The split `train`.
    Train,
    /// The split `val`.
    Validation,
    /// Any other.
    Test,
}

/// Why a suite cannot be used.
#[derive(Debug, Error)]
pub enum SuiteError {
    /// No built-in suite has this name.
    #[error("unknown suite {name:?}{suggestion} (for a file of your own, give its path)")]
    Unknown {
        /// The name.
        name: String,
        /// A name that is close.
        suggestion: String,
    },
    /// The file cannot be read.
    #[error("{path}: {error}")]
    Read {
        /// The file.
        path: String,
        /// What the system said.
        error: std::io::Error,
    },
    /// The text is no suite.
    #[error("{origin}:{line}: {problem}")]
    Invalid {
        /// The file or the name.
        origin: String,
        /// The line, from 1.
        line: usize,
        /// The field, what is wrong with it and what would be right.
        problem: String,
    },
    /// A split has fewer samples than were asked for.
    #[error("split {split} has {samples} samples, {asked} were asked for")]
    TooFew {
        /// The split.
        split: String,
        /// How many it has.
        samples: u64,
        /// How many were wanted.
        asked: u64,
    },
    /// The suite has no such split.
    #[error("suite {suite} has no split {name:?}{suggestion}")]
    UnknownSplit {
        /// The suite.
        suite: String,
        /// The name.
        name: String,
        /// A name that is close.
        suggestion: String,
    },
}

impl Suite {
    /// The built-in suite `name`.
    pub fn named(name: &str) -> Result<Self, SuiteError> {
        let (origin, text) =
            BUILT_IN.iter().find(|(known, _)| *known == name).ok_or_else(|| {
                let suggestion = did_you_mean(name, BUILT_IN.iter().map(|(known, _)| *known));
                SuiteError::Unknown { name: name.to_owned(), suggestion }
            })?;
        Self::parse(origin, text)
    }

    /// The suite in the file at `path`.
    pub fn load(path: &Path) -> Result<Self, SuiteError> {
        let origin = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|error| SuiteError::Read { path: origin.clone(), error })?;
        Self::parse(&origin, &text)
    }

    /// A built-in suite by name, or else a file if the text looks like a path.
    pub fn named_or_load(name: &str) -> Result<Self, SuiteError> {
        if Self::is_path(name) { Self::load(Path::new(name)) } else { Self::named(name) }
    }

    /// Whether the text looks like the path of a suite file rather than a name.
    pub fn is_path(name: &str) -> bool {
        name.contains(['/', '\\', '.'])
    }

    /// Reads and checks a suite; `origin` is what errors call it.
    pub fn parse(origin: &str, text: &str) -> Result<Self, SuiteError> {
        parse::suite(text).map_err(|(line, problem)| SuiteError::Invalid {
            origin: origin.to_owned(),
            line,
            problem,
        })
    }

    /// The split `name`; `validation` is another name of `val`.
    pub fn split(&self, name: &str) -> Result<&Split, SuiteError> {
        let name = if name == "validation" { "val" } else { name };
        self.splits.iter().find(|split| split.name == name).ok_or_else(|| {
            let known = self.splits.iter().map(|split| split.name.as_str());
            let suggestion = did_you_mean(name, known);
            SuiteError::UnknownSplit { suite: self.name.clone(), name: name.to_owned(), suggestion }
        })
    }

    /// The splits that a user names, each once: `test` for all test sets, `all` for every split.
    ///
    /// ```
    /// use salsa_traces::suite::Suite;
    /// let paper = Suite::named("paper")?;
    /// let chosen = paper.chosen(["val", "test", "er_16"])?;
    /// assert_eq!((chosen.len(), chosen[0].name.as_str()), (16, "val"));
    /// # Ok::<(), salsa_traces::suite::SuiteError>(())
    /// ```
    pub fn chosen<'n>(
        &self,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Result<Vec<&Split>, SuiteError> {
        let mut chosen: Vec<&Split> = Vec::new();
        for name in names {
            match name {
                "all" => chosen.extend(&self.splits),
                "test" => {
                    chosen.extend(self.splits.iter().filter(|split| split.role() == Role::Test));
                }
                name => chosen.push(self.split(name)?),
            }
        }
        let mut seen = HashSet::new();
        chosen.retain(|split| seen.insert(split.name.as_str()));
        Ok(chosen)
    }
}

impl Split {
    /// What the split is for, by its name.
    pub fn role(&self) -> Role {
        match self.name.as_str() {
            "train" => Role::Train,
            "val" => Role::Validation,
            _ => Role::Test,
        }
    }

    /// So many of its samples, or all; an error if it has fewer.
    pub fn some(&self, asked: Option<u64>) -> Result<u64, SuiteError> {
        match asked {
            Some(asked) if asked > self.samples => {
                Err(SuiteError::TooFew { split: self.name.clone(), samples: self.samples, asked })
            }
            asked => Ok(asked.unwrap_or(self.samples)),
        }
    }
}

impl GraphDistribution {
    /// Sizes and a generator that allows them.
    pub fn new(
        family: &'static str,
        nodes: Draw<u32>,
        generator: Box<dyn Generator>,
    ) -> Result<Self, GenerateError> {
        for n_nodes in [nodes.min() as usize, nodes.max() as usize] {
            if n_nodes < 2 {
                return Err(GenerateError::TooFewNodes(n_nodes));
            }
            generator.check(n_nodes)?;
        }
        Ok(Self { family, nodes, generator })
    }

    /// One graph: its size is drawn first, then the parameters, then the edges.
    pub fn draw(&self, rng: &mut ChaCha8Rng) -> Result<Graph, GenerateError> {
        let n_nodes = self.nodes.draw(rng) as usize;
        self.generator.generate(n_nodes, rng)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_suite_reads_and_bears_its_name() {
        for (name, _) in BUILT_IN {
            assert_eq!(Suite::named(name).unwrap().name, *name);
        }
    }

    #[test]
    fn the_paper_has_train_validation_and_15_test_sets() {
        let paper = Suite::named("paper").unwrap();
        let sizes: Vec<u64> = paper.splits.iter().map(|split| split.samples).collect();
        assert_eq!(sizes[..2], [10_000, 1_000]);
        assert_eq!(sizes[2..], [1_000; 15]);
        let tests = paper.splits.iter().filter(|split| split.role() == Role::Test);
        let names: Vec<&str> = tests.map(|split| split.name.as_str()).collect();
        let expected: Vec<String> = ["er", "ws", "delaunay"]
            .iter()
            .flat_map(|family| [16, 80, 160, 800, 1600].map(|n| format!("{family}_{n}")))
            .collect();
        assert_eq!(names, expected);
    }
}
