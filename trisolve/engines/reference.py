"""Brute force: the engine whose answers need no explaining, and by which the tests judge the others.

It fills the cells in reading order and tries, in each, every labelling that is possible there. A labelling
may stay when a copy of its kind is left and when each of its values agrees with what the node already
shows; a wild corner shows nothing. With ``fill: tiles`` a cell may also stay empty, and in the end every tile must
be placed and the filled cells be connected. That is the definition of a solution, read once from start to end, and
there is nothing else: no propagation, no choice of the next cell, no undoing (a state is copied, never
changed). It visits some 100,000 nodes a second, so it is for boards of a dozen cells.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

from trisolve.encoding import EMPTY, Encoding
from trisolve.engines.base import TICK, Block, Request, WorkBase

MAX_CELLS = 100
"""The largest board that is taken; the states in waiting grow with the square of its size."""


class ReferenceWork(WorkBase):
    """The states still to be looked into, on a stack."""

    engine = "reference"

    def __iter__(self) -> Iterator[Block]:
        encoding = self._encoding
        nodes = encoding.cell_nodes.tolist()
        values = encoding.label_values.tolist()
        kind = encoding.label_kind.tolist()
        order = [[label for label, may in enumerate(row) if may] for row in encoding.possible().tolist()]
        if self._request.seed is not None:
            shuffle = random.Random(self._request.seed).shuffle
            for labels in order:
                shuffle(labels)
        optional = encoding.optional

        # A state: the labellings of the first cells, the value each node shows, the copies left of each kind.
        start: tuple[int, ...] = ()
        shows: dict[int, int] = {}
        waiting = [(start, shows, encoding.copies.tolist())]
        tick = time.monotonic() + TICK
        while waiting:
            chosen, shows, left = waiting.pop()
            self.nodes += 1
            if time.monotonic() >= tick:
                yield ()
                tick = time.monotonic() + TICK
            cell = len(chosen)
            if cell == len(encoding.cells):
                if optional is not None and (any(left) or not connected(encoding, chosen)):
                    continue
                self.found += 1
                if not self._request.counting:
                    yield [chosen]
                continue
            if optional is not None and optional[cell]:
                waiting.append(((*chosen, EMPTY), shows, left))
            for label in reversed(order[cell]):
                after = agreed(shows, nodes[cell], values[label])
                if left[kind[label]] and after is not None:
                    rest = left.copy()
                    rest[kind[label]] -= 1
                    waiting.append(((*chosen, label), after, rest))
        self.exhausted = True


def connected(encoding: Encoding, labels: tuple[int, ...]) -> bool:
    """True when paths across edges join all the filled cells."""
    group = {cell: cell for cell, label in enumerate(labels) if label != EMPTY}
    for cell in group:
        for other in encoding.adjacent[cell]:
            if other in group:
                old, new = group[cell], group[other]
                group = {c: new if g == old else g for c, g in group.items()}
    return len(set(group.values())) <= 1


def agreed(shows: dict[int, int], nodes: list[int], values: list[int]) -> dict[int, int] | None:
    """What the nodes show once these values lie at these nodes too, or None when two values clash."""
    after = shows.copy()
    for node, value in zip(nodes, values, strict=True):
        if value >= 0 and after.setdefault(node, value) != value:
            return None
    return after


class ReferenceEngine:
    """Brute force over the cells in reading order."""

    name = "reference"

    def refuses(self, encoding: Encoding, request: Request) -> str | None:
        """Refuses boards of more than :data:`MAX_CELLS` cells."""
        if len(encoding.cells) > MAX_CELLS:
            return f"it is brute force for small boards, up to {MAX_CELLS} cells; this one has {len(encoding.cells):,}"
        return None

    def start(self, encoding: Encoding, request: Request) -> ReferenceWork:
        """Begin a search."""
        return ReferenceWork(encoding, request)


ENGINE = ReferenceEngine()
