"""The implementations by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from case import Case
from plain import Plain
from published import Published

IMPLEMENTATIONS: dict[str, Callable[[Case], Any]] = {
    "published": Published,
    "plain": Plain,
    "compiled": partial(Plain, compiled=True),
    "captured": Plain,
}
