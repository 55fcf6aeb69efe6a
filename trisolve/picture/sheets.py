"""Sheets to print: tiles to cut out, boards to lay them on, and puzzles to solve with a pencil.

All is drawn at true size: the side of a tile is as many millimetres on paper as was asked for, when the printer prints
at 100 %. Each page of tiles or of a board has a ruler to check that.

Tiles lie on a sheet as on the lattice, in rows of alternating triangles, so one straight cut separates many of them,
in three directions. The tiles' colour goes a little beyond the outer cuts, so that a cut that is slightly off shows no
white; between two tiles there is no such room, but the rim of every tile has the same colour, unless they are drawn
without outlines. A board that is larger
than a page goes over several, which overlap; a small map on each says where it belongs.

Lengths are millimetres. What can't be printed is a ValueError that says why, before anything is drawn.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from math import ceil, floor
from typing import Any, BinaryIO, NamedTuple

from trisolve.board import Board
from trisolve.lattice import Cell, Edge, Point, edge
from trisolve.picture.pdf import MARGIN, MAX_PAGES, PAPERS, Pages, Paper, measure, wrapped
from trisolve.picture.pieces import Pieces, corner, pieces
from trisolve.picture.rules import rules
from trisolve.picture.svg import AROUND, EDGE, HEIGHT
from trisolve.picture.text import Scene
from trisolve.puzzle import Puzzle
from trisolve.solution import Solution
from trisolve.tiles import Match, Supply
from trisolve.words import counted

A4 = PAPERS["a4"]

SIDE = 50.0
"""The side of a tile when none is asked for."""

BLEED = 2.5
"""How far the tiles' colour goes beyond the outer cuts."""

OVERLAP = 10.0
"""How far the pages of a board overlap."""

MOST_LENGTH = 20_000.0
"""The longest board on paper. Farther out, the numbers in a PDF file are no longer exact."""

RIM = 16.0
"""How much of a picture is printed around the board, in its own units: the rim of the tray, and the values given on
it. The table would only cost ink."""

_SPARE = AROUND - RIM  # What is left out of a picture on each side.
_GAP, _MARK = 0.5, 3.5
_REACH = BLEED + _GAP + _MARK
_HEAD, _FOOT = 13.0, 10.0
_DARK = "#2f4550"


