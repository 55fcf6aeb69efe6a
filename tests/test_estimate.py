"""Estimates against exact numbers: right on average, and as far off as they say."""

from __future__ import annotations

import json
from decimal import Decimal
from functools import cache
from math import isclose

import numpy as np
import pytest
from conftest import Command

import trisolve as ts
from trisolve.board import Board
from trisolve.encoding import encode
from trisolve.engines import kernels
from trisolve.engines.compiled import compiled
from trisolve.engines.estimating import EstimateRun, _Children, _Descent, quantity, student
from trisolve.engines.orbits import Reduction
from trisolve.engines.search import as_arrays, tables
from trisolve.engines.sweep import Sweep
from trisolve.puzzle import Puzzle
from trisolve.tiles import Supply

RING = Board.hexagon([1] * 6)

PUZZLES = {
    "copies": Puzzle(RING, Supply.of(["000", "001", "011", "111", "012", "122"]).times(2)),
    "joker": Puzzle(Board.parallelogram(2, 1), "trioker"),
    "edges": Puzzle(RING, "macmahon", match="edges", border="same"),
    "no tile over": Puzzle(RING, ["000", "001", "00W", "01W", "0WW", "011"]),
    "clues": Puzzle(RING, "trioker", clues=[{"cell": "r1c2", "tile": "12W"}, {"corner": "r1c1.left", "value": 0}]),
    "more copies than can be told apart": Puzzle(RING, Supply.of(["000", "011", "001"]).times(100)),
}


@cache
def exact(name: str) -> tuple[int, int]:
    """Solutions, and nodes of the sweep without symmetry."""
    encoding = encode(PUZZLES[name] if name in PUZZLES else ts.load(name))
    lists = tables(Reduction(encoding)), Sweep().state(encoding, tables(Reduction(encoding)), 0, None)
    arrays = as_arrays(lists[0]), as_arrays(lists[1])
    kernel = compiled(kernels.sweep_kernel(encoding.words), (*arrays, 1, True))
    assert kernel is not None
    while kernel(*arrays, 1 << 24, True) != kernels.DONE:
        pass
    return int(arrays[1].scalars[kernels.FOUND]), int(arrays[1].scalars[kernels.NODES])


@pytest.mark.parametrize("name", ["rhombus", "trapezoid"])
def test_a_tree_seen_whole_gives_exact_numbers(name: str) -> None:
    found = ts.estimate(ts.load(name))
    assert (found.exact, found.repetitions, found.reached) == (True, 1, 1)
    for got, expected in zip((found.solutions, found.nodes), exact(name), strict=True):
        assert got.value == got.low == got.high == expected
        assert got.error == 0
        assert str(got) == f"{expected:,} exactly"


def test_trees_without_a_solution() -> None:
    proved = ts.estimate(Puzzle(Board.parallelogram(1, 1), ["000", "111"]))
    assert (proved.exact, proved.reached, proved.solutions.value) == (True, 0, 0)
    assert proved.nodes.value == 2
    too_few = ts.estimate(Puzzle(Board.triangle(2), ["000"]))
    assert (too_few.exact, too_few.solutions.value) == (True, 0)
    empty = ts.estimate(Puzzle(Board([]), "trioker"))
    assert (empty.exact, empty.solutions.value, empty.nodes.value) == (True, 1, 0)


@pytest.mark.parametrize(
    ("name", "probes"),
    [
        ("copies", 640),
        ("joker", 640),
        ("edges", 640),
        ("no tile over", 640),
        ("clues", 640),
        ("more copies than can be told apart", 320),
        ("small-hexagon", 1600),
    ],
)
def test_intervals_hold_the_true_numbers_and_the_mean_is_right(name: str, probes: int) -> None:
    puzzle = PUZZLES[name] if name in PUZZLES else ts.load(name)
    found = [ts.estimate(puzzle, probes=probes, seed=seed) for seed in range(100)]
    assert not any(f.exact for f in found)
    for true, guesses in zip(exact(name), ([f.solutions for f in found], [f.nodes for f in found]), strict=True):
        inside = sum(q.low is not None and q.high is not None and q.low <= true <= q.high for q in guesses)
        assert inside >= 90
        values = np.array([float(q.value) for q in guesses])
        error = values.std(ddof=1) / 10
        assert abs(values.mean() - true) < 4 * error
        # The errors stated are of the size of those made.
        assert isclose(np.median([float(q.error or 0) for q in guesses]), values.std(ddof=1), rel_tol=0.5)


def test_large_boards_get_useful_estimates() -> None:
    found = ts.estimate(ts.load("hexagon"), probes=64_000, seed=1)
    for got, true in zip((found.solutions, found.nodes), (1680, exact("hexagon")[1]), strict=True):
        assert got.low is not None
        assert got.high is not None
        assert got.low < true < got.high < 2 * got.low
    found = ts.estimate(ts.load("board-52"), probes=3200, seed=1)
    assert found.reached == 32
    assert found.solutions.low is not None
    assert found.solutions.high is not None
    assert 1e16 < found.solutions.low < found.solutions.high < 1e18


