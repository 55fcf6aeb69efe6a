"""Running a kernel: tables from an encoding, slices of bounded work, restarts, and compiling when it pays.

:class:`KernelWork` is a search by either kernel of :mod:`trisolve.engines.kernels`. It begins interpreted,
on lists. If nothing is settled after :data:`PATIENCE` seconds it takes the compiled kernel and carries on
from the same state, now in arrays. Between slices of about a twentieth of a second it hands over what it
has found, which is also when the caller may stop it.

When the first solution is wanted, the search is heavy-tailed: on hexagon.yaml one order of the options
finds it after 500 nodes, another after 100,000. So such a search starts afresh, in another order, each time
it has used up a limit that grows by half: the limit grows beyond any tree, so an impossible puzzle is still
proved to be one, for about four times the work of a single run, less what symmetry then saves (Luby,
Sinclair and Zuckerman 1993; Gomes, Selman and Kautz 1998). When all solutions are wanted, or their number,
one run does it, and symmetry is used (:mod:`trisolve.engines.orbits`).
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import numpy as np

from trisolve.encoding import EMPTY, Encoding, Ints
from trisolve.engines import kernels
from trisolve.engines.base import TICK, Block, Labels, Request, Work
from trisolve.engines.compiled import PATIENCE, WORD_MASK, as_arrays, compiled, is_ready
from trisolve.engines.kernels import Tables
from trisolve.engines.orbits import Blocks, Reduction, reduce

FIRST_BUDGET = 50
"""Nodes of the first slice."""

FIRST_LIMIT = 500
"""Nodes of the first run when one solution is wanted."""

REDUCED_FROM = 3000
"""Nodes allowed to a run from which on a search for one solution uses symmetry, to prove that there is none."""

ROOM = 4096
"""Solutions that a kernel may collect before it hands them over."""

MOST_NUMBERS = 1 << 20
"""Labellings in the solutions that a kernel may collect."""


def taken(state: Any, field: int) -> int:
    """Take a number out of a state, so that it can't grow beyond 64 bits there."""
    number = int(state.scalars[field])
    state.scalars[field] = 0
    return number


class KernelEngine(ABC):
    """An engine that is one of the kernels."""

    name: str

    def refuses(self, encoding: Encoding, request: Request) -> str | None:
        """None: the kernels take every puzzle."""
        return None

    def start(self, encoding: Encoding, request: Request) -> Work:
        """Begin a search."""
        return KernelWork(self, encoding, request)

    @abstractmethod
    def kernel(self, words: int) -> Callable[..., int]:
        """The interpreted kernel for bitboards of this many words."""

    @abstractmethod
    def state(self, encoding: Encoding, tables: Tables, room: int, random: Random | None) -> Any:
        """A fresh state, in lists, with room for so many solutions."""

    @abstractmethod
    def path(self, state: Any) -> Iterator[tuple[int, int]]:
        """From the root down to where the search is: the cell filled and the bit chosen for it."""

    @abstractmethod
    def branches(self, tables: Tables, state: Any) -> Iterator[tuple[int, int]]:
        """From the root down to where the search is: options done and options there were."""


def tables(reduction: Reduction) -> Tables:
    """The tables of the kernels, in lists."""
    e = reduction.encoding
    words = e.words
    corners: list[list[int]] = [[] for _ in e.nodes]
    for i, p in enumerate(e.cell_nodes.ravel().tolist()):
        corners[p].append(i)
    first = [0]
    for places in corners:
        first.append(first[-1] + len(places))
    everything = np.bitwise_or.reduce(e.kind_bits, axis=0, initial=0).astype(np.uint64)
    wild = np.bitwise_and.reduce(e.fits, axis=1, keepdims=True, initial=WORD_MASK) & everything
    anything = np.broadcast_to(everything, wild.shape)
    size = words * 64
    bit_kind, bit_label, bit_way, bit_touches = (np.zeros(size, dtype=np.int64) for _ in range(4))
    bit_values = np.full((size, 3), -1, dtype=np.int64)
    bit_kind[e.bits] = e.label_kind
    bit_values[e.bits] = e.label_values
    bit_label[e.bits] = np.arange(len(e.bits))
    bit_touches[e.bits] = reduction.label_touches()
    lowest = np.full(len(e.kinds), size)
    np.minimum.at(lowest, e.label_kind, e.bits)
    bit_way[e.bits] = e.bits - lowest[e.label_kind]
    growth, whole, weight = reduction.tables()
    ways = np.bincount(e.label_kind, minlength=len(e.kinds))
    triple, lone = (
        np.bitwise_or.reduce(e.kind_bits[ways == number], axis=0, initial=0).astype(np.uint64) & e.lead
        for number in (3, 1)
    )
    return Tables(
        slack=e.slack,
        cell_nodes=e.cell_nodes.ravel().tolist(),
        node_first=first,
        node_corners=[i for places in corners for i in places],
        domains=e.domains.ravel().tolist(),
        fits=np.concatenate([e.fits, anything, wild], axis=1).ravel().tolist(),
        keep=(~e.kind_bits & everything).ravel().tolist(),
        kind_bits=e.kind_bits.ravel().tolist(),
        bit_kind=bit_kind.tolist(),
        bit_values=bit_values.ravel().tolist(),
        bit_label=bit_label.tolist(),
        bit_way=bit_way.tolist(),
        bit_touches=bit_touches.tolist(),
        triple=triple.tolist(),
        lone=lone.tolist(),
        growth=growth.ravel().tolist(),
        whole=whole.ravel().tolist(),
        weight=weight.tolist(),
        thinned=reduction.kind,
        orbit=_orbit_sizes(reduction, bit_way).ravel().tolist(),
    )


