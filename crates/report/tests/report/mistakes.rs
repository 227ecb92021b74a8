//! What is wrong with files, by file and line.

use insta::assert_snapshot;
use salsa_report::read::read;

/// What is said of a file's text.
fn told(name: &str, text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    std::fs::write(&file, text).unwrap();
    let told = read(&file).unwrap_err().to_string();
    told.replace(&format!("{}/", folder.path().display()), "")
}

const HEADER: &str = "algorithm,model,seed,split,metric,value,graphs,hints,convention\n";

#[test]
fn in_csv() {
    let lines = [
        "bfs,mine,1,er_16,node_accuracy,98.5,,,",
        "bfs,mine,1,er_16,node_acc,0.9,,,",
        "bfs,mine,one,er_16,node_accuracy,0.9,,,",
        "bfs,mine,1,er_16,node_accuracy,good,,,",
        "bfs,,1,er_16,node_accuracy,0.9,,,",
        "bfs,mine,1,er_16,node_accuracy",
        "bfs,mine,1,er_16,node_accuracy,0.9,some,,",
        "bfs,mine,1,er_16,node_accuracy,0.9,,maybe,",
        "bfs,mine,1,er_16,node_accuracy,0.9,,,mine",
        "bfs,mine,1,er_16,squared_error,-1,,,",
        "bfs,mine,1,er_16,valid,0.5,,,\nbfs,mine,1,er_16,valid,0.5,,,",
        "bfs,mine,1,er_16,valid,0.5,10,,\nbfs,mine,1,er_16,node_accuracy,0.5,20,,",
    ];
    let mut all: Vec<String> =
        lines.iter().map(|line| told("mine.csv", &format!("{HEADER}{line}\n"))).collect();
    all.push(told("mine.csv", "algorithm,model,seed,split,metric\n"));
    all.push(told("mine.csv", &HEADER.replace("graphs", "graph")));
    all.push(told("mine.csv", HEADER));
    all.push(told("mine.csv", ""));
    assert_snapshot!(all.join("\n"));
}

#[test]
fn in_json_lines() {
    let line = |metrics: &str| {
        format!(
            r#"{{"schema":1,"algorithm":"bfs","model":"m","seed":1,"evaluation":[{{"split":"er_16","graphs":10,"metrics":{metrics}}}]}}"#
        )
    };
    let good = line(r#"{"node_accuracy":{"count":10,"mean":0.5}}"#);
    let percent = line(r#"{"node_accuracy":{"count":10,"mean":50}}"#);
    let unknown = line(r#"{"accuracy":{"count":10,"mean":0.5}}"#);
    let twice = {
        let mut record: serde_json::Value = serde_json::from_str(&good).unwrap();
        let set = record["evaluation"][0].clone();
        record["evaluation"].as_array_mut().unwrap().push(set);
        record.to_string()
    };
    let all = [
        told("mine.jsonl", &format!("{good}\n{percent}\n")),
        told("mine.jsonl", &format!("{good}\n\n{unknown}\n")),
        told("mine.jsonl", &twice),
        told("mine.jsonl", "{\"schema\":1}\n"),
        told("mine.jsonl", "bfs, mine\n"),
        told("mine.jsonl", ""),
    ];
    assert_snapshot!(all.join("\n"));
}

#[test]
fn csv_says_the_same_as_json_lines() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.csv");
    // A published name of the algorithm, columns in another order, and only those needed.
    let text = "model,algorithm,seed,split,value,metric\n\
                \"mine, really\",fast_mis,1,er_16,0.5,node_f1\n\
                \"mine, really\",fast_mis,1,er_16,0.75,valid\n\
                \"mine, really\",fast_mis,2,er_16,nan,node_f1\n";
    std::fs::write(&file, text).unwrap();
    let entries = read(&file).unwrap();
    let first = &entries[0].record;
    assert_eq!((first.algorithm.as_str(), first.model.as_str()), ("mis", "mine, really"));
    assert_eq!(first.mean("er_16", "node_f1"), Some(0.5));
    assert_eq!(first.mean("er_16", "valid"), Some(0.75));
    assert!(entries[1].record.mean("er_16", "node_f1").unwrap().is_nan());
}
