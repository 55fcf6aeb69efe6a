"""The engine that goes over the cells in an order fixed beforehand, and so has almost nothing to do at a
node.

If it is known which cell comes next, nothing need be kept for the cells after it. What is possible in a
cell is worked out when its turn comes: AND together the word of the kinds that are left, the word of the
cell's first domain, and one word from a table for each of its nodes. That is five loads, after which the
next option is the lowest bit that is set. Three values and one word are all that is written, and a node
costs 25 ns or less, against 80 to 160 ns for ``dlx``, which visits fewer nodes, but not so many fewer.

All the wisdom is in the order. A good one keeps the number of partial fillings small at every depth, that
is, it closes cells (all of whose nodes are known) as soon as it can, and
:func:`~trisolve.engines.order.sweep_order` looks for it
by a simple estimate that is right to within a factor of two or three on the boards of the tests. A random
order is thousands of times slower.

When only the number is wanted and every tile is there once, it is not cells that the sweep goes over but points:
:mod:`trisolve.engines.points`.

The loop itself is :func:`trisolve.engines.kernels.sweep_kernel`; symmetry is divided out by
:mod:`trisolve.engines.orbits`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from random import Random

from trisolve.encoding import Encoding
from trisolve.engines import kernels
from trisolve.engines.base import Request, Work
from trisolve.engines.compiled import WORD_MASK
from trisolve.engines.kernels import SweepState, Tables
from trisolve.engines.order import sweep_order
from trisolve.engines.parts import PartsWork
from trisolve.engines.points import PointPlan, told_by_points
from trisolve.engines.search import KernelEngine


class Sweep(KernelEngine):
    """Cells in a fixed order, options worked out on the spot."""

    name = "sweep"

    def start(self, encoding: Encoding, request: Request) -> Work:
        """Begin a search; a count goes over points where they tell the tiles."""
        if request.counting and told_by_points(encoding, apart=True):
            return PartsWork(self.name, partial(PointPlan, encoding), encoding, request)
        return super().start(encoding, request)

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

    def branches(self, tables: Tables, state: SweepState) -> Iterator[tuple[int, int]]:
        """Options done and options there were, from the root down."""
        words = len(tables.triple)
        stride = len(tables.fits) // 3
        deepest = int(state.scalars[kernels.DEPTH])
        for depth in range(deepest + (state.scalars[kernels.STEP] == kernels.TRY)):
            cell = int(state.order[depth])
            values = [
                int(state.before[depth * 3 + k] if depth < deepest else state.value[tables.cell_nodes[cell * 3 + k]])
                for k in range(3)
            ]
            left = width = 0
            for j in range(words):
                options = int(state.available[depth * words + j]) & int(tables.domains[cell * words + j])
                options &= int(tables.growth[int(state.touched[depth]) * words + j])
                for k in range(3):
                    options &= int(tables.fits[k * stride + values[k] * words + j])
                width += (options & WORD_MASK).bit_count()
                left += (int(state.options[depth * words + j]) & WORD_MASK).bit_count()
            # The option tried last is still under way, except where the next one is about to be tried.
            yield width - left - (depth < deepest), width

    def split(self, tables: Tables, state: SweepState) -> SweepState | None:
        """Half of the options still to try at the least depth that has any become a search of their own."""
        words = len(tables.triple)
        deepest = int(state.scalars[kernels.DEPTH])
        for depth in range(deepest + (state.scalars[kernels.STEP] == kernels.TRY)):
            here = slice(depth * words, (depth + 1) * words)
            bits = [j * 64 + i for j, w in enumerate(state.options[here]) for i in range(64) if int(w) >> i & 1]
            # At the last depth nothing is under way, so that half must stay to keep the search going.
            given = bits[len(bits) // 2 :] if depth < deepest else bits[(len(bits) + 1) // 2 :]
            if not given:
                continue
            other = type(state)(*(array.copy() for array in state))
            for part, kept in ((state, set(bits) - set(given)), (other, set(given))):
                for j in range(words):
                    word = sum(1 << bit % 64 for bit in kept if bit // 64 == j)
                    part.options[depth * words + j] = word - (1 << 64 if word >> 63 else 0)
            for d in range(deepest - 1, depth - 1, -1):
                cell = int(state.order[d])
                for k in (2, 1, 0):
                    other.value[tables.cell_nodes[cell * 3 + k]] = state.before[d * 3 + k]
                other.copies[tables.bit_kind[int(state.chosen[d])]] += 1
            other.scalars[:] = 0
            other.scalars[kernels.DEPTH] = depth
            other.scalars[kernels.STEP] = kernels.TRY
            return other
        return None


ENGINE = Sweep()
