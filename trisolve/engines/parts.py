"""A count that is done part by part.

A :class:`Plan` cuts a count into independent parts: prefixes of a search, or values on a cut. Each says how
often its solutions count, and can be counted by itself, by any thread and in any order; the plan depends on
nothing but the puzzle. :class:`PartsWork` has the parts counted by threads (the compiled kernels let go of
the interpreter) and adds them up.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from typing import Any, NamedTuple, TypeVar

from trisolve.encoding import Encoding
from trisolve.engines.base import TICK, Block, Request

_T = TypeVar("_T")


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

    def __init__(self) -> None:
        self.stop = threading.Event()
        """Set it, and parts under way end with CancelledError."""

    @abstractmethod
    def count(self, part: Part) -> tuple[int, int]:
        """The number of solutions of a part, its weight left aside, and the nodes visited.

        Raises CancelledError once ``stop`` is set, and OutOfMemory.
        """

    def over(
        self, task: Callable[..., _T], arguments: Sequence[tuple[Any, ...]], workers: int
    ) -> Iterator[tuple[int, _T] | None]:
        """Do a task for each of these arguments, in threads: their places and results as they come, None for a tick."""
        with ThreadPoolExecutor(workers) as pool:
            places = {pool.submit(task, *given): i for i, given in enumerate(arguments)}
            waiting = set(places)
            try:
                while waiting:
                    done, waiting = wait(waiting, TICK, FIRST_COMPLETED)
                    for future in done:
                        yield places.pop(future), future.result()
                    yield None
            except BaseException:
                self.stop.set()
                pool.shutdown(wait=True, cancel_futures=True)
                raise


class PartsWork:
    """A count under way, part by part; see :class:`trisolve.engines.base.Work`."""

    updates = 0

    def __init__(self, engine: str, plan: Callable[[], Plan], encoding: Encoding, request: Request) -> None:
        self.engine = engine
        self.found = 0
        self.nodes = 0
        self.fraction = 0.0
        self.exhausted = False
        self._plan = plan
        self._encoding = encoding
        self._request = request

    def __iter__(self) -> Iterator[Block]:
        if self._encoding.slack < 0 or not self._encoding.cells:
            self.found = int(self._encoding.slack >= 0)
        else:
            yield from self._count()
        self.exhausted = True
        self.fraction = 1.0

    def _count(self) -> Iterator[Block]:
        plan = self._plan()
        # With a part of negative weight to come, what has been found so far is no lower bound.
        bound = all(part.weight > 0 for part in plan.parts)
        total = done = 0
        for result in plan.over(plan.count, [(part,) for part in plan.parts], self._request.workers):
            if result is None:
                yield ()
                continue
            place, (count, nodes) = result
            total += plan.parts[place].weight * count
            self.found = total if bound else 0
            self.nodes += nodes
            done += 1
            self.fraction = done / len(plan.parts)
        self.found = total
