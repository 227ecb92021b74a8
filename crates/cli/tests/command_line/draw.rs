//! Pictures: valid, complete, the same for the same arguments.

use insta::assert_snapshot;

use crate::salsa::{folder, names, printed};

#[test]
fn a_small_picture() {
    let at = folder();
    let words = "draw -a bfs --generator path --nodes 3 --width 300 --out path.svg";
    assert_eq!(printed(at.path(), words), "path.svg\n");
    assert_snapshot!(std::fs::read_to_string(at.path().join("path.svg")).unwrap());
}

#[test]
fn every_algorithm_as_picture_strip_and_animation() {
    let at = folder();
    let all = ["bfs", "dfs", "dijkstra", "mst", "mis", "eccentricity"];
    for algorithm in all {
        for show in ["output", "strip", "animation"] {
            let words =
                format!("draw -a {algorithm} --split er_16 --show {show} --out {show}.svg --dark");
            printed(at.path(), &words);
            let svg = std::fs::read_to_string(at.path().join(format!("{show}.svg"))).unwrap();
            let document = roxmltree::Document::parse(&svg).unwrap();
            let circles = document.descendants().filter(|node| node.has_tag_name("circle"));
            assert!(circles.count() >= 16, "{algorithm} {show}");
        }
    }
    assert_eq!(names(at.path()), ["animation.svg", "output.svg", "strip.svg"]);
}

#[test]
fn pixels_are_as_wide_as_asked_for() {
    let at = folder();
    printed(at.path(), "draw -a mis --generator cycle --nodes 5 --width 200 -o deep/er/a.png");
    let png = std::fs::read(at.path().join("deep/er/a.png")).unwrap();
    assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"));
    // Two pixels a unit, for sharp text on dense screens.
    assert_eq!(u32::from_be_bytes(png[16..20].try_into().unwrap()), 400);
}

#[test]
fn others_may_read_what_is_written() {
    use std::os::unix::fs::PermissionsExt;
    let at = folder();
    printed(at.path(), "draw -a mis --generator cycle --nodes 5 --out a.svg");
    std::fs::write(at.path().join("plain"), "").unwrap();
    let mode = |name| at.path().join(name).metadata().unwrap().permissions().mode();
    assert_eq!(mode("a.svg"), mode("plain"));
}
