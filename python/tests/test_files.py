"""Files of every format, read by other tools, against the samples that they were made from.

What a row says is worked out here by the words of docs/format.md and plain loops, so these tests
also hold that page to what is written.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import salsa_clrs
from conftest import expected

START = "import sys; sys.argv[0] = 'salsa'; from salsa_clrs._command import main; main()"
ALGORITHMS = ["bfs", "dfs", "dijkstra", "mst", "mis", "eccentricity", "bridges", "k_core"]
SPLITS = ["er_16", "delaunay_16"]
SAMPLES = 3

Row = dict[str, Any]


@pytest.fixture(scope="session", params=["with hints", "without"])
def data(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, bool]:
    """A folder with a data set of every format, and whether hints are in it."""
    folder, hints = tmp_path_factory.mktemp("data"), request.param == "with hints"
    words = ["--algorithm", ",".join(ALGORITHMS), "--split", ",".join(SPLITS)]
    salsa("generate", *words, "--samples", str(SAMPLES), "--out", str(folder), *["--hints"] * hints)
    for name in ("parquet", "npz", "jsonl", "graphml"):
        salsa("convert", str(folder), "--to", name, "--out", str(folder / name))
    return folder, hints


def salsa(*words: str) -> None:
    subprocess.run([sys.executable, "-c", START, *words], check=True, capture_output=True)


@pytest.fixture(params=ALGORITHMS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=SPLITS)
def split(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_arrow_through_pyarrow(data: tuple[Path, bool], name: str, split: str) -> None:
    ipc = pytest.importorskip("pyarrow").ipc
    folder, hints = data
    with ipc.open_file(str(folder / f"paper-{name}-{split}.arrow" / "00000.arrow")) as file:
        table = file.read_all()
    compare(name, split, json.loads(table.schema.metadata[b"salsa"]), table.to_pylist(), hints)


def test_parquet_through_pyarrow(data: tuple[Path, bool], name: str, split: str) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    folder, hints = data
    table = parquet.read_table(folder / "parquet" / f"paper-{name}-{split}.parquet")
    compare(name, split, header_of(folder, name, split), table.to_pylist(), hints)


@pytest.mark.parametrize("form", ["arrow", "parquet"])
def test_polars(data: tuple[Path, bool], name: str, split: str, form: str) -> None:
    polars = pytest.importorskip("polars")
    folder, hints = data
    header = header_of(folder, name, split)
    folder = folder if form == "arrow" else folder / form
    file = folder / f"paper-{name}-{split}.{form}" / f"00000.{form}"
    read = polars.read_ipc if form == "arrow" else polars.read_parquet
    compare(name, split, header, read(file).to_dicts(), hints)


@pytest.mark.filterwarnings("ignore")
def test_parquet_through_datasets(data: tuple[Path, bool], name: str, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    folder, hints = data
    path = str(folder / "parquet")
    found = datasets.load_dataset(path, f"paper-{name}", cache_dir=str(tmp_path))
    assert sorted(found) == sorted(SPLITS)
    for split in SPLITS:
        compare(name, split, header_of(folder, name, split), list(found[split]), hints)
    if name == min(ALGORITHMS):
        first = datasets.load_dataset(path, split="er_16", cache_dir=str(tmp_path))
        assert first[0] == found["er_16"][0]


def test_npz_through_numpy(data: tuple[Path, bool], name: str, split: str) -> None:
    folder, hints = data
    with np.load(folder / "npz" / f"paper-{name}-{split}.npz" / "00000.npz") as archive:
        arrays = dict(archive)
    header = json.loads(bytes(arrays.pop("header")))
    assert header == header_of(folder, name, split)
    assert arrays.pop("first").tolist() == [0]
    rows: list[Row] = [{} for _ in range(SAMPLES)]
    ends = {key[: -len("_offsets")]: value for key, value in arrays.items() if "_offsets" in key}
    for key, value in arrays.items():
        if key.endswith("_offsets"):
            continue
        # A change is three arrays: hint_NAME_step, hint_NAME_index and hint_NAME_value.
        before, _, last = key.rpartition("_")
        column, part = (before, last) if before in ends else (key, "")
        for index, row in enumerate(rows):
            if column not in ends:
                row[key] = value[index].item()
                continue
            values = value[ends[column][index] : ends[column][index + 1]].tolist()
            if part:
                row.setdefault(column, [{} for _ in values])
                for change, number in zip(row[column], values):
                    change[part] = number
            else:
                row[column] = values
    compare(name, split, header, rows, hints)


def test_json_lines(data: tuple[Path, bool], name: str, split: str) -> None:
    folder, hints = data
    lines = (folder / "jsonl" / f"paper-{name}-{split}.jsonl").read_text().splitlines()
    samples = salsa_clrs.dataset(name, split)
    assert len(lines) == SAMPLES
    for line, sample in zip(lines, samples):
        case = json.loads(line)
        assert case["has_hints"] == hints
        found = sample.arrays(hints=hints)
        arrays = {**found["inputs"], **found["outputs"], **found["hints"]}
        arrays.update(edge_index=found["edge_index"], length=found["length"])
        for key, value in expected(case, hints=hints).items():
            np.testing.assert_array_equal(arrays[key].ravel(), value.ravel(), err_msg=key)


def test_graphml_through_networkx(data: tuple[Path, bool], name: str, split: str) -> None:
    networkx = pytest.importorskip("networkx")
    folder, hints = data
    samples = salsa_clrs.dataset(name, split)
    for index in range(SAMPLES):
        file = folder / "graphml" / f"paper-{name}-{split}.graphml" / f"{index:05}.graphml"
        graph, sample = networkx.read_graphml(file, node_type=int), samples[index]
        about = graph.graph
        assert (about["algorithm"], about["index"], about["length"]) == (name, index, sample.length)
        sources, targets = sample.edge_index
        assert list(graph.nodes) == list(range(sample.n_nodes))
        assert {tuple(sorted(edge)) for edge in graph.edges} == {
            (u, v) for u, v in zip(sources.tolist(), targets.tolist()) if u < v
        }
        if sample.source is not None:
            assert [u for u, here in graph.nodes(data="source") if here] == [sample.source]
        for key, feature in salsa_clrs.dataset(name, split).specs.items():
            if feature.stage != "output":
                continue
            output = sample.output(key)
            if feature.location == "graph":
                assert about[key] == output[0]
            elif feature.location == "node":
                assert [value for _, value in graph.nodes(data=key)] == list(output)
            else:
                for u, v, value in zip(sources.tolist(), targets.tolist(), output):
                    there = graph.nodes[u] if u == v else graph.edges[u, v]
                    assert there[key if u <= v else f"{key}_back"] == value
        assert hints == any(key.endswith("_h") for _, of in graph.nodes(data=True) for key in of)


def header_of(folder: Path, name: str, split: str) -> dict[str, Any]:
    """The header, which is the same in Arrow and Parquet."""
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    file = folder / "parquet" / f"paper-{name}-{split}.parquet" / "00000.parquet"
    header: dict[str, Any] = json.loads(parquet.read_metadata(file).metadata[b"salsa"])
    file = folder / f"paper-{name}-{split}.arrow" / "00000.arrow"
    with pyarrow.ipc.open_file(str(file)) as found:
        assert json.loads(found.schema.metadata[b"salsa"]) == header
    assert (header["algorithm"], header["split"], header["samples"]) == (name, split, SAMPLES)
    return header


def compare(name: str, split: str, header: Row, rows: list[Row], hints: bool) -> None:
    """Holds rows of columns against samples that are made now."""
    samples = salsa_clrs.dataset(name, split)
    assert len(rows) == SAMPLES
    for row, sample in zip(rows, samples):
        n_nodes, length = len(row["row_lengths"]), row["length"]
        edges, weights = edges_of(row)
        assert length == sample.length
        np.testing.assert_array_equal(np.array(edges).T, sample.edge_index)
        assert row.get("source") == sample.source
        inputs = sample.arrays(hints=False)["inputs"]
        if "weights" in row:
            np.testing.assert_array_equal(np.float32(weights), inputs["weights"])
        if "randomness" in row:
            phases = np.array(row["randomness"]).reshape(-1, n_nodes)
            steps = np.repeat(phases, 2, axis=0)[:length].T
            np.testing.assert_array_equal(np.float32(steps), inputs["randomness"][:, :length])
        for field in header["fields"]:
            key = f"{field['stage']}_{field['name']}"
            if field["stage"] == "output":
                np.testing.assert_array_equal(row[key], sample.output(field["name"]))
            assert (key in row) == (
                field["stage"] == "output" or (field["stage"] == "hint" and hints)
            )
            if field["stage"] == "hint" and hints:
                n_values = {"node": n_nodes, "edge": len(edges), "graph": 1}[field["location"]]
                dense = expanded(row[key], field["kind"], n_values, length)
                for step in range(length):
                    hint = sample.hint(field["name"], step)
                    np.testing.assert_array_equal(dense[step], hint, err_msg=f"{key} {step}")


def edges_of(row: Row) -> tuple[list[tuple[int, int]], list[float]]:
    """The directed edges of the message-passing graph, sorted, and their weights."""
    found: dict[tuple[int, int], float] = {}
    place = 0
    for u, count in enumerate(row["row_lengths"]):
        found[u, u] = 1.0
        for v in row["neighbours"][place : place + count]:
            found[u, v] = found[v, u] = row["weights"][place] if "weights" in row else 1.0
            place += 1
    edges = sorted(found)
    return edges, [found[edge] for edge in edges]


def expanded(changes: list[Row], kind: str, n_values: int, length: int) -> list[Any]:
    """The dense values of a hint at every step, or the one node that is marked."""
    state: Any = list(range(n_values)) if kind == "pointer" else [0] * n_values
    dense = []
    by_step: dict[int, list[Row]] = {}
    for change in changes:
        by_step.setdefault(change["step"], []).append(change)
    for step in range(length):
        for change in by_step.get(step, ()):
            if kind == "mask_one":
                state = change["value"]
            else:
                state[change.get("index", 0)] = change["value"]
        dense.append(state if kind == "mask_one" else list(state))
    return dense
