"""Algorithms written in Python, used like the built-in ones."""

from __future__ import annotations

import copy
import doctest
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import salsa_clrs
from own_algorithms import everything, own_bfs
from salsa_clrs import Evaluator, define

PATH = [[0, 1, 2], [1, 2, 3]]


def test_it_records_what_the_built_in_one_does() -> None:
    for seed in range(20):
        edges = np.random.default_rng(seed).integers(0, 9, (2, 24))
        edges = np.concatenate([edges, [range(8), range(1, 9)]], axis=1)
        ours = salsa_clrs.run(own_bfs, edges, source=seed % 9)
        theirs = salsa_clrs.run("bfs", edges, source=seed % 9)
        assert ours.length == theirs.length
        np.testing.assert_array_equal(ours.output("pi"), theirs.output("pi"))
        for step in range(ours.length):
            for name in ("reach_h", "pi_h"):
                np.testing.assert_array_equal(ours.hint(name, step), theirs.hint(name, step))


def test_every_kind_of_feature_is_recorded() -> None:
    sample = salsa_clrs.run(everything, PATH, source=1, weights=[1.0, 2.0, 4.0])
    assert sample.length == 4
    np.testing.assert_array_equal(sample.hint("class_h", 1), [1, 2, 0, 1])
    assert [sample.hint("one_h", step) for step in range(4)] == [0, 1, 2, 3]
    assert sample.hint("sum_h", 3) == [14.0]
    sources, targets = sample.edge_index
    np.testing.assert_array_equal(sample.hint("edge_h", 2), sources == 2)
    np.testing.assert_array_equal(sample.output("far"), [False, True, False, True])
    np.testing.assert_array_equal(sample.output("heavy"), (sources + targets) / 2)
    arrays = sample.arrays()
    assert arrays["hints"]["class_h"].shape == (4, 4, 3)
    assert arrays["outputs"]["sum"].tolist() == [14.0]
    bare = salsa_clrs.run(everything, PATH, source=1, weights=[1.0, 2.0, 4.0], hints=False)
    assert bare.length == 4
    assert not bare.has_hints


def test_it_has_data_sets() -> None:
    samples = salsa_clrs.dataset(own_bfs, "er_16", hints=False)[:20]
    assert samples.algorithm == "own_bfs"
    assert samples[3] == samples[3]
    batch = samples.batch(range(20))
    assert batch.outputs["pi"].shape == batch.edge_index.shape[1:]
    perfect = {"dataset": samples, "pi": batch.outputs["pi"]}
    assert Evaluator(own_bfs).eval(perfect) == {"node_accuracy": 1.0, "graph_accuracy": 1.0}
    assert Evaluator("own_bfs").eval(perfect)["graph_accuracy"] == 1.0
    assert "own_bfs" not in salsa_clrs.algorithms()
    copy = pickle.loads(pickle.dumps(samples))
    np.testing.assert_array_equal(copy.batch([4]).outputs["pi"], samples.batch([4]).outputs["pi"])
    assert pickle.loads(pickle.dumps(own_bfs)) is own_bfs
    assert salsa_clrs.draw(samples[0])._repr_svg_().startswith("<svg")


@pytest.mark.parametrize("workers", [0, 2])
def test_it_has_loaders(workers: int) -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("torch_geometric")
    for algorithm in (own_bfs, everything):
        dataset = salsa_clrs.SALSACLRSDataset(None, "train", algorithm, 12)
        assert dataset.specs["pi_h" if algorithm is own_bfs else "edge_h"].stage == "hint"
        loader = salsa_clrs.SALSACLRSDataLoader(dataset, batch_size=4, num_workers=workers)
        batches = list(loader)
        assert [batch.num_graphs for batch in batches] == [4, 4, 4]
        assert torch.equal(batches[2].to_data_list()[3].edge_index, dataset[11].edge_index)
    named = salsa_clrs.SALSACLRSDataset(None, "train", "everything", 12)
    assert torch.equal(named[5].far, dataset[5].far)


def test_it_has_networks() -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("torch_geometric")
    torch.manual_seed(0)
    for algorithm in (own_bfs, everything):
        batch = salsa_clrs.dataset(algorithm, "er_16").batch(range(4))
        model = salsa_clrs.models.EncodeProcessDecode(algorithm, hidden=8, hints=True)
        outcome = model(batch)
        assert set(outcome.outputs) == set(batch.outputs)
        model.losses(batch, outcome).total.backward()
        gradients = [one.grad for one in model.parameters() if one.grad is not None]
        assert gradients and all(torch.isfinite(gradient).all() for gradient in gradients)


