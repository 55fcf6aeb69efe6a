"""Samples: that they are solutions, that each has the same chance, and that a seed means the same everywhere."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from fractions import Fraction
from math import sqrt
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from conftest import Command
from hypothesis import given, settings
from strategies import Filling, filling_of, solved_puzzles

import trisolve as ts
from trisolve.board import Board
from trisolve.engines import base, compiled, meeting, sampling, transfer
from trisolve.engines.sampling import SampleRun
from trisolve.lattice import Cell
from trisolve.puzzle import Puzzle
from trisolve.tiles import Supply, named_set

RING = Board.hexagon([1] * 6)

PUZZLES = {
    "one joker": Puzzle(Board.parallelogram(1, 1), "trioker"),
    "two jokers that can meet": Puzzle(Board.triangle(2), Supply.of(["012", "112", "022"]).with_jokers(2)),
    "many wild corners": Puzzle(Board.triangle(2), ["0WW", "1WW", "0WW", "01W", "111", "000"]),
    "nothing but wild": Puzzle(Board.triangle(2), Supply.of(["WWW"] * 3 + ["000", "012"])),
    "no value at all": Puzzle(Board.triangle(2), Supply.of(["WWW"] * 4)),
    "copies": Puzzle(RING, Supply.of(["000", "001", "011", "111"]).times(2)),
    "some copies without end": Puzzle(Board.triangle(2), ["000"] * 9 + ["111"] * 2 + ["001", "011", "01W"]),
    "edges and one border value": Puzzle(Board.triangle(2), "macmahon", border="same"),
    "edges": Puzzle(Board.triangle(2), named_set("complete-2").supply().times(2), match="edges"),
    "clues": Puzzle(RING, "trioker", clues=[{"cell": "r1c2", "tile": "12W"}, {"corner": "r1c1.left", "value": 0}]),
    "interchangeable values": Puzzle(Board.triangle(2), "trioker-even"),
    "in parts": Puzzle(Board([*Board.parallelogram(1, 1), Cell(9, 9, True)]), "complete-2"),
}


class Forced:
    """Makes the sampler use one of its methods, compiled or not."""

    def __init__(self, method: str, fast: bool = False) -> None:
        self._patches = [
            patch.object(sampling, "chosen_method", lambda e: (method, 1.0)),
            patch.object(compiled, "COMPILE_ABOVE", -1.0 if fast else float("inf")),
        ]

    def __enter__(self) -> None:
        for one in self._patches:
            one.start()

    def __exit__(self, *error: object) -> None:
        for one in self._patches:
            one.stop()


def every(puzzle: Puzzle) -> set[Filling]:
    return {filling_of(s) for s in ts.solutions(puzzle, engine="sweep")}


def spread(found: Counter[Filling], possible: int) -> float:
    """Pearson's statistic for equal chances, in standard deviations from its mean (Wilson and Hilferty)."""
    n = sum(found.values())
    expected = n / possible
    statistic = sum((k - expected) ** 2 for k in found.values()) / expected + (possible - len(found)) * expected
    freedom = possible - 1
    scale = 2 / (9 * freedom)
    return ((statistic / freedom) ** (1 / 3) - (1 - scale)) / sqrt(scale)


@pytest.mark.parametrize("method", ["meet", "transfer"])
@pytest.mark.parametrize("name", PUZZLES)
def test_every_solution_has_the_same_chance(name: str, method: str) -> None:
    puzzle = PUZZLES[name]
    solutions = every(puzzle)
    with Forced(method):
        run = SampleRun(puzzle, 12 * len(solutions), seed=1)
        found = Counter(filling_of(s) for s in run)
    assert (run.total, run.found, run.status) == (len(solutions), 12 * len(solutions), "solved")
    assert found.keys() <= solutions
    if len(solutions) > 1:
        assert abs(spread(found, len(solutions))) < 4


