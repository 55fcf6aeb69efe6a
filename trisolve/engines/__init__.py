"""Running engines: solve, enumerate and count a puzzle, whichever engine does the work.

:data:`ENGINES` is the registry: a name and the module that holds the engine, loaded when first asked for,
so that a quick search pays neither for numba nor for OR-Tools. A :class:`Run` drives one engine over one
puzzle: it counts, keeps the clock, stops at a limit, and knows at the end how complete the answer is. The
functions below it are the library's face.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from trisolve.checkpoint import ENGINES as PARTS_ENGINES
from trisolve.checkpoint import Checkpoint, CheckpointFull
from trisolve.display import table_html
from trisolve.encoding import encode
from trisolve.engines.base import Engine, EngineError, OutOfMemory, Request, Work, WorkersLost, Wrapped
from trisolve.puzzle import Puzzle
from trisolve.solution import Solution
from trisolve.symmetry import Group, UpTo, group

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from trisolve.engines.burnside import ListedOrbitWork, OrbitWork, RepresentativeWork

log = logging.getLogger("trisolve")

MOST_WORKERS = 256
"""Threads that a run starts at the most."""

ENGINES = {
    "auto": "trisolve.engines.auto",
    "dlx": "trisolve.engines.dlx",
    "sweep": "trisolve.engines.sweep",
    "cpsat": "trisolve.engines.cpsat",
    "frontier": "trisolve.engines.frontier",
    "reference": "trisolve.engines.reference",
}
"""Every engine: its name and its module, which has the engine as ``ENGINE``."""

Status = Literal["running", "solved", "complete", "infeasible", "limit", "interrupted"]


def engine_named(name: str) -> Engine:
    """The engine of this name. Raises EngineError for an unknown one."""
    if name not in ENGINES:
        raise EngineError(f"no engine {name!r}: expected one of {', '.join(ENGINES)}")
    return cast(Engine, import_module(ENGINES[name]).ENGINE)


class Run(Wrapped):
    """One engine at work on one puzzle; iterate over it for the solutions.

    Parameters
    ----------
    puzzle
        What to solve.
    engine
        The name of an engine, or one itself.
    limit
        Stop after so many solutions; None for all.
    counting
        Only count; then the iteration yields nothing but does the work.
    seed, workers, memory
        As in :class:`Request`; by default as many workers as there are processors.
    time_limit
        Stop after so many seconds; None for no limit.
    up_to
        Count or list orbits instead of solutions, under all or some symmetries of the puzzle: ``rotation``,
        ``reflection``, ``values`` or ``symmetry`` (:data:`trisolve.symmetry.UpTo`). Of each orbit the solution
        in canonical form is listed.
    checkpoint
        A file in which a count, or a list of all solutions, keeps the parts that are finished; when it exists the work
        goes on from there. No other run can use it until this one has ended. Solutions found before come first again.
    executor
        Any ``concurrent.futures.Executor``: it does the parts, instead of threads of this process.
    on_tick
        Called with the run every tenth of a second or so.

    Raises
    ------
    EngineError
        when there is no such engine or it can't take this puzzle.
    CheckpointError
        when the checkpoint is in use, damaged or of another puzzle.
    ValueError
        when ``up_to`` is none of these.

    Attributes
    ----------
    status
        ``running``; then ``solved`` (as many as asked for), ``complete`` (all enumerated or counted),
        ``infeasible`` (proved to have none), ``limit`` or ``interrupted``.
    complete
        True when nothing is left to find.
    failure
        What went wrong, when a run with status ``limit`` ended for that and not for a limit of time; else None.
    found
        Solutions found so far; a lower bound unless ``complete``. When orbits are listed, those found so far.
    group
        The group whose orbits are asked for, or None.
    seconds
        Time spent, the caller's own time between solutions included.
    """

    found = 0

    def __init__(
        self,
        puzzle: Puzzle,
        *,
        engine: str | Engine = "auto",
        limit: int | None = None,
        counting: bool = False,
        seed: int | None = None,
        time_limit: float | None = None,
        workers: int | None = None,
        memory: int | None = None,
        up_to: UpTo | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        executor: Executor | None = None,
        on_tick: Callable[[Run], None] | None = None,
    ) -> None:
        if not isinstance(puzzle, Puzzle):
            raise TypeError(f"{puzzle!r} is no puzzle: expected one, as from trisolve.load")
        if limit is not None and not (isinstance(limit, int) and limit >= 0):
            raise ValueError(f"limit {limit!r}: expected a whole number, 0 or more")
        if workers is not None and not (isinstance(workers, int) and workers >= 1):
            raise ValueError(f"workers {workers!r}: expected a whole number, 1 or more")
        if time_limit is not None and not time_limit > 0:
            raise ValueError(f"time_limit {time_limit!r}: expected a number of seconds above 0")
        chosen = engine_named(engine) if isinstance(engine, str) else engine
        threads = min(workers or os.cpu_count() or 1, MOST_WORKERS)
        request = Request(limit=limit, counting=counting, seed=seed, workers=threads, memory=memory, executor=executor)
        self.puzzle = puzzle
        self.status: Status = "running"
        self.complete = False
        self.seconds = 0.0
        self._time_limit = time_limit
        self._on_tick = on_tick
        self._begun = False
        self.failure: Exception | None = None
        self._began = time.monotonic()
        self._encoding = encode(puzzle)
        refusal = chosen.refuses(self._encoding, request)
        if refusal:
            raise EngineError(f"engine {chosen.name} can't take this puzzle: {refusal}")
        if checkpoint is not None or executor is not None:
            if not counting and (limit is not None or seed is not None):
                raise ValueError(
                    "a checkpoint and an executor are for counts and for all solutions: expected no limit and no seed"
                )
            if puzzle.fill == "tiles":
                raise EngineError("fill: tiles is not done by parts: no checkpoint or executor takes it")
            if chosen.name not in ("auto", *PARTS_ENGINES):
                raise EngineError(
                    f"engine {chosen.name} doesn't work by parts: expected auto, sweep, or frontier for a count, "
                    "with a checkpoint or an executor"
                )
        self.group: Group | None = None if up_to is None else group(puzzle, up_to)
        self._orbits: OrbitWork | ListedOrbitWork | RepresentativeWork | None = None
        if checkpoint is not None:
            request = replace(request, checkpoint=Checkpoint(checkpoint))
        self._request = request
        try:
            self._work = self._started(chosen)
        except BaseException:
            self._let_go()
            raise

    def _started(self, chosen: Engine) -> Work:
        if self.group is None:
            return chosen.start(self._encoding, self._request)
        from trisolve.engines.burnside import ListedOrbitWork, OrbitWork, RepresentativeWork

        orbits = OrbitWork if self.puzzle.fill == "board" else ListedOrbitWork
        kind = orbits if self._request.counting else RepresentativeWork
        self._orbits = kind(chosen.start, self._encoding, self._request, self.group)
        return self._orbits

    @property
    def orbits(self) -> int | None:
        """Orbits found so far, a lower bound unless ``complete``; None when they aren't asked for."""
        return None if self._orbits is None else self._orbits.orbits

    @property
    def partial(self) -> Solution | None:
        """What lies on the board at this moment of the search, with cells that are still open; for use in ``on_tick``.

        None for an engine that goes through many fillings at a time.
        """
        labels = self._work.filling
        return None if labels is None else Solution(self.puzzle, self._encoding.decode(labels))

    def _out_of_time(self) -> bool:
        return self._time_limit is not None and time.monotonic() - self._began >= self._time_limit

    def __iter__(self) -> Iterator[Solution]:
        if self._begun:
            raise RuntimeError("a run can be iterated over once: start another")
        self._begun = True
        return self._solutions()

    def _solutions(self) -> Iterator[Solution]:
        steps = iter(self._work)
        try:
            if self._request.limit == 0:
                self.status = "solved"
                return
            for block in steps:
                if self._request.counting:
                    self.found = self._work.found
                for labels in block.tolist() if isinstance(block, np.ndarray) else block:
                    solution = Solution(self.puzzle, self._encoding.decode(labels))
                    self.seconds = time.monotonic() - self._began
                    # Counted last, so that an interrupt finds as many counted as handed over.
                    self.found += 1
                    yield solution
                    if self.found == self._request.limit:
                        self.status = "solved"
                        return
                    if self._out_of_time():
                        self.status = "limit"
                        return
                self.seconds = time.monotonic() - self._began
                if self._on_tick is not None:
                    self._on_tick(self)
                if self._out_of_time():
                    self.status = "limit"
                    return
            self.complete = self._work.exhausted
            if self._request.counting:
                self.found = self._work.found
            if not self.complete:
                self.status = "limit"
            else:
                self.status = "complete" if self.found or self._request.counting else "infeasible"
        except (OutOfMemory, WorkersLost, CheckpointFull) as error:
            log.warning("%s", error)
            self.failure = error
            self.status = "limit"
        except (KeyboardInterrupt, GeneratorExit):
            # By Ctrl-C, or by a caller who has had enough.
            self.status = "interrupted"
            raise
        finally:
            if hasattr(steps, "close"):
                steps.close()
            if self._request.counting:
                self.found = self._work.found
            self._let_go()
            self.seconds = time.monotonic() - self._began

    def _let_go(self) -> None:
        """Close the checkpoint."""
        if self._request.checkpoint is not None:
            try:
                self._request.checkpoint.close()
            except CheckpointFull as error:
                log.warning("%s", error)


