//! Files of the DIMACS challenges: shortest paths (`.gr`) and graph colouring (`.col`).
//!
//! `c` begins a comment, `p sp n m` or `p edge n m` (also `p col n m`) declares the size, and then
//! follow m lines `a u v weight` or `e u v`, with nodes from 1. Road networks list every road as
//! two arcs and some colouring files every edge twice; both merge into one edge. Colouring files
//! may also describe nodes (`n`, `d`, `v`, `x` lines), which a graph has no place for.
//!
//! Formats: <http://www.diag.uniroma1.it/challenge9/format.shtml> and the note "Clique and Coloring
//! Problems Graph Format" (DIMACS, 1993).

use super::ReadError;
use super::declared::{self, Declared};
use super::fields::{exactly, finite, last_line, node_from_1, numbered, quoted};
use super::undirected::Undirected;
use crate::graph::Graph;

/// The header and what was read after it.
struct Problem {
    weighted: bool,
    n_nodes: usize,
    lines: Declared,
    read: Undirected,
}

/// The graph of a shortest-path or colouring file.
pub(super) fn parse(text: &str) -> Result<Graph, ReadError> {
    let mut problem: Option<Problem> = None;
    for (line, content) in numbered(text) {
        let mut fields = content.split_whitespace();
        let Some(kind) = fields.next() else { continue };
        if kind.starts_with('c') {
            continue;
        }
        match (kind, &mut problem) {
            ("p", None) => problem = Some(parse_problem(line, content, text)?),
            ("p", Some(_)) => {
                return Err(ReadError::at(line, "expected one p line, found another"));
            }
            (_, None) => {
                let reason = format!("expected a p line first, found {}", quoted(kind));
                return Err(ReadError::at(line, reason));
            }
            (_, Some(problem)) => problem.parse_line(line, kind, content)?,
        }
    }
    let last_line = last_line(text);
    let Some(Problem { n_nodes, lines, read, .. }) = problem else {
        return Err(ReadError::at(last_line, "expected a p line, found only comments"));
    };
    lines.finish(last_line)?;
    read.into_graph(n_nodes)
}

fn parse_problem(line: usize, content: &str, text: &str) -> Result<Problem, ReadError> {
    let [_, name, nodes, edges] = exactly(line, content.split_whitespace(), "the p line")?;
    let weighted = match name {
        "sp" => true,
        "edge" | "col" => false,
        _ => {
            let reason = format!("expected the problem sp, edge or col, found {}", quoted(name));
            return Err(ReadError::at(line, reason));
        }
    };
    Ok(Problem {
        weighted,
        n_nodes: declared::n_nodes(line, nodes, text)?,
        lines: Declared::new(if weighted { "arcs" } else { "edges" }, line, edges)?,
        read: Undirected::declared(weighted, line),
    })
}

