"""Counting by parts, without visiting solutions: by meeting in the middle, or cell by cell with states.

Meeting in the middle (:mod:`trisolve.engines.meeting`) lists what tiles two halves of the board can use.
The transfer method (:mod:`trisolve.engines.transfer`) is for supplies in which copies are plentiful. Which of the two,
which cut, and whether to count this way at all, is decided by the expected number of steps
(:mod:`trisolve.engines.order`).
"""

from __future__ import annotations

from math import exp, inf, log

from trisolve.encoding import Encoding
from trisolve.engines.base import Request, Work, must_fill
from trisolve.engines.meeting import Meeting, best_cut
from trisolve.engines.order import layout_of
from trisolve.engines.parts import PartsWork, Plan
from trisolve.engines.points import USE_BITS, Uses
from trisolve.engines.transfer import TransferPlan, TransferWork

MEET_CELLS = 64
"""The largest board that is cut in two."""

JOIN_STEPS = 0.5
"""Steps of the join, in nodes of a kernel, for each solution."""

STATE_STEPS = 60
"""One state of the transfer method costs about as much as so many nodes of a kernel."""


def chosen_method(e: Encoding) -> tuple[str, float]:
    """``meet`` or ``transfer``, and the expected work in nodes of a kernel; infinite when neither will do."""
    layout = layout_of(e)
    uses = Uses.of(e)
    left = [len(cells) for cells in layout.at]
    size, width = 0.0, 0
    seen = [bool(layout.known >> p & 1) for p in range(len(e.nodes))]
    vectors = sum(log(c + 1) for c in uses.copies)
    transfer = 0.0
    value = log(len(e.values) or 1)
    for i, c in enumerate(layout.whole[0]):
        new = {p for p in layout.rows[c] if not seen[p]}
        size += layout.growth(len(new), i)
        for p in layout.rows[c]:
            # A node is open from its first cell to its last.
            width += left[p] == len(layout.at[p])
            left[p] -= 1
            width -= not left[p]
            seen[p] = True
        transfer += exp(min(size, width * value + vectors, 700.0))
    transfer *= STATE_STEPS
    cut = best_cut(e) if uses.bits <= USE_BITS and len(e.cells) <= MEET_CELLS else None
    # The join comes upon every pair of uses that makes a solution, many solutions at a time.
    meet = cut.work + JOIN_STEPS * layout.whole[2] if cut is not None else inf
    return ("meet", meet) if meet < transfer else ("transfer", transfer)


class Frontier:
    """Counts by parts."""

    name = "frontier"

    def refuses(self, encoding: Encoding, request: Request) -> str | None:
        """Refuses everything but counting, and boards with cells that may stay empty."""
        if not request.counting:
            return "it counts solutions without listing them; expected the command count"
        return must_fill(encoding)

    def start(self, encoding: Encoding, request: Request) -> Work:
        """Begin a count."""
        if encoding.cells and encoding.slack >= 0 and not request.by_parts and _transfers(encoding):
            return TransferWork(encoding, request)
        return PartsWork(self, encoding, request)

    def plan(self, encoding: Encoding, request: Request) -> Plan:
        """A count in parts; the transfer method has only one."""
        return TransferPlan(encoding, request) if _transfers(encoding) else Meeting(encoding, request)


def _transfers(encoding: Encoding) -> bool:
    return chosen_method(encoding)[0] == "transfer"


ENGINE = Frontier()
