"""Training from Python: the same numbers as the command line's, and nothing lost on the way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import salsa_clrs
from salsa_clrs import Epoch, Training

TINY: dict[str, Any] = {
    "hidden": 8,
    "train_samples": 24,
    "validation_samples": 8,
    "learning_rate": 0.01,
    "threads": 1,
}


def tiny(out: Path, **more: Any) -> Training:
    return salsa_clrs.train("bfs", "gin", out=out, **{"epochs": 3, **TINY, **more})


def weights(checkpoint: Path) -> dict[str, np.ndarray]:
    return salsa_clrs._core.read_checkpoint(checkpoint)[2]


def same(one: Path, other: Path) -> bool:
    first, second = weights(one), weights(other)
    return first.keys() == second.keys() and all(
        np.array_equal(first[name], second[name]) for name in first
    )


def test_a_training_tells_what_its_log_has(tmp_path: Path) -> None:
    told: list[Epoch] = []
    training = tiny(tmp_path / "run", on_epoch=told.append)
    assert training.epochs == told
    assert [epoch.number for epoch in told] == [1, 2, 3]
    assert training.losses == [epoch.loss for epoch in told]
    assert training.losses[-1] < training.losses[0]
    assert training.ending == "all_epochs"
    assert training.steps == told[-1].step == 9
    assert training.best is not None
    lowest = min(epoch.validation_loss for epoch in told)
    assert training.best.validation_loss == lowest
    assert set(training.best.validation) == {"node_accuracy", "graph_accuracy"}
    assert training.checkpoint.exists()
    assert training.last_checkpoint.exists()
    assert training.settings["algorithm"] == "bfs"
    assert training.settings["model"]["hidden"] == 8
    assert Training.open(tmp_path / "run") == training
    assert repr(training) == f"<Training of gin on bfs: 3 epochs, validation loss {lowest:.4f}>"


def test_settings_are_those_of_a_run_file(tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    file.write_text('algorithm = "dijkstra"\nseed = 7\n[training]\nepochs = 1\nbatch = 4\n')
    training = salsa_clrs.train(
        model="recgnn",
        file=file,
        out=tmp_path / "run",
        hints=True,
        convention="release",
        betas=(0.8, 0.99),
        seed=np.int64(9),
        **TINY,
    )
    run = training.settings
    assert (run["algorithm"], run["seed"], run["hints"]) == ("dijkstra", 9, True)
    assert (run["convention"], run["suite"]) == ("release", "release")
    assert run["model"]["processor"] == "recgnn"
    assert run["training"]["betas"] == [0.8, 0.99]
    assert (run["training"]["batch"], training.steps) == (4, 6)
    assert training.epochs[0].hint_loss > 0


def test_without_a_folder_it_is_named_after_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    training = salsa_clrs.train("bfs", "gin", epochs=1, seed=3, **TINY)
    assert training.folder == Path("salsa-runs/bfs-gin-paper-3")


def test_one_that_is_stopped_goes_on_as_if_it_had_not_been(tmp_path: Path) -> None:
    whole = tiny(tmp_path / "whole")
    stopped = tiny(tmp_path / "stopped", on_epoch=lambda epoch: epoch.number == 2)
    assert stopped.ending == "interrupted"
    assert len(stopped.epochs) == 2
    told: list[int] = []
    resumed = salsa_clrs.resume(stopped, on_epoch=lambda epoch: told.append(epoch.number))
    assert told == [3]
    assert resumed.losses == whole.losses
    assert same(resumed.last_checkpoint, whole.last_checkpoint)
    more = salsa_clrs.resume(resumed.folder, epochs=4)
    assert (len(more.epochs), more.settings["training"]["epochs"]) == (4, 4)


def test_one_that_is_stopped_goes_on_with_batches_of_another_size(tmp_path: Path) -> None:
    stopped = tiny(tmp_path / "run", on_epoch=lambda epoch: epoch.number == 2)
    assert stopped.steps == 6
    resumed = salsa_clrs.resume(stopped, batch=5)
    assert (resumed.steps, resumed.settings["training"]["batch"]) == (6 + 5, 5)


def test_an_exception_of_the_callback_stops_and_loses_nothing(tmp_path: Path) -> None:
    class EnoughError(Exception):
        pass

    def callback(epoch: Epoch) -> None:
        raise EnoughError(f"after {epoch.number}")

    with pytest.raises(EnoughError, match="after 1"):
        tiny(tmp_path / "run", on_epoch=callback)
    assert len(salsa_clrs.resume(tmp_path / "run").epochs) == 3


# Python notes Ctrl-C while Rust computes; the batch that is under way ends first.
INTERRUPTED = """
import signal, sys, threading, time
import salsa_clrs

