//! Messages through layers to the maximum at every node, which a GPU computes without storing any.

use std::sync::Arc;

use salsa_engine::device::{Activation, Reduction};
use salsa_engine::graph::Edges;
use salsa_engine::tape::{MessageLayer, Messages, Tape};

use crate::conformance::devices;
use crate::random::{Grid, Random};

/// Columns of messages, and of the layers that they go through.
struct Case {
    width: usize,
    columns: &'static [usize],
    /// Whether entries have weights, and messages a bias.
    weighted: bool,
    /// Whether the last layer is activated too.
    last_relu: bool,
}

const CASES: [Case; 6] = [
    Case { width: 128, columns: &[128, 128], weighted: false, last_relu: false },
    Case { width: 128, columns: &[128, 128], weighted: true, last_relu: true },
    Case { width: 384, columns: &[384], weighted: false, last_relu: false },
    Case { width: 96, columns: &[200], weighted: true, last_relu: false },
    // What is done one operator after the other.
    Case { width: 128, columns: &[128, 64], weighted: false, last_relu: false },
    Case { width: 33, columns: &[128], weighted: true, last_relu: false },
];

const NODES: usize = 900;

/// What a case is computed from.
struct Inputs {
    source: Vec<f32>,
    target: Vec<f32>,
    weights: Vec<f32>,
    scale: Vec<f32>,
    bias: Vec<f32>,
    /// Weight and bias of each layer.
    layers: Vec<[Vec<f32>; 2]>,
}

impl Inputs {
    fn new(case: &Case, n_entries: usize) -> Self {
        let mut random = Random(17);
        let mut values = |len| random.values(Grid::Fine, len);
        let mut widths = case.columns.iter();
        let mut inner = case.width;
        let mut inputs = Self {
            source: values(NODES * case.width),
            target: values(NODES * case.width),
            weights: values(n_entries),
            scale: values(case.width),
            bias: values(case.width),
            layers: Vec::new(),
        };
        for &columns in widths.by_ref() {
            inputs.layers.push([values(columns * inner), values(columns)]);
            inner = columns;
        }
        // Rows of other sizes than most: large, small, and nothing at all.
        for (node, factor) in [(3, 1e7), (4, 1e-7), (5, 0.0), (400, 3e4), (401, 1e-3)] {
            let row = node * case.width..(node + 1) * case.width;
            for x in inputs.source[row.clone()].iter_mut().chain(&mut inputs.target[row]) {
                *x *= factor;
            }
        }
        inputs
    }
}

