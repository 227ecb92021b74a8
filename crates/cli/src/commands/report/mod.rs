//! `salsa report`: records as tables, or all of them as a page.

mod format;
pub mod newest;
mod rendered;

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::PossibleValuesParser;
use salsa_report::formats::terminal::Terminal;
use salsa_report::read::{ReadError, read};
use salsa_report::study::Study;
use salsa_report::tables::{self, Kind};

use crate::failure::Failure;
use crate::files::write_whole;
use crate::page::{Extras, html, open_in_browser, page};
use format::Format;
use rendered::{Page, Whole, rendered};

/// Make the paper's tables of records
///
/// Reads folders of sweeps and files of records, and shows mean and standard deviation over seeds:
/// each algorithm by its own metric, single metrics, hints against none, and ours beside the
/// paper's. Results of other programs join the same tables.
///
/// With --format html, one file for browsers has all tables, accuracy over sizes, training curves
/// and a player that steps through executions, with the answers of the networks whose checkpoints
/// are in the sweeps' folders. It needs no network.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  salsa report salsa-sweeps/quick
  salsa report salsa-sweeps/quick --open
  salsa report salsa-sweeps/quick --format html --out quick.html
  salsa report salsa-sweeps/quick --add mymodel.csv --table all
  salsa report salsa-sweeps/paper-table1 --format latex --table all --out tables")]
pub struct Report {
    /// Folders of sweeps, or files of records [default: the newest sweep in salsa-sweeps]
    #[arg(value_name = "FOLDER|FILE")]
    from: Vec<PathBuf>,

    /// Results of other programs: JSON Lines, or CSV with the columns
    /// algorithm,model,seed,split,metric,value[,graphs,hints,convention]
    #[arg(long, value_name = "FILE")]
    add: Vec<PathBuf>,

    /// Which table
    #[arg(long, value_name = "NAME", default_value = "main", value_parser = names())]
    table: String,

    /// How it looks
    #[arg(long, value_enum, default_value_t)]
    format: Format,

    /// A whole LaTeX document, not a part to read into one; with --out it is always written
    #[arg(long)]
    document: bool,

    /// The folder to write to, a file each table, instead of printing; of html, the file
    /// [default: report.html]
    #[arg(long, value_name = "DIR|FILE")]
    out: Option<PathBuf>,

    #[command(flatten)]
    page: PageArguments,
}

/// What can be chosen for a page.
#[derive(Debug, Args)]
struct PageArguments {
    /// Write the page and open it in the browser
    #[arg(long, help_heading = "Page")]
    open: bool,

    /// Small samples of each algorithm in the player
    #[arg(long, value_name = "N", default_value_t = 2, help_heading = "Page")]
    samples: usize,

    /// Leave the player out
    #[arg(long, help_heading = "Page")]
    no_player: bool,

    /// What salsa bench scaling --format json has measured, as a figure
    #[arg(long, value_name = "FILE", help_heading = "Page")]
    scaling: Option<PathBuf>,
}

/// The file of a page, unless another is asked for.
const PAGE: &str = "report.html";

fn names() -> PossibleValuesParser {
    tables::ALL.iter().map(|kind| kind.name).chain(["all"]).collect::<Vec<_>>().into()
}

impl Report {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        if self.document && self.format != Format::Latex {
            return Err(Failure::mistake("--document goes with --format latex"));
        }
        let paths = self.paths()?;
        let study = self.study(&paths)?;
        if self.format == Format::Html || self.page.open {
            return self.write_page(out, &study, paths);
        }
        let kinds: Vec<&Kind> = match Kind::named(&self.table) {
            Some(kind) => vec![kind],
            None => tables::ALL.to_vec(),
        };
        let whole = match (&self.out, self.document) {
            (Some(_), _) => Whole::Beside,
            (None, true) => Whole::Printed,
            (None, false) => Whole::No,
        };
        let pages = rendered(&study, &kinds, self.format, self.terminal(), whole)?;
        match &self.out {
            Some(folder) => write(out, folder, &pages),
            None => print(out, &pages),
        }
    }

    fn write_page(
        &self,
        out: &mut impl Write,
        study: &Study,
        folders: Vec<PathBuf>,
    ) -> Result<(), Failure> {
        let extras = Extras {
            samples: (!self.page.no_player).then_some(self.page.samples),
            folders,
            scaling: self.page.scaling.clone(),
        };
        let path = match &self.out {
            Some(folder) if folder.is_dir() => folder.join(PAGE),
            Some(file) => file.clone(),
            None => PathBuf::from(PAGE),
        };
        write_whole(&path, html(&page(study, &extras)?)?.as_bytes())?;
        writeln!(out, "{}", path.display()).map_err(Failure::output)?;
        if self.page.open { open_in_browser(&path) } else { Ok(()) }
    }

    /// Where records are, but for those that are added.
    fn paths(&self) -> Result<Vec<PathBuf>, Failure> {
        let mut paths = self.from.clone();
        if paths.is_empty() {
            match newest::sweep(Path::new("salsa-sweeps")) {
                Ok(sweep) => paths.push(sweep),
                // What was added is enough.
                Err(_) if !self.add.is_empty() => {}
                Err(none) => return Err(none),
            }
        }
        Ok(paths)
    }

    fn study(&self, paths: &[PathBuf]) -> Result<Study, Failure> {
        let mut entries = Vec::new();
        for path in paths.iter().chain(&self.add) {
            entries.extend(read(path)?);
        }
        Study::new(entries).map_err(Failure::mistake)
    }

    /// What the output can show: a file gets neither colours nor the width of a window.
    fn terminal(&self) -> Terminal {
        let is_terminal = self.out.is_none() && std::io::stdout().is_terminal();
        let is_unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let size = crossterm::terminal::size().ok().filter(|_| is_terminal);
        Terminal {
            width: size.map_or(100, |(columns, _)| usize::from(columns).max(60)),
            colours: is_terminal && !is_unwanted,
        }
    }
}

fn print(out: &mut impl Write, pages: &[Page]) -> Result<(), Failure> {
    let texts: Vec<&str> = pages.iter().map(|page| page.text.as_str()).collect();
    out.write_all(texts.join("\n").as_bytes()).map_err(Failure::output)
}

fn write(out: &mut impl Write, folder: &Path, pages: &[Page]) -> Result<(), Failure> {
    for page in pages {
        let path = folder.join(&page.file);
        write_whole(&path, page.text.as_bytes())?;
        writeln!(out, "{}", path.display()).map_err(Failure::output)?;
    }
    Ok(())
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        use salsa_records::store::StoreError;
        match error {
            ReadError::Store(StoreError::File { path, error }) => {
                Self::reading(Path::new(&path), &error)
            }
            other => Self::mistake(other),
        }
    }
}