# A shell's background jobs begin with Ctrl-C ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)

def ready(epoch):
    if epoch.number == 1:
        threading.Timer(0.2, signal.raise_signal, [signal.SIGINT]).start()

try:
    salsa_clrs.train("dfs", "gin", hints=True, epochs=10_000, hidden=8, train_samples=64,
                     validation_samples=2, early_stopping=10_000, out=sys.argv[1], on_epoch=ready)
except KeyboardInterrupt:
    training = salsa_clrs.Training.open(sys.argv[1])
    assert training.ending == "interrupted", training.ending
    print("kept", training.last_checkpoint.exists(), 0 < len(training.epochs) < 10_000)
"""


def test_ctrl_c_stops_after_a_batch_and_keeps_the_checkpoint(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, str(tmp_path / "run")],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.stdout == "kept True True\n", run.stderr


def test_ctrl_c_breaks_an_evaluation_off(tmp_path: Path) -> None:
    training = tiny(tmp_path / "run", epochs=1)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.3, os.kill, [os.getpid(), signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        # A thousand graphs, each a moment.
        salsa_clrs.evaluate(training, ["er_1600"], steps=100, threads=1)
    timer.join()
    signal.signal(signal.SIGINT, before)


def test_other_threads_go_on_meanwhile(tmp_path: Path) -> None:
    """While Rust trains, Python runs: a callback in one thread waits for the other."""
    turns = threading.Semaphore(0)
    done: list[Training] = []
    thread = threading.Thread(
        target=lambda: done.append(tiny(tmp_path / "a", on_epoch=lambda _: turns.release()))
    )
    thread.start()
    for _ in range(3):
        assert turns.acquire(timeout=60)
    thread.join()
    assert same(done[0].last_checkpoint, tiny(tmp_path / "b").last_checkpoint)


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"hidden": 0}, ValueError, "hidden: expected a whole number from 1"),
        ({"hidden": "wide"}, ValueError, "hidden: expected a whole number"),
        ({"hiddn": 8}, TypeError, 'there is no setting "hiddn", did you mean "hidden"'),
        ({"convention": "papr"}, ValueError, "convention: .*paper"),
        ({"clip": float("nan")}, ValueError, "clip: "),
        ({"device": "tpu"}, ValueError, 'device: expected cpu, cuda or cuda:N, found "tpu"'),
        ({"precision": "bf16"}, ValueError, "precision: the CPU computes in f32"),
        ({"threads": 0}, ValueError, "threads: expected at least 1"),
        ({"suite": "papr"}, ValueError, "papr"),
        ({"suite": Path("absent.toml")}, FileNotFoundError, "absent.toml"),
        ({"file": "absent.toml"}, FileNotFoundError, "absent.toml"),
        ({"learning_rate": 1e30}, FloatingPointError, "step 2, batch 2 of epoch 1: .* is"),
    ],
)
def test_a_wrong_setting_is_told(
    tmp_path: Path, settings: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        tiny(tmp_path / "run", **settings)


def test_unknown_names_are_told() -> None:
    with pytest.raises(ValueError, match='algorithm: unknown algorithm "bsf", did you mean "bfs"'):
        salsa_clrs.train("bsf", "gin")
    with pytest.raises(ValueError, match=r'unknown processor "pgm", .*did you mean "pgn"'):
        salsa_clrs.train("bfs", "pgm")


def test_a_folder_takes_one_run(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="is there a run to resume"):
        salsa_clrs.resume(tmp_path / "run")
    tiny(tmp_path / "run", epochs=1)
    with pytest.raises(FileExistsError, match="holds a run already"):
        tiny(tmp_path / "run")
    with pytest.raises(ValueError, match="epochs: expected a whole number from 1"):
        salsa_clrs.resume(tmp_path / "run", epochs=0)


def test_a_damaged_checkpoint_is_told(tmp_path: Path) -> None:
    training = tiny(tmp_path / "run", epochs=1)
    damaged = bytearray(training.checkpoint.read_bytes())
    damaged[-1] ^= 1
    training.checkpoint.write_bytes(damaged)
    with pytest.raises(ValueError, match="the file is damaged"):
        salsa_clrs.evaluate(training, ["er_16"], samples=1)
    training.checkpoint.unlink()
    with pytest.raises(FileNotFoundError, match="there is no best"):
        salsa_clrs.evaluate(training, ["er_16"], samples=1)
