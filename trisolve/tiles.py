"""Tiles, supplies of tiles, and the named sets.

A tile is three values read anticlockwise and never turned over, so it is a cyclic triple: 012, 120 and 201
are one tile, 021 is its mirror image. It is written as three characters, ``W`` for a wild corner, and kept
in the rotation that sorts first. A supply says how many copies of each kind there are. The sets that people
buy and write about are listed once, in :data:`SETS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, ItemsView, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import product
from typing import Literal

Match = Literal["corners", "edges"]
"""Where the values of a tile lie, and so where tiles must agree."""

WILD = "W"
"""The character of a wild corner: it agrees with every value and fixes none."""

MAX_COPIES = 1_000_000
"""The largest number of copies of a kind that a supply may hold."""

_TEXT = re.compile(r"[0-9W]{3}")


@dataclass(frozen=True, order=True)
class Tile:
    """A tile kind, e.g. ``Tile("120")``; equal to ``Tile("012")``.

    Raises ValueError for anything but three characters, each a digit or ``W``.
    """

    text: str

    def __init__(self, text: str) -> None:
        if not isinstance(text, str) or not _TEXT.fullmatch(text):
            raise ValueError(f"{text!r} is not a tile: expected three characters, each a digit or W, like 012 or 12W")
        object.__setattr__(self, "text", min(rotations(text)))

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Tile({self.text!r})"

    def orientations(self) -> tuple[str, ...]:
        """The distinct ways the tile can lie in a cell: one for 000, three for 001 or 012."""
        return tuple(dict.fromkeys(rotations(self.text)))

    def mirrored(self) -> Tile:
        """The tile read clockwise: 012 becomes 021."""
        return Tile(self.text[::-1])

    def values(self) -> frozenset[int]:
        """The values at the tile's corners, wild ones left out."""
        return frozenset(int(v) for v in self.text if v != WILD)


def rotations(text: str) -> tuple[str, str, str]:
    """The three rotations of a tile's text, the text itself first."""
    return text, text[1:] + text[:1], text[2:] + text[:2]


JOKER = Tile("12W")
"""Trioker's joker."""


class Supply:
    """Tile kinds with the number of copies of each, in sorted order; reads like a mapping of kind to copies.

    ``name`` says what it is in messages; it takes no part in comparison.
    Raises ValueError when a number of copies is negative or over :data:`MAX_COPIES`, TypeError when a key
    is no tile or a number no whole number.
    """

    def __init__(self, copies: Mapping[Tile, int], name: str = "own tiles") -> None:
        for tile, number in copies.items():
            if not isinstance(tile, Tile) or not isinstance(number, int):
                raise TypeError(f"{tile!r}: {number!r}: expected a Tile and a whole number of copies")
            if not 0 <= number <= MAX_COPIES:
                raise ValueError(f"{number} copies of {tile}: expected 0 to {MAX_COPIES:,}")
        self._copies = {tile: copies[tile] for tile in sorted(copies) if copies[tile]}
        self.name = name

    @classmethod
    def of(cls, tiles: Iterable[Tile | str], name: str = "own tiles") -> Supply:
        """A supply from a list; a kind listed twice has two copies."""
        copies: dict[Tile, int] = {}
        for tile in tiles:
            kind = tile if isinstance(tile, Tile) else Tile(tile)
            copies[kind] = copies.get(kind, 0) + 1
        return cls(copies, name)

    def __getitem__(self, tile: Tile) -> int:
        return self._copies[tile]

    def __iter__(self) -> Iterator[Tile]:
        return iter(self._copies)

    def __contains__(self, tile: object) -> bool:
        return tile in self._copies

    def items(self) -> ItemsView[Tile, int]:
        """Kinds with their copies."""
        return self._copies.items()

    def copies(self, tile: Tile) -> int:
        """The number of copies of a kind, 0 if there is none."""
        return self._copies.get(tile, 0)

    def __len__(self) -> int:
        return len(self._copies)

    def __eq__(self, other: object) -> bool:
        return self._copies == other._copies if isinstance(other, Supply) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self._copies.items()))

    def __repr__(self) -> str:
        return f"Supply({self.name}: {self.total} tiles of {len(self)} kinds)"

    @property
    def total(self) -> int:
        """The number of tiles, copies counted."""
        return sum(self._copies.values())

    @cached_property
    def values(self) -> tuple[int, ...]:
        """The values that occur, in increasing order."""
        return tuple(sorted(set().union(*(tile.values() for tile in self))))

    def times(self, copies: int) -> Supply:
        """Every kind ``copies`` times as often."""
        return Supply({tile: n * copies for tile, n in self.items()}, f"{copies} x {self.name}")

    def with_jokers(self, jokers: int) -> Supply:
        """The same supply with exactly this many jokers 12W."""
        copies = {**self._copies, JOKER: jokers}
        return Supply(copies, f"{self.name} with {jokers} joker{'s' * (jokers != 1)}")


def _complete(n: int, first: int = 0) -> list[Tile]:
    """Every cyclic triple of n values: n(n*n + 2)/3 tiles."""
    digits = [str(v) for v in range(first, first + n)]
    return sorted({Tile("".join(triple)) for triple in product(digits, repeat=3)})


def _rising(values: range) -> list[Tile]:
    """The tiles whose values never fall when read clockwise from the lowest."""
    return sorted(Tile(f"{a}{c}{b}") for a, b, c in product(values, repeat=3) if a <= b <= c)


@dataclass(frozen=True)
class TileSet:
    """A named set: how to make its tiles, how they match, and a line about it."""

    name: str
    make: Callable[[], list[Tile]]
    match: Match
    note: str

    def supply(self) -> Supply:
        """One copy of every tile of the set."""
        return Supply.of(self.make(), self.name)


_EVEN = "000 222 001 002 110 220 223 332 012 132 230 310"
_ODD = "111 333 003 112 113 221 330 331 021 123 203 301"


def _listed(text: str) -> list[Tile]:
    return [Tile(word) for word in text.split()]


SETS: dict[str, TileSet] = {
    s.name: s
    for s in (
        TileSet("trioker", lambda: [*_complete(4), JOKER], "corners", "Trioker: 24 tiles of 0 to 3 and the joker"),
        TileSet("trioker-24", partial(_complete, 4), "corners", "Trioker without the joker"),
        TileSet("trioker-even", partial(_listed, _EVEN), "corners", "the even half of Trioker"),
        TileSet("trioker-odd", partial(_listed, _ODD), "corners", "the odd half of Trioker"),
        TileSet("macmahon", partial(_complete, 4, 1), "edges", "MacMahon's triangles of four colours"),
        TileSet("triominoes", partial(_rising, range(6)), "corners", "Triominoes, values 0 to 5"),
        TileSet("triominoes-6", partial(_rising, range(7)), "corners", "Triominoes, values 0 to 6"),
        *(
            TileSet(f"complete-{n}", partial(_complete, n), "corners", f"every cyclic triple of 0 to {n - 1}")
            for n in range(1, 11)
        ),
    )
}
"""Every named set, in the order in which they are listed."""


def named_set(name: str) -> TileSet:
    """The named set.

    Raises ValueError for an unknown name.
    """
    try:
        return SETS[name]
    except KeyError:
        known = ", ".join(n for n in SETS if not n.startswith("complete"))
        raise ValueError(f"no tile set {name!r}: expected one of {known} or complete-1 to complete-10") from None
