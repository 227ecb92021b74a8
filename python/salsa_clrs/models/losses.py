"""The loss: outputs, hints and the size of hidden states.

Every term is a mean over nodes, edges or graphs. Hints are summed over the steps that a graph
takes and divided by the steps of the longest, so a step after the end counts as zero.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from ..specs import Feature
from .graphs import Graphs


@dataclass(frozen=True)
class Losses:
    """The terms, each a scalar; hints and the hidden states before their weights."""

    total: Tensor
    outputs: dict[str, Tensor]
    hints: dict[str, Tensor]
    hidden: Tensor


def output_loss(feature: Feature, decoded: Tensor, expected: Tensor, graphs: Graphs) -> Tensor:
    """decoded, expected: [n], of classes [n, C]."""
    return _elements(feature, decoded, expected).sum() / _count(feature, graphs)


def hint_loss(feature: Feature, decoded: Tensor, expected: Tensor, graphs: Graphs) -> Tensor:
    """decoded, expected: [n, T], of classes [n, T, C]."""
    location = "edge" if feature.type == "pointer" else feature.location
    steps = torch.arange(graphs.n_steps, device=decoded.device)
    counts = steps < graphs.length[graphs.rows(location)][:, None]
    counts = counts.reshape(counts.shape + (1,) * (decoded.dim() - 2))
    elements = _elements(feature, decoded, expected) * counts
    return elements.sum() / (_count(feature, graphs) * graphs.n_steps)


def hidden_loss(hidden: Tensor) -> Tensor:
    """The mean over nodes of the state's norm: hidden [N, n_hidden] -> []."""
    return torch.linalg.vector_norm(hidden, dim=1).mean()


def _elements(feature: Feature, decoded: Tensor, expected: Tensor) -> Tensor:
    if feature.type == "scalar":
        return functional.mse_loss(decoded, expected, reduction="none")
    if feature.type == "mask":
        return functional.binary_cross_entropy_with_logits(decoded, expected, reduction="none")
    # A choice, as zeros and a one: minus the log-probability of the right one.
    return -decoded * expected


def _count(feature: Feature, graphs: Graphs) -> int:
    if feature.location == "graph" or feature.type == "mask_one":
        return graphs.n_graphs
    return graphs.n_nodes if feature.location == "node" else graphs.source.numel()
