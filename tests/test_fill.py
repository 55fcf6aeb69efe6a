"""Puzzles that place every tile and leave cells empty (``fill: tiles``).

The engines are compared with brute force on random small boards, brute force with verify on everything that could be
a solution, and verify with solutions that were broken on purpose.
"""

from __future__ import annotations

import json
from itertools import islice, product
from pathlib import Path
from typing import Any

import pytest
from conftest import Command
from hypothesis import assume, given, reject, settings
from hypothesis import strategies as st
from strategies import MOST_SOLUTIONS, Filling, boards, clues, filling_of, fillings, tiles

import trisolve as ts
from trisolve import picture, shapefile
from trisolve.board import Board
from trisolve.encoding import EMPTY, encode
from trisolve.engines import Run, count, engine_named, solve
from trisolve.engines.base import EngineError, Request
from trisolve.engines.estimating import EstimateRun
from trisolve.engines.sampling import SampleRun
from trisolve.lattice import Cell
from trisolve.puzzle import FillClue, Puzzle, PuzzleError, TileClue
from trisolve.solution import Solution, canonical, verify
from trisolve.symmetry import Element, group
from trisolve.tiles import Supply, Tile

ENGINES = ("auto", "dlx", "cpsat", "reference")
"""The engines that take these puzzles."""

TRIANGLE = Board.triangle(2)
STRIP = Board.parallelogram(5, 1)


def connected(cells: set[Cell]) -> bool:
    """By throwing out, again and again, every cell that touches what was thrown out before it."""
    gone = set(sorted(cells)[:1])
    while True:
        more = {c for c in cells - gone if gone & set(c.neighbours())}
        if not more:
            return gone == cells
        gone |= more


@st.composite
def tile_puzzles(draw: st.DrawFn, most: int = 6) -> tuple[Puzzle, frozenset[Filling]]:
    """A puzzle with ``fill: tiles`` on a board of up to ``most`` cells, and its solutions by the reference engine."""
    match = draw(st.sampled_from(["corners", "edges"]))
    border: Any = draw(st.sampled_from([None, None, None, "same", 0]))
    board = draw(boards(most=most))
    given: list[dict[str, object]] = []
    if draw(st.booleans()) or not board.cells:
        # Left to chance.
        supply = Supply.of(draw(st.lists(tiles, max_size=4)))
    else:
        # Around a filling of some cells that are connected.
        whole = draw(fillings(board, match))
        kept = [draw(st.sampled_from(board.cells))]
        for _ in range(draw(st.integers(0, 4))):
            beside = sorted({n for c in kept for n in c.neighbours() if n in board and n not in kept})
            if beside:
                kept.append(draw(st.sampled_from(beside)))
        supply = Supply.of(Tile(whole[c]) for c in kept)
        inner = Board(kept)
        given = [_moved(clue, inner, board) for clue in draw(clues(inner, match, {c: whole[c] for c in kept}))]
        for cell in draw(st.lists(st.sampled_from(board.cells), max_size=2, unique=True)):
            given.append({"cell": board.name(cell), "filled" if cell in kept else "empty": True})
    for cell in draw(st.lists(st.sampled_from(board.cells), max_size=1)) if board.cells else []:
        given.append({"cell": board.name(cell), draw(st.sampled_from(["filled", "empty"])): True})
    try:
        puzzle = Puzzle(board, supply, match=match, border=border, fill="tiles", clues=given)
    except PuzzleError:
        reject()
    found = list(islice(Run(puzzle, engine="reference"), MOST_SOLUTIONS + 1))
    assume(len(found) <= MOST_SOLUTIONS)
    return puzzle, frozenset(map(filling_of, found))


def _moved(clue: dict[str, object], inner: Board, board: Board) -> dict[str, object]:
    """A clue of a board by the names of a larger one."""
    moved = dict(clue)
    for key in ("cell", "corner", "edge"):
        head, dot, tail = str(clue.get(key, "")).partition(".")
        if head.startswith("r") and head[1:2].isdigit():
            moved[key] = f"{board.name(inner.cell(head))}{dot}{tail}"
    return moved


