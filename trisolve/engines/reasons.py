"""Why a puzzle has no solution, when the reason is short enough to be told.

A search that fails proves that there is no filling, but nobody can follow it. Some puzzles fail for a reason that
fits in a sentence, and :func:`reason` looks for one, the cheap kinds first:

* there are too few tiles (or, with ``fill: tiles``, too few cells);
* nothing fits some cell, or the cells at a point agree on no value, once it is followed through what clues and
  border say. If that takes two clues or more, these clues contradict each other;
* some cells can together hold only tiles that are fewer than they are (Hall's condition), or some tiles, all of
  them needed, fit only cells that are fewer;
* the **counting program** has no solution. It is a small integer program that forgets where the tiles lie. Its
  unknowns are how many tiles of each kind are used and, for all points where equally many corners meet and the same
  values are possible, how many of them have each value. For each value the corners of the tiles must be as many as
  the points take up. With edge matching the same is said of sides: an inner edge takes two, a border edge one.

A reason is a proof, so it is only given when there is no solution. There need not be a reason: the 24 Trioker tiles
don't fill the hexagon of side 2, yet their corners can be counted out.

When does ``solve`` ask? The first three kinds take a millisecond or so on a board of two dozen cells and spare the
search, so they come before it. For the counting program OR-Tools must be loaded, which takes a second, longer than
most searches: so it comes only when a search has found nothing for :data:`PATIENCE` seconds, and then it may
still spare the rest, or when it has ended with nothing, and then the time goes to the explanation.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from math import gcd
from typing import TYPE_CHECKING, Literal, cast

import numpy as np

from trisolve.encoding import Encoding, encode
from trisolve.engines.base import Block, Engine, Request, Work, Wrapped
from trisolve.lattice import CORNER_NAMES, SIDE_NAMES
from trisolve.puzzle import Puzzle
from trisolve.tiles import WILD
from trisolve.words import counted

if TYPE_CHECKING:
    from collections.abc import Generator

    from ortools.sat.python import cp_model

PATIENCE = 1.0
"""Seconds that a search may go without a solution before the counting program is tried."""

COUNTING_SECONDS = 5.0
"""The longest that the counting program is worked on; it mostly takes a few hundredths of this."""

BLAMED = 20_000
"""Clues times cells, beyond which it isn't worked out which clues contradict each other."""

MOST_NAMES = 6
"""How many cells or tiles a sentence lists before it only says that there are more."""

Kind = Literal["tiles", "clues", "cell", "cells", "border", "counting"]


@dataclass(frozen=True)
class Reason:
    """Why there is no solution.

    ``kind`` is ``tiles`` (too few), ``clues`` (they contradict each other), ``cell`` (nothing fits one, or the cells
    at a point agree on no value), ``cells`` (some that only fewer tiles fit, or tiles that only fewer cells fit),
    ``border`` (too short for the steps of the tiles) or ``counting``. ``text`` is a sentence without a capital or full
    stop.
    """

    kind: Kind
    text: str

    def __str__(self) -> str:
        return self.text


def reason(puzzle: Puzzle) -> Reason | None:
    """A short reason why the puzzle has no solution, or None when there is none or none was found.

    Loads OR-Tools unless a cheap reason is found first.
    """
    encoding = encode(puzzle)
    return quick(encoding) or counting(encoding)


def quick(encoding: Encoding) -> Reason | None:
    """A reason of the kinds that take no time; None for an encoding from which options have been struck out."""
    puzzle = encoding.puzzle
    if puzzle is None:
        return None
    found = _too_few(puzzle)
    if found:
        return found
    domains = _Domains(encoding)
    failure = domains.narrow()
    if failure:
        return _blamed(puzzle, failure)
    return _hall(domains) or _steps(puzzle)


# -- tiles against cells --------------------------------------------------------------------------


def _too_few(puzzle: Puzzle) -> Reason | None:
    tiles, cells = puzzle.supply.total, len(puzzle.board) - len(puzzle.blank)
    if tiles < len(puzzle.required):
        return Reason("tiles", f"too few tiles: {tiles:,} for {len(puzzle.required):,} cells")
    if puzzle.fill == "tiles" and tiles > cells:
        return Reason("tiles", f"too few cells: {cells:,} for {tiles:,} tiles")
    return None


