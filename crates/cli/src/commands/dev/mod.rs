//! `salsa dev`: checks for those who work on the models.

mod parity;

use std::io::Write;

use clap::Subcommand;

use crate::failure::Failure;

/// Check the models against reference computations
#[derive(Debug, Subcommand)]
#[command(after_help = "Example: salsa dev parity crates/learn/tests/parity/bfs-*.safetensors")]
pub enum Dev {
    Parity(parity::Parity),
}

impl Dev {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        match self {
            Self::Parity(parity) => parity.run(out),
        }
    }
}
