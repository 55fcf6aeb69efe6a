"""The picture as SVG: tiles as they lie on a table.

There are three ways to show a value. *Pips* stand in the corners, as on the Trioker tiles, and a wild corner has a
small square. *Digits* stand in their place. *Colors* give each value its region of the tile. All curves meet the
sides of a cell in the middle and at right angles, so the regions of neighbouring tiles flow into one patch, and a
solution becomes a map of its values; without outlines nothing is left but that map. Where values lie on sides,
regions are the three thirds that meet in the middle of the tile.

Every length is in units of a hundredth of an edge, every number is rounded to two decimals, and what is drawn is a
function of the thing and the options alone, so the same picture has the same bytes. Letters are no text but
strokes, drawn from the small table at the end: no font is needed, so the picture is the same in a browser, in a
notebook, as PNG and as PDF.

Pictures on one page can't disturb each other: there are no ids, and the rules of a style sheet apply inside one
class only, whose name is made from those rules. So a light picture, a dark one, and one that another version
of trisolve left in a notebook, stand side by side. A picture brings its own table, so it looks right on any page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from html import escape
from itertools import pairwise
from math import hypot, sqrt
from typing import Literal, NamedTuple, get_args
from zlib import crc32

from trisolve.lattice import Cell, Edge, Point
from trisolve.picture.text import Scene, draw
from trisolve.tiles import WILD

Style = Literal["pips", "digits", "colors"]
Theme = Literal["light", "dark", "auto"]

EDGE = 100.0
"""Length of an edge in user units."""

HEIGHT = EDGE * sqrt(3) / 2
"""Height of a cell in user units."""

AROUND = 26.0
"""What a picture has beside the board, on each side, in user units."""

PIXELS = 0.8
"""Pixels per user unit; a quarter more when there are names to read."""

MAX_PIXELS = 4_000
"""No picture says that it is wider or higher than this; the viewer scales the drawing down."""

COLORS = (
    "#f6ead0",
    "#f0a830",
    "#3d8fb0",
    "#22365c",
    "#b9455a",
    "#72dfe9",
    "#561414",
    "#446303",
    "#5c55bd",
    "#9bb291",
)
"""The colours of the values 0 to 9. The first four go from light to dark as their pips grow more; any two are told
apart in each of the three kinds of colour blindness."""

WHITE_INK = "34678"
"""The values on whose colours a digit is white."""

_RIM = 9.0
_GAP = 1.6  # From the side of a cell to the tile in it.
_ROUND = 7.0  # From the corner of a tile to where it begins to be round.
_UNDER = 2.0  # How far a region goes on under the next one.
_STRIP = ((6, -3), (EDGE / 2, -3), (EDGE / 2, 3), (6, 3))  # What lies under a joint, along it and across.

_INK = "#1c1a17"

_LIGHT = {
    "table": "#e9e4d8",
    "tray": "#48565c",
    "slot": "#cdc7b7",
    "faint": "#dcd6c8",
    "shade": "#2b363b",
    "tile": "#fffbef",
    "pip": _INK,
    "name": "#6b6350",
    "mark": "#4f4a3b",
}
_DARK = {
    "table": "#141a1f",
    "tray": "#05080a",
    "slot": "#28323b",
    "faint": "#1b2228",
    "shade": "#000",
    "tile": "#465460",
    "pip": "#fbf6e6",
    "name": "#d5dce1",
    "mark": "#a9b8c2",
}


def _rules(theme: Mapping[str, str]) -> dict[str, str]:
    """What each class of element looks like, as CSS."""
    line = "stroke-linecap:round;stroke-linejoin:round"
    table, tray, slot, faint, shade, tile, pip, name, mark = (theme[kind] for kind in _LIGHT)
    return {
        "table": f"fill:{table}",
        "tray": f"fill:{tray};stroke:{tray};stroke-width:{_number(2 * _RIM)};{line}",
        "slot": f"fill:{slot}",
        "faint": f"fill:{faint}",
        "shade": f"fill:{shade}",
        "tile": f"fill:{tile}",
        "mark": f"fill:none;stroke:{mark};stroke-width:4;{line}",
        "pip": f"fill:{pip}",
        "known": f"fill:{tile};stroke:{pip};stroke-width:2.5",
        "halo": f"fill:none;stroke:{tile};stroke-width:7;{line}",
        "ring": f"fill:none;stroke:{pip};stroke-width:4;{line}",
        "ink": f"fill:none;stroke:{pip};stroke-width:2.8;{line}",
        "name": f"fill:none;stroke:{name};stroke-width:1.3;{line}",
        "fine": "stroke-width:0.8",
        "back": f"fill:none;stroke:{tile};stroke-width:4;{line}",
        "dim": f"stroke:{mark}",
        "dark": f"stroke:{_INK}",
        "white": "stroke:#fff",
        **{f"v{value}": f"fill:{color}" for value, color in enumerate(COLORS)},
    }


@cache
def style_sheet(theme: Theme) -> tuple[str, str]:
    """The class that a picture of this theme has, and the style sheet that holds inside this class.

    Every picture of a theme brings the same sheet; a page of many pictures needs it once.
    """
    rules = _rules(_DARK if theme == "dark" else _LIGHT)
    # All of them, since the later of two rules for one element holds.
    night = _rules(_DARK) if theme == "auto" else {}
    scope = f"trisolve-{crc32(repr((rules, night)).encode()):08x}"

    def lines(rules: Mapping[str, str]) -> str:
        return "\n".join(f".{scope} .ts-{kind}{{{css}}}" for kind, css in rules.items())

    dark = f"\n@media (prefers-color-scheme:dark){{\n{lines(night)}\n}}" if night else ""
    return scope, f"{lines(rules)}{dark}"


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

    def __str__(self) -> str:
        return f"{_number(self.x)} {_number(self.y)}"


class Picture(str):
    """SVG text that a notebook shows as a picture."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)


