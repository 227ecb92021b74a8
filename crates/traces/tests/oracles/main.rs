//! The algorithms against oracles that share no code with them.
//!
//! Random graphs of every family in the list of generators and any sets of edges, often
//! disconnected; weights as the samplers draw them, and from small sets, so that ties are common.
//! An oracle is as naive as it can be: it scans all nodes where an algorithm keeps a queue, and
//! copies whole states where an algorithm notes changes.

#![expect(clippy::unwrap_used, reason = "helpers of tests may panic")]

mod bfs;
mod dfs;
mod dijkstra;
mod eccentricity;
mod every_algorithm;
mod mis;
mod mst;
mod naive_priority_first;
mod problems;
mod shown;
