"""The bundled shapes: every file loads, says what it is, and is the board that its name promises.

Three families are complete, and here that is proved from scratch: the convex boards of 24 and 25 cells, by
trying all side lengths; the hexiamonds, by growing them cell by cell; and no puzzle is bundled twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import product
from pathlib import Path

import pytest

import trisolve as ts
from trisolve import shapefile
from trisolve.board import Board
from trisolve.lattice import SYMMETRIES, Cell
from trisolve.puzzle import Puzzle
from trisolve.tiles import Supply, named_set

FOLDER = Path(__file__).parent.parent / "shapes"

TRIOKER, TRIOKER_24, EVEN, MACMAHON, TRIOMINOES, TRIOMINOES_6, COMPLETE_6 = (
    named_set(name).supply()
    for name in ("trioker", "trioker-24", "trioker-even", "macmahon", "triominoes", "triominoes-6", "complete-6")
)
THREE_SETS = TRIOKER_24.times(3)

# Every bundled shape: number of cells and supply.
SHAPES: dict[str, tuple[int, Supply]] = {
    "board-52": (52, THREE_SETS),
    "board-73": (73, THREE_SETS.with_jokers(1)),
    "bordered-hexagon": (6, MACMAHON),
    "complete-6-69": (69, COMPLETE_6),
    "complete-6-76": (76, COMPLETE_6),
    "complete-6-hexagon": (54, COMPLETE_6),
    "eagle": (20, TRIOKER),
    "free-24": (54, TRIOKER_24),
    "free-25": (54, TRIOKER),
    "hexagon": (24, TRIOKER),
    "hexagon-24": (24, TRIOKER_24),
    "hexagon-412321": (25, TRIOKER),
    "hexiamond-bar": (24, TRIOKER),
    "hexiamond-butterfly": (24, TRIOKER),
    "hexiamond-chevron": (24, TRIOKER),
    "hexiamond-crook": (24, TRIOKER),
    "hexiamond-crown": (24, TRIOKER),
    "hexiamond-hook": (24, TRIOKER),
    "hexiamond-lobster": (24, TRIOKER),
    "hexiamond-signpost": (24, TRIOKER),
    "hexiamond-snake": (24, TRIOKER),
    "hexiamond-sphinx": (24, TRIOKER),
    "hexiamond-yacht": (24, TRIOKER),
    "macmahon-butterfly": (24, MACMAHON),
    "macmahon-hexagon": (24, MACMAHON),
    "macmahon-hexagon-same": (24, MACMAHON),
    "parallelogram-4x3": (24, TRIOKER_24),
    "parallelogram-6x2": (24, TRIOKER_24),
    "rhombus": (2, TRIOKER_24),
    "ring": (18, TRIOKER_24),
    "seated-man": (24, TRIOKER),
    "single-cell": (1, TRIOKER_24),
    "small-hexagon": (6, TRIOKER_24),
    "star": (12, TRIOKER_24),
    "strip-12": (24, TRIOKER_24),
    "three-clues": (9, EVEN),
    "tiles-on-board-52": (52, TRIOKER),
    "tiles-on-board-73": (73, TRIOKER),
    "trapezoid": (3, TRIOKER_24),
    "trapezoid-13-12": (25, TRIOKER),
    "trapezoid-5-1": (24, TRIOKER),
    "trapezoid-7-5": (24, TRIOKER),
    "triangle-2": (4, TRIOKER_24),
    "triangle-5": (25, TRIOKER),
    "trioker-path-1": (25, TRIOKER),
    "trioker-path-1-24": (24, TRIOKER_24),
    "trioker-path-2": (25, TRIOKER),
    "trioker-path-2-24": (24, TRIOKER_24),
    "trioker-path-3": (25, TRIOKER),
    "trioker-path-3-24": (24, TRIOKER_24),
    "triominoes-6-ring": (66, TRIOMINOES_6),
    "triominoes-hexagon": (54, TRIOMINOES),
    "triominoes-ring": (48, TRIOMINOES),
    "two-islands": (2, TRIOKER_24),
    "two-points": (2, TRIOKER_24),
}

UNKNOWN = (
    *("board-52", "board-73", "free-24", "free-25", "tiles-on-board-52", "tiles-on-board-73"),
    *("complete-6-69", "complete-6-76", "complete-6-hexagon", "triominoes-6-ring", "triominoes-ring"),
)
"""Shapes whose number of solutions nobody knows here."""

# The bundled convex boards by their sides, anticlockwise from the bottom.
CONVEX: dict[int, dict[str, tuple[int, ...]]] = {
    24: {
        "hexagon": (2, 2, 2, 2, 2, 2),
        "parallelogram-4x3": (4, 3, 0, 4, 3, 0),
        "parallelogram-6x2": (6, 2, 0, 6, 2, 0),
        "strip-12": (12, 1, 0, 12, 1, 0),
        "trapezoid-5-1": (5, 0, 4, 1, 4, 0),
        "trapezoid-7-5": (7, 0, 2, 5, 2, 0),
    },
    25: {
        "hexagon-412321": (4, 1, 2, 3, 2, 1),
        "trapezoid-13-12": (13, 0, 1, 12, 1, 0),
        "triangle-5": (5, 0, 5, 0, 5, 0),
    },
}

# The twelve hexiamonds with the names that recreational mathematics gives them.
HEXIAMONDS = {
    "bar": "^v^v^v",
    "butterfly": "v^v\n^v^",
    "chevron": "^\nv^\n^v\nv",
    "crook": ".v^\n.^v\n^v",
    "crown": "..^\nv^v^v",
    "hexagon": "^v^\nv^v",
    "hook": "v^.^\n.v^v",
    "lobster": "^.^\nv^v\n.v",
    "signpost": "^\nv^v\n^v",
    "snake": "^v\nv^\n^v",
    "sphinx": ".^\n^v^v^",
    "yacht": ".^.^\n^v^v",
}

# The board with the same tiles that stands for a doubled hexiamond which has no file of its own.
STANDS_FOR = {"hexagon": "hexagon"}


def normal(cells: Iterable[Cell]) -> tuple[Cell, ...]:
    """The same for all boards that are congruent, turned over or not; different for others."""

    def moved_to_origin(image: list[Cell]) -> tuple[Cell, ...]:
        x, y = min(c.x for c in image), min(c.y for c in image)
        return tuple(sorted(Cell(c.x - x, c.y - y, c.up) for c in image))

    given = list(cells)
    return min(moved_to_origin([s.cell(c) for c in given]) for s in SYMMETRIES)


def doubled(cells: Iterable[Cell]) -> list[Cell]:
    """The cells with every length times two: four for each."""
    return [part for c in cells for part in Board.outline([(2 * p.x, 2 * p.y) for p in c.corners()])]


def load(name: str) -> Puzzle:
    return Puzzle.load(FOLDER / f"{name}.yaml")


def comment(name: str) -> list[str]:
    """The lines of comment that the file begins with, without their marks."""
    lines = (FOLDER / f"{name}.yaml").read_text(encoding="utf-8").split("\n")
    first = next(i for i, line in enumerate(lines) if not line.startswith("# "))
    return [line[2:] for line in lines[:first]]


def stated(name: str, tiles: str = "") -> int | None:
    """The number of solutions that the file's comment gives (for this tile set), or None."""
    pattern = rf"Solutions{f' with {tiles}' if tiles else ''}: ([0-9,]+)"
    found = [m[1] for line in comment(name) if (m := re.fullmatch(pattern, line))]
    assert len(found) <= 1
    return int(found[0].replace(",", "")) if found else None


