//! Bytes are the samples of an NPZ file or an error.

#![no_main]

mod samples;

use libfuzzer_sys::fuzz_target;
use salsa_traces::export::npz::{read, reseal};

fuzz_target!(|bytes: &[u8]| samples::also_sealed(bytes, reseal, all));

fn all(bytes: Vec<u8>) {
    let Ok(rows) = read(bytes.into()) else { return };
    samples::used(rows.samples(), |index, hints| rows.sample(index, hints));
}
