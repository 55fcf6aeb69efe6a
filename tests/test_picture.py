"""Pictures: exact texts for small boards, what a reader of the picture gets back, and files."""

from __future__ import annotations

import re
import struct
from itertools import combinations
from math import atan2, cos, degrees, exp, hypot, radians, sin, sqrt
from pathlib import Path
from xml.etree import ElementTree

import pytest
from conftest import ROOT, Command
from hypothesis import given, settings
from hypothesis import strategies as st

import trisolve as ts
from trisolve import picture
from trisolve.board import Board
from trisolve.lattice import Cell
from trisolve.picture.svg import COLORS, WHITE_INK, style_sheet
from trisolve.puzzle import Puzzle
from trisolve.solution import Solution
from trisolve.tiles import Supply

SVG = "{http://www.w3.org/2000/svg}"
DOWN = Board([Cell(0, 0, False)])
HEXAGON = Board.hexagon([1] * 6)


def solved(board: Board, match: str = "corners", wild: str = "") -> Solution:
    """A labelling of points or edges read off tile by tile, so it always matches; the cell `wild` has a wild corner."""
    puzzle = Puzzle(board, Supply.of(["000"]), match=match)  # type: ignore[arg-type]

    def value(spot: tuple) -> str:
        x, y = spot if match == "corners" else (spot[0].x + spot[1].x, spot[0].y + spot[1].y)
        return str((7 * x + 5 * y + x * y) % 4)

    cells = {cell: "".join(map(value, puzzle.spots(cell))) for cell in board}
    if wild:
        cells[board.cell(wild)] = "W" + cells[board.cell(wild)][1:]
    return Solution(puzzle, cells)


def lines(drawing: str) -> str:
    """A drawing of which each line begins with a bar, so that leading blanks can be seen."""
    return "\n".join(line.strip().removeprefix("|").rstrip() for line in drawing.strip().splitlines())


# -- exact texts --------------------------------------------------------------------------------------

