//! Executions to be played: what an algorithm did on a graph, and what networks make of it.
//!
//! Everything is numbers, so that the page needs to know no algorithm: masks are 0 and 1, pointers
//! and marked nodes are node numbers, classes are counted from 0. A [`Track`] has one feature's
//! values over time as changes, because few of them change in a step.

use serde::Serialize;

use super::rounded::Rounded;

/// One execution on one graph.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Episode {
    /// The algorithm.
    pub algorithm: String,
    /// Where the graph comes from, `er_16, sample 3`.
    pub name: String,
    /// How the algorithm is read.
    pub convention: String,
    /// The graph.
    pub drawing: Drawing,
    /// Steps that the algorithm took.
    pub steps: usize,
    /// The node it starts at.
    pub source: Option<u32>,
    /// What it reads beside graph, weights and source, of one moment or of every step.
    pub inputs: Vec<Track>,
    /// What it recorded at every step.
    pub hints: Vec<Track>,
    /// What it gave, of one moment.
    pub outputs: Vec<Track>,
    /// What networks gave.
    pub answers: Vec<Answer>,
}

/// A graph with a place for every node.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Drawing {
    /// The centre of each node, y downwards.
    pub points: Vec<[Rounded; 2]>,
    /// Each edge once.
    pub edges: Vec<(u32, u32)>,
    /// Their weights, where the algorithm reads them.
    pub weights: Option<Vec<Rounded>>,
    /// What features of edges have a value for, each direction and loops too; empty where there
    /// are none.
    pub entries: Vec<(u32, u32)>,
}

/// What a feature has a value for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// Every node.
    Node,
    /// Every entry.
    Edge,
    /// The graph.
    Graph,
}

/// What its values are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// Numbers.
    Scalar,
    /// Yes or no.
    Mask,
    /// One node, as the only value.
    MaskOne,
    /// Classes.
    Categorical,
    /// Nodes.
    Pointer,
}

/// Places and their new values.
pub type Changes = Vec<(usize, Rounded)>;

/// A feature over time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Track {
    /// Its name.
    pub name: String,
    /// What it has a value for.
    pub place: Place,
    /// What its values are.
    pub quantity: Quantity,
    /// The values at the first moment.
    pub first: Vec<Rounded>,
    /// What changed at each moment after it.
    pub changes: Vec<Changes>,
}

/// What a network gave.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answer {
    /// The model.
    pub model: String,
    /// Whether hints were learned.
    pub hints: bool,
    /// Its seed.
    pub seed: u64,
    /// Outputs, after the last step alone or after every step.
    pub outputs: Vec<Track>,
    /// Hints after every step, where they were learned and there is room for them.
    pub hint_tracks: Vec<Track>,
    /// How good the answer is.
    pub judgement: Judgement,
}

/// How good an answer is.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Judgement {
    /// What the metrics say, by name.
    pub measured: Vec<(String, Rounded)>,
    /// Whether it is correct, recorded or not; `None` where only the recorded one is.
    pub valid: Option<bool>,
    /// Why it is not.
    pub violation: Option<String>,
}

impl Track {
    /// A feature whose dense values at every moment are given.
    pub fn new(name: &str, place: Place, quantity: Quantity, moments: Vec<Vec<f64>>) -> Self {
        let rounded = |values: &[f64]| values.iter().map(|&value| Rounded(value)).collect();
        let text = |value: f64| serde_json::to_string(&Rounded(value)).unwrap_or_default();
        let changes = moments.windows(2).map(|pair| {
            let (before, after) = (&pair[0], &pair[1]);
            let pairs = before.iter().zip(after).enumerate();
            // What is written the same has not changed for anyone.
            let changed =
                pairs.filter(|(_, (a, b))| a.to_bits() != b.to_bits() && text(**a) != text(**b));
            changed.map(|(index, (_, &value))| (index, Rounded(value))).collect()
        });
        Self {
            name: name.to_owned(),
            place,
            quantity,
            changes: changes.collect(),
            first: moments.first().map_or_else(Vec::new, |values| rounded(values)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_track_has_what_changed() {
        let moments = vec![vec![0.0, 0.5], vec![1.0, 0.500001], vec![1.0, 0.25]];
        let track = Track::new("d", Place::Node, Quantity::Scalar, moments);
        assert_eq!(track.first, [Rounded(0.0), Rounded(0.5)]);
        assert_eq!(track.changes, [vec![(0, Rounded(1.0))], vec![(1, Rounded(0.25))]]);
    }
}
