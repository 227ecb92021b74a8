"""Samples as one disconnected graph, in NumPy arrays."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ._core import Arrays


@dataclass(frozen=True)
class Batch:
    """B graphs with N nodes and E directed edges, and T steps of the longest execution.

    Features of nodes have N rows, features of edges and pointers E, features of graphs B; hints
    and `randomness` have T columns, zero where an execution has ended; classes are one-hot in the
    last axis. The arrays are those the Rust core has written, not copies; they support DLPack.
    """

    algorithm: str
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

    @classmethod
    def of(cls, algorithm: str, arrays: Arrays) -> Batch:
        """The arrays of the core under their names."""
        return cls(algorithm=algorithm, **arrays)

    def torch(self) -> Batch:
        """The same batch with tensors of PyTorch in the place of arrays, in the same memory."""
        import torch

        changed: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, dict):
                value = {name: torch.from_numpy(array) for name, array in value.items()}
            changed[field.name] = (
                value if isinstance(value, (str, dict)) else torch.from_numpy(value)
            )
        return Batch(**changed)

    def __len__(self) -> int:
        return len(self.length)

    def __repr__(self) -> str:
        n_nodes, n_edges = int(self.ptr[-1]), int(self.edge_ptr[-1])
        return f"<Batch of {self.algorithm}: {len(self)} graphs, {n_nodes} nodes, {n_edges} edges>"
