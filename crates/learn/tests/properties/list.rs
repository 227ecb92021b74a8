//! The list of processors: complete, with names and rates that agree with what runs say.

use salsa_learn::model::processors::{ALL, find, names};
use salsa_learn::run::Run;

use crate::listed::assert_all_listed;

#[test]
fn every_file_of_the_folder_is_a_processor_of_the_list() {
    assert_all_listed("src/model/processors", names());
}

#[test]
fn a_name_finds_its_processor() {
    for kind in ALL {
        assert_eq!(find(kind.name).unwrap().summary, kind.summary);
    }
    let told = find("pgm").err().unwrap().to_string();
    assert_eq!(told, "no model is called pgm, did you mean \"pgn\"?; there are gin, pgn, recgnn");
}

#[test]
fn a_run_has_the_learning_rate_of_its_processor() {
    for kind in ALL {
        let mut run = Run::default();
        run.model.processor = kind.name.to_owned();
        assert_eq!(run.learning_rate(), kind.learning_rate, "{}", kind.name);
    }
}
