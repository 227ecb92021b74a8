#!/usr/bin/env python3
"""When programs ran on a GPU and when the host described them, from lines that `timeline.patch` writes.

    SALSA_LINES=FILE salsa bench train --device cuda -a bfs -m pgn --hints no --seconds 0.1
    results/2026-11-19-gpu-gaps/timeline.py FILE [COUNT]

For COUNT programs (24) from the middle of the run, in microseconds: operators, when the host began to
describe the program and when it had launched it, when the GPU began and ended it, how long it took and
how long the GPU had nothing to do before it. Then the GPU's busy share of the last two thirds. Clocks of
both sides are set by the program that began soonest after its launch.
"""

import sys
from pathlib import Path

lines = [line.split() for line in Path(sys.argv[1]).read_text().split("queue\n")[1].splitlines()]
programs = [[int(word) for word in words[1:6]] for words in lines if words[0] == "p"]
count = int(sys.argv[2]) if len(sys.argv) > 2 else 24
offset = min(begin - launched for _, _, launched, begin, _ in programs)
middle = programs[len(programs) // 2 :][:count]
zero, before = middle[0][3], None
for ops, described, launched, begin, end in middle:
    host = [(time + offset - zero) / 1e3 for time in (described, launched)]
    gpu = [(time - zero) / 1e3 for time in (begin, end)]
    gap = 0.0 if before is None else gpu[0] - before
    before = gpu[1]
    print(
        f"{ops:5} operators, host {host[0]:8.1f} to {host[1]:8.1f}, GPU {gpu[0]:8.1f} to {gpu[1]:8.1f}:"
        f" {gpu[1] - gpu[0]:7.1f} after {gap:6.1f}"
    )
late = programs[len(programs) // 3 :]
busy = sum(end - begin for *_, begin, end in late)
print(f"the GPU is busy {busy / (late[-1][4] - late[0][3]):.1%} of the time")
