//! The memory of the published code, as measured once (BFS, batch 1, on an H200).
//!
//! It is what PyTorch had allocated at most, above the 102 MiB that it takes for any graph, without
//! gradients. The published script keeps gradients and was found to take about three times as much;
//! only that factor was noted.

use std::sync::LazyLock;

use crate::commands::bench::pass::Work;

/// How much more it takes where gradients are kept.
const WITH_GRADIENTS: f64 = 3.0;

static TABLE: LazyLock<Vec<(&str, usize, f64)>> = LazyLock::new(|| {
    let rows = include_str!("published.csv").lines().skip(1);
    rows.filter_map(|row| {
        let mut fields = row.split(',');
        let mut field = || fields.next();
        Some((field()?, field()?.parse().ok()?, field()?.parse().ok()?))
    })
    .collect()
});

/// Numbers of nodes and MiB, without gradients beside inference and with them beside training.
pub fn published(model: &str, work: Work) -> impl Iterator<Item = (usize, f64)> {
    let factor = match work {
        Work::Inference => 1.0,
        Work::Training => WITH_GRADIENTS,
    };
    TABLE.iter().filter(move |row| row.0 == model).map(move |row| (row.1, factor * row.2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_paper_s_model_has_figures_up_to_the_paper_s_largest_graph() {
        let found: Vec<_> = published("gin", Work::Training).collect();
        assert_eq!((found.len(), found.last()), (4, Some(&(32_768, 13_125.0))));
        assert_eq!(published("pgn", Work::Inference).count(), 0);
    }
}