# -- the engines, brute force and verify --------------------------------------------------------------


@settings(max_examples=150)
@given(solved=tile_puzzles(most=3))
def test_reference_finds_just_what_verify_accepts(solved: tuple[Puzzle, frozenset[Filling]]) -> None:
    puzzle, expected = solved
    ways = [None, *(way for tile in puzzle.supply for way in tile.orientations())]
    assume(len(ways) ** len(puzzle.board) <= 3000)
    right = set()
    for texts in product(ways, repeat=len(puzzle.board)):
        cells = {c: t for c, t in zip(puzzle.board.cells, texts, strict=True) if t is not None}
        if verify(puzzle, Solution(puzzle, cells)):
            right.add(frozenset(cells.items()))
    assert right == expected


@pytest.mark.parametrize("engine", ["auto", "dlx", "cpsat"])
@settings(max_examples=120)
@given(solved=tile_puzzles())
def test_engines_find_what_the_reference_finds(engine: str, solved: tuple[Puzzle, frozenset[Filling]]) -> None:
    puzzle, expected = solved
    run = Run(puzzle, engine=engine)
    found = [filling_of(s) for s in run]
    assert set(found) == expected
    assert len(found) == len(expected)
    assert (run.complete, run.status) == (True, "complete" if expected else "infeasible")


@pytest.mark.parametrize("engine", ["dlx", "cpsat"])
@settings(max_examples=40)
@given(solved=tile_puzzles(), limit=st.integers(1, 5), seed=st.integers(0, 9))
def test_a_limit_a_seed_and_a_count(
    engine: str, solved: tuple[Puzzle, frozenset[Filling]], limit: int, seed: int
) -> None:
    puzzle, expected = solved
    run = Run(puzzle, engine=engine, limit=limit, seed=seed)
    found = [filling_of(s) for s in run]
    assert len(found) == len(set(found)) == min(limit, len(expected)) == run.found
    assert set(found) <= expected
    number = count(puzzle, engine=engine)
    assert (number, number.complete) == (len(expected), True)


@settings(max_examples=60)
@given(solved=tile_puzzles(), data=st.data())
def test_verify_accepts_solutions_and_rejects_what_is_changed(
    solved: tuple[Puzzle, frozenset[Filling]], data: st.DataObject
) -> None:
    puzzle, expected = solved
    assume(expected)
    filling = dict(data.draw(st.sampled_from(sorted(expected, key=sorted))))
    solution = Solution(puzzle, filling)
    assert verify(puzzle, solution)
    assert verify(puzzle, json.loads(json.dumps(solution.as_json()))["cells"])
    assert connected(set(filling))
    ways = [way for tile in puzzle.supply for way in tile.orientations()]
    for cell in puzzle.board:
        for way in [None, *ways]:
            changed = {**filling, cell: way} if way else {c: t for c, t in filling.items() if c != cell}
            assert bool(verify(puzzle, changed_names(puzzle, changed))) == (frozenset(changed.items()) in expected)


def changed_names(puzzle: Puzzle, cells: dict[Cell, str]) -> dict[str, str]:
    return {puzzle.board.name(cell): text for cell, text in cells.items()}


@settings(max_examples=60)
@given(solved=tile_puzzles())
def test_images_and_canonical_forms(solved: tuple[Puzzle, frozenset[Filling]]) -> None:
    puzzle, expected = solved
    symmetries = group(puzzle)
    assume(symmetries.order <= 300)
    orbits = set()
    for filling in expected:
        solution = Solution(puzzle, dict(filling))
        images = {image(puzzle, element, filling) for element in symmetries.elements()}
        assert images <= expected
        assert {canonical(Solution(puzzle, dict(i))) for i in images} == {canonical(solution)}
        assert filling_of(canonical(solution)) in images
        orbits.add(filling_of(canonical(solution)))
    assert symmetries.order >= 1
    listed = Run(puzzle, up_to="symmetry")
    assert {filling_of(s) for s in listed} == orbits
    number = count(puzzle, up_to="symmetry")
    assert (number, number.solutions, number.complete) == (len(orbits), len(expected), True)
    first = list(Run(puzzle, up_to="symmetry", limit=2))
    assert len(set(first)) == min(2, len(orbits))
    assert {filling_of(s) for s in first} <= orbits


