"""Solve, enumerate and count tiling puzzles of the Trioker family.

>>> import trisolve as ts
>>> puzzle = ts.Puzzle(ts.Board.triangle(2), "trioker-24")
>>> int(ts.count(puzzle))
2184

Names are loaded when they are first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

# As in typing, which takes longer to load than all that is here.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from trisolve.board import Board as Board
    from trisolve.display import Gallery as Gallery
    from trisolve.engines import Count as Count
    from trisolve.engines import Run as Run
    from trisolve.engines import count as count
    from trisolve.engines import solutions as solutions
    from trisolve.engines import solve as solve
    from trisolve.engines.estimating import Estimate as Estimate
    from trisolve.engines.estimating import estimate as estimate
    from trisolve.engines.optimizing import Best as Best
    from trisolve.engines.optimizing import best as best
    from trisolve.engines.reasons import Reason as Reason
    from trisolve.engines.reasons import reason as reason
    from trisolve.engines.sampling import sample as sample
    from trisolve.lattice import Cell as Cell
    from trisolve.lattice import Edge as Edge
    from trisolve.lattice import Point as Point
    from trisolve.position import Move as Move
    from trisolve.position import Position as Position
    from trisolve.puzzle import Puzzle as Puzzle
    from trisolve.puzzle import PuzzleError as PuzzleError
    from trisolve.solution import Solution as Solution
    from trisolve.solution import canonical as canonical
    from trisolve.solution import verify as verify
    from trisolve.symmetry import Group as Group
    from trisolve.symmetry import group as group
    from trisolve.tiles import Supply as Supply
    from trisolve.tiles import Tile as Tile

__version__ = "0.1.0"

_HOME = {
    "Best": "engines.optimizing",
    "Board": "board",
    "Cell": "lattice",
    "Count": "engines",
    "Edge": "lattice",
    "Estimate": "engines.estimating",
    "Gallery": "display",
    "Group": "symmetry",
    "Move": "position",
    "Point": "lattice",
    "Position": "position",
    "Puzzle": "puzzle",
    "PuzzleError": "puzzle",
    "Reason": "engines.reasons",
    "Run": "engines",
    "Solution": "solution",
    "Supply": "tiles",
    "Tile": "tiles",
    "best": "engines.optimizing",
    "canonical": "solution",
    "count": "engines",
    "estimate": "engines.estimating",
    "group": "symmetry",
    "reason": "engines.reasons",
    "sample": "engines.sampling",
    "solutions": "engines",
    "solve": "engines",
    "verify": "solution",
}

__all__ = ["__version__", "load", *_HOME]


def load(puzzle: str, tiles: str | None = None) -> Puzzle:
    """The puzzle in a shape file, or the bundled one of that name; see :meth:`Puzzle.load`."""
    from trisolve.puzzle import Puzzle

    return Puzzle.load(puzzle, tiles)


def load_ipython_extension(shell: Any) -> None:
    """``%load_ext trisolve`` in a notebook: plain lists of solutions show as galleries too."""
    from trisolve.display import gallery_html

    shell.display_formatter.formatters["text/html"].for_type(list, gallery_html)


def unload_ipython_extension(shell: Any) -> None:
    """``%unload_ext trisolve``: lists show as lists again."""
    shell.display_formatter.formatters["text/html"].pop(list, None)


def __getattr__(name: str) -> Any:
    if name in _HOME:
        from importlib import import_module

        return getattr(import_module(f"trisolve.{_HOME[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
