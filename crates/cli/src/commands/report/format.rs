//! What a report can look like.

use clap::ValueEnum;

/// How tables look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Format {
    /// For people, in colours where there are any
    #[default]
    Terminal,
    /// As GitHub reads it
    Markdown,
    /// With booktabs
    Latex,
    /// For programs: a figure a line
    Csv,
    /// One page with tables, plots and a player, for browsers
    Html,
}
