"""The engine that picks an engine.

All solutions, or their number: the sweep, which visits a node in some 25 ns and, with symmetry, is ahead of
every other on all boards that can be enumerated at all.

One solution, or a few: ``dlx``, which needs no compiler on most boards that people draw and finds a filling
of hexagon.yaml in a twentieth of a second. Fewest-options-first is lost, though, on large boards that use
every tile (on the 73 cells of board-73 it goes through 25 million nodes in 20 s without a solution, where
CP-SAT's clause learning finds one in about 10 s). So on boards of more than :data:`SMALL` cells dlx has
:data:`HEAD_START` seconds, and CP-SAT takes over.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from trisolve.encoding import Encoding
from trisolve.engines import engine_named
from trisolve.engines.base import Block, Request, Work

SMALL = 36
"""Cells of a board on which dlx is trusted to finish."""

HEAD_START = 1.5
"""Seconds that dlx has on a larger board."""


class Auto:
    """Picks an engine by what is asked for and by the size of the board."""

    name = "auto"

    def refuses(self, encoding: Encoding, request: Request) -> str | None:
        """None: there is an engine for every puzzle."""
        return None

    def start(self, encoding: Encoding, request: Request) -> Work:
        """Begin a search with the engine that suits the request."""
        if request.limit is None:
            return engine_named("sweep").start(encoding, request)
        dlx = engine_named("dlx").start(encoding, request)
        if len(encoding.cells) <= SMALL or engine_named("cpsat").refuses(encoding, request):
            return dlx
        return Relay(dlx, encoding, request)


class Relay:
    """A search by dlx that goes over to CP-SAT when its time is up and it has found nothing."""

    def __init__(self, dlx: Work, encoding: Encoding, request: Request) -> None:
        self._work = dlx
        self._nodes_before = 0
        self._encoding = encoding
        self._request = request

    @property
    def engine(self) -> str:
        """The name of the engine at work now."""
        return self._work.engine

    @property
    def found(self) -> int:
        """Solutions found so far."""
        return self._work.found

    @property
    def nodes(self) -> int:
        """Nodes of the engine at work now, and of the one before."""
        return self._nodes_before + self._work.nodes

    @property
    def updates(self) -> int:
        """Updates of the engine at work now."""
        return self._work.updates

    @property
    def fraction(self) -> float:
        """0: nobody can tell."""
        return 0.0

    @property
    def exhausted(self) -> bool:
        """True when every solution has been found."""
        return self._work.exhausted

    def __iter__(self) -> Iterator[Block]:
        began = time.monotonic()
        for block in self._work:
            yield block
            if not self.found and time.monotonic() - began > HEAD_START:
                break
        else:
            return
        self._nodes_before = self._work.nodes
        self._work = engine_named("cpsat").start(self._encoding, self._request)
        yield from self._work


ENGINE = Auto()
