"""Batches without end, tensors in the same memory, and being interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from itertools import islice

import numpy as np
import pytest
import salsa_clrs

LONG = """
import sys, salsa_clrs
samples = salsa_clrs.stream("dijkstra", "er", n=2000, p=0.05)
try:
    print("ready", flush=True)
    samples.batch(range(10**6))
except KeyboardInterrupt:
    sys.exit(7)
"""


def test_a_stream_has_ever_new_samples() -> None:
    samples = salsa_clrs.stream("bfs", "er", n=[8, 16], p_range=(0.3, 0.5))
    hashes = {one.content_hash for one in samples[:200]}
    assert len(hashes) == 200
    assert samples[10**12].n_nodes in (8, 16)
    again = salsa_clrs.stream("bfs", "er", n=[8, 16], p_range=(0.3, 0.5))
    assert again[5] == samples[5]
    assert salsa_clrs.stream("bfs", "er", n=16, p=0.4, seed=1)[0] != samples[0]
    batches = list(islice(samples.stream(4), 3))
    np.testing.assert_array_equal(batches[2].length, samples.batch(range(8, 12)).length)
    late = next(samples.stream(4, start=2))
    np.testing.assert_array_equal(late.edge_index, batches[2].edge_index)


def test_a_split_goes_round_and_round() -> None:
    samples = salsa_clrs.dataset("bfs", "train")[:6]
    lengths = np.concatenate([batch.length for batch in islice(samples.stream(4), 3)])
    np.testing.assert_array_equal(lengths, [one.length for one in [*samples, *samples]])
    rng = np.random.default_rng(3)
    shuffled = np.concatenate([batch.length for batch in islice(samples.stream(3, rng=rng), 4)])
    for one_round in (shuffled[:6], shuffled[6:]):
        assert sorted(one_round) == sorted(one.length for one in samples)
    with pytest.raises(ValueError, match="no samples"):
        next(samples[:0].stream(2))
    with pytest.raises(ValueError, match="batch size"):
        next(samples.stream(0))


def test_tensors_lie_in_the_memory_of_the_arrays() -> None:
    torch = pytest.importorskip("torch")
    for split in ("train", "er_16"):
        batch = salsa_clrs.dataset("dfs", split).batch(range(4))
        tensors = batch.torch()
        assert tensors.edge_index.data_ptr() == batch.edge_index.ctypes.data
        assert tensors.hints["pi_h"].data_ptr() == batch.hints["pi_h"].ctypes.data
        assert len(tensors) == 4
        shared = torch.from_dlpack(batch.inputs["pos"])
        assert shared.data_ptr() == batch.inputs["pos"].ctypes.data
        assert np.from_dlpack(tensors.outputs["pi"]).ctypes.data == batch.outputs["pi"].ctypes.data


@pytest.mark.skipif(os.name == "nt", reason="signals are those of Unix")
def test_ctrl_c_ends_long_work() -> None:
    command = [sys.executable, "-c", LONG]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "ready\n"
        running.send_signal(signal.SIGINT)
        assert running.wait(timeout=60) == 7


def test_a_drawing_can_be_saved(tmp_path: object) -> None:
    drawing = salsa_clrs.draw(salsa_clrs.dataset("mst", "er_16")[0], size=300, dark=True)
    drawing.save(f"{tmp_path}/mst.svg")
    with open(f"{tmp_path}/mst.svg", encoding="utf-8") as file:
        assert file.read() == drawing._repr_svg_()
    assert repr(drawing).startswith("<Drawing of ")


def test_a_stream_can_be_drawn_from_at_random() -> None:
    def nodes(seed: int) -> list[int]:
        endless = salsa_clrs.stream("bfs", "er", n=[4, 8, 16], p=0.5)
        batches = endless.stream(4, rng=np.random.default_rng(seed))
        return [next(batches).edge_index.shape[1] for _ in range(5)]

    assert nodes(1) == nodes(1) != nodes(2)
    endless = salsa_clrs.stream("bfs", "er", n=8, p=0.5)
    with pytest.raises(ValueError, match="cannot be shuffled"):
        next(endless.batches(4, rng=np.random.default_rng(1)))