def test_the_table_lists_every_file_and_so_does_the_library() -> None:
    files = sorted(p.stem for p in FOLDER.glob("*.yaml"))
    assert files == sorted(SHAPES)
    assert sorted(shapefile.bundled()) == files


@pytest.mark.parametrize("name", SHAPES)
def test_file(name: str) -> None:
    puzzle = load(name)
    cells, supply = SHAPES[name]
    assert (puzzle.name, len(puzzle.board), puzzle.supply) == (name, cells, supply)
    assert puzzle.title
    assert puzzle.source
    assert puzzle.match == ("edges" if supply is MACMAHON else "corners")
    assert len(comment(name)[0]) > 20
    assert Puzzle.load(name).board == puzzle.board


@pytest.mark.parametrize("name", SHAPES)
def test_comment_gives_the_number_of_solutions(name: str) -> None:
    number = stated(name)
    if name in UNKNOWN:
        assert number is None
        return
    assert number is not None
    cells, supply = SHAPES[name]
    assert stated(name, "trioker-24") is None or (cells, supply) == (24, TRIOKER)
    # Whatever fills a board without the joker fills it with the joker at hand.
    assert (stated(name, "trioker-24") or 0) <= number


SLOW = ("macmahon-hexagon", "macmahon-hexagon-same", "triominoes-hexagon", *UNKNOWN)
"""Shapes whose numbers take minutes, or are unknown."""


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in SHAPES if name not in SLOW])
def test_the_number_of_solutions_is_right(name: str) -> None:
    """By two engines; the reference engine is too slow for most of them."""
    puzzle = load(name)
    assert ts.count(puzzle, engine="sweep") == stated(name)
    if len(puzzle.board) > 12:
        assert ts.count(puzzle, engine="frontier") == stated(name)
    other = stated(name, "trioker-24")
    if other is not None:
        assert ts.count(Puzzle(puzzle.board, "trioker-24"), engine="sweep") == other


