"""PDF: pictures on a page, and sheets to print, read back in millimetres and as a printer would draw them."""

from __future__ import annotations

import io
import re
import struct
from collections import Counter
from collections.abc import Iterator
from ctypes import c_float
from itertools import pairwise
from math import sqrt
from pathlib import Path
from typing import Any

import pytest

pdfium = pytest.importorskip("pypdfium2")
pytest.importorskip("reportlab")
pytest.importorskip("svglib")

from conftest import Command  # noqa: E402

import trisolve as ts  # noqa: E402
from trisolve import picture  # noqa: E402
from trisolve.lattice import Cell  # noqa: E402
from trisolve.picture.pdf import BOX, PAPERS, measure, pdf, shown  # noqa: E402
from trisolve.picture.pieces import corner, pieces  # noqa: E402
from trisolve.picture.rules import rules  # noqa: E402
from trisolve.picture.sheets import (  # noqa: E402
    BLEED,
    OVERLAP,
    Grid,
    Sheet,
    board_sheets,
    cuts,
    puzzle_sheets,
    tile_sheets,
)
from trisolve.tiles import JOKER, Supply, Tile, named_set  # noqa: E402

MM = 72 / 25.4
HEXAGON = ts.Board.hexagon([1] * 6)
TRIOKER = named_set("trioker").supply()


def solved(board: ts.Board) -> ts.Solution:
    """A labelling of the points read off tile by tile, so it always matches."""
    cells = {cell: "".join(str((7 * x + 5 * y + x * y) % 4) for x, y in cell.corners()) for cell in board}
    return ts.Solution(ts.Puzzle(board, "trioker-24"), cells)


def made(make: Any, *arguments: Any, **options: Any) -> Any:
    """The PDF document that a function writes; what it returns is the number of pages."""
    file = io.BytesIO()
    pages = make(file, *arguments, **options)
    document = pdfium.PdfDocument(file.getvalue())
    assert len(document) == pages
    return document


def text(page: Any) -> str:
    return page.get_textpage().get_text_range().replace("\r\n", "\n")


def size(page: Any) -> tuple[float, float]:
    """Width and height in millimetres."""
    width, height = page.get_size()
    return width / MM, height / MM


def lines(page: Any) -> Iterator[tuple[float, float, float, float]]:
    """The straight lines drawn on a page: their ends in millimetres."""
    for thing in page.get_objects(max_depth=1):
        if thing.type != pdfium.raw.FPDF_PAGEOBJ_PATH or pdfium.raw.FPDFPath_CountSegments(thing) != 2:
            continue
        ends: list[float] = []
        for k in range(2):
            x, y = c_float(), c_float()
            pdfium.raw.FPDFPathSegment_GetPoint(pdfium.raw.FPDFPath_GetPathSegment(thing, k), x, y)
            ends += [v / MM for v in thing.get_matrix().on_point(x.value, y.value)]
        yield tuple(ends)  # type: ignore[misc]


class Print:
    """A page as a printer draws it, with places in millimetres from its lower left corner."""

    def __init__(self, page: Any, dots: float = 10) -> None:
        self.dots = dots
        self.image = page.render(scale=dots / MM).to_pil().convert("RGB")

    def dark(self, x: float, y: float) -> bool:
        red, green, blue = self.image.getpixel((int(x * self.dots), self.image.height - 1 - int(y * self.dots)))
        return red + green + blue < 300


def spots(page: Print) -> Iterator[tuple[float, float, float]]:
    """The dark spots of a page: the middle of each, and its area in square millimetres."""
    import numpy as np

    rows, columns = np.nonzero(np.asarray(page.image.convert("L")) < 100)
    dark = set(zip(rows.tolist(), columns.tolist(), strict=True))
    while dark:
        spot = [dark.pop()]
        for row, column in spot:
            for near in ((row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)):
                if near in dark:
                    dark.remove(near)
                    spot.append(near)
        y, x = (sum(axis) / len(spot) + 0.5 for axis in zip(*spot, strict=True))
        yield x / page.dots, (page.image.height - y) / page.dots, len(spot) / page.dots**2


