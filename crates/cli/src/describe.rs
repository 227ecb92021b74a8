//! Features in words: numbers as `index=value`, pointers as `node->node`, masks as what is on.
//!
//! Text is made only for what is shown, and an edge is found by bisection, so that a line about a
//! million values costs little more than one about ten.

use salsa_traces::graph::Graph;
use salsa_traces::spec::{Field, Kind, Location};
use salsa_traces::trajectory::{Hint, Values};

/// `node pointer`, `edge mask`, ...
pub fn kind(field: &Field) -> String {
    format!("{} {}", field.location, field.kind)
}

/// What changes in a hint at `step`, or `None` if nothing does.
///
/// Before step 0 no mask is on, every node points to itself and every number is 0.
pub fn changes(graph: &Graph, field: &Field, hint: Hint<'_>, step: usize) -> Option<String> {
    let changes = match step {
        0 => {
            let rests = |&(at, value): &(u32, f64)| match field.kind {
                Kind::MaskOne => false,
                Kind::Pointer => value == f64::from(at),
                _ => value == 0.0,
            };
            let first = numbers(&hint.at(0));
            first.into_iter().filter(|change| !rests(change)).collect()
        }
        _ => hint.changes_at(step),
    };
    let text = |(at, value)| match field.kind {
        Kind::Mask if field.location != Location::Graph => {
            format!("{}{}", if value == 1.0 { '+' } else { '-' }, place(graph, field, at))
        }
        _ => one_value(graph, field, at, value),
    };
    (!changes.is_empty()).then(|| listed(&changes, |&change| text(change)))
}

/// All values of a feature; of a mask the places where it is on.
pub fn values(graph: &Graph, field: &Field, values: &Values) -> String {
    let mut all = numbers(values);
    match field.kind {
        Kind::Mask if field.location != Location::Graph => {
            all.retain(|(_, value)| *value == 1.0);
            listed(&all, |&(at, _)| place(graph, field, at))
        }
        _ => listed(&all, |&(at, value)| one_value(graph, field, at, value)),
    }
}

/// Some of `items` as text, and how many there are if that is not all; `none` if there are none.
pub fn listed<T>(items: &[T], text: impl Fn(&T) -> String) -> String {
    const SHOWN: usize = 24;
    let shown: Vec<String> = items.iter().take(SHOWN).map(text).collect();
    match items.len() {
        0 => "none".to_owned(),
        len if len > SHOWN => format!("{} ... {len} in all", shown.join(" ")),
        _ => shown.join(" "),
    }
}

/// The values with their indices, pointers and marked nodes as node numbers, masks as 0 or 1.
fn numbers(values: &Values) -> Vec<(u32, f64)> {
    fn numbered<T: Copy>(values: &[T], number: impl Fn(T) -> f64) -> Vec<(u32, f64)> {
        (0..).zip(values.iter().copied().map(number)).collect()
    }
    match values {
        Values::MaskOne(node) => vec![(0, f64::from(*node))],
        Values::Mask(values) => numbered(values, |on| f64::from(u8::from(on))),
        Values::Categorical(values) => numbered(values, f64::from),
        Values::Scalar(values) => numbered(values, |value| value),
        Values::Pointer(values) => numbered(values, f64::from),
    }
}

fn one_value(graph: &Graph, field: &Field, at: u32, value: f64) -> String {
    match (field.kind, field.location) {
        (Kind::MaskOne, _) => format!("node {value}"),
        (_, Location::Graph) => number(value),
        (Kind::Pointer, _) => format!("{at}->{value}"),
        _ => format!("{}={}", place(graph, field, at), number(value)),
    }
}

/// A node's number, or the two ends of an entry.
fn place(graph: &Graph, field: &Field, at: u32) -> String {
    match field.location {
        Location::Edge => {
            let (source, target) = ends(graph, at as usize);
            format!("({source},{target})")
        }
        Location::Node | Location::Graph => at.to_string(),
    }
}

/// The source and the target of an entry.
fn ends(graph: &Graph, entry: usize) -> (u32, u32) {
    // The entries of `u` start behind the arcs and the self-loops of all nodes before it.
    let start = |u: u32| graph.arcs(u).start + u as usize;
    let (mut source, mut after) = (0, graph.n_nodes() as u32);
    while after - source > 1 {
        let middle = source + (after - source) / 2;
        *(if start(middle) <= entry { &mut source } else { &mut after }) = middle;
    }
    if graph.loop_entry(source) == entry {
        return (source, source);
    }
    let is_behind_loop = usize::from(entry > graph.loop_entry(source));
    let neighbour = entry - start(source) - is_behind_loop;
    (source, graph.neighbours(source)[neighbour])
}

/// At most four decimals, without idle zeros.
fn number(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_every_entry_are_found() {
        // 0 - 2 - 3   1 (alone), 4 - 2
        let graph = Graph::from_edges(5, &[(0, 2), (2, 3), (2, 4)]).unwrap();
        let found: Vec<(u32, u32)> = (0..graph.n_entries()).map(|at| ends(&graph, at)).collect();
        assert_eq!(found, graph.entries().collect::<Vec<_>>());
    }

    #[test]
    fn long_lists_are_cut_and_counted() {
        assert_eq!(listed(&[] as &[u8], u8::to_string), "none");
        assert_eq!(listed(&[1, 2], u8::to_string), "1 2");
        assert!(listed(&[7; 30], u8::to_string).ends_with("7 7 ... 30 in all"));
    }
}
