//! `salsa draw`: a sample as a picture, a strip of its steps or an animation.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use salsa_traces::draw::{self, Options};

use crate::failure::Failure;
use crate::files::write_whole;
use crate::one_sample::SampleArguments;
use crate::png;

/// Draw a sample's output, steps or animation as SVG or PNG
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  salsa draw --algorithm bfs --split er_16 --index 2 --out bfs.svg
  salsa draw --algorithm dfs --split er_16 --show strip --out dfs.png
  salsa draw --algorithm mis --generator delaunay --show animation --out mis.svg")]
pub struct Draw {
    #[command(flatten)]
    sample: SampleArguments,

    /// What to draw
    #[arg(long, value_enum, default_value_t)]
    show: Show,

    /// The file to write; its ending, .svg or .png, says how
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,

    /// Width in pixels
    #[arg(long, value_name = "PIXELS", default_value_t = 900)]
    width: u32,

    /// Steps that a strip shows at most
    #[arg(long, value_name = "N", default_value_t = 12)]
    panels: usize,

    /// Seconds an animation shows each step
    #[arg(long, default_value_t = 0.8)]
    seconds: f64,

    /// Light lines on a dark ground
    #[arg(long)]
    dark: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Show {
    /// The output, as in the paper's figures
    #[default]
    Output,
    /// Small pictures of the steps side by side
    Strip,
    /// The steps one after the other (SVG only)
    Animation,
}

impl Draw {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let extension = self.out.extension().and_then(|extension| extension.to_str());
        let is_png = match extension {
            Some("svg") => false,
            Some("png") if self.show == Show::Animation => {
                return Err(Failure::mistake("--out: an animation is drawn as .svg, not as .png"));
            }
            Some("png") => true,
            _ => return Err(Failure::mistake("--out: expected a file ending in .svg or .png")),
        };
        if !(64..=16_384).contains(&self.width) {
            let width = self.width;
            return Err(Failure::mistake(format!("--width: expected 64 to 16384, found {width}")));
        }
        if !(self.seconds > 0.0 && self.seconds <= 3600.0) {
            let seconds = self.seconds;
            return Err(Failure::mistake(format!(
                "--seconds: expected more than 0 and at most 3600, found {seconds}"
            )));
        }
        let sample = self.sample.load()?;
        let options = Options {
            size: f64::from(self.width),
            max_panels: self.panels.max(1),
            seconds_per_step: self.seconds,
            dark: self.dark,
            ..Options::default()
        };
        let draw = match self.show {
            Show::Output => draw::picture,
            Show::Strip => draw::strip,
            Show::Animation => draw::animation,
        };
        let svg = draw(&sample.graph, &sample.inputs, &sample.trajectory, &options);
        let bytes = match is_png {
            true => png::render(&svg, 2.0).map_err(|error| Failure::System(error.to_string()))?,
            false => svg.into_bytes(),
        };
        write_whole(&self.out, &bytes)?;
        writeln!(out, "{}", self.out.display()).map_err(Failure::output)
    }
}
