//! A breadth-first tree: every node points to a neighbour one level closer to the source.
//!
//! Which of them is free; the recorded tree takes the lowest. The source and what it does not
//! reach point to themselves.

use super::{Instance, Judge, Rule, Violation};
use crate::validity::forest::Forest;

pub(super) static RULE: Rule = Rule {
    algorithm: "bfs",
    summary: "a tree in which every node points to any neighbour one level closer to the source",
    judge: Judge::Pointers(judge),
};

fn judge(instance: &Instance<'_>, pi: &[u32]) -> Result<(), Violation> {
    let (_, hops) = Forest::from_source(instance, pi)?;
    for ((node, &parent), level) in (0..).zip(pi).zip(&hops) {
        if let (&Some(level @ 1..), Some(parent_level)) = (level, hops[parent as usize])
            && parent_level + 1 != level
        {
            return Err(Violation::WrongLevel { node, level, parent, parent_level });
        }
    }
    Ok(())
}
