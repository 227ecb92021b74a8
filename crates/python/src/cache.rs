//! Samples that were made or read before, kept while there is room for them.
//!
//! Every epoch asks for the same samples. Those that came first stay: with a new order each time,
//! throwing out old ones for new ones would only lose both.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use salsa_traces::collate::Ready;
use salsa_traces::sample::Sample;

/// Bytes that all caches of the process keep, so that one limit holds for all data sets together.
static KEPT: AtomicUsize = AtomicUsize::new(0);

/// The samples of one split.
pub struct Cache {
    /// Bytes that all caches together may keep.
    pub limit: usize,
    with_hints: Shelf<Sample>,
    without: Shelf<Ready>,
}

impl Cache {
    pub fn new(limit: usize) -> Self {
        Self { limit, with_hints: Shelf::default(), without: Shelf::default() }
    }

    /// The sample with this index and its hints, made by `make` if it is not here.
    pub fn with_hints<E>(
        &self,
        index: u64,
        make: impl FnOnce() -> Result<Sample, E>,
    ) -> Result<Arc<Sample>, E> {
        self.with_hints.get(index, self.limit, make)
    }

    /// The same without hints, ready for a batch.
    pub fn without_hints<E>(
        &self,
        index: u64,
        make: impl FnOnce() -> Result<Ready, E>,
    ) -> Result<Arc<Ready>, E> {
        self.without.get(index, self.limit, make)
    }

    /// The same where it is read and not made, which takes little: it is kept from the second time
    /// on, so that one pass over a data set needs no memory and no time for that.
    pub fn read_often<E>(
        &self,
        index: u64,
        read: impl FnOnce() -> Result<Ready, E>,
    ) -> Result<Arc<Ready>, E> {
        if self.without.is_new(index) {
            return Ok(Arc::new(read()?));
        }
        self.without.get(index, self.limit, read)
    }
}

/// What is kept under an index.
trait Kept {
    /// About how much memory it takes.
    fn bytes(&self) -> usize;
}

/// What was asked for, and is here unless it was asked for once or there was no room.
struct Shelf<T: Kept>(Mutex<HashMap<u64, Option<Arc<T>>>>);

impl<T: Kept> Default for Shelf<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Kept> Shelf<T> {
    /// Whether nobody has asked for it, as far as is known; from now on somebody has.
    fn is_new(&self, index: u64) -> bool {
        let Ok(mut shelf) = self.0.try_lock() else { return false };
        match shelf.entry(index) {
            Entry::Occupied(_) => false,
            Entry::Vacant(place) => {
                place.insert(None);
                true
            }
        }
    }

    /// Never waits: a process that was forked while a thread held the lock would wait for ever.
    fn get<E>(
        &self,
        index: u64,
        limit: usize,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<Arc<T>, E> {
        let known = self.0.try_lock().ok();
        if let Some(kept) = known.and_then(|shelf| shelf.get(&index).cloned().flatten()) {
            return Ok(kept);
        }
        let made = Arc::new(make()?);
        let bytes = made.bytes();
        if KEPT.load(Ordering::Relaxed).saturating_add(bytes) <= limit
            && let Ok(mut shelf) = self.0.try_lock()
            && shelf.insert(index, Some(made.clone())).flatten().is_none()
        {
            KEPT.fetch_add(bytes, Ordering::Relaxed);
        }
        Ok(made)
    }
}

impl<T: Kept> Drop for Shelf<T> {
    fn drop(&mut self) {
        if let Ok(shelf) = self.0.get_mut() {
            let kept: usize = shelf.values().flatten().map(|kept| kept.bytes()).sum();
            KEPT.fetch_sub(kept, Ordering::Relaxed);
        }
    }
}

impl Kept for Ready {
    fn bytes(&self) -> usize {
        self.bytes()
    }
}

impl Kept for Sample {
    fn bytes(&self) -> usize {
        let (graph, inputs) = (&self.graph, &self.inputs);
        let (n_nodes, n_arcs) = (graph.n_nodes(), 2 * graph.n_edges());
        let weights = if graph.is_weighted() { 8 * n_arcs } else { 0 };
        let positions = if graph.positions().is_some() { 16 * n_nodes } else { 0 };
        let phases = inputs.randomness.as_ref().map_or(0, |random| random.phases().len());
        let outputs = self.trajectory.outputs.iter().map(|output| 8 * output.count().unwrap_or(1));
        let rest = 512 + outputs.sum::<usize>() + self.trajectory.hint_bytes();
        4 * (n_nodes + n_arcs) + weights + positions + 8 * phases * n_nodes + rest
    }
}
