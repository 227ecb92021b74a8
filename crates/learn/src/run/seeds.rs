//! Seeds as a person writes them: `42..46`, `42,44`, or both.

use std::str::FromStr;

/// Different seeds, in the order given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seeds(Vec<u64>);

/// More would hardly be meant.
const MOST: usize = 64;

impl Seeds {
    /// One after the other.
    pub fn iter(&self) -> impl Iterator<Item = u64> + '_ {
        self.0.iter().copied()
    }
}

impl FromStr for Seeds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut seeds = Vec::new();
        for part in text.split(',') {
            let (first, last) = part.split_once("..").unwrap_or((part, part));
            let (Ok(first), Ok(last)) = (first.parse::<u64>(), last.parse::<u64>()) else {
                return Err(format!("expected seeds such as 42..46 or 42,44, found {part:?}"));
            };
            if first > last {
                return Err(format!("expected a range from low to high, found {part:?}"));
            }
            // A range may be longer than memory.
            seeds.extend((first..=last).take(MOST + 1));
        }
        if seeds.len() > MOST {
            return Err(format!("expected at most {MOST} seeds"));
        }
        match (1..seeds.len()).find(|&place| seeds[..place].contains(&seeds[place])) {
            Some(place) => Err(format!("seed {} is there twice", seeds[place])),
            None => Ok(Self(seeds)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_have_both_ends_and_lists_their_order() {
        for (text, expected) in [
            ("42..46", vec![42, 43, 44, 45, 46]),
            ("7..7", vec![7]),
            ("9", vec![9]),
            ("44,42", vec![44, 42]),
            ("1..2,18446744073709551615", vec![1, 2, u64::MAX]),
        ] {
            assert_eq!(text.parse(), Ok(Seeds(expected)));
        }
    }

    #[test]
    fn what_are_no_seeds_is_told() {
        for (text, expected) in [
            ("", "expected seeds such as 42..46 or 42,44, found \"\""),
            ("1,x", "expected seeds such as 42..46 or 42,44, found \"x\""),
            ("1..", "expected seeds such as 42..46 or 42,44, found \"1..\""),
            ("-1..3", "expected seeds such as 42..46 or 42,44, found \"-1..3\""),
            ("46..42", "expected a range from low to high, found \"46..42\""),
            ("1..3,2", "seed 2 is there twice"),
            ("0..18446744073709551615", "expected at most 64 seeds"),
        ] {
            assert_eq!(text.parse::<Seeds>(), Err(expected.to_owned()));
        }
    }
}
