//! What many graphs gave, and its summary: each graph counts once, whatever its size.
//!
//! Names stand in the order in which they first came, so tables and files do not depend on hash
//! order. One collection belongs to one output of one split; outcomes that are no metric, such as
//! whether an answer is valid, stand beside the metrics under a name of their own.

use serde::ser::{Serialize, Serializer};

use crate::confidence::Summary;
use crate::metrics::{Measured, Scale};

/// Values of graphs under names. Serialized, it is a map from each name to its [`Summary`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scores {
    series: Vec<Series>,
}

#[derive(Debug, Clone, PartialEq)]
struct Series {
    name: String,
    is_outcome: bool,
    values: Vec<f64>,
}

impl Scores {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds what the metrics gave for one graph.
    pub fn add(&mut self, measured: impl IntoIterator<Item = Measured>) {
        for Measured { metric, value } in measured {
            self.series(metric.name, metric.scale == Scale::Outcome).push(value);
        }
    }

    /// Adds an outcome of one graph that is not a metric.
    pub fn add_outcome(&mut self, name: &str, is_right: bool) {
        self.series(name, true).push(f64::from(u8::from(is_right)));
    }

    /// Adds a number of one graph that is not a metric.
    pub fn add_number(&mut self, name: &str, value: f64) {
        self.series(name, false).push(value);
    }

    /// Adds what another collection holds, after what is here.
    pub fn append(&mut self, other: Self) {
        for series in other.series {
            self.series(&series.name, series.is_outcome).extend(series.values);
        }
    }

    /// The values under `name`, in the order in which they came.
    pub fn values(&self, name: &str) -> Option<&[f64]> {
        self.series.iter().find(|series| series.name == name).map(|series| &*series.values)
    }

    /// The summary under `name`.
    pub fn summary(&self, name: &str) -> Option<Summary> {
        self.series.iter().find(|series| series.name == name)?.summary()
    }

    /// Every name with its summary.
    pub fn summaries(&self) -> impl Iterator<Item = (&str, Summary)> {
        self.series.iter().filter_map(|series| Some((&*series.name, series.summary()?)))
    }

    /// The values under a name; what it was first used for stays.
    fn series(&mut self, name: &str, is_outcome: bool) -> &mut Vec<f64> {
        let found = self.series.iter().position(|series| series.name == name);
        let place = found.unwrap_or_else(|| {
            self.series.push(Series { name: name.to_owned(), is_outcome, values: Vec::new() });
            self.series.len() - 1
        });
        &mut self.series[place].values
    }
}

impl Series {
    fn summary(&self) -> Option<Summary> {
        match self.is_outcome {
            true => Summary::of_outcomes(&self.values),
            false => Summary::of_numbers(&self.values),
        }
    }
}

impl Serialize for Scores {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.summaries())
    }
}
