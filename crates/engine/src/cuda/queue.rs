//! The way to the GPU: what waits, what is on its way, and what comes back ([`returns`]).
//!
//! Operators gather in a program until there are enough of them, somebody wants to read a result,
//! or one is so large that it is launched alone. A program and the values that the host gives with
//! it lie in one slot of host memory, which goes over in one copy. Slots are used in turn, so the
//! host describes the next program while the GPU runs the last.

use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaFunction, CudaStream, result, sys};
use cudarc::nvrtc::Ptx;

use super::CudaOptions;
use super::arena::Place;
use super::compiler::SHARED_BYTES;
use super::draft::{Access, Code, Draft, Op};
use super::error::CudaError;
use super::program::{MOST_TILES, Program, Turn};
use super::sharing::Share;
use super::slots::{Return, SLOT, Slot};
use super::split::Split;
use super::together::{LargeLayer, Together};

mod returns;

/// Threads of a block, as the kernels have it.
const THREADS: u32 = 256;
const N_SLOTS: usize = 4;
/// A program's operators, at most; the kernels have ten bits for their numbers.
const MOST_OPS: usize = 1024;
/// Bytes of a slot that are left for a program: operators, what each block does, and where that
/// begins.
const RESERVED: usize =
    (MOST_OPS + 1) * size_of::<Op>() + size_of::<Turn>() * MOST_TILES + (64 << 10);
/// The first program after something was read is short, so that the GPU begins soon; each one
/// after it is twice as long.
const FIRST_OPS: usize = 64;
/// A program's first bytes, with which blocks count (`program.cu`).
const HEADER: usize = 2048;
/// Values of more bytes do not go through a slot.
const STAGED: usize = 256 << 10;
/// How many times values come back before the first must be waited for.
const N_RETURNS: usize = 4;
/// An operator of more tiles for each block is launched alone, with as many blocks as the GPU holds.
const MANY_TILES: usize = 32;
/// An operator of more tiles is launched by its own kernel, if it has one. That is about where
/// layers on as many rows are the library's, and programs between them short.
const LIGHT_TILES: usize = 256;

/// Operators on their way to one GPU.
#[derive(Debug)]
pub(super) struct Queue {
    stream: Arc<CudaStream>,
    /// Takes programs to the GPU while it runs others.
    copies: Arc<CudaStream>,
    run_program: CudaFunction,
    run_one: CudaFunction,
    /// Kernels of single operators.
    light: Vec<(Code, CudaFunction)>,
    split: Option<Split>,
    /// Large layers that wait for others to run with; then the program is empty.
    together: Together,
    share: Share,
    /// Blocks that the GPU holds at a time.
    most_blocks: usize,
    program: Program,
    slots: Vec<Slot>,
    current: usize,
    /// Bytes of the current slot that are taken.
    staged: usize,
    /// How many operators make the next program.
    enough: usize,
    /// Values on their way back, used in turn.
    returns: Vec<Return>,
    next_return: usize,
}

impl Queue {
    pub(super) fn new(
        context: &Arc<CudaContext>,
        code: Vec<u8>,
        options: CudaOptions,
    ) -> Result<Self, CudaError> {
        let (least, greatest) = result::stream::get_priority_range()?;
        let priority = if options.background { least } else { greatest };
        let stream = context.new_stream_with_priority(priority)?;
        let copies = context.new_stream_with_priority(priority)?;
        let module = context.load_module(Ptx::from_binary(code))?;
        let load = |name| -> Result<CudaFunction, CudaError> {
            let function = module.load_function(name)?;
            let attribute =
                sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            function.set_attribute(attribute, SHARED_BYTES as i32)?;
            Ok(function)
        };
        let (run_program, run_one) = (load("run_program")?, load("run_one")?);
        let light = |(code, name)| Ok((code, module.load_function(name)?));
        let light = Code::LIGHT.into_iter().map(light).collect::<Result<_, CudaError>>()?;
        let attribute = sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;
        let multiprocessors = context.attribute(attribute)? as usize;
        let a_multiprocessor = run_program.occupancy_max_active_blocks_per_multiprocessor(
            THREADS,
            SHARED_BYTES as usize,
            None,
        )? as usize;
        let most_blocks = multiprocessors * a_multiprocessor;
        let slots = (0..N_SLOTS).map(|_| Slot::new(context)).collect::<Result<_, _>>()?;
        let returns = (0..N_RETURNS).map(|_| Return::new(context)).collect::<Result<_, _>>()?;
        let mut queue = Self {
            stream,
            copies,
            run_program,
            run_one,
            light,
            split: Split::find(context, &module),
            together: Together::default(),
            share: Share::new(options),
            most_blocks,
            program: Program::default(),
            slots,
            current: 0,
            staged: 0,
            enough: FIRST_OPS,
            returns,
            next_return: 0,
        };
        queue.begin()?;
        Ok(queue)
    }

