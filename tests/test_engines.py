"""The contract that every engine keeps, and the numbers to trust.

:class:`TestCounting` and :class:`TestListing` have the tests, and an engine takes part by its name in
:data:`NAMES` or :data:`LISTING`. Solutions are compared as sets with those of the reference engine, whose
own answers are held against verify, the closed forms and the table of known counts at the end.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import islice, product

import pytest
from conftest import environment, heed_ctrl_c
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import Filling, boards, filling_of, solved_puzzles

from trisolve.board import Board
from trisolve.encoding import Encoding, encode
from trisolve.engines import ENGINES, Run, count, engine_named, solutions, solve
from trisolve.engines.base import EngineError, Request
from trisolve.lattice import Cell
from trisolve.puzzle import Puzzle
from trisolve.solution import Solution, verify
from trisolve.tiles import SETS, Supply, Tile

LISTING = ("auto", "dlx", "sweep", "cpsat", "reference")
"""The engines that list solutions."""

NAMES = (*LISTING, "frontier")
"""All engines: these count them."""

HEXAGON = [2, 2, 2, 2, 2, 2]
ROW = Board(Cell(x, 0, True) for x in range(0, 60, 2))


MACMAHON = Puzzle(Board.hexagon(HEXAGON), "macmahon", border=1)


def hexagon(tiles: str = "trioker") -> Puzzle:
    return Puzzle(Board.hexagon(HEXAGON), tiles)


Restricted = tuple[Encoding, set[Filling]]


@st.composite
def restricted_puzzles(draw: st.DrawFn) -> Restricted:
    """An encoding without up to five of its options, and the solutions that use none of those."""
    puzzle, expected = draw(solved_puzzles())
    encoding = encode(puzzle)
    possible = encoding.possible()
    struck = set()
    options = encoding.options().tolist()
    for cell, label in draw(st.lists(st.sampled_from(options), max_size=5)) if options else []:
        possible[cell, label] = False
        struck.add((encoding.cells[cell], encoding.label_text(label)))
    return encoding.restricted(possible), {f for f in expected if not f & struck}


@pytest.mark.parametrize("engine", NAMES)
class TestCounting:
    """What every engine promises."""

    @settings(max_examples=50)
    @given(solved=solved_puzzles())
    def test_counts_what_it_enumerates(self, engine: str, solved: tuple[Puzzle, frozenset[Filling]]) -> None:
        puzzle, expected = solved
        run = Run(puzzle, engine=engine, counting=True)
        assert list(run) == []
        assert (run.found, run.complete, run.status) == (len(expected), True, "complete")

    def test_what_a_wild_corner_stands_for_is_no_part_of_a_solution(self, engine: str) -> None:
        for tiles, number in [(["WWW"], 1), (["12W"], 3), (["1WW", "2WW"], 6)]:
            assert count(Puzzle(Board([Cell(0, 0, True)]), tiles), engine=engine) == number
        two = Board([Cell(0, 0, True), Cell(0, 0, False)])
        assert count(Puzzle(two, ["WWW", "WWW"]), engine=engine) == 1
        assert count(Puzzle(two, ["WWW", "000", "123"]), engine=engine) == 8

    @settings(max_examples=40)
    @given(board=boards(most=3), match=st.sampled_from(["corners", "edges"]), values=st.integers(1, 3))
    def test_with_unlimited_copies_every_assignment_of_values_is_a_solution(
        self, engine: str, board: Board, match: str, values: int
    ) -> None:
        nodes = len(board.points if match == "corners" else board.edges)
        assume(values**nodes <= 3000)
        supply = SETS[f"complete-{values}"].supply().times(3)
        assert count(Puzzle(board, supply, match=match), engine=engine) == values**nodes  # type: ignore[arg-type]

    def test_an_empty_board_has_one_solution(self, engine: str) -> None:
        for tiles in ("trioker", []):
            assert count(Puzzle(Board([]), tiles), engine=engine) == 1

    def test_too_few_tiles_have_no_solution(self, engine: str) -> None:
        assert count(Puzzle(Board.triangle(1), []), engine=engine) == 0
        assert count(Puzzle(Board(ROW.cells[:4]), ["000", "123", "33W"]), engine=engine) == 0

    def test_a_count_can_be_stopped(self, engine: str) -> None:
        ticks = []

        def tick(run: Run) -> None:
            ticks.append((run.nodes, run.fraction))

        run = Run(MACMAHON, engine=engine, counting=True, time_limit=0.25, on_tick=tick)
        assert list(run) == []
        assert (run.status, run.complete) == ("limit", False)
        assert run.found < 11_853_792
        assert ticks
        assert all(0 <= fraction <= 1 for _, fraction in ticks)

    @settings(max_examples=25)
    @given(restricted=restricted_puzzles())
    def test_counts_what_struck_options_leave(self, engine: str, restricted: Restricted) -> None:
        encoding, expected = restricted
        work = engine_named(engine).start(encoding, Request(counting=True))
        assert not any(len(block) for block in work)
        assert (work.found, work.exhausted) == (len(expected), True)


@pytest.mark.parametrize("engine", LISTING)
class TestListing:
    """What an engine promises that lists solutions."""

    @settings(max_examples=150)
    @given(solved=solved_puzzles())
    def test_finds_the_solutions_that_there_are(self, engine: str, solved: tuple[Puzzle, frozenset[Filling]]) -> None:
        puzzle, expected = solved
        run = Run(puzzle, engine=engine)
        found = list(run)
        assert {filling_of(s) for s in found} == expected
        assert len(found) == len(expected)
        assert all(verify(puzzle, s) for s in found)
        assert (run.found, run.complete) == (len(expected), True)
        assert run.status == ("complete" if expected else "infeasible")

    @settings(max_examples=50)
    @given(solved=solved_puzzles(), limit=st.integers(1, 4), seed=st.none() | st.integers(0, 2**40))
    def test_stops_at_the_limit(
        self, engine: str, solved: tuple[Puzzle, frozenset[Filling]], limit: int, seed: int | None
    ) -> None:
        puzzle, expected = solved
        run = Run(puzzle, engine=engine, limit=limit, seed=seed)
        found = list(run)
        fillings = {filling_of(s) for s in found}
        assert len(found) == len(fillings) == min(limit, len(expected)) == run.found
        assert fillings <= expected
        if len(expected) >= limit:
            assert run.status == "solved"
        else:
            assert run.complete
            assert run.status == ("complete" if expected else "infeasible")

    @settings(max_examples=20)
    @given(solved=solved_puzzles(), seed=st.integers(0, 2**64))
    def test_a_seed_changes_the_order_only(
        self, engine: str, solved: tuple[Puzzle, frozenset[Filling]], seed: int
    ) -> None:
        puzzle, expected = solved
        found = list(Run(puzzle, engine=engine, seed=seed))
        assert {filling_of(s) for s in found} == expected
        assert len(found) == len(expected)

    @settings(max_examples=30)
    @given(solved=solved_puzzles(), limit=st.none() | st.integers(1, 3), read=st.integers(0, 3))
    def test_only_an_engine_that_went_to_the_end_says_so(
        self, engine: str, solved: tuple[Puzzle, frozenset[Filling]], limit: int | None, read: int
    ) -> None:
        puzzle, expected = solved
        encoding = encode(puzzle)
        work = engine_named(engine).start(encoding, Request(limit=limit))
        found = {tuple(map(int, labels)) for block in work for labels in block}
        assert work.found == len(found) >= min(len(expected), limit or len(expected))
        assert work.exhausted <= (len(found) == len(expected))
        assert work.exhausted or limit is not None
        # One that is closed knows nothing, even if it could have ended by itself.
        work = engine_named(engine).start(encoding, Request(limit=limit))
        steps = iter(work)
        read_first = sum(len(block) for block in islice(steps, read))
        steps.close()  # type: ignore[attr-defined]
        assert work.exhausted <= (read_first == len(expected))

    @pytest.mark.parametrize("limit", [1, 3])
    def test_a_seed_gives_the_same_solutions_again_and_another_seed_others(self, engine: str, limit: int) -> None:
        puzzle = Puzzle(Board.hexagon([1, 1, 1, 1, 1, 1]), "trioker")

        def first(seed: int | None) -> list[Solution]:
            return list(Run(puzzle, engine=engine, limit=limit, seed=seed))

        assert first(7) == first(7)
        assert len({filling_of(first(seed)[0]) for seed in range(8)}) > 2

    def test_an_empty_board_has_one_solution(self, engine: str) -> None:
        for tiles in ("trioker", []):
            run = Run(Puzzle(Board([]), tiles), engine=engine)
            assert [s.cells for s in run] == [{}]
            assert (run.status, run.complete) == ("complete", True)

    def test_too_few_tiles_are_infeasible_at_any_size(self, engine: str) -> None:
        # All tiles fit anywhere, so that only counting them tells.
        boards_and_tiles = [(Board.triangle(1), []), (Board(ROW.cells[:4]), ["000", "123", "33W"])]
        if engine != "reference":
            boards_and_tiles.append((ROW, ["123"] * (len(ROW) - 1)))
        for board, tiles in boards_and_tiles:
            run = Run(Puzzle(board, tiles), engine=engine)
            assert list(run) == []
            assert (run.status, run.complete, run.found) == ("infeasible", True, 0)

    def test_a_cell_that_nothing_fits_is_infeasible(self, engine: str) -> None:
        clues = [{"corner": "r1c1.left", "value": 2}, {"corner": "r1c1.top", "value": 1}]
        puzzle = Puzzle(Board.triangle(1), ["011", "022"], clues=clues)
        run = Run(puzzle, engine=engine)
        assert list(run) == []
        assert run.status == "infeasible"

    def test_clues_of_every_kind_bind(self, engine: str) -> None:
        board = Board.triangle(2)
        every = {filling_of(s) for s in Run(Puzzle(board, "trioker"), engine="reference")}
        top, middle = board.cell("r1c2"), board.cell("r2c2")
        named = {"cell": "r1c2", "tile": "12W"}
        for clue, holds in [
            (named, lambda f: Tile(f[top]) == Tile("12W")),
            ({**named, "corner": "top"}, lambda f: f[top] == "2W1"),
            ({"corner": "r2c2.left", "value": 3}, lambda f: f[middle][2] in "3W"),
        ]:
            wanted = {f for f in every if holds(dict(f))}
            if "value" in clue:
                # A wild corner agrees, but so must the other cells at the point.
                left = board.cell("r2c1"), board.cell("r1c2")
                wanted = {f for f in wanted if dict(f)[left[0]][2] in "3W" and dict(f)[left[1]][0] in "3W"}
            run = Run(Puzzle(board, "trioker", clues=[clue]), engine=engine)
            assert {filling_of(s) for s in run} == wanted
            assert wanted

    def test_two_runs_at_once_do_not_disturb_each_other(self, engine: str) -> None:
        puzzle = Puzzle(Board.triangle(2), "trioker-even")
        a, b = iter(Run(puzzle, engine=engine)), iter(Run(puzzle, engine=engine))
        mixed = [s for pair in zip(a, b, strict=True) for s in pair]
        assert {filling_of(s) for s in mixed} == {filling_of(s) for s in Run(puzzle, engine="reference")}
        assert len(mixed) == 2 * len(set(mixed))

    def test_closing_early_is_fine(self, engine: str) -> None:
        puzzle = Puzzle(Board(ROW.cells[:12]), SETS["trioker"].supply().times(3))
        for number in (0, 1, 5):
            run = Run(puzzle, engine=engine)
            steps = iter(run)
            assert len(list(islice(steps, number))) == number
            steps.close()  # type: ignore[attr-defined]
            assert not run.complete
            assert run.found == number

    def test_a_time_limit_stops_it_and_ticks_come(self, engine: str) -> None:
        # A hundred million solutions and more: nobody counts them one by one in a quarter of a second.
        puzzle = Puzzle(Board(ROW.cells[:12]), SETS["trioker"].supply().times(12))
        ticks = []

        def tick(run: Run) -> None:
            ticks.append((run.found, run.nodes, run.fraction))

        run = Run(puzzle, engine=engine, time_limit=0.25, on_tick=tick)
        for _ in run:
            pass
        assert (run.status, run.complete) == ("limit", False)
        assert ticks
        assert ticks == sorted(ticks)
        fractions = [fraction for _, _, fraction in ticks]
        assert fractions == sorted(fractions)
        assert all(0 <= fraction <= 1 for fraction in fractions)

    @settings(max_examples=25)
    @given(restricted=restricted_puzzles())
    def test_lists_what_struck_options_leave(self, engine: str, restricted: Restricted) -> None:
        encoding, expected = restricted
        work = engine_named(engine).start(encoding, Request())
        found = [frozenset(encoding.decode(labels).items()) for block in work for labels in block]
        assert set(found) == expected
        assert len(found) == len(expected)
        assert work.exhausted


def test_the_contract_is_for_every_engine() -> None:
    assert set(ENGINES) == set(NAMES)
    with pytest.raises(EngineError, match="engine frontier can't take this puzzle: it counts solutions"):
        Run(hexagon(), engine="frontier")


def test_an_unknown_engine_is_an_error() -> None:
    with pytest.raises(EngineError, match="no engine 'magic': expected one of auto, dlx"):
        Run(hexagon(), engine="magic")


def test_reference_and_cpsat_refuse_what_is_too_large() -> None:
    with pytest.raises(EngineError, match="engine reference can't take this puzzle: it is brute force"):
        Run(Puzzle(Board.triangle(11), "trioker"), engine="reference")
    with pytest.raises(EngineError, match="engine cpsat can't take this puzzle: its model would have"):
        Run(Puzzle(Board.triangle(34), "complete-10"), engine="cpsat")


# -- the reference engine and verify, from the definition ---------------------------------------------


def candidates(puzzle: Puzzle) -> Iterator[dict[Cell, str]]:
    """Every way to put tiles of the supply into the cells, right or wrong."""
    ways = [way for tile in puzzle.supply for way in tile.orientations()]
    for texts in product(ways, repeat=len(puzzle.board)):
        yield dict(zip(puzzle.board.cells, texts, strict=True))


@settings(max_examples=150)
@given(solved_puzzles(most=3))
def test_reference_finds_just_what_verify_accepts(solved: tuple[Puzzle, frozenset[Filling]]) -> None:
    puzzle, expected = solved
    assume(sum(len(t.orientations()) for t in puzzle.supply) ** len(puzzle.board) <= 3000)
    right = {frozenset(c.items()) for c in candidates(puzzle) if verify(puzzle, Solution(puzzle, c))}
    assert right == expected


@settings(max_examples=150)
@given(solved_puzzles(), st.data())
def test_verify_judges_a_changed_solution_as_the_full_list_of_solutions_does(
    solved: tuple[Puzzle, frozenset[Filling]], data: st.DataObject
) -> None:
    puzzle, expected = solved
    assume(expected and puzzle.board.cells)
    filling = dict(data.draw(st.sampled_from(sorted(expected, key=sorted))))
    for cell in puzzle.board:
        for way in [way for tile in puzzle.supply for way in tile.orientations()]:
            changed = {**filling, cell: way}
            assert bool(verify(puzzle, Solution(puzzle, changed))) == (frozenset(changed.items()) in expected)


# -- the library's functions --------------------------------------------------------------------------


def test_solve_solutions_and_count() -> None:
    puzzle = Puzzle(Board.triangle(2), "trioker-24")
    found = solve(puzzle)
    assert found is not None
    assert verify(puzzle, found)
    assert len(set(solutions(puzzle))) == 2184
    number = count(puzzle)
    assert number == 2184
    assert number.complete
    assert number.nodes > 0
    assert repr(number) == "2184"
    assert solve(Puzzle(Board.triangle(2), ["000"])) is None


def test_running_out_of_time_is_told() -> None:
    many = Puzzle(Board(ROW.cells[:12]), SETS["trioker"].supply().times(12))
    with pytest.raises(TimeoutError, match="solutions, not all"):
        for _ in solutions(many, time_limit=0.1):
            pass
    number = count(MACMAHON, time_limit=0.1)
    assert not number.complete
    assert repr(number).startswith("at least ")
    with pytest.raises(TimeoutError, match=r"no solution found in .* s, and none excluded"):
        solve(hexagon("trioker-24"), engine="reference", time_limit=0.1)


# -- CP-SAT: its thread -------------------------------------------------------------------------------


def test_cpsat_stops_a_solver_that_waits_for_a_slow_reader() -> None:
    many = Puzzle(Board(ROW.cells[:12]), SETS["trioker"].supply().times(12))
    run = Run(many, engine="cpsat")
    steps = iter(run)
    next(steps)
    queue = run._work._queue  # type: ignore[attr-defined]
    while not queue.full():
        time.sleep(0.01)
    began = time.monotonic()
    steps.close()  # type: ignore[attr-defined]
    assert time.monotonic() - began < 30


def test_cpsat_passes_errors_on(monkeypatch: pytest.MonkeyPatch) -> None:
    from trisolve.engines import cpsat

    def broken(*_: object) -> None:
        raise ZeroDivisionError("from the solver's thread")

    puzzle = Puzzle(Board.triangle(1), "trioker")
    with monkeypatch.context() as patch:
        patch.setattr(
            cpsat.CpsatWork, "hand_over", lambda self, labels: broken() if labels else self._queue.put(labels)
        )
        with pytest.raises(ZeroDivisionError, match="from the solver's thread"):
            list(Run(puzzle, engine="cpsat"))
    monkeypatch.setattr(cpsat, "build", broken)
    with pytest.raises(ZeroDivisionError, match="from the solver's thread"):
        list(Run(puzzle, engine="cpsat"))


INTERRUPTED = """
import trisolve.engines as e
from trisolve.board import Board
from trisolve.puzzle import Puzzle
run = e.Run(Puzzle(Board.hexagon([2] * 6), "trioker"), engine="cpsat")
try:
    for _ in run:
        print("found", flush=True)
