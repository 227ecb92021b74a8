//! How good one answer is, whoever gave it.

use salsa_traces::convention::Convention;
use salsa_traces::sample::Sample;
use salsa_traces::trajectory::Values;

use crate::compared::{Compared, Mismatch};
use crate::metrics::{Measured, measure};
use crate::validity::{Instance, Violation, check};

/// What the metrics say of an answer, and whether it is a correct one.
#[derive(Debug)]
pub struct Verdict {
    /// What the metrics say of all outputs.
    pub measured: Vec<Measured>,
    /// Whether it is a correct answer, recorded or not; `None` where only the recorded one is.
    pub validity: Option<Result<(), Violation>>,
}

/// Judges `predicted`, one entry for each output, as an answer to the question of a sample.
///
/// ```
/// use salsa_learn::evaluation::verdict;
/// use salsa_traces::{algorithms, convention::Convention, sample::sample, suite::Suite};
/// let suite = Suite::named("paper")?;
/// let given = sample(&suite, 0, algorithms::find("bfs")?, "er_16", 0)?;
/// let verdict = verdict(&given, Convention::Paper, &given.trajectory.outputs)?;
/// assert!(verdict.measured.iter().all(|measured| measured.value == 1.0));
/// assert_eq!(verdict.validity, Some(Ok(())));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn verdict(
    sample: &Sample,
    convention: Convention,
    predicted: &[Values],
) -> Result<Verdict, Mismatch> {
    let mut measured = Vec::new();
    for (predicted, expected) in predicted.iter().zip(&sample.trajectory.outputs) {
        measured.extend(measure(&Compared::new(predicted, expected)?));
    }
    let instance = Instance::of(sample, convention);
    let validity = check(&sample.trajectory.spec, &instance, predicted);
    Ok(Verdict { measured, validity })
}
