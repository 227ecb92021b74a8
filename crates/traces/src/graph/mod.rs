//! The undirected graph every algorithm runs on.

mod connectivity;
mod csr;
mod depth_first;
mod low_link;

pub use connectivity::{Components, is_connected};
pub use csr::{Edge, Graph, GraphError, Row};
pub use depth_first::{DepthFirst, depth_first};
pub use low_link::{LowLink, low_link};
