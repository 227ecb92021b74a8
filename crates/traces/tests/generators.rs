//! What every family of graphs promises, checked for each member of the list.
//!
//! A new family is covered by its line in `ALL`, and by one pinned hash: what a seed gives is part
//! of the data format.

#![expect(clippy::unwrap_used, reason = "a step that fails is a test that fails")]

use std::collections::BTreeSet;

use salsa_traces::generators::{ALL, Family, find};
use salsa_traces::graph::{Graph, is_connected};
use salsa_traces::parameters::Parameters;
use salsa_traces::random;

const SIZES: [usize; 4] = [9, 16, 33, 100];

/// Families that draw nothing.
const REGULAR: [&str; 5] = ["grid", "path", "complete", "star", "cycle"];

fn graph(family: &Family, parameters: &[&str], n_nodes: usize, stream: u64) -> Graph {
    let given = Parameters::parse(parameters.iter().copied()).unwrap();
    let generator = family.with(given).unwrap();
    generator.check(n_nodes).unwrap();
    generator.generate(n_nodes, &mut random::stream([0; 32], stream)).unwrap()
}

fn for_every_graph(test: impl Fn(&str, &Graph, usize)) {
    for family in ALL {
        for n_nodes in SIZES {
            (0..5).for_each(|stream| {
                test(family.name, &graph(family, &[], n_nodes, stream), n_nodes);
            });
        }
    }
}

/// A short hash of the edges and the places of the nodes.
fn hash(graph: &Graph) -> String {
    let mut hasher = blake3::Hasher::new();
    for (u, v) in graph.edges() {
        hasher.update(&u.to_le_bytes()).update(&v.to_le_bytes());
    }
    for coordinate in graph.positions().unwrap_or_default().as_flattened() {
        hasher.update(&coordinate.to_le_bytes());
    }
    hasher.finalize().to_hex()[..16].to_owned()
}

#[test]
fn graphs_have_the_size_asked_for() {
    for_every_graph(|name, graph, n_nodes| {
        assert_eq!(graph.n_nodes(), n_nodes, "{name}");
        assert!(graph.positions().is_none_or(|positions| positions.len() == n_nodes), "{name}");
    });
}

#[test]
fn graphs_are_symmetric_and_without_loops() {
    for_every_graph(|name, graph, _| {
        for u in graph.nodes() {
            for &v in graph.neighbours(u) {
                assert!(u != v && graph.has_edge(v, u), "{name}: ({u}, {v})");
            }
        }
    });
}

#[test]
fn graphs_are_connected() {
    for_every_graph(|name, graph, n_nodes| {
        assert!(is_connected(n_nodes, graph.edges()), "{name}, {n_nodes} nodes");
    });
}

#[test]
fn the_smallest_graph_a_family_allows_is_connected() {
    for family in ALL {
        let generator = family.with(Parameters::default()).unwrap();
        let smallest = (2..).find(|&n_nodes| generator.check(n_nodes).is_ok()).unwrap();
        let graph = graph(family, &[], smallest, 0);
        assert!(is_connected(smallest, graph.edges()), "{}, {smallest} nodes", family.name);
    }
}

#[test]
fn a_stream_gives_one_graph_and_another_stream_another() {
    for family in ALL {
        let [first, again, other] = [0, 0, 1].map(|stream| graph(family, &[], 100, stream));
        assert_eq!(first, again, "{}", family.name);
        assert_eq!(first == other, REGULAR.contains(&family.name), "{}", family.name);
    }
}

#[test]
fn documented_defaults_are_the_defaults() {
    for family in ALL {
        let defaults: Vec<String> = (family.parameters.iter())
            .filter(|parameter| !["", "n"].contains(&parameter.default))
            .map(|parameter| format!("{}={}", parameter.name, parameter.default))
            .collect();
        let defaults: Vec<&str> = defaults.iter().map(String::as_str).collect();
        assert_eq!(graph(family, &defaults, 33, 0), graph(family, &[], 33, 0), "{}", family.name);
    }
}

#[test]
fn values_of_a_stream_are_stable() {
    let expected = [
        ("er", "d4a4f018195cc7c4"),
        ("ws", "5e653894cd3b2693"),
        ("delaunay", "bb87f2fcd5053390"),
        ("grid", "c99a52aa004281bd"),
        ("path", "172733ef8e6e18aa"),
        ("tree", "dde4f5585669c753"),
        ("complete", "09b7d0f8c9162400"),
        ("star", "47c3eecd0b02450c"),
        ("cycle", "a904c8ee53268360"),
        ("barabasi_albert", "f4f67bfc177f5875"),
        ("geometric", "50ae29173d9c3132"),
        ("sbm", "d1721c41477862bf"),
        ("rmat", "3a8ce563237fb0d8"),
    ];
    let found: Vec<(&str, String)> =
        ALL.iter().map(|family| (family.name, hash(&graph(family, &[], 33, 0)))).collect();
    let found: Vec<(&str, &str)> = found.iter().map(|(name, hash)| (*name, &**hash)).collect();
    assert_eq!(found, expected);
}

