"""Counting without visiting solutions: cut the board in two, list what each half can use, join the lists.

**Meet in the middle.** Choose a cut, so that few nodes lie on it. Fix the values of those nodes; then the
two halves of the board have nothing to do with each other but that they draw on one supply. For each half
list the *uses*, that is, which tiles each of its fillings takes, as a number of a few bits a kind. Sort, and
count in how many pairs the two uses together are within the supply. Then do the same for the next values of the
nodes on the cut. The strip of 24 cells has 206,472 fillings; its two halves have some 180,000 each for given
values on the cut, and interchangeable values leave two cases of sixteen to look at.

*The join* (:func:`~trisolve.engines.kernels.join_kernel`) goes down both sorted lists at once, kind by kind,
as in a trie: where one half uses a tile the other must not. A kind that neither uses is a tile left over, and there
can be only so many of those, which is what keeps the join small: with no tile left over it is a merge.

*Wild corners.* A half that shows nothing but wild corners at a node of the cut fits every value there. If
both halves can do so, the pairs in which both do are counted once for each of the V values, which is V - 1 times too
often; they are taken out again by one more case for the node, "wild only", with weight 1 - V.

**Transfer.** Where copies are plentiful the uses hardly matter, and there are far too many fillings of a half to list.
Then the cells are added one by one, and partial fillings that agree on the nodes still open and
on the copies left of the kinds that can run out are one state with a number: the transfer-matrix
method (Stanley, Enumerative Combinatorics 1, 4.7). Numbers are Python integers and never wrap.

Which of the two, which cut, and whether to count this way at all, is decided by the expected number of steps
(:mod:`trisolve.engines.order`).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import reduce
from math import exp, factorial, inf, log, prod
from operator import and_, or_
from typing import Any, TypeVar

import numpy as np

from trisolve.encoding import Encoding, Ints
from trisolve.engines import kernels
from trisolve.engines.base import TICK, Block, OutOfMemory, Request, Work
from trisolve.engines.compiled import compiled
from trisolve.engines.orbits import Reduction
from trisolve.engines.order import allowed_values, layout_of
from trisolve.engines.search import as_arrays, tables
from trisolve.engines.sweep import Sweep
from trisolve.symmetry import classes
from trisolve.tiles import WILD

ROOM = 1 << 18
"""Uses that a kernel collects before it hands them over."""

SLICE = 2_000_000
"""Nodes, or steps of a join, between two looks at whether to stop."""

MOST_USES = 1 << 23
"""The longest list; sorting it can't be interrupted, and takes about a second."""

USE_BITS = 62
"""Bits that the uses of one filling may take."""

DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1), (1, 2), (2, 1))
"""Linear functions of the coordinates by which boards are cut."""

DRAFTS = 4
"""Cuts that are looked at closely."""

MEET_CELLS = 64
"""The largest board that is cut in two."""

COMPILE_ABOVE = 2e5
"""Expected nodes above which the kernels are compiled."""

USE_BYTES = 32
"""Memory for one use of a list: itself, its copy while the list is sorted, and the number beside it."""

HOPELESS = 10
"""Lists expected to be so many times too long for the memory aren't begun."""

STATE_BYTES = 400
"""Memory for one state of the transfer method."""

STATE_STEPS = 60
"""One state of the transfer method costs about as much as so many nodes of a kernel."""

_T = TypeVar("_T")


@dataclass(frozen=True)
class Cut:
    """Two halves of the board, each in the order in which it is filled, and the nodes they share."""

    halves: tuple[list[int], list[int]]
    nodes: list[int]
    work: float
    """Expected nodes for all values on the cut, symmetry left aside."""
    longest: float
    """Expected length of the longer list of uses."""


