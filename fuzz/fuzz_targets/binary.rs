//! Bytes are records or an error.
//!
//! The hash of a record keeps chance changes away from what is behind it, so the body of the first
//! one is also decoded without a look at its hash.

#![no_main]

use libfuzzer_sys::fuzz_target;
use salsa_traces::export::binary::{MAGIC, Records, decode};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(records) = Records::new(bytes) {
        let _ = records.take_while(Result::is_ok).count();
    }
    // After the mark of the file and the length of the record, and before its hash.
    let body = MAGIC.len() + 4..bytes.len().saturating_sub(32);
    let Some(Ok(sample)) = bytes.get(body).map(decode) else { return };
    sample.content_hash();
    for (_, hint) in sample.trajectory.recorded_hints() {
        let _ = hint.at(hint.n_steps() - 1);
    }
});
