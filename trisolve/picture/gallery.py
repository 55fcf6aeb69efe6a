"""Many solutions of a puzzle on one page: small pictures with captions, as HTML or as PDF.

A gallery is written while the solutions come. Each distinct placed tile is drawn once and used wherever it comes again,
so thousands of pictures make a file of a few megabytes. How many solutions there are is known last but said first:
a place for it is kept free at the top.

The HTML file needs nothing but itself: no network, no script. It follows the reader's choice of light or dark, and
prints without cutting a picture in two. What has been written isn't kept in memory. A PDF file is put together in
memory; there a placed tile takes less than 200 bytes.

Nobody looks at tens of thousands of pictures, and browsers grow slow. So a gallery shows the first ones only, at
most :data:`MOST_PICTURES` of them and :data:`MOST_TILES` tiles, and says so; the rest is still counted.
"""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from html import escape
from typing import Any, BinaryIO, NamedTuple

from trisolve.picture.pdf import MARGIN, MAX_PAGES, PAPERS, Pages
from trisolve.picture.pieces import Pieces, corner, pieces
from trisolve.picture.svg import EDGE, svg
from trisolve.picture.text import Scene
from trisolve.puzzle import Puzzle
from trisolve.solution import Solution

MOST_PICTURES = 5_000
"""The most pictures that a gallery shows."""

MOST_TILES = 250_000
"""The most tiles that all its pictures have together; one picture is always shown."""

IN_NOTEBOOK = 24
"""The most pictures that a notebook shows of a list."""

Caption = Callable[[int, Solution], str]
"""Makes the text under a picture from its number, counted from 1, and the solution."""

_ROOM = 1_000  # Bytes kept free for the summary.
_HEAD, _FOOT, _CAPTION = 18.0, 8.0, 7.0  # Millimetres of a PDF page.


def numbered(number: int, solution: Solution) -> str:
    """The caption that a picture has when no other is asked for."""
    return f"{number:,}"


