//! What an algorithm reads and records: its features, each with a stage, a location and a kind.
//!
//! Specs are data, as in CLRS: batches, decoders, losses, files and pictures are all derived from
//! them, so a new algorithm needs no change anywhere else.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

/// When a feature is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Before the execution.
    Input,
    /// At every step of it.
    Hint,
    /// After it.
    Output,
}

/// What a feature has a value for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Location {
    /// Every node.
    Node,
    /// Every directed edge of the message-passing graph, self-loops included.
    Edge,
    /// The graph as a whole.
    Graph,
}

/// What its values are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Kind {
    /// Real numbers.
    Scalar,
    /// Yes or no.
    Mask,
    /// Exactly one node of the graph.
    MaskOne,
    /// One of `classes` classes.
    Categorical {
        /// Number of classes.
        classes: u8,
    },
    /// A neighbour, or the node itself for "none".
    Pointer,
}

/// One feature of an algorithm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Its name, unique within its stage.
    pub name: Cow<'static, str>,
    /// When it is known.
    pub stage: Stage,
    /// What it has a value for.
    pub location: Location,
    /// What its values are.
    pub kind: Kind,
}

/// The features of an algorithm, under the algorithm's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spec {
    /// The algorithm's name.
    pub algorithm: Cow<'static, str>,
    /// Its features, in the order in which files and tables show them.
    pub fields: Cow<'static, [Field]>,
}

impl Field {
    const fn new(name: &'static str, stage: Stage, location: Location, kind: Kind) -> Self {
        Self { name: Cow::Borrowed(name), stage, location, kind }
    }

    /// An input.
    pub const fn input(name: &'static str, location: Location, kind: Kind) -> Self {
        Self::new(name, Stage::Input, location, kind)
    }

    /// A hint.
    pub const fn hint(name: &'static str, location: Location, kind: Kind) -> Self {
        Self::new(name, Stage::Hint, location, kind)
    }

    /// An output.
    pub const fn output(name: &'static str, location: Location, kind: Kind) -> Self {
        Self::new(name, Stage::Output, location, kind)
    }

    /// The name less a trailing `_h`: a hint and an output with the same base name are the same
    /// quantity, during the execution and after it.
    pub fn base_name(&self) -> &str {
        self.name.strip_suffix("_h").unwrap_or(&self.name)
    }
}

impl Spec {
    /// The spec of a built-in algorithm.
    pub const fn new(algorithm: &'static str, fields: &'static [Field]) -> Self {
        Self { algorithm: Cow::Borrowed(algorithm), fields: Cow::Borrowed(fields) }
    }

    /// The fields of a stage, in order.
    pub fn stage(&self, stage: Stage) -> impl Iterator<Item = &Field> {
        self.fields.iter().filter(move |field| field.stage == stage)
    }

    /// The inputs, in order.
    pub fn inputs(&self) -> impl Iterator<Item = &Field> {
        self.stage(Stage::Input)
    }

    /// The hints, in order.
    pub fn hints(&self) -> impl Iterator<Item = &Field> {
        self.stage(Stage::Hint)
    }

    /// The outputs, in order.
    pub fn outputs(&self) -> impl Iterator<Item = &Field> {
        self.stage(Stage::Output)
    }

    /// Whether there is an input of this name.
    pub fn has_input(&self, name: &str) -> bool {
        self.inputs().any(|field| field.name == name)
    }

    /// Whether the algorithm starts at a given node.
    pub fn needs_source(&self) -> bool {
        self.has_input("s")
    }

    /// Whether it reads edge weights.
    pub fn needs_weights(&self) -> bool {
        self.has_input("weights")
    }

    /// Whether it reads random values.
    pub fn needs_randomness(&self) -> bool {
        self.has_input("randomness")
    }

    /// The hint that shows `output` during the execution, if there is one.
    pub fn hint_of(&self, output: &Field) -> Option<&Field> {
        self.hints().find(|hint| hint.base_name() == output.name)
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Input => "input",
            Self::Hint => "hint",
            Self::Output => "output",
        })
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Node => "node",
            Self::Edge => "edge",
            Self::Graph => "graph",
        })
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Scalar => "scalar",
            Self::Mask => "mask",
            Self::MaskOne => "mask_one",
            Self::Categorical { .. } => "categorical",
            Self::Pointer => "pointer",
        })
    }
}
