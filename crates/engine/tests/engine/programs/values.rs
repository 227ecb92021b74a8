//! Operators on each value by itself.

use salsa_engine::device::{Binary, Unary};

use super::Program;

pub fn programs() -> Vec<Program> {
    let mut programs = Vec::new();
    for function in [Unary::Relu, Unary::Sigmoid, Unary::Tanh] {
        programs.push(Program::new("Unary", format!("{function:?}"), move |stage| {
            let x = stage.parameter(stage.size.n_nodes, stage.size.columns);
            stage.tape.unary(function, x)
        }));
    }
    for function in [Binary::Add, Binary::Subtract, Binary::Multiply, Binary::Max] {
        programs.push(Program::new("Binary", format!("{function:?}"), move |stage| {
            let (n, columns) = (stage.size.n_nodes, stage.size.columns);
            let (a, b) = (stage.parameter(n, columns), stage.parameter(n, columns));
            stage.tape.binary(function, a, b)
        }));
    }
    programs.push(Program::new("Binary", "a square", |stage| {
        let x = stage.parameter(stage.size.n_nodes, stage.size.columns);
        stage.tape.binary(Binary::Multiply, x, x)
    }));
    programs.push(Program::new("ScaledSum", "", |stage| {
        let (n, columns) = (stage.size.n_nodes, stage.size.columns);
        let scale = stage.parameter(1, 1);
        let (a, b) = (stage.parameter(n, columns), stage.parameter(n, columns));
        stage.tape.scaled_sum(scale, a, b)
    }));
    programs.push(Program::new("AddScaled", "", |stage| {
        let (n, columns) = (stage.size.n_nodes, stage.size.columns);
        let (a, b) = (stage.parameter(n, columns), stage.parameter(n, columns));
        stage.tape.add_scaled(a, -1.25, b)
    }));
    programs
}
