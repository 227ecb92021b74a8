//! A loss that is no number ends a training at once, and what was saved before is still good.

use salsa_learn::training::log::{Record, RunLog, json_lines};
use salsa_learn::training::{Folder, TrainError, Trainer, Unobserved};
use salsa_traces::suite::Suite;

use crate::cases::tested;
use crate::resuming::{left, resumed, stopped_once, straight, tiny};

/// Sets the first value of the parameter called `name`.
fn spoil(trainer: &mut Trainer<'_>, name: &str, value: f32) {
    let tape = &mut trainer.network().tape;
    let found = tape.parameters().iter().find(|kept| kept.name == name);
    let tensor = found.unwrap().tensor;
    let mut values = tape.read(tensor);
    values[0] = value;
    tape.set(tensor, &values);
}

/// Where and in what a training fails, which leaves the last checkpoint alone and tells its log.
fn failure(trainer: &mut Trainer<'_>, folder: &Folder) -> (u64, u64, u64, String) {
    let saved = std::fs::read(folder.last()).unwrap();
    let done = trainer.progress().step;
    let error = trainer.train(folder, &mut Unobserved).unwrap_err();
    assert!(std::fs::read(folder.last()).unwrap() == saved);
    let log = json_lines::read(&folder.path().join(RunLog::FILE)).unwrap();
    let message = error.to_string();
    assert!(message.ends_with("; the last checkpoint is from before it"), "{message}");
    let step = trainer.progress().step;
    assert!(step >= done);
    assert_eq!(log.last(), Some(&Record::Failed { step, message }));
    let TrainError::NotFinite { step, epoch, batch, term, value } = error else {
        panic!("{error}")
    };
    assert!(!value.is_finite());
    (step, epoch, batch, term)
}

#[test]
fn a_loss_that_is_no_number_is_told_by_step_batch_and_term() {
    let run = tiny("pgn", true);
    let suite = Suite::named(run.suite()).unwrap();
    let (whole, parts) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let expected = straight(&run, whole.path());
    let folder = Folder::new(parts.path());
    stopped_once(&run, &suite, &folder, 4);
    for (name, value, term) in [
        ("decoder.decoder.pi.source_lin.bias", f32::NAN, "output pi"),
        ("decoder.decoder.reach.lin.bias", f32::INFINITY, "hint reach_h"),
        ("processor.norm.bias", f32::NAN, "output pi"),
    ] {
        let mut trainer = resumed(&folder, &suite);
        let next = trainer.progress();
        let expected = (next.step + 1, next.epoch + 1, next.batch + 1, term.to_owned());
        spoil(&mut trainer, name, value);
        assert_eq!(failure(&mut trainer, &folder), expected, "{name}");
    }
    // Without the bad value it goes on as if nothing had happened.
    resumed(&folder, &suite).train(&folder, &mut Unobserved).unwrap();
    assert!(left(&folder) == expected);
}

#[test]
fn a_rate_that_throws_parameters_away_ends_the_training() {
    for processor in ["gin", "pgn", "recgnn"] {
        let mut run = tiny(processor, false);
        run.training.learning_rate = Some(1e30);
        let suite = Suite::named(run.suite()).unwrap();
        let at = tempfile::tempdir().unwrap();
        let folder = Folder::new(at.path());
        let mut trainer = Trainer::new(&run, &suite, tested()).unwrap();
        let error = trainer.train(&folder, &mut Unobserved).unwrap_err();
        let TrainError::NotFinite { step: 2, epoch: 1, batch: 2, .. } = error else {
            panic!("{processor}: {error}")
        };
        assert_eq!(resumed(&folder, &suite).progress().step, 0);
    }
}

#[test]
fn parameters_that_were_thrown_away_in_the_last_batch_are_not_saved() {
    let mut run = tiny("pgn", false);
    run.training.learning_rate = Some(1e30);
    // One batch an epoch: validation is the first to see what it did.
    run.training.batch = 22;
    let suite = Suite::named(run.suite()).unwrap();
    let at = tempfile::tempdir().unwrap();
    let folder = Folder::new(at.path());
    let mut trainer = Trainer::new(&run, &suite, tested()).unwrap();
    let error = trainer.train(&folder, &mut Unobserved).unwrap_err();
    let expected = "step 1, batch 1 of epoch 1: the validation loss is ";
    assert!(error.to_string().starts_with(expected), "{error}");
    assert_eq!(resumed(&folder, &suite).progress().step, 0);
    assert!(!folder.best().exists());
}
