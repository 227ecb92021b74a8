//! The results of the paper's Table 1, to stand beside ours.
//!
//! Percent with one decimal, the mean over its seeds; each algorithm has the one metric that the
//! table shows. The paper says no more of the spread than that there were five runs.

use std::sync::LazyLock;

static TABLE: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let mut lines = include_str!("paper.csv").lines().map(|line| line.split(','));
    let splits: Vec<&str> = lines.next().into_iter().flatten().skip(3).collect();
    let row = |mut fields: std::str::Split<'static, char>| {
        Some(Row {
            algorithm: fields.next()?,
            model: fields.next()?,
            metric: fields.next()?,
            figures: splits
                .iter()
                .copied()
                .zip(fields.map_while(|field| field.parse().ok()))
                .collect(),
        })
    };
    lines.filter_map(row).collect()
});

/// Runs behind each mean.
pub const SEEDS: usize = 5;

/// Graphs of each test set.
pub const GRAPHS: u64 = 1000;

/// The most by which a printed figure is off, as a share.
pub const ROUNDING: f64 = 0.0005;

/// What one model reached on one algorithm.
#[derive(Debug)]
pub struct Row {
    algorithm: &'static str,
    model: &'static str,
    /// What was measured.
    pub metric: &'static str,
    figures: Vec<(&'static str, f64)>,
}

/// The row of an algorithm and a processor, if the paper has it.
pub fn row(algorithm: &str, processor: &str) -> Option<&'static Row> {
    let model = match processor {
        "gin" => "GIN(E)",
        "pgn" => "PGN",
        "recgnn" => "RecGNN",
        _ => return None,
    };
    TABLE.iter().find(|row| row.algorithm == algorithm && row.model == model)
}

/// The metric that the paper shows for an algorithm, if it has it.
pub fn metric(algorithm: &str) -> Option<&'static str> {
    TABLE.iter().find(|row| row.algorithm == algorithm).map(|row| row.metric)
}

/// The algorithms, in the order of the table.
pub fn algorithms() -> Vec<&'static str> {
    let mut names: Vec<&str> = TABLE.iter().map(|row| row.algorithm).collect();
    names.dedup();
    names
}

/// The test sets, in the order of the table.
pub fn splits() -> impl Iterator<Item = &'static str> {
    TABLE.first().into_iter().flat_map(|row| row.figures.iter().map(|(split, _)| *split))
}

impl Row {
    /// The figure on a split of the paper, in percent.
    pub fn figure(&self, split: &str) -> Option<f64> {
        self.figures.iter().find(|(name, _)| *name == split).map(|(_, figure)| *figure)
    }
}

#[cfg(test)]
mod tests {
    use salsa_traces::algorithms;
    use salsa_traces::suite::{Role, Suite};

    use super::*;
    use crate::metric::Metric;

    #[test]
    fn every_cell_of_the_paper_is_there() {
        let suite = Suite::named("paper").unwrap();
        let tests = || suite.splits.iter().filter(|split| split.role() == Role::Test);
        for algorithm in algorithms::benchmark() {
            for processor in ["gin", "pgn", "recgnn"] {
                let row = row(&algorithm.spec().algorithm, processor).unwrap();
                assert!(tests().all(|split| row.figure(&split.name).is_some()));
                assert!(tests().all(|split| split.samples == GRAPHS));
                assert!(Metric::named(row.metric).is_some());
            }
        }
        assert_eq!(row("mis", "recgnn").unwrap().figure("delaunay_1600"), Some(83.4));
        assert!(row("bridges", "pgn").is_none() && row("bfs", "mine").is_none());
        assert_eq!((algorithms().len(), splits().count()), (6, 15));
    }
}
