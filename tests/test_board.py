"""Boards: every form against a definition of its own, names, and the outer border against a flood fill."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import boards, cells, dense_boards, symmetries

from trisolve.board import MAX_CELLS, MAX_COORDINATE, Board, BoardError
from trisolve.lattice import Cell, Edge, Point, Symmetry

STEPS = (Point(1, 0), Point(0, 1), Point(-1, 1), Point(-1, 0), Point(0, -1), Point(1, -1))
"""The six directions anticlockwise, e1 first."""


def raises(message: str, at: tuple[int, ...], make: Callable[[], object]) -> None:
    with pytest.raises(BoardError) as caught:
        make()
    assert str(caught.value) == message
    assert caught.value.at == at


def centre(cell: Cell) -> tuple[Fraction, Fraction]:
    """The centre of a cell, in coordinates x and y of the lattice."""
    xs, ys = zip(*cell.corners(), strict=True)
    return Fraction(sum(xs), 3), Fraction(sum(ys), 3)


def inside(polygon: list[Point], cell: Cell) -> bool:
    """True when a ray from the cell's centre along e1 crosses the polygon an odd number of times."""
    x, y = centre(cell)
    crossings = 0
    for p, q in zip(polygon, polygon[1:] + polygon[:1], strict=True):
        if (p.y > y) != (q.y > y):
            crossings += p.x + Fraction(q.x - p.x, q.y - p.y) * (y - p.y) > x
    return crossings % 2 == 1


def around(polygon: list[Point]) -> list[Cell]:
    """All cells of a frame around a polygon."""
    xs, ys = zip(*polygon, strict=True)
    return [
        Cell(x, y, up)
        for x in range(min(xs) - 1, max(xs) + 1)
        for y in range(min(ys) - 1, max(ys) + 1)
        for up in (True, False)
    ]


def walk(sides: list[int]) -> list[Point]:
    """The corners of a hexagon: its sides one after the other, turning left by 60 degrees each time."""
    at = Point(0, 0)
    corners = []
    for side, step in zip(sides, STEPS, strict=True):
        corners.append(at)
        at = Point(at.x + side * step.x, at.y + side * step.y)
    assert at == (0, 0)
    return corners


# -- the set of cells ---------------------------------------------------------------------------------


@given(boards(most=9), st.randoms(use_true_random=False))
def test_a_board_is_its_cells_in_reading_order(board: Board, random: object) -> None:
    shuffled = list(board.cells)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert Board(shuffled) == board
    assert hash(Board(shuffled)) == hash(board)
    places = [board.position(cell) for cell in board]
    assert places == sorted(places)
    assert [board.index(cell) for cell in board] == list(range(len(board)))
    assert all(cell in board for cell in board.cells)


@given(boards(least=1, most=9))
def test_names_count_rows_and_columns_of_the_bounding_box(board: Board) -> None:
    heights = [c.y for c in board]
    # In half edge lengths, from the left end of the leftmost cell to the right end of the rightmost.
    ends = [2 * p.x + p.y for c in board for p in c.corners()]
    assert board.rows == max(heights) - min(heights) + 1
    assert board.columns == max(ends) - min(ends) - 1
    for cell, name in zip(board, board.names(), strict=True):
        left = min(2 * p.x + p.y for p in cell.corners())
        assert name == f"r{max(heights) - cell.y + 1}c{left - min(ends) + 1}"
        assert board.cell(name) == cell


@given(boards(least=1, most=9), st.integers(-50, 50), st.integers(-50, 50))
def test_names_do_not_change_when_the_board_is_shifted(board: Board, dx: int, dy: int) -> None:
    assert Board(Cell(c.x + dx, c.y + dy, c.up) for c in board).names() == board.names()


@given(boards(least=1), cells)
def test_a_cell_off_the_board_is_known_by_its_place_only(board: Board, cell: Cell) -> None:
    assume(cell not in board)
    row, column = board.position(cell)
    if row >= 0 and column >= 0:
        with pytest.raises(BoardError, match=f"there is no cell r{row + 1}c{column + 1} on the board"):
            board.cell(board.name(cell))
    with pytest.raises(KeyError):
        board.index(cell)


def test_an_empty_board() -> None:
    board = Board([])
    assert (len(board), board.rows, board.columns, board.names()) == (0, 0, 0, [])
    assert (board.points, board.edges, board.outer_edges) == ((), (), frozenset())
    raises("there is no cell r1c1 on the board (0 rows, 0 columns)", (), lambda: board.cell("r1c1"))


