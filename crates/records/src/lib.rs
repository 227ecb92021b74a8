//! Results as data: what was trained, how, and how good it is.
//!
//! A [`Record`] is one line of JSON about one trained network and everything that decides its
//! figures. Whoever runs experiments writes records and whoever makes tables reads them; neither
//! needs the other, and this crate knows no network. `docs/records.md` describes every field.

pub mod exact_json;

pub mod confidence;

mod computed;
mod record;
mod result;
pub mod store;
mod training;

pub use computed::Computed;
pub use record::{CheckpointFile, Circumstances, Record, SCHEMA};
pub use result::{Data, Group, SetResult, SplitResult};
pub use training::{Ending, Epoch, LossTerms, Training};