    /// Adds an operator.
    pub(super) fn push(&mut self, draft: Draft) -> Result<(), CudaError> {
        if draft.n_tiles() == 0 {
            return Ok(());
        }
        self.launch_layers()?;
        if let Some(kernel) = self.own_kernel(&draft) {
            self.flush()?;
            return self.launch(&kernel, &draft, draft.n_tiles(), 0);
        }
        // What is copied from a slot is there for the slot's program alone.
        let can_leave = draft.op.code != Code::Copy;
        if can_leave && draft.n_tiles() > self.many_tiles() {
            self.flush()?;
            let blocks = draft.n_tiles().min(4 * self.most_blocks);
            return self.launch(&self.run_one, &draft, blocks, SHARED_BYTES);
        }
        if !self.has_room(draft.n_tiles()) {
            self.flush()?;
        }
        self.program.push(draft);
        self.flush_if_enough()
    }

    /// Adds operators that need nothing of each other, and read what they do not say themselves.
    pub(super) fn push_together(
        &mut self,
        drafts: Vec<Draft>,
        reads: &[Access],
    ) -> Result<(), CudaError> {
        self.launch_layers()?;
        let n_tiles = drafts.iter().map(Draft::n_tiles).sum();
        let large = |draft: &Draft| draft.n_tiles() > self.many_tiles();
        if n_tiles > MOST_TILES || drafts.len() > MOST_OPS || drafts.iter().any(large) {
            self.flush()?;
            drafts.into_iter().try_for_each(|draft| self.push(draft))?;
            return self.flush();
        }
        if !self.has_room(n_tiles) || self.program.len() + drafts.len() > MOST_OPS {
            self.flush()?;
        }
        self.program.push_together(drafts, reads);
        self.flush_if_enough()
    }

    /// Launches what waits if it is enough, or if the GPU has nothing to do.
    fn flush_if_enough(&mut self) -> Result<(), CudaError> {
        if self.program.len() < self.enough {
            return Ok(());
        }
        self.enough = MOST_OPS.min(2 * self.enough);
        if self.program.len() < MOST_OPS && self.is_busy() {
            return Ok(());
        }
        self.flush()
    }

    /// An operator of more tiles is launched alone.
    fn many_tiles(&self) -> usize {
        MOST_TILES.min(MANY_TILES * self.n_blocks())
    }

    /// Whether so many more tiles can be in the next program.
    fn has_room(&self, n_tiles: usize) -> bool {
        self.program.n_tiles() + n_tiles <= MOST_TILES
    }

    /// Blocks that run a program. Results do not depend on how many they are.
    pub(super) fn n_blocks(&self) -> usize {
        (self.most_blocks / self.share.n_parts()).max(1)
    }

    /// Whether the GPU still has a program to run.
    fn is_busy(&self) -> bool {
        !self.slots[(self.current + N_SLOTS - 1) % N_SLOTS].done.is_complete()
    }

    /// Adds a copy of host values to words of a block, from the first on.
    #[expect(unsafe_code, reason = "host memory of the driver's, and a copy of its own")]
    pub(super) fn write(&mut self, words: &[u32], to: Place) -> Result<(), CudaError> {
        let bytes = 4 * words.len();
        if bytes > STAGED {
            self.flush()?;
            // SAFETY: the block has so many words; values in pageable memory are taken at once.
            unsafe { result::memcpy_htod_async(to.address, words, self.stream.cu_stream())? };
            return Ok(());
        }
        let draft = Draft::new(Code::Copy)
            .writes(1, to, 0..words.len())
            .numbers(0, [words.len()])
            .values(words.len());
        // Now, and not after values are in a slot whose program would leave without their copy.
        if self.staged + bytes > SLOT - RESERVED || !self.has_room(draft.n_tiles()) {
            self.flush()?;
        }
        let slot = &self.slots[self.current];
        // SAFETY: the slot is not on its way, and so many bytes of it are left.
        unsafe {
            let host = slot.host.add(self.staged);
            std::ptr::copy_nonoverlapping(words.as_ptr().cast(), host, bytes);
        }
        let from = slot.device + self.staged as u64;
        self.staged = (self.staged + bytes).next_multiple_of(16);
        self.push(draft.constant(0, from))
    }

    /// Kernels of large layers, if the GPU has tensor cores for them.
    pub(super) fn split(&self) -> Option<Split> {
        self.split.clone()
    }

    /// Adds large layers that need nothing of each other, which [`Queue::split`] can compute.
    pub(super) fn push_layers(
        &mut self,
        layers: &[LargeLayer],
        rows: usize,
    ) -> Result<(), CudaError> {
        if self.program.len() > 0 || !layers.iter().all(|layer| self.together.can_take(layer, rows))
        {
            self.flush()?;
        }
        self.together.take(layers, rows);
        Ok(())
    }

