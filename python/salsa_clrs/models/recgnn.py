"""RecGNN: a wide network on both ends of every edge, a GRU."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .graphs import Graphs
from .layers import two_layers
from .segments import reduce


class RecGNN(nn.Module):
    """GRU(max of a network on [x_j | x_i (| weight)], hidden state)."""

    has_gate = False

    def __init__(self, n_inputs: int, n_hidden: int, weighted: bool, aggregation: str) -> None:
        super().__init__()
        self.aggregation = aggregation
        self.mlp_edge = two_layers(2 * n_inputs + int(weighted), n_inputs)
        self.rnn = nn.GRUCell(n_inputs, n_hidden)

    def forward(self, x: Tensor, graphs: Graphs, weights: Tensor | None, hidden: Tensor) -> Tensor:
        """x [N, n_inputs], weights [E, 1], hidden [N, n_hidden] -> [N, n_hidden]."""
        ends = [x[graphs.source], x[graphs.target]]
        messages = self.mlp_edge(torch.cat(ends if weights is None else [*ends, weights], dim=1))
        reduced = reduce(messages, graphs.target, graphs.n_nodes, self.aggregation)
        return self.rnn(reduced, hidden)
