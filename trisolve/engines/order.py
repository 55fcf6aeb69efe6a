"""Orders of the cells, and how many nodes a search in that order is expected to visit.

With P nodes known after i cells, the V^P ways to give them values are thinned by the chance, for each cell j
so far, that its tile is still there. If each of K kinds is there once, that is (K - j)/K. With copies it is
the chance that a call finds a free line, where each kind is a bundle of as many lines as it has copies and calls
come so often that j lines are busy on average; Erlang knew it (1917). Summed over i, that is the
expected number of partial fillings, and so of search nodes: right to within a factor of ten or so, mostly less, on
the boards of the tests. Everything that has to be chosen before a count begins (the order, the cut, the
engine) is chosen by it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache, reduce
from itertools import islice
from math import exp, log
from operator import or_

import numpy as np

from trisolve.encoding import Encoding

SEARCH_ABOVE = 3e7
"""Expected nodes above which a better order is searched for."""

MAX_CELLS = 64
"""The largest board for which it is."""

TIES = 64
"""Cells between which a tie is broken."""

FEW_TIES = 4
"""The same on larger boards."""

KNOTS = 100
"""Cells for which the chance that there is a tile is worked out; for those between it is interpolated."""


class Layout:
    """What the orders of one encoding need: the nodes of each cell as a bit mask, and the cells at each node."""

    def __init__(self, e: Encoding) -> None:
        self.rows: list[list[int]] = e.cell_nodes.tolist()
        self.masks = [reduce(or_, (1 << p for p in row)) for row in self.rows]
        self.at: list[list[int]] = [[] for _ in e.nodes]
        for c, row in enumerate(self.rows):
            for p in row:
                self.at[p].append(c)
        self.allowed = allowed_values(e)
        """For each node the values that every cell at it allows there."""
        # A set of nodes, as a bit mask: those whose value clues or the border fix.
        self.known = sum(1 << p for p, values in enumerate(self.allowed) if len(values) <= 1)
        self._value = log(len(e.values) or 1)
        self._thinned = thinned(e.copies.tolist(), len(self.rows))

    def growth(self, new: int, placed: int) -> float:
        """Logarithm of the factor by which the number of partial fillings grows with one more cell."""
        return new * self._value + self._thinned[placed]

    @cached_property
    def whole(self) -> tuple[list[int], float, float]:
        """The greedy order of all cells, with the expected nodes and fillings."""
        return self.greedy(range(len(self.rows)), self.known)

    def greedy(self, cells: Iterable[int], known: int, first: int | None = None) -> tuple[list[int], float, float]:
        """An order of these cells when some nodes (a bit mask) are known; expected nodes and expected fillings.

        ``first`` says which cell begins.
        After it, the cell that brings the fewest new nodes comes next; ties go to the one that closes most others,
        then to the one that touches most of those before.
        """
        waiting = {c: (self.masks[c] & ~known).bit_count() for c in cells}
        by_new: list[dict[int, None]] = [{}, {}, {}, {}]
        for c, new in waiting.items():
            by_new[new][c] = None
        order: list[int] = []
        size = nodes = 0.0
        while waiting:
            fewest = next(new for new in range(4) if by_new[new])
            ties = list(islice(by_new[fewest], TIES if len(self.rows) <= MAX_CELLS else FEW_TIES))
            cell = ties[0]
            if first is not None and not order:
                cell = first
            elif fewest and len(ties) > 1:
                best = (-1, -1)
                for c in ties:
                    after = known | self.masks[c]
                    near = [d for p in self.rows[c] for d in self.at[p]]
                    closed = sum(1 for d in near if d in waiting and not self.masks[d] & ~after)
                    rank = (closed, sum(1 for d in near if d not in waiting))
                    if rank > best:
                        best, cell = rank, c
            new = waiting.pop(cell)
            del by_new[new][cell]
            size += self.growth(new, len(order))
            nodes += exp(min(size, 700.0))
            order.append(cell)
            known |= self.masks[cell]
            for p in self.rows[cell]:
                for d in self.at[p]:
                    if d in waiting:
                        del by_new[waiting[d]][d]
                        waiting[d] = sum(1 for q in set(self.rows[d]) if not known >> q & 1)
                        by_new[waiting[d]][d] = None
        return order, nodes, exp(min(size, 700.0))


def thinned(copies: Sequence[int], cells: int) -> list[float]:
    """For each cell the logarithm of the chance that a tile is there for it, when so many cells before have taken one.

    ``copies`` has the copies of each kind. At most :data:`KNOTS` chances are worked out, those between interpolated.
    """
    bundles = Counter(copies)
    total = sum(copies)
    knots = sorted({round(j) for j in np.linspace(0, min(cells, total) - 1, KNOTS)}) if cells and total else []
    chances: list[float] = []
    rate = 0.0
    for busy in knots:
        # The rate at which so many lines are busy, on average: it only grows.
        low, high = rate, 2.0 * rate + 1.0
        while _busy(bundles, cells, high) < busy:
            low, high = high, 2.0 * high
        while high - low > 1e-6 * high:
            rate = (low + high) / 2
            low, high = (rate, high) if _busy(bundles, cells, rate) < busy else (low, rate)
        rate = high
        chances.append(log(busy / (len(copies) * rate)) if busy else 0.0)
    found: list[float] = np.interp(range(min(cells, total)), knots, chances).tolist() if knots else []
    return found + [-700.0] * (cells - len(found))


def _busy(bundles: Mapping[int, int], cells: int, rate: float) -> float:
    """Lines that are busy on average, when calls come to each bundle at this rate, measured in lengths of a call."""
    busy = 0.0
    for lines, number in bundles.items():
        # Erlang's formula, by its recursion: the chance that all lines are busy. Of so many lines some are always free.
        lost = 1.0 if lines < cells else 0.0
        for i in range(1, lines + 1 if lost else 0):
            lost = rate * lost / (i + rate * lost)
        busy += number * rate * (1 - lost)
    return busy


@lru_cache(maxsize=4)
def layout_of(e: Encoding) -> Layout:
    """The layout of an encoding, made once."""
    return Layout(e)


def sweep_order(e: Encoding) -> tuple[list[int], float]:
    """An order of the cells for a sweep, and the number of nodes that it is expected to take.

    Greedy from wherever that is best; if it promises more than :data:`SEARCH_ABOVE` nodes, greedy from each
    cell is tried, in O(n^3) time. (A beam search over orders finds nothing better on the bundled shapes.)
    """
    layout = layout_of(e)
    cells = range(len(e.cells))
    order, nodes, _ = layout.whole
    if nodes > SEARCH_ABOVE and len(cells) <= MAX_CELLS:
        order, nodes, _ = min((layout.greedy(cells, layout.known, c) for c in cells), key=lambda found: found[1])
    return order, nodes


def allowed_values(e: Encoding) -> list[Sequence[int]]:
    """For each node the values that every cell at it allows there."""
    allowed = [(1 << len(e.values)) - 1] * len(e.nodes)
    possible = e.possible()
    seen: dict[bytes, list[int]] = {}
    for c, row in enumerate(e.cell_nodes.tolist()):
        key = possible[c].tobytes()
        if key not in seen:
            values = e.label_values[possible[c]]
            everything = (1 << len(e.values)) - 1
            seen[key] = [
                everything if (column < 0).any() else reduce(or_, (1 << v for v in set(column.tolist())), 0)
                for column in values.T
            ]
        for p, mask in zip(row, seen[key], strict=True):
            allowed[p] &= mask
    return [[v for v in range(len(e.values)) if mask >> v & 1] for mask in allowed]
