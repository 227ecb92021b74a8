//! A suite of one endless split, described by values instead of a file.
//!
//! What the graphs are is part of the suite's name and so of what seeds the samples: two
//! descriptions that differ in anything share no random draws.

use std::fmt::Write;

use super::{GraphDistribution, Split, Suite};
use crate::convention::Convention;
use crate::generators::{self, GenerateError};
use crate::parameters::{ParameterError, Parameters};

/// The most that a suite file can say.
const ENDLESS: u64 = i64::MAX as u64;

/// What such a suite is made of.
#[derive(Debug, Clone)]
pub struct Custom<'a> {
    /// The split's name, such as `train`.
    pub split: &'a str,
    /// The family of graphs.
    pub family: &'a str,
    /// Its parameters, and `nodes`, the sizes.
    pub parameters: Parameters,
    /// How algorithms are read.
    pub convention: Convention,
    /// The seed.
    pub seed: u64,
}

impl Suite {
    /// The suite of one split that has as many samples as anyone asks for.
    ///
    /// ```
    /// use salsa_traces::{parameters::Parameters, suite::{Custom, Suite}};
    /// let suite = Suite::custom(Custom {
    ///     split: "train",
    ///     family: "er",
    ///     parameters: Parameters::parse(["nodes=16,32", "p=0.2..0.4"])?,
    ///     convention: Default::default(),
    ///     seed: 7,
    /// })?;
    /// assert_eq!(suite.name, "er nodes=16,32 p=0.2..0.4");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn custom(custom: Custom<'_>) -> Result<Self, GenerateError> {
        let Custom { split, family, mut parameters, convention, seed } = custom;
        let family = generators::find(family)?;
        let (mut name, mut lines) = (family.name.to_owned(), String::new());
        for (parameter, draw) in parameters.iter() {
            // Writing into a text cannot fail.
            let _ = write!(name, " {parameter}={draw}");
            let _ = writeln!(lines, "{parameter} = {}", draw.toml());
        }
        // As a user would write it, so that a manifest can carry it; that has a seed of its own.
        let text = format!(
            "name = {name:?}\nversion = 1\nconvention = \"{convention}\"\nseed = 0\n\n[[split]]\n\
             name = {split:?}\nsamples = {ENDLESS}\ngenerator = {:?}\n{lines}",
            family.name
        );
        let nodes = parameters.whole("nodes")?;
        let nodes = nodes.ok_or_else(|| ParameterError::new("nodes", "missing"))?;
        let generator = family.with(parameters)?;
        let graphs = GraphDistribution::new(family.name, nodes, generator)?;
        Ok(Self {
            summary: name.clone(),
            name,
            version: 1,
            convention,
            seed,
            splits: vec![Split { name: split.to_owned(), samples: ENDLESS, graphs }],
            text,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_text_is_the_suite() {
        let parameters = ["nodes=4,7,11", "p=0.2..0.4"];
        let custom = Suite::custom(Custom {
            split: "train",
            family: "er",
            parameters: Parameters::parse(parameters).unwrap(),
            convention: Convention::Release,
            seed: u64::MAX,
        })
        .unwrap();
        let again = Suite::parse("custom", &custom.text).unwrap();
        assert_eq!(again.name, custom.name);
        assert_eq!(again.convention, custom.convention);
        assert_eq!(format!("{:?}", again.splits), format!("{:?}", custom.splits));
    }
}
