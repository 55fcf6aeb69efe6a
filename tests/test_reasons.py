"""Reasons why there is no solution: that they are true, that each kind is found, and what the commands make of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import chain, combinations, product
from pathlib import Path
from typing import Any

import pytest
from conftest import Command, heed_ctrl_c
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from strategies import Filling, boards, clues, filling_of, fillings, puzzles, solved_puzzles

import trisolve as ts
from trisolve.board import Board
from trisolve.encoding import encode
from trisolve.engines import Run, engine_named, reasons
from trisolve.engines.reasons import Explaining, Reason, counting, quick, reason
from trisolve.lattice import Point
from trisolve.puzzle import Puzzle, PuzzleError, TileClue
from trisolve.tiles import Supply, Tile

RHOMBUS = Board.parallelogram(1, 1)
SMALL_HEXAGON = Board.hexagon([1] * 6)


def macmahon(shape: str) -> Puzzle:
    """A bundled board with MacMahon's tiles and a border of one fixed colour."""
    return Puzzle(ts.load(shape).board, "macmahon", border=1)


# -- truth ------------------------------------------------------------------------------------------


@st.composite
def doubtful_puzzles(draw: st.DrawFn) -> Puzzle:
    """A small puzzle that often has no solution: few tiles, and clues from fillings that may not agree."""
    match = draw(st.sampled_from(["corners", "edges"]))
    fill = draw(st.sampled_from(["board", "board", "board", "tiles"]))
    board = draw(boards(least=1, most=4 if fill == "tiles" else 6))
    given: list[dict[str, object]] = []
    tiles: list[Tile] = []
    for _ in range(draw(st.integers(1, 2))):
        filling = draw(fillings(board, match))
        tiles += [Tile(text) for text in filling.values()]
        given += draw(clues(board, match, filling))
    least = max(0, len(board) - 2) if fill == "tiles" else len(board)
    size = draw(st.integers(least, min(len(tiles), len(board) + 1)))
    supply = Supply.of(draw(st.permutations(tiles))[:size])
    border: Any = draw(st.sampled_from([None, None, "same", 0]))
    try:
        return Puzzle(board, supply, match=match, border=border, fill=fill, clues=given)  # type: ignore[arg-type]
    except PuzzleError:
        reject()


@settings(max_examples=400)
@given(puzzle=doubtful_puzzles() | puzzles())
def test_a_reason_is_only_given_where_there_is_no_solution(puzzle: Puzzle) -> None:
    if reason(puzzle) is not None:
        assert list(Run(puzzle, engine="reference", limit=1)) == []


def counted_out(puzzle: Puzzle) -> bool:
    """The counting program by brute force: some choice of tiles and of values has the same corners as the nodes."""
    degree = Counter(puzzle.node(spot) for cell in puzzle.board for spot in puzzle.spots(cell))
    values = [str(value) for value in puzzle.supply.values]
    takes = {
        tuple(sum(d for d, shown in zip(degree.values(), chosen, strict=True) if shown == v) for v in values)
        for chosen in product(values, repeat=len(degree))
    }
    tiles = [kind.text for kind, copies in puzzle.supply.items() for _ in range(copies)]
    for used in combinations(tiles, len(puzzle.board)):
        has = Counter(chain.from_iterable(used))
        if any(all(has[v] <= t for v, t in zip(values, take, strict=True)) for take in takes):
            return True
    return False


FEW = ["000", "001", "011", "111", "002", "012", "222", "01W", "1WW"]


@settings(max_examples=150)
@given(
    board=boards(least=1, most=4),
    tiles=st.lists(
        st.sampled_from(["000", "001", "011", "111", "002", "012", "222", "01W", "1WW"]), min_size=4, max_size=6
    ),
    match=st.sampled_from(["corners", "edges"]),
)
def test_the_counting_program_proves_all_that_counting_can(board: Board, tiles: list[str], match: Any) -> None:
    if len(board.edges if match == "edges" else board.points) > 8:
        board = Board(board.cells[:2])
    puzzle = Puzzle(board, tiles, match=match)
    assert (counting(encode(puzzle)) is None) == counted_out(puzzle)


@given(
    needs=st.lists(st.integers(0, 3), min_size=1, max_size=5),
    has=st.lists(st.integers(0, 3), min_size=1, max_size=5),
    data=st.data(),
)
def test_a_shortage_is_found_where_halls_condition_fails(needs: list[int], has: list[int], data: st.DataObject) -> None:
    pairs = st.tuples(st.integers(0, len(needs) - 1), st.integers(0, len(has) - 1))
    fits = data.draw(st.lists(pairs, unique=True))

    def short(some: set[int]) -> bool:
        return sum(needs[i] for i in some) > sum(has[j] for j in {j for i, j in fits if i in some})

    subsets = chain.from_iterable(combinations(range(len(needs)), k) for k in range(len(needs) + 1))
    found = reasons._shortage(needs, has, fits)
    assert bool(found) == any(short(set(some)) for some in subsets)
    assert not found or short(found)


