"""Work that is done part by part: by threads, by other processes or machines, and over several runs.

A :class:`Plan` cuts a count into independent parts: prefixes of a search, or values on a cut. Each says how
often its solutions count, and can be counted by itself, by any thread and in any order. A :class:`ListPlan` does the
same for a list of all solutions; there the parts are disjoint and cover the whole. A plan depends on
nothing but the puzzle and the engine, so another process that makes it again has the same parts, and a part is
known by its number. :attr:`Plan.layout` is a hash of all that goes into the parts, by which that is checked.

:class:`PartsWork` has the parts counted and adds them up. Usually threads do it, for the compiled kernels let go
of the interpreter. With an executor of the caller's a part is a call of :func:`count_part`, which can be
pickled. With a checkpoint the parts that are in it aren't counted again, and each result is put into it. A part has
one future, so however often an executor tries it, it is counted once. :class:`ListWork` has the solutions of parts
found in the same way, and hands them over in the order of the parts, so that they come as from one search.
"""

from __future__ import annotations

import logging
import os
import threading
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor
from contextlib import closing, suppress
from functools import cached_property
from hashlib import sha256
from itertools import chain, islice
from math import ceil, inf
from queue import Empty, SimpleQueue
from random import Random
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from trisolve import __version__
from trisolve.checkpoint import Checkpoint, CheckpointError, Done, Job
from trisolve.encoding import Encoding, encode
from trisolve.engines import kernels
from trisolve.engines.base import TICK, Block, EngineError, OutOfMemory, Request, WorkBase, WorkersLost
from trisolve.engines.compiled import Runner
from trisolve.engines.orbits import Blocks
from trisolve.engines.search import taken
from trisolve.puzzle import Puzzle

log = logging.getLogger("trisolve")

PART_NODES = 2e7
"""Expected nodes of a part, about a third of a second of work."""

LIST_NODES = 5e5
"""Expected nodes of a part whose solutions are listed: they are kept until the parts before it are done."""

AHEAD = 64
"""Parts whose solutions may be kept at a time."""

PIECE = 1 << 20
"""Bytes of solutions that are unpacked together."""

SHARED = 48
"""Parts at the least, where the work is worth sharing."""

WORTH_SHARING = 1e6
"""Expected nodes above which it is."""

MOST_PARTS = 50_000
"""Parts at the most, or a few times as many."""

LONG_PART = 1e10
"""Expected nodes of a part that takes minutes."""

WINDOW = 1024
"""Parts that an executor of the caller's is given at a time."""

_T = TypeVar("_T")


def parts_wanted(work: float, size: float = PART_NODES) -> int:
    """Into how many parts of this size work should be cut that is expected to take so many nodes."""
    return 1 if work < WORTH_SHARING else max(SHARED, ceil(min(MOST_PARTS, work / size)))


class Part(NamedTuple):
    """One part of the work."""

    key: tuple[int, ...]
    """What the part is, to the plan that made it."""
    weight: int
    """How often each solution of the part counts; where inclusion and exclusion are at work it may be negative."""


class Plan(ABC):
    """Work cut into parts."""

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
        pool = ThreadPoolExecutor(workers)
        try:
            yield from spread(pool, task, arguments, 4 * workers)
            pool.shutdown()
        except BaseException:
            # Nobody waits for a thread that is compiling a kernel and can't be stopped.
            self.stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


class ListPlan(Plan):
    """A list of all solutions, cut into parts."""

    @abstractmethod
    def solutions(self, part: Part) -> tuple[bytes, int, int]:
        """The solutions of a part, packed, each for all that symmetry makes of it; the number of them all; the nodes.

        Raises CancelledError once ``stop`` is set, and OutOfMemory.
        """

    @abstractmethod
    def unpacked(self, solutions: bytes) -> Iterator[Blocks]:
        """All solutions of a part, from the packed ones. Raises ValueError where they can't be such."""


