"""The kernels and what runs them: symmetry, restarts, slices, and compiled against interpreted."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import exp, factorial, log
from random import Random
from typing import Literal

import numpy as np
import pytest

from trisolve.board import Board
from trisolve.encoding import Encoding, encode
from trisolve.engines import engine_named, kernels, orbits, parts, search
from trisolve.engines import order as order_module
from trisolve.engines.base import Request
from trisolve.engines.dlx import Dlx
from trisolve.engines.order import sweep_order, thinned
from trisolve.engines.sweep import CellPlan, Sweep
from trisolve.puzzle import Puzzle
from trisolve.symmetry import Element, board_symmetries, classes, is_symmetry, partners
from trisolve.tiles import Supply

KERNELS = ["dlx", "sweep"]

RING = Board([c for c in Board.hexagon([2] * 6) if c not in {*Board.hexagon([1] * 6)}])

SYMMETRIC = {
    "hexagon-6": Puzzle(Board.hexagon([1] * 6), "trioker-24"),
    "hexagon-6 with the joker": Puzzle(Board.hexagon([1] * 6), "trioker"),
    "triangle-2, edges": Puzzle(Board.triangle(2), "macmahon"),
    "triangle-2, edges, one border colour": Puzzle(Board.triangle(2), "macmahon", border="same"),
    "rhombus, two jokers": Puzzle(Board.parallelogram(1, 1), Supply.of(["000", "001", "011", "111"]).with_jokers(2)),
    "every tile used, one joker": Puzzle(Board.triangle(2), ["12W", "012", "122", "001", "112"]),
    "012 and 021 once each": Puzzle(Board.hexagon([1] * 6), ["012", "021", "000", "111", "222", "001", "112", "220"]),
    "tile with two wild corners": Puzzle(Board.hexagon([1] * 6), ["0WW", "011", "000", "111", "001", "01W", "111"]),
    "nothing but wild": Puzzle(Board.triangle(2), Supply.of(["WWW"] * 3 + ["000", "012"])),
    "two values": Puzzle(Board.hexagon([1] * 6), Supply.of(["000", "001", "011", "111"]).times(2)),
    "triominoes": Puzzle(Board.triangle(2), "triominoes"),
    "fixed border": Puzzle(Board.hexagon([1] * 6), "trioker", border=0),
    "a clue in the middle": Puzzle(Board.triangle(2), "trioker", clues=[{"cell": "r2c2", "tile": "12W"}]),
    "two parts": Puzzle(Board([*Board.triangle(1), *[c._replace(x=c.x + 5) for c in Board.triangle(1)]]), "trioker"),
}


def every(engine: str, encoding: Encoding, **options: object) -> list[tuple[int, ...]]:
    """All solutions that an engine yields, as they come."""
    work = engine_named(engine).start(encoding, Request(**options))  # type: ignore[arg-type]
    found = [tuple(map(int, labels)) for block in work for labels in block]
    assert work.exhausted
    assert work.found == len(found)
    return found


def started(engine: str, encoding: Encoding, request: Request) -> search.KernelWork:
    """A search over cells, also where a count would go over points."""
    kernel = engine_named(engine)
    assert isinstance(kernel, search.KernelEngine)
    return search.KernelWork(kernel, encoding, request)


def without_symmetry(puzzle: Puzzle) -> Encoding:
    return replace(encode(puzzle), puzzle=None)


@pytest.mark.parametrize("engine", KERNELS)
@pytest.mark.parametrize("name", SYMMETRIC)
def test_orbits_are_disjoint_and_cover_all_solutions(name: str, engine: str) -> None:
    encoding = encode(SYMMETRIC[name])
    found = every(engine, encoding)
    assert len(found) == len(set(found))
    assert set(found) == set(every("reference", encoding))
    counted = engine_named(engine).start(encoding, Request(counting=True))
    assert [block for block in counted if len(block)] == []
    assert counted.found == len(found)


def test_symmetry_saves_work() -> None:
    for engine in KERNELS:
        puzzle = SYMMETRIC["hexagon-6 with the joker"]
        nodes = []
        for encoding in (encode(puzzle), without_symmetry(puzzle)):
            work = engine_named(engine).start(encoding, Request(counting=True))
            list(work)
            nodes.append(work.nodes)
        assert nodes[0] * 3 < nodes[1]


@pytest.mark.parametrize("name", SYMMETRIC)
def test_the_options_kept_are_one_of_each_orbit(name: str) -> None:
    encoding = encode(SYMMETRIC[name])
    reduction = orbits.reduce(encoding)
    if reduction.kind < 0:
        return
    options = {(c, label) for c, label in encoding.options().tolist() if encoding.label_kind[label] == reduction.kind}
    orbit_lists = [
        [(int(a.cell_to[c]), int(a.label_to[c, label])) for a in actions]
        for (c, label), actions in reduction.images.items()
    ]
    flat = [option for orbit in orbit_lists for option in orbit]
    assert len(flat) == len(set(flat))
    assert set(flat) == options


def test_weights_are_falling_factorials() -> None:
    reduction = orbits.reduce(encode(Puzzle(Board.parallelogram(2, 1), "trioker-24")))
    assert reduction.kind < 0
    weight = reduction.tables()[2]
    assert [int(weight[touched]) for touched in (0, 0b1, 0b11, 0b111, 0b1111)] == [
        factorial(4) // factorial(4 - k) for k in range(5)
    ]


@pytest.mark.parametrize("name", ["trioker", "trioker-24", "trioker-even", "macmahon", "triominoes", "complete-3"])
def test_value_permutations_found_are_all_there_are(name: str) -> None:
    from itertools import permutations

    puzzle = Puzzle(Board.triangle(2), name)
    values = puzzle.supply.values
    for lattice in board_symmetries(puzzle.board):
        found = [tuple(e.values[v] for v in values) for e in partners(puzzle, lattice, {})]
        expected = [
            image
            for image in permutations(values)
            if is_symmetry(puzzle, Element(lattice, dict(zip(values, image, strict=True))))
        ]
        assert found == expected


def test_classes() -> None:
    assert classes(Puzzle(Board.triangle(2), "trioker")) == [(0, 3), (1,), (2,)]
    assert classes(Puzzle(Board.triangle(2), "trioker-24")) == [(0, 1, 2, 3)]
    assert classes(Puzzle(Board.triangle(2), "trioker-24", border=2)) == [(0, 1, 3), (2,)]
    assert classes(Puzzle(Board.triangle(2), "triominoes")) == [(v,) for v in range(6)]
    clue = {"corner": "r1c2.top", "value": 1}
    assert classes(Puzzle(Board.triangle(2), "trioker-24", clues=[clue])) == [(0, 2, 3), (1,)]


def test_group_orders_of_known_puzzles() -> None:
    def order(puzzle: Puzzle) -> int:
        return sum(1 for g in board_symmetries(puzzle.board) for _ in partners(puzzle, g, {}))

    # The orders given beside the orbit counts of the small boards.
    assert order(Puzzle(Board.triangle(1), "trioker-24")) == 144
    assert order(Puzzle(Board.parallelogram(1, 1), "trioker-24")) == 96
    assert order(Puzzle(Board.triangle(2), "trioker-24")) == 144
    assert order(Puzzle(Board.hexagon([1] * 6), "trioker-24")) == 288
    assert order(Puzzle(Board.hexagon([2] * 6), "trioker")) == 24


@pytest.mark.parametrize("engine", KERNELS)
@pytest.mark.parametrize("name", ["trioker", "trioker-24", "triominoes"])
def test_compiled_and_interpreted_visit_the_same_nodes(name: str, engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    encoding = without_symmetry(Puzzle(Board.triangle(2), name))
    runs = []
    for patience in (float("inf"), -1.0):
        monkeypatch.setattr(search, "PATIENCE", patience)
        work = engine_named(engine).start(encoding, Request())
        found = [tuple(map(int, labels)) for block in work for labels in block]
        runs.append((found, work.nodes, work.updates))
    assert runs[0] == runs[1]
    assert runs[0][0]


@pytest.mark.parametrize("engine", KERNELS)
def test_slices_and_a_small_buffer_change_nothing(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    encoding = encode(Puzzle(Board.triangle(2), "trioker"))
    expected = every(engine, encoding)
    monkeypatch.setattr(search, "ROOM", 1)
    monkeypatch.setattr(search, "FIRST_BUDGET", 1)
    monkeypatch.setattr(search, "TICK", 0.0)
    assert sorted(every(engine, encoding)) == sorted(expected)


@pytest.mark.parametrize("engine", KERNELS)
def test_restarts_still_prove_that_there_is_no_solution(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "FIRST_LIMIT", 1)
    puzzle = Puzzle(Board.hexagon([1] * 6), ["000", "001", "011", "111", "012", "022", "112"])
    assert every("reference", encode(puzzle)) == []
    for patience in (float("inf"), -1.0):
        monkeypatch.setattr(search, "PATIENCE", patience)
        assert every(engine, encode(puzzle), limit=1) == []


@pytest.mark.parametrize("engine", KERNELS)
def test_progress_never_falls_and_stays_below_one(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "FIRST_BUDGET", 1)
    monkeypatch.setattr(search, "TICK", 0.0)
    work = started(engine, encode(Puzzle(Board.triangle(2), "trioker-24")), Request(counting=True))
    seen = [work.fraction for _ in work]
    assert seen == sorted(seen)
    assert len(set(seen)) > 20
    assert seen[0] >= 0
    assert max(seen[:-1]) < 1
    assert work.fraction == 1


@pytest.mark.parametrize("border", [None, "same"])
@pytest.mark.parametrize("copies", [1, 2])
def test_dlx_invariants_hold_at_every_node(copies: int, border: Literal["same"] | None) -> None:
    supply = Supply.of(["000", "001", "011", "111", "12W", "122", "0WW"]).times(copies)
    puzzle = Puzzle(Board.hexagon([1] * 6), supply, border=border)
    encoding = encode(puzzle).shuffled(Random(3))
    tables = search.tables(orbits.Reduction(encoding))
    state = Dlx().state(encoding, tables, 10_000, Random(5))
    step = kernels.dlx_kernel(encoding.words)
    words = encoding.words
    visited = 0
    while step(tables, state, 1, False) != kernels.DONE:
        visited += 1
        depth = state.scalars[kernels.DEPTH]
        left = state.scalars[kernels.LEFT]
        assert left == len(encoding.cells) - depth
        assert sorted(state.order) == list(range(len(encoding.cells)))
        assert [state.place[c] for c in state.order] == list(range(len(encoding.cells)))
        chosen = [state.chosen_bit[d] for d in range(depth)]
        used = np.bincount([tables.bit_kind[b] for b in chosen], minlength=len(encoding.kinds))
        assert state.copies == (encoding.copies - used).tolist()
        assert sum(state.copies) - left == encoding.slack
        colour = [-1] * len(encoding.nodes)
        for d in range(depth):
            for k in range(3):
                v = tables.bit_values[chosen[d] * 3 + k]
                p = tables.cell_nodes[state.chosen_cell[d] * 3 + k]
                if v >= 0:
                    assert colour[p] in (-1, v)
                    colour[p] = v
        assert state.colour == colour
        for kind, copies in enumerate(state.copies):
            for j in range(words):
                head = tables.kind_bits[kind * words + j] & (tables.triple[j] | tables.lone[j])
                assert state.spare[j] & head == (head if copies else 0)
                assert state.spare[j] & state.single[j] & head == (head if copies == 1 else 0)
        for i in range(left):
            c = state.order[i]
            for j in range(words):
                expected = tables.domains[c * words + j]
                for k in range(3):
                    p = tables.cell_nodes[c * 3 + k]
                    if colour[p] >= 0:
                        expected &= tables.fits[k * len(tables.fits) // 3 + colour[p] * words + j]
                for kind, copies in enumerate(state.copies):
                    if not copies:
                        expected &= tables.keep[kind * words + j]
                assert state.word[c * words + j] == expected
    assert visited > 10
    assert state.scalars[kernels.FOUND] == len(every("reference", encoding))


def test_shuffling_moves_bits_and_nothing_else() -> None:
    encoding = encode(Puzzle(RING, "trioker", border=1))
    shuffled = encoding.shuffled(Random(1)).shuffled(Random(2))
    assert sorted(shuffled.bits.tolist()) == sorted(encoding.bits.tolist())
    assert shuffled.bits.tolist() != encoding.bits.tolist()
    assert (shuffled.possible() == encoding.possible()).all()
    assert (shuffled.lead == encoding.lead).all()
    for kind in range(len(encoding.kinds)):
        bits = sorted(shuffled.bits[shuffled.label_kind == kind].tolist())
        assert bits == list(range(bits[0], bits[0] + len(bits)))
        assert int(shuffled.lead[bits[0] // 64]) >> bits[0] % 64 & 1
    for k in range(3):
        for v in range(len(encoding.values)):
            for label, row in enumerate(shuffled.label_values.tolist()):
                bit = int(shuffled.bits[label])
                assert int(shuffled.fits[k, v, bit // 64]) >> bit % 64 & 1 == (row[k] in (v, -1))


def test_a_sweep_order_is_an_order_and_looking_further_is_no_worse(monkeypatch: pytest.MonkeyPatch) -> None:
    for board in (Board.hexagon([2] * 6), RING, Board.parallelogram(5, 1), Board.triangle(1)):
        encoding = encode(Puzzle(board, "trioker"))
        order, nodes = sweep_order(encoding)
        assert sorted(order) == list(range(len(board)))
        monkeypatch.setattr(order_module, "SEARCH_ABOVE", 0.0)
        better, fewer = sweep_order(encoding)
        monkeypatch.undo()
        assert sorted(better) == list(range(len(board)))
        assert fewer <= nodes


def test_popcount_and_trailing() -> None:
    for word in (1, 2, 12, 1 << 63, (1 << 64) - 1, 0b1011000):
        assert kernels.popcount(word) == f"{word:b}".count("1")
        assert kernels.trailing(word) == len(f"{word:b}") - len(f"{word:b}".rstrip("0"))


def test_parts_of_a_search_are_disjoint_and_cover_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "WORTH_SHARING", -1.0)
    for name in ("tile with two wild corners", "rhombus, two jokers", "two values", "every tile used, one joker"):
        e = encode(SYMMETRIC[name])
        expected = len(every("reference", e))
        for wanted in (1, 2, 7, 100):
            monkeypatch.setattr(parts, "SHARED", wanted)
            plan = CellPlan(e, Request(counting=True))
            assert len(set(plan.parts)) == len(plan.parts)
            assert sum(plan.count(part)[0] for part in plan.parts) == expected


@pytest.mark.parametrize("engine", KERNELS)
def test_searches_go_on_interpreted_when_numba_is_missing(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "compiled", lambda kernel, example: None)
    monkeypatch.setattr(search, "is_ready", lambda kernel: False)
    monkeypatch.setattr(search, "PATIENCE", -1.0)
    monkeypatch.setattr(search, "FIRST_LIMIT", 1)
    impossible = Puzzle(Board.hexagon([1] * 6), ["000", "001", "011", "111", "012", "022", "112"])
    assert every(engine, encode(impossible), limit=1) == []
    encoding = encode(Puzzle(Board.triangle(2), "trioker"))
    assert len(every(engine, encoding)) == len(every("reference", encoding))
    # A word with its highest bit set is the trap: it would be negative in an array.
    work = engine_named(engine).start(encode(Puzzle(Board.hexagon([2] * 6), "trioker")), Request(limit=1))
    assert any(len(block) for block in work)


@pytest.mark.parametrize("engine", KERNELS)
def test_solutions_come_lazily_when_millions_are_alike(engine: str) -> None:
    # Seven points, ten interchangeable values: 604,800 relabellings of one solution with seven of them.
    puzzle = Puzzle(Board.hexagon([1] * 6), "complete-10")
    work = engine_named(engine).start(encode(puzzle), Request())
    found = 0
    for block in work:
        found += len(block)
        if found > 3000:
            break
    assert found > 3000


def test_the_order_of_solutions_does_not_depend_on_blocks() -> None:
    encoding = encode(Puzzle(Board.hexagon([1] * 6), "trioker"))
    reduction = orbits.reduce(encoding)
    lists = search.tables(reduction)
    state = Sweep().state(reduction.encoding, lists, 300, None)
    kernels.sweep_kernel(encoding.words)(lists, state, 10**9, False)
    n = len(encoding.cells)
    rows = np.array(state.output[: state.scalars[kernels.OUTPUT] * n]).reshape(-1, n)
    assert len(rows) == 300
    whole = np.concatenate(list(reduction.expand(rows)))
    for cuts in ([7], [1, 2, 3, 150], list(range(1, 300))):
        pieces = [p for part in np.split(rows, cuts) for p in reduction.expand(part)]
        assert (np.concatenate(pieces) == whole).all()


def test_the_chance_that_a_tile_is_there() -> None:
    assert thinned([1] * 24, 24) == pytest.approx([log((24 - j) / 24) for j in range(24)], abs=1e-5)
    assert thinned([9] * 5, 9) == pytest.approx([0.0] * 9, abs=1e-5)
    assert thinned([1, 1], 4)[2:] == [-700.0] * 2
    assert thinned([], 1) == [-700.0]


@pytest.mark.parametrize("copies", [[2] * 6, [3] * 8, [1, 2, 3, 4, 5]])
def test_the_chance_with_copies_is_near_the_true_one(copies: list[int]) -> None:
    """Sequences of j tiles, each kind as likely as another, that no kind is used up by: how many go on."""
    sequences = [Fraction(1)]
    for most in copies:
        longer = [Fraction(0)] * (len(sequences) + most)
        for i, number in enumerate(sequences):
            for k in range(most + 1):
                longer[i + k] += number / factorial(k)
        sequences = longer
    ways = [number * factorial(j) for j, number in enumerate(sequences)]
    true = [float(ways[j + 1] / ways[j] / len(copies)) for j in range(sum(copies))]
    assert [exp(chance) for chance in thinned(copies, sum(copies))] == pytest.approx(true, rel=0.2)


@pytest.mark.parametrize("times", [1, 2, 3])
def test_expected_nodes_are_of_the_right_size(times: int) -> None:
    supply = Supply.of(["000", "001", "011", "111", "002", "012", "021", "022", "222", "112", "122"]).times(times)
    for board in (Board.parallelogram(3, 1), Board.hexagon([1] * 6), Board.triangle(3)):
        # Without a puzzle behind it an encoding has no symmetry.
        e = replace(encode(Puzzle(board, supply)), puzzle=None)
        work = started("sweep", e, Request(counting=True))
        for _ in work:
            pass
        expected = sweep_order(e)[1]
        assert expected / 10 < work.nodes < expected * 10