# -- each kind of reason ----------------------------------------------------------------------------

CASES: dict[str, tuple[Callable[[], Puzzle], str, str]] = {
    "too few tiles": (
        lambda: ts.load("board-73", "trioker-24"),
        "tiles",
        "too few tiles: 24 for 73 cells",
    ),
    "too few cells": (
        lambda: Puzzle(Board.triangle(2), "trioker-24", fill="tiles"),
        "tiles",
        "too few cells: 4 for 24 tiles",
    ),
    "no tile for a cell": (
        lambda: Puzzle(RHOMBUS, ["011", "022", "000"], border=2),
        "cell",
        "nothing fits r1c1, which must show 2 at its left, 2 at its right and 2 at its top",
    ),
    "no tile for a cell with one value all around": (
        lambda: Puzzle(
            Board.drawing("^.^"),
            ["000", "1WW"],
            border="same",
            clues=[{"cell": "r1c1", "tile": "000"}, {"cell": "r1c3", "tile": "1WW"}],
        ),
        "cell",
        "clue 2 can't hold: nothing fits r1c3, which must show 0 at its left, 0 at its right and 0 at its top",
    ),
    "a value clue that a tile elsewhere contradicts": (
        lambda: Puzzle(
            RHOMBUS,
            ["000", "012", "112"],
            clues=[{"cell": "r1c1", "tile": "000"}, {"corner": "r1c2.right", "value": 2}],
        ),
        "clues",
        "clues 1 and 2 can't both hold: r1c1 can only show 0 at r1c1.right, and r1c2 only 1",
    ),
    "two tiles that can't be neighbours": (
        lambda: Puzzle(
            Board.triangle(2),
            "trioker-24",
            clues=[
                {"cell": "r2c1", "tile": "012"},
                {"cell": "r1c2", "tile": "000"},
                {"cell": "r2c2", "tile": "111"},
            ],
        ),
        "clues",
        "clues 2 and 3 can't both hold: r1c2 can only show 0 at r1c2.left, and r2c2 only 1",
    ),
    "a tile that other cells need": (
        lambda: Puzzle(
            Board.drawing("^.^\n.....^\n.....v"),
            ["000", "000", "001", "005", "045"],
            clues=[
                {"cell": "r1c1", "tile": "000"},
                {"cell": "r1c3", "tile": "000"},
                {"corner": "r3c6.left", "value": 0},
                {"corner": "r3c6.bottom", "value": 0},
                {"corner": "r2c6.top", "value": 5},
            ],
        ),
        "clues",
        "clues 1, 2, 4 and 5 can't all hold: r2c6 can only show 0 or 4 at r2c6.right, and r3c6 only 1 or 5",
    ),
    "more cells than tiles of one kind": (
        lambda: Puzzle(
            Board.triangle(2),
            ["000", "000", "111", "222"],
            clues=[{"cell": "r2c1", "tile": "000"}, {"cell": "r2c3", "tile": "000"}],
        ),
        "cells",
        "only 2 tiles (000) fit the 4 cells r1c2, r2c1, r2c2 and r2c3, which must all show 0",
    ),
    "a tile that fits nowhere": (
        lambda: Puzzle(Board.triangle(2), ["000", "111"], fill="tiles", border=0),
        "cells",
        "every tile is needed, and 111 fits no cell",
    ),
    "an odd number of corners": (
        lambda: Puzzle(SMALL_HEXAGON, ["000", "000", "000", "222", "111", "111"]),
        "counting",
        "the tiles have 9 corners with a 0, and every point takes an even number of them",
    ),
    "an odd number of sides": (
        lambda: Puzzle(SMALL_HEXAGON, ["122"] * 4 + ["123", "133"], match="edges", border=1),
        "counting",
        "the tiles have 9 sides with a 2, and every edge takes an even number of them",
    ),
    "an odd number besides those that a border takes": (
        lambda: Puzzle(SMALL_HEXAGON, ["122"] * 3 + ["133"] * 2 + ["113"], match="edges", border=1),
        "counting",
        "the tiles have 1 side with a 1 besides the 6 at edges that must show it, "
        "and every other edge takes an even number of them",
    ),
    "numbers that don't add up": (
        lambda: Puzzle(Board.drawing("^v^"), ["222", "222", "000", "000"], match="edges", border="same"),
        "counting",
        "the sides with a 0 can't be shared out among edges that take 2 or 5 each, whichever 3 tiles are used "
        "(the border counts as one)",
    ),
    "only all values together": (
        lambda: Puzzle(SMALL_HEXAGON, ["000", "000", "000", "222", "111", "11W"]),
        "counting",
        "the corners of the tiles can't be shared out among the points, value by value "
        "(a counting program with 13 unknowns and 7 equations has no solution)",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_each_kind_of_reason(case: str) -> None:
    make, kind, text = CASES[case]
    puzzle = make()
    found = reason(puzzle)
    assert found == Reason(kind, text)  # type: ignore[arg-type]
    assert str(found) == text


@pytest.mark.parametrize(
    "shape",
    ["parallelogram-6x2", "strip-12", "trapezoid-7-5", "seated-man"]
    + [f"hexiamond-{name}" for name in ("bar", "chevron", "crook", "hook", "snake")],
)
def test_a_long_border_of_one_colour_takes_more_tiles_than_have_it(shape: str) -> None:
    """The boards of the atlas with no solution for MacMahon's tiles and for this reason."""
    found = reason(macmahon(shape))
    assert found is not None
    assert found.kind == "cells"
    assert found.text.startswith("only 13 tiles (111, 112, 113, 114, 122, 123, ...) fit the ")
    assert found.text.endswith("which must all show 1")


@pytest.mark.parametrize("name", ["hexagon-24", "hexagon", "board-73", "macmahon-hexagon", "three-clues"])
def test_there_need_not_be_a_reason(name: str) -> None:
    assert reason(ts.load(name)) is None


def test_all_clues_named_are_needed() -> None:
    make, _, text = CASES["a tile that other cells need"]
    puzzle = make()
    for clue in puzzle.clues:
        rest = [c for c in puzzle.clues if c != clue]
        found = quick(encode(Puzzle(puzzle.board, puzzle.supply, clues=rest)))
        assert found is None or found.text != text
    lone = Puzzle(RHOMBUS, ["012", "333"], clues=[{"corner": "r1c1.right", "value": 0}])
    assert reason(lone) == Reason("cell", "clue 1 can't hold: r1c1 can only show 1 at r1c1.top, and r1c2 only 2")


def test_where_clues_are_many_none_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reasons, "BLAMED", 0)
    found = reason(CASES["two tiles that can't be neighbours"][0]())
    assert found == Reason("cell", "r1c2 can only show 0 at r1c2.left, and r2c2 only 1")


def test_a_cell_that_may_stay_empty_needs_no_tile() -> None:
    rim = {
        Point(1, 0): "1",
        Point(0, 1): "2",
        Point(-1, 1): "3",
        Point(-1, 0): "4",
        Point(0, -1): "5",
        Point(1, -1): "6",
    }
    around = Point(0, 0).cells()
    filling = {cell: "".join(rim.get(corner, "0") for corner in cell.corners()) for cell in around}
    tiles = [text for cell, text in filling.items() if cell != around[1]]
    clues = [TileClue(cell, Tile(filling[cell]), filling[cell]) for cell in (around[0], around[2])]
    # Between the two clues only the tile fits that isn't there.
    assert reason(Puzzle(Board(around), [*tiles, "777"], clues=clues)) is not None
    puzzle = Puzzle(Board(around), tiles, fill="tiles", clues=clues)
    assert reason(puzzle) is None
    assert ts.solve(puzzle) is not None


def test_struck_options_are_no_reason() -> None:
    encoding = encode(CASES["too few tiles"][0]())
    struck = replace(encoding, puzzle=None)
    assert quick(encoding)
    assert quick(struck) is counting(struck) is None


# -- with a search ----------------------------------------------------------------------------------


@settings(max_examples=60)
@given(solved=solved_puzzles(), engine=st.sampled_from(["auto", "dlx", "sweep"]), patience=st.sampled_from([0.0, 9.0]))
def test_a_search_with_reasons_finds_what_there_is(
    solved: tuple[Puzzle, frozenset[Filling]], engine: str, patience: float
) -> None:
    puzzle, expected = solved
    explaining = Explaining(engine_named(engine))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reasons, "PATIENCE", patience)
        run = Run(puzzle, engine=explaining)
        assert {filling_of(s) for s in run} == expected
    assert run.complete
    assert run.status == ("complete" if expected else "infeasible")
    assert explaining.reason == (None if expected else reason(puzzle))