class Count(int):
    """The number of solutions, or of orbits when it is counted up to symmetry, and how it was found.

    It is an int; ``complete`` is False when the count was stopped early and is only a lower bound.
    """

    engine: str
    complete: bool
    nodes: int
    seconds: float
    solutions: int
    """The number of solutions, also where the int is the number of orbits."""
    orbits: int | None
    """The number of orbits; None when solutions were counted."""
    group_order: int | None
    """The order of the group whose orbits they are, or None."""

    @classmethod
    def of(cls, run: Run) -> Count:
        """The count that a run has reached."""
        count = cls(run.found if run.orbits is None else run.orbits)
        count.engine, count.complete, count.nodes, count.seconds = run.engine, run.complete, run.nodes, run.seconds
        count.solutions, count.orbits = run.found, run.orbits
        count.group_order = None if run.group is None else run.group.order
        return count

    def __repr__(self) -> str:
        return str(int(self)) if self.complete else f"at least {int(self)}"

    def _repr_html_(self) -> str:
        what = "Number of solutions" if self.orbits is None else "Number of orbits"
        rows = [("at least" if not self.complete else "exactly", f"{int(self):,}")]
        if self.orbits is not None:
            rows += [("solutions", f"{self.solutions:,}"), ("order of the group", f"{self.group_order:,}")]
        rows += [("complete", "yes" if self.complete else "no"), ("engine", self.engine)]
        return table_html(what, [*rows, ("nodes", f"{self.nodes:,}"), ("seconds", f"{self.seconds:.2f}")])


