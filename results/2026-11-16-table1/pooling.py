#!/usr/bin/env python3
"""What summing in half precision, as the published code does, makes of eccentricity.

    results/2026-11-16-table1/pooling.py CHECKPOINT... --sets er_1600,ws_800 --graphs 100

The answer of a graph is the mean of a number for each of its nodes. Under autocast that number is a
float16, and PyTorch Geometric's mean adds such numbers up one by one in their own type: from 4096 on
a float16 is a multiple of 4, and from 2048 on of 2. The twins answer in single precision, once with
an exact mean and once with that sum, in the order of the nodes (a GPU's order is any). A line of
JSON for each checkpoint and set.
"""

import argparse
import json
from pathlib import Path

import numpy as np
import salsa_clrs
import torch
from salsa_clrs.models import coders, load


def half_mean(
    values: torch.Tensor, segment: torch.Tensor, n_segments: int, how: str
) -> torch.Tensor:
    assert (n_segments, how) == (1, "mean")
    numbers = values.numpy().astype(np.float16)
    total = np.add.accumulate(numbers, dtype=np.float16)[-1]
    return torch.tensor([float(total / np.float16(len(numbers)))])


def answers(model: torch.nn.Module, tests: salsa_clrs.Samples) -> np.ndarray:
    with torch.no_grad():
        outputs = (model(tests.batch([index])).outputs for index in range(len(tests)))
        return np.concatenate([output["eccentricity"].numpy() for output in outputs])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkpoints", nargs="+", type=Path)
    parser.add_argument("--sets", default="er_800,er_1600,ws_800,ws_1600")
    parser.add_argument("--graphs", type=int, default=100)
    given = parser.parse_args()
    exact = coders.reduce
    for checkpoint in given.checkpoints:
        model = load(checkpoint).eval()
        for split in given.sets.split(","):
            tests = salsa_clrs.dataset("eccentricity", split, suite="release", hints=False)
            tests = tests[: given.graphs]
            row = {"checkpoint": checkpoint.stem, "set": split, "graphs": len(tests)}
            for name, mean in (("exact", exact), ("half", half_mean)):
                coders.reduce = mean
                found = {"dataset": tests, "eccentricity": answers(model, tests)}
                row[name] = salsa_clrs.Evaluator("eccentricity").eval(found)["graph_accuracy"]
            print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