impl Problem {
    /// A line after the header.
    fn parse_line(&mut self, line: usize, kind: &str, content: &str) -> Result<(), ReadError> {
        let fields = content.split_whitespace();
        let (u, v, weight) = match (kind, self.weighted) {
            ("a", true) => {
                let [_, u, v, weight] = exactly(line, fields, "an arc line")?;
                (u, v, Some(finite(line, weight, "a weight")?))
            }
            ("e", false) => {
                let [_, u, v] = exactly(line, fields, "an edge line")?;
                (u, v, None)
            }
            ("n" | "d" | "v" | "x", false) => return Ok(()),
            _ => {
                let expected = if self.weighted { "a u v weight" } else { "e u v" };
                let reason = format!("expected a line {expected:?}, found {}", quoted(kind));
                return Err(ReadError::at(line, reason));
            }
        };
        self.lines.count(line)?;
        let (u, v) = (node_from_1(line, u, self.n_nodes)?, node_from_1(line, v, self.n_nodes)?);
        self.read.add(line, u, v, weight)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    #[test]
    fn arcs_in_both_directions_are_one_road() {
        // 0 -3- 1 -4.5- 2    3
        let read = parse("c map\np sp 4 3\na 1 2 3\na 2 1 3\nc\n\na 3 2 4.5\n").unwrap();
        let expected = Graph::from_weighted_edges(4, &[(0, 1), (1, 2)], &[3.0, 4.5]).unwrap();
        assert_eq!(read, expected);
    }

    #[test]
    fn colouring_files_have_no_weights() {
        // 0 -- 1
        //  \  /
        //   2
        for name in ["edge", "col"] {
            let text = format!("p {name} 3 4\nn 1 5\ne 1 2\ne 2 3\ne 3 1\ne 1 3\n");
            let expected = Graph::from_edges(3, &[(0, 1), (1, 2), (0, 2)]).unwrap();
            assert_eq!(parse(&text).unwrap(), expected);
        }
    }

    #[test]
    fn a_shortest_path_file_without_arcs_still_has_weights() {
        assert!(parse("p sp 2 0").unwrap().is_weighted());
    }

    #[test]
    fn a_malformed_header_is_told() {
        assert_eq!(error("a 1 2 3\n"), "line 1: expected a p line first, found \"a\"");
        assert_eq!(error("c\nc\n"), "line 2: expected a p line, found only comments");
        assert_eq!(error("p sp 3\n"), "line 1: expected 4 fields in the p line, found 3");
        assert_eq!(
            error("p max 3 1\n"),
            "line 1: expected the problem sp, edge or col, found \"max\""
        );
        assert_eq!(
            error("p sp x 1\n"),
            "line 1: expected the number of nodes, a whole number, found \"x\""
        );
        assert_eq!(
            error("p sp 3 -1\n"),
            "line 1: expected the number of arcs, a whole number, found \"-1\""
        );
        assert_eq!(error("p sp 2 0\np sp 2 0\n"), "line 2: expected one p line, found another");
    }

    #[test]
    fn a_malformed_line_is_told() {
        assert_eq!(error("p sp 2 1\na 1 2\n"), "line 2: expected 4 fields in an arc line, found 3");
        assert_eq!(
            error("p edge 2 1\ne 1 2 3\n"),
            "line 2: expected 3 fields in an edge line, found 4"
        );
        assert_eq!(error("p sp 2 1\na 0 2 1\n"), "line 2: expected a node from 1 to 2, found 0");
        assert_eq!(error("p sp 2 1\na 1 3 1\n"), "line 2: expected a node from 1 to 2, found 3");
        assert_eq!(
            error("p sp 2 1\na 1 2 inf\n"),
            "line 2: expected a weight, a finite number, found \"inf\""
        );
        assert_eq!(
            error("p sp 2 1\ne 1 2\n"),
            "line 2: expected a line \"a u v weight\", found \"e\""
        );
        assert_eq!(
            error("p edge 2 1\na 1 2 3\n"),
            "line 2: expected a line \"e u v\", found \"a\""
        );
    }

    #[test]
    fn the_header_tells_how_many_arcs_there_are() {
        assert_eq!(
            error("p sp 3 2\na 1 2 3\n"),
            "line 2: expected 2 arcs as line 1 declares, found 1"
        );
        assert_eq!(
            error("p edge 3 1\ne 1 2\ne 2 3\n"),
            "line 3: expected 1 edges as line 1 declares, found more"
        );
    }

    #[test]
    fn directions_with_different_weights_are_an_error() {
        assert_eq!(
            error("p sp 2 2\na 1 2 3\na 2 1 4\n"),
            "line 3: the edge has weight 4, but the same edge on line 2 has weight 3"
        );
    }

    #[test]
    fn a_header_cannot_claim_memory() {
        assert_eq!(
            error("p sp 4000000000 1\na 1 2 3\n"),
            "line 1: expected at most 10000000 nodes in a file of 26 bytes, found 4000000000"
        );
    }
}
