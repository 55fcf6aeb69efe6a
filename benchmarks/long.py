"""Long counts: what a checkpoint costs, what a second worker brings, and how parts and time grow with the board.

The count is of a strip of 19 cells with tiles of 0 to 4 pips, about a minute on two processors. With and without
a checkpoint, and with one worker, it runs in turn, each time in a new process, so that a machine that slows
down slows all of them.

    python benchmarks/long.py
    python benchmarks/long.py --rounds 1 --quick
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from trisolve import checkpoint

SHAPE = """\
name: long
tiles: complete-5
board:
  hexagon: {sides}
"""

LONG = 19
QUICK = 15

GROWTH = (11, 13, 15, 17)
"""Cells of the strips in the table of growth."""


def strip(cells: int) -> list[int]:
    """The side lengths of a strip of an odd number of cells."""
    return [(cells + 1) // 2, 0, 1, (cells - 1) // 2, 1, 0]


def count(folder: str, cells: int, *options: str) -> tuple[float, str]:
    """Seconds of the count alone, and what is printed, of a new process."""
    shape = Path(folder) / f"strip-{cells}.yaml"
    shape.write_text(SHAPE.format(sides=strip(cells)), encoding="utf-8")
    command = [sys.executable, "-m", "trisolve", "count", str(shape), "--engine", "sweep", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds = re.search(r"solutions?, ([0-9.]+) s,", done.stderr)
    assert seconds, done.stderr
    return float(seconds[1]), done.stdout.strip()


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description="What checkpoints and workers do to a long count.")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each (3)")
    parser.add_argument("--quick", action="store_true", help="a count of seconds instead of a minute")
    options = parser.parse_args()
    cells = QUICK if options.quick else LONG
    runs: dict[str, list[float]] = {"without a checkpoint": [], "with one": [], "one worker": []}
    answers = set()
    with tempfile.TemporaryDirectory() as folder:
        count(folder, GROWTH[-1])  # compiles the kernel
        for i in range(options.rounds):
            path = Path(folder) / f"count-{i}"
            how = {"with one": ("--checkpoint", str(path)), "one worker": ("--workers", "1")}
            for name, times in runs.items():
                seconds, answer = count(folder, cells, *how.get(name, ()))
                times.append(seconds)
                answers.add(answer)
                print(f"{name}: {seconds:.2f} s", file=sys.stderr, flush=True)
        kept = checkpoint.read(path)
        size = path.stat().st_size
        growth = []
        for fewer in GROWTH:
            small = Path(folder) / f"growth-{fewer}"
            seconds, answer = count(folder, fewer, "--checkpoint", str(small))
            growth.append((fewer, int(answer), checkpoint.read(small), seconds))
    assert len(answers) == 1, answers
    without, having, alone = (statistics.median(times) for times in runs.values())
    growth.append((cells, int(answers.pop()), kept, having))
    print(f"{cells} cells, {kept.done:,} parts, a checkpoint of {size:,} bytes; medians of {options.rounds}")
    print(f"without a checkpoint  {without:.2f} s")
    print(f"with one              {having:.2f} s, {having / without - 1:+.1%}")
    print(f"one worker            {alone:.2f} s, {alone / without:.2f} times as long")
    print(f"processors            {os.cpu_count()}, load {os.getloadavg()[0]:.1f} at the end")
    print("\n| cells | solutions | nodes | parts | seconds |\n|--:|--:|--:|--:|--:|")
    for number, solutions, progress, seconds in growth:
        print(f"| {number} | {solutions:,} | {progress.nodes:,} | {progress.done:,} | {seconds:.2f} |")


if __name__ == "__main__":
    main()
