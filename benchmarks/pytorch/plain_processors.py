"""The processors as plain PyTorch, rearranged so that a step has little to do.

With x = [e | h | second], every linear layer on x splits into a part on the encoding e, the same
in every step and computed once, and a part on the states. Where the second state is h again
(release) their weights are added, W1 h + W2 h = (W1 + W2) h; else (paper) the states stand side
by side. Layers on gathered nodes are applied before gathering, to n_nodes instead of n_edges
rows. ReLU and maximum commute, which takes GINE's ReLU from edges to nodes.

A processor is built for one batch and its call is one step:
(h [n_nodes, H], second [n_nodes, H], that step's constants) -> [n_nodes, H].
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import layer_norm, linear

from case import Case
from edge_operators import gather, segment_max
from plain_batch import PlainBatch

Weights = dict[str, Tensor]
Constant = Tensor | tuple[Tensor, Tensor]


def state_layer(weight: Tensor, case: Case) -> tuple[Tensor, Tensor, Tensor | None]:
    """Splits a layer on x: weight [out, X] -> on e [out, H], on the states, on randomness.

    On the states: [H, out] in release, [2H, out] in paper.
    """
    size = case.hidden_size
    sizes = [size, size, size] + [1] * case.random_column
    on_encoding, on_state, on_second, *rest = weight.split(sizes, dim=1)
    if case.convention == "release":
        on_states = (on_state + on_second).T
    else:
        on_states = torch.cat([on_state, on_second], dim=1).T
    return on_encoding, on_states, rest[0] if rest else None


def constants(constant: Tensor, column: Tensor | None, randomness: Tensor | None) -> list[Tensor]:
    """The part of a layer that does not depend on the state, for each step.

    constant [n, out], column [out, 1], randomness [n, n_steps] -> n_steps (or 1) of [n, out].
    """
    if column is None or randomness is None:
        return [constant]
    return list(torch.addcmul(constant, randomness.T.unsqueeze(2), column.T).unbind(0))


class _Gates(torch.autograd.Function):
    """The element-wise half of PyTorch's cell, with a gradient in fewer operations.

    of_input, of_state [n_nodes, 3H] (reset, update, new), h [n_nodes, H] -> [n_nodes, H].
    """

    @staticmethod
    def forward(ctx, of_input: Tensor, of_state: Tensor, h: Tensor) -> Tensor:
        size = h.shape[1]
        state_new = of_state[:, 2 * size :]
        gates = torch.add(of_input[:, : 2 * size], of_state[:, : 2 * size]).sigmoid_()
        reset, update = gates[:, :size], gates[:, size:]
        new = torch.addcmul(of_input[:, 2 * size :], reset, state_new).tanh_()
        ctx.save_for_backward(gates, new, state_new, h)
        return torch.lerp(new, h, update)

    @staticmethod
    def backward(ctx, gradient: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        gates, new, state_new, h = ctx.saved_tensors
        size = h.shape[1]
        reset, update = gates[:, :size], gates[:, size:]
        of_h = gradient * update
        of_new = torch.ops.aten.tanh_backward(gradient - of_h, new)
        of_gates = torch.cat([of_new * state_new, (h - new).mul_(gradient)], dim=1)
        of_gates = torch.ops.aten.sigmoid_backward(of_gates, gates)
        of_input = torch.cat([of_gates, of_new], dim=1)
        of_state = torch.cat([of_gates, of_new * reset], dim=1)
        return of_input, of_state, of_h


class GRU:
    """PyTorch's cell."""

    def __init__(self, weights: Weights, prefix: str) -> None:
        self.of_input = weights[f"{prefix}.weight_ih"], weights[f"{prefix}.bias_ih"]
        self.of_state = weights[f"{prefix}.weight_hh"], weights[f"{prefix}.bias_hh"]

    def __call__(self, x: Tensor, h: Tensor) -> Tensor:
        """x [n_nodes, n_inputs], h [n_nodes, H] -> [n_nodes, H]."""
        return _Gates.apply(linear(x, *self.of_input), linear(h, *self.of_state), h)


