"""The engine that picks an engine.

*One solution, or a few:* ``dlx``, which needs no compiler on most boards that people draw and finds a
filling of hexagon.yaml in a twentieth of a second. Fewest-options-first is lost, though, on large boards
that use every tile: on the 73 cells of board-73 it goes through 25 million nodes in 20 s without a solution,
where CP-SAT, with its clause learning, finds one in less. So on boards of more than :data:`SMALL` cells dlx has
:data:`HEAD_START` seconds, and CP-SAT takes over. That is heavy-tailed too: the 76 cells of complete-6-76 take it
a minute in one order and many in another, so it has two tries.

*All solutions:* ``sweep``, which visits a node in some 25 ns and, with symmetry, is ahead of every other
engine on all boards that can be enumerated at all.

*Where cells may stay empty*, ``dlx``, whatever is asked for.

*Their number:* ``sweep`` where it is done in a moment, else whichever of ``sweep`` and ``frontier`` is expected to take
less time. If ``frontier`` finds that its lists don't fit into memory, ``sweep`` takes over.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from math import factorial, inf, prod

from trisolve.encoding import Encoding
from trisolve.engines import engine_named
from trisolve.engines.base import Block, OutOfMemory, Request, Work, Wrapped
from trisolve.engines.frontier import chosen_method
from trisolve.engines.orbits import reduce
from trisolve.engines.order import layout_of
from trisolve.symmetry import classes

SMALL = 36
"""Cells of a board on which dlx is trusted to finish."""

SECONDS_A_CELL = 2e-3
"""Seconds more for each cell, for a way down to the bottom of the tree."""

SECOND_START = 20.0
"""Seconds that CP-SAT has before it begins again in another order."""

MANY = 100
"""Solutions from which on a limit is no different from all of them."""

HEAD_START = 0.6
"""Seconds that dlx has on a larger board."""

AT_ONCE = 3e6
"""Expected nodes that a sweep does in a moment."""

VALUES_SAVE = 1 / 24
"""The share of the work that interchangeable values may leave, for a first guess."""

HOPELESS = 1e13
"""Expected steps beyond which no count ends; then a sweep at least counts up."""

PART_STEPS = 3.0
"""A node of ``frontier``, with sorting and joining, takes about as long as so many of a sweep."""


class Auto:
    """Picks an engine by what is asked for and by the size of the board."""

    name = "auto"

    def refuses(self, encoding: Encoding, request: Request) -> str | None:
        """None: there is an engine for every puzzle."""
        return None

    def start(self, encoding: Encoding, request: Request) -> Work:
        """Begin a search with the engine that suits the request."""
        if encoding.optional is not None:
            return engine_named("dlx").start(encoding, request)
        if request.counting:
            # A count that was begun is gone on with, whatever would be chosen now.
            known = request.checkpoint.engine if request.checkpoint is not None else None
            if known is not None:
                return engine_named(known).start(encoding, request)
            sweep = engine_named("sweep")
            if not counts_by_parts(encoding):
                return sweep.start(encoding, request)
            frontier = engine_named("frontier").start(encoding, request)
            return Relay(frontier, partial(_instead, encoding, request), inf)
        if request.limit is None:
            return engine_named("sweep").start(encoding, request)
        if request.limit > MANY and len(encoding.cells) <= SMALL:
            # By one worker, which goes no further than the caller wants.
            return engine_named("sweep").start(encoding, replace(request, limit=None, workers=1))
        dlx = engine_named("dlx").start(encoding, request)
        if len(encoding.cells) <= SMALL or engine_named("cpsat").refuses(encoding, request):
            return dlx
        head_start = HEAD_START + len(encoding.cells) * SECONDS_A_CELL
        return Relay(dlx, partial(_learning, encoding, request), head_start)


def _learning(encoding: Encoding, request: Request) -> Work:
    """CP-SAT, and if its usual order leads nowhere another one, which may go on for ever."""
    cpsat = engine_named("cpsat")
    other = replace(request, seed=1 if request.seed is None else request.seed + 1)
    return Relay(cpsat.start(encoding, request), partial(cpsat.start, encoding, other), SECOND_START)


def _instead(encoding: Encoding, request: Request) -> Work:
    """A sweep in place of ``frontier``, for which there is too little memory."""
    if request.checkpoint is not None and request.checkpoint.engine is not None:
        raise OutOfMemory(
            f"{request.checkpoint.path} holds parts of engine frontier, which needs more memory than it has: "
            "expected more, by --memory, or another checkpoint and --engine sweep"
        )
    return engine_named("sweep").start(encoding, request)


def counts_by_parts(e: Encoding) -> bool:
    """True when ``frontier`` is expected to count this puzzle faster than ``sweep``."""
    if not e.cells or e.slack < 0:
        return False
    nodes = layout_of(e).whole[1]
    if nodes * VALUES_SAVE < AT_ONCE:
        return False
    swept = nodes * reduce(e).work
    saved = 1 if e.puzzle is None else prod(factorial(len(group)) for group in classes(e.puzzle))
    parts = chosen_method(e)[1] * PART_STEPS / saved
    return swept > AT_ONCE and parts < min(swept, HOPELESS)


class Relay(Wrapped):
    """A search by one engine that another takes over if nothing is found in time, or if memory runs out."""

    def __init__(self, first: Work, then: Callable[[], Work], seconds: float) -> None:
        self._work = first
        self._then = then
        self._seconds = seconds
        self._nodes_before = 0

    @property
    def nodes(self) -> int:
        """Nodes of the engine at work now, and of the one before."""
        return self._nodes_before + self._work.nodes

    def __iter__(self) -> Iterator[Block]:
        began = time.monotonic()
        with suppress(OutOfMemory):
            for block in self._work:
                yield block
                if not self.found and time.monotonic() - began > self._seconds:
                    break
            else:
                return
        self._nodes_before = self._work.nodes
        self._work = self._then()
        yield from self._work


ENGINE = Auto()
