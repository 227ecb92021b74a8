//! Bytes are a checkpoint or an error; a checkpoint that was read is written as the same state.
//!
//! The checksum keeps chance changes away from what is behind it, so the texts that the header
//! holds are also read on their own.

#![no_main]

use libfuzzer_sys::fuzz_target;
use salsa_learn::checkpoint::{Checkpoint, Progress};
use salsa_learn::compute::Compute;
use salsa_learn::model::processors;
use salsa_learn::network::Network;

fuzz_target!(|bytes: &[u8]| {
    let names = processors::names();
    match Checkpoint::from_bytes(bytes, &names) {
        Err(error) => assert!(!error.to_string().contains('\n'), "{error}"),
        Ok(checkpoint) => {
            let written = checkpoint.to_bytes().unwrap();
            let again = Checkpoint::from_bytes(&written, &names).unwrap();
            assert_eq!(again.to_bytes().unwrap(), written);
            // Larger networks take too long to build at every input.
            if checkpoint.run.model.hidden <= 16 {
                let _ = Network::restore(&checkpoint, Compute::Cpu { n_threads: 1 });
            }
        }
    }
    if let Ok(progress) = serde_json::from_slice::<Progress>(bytes) {
        let text = serde_json::to_string(&progress).unwrap();
        let again: Progress = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::to_string(&again).unwrap(), text);
    }
});
