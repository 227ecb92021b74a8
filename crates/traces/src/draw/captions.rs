//! The words of a picture: headings and captions in it, title and description behind it.
//!
//! Title and description are what a screen reader tells, so they name the algorithm, the graph
//! and the meaning of the colours.

use super::palette::Palette;
use super::scene::Scene;
use super::xml::{escape, px};
use crate::execution::Inputs;
use crate::graph::Graph;
use crate::spec::{Kind, Location};
use crate::trajectory::Trajectory;

/// The number of a step and the values of the whole graph at it.
pub(super) fn heading([x, y]: [f64; 2], step: usize, scene: &Scene, palette: &Palette) -> String {
    let facts: String = scene.facts.iter().map(|fact| format!("   {fact}")).collect();
    let (x, y, text, muted, facts) = (px(x), px(y), palette.text, palette.muted, escape(&facts));
    format!(
        "<text class=\"step\" x=\"{x}\" y=\"{y}\" font-size=\"12\" fill=\"{text}\" \
         xml:space=\"preserve\">step {step}<tspan fill=\"{muted}\" font-size=\"10\">{facts}\
         </tspan></text>\n"
    )
}

/// A line of text.
pub(super) fn line([x, y]: [f64; 2], anchor: &str, size: f64, colour: &str, text: &str) -> String {
    let (x, y, text) = (px(x), px(y), escape(text));
    format!(
        "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" text-anchor=\"{anchor}\" \
         fill=\"{colour}\">{text}</text>\n"
    )
}

/// What is drawn, for readers that do not see it.
pub(super) fn title(graph: &Graph, trajectory: &Trajectory, what: &str) -> String {
    let (nodes, edges) = (graph.n_nodes(), graph.n_edges());
    format!("{}: {what} on a graph of {nodes} nodes and {edges} edges", trajectory.spec.algorithm)
}

/// How the outputs are drawn, in words.
pub(super) fn about_output(inputs: &Inputs, trajectory: &Trajectory) -> String {
    let mut told: Vec<String> =
        inputs.source.iter().map(|source| format!("The source is node {source}.")).collect();
    told.extend(trajectory.spec.outputs().map(|field| {
        let shown = match (field.location, field.kind) {
            (Location::Node, Kind::Pointer) => "red arrows from each node to the one it points to",
            (Location::Node, Kind::Mask | Kind::MaskOne) => "red nodes",
            (Location::Node, Kind::Categorical { .. }) => "the shades of the nodes",
            (Location::Node, Kind::Scalar) => "the numbers beside the nodes",
            (Location::Edge, Kind::Mask) => "red edges",
            (Location::Graph, _) => "a number below the picture",
            (Location::Edge, _) => "not drawn",
        };
        format!("Output {}: {shown}.", field.name)
    }));
    told.join(" ")
}

/// Which steps and hints are drawn, in words.
pub(super) fn about_steps(trajectory: &Trajectory, steps: &[usize]) -> String {
    let hints: Vec<&str> = trajectory.spec.hints().map(|field| &*field.name).collect();
    let (shown, length) = (steps.len(), trajectory.length);
    format!("{shown} of {length} steps, with the hints {}.", hints.join(", "))
}
