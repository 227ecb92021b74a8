"""The extension module: the Rust crates as Python objects. They never change and are picklable."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
import numpy.typing as npt

class Arrays(TypedDict):
    """Samples as one disconnected graph: B graphs, N nodes, E directed edges, T steps at most."""

    edge_index: npt.NDArray[np.int64]
    """[2, E], sorted within a graph, self-loops included."""
    ptr: npt.NDArray[np.int64]
    """[B + 1], the first node of each graph and N."""
    edge_ptr: npt.NDArray[np.int64]
    """[B + 1], the first edge of each graph and E."""
    batch: npt.NDArray[np.int64]
    """[N], the graph of each node."""
    length: npt.NDArray[np.int64]
    """[B], the steps of each graph."""
    inputs: dict[str, npt.NDArray[np.float32]]
    hints: dict[str, npt.NDArray[np.float32]]
    outputs: dict[str, npt.NDArray[Any]]

Feature = tuple[str, str, str, str, int | None]

class Sample:
    """One execution of an algorithm on one graph; hints are expanded when asked for."""

    @property
    def algorithm(self) -> str: ...
    @property
    def generator(self) -> str:
        """Where the graph comes from."""
    @property
    def n_nodes(self) -> int: ...
    @property
    def n_edges(self) -> int:
        """Undirected edges, without self-loops."""
    @property
    def length(self) -> int:
        """Steps of the execution."""
    @property
    def source(self) -> int | None:
        """The node the algorithm starts at, if it has one."""
    @property
    def has_hints(self) -> bool: ...
    @property
    def edge_index(self) -> npt.NDArray[np.int64]:
        """Directed edges [2, E], sorted, self-loops included."""
    @property
    def content_hash(self) -> str:
        """Graph, inputs, length and outputs as a hash, the same on every machine."""
    def arrays(self, hints: bool = True) -> Arrays:
        """Everything as dense arrays: a batch of one."""
    def output(self, name: str) -> npt.NDArray[Any] | int:
        """An output; pointers are node numbers, one marked node is its number."""
    def hint(self, name: str, step: int) -> npt.NDArray[Any] | int:
        """A hint at one step, without expanding the others."""
    def svg(self, *, size: float = 640.0, dark: bool = False) -> str:
        """A picture of the output."""
    @classmethod
    def from_bytes(cls, bytes: bytes, algorithm: str | Algorithm | None = None) -> Sample:
        """The sample in the bytes of a file of one, of this algorithm if it is not built in."""
    def _repr_svg_(self) -> str: ...

class Split:
    """The samples of one split for one algorithm, made when they are asked for."""

    @classmethod
    def of_suite(
        cls, algorithm: str | Algorithm, split: str, suite: str, seed: int | None = None
    ) -> Split: ...
    @classmethod
    def of_text(
        cls, algorithm: str | Algorithm, split: str, origin: str, text: str, seed: int
    ) -> Split: ...
    @classmethod
    def custom(
        cls,
        algorithm: str | Algorithm,
        split: str,
        family: str,
        parameters: list[str],
        convention: str,
        seed: int,
    ) -> Split: ...
    @property
    def algorithm(self) -> str: ...
    @property
    def split(self) -> str: ...
    @property
    def suite(self) -> str: ...
    @property
    def convention(self) -> str: ...
    @property
    def seed(self) -> int: ...
    @property
    def n_samples(self) -> int: ...
    @property
    def folder(self) -> Path | None:
        """The folder of the shards that samples are read from, if they are."""
    def stored_in(self, root: str, samples: int) -> Split | None:
        """The same samples read from shards in `root`, if there are any."""
    def cached(self, limit: int) -> Split:
        """The same samples, kept in memory while all that is kept takes at most `limit` bytes."""
    @classmethod
    def again(
        cls, build: str, arguments: tuple[Any, ...], stored: tuple[Path, int] | None, limit: int
    ) -> Split: ...
    def save(self, root: str, samples: int, hints: bool) -> Path:
        """Writes the first samples as shards; gives their folder."""
    def sample(self, index: int, hints: bool) -> Sample: ...
    def batch(self, indices: list[int], hints: bool) -> Arrays: ...
    def graph_key(self, index: int) -> bytes:
        """Equal for equal labelled graphs."""

class Ahead:
    """Batches of a split made ahead by threads, in the order of asking."""

    def __init__(self, split: Split, hints: bool, threads: int) -> None: ...
    def push(self, indices: list[int]) -> None: ...
    def pop(self) -> Arrays: ...

class Algorithm:
    """An algorithm written in Python."""

    def __init__(
        self,
        name: str,
        fields: list[tuple[str, str, str, str, int]],
        function: Callable[..., Any],
    ) -> None: ...

def collate(samples: list[Sample], hints: bool) -> Arrays: ...
def execute(
    algorithm: str | Algorithm,
    n_nodes: int,
    edges: npt.NDArray[np.uint32],
    *,
    weights: npt.NDArray[np.float64] | None,
    source: int | None,
    randomness: npt.NDArray[np.float64] | None,
    seed: int,
    convention: str,
    hints: bool,
) -> Sample: ...
def given(
    algorithm: str,
    n_nodes: int,
    edges: npt.NDArray[np.uint32],
    *,
    weights: npt.NDArray[np.float64] | None,
    source: int | None,
    randomness: npt.NDArray[np.float64] | None,
    length: int,
    outputs: list[npt.NDArray[np.float32]],
) -> Sample: ...
def evaluate(
    samples: list[Sample], predictions: list[npt.NDArray[np.float32]], convention: str
) -> tuple[
    list[tuple[str, int, float, float | None, tuple[float, float] | None]], dict[str, int]
]: ...
def command(words: list[str]) -> int: ...
def metrics() -> list[tuple[str, str]]: ...

Computing = tuple[str, str, int | None]
"""Device, precision, number of threads."""

def train(
    file: Path | None,
    settings: list[tuple[str, str]],
    out: Path | None,
    computing: Computing,
    on_epoch: Callable[[str, bool], Any] | None,
) -> Path:
    """The folder of a new training, from settings whose values are TOML."""

def resume(
    folder: Path,
    epochs: int | None,
    batch: int | None,
    computing: Computing,
    on_epoch: Callable[[str, bool], Any] | None,
) -> Path: ...
def log(folder: Path) -> str:
    """The records of a training as JSON."""

def evaluate_trained(
    checkpoint: Path,
    splits: list[str],
    given: list[tuple[str, list[Sample], str]],
    samples: int | None,
    suite: str | None,
    data_seed: int | None,
    steps: str,
    computing: Computing,
) -> str:
    """A record of each set as JSON."""

def predict(
    checkpoint: Path, samples: list[Sample], convention: str, steps: str, computing: Computing
) -> list[tuple[dict[str, Any], int, bool | None, str | None]]: ...
def scores(
    checkpoint: Path, samples: list[Sample], computing: Computing
) -> dict[str, npt.NDArray[np.float32]]: ...
def read_checkpoint(path: Path) -> tuple[str, str, dict[str, npt.NDArray[np.float32]]]:
    """Run and progress as JSON, parameters and statistics in the shapes of PyTorch."""

def write_checkpoint(
    path: Path, settings: list[tuple[str, str]], tensors: dict[str, npt.NDArray[np.float32]]
) -> None: ...
def algorithms() -> list[tuple[str, str, bool, list[Feature]]]: ...
def generators() -> list[tuple[str, str]]: ...
def suites() -> list[str]: ...
