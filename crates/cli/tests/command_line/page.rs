//! `salsa report --format html` and `salsa serve`: what is in the page, and what is refused. How it
//! looks and works is tested in a browser (`crates/report/browser`).

use std::path::Path;

use serde_json::Value;

use crate::mistakes::mistake_at;
use crate::report::prepared;
use crate::salsa::{folder, printed, repository};

/// The data in a page.
fn data(file: &Path) -> Value {
    let html = std::fs::read_to_string(file).unwrap();
    assert!(html.starts_with("<!doctype html>"));
    let (_, rest) = html.split_once("id=\"data\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

fn lengths(data: &Value) -> [usize; 4] {
    ["tables", "accuracy", "curves", "episodes"].map(|name| data[name].as_array().unwrap().len())
}

#[test]
fn a_page_has_tables_plots_and_executions() {
    let at = prepared();
    let told = printed(at.path(), "report fixture --format html --samples 1");
    assert_eq!(told, "report.html\n");
    let page = data(&at.path().join("report.html"));
    let [tables, panels, curves, episodes] = lengths(&page);
    assert_eq!((tables, curves), (8, 16));
    assert!(panels > 0);
    // Three algorithms, one small sample and one larger of each; no checkpoints, so no answers.
    assert_eq!(episodes, 6);
    for episode in page["episodes"].as_array().unwrap() {
        let steps = episode["steps"].as_u64().unwrap();
        for hint in episode["hints"].as_array().unwrap() {
            assert_eq!(hint["changes"].as_array().unwrap().len() as u64 + 1, steps);
        }
        assert!(episode["answers"].as_array().unwrap().is_empty());
    }
}

#[test]
fn a_page_is_the_same_every_time() {
    let at = prepared();
    printed(at.path(), "report fixture --format html --out one.html");
    printed(at.path(), "report fixture --format html --out two.html");
    let read = |name| std::fs::read_to_string(at.path().join(name)).unwrap();
    assert_eq!(read("one.html"), read("two.html"));
}

#[test]
fn the_player_may_be_left_out_and_a_measurement_put_in() {
    let at = prepared();
    let measured = repository("results/2026-11-15-gpu/scaling.json");
    let measured = measured.display();
    let words = format!("report fixture --format html --no-player --scaling {measured} --out .");
    assert_eq!(printed(at.path(), &words), "./report.html\n");
    let page = data(&at.path().join("report.html"));
    assert_eq!(lengths(&page)[3], 0);
    let lines = page["scaling"].as_array().unwrap();
    assert!(lines.iter().any(|line| line["quoted"] == true));
    mistake_at(
        at.path(),
        "report fixture --format html --scaling nowhere.json",
        "nowhere.json: No such file or directory (os error 2)",
    );
}

#[test]
fn serving_others_needs_a_token_and_a_sweep() {
    let at = folder();
    std::fs::create_dir(at.path().join("empty")).unwrap();
    mistake_at(
        at.path(),
        "serve empty",
        "empty: there is no sweep.toml in it; salsa sweep run makes the folder of a sweep",
    );
    let sweep = at.path().join("sweep");
    std::fs::create_dir(&sweep).unwrap();
    let plan = "[[cells]]\nalgorithms = [\"bfs\"]\nmodels = [\"pgn\"]\n";
    std::fs::write(sweep.join("sweep.toml"), plan).unwrap();
    mistake_at(
        at.path(),
        "serve sweep --bind 0.0.0.0:0",
        "--bind: others can reach 0.0.0.0; give a --token that they have to know",
    );
    mistake_at(
        at.path(),
        "serve sweep --token short",
        "--token: expected at least 16 letters, digits, - or _, found 5 bytes",
    );
}