@dataclass(frozen=True)
class Uses:
    """How the tiles used by a filling are written as one number: a field of bits for each kind that can run out."""

    kinds: list[int]
    shift: list[int]
    width: list[int]
    copies: list[int]

    @classmethod
    def of(cls, e: Encoding) -> Uses:
        """The fields of an encoding; the kind with the highest field comes first."""
        kinds = [t for t, copies in enumerate(e.copies.tolist()) if copies < len(e.cells) or copies == 1]
        copies = [int(e.copies[t]) for t in kinds]
        width = [c.bit_length() for c in copies]
        shift = [sum(width[i + 1 :]) for i in range(len(kinds))]
        return cls(kinds, shift, width, copies)

    @property
    def bits(self) -> int:
        """Bits in all."""
        return sum(self.width)


def best_cut(e: Encoding) -> Cut | None:
    """The cut with the least expected work, among cuts along lattice directions near the middle."""
    n = len(e.cells)
    if n < 2:
        return None
    layout = layout_of(e)
    value = log(len(e.values) or 1)
    thinned = [0.0]
    for i in range(n):
        thinned.append(thinned[-1] + layout.growth(0, i))
    drafts: dict[frozenset[int], float] = {}
    for a, b in DIRECTIONS:
        place = [sum(a * p.x + b * p.y for p in cell.corners()) for cell in e.cells]
        for way in (1, -1):
            order = sorted(range(n), key=lambda c: (place[c], way * c))
            masks = [layout.masks[c] for c in order]
            for size in range(max(1, n // 3), min(n - 1, n - n // 3) + 1):
                first, second = (reduce(or_, half).bit_count() for half in (masks[:size], masks[size:]))
                rough = exp(min(700.0, first * value + thinned[size]))
                rough += exp(min(700.0, second * value + thinned[n - size]))
                drafts[frozenset(order[:size])] = rough
    free = sum(1 << p for p, values in enumerate(allowed_values(e)) if len(values) > 1)
    best: Cut | None = None
    for half in sorted(drafts, key=drafts.__getitem__)[:DRAFTS]:
        halves = sorted(half), sorted(set(range(n)) - half)
        # All of them, also those that clues fix: it may be the cells of one half only that know it.
        shared = reduce(and_, (reduce(or_, (layout.masks[c] for c in cells)) for cells in halves))
        orders = [layout.greedy(cells, layout.known | shared) for cells in halves]
        work = exp(min(700.0, (shared & free).bit_count() * value)) * sum(nodes for _, nodes, _ in orders)
        if best is None or work < best.work:
            nodes = [p for p in range(len(e.nodes)) if shared >> p & 1]
            best = Cut((orders[0][0], orders[1][0]), nodes, work, max(fillings for _, _, fillings in orders))
    return best


def cases(e: Encoding, nodes: list[int], groups: list[tuple[int, ...]]) -> Iterator[tuple[tuple[int, ...], int]]:
    """The values that nodes of a cut may have, with a weight: one case of those that permuting values makes equal.

    A value is an index, or V + 1 for "wild only". ``groups`` are classes of interchangeable value indices.
    """
    allowed = allowed_values(e)
    count = len(e.values)
    # Two wild corners can meet at a node of the cut only where two tiles have one.
    twice = sum(int(e.copies[t]) for t, tile in enumerate(e.kinds) if WILD in tile.text) > 1
    group_of = {v: i for i, group in enumerate(groups) for v in group}

    def extend(
        i: int, chosen: tuple[int, ...], seen: tuple[int, ...], weight: int
    ) -> Iterator[tuple[tuple[int, ...], int]]:
        if i == len(nodes):
            yield (
                chosen,
                weight * prod(factorial(len(g)) // factorial(len(g) - k) for g, k in zip(groups, seen, strict=True)),
            )
            return
        for v in allowed[nodes[i]]:
            group = group_of.get(v)
            if group is None or v in chosen:
                yield from extend(i + 1, (*chosen, v), seen, weight)
            elif v == groups[group][seen[group]]:
                more = tuple(k + (g == group) for g, k in enumerate(seen))
                yield from extend(i + 1, (*chosen, v), more, weight)
        if twice:
            yield from extend(i + 1, (*chosen, count + 1), seen, weight * (1 - count))

    yield from extend(0, (), (0,) * len(groups), 1)


class FrontierWork:
    """A count under way; see :class:`trisolve.engines.base.Work`."""

    engine = "frontier"
    updates = 0

    def __init__(self, encoding: Encoding, request: Request) -> None:
        self.found = 0
        self.nodes = 0
        self.fraction = 0.0
        self.exhausted = False
        self._encoding = encoding
        self._request = request

    def __iter__(self) -> Iterator[Block]:
        e = self._encoding
        if e.slack < 0 or not e.cells:
            self.found = int(e.slack >= 0)
        elif chosen_method(e)[0] == "transfer":
            yield from self._transfer()
        else:
            yield from self._meet()
        self.exhausted = True
        self.fraction = 1.0

    def _meet(self) -> Iterator[Block]:
        meeting = Meeting(self._encoding, self._request)
        # With a case of negative weight to come, what has been found so far is no lower bound.
        bound = all(weight > 0 for _, weight in meeting.cases)
        total = done = 0
        for result in meeting.over(meeting.count, meeting.cases):
            if result is None:
                yield ()
                continue
            case, (count, nodes) = result
            total += meeting.cases[case][1] * count
            self.found = total if bound else 0
            self.nodes += nodes
            done += 1
            self.fraction = done / len(meeting.cases)
        self.found = total

    def _transfer(self) -> Iterator[Block]:
        transfer = Transfer(self._encoding, self._request)
        for _ in transfer.count():
            self.nodes, self.fraction = transfer.nodes, transfer.fraction
            yield ()
        self.nodes = transfer.nodes
        self.found = sum(transfer.states.values())


# -- transfer -----------------------------------------------------------------------------------------

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


# -- meet in the middle -------------------------------------------------------------------------------


class Meeting:
    """Counts the pairs for one case after another, and gives the i-th one; used by several threads at once."""

    def __init__(self, e: Encoding, request: Request) -> None:
        cut = best_cut(e) or Cut(([], list(range(len(e.cells)))), [], 0.0, 0.0)
        self._memory = memory(request) // request.workers
        if cut.longest * USE_BYTES > HOPELESS * self._memory:
            raise OutOfMemory(
                f"engine frontier needs more memory than it has for lists of about {cut.longest:.0e} uses"
            )
        index = {v: i for i, v in enumerate(e.values)}
        found = [] if e.puzzle is None else classes(e.puzzle)
        groups = [tuple(index[v] for v in g) for g in found if len(g) > 1]
        self.nodes = cut.nodes
        """The nodes on the cut."""
        self.cases = list(cases(e, cut.nodes, groups))
        """Values of these nodes, and the weight of the case."""
        self._stop = threading.Event()
        self._encoding = e
        self._workers = request.workers
        self._local = threading.local()
        self._uses = uses = Uses.of(e)
        self._tables = tables(Reduction(e))
        self._bit_label = self._tables.bit_label
        self._list = kernels.sweep_kernel(e.words, True)
        self._join = kernels.join_kernel()
        every = len(uses.kinds) == len(e.kinds)
        self._slack = e.slack if every else sum(uses.copies)
        self._fields: Any = (uses.shift, uses.width, uses.copies)
        self._copies = e.copies.tolist()
        self._blank = [self._half(cells) for cells in cut.halves]
        self._fast = False
        if cut.work > COMPILE_ABOVE:
            self._compile()

    def _compile(self) -> None:
        example = as_arrays(self._tables), as_arrays(self._blank[0]), 1, False
        listing = compiled(self._list, example)
        if listing is not None:
            self._list = listing
            self._tables = as_arrays(self._tables)
            self._fields = tuple(np.array(f, dtype=np.int64) for f in self._fields)
            self._fast = True
            self._join = self._compiled_join(self._join)

    def _compiled_join(self, join: Callable[..., int]) -> Callable[..., int]:
        return compiled(join, (*self._fields, *(np.zeros(1, dtype=np.int64),) * 8, 1)) or join

    def _half(self, cells: list[int]) -> Any:
        e = self._encoding
        unit = [0] * len(e.kinds)
        for t, shift in zip(self._uses.kinds, self._uses.shift, strict=True):
            unit[t] = 1 << shift
        return Sweep().state(e, self._tables, 0, None)._replace(order=cells, unit=unit, output=[])

    def over(self, task: Callable[..., _T], arguments: Sequence[tuple[Any, ...]]) -> Iterator[tuple[int, _T] | None]:
        """Do a task for each of these arguments, in threads: their places and results as they come, None for a tick."""
        with ThreadPoolExecutor(self._workers) as pool:
            places = {pool.submit(task, *given): i for i, given in enumerate(arguments)}
            waiting = set(places)
            try:
                while waiting:
                    done, waiting = wait(waiting, TICK, FIRST_COMPLETED)
                    for future in done:
                        yield places.pop(future), future.result()
                    yield None
            except BaseException:
                self._stop.set()
                pool.shutdown(wait=True, cancel_futures=True)
                raise

    def _begin(self, half: int, values: tuple[int, ...]) -> Any:
        """This thread's state of a half, at the start, with these values on the cut."""
        if not hasattr(self._local, "states"):
            if self._fast:
                states = [as_arrays(s)._replace(output=np.zeros(ROOM, dtype=np.int64)) for s in self._blank]
            else:
                states = [copied(s)._replace(output=[0] * ROOM) for s in self._blank]
            self._local.states = states
        state = self._local.states[half]
        for field in range(kernels.SCALARS):
            state.scalars[field] = 0
        for p in range(len(state.value)):
            state.value[p] = len(self._encoding.values)
        # A kernel that was stopped on a filling hasn't taken its tiles back.
        for t, copies in enumerate(self._copies):
            state.copies[t] = copies
        for p, v in zip(self.nodes, values, strict=True):
            state.value[p] = v
        return state

    def count(self, values: tuple[int, ...], weight: int = 1) -> tuple[int, int]:
        """The number of pairs when the nodes of the cut have these values, and the nodes visited."""
        lists = []
        visited = 0
        for half in (0, 1):
            state = self._begin(half, values)
            lists.append(grouped(self._listed(state)))
            visited += int(state.scalars[kernels.NODES])
            if not len(lists[-1][0]):
                return 0, visited
        return self._joined(*lists), visited

    def draw(self, values: tuple[int, ...], numbers: list[int]) -> Ints:
        """The pairs with these numbers, in increasing order, as an array with a solution in each row.

        The pairs of a case have numbers from 0 on, as the join comes upon them.
        """
        first, second = (grouped(self._listed(self._begin(half, values))) for half in (0, 1))
        hits = self._located(first, second, numbers)
        often = second[1][hits[:, 1]]
        uses = first[0][hits[:, 0]], second[0][hits[:, 1]]
        del first, second
        solutions = np.empty((len(numbers), len(self._encoding.cells)), dtype=np.int64)
        for half, which in enumerate((hits[:, 2] // often, hits[:, 2] % often)):
            self._recover(half, values, uses[half], which, solutions)
        return solutions

    def _listed(self, state: Any) -> Ints:
        """The uses of a half, one for each filling, in the order in which they are found."""
        parts: list[Ints] = []
        size = 0
        while True:
            result = self._list(self._tables, state, SLICE if self._fast else SLICE // 100, False)
            filled = int(state.scalars[kernels.OUTPUT])
            parts.append(np.array(state.output[:filled], dtype=np.int64))
            state.scalars[kernels.OUTPUT] = 0
            size += filled
            if self._stop.is_set():
                raise CancelledError
            if size * USE_BYTES > self._memory or size > MOST_USES:
                raise OutOfMemory(f"engine frontier needs more memory than it has for lists of {size:,} uses")
            if result == kernels.DONE:
                return np.concatenate(parts)

    def _recover(self, half: int, values: tuple[int, ...], uses: Ints, which: Ints, solutions: Ints) -> None:
        """Write into each row of ``solutions`` the filling of a half that is the which-th one with these uses."""
        listed = self._listed(self._begin(half, values))
        places = np.flatnonzero(np.isin(listed, uses))
        found = listed[places]
        order = np.argsort(found, kind="stable")
        wanted = places[order][np.searchsorted(found[order], uses) + which]
        state = self._begin(half, values)
        cells = list(state.order)
        passed = 0
        for place in np.unique(wanted).tolist():
            self._pass(state, place - passed)
            passed = place
            labels = [self._bit_label[bit] for bit in state.chosen[: len(cells)]]
            solutions[np.ix_(np.flatnonzero(wanted == place), cells)] = labels

    def _pass(self, state: Any, number: int) -> None:
        """Pass over so many fillings of a half; the one after them is then in ``state.chosen``."""
        while True:
            if self._stop.is_set():
                raise CancelledError
            # A kernel without room stops on a filling and hasn't put it out.
            room = min(number, ROOM)
            part = state._replace(output=state.output[:room])
            state.scalars[kernels.OUTPUT] = 0
            while self._list(self._tables, part, SLICE if self._fast else SLICE // 100, False) != kernels.FULL:
                if self._stop.is_set():
                    raise CancelledError
            number -= room
            if not number:
                return

    def _joined(self, first: tuple[Ints, Ints], second: tuple[Ints, Ints]) -> int:
        nothing = np.zeros(0, dtype=np.int64)
        return self._run_join(self._join, first, second, nothing, nothing)[0]

    def _located(self, first: tuple[Ints, Ints], second: tuple[Ints, Ints], numbers: list[int]) -> Ints:
        """For each number: the places of the two uses in their lists, and the number among the pairs with these."""
        join = kernels.join_kernel(True)
        if self._fast:
            join = self._compiled_join(join)
        targets = np.array(numbers, dtype=np.int64)
        hits = np.zeros(3 * len(numbers), dtype=np.int64)
        return np.array(self._run_join(join, first, second, targets, hits)[1], dtype=np.int64).reshape(-1, 3)

    def _run_join(
        self, join: Callable[..., int], first: tuple[Ints, Ints], second: tuple[Ints, Ints], targets: Ints, hits: Ints
    ) -> tuple[int, Any]:
        copies = self._uses.copies
        children = max([(c + 1) * (c + 2) // 2 for c in copies], default=1)
        stack = np.zeros(6 * (children * (len(copies) + 1) + 1), dtype=np.int64)
        scalars = np.array([1, 0, 0], dtype=np.int64)
        stack[:6] = 0, len(first[0]), 0, len(second[0]), 0, self._slack
        arguments: list[Any] = [*self._fields, *first, *second, targets, hits, stack, scalars]
        if not self._fast:
            arguments = [list(map(int, a)) for a in arguments]
        while join(*arguments, SLICE if self._fast else SLICE // 100) != kernels.DONE:
            if self._stop.is_set():
                raise CancelledError
        return int(arguments[-1][1]), arguments[-3]


def grouped(listed: Ints) -> tuple[Ints, Ints]:
    """The uses of a list in increasing order, each once, and how often each occurs."""
    uses, often = np.unique(listed, return_counts=True)
    return uses, often.astype(np.int64)


def memory(request: Request) -> int:
    """Bytes that may be used for lists and states."""
    return request.memory or free_memory() // 2


def copied(state: Any) -> Any:
    """A named tuple of lists with lists of its own."""
    return type(state)(*(list(value) for value in state))


def free_memory() -> int:
    """Bytes of memory that are free, as far as the system tells; else 4 GiB."""
    try:
        with open("/proc/meminfo") as lines:
            return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration, ValueError, IndexError):
        return 4 << 30


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
    meet = cut.work if cut is not None else inf
    return ("meet", meet) if meet < transfer else ("transfer", transfer)


class Frontier:
    """Counts by parts."""

    name = "frontier"

    def refuses(self, encoding: Encoding, request: Request) -> str | None:
        """Refuses everything but counting."""
        if not request.counting:
            return "it counts solutions without listing them; expected the command count"
        return None

    def start(self, encoding: Encoding, request: Request) -> Work:
        """Begin a count."""
        return FrontierWork(encoding, request)


ENGINE = Frontier()
