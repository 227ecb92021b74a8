"""Prints the tables of this folder's README from the evaluations beside it."""

import csv
import json
from pathlib import Path

HERE = Path(__file__).parent
PAPER = HERE.parent.parent / "crates" / "cli" / "src" / "paper.csv"
MODELS = {"gin": "GIN(E)", "pgn": "PGN", "recgnn": "RecGNN"}
SPLITS = [f"{f}_{n}" for f in ("er", "ws", "delaunay") for n in (16, 80, 160, 800, 1600)]
#: What is wanted of a split: at least the paper's mean less so many points.
MARGINS = {"16": 2.0, "80": 5.0, "160": 5.0}


def main() -> None:
    with PAPER.open() as file:
        paper = {(row["algorithm"], row["model"]): row for row in csv.DictReader(file)}
    names = sorted({path.stem.rpartition("-")[0] for path in HERE.glob("*-small.json")})
    print("| run | figure | " + " | ".join(SPLITS) + " |")
    print("| --- | --- |" + " ---: |" * len(SPLITS))
    below = []
    for name in names:
        run, splits = read(name)
        published = paper[run["algorithm"], MODELS[run["model"]["processor"]]]
        metric = published["metric"]
        ours = {split: 100 * splits[split]["metrics"][metric]["mean"] for split in splits}
        below += [
            f"{name} {split}: {ours[split]:.1f}, the paper {published[split]}"
            for split in SPLITS
            if split in ours
            and (margin := MARGINS.get(split.rpartition("_")[2])) is not None
            and ours[split] < float(published[split]) - margin
        ]
        valid = {split: 100 * splits[split]["valid"]["mean"] for split in splits}
        line(name, metric.replace("_", " "), {s: f"{ours[s]:.1f}" for s in ours})
        line("", "the paper's", {split: published[split] for split in SPLITS})
        line("", "valid", {split: f"{valid[split]:.1f}" for split in valid})
    print("\nBelow what is wanted:", "; ".join(below) or "none", end=".\n")


def read(name: str) -> tuple[dict, dict]:
    """A run and its splits."""
    splits = {}
    for part in ("small", "large"):
        path = HERE / f"{name}-{part}.json"
        if not path.exists():
            continue
        found = json.loads(path.read_text())
        splits |= {split["split"]: split for split in found["splits"]}
    return found["run"], splits


def line(name: str, figure: str, values: dict[str, str]) -> None:
    cells = " | ".join(values.get(split, "") for split in SPLITS)
    print(f"| {name} | {figure} | {cells} |")


if __name__ == "__main__":
    main()
