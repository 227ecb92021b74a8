//! A run is read or refused in one line, whatever the text; what is read can be written and read
//! again, and laid over another.

#![no_main]

use libfuzzer_sys::fuzz_target;
use salsa_learn::model::processors;
use salsa_learn::run::Run;

fuzz_target!(|text: &str| {
    let names = processors::names();
    match Run::parse("fuzz.toml", text, &names) {
        Err(error) => assert!(!error.to_string().contains('\n'), "{error}"),
        Ok(run) => {
            let again = Run::parse("again.toml", &run.to_toml(), &names).unwrap();
            assert_eq!(again, run.resolved());
            assert_eq!(run.with("fuzz.toml", text, &names).unwrap(), run);
        }
    }
});
