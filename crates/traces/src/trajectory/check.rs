//! Checks a trajectory that did not come from a [`super::Recorder`], such as one from a file.

use thiserror::Error;

use super::changes::{Change, Hints, Track};
use super::{Trajectory, Values};
use crate::graph::Graph;
use crate::spec::{Field, Kind, Spec};

/// A trajectory that does not fit its spec or its graph.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{name}: {problem}")]
pub struct TrajectoryError {
    name: String,
    problem: String,
}

impl TrajectoryError {
    pub(crate) fn new(name: &str, problem: impl Into<String>) -> Self {
        Self { name: name.to_owned(), problem: problem.into() }
    }

    /// A feature has no values, or others than the spec says.
    pub(crate) fn unfit(name: &str) -> Self {
        Self::new(name, "the values do not fit")
    }
}

/// Whether there is a step.
pub(crate) fn check_length(length: u32) -> Result<(), TrajectoryError> {
    match length {
        0 => Err(TrajectoryError::new("length", "expected at least 1 step, found 0")),
        _ => Ok(()),
    }
}

impl Trajectory {
    /// Whether everything is there, of the right kind and number, within the graph and the steps.
    pub fn check(&self, graph: &Graph) -> Result<(), TrajectoryError> {
        check_length(self.length)?;
        count("outputs", self.spec.outputs().count(), self.outputs.len())?;
        for (field, values) in self.spec.outputs().zip(&self.outputs) {
            if !fit(field, values, graph) {
                return Err(TrajectoryError::unfit(&field.name));
            }
        }
        match &self.hints {
            Some(hints) => check_hints(hints, &self.spec, self.length, graph),
            None => Ok(()),
        }
    }
}

fn count(name: &str, expected: usize, found: usize) -> Result<(), TrajectoryError> {
    match expected == found {
        true => Ok(()),
        false => Err(TrajectoryError::new(name, format!("expected {expected}, found {found}"))),
    }
}

fn fit(field: &Field, values: &Values, graph: &Graph) -> bool {
    let is_edge = |(node, target): (u32, &u32)| is_pointer(graph, node, (*target).into());
    values.fits(field.kind)
        && values.count().is_none_or(|count| count == graph.n_values(field.location))
        && match values {
            Values::MaskOne(node) => (*node as usize) < graph.n_nodes(),
            Values::Pointer(targets) => (0..).zip(targets).all(is_edge),
            _ => true,
        }
}

fn check_hints(
    hints: &Hints,
    spec: &Spec,
    length: u32,
    graph: &Graph,
) -> Result<(), TrajectoryError> {
    count("steps", length as usize, hints.n_steps())?;
    let expected = Track::all(spec, graph);
    count("hints", expected.len(), hints.tracks.len())?;
    for (field, (expected, track)) in spec.hints().zip(expected.iter().zip(&hints.tracks)) {
        let may_start_set = track.kind == Kind::Mask || !track.starts_set;
        if (expected.kind, expected.len) != (track.kind, track.len) || !may_start_set {
            return Err(TrajectoryError::new(&field.name, "it is not the hint of the spec"));
        }
    }
    let fits = |change: &&Change| {
        let Some(track) = hints.tracks.get(change.hint as usize) else { return false };
        change.index < track.len
            && match track.kind {
                Kind::Scalar => true,
                Kind::Mask => change.value < 2,
                Kind::MaskOne => change.value < graph.n_nodes() as u64,
                Kind::Categorical { classes } => change.value < classes.into(),
                Kind::Pointer => is_pointer(graph, change.index, change.value),
            }
    };
    if let Some(field) = hints.unmarked(spec) {
        return Err(TrajectoryError::new(&field.name, "no node is marked at the first step"));
    }
    match hints.changes.iter().find(|change| !fits(change)) {
        None => Ok(()),
        Some(change) => {
            let field = spec.hints().nth(change.hint as usize);
            let name = field.map_or("hints", |field| &field.name);
            Err(TrajectoryError::new(name, "the changes do not fit"))
        }
    }
}

fn is_pointer(graph: &Graph, node: u32, target: u64) -> bool {
    u64::from(node) == target
        || u32::try_from(target).is_ok_and(|target| graph.has_edge(node, target))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms;
    use crate::convention::Convention;
    use crate::execution::{Inputs, Options, execute};

    #[test]
    fn a_mark_has_a_node_from_the_first_step_on() {
        let graph = Graph::from_edges(2, &[(0, 1)]).unwrap();
        let dfs = algorithms::find("dfs").unwrap();
        let options = Options { hints: true, convention: Convention::Paper };
        let (_, mut trajectory) = execute(dfs, &graph, Inputs::default(), options).unwrap();
        trajectory.check(&graph).unwrap();
        let hints = trajectory.hints.as_mut().unwrap();
        let marks = hints.tracks.iter().position(|track| track.kind == Kind::MaskOne).unwrap();
        let first = hints.changes.iter_mut().find(|change| change.hint as usize == marks).unwrap();
        // Another hint's change in its place.
        *first = Change { hint: 0, ..*first };
        let error = trajectory.check(&graph).unwrap_err().to_string();
        assert!(error.ends_with("no node is marked at the first step"), "{error}");
    }
}
