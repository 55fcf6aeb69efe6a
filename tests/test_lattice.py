"""The lattice, against plane geometry with integers and against the meaning of a group."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st
from strategies import cells, symmetries

from trisolve.lattice import CORNER_NAMES, SIDE_NAMES, SYMMETRIES, Cell, Edge, Point, Symmetry, cell_with_corners, edge

points = st.builds(Point, st.integers(-9, 9), st.integers(-9, 9))


def plane(p: Point) -> tuple[Fraction, int]:
    """A point in the plane, with the height of a row as the unit of the second coordinate."""
    return p.x + Fraction(p.y, 2), p.y


def turn(a: Point, b: Point, c: Point) -> Fraction:
    """Positive when a, b, c go round anticlockwise; 1 for a unit triangle."""
    (ax, ay), (bx, by), (cx, cy) = plane(a), plane(b), plane(c)
    return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)


def test_corners_as_the_design_lists_them() -> None:
    assert Cell(2, 3, True).corners() == ((2, 3), (3, 3), (2, 4))
    assert Cell(2, 3, False).corners() == ((3, 3), (3, 4), (2, 4))


@given(cells)
def test_corners_go_round_anticlockwise(cell: Cell) -> None:
    assert turn(*cell.corners()) == 1


@given(cells)
def test_names_tell_where_corners_and_sides_are(cell: Cell) -> None:
    at = {name: plane(p) for name, p in zip(CORNER_NAMES[cell.up], cell.corners(), strict=True)}
    middle = {
        name: (sum(plane(p)[0] for p in side), sum(plane(p)[1] for p in side))
        for name, side in zip(SIDE_NAMES[cell.up], cell.sides(), strict=True)
    }
    for places in (at, middle):
        assert min(places, key=lambda name: places[name][0]) == "left"
        assert max(places, key=lambda name: places[name][0]) == "right"
    assert max(at, key=lambda name: at[name][1]) == "top" or not cell.up
    assert min(at, key=lambda name: at[name][1]) == "bottom" or cell.up
    assert min(middle, key=lambda name: middle[name][1]) == "bottom" or not cell.up
    assert max(middle, key=lambda name: middle[name][1]) == "top" or cell.up


@given(cells)
def test_row_and_column_name_the_cell_and_neighbours_are_next_to_each_other(cell: Cell) -> None:
    assert Cell.at(cell.row, cell.column) == cell
    left, right = (Cell.at(cell.row, cell.column + step) for step in (-1, 1))
    assert {left, right} < set(cell.neighbours())
    xs = [plane(p)[0] for p in cell.corners()]
    assert min(xs) * 2 == cell.column
    assert cell.row == min(p.y for p in cell.corners())


@given(st.integers(-20, 20), st.integers(-20, 20))
def test_every_row_and_column_has_a_cell(row: int, column: int) -> None:
    cell = Cell.at(row, column)
    assert (cell.row, cell.column) == (row, column)


@given(cells)
def test_a_side_is_what_a_cell_shares_with_the_neighbour_across_it(cell: Cell) -> None:
    a, b, c = cell.corners()
    assert cell.sides() == (edge(a, b), edge(b, c), edge(c, a))
    for side, neighbour in zip(cell.sides(), cell.neighbours(), strict=True):
        assert neighbour.up != cell.up
        assert set(cell.sides()) & set(neighbour.sides()) == {side}
        assert cell in neighbour.neighbours()


@given(points)
def test_six_cells_lie_around_a_point_anticlockwise(p: Point) -> None:
    around = p.cells()
    assert len(set(around)) == 6
    assert all(p in cell.corners() for cell in around)
    assert around[0] == Cell(p.x, p.y, True)
    for cell, following in zip(around, around[1:] + around[:1], strict=True):
        assert following in cell.neighbours()
        k = cell.corners().index(p)
        # The next corner but one of a cell is the next corner of the following cell.
        assert cell.corners()[k - 1] == following.corners()[(following.corners().index(p) + 1) % 3]


def test_an_edge_has_one_spelling() -> None:
    a, b = Point(1, 2), Point(0, 3)
    assert edge(a, b) == edge(b, a) == Edge(Point(0, 3), Point(1, 2))


@given(cells)
def test_three_points_give_their_cell_in_any_order(cell: Cell) -> None:
    a, b, c = cell.corners()
    for order in ((a, b, c), (b, c, a), (c, a, b), (c, b, a), (b, a, c), (a, c, b)):
        assert cell_with_corners(iter(order)) == cell


def linear(s: Symmetry, t: Symmetry) -> Symmetry:
    """First t, then s, both without a shift."""
    return Symmetry(
        s.a * t.a + s.b * t.c, s.a * t.b + s.b * t.d, s.c * t.a + s.d * t.c, s.c * t.b + s.d * t.d
    )  # fmt: skip


def test_the_twelve_symmetries_are_a_group() -> None:
    assert len(set(SYMMETRIES)) == 12
    assert SYMMETRIES[0] == Symmetry(1, 0, 0, 1)
    table = [[linear(s, t) for t in SYMMETRIES] for s in SYMMETRIES]
    for row in table:
        # Closed, and each row a permutation, so that there are inverses.
        assert set(row) == set(SYMMETRIES)
    assert [s.reflects for s in SYMMETRIES] == [False] * 6 + [True] * 6


def test_the_rotations_are_in_order_and_turn_by_60_degrees() -> None:
    ring = [Point(1, 0), Point(0, 1), Point(-1, 1), Point(-1, 0), Point(0, -1), Point(1, -1)]
    for k, s in enumerate(SYMMETRIES[:6]):
        assert [s.point(p) for p in ring] == ring[k:] + ring[:k]


@given(symmetries, points, points)
def test_symmetries_keep_distances(s: Symmetry, p: Point, q: Point) -> None:
    def distance(p: Point, q: Point) -> int:
        dx, dy = p.x - q.x, p.y - q.y
        return dx * dx + dx * dy + dy * dy

    assert distance(s.point(p), s.point(q)) == distance(p, q)


@given(symmetries, cells)
def test_symmetries_map_cells_to_cells_and_sides_to_sides(s: Symmetry, cell: Cell) -> None:
    image = s.cell(cell)
    assert set(image.corners()) == {s.point(p) for p in cell.corners()}
    assert Counter(image.sides()) == Counter(s.edge(e) for e in cell.sides())
    assert {s.cell(n) for n in cell.neighbours()} == set(image.neighbours())
    assert (turn(*(s.point(p) for p in cell.corners())) == -1) == s.reflects


@given(symmetries, points, st.integers(-5, 5), st.integers(-5, 5))
def test_a_shift_comes_after_the_map(s: Symmetry, p: Point, dx: int, dy: int) -> None:
    q = s.point(p)
    assert s.shifted(dx, dy).point(p) == Point(q.x + dx, q.y + dy)
