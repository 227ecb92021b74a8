//! Parameters of graph generators: a constant, a choice or a range, drawn anew for each graph.
//!
//! Suites (TOML) and the command line both end here, so every generator reads its parameters in
//! one way and every mistake is told in the same words.

use std::collections::BTreeMap;
use std::fmt;

use rand_chacha::ChaCha8Rng;
use thiserror::Error;

use crate::nearest::did_you_mean;
use crate::random;

/// How a parameter gets its value for one graph.
#[derive(Debug, Clone, PartialEq)]
pub enum Draw<T> {
    /// Always the same.
    Constant(T),
    /// Uniform over a list.
    OneOf(Vec<T>),
    /// Uniform over an interval: open for real numbers, both ends included for whole ones.
    Range {
        /// Lower end.
        min: T,
        /// Upper end.
        max: T,
    },
}

/// A parameter that cannot be used.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{parameter}: {problem}")]
pub struct ParameterError {
    /// The parameter's name.
    pub parameter: String,
    /// What is wrong with it and what would be right.
    pub problem: String,
}

impl ParameterError {
    /// `problem` of `parameter`.
    pub fn new(parameter: &str, problem: impl fmt::Display) -> Self {
        Self { parameter: parameter.to_owned(), problem: problem.to_string() }
    }
}

impl Draw<f64> {
    /// One value.
    pub fn draw(&self, rng: &mut ChaCha8Rng) -> f64 {
        match self {
            Self::Constant(value) => *value,
            Self::OneOf(values) => values[random::below(rng, values.len() as u32) as usize],
            Self::Range { min, max } => random::between(rng, *min, *max),
        }
    }

    /// The value as a suite file says it.
    pub fn toml(&self) -> String {
        match self {
            Self::Constant(value) => format!("{value:?}"),
            Self::OneOf(values) => format!("{values:?}"),
            Self::Range { min, max } => format!("{{ min = {min:?}, max = {max:?} }}"),
        }
    }
}

impl Draw<u32> {
    /// One value.
    pub fn draw(&self, rng: &mut ChaCha8Rng) -> u32 {
        match self {
            Self::Constant(value) => *value,
            Self::OneOf(values) => values[random::below(rng, values.len() as u32) as usize],
            Self::Range { min, max } => min + random::below(rng, max - min + 1),
        }
    }
}

impl<T: Copy + PartialOrd> Draw<T> {
    /// The smallest value it can give.
    pub fn min(&self) -> T {
        self.values().reduce(|a, b| if b < a { b } else { a }).expect("a draw has a value")
    }

    /// The largest value it can give.
    pub fn max(&self) -> T {
        self.values().reduce(|a, b| if b > a { b } else { a }).expect("a draw has a value")
    }

    /// The constant, every choice, or both ends.
    fn values(&self) -> impl Iterator<Item = T> {
        match self {
            Self::Constant(value) => vec![*value],
            Self::OneOf(values) => values.clone(),
            Self::Range { min, max } => vec![*min, *max],
        }
        .into_iter()
    }
}

impl<T: fmt::Display> fmt::Display for Draw<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constant(value) => write!(f, "{value}"),
            Self::OneOf(values) => {
                let listed: Vec<String> = values.iter().map(T::to_string).collect();
                f.write_str(&listed.join(","))
            }
            Self::Range { min, max } => write!(f, "{min}..{max}"),
        }
    }
}

/// The parameters given for one generator, taken out one by one.
///
/// ```
/// use salsa_traces::parameters::{Draw, Parameters};
/// let mut given = Parameters::parse(["k=4,6,8", "p=0.05..0.2"])?;
/// assert_eq!(given.whole("k")?, Some(Draw::OneOf(vec![4, 6, 8])));
/// assert_eq!(given.real("p", 0.0..=1.0)?, Some(Draw::Range { min: 0.05, max: 0.2 }));
/// assert!(given.finish(["k", "p"]).is_ok());
/// # Ok::<(), salsa_traces::parameters::ParameterError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Parameters {
    given: BTreeMap<String, Draw<f64>>,
}

