//! One panel: a graph in its place, with a scene or a sequence of scenes on it.
//!
//! Layers from back to front: halos, plain edges, marked edges, arrows, nodes, notes. A
//! still picture is
//! a sequence of one scene; see [`super::clock`] for how longer ones share their elements.

use super::clock::{Clock, runs};
use super::layout::Placement;
use super::marks::Marks;
use super::notes::note_places;
use super::palette::Palette;
use super::scene::{EdgeStyle, NodeStyle, Scene};
use crate::graph::Graph;

/// Comparing all pairs of nodes for the nearest two: only up to this many nodes.
const MAX_NODES_COMPARED: usize = 1000;

/// A graph in its place.
#[derive(Debug)]
pub(super) struct Panel {
    edges: Vec<(u32, u32)>,
    placement: Placement,
    marks: Marks,
    labels: bool,
}

/// How a panel is drawn.
#[derive(Debug, Clone, Copy)]
pub(super) struct Looks {
    pub palette: &'static Palette,
    pub labels: bool,
    /// Lines of the notes beside the nodes, for which the margin leaves room.
    pub note_lines: usize,
}

impl Panel {
    /// A panel of this width, at most four fifths as high, for a graph laid out at `points`.
    pub(super) fn new(graph: &Graph, points: &[[f64; 2]], width: f64, looks: Looks) -> Self {
        let Looks { palette, labels, note_lines } = looks;
        let largest = (0.045 * width).clamp(2.0, 15.0);
        let margin = largest * (1.9 + 0.75 * note_lines as f64) + 2.0;
        let placement = Placement::fit(points, width, 0.8 * width, margin);
        let marks = Marks { palette, radius: radius(&placement).min(largest) };
        Self { edges: graph.edges().collect(), placement, marks, labels }
    }

    pub(super) fn height(&self) -> f64 {
        self.placement.height
    }

    /// Whether nodes are large enough for their labels.
    pub(super) fn is_roomy(&self) -> bool {
        self.marks.radius >= 6.5
    }

    /// The scenes, one a frame of `clock`.
    pub(super) fn draw(&self, scenes: &[Scene], clock: &Clock) -> String {
        let [plain, marked] = self.edge_layers(scenes, clock);
        let (halos, arrows) = (self.halo_layer(scenes, clock), self.arrow_layer(scenes, clock));
        let (nodes, notes) = (self.node_layer(scenes, clock), self.note_layer(scenes, clock));
        let layers = [
            ("halos", halos),
            ("edges", plain),
            ("marked", marked),
            ("arrows", arrows),
            ("nodes", nodes),
            ("notes", notes),
        ];
        let drawn = layers.iter().filter(|(_, content)| !content.is_empty());
        drawn.map(|(name, content)| format!("<g class=\"{name}\">\n{content}</g>\n")).collect()
    }

    fn at(&self, node: u32) -> [f64; 2] {
        self.placement.points[node as usize]
    }

    fn halo_layer(&self, scenes: &[Scene], clock: &Clock) -> String {
        let is_set = |marks: &[bool], place: usize| marks.get(place) == Some(&true);
        let mut layer = String::new();
        for (edge, &(u, v)) in self.edges.iter().enumerate() {
            for (frames, changed) in runs(scenes.iter().map(|s| is_set(&s.changed.edges, edge))) {
                if changed {
                    layer += &clock.during(&frames, &self.marks.edge_halo(self.at(u), self.at(v)));
                }
            }
        }
        for (node, &point) in self.placement.points.iter().enumerate() {
            let new_arrow = |s: &Scene| s.arrows[node].filter(|_| is_set(&s.changed.arrows, node));
            for (frames, target) in runs(scenes.iter().map(new_arrow)) {
                if let Some(target) = target {
                    layer += &clock.during(&frames, &self.marks.edge_halo(point, self.at(target)));
                }
            }
            for (frames, changed) in runs(scenes.iter().map(|s| is_set(&s.changed.nodes, node))) {
                if changed {
                    layer += &clock.during(&frames, &self.marks.node_halo(point));
                }
            }
        }
        layer
    }