def read_tiles(page: Print, triangles: list[list[tuple[float, float]]], side: float) -> list[str]:
    """The placed tiles with pips in triangles of a page, from nothing but the dark spots there."""
    found = [["", "", ""] for _ in triangles]
    for x, y, area in spots(page):
        for corners, values in zip(triangles, found, strict=True):
            turns = [
                (bx - ax) * (y - ay) - (by - ay) * (x - ax)
                for (ax, ay), (bx, by) in zip(corners, corners[1:] + corners[:1], strict=True)
            ]
            if min(turns) > 0:
                near = min(range(3), key=lambda k: (corners[k][0] - x) ** 2 + (corners[k][1] - y) ** 2)
                values[near] += "W" if area > 0.015 * side**2 else "."
    return ["".join("W" if "W" in marks else str(len(marks)) for marks in values) for values in found]


# -- pictures -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"theme": "dark", "style": "colors"}, {"theme": "auto", "names": True}])
def test_a_picture_as_pdf_is_the_svg(options: dict[str, Any]) -> None:
    pytest.importorskip("resvg_py")
    from PIL import Image, ImageChops, ImageStat

    solution = solved(HEXAGON)
    data = pdf(solution, **options)
    assert data == pdf(solution, **options)
    (page,) = pdfium.PdfDocument(data)
    assert not [t for t in page.get_objects(max_depth=5) if t.type == pdfium.raw.FPDF_PAGEOBJ_IMAGE]
    png = picture.png(solution, **{**options, "theme": "light"} if options.get("theme") == "auto" else options)
    seen = Image.open(io.BytesIO(png)).convert("RGBA")
    expected = Image.new("RGBA", seen.size, "white")
    expected.alpha_composite(seen)
    drawn = page.render(scale=seen.width / page.get_width()).to_pil().convert("RGB").resize(seen.size)
    difference = ImageStat.Stat(ImageChops.difference(drawn, expected.convert("RGB"))).mean
    assert max(difference) < 3


@pytest.mark.parametrize("names", [False, True])
def test_the_page_is_as_large_as_the_picture_on_a_screen(names: bool) -> None:
    (page,) = pdfium.PdfDocument(pdf(HEXAGON, names=names))
    width, height = struct.unpack(">II", picture.png(HEXAGON, names=names)[16:24])
    assert size(page) == pytest.approx((width / 2 / 96 * 25.4, height / 2 / 96 * 25.4), abs=0.2)


def test_any_title_can_be_printed(tmp_path: Path) -> None:
    title = "Шестиугольник Ελληνικά 六角 \U0001f600 <&> č"
    puzzle = ts.Puzzle(HEXAGON, "trioker-24", title=title)
    picture.write(puzzle, tmp_path / "a.pdf")
    assert pdfium.PdfDocument(tmp_path / "a.pdf").get_metadata_dict()["Title"] == title
    assert shown(title) == f"Шестиугольник Ελληνικά {BOX}{BOX} {BOX} <&> č"
    page = made(board_sheets, puzzle)[0]
    assert shown(title) in text(page)


def test_a_title_that_is_too_long_is_cut_to_the_page() -> None:
    puzzle = ts.Puzzle(HEXAGON, "trioker-24", title="\ud800" + "Ag1 " * 50_000)
    page = made(puzzle_sheets, [Sheet(puzzle, "no")])[0]
    (title,) = (line for line in text(page).split("\n") if line.startswith("\ufffdAg1") or "Ag1 Ag1" in line)
    assert "…" in title
    # As much as there is room for, beside the number of the page.
    assert 130 < measure(title[: title.index("…")], 6) < 190 - measure("page 1 of 2", 3)


def test_a_long_text_on_the_back_goes_over_several_lines() -> None:
    back = "There is no solution, and that can be seen like this: " + ", ".join(f"reason {k}" for k in range(40))
    page = made(puzzle_sheets, [Sheet(ts.Puzzle(HEXAGON, "trioker-24"), back)])[1]
    assert back in " ".join(text(page).split())


