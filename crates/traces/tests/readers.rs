//! Readers give back what was written, and never panic on what was not.
//!
//! Each format gets a small writer here, the plainest that the format allows. Random graphs go
//! through it and must come back equal; damaged copies of its texts, and texts of any kind, must
//! give a graph or an error with a line of the text.

#![expect(clippy::unwrap_used, reason = "a step that fails is a test that fails")]

use std::fmt::Write;
use std::fs;
use std::path::Path;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use salsa_traces::graph::Graph;
use salsa_traces::readers::{Format, ReadError, parse, read};

/// A graph of up to 12 nodes, weighted if it has edges and the coin says so.
fn graphs() -> impl Strategy<Value = Graph> {
    let ends = vec((0..12u32, 0..12u32), 0..30);
    let weights = vec(-1e6..1e6f64, 30);
    (1..12usize, ends, weights, any::<bool>()).prop_map(|(n_nodes, ends, weights, weighted)| {
        let inside = |&(u, v): &(u32, u32)| u < v && (v as usize) < n_nodes;
        let mut edges: Vec<(u32, u32)> = ends.into_iter().filter(inside).collect();
        edges.sort_unstable();
        edges.dedup();
        let graph = Graph::from_edges(n_nodes, &edges).unwrap();
        match weighted && !edges.is_empty() {
            true => graph.with_weights(&weights[..edges.len()]).unwrap(),
            false => graph,
        }
    })
}

/// Edges with the text of their weight, which is empty or begins with a blank.
fn edges(graph: &Graph) -> Vec<(u32, u32, String)> {
    let mut weights = graph.edge_weights();
    let mut weight = || match &mut weights {
        Some(weights) => format!(" {}", weights.next().unwrap()),
        None => String::new(),
    };
    graph.edges().map(|(u, v)| (u, v, weight())).collect()
}

fn write(format: Format, graph: &Graph) -> String {
    match format {
        Format::EdgeList => edge_list(graph),
        Format::Dimacs => dimacs(graph),
        Format::MatrixMarket => matrix_market(graph),
        Format::Metis => metis(graph),
        Format::GraphMl => graphml(graph),
    }
}

fn edge_list(graph: &Graph) -> String {
    let mut text = "# an edge list\n".to_owned();
    // Loops are dropped, but make every node known.
    let loop_weight = if graph.is_weighted() { " 1" } else { "" };
    for u in graph.nodes() {
        writeln!(text, "{u} {u}{loop_weight}").unwrap();
    }
    for (u, v, weight) in edges(graph) {
        writeln!(text, "{u} {v}{weight}").unwrap();
    }
    text
}

fn dimacs(graph: &Graph) -> String {
    let (problem, kind) = if graph.is_weighted() { ("sp", "a") } else { ("edge", "e") };
    let mut text = format!("p {problem} {} {}\n", graph.n_nodes(), 2 * graph.n_edges());
    for (u, v, weight) in edges(graph) {
        writeln!(text, "{kind} {} {}{weight}", u + 1, v + 1).unwrap();
        writeln!(text, "{kind} {} {}{weight}", v + 1, u + 1).unwrap();
    }
    text
}

fn matrix_market(graph: &Graph) -> String {
    let (n_nodes, n_edges) = (graph.n_nodes(), graph.n_edges());
    let field = if graph.is_weighted() { "real" } else { "pattern" };
    let mut text = format!("%%MatrixMarket matrix coordinate {field} symmetric\n");
    writeln!(text, "{n_nodes} {n_nodes} {n_edges}").unwrap();
    for (u, v, weight) in edges(graph) {
        writeln!(text, "{} {}{weight}", v + 1, u + 1).unwrap();
    }
    text
}

fn metis(graph: &Graph) -> String {
    let format = if graph.is_weighted() { "1" } else { "0" };
    let mut text = format!("{} {} {format}\n", graph.n_nodes(), graph.n_edges());
    for u in graph.nodes() {
        for (v, weight) in graph.weighted_neighbours(u) {
            let weight = if graph.is_weighted() { format!("{weight} ") } else { String::new() };
            write!(text, "{} {weight}", v + 1).unwrap();
        }
        text.push('\n');
    }
    text
}

fn graphml(graph: &Graph) -> String {
    let mut text = "<graphml><key id=\"w\" for=\"edge\" attr.name=\"weight\"/>\n".to_owned();
    text += "<key id=\"x\" attr.name=\"x\"/><key id=\"y\" attr.name=\"y\"/>\n<graph>\n";
    for u in graph.nodes() {
        let position = graph.positions().map_or(String::new(), |positions| {
            let [x, y] = positions[u as usize];
            format!("<data key=\"x\">{x}</data><data key=\"y\">{y}</data>")
        });
        writeln!(text, "<node id=\"n{u}\">{position}</node>").unwrap();
    }
    for (u, v, weight) in edges(graph) {
        let data = match weight.is_empty() {
            true => weight,
            false => format!("<data key=\"w\">{weight}</data>"),
        };
        writeln!(text, "<edge source=\"n{v}\" target=\"n{u}\">{data}</edge>").unwrap();
    }
    text + "</graph></graphml>\n"
}

/// Whatever the text is: a graph, or an error at one of its lines or at its end.
fn gives_a_graph_or_a_line(format: Format, text: &str) {
    if let Err(error) = parse(format, text) {
        let line = error.line().expect("a malformed text has a line");
        assert!((1..=text.lines().count() + 1).contains(&line), "{format}: {error}");
        assert_eq!(error.to_string().lines().count(), 1, "{format}: {error}");
    }
}

