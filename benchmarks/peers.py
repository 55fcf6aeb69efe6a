"""Race trisolve against the exact-cover packages of PyPI on seven puzzles, every answer checked.

Each program enumerates all solutions of each puzzle, on one thread, in a process of its own, so that one that hangs or
crashes costs the others nothing. What is measured is the processor time of the enumeration alone: importing,
compiling and building the model come before. A program of which a kernel is compiled is measured warm, and the
time that its set-up took is given separately. Runs are interleaved, round after round, so that a machine that
slows down slows everybody. A wrong count is shown as WRONG and makes the exit status 1.

The rivals get the kindest model we found, see :func:`exact_cover`; README.md in this folder says what else was
tried. None of them uses the puzzle's symmetry, so trisolve's engines run a second time without it. A third
row, *objects*, is what a caller of the library gets: Solution objects, which the rivals don't make.

    python benchmarks/peers.py -o table.md
    python benchmarks/peers.py --only hexagon,eagle --engines sweep --peers miniexact
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from trisolve import __version__
from trisolve.board import Board
from trisolve.encoding import Encoding, encode
from trisolve.engines import ENGINES, Run, engine_named
from trisolve.engines.base import Request
from trisolve.puzzle import Puzzle


class Instance(NamedTuple):
    """A bundled shape or a board, a tile set, and the right count."""

    shape: str | Board
    tiles: str
    solutions: int

    def puzzle(self) -> Puzzle:
        """The puzzle."""
        return Puzzle.load(self.shape, self.tiles) if isinstance(self.shape, str) else Puzzle(self.shape, self.tiles)


INSTANCES = {
    "parallelogram-4x3": Instance("parallelogram-4x3", "trioker-24", 120),
    "parallelogram-6x2": Instance("parallelogram-6x2", "trioker-24", 240),
    "triangle-5": Instance("triangle-5", "trioker", 852),
    "hexagon": Instance("hexagon", "trioker", 1_680),
    "seated-man": Instance("seated-man", "trioker-24", 720),
    "eagle": Instance("eagle", "trioker", 2_314_500),
    "strip-12": Instance("strip-12", "trioker-24", 206_472),
}

RIVALS = ("xcover", "miniexact", "pyxcc")
"""The packages that ratios are taken against: they take exact cover with colours as it is."""

PEERS = {"xcover": "xcover", "miniexact": "miniexact", "pyxcc": "pyxcc", "clingo": "clingo", "cpsat": "ortools"}
"""Every peer and its package."""

MODES = {"": "", "plain": "without symmetry", "objects": "as objects"}
"""The rows of an engine of trisolve: an engine is named ``dlx``, ``dlx:plain`` and ``dlx:objects`` here."""

COUNT_WORKERS = os.cpu_count() or 1
"""Threads of an engine of trisolve that only counts."""

SCRIPT = __file__
"""The script that measures one run when it is called with --measure."""

SHORT = 10.0
"""Runs under so many seconds are repeated."""

SET_UP = 180.0
"""Seconds on the clock that importing, compiling and building a model may take."""

Answer = tuple[int, int | None]
"""The number of solutions, and the nodes visited if the program tells."""


@dataclass(frozen=True)
class Measurement:
    """One run. Times in processor seconds except ``wall``; memory in MiB, at its peak."""

    count: int
    nodes: int | None
    seconds: float
    wall: float
    set_up: float
    memory: float


# -- models -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cover:
    """Exact cover with colours. An option: its primary items, its secondary ones each with a colour or ``""``."""

    primary: list[str]
    secondary: list[str]
    options: list[tuple[list[str], list[tuple[str, str]]]]


def exact_cover(e: Encoding, loose: bool) -> Cover:
    """The puzzle as exact cover with colours.

    Cells are primary items and nodes coloured secondary ones; a wild corner leaves its node out, which keeps the
    count right. Kinds are primary when all tiles are used. When one stays over, so they are too, with an item
    ``left`` that takes it: this halves the time of every rival. When more stay over and ``loose``, each kind
    has an option of its own to stay over; otherwise kinds are secondary.
    Raises ValueError for a kind with several copies.
    """
    if e.slack < 0 or e.copies.tolist() != [1] * len(e.kinds):
        raise ValueError("expected one copy of each kind, and enough of them")
    cells = [f"c{i}" for i in range(len(e.cells))]
    kinds = [f"t{t}" for t in range(len(e.kinds))]
    nodes = [f"n{i}" for i in range(len(e.nodes))]
    kinds_primary = e.slack <= 1 or loose
    options: list[tuple[list[str], list[tuple[str, str]]]] = []
    for cell, label in e.options().tolist():
        values = zip(e.cell_nodes[cell].tolist(), e.label_values[label].tolist(), strict=True)
        coloured = [(nodes[i], f"v{value}") for i, value in values if value >= 0]
        kind = kinds[e.label_kind[label]]
        options.append(([cells[cell], kind], coloured) if kinds_primary else ([cells[cell]], [(kind, ""), *coloured]))
    if not kinds_primary:
        return Cover(cells, kinds + nodes, options)
    if e.slack == 1:
        options += [([kind, "left"], []) for kind in kinds]
        return Cover([*cells, *kinds, "left"], nodes, options)
    if e.slack:
        options += [([kind], []) for kind in kinds]
    return Cover(cells + kinds, nodes, options)


CLINGO_RULES = """
{v(N,V): value(V)} = 1 :- node(N).
{joker(C,L): wild(C,L)} 1 :- cell(C).
joker(C) :- joker(C,L).
:- joker(C,L), shows(C,L,N,V), not v(N,V).
used(C,T) :- joker(C,L), kind(L,T).
used(C,T) :- placement(C,L,X,Y,Z), corners(C,I,J,K), v(I,X), v(J,Y), v(K,Z), kind(L,T), not joker(C).
:- cell(C), not used(C,_).
tied(N) :- touches(C,N), not open(C,N).
open(C,N) :- joker(C,L), free(C,L,N).
:- node(N), not tied(N), not v(N,0).
"""
"""Values of the nodes are guessed and tiles follow: several times faster than guessing tiles. A node that only
wild corners touch has value 0, so that the values it might have aren't counted."""


