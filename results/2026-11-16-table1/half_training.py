#!/usr/bin/env python3
"""Trains BFS by GIN in single and in half precision and asks both about larger graphs.

    results/2026-11-16-table1/half_training.py --precision half --epochs 15 --seed 42

The published code trains under autocast to float16 with a scaled loss. A CPU is slow at that, so
here the twin computes in single precision and rounds to float16 whatever autocast would have in
that type: operands and results of linear layers and of the GRU, results of batch norms, and the
products of the decoder; a backward pass through a rounding rounds the gradient. Norms of layers,
softmax and losses are single precision there as well. The loss is scaled as PyTorch's GradScaler
does. Settings are those of the table, the network is the best of all epochs by validation loss. A
line of JSON for every epoch, then one for each test set, answered in the precision of the training
and in single precision.
"""

import argparse
import copy
import json
import time
from collections.abc import Iterator

import salsa_clrs
import torch
from salsa_clrs.models import EncodeProcessDecode, coders
from salsa_clrs.models.graphs import Graphs
from torch import Tensor, nn

SIZE = 8
LEARNING_RATE = 4.239e-4


def rounded(values: Tensor) -> Tensor:
    return values.half().float()


EXACT_LINEAR = nn.functional.linear
EXACT_CELL = nn.GRUCell.forward
EXACT_NORM = nn.BatchNorm1d.forward
EXACT_DECODER = coders.EdgeDecoder.forward


def half_linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    bias = None if bias is None else rounded(bias)
    return rounded(EXACT_LINEAR(rounded(x), rounded(weight), bias))


def half_cell(self: nn.GRUCell, x: Tensor, state: Tensor) -> Tensor:
    ours = half_linear(x, self.weight_ih, self.bias_ih).chunk(3, dim=-1)
    before = half_linear(state, self.weight_hh, self.bias_hh).chunk(3, dim=-1)
    reset, update = (torch.sigmoid(ours[gate] + before[gate]) for gate in (0, 1))
    new = torch.tanh(ours[2] + reset * before[2])
    return rounded(new + update * (rounded(state) - new))


def half_norm(self: nn.BatchNorm1d, x: Tensor) -> Tensor:
    return rounded(EXACT_NORM(self, x))


def half_decoder(self: coders.EdgeDecoder, z: Tensor, graphs: Graphs) -> Tensor:
    ends = self.source_lin(z)[graphs.source], self.target_lin(z)[graphs.target]
    scores = rounded(ends[0] * ends[1]).sum(-1)
    return coders.log_softmax(scores, graphs.source, graphs.n_nodes)


def use(half: bool) -> None:
    """Everything from here on is computed so."""
    nn.functional.linear = half_linear if half else EXACT_LINEAR
    nn.GRUCell.forward = half_cell if half else EXACT_CELL
    nn.BatchNorm1d.forward = half_norm if half else EXACT_NORM
    coders.EdgeDecoder.forward = half_decoder if half else EXACT_DECODER


class Scaler:
    """A factor of the loss that keeps small gradients, halved when one overflows."""

    def __init__(self, half: bool) -> None:
        self.half, self.scale, self.good, self.skipped = half, 65536.0 if half else 1.0, 0, 0

    def step(self, model: nn.Module, optimiser: torch.optim.Optimizer, loss: Tensor) -> None:
        optimiser.zero_grad()
        (loss * self.scale).backward()
        gradients = [p.grad for p in model.parameters() if p.grad is not None]
        if not all(gradient.isfinite().all() for gradient in gradients):
            self.scale, self.good, self.skipped = self.scale / 2, 0, self.skipped + 1
            return
        for gradient in gradients:
            gradient /= self.scale
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        self.good += 1
        if self.half and self.good == 2000:
            self.scale, self.good = 2 * self.scale, 0


def batches(samples: salsa_clrs.Samples, order: list[int]) -> Iterator[salsa_clrs.Batch]:
    return (samples.batch(order[at : at + SIZE]) for at in range(0, len(order), SIZE))


@torch.no_grad()
def validation_loss(model: EncodeProcessDecode, samples: salsa_clrs.Samples) -> float:
    model.eval()
    losses = [
        model.losses(batch, model(batch)).total.item()
        for batch in batches(samples, list(range(len(samples))))
    ]
    return sum(losses) / len(losses)


@torch.no_grad()
def accuracy(model: EncodeProcessDecode, split: str, n_graphs: int) -> float:
    tests = salsa_clrs.dataset("bfs", split, suite="release", hints=False)[:n_graphs]
    model.eval()
    scores = [model(tests.batch([index])).outputs["pi"].numpy() for index in range(n_graphs)]
    found = salsa_clrs.Evaluator("bfs").eval({"dataset": tests, "pi": scores})
    return round(found["node_accuracy"], 4)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--precision", choices=["single", "half"], default="half")
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--graphs", type=int, default=100)
    given = parser.parse_args()
    half = given.precision == "half"
    torch.manual_seed(given.seed)
    torch.set_num_threads(1)
    train, val = (
        salsa_clrs.dataset("bfs", split, suite="release", hints=False) for split in ("train", "val")
    )
    model = EncodeProcessDecode("bfs", "gin", convention="release")
    optimiser = torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE)
    scaler, best, kept = Scaler(half), float("inf"), None
    use(half)
    for epoch in range(given.epochs):
        start, total = time.perf_counter(), 0.0
        order = torch.randperm(len(train)).tolist()
        model.train()
        for batch in batches(train, order):
            loss = model.losses(batch, model(batch)).total
            scaler.step(model, optimiser, loss)
            total += loss.item()
        found = validation_loss(model, val)
        if found < best:
            best, kept = found, copy.deepcopy(model.state_dict())
        row = {"precision": given.precision, "seed": given.seed, "epoch": epoch + 1}
        row |= {"train": total * SIZE / len(train), "val": found}
        row |= {"scale": scaler.scale, "skipped": scaler.skipped}
        print(json.dumps({**row, "seconds": round(time.perf_counter() - start)}), flush=True)
    if kept is not None:
        model.load_state_dict(kept)
    for split, share in (
        ("er_160", 1),
        ("ws_160", 1),
        ("delaunay_80", 1),
        ("delaunay_160", 1),
        ("delaunay_800", 5),
    ):
        row = {"precision": given.precision, "seed": given.seed, "set": split}
        for name, answers in (("as trained", half), ("single", False)):
            use(answers)
            row[name] = accuracy(model, split, given.graphs // share)
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
