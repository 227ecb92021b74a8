//! What a program runs on: a tape of one device, and inputs that come out the same every time.
//!
//! A program asks for its inputs one after the other, parameters first. The first run puts the
//! parameters on the tape; later runs find them there, so their values can be changed in between.

use std::sync::Arc;

use salsa_engine::buffer::Indices;
use salsa_engine::device::{Loss, Unary};
use salsa_engine::graph::{Edges, Segments};
use salsa_engine::tape::{Tape, Tensor};

use crate::programs::Program;
use crate::random::{Grid, Random};

/// How large a program's tensors are and where their values come from.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    /// Nodes of the graph, and rows of most tensors.
    pub n_nodes: usize,
    /// Edges besides loops, about.
    pub n_edges: usize,
    /// Whether some nodes have no loop.
    pub bare: bool,
    /// Columns of results.
    pub columns: usize,
    /// Columns of inputs.
    pub width: usize,
    /// What values are drawn from.
    pub grid: Grid,
    /// Everything random follows from it.
    pub seed: u64,
}

/// Where a program runs.
#[derive(Debug)]
pub struct Stage {
    pub tape: Tape,
    pub size: Size,
    pub edges: Arc<Edges>,
    random: Random,
    kept: Vec<Kept>,
    next: usize,
}

#[derive(Debug)]
struct Kept {
    tensor: Tensor,
    values: Vec<f32>,
    learned: bool,
}

/// What a run left, as exactly as the device has it.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The result, the loss, gradients and running statistics, each with its name.
    pub tensors: Vec<(String, Vec<f64>)>,
}

impl Stage {
    /// An empty stage that records.
    pub fn new(mut tape: Tape, size: Size) -> Self {
        tape.set_recording(true);
        let mut random = Random(size.seed);
        let edges = random.graph(size.n_nodes, size.n_edges, size.bare);
        Self { tape, size, edges, random, kept: Vec::new(), next: 0 }
    }

    /// Runs a program up to its loss: (result, loss).
    pub fn forward(&mut self, program: &Program) -> (Tensor, Tensor) {
        self.tape.clear();
        self.random = Random(self.size.seed ^ 0xabcd);
        self.next = 0;
        let result = program.run(self);
        let (rows, columns) = self.tape.shape(result);
        let targets = self.constant(rows, columns);
        let weights = self.weights(rows * columns);
        let loss = self.tape.loss(Loss::Squared, result, targets, weights);
        (result, loss)
    }

    /// Runs a program there and back. Gradients add up over calls.
    pub fn step(&mut self, program: &Program) -> Outcome {
        self.step_behind(0, program)
    }

    /// The same behind so many other operators, on both ways.
    pub fn step_behind(&mut self, others: usize, program: &Program) -> Outcome {
        self.run_others(others);
        let (result, loss) = self.forward(program);
        let mut tensors = vec![
            ("result".to_owned(), self.tape.values(result)),
            ("loss".to_owned(), self.tape.values(loss)),
        ];
        self.run_others(others);
        self.tape.backward(loss);
        for (i, kept) in self.kept.iter().enumerate() {
            tensors.push(if kept.learned {
                let gradient = self.tape.gradient(kept.tensor);
                (format!("gradient {i}"), gradient.expect("every parameter has a gradient"))
            } else {
                (format!("statistic {i}"), self.tape.values(kept.tensor))
            });
        }
        Outcome { tensors }
    }

    fn run_others(&mut self, count: usize) {
        let mut x = self.tape.constant(1, 1, &[1.0]);
        (0..count).for_each(|_| x = self.tape.unary(Unary::Relu, x));
    }

    /// A run from the beginning: no gradients, and the first running statistics.
    pub fn step_anew(&mut self, program: &Program) -> Outcome {
        self.tape.clear_gradients();
        for kept in self.kept.iter().filter(|kept| !kept.learned) {
            self.tape.set(kept.tensor, &kept.values);
        }
        self.step(program)
    }

