//! METIS graph files: line i after the header lists the neighbours of node i, counted from 1.
//!
//! The header is `nodes edges [fmt [ncon]]`; the digits of `fmt`, from the right, say whether there
//! are edge weights, vertex weights (`ncon` of them) and vertex sizes. Vertex numbers come first on
//! a line and are checked and dropped. `%` begins a comment line, an empty line is a node without
//! neighbours. As in METIS itself each edge stands on the lines of both its ends, and self-loops
//! are not allowed.
//!
//! Format: G. Karypis, "METIS: A Software Package for Partitioning ...", manual 5.1, section 4.1.1.

use super::ReadError;
use super::declared::Declared;
use super::fields::{finite, last_line, node_from_1, numbered, quoted, whole};
use super::undirected::Undirected;
use crate::graph::Graph;

/// What the header declares.
struct Header {
    line: usize,
    n_nodes: usize,
    n_edges: u64,
    edge_weights: bool,
    /// Numbers before the neighbours: a size, then weights.
    vertex_numbers: u64,
    nodes: Declared,
}

/// A neighbour on the line of a node.
struct Arc {
    u: u32,
    v: u32,
    line: usize,
}

/// The graph of a METIS file.
pub(super) fn parse(text: &str) -> Result<Graph, ReadError> {
    let mut lines = numbered(text).filter(|(_, content)| !content.trim_start().starts_with('%'));
    let last_line = last_line(text);
    let Some((line, content)) = lines.find(|(_, content)| !content.trim().is_empty()) else {
        return Err(ReadError::at(last_line, "expected a header, found only comments"));
    };
    let mut header = parse_header(line, content)?;

    let mut read = Undirected::declared(header.edge_weights, header.line);
    let mut arcs = Vec::new();
    for (u, (line, content)) in lines.enumerate() {
        if header.nodes.is_complete() && content.trim().is_empty() {
            continue;
        }
        header.nodes.count(line)?;
        parse_node(&header, line, u as u32, content, &mut |v, weight| {
            arcs.push(Arc { u: u as u32, v, line });
            read.add(line, u as u32, v, weight)
        })?;
    }
    header.nodes.finish(last_line)?;
    check_symmetric(arcs)?;
    let graph = read.into_graph(header.n_nodes)?;
    if graph.n_edges() as u64 != header.n_edges {
        let reason = format!("expected {} edges, found {}", header.n_edges, graph.n_edges());
        return Err(ReadError::at(header.line, reason));
    }
    Ok(graph)
}

fn parse_header(line: usize, content: &str) -> Result<Header, ReadError> {
    let fields: Vec<&str> = content.split_whitespace().collect();
    let (nodes, edges, format, n_weights) = match *fields.as_slice() {
        [nodes, edges] => (nodes, edges, "0", None),
        [nodes, edges, format] => (nodes, edges, format, None),
        [nodes, edges, format, n_weights] => (nodes, edges, format, Some(n_weights)),
        _ => {
            let reason = format!("expected 2 to 4 fields in the header, found {}", fields.len());
            return Err(ReadError::at(line, reason));
        }
    };
    let (1..=3, Ok(digits)) = (format.len(), u8::from_str_radix(format, 2)) else {
        let reason = format!("expected up to three digits 0 or 1 as fmt, found {}", quoted(format));
        return Err(ReadError::at(line, reason));
    };
    let vertex_weights = digits & 0b010 != 0;
    let n_weights = match n_weights {
        Some(field) => whole(line, field, "the number of vertex weights")?,
        None => u64::from(vertex_weights),
    };
    if vertex_weights != (n_weights > 0) {
        let reason = format!("fmt {format} does not go with {n_weights} vertex weights");
        return Err(ReadError::at(line, reason));
    }
    let n_nodes = whole(line, nodes, "the number of nodes")?;
    if !(1..u64::from(u32::MAX)).contains(&n_nodes) {
        let reason = format!("expected from 1 to {} nodes, found {n_nodes}", u32::MAX - 1);
        return Err(ReadError::at(line, reason));
    }
    Ok(Header {
        line,
        n_nodes: n_nodes as usize,
        n_edges: whole(line, edges, "the number of edges")?,
        edge_weights: digits & 0b001 != 0,
        vertex_numbers: n_weights.saturating_add(u64::from(digits & 0b100 != 0)),
        nodes: Declared::new("lines of nodes", line, nodes)?,
    })
}

/// Hands the neighbours on the line of `u` to `add`.
fn parse_node(
    header: &Header,
    line: usize,
    u: u32,
    content: &str,
    add: &mut impl FnMut(u32, Option<f64>) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    let mut fields = content.split_whitespace();
    for found in 0..header.vertex_numbers {
        let Some(field) = fields.next() else {
            let expected = header.vertex_numbers;
            let reason = format!("expected {expected} vertex numbers first, found {found}");
            return Err(ReadError::at(line, reason));
        };
        finite(line, field, "a vertex number")?;
    }
    while let Some(field) = fields.next() {
        let v = node_from_1(line, field, header.n_nodes)?;
        if u == v {
            let reason = format!("node {} is listed as its own neighbour", u + 1);
            return Err(ReadError::at(line, reason));
        }
        let weight = if header.edge_weights {
            let Some(weight) = fields.next() else {
                let reason = format!("expected a weight after neighbour {field}, found none");
                return Err(ReadError::at(line, reason));
            };
            Some(finite(line, weight, "a weight")?)
        } else {
            None
        };
        add(v, weight)?;
    }
    Ok(())
}

