"""Encoders of inputs, and decoders of hints and outputs."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ..specs import Feature
from .graphs import Graphs
from .segments import log_softmax, reduce


class Encoder(nn.Module):
    """A layer for each input of nodes; encodings are combined by maximum or, in `release`, sum."""

    def __init__(self, inputs: list[str], n_hidden: int, convention: str) -> None:
        super().__init__()
        self.by_maximum = convention == "paper"
        layers = {name: nn.ModuleDict({"lin": nn.Linear(1, n_hidden)}) for name in inputs}
        self.encoder = nn.ModuleDict(layers)

    def forward(self, graphs: Graphs) -> Tensor:
        """Inputs [N] -> [N, n_hidden]."""
        encodings = torch.stack(
            [layer["lin"](graphs.features[name][:, None]) for name, layer in self.encoder.items()]
        )
        return encodings.amax(0) if self.by_maximum else encodings.sum(0)


class LinearDecoder(nn.Module):
    """Features of nodes and graphs."""

    def __init__(self, feature: Feature, n_inputs: int) -> None:
        super().__init__()
        self.feature = feature
        self.lin = nn.Linear(n_inputs, feature.n_categories or 1)

    def forward(self, z: Tensor, graphs: Graphs) -> Tensor:
        """z [N, n_inputs] -> [N], of graphs [B], of classes [N, C]."""
        values = self.lin(z)
        if self.feature.type == "categorical":
            return torch.log_softmax(values, dim=-1)
        values = values.squeeze(-1)
        if self.feature.type == "mask_one":
            return log_softmax(values, graphs.graph, graphs.n_graphs)
        if self.feature.location == "graph":
            return reduce(values, graphs.graph, graphs.n_graphs, "mean")
        return values


class EdgeDecoder(nn.Module):
    """Pointers and features of edges, by the product of a layer on either end."""

    def __init__(self, feature: Feature, n_inputs: int) -> None:
        super().__init__()
        self.feature = feature
        self.source_lin = nn.Linear(n_inputs, n_inputs)
        self.target_lin = nn.Linear(n_inputs, n_inputs)

    def forward(self, z: Tensor, graphs: Graphs) -> Tensor:
        """z [N, n_inputs] -> [E]."""
        ends = self.source_lin(z)[graphs.source], self.target_lin(z)[graphs.target]
        scores = (ends[0] * ends[1]).sum(-1)
        if self.feature.type == "pointer":
            return log_softmax(scores, graphs.source, graphs.n_nodes)
        return scores


class Decoder(nn.Module):
    """A decoder for each name; a hint `x_h` and an output `x` share one."""

    def __init__(self, features: dict[str, Feature], n_hidden: int) -> None:
        super().__init__()
        self.decoder = nn.ModuleDict()
        for name, feature in features.items():
            on_edges = feature.type == "pointer" or feature.location == "edge"
            made = EdgeDecoder if on_edges else LinearDecoder
            if _base(name) not in self.decoder:
                self.decoder[_base(name)] = made(feature, 3 * n_hidden)

    def forward(self, name: str, z: Tensor, graphs: Graphs) -> Tensor:
        """Logits of masks, log-probabilities of choices, numbers as they are."""
        return self.decoder[_base(name)](z, graphs)


def _base(name: str) -> str:
    return name[:-2] if name.endswith("_h") else name
