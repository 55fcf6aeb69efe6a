"""The engine that goes over the cells in an order fixed beforehand, and so has almost nothing to do at a
node.

If it is known which cell comes next, nothing need be kept for the cells after it. What is possible in a
cell is worked out when its turn comes: AND together the word of the kinds that are left, the word of the
cell's first domain, and one word from a table for each of its nodes. That is five loads, after which the
next option is the lowest bit that is set. Three values and one word are all that is written, and a node
costs 25 ns or less, against 80 to 160 ns for ``dlx``, which visits fewer nodes, but not so many fewer.

All the wisdom is in the order. A good one keeps the number of partial fillings small at every depth, that
is, it closes cells (all of whose nodes are known) as soon as it can, and
:func:`~trisolve.engines.order.sweep_order` looks for it by an estimate of that number. A random order is thousands of
times slower.

When only the number is wanted and every tile is there once, it is not cells that the sweep goes over but points:
:mod:`trisolve.engines.points`.

The loop itself is :func:`trisolve.engines.kernels.sweep_kernel`; symmetry is divided out by
:mod:`trisolve.engines.orbits`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from random import Random

import numpy as np

from trisolve.encoding import Encoding
from trisolve.engines import kernels
from trisolve.engines.base import Request, Work, memory, must_fill
from trisolve.engines.compiled import WORD_MASK, Runner
from trisolve.engines.kernels import SweepState, Tables
from trisolve.engines.orbits import Blocks, reduce
from trisolve.engines.order import sweep_order
from trisolve.engines.parts import (
    AHEAD,
    LIST_NODES,
    MOST_PARTS,
    ListPlan,
    ListWork,
    Packer,
    Part,
    PartsWork,
    Plan,
    parts_wanted,
    unpacked,
)
from trisolve.engines.points import PointPlan, told_by_points
from trisolve.engines.search import KernelEngine, tables, taken

LONG_LIST = 1e8
"""Expected nodes of a list that takes some seconds to find."""

LONGEST_LIST = 4.0 * MOST_PARTS * LIST_NODES
"""Expected nodes of a list whose parts are still small, so that their solutions may be kept."""

PART_ROOM = 256
"""Solutions of a part that the kernel may collect before they are packed."""


class Sweep(KernelEngine):
    """Cells in a fixed order, options worked out on the spot."""

    name = "sweep"

    def refuses(self, encoding: Encoding, request: Request) -> str | None:
        """Refuses boards with cells that may stay empty."""
        return must_fill(encoding)

    def start(self, encoding: Encoding, request: Request) -> Work:
        """Begin a search."""
        if request.counting:
            return PartsWork(self, encoding, request)
        if request.by_parts or self._worth_sharing(encoding, request):
            return ListWork(self, encoding, request)
        return super().start(encoding, request)

    def _worth_sharing(self, encoding: Encoding, request: Request) -> bool:
        """True when all solutions are wanted, in the usual order, and several threads find them sooner."""
        if request.limit is not None or request.seed is not None or request.workers == 1 or not encoding.cells:
            return False
        return encoding.slack >= 0 and LONG_LIST < sweep_order(encoding)[1] * reduce(encoding).work < LONGEST_LIST

    def plan(self, encoding: Encoding, request: Request) -> Plan:
        """A count, or a list of all solutions, in parts."""
        if request.counting and told_by_points(encoding, apart=True):
            return PointPlan(encoding)
        return CellPlan(encoding, request)

    def kernel(self, words: int) -> Callable[..., int]:
        """The interpreted kernel."""
        return kernels.sweep_kernel(words)

    def state(self, encoding: Encoding, tables: Tables, room: int, random: Random | None) -> SweepState:
        """A fresh state."""
        n, words = len(encoding.cells), encoding.words
        everything = tables.fits[len(encoding.values) * words :][:words]
        return SweepState(
            scalars=[0] * kernels.SCALARS,
            order=sweep_order(encoding)[0],
            value=[len(encoding.values)] * len(encoding.nodes),
            copies=encoding.copies.tolist(),
            available=everything * (n + 1),
            options=[0] * (n * words),
            before=[0] * (3 * n),
            chosen=[0] * n,
            touched=[0] * (n + 1),
            unit=[0] * len(encoding.kinds),
            used=[0] * (n + 1),
            output=[0] * (room * n),
        )

    def path(self, state: SweepState) -> Iterator[tuple[int, int]]:
        """Cells filled and bits chosen, from the root down."""
        depth = int(state.scalars[kernels.DEPTH])
        return ((int(state.order[d]), int(state.chosen[d])) for d in range(depth))

    def branches(self, tables: Tables, state: SweepState) -> Iterator[tuple[int, int]]:
        """Options done and options there were, from the root down."""
        words = len(tables.triple)
        deepest = int(state.scalars[kernels.DEPTH])
        for depth in range(deepest + (state.scalars[kernels.STEP] == kernels.TRY)):
            cell = int(state.order[depth])
            values = [
                int(state.before[depth * 3 + k] if depth < deepest else state.value[tables.cell_nodes[cell * 3 + k]])
                for k in range(3)
            ]
            options = options_at(tables, state, depth, values)
            left = sum((int(w) & WORD_MASK).bit_count() for w in state.options[depth * words : (depth + 1) * words])
            width = sum(map(int.bit_count, options))
            # The option tried last is still under way, except where the next one is about to be tried.
            yield width - left - (depth < deepest), width


def options_at(tables: Tables, state: SweepState, depth: int, values: Sequence[int]) -> list[int]:
    """The options, a bitboard, that the kernel finds at a depth when the cell's nodes have these values."""
    words = len(tables.triple)
    stride = len(tables.fits) // 3
    cell = int(state.order[depth])
    found = []
    for j in range(words):
        options = int(state.available[depth * words + j]) & int(tables.domains[cell * words + j])
        options &= int(tables.growth[int(state.touched[depth]) * words + j])
        for k in range(3):
            options &= int(tables.fits[k * stride + values[k] * words + j])
        found.append(options & WORD_MASK)
    return found


