//! Bytes are the samples of an NPZ file or an error.
//!
//! A checksum keeps chance changes away from what is behind it, so the bytes are also read with
//! one that is right.

#![no_main]

use libfuzzer_sys::fuzz_target;
use salsa_traces::export::npz::{read, reseal};

fuzz_target!(|bytes: &[u8]| {
    all(bytes.to_vec());
    let mut sealed = bytes.to_vec();
    if reseal(&mut sealed).is_some() {
        all(sealed);
    }
});

fn all(bytes: Vec<u8>) {
    let Ok(rows) = read(bytes.into()) else { return };
    // There may be more samples than there is time for.
    for index in rows.samples().take(20) {
        for hints in [false, true] {
            let Ok(sample) = rows.sample(index, hints) else { continue };
            sample.content_hash();
            for (_, hint) in sample.trajectory.recorded_hints() {
                let _ = hint.at(hint.n_steps() - 1);
            }
        }
    }
}
