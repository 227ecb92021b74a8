//! GraphML: a graph with the inputs and outputs of an execution, for tools that draw and analyse.
//!
//! One document a sample, each undirected edge once. Features of edges have a value for each
//! direction and for the self-loop of a node: `NAME` from the lower node to the higher one,
//! `NAME_back` the other way, and `NAME` of a node for its loop. A hint is a text of `step=value`
//! for every step at which the value changes. Features of the graph are data of the graph.
//!
//! Format: <http://graphml.graphdrawing.org/primer/graphml-primer.html>

use std::fmt::Write;

use crate::draw::escape;
use crate::graph::Graph;
use crate::sample::Sample;
use crate::spec::{Field, Kind, Location};
use crate::trajectory::{Hint, Values};

/// The document of sample `index`.
pub fn document(sample: &Sample, index: u64) -> String {
    let attributes = attributes(sample, index);
    let graph = &sample.graph;
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n",
    );
    for (number, Attribute { name, of, values }) in attributes.iter().enumerate() {
        let kind = values.kind();
        push(
            &mut text,
            format_args!(
                "  <key id=\"k{number}\" for=\"{of}\" attr.name=\"{}\" attr.type=\"{kind}\"/>\n",
                escape(name),
            ),
        );
    }
    push(&mut text, format_args!("  <graph id=\"sample{index}\" edgedefault=\"undirected\">\n"));
    let data = |of: Location, place: usize| {
        let mut data = String::new();
        for (number, attribute) in attributes.iter().enumerate().filter(|(_, a)| a.of == of) {
            if let Some(value) = attribute.values.at(place) {
                push(&mut data, format_args!("<data key=\"k{number}\">{}</data>", escape(&value)));
            }
        }
        data
    };
    push(&mut text, format_args!("    {}\n", data(Location::Graph, 0)));
    for u in graph.nodes() {
        let data = data(Location::Node, u as usize);
        push(&mut text, format_args!("    <node id=\"{u}\">{data}</node>\n"));
    }
    for (place, (u, v)) in graph.edges().enumerate() {
        let data = data(Location::Edge, place);
        push(&mut text, format_args!("    <edge source=\"{u}\" target=\"{v}\">{data}</edge>\n"));
    }
    text.push_str("  </graph>\n</graphml>\n");
    text
}

/// Values with a name, one for the graph, for each node or for each undirected edge.
struct Attribute {
    name: String,
    of: Location,
    values: Column,
}

enum Column {
    Bits(Vec<bool>),
    Wholes(Vec<u64>),
    Reals(Vec<f64>),
    /// Nothing where the text is empty.
    Texts(Vec<String>),
}

impl Column {
    fn kind(&self) -> &'static str {
        match self {
            Self::Bits(_) => "boolean",
            Self::Wholes(_) => "long",
            Self::Reals(_) => "double",
            Self::Texts(_) => "string",
        }
    }

    fn at(&self, place: usize) -> Option<String> {
        match self {
            Self::Bits(values) => values.get(place).map(bool::to_string),
            Self::Wholes(values) => values.get(place).map(u64::to_string),
            Self::Reals(values) => values.get(place).map(f64::to_string),
            Self::Texts(values) => values.get(place).filter(|text| !text.is_empty()).cloned(),
        }
    }

    /// Those at some places.
    fn only(&self, places: &[usize]) -> Self {
        match self {
            Self::Bits(values) => Self::Bits(places.iter().map(|&place| values[place]).collect()),
            Self::Wholes(values) => {
                Self::Wholes(places.iter().map(|&place| values[place]).collect())
            }
            Self::Reals(values) => Self::Reals(places.iter().map(|&place| values[place]).collect()),
            Self::Texts(values) => {
                Self::Texts(places.iter().map(|&place| values[place].clone()).collect())
            }
        }
    }
}

