//! The example of a processor of one's own runs, as people will copy it.

use salsa_learn::training::log::Ending;
use salsa_learn::training::{Folder, Outcome};

#[expect(dead_code, reason = "its main function is for people")]
#[path = "../../../../examples/custom_processor.rs"]
mod custom_processor;

#[test]
fn the_example_of_a_processor_trains() {
    let at = tempfile::tempdir().unwrap();
    let folder = Folder::new(at.path().join("made/by/training"));
    let outcome = custom_processor::train(16, &folder).unwrap();
    assert_eq!(outcome, Outcome::Finished(Ending::AllEpochs));
    assert!(folder.best().exists());
}

#[test]
fn the_example_is_short() {
    let text = include_str!("../../../../examples/custom_processor.rs");
    assert!(text.lines().count() < 60);
}
