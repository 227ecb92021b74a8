"""A training step as the published code computes it, with PyTorch Geometric.

Linear layers of messages act on gathered edges, every step sees the whole input
[encoding | state | second state], hints are decoded after every step, and each hint and output
has a loss call of its own. Module names are those of the published checkpoints, so the
parameters of a case load by name. Written from the description in the parity cases.
"""

from __future__ import annotations

from collections import OrderedDict

import torch
from torch import Tensor, nn
from torch_geometric.nn import GINConv, GINEConv, MessagePassing
from torch_geometric.utils import scatter

from case import Case, Field, Kind, Location
from losses import element_count, element_losses, graph_of_element, hidden_loss, step_mask
from outcome import Losses, Outcome


def two_layers(n_inputs: int, n_hidden: int) -> nn.Sequential:
    """Linear, batch norm, ReLU, linear, batch norm: [n, n_inputs] -> [n, n_hidden]."""
    return nn.Sequential(
        OrderedDict(
            [
                ("0", nn.Linear(n_inputs, n_hidden)),
                ("bn_input", nn.BatchNorm1d(n_hidden)),
                ("relu_input", nn.ReLU()),
                ("linear_0", nn.Linear(n_hidden, n_hidden)),
                ("bn_0", nn.BatchNorm1d(n_hidden)),
            ]
        )
    )


class PGN(MessagePassing):
    """x [n_nodes, n_inputs] -> [n_nodes, n_hidden]."""

    def __init__(self, n_inputs: int, n_hidden: int) -> None:
        super().__init__(aggr="max")
        self.m_1 = nn.Linear(n_inputs, n_hidden)
        self.m_2 = nn.Linear(n_inputs, n_hidden)
        self.edge_weight_scaler = nn.Linear(1, n_hidden)
        self.msg_mlp = nn.Sequential(
            nn.ReLU(), nn.Linear(n_hidden, n_hidden), nn.ReLU(), nn.Linear(n_hidden, n_hidden)
        )
        self.o1 = nn.Linear(n_inputs, n_hidden)
        self.o2 = nn.Linear(n_hidden, n_hidden)

    def forward(self, x: Tensor, edge_index: Tensor, weights: Tensor | None) -> Tensor:
        aggregated = self.propagate(edge_index, x=x, weights=weights)
        return torch.relu(self.o1(x) + self.o2(aggregated))

    def message(self, x_i: Tensor, x_j: Tensor, weights: Tensor | None) -> Tensor:
        message = self.m_1(x_j) + self.m_2(x_i)
        if weights is not None:
            message = message + self.edge_weight_scaler(weights)
        return self.msg_mlp(message)


class RecGNN(MessagePassing):
    """x [n_nodes, n_inputs], hidden [n_nodes, n_hidden] -> [n_nodes, n_hidden]."""

    def __init__(self, n_inputs: int, n_hidden: int, weighted: bool) -> None:
        super().__init__(aggr="max")
        self.mlp_edge = two_layers(2 * n_inputs + int(weighted), n_inputs)
        self.rnn = nn.GRUCell(n_inputs, n_hidden)

    def forward(
        self, x: Tensor, edge_index: Tensor, weights: Tensor | None, hidden: Tensor
    ) -> Tensor:
        aggregated = self.propagate(edge_index, x=x, weights=weights)
        return self.rnn(aggregated, hidden)

    def message(self, x_i: Tensor, x_j: Tensor, weights: Tensor | None) -> Tensor:
        parts = [x_j, x_i] if weights is None else [x_j, x_i, weights]
        return self.mlp_edge(torch.cat(parts, dim=-1))