def clingo_program(e: Encoding) -> str:
    """The puzzle as an answer-set program."""
    facts = [f"value(0..{len(e.values) - 1}). node(0..{len(e.nodes) - 1}). cell(0..{len(e.cells) - 1})."]
    for cell, (i, j, k) in enumerate(e.cell_nodes.tolist()):
        facts.append(f"corners({cell},{i},{j},{k}). touches({cell},({i};{j};{k})).")
    facts += [f"kind({label},{kind})." for label, kind in enumerate(e.label_kind.tolist())]
    for cell, label in e.options().tolist():
        values = e.label_values[label].tolist()
        if min(values) >= 0:
            facts.append(f"placement({cell},{label},{','.join(map(str, values))}).")
            continue
        facts.append(f"wild({cell},{label}).")
        for node, value in zip(e.cell_nodes[cell].tolist(), values, strict=True):
            facts.append(f"shows({cell},{label},{node},{value})." if value >= 0 else f"free({cell},{label},{node}).")
    spare = ""
    if e.slack:
        facts.append(f"{{left(T): kind(_,T)}} = {e.slack}.")
        spare = "; left({})"
    for kind in range(len(e.kinds)):
        facts.append(f":- not {{used(C,{kind}): cell(C){spare.format(kind)}}} = 1.")
    return "\n".join(facts) + CLINGO_RULES


# -- competitors: each builds its model and gives a function that does what is measured -----------------------


def xcover(e: Encoding) -> Callable[[], Answer]:
    """xcover: numba, Knuth's dancing cells."""
    from xcover.dancing_cells import algorithm_c
    from xcover.solvers import input_as_arrays

    cover = exact_cover(e, loose=False)
    lines = [
        items + [f"{item}:{colour}" if colour else item for item, colour in coloured]
        for items, coloured in cover.options
    ]
    arrays = input_as_arrays(lines, cover.primary, cover.secondary, colored=True)
    tiny = input_as_arrays([["p", "q:red"]], ["p"], ["q"], colored=True)
    list(algorithm_c(*tiny))
    return lambda: (sum(1 for _ in algorithm_c(*arrays)), None)


def miniexact(e: Encoding) -> Callable[[], Answer]:
    """miniexact: C, Knuth's dancing links, Algorithm C."""
    from miniexact import miniexacts_c

    cover = exact_cover(e, loose=True)
    solver = miniexacts_c()
    items = {name: solver.primary(name) for name in cover.primary}
    items |= {name: solver.secondary(name) for name in cover.secondary}
    colours = {name: solver.color(name) for name in {c for _, pairs in cover.options for _, c in pairs if c}}
    for primary, coloured in cover.options:
        for name in primary:
            solver.add(items[name])
        for name, colour in coloured:
            solver.add(items[name], colours[colour]) if colour else solver.add(items[name])
        solver.add(0)
    found = 10

    def solve() -> Answer:
        count = 0
        while solver.solve() == found:
            count += 1
        return count, None

    return solve


