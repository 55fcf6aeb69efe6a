"""The triangular lattice: points, cells, edges and the twelve symmetries that fix the origin.

Everything here is an integer. A point is a pair ``(x, y)`` in the basis e1 = (1, 0), e2 = (1/2, sqrt(3)/2),
with y growing upward. Every unit rhombus with corner ``(x, y)`` holds two triangles, an *up* cell and a
*down* cell, so a cell is that pair and one bit. Corners are listed anticlockwise, and side ``k`` of a cell
runs from corner ``k`` to corner ``k + 1``: whoever knows the corners knows the sides. The whole module is a
page of tables; nothing here knows what a board is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice
from typing import NamedTuple


class Point(NamedTuple):
    """A lattice point ``x*e1 + y*e2``."""

    x: int
    y: int

    def cells(self) -> tuple[Cell, ...]:
        """The six cells around the point, anticlockwise from the one to its upper right."""
        x, y = self
        return (
            Cell(x, y, True),
            Cell(x - 1, y, False),
            Cell(x - 1, y, True),
            Cell(x - 1, y - 1, False),
            Cell(x, y - 1, True),
            Cell(x, y - 1, False),
        )


class Edge(NamedTuple):
    """A unit edge, its two end points in increasing order."""

    start: Point
    end: Point


class Cell(NamedTuple):
    """A unit triangle: up with points (x,y), (x+1,y), (x,y+1), or down with (x+1,y), (x+1,y+1), (x,y+1)."""

    x: int
    y: int
    up: bool

    @property
    def row(self) -> int:
        """The row of triangles that holds the cell; rows are numbered upward by their lower line."""
        return self.y

    @property
    def column(self) -> int:
        """The cell's left end in half edge lengths, so neighbours in a row have neighbouring columns."""
        return 2 * self.x + self.y + (not self.up)

    @classmethod
    def at(cls, row: int, column: int) -> Cell:
        """The cell with this row and column; the inverse of :attr:`row` and :attr:`column`."""
        half, odd = divmod(column - row, 2)
        return cls(half, row, not odd)

    def corners(self) -> tuple[Point, Point, Point]:
        """The three corner points, anticlockwise from ``left`` (up) or ``bottom`` (down)."""
        x, y, up = self
        if up:
            return Point(x, y), Point(x + 1, y), Point(x, y + 1)
        return Point(x + 1, y), Point(x + 1, y + 1), Point(x, y + 1)

    def sides(self) -> tuple[Edge, Edge, Edge]:
        """The three edges, anticlockwise; side ``k`` joins corners ``k`` and ``k + 1``."""
        a, b, c = self.corners()
        return edge(a, b), edge(b, c), edge(c, a)

    def neighbours(self) -> tuple[Cell, Cell, Cell]:
        """The cells across sides 0, 1 and 2."""
        x, y, up = self
        if up:
            return Cell(x, y - 1, False), Cell(x, y, False), Cell(x - 1, y, False)
        return Cell(x + 1, y, True), Cell(x, y + 1, True), Cell(x, y, True)


CORNER_NAMES = {True: ("left", "right", "top"), False: ("bottom", "right", "left")}
"""Names of corners 0, 1, 2 of an up (True) and of a down (False) cell."""

SIDE_NAMES = {True: ("bottom", "right", "left"), False: ("right", "top", "left")}
"""Names of sides 0, 1, 2 of an up (True) and of a down (False) cell."""


def edge(a: Point, b: Point) -> Edge:
    """The edge between two neighbouring points, in either order."""
    return Edge(a, b) if a < b else Edge(b, a)


def joined(cells: Collection[Cell]) -> set[Cell]:
    """Those of some cells that hang together with the first one by edges. Takes O(n) time where ``in`` takes O(1)."""
    waiting = list(islice(cells, 1))
    reached = set(waiting)
    while waiting:
        for cell in waiting.pop().neighbours():
            if cell in cells and cell not in reached:
                reached.add(cell)
                waiting.append(cell)
    return reached


class Symmetry(NamedTuple):
    """A linear map ``(x, y) -> (a*x + b*y, c*x + d*y)`` of the lattice onto itself, then a shift.

    ``a*d - b*c`` is +1 for a rotation and -1 for a reflection; :data:`SYMMETRIES` lists the twelve
    without a shift.
    """

    a: int
    b: int
    c: int
    d: int
    dx: int = 0
    dy: int = 0

    @property
    def reflects(self) -> bool:
        """True when the map turns anticlockwise into clockwise."""
        return self.a * self.d - self.b * self.c < 0

    def shifted(self, dx: int, dy: int) -> Symmetry:
        """The same map followed by a further shift."""
        return self._replace(dx=self.dx + dx, dy=self.dy + dy)

    def point(self, p: Point) -> Point:
        """The image of a point."""
        return Point(self.a * p.x + self.b * p.y + self.dx, self.c * p.x + self.d * p.y + self.dy)

    def edge(self, e: Edge) -> Edge:
        """The image of an edge."""
        return edge(self.point(e.start), self.point(e.end))

    def cell(self, cell: Cell) -> Cell:
        """The image of a cell."""
        return cell_with_corners(self.point(p) for p in cell.corners())


def cell_with_corners(points: Iterator[Point]) -> Cell:
    """The cell that has these three corners, in any order."""
    a, b, _ = sorted(points)
    # Sorted by x, then y: an up cell is (x,y) (x,y+1) (x+1,y), a down cell (x,y+1) (x+1,y) (x+1,y+1).
    if a.x == b.x:
        return Cell(a.x, a.y, True)
    return Cell(a.x, b.y, False)


def _symmetries() -> tuple[Symmetry, ...]:
    rotations = [Symmetry(1, 0, 0, 1)]
    while len(rotations) < 6:
        a, b, c, d = rotations[-1][:4]
        # One more turn by 60 degrees, (x, y) -> (-y, x + y).
        rotations.append(Symmetry(-c, -d, a + c, b + d))
    # Each followed by the reflection (x, y) -> (y, x).
    return tuple(rotations) + tuple(Symmetry(s.c, s.d, s.a, s.b) for s in rotations)


SYMMETRIES = _symmetries()
"""The six rotations about the origin (the identity first), then six reflections."""
