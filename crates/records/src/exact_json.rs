//! Floats in JSON that come back as they were.
//!
//! JSON has no infinities, and the general serialiser writes them as `null`, which reads as
//! nothing. A training that diverges must still be logged and resumed as it was, so such values
//! are written as the texts `"inf"`, `"-inf"` and `"nan"`. Finite ones are plain numbers in the
//! shortest form that reads back as the same bits (`float_roundtrip` of `serde_json`).
//!
//! For fields: `#[serde(with = "exact_json")]`, and [`option`] and [`map`] likewise.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Writes a float.
pub fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if value.is_finite() {
        serializer.serialize_f64(*value)
    } else if value.is_nan() {
        serializer.serialize_str("nan")
    } else {
        serializer.serialize_str(if *value > 0.0 { "inf" } else { "-inf" })
    }
}

/// Reads a float.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected a number, \"inf\", \"-inf\" or \"nan\"")]
    enum Float {
        Finite(f64),
        Text(String),
    }
    match Float::deserialize(deserializer)? {
        Float::Finite(value) => Ok(value),
        Float::Text(text) => match text.as_str() {
            "inf" => Ok(f64::INFINITY),
            "-inf" => Ok(f64::NEG_INFINITY),
            "nan" => Ok(f64::NAN),
            _ => Err(D::Error::custom(format!(
                "expected a number, \"inf\", \"-inf\" or \"nan\", found {text:?}"
            ))),
        },
    }
}

/// A float inside another value.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
struct Exact(#[serde(with = "self")] f64);

/// Floats that may be absent.
pub mod option {
    use super::*;

    /// Writes a float or `null`.
    pub fn serialize<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
        value.map(Exact).serialize(serializer)
    }

    /// Reads a float or `null`.
    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<f64>, D::Error> {
        let value = Option::<Exact>::deserialize(deserializer)?;
        Ok(value.map(|Exact(value)| value))
    }
}

/// Floats by name.
pub mod map {
    use std::collections::BTreeMap;

    use super::*;

    /// Writes floats by name, in the order of the names.
    pub fn serialize<S: Serializer>(
        values: &BTreeMap<String, f64>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_map(values.iter().map(|(name, value)| (name, Exact(*value))))
    }

    /// Reads floats by name.
    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<BTreeMap<String, f64>, D::Error> {
        let values = BTreeMap::<String, Exact>::deserialize(deserializer)?;
        Ok(values.into_iter().map(|(name, Exact(value))| (name, value)).collect())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Serialize, Deserialize)]
    struct Holder {
        #[serde(with = "super")]
        one: f64,
        #[serde(with = "option")]
        maybe: Option<f64>,
    }

    fn round_trip(one: f64, maybe: Option<f64>) -> (f64, Option<f64>) {
        let text = serde_json::to_string(&Holder { one, maybe }).unwrap();
        let back: Holder = serde_json::from_str(&text).unwrap();
        (back.one, back.maybe)
    }

    fn same(a: f64, b: f64) -> bool {
        a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
    }

    #[test]
    fn what_json_lacks_is_written_as_text() {
        let text = serde_json::to_string(&Holder { one: f64::INFINITY, maybe: None }).unwrap();
        assert_eq!(text, r#"{"one":"inf","maybe":null}"#);
        assert_eq!(round_trip(f64::NEG_INFINITY, None), (f64::NEG_INFINITY, None));
        assert!(round_trip(f64::NAN, None).0.is_nan());
    }

    #[test]
    fn another_text_is_refused() {
        let told = serde_json::from_str::<Holder>(r#"{"one":"fast","maybe":null}"#).err().unwrap();
        assert!(told.to_string().contains("\"-inf\" or \"nan\", found \"fast\""), "{told}");
    }

    proptest! {
        #[test]
        fn every_float_comes_back(bits in any::<u64>(), other in any::<Option<u64>>()) {
            let (one, maybe) = (f64::from_bits(bits), other.map(f64::from_bits));
            let (back, back_maybe) = round_trip(one, maybe);
            prop_assert!(same(one, back));
            prop_assert_eq!(maybe.is_some(), back_maybe.is_some());
            prop_assert!(same(maybe.unwrap_or(0.0), back_maybe.unwrap_or(0.0)));
        }
    }
}
