"""Pictures of samples for notebooks."""

from __future__ import annotations

import os
from pathlib import Path

from ._core import Sample


class Drawing:
    """An SVG picture; a notebook shows it, `save` writes it to a file."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | os.PathLike[str]) -> None:
        Path(path).write_text(self.svg, encoding="utf-8")

    def __repr__(self) -> str:
        return f"<Drawing of {len(self.svg)} characters of SVG>"


def draw(sample: Sample, *, size: float = 640.0, dark: bool = False) -> Drawing:
    """A picture of a sample's graph with its output.

    Args:
        sample: what to draw.
        size: width in pixels.
        dark: whether it is for a dark background.
    """
    return Drawing(sample.svg(size=size, dark=dark))
