"""A puzzle as arrays of integers: what every engine eats, and nothing else.

**Labellings.** A tile kind in one orientation is three values at the corners (or on the sides) of a cell;
call that a *labelling*. A supply has L of them: 64 for the 24 Trioker tiles, since 4 kinds have one
orientation and 20 have three. Whatever is still possible in a cell is therefore a set of at most L
labellings, a **bitboard** of ``words`` 64-bit words: one word for the 24 tiles, two when the joker adds its
three, more for more values.

**Operations are ANDs.** Fixing the value v at corner k of a cell leaves ``domain & fits[k, v]``; using up a
kind t leaves ``domain & ~kind_bits[t]`` in every cell. A wild corner has a bit in ``fits[k, v]`` for every
v and so fixes nothing. Clues and borders are no special case: they are bits missing from the first domains.

**Layout.** Kinds are numbered so that those with three orientations come first, each with its bits next to
each other and none astride two words. A search can then ask "which kinds still fit somewhere?" for all
kinds at once: OR the words of the cells, then ``(w | w >> 1 | w >> 2) & lead``.

**Empty cells.** With ``fill: tiles`` the copies of every kind are all used, ``optional`` says which cells may stay
empty, and the label of an empty cell in a solution is :data:`EMPTY`.

An **option** is a pair (cell, labelling) whose bit is set. A solution is one labelling per cell;
:meth:`Encoding.decode` turns it into placed tiles, :meth:`Encoding.encode` is its inverse, and no other
code translates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random

import numpy as np
import numpy.typing as npt

from trisolve.lattice import Cell, joined
from trisolve.puzzle import Node, Puzzle
from trisolve.tiles import WILD, Tile

Words = npt.NDArray[np.uint64]
Ints = npt.NDArray[np.int64]

WORD = 64
ONE = np.uint64(1)

EMPTY = -1
"""Stands in a solution for the labelling of a cell that stays empty."""


@dataclass(frozen=True, eq=False)
class Encoding:
    """A puzzle in arrays. n cells, m nodes, t kinds, L labellings, V values, W words of a bitboard."""

    cells: tuple[Cell, ...]
    """The cells, in reading order."""
    nodes: tuple[Node, ...]
    """The nodes, in order of first use."""
    kinds: tuple[Tile, ...]
    """The tile kinds, those with three orientations first."""
    values: tuple[int, ...]
    """The values, in increasing order; arrays hold indices into this."""
    cell_nodes: Ints
    """(n, 3): the node at corner (or side) k of a cell. A node may occur twice in a row."""
    copies: Ints
    """(t,): copies of each kind, at most n, or n + 1 where all must be placed: more make no difference."""
    bits: Ints
    """(L,): the bit of each labelling; word ``bit // 64``."""
    label_kind: Ints
    """(L,): the kind of each labelling."""
    label_values: Ints
    """(L, 3): value index at corner (or side) k, or -1 where wild."""
    domains: Words
    """(n, W): the labellings possible in each cell at the start."""
    fits: Words
    """(3, V, W): the labellings with value v at corner (or side) k, or wild there."""
    kind_bits: Words
    """(t, W): the labellings of each kind."""
    lead: Words
    """(W,): the first bit of each kind."""
    optional: npt.NDArray[np.bool_] | None = None
    """(n,): the cells that may stay empty, with ``fill: tiles``; None where every cell is filled."""
    puzzle: Puzzle | None = None
    """The puzzle, for its symmetries; None once options have been struck out."""

    @property
    def words(self) -> int:
        """W, the number of 64-bit words of a bitboard."""
        return int(self.domains.shape[1])

    @property
    def slack(self) -> int:
        """Tiles left over when all cells are filled; negative when there are too few."""
        return int(self.copies.sum()) - len(self.cells)

    def options(self) -> Ints:
        """All options as an (N, 2) array of (cell, labelling), cell by cell."""
        return np.argwhere(self.possible())

    def possible(self) -> npt.NDArray[np.bool_]:
        """(n, L): the domains, a byte per labelling."""
        word, bit = np.divmod(self.bits, WORD)
        return (self.domains[:, word] >> bit.astype(np.uint64) & ONE).astype(np.bool_)

    def restricted(self, possible: npt.NDArray[np.bool_]) -> Encoding:
        """The same puzzle with only the options that are True in this (n, L) array."""
        return replace(self, domains=self.domains & self.bitboards(possible), puzzle=None)

    def bitboards(self, possible: npt.NDArray[np.bool_]) -> Words:
        """The (n, W) bitboards of an (n, L) array of truth values; the inverse of :meth:`possible`."""
        boards = np.zeros((len(possible), self.words), dtype=np.uint64)
        for label, bit in enumerate(self.bits.tolist()):
            boards[:, bit // WORD] |= possible[:, label].astype(np.uint64) << np.uint64(bit % WORD)
        return boards

    def shuffled(self, random: Random) -> Encoding:
        """The same puzzle with the labellings at other bits, so that a search tries them in another order.

        Kinds change places with kinds of as many orientations, so the layout stays as it should be.
        """
        ways = np.bincount(self.label_kind, minlength=len(self.kinds))
        bits = self.bits.copy()
        first = np.searchsorted(self.label_kind, np.arange(len(self.kinds)))
        for number in set(ways.tolist()):
            old = np.flatnonzero(ways == number).tolist()
            for kind, slot in zip(old, random.sample(old, len(old)), strict=True):
                turn = random.randrange(number)
                for way in range(number):
                    bits[first[kind] + way] = (
                        self.bits[first[slot] : first[slot] + number].min() + (way + turn) % number
                    )
        moved = replace(self, bits=bits)

        def move(words: Words) -> Words:
            flat = replace(self, domains=words.reshape(-1, self.words))
            return moved.bitboards(flat.possible()).reshape(words.shape)

        return replace(moved, domains=move(self.domains), fits=move(self.fits), kind_bits=move(self.kind_bits))

    def label_text(self, label: int) -> str:
        """The labelling as a placed tile."""
        return "".join(WILD if v < 0 else str(self.values[v]) for v in self.label_values[label].tolist())

    @cached_property
    def adjacent(self) -> list[list[int]]:
        """For each cell, the cells on the other side of its edges."""
        index = {cell: i for i, cell in enumerate(self.cells)}
        return [[index[n] for n in cell.neighbours() if n in index] for cell in self.cells]

    def decode(self, labels: Sequence[int]) -> dict[Cell, str]:
        """Placed tiles from one labelling per cell.

        Raises ValueError when the number of labellings isn't the number of cells.
        """
        texts = self._texts
        return {cell: texts[label] for cell, label in zip(self.cells, labels, strict=True) if label != EMPTY}

    def encode(self, placed: Mapping[Cell, str]) -> list[int]:
        """One labelling per cell from placed tiles, the inverse of :meth:`decode`.

        Raises KeyError for a cell that must be filled and isn't, or a tile that isn't in the supply.
        """
        label = {text: i for i, text in enumerate(self._texts)}
        if self.optional is None:
            return [label[placed[cell]] for cell in self.cells]
        return [label[placed[cell]] if cell in placed else EMPTY for cell in self.cells]

    @cached_property
    def _texts(self) -> list[str]:
        return [self.label_text(label) for label in range(len(self.label_kind))]


def encode(puzzle: Puzzle) -> Encoding:
    """The arrays of a puzzle. Takes O(n L) time for n cells and L labellings."""
    board = puzzle.board
    n = len(board)
    kinds = sorted(puzzle.supply, key=lambda tile: -len(tile.orientations()))
    texts: list[str] = []
    label_kind: list[int] = []
    bits: list[int] = []
    kind_first: list[int] = []
    free = 0
    for t, tile in enumerate(kinds):
        ways = tile.orientations()
        if free % WORD + len(ways) > WORD:
            free += -free % WORD
        kind_first.append(free)
        for text in ways:
            texts.append(text)
            label_kind.append(t)
            bits.append(free)
            free += 1
    words = max(1, -(-free // WORD))

    index = {value: i for i, value in enumerate(puzzle.supply.values)}
    label_values = np.array(
        [[-1 if mark == WILD else index[int(mark)] for mark in text] for text in texts], dtype=np.int64
    ).reshape(-1, 3)
    node_index = {node: i for i, node in enumerate(puzzle.nodes)}
    spots = [[puzzle.node(s) for s in puzzle.spots(c)] for c in board]

    place = np.array(bits, dtype=np.int64)
    one_bit = np.zeros((len(texts), words), dtype=np.uint64)
    one_bit[np.arange(len(texts)), place // WORD] = ONE << (place % WORD).astype(np.uint64)

    fits = np.zeros((3, len(index), words), dtype=np.uint64)
    for k in range(3):
        for v in range(len(index)):
            agreeing = (label_values[:, k] == v) | (label_values[:, k] < 0)
            fits[k, v] = np.bitwise_or.reduce(one_bit[agreeing], axis=0, initial=0)
    kind_bits = np.zeros((len(kinds), words), dtype=np.uint64)
    for label, t in enumerate(label_kind):
        kind_bits[t] |= one_bit[label]
    lead = np.zeros(words, dtype=np.uint64)
    for first in kind_first:
        lead[first // WORD] |= ONE << np.uint64(first % WORD)

    everything = np.bitwise_or.reduce(one_bit, axis=0, initial=0)
    domains = np.tile(everything, (n, 1)).astype(np.uint64).reshape(n, words)
    for i, cell in enumerate(board):
        nodes = spots[i]
        for k, node in enumerate(nodes):
            if node in puzzle.fixed:
                domains[i] &= fits[k, index[puzzle.fixed[node]]]
        clue = puzzle.placed.get(cell)
        if clue is not None:
            domains[i] &= kind_bits[kinds.index(clue.tile)]
            if clue.placed is not None:
                domains[i] &= one_bit[next(j for j, text in enumerate(texts) if text == clue.placed)]
        for k, j in ((0, 1), (1, 2), (0, 2)):
            if nodes[k] == nodes[j]:
                # One node at two corners: both show its value, or one of them is wild.
                a, b = label_values[:, k], label_values[:, j]
                domains[i] &= np.bitwise_or.reduce(one_bit[(a == b) | (a < 0) | (b < 0)], axis=0, initial=0)
        if cell in puzzle.blank:
            domains[i] = 0
    optional, most = None, n
    if puzzle.fill == "tiles" and not _whole(puzzle):
        optional = np.array([cell not in puzzle.required for cell in board], dtype=np.bool_)
        most = n + 1
    return Encoding(
        cells=board.cells,
        nodes=puzzle.nodes,
        kinds=tuple(kinds),
        values=puzzle.supply.values,
        cell_nodes=np.array([[node_index[s] for s in row] for row in spots], dtype=np.int64).reshape(-1, 3),
        copies=np.array([min(puzzle.supply[tile], most) for tile in kinds], dtype=np.int64),
        bits=place,
        label_kind=np.array(label_kind, dtype=np.int64),
        label_values=label_values,
        domains=domains,
        fits=fits,
        kind_bits=kind_bits,
        lead=lead,
        optional=optional,
        puzzle=puzzle,
    )


def _whole(puzzle: Puzzle) -> bool:
    """True when there are as many tiles as cells and the board hangs together: to place all tiles is to fill it."""
    board = puzzle.board
    if puzzle.supply.total != len(board) or puzzle.blank:
        return False
    return len(joined(board)) == len(board)
