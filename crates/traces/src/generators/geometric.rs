//! Random geometric graphs: uniform points in the unit square, joined when closer than r.
//!
//! They connect at about r = sqrt(ln n / (pi n)), so the radius is given as a factor c of that
//! area, r = sqrt(c ln n / (pi n)), or itself. Cells at least r wide hold the points, so only the
//! points of nine cells are compared with each: O(n + m) expected. The points are redrawn until
//! the graph is connected. Reference: Penrose, Random Geometric Graphs, 2003.

use std::f64::consts::PI;

use rand_chacha::ChaCha8Rng;

use super::{Family, GenerateError, Generator, Parameter};
use crate::graph::Graph;
use crate::parameters::{Draw, ParameterError};
use crate::random;
use crate::redraw::until_connected;

/// Random geometric graphs.
pub static FAMILY: Family = Family {
    name: "geometric",
    aliases: &["random_geometric"],
    summary: "geometric: uniform points in the unit square, joined when closer than r",
    parameters: &[
        Parameter {
            name: "c",
            default: "1.5..3",
            meaning: "area of the circle around a node as a factor of ln(n) / n",
        },
        Parameter { name: "r", default: "", meaning: "radius itself, instead of c" },
    ],
    build: |given| {
        let c = given.real("c", 0.0..=f64::INFINITY)?;
        let r = given.real("r", 0.0..=f64::INFINITY)?;
        let radius = match (r, c) {
            (Some(_), Some(_)) => {
                return Err(ParameterError::new("r", "give either r or c, not both"));
            }
            (Some(r), None) => Radius::R(r),
            (None, c) => Radius::C(c.unwrap_or(Draw::Range { min: 1.5, max: 3.0 })),
        };
        Ok(Box::new(Geometric { radius }))
    },
};

#[derive(Debug)]
struct Geometric {
    radius: Radius,
}

#[derive(Debug)]
enum Radius {
    R(Draw<f64>),
    /// r = sqrt(c ln n / (pi n)).
    C(Draw<f64>),
}

impl Radius {
    fn r(&self, c_or_r: f64, n_nodes: usize) -> f64 {
        let n = n_nodes as f64;
        match self {
            Self::R(_) => c_or_r,
            Self::C(_) => (c_or_r * libm::log(n) / (PI * n)).sqrt(),
        }
    }

    fn draw(&self) -> &Draw<f64> {
        match self {
            Self::R(draw) | Self::C(draw) => draw,
        }
    }
}

impl Generator for Geometric {
    fn check(&self, n_nodes: usize) -> Result<(), ParameterError> {
        let n = n_nodes as f64;
        let r = self.radius.r(self.radius.draw().max(), n_nodes);
        let isolated = n * libm::pow((1.0 - PI * r * r).max(0.0), n - 1.0);
        // P(no isolated node) is about exp(-isolated): beyond 30 no number of tries helps.
        if r == 0.0 || isolated > 30.0 {
            let parameter = if matches!(self.radius, Radius::R(_)) { "r" } else { "c" };
            let needed = (libm::log(n) / (PI * n)).sqrt();
            let problem = format!(
                "a radius of {r:.3e} cannot connect {n_nodes} nodes, \
                 raise it above sqrt(ln(n) / (pi n)) = {needed:.3e}"
            );
            return Err(ParameterError::new(parameter, problem));
        }
        Ok(())
    }

    fn generate(&self, n_nodes: usize, rng: &mut ChaCha8Rng) -> Result<Graph, GenerateError> {
        let r = self.radius.r(self.radius.draw().draw(rng), n_nodes);
        let mut positions = Vec::new();
        let graph = until_connected(
            n_nodes,
            |edges| {
                positions = (0..n_nodes).map(|_| random::point(rng)).collect();
                append_close_pairs(&positions, r, edges);
            },
            || (format!("r = {r:.6}"), "raise r or c".to_owned()),
        )?;
        Ok(graph.with_positions(positions)?)
    }
}

