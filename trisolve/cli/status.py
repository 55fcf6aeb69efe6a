"""The exit statuses of the command, and what is said the same way by several commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trisolve.puzzle import Puzzle

DONE = 0
NO_SOLUTION = 1
BAD_INPUT = 2
STOPPED = 3
INTERRUPTED = 130
CRASHED = 70
CLOSED_PIPE = 141

EXIT = {
    "solved": DONE,
    "complete": DONE,
    "infeasible": NO_SOLUTION,
    "limit": STOPPED,
    "interrupted": INTERRUPTED,
}
"""The exit status for each status of a run."""


def load(puzzle: str, tiles: str | None) -> Puzzle:
    from trisolve.puzzle import Puzzle

    return Puzzle.load(puzzle, tiles)


def duration(seconds: float) -> str:
    """A time in the units that suit it, like 3 h 20 min."""
    whole = round(seconds)
    for size, unit, smaller in ((86400, "d", "h"), (3600, "h", "min"), (60, "min", "s")):
        if whole >= size:
            return f"{whole // size} {unit} {whole % size // (size // (24 if unit == 'd' else 60))} {smaller}"
    return f"{seconds:.1f} s"
