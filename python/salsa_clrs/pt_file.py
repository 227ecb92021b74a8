"""Reads a sample that the published package has written with `torch.save`, and nothing else.

Such a file is a zip archive of a pickle and of the numbers of each tensor. A pickle can name any
function to be called; here it gets none but those below, whatever it asks for, and no class of
PyTorch or of the published package is ever made: a record of attributes stands in for them.
"""

from __future__ import annotations

import io
import os
import pickle
import zipfile
from collections import OrderedDict
from typing import Any, Union

import numpy as np
import numpy.typing as npt

Value = Union["npt.NDArray[Any]", list[str]]


def read_pt(path: str | os.PathLike[str]) -> dict[str, Value]:
    """The attributes of the data object in a file: arrays, and lists of names."""
    try:
        with zipfile.ZipFile(path) as archive:
            attributes = _Reader(_Records(archive)).load()
    except OSError:
        raise
    # Whatever a damaged or hostile file makes pickle stumble over is the file's fault.
    except Exception as error:
        problem = f"{os.fspath(path)}: it holds no sample of the published package: {error}"
        raise ValueError(problem) from error
    found: dict[str, Value] = {}
    for name, value in _mapping(attributes, path).items():
        if value is None:
            continue
        if isinstance(value, (bool, int, float)):
            value = np.asarray(value)
        is_list = isinstance(value, list) and all(isinstance(one, str) for one in value)
        if not isinstance(name, str) or not (is_list or isinstance(value, np.ndarray)):
            problem = f"{name!r} is a {type(value).__name__}, expected a tensor"
            raise ValueError(f"{os.fspath(path)}: {problem} or a list of names")
        found[name] = value
    return found


class _Record:
    """An object of any class that may occur, as its attributes."""


def _mapping(data: Any, path: str | os.PathLike[str]) -> dict[Any, Any]:
    store = vars(data).get("_store") if isinstance(data, _Record) else None
    mapping = vars(store).get("_mapping") if isinstance(store, _Record) else None
    if not isinstance(mapping, dict):
        raise ValueError(f"{os.fspath(path)}: it holds no data object of PyTorch Geometric")
    return mapping


class _Records:
    """The numbers of the archive, by key."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        pickles = [name for name in archive.namelist() if name.endswith("/data.pkl")]
        if len(pickles) != 1:
            raise ValueError(f"expected one data.pkl, found {len(pickles)}")
        self._folder = pickles[0][: -len("data.pkl")]
        if self._folder + "byteorder" in archive.namelist():
            order = self.bytes("byteorder")
            if order != b"little":
                raise ValueError(f"expected little-endian numbers, found {order!r}")

    def bytes(self, name: str) -> bytes:
        found = self._archive.getinfo(self._folder + name)
        if found.compress_type != zipfile.ZIP_STORED:
            raise ValueError(f"{name} is compressed")
        return self._archive.read(found)


class _Reader(pickle.Unpickler):
    def __init__(self, records: _Records) -> None:
        super().__init__(io.BytesIO(records.bytes("data.pkl")))
        self._records = records

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _ALLOWED:
            raise pickle.UnpicklingError(f"it asks for {module}.{name}")
        return _ALLOWED[module, name]

    def persistent_load(self, pid: Any) -> npt.NDArray[Any]:
        kind, dtype, key, _, length = pid
        if kind != "storage" or not isinstance(dtype, np.dtype) or not isinstance(key, str):
            raise pickle.UnpicklingError("it asks for something else than a tensor")
        numbers: npt.NDArray[Any] = np.frombuffer(self._records.bytes(f"data/{key}"), dtype=dtype)
        if len(numbers) != length:
            raise ValueError(f"expected {length} numbers, found {len(numbers)}")
        return numbers


def _tensor(
    numbers: npt.NDArray[Any], offset: int, shape: Any, strides: Any, *_: Any
) -> npt.NDArray[Any]:
    """The tensor that lies in these numbers, as an array of its own."""
    if not isinstance(numbers, np.ndarray) or len(shape) != len(strides):
        raise ValueError("a tensor has no numbers")
    size, last = 1, offset
    for length, stride in zip(shape, strides):
        if length < 0 or stride < 0:
            raise ValueError("a tensor has a negative shape")
        size *= length
        last += (length - 1) * stride
    if size == 0:
        return np.zeros(shape, dtype=numbers.dtype)
    # No tensor repeats its numbers, so none is larger than what is there.
    if offset < 0 or last >= len(numbers) or size > len(numbers):
        raise ValueError(f"a tensor of shape {list(shape)} is not in {len(numbers)} numbers")
    width = numbers.itemsize
    steps = [stride * width for stride in strides]
    return np.lib.stride_tricks.as_strided(numbers[offset:], shape, steps).copy()


_ALLOWED: dict[tuple[str, str], Any] = {
    ("collections", "OrderedDict"): OrderedDict,
    ("torch._utils", "_rebuild_tensor_v2"): _tensor,
    ("torch", "FloatStorage"): np.dtype("<f4"),
    ("torch", "DoubleStorage"): np.dtype("<f8"),
    ("torch", "LongStorage"): np.dtype("<i8"),
    ("torch", "IntStorage"): np.dtype("<i4"),
    ("torch", "BoolStorage"): np.dtype("?"),
    ("salsaclrs.data", "CLRSData"): _Record,
    ("salsa_clrs.data", "CLRSData"): _Record,
    ("torch_geometric.data.data", "Data"): _Record,
    ("torch_geometric.data.data", "DataEdgeAttr"): _Record,
    ("torch_geometric.data.data", "DataTensorAttr"): _Record,
    ("torch_geometric.data.storage", "GlobalStorage"): _Record,
}
