"""Samples and batches as objects of PyTorch Geometric, laid out as in the published package.

Tensors take over the arrays of the Rust core without a copy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from typing import TYPE_CHECKING

import torch
from torch_geometric.data import Batch, Data

from .specs import rows

if TYPE_CHECKING:
    from ._core import Arrays

# Attributes that list the names of others.
NAMES = ("inputs", "hints", "outputs")


class CLRSData(Data):
    """One sample.

    `edge_index` int64 [2, E]; `length`; `weights` float32 [E] if there are any; inputs and hints
    float32; pointers at the end float64, 0 or 1 for each edge. `inputs`, `hints` and `outputs`
    list the names of the other attributes.
    """


class CLRSBatch(Batch):
    """Several samples as one graph; the lists of names are those of one, being alike for all."""

    def get_example(self, idx: int) -> CLRSData:
        data = super().get_example(idx)
        for name in NAMES:
            data[name] = self[name]
        return data


# PyTorch Geometric makes a class for every batch; a copy of an empty one spares that.
_EMPTY = CLRSBatch(_base_cls=CLRSData)


def single(algorithm: str, arrays: Arrays) -> CLRSData:
    """The data object of a batch of one."""
    data = CLRSData(edge_index=torch.from_numpy(arrays["edge_index"]))
    data.length = torch.from_numpy(arrays["length"]).reshape(())
    for name, value in _tensors(arrays):
        # What a graph has at the end is a number; batches have one for each graph.
        is_number = name in arrays["outputs"] and rows(algorithm, name) == "graph"
        data[name] = value.reshape(()) if is_number else value
    for name, listed in _names(arrays).items():
        data[name] = listed
    return data


def several(algorithm: str, arrays: Arrays, exclude_keys: Sequence[str] | None = None) -> CLRSBatch:
    """What `Batch.from_data_list` gives for padded samples."""
    n_graphs = len(arrays["length"])
    bounds = {
        "node": torch.from_numpy(arrays["ptr"]),
        "edge": torch.from_numpy(arrays["edge_ptr"]),
        "graph": torch.arange(n_graphs + 1),
    }
    tensors = {"edge_index": torch.from_numpy(arrays["edge_index"])}
    tensors["length"] = torch.from_numpy(arrays["length"])
    slices = {"edge_index": bounds["edge"], "length": bounds["graph"]}
    for name, value in _tensors(arrays):
        tensors[name] = value
        slices[name] = bounds[rows(algorithm, name)]
    shifts: dict[str, torch.Tensor | None] = dict.fromkeys(slices)
    shifts["edge_index"] = bounds["node"][:-1]
    for name in exclude_keys or ():
        if name in slices:
            del tensors[name], slices[name], shifts[name]
    tensors["batch"], tensors["ptr"] = torch.from_numpy(arrays["batch"]), bounds["node"]
    batch = copy(_EMPTY)
    # Setting attributes one by one takes as long as all the rest.
    batch._store._mapping.update(tensors, **_names(arrays))
    own = batch.__dict__
    own["_num_graphs"], own["_slice_dict"], own["_inc_dict"] = n_graphs, slices, shifts
    return batch


def padded(samples: Sequence[CLRSData]) -> list[CLRSData]:
    """The samples with hints and random values as long as the longest; they are not changed."""
    longest = max(int(data.length) for data in samples)
    padded = []
    for data in samples:
        missing = longest - int(data.length)
        if missing:
            data = data.clone()
            for name in [*data.hints, *(name for name in data.inputs if name == "randomness")]:
                value = data[name]
                zeros = value.new_zeros(value.shape[0], missing, *value.shape[2:])
                data[name] = torch.cat([value, zeros], dim=1)
        padded.append(data)
    return padded


def _tensors(arrays: Arrays) -> Iterator[tuple[str, torch.Tensor]]:
    for features in (arrays["inputs"], arrays["hints"], arrays["outputs"]):
        for name, value in features.items():
            yield name, torch.from_numpy(value)


def _names(arrays: Arrays) -> dict[str, list[str]]:
    """The attributes that list the names of others."""
    return {
        "inputs": [name for name in arrays["inputs"] if name != "weights"],
        "hints": list(arrays["hints"]),
        "outputs": list(arrays["outputs"]),
    }
