//! Bytes are a shard or an error.

#![no_main]

mod samples;

use libfuzzer_sys::fuzz_target;
use salsa_traces::export::arrow::{Shard, reseal};

fuzz_target!(|bytes: &[u8]| samples::also_sealed(bytes, reseal, all));

fn all(bytes: Vec<u8>) {
    let Ok(shard) = Shard::from_bytes(bytes.into()) else { return };
    samples::used(shard.samples(), |index, hints| {
        let sample = shard.sample(index, hints);
        assert!(hints || shard.ready(index).is_ok() == sample.is_ok());
        sample
    });
}
