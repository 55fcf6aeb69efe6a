"""What a solution is worth: the goals that ``solve`` can maximize or minimize, each read off a solution.

Every value is worked out here from the definition, cell by cell, without any model, so that what an engine claims can
be checked. Next to the definitions stand the two facts about figures of n cells that hold whatever the tiles are: no
figure has a shorter outline than :func:`least_perimeter`, and none has more complete hexagons than
:func:`most_hexagons`.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from math import isqrt

from trisolve.lattice import Cell, Point
from trisolve.puzzle import Puzzle
from trisolve.solution import Solution
from trisolve.tiles import WILD, Tile

GOALS = {
    "hexagons": "lattice points with all six cells filled",
    "area": "unit triangles of the smallest hexagon, with sides along lattice lines, around the filled cells",
    "perimeter": "edges with a filled cell on one side only",
    "pips-inside": "the sum of the values at the points with all six cells filled, each point once",
    "score": "the points that the file gives for tiles and cells",
}
"""What can be maximized or minimized, with its meaning."""


@dataclass(frozen=True)
class Goal:
    """A name of :data:`GOALS`, and whether more is better. Raises ValueError for another name."""

    name: str
    maximize: bool

    def __post_init__(self) -> None:
        if self.name not in GOALS:
            raise ValueError(f"no objective {self.name!r}: expected one of {', '.join(GOALS)}")

    def __str__(self) -> str:
        return f"{'maximize' if self.maximize else 'minimize'} {self.name}"

    def refuses(self, puzzle: Puzzle) -> str | None:
        """Why the goal makes no sense for a puzzle, or None when it does."""
        if self.name == "pips-inside" and puzzle.match != "corners":
            return "pips-inside needs values at corners: expected match: corners"
        if self.name == "score" and not puzzle.score:
            return "the puzzle gives no points: expected the key score in the shape file"
        return None

    def better(self, value: int, than: int | None) -> bool:
        """True when a value is better than another, or than none."""
        return than is None or (value > than if self.maximize else value < than)

    def value(self, solution: Solution) -> int:
        """What a solution is worth."""
        filled = solution.cells.keys()
        if self.name == "hexagons":
            return len(inner_points(filled))
        if self.name == "area":
            return bounding_area(filled)
        if self.name == "perimeter":
            return sum(n not in filled for cell in filled for n in cell.neighbours())
        if self.name == "pips-inside":
            return sum(_shown(solution, point) for point in inner_points(filled))
        return sum(
            entry.points
            for entry in solution.puzzle.score
            for cell, text in solution.cells.items()
            if entry.cell in (None, cell) and entry.tile in (None, Tile(text))
        )


def inner_points(filled: Collection[Cell]) -> list[Point]:
    """The lattice points all of whose six cells are filled."""
    return [p for p in {p for cell in filled for p in cell.corners()} if all(c in filled for c in p.cells())]


def bounding_area(filled: Collection[Cell]) -> int:
    """The number of cells of the smallest hexagon with sides along lattice lines that holds the filled cells."""
    points = [p for cell in filled for p in cell.corners()]
    if not points:
        return 0
    x, y, both = ([p.x for p in points], [p.y for p in points], [p.x + p.y for p in points])
    # A parallelogram, less a triangle at each of the two corners that the third direction cuts off.
    lower, upper = min(both) - min(x) - min(y), max(x) + max(y) - max(both)
    return 2 * (max(x) - min(x)) * (max(y) - min(y)) - lower**2 - upper**2


def _shown(solution: Solution, point: Point) -> int:
    """The value that the tiles around a point show there; 0 when all are wild."""
    for cell in point.cells():
        value = solution.cells[cell][cell.corners().index(point)]
        if value != WILD:
            return int(value)
    return 0


def least_perimeter(cells: int) -> int:
    """The shortest outline of a figure of so many cells that hangs together by edges.

    It is the least p with p*p >= 6n that is odd just when n is (Harary and Harborth, Extremal animals, 1976):
    the smallest hexagon around the figure has no longer outline, no fewer cells, and at most p*p/6 of them.
    """
    if not cells:
        return 0
    p = isqrt(6 * cells - 1) + 1
    return p + (p - cells) % 2


def least_perimeter_with_hole(cells: int) -> int:
    """No figure of so many cells that has a hole, and hangs together by edges, has a shorter outline.

    Its holes filled, it has more cells, and 3 edges or more of the outline are gone. Where a figure only closes at a
    point, what it encloses is no hole in this sense.
    """
    return isqrt(6 * cells + 5) + 4


def most_hexagons(cells: int) -> int:
    """The most points with all six cells filled in a figure of so many cells that hangs together by edges.

    By Euler's formula a figure with outline p and without holes has (n - p)/2 + 1 such points, one with holes fewer.
    """
    return (cells - least_perimeter(cells)) // 2 + 1 if cells else 0