/// Checks that each edge stands exactly once on the lines of both its ends.
fn check_symmetric(mut arcs: Vec<Arc>) -> Result<(), ReadError> {
    arcs.sort_unstable_by_key(|arc| (arc.u, arc.v));
    for pair in arcs.windows(2) {
        if (pair[0].u, pair[0].v) == (pair[1].u, pair[1].v) {
            let reason = format!("neighbour {} is listed twice", pair[1].v + 1);
            return Err(ReadError::at(pair[1].line, reason));
        }
    }
    for &Arc { u, v, line } in &arcs {
        if arcs.binary_search_by_key(&(v, u), |arc| (arc.u, arc.v)).is_err() {
            let (u, v) = (u + 1, v + 1);
            let reason = format!("node {u} lists node {v}, but node {v} does not list node {u}");
            return Err(ReadError::at(line, reason));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    #[test]
    fn each_line_lists_the_neighbours_of_a_node() {
        // 0 -- 1 -- 2    3
        let read = parse("% a path\n4 2\n2\n1 3\n% middle\n2\n\n\n").unwrap();
        assert_eq!(read, Graph::from_edges(4, &[(0, 1), (1, 2)]).unwrap());
    }

    #[test]
    fn weights_and_sizes_of_vertices_are_skipped() {
        // 0 -5- 1 -6- 2
        let expected = Graph::from_weighted_edges(3, &[(0, 1), (1, 2)], &[5.0, 6.0]).unwrap();
        for text in [
            "3 2 1\n2 5\n1 5 3 6\n2 6\n",
            "3 2 001\n2 5\n1 5 3 6\n2 6\n",
            "3 2 11\n7 2 5\n8 1 5 3 6\n9 2 6\n",
            "3 2 011 2\n7 7 2 5\n8 8 1 5 3 6\n9 9 2 6\n",
            "3 2 111\n4 7 2 5\n4 8 1 5 3 6\n4 9 2 6\n",
        ] {
            assert_eq!(parse(text).unwrap(), expected, "{text}");
        }
        let expected = Graph::from_edges(2, &[(0, 1)]).unwrap();
        assert_eq!(parse("2 1 100\n4 2\n4 1\n").unwrap(), expected);
        assert_eq!(parse("2 1 10\n4 2\n4 1\n").unwrap(), expected);
    }

    #[test]
    fn a_malformed_header_is_told() {
        assert_eq!(error("% only\n"), "line 1: expected a header, found only comments");
        assert_eq!(error("3\n"), "line 1: expected 2 to 4 fields in the header, found 1");
        assert_eq!(
            error("3 2 5\n"),
            "line 1: expected up to three digits 0 or 1 as fmt, found \"5\""
        );
        assert_eq!(error("3 2 1 2\n"), "line 1: fmt 1 does not go with 2 vertex weights");
        assert_eq!(error("3 2 10 0\n"), "line 1: fmt 10 does not go with 0 vertex weights");
        assert_eq!(error("0 0\n"), "line 1: expected from 1 to 4294967294 nodes, found 0");
        assert_eq!(
            error("2 x\n1\n2\n"),
            "line 1: expected the number of edges, a whole number, found \"x\""
        );
    }

    #[test]
    fn a_malformed_line_is_told() {
        assert_eq!(error("2 1\n0\n1\n"), "line 2: expected a node from 1 to 2, found 0");
        assert_eq!(error("2 1\n2\n3\n"), "line 3: expected a node from 1 to 2, found 3");
        assert_eq!(error("2 1\n2 1\n1\n"), "line 2: node 1 is listed as its own neighbour");
        assert_eq!(error("2 1\n2 2\n1\n"), "line 2: neighbour 2 is listed twice");
        assert_eq!(
            error("2 1 1\n2 5\n1\n"),
            "line 3: expected a weight after neighbour 1, found none"
        );
        assert_eq!(
            error("2 1 1\n2 nan\n1 2\n"),
            "line 2: expected a weight, a finite number, found \"nan\""
        );
        assert_eq!(error("2 0 10 2\n1 2\n1\n"), "line 3: expected 2 vertex numbers first, found 1");
    }

    #[test]
    fn both_ends_of_an_edge_must_list_it_alike() {
        assert_eq!(
            error("3 1\n2\n1 3\n\n"),
            "line 3: node 2 lists node 3, but node 3 does not list node 2"
        );
        assert_eq!(
            error("2 1 1\n2 5\n1 6\n"),
            "line 3: the edge has weight 6, but the same edge on line 2 has weight 5"
        );
    }

    #[test]
    fn the_header_tells_how_many_nodes_and_edges_there_are() {
        assert_eq!(error("2 3\n2\n1\n"), "line 1: expected 3 edges, found 1");
        assert_eq!(
            error("4000000000 1\n2\n1\n"),
            "line 3: expected 4000000000 lines of nodes as line 1 declares, found 2"
        );
        assert_eq!(
            error("2 1\n2\n1\n\n1\n"),
            "line 5: expected 2 lines of nodes as line 1 declares, found more"
        );
    }
}
