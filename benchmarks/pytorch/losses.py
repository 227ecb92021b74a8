"""Losses of the published model: one call for each hint and output.

Every loss is a mean over nodes, edges or graphs; hints are summed over the steps t < length
of the graph they belong to and divided by count times steps, so a padded step counts as zero.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from case import Field, Kind, Location


def element_losses(field: Field, prediction: Tensor, target: Tensor) -> Tensor:
    """Loss of each element: prediction, target [n, ...] -> [n, ...].

    Pointers and mask_one: minus the log-probability of the true edge or node, 0 elsewhere.
    Categorical: prediction [n, n_categories, ...], target [n, ..., n_categories] one-hot.
    """
    match field.kind:
        case Kind.POINTER | Kind.MASK_ONE:
            return -prediction * target
        case Kind.MASK:
            return F.binary_cross_entropy_with_logits(prediction, target, reduction="none")
        case Kind.SCALAR:
            return F.mse_loss(prediction, target, reduction="none")
        case Kind.CATEGORICAL:
            return F.nll_loss(prediction, target.argmax(-1), reduction="none")


def element_count(field: Field, n_nodes: int, n_edges: int, n_graphs: int) -> int:
    """What the mean of a field's loss divides by."""
    if field.kind is Kind.POINTER:
        return n_nodes
    if field.kind is Kind.MASK_ONE:
        return n_graphs
    return {Location.NODE: n_nodes, Location.EDGE: n_edges, Location.GRAPH: n_graphs}[
        field.location
    ]


def graph_of_element(field: Field, graph: Tensor, source: Tensor, n_graphs: int) -> Tensor:
    """The graph each element of a field belongs to: graph [n_nodes] -> [n]."""
    match field.location:
        case Location.NODE:
            return graph
        case Location.EDGE:
            return graph[source]
        case Location.GRAPH:
            return torch.arange(n_graphs, device=graph.device)


def step_mask(length: Tensor, graph: Tensor, n_steps: int) -> Tensor:
    """1 where a step is part of the trajectory: length [n_graphs], graph [n] -> [n, n_steps]."""
    return torch.arange(n_steps, device=graph.device) < length[graph].unsqueeze(1)


def hidden_loss(hidden: Tensor) -> Tensor:
    """Mean over nodes of the L2 norm of the state: hidden [n_nodes, hidden] -> []."""
    return torch.linalg.vector_norm(hidden, dim=1).mean()
