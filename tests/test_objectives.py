"""The best solution: what a solution is worth, the solver against all solutions, and how it is told."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from random import Random
from threading import Event
from typing import Any

import pytest
from conftest import Command, environment, heed_ctrl_c
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import Filling, filling_of, solved_puzzles
from test_fill import tile_puzzles

import trisolve as ts
from trisolve import shapefile
from trisolve.board import Board
from trisolve.encoding import encode
from trisolve.engines import Run
from trisolve.engines.base import EngineError
from trisolve.engines.cpsat import build
from trisolve.engines.optimizing import BestRun, best, expression
from trisolve.lattice import Cell, Point
from trisolve.objective import (
    GOALS,
    Goal,
    bounding_area,
    inner_points,
    least_perimeter,
    least_perimeter_with_hole,
    most_hexagons,
)
from trisolve.puzzle import Points, Puzzle, PuzzleError
from trisolve.solution import Solution, verify
from trisolve.tiles import Tile

TRIANGLE = Board.triangle(2)


def figures(cells: int) -> set[frozenset[Cell]]:
    """All figures of so many cells that hang together by edges, up to translation."""
    found = {frozenset([Cell(0, 0, up)]) for up in (True, False)}
    for _ in range(cells - 1):
        grown = set()
        for figure in found:
            for cell in figure:
                for new in cell.neighbours():
                    if new not in figure:
                        more = [*figure, new]
                        x, y = min(c.x for c in more), min(c.y for c in more)
                        grown.add(frozenset(Cell(c.x - x, c.y - y, c.up) for c in more))
        found = grown
    return found


def outline(cells: frozenset[Cell]) -> int:
    return sum(n not in cells for cell in cells for n in cell.neighbours())


# -- geometry -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("cells", range(1, 11))
def test_the_bounds_on_figures_are_reached_and_never_passed(cells: int) -> None:
    every = figures(cells)
    assert min(map(outline, every)) == least_perimeter(cells)
    assert max(len(inner_points(f)) for f in every) == most_hexagons(cells)
    for figure in every:
        assert 2 * len(inner_points(figure)) + outline(figure) <= cells + 2
        assert bounding_outline(figure) <= outline(figure)
        assert bounding_area(figure) >= cells


@settings(max_examples=100)
@given(st.randoms(use_true_random=False), st.integers(8, 60), st.integers(1, 30))
def test_the_bounds_hold_for_larger_figures_with_holes(random: Random, cells: int, spread: int) -> None:
    figure = {Cell(0, 0, True)}
    while len(figure) < cells:
        beside = sorted({n for c in figure for n in c.neighbours()} - figure)
        # A small spread keeps to one side, and winds; a large one makes a lump.
        figure.add(beside[random.randrange(min(spread, len(beside)))])
    inner, p = len(inner_points(figure)), outline(frozenset(figure))
    assert p >= least_perimeter(cells)
    assert 2 * inner + p <= cells + 2
    assert inner <= most_hexagons(cells)
    assert p >= least_perimeter_with_hole(cells) or 2 * inner + p == cells + 2
    assert bounding_outline(frozenset(figure)) <= p


def test_a_ring_around_a_cell() -> None:
    whole = [c for c in Board.triangle(4) if sum(c.corners()[0]) >= 0]
    middle = next(c for c in whole if c.corners() == ((1, 1), (2, 1), (1, 2)))
    ring = frozenset({n for p in middle.corners() for n in p.cells()} - {middle})
    assert len(ring) == 12
    assert outline(ring) == 9 + 3 == least_perimeter_with_hole(12)
    assert (len(inner_points(ring)), most_hexagons(12)) == (0, 2)


def bounding_outline(cells: frozenset[Cell]) -> int:
    points = [p for c in cells for p in c.corners()]
    return sum(max(w) - min(w) for w in zip(*((p.x, p.y, p.x + p.y) for p in points), strict=True))


def hexagons(outline: int) -> Iterator[tuple[int, ...]]:
    """The side lengths of all hexagons (sides may be 0) with this outline."""
    for a, b, c, d in product(range(outline + 1), repeat=4):
        e, f = a + b - d, c + d - a
        if e >= 0 and f >= 0 and a + b + c + d + e + f == outline:
            yield a, b, c, d, e, f


@pytest.mark.parametrize("perimeter", range(3, 15))
def test_a_hexagon_has_at_most_a_sixth_of_the_square_of_its_outline(perimeter: int) -> None:
    areas = [(a + b + c) ** 2 - a * a - c * c - e * e for a, b, c, d, e, f in hexagons(perimeter)]
    assert max(areas) == perimeter**2 // 6 - (perimeter**2 // 6 - perimeter) % 2


def test_seven_hexagons_from_24_cells_are_the_regular_hexagon_only() -> None:
    # Such a figure has an outline of 12, so that its bounding hexagon has no more, and 24 cells or more.
    assert (least_perimeter(24), most_hexagons(24)) == (12, 7)
    large = {
        s for p in range(13) for s in hexagons(p) if (s[0] + s[1] + s[2]) ** 2 - sum(s[k] ** 2 for k in (0, 2, 4)) >= 24
    }
    assert large == {(2, 2, 2, 2, 2, 2)}
    assert ts.count(ts.load("hexagon-24")) == 0


def test_the_bounds_for_the_trioker_tiles() -> None:
    assert (most_hexagons(24), most_hexagons(25)) == (7, 7)
    assert (least_perimeter(24), least_perimeter(25)) == (12, 13)
    assert [most_hexagons(n) for n in (0, 1, 5, 6, 10, 13, 54)] == [0, 0, 0, 1, 2, 3, 19]


@settings(max_examples=60)
@given(board=st.sets(st.builds(Cell, st.integers(0, 3), st.integers(0, 3), st.booleans()), min_size=1))
def test_bounding_area_counts_the_cells_between_six_lines(board: set[Cell]) -> None:
    points = [p for c in board for p in c.corners()]

    def within(p: Point) -> bool:
        return all(
            min(level(q) for q in points) <= level(p) <= max(level(q) for q in points)
            for level in (lambda q: q.x, lambda q: q.y, lambda q: q.x + q.y)
        )

    around = [Cell(x, y, up) for x in range(-1, 6) for y in range(-1, 6) for up in (True, False)]
    assert bounding_area(board) == sum(all(map(within, c.corners())) for c in around)


# -- the solver ---------------------------------------------------------------------------------------


def with_score(puzzle: Puzzle, score: list[Points]) -> Puzzle:
    return Puzzle(
        puzzle.board,
        puzzle.supply,
        match=puzzle.match,
        border=puzzle.border,
        fill=puzzle.fill,
        clues=puzzle.clues,
        score=score,
    )


@settings(max_examples=150)
@given(solved=st.one_of(tile_puzzles(), solved_puzzles()), name=st.sampled_from(sorted(GOALS)), data=st.data())
def test_the_best_is_the_best_of_all_solutions(
    solved: tuple[Puzzle, frozenset[Filling]], name: str, data: st.DataObject
) -> None:
    puzzle, expected = solved
    assume(puzzle.match == "corners" or name != "pips-inside")
    if name == "score":
        some = st.none() if not puzzle.board.cells else st.none() | st.sampled_from(puzzle.board.cells)
        kind = st.none() if not puzzle.supply else st.none() | st.sampled_from(sorted(puzzle.supply))
        entries = st.lists(st.builds(Points, some, kind, st.integers(-5, 5)), min_size=1, max_size=4)
        puzzle = with_score(puzzle, data.draw(entries))
    goal = Goal(name, data.draw(st.booleans()))
    values = [goal.value(Solution(puzzle, dict(filling))) for filling in expected]
    run = BestRun(puzzle, goal)
    found = list(run)
    assert (run.complete, run.status) == (True, "complete" if expected else "infeasible")
    if not expected:
        assert (found, run.best, run.value, run.optimal) == ([], None, None, False)
        return
    assert run.value == run.bound == (max(values) if goal.maximize else min(values))
    assert run.optimal
    assert found[-1] == run.best
    assert all(filling_of(s) in expected for s in found)
    gained = [goal.value(s) for s in found]
    assert gained == sorted(set(gained), reverse=not goal.maximize)


HEXAGON_AND_MORE = Board([*Point(0, 0).cells(), Cell(1, -1, True), Cell(0, 1, True), Cell(1, 0, True)])


@pytest.mark.parametrize(
    "tiles", [["000"] * 6, ["11W"] * 2 + ["111"] * 4, ["000", "001", "011", "111", "11W", "01W"], ["000"] * 9]
)
@pytest.mark.parametrize("name", [name for name in GOALS if name != "score"])
def test_the_model_values_every_solution_as_the_definition_does(name: str, tiles: list[str]) -> None:
    from ortools.sat.python import cp_model

    puzzle = Puzzle(HEXAGON_AND_MORE, tiles, fill="board" if len(tiles) == len(HEXAGON_AND_MORE) else "tiles")
    encoding = encode(puzzle)
    goal = Goal(name, True)
    made = build(encoding, None, Event())
    worth = expression(encoding, made, goal)
    seen = set()

    class Callback(cp_model.CpSolverSolutionCallback):
        def on_solution_callback(self) -> None:
            cells = {
                encoding.cells[cell]: encoding.label_text(label)
                for (cell, label), taken in made.options.items()
                if self.boolean_value(taken)
            }
            seen.add((self.value(worth), goal.value(Solution(puzzle, cells)), frozenset(cells.items())))

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.enumerate_all_solutions = True
    solver.solve(made.model, Callback())
    assert {filling for _, _, filling in seen} == {filling_of(s) for s in Run(puzzle, engine="reference")}
    assert seen
    assert all(claimed == value for claimed, value, _ in seen)


def test_inner_points_with_values_and_jokers() -> None:
    # Seven points, one of them inside.
    board = Board.hexagon([1] * 6)
    result = best(Puzzle(board, "trioker"), maximize="pips-inside")
    assert (result.value, result.bound, result.optimal) == (3, 3, True)
    assert best(Puzzle(board, "trioker"), minimize="pips-inside").value == 0
    assert best(Puzzle(board, {"WWW": 6}), maximize="pips-inside").value == 0
    mixed = best(Puzzle(board, {"WWW": 5, "012": 1}), maximize="pips-inside")
    assert mixed.value == 2


def test_one_hexagon_and_two() -> None:
    board = Board.hexagon([2] * 6)
    tiles: Any = {"000": 6}
    assert best(Puzzle(board, tiles, fill="tiles"), maximize="hexagons").value == 1
    assert best(Puzzle(board, {"000": 9}, fill="tiles"), maximize="hexagons").value == 1
    assert best(Puzzle(board, {"000": 10}, fill="tiles"), maximize="hexagons").value == 2
    assert best(Puzzle(board, {"000": 10}, fill="tiles"), minimize="perimeter").value == 8
    assert best(Puzzle(board, {"000": 10}, fill="tiles"), minimize="area").value == 10
    assert best(Puzzle(board, {"000": 4}, fill="tiles"), maximize="perimeter").value == 6


def test_score_of_a_file() -> None:
    given: list[Any] = [
        {"tile": "000", "points": 5},
        {"cell": "r1c2", "points": 2},
        {"cell": "r1c2", "tile": "111", "points": 9},
    ]
    puzzle = Puzzle(TRIANGLE, ["000", "111", "00W", "11W"], fill="tiles", score=given)
    for found in Run(puzzle):
        expected = 5 + 2 + 9 * (Tile(found["r1c2"]) == Tile("111"))
        assert Goal("score", True).value(found) == expected
    fewer = Puzzle(TRIANGLE, {"000": 2}, fill="tiles", score=given[:2])
    assert best(fewer, maximize="score").value == 12
    assert best(fewer, minimize="score").value == 10


@pytest.mark.parametrize(("name", "most"), [("free-25", 7), ("free-24", 6)])
@pytest.mark.slow
def test_how_many_hexagons_the_trioker_tiles_form(name: str, most: int) -> None:
    puzzle = ts.load(name)
    result = best(puzzle, maximize="hexagons")
    assert (result.value, result.bound, result.optimal) == (most, most, True)
    assert result.solution is not None
    assert verify(puzzle, result.solution)
    assert len(inner_points(result.solution.cells)) == most


def test_a_solution_with_seven_hexagons_and_one_with_six() -> None:
    # The bounds of docs/objectives.md are reached by boards that the other engines fill.
    for name, most in (("hexagon-412321", 7), ("parallelogram-4x3", 6)):
        found = ts.solve(ts.load(name))
        assert found is not None
        assert len(inner_points(found.cells)) == most


# -- refusals -----------------------------------------------------------------------------------------


def test_what_makes_no_sense() -> None:
    puzzle = Puzzle(TRIANGLE, "trioker")
    with pytest.raises(ValueError, match="no objective 'beauty': expected one of hexagons, area"):
        best(puzzle, maximize="beauty")
    with pytest.raises(ValueError, match="expected one of maximize and minimize"):
        best(puzzle)
    with pytest.raises(ValueError, match="expected one of maximize and minimize"):
        best(puzzle, maximize="area", minimize="area")
    with pytest.raises(EngineError, match="engine dlx doesn't look for the best solution: expected auto or cpsat"):
        best(puzzle, maximize="area", engine="dlx")
    with pytest.raises(EngineError, match="the puzzle gives no points: expected the key score"):
        best(puzzle, maximize="score")
    with pytest.raises(EngineError, match="pips-inside needs values at corners"):
        best(Puzzle(TRIANGLE, "macmahon"), maximize="pips-inside")


@pytest.mark.parametrize(
    ("entry", "where", "message"),
    [
        ({"points": 1}, "score[0]", "expected points, and a cell or a tile or both"),
        ({"tile": "000"}, "score[0]", "expected points, and a cell or a tile or both"),
        ({"cell": "r9c9", "points": 1}, "score[0].cell", "there is no cell r9c9"),
        ({"tile": "0", "points": 1}, "score[0].tile", "'0' is not a tile"),
        ({"tile": "444", "points": 1}, "score[0].tile", "tile 444 is not in trioker"),
        ({"tile": "000", "points": "many"}, "score[0].points", "'many': expected a whole number"),
        (Points(Cell(9, 9, True), None, 1), "score[0]", "is not on the board"),
    ],
)
def test_a_score_that_makes_no_sense(entry: Any, where: str, message: str) -> None:
    with pytest.raises(PuzzleError) as caught:
        Puzzle(TRIANGLE, "trioker", score=[entry])
    assert str(caught.value).startswith(f"{where}: ")
    assert message in str(caught.value)


FILE = """\
name: scored
tiles: {list: [000, 111, 00W, 11W]}
fill: tiles
board: {triangle: 3}
score:
  - {tile: 000, points: 5}
  - {cell: r1c3, points: -2}