except KeyboardInterrupt:
    print(run.status, run.complete)
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for a child process")
def test_ctrl_c_reaches_the_caller_while_cpsat_is_at_work() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED],
        stdout=subprocess.PIPE,
        text=True,
        env=environment(),
        preexec_fn=heed_ctrl_c,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "found\n"
        process.send_signal(signal.SIGINT)
        assert process.stdout.read().replace("found\n", "") == "interrupted False\n"


# -- numbers to trust (each found in two or more independent ways) -----------------------------------

# fmt: off
EAGLE = (
    (0, 0), (0, 1), (-1, 1), (-1, 2), (-1, 3), (0, 3), (1, 3), (1, 4),
    (2, 4), (3, 3), (2, 3), (2, 2), (2, 1), (3, 0), (2, 0), (1, 0),
)
SEATED_MAN = (
    (0, 0), (0, 1), (0, 2), (1, 2), (2, 1), (2, 2), (2, 3), (1, 3), (0, 4), (0, 5),
    (1, 5), (2, 4), (3, 3), (4, 2), (4, 1), (4, 0), (3, 0), (2, 0), (1, 1), (1, 0),
)
# fmt: on

BOARDS = {
    "cell": Board.triangle(1),
    "rhombus": Board.parallelogram(1, 1),
    "trapezoid": Board.hexagon([2, 0, 1, 1, 1, 0]),
    "triangle 2": Board.triangle(2),
    "hexagon 1": Board.hexagon([1] * 6),
    "two at a point": Board([Cell(0, 0, True), Cell(1, 0, True)]),
    "two apart": Board([Cell(0, 0, True), Cell(9, 0, True)]),
    "hexagon 2": Board.hexagon(HEXAGON),
    "triangle 5": Board.triangle(5),
    "parallelogram 4x3": Board.parallelogram(4, 3),
    "parallelogram 6x2": Board.parallelogram(6, 2),
    "seated man": Board.outline(SEATED_MAN),
    "eagle": Board.outline(EAGLE),
    "73 cells": Board.hexagon([4, 3, 4, 3, 4, 3]),
}

