"""Random boards, supplies and puzzles for hypothesis, shared by all tests.

Boards are grown cell by cell, through edges, through points and now and then by a jump, so that holes,
point contacts and several parts are common among them. Most puzzles are built around a random filling: the
clues, and enough copies of the tiles, are read off it, so that a solution exists; the others are left to
chance. All are small enough for the reference engine.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

from hypothesis import assume, reject
from hypothesis import strategies as st

from trisolve.board import Board
from trisolve.engines import Run
from trisolve.lattice import CORNER_NAMES, SIDE_NAMES, SYMMETRIES, Cell, Symmetry
from trisolve.puzzle import Puzzle, PuzzleError
from trisolve.solution import Solution
from trisolve.tiles import SETS, WILD, Supply, Tile, rotations

MOST_SOLUTIONS = 1000
"""Puzzles with more solutions are drawn anew."""

cells = st.builds(Cell, st.integers(-9, 9), st.integers(-9, 9), st.booleans())

symmetries: st.SearchStrategy[Symmetry] = st.builds(
    Symmetry.shifted, st.sampled_from(SYMMETRIES), st.integers(-5, 5), st.integers(-5, 5)
)

tiles = st.text("0123" + WILD, min_size=3, max_size=3).map(Tile)


@st.composite
def boards(draw: st.DrawFn, least: int = 0, most: int = 7) -> Board:
    """A board of ``least`` to ``most`` cells."""
    size = draw(st.sampled_from(range(least, most + 1)))
    grown: list[Cell] = []
    while len(grown) < size:
        way = draw(st.sampled_from("eeeeppj")) if grown else "j"
        if way == "j":
            new = {draw(cells)}
        else:
            start = draw(st.sampled_from(grown))
            new = set(start.neighbours()) if way == "e" else {n for p in start.corners() for n in p.cells()}
        free = sorted(new - set(grown))
        if free:
            grown.append(draw(st.sampled_from(free)))
    return Board(grown)


@st.composite
def dense_boards(draw: st.DrawFn, width: int = 7, height: int = 6) -> Board:
    """A board of many cells in a small frame, where holes and holes in islands in holes are likely."""
    frame = [Cell(x, y, up) for y in range(height) for x in range(width) for up in (True, False)]
    kept = draw(st.lists(st.integers(0, 3), min_size=len(frame), max_size=len(frame)))
    return Board(cell for cell, keep in zip(frame, kept, strict=True) if keep)


@st.composite
def supplies(draw: st.DrawFn) -> Supply:
    """A named set (some with copies or jokers), or a list of tiles, wild ones among them."""
    way = draw(st.sampled_from(["set", "copies", "jokers", "list", "list"]))
    if way == "list":
        supply = Supply.of(draw(st.lists(tiles, max_size=12)))
        return supply.times(draw(st.integers(1, 3)))
    names = "trioker-24 trioker trioker-even trioker-odd macmahon complete-1 complete-2 complete-3 triominoes"
    supply = SETS[draw(st.sampled_from(names.split()))].supply()
    if way == "copies":
        return supply.times(draw(st.integers(0, 3)))
    if way == "jokers":
        return supply.with_jokers(draw(st.integers(0, 3)))
    return supply


@st.composite
def fillings(draw: st.DrawFn, board: Board, match: str) -> dict[Cell, str]:
    """Placed tiles that agree everywhere: random values at the nodes, some corners wild."""
    values: dict[Any, str] = {}
    filling = {}
    for cell in board:
        places = cell.corners() if match == "corners" else cell.sides()
        shown = [values.setdefault(p, draw(st.sampled_from("012"))) for p in places]
        wild = draw(st.sampled_from([(), (), (), (), (0,), (1,), (2,), (0, 2), (0, 1, 2)]))
        filling[cell] = "".join(WILD if k in wild else v for k, v in enumerate(shown))
    return filling


@st.composite
def clues(draw: st.DrawFn, board: Board, match: str, filling: dict[Cell, str]) -> list[dict[str, object]]:
    """Up to three clues, as in a shape file, that this filling obeys."""
    what, names = ("corner", CORNER_NAMES) if match == "corners" else ("edge", SIDE_NAMES)
    found: list[dict[str, object]] = []
    for cell in draw(st.lists(st.sampled_from(board.cells), max_size=3)):
        placed, k = filling[cell], draw(st.integers(0, 2))
        part = names[cell.up][k]
        clue: dict[str, object] = {"cell": board.name(cell), "tile": rotations(placed)[k]}
        kind = draw(st.sampled_from(["tile", "placed", "value"]))
        if kind == "placed":
            clue[what] = part
        elif kind == "value" and placed[k] != WILD:
            clue = {what: f"{board.name(cell)}.{part}", "value": int(placed[k])}
        found.append(clue)
    return found


Filling = frozenset[tuple[Cell, str]]
"""The cells of a solution with what lies in them."""


def filling_of(solution: Solution) -> Filling:
    """A solution as a set."""
    return frozenset(solution.cells.items())


@st.composite
def solved_puzzles(draw: st.DrawFn, most: int = 7) -> tuple[Puzzle, frozenset[Filling]]:
    """A puzzle of up to ``most`` cells, and its solutions (to :data:`MOST_SOLUTIONS`) by the reference engine."""
    match = draw(st.sampled_from(["corners", "edges"]))
    border: Any = draw(st.sampled_from([None, None, None, "same", 0, 1]))
    supply = draw(supplies())
    built = draw(st.booleans())
    # A large supply on more than three cells has too many solutions.
    board = draw(boards(most=most if built or len(supply) < 8 else 3))
    given: list[dict[str, object]] = []
    if built and board.cells:
        filling = draw(fillings(board, match))
        spare = draw(st.lists(st.sampled_from(sorted(supply)), max_size=8)) if supply else []
        supply = Supply.of([*(Tile(text) for text in filling.values()), *spare])
        given = draw(clues(board, match, filling))
    try:
        puzzle = Puzzle(board, supply, match=match, border=border, clues=given)
    except PuzzleError:
        reject()
    # With too few tiles, brute force looks into everything before it gives up.
    assume(supply.total >= len(board) or len(board) <= 4)
    found = list(islice(Run(puzzle, engine="reference"), MOST_SOLUTIONS + 1))
    assume(len(found) <= MOST_SOLUTIONS)
    return puzzle, frozenset(map(filling_of, found))


def puzzles(most: int = 7) -> st.SearchStrategy[Puzzle]:
    """The puzzles of :func:`solved_puzzles`, without their solutions."""
    return solved_puzzles(most).map(lambda pair: pair[0])
