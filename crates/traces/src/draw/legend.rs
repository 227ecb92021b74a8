//! The legend under the steps of an execution: one sample of each mark that its spec can give.
//!
//! It is drawn with the marks of the panels themselves and chosen by the rules of
//! [`super::meaning`], so it cannot disagree with them.

use super::marks::Marks;
use super::meaning::{self, Look};
use super::scene::{EdgeStyle, Fill, NOTES_UP_TO, NodeStyle};
use super::xml::{escape, px};
use crate::execution::Inputs;
use crate::graph::Graph;
use crate::spec::{Kind, Location, Spec};

/// Size of the type.
const TYPE: f64 = 11.0;
/// Height of a line.
const LINE: f64 = 21.0;

/// What a line of the legend explains.
#[derive(Debug, Clone, PartialEq)]
enum Sample {
    Node(NodeStyle),
    Edge(EdgeStyle),
    Arrow,
    Change,
    Note,
}

/// The legend as SVG, its upper left corner at `corner`, and its height.
pub(super) fn legend(
    graph: &Graph,
    inputs: &Inputs,
    spec: &Spec,
    marks: &Marks,
    corner: [f64; 2],
    width: f64,
) -> (String, f64) {
    let (mut svg, mut x, mut y) = (String::new(), corner[0], corner[1] + LINE / 2.0);
    for (sample, text) in samples(graph, inputs, spec) {
        // DejaVu Sans is about 0.6 of its size wide.
        let needed = 26.0 + 0.6 * TYPE * text.chars().count() as f64;
        if x + needed > corner[0] + width && x > corner[0] {
            (x, y) = (corner[0], y + LINE);
        }
        svg += &draw(&sample, marks, [x, y]);
        let (at, base, colour, text) =
            (px(x + 24.0), px(y + 0.36 * TYPE), marks.palette.text, escape(&text));
        svg += &format!(
            "<text x=\"{at}\" y=\"{base}\" font-size=\"{TYPE}\" fill=\"{colour}\">{text}</text>\n"
        );
        x += needed + 14.0;
    }
    (format!("<g class=\"legend\">\n{svg}</g>\n"), y + LINE / 2.0 - corner[1])
}

fn samples(graph: &Graph, inputs: &Inputs, spec: &Spec) -> Vec<(Sample, String)> {
    let mut samples = Vec::new();
    let node = |style: NodeStyle| Sample::Node(style);
    let filled = |fill: Fill| Sample::Node(NodeStyle { fill, ..NodeStyle::default() });
    let has_root = spec.hints().any(|field| field.kind == Kind::MaskOne && field.name == "s");
    if inputs.source.is_some() || has_root {
        let style = NodeStyle { is_source: true, ..NodeStyle::default() };
        samples.push((node(style), "source".to_owned()));
    }
    if let Some((field, classes)) = meaning::shades(spec) {
        for class in 0..classes.min(8) {
            let text = format!("{} {class}", field.base_name());
            samples.push((filled(Fill::Class { class, classes }), text));
        }
    }
    for field in spec.hints() {
        let name = field.base_name().to_owned();
        match (field.location, field.kind) {
            (Location::Node, Kind::Mask) => samples.push(match meaning::look(spec, field) {
                Look::Reached => (filled(Fill::Reached), name),
                Look::Done => (filled(Fill::Done), name),
                Look::Solution => (filled(Fill::Solution), name),
                Look::Waiting => {
                    (node(NodeStyle { is_waiting: true, ..NodeStyle::default() }), name)
                }
                Look::Alive => {
                    let style = NodeStyle { is_faded: true, ..NodeStyle::default() };
                    (node(style), format!("not {name}"))
                }
            }),
            (Location::Edge, Kind::Mask) => samples.push((Sample::Edge(EdgeStyle::Marked), name)),
            _ => {}
        }
    }
    if let Some(field) = meaning::current(spec) {
        let style = NodeStyle { is_current: true, ..NodeStyle::default() };
        samples.push((node(style), field.base_name().to_owned()));
    }
    if let Some(field) = meaning::arrows(spec) {
        samples.push((Sample::Arrow, field.base_name().to_owned()));
    }
    let notes: Vec<&str> = meaning::notes(spec).map(|field| field.base_name()).collect();
    if !notes.is_empty() && graph.n_nodes() <= NOTES_UP_TO {
        samples.push((Sample::Note, notes.join(" over ")));
    }
    samples.push((Sample::Change, "changed in this step".to_owned()));
    samples
}

fn draw(sample: &Sample, marks: &Marks, [x, y]: [f64; 2]) -> String {
    let middle = [x + 10.0, y];
    let (left, right) = ([x, y], [x + 20.0, y]);
    let small = |radius: f64| Marks { radius, ..*marks };
    match sample {
        Sample::Node(style) => small(5.5).node(middle, style, ""),
        Sample::Edge(style) => small(9.0).edge(left, right, *style, false),
        // Reaching from border to border of two nodes that are not there.
        Sample::Arrow => small(8.0).arrow([x - 8.0, y], [x + 28.0, y], false),
        Sample::Change => {
            small(4.6).node_halo(middle) + &small(4.6).node(middle, &NodeStyle::default(), "")
        }
        Sample::Note => {
            let marks = small(4.0);
            let number = marks.note([x + 13.5, y], &["0.5".to_owned()]);
            marks.node([x + 2.0, y], &NodeStyle::default(), "") + &number
        }
    }
}