@pytest.mark.parametrize("board", [ts.Board([]), ts.Board([Cell(0, 0, False)]), ts.Board.parallelogram(100, 50)])
def test_boards_of_any_size_are_printed(board: ts.Board) -> None:
    puzzle = ts.Puzzle(board, "trioker")
    assert len(made(board_sheets, puzzle, fit=True)) == 1
    assert len(made(puzzle_sheets, [Sheet(puzzle, "nothing")])) == 2


# -- tiles --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("paper", "side"), [("a4", 50.0), ("letter", 50.0), ("a4", 31.5), ("letter", 120.0)])
def test_cut_lines_are_as_far_apart_as_the_side_asks(paper: str, side: float) -> None:
    document = made(tile_sheets, TRIOKER, side=side, paper=PAPERS[paper])
    page = document[0]
    assert size(page) == pytest.approx((PAPERS[paper].width, PAPERS[paper].height), abs=0.01)
    drawn = list(lines(page))
    long = [(x1, y1, x2, y2) for x1, y1, x2, y2 in drawn if (x2 - x1) ** 2 + (y2 - y1) ** 2 > 16]
    rulers = [(x1, y1, x2, y2) for x1, y1, x2, y2 in long if y1 == y2 and abs(x2 - x1 - 100) < 0.01]
    assert len(rulers) == 1 or side == 50
    grid = Grid.on(PAPERS[paper], side)
    number = min(TRIOKER.total, grid.across * grid.down)
    levels = sorted({round(y1, 2) for x1, y1, x2, y2 in long if abs(y2 - y1) < 0.01 and y1 > 20})
    assert len(levels) == -(-number // grid.across) + 1
    for low, high in pairwise(levels):
        assert high - low == pytest.approx(side * sqrt(3) / 2, abs=0.1)
    slanted = [(x1, y1, x2, y2) for x1, y1, x2, y2 in long if abs(y2 - y1) > 1]
    for x1, y1, x2, y2 in slanted:
        length = sqrt((x2 - x1) ** 2 + (y2 - y1) ** 2)
        assert length / side == pytest.approx(round(length / side), abs=0.1 / side)
    # Where slanted lines of one direction pass a level, they are a side apart.
    places = sorted({round(x1 + (levels[0] - y1) * (x2 - x1) / (y2 - y1), 2) for x1, y1, x2, y2 in slanted if x2 > x1})
    gaps = [b - a for a, b in pairwise(places) if b - a > 0.1]
    assert all(gap / side == pytest.approx(round(gap / side), abs=0.1 / side) for gap in gaps)


@pytest.mark.parametrize(("paper", "side"), [("a4", 20.0), ("letter", 50.0)])
def test_nothing_is_printed_where_home_printers_cannot(paper: str, side: float) -> None:
    pages = [*made(tile_sheets, TRIOKER, side=side, paper=PAPERS[paper], backs=True)]
    pages += [*made(board_sheets, ts.load("board-73"), side=side, paper=PAPERS[paper])]
    pages += [*made(puzzle_sheets, [Sheet(ts.Puzzle(HEXAGON, "complete-8"), "no")], paper=PAPERS[paper])]
    for page in pages:
        image = page.render(scale=2 / MM).to_pil().convert("L")
        left, top, right, bottom = image.point(lambda value: 255 - value).getbbox()
        assert min(left, top, image.width - right, image.height - bottom) >= 9.5 * 2


@pytest.mark.parametrize(
    ("supply", "side"),
    [(TRIOKER, 50.0), (TRIOKER.times(2).with_jokers(3), 40.0), (Supply({Tile("012"): 1}), 90.0)],
)
def test_all_tiles_of_a_supply_are_on_the_sheets(supply: Supply, side: float) -> None:
    document = made(tile_sheets, supply, side=side)
    grid = Grid.on(PAPERS["a4"], side)
    each = grid.across * grid.down
    found: Counter[Tile] = Counter()
    for i, page in enumerate(document):
        drawn = Print(page, 5)
        cells = grid.cells(min(each, supply.total - i * each))
        found.update(map(Tile, read_tiles(drawn, [grid.outline(cell) for cell in cells], side)))
        assert f"page {i + 1} of {len(document)}" in text(page)
        assert f"{supply.total} tile{'s' * (supply.total > 1)}, side {side:g} mm" in text(page)
    assert found == Counter(dict(supply.items()))


@pytest.mark.parametrize("options", [{"theme": "dark"}, {"style": "colors", "labels": False, "outlines": False}])
def test_colour_goes_beyond_the_outer_cuts(options: dict[str, Any]) -> None:
    """Around the whole sheet; without outlines the colours of the values do."""
    side, number = 50.0, 13
    page = Print(made(tile_sheets, Supply({Tile("333"): number}), side=side, **options)[0])
    grid = Grid.on(PAPERS["a4"], side)
    cells = grid.cells(number)
    outer = 0
    for cell in cells:
        middle = grid.middle(cell)
        for (start, end), neighbour in zip(cell.sides(), cell.neighbours(), strict=True):
            if neighbour in cells:
                continue
            outer += 1
            x, y = ((a + b) / 2 for a, b in zip(grid.place(start), grid.place(end), strict=True))
            far = sqrt((x - middle[0]) ** 2 + (y - middle[1]) ** 2)
            for beyond, dark in ((BLEED - 0.3, True), (BLEED + 0.3, False)):
                share = beyond / far
                assert page.dark(x + (x - middle[0]) * share, y + (y - middle[1]) * share) is dark
    assert outer > 10


def test_backs_lie_behind_the_tiles() -> None:
    side, paper = 60.0, PAPERS["a4"]
    document = made(tile_sheets, TRIOKER, side=side, backs=True)
    grid = Grid.on(paper, side)
    each = grid.across * grid.down
    for i in range(0, len(document), 2):
        back = Print(document[i + 1], 2)
        cells = grid.cells(each)
        used = len(cells) if (i // 2 + 1) * each <= TRIOKER.total else TRIOKER.total % each
        assert [back.dark(paper.width - x, y) for x, y in map(grid.middle, cells)] == [k < used for k in range(each)]


def test_one_cut_goes_along_many_tiles() -> None:
    grid = Grid.on(PAPERS["a4"], 50)
    cells = grid.cells(grid.across * grid.down)
    sides = {side for cell in cells for side in cell.sides()}
    found = list(cuts(cells))
    # 30 tiles have 90 sides; 20 straight cuts do.
    assert len(found) < len(cells) < len(sides)
    length = sum(max(abs(b.x - a.x), abs(b.y - a.y)) for a, b in found)
    assert length == len(sides)
    assert set(cuts([])) == set()


@pytest.mark.parametrize(
    ("side", "message"),
    [
        (400.0, r"^a tile of side 400 mm doesn't fit on A4: expected at most \d+ mm$"),
        (5.0, r"^[\d,]+ pages of A4 at a side of 5 mm are too many: expected at most 500$"),
    ],
)
def test_what_does_not_fit_is_refused(side: float, message: str) -> None:
    supply = TRIOKER if side > 5 else TRIOKER.times(100_000)
    with pytest.raises(ValueError, match=message):
        tile_sheets(io.BytesIO(), supply, side=side)


def test_the_largest_tile_that_is_named_does_fit() -> None:
    with pytest.raises(ValueError, match="expected at most") as refused:
        tile_sheets(io.BytesIO(), TRIOKER, side=900, paper=PAPERS["letter"])
    most = float(str(refused.value).split()[-2])
    assert len(made(tile_sheets, Supply({JOKER: 1}), side=most, paper=PAPERS["letter"])) == 1
    with pytest.raises(ValueError, match="doesn't fit"):
        tile_sheets(io.BytesIO(), TRIOKER, side=most + 1, paper=PAPERS["letter"])


def test_sets_of_many_kinds() -> None:
    supply = named_set("complete-10").supply()
    pages = made(tile_sheets, supply, side=25)
    assert f"tiles 1 to {Grid.on(PAPERS['a4'], 25).across * Grid.on(PAPERS['a4'], 25).down}" in text(pages[0])
    assert "to 340" in text(pages[len(pages) - 1])


# -- boards -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("paper", list(PAPERS))
def test_pages_of_a_board_overlap(paper: str) -> None:
    from PIL import ImageChops, ImageStat

    board = ts.Board.hexagon([4, 3, 4, 3, 4, 3])
    puzzle = ts.Puzzle(board, "trioker", clues=[{"cell": "r4c7", "tile": "012"}])
    document = made(board_sheets, puzzle, side=60.0, paper=PAPERS[paper])
    wide, high = size(document[0])
    # What lies between the margins, the header and the footer, at ten dots to a millimetre.
    inside = tuple(round(v * 10) for v in (10, 23, wide - 10, high - 20))
    pages = {}
    for page in document:
        where = re.search(r"row (\d+), column (\d+)", text(page))
        assert where is not None
        image = page.render(scale=10 / MM).to_pil().convert("L")
        pages[int(where[1]), int(where[2])] = image.crop(inside)
    width, height = inside[2] - inside[0], inside[3] - inside[1]
    strip = round(OVERLAP * 10)
    compared = 0
    for (row, column), image in pages.items():
        for beside, here, there in (
            ((row, column + 1), (width - strip + 5, 0, width - 5, height), (5, 0, strip - 5, height)),
            ((row + 1, column), (0, height - strip + 5, width, height - 5), (0, 5, width, strip - 5)),
        ):
            if beside in pages:
                compared += 1
                cut, laid = image.crop(here), pages[beside].crop(there)
                assert ImageStat.Stat(ImageChops.difference(cut, laid)).mean[0] < 3
                assert ImageStat.Stat(cut).mean[0] < 254
    assert compared >= 4


@pytest.mark.parametrize("paper", list(PAPERS))
def test_cells_of_a_board_are_as_large_as_the_tiles(paper: str) -> None:
    side = 50.0
    page = made(board_sheets, ts.Puzzle(HEXAGON, "trioker"), side=side, paper=PAPERS[paper])[0]
    # The tray is dark, so its rows of dark dots say where the lines between the cells are.
    drawn = Print(page, 20)
    x = size(page)[0] / 2
    column = [y / 20 for y in range(int(size(page)[1] * 20)) if drawn.dark(x + 11, y / 20)]
    groups: list[list[float]] = []
    for y in column:
        if groups and y - groups[-1][-1] < 0.2:
            groups[-1].append(y)
        else:
            groups.append([y])
    rim_below, slant_below, _, slant_above, rim_above = [g for g in groups if g[-1] - g[0] > 1]
    assert rim_above[0] - rim_below[-1] == pytest.approx(sqrt(3) * side - 2 * 0.016 * side, abs=0.1)
    assert slant_below[0] < slant_above[0]


def test_a_board_on_one_page_uses_the_paper_well() -> None:
    for board, turned in ((ts.Board.parallelogram(6, 1), True), (ts.Board.parallelogram(1, 6), False)):
        page = made(board_sheets, ts.Puzzle(board, "trioker"), fit=True)[0]
        assert (size(page)[0] > size(page)[1]) is turned
        left, _, right, _ = page.render(scale=1).to_pil().convert("L").point(lambda v: 255 * (v < 120)).getbbox()
        assert right - left > 0.3 * page.get_width()


@pytest.mark.parametrize("match", ["corners", "edges"])
def test_values_on_the_border_are_printed_whole(match: str) -> None:
    puzzle = ts.Puzzle(ts.Board.hexagon([2] * 6), "trioker-24", match=match, border="same")
    page = made(board_sheets, puzzle, fit=True)[0]
    drawn = Print(page)
    wide, high = size(page)
    # Just inside of what may be printed on, below the header and above the footer, there is nothing.
    for y in (20.1, high - 23.1):
        assert not any(drawn.dark(x, y) for x in range(10, int(wide) - 10))


def test_pages_without_cells_are_left_out() -> None:
    board = ts.Board([Cell(0, 0, True), Cell(30, 0, True)])
    document = made(board_sheets, ts.Puzzle(board, "trioker"), side=50)
    assert 2 <= len(document) <= 4
    with pytest.raises(ValueError, match=r"^the board is [\d,]+ m long at a side of 50 mm: expected at most 20 m, or"):
        board_sheets(io.BytesIO(), ts.Puzzle(ts.Board([Cell(0, 0, True), Cell(900_000, 0, True)]), "trioker"))
    with pytest.raises(ValueError, match="are too many: expected at most 500"):
        board_sheets(io.BytesIO(), ts.Puzzle(ts.Board.parallelogram(100, 50), "trioker"), side=150)


def test_where_a_cell_is_in_a_picture() -> None:
    board = ts.Board.hexagon([3, 2, 3, 2, 3, 2])
    drawn = pieces(solved(board))
    for cell in board:
        x, y = corner(board, cell)
        start = re.search(r'd="M([\d.]+) ([\d.]+)', drawn.cells[board.name(cell)])
        assert start is not None
        assert x <= float(start[1]) <= x + 100
        assert y <= float(start[2]) <= y + 87


# -- puzzles ------------------------------------------------------------------------------------------


def test_a_puzzle_has_its_solution_on_the_back() -> None:
    solution = solved(HEXAGON)
    other = ts.Puzzle(ts.Board.triangle(2), "macmahon", title="The other")
    document = made(puzzle_sheets, [Sheet(solution.puzzle, solution), Sheet(other, "There is none.")])
    front, back, other_front, other_back = map(text, document)
    assert "Solution" in back
    assert "Solution" not in front
    assert "6 cells, 24 tiles: trioker-24" in front
    assert front.count("page 1 of 4") == 1
    assert "The other" in other_front
    assert "There is none." in other_back
    assert " ".join(" ".join(rules(other)).split()) in " ".join(other_front.split())
    dark = [sum(Print(page, 1).image.convert("L").histogram()[:60]) for page in document]
    assert dark[3] < 100 < dark[1]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "Lay a tile in every cell so that corners that meet at a point show the same value"),
        ({"match": "edges"}, "sides that meet show the same value"),
        ({"fill": "tiles"}, "Lay all tiles on the board, joined by their sides, so that"),
        ({"border": "same"}, "and the outer border shows one value throughout."),
        ({"border": 2}, "and the outer border shows 2."),
        ({"tiles": "trioker"}, "the square agrees with everything."),
        (
            {"clues": [{"cell": "r1c1", "tile": "012"}]},
            "012 in a cell means that this tile lies there, turned in any way",
        ),
        ({"clues": [{"cell": "r1c1", "tile": "012", "corner": "left"}]}, "not turned over, and none"),
        ({"clues": [{"corner": "r1c1.top", "value": 3}]}, "A value in a ring is what every corner there shows."),
        ({"fill": "tiles", "clues": [{"cell": "r1c1", "filled": True}]}, "A cell with a ring in it is filled."),
        ({"fill": "tiles", "clues": [{"cell": "r1c1", "empty": True}]}, "A cell with a cross in it stays empty."),
    ],
)
def test_rules_say_what_the_puzzle_is(options: dict[str, Any], said: str) -> None:
    sentences = rules(ts.Puzzle(HEXAGON, **{"tiles": "trioker-24", **options}))
    assert said in " ".join(sentences)
    oriented = any("corner" in clue for clue in options.get("clues", []) if "tile" in clue)
    assert len(sentences) == 2 + ("clues" in options and not oriented)
    assert all(sentence.count(".") == 1 and sentence.endswith(".") for sentence in sentences)


