//! The runs that come with the project can be trained as they are.

use std::path::Path;

use salsa_learn::model::processors;
use salsa_learn::run::Run;
use salsa_learn::training::Trainer;
use salsa_traces::suite::Suite;

use crate::cases::tested;

#[test]
fn every_published_run_can_be_trained() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../runs");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        // A sweep is a file of another kind.
        if std::fs::read_to_string(&path).unwrap().contains("\n[[cells]]") {
            continue;
        }
        let run = Run::load(&path, &processors::names()).unwrap();
        let suite = Suite::named(run.suite()).unwrap();
        let mut trainer = Trainer::new(&run, &suite, tested()).unwrap();
        assert!(trainer.n_batches() > 0);
        assert!(trainer.network().n_parameters() > 0);
    }
}
