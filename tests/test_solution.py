"""Solutions, and verify: a sentence for each mistake. Its judgement is tested in test_engines.py."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import puzzles

from trisolve.board import Board
from trisolve.engines import solutions
from trisolve.lattice import Cell
from trisolve.puzzle import Puzzle
from trisolve.solution import Solution, verify

TRIANGLE = Board.triangle(2)
RIGHT = {"r1c2": "000", "r2c1": "120", "r2c2": "200", "r2c3": "230"}


def said(solution: dict[Any, Any], tiles: Any = "trioker", **options: Any) -> list[str]:
    return list(verify(Puzzle(TRIANGLE, tiles, **options), solution).problems)


def test_a_solution_reads_like_a_mapping_of_names() -> None:
    puzzle = Puzzle(TRIANGLE, "trioker", name="t")
    cells = {TRIANGLE.cell(name): text for name, text in RIGHT.items()}
    solution = Solution(puzzle, cells)
    assert dict(solution) == RIGHT
    assert solution["r2c2"] == "200"
    assert solution.as_json() == {"cells": RIGHT}
    assert len(solution) == 4
    assert repr(solution) == "Solution(t: 4 cells)"
    assert solution == Solution(puzzle, dict(reversed(cells.items())))
    assert hash(solution) == hash(Solution(puzzle, dict(reversed(cells.items()))))
    assert solution != Solution(puzzle, {**cells, TRIANGLE.cells[0]: "111"})
    assert solution != Solution(Puzzle(Board.hexagon([1] * 6)), cells)
    assert solution != RIGHT.items()
    for name in ("r1c1", "top"):
        with pytest.raises(KeyError, match=name):
            solution[name]


def test_a_right_solution() -> None:
    verdict = verify(Puzzle(TRIANGLE, "trioker"), RIGHT)
    assert verdict
    assert (verdict.problems, str(verdict)) == ((), "correct")


def test_cells_and_tiles_that_are_not_there() -> None:
    assert said({}) == [f"{name} is not filled" for name in TRIANGLE.names()]
    assert said({**RIGHT, "r1c1": "111"}) == ["there is no cell r1c1 on the board (2 rows, 3 columns)"]
    assert said({**RIGHT, 7: "111"}) == ["'7' is not a cell name: expected one like r2c4"]
    not_a_tile = "is not a tile: expected three characters, each a digit or W, like 012 or 12W"
    for text in ("00", 0, None, ["000"]):
        assert said({**RIGHT, "r1c2": text}) == [f"{text!r} {not_a_tile}", "r1c2 is not filled"]


def test_tiles_used_too_often() -> None:
    assert said(dict.fromkeys(RIGHT, "000")) == ["r2c1: tile 000 is used more often than the supply has it (1)"]
    assert said(RIGHT, tiles=["000", "012", "002"]) == [
        "r2c3: tile 023 is used more often than the supply has it (0)",
    ]


def test_corners_that_do_not_agree() -> None:
    assert said({**RIGHT, "r2c3": "330"}) == ["corners that meet don't agree: r2c1 shows 2, r2c3 shows 3"]
    assert said({**RIGHT, "r2c3": "23W"}, tiles=["000", "012", "002", "23W"]) == []


def test_sides_that_do_not_agree() -> None:
    right = {"r1c2": "211", "r2c1": "131", "r2c2": "123", "r2c3": "441"}
    assert said(right, tiles="macmahon") == []
    assert said({**right, "r1c2": "311"}, tiles="macmahon") == [
        "r2c1: tile 113 is used more often than the supply has it (1)",
        "sides that meet don't agree: r2c2 shows 2, r1c2 shows 3",
    ]


def test_borders() -> None:
    assert said(RIGHT, border=0) == ["the outer border shows 0, 1, 2, 3: expected 0"]
    assert said(RIGHT, border="same") == ["the outer border shows 0, 1, 2, 3: expected one value"]
    zeros = dict.fromkeys(RIGHT, "000")
    assert said(zeros, tiles=["000"] * 4, border=0) == []
    assert said(zeros, tiles=["000"] * 4, border="same") == []
    assert said(dict.fromkeys(RIGHT, "WWW"), tiles=["WWW"] * 4 + ["000"], border=0) == []


def test_clues() -> None:
    assert said(RIGHT, clues=[{"cell": "r2c3", "tile": "023"}]) == []
    assert said(RIGHT, clues=[{"cell": "r2c3", "tile": "023", "corner": "top"}]) == []
    assert said(RIGHT, clues=[{"corner": "r2c3.right", "value": 3}]) == []
    assert said(RIGHT, clues=[{"cell": "r2c3", "tile": "032"}]) == [
        "clue 1: r2c3 holds 230, expected 032 in some orientation",
    ]
    assert said(RIGHT, clues=[{"cell": "r2c3", "tile": "023", "corner": "left"}]) == [
        "clue 1: r2c3 holds 230, expected 023",
    ]
    assert said(RIGHT, clues=[{"corner": "r2c3.right", "value": 1}]) == ["clue 1: r2c3.right shows 3, expected 1"]


def test_point_contacts_and_parts() -> None:
    board = Board([Cell(7, 7, False), Cell(0, 0, True), Cell(1, 0, True)])
    far, left, right = board.names()

    def problems(*texts: str) -> tuple[str, ...]:
        return verify(Puzzle(board, "trioker"), dict(zip((far, left, right), texts, strict=True))).problems

    assert problems("333", "012", "112") == ()
    assert problems("333", "012", "120") == (f"{right}: tile 012 is used more often than the supply has it (1)",)
    assert problems("333", "012", "021") == (
        f"corners that meet don't agree: {right} shows 0, {left} shows 1",
    )  # fmt: skip


anything = st.none() | st.integers() | st.text(max_size=4) | st.lists(st.integers(), max_size=2)


@settings(max_examples=80)
@given(puzzles(most=3), st.data())
def test_verify_never_raises(puzzle: Puzzle, data: st.DataObject) -> None:
    names = st.sampled_from([*puzzle.board.names(), "r1c1", "r99c99"]) | st.text(max_size=5) | st.integers()
    texts = anything | st.text("01W", min_size=3, max_size=3)
    verdict = verify(puzzle, data.draw(st.dictionaries(names, texts, max_size=6)))
    assert all(isinstance(p, str) and p for p in verdict.problems)


def test_a_clue_on_a_border_of_one_value_is_about_all_of_it() -> None:
    # A wild corner may hide the value at the clue's place, but the rest of the border must show it.
    clue = {"corner": "r1c1.left", "value": 2}
    puzzle = Puzzle(Board.triangle(1), ["11W", "222"], border="same", clues=[clue])
    assert verify(puzzle, {"r1c1": "222"})
    assert not verify(puzzle, {"r1c1": "W11"})
    assert {s["r1c1"] for s in solutions(puzzle, engine="reference")} == {"222"}
