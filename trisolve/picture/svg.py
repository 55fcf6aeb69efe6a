"""The picture as SVG: ivory tiles on a dark table, as the game lies there.

Every length is in units of a hundredth of an edge, every number is rounded to two decimals, and what is drawn is a
function of the thing alone, so the same thing gives the same text. Three ways to show a value: pips, as on
the Trioker tiles (a wild corner is a small square); digits; or a coloured third of the tile with its digit.
Values stand where they match, near the corner or the side they belong to.

Letters are no text but strokes, drawn from the small table at the end: no font is needed, so the picture is
the same in a browser, in a notebook and as PNG. Two pictures on one page can't disturb each other: there are no ids,
and the one style sheet, the same in every picture, applies inside ``.trisolve`` only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from html import escape
from math import hypot, sqrt
from typing import Literal, NamedTuple

from trisolve.lattice import Cell, Edge, Point
from trisolve.picture.text import Scene, draw
from trisolve.tiles import WILD

Style = Literal["pips", "digits", "colors"]

EDGE = 100.0
"""Length of an edge in user units."""

PIXELS = 0.6
"""Pixels per user unit; half as many again when there are names to read."""

MAX_PIXELS = 4_000
"""No picture says that it is wider or higher than this; the viewer scales the drawing down."""

_HEIGHT = EDGE * sqrt(3) / 2
_MARGIN = 24.0

# The hues of Okabe and Ito, told apart by the colour-blind too, and two more; with the ink for a digit on each.
_FILLS = ("#bdbdbd", "#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7", "#332288", "#882255")
_LIGHT_INK = "589"

_STYLE = """
.trisolve .ts-table{fill:#2f4550}
.trisolve .ts-slot{fill:#48636f;stroke:#48636f;stroke-width:8;stroke-linejoin:round}
.trisolve .ts-faint{fill:#354e5a;stroke:#354e5a;stroke-width:8;stroke-linejoin:round}
.trisolve .ts-mark{fill:none;stroke:#c3d3da;stroke-width:4;stroke-linecap:round}
.trisolve .ts-shade{fill:#1d2d35;stroke:#1d2d35;stroke-width:9;stroke-linejoin:round}
.trisolve .ts-tile{fill:#fbf6e6;stroke:#fbf6e6;stroke-width:9;stroke-linejoin:round}
.trisolve .ts-part{fill:#e4dcc3;stroke:#fbf6e6;stroke-width:2;stroke-linejoin:round}
.trisolve .ts-pip,.trisolve .ts-wild{fill:#2b2b2b}
.trisolve .ts-known{fill:#fbf6e6;stroke:#1d2d35;stroke-width:3}
.trisolve .ts-ink{fill:none;stroke:#2b2b2b;stroke-width:2.6;stroke-linecap:round;stroke-linejoin:round}
.trisolve .ts-name{fill:none;stroke:#6f6546;stroke-width:1.2;stroke-linecap:round;stroke-linejoin:round}
.trisolve .ts-halo{stroke:#fbf6e6;stroke-width:3}
.trisolve .ts-pale{stroke:#c3d3da}
.trisolve .ts-light{stroke:#fff}
""" + "".join(f".trisolve .ts-v{value}{{fill:{fill}}}\n" for value, fill in enumerate(_FILLS))


class Vector(NamedTuple):
    """A place or direction on the sheet; y grows downward."""

    x: float
    y: float

    def toward(self, other: Vector, share: float) -> Vector:
        """The place that far along the way to another: 0 is here, 1 is there."""
        return Vector(self.x + (other.x - self.x) * share, self.y + (other.y - self.y) * share)

    def moved(self, along: Vector, far: float, across: float = 0.0) -> Vector:
        """The place `far` away in a direction of length 1 and `across` to the side of it."""
        return Vector(self.x + along.x * far - along.y * across, self.y + along.y * far + along.x * across)

    def to(self, other: Vector) -> Vector:
        """The direction to another place, of length 1."""
        x, y = other.x - self.x, other.y - self.y
        length = hypot(x, y)
        return Vector(x / length, y / length)


class Picture(str):
    """SVG text that a notebook shows as a picture."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)


def svg(thing: object, *, names: bool = False, style: Style | None = None) -> str:
    """The picture of a Board, Puzzle or Solution as a complete SVG document.

    Parameters
    ----------
    names
        Write the name of each cell into it.
    style
        ``"pips"`` (values up to 3; digits when there are higher ones), ``"digits"`` or ``"colors"``. By
        default colors where sides match, else pips.

    Raises TypeError for another thing, ValueError for another style.
    """
    scene = Scene.of(thing)
    if style not in (None, "pips", "digits", "colors"):
        raise ValueError(f"no style {style!r}: expected pips, digits or colors")
    chosen: str = style or ("colors" if scene.edges else "pips")
    shown = {value for placed in scene.placed.values() for value in placed if value != WILD}
    if scene.puzzle is not None:
        shown.update(map(str, scene.puzzle.supply.values))
    if chosen == "pips" and max(shown, default="0") > "3":
        chosen = "digits"
    sheet = _Sheet(scene, chosen, names)
    width, height = sheet.size
    scale = min(PIXELS * (1.5 if names else 1), MAX_PIXELS / max(width, height))
    pixels = [_number(max(1, side * scale)) for side in sheet.size]
    title = _escaped(scene.title)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="trisolve" role="img" aria-label="{title}" '
        f'width="{pixels[0]}" height="{pixels[1]}" '
        f'viewBox="0 0 {_number(width)} {_number(height)}">',
        f"<title>{title}</title>",
        f"<desc>{_escaped(draw(scene, names=names))}</desc>",
        f"<style>{_STYLE}</style>",
        f'<rect class="ts-table" width="{_number(width)}" height="{_number(height)}" rx="14"/>',
        *sheet.elements(),
        "</svg>",
    ]
    return Picture("\n".join(lines) + "\n")


class _Sheet:
    """A scene with its places on the sheet, and the elements that draw it."""

    def __init__(self, scene: Scene, style: str, names: bool) -> None:
        self.scene = scene
        self.style = style
        self.names = names
        board = scene.board
        self.top = board.cells[0].row + 1 if len(board) else 0
        self.left = board.cells[0].column - board.position(board.cells[0])[1] if len(board) else 0
        across = board.columns + 1 if len(board) else 1
        self.size = Vector(across * EDGE / 2 + 2 * _MARGIN, max(board.rows, 1) * _HEIGHT + 2 * _MARGIN)

    def place(self, spot: Point | Edge) -> Vector:
        """Where a lattice point (or the middle of an edge) is."""
        if isinstance(spot, Edge):
            return self.place(spot.start).toward(self.place(spot.end), 0.5)
        x, y = spot
        return Vector((2 * x + y - self.left) * EDGE / 2 + _MARGIN, (self.top - y) * _HEIGHT + _MARGIN)

    def elements(self) -> Iterator[str]:
        scene = self.scene
        triangles = {cell: self.triangle(cell) for cell in scene.board}
        slots = [_outline(corners) for cell, corners in triangles.items() if cell not in scene.placed]
        shades = [
            _outline([Vector(x, y + 2) for x, y in triangles[cell]]) for cell in scene.board if cell in scene.placed
        ]
        for kind, outlines in (("faint" if scene.faint else "slot", slots), ("shade", shades)):
            if outlines:
                yield f'<path class="ts-{kind}" d="{"".join(outlines)}"/>'
        for cell, corners in triangles.items():
            name = scene.board.name(cell)
            parts = list(self.tile(cell, corners) if cell in scene.placed else self.slot(cell, corners))
            if parts:
                yield f'<g data-cell="{name}">{"".join(parts)}</g>'
        for spot, value in scene.known.items():
            at = self.place(spot)
            yield f'<circle class="ts-known" cx="{_number(at.x)}" cy="{_number(at.y)}" r="13"/>'
            yield _written(str(value), at, 14, "ts-ink")

    def triangle(self, cell: Cell) -> list[Vector]:
        """The corners of the tile in a cell: the cell's, drawn in by 6 units from each side."""
        corners = [self.place(p) for p in cell.corners()]
        middle = _middle(corners)
        return [corner.toward(middle, 6 / (_HEIGHT / 3)) for corner in corners]

    def slot(self, cell: Cell, corners: list[Vector]) -> Iterator[str]:
        middle = _middle(corners)
        loose = self.scene.loose.get(cell)
        if loose:
            yield _written(loose, middle.moved(Vector(0, -1), 9 if self.names else 0), 15, "ts-ink ts-pale")
        mark = self.scene.marks.get(cell)
        if mark is not None:
            at = middle.moved(Vector(0, -1), 9 if self.names else 0)
            ring = f'<circle class="ts-mark" cx="{_number(at.x)}" cy="{_number(at.y)}" r="8"/>'
            across = [at.moved(Vector(x, y), 7) for x, y in ((-1, -1), (1, 1), (1, -1), (-1, 1))]
            a, b, c, d = (f"{_number(p.x)} {_number(p.y)}" for p in across)
            yield ring if mark else f'<path class="ts-mark" d="M{a}L{b}M{c}L{d}"/>'
        if self.names:
            beside = loose or mark is not None
            yield _written(
                self.scene.board.name(cell), middle.moved(Vector(0, 1), 12 if beside else 0), 11, "ts-name ts-pale"
            )

    def tile(self, cell: Cell, corners: list[Vector]) -> Iterator[str]:
        yield f'<path class="ts-tile" d="{_outline(corners)}"/>'
        middle = _middle(corners)
        for k, value in enumerate(self.scene.placed[cell]):
            # The value stands a little way in from its corner or from the middle of its side.
            base, following, before = corners[k], corners[(k + 1) % 3], corners[k - 1]
            if self.scene.edges:
                part = [base, following, middle]
                base = base.toward(following, 0.5)
            else:
                part = [base, base.toward(following, 0.5), middle, base.toward(before, 0.5)]
            inward = base.to(middle)
            at = base.moved(inward, 8 if self.scene.edges else 18 if self.style == "pips" else 20)
            ink = "ts-ink"
            if self.style == "colors":
                fill = "" if value == WILD else f" ts-v{value}"
                yield f'<path class="ts-part{fill}" d="{_outline(part)}"/>'
                if value in _LIGHT_INK:
                    ink += " ts-light"
            if self.style == "pips":
                yield from _pips(value, at, inward, _ROWS if self.scene.edges else _CLUSTERS)
            else:
                yield _written(value, at, 15 if self.style == "digits" and not self.scene.edges else 11, ink)
        if self.names:
            # Room is left above the values at the base, or between the one at the base and the two others.
            rise, size = (-3.5, 5.5) if self.scene.edges else (7.5, 9.0)
            at = middle.moved(Vector(0, -1 if cell.up else 1), rise)
            name = self.scene.board.name(cell)
            if self.style == "colors":
                yield _written(name, at, size, "ts-name ts-halo")
            yield _written(name, at, size, "ts-name")


def _pips(value: str, at: Vector, inward: Vector, layout: _Layout) -> Iterator[str]:
    """Up to three pips around a place, or the square of a wild corner."""
    if value == WILD:
        square = [at.moved(inward, along, across) for along, across in ((-6, -6), (-6, 6), (6, 6), (6, -6))]
        yield f'<path class="ts-wild" d="{_outline(square)}"/>'
        return
    for along, across in layout[int(value)]:
        x, y = at.moved(inward, along, across)
        yield f'<circle class="ts-pip" cx="{_number(x)}" cy="{_number(y)}" r="5"/>'


_Layout = tuple[tuple[tuple[float, float], ...], ...]

# Where the pips of the values 0 to 3 lie: in from the corner or side, and across.
_CLUSTERS: _Layout = ((), ((0, 0),), ((3.5, -6.5), (3.5, 6.5)), ((-5, 0), (6.2, -6.5), (6.2, 6.5)))
_ROWS: _Layout = ((), ((0, 0),), ((0, -6.5), (0, 6.5)), ((0, -13), (0, 0), (0, 13)))


def _middle(corners: list[Vector]) -> Vector:
    return Vector(sum(c.x for c in corners) / 3, sum(c.y for c in corners) / 3)


def _outline(corners: list[Vector]) -> str:
    """The path data of a closed polygon."""
    return "M" + "L".join(f"{_number(x)} {_number(y)}" for x, y in corners) + "Z"


def _written(text: str, middle: Vector, size: float, style: str) -> str:
    """A path that writes the text in strokes, its capitals and digits of this height, centred at a place."""
    advance = 0.85 * size
    left = -(len(text) * advance - 0.25 * size) / 2
    data = "".join(_character(character, left + i * advance, size) for i, character in enumerate(text))
    where = f"translate({_number(middle.x)} {_number(middle.y)})"
    return f'<path class="{style}" transform="{where}" d="{data}"/>'


@cache
def _character(character: str, left: float, size: float) -> str:
    """The path data of one character that begins at this x, with y = 0 at half its height."""

    def moved(pair: re.Match[str]) -> str:
        x, y = float(pair[1]) / 10, float(pair[2]) / 10
        return f"{_number(left + x * size)} {_number((y - 0.5) * size)}"

    return re.sub(r"([\d.]+) ([\d.]+)", moved, _STROKES[character])


# A character is a box of 6 by 10, y downward; path data with absolute coordinates only.
_STROKES = {
    "0": "M3 0C5 0 6 2 6 5C6 8 5 10 3 10C1 10 0 8 0 5C0 2 1 0 3 0Z",
    "1": "M1 2L3.5 0L3.5 10",
    "2": "M.2 2.7C.2 1.1 1.4 0 3 0C4.6 0 5.8 1.1 5.8 2.7C5.8 4.2 4.8 5.2 3.6 6.4L0 10L6 10",
    "3": "M.4 1.2C1 .4 1.9 0 2.9 0C4.5 0 5.6 1 5.6 2.4C5.6 3.8 4.6 4.7 3 4.7L2.2 4.7"
    "M3 4.7C4.8 4.7 6 5.7 6 7.3C6 9 4.7 10 3 10C1.8 10 .7 9.5 0 8.6",
    "4": "M4.6 10L4.6 0L0 7L6.2 7",
    "5": "M5.5 0L1 0L.5 4.6C1.2 4 2 3.7 3 3.7C4.8 3.7 6 5 6 6.8C6 8.7 4.8 10 3 10C1.7 10 .6 9.4 0 8.5",
    "6": "M5.3 1C4.7 .4 4 0 3.2 0C1.2 0 0 2.2 0 5.6C0 8.4 1.1 10 3 10C4.8 10 6 8.7 6 6.9"
    "C6 5.1 4.8 3.9 3.1 3.9C1.6 3.9 .4 4.9 0 6.4",
    "7": "M0 0L6 0L2 10",
    "8": "M3 4.7C1.5 4.7 .5 3.7 .5 2.4C.5 1 1.6 0 3 0C4.4 0 5.5 1 5.5 2.4C5.5 3.7 4.5 4.7 3 4.7"
    "C1.2 4.7 0 5.8 0 7.3C0 8.9 1.2 10 3 10C4.8 10 6 8.9 6 7.3C6 5.8 4.8 4.7 3 4.7Z",
    "9": "M.7 9C1.3 9.6 2 10 2.8 10C4.8 10 6 7.8 6 4.4C6 1.6 4.9 0 3 0C1.2 0 0 1.3 0 3.1"
    "C0 4.9 1.2 6.1 2.9 6.1C4.4 6.1 5.6 5.1 6 3.6",
    "W": "M0 0L1.5 10L3 3L4.5 10L6 0",
    "r": "M1.5 3.5L1.5 10M1.5 6C2 4.5 3.2 3.4 5 3.8",
    "c": "M5.5 4.8C5 4 4.2 3.5 3.3 3.5C1.5 3.5 .4 4.9 .4 6.75C.4 8.6 1.5 10 3.3 10C4.2 10 5 9.5 5.5 8.7",
}


def _number(value: float) -> str:
    """The number with at most two decimals, as short as it can be written."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _escaped(text: str) -> str:
    """The text with what XML reserves escaped, and what XML can't hold replaced."""
    return escape(_NOT_XML.sub("\ufffd", text))
