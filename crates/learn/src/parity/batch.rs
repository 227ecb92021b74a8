//! The batch that a case describes, every size checked against the graph.

use std::sync::Arc;

use salsa_engine::buffer::Indices;
use salsa_engine::graph::Edges;
use salsa_traces::spec::{Field, Kind, Location};

use super::case::{Case, CaseError};
use crate::batch::{Answers, Batch, Target, encoded_inputs};

impl Case {
    /// The batch of the case.
    pub fn batch(&self) -> Result<Batch, CaseError> {
        let layout = Layout::new(self)?;
        let (n_nodes, steps) = (layout.n_nodes(), layout.steps);
        let input = |field: &Field| -> Result<(String, Vec<f32>), CaseError> {
            let values = self.sized(&format!("batch/{}", field.name), n_nodes)?;
            Ok((field.name.to_string(), single(values)))
        };
        let target = |field: &Field, steps: usize| -> Result<Target, CaseError> {
            let n_values = layout.n_values(field).saturating_mul(steps);
            let values = self.sized(&format!("batch/{}", field.name), n_values)?;
            Ok(layout.target(field, values, steps))
        };
        let weights = self.spec.needs_weights().then(|| {
            let values = self.sized("batch/weights", layout.rows.len())?;
            Ok(single(values))
        });
        let randomness = self.spec.needs_randomness().then(|| {
            let values = self.sized("batch/randomness", n_nodes.saturating_mul(steps))?;
            Ok(single(&step_major(values, n_nodes, steps)))
        });
        let hints = self.spec.hints().filter(|_| self.hints());
        Ok(Batch {
            inputs: encoded_inputs(&self.spec).map(input).collect::<Result<_, _>>()?,
            weights: weights.transpose()?,
            randomness: randomness.transpose()?,
            outputs: self.spec.outputs().map(|field| target(field, 1)).collect::<Result<_, _>>()?,
            hints: hints.map(|field| target(field, steps)).collect::<Result<_, _>>()?,
            graphs: Arc::new(Indices::new(layout.first_nodes())),
            edges: Arc::new(
                Edges::new(n_nodes, layout.rows, layout.neighbours)
                    .map_err(|source| CaseError::Edges { path: self.path.clone(), source })?,
            ),
            lengths: layout.lengths,
        })
    }

    /// A tensor of `len` values.
    fn sized(&self, name: &str, len: usize) -> Result<&[f64], CaseError> {
        let values = self.tensor(name)?;
        if values.len() == len {
            return Ok(values);
        }
        Err(self.malformed(format!("{name}: expected {len} values, found {}", values.len())))
    }
}

/// How a case's tensors are laid out.
struct Layout {
    rows: Vec<u32>,
    neighbours: Vec<u32>,
    /// The graph of every node.
    graph_of: Vec<u32>,
    lengths: Vec<usize>,
    steps: usize,
}

impl Layout {
    fn new(case: &Case) -> Result<Self, CaseError> {
        let whole = |name: &str| -> Result<Vec<u32>, CaseError> {
            Ok(case.tensor(name)?.iter().map(|&value| value as u32).collect())
        };
        let edge_index = whole("batch/edge_index")?;
        let (rows, neighbours) = edge_index.split_at(edge_index.len() / 2);
        let graph_of = whole("batch/graph")?;
        let lengths: Vec<usize> =
            whole("batch/length")?.iter().map(|&length| length as usize).collect();
        if rows.len() != neighbours.len() {
            return Err(case.malformed("batch/edge_index: expected two rows of one length"));
        }
        if rows.iter().any(|&row| row as usize >= graph_of.len()) {
            return Err(case.malformed("batch/edge_index: names a node that does not exist"));
        }
        let begins_at_zero = graph_of.first() == Some(&0);
        let goes_up =
            graph_of.windows(2).all(|two| matches!(two[1].checked_sub(two[0]), Some(0 | 1)));
        let n_graphs = graph_of.last().map_or(0, |&last| last as usize + 1);
        if !begins_at_zero || !goes_up || n_graphs != lengths.len() {
            return Err(case.malformed(format!(
                "batch/graph: expected the numbers of {} graphs in order",
                lengths.len()
            )));
        }
        if lengths.contains(&0) {
            return Err(case.malformed("batch/length: expected at least one step for each graph"));
        }
        let steps = lengths.iter().copied().max().unwrap_or_default();
        Ok(Self { rows: rows.to_vec(), neighbours: neighbours.to_vec(), graph_of, lengths, steps })
    }

