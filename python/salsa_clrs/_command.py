"""The script `salsa`, which comes with the package: the command of the Rust crates."""

from __future__ import annotations

import signal
import sys

from . import _core


def main() -> None:
    # Python only notes an interrupt and waits for the command to come back. It shall end there
    # and then, unless the command itself has something to save.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_core.command(sys.argv))
