"""The exact-cover engine: cells, tile kinds and coloured nodes; the item with the fewest options next.

This is Knuth's exact cover with colours (TAOCP 4B, 7.2.2.1), with the linked lists replaced by bitboards.
An option "tile 012 in cell r2c4, turned so" covers a cell and a copy of a kind and gives colours to three
nodes. In a generic program each of these touches a linked list or a sparse set for every option that falls
away, some hundreds of memory accesses a node. Here all options of a cell are bits of a word, so one AND
takes away all that disagree with a colour, and one more in each uncovered cell takes away a kind that is
used up. A node costs about 80 to 160 ns compiled, 12 us interpreted.

The structure of the puzzle is used in three more ways. With no tile left over, or as many as can no longer
be placed anywhere, every other tile must be used: then kinds are items to branch on like cells. If more
tiles have lost their last place than may stay over, the branch is dead; this also bites on the hexagon,
where one of 25 tiles is left over and a plain exact-cover program must treat all kinds as optional. And
values that are interchangeable, and the board's symmetries, are divided out
(:mod:`trisolve.engines.orbits`).

Where cells may stay empty there is no exact cover of the cells: :mod:`trisolve.engines.growing` takes over.

The loop itself is :func:`trisolve.engines.kernels.dlx_kernel`; restarts and compiling are in
:mod:`trisolve.engines.search`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from trisolve.encoding import Encoding
from trisolve.engines import kernels
from trisolve.engines.base import Request, Work
from trisolve.engines.growing import GrowingWork
from trisolve.engines.kernels import DlxState, Tables
from trisolve.engines.search import KernelEngine


class Dlx(KernelEngine):
    """Exact cover with colours on bitboards."""

    name = "dlx"

    def start(self, encoding: Encoding, request: Request) -> Work:
        """Begin a search."""
        return super().start(encoding, request) if encoding.optional is None else GrowingWork(encoding, request)

    def kernel(self, words: int) -> Callable[..., int]:
        """The interpreted kernel."""
        return kernels.dlx_kernel(words)

    def state(self, encoding: Encoding, tables: Tables, room: int, random: Random | None) -> DlxState:
        """A fresh state; ``random`` changes which of several cells with as few options comes first."""
        n, words = len(encoding.cells), encoding.words
        copies = encoding.copies.tolist()
        spare = [0] * words
        single = [0] * words
        for kind, number in enumerate(copies):
            for j in range(words):
                head = tables.kind_bits[kind * words + j] & (tables.triple[j] | tables.lone[j])
                spare[j] |= head if number else 0
                single[j] |= head if number == 1 else 0
        order = list(range(n))
        if random is not None:
            random.shuffle(order)
        place = [0] * n
        for i, cell in enumerate(order):
            place[cell] = i
        # Each entry of the trail takes away at least one bit.
        trail = sum(word.bit_count() for word in tables.domains) + 1
        # At each depth: all options of a cell, or at most two of a kind.
        choices = n * len(encoding.bits) + 2
        scalars = [0] * kernels.SCALARS
        scalars[kernels.LEFT] = n
        scalars[kernels.USED_UP] = -1
        return DlxState(
            scalars=scalars,
            word=list(tables.domains),
            copies=copies,
            colour=[-1] * len(encoding.nodes),
            order=order,
            place=place,
            trail_word=[0] * trail,
            trail_old=[0] * trail,
            trail_mark=[0] * (n + 1),
            choice_cell=[0] * choices,
            choice_bit=[0] * choices,
            choice_first=[0] * (n + 1),
            choice_next=[0] * (n + 1),
            chosen_cell=[0] * n,
            chosen_bit=[0] * n,
            coloured=[-1] * (3 * n),
            touched=[0] * (n + 1),
            spare=spare,
            single=single,
            at_least_1=[0] * words,
            at_least_2=[0] * words,
            at_least_3=[0] * words,
            output=[0] * (room * n),
        )

    def path(self, state: DlxState) -> Iterator[tuple[int, int]]:
        """Cells filled and bits chosen, from the root down."""
        depth = int(state.scalars[kernels.DEPTH])
        return ((int(state.chosen_cell[d]), int(state.chosen_bit[d])) for d in range(depth))

    def branches(self, tables: Tables, state: DlxState) -> Iterator[tuple[int, int]]:
        """Options done and options there were, from the root down."""
        deepest = int(state.scalars[kernels.DEPTH])
        # Where a solution is about to be handed over, the deepest level has no choices of its own yet.
        levels = deepest + int(state.scalars[kernels.STEP] == kernels.TRY)
        ends = [int(first) for first in state.choice_first[1:levels]] + [int(state.scalars[kernels.CHOICES])]
        for depth in range(levels):
            first = int(state.choice_first[depth])
            # The option tried last is still under way, except where the next one is about to be tried.
            yield int(state.choice_next[depth]) - first - (depth < deepest), ends[depth] - first


ENGINE = Dlx()
