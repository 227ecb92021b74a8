//! Operators on the entries of a graph, and on segments.

use salsa_engine::device::{Activation, Reduction};
use salsa_engine::graph::Segments;
use salsa_engine::tape::{Linear, Messages, Tensor};

use super::Program;
use crate::stage::Stage;

const REDUCTIONS: [Reduction; 3] = [Reduction::Max, Reduction::Sum, Reduction::Mean];
const ACTIVATIONS: [Activation; 2] = [Activation::None, Activation::Relu];

/// What messages are made of.
#[derive(Debug, Clone, Copy)]
struct Terms {
    source: bool,
    target: bool,
    scaled: bool,
    bias: bool,
    activation: Activation,
}

impl Terms {
    /// Every combination that names a node.
    fn all() -> impl Iterator<Item = Self> {
        (4..32)
            .map(|bits: usize| Self {
                source: bits & 8 != 0,
                target: bits & 4 != 0,
                scaled: bits & 2 != 0,
                bias: bits & 1 != 0,
                activation: ACTIVATIONS[bits >> 4],
            })
            .filter(|terms| terms.source || terms.target)
    }

    fn on(self, stage: &mut Stage) -> Messages {
        let (n, columns) = (stage.size.n_nodes, stage.size.columns);
        let source = self.source.then(|| stage.parameter(n, columns));
        let target = self.target.then(|| stage.parameter(n, columns));
        let scale = self.scaled.then(|| stage.parameter(columns, 1));
        let bias = self.bias.then(|| stage.parameter(columns, 1));
        let n_entries = stage.edges.n_entries();
        let scaled = scale.map(|scale| (stage.constant(n_entries, 1), scale));
        Messages { source, target, scaled, bias, activation: self.activation }
    }
}

pub fn programs() -> Vec<Program> {
    let mut programs = Vec::new();
    for terms in Terms::all() {
        programs.push(Program::new("Messages", format!("{terms:?}"), move |stage| {
            let messages = terms.on(stage);
            stage.tape.messages(&stage.edges, messages)
        }));
        if terms.source && !terms.target {
            programs.push(Program::new("GatherMax", format!("{terms:?}"), move |stage| {
                let messages = terms.on(stage);
                stage.tape.gather_max(&stage.edges, messages)
            }));
        }
    }
    programs.push(Program::new("LinearMax", "of entries", |stage| {
        let (width, columns) = (stage.size.width, stage.size.columns);
        let x = stage.parameter(stage.edges.n_entries(), width);
        let weight = stage.parameter(columns, width);
        let bias = stage.parameter(columns, 1);
        stage.tape.linear_max(&stage.edges, x, weight, bias)
    }));
    programs.push(Program::new("Messages", "from and to one tensor", |stage| {
        let x = stage.parameter(stage.size.n_nodes, stage.size.columns);
        let messages = Messages { target: Some(x), ..Messages::from_source(x) };
        stage.tape.messages(&stage.edges, messages)
    }));
    for (scaled, activation) in [(false, Activation::Relu), (true, Activation::None)] {
        programs.push(Program::new(
            "BatchNorm",
            format!("of messages, {activation:?}"),
            move |stage| {
                let terms = Terms { source: true, target: true, scaled, bias: false, activation };
                normed(stage, |stage| {
                    let messages = terms.on(stage);
                    stage.tape.messages(&stage.edges, messages)
                })
            },
        ));
    }
    programs.push(Program::new("BatchNorm", "of entries, and their maxima", |stage| {
        let (n_entries, columns) = (stage.edges.n_entries(), stage.size.columns);
        let entries = normed(stage, |stage| stage.parameter(n_entries, columns));
        let segments = Segments::Rows(stage.edges.clone());
        stage.tape.segment_reduce(Reduction::Max, entries, &segments)
    }));
    for reduction in REDUCTIONS {
        programs.push(Program::new("Messages", format!("aggregate {reduction:?}"), move |stage| {
            aggregate(stage, reduction)
        }));
        programs.push(Program::new(
            "SegmentReduce",
            format!("{reduction:?} of entries"),
            move |stage| {
                let x = stage.parameter(stage.edges.n_entries(), stage.size.columns);
                let segments = stage.entries();
                stage.tape.segment_reduce(reduction, x, &segments)
            },
        ));
        programs.push(Program::new(
            "SegmentReduce",
            format!("{reduction:?} of offsets"),
            move |stage| {
                let x = stage.parameter(stage.size.n_nodes, stage.size.columns);
                let segments = stage.offsets();
                stage.tape.segment_reduce(reduction, x, &segments)
            },
        ));
        programs.push(Program::new(
            "SegmentReduce",
            format!("{reduction:?} of every 3"),
            move |stage| {
                let x = stage.parameter(3 * stage.size.n_nodes, stage.size.columns);
                let segments = salsa_engine::graph::Segments::Every(3);
                stage.tape.segment_reduce(reduction, x, &segments)
            },
        ));
    }
    programs.push(Program::new("LogSoftmax", "entries", |stage| {
        let x = stage.parameter(stage.edges.n_entries(), 1);
        let segments = stage.entries();
        stage.tape.log_softmax(x, &segments)
    }));
    programs.push(Program::new("LogSoftmax", "offsets", |stage| {
        let x = stage.parameter(stage.size.n_nodes, stage.size.columns);
        let segments = stage.offsets();
        stage.tape.log_softmax(x, &segments)
    }));
    programs.push(Program::new("LogSoftmax", "rows", |stage| {
        let x = stage.parameter(stage.size.n_nodes, stage.size.columns);
        stage.tape.log_softmax_of_rows(x)
    }));
    programs.push(Program::new("EdgeDot", "", |stage| {
        let (n, columns) = (stage.size.n_nodes, stage.size.columns);
        let (source, target) = (stage.parameter(n, columns), stage.parameter(n, columns));
        stage.tape.edge_dot(&stage.edges, source, target)
    }));
    programs.push(Program::new("EdgeDot", "with itself", |stage| {
        let x = stage.parameter(stage.size.n_nodes, stage.size.columns);
        stage.tape.edge_dot(&stage.edges, x, x)
    }));
    programs
}

/// A norm of what `make` makes. On a GPU one that is between messages or maxima is one operator with
/// them, on both ways.
fn normed(stage: &mut Stage, make: impl Fn(&mut Stage) -> Tensor) -> Tensor {
    let columns = stage.size.columns;
    let learned = (stage.parameter(columns, 1), stage.parameter(columns, 1));
    let running = (stage.statistic(columns, 1), stage.statistic(columns, 1));
    let x = make(stage);
    stage.tape.batch_norm(x, learned, running, Activation::None)
}

/// Messages, a linear layer on each, and a reduction.
pub fn aggregate(stage: &mut Stage, reduction: Reduction) -> Tensor {
    let (n, width, columns) = (stage.size.n_nodes, stage.size.width, stage.size.columns);
    let (source, target) = (stage.parameter(n, width), stage.parameter(n, width));
    let weight = stage.parameter(columns, width);
    let messages = Messages {
        target: Some(target),
        activation: Activation::Relu,
        ..Messages::from_source(source)
    };
    stage.tape.aggregate(&stage.edges, reduction, messages, |tape, made| {
        tape.linear(Linear::new(&[(made, weight)]).relu())
    })
}
