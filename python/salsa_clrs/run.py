"""An algorithm on a graph of one's own."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from . import _core
from ._core import Algorithm, Sample
from .specs import in_core


def run(
    algorithm: str | Algorithm,
    graph: Any,
    *,
    source: int | None = None,
    weights: npt.ArrayLike | None = None,
    n_nodes: int | None = None,
    randomness: npt.ArrayLike | None = None,
    seed: int = 0,
    convention: str = "paper",
    hints: bool = True,
) -> Sample:
    """Runs an algorithm and gives its recorded execution.

    Args:
        algorithm: a name of `salsa_clrs.algorithms()`, a published name, or one of your own.
        graph: `edge_index` [2, E] as an array or tensor, an object with an `edge_index`, a
            networkx graph or a SciPy sparse matrix. It is taken as undirected, an edge may be
            given in one direction or both, and self-loops are left out.
        source: the node to start at; of a networkx graph, its place in the order of nodes.
        weights: one number for each column of `edge_index`.
        n_nodes: how many nodes there are, where the edges do not say.
        randomness: [N, T] for `mis`, the two columns of a phase alike; drawn from `seed` if not
            given.
        convention: `paper` or `release`.
        hints: whether hints are recorded.
    """
    edge_index, found_weights, n_found = _directed(graph)
    if weights is not None:
        found_weights = _numbers(weights)
    edges, merged = undirected(edge_index, found_weights)
    if n_nodes is None:
        n_nodes = n_found if n_found is not None else int(edge_index.max(initial=-1)) + 1
    return _core.execute(
        in_core(algorithm),
        n_nodes,
        edges,
        weights=merged,
        source=source,
        randomness=None if randomness is None else _phases(randomness),
        seed=seed,
        convention=convention,
        hints=hints,
    )


_Directed = tuple[npt.NDArray[np.int64], Optional[npt.NDArray[np.float64]], Optional[int]]


def _directed(graph: Any) -> _Directed:
    """Edges [2, E], weights [E] if there are any, and the number of nodes if it is known."""
    if hasattr(graph, "edge_index"):
        weights = getattr(graph, "weights", None)
        edges = _edge_index(graph.edge_index)
        n_nodes = getattr(graph, "num_nodes", getattr(graph, "n_nodes", None))
        return edges, None if weights is None else _numbers(weights), n_nodes
    if hasattr(graph, "adjacency") and hasattr(graph, "nodes"):
        place = {node: i for i, node in enumerate(graph.nodes)}
        pairs = [(place[u], place[v]) for u, v in graph.edges()]
        given = [weight for _, _, weight in graph.edges(data="weight")]
        numbers = None if not given or None in given else np.asarray(given, dtype=np.float64)
        edges = np.asarray(pairs, dtype=np.int64).reshape(-1, 2).T
        return edges, numbers, len(place)
    if hasattr(graph, "tocoo"):
        matrix = graph.tocoo(copy=True)
        matrix.sum_duplicates()
        if matrix.shape[0] != matrix.shape[1]:
            raise ValueError(f"expected a square matrix, found {matrix.shape}")
        edges = np.stack([matrix.row, matrix.col]).astype(np.int64)
        return edges, matrix.data.astype(np.float64), int(matrix.shape[0])
    return _edge_index(graph), None, None


def _edge_index(given: Any) -> npt.NDArray[np.int64]:
    edges = np.asarray(given)
    if edges.ndim != 2 or edges.shape[0] != 2:
        raise ValueError(f"expected an edge_index of shape [2, E], found {list(edges.shape)}")
    if edges.size and not np.issubdtype(edges.dtype, np.integer):
        raise TypeError(f"expected an edge_index of whole numbers, found {edges.dtype}")
    return edges.astype(np.int64)


def _numbers(given: Any) -> npt.NDArray[np.float64]:
    # NumPy knows neither gradients nor bfloat16.
    plain = given.detach().cpu().double() if hasattr(given, "detach") else given
    return np.asarray(plain, dtype=np.float64)


def undirected(
    edge_index: npt.NDArray[np.int64], weights: npt.NDArray[np.float64] | None
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.float64] | None]:
    """Every undirected edge once, without self-loops, and its weight."""
    if weights is not None and weights.shape != (edge_index.shape[1],):
        expected, found = edge_index.shape[1], list(weights.shape)
        raise ValueError(f"expected {expected} weights, one for each edge, found shape {found}")
    if edge_index.size and not 0 <= edge_index.min() <= edge_index.max() < 2**32:
        raise ValueError("expected node numbers from 0 to 2^32 - 1")
    kept = edge_index[0] != edge_index[1]
    pairs = np.sort(edge_index[:, kept], axis=0).T
    edges, first, which = np.unique(pairs, axis=0, return_index=True, return_inverse=True)
    if weights is None:
        return edges.astype(np.uint32), None
    weights = weights[kept]
    if not np.isfinite(weights).all():
        raise ValueError("expected weights that are finite numbers")
    merged = weights[first]
    if np.any(merged[which.reshape(-1)] != weights):
        raise ValueError("the two directions of an edge have different weights")
    return edges.astype(np.uint32), merged


def _phases(randomness: npt.ArrayLike) -> npt.NDArray[np.float64]:
    values = np.asarray(randomness, dtype=np.float64)
    if values.ndim != 2 or np.any(values[:, ::2][:, : values.shape[1] // 2] != values[:, 1::2]):
        raise ValueError("expected random values [N, T], the two columns of a phase alike")
    return np.ascontiguousarray(values[:, ::2].T)
