//! The commands, one file each: parse, call one library function, print.

mod bench;
mod completions;
mod convert;
mod demo;
mod dev;
mod draw;
mod evaluate;
mod execute;
mod generate;
mod inspect;
mod list;
mod man;
mod predict;
mod report;
mod serve;
mod stats;
mod sweep;
mod train;
mod verify;

use std::io::Write;

use clap::Subcommand;

use crate::failure::Failure;

pub use bench::scaling_lines;

/// What `salsa` can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    List(list::List),
    Generate(generate::Generate),
    Convert(convert::Convert),
    Inspect(inspect::Inspect),
    Draw(draw::Draw),
    Execute(execute::Execute),
    Stats(stats::Stats),
    Verify(verify::Verify),
    Train(train::Train),
    Evaluate(evaluate::Evaluate),
    Predict(predict::Predict),
    #[command(subcommand, arg_required_else_help = false)]
    Sweep(sweep::Sweep),
    Report(report::Report),
    Serve(serve::Serve),
    Demo(demo::Demo),
    #[command(subcommand, arg_required_else_help = false)]
    Bench(bench::Bench),
    #[command(subcommand, arg_required_else_help = false)]
    Dev(dev::Dev),
    Completions(completions::Completions),
    Man(man::Man),
}

impl Command {
    /// Does it.
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        match self {
            Self::List(list) => list.run(out),
            Self::Generate(generate) => generate.run(out),
            Self::Convert(convert) => convert.run(out),
            Self::Inspect(inspect) => inspect.run(out),
            Self::Draw(draw) => draw.run(out),
            Self::Execute(execute) => execute.run(out),
            Self::Stats(stats) => stats.run(out),
            Self::Verify(verify) => verify.run(out),
            Self::Train(train) => train.run(out),
            Self::Evaluate(evaluate) => evaluate.run(out),
            Self::Predict(predict) => predict.run(out),
            Self::Sweep(sweep) => sweep.run(out),
            Self::Report(report) => report.run(out),
            Self::Serve(serve) => serve.run(out),
            Self::Demo(demo) => demo.run(out),
            Self::Bench(bench) => bench.run(out),
            Self::Dev(dev) => dev.run(out),
            Self::Completions(completions) => completions.run(out),
            Self::Man(man) => man.run(out),
        }
    }
}

impl Default for Command {
    fn default() -> Self {
        Self::Demo(demo::Demo::default())
    }
}
