"""Counting cell by cell, with a number for each state: the transfer-matrix method.

Where copies are plentiful, which tiles a filling uses hardly matters, and there are far too many fillings to list.
So the cells are added one by one, and partial fillings that agree on the nodes still open and on the copies
left of the kinds that can run out are one state with a number (Stanley, Enumerative Combinatorics 1, 4.7).
Numbers are Python integers and never wrap.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import CancelledError

import numpy as np

from trisolve.encoding import Encoding
from trisolve.engines.base import TICK, Block, OutOfMemory, Request, WorkBase, memory
from trisolve.engines.order import layout_of
from trisolve.engines.parts import Part, Plan
from trisolve.engines.points import Uses

STATE_BYTES = 400
"""Memory for one state."""

State = tuple[tuple[int, ...], int]
"""What partial fillings have in common: the values of the open nodes, -1 for none yet, and the uses."""


class Step:
    """One more cell: what becomes of a state when it is filled."""

    def __init__(
        self, e: Encoding, uses: Uses, cell: int, labels: list[int], before: list[int], closing: set[int]
    ) -> None:
        row = e.cell_nodes[cell].tolist()
        nodes = [*before, *dict.fromkeys(p for p in row if p not in before)]
        kept = [j for j, p in enumerate(nodes) if p not in closing]
        self.cell = cell
        self.open = [nodes[j] for j in kept]
        self._kept = kept
        self._spots = [nodes.index(p) for p in row]
        self._blank = (-1,) * (len(nodes) - len(before))
        fields = zip(uses.shift, uses.width, uses.copies, strict=True)
        field = dict(zip(uses.kinds, fields, strict=True))
        self._labels = [
            (label, e.label_values[label].tolist(), field.get(int(e.label_kind[label]), (0, 0, 1))) for label in labels
        ]
        self._fitting: dict[tuple[int, ...], list[tuple[int, list[tuple[int, int]], tuple[int, int, int]]]] = {}

    def after(self, state: State) -> list[tuple[State, int]]:
        """The states that follow, with the labelling that leads to each."""
        shown, used = state
        shown += self._blank
        here = tuple(shown[j] for j in self._spots)
        if here not in self._fitting:
            self._fitting[here] = [
                (label, [(j, v) for j, v in zip(self._spots, row, strict=True) if v >= 0], field)
                for label, row, field in self._labels
                if all(v < 0 or w < 0 or v == w for v, w in zip(row, here, strict=True))
            ]
        kept = self._kept
        found = []
        for label, changes, (shift, width, copies) in self._fitting[here]:
            more = used
            if width:
                if used >> shift & ((1 << width) - 1) == copies:
                    continue
                more += 1 << shift
            now = list(shown)
            for j, v in changes:
                now[j] = v
            found.append(((tuple([now[j] for j in kept]), more), label))
        return found


class Transfer:
    """Adds cell after cell, and keeps how many partial fillings lead to each state."""

    def __init__(self, e: Encoding, request: Request) -> None:
        layout = layout_of(e)
        uses = Uses.of(e)
        left = [len(cells) for cells in layout.at]
        self.nodes = 0
        self.fraction = 0.0
        self.steps: list[Step] = []
        before: list[int] = []
        possible = e.possible()
        for c in layout.whole[0]:
            for p in layout.rows[c]:
                left[p] -= 1
            closing = {p for p in layout.rows[c] if not left[p]}
            self.steps.append(Step(e, uses, c, np.flatnonzero(possible[c]).tolist(), before, closing))
            before = self.steps[-1].open
        self.states: dict[State, int] = {((), 0): 1}
        """The states reached, and how many partial fillings lead to each."""
        self.tables: list[dict[State, int]] = []
        """The states before each step, where they are to be kept."""
        self._memory = memory(request)
        self._state_bytes = STATE_BYTES + uses.bits // 8

    def count(self, keep: bool = False) -> Iterator[None]:
        """Take all steps, with a tick now and then; with ``keep`` nothing is thrown away.

        Raises OutOfMemory.
        """
        tick = time.monotonic() + TICK
        kept = 0
        for i, step in enumerate(self.steps):
            after: dict[State, int] = {}
            for state, number in self.states.items():
                for key, _ in step.after(state):
                    after[key] = after.get(key, 0) + number
                self.nodes += 1
                if not self.nodes & 255 and time.monotonic() >= tick:
                    held = kept + len(self.states) + len(after)
                    if held * (self._state_bytes + 8 * len(step.open)) > self._memory:
                        raise OutOfMemory(f"engine frontier needs more memory than it has for {held:,} states")
                    self.fraction = i / len(self.steps)
                    yield
                    tick = time.monotonic() + TICK
            if keep:
                self.tables.append(self.states)
                kept += len(self.states)
            self.states = after


class TransferWork(WorkBase):
    """A count under way; see :class:`trisolve.engines.base.Work`."""

    engine = "frontier"

    def __iter__(self) -> Iterator[Block]:
        transfer = Transfer(self._encoding, self._request)
        for _ in transfer.count():
            self.nodes, self.fraction = transfer.nodes, transfer.fraction
            yield ()
        self.nodes = transfer.nodes
        self.found = sum(transfer.states.values())
        self.exhausted = True
        self.fraction = 1.0


class TransferPlan(Plan):
    """The whole count as one part."""

    engine = "frontier"
    parts = (Part((), 1),)

    def __init__(self, encoding: Encoding, request: Request) -> None:
        super().__init__()
        self._encoding = encoding
        self._request = request

    def count(self, part: Part) -> tuple[int, int]:
        """The number of solutions, and the states visited."""
        transfer = Transfer(self._encoding, self._request)
        for _ in transfer.count():
            if self.stop.is_set():
                raise CancelledError
        return sum(transfer.states.values()), transfer.nodes

    def content(self) -> Iterator[object]:
        """The encoding, for there is nothing else."""
        e = self._encoding
        for array in (e.cell_nodes, e.copies, e.label_kind, e.label_values, e.possible()):
            yield array.tolist()