def image(puzzle: Puzzle, element: Element, filling: Filling) -> Filling:
    return frozenset(element.placed(puzzle, cell, text) for cell, text in filling)


@settings(max_examples=60)
@given(solved=tile_puzzles())
def test_encode_is_the_inverse_of_decode(solved: tuple[Puzzle, frozenset[Filling]]) -> None:
    puzzle, expected = solved
    e = encode(puzzle)
    for filling in expected:
        labels = e.encode(dict(filling))
        assert e.decode(labels) == dict(filling)
        assert labels.count(EMPTY) == len(e.cells) - puzzle.supply.total


# -- counts by hand -----------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
class TestByHand:
    def test_one_tile_anywhere(self, engine: str) -> None:
        assert count(Puzzle(TRIANGLE, ["000"], fill="tiles"), engine=engine) == 4
        assert count(Puzzle(TRIANGLE, ["012"], fill="tiles"), engine=engine) == 12
        assert count(Puzzle(TRIANGLE, ["12W"], fill="tiles"), engine=engine) == 12

    def test_two_tiles_must_touch_along_an_edge(self, engine: str) -> None:
        # A strip of 10 cells has 9 inner edges; two copies of a kind are not told apart.
        assert count(Puzzle(STRIP, {"000": 2}, fill="tiles"), engine=engine) == 9
        # Two tiles and an edge whose points agree: 000 lies either side; 001 turns its 0-0 side to it.
        assert count(Puzzle(STRIP, ["000", "001"], fill="tiles"), engine=engine) == 18
        assert count(Puzzle(STRIP, ["000", "111"], fill="tiles"), engine=engine) == 0
        # At a point there are six cells, but those that only touch there don't connect.
        two = Board([Cell(0, 0, True), Cell(1, 0, True)])
        assert count(Puzzle(two, {"000": 2}, fill="tiles"), engine=engine) == 0

    def test_n_equal_tiles_count_the_figures_of_n_cells(self, engine: str) -> None:
        # The fixed figures of 1 to 4 cells number 2, 3, 6 and 14 (polyiamonds, OEIS A001420), when there is room.
        # A hexagon of side 2 has room for all, but not at every place, so shapes are told apart by moving them.
        board = Board.hexagon([2, 2, 2, 2, 2, 2])
        for cells, fixed in ((1, 2), (2, 3), (3, 6), (4, 14)):
            shapes = set()
            for solution in Run(Puzzle(board, {"000": cells}, fill="tiles"), engine=engine):
                x, y = min(c.x for c in solution.cells), min(c.y for c in solution.cells)
                shapes.add(frozenset((c.x - x, c.y - y, c.up) for c in solution.cells))
            assert len(shapes) == fixed

    def test_nothing_and_too_much(self, engine: str) -> None:
        assert count(Puzzle(TRIANGLE, [], fill="tiles"), engine=engine) == 1
        assert count(Puzzle(Board([]), [], fill="tiles"), engine=engine) == 1
        assert count(Puzzle(Board([]), ["000"], fill="tiles"), engine=engine) == 0
        assert count(Puzzle(TRIANGLE, {"000": 4}, fill="tiles"), engine=engine) == 1
        assert count(Puzzle(TRIANGLE, {"000": 5}, fill="tiles"), engine=engine) == 0
        assert count(Puzzle(TRIANGLE, {"000": 1_000_000}, fill="tiles"), engine=engine) == 0
        filled = [{"cell": "r1c2", "filled": True}]
        assert count(Puzzle(TRIANGLE, [], fill="tiles", clues=filled), engine=engine) == 0

    def test_a_board_with_as_many_cells_as_tiles(self, engine: str) -> None:
        given: list[Any] = [{"corner": "r1c2.top", "value": 1}]
        own = ["000", "001", "002", "003"]
        whole = Puzzle(TRIANGLE, own, clues=given)
        assert count(Puzzle(TRIANGLE, own, clues=given, fill="tiles"), engine=engine) == count(whole) > 0

    def test_clues(self, engine: str) -> None:
        def number(*given: dict[str, object], **options: Any) -> int:
            return count(Puzzle(STRIP, {"000": 2}, fill="tiles", clues=given, **options), engine=engine)

        assert number({"cell": "r1c1", "filled": True}) == 1
        assert number({"cell": "r1c2", "filled": True}) == 2
        assert number({"cell": "r1c2", "empty": True}) == 7
        assert number({"cell": "r1c2", "tile": "000"}) == 2
        assert number({"cell": "r1c2", "tile": "000"}, {"cell": "r1c4", "filled": True}) == 0
        # A value where nothing lies says nothing: all but the one pair whose cells are both clear of the left end.
        value = {"corner": "r1c1.left", "value": 0}
        assert number(value) == 9
        mixed = Puzzle(STRIP, ["000", "001"], fill="tiles", clues=[{"corner": "r1c1.left", "value": 1}])
        assert count(mixed, engine=engine) == 17
        assert number(border="same") == 9

    def test_it_ticks_and_stops(self, engine: str) -> None:
        puzzle = Puzzle(Board.hexagon([4, 3, 4, 3, 4, 3]), "trioker", fill="tiles")
        ticks = []
        run = Run(puzzle, engine=engine, time_limit=0.3, on_tick=lambda run: ticks.append((run.nodes, run.fraction)))
        for _ in run:
            pass
        assert (run.status, run.complete) == ("limit", False)
        assert ticks == sorted(ticks)
        assert all(0 <= fraction <= 1 for _, fraction in ticks)


