"""Times one training step over a folder of batches.

    python step.py --implementation published|plain|compiled|captured --threads 2 --batches DIR

A step is zero_grad, forward, losses, backward, clipping the gradient norm at 1.0 and AdamW.
Files are named `<algorithm>-<processor>[-hints]-<k>.safetensors`; all files that share a name up
to k are one cell, timed in turn with one model. Batches are read and laid out beforehand, and
with `--device cuda` they lie on the GPU.
Prints one line of JSON (or text) for each cell.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch
import torch_geometric

from captured import Captured
from case import Case, read_case
from implementations import IMPLEMENTATIONS
from on_device import on_device

LEARNING_RATES = {"RecGNN": 0.0008}
DEFAULT_LEARNING_RATE = 0.0004239
CLIP_NORM = 1.0


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--implementation", choices=sorted(IMPLEMENTATIONS), required=True)
    arguments.add_argument("--batches", type=Path, required=True, help="folder of batch files")
    arguments.add_argument("--only", default="", help="only cells whose name contains this")
    arguments.add_argument("--device", type=torch.device, default="cpu", help="cpu or cuda")
    arguments.add_argument("--threads", type=int, default=2)
    arguments.add_argument("--warmup", type=int, default=3, help="rounds over the batches")
    arguments.add_argument("--seconds", type=float, default=5.0, help="time for each cell")
    arguments.add_argument("--format", choices=["json", "text"], default="json")
    options = arguments.parse_args()
    if options.implementation == "captured" and options.device.type != "cuda":
        arguments.error("captured: expected --device cuda")
    torch.set_num_threads(options.threads)
    full_precision()
    found = cells(options.batches)
    if not found:
        arguments.error(f"{options.batches}: no batch files")
    for name, paths in found.items():
        if options.only not in name:
            continue
        batches = [read_case(path) for path in paths]
        row = describe(batches[0], options.implementation, options.device)
        try:
            row |= measure(batches, options)
        except Exception as error:  # a cell that fails is a row that says so
            if options.implementation != "compiled":
                raise
            row["error"] = f"{type(error).__name__}: {str(error).splitlines()[0]}"
        print(json.dumps(row) if options.format == "json" else as_text(row), flush=True)


def full_precision() -> None:
    """Products in float32 all the way, never in TF32."""
    torch.set_float32_matmul_precision("highest")
    torch.backends.cudnn.allow_tf32 = False


def cells(folder: Path) -> dict[str, list[Path]]:
    """Batch files by the name of their cell, sorted."""
    found: dict[str, list[Path]] = {}
    for path in sorted(folder.glob("*.safetensors")):
        found.setdefault(path.stem.rpartition("-")[0], []).append(path)
    return found


def describe(case: Case, implementation: str, device: torch.device) -> dict[str, Any]:
    """The part of a row that is known before measuring."""
    return {
        "implementation": implementation,
        "algorithm": case.algorithm,
        "processor": case.processor.lower(),
        "hints": case.with_hints,
        "device": device.type,
        "threads": torch.get_num_threads(),
        "versions": versions(),
    }


def versions() -> dict[str, str]:
    return {
        "torch": torch.__version__,
        "torch_geometric": torch_geometric.__version__,
        "python": platform.python_version(),
    }


def measure(batches: list[Case], options: argparse.Namespace) -> dict[str, Any]:
    """The part of a row that is measured."""
    steps = training_steps(batches, options.implementation, options.device)
    (first_ms,) = timed(steps[:1], 0.0, options.device)
    for _ in range(options.warmup):
        for step in steps:
            step()
    times = timed(steps, options.seconds, options.device)
    return summary(times) | {"first_step_ms": round(first_ms, 1)}


def timed(steps: list[Callable[[], Any]], seconds: float, device: torch.device) -> list[float]:
    """Milliseconds of steps in turn, until the time is over and all had as many turns.

    As in a training, a GPU is not waited for between steps, only when it has two turns of all left
    to do and after the last step: the mean says what a step takes, single values do not.
    """
    times: list[float] = []
    wait_for(device)
    end = time.perf_counter() + seconds
    last_turns = None
    while time.perf_counter() < end or not times or len(times) % len(steps):
        start = time.perf_counter()
        turn = len(times) % len(steps)
        steps[turn]()
        if turn + 1 == len(steps) and device.type == "cuda":
            turns = torch.cuda.Event()
            turns.record()
            if last_turns:
                last_turns.synchronize()
            last_turns = turns
        times.append(1e3 * (time.perf_counter() - start))
    start = time.perf_counter()
    wait_for(device)
    times[-1] += 1e3 * (time.perf_counter() - start)
    return times


def wait_for(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize()


def summary(times: list[float]) -> dict[str, Any]:
    return {
        "steps": len(times),
        "median_ms": round(statistics.median(times), 4),
        "mean_ms": round(statistics.fmean(times), 4),
    }


def training_steps(
    batches: list[Case], implementation: str, device: torch.device
) -> list[Callable[[], Any]]:
    """The step on each batch, laid out for it, with one model and its optimiser."""
    model: Any = IMPLEMENTATIONS[implementation](on_device(batches[0], device))
    model.train()
    rate = LEARNING_RATES.get(batches[0].processor, DEFAULT_LEARNING_RATE)
    parameters = list(model.parameters())
    optimizer = torch.optim.AdamW(
        parameters,
        lr=rate,
        weight_decay=0.01,
        fused=None if implementation == "published" else True,
        capturable=implementation == "captured",
    )

    def step(batch: Any) -> None:
        optimizer.zero_grad()
        model(batch).losses.total.backward()
        torch.nn.utils.clip_grad_norm_(parameters, CLIP_NORM)
        optimizer.step()

    steps = [partial(step, on_device(model.prepare(batch), device)) for batch in batches]
    return [Captured(step) for step in steps] if implementation == "captured" else steps


def as_text(row: dict[str, Any]) -> str:
    cell = f"{row['algorithm']} {row['processor']}{' hints' if row['hints'] else ''}"
    result = (
        row.get("error")
        or f"{row['median_ms']:9.2f} ms (mean {row['mean_ms']:.2f}, {row['steps']} steps)"
    )
    return f"{row['implementation']:9} {cell:32} {result}"


if __name__ == "__main__":
    main()
