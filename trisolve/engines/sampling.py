"""Solutions drawn exactly uniformly at random, also where there are far too many to list.

The counts of :mod:`trisolve.engines.frontier` say how many solutions there are of each sort, so a solution is drawn
by drawing a number below the total and finding out, part by part, which solution has it. All numbers are whole
numbers of any size, and nothing is ever rounded: every solution has exactly the same chance.

**Meet in the middle.** The number names a case of the cut, and in it a pair of fillings of the two halves. The
halves of this case are listed once more, the join stops at the pair of uses wanted, and each half is listed up to
the filling wanted. The case stands for those that permute interchangeable values, so a random permutation of these
comes last. Only the counts of the cases are kept, and of the cases only those drawn are listed again, each
once for all samples.

*Rejection.* A solution that shows nothing but wild corners at k nodes of the cut is found under V^k cases, once for
each value that these nodes might have. It is drawn so many times too often, and so is accepted once in V^k times.

**Transfer.** The tables of all steps are kept. A random last state is followed backwards: each of the states
before it, with the tile that leads on, is chosen with a probability that is proportional to the number of partial
fillings it stands for.

Draws are independent, so a solution may come twice. The i-th draw depends on the seed and i only: neither
the number of threads nor the number of samples changes it.
"""

from __future__ import annotations

import secrets
import time
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import accumulate
from math import ceil
from random import Random
from typing import Any, Generic, TypeVar

import numpy as np

from trisolve.display import Gallery
from trisolve.encoding import Encoding, Ints
from trisolve.engines import Run
from trisolve.engines.base import TICK, Block, Request, WorkBase, must_fill
from trisolve.engines.frontier import chosen_method
from trisolve.engines.meeting import Meeting
from trisolve.engines.orbits import action
from trisolve.engines.transfer import State, Transfer
from trisolve.lattice import SYMMETRIES
from trisolve.puzzle import Puzzle
from trisolve.symmetry import Element, classes

BATCH = 20_000
"""The most draws that are followed at once."""

RENAMINGS = 1000
"""Permutations of the values whose effect is remembered."""

_T = TypeVar("_T")


class SampleWork(WorkBase):
    """Draws under way; see :class:`trisolve.engines.base.Work`. As many as ``limit`` says, or one."""

    engine = "frontier"

    def __init__(self, encoding: Encoding, request: Request) -> None:
        super().__init__(encoding, request)
        self.total: int | None = None
        """How many solutions there are, once it is known."""
        self._wanted = 1 if request.limit is None else request.limit

    def __iter__(self) -> Iterator[Block]:
        e = self._encoding
        if e.slack < 0:
            self.total = 0
        elif not e.cells or not e.values or chosen_method(e)[0] == "transfer":
            yield from self._transfer()
        else:
            yield from self._meet()
        self.exhausted = self.total == 0

    def _batches(self, share: float) -> Iterator[list[Random]]:
        """A source of randomness for each draw, when this share of the draws is accepted."""
        number = 0
        while self.found < self._wanted:
            size = min(BATCH, ceil((self._wanted - self.found) / share))
            yield [Random(f"{self._request.seed} {i}") for i in range(number, number + size)]
            number += size
            self.fraction = 0.5 + 0.5 * self.found / self._wanted

    # -- meet in the middle -----------------------------------------------------------------------

    def _meet(self) -> Iterator[Block]:
        e = self._encoding
        meeting = Meeting(e, self._request, drawing=True)
        counts = [0] * len(meeting.parts)
        done = 0
        workers = self._request.workers
        for result in meeting.over(meeting.count, [(part,) for part in meeting.parts], workers):
            if result is None:
                yield ()
                continue
            case, (counts[case], nodes) = result
            self.nodes += nodes
            done += 1
            self.fraction = 0.5 * done / len(counts)
        weighted = [weight * count for (_, weight), count in zip(meeting.parts, counts, strict=True)]
        self.total = sum(weighted)
        if not self.total:
            return
        wild_only = len(e.values) + 1
        urn = _Urn({i: weighted[i] for i, (values, _) in enumerate(meeting.parts) if wild_only not in values})
        renamed = _Renaming(e)
        for draws in self._batches(self.total / urn.total):
            pairs: dict[int, list[tuple[int, int]]] = {}
            for place, random in enumerate(draws):
                case = urn.draw(random)
                pairs.setdefault(case, []).append((random.randrange(counts[case]), place))
            groups = [(meeting.parts[case][0], sorted(pairs[case])) for case in sorted(pairs)]
            arguments = [(values, [number for number, _ in group]) for values, group in groups]
            solutions = np.empty((len(draws), len(e.cells)), dtype=np.int64)
            for drawn in meeting.over(meeting.draw, arguments, workers):
                if drawn is None:
                    yield ()
                else:
                    solutions[[place for _, place in groups[drawn[0]][1]]] = drawn[1]
            hidden = self._hidden(solutions, meeting.nodes)
            accepted = [
                renamed(solution, random).tolist()
                for solution, random, k in zip(solutions, draws, hidden.tolist(), strict=True)
                if random.randrange(len(e.values) ** k) == 0
            ][: self._wanted - self.found]
            self.found += len(accepted)
            yield accepted

    def _hidden(self, solutions: Ints, nodes: list[int]) -> Ints:
        """At how many of these nodes each solution shows nothing but wild corners."""
        e = self._encoding
        hidden = np.zeros(len(solutions), dtype=np.int64)
        for p in nodes:
            cells, corners = np.nonzero(e.cell_nodes == p)
            hidden += (e.label_values[solutions[:, cells], corners] < 0).all(axis=1)
        return hidden

    # -- transfer ---------------------------------------------------------------------------------

    def _transfer(self) -> Iterator[Block]:
        transfer = Transfer(self._encoding, self._request)
        for _ in transfer.count(keep=True):
            self.nodes, self.fraction = transfer.nodes, 0.5 * transfer.fraction
            yield ()
        self.nodes = transfer.nodes
        self.total = sum(transfer.states.values())
        if not self.total:
            return
        last = _Urn(transfer.states)
        for draws in self._batches(1.0):
            solutions = np.empty((len(draws), len(self._encoding.cells)), dtype=np.int64)
            states = [last.draw(random) for random in draws]
            for i in reversed(range(len(transfer.steps))):
                before: dict[State, dict[tuple[State, int], int]] = {state: {} for state in states}
                for _ in self._look_back(transfer, i, before):
                    yield ()
                urns = {state: _Urn(numbers) for state, numbers in before.items()}
                for j, random in enumerate(draws):
                    states[j], solutions[j, transfer.steps[i].cell] = urns[states[j]].draw(random)
            self.found += len(solutions)
            yield solutions

    def _look_back(
        self, transfer: Transfer, i: int, before: dict[State, dict[tuple[State, int], int]]
    ) -> Iterator[None]:
        """For states after step i, add the states before it with the labelling that leads on, and their numbers."""
        tick = time.monotonic() + TICK
        for j, (state, number) in enumerate(transfer.tables[i].items()):
            for key, label in transfer.steps[i].after(state):
                if key in before:
                    before[key][state, label] = number
            if not j & 255 and time.monotonic() >= tick:
                yield
                tick = time.monotonic() + TICK


