"""What algorithms read and record, under the names of the published package."""

from __future__ import annotations

from typing import NamedTuple

from . import _core


class Feature(NamedTuple):
    """A feature of an algorithm, with the words of CLRS."""

    stage: str
    """`input`, `hint` or `output`."""
    location: str
    """`node`, `edge` or `graph`."""
    type: str
    """`scalar`, `mask`, `mask_one`, `categorical` or `pointer`."""
    n_categories: int | None


# Inputs that are no array of their own: the first two are in the edges and the weights.
_NOT_SEEN = {"A", "adj"}
# An array of its own that is no feature of the published package.
_UNLISTED = {"weights"}

_FEATURES: dict[str, dict[str, Feature]] = {}
_PUBLISHED: dict[str, str] = {}
_BENCHMARK: list[str] = []
for _name, _published, _is_benchmark, _fields in _core.algorithms():
    _FEATURES[_name] = {field[0]: Feature(*field[1:]) for field in _fields}
    _PUBLISHED[_name] = _published
    if _is_benchmark:
        _BENCHMARK.append(_published)

ALGORITHMS: list[str] = _BENCHMARK
"""The six algorithms of the benchmark, by their published names."""

SPECS: dict[str, dict[str, tuple[str, str, str]]] = {
    _PUBLISHED[name]: {
        feature: (spec.stage, spec.location, spec.type)
        for feature, spec in features.items()
        if feature not in _UNLISTED
    }
    for name, features in _FEATURES.items()
}
"""Stage, location and type of every feature of every algorithm, by published names."""


# Algorithms written in Python, by name.
_OWN: dict[str, _core.Algorithm] = {}


def algorithms() -> list[str]:
    """Every built-in algorithm, by its name here; the published names work everywhere too."""
    return list(_PUBLISHED)


def register(name: str, fields: dict[str, Feature], algorithm: _core.Algorithm) -> None:
    """Makes an algorithm written in Python known by its name; a second one replaces it."""
    _FEATURES[name] = fields
    _OWN[name] = algorithm


def in_core(algorithm: str | _core.Algorithm) -> str | _core.Algorithm:
    """What the core knows an algorithm by: a name, or one written in Python."""
    return _OWN.get(algorithm, algorithm) if isinstance(algorithm, str) else algorithm


def core_name(algorithm: str | _core.Algorithm) -> str:
    """An algorithm's name here, from that or the published one."""
    for name, own in _OWN.items():
        if algorithm in (name, own):
            return name
    for name, published in _PUBLISHED.items():
        if algorithm in (name, published):
            return name
    raise ValueError(f"unknown algorithm {algorithm!r}, expected one of {', '.join(_PUBLISHED)}")


def features(algorithm: str, *, hints: bool) -> dict[str, Feature]:
    """The features of an algorithm that samples have an array for, the weights left out."""
    absent = _NOT_SEEN | _UNLISTED
    return {
        name: spec
        for name, spec in _FEATURES[algorithm].items()
        if name not in absent and (hints or spec.stage != "hint")
    }


def all_features(algorithm: str) -> dict[str, Feature]:
    """Everything that an algorithm reads and records, the weights among it."""
    return dict(_FEATURES[algorithm])


def rows(algorithm: str, name: str) -> str:
    """What the rows of a feature's array are: `node`, `edge` or `graph`."""
    feature = _FEATURES[algorithm][name]
    return "edge" if feature.type == "pointer" else feature.location