class Processor(nn.Module):
    """One message-passing step: x [n_nodes, n_inputs] -> [n_nodes, n_hidden]."""

    def __init__(self, case: Case) -> None:
        super().__init__()
        n_inputs, n_hidden = case.input_size, case.hidden_size
        self.kind = case.processor
        match case.processor:
            case "GIN":
                self.core = GINConv(two_layers(n_inputs, n_hidden), train_eps=True, aggr="max")
            case "GINE":
                network = two_layers(n_inputs, n_hidden)
                self.core = GINEConv(network, train_eps=True, edge_dim=1, aggr="max")
            case "PGN":
                self.core = PGN(n_inputs, n_hidden)
            case "RecGNN":
                self.core = RecGNN(n_inputs, n_hidden, case.weighted)
            case other:
                raise ValueError(f"{case.path}: unknown processor {other}")
        self.norm = nn.LayerNorm(n_hidden)

    def forward(
        self, x: Tensor, edge_index: Tensor, weights: Tensor | None, hidden: Tensor
    ) -> Tensor:
        match self.kind:
            case "GIN":
                return self.norm(self.core(x, edge_index))
            case "GINE":
                return self.norm(self.core(x, edge_index, edge_attr=weights))
            case "PGN":
                return self.norm(self.core(x, edge_index, weights))
            case _:
                return self.norm(self.core(x, edge_index, weights, hidden))


def log_softmax(values: Tensor, segment: Tensor) -> Tensor:
    """Log-probabilities within each segment: values, segment [n] -> [n]."""
    shifted = values - scatter(values.detach(), segment, reduce="max")[segment]
    return shifted - scatter(shifted.exp(), segment, reduce="sum").log()[segment]


class LinearDecoder(nn.Module):
    """Node and graph features: z [n_nodes, 3 hidden] -> [n_nodes], [n_nodes, C], [n_graphs]."""

    def __init__(self, field: Field, n_inputs: int, n_outputs: int) -> None:
        super().__init__()
        self.field = field
        self.lin = nn.Linear(n_inputs, n_outputs)

    def forward(self, z: Tensor, edge_index: Tensor, graph: Tensor) -> Tensor:
        values = self.lin(z)
        if self.field.kind is Kind.CATEGORICAL:
            return torch.log_softmax(values, dim=-1)
        values = values.squeeze(-1)
        if self.field.kind is Kind.MASK_ONE:
            return log_softmax(values, graph)
        if self.field.location is Location.GRAPH:
            return scatter(values, graph, reduce="mean")
        return values


class EdgeDecoder(nn.Module):
    """Pointers and edge masks: z [n_nodes, 3 hidden] -> [n_edges]."""

    def __init__(self, field: Field, n_inputs: int) -> None:
        super().__init__()
        self.field = field
        self.source_lin = nn.Linear(n_inputs, n_inputs)
        self.target_lin = nn.Linear(n_inputs, n_inputs)

    def forward(self, z: Tensor, edge_index: Tensor, graph: Tensor) -> Tensor:
        source, target = edge_index
        scores = (self.source_lin(z)[source] * self.target_lin(z)[target]).sum(-1)
        if self.field.kind is Kind.POINTER:
            return log_softmax(scores, source)
        return scores


class Encoder(nn.Module):
    """Node inputs [n_nodes] -> encoding [n_nodes, hidden]."""

    def __init__(self, case: Case) -> None:
        super().__init__()
        self.combine_by_maximum = case.convention == "paper"
        self.encoder = nn.ModuleDict(
            {
                name: nn.ModuleDict({"lin": nn.Linear(1, case.hidden_size)})
                for name in case.node_inputs
            }
        )

    def forward(self, batch: dict[str, Tensor]) -> Tensor:
        encodings = torch.stack(
            [layer["lin"](batch[name].unsqueeze(-1)) for name, layer in self.encoder.items()]
        )
        return encodings.amax(0) if self.combine_by_maximum else encodings.sum(0)


class Decoder(nn.Module):
    """A decoder for each name; z [n_nodes, 3 hidden] -> predictions by field name."""

    def __init__(self, case: Case) -> None:
        super().__init__()
        n_inputs = 3 * case.hidden_size
        fields = [case.output, *(case.hints if case.with_hints else [])]
        self.decoder = nn.ModuleDict()
        for field in fields:
            if field.has_two_linears:
                layer: nn.Module = EdgeDecoder(field, n_inputs)
            else:
                categorical = field.kind is Kind.CATEGORICAL
                n_outputs = case.batch[field.name].shape[-1] if categorical else 1
                layer = LinearDecoder(field, n_inputs, n_outputs)
            self.decoder[field.decoder] = layer

    def forward(self, field: Field, z: Tensor, edge_index: Tensor, graph: Tensor) -> Tensor:
        return self.decoder[field.decoder](z, edge_index, graph)


