//! NVIDIA GPUs: single precision by default, deterministic, one launch for hundreds of operators.
//!
//! Graphs are small and trajectories long, so a training step is hundreds of operators of a few
//! microseconds, and launching each by itself would take most of the time. Here an operator is a
//! line of a program that one launch runs (`program`, `queue`, `kernels`). Every number is
//! computed in an order that depends on shapes alone, so two runs agree bit by bit.
//!
//! Errors of the driver do not interrupt operators: the first one is kept, nothing is launched any
//! more, and [`Memory::check`] tells.
#![expect(unsafe_code, reason = "the driver's interface")]

mod arena;
mod compiler;
mod copies;
mod deferred;
mod draft;
mod error;
mod graphs;
mod history;
mod large;
mod layers;
mod library;
mod product;
mod program;
mod queue;
mod sharing;
mod slots;
mod split;
mod together;
mod values;

use std::cell::{Cell, OnceCell, RefCell};
use std::sync::{Arc, Mutex};

use cudarc::driver::{CudaContext, result, sys};

pub use arena::Block;
use arena::{Arena, Place, SharedArena};
pub use compiler::compile;
pub use copies::Copies;
use copies::{Groups, group};
use draft::{Code, Draft};
pub use error::CudaError;
use library::Library;
use queue::Queue;

use crate::buffer::{Buffer, Indices};
use crate::device::{Device, Gradient, Later, Memory};

/// How a GPU is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CudaOptions {
    /// Which GPU, from 0.
    pub ordinal: usize,
    /// How many devices of one process share it at the same time, at most.
    pub sharing: usize,
    /// Whether the others come first.
    pub background: bool,
    /// How products are computed.
    pub precision: Precision,
}

impl Default for CudaOptions {
    fn default() -> Self {
        Self { ordinal: 0, sharing: 1, background: false, precision: Precision::Single }
    }
}

/// How large products of matrices are computed; everything else is in single precision. Small ones
/// are not faster when they are rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Precision {
    /// In single precision.
    #[default]
    Single,
    /// Operands rounded to 11 bits.
    Tf32,
    /// Operands rounded to 8 bits.
    Bf16,
}

/// Makes a GPU ready.
pub fn open(options: CudaOptions) -> Result<Box<dyn Device>, CudaError> {
    Ok(Box::new(Cuda::new(options)?))
}

/// A GPU, or a share of one.
#[derive(Debug)]
pub struct Cuda {
    name: String,
    /// For large products, from the first one on; without it they are our own kernels' too.
    library: OnceCell<Option<RefCell<Library>>>,
    precision: Precision,
    arena: SharedArena,
    queue: RefCell<Queue>,
    failure: RefCell<Option<CudaError>>,
    operations: Cell<u64>,
}

impl Cuda {
    /// Loads the driver and the kernels.
    pub fn new(options: CudaOptions) -> Result<Self, CudaError> {
        let CudaOptions { ordinal, precision, .. } = options;
        // SAFETY: looks for a library and loads it.
        if !unsafe { sys::is_culib_present() } {
            return Err(CudaError::NoDriver);
        }
        result::init()?;
        let count = CudaContext::device_count()? as usize;
        if ordinal >= count {
            return Err(CudaError::NoSuchGpu { ordinal, count });
        }
        let context = CudaContext::new(ordinal)?;
        // SAFETY: the queue orders what its streams do.
        unsafe { context.disable_event_tracking() };
        let (name, (major, minor)) = (context.name()?, context.compute_capability()?);
        if major < 8 {
            return Err(CudaError::TooOld { name, major, minor });
        }
        // With the instructions that only this capability has, and no later one.
        let alone = if (major, minor) == (9, 0) { "a" } else { "" };
        let architecture = format!("sm_{major}{minor}{alone}");
        let queue = |code| Queue::new(&context, code, options);
        // What was kept may be damaged.
        let kept = compiler::kept(&architecture).and_then(|code| queue(code).ok());
        let queue = match kept {
            Some(queue) => queue,
            None => queue(compiler::compiled(&architecture)?)?,
        };
        let library = OnceCell::new();
        if precision != Precision::Single {
            // Nothing else can round.
            let _ = library.set(Some(RefCell::new(Library::open(precision)?)));
        }
        let arena = Arc::new(Mutex::new(Arena::new(context)));
        Ok(Self {
            name,
            library,
            precision,
            arena,
            queue: RefCell::new(queue),
            failure: RefCell::new(None),
            operations: Cell::new(0),
        })
    }

    /// The library for large products, if it can be loaded.
    fn library(&self) -> Option<&RefCell<Library>> {
        let open = || Library::open(self.precision).ok().map(RefCell::new);
        self.library.get_or_init(open).as_ref()
    }

    fn run(&self, draft: Draft) {
        self.attempt(|queue| queue.push(draft));
    }

    /// Does something unless something went wrong before; remembers if it goes wrong now.
    fn attempt(&self, what: impl FnOnce(&mut Queue) -> Result<(), CudaError>) {
        if self.failure.borrow().is_none()
            && let Err(error) = what(&mut self.queue.borrow_mut())
        {
            *self.failure.borrow_mut() = Some(error);
        }
    }

