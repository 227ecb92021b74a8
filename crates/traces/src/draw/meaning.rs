//! What the masks of an execution look like: known hints by name, all others by default.
//!
//! The names are those of the algorithms here and in CLRS-30; a hint of a new algorithm that is
//! not listed is filled where it is set, and red if it is the output in the making.

use crate::spec::{Field, Kind, Location, Spec};

/// How the nodes of a mask are shown during an execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// Dealt with: a light fill.
    Reached,
    /// Waiting: a ring with a pale fill.
    Waiting,
    /// Done for good: a dark fill.
    Done,
    /// Part of the output: red.
    Solution,
    /// Nodes *outside* the mask are faded.
    Alive,
}

static KNOWN: &[(&str, Look)] = &[
    ("reach_h", Look::Reached),
    ("mark", Look::Reached),
    ("visited_h", Look::Reached),
    ("removed", Look::Reached),
    ("in_queue", Look::Waiting),
    ("msgphase_h", Look::Waiting),
    ("leaf_h", Look::Done),
    ("inmis_h", Look::Solution),
    ("alive_h", Look::Alive),
];

/// The look of the node mask `hint`.
pub(super) fn look(spec: &Spec, hint: &Field) -> Look {
    let known = KNOWN.iter().find(|(name, _)| *name == hint.name);
    let is_output = || {
        spec.outputs().any(|output| output.name == hint.base_name() && output.kind == Kind::Mask)
    };
    match known {
        Some(&(_, look)) => look,
        None if is_output() => Look::Solution,
        None => Look::Reached,
    }
}

/// The pointer hint drawn as arrows: the one that becomes an output, or the first.
pub(super) fn arrows(spec: &Spec) -> Option<&Field> {
    let is_pointer = |field: &&Field| field.kind == Kind::Pointer && on_nodes(field);
    let in_the_making = spec.outputs().filter_map(|output| spec.hint_of(output)).find(is_pointer);
    in_the_making.or_else(|| spec.hints().find(is_pointer))
}

/// The hint that marks the node being looked at: `u`, or the first that is not the source.
pub(super) fn current(spec: &Spec) -> Option<&Field> {
    let marks = |field: &&Field| field.kind == Kind::MaskOne && field.name != "s";
    let named_u = spec.hints().filter(marks).find(|field| field.name == "u");
    named_u.or_else(|| spec.hints().find(marks))
}

/// The hint drawn as shades of the nodes.
pub(super) fn shades(spec: &Spec) -> Option<(&Field, u8)> {
    spec.hints().filter(|field| on_nodes(field)).find_map(|field| match field.kind {
        Kind::Categorical { classes } => Some((field, classes)),
        _ => None,
    })
}

/// The hints written beside the nodes, two at most.
pub(super) fn notes(spec: &Spec) -> impl Iterator<Item = &Field> {
    spec.hints().filter(|field| on_nodes(field) && field.kind == Kind::Scalar).take(2)
}

fn on_nodes(field: &Field) -> bool {
    field.location == Location::Node
}
