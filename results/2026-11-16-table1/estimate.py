#!/usr/bin/env python3
"""How long the whole table without hints takes on one GPU: 90 trainings and their evaluation.

    results/2026-11-16-table1/estimate.py

Training: seconds an epoch, about six networks side by side, from `records.jsonl` and, for what was
not finished, `epochs.json`; a PGN that was not begun is taken to be as much slower than GIN as in
DFS. Epochs are those of the finished trainings, and their mean elsewhere. Evaluation of BFS, MIS
and eccentricity: as long as it took, one graph at a time. Of the others: sets of up to 160 nodes as
long as those of MST by RecGNN for each step, four networks side by side; larger ones steps of the
algorithm times the time of a step on graphs of 1600 nodes from `../2026-11-15-gpu/infer.jsonl`.
"""

import json
from pathlib import Path
from statistics import mean

HERE = Path(__file__).parent
SIDE_BY_SIDE, SEEDS, MODELS = 6, 5, ("gin", "pgn", "recgnn")
# Steps for each node, and the mean steps of BFS on the graphs that inference was timed on.
STEPS_A_NODE = {"dfs": 3, "dijkstra": 1, "mst": 1}
LARGE = {800: 300, 1600: 300}

records = [json.loads(line) for line in (HERE / "records.jsonl").read_text().splitlines()]
on_gpu = [r for r in records if all("NVIDIA" in c["device"] for c in r["training"]["computed"])]
epochs = {(r["algorithm"], r["model"]): r["training"]["epochs"] for r in on_gpu}
seconds = {(r["algorithm"], r["model"]): mean(r["circumstances"]["epoch_seconds"]) for r in on_gpu}
tested = {
    (r["algorithm"], r["model"]): sum(r["circumstances"]["evaluation_seconds"].values())
    for r in on_gpu
}
for cell, begun in json.loads((HERE / "epochs.json").read_text()).items():
    seconds[tuple(cell.split("-")[:2])] = begun["seconds_an_epoch"]

mst = next(r for r in on_gpu if (r["algorithm"], r["model"]) == ("mst", "recgnn"))
up_to_160 = 0.25 * sum(
    took
    for name, took in mst["circumstances"]["evaluation_seconds"].items()
    if int(name.split("_")[1]) <= 160
)

bfs_steps = {
    set_["split"]: set_["mean_steps"]
    for r in on_gpu
    if (r["algorithm"], r["model"]) == ("bfs", "gin")
    for set_ in r["evaluation"]
}
inference = {}
for line in (HERE.parent / "2026-11-15-gpu" / "infer.jsonl").read_text().splitlines():
    row = json.loads(line)
    if "graphs" in row:
        inference.setdefault(row["model"], []).append(row["salsa_ms"] / bfs_steps[row["graphs"]])

pgn = seconds["dfs", "pgn"] / seconds["dfs", "gin"]
usual = mean(epochs.values())
training = evaluation = 0.0
for algorithm in ("bfs", "mis", "eccentricity", "dijkstra", "mst", "dfs"):
    one, other = 0.0, 0.0
    for model in MODELS:
        cell = (algorithm, model)
        epoch = seconds.get(cell) or seconds[algorithm, "gin"] * pgn
        one += epoch * epochs.get(cell, usual) / SIDE_BY_SIDE
        if algorithm in STEPS_A_NODE:
            small = up_to_160 * STEPS_A_NODE[algorithm]
            step = mean(inference[model]) / 1000
            graphs = sum(step * n / 1600 * STEPS_A_NODE[algorithm] * n * m for n, m in LARGE.items())
            other += small + graphs
        else:
            other += tested.get(cell, tested[algorithm, "gin"]) / SIDE_BY_SIDE
    print(f"{algorithm:13} training {one / 60:5.1f} min a seed, evaluation {other / 60:5.1f}")
    training, evaluation = training + one, evaluation + other
print(
    f"five seeds: training {SEEDS * training / 3600:.1f} h, evaluation "
    f"{SEEDS * evaluation / 3600:.1f} h; epochs where none is known {usual:.0f}"
)
