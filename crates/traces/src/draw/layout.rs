//! A place on paper for every node.
//!
//! Positions that came with the graph are kept, y upwards. Others come from [`super::stress`]; of
//! a small graph several descents are tried, the one that reads best is taken and its nodes are
//! moved a little, because stress alone does not mind an edge that runs through a strange node. The result is turned so that its
//! bounding box is smallest and lies flat, which also sets grids upright, and mirrored so that
//! node 0 is to the upper left. The random stream is fixed: a graph has one layout.

use super::legibility::{clutter, settle};
use super::stress::Stress;
use crate::graph::Graph;
use crate::random;

/// Descents tried for a small graph.
const TRIES: u64 = 24;
/// Comparing layouts looks at all pairs of edges: only up to this many.
const MAX_EDGES_COMPARED: usize = 200;

/// Nodes placed in a box, in pixels, y downwards.
#[derive(Debug, Clone, PartialEq)]
pub struct Placement {
    /// Centre of each node.
    pub points: Vec<[f64; 2]>,
    /// Width of the box.
    pub width: f64,
    /// Height of the box.
    pub height: f64,
}

impl Placement {
    /// Scales `points` to a box of this width and at most this height, with a margin inside; the
    /// box is as high as the points need.
    pub fn fit(points: &[[f64; 2]], width: f64, max_height: f64, margin: f64) -> Self {
        let ([left, top], [right, bottom]) = corners(points);
        let inner = [(width - 2.0 * margin).max(1.0), (max_height - 2.0 * margin).max(1.0)];
        let extent = [right - left, bottom - top];
        let scale = (inner[0] / extent[0]).min(inner[1] / extent[1]);
        let scale = if scale.is_finite() { scale } else { 0.0 };
        let height = (extent[1] * scale + 2.0 * margin).min(max_height.max(1.0));
        let centre = [(left + right) / 2.0, (top + bottom) / 2.0];
        let place = |&[x, y]: &[f64; 2]| {
            [width / 2.0 + (x - centre[0]) * scale, height / 2.0 + (y - centre[1]) * scale]
        };
        Self { points: points.iter().map(place).collect(), width, height }
    }
}

/// A place for every node, in no particular unit, y downwards. Always the same for a graph.
///
/// ```
/// use salsa_traces::{draw::layout, graph::Graph};
/// let path = Graph::from_edges(3, &[(0, 1), (1, 2)])?;
/// let points = layout(&path);
/// assert!(points[0][0] < points[1][0] && points[1][0] < points[2][0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn layout(graph: &Graph) -> Vec<[f64; 2]> {
    if let Some(given) = graph.positions()
        && given.iter().flatten().all(|coordinate| coordinate.is_finite())
    {
        return given.iter().map(|&[x, y]| [x, -y]).collect();
    }
    let stress = Stress::new(graph);
    let tries = if graph.n_edges() <= MAX_EDGES_COMPARED { TRIES } else { 1 };
    let edges: Vec<(u32, u32)> = graph.edges().collect();
    let mut best: Option<(f64, Vec<[f64; 2]>)> = None;
    for stream in 0..tries {
        let from_axis = tries > 1 && stream == 0;
        let points = stress.descend(from_axis, &mut random::stream([0; 32], stream));
        let clutter = if tries > 1 { clutter(&points, &edges) } else { 0.0 };
        if best.as_ref().is_none_or(|(least, _)| clutter < *least) {
            best = Some((clutter, points));
        }
    }
    let mut points = best.map(|(_, points)| points).unwrap_or_default();
    if tries > 1 {
        settle(&mut points, graph);
    }
    upright(points)
}

/// Turns the points so that their box has the least circumference and is wider than high, then
/// mirrors them so that the first is to the upper left.
fn upright(points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    let circumference = |degrees: f64| {
        let [width, height] = extent_turned(&points, degrees);
        width + height
    };
    let best = |angles: &mut dyn Iterator<Item = f64>| {
        angles.map(|a| (circumference(a), a)).fold((f64::INFINITY, 0.0), |best, next| {
            if next.0 < best.0 - 1e-12 { next } else { best }
        })
    };
    let (_, coarse) = best(&mut (0..90).map(f64::from));
    let (_, fine) = best(&mut (-50..=50).map(|step| coarse + 0.02 * f64::from(step)));
    let [width, height] = extent_turned(&points, fine);
    let angle = if height > width { fine + 90.0 } else { fine };
    let mut turned: Vec<[f64; 2]> = points.iter().map(|&point| turn(point, angle)).collect();

    let ([left, top], [right, bottom]) = corners(&turned);
    let Some(&[x, y]) = turned.first() else { return turned };
    let mirror = [
        if x > (left + right) / 2.0 { -1.0 } else { 1.0 },
        if y > (top + bottom) / 2.0 { -1.0 } else { 1.0 },
    ];
    for point in &mut turned {
        *point = [point[0] * mirror[0], point[1] * mirror[1]];
    }
    turned
}

