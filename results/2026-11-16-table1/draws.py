#!/usr/bin/env python3
"""How much the figures of a test set depend on the parameters that its graphs were drawn with.

    results/2026-11-16-table1/draws.py CHECKPOINT... --sets ws_160,er_160 --draws 40 --graphs 4

The published generator, run by several processes, gives many samples of a set the same draw of the
parameters (k and p, or p). Here every draw has some graphs of its own, and an analysis of variance
separates what differs between draws from what differs between graphs of one draw: `between` is the
standard deviation between draws, `of_five` what it makes of the mean of a set with five of them.
Sources and weights are drawn for every graph, so both are lower bounds for that generator. A line
of JSON for each checkpoint and set.
"""

import argparse
import json
import math
import random
from pathlib import Path
from statistics import mean, variance

import salsa_clrs
from salsa_clrs import evaluate

METRICS = {"mis": "node_f1", "eccentricity": "graph_accuracy"}
PUBLISHED = {"mis": "fast_mis", "mst": "mst_prim"}


def drawn(family: str, n_nodes: int, random_numbers: random.Random) -> dict[str, float]:
    """The parameters of one draw, as in the suite `release`."""
    if family == "ws":
        k, p = random_numbers.choice([4, 6, 8]), random_numbers.uniform(0.05, 0.2)
        return {"n": n_nodes, "k": k, "p": p}
    return {"n": n_nodes, "p": random_numbers.uniform(1, 3) * math.log(n_nodes) / n_nodes}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkpoints", nargs="+", type=Path)
    parser.add_argument("--sets", default="er_160,ws_160")
    parser.add_argument("--draws", type=int, default=40)
    parser.add_argument("--graphs", type=int, default=4, help="of each draw")
    given = parser.parse_args()
    for checkpoint in given.checkpoints:
        algorithm = json.loads(salsa_clrs._core.read_checkpoint(checkpoint)[0])["algorithm"]
        metric = METRICS.get(algorithm, "node_accuracy")
        for split in given.sets.split(","):
            family, n_nodes = split.split("_")
            random_numbers = random.Random(split)
            tests = {
                str(draw): salsa_clrs.SALSACLRSDataset(
                    None,
                    "test",
                    PUBLISHED.get(algorithm, algorithm),
                    given.graphs,
                    ignore_all_hints=True,
                    graph_generator=family,
                    graph_generator_kwargs=drawn(family, int(n_nodes), random_numbers),
                    seed=draw,
                )
                for draw in range(given.draws)
            }
            found = [scores.results[metric] for scores in evaluate(checkpoint, tests).values()]
            within = mean(result.deviation**2 for result in found)
            between = max(0.0, variance(result.mean for result in found) - within / given.graphs)
            row = {
                "checkpoint": checkpoint.stem,
                "set": split,
                "mean": mean(result.mean for result in found),
                "within": math.sqrt(within),
                "between": math.sqrt(between),
                "of_five": math.sqrt(between / 5),
            }
            print(
                json.dumps({k: v if isinstance(v, str) else round(v, 4) for k, v in row.items()}),
                flush=True,
            )


if __name__ == "__main__":
    main()
