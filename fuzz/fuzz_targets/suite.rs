//! A suite is read or refused in one line, whatever the text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use salsa_traces::suite::Suite;

fuzz_target!(|text: &str| {
    if let Err(error) = Suite::parse("fuzz.toml", text) {
        assert!(!error.to_string().contains('\n'), "{error}");
    }
});