def test_every_copy_has_a_box() -> None:
    def boxes(supply: Supply) -> int:
        page = made(puzzle_sheets, [Sheet(ts.Puzzle(HEXAGON, supply), "no")])[0]
        things = [thing for thing in page.get_objects(max_depth=1) if thing.type == pdfium.raw.FPDF_PAGEOBJ_PATH]
        bounds = [[v / MM for v in thing.get_bounds()] for thing in things]
        sizes = [max(abs(right - left - 2.2), abs(top - low - 2.2)) for left, low, right, top in bounds]
        return sum(size < 0.5 for size in sizes)

    assert boxes(TRIOKER) == 25
    assert boxes(TRIOKER.times(3).with_jokers(1)) == 73
    many = TRIOKER.times(500)
    assert boxes(many) == 25
    assert "×500" in text(made(puzzle_sheets, [Sheet(ts.Puzzle(HEXAGON, many), "no")])[0])


# -- the same bytes, and the command ------------------------------------------------------------------


def test_the_same_sheets_have_the_same_bytes() -> None:
    solution = solved(HEXAGON)
    for make, *arguments in (
        (tile_sheets, TRIOKER),
        (board_sheets, solution.puzzle),
        (puzzle_sheets, [Sheet(solution.puzzle, solution)]),
    ):
        files = io.BytesIO(), io.BytesIO()
        for file in files:
            make(file, *arguments)
        assert files[0].getvalue() == files[1].getvalue()
        assert not any(word in files[0].getvalue() for word in (b"D:2026", b"/tmp", b"/home"))


