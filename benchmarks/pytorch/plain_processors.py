"""The processors as plain PyTorch, rearranged so that a step has little to do.

With x = [e | h | second], every linear layer on x splits into a part on the encoding e, the same
in every step and computed once, and a part on the states. Where the second state is h again
(release) their weights are added, W1 h + W2 h = (W1 + W2) h; else (paper) the states stand side
by side. Layers on gathered nodes are applied before gathering, to n_nodes instead of n_edges
rows. ReLU and maximum commute, which takes GINE's ReLU from edges to nodes.

A processor is built for one batch and its call is one step:
(h [n_nodes, H], second [n_nodes, H], step) -> [n_nodes, H].
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn.functional import layer_norm, linear

from case import Case
from plain_batch import PlainBatch
from segment_max import segment_max

Weights = dict[str, Tensor]
Step = Callable[[Tensor, Tensor, Tensor], Tensor]


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


class GRU:
    """PyTorch's cell with fewer operations; the product with the state can be made elsewhere."""

    def __init__(self, weights: Weights, prefix: str) -> None:
        self.of_input = weights[f"{prefix}.weight_ih"], weights[f"{prefix}.bias_ih"]
        self.of_state = weights[f"{prefix}.weight_hh"], weights[f"{prefix}.bias_hh"]

    def __call__(self, x: Tensor, h: Tensor) -> Tensor:
        """x [n_nodes, n_inputs], h [n_nodes, H] -> [n_nodes, H]."""
        size = h.shape[1]
        gates, new = linear(x, *self.of_input).split((2 * size, size), dim=1)
        state_gates, state_new = linear(h, *self.of_state).split((2 * size, size), dim=1)
        reset, update = torch.sigmoid(gates + state_gates).chunk(2, dim=1)
        return torch.lerp(torch.tanh(torch.addcmul(new, reset, state_new)), h, update)


class Processor:
    """What all processors share."""

    def __init__(self, weights: Weights, buffers: Weights, batch: PlainBatch, training: bool):
        self.weights, self.buffers, self.batch, self.training = weights, buffers, batch, training
        self.case = batch.case
        self.paper = self.case.convention == "paper"
        size = self.case.hidden_size
        self.norm_arguments = (size,), weights["processor.norm.weight"], weights["processor.norm.bias"]

    def core(self, name: str) -> Tensor:
        return self.weights[f"processor.core.{name}"]

    def states(self, h: Tensor, second: Tensor) -> Tensor:
        """What a folded layer acts on: [n_nodes, H] in release, [n_nodes, 2H] in paper."""
        return torch.cat([h, second], dim=1) if self.paper else h

    def batch_norm(self, x: Tensor, name: str) -> Tensor:
        """x [n, width] -> [n, width]; training updates the running statistics."""
        prefix = f"processor.core.{name}"
        mean, variance = self.buffers[f"{prefix}.running_mean"], self.buffers[f"{prefix}.running_var"]
        scale, shift = self.weights[f"{prefix}.weight"], self.weights[f"{prefix}.bias"]
        return torch.batch_norm(x, scale, shift, mean, variance, self.training, 0.1, 1e-5, False)

    def maximum(self, messages: Tensor) -> Tensor:
        """messages [n_edges, width] -> [n_nodes, width]."""
        return segment_max(messages, self.batch.target, self.batch.n_nodes)