def _steps(puzzle: Puzzle) -> Reason | None:
    """Too short a border for tiles that step more often from one value to another than back.

    Walk around every tile. An edge between two cells is a step from a to b for one of them and from b to a for the
    other, so whatever the tiles have more of one than of the other lies on edges with one cell; and so does
    one step from a to a where their number is odd. A tile that stays over takes away three steps, and a wild corner
    spoils two, so a tile with one counts like one that stays over.
    """
    if puzzle.match != "corners" or puzzle.fill != "board":
        return None
    steps: Counter[tuple[str, str]] = Counter()
    wild = 0
    for tile, copies in puzzle.supply.items():
        text = tile.text
        if WILD in text:
            wild += copies
        else:
            for a, b in zip(text, text[1:] + text[0], strict=True):
                steps[a, b] += copies
    needed = sum(abs(number - steps[b, a]) for (a, b), number in list(steps.items()) if a < b or not steps[b, a])
    needed += sum(number % 2 for (a, b), number in steps.items() if a == b)
    spare = puzzle.supply.total - len(puzzle.board)
    border = sum(neighbour not in puzzle.board for cell in puzzle.board for neighbour in cell.neighbours())
    if border >= needed - 3 * spare - 3 * wild:
        return None
    left = f" with {spare:,} left over" * bool(spare)
    return Reason(
        "border",
        f"the tiles{left} need a border of {needed - 3 * spare - 3 * wild:,} edges, for they step more often from one "
        f"value to another than back, and this one has {border:,}",
    )


# -- what still fits ------------------------------------------------------------------------------