def test_the_statistic_sees_a_small_bias() -> None:
    fillings = [frozenset({(Cell(i, 0, True), "000")}) for i in range(100)]
    assert spread(Counter({f: 100 + 60 * (i < 20) for i, f in enumerate(fillings)}), 100) > 4


class _Script:
    """Stands in for a source of randomness: takes the choices it is told, then the first of each, and notes all."""

    def __init__(self, told: Sequence[int]) -> None:
        self.told = list(told)
        self.widths: list[int] = []

    def randrange(self, width: int) -> int:
        self.widths.append(width)
        depth = len(self.widths)
        if depth > len(self.told):
            self.told.append(0)
        return self.told[depth - 1]

    def sample(self, things: Sequence[Any], number: int) -> list[Any]:
        rest = list(things)
        return [rest.pop(self.randrange(len(rest))) for _ in range(number)]


class _RejectedError(Exception):
    """A second draw is asked for."""


def chances(puzzle: Puzzle) -> dict[Filling, Fraction]:
    """The chance of each solution in one draw, from every way in which the choices can fall out."""
    found: dict[Filling, Fraction] = defaultdict(Fraction)
    told: list[int] = []
    while True:
        script = _Script(told)
        given = iter([script])

        def source(seed: str, given: Any = given) -> _Script:
            script: _Script | None = next(given, None)
            if script is None:
                raise _RejectedError
            return script

        with patch.multiple(sampling, Random=source, BATCH=1):
            try:
                (solution,) = SampleRun(puzzle, 1, seed=0, workers=1)
            except _RejectedError:
                pass
            else:
                chance = Fraction(1)
                for width in script.widths:
                    chance /= width
                found[filling_of(solution)] += chance
        told = script.told
        while told and told[-1] == script.widths[len(told) - 1] - 1:
            told.pop()
        if not told:
            return found
        told[-1] += 1


@pytest.mark.parametrize("method", ["meet", "transfer"])
@pytest.mark.parametrize(
    "puzzle",
    [
        Puzzle(Board.parallelogram(1, 1), ["00W", "0WW"]),
        Puzzle(Board.parallelogram(1, 1), ["001", "011"]),
        Puzzle(Board.parallelogram(1, 1), ["001"] * 2),
    ],
    ids=["wild corners meet", "values to exchange", "copies"],
)
def test_chances_are_equal_exactly(puzzle: Puzzle, method: str) -> None:
    with Forced(method):
        found = chances(puzzle)
    assert found.keys() == every(puzzle)
    assert len(found) > 1
    assert len(set(found.values())) == 1


@pytest.mark.parametrize("method", ["meet", "transfer"])
@settings(max_examples=60)
@given(solved=solved_puzzles())
def test_samples_of_random_puzzles_are_solutions(method: str, solved: tuple[Puzzle, frozenset[Filling]]) -> None:
    puzzle, expected = solved
    with Forced(method):
        run = SampleRun(puzzle, 5, seed=3)
        found = list(run)
    assert run.total == len(expected)
    assert len(found) == (5 if expected else 0)
    assert {filling_of(s) for s in found} <= expected
    assert run.status == ("solved" if expected else "infeasible")


