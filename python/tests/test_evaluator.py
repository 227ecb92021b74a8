"""Metrics and validity of predictions."""

from __future__ import annotations

import doctest
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import salsa_clrs
from salsa_clrs import Evaluator


@pytest.mark.parametrize("name", salsa_clrs.algorithms())
def test_the_recorded_answer_is_right(name: str) -> None:
    tests = salsa_clrs.dataset(name, "er_16", hints=False)[:20]
    recorded = tests.batch(range(20)).outputs
    found = Evaluator(name).eval({"dataset": tests, **recorded})
    found.pop("node_f1", None)  # 0 where nothing is marked
    best = {"squared_error": 0.0}
    assert found
    assert found == {metric: best.get(metric, 1.0) for metric in found}


def test_another_right_answer_is_valid() -> None:
    # 0 - 1
    # |   |
    # 2 - 3
    square = salsa_clrs.run("bfs", [[0, 0, 1, 2], [1, 2, 3, 3]], source=0)
    sources, targets = square.edge_index
    evaluator = Evaluator("bfs")

    def scores(pi: list[int]) -> np.ndarray:
        return (np.array(pi)[sources] == targets).astype(float) - 7

    other = {"dataset": [square, square], "pi": [scores([0, 0, 0, 1]), scores([0, 0, 0, 2])]}
    assert evaluator.eval(other) == {"node_accuracy": 0.875, "graph_accuracy": 0.5, "valid": 1.0}
    wrong = {"dataset": [square], "pi": scores([0, 3, 0, 2])}
    assert evaluator.eval(wrong)["valid"] == 0.0
    assert sum(evaluator.violations(wrong).values()) == 1


def test_results_have_intervals() -> None:
    tests = salsa_clrs.dataset("eccentricity", "er_16", hints=False)[:50]
    recorded = tests.batch(range(50)).outputs["eccentricity"]
    shifted = recorded + np.where(np.arange(50) < 10, 1, 0.25)
    results = Evaluator("eccentricity").results({"dataset": tests, "eccentricity": shifted})
    accuracy = results["graph_accuracy"]
    assert (accuracy.count, accuracy.mean) == (50, 0.8)
    assert accuracy.interval[0] < 0.8 < accuracy.interval[1]
    assert results["squared_error"].mean == pytest.approx((10 + 40 / 16) / 50)


def test_the_convention_of_the_data_counts() -> None:
    release = salsa_clrs.dataset("mst", "er_16", suite="release", hints=False)[:5]
    pi = release.batch(range(5)).outputs["pi"]
    assert Evaluator("mst_prim").eval({"dataset": release, "pi": pi})["valid"] == 1.0
    # A minimum spanning tree is no maximum one.
    given = {"dataset": list(release), "pi": pi}
    assert Evaluator("mst").eval(given)["valid"] == 0.0
    assert Evaluator("mst", convention="release").eval(given)["valid"] == 1.0


def test_predictions_of_a_loader_can_be_tensors() -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("torch_geometric")
    tests = salsa_clrs.load_dataset("fast_mis", "test")["ws_16"][:30]
    loader = salsa_clrs.SALSACLRSDataLoader(tests, batch_size=8)
    scores = [(batch.inmis - 0.5).requires_grad_() for batch in loader]
    found = Evaluator("fast_mis").eval({"dataset": tests, "inmis": scores})
    assert found["valid"] == found["node_f1"] == 1.0
    none = [torch.zeros_like(one) for one in scores]
    assert Evaluator("fast_mis").eval({"dataset": tests, "inmis": none})["valid"] == 0.0


def test_results_join_the_tables_of_a_report(tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"
    evaluator = Evaluator("mst_prim")
    for split in ["er_16", "ws_16"]:
        tests = salsa_clrs.dataset("mst", split, suite="release", hints=False)[:10]
        given = {"dataset": tests, "pi": tests.batch(range(10)).outputs["pi"]}
        record = evaluator.record(given, file, model="my model", seed=7, hints=True)
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert [line["evaluation"][0]["split"] for line in lines] == ["er_16", "ws_16"]
    assert lines[1] == record
    assert record["algorithm"] == "mst" and record["convention"] == "release"
    assert record["evaluation"][0]["metrics"]["node_accuracy"]["mean"] == 1.0
    assert "| mst | my model (H), release | 100.0 | 100.0 |" in report(file)


def test_a_record_without_a_name_is_a_mistake(tmp_path: Path) -> None:
    tests = salsa_clrs.dataset("eccentricity", "er_16", hints=False)[:3]
    wrong = tests.batch(range(3)).outputs["eccentricity"] * np.nan
    given = {"dataset": list(tests), "eccentricity": wrong}
    evaluator = Evaluator("eccentricity")
    with pytest.raises(ValueError, match="the data set has no name"):
        evaluator.record(given, model="mine", seed=1)
    file = tmp_path / "mine.jsonl"
    record = evaluator.record(given, file, model="mine", seed=1, split="roads")
    assert record["evaluation"][0]["metrics"]["squared_error"]["mean"] is None
    assert "| eccentricity | mine | NaN |" in report(file, "eccentricity-error")


def report(file: Path, table: str = "node-accuracy") -> str:
    """What `salsa report` makes of a file."""
    words = ["--add", str(file), "--format", "markdown", "--table", table]
    start = "from salsa_clrs._command import main; main()"
    command = [sys.executable, "-c", start, "report", *words]
    done = subprocess.run(command, cwd=file.parent, check=True, capture_output=True, text=True)
    return done.stdout


def test_mistakes_are_told() -> None:
    tests = salsa_clrs.dataset("bfs", "er_16", hints=False)[:2]
    pi = tests.batch(range(2)).outputs["pi"]
    evaluator = Evaluator("bfs")
    with pytest.raises(ValueError, match="expected a dict with"):
        evaluator.eval({"dataset": tests})
    with pytest.raises(ValueError, match="pi: too few scores"):
        evaluator.eval({"dataset": tests, "pi": pi[:-1]})
    with pytest.raises(ValueError, match="more scores"):
        evaluator.eval({"dataset": tests, "pi": [pi, pi]})
    with pytest.raises(ValueError, match="expected samples of dfs, found bfs"):
        Evaluator("dfs").eval({"dataset": tests, "pi": pi})
    with pytest.raises(ValueError, match="unknown algorithm 'bsf'"):
        Evaluator("bsf")


def test_the_examples_of_the_documentation_run() -> None:
    for module in (salsa_clrs, salsa_clrs.evaluator):
        assert doctest.testmod(module).failed == 0


def test_what_is_no_number_is_refused() -> None:
    tests = salsa_clrs.dataset("bfs", "er_16", hints=False)[:2]
    scores = tests.batch(range(2)).outputs["pi"].astype(np.float32)
    scores[3] = np.nan
    with pytest.raises(ValueError, match=f"pi: 1 of {len(scores)} scores are not a number"):
        Evaluator("bfs").eval({"dataset": tests, "pi": scores})


def test_half_precision_and_names_of_test_sets(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("torch_geometric")
    tests = salsa_clrs.load_dataset("bfs", "test")["ws_16"][:3]
    (batch,) = salsa_clrs.SALSACLRSDataLoader(tests, batch_size=3)
    scores = batch.pi.to(torch.bfloat16).requires_grad_()
    given = {"dataset": tests, "pi": scores}
    assert Evaluator("bfs").eval(given)["graph_accuracy"] == 1.0
    record = Evaluator("bfs").record(given, tmp_path / "r.jsonl", model="mine", seed=1)
    assert record["evaluation"][0]["split"] == "ws_16"
