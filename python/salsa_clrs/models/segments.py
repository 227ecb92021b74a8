"""Reductions over the rows of each node or graph."""

from __future__ import annotations

import torch
from torch import Tensor

_REDUCTIONS = {"max": "amax", "sum": "sum", "mean": "mean"}


def reduce(values: Tensor, segment: Tensor, n_segments: int, how: str) -> Tensor:
    """values [n, ...], segment [n] -> [n_segments, ...]; how is `max`, `sum` or `mean`."""
    index = segment.reshape(-1, *[1] * (values.dim() - 1)).expand_as(values)
    start = values.new_zeros(n_segments, *values.shape[1:])
    return start.scatter_reduce(0, index, values, _REDUCTIONS[how], include_self=False)


def log_softmax(values: Tensor, segment: Tensor, n_segments: int) -> Tensor:
    """Log-probabilities within each segment: values, segment [n] -> [n]."""
    largest = reduce(values.detach(), segment, n_segments, "max")
    shifted = values - largest[segment]
    return shifted - torch.log(reduce(shifted.exp(), segment, n_segments, "sum"))[segment]