/// One way to damage a file.
#[derive(Debug, Clone)]
enum Damage {
    FlipByte(Index, u8),
    Truncate(Index),
    RepeatLine(Index),
    RemoveLine(Index),
    InsertText(Index, &'static str),
}

fn damages() -> impl Strategy<Value = Damage> {
    let pieces = vec![" ", "\n", ",", "0", "-1", "nan", "99999999999", "1e999", "%", "\"", "<a>"];
    prop_oneof![
        (any::<Index>(), any::<u8>()).prop_map(|(at, bits)| Damage::FlipByte(at, bits)),
        any::<Index>().prop_map(Damage::Truncate),
        any::<Index>().prop_map(Damage::RepeatLine),
        any::<Index>().prop_map(Damage::RemoveLine),
        (any::<Index>(), select(pieces)).prop_map(|(at, piece)| Damage::InsertText(at, piece)),
    ]
}

fn damaged(text: &str, damage: &Damage) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    match damage {
        _ if text.is_empty() => return String::new(),
        Damage::FlipByte(at, bits) => bytes[at.index(text.len())] ^= bits,
        Damage::Truncate(at) => bytes.truncate(at.index(text.len())),
        Damage::InsertText(at, piece) => {
            let at = at.index(text.len());
            bytes.splice(at..at, piece.bytes());
        }
        Damage::RepeatLine(at) => {
            let at = at.index(lines.len());
            lines.insert(at, lines[at]);
            return lines.concat();
        }
        Damage::RemoveLine(at) => {
            lines.remove(at.index(lines.len()));
            return lines.concat();
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

proptest! {
    #[test]
    fn a_written_graph_is_read_back(graph in graphs()) {
        for format in Format::ALL {
            let text = write(format, &graph);
            prop_assert_eq!(parse(format, &text), Ok(graph.clone()), "{}:\n{}", format, text);
        }
    }

    #[test]
    fn positions_are_read_back(graph in graphs(), places in vec(any::<(i32, f32)>(), 12)) {
        let place = |&(x, y): &(i32, f32)| [f64::from(x), if y.is_finite() { y.into() } else { 0.0 }];
        let positions = places.iter().map(place).take(graph.n_nodes()).collect();
        let graph = graph.with_positions(positions).unwrap();
        prop_assert_eq!(parse(Format::GraphMl, &graphml(&graph)), Ok(graph));
    }

    #[test]
    fn a_damaged_file_gives_a_graph_or_a_line(graph in graphs(), damages in vec(damages(), 1..4)) {
        for format in Format::ALL {
            let text = damages.iter().fold(write(format, &graph), |text, d| damaged(&text, d));
            gives_a_graph_or_a_line(format, &text);
        }
    }

    #[test]
    fn any_text_gives_a_graph_or_a_line(text in any::<String>(), lines in "([0-9 ap%#,.<>\n-]|edge|sp){0,80}") {
        for format in Format::ALL {
            gives_a_graph_or_a_line(format, &text);
            gives_a_graph_or_a_line(format, &lines);
        }
    }
}

#[test]
fn every_reader_has_a_format() {
    let shared = ["declared", "error", "fields", "mod", "labels", "undirected"];
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/readers");
    let mut files: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .filter_map(|file| {
            let name = file.unwrap().file_name().into_string().unwrap();
            Some(name.strip_suffix(".rs")?.replace('_', "-"))
        })
        .filter(|name| !shared.contains(&&**name))
        .collect();
    let mut names = Format::ALL.map(Format::name);
    files.sort_unstable();
    names.sort_unstable();
    assert_eq!(files, names);
}

/// What reading a file called `name` with this content gives, its folder left out of the message.
fn read_file(name: &str, content: &[u8], format: Option<Format>) -> Result<Graph, String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    fs::write(folder.join(name), content).unwrap();
    let shortened =
        |error: ReadError| error.to_string().replace(&format!("{}/", folder.display()), "");
    read(&folder.join(name), format).map_err(shortened)
}

#[test]
fn a_file_is_read_by_its_extension_or_the_format_given() {
    let edge = Graph::from_edges(2, &[(0, 1)]).unwrap();
    assert_eq!(read_file("edge.CSV", b"0,1\n", None), Ok(edge.clone()));
    assert_eq!(read_file("edge.data", b"0,1\n", Some(Format::EdgeList)), Ok(edge));
    assert_eq!(
        read_file("edge.data", b"0,1\n", None).unwrap_err(),
        "edge.data: unknown extension, expected one of .txt .edges .el .csv .tsv (edge-list), \
         .gr .col .dimacs (dimacs), .mtx (matrix-market), .graph .metis (metis), \
         .graphml .xml (graphml); or name the format"
    );
}

#[test]
fn an_error_in_a_file_has_its_name_and_line() {
    assert_eq!(
        read_file("roads.gr", b"p sp 2 1\na 1 2\n", None).unwrap_err(),
        "roads.gr:2: expected 4 fields in an arc line, found 3"
    );
    assert_eq!(
        read_file("latin.txt", b"0 1\n1 2\n# caf\xe9\n", None).unwrap_err(),
        "latin.txt:3: expected UTF-8 text, found other bytes"
    );
    assert_eq!(read_file("empty.mtx", b"", None).unwrap_err(), "empty.mtx:1: the file is empty");
}

#[test]
fn a_missing_file_is_named() {
    let error = read("no/such/roads.gr".as_ref(), None).unwrap_err();
    assert!(error.to_string().starts_with("no/such/roads.gr: "), "{error}");
    assert_eq!(error.line(), None);
}
