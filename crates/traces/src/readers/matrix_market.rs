//! Sparse matrices in the coordinate form of Matrix Market, read as adjacency matrices.
//!
//! The first line, `%%MatrixMarket matrix coordinate <field> <symmetry>`, says what the entries
//! are; `%` begins a comment; then come `rows columns entries` and a line `i j value` (`i j` for
//! patterns) for each entry, counted from 1. The matrix must be square. The diagonal is dropped,
//! and a general matrix is taken as undirected: (i, j) and (j, i) must agree if both are given.
//!
//! Format: R. F. Boisvert, R. Pozo, K. A. Remington, "The Matrix Market Exchange Formats: Initial
//! Design", NISTIR 5935 (1996).

use super::ReadError;
use super::declared::{self, Declared};
use super::fields::{exactly, finite, last_line, node_from_1, numbered, quoted};
use super::undirected::Undirected;
use crate::graph::Graph;

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Field {
    Real,
    Integer,
    Pattern,
}

/// The graph whose adjacency matrix the text holds.
pub(super) fn parse(text: &str) -> Result<Graph, ReadError> {
    let field = parse_banner(text.lines().next().unwrap_or_default())?;
    let mut lines = numbered(text).skip(1).filter(|(_, content)| {
        !content.trim_start().starts_with('%') && !content.trim().is_empty()
    });

    let last_line = last_line(text);
    let Some((size_line, size)) = lines.next() else {
        return Err(ReadError::at(
            last_line,
            "expected the size of the matrix, found only comments",
        ));
    };
    let [rows, columns, entries] = exactly(size_line, size.split_whitespace(), "the size line")?;
    let n_nodes = declared::n_nodes(size_line, rows, text)?;
    let n_columns = declared::n_nodes(size_line, columns, text)?;
    if n_nodes != n_columns {
        let reason = format!("expected a square matrix, found {n_nodes} x {n_columns}");
        return Err(ReadError::at(size_line, reason));
    }
    let mut declared = Declared::new("entries", size_line, entries)?;

    let mut read = Undirected::declared(field != Field::Pattern, size_line);
    for (line, content) in lines {
        declared.count(line)?;
        let fields = content.split_whitespace();
        let (i, j, weight) = match field {
            Field::Pattern => {
                let [i, j] = exactly(line, fields, "an entry")?;
                (i, j, None)
            }
            Field::Real | Field::Integer => {
                let [i, j, value] = exactly(line, fields, "an entry")?;
                (i, j, Some(parse_value(line, field, value)?))
            }
        };
        let (i, j) = (node_from_1(line, i, n_nodes)?, node_from_1(line, j, n_nodes)?);
        read.add(line, i, j, weight)?;
    }
    declared.finish(last_line)?;
    read.into_graph(n_nodes)
}

/// Reads the first line, in which case does not matter.
fn parse_banner(content: &str) -> Result<Field, ReadError> {
    let lower = content.to_lowercase();
    let mut words = lower.split_whitespace();
    if words.next() != Some("%%matrixmarket") {
        let reason =
            format!("expected a line that begins %%MatrixMarket, found {}", quoted(content));
        return Err(ReadError::at(1, reason));
    }
    let [object, layout, field, symmetry] = exactly(1, words, "the first line after its name")?;
    one_of(object, "the object", &[("matrix", ())])?;
    one_of(layout, "the layout", &[("coordinate", ())])?;
    one_of(symmetry, "the symmetry", &[("symmetric", ()), ("general", ())])?;
    let fields = [("real", Field::Real), ("integer", Field::Integer), ("pattern", Field::Pattern)];
    one_of(field, "the field", &fields)
}

/// What `word` of the first line stands for.
fn one_of<T: Copy>(word: &str, what: &str, known: &[(&str, T)]) -> Result<T, ReadError> {
    known.iter().find(|(name, _)| *name == word).map(|&(_, meaning)| meaning).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|&(name, _)| name).collect();
        let reason = format!("expected {what} {}, found {}", names.join(" or "), quoted(word));
        ReadError::at(1, reason)
    })
}

