"""Meet in the middle: cut the board in two, list what each half can use, join the lists.

Choose a cut, so that few nodes lie on it. Fix the values of those nodes; then the two halves of the board have
nothing to do with each other but that they draw on one supply. For each half list the *uses*, that is,
which tiles each of its fillings takes, as a number of a few bits a kind. Sort, and count in how many pairs
the two uses together are within the supply. Then do the same for the next values of the nodes on the cut. The strip
of 24 cells has 206,472 fillings; its two halves have some 180,000 each for given values on the cut, and
interchangeable values leave two cases of sixteen to look at.

*Symmetry.* Values on the cut that a permutation of the values makes equal are one case, and so are values that a
symmetry of the board does, if it maps the cut to itself: on MacMahon's hexagon, with four nodes on its cut, 51 cases
of 256 are left by the first and 31 by both. And where a symmetry swaps the halves and leaves the values on
the cut alone, the list of one half gives that of the other.

*The join* (:func:`~trisolve.engines.kernels.join_kernel`) goes down both sorted lists at once, kind by kind,
as in a trie: where one half uses a tile the other must not. A kind that neither uses is a tile left over, and there
can be only so many of those, which is what keeps the join small: with no tile left over it is a merge.

*Wild corners.* A half that shows nothing but wild corners at a node of the cut fits every value there. If
both halves can do so, the pairs in which both do are counted once for each of the V values, which is V - 1 times too
often; they are taken out again by one more case for the node, "wild only", with weight 1 - V.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import islice
from math import exp, factorial, log, prod
from operator import and_, or_
from typing import Any

import numpy as np

from trisolve.encoding import Encoding, Ints
from trisolve.engines import kernels
from trisolve.engines.base import OutOfMemory, Request, memory
from trisolve.engines.compiled import SLICE, Runner, compiled
from trisolve.engines.orbits import Reduction
from trisolve.engines.order import layout_of
from trisolve.engines.parts import Part, Plan
from trisolve.engines.points import Points, Uses, told_by_points
from trisolve.engines.search import tables
from trisolve.engines.sweep import Sweep
from trisolve.symmetry import Element, classes, group
from trisolve.tiles import WILD

ROOM = 1 << 18
"""Uses that a kernel collects before it hands them over."""

RUN = 1 << 20
"""Uses that are sorted at a time."""

Counted = tuple[Ints, Ints]
"""Uses in increasing order, each once, and how often each occurs."""

DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1), (1, 2), (2, 1))
"""Linear functions of the coordinates by which boards are cut."""

MOST_MOVES = 48
"""Symmetries that are tried on values on the cut."""

DRAFTS = 4
"""Cuts that are looked at closely."""

USE_BYTES = 80
"""Memory for one use of a list: itself and the number beside it, and four times as much while lists are merged."""

HELD_BYTES = 16
"""Memory for one use of a list that is finished."""

LONG = 3e8
"""Expected nodes of a case above which it is more than one part."""

RAW_BYTES = 24
"""Memory for one use of a list that isn't sorted, and its copy."""

HOPELESS = 10
"""Lists expected to be so many times too long for the memory aren't begun."""


@dataclass(frozen=True)
class Cut:
    """Two halves of the board, each in the order in which it is filled, and the nodes they share."""

    halves: tuple[list[int], list[int]]
    nodes: list[int]
    work: float
    """Expected nodes for all values on the cut, symmetry left aside."""
    longest: float
    """Expected length of the longer list of uses."""


@lru_cache(maxsize=4)
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
    free = sum(1 << p for p, values in enumerate(layout.allowed) if len(values) > 1)
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
    allowed = layout_of(e).allowed
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


@dataclass(frozen=True)
class Move:
    """What a symmetry of the puzzle does to the values on a cut that it maps to itself."""

    element: Element
    source: list[int]
    """For each place on the cut the one whose value moves there."""
    renamed: dict[int, int]
    """What becomes of a value index."""
    swaps: bool
    """True when each half is mapped to the other."""

    def on(self, values: Sequence[int]) -> list[int]:
        """The image of values on the cut; "wild only" stays what it is."""
        return [self.renamed.get(values[i], values[i]) for i in self.source]