    /// The plain edges and those in front of them.
    fn edge_layers(&self, scenes: &[Scene], clock: &Clock) -> [String; 2] {
        let mut layers = [String::new(), String::new()];
        for (edge, &(u, v)) in self.edges.iter().enumerate() {
            let is_faded = |s: &Scene| [u, v].iter().any(|&end| s.nodes[end as usize].is_faded);
            let looks = scenes.iter().map(|s| (s.edges[edge], is_faded(s)));
            for (frames, (style, faded)) in runs(looks) {
                let line = self.marks.edge(self.at(u), self.at(v), style, faded) + "\n";
                layers[usize::from(style != EdgeStyle::Plain)] += &clock.during(&frames, &line);
            }
        }
        layers
    }

    fn arrow_layer(&self, scenes: &[Scene], clock: &Clock) -> String {
        let mut layer = String::new();
        for (node, &point) in self.placement.points.iter().enumerate() {
            let look = |s: &Scene| (s.arrows[node], s.changed.arrows.get(node) == Some(&true));
            for (frames, (target, changed)) in runs(scenes.iter().map(look)) {
                if let Some(target) = target {
                    let arrow = self.marks.arrow(point, self.at(target), changed) + "\n";
                    layer += &clock.during(&frames, &arrow);
                }
            }
        }
        layer
    }

    fn node_layer(&self, scenes: &[Scene], clock: &Clock) -> String {
        let mut layer = String::new();
        for (node, &point) in self.placement.points.iter().enumerate() {
            let label = if self.labels { node.to_string() } else { String::new() };
            let bare = |s: &Scene| NodeStyle { note: Vec::new(), ..s.nodes[node].clone() };
            for (frames, style) in runs(scenes.iter().map(bare)) {
                let drawn = self.marks.node(point, &style, &label) + "\n";
                layer += &clock.during(&frames, &drawn);
            }
        }
        layer
    }

    fn note_layer(&self, scenes: &[Scene], clock: &Clock) -> String {
        let sizes: Vec<[f64; 2]> = (0..self.placement.points.len())
            .map(|node| {
                let sizes = scenes.iter().map(|s| self.marks.note_size(&s.nodes[node].note));
                sizes.fold([0.0, 0.0], |a: [f64; 2], b| [a[0].max(b[0]), a[1].max(b[1])])
            })
            .collect();
        if sizes.iter().all(|size| size[0] == 0.0) {
            return String::new();
        }
        let places = note_places(&self.placement, &self.edges, self.marks.radius, &sizes);
        let mut layer = String::new();
        for (node, &place) in places.iter().enumerate() {
            for (frames, note) in runs(scenes.iter().map(|s| &s.nodes[node].note)) {
                if !note.is_empty() {
                    layer += &clock.during(&frames, &(self.marks.note(place, note) + "\n"));
                }
            }
        }
        layer
    }
}

/// A radius that fits the room there is: a share of the space a node has, and less than half of
/// the way to the nearest node; in a larger graph a few nodes may touch.
fn radius(placement: &Placement) -> f64 {
    let points = &placement.points;
    let area = placement.width * placement.height.max(0.6 * placement.width);
    let share = 0.17 * (area / points.len().max(1) as f64).sqrt();
    if points.len() > MAX_NODES_COMPARED {
        return share.max(1.2);
    }
    let squared = |a: &[f64; 2], b: &[f64; 2]| (a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2);
    let mut nearest: Vec<f64> = Vec::with_capacity(points.len());
    for (place, a) in points.iter().enumerate() {
        let others = points.iter().enumerate().filter(|(other, _)| *other != place);
        nearest.push(others.map(|(_, b)| squared(a, b)).fold(f64::INFINITY, f64::min).sqrt());
    }
    nearest.sort_by(f64::total_cmp);
    let may_touch = if points.len() > 20 { points.len() / 10 } else { 0 };
    let typical = nearest.get(may_touch).copied().unwrap_or(f64::INFINITY);
    share.min(0.4 * typical).max(1.2)
}
