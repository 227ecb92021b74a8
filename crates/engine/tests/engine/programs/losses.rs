//! Operators with one number as their result. A stage squares it, so its gradient is not 1.

use salsa_engine::device::Loss;

use super::Program;

pub fn programs() -> Vec<Program> {
    vec![
        Program::new("Picked", "", |stage| {
            let (n, columns) = (stage.size.n_nodes, stage.size.columns);
            let x = stage.parameter(n, columns);
            let targets = stage.targets(2 * n, n * columns);
            let weights = stage.weights(2 * n);
            stage.tape.picked(x, &targets, weights)
        }),
        Program::new("Loss", "binary", |stage| {
            let (n, columns) = (stage.size.n_nodes, stage.size.columns);
            let x = stage.parameter(n, columns);
            let (targets, weights) = (stage.bits(n * columns), stage.weights(n * columns));
            stage.tape.loss(Loss::Binary, x, targets, weights)
        }),
        Program::new("Loss", "squared", |stage| {
            let (n, columns) = (stage.size.n_nodes, stage.size.columns);
            let x = stage.parameter(n, columns);
            let (targets, weights) = (stage.constant(n, columns), stage.weights(n * columns));
            stage.tape.loss(Loss::Squared, x, targets, weights)
        }),
        Program::new("MeanNorm", "", |stage| {
            let x = stage.parameter(stage.size.n_nodes, stage.size.columns);
            stage.tape.mean_norm(x)
        }),
    ]
}
