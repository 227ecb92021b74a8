"""Data objects and batches of PyTorch Geometric, as the published package has them."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from conftest import expected, read_cases

torch = pytest.importorskip("torch")
geometric = pytest.importorskip("torch_geometric")

import salsa_clrs  # noqa: E402
from salsa_clrs import _core  # noqa: E402
from salsa_clrs.data import NAMES, padded, several, single  # noqa: E402


def executed(algorithm: str, case: dict[str, Any], *, hints: bool) -> salsa_clrs.Sample:
    edges = np.array(case["edges"]).reshape(-1, 2).T.astype(int)
    return salsa_clrs.run(
        algorithm,
        edges,
        n_nodes=case["n"],
        source=case.get("source"),
        weights=case.get("weights"),
        randomness=case.get("randomness"),
        convention="release",
        hints=hints,
    )


def names(case: dict[str, Any], *, hints: bool) -> dict[str, set[str]]:
    inputs = set(case["inputs"]) - {"A", "adj", "weights"}
    if "randomness" in case:
        inputs.add("randomness")
    recorded = set(case["hints"]) if hints else set()
    return {"inputs": inputs, "hints": recorded, "outputs": set(case["outputs"])}


@pytest.mark.parametrize("hints", [False, True])
def test_a_data_object_holds_the_recorded_case(algorithm: str, hints: bool) -> None:
    for case in read_cases(algorithm):
        arrays = executed(algorithm, case, hints=hints).arrays(hints)
        data = single(_core_name(algorithm), arrays)
        assert isinstance(data, salsa_clrs.CLRSData)
        assert isinstance(data, geometric.data.Data)
        wanted = expected(case, hints=hints)
        assert set(data.keys()) == {*wanted, *NAMES}
        for name, values in wanted.items():
            assert data[name].shape == values.shape, name
            assert data[name].dtype == torch.from_numpy(np.atleast_1d(values)).dtype, name
            np.testing.assert_allclose(data[name].numpy(), values, rtol=1e-6)
        for name, listed in names(case, hints=hints).items():
            assert set(data[name]) == listed
            assert len(data[name]) == len(listed)
        assert data.num_nodes == case["n"]


@pytest.mark.parametrize("hints", [False, True])
def test_a_batch_holds_the_recorded_cases_padded(algorithm: str, hints: bool) -> None:
    cases = read_cases(algorithm)
    for first in range(0, len(cases), 8):
        some = cases[first : first + 8]
        samples = [executed(algorithm, case, hints=hints) for case in some]
        batch = several(_core_name(algorithm), _core.collate(samples, hints))
        longest = max(case["length"] for case in some)
        wanted = [expected(case, hints=hints) for case in some]
        for case, values in zip(some, wanted):
            timed = [*(case["hints"] if hints else ()), *({"randomness"} & set(values))]
            for name in timed:
                missing = longest - case["length"]
                pads = [(0, 0), (0, missing), *[(0, 0)] * (values[name].ndim - 2)]
                values[name] = np.pad(values[name], pads)
        for name in wanted[0]:
            axis = 1 if name == "edge_index" else 0
            shifted, base = [], 0
            for case, values in zip(some, wanted):
                values = np.atleast_1d(values[name])
                shifted.append(values + base if name == "edge_index" else values)
                base += case["n"]
            whole = np.concatenate(shifted, axis=axis)
            assert batch[name].shape == whole.shape, name
            assert batch[name].dtype == torch.from_numpy(whole).dtype, name
            np.testing.assert_allclose(batch[name].numpy(), whole, rtol=1e-6)


@pytest.mark.parametrize("hints", [False, True])
@pytest.mark.parametrize("name", salsa_clrs.algorithms())
def test_a_batch_is_what_geometric_makes_of_the_samples(name: str, hints: bool) -> None:
    split = _core.Split.of_suite(name, "train", "paper")
    indices = [0, 7, 3, 11]
    ours = several(name, split.batch(indices, hints))
    samples = [single(name, split.sample(index, hints).arrays(hints)) for index in indices]
    theirs = geometric.data.Batch.from_data_list(padded(samples))
    assert set(ours.keys()) == set(theirs.keys())
    assert ours.num_graphs == theirs.num_graphs == 4
    for key in theirs.keys():
        if key in NAMES:
            assert [ours[key]] * 4 == theirs[key]
            continue
        assert ours[key].dtype == theirs[key].dtype, key
        assert torch.equal(ours[key], theirs[key]), key
        if key not in ("batch", "ptr"):
            assert torch.equal(ours._slice_dict[key], theirs._slice_dict[key]), key
    for place, (one, alone) in enumerate(zip(ours.to_data_list(), padded(samples))):
        assert one.hints == alone.hints
        for key in alone.keys():
            if key not in NAMES:
                assert torch.equal(one[key].reshape(alone[key].shape), alone[key]), (place, key)


def test_batches_can_be_moved_copied_and_sent() -> None:
    split = _core.Split.of_suite("dfs", "train", "paper")
    batch = several("dfs", split.batch([0, 1, 2], True))
    copy = pickle.loads(pickle.dumps(batch))
    assert torch.equal(copy.pi_h, batch.pi_h)
    assert copy[1].hints == batch.hints
    assert batch.clone().to("cpu").num_graphs == 3
    assert batch.num_nodes == int(batch.ptr[-1])
    assert isinstance(batch, geometric.data.Batch)
    assert isinstance(batch, salsa_clrs.CLRSData)


def test_keys_can_be_left_out() -> None:
    split = _core.Split.of_suite("dfs", "train", "paper")
    batch = several("dfs", split.batch([0, 1], True), ["color", "s_prev"])
    assert "color" not in batch
    assert "s_prev" not in batch[0]


def _core_name(published: str) -> str:
    return {"mst_prim": "mst", "fast_mis": "mis"}.get(published, published)