KERNELS = ("dlx", "sweep")
COUNTING = (*KERNELS, "frontier")
SMALL = NAMES

COUNTS: list[tuple[str, str, int, tuple[str, ...]]] = [
    ("cell", "trioker-24", 64, SMALL),
    ("rhombus", "trioker-24", 216, SMALL),
    ("trapezoid", "trioker-24", 696, SMALL),
    ("triangle 2", "trioker-24", 2_184, SMALL),
    ("hexagon 1", "trioker-24", 3_216, SMALL),
    ("cell", "9 x trioker-24", 4**3, SMALL),
    ("rhombus", "9 x trioker-24", 4**4, SMALL),
    ("trapezoid", "9 x trioker-24", 4**5, SMALL),
    ("triangle 2", "9 x trioker-24", 4**6, SMALL),
    ("hexagon 1", "9 x trioker-24", 4**7, ("auto", "dlx", "sweep", "frontier", "reference")),
    ("two at a point", "trioker-24", 936, SMALL),
    ("two apart", "trioker-24", 3_912, SMALL),
    ("hexagon 2", "trioker-24", 0, ("auto", "dlx", "sweep", "cpsat", "frontier")),
    ("hexagon 2", "trioker", 1_680, COUNTING),
    ("triangle 5", "trioker", 852, COUNTING),
    ("parallelogram 4x3", "trioker-24", 120, ("dlx", "sweep", "cpsat", "frontier")),
    ("parallelogram 6x2", "trioker-24", 240, COUNTING),
    ("seated man", "trioker-24", 720, COUNTING),
    ("seated man", "trioker", 61_686, COUNTING),
    ("eagle", "trioker", 2_314_500, COUNTING),
]
"""Board, tiles, solutions, and the engines that count them in a few seconds."""

