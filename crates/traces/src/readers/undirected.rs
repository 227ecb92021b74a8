//! From the edges of a file to a simple undirected graph.
//!
//! Files give an edge in one direction, in both, or several times over. All copies merge into one
//! edge if they agree on the weight; if they do not, no rule could tell which is meant, so that is
//! an error at the later copy. Self-loops are dropped, since the message-passing graph has its own.

use super::ReadError;
use crate::graph::Graph;

/// Edges as they are read, each with its line.
#[derive(Default)]
pub(super) struct Undirected {
    links: Vec<Link>,
    /// Whether edges have weights, and the line that said so first.
    weighted: Option<(bool, usize)>,
}

/// One edge, u < v.
struct Link {
    u: u32,
    v: u32,
    weight: f64,
    line: usize,
}

impl Undirected {
    /// No edges yet, which will all have weights or all have none, as the header at `line` says.
    pub(super) fn declared(weighted: bool, line: usize) -> Self {
        Self { links: Vec::new(), weighted: Some((weighted, line)) }
    }

    /// Adds the edge of `line`.
    pub(super) fn add(
        &mut self,
        line: usize,
        u: u32,
        v: u32,
        weight: Option<f64>,
    ) -> Result<(), ReadError> {
        let (weighted, first) = *self.weighted.get_or_insert((weight.is_some(), line));
        if weighted != weight.is_some() {
            let (here, there) = if weighted { ("no weight", "one") } else { ("a weight", "none") };
            let reason = format!("the edge has {here}, but the edge on line {first} has {there}");
            return Err(ReadError::at(line, reason));
        }
        if u != v {
            self.links.push(Link { u: u.min(v), v: u.max(v), weight: weight.unwrap_or(1.0), line });
        }
        Ok(())
    }

    /// The graph of `n_nodes` nodes, which every edge added lies in.
    pub(super) fn into_graph(self, n_nodes: usize) -> Result<Graph, ReadError> {
        let Self { mut links, weighted } = self;
        // A stable sort: copies of an edge stay in the order of the file.
        links.sort_by_key(|link| (link.u, link.v));
        check_weights(&links)?;
        links.dedup_by_key(|link| (link.u, link.v));
        let edges: Vec<(u32, u32)> = links.iter().map(|link| (link.u, link.v)).collect();
        if weighted.is_some_and(|(weighted, _)| weighted) {
            let weights: Vec<f64> = links.iter().map(|link| link.weight).collect();
            Graph::from_weighted_edges(n_nodes, &edges, &weights)
        } else {
            Graph::from_edges(n_nodes, &edges)
        }
        // Only a graph too large for its indices is left, and no single line is to blame for that.
        .map_err(|error| ReadError::at(1, error))
    }
}

/// Checks that copies of an edge agree; of several that do not, the first of the file is told.
fn check_weights(sorted: &[Link]) -> Result<(), ReadError> {
    let conflict = sorted
        .chunk_by(|a, b| (a.u, a.v) == (b.u, b.v))
        .filter_map(|copies| {
            let other = copies.iter().find(|copy| copy.weight != copies[0].weight)?;
            Some((&copies[0], other))
        })
        .min_by_key(|(_, other)| other.line);
    let Some((first, other)) = conflict else { return Ok(()) };
    let reason = format!(
        "the edge has weight {}, but the same edge on line {} has weight {}",
        other.weight, first.line, first.weight
    );
    Err(ReadError::at(other.line, reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(edges: &[(u32, u32, f64)]) -> Result<Graph, ReadError> {
        let mut read = Undirected::default();
        for (line, &(u, v, weight)) in (1..).zip(edges) {
            read.add(line, u, v, Some(weight))?;
        }
        read.into_graph(3)
    }

    #[test]
    fn copies_of_an_edge_merge_and_loops_go() {
        // 0 -2- 1 -3- 2
        let read = graph(&[(2, 1, 3.0), (0, 1, 2.0), (1, 0, 2.0), (1, 1, 9.0), (1, 0, 2.0)]);
        let expected = Graph::from_weighted_edges(3, &[(0, 1), (1, 2)], &[2.0, 3.0]);
        assert_eq!(read.unwrap(), expected.unwrap());
    }

    #[test]
    fn the_first_conflict_of_the_file_is_told() {
        let read = graph(&[(0, 1, 1.0), (1, 2, 5.0), (2, 1, 6.0), (1, 0, 2.0)]);
        assert_eq!(
            read.unwrap_err().to_string(),
            "line 3: the edge has weight 6, but the same edge on line 2 has weight 5"
        );
    }

    #[test]
    fn weights_stand_on_every_edge_or_on_none() {
        let mut read = Undirected::default();
        read.add(4, 0, 1, Some(1.0)).unwrap();
        assert_eq!(
            read.add(5, 1, 2, None).unwrap_err().to_string(),
            "line 5: the edge has no weight, but the edge on line 4 has one"
        );
        let mut read = Undirected::default();
        read.add(4, 0, 1, None).unwrap();
        assert_eq!(
            read.add(5, 1, 2, Some(1.0)).unwrap_err().to_string(),
            "line 5: the edge has a weight, but the edge on line 4 has none"
        );
    }
}
