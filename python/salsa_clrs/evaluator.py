"""How good predictions are: the metrics of the benchmark, and whether an answer is correct."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from .specs import core_name, features


@dataclass(frozen=True)
class Result:
    """One metric over all graphs, each counting once."""

    count: int
    """Number of graphs."""
    mean: float
    deviation: float | None
    interval: tuple[float, float] | None
    """The 95% confidence interval of the mean."""


class Evaluator:
    """Judges predictions for an algorithm, in the style of OGB.

    >>> import salsa_clrs
    >>> tests = salsa_clrs.dataset("bfs", "er_16", hints=False)[:10]
    >>> perfect = tests.batch(range(10)).outputs["pi"]
    >>> salsa_clrs.Evaluator("bfs").eval({"dataset": tests, "pi": perfect})
    {'node_accuracy': 1.0, 'graph_accuracy': 1.0, 'valid': 1.0}

    `valid` is the share of answers that are correct, even where they are not the recorded one: a
    graph has many breadth-first trees. `convention` is for lists of samples: a data set has one.
    """

    def __init__(self, algorithm: str | _core.Algorithm, *, convention: str = "paper") -> None:
        self.convention = convention
        self.algorithm = core_name(algorithm)
        described = features(self.algorithm, hints=False).items()
        self._types = {name: it.type for name, it in described if it.stage == "output"}
        self.outputs = list(self._types)

    @property
    def expected_input_format(self) -> str:
        """What `eval` wants to be given."""
        outputs = "".join(
            f"\n  {name!r}: scores, one array or one for each batch" for name in self.outputs
        )
        return f"""\
a dict with
  'dataset': the data set that was predicted, in its order, or a list of samples{outputs}
Scores are laid out as in a batch: one for each edge for pointers, of which the largest of a node
counts; one for each value for masks, which are set above 0 (a probability of a half); numbers for
scalars."""

    def eval(self, predicted: Mapping[str, Any]) -> dict[str, float]:
        """The mean of every metric over the graphs; see `expected_input_format`."""
        return {name: result.mean for name, result in self.results(predicted).items()}

    def results(self, predicted: Mapping[str, Any]) -> dict[str, Result]:
        """Every metric with its spread and its confidence interval."""
        return self._judged(predicted)[0]

    def violations(self, predicted: Mapping[str, Any]) -> dict[str, int]:
        """What was wrong with answers that are not correct, and with how many."""
        return self._judged(predicted)[1]

    def record(
        self,
        predicted: Mapping[str, Any],
        file: str | os.PathLike[str] | None = None,
        *,
        model: str,
        seed: int,
        split: str | None = None,
        hints: bool = False,
    ) -> dict[str, Any]:
        """The results as a record, appended to `file` as a line for `salsa report --add`.

        `split` is the name of the data set unless told otherwise, and `hints` says whether the
        model has learned from them.
        """
        results, violations, convention = self._judged(predicted)
        split = split or name_of(predicted["dataset"])
        if split is None:
            raise ValueError("the data set has no name; expected split='...'")
        metrics = {name: _summary(result) for name, result in results.items()}
        valid = metrics.pop("valid", None)
        count = next(iter(results.values())).count if results else 0
        record = {
            "schema": 1,
            "algorithm": self.algorithm,
            "model": model,
            "hints": bool(hints),
            "convention": convention,
            "seed": int(seed),
            "evaluation": [
                {
                    "split": split,
                    "graphs": count,
                    "metrics": metrics,
                    "valid": valid,
                    "violations": violations,
                }
            ],
        }
        if file is not None:
            line = json.dumps(record, allow_nan=False) + "\n"
            with open(file, "a", encoding="utf-8", newline="\n") as lines:
                lines.write(line)
        return record

    def _judged(
        self, predicted: Mapping[str, Any]
    ) -> tuple[dict[str, Result], dict[str, int], str]:
        if set(predicted) != {"dataset", *self.outputs}:
            raise ValueError(f"expected {self.expected_input_format}\nfound {sorted(predicted)}")
        dataset = predicted["dataset"]
        samples, convention = (
            dataset.questions()
            if hasattr(dataset, "questions")
            else (list(dataset), self.convention)
        )
        wrong = next((one for one in samples if one.algorithm != self.algorithm), None)
        if wrong is not None:
            raise ValueError(f"expected samples of {self.algorithm}, found {wrong.algorithm}")
        scores = [_scores(predicted[name]) for name in self.outputs]
        for name, given in zip(self.outputs, scores):
            n_wrong = int(np.isnan(given).sum())
            # An error that is no number says so; the largest of scores would be any.
            if n_wrong and self._types[name] != "scalar":
                raise ValueError(f"{name}: {n_wrong} of {len(given)} scores are not a number")
        results, violations = _core.evaluate(samples, scores, convention)
        named = {row[0]: Result(row[1], row[2], row[3], row[4]) for row in results}
        return named, violations, convention


def name_of(dataset: Any) -> str | None:
    """What a data set is called: one of the test sets by its own name."""
    named = getattr(dataset, "nickname", None) or getattr(dataset, "split", None)
    return named if isinstance(named, str) else None


def _summary(result: Result) -> dict[str, Any]:
    """A metric as records have it; JSON lacks what is no number."""
    interval = result.interval
    return {
        "count": result.count,
        "mean": result.mean if math.isfinite(result.mean) else None,
        "deviation": result.deviation,
        "interval": interval and {"low": interval[0], "high": interval[1]},
    }


def _scores(given: Any) -> npt.NDArray[np.float32]:
    """One flat array, from an array, a tensor or several."""
    parts: Iterable[Any] = given if isinstance(given, Sequence) else [given]
    # NumPy has no bfloat16, which PyTorch's autocast gives.
    tensors = [part.detach().cpu().float() if hasattr(part, "detach") else part for part in parts]
    arrays = [np.asarray(part, dtype=np.float32).reshape(-1) for part in tensors]
    return np.concatenate(arrays) if arrays else np.zeros(0, dtype=np.float32)
