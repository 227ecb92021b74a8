//! A few threads that share the tasks of one operator.
//!
//! A training step is some hundred operators of ten to a hundred microseconds each, so handing out
//! work must cost about one: threads that wait spin for a moment before they sleep, and a task is
//! claimed by one atomic operation. A general thread pool wakes its threads by the kernel, which
//! takes longer than most operators here (`benchmarks/products` measures both).
//!
//! Every thread first takes tasks of its own run of numbers and then, from the other end, those
//! that others have not begun. Tasks are numbered by rows, so from operator to operator the same
//! thread meets the same rows, which are still in its cache.
//!
//! What a task computes never depends on which thread runs it, and callers cut work into tasks by
//! its size alone: results are the same for any number of threads.

use std::cell::{Cell, UnsafeCell};
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering, fence};
use std::thread::JoinHandle;

/// The work of one operator: called with the number of a task.
type Work<'a> = &'a (dyn Fn(usize) + Sync + 'a);

/// Threads waiting for work; the one that owns the team works too.
pub struct Team {
    shared: Arc<Shared>,
    workers: Vec<JoinHandle<()>>,
    /// Two threads must not give it work at once.
    one_caller: PhantomData<Cell<()>>,
}

/// A value in a cache line of its own: what one thread writes does not disturb who reads another.
#[repr(align(128))]
struct Apart<T>(T);

struct Shared {
    /// Tasks that are not yet claimed, for each thread: the first in the upper half, the end in
    /// the lower.
    unclaimed: Vec<Apart<AtomicU64>>,
    /// How many tasks each thread has ever finished. Only that thread writes it, so that no thread
    /// waits for another to count.
    finished: Vec<Apart<AtomicU64>>,
    work: UnsafeCell<Option<Work<'static>>>,
    sleeping: AtomicUsize,
    stopping: AtomicBool,
    failed: AtomicBool,
}

// SAFETY: `work` is written only while no task is unclaimed or running, and read only by a thread
// that has claimed a task, which the release store and acquire claim of `unclaimed` put in order.
unsafe impl Sync for Shared {}
unsafe impl Send for Shared {}

/// How often a waiting thread looks again before it yields, and before it sleeps.
const SPINS: u32 = 4_000;
const YIELDS: u32 = 400;

impl Team {
    /// A team of `n_threads`, the caller's included.
    pub fn new(n_threads: usize) -> Self {
        let shared = Arc::new(Shared {
            unclaimed: (0..n_threads.max(1)).map(|_| Apart(AtomicU64::new(0))).collect(),
            finished: (0..n_threads.max(1)).map(|_| Apart(AtomicU64::new(0))).collect(),
            work: UnsafeCell::new(None),
            sleeping: AtomicUsize::new(0),
            stopping: AtomicBool::new(false),
            failed: AtomicBool::new(false),
        });
        let workers = (1..n_threads.max(1))
            .map(|thread| {
                let shared = Arc::clone(&shared);
                std::thread::spawn(move || shared.wait_for_work(thread))
            })
            .collect();
        Self { shared, workers, one_caller: PhantomData }
    }

    /// How many threads work, the caller's included.
    pub fn n_threads(&self) -> usize {
        self.workers.len() + 1
    }

    /// Calls `work` once for each of `0..n_tasks`, on all threads, and returns when all are done.
    ///
    /// # Panics
    /// If a task does, or for more tasks than a 32-bit number can count.
    pub fn run(&self, n_tasks: usize, work: impl Fn(usize) + Sync) {
        if self.workers.is_empty() || n_tasks <= 1 {
            (0..n_tasks).for_each(work);
            return;
        }
        let shared = &*self.shared;
        let work: Work<'_> = &work;
        // SAFETY: the reference is used only by threads that claimed one of the tasks published
        // below, and this function does not return before all of those have finished.
        let work: Work<'static> = unsafe { std::mem::transmute::<Work<'_>, Work<'static>>(work) };
        // SAFETY: the last round is over, so no other thread reads the cell.
        unsafe { *shared.work.get() = Some(work) };
        assert!(u32::try_from(n_tasks).is_ok(), "{n_tasks} tasks");
        let n_threads = self.n_threads();
        let first = |thread: usize| (thread * n_tasks).div_ceil(n_threads) as u64;
        let finished = shared.n_finished() + n_tasks as u64;
        for (thread, unclaimed) in shared.unclaimed.iter().enumerate() {
            let own = first(thread) << 32 | first(thread + 1);
            unclaimed.0.store(own, Ordering::Release);
        }
        // Who sleeps can wait for one task more; by its end the stores have long arrived, and the
        // fence costs nothing.
        shared.work_once(0);
        fence(Ordering::SeqCst);
        if shared.sleeping.load(Ordering::Relaxed) > 0 {
            self.workers.iter().for_each(|worker| worker.thread().unpark());
        }
        while shared.work_once(0) {}
        let mut looks = 0;
        while shared.n_finished() < finished {
            looks += 1;
            if looks < SPINS { std::hint::spin_loop() } else { std::thread::yield_now() }
        }
        assert!(!shared.failed.load(Ordering::Relaxed), "a task of an operator panicked");
    }

    /// Cuts `0..len` into pieces of `size` and calls `work` for each.
    pub fn pieces(&self, len: usize, size: usize, work: impl Fn(Range<usize>) + Sync) {
        self.run(len.div_ceil(size), |i| work(i * size..((i + 1) * size).min(len)));
    }
}

impl Shared {
    /// Claims and runs one task, if there is one.
    fn work_once(&self, thread: usize) -> bool {
        let n_threads = self.unclaimed.len();
        let others = (1..n_threads).map(|i| (thread + i) % n_threads);
        let stolen = || others.into_iter().find_map(|other| self.claim(other, true));
        let Some(task) = self.claim(thread, false).or_else(stolen) else { return false };
        // SAFETY: a claimed task keeps its round alive, so the cell is not written.
        let work = unsafe { *self.work.get() };
        let run = std::panic::AssertUnwindSafe(|| {
            if let Some(work) = work {
                work(task);
            }
        });
        if std::panic::catch_unwind(run).is_err() {
            self.failed.store(true, Ordering::Relaxed);
        }
        let finished = &self.finished[thread].0;
        finished.store(finished.load(Ordering::Relaxed) + 1, Ordering::Release);
        true
    }

    fn n_finished(&self) -> u64 {
        self.finished.iter().map(|it| it.0.load(Ordering::Acquire)).sum()
    }

    /// The first or the last unclaimed task of a thread's run.
    fn claim(&self, thread: usize, last: bool) -> Option<usize> {
        let unclaimed = &self.unclaimed[thread].0;
        let mut now = unclaimed.load(Ordering::Acquire);
        loop {
            let (first, end) = (now >> 32, now & 0xffff_ffff);
            if first == end {
                return None;
            }
            let (task, left) = if last {
                (end - 1, first << 32 | (end - 1))
            } else {
                (first, (first + 1) << 32 | end)
            };
            match unclaimed.compare_exchange_weak(now, left, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return Some(task as usize),
                Err(changed) => now = changed,
            }
        }
    }

    /// Whether a thread's own run has tasks that nobody has claimed.
    fn has_tasks(&self, thread: usize) -> bool {
        let now = self.unclaimed[thread].0.load(Ordering::SeqCst);
        now >> 32 != now & 0xffff_ffff
    }

    fn wait_for_work(&self, thread: usize) {
        let mut looks = 0u32;
        while !self.stopping.load(Ordering::Relaxed) {
            // Only at its own tasks: to look at those of others would take the line that they
            // claim from out of their caches.
            if self.has_tasks(thread) {
                while self.work_once(thread) {}
                looks = 0;
                continue;
            }
            looks += 1;
            if looks < SPINS {
                std::hint::spin_loop();
            } else if looks < SPINS + YIELDS {
                std::thread::yield_now();
            } else {
                self.sleeping.fetch_add(1, Ordering::SeqCst);
                // Work published before the line above was seen is found by this look; work
                // published after it comes with an unpark.
                if !self.has_tasks(thread) && !self.stopping.load(Ordering::SeqCst) {
                    std::thread::park();
                }
                self.sleeping.fetch_sub(1, Ordering::SeqCst);
                looks = 0;
            }
        }
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        self.shared.stopping.store(true, Ordering::SeqCst);
        for worker in self.workers.drain(..) {
            worker.thread().unpark();
            // A panic of a task was reported by `run` already.
            let _ = worker.join();
        }
    }
}

impl std::fmt::Debug for Team {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Team of {}", self.n_threads())
    }
}

