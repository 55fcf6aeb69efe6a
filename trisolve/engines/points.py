"""Counting by giving values to points, where the values tell the tiles.

If every tile is there once (or as often as one likes) and shows all its values, a filling is the same thing
as values at the nodes such that the tiles they make are all different: see
:func:`trisolve.engines.kernels.point_kernel`, which counts them. This module makes its tables, and cuts the
count into parts.

**One tile apart.** A tile with a wild corner doesn't fit in, but one of them can be seen to first: for each
cell and way in which it may lie, that cell takes this tile and no other, and the other cells take other tiles.
Those are *cases*; one more is that the tile isn't used. The same is done with a tile that
:mod:`trisolve.engines.orbits` has thinned out: of all the places that symmetry makes alike it then lies in one, and
the case counts as often as there are such places. A node that shows nothing but a wild corner has no value; it is given
one, a value of the tile itself, which no exchange of values moves, so that the filling counts once.

**Parts** are cases with the values of the first few nodes; as many of these as it takes for a part to be short.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce as fold
from math import inf
from operator import or_

import numpy as np
import numpy.typing as npt

from trisolve.encoding import Encoding, Ints
from trisolve.engines import kernels
from trisolve.engines.compiled import Runner
from trisolve.engines.kernels import NEVER, PointState, PointTables
from trisolve.engines.orbits import Reduction, reduce
from trisolve.engines.order import MAX_CELLS, layout_of, sweep_order
from trisolve.engines.parts import Part, Plan, parts_wanted
from trisolve.tiles import WILD

MOST_VALUES = 10
"""The most values for which there are tables: they have a row for each triple."""

USE_BITS = 62
"""Bits that the tiles used by one filling may take."""

WORTH_ORDERING = 2e6
"""Expected nodes above which each case gets an order of its own."""


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

    def units(self, e: Encoding) -> list[int]:
        """For each kind what one tile of it adds."""
        unit = [0] * len(e.kinds)
        for t, shift in zip(self.kinds, self.shift, strict=True):
            unit[t] = 1 << shift
        return unit


def told_by_points(e: Encoding, apart: bool) -> bool:
    """True when the values at the nodes tell the tiles; with ``apart`` one tile with wild corners is allowed."""
    uses = Uses.of(e)
    if uses.bits > USE_BITS or max(uses.width, default=1) > 1 or len(e.values) > MOST_VALUES or e.puzzle is None:
        return False
    wild = _wild(e)
    return not wild or (apart and len(wild) == 1 and e.copies[wild[0]] == 1 and bool(e.kinds[wild[0]].values()))


def _wild(e: Encoding) -> list[int]:
    return [t for t, tile in enumerate(e.kinds) if WILD in tile.text]


class Points:
    """The kernel's tables for some cells of a puzzle.

    Parameters
    ----------
    cells
        The cells, in the order in which they are to be closed.
    first
        Nodes that get their values before all others.
    possible
        (n, L): the labellings possible in each cell, none of them wild.
    reduction
        Which values are interchangeable.
    """

    def __init__(
        self,
        e: Encoding,
        cells: Sequence[int],
        first: Sequence[int],
        possible: npt.NDArray[np.bool_],
        reduction: Reduction,
    ) -> None:
        self._e = e
        self._unit = np.array(Uses.of(e).units(e), dtype=np.int64)
        self._tiles: list[int] = []
        rows = e.cell_nodes.tolist()
        allowed = [fold(or_, (1 << v for v in values), 0) for values in layout_of(e).allowed]
        # A node with one value left goes first as well, for a cell is looked up as late as its last node.
        touched = [p for c in cells for p in rows[c]]
        self.nodes = list(dict.fromkeys([*first, *(p for p in touched if not allowed[p] & (allowed[p] - 1)), *touched]))
        """The nodes, in the order in which they get values."""
        step = {p: i for i, p in enumerate(self.nodes)}
        closed: list[list[int]] = [[] for _ in self.nodes]
        for c in cells:
            closed[max(step[p] for p in rows[c])].append(c)
        count = len(e.values)
        self._sorts: dict[bytes, int] = {}
        self.check: dict[int, int] = {}
        """The number of the check of each cell."""
        begin = [0]
        checks: list[int] = []
        sort: list[int] = []
        for p, here in zip(self.nodes, closed, strict=True):
            for c in here:
                self.check[c] = len(sort)
                strides = [count * count, count, 1]
                other = [(q, s) for q, s in zip(rows[c], strides, strict=True) if q != p]
                own = count * count + count + 1 - sum(s for _, s in other)
                # A node may occur twice in a row; then there is one other, or none.
                (a, x), (b, y) = [*other, *[(len(e.nodes), 0)] * 2][:2]
                checks += [a, x, b, y, own]
                sort.append(self.sort(possible[c]))
            begin.append(len(sort))
        growth, bit = reduction.value_growth()
        self._growth, self._bit = growth.tolist(), bit.tolist()
        self._rest = begin, checks, reduction.weights().tolist()
        n = len(self.nodes)
        self._blank = PointState(
            scalars=[0] * kernels.SCALARS,
            allowed=[allowed[p] for p in self.nodes],
            sort=sort,
            value=[0] * (len(e.nodes) + 1),
            used=[NEVER] + [0] * n,
            touched=[0] * (n + 1),
            options=[0] * n,
            then=[0] * (n * count),
            output=[],
        )

    def sort(self, possible: npt.NDArray[np.bool_]) -> int:
        """The sort of cell in which these labellings (L,) are possible: where its part of the table begins.

        A labelling with wild corners fits all values there.
        """
        key = possible.tobytes()
        if key in self._sorts:
            return self._sorts[key]
        e = self._e
        count = len(e.values)
        table = np.full((count, count, count), NEVER, dtype=np.int64)
        for label in np.flatnonzero(possible):
            row = (slice(None) if v < 0 else v for v in e.label_values[label].tolist())
            table[tuple(row)] = self._unit[e.label_kind[label]]
        self._sorts[key] = len(self._tiles)
        self._tiles += table.ravel().tolist()
        return self._sorts[key]

    def tables(self) -> PointTables:
        """The tables, in lists."""
        begin, checks, weight = self._rest
        return PointTables(self.nodes, begin, checks, self._tiles, self._growth, self._bit, weight)

    def state(self, values: Mapping[int, int], sorts: Mapping[int, int]) -> PointState:
        """A fresh state, in lists: with these values at nodes (by value index), and cells of another sort."""
        allowed, sort = self._blank.allowed.copy(), self._blank.sort.copy()
        for i, p in enumerate(self.nodes):
            if p in values:
                allowed[i] = 1 << values[p]
        for c, table in sorts.items():
            sort[self.check[c]] = table
        return self._blank._replace(allowed=allowed, sort=sort)

    def prefixes(self, state: PointState, number: float, start: int = 0) -> list[tuple[int, ...]]:
        """Values of the nodes from a place on, as few as give at least ``number`` of them, symmetry considered."""
        found: list[tuple[tuple[int, ...], int]] = [((), 0)]
        for allowed in state.allowed[start:-1]:
            if len(found) >= number:
                break
            found = [
                ((*values, v), touched | self._bit[v])
                for values, touched in found
                for v in range(len(self._e.values))
                if allowed & self._growth[touched] & 1 << v
            ]
        return [values for values, _ in found]


@dataclass(frozen=True)
class Case:
    """Where the tile apart lies: the values and the sort of cell that this gives, and how often it counts."""

    points: Points
    values: dict[int, int]
    sorts: dict[int, int]
    weight: int
    work: float
    """Expected nodes."""


class PointPlan(Plan):
    """Counts a puzzle by giving values to points; :func:`told_by_points` says whether it can be."""

    engine = "sweep"

    def __init__(self, e: Encoding) -> None:
        super().__init__()
        self._cases = list(cases(e))
        work = sum(case.work for case in self._cases)
        wanted = parts_wanted(work)
        self.parts = [
            Part((i, *values), case.weight)
            for i, case in enumerate(self._cases)
            for values in case.points.prefixes(
                case.points.state(case.values, case.sorts), wanted * _share(case.work, work, len(self._cases))
            )
        ]
        self.part_nodes = work / max(1, len(self.parts))
        kernel = kernels.point_kernel(len(e.values))
        # Most cases share their tables. A Points is equal to itself alone.
        self._runners = {
            points: Runner(kernel, points.tables(), points.state({}, {}), work)
            for points in dict.fromkeys(case.points for case in self._cases)
        }

    def count(self, part: Part) -> tuple[int, int]:
        """The number of solutions of a part, and the nodes visited."""
        case = self._cases[part.key[0]]
        runner = self._runners[case.points]
        values = case.values | dict(zip(case.points.nodes, part.key[1:], strict=False))
        state = runner.ready(case.points.state(values, case.sorts))
        return self.finished(part, runner, state)

    def content(self) -> Iterator[object]:
        """The tables and their first states, and what each case makes of them."""
        place = {points: i for i, points in enumerate(self._runners)}
        for points in place:
            yield points.tables(), points.state({}, {})
        for case in self._cases:
            yield place[case.points], list(case.values.items()), list(case.sorts.items())


def _share(work: float, total: float, number: int) -> float:
    """The share that one of so many has in the total, which may be more than a float can tell."""
    return work / total if 0 < total < inf else 1 / number


def cases(e: Encoding) -> Iterator[Case]:
    """The cases of a count."""
    reduction = reduce(e, *_wild(e))
    layout = layout_of(e)
    possible = e.possible()
    kind = reduction.kind
    saved = int(reduction.weights()[-1])
    order, nodes = sweep_order(e)
    if kind < 0:
        yield Case(Points(e, order, (), possible, reduction), {}, {}, 1, nodes / saved)
        return
    others = possible & (e.label_kind != kind)
    shared = Points(e, order, (), others, reduction)
    own = nodes * reduction.work > WORTH_ORDERING and len(e.cells) <= MAX_CELLS
    at: Ints = np.bincount(e.cell_nodes.ravel(), minlength=len(e.nodes))
    for (cell, label), images in reduction.images.items():
        row, shown = e.cell_nodes[cell].tolist(), e.label_values[label].tolist()
        values = {p: v for p, v in zip(row, shown, strict=True) if v >= 0}
        hidden = {p for p in row if p not in values and at[p] == row.count(p)}
        values |= dict.fromkeys(hidden, max(shown))
        known = fold(or_, (1 << p for p in values), layout.known)
        points, work = shared, nodes
        if own:
            order, work, _ = layout.greedy(range(len(e.cells)), known)
            points = Points(e, order, list(values), others, reduction)
        yield Case(points, values, {cell: points.sort(np.arange(len(e.bits)) == label)}, len(images), work / saved)
    if e.slack:
        yield Case(shared, {}, {}, 1, nodes / saved)
