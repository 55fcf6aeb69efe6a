"""A puzzle: a board, a supply of tiles, a matching rule, what is to be filled, and clues.

The constructor is the one place that says what is wrong with a puzzle. It takes clues as a shape file
writes them (``{"cell": "r2c4", "tile": "012"}``), resolves them to cells and nodes, and raises a
:class:`PuzzleError` that lists every problem with its path, so that the loader can point at the line.
*Malformed* is a clue off the board, a value that no tile has, two clues that contradict each other; a
puzzle with too few tiles or with a cell that nothing fits is well formed, it merely has no solution.

The other thing made here is the list of **nodes**, the places where tiles must agree: the lattice points of
the board under corner matching, its edges under edge matching. ``border: same`` needs no rule of its own:
it makes all nodes of the outer border one node.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Literal, NamedTuple

from trisolve.board import Board, BoardError, part_index
from trisolve.display import Displayed
from trisolve.lattice import CORNER_NAMES, SIDE_NAMES, Cell, Edge, Point
from trisolve.tiles import WILD, Match, Supply, Tile, named_set, rotations

Node = Point | Edge | Literal["border"]
Fill = Literal["board", "tiles"]
Path = tuple[str | int, ...]


class Problem(NamedTuple):
    """One thing that is wrong: the path of the entry, as in ``("clues", 2, "tile")``, and a sentence."""

    path: Path
    message: str


class PuzzleError(ValueError):
    """A puzzle that makes no sense; ``problems`` lists all that is wrong with it."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(f"{_spelt(p.path)}: {p.message}" for p in self.problems))


@dataclass(frozen=True)
class TileClue:
    """This kind lies in this cell; ``placed`` fixes the orientation (values from corner 0 on) if not None."""

    cell: Cell
    tile: Tile
    placed: str | None = None


@dataclass(frozen=True)
class ValueClue:
    """The tiles at this node show this value (wild corners aside)."""

    node: Point | Edge
    value: int


@dataclass(frozen=True)
class FillClue:
    """This cell holds a tile, or stays empty; only with ``fill: tiles``."""

    cell: Cell
    filled: bool


Clue = TileClue | ValueClue | FillClue


@dataclass(frozen=True)
class Points:
    """So many points for every placed tile of this kind, in this cell; None stands for any."""

    cell: Cell | None
    tile: Tile | None
    points: int


