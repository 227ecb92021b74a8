//! Places nodes so that distances on paper follow distances in the graph.
//!
//! Minimises the stress sum of w_ij (|x_i - x_j| - d_ij)^2, w_ij = d_ij^-2, by stochastic gradient
//! descent: one term at a time moves its two nodes, with steps that shrink over the rounds
//! (Zheng, Pawar and Goodman, Graph drawing by stochastic gradient descent, 2018). Only terms from
//! some pivots to all nodes and along edges are kept, those of a pivot weighted by the nodes it
//! stands for (Ortmann, Klimenta and Brandes, A sparse stress model, 2016), so memory and work are
//! O(pivots * n + m). In small graphs every node is a pivot and the stress is the exact one.

use rand_chacha::ChaCha8Rng;

use crate::graph::Graph;
use crate::random;

/// Pivots of a graph of moderate size.
const PIVOTS: usize = 64;
/// Pivot terms kept at most: larger graphs get fewer pivots.
const MAX_TERMS: usize = 4_000_000;
/// Rounds over all terms.
const ROUNDS: u32 = 60;
/// Step size of the last round for a term of weight 1.
const LAST_STEP: f64 = 0.05;

/// Two nodes, their distance in the graph, and how strongly each answers to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Term {
    i: u32,
    j: u32,
    distance: f64,
    weight_i: f64,
    weight_j: f64,
}

/// What the places of the nodes are to match.
#[derive(Debug)]
pub(super) struct Stress {
    terms: Vec<Term>,
    /// A first guess: the distances to the two ends of a longest way, and to a third node.
    start: Vec<[f64; 2]>,
}

impl Stress {
    /// The terms of `graph`. Nodes that no way connects get a distance of about half the longest
    /// way, so that components come to lie side by side.
    pub(super) fn new(graph: &Graph) -> Self {
        let n_nodes = graph.n_nodes();
        let n_pivots = if n_nodes <= PIVOTS {
            n_nodes
        } else {
            (MAX_TERMS / n_nodes).clamp(4.min(n_nodes), PIVOTS)
        };
        let (pivots, mut distances) = far_apart(graph, n_pivots);
        let longest = distances.iter().flatten().filter(|&&d| d != UNREACHED).max();
        let between_components = 2 + longest.map_or(0, |&longest| longest / 2);
        for distance in distances.iter_mut().flatten().filter(|d| **d == UNREACHED) {
            *distance = between_components;
        }
        let mut terms = pivot_terms(n_nodes, &pivots, &distances);
        terms.retain(|term| term.distance > 1.0);
        // Edges weigh more than their stress, those of busy nodes most, so that they come out of
        // about equal length: the leaves of a star make one circle, not two.
        terms.extend(graph.edges().map(|(i, j)| {
            let weight = graph.degree(i).max(graph.degree(j)) as f64;
            Term { i, j, distance: 1.0, weight_i: weight, weight_j: weight }
        }));
        let row = |pivot: usize| &distances[pivot.min(distances.len() - 1)];
        let start = (0..n_nodes).map(|u| {
            let [a, b, c] = [0, 1, 2].map(|pivot| f64::from(row(pivot)[u]));
            [b - a, c - (a + b) / 2.0]
        });
        Self { start: start.collect(), terms }
    }

    /// One descent from the first guess, shaken; or from its x axis alone, hardly shaken, which
    /// keeps straight what can be straight.
    pub(super) fn descend(&self, from_axis: bool, rng: &mut ChaCha8Rng) -> Vec<[f64; 2]> {
        let (height, shake) = if from_axis { (0.0, 1e-3) } else { (1.0, 0.5) };
        let shaken = |&[x, y]: &[f64; 2], rng: &mut ChaCha8Rng| {
            let [dx, dy] = [(); 2].map(|()| random::between(rng, -shake, shake));
            [x + dx, height * y + dy]
        };
        let mut points: Vec<[f64; 2]> = self.start.iter().map(|p| shaken(p, rng)).collect();
        let mut terms = self.terms.clone();
        let heaviest = |term: &Term| term.weight_i.max(term.weight_j);
        let smallest = terms.iter().map(heaviest).fold(f64::INFINITY, f64::min);
        if !smallest.is_finite() {
            return points;
        }
        let decay = libm::log(1.0 / (smallest * LAST_STEP)) / f64::from(ROUNDS - 1);
        for round in 0..ROUNDS {
            let step = libm::exp(-decay * f64::from(round)) / smallest;
            shuffle(&mut terms, rng);
            for term in &terms {
                let (i, j) = (term.i as usize, term.j as usize);
                let (dx, dy) = (points[i][0] - points[j][0], points[i][1] - points[j][1]);
                let apart = (dx * dx + dy * dy).sqrt().max(1e-9);
                let pull = (apart - term.distance) / (2.0 * apart);
                let (move_i, move_j) =
                    ((step * term.weight_i).min(1.0), (step * term.weight_j).min(1.0));
                points[i][0] -= move_i * pull * dx;
                points[i][1] -= move_i * pull * dy;
                points[j][0] += move_j * pull * dx;
                points[j][1] += move_j * pull * dy;
            }
        }
        points
    }
}

