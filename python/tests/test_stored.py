"""Data sets read from the files of `salsa generate` and of `save`, mapped into memory."""

from __future__ import annotations

import json
import pickle
import shutil
from pathlib import Path

import numpy as np
import pytest
import salsa_clrs
from salsa_clrs import _core

SUITE = """\
name = "mine"
version = 1
convention = "release"
seed = 7
[[split]]
name = "train"
samples = 40
generator = "er"
nodes = [4, 7, 11]
p = { min = 0.4, max = 0.6 }
"""


def equal(a: salsa_clrs.Batch, b: salsa_clrs.Batch) -> None:
    for stage in ("inputs", "hints", "outputs"):
        ours, theirs = getattr(a, stage), getattr(b, stage)
        assert list(ours) == list(theirs)
        for name in ours:
            np.testing.assert_array_equal(ours[name], theirs[name])
    np.testing.assert_array_equal(a.edge_index, b.edge_index)
    np.testing.assert_array_equal(a.length, b.length)


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text(SUITE)
    return path


@pytest.mark.parametrize("hints", [False, True])
@pytest.mark.parametrize("name", salsa_clrs.algorithms())
def test_what_is_read_is_what_would_be_made(
    name: str, hints: bool, suite: Path, tmp_path: Path
) -> None:
    made = salsa_clrs.dataset(name, "train", suite=suite)
    folder = made.save(tmp_path / "data", hints=hints)
    assert folder == tmp_path / "data" / f"mine-{name}-train.arrow"
    read = salsa_clrs.dataset(name, "train", suite=suite, root=tmp_path / "data")
    assert (made.folder, read.folder) == (None, folder)
    assert len(read) == len(made) == 40
    assert [one.content_hash for one in read] == [one.content_hash for one in made]
    equal(read.batch(range(40)), made.batch(range(40)))
    equal(read[3:9].batch([0, 5]), made[3:9].batch([0, 5]))
    copy = pickle.loads(pickle.dumps(read))
    assert copy.folder == folder
    assert copy[39].content_hash == made[39].content_hash


def test_what_the_command_writes_is_read(tmp_path: Path) -> None:
    out = str(tmp_path / "data")
    words = ["generate", "--suite", "release", "--algorithm", "dijkstra", "--split", "er_16,val"]
    assert _core.command(["salsa", *words, "--out", out]) == 0
    for split in ("er_16", "val"):
        read = salsa_clrs.dataset("dijkstra", split, suite="release", root=out)
        made = salsa_clrs.dataset("dijkstra", split, suite="release")
        equal(read.batch([0, 999, 17]), made.batch([0, 999, 17]))


def test_other_data_are_not_taken_for_these(suite: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"

    def load(**given: object) -> salsa_clrs.Samples:
        return salsa_clrs.dataset("bfs", "train", suite=suite, root=data, **given)

    with pytest.raises(FileNotFoundError, match="there is no data set mine train for bfs"):
        load()
    made = salsa_clrs.dataset("bfs", "train", suite=suite)
    made[:10].save(data)
    with pytest.raises(ValueError, match="it has 10 samples, 40 are needed"):
        load()
    made.save(data)
    assert load()[39] == made[39]
    with pytest.raises(ValueError, match="seed: expected 8, found 7; make it again"):
        load(seed=8)
    for before, after, what in [
        ("version = 1", "version = 2", "suite version: expected 2, found 1"),
        ("release", "paper", "convention: expected paper, found release"),
        ("[4, 7, 11]", "[4, 7, 12]", "distribution: expected"),
    ]:
        suite.write_text(SUITE.replace(before, after))
        with pytest.raises(ValueError, match=what):
            load()
    suite.write_text("# A remark changes nothing.\n" + SUITE)
    assert load()[39] == made[39]


def test_damage_is_told(suite: Path, tmp_path: Path) -> None:
    made = salsa_clrs.dataset("bfs", "train", suite=suite)
    folder = made.save(tmp_path)
    shard = folder / "00000.arrow"
    bytes_ = bytearray(shard.read_bytes())
    middle = len(bytes_) // 2
    bytes_[middle] ^= 4
    shard.unlink()
    shard.write_bytes(bytes_)
    with pytest.raises(ValueError, match=r"00000\.arrow"):
        salsa_clrs.dataset("bfs", "train", suite=suite, root=tmp_path).batch(range(40))
    shard.unlink()
    with pytest.raises(FileNotFoundError, match=r"00000\.arrow"):
        salsa_clrs.dataset("bfs", "train", suite=suite, root=tmp_path)
    shutil.rmtree(folder)
    with pytest.raises(FileNotFoundError):
        salsa_clrs.dataset("bfs", "train", suite=suite, root=tmp_path)
    Path(f"{folder}.manifest.json").write_text("{}")
    with pytest.raises(ValueError, match=r"manifest\.json"):
        salsa_clrs.dataset("bfs", "train", suite=suite, root=tmp_path)


def test_a_data_set_that_goes_away_is_missed(suite: Path, tmp_path: Path) -> None:
    made = salsa_clrs.dataset("bfs", "train", suite=suite)
    data = tmp_path / "data"
    made.save(data)
    sent = pickle.dumps(salsa_clrs.dataset("bfs", "train", suite=suite, root=data))
    shutil.rmtree(data)
    with pytest.raises(FileNotFoundError, match="the data set is gone"):
        pickle.loads(sent)


def test_files_cannot_be_written_everywhere(suite: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        salsa_clrs.dataset("bfs", "train", suite=suite).save(tmp_path / "file" / "data")


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("algorithm", ["bfs", "fast_mis"])
def test_the_loader_reads_files(workers: int, algorithm: str, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("torch_geometric")

    def load(root: Path | None) -> salsa_clrs.SALSACLRSDataset:
        kwargs = {"n": [4, 8], "p_range": (0.4, 0.6)}
        return salsa_clrs.SALSACLRSDataset(
            root, "train", algorithm, 21, graph_generator_kwargs=kwargs, verify_duplicates=True
        )

    made = load(None)
    folder = made.save(tmp_path)
    read = load(tmp_path)
    assert (made.folder, read.folder) == (None, folder)
    loader = salsa_clrs.SALSACLRSDataLoader(read, batch_size=8, num_workers=workers)
    plain = salsa_clrs.SALSACLRSDataLoader(made, batch_size=8)
    for ours, theirs in zip(loader, plain):
        for name in (*theirs.inputs, *theirs.hints, *theirs.outputs):
            assert torch.equal(ours[name], theirs[name]), name
    assert list(read.graph_keys()) == list(made.graph_keys())
    # A distribution of one's own is verified like a suite.
    assert _core.command(["salsa", "verify", str(tmp_path)]) == 0
    with pytest.raises(ValueError, match="the data set has none"):
        made.save()


def test_the_benchmark_is_read_from_its_folder(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("torch_geometric")
    salsa_clrs.dataset("bfs", "val", suite="release").save(tmp_path)
    read = salsa_clrs.load_dataset("bfs", "val", tmp_path)
    made = salsa_clrs.load_dataset("bfs", "val")
    assert read.folder is not None
    assert made.folder is None
    assert torch.equal(read[7].pi, made[7].pi)
    assert salsa_clrs.load_dataset("bfs", "train", tmp_path).folder is None
    with pytest.raises(ValueError, match="seed: expected 3"):
        salsa_clrs.load_dataset("bfs", "val", tmp_path, seed=3)
    manifest = json.loads((tmp_path / "release-bfs-val.arrow.manifest.json").read_text())
    assert manifest["samples"] == 1000
