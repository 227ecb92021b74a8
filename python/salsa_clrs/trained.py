"""Trained networks: how good they are, and what they answer."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from . import _core
from ._core import Sample
from .evaluator import Result, name_of
from .training import StrPath, plain


class Scores(dict[str, float]):
    """The mean of every metric over the graphs of a set, `valid` among them where it applies."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        summaries = dict(record["metrics"])
        if record["valid"] is not None:
            summaries["valid"] = record["valid"]
        self.results: dict[str, Result] = {name: _result(of) for name, of in summaries.items()}
        """The same with spread and confidence interval."""
        self.graphs: int = record["graphs"]
        """How many graphs."""
        self.violations: dict[str, int] = record["violations"]
        """What was wrong with answers that are not correct, and with how many."""
        self.mean_steps: float = record["mean_steps"]
        """Steps taken, mean over graphs."""
        super().__init__({name: result.mean for name, result in self.results.items()})


@dataclass(frozen=True)
class Prediction:
    """What a network answers on one graph."""

    outputs: dict[str, Any]
    """By name, as `Sample.output` gives them: pointers are node numbers."""
    steps: int
    """Steps that the network took."""
    valid: bool | None
    """Whether the answer is correct, recorded or not; None where only the recorded one is."""
    violation: str | None
    """What is wrong with an answer that is not."""


def evaluate(
    checkpoint: StrPath,
    sets: str | Iterable[Any] | Mapping[str, Any] = "test",
    *,
    samples: int | None = None,
    suite: StrPath | None = None,
    data_seed: int | None = None,
    steps: str | int = "recorded",
    device: str = "cpu",
    precision: str = "f32",
    threads: int | None = None,
) -> dict[str, Scores]:
    """How good a trained network is on sets of graphs, as `salsa evaluate` says.

        scores = salsa_clrs.evaluate("salsa-runs/bfs-pgn-paper-42", ["er_16", "ws_16"], samples=100)
        print(scores["er_16"]["node_accuracy"], scores["er_16"].results["valid"].interval)

    Args:
        checkpoint: a `Training`, its folder for its best checkpoint, or a file.
        sets: names of splits (`test` for all test sets, `all` for every split), data sets of
            this package, or both; a mapping gives names to data sets or lists of samples.
        samples: only so many graphs of every named split.
        suite: the suite of named splits, if not that of the training.
        data_seed: another seed than the suite's own.
        steps: when the network stops: `recorded`, `auto` (when its answer stands still), or a
            number.
        device, precision, threads: as for `train`.
    """
    named, given = _sets(sets)
    found = json.loads(
        _core.evaluate_trained(
            Path(checkpoint),
            named,
            given,
            samples,
            None if suite is None else plain(suite),
            data_seed,
            str(steps),
            (str(device), precision, threads),
        )
    )
    return {record["split"]: Scores(record) for record in found}


@overload
def predict(
    checkpoint: StrPath,
    data: Sample,
    *,
    steps: str | int = ...,
    convention: str = ...,
    device: str = ...,
    precision: str = ...,
    threads: int | None = ...,
) -> Prediction: ...
@overload
def predict(
    checkpoint: StrPath,
    data: Iterable[Any],
    *,
    steps: str | int = ...,
    convention: str = ...,
    device: str = ...,
    precision: str = ...,
    threads: int | None = ...,
) -> list[Prediction]: ...
def predict(
    checkpoint: StrPath,
    data: Any,
    *,
    steps: str | int = "recorded",
    convention: str = "paper",
    device: str = "cpu",
    precision: str = "f32",
    threads: int | None = None,
) -> Prediction | list[Prediction]:
    """What a trained network answers on a sample, or on each of a data set or list of samples.

        sample = salsa_clrs.run("bfs", [[0, 1], [1, 2]], source=0)
        print(salsa_clrs.predict("salsa-runs/bfs-pgn-paper-42", sample, steps="auto").outputs["pi"])

    `convention` is for samples: it says which answers are correct, and a data set has one.
    """
    single = isinstance(data, Sample)
    samples, convention = _questions([data] if single else data, convention)
    computing = (str(device), precision, threads)
    answers = _core.predict(Path(checkpoint), samples, convention, str(steps), computing)
    predictions = [Prediction(*answer) for answer in answers]
    return predictions[0] if single else predictions


def scores(
    checkpoint: StrPath,
    data: Any,
    *,
    device: str = "cpu",
    precision: str = "f32",
    threads: int | None = None,
) -> dict[str, npt.NDArray[np.float32]]:
    """What the decoders of a trained network give, laid out as `Evaluator` takes it.

    Logits of masks, log-probabilities of pointers (one for each edge), numbers as they are; those
    of all graphs after each other.
    """
    samples, _ = _questions([data] if isinstance(data, Sample) else data, "paper")
    return _core.scores(Path(checkpoint), samples, (str(device), precision, threads))


def _sets(given: Any) -> tuple[list[str], list[tuple[str, list[Sample], str]]]:
    """Names of splits, and sets of samples with their names."""
    if isinstance(given, str) or hasattr(given, "questions"):
        given = [given]
    if isinstance(given, Mapping):
        named, pairs = [], list(given.items())
    else:
        given = list(given)
        named = [one for one in given if isinstance(one, str)]
        pairs = [(name_of(one), one) for one in given if not isinstance(one, str)]
    if any(name is None for name, _ in pairs):
        raise ValueError("a set has no name; a mapping can give it one")
    sets = [(name, *_questions(one, "paper")) for name, one in pairs]
    names = [*named, *(name for name, _, _ in sets)]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"two sets are called {twice!r}; a mapping can name them")
    return named, sets


def _questions(data: Any, convention: str) -> tuple[list[Sample], str]:
    if hasattr(data, "questions"):
        samples, convention = data.questions()
        return samples, convention
    if isinstance(data, str) or not isinstance(data, Iterable):
        raise TypeError(f"expected a sample, a data set or samples, found {type(data).__name__}")
    return list(data), convention


def _result(summary: Mapping[str, Any]) -> Result:
    interval, mean = summary["interval"], summary["mean"]
    ends = None if interval is None else (interval["low"], interval["high"])
    mean = math.nan if mean is None else mean
    return Result(summary["count"], mean, summary["deviation"], ends)
