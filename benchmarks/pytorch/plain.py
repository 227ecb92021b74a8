"""The same training step as the fastest plain PyTorch we could write.

All parameters are views of one flat tensor, so clipping and the optimiser each touch one tensor.
The recurrence keeps its states; everything else (decoding, losses) happens once for all steps.
What is rearranged is described in `plain_processors` and `plain_decoder`.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor
from torch.nn.functional import linear

import plain_batch
from case import Case
from outcome import Outcome
from plain_batch import PlainBatch
from plain_decoder import Decoded
from plain_processors import PROCESSORS, Constant, Processor

ALIGNMENT = 16  # floats: parameters start on cache lines


class FlatParameters:
    """Named parameters as views of one leaf tensor."""

    def __init__(self, parameters: dict[str, Tensor]) -> None:
        self.shapes = {name: tensor.shape for name, tensor in parameters.items()}
        self.sizes: list[int] = []
        pieces: list[Tensor] = []
        for tensor in parameters.values():
            padding = -tensor.numel() % ALIGNMENT
            pieces += [tensor.flatten(), tensor.new_zeros(padding)]
            self.sizes += [tensor.numel(), padding]
        self.flat = torch.cat(pieces).requires_grad_()

    def views(self, flat: Tensor) -> dict[str, Tensor]:
        """flat [n_parameters] -> tensors by name."""
        pieces = flat.split(self.sizes)[::2]
        return {
            name: piece.view(shape) for (name, shape), piece in zip(self.shapes.items(), pieces)
        }


def process(processor: Processor, h: Tensor, second: Tensor, constant: Constant) -> Tensor:
    """One message-passing step, what `torch.compile` is given: [n_nodes, H] -> [n_nodes, H].

    The whole recurrence would be compiled anew for every length, with all steps unrolled.
    """
    return processor(h, second, constant)


class Plain:
    """Encode, process, decode, and the losses of one batch."""

    def __init__(self, case: Case, compiled: bool = False) -> None:
        self.training = True
        unused = "processor.core.edge_weight_scaler" if not case.weighted else None
        self.flat_parameters = FlatParameters(
            {
                name: tensor
                for name, tensor in case.parameters.items()
                if unused is None or not name.startswith(unused)
            }
        )
        self.buffers = {name: tensor.clone() for name, tensor in case.buffers.items()}
        for name, tensor in case.parameters.items():
            if ".bn_" in name and name.endswith(".weight"):
                prefix = name.removesuffix(".weight")
                self.buffers.setdefault(f"{prefix}.running_mean", torch.zeros_like(tensor))
                self.buffers.setdefault(f"{prefix}.running_var", torch.ones_like(tensor))
        self.process = process
        if compiled:
            torch.compiler.reset()  # what earlier models compiled counts towards the limit
            torch._dynamo.config.fail_on_recompile_limit_hit = True  # instead of running eagerly
            self.process = torch.compile(process, dynamic=True)

    prepare = staticmethod(plain_batch.prepare)

    def parameters(self) -> Iterator[Tensor]:
        yield self.flat_parameters.flat

    def named_buffers(self) -> Iterator[tuple[str, Tensor]]:
        yield from self.buffers.items()

    def gradients(self) -> dict[str, Tensor]:
        """Gradient of every parameter."""
        gradient = self.flat_parameters.flat.grad
        assert gradient is not None
        return self.flat_parameters.views(gradient)

    def train(self) -> None:
        self.training = True

    def eval(self) -> None:
        self.training = False

    def __call__(self, batch: PlainBatch) -> Outcome:
        case = batch.case
        decoded, hidden = self._run(batch)
        hint_of_output = next(f for f in decoded.fields if f.decoder == case.output.decoder)

        def output_prediction() -> Tensor:
            prediction = decoded.prediction(hint_of_output)
            if decoded.n_steps == 1:
                return prediction.squeeze(-1)
            graph = case.batch["graph"]
            if prediction.shape[0] == case.batch["edge_index"].shape[1]:
                graph = graph[case.batch["edge_index"][0]]
            elif prediction.shape[0] == case.n_graphs:
                graph = torch.arange(case.n_graphs, device=graph.device)
            last = case.batch["length"][graph] - 1
            return prediction.gather(-1, last.unsqueeze(-1)).squeeze(-1)

        def hint_predictions() -> dict[str, Tensor]:
            hints = decoded.fields if case.with_hints else []
            return {field.name: decoded.prediction(field) for field in hints}

        return Outcome(decoded.losses(hidden), hidden, output_prediction, hint_predictions)

    def _run(self, batch: PlainBatch) -> tuple[Decoded, Tensor]:
        case = batch.case
        weights = self.flat_parameters.views(self.flat_parameters.flat)
        e = self._encode(weights, batch)
        processor = PROCESSORS[case.processor](weights, self.buffers, batch, e, self.training)
        constants = processor.constants
        states = [e]
        previous = e
        for step in range(batch.n_steps):
            h = states[-1]
            constant = constants[step if len(constants) > 1 else 0]
            states.append(self.process(processor, h, previous, constant))
            previous = h
        if case.with_hints:
            pairs = [
                state for step in range(batch.n_steps) for state in (states[step + 1], states[step])
            ]
            rows = torch.cat(pairs, dim=1).view(batch.n_nodes, batch.n_steps, -1)
            fields = case.hints
        else:
            all_states = torch.cat(states)
            rows = torch.cat(
                [
                    all_states.index_select(0, batch.last_after),
                    all_states.index_select(0, batch.last_before),
                ],
                dim=1,
            ).unsqueeze(1)
            fields = [case.output]
        return Decoded(weights, batch, fields, e, rows), states[-1]

    @staticmethod
    def _encode(weights: dict[str, Tensor], batch: PlainBatch) -> Tensor:
        """Node inputs [n_nodes, 1] -> encoding [n_nodes, H], combined by the convention."""
        encodings = []
        for name, values in batch.inputs.items():
            prefix = f"encoder.encoder.{name}.lin"
            encodings.append(linear(values, weights[f"{prefix}.weight"], weights[f"{prefix}.bias"]))
        total = encodings[0]
        for encoding in encodings[1:]:
            paper = batch.case.convention == "paper"
            total = torch.maximum(total, encoding) if paper else total + encoding
        return total
