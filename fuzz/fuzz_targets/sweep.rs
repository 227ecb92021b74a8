//! A sweep is read or refused in one line, whatever the text; its cells have names of their own.

#![no_main]

use std::collections::HashSet;

use libfuzzer_sys::fuzz_target;
use salsa_sweep::plan::Plan;

fuzz_target!(|text: &str| {
    // With a suite as text, so that no path in it is opened.
    let suite = include_str!("../../suites/paper.toml");
    match Plan::parse("fuzz.toml", text, Some(suite)) {
        Err(error) => assert!(!error.to_string().contains('\n'), "{error}"),
        Ok(plan) => {
            let names: HashSet<&str> = plan.cells().iter().map(|cell| cell.name()).collect();
            assert_eq!(names.len(), plan.cells().len());
        }
    }
});