"""


def test_score_in_a_shape_file() -> None:
    document = shapefile.read_text(FILE)
    assert document.score == [{"tile": "000", "points": 5}, {"cell": "r1c3", "points": -2}]
    with pytest.raises(shapefile.ShapeFileError, match=r"6:5: the key points is missing"):
        shapefile.read_text(FILE.replace(", points: 5", ""))
    with pytest.raises(shapefile.ShapeFileError, match=r"6:25: '5000000': expected a whole number"):
        shapefile.read_text(FILE.replace("5}", "5000000}"))


# -- the command line ---------------------------------------------------------------------------------


def test_the_command(trisolve: Command, tmp_path: Path) -> None:
    path = tmp_path / "scored.yaml"
    path.write_text(FILE, encoding="utf-8")
    done = trisolve("solve", path, "--maximize", "score", "--json")
    assert done.returncode == 0
    result = json.loads(done.stdout)
    assert (result["goal"], result["objective"], result["bound"], result["optimal"]) == ("maximize score", 5, 5, True)
    assert (result["status"], result["complete"], len(result["solutions"])) == ("complete", True, 1)
    assert trisolve("verify", path, "-", stdin=done.stdout).returncode == 0
    assert "score 5, the best there is" in done.stderr.splitlines()[-1]
    drawn = trisolve("solve", path, "--minimize", "perimeter", "-o", "p.svg")
    assert (drawn.returncode, drawn.stdout) == (0, "")
    assert "<svg" in (tmp_path / "p.svg").read_text(encoding="utf-8")
    shown = trisolve("solve", path, "--minimize", "area", "--quiet")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert shown.stdout.count("0") == 5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--maximize", "beauty"], "'beauty': expected one of hexagons"),
        (["--maximize", "area", "--minimize", "area"], "exclude each other"),
        (["--maximize", "area", "--all"], "exclude each other"),
        (["--maximize", "area", "--limit", "3"], "exclude each other"),
        (["--maximize", "area", "--up-to", "symmetry"], "exclude each other"),
        (["--maximize", "area", "--engine", "sweep"], "engine sweep doesn't look for the best solution"),
        (["--maximize", "score"], "the puzzle gives no points"),
    ],
)
def test_usage(trisolve: Command, options: list[str], message: str) -> None:
    done = trisolve("solve", "small-hexagon", *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_no_solution(trisolve: Command, tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_text("name: p\ntiles: {list: [000, 111]}\nfill: tiles\nboard: {triangle: 2}\n", encoding="utf-8")
    done = trisolve("solve", path, "--maximize", "hexagons", "--json")
    assert done.returncode == 1
    result = json.loads(done.stdout)
    assert (result["status"], result["objective"], result["optimal"]) == ("infeasible", None, False)


def test_a_time_limit_gives_the_best_so_far(trisolve: Command) -> None:
    done = trisolve("solve", "tiles-on-board-73", "--maximize", "pips-inside", "--time-limit", "12", "--json")
    assert done.returncode == 3
    result = json.loads(done.stdout)
    assert (result["status"], result["complete"], result["optimal"]) == ("limit", False, False)
    assert result["objective"] < result["bound"] <= 21
    assert trisolve("verify", "tiles-on-board-73", "-", stdin=done.stdout).returncode == 0
    first, *_, last = done.stderr.splitlines()
    assert first.startswith("pips-inside ")
    assert last.startswith("stopped by a limit: pips-inside ")
    assert ", at most " in last


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for a child process")
def test_ctrl_c_gives_the_best_so_far(script: str) -> None:
    with subprocess.Popen(
        [script, "solve", "tiles-on-board-73", "--maximize", "pips-inside", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
        preexec_fn=heed_ctrl_c,
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith("pips-inside ")
        process.send_signal(signal.SIGINT)
        began = time.monotonic()
        out, _ = process.communicate()
        assert time.monotonic() - began < 30
    assert process.returncode == 130
    result = json.loads(out)
    assert (result["status"], len(result["solutions"])) == ("interrupted", 1)