    fn n_nodes(&self) -> usize {
        self.graph_of.len()
    }

    /// The first node of each graph, and the number of nodes.
    fn first_nodes(&self) -> Vec<u32> {
        let first = |graph| self.graph_of.partition_point(|&of| of < graph) as u32;
        (0..=self.lengths.len() as u32).map(first).collect()
    }

    /// How many values a feature has at one step.
    fn n_values(&self, field: &Field) -> usize {
        match (field.location, field.kind) {
            (_, Kind::Pointer) | (Location::Edge, _) => self.rows.len(),
            (_, Kind::Categorical { classes }) => self.n_nodes() * usize::from(classes),
            (Location::Node, _) => self.n_nodes(),
            (Location::Graph, _) => self.lengths.len(),
        }
    }

    fn target(&self, field: &Field, values: &[f64], steps: usize) -> Target {
        // For every answer: the graph it belongs to.
        let graph_of: Vec<u32> = match (field.location, field.kind) {
            (Location::Graph, _) | (_, Kind::MaskOne) => (0..self.lengths.len() as u32).collect(),
            (Location::Node, _) => self.graph_of.clone(),
            (Location::Edge, _) => {
                self.rows.iter().map(|&row| self.graph_of[row as usize]).collect()
            }
        };
        let count = graph_of.len();
        let weight = 1.0 / (count * steps) as f32;
        let weights: Vec<f32> = (0..steps)
            .flat_map(|t| graph_of.iter().map(move |&graph| (graph, t)))
            .map(|(graph, t)| if t < self.lengths[graph as usize] { weight } else { 0.0 })
            .collect();
        // The marked one among the `n` values of each owner, at every step.
        let marked = |n: usize, owner: &dyn Fn(usize) -> u32| -> Answers {
            let mut places = vec![u32::MAX; count * steps];
            for t in 0..steps {
                for i in 0..n {
                    if values[i * steps + t] != 0.0 {
                        places[t * count + owner(i) as usize] = (t * n + i) as u32;
                    }
                }
            }
            Answers::Places(places)
        };
        let answers = match field.kind {
            Kind::Pointer => marked(self.rows.len(), &|entry| self.rows[entry]),
            Kind::MaskOne => marked(self.n_nodes(), &|node| self.graph_of[node]),
            Kind::Categorical { classes } => {
                Answers::Places(self.chosen_classes(values, classes.into(), steps))
            }
            Kind::Mask | Kind::Scalar => {
                Answers::Numbers(single(&step_major(values, count, steps)))
            }
        };
        Target { field: field.clone(), answers, weights }
    }

    /// From one-hot `[n_nodes, steps, classes]`.
    fn chosen_classes(&self, values: &[f64], classes: usize, steps: usize) -> Vec<u32> {
        let n_nodes = self.n_nodes();
        let mut places = vec![u32::MAX; n_nodes * steps];
        for (at, row) in values.chunks_exact(classes).enumerate() {
            let place = at % steps * n_nodes + at / steps;
            if let Some(class) = row.iter().rposition(|&value| value != 0.0) {
                places[place] = (place * classes + class) as u32;
            }
        }
        places
    }
}

/// `[count, steps]` to `[steps, count]`.
fn step_major(values: &[f64], count: usize, steps: usize) -> Vec<f64> {
    (0..steps).flat_map(|t| (0..count).map(move |i| values[i * steps + t])).collect()
}

fn single(values: &[f64]) -> Vec<f32> {
    values.iter().map(|&value| value as f32).collect()
}
