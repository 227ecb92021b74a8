#!/usr/bin/env python3
"""Times our training step on a GPU beside PyTorch's there, on the same batches, cell by cell.

    benchmarks/gpu.py train --salsa FILE [--cells REGEX] [--implementations NAMES] [--out FOLDER]
    benchmarks/gpu.py infer --salsa FILE [--batches 8,32] [--out FOLDER]
    benchmarks/gpu.py profile FILE.csv... [--out FOLDER]
    benchmarks/gpu.py ceilings [--out FOLDER]
    benchmarks/gpu.py table steps.jsonl... [--out FOLDER]

`train` takes for each cell the batches and first parameters that `salsa bench train --export`
writes, prepares PyTorch's steps (the published one eagerly, the plain one as CUDA graphs), and
times ours and theirs one after the other in every round. `infer` times the published model
and ours without gradients and measures the memory of the published one. `profile` sums up by kernel
what Nsight Compute has counted. `ceilings` measures what the GPU can do at most: a product of large
matrices, and a copy. `table` makes one table of several parts of `train`. Raw data goes to JSON
lines, tables to CSV and Markdown. To be run by a Python that has PyTorch; one process for all cells,
because loading PyTorch takes longer than measuring.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch

from compare import CELLS, OURS, PYTORCH, ROOT, Cell
from compare import cpu, markdown, output, summarise, tell, write_csv

sys.path.append(str(PYTORCH))

from case import Case, read_case  # noqa: E402
from inference import batches, peak_memory, read_graphs, time_per_graph  # noqa: E402
from step import describe, full_precision, summary, timed, training_steps, versions  # noqa: E402

THEIRS = ["published", "plain", "captured"]
GRAPHS = ["er_1600", "delaunay_1600"]
NODES = [2**10, 2**12, 2**14, 2**15]
# The graph of `salsa bench infer` with so many nodes.
LARGE_GRAPH = """name = "infer"
version = 1
convention = "paper"
seed = 0

[[split]]
name = "infer"
samples = 1
generator = "er"
nodes = {nodes}
"""


def main() -> None:
    options = read_arguments()
    options.out.mkdir(parents=True, exist_ok=True)
    options.run(options)


def read_arguments() -> argparse.Namespace:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--out", type=Path, default=ROOT / "target" / "gpu")
    measuring = argparse.ArgumentParser(add_help=False, parents=[common])
    measuring.add_argument("--salsa", type=Path, required=True, help="the program")
    measuring.add_argument("--device", type=torch.device, default="cuda", help="cuda or cpu")
    measuring.add_argument("--seconds", type=float, default=0.5, help="for each measurement")
    commands = arguments.add_subparsers(required=True)

    training = commands.add_parser("train", parents=[measuring])
    training.add_argument("--cells", default="", help="regular expression, as dfs-pgn or hints$")
    training.add_argument("--rounds", type=int, default=3)
    training.add_argument("--batches", type=int, default=8, help="different ones, taken in turn")
    training.add_argument(
        "--implementations",
        type=lambda text: text.split(","),
        help=f"of {OURS},{','.join(THEIRS)}; all but plain, or without a GPU all but captured",
    )
    training.set_defaults(run=train)

    inference = commands.add_parser("infer", parents=[measuring])
    inference.add_argument("--samples", type=int, default=32, help="graphs of each kind")
    inference.add_argument(
        "--batches",
        type=lambda text: [int(size) for size in text.split(",")],
        default=[8, 32],
        help="graphs at once: 8,32",
    )
    inference.set_defaults(run=infer)

    profiling = commands.add_parser("profile", parents=[common])
    profiling.add_argument("files", type=Path, nargs="+")
    profiling.set_defaults(run=profile)

    commands.add_parser("ceilings", parents=[common]).set_defaults(run=ceilings)

    joining = commands.add_parser("table", parents=[common])
    joining.add_argument("files", type=Path, nargs="+")
    joining.set_defaults(run=join_parts)

    options = arguments.parse_args()
    if options.run is train:
        left_out = "plain" if options.device.type == "cuda" else "captured"
        known = [OURS, *THEIRS]
        options.implementations = options.implementations or [n for n in known if n != left_out]
        if unknown := set(options.implementations) - set(known):
            arguments.error(f"--implementations {', '.join(unknown)}: there are {', '.join(known)}")
        options.cells = [cell for cell in CELLS if re.search(options.cells, cell.name)]
        if not options.cells:
            arguments.error(f"--cells: there are {', '.join(cell.name for cell in CELLS)}")
    return options


def train(options: argparse.Namespace) -> None:
    full_precision()
    rows = []
    with (options.out / "steps.jsonl").open("w") as lines:
        about = machine(options) | {"rounds": options.rounds}
        print(json.dumps(about), file=lines, flush=True)
        for cell in options.cells:
            start = time.perf_counter()
            for row in measure(cell, options):
                rows.append(row)
                print(json.dumps(row), file=lines, flush=True)
            tell(f"{cell.name}: {time.perf_counter() - start:.0f} s")
    write_table(rows, about, options.out)


def measure(cell: Cell, options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Rows of all implementations for one cell, one after the other in every round."""
    cases = export(cell, options.batches, options.salsa)
    steps: dict[str, Any] = {}
    for name in options.implementations:
        if name == OURS:
            continue
        try:
            steps[name] = training_steps(cases, name, options.device)
            timed(steps[name], options.seconds, options.device)  # to warm up
        except Exception as error:  # an implementation that fails is a row that says so
            tell(f"{cell.name}, {name}: {error}")
            yield {"cell": cell.name, "round": 0, "implementation": name, "error": str(error)}
            steps.pop(name, None)
    for number in range(options.rounds):
        about = {"cell": cell.name, "round": number}
        for name in options.implementations:
            if name == OURS:
                yield about | {"implementation": OURS} | our_step(cell, options)
            elif name in steps:
                times = timed(steps[name], options.seconds, options.device)
                yield about | describe(cases[0], name, options.device) | summary(times)


