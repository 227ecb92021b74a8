//! Pictures of graphs and trajectories as SVG text.
//!
//! [`picture`] shows the output of an execution as the paper's figures do, [`strip`] its steps
//! side by side, [`animation`] its steps one after the other. What is drawn follows from the spec
//! alone, so a new algorithm has pictures at once; the looks of known hints stand in `meaning`.
//! A picture is a pure function of its arguments: no clock, no fonts, a fixed random stream.
//!
//! ```
//! use salsa_traces::{algorithms, draw, execution::*, graph::Graph};
//! let graph = Graph::from_edges(4, &[(0, 1), (1, 2), (2, 3), (0, 3)])?;
//! let inputs = Inputs { source: Some(0), randomness: None };
//! let options = Options { hints: true, convention: Default::default() };
//! let (inputs, trajectory) = execute(algorithms::find("bfs")?, &graph, inputs, options)?;
//! let svg = draw::picture(&graph, &inputs, &trajectory, &draw::Options::default());
//! assert!(svg.starts_with("<svg"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// Where the nodes are.
mod legibility;
mod stress;

mod layout;

// What is shown.
mod xml;

mod scene;

mod meaning;
mod output;
mod step;

// How it is drawn.
mod palette;

mod options;

mod clock;
mod marks;
mod notes;

mod panel;

mod captions;
mod legend;

mod svg;

#[cfg(test)]
mod examples;

pub use layout::{Placement, layout};
pub use options::Options;
pub use svg::{animation, picture, strip};
pub(crate) use xml::escape;