fn parse_value(line: usize, field: Field, value: &str) -> Result<f64, ReadError> {
    if field == Field::Integer && value.parse::<i64>().is_err() {
        let reason = format!("expected a weight, an integer, found {}", quoted(value));
        return Err(ReadError::at(line, reason));
    }
    finite(line, value, "a weight")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    #[test]
    fn a_symmetric_matrix_is_a_weighted_graph() {
        // 0 -0.5- 1    2 -7- 3
        let read = parse(
            "%%MatrixMarket matrix coordinate real symmetric\n% two edges\n4 4 3\n\
             2 1 0.5\n2 2 9\n4 3 7e0\n",
        );
        let expected = Graph::from_weighted_edges(4, &[(0, 1), (2, 3)], &[0.5, 7.0]);
        assert_eq!(read.unwrap(), expected.unwrap());
    }

    #[test]
    fn a_general_pattern_is_taken_as_undirected() {
        // 0 -- 1 -- 2
        let read =
            parse("%%matrixmarket MATRIX Coordinate pattern general\n3 3 3\n1 2\n2 1\n3 2\n");
        assert_eq!(read.unwrap(), Graph::from_edges(3, &[(0, 1), (1, 2)]).unwrap());
    }

    #[test]
    fn a_malformed_first_line_is_told() {
        assert_eq!(
            error("2 2 1\n1 2\n"),
            "line 1: expected a line that begins %%MatrixMarket, found \"2 2 1\""
        );
        assert_eq!(
            error("%%MatrixMarket matrix coordinate real\n"),
            "line 1: expected 4 fields in the first line after its name, found 3"
        );
        assert_eq!(
            error("%%MatrixMarket matrix array real general\n"),
            "line 1: expected the layout coordinate, found \"array\""
        );
        assert_eq!(
            error("%%MatrixMarket matrix coordinate complex general\n"),
            "line 1: expected the field real or integer or pattern, found \"complex\""
        );
        assert_eq!(
            error("%%MatrixMarket matrix coordinate real skew-symmetric\n"),
            "line 1: expected the symmetry symmetric or general, found \"skew-symmetric\""
        );
    }

    #[test]
    fn a_malformed_size_is_told() {
        let with_size =
            |rest: &str| error(&format!("%%MatrixMarket matrix coordinate real general\n{rest}"));
        assert_eq!(
            with_size("% nothing\n"),
            "line 2: expected the size of the matrix, found only comments"
        );
        assert_eq!(with_size("2 2\n"), "line 2: expected 3 fields in the size line, found 2");
        assert_eq!(with_size("2 3 1\n"), "line 2: expected a square matrix, found 2 x 3");
        assert_eq!(with_size("0 0 0\n"), "line 2: expected at least 1 node, found 0");
        assert_eq!(
            with_size("4000000000 4000000000 0\n"),
            "line 2: expected at most 10000000 nodes in a file of 70 bytes, found 4000000000"
        );
        assert_eq!(
            with_size("2 2 2\n1 2 3\n"),
            "line 3: expected 2 entries as line 2 declares, found 1"
        );
        assert_eq!(
            with_size("2 2 0\n\n1 2 3\n"),
            "line 4: expected 0 entries as line 2 declares, found more"
        );
    }

    #[test]
    fn a_malformed_entry_is_told() {
        let entry = |field: &str, entry: &str| {
            error(&format!("%%MatrixMarket matrix coordinate {field} general\n2 2 1\n{entry}\n"))
        };
        assert_eq!(entry("real", "1 2"), "line 3: expected 3 fields in an entry, found 2");
        assert_eq!(entry("pattern", "1 2 3"), "line 3: expected 2 fields in an entry, found 3");
        assert_eq!(entry("pattern", "1 0"), "line 3: expected a node from 1 to 2, found 0");
        assert_eq!(
            entry("integer", "1 2 0.5"),
            "line 3: expected a weight, an integer, found \"0.5\""
        );
        assert_eq!(
            entry("real", "1 2 -inf"),
            "line 3: expected a weight, a finite number, found \"-inf\""
        );
    }

    #[test]
    fn entries_across_the_diagonal_must_agree() {
        assert_eq!(
            error("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 3\n2 1 4\n"),
            "line 4: the edge has weight 4, but the same edge on line 3 has weight 3"
        );
    }
}
