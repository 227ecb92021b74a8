//! Bytes are a shard or an error.
//!
//! Checksums keep chance changes away from what is behind them, so the bytes are also read with
//! checksums that are right.

#![no_main]

use libfuzzer_sys::fuzz_target;
use salsa_traces::export::arrow::{Shard, reseal};

fuzz_target!(|bytes: &[u8]| {
    read(bytes.to_vec());
    let mut sealed = bytes.to_vec();
    if reseal(&mut sealed).is_some() {
        read(sealed);
    }
});

fn read(bytes: Vec<u8>) {
    let Ok(shard) = Shard::from_bytes(bytes.into()) else { return };
    // An index may promise more samples than there is time for.
    for index in shard.samples().take(20) {
        for hints in [false, true] {
            let Ok(sample) = shard.sample(index, hints) else { continue };
            sample.content_hash();
            for (_, hint) in sample.trajectory.recorded_hints() {
                let _ = hint.at(hint.n_steps() - 1);
            }
        }
    }
}
