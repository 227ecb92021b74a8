#!/usr/bin/env python3
"""Times our training step beside PyTorch's, on the same batches, cell by cell.

    benchmarks/compare.py [--cells REGEX] [--seconds S] [--threads N] [--out FOLDER] [--skip-compiled]

For each cell (algorithm, model, hints) the batches and first parameters are written by
`salsa bench train --export`; then our step, the published one, the plain one and the compiled
one run one after the other, so that what disturbs the machine disturbs all of them. Writes
`steps.jsonl` (the machine, then a line for each cell and implementation), `table.md` and
`table.csv`. Needs only the standard library; PyTorch goes into a virtual environment under
target/, or is that of SALSA_PYTHON=/path/to/python.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import json
import os
import platform
import re
import statistics
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PYTORCH = ROOT / "benchmarks" / "pytorch"
THEIRS = ["published", "plain", "compiled"]
OURS = "salsa"


@dataclass(frozen=True)
class Cell:
    """One training: what `salsa bench train` calls it, and what its files are called."""

    algorithm: str
    model: str
    hints: bool

    @property
    def name(self) -> str:
        weighted = self.algorithm == "dijkstra"
        model = "gine" if weighted and self.model == "gin" else self.model
        return f"{self.algorithm}-{model}{'-hints' if self.hints else ''}"

    @property
    def words(self) -> list[str]:
        hints = "yes" if self.hints else "no"
        return ["--algorithm", self.algorithm, "--model", self.model, "--hints", hints]


CELLS = [
    Cell(*cell)
    for cell in itertools.product(
        ["bfs", "dijkstra", "dfs"], ["gin", "pgn", "recgnn"], [False, True]
    )
]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--cells", default="", help="regular expression, as dfs-pgn or hints$")
    arguments.add_argument("--seconds", type=float, default=5.0, help="for each measurement")
    arguments.add_argument("--rounds", type=int, default=3, help="of all but the compiled one")
    arguments.add_argument("--threads", type=int, default=2)
    arguments.add_argument("--out", type=Path, default=ROOT / "target" / "compare")
    arguments.add_argument("--skip-compiled", action="store_true")
    options = arguments.parse_args()
    cells = [cell for cell in CELLS if re.search(options.cells, cell.name)]
    if not cells:
        arguments.error(f"--cells {options.cells}: there are {', '.join(c.name for c in CELLS)}")
    theirs = [name for name in THEIRS if not (options.skip_compiled and name == "compiled")]

    target = target_folder()
    python = pytorch(target)
    salsa = build(target)
    options.out.mkdir(parents=True, exist_ok=True)
    about = machine() | {
        "threads": options.threads,
        "seconds": options.seconds,
        "rounds": options.rounds,
    }
    rows = []
    with (options.out / "steps.jsonl").open("w") as lines:
        print(json.dumps(about), file=lines, flush=True)
        for cell in cells:
            for row in measure(cell, theirs, salsa, python, target, options):
                rows.append(row)
                print(json.dumps(row), file=lines, flush=True)
    table = summarise(cells, rows)
    write_csv(options.out / "table.csv", table)
    text = markdown(table, note(about, versions(rows)))
    (options.out / "table.md").write_text(text)
    print(text)


def target_folder() -> Path:
    """Where cargo builds, which the user may have set."""
    words = ["cargo", "metadata", "--no-deps", "--format-version", "1"]
    return Path(json.loads(output(words, cwd=ROOT))["target_directory"])


def pytorch(target: Path) -> Path:
    """An interpreter with PyTorch."""
    if given := os.environ.get("SALSA_PYTHON"):
        return Path(given)
    venv = target / "pytorch"
    python = venv / "bin" / "python"
    done = venv / "requirements.txt"
    wanted = (PYTORCH / "requirements.txt").read_text()
    if not done.exists() or done.read_text() != wanted:
        tell(f"installing PyTorch into {venv}")
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        install = [python, "-m", "pip", "install", "--quiet", "-r", PYTORCH / "requirements.txt"]
        subprocess.run(install, check=True)
        done.write_text(wanted)
    return python


def build(target: Path) -> Path:
    tell("building salsa")
    words = ["cargo", "build", "--release", "--package", "salsa-cli", "--quiet"]
    subprocess.run(words, cwd=ROOT, check=True)
    return target / "release" / "salsa"


def measure(
    cell: Cell,
    theirs: list[str],
    salsa: Path,
    python: Path,
    target: Path,
    options: argparse.Namespace,
) -> list[dict[str, Any]]:
    """Rows of all implementations for one cell, one after the other in every round."""
    batches = target / "batches" / cell.name
    output([salsa, "bench", "train", *cell.words, "--export", batches])
    common = ["--threads", str(options.threads), "--seconds", str(options.seconds)]
    rows = []
    for number in range(options.rounds):
        about = {"cell": cell.name, "round": number}
        tell(f"{cell.name}, round {number + 1}: {OURS}")
        words = [salsa, "bench", "train", *cell.words, *common, "--format", "json"]
        (ours,) = json.loads(output(words))
        rows.append(about | {"implementation": OURS} | ours)
        for implementation in theirs:
            # Compiling takes minutes.
            if implementation == "compiled" and number > 0:
                continue
            tell(f"{cell.name}, round {number + 1}: {implementation}")
            words = [python, PYTORCH / "step.py", "--implementation", implementation]
            words += ["--batches", batches, *common, "--format", "json"]
            rows.append(about | json.loads(output(words)))
    return rows


def machine() -> dict[str, Any]:
    """What the figures belong to."""
    commit = output(["git", "rev-parse", "HEAD"], cwd=ROOT).strip()
    if output(["git", "status", "--porcelain"], cwd=ROOT).strip():
        commit += " with changes"
    return {
        "cpu": cpu(),
        "cores": os.cpu_count(),
        "load_before": round(os.getloadavg()[0], 2),
        "system": platform.platform(),
        "rustc": output(["rustc", "--version"], cwd=ROOT).strip(),
        "commit": commit,
    }


def cpu() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.processor()
    found = re.search(r"model name\s*: (.*)", text)
    return found[1] if found else platform.processor()


def versions(rows: list[dict[str, Any]]) -> dict[str, str]:
    return next((row["versions"] for row in rows if "versions" in row), {})


def summarise(
    cells: list[Cell],
    rows: list[dict[str, Any]],
    theirs: list[str] = THEIRS,
    figure: str = "median_ms",
) -> list[dict[str, Any]]:
    """A line for each cell: ms of each implementation, and how often ours fits into it.

    Both are medians over rounds: a machine that is slow for a while is so for all of a round.
    """
    table = []
    for cell in cells:
        own = [row for row in rows if row["cell"] == cell.name]
        rounds: dict[str, dict[int, float | None]] = {}
        for row in own:
            rounds.setdefault(row["implementation"], {})[row["round"]] = row.get(figure)
        line: dict[str, Any] = {
            "algorithm": cell.algorithm,
            "model": cell.model,
            "hints": "yes" if cell.hints else "no",
        }
        for name, times in rounds.items():
            line[f"{name}_ms"] = median(times.values(), 4)
        ours = rounds.get(OURS, {})
        for name in theirs:
            if name in rounds and ours:
                pairs = ((time, ours.get(number)) for number, time in rounds[name].items())
                line[f"{name} / {OURS}"] = median((a / b for a, b in pairs if a and b), 3)
        peak = median((row.get("share_of_peak") for row in own if row["implementation"] == OURS), 2)
        if peak is not None:
            line["of peak"] = peak
        table.append(line)
    return table


def median(values: Iterable[float | None], digits: int) -> float | None:
    """Of those that are known, to so many significant digits."""
    known = [value for value in values if value is not None]
    return float(f"{statistics.median(known):.{digits}g}") if known else None


def write_csv(path: Path, table: list[dict[str, Any]]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=columns(table))
        writer.writeheader()
        writer.writerows(table)


def columns(table: list[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(column for line in table for column in line))


def markdown(table: list[dict[str, Any]], note: str) -> str:
    """The table with a note under it; words to the left, numbers to the right."""
    names = columns(table)
    words = {name for line in table for name, value in line.items() if isinstance(value, str)}
    lines = ["| " + " | ".join(name.replace("_ms", ", ms") for name in names) + " |"]
    lines.append("|" + "".join(" --- |" if name in words else " ---: |" for name in names))
    for line in table:
        values = (line.get(name, "") for name in names)
        shown = ("failed" if value is None else str(value) for value in values)
        lines.append("| " + " | ".join(shown) + " |")
    return "\n".join([*lines, "", note, ""])


def note(about: dict[str, Any], versions: dict[str, str]) -> str:
    torch = ", ".join(f"{name} {version}" for name, version in versions.items())
    return (
        f"Median milliseconds of one training step (batch 8, hidden size 128, float32, "
        f"{about['threads']} threads, {about['rounds']} rounds of {about['seconds']} s each). {about['cpu']}, "
        f"{about['cores']} cores, load {about['load_before']} before; {about['system']}; "
        f"{about['rustc']}; {torch}; commit {about['commit']}."
    )


def output(words: list[Any], cwd: Path | None = None) -> str:
    done = subprocess.run(words, cwd=cwd, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"failed with exit code {done.returncode}: {' '.join(map(str, words))}")
    return done.stdout


def tell(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
