//! `salsa sweep`: many trainings and their evaluations, on one machine or a cluster.

mod board;
mod crew;
mod dashboard;
mod estimate;
mod lines;
mod run;
mod status;
mod submit;
mod worker;

use std::io::Write;

use clap::Subcommand;

use crate::failure::Failure;

/// Train and evaluate many models, each recorded once
#[derive(Debug, Subcommand)]
#[command(after_help = "\
Examples:
  salsa sweep run runs/quick.toml
  salsa sweep run runs/paper-table1.toml --time-limit 9m
  salsa sweep status salsa-sweeps/paper-table1
  salsa sweep worker /shared/paper-table1")]
pub enum Sweep {
    Run(run::Run),
    Worker(worker::Worker),
    Submit(submit::Submit),
    Status(status::Status),
}

impl Sweep {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        match self {
            Self::Run(run) => run.run(out),
            Self::Worker(worker) => worker.run(out),
            Self::Submit(submit) => submit.run(out),
            Self::Status(status) => status.run(out),
        }
    }
}
