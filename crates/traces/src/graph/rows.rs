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
    check_size(n_nodes, edges.len())?;
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

/// The same from the neighbours above each node, ascending, row after row.
///
/// Whoever is below a node comes before it and enters its row in order; then the row's own part
/// follows. So nothing is sorted.
pub(super) fn rows_of_upper(
    row_lengths: &[u32],
    upper: &[u32],
) -> Result<(Vec<u32>, Vec<u32>), GraphError> {
    let offsets = offsets_of_upper(row_lengths, upper)?;
    let mut next = offsets.clone();
    let mut neighbours = vec![0u32; 2 * upper.len()];
    let mut rest = upper;
    for (u, &len) in (0..).zip(row_lengths) {
        let (row, after) = rest.split_at(len as usize);
        rest = after;
        let start = next[u as usize] as usize;
        neighbours[start..start + row.len()].copy_from_slice(row);
        for &v in row {
            let place = &mut next[v as usize];
            neighbours[*place as usize] = u;
            *place += 1;
        }
    }
    Ok((offsets, neighbours))
}

/// Where each row of all neighbours begins, and the end of the last, if these are rows of
/// neighbours above each node.
pub(super) fn offsets_of_upper(row_lengths: &[u32], upper: &[u32]) -> Result<Vec<u32>, GraphError> {
    let n_nodes = row_lengths.len();
    check_size(n_nodes, upper.len())?;
    let expected: u64 = row_lengths.iter().map(|&len| u64::from(len)).sum();
    if expected != upper.len() as u64 {
        return Err(GraphError::RowCount { expected, found: upper.len() });
    }
    let mut offsets = vec![0u32; n_nodes + 1];
    let mut edge = 0;
    for (u, &len) in (0..).zip(row_lengths) {
        offsets[u as usize + 1] += len;
        let mut before = u;
        for &v in &upper[edge..edge + len as usize] {
            if v <= before {
                return Err(GraphError::RowOrder { u, v });
            }
            let count = offsets.get_mut(v as usize + 1);
            *count.ok_or(GraphError::OutOfRange { edge, u, v, n_nodes })? += 1;
            (before, edge) = (v, edge + 1);
        }
    }
    for u in 0..n_nodes {
        offsets[u + 1] += offsets[u];
    }
    Ok(offsets)
}

/// Whether nodes and entries can be numbered.
fn check_size(n_nodes: usize, n_edges: usize) -> Result<(), GraphError> {
    if n_nodes == 0 {
        return Err(GraphError::Empty);
    }
    let n_entries = n_edges.checked_mul(2).and_then(|arcs| arcs.checked_add(n_nodes));
    match n_entries.is_some_and(|entries| entries <= u32::MAX as usize) {
        true => Ok(()),
        false => Err(GraphError::TooLarge { n_nodes, n_edges }),
    }
}