def pyxcc(e: Encoding) -> Callable[[], Answer]:
    """pyxcc: Rust, dancing cells; hands over all solutions at once, as text."""
    import pyxcc

    cover = exact_cover(e, loose=False)
    options = [pyxcc.Option(str(i), primary, coloured) for i, (primary, coloured) in enumerate(cover.options)]
    problem = pyxcc.Problem(cover.primary, cover.secondary, options)
    return lambda: (pyxcc.solve(problem, True).count(), None)


def clingo(e: Encoding) -> Callable[[], Answer]:
    """clingo: answer sets by conflict-driven search; grounding is part of the model. Nodes are its choices."""
    from clingo import Control

    control = Control(["--models=0", "--configuration=frumpy"], logger=lambda code, text: None)
    control.add("base", [], clingo_program(e))
    control.ground([("base", [])])

    def solve() -> Answer:
        control.solve()
        statistics = control.statistics
        return int(statistics["summary"]["models"]["enumerated"]), int(statistics["solving"]["solvers"]["choices"])

    return solve


def own(name: str, mode: str, e: Encoding, puzzle: Puzzle) -> Callable[[], Answer]:
    """An engine of trisolve, its kernels compiled beforehand."""
    from trisolve.engines import compiled, search

    # By default an engine starts interpreted, so that short searches needn't wait for the compiler. Here nobody waits.
    search.PATIENCE = 0.0
    compiled.COMPILE_ABOVE = -1.0
    engine, request = engine_named(name), Request(workers=1)
    for _ in engine.start(encode(Puzzle(Board.triangle(2), puzzle.supply)), request):
        pass
    if mode == "objects":

        def objects() -> Answer:
            run = Run(puzzle, engine=name, workers=1)
            return sum(1 for _ in run), run.nodes

        return objects
    if mode == "count":
        warm = Request(counting=True, workers=COUNT_WORKERS)
        for _ in engine.start(encode(Puzzle(Board.parallelogram(4, 2), puzzle.supply)), warm):
            pass
        counted = engine.start(e, warm)

        def count() -> Answer:
            for _ in counted:
                pass
            return counted.found, counted.nodes

        return count
    work = engine.start(replace(e, puzzle=None) if mode == "plain" else e, request)
    return lambda: (sum(len(block) for block in work), work.nodes)


def measure(competitor: str, instance: str, limit: float, memory: float) -> Measurement:
    """Run one competitor on one instance in this process, which is killed when the limit is reached."""
    puzzle = INSTANCES[instance].puzzle()
    encoding = encode(puzzle)
    began = time.process_time()
    name, _, mode = competitor.partition(":")
    models = {"xcover": xcover, "miniexact": miniexact, "pyxcc": pyxcc, "clingo": clingo}
    solve = models[name](encoding) if name in models else own(name, mode, encoding, puzzle)
    resource.setrlimit(resource.RLIMIT_DATA, (int(memory * 2**30), resource.RLIM_INFINITY))
    # The default action ends the process even inside a library that never comes back to Python.
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, limit)
    start, start_wall = time.process_time(), time.monotonic()
    count, nodes = solve()
    seconds, wall = time.process_time() - start, time.monotonic() - start_wall
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
    return Measurement(count, nodes, seconds, wall, start - began, peak)


# -- the race -----------------------------------------------------------------------------------------


class Result:
    """What is known of one competitor on one instance: the runs, or why there are none."""

    def __init__(self) -> None:
        self.runs: list[Measurement] = []
        self.trouble = ""

    @property
    def seconds(self) -> float | None:
        """The median; None when there is no right answer."""
        return statistics.median(run.seconds for run in self.runs) if self.runs and not self.trouble else None


Results = dict[tuple[str, str], Result]


def in_a_process(competitor: str, instance: str, limit: float, memory: float, cache: str) -> Measurement | str:
    """The measurement, or in a word or two why there is none."""
    command = [sys.executable, SCRIPT, "--measure", competitor, "--only", instance]
    command += ["--limit", str(limit), "--memory", str(memory)]
    environment = os.environ | {"NUMBA_CACHE_DIR": cache, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=3 * limit + SET_UP, check=False
        )
    except subprocess.TimeoutExpired:
        return "stuck"
    if done.returncode == -signal.SIGPROF:
        return f"> {limit:g} s"
    if done.returncode:
        complaint = done.stderr.strip().splitlines()[-1:] or ["no message"]
        print(f"{competitor} on {instance}: exit status {done.returncode}, {complaint[0]}", file=sys.stderr, flush=True)
        return "crashed"
    return Measurement(**json.loads(done.stdout.splitlines()[-1]))


