#!/usr/bin/env python3
"""Phases of programs, from the clocks that blocks note with `clocks.patch`.

    SALSA_CLOCKS=FILE salsa bench train --device cuda -a bfs -m pgn --hints no --seconds 0.02
    results/2026-11-16-gpu-training/clocks.py FILE [LAST]

For the last LAST programs (3): cycles from the beginning of each phase to that of the next, and of
its operators the number of tiles, how many of them in this phase, and what the slowest and an
average one took, slowest first.
"""

import sys
from collections import defaultdict
from pathlib import Path


def named(code: str, tiles: str, numbers: list[int]) -> str:
    if not code.startswith("Product"):
        return f"{code}*{tiles}"
    inner = [numbers[4 * part] for part in range(numbers[24])]
    return f"{code}[{numbers[20]}x{numbers[21]} inner {inner} form {numbers[16]}]*{tiles}"


def show(program: str) -> None:
    ops, phase_of, bounds = [], defaultdict(int), {}
    phases = defaultdict(lambda: defaultdict(list))
    for line in program.split("\n")[1:]:
        kind, _, rest = line.partition(" ")
        if kind == "op":
            code, tiles, numbers = rest.split(" ", 2)
            ops.append(named(code, tiles, [int(number) for number in numbers[1:-1].split(",")]))
        elif kind == "t":
            block, tile, after, _, waited, ended = map(int, rest.split())
            # The first turn of a block in a phase says after how many it comes.
            phase_of[block] = after or phase_of[block]
            phases[phase_of[block]][tile >> 22].append(max(0, ended - waited))
            # Every phase has a tile for the first block.
            if block == 0:
                begin, _ = bounds.setdefault(phase_of[block], (waited, ended))
                bounds[phase_of[block]] = begin, ended
    begins = [begin for begin, _ in bounds.values()]
    ends = [*begins[1:], list(bounds.values())[-1][1]]
    print(f"{len(ops)} operators, {len(phases)} phases, {ends[-1] - begins[0]} cycles")
    for phase, begin, end in zip(bounds, begins, ends):
        own = sorted(phases[phase].items(), key=lambda op: -max(op[1]))
        told = [f"{ops[op]}({len(took)}) {max(took)} {sum(took) // len(took)}" for op, took in own]
        print(f"{end - begin:6}  {'; '.join(told[:6])}")


last = int(sys.argv[2]) if len(sys.argv) > 2 else 3
for program in Path(sys.argv[1]).read_text().split("program ")[-last:]:
    show(program)
