//! The heart of a process: one thread that shows for all its claims that it is alive, and looks
//! whether any was lost.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::Duration;

use super::Claim;

/// A thread that beats until it is dropped.
#[derive(Debug)]
pub struct Heart {
    claims: Arc<Mutex<Vec<Arc<Beating>>>>,
    /// Dropped to end the thread.
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// A claim whose heart beats.
#[derive(Debug)]
pub struct Beating {
    claim: Claim,
    /// The cell's record: once it is there, there is nothing to do any more.
    record: PathBuf,
    is_lost: AtomicBool,
}

/// Beats in a lease: a few may come late without harm.
const BEATS: u32 = 6;

impl Heart {
    /// Beats often enough for a lease.
    pub fn start(lease: Duration) -> Self {
        let claims: Arc<Mutex<Vec<Arc<Beating>>>> = Arc::default();
        let (end, ended) = mpsc::channel();
        let pause = (lease / BEATS).max(Duration::from_millis(5));
        let of_thread = Arc::clone(&claims);
        let thread = std::thread::spawn(move || {
            while ended.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                let now: Vec<Arc<Beating>> = held(&of_thread).clone();
                for beating in now {
                    // A beat that cannot be written is missed; others decide what that means.
                    let _ = beating.claim.beat();
                    if beating.claim.is_superseded() || beating.record.exists() {
                        beating.is_lost.store(true, Ordering::SeqCst);
                    }
                }
            }
        });
        Self { claims, end: Some(end), thread: Some(thread) }
    }

    /// Beats for this claim as well, until it is let go.
    pub fn hold(&self, claim: Claim, record: PathBuf) -> Arc<Beating> {
        let beating = Arc::new(Beating { claim, record, is_lost: AtomicBool::new(false) });
        held(&self.claims).push(Arc::clone(&beating));
        beating
    }

    /// Lets a claim go, so that anybody may take the cell.
    pub fn let_go(&self, beating: &Arc<Beating>) -> std::io::Result<()> {
        held(&self.claims).retain(|held| !Arc::ptr_eq(held, beating));
        beating.claim.release()
    }
}

impl Beating {
    /// The claim.
    pub fn claim(&self) -> &Claim {
        &self.claim
    }

    /// Whether somebody took over, or there is nothing to do any more.
    pub fn is_lost(&self) -> bool {
        self.is_lost.load(Ordering::SeqCst)
    }
}

impl Drop for Heart {
    fn drop(&mut self) {
        self.end.take();
        if let Some(thread) = self.thread.take() {
            // It has nothing to panic about; and if it did, this is no place to tell.
            let _ = thread.join();
        }
    }
}

fn held(claims: &Mutex<Vec<Arc<Beating>>>) -> MutexGuard<'_, Vec<Arc<Beating>>> {
    claims.lock().unwrap_or_else(|broken| broken.into_inner())
}
