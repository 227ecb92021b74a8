//! What a network makes of a sample, as the player reads it.

use salsa_learn::evaluation::{verdict, watch};
use salsa_learn::network::Network;
use salsa_records::Record;
use salsa_report::page::{Answer, Judgement, Rounded, Track};
use salsa_traces::convention::Convention;
use salsa_traces::sample::Sample;
use salsa_traces::spec::Field;
use salsa_traces::trajectory::Values;

use super::episode::track;

/// The answer of a record's network; of a sample that is not small, the last moment alone.
/// `None` where the network cannot read it.
pub fn answer(
    record: &Record,
    network: &mut Network,
    sample: &Sample,
    convention: Convention,
    is_small: bool,
) -> Option<Answer> {
    let watched = watch(network, sample).ok()?;
    let last = watched.outputs.last()?;
    let verdict = verdict(sample, convention, last).ok()?;
    let spec = &sample.trajectory.spec;
    let has_hints = is_small && watched.hints.iter().all(|step| !step.is_empty());
    let outputs = if is_small { watched.outputs.as_slice() } else { std::slice::from_ref(last) };
    let hints = if has_hints { watched.hints.as_slice() } else { &[] };
    Some(Answer {
        model: record.model.clone(),
        hints: record.hints,
        seed: record.seed,
        outputs: tracks(spec.outputs(), outputs),
        hint_tracks: if has_hints { tracks(spec.hints(), hints) } else { Vec::new() },
        judgement: Judgement {
            measured: verdict
                .measured
                .iter()
                .map(|measured| (measured.metric.name.to_owned(), Rounded(measured.value)))
                .collect(),
            valid: verdict.validity.as_ref().map(Result::is_ok),
            violation: match verdict.validity {
                Some(Err(violation)) => Some(violation.to_string()),
                _ => None,
            },
        },
    })
}

fn tracks<'a>(fields: impl Iterator<Item = &'a Field>, moments: &[Vec<Values>]) -> Vec<Track> {
    let of_place = |(place, field): (usize, &'a Field)| {
        let values: Vec<Values> = moments.iter().map(|moment| moment[place].clone()).collect();
        track(field, &values)
    };
    fields.enumerate().map(of_place).collect()
}
