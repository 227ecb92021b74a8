//! What one picture shows: a style for every node and edge, before any colour or place.
//!
//! [`super::output`] and [`super::step`] fill a scene from the values of a trajectory with the
//! brushes below; [`super::panel`] draws it. Values for nodes or edges that the graph does not
//! have are passed over.

use super::xml::number;
use crate::graph::Graph;
use crate::spec::Field;
use crate::trajectory::Values;

/// Up to this many nodes there is room for a note beside each.
pub(super) const NOTES_UP_TO: usize = 40;

/// One picture.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Scene {
    pub nodes: Vec<NodeStyle>,
    /// In the order of [`Graph::edges`].
    pub edges: Vec<EdgeStyle>,
    /// For each node the node its arrow leads to.
    pub arrows: Vec<Option<u32>>,
    /// Values of the whole graph: `eccentricity = 3`.
    pub facts: Vec<String>,
    pub changed: Changed,
}

/// How a node looks.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct NodeStyle {
    pub fill: Fill,
    pub is_source: bool,
    pub is_waiting: bool,
    pub is_faded: bool,
    /// The node being looked at.
    pub is_current: bool,
    /// Small text beside the node, line by line.
    pub note: Vec<String>,
}

/// What a node is filled with; where several apply, the last one here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum Fill {
    #[default]
    Plain,
    Class {
        class: u8,
        classes: u8,
    },
    Reached,
    Done,
    Solution,
}

/// How an edge looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum EdgeStyle {
    #[default]
    Plain,
    Marked,
    Solution,
}

/// What is new since the step before; empty if there is none.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Changed {
    pub nodes: Vec<bool>,
    pub edges: Vec<bool>,
    pub arrows: Vec<bool>,
}

impl Scene {
    /// The graph without any value.
    pub(super) fn bare(graph: &Graph) -> Self {
        Self {
            nodes: vec![NodeStyle::default(); graph.n_nodes()],
            edges: vec![EdgeStyle::Plain; graph.n_edges()],
            arrows: vec![None; graph.n_nodes()],
            facts: Vec::new(),
            changed: Changed::default(),
        }
    }

    /// Lines of its longest note.
    pub(super) fn note_lines(&self) -> usize {
        self.nodes.iter().map(|style| style.note.len()).max().unwrap_or(0)
    }

    /// Changes the style of one node.
    pub(super) fn node(&mut self, node: u32, change: impl FnOnce(&mut NodeStyle)) {
        if let Some(style) = self.nodes.get_mut(node as usize) {
            change(style);
        }
    }

    /// Changes the styles of the nodes whose value in `mask` is `value`.
    pub(super) fn nodes_where(
        &mut self,
        mask: &[bool],
        value: bool,
        change: impl Fn(&mut NodeStyle),
    ) {
        let marked = self.nodes.iter_mut().zip(mask).filter(|(_, is_set)| **is_set == value);
        marked.for_each(|(style, _)| change(style));
    }

    /// Colours the edges that are in `mask`, one value an entry, in one direction or both.
    pub(super) fn edges_where(&mut self, graph: &Graph, mask: &[bool], style: EdgeStyle) {
        let edges: Vec<(u32, u32)> = graph.edges().collect();
        for ((u, v), _) in graph.entries().zip(mask).filter(|(_, is_set)| **is_set) {
            if let Ok(edge) = edges.binary_search(&(u.min(v), u.max(v))) {
                self.edges[edge] = style;
            }
        }
    }

    /// Shades the nodes by their class.
    pub(super) fn shade(&mut self, of_nodes: &[u8], classes: u8) {
        for (style, &class) in self.nodes.iter_mut().zip(of_nodes) {
            style.fill = style.fill.max(Fill::Class { class, classes });
        }
    }

    /// Draws arrows; a node that points to itself has none.
    pub(super) fn point(&mut self, targets: &[u32]) {
        let n_nodes = self.nodes.len() as u32;
        for (node, (arrow, &target)) in (0..).zip(self.arrows.iter_mut().zip(targets)) {
            *arrow = (target != node && target < n_nodes).then_some(target);
        }
    }

    /// Writes values beside each node, one below the other, as `show` tells them; nothing where it
    /// tells nothing for any of them.
    pub(super) fn write(&mut self, of_nodes: &[Vec<f64>], show: impl Fn(f64) -> Option<String>) {
        if self.nodes.len() > NOTES_UP_TO {
            return;
        }
        for (node, style) in self.nodes.iter_mut().enumerate() {
            let shown: Vec<Option<String>> =
                of_nodes.iter().map(|values| values.get(node).and_then(|&v| show(v))).collect();
            if shown.iter().any(Option::is_some) {
                let unset = || "–".to_owned();
                style.note = shown.into_iter().map(|text| text.unwrap_or_else(unset)).collect();
            }
        }
    }

    /// Notes a value of the whole graph.
    pub(super) fn tell(&mut self, field: &Field, values: &Values) {
        let value = match values {
            Values::Scalar(values) => values.first().map(|&value| number(value)),
            Values::Mask(values) => values.first().map(|&value| u8::from(value).to_string()),
            Values::Categorical(values) => values.first().map(u8::to_string),
            Values::MaskOne(node) => Some(node.to_string()),
            Values::Pointer(_) => None,
        };
        self.facts.extend(value.map(|value| format!("{} = {value}", field.base_name())));
    }
}
