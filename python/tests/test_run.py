"""Algorithms on given graphs."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import salsa_clrs
from conftest import expected, read_cases

# 0 - 1 - 2 - 3 as edges in one direction.
PATH = np.array([[0, 1, 2], [1, 2, 3]])


def test_the_recorded_cases_agree(algorithm: str) -> None:
    for case in read_cases(algorithm):
        sample = salsa_clrs.run(
            algorithm,
            np.array(case["edges"]).reshape(-1, 2).T.astype(int),
            n_nodes=case["n"],
            source=case.get("source"),
            weights=case.get("weights"),
            randomness=case.get("randomness"),
            convention="release",
        )
        found = sample.arrays()
        assert np.array_equal(found["edge_index"], case["edge_index"])
        assert sample.length == case["length"]
        features = {**found["inputs"], **found["hints"], **found["outputs"]}
        wanted = expected(case, hints=True)
        assert set(features) == set(wanted) - {"edge_index", "length"}
        for name, values in features.items():
            assert values.dtype == wanted[name].dtype
            np.testing.assert_allclose(values, wanted[name].reshape(values.shape), rtol=1e-6)


def test_an_edge_may_be_given_in_either_direction_or_both() -> None:
    both = np.concatenate([PATH, PATH[::-1], [[2, 3], [2, 3]]], axis=1)
    once = salsa_clrs.run("bfs", PATH, source=0)
    assert salsa_clrs.run("bfs", both, source=0) == once
    assert salsa_clrs.run("bfs", once.edge_index, source=0) == once
    assert once.output("pi").tolist() == [0, 0, 1, 2]


def test_objects_with_edges_and_weights_are_understood() -> None:
    graph = SimpleNamespace(edge_index=PATH, weights=np.ones(3, dtype=np.float32), num_nodes=5)
    sample = salsa_clrs.run("dijkstra", graph, source=3)
    assert sample.n_nodes == 5
    assert sample.output("pi").tolist() == [1, 2, 3, 3, 4]


def test_networkx_graphs_keep_their_order_of_nodes() -> None:
    networkx = pytest.importorskip("networkx")
    graph = networkx.Graph()
    graph.add_weighted_edges_from([("c", "a", 1.0), ("a", "b", 2.0), ("b", "c", 5.0)])
    assert salsa_clrs.run("dijkstra", graph, source=0).output("pi").tolist() == [0, 0, 1]
    with pytest.raises(ValueError, match="dijkstra needs edge weights"):
        salsa_clrs.run("dijkstra", networkx.path_graph(3), source=0)


def test_sparse_matrices_are_understood() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    matrix = sparse.coo_matrix((np.ones(3), PATH), shape=(4, 4))
    assert salsa_clrs.run("bfs", matrix, source=3).output("pi").tolist() == [1, 2, 3, 3]
    with pytest.raises(ValueError, match="square"):
        salsa_clrs.run("bfs", sparse.coo_matrix((3, 4)), source=0)


def test_random_values_are_drawn_from_the_seed() -> None:
    cycle = np.array([range(20), [*range(1, 20), 0]])
    first = salsa_clrs.run("mis", cycle, seed=1)
    assert first == salsa_clrs.run("mis", cycle, seed=1)
    assert first != salsa_clrs.run("mis", cycle, seed=2)
    again = salsa_clrs.run("mis", cycle, randomness=first.arrays()["inputs"]["randomness"])
    assert np.array_equal(again.output("inmis"), first.output("inmis"))


def test_mistakes_are_told() -> None:
    with pytest.raises(ValueError, match="bfs needs a source node"):
        salsa_clrs.run("bfs", PATH)
    with pytest.raises(ValueError, match=r"the source 4 is outside 0\.\.4"):
        salsa_clrs.run("bfs", PATH, source=4)
    with pytest.raises(ValueError, match=r"expected an edge_index of shape \[2, E\]"):
        salsa_clrs.run("bfs", PATH.T, source=0)
    with pytest.raises(TypeError, match="whole numbers"):
        salsa_clrs.run("bfs", PATH / 2, source=0)
    with pytest.raises(ValueError, match=r"outside 0\.\.2"):
        salsa_clrs.run("bfs", PATH, source=0, n_nodes=2)
    with pytest.raises(ValueError, match="node numbers"):
        salsa_clrs.run("bfs", -PATH, source=0)
    with pytest.raises(ValueError, match="expected 3 weights"):
        salsa_clrs.run("dijkstra", PATH, source=0, weights=[1.0])
    with pytest.raises(ValueError, match="different weights"):
        salsa_clrs.run("dijkstra", [[0, 1], [1, 0]], source=0, weights=[1.0, 2.0])
    with pytest.raises(ValueError, match="weights of at least 0"):
        salsa_clrs.run("dijkstra", PATH, source=0, weights=[1.0, -2.0, 1.0])
    with pytest.raises(ValueError, match="unknown convention"):
        salsa_clrs.run("bfs", PATH, source=0, convention="papre")
    with pytest.raises(ValueError, match="at least one node"):
        salsa_clrs.run("dfs", np.zeros((2, 0), dtype=int))
    with pytest.raises(ValueError, match="columns of a phase"):
        salsa_clrs.run("mis", PATH, randomness=np.arange(8.0).reshape(4, 2))


def test_entries_of_a_matrix_that_stand_there_twice_add_up() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    entries = ([1.0, 1.5, 2.5], ([0, 0, 1], [1, 1, 0]))
    matrix = sparse.coo_matrix(entries, shape=(2, 2))
    sample = salsa_clrs.run("dijkstra", matrix, source=0)
    assert 2.5 in sample.arrays(False)["inputs"]["weights"]
    assert matrix.nnz == 3, "the caller's stays as it is"


def test_samples_and_tensors_are_understood() -> None:
    torch = pytest.importorskip("torch")
    edges = [[0, 1], [1, 2]]
    first = salsa_clrs.run("bfs", edges, source=0)
    assert salsa_clrs.run("bfs", first, source=0) == first
    weights = torch.tensor([1.0, 2.0], dtype=torch.bfloat16, requires_grad=True)
    plain = salsa_clrs.run("dijkstra", edges, source=0, weights=[1.0, 2.0])
    assert salsa_clrs.run("dijkstra", edges, source=0, weights=weights) == plain
    with pytest.raises(ValueError, match="finite numbers"):
        salsa_clrs.run("dijkstra", edges, source=0, weights=[1.0, float("nan")])
