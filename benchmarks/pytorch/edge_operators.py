"""Operators between nodes and edges: gathering rows, and the maximum over the edges of a node.

Autograd's own gradient of `scatter_reduce` takes several times as long as the forward pass.
Here the gradient goes to the messages that equal the maximum; only when some messages tie is
it shared among them, as PyTorch does. On a GPU it always is shared: to learn
whether any tie, the host would have to wait, which a captured step may not.

`torch.compile` would write sums and maxima over rows as loops of single atomic additions, several
times slower than PyTorch's own kernels, so under it those are calls it does not look into.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor


def segment_max(messages: Tensor, target: Tensor, n_nodes: int) -> Tensor:
    """messages [n_edges, width], target [n_edges] (every node at least once) -> [n_nodes, width]."""
    return _SegmentMax.apply(messages, target, n_nodes)


def gather(rows: Tensor, index: Tensor) -> Tensor:
    """rows [n_rows, width], index [n] -> [n, width]."""
    return (
        _Gather.apply(rows, index) if torch.compiler.is_compiling() else rows.index_select(0, index)
    )


class _SegmentMax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, messages: Tensor, target: Tensor, n_nodes: int) -> Tensor:
        maximum = _closed(_maximum)(messages, target, n_nodes)
        ctx.save_for_backward(messages, maximum, target)
        return maximum

    @staticmethod
    def backward(ctx, gradient: Tensor) -> tuple[Tensor, None, None]:
        messages, maximum, target = ctx.saved_tensors
        return _closed(_share)(messages, maximum, target, gradient), None, None


class _Gather(torch.autograd.Function):
    @staticmethod
    def forward(ctx, rows: Tensor, index: Tensor) -> Tensor:
        ctx.save_for_backward(index)
        ctx.n_rows = rows.shape[0]
        return rows.index_select(0, index)

    @staticmethod
    def backward(ctx, gradient: Tensor) -> tuple[Tensor, None]:
        (index,) = ctx.saved_tensors
        return _closed(_add_rows)(gradient, index, ctx.n_rows), None


def _maximum(messages: Tensor, target: Tensor, n_nodes: int) -> Tensor:
    index = target.unsqueeze(1).expand_as(messages)
    maximum = messages.new_empty(n_nodes, messages.shape[1])
    return maximum.scatter_reduce_(0, index, messages, "amax", include_self=False)


def _share(messages: Tensor, maximum: Tensor, target: Tensor, gradient: Tensor) -> Tensor:
    reached = maximum.index_select(0, target).eq_(messages)
    if reached.is_cuda or reached.sum().item() != maximum.numel():
        ties = torch.zeros_like(maximum).index_add_(0, target, reached)
        gradient = gradient / ties
    return reached.mul_(gradient.index_select(0, target))


def _add_rows(rows: Tensor, index: Tensor, n_rows: int) -> Tensor:
    return rows.new_zeros(n_rows, rows.shape[1]).index_add_(0, index, rows)


_CLOSED = {
    kernel: torch.library.custom_op(f"plain::{kernel.__name__}", kernel, mutates_args=())
    for kernel in (_maximum, _share, _add_rows)
}


@_CLOSED[_maximum].register_fake
def _(messages: Tensor, target: Tensor, n_nodes: int) -> Tensor:
    return messages.new_empty(n_nodes, messages.shape[1])


@_CLOSED[_share].register_fake
def _(messages: Tensor, maximum: Tensor, target: Tensor, gradient: Tensor) -> Tensor:
    return torch.empty_like(messages)


@_CLOSED[_add_rows].register_fake
def _(rows: Tensor, index: Tensor, n_rows: int) -> Tensor:
    return rows.new_empty(n_rows, rows.shape[1])


def _closed(kernel: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The kernel itself, or under `torch.compile` a call that is not looked into."""
    return _CLOSED[kernel] if torch.compiler.is_compiling() else kernel
