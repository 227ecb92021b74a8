"""The implementations by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from case import Case
from published import Published

IMPLEMENTATIONS: dict[str, Callable[[Case], Any]] = {
    "published": Published,
}