class _Domains:
    """What is possible in each cell, as an integer with a bit for each labelling, and at each node.

    With ``fill: tiles`` only the cells that must be filled pass on what they can show.
    """

    def __init__(self, encoding: Encoding) -> None:
        self.encoding = encoding
        self.puzzle = cast(Puzzle, encoding.puzzle)
        values = encoding.label_values
        self.full = (1 << len(values)) - 1
        self.cells = _integers(encoding.possible())
        # shows[k][v]: the labellings that show value v at corner k; may[k][v]: or are wild there.
        self.shows = [_integers((values[:, k] == v) for v in range(len(encoding.values))) for k in range(3)]
        wild = _integers(values[:, k] < 0 for k in range(3))
        self.may = [[mask | wild[k] for mask in self.shows[k]] for k in range(3)]
        self.kinds = _integers(encoding.label_kind == t for t in range(len(encoding.kinds)))
        self.nodes = encoding.cell_nodes.tolist()
        board = self.puzzle.board
        self.filled = [cell in self.puzzle.required for cell in board]
        # The corners that meet at each node, as (cell, corner).
        self.corners: list[list[tuple[int, int]]] = [[] for _ in encoding.nodes]
        for cell, spots in enumerate(self.nodes):
            for k, node in enumerate(spots):
                self.corners[node].append((cell, k))
        index = {value: v for v, value in enumerate(encoding.values)}
        self.fixed = {i: index[self.puzzle.fixed[n]] for i, n in enumerate(encoding.nodes) if n in self.puzzle.fixed}

    def support(self, cell: int, k: int) -> int:
        """The values that the cell can agree with at corner k, as bits."""
        return sum(1 << v for v, mask in enumerate(self.may[k]) if self.cells[cell] & mask)

    def allowed(self, node: int, but: int = -1) -> int:
        """The values that are possible at a node as far as its cells go, as bits.

        Without the one of them that is given, and then without those that have nothing left either.
        """
        found = 1 << self.fixed[node] if node in self.fixed else (1 << len(self.encoding.values)) - 1
        for cell, k in self.corners[node]:
            if self.filled[cell] and cell != but and (but < 0 or self.cells[cell]):
                found &= self.support(cell, k)
        return found

    def kinds_in(self, domain: int) -> frozenset[int]:
        """The kinds that have a labelling in a domain."""
        return frozenset(t for t, mask in enumerate(self.kinds) if domain & mask)

    def narrow(self) -> str | None:
        """Follow through what is known: strike out what cannot be. A sentence when a cell or node has nothing left."""
        cells = self.cells
        narrowed = deque(cell for cell, domain in enumerate(cells) if domain != self.full and self.filled[cell])
        for cell in narrowed:
            if not cells[cell]:
                return self._nothing_fits(cell)
        forced: Counter[int] = Counter()
        known: set[int] = set()
        spent: set[int] = set()
        while narrowed:
            cell = narrowed.popleft()
            for node in dict.fromkeys(self.nodes[cell]):
                allowed = self.allowed(node)
                if not allowed and self.encoding.values:
                    return self._disagree(node)
                for other, k in self.corners[node]:
                    kept = cells[other]
                    for v, mask in enumerate(self.shows[k]):
                        if not allowed >> v & 1:
                            kept &= ~mask
                    if kept != cells[other]:
                        cells[other] = kept
                        if self.filled[other]:
                            if not kept:
                                return self._nothing_fits(other)
                            narrowed.append(other)
            # A kind that a cell must hold is used up once all its copies are.
            kind = next(t for t, mask in enumerate(self.kinds) if cells[cell] & mask)
            if cell in known or cells[cell] & ~self.kinds[kind]:
                continue
            known.add(cell)
            forced[kind] += 1
            if forced[kind] < self.encoding.copies[kind] or kind in spent:
                continue
            spent.add(kind)
            for other, domain in enumerate(cells):
                if domain & self.kinds[kind] and domain & ~self.kinds[kind]:
                    cells[other] = domain & ~self.kinds[kind]
                    if self.filled[other]:
                        narrowed.append(other)
        return None

    def _nothing_fits(self, cell: int) -> str:
        here = self.encoding.cells[cell]
        parts = (CORNER_NAMES if self.puzzle.match == "corners" else SIDE_NAMES)[here.up]
        needs = []
        for part, node in zip(parts, self.nodes[cell], strict=True):
            allowed = self.allowed(node, but=cell)
            if allowed != (1 << len(self.encoding.values)) - 1:
                needs.append(f"{self._values(allowed)} at its {part}")
        return f"nothing fits {self.puzzle.board.name(here)}{', which must show ' * bool(needs)}{_listed(needs, 'and')}"

    def _disagree(self, node: int) -> str:
        """The cells at a node can't agree: two that show different values, or all of them."""
        e, board = self.encoding, self.puzzle.board
        spot = e.nodes[node]
        where = "the border" if spot == "border" else self.puzzle.spot_name(spot)
        can = {c: self.support(c, k) for c, k in self.corners[node] if self.filled[c]}
        if node in self.fixed:
            value = e.values[self.fixed[node]]
            lone = next((c for c, values in can.items() if not values >> self.fixed[node] & 1), None)
            if lone is not None:
                name = board.name(e.cells[lone])
                return f"{where} must show {value}, and {name} can only show {self._values(can[lone])}"
        for a, b in ((a, b) for a in can for b in can if a < b and not can[a] & can[b]):
            (one, shown), (other, instead) = ((board.name(e.cells[c]), self._values(can[c])) for c in (a, b))
            return f"{one} can only show {shown} at {where}, and {other} only {instead}"
        return f"the cells at {where} agree on no value"

    def _values(self, bits: int) -> str:
        shown = [str(value) for v, value in enumerate(self.encoding.values) if bits >> v & 1]
        return _listed(shown, "or", most=10) or "no value"


def _blamed(puzzle: Puzzle, failure: str) -> Reason:
    """The reason with the clues to blame, a smallest set of them: with any one left out it would not hold."""
    kept = list(range(len(puzzle.clues)))
    if len(kept) * len(puzzle.board) > BLAMED:
        return Reason("cell", failure)
    for clue in tuple(kept):
        rest = [i for i in kept if i != clue]
        clues = [puzzle.clues[i] for i in rest]
        smaller = Puzzle(
            puzzle.board, puzzle.supply, match=puzzle.match, border=puzzle.border, fill=puzzle.fill, clues=clues
        )
        less = _Domains(encode(smaller)).narrow()
        if less:
            kept, failure = rest, less
    if len(kept) < 2:
        return Reason("cell", f"clue {kept[0] + 1} can't hold: {failure}" if kept else failure)
    named = _listed([str(i + 1) for i in kept], "and", most=10)
    return Reason("clues", f"clues {named} can't {'both' if len(kept) == 2 else 'all'} hold: {failure}")


# -- cells against tiles --------------------------------------------------------------------------


