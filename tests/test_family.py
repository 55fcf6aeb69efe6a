"""The rest of the family: MacMahon's triangles with a border of one colour, Triominoes, paths from 333.

What docs/macmahon.md and docs/triominoes.md prove is checked here against counts by engines, and against
solutions: a proof that one of them contradicted would be wrong.
"""

from __future__ import annotations

import json
from collections import Counter
from itertools import islice
from math import isqrt
from typing import Any

import pytest
from conftest import ROOT
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import MOST_SOLUTIONS, Filling, boards, filling_of

import trisolve as ts
from trisolve import shapefile
from trisolve.board import Board
from trisolve.engines import Run
from trisolve.lattice import Edge
from trisolve.puzzle import Puzzle
from trisolve.tiles import Supply, Tile, named_set

DOUBLED = [*(name for name in shapefile.bundled() if name.startswith("hexiamond-")), "hexagon"]
"""Boards of the twelve doubled hexiamonds."""

PATHS = [name for name in shapefile.bundled() if name.startswith("trioker-path-")]


def border_edges(board: Board) -> set[Edge]:
    """Edges with a cell on one side only, around holes too."""
    return {side for side, cells in Counter(s for c in board for s in c.sides()).items() if cells == 1}


# -- MacMahon -----------------------------------------------------------------------------------------------


@st.composite
def bordered(draw: st.DrawFn) -> tuple[Puzzle, Filling]:
    """A puzzle with matching edges and a border of one colour, and a solution of it."""
    board = draw(boards(least=1, most=6))
    colour = draw(st.integers(0, 2))
    values = {e: colour if e in board.outer_edges else draw(st.integers(0, 2)) for e in board.edges}
    filling = {cell: "".join(str(values[side]) for side in cell.sides()) for cell in board}
    spare = draw(st.lists(st.text("012W", min_size=3, max_size=3).map(Tile), max_size=5))
    border: Any = draw(st.sampled_from(["same", colour]))
    supply = Supply.of([*filling.values(), *spare])
    return Puzzle(board, supply, match="edges", border=border), frozenset(filling.items())


@pytest.mark.parametrize("engine", ["auto", "dlx", "sweep", "cpsat", "frontier"])
@settings(max_examples=60)
@given(drawn=bordered())
def test_every_engine_matches_edges_with_a_border_of_one_colour(engine: str, drawn: tuple[Puzzle, Filling]) -> None:
    puzzle, known = drawn
    found = list(islice(Run(puzzle, engine="reference"), MOST_SOLUTIONS + 1))
    assume(len(found) <= MOST_SOLUTIONS)
    assert all(ts.verify(puzzle, s) for s in found)
    expected = set(map(filling_of, found))
    assert known in expected
    assert ts.count(puzzle, engine=engine) == len(expected)
    if engine != "frontier":
        assert {filling_of(s) for s in Run(puzzle, engine=engine)} == expected


def sharp_corners(board: Board) -> int:
    """Cells with two sides on the border."""
    rim = border_edges(board)
    return sum(sum(side in rim for side in cell.sides()) == 2 for cell in board)


@pytest.mark.parametrize("name", DOUBLED)
def test_a_doubled_hexiamond_takes_a_border_of_one_colour_if_it_has_four_sharp_corners(name: str) -> None:
    board = ts.load(name).board
    length = len(border_edges(board))
    assert length == (12 if name == "hexagon" else 16)
    if name != "hexagon":
        number = ts.count(Puzzle(board, "macmahon", border=1), engine="frontier")
        assert (number > 0) == (sharp_corners(board) == 4) == (name == "hexiamond-butterfly")


@pytest.mark.parametrize("engine", ["frontier", "sweep"])
def test_macmahons_butterfly(engine: str) -> None:
    puzzle = ts.load("macmahon-butterfly")
    assert puzzle.board == ts.load("hexiamond-butterfly").board
    assert ts.count(puzzle, engine=engine) == 868_608


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in DOUBLED if name not in ("hexiamond-butterfly", "hexagon")])
def test_the_ten_others_have_no_border_of_one_colour(name: str) -> None:
    assert ts.count(Puzzle(ts.load(name).board, "macmahon", border=1), engine="sweep") == 0


# -- Triominoes ---------------------------------------------------------------------------------------------


def steps(tiles: Supply) -> Counter[tuple[str, str]]:
    """How many sides of the tiles lead from one value to another, read anticlockwise."""
    found: Counter[tuple[str, str]] = Counter()
    for tile, copies in tiles.items():
        for k in range(3):
            found[tile.text[k], tile.text[k - 2]] += copies
    return found


def border_needed(tiles: Supply) -> int:
    """Edges that a border must have if all these tiles lie on a board."""
    sides = steps(tiles)
    excess = sum(abs(sides[a, b] - sides[b, a]) for a, b in sides if a < b)
    return excess + sum(sides[a, b] % 2 for a, b in sides if a == b)


