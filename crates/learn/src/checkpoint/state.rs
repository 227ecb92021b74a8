//! What a checkpoint holds, in memory.
//!
//! Models ask for tensors by group, name and shape, and get an error that names the tensor when
//! the file does not have it so: the one place where a checkpoint meets a model.

use std::collections::BTreeMap;

use super::{Malformation, Progress};
use crate::run::Run;

/// A run, its progress and its tensors.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint {
    /// The run, resolved.
    pub run: Run,
    /// How far it has come.
    pub progress: Progress,
    /// By full name, `param/…` for example.
    pub(super) tensors: BTreeMap<String, Tensor>,
}

/// What a tensor is to the training.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Group {
    /// A learned parameter.
    Parameter,
    /// A statistic that is kept but not learned.
    Buffer,
    /// AdamW's mean of a parameter's gradient.
    FirstMoment,
    /// AdamW's mean of its square.
    SecondMoment,
}

/// Numbers in a shape.
#[derive(Debug, Clone, PartialEq)]
pub struct Tensor {
    shape: Vec<usize>,
    values: Vec<f32>,
}

impl Group {
    /// Every group.
    pub const ALL: [Self; 4] =
        [Self::Parameter, Self::Buffer, Self::FirstMoment, Self::SecondMoment];

    /// What the names of its tensors begin with.
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Parameter => "param/",
            Self::Buffer => "buffer/",
            Self::FirstMoment => "adam_m/",
            Self::SecondMoment => "adam_v/",
        }
    }
}

impl Tensor {
    /// `values` in row-major order. Panics if they do not fill the shape: a bug of the caller.
    pub fn new(shape: &[usize], values: Vec<f32>) -> Self {
        assert_eq!(shape.iter().product::<usize>(), values.len(), "shape {shape:?}");
        Self { shape: shape.to_vec(), values }
    }

    /// Its shape.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Its values in row-major order.
    pub fn values(&self) -> &[f32] {
        &self.values
    }
}

impl Checkpoint {
    /// A checkpoint without tensors.
    pub fn new(run: &Run, progress: Progress) -> Self {
        Self { run: run.resolved(), progress, tensors: BTreeMap::new() }
    }

    /// Adds a tensor, or replaces the one of that name.
    pub fn insert(&mut self, group: Group, name: &str, tensor: Tensor) {
        self.tensors.insert(format!("{}{name}", group.prefix()), tensor);
    }

    /// The values of a tensor that has `shape`.
    pub fn values(
        &self,
        group: Group,
        name: &str,
        shape: &[usize],
    ) -> Result<&[f32], Malformation> {
        let name = format!("{}{name}", group.prefix());
        match self.tensors.get(&name) {
            None => Err(Malformation::MissingTensor { name }),
            Some(tensor) if tensor.shape != shape => Err(Malformation::WrongShape {
                name,
                expected: shape.to_vec(),
                found: tensor.shape.clone(),
            }),
            Some(tensor) => Ok(&tensor.values),
        }
    }

    /// The tensors of a group by name, without the prefix.
    pub fn tensors(&self, group: Group) -> impl Iterator<Item = (&str, &Tensor)> {
        self.tensors
            .iter()
            .filter_map(move |(name, tensor)| Some((name.strip_prefix(group.prefix())?, tensor)))
    }
}
