#!/usr/bin/env python3
"""How long the whole table without hints would take on one GPU now: not measured, but scaled.

    results/2026-11-16-gpu-training/estimate.py

Takes what `../2026-11-16-table1/estimate.py` says of every kind of network, from trainings and
evaluations that were done, and scales it by how much faster the same measurements are now: training
by the time of five runs at once, without hints, of each model; evaluation by inference at 1600 nodes.
"""

import csv
import json
import re
import subprocess
import sys
from pathlib import Path
from statistics import fmean

HERE = Path(__file__).parent
BEFORE = HERE.parent / "2026-11-15-gpu"
SEEDS = 5


def five_at_once(file: Path) -> dict[tuple[str, str], float]:
    rows = (line.split() for line in file.read_text().splitlines())
    return {(row[0], row[1]): float(row[-1]) for row in rows if len(row) > 3 and row[2] == "no"}


def ratio(now: dict[tuple[str, str], float], before: dict[tuple[str, str], float], model: str) -> float:
    return fmean(now[key] / before[key] for key in now if key[1] == model and key in before)


training = [five_at_once(folder / "side-by-side.txt") for folder in (HERE, BEFORE)]
rows = csv.DictReader((HERE / "infer" / "infer.csv").open())
lines = [json.loads(line) for line in (BEFORE / "infer.jsonl").read_text().splitlines()]
inference = [
    {(row["graphs"], row["model"]): float(row["salsa_ms"]) for row in rows if row["batch"] == "8"},
    {(row["graphs"], row["model"]): row["salsa_ms"] for row in lines if "salsa_ms" in row},
]

table = HERE.parent / "2026-11-16-table1" / "estimate.py"
text = subprocess.run([sys.executable, table], check=True, capture_output=True, text=True).stdout
totals = {"training": 0.0, "evaluation": 0.0}
for model in ("gin", "pgn", "recgnn"):
    faster = ratio(*training, model), ratio(*inference, model)
    print(f"{model:7} training takes {faster[0]:.2f} of the time, inference {faster[1]:.2f}")
    found = rf"\w+-{model} +([\d.]+) s an epoch, +(\d+) of them, tests +(\d+) s"
    for epoch, epochs, tests in re.findall(found, text):
        totals["training"] += float(epoch) * int(epochs) * faster[0]
        totals["evaluation"] += int(tests) * faster[1]
print(", ".join(f"{what} {SEEDS * seconds / 3600:.1f} h" for what, seconds in totals.items()))
