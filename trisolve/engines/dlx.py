"""The exact-cover engine: cells, tile kinds and coloured nodes, the item with fewest options next."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from trisolve.encoding import Encoding
from trisolve.engines import kernels
from trisolve.engines.kernels import DlxState, Tables
from trisolve.engines.search import KernelEngine


class Dlx(KernelEngine):
    """See the module's opening paragraph."""

    name = "dlx"

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

    def branches(self, tables: Tables, state: DlxState) -> Iterator[tuple[int, int]]:
        """Options done and options there were, from the root down."""
        for depth in range(int(state.scalars[kernels.DEPTH])):
            first, after = int(state.choice_first[depth]), int(state.choice_first[depth + 1])
            last = depth + 1 == int(state.scalars[kernels.DEPTH])
            width = (int(state.scalars[kernels.CHOICES]) if last else after) - first
            yield int(state.choice_next[depth]) - first - 1, max(width, 1)


ENGINE = Dlx()
