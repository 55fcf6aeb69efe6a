"""A board: a finite set of cells, the forms in which people give one, and the names of its cells.

A board may have holes, be in several parts or touch itself at a point; it is nothing but its cells. Cells
are kept in reading order (top row first, left to right) and named ``r2c4`` after their row and column in
the board's bounding box, counted from 1. The forms (a drawing, a hexagon by its side lengths, an outline,
...) are functions that make a board, and what they refuse they refuse with a :class:`BoardError` that says
which entry of the form is wrong.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from trisolve.display import Displayed
from trisolve.lattice import CORNER_NAMES, SIDE_NAMES, Cell, Edge, Point

MAX_CELLS = 10_000
"""The largest board that is accepted."""

MAX_COORDINATE = 1_000_000
"""The largest absolute value of a coordinate that is accepted."""

_NAME = re.compile(r"r([1-9][0-9]{0,8})c([1-9][0-9]{0,8})", re.ASCII)


class BoardError(ValueError):
    """A board that can't be made. ``at`` is where in the form it goes wrong.

    For a drawing ``at`` is (line, column), counted from 0; for the other forms it is the path of
    indices into the list that was given; it is empty when the form as a whole is wrong.
    """

    def __init__(self, message: str, at: tuple[int, ...] = ()) -> None:
        super().__init__(message)
        self.at = at


class Board(Displayed):
    """A finite set of cells, in reading order.

    Parameters
    ----------
    cells
        The cells, in any order.

    Raises
    ------
    BoardError
        for a cell given twice, more than :data:`MAX_CELLS` cells, or a coordinate beyond
        :data:`MAX_COORDINATE`.

    >>> Board.triangle(2).names()
    ['r1c2', 'r2c1', 'r2c2', 'r2c3']
    """

    def __init__(self, cells: Iterable[Cell]) -> None:
        index: dict[Cell, int] = {}
        for i, given in enumerate(cells):
            x, y, up = given
            if not (isinstance(x, int) and isinstance(y, int) and isinstance(up, bool)):
                raise BoardError(f"{tuple(given)!r} is no cell: expected two whole numbers, and True for up", (i,))
            cell = Cell(x, y, up)
            if cell in index:
                raise BoardError(f"cell {_spelt(cell)} is given twice", (i,))
            if max(abs(cell.x), abs(cell.y)) > MAX_COORDINATE:
                raise BoardError(f"cell {_spelt(cell)} is too far out: coordinates go to {MAX_COORDINATE:,}", (i,))
            if i >= MAX_CELLS:
                raise BoardError(f"too many cells: a board may have {MAX_CELLS:,}")
            index[cell] = i
        self.cells: tuple[Cell, ...] = tuple(sorted(index, key=lambda c: (-c.row, c.column)))
        self._index = {cell: i for i, cell in enumerate(self.cells)}

    def __len__(self) -> int:
        return len(self.cells)

    def __iter__(self) -> Iterator[Cell]:
        return iter(self.cells)

    def __contains__(self, cell: object) -> bool:
        return cell in self._index

    def __eq__(self, other: object) -> bool:
        return self.cells == other.cells if isinstance(other, Board) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.cells)

    def __repr__(self) -> str:
        return f"Board({len(self)} cells, {self.rows} rows, {self.columns} columns)"

    # -- names ------------------------------------------------------------------------------------

    @cached_property
    def _corner(self) -> tuple[int, int]:
        """Row number of the top row and column number of the leftmost column."""
        if not self.cells:
            return 0, 0
        return self.cells[0].row, min(c.column for c in self.cells)

    @cached_property
    def rows(self) -> int:
        """Number of rows of the bounding box."""
        return self.cells[0].row - self.cells[-1].row + 1 if self.cells else 0

    @cached_property
    def columns(self) -> int:
        """Number of columns of the bounding box; a row of n touching cells has n."""
        return max(c.column for c in self.cells) - self._corner[1] + 1 if self.cells else 0

    def position(self, cell: Cell) -> tuple[int, int]:
        """Row and column of a cell (on the board or not) in the bounding box, counted from 0."""
        top, left = self._corner
        return top - cell.row, cell.column - left

    def name(self, cell: Cell) -> str:
        """The name of a cell, e.g. ``r2c4``."""
        row, column = self.position(cell)
        return f"r{row + 1}c{column + 1}"

    def names(self) -> list[str]:
        """The names of all cells in reading order."""
        return [self.name(cell) for cell in self.cells]

    def index(self, cell: Cell) -> int:
        """The place of a cell in reading order. Raises KeyError for a cell off the board."""
        return self._index[cell]

    def cell(self, name: str) -> Cell:
        """The cell with this name.

        Raises BoardError when the text is no cell name or the board has no such cell.
        """
        match = _NAME.fullmatch(name)
        if not match:
            raise BoardError(f"{name!r} is not a cell name: expected one like r2c4")
        top, left = self._corner
        cell = Cell.at(top - int(match[1]) + 1, left + int(match[2]) - 1)
        if cell not in self:
            raise BoardError(f"there is no cell {name} on the board ({self.rows} rows, {self.columns} columns)")
        return cell

    def corner(self, name: str) -> Point:
        """The lattice point with this name, e.g. ``r1c2.top``. Raises BoardError."""
        cell, k = self._part(name, "corner", CORNER_NAMES)
        return cell.corners()[k]

    def side(self, name: str) -> Edge:
        """The edge with this name, e.g. ``r1c2.right``. Raises BoardError."""
        cell, k = self._part(name, "edge", SIDE_NAMES)
        return cell.sides()[k]

    def _part(self, name: str, what: str, names: dict[bool, tuple[str, str, str]]) -> tuple[Cell, int]:
        head, dot, tail = name.partition(".")
        if not dot:
            raise BoardError(f"{name!r} names no {what}: expected a cell and a {what}, like r1c2.right")
        cell = self.cell(head)
        return cell, part_index(cell, tail, what, names)

    # -- structure --------------------------------------------------------------------------------

    @cached_property
    def points(self) -> tuple[Point, ...]:
        """All lattice points of the board, in order of first use."""
        return tuple(dict.fromkeys(p for c in self.cells for p in c.corners()))

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        """All edges of the board, inner and outer, in order of first use."""
        return tuple(dict.fromkeys(e for c in self.cells for e in c.sides()))

    @cached_property
    def outer_edges(self) -> frozenset[Edge]:
        """The edges between the board and the unbounded region outside it; rims of holes don't count.

        Two empty cells belong to one region when a path across edges joins them, so a hole that meets
        the outside in a point only is still a hole. Takes O(n log n) for n cells, however far apart.
        """
        # The empty cells that touch the board fall into one ring per contour. A ring is outside when
        # the way to the right from its rightmost cell meets no cell, or meets (just before the cell
        # that stops it) a ring that is outside; that ring reaches further right, so this ends.
        collar = {n for c in self.cells for p in c.corners() for n in p.cells()} - self._index.keys()
        ring_of: dict[Cell, int] = {}
        rings: list[list[Cell]] = []
        for start in sorted(collar):
            if start in ring_of:
                continue
            ring_of[start] = len(rings)
            ring = [start]
            for cell in ring:
                for n in cell.neighbours():
                    if n in collar and n not in ring_of:
                        ring_of[n] = len(rings)
                        ring.append(n)
            rings.append(ring)

        columns: dict[int, list[int]] = defaultdict(list)
        for cell in reversed(self.cells):
            columns[cell.row].append(cell.column)
        for row in columns.values():
            row.sort()

        def leads_to(ring: list[Cell]) -> int | None:
            last = max(ring, key=lambda c: (c.column, c.row))
            row = columns.get(last.row, [])
            i = bisect_right(row, last.column)
            return None if i == len(row) else ring_of[Cell.at(last.row, row[i] - 1)]

        outside: set[int] = set()
        for r in sorted(range(len(rings)), key=lambda r: -max(c.column for c in rings[r])):
            beyond = leads_to(rings[r])
            if beyond is None or beyond in outside:
                outside.add(r)
        return frozenset(
            side
            for c in self.cells
            for side, n in zip(c.sides(), c.neighbours(), strict=True)
            if n not in self._index and ring_of[n] in outside
        )

    # -- forms ------------------------------------------------------------------------------------

    @classmethod
    def drawing(cls, text: str) -> Board:
        """A board from a drawing: a line per row, ``^`` up, ``v`` down, ``.`` or space empty."""
        cells: list[Cell] = []
        parity: int | None = None
        for line_number, line in enumerate(text.split("\n")):
            for column, mark in enumerate(line.rstrip(" \r")):
                if mark in ". ":
                    continue
                if mark not in "^v":
                    raise BoardError(f"{mark!r} in a drawing: expected ^, v, . or a space", (line_number, column))
                if parity is None:
                    parity = (line_number + column + (mark == "v")) % 2
                expected = "v" if (line_number + column + parity) % 2 else "^"
                if mark != expected:
                    message = f"{mark!r} where up and down must alternate: expected {expected!r}"
                    raise BoardError(message, (line_number, column))
                if len(cells) >= MAX_CELLS:
                    raise BoardError(f"too many cells: a board may have {MAX_CELLS:,}", (line_number, column))
                cells.append(Cell.at(-line_number, column + parity))
        return cls(cells)

    @classmethod
    def hexagon(cls, sides: Sequence[int]) -> Board:
        """A convex board by its six side lengths, anticlockwise from the bottom side along e1."""
        if len(sides) != 6 or min(sides) < 0:
            raise BoardError(f"side lengths {list(sides)}: expected six whole numbers, none negative")
        if max(sides) > MAX_CELLS:
            raise BoardError(f"side lengths {list(sides)}: a side may have length {MAX_CELLS:,}")
        a, b, c, d, e, f = sides
        if (a + b, b + c) != (d + e, e + f):
            raise BoardError(
                f"side lengths {list(sides)} don't close up: expected a+b = d+e and b+c = e+f, "
                f"but {a}+{b} = {a + b}, {d}+{e} = {d + e} and {b}+{c} = {b + c}, {e}+{f} = {e + f}"
            )
        _check_size((a + b + c) ** 2 - a * a - c * c - e * e)
        # The board is where 0 <= y <= b + c, -f <= x <= a and 0 <= x + y <= a + b.
        return cls(
            Cell(x, y, up)
            for y in range(b + c)
            for up, low, high in ((True, -y, a + b - y - 1), (False, -y - 1, a + b - y - 2))
            for x in range(max(-f, low), min(a - 1, high) + 1)
        )

    @classmethod
    def triangle(cls, n: int) -> Board:
        """The up triangle of side n: n*n cells."""
        if n < 0:
            raise BoardError(f"a triangle of side {n}: expected 0 or more")
        return cls.hexagon([n, 0, n, 0, n, 0])

    @classmethod
    def parallelogram(cls, width: int, height: int) -> Board:
        """width along e1 and height along e2: 2*width*height cells."""
        if width < 0 or height < 0:
            raise BoardError(f"a parallelogram of {width} by {height}: expected 0 or more")
        return cls.hexagon([width, height, 0, width, height, 0])

    @classmethod
    def outline(cls, corners: Sequence[tuple[int, int]]) -> Board:
        """The board inside a closed polygon whose sides run along lattice lines.

        The corners may go round either way; the last is joined to the first. The polygon may not cross
        or touch itself.
        """
        points = [Point(*p) for p in corners]
        if len(points) < 3:
            raise BoardError(f"an outline of {len(points)} points: expected three or more")
        for i, p in enumerate(points):
            if max(abs(p.x), abs(p.y)) > MAX_COORDINATE:
                raise BoardError(f"point {list(p)} is too far out: coordinates go to {MAX_COORDINATE:,}", (i,))
        seen: dict[Point, int] = {}
        # Rows of triangles that the outline passes, each with the columns where it is passed.
        crossings: dict[int, list[int]] = defaultdict(list)
        for i, p in enumerate(points):
            q = points[(i + 1) % len(points)]
            dx, dy = q.x - p.x, q.y - p.y
            length = max(abs(dx), abs(dy))
            if not length or (dx and dy and dx != -dy):
                raise BoardError(f"the side from {list(p)} to {list(q)} doesn't run along a lattice line", (i,))
            if len(seen) + length > 3 * MAX_CELLS:
                raise BoardError("the outline is too long", (i,))
            step = Point(dx // length, dy // length)
            for k in range(length):
                at = Point(p.x + k * step.x, p.y + k * step.y)
                if at in seen:
                    raise BoardError(f"the outline meets itself at {list(at)}", (i,))
                seen[at] = i
                if step.y:
                    row = min(at.y, at.y + step.y)
                    # The edge from (x, row) to (x', row + 1) has the cell of column x + x' + row on its right.
                    crossings[row].append(2 * at.x + step.x + row)
        spans = []
        for row, places in crossings.items():
            places.sort()
            spans += [(row, left, right) for left, right in zip(places[::2], places[1::2], strict=True)]
        _check_size(sum(right - left for _, left, right in spans))
        return cls(Cell.at(row, column) for row, left, right in spans for column in range(left, right))

    def without(self, names: Sequence[str]) -> Board:
        """The board without the named cells. Raises BoardError for a name that is not on this board."""
        gone = set()
        for i, name in enumerate(names):
            try:
                cell = self.cell(name)
            except BoardError as error:
                raise BoardError(str(error), (i,)) from None
            if cell in gone:
                raise BoardError(f"{name} is removed twice", (i,))
            gone.add(cell)
        return Board(c for c in self.cells if c not in gone)


def part_index(cell: Cell, name: str, what: str, names: dict[bool, tuple[str, str, str]]) -> int:
    """Which corner (or side) of the cell has this name. Raises BoardError."""
    known = names[cell.up]
    if name not in known:
        way = "n up" if cell.up else " down"
        raise BoardError(f"{name!r} is no {what} of a{way} cell: expected {known[0]}, {known[1]} or {known[2]}")
    return known.index(name)


def _check_size(size: int) -> None:
    if size > MAX_CELLS:
        raise BoardError(f"{size:,} cells are too many: a board may have {MAX_CELLS:,}")


def _spelt(cell: Cell) -> str:
    return f"[{cell.x}, {cell.y}, {'up' if cell.up else 'down'}]"
