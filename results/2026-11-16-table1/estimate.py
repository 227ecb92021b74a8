#!/usr/bin/env python3
"""How long the whole table without hints takes on one GPU: 90 trainings and their evaluation.

    results/2026-11-16-table1/estimate.py

Of every kind seed 42 was trained and tested on an H200 with other networks beside it, whose
number, itself counted, is in `networks.json`: the median of its epochs' seconds, and those of its
sets, over that number, from `records/`. Where some of it was done elsewhere, `networks.json`
says which epochs count, or how long those of other seeds took there, and whose tests stand for its
own.
"""

import json
from pathlib import Path
from statistics import median

HERE = Path(__file__).parent
SEEDS, MODELS = 5, ("gin", "pgn", "recgnn")

records = [json.loads(file.read_text()) for file in sorted((HERE / "records").iterdir())]
cells = {f"{r['algorithm']}-{r['model']}": r["circumstances"] for r in records if r["seed"] == 42}
networks = json.loads((HERE / "networks.json").read_text())

total = {"training": 0.0, "evaluation": 0.0}
for algorithm in ("bfs", "mis", "eccentricity", "dijkstra", "mst", "dfs"):
    took = {"training": 0.0, "evaluation": 0.0}
    for cell in (f"{algorithm}-{model}" for model in MODELS):
        beside = networks.get(cell) or networks[algorithm]
        epochs = cells[cell]["epoch_seconds"]
        first, last = beside.get("epochs", (1, len(epochs)))
        epoch = beside.get("epoch_seconds") or median(epochs[first - 1 : last])
        epoch /= beside["training"]
        sets = cells[beside.get("tested_like", cell)]["evaluation_seconds"]
        tests = sum(sets.values()) / beside["evaluation"]
        print(f"  {cell:20}{epoch:5.2f} s an epoch, {len(epochs):3} of them, tests {tests:4.0f} s")
        took["training"] += epoch * len(epochs)
        took["evaluation"] += tests
    for what, seconds in took.items():
        total[what] += seconds
    print(f"{algorithm:13} " + ", ".join(f"{what} {s / 60:5.1f} min" for what, s in took.items()))
print("five seeds: " + ", ".join(f"{what} {SEEDS * s / 3600:.1f} h" for what, s in total.items()))
