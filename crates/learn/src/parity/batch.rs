//! The batch that a case describes, every size checked against the graph.

use std::sync::Arc;

use salsa_engine::buffer::Indices;
use salsa_engine::graph::Edges;
use salsa_traces::spec::{Field, Kind, Location};

use super::case::{Case, CaseError};
use crate::batch::{Answers, Batch, Moments, Target, count, encoded_inputs};

impl Case {
    /// The batch of the case.
    pub fn batch(&self) -> Result<Batch, CaseError> {
        let layout = Layout::new(self)?;
        let (n_nodes, steps) = (layout.n_nodes(), layout.steps);
        let input = |field: &Field| -> Result<(String, Vec<f32>), CaseError> {
            let values = self.sized(&format!("batch/{}", field.name), n_nodes)?;
            Ok((field.name.to_string(), single(values)))
        };
        let edges = Edges::new(n_nodes, layout.rows.clone(), layout.neighbours.clone())
            .map_err(|source| CaseError::Edges { path: self.path.clone(), source })?;
        let graphs = layout.first_nodes();
        let target = |field: &Field, moments: &Moments, steps: usize| {
            let n_values = layout.n_values(field).saturating_mul(steps);
            let values = self.sized(&format!("batch/{}", field.name), n_values)?;
            Ok(layout.target(field, values, &edges, moments, steps))
        };
        let once = Moments::that_count(&edges, &graphs, &vec![1; layout.lengths.len()]);
        let moments = self.hints().then(|| Moments::that_count(&edges, &graphs, &layout.lengths));
        let outputs = self.spec.outputs().map(|field| target(field, &once, 1));
        let outputs = outputs.collect::<Result<_, CaseError>>()?;
        let hints = moments
            .iter()
            .flat_map(|moments| self.spec.hints().map(move |field| target(field, moments, steps)));
        let hints = hints.collect::<Result<_, CaseError>>()?;
        let weights = self.spec.needs_weights().then(|| {
            let values = self.sized("batch/weights", layout.rows.len())?;
            Ok(single(values))
        });
        let randomness = self.spec.needs_randomness().then(|| {
            let values = self.sized("batch/randomness", n_nodes.saturating_mul(steps))?;
            Ok(single(&step_major(values, n_nodes, steps)))
        });
        Ok(Batch {
            inputs: encoded_inputs(&self.spec).map(input).collect::<Result<_, _>>()?,
            weights: weights.transpose()?,
            randomness: randomness.transpose()?,
            outputs,
            hints,
            moments,
            graphs: Arc::new(Indices::new(graphs)),
            edges: Arc::new(edges),
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

    /// From `[count (, classes), steps]`, or `[n_nodes, steps, classes]` for classes.
    fn target(
        &self,
        field: &Field,
        values: &[f64],
        edges: &Edges,
        moments: &Moments,
        steps: usize,
    ) -> Target {
        let (mut places, mut numbers) = (Vec::new(), Vec::new());
        for place in &moments.places {
            let at_step = |i: usize| values[i * steps + place.step];
            let is_own = |node: u32| self.graph_of[node as usize] as usize == place.graph;
            let nodes = || (0..self.n_nodes()).filter(|&node| is_own(node as u32));
            let entries = || (0..self.rows.len()).filter(|&entry| is_own(self.rows[entry]));
            match (field.kind, field.location) {
                (Kind::Pointer, _) => {
                    let first = places.len();
                    places.resize(first + nodes().count(), u32::MAX);
                    let first_node = nodes().next().unwrap_or_default();
                    for (i, entry) in
                        entries().enumerate().filter(|&(_, entry)| at_step(entry) != 0.0)
                    {
                        let row = first + self.rows[entry] as usize - first_node;
                        places[row] = (place.first_entry + i) as u32;
                    }
                }
                (Kind::MaskOne, _) => {
                    let marked = nodes().position(|node| at_step(node) != 0.0);
                    places.push(marked.map_or(u32::MAX, |i| (place.first_row + i) as u32));
                }
                (Kind::Categorical { classes }, _) => {
                    let classes = usize::from(classes);
                    for (row, node) in (place.first_row..).zip(nodes()) {
                        let first = (node * steps + place.step) * classes;
                        let class =
                            values[first..first + classes].iter().rposition(|&value| value != 0.0);
                        places.push(class.map_or(u32::MAX, |class| (row * classes + class) as u32));
                    }
                }
                (_, Location::Node) => numbers.extend(nodes().map(|node| at_step(node) as f32)),
                (_, Location::Edge) => numbers.extend(entries().map(|entry| at_step(entry) as f32)),
                (_, Location::Graph) => numbers.push(at_step(place.graph) as f32),
            }
        }
        let count = count(field, self.lengths.len(), edges);
        let answers = match field.kind {
            Kind::Scalar | Kind::Mask => Answers::Numbers(numbers),
            _ => Answers::Places(places),
        };
        Target { field: field.clone(), answers, weight: 1.0 / (count * steps) as f32 }
    }
}

/// `[count, steps]` to `[steps, count]`.
fn step_major(values: &[f64], count: usize, steps: usize) -> Vec<f64> {
    (0..steps).flat_map(|t| (0..count).map(move |i| values[i * steps + t])).collect()
}

fn single(values: &[f64]) -> Vec<f32> {
    values.iter().map(|&value| value as f32).collect()
}
