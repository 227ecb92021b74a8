"""Decoding and losses of the plain implementation: all steps in one product.

A pair score (S z_i + b) . (T z_j + c) needs two layers of 3H x 3H. Over many rows it is cheaper
to multiply the two weight matrices once: u_i = z_i S^T T + b T, score = u_i . z_j + r_i with
r_i = (S z_i + b) . c. Scores are made for all pairs of nodes of the batch (a product of small
dense matrices, cheaper than gathering 3H numbers twice for each edge); pointers mask the pairs
that are no edge, and r_i cancels in their softmax. z = [e | after | before], with the product on
e computed once. Rows are (node, step); n_steps here is the number of decoded steps: all of
them with hints, else only the last one of each graph.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from case import Field, Kind, Location
from outcome import Losses
from plain_batch import PlainBatch


class Decoded:
    """Raw predictions of all decoded fields, their losses, and predictions as published."""

    def __init__(
        self,
        weights: dict[str, Tensor],
        batch: PlainBatch,
        fields: list[Field],
        e: Tensor,
        states: Tensor,
    ) -> None:
        """e [n_nodes, H], states [n_nodes, n_steps, 2H] (after, before)."""
        self.batch, self.fields = batch, fields
        self.n_steps = states.shape[1]
        self.weights, self.e = weights, e
        self.states = states
        self.rows = states.view(-1, states.shape[2])
        columns: list[tuple[Tensor, Tensor]] = []
        names: list[str] = []
        self.pairs: dict[str, Tensor] = {}
        for field in fields:
            prefix = f"decoder.decoder.{field.decoder}"
            if not field.has_two_linears:
                columns.append((weights[f"{prefix}.lin.weight"], weights[f"{prefix}.lin.bias"]))
                names.append(field.name)
                continue
            row_term = self._score_pairs(field, prefix)
            if row_term is not None:
                columns.append(row_term)
                names.append(field.name)
        self.columns: dict[str, Tensor] = {}
        if columns:
            weight = torch.cat([column for column, _ in columns])
            bias = torch.cat([offset for _, offset in columns])
            values = self._linear(weight, bias)
            widths = [column.shape[0] for column, _ in columns]
            self.columns = dict(zip(names, values.split(widths, dim=2)))

    def _linear(self, weight: Tensor, bias: Tensor) -> Tensor:
        """A layer on z: weight [out, 3H], bias [out] -> [n_nodes, n_steps, out]."""
        size = self.e.shape[1]
        on_encoding, on_states = weight.split((size, 2 * size), dim=1)
        constant = F.linear(self.e, on_encoding, bias).unsqueeze(1)
        return F.linear(self.rows, on_states).view(*self.states.shape[:2], -1).add_(constant)

    def _score_pairs(self, field: Field, prefix: str) -> tuple[Tensor, Tensor] | None:
        """Scores of all pairs [n_steps, n_nodes, n_nodes]; pointers are masked.

        Gives the layer of the row term r_i where it has to be added.
        """
        source_weight, source_bias = (
            self.weights[f"{prefix}.source_lin.{x}"] for x in ("weight", "bias")
        )
        target_weight, target_bias = (
            self.weights[f"{prefix}.target_lin.{x}"] for x in ("weight", "bias")
        )
        size = self.e.shape[1]
        start = self.batch.neighbour_mask if field.kind is Kind.POINTER else None
        if self.rows.shape[0] <= 3 * size:
            source = self._linear(source_weight, source_bias).transpose(0, 1)
            target = self._linear(target_weight, target_bias).transpose(0, 1)
            scores = torch.bmm(source, target.transpose(1, 2))
            if start is not None:
                scores = scores.add_(start.view(-1, self.n_steps, scores.shape[2]).transpose(0, 1))
            self.pairs[field.name] = scores
            return None
        product = target_weight.T @ source_weight
        u = self._linear(product, source_bias @ target_weight)
        u_encoding, u_states = u.split((size, 2 * size), dim=2)
        flat = u_encoding.reshape(-1, size)
        with_encoding = flat @ self.e.T if start is None else torch.addmm(start, flat, self.e.T)
        self.pairs[field.name] = torch.baddbmm(
            with_encoding.view(-1, self.n_steps, self.e.shape[0]).transpose(0, 1),
            u_states.transpose(0, 1),
            self.states.permute(1, 2, 0),
        )
        if field.kind is Kind.POINTER:
            return None
        return (target_bias @ source_weight).unsqueeze(0), (source_bias @ target_bias).unsqueeze(0)

    def edge_scores(self, field: Field) -> Tensor:
        """Scores of the edges as stored -> [n_steps, n_edges]."""
        scores = (
            self.pairs[field.name].reshape(self.n_steps, -1).index_select(1, self.batch.flat_edges)
        )
        if field.name in self.columns:
            rows = self.columns[field.name].squeeze(2).T
            scores = scores + rows.index_select(1, self.batch.edge_source)
        return scores

    def graph_values(self, field: Field) -> Tensor:
        """Means over graphs -> [n_graphs, n_steps]."""
        return self.batch.pool @ self.columns[field.name].squeeze(2)

    def element_losses(self, field: Field, target: Tensor) -> Tensor:
        """Loss of every element and step, flat, in the order [elements, n_steps]."""
        if field.kind is Kind.POINTER:
            scores = self.pairs[field.name]
            losses = F.cross_entropy(scores.view(-1, scores.shape[2]), target, reduction="none")
            return losses.view(self.n_steps, -1).T.reshape(-1)
        if field.kind is Kind.CATEGORICAL:
            values = self.columns[field.name]
            return F.cross_entropy(
                values.reshape(-1, values.shape[2]), target.view(-1), reduction="none"
            )
        if field.kind is Kind.MASK_ONE:
            values = self.columns[field.name].squeeze(2).index_select(0, self.batch.graph_rows)
            padded = (values + self.batch.graph_mask).view(target.shape[0], -1, self.n_steps)
            return F.cross_entropy(padded, target, reduction="none").view(-1)
        if field.location is Location.EDGE:
            losses = F.binary_cross_entropy_with_logits(
                self.edge_scores(field), target, reduction="none"
            )
            return losses.T.reshape(-1)
        if field.location is Location.GRAPH:
            values = self.graph_values(field)
        else:
            values = self.columns[field.name].squeeze(2)
        if field.kind is Kind.MASK:
            return F.binary_cross_entropy_with_logits(values, target, reduction="none").view(-1)
        return (values - target).square().view(-1)

    def losses(self, hidden: Tensor) -> Losses:
        """All loss terms; hidden [n_nodes, H] is the state after the batch's last step."""
        batch, case = self.batch, self.batch.case
        state_loss = torch.linalg.vector_norm(hidden, dim=1).mean()
        hints: dict[str, Tensor] = {}
        output_loss: Tensor | None = None
        for field in self.fields:
            elements = self.element_losses(field, batch.targets[field.name])
            if field.decoder == case.output.decoder:
                output_loss = torch.dot(elements, batch.output_factor)
            if case.with_hints:
                hints[field.name] = torch.dot(elements, batch.hint_factors[_counted(field)])
        assert output_loss is not None
        total = torch.add(output_loss, state_loss, alpha=case.hidden_weight)
        hint_loss = total.new_zeros(())
        if hints:
            hint_loss = torch.stack(list(hints.values())).sum()
            total = torch.add(total, hint_loss, alpha=case.hint_weight)
        return Losses(total, output_loss, hint_loss, state_loss, hints)

    def prediction(self, field: Field) -> Tensor:
        """As the published code gives it: [n, n_steps], categorical [n, n_categories, n_steps]."""
        if field.kind is Kind.POINTER:
            scores = torch.log_softmax(self.pairs[field.name], dim=2)
            return scores.reshape(self.n_steps, -1).index_select(1, self.batch.flat_edges).T
        if field.kind is Kind.CATEGORICAL:
            return torch.log_softmax(self.columns[field.name], dim=2).transpose(1, 2)
        if field.kind is Kind.MASK_ONE:
            values = self.columns[field.name].squeeze(2).index_select(0, self.batch.graph_rows)
            padded = (values + self.batch.graph_mask).view(
                self.batch.pool.shape[0], -1, self.n_steps
            )
            inside = self.batch.graph_mask.view(-1) == 0
            return torch.log_softmax(padded, dim=1).view(-1, self.n_steps)[inside]
        if field.location is Location.EDGE:
            return self.edge_scores(field).T
        if field.location is Location.GRAPH:
            return self.graph_values(field)
        return self.columns[field.name].squeeze(2)


def _counted(field: Field) -> Location:
    """What the mean of a field's loss is over."""
    if field.kind is Kind.POINTER:
        return Location.NODE
    return Location.GRAPH if field.kind is Kind.MASK_ONE else field.location
