//! The largest distance from the source, after rounding.
//!
//! There is one correct answer, but a model gives a real number; it is taken for the whole number
//! it rounds to, as graph accuracy does. Only nodes that the source reaches count.

use super::{Instance, Judge, Rule, Violation};
use crate::metrics::is_rounded_to;
use crate::validity::distances::hops;

pub(super) static RULE: Rule = Rule {
    algorithm: "eccentricity",
    summary: "a number that rounds to the largest distance from the source",
    judge: Judge::Scalars(judge),
};

fn judge(instance: &Instance<'_>, numbers: &[f64]) -> Result<(), Violation> {
    let hops = hops(instance.graph, instance.source()?);
    let expected = hops.into_iter().flatten().max().unwrap_or(0);
    match numbers.iter().find(|&&number| !is_rounded_to(number, expected.into())) {
        Some(&found) => Err(Violation::WrongEccentricity { expected, found }),
        None => Ok(()),
    }
}
