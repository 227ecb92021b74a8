//! A record is read or refused, whatever the text; what is read is written and read the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use salsa_records::Record;

fuzz_target!(|text: &str| {
    if let Ok(record) = serde_json::from_str::<Record>(text) {
        let written = serde_json::to_string(&record).unwrap();
        let again: Record = serde_json::from_str(&written).unwrap();
        assert_eq!(serde_json::to_string(&again).unwrap(), written);
    }
});
