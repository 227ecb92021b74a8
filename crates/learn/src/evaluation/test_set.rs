//! Graphs to evaluate on: the first samples of a split, or graphs that were read.

use std::borrow::Cow;
use std::ops::Range;

use salsa_traces::algorithms::Algorithm;
use salsa_traces::convention::Convention;
use salsa_traces::sample::{Sample, SampleError, Sampler};
use salsa_traces::suite::{Suite, SuiteError};

/// Samples under a name.
pub struct TestSet<'a> {
    name: String,
    first: u64,
    count: u64,
    convention: Convention,
    source: Source<'a>,
}

enum Source<'a> {
    Split(Sampler<'a>),
    Given(Vec<Sample>),
}

impl<'a> TestSet<'a> {
    /// The first `count` samples of a split, which are made when they are needed; without a
    /// count, all of them.
    pub fn split(
        suite: &'a Suite,
        seed: u64,
        algorithm: &'a dyn Algorithm,
        split: &str,
        count: Option<u64>,
    ) -> Result<Self, SuiteError> {
        let sampler = Sampler::new(suite, seed, algorithm, split)?;
        let split = sampler.split();
        Ok(Self {
            name: split.name.clone(),
            first: 0,
            count: count.unwrap_or(split.samples),
            convention: suite.convention,
            source: Source::Split(sampler),
        })
    }

    /// Samples from elsewhere, executed under this convention.
    pub fn given(name: &str, samples: Vec<Sample>, convention: Convention) -> Self {
        let (name, count) = (name.to_owned(), samples.len() as u64);
        Self { name, first: 0, count, convention, source: Source::Given(samples) }
    }

    /// The same set without its first samples, which were asked about before.
    pub fn skipping(self, first: u64) -> Self {
        Self { first: first.min(self.count), ..self }
    }

    /// The samples to ask about.
    pub fn indices(&self) -> Range<u64> {
        self.first..self.count
    }

    /// The split's name, or the one given.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many samples it has, those skipped too.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// How the algorithm is read.
    pub fn convention(&self) -> Convention {
        self.convention
    }

    /// Sample `index`, without hints where it is made here.
    pub fn sample(&self, index: u64) -> Result<Cow<'_, Sample>, SampleError> {
        match &self.source {
            Source::Split(sampler) => sampler.sample(index, false).map(Cow::Owned),
            Source::Given(samples) => match samples.get(index as usize) {
                Some(sample) => Ok(Cow::Borrowed(sample)),
                None => {
                    let (split, samples) = (self.name.clone(), self.count);
                    Err(SampleError::Index { split, samples, index })
                }
            },
        }
    }
}
