"""Running engines: solve, enumerate and count a puzzle, whichever engine does the work.

:data:`ENGINES` is the registry: a name and the module that holds the engine, loaded when first asked for,
so that a quick search pays neither for numba nor for OR-Tools. A :class:`Run` drives one engine over one
puzzle: it counts, keeps the clock, stops at a limit, and knows at the end how complete the answer is. The
functions below it are the library's face.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, Literal, cast

import numpy as np

from trisolve.encoding import encode
from trisolve.engines.base import Engine, EngineError, Request, Work
from trisolve.puzzle import Puzzle
from trisolve.solution import Solution

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


class Run:
    """One engine at work on one puzzle; iterate over it for the solutions.

    Parameters
    ----------
    puzzle
        What to solve.
    engine
        The name of an engine.
    limit
        Stop after so many solutions; None for all.
    counting
        Only count; then the iteration yields nothing but does the work.
    seed, workers
        As in :class:`Request`; by default as many workers as there are processors.
    time_limit
        Stop after so many seconds; None for no limit.
    on_tick
        Called with the run every tenth of a second or so.

    Raises
    ------
    EngineError
        when there is no such engine or it can't take this puzzle.

    Attributes
    ----------
    status
        ``running``; then ``solved`` (as many as asked for), ``complete`` (all enumerated or counted),
        ``infeasible`` (proved to have none), ``limit`` or ``interrupted``.
    complete
        True when nothing is left to find.
    found
        Solutions found so far; a lower bound unless ``complete``.
    seconds
        Time spent, the caller's own time between solutions included.
    """

    def __init__(
        self,
        puzzle: Puzzle,
        *,
        engine: str = "auto",
        limit: int | None = None,
        counting: bool = False,
        seed: int | None = None,
        time_limit: float | None = None,
        workers: int | None = None,
        on_tick: Callable[[Run], None] | None = None,
    ) -> None:
        chosen = engine_named(engine)
        request = Request(limit=limit, counting=counting, seed=seed, workers=workers or os.cpu_count() or 1)
        self.puzzle = puzzle
        self.status: Status = "running"
        self.complete = False
        self.found = 0
        self.seconds = 0.0
        self._request = request
        self._time_limit = time_limit
        self._on_tick = on_tick
        self._began = time.monotonic()
        self._encoding = encode(puzzle)
        refusal = chosen.refuses(self._encoding, request)
        if refusal:
            raise EngineError(f"engine {chosen.name} can't take this puzzle: {refusal}")
        self._work: Work = chosen.start(self._encoding, request)

    @property
    def engine(self) -> str:
        """The name of the engine at work; for ``auto`` the one it has chosen."""
        return self._work.engine

    @property
    def nodes(self) -> int:
        """Nodes visited so far."""
        return self._work.nodes

    @property
    def updates(self) -> int:
        """Updates made so far; see :class:`Work`."""
        return self._work.updates

    @property
    def fraction(self) -> float:
        """The part of the work done, as far as the engine can tell."""
        return self._work.fraction

    def __iter__(self) -> Iterator[Solution]:
        steps = iter(self._work)
        try:
            if self._request.limit == 0:
                self.status = "solved"
                return
            for block in steps:
                if self._request.counting:
                    self.found = self._work.found
                for labels in block.tolist() if isinstance(block, np.ndarray) else block:
                    self.found += 1
                    self.seconds = time.monotonic() - self._began
                    yield Solution(self.puzzle, self._encoding.decode(labels))
                    if self.found == self._request.limit:
                        self.status = "solved"
                        return
                self.seconds = time.monotonic() - self._began
                if self._on_tick is not None:
                    self._on_tick(self)
                if self._time_limit is not None and time.monotonic() - self._began >= self._time_limit:
                    self.status = "limit"
                    return
            self.complete = self._work.exhausted
            if self._request.counting:
                self.found = self._work.found
            if not self.complete:
                self.status = "limit"
            else:
                self.status = "complete" if self.found or self._request.counting else "infeasible"
        except KeyboardInterrupt:
            self.status = "interrupted"
            raise
        finally:
            if hasattr(steps, "close"):
                steps.close()
            self.seconds = time.monotonic() - self._began


class Count(int):
    """The number of solutions, and how it was found.

    It is an int; ``complete`` is False when the count was stopped early and is only a lower bound.
    """

    engine: str
    complete: bool
    nodes: int
    seconds: float

    @classmethod
    def of(cls, run: Run) -> Count:
        """The count that a run has reached."""
        count = cls(run.found)
        count.engine, count.complete, count.nodes, count.seconds = run.engine, run.complete, run.nodes, run.seconds
        return count

    def __repr__(self) -> str:
        return str(int(self)) if self.complete else f"at least {int(self)}"


def solve(puzzle: Puzzle, **options: Any) -> Solution | None:
    """One solution, or None when it is proved that there is none.

    Takes the options of :class:`Run`. Raises TimeoutError when ``time_limit`` runs out first.
    """
    run = Run(puzzle, **{"limit": 1, **options})
    for solution in run:
        return solution
    if not run.complete:
        raise TimeoutError(f"no solution found in {run.seconds:.1f} s, and none excluded")
    return None


def solutions(puzzle: Puzzle, **options: Any) -> Iterator[Solution]:
    """All solutions, one after the other as they are found; takes the options of :class:`Run`.

    Raises TimeoutError when ``time_limit`` runs out before the end.
    """
    run = Run(puzzle, **options)
    yield from run
    if run.status == "limit":
        raise TimeoutError(f"stopped after {run.seconds:.1f} s with {run.found} solutions, not all")


def count(puzzle: Puzzle, **options: Any) -> Count:
    """The number of solutions; takes the options of :class:`Run`.

    With ``time_limit`` the result may be a lower bound: look at ``complete``.
    """
    run = Run(puzzle, **{"counting": True, **options})
    for _ in run:
        pass
    return Count.of(run)