def solve(puzzle: Puzzle, **options: Any) -> Solution | None:
    """One solution, or None when it is proved that there is none.

    Takes the options of :class:`Run`. Raises TimeoutError when ``time_limit`` runs out first, and EngineError when
    memory does.
    """
    run = Run(puzzle, **{"limit": 1, **options})
    for solution in run:
        return solution
    if not run.complete:
        raise run.failure or TimeoutError(f"no solution found in {run.seconds:.1f} s, and none excluded")
    return None


def solutions(puzzle: Puzzle, **options: Any) -> Iterator[Solution]:
    """All solutions, one after the other as they are found; takes the options of :class:`Run`.

    With ``up_to="symmetry"`` one solution of each orbit.

    Raises TimeoutError when ``time_limit`` runs out before the end, EngineError when memory does or the executor gives
    up, and CheckpointError when the checkpoint can't be written any longer.
    """
    run = Run(puzzle, **options)
    yield from run
    if run.status == "limit":
        raise run.failure or TimeoutError(f"stopped after {run.seconds:.1f} s with {run.found} solutions, not all")


def count(puzzle: Puzzle, **options: Any) -> Count:
    """The number of solutions, with ``up_to="symmetry"`` of orbits; takes the options of :class:`Run`.

    With ``time_limit`` the result may be a lower bound: look at ``complete``.
    """
    run = Run(puzzle, **{"counting": True, **options})
    for _ in run:
        pass
    return Count.of(run)