def race(competitors: Sequence[str], instances: Sequence[str], options: argparse.Namespace) -> Results:
    """Run everybody on everything, round after round."""
    results: Results = defaultdict(Result)
    for competitor in competitors:
        package = PEERS.get(competitor)
        if package and not find_spec(package):
            for instance in instances:
                results[competitor, instance].trouble = "not installed"
    with tempfile.TemporaryDirectory() as cache:
        for round_number in range(options.repeat):
            for instance in instances:
                for competitor in competitors:
                    result = results[competitor, instance]
                    if result.trouble or (round_number and result.runs[0].seconds >= SHORT):
                        continue
                    ran = in_a_process(competitor, instance, options.limit, options.memory, cache)
                    if isinstance(ran, str):
                        result.trouble = ran
                    else:
                        result.runs.append(ran)
                        if ran.count != INSTANCES[instance].solutions:
                            result.trouble = f"WRONG: {ran.count:,}"
                    shown = result.trouble or f"{result.runs[-1].seconds:.2f} s"
                    print(f"round {round_number + 1}: {title(competitor)} on {instance}: {shown}", file=sys.stderr)
    return results


# -- tables -------------------------------------------------------------------------------------------


def title(competitor: str) -> str:
    """The competitor as people read it."""
    name, _, mode = competitor.partition(":")
    if name in PEERS:
        return "CP-SAT (trisolve's model)" if name == "cpsat" else name
    return f"trisolve {name}" + (f", {MODES[mode]}" if mode else "")


def ratio(results: Results, competitor: str, instance: str) -> float | None:
    """How many times as fast as the fastest rival; None without figures for both."""
    rivals = [s for r in RIVALS if (r, instance) in results and (s := results[r, instance].seconds) is not None]
    seconds = results[competitor, instance].seconds
    return min(rivals) / max(seconds, 1e-6) if rivals and seconds is not None else None


def significant(x: float) -> str:
    """Three significant digits, without an exponent."""
    return f"{x:,.0f}" if x >= 100 else f"{x:.1f}" if x >= 10 else f"{x:.2f}" if x >= 0.1 else f"{x:.3f}"


def tables(
    results: Results, competitors: Sequence[str], instances: Sequence[str]
) -> Iterator[tuple[str, list[list[str]]]]:
    """Each table with its heading; the first row of a table names its columns."""
    seconds = [["", *instances], ["solutions", *(f"{INSTANCES[i].solutions:,}" for i in instances)]]
    ratios = [["", *instances, "geometric mean"]]
    nodes = [["", *instances]]
    memory = [["", *instances, "set-up, s"]]
    for c in competitors:
        row = [results[c, i] for i in instances]
        seconds.append([title(c), *(significant(r.seconds) if r.seconds is not None else r.trouble for r in row)])
        quotients = [ratio(results, c, i) for i in instances]
        known = [q for q in quotients if q is not None]
        if known:
            over = "" if len(known) == len(instances) else f" (of {len(known)})"
            mean = significant(statistics.geometric_mean(known)) + over
            ratios.append([title(c), *(significant(q) if q is not None else "" for q in quotients), mean])
        counts = [r.runs[-1].nodes if r.runs else None for r in row]
        if any(n is not None for n in counts):
            nodes.append([title(c), *(f"{n:,}" if n is not None else "" for n in counts)])
        if any(r.runs for r in row):
            peaks = [f"{max(run.memory for run in r.runs):,.0f}" if r.runs else "" for r in row]
            memory.append([title(c), *peaks, f"{max(run.set_up for r in row for run in r.runs):.1f}"])
    yield "Processor seconds for all solutions, one thread (median of the runs)", seconds
    yield f"How many times as fast as the fastest of {', '.join(RIVALS)}", ratios
    yield "Nodes of the search (clingo: choices, CP-SAT: branches; the others don't tell)", nodes
    yield (
        "Peak memory in MiB, and the longest set-up (import, compiling with an empty cache, model), not counted above",
        memory,
    )