def svg(
    thing: object,
    *,
    names: bool = False,
    style: Style | None = None,
    theme: Theme = "light",
    labels: bool | None = None,
    clues: bool = False,
    outlines: bool = True,
) -> str:
    """The picture of a Board, Puzzle, Solution or Position as a complete SVG document.

    Parameters
    ----------
    names
        Write the name of each cell into it.
    style
        ``"pips"`` (values up to 3; digits when there are higher ones), ``"digits"``, or ``"colors"``: a region of
        the tile for each value. By default colors where sides match, else pips.
    theme
        ``"light"``, ``"dark"``, or ``"auto"``: light or dark as the reader of the page has set it. The default is
        a fixed one because a notebook or a page with a dark theme of its own doesn't tell its pictures.
    labels
        Write each value as a digit too, beside the pips or on its colour. By default on colours only; the style
        digits always does.
    clues
        In a solution, mark what the puzzle gave: a ring around the tiles (dashed where the tile could have been
        turned), and the values that were given, as in the picture of the puzzle.
    outlines
        Leave gaps between the tiles. Without, regions of the same colour flow together.

    Raises TypeError for another thing, ValueError for another style or theme.
    """
    for what, value, choice in (("style", style or "pips", Style), ("theme", theme, Theme)):
        *others, last = get_args(choice)
        if value not in (*others, last):
            raise ValueError(f"no {what} {value!r}: expected {', '.join(others)} or {last}")
    scene = Scene.of(thing, clues=clues)
    chosen: str = style or ("colors" if scene.edges else "pips")
    shown = {value for placed in scene.placed.values() for value in placed if value != WILD}
    if scene.puzzle is not None:
        shown.update(map(str, scene.puzzle.supply.values))
    if chosen == "pips" and max(shown, default="0") > "3":
        chosen = "digits"
    sheet = _Sheet(scene, chosen, names, (chosen == "colors") if labels is None else labels, outlines)
    width, height = sheet.size
    scale = min(PIXELS * (1.25 if names else 1), MAX_PIXELS / max(width, height))
    pixels = [_number(max(1, side * scale)) for side in sheet.size]
    title = escape(scene.title)
    scope, rules = style_sheet(theme)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{scope}" role="img" aria-label="{title}" '
        f'width="{pixels[0]}" height="{pixels[1]}" '
        f'viewBox="0 0 {_number(width)} {_number(height)}">',
        f"<title>{title}</title>",
        f"<desc>{escape(draw(scene, names=names))}</desc>",
        f"<style>\n{rules}\n</style>",
        f'<rect class="ts-table" width="{_number(width)}" height="{_number(height)}" rx="14"/>',
        *sheet.elements(),
        "</svg>",
    ]
    return Picture("\n".join(lines) + "\n")


