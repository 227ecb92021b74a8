//! Pointers read as a forest: who stands above whom.
//!
//! A node that points to itself is a root. Taking away leaf after leaf either reaches every node,
//! and then the reverse of that order goes from the roots down, or leaves the nodes of cycles.
//! Everything here is O(nodes), and iterative: a path of a million nodes needs no deep stack.

use super::distances::hops;
use super::{Instance, Violation};

/// Pointers without a cycle.
#[derive(Debug)]
pub(super) struct Forest<'a> {
    parents: &'a [u32],
    /// Every node after its parent.
    top_down: Vec<u32>,
}

/// Where nodes stand in a walk through the forest that goes down before it goes on.
#[derive(Debug)]
pub(super) struct Ancestry {
    /// The place of a node in the walk.
    place: Vec<u32>,
    /// How many nodes stand below a node, itself included: they follow it in the walk.
    size: Vec<u32>,
    /// The root above a node.
    root: Vec<u32>,
}

impl<'a> Forest<'a> {
    /// Reads pointers to nodes of the graph.
    pub(super) fn new(parents: &'a [u32]) -> Result<Self, Violation> {
        let edges = || (0u32..).zip(parents).filter(|&(node, &parent)| node != parent);
        let mut children = vec![0u32; parents.len()];
        edges().for_each(|(_, &parent)| children[parent as usize] += 1);
        let is_leaf = |&node: &u32| children[node as usize] == 0;
        let mut order: Vec<u32> = (0..parents.len() as u32).filter(is_leaf).collect();
        let mut next = 0;
        while let Some(&node) = order.get(next) {
            next += 1;
            let parent = parents[node as usize];
            if parent != node {
                children[parent as usize] -= 1;
                if children[parent as usize] == 0 {
                    order.push(parent);
                }
            }
        }
        if let Some(node) = (0u32..).zip(&children).find(|(_, left)| **left > 0) {
            return Err(cycle(parents, node.0));
        }
        order.reverse();
        Ok(Self { parents, top_down: order })
    }

    /// Reads pointers that must form one tree over all that the source reaches, and be self
    /// pointers elsewhere; with the tree come the hops from the source.
    pub(super) fn from_source(
        instance: &Instance<'_>,
        parents: &'a [u32],
    ) -> Result<(Self, Vec<Option<u32>>), Violation> {
        let source = instance.source()?;
        let hops = hops(instance.graph, source);
        for (node, (&target, hops)) in (0u32..).zip(parents.iter().zip(&hops)) {
            match (hops, target == node) {
                (Some(0), false) => return Err(Violation::SourcePointsAway { node, target }),
                (Some(1..), true) => return Err(Violation::NoParent { node }),
                (None, false) => return Err(Violation::UnreachableHasParent { node, target }),
                _ => {}
            }
        }
        Ok((Self::new(parents)?, hops))
    }

    /// Every node that has a parent, after its parent, with it.
    pub(super) fn tree_edges(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let edge = |&node: &u32| (node, self.parents[node as usize]);
        self.top_down.iter().map(edge).filter(|(node, parent)| node != parent)
    }

    /// The tree edges, as (node, parent), on the path between two nodes of one tree.
    pub(super) fn path(&self, u: u32, v: u32) -> Vec<(u32, u32)> {
        let mut depths = vec![0u32; self.parents.len()];
        for (node, parent) in self.tree_edges() {
            depths[node as usize] = depths[parent as usize] + 1;
        }
        let (mut low, mut high) = (u, v);
        let mut path = Vec::new();
        while low != high {
            if depths[low as usize] < depths[high as usize] {
                std::mem::swap(&mut low, &mut high);
            }
            let parent = self.parents[low as usize];
            path.push((low, parent));
            low = parent;
        }
        path
    }

    /// Who stands above whom.
    pub(super) fn ancestry(&self) -> Ancestry {
        let mut size = vec![1u32; self.parents.len()];
        for &node in self.top_down.iter().rev() {
            let parent = self.parents[node as usize];
            if parent != node {
                size[parent as usize] += size[node as usize];
            }
        }
        let mut place = vec![0; self.parents.len()];
        let mut root = self.parents.to_vec();
        // Where the next child of each node goes, and the next root.
        let mut free = vec![0; self.parents.len()];
        let mut free_for_root = 0;
        for &node in &self.top_down {
            let parent = self.parents[node as usize];
            let next = if parent == node { &mut free_for_root } else { &mut free[parent as usize] };
            place[node as usize] = *next;
            *next += size[node as usize];
            free[node as usize] = place[node as usize] + 1;
            root[node as usize] = root[parent as usize];
        }
        Ancestry { place, size, root }
    }
}

impl Ancestry {
    /// Whether `u` is `v` or stands above it.
    pub(super) fn is_above(&self, u: u32, v: u32) -> bool {
        let (first, place) = (self.place[u as usize], self.place[v as usize]);
        (first..first + self.size[u as usize]).contains(&place)
    }

    /// The root above a node.
    pub(super) fn root(&self, node: u32) -> u32 {
        self.root[node as usize]
    }
}

/// The cycle that `node` lies on.
fn cycle(parents: &[u32], node: u32) -> Violation {
    let (mut at, mut length) = (parents[node as usize], 1);
    while at != node {
        at = parents[at as usize];
        length += 1;
    }
    Violation::Cycle { node, length }
}