def test_numbers_of_different_files_agree() -> None:
    assert stated("hexagon-24") == stated("hexagon", "trioker-24") == 0
    assert stated("parallelogram-6x2") == stated("hexiamond-bar", "trioker-24")
    assert stated("macmahon-hexagon-same") == 4 * (stated("macmahon-hexagon") or 0)


def test_no_puzzle_is_bundled_twice() -> None:
    seen: dict[object, str] = {}
    for name in SHAPES:
        p = load(name)
        other = seen.setdefault((normal(p.board), p.supply, p.match, p.border, p.clues), name)
        assert other == name


# -- convex boards ------------------------------------------------------------------------------------------


def convex_boards(cells: int) -> set[tuple[int, ...]]:
    """Side lengths of all convex boards with so many cells, one per class of congruent boards.

    A side of length s has s cells behind it, so no side is longer than the number of cells.
    """
    found = set()
    for a, b, c, d in product(range(cells + 1), repeat=4):
        # The sides close up: a + b = d + e and b + c = e + f.
        e, f = a + b - d, d + c - a
        # The triangle around the board has side a + b + c; three triangles on sides a, c and e are cut off.
        if e >= 0 and f >= 0 and (a + b + c) ** 2 - a * a - c * c - e * e == cells:
            sides = (a, b, c, d, e, f)
            turned = [sides[i:] + sides[:i] for i in range(6)]
            found.add(max(turned + [s[::-1] for s in turned]))
    return found


@pytest.mark.parametrize(("cells", "number"), [(24, 6), (25, 3)])
def test_convex_boards_are_complete(cells: int, number: int) -> None:
    enumerated = convex_boards(cells)
    assert len(enumerated) == number
    boards = {normal(Board.hexagon(sides)) for sides in enumerated}
    assert len(boards) == number
    assert {normal(load(name).board) for name in CONVEX[cells]} == boards


@pytest.mark.parametrize(("name", "sides"), [item for group in CONVEX.values() for item in group.items()])
def test_convex_board_has_the_sides_it_says(name: str, sides: tuple[int, ...]) -> None:
    assert normal(load(name).board) == normal(Board.hexagon(sides))


# -- hexiamonds ---------------------------------------------------------------------------------------------


def polyiamonds(cells: int) -> set[tuple[Cell, ...]]:
    """The free polyiamonds of so many cells, grown cell by cell."""
    found = {normal([Cell(0, 0, True)])}
    for _ in range(cells - 1):
        found = {
            normal({*shape, new}) for shape in found for cell in shape for new in cell.neighbours() if new not in shape
        }
    return found


