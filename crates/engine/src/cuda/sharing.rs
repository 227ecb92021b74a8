//! The part of a GPU that a device takes, which grows when others on it are done.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::CudaOptions;

/// Devices of this process that are open, by GPU.
static OPEN: Mutex<BTreeMap<usize, usize>> = Mutex::new(BTreeMap::new());

fn open() -> MutexGuard<'static, BTreeMap<usize, usize>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One of the devices on a GPU, as long as it is open.
#[derive(Debug)]
pub(super) struct Share {
    ordinal: usize,
    /// How many devices it was told to expect.
    expected: usize,
}

impl Share {
    pub(super) fn new(options: CudaOptions) -> Self {
        *open().entry(options.ordinal).or_default() += 1;
        Self { ordinal: options.ordinal, expected: options.sharing }
    }

    /// Into how many parts the GPU is cut now.
    pub(super) fn n_parts(&self) -> usize {
        open()[&self.ordinal].min(self.expected).max(1)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        if let Some(count) = open().get_mut(&self.ordinal) {
            *count -= 1;
        }
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