def _hall(domains: _Domains) -> Reason | None:
    """Cells that only fewer tiles fit, or needed tiles that only fewer cells fit."""
    e, puzzle = domains.encoding, domains.puzzle
    groups: defaultdict[frozenset[int], list[int]] = defaultdict(list)
    by_domain: dict[int, frozenset[int]] = {}
    for cell, domain in enumerate(domains.cells):
        if domain not in by_domain:
            by_domain[domain] = domains.kinds_in(domain)
        groups[by_domain[domain]].append(cell)
    kinds, members = list(groups), list(groups.values())
    fits = [(g, t) for g, held in enumerate(kinds) for t in held]
    copies = [puzzle.supply[kind] for kind in e.kinds]
    # A reason that names a value is the better one, then the one about fewer things.
    found: list[tuple[bool, int, str]] = []

    needy = [sum(domains.filled[cell] for cell in cells) for cells in members]
    short = _shortage(needy, copies, fits)
    if short:
        cells = [cell for g in short for cell in members[g] if domains.filled[cell]]
        tiles = [t for t in range(len(copies)) if any(t in kinds[g] for g in short)]
        number = sum(copies[t] for t in tiles)
        names = _listed([puzzle.board.name(e.cells[cell]) for cell in sorted(cells)], "and")
        listed = _listed([e.kinds[t].text for t in sorted(tiles, key=lambda t: e.kinds[t])], "and")
        shown = _common_value(domains, cells)
        must = f", which must all show {shown}" if shown is not None else ""
        fit = "fits" if number == 1 else "fit"
        what = f"only {counted(number, 'tile')} ({listed}) {fit} the {len(cells):,} cells {names}{must}"
        found.append((shown is None, len(cells), what))

    if puzzle.fill == "tiles" or puzzle.supply.total == len(e.cells):
        short = _shortage(copies, [len(cells) for cells in members], [(t, g) for g, t in fits])
        if short:
            number = sum(copies[t] for t in short)
            places = sorted(cell for g, cells in enumerate(members) if kinds[g] & short for cell in cells)
            listed = _listed([e.kinds[t].text for t in sorted(short, key=lambda t: e.kinds[t])], "and")
            names = _listed([puzzle.board.name(e.cells[cell]) for cell in places], "and")
            where = f"only {counted(len(places), 'cell')} ({names})" if places else "no cell"
            subject = listed if number == 1 else f"the {number:,} tiles {listed}"
            what = f"every tile is needed, and {subject} {'fits' if number == 1 else 'fit'} {where}"
            found.append((True, number, what))
    return Reason("cells", min(found)[2]) if found else None


def _common_value(domains: _Domains, cells: Sequence[int]) -> int | None:
    """A value that whatever lies in any of the cells has, a wild corner counted as any."""
    for v, value in enumerate(domains.encoding.values):
        with_it = _union(domains.may[k][v] for k in range(3))
        if not any(domains.cells[cell] & ~with_it for cell in cells):
            return value
    return None


def _shortage(needs: Sequence[int], has: Sequence[int], fits: Iterable[tuple[int, int]]) -> set[int]:
    """Some of the needy that together can be served by too few, or nobody when all can be served.

    ``needs[i]`` is what i wants, ``has[j]`` what j can give, and ``fits`` says who can be served by whom. A largest
    flow is built along shortest augmenting paths; what the last search reaches violates Hall's condition.
    """
    serves: list[list[int]] = [[] for _ in needs]
    for i, j in fits:
        serves[i].append(j)
    given: dict[tuple[int, int], int] = {}
    takers: list[set[int]] = [set() for _ in has]
    left = list(has)
    for start, want in enumerate(needs):
        while want:
            # Who is reached from the one in need, and through whose gift.
            came: dict[int, tuple[int, int]] = {}
            reached = {start}
            end = -1
            queue = deque([start])
            asked: set[int] = set()
            while queue and end < 0:
                i = queue.popleft()
                for j in serves[i]:
                    if j in asked:
                        continue
                    asked.add(j)
                    came[~j] = (i, j)
                    if left[j]:
                        end = j
                        break
                    for other in takers[j] - reached:
                        reached.add(other)
                        came[other] = (other, j)
                        queue.append(other)
            if end < 0:
                return reached
            # Back along the path: each one takes from the next and gives up what it had from the one before.
            path: list[tuple[int, int, int]] = []
            j = end
            while True:
                i = came[~j][0]
                path.append((i, j, 1))
                if i == start:
                    break
                j = came[i][1]
                path.append((i, j, -1))
            amount = min(want, left[end], *(given[i, j] for i, j, sign in path if sign < 0))
            for i, j, sign in path:
                given[i, j] = given.get((i, j), 0) + sign * amount
                (takers[j].add if given[i, j] else takers[j].discard)(i)
            left[end] -= amount
            want -= amount
    return set()


