"""Search one solution of an orbit, report all: symmetry on the level of the arrays.

Two reductions that go together, whatever the search does in between.

*Values.* Let the values fall into classes of interchangeable ones (all four for the 24 Trioker tiles; 0 and
3 once the joker 12W is there). A search that assigns values one after the other may insist that a value of
a class is used for the first time only when all smaller ones of its class have been. It then finds exactly
one of the solutions that differ by permuting classes, and a solution in which k of the s values of a class
occur stands for s!/(s - k)! of them. This holds at each node of a search tree for the values not touched so
far, so the search is free to choose any cell next (value symmetry breaking by values not yet used: Van
Hentenryck, Flener, Pearson and Agren, 2003). It may branch on the placements of a tile kind only if no
exchange of untouched values moves that kind.

*Board.* Take a kind t of which there is one copy, for instance the joker, and the subgroup H of the
puzzle's symmetries that map t to itself. H permutes the options of t. Keep one option of each orbit and
strike out the others: every solution that uses t is the image, under exactly one chosen element for each
option of the orbit, of exactly one solution that uses the option kept. Solutions without t are not
affected.

Where there are several ways to choose t, or none, the one that promises the least work is taken. For
hexagon.yaml (joker, all 12 symmetries of the board, 0 and 3 interchangeable) a search does about a seventh
of the work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice, permutations, product
from math import factorial, inf, prod

import numpy as np
import numpy.typing as npt

from trisolve.encoding import Encoding, Ints, Words
from trisolve.lattice import Symmetry
from trisolve.symmetry import Element, board_symmetries, classes, partners
from trisolve.tiles import WILD, Tile, rotations

Blocks = npt.NDArray[np.int64]
"""(b, n): b solutions, one labelling a cell."""


CHUNK = 1000
"""Solutions that are expanded together, and permutations of the values that are kept at once."""


@dataclass(frozen=True)
class Action:
    """What a symmetry does to options: labelling l in cell c becomes ``label_to[c, l]`` in ``cell_to[c]``."""

    cell_to: Ints
    label_to: Ints

    def on(self, solutions: Blocks) -> Blocks:
        """The images of solutions."""
        images = np.empty_like(solutions)
        images[:, self.cell_to] = self.label_to[np.arange(len(self.cell_to)), solutions]
        return images


@dataclass(frozen=True)
class Reduction:
    """An encoding with fewer options, and how to get all solutions from the ones it leaves."""

    encoding: Encoding
    classes: tuple[tuple[int, ...], ...] = ()
    """Classes of interchangeable value indices, each of two or more."""
    kind: int = -1
    """The kind whose options were thinned out, or -1."""
    images: dict[tuple[int, int], list[Action]] = field(default_factory=dict)
    """For each option (cell, labelling) of that kind that was kept: the actions that give its orbit."""
    work: float = 1.0
    """About what share of the search is left to do."""

    def label_touches(self) -> Ints:
        """(L,): the set of interchangeable values that a labelling shows, as a number."""
        touches: Ints = np.bitwise_or.reduce(self._value_bits()[0][self.encoding.label_values], axis=1)
        return touches

    def _value_bits(self) -> tuple[Ints, Ints]:
        """For each value index, and last for wild: its bit in a set, and the bits of the smaller ones of its class."""
        bit = np.zeros(len(self.encoding.values) + 1, dtype=np.int64)
        smaller = np.zeros_like(bit)
        first = 0
        for group in self.classes:
            for i, v in enumerate(group):
                bit[v] = 1 << first + i
                smaller[v] = (1 << first + i) - (1 << first)
            first += len(group)
        return bit, smaller

    def _reachable(self) -> Iterator[tuple[int, tuple[int, ...]]]:
        """The sets of touched values that a search can reach, with how many values of each class are in them."""
        sizes = [len(group) for group in self.classes]
        start = [sum(sizes[:i]) for i in range(len(sizes))]
        for seen in product(*(range(size + 1) for size in sizes)):
            yield sum((1 << k) - 1 << first for k, first in zip(seen, start, strict=True)), seen

    def weights(self) -> Ints:
        """(sets,): how many solutions one stands for, by the set of values that it touches."""
        weight = np.ones(1 << sum(map(len, self.classes)), dtype=np.int64)
        for touched, seen in self._reachable():
            falling = (factorial(len(g)) // factorial(len(g) - k) for g, k in zip(self.classes, seen, strict=True))
            weight[touched] = prod(falling)
        return weight

    def value_growth(self) -> tuple[Ints, Ints]:
        """(sets,): the values allowed when a set of values has been touched, as a set of value indices; (V,): bits."""
        bit, smaller = (x[:-1] for x in self._value_bits())
        touched = np.arange(1 << sum(map(len, self.classes)))[:, None]
        fits = touched & smaller == smaller
        return (fits.astype(np.int64) << np.arange(len(bit))).sum(axis=1), bit

    def tables(self) -> tuple[Words, Words, Ints]:
        """``growth``, ``whole`` and ``weight`` of the kernels, a row for each set of touched values.

        Only the sets that a search can reach have a meaning: of each class, the first so many values.
        """
        e = self.encoding
        bit, smaller = self._value_bits()
        touches = self.label_touches()
        sets = 1 << sum(map(len, self.classes))
        allowed = np.ones((sets, len(e.bits)), dtype=np.bool_)
        unmoved = np.zeros((sets, e.words), dtype=np.uint64)
        for touched, seen in self._reachable():
            now = np.full(len(e.bits), touched, dtype=np.int64)
            for k in range(3):
                column = e.label_values[:, k]
                fresh = bit[column] & ~now != 0
                allowed[touched] &= ~fresh | (now & smaller[column] == smaller[column])
                now |= bit[column]
            # Of a class with one value left there is nothing to exchange.
            several = sum(
                int(bit[v])
                for group, k in zip(self.classes, seen, strict=True)
                if len(group) - k > 1
                for v in group[k:]
            )
            heads = e.kind_bits[e.label_kind[touches & several == 0]] & e.lead
            unmoved[touched] = np.bitwise_or.reduce(heads, axis=0, initial=0)
        return e.bitboards(allowed), unmoved, self.weights()

    def expand(self, solutions: Blocks) -> Iterator[Blocks]:
        """All the solutions that these stand for: those of the first, itself in front, then those of the second...

        The order does not depend on how solutions are put together in blocks.
        """
        touches = self.label_touches()
        touched = np.bitwise_or.reduce(touches[solutions], axis=1)
        for start in range(0, len(solutions), CHUNK):
            rows = np.arange(start, min(start + CHUNK, len(solutions)))
            parts: list[tuple[Blocks, Ints]] = []
            for one in np.unique(touched[rows]).tolist():
                same = rows[touched[rows] == one]
                maps = self._value_maps(one)
                few = list(islice(maps, CHUNK + 1))
                if len(few) <= CHUNK:
                    for relabelled in few:
                        parts += self._board_images(relabelled[solutions[same]], same)
                    continue
                # Too many to keep: the few rows that there can be of this sort, one after the other.
                yield from _in_order(parts)
                parts = []
                for row in same:
                    for relabelled in chain(few, self._value_maps(one, len(few))):
                        for images, _ in self._board_images(relabelled[solutions[row : row + 1]], same[:1]):
                            yield images
            yield from _in_order(parts)

    def number(self, solutions: Blocks) -> int:
        """How many solutions these stand for: as many as :meth:`expand` gives."""
        number = self.weights()[np.bitwise_or.reduce(self.label_touches()[solutions], axis=1)]
        # There is one tile of the kind, so a solution has one of these options at the most.
        for (cell, label), actions in self.images.items():
            number[solutions[:, cell] == label] *= len(actions)
        return int(number.sum())

    def _board_images(self, solutions: Blocks, rows: Ints) -> Iterator[tuple[Blocks, Ints]]:
        """Images under the board's symmetries, with the rows that they come from."""
        if self.kind < 0:
            yield solutions, rows
            return
        holds = self.encoding.label_kind[solutions] == self.kind
        used = holds.any(axis=1)
        if not used.all():
            yield solutions[~used], rows[~used]
        cell = holds.argmax(axis=1)
        label = solutions[np.arange(len(solutions)), cell]
        for option, actions in self.images.items():
            here = used & (cell == option[0]) & (label == option[1])
            if here.any():
                for action in actions:
                    yield action.on(solutions[here]), rows[here]

    def _value_maps(self, touched: int, skipped: int = 0) -> Iterator[Ints]:
        """(L,) labelling to labelling, for each way to give the touched values other ones of their class."""
        e = self.encoding
        ways = []
        first = 0
        for group in self.classes:
            k = sum(touched >> first + i & 1 for i in range(len(group)))
            first += len(group)
            # Growth makes the touched values the first k of their class.
            ways.append((group, k))
        for images in islice(nested(*(partial(permutations, group, k) for group, k in ways)), skipped, None):
            to = {v: v for v in range(len(e.values))}
            for (group, _), image in zip(ways, images, strict=True):
                others = [v for v in group if v not in image]
                to.update(zip(group, [*image, *others], strict=True))
            yield _labels_permuted(e, to, (0, 1, 2))


