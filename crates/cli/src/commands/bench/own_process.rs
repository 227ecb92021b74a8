//! One cell of a measurement in a process of its own, so that its peak memory is its own too.

use std::process::Command;

use serde::de::DeserializeOwned;

use crate::failure::Failure;
use crate::program::program;

/// What `salsa bench` with these words and `--one` prints as JSON; `cell` is what failures call it.
pub fn in_own_process<T: DeserializeOwned>(
    cell: &str,
    words: &[&str],
    environment: &[(&str, &str)],
) -> Result<T, Failure> {
    let failed = |what: String| Failure::System(format!("{cell}: {what}"));
    let output = Command::new(program())
        .arg("bench")
        .args(words)
        .arg("--one")
        .envs(environment.iter().copied())
        .output()
        .map_err(|error| failed(error.to_string()))?;
    if output.status.success() {
        return serde_json::from_slice(&output.stdout).map_err(|error| failed(error.to_string()));
    }
    let told = String::from_utf8_lossy(&output.stderr);
    let told = told.trim().trim_start_matches("error: ");
    match output.status.code() {
        Some(2) => Err(Failure::mistake(told)),
        Some(_) => Err(failed(told.to_owned())),
        None => {
            Err(failed(format!("the process was ended: {}; too little memory?", output.status)))
        }
    }
}
