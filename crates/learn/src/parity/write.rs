//! A batch and the values of a network as a file in the format of the cases, without results.
//!
//! Another implementation that reads such a file starts from the same numbers, so its results can
//! become a case, and its time can be measured beside ours on the very same batch.

use std::collections::BTreeMap;

use safetensors::Dtype;
use safetensors::tensor::TensorInfo;
use salsa_traces::algorithms::{self, UnknownAlgorithm};
use salsa_traces::spec::{Field, Kind, Location};
use serde::Serialize;

use crate::batch::{Answers, Batch, Moments, Target, encoded_inputs};
use crate::network::Network;
use crate::run::Run;
use crate::torch;

/// The bytes of a file with a batch and the network's values as they are now.
pub fn to_bytes(run: &Run, network: &Network, batch: &Batch) -> Result<Vec<u8>, UnknownAlgorithm> {
    let mut tensors = Tensors::default();
    tensors.batch(batch);
    for kept in network.tape.parameters() {
        let group = if kept.learned { "param" } else { "buffer_before" };
        let shape = torch::shape(&kept.name, network.tape.shape(kept.tensor));
        tensors.insert(group, &kept.name, shape, &network.tape.read(kept.tensor));
    }
    Ok(tensors.to_bytes(&metadata(run, network)?))
}

/// What the cases call a processor: GIN with edge weights has a name of its own.
pub fn processor_name(processor: &str, weighted: bool) -> &str {
    match (processor, weighted) {
        ("gin", false) => "GIN",
        ("gin", true) => "GINE",
        ("pgn", _) => "PGN",
        ("recgnn", _) => "RecGNN",
        (own, _) => own,
    }
}

fn metadata(
    run: &Run,
    network: &Network,
) -> Result<BTreeMap<&'static str, String>, UnknownAlgorithm> {
    let spec = &network.model.spec;
    let list = |fields: &mut dyn Iterator<Item = &Field>| {
        let names: Vec<String> = fields.map(|field| format!("{:?}", field.name)).collect();
        format!("[{}]", names.join(", "))
    };
    let randomness = spec.inputs().filter(|field| field.name == "randomness");
    Ok(BTreeMap::from([
        ("algorithm", algorithms::find(&run.algorithm)?.published_name().to_owned()),
        ("processor", processor_name(&run.model.processor, spec.needs_weights()).to_owned()),
        ("convention", run.convention.name().to_owned()),
        ("hints", run.hints.to_string()),
        ("hidden_dim", run.model.hidden.to_string()),
        ("inputs", list(&mut encoded_inputs(spec).chain(randomness))),
        ("hint_names", list(&mut spec.hints())),
        ("outputs", list(&mut spec.outputs())),
        ("hint_loss_weight", run.training.hint_loss.to_string()),
        ("hidden_loss_weight", run.training.hidden_loss.to_string()),
    ]))
}

/// Whole numbers and others apart: in a file the wider come first, so that all are aligned.
#[derive(Default)]
struct Tensors {
    whole: BTreeMap<String, (Vec<usize>, Vec<u8>)>,
    single: BTreeMap<String, (Vec<usize>, Vec<u8>)>,
}

impl Tensors {
    fn insert(&mut self, group: &str, name: &str, shape: Vec<usize>, values: &[f32]) {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.single.insert(format!("{group}/{name}"), (shape, bytes));
    }

    fn insert_whole(&mut self, name: &str, shape: Vec<usize>, values: impl Iterator<Item = i64>) {
        let bytes = values.flat_map(i64::to_le_bytes).collect();
        self.whole.insert(format!("batch/{name}"), (shape, bytes));
    }

