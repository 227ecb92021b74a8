//! What comes next is made while the last is used.
//!
//! A thread makes batches one after the other and waits when a few are ready, so a GPU need not
//! wait for samples. Each is a function of its place alone: the order is that of the list, and
//! whoever stops in the middle of it can begin there again.

use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

/// How many may lie ready.
const READY: usize = 4;

/// Gives `used` what `made` makes of each item, in order. If `used` ends early, so does the making.
pub fn made_ahead<I: Send, T: Send, R>(
    items: impl Iterator<Item = I> + Send,
    made: impl Fn(I) -> T + Send,
    used: impl FnOnce(Receiver<T>) -> R,
) -> R {
    let (send, receive) = sync_channel(READY);
    thread::scope(|scope| {
        scope.spawn(move || {
            for item in items {
                // Nobody waits for more.
                if send.send(made(item)).is_err() {
                    return;
                }
            }
        });
        used(receive)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn everything_comes_in_order() {
        let squares = made_ahead(0..100, |i| i * i, |made| made.into_iter().collect::<Vec<_>>());
        assert_eq!(squares, (0..100).map(|i| i * i).collect::<Vec<_>>());
    }

    #[test]
    fn whoever_has_enough_waits_for_no_more() {
        let made = AtomicUsize::new(0);
        let count = |i: usize| made.fetch_add(1, Ordering::Relaxed).max(i);
        let first = made_ahead(0.., count, |made| made.into_iter().take(3).collect::<Vec<_>>());
        assert_eq!(first, [0, 1, 2]);
        assert!(made.into_inner() <= 3 + READY + 2);
    }

    #[test]
    fn an_error_comes_in_its_turn() {
        let made = |i: u32| if i == 5 { Err(i) } else { Ok(i) };
        let used =
            |made: Receiver<Result<u32, u32>>| made.into_iter().collect::<Result<Vec<_>, _>>();
        assert_eq!(made_ahead(0..9, made, used), Err(5));
    }

    #[test]
    #[should_panic]
    fn a_panic_does_not_look_like_the_end() {
        made_ahead(0..9, |i| assert_ne!(i, 5), |made| made.into_iter().count());
    }
}
