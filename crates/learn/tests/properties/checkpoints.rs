//! A network goes to a checkpoint and comes back the same.

use salsa_learn::batch::Batch;
use salsa_learn::checkpoint::{Checkpoint, Progress};
use salsa_learn::model::processors;
use salsa_learn::network::Network;
use salsa_learn::training::step::{StepOptions, step};

use crate::cases::{self, decoded, tested};

#[test]
fn a_network_comes_back_from_a_checkpoint() {
    for case in cases::all() {
        let mut network = case.stepped_network();
        let run = case.run(false);
        let mut checkpoint = Checkpoint::new(&run, Progress::start(&run));
        network.write(&mut checkpoint);
        let bytes = checkpoint.to_bytes().unwrap();
        let read = Checkpoint::from_bytes(&bytes, &processors::names()).unwrap();
        assert!(read.to_bytes().unwrap() == bytes, "{}", case.name());

        let mut restored = Network::restore(&read, tested()).unwrap();
        let batch = Batch::new(&case.samples(&[9, 4]), false).unwrap();
        let bits = |network: &mut Network| {
            let outputs = decoded(network, &batch).concat();
            outputs.iter().map(|value| value.to_bits()).collect::<Vec<_>>()
        };
        assert_eq!(bits(&mut restored), bits(&mut network), "{}", case.name());

        // The optimiser's memory came along: the next step is the same too.
        let options = StepOptions::new(&run);
        let after = |network: &mut Network| {
            step(network, &batch, &options, 3).unwrap();
            let mut checkpoint = Checkpoint::new(&run, Progress::start(&run));
            network.write(&mut checkpoint);
            checkpoint.to_bytes().unwrap()
        };
        assert!(after(&mut restored) == after(&mut network), "{}", case.name());
    }
}

#[test]
fn a_checkpoint_of_another_network_is_refused() {
    let case = cases::benchmark()[0];
    let network = case.stepped_network();
    let mut run = case.run(false);
    let mut checkpoint = Checkpoint::new(&run, Progress::start(&run));
    network.write(&mut checkpoint);
    run.model.hidden = 16;
    let told = Network::new(&run, tested()).unwrap().read(&checkpoint).unwrap_err().to_string();
    assert_eq!(
        told,
        "tensor \"param/encoder.encoder.pos.lin.weight\": expected shape [16, 1], found [8, 1]"
    );
    run = case.run(true);
    let told = Network::new(&run, tested()).unwrap().read(&checkpoint).unwrap_err().to_string();
    assert_eq!(told, "tensor \"param/decoder.decoder.reach.lin.weight\" is missing");
}