class _Sheet:
    """A scene with its places on the sheet, and the elements that draw it."""

    def __init__(self, scene: Scene, style: str, names: bool, labels: bool, outlines: bool) -> None:
        self.scene = scene
        self.style = style
        self.names = names
        self.labels = labels
        self.outlines = outlines
        board = scene.board
        self.top = board.cells[0].row + 1 if len(board) else 0
        self.left = board.cells[0].column - board.position(board.cells[0])[1] if len(board) else 0
        across = board.columns + 1 if len(board) else 1
        self.size = Vector(across * EDGE / 2 + 2 * AROUND, max(board.rows, 1) * HEIGHT + 2 * AROUND)

    def place(self, spot: Point | Edge) -> Vector:
        """Where a lattice point (or the middle of an edge) is."""
        if isinstance(spot, Edge):
            return self.place(spot.start).toward(self.place(spot.end), 0.5)
        x, y = spot
        return Vector((2 * x + y - self.left) * EDGE / 2 + AROUND, (self.top - y) * HEIGHT + AROUND)

    def elements(self) -> Iterator[str]:
        scene = self.scene
        triangles = {cell: [self.place(p) for p in cell.corners()] for cell in scene.board}
        shapes = {
            cell: _Shape(corners, *((_GAP, _ROUND) if self.outlines else (0.0, 0.0)))
            for cell, corners in triangles.items()
        }
        # Where cells are meant to stay empty, the tray follows the tiles.
        tray = [corners for cell, corners in triangles.items() if cell in scene.placed or not scene.faint]
        empty = [shape.outline() for cell, shape in shapes.items() if cell not in scene.placed]
        below = {
            "faint": empty if scene.faint else [],
            "tray": [_polygon(corners) for corners in tray],
            "slot": [] if scene.faint else empty,
        }
        if self.outlines:
            below["shade"] = [
                _Shape([Vector(x, y + 2.2) for x, y in triangles[cell]], _GAP, _ROUND).outline()
                for cell in scene.board
                if cell in scene.placed
            ]
        elif self.style == "colors":
            below |= self.seams()
        else:
            below["tile"] = [_polygon(triangles[cell]) for cell in scene.placed]
        for kind, outlines in below.items():
            if outlines:
                yield f'<path class="ts-{kind}" d="{"".join(outlines)}"/>'
        for cell, shape in shapes.items():
            parts = list(self.tile(cell, shape) if cell in scene.placed else self.slot(cell, shape))
            if parts:
                yield f'<g data-cell="{scene.board.name(cell)}">{"".join(parts)}</g>'
        for cell, turned in scene.given.items():
            ring = _Shape(triangles[cell], -0.5, _ROUND).outline()
            dashes = ' stroke-dasharray="10 9"' if turned else ""
            yield f'<path class="ts-halo" d="{ring}"/><path class="ts-ring"{dashes} d="{ring}"/>'
        for spot, value in scene.known.items():
            at = self.place(spot)
            fill, ink = self.paint(value) if self.style == "colors" else ("", "")
            # The tiles of a solution show the value, so a small ring does. On a side it must leave room for a name.
            radius = 7 if scene.solved else 9 if self.names and scene.edges else 14
            yield f'<circle class="ts-known{fill}" cx="{_number(at.x)}" cy="{_number(at.y)}" r="{radius}"/>'
            if not scene.solved:
                yield _written(value, at, 10 if radius < 14 else 15, f"ts-ink{ink}")

    def seams(self) -> dict[str, list[str]]:
        """What lies under the joints of tiles, or the tray would show through: by its class, outlines of strips.

        A strip follows a side of two tiles from one end to the middle, and has the colour of the value there.
        """
        placed, seams = self.scene.placed, dict[str, list[str]]()
        for cell, values in placed.items():
            for k, (side, neighbour) in enumerate(zip(cell.sides(), cell.neighbours(), strict=True)):
                if neighbour not in placed:
                    continue
                for point in side:
                    value = values[k if self.scene.edges else cell.corners().index(point)]
                    if value != WILD:
                        end, middle = self.place(point), self.place(side)
                        # Pointed at the end, so as not to reach beyond the board.
                        way = end.to(middle)
                        strip = [end, *(end.moved(way, far, wide) for far, wide in _STRIP)]
                        seams.setdefault(f"v{value}", []).append(_polygon(strip))
        return seams

    def slot(self, cell: Cell, shape: _Shape) -> Iterator[str]:
        """What stands in a cell without a tile."""
        loose, mark = self.scene.loose.get(cell), self.scene.marks.get(cell)
        at = shape.middle.moved(Vector(0, -1), 9 if self.names else 0)
        if loose:
            yield _written(loose, at, 18, "ts-ink ts-dim")
        if mark is not None:
            ring = f'<circle class="ts-mark" cx="{_number(at.x)}" cy="{_number(at.y)}" r="9"/>'
            a, b, c, d = (at.moved(Vector(x, y), 8) for x, y in ((-1, -1), (1, 1), (1, -1), (-1, 1)))
            yield ring if mark else f'<path class="ts-mark" d="M{a}L{b}M{c}L{d}"/>'
        if self.names:
            below = 13 if loose or mark is not None else 0
            yield _written(self.scene.board.name(cell), shape.middle.moved(Vector(0, 1), below), 11, "ts-name ts-dim")

    def tile(self, cell: Cell, shape: _Shape) -> Iterator[str]:
        placed, edges = self.scene.placed[cell], self.scene.edges
        if self.style == "colors":
            for value, outline in (shape.thirds if edges else shape.regions)(placed):
                yield f'<path class="ts-{"tile" if value == WILD else f"v{value}"}" d="{outline}"/>'
        else:
            yield f'<path class="ts-tile" d="{shape.outline()}"/>'
        pips = self.style == "pips"
        for k, value in enumerate(placed):
            # The value stands a little way in from its corner or from the middle of its side.
            base = shape.cell[k].toward(shape.cell[(k + 1) % 3], 0.5) if edges else shape.cell[k]
            inward = base.to(shape.middle)
            if pips or value == WILD:
                yield from _pips(value, base, inward, _ROWS if edges else _CLUSTERS)
            if value != WILD and (self.labels or self.style == "digits"):
                far, size = self.label(edges)
                ink = self.paint(value)[1] if self.style == "colors" else ""
                yield _written(value, base.moved(inward, far), size, f"{'ts-name' if pips else 'ts-ink'}{ink}")
        if self.names:
            rise, size = _NAME[edges, pips and self.labels]
            at = shape.middle.moved(Vector(0, -1 if cell.up else 1), rise)
            name = self.scene.board.name(cell)
            if self.style == "colors":
                yield _written(name, at, size, "ts-back")
            yield _written(name, at, size, "ts-name ts-fine" if size < 6 else "ts-name")

    def label(self, edges: bool) -> tuple[float, float]:
        """How far in from the corner or side a digit stands, and its height."""
        if self.style == "pips":
            return (21.5, 7.0) if edges else (44.0, 8.0)
        if edges:
            return (14.0, 11.0) if self.names else (15.0, 15.0)
        return (26.0, 14.0) if self.names else (31.0, 22.0) if self.style == "digits" else (28.0, 17.0)

    def paint(self, value: str) -> tuple[str, str]:
        """The classes that fill with the colour of a value, and that draw on it."""
        if not value.isdigit():
            return "", ""
        return f" ts-v{value}", " ts-white" if value in WHITE_INK else " ts-dark"