ODD = CASES["an odd number of corners"][0]


def test_a_long_search_is_spared(monkeypatch: pytest.MonkeyPatch) -> None:
    board = Board.parallelogram(7, 7)
    tiles = Supply.of(["000"] * 49 + ["001"] * 48 + ["112"])
    explaining = Explaining(engine_named("dlx"))
    monkeypatch.setattr(reasons, "PATIENCE", 0.0)
    run = Run(Puzzle(board, tiles, border="same"), engine=explaining)
    assert list(run) == []
    assert (run.status, run.complete, run.engine) == ("infeasible", True, "reasons")
    assert explaining.reason is not None
    assert explaining.reason.kind == "counting"


def test_a_search_that_ended_is_explained() -> None:
    explaining = Explaining(engine_named("dlx"))
    run = Run(ODD(), engine=explaining)
    assert list(run) == []
    assert (run.status, run.engine) == ("infeasible", "dlx")
    assert explaining.reason == reason(ODD())


def test_a_search_with_a_quick_reason_never_begins() -> None:
    explaining = Explaining(engine_named("cpsat"))
    run = Run(macmahon("star"), engine=explaining, limit=1)
    assert list(run) == []
    assert (run.status, run.complete, run.engine, run.nodes) == ("infeasible", True, "reasons", 0)


