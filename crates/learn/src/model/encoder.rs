//! Encoders: one linear layer for each node input, combined by the convention.
//!
//! A node input is one number. Where encodings are added up, they are a product of few factors,
//! `[n_nodes, inputs + 1] · [inputs + 1, hidden]`, and a linear layer on them costs next to
//! nothing: it is applied to the second factor.

use salsa_engine::tape::{Linear, Tape, Tensor};
use salsa_traces::convention::Convention;
use salsa_traces::spec::Spec;

use super::layers::{Affine, Builder};
use crate::batch::{Batch, encoded_inputs};

/// Encoders by input name.
pub struct Encoder {
    layers: Vec<(String, Affine)>,
    convention: Convention,
}

/// What nodes were given, encoded.
#[derive(Debug, Clone, Copy)]
pub struct Encoding {
    /// `[n_nodes, hidden]`.
    pub values: Tensor,
    factors: Option<Factors>,
}

/// Whose product an encoding is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Factors {
    /// The inputs `[factors, n_nodes]`, the last of them 1 for all.
    inputs: Tensor,
    /// What they are multiplied by, `[factors, hidden]`.
    pub(super) rows: Tensor,
}

impl Encoder {
    pub(super) fn new(
        builder: &mut Builder<'_>,
        spec: &Spec,
        convention: Convention,
        hidden: usize,
    ) -> Self {
        let mut own = builder.under("encoder.encoder");
        let layers = encoded_inputs(spec)
            .map(|field| {
                let layer = own.affine(&format!("{}.lin", field.name), 1, hidden);
                (field.name.to_string(), layer)
            })
            .collect();
        Self { layers, convention }
    }

    /// The encoding of a batch.
    ///
    /// # Panics
    /// If the batch is of another algorithm.
    pub fn encode(&self, tape: &mut Tape, batch: &Batch) -> Encoding {
        let inputs: Vec<&[f32]> = self
            .layers
            .iter()
            .map(|(name, _)| {
                let found = batch.inputs.iter().find(|(input, _)| input == name);
                let Some((_, values)) = found else { panic!("the batch has no input {name}") };
                values.as_slice()
            })
            .collect();
        match self.convention {
            Convention::Paper if inputs.len() > 1 => {
                tape.scope(|tape| self.largest(tape, &inputs)).into()
            }
            _ => self.sum(tape, &inputs, batch.n_nodes()),
        }
    }

    fn largest(&self, tape: &mut Tape, inputs: &[&[f32]]) -> Tensor {
        let mut largest = None;
        for ((_, layer), values) in self.layers.iter().zip(inputs) {
            let input = tape.constant(values.len(), 1, values);
            let encoded = layer.apply(tape, input);
            largest = Some(largest.map_or(encoded, |before| tape.max(before, encoded)));
        }
        largest.unwrap_or_else(|| panic!("an algorithm has at least one node input"))
    }

    fn sum(&self, tape: &mut Tape, inputs: &[&[f32]], n_nodes: usize) -> Encoding {
        let mut values = inputs.concat();
        values.resize(values.len() + n_nodes, 1.0);
        let inputs = tape.constant(inputs.len() + 1, n_nodes, &values);
        let biases = self.layers.iter().map(|(_, layer)| layer.bias);
        let bias = biases.reduce(|sum, bias| tape.add(sum, bias));
        let weights = self.layers.iter().map(|(_, layer)| layer.weight);
        let rows: Vec<Tensor> = weights.chain(bias).collect();
        let rows = tape.rows_from_columns(&rows);
        let factors = Factors { inputs, rows };
        Encoding { values: factors.multiply(tape, rows), factors: Some(factors) }
    }
}

impl Encoding {
    /// A linear layer on it, by the columns of a weight from `start` on: `[n_nodes, outputs]`, and
    /// the same of the second factor where there are factors.
    pub(super) fn layer(
        &self,
        tape: &mut Tape,
        weight: Tensor,
        start: usize,
        bias: Option<Tensor>,
    ) -> (Tensor, Option<Tensor>) {
        let Some(factors) = self.factors else {
            let parts = [(self.values, weight)];
            let layer = Linear { bias, ..Linear::new(&parts).from_column(start) };
            return (tape.linear(layer), None);
        };
        let addend = bias.map(|bias| factors.in_last_row(tape, bias));
        let parts = [(factors.rows, weight)];
        let layer = Linear::new(&parts).from_column(start);
        let rows = tape.linear(addend.map_or(layer, |addend| layer.add(addend)));
        (factors.multiply(tape, rows), Some(rows))
    }

    /// The factors, if a state is this encoding.
    pub(super) fn factors_of(&self, state: Tensor) -> Option<Factors> {
        self.factors.filter(|_| state == self.values)
    }
}

impl From<Tensor> for Encoding {
    fn from(values: Tensor) -> Self {
        Self { values, factors: None }
    }
}

impl Factors {
    /// The product with a second factor `[factors, columns]`: `[n_nodes, columns]`.
    pub(super) fn multiply(&self, tape: &mut Tape, rows: Tensor) -> Tensor {
        tape.transposed_product(self.inputs, rows)
    }

    /// A column as the row of the input that is 1 for all: what it adds, every node gets.
    fn in_last_row(&self, tape: &mut Tape, column: Tensor) -> Tensor {
        let len = tape.rows(column);
        let nothing = tape.constant(len, 1, &vec![0.0; len]);
        let mut rows = vec![nothing; tape.rows(self.rows)];
        rows.pop();
        rows.push(column);
        tape.rows_from_columns(&rows)
    }
}