class Processor:
    """What all processors share."""

    def __init__(self, weights: Weights, buffers: Weights, batch: PlainBatch, training: bool):
        self.weights, self.buffers, self.batch, self.training = weights, buffers, batch, training
        self.case = batch.case
        self.constants: list[Any] = []
        self.on_edges: Tensor | None = None  # [n_edges, width], what weights add to messages
        self.paper = self.case.convention == "paper"
        size = self.case.hidden_size
        self.norm_arguments = (
            (size,),
            weights["processor.norm.weight"],
            weights["processor.norm.bias"],
        )

    def __call__(self, h: Tensor, second: Tensor, constant: Any) -> Tensor:
        raise NotImplementedError

    def core(self, name: str) -> Tensor:
        return self.weights[f"processor.core.{name}"]

    def states(self, h: Tensor, second: Tensor) -> Tensor:
        """What a folded layer acts on: [n_nodes, H] in release, [n_nodes, 2H] in paper."""
        return torch.cat([h, second], dim=1) if self.paper else h

    def batch_norm(self, x: Tensor, name: str) -> Tensor:
        """x [n, width] -> [n, width]; training updates the running statistics."""
        prefix = f"processor.core.{name}"
        mean, variance = (
            self.buffers[f"{prefix}.running_mean"],
            self.buffers[f"{prefix}.running_var"],
        )
        scale, shift = self.weights[f"{prefix}.weight"], self.weights[f"{prefix}.bias"]
        return torch.batch_norm(x, scale, shift, mean, variance, self.training, 0.1, 1e-5, False)

    def edge_sums(self, layers: Tensor) -> Tensor:
        """The source's half plus the target's: layers [n_nodes, 2 width] -> [n_edges, width].

        Seen as [2 n_nodes, width], the halves of node i are the rows 2i and 2i + 1.
        """
        rows = layers.view(2 * self.batch.n_nodes, -1)
        sums = gather(rows, self.batch.source_rows)
        sums = sums.add_(gather(rows, self.batch.target_rows))
        return sums if self.on_edges is None else sums.add_(self.on_edges)

    def maximum(self, messages: Tensor) -> Tensor:
        """messages [n_edges, width] -> [n_nodes, width]."""
        return segment_max(messages, self.batch.target, self.batch.n_nodes)


class PGN(Processor):
    """Biases behind the maximum are constants: O2 (max m + b) = O2 max m + O2 b."""

    def __init__(
        self, weights: Weights, buffers: Weights, batch: PlainBatch, e: Tensor, training: bool
    ):
        super().__init__(weights, buffers, batch, training)
        message_weight = torch.cat([self.core("m_1.weight"), self.core("m_2.weight")])
        message_bias = torch.cat([self.core("m_1.bias"), self.core("m_2.bias")])
        on_encoding, self.on_states, column = state_layer(message_weight, self.case)
        constant = linear(e, on_encoding, message_bias)
        of_messages = constants(constant, column, batch.randomness)
        if batch.weights is not None:
            scaler = self.core("edge_weight_scaler.weight"), self.core("edge_weight_scaler.bias")
            self.on_edges = linear(batch.weights, *scaler)
        self.first = self.core("msg_mlp.1.weight"), self.core("msg_mlp.1.bias")
        self.second = self.core("msg_mlp.3.weight")
        self.on_aggregated = self.core("o2.weight").T
        bias = self.core("o1.bias") + self.core("o2.bias")
        bias = torch.addmv(bias, self.core("o2.weight"), self.core("msg_mlp.3.bias"))
        on_encoding, self.own_states, column = state_layer(self.core("o1.weight"), self.case)
        of_own = constants(linear(e, on_encoding, bias), column, batch.randomness)
        self.constants = list(zip(of_messages, of_own))

    def __call__(self, h: Tensor, second: Tensor, constant: tuple[Tensor, Tensor]) -> Tensor:
        of_messages, of_own = constant
        states = self.states(h, second)
        message = self.edge_sums(torch.addmm(of_messages, states, self.on_states)).relu_()
        message = linear(linear(message, *self.first).relu_(), self.second)
        own = torch.addmm(of_own, states, self.own_states)
        total = torch.addmm(own, self.maximum(message), self.on_aggregated)
        return layer_norm(total.relu_(), *self.norm_arguments)


