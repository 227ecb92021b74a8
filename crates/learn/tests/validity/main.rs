//! Correct answers are accepted, wrong ones refused for the right reason.
//!
//! Three views: what the algorithms record is correct; so are answers of other searches; damage is
//! named.

#![expect(clippy::unwrap_used, reason = "a step that fails is a test that fails")]

mod alternatives;
mod corruptions;
mod list;
mod problems;
mod recorded;