class Published(nn.Module):
    """Encode, process, decode, and the losses of one batch."""

    def __init__(self, case: Case) -> None:
        super().__init__()
        self.encoder = Encoder(case)
        self.processor = Processor(case)
        if case.processor in ("GIN", "GINE"):
            self.gru = nn.GRUCell(case.hidden_size, case.hidden_size)
        self.decoder = Decoder(case)
        self.to(next(iter(case.parameters.values())))  # its type and device
        state = {**case.parameters, **case.buffers}
        missing, unexpected = self.load_state_dict(state, strict=False)
        buffers = {name for name, _ in self.named_buffers()}
        if unexpected or set(missing) - buffers:
            raise ValueError(f"{case.path}: missing {missing}, unexpected {unexpected}")

    @staticmethod
    def prepare(case: Case) -> Case:
        """The published model works on the batch as it is stored."""
        return case

    def forward(self, case: Case) -> Outcome:
        output, hints, hidden = self.predict(case)
        return Outcome(
            self.losses(case, output, hints, hidden), hidden, lambda: output, lambda: hints
        )

    def predict(self, case: Case) -> tuple[Tensor, dict[str, Tensor], Tensor]:
        """Output [n], hints [n, n_steps] by name (none in evaluation), hidden [n_nodes, hidden]."""
        batch = case.batch
        edge_index, graph, length = batch["edge_index"], batch["graph"], batch["length"]
        weights = batch["weights"].unsqueeze(-1) if case.weighted else None
        decode_hints = case.with_hints and self.training
        encoding = self.encoder(batch)
        hidden = previous = encoding
        output: Tensor | None = None
        hints: dict[str, list[Tensor]] = {field.name: [] for field in case.hints}
        for step in range(case.n_steps):
            second = previous if case.convention == "paper" else hidden
            parts = [encoding, hidden, second]
            if case.random_column:
                parts.append(batch["randomness"][:, step : step + 1])
            after = self.processor(torch.cat(parts, dim=-1), edge_index, weights, hidden)
            if case.processor in ("GIN", "GINE"):
                after = self.gru(after, hidden)
            z = torch.cat([encoding, after, hidden], dim=-1)
            if decode_hints:
                for field in case.hints:
                    hints[field.name].append(self.decoder(field, z, edge_index, graph))
            if (length == step + 1).any():
                decoded = self.decoder(case.output, z, edge_index, graph)
                ends = length == step + 1
                of = graph_of_element(case.output, graph, edge_index[0], case.n_graphs)
                output = decoded if output is None else torch.where(ends[of], decoded, output)
            previous, hidden = hidden, after
        assert output is not None
        stacked = {name: torch.stack(steps, -1) for name, steps in hints.items() if steps}
        return output, stacked, hidden

    def losses(
        self, case: Case, output: Tensor, hints: dict[str, Tensor], hidden: Tensor
    ) -> Losses:
        """Output [n], hints [n, n_steps] by name, hidden [n_nodes, hidden] -> loss terms."""
        batch = case.batch
        source, graph = batch["edge_index"][0], batch["graph"]
        sizes = (case.n_nodes, source.numel(), case.n_graphs)
        elements = element_losses(case.output, output, batch[case.output.name])
        output_loss = elements.sum() / element_count(case.output, *sizes)
        hint_losses = {}
        for field in case.hints if hints else []:
            elements = element_losses(field, hints[field.name], batch[field.name])
            of = graph_of_element(field, graph, source, case.n_graphs)
            mask = step_mask(batch["length"], of, case.n_steps)
            divisor = element_count(field, *sizes) * case.n_steps
            hint_losses[field.name] = (elements * mask).sum() / divisor
        hint_loss = sum(hint_losses.values(), output_loss.new_zeros(()))
        state_loss = hidden_loss(hidden)
        total = output_loss + case.hint_weight * hint_loss + case.hidden_weight * state_loss
        return Losses(total, output_loss, hint_loss, state_loss, hint_losses)