def test_thinning_keeps_the_weight_on_average() -> None:
    encoding = encode(PUZZLES["joker"])
    descent = _Descent(encoding)
    probes = descent.start()
    all_children = descent.children(probes, 0)
    number = len(all_children.kept)
    weight = np.linspace(1, 3, number)
    kept = np.zeros(number)
    for seed in range(4000):
        some = _Children(all_children.kept, all_children.label, weight.copy())
        descent.thin(some, probes, 0, 10, np.random.default_rng(seed))
        assert len(some.kept) in (9, 10, 11)
        kept[np.searchsorted(all_children.label, some.label)] += some.weight
    assert np.abs(kept / 4000 / weight - 1).max() < 0.2


def test_nothing_is_claimed_when_no_probe_reached_a_solution() -> None:
    found = ts.estimate(ts.load("board-73"), probes=64, seed=1)
    assert (found.reached, found.exact) == (0, False)
    assert found.solutions.value == 0
    assert found.solutions.error is found.solutions.low is found.solutions.high is None
    assert str(found.solutions) == "unknown"
    assert found.nodes.value > 0


def test_quantities() -> None:
    few = quantity([Decimal(90), Decimal(110)], False)
    assert (few.value, few.error, few.low) == (100, 10, None)
    assert str(few) == "about 100, standard error 10.0, too rough for an interval"
    assert str(quantity([Decimal(90)], False)) == "about 90.0, error unknown"
    assert str(quantity([], False)) == "unknown"
    huge = quantity([Decimal("1e3000"), Decimal("2e3000")] * 4, False)
    assert str(huge).startswith("about 1.50e+3000, standard error ")
    many = quantity([Decimal(90), Decimal(110)] * 4, False)
    assert many.low is not None
    assert many.high is not None
    assert many.error is not None
    assert isclose(float(many.low * many.high), 100**2)
    assert isclose(float(many.high) / 100, np.exp(student(8 / 1.01 - 1) * float(many.error) / 100))
    # Tables of Student's distribution.
    for freedom, quantile in ((4, 2.776), (7, 2.365), (31, 2.040)):
        assert isclose(student(freedom), quantile, rel_tol=0.005)


def test_seeds_and_limits() -> None:
    puzzle = ts.load("small-hexagon")
    first = ts.estimate(puzzle, probes=320, seed=-5)
    assert ts.estimate(puzzle, probes=320, seed=-5) == first
    assert ts.estimate(puzzle, probes=320, seed=5) != first
    assert ts.estimate(puzzle, probes=320) != ts.estimate(puzzle, probes=320)
    with pytest.raises(ValueError, match="0 probes: expected at least one"):
        ts.estimate(puzzle, probes=0)
    one = ts.estimate(puzzle, probes=1, seed=1)
    assert (one.repetitions, one.probes) == (1, 1)
    run = EstimateRun(puzzle, time_limit=1e-9)
    assert list(run) == []
    assert (run.status, run.complete, run.estimate.repetitions) == ("limit", False, 0)


def test_progress_never_falls() -> None:
    seen: list[float] = []
    run = EstimateRun(ts.load("small-hexagon"), probes=320, on_tick=lambda run: seen.append(run.fraction))
    assert list(run) == []
    assert seen == sorted(seen)
    assert len(set(seen)) > 100
    assert run.fraction == 1


def test_command(trisolve: Command) -> None:
    done = trisolve("estimate", "small-hexagon", "--probes", 3200, "--seed", 1)
    assert done.returncode == 0
    solutions, nodes = done.stdout.splitlines()
    assert solutions.startswith("solutions  about 3,2")
    assert nodes.startswith("nodes      about 11,")
    assert done.stderr.startswith("3,200 probes, a solution reached in 32 of 32 repetitions, seed 1, ")

    result = json.loads(trisolve("estimate", "small-hexagon", "--probes", 3200, "--seed", 1, "--json").stdout)
    assert (result["status"], result["complete"], result["seed"]) == ("complete", False, 1)
    assert (result["probes"], result["repetitions"], result["reached"]) == (3200, 32, 32)
    low, high = result["estimate"]["solutions"]["interval"]
    assert low < result["estimate"]["solutions"]["value"] < high

    done = trisolve("estimate", "rhombus", "--json", "--quiet")
    result = json.loads(done.stdout)
    assert result["estimate"]["solutions"] == {"value": 216, "standard_error": 0, "interval": [216, 216]}
    assert (result["complete"], done.stderr) == (True, "")

    done = trisolve("estimate", "board-73", "--probes", 64)
    assert done.stdout.startswith("solutions  unknown\n")
    assert "no probe reached a solution, which proves nothing" in done.stderr

    done = trisolve("estimate", "board-73", "--time-limit", 0.01, "--json")
    assert done.returncode == 3
    assert json.loads(done.stdout)["estimate"]["solutions"]["value"] is None
    assert trisolve("estimate", "rhombus", "--probes", 0).returncode == 2
