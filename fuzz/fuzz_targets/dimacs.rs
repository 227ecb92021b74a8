//! The DIMACS reader gives a graph or an error, whatever the text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use salsa_traces::readers::{Format, parse};

fuzz_target!(|text: &str| {
    let _ = parse(Format::Dimacs, text);
});
