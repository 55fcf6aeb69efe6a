"""Pictures: exact texts for small boards, what a reader of the picture gets back, and files."""

from __future__ import annotations

import re
import struct
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trisolve import picture
from trisolve.board import Board
from trisolve.lattice import Cell
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


def read_pips(svg: str) -> dict[str, str]:
    """The tiles of an SVG picture with pips at the corners, from the places of the pips alone."""
    tiles = {}
    for group in ElementTree.fromstring(svg).iter(f"{SVG}g"):
        xy = numbers(next(p for p in group.iter(f"{SVG}path") if p.get("class") == "ts-tile").get("d"))
        corners = sorted(zip(xy[::2], xy[1::2], strict=True))
        left, middle, right = corners
        # Anticlockwise on a sheet whose y grows downward: left, right, top; or bottom, right, left.
        order = [left, right, middle] if middle[1] < left[1] else [middle, right, left]
        shown: list[list[str]] = [[], [], []]
        for mark in group:
            if mark.get("class") == "ts-pip":
                x, y = float(mark.get("cx", "")), float(mark.get("cy", ""))
            elif mark.get("class") == "ts-wild":
                outline = numbers(mark.get("d"))
                x, y = sum(outline[::2]) / 4, sum(outline[1::2]) / 4
            else:
                continue
            near = min(range(3), key=lambda k: (order[k][0] - x) ** 2 + (order[k][1] - y) ** 2)
            shown[near].append("W" if mark.get("class") == "ts-wild" else ".")
        tiles[group.get("data-cell", "")] = "".join("W" if "W" in s else str(len(s)) for s in shown)
    return tiles


@given(solutions("0123W"))
def test_a_reader_of_the_pips_gets_the_solution_back(solution: Solution) -> None:
    corners = Solution(Puzzle(solution.puzzle.board), solution.cells)
    assert read_pips(corners.svg()) == dict(solution)


@given(solutions(), st.booleans(), st.sampled_from([None, "pips", "digits", "colors"]))
def test_svg_is_sound(solution: Solution, names: bool, style: str | None) -> None:
    for thing in (solution, solution.puzzle, solution.puzzle.board):
        svg = thing.svg(names=names, style=style)
        root = ElementTree.fromstring(svg)
        assert svg == thing.svg(names=names, style=style)
        assert root.get("role") == "img"
        assert root.findtext(f"{SVG}desc") == thing.text(names=names)
        assert not re.search(r"\d\.\d{3}|\de[-+]?\d|nan|inf", svg.partition("</style>")[2])
        assert not any("id" in element.attrib or element.tag == f"{SVG}text" for element in root.iter())
        # Everything lies on the sheet.
        _, _, width, height = numbers(root.get("viewBox"))
        for circle in root.iter(f"{SVG}circle"):
            assert 0 < float(circle.get("cx", "")) < width
            assert 0 < float(circle.get("cy", "")) < height


def test_styles_hold_within_the_picture_and_are_the_same_in_all() -> None:
    pictures = [solved(HEXAGON).svg(), solved(HEXAGON, "edges").svg(names=True), HEXAGON.svg()]
    sheets = {ElementTree.fromstring(svg).findtext(f"{SVG}style") or "" for svg in pictures}
    assert len(sheets) == 1
    selectors = [s for rule in re.findall(r"([^{}]+)\{[^}]*\}", sheets.pop()) for s in rule.split(",")]
    assert len(selectors) > 15
    assert all(s.strip().startswith(".trisolve .ts-") for s in selectors)


@given(st.text())
@settings(max_examples=200)
def test_any_title_gives_well_formed_svg(title: str) -> None:
    svg = Puzzle(DOWN, title=f"<&>\"'\x00\ud800{title}").svg()
    root = ElementTree.fromstring(svg.encode("utf-8"))
    assert (root.findtext(f"{SVG}title") or "").startswith("<&>\"'\ufffd\ufffd")


def test_the_style_follows_the_puzzle() -> None:
    def marks(thing: Board | Puzzle | Solution, **options: str) -> set[str]:
        root = ElementTree.fromstring(thing.svg(**options))
        return {word for e in root.iter() for word in e.get("class", "").split()} & {"ts-pip", "ts-ink", "ts-part"}

    assert marks(solved(HEXAGON)) == {"ts-pip"}
    assert marks(solved(HEXAGON), style="colors") == {"ts-part", "ts-ink"}
    assert marks(solved(HEXAGON, "edges")) == {"ts-part", "ts-ink"}
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
    with pytest.raises(ValueError, match=r"names no picture format, expected one of \.svg, \.png, \.txt$"):
        picture.check_ending(name)
    with pytest.raises(ValueError, match="names no picture format"):
        picture.write(HEXAGON, tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_png_without_its_package_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picture, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match=r"^a\.png: PNG needs the package resvg-py, expected it to be installed$"):
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