# -- the boards of the game ---------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["dlx", "cpsat", "auto"])
@pytest.mark.parametrize("seed", [None, 1])
@pytest.mark.parametrize("name", ["tiles-on-board-73", "tiles-on-board-52"])
def test_the_25_tiles_on_the_boards_of_the_game(name: str, seed: int | None, engine: str) -> None:
    puzzle = ts.load(name)
    found = solve(puzzle, engine=engine, seed=seed)
    assert found is not None
    assert verify(puzzle, found)
    assert len(found) == 25
    assert connected(set(found.cells))
    (start,) = puzzle.required
    assert start in found.cells


@pytest.mark.parametrize("name", ["tiles-on-board-73", "tiles-on-board-52"])
def test_the_start_is_the_middle_of_the_board(name: str) -> None:
    puzzle = ts.load(name)
    (start,) = puzzle.required
    # Three times the centre of a cell is the sum of its corners.
    x, y = (sum(p[k] for c in puzzle.board for p in c.corners()) for k in (0, 1))
    middle = [sum(p[k] for p in start.corners()) for k in (0, 1)]
    assert [x / len(puzzle.board), y / len(puzzle.board)] == middle


# -- refusals and mistakes ----------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["sweep", "frontier"])
def test_engines_that_fill_boards_refuse(engine: str) -> None:
    puzzle = Puzzle(TRIANGLE, ["000"], fill="tiles")
    with pytest.raises(EngineError, match=f"engine {engine} can't take this puzzle: .*expected engine dlx or cpsat"):
        Run(puzzle, engine=engine, counting=True)
    with pytest.raises(EngineError, match="can't take this puzzle: it fills every cell"):
        SampleRun(puzzle, 1)
    with pytest.raises(EngineError, match="can't take this puzzle: it fills every cell"):
        EstimateRun(puzzle)


def test_a_checkpoint_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="fill: tiles is not done by parts"):
        Run(Puzzle(TRIANGLE, ["000"], fill="tiles"), counting=True, checkpoint=tmp_path / "c")
    assert not (tmp_path / "c").exists()


def test_cpsat_refuses_what_is_too_large() -> None:
    long = Board(Cell(x, 0, up) for x in range(1500) for up in (True, False))
    encoding = encode(Puzzle(long, {"000": 1500}, fill="tiles"))
    assert "dlx takes more" in (engine_named("cpsat").refuses(encoding, Request()) or "")