class _Urn(Generic[_T]):
    """Draws one of some things, each with a chance that is proportional to its number."""

    def __init__(self, numbers: Mapping[_T, int]) -> None:
        self._things = list(numbers)
        self._ends = list(accumulate(numbers.values()))
        self.total = self._ends[-1]

    def draw(self, random: Random) -> _T:
        return self._things[bisect_right(self._ends, random.randrange(self.total))]


class _Renaming:
    """Puts a random permutation of the interchangeable values to work on a solution."""

    def __init__(self, e: Encoding) -> None:
        self._groups = [] if e.puzzle is None else [g for g in classes(e.puzzle) if len(g) > 1]
        self._values = e.values

        @lru_cache(RENAMINGS)
        def label_map(images: tuple[int, ...]) -> Ints:
            element = Element(SYMMETRIES[0], dict(zip(e.values, images, strict=True)))
            # The lattice stays as it is, so labellings are renamed alike in all cells.
            renamed: Ints = action(e, element).label_to[0]
            return renamed

        self._label_map = label_map

    def __call__(self, solution: Ints, random: Random) -> Ints:
        to = {v: v for v in self._values}
        for group in self._groups:
            to.update(zip(group, random.sample(group, len(group)), strict=True))
        return self._label_map(tuple(to.values()))[solution] if self._groups else solution


class Sampler:
    """Draws solutions; an engine that no one can ask for by name, since it neither solves nor counts."""

    name = "sampler"

    def refuses(self, encoding: Encoding, request: Request) -> str | None:
        """Refuses boards with cells that may stay empty; for others there may be too little memory."""
        return must_fill(encoding)

    def start(self, encoding: Encoding, request: Request) -> SampleWork:
        """Begin to draw."""
        return SampleWork(encoding, request)


class SampleRun(Run):
    """Draws at work on a puzzle; iterate over it for the solutions. See :func:`sample` for the parameters.

    Attributes as in :class:`~trisolve.engines.Run`; ``status`` is ``solved`` at the end, or ``infeasible``.
    """

    _work: SampleWork

    def __init__(self, puzzle: Puzzle, n: int = 1, *, seed: int | None = None, **options: Any) -> None:
        self.seed = secrets.randbits(32) if seed is None else seed
        super().__init__(puzzle, engine=Sampler(), limit=n, seed=self.seed, **options)

    @property
    def total(self) -> int | None:
        """How many solutions there are; None as long as it isn't known."""
        return self._work.total


def sample(puzzle: Puzzle, n: int = 1, *, seed: int | None = None, **options: Any) -> Gallery:
    """Solutions drawn independently and uniformly at random; the same one may come twice.

    Parameters
    ----------
    puzzle
        The puzzle.
    n
        How many solutions. The work of counting is done once for all of them.
    seed
        The same seed gives the same solutions, for any number of workers; without one they differ from call to call.
    options
        ``time_limit``, ``workers`` and ``on_tick`` of :class:`~trisolve.engines.Run`.

    Returns
    -------
    Gallery
        a list of n solutions, or of none when the puzzle has no solution.

    Raises
    ------
    TimeoutError
        when ``time_limit`` runs out first, or the memory.
    """
    run = SampleRun(puzzle, n, seed=seed, **options)
    drawn = Gallery(run)
    if run.status == "limit":
        raise TimeoutError(f"stopped after {run.seconds:.1f} s with {run.found} of {n} samples")
    return drawn
