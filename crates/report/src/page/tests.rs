//! The page of whole sweeps, made up.

use std::collections::BTreeMap;

use salsa_records::confidence::Summary;
use salsa_records::{
    CheckpointFile, Circumstances, Computed, Data, Ending, Epoch, Group, LossTerms, Record,
    SetResult, SplitResult, Training,
};

use super::*;
use crate::paper;
use crate::study::Entry;

const ALGORITHMS: [&str; 6] = ["bfs", "dfs", "dijkstra", "mst", "mis", "eccentricity"];
const MODELS: [&str; 3] = ["gin", "pgn", "recgnn"];

/// A number between 0 and 1 with all its digits, as measured ones have.
fn some(place: usize) -> f64 {
    ((place as f64) * 0.754_877_666_246_693).fract() * 0.9 + 0.05
}

fn record(algorithm: &str, model: &str, hints: bool, seed: u64, epochs: u64) -> Record {
    let names = ["node_accuracy", "graph_accuracy", "node_f1"];
    let place = seed as usize + model.len() * 7 + algorithm.len() * 31;
    let splits = ["er", "ws", "delaunay"]
        .into_iter()
        .flat_map(|family| [16, 80, 160, 800, 1600].map(|nodes| format!("{family}_{nodes}")));
    let summary = |at: usize| Summary::of_numbers(&[some(at), some(at + 1)]).unwrap();
    let set = |(at, split): (usize, String)| SetResult {
        result: SplitResult {
            split,
            all: Group {
                graphs: 1000,
                metrics: names.map(|name| (name.to_owned(), summary(place + at))).into(),
                valid: Some(summary(place + at + 3)),
                violations: BTreeMap::new(),
                mean_steps: 7.25,
            },
            by_size: BTreeMap::new(),
            by_family: BTreeMap::new(),
        },
        computed: Computed::default(),
    };
    let epoch = |epoch: u64| Epoch {
        epoch,
        step: epoch * 1250,
        train: LossTerms { total: some(place + epoch as usize), ..LossTerms::default() },
        validation_loss: some(place + epoch as usize + 1),
        validation: names.map(|name| (name.to_owned(), some(place + epoch as usize + 2))).into(),
        learning_rate: 0.0004,
    };
    Record {
        schema: 1,
        sweep: "paper".to_owned(),
        cell: format!("{algorithm}-{model}-paper{}-{seed}", if hints { "-hints" } else { "" }),
        fingerprint: "f".repeat(64),
        algorithm: algorithm.to_owned(),
        model: model.to_owned(),
        hints,
        convention: Default::default(),
        seed,
        code_version: "0.1.0".to_owned(),
        run: Default::default(),
        training: Some(Training {
            ending: Ending::AllEpochs,
            epochs,
            steps: epochs * 1250,
            best_epoch: Some(epochs / 2),
            best_validation_loss: Some(0.1),
            parameters: 500_000,
            computed: vec![Computed::default()],
            curve: (0..epochs).map(epoch).collect(),
        }),
        checkpoint: Some(CheckpointFile { path: "a".into(), blake3: "b".into(), bytes: 1 }),
        data: Some(Data::Suite {
            name: "paper".to_owned(),
            version: 1,
            convention: Default::default(),
            seed: 1,
        }),
        steps: "recorded".to_owned(),
        evaluation: splits.enumerate().map(set).collect(),
        circumstances: Circumstances::default(),
    }
}

fn sweep(hints: &[bool]) -> Vec<Record> {
    let mut records = Vec::new();
    for algorithm in ALGORITHMS {
        for model in MODELS {
            for &hints in hints {
                records.extend((42..47).map(|seed| record(algorithm, model, hints, seed, 100)));
            }
        }
    }
    records
}

fn study(records: &[Record]) -> Study {
    let entry = |record: &Record| Entry { record: record.clone(), from: "here".to_owned() };
    Study::new(records.iter().map(entry).collect()).unwrap()
}

