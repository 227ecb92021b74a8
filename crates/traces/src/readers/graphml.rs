//! GraphML: nodes and edges in XML, as NetworkX, igraph, Gephi and yEd write them.
//!
//! Nodes are numbered in order of appearance. Three attributes are read, found by the names their
//! `<key>` elements give them: `weight` of edges, and `x` and `y` of nodes as positions. Directed
//! edges are taken as undirected. Nested graphs and hyperedges are errors, since leaving them out
//! would change the graph; unknown attributes are not.
//!
//! Format: <http://graphml.graphdrawing.org/primer/graphml-primer.html>

mod attributes;

use std::collections::HashMap;

use roxmltree::{Document, Node};

use super::ReadError;
use super::fields::quoted;
use super::labels::Labels;
use super::undirected::Undirected;
use crate::graph::Graph;
use attributes::{Keys, Lines, Positions};

/// The one graph of a GraphML document, and the names of its nodes.
pub(super) fn parse(text: &str) -> Result<(Graph, Labels), ReadError> {
    let lines = Lines::of(text);
    let document = Document::parse(text).map_err(|error| {
        ReadError::at(error.pos().row as usize, format!("not well-formed XML: {}", shown(&error)))
    })?;
    let root = document.root_element();
    if !root.has_tag_name("graphml") {
        let reason =
            format!("expected a graphml element, found {}", quoted(root.tag_name().name()));
        return Err(lines.error(root, reason));
    }
    let graph = only_graph(root, &lines)?;
    let keys = Keys::of(root);
    let (mut numbers, mut names) = (HashMap::new(), Vec::new());
    let mut positions = Positions::default();
    for node in graph.children().filter(|child| child.has_tag_name("node")) {
        let id = required(node, "id", &lines)?;
        let number = numbers.len() as u32;
        if numbers.insert(id, number).is_some() {
            return Err(lines.error(node, format!("node {} is given twice", quoted(id))));
        }
        names.push(id.to_owned());
        positions.add(node, &keys, &lines)?;
    }
    if numbers.is_empty() {
        return Err(lines.error(graph, "expected at least 1 node, found 0"));
    }
    let mut read = Undirected::default();
    for edge in graph.children().filter(|child| child.has_tag_name("edge")) {
        let end = |attribute| {
            let id = required(edge, attribute, &lines)?;
            numbers.get(id).copied().ok_or_else(|| {
                lines.error(edge, format!("the {attribute} {} is not a node", quoted(id)))
            })
        };
        let weight = keys.weight.number(edge, &lines)?;
        read.add(lines.of_element(edge), end("source")?, end("target")?, weight)?;
    }
    let graph = read.into_graph(numbers.len())?;
    let graph = match positions.all {
        all if all.is_empty() => graph,
        all => graph.with_positions(all).map_err(|error| ReadError::at(1, error))?,
    };
    Ok((graph, Labels::Names(names)))
}

/// The graph element, which must be the only one and hold only what a [`Graph`] can.
fn only_graph<'a>(root: Node<'a, 'a>, lines: &Lines) -> Result<Node<'a, 'a>, ReadError> {
    let mut graphs = root.descendants().filter(|element| element.has_tag_name("graph"));
    let Some(graph) = graphs.next() else {
        return Err(lines.error(root, "expected a graph element, found none"));
    };
    if let Some(another) = graphs.next() {
        return Err(lines.error(another, "expected one graph, found another"));
    }
    if let Some(element) = graph.children().find(|child| child.has_tag_name("hyperedge")) {
        return Err(lines.error(element, "expected edges between two nodes, found a hyperedge"));
    }
    Ok(graph)
}

/// The attribute that an element cannot do without.
fn required<'a>(element: Node<'a, '_>, name: &str, lines: &Lines) -> Result<&'a str, ReadError> {
    element.attribute(name).ok_or_else(|| {
        let tag = element.tag_name().name();
        lines.error(element, format!("expected the attribute {name:?} of the {tag}, found none"))
    })
}

