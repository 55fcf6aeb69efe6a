"""What an engine is: the one small protocol behind which all of them stand.

An engine takes an :class:`~trisolve.encoding.Encoding` and a :class:`Request` and gives a :class:`Work`.
Work is done by iterating over it: each step yields a block of solutions, each of them one labelling index
per cell. A block may be empty; then it only says "still at it". Something comes at least every tenth of a
second, so the caller can look at the clock, draw progress, or stop; closing the iterator stops the work at
once. When the iterator ends by itself and ``exhausted`` is true, nothing is left to find.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from trisolve.encoding import Encoding

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from trisolve.checkpoint import Checkpoint

Labels = Sequence[int]
"""A solution inside the engines: the labelling of each cell, in the encoding's order."""

Block = Sequence[Labels] | npt.NDArray[np.int64]
"""Some solutions, as a sequence of them or as an array (b, n); none of them in a tick."""

TICK = 0.05
"""Seconds that an engine aims to work between two ticks."""


class EngineError(ValueError):
    """An engine that doesn't exist, or that can't take this puzzle; the message says which can."""


class WorkersLost(EngineError):
    """An executor that has no workers left, or is broken in some other way."""


class OutOfMemory(EngineError):
    """An engine whose lists or states outgrow the memory that it may use."""


@dataclass(frozen=True)
class Request:
    """What is wanted of an engine."""

    limit: int | None = None
    """How many solutions are wanted; None for all. An engine may use it to choose a strategy and may
    stop after so many; the caller stops in any case."""
    counting: bool = False
    """True when only the number is wanted: then solutions need not be yielded, only counted in ``found``."""
    seed: int | None = None
    """Varies the order in which solutions come, and so the first one; None for the engine's usual order."""
    workers: int = 1
    """How many threads the engine may use."""
    memory: int | None = None
    """How many bytes the engine may use for lists and states; None for half of what is free."""
    checkpoint: Checkpoint | None = None
    """Where the work keeps its parts."""
    executor: Executor | None = None
    """Who does the parts, instead of the engine's own threads."""

    @property
    def by_parts(self) -> bool:
        """True when the work has to be done in parts."""
        return self.checkpoint is not None or self.executor is not None


class Work(Protocol):
    """A search under way."""

    @property
    def engine(self) -> str:
        """The name of the engine at work; for ``auto`` the one it has chosen."""

    @property
    def found(self) -> int:
        """Solutions found so far."""

    @property
    def nodes(self) -> int:
        """Nodes of the search tree visited so far (branches, for CP-SAT)."""

    @property
    def updates(self) -> int:
        """Words of domains changed so far, the engine's unit of work; 0 where there is no such thing."""

    @property
    def fraction(self) -> float:
        """A never falling estimate in 0..1 of the part of the work done; 0 when there is none."""

    @property
    def exhausted(self) -> bool:
        """True when every solution has been found."""

    @property
    def filling(self) -> Labels | None:
        """The partial filling that the search is at, EMPTY where no tile lies; None where there is no such thing.

        To be asked between two blocks, by the thread that takes them.
        """

    def __iter__(self) -> Iterator[Block]:
        """Do the work; see the module's opening paragraph. May be called once."""


class WorkBase:
    """What most searches begin with: an encoding, a request, and figures that the search keeps up to date."""

    updates = 0

    def __init__(self, encoding: Encoding, request: Request) -> None:
        self.found = 0
        self.nodes = 0
        self.fraction = 0.0
        self.exhausted = False
        self._encoding = encoding
        self._request = request

    @property
    def filling(self) -> Labels | None:
        """None: most searches don't build one filling tile by tile."""
        return None


class Wrapped:
    """Work that another work does for the most part; its figures are the other's unless they are overridden."""

    _work: Work

    @property
    def engine(self) -> str:
        """The name of the engine at work."""
        return self._work.engine

    @property
    def found(self) -> int:
        """Solutions found so far."""
        return self._work.found

    @property
    def nodes(self) -> int:
        """Nodes visited so far."""
        return self._work.nodes

    @property
    def updates(self) -> int:
        """Updates made so far."""
        return self._work.updates

    @property
    def fraction(self) -> float:
        """The part of the work done, as far as the engine can tell."""
        return self._work.fraction

    @property
    def exhausted(self) -> bool:
        """True when every solution has been found."""
        return self._work.exhausted

    @property
    def filling(self) -> Labels | None:
        """The partial filling that the search is at, if there is one."""
        return self._work.filling


class Engine(Protocol):
    """A way to solve puzzles."""

    @property
    def name(self) -> str:
        """The name on the command line."""

    def refuses(self, encoding: Encoding, request: Request) -> str | None:
        """Why the engine can't take this puzzle, as a sentence, or None when it can."""

    def start(self, encoding: Encoding, request: Request) -> Work:
        """Begin a search."""


def must_fill(encoding: Encoding) -> str | None:
    """The refusal of what can only fill whole boards; None where every cell is to be filled."""
    if encoding.optional is None:
        return None
    return "it fills every cell, and with fill: tiles some stay empty; expected engine dlx or cpsat"


def memory(request: Request) -> int:
    """Bytes that may be used for lists and states."""
    return request.memory or free_memory() // 2


def free_memory() -> int:
    """Bytes of memory that are free, as far as the system tells; else 4 GiB."""
    try:
        with open("/proc/meminfo") as lines:
            return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration, ValueError, IndexError):
        return 4 << 30
