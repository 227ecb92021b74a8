//! Which columns the files of a data set have: a function of the algorithm's spec and of a few
//! features that the header names.

use serde::{Deserialize, Serialize};

use super::cells::{Cell, Width};
use super::column::Shape;
use crate::sample::Sample;
use crate::spec::{Field, Kind, Location, Spec};

/// What a data set holds beyond what its algorithm decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Features {
    /// Bits of a node's number: 8, 16 or 32.
    pub node_bits: u8,
    /// Whether edges have weights.
    pub weights: bool,
    /// Whether nodes have places in the plane, for drawing.
    pub positions: bool,
    /// Whether hints are stored.
    pub hints: bool,
}

/// What stands in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Number of steps.
    Length,
    /// For each node the number of its neighbours above it.
    RowLengths,
    /// Those neighbours, ascending, row after row.
    Neighbours,
    /// One for each of them.
    Weights,
    /// Two for each node.
    Positions,
    /// The source.
    Source,
    /// One for each node, phase after phase.
    Randomness,
    /// The output at this place among those of the spec.
    Output(usize),
    /// The hint at this place among those of the spec.
    Hint(usize),
}

/// A column and what stands in it.
#[derive(Debug)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) role: Role,
    pub(super) shape: Shape,
}

impl Features {
    /// Those of a data set with this sample in it and no graph of more nodes.
    pub fn of(sample: &Sample, largest: u64) -> Self {
        Self {
            node_bits: Width::of_nodes(largest).bits(),
            weights: sample.graph.is_weighted(),
            positions: sample.graph.positions().is_some(),
            hints: sample.trajectory.hints.is_some(),
        }
    }

    pub(super) fn node_width(&self) -> Option<Width> {
        Width::of_bits(self.node_bits)
    }
}

/// The columns of an algorithm, in their order.
pub(super) fn columns(spec: &Spec, nodes: Width, features: Features) -> Vec<Column> {
    let column = |name: &str, role, shape| Column { name: name.to_owned(), role, shape };
    let node = Cell::Whole(nodes);
    let mut columns = vec![
        column("length", Role::Length, Shape::One(Cell::Whole(Width::Bits32))),
        column("row_lengths", Role::RowLengths, Shape::List(node)),
        column("neighbours", Role::Neighbours, Shape::List(node)),
    ];
    let inputs = [
        (features.weights, "weights", Role::Weights, Shape::List(Cell::Real)),
        (features.positions, "positions", Role::Positions, Shape::List(Cell::Real)),
        (spec.needs_source(), "source", Role::Source, Shape::One(node)),
        (spec.needs_randomness(), "randomness", Role::Randomness, Shape::List(Cell::Real)),
    ];
    let held = inputs.into_iter().filter(|(is_held, ..)| *is_held);
    columns.extend(held.map(|(_, name, role, shape)| column(name, role, shape)));
    for (place, field) in spec.outputs().enumerate() {
        let cell = cell(field, nodes);
        let is_one = field.kind == Kind::MaskOne;
        let shape = if is_one { Shape::One(cell) } else { Shape::List(cell) };
        columns.push(column(&format!("output_{}", field.name), Role::Output(place), shape));
    }
    let hints = spec.hints().enumerate().filter(|_| features.hints);
    columns.extend(hints.map(|(place, field)| {
        let index = match field.location {
            _ if field.kind == Kind::MaskOne => None,
            Location::Graph => None,
            Location::Node => Some(nodes),
            Location::Edge => Some(nodes.of_entries()),
        };
        let shape = Shape::Changes { index, value: cell(field, nodes) };
        column(&format!("hint_{}", field.name), Role::Hint(place), shape)
    }));
    columns
}

/// What a value of a feature is.
fn cell(field: &Field, nodes: Width) -> Cell {
    match field.kind {
        Kind::Scalar => Cell::Real,
        Kind::Mask => Cell::Bit,
        Kind::Categorical { .. } => Cell::Whole(Width::Bits8),
        Kind::MaskOne | Kind::Pointer => Cell::Whole(nodes),
    }
}
