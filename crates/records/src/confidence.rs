//! How sure a mean over graphs or seeds is.
//!
//! Numbers get Student's interval, mean ± t · s / sqrt(count): five seeds are few, and the normal
//! quantile would make them look surer than they are. Outcomes, right or wrong for each graph, get
//! Wilson's score interval, because Student's has no width when all are right, and "1.00 ± 0.00"
//! on ten graphs promises too much. Both are at 95%, and one value alone has neither.
//! The quantiles are a table and a series in plain arithmetic, the same on every machine.
//! References: Wilson (1927); Abramowitz and Stegun, 26.7.5.

use serde::{Deserialize, Deserializer, Serialize};

/// The mean of some values, their spread, and how sure the mean is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Number of values.
    pub count: usize,
    /// Their mean; where it is no number, JSON has null, and so for spread and interval.
    #[serde(deserialize_with = "null_is_no_number")]
    pub mean: f64,
    /// Their sample standard deviation (divided by count - 1); `None` for one value, and where
    /// the mean is not finite.
    pub deviation: Option<f64>,
    /// The 95% confidence interval of the mean; `None` where there is no deviation.
    pub interval: Option<Interval>,
}

/// A range that holds a mean with a confidence of 95%.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

impl Summary {
    /// Numbers with Student's interval, which is not cut at 0 or 1; `None` if there are none.
    ///
    /// ```
    /// use salsa_records::confidence::Summary;
    /// let summary = Summary::of_numbers(&[0.90, 0.92, 0.94]).unwrap();
    /// assert!((summary.mean - 0.92).abs() < 1e-12);
    /// let half = summary.interval.unwrap().high - summary.mean;
    /// assert!((half - 4.302653 * 0.02 / 3f64.sqrt()).abs() < 1e-6);
    /// ```
    pub fn of_numbers(values: &[f64]) -> Option<Self> {
        let (count, mean, deviation) = moments(values)?;
        let interval = deviation.map(|deviation| {
            let half = t_quantile(count - 1) * deviation / (count as f64).sqrt();
            Interval { low: mean - half, high: mean + half }
        });
        Some(Self { count, mean, deviation, interval })
    }

    /// Outcomes, each 0 or 1, with Wilson's interval, which stays within 0 and 1; `None` if there
    /// are none.
    pub fn of_outcomes(values: &[f64]) -> Option<Self> {
        let (count, mean, deviation) = moments(values)?;
        let interval = deviation.map(|_| wilson(mean, count as f64));
        Some(Self { count, mean, deviation, interval })
    }
}

/// Count, mean, and sample standard deviation.
fn moments(values: &[f64]) -> Option<(usize, f64, Option<f64>)> {
    let count = values.len();
    if count == 0 {
        return None;
    }
    let mean = values.iter().sum::<f64>() / count as f64;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let has_spread = count > 1 && mean.is_finite();
    Some((count, mean, has_spread.then(|| (squares / (count - 1) as f64).sqrt())))
}

fn null_is_no_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::NAN))
}

/// Wilson's interval for a share found in `count` outcomes.
fn wilson(share: f64, count: f64) -> Interval {
    let z2 = Z * Z;
    let centre = share + z2 / (2.0 * count);
    let half = Z * (share * (1.0 - share) / count + z2 / (4.0 * count * count)).sqrt();
    let scale = 1.0 + z2 / count;
    // Rounding must not push an end that is 0 or 1 to the wrong side of the share.
    Interval {
        low: ((centre - half) / scale).max(0.0).min(share),
        high: ((centre + half) / scale).min(1.0).max(share),
    }
}

/// The 97.5% quantile of the normal distribution.
pub const Z: f64 = 1.959963984540054;

/// The 97.5% quantiles of Student's distribution for 1, 2, ..., 20 degrees of freedom.
const T: [f64; 20] = [
    12.7062047361747,
    4.302652729749464,
    3.18244630528371,
    2.776445105197794,
    2.570581835636316,
    2.44691185114497,
    2.364624251592785,
    2.306004135204167,
    2.262157162798206,
    2.228138851986275,
    2.20098516009164,
    2.178812829667229,
    2.160368656462793,
    2.144786687917804,
    2.131449545559776,
    2.119905299221255,
    2.109815577833317,
    2.100922040241038,
    2.09302405440831,
    2.085963447265865,
];

