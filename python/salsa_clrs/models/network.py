"""Encode-process-decode: inputs are encoded once, states move along, decoders read them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from .._core import Algorithm
from ..specs import Feature, all_features, core_name
from . import losses
from .coders import Decoder, Encoder
from .gin import GIN
from .graphs import Graphs
from .pgn import PGN
from .recgnn import RecGNN

PROCESSORS: dict[str, Any] = {"gin": GIN, "pgn": PGN, "recgnn": RecGNN}
"""The processors by name: what networks differ in."""


@dataclass(frozen=True)
class Outcome:
    """What a network gives for a batch."""

    outputs: dict[str, Tensor]
    """By name, each graph after its own last step, laid out as in the batch: logits of masks,
    log-probabilities of pointers (one for each edge) and classes, numbers as they are."""
    hints: dict[str, Tensor]
    """By name, [n, T] as in the batch; empty in evaluation and without hints."""
    hidden: Tensor
    """The states after the last step [N, hidden]."""


class Processor(nn.Module):
    """One step of message passing and a layer norm."""

    def __init__(self, core: nn.Module, n_hidden: int) -> None:
        super().__init__()
        self.core = core
        self.norm = nn.LayerNorm(n_hidden)

    def forward(self, x: Tensor, graphs: Graphs, weights: Tensor | None, hidden: Tensor) -> Tensor:
        return self.norm(self.core(x, graphs, weights, hidden))


class EncodeProcessDecode(nn.Module):
    """A network for one algorithm.

    Args:
        algorithm: a name of `salsa_clrs.algorithms()`, a published name, or one of your own.
        processor: `gin` (GINE for algorithms with weights), `pgn` or `recgnn`.
        hidden: the size of a node's state.
        hints: whether there are decoders for hints.
        convention: `paper` or `release`, which differ in how encodings are combined and in the
            second state that a processor sees.
        aggregation: how a node combines its messages: `max`, `sum` or `mean`.
        steps_per_hint: processor steps for one recorded step.
    """

    def __init__(
        self,
        algorithm: str | Algorithm,
        processor: str = "pgn",
        *,
        hidden: int = 128,
        hints: bool = False,
        convention: str = "paper",
        aggregation: str = "max",
        steps_per_hint: int = 1,
    ) -> None:
        super().__init__()
        for name, given, known in (
            ("processor", processor, list(PROCESSORS)),
            ("convention", convention, ["paper", "release"]),
            ("aggregation", aggregation, ["max", "sum", "mean"]),
        ):
            if given not in known:
                raise ValueError(f"{name}: expected one of {', '.join(known)}, found {given!r}")
        self.settings: dict[str, Any] = {
            "algorithm": core_name(algorithm),
            "processor": processor,
            "hidden": hidden,
            "hints": hints,
            "convention": convention,
            "aggregation": aggregation,
            "steps_per_hint": steps_per_hint,
        }
        """As in a run file."""
        features = all_features(core_name(algorithm))
        self.output_features = _of_stage(features, "output")
        self.hint_features = _of_stage(features, "hint") if hints else {}
        inputs = _of_stage(features, "input")
        self.has_weights, self.has_randomness = "weights" in inputs, "randomness" in inputs
        encoded = [
            name
            for name, feature in inputs.items()
            if feature.location == "node" and name != "randomness"
        ]
        self._names = [*inputs, *self.hint_features, *self.output_features]
        self.encoder = Encoder(encoded, hidden, convention)
        n_inputs = 3 * hidden + int(self.has_randomness)
        core = PROCESSORS[processor](n_inputs, hidden, self.has_weights, aggregation)
        self.processor = Processor(core, hidden)
        if core.has_gate:
            self.gru = nn.GRUCell(hidden, hidden)
        self.decoder = Decoder({**self.output_features, **self.hint_features}, hidden)

    def graphs(self, batch: Any) -> Graphs:
        """A batch as tensors, where the parameters are and of their type."""
        return Graphs.of(batch, self._names, next(self.parameters()))

    def forward(self, batch: Any) -> Outcome:
        """A `salsa_clrs.Batch`, or a data object or batch of PyTorch Geometric."""
        graphs = self.graphs(batch)
        weights = graphs.features["weights"][:, None] if self.has_weights else None
        encoding = self.encoder(graphs)
        hidden = previous = encoding
        outputs: dict[str, Tensor] = {}
        steps: dict[str, list[Tensor]] = {name: [] for name in self.hint_features}
        for step in range(graphs.n_steps):
            randomness = None
            if self.has_randomness:
                randomness = graphs.features["randomness"][:, step : step + 1]
            for _ in range(self.settings["steps_per_hint"]):
                after = self._step(graphs, weights, randomness, encoding, hidden, previous)
                previous, hidden = hidden, after
            z = torch.cat([encoding, hidden, previous], dim=1)
            if self.training:
                for name, decoded in steps.items():
                    decoded.append(self.decoder(name, z, graphs))
            ends = graphs.length.clamp(min=1) == step + 1
            if ends.any():
                for name, feature in self.output_features.items():
                    decoded = self.decoder(name, z, graphs)
                    outputs[name] = _at_ends(feature, decoded, outputs.get(name), ends, graphs)
        hints = {name: torch.stack(decoded, 1) for name, decoded in steps.items() if decoded}
        return Outcome(outputs, hints, hidden)

    def losses(
        self,
        batch: Any,
        outcome: Outcome,
        *,
        hint_weight: float = 1.0,
        hidden_weight: float = 0.01,
    ) -> losses.Losses:
        """How far an outcome is from what was recorded."""
        graphs = self.graphs(batch)
        outputs = {
            name: losses.output_loss(
                self.output_features[name], decoded, graphs.features[name], graphs
            )
            for name, decoded in outcome.outputs.items()
        }
        hints = {
            name: losses.hint_loss(self.hint_features[name], decoded, graphs.features[name], graphs)
            for name, decoded in outcome.hints.items()
        }
        hidden = losses.hidden_loss(outcome.hidden)
        total = torch.stack(list(outputs.values())).sum() + hidden_weight * hidden
        if hints:
            total = total + hint_weight * torch.stack(list(hints.values())).sum()
        return losses.Losses(total, outputs, hints, hidden)

    def _step(
        self,
        graphs: Graphs,
        weights: Tensor | None,
        randomness: Tensor | None,
        encoding: Tensor,
        hidden: Tensor,
        previous: Tensor,
    ) -> Tensor:
        second = previous if self.settings["convention"] == "paper" else hidden
        parts = [encoding, hidden, second]
        x = torch.cat(parts if randomness is None else [*parts, randomness], dim=1)
        after = self.processor(x, graphs, weights, hidden)
        return self.gru(after, hidden) if self.processor.core.has_gate else after


def _of_stage(features: dict[str, Feature], stage: str) -> dict[str, Feature]:
    return {name: feature for name, feature in features.items() if feature.stage == stage}


def _at_ends(
    feature: Feature, now: Tensor, before: Tensor | None, ends: Tensor, graphs: Graphs
) -> Tensor:
    """What is decoded now where a graph has its last step, else what was before."""
    if before is None:
        return now
    location = "edge" if feature.type == "pointer" else feature.location
    ended = ends[graphs.rows(location)]
    return torch.where(ended.reshape(-1, *[1] * (now.dim() - 1)), now, before)
