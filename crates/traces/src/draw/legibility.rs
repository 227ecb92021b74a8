//! How hard a layout is to read: what a reader would take for something that is not there.
//!
//! Two nodes on one spot hide each other, an edge through a strange node looks like two edges,
//! and crossings cost attention. Lengths are measured in mean edge lengths, so the size of the
//! layout does not count. O(m^2 + n m): for small graphs only.

use crate::graph::Graph;

/// The clutter of a layout, 0 for a perfect one.
pub(super) fn clutter(points: &[[f64; 2]], edges: &[(u32, u32)]) -> f64 {
    let unit = mean_length(points, edges);
    let mut clutter = 0.0;
    for (place, &edge) in edges.iter().enumerate() {
        clutter += crossings(points, edge, &edges[..place]);
        clutter += (0..points.len() as u32).map(|u| through(points, unit, u, edge)).sum::<f64>();
    }
    for u in 0..points.len() {
        clutter += (0..u).map(|v| on_one_spot(points[u], points[v], unit)).sum::<f64>();
    }
    clutter
}

/// Moves single nodes by less than an edge, as long as that makes the layout clearer.
pub(super) fn settle(points: &mut [[f64; 2]], graph: &Graph) {
    let edges: Vec<(u32, u32)> = graph.edges().collect();
    let unit = mean_length(points, &edges);
    let home = points.to_vec();
    for _ in 0..SWEEPS {
        let mut moved = false;
        for u in graph.nodes() {
            let place = u as usize;
            let cost = |points: &[[f64; 2]]| {
                let away = length(minus(points[place], home[place])) / unit;
                around(points, graph, &edges, unit, u) + AWAY * away * away
            };
            let from = points[place];
            let mut best = (cost(points), from);
            for step in 0..36 {
                if best.0 == 0.0 {
                    break;
                }
                let (sin, cos) = libm::sincos(f64::from(step % 12) * std::f64::consts::PI / 6.0);
                let reach = unit * [0.4, 0.2, 0.08][step as usize / 12];
                points[place] = [from[0] + reach * cos, from[1] + reach * sin];
                let cost = cost(points);
                if cost < best.0 - 1e-6 {
                    best = (cost, points[place]);
                    moved = true;
                }
            }
            points[place] = best.1;
        }
        if !moved {
            return;
        }
    }
}

/// The clutter that one node has a part in.
fn around(points: &[[f64; 2]], graph: &Graph, edges: &[(u32, u32)], unit: f64, u: u32) -> f64 {
    let mut clutter: f64 = edges.iter().map(|&edge| through(points, unit, u, edge)).sum();
    for &v in graph.neighbours(u) {
        clutter += crossings(points, (u, v), edges);
        clutter += graph.nodes().map(|w| through(points, unit, w, (u, v))).sum::<f64>();
    }
    let others = graph.nodes().filter(|&v| v != u);
    clutter + others.map(|v| on_one_spot(points[u as usize], points[v as usize], unit)).sum::<f64>()
}

/// Sweeps over all nodes at most.
const SWEEPS: u32 = 12;
/// What it costs to be an edge's length away from home.
const AWAY: f64 = 4.0;
/// An edge right through a node is worth this many crossings.
const NODE_ON_EDGE: f64 = 6.0;
/// Two nodes on one spot are worth this many crossings.
const NODE_ON_NODE: f64 = 12.0;

/// Edges of `others` that cross `edge` and share no node with it.
fn crossings(points: &[[f64; 2]], edge: (u32, u32), others: &[(u32, u32)]) -> f64 {
    let at = |u: u32| points[u as usize];
    let (a, b) = edge;
    let is_crossed = |&&(c, d): &&(u32, u32)| {
        a != c && a != d && b != c && b != d && cross(at(a), at(b), at(c), at(d))
    };
    others.iter().filter(is_crossed).count() as f64
}

/// How much `edge` seems to run through node `u`.
fn through(points: &[[f64; 2]], unit: f64, u: u32, (a, b): (u32, u32)) -> f64 {
    if u == a || u == b {
        return 0.0;
    }
    let [point, a, b] = [u, a, b].map(|node| points[node as usize]);
    NODE_ON_EDGE * closeness(to_segment(point, a, b) / unit, 0.3)
}

fn on_one_spot(a: [f64; 2], b: [f64; 2], unit: f64) -> f64 {
    NODE_ON_NODE * closeness(length(minus(a, b)) / unit, 0.42)
}

/// From 1 at distance 0 down to 0 at `limit`.
fn closeness(distance: f64, limit: f64) -> f64 {
    (1.0 - distance / limit).max(0.0)
}

/// The mean length of the edges, never 0.
fn mean_length(points: &[[f64; 2]], edges: &[(u32, u32)]) -> f64 {
    let lengths = edges.iter().map(|&(u, v)| length(minus(points[u as usize], points[v as usize])));
    let mean = lengths.sum::<f64>() / edges.len() as f64;
    if mean > 0.0 { mean } else { 1.0 }
}

fn minus(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] - b[0], a[1] - b[1]]
}

fn length([x, y]: [f64; 2]) -> f64 {
    (x * x + y * y).sqrt()
}

/// Twice the signed area of the triangle `a`, `b`, `c`.
fn area(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    let ([bx, by], [cx, cy]) = (minus(b, a), minus(c, a));
    bx * cy - by * cx
}

fn cross(a: [f64; 2], b: [f64; 2], c: [f64; 2], d: [f64; 2]) -> bool {
    area(a, b, c) * area(a, b, d) < 0.0 && area(c, d, a) * area(c, d, b) < 0.0
}

/// Distance of `point` from the segment between `a` and `b`.
fn to_segment(point: [f64; 2], a: [f64; 2], b: [f64; 2]) -> f64 {
    let ([x, y], [dx, dy]) = (minus(point, a), minus(b, a));
    let along = ((x * dx + y * dy) / (dx * dx + dy * dy).max(1e-12)).clamp(0.0, 1.0);
    length([x - along * dx, y - along * dy])
}

#[cfg(test)]
mod tests {
    use super::*;

    // 0 --- 1
    // |  x  |
    // 2 --- 3
    const SQUARE: [[f64; 2]; 4] = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]];

    #[test]
    fn sides_of_a_square_are_clear_and_its_diagonals_cross_once() {
        let sides = [(0, 1), (0, 2), (1, 3), (2, 3)];
        assert_eq!(clutter(&SQUARE, &sides), 0.0);
        assert_eq!(clutter(&SQUARE, &[(0, 3), (1, 2)]), 1.0);
    }

    #[test]
    fn an_edge_through_a_node_is_worse_than_a_crossing() {
        // 0 - 1 - 2 with an edge (0, 2) on the same line
        let line = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]];
        assert!(clutter(&line, &[(0, 1), (1, 2), (0, 2)]) > 1.0);
    }

    #[test]
    fn settling_clears_a_node_off_a_strange_edge() {
        // 0 - 1 - 2 with an edge (0, 2) on the same line
        let mut line = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]];
        let graph = Graph::from_edges(3, &[(0, 1), (1, 2), (0, 2)]).unwrap();
        let edges: Vec<_> = graph.edges().collect();
        let before = clutter(&line, &edges);
        settle(&mut line, &graph);
        assert!(clutter(&line, &edges) < 0.2 * before, "{line:?}");
    }
}
