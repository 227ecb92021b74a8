#!/usr/bin/env python3
"""How good trained networks are in half precision, with which the published code computes.

    results/2026-11-16-table1/half.py CHECKPOINT... --sets er_160,delaunay_160 --graphs 50

The twins in PyTorch answer on the same graphs in single precision and under autocast to float16.
A line of JSON for each checkpoint and set.
"""

import argparse
import contextlib
import json
from pathlib import Path

import salsa_clrs
import torch
from salsa_clrs.models import load

TOGETHER = 5


def metrics(model: torch.nn.Module, tests: salsa_clrs.Samples, half: bool) -> dict[str, float]:
    scores: dict[str, list[torch.Tensor]] = {}
    rounded = torch.autocast("cpu", dtype=torch.float16) if half else contextlib.nullcontext()
    with torch.no_grad(), rounded:
        for first in range(0, len(tests), TOGETHER):
            batch = tests.batch(range(first, min(first + TOGETHER, len(tests))))
            for name, values in model(batch).outputs.items():
                scores.setdefault(name, []).append(values.float().numpy())
    evaluator = salsa_clrs.Evaluator(tests.algorithm)
    return evaluator.eval({"dataset": tests, **scores})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkpoints", nargs="+", type=Path)
    parser.add_argument("--sets", default="er_160,ws_160,delaunay_160")
    parser.add_argument("--graphs", type=int, default=50)
    given = parser.parse_args()
    for checkpoint in given.checkpoints:
        model = load(checkpoint).eval()
        algorithm = checkpoint.name.split("-")[0]
        for split in given.sets.split(","):
            tests = salsa_clrs.dataset(algorithm, split, suite="release", hints=False)
            tests = tests[: given.graphs]
            row = {"checkpoint": checkpoint.stem, "set": split, "graphs": given.graphs}
            for name, half in (("single", False), ("half", True)):
                row[name] = {k: round(v, 4) for k, v in metrics(model, tests, half).items()}
            print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
