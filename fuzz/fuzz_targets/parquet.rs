//! Bytes are the samples of a Parquet file or an error.

#![no_main]

mod samples;

use libfuzzer_sys::fuzz_target;
use salsa_traces::export::parquet::{read, reseal};

// Panics of the library underneath are caught where it is called; any other ends the process all
// the same.
fuzz_target!(init: std::panic::set_hook(Box::new(|_| {})), |bytes: &[u8]| {
    samples::also_sealed(bytes, reseal, all);
});

fn all(bytes: Vec<u8>) {
    let Ok(rows) = read(bytes.into()) else { return };
    samples::used(rows.samples(), |index, hints| rows.sample(index, hints));
}