/// Many neighbours for node 0, fewer for most others, none but itself for the last ones.
fn graph() -> Arc<Edges> {
    let mut pairs = vec![];
    for u in 0..NODES as u32 {
        pairs.push((u, u));
        if u < NODES as u32 - 20 {
            let ends = [1, 7, 30].map(|step| (u, (u * step + step) % (NODES as u32 - 20)));
            let hub = if u % 3 == 0 { Some((u, 0)) } else { None };
            for (u, v) in ends.into_iter().chain(hub).filter(|(u, v)| u != v) {
                pairs.extend([(u, v), (v, u)]);
            }
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    let (rows, neighbours) = pairs.into_iter().unzip();
    Arc::new(Edges::new(NODES, rows, neighbours).unwrap())
}

fn run(tape: &mut Tape, case: &Case, edges: &Arc<Edges>, inputs: &Inputs) -> Vec<f32> {
    tape.set_recording(false);
    let column = |tape: &mut Tape, values: &[f32]| tape.constant(values.len(), 1, values);
    let messages = Messages {
        source: Some(tape.constant(NODES, case.width, &inputs.source)),
        target: Some(tape.constant(NODES, case.width, &inputs.target)),
        scaled: case.weighted.then(|| (column(tape, &inputs.weights), column(tape, &inputs.scale))),
        bias: case.weighted.then(|| column(tape, &inputs.bias)),
        activation: Activation::Relu,
    };
    let last = case.columns.len() - 1;
    let mut inner = case.width;
    let layers: Vec<MessageLayer> = (0..)
        .zip(&inputs.layers)
        .map(|(i, [weight, bias])| {
            let columns = bias.len();
            let weight = tape.constant(columns, inner, weight);
            inner = columns;
            let relu = i < last || case.last_relu;
            let activation = if relu { Activation::Relu } else { Activation::None };
            MessageLayer { weight, bias: column(tape, bias), activation }
        })
        .collect();
    let found = tape.aggregate_through(edges, Reduction::Max, messages, &layers);
    tape.read(found)
}

/// A layer's results in double precision, and the sum of the sizes of all terms.
fn layer(
    x: &[(f64, f64)],
    [weight, bias]: &[Vec<f32>; 2],
    column: usize,
    relu: bool,
) -> (f64, f64) {
    let own = f64::from(bias[column]);
    let weights = weight[column * x.len()..].iter().map(|&w| f64::from(w));
    let (sum, size) = weights.zip(x).fold((own, own.abs()), |(sum, size), (w, (value, large))| {
        (sum + w * value, size + w.abs() * large)
    });
    (if relu { sum.max(0.0) } else { sum }, size)
}

#[test]
fn messages_through_layers_are_as_exact_as_single_precision() {
    let edges = graph();
    assert!(edges.n_entries() > 4096, "there are as many as a GPU has other kernels for");
    let (offsets, neighbours) = (edges.offsets.as_slice(), edges.neighbours.as_slice());
    assert!(offsets[1] > 200, "the first node's are many tiles");
    for case in &CASES {
        let inputs = Inputs::new(case, edges.n_entries());
        let last = case.columns.len() - 1;
        let message = |node: usize, entry: usize, c: usize| {
            let from = neighbours[entry] as usize;
            let both = [inputs.source[from * case.width + c], inputs.target[node * case.width + c]];
            let given = both.into_iter().map(f64::from);
            let scaled = f64::from(inputs.weights[entry]) * f64::from(inputs.scale[c]);
            let more = [scaled, f64::from(inputs.bias[c])].into_iter();
            let terms: Vec<f64> = given.chain(more.filter(|_| case.weighted)).collect();
            let size = terms.iter().map(|term| term.abs()).sum();
            (terms.iter().sum::<f64>().max(0.0), size)
        };
        for (device, make) in devices() {
            let found = run(&mut make(), case, &edges, &inputs);
            let columns = case.columns[last];
            assert_eq!(found.len(), NODES * columns);
            // Some columns of every slab, and all nodes with messages of unusual sizes.
            for node in
                (0..NODES).filter(|node| node % 83 < 2 || [3, 4, 5, 400, 401].contains(node))
            {
                let entries = offsets[node] as usize..offsets[node + 1] as usize;
                let messages: Vec<Vec<(f64, f64)>> = entries
                    .map(|entry| {
                        let mut x: Vec<_> =
                            (0..case.width).map(|c| message(node, entry, c)).collect();
                        for parameters in &inputs.layers[..last] {
                            let columns = parameters[1].len();
                            x = (0..columns).map(|c| layer(&x, parameters, c, true)).collect();
                        }
                        x
                    })
                    .collect();
                for column in (node % 13..columns).step_by(13) {
                    let results = messages
                        .iter()
                        .map(|x| layer(x, &inputs.layers[last], column, case.last_relu));
                    let (largest, size) = results.fold((f64::NEG_INFINITY, 0.0), |all, one| {
                        (f64::max(all.0, one.0), f64::max(all.1, one.1))
                    });
                    let got = f64::from(found[node * columns + column]);
                    assert!(
                        (got - largest).abs() <= 1e-6 * size,
                        "{device}, {} -> {:?}, node {node}, column {column}: {got}, not {largest}",
                        case.width,
                        case.columns,
                    );
                }
            }
        }
    }
}
