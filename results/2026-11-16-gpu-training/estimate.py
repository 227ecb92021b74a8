#!/usr/bin/env python3
"""How long the whole table without hints takes on one GPU: 90 trainings and their evaluation.

    results/2026-11-16-gpu-training/estimate.py measure SALSA [FILE]    on a machine with a GPU
    results/2026-11-16-gpu-training/estimate.py                         what the file says in all

Of every algorithm and model five seeds are trained side by side for two epochs, of which the second
counts, as the slowest of them logged it, and one network is tested on a tenth of the graphs: 100 of
each set up to 160 nodes and ten of 800 and 1600, less the time of testing one small graph. Epochs
are as many as the trainings of the table took on average (`../2026-11-16-table1/records`, 100 where
there is none); graphs ten times as many.
"""

import json
import subprocess
import sys
import time
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

HERE = Path(__file__).parent
RECORDS = HERE.parent / "2026-11-16-table1" / "records"
ALGORITHMS, MODELS = ("bfs", "mis", "eccentricity", "dijkstra", "mst", "dfs"), ("gin", "pgn", "recgnn")
SEEDS, PART = 5, 10
FAMILIES = ("er", "ws", "delaunay")
SETS = {1000 // PART: (16, 80, 160), 100 // PART: (800, 1600)}


def run(*command: str) -> float:
    begin = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - begin


def epoch_seconds(log: Path) -> list[float]:
    lines = (json.loads(line) for line in log.read_text().splitlines())
    return [line["seconds"] for line in lines if "seconds" in line]


def measured(salsa: str, algorithm: str, model: str) -> dict:
    with TemporaryDirectory() as folder:
        options = ["-a", algorithm, "-m", model, "--convention", "release", "--device", "cuda"]
        run(salsa, "train", *options, "--seeds", "42..46", "--epochs", "2", "--out", folder)
        epoch = max(epoch_seconds(log)[-1] for log in Path(folder).glob("seed-*/log.jsonl"))
        test = [salsa, "evaluate", f"{folder}/seed-42", "--device", "cuda"]
        start = run(*test, "--split", "er_16", "--samples", "1")
        sets = {}
        for samples, sizes in SETS.items():
            for size in sizes:
                split = ",".join(f"{family}_{size}" for family in FAMILIES)
                sets[size] = run(*test, "--split", split, "--samples", str(samples)) - start
    return {"algorithm": algorithm, "model": model, "epoch_s": epoch, "start_s": start, "sets_s": sets}


def n_epochs(algorithm: str, model: str) -> float:
    files = sorted(RECORDS.glob(f"{algorithm}-{model}-*"))
    trained = [json.loads(file.read_text())["circumstances"]["epoch_seconds"] for file in files]
    return fmean(map(len, trained)) if trained else 100.0


def show(cells: list[dict]) -> None:
    training = evaluation = 0.0
    for cell in cells:
        epochs = n_epochs(cell["algorithm"], cell["model"])
        five, tests = cell["epoch_s"] * epochs, PART * sum(cell["sets_s"].values())
        training, evaluation = training + five, evaluation + SEEDS * tests
        name = f"{cell['algorithm']}-{cell['model']}"
        print(f"{name:20} five at once {cell['epoch_s']:5.2f} s an epoch, {epochs:5.1f} of them, tests {tests:5.0f} s")
    print(f"training {training / 3600:.2f} h, evaluation {evaluation / 3600:.2f} h")


file = Path(sys.argv[3]) if len(sys.argv) > 3 else HERE / "cells.jsonl"
if sys.argv[1:2] == ["measure"]:
    with file.open("w") as to:
        for algorithm in ALGORITHMS:
            for model in MODELS:
                print(json.dumps(measured(sys.argv[2], algorithm, model)), file=to, flush=True)
show([json.loads(line) for line in file.read_text().splitlines()])
