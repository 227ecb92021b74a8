//! From an algorithm and a prediction to a verdict.
//!
//! The shape is checked here, once and for all rules: as many values as the graph asks for, of
//! the kind the spec says, and pointers only along edges. A rule then looks at plain slices.

use salsa_traces::convention::Convention;
use salsa_traces::execution::Inputs;
use salsa_traces::graph::Graph;
use salsa_traces::sample::Sample;
use salsa_traces::spec::{Field, Spec};
use salsa_traces::trajectory::Values;

use super::rules::{ALL, Judge};
use super::{Rule, Violation};
use crate::compared::kind;

/// The question an answer is for: all that an algorithm may read.
#[derive(Debug, Clone, Copy)]
pub struct Instance<'a> {
    /// The graph.
    pub graph: &'a Graph,
    /// Source and random values, as far as the algorithm has them.
    pub inputs: &'a Inputs,
    /// Which reading of the benchmark is followed.
    pub convention: Convention,
}

/// Whether `predicted`, one entry for each output of `spec`, is a correct answer.
///
/// `None` if there is no rule for the algorithm, because it has one correct answer only (then
/// graph accuracy says all there is to say) or is not a built-in one.
///
/// ```
/// use salsa_learn::validity::{Instance, check};
/// use salsa_traces::{algorithms, execution::Inputs, graph::Graph, trajectory::Values};
/// // 0 - 1
/// // |   |
/// // 2 - 3
/// let graph = Graph::from_edges(4, &[(0, 1), (0, 2), (1, 3), (2, 3)])?;
/// let inputs = Inputs { source: Some(0), randomness: None };
/// let instance = Instance { graph: &graph, inputs: &inputs, convention: Default::default() };
/// let spec = algorithms::find("bfs")?.spec();
/// let verdict = |pi: [u32; 4]| check(spec, &instance, &[Values::Pointer(pi.to_vec())]).unwrap();
/// // The recorded answer is the first; the second is as good.
/// assert_eq!(verdict([0, 0, 0, 1]), Ok(()));
/// assert_eq!(verdict([0, 0, 0, 2]), Ok(()));
/// assert_eq!(
///     verdict([0, 3, 0, 2]).unwrap_err().to_string(),
///     "node 1 at distance 1 points to node 3 at distance 2, expected distance 0"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check(
    spec: &Spec,
    instance: &Instance<'_>,
    predicted: &[Values],
) -> Option<Result<(), Violation>> {
    let rule = ALL.iter().find(|rule| rule.algorithm == spec.algorithm)?;
    let mut outputs = spec.outputs();
    // An algorithm from elsewhere may have the name of a built-in one and other outputs.
    match (outputs.next(), outputs.next()) {
        (Some(field), None) if rule.reads(field) => Some(judge(rule, field, instance, predicted)),
        _ => None,
    }
}

impl<'a> Instance<'a> {
    /// The question of a sample that was made under this convention.
    pub fn of(sample: &'a Sample, convention: Convention) -> Self {
        Self { graph: &sample.graph, inputs: &sample.inputs, convention }
    }

    /// The source, for rules of algorithms that have one.
    pub(super) fn source(&self) -> Result<u32, Violation> {
        let (found, n_nodes) = (self.inputs.source, self.graph.n_nodes());
        let is_node = |node: &u32| (*node as usize) < n_nodes;
        found.filter(is_node).ok_or(Violation::NoSource { n_nodes, found })
    }

    /// The weight of the edge from `u` to `v`, found by going through the row of `u`.
    pub(super) fn weight(&self, u: u32, v: u32) -> f64 {
        let mut row = self.graph.weighted_neighbours(u);
        row.find(|&(neighbour, _)| neighbour == v).map_or(f64::INFINITY, |(_, weight)| weight)
    }
}

fn judge(
    rule: &Rule,
    field: &Field,
    instance: &Instance<'_>,
    predicted: &[Values],
) -> Result<(), Violation> {
    let [values] = predicted else {
        return Err(Violation::OutputCount { expected: 1, found: predicted.len() });
    };
    check_shape(field, instance.graph, values)?;
    match (rule.judge, values) {
        (Judge::Pointers(judge), Values::Pointer(targets)) => judge(instance, targets),
        (Judge::Mask(judge), Values::Mask(marked)) => judge(instance, marked),
        (Judge::Scalars(judge), Values::Scalar(numbers)) => judge(instance, numbers),
        _ => Err(wrong_kind(field, values)),
    }
}

fn check_shape(field: &Field, graph: &Graph, values: &Values) -> Result<(), Violation> {
    if !values.fits(field.kind) {
        return Err(wrong_kind(field, values));
    }
    let expected = graph.n_values(field.location);
    if let Some(found) = values.count().filter(|&found| found != expected) {
        return Err(Violation::ValueCount { output: field.name.to_string(), expected, found });
    }
    if let Values::Pointer(targets) = values {
        for (node, &target) in (0..).zip(targets) {
            if node != target && !graph.has_edge(node, target) {
                return Err(Violation::NotANeighbour { node, target });
            }
        }
    }
    Ok(())
}

fn wrong_kind(field: &Field, values: &Values) -> Violation {
    Violation::Kind {
        output: field.name.to_string(),
        expected: field.kind.to_string(),
        found: kind(values),
    }
}
