//! Numbers with as many digits as a picture shows.

use serde::{Serialize, Serializer};

/// A number that is written with a few significant digits, or as `null` where it is none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rounded(pub f64);

/// What a line of a plot can show.
const DIGITS: usize = 4;

impl Serialize for Rounded {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !self.0.is_finite() {
            return serializer.serialize_none();
        }
        let rounded: f64 = format!("{:.*e}", DIGITS - 1, self.0).parse().unwrap_or(self.0);
        // Whole numbers need no point.
        match rounded.fract() == 0.0 && rounded.abs() < 1e15 {
            true => serializer.serialize_i64(rounded as i64),
            false => serializer.serialize_f64(rounded),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_digits_are_kept() {
        let text = |value| serde_json::to_string(&Rounded(value)).unwrap();
        assert_eq!(text(0.123456), "0.1235");
        assert_eq!(text(1234567.0), "1235000");
        assert_eq!(text(0.99996), "1");
        assert_eq!(text(1.5e-9), "1.5e-9");
        assert_eq!((text(f64::NAN), text(f64::INFINITY)), ("null".into(), "null".into()));
    }
}
