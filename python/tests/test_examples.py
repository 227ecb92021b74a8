"""The training script in the style of the published package, with both sources of data."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest
import salsa_clrs

pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

SCRIPT = Path(__file__).parents[2] / "examples" / "python" / "train_pyg.py"


@pytest.fixture(scope="module")
def script() -> Any:
    spec = importlib.util.spec_from_file_location("train_pyg", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    # PyTorch Geometric looks the types of a message up in its module.
    sys.modules["train_pyg"] = module
    spec.loader.exec_module(module)
    return module


def test_it_learns(script: Any, capsys: pytest.CaptureFixture[str]) -> None:
    losses = script.main(["--steps", "150", "--hidden", "32", "--test-graphs", "20"])
    assert sum(losses[-30:]) < 0.6 * sum(losses[:30])
    told = capsys.readouterr().out
    assert "10000 samples, made" in told
    assert "er_80 node_accuracy 0." in told


def test_both_sources_give_the_same_training(script: Any, algorithm: str, tmp_path: Path) -> None:
    for split in ("train", "er_16"):
        salsa_clrs.dataset(algorithm, split, suite="release").save(tmp_path)
    words = ["--algorithm", algorithm, "--steps", "6", "--hidden", "16", "--tests", "er_16"]
    words += ["--test-graphs", "8"]
    made = script.main(words)
    assert script.main([*words, "--data", str(tmp_path)]) == made
    assert script.main([*words, "--workers", "2"]) == made
