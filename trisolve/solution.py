"""A solution, and the check that a solution is one.

A :class:`Solution` is a placed tile for every cell that is filled. :func:`verify` reads it the way a careful
person would, lattice point by lattice point, from the puzzle alone: it uses neither the encoding nor the
puzzle's table of nodes, so a mistake in what the engines eat can't hide here.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from trisolve.board import Board, BoardError
from trisolve.display import Displayed
from trisolve.lattice import Cell, Edge, Point
from trisolve.puzzle import FillClue, Puzzle, TileClue, ValueClue
from trisolve.symmetry import UpTo, group
from trisolve.tiles import WILD, Tile


class Solution(Displayed, Mapping[str, str]):
    """A filling of a puzzle: cell name to placed tile, values anticlockwise from corner (or side) 0.

    With ``fill: tiles`` the cells that stay empty are not in it. ``cells`` maps the cells themselves. A solution
    need not be right; :func:`verify` tells.
    """

    def __init__(self, puzzle: Puzzle, cells: Mapping[Cell, str]) -> None:
        self.puzzle = puzzle
        self.cells = dict(cells)

    def __getitem__(self, name: str) -> str:
        try:
            return self.cells[self.puzzle.board.cell(name)]
        except BoardError:
            raise KeyError(name) from None

    def __iter__(self) -> Iterator[str]:
        return (self.puzzle.board.name(cell) for cell in self.cells)

    def __len__(self) -> int:
        return len(self.cells)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Solution):
            return NotImplemented
        return self.cells == other.cells and self.puzzle.board == other.puzzle.board

    def __hash__(self) -> int:
        return hash(frozenset(self.cells.items()))

    def __repr__(self) -> str:
        named = f"{self.puzzle.name}: " if self.puzzle.name else ""
        return f"Solution({named}{len(self)} cells)"

    def as_json(self) -> dict[str, dict[str, str]]:
        """The solution as the command line writes it: ``{"cells": {"r1c2": "012", ...}}``."""
        return {"cells": dict(self)}


def canonical(solution: Solution, up_to: UpTo = "symmetry") -> Solution:
    """The least of the solutions that symmetries of the puzzle make of this one; see :meth:`Group.canonical`.

    Raises ValueError when not every cell holds a tile of the supply, or for an unknown ``up_to``.
    """
    return Solution(solution.puzzle, group(solution.puzzle, up_to).canonical(solution.cells))


@dataclass(frozen=True)
class Verdict:
    """What :func:`verify` found; true when nothing is wrong. ``problems`` has a sentence for each mistake."""

    problems: tuple[str, ...]

    def __bool__(self) -> bool:
        return not self.problems

    def __str__(self) -> str:
        return "\n".join(self.problems) or "correct"


def verify(puzzle: Puzzle, solution: Mapping[str, str]) -> Verdict:
    """Check a solution, or a plain mapping of cell names to placed tiles, against a puzzle.

    Takes O(n) time. Never raises for a wrong solution, whatever its keys and values.
    """
    board = puzzle.board
    problems: list[str] = []
    placed: dict[Cell, str] = {}
    used: Counter[Tile] = Counter()
    given = solution.cells if isinstance(solution, Solution) else solution
    for name, text in given.items():
        try:
            cell, tile = (_on(board, name) if isinstance(name, tuple) else board.cell(str(name))), Tile(text)
        except ValueError as error:
            problems.append(str(error))
            continue
        name = board.name(cell)
        placed[cell] = text
        used[tile] += 1
        have = puzzle.supply.copies(tile)
        if used[tile] == have + 1:
            problems.append(f"{name}: tile {tile} is used more often than the supply has it ({have})")
    if puzzle.fill == "board":
        problems += [f"{board.name(cell)} is not filled" for cell in board if cell not in placed]
    else:
        for tile, have in puzzle.supply.items():
            if used[tile] < have:
                problems.append(f"tile {tile}: {used[tile]:,} placed, expected {have:,}")
        apart = _apart(placed)
        if apart is not None:
            problems.append(f"the filled cells are not connected: {' and '.join(map(board.name, apart))} are apart")

    shown: defaultdict[Point | Edge, dict[str, str]] = defaultdict(dict)
    for cell, text in placed.items():
        places: tuple[Point | Edge, ...] = cell.corners() if puzzle.match == "corners" else cell.sides()
        for place, value in zip(places, text, strict=True):
            if value != WILD:
                shown[place].setdefault(value, board.name(cell))
    what = "corners" if puzzle.match == "corners" else "sides"
    for values in shown.values():
        if len(values) > 1:
            said = ", ".join(f"{cell} shows {value}" for value, cell in sorted(values.items()))
            problems.append(f"{what} that meet don't agree: {said}")

    rim: set[Point | Edge] = set()
    if puzzle.border is not None:
        edges = board.outer_edges
        rim = set(edges) if puzzle.match == "edges" else {p for e in edges for p in (e.start, e.end)}
        on_rim = {value for place in rim for value in shown.get(place, {})}
        if puzzle.border == "same":
            # A clue about one place of the border is about all of it, even where a wild corner hides the value.
            on_rim |= {str(clue.value) for clue in puzzle.clues if isinstance(clue, ValueClue) and clue.node in rim}
        if puzzle.border == "same" and len(on_rim) > 1:
            problems.append(f"the outer border shows {', '.join(sorted(on_rim))}: expected one value")
        elif puzzle.border != "same" and on_rim - {str(puzzle.border)}:
            problems.append(f"the outer border shows {', '.join(sorted(on_rim))}: expected {puzzle.border}")
    for i, clue in enumerate(puzzle.clues, 1):
        if isinstance(clue, TileClue):
            text = placed.get(clue.cell, "")
            if text and (Tile(text) != clue.tile or (clue.placed or text) != text):
                expected = clue.placed or f"{clue.tile} in some orientation"
                problems.append(f"clue {i}: {board.name(clue.cell)} holds {text}, expected {expected}")
            elif not text and puzzle.fill == "tiles":
                problems.append(f"clue {i}: {board.name(clue.cell)} is empty, expected {clue.placed or clue.tile}")
        elif isinstance(clue, FillClue):
            if (clue.cell in placed) != clue.filled:
                found = "is empty, expected a tile" if clue.filled else f"holds {placed[clue.cell]}, expected nothing"
                problems.append(f"clue {i}: {board.name(clue.cell)} {found}")
        else:
            wrong = set(shown.get(clue.node, {})) - {str(clue.value)}
            if wrong:
                where = puzzle.spot_name(clue.node)
                problems.append(f"clue {i}: {where} shows {', '.join(sorted(wrong))}, expected {clue.value}")
    return Verdict(tuple(problems))


def _apart(placed: Mapping[Cell, str]) -> tuple[Cell, Cell] | None:
    """Two filled cells that no path across edges of filled cells joins, or None."""
    waiting = [min(placed)] if placed else []
    reached = set(waiting)
    while waiting:
        for cell in waiting.pop().neighbours():
            if cell in placed and cell not in reached:
                reached.add(cell)
                waiting.append(cell)
    return next(((min(placed), cell) for cell in placed if cell not in reached), None)


def _on(board: Board, cell: tuple[object, ...]) -> Cell:
    if cell not in board:
        raise BoardError(f"{tuple(cell)!r} is not a cell of the board")
    return Cell(*cell)  # type: ignore[arg-type]
