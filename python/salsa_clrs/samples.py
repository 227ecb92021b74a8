"""The samples of a split as a sequence, made when they are asked for."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from operator import index as whole
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from ._core import Algorithm, Sample, Split
from .batch import Batch
from .parameters import texts
from .specs import features, in_core

if TYPE_CHECKING:
    import numpy as np

    from .specs import Feature


def dataset(
    algorithm: str | Algorithm,
    split: str,
    *,
    suite: str | os.PathLike[str] = "paper",
    seed: int | None = None,
    hints: bool = True,
    root: str | os.PathLike[str] | None = None,
) -> Samples:
    """The samples of a split, made when they are asked for or read from files.

    Args:
        algorithm: a name of `salsa_clrs.algorithms()`, a published name, or one of your own.
        split: `train`, `val`, or a test set such as `er_160`.
        suite: `paper`, `release` or `large`, or the path of a suite file.
        seed: another seed than the suite's own.
        hints: whether hints are recorded.
        root: a folder in which `salsa generate` or `Samples.save` has written this split. The
            samples are then read from there, mapped into memory, and are the same.
    """
    named = os.fspath(suite)
    # A bare file name would be taken for the name of a suite.
    is_path = not isinstance(suite, str) and not os.path.dirname(named)
    named = os.path.join(".", named) if is_path else named
    found = Split.of_suite(in_core(algorithm), split, named, seed)
    indices = range(found.n_samples)
    if root is not None:
        stored = found.stored_in(os.fspath(root), len(indices))
        if stored is None:
            what = f"{found.suite} {found.split} for {found.algorithm}"
            raise FileNotFoundError(f"{os.fspath(root)}: there is no data set {what}")
        found = stored
    return Samples(found, indices, hints=hints)


def stream(
    algorithm: str | Algorithm,
    generator: str,
    *,
    seed: int = 0,
    convention: str = "paper",
    hints: bool = True,
    **parameters: Any,
) -> Samples:
    """Samples without end, for training on ever new graphs.

        >>> import salsa_clrs
        >>> small = salsa_clrs.stream("bfs", "er", n=[8, 16], p_range=(0.3, 0.5))
        >>> batch = next(small.stream(8))
        >>> small.batch(range(10**9, 10**9 + 8))
        <Batch of bfs: 8 graphs, ...>

    Args:
        algorithm: a name of `salsa_clrs.algorithms()`, a published name, or one of your own.
        generator: a family of `salsa_clrs.generators()`.
        seed: another seed gives other samples, the same one the same.
        convention: `paper` or `release`.
        hints: whether hints are recorded.
        **parameters: `n`, the size, and the family's parameters: a number, or a list to choose
            from; `p_range` and the like are pairs to draw between.

    A curriculum is several of these, one after the other.
    """
    given = texts(parameters)
    found = Split.custom(in_core(algorithm), "stream", generator, given, convention, seed)
    return Samples(found, range(min(found.n_samples, sys.maxsize)), hints=hints)


# Beyond this a random order of all would not fit into memory, nor would anybody come to its end.
_LONGEST_SHUFFLED = 2**32


class Samples(Sequence[Sample]):
    """Samples by index. Slices are views; nothing is kept, and sample *i* is always the same."""

    def __init__(self, split: Split, indices: Sequence[int], *, hints: bool = True) -> None:
        self._split = split
        self._indices = indices
        self._hints = hints

    @property
    def algorithm(self) -> str:
        return self._split.algorithm

    @property
    def split(self) -> str:
        return self._split.split

    @property
    def suite(self) -> str:
        return self._split.suite

    @property
    def seed(self) -> int:
        return self._split.seed

    @property
    def convention(self) -> str:
        """`paper` or `release`: which reading of the benchmark is followed."""
        return self._split.convention

    @property
    def folder(self) -> Path | None:
        """The folder that samples are read from; None if they are made."""
        return self._split.folder

    @property
    def specs(self) -> dict[str, Feature]:
        """Stage, location, type and classes of every feature."""
        return features(self.algorithm, hints=self._hints)

    def __len__(self) -> int:
        return len(self._indices)

    @overload
    def __getitem__(self, index: int) -> Sample: ...
    @overload
    def __getitem__(self, index: slice) -> Samples: ...
    def __getitem__(self, index: int | slice) -> Sample | Samples:
        if isinstance(index, slice):
            return Samples(self._split, self._indices[index], hints=self._hints)
        return self._split.sample(self._place(index), self._hints)

    def __iter__(self) -> Iterator[Sample]:
        # A sequence would take an IndexError of an own algorithm for its end.
        return (self._split.sample(place, self._hints) for place in self._indices)

    def batch(self, indices: Iterable[int]) -> Batch:
        """These samples as one graph; made and collated without holding the interpreter."""
        places = [self._place(index) for index in indices]
        return Batch.of(self.algorithm, self._split.batch(places, self._hints))

    def batches(
        self, batch_size: int, *, rng: np.random.Generator | None = None
    ) -> Iterator[Batch]:
        """All samples in batches, in order or as `rng` shuffles them; the last may be smaller."""
        if batch_size < 1:
            raise ValueError(f"expected a batch size of at least 1, found {batch_size}")
        order: Sequence[int] = range(len(self))
        if rng is not None:
            if len(self) > _LONGEST_SHUFFLED:
                raise ValueError("what has no end cannot be shuffled; use stream()")
            order = rng.permutation(len(self)).tolist()
        for first in range(0, len(order), batch_size):
            yield self.batch(order[first : first + batch_size])

    def save(self, root: str | os.PathLike[str], *, hints: bool = False) -> Path:
        """Writes the samples up to the last of these into a folder in `root`, and names it.

        Hints need no place on disk: they are made again when they are read, unless they are
        stored. What an interrupted call has written is kept by the next.
        """
        return self._split.save(os.fspath(root), max(self._indices, default=-1) + 1, hints)

    def stream(
        self, batch_size: int, *, rng: np.random.Generator | None = None, start: int = 0
    ) -> Iterator[Batch]:
        """Batches without end: of the samples again and again, or of a `stream`, ever new ones.

        With `rng` every round has an order of its own, and of a `stream` any samples are drawn.
        `start` leaves out as many batches.
        """
        if batch_size < 1:
            raise ValueError(f"expected a batch size of at least 1, found {batch_size}")
        order = self._endless(rng)
        for _ in range(start * batch_size):
            next(order)
        while True:
            yield self.batch([next(order) for _ in range(batch_size)])

    def _endless(self, rng: np.random.Generator | None) -> Iterator[int]:
        if not self:
            raise ValueError("there are no samples")
        while True:
            if rng is None:
                yield from range(len(self))
            elif len(self) > _LONGEST_SHUFFLED:
                yield int(rng.integers(len(self)))
            else:
                yield from rng.permutation(len(self)).tolist()

    def questions(self) -> tuple[list[Sample], str]:
        """All samples without hints, and how the algorithm is read."""
        samples = [self._split.sample(place, False) for place in self._indices]
        return samples, self.convention

    def __repr__(self) -> str:
        return f"<{len(self)} samples of {self.algorithm}, {self.suite} {self.split}>"

    def _place(self, index: int) -> int:
        try:
            return self._indices[whole(index)]
        except IndexError:
            raise IndexError(f"there are {len(self)} samples, there is no index {index}") from None
