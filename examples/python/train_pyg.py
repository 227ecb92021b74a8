"""Trains a network to execute an algorithm, with message passing in plain PyTorch Geometric.

    python examples/python/train_pyg.py --algorithm dijkstra --steps 2000

Samples are made as they are needed. To read them from files instead, write them first:

    salsa generate --suite release --algorithm dijkstra --split train,er_16,er_80 --out data
    python examples/python/train_pyg.py --algorithm dijkstra --data data

Encode, process as many times as the algorithm has steps, decode. Code written for the published
package looks like this too, but for the name in the import.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import Any

import torch
from salsa_clrs import Evaluator, SALSACLRSDataLoader, load_dataset
from torch import Tensor, nn
from torch_geometric.nn import MessagePassing, global_mean_pool
from torch_geometric.utils import softmax


class Processor(MessagePassing):
    """One round of messages: the largest of what the neighbours say, through a GRU."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__(aggr="max")
        self.messages = nn.Sequential(
            nn.Linear(2 * width + 1, hidden), nn.ReLU(), nn.Linear(hidden, hidden)
        )
        self.update_state = nn.GRUCell(hidden, hidden)
        self.norm = nn.LayerNorm(hidden)

    def forward(self, x: Tensor, state: Tensor, edge_index: Tensor, weights: Tensor) -> Tensor:
        told = self.propagate(edge_index, x=x, weights=weights)
        return self.norm(self.update_state(told, state))

    def message(self, x_i: Tensor, x_j: Tensor, weights: Tensor) -> Tensor:
        return self.messages(torch.cat([x_i, x_j, weights], dim=-1))


class Network(nn.Module):
    """A score for every value of every output, in the layout of a batch."""

    def __init__(self, specs: dict[str, Any], hidden: int) -> None:
        super().__init__()
        self.inputs = [name for name, spec in specs.items() if spec[0] == "input"]
        self.outputs = {name: spec[2] for name, spec in specs.items() if spec[0] == "output"}
        self.encoder = nn.Linear(len(self.inputs), hidden)
        self.processor = Processor(2 * hidden, hidden)
        wide = {"pointer": 2 * hidden}
        self.decoders = nn.ModuleDict(
            {name: nn.Linear(hidden, wide.get(kind, 1)) for name, kind in self.outputs.items()}
        )

    def forward(self, batch: Any) -> dict[str, Tensor]:
        """Runs every graph for its own number of steps."""
        weights = batch.weights if "weights" in batch else torch.ones(batch.num_edges)
        state = self.encoder.weight.new_zeros(batch.num_nodes, self.encoder.out_features)
        length = batch.length[batch.batch][:, None]
        for step in range(int(batch.length.max())):
            encoded = self.encoder(self.at(batch, step))
            x = torch.cat([encoded, state], dim=-1)
            new = self.processor(x, state, batch.edge_index, weights[:, None])
            state = torch.where(step < length, new, state)
        return {name: self.decode(name, state, batch) for name in self.outputs}

    def at(self, batch: Any, step: int) -> Tensor:
        """What is known of each node; random values are others at every step. [N, inputs]"""
        columns = [batch[name] for name in self.inputs]
        return torch.stack([c if c.dim() == 1 else c[:, step] for c in columns], dim=-1)

    def decode(self, name: str, state: Tensor, batch: Any) -> Tensor:
        decoded = self.decoders[name](state)
        if self.outputs[name] == "pointer":
            wanted, offered = decoded.chunk(2, dim=-1)
            source, target = batch.edge_index
            return (wanted[source] * offered[target]).mean(dim=-1)
        if self.outputs[name] == "scalar":
            return global_mean_pool(decoded, batch.batch).squeeze(-1)
        return decoded.squeeze(-1)


def loss_of(network: Network, scores: dict[str, Tensor], batch: Any) -> Tensor:
    """The sum over the outputs, each a mean over nodes or graphs."""
    total = torch.zeros(())
    for name, kind in network.outputs.items():
        score, answer = scores[name], batch[name].float()
        if kind == "pointer":
            likely = softmax(score, batch.edge_index[0], num_nodes=batch.num_nodes)
            total = total - (answer * likely.clamp_min(1e-9).log()).sum() / batch.num_nodes
        elif kind == "mask":
            total = total + nn.functional.binary_cross_entropy_with_logits(score, answer)
        else:
            total = total + nn.functional.mse_loss(score, answer)
    return total


def endless(loader: SALSACLRSDataLoader) -> Iterator[Any]:
    while True:
        yield from loader


@torch.no_grad()
def evaluated(network: Network, dataset: Any) -> dict[str, float]:
    network.eval()
    scores: dict[str, list[Tensor]] = {name: [] for name in network.outputs}
    for batch in SALSACLRSDataLoader(dataset, batch_size=32):
        for name, score in network(batch).items():
            scores[name].append(score)
    network.train()
    return Evaluator(dataset.algorithm).eval({"dataset": dataset, **scores})


def main(words: Sequence[str] | None = None) -> list[float]:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--algorithm", default="bfs")
    parser.add_argument("--data", help="a folder with files of salsa generate")
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--hidden", type=int, default=64)
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--tests", nargs="*", default=["er_16", "er_80"])
    parser.add_argument("--test-graphs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(words)

    torch.manual_seed(given.seed)
    train = load_dataset(given.algorithm, "train", given.data)
    print(f"{len(train)} samples, {f'read from {train.folder}' if train.folder else 'made'}")
    loader = SALSACLRSDataLoader(
        train, batch_size=given.batch_size, shuffle=True, num_workers=given.workers
    )
    network = Network(train.specs, given.hidden)
    optimiser = torch.optim.Adam(network.parameters(), lr=1e-3)
    losses = []
    for step, batch in zip(range(1, given.steps + 1), endless(loader)):
        loss = loss_of(network, network(batch), batch)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        losses.append(loss.item())
        if step % 100 == 0 or step == given.steps:
            recent = losses[-100:]
            print(f"step {step}: loss {sum(recent) / len(recent):.4f}")
    tests = load_dataset(given.algorithm, "test", given.data) if given.tests else {}
    for name in given.tests:
        scores = evaluated(network, tests[name][: given.test_graphs])
        print(name, "  ".join(f"{metric} {value:.3f}" for metric, value in scores.items()))
    return losses


if __name__ == "__main__":
    main()
