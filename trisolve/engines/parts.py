"""A count that is done part by part: by threads, by other processes or machines, and over several runs.

A :class:`Plan` cuts a count into independent parts: prefixes of a search, or values on a cut. Each says how
often its solutions count, and can be counted by itself, by any thread and in any order. A plan depends on
nothing but the puzzle and the engine, so another process that makes it again has the same parts, and a part is
known by its number. :attr:`Plan.layout` is a hash of all that goes into the parts, by which that is checked.

:class:`PartsWork` has the parts counted and adds them up. Usually threads do it, for the compiled kernels let go
of the interpreter. With an executor of the caller's a part is a call of :func:`count_part`, which can be
pickled. With a checkpoint the parts that are in it aren't counted again, and each result is put into it. A part has
one future, so however often an executor tries it, it is counted once.
"""

from __future__ import annotations

import logging
import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ThreadPoolExecutor,
    wait,
)
from contextlib import closing
from functools import cached_property
from hashlib import sha256
from itertools import islice
from math import ceil, inf
from random import Random
from typing import Any, NamedTuple, Protocol, TypeVar

from trisolve import __version__
from trisolve.checkpoint import Checkpoint, Done, Job
from trisolve.encoding import Encoding, encode
from trisolve.engines import kernels
from trisolve.engines.base import TICK, Block, EngineError, Request, WorkBase, WorkersLost
from trisolve.engines.compiled import Runner
from trisolve.engines.search import taken
from trisolve.puzzle import Puzzle

log = logging.getLogger("trisolve")

PART_NODES = 2e7
"""Expected nodes of a part, about a third of a second of work."""

SHARED = 48
"""Parts at the least, where a count is worth sharing."""

WORTH_SHARING = 1e6
"""Expected nodes above which it is."""

MOST_PARTS = 50_000
"""Parts at the most, or a few times as many."""

LONG_PART = 1e10
"""Expected nodes of a part that takes minutes."""

WINDOW = 1024
"""Parts that an executor of the caller's is given at a time."""

_T = TypeVar("_T")


def parts_wanted(work: float) -> int:
    """Into how many parts a count should be cut that is expected to take so many nodes."""
    return 1 if work < WORTH_SHARING else max(SHARED, ceil(min(MOST_PARTS, work / PART_NODES)))


class Part(NamedTuple):
    """One part of a count."""

    key: tuple[int, ...]
    """What the part is, to the plan that made it."""
    weight: int
    """How often each solution of the part counts; where inclusion and exclusion are at work it may be negative."""


class Plan(ABC):
    """A count cut into parts."""

    engine: str
    parts: Sequence[Part]
    part_nodes: float = inf
    """Expected nodes of a part; infinite when nobody can tell."""
    in_any_order = True
    """False when parts that follow each other share work."""

    def __init__(self) -> None:
        self.stop = threading.Event()
        """Set it, and parts under way end with CancelledError."""
        self.under_way: dict[Part, tuple[int, int]] = {}
        """Parts begun by threads of this process: solutions so far, and nodes."""

    @abstractmethod
    def count(self, part: Part) -> tuple[int, int]:
        """The number of solutions of a part, its weight left aside, and the nodes visited.

        Raises CancelledError once ``stop`` is set, and OutOfMemory.
        """

    @abstractmethod
    def content(self) -> Iterator[object]:
        """All that a part's key refers to: tables, orders, first states, as lists, tuples and numbers."""

    @cached_property
    def layout(self) -> str:
        """A hash (SHA-256, hexadecimal) of the parts, of what their keys refer to, and of the version of trisolve."""
        made = sha256(f"{__version__} {type(self).__name__}".encode())
        for thing in (*self.content(), *map(tuple, self.parts)):
            made.update(repr(thing).encode())
        return made.hexdigest()

    def finished(self, part: Part, runner: Runner, state: Any) -> tuple[int, int]:
        """Run a counting kernel to its end, telling in ``under_way`` how far it is: solutions and nodes."""
        found, result = 0, kernels.PAUSED
        while result != kernels.DONE:
            state, result = runner.run(state, True)
            found += taken(state, kernels.FOUND)
            self.under_way[part] = found, int(state.scalars[kernels.NODES])
            if self.stop.is_set():
                raise CancelledError
        return found, int(state.scalars[kernels.NODES])

    def over(
        self, task: Callable[..., _T], arguments: Sequence[tuple[Any, ...]], workers: int
    ) -> Iterator[tuple[int, _T] | None]:
        """Do a task for each of these arguments, in threads: their places and results as they come, None for a tick."""
        with ThreadPoolExecutor(workers) as pool:
            try:
                yield from spread(pool, task, arguments, 4 * workers)
            except BaseException:
                self.stop.set()
                raise


def spread(
    executor: Executor, task: Callable[..., _T], arguments: Sequence[tuple[Any, ...]], window: int
) -> Iterator[tuple[int, _T] | None]:
    """Have an executor do a task for each of these arguments, up to ``window`` at a time.

    Yields their places and results as they come, and None every now and then. When the iteration is left early,
    what hasn't begun is cancelled.
    """
    rest = iter(enumerate(arguments))
    places: dict[Future[_T], int] = {}
    try:
        while True:
            for place, given in islice(rest, window - len(places)):
                places[executor.submit(task, *given)] = place
            if not places:
                return
            done, _ = wait(places, TICK, FIRST_COMPLETED)
            # What is there is taken before what has failed ends it all.
            for future in sorted(done, key=lambda future: future.cancelled() or future.exception() is not None):
                yield places.pop(future), future.result()
            yield None
    finally:
        for future in places:
            future.cancel()


