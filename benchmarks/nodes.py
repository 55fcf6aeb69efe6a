"""How many nodes each way of searching visits: deterministic, so the same on every machine.

    python benchmarks/nodes.py
    python benchmarks/nodes.py hexagon seated-man

prints the table of docs/how-the-search-works.md: for each puzzle the nodes of engine dlx without and with symmetry,
those of a sweep over cells as expected and as they are, of a sweep over points, and of frontier. Stops when two of them
disagree about the number of solutions. It takes half a minute.
"""

from __future__ import annotations

import sys
from dataclasses import replace

import trisolve as ts
from trisolve.encoding import Encoding, encode
from trisolve.engines import engine_named
from trisolve.engines.base import Request
from trisolve.engines.orbits import reduce
from trisolve.engines.order import sweep_order

PUZZLES = {
    "parallelogram-4x3": "trioker-24",
    "parallelogram-6x2": "trioker-24",
    "triangle-5": "trioker",
    "hexagon": "trioker",
    "seated-man": "trioker-24",
    "eagle": "trioker",
    "strip-12": "trioker-24",
}
"""The puzzles of docs/benchmarks.md, with their tiles."""

COLUMNS = ("solutions", "dlx, plain", "dlx", "cells, expected", "cells", "points", "frontier")


def nodes(e: Encoding, engine: str, counting: bool) -> tuple[int, int]:
    """The number of solutions, and the nodes visited."""
    work = engine_named(engine).start(e, Request(limit=None, counting=counting))
    for _ in work:
        pass
    return work.found, work.nodes


def row(name: str) -> list[int]:
    """What the table says of a puzzle."""
    e = encode(ts.load(name, PUZZLES[name]))
    found = [
        nodes(replace(e, puzzle=None), "dlx", True),
        nodes(e, "dlx", True),
        nodes(e, "sweep", False),
        nodes(e, "sweep", True),
        nodes(e, "frontier", True),
    ]
    totals = {total for total, _ in found}
    if len(totals) > 1:
        raise SystemExit(f"{name}: the engines disagree: {sorted(totals)}")
    plain, dlx, cells, points, frontier = (visited for _, visited in found)
    expected = int(float(f"{sweep_order(e)[1] * reduce(e).work:.2g}"))
    return [totals.pop(), plain, dlx, expected, cells, points, frontier]


def main() -> None:
    """Print the table."""
    print(f"| puzzle | {' | '.join(COLUMNS)} |\n|---|{'--:|' * len(COLUMNS)}")
    for name in sys.argv[1:] or PUZZLES:
        print(f"| {name} | {' | '.join(f'{number:,}' for number in row(name))} |", flush=True)


if __name__ == "__main__":
    main()
