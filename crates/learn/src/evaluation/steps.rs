//! How many steps a network takes on a graph.
//!
//! The benchmark gives a network the length of the recorded execution, which nobody has for a
//! graph whose answer is not known. `auto` needs no such knowledge: it goes on until the answer
//! stands still.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// When a network stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Steps {
    /// After as many steps as the execution has, as the benchmark does.
    #[default]
    Recorded,
    /// After this many, at least 1.
    Fixed(usize),
    /// When the answer has not changed for two steps, at the latest after four steps a node.
    Auto,
}

/// A text that says nothing about steps.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("expected recorded, auto or a number from 1 on, found {0:?}")]
pub struct UnknownSteps(String);

impl FromStr for Steps {
    type Err = UnknownSteps;

    /// ```
    /// use salsa_learn::evaluation::Steps;
    /// assert_eq!("12".parse(), Ok(Steps::Fixed(12)));
    /// assert!("0".parse::<Steps>().is_err());
    /// ```
    fn from_str(text: &str) -> Result<Self, UnknownSteps> {
        match (text, text.parse()) {
            ("recorded", _) => Ok(Self::Recorded),
            ("auto", _) => Ok(Self::Auto),
            (_, Ok(steps @ 1..)) => Ok(Self::Fixed(steps)),
            _ => Err(UnknownSteps(text.to_owned())),
        }
    }
}

impl fmt::Display for Steps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Recorded => f.write_str("recorded"),
            Self::Fixed(steps) => write!(f, "{steps}"),
            Self::Auto => f.write_str("auto"),
        }
    }
}

impl From<Steps> for String {
    fn from(steps: Steps) -> Self {
        steps.to_string()
    }
}

impl TryFrom<String> for Steps {
    type Error = UnknownSteps;

    fn try_from(text: String) -> Result<Self, UnknownSteps> {
        text.parse()
    }
}
