//! What is averaged and what is not.

use salsa_report::formats::markdown::markdown;
use salsa_report::study::{Origin, Study};
use salsa_report::tables::Kind;

use crate::fixture::{elsewhere, entries, entry, study};

#[test]
fn seeds_of_one_cell_are_one_experiment() {
    let study = study();
    let seeds = |place: usize| study.experiments[place].seeds().into_iter().collect::<Vec<_>>();
    assert!((0..study.experiments.len()).all(|place| seeds(place) == [42, 43]));
    assert!(study.experiments.iter().all(|one| one.label.is_empty()));
    assert!(study.notes.is_empty());
}

#[test]
fn other_settings_are_rows_of_their_own() {
    let mut entries = entries();
    for entry in entries.iter_mut().filter(|entry| entry.record.cell == "bfs-pgn-paper-43") {
        entry.record.run["model"]["hidden"] = 64.into();
        entry.record.run["training"]["epochs"] = 9.into();
    }
    let study = Study::new(entries).unwrap();
    let titles: Vec<String> = study
        .experiments
        .iter()
        .filter(|one| (one.algorithm.as_str(), one.model.as_str()) == ("bfs", "pgn"))
        .map(|one| one.title())
        .collect();
    assert_eq!(titles, ["pgn, hidden 32, epochs 4", "pgn, hidden 64, epochs 9", "pgn (H)"]);
}

#[test]
fn results_from_elsewhere_are_not_averaged_with_ours() {
    let mut entries = entries();
    entries.push(entry(elsewhere("pgn", 44, "node_accuracy", &[("er_16", 0.5)])));
    let study = Study::new(entries).unwrap();
    let found = study.experiments.iter().find(|one| one.origin == Origin::Elsewhere).unwrap();
    assert_eq!(found.title(), "pgn, from elsewhere");
    assert_eq!(found.measured("er_16", "node_accuracy").unwrap().summary.mean, 0.5);
}

#[test]
fn the_same_twice_counts_once_and_is_told() {
    let once = study();
    let mut twice = entries();
    twice.extend(entries().into_iter().filter(|entry| entry.record.cell == "bfs-pgn-paper-42"));
    let study = Study::new(twice).unwrap();
    assert_eq!(study.experiments, once.experiments);
    assert_eq!(
        study.notes,
        ["4 results are there twice with the same figures and counted once: bfs by pgn, seed 42, \
          on delaunay_80; bfs by pgn, seed 42, on er_16; bfs by pgn, seed 42, on er_80; and 1 more."]
    );
    let table = (Kind::named("main").unwrap().of)(&study);
    assert!(markdown(&table).contains("counted once"));
}

#[test]
fn figures_that_contradict_each_other_are_refused() {
    let one = elsewhere("mine", 1, "node_accuracy", &[("er_16", 0.5)]);
    let other = elsewhere("mine", 1, "node_accuracy", &[("er_16", 0.6)]);
    let told = Study::new(vec![entry(one), entry(other)]).unwrap_err().to_string();
    assert_eq!(
        told,
        "mine.jsonl:1 and mine.jsonl:1 both tell bfs by mine, seed 1, on er_16, with the same \
         settings but other figures; leave one out, or give the model another name"
    );
}

#[test]
fn a_seed_may_be_told_set_by_set() {
    let sets = ["er_16", "er_80", "ws_16"];
    let lines = sets.map(|set| entry(elsewhere("mine", 1, "node_accuracy", &[(set, 0.5)])));
    let study = Study::new(lines.to_vec()).unwrap();
    assert_eq!(study.experiments.len(), 1);
    assert_eq!(study.sets(), sets);
    assert_eq!(study.experiments[0].seeds().len(), 1);
}

#[test]
fn sets_stand_in_the_order_of_the_paper() {
    let figures = [("zoo", 0.1), ("delaunay_16", 0.1), ("er_1600", 0.1), ("er_160", 0.1)];
    let study = Study::new(vec![entry(elsewhere("mine", 1, "node_accuracy", &figures))]).unwrap();
    assert_eq!(study.sets(), ["er_160", "er_1600", "delaunay_16", "zoo"]);
}

#[test]
fn the_best_is_marked_where_there_is_something_to_compare() {
    let one = elsewhere("a", 1, "node_accuracy", &[("er_16", 0.99999), ("er_80", 0.2)]);
    let other = elsewhere("b", 1, "node_accuracy", &[("er_16", 1.0)]);
    let study = Study::new(vec![entry(one), entry(other)]).unwrap();
    let text = markdown(&(Kind::named("main").unwrap().of)(&study));
    // What looks the same is as good, and what is alone is not the best of anything.
    assert!(text.contains("| bfs | node acc. | a | **100.0** | 20.0 |"), "{text}");
    assert!(text.contains("| bfs | node acc. | b | **100.0** |  |"), "{text}");
}
