"""What maps a puzzle to itself: board rotations and reflections together with permutations of the values.

A symmetry of a puzzle is a pair: a symmetry of the lattice that maps the board onto itself, and a
permutation of the values, such that together they also map supply, clues and border onto themselves. A
reflection turns every tile into its mirror image. Solutions are mapped to solutions, so a search need look
at only one solution of each orbit.

Permutations of ten values can't be listed, so they are handled in two ways that don't need the list:
:func:`classes` finds the values that may be exchanged freely with each other, and :func:`partners` finds,
for one lattice symmetry, permutations one by one, by backtracking.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from trisolve.board import Board
from trisolve.lattice import SYMMETRIES, Cell, Edge, Point, Symmetry
from trisolve.puzzle import Clue, Puzzle, TileClue, ValueClue
from trisolve.tiles import WILD, Tile

Values = Mapping[int, int]
"""A permutation of the values, old to new."""


@dataclass(frozen=True)
class Element:
    """A symmetry of a puzzle: what it does to the lattice, and what it does to the values."""

    lattice: Symmetry
    values: Values

    def placed(self, puzzle: Puzzle, cell: Cell, text: str) -> tuple[Cell, str]:
        """The image of a placed tile. Takes any cell, on the board or not."""
        image = self.lattice.cell(cell)
        where = [self.spot(spot) for spot in puzzle.spots(cell)]
        shown = dict(zip(where, (_permuted(mark, self.values) for mark in text), strict=True))
        return image, "".join(shown[spot] for spot in puzzle.spots(image))

    def spot(self, spot: Point | Edge) -> Point | Edge:
        """The image of a point or an edge."""
        return self.lattice.point(spot) if isinstance(spot, Point) else self.lattice.edge(spot)

    def tile(self, tile: Tile) -> Tile:
        """The image of a tile kind."""
        text = "".join(_permuted(mark, self.values) for mark in tile.text)
        return Tile(text[::-1] if self.lattice.reflects else text)

    def clue(self, puzzle: Puzzle, clue: Clue) -> Clue:
        """The image of a clue."""
        if isinstance(clue, ValueClue):
            return ValueClue(self.spot(clue.node), self.values[clue.value])
        if clue.placed is None:
            return TileClue(self.lattice.cell(clue.cell), self.tile(clue.tile))
        cell, placed = self.placed(puzzle, clue.cell, clue.placed)
        return TileClue(cell, Tile(placed), placed)


def _permuted(mark: str, values: Values) -> str:
    return WILD if mark == WILD else str(values[int(mark)])


def board_symmetries(board: Board) -> list[Symmetry]:
    """The lattice symmetries that map the board onto itself, the identity first. Takes O(n) time."""
    if not board.cells:
        return [SYMMETRIES[0]]
    least = Point(min(c.x for c in board), min(c.y for c in board))
    found = []
    for symmetry in SYMMETRIES:
        images = [symmetry.cell(c) for c in board]
        shifted = symmetry.shifted(least.x - min(c.x for c in images), least.y - min(c.y for c in images))
        if all(shifted.cell(c) in board for c in board):
            found.append(shifted)
    return found


def is_symmetry(puzzle: Puzzle, element: Element) -> bool:
    """True when an element that maps the board onto itself also maps supply, border and clues so."""
    supply = puzzle.supply
    if any(supply.copies(element.tile(tile)) != n for tile, n in supply.items()):
        return False
    if isinstance(puzzle.border, int) and element.values[puzzle.border] != puzzle.border:
        return False
    return {element.clue(puzzle, clue) for clue in puzzle.clues} == set(puzzle.clues)


def classes(puzzle: Puzzle) -> list[tuple[int, ...]]:
    """The values grouped so that any two of a group may be exchanged, everything else staying as it is.

    Every permutation within the groups is then a symmetry of the puzzle together with the identity of the
    lattice, since exchanges generate it. Takes O(V^2 t) time for V values and t kinds.
    """
    groups: list[list[int]] = []
    for value in puzzle.supply.values:
        for group in groups:
            swap = {v: v for v in puzzle.supply.values} | {value: group[0], group[0]: value}
            if is_symmetry(puzzle, Element(SYMMETRIES[0], swap)):
                group.append(value)
                break
        else:
            groups.append([value])
    return [tuple(group) for group in groups]


def partners(puzzle: Puzzle, lattice: Symmetry, given: Values) -> Iterator[Element]:
    """The symmetries of the puzzle with this lattice part whose permutation extends the given one.

    They come in lexicographic order; each step of the search is checked against the supply.
    """
    values = puzzle.supply.values
    rest = [v for v in values if v not in given]
    supply = puzzle.supply
    by_last: dict[int, list[Tile]] = {v: [] for v in values}
    for tile in supply:
        known = [v for v in tile.values() if v not in given]
        if known:
            by_last[max(known, key=rest.index)].append(tile)

    def extend(i: int, mapped: dict[int, int]) -> Iterator[Element]:
        if i == len(rest):
            element = Element(lattice, mapped)
            if is_symmetry(puzzle, element):
                yield element
            return
        for image in values:
            if image in mapped.values():
                continue
            more = {**mapped, rest[i]: image}
            trial = Element(lattice, more)
            if all(supply.copies(trial.tile(tile)) == supply[tile] for tile in by_last[rest[i]]):
                yield from extend(i + 1, more)

    if len(set(given.values())) == len(given):
        yield from extend(0, dict(given))
