//! The undirected graph every algorithm runs on.

mod connectivity;
mod csr;
mod depth_first;
mod edge;
mod entries;
mod error;
mod low_link;
mod rows;
mod stored;

pub use connectivity::{Components, is_connected};
pub use csr::Graph;
pub use depth_first::{DepthFirst, depth_first};
pub use edge::{Edge, Row};
pub use entries::Entries;
pub use error::GraphError;
pub use low_link::{LowLink, low_link};
