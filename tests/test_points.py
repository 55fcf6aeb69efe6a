"""Counting by values at points: against brute force and against the sweep over cells, in all its ways."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import product
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import Filling, solved_puzzles

from trisolve.board import Board
from trisolve.encoding import Encoding, encode
from trisolve.engines import compiled, count, engine_named, kernels, meeting, parts, points, search
from trisolve.engines.base import Request
from trisolve.engines.points import PointPlan, told_by_points
from trisolve.lattice import Cell
from trisolve.puzzle import Puzzle
from trisolve.symmetry import classes
from trisolve.tiles import Supply

HEXAGON = Board.hexagon([1] * 6)
SMALL_SET = ["000", "001", "002", "011", "012", "021", "022", "111", "112", "122", "222"]

WITH_EVERY_TRAIT = {
    "no joker, nothing left over": Puzzle(Board.triangle(2), ["012", "022", "122", "002"]),
    "tiles left over": Puzzle(HEXAGON, "trioker-24"),
    "the joker": Puzzle(HEXAGON, "trioker"),
    "the joker at a tip": Puzzle(Board.triangle(2), "trioker"),
    "the joker alone": Puzzle(Board.triangle(1), "trioker"),
    "the joker needed": Puzzle(Board.triangle(2), ["12W", "012", "122", "001"]),
    "no symmetry": Puzzle(Board([*Board.parallelogram(2, 1), Cell(0, 1, True)]), "trioker"),
    "two wild corners": Puzzle(HEXAGON, [*SMALL_SET, "1WW"]),
    "nothing but wild": Puzzle(HEXAGON, [*SMALL_SET, "WWW"]),
    "two jokers": Puzzle(Board.triangle(2), Supply.of(SMALL_SET).with_jokers(2)),
    "copies that run out": Puzzle(HEXAGON, Supply.of(SMALL_SET).times(2)),
    "copies without end": Puzzle(HEXAGON, ["001", "011"] * 6 + ["000", "111", "01W"]),
    "sides": Puzzle(Board.triangle(2), "macmahon", border="same"),
    "sides, and the border tells much": Puzzle(HEXAGON, "macmahon", border=1),
    "border of one value with the joker": Puzzle(HEXAGON, "trioker", border="same"),
    "a cell all of whose sides are one node": Puzzle(Board.triangle(1), "macmahon", border="same"),
    "the joker where a clue is": Puzzle(Board.triangle(2), "trioker", clues=[{"corner": "r1c2.top", "value": 3}]),
    "the joker clued": Puzzle(HEXAGON, "trioker", clues=[{"cell": "r1c2", "tile": "12W"}]),
    "many values": Puzzle(Board.triangle(2), "triominoes"),
    "two parts": Puzzle(Board([*Board.triangle(1), *[c._replace(x=c.x + 5) for c in Board.triangle(1)]]), "trioker"),
}


@contextmanager
def forced(fast: bool = True, shared: bool = False, ordered: bool = False) -> Iterator[None]:
    """Compiled or not, in many parts or one, in one order or in one for each case."""
    with ExitStack() as stack:
        if fast:
            stack.enter_context(patch.object(compiled, "COMPILE_ABOVE", -1.0))
        else:
            stack.enter_context(patch.object(compiled, "compiled", lambda kernel, example: None))
        if shared:
            stack.enter_context(patch.multiple(parts, WORTH_SHARING=-1.0, SHARED=40))
        if ordered:
            stack.enter_context(patch.object(points, "WORTH_ORDERING", -1.0))
        yield


def by_points(e: Encoding) -> tuple[int, int]:
    """The number of solutions, and the nodes visited."""
    plan = PointPlan(e)
    counts = [(part.weight, *plan.count(part)) for part in plan.parts]
    return sum(weight * found for weight, found, _ in counts), sum(nodes for _, _, nodes in counts)


def over_cells(e: Encoding) -> int:
    """The same by the other kernel."""
    sweep = engine_named("sweep")
    assert isinstance(sweep, search.KernelEngine)
    work = search.KernelWork(sweep, e, Request(counting=True))
    list(work)
    return work.found


@pytest.mark.parametrize("fast", [True, False])
@pytest.mark.parametrize(("shared", "ordered"), [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize("name", WITH_EVERY_TRAIT)
def test_counts_are_right(name: str, shared: bool, ordered: bool, fast: bool) -> None:
    e = encode(WITH_EVERY_TRAIT[name])
    with forced(fast, shared, ordered):
        if told_by_points(e, apart=True):
            assert by_points(e)[0] == over_cells(e)
        assert count(WITH_EVERY_TRAIT[name], engine="sweep", workers=2) == over_cells(e)


def test_which_puzzles_points_tell() -> None:
    told = {name: told_by_points(encode(puzzle), apart=True) for name, puzzle in WITH_EVERY_TRAIT.items()}
    assert {name for name, fits in told.items() if not fits} == {
        "nothing but wild",
        "two jokers",
        "copies that run out",
    }
    assert not told_by_points(encode(WITH_EVERY_TRAIT["the joker"]), apart=False)


@settings(max_examples=300, deadline=None)
@given(solved=solved_puzzles(), shared=st.booleans(), ordered=st.booleans())
def test_counts_are_right_on_random_puzzles(
    solved: tuple[Puzzle, frozenset[Filling]], shared: bool, ordered: bool
) -> None:
    puzzle, expected = solved
    e = encode(puzzle)
    assume(e.cells and e.slack >= 0 and told_by_points(e, apart=True))
    with forced(True, shared, ordered):
        assert by_points(e)[0] == len(expected)


@pytest.mark.parametrize("name", ["the joker", "tiles left over", "sides"])
def test_compiled_and_interpreted_visit_the_same_nodes(name: str) -> None:
    e = encode(WITH_EVERY_TRAIT[name])
    with forced(True):
        fast = by_points(e)
    with forced(False):
        assert by_points(e) == fast


def test_slices_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    e = encode(WITH_EVERY_TRAIT["the joker"])
    with forced(True):
        whole = by_points(e)
        monkeypatch.setattr(compiled, "SLICE", 3)
        assert by_points(e) == whole


def test_a_kernel_becomes_a_compiled_one_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    e = encode(WITH_EVERY_TRAIT["tiles left over"])
    expected = over_cells(e)
    monkeypatch.setattr(compiled, "COMPILE_ABOVE", float("inf"))
    monkeypatch.setattr(compiled, "is_ready", lambda kernel: False)
    monkeypatch.setattr(compiled, "SLICE", 5000)
    plan = PointPlan(e)
    (runner,) = plan._runners.values()
    assert not runner.fast
    looks = iter([0.0] * 3 + [float("inf")] * 100)
    monkeypatch.setattr(compiled.time, "monotonic", lambda: next(looks))
    counts = [plan.count(part)[0] for part in plan.parts]
    assert runner.fast
    assert sum(part.weight * found for part, found in zip(plan.parts, counts, strict=True)) == expected


def test_parts_do_not_depend_on_threads() -> None:
    e = encode(WITH_EVERY_TRAIT["the joker"])
    with forced(shared=True):
        plan = PointPlan(e)
        assert len(plan.parts) >= 40
        assert len(set(plan.parts)) == len(plan.parts)
        assert PointPlan(e).parts == plan.parts


def test_a_table_shows_the_tile_for_the_values() -> None:
    e = encode(Puzzle(HEXAGON, "trioker"))
    (case, *_) = points.cases(e)
    tables = case.points.tables()
    unit = points.Uses.of(e).units(e)
    at = case.points.sort(e.label_kind != next(t for t, tile in enumerate(e.kinds) if tile.text == "12W"))
    for values in product(range(4), repeat=3):
        shown = "".join(map(str, values))
        kind = next(t for t, tile in enumerate(e.kinds) if shown in {*tile.orientations()})
        assert tables.tiles[at + values[0] * 16 + values[1] * 4 + values[2]] == unit[kind]
    joker = np.array([e.label_text(label) == "2W1" for label in range(len(e.bits))])
    at = case.points.sort(joker)
    for values in product(range(4), repeat=3):
        found = tables.tiles[at + values[0] * 16 + values[1] * 4 + values[2]]
        assert (found == kernels.NEVER) == (values[0] != 2 or values[2] != 1)


# -- symmetry of a cut --------------------------------------------------------------------------------

CUT = {
    "strip": Puzzle(Board.parallelogram(4, 1), "trioker-24"),
    "strip with the joker": Puzzle(Board.parallelogram(4, 1), "trioker"),
    "hexagon, sides": Puzzle(HEXAGON, "macmahon", border=1),
    "hexagon, one border value": Puzzle(HEXAGON, "macmahon", border="same"),
    "two jokers that can meet": Puzzle(HEXAGON, Supply.of(["000", "001", "011", "111"]).with_jokers(2)),
    "copies": Puzzle(HEXAGON, Supply.of(["000", "001", "011", "111", "012"]).times(2)),
    "left and right": Puzzle(Board.parallelogram(3, 2), "trioker-even"),
    "values that turn with the board": Puzzle(
        Board.parallelogram(2, 2), ["001", "110", "002", "220", "012", "021", "112", "221", "000", "111", "222"]
    ),
}


@pytest.mark.parametrize("name", CUT)
def test_merged_cases_count_the_same(name: str) -> None:
    e = encode(CUT[name])
    whole = meeting.Meeting(e, Request(), drawing=True)
    plan = meeting.Meeting(e, Request())
    assert len(plan.parts) <= len(whole.parts)
    by_values = {part.key: whole.count(part)[0] for part in whole.parts}
    assert sum(part.weight for part in plan.parts) == sum(part.weight for part in whole.parts)
    for part in plan.parts:
        assert plan.count(part)[0] == by_values[part.key]
    total = sum(part.weight * by_values[part.key] for part in plan.parts)
    assert total == sum(part.weight * by_values[part.key] for part in whole.parts) == over_cells(e)


@pytest.mark.parametrize("name", CUT)
def test_one_half_mirrored_is_the_other(name: str) -> None:
    e = encode(CUT[name])
    plan = meeting.Meeting(e, Request())
    cut = meeting.best_cut(e)
    assert cut is not None
    assert e.puzzle is not None
    groups = [tuple(e.values.index(v) for v in g) for g in classes(e.puzzle) if len(g) > 1]
    moves = meeting.moves_of(e, cut)
    mirrored = 0
    for part in plan.parts:
        kinds = meeting.mirror(e, moves, groups, part.key)
        if kinds is not None:
            mirrored += 1
            first, second = (plan._list(half, part.key)[0] for half in (0, 1))
            for found, expected in zip(plan._mirrored(first, kinds), second, strict=True):
                assert found.tolist() == expected.tolist()
    assert (mirrored > 0) == (name != "left and right")


def test_lists_made_in_runs_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    e = encode(CUT["left and right"])
    with forced():
        plan = meeting.Meeting(e, Request())
        whole = [plan._list(half, part.key) for part in plan.parts for half in (0, 1)]
        monkeypatch.setattr(meeting, "ROOM", 5)
        monkeypatch.setattr(meeting, "RUN", 7)
        for (expected, nodes), (half, part) in zip(whole, ((h, p) for p in plan.parts for h in (0, 1)), strict=True):
            found, visited = plan._list(half, part.key)
            assert visited == nodes
            for one, other in zip(found, expected, strict=True):
                assert one.tolist() == other.tolist()
