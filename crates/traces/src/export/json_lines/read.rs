//! Reading: a graph with inputs to execute on, or a whole recorded execution.
//!
//! To execute, only the graph and the inputs of a line are looked at; whatever else it holds is
//! skipped. What is read is checked piece by piece, and every error says which piece.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;
use thiserror::Error;

use crate::execution::{Inputs, Randomness};
use crate::graph::{Graph, GraphError};
use crate::sample::Sample;
use crate::spec::{Field, Kind, Location, Spec};
use crate::trajectory::{Hints, Trajectory, TrajectoryError, Values};

/// A graph with inputs.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// Where the graph comes from.
    pub generator: String,
    /// Free text.
    pub note: Option<String>,
    /// The graph.
    pub graph: Graph,
    /// The inputs.
    pub inputs: Inputs,
}

/// Why a line cannot be used.
#[derive(Debug, Error)]
pub enum CaseError {
    /// Not JSON, or not of this shape.
    #[error("not a case: {0}")]
    Json(#[from] serde_json::Error),
    /// The edges are no graph.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The random values do not fit.
    #[error("randomness: {0}")]
    Randomness(String),
    /// A feature is missing or does not fit the spec.
    #[error("{name}: {problem}")]
    Feature {
        /// The feature.
        name: String,
        /// What is wrong.
        problem: String,
    },
    /// The inputs or the execution do not fit the graph or the spec.
    #[error(transparent)]
    Trajectory(#[from] TrajectoryError),
}

/// The graph and the inputs of a line.
pub fn read_case(line: &str) -> Result<Case, CaseError> {
    #[derive(Deserialize)]
    struct Line {
        n: u32,
        generator: Option<String>,
        note: Option<String>,
        edges: Vec<(u32, u32)>,
        weights: Option<Vec<f64>>,
        positions: Option<Vec<[f64; 2]>>,
        source: Option<u32>,
        randomness: Option<Vec<Vec<f64>>>,
    }
    let line: Line = serde_json::from_str(line)?;
    let n_nodes = line.n as usize;
    // A few bytes must not ask for gigabytes of rows.
    if n_nodes > 10_000_000.max(16 * line.edges.len()) {
        let problem = format!("{n_nodes} nodes are too many for {} edges", line.edges.len());
        return Err(CaseError::Feature { name: "n".to_owned(), problem });
    }
    let mut graph = match &line.weights {
        Some(weights) => Graph::from_weighted_edges(n_nodes, &line.edges, weights)?,
        None => Graph::from_edges(n_nodes, &line.edges)?,
    };
    if let Some(positions) = line.positions {
        graph = graph.with_positions(positions)?;
    }
    let randomness = line.randomness.map(|rows| phases(&rows, n_nodes)).transpose()?;
    Ok(Case {
        generator: line.generator.unwrap_or_else(|| "given".to_owned()),
        note: line.note,
        graph,
        inputs: Inputs { source: line.source, randomness: randomness.map(Randomness::given) },
    })
}

/// The whole execution of a line, recorded for an algorithm with this spec.
pub fn read_sample(line: &str, spec: &Spec) -> Result<Sample, CaseError> {
    #[derive(Deserialize)]
    struct Recorded {
        length: u32,
        has_hints: bool,
        hints: HashMap<String, Feature>,
        outputs: HashMap<String, Feature>,
    }
    let Case { generator, graph, inputs, .. } = read_case(line)?;
    let recorded: Recorded = serde_json::from_str(line)?;
    let wrong = |name: &str, problem: String| CaseError::Feature { name: name.to_owned(), problem };
    if recorded.length == 0 {
        return Err(wrong("length", "expected at least 1 step, found 0".to_owned()));
    }
    let output = |field: &Field| {
        let feature = find(&recorded.outputs, field)?;
        values(feature, field, &graph)
    };
    let hint = |field: &Field| {
        let feature = find(&recorded.hints, field)?;
        let steps = feature.as_array().map_or(&[][..], Vec::as_slice);
        if steps.len() != recorded.length as usize {
            let problem = format!("expected {} steps, found {}", recorded.length, steps.len());
            return Err(wrong(&field.name, problem));
        }
        steps.iter().map(|step| values(step, field, &graph)).collect()
    };
    let hints = || {
        let dense = spec.hints().map(hint).collect::<Result<Vec<Vec<Values>>, CaseError>>()?;
        Ok::<_, CaseError>(Hints::from_dense(spec, &graph, &dense))
    };
    let trajectory = Trajectory {
        length: recorded.length,
        hints: recorded.has_hints.then(hints).transpose()?,
        outputs: spec.outputs().map(output).collect::<Result<_, _>>()?,
        spec: spec.clone(),
    };
    let sample = Sample { generator, graph, inputs, trajectory };
    sample.check()?;
    Ok(sample)
}

#[derive(Deserialize)]
struct Feature {
    data: Value,
}

fn find<'a>(features: &'a HashMap<String, Feature>, field: &Field) -> Result<&'a Value, CaseError> {
    features.get(&*field.name).map(|feature| &feature.data).ok_or_else(|| CaseError::Feature {
        name: field.name.to_string(),
        problem: format!("missing among the {}s", field.stage),
    })
}

