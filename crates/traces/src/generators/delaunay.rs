//! Delaunay triangulations of uniform points in the unit square: planar graphs.
//!
//! Two points are joined when some circle through both holds no other point; with probability 1
//! that is one triangulation, so the graph depends on the points alone and not on the method. The
//! triangulation sweeps outwards from the middle and flips edges, with exact orientation tests;
//! O(n log n). Reference: Delaunay, Sur la sphère vide, 1934; Sinclair, S-hull, arXiv 1604.01428.

use delaunator::{Point, next_halfedge, triangulate};
use rand_chacha::ChaCha8Rng;

use super::{Family, GenerateError, Generator};
use crate::graph::Graph;
use crate::parameters::ParameterError;
use crate::random;
use crate::redraw::until_connected;

/// Delaunay triangulations.
pub static FAMILY: Family = Family {
    name: "delaunay",
    aliases: &[],
    summary: "Delaunay: the triangulation of n uniform points in the unit square",
    parameters: &[],
    build: |_| Ok(Box::new(Delaunay)),
};

#[derive(Debug)]
struct Delaunay;

impl Generator for Delaunay {
    fn check(&self, _n_nodes: usize) -> Result<(), ParameterError> {
        Ok(())
    }

    fn generate(&self, n_nodes: usize, rng: &mut ChaCha8Rng) -> Result<Graph, GenerateError> {
        let mut positions = Vec::new();
        // The triangulation leaves out points that coincide, which leaves their nodes alone.
        let graph = until_connected(
            n_nodes,
            |edges| {
                positions = (0..n_nodes).map(|_| random::point(rng)).collect();
                triangulation_edges(&positions, edges);
            },
            || ("coinciding points".to_owned(), "take another seed".to_owned()),
        )?;
        Ok(graph.with_positions(positions)?)
    }
}

/// Adds every edge of the triangulation once; points on one line are joined along it.
fn triangulation_edges(positions: &[[f64; 2]], edges: &mut Vec<(u32, u32)>) {
    let points: Vec<Point> = positions.iter().map(|&position| Point::from(position)).collect();
    let found = triangulate(&points);
    if found.is_empty() {
        edges.extend(found.hull.windows(2).map(|pair| (pair[0] as u32, pair[1] as u32)));
        return;
    }
    edges.reserve(3 * points.len());
    for (half_edge, &twin) in found.halfedges.iter().enumerate() {
        // Of two twins the lower one; a half-edge of the hull has no twin, told by usize::MAX.
        if half_edge < twin {
            let (u, v) = (found.triangles[half_edge], found.triangles[next_halfedge(half_edge)]);
            edges.push((u as u32, v as u32));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::is_connected;

    fn edges_of(positions: &[[f64; 2]]) -> Vec<(u32, u32)> {
        let mut edges = Vec::new();
        triangulation_edges(positions, &mut edges);
        edges.iter_mut().for_each(|(u, v)| (*u, *v) = (*u.min(v), *u.max(v)));
        edges.sort_unstable();
        edges
    }

    fn area(a: [i128; 2], b: [i128; 2], c: [i128; 2]) -> i128 {
        (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    }

    /// Whether `d` lies inside the circle through `a`, `b`, `c`, in exact arithmetic.
    fn in_circle(a: [i128; 2], b: [i128; 2], c: [i128; 2], d: [i128; 2]) -> bool {
        let row = |p: [i128; 2]| {
            let (x, y) = (p[0] - d[0], p[1] - d[1]);
            (x, y, x * x + y * y)
        };
        let ((ax, ay, aa), (bx, by, bb), (cx, cy, cc)) = (row(a), row(b), row(c));
        let determinant =
            aa * (bx * cy - by * cx) - bb * (ax * cy - ay * cx) + cc * (ax * by - ay * bx);
        determinant.signum() * area(a, b, c).signum() > 0
    }

    #[test]
    fn edges_are_those_of_the_triangles_with_an_empty_circumcircle() {
        for stream in 0..30 {
            let mut rng = random::stream([1; 32], stream);
            let n_nodes = 3 + stream as usize % 12;
            // On a raster of 2^26 both doubles and 128-bit integers hold the points exactly.
            let raster: Vec<[i128; 2]> = (0..n_nodes)
                .map(|_| random::point(&mut rng).map(|x| (x * (1 << 26) as f64) as i128))
                .collect();
            let mut expected = Vec::new();
            for (a, b, c) in triples(n_nodes) {
                let triangle = [a, b, c].map(|node| raster[node]);
                let others = (0..n_nodes).filter(|node| ![a, b, c].contains(node));
                let [p, q, r] = triangle;
                if area(p, q, r) != 0 && others.into_iter().all(|d| !in_circle(p, q, r, raster[d]))
                {
                    expected.extend([(a, b), (a, c), (b, c)].map(|(u, v)| (u as u32, v as u32)));
                }
            }
            expected.sort_unstable();
            expected.dedup();
            let positions: Vec<[f64; 2]> =
                raster.iter().map(|point| point.map(|x| x as f64 / (1 << 26) as f64)).collect();
            assert_eq!(edges_of(&positions), expected, "stream {stream}");
        }
    }

    fn triples(n: usize) -> impl Iterator<Item = (usize, usize, usize)> {
        (0..n).flat_map(move |a| (a + 1..n).flat_map(move |b| (b + 1..n).map(move |c| (a, b, c))))
    }

    #[test]
    fn a_planar_graph_has_at_most_3n_minus_6_edges() {
        for n_nodes in [3, 10, 100, 1600] {
            let graph = Delaunay.generate(n_nodes, &mut random::stream([2; 32], 0)).unwrap();
            assert!(graph.n_edges() <= 3 * n_nodes - 6);
            assert!(n_nodes < 100 || graph.n_edges() > 3 * n_nodes - 60);
        }
    }

    #[test]
    fn two_points_have_one_edge() {
        assert_eq!(edges_of(&[[0.2, 0.7], [0.9, 0.1]]), [(0, 1)]);
        let graph = Delaunay.generate(2, &mut random::stream([3; 32], 0)).unwrap();
        assert_eq!((graph.n_edges(), graph.positions().unwrap().len()), (1, 2));
    }

    #[test]
    fn points_on_a_line_are_joined_along_it() {
        // 1 - 3 - 0 - 2
        let level = [[0.5, 0.5], [0.125, 0.5], [0.75, 0.5], [0.25, 0.5]];
        let slanted = level.map(|[x, _]| [x, x]);
        let upright = level.map(|[x, y]| [y, x]);
        for line in [level, slanted, upright] {
            assert_eq!(edges_of(&line), [(0, 2), (0, 3), (1, 3)]);
        }
    }

    #[test]
    fn a_point_given_twice_is_left_out_and_so_told_by_connectivity() {
        for positions in [
            vec![[0.5, 0.5], [0.5, 0.5]],
            vec![[0.1, 0.5], [0.5, 0.5], [0.5, 0.5]],
            vec![[0.1, 0.1], [0.8, 0.2], [0.3, 0.9], [0.8, 0.2], [0.4, 0.4]],
        ] {
            assert!(!is_connected(positions.len(), edges_of(&positions)), "{positions:?}");
        }
    }
}
