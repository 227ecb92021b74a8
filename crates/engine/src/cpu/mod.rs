//! The CPU: f32, vectorised, deterministic for any number of threads.
#![expect(unsafe_code, reason = "vector instructions and slices shared between threads")]
#![allow(missing_docs)]

pub mod lanes;
pub mod product;