/// An execution of 16 nodes and 50 steps in which much changes, with what three networks say.
fn episode(algorithm: &str) -> Episode {
    let moments = |n_values: usize| -> Vec<Vec<f64>> {
        (0..50).map(|step| (0..n_values).map(|at| some(step * 7 + at)).collect()).collect()
    };
    let track = |name: &str| Track::new(name, Place::Node, Quantity::Scalar, moments(16));
    let tracks = || ["a", "b", "c"].map(track).to_vec();
    let judgement = Judgement { measured: Vec::new(), valid: Some(false), violation: None };
    let answer = |model: &str| Answer {
        model: model.to_owned(),
        hints: true,
        seed: 42,
        outputs: vec![track("a")],
        hint_tracks: tracks(),
        judgement: judgement.clone(),
    };
    Episode {
        algorithm: algorithm.to_owned(),
        name: "er_16, sample 0".to_owned(),
        convention: "paper".to_owned(),
        drawing: Drawing {
            points: (0..16).map(|at| [Rounded(some(at)), Rounded(some(at + 1))]).collect(),
            edges: (0..15).map(|u| (u, u + 1)).collect(),
            weights: None,
            entries: Vec::new(),
        },
        steps: 50,
        source: Some(0),
        inputs: Vec::new(),
        hints: tracks(),
        outputs: vec![track("a")],
        answers: MODELS.map(answer).to_vec(),
    }
}

#[test]
fn all_of_the_paper_fits_into_three_megabytes() {
    // All 180 cells, 100 epochs each, and more of the player than there is.
    let records = sweep(&[false, true]);
    assert_eq!(records.len(), 180);
    let mut page = Page::new(&study(&records));
    assert!(page.tables.len() > 3);
    page.episodes = ALGORITHMS.iter().map(|algorithm| episode(algorithm)).collect();
    let html = page.html().unwrap();
    assert_eq!(page.curves.iter().map(|curve| curve.epochs.len()).sum::<usize>(), 180 * 100);
    assert!(html.len() < 3_000_000, "{} bytes", html.len());
}

#[test]
fn panels_have_seeds_as_mean_and_spread_beside_what_is_published() {
    let records: Vec<Record> = (1..=3).map(|seed| record("bfs", "pgn", false, seed, 1)).collect();
    let page = Page::new(&study(&records));
    let families: Vec<&str> = page.accuracy.iter().map(|panel| panel.family.as_str()).collect();
    assert_eq!(families, ["er", "ws", "delaunay"]);
    let er = &page.accuracy[0];
    let line = er.lines.iter().find(|line| line.metric == "node_accuracy").unwrap();
    assert_eq!(
        line.points.iter().map(|point| point.nodes).collect::<Vec<_>>(),
        [16, 80, 160, 800, 1600]
    );
    let means: Vec<f64> =
        records.iter().map(|record| record.mean("er_16", "node_accuracy").unwrap()).collect();
    let expected = Summary::of_numbers(&means).unwrap();
    assert_eq!(line.points[0].mean, Rounded(expected.mean));
    assert_eq!(line.points[0].deviation, expected.deviation.map(Rounded));
    let theirs = paper::row("bfs", "pgn").unwrap().figure("er_80").unwrap() / 100.0;
    assert_eq!(er.quoted[0].points[1], (80, Rounded(theirs)));
}

#[test]
fn records_from_elsewhere_have_a_page_too() {
    let line = r#"{"schema":1,"algorithm":"bfs","model":"</script><b>mine</b>","seed":1,
        "evaluation":[{"split":"my graphs","graphs":2,"metrics":{}}]}"#;
    let record: Record = serde_json::from_str(&line.replace('\n', "")).unwrap();
    let page = Page::new(&study(&[record]));
    assert!(page.curves.is_empty() && page.accuracy.is_empty());
    let html = page.html().unwrap();
    assert!(!html.contains("<b>mine"), "texts are no markup");
    assert_eq!(html.matches("</script>").count(), 2);
}