def test_mistakes_are_told() -> None:
    outputs = {"x": ("node", "scalar")}
    with pytest.raises(ValueError, match="bfs is built in"):
        define("bfs", outputs=outputs)(print)
    with pytest.raises(ValueError, match="at least one output"):
        define("none", outputs={})
    with pytest.raises(ValueError, match="adj: the name is taken"):
        define("taken", outputs={"adj": ("node", "mask")})
    with pytest.raises(ValueError, match='x: unknown type "number"'):
        define("kind", outputs={"x": ("node", "number")})(print)
    with pytest.raises(ValueError, match="x: unknown location"):
        define("place", outputs={"x": ("vertex", "scalar")})(print)
    with pytest.raises(ValueError, match="x: pointer is for nodes"):
        define("pointer", outputs={"x": ("edge", "pointer")})
    with pytest.raises(ValueError, match="2 to 255 classes, found 1"):
        define("classes", outputs={"x": ("node", "categorical", 1)})
    with pytest.raises(ValueError, match=r"expected \(location, type\)"):
        define("short", outputs={"x": ("node", "categorical")})

    def wrong(described: tuple[str, str], answer: object, **hints: object) -> None:
        @define("wrong", hints={"h": ("node", "mask")}, outputs={"x": described})
        def algorithm(_: object, record: salsa_clrs.Recorder) -> object:
            record(**(hints or {"h": [0, 1, 0, 0]}))
            return answer

        salsa_clrs.run(algorithm, PATH)

    wrong(("node", "scalar"), {"x": range(4)})
    with pytest.raises(ValueError, match=r"expected the outputs \['x'\], found None"):
        wrong(("node", "scalar"), None)
    with pytest.raises(ValueError, match="x: expected 4 values, found 3"):
        wrong(("node", "scalar"), {"x": range(3)})
    with pytest.raises(ValueError, match="x: expected finite numbers"):
        wrong(("node", "scalar"), {"x": [0, 1, 2, np.nan]})
    with pytest.raises(ValueError, match=r"below 4, found 1\.5"):
        wrong(("node", "pointer"), {"x": [0, 1.5, 2, 3]})
    with pytest.raises(RuntimeError, match="3"):
        wrong(("node", "pointer"), {"x": [3, 1, 2, 3]})
    with pytest.raises(ValueError, match=r"the hints \['h'\] at every step, found \['g'\]"):
        wrong(("node", "scalar"), {"x": range(4)}, g=[0, 0, 0, 0])


def test_exceptions_of_the_function_come_through() -> None:
    @define("failing", outputs={"x": ("node", "scalar")})
    def failing(problem: salsa_clrs.Problem, _: object) -> object:
        raise LookupError(f"{problem.n_nodes} nodes")

    with pytest.raises(LookupError, match="4 nodes"):
        salsa_clrs.run(failing, PATH)
    with pytest.raises(LookupError, match="16 nodes"):
        salsa_clrs.dataset(failing, "er_16").batch([0])
    with pytest.raises(ValueError, match="no weights"):
        salsa_clrs.Problem(np.array([0, 0]), np.array([]), None, None).weights(0)


def test_the_example_of_the_documentation_runs() -> None:
    for module in (salsa_clrs.own, salsa_clrs.samples):
        assert doctest.testmod(module, optionflags=doctest.ELLIPSIS).failed == 0


def test_an_index_error_is_not_the_end_of_the_samples() -> None:
    @define("beyond", outputs={"x": ("node", "scalar")})
    def beyond(problem: Any, record: Any) -> dict[str, Any]:
        return {"x": [][problem.n_nodes]}

    with pytest.raises(IndexError):
        list(salsa_clrs.dataset(beyond, "er_16")[:3])


@pytest.mark.parametrize("name", ["edge_index", "batch", "weights", "outputs"])
def test_names_that_mean_something_else_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name}: the name is taken"):
        define("taken", outputs={name: ("node", "scalar")})


def test_an_unfinished_loader_does_not_keep_python_from_ending() -> None:
    pytest.importorskip("torch_geometric")
    script = """
import time
from salsa_clrs import SALSACLRSDataLoader, SALSACLRSDataset, define

@define("slow", outputs={"x": ("node", "scalar")})
def slow(problem, record):
    time.sleep(0.02)
    record()
    return {"x": [0] * problem.n_nodes}

batches = iter(SALSACLRSDataLoader(SALSACLRSDataset(None, "train", slow, 400), batch_size=8))
assert next(batches).num_graphs == 8
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_its_samples_are_copied_and_sent() -> None:
    sample = salsa_clrs.run(own_bfs, [[0, 1, 2], [1, 2, 3]], source=1)
    for other in (copy.copy(sample), copy.deepcopy(sample), pickle.loads(pickle.dumps(sample))):
        assert other == sample
        assert np.array_equal(other.hint("pi_h", 1), sample.hint("pi_h", 1))
