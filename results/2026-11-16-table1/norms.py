#!/usr/bin/env python3
"""Whether the batch norms of GIN are why it is worse in evaluation than in training.

    results/2026-11-16-table1/norms.py CHECKPOINT... --batches 60

A norm takes the statistics of its batch in training and running ones in evaluation, the same for
all steps of an execution, and the last steps of the last batches count most in them. The twins
answer on batches of 8 of the validation set with the running statistics of the checkpoint
(*running*), with the means of all steps of 200 training batches, the weights as they are (*even*),
and with those of each step and batch itself, as in training (*own*). Batches of 8 of the training
set with *own* and *running* statistics are beside it. A line of JSON for each checkpoint: mean
squared error and graph accuracy.
"""

import argparse
import json
from pathlib import Path

import salsa_clrs
import torch
from salsa_clrs.models import load

SIZE = 8
TRAINING_BATCHES = 200


def norms(model: torch.nn.Module) -> list[torch.nn.BatchNorm1d]:
    return [part for part in model.modules() if isinstance(part, torch.nn.BatchNorm1d)]


def use_own(model: torch.nn.Module) -> None:
    """Norms as in training, and nothing that they learn is kept."""
    for norm in norms(model):
        norm.train()
        norm.momentum = 0.0


def use_even(model: torch.nn.Module, samples: salsa_clrs.Samples) -> None:
    """Running statistics are the means over all steps of some training batches."""
    for norm in norms(model):
        norm.reset_running_stats()
        norm.train()
        norm.momentum = None
    for place in range(TRAINING_BATCHES):
        model(samples.batch(range(SIZE * place, SIZE * (place + 1))))
    model.eval()


def measured(model: torch.nn.Module, samples: salsa_clrs.Samples, n_batches: int) -> list[float]:
    errors, right = [], []
    for place in range(n_batches):
        batch = samples.batch(range(SIZE * place, SIZE * (place + 1)))
        found = model(batch).outputs["eccentricity"].flatten()
        wanted = torch.from_numpy(batch.outputs["eccentricity"]).flatten()
        errors += ((found - wanted) ** 2).tolist()
        right += (found.round() == wanted.round()).tolist()
    return [round(sum(errors) / len(errors), 4), round(sum(right) / len(right), 4)]


@torch.no_grad()
def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkpoints", nargs="+", type=Path)
    parser.add_argument("--batches", type=int, default=60)
    given = parser.parse_args()
    of_split = {
        split: salsa_clrs.dataset("eccentricity", split, suite="release", hints=False)
        for split in ("train", "val")
    }
    for checkpoint in given.checkpoints:
        model = load(checkpoint)
        row = {"checkpoint": str(checkpoint), "batches": given.batches}
        for split, samples in of_split.items():
            row[f"{split} running"] = measured(model, samples, given.batches)
        use_even(model, of_split["train"])
        row["val even"] = measured(model, of_split["val"], given.batches)
        use_own(model)
        for split, samples in of_split.items():
            row[f"{split} own"] = measured(model, samples, given.batches)
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