    fn batch(&mut self, batch: &Batch) {
        let (n_nodes, n_entries, steps) = (batch.n_nodes(), batch.edges.n_entries(), batch.steps());
        let ends = [&batch.edges.rows, &batch.edges.neighbours];
        let ends = ends.into_iter().flat_map(|end| end.as_slice()).map(|&node| node.into());
        self.insert_whole("edge_index", vec![2, n_entries], ends);
        let graphs = batch.graphs.as_slice().windows(2).enumerate();
        let graph_of =
            graphs.flat_map(|(graph, ends)| (ends[0]..ends[1]).map(move |_| graph as i64));
        self.insert_whole("graph", vec![n_nodes], graph_of);
        let lengths = batch.lengths.iter().map(|&length| length as i64);
        self.insert_whole("length", vec![batch.n_graphs()], lengths);

        for (name, values) in &batch.inputs {
            self.insert("batch", name, vec![n_nodes], values);
        }
        if let Some(weights) = &batch.weights {
            self.insert("batch", "weights", vec![n_entries], weights);
        }
        if let Some(randomness) = &batch.randomness {
            let values = step_last(randomness, n_nodes);
            self.insert("batch", "randomness", vec![n_nodes, steps], &values);
        }
        let once = vec![1; batch.n_graphs()];
        let once = Moments::that_count(&batch.edges, batch.graphs.as_slice(), &once);
        for target in &batch.outputs {
            let (shape, values) = dense(batch, target, &once, 1);
            self.insert("batch", &target.field.name, vec![shape[0]], &values);
        }
        for (moments, target) in
            batch.moments.iter().flat_map(|it| batch.hints.iter().map(move |hint| (it, hint)))
        {
            let (shape, values) = dense(batch, target, moments, steps);
            self.insert("batch", &target.field.name, shape, &values);
        }
    }

    fn to_bytes(&self, metadata: &BTreeMap<&'static str, String>) -> Vec<u8> {
        #[derive(Serialize)]
        struct Header<'a> {
            #[serde(rename = "__metadata__")]
            metadata: &'a BTreeMap<&'static str, String>,
            #[serde(flatten)]
            tensors: BTreeMap<&'a str, TensorInfo>,
        }
        let mut data = Vec::new();
        let mut tensors = BTreeMap::new();
        for (of, dtype) in [(&self.whole, Dtype::I64), (&self.single, Dtype::F32)] {
            for (name, (shape, bytes)) in of {
                let start = data.len();
                data.extend_from_slice(bytes);
                let data_offsets = (start, data.len());
                let info = TensorInfo { dtype, shape: shape.clone(), data_offsets };
                tensors.insert(name.as_str(), info);
            }
        }
        let header = serde_json::to_vec(&Header { metadata, tensors });
        let mut header = header.expect("names and numbers are JSON");
        header.resize(header.len().next_multiple_of(8), b' ');
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend(header);
        bytes.extend(data);
        bytes
    }
}

/// Answers as the files have them: one-hot over entries, nodes or classes, the step after the
/// element they belong to, steps after a graph's end zero. Shape and values.
fn dense(
    batch: &Batch,
    target: &Target,
    moments: &Moments,
    steps: usize,
) -> (Vec<usize>, Vec<f32>) {
    let field = &target.field;
    let classes = match field.kind {
        Kind::Categorical { classes } => usize::from(classes),
        _ => 1,
    };
    let offsets = batch.edges.offsets.as_slice();
    let first_nodes = batch.graphs.as_slice();
    let count = match (field.location, field.kind) {
        (_, Kind::Pointer) | (Location::Edge, _) => batch.edges.n_entries(),
        (Location::Node, _) => batch.n_nodes(),
        (Location::Graph, _) => batch.n_graphs(),
    };
    let mut values = vec![0.0; count * steps * classes];
    for place in &moments.places {
        let first_node = first_nodes[place.graph] as usize;
        let first = match (field.location, field.kind) {
            (_, Kind::Pointer) | (Location::Edge, _) => offsets[first_node] as usize,
            (Location::Node, _) => first_node,
            (Location::Graph, _) => place.graph,
        };
        let decoded = moments.decoded(field, place);
        let at = |row: usize| ((first + row - decoded.start) * steps + place.step) * classes;
        match &target.answers {
            Answers::Numbers(numbers) => {
                decoded.clone().for_each(|row| values[at(row)] = numbers[row]);
            }
            Answers::Places(places) => {
                let rows = places.iter().filter(|&&place| place != u32::MAX);
                let rows = rows.map(|&place| (place as usize / classes, place as usize % classes));
                rows.filter(|(row, _)| decoded.contains(row))
                    .for_each(|(row, class)| values[at(row) + class] = 1.0);
            }
        }
    }
    let mut shape = vec![count, steps];
    shape.extend((classes > 1).then_some(classes));
    (shape, values)
}