class CellPlan(ListPlan):
    """Goes over the cells of any puzzle, counting or listing; the parts are the options of the first few."""

    engine = "sweep"

    def __init__(self, e: Encoding, request: Request) -> None:
        super().__init__()
        counting = request.counting
        # What packed solutions may take; the other half of the memory is for what is made of them.
        self._room = memory(request) // (2 * AHEAD)
        self._reduction = reduction = reduce(e)
        self._tables = tables(reduction)
        self._root = Sweep().state(reduction.encoding, self._tables, 0 if counting else PART_ROOM, None)
        work = sweep_order(e)[1] * reduction.work
        wanted = parts_wanted(work) if counting else parts_wanted(work, LIST_NODES)
        found: list[tuple[int, ...]] = [()]
        for depth in range(len(e.cells)):
            # The next cell might bring too many at once, if it shares no node with those before.
            if len(found) >= wanted or len(found) * len(e.bits) > 4 * MOST_PARTS:
                break
            found = [(*bits, bit) for bits in found for bit in self._bits(self._after(bits), depth)]
        self.parts = [Part(bits, 1) for bits in found]
        self.part_nodes = work / max(1, len(found))
        self._runner = Runner(kernels.sweep_kernel(e.words), self._tables, self._root, work)

    def _after(self, bits: Sequence[int]) -> SweepState:
        """The state in which the first cells have taken these options, and nothing else is left to try for them."""
        t, words = self._tables, len(self._tables.triple)
        state = type(self._root)(*(list(field) for field in self._root))
        for depth, bit in enumerate(bits):
            cell, kind = state.order[depth], t.bit_kind[bit]
            for k in range(3):
                p, v = t.cell_nodes[cell * 3 + k], t.bit_values[bit * 3 + k]
                state.before[depth * 3 + k] = state.value[p]
                if v >= 0:
                    state.value[p] = v
            state.chosen[depth] = bit
            state.copies[kind] -= 1
            for j in range(words):
                left = t.keep[kind * words + j] if not state.copies[kind] else WORD_MASK
                state.available[(depth + 1) * words + j] = state.available[depth * words + j] & left
            state.touched[depth + 1] = state.touched[depth] | t.bit_touches[bit]
        state.scalars[kernels.DEPTH] = len(bits)
        return state

    def _bits(self, state: SweepState, depth: int) -> Iterator[int]:
        """The options of the cell that comes next."""
        nodes = self._tables.cell_nodes[state.order[depth] * 3 :][:3]
        for j, word in enumerate(options_at(self._tables, state, depth, [state.value[p] for p in nodes])):
            yield from (j * 64 + i for i in range(64) if word >> i & 1)

    def count(self, part: Part) -> tuple[int, int]:
        """The number of solutions of a part, and the nodes visited."""
        return self.finished(part, self._runner, self._runner.ready(self._after(part.key)))

    def solutions(self, part: Part) -> tuple[bytes, int, int]:
        """The solutions of a part, packed, one for all that symmetry makes of it; the number of them all; the nodes."""
        state, result = self._runner.ready(self._after(part.key)), kernels.PAUSED
        n = len(self._reduction.encoding.cells)
        found, number = Packer(self._room), 0
        while result != kernels.DONE:
            state, result = self._runner.run(state)
            filled = taken(state, kernels.OUTPUT)
            block = np.array(state.output[: filled * n], dtype=np.int64).reshape(filled, n)
            number += self._reduction.number(block)
            found.add(block)
            self.under_way[part] = number, int(state.scalars[kernels.NODES])
            if self.stop.is_set():
                raise CancelledError
        return found.bytes(), number, int(state.scalars[kernels.NODES])

    def unpacked(self, solutions: bytes) -> Iterator[Blocks]:
        """All solutions of a part, in the order in which a search finds them."""
        e = self._reduction.encoding
        for block in unpacked(solutions, len(e.cells)):
            if (block >= len(e.bits)).any():
                raise ValueError("there is no such labelling")
            yield from self._reduction.expand(block)

    def content(self) -> Iterator[object]:
        """The tables, and the state before any part."""
        yield self._tables, self._root


ENGINE = Sweep()
