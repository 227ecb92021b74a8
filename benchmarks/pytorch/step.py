"""Times one training step over a folder of batches.

    python step.py --implementation published|plain|compiled --threads 2 --batches DIR

A step is zero_grad, forward, losses, backward, clipping the gradient norm at 1.0 and AdamW.
Files are named `<algorithm>-<processor>[-hints]-<k>.safetensors`; all files that share a name up
to k are one cell, timed in turn with one model. Batches are read and laid out beforehand.
Prints one line of JSON (or text) for each cell.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch_geometric

from case import Case, read_case
from implementations import IMPLEMENTATIONS

LEARNING_RATES = {"RecGNN": 0.0008}
DEFAULT_LEARNING_RATE = 0.0004239
CLIP_NORM = 1.0


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--implementation", choices=sorted(IMPLEMENTATIONS), required=True)
    arguments.add_argument("--batches", type=Path, required=True, help="folder of batch files")
    arguments.add_argument("--only", default="", help="only cells whose name contains this")
    arguments.add_argument("--threads", type=int, default=2)
    arguments.add_argument("--warmup", type=int, default=3, help="rounds over the batches")
    arguments.add_argument("--seconds", type=float, default=5.0, help="time for each cell")
    arguments.add_argument("--format", choices=["json", "text"], default="json")
    options = arguments.parse_args()
    torch.set_num_threads(options.threads)
    found = cells(options.batches)
    if not found:
        arguments.error(f"{options.batches}: no batch files")
    for name, paths in found.items():
        if options.only not in name:
            continue
        row = describe(paths[0], options)
        try:
            row |= measure(paths, options)
        except Exception as error:  # a cell that fails is a row that says so
            if options.implementation != "compiled":
                raise
            row["error"] = f"{type(error).__name__}: {str(error).splitlines()[0]}"
        print(json.dumps(row) if options.format == "json" else as_text(row), flush=True)


def cells(folder: Path) -> dict[str, list[Path]]:
    """Batch files by the name of their cell, sorted."""
    found: dict[str, list[Path]] = {}
    for path in sorted(folder.glob("*.safetensors")):
        found.setdefault(path.stem.rpartition("-")[0], []).append(path)
    return found


def describe(path: Path, options: argparse.Namespace) -> dict[str, Any]:
    """The part of a row that is known before measuring."""
    case = read_case(path)
    return {
        "implementation": options.implementation,
        "algorithm": case.algorithm,
        "processor": case.processor.lower(),
        "hints": case.with_hints,
        "threads": options.threads,
        "versions": {
            "torch": torch.__version__,
            "torch_geometric": torch_geometric.__version__,
            "python": platform.python_version(),
        },
    }


def measure(paths: list[Path], options: argparse.Namespace) -> dict[str, Any]:
    """Times steps until the time is over and every batch had its turn."""
    batches = [read_case(path) for path in paths]
    step, prepared = training_step(batches, options.implementation)
    start = time.perf_counter()
    step(prepared[0])
    first_ms = 1e3 * (time.perf_counter() - start)
    for _ in range(options.warmup):
        for batch in prepared:
            step(batch)
    times: list[float] = []
    end = time.perf_counter() + options.seconds
    while time.perf_counter() < end or len(times) % len(prepared):
        start = time.perf_counter()
        step(prepared[len(times) % len(prepared)])
        times.append(1e3 * (time.perf_counter() - start))
    return {
        "steps": len(times),
        "median_ms": round(statistics.median(times), 3),
        "mean_ms": round(statistics.fmean(times), 3),
        "first_step_ms": round(first_ms, 1),
    }


def training_step(
    batches: list[Case], implementation: str
) -> tuple[Callable[[Any], None], list[Any]]:
    """One model with its optimiser, and the batches laid out for it."""
    model: Any = IMPLEMENTATIONS[implementation](batches[0])
    model.train()
    prepared = [model.prepare(batch) for batch in batches]
    rate = LEARNING_RATES.get(batches[0].processor, DEFAULT_LEARNING_RATE)
    parameters = list(model.parameters())
    fused = None if implementation == "published" else True
    optimizer = torch.optim.AdamW(parameters, lr=rate, weight_decay=0.01, fused=fused)

    def step(batch: Any) -> None:
        optimizer.zero_grad()
        model(batch).losses.total.backward()
        torch.nn.utils.clip_grad_norm_(parameters, CLIP_NORM)
        optimizer.step()

    return step, prepared


def as_text(row: dict[str, Any]) -> str:
    cell = f"{row['algorithm']} {row['processor']}{' hints' if row['hints'] else ''}"
    result = (
        row.get("error")
        or f"{row['median_ms']:9.2f} ms (mean {row['mean_ms']:.2f}, {row['steps']} steps)"
    )
    return f"{row['implementation']:9} {cell:32} {result}"


if __name__ == "__main__":
    main()
