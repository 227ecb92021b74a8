//! The part of a GPU that a device takes, which grows when others on it are done.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::CudaOptions;

/// How many devices of this process are open on each GPU.
static OPEN: Mutex<BTreeMap<usize, Arc<AtomicUsize>>> = Mutex::new(BTreeMap::new());

/// One of the devices on a GPU, as long as it is open.
#[derive(Debug)]
pub(super) struct Share {
    open: Arc<AtomicUsize>,
    /// How many devices it was told to expect.
    expected: usize,
}

impl Share {
    pub(super) fn new(options: CudaOptions) -> Self {
        let mut all = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        let open = Arc::clone(all.entry(options.ordinal).or_default());
        open.fetch_add(1, Ordering::Relaxed);
        Self { open, expected: options.sharing }
    }

    /// Into how many parts the GPU is cut now. Every operator asks.
    pub(super) fn n_parts(&self) -> usize {
        self.open.load(Ordering::Relaxed).min(self.expected).max(1)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.open.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_leave_is_shared_by_those_who_stay() {
        let options = CudaOptions { ordinal: usize::MAX, sharing: 3, ..CudaOptions::default() };
        let share = || Share::new(options);
        let (first, second) = (share(), share());
        assert_eq!((first.n_parts(), second.n_parts()), (2, 2));
        let others = [share(), share()];
        assert_eq!(first.n_parts(), 3, "no more than it was told to expect");
        drop((second, others));
        assert_eq!(first.n_parts(), 1);
    }
}
