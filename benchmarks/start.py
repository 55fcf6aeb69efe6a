"""How long a new process takes: the first solution of every bundled shape, and the start itself.

Each shape is solved by `trisolve solve` in a process of its own with an empty kernel cache, as on the first
day. The start is compared with `python -c "import numpy, pydantic, click"`, run in turn with
`trisolve solve hexagon`, so that both see the same machine.

    python benchmarks/start.py
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time

from trisolve import shapefile

ROUNDS = 9

LIMIT = 120
"""Seconds for a shape."""

IMPOSSIBLE = ("hexagon-24", "triominoes-hexagon")
"""Shapes that have no solution."""


def seconds(arguments: list[str]) -> tuple[float, int]:
    """Seconds on the clock of a new process with an empty kernel cache, and its exit status."""
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | {"NUMBA_CACHE_DIR": cache}
        began = time.perf_counter()
        done = subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, check=False)
        return time.perf_counter() - began, done.returncode


def main() -> int:
    """Print the table; the exit status is 1 when a shape that has solutions wasn't solved."""
    imports = ["-c", "import numpy, pydantic, click"]
    hexagon = ["-m", "trisolve", "solve", "hexagon"]
    seconds(imports), seconds(hexagon)
    pairs = [(seconds(imports)[0], seconds(hexagon)[0]) for _ in range(ROUNDS)]
    first, second = (statistics.median(times) for times in zip(*pairs, strict=True))
    ratio = statistics.median(b / a for a, b in pairs)
    print(f"import numpy, pydantic, click: {first:.2f} s; trisolve solve hexagon: {second:.2f} s; {ratio:.2f} times\n")
    print("| shape | seconds to the first solution |\n|---|--:|")
    slowest = 0.0
    wrong = []
    for name in shapefile.bundled():
        took, status = seconds(["-m", "trisolve", "solve", name, "--time-limit", str(LIMIT)])
        slowest = max(slowest, took)
        shown = {0: f"{took:.2f}", 1: f"{took:.2f} (has none)", 3: f"> {LIMIT}"}.get(status, f"exit status {status}")
        if status != (name in IMPOSSIBLE):
            wrong.append(name)
        print(f"| {name} | {shown} |", flush=True)
    print(f"\nslowest: {slowest:.1f} s" + (f"; wrong: {', '.join(wrong)}" if wrong else ""))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