/// Adds every pair of points closer than `r`.
fn append_close_pairs(positions: &[[f64; 2]], r: f64, edges: &mut Vec<(u32, u32)>) {
    let cells = Cells::new(positions, r);
    for &u in &cells.nodes {
        let [x, y] = positions[u as usize];
        for &v in cells.around(positions[u as usize]) {
            let [dx, dy] = [positions[v as usize][0] - x, positions[v as usize][1] - y];
            if u < v && dx * dx + dy * dy < r * r {
                edges.push((u, v));
            }
        }
    }
}

/// Points by cell of a square raster: cell c holds `nodes[starts[c]..starts[c + 1]]`.
struct Cells {
    side: usize,
    starts: Vec<u32>,
    nodes: Vec<u32>,
}

impl Cells {
    fn new(positions: &[[f64; 2]], r: f64) -> Self {
        // A hair wider than r, so that rounding puts no close pair two cells apart, and no more
        // cells than points.
        let width = (r * (1.0 + 1e-9)).max(1.0 / (positions.len() as f64).sqrt());
        let side = ((1.0 / width) as usize).max(1);
        let cell = |[x, y]: [f64; 2]| Self::line(y, side) * side + Self::line(x, side);
        let mut starts = vec![0u32; side * side + 1];
        positions.iter().for_each(|&position| starts[cell(position) + 1] += 1);
        (0..side * side).for_each(|cell| starts[cell + 1] += starts[cell]);
        let mut next = starts.clone();
        let mut nodes = vec![0; positions.len()];
        for (u, &position) in positions.iter().enumerate() {
            let place = &mut next[cell(position)];
            nodes[*place as usize] = u as u32;
            *place += 1;
        }
        Self { side, starts, nodes }
    }

    fn line(coordinate: f64, side: usize) -> usize {
        ((coordinate * side as f64) as usize).min(side - 1)
    }

    /// The points of the cell of a position and of the cells that touch it.
    fn around(&self, [x, y]: [f64; 2]) -> impl Iterator<Item = &u32> {
        let [column, row] = [x, y].map(|coordinate| Self::line(coordinate, self.side));
        let last = self.side - 1;
        let columns = [column.saturating_sub(1), (column + 1).min(last)];
        (row.saturating_sub(1)..=(row + 1).min(last)).flat_map(move |row| {
            let [first, last] = columns.map(|column| row * self.side + column);
            &self.nodes[self.starts[first] as usize..self.starts[last + 1] as usize]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_the_pairs_closer_than_the_radius() {
        for (stream, r) in [0.0, 0.01, 0.1, 0.2, 0.25, 0.5, 1.0, 2.0].into_iter().enumerate() {
            let mut rng = random::stream([1; 32], stream as u64);
            let points: Vec<[f64; 2]> = (0..150).map(|_| random::point(&mut rng)).collect();
            let is_close = |&(u, v): &(u32, u32)| {
                let [[a, b], [c, d]] = [points[u as usize], points[v as usize]];
                (a - c) * (a - c) + (b - d) * (b - d) < r * r
            };
            let pairs = (0..150).flat_map(|u| (u + 1..150).map(move |v| (u, v)));
            let expected: Vec<(u32, u32)> = pairs.filter(is_close).collect();
            let mut edges = Vec::new();
            append_close_pairs(&points, r, &mut edges);
            edges.sort_unstable();
            assert_eq!(edges, expected, "r = {r}");
        }
    }

    #[test]
    fn positions_are_those_of_the_accepted_draw() {
        let generator = Geometric { radius: Radius::R(Draw::Constant(0.22)) };
        for stream in 0..20 {
            let graph = generator.generate(40, &mut random::stream([2; 32], stream)).unwrap();
            let mut edges = Vec::new();
            append_close_pairs(graph.positions().unwrap(), 0.22, &mut edges);
            edges.sort_unstable();
            assert_eq!(graph.edges().collect::<Vec<_>>(), edges);
        }
    }
}
