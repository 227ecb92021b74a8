//! One small program for each form of each operator.

mod graph;
mod layers;
mod losses;
mod rows;
mod values;

use salsa_engine::tape::Tensor;

use crate::stage::Stage;

/// An operator between parameters and a result.
pub struct Program {
    /// What it is called when it fails.
    pub name: String,
    /// What the tape remembers it as.
    pub operation: &'static str,
    body: Box<dyn Fn(&mut Stage) -> Tensor>,
}

impl Program {
    fn new(
        operation: &'static str,
        form: impl std::fmt::Display,
        body: impl Fn(&mut Stage) -> Tensor + 'static,
    ) -> Self {
        Self { name: format!("{operation}: {form}"), operation, body: Box::new(body) }
    }

    /// Puts it on a stage's tape.
    pub fn run(&self, stage: &mut Stage) -> Tensor {
        (self.body)(stage)
    }
}

/// All of them.
pub fn all() -> Vec<Program> {
    let mut programs = layers::programs();
    programs.extend(graph::programs());
    programs.extend(rows::programs());
    programs.extend(values::programs());
    programs.extend(losses::programs());
    programs
}
