"""PDF: the SVG picture on a page, and pages in millimetres for galleries and sheets to print.

There is one drawing path: what svglib reads from the SVG, reportlab puts into the file, as lines and areas, never as
pixels. A drawing that comes often is kept once in the file and stamped where it is wanted. A :class:`Pages` measures in
millimetres, with y growing upward from the bottom of the page, and holds no date and no random name, so the same input
gives the same bytes.

Text is set in a part of DejaVu Sans that lies beside this module: Latin, Greek, Cyrillic, and signs. A character
of another script is shown as an empty box; the title in the file's own data keeps all characters.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from html import unescape
from importlib.resources import as_file, files
from io import BytesIO
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, NamedTuple

from trisolve.picture.pieces import pieces

if TYPE_CHECKING:
    from reportlab.graphics.shapes import Drawing

POINTS = 72 / 25.4
"""Points of a PDF page to a millimetre."""

FONT = "trisolve"

BOX = "\u25a1"
"""Stands for a character that the font doesn't have."""

MAX_PAGES = 500
"""The most pages that a file of sheets or a gallery may have."""


class Paper(NamedTuple):
    """A size of paper, in millimetres."""

    name: str
    width: float
    height: float

    def turned(self) -> Paper:
        """The same paper, lying on its other side."""
        return Paper(self.name, self.height, self.width)


PAPERS = {"a4": Paper("A4", 210.0, 297.0), "letter": Paper("Letter", 215.9, 279.4)}

MARGIN = 10.0
"""Millimetres at each side of the paper that stay empty: home printers can't print to the edge."""


def pdf(thing: object, **options: Any) -> bytes:
    """The SVG picture as a PDF file of one page of the same size; options as in :func:`trisolve.picture.svg`.

    Raises ImportError without the packages of the extra ``print``.
    """
    picture = pieces(thing, **options)
    # As large as the SVG on a screen: 96 pixels to an inch.
    scale = picture.pixels / picture.width * 25.4 / 96
    file = BytesIO()
    pages = Pages(file, unescape(picture.title), Paper("", picture.width * scale, picture.height * scale))
    with pages.page():
        pages.stamp("picture", picture.document(picture.table + picture.board()), 0, 0, picture.width * scale)
    pages.save()
    return file.getvalue()