def test_names_of_corners_and_edges() -> None:
    board = Board.triangle(2)
    assert board.corner("r1c2.top") == (0, 2)
    assert board.corner("r2c2.bottom") == (1, 0)
    assert board.side("r2c2.top") == Edge(Point(0, 1), Point(1, 1))
    assert board.side("r2c1.right") == board.side("r2c2.left")
    raises("there is no cell r9c1 on the board (2 rows, 3 columns)", (), lambda: board.corner("r9c1.top"))
    raises(
        "'bottom' is no corner of an up cell: expected left, right or top",
        (),
        lambda: board.corner("r1c2.bottom"),
    )
    raises("'top' is no corner of a down cell: expected bottom, right or left", (), lambda: board.corner("r2c2.top"))
    raises("'bottom' is no edge of a down cell: expected right, top or left", (), lambda: board.side("r2c2.bottom"))
    raises("'r1c2' names no corner: expected a cell and a corner, like r1c2.right", (), lambda: board.corner("r1c2"))


@pytest.mark.parametrize("name", ["", "r0c1", "r1c0", "r01c1", "R1c1", "r1c1 ", "1,1", "r1", "r1c1r1", "r٣c1", "r-1c1"])
def test_what_is_no_cell_name(name: str) -> None:
    message = f"{name!r} is not a cell name: expected one like r2c4"
    raises(message, (), lambda: Board.triangle(2).cell(name))


def test_cells_that_can_not_be() -> None:
    cell = Cell(1, 2, False)
    raises("cell [1, 2, down] is given twice", (2,), lambda: Board([cell, Cell(0, 0, True), cell]))
    assert len(Board([Cell(MAX_COORDINATE, -MAX_COORDINATE, True)])) == 1
    far = Cell(0, MAX_COORDINATE + 1, True)
    raises("cell [0, 1000001, up] is too far out: coordinates go to 1,000,000", (1,), lambda: Board([cell, far]))
    strip = [Cell(x, 0, True) for x in range(MAX_CELLS + 1)]
    assert len(Board(strip[:-1])) == MAX_CELLS
    raises("too many cells: a board may have 10,000", (), lambda: Board(strip))


# -- structure ----------------------------------------------------------------------------------------


@given(boards(most=9))
def test_points_and_edges_are_those_of_the_cells(board: Board) -> None:
    assert Counter(board.points) == Counter({p for c in board for p in c.corners()})
    assert Counter(board.edges) == Counter({e for c in board for e in c.sides()})


def flooded(board: Board) -> frozenset[Edge]:
    """The outer edges, by filling a frame from outside, cell by cell."""
    if not board.cells:
        return frozenset()
    # Two empty columns on either side, for there are ways up and down in every other one only.
    rows = range(min(c.row for c in board) - 1, max(c.row for c in board) + 2)
    columns = range(min(c.column for c in board) - 2, max(c.column for c in board) + 3)
    start = Cell.at(rows[0], columns[0])
    seen, waiting = {start}, [start]
    while waiting:
        for n in waiting.pop().neighbours():
            if n not in seen and n not in board and n.row in rows and n.column in columns:
                seen.add(n)
                waiting.append(n)
    return frozenset(
        side for c in board for side, n in zip(c.sides(), c.neighbours(), strict=True) if n in seen
    )  # fmt: skip


@settings(max_examples=300)
@given(st.one_of(boards(most=12), dense_boards(), dense_boards(12, 8)))
def test_outer_edges_are_those_that_a_flood_reaches(board: Board) -> None:
    assert board.outer_edges == flooded(board)


@settings(max_examples=60)
@given(dense_boards(), symmetries)
def test_outer_edges_go_with_the_board(board: Board, s: Symmetry) -> None:
    assert Board(s.cell(c) for c in board).outer_edges == {s.edge(e) for e in board.outer_edges}


def ring(radius: int) -> set[Cell]:
    """The cells of the hexagon of this side that the next smaller one doesn't have, about one centre."""

    def disc(side: int) -> set[Cell]:
        return {Cell(c.x, c.y - side, c.up) for c in Board.hexagon([side] * 6)}

    return disc(radius) - disc(radius - 1)


def test_an_island_in_a_hole_has_no_outer_edges() -> None:
    outer = Board(ring(5)).outer_edges
    assert len(outer) == 30
    assert Board(ring(5) | ring(3) | ring(1)).outer_edges == outer
    apart = Board([*ring(5), Cell(500_000, 3, True), Cell(-500_000, 0, False)])
    assert len(apart.outer_edges) == 36


