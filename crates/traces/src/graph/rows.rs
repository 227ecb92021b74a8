//! From a list of edges to sorted rows.

use super::GraphError;

/// Offsets and neighbours of the rows, checked.
///
/// Listing each row's number in the rows of its members twice over sorts every row (a radix sort
/// in two passes), so this stays O(nodes + edges); the second pass is skipped when the edges came
/// in an order that already gave sorted rows, as most generators do.
pub(super) fn rows(
    n_nodes: usize,
    edges: &[(u32, u32)],
) -> Result<(Vec<u32>, Vec<u32>), GraphError> {
    if n_nodes == 0 {
        return Err(GraphError::Empty);
    }
    let fits = edges.len().checked_mul(2).and_then(|arcs| arcs.checked_add(n_nodes));
    if fits.is_none_or(|entries| entries > u32::MAX as usize) {
        return Err(GraphError::TooLarge { n_nodes, n_edges: edges.len() });
    }
    let mut offsets = vec![0u32; n_nodes + 1];
    for (edge, &(u, v)) in edges.iter().enumerate() {
        if u.max(v) as usize >= n_nodes {
            return Err(GraphError::OutOfRange { edge, u, v, n_nodes });
        }
        if u == v {
            return Err(GraphError::SelfLoop { edge, node: u });
        }
        offsets[u as usize + 1] += 1;
        offsets[v as usize + 1] += 1;
    }
    for u in 0..n_nodes {
        offsets[u + 1] += offsets[u];
    }
    let mut next = offsets[..n_nodes].to_vec();
    let mut neighbours = vec![0u32; 2 * edges.len()];
    for &(u, v) in edges {
        for (row, member) in [(u, v), (v, u)] {
            let place = &mut next[row as usize];
            neighbours[*place as usize] = member;
            *place += 1;
        }
    }
    let row = |u: usize| offsets[u] as usize..offsets[u + 1] as usize;
    let rises = |neighbours: &[u32]| {
        (0..n_nodes).all(|u| neighbours[row(u)].is_sorted_by(|v, next| v < next))
    };
    if rises(&neighbours) {
        return Ok((offsets, neighbours));
    }
    next = offsets[..n_nodes].to_vec();
    let mut sorted = vec![0u32; neighbours.len()];
    for u in 0..n_nodes {
        for &v in &neighbours[row(u)] {
            sorted[next[v as usize] as usize] = u as u32;
            next[v as usize] += 1;
        }
    }
    neighbours = sorted;
    if rises(&neighbours) {
        return Ok((offsets, neighbours));
    }
    let pair = |u: usize| {
        let twice = neighbours[row(u)].windows(2).find(|pair| pair[0] == pair[1])?;
        Some(GraphError::Duplicate { u: twice[0].min(u as u32), v: twice[0].max(u as u32) })
    };
    Err((0..n_nodes).find_map(pair).expect("sorted rows that do not rise hold a node twice"))
}
