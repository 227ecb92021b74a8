"""Layers that processors share."""

from __future__ import annotations

from collections import OrderedDict

from torch import nn


def two_layers(n_inputs: int, n_outputs: int) -> nn.Sequential:
    """Linear, batch norm, ReLU, linear, batch norm: [n, n_inputs] -> [n, n_outputs]."""
    layers: list[tuple[str, nn.Module]] = [
        ("0", nn.Linear(n_inputs, n_outputs)),
        ("bn_input", nn.BatchNorm1d(n_outputs)),
        ("relu_input", nn.ReLU()),
        ("linear_0", nn.Linear(n_outputs, n_outputs)),
        ("bn_0", nn.BatchNorm1d(n_outputs)),
    ]
    return nn.Sequential(OrderedDict(layers))
