//! exp, sigmoid and tanh that the compiler can vectorise.
//!
//! The platform's functions are calls, one lane at a time, and differ between platforms. These are
//! straight-line: exp is split into a power of two and a polynomial on [-ln 2 / 2, ln 2 / 2] (the
//! Taylor terms to degree 7, whose error is below one rounding), good to about 1e-7 relative.

use std::f32::consts::LOG2_E;

/// e to the x; the smallest normal numbers below -87, finite above 88.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    // Adding 1.5 * 2^23 rounds to a whole number in the lowest bits.
    const ROUND: f32 = 12_582_912.0;
    // ln 2 in two parts: the first has so few bits that its multiples are exact.
    const LN_2_HIGH: f32 = 0.693_359_4;
    const LN_2_EXCESS: f32 = 2.121_944_4e-4;
    let x = x.clamp(-87.3, 88.3);
    let shifted = x * LOG2_E + ROUND;
    let whole = shifted - ROUND;
    let rest = x - whole * LN_2_HIGH + whole * LN_2_EXCESS;
    let mut sum = 1.0 / 5040.0;
    sum = sum * rest + 1.0 / 720.0;
    sum = sum * rest + 1.0 / 120.0;
    sum = sum * rest + 1.0 / 24.0;
    sum = sum * rest + 1.0 / 6.0;
    sum = sum * rest + 0.5;
    sum = sum * rest + 1.0;
    sum = sum * rest + 1.0;
    let power = f32::from_bits((shifted.to_bits() << 23).wrapping_add(127 << 23));
    sum * power
}

/// e to the x of a log-probability, and 0 for what is less likely than 1e-20.
///
/// So small a gradient moves no weight, but on its way back it would be multiplied until it is
/// subnormal, and each such number costs some processors more than a hundred cycles: a network
/// that is sure of its answers would learn many times slower than one that is not.
#[inline(always)]
pub fn probability(x: f32) -> f32 {
    if x < -46.0 { 0.0 } else { exp(x) }
}

/// max(x, 0); what is no number stays so.
#[inline(always)]
pub fn relu(x: f32) -> f32 {
    if x < 0.0 { 0.0 } else { x }
}

/// 1 / (1 + exp(-x)).
#[inline(always)]
pub fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + exp(-x))
}

/// The hyperbolic tangent, accurate near zero too.
#[inline(always)]
pub fn tanh(x: f32) -> f32 {
    let size = x.abs();
    let small = {
        let square = x * x;
        let mut sum = -21_844.0 / 6_081_075.0;
        sum = sum * square + 1_382.0 / 155_925.0;
        sum = sum * square - 62.0 / 2_835.0;
        sum = sum * square + 17.0 / 315.0;
        sum = sum * square - 2.0 / 15.0;
        sum = sum * square + 1.0 / 3.0;
        x - x * square * sum
    };
    let large = (1.0 - 2.0 / (exp(2.0 * size) + 1.0)).copysign(x);
    if size < 0.3 { small } else { large }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worst(function: fn(f32) -> f32, exact: fn(f64) -> f64, from: f32, to: f32) -> f64 {
        (0..=200_000)
            .map(|i| from + (to - from) * i as f32 / 200_000.0)
            .map(|x| {
                let exact = exact(f64::from(x));
                (f64::from(function(x)) - exact).abs() / exact.abs().max(1e-30)
            })
            .fold(0.0, f64::max)
    }

    #[test]
    fn they_are_accurate_to_single_precision() {
        assert!(
            worst(exp, f64::exp, -80.0, 80.0) < 2.5e-7,
            "{}",
            worst(exp, f64::exp, -80.0, 80.0)
        );
        let sigmoid_exact = |x: f64| 1.0 / (1.0 + (-x).exp());
        assert!(worst(sigmoid, sigmoid_exact, -30.0, 30.0) < 3e-7);
        assert!(
            worst(tanh, f64::tanh, -12.0, 12.0) < 4e-7,
            "{}",
            worst(tanh, f64::tanh, -12.0, 12.0)
        );
    }

    #[test]
    fn probabilities_are_exact_or_nothing() {
        assert_eq!(probability(-45.9), exp(-45.9));
        assert_eq!((probability(-46.1), probability(f32::NEG_INFINITY)), (0.0, 0.0));
        assert!(probability(f32::NAN).is_nan());
    }

    #[test]
    fn far_values_stay_finite() {
        assert!(sigmoid(-1e9) < 1e-37);
        assert_eq!((sigmoid(1e9), tanh(1e9), tanh(-1e9)), (1.0, 1.0, -1.0));
        assert!(exp(-1e30) >= 0.0 && exp(1e30).is_finite());
    }
}
