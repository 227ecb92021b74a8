//! The `salsa` command.
fn main() {}
