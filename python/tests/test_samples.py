"""Samples as NumPy arrays: no PyTorch is needed."""

from __future__ import annotations

import pickle
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
import salsa_clrs

HASHES = Path(__file__).parents[2] / "crates" / "traces" / "tests" / "stability" / "hashes.txt"


def test_a_split_is_a_sequence() -> None:
    train = salsa_clrs.dataset("bfs", "train")
    assert len(train) == 10_000
    assert train[-1] == train[9_999]
    assert [sample.content_hash for sample in train[2:4]] == [
        train[2].content_hash,
        train[3].content_hash,
    ]
    assert len(list(train[:5])) == 5
    with pytest.raises(IndexError, match="there are 10000 samples, there is no index 10000"):
        train[10_000]


def test_samples_are_those_of_the_rust_core() -> None:
    for line in HASHES.read_text().splitlines():
        suite, name, split, index, content, _ = line.split()
        if split in ("train", "val", "er_16", "ws_80", "delaunay_160"):
            samples = salsa_clrs.dataset(name, split, suite=suite, hints=False)
            assert samples[int(index)].content_hash == content, line


def test_seed_suite_and_published_name_say_which_samples() -> None:
    first = salsa_clrs.dataset("mst_prim", "er_16")[0]
    assert first.algorithm == "mst"
    assert first == salsa_clrs.dataset("mst", "er_16", seed=0)[0]
    assert first != salsa_clrs.dataset("mst", "er_16", seed=1)[0]
    assert first != salsa_clrs.dataset("mst", "er_16", suite="release")[0]


@pytest.mark.parametrize("name", salsa_clrs.algorithms())
@pytest.mark.parametrize("hints", [False, True])
def test_a_batch_is_its_samples_below_each_other(name: str, hints: bool) -> None:
    samples = salsa_clrs.dataset(name, "train", hints=hints)
    indices = [5, 3, 8, 5]
    batch = samples.batch(indices)
    assert len(batch) == 4
    longest = int(batch.length.max())
    assert set(batch.inputs | batch.hints | batch.outputs) - {"weights"} == set(samples.specs)
    for place, index in enumerate(indices):
        one = samples[index].arrays(hints)
        nodes = slice(batch.ptr[place], batch.ptr[place + 1])
        edges = slice(batch.edge_ptr[place], batch.edge_ptr[place + 1])
        assert np.array_equal(batch.edge_index[:, edges] - batch.ptr[place], one["edge_index"])
        assert np.all(batch.batch[nodes] == place)
        assert batch.length[place] == one["length"][0] == samples[index].length
        for stage in ("inputs", "hints", "outputs"):
            for feature, values in one[stage].items():
                whole = getattr(batch, stage)[feature]
                assert whole.dtype == values.dtype
                spec = samples.specs.get(feature)
                if feature == "weights" or spec.location == "edge" or spec.type == "pointer":
                    rows = whole[edges]
                else:
                    rows = whole[nodes] if spec.location == "node" else whole[place : place + 1]
                if stage == "hints" or feature == "randomness":
                    assert whole.shape[1] == longest
                    assert not rows[:, values.shape[1] :].any()
                    rows = rows[:, : values.shape[1]]
                assert np.array_equal(rows, values)


def test_hints_can_be_looked_at_step_by_step() -> None:
    sample = salsa_clrs.dataset("bfs", "er_16")[0]
    sources, targets = sample.edge_index
    pi_h = sample.arrays()["hints"]["pi_h"]
    for step in range(sample.length):
        assert np.array_equal(sample.hint("pi_h", step)[sources] == targets, pi_h[:, step] == 1)
    assert np.array_equal(sample.hint("pi_h", sample.length - 1), sample.output("pi"))
    assert sample.hint("reach_h", 0).sum() == 1
    with pytest.raises(IndexError, match="there is no step"):
        sample.hint("pi_h", sample.length)
    with pytest.raises(KeyError, match="no hint pi of bfs"):
        sample.hint("pi", 0)


def test_arrays_belong_to_the_caller() -> None:
    arrays = salsa_clrs.dataset("bfs", "train")[0].arrays()
    assert arrays["hints"]["pi_h"].flags.writeable
    assert arrays["hints"]["pi_h"].flags.c_contiguous
    assert np.shares_memory(np.from_dlpack(arrays["inputs"]["pos"]), arrays["inputs"]["pos"])


