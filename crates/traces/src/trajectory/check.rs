//! Checks a trajectory that did not come from a [`super::Recorder`], such as one from a file.

use thiserror::Error;

use super::hint::{Hint, History};
use super::log::Log;
use super::{Trajectory, Values};
use crate::graph::Graph;
use crate::spec::{Field, Kind, Location};

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
}

impl Trajectory {
    /// Whether everything is there, of the right kind and number, within the graph and the steps.
    pub fn check(&self, graph: &Graph) -> Result<(), TrajectoryError> {
        if self.length == 0 {
            return Err(TrajectoryError::new("length", "expected at least 1 step, found 0"));
        }
        let count = |name: &str, expected: usize, found: usize| match expected == found {
            true => Ok(()),
            false => Err(TrajectoryError::new(name, format!("expected {expected}, found {found}"))),
        };
        count("outputs", self.spec.outputs().count(), self.outputs.len())?;
        for (field, values) in self.spec.outputs().zip(&self.outputs) {
            check_values(field, values, graph)?;
        }
        if let Some(hints) = &self.hints {
            count("hints", self.spec.hints().count(), hints.len())?;
            for (field, hint) in self.spec.hints().zip(hints) {
                count(&field.name, self.length as usize, hint.n_steps())?;
                check_hint(field, hint, graph)?;
            }
        }
        Ok(())
    }
}

fn len_of(field: &Field, graph: &Graph) -> usize {
    match field.location {
        Location::Node => graph.n_nodes(),
        Location::Edge => graph.n_entries(),
        Location::Graph => 1,
    }
}

fn check_values(field: &Field, values: &Values, graph: &Graph) -> Result<(), TrajectoryError> {
    let fits = values.fits(field.kind)
        && values.count().is_none_or(|count| count == len_of(field, graph))
        && match values {
            Values::MaskOne(node) => (*node as usize) < graph.n_nodes(),
            Values::Pointer(targets) => {
                (0..).zip(targets).all(|(node, &target)| is_pointer(graph, node, target))
            }
            _ => true,
        };
    if fits { Ok(()) } else { Err(TrajectoryError::new(&field.name, "the values do not fit")) }
}

fn check_hint(field: &Field, hint: &Hint, graph: &Graph) -> Result<(), TrajectoryError> {
    let len = if field.kind == Kind::MaskOne { 1 } else { len_of(field, graph) };
    let fits = hint.len as usize == len
        && match (&hint.history, field.kind) {
            (History::Mask(log), Kind::Mask) => in_order(log, hint.n_steps, len),
            (History::Scalar(log), Kind::Scalar) => in_order(log, hint.n_steps, len),
            (History::Categorical(log), Kind::Categorical { classes }) => {
                in_order(log, hint.n_steps, len)
                    && log.initial < classes
                    && log.changes.iter().all(|change| change.value < classes)
            }
            (History::MaskOne(log), Kind::MaskOne) => {
                let is_node = |node: u32| (node as usize) < graph.n_nodes();
                in_order(log, hint.n_steps, len)
                    && is_node(log.initial)
                    && log.changes.iter().all(|change| is_node(change.value))
            }
            (History::Pointer(log), Kind::Pointer) => {
                let is_edge = |node: u32, target: u32| is_pointer(graph, node, target);
                in_order(log, hint.n_steps, len)
                    && log.changes.iter().all(|change| is_edge(change.index, change.value))
            }
            _ => false,
        };
    if fits { Ok(()) } else { Err(TrajectoryError::new(&field.name, "the changes do not fit")) }
}

/// Whether the changes are sorted by step, and every step and index exists.
fn in_order<V>(log: &Log<V>, n_steps: u32, len: usize) -> bool {
    log.changes.is_sorted_by_key(|change| change.step)
        && log.changes.iter().all(|c| c.step < n_steps && (c.index as usize) < len)
}

fn is_pointer(graph: &Graph, node: u32, target: u32) -> bool {
    node == target || graph.has_edge(node, target)
}
