//! A line of JSON is a case, a sample or an error; a sample can be written and read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use salsa_traces::algorithms;
use salsa_traces::export::json_lines::{line, read_case, read_sample};

fuzz_target!(|text: &str| {
    if read_case(text).is_err() {
        return;
    }
    for name in ["bfs", "mis", "dijkstra"] {
        let spec = algorithms::find(name).unwrap().spec();
        let Ok(sample) = read_sample(text, spec) else { continue };
        let written = String::from_utf8(line(&sample, None)).unwrap();
        let again = read_sample(&written, spec).unwrap();
        assert_eq!(again.content_hash(), sample.content_hash());
    }
});
