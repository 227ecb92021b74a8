//! A processor of your own, trained on breadth-first search: `cargo run --release --example
//! custom_processor`. It is GraphSAGE with pooling and a gated update: m = max ReLU(W x_j) over
//! the neighbours j, then h' = LayerNorm(GRU(m, h)), with x = [encoding | h | second state].

use salsa_learn::prelude::*;
use std::error::Error;

struct Sage {
    message: Affine,
    update: Gru,
    norm: LayerNorm,
}

fn sage(layers: &mut Builder<'_>, Sizes { hidden, input, .. }: Sizes) -> Box<dyn Processor> {
    let message = layers.affine("sage.message", input, hidden);
    let update = layers.gru("sage.update", hidden, hidden);
    Box::new(Sage { message, update, norm: layers.layer_norm("sage.norm", hidden) })
}

impl Processor for Sage {
    fn begin<'a>(&'a self, tape: &mut Tape, around: &Surroundings) -> Step<'a> {
        // What the encoding adds to messages is computed here, once for all steps.
        let message = OnInput::new(tape, self.message, around);
        let edges = around.edges.clone();
        Box::new(move |tape, state| {
            let mut messages = Messages::from_source(message.apply(tape, state));
            messages.activation = Activation::Relu;
            let pooled = tape.gather_max(&edges, messages);
            let next = self.update.apply(tape, pooled, state.hidden);
            self.norm.apply(tape, next)
        })
    }
}

struct Print;

impl Observer for Print {
    fn epoch(&mut self, summary: &EpochSummary, _improved: bool) {
        let accuracy = 100.0 * summary.validation["node_accuracy"];
        println!("epoch {}: validation accuracy {accuracy:.1}%", summary.epoch + 1);
    }
}

/// Trains on so many samples an epoch; files go to a folder of their own.
pub fn train(samples: u64, folder: &Folder) -> Result<Outcome, Box<dyn Error>> {
    let mut run = Run::default();
    run.model.hidden = 64;
    run.training.epochs = 5;
    run.training.train_samples = Some(samples);
    run.training.validation_samples = Some(samples.min(200));
    let network = Network::with_processor(&run, Box::new(Cpu::new(2)), sage)?;
    let suite = Suite::named(run.suite())?;
    Ok(Trainer::with_network(&run, &suite, network)?.train(folder, &mut Print)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Folder::new(std::env::temp_dir().join("salsa-custom-processor"));
    train(2000, &folder).map(drop)
}