def moves_of(e: Encoding, cut: Cut) -> list[Move]:
    """The symmetries of an encoding's puzzle that map a cut to itself, permutations within classes left aside."""
    if e.puzzle is None:
        return []
    index = {v: i for i, v in enumerate(e.values)}
    node_index = {node: i for i, node in enumerate(e.nodes)}
    first, second = ({e.cells[c] for c in half} for half in cut.halves)
    found = []
    for element in islice(group(e.puzzle).representatives, MOST_MOVES):
        image = set(map(element.lattice.cell, first))
        if image in (first, second):
            spots = [e.nodes[p] for p in cut.nodes]
            to = [node_index[s if s == "border" else e.puzzle.node(element.spot(s))] for s in spots]
            renamed = {index[v]: index[w] for v, w in element.values.items()}
            found.append(Move(element, [to.index(p) for p in cut.nodes], renamed, image == second))
    return found


def merged(parts: Sequence[Part], moves: list[Move], groups: list[tuple[int, ...]]) -> list[Part]:
    """Of the parts that a symmetry of the puzzle makes equal one, with the weight of all.

    ``parts`` are the values on the cut, as :func:`cases` gives them; ``groups`` are classes of value indices.
    """
    group_of = {v: i for i, g in enumerate(groups) for v in g}

    def first_come(values: Sequence[int]) -> tuple[int, ...]:
        """The same with the values of each class in the order of the class, as they occur."""
        seen: dict[int, int] = {}
        used = [0] * len(groups)
        for v in values:
            if v in group_of and v not in seen:
                g = group_of[v]
                seen[v] = groups[g][used[g]]
                used[g] += 1
        return tuple(seen.get(v, v) for v in values)

    weights: dict[tuple[int, ...], int] = {}
    for values, weight in parts:
        key = min((first_come(move.on(values)) for move in moves), default=values)
        weights[key] = weights.get(key, 0) + weight
    return [Part(*part) for part in weights.items()]


def mirror(
    e: Encoding, moves: Sequence[Move], groups: list[tuple[int, ...]], values: tuple[int, ...]
) -> list[int] | None:
    """For each kind its image under a symmetry that swaps the halves and leaves the values on the cut as they are.

    None where no such symmetry is found.
    """
    group_of = {v: i for i, g in enumerate(groups) for v in g}
    for move in moves:
        if not move.swaps:
            continue
        # An exchange within the classes that undoes what the move has done to the values.
        back: dict[int, int] = {}
        fits = True
        for v, w in zip(move.on(values), values, strict=True):
            same_class = v in group_of and group_of[v] == group_of.get(w)
            fits &= back.setdefault(v, w) == w and (v == w or same_class)
        if not fits or len(set(back.values())) < len(back):
            continue
        for g in groups:
            waiting = [w for w in g if w not in back.values()]
            back |= dict(zip((v for v in g if v not in back), waiting, strict=True))
        total = {e.values[v]: e.values[back.get(w, w)] for v, w in move.renamed.items()}
        element = Element(move.element.lattice, total)
        place = {tile: t for t, tile in enumerate(e.kinds)}
        return [place[element.tile(tile)] for tile in e.kinds]
    return None


