"""The best solution: CP-SAT with an objective.

The model is that of :mod:`trisolve.engines.cpsat`, and what a solution is worth is a linear expression in its
variables and a few more. Every one of these more is tied down from both sides, so the expression has the value of
:class:`~trisolve.objective.Goal` for every solution, whether it is maximized or minimized. The solver goes from one
solution to a better one, and proves a bound at the same time; when the two meet, the solution is the best. For a
while it looks straight for a solution that is as good as the bound: the 7 hexagons of free-25 take 2 seconds that way,
and 13 step by step. One worker does it, as in that module, so :attr:`Request.workers` is not used.

Where tiles are placed freely, two facts of geometry are told to the solver, since no search over tiles would
find them in reasonable time: the shortest outline, and the most complete hexagons, of a figure of n cells.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import ceil, floor, isfinite
from typing import TYPE_CHECKING, Any

from trisolve.encoding import EMPTY, Encoding
from trisolve.engines import Run, engine_named
from trisolve.engines.base import EngineError, Labels, Request
from trisolve.engines.cpsat import CpsatWork, Model, build, new_solver
from trisolve.objective import Goal, least_perimeter, least_perimeter_with_hole, most_hexagons
from trisolve.puzzle import Puzzle
from trisolve.solution import Solution

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

HEAD_START = 1.0
"""Seconds that another engine has for a first solution."""

AIMING = 5.0
"""Units of work, about a second each, in which the solver looks for a solution that is as good as the bound."""


class OptimizingWork(CpsatWork):
    """A search for the best solution under way. Its blocks hold better and better ones."""

    def __init__(self, encoding: Encoding, request: Request, goal: Goal) -> None:
        super().__init__(encoding, request)
        self.bound: int | None = None
        """No solution is better than this; None while nothing is known."""
        self._goal = goal
        self._last: Labels | None = None

    @property
    def filling(self) -> Labels | None:
        """The best solution so far."""
        return self._last

    def _learn(self, bound: float) -> None:
        """Called in the solver's threads with a bound that is proved."""
        if isfinite(bound):
            # Values are whole numbers; the little more is for what the solver's numbers lack.
            whole = floor(bound + 1e-6) if self._goal.maximize else ceil(bound - 1e-6)
            if self.bound is None or self._goal.better(self.bound, whole):
                self.bound = whole

    def _first(self) -> Labels | None:
        """A solution to start from, by an engine that finds one sooner, if it does so in a moment."""
        end = time.monotonic() + HEAD_START
        for block in engine_named("dlx").start(self._encoding, Request(limit=1, seed=self._request.seed)):
            if len(block):
                return list(map(int, block[0]))
            if self._stopped.is_set() or time.monotonic() > end:
                break
        return None

    def _run_solver(self) -> None:
        from ortools.sat.python import cp_model

        made = build(self._encoding, self._request.seed, self._stopped)
        worth = expression(self._encoding, made, self._goal)
        if self._goal.maximize:
            made.model.maximize(worth)
        else:
            made.model.minimize(worth)
        self._last = self._first()
        if self._last is not None:
            self.hand_over(self._last)
        work = self

        class Callback(cp_model.CpSolverSolutionCallback):
            def on_solution_callback(self) -> None:
                try:
                    labels = [EMPTY] * len(work._encoding.cells)
                    for (cell, label), taken in made.options.items():
                        if self.boolean_value(taken):
                            labels[cell] = label
                    work.nodes = before + self.num_branches
                    work._learn(self.best_objective_bound)
                    work._last = labels
                    wanted = work.hand_over(labels)
                except BaseException as error:
                    work.fail(error)
                    wanted = False
                if not wanted:
                    self.stop_search()

        for aiming in (True, False):
            before = self.nodes
            if self._last is not None:
                made.model.clear_hints()  # type: ignore[no-untyped-call]
                for (cell, label), taken in made.options.items():
                    made.model.add_hint(taken, self._last[cell] == label)
            solver = new_solver()
            parameters = solver.parameters
            # Relaxation says much about points for tiles, and next to nothing about shapes.
            parameters.linearization_level = int(self._goal.name == "score")
            parameters.use_objective_lb_search = aiming
            if aiming:
                parameters.max_deterministic_time = AIMING
            solver.best_bound_callback = self._learn
            self._solver = solver
            status = solver.solve(made.model, Callback())
            self.nodes = before + solver.num_branches
            self._proved = status in (cp_model.OPTIMAL, cp_model.INFEASIBLE)
            if self._proved or self._stopped.is_set():
                return