def _in_order(parts: list[tuple[Blocks, Ints]]) -> Iterator[Blocks]:
    """The solutions of all parts in the order of the rows that they come from."""
    if parts:
        rows = np.concatenate([rows for _, rows in parts])
        yield np.concatenate([solutions for solutions, _ in parts])[np.argsort(rows, kind="stable")]


def nested(*makers: Callable[[], Iterable[tuple[int, ...]]]) -> Iterator[tuple[tuple[int, ...], ...]]:
    """The product of iterables that are too long to keep, each made anew when its turn comes."""
    if not makers:
        yield ()
        return
    for item in makers[0]():
        for rest in nested(*makers[1:]):
            yield item, *rest


def _labels_permuted(e: Encoding, to: dict[int, int], corners: tuple[int, ...]) -> Ints:
    """(L,): the labelling with ``to[v]`` at ``corners[k]`` where the old one has v at k; -1 where there is none."""
    new = np.empty_like(e.label_values)
    new[:, list(corners)] = np.array([*(to[v] for v in range(len(e.values))), -1])[e.label_values]
    return labels_showing(e, new)


def labels_showing(e: Encoding, values: Ints) -> Ints:
    """The labellings that show these value indices, given along the last axis; -1 where there is none."""
    base = len(e.values) + 1
    place = np.array([base * base, base, 1])
    label = np.full(base**3, -1, dtype=np.int64)
    label[(e.label_values + 1) @ place] = np.arange(len(e.label_values))
    labels: Ints = label[(values + 1) @ place]
    return labels


