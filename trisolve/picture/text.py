"""The picture that needs nothing but characters.

A row of triangles takes ``h`` lines and neighbouring cells are ``h`` characters apart, so a slanted side moves
one character a line, is drawn with ``/`` or ``\\``, and each row comes out shifted by half an edge against
the next, as on the lattice. Lattice points are dots and level sides are dashes; what two tiles share is drawn
once. With h = 4 the inside of a triangle is 1, 3 and 5 characters wide, always an odd number, so everything
can be centred and no value touches a side::

        .-------.                      .-------.
       / \\ 2 1 /   values at corners   / \\  1  /   values at sides
      / 2 \\ 1 /                       /2 3\\3 2/
     / 3 1 \\ /                       /  1  \\ /
    .-------.                       .-------.

Seven rows and thirteen columns (a board of 73 cells) are 57 characters wide. Cell names beside values need h = 5,
long ones more. A board that is too wide for 80 columns gets h = 3 if that is enough, and then the row's part of
the names stands once, before the row.

An empty cell is an empty triangle, so a hole of one cell would look like a cell: such a hole is filled with
``#``. A value that a puzzle fixes stands on the point or side itself, in place of the dot or in the middle
of the line, and ``=`` where the border has one value, whichever; the tile of a clue that leaves its orientation
open is written across the cell. An ``o`` marks a cell that must be filled with any tile, an ``x`` one that must
stay empty, or in a position one that no remaining tile fits.
Where a solution leaves cells empty, only their lattice points are drawn.
The Unicode picture is the same with prettier characters, the coloured one with escape codes around the values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from trisolve.board import Board
from trisolve.lattice import Cell, Edge, Point
from trisolve.puzzle import FillClue, Puzzle
from trisolve.solution import Solution
from trisolve.tiles import WILD, Tile
from trisolve.words import counted

MAX_CHARACTERS = 2_000_000
"""A picture that would need more characters than this is replaced by a list of its cells."""

COLUMNS = 80
"""The width that the layout tries to stay within."""

_UNICODE = str.maketrans("/\\-.#", "╱╲─•░")

# The hues of the SVG palette, in tones that can be read on black and on white.
_HUES = (245, 208, 74, 35, 178, 33, 166, 175, 98, 131)
_COLOURS = {str(value): f"1;38;5;{hue}" for value, hue in enumerate(_HUES)} | {WILD: "1", "=": "1"}


@dataclass(frozen=True)
class Scene:
    """What there is to draw, whatever it came from.

    ``placed`` has the placed tiles, ``loose`` the tiles that a clue puts into a cell in any orientation,
    ``known`` the values fixed at points or edges, ``=`` where it is only known that they are all the same.
    """

    board: Board
    title: str
    puzzle: Puzzle | None = None
    placed: Mapping[Cell, str] = field(default_factory=dict)
    loose: Mapping[Cell, str] = field(default_factory=dict)
    known: Mapping[Point | Edge, str] = field(default_factory=dict)
    marks: Mapping[Cell, bool] = field(default_factory=dict)
    """The cells of which no more is known than that they are filled (True), or that they stay empty."""
    faint: bool = False
    """True when cells without a tile are meant to be empty, and so are only hinted at."""
    given: Mapping[Cell, bool] = field(default_factory=dict)
    """The cells whose tile was given by a clue; True where the clue left its orientation open."""
    solved: bool = False
    """True when the tiles are those of a solution."""

    @classmethod
    def of(cls, thing: object, *, clues: bool = False) -> Scene:
        """The scene of a Board, Puzzle, Solution or Position; ``clues`` marks in a solution what the puzzle gave.

        Raises TypeError for anything else, and ValueError for a solution with a tile that is none.
        """
        if isinstance(thing, Board):
            return cls(thing, f"Board of {counted(len(thing), 'cell')}")
        if isinstance(thing, Puzzle):
            return cls(
                thing.board,
                _title(thing),
                thing,
                {cell: clue.placed for cell, clue in thing.placed.items() if clue.placed is not None},
                {cell: clue.tile.text for cell, clue in thing.placed.items() if clue.placed is None},
                _known(thing),
                {
                    clue.cell: clue.filled
                    for clue in thing.clues
                    if isinstance(clue, FillClue) and clue.cell not in thing.placed
                },
            )
        if isinstance(thing, Solution):
            puzzle = thing.puzzle
            placed = {cell: thing.cells[cell] for cell in puzzle.board if cell in thing.cells}
            for text in placed.values():
                Tile(text)
            return cls(
                puzzle.board,
                f"{_title(puzzle)}, solved",
                puzzle,
                placed,
                known=_known(puzzle) if clues else {},
                faint=puzzle.fill == "tiles",
                given={c: puzzle.placed[c].placed is None for c in puzzle.board if c in puzzle.placed} if clues else {},
                solved=True,
            )
        # Loaded only for what is none of those above, for the first solution is to be drawn soon.
        from trisolve.position import Position

        if isinstance(thing, Position):
            dead = {thing.board.cell(name): False for name in thing.dead_cells()}
            return cls(thing.board, _title(thing.puzzle), thing.puzzle, thing.placed, marks=dead)
        raise TypeError(f"no picture of a {type(thing).__name__}: expected a Board, a Puzzle, a Solution or a Position")

    @property
    def edges(self) -> bool:
        """True when values lie on the sides of a tile, false when they lie at its corners."""
        return self.puzzle is not None and self.puzzle.match == "edges"

    def spots(self, cell: Cell) -> tuple[Point | Edge, ...]:
        """Where the three values of a tile in this cell lie."""
        return cell.sides() if self.edges else cell.corners()


def _known(puzzle: Puzzle) -> dict[Point | Edge, str]:
    """The values that clues and border fix, without those that a placed tile shows."""
    known: dict[Point | Edge, str] = {}
    shown: set[Point | Edge] = set()
    for cell in puzzle.board:
        clue = puzzle.placed.get(cell)
        for k, spot in enumerate(puzzle.spots(cell)):
            if clue is not None and clue.placed is not None and clue.placed[k] != WILD:
                shown.add(spot)
            node = puzzle.node(spot)
            if node in puzzle.fixed:
                known[spot] = str(puzzle.fixed[node])
            elif node == "border":
                known[spot] = "="
    return {spot: value for spot, value in known.items() if spot not in shown}


_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _title(puzzle: Puzzle) -> str:
    """What a picture is called, without characters that no SVG, HTML or PDF file can hold."""
    return _NOT_XML.sub("\ufffd", puzzle.title or puzzle.name or f"Puzzle of {counted(len(puzzle.board), 'cell')}")


def text(thing: object, *, names: bool = False, unicode: bool = False, color: bool = False) -> str:
    """The picture of a Board, Puzzle, Solution or Position as lines of text, without a newline at the end.

    Parameters
    ----------
    names
        Write the name of each cell into it.
    unicode
        Draw with line characters; otherwise the text is pure ASCII.
    color
        Colour the values with ANSI escape codes; without them the text is the same.

    Raises TypeError for anything else. Cells too far apart for a picture are listed, one a line.

    >>> print(text(Board.triangle(1)))
        .
       / \\
      /   \\
     /     \\
    .-------.
    """
    return draw(Scene.of(thing), names=names, unicode=unicode, color=color)


def draw(scene: Scene, *, names: bool = False, unicode: bool = False, color: bool = False) -> str:
    """The same from a scene."""
    board = scene.board
    if not len(board):
        return "(empty board)"
    label = {cell: board.name(cell) for cell in board} if names else {}
    h = _lines(scene, max(map(len, label.values()), default=0))
    row_names: dict[Cell, str] = {}
    if (board.columns + 1) * h >= COLUMNS > (board.columns + 1) * 3:
        if not names:
            h = 3
        elif board.rows < 10 and not (scene.placed or scene.loose or scene.marks):
            h = 3
            row_names = {cell: f"r{board.position(cell)[0] + 1}" for cell in board}
            label = {cell: name.removeprefix(row_names[cell]) for cell, name in label.items()}
    width, height = (board.columns + 1) * h + 1, board.rows * h + 1
    if width * height > MAX_CHARACTERS:
        return _listed(scene)

    grid = [[" "] * width for _ in range(height)]

    def put(cell: Cell, k: int, across: int, chars: Sequence[str]) -> None:
        # k lines from the tip of the cell, `across` characters to the right of its middle.
        row, column = board.position(cell)
        x = (column + 1) * h + across
        grid[row * h + (k if cell.up else h - k)][x : x + len(chars)] = chars

    def ink(value: str) -> list[str]:
        return [f"\x1b[{_COLOURS[value]}m{value}\x1b[0m" if color else value]

    for cell in board:
        if scene.faint and cell not in scene.placed:
            continue
        put(cell, h, -h, "-" * (2 * h + 1))
        for k in range(1, h):
            put(cell, k, -k, "/" if cell.up else "\\")
            put(cell, k, k, "\\" if cell.up else "/")
    for cell in board:
        for k, across in ((0, 0), (h, -h), (h, h)):
            put(cell, k, across, ".")

    for cell in _one_cell_holes(board):
        for k in range(1, h):
            put(cell, k, 1 - k, "#" * (2 * k - 1))

    for cell in board:
        if cell in scene.placed:
            for (k, across), value in zip(_inside(h, cell.up, scene.edges), scene.placed[cell], strict=True):
                put(cell, k, across, ink(value))
        elif cell in scene.loose:
            put(cell, max(2, h - 2), -1, scene.loose[cell])
        elif cell in scene.marks:
            put(cell, max(2, h - 2), 0, "o" if scene.marks[cell] else "x")
        if cell in label:
            name = label[cell]
            put(cell, h - 2 if cell in scene.placed else h - 1, -(len(name) // 2), name)
        if scene.known:
            for spot, (k, across) in zip(scene.spots(cell), _on_frame(h, cell.up, scene.edges), strict=True):
                if spot in scene.known:
                    put(cell, k, across, ink(scene.known[spot]))
    for cell in {cell.row: cell for cell in reversed(row_names)}.values():
        put(cell, 1, -h, row_names[cell])
    # Blanks at the end of a line are never inside an escape code, so they can go.
    picture = "\n".join("".join(line).rstrip() for line in grid)
    return picture.translate(_UNICODE) if unicode else picture


def _lines(scene: Scene, longest: int) -> int:
    """Lines to a row of triangles, when the longest cell name has so many characters."""
    # A name lies one line off the base, where the inside is 2h - 3 wide; beside values, two lines off.
    room = 5 if scene.placed else 3
    return max(4, (longest + room + 1) // 2)


def _inside(h: int, up: bool, edges: bool) -> tuple[tuple[int, int], ...]:
    """Where in a cell its three values stand, as lines from the tip and characters from the middle."""
    if edges:
        middle = max(2, h // 2)
        base, right, left = (h - 1, 0), (middle, middle - 1), (middle, 1 - middle)
        return (base, right, left) if up else (right, base, left)
    side = max(1, h - 3)
    tip, right, left = (min(2, h - 2), 0), (h - 1, side), (h - 1, -side)
    return (left, right, tip) if up else (tip, right, left)


def _on_frame(h: int, up: bool, edges: bool) -> tuple[tuple[int, int], ...]:
    """Where the three points (or the middles of the three sides) of a cell are, in the same measure."""
    if edges:
        # The two cells at a slanted side count lines from opposite ends.
        middle = h // 2 if up else h - h // 2
        base, right, left = (h, 0), (middle, middle), (middle, -middle)
        return (base, right, left) if up else (right, base, left)
    tip, right, left = (0, 0), (h, h), (h, -h)
    return (left, right, tip) if up else (tip, right, left)


def _one_cell_holes(board: Board) -> list[Cell]:
    """The cells off the board all of whose neighbours are on it, in reading order of a neighbour."""
    near = dict.fromkeys(n for cell in board for n in cell.neighbours() if n not in board)
    return [cell for cell in near if all(n in board for n in cell.neighbours())]


def _listed(scene: Scene) -> str:
    """A line for each cell, with its tile if it has one, then a line for each known value."""
    lines = []
    for cell in scene.board:
        tile = scene.placed.get(cell) or scene.loose.get(cell) or ""
        lines.append(f"{scene.board.name(cell)} {tile}".rstrip())
    if scene.puzzle:
        lines += [f"{scene.puzzle.spot_name(spot)} {value}" for spot, value in scene.known.items()]
    return "\n".join(lines)
