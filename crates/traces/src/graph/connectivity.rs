//! Connected components by union-find, on a list of edges and before a graph is built.
//!
//! Generators redraw until a graph is connected; deciding that from the edge list is cheaper
//! than building rows for draws that are thrown away.

/// Disjoint sets of nodes, joined edge by edge (path halving, union by index).
#[derive(Debug, Clone)]
pub struct Components {
    parent: Vec<u32>,
    count: usize,
}

impl Components {
    /// Every node a component of its own.
    pub fn new(n_nodes: usize) -> Self {
        Self { parent: (0..n_nodes as u32).collect(), count: n_nodes }
    }

    /// The lowest node of the component that holds `u`.
    pub fn find(&mut self, mut u: u32) -> u32 {
        while self.parent[u as usize] != u {
            let above = self.parent[u as usize];
            self.parent[u as usize] = self.parent[above as usize];
            u = above;
        }
        u
    }

    /// Joins the components of `u` and `v`; whether they were two.
    pub fn join(&mut self, u: u32, v: u32) -> bool {
        if self.parent[u as usize] == self.parent[v as usize] {
            return false;
        }
        let (u, v) = (self.find(u), self.find(v));
        if u == v {
            return false;
        }
        self.parent[u.max(v) as usize] = u.min(v);
        self.count -= 1;
        true
    }

    /// Number of components.
    pub fn count(&self) -> usize {
        self.count
    }
}

/// Whether the edges connect all nodes.
pub fn is_connected(n_nodes: usize, edges: impl IntoIterator<Item = (u32, u32)>) -> bool {
    let mut components = Components::new(n_nodes);
    for (u, v) in edges {
        components.join(u, v);
        if components.count() == 1 {
            break;
        }
    }
    components.count() <= 1
}