class PartsEngine(Protocol):
    """An engine that counts by parts."""

    name: str

    def plan(self, encoding: Encoding, request: Request) -> Plan:
        """Cut a count into parts. Raises OutOfMemory."""


class Errand(NamedTuple):
    """What another process must know to count a part."""

    puzzle: Puzzle
    engine: str
    layout: str
    memory: int | None


_plans: dict[tuple[str, str, str, int | None], Plan] = {}
_lock = threading.Lock()


def count_part(errand: Errand, number: int) -> tuple[int, int]:
    """The number of solutions of a part, its weight left aside, and the nodes visited, in whatever process this is.

    Raises EngineError when the parts aren't the same here.
    """
    key = errand.puzzle.digest, errand.engine, errand.layout, errand.memory
    with _lock:
        plan = _plans.get(key)
        if plan is None:
            from trisolve.engines import engine_named

            engine: Any = engine_named(errand.engine)
            request = Request(counting=True, workers=os.cpu_count() or 1, memory=errand.memory)
            plan = engine.plan(encode(errand.puzzle), request)
            if plan.layout != errand.layout:
                raise EngineError("a worker makes other parts: expected the same version of trisolve everywhere")
            _plans.clear()
            _plans[key] = plan
    part = plan.parts[number]
    try:
        return plan.count(part)
    finally:
        plan.under_way.pop(part, None)


class PartsWork(WorkBase):
    """A count under way, part by part; see :class:`trisolve.engines.base.Work`."""

    def __init__(self, engine: PartsEngine, encoding: Encoding, request: Request) -> None:
        super().__init__(encoding, request)
        self.engine = engine.name
        self._engine = engine

    def __iter__(self) -> Iterator[Block]:
        if self._encoding.slack < 0 or not self._encoding.cells:
            self.found = int(self._encoding.slack >= 0)
        else:
            yield from self._count()
        self.exhausted = True
        self.fraction = 1.0

    def _count(self) -> Iterator[Block]:
        plan = self._engine.plan(self._encoding, self._request)
        checkpoint = self._request.checkpoint
        known = self._begin(plan, checkpoint) if checkpoint is not None else {}
        total = sum(done.found for done in known.values())
        nodes = sum(done.nodes for done in known.values())
        finished = len(known)
        waiting = [number for number in range(len(plan.parts)) if number not in known]
        if plan.in_any_order:
            # Neighbours are alike, and a mixture tells more about what is to come.
            Random(0).shuffle(waiting)
        # With a part of negative weight to come, what has been found so far is no lower bound.
        bound = all(part.weight > 0 for part in plan.parts)

        def tell() -> None:
            begun = list(plan.under_way.items())
            self.nodes = nodes + sum(visited for _, (_, visited) in begun)
            self.found = (total + sum(part.weight * found for part, (found, _) in begun)) * bound
            # A puzzle may be impossible at first sight, and have no parts.
            self.fraction = finished / max(1, len(plan.parts))

        with closing(self._results(plan, waiting)) as results:
            tell()
            for result in results:
                if result is None:
                    tell()
                    if checkpoint is not None:
                        checkpoint.tick()
                    yield ()
                    continue
                place, (count, visited) = result
                number = waiting[place]
                plan.under_way.pop(plan.parts[number], None)
                done = Done(plan.parts[number].weight * count, visited)
                finished += 1
                total += done.found
                nodes += visited
                tell()
                if checkpoint is not None:
                    checkpoint.record(number, done)
        self.found, self.nodes = total, nodes

    def _begin(self, plan: Plan, checkpoint: Checkpoint) -> dict[int, Done]:
        if plan.part_nodes > LONG_PART:
            log.warning(
                "the parts of this count may take long, and what is done of a part is lost when the count is stopped"
            )
        puzzle = self._encoding.puzzle
        assert puzzle is not None
        return checkpoint.begin(Job(puzzle.name, puzzle.digest, self.engine, plan.layout, len(plan.parts)))

    def _results(self, plan: Plan, numbers: Sequence[int]) -> Generator[tuple[int, tuple[int, int]] | None]:
        executor = self._request.executor
        if executor is None:
            yield from plan.over(plan.count, [(plan.parts[number],) for number in numbers], self._request.workers)
            return
        assert self._encoding.puzzle is not None
        errand = Errand(self._encoding.puzzle, self.engine, plan.layout, self._request.memory)
        try:
            yield from spread(executor, count_part, [(errand, number) for number in numbers], WINDOW)
        except Exception as error:
            # Dask has errors of its own for workers that are gone.
            dask = type(error).__module__.partition(".")[0] == "distributed"
            if dask or isinstance(error, BrokenExecutor | CancelledError | OSError):
                raise WorkersLost(f"the executor gave up: {type(error).__name__}: {error}") from error
            raise
