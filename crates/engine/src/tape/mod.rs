//! The tape: tensors, the operators that made them, and the way back.
//!
//! A [`Tensor`] is the number of a matrix on the tape. Parameters lie at the bottom and stay;
//! above them every operator puts its result, until [`Tape::clear`] takes all of it off again and
//! keeps the buffers for the next step. While the tape records, it also remembers the operators,
//! and [`Tape::backward`] walks them in reverse.
//!
//! Without recording nothing is remembered, and [`Tape::scope`] gives back what a part of a
//! computation no longer needs: that is how inference on large graphs stays within memory.

mod backward;
mod operation;
mod operators;
mod parameters;

use crate::buffer::{Buffer, Pool};
use crate::device::{Device, Later};
use backward::Deferred;
pub use operation::GruCell;
use operation::{Operation, Piece};
pub use operators::{Linear, MessageLayer, Messages};
pub use parameters::Parameter;

/// A matrix on a tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Tensor(u32);

impl Tensor {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A tensor's values and what belongs to them.
#[derive(Debug)]
pub(crate) struct Slot {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) value: Buffer,
    pub(crate) gradient: Option<Buffer>,
    pub(crate) transposed: Option<Buffer>,
    /// Whether a gradient is wanted.
    pub(crate) tracked: bool,
}

/// Operators run on it and remembered.
#[derive(Debug)]
pub struct Tape {
    pub(crate) device: Box<dyn Device>,
    pub(crate) pool: Pool,
    pub(crate) slots: Vec<Slot>,
    operations: Vec<Operation>,
    /// Inputs of operators with any number of them.
    pieces: Vec<Piece>,
    pub(crate) parameters: Vec<Parameter>,
    deferred: Deferred,
    /// How many slots at the bottom stay.
    pub(crate) kept: usize,
    recording: bool,
}

impl Tape {
    /// An empty tape on a device.
    pub fn new(device: impl Device + 'static) -> Self {
        Self::on(Box::new(device))
    }

    /// The same on a device that was chosen at run time.
    pub fn on(device: Box<dyn Device>) -> Self {
        let mut tape = Self {
            device,
            pool: Pool::default(),
            slots: Vec::new(),
            operations: Vec::new(),
            pieces: Vec::new(),
            parameters: Vec::new(),
            deferred: Deferred::default(),
            kept: 0,
            recording: false,
        };
        tape.set_deferred(tape.device.defers());
        tape
    }

    /// The device it runs on.
    pub fn device(&self) -> &dyn Device {
        &*self.device
    }

    /// Whether operators are remembered for [`Tape::backward`]; also what layers that behave
    /// differently in training go by.
    pub fn is_recording(&self) -> bool {
        self.recording
    }

    /// Starts or stops remembering; clears the tape.
    pub fn set_recording(&mut self, recording: bool) {
        self.clear();
        self.recording = recording;
    }

    /// Takes everything but the parameters off the tape. Their gradients stay until
    /// [`Tape::clear_gradients`].
    pub fn clear(&mut self) {
        for operation in self.operations.drain(..) {
            operation.recycle(&mut self.pool);
        }
        self.pieces.clear();
        self.truncate(self.kept);
    }

    /// How many buffers the tape had to allocate so far.
    pub fn allocations(&self) -> usize {
        self.pool.allocated()
    }

    /// Runs a part of a computation and, unless the tape records, gives back everything it put on
    /// the tape but its result.
    pub fn scope(&mut self, part: impl FnOnce(&mut Self) -> Tensor) -> Tensor {
        let mark = self.slots.len();
        let result = part(self);
        if self.recording || result.index() < mark {
            if !self.recording {
                self.truncate(mark);
            }
            return result;
        }
        self.slots.swap(mark, result.index());
        self.truncate(mark + 1);
        Tensor(mark as u32)
    }

    /// Gives back the values of a tensor that is not needed any more, unless the tape records or
    /// it is a parameter. Using the tensor after that is a mistake.
    pub fn release(&mut self, tensor: Tensor) {
        if !self.recording && tensor.index() >= self.kept {
            let slot = &mut self.slots[tensor.index()];
            (slot.rows, slot.columns) = (0, 0);
            let value = std::mem::replace(&mut slot.value, Buffer::Double(Vec::new()));
            self.pool.give(value);
        }
    }

    /// What `part` makes of a tensor, which is not needed any more after that.
    pub fn replaced(
        &mut self,
        tensor: Tensor,
        part: impl FnOnce(&mut Self, Tensor) -> Tensor,
    ) -> Tensor {
        let result = part(self, tensor);
        self.release(tensor);
        result
    }