@pytest.mark.parametrize("name", ["one joker", "many wild corners", "copies"])
@pytest.mark.parametrize("method", ["meet", "transfer"])
def test_a_seed_gives_the_same_samples_however_they_are_made(
    name: str, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    puzzle = PUZZLES[name]
    with Forced(method):
        samples = ts.sample(puzzle, 30, seed=7, workers=1)
        assert ts.sample(puzzle, 30, seed=7, workers=3) == samples
        assert ts.sample(puzzle, 10, seed=7) == samples[:10]
        assert ts.sample(puzzle, 30, seed=8) != samples
        assert ts.sample(puzzle, 30) != ts.sample(puzzle, 30)
        monkeypatch.setattr(sampling, "BATCH", 4)
        monkeypatch.setattr(meeting, "ROOM", 2)
        monkeypatch.setattr(compiled, "SLICE", 300)
        assert ts.sample(puzzle, 30, seed=7) == samples
    with Forced(method, fast=True):
        assert ts.sample(puzzle, 30, seed=7) == samples


def test_far_too_many_to_list() -> None:
    board = Board.hexagon([2] * 6)
    puzzle = Puzzle(board, named_set("trioker-24").supply().times(len(board)))
    run = SampleRun(puzzle, 20, seed=1)
    samples = list(run)
    assert run.total == 4 ** len(board.points)
    assert len({filling_of(s) for s in samples}) == 20
    assert all(ts.verify(puzzle, s) for s in samples)


@pytest.mark.parametrize("name", ["hexagon", "seated-man"])
def test_known_shapes(name: str) -> None:
    puzzle = ts.load(name)
    run = SampleRun(puzzle, 100, seed=5)
    samples = list(run)
    assert run.total == {"hexagon": 1680, "seated-man": 61686}[name]
    assert all(ts.verify(puzzle, s) for s in samples)
    assert len({filling_of(s) for s in samples}) > 80


def test_no_solution_and_the_empty_one() -> None:
    assert ts.sample(Puzzle(Board.triangle(1), []), 3) == []
    assert ts.sample(Puzzle(Board.parallelogram(1, 1), ["000", "111"]), 3) == []
    assert [s.cells for s in ts.sample(Puzzle(Board([]), "trioker"), 2)] == [{}, {}]


def test_limits() -> None:
    with pytest.raises(TimeoutError, match="with 0 of 2 samples"):
        ts.sample(ts.load("hexagon"), 2, time_limit=1e-9)


@pytest.mark.parametrize("method", ["meet", "transfer"])
def test_too_little_memory_is_said(
    method: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(base, "free_memory", lambda: 20_000)
    monkeypatch.setattr(transfer, "TICK", 0.0)
    puzzle = ts.load("eagle")
    with Forced(method), pytest.raises(TimeoutError, match="with 0 of 2 samples"):
        ts.sample(puzzle, 2)
    assert "needs more memory than it has" in caplog.text


def test_command(trisolve: Command, tmp_path: Path) -> None:
    done = trisolve("sample", "small-hexagon", "-n", 3, "--seed", 7, "--json")
    assert done.returncode == 0
    result = json.loads(done.stdout)
    assert (result["status"], result["total"], result["seed"]) == ("solved", 3216, 7)
    assert len(result["solutions"]) == 3
    assert done.stderr.startswith("3 samples of 3,216 solutions, seed 7, ")
    again = json.loads(trisolve("sample", "small-hexagon", "-n", 3, "--seed", 7, "--json", "--workers", 1).stdout)
    assert again["solutions"] == result["solutions"]

    done = trisolve("sample", "small-hexagon", "-n", 2, "-o", "two.json", "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert trisolve("verify", "small-hexagon", "two.json").stdout == "correct: 2 solutions of small-hexagon\n"

    done = trisolve("sample", "eagle", "--seed", 1, "--memory", "1M")
    assert (done.returncode, done.stdout) == (3, "")
    assert "needs more memory than it has" in done.stderr
    assert done.stderr.splitlines()[-1].startswith("stopped by a limit: 0 samples, seed 1, ")

    done = trisolve("sample", "small-hexagon", "-n", 2)
    assert done.stdout.startswith("solution 1\n")
    assert "\n\nsolution 2\n" in done.stdout


def test_command_without_a_solution(trisolve: Command, tmp_path: Path) -> None:
    (tmp_path / "none.yaml").write_text(
        'name: none\ntiles: {list: ["000", "111"]}\nboard: {parallelogram: [1, 1]}\n', encoding="utf-8"
    )
    done = trisolve("sample", "none.yaml", "-n", 2)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("no solution: no filling exists (exhausted 2 nodes)")
    assert trisolve("sample", "rhombus", "-n", 0).returncode == 2
