"""Counting and listing up to symmetry: orbits of solutions instead of solutions.

*The number of orbits* is the mean, over the elements of the group, of the number of solutions that an element
maps to themselves (Cauchy, Frobenius; known as Burnside's lemma). For the identity that is the number of all
solutions, which whatever engine was asked for counts. For any other element there are far fewer, mostly none,
and they are counted without looking at the rest: who fills one cell of a solution that is to be its own image
has filled all the cells that the element takes that cell to. What is left to choose, one tile for each such
cycle of cells, is a :class:`Quotient`. It is filled cell by cell, and partial fillings that agree on the open
nodes and on the tiles used are counted together. Elements that are conjugate fix equally many solutions, so
one of them is enough.

*One solution of each orbit*: of the solutions that an engine finds, those are passed on that are their own
canonical form. That needs no memory, however many there are.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from trisolve.encoding import Encoding
from trisolve.engines.base import TICK, Block, Request, Work, Wrapped
from trisolve.engines.orbits import Blocks, action, labels_showing
from trisolve.symmetry import Element, Group, cycles

MOST_STATES = 1 << 16
"""Partial fillings that are taken a step further together."""

Start = Callable[[Encoding, Request], Work]
"""How to begin a search."""


# -- solutions that are their own image ---------------------------------------------------------------


@dataclass(frozen=True)
class Option:
    """A way to fill a cycle of cells: the values it needs at cycles of nodes, and the tiles it takes."""

    needs: tuple[tuple[int, int], ...]
    kinds: int
    """The cycle of kinds that the tiles are of."""
    copies: int
    """How many it takes of each of these kinds."""


@dataclass(frozen=True)
class Quotient:
    """What there is to choose in a solution that an element maps to itself.

    The value of a cycle of nodes is the value at its first node; those at the others follow.
    """

    options: list[list[Option]]
    """For each cycle of cells."""
    nodes: list[list[int]]
    """For each cycle of cells: the cycles of nodes it touches."""
    copies: list[int]
    """For each cycle of kinds: the copies of each of them."""
    lengths: list[int]
    """For each cycle of kinds: how many they are."""

    @classmethod
    def of(cls, e: Encoding, element: Element) -> Quotient:
        """The quotient of an encoding by a symmetry of its puzzle."""
        assert e.puzzle is not None
        puzzle = e.puzzle
        moves = action(e, element)
        index = {v: i for i, v in enumerate(e.values)}
        back = {index[w]: index[v] for v, w in element.values.items()}
        node_index = {node: i for i, node in enumerate(e.nodes)}
        node_cycles = cycles(
            {
                i: i if node == "border" else node_index[puzzle.node(element.spot(node))]
                for node, i in node_index.items()
            }
        )
        where = {p: (i, steps) for i, cycle in enumerate(node_cycles) for steps, p in enumerate(cycle)}
        kind_index = {tile: t for t, tile in enumerate(e.kinds)}
        kind_cycles = cycles({t: kind_index[element.tile(tile)] for tile, t in kind_index.items()})
        kind_cycle = {t: i for i, cycle in enumerate(kind_cycles) for t in cycle}
        copies = [int(e.copies[cycle[0]]) for cycle in kind_cycles]

        def followed(value: int, steps: int) -> int:
            for _ in range(steps):
                value = back[value]
            return value

        possible = e.possible()
        label_to = moves.label_to.tolist()
        values, kind = e.label_values.tolist(), e.label_kind.tolist()
        options, nodes = [], []
        for cycle in cycles(dict(enumerate(moves.cell_to.tolist()))):
            spots = [where[p] for p in e.cell_nodes[cycle[0]].tolist()]
            found = []
            for label in np.flatnonzero(possible[cycle[0]]).tolist():
                image = label
                for cell in cycle:
                    image = label_to[cell][image]
                needs: dict[int, int] = {}
                agrees = image == label
                for (node, steps), value in zip(spots, values[label], strict=True):
                    if value >= 0:
                        first = followed(value, steps)
                        agrees &= followed(first, len(node_cycles[node])) == first
                        agrees &= needs.setdefault(node, first) == first
                kinds = kind_cycle[kind[label]]
                takes = len(cycle) // len(kind_cycles[kinds])
                if agrees and takes <= copies[kinds]:
                    found.append(Option(tuple(needs.items()), kinds, takes))
            options.append(found)
            nodes.append(list(dict.fromkeys(node for node, _ in spots)))
        return cls(options, nodes, copies, [len(cycle) for cycle in kind_cycles])

    def impossible(self, cells: int) -> bool:
        """True when one can see at once that so many cells can't be filled."""
        usable = {option.kinds for options in self.options for option in options}
        return not all(self.options) or sum(self.copies[t] * self.lengths[t] for t in usable) < cells

    def order(self) -> list[int]:
        """An order of the cycles of cells: the fewest new nodes next, then the one with the most known ones."""
        waiting = set(range(len(self.nodes)))
        known: set[int] = set()
        order = []
        while waiting:
            best = min(waiting, key=lambda c: (len(set(self.nodes[c]) - known), -len(self.nodes[c]), c))
            waiting.discard(best)
            known.update(self.nodes[best])
            order.append(best)
        return order

    def fillings(self) -> Generator[int, None, int]:
        """Count the fillings. Yields now and then the number of steps made since; returns the count at the end."""
        steps = self._steps()
        total = made = 0
        start: _States = {((), 0): 1}
        # Where there are too many states, some of them go on to the end before the next are made: that bounds the
        # memory by the depth.
        stack = [iter(start.items())]
        tick = time.monotonic() + TICK
        while stack:
            if len(stack) > len(steps):
                total += sum(number for _, number in stack.pop())
                continue
            step = steps[len(stack) - 1]
            after: _States = {}
            for (values, used), number in stack[-1]:
                for key in step.after(values, used):
                    after[key] = after.get(key, 0) + number
                made += 1
                if not made & 255 and time.monotonic() >= tick:
                    yield made
                    made = 0
                    tick = time.monotonic() + TICK
                if len(after) >= MOST_STATES:
                    break
            if after:
                stack.append(iter(after.items()))
            else:
                stack.pop()
        yield made
        return total

    def _steps(self) -> list[_Step]:
        order = self.order()
        last = {node: i for i, c in enumerate(order) for node in self.nodes[c]}
        shift, free = {}, 0
        for t, copies in enumerate(self.copies):
            # Of kinds that can't run out, nothing need be known.
            if copies < sum(max((o.copies for o in options if o.kinds == t), default=0) for options in self.options):
                shift[t] = free
                free += copies.bit_length()
        steps = []
        shown: list[int] = []
        for i, c in enumerate(order):
            nodes = [*shown, *(node for node in self.nodes[c] if node not in shown)]
            choices = []
            for option in self.options[c]:
                needs = [(nodes.index(node), value) for node, value in option.needs]
                most = self.copies[option.kinds]
                first = shift.get(option.kinds, -1)
                mask = (1 << most.bit_length()) - 1 << first if first >= 0 else 0
                takes = option.copies << first if first >= 0 else 0
                choices.append((needs, mask, takes, most << first if first >= 0 else 0))
            kept = [j for j, node in enumerate(nodes) if last[node] > i]
            steps.append(_Step(choices, (-1,) * (len(nodes) - len(shown)), kept))
            shown = [nodes[j] for j in kept]
        return steps