TEXTS = {
    "up": (
        Solution(Puzzle(Board.triangle(1)), {Cell(0, 0, True): "012"}),
        {},
        r"""
        |    .
        |   / \
        |  / 2 \
        | / 0 1 \
        |.-------.
        """,
    ),
    "down": (
        Solution(Puzzle(DOWN), {Cell(0, 0, False): "012"}),
        {},
        r"""
        |.-------.
        | \ 2 1 /
        |  \ 0 /
        |   \ /
        |    .
        """,
    ),
    "up, edges": (
        Solution(Puzzle(Board.triangle(1), "macmahon"), {Cell(0, 0, True): "123"}),
        {},
        r"""
        |    .
        |   / \
        |  /3 2\
        | /  1  \
        |.-------.
        """,
    ),
    "down, edges": (
        Solution(Puzzle(DOWN, "macmahon"), {Cell(0, 0, False): "123"}),
        {},
        r"""
        |.-------.
        | \  2  /
        |  \3 1/
        |   \ /
        |    .
        """,
    ),
    "hexagon of six with a wild corner": (
        solved(HEXAGON, wild="r2c1"),
        {},
        r"""
        |    .-------.
        |   / \ 1 2 / \
        |  / 1 \ 1 / 2 \
        | / 1 1 \ / 1 1 \
        |.-------.-------.
        | \ 1 1 / \ 1 1 /
        |  \ W / 1 \ 3 /
        |   \ / 0 3 \ /
        |    .-------.
        """,
    ),
    "the same in unicode": (
        solved(HEXAGON, wild="r2c1"),
        {"unicode": True},
        """
        |    •───────•
        |   ╱ ╲ 1 2 ╱ ╲
        |  ╱ 1 ╲ 1 ╱ 2 ╲
        | ╱ 1 1 ╲ ╱ 1 1 ╲
        |•───────•───────•
        | ╲ 1 1 ╱ ╲ 1 1 ╱
        |  ╲ W ╱ 1 ╲ 3 ╱
        |   ╲ ╱ 0 3 ╲ ╱
        |    •───────•
        """,
    ),
    "names beside values": (
        solved(Board.parallelogram(1, 1)),
        {"names": True},
        r"""
        |     .---------.
        |    / \ 1   1 /
        |   / 1 \r1c2 /
        |  /r1c1 \ 3 /
        | / 0   3 \ /
        |.---------.
        """,
    ),
    "names beside edges": (
        solved(Board.parallelogram(1, 1), "edges"),
        {"names": True},
        r"""
        |     .---------.
        |    / \   3   /
        |   /1 1\r1c2 /
        |  /r1c1 \1 1/
        | /   3   \ /
        |.---------.
        """,
    ),
    "two cells touching at a point": (
        Board([Cell(0, 0, True), Cell(-1, -1, False)]),
        {"names": True},
        r"""
        |            .
        |           / \
        |          /   \
        |         /r1c3 \
        |.-------.-------.
        | \r2c1 /
        |  \   /
        |   \ /
        |    .
        """,
    ),
    "two parts": (
        Board([Cell(0, 0, True), Cell(2, 0, True)]),
        {},
        r"""
        |    .               .
        |   / \             / \
        |  /   \           /   \
        | /     \         /     \
        |.-------.       .-------.
        """,
    ),
    "a hole of one cell is no cell": (
        Board.triangle(3).without(["r2c3"]),
        {},
        r"""
        |            .
        |           / \
        |          /   \
        |         /     \
        |        .-------.
        |       / \#####/ \
        |      /   \###/   \
        |     /     \#/     \
        |    .-------.-------.
        |   / \     / \     / \
        |  /   \   /   \   /   \
        | /     \ /     \ /     \
        |.-------.-------.-------.
        """,
    ),
    "a ring": (
        Board.drawing(".^v^v^.\n^v...v^\nv^...^v\n.v^v^v."),
        {},
        r"""
        |        .-------.-------.
        |       / \     / \     / \
        |      /   \   /   \   /   \
        |     /     \ /     \ /     \
        |    .-------.-------.-------.
        |   / \     /         \     / \
        |  /   \   /           \   /   \
        | /     \ /             \ /     \
        |.-------.               .-------.
        | \     / \             / \     /
        |  \   /   \           /   \   /
        |   \ /     \         /     \ /
        |    .-------.-------.-------.
        |     \     / \     / \     /
        |      \   /   \   /   \   /
        |       \ /     \ /     \ /
        |        .-------.-------.
        """,
    ),
    "clues at corners": (
        Puzzle(
            HEXAGON,
            clues=[
                {"corner": "r2c1.bottom", "value": 3},
                {"cell": "r1c2", "tile": "012"},
                {"cell": "r2c3", "tile": "12W", "corner": "bottom"},
            ],
        ),
        {},
        r"""
        |    .-------.
        |   / \     / \
        |  /   \012/   \
        | /     \ /     \
        |.-------.-------.
        | \     / \ W 2 /
        |  \   /   \ 1 /
        |   \ /     \ /
        |    3-------.
        """,
    ),
    "clues at edges, with names": (
        Puzzle(
            Board.triangle(2),
            "macmahon",
            border=4,
            clues=[{"cell": "r2c2", "tile": "123", "edge": "top"}, {"cell": "r2c1", "tile": "244"}],
        ),
        {"names": True},
        r"""
        |          .
        |         / \
        |        4   4
        |       /     \
        |      / r1c2  \
        |     .---------.
        |    / \   1   / \
        |   4   \r2c2 /   4
        |  / 244 \2 3/     \
        | / r2c1  \ / r2c3  \
        |.----4----.----4----.
        """,
    ),
    "one value on the border": (
        Puzzle(Board.triangle(2), border="same"),
        {},
        r"""
        |        =
        |       / \
        |      /   \
        |     /     \
        |    =-------=
        |   / \     / \
        |  /   \   /   \
        | /     \ /     \
        |=-------=-------=
        """,
    ),
    "a known value on an edge between cells, five lines to a row": (
        Puzzle(
            Board.parallelogram(2, 1),
            "macmahon",
            clues=[{"edge": "r1c1.right", "value": 1}, {"cell": "r1c4", "tile": "234", "edge": "top"}],
        ),
        {"names": True},
        r"""
        |     .---------.---------.
        |    / \ r1c2  / \   2   /
        |   /   1     /   \r1c4 /
        |  /     \   /     \3 4/
        | / r1c1  \ / r1c3  \ /
        |.---------.---------.
        """,
    ),
    "a strip too wide for the usual size": (
        solved(Board.parallelogram(10, 1)),
        {},
        r"""
        |   .-----.-----.-----.-----.-----.-----.-----.-----.-----.-----.
        |  /1\1 1/1\1 1/1\1 1/1\1 1/1\1 1/1\1 1/1\1 1/1\1 1/1\1 1/1\1 1/
        | /0 3\3/3 2\2/2 1\1/1 0\0/0 3\3/3 2\2/2 1\1/1 0\0/0 3\3/3 2\2/
        |.-----.-----.-----.-----.-----.-----.-----.-----.-----.-----.
        """,
    ),
    "the same with names": (
        Board([Cell.at(row, column) for row in (0, 1) for column in range(20 + row)]),
        {"names": True},
        r"""
        |.-----.-----.-----.-----.-----.-----.-----.-----.-----.-----.-----.
        | \c1 / \c3 / \c5 / \c7 / \c9 / \c11/ \c13/ \c15/ \c17/ \c19/ \c21/
        |r1\ /c2 \ /c4 \ /c6 \ /c8 \ /c10\ /c12\ /c14\ /c16\ /c18\ /c20\ /
        |   .-----.-----.-----.-----.-----.-----.-----.-----.-----.-----.
        |r2/ \c2 / \c4 / \c6 / \c8 / \c10/ \c12/ \c14/ \c16/ \c18/ \c20/
        | /c1 \ /c3 \ /c5 \ /c7 \ /c9 \ /c11\ /c13\ /c15\ /c17\ /c19\ /
        |.-----.-----.-----.-----.-----.-----.-----.-----.-----.-----.
        """,
    ),
    "no cells": (Board([]), {}, "|(empty board)"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_exact_text(name: str) -> None:
    thing, options, drawing = TEXTS[name]
    assert thing.text(**options) == lines(drawing)


def test_a_board_of_73_cells_fits_the_terminal_with_its_names() -> None:
    board = Board.hexagon([4, 3, 4, 3, 4, 3])
    text = solved(board).text(names=True)
    assert max(map(len, text.splitlines())) == 71
    assert all(name in text for name in board.names())


def test_cells_too_far_apart_are_listed() -> None:
    board = Board([Cell(-1_000_000, 0, True), Cell(0, 0, True), Cell(1_000_000, 1_000_000, False)])
    assert board.text() == "r1c5000002\nr1000001c1\nr1000001c2000001"
    puzzle = Puzzle(
        board,
        clues=[{"cell": "r1000001c1", "tile": "012"}, {"corner": "r1c5000002.left", "value": 3}],
    )
    assert puzzle.text(names=True) == "r1c5000002\nr1000001c1 012\nr1000001c2000001\nr1c5000002.left 3"
    assert Solution(puzzle, {board.cells[0]: "321"}).text(color=True).startswith("r1c5000002 321\n")
    root = ElementTree.fromstring(board.svg())
    assert float(root.get("width", "")) <= 4_000
    assert len(board.svg()) < 3_000


def test_an_unknown_thing_is_refused() -> None:
    for draw in (picture.text, picture.svg):
        with pytest.raises(
            TypeError, match="no picture of a str: expected a Board, a Puzzle, a Solution or a Position"
        ):
            draw("hexagon")  # type: ignore[operator]
    with pytest.raises(ValueError, match="no style 'dots': expected pips, digits or colors"):
        HEXAGON.svg(style="dots")
    with pytest.raises(ValueError, match="no theme 'sepia': expected light, dark or auto"):
        HEXAGON.svg(theme="sepia")
    with pytest.raises(ValueError, match="'0<2' is not a tile"):
        Solution(Puzzle(DOWN), {Cell(0, 0, False): "0<2"}).svg()


# -- what a reader gets back --------------------------------------------------------------------------


@st.composite
def boards(draw: st.DrawFn) -> Board:
    """Up to 40 cells in a small window somewhere on the lattice, often with holes and in several parts."""
    places = draw(st.sets(st.tuples(st.integers(0, 4), st.integers(0, 9)), min_size=1, max_size=40))
    row, column = draw(st.tuples(st.integers(-9, 9), st.integers(-9, 9)))
    return Board(Cell.at(row + y, column + x) for y, x in places)


@st.composite
def solutions(draw: st.DrawFn, values: str = "0123456789W") -> Solution:
    """A board with any tiles on some of its cells; they need not match."""
    board = draw(boards())
    puzzle = Puzzle(board, draw(st.sampled_from(["trioker", "macmahon"])))
    tile = st.none() | st.text(values, min_size=3, max_size=3)
    return Solution(puzzle, {cell: text for cell in board if (text := draw(tile)) is not None})


def read_text(text: str, edges: bool) -> tuple[list[str], dict[str, str]]:
    """The names of the cells of a picture with four lines to a row, and its tiles. Knows the layout, nothing else."""
    h = 4
    rows = text.split("\n")
    width = max(map(len, rows))
    rows = [line.ljust(width) for line in rows]
    names, tiles = [], {}
    for r in range(len(rows) // h):
        for c in range(width // h - 1):
            x = (c + 1) * h
            for up in (True, False):
                level = [r * h + (k if up else h - k) for k in range(h + 1)]
                sides = "/\\" if up else "\\/"
                if any(rows[level[k]][x - k] + rows[level[k]][x + k] != sides for k in range(1, h)):
                    continue
                if rows[level[h]][x - h : x + h + 1] != ".-------." or rows[level[0]][x] != ".":
                    continue
                inside = [rows[level[k]][x + 1 - k : x + k] for k in range(1, h)]
                if "#" in inside[0]:
                    continue
                name = f"r{r + 1}c{c + 1}"
                names.append(name)
                at = {"tip": inside[1][1], "left": inside[2][1], "right": inside[2][3]}
                if edges:
                    at = {"base": inside[2][2], "left": inside[1][0], "right": inside[1][2]}
                order = {
                    (True, False): ("left", "right", "tip"),
                    (False, False): ("tip", "right", "left"),
                    (True, True): ("base", "right", "left"),
                    (False, True): ("right", "base", "left"),
                }
                tile = "".join(at[part] for part in order[up, edges])
                if tile.strip():
                    tiles[name] = tile
    return names, tiles


@given(solutions())
def test_a_reader_of_the_text_gets_board_and_solution_back(solution: Solution) -> None:
    text = solution.text()
    assert text.isascii()
    assert all(line == line.rstrip() for line in text.split("\n"))
    names, tiles = read_text(text, solution.puzzle.match == "edges")
    assert names == solution.puzzle.board.names()
    assert tiles == dict(solution)
    plain = str.maketrans("╱╲─•░", "/\\-.#")
    assert solution.text(unicode=True).translate(plain) == text


@given(solutions(), st.booleans(), st.booleans())
def test_colour_only_adds_escape_codes_around_the_values(solution: Solution, names: bool, unicode: bool) -> None:
    coloured = solution.text(color=True, names=names, unicode=unicode)
    assert re.sub("\x1b\\[[0-9;]*m", "", coloured) == solution.text(names=names, unicode=unicode)
    wrapped = re.findall("\x1b\\[[0-9;]+m(.)\x1b\\[0m", coloured)
    assert sorted(wrapped) == sorted("".join(solution.values()))


@given(boards())
def test_every_name_stands_in_the_picture(board: Board) -> None:
    words = re.findall("r[0-9]+c[0-9]+", board.text(names=True))
    assert sorted(words) == sorted(board.names())


def numbers(text: str | None) -> list[float]:
    return [float(word) for word in re.findall(r"-?[\d.]+", text or "")]


def polygon(path: str | None) -> list[tuple[float, float]]:
    """The corners of a path; a round corner is where its bend points to, and an arc is its chord."""
    corners: list[tuple[float, float]] = []
    for command, rest in re.findall(r"([MLQA])([^MLQAZ]*)", path or ""):
        xy = numbers(rest)
        if command == "Q":
            # What came last was only where the bend begins.
            corners[-1] = xy[0], xy[1]
        else:
            corners.append((xy[-2], xy[-1]))
    return corners


def holds(corners: list[tuple[float, float]], x: float, y: float) -> bool:
    """Whether a polygon has the place inside."""
    sides = zip(corners, corners[1:] + corners[:1], strict=True)
    return sum((b > y) != (d > y) and x < a + (c - a) * (y - b) / (d - b) for (a, b), (c, d) in sides) % 2 == 1


def read_pips(svg: str) -> dict[str, str]:
    """The tiles of an SVG picture with pips at the corners, from the places of the pips alone."""
    tiles = {}
    for group in ElementTree.fromstring(svg).iter(f"{SVG}g"):
        corners = sorted(polygon(next(p for p in group.iter(f"{SVG}path") if p.get("class") == "ts-tile").get("d")))
        left, middle, right = corners
        # Anticlockwise on a sheet whose y grows downward: left, right, top; or bottom, right, left.
        order = [left, right, middle] if middle[1] < left[1] else [middle, right, left]
        shown: list[list[str]] = [[], [], []]
        for mark in group:
            if mark.get("class") == "ts-pip":
                x, y = float(mark.get("cx", "")), float(mark.get("cy", ""))
            elif "ts-wild" in mark.get("class", ""):
                outline = polygon(mark.get("d"))
                x, y = sum(x for x, _ in outline) / 4, sum(y for _, y in outline) / 4
            else:
                continue
            near = min(range(3), key=lambda k: (order[k][0] - x) ** 2 + (order[k][1] - y) ** 2)
            shown[near].append("." if mark.get("class") == "ts-pip" else "W")
        tiles[group.get("data-cell", "")] = "".join("W" if "W" in s else str(len(s)) for s in shown)
    return tiles


@given(solutions("0123W"))
def test_a_reader_of_the_pips_gets_the_solution_back(solution: Solution) -> None:
    corners = Solution(Puzzle(solution.puzzle.board), solution.cells)
    for outlines in (True, False):
        assert read_pips(corners.svg(outlines=outlines)) == dict(solution)


def test_pips_lie_apart_and_within_their_tile() -> None:
    for match in ("corners", "edges"):
        tiles = [f"{a}{b}{c}" for a in range(4) for b in range(4) for c in range(4)]
        board = Board.parallelogram(32, 1)
        solution = Solution(Puzzle(board, "trioker", match=match), dict(zip(board, tiles, strict=True)))
        root = ElementTree.fromstring(solution.svg(style="pips"))
        for group in root.iter(f"{SVG}g"):
            tile = polygon(next(group.iter(f"{SVG}path")).get("d"))
            pips = [tuple(float(pip.get(key, "")) for key in ("cx", "cy", "r")) for pip in group.iter(f"{SVG}circle")]
            assert all(hypot(a - c, b - d) > r + s + 3 for (a, b, r), (c, d, s) in combinations(pips, 2))
            for x, y, r in pips:
                around = [(x + (r + 2) * cos(turn), y + (r + 2) * sin(turn)) for turn in range(7)]
                assert all(holds(tile, *place) for place in around)


@given(solutions(), st.booleans())
def test_a_side_has_the_colours_of_its_ends_or_of_its_own_value(solution: Solution, outlines: bool) -> None:
    """So regions go on in the next tile: up to the middle of a side lies the value of its one end, then the other's."""
    board, edges = solution.puzzle.board, solution.puzzle.match == "edges"
    root = ElementTree.fromstring(solution.svg(style="colors", outlines=outlines, labels=False))
    groups = {group.get("data-cell", ""): group for group in root.iter(f"{SVG}g")}
    for name, placed in solution.items():
        pieces = [(path.get("class", ""), polygon(path.get("d"))) for path in groups[name] if path.tag == f"{SVG}path"]
        regions = [(kind, corners) for kind, corners in pieces if "ts-pip" not in kind]
        xs, ys = zip(*(at for _, corners in regions for at in corners), strict=True)
        left, right, low, high = min(xs), max(xs), min(ys), max(ys)
        middle = (left + right) / 2
        tips = [(left, high), (right, high), (middle, low)]
        if not board.cell(name).up:
            tips = [(middle, high), (right, low), (left, low)]
        centre = middle, sum(y for _, y in tips) / 3
        for k, (a, b) in enumerate(zip(tips, tips[1:] + tips[:1], strict=True)):
            for share in (0.1, 0.3, 0.45, 0.55, 0.7, 0.9):
                x, y = (a[i] + (b[i] - a[i]) * share for i in (0, 1))
                x, y = x + (centre[0] - x) * 0.05, y + (centre[1] - y) * 0.05
                value = placed[k] if edges or share < 0.5 else placed[(k + 1) % 3]
                on_top = [kind for kind, corners in regions if holds(corners, x, y)][-1]
                assert on_top == ("ts-tile" if value == "W" else f"ts-v{value}")


looks = st.fixed_dictionaries(
    {
        "names": st.booleans(),
        "style": st.sampled_from([None, "pips", "digits", "colors"]),
        "theme": st.sampled_from(["light", "dark", "auto"]),
        "labels": st.sampled_from([None, True, False]),
        "clues": st.booleans(),
        "outlines": st.booleans(),
    }
)


@given(solutions(), looks)
def test_svg_is_sound(solution: Solution, look: dict) -> None:
    for thing in (solution, solution.puzzle, solution.puzzle.board):
        svg = thing.svg(**look)
        root = ElementTree.fromstring(svg)
        assert svg == thing.svg(**look)
        assert root.get("role") == "img"
        assert root.get("aria-label") == root.findtext(f"{SVG}title")
        assert root.findtext(f"{SVG}desc") == thing.text(names=look["names"])
        assert all(path.get("d") for path in root.iter(f"{SVG}path"))
        used = {word for element in root.iter() for word in element.get("class", "").split() if word[:3] == "ts-"}
        ruled = set(re.findall(r"\.(ts-\w+)\{", root.findtext(f"{SVG}style") or ""))
        assert used - {"ts-wild"} <= ruled
        assert not re.search(r"\d\.\d{3}|\de[-+]?\d|nan|inf", svg.partition("</style>")[2])
        assert not any("id" in element.attrib or element.tag == f"{SVG}text" for element in root.iter())
        # Everything lies on the sheet.
        _, _, width, height = numbers(root.get("viewBox"))
        for circle in root.iter(f"{SVG}circle"):
            assert 0 < float(circle.get("cx", "")) < width
            assert 0 < float(circle.get("cy", "")) < height


def test_rules_hold_within_pictures_of_the_same_rules() -> None:
    """Pictures of all sorts on one page: an element is reached by the rules of its own picture and no others."""
    things = [solved(HEXAGON), solved(HEXAGON, "edges"), HEXAGON]
    scopes: dict[str, str] = {}
    for theme in ("light", "dark", "auto"):
        for svg in [thing.svg(theme=theme, names=True) for thing in things]:
            root = ElementTree.fromstring(svg)
            rules = root.findtext(f"{SVG}style") or ""
            scope = root.get("class") or ""
            assert re.fullmatch("trisolve-[0-9a-f]{8}", scope)
            assert scopes.setdefault(scope, rules) == rules
            selectors = re.findall(r"([^{}\n]+)\{[^{}]+\}", rules)
            assert len(selectors) > 15
            assert all(re.fullmatch(rf"\.{scope} \.ts-\w+", selector) for selector in selectors)
    assert len(scopes) == 3


def test_auto_is_light_until_the_reader_wants_dark() -> None:
    light, dark, auto = (re.sub(r"\.trisolve-\w+ ", "", style_sheet(theme)[1]) for theme in ("light", "dark", "auto"))
    by_day, _, by_night = auto.partition("\n@media (prefers-color-scheme:dark){\n")
    assert by_day == light
    # In the same order too: of two rules for one element the later holds.
    assert by_night == f"{dark}\n}}"
    assert light != dark


def rules(sheet: str) -> dict[str, str]:
    """What a style sheet says of each class."""
    return dict(re.findall(r"\.(ts-\w+)\{([^}]*)\}", sheet))


def colour(theme: str, kind: str, what: str) -> str:
    return re.findall(rf"(?:^|;){what}:(#\w+)", rules(style_sheet(theme)[1])[f"ts-{kind}"])[0]


def linear(colour: str) -> list[float]:
    """The shares of red, green and blue light of a colour like #fff or #1c1a17."""
    digits = colour[1:] if len(colour) == 7 else "".join(2 * c for c in colour[1:])
    shares = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    return [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]


def contrast(a: str, b: str) -> float:
    """The contrast of two colours as WCAG 2 defines it, from 1 to 21."""
    dim, bright = sorted(sum(w * s for w, s in zip((0.2126, 0.7152, 0.0722), linear(c), strict=True)) for c in (a, b))
    return (bright + 0.05) / (dim + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_what_is_to_be_read_stands_out(theme: str) -> None:
    tile, slot = colour(theme, "tile", "fill"), colour(theme, "slot", "fill")
    assert contrast(colour(theme, "pip", "fill"), tile) >= 7
    assert contrast(colour(theme, "ink", "stroke"), tile) >= 7
    assert contrast(colour(theme, "ring", "stroke"), colour(theme, "halo", "stroke")) >= 7
    assert contrast(colour(theme, "name", "stroke"), tile) >= 4.5
    assert contrast(colour(theme, "mark", "stroke"), slot) >= 4.5
    assert contrast(colour(theme, "dim", "stroke"), slot) >= 4.5
    for value in "0123456789":
        ink = colour(theme, "white" if value in WHITE_INK else "dark", "stroke")
        assert contrast(ink, colour(theme, f"v{value}", "fill")) >= 4.5


# What those see who lack one of the three kinds of cones: matrices on linear light, at full severity, from
# Machado, Oliveira and Fernandes, A Physiologically-based Model for Simulation of Color Vision Deficiency (2009).
EYES = {
    "usual": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritan": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
XYZ = ((0.4124564, 0.3575761, 0.1804375), (0.2126729, 0.7151522, 0.0721750), (0.0193339, 0.1191920, 0.9503041))


def times(matrix: tuple, vector: list[float]) -> list[float]:
    return [sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix]


def lab(light: list[float]) -> tuple[float, float, float]:
    """The place of a colour in CIELAB."""
    shares = zip(times(XYZ, [min(1.0, max(0.0, s)) for s in light]), (0.95047, 1.0, 1.08883), strict=True)
    x, y, z = (
        t ** (1 / 3) if (t := s / white) > (6 / 29) ** 3 else t * (29 / 6) ** 2 / 3 + 4 / 29 for s, white in shares
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def difference(one: tuple[float, float, float], other: tuple[float, float, float]) -> float:
    """CIEDE2000."""
    (l1, a1, b1), (l2, a2, b2) = one, other

    def weight(c: float) -> float:
        return sqrt(c**7 / (c**7 + 25**7))

    stretch = 1.5 - 0.5 * weight((hypot(a1, b1) + hypot(a2, b2)) / 2)
    c1, c2 = hypot(stretch * a1, b1), hypot(stretch * a2, b2)
    h1, h2 = degrees(atan2(b1, stretch * a1)) % 360, degrees(atan2(b2, stretch * a2)) % 360
    turn = (h2 - h1 + 180) % 360 - 180 if c1 * c2 else 0.0
    hue = h1 + turn / 2 if c1 * c2 else h1 + h2
    bright, chroma = (l1 + l2) / 2, (c1 + c2) / 2
    parts = ((-30, 1, -0.17), (0, 2, 0.24), (6, 3, 0.32), (-63, 4, -0.20))
    t = 1 + sum(size * cos(radians(times * hue + shift)) for shift, times, size in parts)
    dl = (l2 - l1) / (1 + 0.015 * (bright - 50) ** 2 / sqrt(20 + (bright - 50) ** 2))
    dc = (c2 - c1) / (1 + 0.045 * chroma)
    dh = 2 * sqrt(c1 * c2) * sin(radians(turn / 2)) / (1 + 0.015 * chroma * t)
    bend = -sin(radians(60 * exp(-(((hue % 360 - 275) / 25) ** 2)))) * 2 * weight(chroma)
    return sqrt(dl**2 + dc**2 + dh**2 + bend * dc * dh)


def test_the_colour_difference_is_that_of_the_literature() -> None:
    """Three of the pairs of Sharma, Wu and Dalal, The CIEDE2000 color-difference formula (2005)."""
    assert difference((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485)) == pytest.approx(2.0425, abs=1e-4)
    assert difference((50.0, 2.49, -0.001), (50.0, -2.49, 0.0011)) == pytest.approx(7.2195, abs=1e-4)
    assert difference((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514)) == pytest.approx(0.9082, abs=1e-4)


@pytest.mark.parametrize("eyes", EYES)
@pytest.mark.parametrize(("values", "least"), [(5, 20), (7, 17), (10, 13)])
def test_colours_are_told_apart_by_everybody(eyes: str, values: int, least: float) -> None:
    seen = [lab(times(EYES[eyes], linear(color))) for color in COLORS[:values]]
    assert min(difference(a, b) for a, b in combinations(seen, 2)) >= least


def test_clues_are_marked_in_a_solution() -> None:
    puzzle = ts.load("three-clues")
    solution = ts.solve(puzzle)
    assert solution is not None
    root = ElementTree.fromstring(solution.svg(clues=True))
    rings = [e for e in root.iter() if e.get("class") == "ts-ring"]
    assert [bool(ring.get("stroke-dasharray")) for ring in rings] == [False, True]
    assert len([e for e in root.iter() if e.get("class") == "ts-known"]) == 1
    assert "ts-ring" not in str(solution.svg()).partition("</style>")[2]
    bordered = Puzzle(HEXAGON, "macmahon", border="same")
    for thing in (bordered, Solution(bordered, solved(HEXAGON, "edges").cells)):
        root = ElementTree.fromstring(thing.svg(clues=True))
        assert len([e for e in root.iter() if "ts-known" in e.get("class", "")]) == 6


@pytest.mark.parametrize(
    ("match", "style", "labels", "digits"),
    [
        ("corners", "pips", None, 0),
        ("corners", "pips", True, 18),
        ("corners", "digits", False, 18),
        ("corners", "colors", None, 18),
        ("corners", "colors", False, 0),
        ("edges", None, None, 18),
        ("edges", None, False, 0),
    ],
)
def test_labels(match: str, style: str | None, labels: bool | None, digits: int) -> None:
    root = ElementTree.fromstring(solved(HEXAGON, match).svg(style=style, labels=labels))
    assert sum(e.get("transform") is not None for e in root.iter()) == digits


@given(st.text())
@settings(max_examples=200)
def test_any_title_gives_well_formed_svg(title: str) -> None:
    svg = Puzzle(DOWN, title=f"<&>\"'\x00\ud800{title}").svg()
    root = ElementTree.fromstring(svg.encode("utf-8"))
    assert (root.findtext(f"{SVG}title") or "").startswith("<&>\"'\ufffd\ufffd")


def test_the_style_follows_the_puzzle() -> None:
    def marks(thing: Board | Puzzle | Solution, **options: str) -> set[str]:
        root = ElementTree.fromstring(thing.svg(**options))
        return {word for e in root.iter() for word in e.get("class", "").split()} & {"ts-pip", "ts-ink", "ts-v1"}

    assert marks(solved(HEXAGON)) == {"ts-pip"}
    assert marks(solved(HEXAGON), style="colors") == {"ts-v1", "ts-ink"}
    assert marks(solved(HEXAGON, "edges")) == {"ts-v1", "ts-ink"}
    assert marks(solved(HEXAGON, "edges"), style="pips") == {"ts-pip"}
    high = Solution(Puzzle(DOWN, "triominoes"), {Cell(0, 0, False): "000"})
    assert marks(high) == marks(high, style="pips") == {"ts-ink"}


def test_a_notebook_shows_the_picture() -> None:
    solution = solved(HEXAGON)
    assert solution._repr_svg_() == solution.svg() == solution.svg()._repr_svg_()  # type: ignore[attr-defined]


def test_the_largest_boards_are_drawn() -> None:
    solution = solved(Board.parallelogram(100, 50))
    assert len(read_text(solution.text(), False)[1]) == 10_000
    assert len(read_pips(solution.svg())) == 10_000


# -- files --------------------------------------------------------------------------------------------


def test_files_by_ending(tmp_path: Path) -> None:
    pytest.importorskip("resvg_py")
    solution = solved(HEXAGON)
    for name in ("a.svg", "a.TXT", "a.png"):
        picture.write(solution, tmp_path / name, names=True)
    assert (tmp_path / "a.svg").read_text("utf-8") == solution.svg(names=True)
    assert (tmp_path / "a.TXT").read_text("utf-8") == solution.text(names=True) + "\n"
    png = (tmp_path / "a.png").read_bytes()
    width, height = struct.unpack(">II", png[16:24])
    shown = ElementTree.fromstring(solution.svg(names=True))
    assert png.startswith(b"\x89PNG")
    assert abs(width - 2 * float(shown.get("width", ""))) <= 2
    assert abs(height - 2 * float(shown.get("height", ""))) <= 2
    assert {p.name for p in tmp_path.iterdir()} == {"a.svg", "a.TXT", "a.png"}


def test_names_are_in_the_png_without_any_font() -> None:
    pytest.importorskip("resvg_py")
    bare = ElementTree.fromstring(HEXAGON.svg(names=True))
    for group in bare.findall(f"{SVG}g"):
        bare.remove(group)
    import resvg_py

    blank = bytes(resvg_py.svg_to_bytes(svg_string=ElementTree.tostring(bare, "unicode"), zoom=2))
    assert len(picture.png(HEXAGON, names=True)) > len(blank) + 1_000


@pytest.mark.parametrize("name", ["a.jpg", "a", "svg", "a.svg.gz"])
def test_an_unknown_ending_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"names no picture format, expected one of \.svg, \.png, \.pdf, \.txt$"):
        picture.check_ending(name)
    with pytest.raises(ValueError, match="names no picture format"):
        picture.write(HEXAGON, tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_png_without_its_package_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picture, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match=r"^a\.png: PNG needs resvg-py, expected pip install 'trisolve\[png\]'$"):
        picture.check_ending("a.png")
    assert picture.check_ending("a.svg") == ".svg"


@pytest.mark.parametrize("fails", ["fsync", "replace"])
def test_a_failed_write_leaves_the_old_file_and_nothing_else(
    fails: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "a.svg"
    target.write_text("old")

    def fail(*args: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(*("os.fsync", fail) if fails == "fsync" else ("pathlib.Path.replace", fail))
    with pytest.raises(OSError, match="the disk is full"):
        picture.write(HEXAGON, target)
    assert [p.name for p in tmp_path.iterdir()] == ["a.svg"]
    assert target.read_text() == "old"


def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        picture.write(HEXAGON, tmp_path / "nowhere" / "a.svg")


def test_a_file_has_the_usual_rights_and_a_link_is_followed(tmp_path: Path) -> None:
    usual, real, link = tmp_path / "usual", tmp_path / "real.txt", tmp_path / "link.txt"
    usual.touch()
    link.symlink_to(real)
    picture.write(HEXAGON, link)
    assert link.is_symlink()
    assert real.read_text() == HEXAGON.text() + "\n"
    assert real.stat().st_mode == usual.stat().st_mode


# -- the command line ---------------------------------------------------------------------------------


def test_options_of_the_command_reach_the_picture(trisolve: Command, tmp_path: Path) -> None:
    options = "--style colors --theme dark --no-labels --clues --no-outlines --names"
    assert trisolve("solve", "three-clues", *options.split(), "-o", "s.svg").returncode == 0
    solution = ts.solve(ts.load("three-clues"))
    assert solution is not None
    look = {"style": "colors", "theme": "dark", "labels": False, "clues": True, "outlines": False, "names": True}
    assert (tmp_path / "s.svg").read_text("utf-8") == solution.svg(**look)
    assert trisolve("show", "three-clues", "--labels", "-o", "b.svg").returncode == 0
    assert (tmp_path / "b.svg").read_text("utf-8") == solution.puzzle.svg(names=True, labels=True)
    assert "r2c1" in trisolve("solve", "small-hexagon", "--names").stdout


@pytest.mark.parametrize(
    ("command", "vain"),
    [
        ("solve hexagon --style pips --no-outlines", "--style, --outlines need"),
        ("solve hexagon --theme dark -o s.json", "--theme needs"),
        ("solve hexagon --json --names", "--names needs"),
        ("sample hexagon --clues -o s.txt", "--clues needs"),
        ("show hexagon --no-labels", "--labels needs"),
        ("moves even-odd --names", "--names needs"),
    ],
)
def test_options_of_a_picture_need_one(trisolve: Command, tmp_path: Path, command: str, vain: str) -> None:
    done = trisolve(*command.split())
    assert done.returncode == 2
    assert f": {vain} a picture, expected -o FILE.svg, .png or .pdf (`trisolve" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_the_page_shows_what_its_commands_make(trisolve: Command, tmp_path: Path) -> None:
    page = (ROOT / "docs" / "pictures.md").read_text("utf-8")
    commands = re.findall(r"^\$ trisolve (.* -o (\w+\.svg))$", page, re.MULTILINE)
    assert len(commands) == len(re.findall("<img ", page)) == 9
    for command, name in commands:
        assert f'src="pictures/{name}"' in page
        shown = (ROOT / "docs" / "pictures" / name).read_text("utf-8")
        if "board-73" in command:
            # What CP-SAT finds differs from version to version.
            assert style_sheet("light")[1] in shown
            continue
        trisolve(*command.split())
        assert (tmp_path / name).read_text("utf-8") == shown, f"{name} is out of date"
