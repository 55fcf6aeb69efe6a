"""A picture taken apart, so that its tiles can be drawn once and used many times.

Galleries and sheets to print show the same placed tiles again and again. :mod:`trisolve.picture.svg` stays the only
place where a tile is drawn: what is here cuts its text at the ``<g data-cell="...">`` that stands around each tile.
A piece is SVG text in the picture's own units, a hundredth of an edge, with y growing downward.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from trisolve.board import Board
from trisolve.lattice import Cell
from trisolve.picture.svg import AROUND, EDGE, HEIGHT, svg

_CELL = re.compile(r'<g data-cell="([^"]*)">(.*?)</g>', re.DOTALL)
_SCOPE = re.compile(r'<svg [^>]*class="([^"]*)"')
_SIZE = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)"')
_PIXELS = re.compile(r'<svg [^>]* width="([\d.]+)"')
_TITLE = re.compile("<title>(.*?)</title>", re.DOTALL)
_TILE_FILL = re.compile(r"\.ts-tile\{fill:(#[0-9a-f]+)")


class Pieces(NamedTuple):
    """The parts of a picture. ``below`` and ``above`` are what lies under and over the contents of the cells."""

    width: float
    height: float
    pixels: float
    """How wide the picture is on a screen."""
    title: str
    """As it stands in the SVG, with what XML reserves escaped."""
    scope: str
    """The class inside which the style sheet holds."""
    style: str
    table: str
    """The ground on which the board lies."""
    below: str
    cells: dict[str, str]
    """What is drawn in each cell, by its name; a cell where nothing is drawn is left out."""
    above: str

    def board(self) -> str:
        """All but the table."""
        return "".join([self.below, *self.cells.values(), self.above])

    def document(self, content: str) -> str:
        """An SVG document of this size and with this style sheet."""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="{self.scope}" width="{self.width}pt" '
            f'height="{self.height}pt" viewBox="0 0 {self.width} {self.height}">'
            f"<style>{self.style}</style>{content}</svg>"
        )

    def tile_color(self) -> str:
        """The colour of a tile, like #fffdf4."""
        found = _TILE_FILL.search(self.style)
        assert found is not None
        return found[1]


def pieces(thing: object, **options: Any) -> Pieces:
    """The picture of a thing in parts; options and errors as in :func:`trisolve.picture.svg.svg`."""
    root, _, rest = svg(thing, **options).partition("</desc>")
    style, _, content = rest.partition("</style>")
    table, _, content = content.rstrip().removesuffix("</svg>").partition("/>")
    size, pixels, scope, title = (pattern.search(root) for pattern in (_SIZE, _PIXELS, _SCOPE, _TITLE))
    assert size is not None
    assert pixels is not None
    assert scope is not None
    assert title is not None
    found = list(_CELL.finditer(content))
    first, last = (found[0].start(), found[-1].end()) if found else (len(content), len(content))
    return Pieces(
        width=float(size[1]),
        height=float(size[2]),
        pixels=float(pixels[1]),
        title=title[1],
        scope=scope[1],
        style=style.partition("<style>")[2].strip(),
        table=f"{table.strip()}/>",
        below=content[:first].strip(),
        cells={cell[1]: cell[2] for cell in found},
        above=content[last:].strip(),
    )


def corner(board: Board, cell: Cell) -> tuple[float, float]:
    """Where the upper left corner of a cell's bounding box is in the picture of a board."""
    row, column = board.position(cell)
    return AROUND + column * EDGE / 2, AROUND + row * HEIGHT