def plain(rows: list[list[str]]) -> str:
    """The table for a terminal."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )


def markdown(rows: list[list[str]]) -> str:
    """The table in Markdown."""
    head, *body = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([head, "|---|" + "--:|" * (len(rows[0]) - 1), *body])


def verdicts(results: Results, competitors: Sequence[str], instances: Sequence[str]) -> Iterator[str]:
    """What the figures say of each engine of trisolve, in a sentence."""
    peers = [c for c in competitors if c in PEERS]
    for c in competitors:
        quotients = {i: q for i in instances if (q := ratio(results, c, i)) is not None}
        if c in PEERS or not quotients:
            continue
        over = "" if len(quotients) == len(instances) else f" of {len(quotients)} of {len(instances)} instances"
        worst = min(quotients, key=lambda i: quotients[i])
        beaten = [
            f"{title(p)} on {i}"
            for p in peers
            for i in instances
            if (s := results[p, i].seconds) is not None and (t := results[c, i].seconds) is not None and s < t
        ]
        mean = significant(statistics.geometric_mean(quotients.values()))
        yield (
            f"{title(c)}: {mean} times as fast as the fastest rival in the geometric mean{over}, "
            f"{significant(quotients[worst])} times at worst ({worst}); "
            + (
                f"slower than {', '.join(beaten)}."
                if beaten
                else "faster than every peer wherever both have an answer."
            )
        )


def conditions(options: argparse.Namespace) -> str:
    """The machine and the versions, in a line."""
    processor = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [
            line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")
        ]
        processor = Counter(names).most_common(1)[0][0] if names else processor
    versions = [f"trisolve {__version__}", f"Python {platform.python_version()}"]
    for package in [*PEERS.values(), "numba"]:
        try:
            versions.append(f"{package} {metadata.version(package)}")
        except metadata.PackageNotFoundError:
            versions.append(f"{package} not installed")
    load = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors"
    return (
        f"{processor}, {platform.system()}, {load} at the end; {', '.join(versions)}; limit {options.limit:g} s a run."
    )


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description="Race trisolve against exact-cover packages; see the head of the file."
    )
    engines = [name for name in ENGINES if name not in ("auto", "reference", "cpsat", "frontier")]

    def names_from(known: Sequence[str]) -> Callable[[str], list[str]]:
        def names(text: str) -> list[str]:
            chosen = [name for name in text.split(",") if name]
            for name in chosen:
                if name not in known:
                    raise argparse.ArgumentTypeError(f"{name!r}: expected some of {','.join(known)}")
            return chosen

        return names

    listed = names_from(list(INSTANCES))
    parser.add_argument("--only", type=listed, default=list(INSTANCES), help="instances, separated by commas")
    parser.add_argument("--engines", type=names_from(engines), default=engines, help="trisolve's engines to run")
    parser.add_argument("--peers", type=names_from(list(PEERS)), default=list(PEERS), help="peers to run")
    parser.add_argument("--no-peers", action="store_const", const=[], dest="peers", help="run trisolve alone")
    parser.add_argument("--modes", type=names_from(["fast", *list(MODES)[1:]]), help="fast, plain, objects")
    parser.add_argument("--repeat", type=int, default=3, help=f"runs of each, if under {SHORT:g} s (3)")
    parser.add_argument("--limit", type=float, default=120.0, help="processor seconds a run may take (120)")
    parser.add_argument("--memory", type=float, default=12.0, help="GiB a run may take (12)")
    parser.add_argument("-o", type=Path, dest="output", metavar="FILE", help="write the tables in Markdown")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every measurement")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the race; the exit status is 1 when a count was wrong."""
    options = parsed(arguments)
    if options.measure:
        print(json.dumps(asdict(measure(options.measure, options.only[0], options.limit, options.memory))))
        return 0
    modes = ["" if mode == "fast" else mode for mode in options.modes or MODES]
    own_rows = [f"{name}:{mode}" if mode else name for name in options.engines for mode in modes]
    competitors = own_rows + list(options.peers)
    instances = options.only
    results = race(competitors, instances, options)
    made = [(heading, rows) for heading, rows in tables(results, competitors, instances) if len(rows) > 1]
    closing = [*verdicts(results, competitors, instances), conditions(options)]
    for heading, rows in made:
        print(f"\n{heading}\n{plain(rows)}")
    print("\n" + "\n".join(closing))
    if options.output:
        parts = [f"### {heading}\n\n{markdown(rows)}" for heading, rows in made]
        options.output.write_text("\n\n".join([*parts, *closing]) + "\n", encoding="utf-8")
    if options.json:
        runs = [
            {"competitor": c, "instance": i, "trouble": r.trouble, "runs": [asdict(run) for run in r.runs]}
            for (c, i), r in results.items()
        ]
        options.json.write_text(json.dumps(runs, indent=1) + "\n", encoding="utf-8")
    return int(any(r.trouble.startswith("WRONG") for r in results.values()))


if __name__ == "__main__":
    sys.exit(main())