class RecGNN(Processor):
    def __init__(
        self, weights: Weights, buffers: Weights, batch: PlainBatch, e: Tensor, training: bool
    ):
        super().__init__(weights, buffers, batch, training)
        width = self.case.input_size
        sizes = [width, width] + [1] * self.case.weighted
        of_source, of_target, *of_weight = self.core("mlp_edge.0.weight").split(sizes, dim=1)
        on_encoding, self.on_states, column = state_layer(
            torch.cat([of_source, of_target]), self.case
        )
        bias = self.core("mlp_edge.0.bias")
        constant = linear(e, on_encoding, torch.cat([bias, torch.zeros_like(bias)]))
        self.constants = constants(constant, column, batch.randomness)
        if batch.weights is not None:
            self.on_edges = linear(batch.weights, of_weight[0])
        self.inner = self.core("mlp_edge.linear_0.weight"), self.core("mlp_edge.linear_0.bias")
        self.gru = GRU(weights, "processor.core.rnn")

    def __call__(self, h: Tensor, second: Tensor, constant: Tensor) -> Tensor:
        layers = torch.addmm(constant, self.states(h, second), self.on_states)
        message = self.edge_sums(layers)
        message = self.batch_norm(message, "mlp_edge.bn_input").relu_()
        message = self.batch_norm(linear(message, *self.inner), "mlp_edge.bn_0")
        return layer_norm(self.gru(self.maximum(message), h), *self.norm_arguments)


class GIN(Processor):
    """GIN, and GINE where there are weights. The GRU is part of the step."""

    def __init__(
        self, weights: Weights, buffers: Weights, batch: PlainBatch, e: Tensor, training: bool
    ):
        super().__init__(weights, buffers, batch, training)
        size = self.case.hidden_size
        self.scale = 1.0 + self.core("eps")
        on_encoding, self.on_states, column = state_layer(self.core("nn.0.weight"), self.case)
        of_encoding = e.index_select(0, batch.source)
        if batch.weights is not None:
            layer = linear(batch.weights, self.core("lin.weight"), self.core("lin.bias"))
            edges_of_encoding, self.on_edges = layer.split((size, 2 * size), dim=1)
            of_encoding = (of_encoding + edges_of_encoding).relu_()
            _, *on_two = self.core("nn.0.weight").split(size, dim=1)
            self.on_messages = torch.cat(on_two, dim=1).T
            self.on_states = self.on_states * self.scale
        y = torch.addcmul(self.maximum(of_encoding), self.scale, e)
        constant = linear(y, on_encoding, self.core("nn.0.bias"))
        randomness = batch.randomness
        if randomness is not None:
            largest = self.maximum(randomness.index_select(0, batch.source))
            randomness = torch.addcmul(largest, self.scale, randomness)
        self.constants = constants(constant, column, randomness)
        self.inner = self.core("nn.linear_0.weight"), self.core("nn.linear_0.bias")
        self.gru = GRU(weights, "gru")

    def first_layer(self, h: Tensor, second: Tensor, constant: Tensor) -> Tensor:
        """The layer on (1 + eps) x + max of messages -> [n_nodes, H]."""
        source = self.batch.source
        states = self.states(h, second)
        if self.on_edges is None:
            largest = self.maximum(gather(states, source))
            return torch.addmm(constant, torch.addcmul(largest, self.scale, states), self.on_states)
        both = states if self.paper else h.repeat(1, 2)
        message = gather(both, source).add_(self.on_edges)
        largest = self.maximum(message).relu()
        return torch.addmm(torch.addmm(constant, states, self.on_states), largest, self.on_messages)

    def __call__(self, h: Tensor, second: Tensor, constant: Tensor) -> Tensor:
        x = self.batch_norm(self.first_layer(h, second, constant), "nn.bn_input").relu_()
        x = self.batch_norm(linear(x, *self.inner), "nn.bn_0")
        return self.gru(layer_norm(x, *self.norm_arguments), h)


PROCESSORS = {"GIN": GIN, "GINE": GIN, "PGN": PGN, "RecGNN": RecGNN}