/// `[steps, count]` to `[count, steps]`.
fn step_last(values: &[f32], count: usize) -> Vec<f32> {
    let steps = values.len() / count;
    (0..count).flat_map(|i| (0..steps).map(move |t| values[t * count + i])).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use salsa_traces::sample::Sampler;
    use salsa_traces::suite::Suite;

    use super::*;
    use crate::compute::Compute;
    use crate::model::processors;
    use crate::parity::Case;
    use crate::training::trainer::batch;

    fn run(algorithm: &str, processor: &str, hints: bool) -> Run {
        let mut run = Run { algorithm: algorithm.to_owned(), hints, ..Run::default() };
        run.model.processor = processor.to_owned();
        run.model.hidden = 8;
        run
    }

    #[test]
    fn a_written_batch_is_read_again() {
        let suite = Suite::named("release").unwrap();
        for algorithm in algorithms::benchmark() {
            for hints in [false, true] {
                let run = run(&algorithm.spec().algorithm, "pgn", hints);
                let sampler = Sampler::new(&suite, 0, *algorithm, "train").unwrap();
                let batch = batch(&sampler, 0..8, hints).unwrap();
                let network = Network::new(&run, Compute::Cpu { n_threads: 1 }).unwrap();
                let bytes = to_bytes(&run, &network, &batch).unwrap();
                let case = Case::parse(Path::new("written"), &bytes).unwrap();
                assert_eq!(case.batch().unwrap(), batch, "{} {hints}", run.algorithm);
            }
        }
    }

    #[test]
    fn names_and_shapes_are_those_of_the_cases() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/parity");
        let suite = Suite::named("release").unwrap();
        for algorithm in algorithms::benchmark() {
            for kind in processors::ALL {
                let mut run = run(&algorithm.spec().algorithm, kind.name, true);
                run.model.hidden = 16;
                let sampler = Sampler::new(&suite, 0, *algorithm, "train").unwrap();
                let batch = batch(&sampler, 0..2, true).unwrap();
                let network = Network::new(&run, Compute::Cpu { n_threads: 1 }).unwrap();
                let bytes = to_bytes(&run, &network, &batch).unwrap();
                let processor = processor_name(kind.name, algorithm.spec().needs_weights());
                let name = algorithm.published_name();
                let case = format!("{name}-{}-release-hints.safetensors", processor.to_lowercase());
                let case = std::fs::read(folder.join(case)).unwrap();
                assert_eq!(shapes(&bytes), shapes(&case), "{name} {processor}");
            }
        }
    }

    /// Names with their types, and shapes where they do not depend on the graphs.
    fn shapes(bytes: &[u8]) -> BTreeMap<String, (Dtype, Vec<usize>)> {
        let (_, header) = safetensors::SafeTensors::read_metadata(bytes).unwrap();
        let groups = ["batch/", "param/", "buffer_before/"];
        let all = header.tensors();
        let own = all.iter().filter(|(name, _)| groups.iter().any(|group| name.starts_with(group)));
        own.map(|(name, info)| {
            let mut shape = info.shape.clone();
            if name.starts_with("batch/") {
                shape.fill(0);
            }
            (name.clone(), (info.dtype, shape))
        })
        .collect()
    }
}
