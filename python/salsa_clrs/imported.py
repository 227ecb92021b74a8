"""Samples of the published package, read from its files, so that they can be used and judged."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import torch
from torch_geometric.data import Dataset

from . import _core
from .data import NAMES, CLRSData
from .pt_file import Value, read_pt
from .run import undirected
from .specs import Feature, core_name, features, rows


class ImportedDataset(Dataset):
    """The samples in a folder of the published package.

    Args:
        folder: the folder with `data_0.pt`, `data_1.pt` and so on, or the one above it.
        algorithm: what they are samples of.
        ignore_all_hints: whether to leave out the hints, if there are any.
        nickname: a name for logs.

    The files are read without ever running what they may ask to be run, and each is checked:
    features as the algorithm has them, shapes that fit the graph.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        algorithm: str,
        *,
        ignore_all_hints: bool = False,
        nickname: str | None = None,
    ) -> None:
        self.algorithm = algorithm
        self.core_algorithm = core_name(algorithm)
        self.ignore_all_hints = ignore_all_hints
        self.nickname = nickname
        self._files = _files(Path(folder))
        super().__init__(None)

    @property
    def specs(self) -> dict[str, Feature]:
        """Stage, location, type and number of categories of every feature of a sample."""
        return features(self.core_algorithm, hints=bool(self.get(0).hints))

    def len(self) -> int:
        return len(self._files)

    def get(self, idx: int) -> CLRSData:
        """The sample in a file."""
        path = self._files[idx]
        found = read_pt(path)
        try:
            return _data(self.core_algorithm, found, hints=not self.ignore_all_hints)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error

    def questions(self) -> tuple[list[_core.Sample], str]:
        """All samples of this subset for the evaluator, and how the algorithm is read."""
        return [self._question(index) for index in self.indices()], "release"

    def _question(self, idx: int) -> _core.Sample:
        data = self.get(idx)
        try:
            return _sample(self.core_algorithm, data)
        except ValueError as error:
            raise ValueError(f"{self._files[idx]}: {error}") from error


def _files(folder: Path) -> list[Path]:
    """The files of samples, by their numbers, which have no gaps."""
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder}: there is no such folder")
    for place in (folder, folder / "processed"):
        matches = (re.fullmatch(r"data_(\d+)\.pt", path.name) for path in place.glob("data_*.pt"))
        numbers = sorted(int(match.group(1)) for match in matches if match)
        if numbers:
            missing = next((i for i, number in enumerate(numbers) if i != number), None)
            if missing is not None:
                raise FileNotFoundError(f"{place / f'data_{missing}.pt'}: the file is missing")
            return [place / f"data_{number}.pt" for number in numbers]
    raise FileNotFoundError(f"{folder}: there is no data_0.pt, neither in it nor in processed")


def _data(algorithm: str, found: dict[str, Value], *, hints: bool) -> CLRSData:
    """The data object, if it is one of the algorithm."""
    names = {name: found.get(name, []) for name in NAMES}
    if not all(isinstance(listed, list) for listed in names.values()):
        raise ValueError("expected lists of names in inputs, hints and outputs")
    has_hints = bool(names["hints"])
    expected = features(algorithm, hints=has_hints)
    stages = {"inputs": "input", "hints": "hint", "outputs": "output"}
    for listing, stage in stages.items():
        wanted = {name for name, feature in expected.items() if feature.stage == stage}
        if set(names[listing]) != wanted:
            told = f"expected the {listing} {sorted(wanted)}, found {sorted(names[listing])}"
            raise ValueError(f"{told}; is it a sample of {algorithm}?")
    edge_index = _array(found, "edge_index", [2, None], np.int64)
    length = int(_array(found, "length", [], np.int64))
    if length < 1:
        raise ValueError(f"length: expected at least 1, found {length}")
    n_nodes = int(edge_index.max(initial=-1)) + 1
    sizes = {"node": n_nodes, "edge": edge_index.shape[1], "graph": 1}
    data = CLRSData(edge_index=torch.from_numpy(edge_index), length=torch.tensor(length))
    if "weights" in found:
        data.weights = torch.from_numpy(_array(found, "weights", [sizes["edge"]], np.float32))
    for name, feature in expected.items():
        if feature.stage == "hint" and not hints:
            continue
        shape = [sizes[rows(algorithm, name)]]
        if feature.stage == "hint" or name == "randomness":
            shape.append(length)
        if feature.n_categories is not None:
            shape.append(feature.n_categories)
        if feature.stage == "output" and feature.location == "graph":
            shape = []
        is_pointer = feature.stage == "output" and feature.type == "pointer"
        values = _array(found, name, shape, np.float64 if is_pointer else np.float32)
        data[name] = torch.from_numpy(values)
    data.inputs, data.outputs = names["inputs"], names["outputs"]
    data.hints = names["hints"] if hints else []
    return data


def _array(
    found: dict[str, Value], name: str, shape: list[int | None] | list[int], dtype: Any
) -> npt.NDArray[Any]:
    """An attribute of this shape, where None is any length."""
    value = found.get(name)
    if not isinstance(value, np.ndarray):
        raise ValueError(f"{name}: missing")
    if not shape and value.shape == (1,):
        value = value.reshape(())
    fits = len(shape) == value.ndim and all(
        wanted in (None, size) for wanted, size in zip(shape, value.shape)
    )
    if not fits or value.dtype.kind != np.dtype(dtype).kind:
        expected = f"{np.dtype(dtype).name} {['any' if n is None else n for n in shape]}"
        raise ValueError(f"{name}: expected {expected}, found {value.dtype} {list(value.shape)}")
    return value.astype(dtype, order="C")


def _sample(algorithm: str, data: CLRSData) -> _core.Sample:
    """The sample of the core, with the outputs that the file has."""
    edge_index = data.edge_index.numpy()
    weights = data.weights.numpy().astype(np.float64) if "weights" in data else None
    edges, merged = undirected(edge_index, weights)
    source = int(data.s.argmax()) if "s" in data else None
    randomness = data.randomness.numpy()[:, ::2].T if "randomness" in data else None
    sample = _core.given(
        algorithm,
        int(edge_index.max(initial=-1)) + 1,
        edges,
        weights=merged,
        source=source,
        randomness=None if randomness is None else np.ascontiguousarray(randomness, np.float64),
        length=int(data.length),
        outputs=[values.reshape(-1) for values in _outputs(algorithm, data)],
    )
    if not np.array_equal(sample.edge_index, edge_index):
        raise ValueError("expected sorted edges in both directions and a loop on every node")
    return sample


def _outputs(algorithm: str, data: CLRSData) -> Iterator[npt.NDArray[np.float32]]:
    for name, feature in features(algorithm, hints=False).items():
        if feature.stage == "output":
            values = cast("npt.NDArray[Any]", data[name].numpy()).astype(np.float32)
            # Of scores for a mask those above 0 are set.
            yield values - np.float32(0.5) if feature.type == "mask" else values