def test_batches_cover_all_samples_once() -> None:
    samples = salsa_clrs.dataset("dfs", "val", hints=False)[:50]
    sizes = [len(batch) for batch in samples.batches(8)]
    assert sizes == [8] * 6 + [2]
    shuffled = list(samples.batches(50, rng=np.random.default_rng(1)))
    assert len(shuffled) == 1
    lengths = sorted(sample.length for sample in samples)
    assert sorted(shuffled[0].length.tolist()) == lengths
    with pytest.raises(ValueError, match="batch size"):
        next(samples.batches(0))


def test_samples_and_splits_travel_to_other_processes(tmp_path: Path) -> None:
    samples = salsa_clrs.dataset("fast_mis", "ws_16", seed=4)[3:9]
    copy = pickle.loads(pickle.dumps(samples))
    assert copy[1] == samples[1]
    assert pickle.loads(pickle.dumps(samples[0])) == samples[0]
    suite = tmp_path / "mine.toml"
    suite.write_text(
        'name = "mine"\nversion = 1\nconvention = "paper"\nseed = 7\n'
        '[[split]]\nname = "train"\nsamples = 10\ngenerator = "path"\nnodes = 4\n'
    )
    mine = salsa_clrs.dataset("bfs", "train", suite=suite)
    first, kept = mine[0], pickle.dumps(mine)
    suite.unlink()
    assert pickle.loads(kept)[0] == first
    assert (mine.seed, mine.suite, mine.convention) == (7, "mine", "paper")


def test_threads_share_a_split() -> None:
    samples = salsa_clrs.dataset("dijkstra", "er_80")
    alone = [samples.batch([index]).length[0] for index in range(40)]
    found = [0] * 40

    def work(first: int) -> None:
        for index in range(first, 40, 4):
            found[index] = samples.batch([index]).length[0]

    threads = [threading.Thread(target=work, args=(first,)) for first in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == alone


def test_mistakes_are_exceptions_of_the_right_kind(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match='unknown algorithm "dijstra", did you mean "dijkstra"'):
        salsa_clrs.dataset("dijstra", "train")
    with pytest.raises(ValueError, match='suite paper has no split "er_17", did you mean "er_1'):
        salsa_clrs.dataset("bfs", "er_17")
    with pytest.raises(ValueError, match='unknown suite "papre", did you mean "paper"'):
        salsa_clrs.dataset("bfs", "train", suite="papre")
    with pytest.raises(FileNotFoundError, match=r"none\.toml"):
        salsa_clrs.dataset("bfs", "train", suite=tmp_path / "none.toml")
    with pytest.raises(OverflowError):
        salsa_clrs.dataset("bfs", "train", seed=-1)
    with pytest.raises(ValueError, match="a batch needs at least one sample"):
        salsa_clrs.dataset("bfs", "train").batch([])
    with pytest.raises(TypeError):
        salsa_clrs.dataset("bfs", "train")["0"]
    with pytest.raises(ValueError, match="does not start with the mark"):
        salsa_clrs.Sample.from_bytes(b"nothing")


def test_specs_speak_the_words_of_clrs() -> None:
    assert salsa_clrs.ALGORITHMS == [
        "bfs",
        "dfs",
        "dijkstra",
        "mst_prim",
        "fast_mis",
        "eccentricity",
    ]
    assert salsa_clrs.SPECS["bfs"] == {
        "pos": ("input", "node", "scalar"),
        "s": ("input", "node", "mask_one"),
        "A": ("input", "edge", "scalar"),
        "adj": ("input", "edge", "mask"),
        "reach_h": ("hint", "node", "mask"),
        "pi_h": ("hint", "node", "pointer"),
        "pi": ("output", "node", "pointer"),
    }
    assert salsa_clrs.dataset("dfs", "val").specs["color"] == ("hint", "node", "categorical", 3)
    assert "color" not in salsa_clrs.dataset("dfs", "val", hints=False).specs


def test_a_sample_is_a_picture_in_a_notebook() -> None:
    sample = salsa_clrs.dataset("bfs", "er_16")[0]
    assert sample._repr_svg_().startswith("<svg")
    assert repr(sample).startswith("<Sample of bfs: 16 nodes")


def test_torch_is_imported_when_first_needed() -> None:
    script = (
        "import sys, salsa_clrs; salsa_clrs.dataset('bfs', 'train').batch([0]);"
        "assert 'torch' not in sys.modules; assert 'load_dataset' in dir(salsa_clrs)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_a_missing_torch_is_named() -> None:
    script = (
        "import sys; sys.modules['torch_geometric'] = None; import salsa_clrs\n"
        "try: salsa_clrs.load_dataset\n"
        "except ImportError as error: print(error)"
    )
    told = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    ).stdout
    assert told == "load_dataset needs torch_geometric: pip install 'salsa-clrs[geometric]'\n"
