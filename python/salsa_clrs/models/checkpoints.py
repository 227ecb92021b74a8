"""From a checkpoint to a twin, and back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from .. import _core
from ..training import StrPath, in_toml
from .network import EncodeProcessDecode


def state_dict(checkpoint: StrPath) -> dict[str, Tensor]:
    """The parameters and running statistics of a checkpoint, for `load_state_dict` of a twin.

    Args:
        checkpoint: a `Training`, its folder for its best checkpoint, or a file.
    """
    _, _, arrays = _core.read_checkpoint(Path(checkpoint))
    return {name: torch.from_numpy(array) for name, array in arrays.items()}


def load(checkpoint: StrPath) -> EncodeProcessDecode:
    """The twin of a trained network, in evaluation mode.

    model = salsa_clrs.models.load("salsa-runs/bfs-pgn-paper-42")
    pi = model(batch).outputs["pi"]
    """
    text, _, _ = _core.read_checkpoint(Path(checkpoint))
    run: dict[str, Any] = json.loads(text)
    shape = run["model"]
    model = EncodeProcessDecode(
        run["algorithm"],
        shape["processor"],
        hidden=shape["hidden"],
        hints=run["hints"],
        convention=run["convention"],
        aggregation=shape["aggregation"],
        steps_per_hint=shape["steps_per_hint"],
    )
    model.load_state_dict(state_dict(checkpoint))
    # Where it came from goes with it when it is saved.
    tables = {**run.pop("model"), **run.pop("training")}
    model.settings.update(run, **tables)
    return model.eval()


def save(model: EncodeProcessDecode, path: StrPath) -> None:
    """Writes a twin as a checkpoint that `salsa evaluate`, `evaluate` and `predict` read.

    It has no optimiser state and no log, so `resume` has nothing to go on from.
    """
    tensors = {
        name: value.detach().to("cpu", torch.float32).numpy()
        for name, value in model.state_dict().items()
        # PyTorch counts batches, which nothing depends on.
        if not name.endswith(".num_batches_tracked")
    }
    _core.write_checkpoint(Path(path), in_toml(model.settings), tensors)