class PGN(Processor):
    def __init__(self, weights: Weights, buffers: Weights, batch: PlainBatch, e: Tensor, training: bool):
        super().__init__(weights, buffers, batch, training)
        layers = ["m_1", "m_2", "o1"]
        weight = torch.cat([self.core(f"{name}.weight") for name in layers])
        bias = torch.cat([self.core("m_1.bias"), self.core("m_2.bias"), self.core("o1.bias")])
        on_encoding, self.on_states, column = state_layer(weight, self.case)
        self.constants = constants(linear(e, on_encoding, bias), column, batch.randomness)
        self.on_edges: Tensor | None = None
        if batch.weights is not None:
            scaler = self.core("edge_weight_scaler.weight"), self.core("edge_weight_scaler.bias")
            self.on_edges = linear(batch.weights, *scaler)
        self.first = self.core("msg_mlp.1.weight"), self.core("msg_mlp.1.bias")
        self.second = self.core("msg_mlp.3.weight"), self.core("msg_mlp.3.bias")
        self.out_weight, self.out_bias = self.core("o2.weight").T, self.core("o2.bias")

    def __call__(self, h: Tensor, second: Tensor, constant: Tensor) -> Tensor:
        size = self.case.hidden_size
        layers = torch.addmm(constant, self.states(h, second), self.on_states)
        of_source, of_target, own = layers.split(size, dim=1)
        message = of_source.index_select(0, self.batch.source)
        message = message.add_(of_target.index_select(0, self.batch.target))
        if self.on_edges is not None:
            message = message.add_(self.on_edges)
        message = linear(message.relu_(), *self.first).relu_()
        aggregated = self.maximum(linear(message, *self.second))
        total = torch.addmm(own, aggregated, self.out_weight).add_(self.out_bias)
        return layer_norm(total.relu_(), *self.norm_arguments)


class RecGNN(Processor):
    def __init__(self, weights: Weights, buffers: Weights, batch: PlainBatch, e: Tensor, training: bool):
        super().__init__(weights, buffers, batch, training)
        self.width = self.case.input_size
        sizes = [self.width, self.width] + [1] * self.case.weighted
        of_source, of_target, *of_weight = self.core("mlp_edge.0.weight").split(sizes, dim=1)
        on_encoding, self.on_states, column = state_layer(
            torch.cat([of_source, of_target]), self.case
        )
        bias = self.core("mlp_edge.0.bias")
        constant = linear(e, on_encoding, torch.cat([bias, torch.zeros_like(bias)]))
        self.constants = constants(constant, column, batch.randomness)
        self.on_edges = linear(batch.weights, of_weight[0]) if batch.weights is not None else None
        self.inner = self.core("mlp_edge.linear_0.weight"), self.core("mlp_edge.linear_0.bias")
        self.gru = GRU(weights, "processor.core.rnn")

    def __call__(self, h: Tensor, second: Tensor, constant: Tensor) -> Tensor:
        layers = torch.addmm(constant, self.states(h, second), self.on_states)
        of_source, of_target = layers.split(self.width, dim=1)
        message = of_source.index_select(0, self.batch.source)
        message = message.add_(of_target.index_select(0, self.batch.target))
        if self.on_edges is not None:
            message = message.add_(self.on_edges)
        message = self.batch_norm(message, "mlp_edge.bn_input").relu_()
        message = self.batch_norm(linear(message, *self.inner), "mlp_edge.bn_0")
        return layer_norm(self.gru(self.maximum(message), h), *self.norm_arguments)


class GIN(Processor):
    """GIN, and GINE where there are weights. The GRU is part of the step."""

    def __init__(self, weights: Weights, buffers: Weights, batch: PlainBatch, e: Tensor, training: bool):
        super().__init__(weights, buffers, batch, training)
        size = self.case.hidden_size
        self.scale = 1.0 + self.core("eps")
        on_encoding, self.on_states, column = state_layer(self.core("nn.0.weight"), self.case)
        self.on_edges: Tensor | None = None
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
            largest = self.maximum(states.index_select(0, source))
            return torch.addmm(constant, torch.addcmul(largest, self.scale, states), self.on_states)
        both = states if self.paper else h.repeat(1, 2)
        message = both.index_select(0, source).add_(self.on_edges)
        largest = self.maximum(message).relu()
        return torch.addmm(torch.addmm(constant, states, self.on_states), largest, self.on_messages)

    def __call__(self, h: Tensor, second: Tensor, constant: Tensor) -> Tensor:
        x = self.batch_norm(self.first_layer(h, second, constant), "nn.bn_input").relu_()
        x = self.batch_norm(linear(x, *self.inner), "nn.bn_0")
        return self.gru(layer_norm(x, *self.norm_arguments), h)


PROCESSORS = {"GIN": GIN, "GINE": GIN, "PGN": PGN, "RecGNN": RecGNN}
