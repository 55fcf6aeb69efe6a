"""The search for puzzles that place every tile and leave cells empty (``fill: tiles``).

Here the shape is not given, it grows. A state says which cells are filled, which are still open, and what is left of
every open cell's domain; each step of the search settles one *item*. An item is a cell at the rim of what is filled:
it takes one of its options, or it stays empty. Or it is a tile of which there is one copy: it takes one of its
options, wherever they are. The item with the fewest branches comes next. The branches of an item exclude each other,
so every solution is found exactly once.

*Connected.* Tiles may lie apart for a while, when a clue or a rare tile puts them there. What is filled lies within
reach only if the tiles left can bridge the gaps: starting from one filled cell, filled cells cost nothing and open
ones a tile each (a search by breadth with costs of 0 and 1), and what costs more than there are tiles left can't
be filled. If a filled or required cell is beyond reach, or if fewer cells are in reach than there are tiles, the branch
is dead. So is one in which a kind has fewer places in reach than copies left.

A state is copied, never changed: a board of a hundred cells is two lists and a few integers, and the search stays a
page of plain Python. Domains are integers with a bit for each labelling, sets of cells integers with a bit for each
cell. When one solution is wanted, the search starts afresh in another order each time a limit is reached that grows by
half (as in :mod:`trisolve.engines.search`). Symmetry is not used.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from random import Random
from typing import NamedTuple

import numpy as np

from trisolve.encoding import EMPTY, Encoding
from trisolve.engines.base import TICK, Block, Labels, Request, WorkBase
from trisolve.engines.search import FIRST_LIMIT


class _State(NamedTuple):
    """A partial filling. Sets of cells and of labellings are integers."""

    domains: list[int]
    """The labellings left for each open cell."""
    chosen: tuple[tuple[int, int], ...]
    """The filled cells with their labellings."""
    filled: int
    open: int
    copies: list[int]
    left: int
    """Tiles left."""
    colours: list[int]
    """The value at each node, -1 while none shows."""


class GrowingWork(WorkBase):
    """A search under way; see :class:`trisolve.engines.base.Work`."""

    engine = "dlx"

    def __init__(self, encoding: Encoding, request: Request) -> None:
        super().__init__(encoding, request)
        optional = encoding.optional
        assert optional is not None
        self._restarts = False
        self._at: _State | None = None
        e = encoding
        self._adjacent = [sum(1 << n for n in around) for around in e.adjacent]
        self._required = sum(1 << i for i in np.flatnonzero(~optional).tolist())
        self._cell_nodes = e.cell_nodes.tolist()
        self._values = e.label_values.tolist()
        self._kind = e.label_kind.tolist()
        self._kind_labels = [sum(1 << i for i, k in enumerate(self._kind) if k == t) for t in range(len(e.kinds))]
        # Indexed by corner and value: the labellings that agree.
        self._fits = [
            [sum(1 << i for i, shown in enumerate(self._values) if shown[k] in (v, -1)) for v in range(len(e.values))]
            for k in range(3)
        ]
        self._corners: list[list[tuple[int, int]]] = [[] for _ in e.nodes]
        for cell, nodes in enumerate(self._cell_nodes):
            for k, node in enumerate(nodes):
                self._corners[node].append((cell, k))

    @property
    def filling(self) -> Labels:
        """The tiles placed in the state that was looked into last."""
        return [EMPTY] * len(self._encoding.cells) if self._at is None else self._labels(self._at)

    def _tell(self, done: float) -> None:
        """Say how far it is; while the search may start afresh nobody can tell."""
        if not self._restarts:
            self.fraction = max(self.fraction, min(done, 1.0))

    def __iter__(self) -> Iterator[Block]:
        request = self._request
        self._restarts = request.limit is not None and not request.counting
        random = None if request.seed is None else Random(request.seed)
        limit = FIRST_LIMIT
        while True:
            self._rank = list(range(len(self._kind)))
            if random is not None:
                random.shuffle(self._rank)
            tick = time.monotonic() + TICK
            for steps, labels in enumerate(self._search(), 1):
                if labels is not None:
                    self._restarts = False
                    self.found += 1
                    if not request.counting:
                        yield [labels]
                if time.monotonic() >= tick:
                    yield ()
                    tick = time.monotonic() + TICK
                if self._restarts and steps >= limit:
                    break
            else:
                self.exhausted = True
                self.fraction = 1.0
                return
            limit += limit // 2 + 1
            random = random or Random(0)

    def _search(self) -> Iterator[Labels | None]:
        """Visit every node: yields a solution, or None for a node that is none."""
        e = self._encoding
        n = len(e.cells)
        start = _State(
            domains=[sum(1 << i for i, may in enumerate(row) if may) for row in e.possible().tolist()],
            chosen=(),
            filled=0,
            open=(1 << n) - 1,
            copies=e.copies.tolist(),
            left=int(e.copies.sum()),
            colours=[-1] * len(e.nodes),
        )
        # A branch: the state it starts from, the cell, its labelling or EMPTY, and its share of all the work.
        stack: list[tuple[_State, int, int, float]] = [(start, EMPTY, EMPTY, 1.0)]
        done = 0.0
        while stack:
            state, cell, label, share = stack.pop()
            self.nodes += 1
            if cell != EMPTY:
                state = self._emptied(state, cell) if label == EMPTY else self._placed(state, cell, label)
            self._at = state
            if not state.left:
                done += share
                self._tell(done)
                right = not self._required & ~state.filled and self._in_reach(state) is not None
                yield self._labels(state) if right else None
                continue
            branches = self._branches(state)
            if not branches:
                done += share
                self._tell(done)
            for place, way in branches:
                stack.append((state, place, way, share / len(branches)))
            yield None

    def _labels(self, state: _State) -> Labels:
        labels = [EMPTY] * len(self._encoding.cells)
        for cell, label in state.chosen:
            labels[cell] = label
        return labels

    def _emptied(self, state: _State, cell: int) -> _State:
        return state._replace(open=state.open & ~(1 << cell))

    def _placed(self, state: _State, cell: int, label: int) -> _State:
        """The state after a tile is placed, with the domains that are left."""
        domains, copies, colours = state.domains.copy(), state.copies.copy(), state.colours.copy()
        kind = self._kind[label]
        copies[kind] -= 1
        if not copies[kind]:
            keep = ~self._kind_labels[kind]
            domains = [d & keep for d in domains]
        for node, value in zip(self._cell_nodes[cell], self._values[label], strict=True):
            if value >= 0 and colours[node] < 0:
                colours[node] = value
                for other, k in self._corners[node]:
                    domains[other] &= self._fits[k][value]
        bit = 1 << cell
        return _State(
            domains=domains,
            chosen=(*state.chosen, (cell, label)),
            filled=state.filled | bit,
            open=state.open & ~bit,
            copies=copies,
            left=state.left - 1,
            colours=colours,
        )

    def _in_reach(self, state: _State) -> int | None:
        """The cells, filled and open, that may still be filled; None when that is too few or leaves one out."""
        must = state.filled | self._required
        if must & ~state.filled & ~state.open:
            return None
        may = must
        rest = state.open
        while rest:
            bit = rest & -rest
            rest ^= bit
            if state.domains[bit.bit_length() - 1]:
                may |= bit
        if not must:
            # Nothing is settled yet: what is in reach depends on where the first tile lies.
            return may if may.bit_count() >= state.left else None
        reached = must & -must
        # A required cell that is still open costs its tile like any other.
        left = state.left - bool(reached & ~state.filled)
        free, fresh = state.filled, reached
        for cost in range(left + 1):
            # First all that is to be had for nothing, then one step through open cells.
            beside = 0
            while fresh:
                bit = fresh & -fresh
                fresh ^= bit
                around = self._adjacent[bit.bit_length() - 1] & may & ~reached
                for_nothing = around & free
                reached |= for_nothing
                fresh |= for_nothing
                beside |= around
            fresh = beside & ~reached
            if cost == left or not fresh:
                break
            reached |= fresh
        if must & ~reached or reached.bit_count() < state.left + state.filled.bit_count():
            return None
        return reached

    def _branches(self, state: _State) -> list[tuple[int, int]]:
        """The branches (cell, labelling or EMPTY) of the item with the fewest, the most promising last."""
        reach = self._in_reach(state)
        if reach is None:
            return []
        open_cells = reach & state.open
        rim = 0
        for cell, _ in state.chosen:
            rim |= self._adjacent[cell]
        rim = rim & open_cells if state.filled else open_cells
        if not state.filled and self._required:
            rim = self._required & open_cells
        domains = state.domains
        once = twice = thrice = 0
        fewest, item = 1 << 30, -1
        rest = open_cells
        while rest:
            bit = rest & -rest
            rest ^= bit
            cell = bit.bit_length() - 1
            domain = domains[cell]
            thrice |= twice & domain
            twice |= once & domain
            once |= domain
            if bit & self._required:
                size = domain.bit_count()
            elif bit & rim:
                size = domain.bit_count() + 1
            else:
                continue
            if size < fewest:
                fewest, item = size, cell
        if not fewest:
            return []
        rare = -1
        for kind, copies in enumerate(state.copies):
            if not copies:
                continue
            labels = self._kind_labels[kind]
            if not once & labels:
                return []
            if copies == 1 and not thrice & labels:
                size = (once & labels).bit_count() + (twice & labels).bit_count()
                if size < fewest:
                    fewest, rare = size, kind
            elif copies > 1 and not thrice & labels:
                places = sum(1 for cell, d in enumerate(domains) if d & labels and open_cells >> cell & 1)
                if places < copies:
                    return []
        if rare >= 0:
            labels = self._kind_labels[rare]
            found = []
            rest = open_cells
            while rest:
                bit = rest & -rest
                rest ^= bit
                found += [(bit.bit_length() - 1, way) for way in _bits(domains[bit.bit_length() - 1] & labels)]
            return found
        ways = sorted(_bits(domains[item]), key=self._rank.__getitem__, reverse=True)
        branches = [(item, way) for way in ways]
        return branches if self._required >> item & 1 else [(item, EMPTY), *branches]


def _bits(number: int) -> Iterator[int]:
    """The places of the 1 bits."""
    while number:
        bit = number & -number
        number ^= bit
        yield bit.bit_length() - 1
