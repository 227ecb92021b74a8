//! Memory of a GPU, taken from the driver in large pieces and handed out again and again.
//!
//! A block that is given back may be handed out at once: everything that touches it goes through
//! one queue, in order.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cudarc::driver::{CudaContext, result, sys};

use super::error::{CudaError, is_out_of_memory};
use crate::buffer::{at_rest, class_of, size_of_class};

/// Blocks of more words have memory of their own.
const LARGE: usize = 1 << 20;
/// Smaller ones are cut from pieces of so many words.
const PIECE: usize = 1 << 23;

/// Kernels number the words of a block with 32 bits, and may count a tile beyond the last.
const MOST: usize = (1 << 32) - (1 << 16);

/// Shared by a device and all its blocks.
pub(super) type SharedArena = Arc<Mutex<Arena>>;

/// Words of four bytes on a GPU.
#[derive(Debug)]
pub struct Block {
    place: Place,
    len: usize,
    capacity: usize,
    arena: SharedArena,
}

/// Where a block is: its address, and its number among those of its device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) address: u64,
    pub(super) number: u32,
}

impl Block {
    /// Where it is.
    pub(super) fn place(&self) -> Place {
        self.place
    }

    pub(super) fn is_of(&self, arena: &SharedArena) -> bool {
        Arc::ptr_eq(&self.arena, arena)
    }

    /// How many words count.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether none do.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many there are.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Changes how many count.
    ///
    /// # Panics
    /// If there are not so many.
    pub fn set_len(&mut self, len: usize) {
        assert!(len <= self.capacity, "words of a block");
        self.len = len;
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        if self.place.address != 0 {
            lock(&self.arena).free(class_of(self.capacity)).push_back(self.place);
        }
    }
}

pub(super) fn lock(arena: &SharedArena) -> MutexGuard<'_, Arena> {
    // A list of free blocks is right after every statement.
    arena.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is free, and what belongs to the driver.
#[derive(Debug)]
pub(super) struct Arena {
    context: Arc<CudaContext>,
    /// By size class.
    free: Vec<VecDeque<Place>>,
    /// The unused rest of the newest piece: address and words.
    rest: (u64, usize),
    /// Addresses of pieces, to be given back to the driver.
    pieces: Vec<u64>,
    /// Large blocks, those in use included: address and words.
    large: Vec<(u64, usize)>,
    next_number: u32,
    held: u64,
    most_held: u64,
}

impl Arena {
    pub(super) fn new(context: Arc<CudaContext>) -> Self {
        Self {
            context,
            free: Vec::new(),
            rest: (0, 0),
            pieces: Vec::new(),
            large: Vec::new(),
            next_number: 0,
            held: 0,
            most_held: 0,
        }
    }

    /// The most bytes that were taken from the driver at a time.
    pub(super) fn most_held(&self) -> u64 {
        self.most_held
    }

    fn free(&mut self, class: usize) -> &mut VecDeque<Place> {
        if self.free.len() <= class {
            self.free.resize_with(class + 1, VecDeque::new);
        }
        &mut self.free[class]
    }

    fn place(&mut self, class: usize) -> Result<Place, CudaError> {
        let free = self.free(class);
        if free.len() > at_rest(class)
            && let Some(place) = free.pop_front()
        {
            return Ok(place);
        }
        let words = size_of_class(class).next_multiple_of(64);
        let address = if words > LARGE {
            let address = self.take(words)?;
            self.large.push((address, words));
            address
        } else {
            if self.rest.1 < words {
                let address = self.take(PIECE)?;
                self.pieces.push(address);
                self.rest = (address, PIECE);
            }
            let address = self.rest.0;
            self.rest = (address + 4 * words as u64, self.rest.1 - words);
            address
        };
        self.next_number += 1;
        Ok(Place { address, number: self.next_number - 1 })
    }

    fn take(&mut self, words: usize) -> Result<u64, CudaError> {
        let bytes = 4 * words;
        // SAFETY: the context is current, as every use of its device makes it.
        match unsafe { result::malloc_sync(bytes) } {
            Ok(address) => {
                self.held += bytes as u64;
                self.most_held = self.most_held.max(self.held);
                Ok(address)
            }
            Err(error) if is_out_of_memory(&error) => {
                let (free, total) = result::mem_get_info()?;
                Err(CudaError::OutOfMemory {
                    needed: bytes as u64,
                    held: self.held,
                    free: free as u64,
                    total: total as u64,
                })
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Gives large blocks that nobody holds back to the driver; whether there were any. What uses
    /// them must have been launched.
    pub(super) fn give_back_large(&mut self) -> Result<bool, CudaError> {
        self.context.synchronize()?;
        let mut any = false;
        for list in self.free.iter_mut() {
            list.retain(|place| {
                let Some(at) = self.large.iter().position(|&(address, _)| address == place.address)
                else {
                    return true;
                };
                let (address, words) = self.large.swap_remove(at);
                // SAFETY: it came from the driver, nobody holds it, and the GPU is idle.
                let freed = unsafe { result::free_sync(address) };
                any |= freed.is_ok();
                self.held -= 4 * words as u64;
                false
            });
        }
        Ok(any)
    }
}

/// A block of at least `len` words.
pub(super) fn take(arena: &SharedArena, len: usize) -> Result<Block, CudaError> {
    if len > MOST {
        return Err(CudaError::TooLarge { values: len as u64 });
    }
    let class = class_of(len);
    let place = lock(arena).place(class)?;
    Ok(Block { place, len, capacity: size_of_class(class), arena: Arc::clone(arena) })
}

/// Stands for a block that there was no memory for; nothing is computed with it.
pub(super) fn nowhere(arena: &SharedArena, len: usize) -> Block {
    let place = Place { address: 0, number: 0 };
    Block { place, len, capacity: len, arena: Arc::clone(arena) }
}

impl Drop for Arena {
    fn drop(&mut self) {
        if self.context.bind_to_thread().is_err() {
            return;
        }
        let large = self.large.iter().map(|&(address, _)| address);
        for address in self.pieces.iter().copied().chain(large) {
            // SAFETY: the last block is gone, and freeing waits for the GPU.
            let _ = unsafe { sys::cuMemFree_v2(address) };
        }
    }
}
