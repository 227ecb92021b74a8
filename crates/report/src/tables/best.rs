//! The best figure of each column among rows that compete.

use crate::formats::number;
use crate::metric::Metric;
use crate::{Cell, Figure, Row};

/// Marks the best figures of some rows, and all that look the same; where one row has a figure
/// there is nothing to compare it with.
pub fn mark_best(rows: &mut [Row], metric: Metric) {
    let columns = rows.iter().map(|row| row.cells.len()).max().unwrap_or(0);
    for column in 0..columns {
        let shown: Vec<f64> = rows.iter().filter_map(|row| figure(row, column)).collect();
        let better = |best: f64, mean: f64| if metric.is_better(mean, best) { mean } else { best };
        let Some(best) = shown.iter().copied().filter(|mean| !mean.is_nan()).reduce(better) else {
            continue;
        };
        let best = number(best, metric.scale);
        for row in rows.iter_mut().filter(|_| shown.len() > 1) {
            if let Some(Cell::Figure(Figure { summary, best: is_best, .. })) =
                row.cells.get_mut(column)
            {
                *is_best = number(summary.mean, metric.scale) == best;
            }
        }
    }
}

fn figure(row: &Row, column: usize) -> Option<f64> {
    match row.cells.get(column) {
        Some(Cell::Figure(figure)) => Some(figure.summary.mean),
        _ => None,
    }
}
