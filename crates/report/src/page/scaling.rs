//! How time and memory grow with graphs, as somebody measured it.

use serde::Serialize;

use super::rounded::Rounded;

/// Measurements that differ in the size of the graph only.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScalingLine {
    /// Device, model and work.
    pub name: String,
    /// Whether others measured it.
    pub quoted: bool,
    /// By size.
    pub points: Vec<ScalingPoint>,
}

/// One graph.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ScalingPoint {
    /// Its nodes.
    pub nodes: usize,
    /// Time, where it was measured.
    pub seconds: Option<Rounded>,
    /// Memory, where it was measured.
    pub bytes: Option<Rounded>,
}