/// The 97.5% quantile of Student's distribution, within 2e-7; `freedom` is at least 1.
pub fn t_quantile(freedom: usize) -> f64 {
    if let Some(&quantile) = freedom.checked_sub(1).and_then(|place| T.get(place)) {
        return quantile;
    }
    let v = freedom as f64;
    let z2 = Z * Z;
    // The normal quantile and its corrections in powers of 1 / v, each a polynomial in z².
    let corrections = [
        (z2 + 1.0) / 4.0,
        ((5.0 * z2 + 16.0) * z2 + 3.0) / 96.0,
        (((3.0 * z2 + 19.0) * z2 + 17.0) * z2 - 15.0) / 384.0,
        ((((79.0 * z2 + 776.0) * z2 + 1482.0) * z2 - 1920.0) * z2 - 945.0) / 92160.0,
    ];
    Z * (1.0 + corrections.iter().rev().fold(0.0, |sum, correction| (sum + correction) / v))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// P(|T| < t) for whole degrees of freedom: Abramowitz and Stegun, 26.7.3 and 26.7.4.
    fn central_probability(t: f64, freedom: usize) -> f64 {
        let angle = (t / (freedom as f64).sqrt()).atan();
        let (sin, cos2) = (angle.sin(), angle.cos().powi(2));
        let is_odd = freedom % 2 == 1;
        let mut term = if is_odd { angle.cos() } else { 1.0 };
        let mut sum = if freedom == 1 { 0.0 } else { term };
        let mut k = if is_odd { 3 } else { 2 };
        while k + 2 <= freedom {
            term *= cos2 * (k - 1) as f64 / k as f64;
            sum += term;
            k += 2;
        }
        if is_odd { std::f64::consts::FRAC_2_PI * (angle + sin * sum) } else { sin * sum }
    }

    #[test]
    fn the_quantiles_leave_a_twentieth_outside() {
        for freedom in 1..=20 {
            let inside = central_probability(t_quantile(freedom), freedom);
            assert!((inside - 0.95).abs() < 1e-13, "{freedom}: {inside}");
        }
        for freedom in (21..200).chain([999, 1000, 5000]) {
            let inside = central_probability(t_quantile(freedom), freedom);
            assert!((inside - 0.95).abs() < 3e-8, "{freedom}: {inside}");
        }
    }

    #[test]
    fn the_quantiles_fall_towards_the_normal_one() {
        assert!((1..2000).all(|freedom| t_quantile(freedom) > t_quantile(freedom + 1)));
        assert!((t_quantile(10_000_000) - Z).abs() < 1e-6);
    }

    #[test]
    fn one_value_has_no_interval_and_none_no_summary() {
        let one = Summary::of_numbers(&[0.5]).unwrap();
        assert_eq!(one, Summary { count: 1, mean: 0.5, deviation: None, interval: None });
        assert_eq!(Summary::of_outcomes(&[1.0]).unwrap().interval, None);
        assert_eq!(Summary::of_numbers(&[]), None);
        assert_eq!(Summary::of_outcomes(&[]), None);
    }

    #[test]
    fn five_seeds_by_hand() {
        let summary = Summary::of_numbers(&[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
        assert_eq!((summary.count, summary.mean), (5, 3.0));
        assert!((summary.deviation.unwrap() - 2.5f64.sqrt()).abs() < 1e-15);
        // 2.776445 * sqrt(2.5) / sqrt(5) = 1.963243
        let interval = summary.interval.unwrap();
        assert!((interval.low - 1.036757).abs() < 1e-6, "{interval:?}");
        assert!((interval.high - 4.963243).abs() < 1e-6, "{interval:?}");
    }

    #[test]
    fn wilson_by_hand() {
        // 8 of 10: (0.8 + 0.19207 ± 1.95996 * sqrt(0.016 + 0.0096036)) / 1.3841459
        let outcomes = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0];
        let interval = Summary::of_outcomes(&outcomes).unwrap().interval.unwrap();
        assert!((interval.low - 0.490162).abs() < 1e-6, "{interval:?}");
        assert!((interval.high - 0.943318).abs() < 1e-6, "{interval:?}");
    }

    #[test]
    fn all_right_is_not_certainty() {
        let interval = Summary::of_outcomes(&[1.0; 10]).unwrap().interval.unwrap();
        // 10 / (10 + z²)
        assert!((interval.low - 10.0 / (10.0 + Z * Z)).abs() < 1e-12);
        assert_eq!(interval.high, 1.0);
    }

    #[test]
    fn a_mean_that_is_no_number_survives_a_file() {
        let diverged = Summary::of_numbers(&[1.0, f64::NAN]).unwrap();
        let written = serde_json::to_string(&diverged).unwrap();
        assert_eq!(written, r#"{"count":2,"mean":null,"deviation":null,"interval":null}"#);
        assert!(serde_json::from_str::<Summary>(&written).unwrap().mean.is_nan());
        let healthy = Summary::of_numbers(&[0.1, 0.2]).unwrap();
        let written = serde_json::to_string(&healthy).unwrap();
        assert_eq!(serde_json::from_str::<Summary>(&written).unwrap(), healthy);
    }
}
