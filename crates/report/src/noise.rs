//! Whether two means differ by more than chance explains.
//!
//! Between two experiments of ours: Student's test of two samples with a common variance, at 95%.
//! The graphs are the same for both, so their choice plays no part.
//!
//! Beside the paper, which tells the mean of five runs and no spread, its runs are taken to
//! scatter as ours do: the difference may be t · s · sqrt(1/n + 1/5) for n seeds of ours with
//! standard deviation s, t with n - 1 degrees of freedom. Its graphs are others than ours, which
//! adds z · g · sqrt(1/m + 1/1000) for m graphs with standard deviation g. Both are added as
//! squares, and half a unit of the last printed digit as it is. With one seed the first part is
//! not known: a difference within the rest is noise, and of a larger one nothing can be said.

use salsa_records::confidence::{Summary, Z, t_quantile};

use crate::paper;
use crate::study::Measured;

/// Whether ours differs from the paper's mean by no more than the noise; `None` where nothing can
/// be said.
pub fn within_noise_of_paper(ours: &Measured, theirs: f64) -> Option<bool> {
    let Summary { count, mean, deviation, .. } = ours.summary;
    let difference = (mean - theirs).abs();
    if difference.is_nan() {
        return None;
    }
    let graphs = match (ours.graph_deviation, ours.graphs.0) {
        (Some(deviation), fewest @ 1..) => {
            Z * deviation * (1.0 / fewest as f64 + 1.0 / paper::GRAPHS as f64).sqrt()
        }
        _ => 0.0,
    };
    // Sums of printed decimals are off by less than this.
    let rest = paper::ROUNDING + 1e-12;
    match deviation {
        Some(deviation) => {
            let spread = (1.0 / count as f64 + 1.0 / paper::SEEDS as f64).sqrt();
            let seeds = t_quantile(count - 1) * deviation * spread;
            Some(difference <= seeds.hypot(graphs) + rest)
        }
        None => (difference <= graphs + rest).then_some(true),
    }
}

/// Whether two experiments on the same graphs differ by no more than their seeds do; `None` where
/// there are too few.
pub fn within_noise(a: &Summary, b: &Summary) -> Option<bool> {
    let difference = (a.mean - b.mean).abs();
    let freedom = (a.count + b.count).checked_sub(2).filter(|freedom| *freedom > 0)?;
    if difference.is_nan() {
        return None;
    }
    let squares = |one: &Summary| {
        one.deviation.map_or(0.0, |deviation| deviation.powi(2) * (one.count - 1) as f64)
    };
    let variance = (squares(a) + squares(b)) / freedom as f64;
    let spread = (variance * (1.0 / a.count as f64 + 1.0 / b.count as f64)).sqrt();
    Some(difference <= t_quantile(freedom) * spread)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(values: &[f64], graph_deviation: Option<f64>) -> Measured {
        let summary = Summary::of_numbers(values).unwrap();
        Measured { summary, graphs: (100, 100), graph_deviation }
    }

    #[test]
    fn five_seeds_beside_the_paper_by_hand() {
        // s = 0.0158114, t = 2.776445, so that 0.027765 and half a digit are noise.
        let ours = measured(&[0.88, 0.89, 0.90, 0.91, 0.92], None);
        assert_eq!(within_noise_of_paper(&ours, 0.9 + 0.0282), Some(true));
        assert_eq!(within_noise_of_paper(&ours, 0.9 + 0.0284), Some(false));
    }

    #[test]
    fn the_choice_of_graphs_adds_to_the_noise() {
        // 1.959964 * 0.5 * sqrt(0.01 + 0.001) = 0.102781
        let ours = measured(&[0.9, 0.9], Some(0.5));
        assert_eq!(within_noise_of_paper(&ours, 0.9 - 0.1032), Some(true));
        assert_eq!(within_noise_of_paper(&ours, 0.9 - 0.1034), Some(false));
    }

    #[test]
    fn one_seed_tells_of_small_differences_only() {
        let ours = measured(&[1.0], Some(0.0));
        assert_eq!(within_noise_of_paper(&ours, 1.0), Some(true));
        assert_eq!(within_noise_of_paper(&ours, 0.99), None);
        assert_eq!(within_noise_of_paper(&measured(&[f64::NAN], None), 0.99), None);
    }

    #[test]
    fn equal_runs_differ_from_the_paper_by_rounding_alone() {
        let ours = measured(&[0.9995, 0.9995], Some(0.0));
        assert_eq!(within_noise_of_paper(&ours, 1.0), Some(true));
        assert_eq!(within_noise_of_paper(&ours, 0.998), Some(false));
    }

    #[test]
    fn two_of_ours_by_hand() {
        // Pooled s = 1, two degrees of freedom: 4.302653 * sqrt(1/2 + 1/2).
        let half = 0.5f64.sqrt();
        let a = Summary::of_numbers(&[-half, half]).unwrap();
        let b = |mean: f64| Summary::of_numbers(&[mean - half, mean + half]).unwrap();
        assert_eq!(within_noise(&a, &b(4.30)), Some(true));
        assert_eq!(within_noise(&a, &b(4.31)), Some(false));
        let one = Summary::of_numbers(&[1.0]).unwrap();
        assert_eq!(within_noise(&one, &one), None);
    }
}