impl Parameters {
    /// Reads `name=value` texts: a number, a list `4,6,8` or a range `0.05..0.2`.
    pub fn parse<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<Self, ParameterError> {
        let mut parameters = Self::default();
        for text in texts {
            let (name, value) = text.split_once('=').ok_or_else(|| {
                ParameterError::new(text, "expected name=value, for example k=4,6,8 or p=0.1..0.3")
            })?;
            parameters.insert(name.trim(), parse_draw(name.trim(), value.trim())?)?;
        }
        Ok(parameters)
    }

    /// Adds one parameter, which must be new, finite and not empty.
    pub fn insert(&mut self, name: &str, draw: Draw<f64>) -> Result<(), ParameterError> {
        let values: Vec<f64> = draw.values().collect();
        if values.is_empty() {
            return Err(ParameterError::new(name, "the list of values is empty"));
        }
        if let Some(value) = values.iter().find(|value| !value.is_finite()) {
            return Err(ParameterError::new(name, format!("{value} is not a finite number")));
        }
        if let Draw::Range { min, max } = draw
            && min > max
        {
            return Err(ParameterError::new(name, format!("the range {min}..{max} is empty")));
        }
        match self.given.insert(name.to_owned(), draw) {
            Some(_) => Err(ParameterError::new(name, "given more than once")),
            None => Ok(()),
        }
    }

    /// The parameters that have not been taken, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Draw<f64>)> {
        self.given.iter().map(|(name, draw)| (name.as_str(), draw))
    }

    /// Takes the real parameter `name`, whose values must lie in `allowed`.
    pub fn real(
        &mut self,
        name: &str,
        allowed: std::ops::RangeInclusive<f64>,
    ) -> Result<Option<Draw<f64>>, ParameterError> {
        let Some(draw) = self.given.remove(name) else { return Ok(None) };
        if let Some(value) = draw.values().find(|value| !allowed.contains(value)) {
            let expected = match (*allowed.start(), *allowed.end()) {
                (low, f64::INFINITY) => format!("at least {low}"),
                (low, high) => format!("from {low} to {high}"),
            };
            return Err(ParameterError::new(name, format!("expected {expected}, found {value}")));
        }
        Ok(Some(draw))
    }

    /// Takes the whole-number parameter `name`.
    pub fn whole(&mut self, name: &str) -> Result<Option<Draw<u32>>, ParameterError> {
        let Some(draw) = self.given.remove(name) else { return Ok(None) };
        let whole = |value: f64| {
            if value.fract() == 0.0 && (0.0..=f64::from(u32::MAX - 1)).contains(&value) {
                Ok(value as u32)
            } else {
                let problem = format!("expected a whole number, found {value}");
                Err(ParameterError::new(name, problem))
            }
        };
        Ok(Some(match draw {
            Draw::Constant(value) => Draw::Constant(whole(value)?),
            Draw::OneOf(values) => {
                Draw::OneOf(values.into_iter().map(whole).collect::<Result<_, _>>()?)
            }
            Draw::Range { min, max } => Draw::Range { min: whole(min)?, max: whole(max)? },
        }))
    }

    /// Ends the reading: whatever is left is unknown.
    pub fn finish<'a>(
        self,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), ParameterError> {
        let Some(name) = self.given.into_keys().next() else { return Ok(()) };
        let known: Vec<&str> = known.into_iter().collect();
        let expected = match known.as_slice() {
            [] => "there are none".to_owned(),
            known => format!("there is {}", known.join(", ")),
        };
        let suggestion = did_you_mean(&name, known);
        Err(ParameterError::new(&name, format!("unknown parameter, {expected}{suggestion}")))
    }
}

fn parse_draw(name: &str, text: &str) -> Result<Draw<f64>, ParameterError> {
    let number = |text: &str| {
        text.trim().parse::<f64>().map_err(|_| {
            ParameterError::new(name, format!("expected a number, found {:?}", text.trim()))
        })
    };
    if let Some((min, max)) = text.split_once("..") {
        return Ok(Draw::Range { min: number(min)?, max: number(max)? });
    }
    if text.contains(',') {
        return Ok(Draw::OneOf(text.split(',').map(number).collect::<Result<_, _>>()?));
    }
    Ok(Draw::Constant(number(text)?))
}
