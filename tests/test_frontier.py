"""Counting by parts: both methods against brute force, the join against its definition, stops and memory."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import product
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import Filling, solved_puzzles

from trisolve.board import Board
from trisolve.encoding import encode
from trisolve.engines import Run, auto, compiled, count, engine_named, frontier, kernels, meeting
from trisolve.engines.base import EngineError, OutOfMemory, Request, free_memory
from trisolve.engines.order import allowed_values
from trisolve.engines.points import Uses
from trisolve.lattice import Cell
from trisolve.puzzle import Puzzle
from trisolve.symmetry import classes
from trisolve.tiles import Supply, named_set

WITH_EVERY_TRAIT = {
    "one joker": Puzzle(Board.hexagon([1] * 6), "trioker"),
    "two jokers that can meet": Puzzle(Board.hexagon([1] * 6), Supply.of(["000", "001", "011", "111"]).with_jokers(2)),
    "nothing but wild": Puzzle(Board.triangle(2), Supply.of(["WWW"] * 3 + ["000", "012"])),
    "two wild corners each": Puzzle(Board.hexagon([1] * 6), ["0WW", "1WW", "0WW", "01W", "111", "000", "001"]),
    "copies": Puzzle(Board.hexagon([1] * 6), Supply.of(["000", "001", "011", "111", "012"]).times(2)),
    "some copies without end": Puzzle(Board.triangle(2), ["000"] * 9 + ["111"] * 2 + ["001", "011", "01W"]),
    "one border value": Puzzle(Board.hexagon([1] * 6), "macmahon", border="same"),
    "a part of its own": Puzzle(Board([*Board.triangle(2), Cell(9, 9, True), Cell(9, 9, False)]), "trioker-even"),
    "clues": Puzzle(Board.hexagon([1] * 6), "trioker", clues=[{"cell": "r1c2", "tile": "12W"}]),
    "tile clue that fixes one half only": Puzzle(Board.triangle(2), "trioker", clues=[{"cell": "r2c2", "tile": "000"}]),
    "no tile left over": Puzzle(Board.triangle(2), ["012", "022", "122", "002"]),
}


@contextmanager
def forced(method: str, fast: bool = True) -> Iterator[None]:
    """Make the engine use one of its methods, compiled or not."""
    with ExitStack() as stack:
        stack.enter_context(patch.object(frontier, "chosen_method", lambda e: (method, 1.0)))
        if fast:
            stack.enter_context(patch.object(compiled, "COMPILE_ABOVE", -1.0))
        else:
            stack.enter_context(patch.object(compiled, "compiled", lambda kernel, example: None))
        yield


@pytest.mark.parametrize("fast", [True, False])
@pytest.mark.parametrize("method", ["meet", "transfer"])
@pytest.mark.parametrize("name", WITH_EVERY_TRAIT)
def test_counts_are_right(name: str, method: str, fast: bool) -> None:
    puzzle = WITH_EVERY_TRAIT[name]
    expected = Run(puzzle, engine="reference", counting=True)
    list(expected)
    with forced(method, fast):
        run = Run(puzzle, engine="frontier", counting=True)
        assert list(run) == []
    assert (run.found, run.complete, run.status) == (expected.found, True, "complete")


@pytest.mark.parametrize("method", ["meet", "transfer"])
@settings(max_examples=150, deadline=None)
@given(solved=solved_puzzles())
def test_counts_are_right_on_random_puzzles(method: str, solved: tuple[Puzzle, frozenset[Filling]]) -> None:
    puzzle, expected = solved
    with forced(method):
        assert count(puzzle, engine="frontier", workers=1) == len(expected)


@pytest.mark.parametrize(
    ("board", "points"),
    [
        (Board.triangle(1), 3),
        (Board.hexagon([1] * 6), 7),
        (Board.parallelogram(3, 7), 32),
        (Board.hexagon([2] * 6), 19),
    ],
)
def test_closed_form_with_copies_without_end(board: Board, points: int) -> None:
    copies = named_set("trioker-24").supply().times(len(board))
    assert len(board.points) == points
    assert count(Puzzle(board, copies), engine="frontier") == 4**points
    edges = named_set("macmahon").supply().times(len(board))
    if len(board) < 20:
        assert count(Puzzle(board, edges, match="edges"), engine="frontier") == 4 ** len(board.edges)


def test_totals_never_wrap() -> None:
    board = Board.parallelogram(3, 8)
    tens = named_set("complete-2").supply().times(len(board))
    far = Board([c._replace(x=c.x + 20 * i) for i in range(3) for c in board])
    assert count(Puzzle(far, tens.times(3)), engine="frontier") == (2 ** len(board.points)) ** 3 > 1 << 64


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_any_number_of_workers_gives_the_same(workers: int) -> None:
    with forced("meet"):
        run = Run(Puzzle(Board.hexagon([1] * 6), "trioker"), engine="frontier", counting=True, workers=workers)
        list(run)
    expected = count(Puzzle(Board.hexagon([1] * 6), "trioker"), engine="sweep")
    assert run.found == expected
    one = Run(Puzzle(Board.hexagon([1] * 6), "trioker"), engine="frontier", counting=True, workers=1)
    with forced("meet"):
        list(one)
    assert run.nodes == one.nodes


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_the_join_counts_pairs_within_the_copies(data: st.DataObject) -> None:
    copies = data.draw(st.lists(st.integers(1, 3), min_size=1, max_size=6))
    width = [c.bit_length() for c in copies]
    shift = [sum(width[i + 1 :]) for i in range(len(copies))]
    vectors = st.tuples(*(st.integers(0, c) for c in copies))
    lists = [data.draw(st.lists(vectors, min_size=1, max_size=30, unique=True)) for _ in range(2)]
    often = [data.draw(st.lists(st.integers(1, 5), min_size=len(x), max_size=len(x))) for x in lists]
    spare = data.draw(st.integers(0, sum(copies)))
    expected = sum(
        m * n
        for (a, m), (b, n) in product(*(list(zip(x, o, strict=True)) for x, o in zip(lists, often, strict=True)))
        if all(x + y <= c for x, y, c in zip(a, b, copies, strict=True))
        and sum(c - x - y for x, y, c in zip(a, b, copies, strict=True)) <= spare
    )
    numbers = [[sum(v << s for v, s in zip(vector, shift, strict=True)) for vector in x] for x in lists]
    arguments = []
    for x, o in zip(numbers, often, strict=True):
        pairs = sorted(zip(x, o, strict=True))
        arguments += [[a for a, _ in pairs], [n for _, n in pairs]]
    stack = [0] * 6 * 10 * 8
    stack[:6] = [0, len(numbers[0]), 0, len(numbers[1]), 0, spare]
    scalars = [1, 0, 0]
    steps = 0
    while kernels.join_kernel()(shift, width, copies, *arguments, [], [], stack, scalars, 3) != kernels.DONE:
        steps += 1
    # Small blocks of pairs are compared directly; a pair with too much left over can slip in only if no
    # filling has it, and then the copies left over are the same for all pairs.
    if spare == sum(copies):
        assert scalars[1] == expected
    else:
        assert scalars[1] >= expected


def test_cases_cover_all_values_once() -> None:
    encoding = encode(Puzzle(Board.hexagon([1] * 6), "trioker-24", clues=[{"corner": "r1c1.left", "value": 3}]))
    nodes = list(range(4))
    index = {v: i for i, v in enumerate(encoding.values)}
    assert encoding.puzzle is not None
    groups = [tuple(index[v] for v in g) for g in classes(encoding.puzzle) if len(g) > 1]
    allowed = allowed_values(encoding)
    every = sum(1 for _ in product(*(allowed[p] for p in nodes)))
    found = list(meeting.cases(encoding, nodes, groups))
    assert sum(weight for _, weight in found) == every
    assert len(found) < every
    assert len({values for values, _ in found}) == len(found)
    assert sum(weight for _, weight in meeting.cases(encoding, nodes, [])) == every


def test_a_cut_parts_the_board() -> None:
    for board in (Board.hexagon([2] * 6), Board.parallelogram(1, 1), Board.parallelogram(5, 1)):
        encoding = encode(Puzzle(board, "trioker"))
        cut = meeting.best_cut(encoding)
        assert cut is not None
        assert sorted(cut.halves[0] + cut.halves[1]) == list(range(len(board)))
        at = [set(encoding.cell_nodes[half].ravel().tolist()) for half in cut.halves]
        assert set(cut.nodes) == at[0] & at[1]
    assert meeting.best_cut(encode(Puzzle(Board.triangle(1), "trioker"))) is None


def test_memory_is_bounded() -> None:
    puzzle = Puzzle(Board.parallelogram(4, 2), "trioker-24")
    for method in ("meet", "transfer"):
        with forced(method), pytest.raises(OutOfMemory, match="needs more memory than it has"):
            list(engine_named("frontier").start(encode(puzzle), Request(counting=True, memory=2000)))


def test_auto_goes_over_to_the_sweep_when_memory_runs_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auto, "counts_by_parts", lambda e: True)
    puzzle = Puzzle(Board.hexagon([1] * 6), "trioker-24")
    expected = count(puzzle, engine="sweep")
    work = engine_named("auto").start(encode(puzzle), Request(counting=True))
    assert work.engine == "frontier"
    list(work)
    assert (work.found, work.exhausted, work.engine) == (expected, True, "frontier")
    work = engine_named("auto").start(encode(puzzle), Request(counting=True, memory=100))
    list(work)
    assert (work.found, work.exhausted, work.engine) == (expected, True, "sweep")


def test_it_only_counts() -> None:
    with pytest.raises(EngineError, match="counts solutions without listing them"):
        Run(Puzzle(Board.triangle(1), "trioker"), engine="frontier")


def test_stopping_early_leaves_no_threads_and_no_claim() -> None:
    before = threading.active_count()
    with forced("meet"):
        work = engine_named("frontier").start(
            encode(Puzzle(Board.hexagon([2] * 6), "trioker-24")), Request(counting=True)
        )
        steps = iter(work)
        next(steps)
        steps.close()  # type: ignore[attr-defined]
    assert not work.exhausted
    # A thread ends at its next slice of work, and nobody waits for it.
    until = time.monotonic() + 60
    while threading.active_count() > before and time.monotonic() < until:
        time.sleep(0.01)
    assert threading.active_count() == before


def test_free_memory_is_a_number_of_bytes() -> None:
    assert 1 << 20 < free_memory() < 1 << 50


def test_uses_fields() -> None:
    encoding = encode(Puzzle(Board.triangle(2), ["000", "000", "111", "001"] + ["011"] * 7))
    uses = Uses.of(encoding)
    by_tile = {encoding.kinds[t].text: (s, w) for t, s, w in zip(uses.kinds, uses.shift, uses.width, strict=True)}
    assert set(by_tile) == {"000", "111", "001"}
    assert by_tile["000"][1] == 2
    assert uses.bits == 4
    assert np.all(np.diff(uses.shift) < 0)
