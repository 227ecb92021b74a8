"""GIN, and GINE where edges have weights."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .graphs import Graphs
from .layers import two_layers
from .segments import reduce


class GIN(nn.Module):
    """A network on (1 + eps) x_i + max x_j; with weights, on max ReLU(x_j + weight layer)."""

    has_gate = True
    """A GRU of the network makes the next state of what this gives."""

    def __init__(self, n_inputs: int, n_hidden: int, weighted: bool, aggregation: str) -> None:
        super().__init__()
        self.aggregation = aggregation
        self.eps = nn.Parameter(torch.zeros(1))
        if weighted:
            self.lin = nn.Linear(1, n_inputs)
        self.nn = two_layers(n_inputs, n_hidden)

    def forward(self, x: Tensor, graphs: Graphs, weights: Tensor | None, hidden: Tensor) -> Tensor:
        """x [N, n_inputs], weights [E, 1] -> [N, n_hidden]."""
        messages = x[graphs.source]
        if weights is not None:
            messages = torch.relu(messages + self.lin(weights))
        reduced = reduce(messages, graphs.target, graphs.n_nodes, self.aggregation)
        return self.nn((1 + self.eps) * x + reduced)
