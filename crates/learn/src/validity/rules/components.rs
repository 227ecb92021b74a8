//! Labels, after rounding, that are equal for two nodes if and only if a path joins them.
//!
//! What is asked for is which nodes belong together. The recorded labels are the lowest nodes of
//! the components; that is a choice of names, and other names are correct too. On a connected
//! graph any one label for all is therefore correct, so validity says little there.

use salsa_traces::graph::Components;

use super::{Instance, Judge, Rule, Violation};

pub(super) static RULE: Rule = Rule {
    algorithm: "components",
    summary: "labels that round to the same number exactly where a path joins the nodes",
    judge: Judge::Scalars(judge),
};

fn judge(instance: &Instance<'_>, labels: &[f64]) -> Result<(), Violation> {
    let graph = instance.graph;
    if let Some((node, &label)) = (0..).zip(labels).find(|(_, label)| !label.is_finite()) {
        return Err(Violation::NoLabel { node, label });
    }
    let name = |node: u32| labels[node as usize].round_ties_even() + 0.0;
    let mut components = Components::new(graph.n_nodes());
    for (u, v) in graph.edges() {
        let (label_u, label_v) = (labels[u as usize], labels[v as usize]);
        if name(u) != name(v) {
            return Err(Violation::LabelsDiffer { u, v, label_u, label_v });
        }
        components.join(u, v);
    }
    // One node for each component, its lowest; equal names come to stand side by side.
    let mut lowest: Vec<u32> =
        graph.nodes().filter(|&node| components.find(node) == node).collect();
    lowest.sort_by(|&u, &v| name(u).total_cmp(&name(v)));
    match lowest.windows(2).find(|pair| name(pair[0]) == name(pair[1])) {
        Some(pair) => Err(Violation::LabelShared { u: pair[0], v: pair[1], label: name(pair[0]) }),
        None => Ok(()),
    }
}
