"""The recorded cases of the published code, and what a data object should hold for them."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

# Small tensors gain nothing by several threads, and lose much on a busy machine.
os.environ.setdefault("OMP_NUM_THREADS", "1")

CASES = Path(__file__).parents[2] / "crates" / "traces" / "tests" / "conformance"
BENCHMARK = ["bfs", "dfs", "dijkstra", "mst_prim", "fast_mis", "eccentricity"]


def read_cases(algorithm: str) -> list[dict[str, Any]]:
    cases = []
    for path in (CASES / f"{algorithm}.jsonl.gz", CASES / f"ties_{algorithm}.jsonl.gz"):
        if path.exists():
            with gzip.open(path, "rt") as lines:
                cases += [json.loads(line) for line in lines]
    return cases


def expected(case: dict[str, Any], *, hints: bool) -> dict[str, np.ndarray]:
    """The arrays of one case, by the words of the interface and plain loops."""
    pairs = list(zip(*case["edge_index"]))
    arrays = {
        "edge_index": np.array(case["edge_index"], dtype=np.int64),
        "length": np.array(case["length"], dtype=np.int64),
    }

    def moment(feature: dict[str, Any], data: Any) -> Any:
        if feature["type"] == "pointer":
            return [float(data[u] == v) for u, v in pairs]
        if feature["type"] == "categorical":
            return [[float(value == one) for one in range(3)] for value in data]
        return data

    for name, feature in case["inputs"].items():
        if name not in ("A", "adj"):
            arrays[name] = np.array(moment(feature, feature["data"]), dtype=np.float32)
    if "randomness" in case:
        arrays["randomness"] = np.array(case["randomness"], dtype=np.float32)
    for name, feature in case["outputs"].items():
        kind = np.float64 if feature["type"] == "pointer" else np.float32
        arrays[name] = np.array(moment(feature, feature["data"]), dtype=kind)
    for name, feature in case["hints"].items() if hints else ():
        steps = np.array([moment(feature, step) for step in feature["data"]], dtype=np.float32)
        # [T] of a graph -> [1, T]; [T, N, ...] -> [N, T, ...]
        arrays[name] = steps[None] if feature["location"] == "graph" else steps.swapaxes(0, 1)
    return arrays


@pytest.fixture(params=BENCHMARK)
def algorithm(request: pytest.FixtureRequest) -> str:
    return str(request.param)
