"""How large a search would be, and how many solutions there are, where nobody can count: estimates by probing.

Knuth (Mathematics of Computation 29, 1975) walks down a search tree at random. If the nodes on the way have d1,
d2, ... children, the product d1 d2 ... dk estimates the number of nodes at depth k, and its mean over
many walks is right. But the mean lives on rare walks with huge products, and on these boards hardly any walk gets to
a solution.

So many probes go down together. At each depth *all* children of the present partial fillings are looked at, which
gives the width of the tree there, and then a few are kept to go on with, each with a weight that says how many it
stands for (stochastic enumeration: Vaisman and Kroese, Methodology and Computing in Applied Probability 19,
2017; in the spirit of Chen's heterogeneous sampling, SIAM Journal on Computing 21, 1992). With one probe it is Knuth's
walk. A child is kept with a known chance p and its weight is then divided by p, so every estimate is unbiased
whatever the chances are. They are chosen by what promises solutions:

- Tiles of many kinds left are better than many copies of few. If tiles could lie anywhere, the cells left could be
  filled with the tiles left in as many ways as there are arrangements of so many of them, turned as they may be.
- The corners of the tiles left should show each value about as often as the cells left will need it.

The chance is in proportion to the weight times this promise, plus a little for all, so that no weight becomes huge
because a promise was wrong (defensive sampling: Hesterberg, Technometrics 37, 1995). The draw is systematic, with one
random number for all, so each branch of the tree keeps its share. On board-73, which needs each of its 73 tiles, no
probe out of 10,000 is left at the end if only weights matter, and some are in every third repetition as it is.

**Errors.** The whole is repeated, each time with other random numbers, and the repetitions are compared. Estimates err
by factors, upwards rarely but by large ones, so the interval is taken on a logarithmic scale: mean / f to mean * f with
f = exp(t s / mean), s the standard error and t Student's for as many repetitions as effectively count, (sum x)^2 /
sum x^2. If that is less than three, because few large results decide, there is no interval, and if no probe reached a
solution, nothing is claimed at all. Where the probes needn't be thinned, they have seen the whole tree, and the figures
are exact.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from math import ceil, log
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from trisolve.encoding import Encoding, Ints
from trisolve.engines import Run
from trisolve.engines.base import Block, Request, WorkBase, must_fill
from trisolve.engines.order import sweep_order
from trisolve.puzzle import Puzzle
from trisolve.tiles import WILD

PROBES = 320_000
"""Probes when nothing else is asked for."""

REPETITIONS = 32
"""How often the whole is repeated, at least, so that there is something to compare."""

TOGETHER = 100_000
"""The most probes that go down together."""

ENOUGH = 3
"""Repetitions that must effectively count for an interval."""

FOR_ALL = 0.25
"""The share of the chances, compared with that by promise, that goes by weight alone."""

CONFIDENCE = 0.95
"""How often the interval is meant to hold the true number."""

PLENTY = 64
"""So many copies left of a kind are as good as any larger number."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Quantity:
    """An estimated number."""

    value: Decimal
    """The estimate; 0 also when no probe came so far."""
    error: Decimal | None
    """The standard error; 0 for an exact number, None when nothing can be said."""
    low: Decimal | None
    """The lower end of the interval, or None."""
    high: Decimal | None
    """The upper end."""

    def __str__(self) -> str:
        if self.error == 0:
            return f"{int(self.value):,} exactly"
        if self.error is None:
            return f"about {_short(self.value)}, error unknown" if self.value else "unknown"
        text = f"about {_short(self.value)}, standard error {_short(self.error)}"
        if self.low is None or self.high is None:
            return f"{text}, too rough for an interval"
        return f"{text}, {CONFIDENCE:.0%} interval {_short(self.low)} to {_short(self.high)}"

    def as_json(self) -> dict[str, object]:
        """Whole numbers, of six digits and zeros unless they are exact; the value is null when it is unknown."""
        if self.error == 0:
            return {"value": int(self.value), "standard_error": 0, "interval": [int(self.value)] * 2}
        value, error, low, high = (n and _rounded(n) for n in (self.value, self.error, self.low, self.high))
        interval = None if low is None or high is None else [low, high]
        return {"value": value or None, "standard_error": error, "interval": interval}


