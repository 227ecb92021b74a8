"""The data sets of the published package, with the samples of the Rust core."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, Union

from torch_geometric.data import Dataset

from ._core import Algorithm, Sample, Split
from .data import CLRSData, single
from .loader import Promised
from .parameters import texts
from .specs import Feature, features, in_core

if TYPE_CHECKING:
    from ._core import Arrays

_Root = Optional[Union[str, "os.PathLike[str]"]]

_TEST_SETS = [
    f"{family}_{n}" for family in ("er", "ws", "delaunay") for n in (16, 80, 160, 800, 1600)
]


def load_dataset(
    algorithm: str | Algorithm,
    split: str,
    local_dir: _Root = None,
    *,
    suite: str = "release",
    seed: int | None = None,
    cache_mb: int = 512,
) -> SALSACLRSDataset | dict[str, SALSACLRSDataset]:
    """The data of the benchmark: `train`, `val`, or for `test` all 15 sets by name.

    Nothing is downloaded: the samples come from the core. They have the distribution of the
    published ones (`suite="release"`) or of the paper's text (`suite="paper"`), and a seed of
    their own. As published, only `train` has hints. What `salsa generate --out local_dir` has
    written there is read instead of made; it is the same. Samples that were used stay in memory
    for the next epoch, while all data sets of the process keep less than `cache_mb` MiB.
    """
    if split not in ("train", "val", "test"):
        raise ValueError(f"unknown split {split!r}, expected 'train', 'val' or 'test'")

    given: dict[str, Any] = {"suite": suite, "seed": seed, "cache_mb": cache_mb}
    if split == "test":
        return {name: test_set(algorithm, name, local_dir, **given) for name in _TEST_SETS}
    return _of_suite(algorithm, split, split, local_dir, **given)


def test_set(
    algorithm: str | Algorithm,
    name: str,
    local_dir: _Root = None,
    *,
    suite: str = "release",
    seed: int | None = None,
    cache_mb: int = 512,
) -> SALSACLRSDataset:
    """One of the test sets of `load_dataset`, such as `er_160`."""
    return _of_suite(algorithm, "test", name, local_dir, suite, seed, cache_mb)


def _of_suite(
    algorithm: str | Algorithm,
    split: str,
    name: str,
    local_dir: _Root,
    suite: str,
    seed: int | None,
    cache_mb: int,
) -> SALSACLRSDataset:
    found = Split.of_suite(in_core(algorithm), name, suite, seed)
    found = _stored(found, local_dir, found.n_samples)
    return SALSACLRSDataset._of(
        found,
        range(found.n_samples),
        cache_mb=cache_mb,
        root=local_dir,
        split=split,
        algorithm=algorithm,
        ignore_all_hints=split != "train",
        nickname=name if split == "test" else None,
    )


class SALSACLRSDataset(Dataset):
    """Samples of one algorithm on one family of graphs, made when they are asked for.

    Args:
        root: a folder; if `save` has written these samples there, they are read from it. May be
            None.
        split: `train`, `val` or `test`; different splits share no random draws.
        algorithm: a name of `salsa_clrs.algorithms()`, a published name, or one of your own.
        num_samples: how many samples there are.
        verify_duplicates: whether graphs that occur twice are left out.
        forbidden_duplicates_datasets: data sets whose graphs are left out, with
            `verify_duplicates`.
        hints: whether samples have hints.
        ignore_all_hints: the same as not `hints`; they cost nothing either way.
        nickname: a name for logs.
        graph_generator: a family of `salsa_clrs.generators()`.
        graph_generator_kwargs: `n`, the size, and the family's parameters: a number, or a list to
            choose from; `p_range` and the like are pairs to draw between.
        max_cores: not used: samples are made faster than processes could share them.
        transform: applied to every sample when it is asked for.
        seed: the seed. The same arguments always give the same samples.
        convention: `release` reads the benchmark as the published code does, `paper` as the
            paper's text does.
        cache_mb: samples that were used stay in memory for the next epoch, while all data sets
            of the process keep less than this many MiB.
    """

    def __init__(
        self,
        root: _Root,
        split: str,
        algorithm: str | Algorithm,
        num_samples: int = 1000,
        verify_duplicates: bool = False,
        forbidden_duplicates_datasets: Sequence[SALSACLRSDataset] = (),
        hints: bool = True,
        ignore_all_hints: bool = False,
        nickname: str | None = None,
        graph_generator: str = "er",
        graph_generator_kwargs: Mapping[str, Any] | None = None,
        max_cores: int | None = -1,
        *,
        transform: Callable[[Any], Any] | None = None,
        seed: int = 0,
        convention: str = "release",
        cache_mb: int = 512,
    ) -> None:
        if num_samples < 1:
            raise ValueError(f"expected at least 1 sample, found {num_samples}")
        given = {"n": 16, "p": 0.1} if graph_generator_kwargs is None else graph_generator_kwargs
        parameters = texts(given)
        found = Split.custom(
            in_core(algorithm), split, graph_generator, parameters, convention, seed
        )
        indices: Sequence[int] = range(num_samples)
        if verify_duplicates:
            indices = _distinct(found, num_samples, forbidden_duplicates_datasets)
        found = _stored(found, root, max(indices) + 1)
        self._set_up(
            found, indices, root, split, algorithm, hints, ignore_all_hints, nickname, cache_mb
        )
        self.transform = transform
        self.verify_duplicates = verify_duplicates
        self.graph_generator = graph_generator
        self.graph_generator_kwargs = dict(given)
        self.max_cores = max_cores

    @classmethod
    def _of(cls, found: Split, indices: Sequence[int], **given: Any) -> SALSACLRSDataset:
        """The samples of a split that is already there."""
        dataset = cls.__new__(cls)
        dataset._set_up(found, indices, hints=True, **given)
        return dataset

    def _set_up(
        self,
        found: Split,
        indices: Sequence[int],
        root: _Root,
        split: str,
        algorithm: str | Algorithm,
        hints: bool,
        ignore_all_hints: bool,
        nickname: str | None,
        cache_mb: int,
    ) -> None:
        if cache_mb < 0:
            raise ValueError(f"cache_mb: expected at least 0, found {cache_mb}")
        self._root = root
        self._split = found.cached(cache_mb << 20)
        self._places = indices
        self.split = split
        self.algorithm = algorithm
        self.num_samples = len(indices)
        self.hints = hints
        self.ignore_all_hints = ignore_all_hints
        self.nickname = nickname
        super().__init__(None if root is None else os.fspath(root))

    @property
    def core_algorithm(self) -> str:
        """The algorithm's name in the core."""
        return self._split.algorithm

    @property
    def seed(self) -> int:
        return self._split.seed

    @property
    def folder(self) -> Path | None:
        """The folder that samples are read from; None if they are made."""
        return self._split.folder

    @property
    def has_hints(self) -> bool:
        return self.hints and not self.ignore_all_hints

    @property
    def specs(self) -> dict[str, Feature]:
        """Stage, location, type and number of categories of every feature of a sample."""
        return features(self.core_algorithm, hints=self.has_hints)

    def len(self) -> int:
        return self.num_samples

    def get(self, idx: int) -> CLRSData:
        """The sample at a place among all, whatever subset this is."""
        return single(self.core_algorithm, self.arrays([idx]))

    def arrays(self, indices: Iterable[int]) -> Arrays:
        """Samples as one graph, in NumPy arrays."""
        places = [self._places[index] for index in indices]
        return self._split.batch(places, self.has_hints)

    def __getitems__(self, indices: Sequence[int]) -> Sequence[CLRSData]:
        if not self._is_plain:
            return [self[index] for index in indices]
        known = self.indices()
        return Promised(self, [known[index] for index in indices])

    def save(self, root: _Root = None, *, hints: bool = False) -> Path:
        """Writes the samples into a folder in `root`, else in that of the data set; names it.

        A data set with the same arguments and this root reads them from there. Hints need no
        place on disk: they are made again when they are read, unless they are stored.
        """
        root = self._root if root is None else root
        if root is None:
            raise ValueError("expected a folder, the data set has none")
        return self._split.save(os.fspath(root), max(self._places) + 1, hints)

    @property
    def _is_plain(self) -> bool:
        """Whether samples are what the core gives, whatever a subclass adds otherwise."""
        own, ours = type(self), SALSACLRSDataset
        kept = all(getattr(own, name) is getattr(ours, name) for name in _GIVES_SAMPLES)
        return kept and self.transform is None

    def plain_source(self) -> tuple[Split, Sequence[int], bool] | None:
        """What batches can be made from without asking this object again, if that is so."""
        # What is written in Python is not for other threads, which may outlive the interpreter.
        if not self._is_plain or isinstance(self.algorithm, Algorithm):
            return None
        known = self.indices()
        if isinstance(known, range) and known == range(len(self._places)):
            return self._split, self._places, self.has_hints
        return self._split, [self._places[index] for index in known], self.has_hints

    def questions(self) -> tuple[list[Sample], str]:
        """All samples of this subset without hints, and how the algorithm is read."""
        places = (self._places[index] for index in self.indices())
        return [self._split.sample(place, False) for place in places], self._split.convention

    def graph_keys(self) -> Iterable[bytes]:
        """What tells the graphs apart, in the order of the samples."""
        return (self._split.graph_key(self._places[index]) for index in self.indices())


_GIVES_SAMPLES = ("get", "arrays", "__getitem__")


def _stored(found: Split, root: _Root, samples: int) -> Split:
    """The split read from its files in `root`, if they are there."""
    stored = None if root is None else found.stored_in(os.fspath(root), samples)
    return found if stored is None else stored


def _distinct(found: Split, count: int, forbidden: Sequence[SALSACLRSDataset]) -> list[int]:
    """The first samples whose graphs neither occur before nor in other data sets."""
    known = {key for dataset in forbidden for key in dataset.graph_keys()}
    places: list[int] = []
    index = 0
    # Where nearly every graph is known, there may be no others.
    while len(places) < count and index < 1000 + 100 * count:
        key = found.graph_key(index)
        if key not in known:
            known.add(key)
            places.append(index)
        index += 1
    if len(places) < count:
        problem = f"{index} draws gave {len(places)} different graphs, {count} were asked for"
        raise ValueError(f"{problem}; take larger graphs or fewer samples")
    return places
