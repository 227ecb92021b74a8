"""Networks trained in Rust: training, resuming, and what a training has told."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Union

from . import _core

StrPath = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class Epoch:
    """One pass over the training data, and its validation."""

    number: int
    """From 1."""
    step: int
    """Optimiser steps since the start."""
    loss: float
    """The training loss, mean over batches: outputs, hints and hidden states by their weights."""
    output_loss: float
    hint_loss: float
    validation_loss: float
    """Of outputs and hidden states."""
    validation: dict[str, float]
    """Metrics on the validation data by name."""
    learning_rate: float
    seconds: float
    is_best: bool
    """Whether its validation loss is the lowest so far; then it was kept as `best.safetensors`."""

    @classmethod
    def of(cls, record: Mapping[str, Any], is_best: bool) -> Epoch:
        """From a record of the log."""
        return cls(
            number=record["epoch"] + 1,
            step=record["step"],
            loss=float(record["train"]["total"]),
            output_loss=float(record["train"]["output"]),
            hint_loss=float(record["train"]["hints"]),
            validation_loss=float(record["validation_loss"]),
            validation={name: float(value) for name, value in record["validation"].items()},
            learning_rate=float(record["learning_rate"]),
            seconds=record["seconds"],
            is_best=is_best,
        )


@dataclass(frozen=True)
class Training:
    """A training in its folder, finished or not, whether Python or the command line began it.

    Wherever a checkpoint is asked for, a `Training` or its folder stands for the best one.
    """

    folder: Path
    settings: dict[str, Any]
    """The whole run file, with the tables `model` and `training`."""
    epochs: list[Epoch]
    ending: str | None
    """`all_epochs`, `early_stopping`, `interrupted`, or nothing known."""
    steps: int
    """Optimiser steps in the last checkpoint."""

    @classmethod
    def open(cls, folder: StrPath) -> Training:
        """The training in a folder, as far as it has come."""
        path = Path(folder)
        records = json.loads(_core.log(path))
        run, progress, _ = _core.read_checkpoint(path / "last.safetensors")
        best = {record["epoch"] for record in records if record["event"] == "best"}
        last = records[-1] if records else {}
        return cls(
            folder=path,
            settings=json.loads(run),
            epochs=[
                Epoch.of(record, record["epoch"] in best)
                for record in records
                if record["event"] == "epoch"
            ],
            ending="interrupted" if last.get("event") == "interrupted" else last.get("ending"),
            steps=json.loads(progress)["step"],
        )

    @property
    def losses(self) -> list[float]:
        """The training loss of every epoch."""
        return [epoch.loss for epoch in self.epochs]

    @property
    def best(self) -> Epoch | None:
        """The epoch with the lowest validation loss."""
        return next((epoch for epoch in reversed(self.epochs) if epoch.is_best), None)

    @property
    def checkpoint(self) -> Path:
        """The best epoch's checkpoint, for evaluating."""
        return self.folder / "best.safetensors"

    @property
    def last_checkpoint(self) -> Path:
        """The checkpoint that `resume` goes on from."""
        return self.folder / "last.safetensors"

    def __fspath__(self) -> str:
        return os.fspath(self.folder)

    def __repr__(self) -> str:
        algorithm, model = self.settings["algorithm"], self.settings["model"]["processor"]
        best = "" if self.best is None else f", validation loss {self.best.validation_loss:.4f}"
        return f"<Training of {model} on {algorithm}: {len(self.epochs)} epochs{best}>"


def train(
    algorithm: str | None = None,
    model: str | None = None,
    *,
    hints: bool | None = None,
    seed: int | None = None,
    epochs: int | None = None,
    out: StrPath | None = None,
    file: StrPath | None = None,
    on_epoch: Callable[[Epoch], Any] | None = None,
    device: str = "cpu",
    precision: str = "f32",
    threads: int | None = None,
    **settings: Any,
) -> Training:
    """Trains a network and keeps checkpoints and logs in a folder, as `salsa train` does.

    >>> import salsa_clrs, tempfile
    >>> training = salsa_clrs.train(
    ...     "bfs", "gin", epochs=2, hidden=16, train_samples=64, validation_samples=16,
    ...     out=tempfile.mkdtemp() + "/bfs",
    ... )
    >>> len(training.losses), training.checkpoint.name
    (2, 'best.safetensors')

    Ctrl-C raises `KeyboardInterrupt` after the present batch; the checkpoint is kept, and `resume`
    goes on as if nothing had happened. An exception of `on_epoch` does the same.

    Args:
        algorithm: a name of `salsa_clrs.algorithms()`; `bfs` if not given.
        model: `gin`, `pgn` or `recgnn`; `pgn` if not given.
        hints: whether the states between input and output are learned too.
        seed: of first weights and of the order of samples.
        epochs: at most.
        out: a new folder; `salsa-runs/ALGORITHM-MODEL-CONVENTION-SEED` if not given.
        file: a run file, over which everything else is laid.
        on_epoch: called with every `Epoch`; a true value stops the training, to be resumed.
        device: `cpu`, `cuda` or `cuda:N`.
        precision: how a GPU computes products: `f32`, `tf32` or `bf16`.
        threads: of the CPU, all cores if not given; the result is the same for any number.
        **settings: any other field of a run file by its name, such as `hidden`, `batch`,
            `learning_rate`, `convention`, `suite`, `train_samples`.
    """
    given = {
        "algorithm": algorithm,
        "processor": model,
        "hints": hints,
        "seed": seed,
        "epochs": epochs,
        **settings,
    }
    path = None if file is None else Path(file)
    computing = (str(device), precision, threads)
    folder = None if out is None else Path(out)
    told = _told(on_epoch)
    return Training.open(_core.train(path, in_toml(given), folder, computing, told))


def resume(
    folder: StrPath,
    *,
    epochs: int | None = None,
    batch: int | None = None,
    on_epoch: Callable[[Epoch], Any] | None = None,
    device: str = "cpu",
    precision: str = "f32",
    threads: int | None = None,
) -> Training:
    """Goes on with a training that was stopped, with `epochs` beyond the end it had.

    It ends with the same numbers as one that was never stopped, unless it goes on with another size
    of `batch`, such as fits into a GPU: then the rest of the epoch is cut into those.
    """
    computing = (str(device), precision, threads)
    return Training.open(_core.resume(Path(folder), epochs, batch, computing, _told(on_epoch)))


def in_toml(settings: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Settings that are given, with their values in TOML, of which JSON's are a part."""
    given = {name: value for name, value in settings.items() if value is not None}
    return [(name, json.dumps(plain(value), ensure_ascii=False)) for name, value in given.items()]


def plain(value: Any) -> Any:
    """A path as text, a number of NumPy as one of Python."""
    if isinstance(value, os.PathLike):
        text = os.fspath(value)
        # A bare file name would be taken for the name of a suite.
        return text if os.path.dirname(text) else os.path.join(".", text)
    return value.item() if hasattr(value, "item") else value


def _told(on_epoch: Callable[[Epoch], Any] | None) -> Callable[[str, bool], Any] | None:
    if on_epoch is None:
        return None
    return lambda record, is_best: on_epoch(Epoch.of(json.loads(record), is_best))