@pytest.mark.parametrize(
    ("given", "where", "message"),
    [
        ([{"cell": "r9c9", "filled": True}], "clues[0].cell", "there is no cell r9c9"),
        ([{"cell": "r1c2", "filled": "no"}], "clues[0].filled", "'no': expected true"),
        ([FillClue(Cell(9, 9, True), True)], "clues[0].cell", "is not on the board"),
        (
            [{"cell": "r1c2", "empty": True}, {"cell": "r1c2", "filled": True}],
            "clues[1]",
            "clue 2 contradicts clue 1 on whether r1c2 is filled",
        ),
        (
            [{"cell": "r1c2", "tile": "000"}, {"cell": "r1c2", "empty": True}],
            "clues[1]",
            "clue 2 contradicts clue 1 on whether r1c2 is filled",
        ),
        (
            [{"cell": "r1c2", "empty": True}, {"cell": "r1c2", "tile": "000"}],
            "clues[1]",
            "clue 2 contradicts clue 1 on whether r1c2 is filled",
        ),
    ],
)
def test_clues_that_make_no_sense(given: list[Any], where: str, message: str) -> None:
    with pytest.raises(PuzzleError) as caught:
        Puzzle(TRIANGLE, ["000"], fill="tiles", clues=given)
    assert str(caught.value).startswith(f"{where}: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_same_clue_twice_is_no_contradiction() -> None:
    given: list[Any] = [{"cell": "r1c2", "filled": True}, {"cell": "r1c2", "tile": "000"}] * 2
    puzzle = Puzzle(TRIANGLE, ["000"], fill="tiles", clues=given)
    assert puzzle.required == {TRIANGLE.cell("r1c2")}
    assert puzzle.clues[0] == FillClue(TRIANGLE.cell("r1c2"), True)
    assert isinstance(puzzle.clues[1], TileClue)


@pytest.mark.parametrize("what", ["empty", "filled"])
def test_both_clues_need_fill_tiles(what: str) -> None:
    with pytest.raises(PuzzleError, match=rf"clues\[0\].{what}: a cell that .*: expected only with fill: tiles"):
        Puzzle(TRIANGLE, "trioker", clues=[{"cell": "r1c2", what: True}])


FILE = """\
name: some-cells
tiles: {list: [000, 001, 012]}
fill: tiles
board: {triangle: 2}
clues:
  - {cell: r1c2, %s}
"""


def test_shape_file() -> None:
    document = shapefile.read_text(FILE % "filled: true")
    assert (document.fill, document.clues) == ("tiles", [{"cell": "r1c2", "filled": True}])
    with pytest.raises(shapefile.ShapeFileError, match=r"6:26: 'maybe': expected true"):
        shapefile.read_text(FILE % "filled: maybe")


def test_a_different_fill_is_a_different_puzzle() -> None:
    one, other = (Puzzle(TRIANGLE, "trioker", fill=fill) for fill in ("board", "tiles"))
    assert one.digest != other.digest
    third = Puzzle(TRIANGLE, "trioker", fill="tiles", clues=[{"cell": "r1c2", "empty": True}])
    fourth = Puzzle(TRIANGLE, "trioker", fill="tiles", clues=[{"cell": "r1c2", "filled": True}])
    assert len({other.digest, third.digest, fourth.digest}) == 3


# -- verify, pictures, the command line ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("cells", "problem"),
    [
        ({"r1c1": "000", "r1c2": "000"}, None),
        ({"r1c1": "000"}, "tile 000: 1 placed, expected 2"),
        ({"r1c1": "000", "r1c2": "000", "r1c3": "000"}, "r1c3: tile 000 is used more often than the supply has it (2)"),
        ({"r1c1": "000", "r1c3": "000"}, "the filled cells are not connected: r1c1 and r1c3 are apart"),
        ({"r1c2": "000", "r1c3": "000"}, "clue 1: r1c1 is empty, expected a tile"),
        ({"r1c1": "000", "r1c2": "000", "r1c5": "000"}, "clue 2: r1c5 holds 000, expected nothing"),
    ],
)
def test_what_verify_says(cells: dict[str, str], problem: str | None) -> None:
    given: list[Any] = [{"cell": "r1c1", "filled": True}, {"cell": "r1c5", "empty": True}]
    verdict = verify(Puzzle(STRIP, {"000": 2}, fill="tiles", clues=given), cells)
    assert problem in verdict.problems if problem else verdict