# -- corners against points -----------------------------------------------------------------------


def counting(encoding: Encoding) -> Reason | None:
    """The reason that the counting program has no solution, or None; None too where there is a quick reason."""
    puzzle = encoding.puzzle
    if puzzle is None or puzzle.fill != "board" or not encoding.cells or not encoding.values:
        return None
    domains = _Domains(encoding)
    if domains.narrow() or _hall(domains):
        return None
    program = _Counting(domains)
    for v in range(len(encoding.values)):
        if program.impossible([v]):
            return Reason("counting", program.sentence(v))
    if program.impossible(range(len(encoding.values))):
        return Reason("counting", program.general())
    return None


class _Counting:
    """The counting program; see the module's opening paragraph."""

    def __init__(self, domains: _Domains) -> None:
        e = self.encoding = domains.encoding
        self.cells = len(e.cells)
        one, several = ("corner", "corners") if domains.puzzle.match == "corners" else ("side", "sides")
        self.corner, self.corners = one, several
        self.points = "points" if domains.puzzle.match == "corners" else "edges"
        self.note = " (the border counts as one)" if domains.puzzle.border == "same" else ""
        # How many nodes there are with each number of corners and set of possible values.
        self.groups = Counter((len(domains.corners[n]), domains.allowed(n)) for n in range(len(e.nodes)))
        self.marks = [Counter(-1 if m == "W" else e.values.index(int(m)) for m in kind.text) for kind in e.kinds]
        held = [domains.kinds_in(domain) for domain in domains.cells]
        fits = Counter(t for kinds in held for t in kinds)
        forced = Counter(t for kinds in held if len(kinds) == 1 for t in kinds)
        self.bounds = [(forced[t], min(int(copies), fits[t])) for t, copies in enumerate(e.copies)]

    def impossible(self, values: Iterable[int]) -> bool:
        """True when it is proved that the program for these values (indices) alone has no solution."""
        from ortools.sat.python import cp_model

        from trisolve.engines.cpsat import new_solver

        model = cp_model.CpModel()
        self.build(model, list(values))
        solver = new_solver()
        solver.parameters.max_time_in_seconds = COUNTING_SECONDS
        return bool(solver.solve(model) == cp_model.INFEASIBLE)

    def build(self, model: cp_model.CpModel, values: Sequence[int]) -> tuple[int, int]:
        """State the program; returns how many unknowns and how many equations it has."""
        used = [model.new_int_var(low, max(low, high), "") for low, high in self.bounds]
        model.add(sum(used) == self.cells)
        wild = sum(marks[-1] * x for marks, x in zip(self.marks, used, strict=True))
        stands = [model.new_int_var(0, 3 * self.cells, "") for _ in values]
        model.add(sum(stands) <= wild)
        unknowns, equations = len(used) + len(stands), 2 + len(values)
        taken: defaultdict[int, list[cp_model.LinearExprT]] = defaultdict(list)
        for (degree, allowed), number in self.groups.items():
            here = []
            for v in values:
                if allowed >> v & 1:
                    y = model.new_int_var(0, number, "")
                    here.append(y)
                    taken[v].append(degree * y)
            # Points may have a value that isn't asked for, if they can.
            others = allowed & ~sum(1 << v for v in values)
            model.add(sum(here) <= number) if others else model.add(sum(here) == number)
            unknowns, equations = unknowns + len(here), equations + 1
        for v, stand in zip(values, stands, strict=True):
            shown = sum(marks[v] * x for marks, x in zip(self.marks, used, strict=True))
            model.add(shown + stand == sum(taken[v]))
        return unknowns, equations

    def sentence(self, v: int) -> str:
        """Why the corners with one value can't be shared out.

        As each cell can have a tile of its own that fits, they are neither too few for the points that must show the
        value nor too many for those that can.
        """
        value = self.encoding.values[v]
        each = [(marks[v], marks[-1], high) for marks, (_, high) in zip(self.marks, self.bounds, strict=True)]
        most = _greatest([(shown + wild, copies) for shown, wild, copies in each], self.cells)
        least = -_greatest([(-shown, copies) for shown, _, copies in each], self.cells)
        need = sum(degree * number for (degree, allowed), number in self.groups.items() if allowed == 1 << v)
        degrees = sorted({d for d, allowed in self.groups if allowed >> v & 1 and allowed != 1 << v})
        exactly = least == most
        step = gcd(*degrees)
        those = f" besides the {need:,} at {self.points} that must show it" if need else ""
        if exactly and step > 1 and (most - need) % step:
            multiple = "an even number" if step == 2 else f"a multiple of {step}"
            what = self.corners if most - need != 1 else self.corner
            return (
                f"the tiles have {most - need:,} {what} with a {value}{those}, "
                f"and every {'other ' * bool(need)}{self.points[:-1]} takes {multiple} of them{self.note}"
            )
        take = _listed([str(degree) for degree in degrees], "or", most=10)
        have = f"the {f'{most - need:,} ' * exactly}{self.corners} with a {value}"
        choice = "" if exactly else f", whichever {self.cells:,} tiles are used"
        return f"{have}{those} can't be shared out among {self.points} that take {take} each{choice}{self.note}"

    def general(self) -> str:
        """The sentence for a proof that only the whole program gives."""
        from ortools.sat.python import cp_model

        unknowns, equations = self.build(cp_model.CpModel(), range(len(self.encoding.values)))
        return (
            f"the {self.corners} of the tiles can't be shared out among the {self.points}, value by value "
            f"(a counting program with {unknowns:,} unknowns and {equations:,} equations has no solution)"
        )