def expression(e: Encoding, made: Model, goal: Goal) -> cp_model.LinearExprT:
    """What a solution is worth, in the variables of the model and more."""
    assert e.puzzle is not None
    tiles = int(e.copies.sum()) if e.optional is not None else len(e.cells)
    if not tiles or not e.cells:
        return 0
    index = {cell: i for i, cell in enumerate(e.cells)}
    model, filled = made.model, made.filled
    if goal.name == "score":
        kinds = [str(kind) for kind in e.kinds]
        return sum(
            entry.points * taken
            for entry in e.puzzle.score
            for (cell, label), taken in made.options.items()
            if entry.cell in (None, e.cells[cell]) and str(entry.tile) in ("None", kinds[e.label_kind[label]])
        )
    if goal.name == "area":
        return _area(e, made, tiles)
    inner = {}
    for point in e.puzzle.board.points:
        if all(cell in index for cell in point.cells()):
            around = [filled[index[cell]] for cell in point.cells()]
            whole = inner[point] = model.new_bool_var("")
            for one in around:
                model.add_implication(whole, one)
            model.add_bool_or([whole, *(~one for one in around)])
    most = len(inner)
    perimeter = goal.name == "perimeter"
    if e.optional is not None:
        most = min(most, most_hexagons(tiles))
    hexagons = _within(model, sum(inner.values()), 0, most)
    if perimeter or e.optional is not None:
        outline = _within(
            model, _perimeter(e, made), least_perimeter(tiles) if e.optional is not None else 0, 3 * tiles
        )
        if e.optional is not None:
            # Euler's formula; see the functions of trisolve.objective.
            model.add(2 * hexagons + outline <= tiles + 2)
            no_hole = model.new_bool_var("")
            model.add(outline >= least_perimeter_with_hole(tiles)).only_enforce_if(~no_hole)
            model.add(2 * hexagons + outline == tiles + 2).only_enforce_if(no_hole)
        if perimeter:
            return outline
    if goal.name == "hexagons":
        return hexagons
    node = {place: i for i, place in enumerate(e.nodes)}
    pips: list[cp_model.LinearExprT] = []
    for point, whole in inner.items():
        for value, shown in zip(e.values, made.shows[node[point]], strict=True):
            both = model.new_bool_var("")
            model.add_multiplication_equality(both, [whole, shown])
            pips.append(value * both)
    return _within(model, sum(pips), 0, most * max(e.values, default=0))


def _within(model: cp_model.CpModel, worth: cp_model.LinearExprT, low: int, high: int) -> cp_model.IntVar:
    """A variable for an expression that is known to have bounds, which the solver then starts from."""
    variable = model.new_int_var(low, high, "")
    model.add(variable == worth)
    return variable


def _perimeter(e: Encoding, made: Model) -> Any:
    """Edges with a filled cell on one side: three for each filled cell, less two for each pair of neighbours.

    The bounding hexagon has no longer outline, and its outline is the sum of its three widths.
    """
    pairs = []
    for cell, around in enumerate(e.adjacent):
        for other in around:
            if cell < other:
                a, b = made.filled[cell], made.filled[other]
                both = made.model.new_bool_var("")
                made.model.add_implication(both, a)
                made.model.add_implication(both, b)
                made.model.add_bool_or([both, ~a, ~b])
                pairs.append(both)
    outline: Any = sum([*(3 * one for one in made.filled), *(-2 * both for both in pairs)])
    if e.optional is not None:
        low, high = _extents(e, made)
        made.model.add(sum(high) - sum(low) <= outline)
    return outline


def _extents(e: Encoding, made: Model) -> tuple[list[cp_model.IntVar], list[cp_model.IntVar]]:
    """The least and the greatest x, y and x + y of the points of filled cells."""
    model = made.model
    levels: list[Callable[[Any], int]] = [lambda p: p.x, lambda p: p.y, lambda p: p.x + p.y]
    low, high = [], []
    for level in levels:
        at: dict[int, list[cp_model.LiteralT]] = {}
        for cell, one in zip(e.cells, made.filled, strict=True):
            for place in {level(point) for point in cell.corners()}:
                at.setdefault(place, []).append(one)
        first, last = min(at), max(at)
        has = {place: model.new_bool_var("") for place in at}
        for place, cells in at.items():
            model.add_bool_or([~has[place], *cells])
            for one in cells:
                model.add_implication(one, has[place])
        lowest, highest = model.new_int_var(first, last, ""), model.new_int_var(first, last, "")
        model.add_min_equality(lowest, [last - (last - place) * there for place, there in has.items()])
        model.add_max_equality(highest, [first + (place - first) * there for place, there in has.items()])
        low.append(lowest)
        high.append(highest)
    return low, high


