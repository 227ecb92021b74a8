#!/usr/bin/env python3
"""How good BFS by GIN is on Delaunay graphs after every epoch of one training.

    results/2026-11-16-table1/epochs.py FOLDER --epochs 13 --samples 30 [--salsa PROGRAM]

Trains an epoch at a time in FOLDER, which changes no bit of it, and evaluates what it has then. A
line of JSON for each epoch: its validation loss and the node accuracies.
"""

import argparse
import json
import subprocess
from pathlib import Path

SETS = "er_160,delaunay_160,delaunay_800"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--epochs", type=int, default=13)
    parser.add_argument("--samples", type=int, default=30)
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--salsa", default="salsa")
    given = parser.parse_args()
    network = ["--algorithm", "bfs", "--model", "gin", "--convention", "release"]
    first = [*network, "--seed", str(given.seed), "--out", str(given.folder)]
    for epoch in range(1, given.epochs + 1):
        words = first if epoch == 1 else ["--resume", str(given.folder)]
        train = [given.salsa, "train", *words, "--epochs", str(epoch)]
        subprocess.run(train, check=True, capture_output=True)
        lines = (given.folder / "log.jsonl").read_text().splitlines()
        logged = [json.loads(line) for line in lines]
        losses = [line["validation_loss"] for line in logged if "validation_loss" in line]
        evaluate = [given.salsa, "evaluate", str(given.folder / "last.safetensors")]
        evaluate += ["--split", SETS, "--samples", str(given.samples), "--format", "json"]
        printed = subprocess.run(evaluate, check=True, capture_output=True).stdout
        row = {"seed": given.seed, "epoch": epoch, "validation_loss": round(losses[-1], 4)}
        for split in json.loads(printed)["splits"]:
            row[split["split"]] = round(split["metrics"]["node_accuracy"]["mean"], 3)
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