#[test]
fn every_file_of_the_folder_is_a_family_of_the_list() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/generators");
    let files: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .filter_map(|file| file.strip_suffix(".rs").map(str::to_owned))
        .filter(|module| module != "mod")
        .collect();
    // A module is called as its family or as an alias of it.
    let families: BTreeSet<&str> = files.iter().map(|module| find(module).unwrap().name).collect();
    assert_eq!(families, ALL.iter().map(|family| family.name).collect());
    assert_eq!(files.len(), ALL.len());
}

#[test]
fn every_name_and_alias_finds_its_family() {
    for family in ALL {
        for name in family.names() {
            assert_eq!(find(name).unwrap().name, family.name);
        }
    }
}

/// The message about `parameters` of a family for `n_nodes` nodes.
fn complaint(family: &str, parameters: &[&str], n_nodes: usize) -> String {
    let given = Parameters::parse(parameters.iter().copied()).unwrap();
    match find(family).unwrap().with(given) {
        Ok(generator) => generator.check(n_nodes).unwrap_err().to_string(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn bad_parameters_are_told_with_what_was_expected() {
    for (family, parameter, n_nodes, message) in [
        ("ws", "k=16", 16, "k: expected less than the 16 nodes of the ring, found 16"),
        ("ws", "k=4,5", 16, "k: expected even numbers of at least 2, like 4,6,8, found 4,5"),
        ("ws", "k=4..8", 16, "k: expected even numbers of at least 2, like 4,6,8, found 4..8"),
        ("ws", "k=0", 16, "k: expected even numbers of at least 2, like 4,6,8, found 0"),
        ("ws", "p=1.5", 16, "p: expected from 0 to 1, found 1.5"),
        ("ba", "m=0", 16, "m: expected at least 1, found 0"),
        ("ba", "m=16", 16, "m: expected less than the 16 nodes, found 16"),
        ("sbm", "blocks=0", 16, "blocks: expected at least 1, found 0"),
        ("sbm", "blocks=17", 16, "blocks: expected at most the 16 nodes, found 17"),
        ("sbm", "b=0", 16, "b: no edge leads out of a block, expected more than 0"),
        ("rmat", "a=0.7", 16, "a: expected a + b + c of at most 1, found 1.080"),
        ("cycle", "k=2", 16, "k: unknown parameter, there are none"),
    ] {
        assert_eq!(complaint(family, &[parameter], n_nodes), message);
    }
}

#[test]
fn parameters_that_exclude_each_other_are_refused() {
    let message = "r: give either r or c, not both";
    assert_eq!(complaint("geometric", &["r=0.1", "c=2"], 16), message);
    let message = "p_in: give either p_in or a, not both";
    assert_eq!(complaint("sbm", &["p_in=0.1", "a=2"], 16), message);
}

#[test]
fn an_unknown_parameter_suggests_the_nearest() {
    let message = "edgefactor: unknown parameter, there is a, b, c, edge_factor, \
                   did you mean \"edge_factor\"?";
    assert_eq!(complaint("rmat", &["edgefactor=4"], 16), message);
}

#[test]
fn parameters_that_can_never_connect_are_refused() {
    let message = "r: a radius of 1.000e-3 cannot connect 100 nodes, \
                   raise it above sqrt(ln(n) / (pi n)) = 1.211e-1";
    assert_eq!(complaint("geometric", &["r=0.001"], 100), message);
    let message = "a: edge probabilities of 4.605e-3 inside and 4.605e-3 across blocks cannot \
                   connect 100 nodes, raise either";
    assert_eq!(complaint("sbm", &["a=0.1", "b=0.1"], 100), message);
}

#[test]
fn a_family_that_stays_disconnected_gives_up() {
    let generator = find("geometric").unwrap();
    let generator = generator.with(Parameters::parse(["r=0.01"]).unwrap()).unwrap();
    let error = generator.generate(9, &mut random::stream([0; 32], 0)).unwrap_err();
    let message = "no connected graph of 9 nodes in 1000 tries with r = 0.010000; raise r or c";
    assert_eq!(error.to_string(), message);
}