    fn launch_layers(&mut self) -> Result<(), CudaError> {
        match &self.split {
            Some(split) if !self.together.is_empty() => {
                split.layers(&self.stream, &mut self.together)
            }
            _ => Ok(()),
        }
    }

    /// Puts something else on the stream, after everything that was added before.
    pub(super) fn alone(
        &mut self,
        work: impl FnOnce(&CudaStream) -> Result<(), CudaError>,
    ) -> Result<(), CudaError> {
        self.flush()?;
        work(&self.stream)
    }

    /// Launches what waits.
    #[expect(unsafe_code, reason = "host memory of the driver's, a copy and a launch")]
    pub(super) fn flush(&mut self) -> Result<(), CudaError> {
        self.launch_layers()?;
        if self.program.len() == 0 {
            return Ok(());
        }
        let slot = &self.slots[self.current];
        let ops = self.staged.next_multiple_of(size_of::<Op>());
        let mut at = ops;
        let n_blocks = self.n_blocks();
        let turns = self.program.drain(n_blocks, |op| {
            // SAFETY: `RESERVED` bytes are left in every slot.
            unsafe { slot.host.add(at).cast::<Op>().write(op) };
            at += size_of::<Op>();
        });
        let lists = at;
        for list in turns.lists() {
            // SAFETY: as above.
            unsafe { slot.host.add(at).cast::<[u32; 2]>().write(list) };
            at += size_of_val(&list);
        }
        let (first_turn, n_turns) = (at.next_multiple_of(16), turns.len());
        let end = first_turn + size_of::<Turn>() * n_turns;
        assert!(end <= SLOT, "a program fits into its slot");
        // SAFETY: the slot is not on its way, and has room for them.
        turns.write(unsafe {
            std::slice::from_raw_parts_mut(slot.host.add(first_turn).cast::<Turn>(), n_turns)
        });
        let [mut ops, mut turns, mut lists] =
            [ops, first_turn, lists].map(|at| slot.device + at as u64);
        let mut header = slot.device;
        let parameters = [&raw mut ops, &raw mut turns, &raw mut lists, &raw mut header];
        let mut parameters = parameters.map(<*mut u64>::cast);
        // SAFETY: the slot stays as it is until `done`; the operators touch blocks of this device
        // and values that return alone; and all blocks of the launch fit on the GPU at once.
        unsafe {
            let staged = std::slice::from_raw_parts(slot.host, end);
            result::memcpy_htod_async(slot.device, staged, self.copies.cu_stream())?;
            slot.there.record(&self.copies)?;
            self.stream.wait(&slot.there)?;
            result::launch_cooperative_kernel(
                self.run_program.cu_function(),
                (n_blocks as u32, 1, 1),
                (THREADS, 1, 1),
                SHARED_BYTES,
                self.stream.cu_stream(),
                &mut parameters,
            )?;
        }
        slot.done.record(&self.stream)?;
        self.current = (self.current + 1) % N_SLOTS;
        self.begin()
    }

    /// Makes the current slot ready for a new program.
    #[expect(unsafe_code, reason = "host memory of the driver's")]
    fn begin(&mut self) -> Result<(), CudaError> {
        let slot = &self.slots[self.current];
        slot.done.synchronize()?;
        // SAFETY: the slot is not on its way.
        unsafe { slot.host.write_bytes(0, HEADER) };
        self.staged = HEADER;
        Ok(())
    }

    /// The kernel of a large operator that has one of its own.
    fn own_kernel(&self, draft: &Draft) -> Option<CudaFunction> {
        if draft.n_tiles() <= LIGHT_TILES {
            return None;
        }
        let kernel = self.light.iter().find(|(code, _)| *code == draft.op.code);
        kernel.map(|(_, kernel)| kernel.clone())
    }

    /// Launches one operator.
    #[expect(unsafe_code, reason = "a launch")]
    fn launch(
        &self,
        kernel: &CudaFunction,
        draft: &Draft,
        blocks: usize,
        shared_bytes: u32,
    ) -> Result<(), CudaError> {
        let mut op = *draft.op;
        // SAFETY: the operator touches blocks of this device alone.
        unsafe {
            result::launch_kernel(
                kernel.cu_function(),
                (blocks as u32, 1, 1),
                (THREADS, 1, 1),
                shared_bytes,
                self.stream.cu_stream(),
                &mut [(&raw mut op).cast()],
            )?;
        }
        Ok(())
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        // Nothing that is still on its way may find its slot or its blocks gone.
        let _ = self.copies.synchronize();
        let _ = self.stream.synchronize();
    }
}
