//! A tree of shortest paths, as for Dijkstra's algorithm: the two differ in how they find it.

use super::{Judge, Rule, dijkstra};

pub(super) static RULE: Rule = Rule {
    algorithm: "bellman_ford",
    summary: "a tree in which every path to the source is a shortest one",
    judge: Judge::Pointers(dijkstra::judge),
};
