"""Puzzles: nodes, clues, and one sentence for each thing that can be wrong."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from strategies import puzzles

from trisolve.board import Board
from trisolve.lattice import Cell, Edge, Point
from trisolve.puzzle import Clue, Puzzle, PuzzleError, TileClue, ValueClue
from trisolve.tiles import Supply, Tile

TRIANGLE = Board.triangle(2)
TOP, _, MIDDLE, _ = TRIANGLE.cells

KEYS = "expected cell and tile (and corner), corner and value, edge and value, or cell and empty or filled"


def problems(
    *clues: object, tiles: Any = "trioker", board: Board = TRIANGLE, **options: Any
) -> list[tuple[object, str]]:
    """What the constructor says: paths, with the leading "clues" left out, and sentences."""
    with pytest.raises(PuzzleError) as caught:
        Puzzle(TRIANGLE, tiles, clues=clues, **options)  # type: ignore[arg-type]
    return [(p.path[1:] if p.path[0] == "clues" else p.path, p.message) for p in caught.value.problems]


# -- nodes --------------------------------------------------------------------------------------------


def test_tiles_meet_at_points_or_on_edges() -> None:
    corners, edges = Puzzle(TRIANGLE, "trioker"), Puzzle(TRIANGLE, "macmahon")
    assert (corners.match, edges.match) == ("corners", "edges")
    assert set(corners.nodes) == set(TRIANGLE.points)
    assert set(edges.nodes) == set(TRIANGLE.edges)
    assert Puzzle(TRIANGLE, "macmahon", match="corners").match == "corners"
    assert Puzzle(TRIANGLE, ["012"]).match == "corners"


def test_one_border_value_is_one_node() -> None:
    same = Puzzle(Board.hexagon([2] * 6), "trioker", border="same")
    assert len(same.nodes) == 7 + 1
    assert same.node(Point(0, 0)) == "border"
    assert same.node(Point(0, 2)) == Point(0, 2)
    fixed = Puzzle(Board.hexagon([2] * 6), "macmahon", border=1)
    assert len(fixed.fixed) == 12
    assert set(fixed.fixed.values()) == {1}


def test_the_rim_of_a_hole_is_no_border() -> None:
    board = Board(c for c in Board.hexagon([2] * 6) if Point(0, 2) not in c.corners())
    assert len(Puzzle(board, "trioker", border=0).fixed) == 12
    assert len(Puzzle(board, "trioker", border=0, match="edges").fixed) == 12


@settings(max_examples=80)
@given(puzzles())
def test_nodes_are_in_order_of_first_use(puzzle: Puzzle) -> None:
    seen: list[object] = []
    for cell in puzzle.board:
        for spot in puzzle.spots(cell):
            if puzzle.node(spot) not in seen:
                seen.append(puzzle.node(spot))
    assert list(puzzle.nodes) == seen
    for spot in puzzle.spots(puzzle.board.cells[0]) if puzzle.board.cells else ():
        find = puzzle.board.corner if puzzle.match == "corners" else puzzle.board.side
        assert find(puzzle.spot_name(spot)) == spot


# -- clues --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "meant", "match"),
    [
        ({"cell": "r1c2", "tile": "201"}, TileClue(TOP, Tile("012")), "corners"),
        ({"cell": "r1c2", "tile": "201", "corner": "left"}, TileClue(TOP, Tile("012"), "201"), "corners"),
        ({"cell": "r1c2", "tile": "201", "corner": "right"}, TileClue(TOP, Tile("012"), "120"), "corners"),
        ({"cell": "r1c2", "tile": "201", "corner": "top"}, TileClue(TOP, Tile("012"), "012"), "corners"),
        ({"cell": "r2c2", "tile": "201", "corner": "bottom"}, TileClue(MIDDLE, Tile("012"), "201"), "corners"),
        ({"cell": "r2c2", "tile": "201", "corner": "left"}, TileClue(MIDDLE, Tile("012"), "012"), "corners"),
        ({"cell": "r1c2", "tile": "12W", "corner": "top"}, TileClue(TOP, Tile("12W"), "2W1"), "corners"),
        ({"cell": "r1c2", "tile": "201", "edge": "left"}, TileClue(TOP, Tile("012"), "012"), "edges"),
        ({"corner": "r2c2.left", "value": 3}, ValueClue(Point(0, 1), 3), "corners"),
        ({"corner": "r2c2.left", "value": "3"}, ValueClue(Point(0, 1), 3), "corners"),
        ({"edge": "r2c2.left", "value": 0}, ValueClue(Edge(Point(0, 1), Point(1, 0)), 0), "edges"),
    ],
)
def test_what_clues_mean(given: dict[str, object], meant: Clue, match: Any) -> None:
    for clue in (given, meant):
        puzzle = Puzzle(TRIANGLE, "trioker", match=match, clues=[clue])
        assert puzzle.clues == (meant,)


def test_clues_fix_values_and_tiles() -> None:
    clues = [{"cell": "r1c2", "tile": "12W", "corner": "left"}, {"corner": "r2c3.right", "value": 3}]
    puzzle = Puzzle(TRIANGLE, "trioker", clues=clues)
    assert puzzle.fixed == {Point(0, 1): 1, Point(1, 1): 2, Point(2, 0): 3}
    assert puzzle.placed == {TOP: TileClue(TOP, Tile("12W"), "12W")}


def test_a_clue_given_twice_or_made_sharper_is_fine() -> None:
    vague, sharp = {"cell": "r1c2", "tile": "012"}, {"cell": "r1c2", "tile": "120", "corner": "top"}
    for clues in ([vague, vague], [vague, sharp], [sharp, vague], [sharp, sharp], [vague, sharp, vague, sharp]):
        assert Puzzle(TRIANGLE, "trioker", clues=clues).placed[TOP].tile == Tile("012")
    assert Puzzle(TRIANGLE, "trioker", clues=[sharp, vague]).placed[TOP].placed == "201"


def test_too_few_tiles_or_nothing_that_fits_is_no_mistake() -> None:
    Puzzle(TRIANGLE, ["000"])
    Puzzle(TRIANGLE, [])
    Puzzle(Board([]), [])
    Puzzle(TRIANGLE, ["000", "111"], clues=[{"corner": "r1c2.left", "value": 0}, {"corner": "r1c2.top", "value": 1}])


# -- what can be wrong --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("clue", "path", "message"),
    [
        ({"cell": "r9c9", "tile": "012"}, "cell", "there is no cell r9c9 on the board (2 rows, 3 columns)"),
        ({"cell": "9,9", "tile": "012"}, "cell", "'9,9' is not a cell name: expected one like r2c4"),
        (
            {"cell": "r1c2", "tile": "12"},
            "tile",
            "'12' is not a tile: expected three characters, each a digit or W, like 012 or 12W",
        ),
        ({"cell": "r1c2", "tile": "045"}, "tile", "tile 045 is not in trioker"),
        ({"cell": "r1c2", "tile": "W00"}, "tile", "tile 00W is not in trioker"),
        (
            {"cell": "r1c2", "tile": "012", "corner": "bottom"},
            "corner",
            "'bottom' is no corner of an up cell: expected left, right or top",
        ),
        (
            {"cell": "r1c2", "tile": "012", "edge": "left"},
            "edge",
            "values lie on the corners of a tile here: expected the key corner, not edge",
        ),
        (
            {"edge": "r1c2.left", "value": 1},
            "edge",
            "values lie on the corners of a tile here: expected the key corner, not edge",
        ),
        ({"corner": "r9c9.top", "value": 1}, "corner", "there is no cell r9c9 on the board (2 rows, 3 columns)"),
        (
            {"corner": "r1c2", "value": 1},
            "corner",
            "'r1c2' names no corner: expected a cell and a corner, like r1c2.right",
        ),
        (
            {"corner": "r1c2.top", "value": 4},
            "value",
            "no tile of trioker has the value 4: expected one of 0, 1, 2, 3",
        ),
        (
            {"corner": "r1c2.top", "value": -1},
            "value",
            "no tile of trioker has the value -1: expected one of 0, 1, 2, 3",
        ),
        ({"corner": "r1c2.top", "value": "top"}, "value", "'top' is not a value: expected a digit"),
        (
            {"cell": "r1c2", "empty": True},
            "empty",
            "a cell that stays empty: expected only with fill: tiles",
        ),
        (
            {"cell": "r1c2", "value": 1},
            None,
            f"a clue with the keys cell, value: {KEYS}",
        ),
        (
            {},
            None,
            f"a clue with the keys none: {KEYS}",
        ),
        (TileClue(Cell(9, 9, True), Tile("012")), "cell", "Cell(x=9, y=9, up=True) is not on the board"),
        (TileClue(TOP, Tile("012"), "021"), "tile", "021 is no orientation of 012"),
        (TileClue(TOP, Tile("555")), "tile", "tile 555 is not in trioker"),
        (ValueClue(Point(9, 9), 1), None, "Point(x=9, y=9) is no point of the board"),
        (ValueClue(TRIANGLE.edges[0], 1), None, f"{TRIANGLE.edges[0]} is no point of the board"),
        (ValueClue(Point(0, 0), 7), "value", "no tile of trioker has the value 7: expected one of 0, 1, 2, 3"),
    ],
)
def test_a_clue_that_makes_no_sense(clue: object, path: str | None, message: str) -> None:
    assert problems(clue) == [((0, path) if path else (0,), message)]


def test_values_lie_on_edges_under_edge_matching() -> None:
    expected = "values lie on the edges of a tile here: expected the key edge, not corner"
    assert problems({"corner": "r1c2.top", "value": 1}, match="edges") == [((0, "corner"), expected)]
    assert problems(ValueClue(Point(0, 0), 1), match="edges") == [((0,), "Point(x=0, y=0) is no edge of the board")]


@pytest.mark.parametrize(
    ("clues", "path", "message"),
    [
        (
            [{"corner": "r1c2.left", "value": 1}, {"corner": "r2c2.left", "value": 2}],
            (1,),
            "clue 2 wants 2 at r1c2.left, but clue 1 wants 1 there",
        ),
        (
            [{"cell": "r1c2", "tile": "012", "corner": "left"}, {"corner": "r2c1.top", "value": 3}],
            (1,),
            "clue 2 wants 3 at r1c2.left, but clue 1 wants 0 there",
        ),
        (
            [{"cell": "r1c2", "tile": "012", "corner": "left"}, {"cell": "r2c2", "tile": "121", "corner": "left"}],
            (1,),
            "clue 2 wants 1 at r1c2.left, but clue 1 wants 0 there",
        ),
        (
            [{"cell": "r1c2", "tile": "012"}, {"cell": "r1c2", "tile": "021"}],
            (1,),
            "clue 2 contradicts clue 1 on what lies in r1c2",
        ),
        (
            [{"cell": "r1c2", "tile": "012"}, {"corner": "r1c2.top", "value": 3}],
            (0,),
            "no orientation of 012 agrees with what else is given (r1c2.top = 3)",
        ),
        (
            [
                {"cell": "r1c2", "tile": "012"},
                {"corner": "r1c2.left", "value": 0},
                {"corner": "r1c2.right", "value": 2},
            ],
            (0,),
            "no orientation of 012 agrees with what else is given (r1c2.left = 0, r1c2.right = 2)",
        ),
        (
            [{"cell": "r1c2", "tile": "000"}, {"cell": "r2c1", "tile": "000"}, {"cell": "r2c3", "tile": "000"}],
            (1, "tile"),
            "the clues use 000 more often than trioker has it (1)",
        ),
    ],
)
def test_clues_that_contradict_each_other(clues: list[object], path: object, message: str) -> None:
    assert problems(*clues) == [(path, message)]


def test_orientations_that_differ_in_wild_corners_only_contradict_each_other() -> None:
    vague = {"cell": "r1c2", "tile": "1WW"}
    at_left, at_top = {**vague, "corner": "left"}, {**vague, "corner": "top"}
    message = "clue 2 contradicts clue 1 on what lies in r1c2"
    assert problems(at_left, at_top, tiles=["1WW"]) == [((1,), message)]
    assert problems(vague, at_left, at_top, tiles=["1WW"]) == [((2,), "clue 3 contradicts clue 2 on what lies in r1c2")]


def test_clues_that_contradict_the_border() -> None:
    clue = {"corner": "r1c2.top", "value": 3}
    assert problems(clue, border=0) == [((0,), "clue 1 wants 3 at r1c2.top, but the border wants 0 there")]
    other = {"corner": "r1c2.left", "value": 2}
    assert problems(clue, other, border="same") == [((1,), "clue 2 wants 2 at the border, but clue 1 wants 3 there")]
    turned = {"cell": "r1c2", "tile": "012"}
    # All three corners of the top cell lie on the border.
    assert problems(turned, border="same") == [
        ((0,), "no orientation of 012 agrees with what else is given (the border)")
    ]
    placed = {"cell": "r1c2", "tile": "012", "corner": "top"}
    assert problems(placed, border="same")[0] == ((0,), "clue 1 wants 2 at the border, but clue 1 wants 1 there")


@pytest.mark.parametrize(
    ("options", "path", "message"),
    [
        (
            {"tiles": "triokr"},
            ("tiles",),
            "no tile set 'triokr': expected one of trioker, trioker-24, trioker-even, trioker-odd, macmahon, "
            "triominoes, triominoes-6 or complete-1 to complete-10",
        ),
        ({"match": "points"}, ("match",), "'points': expected corners or edges"),
        ({"fill": "cells"}, ("fill",), "'cells': expected board or tiles"),
        ({"border": 4}, ("border",), "no tile of trioker has the value 4: expected one of 0, 1, 2, 3"),
        ({"border": "some"}, ("border",), "no tile of trioker has the value 'some': expected one of 0, 1, 2, 3"),
    ],
)
def test_options_that_make_no_sense(options: dict[str, Any], path: object, message: str) -> None:
    assert problems(**options) == [(path, message)]


def test_all_problems_come_at_once() -> None:
    with pytest.raises(PuzzleError) as caught:
        Puzzle(
            TRIANGLE,
            Supply.of(["012"], "mine"),
            border=7,
            clues=[
                {"cell": "r1c1", "tile": "012"},
                {"cell": "r1c2", "tile": "111"},
                {"corner": "r1c2.top", "value": 3},
            ],
        )
    assert str(caught.value).split("\n") == [
        "border: no tile of mine has the value 7: expected one of 0, 1, 2",
        "clues[0].cell: there is no cell r1c1 on the board (2 rows, 3 columns)",
        "clues[1].tile: tile 111 is not in mine",
        "clues[2].value: no tile of mine has the value 3: expected one of 0, 1, 2",
    ]


def test_repr() -> None:
    assert repr(Puzzle(TRIANGLE, "trioker")) == "Puzzle(4 cells, trioker, corners)"
    assert repr(Puzzle(TRIANGLE, ["012"], match="edges", name="t")) == "Puzzle(t: 4 cells, own tiles, edges)"
