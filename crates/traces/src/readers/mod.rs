//! Graphs from files, one format a file.
//!
//! Every reader takes the whole text and gives a simple undirected [`Graph`]: the two directions of
//! an edge merge into one, self-loops are dropped (METIS forbids them), and weights stand on every
//! edge or on none. Nothing is allocated by a size that a header only claims, and whatever is wrong
//! with a file is told with its line. Adding a format is a file and a line in [`Format::ALL`].

mod dimacs;
mod edge_list;
mod graphml;
mod matrix_market;
mod metis;

mod declared;
mod error;
mod fields;
mod labels;
mod undirected;

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use thiserror::Error;

use crate::graph::Graph;
use crate::nearest::did_you_mean;

pub use error::ReadError;
pub use labels::Labels;

/// A file format for graphs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Lines `u v` or `u v weight`, as the SNAP and KONECT collections have them.
    EdgeList,
    /// Shortest-path (`.gr`) and colouring (`.col`) files of the DIMACS challenges.
    Dimacs,
    /// Coordinate matrices of the SuiteSparse collection.
    MatrixMarket,
    /// Adjacency lines, as METIS and the 10th DIMACS challenge have them.
    Metis,
    /// XML with nodes, edges and attributes.
    GraphMl,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 5] =
        [Self::EdgeList, Self::Dimacs, Self::MatrixMarket, Self::Metis, Self::GraphMl];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::EdgeList => "edge-list",
            Self::Dimacs => "dimacs",
            Self::MatrixMarket => "matrix-market",
            Self::Metis => "metis",
            Self::GraphMl => "graphml",
        }
    }

    /// The file extensions it is known by, in lower case and without the dot.
    pub fn extensions(self) -> &'static [&'static str] {
        match self {
            Self::EdgeList => &["txt", "edges", "el", "csv", "tsv"],
            Self::Dimacs => &["gr", "col", "dimacs"],
            Self::MatrixMarket => &["mtx"],
            Self::Metis => &["graph", "metis"],
            Self::GraphMl => &["graphml", "xml"],
        }
    }

    /// The format that a file's extension tells.
    ///
    /// ```
    /// use salsa_traces::readers::Format;
    /// assert_eq!(Format::from_path("maps/roads.GR".as_ref()), Some(Format::Dimacs));
    /// assert_eq!(Format::from_path("roads".as_ref()), None);
    /// ```
    pub fn from_path(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_lowercase();
        Self::ALL.into_iter().find(|format| format.extensions().contains(&&*extension))
    }

    /// The reader of this format.
    fn reader(self) -> fn(&str) -> Result<(Graph, Labels), ReadError> {
        match self {
            Self::EdgeList => edge_list::parse,
            Self::Dimacs => |text| Ok((dimacs::parse(text)?, Labels::FromOne)),
            Self::MatrixMarket => |text| Ok((matrix_market::parse(text)?, Labels::FromOne)),
            Self::Metis => |text| Ok((metis::parse(text)?, Labels::FromOne)),
            Self::GraphMl => graphml::parse,
        }
    }
}

/// The graph that `text` describes.
///
/// ```
/// use salsa_traces::readers::{Format, parse};
/// let path = parse(Format::EdgeList, "10 20 0.5\n20 30 1.5\n")?;
/// assert_eq!(path.edges().collect::<Vec<_>>(), [(0, 1), (1, 2)]);
///
/// let error = parse(Format::Dimacs, "p sp 2 1\na 1 2\n").unwrap_err();
/// assert_eq!(error.to_string(), "line 2: expected 4 fields in an arc line, found 3");
/// # Ok::<(), salsa_traces::readers::ReadError>(())
/// ```
pub fn parse(format: Format, text: &str) -> Result<Graph, ReadError> {
    Ok(parse_labelled(format, text)?.0)
}

fn parse_labelled(format: Format, text: &str) -> Result<(Graph, Labels), ReadError> {
    // Some editors begin a file with a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err(ReadError::at(1, "the file is empty"));
    }
    format.reader()(text)
}

/// The graph in the file at `path`; without a `format`, its extension tells which one it is.
pub fn read(path: &Path, format: Option<Format>) -> Result<Graph, ReadError> {
    Ok(read_labelled(path, format)?.0)
}

/// The same, with what the file calls its nodes.
pub fn read_labelled(path: &Path, format: Option<Format>) -> Result<(Graph, Labels), ReadError> {
    let format = format
        .or_else(|| Format::from_path(path))
        .ok_or_else(|| ReadError::UnknownExtension { path: path.to_owned() })?;
    let bytes = std::fs::read(path)
        .map_err(|problem| ReadError::Io { path: path.to_owned(), problem: problem.to_string() })?;
    match str::from_utf8(&bytes) {
        Ok(text) => parse_labelled(format, text),
        Err(invalid) => {
            let before = &bytes[..invalid.valid_up_to()];
            let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
            Err(ReadError::at(line, "expected UTF-8 text, found other bytes"))
        }
    }
    .map_err(|error| error.in_file(path))
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no format.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown graph format {name:?}, there is {known}{suggestion}")]
pub struct UnknownFormat {
    /// The name.
    pub name: String,
    /// Every name there is.
    pub known: String,
    /// The end of the message.
    pub suggestion: String,
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        let names = Self::ALL.map(Self::name);
        Self::ALL.into_iter().find(|format| format.name() == name).ok_or_else(|| UnknownFormat {
            name: name.to_owned(),
            known: names.join(", "),
            suggestion: did_you_mean(name, names),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_extensions_lead_back_to_their_format() {
        for format in Format::ALL {
            assert_eq!(format.name().parse(), Ok(format));
            for extension in format.extensions() {
                let path = format!("some/graph.{extension}");
                assert_eq!(Format::from_path(path.as_ref()), Some(format));
            }
        }
    }

    #[test]
    fn an_unknown_name_gets_a_suggestion() {
        let error = "metys".parse::<Format>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "unknown graph format \"metys\", there is edge-list, dimacs, matrix-market, metis, \
             graphml, did you mean \"metis\"?"
        );
    }

    #[test]
    fn an_empty_text_is_an_error_in_every_format() {
        for format in Format::ALL {
            for text in ["", "\u{feff}", " \n\n"] {
                let error = parse(format, text).unwrap_err();
                assert_eq!(error.to_string(), "line 1: the file is empty");
            }
        }
    }

    #[test]
    fn a_byte_order_mark_is_skipped() {
        assert_eq!(parse(Format::EdgeList, "\u{feff}0 1").unwrap().n_edges(), 1);
    }
}