def test_free_polyiamonds_are_as_many_as_known() -> None:
    assert [len(polyiamonds(n)) for n in range(1, 7)] == [1, 1, 1, 3, 4, 12]


def test_twelve_hexiamonds_doubled() -> None:
    grown = {normal(doubled(shape)) for shape in polyiamonds(6)}
    bundled = {name: normal(load(STANDS_FOR.get(name, f"hexiamond-{name}")).board) for name in HEXIAMONDS}
    assert len(bundled) == len(set(bundled.values())) == 12
    assert set(bundled.values()) == grown
    assert sum(name.startswith("hexiamond-") for name in SHAPES) == 12 - len(STANDS_FOR)


@pytest.mark.parametrize("name", HEXIAMONDS)
def test_hexiamond_has_the_right_name(name: str) -> None:
    bundled = load(STANDS_FOR.get(name, f"hexiamond-{name}"))
    assert bundled.supply == TRIOKER
    assert normal(bundled.board) == normal(doubled(Board.drawing(HEXIAMONDS[name])))


# -- the others ---------------------------------------------------------------------------------------------


def test_board_73_takes_every_tile_and_board_52_is_its_inner_part() -> None:
    large, small = load("board-73"), load("board-52")
    assert large.supply.total == len(large.board) == 73
    assert small.supply.total == 72
    # Each strip along a side of length 3 is a row of 2*3 + 1 cells, and the strips don't overlap.
    assert len(large.board) - len(small.board) == 3 * 7
    assert {Cell(c.x, c.y + 1, c.up) for c in small.board} < set(large.board)


# The outlines by which these figures are handed on, corner by corner.
EAGLE = "0,0 0,1 -1,1 -1,2 -1,3 0,3 1,3 1,4 2,4 3,3 2,3 2,2 2,1 3,0 2,0 1,0"
SEATED_MAN = "0,0 0,1 0,2 1,2 2,1 2,2 2,3 1,3 0,4 0,5 1,5 2,4 3,3 4,2 4,1 4,0 3,0 2,0 1,1 1,0"


@pytest.mark.parametrize(
    ("name", "outline"), [("eagle", EAGLE), ("seated-man", SEATED_MAN)], ids=["eagle", "seated-man"]
)
def test_figure_stands_as_its_outline_does(name: str, outline: str) -> None:
    drawn = load(name).board
    cells = Board.outline([(int(x), int(y)) for x, y in (point.split(",") for point in outline.split())])
    assert drawn.names() == cells.names()
    assert drawn.cells[0].up == cells.cells[0].up


def test_small_boards_are_what_they_say() -> None:
    hexagon, star, ring = (load(name).board for name in ("small-hexagon", "star", "ring"))
    assert normal(hexagon) == normal(Board.hexagon([1] * 6)) == normal(load("bordered-hexagon").board)
    inner = [c for c in star if all(n in star for n in c.neighbours())]
    assert normal(inner) == normal(hexagon)
    whole = Board.hexagon([2] * 6)
    assert normal(c for c in whole if c not in ring) == normal(hexagon)
    assert set(ring) < set(whole)
    for name, points in (("two-points", 5), ("two-islands", 6)):
        a, b = load(name).board
        assert b not in a.neighbours()
        assert len(set(a.corners() + b.corners())) == points


def test_border() -> None:
    borders = {name: load(name).border for name in SHAPES if load(name).border is not None}
    assert borders == {
        "bordered-hexagon": 1,
        "macmahon-butterfly": 1,
        "macmahon-hexagon": 1,
        "macmahon-hexagon-same": "same",
    }


def test_three_clues_have_one_solution_and_each_is_needed() -> None:
    puzzle = load("three-clues")
    assert len(puzzle.clues) == 3
    assert ts.count(puzzle, engine="reference") == stated("three-clues") == 1
    for left_out in puzzle.clues:
        rest = [clue for clue in puzzle.clues if clue != left_out]
        assert ts.count(Puzzle(puzzle.board, puzzle.supply, clues=rest), engine="reference") > 1