_States = dict[tuple[tuple[int, ...], int], int]
"""How many partial fillings have these values at the open nodes (-1 for none yet) and have used these copies."""


@dataclass(frozen=True)
class _Step:
    """What it takes to fill one more cycle of cells."""

    choices: list[tuple[list[tuple[int, int]], int, int, int]]
    """Needed values by place among the nodes shown; mask, copies taken and most copies, in the field of the kinds."""
    blank: tuple[int, ...]
    """-1 for each new node."""
    kept: list[int]
    """The places of the nodes that stay open."""

    def after(self, values: tuple[int, ...], used: int) -> Iterator[tuple[tuple[int, ...], int]]:
        """What may follow a partial filling."""
        shown = values + self.blank
        for needs, mask, takes, most in self.choices:
            if (used & mask) + takes <= most and all(shown[j] in (value, -1) for j, value in needs):
                now = list(shown)
                for j, value in needs:
                    now[j] = value
                yield tuple([now[j] for j in self.kept]), used + takes


# -- orbits -------------------------------------------------------------------------------------------


class ListedOrbitWork(Wrapped):
    """A count of orbits by listing the solutions, for what has no :class:`Quotient`: boards that stay partly empty."""

    def __init__(self, start: Start, encoding: Encoding, request: Request, group: Group) -> None:
        self.orbits = 0
        """The number of orbits found so far."""
        self._canonical = ListedCanonical(encoding, group)
        self._work = start(encoding, replace(request, counting=False))

    def __iter__(self) -> Iterator[Block]:
        for block in self._work:
            solutions = np.array(block, dtype=np.int64).reshape(len(block), -1)
            self.orbits += len(self._canonical.only(solutions))
            yield ()


