//! The results of the paper's Table 1, to stand beside ours.
//!
//! Percent, the mean over its seeds; each algorithm has the one metric that the table shows.

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

impl Row {
    /// The figure on a split of the paper.
    pub fn figure(&self, split: &str) -> Option<f64> {
        self.figures.iter().find(|(name, _)| *name == split).map(|(_, figure)| *figure)
    }
}

#[cfg(test)]
mod tests {
    use salsa_learn::metrics;
    use salsa_learn::model::processors;
    use salsa_traces::algorithms;
    use salsa_traces::suite::{Role, Suite};

    use super::*;

    #[test]
    fn every_cell_of_the_paper_is_there() {
        let suite = Suite::named("paper").unwrap();
        let tests = || suite.splits.iter().filter(|split| split.role() == Role::Test);
        for algorithm in algorithms::benchmark() {
            for processor in processors::names() {
                let row = row(&algorithm.spec().algorithm, processor).unwrap();
                assert!(tests().all(|split| row.figure(&split.name).is_some()));
                assert!(metrics::ALL.iter().any(|metric| metric.name == row.metric));
            }
        }
        assert_eq!(row("mis", "recgnn").unwrap().figure("delaunay_1600"), Some(83.4));
        assert!(row("bridges", "pgn").is_none() && row("bfs", "mine").is_none());
    }
}
