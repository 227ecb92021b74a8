"""Algorithms written in Python, used like the built-in ones.

>>> import salsa_clrs
>>> @salsa_clrs.define("degree", hints={"seen_h": ("node", "scalar")},
...                    outputs={"degree": ("node", "scalar")})
... def degree(problem, record):
...     degrees = [len(problem.neighbours(u)) for u in range(problem.n_nodes)]
...     record(seen_h=degrees)
...     return {"degree": degrees}
>>> salsa_clrs.run(degree, [[0, 1], [1, 2]]).output("degree")
array([1., 2., 1.])
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from .specs import Feature, register

_Array = npt.NDArray[np.float64]
_Described = Mapping[str, tuple[Any, ...]]


@dataclass(frozen=True)
class Problem:
    """What an algorithm reads: a connected graph, and what else it asked for."""

    offsets: npt.NDArray[np.int64]
    """[N + 1], where the neighbours of each node begin."""
    targets: npt.NDArray[np.int64]
    """The neighbours of all nodes, ascending for each."""
    arc_weights: _Array | None
    """A weight for each of `targets`, if weights were asked for."""
    source: int | None
    """The node to start at, if one was asked for."""

    @property
    def n_nodes(self) -> int:
        return len(self.offsets) - 1

    def neighbours(self, node: int) -> npt.NDArray[np.int64]:
        """The neighbours of a node, ascending, without itself."""
        return self.targets[self.offsets[node] : self.offsets[node + 1]]

    def weights(self, node: int) -> _Array:
        """The weights of the edges to its neighbours."""
        if self.arc_weights is None:
            raise ValueError("there are no weights, ask for them with weights=True")
        return self.arc_weights[self.offsets[node] : self.offsets[node + 1]]

    @cached_property
    def edge_index(self) -> npt.NDArray[np.int64]:
        """Directed edges [2, E], sorted, self-loops included: what features of edges stand for."""
        nodes = np.arange(self.n_nodes)
        sources = np.concatenate([np.repeat(nodes, np.diff(self.offsets)), nodes])
        pairs = np.stack([sources, np.concatenate([self.targets, nodes])])
        return pairs[:, np.lexsort((pairs[1], pairs[0]))]


class Recorder:
    """Takes down every hint at every step; call it once a step with all hints by name."""

    def __init__(self, hints: dict[str, Feature], problem: Problem, *, keeps: bool) -> None:
        self.steps: list[list[_Array]] = []
        self._hints = hints
        self._problem = problem
        self._keeps = keeps

    def __call__(self, **values: npt.ArrayLike) -> None:
        if set(values) != set(self._hints):
            expected, found = sorted(self._hints), sorted(values)
            raise ValueError(f"expected the hints {expected} at every step, found {found}")
        step = [_flat(self._problem, *hint, values[hint[0]]) for hint in self._hints.items()]
        self.steps.append(step if self._keeps else [])


class Algorithm(_core.Algorithm):
    """An algorithm written in Python; `define` makes one."""

    name: str
    function: Callable[..., Any]

    def __new__(
        cls, name: str, fields: dict[str, Feature], function: Callable[..., Any]
    ) -> Algorithm:
        hints = {key: field for key, field in fields.items() if field.stage == "hint"}
        outputs = {key: field for key, field in fields.items() if field.stage == "output"}

        def run(
            offsets: Any, targets: Any, weights: Any, source: int | None, keeps: bool
        ) -> tuple[list[list[_Array]], list[_Array]]:
            problem = Problem(offsets, targets, weights, source)
            recorder = Recorder(hints, problem, keeps=keeps)
            given = function(problem, recorder)
            if not isinstance(given, Mapping) or set(given) != set(outputs):
                found = sorted(given) if isinstance(given, Mapping) else given
                raise ValueError(f"expected the outputs {sorted(outputs)}, found {found}")
            results = [_flat(problem, *output, given[output[0]]) for output in outputs.items()]
            return recorder.steps, results

        described = [(key, *field[:3], field[3] or 0) for key, field in fields.items()]
        made = super().__new__(cls, name, described, run)  # type: ignore[call-arg]
        made.name, made.function = name, function
        # What finds it again in another process.
        made.__module__ = function.__module__
        register(name, fields, made)
        return made

    def __init__(self, *_: Any) -> None:
        super().__init__()  # type: ignore[call-arg]

    def __reduce__(self) -> str:
        return self.function.__qualname__

    def __repr__(self) -> str:
        return f"<Algorithm {self.name}>"


def define(
    name: str,
    *,
    outputs: _Described,
    hints: _Described | None = None,
    source: bool = False,
    weights: bool = False,
) -> Callable[[Callable[..., Any]], Algorithm]:
    """Makes an algorithm of a function `(problem, record)` that gives the outputs by name.

    Args:
        name: a name that no built-in algorithm has.
        outputs: location and type of each output, such as `("node", "pointer")`; with the number
            of classes for `categorical`.
        hints: the same for what is recorded at every step.
        source: whether it starts at a node, `problem.source`.
        weights: whether edges have weights, `problem.weights(node)`.

    Pointers are node numbers, a neighbour or the node itself for "none"; `mask_one` is one node
    number. The answer must depend on the problem alone, else a data set is another each time. Data
    loaders with workers need the function at the top of a module.
    """
    fields = {"pos": Feature("input", "node", "scalar", None)}
    if source:
        fields["s"] = Feature("input", "node", "mask_one", None)
    fields["A"] = Feature("input", "edge", "scalar", None)
    fields["adj"] = Feature("input", "edge", "mask", None)
    if weights:
        fields["weights"] = Feature("input", "edge", "scalar", None)
    for stage, described in (("hint", hints or {}), ("output", outputs)):
        for key, description in described.items():
            if key in fields or key in _TAKEN:
                raise ValueError(f"{key}: the name is taken")
            fields[key] = _feature(key, stage, description)
    if not outputs:
        raise ValueError("expected at least one output")
    return lambda function: Algorithm(name, fields, function)


# What samples, batches and evaluators have under these names is something else.
_TAKEN = frozenset(
    "edge_index length weights randomness inputs hints outputs batch ptr num_nodes num_graphs "
    "algorithm dataset".split()
)


def _feature(name: str, stage: str, description: tuple[Any, ...]) -> Feature:
    is_categorical = len(description) > 1 and description[1] == "categorical"
    if len(description) != (3 if is_categorical else 2):
        wanted = "(location, type), or (location, 'categorical', classes)"
        raise ValueError(f"{name}: expected {wanted}, found {description!r}")
    location, kind = description[:2]
    classes = description[2] if is_categorical else None
    if classes is not None and not 2 <= classes <= 255:
        raise ValueError(f"{name}: expected 2 to 255 classes, found {classes}")
    if kind in ("pointer", "mask_one", "categorical") and location != "node":
        raise ValueError(f"{name}: {kind} is for nodes, found {location!r}")
    return Feature(stage, location, kind, classes)


def _flat(problem: Problem, name: str, feature: Feature, values: npt.ArrayLike) -> _Array:
    """The values as the core takes them, one after the other."""
    array = np.array(values, dtype=np.float64).reshape(-1)
    n_edges = problem.n_nodes + len(problem.targets)
    sizes = {"node": problem.n_nodes, "edge": n_edges, "graph": 1}
    expected = 1 if feature.type == "mask_one" else sizes[feature.location]
    if len(array) != expected:
        raise ValueError(f"{name}: expected {expected} values, found {len(array)}")
    bounds = {
        "pointer": problem.n_nodes,
        "mask_one": problem.n_nodes,
        "categorical": feature.n_categories or 0,
        "mask": 2,
    }
    if feature.type in bounds:
        bound = bounds[feature.type]
        wrong = (array < 0) | (array >= bound) | (array != np.floor(array)) | np.isnan(array)
        if wrong.any():
            found = array[wrong][0]
            raise ValueError(f"{name}: expected whole numbers below {bound}, found {found:g}")
    elif not np.isfinite(array).all():
        raise ValueError(f"{name}: expected finite numbers")
    return array
