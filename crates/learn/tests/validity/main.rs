//! Correct answers are accepted, wrong ones refused for the right reason.
//!
//! Four views: what the algorithms record is correct; so are answers of other searches; damage is
//! named; and on tiny graphs every answer there is gets the verdict of its definition.

#![expect(clippy::unwrap_used, reason = "a step that fails is a test that fails")]

mod alternatives;
mod corruptions;
mod exhaustive;
mod list;
#[path = "../listed/mod.rs"]
mod listed;
mod problems;
mod recorded;