class Puzzle(Displayed):
    """A board to fill.

    Parameters
    ----------
    board
        The cells.
    tiles
        The name of a set, a :class:`Supply`, a list of tiles, or a mapping of tiles to copies.
    match
        ``"corners"`` or ``"edges"``; by default what the named set says, else corners.
    border
        None, a value, or ``"same"``: one value, whichever, on the whole outer border.
    fill
        ``"board"``: every cell is filled. ``"tiles"``: every tile is placed, cells may stay empty, and the
        filled cells are connected by edges.
    clues
        Mappings as in a shape file, or :class:`TileClue`, :class:`ValueClue` and :class:`FillClue`.
    score
        What a solution is worth, for :func:`trisolve.best`: mappings as in a shape file, or :class:`Points`.
    name, title, source
        Texts that say what the puzzle is.

    Raises
    ------
    PuzzleError
        with every problem found.

    >>> Puzzle(Board.triangle(2), "trioker", clues=[{"cell": "r1c2", "tile": "012"}])
    Puzzle(4 cells, trioker, corners)
    """

    def __init__(
        self,
        board: Board,
        tiles: str | Supply | Mapping[Tile | str, int] | Iterable[Tile | str] = "trioker",
        *,
        match: Match | None = None,
        border: int | Literal["same"] | None = None,
        fill: str = "board",
        clues: Iterable[Clue | Mapping[str, object]] = (),
        score: Iterable[Points | Mapping[str, object]] = (),
        name: str = "",
        title: str = "",
        source: str = "",
    ) -> None:
        if not isinstance(board, Board):
            raise PuzzleError([Problem(("board",), f"{board!r} is no board: expected a Board")])
        self.board = board
        self.name = name
        self.title = title
        self.source = source
        default: str = "corners"
        if isinstance(tiles, str):
            try:
                named = named_set(tiles)
            except ValueError as error:
                raise PuzzleError([Problem(("tiles",), str(error))]) from None
            self.supply, default = named.supply(), named.match
        else:
            try:
                own = Supply({Tile(str(t)): n for t, n in tiles.items()}) if isinstance(tiles, Mapping) else tiles
                self.supply = own if isinstance(own, Supply) else Supply.of(own)
            except (TypeError, ValueError) as error:
                raise PuzzleError([Problem(("tiles",), str(error))]) from None
        rule = match or default
        if rule not in ("corners", "edges"):
            raise PuzzleError([Problem(("match",), f"{rule!r}: expected corners or edges")])
        self.match: Match = "edges" if rule == "edges" else "corners"
        if fill not in ("board", "tiles"):
            raise PuzzleError([Problem(("fill",), f"{fill!r}: expected board or tiles")])
        self.fill: Fill = "tiles" if fill == "tiles" else "board"
        self.border = border
        problems: list[Problem] = []
        if border is not None and border != "same":
            problems += self._value_problems(border, ("border",))
        self.clues: tuple[Clue, ...] = self._parsed(clues, problems)
        self.score: tuple[Points, ...] = self._scored(score, problems)
        if not problems:
            problems += self._contradictions()
        if problems:
            raise PuzzleError(problems)

    def __repr__(self) -> str:
        named = f"{self.name}: " if self.name else ""
        return f"Puzzle({named}{len(self.board)} cells, {self.supply.name}, {self.match})"

    @classmethod
    def load(cls, puzzle: str | os.PathLike[str], tiles: str | None = None) -> Puzzle:
        """The puzzle in a shape file, or the bundled one of that name.

        ``tiles`` replaces the supply of the file by a named set.
        Raises ShapeFileError for a file that is bad or can't be read, ValueError for an unknown set.
        """
        from trisolve import shapefile

        supply = None if tiles is None else named_set(tiles).supply()
        document = shapefile.read(puzzle)
        match = document.match
        if tiles is not None and not document.match_given:
            match = named_set(tiles).match
        try:
            return cls(
                document.board,
                supply or document.supply,
                match=match,
                border=document.border,
                fill=document.fill,
                clues=document.clues,
                score=document.score,
                name=document.name,
                title=document.title,
                source=document.source,
            )
        except PuzzleError as error:
            raise document.error([(p.path, p.message) for p in error.problems]) from None

    @cached_property
    def digest(self) -> str:
        """A hash (SHA-256, hexadecimal) of what is to be solved.

        It is the same however the puzzle is written: names, the place on the lattice and the order of clues are no
        part of it.
        """
        left = min((cell.x for cell in self.board), default=0)
        low = min((cell.y for cell in self.board), default=0)

        def clue(given: Clue) -> list[object]:
            if isinstance(given, ValueClue):
                points = [given.node] if isinstance(given.node, Point) else [given.node.start, given.node.end]
                return ["value", [[p.x - left, p.y - low] for p in points], given.value]
            x, y, up = given.cell
            if isinstance(given, FillClue):
                return ["filled", [x - left, y - low, up], given.filled]
            return ["tile", [x - left, y - low, up], given.tile.text, given.placed]

        facts = [
            sorted([cell.x - left, cell.y - low, cell.up] for cell in self.board),
            sorted([tile.text, copies] for tile, copies in self.supply.items()),
            self.match,
            self.fill,
            self.border,
            sorted((clue(given) for given in self.clues), key=repr),
        ]
        return sha256(json.dumps(facts).encode()).hexdigest()

    # -- nodes ------------------------------------------------------------------------------------

    def spots(self, cell: Cell) -> tuple[Point | Edge, ...]:
        """Where the three values of a tile in this cell lie: at its corners, or on its sides."""
        return cell.corners() if self.match == "corners" else cell.sides()

    @cached_property
    def _spots(self) -> frozenset[Point | Edge]:
        return frozenset(spot for cell in self.board for spot in self.spots(cell))

    @cached_property
    def outer(self) -> frozenset[Point | Edge]:
        """The points (or edges) on the outer border."""
        edges = self.board.outer_edges
        return edges if self.match == "edges" else frozenset(p for e in edges for p in (e.start, e.end))

    def node(self, spot: Point | Edge) -> Node:
        """The node that a point (or edge) belongs to."""
        return "border" if self.border == "same" and spot in self.outer else spot

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """All nodes, in order of first use."""
        return tuple(dict.fromkeys(self.node(s) for c in self.board for s in self.spots(c)))

    @cached_property
    def fixed(self) -> dict[Node, int]:
        """The nodes whose value the clues and the border fix."""
        return {node: value for node, (value, _) in self._facts()[0].items()}

    @cached_property
    def placed(self) -> dict[Cell, TileClue]:
        """The cells whose tile a clue names; where two do, the one that also fixes the orientation."""
        clues = (c for c in self.clues if isinstance(c, TileClue))
        return {c.cell: c for c in sorted(clues, key=lambda c: c.placed is not None)}

    @cached_property
    def required(self) -> frozenset[Cell]:
        """The cells that hold a tile in every solution, as the clues say; all of them with ``fill: board``."""
        if self.fill == "board":
            return frozenset(self.board)
        marked = (c.cell for c in self.clues if isinstance(c, FillClue) and c.filled)
        return frozenset((*self.placed, *marked))

    @cached_property
    def blank(self) -> frozenset[Cell]:
        """The cells that the clues leave empty."""
        return frozenset(c.cell for c in self.clues if isinstance(c, FillClue) and not c.filled)

    # -- clues ------------------------------------------------------------------------------------

    @cached_property
    def _spot_names(self) -> dict[Point | Edge, str]:
        found: dict[Point | Edge, str] = {}
        for cell in self.board:
            places: tuple[Point | Edge, ...] = (*cell.corners(), *cell.sides())
            for place, name in zip(places, (*CORNER_NAMES[cell.up], *SIDE_NAMES[cell.up]), strict=True):
                found.setdefault(place, f"{self.board.name(cell)}.{name}")
        return found

    def spot_name(self, spot: Point | Edge) -> str:
        """A name of a point or edge of the board, e.g. ``r1c2.top``; raises KeyError for one off the board."""
        return self._spot_names[spot]

    def _value_problems(self, value: object, path: Path) -> list[Problem]:
        if isinstance(value, int) and not isinstance(value, bool) and value in self.supply.values:
            return []
        values = ", ".join(map(str, self.supply.values)) or "none, for there are no tiles with values"
        return [Problem(path, f"no tile of {self.supply.name} has the value {value!r}: expected one of {values}")]

    def _parsed(self, clues: Iterable[Clue | Mapping[str, object]], problems: list[Problem]) -> tuple[Clue, ...]:
        parsed: list[Clue] = []
        for i, given in enumerate(clues):
            path: Path = ("clues", i)
            try:
                clue = given if isinstance(given, TileClue | ValueClue | FillClue) else self._clue(given, path)
            except PuzzleError as error:
                problems += error.problems
                continue
            problems += self._misfits(clue, path)
            parsed.append(clue)
        return tuple(parsed)

    def _misfits(self, clue: Clue, path: Path) -> list[Problem]:
        """What is wrong with a clue by itself, however it was made."""
        if isinstance(clue, ValueClue):
            if clue.node not in self._spots:
                what = "point" if self.match == "corners" else "edge"
                return [Problem(path, f"{clue.node} is no {what} of the board")]
            return self._value_problems(clue.value, (*path, "value"))
        if clue.cell not in self.board:
            return [Problem((*path, "cell"), f"{clue.cell} is not on the board")]
        if isinstance(clue, FillClue):
            what = "filled" if clue.filled else "empty"
            message = f"a cell that {'is filled' if clue.filled else 'stays empty'}: expected only with fill: tiles"
            return [] if self.fill == "tiles" else [Problem((*path, what), message)]
        if clue.tile not in self.supply:
            return [Problem((*path, "tile"), f"tile {clue.tile} is not in {self.supply.name}")]
        if clue.placed is not None and clue.placed not in clue.tile.orientations():
            return [Problem((*path, "tile"), f"{clue.placed} is no orientation of {clue.tile}")]
        return []

    def _clue(self, given: Mapping[str, object], path: Path) -> Clue:
        """A clue in the form of a shape file. Raises PuzzleError with one problem."""
        if not isinstance(given, Mapping):
            raise PuzzleError([Problem(path, f"{given!r} is no clue: expected a mapping")])
        keys = set(given)
        text = {key: str(value) for key, value in given.items()}
        at = ""
        try:
            if keys in ({"cell", "tile"}, {"cell", "tile", "corner"}, {"cell", "tile", "edge"}):
                at = "cell"
                cell = self.board.cell(text["cell"])
                at = "tile"
                tile = Tile(text["tile"])
                if len(keys) == 2:
                    return TileClue(cell, tile)
                at = "corner" if "corner" in keys else "edge"
                self._check_place(at)
                k = part_index(cell, text[at], at, CORNER_NAMES if at == "corner" else SIDE_NAMES)
                return TileClue(cell, tile, rotations(text["tile"])[-k % 3])
            for at in ("corner", "edge"):
                if keys == {at, "value"}:
                    self._check_place(at)
                    spot = self.board.corner(text[at]) if at == "corner" else self.board.side(text[at])
                    at = "value"
                    if not re.fullmatch("-?[0-9]{1,9}", text["value"]):
                        raise BoardError(f"{text['value']!r} is not a value: expected a digit")
                    return ValueClue(spot, int(text["value"]))
            for what in ("empty", "filled"):
                if keys == {"cell", what}:
                    at = "cell"
                    cell = self.board.cell(text["cell"])
                    at = what
                    if text[what].lower() != "true":
                        raise BoardError(f"{text[what]!r}: expected true")
                    return FillClue(cell, what == "filled")
            at = ""
            raise BoardError(
                f"a clue with the keys {', '.join(sorted(keys)) or 'none'}: "
                "expected cell and tile (and corner), corner and value, edge and value, or cell and empty or filled"
            )
        except ValueError as error:
            raise PuzzleError([Problem((*path, at) if at else path, str(error))]) from None

    def _scored(self, score: Iterable[Points | Mapping[str, object]], problems: list[Problem]) -> tuple[Points, ...]:
        parsed: list[Points] = []
        for i, given in enumerate(score):
            entry = {} if isinstance(given, Points) else given
            at = ""
            try:
                if isinstance(given, Points):
                    item = given
                else:
                    if not {"points"} < set(entry) <= {"cell", "tile", "points"}:
                        raise BoardError("expected points, and a cell or a tile or both")
                    at = "cell"
                    cell = self.board.cell(str(entry["cell"])) if "cell" in entry else None
                    at = "tile"
                    tile = Tile(str(entry["tile"])) if "tile" in entry else None
                    at = "points"
                    if not re.fullmatch("-?[0-9]{1,9}", str(entry["points"])):
                        raise BoardError(f"{str(entry['points'])!r}: expected a whole number")
                    item = Points(cell, tile, int(str(entry["points"])))
                at = "tile"
                if item.tile is not None and item.tile not in self.supply:
                    raise BoardError(f"tile {item.tile} is not in {self.supply.name}")
                at = "cell"
                if item.cell is not None and item.cell not in self.board:
                    raise BoardError(f"{item.cell} is not on the board")
                parsed.append(item)
            except ValueError as error:
                problems.append(Problem(("score", i, at) if at in entry else ("score", i), str(error)))
        return tuple(parsed)

    def _check_place(self, what: str) -> None:
        if self.match != what + "s":
            raise BoardError(
                f"values lie on the {self.match} of a tile here: expected the key {self.match[:-1]}, not {what}"
            )

    def _facts(self) -> tuple[dict[Node, tuple[int, str]], list[Problem]]:
        """Values that nodes must have with a word on who says so, and where the facts clash."""
        facts: dict[Node, tuple[int, str]] = {}
        problems: list[Problem] = []

        def fact(spot: Point | Edge, value: int, who: str, path: Path) -> None:
            node = self.node(spot)
            known, says = facts.setdefault(node, (value, who))
            if known != value:
                where = "the border" if node == "border" else self.spot_name(spot)
                problems.append(Problem(path, f"{who} wants {value} at {where}, but {says} wants {known} there"))

        if isinstance(self.border, int):
            for spot in sorted(self.outer):
                fact(spot, self.border, "the border", ("border",))
        for i, clue in enumerate(self.clues):
            path: Path = ("clues", i)
            if isinstance(clue, ValueClue):
                fact(clue.node, clue.value, f"clue {i + 1}", path)
            elif isinstance(clue, TileClue) and clue.placed is not None:
                for spot, value in zip(self.spots(clue.cell), clue.placed, strict=True):
                    if value != WILD:
                        fact(spot, int(value), f"clue {i + 1}", path)
        return facts, problems

    def _contradictions(self) -> list[Problem]:
        facts, problems = self._facts()
        values = {node: value for node, (value, _) in facts.items()}
        tiles: dict[Cell, tuple[int, TileClue]] = {}
        copies: Counter[Tile] = Counter()
        holds: dict[Cell, tuple[int, bool]] = {}
        for i, clue in enumerate(self.clues):
            if isinstance(clue, ValueClue):
                continue
            path: Path = ("clues", i)
            filled = isinstance(clue, TileClue) or clue.filled
            before, was = holds.setdefault(clue.cell, (i, filled))
            if was != filled:
                where = self.board.name(clue.cell)
                message = f"clue {i + 1} contradicts clue {before + 1} on whether {where} is filled"
                problems.append(Problem(path, message))
            if isinstance(clue, FillClue):
                continue
            first, other = tiles.setdefault(clue.cell, (i, clue))
            if first != i:
                if other.placed is None:
                    tiles[clue.cell] = i, clue
                both_placed = clue.placed and other.placed and clue.placed != other.placed
                if clue.tile != other.tile or both_placed:
                    where = self.board.name(clue.cell)
                    problems.append(Problem(path, f"clue {i + 1} contradicts clue {first + 1} on what lies in {where}"))
                continue
            copies[clue.tile] += 1
            have = self.supply.copies(clue.tile)
            if copies[clue.tile] == have + 1:
                message = f"the clues use {clue.tile} more often than {self.supply.name} has it ({have})"
                problems.append(Problem((*path, "tile"), message))
            ways = clue.tile.orientations()
            if clue.placed is None and not any(self.agrees(clue.cell, placed, values) for placed in ways):
                here = [s for s in self.spots(clue.cell) if self.node(s) in values]
                says = ", ".join(f"{self.spot_name(s)} = {values[self.node(s)]}" for s in here) or "the border"
                problems.append(Problem(path, f"no orientation of {clue.tile} agrees with what else is given ({says})"))
        return problems

    def agrees(self, cell: Cell, placed: str, values: Mapping[Node, int]) -> bool:
        """True when a tile placed so in the cell agrees with these node values and with itself."""
        own: dict[Node, int] = {}
        for spot, mark in zip(self.spots(cell), placed, strict=True):
            if mark == WILD:
                continue
            node, value = self.node(spot), int(mark)
            if values.get(node, value) != value or own.setdefault(node, value) != value:
                return False
        return True


def _spelt(path: Sequence[str | int]) -> str:
    """A path as people write it: clues[2].tile."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text or "puzzle"
