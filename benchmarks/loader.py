#!/usr/bin/env python3
"""Times our data loader beside one that does what the published package's does, in one process.

    benchmarks/loader.py [--cells REGEX] [--seconds S] [--rounds R] [--out FOLDER]

The reference keeps every sample in a file of its own, reads it with `torch.load`, pads the hints
and lets PyTorch Geometric collate. Ours makes the samples on the fly, or reads them from the
memory-mapped files of `salsa generate`. All three give shuffled batches of 8 of the same samples
to one process without workers, in turn within each round. Files are in memory for all, having been
written or read before. *First* is a pass with a new data set, *later* one with a data set that was
used before and has kept its samples. PyTorch uses one thread. Writes `batches.jsonl` (the machine,
then a line for each measurement) and prints a table. Needs an interpreter with
`salsa_clrs[geometric]` installed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy
import salsa_clrs
import torch
import torch_geometric
from salsa_clrs import SALSACLRSDataLoader, load_dataset
from salsa_clrs.data import padded
from salsa_clrs.published import test_set
from torch_geometric.data import Batch, Data, Dataset

BATCH_SIZE = 8
# Of each data set, in the reference's files.
N_SAMPLES = 1000
WAYS = ["reference", "made first", "made later", "mapped first", "mapped later"]


@dataclass(frozen=True)
class Cell:
    """A data set to load."""

    algorithm: str
    split: str

    @property
    def name(self) -> str:
        return f"{self.algorithm}-{self.split}"


SPLITS = ["train", "er_1600"]
CELLS = [Cell(algorithm, split) for split in SPLITS for algorithm in salsa_clrs.ALGORITHMS]


class Files(Dataset):
    """One file a sample, read whenever the sample is asked for."""

    def __init__(self, folder: Path) -> None:
        super().__init__(None)
        self.folder = folder

    def len(self) -> int:
        return N_SAMPLES

    def get(self, idx: int) -> Data:
        return torch.load(self.folder / f"data_{idx}.pt", weights_only=False)


def written(dataset: Any, folder: Path) -> Files:
    """The first samples as files."""
    folder.mkdir()
    for index in range(N_SAMPLES):
        torch.save(Data.from_dict(dataset[index].to_dict()), folder / f"data_{index}.pt")
    return Files(folder)


def loaders(cell: Cell, folder: Path) -> dict[str, Callable[[], Iterator[Any]]]:
    """A fresh pass over the data, for each way of loading."""

    def load(root: Path | None) -> Any:
        if cell.split == "train":
            return load_dataset(cell.algorithm, "train", root)
        # One of the test sets, without the other fourteen.
        return test_set(cell.algorithm, cell.split, root)

    made = load(None)
    files = written(made, folder / "files")
    made.save(folder)
    assert load(folder).folder is not None
    reference = torch.utils.data.DataLoader(
        files,
        batch_size=BATCH_SIZE,
        shuffle=True,
        collate_fn=lambda samples: Batch.from_data_list(padded(samples)),
    )

    def ours(root: Path | None) -> Any:
        dataset = load(root)[:N_SAMPLES]
        return SALSACLRSDataLoader(dataset, batch_size=BATCH_SIZE, shuffle=True)

    used_made, used_mapped = ours(None), ours(folder)
    return {
        "reference": lambda: iter(reference),
        "made first": lambda: iter(ours(None)),
        "made later": lambda: iter(used_made),
        "mapped first": lambda: iter(ours(folder)),
        "mapped later": lambda: iter(used_mapped),
    }


def rate(passes: Callable[[], Iterator[Any]], seconds: float) -> tuple[int, float]:
    """Batches and the seconds they took: whole passes until the time is over."""
    count, start = 0, time.perf_counter()
    while True:
        for _ in passes():
            count += 1
        spent = time.perf_counter() - start
        if spent >= seconds:
            return count, spent


def first_batch(algorithm: str) -> float:
    """Seconds from nothing to the first batch of the train set of 10000 samples."""
    start = time.perf_counter()
    train = load_dataset(algorithm, "train")
    assert len(train) == 10_000
    next(iter(SALSACLRSDataLoader(train, batch_size=BATCH_SIZE, shuffle=True)))
    return time.perf_counter() - start


def machine() -> dict[str, Any]:
    cpu = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    return {
        "cpu": cpu.group(1) if cpu else platform.processor(),
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "torch": torch.__version__,
        "torch_geometric": torch_geometric.__version__,
        "command": " ".join(sys.argv),
    }


def measured(cell: Cell, seconds: float, rounds: int) -> Iterator[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        ways = loaders(cell, Path(folder))
        for passes in ways.values():
            # Twice: samples of files are kept from the second time on.
            rate(passes, 0.0)
            rate(passes, 0.0)
        for number in range(rounds):
            for way in WAYS:
                batches, spent = rate(ways[way], seconds)
                row = {**asdict(cell), "way": way, "round": number}
                yield {**row, "batches": batches, "seconds": spent}


def summary(rows: list[dict[str, Any]]) -> str:
    """A table: medians of milliseconds a batch, and of how many times the reference takes."""
    titles = ["data", *(f"{way}, ms" for way in WAYS), *(f"x {way}" for way in WAYS[1:])]
    lines = [f"| {' | '.join(titles)} |", f"| --- |{' ---: |' * (len(titles) - 1)}"]
    cells: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        cells.setdefault((row["algorithm"], row["split"]), []).append(row)
    for (algorithm, split), own in cells.items():
        ms = {
            way: [1e3 * row["seconds"] / row["batches"] for row in own if row["way"] == way]
            for way in WAYS
        }
        middle = [f"{statistics.median(ms[way]):.3f}" for way in WAYS]
        ratios = [
            f"{statistics.median(a / b for a, b in zip(ms['reference'], ms[way])):.1f}"
            for way in WAYS[1:]
        ]
        lines.append(f"| {algorithm} {split} | {' | '.join([*middle, *ratios])} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", default="", help="cells whose name has this, such as bfs-train")
    parser.add_argument("--seconds", type=float, default=1.0, help="for a measurement")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=Path, help="a folder for batches.jsonl")
    given = parser.parse_args()
    torch.set_num_threads(1)
    first = {algorithm: first_batch(algorithm) for algorithm in salsa_clrs.ALGORITHMS}
    rows = []
    for cell in CELLS:
        if re.search(given.cells, cell.name):
            rows += measured(cell, given.seconds, given.rounds)
            print(cell.name, file=sys.stderr)
    print(summary(rows))
    slowest = max(first, key=first.__getitem__)
    print(f"\nfirst batch, slowest algorithm ({slowest}): {1e3 * first[slowest]:.1f} ms")
    if given.out:
        given.out.mkdir(parents=True, exist_ok=True)
        lines = [{**machine(), "first_batch_seconds": first}, *rows]
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (given.out / "batches.jsonl").write_text(text)


if __name__ == "__main__":
    main()