class Grid(NamedTuple):
    """Where tiles lie on a sheet: rows of ``across`` cells, cell (0, 0) of the lattice at the upper left."""

    paper: Paper
    side: float
    across: int
    down: int

    @classmethod
    def on(cls, paper: Paper, side: float) -> Grid:
        """As many tiles as there is room for. Raises ValueError when there is none."""
        width, height = (length - 2 * _REACH for length in _room(paper))
        across, down = floor(2 * width / side - 1 + 1e-9), floor(height / (side * HEIGHT / EDGE) + 1e-9)
        if across < 1 or down < 1:
            most = floor(min(width, height * EDGE / HEIGHT))
            raise ValueError(f"a tile of side {side:g} mm doesn't fit on {paper.name}: expected at most {most} mm")
        return cls(paper, side, across, down)

    def cells(self, number: int) -> list[Cell]:
        """The first cells, row by row."""
        return [Cell.at(-(k // self.across), k % self.across) for k in range(number)]

    def place(self, point: Point) -> tuple[float, float]:
        """Where a lattice point is on the page."""
        left = (self.paper.width - (self.across + 1) * self.side / 2) / 2
        top = self.paper.height - MARGIN - _HEAD - _REACH
        return left + (2 * point.x + point.y) * self.side / 2, top + (point.y - 1) * self.side * HEIGHT / EDGE

    def outline(self, cell: Cell) -> list[tuple[float, float]]:
        """The corners of a cell on the page."""
        return [self.place(corner) for corner in cell.corners()]

    def middle(self, cell: Cell) -> tuple[float, float]:
        """The centre of a cell on the page."""
        x, y = (sum(axis) / 3 for axis in zip(*self.outline(cell), strict=True))
        return x, y


def tile_sheets(
    file: BinaryIO,
    supply: Supply,
    match: Match = "corners",
    *,
    side: float = SIDE,
    paper: Paper = A4,
    backs: bool = False,
    **options: Any,
) -> int:
    """Write all tiles of a supply, every copy, as a PDF file; returns the number of pages.

    With ``backs`` a page with the backs of the tiles follows each page, for printing on both sides. Other options as in
    :func:`trisolve.picture.svg`.
    """
    grid = Grid.on(paper, side)
    if not supply.total:
        raise ValueError("no tiles to print: expected at least one")
    each = grid.across * grid.down
    total = ceil(supply.total / each) * (1 + backs)
    _check(total, paper, side)
    tiles = [tile.text for tile, copies in supply.items() for _ in range(copies)]
    pages = Pages(file, f"{supply.name}: {counted(len(tiles), 'tile')}, side {side:g} mm", paper)
    drawn: dict[tuple[str, bool], Pieces] = {}
    for first in range(0, len(tiles), each):
        here = tiles[first : first + each]
        cells = grid.cells(len(here))
        with pages.page():
            which = f"{first + 1:,} to {first + len(here):,}" if len(here) > 1 else f"{first + 1:,}"
            _head(pages, f"tile{'s' * (len(here) > 1)} {which}. Print at 100 %, cut along the lines.", total)
            for key in zip(here, (cell.up for cell in cells), strict=True):
                if key not in drawn:
                    drawn[key] = _tile(supply, match, *key, options)
            pages.ground(map(grid.outline, cells), drawn[here[0], True].tile_color(), BLEED)
            tiles_here = {
                cell: (f"{text} {cell.up}", drawn[text, cell.up]) for text, cell in zip(here, cells, strict=True)
            }
            if not options.get("outlines", True):
                _go_on(pages, grid, tiles_here)
            for cell, tile in tiles_here.items():
                _stamp(pages, *tile, grid.outline(cell), side)
            for start, end in cuts(cells):
                _cut(pages, grid.place(start), grid.place(end))
        if backs:
            with pages.page():
                _head(pages, "backs of the page before. Print on both sides, turned over the long edge.", total)
                mirrored = [[(paper.width - x, y) for x, y in grid.outline(cell)] for cell in cells]
                pages.ground(mirrored, _DARK, BLEED)
    pages.save()
    return total


def _go_on(pages: Pages, grid: Grid, tiles: Mapping[Cell, tuple[str, Pieces]]) -> None:
    """Let tiles whose values reach the cuts go on beyond the outer ones: larger tiles, to lie under the others."""
    share = 1 + BLEED / (grid.side * HEIGHT / EDGE / 3)

    def larger(cell: Cell) -> None:
        middle, corners = grid.middle(cell), grid.outline(cell)
        _stamp(pages, *tiles[cell], [_toward(middle, corner, share) for corner in corners], grid.side * share)

    for cell in tiles:
        larger(cell)
    # Beyond a side goes on what lies at this side, not the corner of a neighbour.
    for cell in tiles:
        for side, neighbour in zip(cell.sides(), cell.neighbours(), strict=True):
            if neighbour not in tiles:
                (x1, y1), (x2, y2) = map(grid.place, side)
                x, y = (x1 + x2) / 2, (y1 + y2) / 2
                far_x, far_y = _toward(grid.middle(cell), (x, y), share)
                dx, dy = far_x - x, far_y - y
                with pages.apart():
                    pages.clip([(x1, y1), (x2, y2), (x2 + dx, y2 + dy), (x1 + dx, y1 + dy)])
                    larger(cell)


def _toward(start: tuple[float, float], end: tuple[float, float], share: float) -> tuple[float, float]:
    """The place that far along the way from one to the other."""
    return start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share


def cuts(cells: Collection[Cell]) -> Iterator[tuple[Point, Point]]:
    """The straight lines along the sides of some cells, each as long as it can be."""
    edges = {side for cell in cells for side in cell.sides()}
    for start, end in sorted(edges):
        dx, dy = end.x - start.x, end.y - start.y
        if edge(Point(start.x - dx, start.y - dy), start) in edges:
            continue
        while Edge(end, Point(end.x + dx, end.y + dy)) in edges:
            end = Point(end.x + dx, end.y + dy)
        yield start, end


def board_sheets(
    file: BinaryIO,
    puzzle: Puzzle,
    *,
    side: float = SIDE,
    paper: Paper = A4,
    fit: bool = False,
    **options: Any,
) -> int:
    """Write the board of a puzzle with its clues as a PDF file; returns the number of pages.

    It is as large as the tiles of this side, over as many pages as that takes; with ``fit`` as large as it can be on
    one page. The paper is turned where that saves pages. Other options as in :func:`trisolve.picture.svg`.
    """
    board = pieces(puzzle, **options)
    if fit:
        paper, side = max(((way, _fitting(board, way)) for way in (paper, paper.turned())), key=lambda pair: pair[1])
    width, height = ((length - 2 * _SPARE) * side / EDGE for length in (board.width, board.height))
    if max(width, height) > MOST_LENGTH:
        raise ValueError(
            f"the board is {max(width, height) / 1000:,.0f} m long at a side of {side:g} mm: "
            f"expected at most {MOST_LENGTH / 1000:g} m, or --fit"
        )
    drawing = board.document(board.board())
    ways = [_Poster(way, width, height) for way in ((paper,) if fit else (paper, paper.turned()))]
    poster, used = min(((way, way.used(puzzle.board, side)) for way in ways), key=lambda pair: len(pair[1]))
    _check(len(used), paper, side)
    pages = Pages(file, Scene.of(puzzle).title, poster.paper)
    for row, column in used:
        with pages.page():
            where = f": row {row + 1}, column {column + 1}. Cut at the thin lines, lay the edges on dashed lines."
            _head(pages, f"side of a cell {side:.4g} mm{where * (len(used) > 1)}", len(used))
            x, y = poster.corner(row, column)
            with pages.apart():
                right, top = MARGIN + poster.wide, poster.bottom + poster.high
                pages.clip([(MARGIN, poster.bottom), (right, poster.bottom), (right, top), (MARGIN, top)])
                spare = _SPARE * side / EDGE
                pages.stamp("board", drawing, x - spare, y - spare, board.width * side / EDGE)
            poster.marks(pages, used, row, column)
    pages.save()
    return len(used)


class _Poster:
    """A large picture cut into pages that overlap."""

    def __init__(self, paper: Paper, width: float, height: float) -> None:
        self.paper = paper
        self.bottom = MARGIN + _FOOT
        self.wide, self.high = _room(paper)
        self.columns = max(1, ceil((width - OVERLAP) / (self.wide - OVERLAP) - 1e-9))
        self.rows = max(1, ceil((height - OVERLAP) / (self.high - OVERLAP) - 1e-9))
        self.height = height
        # What the pages have more than the picture needs goes to its four sides in equal parts.
        self.left = (self.columns * (self.wide - OVERLAP) + OVERLAP - width) / 2
        self.top = (self.rows * (self.high - OVERLAP) + OVERLAP - height) / 2

    def corner(self, row: int, column: int) -> tuple[float, float]:
        """Where the lower left corner of the whole picture is on a page."""
        x = MARGIN + self.left - column * (self.wide - OVERLAP)
        return x, self.bottom + self.high - self.top + row * (self.high - OVERLAP) - self.height

    def used(self, board: Board, side: float) -> list[tuple[int, int]]:
        """The pages on which there are cells, by row and column."""
        if self.rows == self.columns == 1:
            return [(0, 0)]
        found = set()
        for cell in board:
            x, y = ((far - _SPARE) * side / EDGE for far in corner(board, cell))
            x, y = x + self.left, y + self.top
            found |= {
                (i, j)
                for i in _steps(y, y + side * HEIGHT / EDGE, self.high, self.rows)
                for j in _steps(x, x + side, self.wide, self.columns)
            }
        return sorted(found)

    def marks(self, pages: Pages, used: Sequence[tuple[int, int]], row: int, column: int) -> None:
        """Where to cut, where the next page lies on this one, and the map."""
        if len(used) == 1:
            return
        left, right, low, high = MARGIN, MARGIN + self.wide, self.bottom, self.bottom + self.high
        beside = {(i - row, j - column) for i, j in used}
        if (0, -1) in beside:
            pages.line(left, low, left, high, grey=0.3)
        if (-1, 0) in beside:
            pages.line(left, high, right, high, grey=0.3)
        if (0, 1) in beside:
            pages.line(right - OVERLAP, low, right - OVERLAP, high, grey=0.5, dash=1.5)
        if (1, 0) in beside:
            pages.line(left, low + OVERLAP, right, low + OVERLAP, grey=0.5, dash=1.5)
        size = min(4.0, (_FOOT - 1) / self.rows, 60 / self.columns)
        for i, j in used:
            x, y = right - (self.columns - j) * size, MARGIN + (self.rows - 1 - i) * size
            pages.box(x, y, size, size, fill=_DARK if (i, j) == (row, column) else None)


def _steps(low: float, high: float, page: float, number: int) -> range:
    """The pages, in one direction, that show something between two lengths."""
    step = page - OVERLAP
    return range(max(0, ceil((low - page) / step)), min(number - 1, floor(high / step)) + 1)


class Sheet(NamedTuple):
    """A puzzle to print, and what goes on the back: its solution, or why there is none."""

    puzzle: Puzzle
    back: Solution | str


def puzzle_sheets(file: BinaryIO, sheets: Sequence[Sheet], *, paper: Paper = A4, **options: Any) -> int:
    """Write puzzles as a PDF file, each with its solution on the page after it; returns the number of pages.

    Printed on both sides, a puzzle has its solution on its back. Options as in :func:`trisolve.picture.svg`.
    """
    total = 2 * len(sheets)
    _check(total, paper, None)
    titles = [Scene.of(sheet.puzzle).title for sheet in sheets]
    pages = Pages(file, ", ".join(titles), paper)
    for number, ((puzzle, back), title) in enumerate(zip(sheets, titles, strict=True)):
        with pages.page():
            low = _tile_list(pages, number, puzzle, options)
            high = _text(pages, title, puzzle, total)
            _centred(pages, f"puzzle {number}", puzzle, low, high, options)
        with pages.page():
            high = _title(pages, title, total) - 6
            if isinstance(back, str):
                _paragraph(pages, back, high, 4)
            else:
                pages.write("Solution", MARGIN, high, 4, grey=0.3)
                _centred(pages, f"solution {number}", back, MARGIN, high - 5, options)
    pages.save()
    return total


def _title(pages: Pages, title: str, total: int) -> float:
    """The title of a puzzle's page. Returns how far down it goes."""
    y = pages.paper.height - MARGIN - 6
    number = f"page {pages.number} of {total}"
    pages.write(number, pages.paper.width - MARGIN, y, 3, align="right", grey=0.3)
    pages.write(title, MARGIN, y, 6, width=pages.paper.width - 2 * MARGIN - measure(number, 3) - 5)
    return y


def _text(pages: Pages, title: str, puzzle: Puzzle, total: int) -> float:
    """Title and rules of a puzzle. Returns how far down they go."""
    y = _title(pages, title, total) - 7
    board, supply = counted(len(puzzle.board), "cell"), counted(puzzle.supply.total, "tile")
    pages.write(f"{board}, {supply}: {puzzle.supply.name}", MARGIN, y, 3.5, width=pages.paper.width - 20, grey=0.3)
    return _paragraph(pages, " ".join(rules(puzzle)), y - 5, 3.5) + 1


def _paragraph(pages: Pages, text: str, y: float, size: float) -> float:
    """Text in as many lines as it takes, the first one at this height. Returns where the next would be."""
    for line in wrapped(text, size, pages.paper.width - 2 * MARGIN):
        pages.write(line, MARGIN, y, size, width=pages.paper.width - 2 * MARGIN)
        y -= size + 1.5
    return y


def _tile_list(pages: Pages, number: int, puzzle: Puzzle, options: dict[str, Any]) -> float:
    """The tiles with a box for each copy, at the bottom of the page. Returns how far up they go."""
    supply, width = puzzle.supply, pages.paper.width - 2 * MARGIN
    if not supply.total:
        return MARGIN
    size = 16.0
    while size > 4 and ceil(len(supply) / floor(width / (size + 2))) * (size + 4.5) > pages.paper.height * 0.4:
        size -= 0.5
    across = floor(width / (size + 2))
    rows = ceil(len(supply) / across)
    step = width / across
    for k, (tile, copies) in enumerate(supply.items()):
        x = MARGIN + (k % across + 0.5) * step
        y = MARGIN + (rows - 1 - k // across) * (size + 4.5)
        boxes = copies if copies <= max(2, size // 3) else 1
        count = "" if boxes == copies else f"×{copies:,}"
        left = x - (boxes * 2.8 - 0.6 + measure(count, 2.5) + bool(count) * 0.6) / 2
        for i in range(boxes):
            pages.box(left + 2.8 * i, y, 2.2, 2.2)
        if count:
            pages.write(count, left + 2.8, y + 0.2, 2.5)
        height = size * HEIGHT / EDGE
        outline = [(x - size / 2, y + 3.2), (x + size / 2, y + 3.2), (x, y + 3.2 + height)]
        drawn = _tile(supply, puzzle.match, tile.text, True, options)
        _stamp(pages, f"tile {number} {tile}", drawn, outline, size, outlined=True)
    return MARGIN + rows * (size + 4.5) + 4


def _centred(pages: Pages, name: str, thing: object, low: float, high: float, options: dict[str, Any]) -> None:
    """A picture in the middle between two heights, as large as it can be, but no tile of over 40 mm."""
    picture = pieces(thing, **options)
    width, height = picture.width - 2 * _SPARE, picture.height - 2 * _SPARE
    scale = min(40 / EDGE, (pages.paper.width - 2 * MARGIN) / width, (high - low) / height)
    x, y = pages.paper.width / 2 - picture.width * scale / 2, (low + high) / 2 - picture.height * scale / 2
    pages.stamp(name, picture.document(picture.board()), x, y, picture.width * scale)


def _tile(supply: Supply, match: Match, text: str, up: bool, options: dict[str, Any]) -> Pieces:
    """The picture of one tile of a supply, as it looks beside the others."""
    cell = Cell(0, 0, up)
    return pieces(Solution(Puzzle(Board([cell]), supply, match=match), {cell: text}), **options)


def _stamp(
    pages: Pages,
    name: str,
    tile: Pieces,
    corners: Sequence[tuple[float, float]],
    side: float,
    *,
    outlined: bool = False,
) -> None:
    """Draw a tile without the table in a triangle of the page."""
    (body,) = tile.cells.values()
    x, y = min(x for x, _ in corners), min(y for _, y in corners)
    scale = side / EDGE
    if outlined:
        for (x1, y1), (x2, y2) in zip(corners, [*corners[1:], corners[0]], strict=True):
            pages.line(x1, y1, x2, y2, grey=0.5)
    pages.stamp(name, tile.document(body), x - AROUND * scale, y - AROUND * scale, tile.width * scale)


def _cut(pages: Pages, start: tuple[float, float], end: tuple[float, float]) -> None:
    """A thin line to cut along, and a mark beyond each end of it, outside the colour."""
    (x1, y1), (x2, y2) = start, end
    length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
    dx, dy = (x2 - x1) / length, (y2 - y1) / length
    pages.line(x1, y1, x2, y2, grey=0.55)
    near, far = BLEED + _GAP, _REACH
    pages.line(x1 - near * dx, y1 - near * dy, x1 - far * dx, y1 - far * dy, width=0.15)
    pages.line(x2 + near * dx, y2 + near * dy, x2 + far * dx, y2 + far * dy, width=0.15)


def _head(pages: Pages, text: str, total: int) -> None:
    """Title, a line about the page, the number of the page, and a ruler at the bottom."""
    paper = pages.paper
    y = paper.height - MARGIN - 4
    number = f"page {pages.number} of {total}"
    pages.write(number, paper.width - MARGIN, y, 3.5, align="right")
    pages.write(pages.title, MARGIN, y, 4.5, width=paper.width - 2 * MARGIN - measure(number, 3.5) - 5)
    pages.write(text, MARGIN, y - 5.5, 3, width=paper.width - 2 * MARGIN, grey=0.3)
    x, y = MARGIN, MARGIN + 4.5
    pages.line(x, y, x + 100, y, width=0.2)
    for k in range(0, 101, 5):
        pages.line(x + k, y, x + k, y + (1.2 if k % 10 else 2.2), width=0.2)
    pages.write("100 mm, to check the scale", x + 50, y - 3.2, 2.8, align="middle")


def _fitting(picture: Pieces, paper: Paper) -> float:
    """The side of a cell when a picture fills a page."""
    width, height = _room(paper)
    return EDGE * min(width / (picture.width - 2 * _SPARE), height / (picture.height - 2 * _SPARE))


def _room(paper: Paper) -> tuple[float, float]:
    """Width and height of what can be drawn between head and foot of a page."""
    return paper.width - 2 * MARGIN, paper.height - 2 * MARGIN - _HEAD - _FOOT


def _check(pages: int, paper: Paper, side: float | None) -> None:
    if pages > MAX_PAGES:
        at = "" if side is None else f" at a side of {side:g} mm"
        raise ValueError(f"{pages:,} pages of {paper.name}{at} are too many: expected at most {MAX_PAGES}")
