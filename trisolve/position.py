"""A game under way: a board on which some tiles lie, the tiles still in hand, and what can be done.

The rules are those that Trioker and Triominoes have in common. The first tile goes to the middle of the board (or to
cells that the position names). Every other one is laid against a tile that lies already, side to side, and must agree
with all tiles that it touches, at points too. A :class:`Position` lists the legal placements and what they bring:

* a **hexagon** is a point with all six cells around it filled; a placement may complete up to three;
* a **bridge** is a placement with exactly one side against a tile, whose opposite corner touches another tile;
* a **dead** cell is an empty one that no tile fits which isn't on the board, whoever holds it, if anybody;
* a hexagon is **open** when some of its six cells are filled and tiles that aren't on the board can fill all the
  others. That is a puzzle of a few cells, and an engine decides it. Whether play ever gets there is another question.

Cells and points go by their names on the board, and tiles are written as they lie, as in a solution.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property

from trisolve.board import Board, BoardError, part_index
from trisolve.display import Displayed
from trisolve.lattice import CORNER_NAMES, SIDE_NAMES, Cell, Edge, Point, joined
from trisolve.puzzle import Path, Problem, Puzzle, PuzzleError, TileClue
from trisolve.tiles import WILD, Match, Supply, Tile, named_set, rotations

LONE_HAND = "hand"
"""The name of the hand that holds everything when no hands are given."""


@dataclass(frozen=True)
class Move:
    """A legal placement: the tile as it lies in the cell, whose it is, and what it brings.

    ``hexagons`` has a name of each point whose hexagon it completes; ``bridge`` a name of the point where its tip
    touches another tile, or None.
    """

    cell: str
    tile: str
    hand: str
    hexagons: tuple[str, ...]
    bridge: str | None

    def as_json(self) -> dict[str, object]:
        """The move as the command line writes it."""
        return {
            "cell": self.cell,
            "tile": self.tile,
            "hand": self.hand,
            "hexagons": list(self.hexagons),
            "bridge": self.bridge,
        }


class Position(Displayed):
    """A partly filled board with the tiles in hand.

    Parameters
    ----------
    board, tiles, match, name, title, source
        As in :class:`Puzzle`; the tiles are all there are in the game.
    placed
        Cell names with the tiles as they lie there, values anticlockwise from corner (or side) 0; a mapping, or pairs.
    hands
        A mapping of players to tiles: a :class:`Supply` or a list, taken as it is, or the name of a set, which
        stands for its tiles that aren't on the board. By default one hand, with all tiles that aren't on the board.
    first_cells
        Names of the cells where the first tile may go; by default those nearest to the middle of the board.
    not_first
        Tiles that may not be the first.

    Raises
    ------
    PuzzleError
        with every problem found: tiles that don't agree, that the game doesn't have so often, that lie apart.

    >>> game = Position(Board.triangle(2), "trioker-24", {"r2c2": "012"})
    >>> [move.tile for move in game.moves() if move.cell == "r1c2"]
    ['210', '211', '212', '213']
    """

    def __init__(
        self,
        board: Board,
        tiles: str | Supply | Mapping[Tile | str, int] | Iterable[Tile | str] = "trioker",
        placed: Mapping[str, str] | Iterable[tuple[str, str]] = (),
        *,
        hands: Mapping[str, str | Supply | Iterable[Tile | str]] | None = None,
        first_cells: Iterable[str] = (),
        not_first: Iterable[Tile | str] = (),
        match: Match | None = None,
        name: str = "",
        title: str = "",
        source: str = "",
    ) -> None:
        self.puzzle = Puzzle(board, tiles, match=match, name=name, title=title, source=source)
        self.board = board
        self._problems: list[Problem] = []
        self.placed: dict[Cell, str] = {}
        """The cells that are filled, with the tiles as they lie."""
        self._shown: dict[Point | Edge, tuple[str, Cell]] = {}
        self._used: Counter[Tile] = Counter()
        for i, (where, text) in enumerate(placed.items() if isinstance(placed, Mapping) else placed):
            self._place(i, where, text)
        self._check_joined()
        self.first_cells = self._opening(list(first_cells))
        """The cells where the first tile may go."""
        self.not_first = frozenset(tile if isinstance(tile, Tile) else Tile(tile) for tile in not_first)
        """The tiles that may not be the first."""
        self.hands: dict[str, Supply] = self._hands(hands)
        """The tiles that each player still has."""
        if self._problems:
            raise PuzzleError(self._problems)

    @classmethod
    def load(cls, position: str | os.PathLike[str]) -> Position:
        """The position in a file, or the bundled one of that name. Raises ShapeFileError."""
        from trisolve import shapefile

        document = shapefile.read_position(position)
        pairs: list[tuple[str, str]] = []
        wrong: list[tuple[Path, str]] = []
        for i, entry in enumerate(document.placed):
            at = part = "corner" if "corner" in entry else "edge"
            names = CORNER_NAMES if part == "corner" else SIDE_NAMES
            try:
                if document.match != part + "s":
                    what = document.match
                    raise BoardError(
                        f"values lie on the {what} of a tile here: expected the key {what[:-1]}, not {part}"
                    )
                at = "cell"
                cell = document.board.cell(entry["cell"])
                at = part
                k = part_index(cell, entry[part], part, names)
                pairs.append((entry["cell"], rotations(entry["tile"])[-k % 3]))
            except BoardError as error:
                wrong.append((("placed", i, at), str(error)))
        if wrong:
            raise document.error(wrong)
        try:
            return cls(
                document.board,
                document.supply,
                pairs,
                hands=document.hands,
                first_cells=document.first_cells,
                not_first=document.not_first,
                match=document.match,
                name=document.name,
                title=document.title,
                source=document.source,
            )
        except PuzzleError as error:
            raise document.error([(p.path, p.message) for p in error.problems]) from None

    def __repr__(self) -> str:
        named = f"{self.puzzle.name}: " if self.puzzle.name else ""
        held = ", ".join(f"{player} {supply.total}" for player, supply in self.hands.items())
        return f"Position({named}{len(self.placed)} of {len(self.board)} cells filled, in hand: {held})"

    # -- what is wrong ----------------------------------------------------------------------------

    def _place(self, i: int, where: str, text: str) -> None:
        path: Path = ("placed", i)
        try:
            at = "cell"
            cell = self.board.cell(where)
            if cell in self.placed:
                raise BoardError(f"{where} holds a tile already: expected every cell once")
            at = "tile"
            tile = Tile(text)
            have = self.puzzle.supply.copies(tile)
            if not have:
                raise BoardError(f"tile {tile} is not in {self.puzzle.supply.name}")
            if self._used[tile] == have:
                name = self.puzzle.supply.name
                raise BoardError(f"tile {tile} lies on the board more often than {name} has it ({have})")
        except ValueError as error:
            self._problems.append(Problem((*path, at), str(error)))
            return
        self._used[tile] += 1
        self.placed[cell] = text
        parts = (CORNER_NAMES if self.puzzle.match == "corners" else SIDE_NAMES)[cell.up]
        for spot, part, value in zip(self.puzzle.spots(cell), parts, text, strict=True):
            if value == WILD:
                continue
            known, other = self._shown.setdefault(spot, (value, cell))
            if known != value:
                message = f"{where} shows {value} at its {part}, but {self.board.name(other)} shows {known} there"
                self._problems.append(Problem((*path, "tile"), message))

    def _check_joined(self) -> None:
        """All filled cells are joined by edges, for every tile was laid against another."""
        cells = list(self.placed)
        reached = joined(self.placed)
        if len(reached) < len(cells) and not self._problems:
            i, cell = next((i, cell) for i, cell in enumerate(cells) if cell not in reached)
            first, name = self.board.name(cells[0]), self.board.name(cell)
            message = f"{name} isn't joined to {first} by tiles side by side: expected all tiles in one piece"
            self._problems.append(Problem(("placed", i, "cell"), message))

    def _opening(self, names: list[str]) -> frozenset[Cell]:
        if not names:
            return _middle(self.board)
        cells = set()
        for i, name in enumerate(names):
            try:
                cells.add(self.board.cell(name))
            except BoardError as error:
                self._problems.append(Problem(("opening", "cells", i), str(error)))
        if self.placed and not cells & self.placed.keys() and not self._problems:
            message = f"none of {', '.join(names)} is filled: expected the first tile there"
            self._problems.append(Problem(("opening", "cells"), message))
        return frozenset(cells)

    def _hands(self, given: Mapping[str, str | Supply | Iterable[Tile | str]] | None) -> dict[str, Supply]:
        supply = self.puzzle.supply
        left = dict(self.remaining.items())
        if given is None:
            return {LONE_HAND: self.remaining}
        hands: dict[str, Counter[Tile]] = {}
        sets: set[str] = set()
        for player, tiles in given.items():
            try:
                if isinstance(tiles, str):
                    sets.add(player)
                    tiles = named_set(tiles).supply()
                held = tiles if isinstance(tiles, Supply) else Supply.of(tiles)
            except (TypeError, ValueError) as error:
                self._problems.append(Problem(("hands", player), str(error)))
                continue
            hands[player] = Counter(dict(held.items()))
        for tile, number in self._used.items():
            owners = [player for player in hands if player in sets and hands[player][tile]]
            total = sum(hands[player][tile] for player in owners)
            if len(owners) > 1 and number < total:
                message = f"nobody can tell whose {tile} is on the board: expected a list of the tiles in hand"
                self._problems.append(Problem(("hands", owners[1]), message))
            for player in owners:
                hands[player][tile] = max(0, hands[player][tile] - number)
        held_by_all: Counter[Tile] = Counter()
        for player, tiles_held in hands.items():
            for tile, number in tiles_held.items():
                held_by_all[tile] += number
                if not number or held_by_all[tile] <= left.get(tile, 0):
                    continue
                if tile not in supply:
                    message = f"tile {tile} is not in {supply.name}"
                else:
                    message = f"{player} can't have {tile}: expected at most as many as are left ({left.get(tile, 0)})"
                self._problems.append(Problem(("hands", player), message))
        return {player: Supply(held, player) for player, held in hands.items()}

    # -- what can be done -------------------------------------------------------------------------

    def moves(self, hand: str | None = None) -> list[Move]:
        """The legal placements, of one player or of all, in reading order of the cells.

        Raises ValueError for a hand that there isn't.
        """
        if hand is not None and hand not in self.hands:
            raise ValueError(f"no hand {hand!r}: expected {' or '.join(self.hands)}")
        hands = self.hands if hand is None else {hand: self.hands[hand]}
        return [move for cell in self._reachable() for move in self._moves_to(cell, hands)]

    def dead_cells(self) -> tuple[str, ...]:
        """The names of the empty cells that no remaining tile fits, whether or not they can be reached yet."""
        return tuple(self.board.name(cell) for cell in self._dead)

    def hexagons(self) -> tuple[str, ...]:
        """A name of each point with all six cells around it filled."""
        return tuple(self._point_name(p) for p in self._centres if all(cell in self.placed for cell in p.cells()))

    def open_hexagons(self) -> tuple[str, ...]:
        """A name of each point with some of its cells filled, where the remaining tiles can fill the others."""
        return tuple(self._point_name(p) for p in self._centres if self._can_be_completed(p))

    def _reachable(self) -> Iterator[Cell]:
        for cell in self.board:
            if not self.placed:
                near = cell in self.first_cells
            else:
                near = cell not in self.placed and any(n in self.placed for n in cell.neighbours())
            if near:
                yield cell

    def _moves_to(self, cell: Cell, hands: Mapping[str, Supply]) -> Iterator[Move]:
        hexagons = tuple(
            self._point_name(p) for p in cell.corners() if all(c == cell or c in self.placed for c in p.cells())
        )
        bridge = self._tip(cell)
        known = self._known(cell)
        for player, supply in hands.items():
            for tile in supply:
                if not self.placed and tile in self.not_first:
                    continue
                for text in tile.orientations():
                    if _agrees(text, known):
                        yield Move(self.board.name(cell), text, player, hexagons, bridge)

    def _tip(self, cell: Cell) -> str | None:
        """The point where a tile in this cell would close a bridge."""
        sides = [k for k, n in enumerate(cell.neighbours()) if n in self.placed]
        if len(sides) != 1:
            return None
        tip = cell.corners()[(sides[0] + 2) % 3]
        return self._point_name(tip) if any(c in self.placed for c in tip.cells()) else None

    def _known(self, cell: Cell) -> tuple[str | None, ...]:
        """What the tiles around show at each of the cell's corners (or sides)."""
        return tuple(self._shown[s][0] if s in self._shown else None for s in self.puzzle.spots(cell))

    @cached_property
    def remaining(self) -> Supply:
        """The tiles that aren't on the board, in hand or not."""
        supply = self.puzzle.supply
        return Supply({tile: copies - self._used[tile] for tile, copies in supply.items()}, "remaining")

    @cached_property
    def _dead(self) -> tuple[Cell, ...]:
        texts = [text for tile in self.remaining for text in tile.orientations()]

        @cache
        def dead(known: tuple[str | None, ...]) -> bool:
            return not any(_agrees(text, known) for text in texts)

        return tuple(cell for cell in self.board if cell not in self.placed and dead(self._known(cell)))

    @cached_property
    def _centres(self) -> tuple[Point, ...]:
        """The points with all six cells on the board, in reading order."""
        return tuple(p for p in self.board.points if all(cell in self.board for cell in p.cells()))

    def _can_be_completed(self, centre: Point) -> bool:
        from trisolve.engines import solve

        empty = [cell for cell in centre.cells() if cell not in self.placed]
        if not 0 < len(empty) < 6 or any(cell in self._dead for cell in empty):
            return False
        spots = {spot for cell in empty for spot in self.puzzle.spots(cell)}
        around = [cell for cell in self.placed if spots.intersection(self.puzzle.spots(cell))]
        tiles = Counter(dict(self.remaining.items()))
        tiles.update(Tile(self.placed[cell]) for cell in around)
        clues = [TileClue(cell, Tile(self.placed[cell]), self.placed[cell]) for cell in around]
        little = Puzzle(Board([*empty, *around]), Supply(tiles), match=self.puzzle.match, clues=clues)
        return solve(little, engine="dlx") is not None

    def _point_name(self, point: Point) -> str:
        return self.puzzle.spot_name(point)


def _agrees(text: str, known: tuple[str | None, ...]) -> bool:
    """True when a tile that lies so shows what is known, or nothing, at each place."""
    return all(k is None or mark in (WILD, k) for mark, k in zip(text, known, strict=True))


def _middle(board: Board) -> frozenset[Cell]:
    """The cells whose centres are nearest to the centre of the whole board."""
    if not board.cells:
        return frozenset()
    # Three times the centre of a cell is the sum of its corners.
    sums = {cell: [sum(axis) for axis in zip(*cell.corners(), strict=True)] for cell in board}
    n = len(board)
    middle = [sum(axis) for axis in zip(*sums.values(), strict=True)]

    def distance(cell: Cell) -> int:
        x: int = n * sums[cell][0] - middle[0]
        y: int = n * sums[cell][1] - middle[1]
        return x * x + x * y + y * y

    least = min(map(distance, board))
    return frozenset(cell for cell in board if distance(cell) == least)