def test_pdf_without_its_packages_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picture, "find_spec", lambda name: None)
    with pytest.raises(
        ValueError, match=r"^a\.pdf: PDF needs reportlab and svglib, expected pip install 'trisolve\[pr"
    ):
        picture.check_ending("a.pdf")
    with pytest.raises(ValueError, match=r"^a\.png: the ending \.png names no picture format, expected \.pdf$"):
        picture.check_ending("a.png", (".pdf",))


def test_the_command_prints(trisolve: Command, tmp_path: Path) -> None:
    for arguments, pages in (
        (("tiles", "--set", "trioker", "--paper", "letter"), 1),
        (("tiles", "board-73", "--side", "30", "--backs", "--style", "digits"), 2),
        (("board", "hexagon", "--names"), 2),
        (("board", "hexagon", "--fit", "--theme", "dark"), 1),
        (("puzzle", "hexagon", "three-clues", "--seed", "1"), 4),
    ):
        done = trisolve("print", *arguments, "-o", "a.pdf")
        said = f"{pages} page{'s' * (pages > 1)} written to a.pdf\n"
        assert (done.returncode, done.stdout, done.stderr) == (0, "", said)
        assert len(pdfium.PdfDocument(tmp_path / "a.pdf")) == pages


def test_a_puzzle_without_a_solution_says_so(trisolve: Command, tmp_path: Path) -> None:
    done = trisolve("print", "puzzle", "hexagon", "--tiles", "trioker-24", "-o", "a.pdf")
    assert done.returncode == 0
    assert "hexagon: no solution: " in done.stderr
    assert "This puzzle has no solution" in text(pdfium.PdfDocument(tmp_path / "a.pdf")[1])
    done = trisolve("print", "puzzle", "board-73", "-o", "a.pdf", "--time-limit", "0.001")
    assert done.returncode == 0
    assert "No solution was found in 0.001 seconds." in text(pdfium.PdfDocument(tmp_path / "a.pdf")[1])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("tiles", "-o", "a.pdf"), "expected a PUZZLE or --set SET, one of them"),
        (("tiles", "hexagon", "--set", "trioker", "-o", "a.pdf"), "expected a PUZZLE or --set SET, one of them"),
        (("tiles", "--set", "trioker", "-o", "a.svg"), "the ending .svg names no picture format, expected .pdf"),
        (("tiles", "--set", "trioker"), "Missing option '-o'"),
        (("tiles", "--set", "trioker", "-o", "no/a.pdf"), "there is no such folder"),
        (("tiles", "--set", "trioker", "--side", "4", "-o", "a.pdf"), "'4': expected a number of millimetres, 5 to"),
        (("tiles", "--set", "trioker", "--side", "nan", "-o", "a.pdf"), "'nan': expected a number of millimetres"),
        (("tiles", "--set", "trioker", "--side", "300", "-o", "a.pdf"), "doesn't fit on A4: expected at most"),
        (("board", "hexagon", "--fit", "--side", "50", "-o", "a.pdf"), "--fit and --side exclude each other"),
        (("board", "nowhere", "-o", "a.pdf"), "nowhere"),
        (("puzzle", "-o", "a.pdf"), "Missing argument 'PUZZLE...'"),
    ],
)
def test_what_cannot_be_printed_is_one_line(
    trisolve: Command, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    done = trisolve("print", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())