@dataclass(frozen=True)
class Estimate:
    """What probing says about a puzzle."""

    solutions: Quantity
    """The number of solutions."""
    nodes: Quantity
    """The nodes of the tree of engine ``sweep`` when it makes no use of symmetry."""
    exact: bool
    """True when the probes have seen the whole tree."""
    repetitions: int
    """Repetitions that were finished."""
    reached: int
    """Those that reached a solution."""
    probes: int
    """Probes in all of them."""

    def as_json(self) -> dict[str, object]:
        """The quantities under ``estimate``, and what they rest on."""
        quantities = {"solutions": self.solutions.as_json(), "nodes": self.nodes.as_json()}
        basis = {"probes": self.probes, "repetitions": self.repetitions, "reached": self.reached}
        return {"estimate": quantities, **basis}


def _short(number: Decimal) -> str:
    """Three digits, and zeros as far as a person can count them."""
    if number < 100:
        return f"{number:.1f}"
    return f"{int(Decimal(f'{number:.2e}')):,}" if number < 10**9 else f"{number:.3g}"


def _rounded(number: Decimal) -> int:
    return int(Decimal(f"{number:.5e}").to_integral_value())


def quantity(results: list[Decimal], exact: bool) -> Quantity:
    """The mean of independent unbiased results, and how far it may be off."""
    if exact:
        return Quantity(results[0], Decimal(0), results[0], results[0])
    n = len(results)
    mean = sum(results, Decimal(0)) / n if results else Decimal(0)
    if n < 2 or not mean:
        return Quantity(mean, None, None, None)
    error = (sum(((result - mean) ** 2 for result in results), Decimal(0)) / (n * (n - 1))).sqrt()
    effective = (n * mean) ** 2 / sum((result**2 for result in results), Decimal(0))
    if effective < ENOUGH or not error:
        return Quantity(mean, error or None, None, None)
    factor = (Decimal(student(float(effective) - 1)) * error / mean).exp()
    return Quantity(mean, error, mean / factor, mean * factor)


def student(freedom: float) -> float:
    """The two-sided quantile of Student's distribution, to within 3 % from two degrees of freedom on.

    An expansion around the normal distribution (Abramowitz and Stegun, 26.7.5).
    """
    z: float = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return z + sum(term / freedom**i for i, term in enumerate(terms, 1))


class EstimateWork(WorkBase):
    """Probes under way; see :class:`trisolve.engines.base.Work`. ``found`` counts the solutions reached."""

    engine = "sweep"

    def __init__(self, encoding: Encoding, request: Request, probes: int) -> None:
        super().__init__(encoding, request)
        self.exact = False
        self.solutions: list[Decimal] = []
        """For each repetition, its estimate of the number of solutions."""
        self.widths: list[Decimal] = []
        """And of the number of nodes."""
        self.repetitions = max(min(probes, REPETITIONS), ceil(probes / TOGETHER))
        self.together = probes // self.repetitions

    def __iter__(self) -> Iterator[Block]:
        e = self._encoding
        if e.slack < 0 or not e.cells:
            self.exact = True
            self.solutions, self.widths = [Decimal(int(e.slack >= 0))], [Decimal(0)]
        else:
            descent = _Descent(e)
            for i in range(self.repetitions):
                # A generator of its own for each repetition.
                yield from self._descend(descent, np.random.default_rng([i, *_words(self._request.seed or 0)]))
                if self.exact:
                    break
        self.exhausted = True
        self.fraction = 1.0

    def _descend(self, descent: _Descent, random: np.random.Generator) -> Iterator[Block]:
        probes = descent.start()
        scale = Decimal(1)
        nodes = Decimal(0)
        thinned = False
        for depth in range(len(descent.order)):
            children = descent.children(probes, depth)
            self.nodes += len(children.kept)
            width = float(children.weight.sum())
            nodes += scale * Decimal(width)
            if len(children.kept) > self.together:
                thinned = True
                descent.thin(children, probes, depth, self.together, random)
            if thinned and width:
                children.weight /= width
                scale *= Decimal(width)
            probes = descent.go_on(probes, children, depth)
            done = len(self.solutions) + (depth + 1) / len(descent.order)
            self.fraction = done / self.repetitions
            yield ()
            if not len(children.kept):
                break
        self.found += len(probes.weight)
        self.solutions.append(scale * Decimal(float(probes.weight.sum())))
        self.widths.append(nodes)
        self.exact = not thinned


