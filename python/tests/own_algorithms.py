"""Algorithms of one's own, at the top of a module so that other processes find them."""

from __future__ import annotations

import numpy as np
from salsa_clrs import Problem, Recorder, define


@define(
    "own_bfs",
    source=True,
    hints={"reach_h": ("node", "mask"), "pi_h": ("node", "pointer")},
    outputs={"pi": ("node", "pointer")},
)
def own_bfs(problem: Problem, record: Recorder) -> dict[str, np.ndarray]:
    """The built-in search once more, in Python."""
    pi, reached = np.arange(problem.n_nodes), np.zeros(problem.n_nodes)
    frontier = [problem.source]
    reached[problem.source] = 1
    while frontier:
        record(reach_h=reached, pi_h=pi)
        found = []
        for u in sorted(frontier):
            for v in problem.neighbours(u):
                if not reached[v]:
                    reached[v], pi[v] = 1, u
                    found.append(v)
        frontier = found
    return {"pi": pi}


@define(
    "everything",
    source=True,
    weights=True,
    hints={
        "class_h": ("node", "categorical", 3),
        "one_h": ("node", "mask_one"),
        "sum_h": ("graph", "scalar"),
        "edge_h": ("edge", "mask"),
    },
    outputs={"far": ("node", "mask"), "sum": ("graph", "scalar"), "heavy": ("edge", "scalar")},
)
def everything(problem: Problem, record: Recorder) -> dict[str, object]:
    """A feature of every kind."""
    n, total = problem.n_nodes, 0.0
    sources, targets = problem.edge_index
    for u in range(n):
        total += problem.weights(u).sum()
        record(class_h=(np.arange(n) + u) % 3, one_h=u, sum_h=total, edge_h=sources == u)
    far = np.ones(n)
    far[problem.neighbours(problem.source)] = 0
    return {"far": far, "sum": total, "heavy": (sources + targets) / 2}
