//! Edge lists: a line an edge, `u v` or `u v weight`, as SNAP and KONECT publish them.
//!
//! Fields are separated by spaces, tabs or commas; lines that begin with `#` or `%` are comments.
//! Node ids are any whole numbers and often have gaps, so the nodes of the graph are the ids that
//! occur, in ascending order; ids 0, 1, ..., n - 1 stay as they are. A node with only a self-loop
//! is an isolated node.

use super::ReadError;
use super::fields::{finite, last_line, numbered, whole};
use super::labels::Labels;
use super::undirected::Undirected;
use crate::graph::Graph;

/// An edge before its ends are numbered.
struct Edge {
    line: usize,
    ends: [u64; 2],
    weight: Option<f64>,
}

/// The graph of an edge list, and the ids of its nodes.
pub(super) fn parse(text: &str) -> Result<(Graph, Labels), ReadError> {
    let mut edges = Vec::new();
    for (line, content) in numbered(text) {
        let content = content.trim();
        if content.is_empty() || content.starts_with(['#', '%']) {
            continue;
        }
        edges.push(if content.contains(',') {
            parse_edge(line, content.split(',').map(str::trim))?
        } else {
            parse_edge(line, content.split_whitespace())?
        });
    }
    if edges.is_empty() {
        return Err(ReadError::at(last_line(text), "expected an edge, found only comments"));
    }

    let mut ids: Vec<u64> = edges.iter().flat_map(|edge| edge.ends).collect();
    ids.sort_unstable();
    ids.dedup();
    let n_nodes = ids.len();
    if n_nodes >= u32::MAX as usize {
        let reason = format!("{n_nodes} nodes are more than 32-bit indices can hold");
        return Err(ReadError::at(1, reason));
    }
    let number = |id: u64| ids.partition_point(|&other| other < id) as u32;

    let mut read = Undirected::default();
    for Edge { line, ends: [u, v], weight } in edges {
        read.add(line, number(u), number(v), weight)?;
    }
    Ok((read.into_graph(n_nodes)?, Labels::Ids(ids)))
}

fn parse_edge<'a>(
    line: usize,
    mut fields: impl Iterator<Item = &'a str>,
) -> Result<Edge, ReadError> {
    let first: [Option<&str>; 3] = std::array::from_fn(|_| fields.next());
    let found = first.iter().flatten().count() + fields.count();
    let ([Some(u), Some(v), weight], 2..=3) = (first, found) else {
        let reason = format!("expected 2 or 3 fields in an edge line, found {found}");
        return Err(ReadError::at(line, reason));
    };
    Ok(Edge {
        line,
        ends: [whole(line, u, "a node")?, whole(line, v, "a node")?],
        weight: weight.map(|weight| finite(line, weight, "a weight")).transpose()?,
    })
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

    #[test]
    fn a_square_with_gaps_in_its_ids_is_numbered_in_their_order() {
        //  7 -- 10        0 -- 1
        //  |     |   as   |    |
        // 400 - 90        3 -- 2
        let read = parse("# a square\n7\t10\n10 90\n% closing\n90 400\n400 7\n\n").unwrap();
        let expected = Graph::from_edges(4, &[(0, 1), (1, 2), (2, 3), (0, 3)]).unwrap();
        assert_eq!(read, expected);
    }

    #[test]
    fn commas_separate_fields_and_both_directions_merge() {
        // 0 -1.5- 1 -2- 2
        let read = parse("0,1,1.5\r\n1, 0, 1.5\r\n1,2,2\r\n2,2,7\r\n").unwrap();
        let expected = Graph::from_weighted_edges(3, &[(0, 1), (1, 2)], &[1.5, 2.0]).unwrap();
        assert_eq!(read, expected);
    }

    #[test]
    fn the_largest_ids_are_nodes_too() {
        assert_eq!(parse("0 18446744073709551615").unwrap().n_edges(), 1);
    }

    #[test]
    fn a_node_with_only_a_loop_is_isolated() {
        let read = parse("0 1\n2 2\n").unwrap();
        assert_eq!((read.n_nodes(), read.n_edges()), (3, 1));
    }

    #[test]
    fn a_malformed_line_is_told_with_what_was_expected() {
        assert_eq!(error("0 1\n\n3\n"), "line 3: expected 2 or 3 fields in an edge line, found 1");
        assert_eq!(
            error("0 1 2.0 1999\n"),
            "line 1: expected 2 or 3 fields in an edge line, found 4"
        );
        assert_eq!(error("a,b\n"), "line 1: expected a node, a whole number, found \"a\"");
        assert_eq!(error("1,,2\n"), "line 1: expected a node, a whole number, found \"\"");
        assert_eq!(error("0 -1\n"), "line 1: expected a node, a whole number, found \"-1\"");
        assert_eq!(
            error("0 1 2\n1 2 NaN\n"),
            "line 2: expected a weight, a finite number, found \"NaN\""
        );
    }

    #[test]
    fn weights_that_disagree_are_an_error() {
        assert_eq!(
            error("5 6 1\n6 5 2\n"),
            "line 2: the edge has weight 2, but the same edge on line 1 has weight 1"
        );
        assert_eq!(
            error("5 6\n6 7 2\n"),
            "line 2: the edge has a weight, but the edge on line 1 has none"
        );
    }

    #[test]
    fn comments_alone_are_no_graph() {
        assert_eq!(error("# nothing\n# here\n"), "line 2: expected an edge, found only comments");
    }
}
