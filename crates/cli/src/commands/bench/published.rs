//! The speed of the published code, as measured once (2 cores, one process, torch 2.11).
//!
//! It cannot be run here, so its figures stand beside ours as they were quoted; a missing one
//! means that it ran out of memory.

use std::sync::LazyLock;

/// Samples per second.
#[derive(Debug, Clone, Copy)]
pub struct Published {
    /// Without hints.
    pub without_hints: Option<f64>,
    /// With dense hints.
    pub with_hints: Option<f64>,
}

type Row = (&'static str, &'static str, Published);

static TABLE: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let rows = include_str!("published.csv").lines().skip(1);
    rows.filter_map(|row| {
        let mut fields = row.split(',');
        let (algorithm, split) = (fields.next()?, fields.next()?);
        let mut figure = || fields.next().and_then(|field| field.parse().ok());
        Some((algorithm, split, Published { without_hints: figure(), with_hints: figure() }))
    })
    .collect()
});

/// The splits that have figures, in the order of the table.
pub fn splits() -> Vec<&'static str> {
    let mut splits: Vec<&str> = Vec::new();
    for (_, split, _) in TABLE.iter() {
        if !splits.contains(split) {
            splits.push(split);
        }
    }
    splits
}

/// The figures of an algorithm on a split.
pub fn published(algorithm: &str, split: &str) -> Published {
    let found = TABLE.iter().find(|row| (row.0, row.1) == (algorithm, split));
    found.map_or(Published { without_hints: None, with_hints: None }, |row| row.2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_benchmark_algorithm_has_8_splits() {
        assert_eq!(splits().len(), 8);
        for algorithm in salsa_traces::algorithms::benchmark() {
            for split in splits() {
                let figures = published(&algorithm.spec().algorithm, split);
                assert!(figures.without_hints.is_some(), "{split}");
            }
        }
    }
}