class OrbitWork(Wrapped):
    """A count of orbits under way; see :class:`trisolve.engines.base.Work`. ``found`` counts solutions."""

    updates = 0
    exhausted = False

    def __init__(self, start: Start, encoding: Encoding, request: Request, group: Group) -> None:
        self.orbits = 0
        """The number of orbits when ``exhausted``, a lower bound until then."""
        self._start = start
        self._encoding = encoding
        self._request = request
        self._group = group
        self._work = start(encoding, request)
        self._nodes = 0
        self._known: dict[tuple[int, ...], int] = {}

    @property
    def nodes(self) -> int:
        """Nodes of the engine, and partial fillings of quotients."""
        return self._work.nodes + self._nodes

    def __iter__(self) -> Iterator[Block]:
        order = self._group.order
        for _ in self._work:
            # No orbit has more solutions than the group has elements.
            self.orbits = -(-self._work.found // order)
            yield ()
        total = self._work.found
        self.orbits = -(-total // order)
        if not self._work.exhausted:
            return
        # The identity maps all solutions to themselves.
        identity = self._group.representatives[0]
        for element, size in self._group.conjugates() if total else ():
            if element != identity:
                fixed = self._with_fixed_values if element.lattice == identity.lattice else self._symmetric
                total += size * (yield from fixed(element))
        self.orbits, rest = divmod(total, order)
        assert not rest, "the solutions that the elements fix must average to a whole number"
        self.exhausted = True

    def _with_fixed_values(self, element: Element) -> Generator[Block, None, int]:
        """The number of solutions that show only values that the element fixes: those it maps to themselves."""
        e = self._encoding
        fixed = [i for i, v in enumerate(e.values) if element.values[v] == v]
        possible = e.possible() & np.isin(e.label_values, [-1, *fixed]).all(axis=1)
        usable = np.unique(e.label_kind[possible.any(axis=0)])
        if not possible.any(axis=1).all() or e.copies[usable].sum() < len(e.cells):
            return 0
        key = tuple(fixed)
        if key not in self._known:
            # Little work, which nobody has to share or to keep.
            work = self._start(e.restricted(possible), replace(self._request, checkpoint=None, executor=None))
            for _ in work:
                yield ()
            assert work.exhausted, f"engine {work.engine} stopped before the end"
            self._nodes += work.nodes
            self._known[key] = work.found
        return self._known[key]

    def _symmetric(self, element: Element) -> Generator[Block, None, int]:
        """The number of solutions that an element maps to themselves."""
        quotient = Quotient.of(self._encoding, element)
        if quotient.impossible(len(self._encoding.cells)):
            return 0
        steps = quotient.fillings()
        while True:
            try:
                self._nodes += next(steps)
            except StopIteration as done:
                number: int = done.value
                return number
            yield ()


# -- one solution of each orbit -----------------------------------------------------------------------


class Canonical:
    """Canonical forms of solutions given as labellings, many at a time; see :meth:`Group.canonical`."""

    def __init__(self, e: Encoding, group: Group) -> None:
        index = {v: i for i, v in enumerate(e.values)}
        self._classes = [np.array([index[v] for v in c]) for c in group.classes if len(c) > 1]
        self._actions = [action(e, element) for element in group.representatives]
        self._encoding = e
        by_text = sorted(range(len(e.label_values)), key=e.label_text)
        self._rank = np.empty(len(by_text), dtype=np.int64)
        self._rank[by_text] = np.arange(len(by_text))

    def of(self, solutions: Blocks) -> Blocks:
        """The canonical forms of solutions."""
        least = self._renamed(solutions)
        for moves in self._actions[1:]:
            image = self._renamed(moves.on(solutions))
            least = np.where(self._less(image, least)[:, None], image, least)
        return least

    def only(self, solutions: Blocks) -> Blocks:
        """Those of the solutions that are their own canonical forms."""
        kept: Blocks = solutions[(self._renamed(solutions) == solutions).all(axis=1)]
        for moves in self._actions[1:]:
            kept = kept[~self._less(self._renamed(moves.on(kept)), kept)]
        return kept

    def _less(self, these: Blocks, those: Blocks) -> npt.NDArray[np.bool_]:
        """(b,): whether a solution comes before the other one in the alphabet."""
        differ = these != those
        rows, first = np.arange(len(these)), differ.argmax(axis=1)
        less: npt.NDArray[np.bool_] = self._rank[these[rows, first]] < self._rank[those[rows, first]]
        return less

    def _renamed(self, solutions: Blocks) -> Blocks:
        """The solutions with the values of each class renamed by when they first occur."""
        if not self._classes:
            return solutions
        e = self._encoding
        shown = e.label_values[solutions].reshape(len(solutions), 3 * len(e.cells))
        names = np.tile(np.arange(-1, len(e.values)), (len(solutions), 1))
        rows = np.arange(len(solutions))[:, None]
        for members in self._classes:
            holds = shown[:, None, :] == members[:, None]
            first = np.where(holds.any(axis=2), holds.argmax(axis=2), shown.shape[1])
            names[rows, members[first.argsort(axis=1, kind="stable")] + 1] = members
        renamed = np.take_along_axis(names, shown + 1, axis=1)
        return labels_showing(e, renamed.reshape(*solutions.shape, 3))


class ListedCanonical:
    """The same as :class:`Canonical`, one by one, also where cells are empty."""

    def __init__(self, e: Encoding, group: Group) -> None:
        self._encoding = e
        self._group = group

    def of(self, solutions: Blocks) -> Blocks:
        """The canonical forms of solutions."""
        e = self._encoding
        forms = [e.encode(self._group.canonical(e.decode(labels))) for labels in solutions.tolist()]
        return np.array(forms, dtype=np.int64).reshape(solutions.shape)

    def only(self, solutions: Blocks) -> Blocks:
        """Those of the solutions that are their own canonical forms."""
        kept: Blocks = solutions[(self.of(solutions) == solutions).all(axis=1)]
        return kept


class RepresentativeWork(Wrapped):
    """A search under way that passes on one solution of each orbit; see :class:`trisolve.engines.base.Work`."""

    found = 0

    def __init__(self, start: Start, encoding: Encoding, request: Request, group: Group) -> None:
        self._limit = request.limit
        self._encoding = encoding
        canonical = Canonical if encoding.optional is None else ListedCanonical
        self._canonical: Canonical | ListedCanonical = canonical(encoding, group)
        # The solutions of one orbit may come before any other, so it takes an unknown number to find two orbits.
        self._work = start(encoding, request if request.limit == 1 else replace(request, limit=None))

    @property
    def orbits(self) -> int:
        """Orbits found so far."""
        return self.found

    def __iter__(self) -> Iterator[Block]:
        n = len(self._encoding.cells)
        seen: set[bytes] = set()
        for block in self._work:
            solutions = np.array(block, dtype=np.int64).reshape(len(block), n)
            if not n or not len(block):
                forms = solutions
            elif self._limit is None:
                forms = self._canonical.only(solutions)
            else:
                # Solutions whose canonical form comes late, if at all, should not have to wait for it.
                forms = self._canonical.of(solutions)
                new = {form.tobytes(): form for form in forms}
                forms = np.array([form for key, form in new.items() if key not in seen]).reshape(-1, n)
                seen.update(new)
            self.found += len(forms)
            yield forms