/// A slice whose disjoint parts are written by different tasks.
#[derive(Clone, Copy)]
pub struct Parts<'a, T> {
    start: *mut T,
    len: usize,
    slice: std::marker::PhantomData<&'a mut [T]>,
}

// SAFETY: a part is handed out by an unsafe method whose caller promises that parts do not overlap.
unsafe impl<T: Send> Sync for Parts<'_, T> {}
unsafe impl<T: Send> Send for Parts<'_, T> {}

impl<'a, T> Parts<'a, T> {
    /// Takes the slice for as long as its parts are in use.
    pub fn new(slice: &'a mut [T]) -> Self {
        Self { start: slice.as_mut_ptr(), len: slice.len(), slice: std::marker::PhantomData }
    }

    /// One part.
    ///
    /// # Safety
    /// No two parts in use at the same time may overlap.
    #[expect(clippy::mut_from_ref, reason = "parts are disjoint by the caller's promise")]
    pub unsafe fn part(&self, range: Range<usize>) -> &mut [T] {
        assert!(range.start <= range.end && range.end <= self.len, "a part outside its slice");
        // SAFETY: inside the slice, and disjoint from other parts by the caller's promise.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(range.start), range.len()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_runs_once_for_any_number_of_threads() {
        for n_threads in [1, 2, 3, 7] {
            let team = Team::new(n_threads);
            for n_tasks in [0, 1, 2, 5, 64, 1000] {
                let counts: Vec<_> = (0..n_tasks).map(|_| AtomicUsize::new(0)).collect();
                team.run(n_tasks, |i| {
                    counts[i].fetch_add(1, Ordering::Relaxed);
                });
                assert!(counts.iter().all(|count| count.load(Ordering::Relaxed) == 1));
            }
        }
    }

    #[test]
    fn a_team_that_fell_asleep_works_again() {
        let team = Team::new(3);
        for pause in [0, 50, 0] {
            std::thread::sleep(std::time::Duration::from_millis(pause));
            let sum = AtomicUsize::new(0);
            team.run(100, |i| {
                sum.fetch_add(i, Ordering::Relaxed);
            });
            assert_eq!(sum.into_inner(), 4950);
        }
    }

    #[test]
    #[should_panic(expected = "a task of an operator panicked")]
    fn a_panic_in_a_task_reaches_the_caller() {
        let team = Team::new(2);
        team.run(16, |i| assert!(i != 3));
    }
}
