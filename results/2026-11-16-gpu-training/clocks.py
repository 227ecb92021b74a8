#!/usr/bin/env python3
"""Phases of programs, from the clocks that blocks note with `clocks.patch`.

    SALSA_CLOCKS=FILE salsa bench train --device cuda -a bfs -m pgn --hints no --seconds 0.02
    results/2026-11-16-gpu-training/clocks.py FILE [LAST]

For the last LAST programs (3): cycles from the beginning of each phase to that of the next, and of
its operators the number of tiles and what the slowest and an average one took, slowest first.
"""

import sys
from collections import defaultdict
from pathlib import Path


def named(op: list) -> str:
    code, tiles, _, numbers = op
    if not code.startswith("Product"):
        return f"{code}*{tiles}"
    inner = [numbers[4 * part] for part in range(numbers[24])]
    return f"{code}[{numbers[20]}x{numbers[21]} inner {inner} form {numbers[16]}]*{tiles}"


def show(program: str) -> None:
    ops, turns = [], defaultdict(list)
    for line in program.split("\n")[1:]:
        kind, _, rest = line.partition(" ")
        if kind == "op":
            code, tiles, after, numbers = rest.split(" ", 3)
            ops.append([code, int(tiles), int(after), [int(n) for n in numbers[1:-1].split(",")]])
        elif kind == "t":
            block, turn, *clocks = map(int, rest.split())
            turns[block].append((turn >> 22, *clocks))
    # Every phase has a tile for the first block.
    begins = {}
    for op, _, waited, _ in turns[0]:
        begins.setdefault(ops[op][2], waited)
    tiles = defaultdict(list)
    for op, _, waited, ended in (turn for block in turns.values() for turn in block):
        tiles[op].append(max(0, ended - waited))
    ends = [*list(begins.values())[1:], turns[0][-1][3]]
    print(f"{len(ops)} operators, {len(turns)} blocks, {len(begins)} phases")
    for (after, begin), end in zip(begins.items(), ends):
        own = sorted((op for op in tiles if ops[op][2] == after), key=lambda op: -max(tiles[op]))
        told = [f"{named(ops[o])} {max(tiles[o])} {sum(tiles[o]) // len(tiles[o])}" for o in own]
        print(f"{end - begin:6}  {'; '.join(told[:6])}")


last = int(sys.argv[2]) if len(sys.argv) > 2 else 3
for program in Path(sys.argv[1]).read_text().split("program ")[-last:]:
    show(program)
