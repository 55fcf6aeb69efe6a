"""The engine that learns from its mistakes: a constraint model for OR-Tools' CP-SAT.

**The model** has a Boolean for each option and one for each value at each node where cells meet. Exactly
one option of a cell is taken, and of a kind as many as there are copies: at most, or exactly where every
tile is needed. A node Boolean is true just when the value shows there. Most cells can't be wild at a node, and
then it is the sum of the options that show the value, so that a cell is known as soon as its corners are.
Where wild corners or empty cells are possible it is implied by those options, and implies one of them if no cell
defines it. So it is never free, and each solution is one assignment. With ``fill: tiles`` a cell may also be empty, of
each kind all copies are taken, and :func:`connect` adds what makes the filled cells hang together.

**How it is run.** One worker, without linear relaxation, probing or symmetry detection, for these only cost
time. On board-73 (73 tiles for 73 cells) that takes 0.4 processor seconds to a solution, and 0.5 to 6 in ten
other orders, half of them within 1. With probing it takes 1 to 4, with probing and symmetry 2 to 6, and
OR-Tools' own choice for two workers, which spends them on relaxation and local search, 40 or more than 120.
(These are figures of OR-Tools 9.15; 9.12 is slower, 2 in the usual order and up to 33 in others.) Nodes
linked to options by implications instead of sums cost twice as much, and cells compared in pairs, without
nodes, find nothing in two minutes. One worker is also what makes a search reproducible and what enumeration
demands, so :attr:`Request.workers` is not used. A seed shuffles the options; the solver's own seed has no effect on
such a search.

**When it is good.** Learnt clauses pay where tiles run short on a board too large for backtracking.
They don't when all solutions are wanted: the 120 of parallelogram-4x3 take 2 processor seconds, the 852 of
triangle-5 about 14, the 1,680 of hexagon about 45, dozens of times what the other engines need.

The solver runs in a thread of its own, because it gives no sign of life between solutions; it hands
them over through a bounded queue, so that it can't run far ahead of a slow reader.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from queue import Empty, Full, Queue
from threading import Event, Thread
from typing import TYPE_CHECKING

from trisolve.encoding import EMPTY, Encoding
from trisolve.engines.base import TICK, Block, Labels, Request, WorkBase

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

MAX_OPTIONS = 1_000_000
"""The most options that are modelled; each takes about a kilobyte."""

ROOM = 1000
"""Solutions that may wait to be read."""


class Stopped(Exception):
    """Nobody wants the model any more."""


class CpsatWork(WorkBase):
    """A search under way; see :class:`trisolve.engines.base.Work`."""

    engine = "cpsat"

    def __init__(self, encoding: Encoding, request: Request) -> None:
        super().__init__(encoding, request)
        self._queue: Queue[Labels | None] = Queue(ROOM)
        self._stopped = Event()
        self._solver: cp_model.CpSolver | None = None
        self._error: BaseException | None = None
        self._proved = False

    def __iter__(self) -> Iterator[Block]:
        some_stay_empty = self._encoding.optional is not None
        if self._encoding.slack > 0 if some_stay_empty else self._encoding.slack < 0:
            # CP-SAT would have to find the pigeonhole principle.
            self.exhausted = True
            return
        thread = Thread(target=self._solve, name="cpsat", daemon=True)
        thread.start()
        try:
            running = True
            while running:
                block, running = self._waiting()
                self.found += len(block)
                yield () if self._request.counting else block
        finally:
            self._stopped.set()
            while thread.is_alive():
                # Again and again: a solver that hasn't begun yet doesn't hear it.
                if self._solver is not None:
                    self._solver.stop_search()
                thread.join(TICK)
        if self._error is not None:
            raise self._error
        self.exhausted = self._proved

    def _waiting(self) -> tuple[list[Labels], bool]:
        """The solutions in the queue (after a short wait if there is none), and whether more may come."""
        block: list[Labels] = []
        try:
            while len(block) < ROOM:
                labels = self._queue.get_nowait() if block else self._queue.get(timeout=TICK)
                if labels is None:
                    return block, False
                block.append(labels)
        except Empty:
            pass
        return block, True

    def hand_over(self, labels: Labels | None) -> bool:
        """Called in the solver's thread with a solution, or None for the end; False when nobody wants it."""
        while not self._stopped.is_set():
            try:
                self._queue.put(labels, timeout=TICK)
            except Full:
                continue
            return True
        return False

    def fail(self, error: BaseException) -> None:
        """Called in the solver's thread with an error that the reader is to see."""
        self._error = error

    def _solve(self) -> None:
        try:
            self._run_solver()
        except Stopped:
            pass
        except BaseException as error:
            self.fail(error)
        self.hand_over(None)

    def _run_solver(self) -> None:
        from ortools.sat.python import cp_model

        made = build(self._encoding, self._request.seed, self._stopped)
        work = self
        cells = len(self._encoding.cells)

        class Callback(cp_model.CpSolverSolutionCallback):
            def on_solution_callback(self) -> None:
                # An exception that leaves a callback is lost in the solver.
                try:
                    chosen = [EMPTY] * cells
                    for (cell, label), taken in made.options.items():
                        if self.boolean_value(taken):
                            chosen[cell] = label
                    work.nodes = self.num_branches
                    wanted = work.hand_over(tuple(chosen))
                except BaseException as error:
                    work.fail(error)
                    wanted = False
                if not wanted:
                    self.stop_search()

        solver = new_solver()
        parameters = solver.parameters
        parameters.linearization_level = 0
        parameters.cp_model_probing_level = 0
        parameters.symmetry_level = 0
        parameters.enumerate_all_solutions = self._request.limit != 1
        self._solver = solver
        status = solver.solve(made.model, Callback())
        self.nodes = solver.num_branches
        everything = status == cp_model.OPTIMAL and self._request.limit != 1
        self._proved = everything or status == cp_model.INFEASIBLE


