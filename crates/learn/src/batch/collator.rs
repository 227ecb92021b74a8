//! Samples laid out below each other.

use salsa_engine::graph::Edges;
use salsa_traces::sample::Sample;
use salsa_traces::spec::{Field, Kind, Location, Spec};
use salsa_traces::trajectory::Values;

use super::moments::outputs;
use super::{Answers, BatchError, Moments, Place, Target, encoded_inputs};

/// Puts values of several samples together.
pub(super) struct Collator<'a> {
    pub(super) samples: &'a [Sample],
    pub(super) edges: &'a Edges,
    /// The first node of each graph, and the number of nodes.
    pub(super) nodes: &'a [u32],
}

impl Collator<'_> {
    pub(super) fn inputs(&self, spec: &Spec) -> Result<Vec<(String, Vec<f32>)>, BatchError> {
        encoded_inputs(spec)
            .map(|field| {
                let mut values = Vec::with_capacity(self.edges.n_nodes());
                for (graph, sample) in self.samples.iter().enumerate() {
                    match sample.input(&field.name) {
                        Some(input) => append_numbers(&input, sample.graph.n_nodes(), &mut values),
                        None => return Err(self.missing(graph, &field.name)),
                    }
                }
                Ok((field.name.to_string(), values))
            })
            .collect()
    }

    fn missing(&self, graph: usize, name: &str) -> BatchError {
        BatchError::MissingInput { graph, name: name.to_owned() }
    }

    pub(super) fn weights(&self) -> Result<Vec<f32>, BatchError> {
        let mut values = Vec::with_capacity(self.edges.n_entries());
        for (graph, sample) in self.samples.iter().enumerate() {
            match sample.input("weights") {
                Some(weights) => append_numbers(&weights, sample.graph.n_entries(), &mut values),
                None => return Err(self.missing(graph, "weights")),
            }
        }
        Ok(values)
    }

    pub(super) fn randomness(&self) -> Result<Vec<f32>, BatchError> {
        let n_nodes = self.edges.n_nodes();
        let mut values = vec![0.0; self.steps() * n_nodes];
        for (graph, sample) in self.samples.iter().enumerate() {
            let given = sample.inputs.randomness.as_ref();
            let phases = given.ok_or_else(|| self.missing(graph, "randomness"))?.phases();
            for (step, row) in values.chunks_exact_mut(n_nodes).enumerate() {
                if let (Some(phase), true) =
                    (phases.get(step / 2), step < sample.trajectory.length as usize)
                {
                    let own = &mut row[self.nodes[graph] as usize..self.nodes[graph + 1] as usize];
                    own.iter_mut().zip(phase).for_each(|(value, drawn)| *value = *drawn as f32);
                }
            }
        }
        Ok(values)
    }

    fn steps(&self) -> usize {
        self.samples.iter().map(|sample| sample.trajectory.length as usize).max().unwrap_or(0)
    }

    pub(super) fn output(&self, field: &Field) -> Result<Target, BatchError> {
        let mut answers = self.no_answers(field, self.samples.len(), self.edges)?;
        for place in outputs(self.edges, self.nodes) {
            let graph = place.graph;
            let values = self.samples[graph].trajectory.output(&field.name);
            let values = values
                .ok_or_else(|| BatchError::MissingOutput { graph, name: field.name.to_string() })?;
            self.answer(&mut answers, field, place, values)?;
        }
        Ok(Target { field: field.clone(), answers, weight: 1.0 / self.count(field) as f32 })
    }

    pub(super) fn hint(&self, field: &Field, moments: &Moments) -> Result<Target, BatchError> {
        let mut answers = self.no_answers(field, moments.places.len(), &moments.edges)?;
        let weight = 1.0 / (self.count(field) * self.steps()) as f32;
        // The places of one graph come in the order of its steps.
        let mut steps = Vec::with_capacity(self.samples.len());
        for (graph, sample) in self.samples.iter().enumerate() {
            let hint = sample.trajectory.hint(&field.name);
            let hint = hint
                .ok_or_else(|| BatchError::MissingHint { graph, name: field.name.to_string() })?;
            steps.push(hint.range(0..sample.trajectory.length as usize));
        }
        for &place in &moments.places {
            if let Some(values) = steps[place.graph].advance() {
                self.answer(&mut answers, field, place, values)?;
            }
        }
        Ok(Target { field: field.clone(), answers, weight })
    }

    /// How many values a feature's loss is a mean over, at one step.
    fn count(&self, field: &Field) -> usize {
        count(field, self.samples.len(), self.edges)
    }

    /// Answers to be filled in, for so many graphs or moments of graphs.
    fn no_answers(
        &self,
        field: &Field,
        n_graphs: usize,
        edges: &Edges,
    ) -> Result<Answers, BatchError> {
        let len = count(field, n_graphs, edges);
        match (field.location, field.kind) {
            (Location::Node, Kind::Pointer | Kind::Categorical { .. } | Kind::MaskOne) => {
                Ok(Answers::Places(vec![u32::MAX; len]))
            }
            (_, Kind::Scalar | Kind::Mask) => Ok(Answers::Numbers(vec![0.0; len])),
            (location, kind) => {
                let name = field.name.to_string();
                Err(BatchError::Undecodable { name, location, kind })
            }
        }
    }

    /// Writes one graph's values.
    fn answer(
        &self,
        answers: &mut Answers,
        field: &Field,
        place: Place,
        values: &Values,
    ) -> Result<(), BatchError> {
        let Place { graph, index, first_row, first_entry, .. } = place;
        match (values, answers) {
            (Values::Pointer(pointers), Answers::Places(places)) => {
                let sparse = &self.samples[graph].graph;
                for (node, &target) in pointers.iter().enumerate() {
                    let node = node as u32;
                    let entry = if target == node {
                        sparse.loop_entry(node)
                    } else {
                        let neighbours = sparse.neighbours(node);
                        let arc = neighbours.binary_search(&target).map_err(|_| {
                            BatchError::NoSuchEdge { graph, name: field.name.to_string(), node }
                        })?;
                        sparse.entry(node, sparse.arcs(node).start + arc)
                    };
                    places[first_row + node as usize] = (first_entry + entry) as u32;
                }
            }
            (Values::Categorical(classes), Answers::Places(places)) => {
                let Kind::Categorical { classes: n_classes } = field.kind else { return Ok(()) };
                for (row, &class) in (first_row..).zip(classes) {
                    places[row] = (row * usize::from(n_classes) + usize::from(class)) as u32;
                }
            }
            (Values::MaskOne(node), Answers::Places(places)) => {
                places[index] = first_row as u32 + node;
            }
            (values, Answers::Numbers(numbers)) => {
                let first = match field.location {
                    Location::Node => first_row,
                    Location::Edge => first_entry,
                    Location::Graph => index,
                };
                let mut own = Vec::new();
                append_numbers(values, 0, &mut own);
                numbers[first..first + own.len()].copy_from_slice(&own);
            }
            _ => {}
        }
        Ok(())
    }
}

/// How many values a feature has for so many graphs with these edges.
pub(crate) fn count(field: &Field, n_graphs: usize, edges: &Edges) -> usize {
    match (field.location, field.kind) {
        (Location::Graph, _) | (_, Kind::MaskOne) => n_graphs,
        (Location::Node, _) => edges.n_nodes(),
        (Location::Edge, _) => edges.n_entries(),
    }
}

/// Values as numbers: masks as 0 and 1, a marked one among `count` as one-hot.
fn append_numbers(values: &Values, count: usize, to: &mut Vec<f32>) {
    match values {
        Values::Mask(values) => to.extend(values.iter().map(|&value| f32::from(u8::from(value)))),
        Values::Scalar(values) => to.extend(values.iter().map(|&value| value as f32)),
        Values::Categorical(values) => to.extend(values.iter().map(|&value| f32::from(value))),
        Values::MaskOne(node) => {
            let first = to.len();
            to.resize(first + count, 0.0);
            to[first + *node as usize] = 1.0;
        }
        Values::Pointer(values) => to.extend(values.iter().map(|&value| value as f32)),
    }
}
