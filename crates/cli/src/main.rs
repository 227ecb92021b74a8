//! The `salsa` command.

#[allow(dead_code, reason = "the commands that draw are not here yet")]
mod plot;
#[allow(dead_code, reason = "the commands that draw are not here yet")]
mod png;

fn main() {}