def _area(e: Encoding, made: Model, tiles: int) -> cp_model.IntVar:
    """The cells of the bounding hexagon, by the formula of :func:`trisolve.objective.bounding_area`."""
    model = made.model
    low, high = _extents(e, made)
    points = [point for cell in e.cells for point in cell.corners()]
    most = max(max(p[k] for p in points) - min(p[k] for p in points) for k in (0, 1)) ** 2
    whole, lower, upper = (model.new_int_var(0, most, "") for _ in range(3))
    model.add_multiplication_equality(whole, [high[0] - low[0], high[1] - low[1]])
    below, above = low[2] - low[0] - low[1], high[0] + high[1] - high[2]
    model.add_multiplication_equality(lower, [below, below])
    model.add_multiplication_equality(upper, [above, above])
    area = model.new_int_var(tiles, 2 * most, "")
    model.add(area == 2 * whole - lower - upper)
    return area


@dataclass(frozen=True)
class Optimizer:
    """The engine that looks for the best solution."""

    goal: Goal
    name = "cpsat"

    def refuses(self, encoding: Encoding, request: Request) -> str | None:
        """Refuses what CP-SAT refuses, and a goal that makes no sense."""
        assert encoding.puzzle is not None
        return self.goal.refuses(encoding.puzzle) or engine_named("cpsat").refuses(encoding, request)

    def start(self, encoding: Encoding, request: Request) -> OptimizingWork:
        """Begin a search."""
        return OptimizingWork(encoding, request, self.goal)


class BestRun(Run):
    """A search for the best solution of a puzzle; iterate over it for better and better ones.

    Parameters are those of :class:`~trisolve.engines.Run` and the goal. Raises EngineError when the goal or the
    engine doesn't suit the puzzle. Attributes as in :class:`~trisolve.engines.Run`; ``status`` is ``complete`` when
    the best solution is proved to be the best.
    """

    _work: OptimizingWork

    def __init__(self, puzzle: Puzzle, goal: Goal, *, engine: str = "auto", **options: Any) -> None:
        if engine not in ("auto", "cpsat"):
            raise EngineError(f"engine {engine} doesn't look for the best solution: expected auto or cpsat")
        self.goal = goal
        self.best: Solution | None = None
        """The best solution so far."""
        self.value: int | None = None
        """What it is worth."""
        super().__init__(puzzle, engine=Optimizer(goal), **options)

    @property
    def optimal(self) -> bool:
        """True when no solution is better."""
        return self.best is not None and (self.complete or self.value == self._work.bound)

    @property
    def bound(self) -> int | None:
        """What no solution is better than, as far as is proved; None while nothing is."""
        return self.value if self.optimal else self._work.bound

    def _solutions(self) -> Iterator[Solution]:
        for solution in super()._solutions():
            value = self.goal.value(solution)
            if self.goal.better(value, self.value):
                self.best, self.value = solution, value
                yield solution


@dataclass(frozen=True)
class Best:
    """The best solution that was found, what it is worth, and what is proved."""

    solution: Solution | None
    value: int | None
    bound: int | None
    """No solution is better than this; None while nothing is known."""
    optimal: bool
    """True when no solution is better than this one."""


def best(puzzle: Puzzle, *, maximize: str | None = None, minimize: str | None = None, **options: Any) -> Best:
    """The best solution of a puzzle, or the best that is found before ``time_limit``.

    Takes one of ``maximize`` and ``minimize``, a name of :data:`trisolve.objective.GOALS`, and the options
    ``engine``, ``seed``, ``workers``, ``time_limit`` and ``on_tick`` of :class:`~trisolve.engines.Run`.

    Raises
    ------
    ValueError
        when not exactly one of them is given, or for an unknown name.
    EngineError
        when the goal doesn't suit the puzzle.
    """
    if (maximize is None) == (minimize is None):
        raise ValueError("expected one of maximize and minimize")
    run = BestRun(puzzle, Goal(maximize or minimize or "", maximize is not None), **options)
    for _ in run:
        pass
    return Best(run.best, run.value, run.bound, run.optimal)