/// The XML reader's message, in which names and blanks of the file stand as they are.
fn shown(error: &roxmltree::Error) -> String {
    const SHOWN: usize = 120;
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    error.to_string().chars().map(plain).take(SHOWN).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Graph, ReadError> {
        Ok(super::parse(text)?.0)
    }

    fn error(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    /// A document with a weight key, in which `content` begins on line 3.
    fn document(content: &str) -> String {
        format!(
            "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n\
             <key id=\"w\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"/>\n\
             {content}\n</graphml>"
        )
    }

    /// The same with the nodes a and b.
    fn with_nodes(edges: &str) -> String {
        document(&format!("<graph><node id=\"a\"/><node id=\"b\"/>\n{edges}</graph>"))
    }

    #[test]
    fn nodes_are_numbered_as_they_appear() {
        // c -- a    b
        let read = parse(&document(
            "<graph edgedefault=\"directed\"><edge source=\"a\" target=\"c\"/><node id=\"c\"/>\
             <node id=\"a\"/><node id=\"b\"/><edge source=\"c\" target=\"a\"/></graph>",
        ));
        assert_eq!(read.unwrap(), Graph::from_edges(3, &[(0, 1)]).unwrap());
    }

    #[test]
    fn weights_and_positions_are_attributes() {
        // a -2.5- b -1- c, the last weight by default
        let read = parse(
            r#"<?xml version="1.0" encoding="UTF-8"?>
            <graphml>
              <key id="d0" for="edge" attr.name="weight"><default>1</default></key>
              <key id="d1" for="node" attr.name="x"/> <key id="d2" for="all" attr.name="y"/>
              <key id="d3" for="node" attr.name="colour"/>
              <graph edgedefault="undirected">
                <node id="a"><data key="d1">0</data><data key="d2"> 0.5 </data></node>
                <node id="b"><data key="d2">1</data><data key="d1">2</data></node>
                <node id="c"><data key="d1">3</data><data key="d2">4</data></node>
                <edge source="a" target="b"><data key="d0">2.5</data></edge>
                <edge source="b" target="c"/>
                <edge source="c" target="c"/>
              </graph>
            </graphml>"#,
        );
        let expected = Graph::from_weighted_edges(3, &[(0, 1), (1, 2)], &[2.5, 1.0]).unwrap();
        let positions = vec![[0.0, 0.5], [2.0, 1.0], [3.0, 4.0]];
        assert_eq!(read.unwrap(), expected.with_positions(positions).unwrap());
    }

    #[test]
    fn what_is_not_one_plain_graph_is_told() {
        assert_eq!(error("<svg/>"), "line 1: expected a graphml element, found \"svg\"");
        assert_eq!(error(&document("")), "line 1: expected a graph element, found none");
        assert_eq!(error(&document("<graph/>")), "line 3: expected at least 1 node, found 0");
        assert_eq!(
            error(&document("<graph/>\n<graph/>")),
            "line 4: expected one graph, found another"
        );
        assert_eq!(
            error(&document("<graph>\n<node id=\"a\">\n<graph/></node></graph>")),
            "line 5: expected one graph, found another"
        );
        assert_eq!(
            error(&document("<graph>\n<hyperedge/></graph>")),
            "line 4: expected edges between two nodes, found a hyperedge"
        );
        assert_eq!(
            error("<graphml>\n<graph>\n</graphml>"),
            "line 3: not well-formed XML: expected 'graph' tag, not 'graphml' at 3:1"
        );
    }

    #[test]
    fn a_message_about_xml_stays_on_one_short_line() {
        let begins = "line 1: not well-formed XML: ";
        assert_eq!(error("<graphml /\n>"), format!("{begins}expected '>' not ' ' at 1:11"));
        let long = "a".repeat(1000);
        assert_eq!(error(&format!("<{long}></b>")).len(), begins.len() + 120);
    }

    #[test]
    fn a_malformed_element_is_told() {
        assert_eq!(
            error(&document("<graph>\n<node/></graph>")),
            "line 4: expected the attribute \"id\" of the node, found none"
        );
        assert_eq!(
            error(&document("<graph><node id=\"a\"/>\n<node id=\"a\"/></graph>")),
            "line 4: node \"a\" is given twice"
        );
        assert_eq!(
            error(&with_nodes("<edge source=\"a\"/>")),
            "line 4: expected the attribute \"target\" of the edge, found none"
        );
        assert_eq!(
            error(&with_nodes("<edge source=\"a\" target=\"z\"/>")),
            "line 4: the target \"z\" is not a node"
        );
        assert_eq!(
            error(&with_nodes(
                "<edge source=\"a\" target=\"b\">\n<data key=\"w\">NaN</data></edge>"
            )),
            "line 5: expected weight, a finite number, found \"NaN\""
        );
        assert_eq!(
            error(&with_nodes(
                "<edge source=\"a\" target=\"b\"/>\n\
                 <edge source=\"b\" target=\"a\"><data key=\"w\">3</data></edge>"
            )),
            "line 5: the edge has a weight, but the edge on line 4 has none"
        );
    }

    #[test]
    fn positions_are_of_every_node_or_of_none() {
        let with_positions = |nodes: &str| {
            error(&document(&format!(
                "<key id=\"x\" for=\"node\" attr.name=\"x\"/><key id=\"y\" attr.name=\"y\"/>\n\
                 <graph>\n{nodes}</graph>"
            )))
        };
        assert_eq!(
            with_positions("<node id=\"a\"><data key=\"x\">1</data></node>"),
            "line 5: the node has an x but no y"
        );
        assert_eq!(
            with_positions(
                "<node id=\"a\"/>\n\
                 <node id=\"b\"><data key=\"x\">1</data><data key=\"y\">1</data></node>"
            ),
            "line 6: the node has a position, but the node on line 5 has none"
        );
    }

    #[test]
    fn entities_and_deep_nesting_are_harmless() {
        assert_eq!(
            error("<!DOCTYPE g [<!ENTITY a \"aa\">]><graphml>&a;</graphml>"),
            "line 1: not well-formed XML: XML with DTD detected"
        );
        assert!(parse(&document(&"<a>".repeat(500_000))).is_err());
        let deep = "<a>".repeat(500_000) + &"</a>".repeat(500_000);
        assert_eq!(error(&document(&deep)), "line 1: expected a graph element, found none");
    }
}