SLOW_COUNTS = [
    ("hexagon 2", "trioker", 1_680),
    ("triangle 5", "trioker", 852),
    ("parallelogram 6x2", "trioker-24", 240),
]
"""What CP-SAT takes up to a minute to count."""


def supply_of(text: str) -> Supply:
    copies, times, name = text.rpartition(" x ")
    return SETS[name].supply().times(int(copies) if times else 1)


@pytest.mark.parametrize(
    ("board", "tiles", "number", "engine"), [(b, t, n, engine) for b, t, n, engines in COUNTS for engine in engines]
)
def test_known_counts(board: str, tiles: str, number: int, engine: str) -> None:
    found = count(Puzzle(BOARDS[board], supply_of(tiles)), engine=engine)
    assert (found, found.complete) == (number, True)


@pytest.mark.slow
@pytest.mark.parametrize(("board", "tiles", "number"), SLOW_COUNTS)
def test_known_counts_by_cpsat(board: str, tiles: str, number: int) -> None:
    found = count(Puzzle(BOARDS[board], supply_of(tiles)), engine="cpsat")
    assert (found, found.complete) == (number, True)


@pytest.mark.slow
def test_macmahons_hexagon() -> None:
    assert count(MACMAHON, engine="sweep") == 11_853_792


@pytest.mark.parametrize("engine", KERNELS)
def test_all_solutions_of_the_hexagon_are_different_and_right(engine: str) -> None:
    puzzle = hexagon()
    found = list(Run(puzzle, engine=engine))
    assert len(set(found)) == len(found) == 1680
    assert all(verify(puzzle, s) for s in found)


@pytest.mark.parametrize("engine", ["auto", "cpsat"])
@pytest.mark.parametrize("seed", [None, 1])
def test_73_cells_take_three_sets_and_a_joker(engine: str, seed: int | None) -> None:
    puzzle = Puzzle(BOARDS["73 cells"], supply_of("3 x trioker-24").with_jokers(1))
    assert puzzle.supply.total == len(puzzle.board) == 73
    found = solve(puzzle, engine=engine, seed=seed)
    assert found is not None
    assert verify(puzzle, found)


@pytest.mark.parametrize("engine", [name for name in NAMES if name != "reference"])
def test_72_tiles_are_too_few_for_73_cells(engine: str) -> None:
    puzzle = Puzzle(BOARDS["73 cells"], supply_of("3 x trioker-24"))
    if engine in LISTING:
        assert solve(puzzle, engine=engine) is None
    assert count(puzzle, engine=engine) == 0