class Pages:
    """A PDF file under way, page after page. Lengths are millimetres, y grows upward.

    Nothing reaches the file before :meth:`save`.
    """

    def __init__(self, file: BinaryIO, title: str, paper: Paper) -> None:
        from reportlab.pdfgen.canvas import Canvas

        self.paper = paper
        self.title = title
        _load_font()
        self._forms: dict[Hashable, tuple[str, float]] = {}
        self._canvas: Any = Canvas(file, invariant=1, pageCompression=1)
        self._canvas.setTitle(title)
        self._canvas.setCreator("trisolve")
        self._canvas.setAuthor("")
        self._canvas.setSubject("")
        self.number = 0
        """The number of the page that is being drawn, from 1 on."""

    @contextmanager
    def page(self) -> Iterator[None]:
        """A new page, on which the block draws."""
        self.number += 1
        self._canvas.setPageSize((self.paper.width * POINTS, self.paper.height * POINTS))
        self._canvas.scale(POINTS, POINTS)
        yield
        self._canvas.showPage()

    def save(self) -> None:
        """Write the file."""
        self._canvas.save()

    # -- what can be drawn ------------------------------------------------------------------------

    def stamp(self, name: Hashable, svg: str, x: float, y: float, width: float) -> None:
        """Draw an SVG document so wide, with its lower left corner there. It is read the first time a name comes."""
        canvas = self._canvas
        if name not in self._forms:
            from reportlab.graphics import renderPDF

            drawing = _read(svg)
            self._forms[name] = f"drawing{len(self._forms)}", drawing.width
            canvas.beginForm(self._forms[name][0], 0, 0, drawing.width, drawing.height)
            renderPDF.draw(drawing, canvas, 0, 0)
            canvas.endForm()
        form, own_width = self._forms[name]
        with self.apart():
            canvas.translate(x, y)
            canvas.scale(width / own_width, width / own_width)
            canvas.doForm(form)

    def write(
        self,
        text: str,
        x: float,
        y: float,
        size: float = 3.5,
        *,
        align: Literal["left", "middle", "right"] = "left",
        width: float | None = None,
        grey: float = 0.0,
    ) -> None:
        """A line of text, its capitals about 0.7 times ``size`` high; cut short with dots where it is too wide."""
        text = shown(text)
        if width is not None and measure(text, size) > width:
            room = bisect_right(range(len(text)), width, key=lambda end: measure(f"{text[:end]}…", size))
            text = f"{text[: max(0, room - 1)].rstrip()}…"
        canvas = self._canvas
        canvas.setFont(FONT, size)
        canvas.setFillGray(grey)
        draw = {"left": canvas.drawString, "middle": canvas.drawCentredString, "right": canvas.drawRightString}
        draw[align](x, y, text)

    def line(
        self, x1: float, y1: float, x2: float, y2: float, *, width: float = 0.1, grey: float = 0.0, dash: float = 0.0
    ) -> None:
        """A straight line so many millimetres thick, dashed where ``dash`` is the length of a dash."""
        canvas = self._canvas
        canvas.setLineWidth(width)
        canvas.setStrokeGray(grey)
        canvas.setDash([dash, dash] if dash else [])
        canvas.line(x1, y1, x2, y2)

    def box(self, x: float, y: float, width: float, height: float, *, fill: str | None = None) -> None:
        """The outline of a rectangle, its inside filled with a colour like #fbf6e6."""
        canvas = self._canvas
        canvas.setLineWidth(0.2)
        canvas.setDash([])
        canvas.setStrokeGray(0.3)
        if fill:
            canvas.setFillColor(_colour(fill))
        canvas.rect(x, y, width, height, fill=int(bool(fill)))

    def ground(self, polygons: Iterable[Sequence[tuple[float, float]]], colour: str, beyond: float) -> None:
        """Fill polygons, and so many millimetres beyond their edges."""
        canvas = self._canvas
        canvas.setLineWidth(2 * beyond)
        canvas.setLineJoin(1)
        canvas.setDash([])
        canvas.setStrokeColor(_colour(colour))
        canvas.setFillColor(_colour(colour))
        for corners in polygons:
            canvas.drawPath(self._path(corners), stroke=1, fill=1)

    def _path(self, corners: Sequence[tuple[float, float]]) -> Any:
        path = self._canvas.beginPath()
        path.moveTo(*corners[0])
        for corner in corners[1:]:
            path.lineTo(*corner)
        path.close()
        return path

    @contextmanager
    def apart(self) -> Iterator[None]:
        """What is set in the block, such as :meth:`clip`, ends with it."""
        self._canvas.saveState()
        yield
        self._canvas.restoreState()

    def clip(self, corners: Sequence[tuple[float, float]]) -> None:
        """Let nothing be seen outside this polygon."""
        self._canvas.clipPath(self._path(corners), stroke=0, fill=0)

    def later(self, name: str) -> None:
        """A place on this page that :meth:`settle` fills when what belongs there is known."""
        self._canvas.doForm(name)

    @contextmanager
    def settle(self, name: str) -> Iterator[None]:
        """What is drawn in the block appears wherever :meth:`later` was called with this name."""
        self._canvas.beginForm(name, 0, 0, self.paper.width, self.paper.height)
        yield
        self._canvas.endForm()


def shown(text: str) -> str:
    """The text on one line, with a box for each character that the font doesn't have."""
    glyphs = _load_font()
    return "".join(c if ord(c) in glyphs else BOX for c in " ".join(text.split()))


def measure(text: str, size: float) -> float:
    """The width of a line of text, in the unit of its size."""
    from reportlab.pdfbase.pdfmetrics import stringWidth

    _load_font()
    return float(stringWidth(text, FONT, size))


def wrapped(text: str, size: float, width: float) -> list[str]:
    """The text in lines of at most this width; a word that is too long has a line for itself."""
    lines: list[str] = []
    for word in shown(text).split():
        if lines and measure(f"{lines[-1]} {word}", size) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


@cache
def _load_font() -> frozenset[int]:
    """Make the font known to reportlab; returns the code points of its characters."""
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont

    with as_file(files("trisolve.picture") / "fonts" / "DejaVuSans-subset.ttf") as path:
        font = TTFont(FONT, str(path))
    pdfmetrics.registerFont(font)
    return frozenset(font.face.charToGlyph)


def _read(text: str) -> Drawing:
    from svglib.svglib import svg2rlg

    drawing = svg2rlg(BytesIO(text.encode()))
    assert drawing is not None
    return drawing


def _colour(text: str) -> object:
    from reportlab.lib.colors import HexColor

    return HexColor(text)
