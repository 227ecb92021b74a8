#!/usr/bin/env python3
"""What takes how long in a product's tile, from the stamps that warps leave with `stamps.patch`.

    SALSA_CLOCKS=FILE target/release/examples/operator_latency "linear 430 384"
    results/2026-11-19-gpu-tiles/stamps.py FILE

Mean cycles between places of a tile: 1 inputs are there, 2 the first slices are asked for, 3 and on a
slice is there, 11 all slices are multiplied, 12 and 13 the teams' sums are stored, 14 results are
written. For tiles that have their multiprocessor to themselves, and that share it.
"""

import sys
from collections import defaultdict
from pathlib import Path
from statistics import fmean

WARPS = 8


def read(program: str) -> tuple[dict[tuple[str, int], list[list[int]]], dict[str, str]]:
    """The stamps of each warp of each tile of each block, and where the block is."""
    tiles, place, count = defaultdict(list), {}, defaultdict(int)
    for line in program.split("\n"):
        if line.startswith("s "):
            _, block, place[block], stamps = line.split(" ", 3)
            stamps = [int(stamp) for stamp in stamps.strip("[]").split(",")]
            tile, count[block] = count[block] // WARPS, count[block] + 1
            if stamps[1] and stamps[14]:
                tiles[block, tile].append(stamps)
    return tiles, place


def main() -> None:
    # The last program is not full.
    tiles, place = read(Path(sys.argv[1]).read_text().split("program ")[-2])
    begin = {key: min(stamps[1] for stamps in warps) for key, warps in tiles.items()}
    end = {key: max(stamps[14] for stamps in warps) for key, warps in tiles.items()}
    together = defaultdict(list)
    for key in tiles:
        together[place[key[0]]].append(key)
    groups = defaultdict(list)
    for key, warps in tiles.items():
        others = [k for k in together[place[key[0]]] if k[0] != key[0]]
        both = sum(max(0, min(end[key], end[k]) - max(begin[key], begin[k])) for k in others)
        share = both / (end[key] - begin[key])
        groups["shared" if share > 0.6 else "alone" if share < 0.1 else "partly"].append(warps)
    for group, members in groups.items():
        length = fmean(max(s[14] for s in w) - min(s[1] for s in w) for w in members)
        print(f"{group}: {len(members)} tiles, {length:.0f} cycles")
        slices = [i for i in range(3, 10) if all(members[0][0][1:i])]
        places = [1, 2, *(i for i in slices if members[0][0][i]), 11, 12, 13, 14]
        for a, b in zip(places, places[1:]):
            print(f"  {a:2} to {b:2}: {fmean(s[b] - s[a] for w in members for s in w):5.0f}")


main()