def _orbit_sizes(reduction: Reduction, bit_way: Ints) -> Ints:
    sizes = np.ones((len(reduction.encoding.cells), 3), dtype=np.int64)
    for (cell, label), actions in reduction.images.items():
        sizes[cell, bit_way[reduction.encoding.bits[label]]] = len(actions)
    return sizes


class KernelWork:
    """A search under way; see :class:`trisolve.engines.base.Work`."""

    def __init__(self, engine: KernelEngine, encoding: Encoding, request: Request) -> None:
        self.engine = engine.name
        self.found = 0
        self.exhausted = False
        self._engine = engine
        self._encoding = encoding
        self._request = request
        self._reduction = Reduction(encoding)
        self._tables: Any = None
        self._state: Any = None
        self._nodes_before = self._updates_before = 0
        self._restarts = self._compiled = False

    def _scalar(self, field: int) -> int:
        return int(self._state.scalars[field]) if self._state is not None else 0

    @property
    def nodes(self) -> int:
        """Nodes visited so far, those of abandoned runs included."""
        return self._nodes_before + self._scalar(kernels.NODES)

    @property
    def updates(self) -> int:
        """Words changed so far, those of abandoned runs included."""
        return self._updates_before + self._scalar(kernels.UPDATES)

    @property
    def fraction(self) -> float:
        """The part of the tree that is done; 0 while the search may start afresh, for then nobody can tell."""
        if self.exhausted:
            return 1.0
        if self._state is None or self._restarts:
            return 0.0
        done, share = 0.0, 1.0
        for before, width in self._engine.branches(self._tables, self._state):
            share /= width
            done += before * share
        return done

    @property
    def filling(self) -> Labels | None:
        """The options chosen from the root down to where the search is."""
        labels = [EMPTY] * len(self._encoding.cells)
        if self._state is not None:
            for cell, bit in self._engine.path(self._state):
                labels[cell] = int(self._tables.bit_label[bit])
        return labels

    def _begin(self, reduced: bool, random: Random | None) -> None:
        """Start from the root, in another order if ``random`` is given."""
        self._nodes_before, self._updates_before = self.nodes, self.updates
        encoding = self._encoding if random is None else self._encoding.shuffled(random)
        self._reduction = reduce(encoding) if reduced else Reduction(encoding)
        self._tables = tables(self._reduction)
        self._state = self._engine.state(self._reduction.encoding, self._tables, 1, random)

    def _as_arrays(self) -> tuple[Any, Any]:
        """Tables and state as arrays, with room for many solutions where many are wanted."""
        n = len(self._encoding.cells)
        many = 1 if self._request.counting else min(ROOM, self._request.limit or ROOM, MOST_NUMBERS // n + 1)
        room = np.zeros(many * n, dtype=np.int64)
        return as_arrays(self._tables), as_arrays(self._state)._replace(output=room)

    def _solutions(self) -> Blocks:
        """Take what the kernel has collected."""
        n = len(self._encoding.cells)
        filled = self._scalar(kernels.OUTPUT)
        self._state.scalars[kernels.OUTPUT] = 0
        return np.array(self._state.output[: filled * n], dtype=np.int64).reshape(filled, n)

    def __iter__(self) -> Iterator[Block]:
        encoding, request = self._encoding, self._request
        if encoding.slack < 0 or not encoding.cells:
            self.exhausted = True
            self.found = int(encoding.slack >= 0)
            if self.found and not request.counting:
                yield [[]]
            return

        self._restarts = request.limit is not None and not request.counting
        random = None if request.seed is None else Random(request.seed)
        self._begin(not self._restarts, random)
        kernel = self._engine.kernel(encoding.words)
        # A kernel that has been compiled already is taken after the first slice.
        patience = 0.0 if is_ready(kernel) else PATIENCE
        tried = False
        budget = FIRST_BUDGET
        # A run must be able to reach the bottom of the tree.
        run_limit = max(FIRST_LIMIT, 4 * len(encoding.cells))
        began = time.monotonic()
        while True:
            if self._restarts:
                budget = min(budget, max(1, run_limit - self._scalar(kernels.NODES)))
            start = time.monotonic()
            result = kernel(self._tables, self._state, budget, request.counting)
            now = time.monotonic()
            if result == kernels.PAUSED:
                budget = max(FIRST_BUDGET, int(budget * min(4.0, TICK / max(now - start, 1e-9))))

            if request.counting:
                self.found += taken(self._state, kernels.FOUND)
            elif self._scalar(kernels.OUTPUT):
                self._restarts = False
                for block in self._reduction.expand(self._solutions()):
                    self.found += len(block)
                    yield block
            if result == kernels.DONE:
                self.exhausted = True
                return
            yield ()

            if self._restarts and self._scalar(kernels.NODES) >= run_limit:
                run_limit += run_limit // 2 + 1
                random = random or Random(0)
                self._begin(request.limit == 1 and run_limit >= REDUCED_FROM, random)
                if self._compiled:
                    self._tables, self._state = self._as_arrays()
            if not tried and now - began >= patience:
                tried = True
                arrays = self._as_arrays()
                fast = compiled(kernel, (*arrays, budget, request.counting))
                if fast is not None:
                    kernel = fast
                    self._compiled = True
                    self._tables, self._state = arrays