def new_solver() -> cp_model.CpSolver:
    """A solver of one worker that leaves Ctrl-C alone: it is for whoever waits for the solver, and then stops it."""
    from ortools.sat.python import cp_model

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.catch_sigint_signal = False
    return solver


@dataclass
class Model:
    """The model and what its variables mean."""

    model: cp_model.CpModel
    options: dict[tuple[int, int], cp_model.IntVar]
    """For each option (cell, labelling), whether it is taken."""
    filled: list[cp_model.LiteralT]
    """For each cell, whether it is filled."""
    shows: dict[int, list[cp_model.IntVar]]
    """For each node where cells meet, and each value, whether it shows there."""


def build(encoding: Encoding, seed: int | None, stopped: Event) -> Model:
    """The model of a puzzle; a seed shuffles the options.

    Raises Stopped soon after ``stopped`` is set.
    """
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    pairs = [(cell, label) for cell, label in encoding.options().tolist()]
    if seed is not None:
        random.Random(seed).shuffle(pairs)
    options: dict[tuple[int, int], cp_model.IntVar] = {}

    of_cell: list[list[cp_model.IntVar]] = [[] for _ in encoding.cells]
    of_kind: list[list[cp_model.IntVar]] = [[] for _ in encoding.kinds]
    # Node, then cell, then value: the options of the cell that show the value at the node; -1 for none.
    showing: defaultdict[int, defaultdict[int, defaultdict[int, list[cp_model.IntVar]]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(list))
    )
    nodes = encoding.cell_nodes.tolist()
    values = encoding.label_values.tolist()
    kind = encoding.label_kind.tolist()
    for cell, label in pairs:
        if stopped.is_set():
            raise Stopped
        option = options[cell, label] = model.new_bool_var("")
        of_cell[cell].append(option)
        of_kind[kind[label]].append(option)
        # A node may be at two corners of the cell; then one of them may be wild.
        shown = dict.fromkeys(nodes[cell], -1)
        for node, value in zip(nodes[cell], values[label], strict=True):
            shown[node] = max(shown[node], value)
        for node, value in shown.items():
            showing[node][cell][value].append(option)

    optional = encoding.optional
    filled: list[cp_model.LiteralT] = []
    for cell, taken in enumerate(of_cell):
        if optional is None or not optional[cell]:
            model.add_exactly_one(taken)
            filled.append(model.new_constant(1))
            continue
        empty = model.new_bool_var("")
        model.add_exactly_one([empty, *taken])
        filled.append(~empty)
        for node in set(nodes[cell]):
            showing[node][cell][-1].append(empty)
    for taken, copies in zip(of_kind, encoding.copies.tolist(), strict=True):
        if encoding.slack == 0 or optional is not None:
            model.add(sum(taken) == copies)
        elif copies == 1:
            model.add_at_most_one(taken)
        elif copies < len(encoding.cells):
            model.add(sum(taken) <= copies)

    shows_at: dict[int, list[cp_model.IntVar]] = {}
    for place, cells in showing.items():
        if stopped.is_set():
            raise Stopped
        if len(cells) < 2:
            continue
        shows = shows_at[place] = [model.new_bool_var("") for _ in encoding.values]
        defined = any(not by_value[-1] for by_value in cells.values())
        if defined:
            model.add_exactly_one(shows)
        else:
            model.add_at_most_one(shows)
        for value, shown_here in enumerate(shows):
            for by_value in cells.values():
                if by_value[-1]:
                    model.add_at_most_one([~shown_here, *by_value[value]])
                else:
                    model.add_exactly_one([~shown_here, *by_value[value]])
            if not defined:
                model.add_bool_or([~shown_here, *(o for by_value in cells.values() for o in by_value[value])])
    made = Model(model, options, filled, shows_at)
    if optional is not None:
        connect(encoding, made, stopped)
    return made


