use super::*;

const SMALL: &str = "[[cells]]\nalgorithms = [\"bfs\"]\nmodels = [\"pgn\"]\n";

fn names(text: &str) -> Vec<String> {
    let plan = Plan::parse("mine.toml", text, None).unwrap();
    plan.cells().iter().map(|cell| cell.name().to_owned()).collect()
}

fn message(text: &str) -> String {
    Plan::parse("mine.toml", text, None).unwrap_err().to_string()
}

#[test]
fn seeds_are_outermost_and_a_cell_stands_once() {
    let text = "
        [[cells]]
        algorithms = [\"bfs\", \"mst_prim\"]
        models = [\"gin\"]
        hints = [false, true]
        seeds = [1, 2]
        [[cells]]
        algorithms = [\"bfs\"]
        models = [\"gin\"]
        conventions = [\"paper\", \"release\"]
        seeds = \"2..3\"";
    assert_eq!(
        names(text),
        [
            "bfs-gin-paper-1",
            "bfs-gin-paper-hints-1",
            "mst-gin-paper-1",
            "mst-gin-paper-hints-1",
            "bfs-gin-paper-2",
            "bfs-gin-paper-hints-2",
            "mst-gin-paper-2",
            "mst-gin-paper-hints-2",
            "bfs-gin-release-2",
            "bfs-gin-paper-3",
            "bfs-gin-release-3",
        ]
    );
}

#[test]
fn a_name_that_stands_twice_counts_once_and_too_many_cells_are_refused() {
    let twice = "[[cells]]\nalgorithms = [\"mst\", \"mst_prim\"]\nmodels = [\"gin\", \"gin\"]";
    assert_eq!(names(twice), ["mst-gin-paper-42"]);
    let seeds: Vec<String> = (0..10_001).map(|seed| seed.to_string()).collect();
    let told = message(&format!("{SMALL}seeds = [{}]", seeds.join(", ")));
    assert_eq!(told, "mine.toml:2: cells.algorithms: expected at most 10000 cells in all");
}

#[test]
fn what_is_left_out_is_as_in_the_paper() {
    let plan = Plan::parse("some/mine.toml", SMALL, None).unwrap();
    let cell = &plan.cells()[0];
    assert_eq!((plan.name(), cell.run().seed), ("mine", 42));
    assert_eq!(cell.run().training.learning_rate, Some(0.0004239));
    assert_eq!((cell.sets().len(), cell.n_graphs()), (15, 15_000));
    assert_eq!(plan.suite(cell).name, "paper");
}

#[test]
fn sets_are_settled_by_the_suite_and_the_last_word_counts() {
    let sets = "[[evaluation.sets]]\nsplits = [\"test\"]\ngraphs = 100\n[[evaluation.sets]]\n\
                splits = [\"ws_16\", \"val\"]\ngraphs = 5000";
    let plan = Plan::parse("mine.toml", &format!("{SMALL}{sets}"), None).unwrap();
    let sets = plan.cells()[0].sets();
    assert_eq!(sets.len(), 16);
    let graphs = |name| sets.iter().find(|set| set.split == name).unwrap().graphs;
    assert_eq!((graphs("er_16"), graphs("ws_16"), graphs("val")), (100, 1000, 1000));
}

#[test]
fn a_fingerprint_tells_settings_apart() {
    let of = |text: &str| {
        let plan = Plan::parse("mine.toml", text, None).unwrap();
        plan.cells()[0].fingerprint().to_owned()
    };
    assert_eq!(of(SMALL), of(&format!("name = \"other\"\n{SMALL}")));
    assert_ne!(of(SMALL), of(&format!("{SMALL}[training]\nepochs = 3")));
    assert_ne!(
        of(SMALL),
        of(&format!(
            "{SMALL}[evaluation]\nsteps = \"auto\"\n[[evaluation.sets]]\nsplits = [\"test\"]"
        ))
    );
    assert_ne!(of(SMALL), of(&format!("{SMALL}[[evaluation.sets]]\nsplits = [\"er_16\"]")));
}

#[test]
fn a_suite_file_may_be_given_as_text() {
    let suite = "name = \"own\"\nversion = 1\nconvention = \"paper\"\nseed = 3\n[[split]]\n\
        name = \"train\"\nsamples = 8\ngenerator = \"er\"\nnodes = 4\np = 0.9\n[[split]]\n\
        name = \"val\"\nsamples = 4\ngenerator = \"er\"\nnodes = 4\np = 0.9\n";
    let text = format!("suite = \"elsewhere/own.toml\"\n{SMALL}");
    let plan = Plan::parse("mine.toml", &text, Some(suite)).unwrap();
    assert_eq!(plan.suite(&plan.cells()[0]).name, "own");
    assert_eq!(plan.suite_text(), Some(suite));
    assert!(message(&text).starts_with("elsewhere/own.toml: "));
}

#[test]
fn mistakes_are_told_with_line_and_field() {
    for (text, expected) in [
        ("", "1: cells: missing"),
        ("[[cells]]\nalgorithms = [\"bfs\"]", "1: cells.models: missing"),
        (
            "[[cells]]\nalgorithms = [\"bsf\"]\nmodels = [\"pgn\"]",
            "2: cells.algorithms: unknown algorithm \"bsf\", did you mean \"bfs\"?",
        ),
        (
            "[[cells]]\nalgorithms = [\"bfs\"]\nmodels = []",
            "3: cells.models: expected at least one, found none",
        ),
        (
            "[[cells]]\nalgorithms = [\"bfs\"]\nmodels = [\"pgm\"]",
            "3: cells.models: unknown model \"pgm\", there is gin, pgn, recgnn, did you mean \
             \"pgn\"?",
        ),
        (
            "[[cells]]\nalgorithms = [\"bfs\"]\nmodels = [\"pgn\"]\nseeds = \"3..1\"",
            "4: cells.seeds: expected a range from low to high, found \"3..1\"",
        ),
        ("name = \"a/b\"", "1: name: expected letters, digits, - and _, found \"a/b\""),
        ("[model]\nprocessor = \"pgn\"", "2: model.processor: models are listed under [[cells]]"),
        (
            "seed = 3",
            "1: seed: unknown field, there is name, summary, suite, data_seed, cells, model, training, evaluation",
        ),
    ] {
        let told = message(text);
        assert!(told.starts_with(&format!("mine.toml:{expected}")), "{told}");
    }
    let told = message(&format!("{SMALL}[[evaluation.sets]]\nsplits = [\"er_17\"]"));
    assert!(told.starts_with("suite paper has no split \"er_17\""), "{told}");
    assert_eq!(
        message(&format!("suite = \"large\"\n{SMALL}")),
        "suite large has no split \"train\""
    );
}

#[test]
fn every_published_sweep_reads() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../runs");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if std::fs::read_to_string(&path).unwrap().contains("\n[[cells]]") {
            assert!(!Plan::load(&path).unwrap().summary().is_empty(), "{path:?}");
            count += 1;
        }
    }
    assert!(count >= 3);
}