class Packer:
    """Takes solutions as they come, and keeps them as compressed bytes, at most ``most``."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._packing = zlib.compressobj(1)
        self._kept: list[bytes] = []
        self._size = 0

    def _keep(self, data: bytes) -> None:
        self._kept.append(data)
        self._size += len(data)
        if self._size > self._most:
            raise OutOfMemory("a part of this list has more solutions than fit into memory")

    def add(self, solutions: Blocks) -> None:
        """Take these (b, n). Raises OutOfMemory."""
        # Ten values and the wild corner make fewer labellings than 16 bits can tell.
        self._keep(self._packing.compress(solutions.astype("<u2").tobytes()))

    def bytes(self) -> bytes:
        """All of them. Raises OutOfMemory."""
        self._keep(self._packing.flush())
        return b"".join(self._kept)


def unpacked(data: bytes, cells: int) -> Iterator[Blocks]:
    """The solutions that a :class:`Packer` has packed, some (b, n) at a time. Raises ValueError for other data."""
    solution = 2 * cells
    unpacking = zlib.decompressobj()
    while not unpacking.eof:
        try:
            # All of them may take many times the room that they take now.
            piece = unpacking.decompress(data, max(1, PIECE // solution) * solution)
        except zlib.error as error:
            raise ValueError(str(error)) from None
        data = unpacking.unconsumed_tail
        if not piece and not unpacking.eof:
            raise ValueError("it ends too early")
        yield np.frombuffer(piece, dtype="<u2").astype(np.int64).reshape(-1, cells)
    if unpacking.unused_data:
        raise ValueError("there is more than its end")


def spread(
    executor: Executor, task: Callable[..., _T], arguments: Sequence[tuple[Any, ...]], window: int
) -> Iterator[tuple[int, _T] | None]:
    """Have an executor do a task for each of these arguments, up to ``window`` at a time.

    Yields their places and results as they come, and None every now and then. When the iteration is left early,
    what hasn't begun is cancelled.
    """
    rest = iter(enumerate(arguments))
    places: dict[Future[_T], int] = {}
    # Not concurrent.futures.wait: Ctrl-C in the middle of it would leave futures locked, and their threads waiting.
    ended: SimpleQueue[Future[_T]] = SimpleQueue()
    try:
        while True:
            for place, given in islice(rest, window - len(places)):
                future = executor.submit(task, *given)
                places[future] = place
                future.add_done_callback(ended.put)
            if not places:
                return
            done: list[Future[_T]] = []
            with suppress(Empty):
                done.append(ended.get(timeout=TICK))
                while True:
                    done.append(ended.get_nowait())
            # What is there is taken before what has failed ends it all.
            for future in sorted(done, key=lambda future: future.cancelled() or future.exception() is not None):
                yield places.pop(future), future.result()
            yield None
    finally:
        for future in places:
            future.cancel()


class PartsEngine(Protocol):
    """An engine that works by parts."""

    name: str

    def plan(self, encoding: Encoding, request: Request) -> Plan:
        """Cut a count into parts, or a list of all solutions if that is asked for. Raises OutOfMemory."""


class Errand(NamedTuple):
    """What another process must know to do a part."""

    puzzle: Puzzle
    engine: str
    counting: bool
    layout: str
    memory: int | None


_plans: dict[tuple[object, ...], Plan] = {}
_lock = threading.Lock()


def count_part(errand: Errand, number: int) -> tuple[int, int]:
    """What :meth:`Plan.count` gives for a part, in whatever process this is.

    Raises EngineError when the parts aren't the same here.
    """
    plan = _plan_of(errand)
    return _done(plan, plan.count, number)


def list_part(errand: Errand, number: int) -> tuple[bytes, int, int]:
    """The same for :meth:`ListPlan.solutions`."""
    plan = _plan_of(errand)
    assert isinstance(plan, ListPlan)
    return _done(plan, plan.solutions, number)


def _done(plan: Plan, task: Callable[[Part], _T], number: int) -> _T:
    part = plan.parts[number]
    try:
        return task(part)
    finally:
        plan.under_way.pop(part, None)


def _plan_of(errand: Errand) -> Plan:
    key = errand.puzzle.digest, *errand[1:]
    with _lock:
        plan = _plans.get(key)
        if plan is None:
            from trisolve.engines import engine_named

            engine: Any = engine_named(errand.engine)
            request = Request(counting=errand.counting, workers=os.cpu_count() or 1, memory=errand.memory)
            plan = engine.plan(encode(errand.puzzle), request)
            if plan.layout != errand.layout:
                raise EngineError("a worker makes other parts: expected the same version of trisolve everywhere")
            _plans.clear()
            _plans[key] = plan
    return plan


class PartsWork(WorkBase):
    """A count under way, part by part; see :class:`trisolve.engines.base.Work`."""

    def __init__(self, engine: PartsEngine, encoding: Encoding, request: Request) -> None:
        super().__init__(encoding, request)
        self.engine = engine.name
        self._engine = engine

    def __iter__(self) -> Iterator[Block]:
        if self._encoding.slack < 0 or not self._encoding.cells:
            self.found = int(self._encoding.slack >= 0)
            if self.found and not self._request.counting:
                yield [[]]
        else:
            yield from self._work(self._engine.plan(self._encoding, self._request))
        self.exhausted = True
        self.fraction = 1.0

    def _work(self, plan: Any) -> Iterator[Block]:
        checkpoint = self._request.checkpoint
        known = self._begin(plan)
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

        with closing(self._results(plan, plan.count, count_part, waiting)) as results:
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

    def _begin(self, plan: Plan) -> dict[int, Done]:
        """The parts that are in the checkpoint, if there is one."""
        checkpoint = self._request.checkpoint
        if checkpoint is None:
            return {}
        if plan.part_nodes > LONG_PART:
            log.warning("the parts of this may take long, and what is done of a part is lost when it is stopped")
        puzzle = self._encoding.puzzle
        assert puzzle is not None
        counting = self._request.counting
        return checkpoint.begin(Job(puzzle.name, puzzle.digest, self.engine, counting, plan.layout, len(plan.parts)))

    def _results(
        self, plan: Plan, task: Callable[[Part], _T], errand_task: Callable[[Errand, int], _T], numbers: Sequence[int]
    ) -> Generator[tuple[int, _T] | None]:
        """Have these parts done, here or by the executor: places and results as they come, None for a tick."""
        executor = self._request.executor
        if executor is None:
            yield from plan.over(task, [(plan.parts[number],) for number in numbers], self._request.workers)
            return
        assert self._encoding.puzzle is not None
        errand = Errand(self._encoding.puzzle, self.engine, self._request.counting, plan.layout, self._request.memory)
        try:
            yield from spread(executor, errand_task, [(errand, number) for number in numbers], WINDOW)
        except Exception as error:
            # Dask has errors of its own for workers that are gone.
            dask = type(error).__module__.partition(".")[0] == "distributed"
            if dask or isinstance(error, BrokenExecutor | CancelledError | OSError):
                raise WorkersLost(f"the executor gave up: {type(error).__name__}: {error}") from error
            raise


class ListWork(PartsWork):
    """A list of all solutions under way, part by part, in the order of the parts."""

    def _work(self, plan: ListPlan) -> Iterator[Block]:
        checkpoint = self._request.checkpoint
        known = self._begin(plan)
        nodes = sum(done.nodes for done in known.values())
        finished = len(known)
        for first in range(0, len(plan.parts), AHEAD):
            numbers = range(first, min(first + AHEAD, len(plan.parts)))
            waiting = [number for number in numbers if number not in known]
            ready: dict[int, bytes] = {}
            turn = first
            with closing(self._results(plan, plan.solutions, list_part, waiting)) as results:
                for result in chain(results, [None]):
                    if result is not None:
                        place, (solutions, found, visited) = result
                        number = waiting[place]
                        plan.under_way.pop(plan.parts[number], None)
                        ready[number] = solutions
                        finished += 1
                        nodes += visited
                        if checkpoint is not None:
                            checkpoint.record(number, Done(found, visited), solutions)
                        # All that is there is recorded before any of it is handed over, which may take long.
                        continue
                    self.nodes = nodes + sum(visited for _, visited in list(plan.under_way.values()))
                    self.fraction = finished / len(plan.parts)
                    while turn in numbers and (turn in known or turn in ready):
                        kept = turn in known
                        for block in self._kept(plan, checkpoint, turn) if kept else plan.unpacked(ready.pop(turn)):
                            self.found += len(block)
                            yield block
                            if checkpoint is not None:
                                checkpoint.tick()
                        turn += 1
                    if checkpoint is not None:
                        checkpoint.tick()
                    yield ()

    def _kept(self, plan: ListPlan, checkpoint: Checkpoint | None, number: int) -> Iterator[Blocks]:
        """The solutions of a part that is in the checkpoint. Raises CheckpointError when they are damaged."""
        assert checkpoint is not None
        data = checkpoint.solutions(number)
        try:
            yield from plan.unpacked(data)
        except ValueError as error:
            raise CheckpointError(
                f"{checkpoint.path}: damaged, part {number} isn't what was written: {error}"
            ) from None