def test_a_hole_that_meets_the_outside_in_a_point_is_a_hole() -> None:
    board = Board.hexagon([2] * 6)
    middle = Point(0, 2)
    for gap in board.cells:
        rest = Board(c for c in board if c != gap)
        # Six cells lie around the middle; all others touch the border in an edge or a point.
        rim = sum(side in board.outer_edges for side in gap.sides())
        assert len(rest.outer_edges) == (12 + 3 - 2 * rim if rim else 12)
        assert (middle in gap.corners()) <= (rim == 0)


# -- forms --------------------------------------------------------------------------------------------


@st.composite
def hexagon_sides(draw: st.DrawFn) -> list[int]:
    a, b, c = (draw(st.integers(0, 4)) for _ in range(3))
    d = draw(st.integers(0, a + b))
    e = a + b - d
    f = b + c - e
    assume(f >= 0)
    return [a, b, c, d, e, f]


@settings(max_examples=200)
@given(hexagon_sides())
def test_a_hexagon_is_what_a_walk_round_it_encloses(sides: list[int]) -> None:
    polygon = walk(sides)
    assert set(Board.hexagon(sides)) == {cell for cell in around(polygon) if inside(polygon, cell)}


@pytest.mark.parametrize(("sides", "size"), [([2] * 6, 24), ([4, 3] * 3, 73), ([4, 2] * 3, 52), ([0] * 6, 0)])
def test_sizes_of_hexagons(sides: list[int], size: int) -> None:
    assert len(Board.hexagon(sides)) == size


@pytest.mark.parametrize("n", range(6))
def test_a_triangle_is_the_hexagon_with_every_other_side_missing(n: int) -> None:
    board = Board.triangle(n)
    assert len(board) == n * n
    assert set(board) == {c for c in around(walk([n, 0, n, 0, n, 0])) if inside(walk([n, 0, n, 0, n, 0]), c)}


@pytest.mark.parametrize(("w", "h"), [(1, 1), (4, 3), (6, 2), (12, 1), (3, 0), (0, 0)])
def test_a_parallelogram_has_both_cells_of_each_rhombus(w: int, h: int) -> None:
    cells = [Cell(x, y, up) for x in range(w) for y in range(h) for up in (True, False)]
    assert Board.parallelogram(w, h) == Board(cells)


def test_hexagons_that_can_not_be() -> None:
    raises("side lengths [1, 1, 1]: expected six whole numbers, none negative", (), lambda: Board.hexagon([1, 1, 1]))
    raises(
        "side lengths [1, 1, 1, 1, 1, -1]: expected six whole numbers, none negative",
        (),
        lambda: Board.hexagon([1, 1, 1, 1, 1, -1]),
    )
    raises(
        "side lengths [2, 1, 1, 1, 1, 1] don't close up: expected a+b = d+e and b+c = e+f, "
        "but 2+1 = 3, 1+1 = 2 and 1+1 = 2, 1+1 = 2",
        (),
        lambda: Board.hexagon([2, 1, 1, 1, 1, 1]),
    )
    raises("10,201 cells are too many: a board may have 10,000", (), lambda: Board.triangle(101))
    assert len(Board.triangle(100)) == 10_000
    with pytest.raises(BoardError, match="a side may have length 10,000"):
        Board.hexagon([10**12] * 6)
    raises("a triangle of side -1: expected 0 or more", (), lambda: Board.triangle(-1))
    raises("a parallelogram of 2 by -3: expected 0 or more", (), lambda: Board.parallelogram(2, -3))


@st.composite
def discs(draw: st.DrawFn) -> Board:
    """A board whose rim is one polygon that doesn't touch itself."""
    grown = [Cell(0, 0, True)]
    for _ in range(draw(st.integers(0, 14))):
        free = sorted({n for c in grown for n in c.neighbours()} - set(grown))
        grown.append(draw(st.sampled_from(free)))
    board = Board(grown)
    ends = Counter(p for e in board.outer_edges for p in e)
    assume(board.outer_edges == {e for e, n in Counter(e for c in board for e in c.sides()).items() if n == 1})
    assume(set(ends.values()) == {2})
    return board


@settings(max_examples=150)
@given(discs(), st.booleans(), st.booleans())
def test_an_outline_gives_back_the_board_it_goes_round(board: Board, backward: bool, corners_only: bool) -> None:
    following = {}
    for cell in board:
        a, b, c = cell.corners()
        for p, q, side in zip((a, b, c), (b, c, a), cell.sides(), strict=True):
            if side in board.outer_edges:
                following[p] = q
    polygon = [min(following)]
    while (p := following[polygon[-1]]) != polygon[0]:
        polygon.append(p)
    assert {cell for cell in around(polygon) if inside(polygon, cell)} == set(board)
    if corners_only:
        n = len(polygon)
        polygon = [
            p
            for i, p in enumerate(polygon)
            if (p.x - polygon[i - 1].x, p.y - polygon[i - 1].y)
            != (polygon[(i + 1) % n].x - p.x, polygon[(i + 1) % n].y - p.y)
        ]
    if backward:
        polygon.reverse()
    assert Board.outline(polygon) == board


