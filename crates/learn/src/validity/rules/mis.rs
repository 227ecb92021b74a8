//! A maximal independent set: no two neighbours in it, and no node left that could join.
//!
//! Which set is free; the recorded one follows from the random values.

use super::{Instance, Judge, Rule, Violation};

pub(super) static RULE: Rule = Rule {
    algorithm: "mis",
    summary: "a set without neighbours that no node could join",
    judge: Judge::Mask(judge),
};

fn judge(instance: &Instance<'_>, in_set: &[bool]) -> Result<(), Violation> {
    let graph = instance.graph;
    for u in graph.nodes() {
        let mut neighbours_in_set =
            graph.neighbours(u).iter().copied().filter(|&v| in_set[v as usize]);
        match (in_set[u as usize], neighbours_in_set.next()) {
            (true, Some(v)) => return Err(Violation::Adjacent { u, v }),
            (false, None) => return Err(Violation::NotMaximal { node: u }),
            _ => {}
        }
    }
    Ok(())
}
