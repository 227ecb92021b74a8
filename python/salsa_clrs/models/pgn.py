"""PGN: messages from both ends of an edge through a small network, an update without gates."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .graphs import Graphs
from .segments import reduce


class PGN(nn.Module):
    """ReLU(O1 x_i + O2 max m_ij), where m_ij is a network of A x_j + B x_i + weight layer."""

    has_gate = False

    def __init__(self, n_inputs: int, n_hidden: int, weighted: bool, aggregation: str) -> None:
        super().__init__()
        self.aggregation = aggregation
        self.m_1 = nn.Linear(n_inputs, n_hidden)
        self.m_2 = nn.Linear(n_inputs, n_hidden)
        # There is one without weights too, which takes no part.
        self.edge_weight_scaler = nn.Linear(1, n_hidden)
        self.msg_mlp = nn.Sequential(
            nn.ReLU(), nn.Linear(n_hidden, n_hidden), nn.ReLU(), nn.Linear(n_hidden, n_hidden)
        )
        self.o1 = nn.Linear(n_inputs, n_hidden)
        self.o2 = nn.Linear(n_hidden, n_hidden)

    def forward(self, x: Tensor, graphs: Graphs, weights: Tensor | None, hidden: Tensor) -> Tensor:
        """x [N, n_inputs], weights [E, 1] -> [N, n_hidden]."""
        # A layer on gathered rows is the gathered layer on rows, of which there are fewer.
        messages = self.m_1(x)[graphs.source] + self.m_2(x)[graphs.target]
        if weights is not None:
            messages = messages + self.edge_weight_scaler(weights)
        messages = self.msg_mlp(messages)
        reduced = reduce(messages, graphs.target, graphs.n_nodes, self.aggregation)
        return torch.relu(self.o1(x) + self.o2(reduced))