const UNREACHED: u32 = u32::MAX;

/// Pivots, each as far as possible from those before it, and the distances from them.
///
/// The first is the far end of a search from node 0, so the first two end a long way.
fn far_apart(graph: &Graph, n_pivots: usize) -> (Vec<u32>, Vec<Vec<u32>>) {
    // An unreached node counts as the farthest: every component gets its pivots.
    let farthest = |distances: &[u32]| {
        let by_distance = |&u: &u32| (distances[u as usize], std::cmp::Reverse(u));
        graph.nodes().max_by_key(by_distance).unwrap_or(0)
    };
    let from_0 = breadth_first(graph, 0);
    let reached: Vec<u32> = from_0.iter().map(|&d| if d == UNREACHED { 0 } else { d }).collect();
    let mut nearest_pivot = vec![UNREACHED; graph.n_nodes()];
    let mut next = farthest(&reached);
    let (mut pivots, mut rows) = (Vec::new(), Vec::new());
    while pivots.len() < n_pivots {
        let row = breadth_first(graph, next);
        for (nearest, &distance) in nearest_pivot.iter_mut().zip(&row) {
            *nearest = (*nearest).min(distance);
        }
        pivots.push(next);
        rows.push(row);
        next = farthest(&nearest_pivot);
    }
    (pivots, rows)
}

/// Number of edges between `root` and every node.
fn breadth_first(graph: &Graph, root: u32) -> Vec<u32> {
    let mut distances = vec![UNREACHED; graph.n_nodes()];
    distances[root as usize] = 0;
    let mut queue = vec![root];
    let mut head = 0;
    while let Some(&u) = queue.get(head) {
        head += 1;
        for &v in graph.neighbours(u) {
            if distances[v as usize] == UNREACHED {
                distances[v as usize] = distances[u as usize] + 1;
                queue.push(v);
            }
        }
    }
    distances
}

/// The terms between pivots and nodes.
///
/// A pivot p pulls node i for all nodes nearest to p that are at most half as far from p as i is:
/// seen from i these lie about where p lies.
fn pivot_terms(n_nodes: usize, pivots: &[u32], distances: &[Vec<u32>]) -> Vec<Term> {
    let mut pivot_of = vec![None; n_nodes];
    for (place, &pivot) in pivots.iter().enumerate() {
        pivot_of[pivot as usize] = Some(place);
    }
    // within[p][d]: nodes of p's region at distance at most d from p
    let mut within: Vec<Vec<u32>> = vec![Vec::new(); pivots.len()];
    (0..n_nodes).for_each(|u| {
        let nearest = (0..pivots.len()).min_by_key(|&place| distances[place][u]).unwrap_or(0);
        let (counts, distance) = (&mut within[nearest], distances[nearest][u] as usize);
        counts.resize(counts.len().max(distance + 1), 0);
        counts[distance] += 1;
    });
    for counts in &mut within {
        for d in 1..counts.len() {
            counts[d] += counts[d - 1];
        }
    }
    let stands_for = |place: usize, distance: u32| {
        let counts = &within[place];
        let half = (distance as usize / 2).min(counts.len().saturating_sub(1));
        f64::from(counts.get(half).copied().unwrap_or(1).max(1))
    };
    let mut terms = Vec::with_capacity(pivots.len() * n_nodes);
    for (place, &pivot) in pivots.iter().enumerate() {
        for u in 0..n_nodes {
            if u as u32 == pivot || pivot_of[u].is_some_and(|other| other < place) {
                continue;
            }
            let distance = distances[place][u];
            let weight = 1.0 / (f64::from(distance) * f64::from(distance));
            terms.push(Term {
                i: u as u32,
                j: pivot,
                distance: f64::from(distance),
                weight_i: weight * stands_for(place, distance),
                weight_j: pivot_of[u].map_or(0.0, |other| weight * stands_for(other, distance)),
            });
        }
    }
    terms
}

fn shuffle(terms: &mut [Term], rng: &mut ChaCha8Rng) {
    for last in (1..terms.len()).rev() {
        terms.swap(last, random::below(rng, last as u32 + 1) as usize);
    }
}
