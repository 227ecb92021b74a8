//! Comparing results with numbers worked out by hand, to nine digits.

/// Panics where two lists differ.
#[track_caller]
pub fn assert_close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len(), "found {found:?}, expected {expected:?}");
    for (a, b) in found.iter().zip(expected) {
        let close = (a - b).abs() <= 1e-9 * (1.0 + b.abs());
        assert!(close, "found {found:?}, expected {expected:?}");
    }
}
