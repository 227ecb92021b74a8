//! Who works on a cell: claims on a shared file system, without a server and without clocks.
//!
//! The n-th claim on a cell is the file `claims/<cell>/<n>`. It is complete, and locked by its
//! holder, before it gets its name, and only one can get it: whoever wants to take over from the
//! holder of `n` makes `n + 1`, and of many who try one succeeds. The highest number holds the cell.
//!
//! A holder rewrites its claim again and again (its *heart beats*), says when it lets go, and looks
//! whether somebody took over, in which case it stops. Others may take over
//!
//! - when the holder let go;
//! - when it runs on the same machine and its lock is gone, as a killed process's is at once;
//! - when they have watched the claim for a whole lease by their own clock and it has not changed.
//!
//! No time of another machine is ever compared, so clocks need not agree. A holder that was only
//! slow (stopped, or cut off from the file system) may go on for a moment beside its successor.
//! That harms nothing: each works in a folder of its own number, and a record is published once.

mod file;
mod heart;
mod holder;
mod watch;

pub use file::{Claim, ClaimState, Content, current, take, take_next};
pub use heart::{Beating, Heart};
pub use holder::Holder;
pub use watch::Watch;

#[cfg(test)]
mod tests;
