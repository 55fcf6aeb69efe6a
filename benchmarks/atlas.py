"""Make docs/atlas.md: how many solutions the bundled shapes have, each number found by two engines.

Takes every convex board of 24 and 25 cells, the doubled hexiamonds and the players' figures, each with the 24
tiles where they suffice, with the 25, and with MacMahon's tiles and a border of one colour. A count that the two
engines don't agree on stops the script. It runs for some minutes, and writes a picture of a solution for each
row beside the page.

    python benchmarks/atlas.py docs/atlas.md
    python benchmarks/atlas.py atlas.md --only hexagon,eagle
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import trisolve as ts
from trisolve import shapefile

CONVEX = {
    "convex boards of 24 cells": ("hexagon parallelogram-4x3 parallelogram-6x2 strip-12 trapezoid-5-1 trapezoid-7-5"),
    "convex boards of 25 cells": "triangle-5 hexagon-412321 trapezoid-13-12",
}


def sections() -> dict[str, list[str]]:
    """The shapes of each section, by name."""
    found = {title: names.split() for title, names in CONVEX.items()}
    found["doubled hexiamonds"] = [n for n in shapefile.bundled() if n.startswith("hexiamond-")]
    found["figures"] = ["eagle", "seated-man", "star", "ring"]
    return found


def counted(puzzle: ts.Puzzle) -> tuple[int, float, str]:
    """The number of solutions by two engines, the seconds of the faster one, and both names."""
    results = []
    for engine in ("frontier", "sweep"):
        began = time.monotonic()
        number = int(ts.count(puzzle, engine=engine))
        results.append((time.monotonic() - began, number, engine))
    if results[0][1] != results[1][1]:
        raise SystemExit(f"{puzzle}: {results[0][1]:,} by {results[0][2]}, {results[1][1]:,} by {results[1][2]}")
    return results[0][1], min(results)[0], " and ".join(engine for _, _, engine in results)


def row(name: str, tiles: str, folder: Path) -> str | None:
    """A line of the table, or None where the tiles don't suffice."""
    board = ts.load(name).board
    macmahon = tiles == "macmahon"
    puzzle = ts.Puzzle(board, tiles, border=1 if macmahon else None, name=name, title=f"{name}, {tiles}")
    if puzzle.supply.total < len(board):
        return None
    number, seconds, _ = counted(puzzle)
    group = ts.group(puzzle)
    orbits = int(ts.count(puzzle, up_to="symmetry")) if number else 0
    picture = ""
    if number:
        solution = ts.solve(puzzle)
        assert solution is not None
        if not ts.verify(puzzle, solution):
            raise SystemExit(f"{puzzle}: a solution that isn't one")
        file = folder / f"{name}-{tiles}.svg"
        file.write_text(str(solution.svg()), encoding="utf-8")
        picture = f'<img src="{folder.name}/{file.name}" width="120" alt="a solution of {name} with {tiles}">'
    print(f"{name} {tiles}: {number:,} solutions, {orbits:,} orbits, {seconds:.2f} s", file=sys.stderr, flush=True)
    shown = "macmahon, border 1" if macmahon else tiles
    return (
        f"| {name} | {len(board)} | {shown} | {number:,} | {orbits:,} | {group.order:,} | {seconds:.2f} | {picture} |"
    )


def main() -> int:
    """Write the page."""
    parser = argparse.ArgumentParser(description="Write the atlas of numbers of solutions.")
    parser.add_argument("page", type=Path, help="the Markdown file to write")
    parser.add_argument("--only", default="", help="shapes, separated by commas")
    options = parser.parse_args()
    only = {name for name in options.only.split(",") if name}
    folder = options.page.parent / "atlas"
    folder.mkdir(parents=True, exist_ok=True)
    lines = [
        "# The numbers",
        "",
        "Written by `python benchmarks/atlas.py docs/atlas.md`. Every number of solutions was found twice, by the",
        "engines `frontier` and `sweep`; *seconds* are those of the faster one, on two processors.",
        "*Orbits* are solutions up to the whole group of the puzzle, whose order stands beside them. With MacMahon's",
        "tiles the edges must match, and the whole outer border has colour 1.",
    ]
    for title, names in sections().items():
        chosen = [name for name in names if not only or name in only]
        if not chosen:
            continue
        lines += ["", f"## {title[0].upper()}{title[1:]}", ""]
        lines += [
            "| shape | cells | tiles | solutions | orbits | group | seconds | a solution |",
            "|---|--:|---|--:|--:|--:|--:|---|",
        ]
        for name in chosen:
            for tiles in ("trioker-24", "trioker", "macmahon"):
                line = row(name, tiles, folder)
                if line:
                    lines.append(line)
    options.page.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
