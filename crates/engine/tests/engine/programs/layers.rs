//! Linear layers, norms and the GRU.

use salsa_engine::device::Activation;
use salsa_engine::tape::{GruCell, Linear};

use super::Program;
use crate::stage::Stage;

/// What a linear layer has besides its parts.
#[derive(Debug, Clone, Copy)]
struct Form {
    parts: usize,
    bias: bool,
    /// 0 for no addend, 1 for one of as many rows, else how many rows share one on average.
    repeats: usize,
    activation: Activation,
}

pub fn programs() -> Vec<Program> {
    let mut programs = Vec::new();
    for parts in 1..=4usize {
        for (bias, repeats, activation) in [
            (false, 0, Activation::None),
            (true, 0, Activation::Relu),
            (false, 1, Activation::Relu),
            (true, 3, Activation::None),
            (true, 2, Activation::Relu),
        ] {
            // The forms do not interact with the number of parts: all of them for one part.
            if parts == 1 || (repeats + parts).is_multiple_of(2) {
                programs.push(linear(Form { parts, bias, repeats, activation }));
            }
        }
    }
    programs.push(Program::new("Linear", "parts that share a weight", |stage| {
        let (n, width, columns) = (stage.size.n_nodes, stage.size.width, stage.size.columns);
        let (x, y) = (stage.parameter(n, width), stage.parameter(n, columns));
        let shared = stage.parameter(columns, 2 + width + columns + 1);
        let other = stage.parameter(columns, width);
        let parts = [(x, shared), (y, shared), (x, other)];
        stage.tape.linear(Linear::new(&parts).from_column(2))
    }));
    programs.push(Program::new("Linear", "one input twice, one constant", |stage| {
        let (n, width, columns) = (stage.size.n_nodes, stage.size.width, stage.size.columns);
        let x = stage.parameter(n, width);
        let weights = [0; 3].map(|_| stage.parameter(columns, width));
        let constant = stage.constant(n, width);
        let parts = [(x, weights[0]), (constant, weights[1]), (x, weights[2])];
        stage.tape.linear(Linear::new(&parts))
    }));
    programs.push(Program::new("Linear", "a weight that was computed", |stage| {
        let (n, width, columns) = (stage.size.n_nodes, stage.size.width, stage.size.columns);
        let x = stage.parameter(n, width);
        let weight = stage.parameter(columns, 2 * width);
        let sum = stage.tape.sum_of_columns(weight, &[0, width], width);
        stage.tape.linear(Linear::new(&[(x, sum)]))
    }));
    programs.push(Program::new("LayerNorm", "", |stage| {
        let (n, columns) = (stage.size.n_nodes, stage.size.columns);
        let x = stage.parameter(n, columns);
        let (gain, bias) = (stage.parameter(columns, 1), stage.parameter(columns, 1));
        stage.tape.layer_norm(x, gain, bias)
    }));
    programs.push(Program::new("LayerNorm", "of a constant", |stage| {
        let (n, columns) = (stage.size.n_nodes, stage.size.columns);
        let (gain, bias) = (stage.parameter(columns, 1), stage.parameter(columns, 1));
        let x = stage.constant(n, columns);
        stage.tape.layer_norm(x, gain, bias)
    }));
    for activation in [Activation::None, Activation::Relu] {
        programs.push(Program::new("BatchNorm", format!("{activation:?}"), move |stage| {
            let (n, columns) = (stage.size.n_nodes, stage.size.columns);
            let x = stage.parameter(n, columns);
            let gain = stage.parameter(columns, 1);
            // Among very many values one would be too near the corner of the activation.
            let bias = if n * columns > 1000 {
                stage.far_parameter(columns, 1)
            } else {
                stage.parameter(columns, 1)
            };
            let running = (stage.statistic(columns, 1), stage.statistic(columns, 1));
            stage.tape.batch_norm(x, (gain, bias), running, activation)
        }));
    }
    programs.push(Program::new("Gru", "", |stage| {
        let (n, width, columns) = (stage.size.n_nodes, stage.size.width, stage.size.columns);
        let cell = gru(stage);
        let (x, state) = (stage.parameter(n, width), stage.parameter(n, columns));
        stage.tape.gru(cell, x, state)
    }));
    programs.push(Program::new("Gru", "twice, from a constant state", |stage| {
        let (n, width, columns) = (stage.size.n_nodes, stage.size.width, stage.size.columns);
        let cell = gru(stage);
        let (x, state) = (stage.parameter(n, width), stage.constant(n, columns));
        let first = stage.tape.gru(cell, x, state);
        stage.tape.gru(cell, x, first)
    }));
    // With 128 columns a GPU norms where it computes the unit's gates, there and back.
    programs.push(Program::new("Gru", "twice, normed", |stage| {
        let (n, width, columns) = (stage.size.n_nodes, stage.size.width, stage.size.columns);
        let cell = gru(stage);
        let (x, mut state) = (stage.parameter(n, width), stage.parameter(n, columns));
        let (gain, bias) = (stage.parameter(columns, 1), stage.parameter(columns, 1));
        for _ in 0..2 {
            let next = stage.tape.gru(cell, x, state);
            state = stage.tape.layer_norm(next, gain, bias);
        }
        state
    }));
    programs.push(Program::new("Gru", "of a constant", |stage| {
        let (n, width, columns) = (stage.size.n_nodes, stage.size.width, stage.size.columns);
        let cell = gru(stage);
        let state = stage.parameter(n, columns);
        let x = stage.constant(n, width);
        stage.tape.gru(cell, x, state)
    }));
    programs
}

fn linear(form: Form) -> Program {
    let Form { parts, bias, repeats, activation } = form;
    let name = format!("{parts} parts, bias {bias}, addend {repeats}, {activation:?}");
    Program::new("Linear", name, move |stage| {
        let (n, columns) = (stage.size.n_nodes, stage.size.columns);
        let rows = n * repeats.max(1);
        let mut pairs = Vec::new();
        for i in 0..parts {
            let width = (stage.size.width + i) / (i + 1);
            pairs.push((stage.parameter(rows, width), stage.parameter(columns, width)));
        }
        let mut linear = Linear::new(&pairs);
        if bias {
            linear = linear.bias(stage.parameter(columns, 1));
        }
        let shared = stage.indices(rows, n);
        linear = match repeats {
            0 => linear,
            1 => linear.add(stage.parameter(n, columns)),
            _ => linear.add_rows(stage.parameter(n, columns), &shared),
        };
        if activation == Activation::Relu {
            linear = linear.relu();
        }
        stage.tape.linear(linear)
    })
}

fn gru(stage: &mut Stage) -> GruCell {
    let (width, columns) = (stage.size.width, stage.size.columns);
    GruCell {
        weight_ih: stage.parameter(3 * columns, width),
        weight_hh: stage.parameter(3 * columns, columns),
        bias_ih: stage.parameter(3 * columns, 1),
        bias_hh: stage.parameter(3 * columns, 1),
    }
}