def test_verify_says_when_the_tile_of_a_clue_is_missing() -> None:
    puzzle = Puzzle(STRIP, ["000"], fill="tiles", clues=[{"cell": "r1c1", "tile": "000"}])
    assert verify(puzzle, {"r1c2": "000"}).problems == ("clue 1: r1c1 is empty, expected 000",)


def test_canonical_needs_tiles_of_the_supply() -> None:
    puzzle = Puzzle(STRIP, ["000"], fill="tiles")
    with pytest.raises(ValueError, match="expected a tile of the supply in cells of the board"):
        canonical(Solution(puzzle, {STRIP.cells[0]: "111"}))


EMPTY_AROUND = """\
        .
       / \\
      / 0 \\
     / 0 0 \\
    .-------.



.       .       ."""


def test_pictures_show_empty_cells_and_what_must_stay_empty() -> None:
    given: list[Any] = [{"cell": "r1c2", "filled": True}, {"cell": "r2c2", "empty": True}]
    puzzle = Puzzle(TRIANGLE, ["000"], fill="tiles", clues=given)
    (solution,) = Run(puzzle)
    shown = picture.text(solution)
    assert shown.count("0") == 3
    # Of an empty cell there are the points, and the sides that a tile has too.
    assert shown.count(".") == 6
    assert shown == EMPTY_AROUND
    assert "\x1b" not in shown
    drawing = picture.svg(solution)
    assert drawing.count('class="ts-tile"') == 1
    assert 'class="ts-faint"' in drawing
    assert "ts-mark" not in drawing.split("</style>")[1]
    before = picture.text(puzzle)
    assert (before.count("o"), before.count("x")) == (1, 1)
    assert picture.svg(puzzle).count('class="ts-mark"') == 2
    assert "ts-faint" not in picture.svg(puzzle).split("</style>")[1]


def test_the_commands(trisolve: Command, tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_text(FILE % "filled: true", encoding="utf-8")
    done = trisolve("solve", path, "--json", "--all")
    assert done.returncode == 0
    result = json.loads(done.stdout)
    assert (result["complete"], len(result["solutions"])) == (True, count(ts.load(str(path)), engine="reference"))
    assert all(len(s["cells"]) == 3 for s in result["solutions"])
    assert trisolve("verify", path, "-", stdin=done.stdout).returncode == 0
    apart = json.dumps({"cells": {"r1c2": "000", "r2c1": "001", "r2c3": "012"}})
    wrong = trisolve("verify", path, "-", stdin=apart)
    assert wrong.returncode == 1
    assert "not connected" in wrong.stdout
    refused = trisolve("count", path, "--engine", "sweep")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "with fill: tiles some stay empty; expected engine dlx or cpsat" in refused.stderr
    assert "        all are placed; cells that stay empty: 1\n" in trisolve("check", path).stdout
    assert json.loads(trisolve("check", path, "--json").stdout)["fill"] == "tiles"


def test_as_many_tiles_as_cells_is_a_board_to_fill() -> None:
    tiles = ["012", "022", "122", "002"]
    whole = Puzzle(Board.triangle(2), tiles, fill="tiles")
    assert encode(whole).optional is None
    same = [solution.cells for solution in ts.solutions(Puzzle(Board.triangle(2), tiles))]
    assert [solution.cells for solution in ts.solutions(whole)] == same
    apart = Board([*Board.triangle(1), *[c._replace(x=c.x + 5) for c in Board.triangle(1)]])
    assert encode(Puzzle(apart, ["000", "111"], fill="tiles")).optional is not None
    assert ts.count(Puzzle(apart, ["000", "111"], fill="tiles")) == 0