def connect(encoding: Encoding, made: Model, stopped: Event) -> None:
    """Demand that paths across edges join the filled cells.

    From a root, the first filled cell or a required one, the filled cells are reached in so many steps: for each
    number of steps there is a Boolean for each cell, true just when the cell is filled and at most so far away. In as
    many steps as there are tiles, less one, all filled cells must be reached. The Booleans follow from what is filled,
    so they multiply no solutions.
    """
    model, filled, n = made.model, made.filled, len(encoding.cells)
    tiles = int(encoding.copies.sum())
    assert encoding.optional is not None
    required = [cell for cell in range(n) if not encoding.optional[cell]]
    never = model.new_constant(0)
    reached: list[cp_model.LiteralT] = []
    if required:
        reached = [filled[cell] if cell == required[0] else never for cell in range(n)]
    else:
        none_before = model.new_constant(1)
        for cell in range(n):
            first, still = model.new_bool_var(""), model.new_bool_var("")
            model.add_multiplication_equality(first, [none_before, filled[cell]])
            model.add_multiplication_equality(still, [none_before, ~filled[cell]])
            reached.append(first)
            none_before = still
    for _ in range(1, min(tiles, n)):
        if stopped.is_set():
            raise Stopped
        after: list[cp_model.LiteralT] = []
        for cell, around in enumerate(encoding.adjacent):
            near = [reached[other] for other in (cell, *around) if reached[other] is not never]
            if not near:
                after.append(never)
                continue
            now = model.new_bool_var("")
            model.add_implication(now, filled[cell])
            model.add_bool_or([~now, *near])
            for one in near:
                model.add_bool_or([now, ~filled[cell], ~one])
            after.append(now)
        reached = after
    for cell in range(n):
        model.add_implication(filled[cell], reached[cell])


class CpsatEngine:
    """See the module's opening paragraph."""

    name = "cpsat"

    def refuses(self, encoding: Encoding, request: Request) -> str | None:
        """Refuses more than :data:`MAX_OPTIONS` options, or Booleans that tell how far apart cells are."""
        number = len(encoding.options())
        if number > MAX_OPTIONS:
            return f"its model would have {number:,} options, and {MAX_OPTIONS:,} is the most; dlx and sweep take more"
        cells, tiles = len(encoding.cells), int(encoding.copies.sum())
        if encoding.optional is not None and cells * tiles > MAX_OPTIONS:
            return (
                f"its model grows with cells times tiles, {cells:,} x {tiles:,} here, and {MAX_OPTIONS:,} is the most; "
                "dlx takes more"
            )
        return None

    def start(self, encoding: Encoding, request: Request) -> CpsatWork:
        """Begin a search."""
        return CpsatWork(encoding, request)


ENGINE = CpsatEngine()