/// Rows of T columns, of which two following ones belong to a phase and are equal.
fn phases(rows: &[Vec<f64>], n_nodes: usize) -> Result<Vec<Vec<f64>>, CaseError> {
    let wrong = |problem: String| Err(CaseError::Randomness(problem));
    if rows.len() != n_nodes {
        return wrong(format!("expected {n_nodes} rows, found {}", rows.len()));
    }
    let n_steps = rows.first().map_or(0, Vec::len);
    if !n_steps.is_multiple_of(2) {
        return wrong(format!("expected two columns a phase, found {n_steps}"));
    }
    if let Some((node, row)) = rows.iter().enumerate().find(|(_, row)| row.len() != n_steps) {
        return wrong(format!("expected {n_steps} columns for node {node}, found {}", row.len()));
    }
    if let Some(node) = rows.iter().position(|row| row.chunks(2).any(|pair| pair[0] != pair[1])) {
        return wrong(format!("the two columns of a phase differ at node {node}"));
    }
    Ok((0..n_steps / 2).map(|phase| rows.iter().map(|row| row[2 * phase]).collect()).collect())
}

/// The values of one moment.
fn values(data: &Value, field: &Field, graph: &Graph) -> Result<Values, CaseError> {
    let wrong = |problem: &str| CaseError::Feature {
        name: field.name.to_string(),
        problem: problem.to_owned(),
    };
    let list = match (field.location, data) {
        (Location::Graph, number) => std::slice::from_ref(number),
        (_, Value::Array(list)) => list.as_slice(),
        _ => return Err(wrong("expected a list")),
    };
    let expected = graph.n_values(field.location);
    if list.len() != expected {
        return Err(wrong(&format!("expected {expected} values, found {}", list.len())));
    }
    let below = |bound: u64| {
        list.iter()
            .map(|value| value.as_u64().filter(|&whole| whole < bound))
            .collect::<Option<Vec<u64>>>()
            .ok_or_else(|| wrong(&format!("expected whole numbers below {bound}")))
    };
    Ok(match field.kind {
        Kind::Mask => Values::Mask(below(2)?.into_iter().map(|value| value == 1).collect()),
        Kind::MaskOne => {
            let marks = below(2)?;
            let marked: Vec<usize> = (0..marks.len()).filter(|&node| marks[node] == 1).collect();
            match marked[..] {
                [node] => Values::MaskOne(node as u32),
                _ => return Err(wrong(&format!("expected one node, found {}", marked.len()))),
            }
        }
        Kind::Categorical { classes } => Values::Categorical(
            below(classes.into())?.into_iter().map(|class| class as u8).collect(),
        ),
        Kind::Scalar => Values::Scalar(
            list.iter()
                .map(Value::as_f64)
                .collect::<Option<_>>()
                .ok_or_else(|| wrong("expected numbers"))?,
        ),
        Kind::Pointer => {
            let targets = below(graph.n_nodes() as u64)?;
            Values::Pointer(targets.into_iter().map(|target| target as u32).collect())
        }
    })
}