fn attributes(sample: &Sample, index: u64) -> Vec<Attribute> {
    let Sample { generator, graph, inputs, trajectory } = sample;
    let one = |name: &str, values| Attribute { name: name.to_owned(), of: Location::Graph, values };
    let of = |name: &str, of, values| Attribute { name: name.to_owned(), of, values };
    let mut all = vec![
        one("algorithm", Column::Texts(vec![trajectory.spec.algorithm.to_string()])),
        one("generator", Column::Texts(vec![generator.clone()])),
        one("index", Column::Wholes(vec![index])),
        one("length", Column::Wholes(vec![trajectory.length.into()])),
    ];
    if let Some(positions) = graph.positions() {
        let axis = |axis: usize| Column::Reals(positions.iter().map(|at| at[axis]).collect());
        all.extend(["x", "y"].into_iter().zip(0..).map(|(n, i)| of(n, Location::Node, axis(i))));
    }
    if let Some(source) = inputs.source {
        let marks = graph.nodes().map(|u| u == source).collect();
        all.push(of("source", Location::Node, Column::Bits(marks)));
    }
    if let Some(randomness) = &inputs.randomness {
        for (number, phase) in randomness.phases().iter().enumerate() {
            let name = format!("random_{number}");
            all.push(of(&name, Location::Node, Column::Reals(phase.clone())));
        }
    }
    if let Some(weights) = graph.edge_weights() {
        all.push(of("weight", Location::Edge, Column::Reals(weights.collect())));
    }
    for (field, values) in trajectory.spec.outputs().zip(&trajectory.outputs) {
        all.extend(feature(graph, field, dense(graph, values)));
    }
    for (field, hint) in trajectory.recorded_hints() {
        let changes = Column::Texts(changes(hint, field.kind));
        match field.kind {
            // One place: which node is marked.
            Kind::MaskOne => all.push(of(&field.name, Location::Graph, changes)),
            _ => all.extend(feature(graph, field, changes)),
        }
    }
    all
}

/// A feature with a value for each node, each entry, or the graph.
fn feature(graph: &Graph, field: &Field, values: Column) -> Vec<Attribute> {
    let attribute = |name: String, of, values| Attribute { name, of, values };
    if field.location != Location::Edge {
        return vec![attribute(field.name.to_string(), field.location, values)];
    }
    let entry = |(u, v)| graph.entry_to(u, v).expect("an edge of the graph");
    let there: Vec<usize> = graph.edges().map(entry).collect();
    let back: Vec<usize> = graph.edges().map(|(u, v)| entry((v, u))).collect();
    let loops: Vec<usize> = graph.nodes().map(|u| graph.loop_entry(u)).collect();
    vec![
        attribute(field.name.to_string(), Location::Node, values.only(&loops)),
        attribute(field.name.to_string(), Location::Edge, values.only(&there)),
        attribute(format!("{}_back", field.name), Location::Edge, values.only(&back)),
    ]
}

fn dense(graph: &Graph, values: &Values) -> Column {
    match values {
        Values::Mask(values) => Column::Bits(values.clone()),
        Values::MaskOne(node) => Column::Bits(graph.nodes().map(|u| u == *node).collect()),
        Values::Categorical(values) => {
            Column::Wholes(values.iter().map(|&class| class.into()).collect())
        }
        Values::Scalar(values) => Column::Reals(values.clone()),
        Values::Pointer(values) => Column::Wholes(values.iter().map(|&node| node.into()).collect()),
    }
}

/// The changes at each place of a hint.
fn changes(hint: Hint<'_>, kind: Kind) -> Vec<String> {
    let mut texts = vec![String::new(); hint.len()];
    hint.for_each_change(|step, index, value| {
        let text = &mut texts[index as usize];
        let space = if text.is_empty() { "" } else { " " };
        match kind {
            Kind::Scalar => push(text, format_args!("{space}{step}={}", f64::from_bits(value))),
            _ => push(text, format_args!("{space}{step}={value}")),
        }
    });
    texts
}

fn push(text: &mut String, more: std::fmt::Arguments<'_>) {
    text.write_fmt(more).expect("a string takes everything");
}