class _Shape:
    """The tile in a cell: a triangle drawn in from the cell's sides by ``gap``, with corners ``round`` off.

    Corner k of the tile begins to be round at ``before[k]`` and ends at ``after[k]``, anticlockwise.
    """

    def __init__(self, cell: list[Vector], gap: float, round: float) -> None:
        self.cell = cell
        self.gap = gap
        self.middle = _middle(cell)
        self.tips = [corner.toward(self.middle, gap / (HEIGHT / 3)) for corner in cell]
        self.bent = round > 0
        ways = [(tip.to(self.tips[k - 1]), tip.to(self.tips[(k + 1) % 3])) for k, tip in enumerate(self.tips)]
        self.before = [tip.moved(way, round) for tip, (way, _) in zip(self.tips, ways, strict=True)]
        self.after = [tip.moved(way, round) for tip, (_, way) in zip(self.tips, ways, strict=True)]

    def corner(self, k: int) -> str:
        """The way around corner k."""
        return f"L{self.before[k]}Q{self.tips[k]} {self.after[k]}" if self.bent else f"L{self.tips[k]}"

    def outline(self) -> str:
        """The whole tile."""
        return f"M{''.join(map(self.corner, range(3)))[1:]}Z"

    def regions(self, placed: str) -> Iterator[tuple[str, str]]:
        """Values at corners with their regions.

        A value that is alone against two equal ones has the sector around its corner; three values meet in the
        middle of the tile. A region goes on a little way under the next, so that nothing else shows between them.
        """
        most = max(placed, key=placed.count)
        others = [k for k in range(3) if placed[k] != most]
        if not others:
            yield most, self.outline()
        elif len(others) == 1:
            k, following, before = others[0], (others[0] + 1) % 3, others[0] - 1
            for value, radius in ((most, EDGE / 2 - _UNDER), (placed[k], EDGE / 2)):
                # The arc is around the corner of the cell, and reaches to where it meets the sides of the tile.
                reach = sqrt(radius**2 - self.gap**2) - self.gap * sqrt(3)
                start = self.tips[k].moved(self.tips[k].to(self.tips[before]), reach)
                end = self.tips[k].moved(self.tips[k].to(self.tips[following]), reach)
                if value == most:
                    way = f"M{end}{self.corner(following)}{self.corner(before)}L{start}"
                    yield value, f"{way}A{_number(radius)} {_number(radius)} 0 0 1 {end}Z"
                else:
                    yield value, f"M{start}{self.corner(k)}L{end}A{_number(radius)} {_number(radius)} 0 0 0 {start}Z"
        else:
            half, middle = [a.toward(b, 0.5) for a, b in pairwise((*self.tips, self.tips[0]))], self.middle
            along = [a.to(b) for a, b in pairwise((*self.tips, self.tips[0]))]
            far = _UNDER * 2 / sqrt(3)
            first = half[2].moved(along[2], -_UNDER), half[0].moved(along[0], _UNDER)
            yield placed[0], f"M{first[0]}{self.corner(0)}L{first[1]}L{middle.moved(self.tips[0].to(middle), far)}Z"
            second = half[1].moved(along[1], _UNDER), middle.moved(half[0].to(middle), far)
            yield placed[1], f"M{half[0]}{self.corner(1)}L{second[0]}L{second[1]}Z"
            yield placed[2], f"M{half[1]}{self.corner(2)}L{half[2]}L{middle}Z"

    def thirds(self, placed: str) -> Iterator[tuple[str, str]]:
        """Values at sides with their thirds, which go on under each other in the same way."""
        most = max(placed, key=placed.count)
        others = [k for k in range(3) if placed[k] != most]
        if not others:
            yield most, self.outline()
            return
        under = [self.middle.moved(tip.to(self.middle), _UNDER) for tip in self.tips]
        if len(others) == 1:
            k, following, before = others[0], (others[0] + 1) % 3, others[0] - 1
            yield most, self.third(following, self.corner(before), k, under[before])
            yield placed[k], self.third(k, "", following, self.middle)
        else:
            beyond = self.middle.moved(self.middle.to(self.tips[2]), _UNDER)
            for k, apex in enumerate((beyond, under[1], self.middle)):
                yield placed[k], self.third(k, "", (k + 1) % 3, apex)

    def third(self, first: int, between: str, last: int, apex: Vector) -> str:
        """What lies between a place near the middle and the sides from one corner to another."""
        if not self.bent:
            return f"M{apex}L{self.tips[first]}{between}L{self.tips[last]}Z"
        # Each corner is halved: a curve Q through P, Q and R is in its middle at (P + 2Q + R) / 4.
        tips = [self.tips[k] for k in (first, last)]
        inward = [tip.toward(self.before[k], 0.5) for tip, k in zip(tips, (first, last), strict=True)]
        outward = [tip.toward(self.after[k], 0.5) for tip, k in zip(tips, (first, last), strict=True)]
        start, end = (a.toward(b, 0.5) for a, b in zip(inward, outward, strict=True))
        return f"M{apex}L{start}Q{outward[0]} {self.after[first]}{between}L{self.before[last]}Q{inward[1]} {end}Z"