def test_border_that_the_sets_need() -> None:
    needed = {name: border_needed(named_set(name).supply()) for name in ("triominoes", "triominoes-6", "complete-6")}
    assert needed == {"triominoes": 36, "triominoes-6": 70, "complete-6": 0}


def convex(cells: int) -> list[list[int]]:
    """Sides of all convex boards with so many cells, several times each."""
    found = []
    for a in range(cells + 1):
        for b in range(cells + 1):
            for c in range(cells + 1):
                rest = (a + b + c) ** 2 - a * a - c * c - cells
                e = isqrt(max(rest, 0))
                if e * e == rest and e <= min(a + b, b + c):
                    found.append([a, b, c, a + b - e, e, b + c - e])
    return found


def corner_residues_fit(board: Board, tiles: Supply) -> bool:
    """True if corner counts can come out right modulo 3 with the points of the board, by trying all ways."""
    values = len(tiles.values)
    need = sum(tile.text.count("0") * copies for tile, copies in tiles.items()) % 3
    reached = {(0,) * values}
    for cells in Counter(p for c in board for p in c.corners()).values():
        if cells % 3:
            reached = {
                tuple(sorted((n + cells) % 3 if i == k else n for i, n in enumerate(state)))
                for state in reached
                for k in range(values)
            }
    return (need,) * values in reached


@pytest.mark.parametrize(
    ("tiles", "number", "left"),
    [
        ("triominoes", 9, set()),
        ("triominoes-6", 8, {(0, 0, 1, 1, 42, 42)}),
        ("complete-6", 9, {(1, 1, 2, 2, 12, 12), (2, 2, 4, 4, 5, 5), (2, 2, 4, 4, 4, 6)}),
    ],
)
def test_convex_boards_that_arguments_leave(tiles: str, number: int, left: set[tuple[int, ...]]) -> None:
    supply = named_set(tiles).supply()
    classes = {tuple(sorted(sides)): sides for sides in convex(supply.total)}
    assert len(classes) == number
    kept = set()
    for key, sides in classes.items():
        board = Board.hexagon(sides)
        if len(border_edges(board)) >= border_needed(supply) and corner_residues_fit(board, supply):
            kept.add(key)
    assert kept == left


@settings(max_examples=60)
@given(board=boards(least=1, most=7), data=st.data())
def test_border_of_a_filling_makes_up_for_what_the_tiles_lack(board: Board, data: st.DataObject) -> None:
    value = {p: data.draw(st.sampled_from("0123")) for p in board.points}
    tiles = Supply.of("".join(value[p] for p in cell.corners()) for cell in board)
    assert len(border_edges(board)) >= border_needed(tiles)


@pytest.mark.parametrize("engine", ["dlx", "cpsat", "sweep"])
def test_triominoes_do_not_fill_the_hexagon(engine: str) -> None:
    puzzle = ts.load("triominoes-hexagon")
    spare = puzzle.supply.total - len(puzzle.board)
    assert len(border_edges(puzzle.board)) == 18 < border_needed(puzzle.supply) - 3 * spare == 30
    assert ts.count(puzzle, engine=engine) == 0


@pytest.mark.parametrize("name", ["triominoes-ring", "triominoes-6-ring", "complete-6-hexagon"])
def test_boards_for_triominoes_have_fillings(name: str) -> None:
    puzzle = ts.load(name)
    found = ts.solve(puzzle)
    assert found is not None
    assert ts.verify(puzzle, found)


def test_all_76_tiles_fill_the_long_hexagon() -> None:
    puzzle = ts.load("complete-6-76")
    (cells,) = json.loads((ROOT / "docs" / "complete-6-76.json").read_text(encoding="utf-8"))["solutions"]
    assert puzzle.supply.total == len(cells["cells"]) == 76
    assert ts.verify(puzzle, cells["cells"])


@pytest.mark.slow
@pytest.mark.parametrize("seed", [None, 1])
def test_a_large_board_for_the_76_tiles_has_a_filling(seed: int | None) -> None:
    puzzle = ts.load("complete-6-69")
    found = ts.solve(puzzle, engine="cpsat", seed=seed)
    assert found is not None
    assert ts.verify(puzzle, found)


# -- paths from 333 -----------------------------------------------------------------------------------------


def test_paths_begin_with_333_at_the_left() -> None:
    assert len(PATHS) == 6
    for name in PATHS:
        puzzle = ts.load(name)
        (clue,) = puzzle.clues
        assert clue.tile == Tile("333")  # type: ignore[union-attr]
        assert clue.cell == min(puzzle.board, key=lambda cell: cell.column)  # type: ignore[union-attr]
        assert len({cell.row for cell in puzzle.board}) == int(name.split("-")[2])
        assert puzzle.supply.total == len(puzzle.board)


@pytest.mark.parametrize("name", PATHS)
def test_paths_have_as_many_solutions_as_their_files_say(name: str) -> None:
    text = (ROOT / "shapes" / f"{name}.yaml").read_text(encoding="utf-8")
    puzzle = ts.load(name)
    for engine in ("sweep", "frontier"):
        assert f"# Solutions: {ts.count(puzzle, engine=engine):,}\n" in text
