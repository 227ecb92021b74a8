"""One batch with the parameters of a model, read from a safetensors file.

The format is that of the model parity cases: `batch/*` holds the graphs, `param/*` the
parameters in PyTorch's layout, and the metadata names algorithm, processor and convention.
Parity cases also hold the results to compare with; files for timing leave those out.
The file says which features there are, `FIELDS` says what each of them is.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from pathlib import Path

import torch
from safetensors import safe_open
from torch import Tensor


class Location(Enum):
    """What a feature has one value for."""

    NODE = "node"
    EDGE = "edge"
    GRAPH = "graph"


class Kind(Enum):
    """What a feature's values mean, and so how it is decoded and scored."""

    SCALAR = "scalar"
    MASK = "mask"
    MASK_ONE = "mask_one"
    CATEGORICAL = "categorical"
    POINTER = "pointer"


@dataclass(frozen=True)
class Field:
    """A hint or an output: its name and what it is."""

    name: str
    location: Location
    kind: Kind

    @property
    def decoder(self) -> str:
        """A hint and an output of the same name share one decoder."""
        return self.name.removesuffix("_h")

    @property
    def has_two_linears(self) -> bool:
        """Pointers and edge masks score pairs of nodes, with a layer for either end."""
        return self.location is Location.EDGE


def _node(kind: Kind, *names: str) -> list[Field]:
    return [Field(name, Location.NODE, kind) for name in names]


def _edge(kind: Kind, *names: str) -> list[Field]:
    return [Field(name, Location.EDGE, kind) for name in names]


def _graph(kind: Kind, *names: str) -> list[Field]:
    return [Field(name, Location.GRAPH, kind) for name in names]


_QUEUE = [
    *_edge(Kind.POINTER, "pi", "pi_h"),
    *_node(Kind.MASK, "mark", "in_queue"),
    *_node(Kind.MASK_ONE, "u"),
]

FIELDS: dict[str, dict[str, Field]] = {
    algorithm: {field.name: field for field in fields}
    for algorithm, fields in {
        "bfs": [*_edge(Kind.POINTER, "pi", "pi_h"), *_node(Kind.MASK, "reach_h")],
        "dfs": [
            *_edge(Kind.POINTER, "pi", "pi_h", "s_prev"),
            *_node(Kind.CATEGORICAL, "color"),
            *_node(Kind.SCALAR, "d", "f"),
            *_node(Kind.MASK_ONE, "s", "u", "v", "s_last"),
            *_graph(Kind.SCALAR, "time"),
        ],
        "dijkstra": [*_QUEUE, *_node(Kind.SCALAR, "d")],
        "mst_prim": [*_QUEUE, *_node(Kind.SCALAR, "key")],
        "fast_mis": [
            *_node(Kind.MASK, "inmis", "inmis_h", "alive_h"),
            *_edge(Kind.MASK, "Ain_h"),
            *_graph(Kind.MASK, "phase_h"),
        ],
        "eccentricity": [
            *_node(Kind.MASK, "visited_h", "msgphase_h", "leaf_h"),
            *_node(Kind.SCALAR, "floodstate_h", "echostate_h"),
            *_edge(Kind.MASK, "tree_h"),
            *_graph(Kind.SCALAR, "eccentricity", "eccentricity_h"),
        ],
    }.items()
}


@dataclass(frozen=True)
class Case:
    """A batch, the parameters before the step, and, for parity cases, what is expected.

    Tensors are float32 or float64 (as read) and int64; shapes as in the parity cases:
    `edge_index` [2, n_edges], `graph` [n_nodes], `length` [n_graphs], inputs [n_nodes],
    hints [n, n_steps], categorical hints [n_nodes, n_steps, n_categories].
    """

    path: Path
    algorithm: str
    processor: str
    convention: str
    with_hints: bool
    hidden_size: int
    hidden_weight: float
    hint_weight: float
    inputs: list[str]
    hints: list[Field]
    output: Field
    batch: dict[str, Tensor]
    parameters: dict[str, Tensor]
    buffers: dict[str, Tensor]
    expected: dict[str, Tensor]
    float32_deviation: dict[str, float]

    @property
    def n_nodes(self) -> int:
        return self.batch["graph"].numel()

    @property
    def n_graphs(self) -> int:
        return self.batch["length"].numel()

    @cached_property
    def n_steps(self) -> int:
        """Steps of the batch: its longest trajectory."""
        return int(self.batch["length"].max())

    @property
    def weighted(self) -> bool:
        return "weights" in self.batch

    @property
    def random_column(self) -> bool:
        """MIS shows the processor a fresh random number for each node and step."""
        return "randomness" in self.batch

    @property
    def node_inputs(self) -> list[str]:
        """Inputs with an encoder."""
        return [name for name in self.inputs if name not in ("randomness", "weights")]

    @property
    def input_size(self) -> int:
        """Columns of what the processor sees: encoding, two states, randomness."""
        return 3 * self.hidden_size + int(self.random_column)


def read_case(path: Path, dtype: torch.dtype = torch.float32) -> Case:
    """Reads a file; floating-point tensors come as `dtype`."""
    with safe_open(path, framework="pt") as file:
        metadata = file.metadata()
        tensors = {name: file.get_tensor(name) for name in file.keys()}
    tensors = {
        name: tensor.to(dtype) if tensor.is_floating_point() else tensor
        for name, tensor in tensors.items()
    }

    def group(prefix: str) -> dict[str, Tensor]:
        return {
            name.removeprefix(prefix): tensor
            for name, tensor in tensors.items()
            if name.startswith(prefix)
        }

    results = ("buffer_after/", "train_", "loss/", "hint_loss/", "grad/", "eval_")
    fields = FIELDS[metadata["algorithm"]]
    (output,) = json.loads(metadata["outputs"])
    return Case(
        path=path,
        algorithm=metadata["algorithm"],
        processor=metadata["processor"],
        convention=metadata["convention"],
        with_hints=json.loads(metadata["hints"]),
        hidden_size=int(metadata["hidden_dim"]),
        hidden_weight=float(metadata.get("hidden_loss_weight", 0.01)),
        hint_weight=float(metadata.get("hint_loss_weight", 1.0)),
        inputs=json.loads(metadata["inputs"]),
        hints=[fields[name] for name in json.loads(metadata["hint_names"])],
        output=fields[output],
        batch=group("batch/"),
        parameters=group("param/"),
        buffers=group("buffer_before/"),
        expected={k: v for k, v in tensors.items() if k.startswith(results)},
        float32_deviation=json.loads(metadata.get("float32_deviation", "{}")),
    )