def _pips(value: str, base: Vector, inward: Vector, layout: _Layout) -> Iterator[str]:
    """Up to three pips in from a corner or side, or the square of a wild corner."""
    if value == WILD:
        far = 26 if layout is _CLUSTERS else 13
        square = [base.moved(inward, far + along, across) for along, across in ((-7, -7), (-7, 7), (7, 7), (7, -7))]
        yield f'<path class="ts-pip ts-wild" d="{_polygon(square)}"/>'
        return
    for along, across in layout[int(value)]:
        x, y = base.moved(inward, along, across)
        yield f'<circle class="ts-pip" cx="{_number(x)}" cy="{_number(y)}" r="6"/>'


_Layout = tuple[tuple[tuple[float, float], ...], ...]

# Where the pips of the values 0 to 3 lie: in from the corner or side, and across.
_CLUSTERS: _Layout = ((), ((25, 0),), ((35, -8.5), (35, 8.5)), ((20, 0), (36, -9), (36, 9)))
_ROWS: _Layout = ((), ((10, 0),), ((10, -8), (10, 8)), ((10, -15.5), (10, 0), (10, 15.5)))

# How far a name stands above the middle of a tile (below, in a down cell), and its height: by whether values lie on
# sides, and whether there are both pips and digits.
_NAME = {(False, False): (7.5, 9.0), (False, True): (-20.5, 4.8), (True, False): (-3.5, 5.5), (True, True): (-1.6, 3.6)}


def _middle(corners: list[Vector]) -> Vector:
    return Vector(sum(c.x for c in corners) / 3, sum(c.y for c in corners) / 3)


def _polygon(corners: list[Vector]) -> str:
    """The path data of a closed polygon."""
    return f"M{'L'.join(map(str, corners))}Z"


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
    "=": "M.4 3.2L5.6 3.2M.4 6.8L5.6 6.8",
    "r": "M1.5 3.5L1.5 10M1.5 6C2 4.5 3.2 3.4 5 3.8",
    "c": "M5.5 4.8C5 4 4.2 3.5 3.3 3.5C1.5 3.5 .4 4.9 .4 6.75C.4 8.6 1.5 10 3.3 10C4.2 10 5 9.5 5.5 8.7",
}


def _number(value: float) -> str:
    """The number with at most two decimals, as short as it can be written."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
