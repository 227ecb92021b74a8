"""Interpreters that the package refuses."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REFUSED = "salsa_clrs does not run on a free-threaded Python"

IMPORT = """
import sysconfig
known = sysconfig.get_config_var
sysconfig.get_config_var = lambda name: 1 if name == "Py_GIL_DISABLED" else known(name)
import salsa_clrs
"""


def test_a_free_threaded_python_cannot_import_it() -> None:
    done = subprocess.run([sys.executable, "-c", IMPORT], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith(f"ImportError: {REFUSED}")


def test_nothing_is_built_for_a_free_threaded_python(tmp_path: Path) -> None:
    config = tmp_path / "python3.14t"
    config.write_text("implementation=CPython\nversion=3.14\nbuild_flags=Py_GIL_DISABLED\n")
    target = ROOT / "target" / "free-threaded"
    given = {"PYO3_CONFIG_FILE": str(config), "CARGO_TARGET_DIR": str(target)}
    command = ["cargo", "check", "--package", "salsa-python", "--locked", "--quiet"]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **given}, capture_output=True, text=True
    )
    assert done.returncode != 0
    assert REFUSED in done.stderr, done.stderr
