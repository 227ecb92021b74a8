"""The published model without gradients: its time on graphs of 1600 nodes, its memory on larger.

Graphs come from `salsa generate`. Parameters come from a batch file as it is written for timing;
their values do not matter here. The time is that of encoding, all steps and decoding, as for the
published code; losses are left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from case import Case
from on_device import on_device
from published import Published
from step import timed

MEBIBYTE = 2**20


def read_graphs(path: Path) -> list[dict[str, Any]]:
    """Samples as `salsa generate` writes them, one a line."""
    with path.open() as lines:
        return [json.loads(line) for line in lines]


def batches(samples: list[dict[str, Any]], size: int, case: Case) -> Iterator[Case]:
    """The samples, so many together, as batches for the model of a case; outputs are left out."""
    for first in range(0, len(samples), size):
        yield replace(case, batch=join(samples[first : first + size], case.inputs))


def join(samples: list[dict[str, Any]], inputs: list[str]) -> dict[str, Tensor]:
    """One disconnected graph with node inputs."""
    sizes = torch.tensor([sample["n"] for sample in samples])
    first = sizes.cumsum(0) - sizes
    edges = [torch.tensor(sample["edge_index"]) + start for sample, start in zip(samples, first)]
    joined = {
        "edge_index": torch.cat(edges, dim=1),
        "graph": torch.arange(len(samples)).repeat_interleave(sizes),
        "length": torch.tensor([sample["length"] for sample in samples]),
    }
    for name in inputs:
        values = [torch.tensor(sample["inputs"][name]["data"]) for sample in samples]
        joined[name] = torch.cat(values).float()
    return joined


@torch.no_grad()
def time_per_graph(cases: list[Case], seconds: float, device: torch.device) -> list[float]:
    """Milliseconds for one graph, a value for each batch that was predicted, after a warm-up."""
    model = Published(on_device(cases[0], device)).eval()
    there = [on_device(case, device) for case in cases]
    turns = [lambda case=case: model.predict(case) for case in there]
    timed(turns, seconds, device)
    times = timed(turns, seconds, device)
    return [time / cases[turn % len(cases)].n_graphs for turn, time in enumerate(times)]


@torch.no_grad()
def peak_memory(case: Case, device: torch.device) -> float:
    """MiB that a prediction takes on the GPU, its batch included.

    Not included: the model, and what libraries keep for themselves from the first call on.
    """
    model = Published(on_device(case, device)).eval()
    model.predict(on_device(case, device))
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    model.predict(on_device(case, device))
    return (torch.cuda.max_memory_allocated() - before) / MEBIBYTE