class Meeting(Plan):
    """Counts the pairs for one case after another, and gives the i-th one; used by several threads at once.

    With ``drawing`` fillings can be drawn; otherwise cases are merged that symmetry makes equal. Raises OutOfMemory.
    """

    engine = "frontier"
    in_any_order = False

    def __init__(self, e: Encoding, request: Request, drawing: bool = False) -> None:
        super().__init__()
        self._cut = cut = best_cut(e) or Cut(([], list(range(len(e.cells)))), [], 0.0, 0.0)
        self._memory = memory(request) // request.workers
        if cut.longest * USE_BYTES > HOPELESS * self._memory:
            raise OutOfMemory(
                f"engine frontier needs more memory than it has for lists of about {cut.longest:.0e} uses"
            )
        index = {v: i for i, v in enumerate(e.values)}
        found = [] if e.puzzle is None else classes(e.puzzle)
        self._groups = groups = [tuple(index[v] for v in g) for g in found if len(g) > 1]
        self._moves = [] if drawing else moves_of(e, cut)
        self.nodes = cut.nodes
        """The nodes on the cut."""
        self.parts = merged([Part(*case) for case in cases(e, cut.nodes, groups)], self._moves, groups)
        self._encoding = e
        self._uses = uses = Uses.of(e)
        every = len(uses.kinds) == len(e.kinds)
        self._slack = e.slack if every else sum(uses.copies)
        self._fields: Any = (uses.shift, uses.width, uses.copies)
        self._points: list[Points] = []
        self._lock = threading.Lock()
        self._kept: tuple[tuple[int, ...], Counted] | None = None
        if told_by_points(e, apart=False) and not drawing:
            possible, none = e.possible(), Reduction(e)
            self._points = [Points(e, cells, cut.nodes, possible, none) for cells in cut.halves]
            kernel: Callable[..., int] = kernels.point_kernel(len(e.values))
            self._blank: list[Any] = [points.state({}, {}) for points in self._points]
            self._cut_further(cut.work / max(1, sum(part.weight for part in self.parts)))
            made: list[Any] = [points.tables() for points in self._points]
        else:
            kernel = kernels.sweep_kernel(e.words, True)
            made = [tables(Reduction(e))] * 2
            state = Sweep().state(e, made[0], 0, None)._replace(unit=uses.units(e), output=[])
            self._blank = [state._replace(order=cells) for cells in cut.halves]
            self._bit_label = made[0].bit_label
        self._made = made
        self.part_nodes = cut.work / max(1, len(self.parts))
        self._runners = [Runner(kernel, table, blank, cut.work) for table, blank in zip(made, self._blank, strict=True)]

    def _cut_further(self, work: float) -> None:
        """Make each case several parts if it is long, by the values of the next nodes of the first half."""
        first = self._points[0]
        before = len(self.nodes)
        self.parts = [
            Part((*values, *more), weight)
            for values, weight in self.parts
            for more in first.prefixes(first.state({}, {}), work / LONG, before)
        ]

    def content(self) -> Iterator[object]:
        """The halves, their tables and their first states."""
        yield self._cut.halves, self.nodes
        yield from zip(self._made, self._blank, strict=True)

    def _begin(self, half: int, values: tuple[int, ...]) -> Any:
        """A state of a half, at the start, with these values on the cut and, in the first half, at the next nodes."""
        if self._points:
            nodes = self._points[half].nodes if half == 0 else self.nodes
            state = self._points[half].state(dict(zip(nodes, values, strict=False)), {})
        else:
            value = self._blank[half].value.copy()
            for p, v in zip(self.nodes, values, strict=True):
                value[p] = v
            state = self._blank[half]._replace(value=value)
        runner = self._runners[half]
        return runner.ready(state)._replace(output=np.zeros(ROOM, dtype=np.int64) if runner.fast else [0] * ROOM)

    def count(self, part: Part) -> tuple[int, int]:
        """The number of pairs when the nodes of the cut have the values of a part, and the nodes visited."""
        values = part.key[: len(self.nodes)]
        first, visited = self._list(0, part.key)
        # A part of a list has no image that is a whole one.
        kinds = mirror(self._encoding, self._moves, self._groups, values) if values == part.key else None
        if not len(first[0]):
            second = first
        elif kinds is not None:
            second = self._mirrored(first, kinds)
        else:
            second, nodes = self._other(values, len(first[0]), values != part.key)
            visited += nodes
        nothing = np.zeros(0, dtype=np.int64)
        return self._run_join(kernels.join_kernel(), first, second, nothing, nothing)[0], visited

    def _other(self, values: tuple[int, ...], held: int, again: bool) -> tuple[Counted, int]:
        """The list of the second half, and the nodes visited; kept for the next part if it is needed again."""
        if not again:
            return self._list(1, values, held)
        with self._lock:
            if self._kept is None or self._kept[0] != values:
                self._kept = None
                self._kept = values, self._list(1, values, held)[0]
            # The nodes would depend on which thread came first.
            return self._kept[1], 0

    def _mirrored(self, uses: Counted, kinds: list[int]) -> Counted:
        """The uses of a list with each kind replaced by another, sorted again."""
        shift = dict(zip(self._uses.kinds, self._uses.shift, strict=True))
        image = np.zeros_like(uses[0])
        for t, at, width in zip(self._uses.kinds, self._uses.shift, self._uses.width, strict=True):
            image |= (uses[0] >> at & ((1 << width) - 1)) << shift[kinds[t]]
        order = np.argsort(image)
        return image[order], uses[1][order]

    def draw(self, values: tuple[int, ...], numbers: list[int]) -> Ints:
        """The pairs with these numbers, in increasing order, as an array with a solution in each row.

        The pairs of a case have numbers from 0 on, as the join comes upon them.
        """
        first, second = (self._list(half, values)[0] for half in (0, 1))
        hits = self._located(first, second, numbers)
        often = second[1][hits[:, 1]]
        uses = first[0][hits[:, 0]], second[0][hits[:, 1]]
        del first, second
        solutions = np.empty((len(numbers), len(self._encoding.cells)), dtype=np.int64)
        for half, which in enumerate((hits[:, 2] // often, hits[:, 2] % often)):
            self._recover(half, values, uses[half], which, solutions)
        return solutions

    def _fillings(self, half: int, values: tuple[int, ...]) -> Iterator[tuple[Ints, int]]:
        """The uses of the fillings of a half, in the order in which they are found, and the nodes visited so far."""
        if not self._cut.halves[half]:
            yield np.zeros(1, dtype=np.int64), 0
            return
        state = self._begin(half, values)
        result = kernels.PAUSED
        while result != kernels.DONE:
            state, result = self._runners[half].run(state)
            filled = int(state.scalars[kernels.OUTPUT])
            state.scalars[kernels.OUTPUT] = 0
            if self.stop.is_set():
                raise CancelledError
            found = np.array(state.output[:filled], dtype=np.int64)
            yield found & ~kernels.NEVER, int(state.scalars[kernels.NODES])

    def _list(self, half: int, values: tuple[int, ...], held: int = 0) -> tuple[Counted, int]:
        """The uses of a half in increasing order with how often each occurs, and the nodes visited."""
        runs: list[Counted] = []
        waiting: list[Ints] = []
        nodes = 0
        for found, visited in self._fillings(half, values):
            nodes = visited
            waiting.append(found)
            size = sum(map(len, waiting))
            listed = size + sum(len(uses) for uses, _ in runs)
            self._check(listed, listed * USE_BYTES + held * HELD_BYTES)
            if size >= RUN:
                runs.append(grouped(np.concatenate(waiting)))
                waiting = []
                # Runs of like length are merged, so that no use is sorted often.
                while len(runs) > 1 and 2 * len(runs[-1][0]) >= len(runs[-2][0]):
                    runs[-2:] = [together(*runs[-2:])]
        runs.append(grouped(np.concatenate(waiting)) if waiting else grouped(np.zeros(0, dtype=np.int64)))
        while len(runs) > 1:
            runs[-2:] = [together(*runs[-2:])]
        return runs[0], nodes

    def _check(self, uses: int, size: int) -> None:
        if size > self._memory:
            raise OutOfMemory(f"engine frontier needs more memory than it has for lists of {uses:,} uses")

    def _recover(self, half: int, values: tuple[int, ...], uses: Ints, which: Ints, solutions: Ints) -> None:
        """Write into each row of ``solutions`` the filling of a half that is the which-th one with these uses."""
        parts: list[Ints] = []
        for uses_found, _ in self._fillings(half, values):
            parts.append(uses_found)
            size = sum(map(len, parts))
            self._check(size, size * RAW_BYTES)
        listed = np.concatenate(parts)
        del parts
        places = np.flatnonzero(np.isin(listed, uses))
        found = listed[places]
        order = np.argsort(found, kind="stable")
        wanted = places[order][np.searchsorted(found[order], uses) + which]
        state = self._begin(half, values)
        cells = list(state.order)
        passed = 0
        for place in np.unique(wanted).tolist():
            state = self._pass(half, state, place - passed)
            passed = place
            labels = [self._bit_label[bit] for bit in state.chosen[: len(cells)]]
            solutions[np.ix_(np.flatnonzero(wanted == place), cells)] = labels

    def _pass(self, half: int, state: Any, number: int) -> Any:
        """Pass over so many fillings of a half: the state with the one after them in ``chosen``."""
        while True:
            if self.stop.is_set():
                raise CancelledError
            # A kernel without room stops on a filling and hasn't put it out.
            room = min(number, ROOM)
            state.scalars[kernels.OUTPUT] = 0
            part, result = state._replace(output=state.output[:room]), kernels.PAUSED
            while result != kernels.FULL:
                part, result = self._runners[half].run(part)
                if self.stop.is_set():
                    raise CancelledError
            state = part._replace(output=np.zeros(ROOM, dtype=np.int64))
            number -= room
            if not number:
                return state

    def _located(self, first: Counted, second: Counted, numbers: list[int]) -> Ints:
        """For each number: the places of the two uses in their lists, and the number among the pairs with these."""
        targets = np.array(numbers, dtype=np.int64)
        hits = np.zeros(3 * len(numbers), dtype=np.int64)
        return np.array(
            self._run_join(kernels.join_kernel(True), first, second, targets, hits)[1], dtype=np.int64
        ).reshape(-1, 3)

    def _run_join(
        self, join: Callable[..., int], first: Counted, second: Counted, targets: Ints, hits: Ints
    ) -> tuple[int, Any]:
        copies = self._uses.copies
        children = max([(c + 1) * (c + 2) // 2 for c in copies], default=1)
        stack = np.zeros(6 * (children * (len(copies) + 1) + 1), dtype=np.int64)
        scalars = np.array([1, 0, 0], dtype=np.int64)
        stack[:6] = 0, len(first[0]), 0, len(second[0]), 0, self._slack
        arguments: list[Any] = [*self._fields, *first, *second, targets, hits, stack, scalars]
        arguments = [np.asarray(a, dtype=np.int64) for a in arguments]
        # Beyond 64 bits only Python's integers will do.
        most = int(first[1].sum(dtype=object)) * int(second[1].sum(dtype=object))
        fast = compiled(join, (*arguments, 1)) if self._runners[0].fast and most < 1 << 63 else None
        if fast is None:
            arguments = [a.tolist() for a in arguments]
        while (fast or join)(*arguments, SLICE if fast else SLICE // 100) != kernels.DONE:
            if self.stop.is_set():
                raise CancelledError
        return int(arguments[-1][1]), arguments[-3]


def grouped(listed: Ints) -> Counted:
    """The uses of a list in increasing order, each once, and how often each occurs."""
    uses, often = np.unique(listed, return_counts=True)
    return uses, often.astype(np.int64)


def together(one: Counted, other: Counted) -> Counted:
    """Two such lists as one."""
    uses = np.concatenate([one[0], other[0]])
    # Two runs in increasing order are what a stable sort is quickest with.
    order = np.argsort(uses, kind="stable")
    uses = uses[order]
    fresh = np.flatnonzero(np.diff(uses, prepend=-1))
    return uses[fresh], np.add.reduceat(np.concatenate([one[1], other[1]])[order], fresh) if len(fresh) else one[1]
