"""Code written for the published package, after changing the import."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
geometric = pytest.importorskip("torch_geometric")

from salsa_clrs import (  # noqa: E402
    CLRSData,
    SALSACLRSDataLoader,
    SALSACLRSDataset,
    load_dataset,
    loader,
)
from salsa_clrs._core import Ahead  # noqa: E402

ER = {"n": [4, 8, 12], "p_range": (0.4, 0.6)}


def small(**given: object) -> SALSACLRSDataset:
    arguments = {"num_samples": 20, "graph_generator_kwargs": ER, **given}
    return SALSACLRSDataset(None, "train", "bfs", **arguments)


def same(a: CLRSData, b: CLRSData) -> bool:
    return set(a.keys()) == set(b.keys()) and all(
        torch.equal(a[key], b[key]) if isinstance(a[key], torch.Tensor) else a[key] == b[key]
        for key in a.keys()
    )


def test_the_benchmark_loads_without_files(algorithm: str, tmp_path: Path) -> None:
    train = load_dataset(algorithm=algorithm, split="train", local_dir=str(tmp_path))
    val = load_dataset(algorithm=algorithm, split="val", local_dir=str(tmp_path))
    tests = load_dataset(algorithm=algorithm, split="test", local_dir=str(tmp_path))
    assert (len(train), len(val), len(tests)) == (10_000, 1_000, 15)
    assert train[0].hints
    assert val[0].hints == tests["er_16"][0].hints == []
    assert val[0].num_nodes == 16
    assert tests["ws_80"].nickname == "ws_80"
    assert tests["delaunay_160"][3].num_nodes == 160
    assert list(tmp_path.iterdir()) == []


def test_specs_list_what_a_sample_has(algorithm: str) -> None:
    train = load_dataset(algorithm, "train")
    data = train[0]
    listed = {*data.inputs, *data.hints, *data.outputs}
    assert set(train.specs) == listed
    stages = {"input": data.inputs, "hint": data.hints, "output": data.outputs}
    for name, (stage, location, kind, n_categories) in train.specs.items():
        assert name in stages[stage]
        assert location in ("node", "edge", "graph")
        assert (n_categories is not None) == (kind == "categorical")
    assert ("weights" in data) == (algorithm in ("dijkstra", "mst_prim"))
    without = load_dataset(algorithm, "val")
    assert all(stage != "hint" for stage, *_ in without.specs.values())


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("hints", [False, True])
def test_the_loader_gives_every_sample_once(algorithm: str, workers: int, hints: bool) -> None:
    dataset = SALSACLRSDataset(
        "unused", "train", algorithm, num_samples=21, hints=hints, graph_generator_kwargs=ER
    )
    loader = SALSACLRSDataLoader(dataset, batch_size=8, num_workers=workers)
    batches = list(loader)
    assert [batch.num_graphs for batch in batches] == [8, 8, 5]
    singles = [data for batch in batches for data in batch.to_data_list()]
    for data, alone in zip(singles, dataset):
        assert torch.equal(data.edge_index, alone.edge_index)
        for name in [*alone.inputs, *alone.hints, *alone.outputs]:
            columns = alone[name].shape[1] if alone[name].dim() > 1 else None
            found = data[name] if columns is None else data[name][:, :columns]
            assert torch.equal(found.reshape(alone[name].shape), alone[name])
    assert bool(batches[0].hints) == hints


@pytest.mark.parametrize("room", [0, 1 << 30])
def test_batches_that_wait_take_little_memory(room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    waiting, most = 0, 0

    class Counted:
        def __init__(self, *given: Any) -> None:
            self.ahead = Ahead(*given)

        def push(self, indices: list[int]) -> None:
            nonlocal waiting, most
            waiting += 1
            most = max(most, waiting)
            self.ahead.push(indices)

        def pop(self) -> Any:
            nonlocal waiting
            waiting -= 1
            return self.ahead.pop()

    monkeypatch.setattr(loader, "Ahead", Counted)
    monkeypatch.setattr(loader, "AHEAD_BYTES", room)
    assert len(list(SALSACLRSDataLoader(small(), batch_size=1))) == 20
    assert waiting == 0
    assert most == (1 if room == 0 else 2 * min(4, os.cpu_count() or 1))


def test_shuffling_follows_the_seed_of_torch() -> None:
    dataset = small()

    def order() -> list[int]:
        torch.manual_seed(3)
        loader = SALSACLRSDataLoader(dataset, batch_size=20, shuffle=True)
        return next(iter(loader)).length.tolist()

    assert order() == order()
    assert sorted(order()) == sorted(int(data.length) for data in dataset)


def test_workers_that_are_spawned_get_the_data_set() -> None:
    loader = SALSACLRSDataLoader(
        small(), batch_size=5, num_workers=1, multiprocessing_context="spawn"
    )
    assert torch.equal(next(iter(loader)).pi_h, next(iter(SALSACLRSDataLoader(small(), 5))).pi_h)


def test_what_torch_and_geometric_do_with_data_sets_works() -> None:
    dataset = small()
    plain = next(iter(SALSACLRSDataLoader(dataset, batch_size=4)))
    assert plain.num_graphs == 4
    part = dataset[4:8]
    assert len(part) == 4
    assert same(part[0], dataset[4])
    of_part = next(iter(SALSACLRSDataLoader(part, batch_size=4)))
    subset = torch.utils.data.Subset(dataset, [4, 5, 6, 7])
    of_subset = next(iter(SALSACLRSDataLoader(subset, batch_size=4)))
    joined = torch.utils.data.ConcatDataset([part, dataset])
    of_joined = next(iter(SALSACLRSDataLoader(joined, batch_size=4)))
    of_list = next(iter(SALSACLRSDataLoader(list(part), batch_size=4)))
    for batch in (of_subset, of_joined, of_list):
        assert torch.equal(batch.pi_h, of_part.pi_h)
        assert torch.equal(batch.edge_index, of_part.edge_index)
        assert batch.hints == of_part.hints
    bare = SALSACLRSDataset(None, "train", "bfs", 8, hints=False, graph_generator_kwargs=ER)
    assert next(iter(geometric.loader.DataLoader(bare, batch_size=8))).num_graphs == 8
    followed = next(iter(SALSACLRSDataLoader(dataset, 4, follow_batch=["edge_index"])))
    assert followed.edge_index_batch.tolist() == followed.batch[followed.edge_index[0]].tolist()
    assert "pi_h" not in next(iter(SALSACLRSDataLoader(dataset, 4, exclude_keys=["pi_h"])))
    dataset.transform = lambda data: data.update({"seen": torch.ones(1)})
    assert next(iter(SALSACLRSDataLoader(dataset, batch_size=4))).seen.tolist() == [1.0] * 4
    assert SALSACLRSDataLoader(small(), batch_size=None).__iter__().__next__().num_nodes > 0


def test_the_same_arguments_give_the_same_samples() -> None:
    assert same(small()[7], small()[7])
    assert same(pickle.loads(pickle.dumps(small()))[7], small()[7])
    for other in ({"seed": 1}, {"graph_generator_kwargs": {"n": [4, 8, 12], "p": 0.5}}):
        assert any(not same(a, b) for a, b in zip(small(), small(**other)))
    val = SALSACLRSDataset(None, "val", "bfs", 20, graph_generator_kwargs=ER)
    assert any(not same(a, b) for a, b in zip(small(), val))
    # More samples only add to those there are.
    assert same(small(num_samples=700)[19], small()[19])
    assert len(small(num_samples=700)) == 700


def test_the_arguments_of_the_caller_stay_as_they_are() -> None:
    given = {"n": 8, "p": 0.5}
    small(graph_generator_kwargs=given)[0]
    assert given == {"n": 8, "p": 0.5}


def test_graphs_that_occur_twice_are_left_out() -> None:
    four = {"n": 4, "p": 0.7}
    free = small(graph_generator_kwargs=four)
    assert len(set(free.graph_keys())) < 20
    first = small(graph_generator_kwargs=four, verify_duplicates=True)
    second = small(
        graph_generator_kwargs={"n": 4, "p": 0.6},
        num_samples=10,
        verify_duplicates=True,
        forbidden_duplicates_datasets=[first],
    )
    keys = [*first.graph_keys(), *second.graph_keys()]
    assert len(keys) == len(set(keys)) == 30
    with pytest.raises(ValueError, match="100 were asked for"):
        small(graph_generator_kwargs=four, num_samples=100, verify_duplicates=True)


def test_generators_take_numbers_lists_and_ranges() -> None:
    ws = small(graph_generator="ws", graph_generator_kwargs={"n": [16, 32], "k": [4, 6], "p": 0.1})
    assert {data.num_nodes for data in ws} == {16, 32}
    assert small(graph_generator="complete", graph_generator_kwargs={"n": 5})[0].num_edges == 25
    delaunay = small(graph_generator="delaunay", graph_generator_kwargs={"n_range": (5, 9)})
    assert {data.num_nodes for data in delaunay} <= set(range(5, 10))


def test_mistakes_are_told() -> None:
    with pytest.raises(ValueError, match="unknown graph generator"):
        small(graph_generator="erdos")
    with pytest.raises(ValueError, match="k: unknown parameter"):
        small(graph_generator_kwargs={"n": 8, "k": 3})
    with pytest.raises(ValueError, match="nodes: missing"):
        small(graph_generator_kwargs={"p": 0.5})
    with pytest.raises(TypeError, match="found 'many'"):
        small(graph_generator_kwargs={"n": ["many"]})
    with pytest.raises(ValueError, match="p_range: expected two numbers"):
        small(graph_generator_kwargs={"n": 8, "p_range": (0.1,)})
    with pytest.raises(ValueError, match="unknown split 'tests'"):
        load_dataset("bfs", "tests")
    with pytest.raises(ValueError, match="unknown algorithm"):
        load_dataset("bsf", "train")
    with pytest.raises(ValueError, match="at least 1 sample"):
        small(num_samples=0)
    with pytest.raises(IndexError):
        small()[20]


@pytest.mark.parametrize("workers", [0, 1])
def test_indices_are_those_of_the_data_set(workers: int) -> None:
    data = small()

    def nodes(sampler: object, dataset: SALSACLRSDataset = data) -> list[int]:
        loader = SALSACLRSDataLoader(dataset, batch_sampler=sampler, num_workers=workers)
        return [batch.num_nodes for batch in loader]

    last = data[19].num_nodes
    assert nodes([[-1]]) == nodes([[19]]) == nodes([torch.tensor([19])]) == [last]
    assert nodes([[0]], data[5:]) == [data[5].num_nodes]
    for beyond in (20, -21):
        with pytest.raises(IndexError):
            nodes([[0, beyond]])


class Doubled(SALSACLRSDataset):
    """A data set whose samples have something more."""

    def get(self, idx: int) -> CLRSData:
        sample = super().get(idx)
        sample.twice = 2 * sample.pos
        return sample


def with_a_third(sample: CLRSData) -> CLRSData:
    sample.third = sample.pos / 3
    return sample


@pytest.mark.parametrize("workers", [0, 1])
def test_what_is_added_to_samples_is_in_batches(workers: int) -> None:
    doubled = Doubled(None, "train", "bfs", 6, graph_generator_kwargs=ER)
    for batch in SALSACLRSDataLoader(doubled, batch_size=3, num_workers=workers):
        assert torch.equal(batch.twice, 2 * batch.pos)
    thirds = small(transform=with_a_third)
    for batch in SALSACLRSDataLoader(thirds, batch_size=10, num_workers=workers):
        assert torch.equal(batch.third, batch.pos / 3)