def action(e: Encoding, element: Element) -> Action:
    """A symmetry of the encoding's puzzle as an action on options."""
    assert e.puzzle is not None
    index = {v: i for i, v in enumerate(e.values)}
    to = {index[v]: index[w] for v, w in element.values.items()}
    rows: dict[tuple[int, ...], Ints] = {}
    cell_to, label_to = [], []
    for cell in e.cells:
        image = element.lattice.cell(cell)
        spots = e.puzzle.spots(image)
        corners = tuple(spots.index(element.spot(spot)) for spot in e.puzzle.spots(cell))
        if corners not in rows:
            rows[corners] = _labels_permuted(e, to, corners)
        cell_to.append(e.puzzle.board.index(image))
        label_to.append(rows[corners])
    return Action(np.array(cell_to, dtype=np.int64), np.array(label_to, dtype=np.int64))


def reduce(e: Encoding, kind: int | None = None) -> Reduction:
    """The best reduction found for an encoding; the trivial one when its puzzle has no symmetry.

    With ``kind``, one of which there is a single copy, the best of those that thin out that kind.
    """
    puzzle = e.puzzle
    if puzzle is None or not e.cells or not e.kinds:
        return Reduction(e)
    groups = [g for g in classes(puzzle) if len(g) > 1]
    lattice = board_symmetries(puzzle.board)
    least_work = 1.0 / prod(factorial(len(g)) for g in groups)
    # The share of fillings that use a given tile, as far as one can tell beforehand.
    used = len(e.cells) / max(len(e.cells), int(e.copies.sum()))
    best: tuple[int, list[tuple[int, ...]], list[Element]] | None = None
    # A tile with a wild corner is moved by the fewest permutations; after it, one with a single orientation.
    once = [t for t in range(len(e.kinds)) if e.copies[t] == 1]
    once.sort(key=lambda t: (WILD not in e.kinds[t].text, len(e.kinds[t].orientations())))
    if kind is not None:
        once, least_work = [kind], inf
    elif len(lattice) == 1:
        once = []
    for t in once[:3]:
        kept = [tuple(v for v in g if v not in e.kinds[t].values()) for g in groups]
        values_work = 1.0 / prod(factorial(len(g)) for g in kept)
        if values_work * (1 - used + used / len(lattice)) >= least_work:
            continue
        stabiliser = [s for g in lattice for s in _fixing(e, e.kinds[t], g)]
        work = values_work * (1 - used + used / len(stabiliser))
        if work < least_work:
            least_work = work
            best = t, [g for g in kept if len(g) > 1], stabiliser
    index = {v: i for i, v in enumerate(e.values)}
    if best is None:
        return Reduction(e, tuple(tuple(index[v] for v in g) for g in groups), work=least_work)
    t, groups, stabiliser = best
    actions = [action(e, element) for element in stabiliser]
    possible = e.possible()
    images: dict[tuple[int, int], list[Action]] = {}
    seen: set[tuple[int, int]] = set()
    for cell, label in np.argwhere(possible & (e.label_kind == t)).tolist():
        if (cell, label) in seen:
            possible[cell, label] = False
            continue
        orbit: dict[tuple[int, int], Action] = {}
        for a in actions:
            orbit.setdefault((int(a.cell_to[cell]), int(a.label_to[cell, label])), a)
        seen |= orbit.keys()
        images[cell, label] = list(orbit.values())
    kept_classes = tuple(tuple(index[v] for v in g) for g in groups)
    return Reduction(e.restricted(possible), kept_classes, t, images, least_work)


def _fixing(e: Encoding, tile: Tile, lattice: Symmetry) -> Iterator[Element]:
    """For one lattice symmetry, an element for each way in which one maps the tile to itself.

    All of them are needed: what they do to the options of the tile then is what the whole subgroup does.
    """
    assert e.puzzle is not None
    seen = tile.text[::-1] if lattice.reflects else tile.text
    for image in dict.fromkeys(rotations(tile.text)):
        pairs = set(zip(seen, image, strict=True))
        if len(pairs) == len(set(seen)) and all((a == WILD) == (b == WILD) for a, b in pairs):
            given = {int(a): int(b) for a, b in pairs if a != WILD}
            yield from islice(partners(e.puzzle, lattice, given), 1)
