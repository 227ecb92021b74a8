"""A batch laid out for the plain implementation; made once when a batch is loaded.

Nothing here depends on parameters, and none of it is timed: edges sorted by target, the targets
of pointers as node numbers, and for each feature the factors of its mean (0 on padded steps).
Node values have the layout [n_nodes, n_steps, ...], so that all steps of all nodes are the rows
of one matrix.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from case import Case, Field, Kind, Location


@dataclass
class PlainBatch:
    """The graphs and the inputs, and what the losses compare with (`targets`)."""

    case: Case
    n_nodes: int
    n_steps: int
    source: Tensor  # [n_edges], edges sorted by target
    target: Tensor  # [n_edges]
    source_rows: Tensor  # [n_edges], 2 * source
    target_rows: Tensor  # [n_edges], 2 * target + 1
    weights: Tensor | None  # [n_edges, 1]
    inputs: dict[str, Tensor]  # [n_nodes, 1] each
    randomness: Tensor | None  # [n_nodes, n_steps]
    last_after: Tensor  # [n_nodes], row of the state after a node's last step
    last_before: Tensor  # [n_nodes], row of the state before it
    flat_edges: Tensor  # [n_edges], source * n_nodes + target, edges as stored
    edge_source: Tensor  # [n_edges], edges as stored
    edge_steps: int  # steps that are decoded: all with hints, else the last one of each graph
    neighbour_mask: Tensor  # [n_nodes * edge_steps, n_nodes], 0 on edges, else minus infinity
    pool: Tensor  # [n_graphs, n_nodes], the mean over each graph
    graph_rows: Tensor  # [n_graphs * largest], nodes of each graph, padded with node 0
    graph_mask: Tensor  # [n_graphs * largest, 1], 0 on nodes, minus infinity on padding
    hint_factors: dict[Location, Tensor]  # [elements * steps]
    output_factor: Tensor  # of the output's loss, over all elements and decoded steps
    targets: dict[str, Tensor]


def prepare(case: Case) -> PlainBatch:
    """Lays a case out."""
    batch = case.batch
    edges, graph, length = batch["edge_index"], batch["graph"], batch["length"]
    n_nodes, n_graphs, n_steps = case.n_nodes, case.n_graphs, case.n_steps
    dtype = batch["pos"].dtype
    by_target = torch.argsort(edges[1], stable=True)
    nodes = torch.arange(n_nodes)
    decoded_steps = n_steps if case.with_hints else 1

    mask = torch.full((n_nodes, n_nodes), float("-inf"), dtype=dtype)
    mask[edges[0], edges[1]] = 0.0
    one_hot = torch.nn.functional.one_hot(graph, n_graphs).T.to(dtype)
    counts = torch.bincount(graph, minlength=n_graphs)
    first = counts.cumsum(0) - counts
    largest = int(counts.max())
    place = torch.arange(largest).expand(n_graphs, largest)
    inside = place < counts.unsqueeze(1)

    graph_of = {
        Location.NODE: graph,
        Location.EDGE: graph[edges[0]],
        Location.GRAPH: torch.arange(n_graphs),
    }
    steps = torch.arange(n_steps)

    def factors(elements: Tensor, count: int) -> Tensor:
        inside = steps < length[elements].unsqueeze(1)
        return (inside.to(dtype) / (count * n_steps)).flatten()

    hint_factors = {
        location: factors(elements, elements.numel()) for location, elements in graph_of.items()
    }
    output_of = graph_of[
        Location.GRAPH if case.output.location is Location.GRAPH else Location.NODE
    ]
    if case.with_hints:
        last = (steps == length[output_of].unsqueeze(1) - 1).to(dtype)
    else:
        last = torch.ones(output_of.numel(), 1, dtype=dtype)
    fields = [case.output, *(case.hints if case.with_hints else [])]
    prepared = PlainBatch(
        case=case,
        n_nodes=n_nodes,
        n_steps=n_steps,
        source=edges[0][by_target].contiguous(),
        target=edges[1][by_target].contiguous(),
        source_rows=2 * edges[0][by_target],
        target_rows=2 * edges[1][by_target] + 1,
        weights=batch["weights"][by_target].unsqueeze(1) if case.weighted else None,
        inputs={name: batch[name].unsqueeze(1) for name in case.node_inputs},
        randomness=batch.get("randomness"),
        last_after=length[graph] * n_nodes + nodes,
        last_before=(length[graph] - 1) * n_nodes + nodes,
        flat_edges=edges[0] * n_nodes + edges[1],
        edge_source=edges[0].contiguous(),
        edge_steps=decoded_steps,
        neighbour_mask=mask.repeat_interleave(decoded_steps, dim=0),
        pool=one_hot / counts.unsqueeze(1),
        graph_rows=torch.where(inside, place + first.unsqueeze(1), 0).flatten(),
        graph_mask=torch.where(inside, 0.0, float("-inf")).to(dtype).view(-1, 1),
        hint_factors=hint_factors,
        output_factor=(last / output_of.numel()).flatten(),
        targets={field.name: _target(case, field, edges, graph, first) for field in fields},
    )
    if case.with_hints:
        _check_output_is_last_hint(case, prepared)
    return prepared


def _target(case: Case, field: Field, edges: Tensor, graph: Tensor, first: Tensor) -> Tensor:
    """What a field's loss compares with.

    Pointer [n, T] one-hot over edges -> number of the node pointed to [n_steps * n_nodes], step
    first as the scores are (padded: the node itself). mask_one -> place in its graph
    [n_graphs, T]. Categorical -> class [n_nodes, T]. Edge masks -> [T, n_edges]. Others as stored.
    """
    stored = case.batch[field.name]
    if field.kind is Kind.CATEGORICAL:
        return stored.argmax(-1)
    stored = stored.view(stored.shape[0], -1)
    if field.kind is Kind.POINTER:
        pointed = torch.arange(case.n_nodes).repeat(stored.shape[1], 1)
        edge, step = stored.nonzero(as_tuple=True)
        pointed[step, edges[0][edge]] = edges[1][edge]
        return pointed.flatten()
    if field.kind is Kind.MASK_ONE:
        place = torch.zeros(case.n_graphs, stored.shape[1], dtype=torch.int64)
        node, step = stored.nonzero(as_tuple=True)
        place[graph[node], step] = node - first[graph[node]]
        return place
    return stored.T.contiguous() if field.location is Location.EDGE else stored


def _check_output_is_last_hint(case: Case, prepared: PlainBatch) -> None:
    """With hints the output's loss is that of its hint at the last step; the data must agree."""
    hint = next(hint for hint in case.hints if hint.decoder == case.output.decoder)
    of_hint, of_output = prepared.targets[hint.name], prepared.targets[case.output.name]
    n_steps = prepared.n_steps
    if case.output.kind is Kind.POINTER:
        of_hint = of_hint.view(n_steps, -1).T
    last = prepared.output_factor.view(-1, n_steps) > 0
    if not torch.equal(of_hint[last], of_output.flatten()):
        raise ValueError(f"{case.path}: {case.output.name} is not the last step of {hint.name}")
