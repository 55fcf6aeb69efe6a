"""The drawings on the page "How the search works", made from what trisolve really computes.

    python docs/drawings.py

writes docs/search/*.svg, the same bytes each time. Words, orders, cuts and counts are asked of the package. They are
drawn on a ground of their own, so that they look the same on a light page and on a dark one.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import log10, sqrt
from pathlib import Path

import trisolve as ts
from trisolve.encoding import Encoding, encode
from trisolve.engines.meeting import best_cut
from trisolve.engines.order import layout_of, sweep_order
from trisolve.tiles import named_set

HERE = Path(__file__).parent / "search"

# The colours of trisolve's light pictures, which do on a dark page as well.
GROUND, LINE, SLOT, TILE, INK, PALE = "#e9e4d8", "#48565c", "#cdc7b7", "#fffbef", "#1c1a17", "#6b6350"
AMBER, BLUE, ROSE = "#f0a830", "#8fc1d6", "#a93a4f"


class Drawing:
    """An SVG that is put together piece by piece; lengths in pixels, y downward."""

    def __init__(self, width: float, height: float, title: str) -> None:
        self._width, self._height, self._title = width, height, title
        self._parts: list[str] = []

    def polygon(self, corners: Sequence[tuple[float, float]], fill: str, stroke: str = LINE) -> None:
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
        self._parts.append(
            f'<polygon points="{points}" fill="{fill}" stroke="{stroke}" stroke-width="2" stroke-linejoin="round"/>'
        )

    def box(self, x: float, y: float, width: float, height: float, fill: str) -> None:
        self._parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="2" fill="{fill}"/>'
        )

    def dot(self, x: float, y: float, radius: float, fill: str) -> None:
        self._parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{fill}" stroke="{GROUND}" stroke-width="2"/>'
        )

    def line(self, x0: float, y0: float, x1: float, y1: float, colour: str) -> None:
        self._parts.append(
            f'<line x1="{x0:.1f}" y1="{y0:.1f}" x2="{x1:.1f}" y2="{y1:.1f}" stroke="{colour}" stroke-width="2"/>'
        )

    def text(
        self,
        x: float,
        y: float,
        text: str,
        colour: str = INK,
        size: float = 14,
        anchor: str = "middle",
        upright: bool = False,
    ) -> None:
        turn = f' transform="rotate(-90 {x:.1f} {y:.1f})"' if upright else ""
        self._parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" font-size="{size}" text-anchor="{anchor}"{turn}>'
            f"{text}</text>"
        )

    def board(
        self, e: Encoding, left: float, bottom: float, edge: float, fills: Sequence[str], labels: Sequence[object]
    ) -> None:
        """The cells, each in its colour and with its label."""
        for cell, fill, label in zip(e.cells, fills, labels, strict=True):
            corners = [at(p, left, bottom, edge) for p in cell.corners()]
            self.polygon(corners, fill)
            x, y = (sum(axis) / 3 for axis in zip(*corners, strict=True))
            self.text(x, y + 5, str(label))

    def marks(
        self, e: Encoding, nodes: Collection[int], left: float, bottom: float, edge: float, fill: str = ROSE
    ) -> None:
        """Dots on nodes: on lattice points, or in the middle of edges."""
        for p in nodes:
            node = e.nodes[p]
            ends = [node.start, node.end] if isinstance(node, ts.Edge) else [node]
            places = [at(point, left, bottom, edge) for point in ends]
            self.dot(*(sum(axis) / len(places) for axis in zip(*places, strict=True)), 7, fill)

    def __str__(self) -> str:
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self._width:g}" height="{self._height:g}" '
            f'viewBox="0 0 {self._width:g} {self._height:g}" role="img" font-family="sans-serif">\n'
            f"<title>{self._title}</title>\n"
            f'<rect width="{self._width:g}" height="{self._height:g}" rx="8" fill="{GROUND}"/>\n'
            + "\n".join(self._parts)
            + "\n</svg>\n"
        )


def at(point: ts.Point, left: float, bottom: float, edge: float) -> tuple[float, float]:
    """Where a lattice point lies on the sheet."""
    return left + (point.x + point.y / 2) * edge, bottom - point.y * edge * sqrt(3) / 2


def word() -> Drawing:
    """One word: the labellings of a cell, and what two ANDs leave of them."""
    e = encode(ts.load("small-hexagon"))
    left, top, size, step = 172, 52, 7, 9
    drawing = Drawing(left + 64 * step + 20, top + 4 * 42 + 2, "The 64 labellings of a cell, and what ANDs leave")
    kinds = [tile.text for tile in e.kinds]
    every, two, used = int(e.domains[0, 0]), int(e.fits[0, 2, 0]), int(e.kind_bits[kinds.index("012"), 0])
    rows = [
        ("a cell at the start", every, ""),
        ("AND fits[0, 2]", two, "a 2 at the left: "),
        ("AND NOT kind_bits[012]", two & ~used, "012 is used up: "),
        ("AND fits[1, 0]", two & ~used & int(e.fits[1, 0, 0]), "a 0 at the right: "),
    ]
    place = {int(bit): i for i, bit in enumerate(e.bits)}
    for kind, text in enumerate(kinds):
        bits = [place[int(bit)] for bit in e.bits[e.label_kind == kind]]
        x = left + step * (sum(bits) / len(bits)) + size / 2
        drawing.text(x + 3, top - 8, text, PALE, 10, "start", upright=True)
    for i, (what, left_over, why) in enumerate(rows):
        y = top + i * 42
        drawing.text(left - 14, y + 12, what, size=12, anchor="end")
        drawing.text(left - 14, y + 27, f"{why}{left_over.bit_count()} options", PALE, 11, "end")
        for bit in range(64):
            on = left_over >> bit & 1
            drawing.box(left + bit * step, y, size, 24, LINE if on else SLOT)
    return drawing


def cells() -> Drawing:
    """The permutation of the cells while the search goes down two steps and back up."""
    left, top, size, row = 250, 24, 44, 56
    drawing = Drawing(left + 6 * size + 110, top + 5 * row, "Uncovered cells in front of a permutation")
    order, uncovered = list("abcdef"), 6
    steps = [
        ("at the root", None),
        ("b is filled", "b"),
        ("then e", "e"),
        ("back: e is open again", 1),
        ("back: so is b", 1),
    ]
    for i, (what, move) in enumerate(steps):
        if isinstance(move, str):
            uncovered -= 1
            here = order.index(move)
            order[here], order[uncovered] = order[uncovered], order[here]
        elif move is not None:
            uncovered += move
        y = top + i * row
        drawing.text(left - 18, y + 24, what, size=14, anchor="end")
        for j, cell in enumerate(order):
            drawing.box(left + j * size, y, size - 4, 36, TILE if j < uncovered else SLOT)
            drawing.text(left + j * size + 20, y + 24, cell, INK if j < uncovered else PALE, 16)
        drawing.line(left + uncovered * size - 2, y - 6, left + uncovered * size - 2, y + 42, ROSE)
        drawing.text(left + 6 * size + 12, y + 24, f"left = {uncovered}", ROSE, 14, "start")
    return drawing


def order() -> Drawing:
    """The order in which a sweep fills the hexagon, and which cells bring no new point."""
    e = encode(ts.load("hexagon"))
    path, _ = sweep_order(e)
    turn = {cell: i + 1 for i, cell in enumerate(path)}
    known: set[int] = set()
    closing = set()
    for cell in path:
        if set(e.cell_nodes[cell].tolist()) <= known:
            closing.add(cell)
        known.update(e.cell_nodes[cell].tolist())
    drawing = Drawing(480, 380, "The order of the cells in a sweep of the hexagon")
    n = len(e.cells)
    fills = [AMBER if c in closing else TILE for c in range(n)]
    drawing.board(e, *placed(e, 480, 340, 84), fills, [turn[c] for c in range(n)])
    drawing.text(240, 356, "amber: all three values are known when its turn comes")
    return drawing


def placed(e: Encoding, width: float, height: float, edge: float) -> tuple[float, float, float]:
    """Where to draw a board so that it lies in the middle of a sheet."""
    places = [at(p, 0, 0, edge) for cell in e.cells for p in cell.corners()]
    xs, ys = zip(*places, strict=True)
    return (width - min(xs) - max(xs)) / 2, (height - min(ys) - max(ys)) / 2, edge


def profile() -> Drawing:
    """Partial fillings of parallelogram-4x3 by depth: as expected, and as they are."""
    e = encode(ts.load("parallelogram-4x3"))
    path, _ = sweep_order(e)
    true = partial_fillings(e, path)
    layout = layout_of(e)
    known: set[int] = set()
    size = 0.0
    expected = []
    for i, cell in enumerate(path):
        row = set(e.cell_nodes[cell].tolist())
        size += layout.growth(len(row - known), i)
        known |= row
        expected.append(size / 2.302585092994046)
    left, top, step, unit = 70, 30, 25, 44
    bottom = top + 6 * unit
    drawing = Drawing(left + step * len(path) + 30, bottom + 60, "Partial fillings by depth, expected and true")
    for power in range(7):
        y = bottom - power * unit
        drawing.line(left, y, left + step * len(path), y, SLOT)
        drawing.text(left - 10, y + 5, f"{10**power:,}", PALE, 12, "end")
    for i, (count, guess) in enumerate(zip(true, expected, strict=True)):
        height = log10(count) * unit
        drawing.box(left + i * step + 3, bottom - height, step - 6, height, BLUE)
        drawing.dot(left + i * step + step / 2, bottom - guess * unit, 5, ROSE)
        if i % 4 == 3:
            drawing.text(left + i * step + step / 2, bottom + 18, str(i + 1), PALE, 12)
    drawing.text(left + step * len(path) / 2, bottom + 42, "cells filled; bars: true, dots: expected", size=14)
    return drawing


def partial_fillings(e: Encoding, path: Sequence[int]) -> list[int]:
    """How many ways there are to fill the first 1, 2, 3, ... cells of an order, for tiles that are there once."""
    rows = [e.cell_nodes[cell].tolist() for cell in path]
    domains = [int(e.domains[cell, 0]) for cell in path]
    fits = [[int(word) for word in corner[:, 0]] for corner in e.fits]
    kind_bits = [int(word) for word in e.kind_bits[:, 0]]
    moves = {
        int(bit): (kind_bits[kind], values)
        for bit, kind, values in zip(e.bits, e.label_kind.tolist(), e.label_values.tolist(), strict=True)
    }
    counts = [0] * len(path)
    value: dict[int, int] = {}

    def fill(depth: int, available: int) -> None:
        if depth == len(path):
            return
        word = available & domains[depth]
        for k, p in enumerate(rows[depth]):
            if p in value:
                word &= fits[k][value[p]]
        counts[depth] += word.bit_count()
        new = [(k, p) for k, p in enumerate(rows[depth]) if p not in value]
        while word:
            kind, values = moves[(word & -word).bit_length() - 1]
            word &= word - 1
            value.update((p, values[k]) for k, p in new)
            fill(depth + 1, available & ~kind)
        for _, p in new:
            value.pop(p, None)

    fill(0, (1 << 64) - 1)
    return counts


def cut() -> Drawing:
    """Two boards in halves, with the nodes that they share."""
    drawing = Drawing(820, 400, "The cuts of the strip of 24 cells and of MacMahon's hexagon")
    for name, place in (("strip-12", (820, 120, 60)), ("macmahon-hexagon", (820, 500, 68))):
        e = encode(ts.load(name))
        found = best_cut(e)
        assert found is not None
        where = placed(e, *place)
        first = set(found.halves[0])
        fills = [TILE if c in first else BLUE for c in range(len(e.cells))]
        drawing.board(e, *where, fills, [""] * len(e.cells))
        drawing.marks(e, found.nodes, *where)
    drawing.text(30, 250, "strip-12: 2 points on the cut", PALE, 14, "start")
    drawing.text(30, 274, "macmahon-hexagon: 4 edges", PALE, 14, "start")
    return drawing


def rim() -> Drawing:
    """Three moments of the transfer method: what is filled, and the points that a state remembers."""
    e = encode(ts.Puzzle(ts.Board.parallelogram(4, 3), named_set("trioker-24").supply().times(9)))
    path = layout_of(e).whole[0]
    left = [len(cells) for cells in layout_of(e).at]
    drawing = Drawing(820, 210, "Cells filled so far, and the open points")
    moments = {6: 0, 12: 1, 18: 2}
    for i, cell in enumerate(path, 1):
        for p in set(e.cell_nodes[cell].tolist()):
            left[p] -= 1
        if i in moments:
            filled = set(path[:i])
            opened = {p for c in filled for p in e.cell_nodes[c].tolist() if left[p]}
            x, y, edge = placed(e, 270, 180, 45)
            fills = [TILE if c in filled else SLOT for c in range(len(e.cells))]
            drawing.board(e, x + moments[i] * 273, y, edge, fills, [""] * len(fills))
            drawing.marks(e, opened, x + moments[i] * 273, y, edge)
            drawing.text(135 + moments[i] * 273, 196, f"{i} cells, {len(opened)} open points", PALE, 13)
    return drawing


DRAWINGS = {f.__name__: f for f in (word, cells, order, profile, cut, rim)}


def main() -> None:
    """Write them all."""
    HERE.mkdir(exist_ok=True)
    for name, draw in DRAWINGS.items():
        (HERE / f"{name}.svg").write_text(str(draw()), encoding="utf-8")


if __name__ == "__main__":
    main()
