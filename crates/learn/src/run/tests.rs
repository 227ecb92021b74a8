//! Run files: what they say when they are wrong, and that they come back as they were.

use proptest::prelude::*;

use super::*;

const PROCESSORS: &[&str] = &["gin", "pgn", "recgnn"];

const GOOD: &str = "\
algorithm = \"mst_prim\"
hints = true
convention = \"release\"
suite = \"mine.toml\"
data_seed = 3
seed = 43

[model]
processor = \"recgnn\"
hidden = 64
aggregation = \"sum\"
steps_per_hint = 2

[training]
batch = 16
learning_rate = 1e-3
betas = [0.8, 0.99]
plateau_factor = 0.5
train_samples = 100
";

fn message(text: &str) -> String {
    Run::parse("mine.toml", text, PROCESSORS).unwrap_err().to_string()
}

#[test]
fn an_empty_file_is_the_paper() {
    let run = Run::parse("empty.toml", "", PROCESSORS).unwrap();
    assert_eq!(run, Run::default());
    assert_eq!((run.suite(), run.learning_rate(), run.seed), ("paper", 0.0004239, 42));
}

#[test]
fn a_good_file_reads() {
    let run = Run::parse("mine.toml", GOOD, PROCESSORS).unwrap();
    assert_eq!(run.algorithm, "mst", "the published name gives the algorithm's own");
    assert_eq!((run.suite(), run.learning_rate()), ("mine.toml", 1e-3));
    assert_eq!(run.training.betas, [0.8, 0.99]);
    assert_eq!(run.training.weight_decay, 0.01, "what is left out is as in the paper");
}

#[test]
fn defaults_follow_the_convention_and_the_model() {
    let text = "convention = \"release\"\nmodel.processor = \"recgnn\"";
    let run = Run::parse("mine.toml", text, PROCESSORS).unwrap();
    assert_eq!((run.suite(), run.learning_rate()), ("release", 0.0008));
}

#[test]
fn a_later_text_wins_over_an_earlier_one() {
    let run = Run::parse("mine.toml", GOOD, PROCESSORS).unwrap();
    let run = run.with("--set", "training.epochs = 3", PROCESSORS).unwrap();
    assert_eq!((run.training.epochs, run.training.batch), (3, 16));
    let told = run.with("--set", "training.epochs = 0", PROCESSORS).unwrap_err().to_string();
    assert_eq!(
        told,
        "--set:1: training.epochs: expected a whole number from 1 to 4294967295, found 0"
    );
}

#[test]
fn errors_name_the_line_and_the_field() {
    let cases = [
        (
            "mst_prim",
            "mst_prm",
            "1: algorithm: unknown algorithm \"mst_prm\", did you mean \"mst_prim\"?",
        ),
        (
            "hints = true",
            "hint = true",
            "2: hint: unknown field, there is algorithm, hints, convention, suite, data_seed, seed, model, training, did you mean \"hints\"?",
        ),
        ("hints = true", "hints = 1", "2: hints: expected true or false, found integer"),
        (
            "\"release\"",
            "\"releases\"",
            "3: convention: unknown convention \"releases\", expected \"paper\" or \"release\"",
        ),
        ("\"mine.toml\"", "\"\"", "4: suite: expected a name or a path, found nothing"),
        ("seed = 43", "seed = -1", "6: seed: expected a whole number of at least 0, found -1"),
        (
            "\"recgnn\"",
            "\"regnn\"",
            "9: model.processor: unknown processor \"regnn\", there is gin, pgn, recgnn, did you mean \"recgnn\"?",
        ),
        (
            "hidden = 64",
            "hidden = 0",
            "10: model.hidden: expected a whole number from 1 to 4294967295, found 0",
        ),
        (
            "hidden = 64",
            "hidden = 6.4",
            "10: model.hidden: expected a whole number of at least 0, found float",
        ),
        (
            "\"sum\"",
            "\"summ\"",
            "11: model.aggregation: unknown aggregation \"summ\", expected \"max\", \"sum\" or \"mean\", did you mean \"sum\"?",
        ),
        ("batch = 16", "batches = 16", "15: training.batches: unknown field, there is batch, "),
        ("1e-3", "nan", "16: training.learning_rate: expected a number above 0, found NaN"),
        ("1e-3", "\"fast\"", "16: training.learning_rate: expected a number, found string"),
        (
            "[0.8, 0.99]",
            "[0.8, 1]",
            "17: training.betas: expected two numbers of at least 0 and below 1, found [0.8, 1.0]",
        ),
        (
            "[0.8, 0.99]",
            "[0.8]",
            "17: training.betas: expected two numbers of at least 0 and below 1, found [0.8]",
        ),
        ("[0.8, 0.99]", "0.8", "17: training.betas: expected a list of numbers, found float"),
        (
            "= 0.5",
            "= 1",
            "18: training.plateau_factor: expected a number above 0 and below 1, found 1.0",
        ),
        ("[model]", "[models]", "8: models: unknown field, there is "),
        ("seed = 43", "seed = ", "6: "),
    ];
    for (good, bad, expected) in cases {
        let told = message(&GOOD.replacen(good, bad, 1));
        assert!(told.starts_with(&format!("mine.toml:{expected}")), "{told}");
        assert!(!told.contains('\n'), "{told}");
    }
    assert_eq!(
        message("model = \"pgn\""),
        "mine.toml:1: model: expected a table under [model], found string"
    );
}