def _words(seed: int) -> list[int]:
    """A seed of any size and sign as numbers that numpy takes."""
    return [int(seed < 0), abs(seed)]


@dataclass
class _Probes:
    """Partial fillings of the first cells: a row for each."""

    values: npt.NDArray[np.int16]
    """(b, m): value at the node; V while none."""
    copies: npt.NDArray[np.int16]
    """(b, t): copies left."""
    corners: Floats
    """(b, V): corners with each value on the tiles left."""
    wanted: Floats
    """(b, V): corners that must show each value in the cells left, at nodes that have one."""
    weight: Floats
    """(b,): how many partial fillings each stands for."""


@dataclass
class _Children:
    """Ways to fill the next cell."""

    kept: Ints
    """(c,): the row of the parent."""
    label: Ints
    """(c,): the labelling."""
    weight: Floats
    """(c,): how many each stands for."""


class _Descent:
    """Takes probes from one depth to the next."""

    def __init__(self, e: Encoding) -> None:
        self.order = sweep_order(e)[0]
        self._encoding = e
        self._possible = e.possible()
        corner = e.label_values.T[:, None, :]
        value = np.arange(len(e.values))[None, :, None]
        agrees = (corner == value) | (corner < 0)
        self._agrees = np.concatenate([agrees, np.ones((3, 1, len(e.label_kind)), dtype=np.bool_)], axis=1)
        ways = np.bincount(e.label_kind, minlength=len(e.kinds))
        wild = np.array([tile.text.count(WILD) for tile in e.kinds], dtype=np.int64)
        # A wild corner fits V times as often.
        self._ways = np.log(ways) + wild * log(len(e.values) or 1)
        self._tables: dict[int, Floats] = {}
        shows = e.label_values[:, :, None] == np.arange(len(e.values))
        self._shows = shows.sum(axis=1).astype(np.float64)
        one_of_each = np.unique(e.label_kind, return_index=True)[1]
        self._corners = e.copies @ self._shows[one_of_each]
        left = np.bincount(e.cell_nodes.ravel(), minlength=len(e.nodes))
        fresh = np.ones(len(e.nodes), dtype=np.bool_)
        self._left: list[Ints] = []
        """For each depth, (m,): corners at each node in the cells that are left."""
        self._open: list[Ints] = []
        """And, at nodes that no cell so far has, those of each."""
        for c in self.order:
            np.subtract.at(left, e.cell_nodes[c], 1)
            fresh[e.cell_nodes[c]] = False
            self._left.append(left.copy())
            self._open.append(left[fresh])

    def start(self) -> _Probes:
        """The empty filling."""
        e = self._encoding
        values = np.full((1, len(e.nodes)), len(e.values), dtype=np.int16)
        wanted = np.zeros((1, len(e.values)))
        return _Probes(values, e.copies[None].astype(np.int16), self._corners[None], wanted, np.ones(1))

    def children(self, probes: _Probes, depth: int) -> _Children:
        """All ways to go on from there."""
        e = self._encoding
        c = self.order[depth]
        fit = self._possible[c] & (probes.copies > 0)[:, e.label_kind]
        for k, p in enumerate(e.cell_nodes[c].tolist()):
            fit &= self._agrees[k][probes.values[:, p]]
        parent, label = np.nonzero(fit)
        return _Children(parent, label, probes.weight[parent])

    def thin(self, children: _Children, probes: _Probes, depth: int, most: int, random: np.random.Generator) -> None:
        """Keep about so many children, drawn by weight and promise; those kept then stand for the others too."""
        promise = self._promise(children, probes, depth)
        worth = np.exp(promise - promise.max())
        usual = float((children.weight * worth).sum() / children.weight.sum())
        chance = children.weight * (worth + FOR_ALL * usual)
        # Some are sure to be kept; the others share what room is left.
        chance *= most / chance.sum()
        while (chance > 1).any():
            chance[chance > 1] = 1
            free = chance < 1
            rest = chance[free].sum()
            if rest <= 0:
                break
            chance[free] *= max(most - (len(chance) - free.sum()), 0) / rest
        ends = np.floor(np.cumsum(chance) + random.random())
        chosen = np.flatnonzero(np.diff(ends, prepend=0.0))
        children.kept, children.label = children.kept[chosen], children.label[chosen]
        children.weight = children.weight[chosen] / chance[chosen]

    def go_on(self, probes: _Probes, children: _Children, depth: int) -> _Probes:
        """The probes one cell further down."""
        e = self._encoding
        rows = np.arange(len(children.kept))
        corners, wanted = self._balance(children, probes, depth)
        values, copies = probes.values[children.kept], probes.copies[children.kept]
        copies[rows, e.label_kind[children.label]] -= 1
        for k, p in enumerate(e.cell_nodes[self.order[depth]].tolist()):
            shown = e.label_values[children.label, k]
            values[:, p] = np.where(shown < 0, values[:, p], shown)
        return _Probes(values, copies, corners, wanted, children.weight)

    def _balance(self, children: _Children, probes: _Probes, depth: int) -> tuple[Floats, Floats]:
        """``corners`` and ``wanted`` for the children."""
        e = self._encoding
        corners = probes.corners[children.kept] - self._shows[children.label]
        wanted = probes.wanted[children.kept]
        rows = np.arange(len(wanted))
        for k, p in enumerate(e.cell_nodes[self.order[depth]].tolist()):
            before, shown = probes.values[children.kept, p], e.label_values[children.label, k]
            known = before < len(e.values)
            wanted[rows[known], before[known]] -= 1
            new = ~known & (shown >= 0)
            wanted[rows[new], shown[new]] += self._left[depth][p]
        return corners, wanted

    def _promise(self, children: _Children, probes: _Probes, depth: int) -> Floats:
        """(c,): logarithm, up to a constant, of what a child promises.

        First the number of ways to lay the tiles left in the cells left. For kinds with c1, c2, ... copies left, r
        cells left and g1, g2, ... ways to turn a tile it is the coefficient of x^r in the product of
        sum((g x)^j / j!, j <= c), here without the other powers of x taken away, at the x that makes r the usual
        one. Then, how likely the numbers of corners are to agree, as if nodes without a value took any and the
        tiles to be used were any of those left: a normal density.
        """
        e = self._encoding
        if depth not in self._tables:
            self._tables[depth] = self._table(len(self.order) - depth - 1, int(e.copies.sum()) - depth - 1)
        table = self._tables[depth]
        kinds = np.arange(len(e.kinds))
        before = table[kinds, np.minimum(probes.copies, PLENTY)].sum(axis=1)
        kind = e.label_kind[children.label]
        copies = probes.copies[children.kept, kind]
        now, then = table[kind, np.minimum(copies, PLENTY)], table[kind, np.minimum(copies - 1, PLENTY)]
        corners, wanted = self._balance(children, probes, depth)
        cells = len(self.order) - depth - 1
        tiles = int(e.copies.sum()) - depth - 1
        free = self._open[depth]
        share = cells / tiles if tiles else 0.0
        values = max(len(e.values), 1)
        even = (values - 1) / values**2
        variance = 1 + even * float((free**2).sum()) + 3 * cells * (1 - share)
        off = corners * share - wanted - free.sum() / values
        result: Floats = before[children.kept] - now + then - (off**2).sum(axis=1) / (2 * variance)
        return result

    def _table(self, cells: int, tiles: int) -> Floats:
        """(t, copies + 1): a factor of the product above, for each number of copies left, as a logarithm."""
        e = self._encoding
        number = np.arange(min(PLENTY, int(e.copies.max())) + 1)
        at_first = np.minimum(e.copies, PLENTY)
        factorials = np.cumsum(np.log(np.maximum(number, 1)))
        # Of all the tiles, so many would be used at this rate.
        share = cells / tiles * at_first.sum() if tiles else 0.0
        low, high = -20.0, 20.0
        while True:
            x = (low + high) / 2
            terms = number * (self._ways[:, None] + x) - factorials
            sums = np.logaddexp.accumulate(terms, axis=1)
            if high - low < 0.01:
                return sums
            reach = np.where(number <= at_first[:, None], terms, -np.inf)
            odds = np.exp(reach - reach.max(axis=1, keepdims=True))
            used = float(((odds * number).sum(axis=1) / odds.sum(axis=1)).sum())
            low, high = (low, x) if used > share else (x, high)