def _greatest(each: Iterable[tuple[int, int]], number: int) -> int:
    """The greatest total of ``number`` things that are worth so much and are there so often."""
    total = 0
    for worth, copies in sorted(each, reverse=True):
        taken = min(copies, number)
        total += taken * worth
        number -= taken
    return total


# -- an engine that says why ----------------------------------------------------------------------


class Explaining:
    """An engine that first looks for a reason why there is no solution, and else lets another one search.

    ``reason`` is what was found. The library's own engines prove more than they can say, so this one stands in front
    of them where a person asks.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.name = engine.name
        self.reason: Reason | None = None

    def refuses(self, encoding: Encoding, request: Request) -> str | None:
        """What the other engine refuses."""
        return self.engine.refuses(encoding, request)

    def start(self, encoding: Encoding, request: Request) -> Work:
        """Begin to look for a reason, then to search."""
        return ExplainingWork(self, self.engine.start(encoding, request), encoding)


class ExplainingWork(Wrapped):
    """A search that ends early when a reason is found."""

    def __init__(self, owner: Explaining, work: Work, encoding: Encoding) -> None:
        self._owner = owner
        self._work = work
        self._encoding = encoding
        self._proved = False

    @property
    def engine(self) -> str:
        """``reasons`` when a reason made the search unnecessary."""
        return "reasons" if self._proved else self._work.engine

    @property
    def exhausted(self) -> bool:
        """True when every solution has been found."""
        return self._proved or self._work.exhausted

    def __iter__(self) -> Iterator[Block]:
        self._owner.reason = quick(self._encoding)
        if self._owner.reason:
            self._proved = True
            return
        began = time.monotonic()
        asked = False
        with closing(cast("Generator[Block]", iter(self._work))) as blocks:
            for block in blocks:
                yield block
                if not asked and not self._work.found and time.monotonic() - began > PATIENCE:
                    asked = True
                    self._owner.reason = counting(self._encoding)
                    if self._owner.reason:
                        self._proved = True
                        return
        if not asked and not self._work.found and self._work.exhausted:
            self._owner.reason = counting(self._encoding)


# -- words ----------------------------------------------------------------------------------------


def _integers(rows: Iterable[object]) -> list[int]:
    """Each row of truth values as an integer, the first one its lowest bit."""
    return [int.from_bytes(np.packbits(np.asarray(row), bitorder="little").tobytes(), "little") for row in rows]


def _union(masks: Iterable[int]) -> int:
    found = 0
    for mask in masks:
        found |= mask
    return found


def _listed(words: Sequence[str], last: str, most: int = MOST_NAMES) -> str:
    """The words with commas and a last conjunction; of too many only the first, and dots."""
    if len(words) > most:
        return f"{', '.join(words[:most])}, ..."
    return f" {last} ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