    /// Learned tensors and their first values.
    pub fn parameters(&self) -> Vec<(Tensor, Vec<f32>)> {
        let learned = self.kept.iter().filter(|kept| kept.learned);
        learned.map(|kept| (kept.tensor, kept.values.clone())).collect()
    }

    /// Fills the buffers that wait for their next use with what nothing may read.
    pub fn poison(&mut self) {
        self.tape.clear();
        // The sizes that buffers are rounded to.
        for size in (4..9).flat_map(|exponent| (4..8).map(move |lead| lead << exponent)) {
            let nothing = vec![f32::NAN; size];
            for _ in 0..8 {
                self.tape.constant(size, 1, &nothing);
            }
        }
        self.tape.clear();
    }

    /// A learned input.
    pub fn parameter(&mut self, rows: usize, columns: usize) -> Tensor {
        let values = self.random.values(self.size.grid, rows * columns);
        self.keep(rows, columns, values, true)
    }

    /// A learned input with values far from those of [`Stage::parameter`], some on either side.
    pub fn far_parameter(&mut self, rows: usize, columns: usize) -> Tensor {
        let mut values = self.random.values(self.size.grid, rows * columns);
        values.iter_mut().enumerate().for_each(|(i, x)| *x += if i % 3 == 0 { -4.0 } else { 4.0 });
        self.keep(rows, columns, values, true)
    }

    /// A running statistic, from 1/2 to 1.
    pub fn statistic(&mut self, rows: usize, columns: usize) -> Tensor {
        let values = self.random.weights(rows * columns);
        self.keep(rows, columns, values, false)
    }

    fn keep(&mut self, rows: usize, columns: usize, values: Vec<f32>, learned: bool) -> Tensor {
        self.next += 1;
        if let Some(kept) = self.kept.get(self.next - 1) {
            return kept.tensor;
        }
        let name = format!("kept {}", self.next);
        let tensor = if learned {
            self.tape.parameter(&name, rows, columns, &values)
        } else {
            self.tape.statistic(&name, rows, columns, &values)
        };
        self.kept.push(Kept { tensor, values, learned });
        tensor
    }

    /// An input without a gradient.
    pub fn constant(&mut self, rows: usize, columns: usize) -> Tensor {
        let values = self.random.values(self.size.grid, rows * columns);
        self.tape.constant(rows, columns, &values)
    }

    /// A column of values from 1/2 to 1.
    pub fn weights(&mut self, rows: usize) -> Tensor {
        let values = self.random.weights(rows);
        self.tape.constant(rows, 1, &values)
    }

    /// A column of zeros and ones.
    pub fn bits(&mut self, rows: usize) -> Tensor {
        let values: Vec<f32> = (0..rows).map(|_| self.random.below(2) as f32).collect();
        self.tape.constant(rows, 1, &values)
    }

    /// Numbers less than `n`.
    pub fn indices(&mut self, len: usize, n: usize) -> Arc<Indices> {
        let values: Vec<u32> = (0..len).map(|_| self.random.below(n) as u32).collect();
        Arc::new(values.into_iter().collect())
    }

    /// Numbers less than `n`, every fourth none.
    pub fn targets(&mut self, len: usize, n: usize) -> Arc<Indices> {
        let number = |i: usize| if i % 4 == 3 { u32::MAX } else { self.random.below(n) as u32 };
        let values: Vec<u32> = (0..len).map(number).collect();
        Arc::new(values.into_iter().collect())
    }

    /// Segments of `n_nodes` rows, some empty.
    pub fn offsets(&mut self) -> Segments {
        let values = self.random.offsets(self.size.n_nodes);
        Segments::Offsets(Arc::new(values.into_iter().collect()))
    }

    /// The entries of nodes.
    pub fn entries(&self) -> Segments {
        Segments::Rows(Arc::clone(&self.edges))
    }
}