# -- commands ---------------------------------------------------------------------------------------

ODD_FILE = """
name: odd
tiles: {list: ["000", "000", "000", "222", "111", "111"]}
board: {hexagon: [1, 1, 1, 1, 1, 1]}
"""

CLASH_FILE = """
name: clash
tiles: trioker-24
board: {triangle: 2}
clues:
- {cell: r1c2, tile: "000"}
- {cell: r2c2, tile: "111"}
"""


def test_solve_says_why(trisolve: Command, tmp_path: Path) -> None:
    (tmp_path / "odd.yaml").write_text(ODD_FILE)
    (tmp_path / "clash.yaml").write_text(CLASH_FILE)
    clash = "clues 1 and 2 can't both hold: r1c2 can only show 0 at r1c2.left, and r2c2 only 1"
    odd = CASES["an odd number of corners"][2]
    for name, why, engine in (("clash", clash, "reasons"), ("odd", odd, "dlx")):
        done = trisolve("solve", f"{name}.yaml")
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith(f"no solution: {why}, ")
        assert done.stderr.count("\n") == 1
        result = json.loads(trisolve("solve", f"{name}.yaml", "--json", "--all").stdout)
        assert (result["status"], result["complete"], result["reason"]) == ("infeasible", True, why)
        if name == "clash":
            assert result["engine"] == engine
        assert json.loads(trisolve("check", f"{name}.yaml", "--json").stdout)["reason"] == why
        assert trisolve("check", f"{name}.yaml").stdout.endswith(f"\nfilling impossible: {why}\n")


def test_without_a_reason_solve_says_how_far_it_looked(trisolve: Command) -> None:
    done = trisolve("solve", "hexagon-24")
    assert done.returncode == 1
    assert done.stderr.startswith("no solution: no filling exists (exhausted ")
    assert "reason" not in json.loads(trisolve("solve", "hexagon-24", "--json").stdout)
    assert json.loads(trisolve("check", "hexagon", "--json").stdout)["reason"] is None
    last = trisolve("check", "hexagon").stdout.splitlines()[-1]
    assert last == "filling possible: no reason found why there should be none"


def test_a_solution_found_soon_needs_neither_numba_nor_ortools() -> None:
    code = (
        "import sys; from trisolve import cli; "
        "assert cli._status(['solve', 'small-hexagon', '--quiet']) == 0; print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert "numpy" in loaded
    assert not loaded & {"numba", "ortools", "pandas"}


def test_a_border_too_short_for_the_steps_of_the_tiles() -> None:
    found = ts.reason(ts.load("triominoes-hexagon"))
    assert found is not None
    assert found.kind == "border"
    assert str(found) == (
        "the tiles with 2 left over need a border of 30 edges, for they step more often from one value to another than "
        "back, and this one has 18"
    )
    # The strip has a border that is long enough, and solutions.
    assert ts.reason(ts.Puzzle(ts.Board.hexagon([27, 1, 0, 27, 1, 0]), "triominoes")) is None


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for a process")
def test_ctrl_c_works_after_a_reason_was_looked_for() -> None:
    code = (
        "import os, signal, trisolve as ts; ts.reason(ts.load('small-hexagon'))\n"
        "try: os.kill(os.getpid(), signal.SIGINT)\nexcept KeyboardInterrupt: print('heard')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, preexec_fn=heed_ctrl_c
    )
    assert (done.returncode, done.stdout) == (0, "heard\n")
