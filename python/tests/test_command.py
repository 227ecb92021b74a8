"""The script `salsa` that is installed with the package."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import salsa_clrs

START = "import sys; sys.argv[0] = 'salsa'; from salsa_clrs._command import main; main()"


def salsa(*words: str, **given: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", START, *words]
    return subprocess.run(command, capture_output=True, text=True, **given)  # type: ignore


def test_it_prints_what_is_asked_for() -> None:
    done = salsa("list")
    assert (done.returncode, done.stderr) == (0, "")
    assert all(name in done.stdout for name in salsa_clrs.algorithms())
    assert salsa("--version").stdout.startswith("salsa ")
    assert "Usage: salsa [COMMAND]" in salsa("--help").stdout


def test_a_mistake_ends_with_2() -> None:
    done = salsa("inspect", "--algorithm", "bsf", "--split", "er_16")
    assert (done.returncode, done.stdout) == (2, "")
    assert 'did you mean "bfs"' in done.stderr
    assert salsa("nothing").returncode == 2


def test_a_reader_may_stop_reading() -> None:
    command = [sys.executable, "-c", START, "inspect", "--algorithm", "dfs", "--split", "er_1600"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.readline()
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait() == 0


@pytest.mark.skipif(os.name == "nt", reason="signals are those of Unix")
def test_an_interrupt_ends_it_at_once(tmp_path: Path) -> None:
    words = ["generate", "--suite", "large", "--algorithm", "dfs", "--split", "er_1000000"]
    command = [sys.executable, "-c", START, *words, "--out", str(tmp_path)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as running:
        # The folder of unfinished shards says that the command is at work.
        while running.poll() is None and not any(tmp_path.iterdir()):
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        assert running.wait(timeout=60) == -signal.SIGINT


def test_a_cluster_is_to_start_the_script_not_the_interpreter(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('[[cells]]\nalgorithms = ["bfs"]\nmodels = ["gin"]\nseeds = [42]\n')
    words = ["sweep", "submit", str(file), "--slurm", "--print", "--out", str(tmp_path / "mine")]
    done = salsa(*words, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"'{tmp_path / 'salsa'}' sweep worker" in done.stdout
    assert sys.executable not in done.stdout


def test_the_script_is_installed() -> None:
    script = Path(sys.executable).with_name("salsa")
    if not script.exists():
        pytest.skip("the package is not installed as a wheel")
    done = subprocess.run([script, "list"], capture_output=True, text=True)
    assert done.returncode == 0
    assert "dijkstra" in done.stdout
