"""What maps a puzzle to itself: board rotations and reflections together with permutations of the values.

A symmetry of a puzzle is a pair: a symmetry of the lattice that maps the board onto itself, and a
permutation of the values, such that together they also map supply, clues and border onto themselves. A
reflection turns every tile into its mirror image. Solutions are mapped to solutions, so a search need look
at only one solution of each orbit.

All symmetries together are the puzzle's group, and the solutions that it maps to each other are an orbit. A
:class:`Group` is that group, or the part of it that leaves the values or the board alone.

Permutations of ten values can't be listed, so nothing here needs the list. :func:`classes` finds the values that may be
exchanged freely with each other. They can be renamed at will, so of all the elements that differ by such
exchanges one is enough, and :func:`partners` finds those by backtracking. For the 24 Trioker tiles on a
hexagon twelve elements, one for each symmetry of the board, and the class 0123 stand for 12 x 4! = 288.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from math import factorial, prod
from typing import Literal, TypeVar, get_args

from trisolve.board import Board
from trisolve.lattice import SYMMETRIES, Cell, Edge, Point, Symmetry
from trisolve.puzzle import Clue, FillClue, Puzzle, TileClue, ValueClue
from trisolve.tiles import WILD, Tile
from trisolve.words import counted

Values = Mapping[int, int]
"""A permutation of the values, old to new."""

UpTo = Literal["rotation", "reflection", "values", "symmetry"]
"""Which symmetries count: rotations of the board, rotations and reflections (both leaving the values as they
are), permutations of the values (leaving the board as it is), or all pairs."""

CHOICES: tuple[UpTo, ...] = get_args(UpTo)


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
        if isinstance(clue, FillClue):
            return FillClue(self.lattice.cell(clue.cell), clue.filled)
        if clue.placed is None:
            return TileClue(self.lattice.cell(clue.cell), self.tile(clue.tile))
        cell, placed = self.placed(puzzle, clue.cell, clue.placed)
        return TileClue(cell, Tile(placed), placed)

    def after(self, other: Element) -> Element:
        """The other element, then this one."""
        s, t = self.lattice, other.lattice
        shift = s.point(Point(t.dx, t.dy))
        lattice = Symmetry(
            s.a * t.a + s.b * t.c, s.a * t.b + s.b * t.d, s.c * t.a + s.d * t.c, s.c * t.b + s.d * t.d, *shift
        )
        return Element(lattice, {v: self.values[w] for v, w in other.values.items()})

    def inverse(self) -> Element:
        """The element that undoes this one."""
        s = self.lattice
        sign = s.a * s.d - s.b * s.c
        turn = Symmetry(sign * s.d, -sign * s.b, -sign * s.c, sign * s.a)
        back = turn.point(Point(-s.dx, -s.dy))
        return Element(turn.shifted(*back), {w: v for v, w in self.values.items()})


def _permuted(mark: str, values: Values) -> str:
    return WILD if mark == WILD else str(values[int(mark)])


def board_symmetries(board: Board) -> list[Symmetry]:
    """The lattice symmetries that map the board onto itself, the identity first. Takes O(n) time."""
    # A cell is known by the sum of its corners, three times its centre, on which a symmetry acts likewise.
    centres = [(sum(p.x for p in corners), sum(p.y for p in corners)) for corners in (c.corners() for c in board)]
    if not centres:
        return [SYMMETRIES[0]]
    there = set(centres)
    left, low = (min(column) for column in zip(*centres, strict=True))
    found = []
    for symmetry in SYMMETRIES:
        a, b, c, d = symmetry[:4]
        images = [(a * x + b * y, c * x + d * y) for x, y in centres]
        dx, dy = (least - min(column) for least, column in zip((left, low), zip(*images, strict=True), strict=True))
        if not dx % 3 and not dy % 3 and all((x + dx, y + dy) in there for x, y in images):
            found.append(symmetry.shifted(dx // 3, dy // 3))
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


def partners(
    puzzle: Puzzle, lattice: Symmetry, given: Values, blocks: Sequence[tuple[int, ...]] = ()
) -> Iterator[Element]:
    """The symmetries of the puzzle with this lattice part whose permutation extends the given one.

    With ``blocks``, a partition of the values, only the permutations that map each block to one in the same
    order. They come in lexicographic order; each step of the search is checked against supply, clues and border.
    """
    values = puzzle.supply.values
    images = blocks or [(v,) for v in values]
    rest = [block for block in images if block[0] not in given]
    step = {v: i for i, block in enumerate(rest) for v in block}
    supply, clues = puzzle.supply, set(puzzle.clues)
    tiles_at: list[list[Tile]] = [[] for _ in rest]
    clues_at: list[list[Clue]] = [[] for _ in rest]
    for tile in supply:
        if not tile.values() <= given.keys():
            tiles_at[max(step.get(v, -1) for v in tile.values())].append(tile)
    for clue in puzzle.clues:
        if isinstance(clue, FillClue):
            continue
        shown = {clue.value} if isinstance(clue, ValueClue) else clue.tile.values()
        if not shown <= given.keys():
            clues_at[max(step.get(v, -1) for v in shown)].append(clue)

    def extend(i: int, mapped: dict[int, int]) -> Iterator[Element]:
        if i == len(rest):
            element = Element(lattice, mapped)
            if is_symmetry(puzzle, element):
                yield element
            return
        taken = set(mapped.values())
        for image in images:
            if image[0] in taken or len(image) != len(rest[i]):
                continue
            more = {**mapped, **dict(zip(rest[i], image, strict=True))}
            trial = Element(lattice, more)
            if all(supply.copies(trial.tile(tile)) == supply[tile] for tile in tiles_at[i]) and all(
                trial.clue(puzzle, clue) in clues for clue in clues_at[i]
            ):
                yield from extend(i + 1, more)

    if len(set(given.values())) == len(given):
        yield from extend(0, dict(given))


_Thing = TypeVar("_Thing")
_Key = tuple[Symmetry, tuple[int, ...], tuple[tuple[tuple[int, ...], int], ...]]

# -- the group ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Group:
    """The symmetries of a puzzle, or some of them that form a group; made by :func:`group`.

    Every element is, in exactly one way, a permutation within the classes followed by a representative.
    """

    puzzle: Puzzle
    classes: tuple[tuple[int, ...], ...]
    """A partition of the values: those of a class may be exchanged freely."""
    representatives: tuple[Element, ...]
    """One element for each way to move the board and the classes, the identity first."""

    @property
    def order(self) -> int:
        """The number of elements."""
        return len(self.representatives) * prod(factorial(len(c)) for c in self.classes)

    def __repr__(self) -> str:
        return f"Group({self})"

    def __str__(self) -> str:
        """The order and what is in it, e.g. ``12: 6 rotations, 0 and 3 interchangeable``."""
        ways = self._ways()
        turns = Counter((way.lattice.reflects, _spelt(way.values)) for way in ways)
        parts = [
            counted(number, "reflection" if reflects else "rotation") + (f" (with {moved})" if moved else "")
            for (reflects, moved), number in turns.items()
        ]
        if len(ways) == 1:
            parts = []
        parts += [f"{_listed(c)} interchangeable" for c in self.classes if len(c) > 1]
        exchanges = len(self.representatives) // len(ways)
        if exchanges > 1:
            example = _spelt(self.representatives[1].values)
            parts.append(f"{exchanges} ways to rename the values (one is {example})")
        return f"{self.order:,}: {', '.join(parts) or 'the identity only'}"

    def as_json(self) -> dict[str, object]:
        """What is in the group, in numbers.

        ``rotations`` and ``reflections`` are symmetries of the board, ``permutations`` the permutations of the values
        that go with each of them; the order is their sum times the permutations.
        """
        ways = self._ways()
        reflections = sum(way.lattice.reflects for way in ways)
        return {
            "order": self.order,
            "rotations": len(ways) - reflections,
            "reflections": reflections,
            "permutations": self.order // len(ways),
            "interchangeable": [list(c) for c in self.classes if len(c) > 1],
        }

    def _ways(self) -> list[Element]:
        """For each way to move the board, the representative that moves the fewest values."""
        best: dict[Symmetry, Element] = {}
        for element in self.representatives:
            other = best.setdefault(element.lattice, element)
            if _moved(element.values) < _moved(other.values):
                best[element.lattice] = element
        return list(best.values())

    def elements(self) -> Iterator[Element]:
        """All elements, one by one; there may be millions."""
        for element in self.representatives:
            for images in product(*(permutations(c) for c in self.classes)):
                renamed = dict(zip(sum(self.classes, ()), sum(images, ()), strict=True))
                yield element.after(Element(SYMMETRIES[0], renamed))

    def canonical(self, cells: Mapping[Cell, str]) -> dict[Cell, str]:
        """The least image of a solution: the placed tiles, in reading order, come first in the alphabet.

        Two solutions have the same one exactly when an element maps one to the other. Takes a placed tile for
        every cell of the board; with ``fill: tiles`` for some of them, and an empty cell comes before all tiles.
        Raises ValueError for anything else.
        """
        puzzle = self.puzzle
        whole = cells.keys() <= set(puzzle.board) and (puzzle.fill == "tiles" or len(cells) == len(puzzle.board))
        if not whole or any(Tile(text) not in puzzle.supply for text in cells.values()):
            where = "in cells" if puzzle.fill == "tiles" else "in every cell"
            raise ValueError(f"expected a tile of the supply {where} of the board")
        least = min(self._renamed(e, cells) for e in self.representatives)
        return {cell: text for cell, text in zip(puzzle.board, least, strict=True) if text}

    def _renamed(self, element: Element, cells: Mapping[Cell, str]) -> tuple[str, ...]:
        """The least of the images by this element and those that differ from it by exchanges within classes."""
        images = dict(element.placed(self.puzzle, cell, text) for cell, text in cells.items())
        texts = [images.get(cell, "") for cell in self.puzzle.board]
        # Of a class, the value that occurs first gets the least name.
        names = {WILD: WILD}
        unused = {str(v): fresh for fresh, c in ((iter(c), c) for c in self.classes) for v in c}
        for mark in "".join(texts):
            if mark not in names:
                names[mark] = str(next(unused[mark]))
        return tuple("".join(names[mark] for mark in text) for text in texts)

    def conjugates(self) -> list[tuple[Element, int]]:
        """The group in parts whose elements fix equally many solutions: one element of each part, and its size.

        The elements of a part are conjugate to each other, or to each other's inverses. Ten interchangeable values
        have 3,628,800 permutations in 42 parts.
        """
        sizes: Counter[_Key] = Counter()
        example: dict[_Key, Element] = {}
        turns = self._ways()
        for element in self.representatives:
            moved = cycles({c: self._image(c, element) for c in self.classes})
            for shape in product(*(list(_partitions(len(cycle[0]), len(cycle[0]))) for cycle in moved)):
                exchanged = {v: v for c in self.classes for v in c}
                size = 1
                for cycle, lengths in zip(moved, shape, strict=True):
                    exchanged.update(_with_cycles(cycle[0], lengths))
                    # Whatever is done to the other classes of the cycle can be undone by conjugation.
                    size *= factorial(len(cycle[0])) ** (len(cycle) - 1) * _number_with_cycles(lengths)
                found = element.after(Element(SYMMETRIES[0], exchanged))
                both = found, found.inverse()
                key = min(self._key(t.after(one).after(t.inverse())) for t in turns for one in both)
                sizes[key] += size
                example.setdefault(key, found)
        return [(example[key], size) for key, size in sizes.items()]

    def _image(self, members: tuple[int, ...], element: Element) -> tuple[int, ...]:
        """The class that an element maps a class to."""
        return next(c for c in self.classes if element.values[members[0]] in c)

    def _key(self, element: Element) -> _Key:
        """The same exactly for elements that are conjugate by exchanges within classes."""
        where = {v: i for i, c in enumerate(self.classes) for v in c}
        lengths = sorted((tuple(sorted({where[v] for v in cycle})), len(cycle)) for cycle in cycles(element.values))
        return element.lattice, tuple(where[element.values[c[0]]] for c in self.classes), tuple(lengths)


def group(puzzle: Puzzle, up_to: UpTo = "symmetry") -> Group:
    """The group of a puzzle, or the part of it that ``up_to`` names; see :data:`UpTo`.

    Raises ValueError for an unknown name.
    """
    if up_to not in CHOICES:
        raise ValueError(f"up to {up_to!r}: expected one of {', '.join(CHOICES)}")
    lattice = board_symmetries(puzzle.board)
    if up_to in ("rotation", "reflection"):
        same = {v: v for v in puzzle.supply.values}
        elements = [Element(s, same) for s in lattice if up_to == "reflection" or not s.reflects]
        kept = tuple(element for element in elements if is_symmetry(puzzle, element))
        return Group(puzzle, tuple((v,) for v in same), kept)
    free = tuple(classes(puzzle))
    moves = lattice[:1] if up_to == "values" else lattice
    return Group(puzzle, free, tuple(e for s in moves for e in partners(puzzle, s, {}, free)))


def cycles(permutation: Mapping[_Thing, _Thing]) -> list[list[_Thing]]:
    """The cycles of a permutation, those of length 1 among them."""
    found: list[list[_Thing]] = []
    seen: set[_Thing] = set()
    for start in permutation:
        if start not in seen:
            cycle = [start]
            while permutation[cycle[-1]] != start:
                cycle.append(permutation[cycle[-1]])
            seen.update(cycle)
            found.append(cycle)
    return found


def _partitions(number: int, most: int) -> Iterator[tuple[int, ...]]:
    """The ways to write a number as a sum of numbers up to ``most`` that don't increase."""
    if not number:
        yield ()
    for first in range(min(number, most), 0, -1):
        for rest in _partitions(number - first, first):
            yield (first, *rest)


def _with_cycles(members: Sequence[int], lengths: Sequence[int]) -> dict[int, int]:
    """A permutation of the members whose cycles have these lengths."""
    moved: dict[int, int] = {}
    first = 0
    for length in lengths:
        cycle = members[first : first + length]
        moved.update(zip(cycle, [*cycle[1:], cycle[0]], strict=True))
        first += length
    return moved


def _number_with_cycles(lengths: Sequence[int]) -> int:
    """The number of permutations whose cycles have these lengths."""
    same = prod(int(n**k) * factorial(k) for n, k in Counter(lengths).items())
    return factorial(sum(lengths)) // same


def _moved(values: Values) -> int:
    return sum(v != w for v, w in values.items())


def _spelt(values: Values) -> str:
    """A permutation as people say it: 1 and 2 exchanged, 0 -> 3 -> 4 -> 0."""
    moving = [cycle for cycle in cycles(values) if len(cycle) > 1]
    return ", ".join(
        f"{_listed(cycle)} exchanged" if len(cycle) == 2 else " -> ".join(map(str, [*cycle, cycle[0]]))
        for cycle in moving
    )


def _listed(values: Sequence[int]) -> str:
    return f"{', '.join(map(str, values[:-1]))} and {values[-1]}"