class Estimator:
    """Probes; an engine that no one can ask for by name, since it neither solves nor counts."""

    name = "estimator"

    def __init__(self, probes: int) -> None:
        self._probes = probes

    def refuses(self, encoding: Encoding, request: Request) -> str | None:
        """Refuses boards with cells that may stay empty."""
        return must_fill(encoding)

    def start(self, encoding: Encoding, request: Request) -> EstimateWork:
        """Begin to probe."""
        return EstimateWork(encoding, request, self._probes)


class EstimateRun(Run):
    """Probes at work on a puzzle; see :func:`estimate` for the parameters.

    Iterate over it, though nothing comes, to have the work done. Attributes as in
    :class:`~trisolve.engines.Run`; ``status`` is ``complete`` when all repetitions are done.
    """

    _work: EstimateWork

    def __init__(self, puzzle: Puzzle, *, probes: int = PROBES, seed: int | None = None, **options: Any) -> None:
        if probes < 1:
            raise ValueError(f"{probes} probes: expected at least one")
        self.seed = secrets.randbits(32) if seed is None else seed
        super().__init__(puzzle, engine=Estimator(probes), counting=True, seed=self.seed, **options)

    @property
    def estimate(self) -> Estimate:
        """What the repetitions finished so far say."""
        work = self._work
        return Estimate(
            solutions=quantity(work.solutions, work.exact),
            nodes=quantity(work.widths, work.exact),
            exact=work.exact,
            repetitions=len(work.solutions),
            reached=sum(1 for result in work.solutions if result),
            probes=len(work.solutions) * work.together,
        )


def estimate(puzzle: Puzzle, *, probes: int = PROBES, seed: int | None = None, **options: Any) -> Estimate:
    """Estimates of the number of solutions and of the nodes of a search, with standard errors and intervals.

    Parameters
    ----------
    puzzle
        The puzzle.
    probes
        How many partial fillings are followed; at least 1. Time and, up to a limit, memory grow with it, and
        errors shrink with its square root or faster.
    seed
        The same seed gives the same estimate; without one they differ from call to call.
    options
        ``time_limit`` and ``on_tick`` of :class:`~trisolve.engines.Run`. After the time limit the estimate rests on
        fewer repetitions.

    Raises
    ------
    ValueError
        when there is less than one probe.
    """
    run = EstimateRun(puzzle, probes=probes, seed=seed, **options)
    for _ in run:
        pass
    return run.estimate