    fn block(&self, len: usize) -> Block {
        if self.failure.borrow().is_none() {
            match arena::take(&self.arena, len).or_else(|error| self.take_again(len, error)) {
                Ok(block) => return block,
                Err(error) => *self.failure.borrow_mut() = Some(error),
            }
        }
        arena::nowhere(&self.arena, len)
    }

    /// Where memory is short, large blocks that nobody holds are given back first. Operators that
    /// are not launched yet may still use them.
    fn take_again(&self, len: usize, error: CudaError) -> Result<Block, CudaError> {
        if !matches!(error, CudaError::OutOfMemory { .. }) {
            return Err(error);
        }
        self.queue.borrow_mut().flush()?;
        let any = arena::lock(&self.arena).give_back_large()?;
        if any { arena::take(&self.arena, len) } else { Err(error) }
    }

    /// A block with these words.
    fn upload(&self, words: &[u32]) -> Block {
        let block = self.block(words.len());
        self.attempt(|queue| queue.write(words, block.place()));
        block
    }

    /// Where indices are on the GPU.
    fn indices(&self, indices: &Indices) -> Place {
        indices.copies.plain(&self.arena, || self.upload(indices.host()))
    }

    /// Reads indices through a pointer.
    fn with(&self, draft: Draft, i: usize, indices: &Indices) -> Draft {
        let place = self.indices(indices);
        draft.reads(i, place, 0..indices.len())
    }

    fn groups(&self, indices: &Indices) -> Arc<Groups> {
        indices.copies.groups(&self.arena, || {
            let (values, firsts, places) = group(indices.host());
            Groups {
                count: values.len(),
                values: self.upload(&values),
                firsts: self.upload(&firsts),
                places: self.upload(&places),
            }
        })
    }

    /// Makes room for what the GPU finds itself, one number for each value of a result.
    fn origin(&self, origin: &mut Indices, len: usize) -> Place {
        let block = self.block(len);
        let place = block.place();
        origin.copies.set(block);
        place
    }

    /// The gradient's buffer, set to zero unless something is there.
    fn cleared<'a>(&self, gradient: Gradient<'a>) -> &'a mut Buffer {
        if !gradient.add {
            self.fill(gradient.buffer, 0.0);
        }
        gradient.buffer
    }
}

impl Memory for Cuda {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn zeros(&self, len: usize) -> Buffer {
        let mut buffer = Buffer::Cuda(self.block(len));
        self.fill(&mut buffer, 0.0);
        buffer
    }

    fn write(&self, values: &[f32], to: &mut Buffer) {
        let words: &[u32] = as_words(values);
        self.attempt(|queue| queue.write(words, to.cuda().place()));
    }

    fn read(&self, from: &Buffer, to: &mut [f32]) {
        self.attempt(|queue| queue.read(from.cuda().place(), to));
        if self.failure.borrow().is_some() {
            to.fill(f32::NAN);
        }
    }

    fn read_later(&self, from: &[&Buffer]) -> Later {
        let places: Vec<_> = from.iter().map(|buffer| buffer.cuda().place()).collect();
        let mut number = 0;
        self.attempt(|queue| {
            number = queue.read_later(&places)?;
            Ok(())
        });
        Later::Place { number, len: from.len() }
    }

    fn wait_for(&self, later: Later) -> Vec<f32> {
        match later {
            Later::Values(values) => values,
            Later::Place { number, len } => {
                let mut values = vec![f32::NAN; len];
                self.attempt(|queue| queue.wait_for(number, &mut values));
                values
            }
        }
    }

    fn runs_ahead(&self) -> bool {
        true
    }

    fn values(&self, from: &Buffer) -> Vec<f64> {
        let mut values = vec![0.0; from.len()];
        self.read(from, &mut values);
        values.into_iter().map(f64::from).collect()
    }

    fn fill(&self, to: &mut Buffer, value: f32) {
        let len = to.len();
        let draft = Draft::new(Code::Fill).output(0, to).numbers(0, [len]);
        self.run(draft.fractions(1, [value.into()]).values(len));
    }

    fn copy(&self, from: &Buffer, to: Gradient<'_>) {
        self.run(values::function(Code::Unary, from, 0, 1.0, to));
    }

    fn product_operations(&self) -> u64 {
        self.operations.get()
    }

    fn check(&self) -> Result<(), CudaError> {
        match &*self.failure.borrow() {
            Some(error) => Err(error.clone()),
            None => Ok(()),
        }
    }

    fn most_bytes(&self) -> Option<u64> {
        Some(arena::lock(&self.arena).most_held())
    }

    fn rows_at_once(&self) -> usize {
        1 << 17
    }
}

/// The bits of values.
fn as_words(values: &[f32]) -> &[u32] {
    // SAFETY: both are four bytes with the same alignment, and any bits are a number.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), values.len()) }
}