#[test]
fn a_field_with_a_line_break_is_told_in_one_line() {
    let told = message("\n\"a\\nb\" = 1");
    assert!(told.starts_with("mine.toml:2: a\\nb: unknown field, there is "), "{told}");
}

#[test]
fn every_published_run_reads() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../runs");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(path.extension().unwrap(), "toml", "{path:?}");
        assert!(std::fs::read_to_string(&path).unwrap().starts_with("# "), "{path:?}");
        // A sweep is a file of another kind.
        if std::fs::read_to_string(&path).unwrap().contains("\n[[cells]]") {
            continue;
        }
        Run::load(&path, PROCESSORS).unwrap();
        count += 1;
    }
    assert!(count >= 3);
}

#[test]
fn a_missing_file_is_named() {
    let told = Run::load(Path::new("absent.toml"), PROCESSORS).unwrap_err().to_string();
    assert!(told.starts_with("absent.toml: "), "{told}");
}

#[test]
fn the_written_file_is_complete() {
    let text = Run::default().to_toml();
    assert_eq!(
        text,
        "\
algorithm = \"bfs\"
hints = false
convention = \"paper\"
suite = \"paper\"
seed = 42

[model]
processor = \"pgn\"
hidden = 128
aggregation = \"max\"
steps_per_hint = 1

[training]
batch = 8
epochs = 100
learning_rate = 0.0004239
weight_decay = 0.01
betas = [0.9, 0.999]
epsilon = 1e-8
clip = 1.0
hidden_loss = 0.01
hint_loss = 1.0
plateau_factor = 0.1
plateau_patience = 10
plateau_threshold = 0.0001
early_stopping = 30
"
    );
}

/// Any run that a file can describe.
fn any_run() -> impl Strategy<Value = Run> {
    let top = (
        proptest::sample::select(&["bfs", "dfs", "dijkstra", "mst", "mis", "eccentricity"][..]),
        any::<bool>(),
        proptest::sample::select(&Convention::ALL[..]),
        proptest::option::of(any::<String>().prop_filter("not empty", |text| !text.is_empty())),
        any::<(Option<u64>, u64)>(),
    );
    let model = (
        proptest::sample::select(PROCESSORS),
        1..=u64::from(u32::MAX),
        proptest::sample::select(&Aggregation::ALL[..]),
        1..=9_u64,
    );
    let positive = || f64::MIN_POSITIVE..f64::MAX;
    let training = (
        (1..=99_u64, 1..=99_u64, proptest::option::of(positive()), 0.0..1e300_f64),
        (0.0..1.0_f64, 0.0..1.0_f64, positive(), positive()),
        (0.0..1e9_f64, 0.0..1e-9_f64, 1e-300..1.0_f64, any::<u64>()),
        (0.0..1.0_f64, 1..=99_u64, proptest::option::of(1..=9_u64)),
    );
    (top, model, training).prop_map(|(top, model, training)| {
        let (one, two, three, four) = training;
        Run {
            algorithm: top.0.to_owned(),
            hints: top.1,
            convention: top.2,
            suite: top.3,
            data_seed: top.4.0,
            seed: top.4.1,
            model: ModelOptions {
                processor: model.0.to_owned(),
                hidden: model.1,
                aggregation: model.2,
                steps_per_hint: model.3,
            },
            training: TrainingOptions {
                batch: one.0,
                epochs: one.1,
                learning_rate: one.2,
                weight_decay: one.3,
                betas: [two.0, two.1],
                epsilon: two.2,
                clip: two.3,
                hidden_loss: three.0,
                hint_loss: three.1,
                plateau_factor: three.2,
                plateau_patience: three.3,
                plateau_threshold: four.0,
                early_stopping: four.1,
                train_samples: four.2,
                validation_samples: four.2,
            },
        }
    })
}

proptest! {
    #[test]
    fn a_written_run_reads_as_the_same_run(run in any_run()) {
        let text = run.to_toml();
        let back = Run::parse("written.toml", &text, PROCESSORS).unwrap();
        prop_assert_eq!(&back, &run.resolved());
        prop_assert_eq!(back.to_toml(), text);
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "\\PC*") {
        let _ = Run::parse("any.toml", &text, PROCESSORS);
    }
}
