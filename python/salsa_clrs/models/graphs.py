"""A batch as tensors, from whatever holds one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from ..batch import Batch


@dataclass(frozen=True)
class Graphs:
    """B graphs as one, with N nodes, E directed edges and T steps of the longest execution."""

    source: Tensor
    """[E]."""
    target: Tensor
    """[E]."""
    graph: Tensor
    """[N], the graph of each node."""
    length: Tensor
    """[B]."""
    n_steps: int
    features: Mapping[str, Tensor]
    """Inputs, hints and outputs by name, laid out as in `salsa_clrs.Batch`."""

    @classmethod
    def of(cls, batch: Any, names: list[str], like: Tensor) -> Graphs:
        """From a `salsa_clrs.Batch`, or a data object or batch of PyTorch Geometric.

        Features get the type and the device of `like`; those that the batch has not are left out.
        """
        if isinstance(batch, Graphs):
            return batch
        held = _arrays(batch) if isinstance(batch, Batch) else batch
        edges, length = (
            torch.as_tensor(held[name], device=like.device) for name in ("edge_index", "length")
        )
        length = length.reshape(-1)
        features = {name: torch.as_tensor(held[name]).to(like) for name in names if name in held}
        if "batch" in held and held["batch"] is not None:
            graph = torch.as_tensor(held["batch"], device=like.device)
        else:
            graph = torch.zeros(int(edges.max()) + 1, dtype=torch.long, device=like.device)
        return cls(edges[0], edges[1], graph, length, max(1, int(length.max())), features)

    @property
    def n_nodes(self) -> int:
        return self.graph.numel()

    @property
    def n_graphs(self) -> int:
        return self.length.numel()

    def rows(self, location: str) -> Tensor:
        """The graph of each row of a feature of nodes, edges or graphs."""
        if location == "node":
            return self.graph
        if location == "edge":
            return self.graph[self.source]
        return torch.arange(self.n_graphs, device=self.graph.device)


def _arrays(batch: Batch) -> dict[str, Any]:
    return {
        "edge_index": batch.edge_index,
        "batch": batch.batch,
        "length": batch.length,
        **batch.inputs,
        **batch.hints,
        **batch.outputs,
    }
