//! Samples that were made or read before, kept while there is room for them.
//!
//! Every epoch asks for the same samples. Those that came first stay: with a new order each time,
//! throwing out old ones for new ones would only lose both.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use salsa_traces::sample::Sample;

/// Bytes that all caches of the process keep, so that one limit holds for all data sets together.
static KEPT: AtomicUsize = AtomicUsize::new(0);

/// The samples of one split.
pub struct Cache {
    /// Bytes that all caches together may keep.
    pub limit: usize,
    samples: Mutex<HashMap<(u64, bool), Arc<Sample>>>,
}

impl Cache {
    pub fn new(limit: usize) -> Self {
        Self { limit, samples: Mutex::new(HashMap::new()) }
    }

    /// The sample with this index and with or without hints, made by `make` if it is not here.
    ///
    /// Never waits: a process that was forked while a thread held the lock would wait for ever.
    pub fn get<E>(
        &self,
        index: u64,
        hints: bool,
        make: impl FnOnce() -> Result<Sample, E>,
    ) -> Result<Arc<Sample>, E> {
        let known = self.samples.try_lock().ok();
        if let Some(sample) = known.and_then(|samples| samples.get(&(index, hints)).cloned()) {
            return Ok(sample);
        }
        let sample = Arc::new(make()?);
        let bytes = bytes(&sample);
        if KEPT.load(Ordering::Relaxed).saturating_add(bytes) <= self.limit
            && let Ok(mut samples) = self.samples.try_lock()
            && samples.insert((index, hints), sample.clone()).is_none()
        {
            KEPT.fetch_add(bytes, Ordering::Relaxed);
        }
        Ok(sample)
    }
}

impl Drop for Cache {
    fn drop(&mut self) {
        if let Ok(samples) = self.samples.get_mut() {
            let kept: usize = samples.values().map(|sample| bytes(sample)).sum();
            KEPT.fetch_sub(kept, Ordering::Relaxed);
        }
    }
}

/// About how much memory a sample takes.
fn bytes(sample: &Sample) -> usize {
    let (graph, inputs) = (&sample.graph, &sample.inputs);
    let (n_nodes, n_arcs) = (graph.n_nodes(), 2 * graph.n_edges());
    let weights = if graph.is_weighted() { 8 * n_arcs } else { 0 };
    let positions = if graph.positions().is_some() { 16 * n_nodes } else { 0 };
    let phases = inputs.randomness.as_ref().map_or(0, |random| random.phases().len());
    let outputs = sample.trajectory.outputs.iter().map(|output| 8 * output.count().unwrap_or(1));
    let rest = 512 + outputs.sum::<usize>() + sample.trajectory.hint_bytes();
    4 * (n_nodes + n_arcs) + weights + positions + 8 * phases * n_nodes + rest
}