def export(cell: Cell, n_batches: int, salsa: Path) -> list[Case]:
    with TemporaryDirectory() as folder:
        words = [salsa, "bench", "train", *cell.words, "--batches", str(n_batches)]
        output([*words, "--export", folder])
        return [read_case(path) for path in sorted(Path(folder).glob("*.safetensors"))]


def our_step(cell: Cell, options: argparse.Namespace) -> dict[str, Any]:
    words = [options.salsa, "bench", "train", *cell.words, "--format", "json"]
    words += ["--batches", str(options.batches), "--seconds", str(options.seconds)]
    if options.device.type != "cpu":
        words += ["--device", options.device.type]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        tell(f"{cell.name}, {OURS}: {done.stderr.strip()}")
        return {"error": done.stderr.strip()}
    (row,) = json.loads(done.stdout)
    return row


def infer(options: argparse.Namespace) -> None:
    """Both on BFS: ms a graph in batches; and the published model's memory on one graph."""
    full_precision()
    models = {
        cell.model: export(cell, 1, options.salsa)[0]
        for cell in CELLS
        if cell.algorithm == "bfs" and not cell.hints
    }
    times = []
    for graphs in GRAPHS:
        words = ["--suite", "release", "--split", graphs, "--samples", str(options.samples)]
        samples = generate(words, options.salsa)
        for (model, case), size in product(models.items(), options.batches):
            cases = list(batches(samples, size, case))
            spent = time_per_graph(cases, options.seconds, options.device)
            theirs = statistics.fmean(spent)
            ours = our_inference(graphs, model, case.convention, size, options)
            times.append(
                {
                    "graphs": graphs,
                    "model": model,
                    "batch": size,
                    "published_ms": round(theirs, 4),
                    "salsa_ms": round(ours, 4),
                    "published / salsa": round(theirs / ours, 1),
                }
            )
            tell(f"{graphs}, {model}, {size} at once: {theirs:.3f} ms, ours {ours:.3f} ms")
    memory = []
    for nodes in NODES if options.device.type == "cuda" else []:
        (sample,) = large_graph(nodes, options.salsa)
        (case,) = batches([sample], 1, models["gin"])
        n_entries, used = case.batch["edge_index"].shape[1], peak_memory(case, options.device)
        memory.append(
            {"model": "gin", "nodes": nodes, "entries": n_entries, "peak_mib": round(used, 1)}
        )
        tell(f"{nodes} nodes: {used:.0f} MiB")

    about = machine(options)
    rows = [about, *times, *memory]
    (options.out / "infer.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    what = "Milliseconds a graph on BFS without gradients"
    text = markdown(times, f"{what}. {described(about)}")
    write_csv(options.out / "infer.csv", times)
    if memory:
        write_csv(options.out / "memory.csv", memory)
        text += "\n" + markdown(memory, "Memory above that of the model, BFS, one graph at a time.")
    (options.out / "infer.md").write_text(text)
    print(text)


def our_inference(
    graphs: str, model: str, convention: str, size: int, options: argparse.Namespace
) -> float:
    words = [options.salsa, "bench", "infer", "--split", graphs, "--model", model]
    words += ["--convention", convention, "--batch", str(size)]
    words += ["--device", options.device.type, "--format", "json"]
    (row,) = json.loads(output(words))
    return 1e3 * row["seconds"] / row["graphs"]


def generate(words: list[str], salsa: Path) -> list[dict[str, Any]]:
    with TemporaryDirectory() as folder:
        words = ["--algorithm", "bfs", *words, "--file-format", "jsonl", "--out", folder]
        output([salsa, "generate", *words])
        (path,) = Path(folder).glob("*.jsonl")
        return read_graphs(path)


def large_graph(nodes: int, salsa: Path) -> list[dict[str, Any]]:
    with TemporaryDirectory() as folder:
        suite = Path(folder) / "infer.toml"
        suite.write_text(LARGE_GRAPH.format(nodes=nodes))
        return generate(["--suite", str(suite), "--split", "infer"], salsa)


def profile(options: argparse.Namespace) -> None:
    """Time and bytes by kind of kernel, from `ncu --csv` with the metrics that are read here."""
    time_metric, l2_metric = "gpu__time_duration.sum", "lts__t_bytes.sum"
    memory_metrics = ["dram__bytes_read.sum", "dram__bytes_write.sum"]
    text = ""
    for path in options.files:
        sums: dict[str, Counter[str]] = defaultdict(Counter)
        lines = [line for line in path.read_text().splitlines() if line.startswith('"')]
        for row in csv.DictReader(lines):
            kind = kind_of_kernel(row["Kernel Name"])
            sums[kind][row["Metric Name"]] += float(row["Metric Value"].replace(",", ""))
            sums[kind]["launches"] += row["Metric Name"] == time_metric
        sums["all"] = sum(sums.values(), Counter())
        table = [
            {
                "kernels": kind,
                "launches": int(found["launches"]),
                "us": round(found[time_metric] / 1e3, 1),
                "share": f"{found[time_metric] / sums['all'][time_metric]:.0%}",
                "memory TB/s": round(sum(found[m] for m in memory_metrics) / found[time_metric] / 1e3, 2),
                "second-level cache TB/s": round(found[l2_metric] / found[time_metric] / 1e3, 2),
            }
            for kind, found in sorted(sums.items(), key=lambda item: -item[1][time_metric])
        ]
        text += markdown(table, f"{path.stem}, as Nsight Compute counts.") + "\n"
    (options.out / "profile.md").write_text(text)
    print(text)


def kind_of_kernel(name: str) -> str:
    if "gemm" in name:
        return "products by cuBLASLt"
    return "programs" if name in ("run_program", "run_one") else name.removeprefix("light_")


def ceilings(options: argparse.Namespace) -> None:
    """The best of a few turns: TFLOP/s of a large product by precision, and TB/s of a copy."""
    full_precision()
    device, size = torch.device("cuda"), 8192
    a, b = (torch.rand(size, size, device=device) for _ in range(2))

    def best(work: Callable[[], Any]) -> float:
        return min(timed([work], 0.5, device)) / 1e3

    found = {"device": torch.cuda.get_device_name(), "torch": torch.__version__}
    found["f32_tflop_per_s"] = round(2e-12 * size**3 / best(lambda: a @ b), 1)
    torch.set_float32_matmul_precision("high")
    found["tf32_tflop_per_s"] = round(2e-12 * size**3 / best(lambda: a @ b), 1)
    half_a, half_b = a.bfloat16(), b.bfloat16()
    found["bf16_tflop_per_s"] = round(2e-12 * size**3 / best(lambda: half_a @ half_b), 1)
    values = torch.rand(2**29, device=device)
    to = torch.empty_like(values)
    found["copy_tb_per_s"] = round(2e-12 * 4 * values.numel() / best(lambda: to.copy_(values)), 2)
    (options.out / "ceilings.json").write_text(json.dumps(found, indent=2) + "\n")
    print(json.dumps(found))


def join_parts(options: argparse.Namespace) -> None:
    rows = []
    for path in options.files:
        about, *part = (json.loads(line) for line in path.read_text().splitlines())
        rows += part
    write_table(rows, about, options.out)


def write_table(rows: list[dict[str, Any]], about: dict[str, Any], out: Path) -> None:
    measured = {row["cell"] for row in rows}
    cells = [cell for cell in CELLS if cell.name in measured]
    table = summarise(cells, rows, THEIRS, "mean_ms")
    write_csv(out / "table.csv", table)
    what = "Mean milliseconds of one training step (batch 8, hidden size 128, float32"
    rounds = f"{about['rounds']} rounds of {about['seconds']} s each)"
    text = markdown(table, f"{what}, {rounds}. {described(about)}")
    (out / "table.md").write_text(text)
    print(text)


def machine(options: argparse.Namespace) -> dict[str, Any]:
    """What the figures belong to."""
    on_gpu = options.device.type == "cuda"
    return {
        "device": torch.cuda.get_device_name() if on_gpu else "cpu",
        "cuda": torch.version.cuda,
        "cpu": cpu(),
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "salsa": output([options.salsa, "--version"]).strip(),
        "versions": versions(),
        "seconds": options.seconds,
    }


def described(about: dict[str, Any]) -> str:
    libraries = ", ".join(f"{name} {version}" for name, version in about["versions"].items())
    return (
        f"{about['device']}, CUDA {about['cuda']}; {about['cpu']}, {about['cores']} cores; "
        f"{about['system']}; {libraries}; {about['salsa']}."
    )


if __name__ == "__main__":
    main()