def test_outlines_that_can_not_be() -> None:
    raises("an outline of 2 points: expected three or more", (), lambda: Board.outline([(0, 0), (1, 0)]))
    raises(
        "the side from [1, 0] to [2, 1] doesn't run along a lattice line",
        (1,),
        lambda: Board.outline([(0, 0), (1, 0), (2, 1)]),
    )
    raises(
        "the side from [1, 0] to [1, 0] doesn't run along a lattice line",
        (1,),
        lambda: Board.outline([(0, 0), (1, 0), (1, 0), (0, 1)]),
    )
    # A bow, a spike and a border that touches itself in a point.
    raises(
        "the outline meets itself at [1, 1]",
        (4,),
        lambda: Board.outline([(0, 0), (2, 0), (0, 2), (2, 2), (2, 1), (0, 1)]),
    )
    raises("the outline meets itself at [1, 0]", (1,), lambda: Board.outline([(0, 0), (2, 0), (0, 0), (0, 2)]))
    far = MAX_COORDINATE + 1
    raises(
        f"point [0, {far}] is too far out: coordinates go to 1,000,000",
        (2,),
        lambda: Board.outline([(0, 0), (far - 1, 0), (0, far)]),
    )
    raises("the outline is too long", (0,), lambda: Board.outline([(0, 0), (40_000, 0), (0, 40_000)]))
    raises(
        "1,000,000 cells are too many: a board may have 10,000",
        (),
        lambda: Board.outline([(0, 0), (1000, 0), (0, 1000)]),
    )


def test_a_drawing_as_the_design_shows_it() -> None:
    drawing = ".^v^v^.\n^v^v^v^\nv^v^v^v\n.v^v^v.\n"
    assert Board.drawing(drawing).names() == Board.hexagon([2] * 6).names()
    assert {(c.up) for c in Board.drawing("^")} == {True}
    assert {(c.up) for c in Board.drawing("v")} == {False}


@settings(max_examples=150)
@given(boards(most=12), st.integers(0, 3), st.integers(0, 3), st.sampled_from([".", " "]))
def test_a_drawing_gives_back_the_board(board: Board, above: int, left: int, empty: str) -> None:
    # Boards with a jump are wide but not too wide.
    lines = [[empty] * (left + board.columns) for _ in range(board.rows)]
    for cell in board:
        row, column = board.position(cell)
        lines[row][left + column] = "^" if cell.up else "v"
    text = "\n" * above + "\n".join("".join(line) for line in lines)
    drawn = Board.drawing(text)
    assert drawn.names() == board.names()
    assert [c.up for c in drawn] == [c.up for c in board]
    assert Board.drawing(re.sub(r"[. ]+$", "", text, flags=re.M).replace("\n", "\r\n") + "   \n") == drawn


def test_drawings_that_can_not_be() -> None:
    raises("'x' in a drawing: expected ^, v, . or a space", (1, 2), lambda: Board.drawing("^v^\n.^x"))
    raises("'\\t' in a drawing: expected ^, v, . or a space", (0, 0), lambda: Board.drawing("\t^"))
    raises("'^' where up and down must alternate: expected 'v'", (0, 1), lambda: Board.drawing("^^"))
    raises("'v' where up and down must alternate: expected '^'", (0, 4), lambda: Board.drawing("^...v"))
    raises("'^' where up and down must alternate: expected 'v'", (1, 0), lambda: Board.drawing("^v\n^v"))
    raises("too many cells: a board may have 10,000", (0, 10_000), lambda: Board.drawing("^v" * 5001))
    assert len(Board.drawing("")) == 0
    assert len(Board.drawing(" . \n")) == 0


def test_removing_cells_by_name() -> None:
    board = Board.triangle(2)
    rest = board.without(["r1c2", "r2c2"])
    # Names are those of the board that is left.
    assert rest.names() == ["r1c1", "r1c3"]
    assert board.without([]) == board
    raises("there is no cell r1c1 on the board (2 rows, 3 columns)", (1,), lambda: board.without(["r1c2", "r1c1"]))
    raises("r1c2 is removed twice", (1,), lambda: board.without(["r1c2", "r1c2"]))
    raises("'top' is not a cell name: expected one like r2c4", (0,), lambda: board.without(["top"]))
