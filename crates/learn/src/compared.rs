//! A prediction and the recorded output side by side, checked to be comparable.
//!
//! Made before any metric looks at them, so that a metric is arithmetic only: both have the same
//! kind and the same number of values, at least one.

use salsa_traces::trajectory::Values;
use thiserror::Error;

/// One output of one graph, predicted and recorded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Compared<'a> {
    pairs: Pairs<'a>,
}

/// The values: predicted, then expected.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Pairs<'a> {
    Mask(&'a [bool], &'a [bool]),
    MaskOne(u32, u32),
    Categorical(&'a [u8], &'a [u8]),
    Scalar(&'a [f64], &'a [f64]),
    Pointer(&'a [u32], &'a [u32]),
}

/// Why a prediction cannot be compared with an output.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Mismatch {
    /// Values of another kind.
    #[error("the prediction is of kind {found}, expected {expected}")]
    Kind {
        /// The kind of the output.
        expected: &'static str,
        /// The kind of the prediction.
        found: &'static str,
    },
    /// Another number of values.
    #[error("the prediction has {found} values, expected {expected}")]
    Count {
        /// Values of the output.
        expected: usize,
        /// Values of the prediction.
        found: usize,
    },
    /// There is nothing to compare.
    #[error("the output has no values, expected at least 1")]
    Empty,
}

impl<'a> Compared<'a> {
    /// Puts a prediction beside the output it stands for.
    pub fn new(predicted: &'a Values, expected: &'a Values) -> Result<Self, Mismatch> {
        let pairs = match (predicted, expected) {
            (Values::Mask(predicted), Values::Mask(expected)) => Pairs::Mask(predicted, expected),
            (Values::MaskOne(predicted), Values::MaskOne(expected)) => {
                Pairs::MaskOne(*predicted, *expected)
            }
            (Values::Categorical(predicted), Values::Categorical(expected)) => {
                Pairs::Categorical(predicted, expected)
            }
            (Values::Scalar(predicted), Values::Scalar(expected)) => {
                Pairs::Scalar(predicted, expected)
            }
            (Values::Pointer(predicted), Values::Pointer(expected)) => {
                Pairs::Pointer(predicted, expected)
            }
            _ => return Err(Mismatch::Kind { expected: kind(expected), found: kind(predicted) }),
        };
        match (predicted.count().unwrap_or(1), expected.count().unwrap_or(1)) {
            (_, 0) => Err(Mismatch::Empty),
            (found, expected) if found != expected => Err(Mismatch::Count { expected, found }),
            _ => Ok(Self { pairs }),
        }
    }

    pub(crate) fn pairs(&self) -> Pairs<'a> {
        self.pairs
    }
}

/// What kind of values these are, in the words of a spec.
pub(crate) fn kind(values: &Values) -> &'static str {
    match values {
        Values::Mask(_) => "mask",
        Values::MaskOne(_) => "mask_one",
        Values::Categorical(_) => "categorical",
        Values::Scalar(_) => "scalar",
        Values::Pointer(_) => "pointer",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(predicted: Values, expected: Values) -> String {
        Compared::new(&predicted, &expected).unwrap_err().to_string()
    }

    #[test]
    fn what_cannot_be_compared_is_refused() {
        let mask = |n| Values::Mask(vec![true; n]);
        assert_eq!(refusal(mask(3), mask(2)), "the prediction has 3 values, expected 2");
        assert_eq!(refusal(mask(0), mask(0)), "the output has no values, expected at least 1");
        assert_eq!(
            refusal(Values::MaskOne(0), mask(1)),
            "the prediction is of kind mask_one, expected mask"
        );
    }
}
