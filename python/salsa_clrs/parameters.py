"""The parameters of a family of graphs, as the published package takes them."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any


def texts(given: Mapping[str, Any]) -> list[str]:
    """Texts such as `p=0.1..0.3` for the core, which checks them."""

    def text(value: Any) -> str:
        if not isinstance(value, Real):
            raise TypeError(f"expected a number or a list of numbers, found {value!r}")
        return repr(float(value))

    parameters = []
    for name, value in given.items():
        if value is None:
            continue
        is_range = name.endswith("_range")
        name = name[: -len("_range")] if is_range else name
        numbers = [text(value)] if isinstance(value, Real) else [text(one) for one in value]
        if is_range and len(numbers) != 2:
            raise ValueError(f"{name}_range: expected two numbers, found {value!r}")
        joined = ".." if is_range else ","
        parameters.append(f"{'nodes' if name == 'n' else name}={joined.join(numbers)}")
    return parameters