class GalleryFile(ABC):
    """A gallery under way.

    Parameters
    ----------
    file
        An open file; for HTML one in which the place can be set.
    puzzle
        What the solutions solve.
    caption
        Makes the text under a picture; by default its number.
    options
        As in :func:`trisolve.picture.svg`.

    Attributes
    ----------
    found
        How many solutions have come.
    most
        How many are shown.
    """

    found = 0
    most = MOST_PICTURES

    def __init__(self, file: BinaryIO, puzzle: Puzzle, caption: Caption = numbered, **options: Any) -> None:
        self.title = Scene.of(puzzle).title
        self.most = min(self.most, max(1, MOST_TILES // max(1, len(puzzle.board))))
        self._puzzle = puzzle
        self._caption = caption
        self._options = options
        self._frame = pieces(puzzle, **options)
        self._places: dict[_Key, tuple[float, float] | None] = {}

    def add(self, solution: Solution) -> None:
        """Take in the next solution. Raises ValueError for one of another puzzle."""
        if solution.puzzle is not self._puzzle and solution.puzzle.digest != self._puzzle.digest:
            raise ValueError("solutions of two puzzles in one gallery: expected one puzzle")
        self.found += 1
        if self.found <= self.most:
            self._draw(list(self._stamps(solution)), solution)

    def _stamps(self, solution: Solution) -> Iterator[_Stamp]:
        """The pieces of a picture. It is drawn only if it has a piece that isn't known yet."""
        picture: Pieces | None = None
        for key, name, place in self._wanted(solution):
            drawing = ""
            if key not in self._places:
                picture = picture or pieces(solution, **self._options)
                own = {"below": picture.table + picture.below, "above": picture.above}
                drawing = own[name] if name in own else picture.cells.get(name, "")
                self._places[key] = place if drawing else None
            first = self._places[key]
            if first is not None:
                yield _Stamp(key, drawing, place[0] - first[0], place[1] - first[1])

    def _wanted(self, solution: Solution) -> Iterator[tuple[_Key, str, tuple[float, float]]]:
        """For each piece of a picture what it depends on, its name, and where it lies."""
        board = solution.puzzle.board
        # Without outlines the joints under the tiles have the colours of the tiles.
        outlines = self._options.get("outlines", True)
        yield ("below", frozenset(solution.cells if outlines else solution.cells.items())), "below", (0, 0)
        for cell in board:
            name, placed = board.name(cell), solution.cells.get(cell)
            # A tile looks the same everywhere, unless its name is written into it.
            yield (placed, name if placed is None or self._options.get("names") else cell.up), name, corner(board, cell)
        yield ("above",), "above", (0, 0)

    def _said(self, summary: str) -> str:
        return summary if self.found <= self.most else f"{summary} The first {self.most:,} are shown."

    @abstractmethod
    def _draw(self, stamps: list[_Stamp], solution: Solution) -> None:
        """Put a picture into the file."""

    @abstractmethod
    def finish(self, summary: str) -> None:
        """Complete the file; the summary, a sentence or two, stands under the title."""


_Key = tuple[object, ...]


class _Stamp(NamedTuple):
    """A piece of a picture, and how far it lies from where it was drawn first; y grows downward.

    ``drawing`` is empty when the piece has come before.
    """

    key: _Key
    drawing: str
    x: float
    y: float


class HtmlGallery(GalleryFile):
    """A gallery as one HTML file that can be read from any disk."""

    def __init__(self, file: BinaryIO, puzzle: Puzzle, caption: Caption = numbered, **options: Any) -> None:
        super().__init__(file, puzzle, caption, **{"theme": "auto", **options})
        self._file = file
        self._symbols: dict[_Key, str] = {}
        # Wide boards get wider pictures.
        width = min(420, 100 + 10 * puzzle.board.columns)
        texts = {"TITLE": escape(self.title), "WIDTH": str(width), "RULES": self._frame.style}
        before, after = (re.sub("|".join(texts), lambda word: texts[word[0]], part) for part in _PAGE.split("SUMMARY"))
        self._write(before)
        self._gap = file.tell()
        self._write(" " * _ROOM + after)

    def _draw(self, stamps: list[_Stamp], solution: Solution) -> None:
        new: list[str] = []
        uses: list[str] = []
        for stamp in stamps:
            if stamp.drawing:
                name = self._symbols[stamp.key] = f"s{len(self._symbols)}"
                # What is used is a tree of its own to a style sheet, so the class belongs to the symbol.
                new.append(f'<symbol id="{name}" class="{self._frame.scope}">{stamp.drawing}</symbol>')
            x = f' x="{stamp.x:.2f}"' if abs(stamp.x) > 0.005 else ""
            y = f' y="{stamp.y:.2f}"' if abs(stamp.y) > 0.005 else ""
            uses.append(f'<use href="#{self._symbols[stamp.key]}"{x}{y}/>')
        if new:
            self._write(f'<svg class="store" aria-hidden="true">{"".join(new)}</svg>\n')
        tiles = " ".join(f"{name} {text}" for name, text in solution.items())
        self._write(
            f'<figure><svg role="img" aria-label="Solution {self.found:,}" '
            f'viewBox="0 0 {self._frame.width} {self._frame.height}"><desc>{tiles}</desc>{"".join(uses)}</svg>'
            f"<figcaption>{escape(self._caption(self.found, solution))}</figcaption></figure>\n"
        )

    def finish(self, summary: str) -> None:
        """Complete the file; the summary, a sentence or two, stands under the title."""
        self._write("</main>\n</body>\n</html>\n")
        self._file.seek(self._gap)
        self._file.write(escape(self._said(summary)).encode()[:_ROOM])
        self._file.seek(0, os.SEEK_END)

    def _write(self, text: str) -> None:
        self._file.write(text.encode("utf-8", "replace"))


class PdfGallery(GalleryFile):
    """A gallery as a PDF file of A4 pages with page numbers. Raises ImportError without the extra ``print``."""

    def __init__(self, file: BinaryIO, puzzle: Puzzle, caption: Caption = numbered, **options: Any) -> None:
        super().__init__(file, puzzle, caption, **options)
        frame, paper = self._frame, PAPERS["a4"]
        self._wide, high = paper.width - 2 * MARGIN, paper.height - 2 * MARGIN - _HEAD - _FOOT
        # One to five beside each other, so many that the sides of the tiles are still 6 mm long.
        self._across = min(5, max(1, int(self._wide / (6 * frame.width / EDGE))))
        self._width = min(self._wide / self._across - 4, (high - _CAPTION) * frame.width / frame.height)
        self._height = self._width * frame.height / frame.width
        self._down = max(1, int(high / (self._height + _CAPTION)))
        self.most = min(self.most, MAX_PAGES * self._across * self._down)
        self._pages = Pages(file, self.title, paper)
        self._waiting: list[tuple[list[_Stamp], str]] = []

    def _draw(self, stamps: list[_Stamp], solution: Solution) -> None:
        self._waiting.append((stamps, self._caption(self.found, solution)))
        if len(self._waiting) == self._across * self._down:
            self._page()

    def finish(self, summary: str) -> None:
        """Complete the file; the summary, a sentence or two, stands under the title."""
        if self._waiting or not self._pages.number:
            self._page()
        pages, middle = self._pages, MARGIN + self._wide / 2
        with pages.settle("summary"):
            pages.write(self._said(summary), MARGIN, self._top + 4, 3.2, width=self._wide, grey=0.3)
        with pages.settle("total"):
            pages.write(f"of {pages.number:,}", middle + 0.5, MARGIN, 3, grey=0.3)
        pages.save()

    @property
    def _top(self) -> float:
        return self._pages.paper.height - MARGIN - _HEAD

    def _page(self) -> None:
        pages, middle, step = self._pages, MARGIN + self._wide / 2, self._wide / self._across
        with pages.page():
            pages.write(self.title, MARGIN, self._top + 10, 5.5, width=self._wide)
            pages.later("summary")
            pages.write(f"page {pages.number:,}", middle - 0.5, MARGIN, 3, align="right", grey=0.3)
            pages.later("total")
            unit = self._width / self._frame.width
            for k, (stamps, caption) in enumerate(self._waiting):
                x = MARGIN + (k % self._across + 0.5) * step
                y = self._top - (k // self._across) * (self._height + _CAPTION) - self._height
                for stamp in stamps:
                    left, low = x - self._width / 2 + stamp.x * unit, y - stamp.y * unit
                    pages.stamp(
                        stamp.key, self._frame.document(stamp.drawing) if stamp.drawing else "", left, low, self._width
                    )
                pages.write(caption, x, y - 3.8, 2.8, align="middle", width=step - 1)
        self._waiting = []


def gallery_file(ending: str, file: BinaryIO, puzzle: Puzzle, **options: Any) -> GalleryFile:
    """A gallery in the format of a file's ending, .html or .pdf; options of :class:`GalleryFile`."""
    return (HtmlGallery if ending == ".html" else PdfGallery)(file, puzzle, **options)


def summary(number: str, *, complete: bool = False, stopped: bool = False) -> str:
    """A sentence for the top of a gallery, from a text like "12 solutions"."""
    if stopped:
        return f"{number} found so far: the search was stopped, this isn't complete."
    return f"{number} in all." if complete else f"{number}."


def notebook(things: Sequence[object], **options: Any) -> str | None:
    """The first of a list of solutions as HTML for a notebook: no ids, no colours of its own around the pictures.

    None for a list that holds something else, or nothing.
    """
    if not things or not all(isinstance(thing, Solution) for thing in things):
        return None
    figures = []
    for number, solution in enumerate(things[:IN_NOTEBOOK], 1):
        picture = re.sub(
            r'(<svg [^>]*) width="[^"]*" height="[^"]*"',
            r'\1 style="width:100%;height:auto"',
            svg(solution, **options),
            count=1,
        )
        caption = f'<figcaption style="text-align:center">{number}</figcaption>'
        figures.append(f'<figure style="margin:0;width:11em">{picture}{caption}</figure>')
    more = len(things) - IN_NOTEBOOK
    rest = f"<p>and {more:,} more</p>" if more > 0 else ""
    return f'<div style="display:flex;flex-wrap:wrap;gap:1em">{"".join(figures)}</div>{rest}'


_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'">
<title>TITLE</title>
<style>
body{margin:1.5rem;background:#fff;color:#1c1a17;font:16px/1.4 system-ui,sans-serif}
h1{font-size:1.5rem;font-weight:600;margin:0}
header p{margin:.3rem 0 1.5rem;white-space:normal}
main{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(WIDTHpx,100%),1fr));gap:1.2rem 1rem}
figure{margin:0;break-inside:avoid;content-visibility:auto;contain-intrinsic-size:auto WIDTHpx}
figure svg{display:block;width:100%;height:auto;max-height:95vh}
figcaption{margin-top:.3rem;text-align:center;font-size:.85rem;overflow-wrap:anywhere}
symbol{overflow:visible}
.store{position:absolute;width:0;height:0}
@media screen and (prefers-color-scheme:dark){body{background:#0d1114;color:#e6e3da}}
@page{margin:12mm}
@media print{body{margin:0 1px}figure{content-visibility:visible}
main{grid-template-columns:repeat(auto-fill,minmax(min(calc(WIDTHpx*.8),100%),1fr))}}
RULES
</style>
</head>
<body>
<header><h1>TITLE</h1><p>SUMMARY</p></header>
<main>
"""