    /// Lets a tensor that is there before a scope have the values of one that is made in it, and so
    /// outlive it: the tensor that has them now. `kept` is what they had before, of the same shape.
    pub fn kept_in(&mut self, kept: Tensor, tensor: Tensor) -> Tensor {
        assert_eq!(self.shape(kept), self.shape(tensor), "what a tensor is kept in");
        if self.recording || kept == tensor {
            return tensor;
        }
        self.slots.swap(kept.index(), tensor.index());
        self.release(tensor);
        kept
    }

    fn truncate(&mut self, len: usize) {
        while self.slots.len() > len {
            if let Some(slot) = self.slots.pop() {
                let Slot { value, gradient, transposed, .. } = slot;
                [Some(value), gradient, transposed]
                    .into_iter()
                    .flatten()
                    .for_each(|buffer| self.pool.give(buffer));
            }
        }
    }

    /// A tensor with given values and no gradient.
    ///
    /// # Panics
    /// If `values` is not `rows * columns` long.
    pub fn constant(&mut self, rows: usize, columns: usize, values: &[f32]) -> Tensor {
        assert_eq!(values.len(), rows * columns, "a constant [{rows}, {columns}]");
        let mut buffer = self.buffer(rows * columns);
        self.device.write(values, &mut buffer);
        self.push(rows, columns, buffer, false)
    }

    /// (rows, columns).
    pub fn shape(&self, tensor: Tensor) -> (usize, usize) {
        let slot = &self.slots[tensor.index()];
        (slot.rows, slot.columns)
    }

    /// How many rows.
    pub fn rows(&self, tensor: Tensor) -> usize {
        self.shape(tensor).0
    }

    /// How many columns.
    pub fn columns(&self, tensor: Tensor) -> usize {
        self.shape(tensor).1
    }

    /// Its values in single precision, row by row.
    pub fn read(&self, tensor: Tensor) -> Vec<f32> {
        let value = self.value(tensor);
        let mut values = vec![0.0; value.len()];
        self.device.read(value, &mut values);
        values
    }

    /// Its values as the device has them.
    pub fn values(&self, tensor: Tensor) -> Vec<f64> {
        self.device.values(self.value(tensor))
    }

    /// The only value of a tensor of one value.
    pub fn scalar(&self, tensor: Tensor) -> f64 {
        assert_eq!(self.shape(tensor), (1, 1), "a scalar");
        let mut value = [0.0];
        self.device.read(self.value(tensor), &mut value);
        f64::from(value[0])
    }

    /// The gradient that [`Tape::backward`] left, if any.
    pub fn gradient(&self, tensor: Tensor) -> Option<Vec<f64>> {
        self.slots[tensor.index()].gradient.as_ref().map(|buffer| self.device.values(buffer))
    }

    /// Begins to read the first value of each tensor; one trip to the device for all.
    pub fn read_later(&self, tensors: &[Tensor]) -> Later {
        let buffers: Vec<&Buffer> = tensors.iter().map(|&tensor| self.value(tensor)).collect();
        self.device.read_later(&buffers)
    }

    /// Waits for values that are on their way.
    pub fn wait_for(&self, later: Later) -> Vec<f64> {
        self.device.wait_for(later).into_iter().map(f64::from).collect()
    }

    pub(crate) fn value(&self, tensor: Tensor) -> &Buffer {
        &self.slots[tensor.index()].value
    }

    fn is_tracked(&self, tensor: Tensor) -> bool {
        self.slots[tensor.index()].tracked
    }

    pub(crate) fn buffer(&mut self, len: usize) -> Buffer {
        let device = &self.device;
        self.pool.take(len, |len| device.zeros(len))
    }

    pub(crate) fn push(
        &mut self,
        rows: usize,
        columns: usize,
        value: Buffer,
        tracked: bool,
    ) -> Tensor {
        let slot = Slot { rows, columns, value, gradient: None, transposed: None, tracked };
        self.slots.push(slot);
        Tensor((self.slots.len() - 1) as u32)
    }

    /// Puts a result on the tape; remembers how it was made if a gradient can flow back.
    fn result(
        &mut self,
        shape: (usize, usize),
        value: Buffer,
        inputs: impl IntoIterator<Item = Tensor>,
        operation: impl FnOnce(Tensor) -> Operation,
    ) -> Tensor {
        let tracked = self.recording && inputs.into_iter().any(|input| self.is_tracked(input));
        let tensor = self.push(shape.0, shape.1, value, tracked);
        let operation = operation(tensor);
        if tracked {
            self.operations.push(operation);
        } else {
            operation.recycle(&mut self.pool);
        }
        tensor
    }

    /// Makes sure the transposed weight is there, where the device wants it.
    fn prepare_transposed(&mut self, weight: Tensor) {
        if !self.device.wants_transposed() || self.slots[weight.index()].transposed.is_some() {
            return;
        }
        let (rows, columns) = self.shape(weight);
        let mut transposed = self.buffer(rows * columns);
        self.device.transpose(self.value(weight), rows, columns, &mut transposed);
        self.slots[weight.index()].transposed = Some(transposed);
    }
}