fn extent_turned(points: &[[f64; 2]], degrees: f64) -> [f64; 2] {
    let turned: Vec<[f64; 2]> = points.iter().map(|&point| turn(point, degrees)).collect();
    let ([left, top], [right, bottom]) = corners(&turned);
    [right - left, bottom - top]
}

fn turn([x, y]: [f64; 2], degrees: f64) -> [f64; 2] {
    let (sin, cos) = libm::sincos(degrees.to_radians());
    [x * cos - y * sin, x * sin + y * cos]
}

fn corners(points: &[[f64; 2]]) -> ([f64; 2], [f64; 2]) {
    let Some(&first) = points.first() else { return ([0.0; 2], [0.0; 2]) };
    points.iter().fold((first, first), |(low, high), &[x, y]| {
        ([low[0].min(x), low[1].min(y)], [high[0].max(x), high[1].max(y)])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(n_nodes: u32) -> Graph {
        let edges: Vec<_> = (1..n_nodes).map(|u| (u - 1, u)).collect();
        Graph::from_edges(n_nodes as usize, &edges).unwrap()
    }

    fn grid(side: u32) -> Graph {
        let mut edges = Vec::new();
        for u in 0..side * side {
            if (u + 1) % side > 0 {
                edges.push((u, u + 1));
            }
            if u + side < side * side {
                edges.push((u, u + side));
            }
        }
        Graph::from_edges((side * side) as usize, &edges).unwrap()
    }

    fn apart(points: &[[f64; 2]], u: u32, v: u32) -> f64 {
        let ([ax, ay], [bx, by]) = (points[u as usize], points[v as usize]);
        ((ax - bx).powi(2) + (ay - by).powi(2)).sqrt()
    }

    #[test]
    fn a_graph_has_one_layout() {
        assert_eq!(layout(&grid(5)), layout(&grid(5)));
    }

    #[test]
    fn a_path_runs_along_the_x_axis() {
        for n_nodes in [2, 3, 16, 200] {
            let points = layout(&path(n_nodes));
            let forward = points.windows(2).filter(|pair| pair[0][0] < pair[1][0]).count();
            assert!(forward >= (n_nodes as usize - 1) * 9 / 10, "{n_nodes}: {forward}");
            let ([left, top], [right, bottom]) = corners(&points);
            assert!(bottom - top <= 0.5 * (right - left), "{n_nodes}");
        }
    }

    #[test]
    fn neighbours_in_a_grid_are_nearer_than_others() {
        for side in [4, 12] {
            let graph = grid(side);
            let points = layout(&graph);
            let (mut near, mut far) = (Vec::new(), Vec::new());
            for u in graph.nodes() {
                for v in 0..u {
                    let side_of = if graph.has_edge(u, v) { &mut near } else { &mut far };
                    side_of.push(apart(&points, u, v));
                }
            }
            let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
            assert!(mean(&near) * 1.8 < mean(&far), "{side}: {} {}", mean(&near), mean(&far));
            assert!(near.iter().all(|&distance| distance > 0.4), "{side}");
        }
    }

    #[test]
    fn components_do_not_lie_on_each_other() {
        // 0 - 1 - 2   3 - 4   5
        let graph = Graph::from_edges(6, &[(0, 1), (1, 2), (3, 4)]).unwrap();
        let points = layout(&graph);
        for u in graph.nodes() {
            assert!((0..u).all(|v| apart(&points, u, v) > 0.5), "{points:?}");
        }
    }

    #[test]
    fn given_positions_are_kept_with_y_upwards() {
        let graph = path(2).with_positions(vec![[0.0, 0.0], [1.0, 2.0]]).unwrap();
        assert_eq!(layout(&graph), [[0.0, -0.0], [1.0, -2.0]]);
    }

    #[test]
    fn positions_that_are_not_finite_are_replaced() {
        let graph = path(2).with_positions(vec![[0.0, f64::NAN], [1.0, 2.0]]).unwrap();
        assert!(layout(&graph).iter().flatten().all(|coordinate| coordinate.is_finite()));
    }

    #[test]
    fn points_stay_inside_the_box() {
        for graph in [path(1), path(2), path(30), grid(6), Graph::from_edges(9, &[]).unwrap()] {
            let placement = Placement::fit(&layout(&graph), 200.0, 120.0, 15.0);
            assert!(placement.height <= 120.0);
            for &[x, y] in &placement.points {
                assert!((14.9..=185.1).contains(&x), "{x}");
                assert!((14.9..=placement.height - 14.9).contains(&y), "{y}");
            }
        }
    }
}
