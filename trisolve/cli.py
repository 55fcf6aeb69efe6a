"""The command line: reads a puzzle, runs an engine, prints what it found.

Nothing is solved or drawn here. What this module sees to is manners. Results go to standard output,
everything else to standard error, and progress only to a terminal. A solution is printed the moment it is
found, also into a pipe. Ctrl-C keeps what was printed; a reader that goes away is no accident; bad input is
one line and exit status 2. The statuses are listed once, as ``DONE`` and the names after it.

Start-up counts: everything but click is imported inside the command that needs it.
"""

from __future__ import annotations

import logging
import re
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TextIO, cast

import click

from trisolve import __version__
from trisolve.terminal import (
    INTERRUPTS,
    Log,
    ProgressLine,
    echo,
    plain,
    prepare,
    say,
    settle,
    table,
    text_picture,
    writing,
)

if TYPE_CHECKING:
    from collections.abc import Generator

    from trisolve.engines import Run
    from trisolve.engines.reasons import Explaining, Reason
    from trisolve.puzzle import Puzzle
    from trisolve.solution import Solution

DONE = 0
NO_SOLUTION = 1
BAD_INPUT = 2
STOPPED = 3
INTERRUPTED = 130
CRASHED = 70
CLOSED_PIPE = 141

EXIT = {
    "solved": DONE,
    "complete": DONE,
    "infeasible": NO_SOLUTION,
    "limit": STOPPED,
    "interrupted": INTERRUPTED,
}
"""The exit status for each status of a run."""

_Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


# -- options ------------------------------------------------------------------------------------------


class _EngineOption(click.Option):
    """Names the engines in the help; the registry is loaded only when they are needed."""

    def make_metavar(self, *args: Any, **kwargs: Any) -> str:
        from trisolve.engines import ENGINES

        return f"[{'|'.join(ENGINES)}]"


def _engine(ctx: click.Context, param: click.Parameter, name: str) -> str:
    from trisolve.engines import ENGINES

    if name not in ENGINES:
        raise click.BadParameter(f"no engine {name!r}: expected one of {', '.join(ENGINES)}", ctx, param)
    return name


def _seconds(ctx: click.Context, param: click.Parameter, text: str | None) -> float | None:
    if text is None:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 < seconds < float("inf"):
        raise click.BadParameter(f"{text!r}: expected a number of seconds above 0", ctx, param)
    return seconds


def _bytes(ctx: click.Context, param: click.Parameter, text: str | None) -> int | None:
    if text is None:
        return None
    match = re.fullmatch(r"([0-9]{1,12})([KMGT]?)(i?B)?", text, re.ASCII | re.IGNORECASE)
    if not match or not int(match[1]):
        raise click.BadParameter(f"{text!r}: expected a size above 0, like 4G or 500M", ctx, param)
    return int(match[1]) << 10 * " KMGT".index(match[2].upper() or " ")


def _tile_set(ctx: click.Context, param: click.Parameter, name: str | None) -> str | None:
    from trisolve.tiles import named_set

    try:
        return None if name is None else named_set(name).name
    except ValueError as error:
        raise click.BadParameter(str(error), ctx, param) from None


def _file_option(what: str, *, pictures: bool, json: bool) -> _Decorator:
    """The option -o. Refuses a file that couldn't be written before any work is done."""

    def checked(ctx: click.Context, param: click.Parameter, path: str | None) -> str | None:
        if path is None or (json and _is_json(path)):
            message = None
        elif pictures:
            from trisolve import picture

            message = None
            try:
                picture.check_ending(path)
            except ValueError as error:
                message = f"{error}{' or .json' * (json and 'expected one of' in str(error))}"
        else:
            message = f"{path}: expected a file name that ends in .json"
        if path is not None and not message and not Path(path).parent.is_dir():
            message = f"{path}: there is no such folder"
        elif path is not None and not message and Path(path).is_dir():
            message = f"{path}: a folder, expected a file"
        if message:
            raise click.BadParameter(message, ctx, param)
        return path

    return click.option("-o", "--output", metavar="FILE", callback=checked, help=f"Write {what} to FILE.")


def _goal(name: str, text: str) -> _Decorator:
    """The option --maximize or --minimize."""

    def checked(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
        from trisolve.objective import GOALS

        if value is not None and value not in GOALS:
            raise click.BadParameter(f"{value!r}: expected one of {', '.join(GOALS)}", ctx, param)
        return value

    names = "hexagons, area, perimeter, pips-inside or score"
    return click.option(f"--{name}", metavar="WHAT", callback=checked, help=text.format(names))


def _checkpoint_file(ctx: click.Context, param: click.Parameter, path: str | None) -> str | None:
    if path is not None and not Path(path).parent.is_dir():
        raise click.BadParameter(f"{path}: there is no such folder", ctx, param)
    if path is not None and Path(path).is_dir():
        raise click.BadParameter(f"{path}: a folder, expected a file", ctx, param)
    return path


def _is_json(path: str | None) -> bool:
    return path is not None and path.lower().endswith(".json")


_puzzle = click.argument("puzzle")
_tiles = click.option("--tiles", metavar="SET", callback=_tile_set, help="Use this tile set, not that of the file.")
_json = click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON object.")
_up_to = click.option(
    "--up-to",
    type=click.Choice(["rotation", "reflection", "values", "symmetry"]),
    help="Take solutions that differ by so much for one: turned, turned or mirrored, values renamed, or all of these.",
)
_time_limit = click.option("--time-limit", callback=_seconds, metavar="SECONDS", help="Stop after so much time.")
_workers = click.option("--workers", type=click.IntRange(min=1), metavar="N", help="Threads to use.  [default: all]")
_memory = click.option(
    "--memory",
    callback=_bytes,
    metavar="SIZE",
    help="Memory to use, like 4G.  [default: half of what is free]",
)
_checkpoint = click.option(
    "--checkpoint",
    metavar="FILE",
    callback=_checkpoint_file,
    help="Keep finished parts in FILE, and go on from there if it exists.",
)
_scheduler = click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Count on a Dask cluster, with its scheduler at ADDRESS, like tcp://host:8786.",
)
_chance = click.option("--seed", type=int, metavar="N", help="Draw the same for the same N.  [default: a random one]")
_quiet = click.option("--quiet", is_flag=True, help="Print results and errors, nothing else.")


def _work_options(command: Callable[..., Any]) -> Callable[..., Any]:
    options: list[_Decorator] = [
        click.option(
            "--engine", cls=_EngineOption, callback=_engine, default="auto", help="How to solve.  [default: auto]"
        ),
        _json,
        click.option("--seed", type=int, metavar="N", help="Search in another order, the same for the same N."),
        _time_limit,
        _workers,
        _tiles,
        _quiet,
    ]
    for option in reversed(options):
        command = option(command)
    return command


# -- commands -----------------------------------------------------------------------------------------


@click.group(no_args_is_help=False, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="trisolve", message="%(prog)s %(version)s")
def commands() -> None:
    """Solve triangular tile puzzles: Trioker, MacMahon's triangles, Triominoes.

    PUZZLE is a shape file or the name of a bundled shape; `trisolve shapes` lists those.

    Exit status: 0 done, 1 no solution (or verify found a mistake), 2 bad input, 3 stopped by a limit,
    130 interrupted.
    """


@commands.command()
@_puzzle
@click.option("--all", "everything", is_flag=True, help="Print every solution, each as it is found.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Print up to N solutions.  [default: 1]")
@_up_to
@_goal("maximize", "Find the solution with the most of it: {}.")
@_goal("minimize", "Find the solution with the least of it.")
@_file_option("the first solution (.svg, .png, .txt) or the result (.json)", pictures=True, json=True)
@_work_options
def solve(
    puzzle: str,
    everything: bool,
    limit: int | None,
    maximize: str | None,
    minimize: str | None,
    as_json: bool,
    output: str | None,
    quiet: bool,
    **options: Any,
) -> int:
    """Print a solution of PUZZLE, or find that there is none.

    With --maximize or --minimize print the best solution, and say whether it is proved to be the best.
    """
    if everything and limit is not None:
        raise click.UsageError("--all and --limit exclude each other")
    if maximize is not None or minimize is not None:
        if everything or limit is not None or options.pop("up_to") or (maximize and minimize):
            raise click.UsageError("--maximize, --minimize, --all, --limit and --up-to exclude each other")
        return _best(puzzle, maximize, minimize, as_json, output, quiet, **options)
    wanted = None if everything else limit or 1
    the_puzzle = _load(puzzle, options.pop("tiles"))
    progress = ProgressLine(quiet)
    explaining = _explaining(options.pop("engine"))
    run = _start(the_puzzle, quiet, engine=explaining, limit=wanted, on_tick=progress.tick, **options)

    def facts(status: str) -> dict[str, object]:
        return {**_facts(run, status), **({"reason": str(explaining.reason)} if explaining.reason else {})}

    status = _solutions(run, progress, as_json, output, quiet, wanted != 1, facts)
    say(quiet, _summary(the_puzzle, run, status, explaining.reason))
    return EXIT[status]


@commands.command()
@_puzzle
@_up_to
@_memory
@_checkpoint
@_scheduler
@_file_option("the result (.json)", pictures=False, json=True)
@_work_options
def count(puzzle: str, as_json: bool, output: str | None, quiet: bool, scheduler: str | None, **options: Any) -> int:
    """Print the exact number of solutions of PUZZLE, or of orbits with --up-to.

    A count that is stopped early prints "at least N (not complete)". With --checkpoint the same command goes on
    with it later; `trisolve progress FILE` says how far it is.
    """
    if output is not None and options["checkpoint"] is not None and Path(output) == Path(options["checkpoint"]):
        raise click.UsageError("-o and --checkpoint need two files")
    the_puzzle = _load(puzzle, options.pop("tiles"))
    progress = ProgressLine(quiet)
    with ExitStack() as stack:
        if scheduler is not None:
            from trisolve.engines.cluster import dask_executor

            options["executor"] = stack.enter_context(dask_executor(scheduler))
        run = _start(the_puzzle, quiet, counting=True, on_tick=progress.tick, **options)
        status = _work(run, progress)
    with writing(output) as stream:
        if as_json or output is not None:
            from trisolve.jsonfile import ResultWriter

            ResultWriter(stream, the_puzzle.name).finish(_facts(run, status), count=run.found)
        else:
            number = run.found if run.orbits is None else run.orbits
            stream.write(f"{number}\n" if run.complete else f"at least {number} (not complete)\n")
    if output is not None:
        say(quiet, f"written to {output}")
    say(quiet, _summary(the_puzzle, run, status, counting=True))
    return EXIT[status]


@commands.command()
@click.argument("file", metavar="FILE")
@_json
def progress(file: str, as_json: bool) -> int:
    """Say what is in FILE, a checkpoint of a long count, also while somebody counts with it."""
    from trisolve.checkpoint import read

    found = read(file)
    job = found.job
    if as_json:
        import json

        echo(json.dumps(found.as_json()))
        return DONE
    if job is None:
        echo(f"{plain(file)}: a new checkpoint, nothing is counted yet")
        return DONE
    share = found.done / job.parts if job.parts else 1.0
    left = "nobody can tell yet" if found.left is None else _duration(found.left)
    counting = found.holder or "nobody"
    lines = [
        ("puzzle", f"{plain(job.puzzle) or 'no name'} ({job.digest[:8]}), engine {job.engine}"),
        ("parts", f"{found.done:,} of {job.parts:,} ({share:.1%})"),
        ("count", f"{found.found:,}" if found.complete else f"{found.found:,} so far, not complete"),
        ("time", f"{_duration(found.seconds)} in {_counted(found.runs, 'run')}, {_counted(found.nodes, 'node')}"),
        ("rate", f"{found.rate:.2f} parts a second"),
        ("left", "nothing" if found.complete else left),
        ("held by", plain(counting)),
    ]
    for name, text in lines:
        echo(f"{name:8}{text}")
    return DONE


@commands.command()
@_puzzle
@click.option("-n", "number", type=click.IntRange(min=1), default=1, metavar="N", help="How many.  [default: 1]")
@_memory
@_file_option("the first solution (.svg, .png, .txt) or the result (.json)", pictures=True, json=True)
@_json
@_chance
@_time_limit
@_workers
@_tiles
@_quiet
def sample(puzzle: str, number: int, as_json: bool, output: str | None, quiet: bool, **options: Any) -> int:
    """Print solutions of PUZZLE drawn at random, every one with the same chance.

    Draws are independent, so a solution may come twice. All solutions are counted first, without being listed.
    """
    from trisolve.engines.sampling import SampleRun

    the_puzzle = _load(puzzle, options.pop("tiles"))
    progress = ProgressLine(quiet)
    _log(quiet)
    run = SampleRun(the_puzzle, number, on_tick=progress.tick, **options)

    def facts(status: str) -> dict[str, object]:
        return {**_facts(run, status), "total": run.total, "seed": run.seed}

    status = _solutions(run, progress, as_json, output, quiet, number != 1, facts)
    if status == "infeasible":
        say(quiet, _summary(the_puzzle, run, status))
    else:
        stopped = {"interrupted": "interrupted: ", "limit": "stopped by a limit: "}.get(status, "")
        total = "" if run.total is None else f" of {_counted(run.total, 'solution')}"
        effort = f"seed {run.seed}, {run.seconds:.2f} s, {_counted(run.nodes, 'node')}, engine {run.engine}"
        say(quiet, f"{stopped}{_counted(run.found, 'sample')}{total}, {effort}")
    return EXIT[status]


@commands.command()
@_puzzle
@click.option(
    "--probes", type=click.IntRange(min=1), metavar="N", help="Partial fillings to follow.  [default: 320000]"
)
@_json
@_chance
@_time_limit
@_tiles
@_quiet
def estimate(
    puzzle: str,
    probes: int | None,
    as_json: bool,
    seed: int | None,
    time_limit: float | None,
    tiles: str | None,
    quiet: bool,
) -> int:
    """Estimate the number of solutions of PUZZLE, and of the nodes of a search, by random probes.

    For boards that nobody can count. The intervals are meant to hold the true number 95 times in 100.
    """
    from trisolve.engines.estimating import PROBES, EstimateRun

    the_puzzle = _load(puzzle, tiles)
    progress = ProgressLine(quiet)
    run = EstimateRun(the_puzzle, probes=probes or PROBES, seed=seed, time_limit=time_limit, on_tick=progress.tick)
    status = _work(run, progress)
    found = run.estimate
    if as_json:
        import json

        facts = {**_facts(run, status), "complete": found.exact, "seed": run.seed}
        echo(json.dumps({"puzzle": the_puzzle.name, **facts, **found.as_json()}))
    else:
        echo(f"solutions  {found.solutions}\nnodes      {found.nodes}")
    reached = f"a solution reached in {found.reached} of {_counted(found.repetitions, 'repetition')}"
    if not found.reached and not found.exact:
        reached = "no probe reached a solution, which proves nothing"
    stopped = {"interrupted": "interrupted: ", "limit": "stopped by a limit: "}.get(status, "")
    say(quiet, f"{stopped}{_counted(found.probes, 'probe')}, {reached}, seed {run.seed}, {run.seconds:.2f} s")
    return EXIT[status]


@commands.command()
@_puzzle
@click.option("--names/--no-names", default=True, help="Write the name of each cell into it.  [default: names]")
@_file_option("the picture (.svg, .png, .txt)", pictures=True, json=False)
@_tiles
@_quiet
def show(puzzle: str, names: bool, output: str | None, tiles: str | None, quiet: bool) -> int:
    """Draw the board of PUZZLE with its clues, without solving it."""
    from trisolve import picture

    the_puzzle = _load(puzzle, tiles)
    if output is None:
        echo(text_picture(the_puzzle, names=names))
    else:
        picture.write(the_puzzle, output, names=names)
        say(quiet, f"written to {output}")
    return DONE


@commands.command()
@_puzzle
@_json
@_tiles
def check(puzzle: str, as_json: bool, tiles: str | None) -> int:
    """Validate PUZZLE and say what puzzle it is."""
    from trisolve.engines.reasons import reason
    from trisolve.symmetry import group

    the_puzzle = _load(puzzle, tiles)
    board, supply = the_puzzle.board, the_puzzle.supply
    symmetries = group(the_puzzle)
    why = reason(the_puzzle)
    facts = {
        "name": the_puzzle.name,
        "title": the_puzzle.title,
        "source": the_puzzle.source,
        "cells": len(board),
        "rows": board.rows,
        "columns": board.columns,
        "points": len(board.points),
        "tiles": supply.total,
        "kinds": len(supply),
        "values": list(supply.values),
        "left_over": supply.total - len(board) if the_puzzle.fill == "board" else 0,
        "fill": the_puzzle.fill,
        "match": the_puzzle.match,
        "border": the_puzzle.border,
        "clues": len(the_puzzle.clues),
        "group": symmetries.as_json(),
        "reason": None if why is None else str(why),
    }
    if as_json:
        import json

        echo(json.dumps(facts))
        return DONE
    left = supply.total - len(board)
    stays = f"{left:,} left over" if left >= 0 else f"{-left:,} too few"
    if the_puzzle.fill == "tiles":
        stays = f"all are placed; cells that stay empty: {-left:,}" if left <= 0 else f"{left:,} too many"
    values = " ".join(map(str, supply.values)) or "none"
    borders: dict[object, str] = {None: "any values", "same": "one value, whichever"}
    border = borders.get(the_puzzle.border, f"value {the_puzzle.border}")
    echo(
        f"{the_puzzle.name}: {plain(the_puzzle.title) or 'no title'}\n"
        f"board   {_counted(len(board), 'cell')}, {_counted(board.rows, 'row')} x {_counted(board.columns, 'column')}, "
        f"{_counted(len(board.points), 'point')}\n"
        f"tiles   {supply.name}: {_counted(supply.total, 'tile')} of {_counted(len(supply), 'kind')}, values {values}\n"
        f"        {stays}\n"
        f"match   {the_puzzle.match}\n"
        f"border  {border}\n"
        f"clues   {len(the_puzzle.clues)}\n"
        f"group   {symmetries}\n"
        f"filling {f'impossible: {why}' if why else 'possible: no reason found why there should be none'}"
    )
    return DONE


@commands.command()
@_puzzle
@click.argument("solution", metavar="SOLUTION.json")
@_tiles
@_quiet
def verify(puzzle: str, solution: str, tiles: str | None, quiet: bool) -> int:
    """Check a solution of PUZZLE, as `solve --json` writes it; - reads standard input.

    The check shares no code with any engine.
    """
    from trisolve import solution as solutions
    from trisolve.jsonfile import open_solutions

    the_puzzle = _load(puzzle, tiles)
    entries = open_solutions(solution)
    right = True
    for i, entry in enumerate(entries, 1):
        which = f"solution {i}: " if len(entries) > 1 else ""
        for problem in solutions.verify(the_puzzle, entry).problems:
            right = False
            echo(f"{which}{plain(problem)}")
    if right and not quiet:
        echo(f"correct: {_counted(len(entries), 'solution')} of {the_puzzle.name}")
    return DONE if right else NO_SOLUTION


@commands.command()
@click.argument("position", metavar="POSITION")
@click.option("--hand", metavar="PLAYER", help="List the placements of this player only.")
@_file_option("a picture of the position, dead cells crossed out (.svg, .png, .txt),", pictures=True, json=False)
@_json
@_quiet
def moves(position: str, hand: str | None, output: str | None, as_json: bool, quiet: bool) -> int:
    """List what can be done in POSITION, a board where some tiles lie and others are in hand.

    POSITION is a file or the name of a bundled one. There is a line for each legal placement, with the hexagons and
    the bridge that it completes, for each dead cell, which no remaining tile fits, and for each hexagon that can still
    be completed.
    """
    from trisolve.position import Position

    game = Position.load(position)
    try:
        found = game.moves(hand)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--hand") from None
    dead, still_open = game.dead_cells(), game.open_hexagons()
    if as_json:
        import json

        hands = {who: [t.text for t, n in held.items() for _ in range(n)] for who, held in game.hands.items()}
        facts = {
            "position": game.puzzle.name,
            "filled": len(game.placed),
            "hands": hands,
            "moves": [move.as_json() for move in found],
            "dead_cells": dead,
            "hexagons": {"complete": game.hexagons(), "open": still_open},
        }
        echo(json.dumps(facts))
    elif output is None:
        rows = [
            (
                "place",
                move.cell,
                move.tile,
                plain(move.hand),
                *([f"hexagon {' '.join(move.hexagons)}"] if move.hexagons else []),
                *([f"bridge {move.bridge}"] if move.bridge else []),
            )
            for move in found
        ]
        rows += [("dead", name) for name in dead] + [("open", name) for name in still_open]
        if rows:
            table(rows)
    if output is not None:
        from trisolve import picture

        picture.write(game, output, names=True)
        say(quiet, f"written to {output}")
    hexagons, bridges = sum(bool(m.hexagons) for m in found), sum(bool(m.bridge) for m in found)
    brings = f"{_counted(hexagons, 'hexagon')}, {_counted(bridges, 'bridge')}"
    left = f"{_counted(len(dead), 'dead cell')}, {_counted(len(still_open), 'hexagon')} still open"
    say(quiet, f"{_counted(len(found), 'placement')} ({brings}), {left}")
    return DONE


@commands.command()
def shapes() -> int:
    """List the bundled shapes: name, cells, tile set, title."""
    from trisolve import shapefile

    puzzles = [_load(name, None) for name in shapefile.bundled()]
    table([(p.name, str(len(p.board)), p.supply.name, plain(p.title)) for p in puzzles])
    return DONE


@commands.command()
@click.argument("name", metavar="[SET]", required=False, callback=_tile_set)
def tiles(name: str | None) -> int:
    """List the tile sets, or the tiles of SET, one a line."""
    from trisolve.tiles import SETS

    if name is not None:
        table([(str(tile),) for tile in SETS[name].supply()])
    else:
        table([(s.name, str(s.supply().total), s.match, s.note) for s in SETS.values()])
    return DONE


@commands.command()
def schema() -> int:
    """Print the JSON Schema of shape files, for editors."""
    import json

    from trisolve import shapefile

    echo(json.dumps(shapefile.schema(), indent=2))
    return DONE


# -- the work -----------------------------------------------------------------------------------------


def _load(puzzle: str, tiles: str | None) -> Puzzle:
    from trisolve.puzzle import Puzzle

    return Puzzle.load(puzzle, tiles)


def _start(puzzle: Puzzle, quiet: bool, **options: Any) -> Run:
    from trisolve.engines import Run

    _log(quiet)
    return Run(puzzle, **options)


def _explaining(engine: str) -> Explaining:
    from trisolve.engines import engine_named
    from trisolve.engines.reasons import Explaining

    return Explaining(engine_named(engine))


def _log(quiet: bool) -> None:
    log = logging.getLogger("trisolve")
    log.addHandler(Log())
    log.setLevel(logging.ERROR if quiet else logging.INFO)


def _work(run: Run, progress: ProgressLine, *emits: Callable[[Solution], None]) -> str:
    """Run to the end, passing on each solution, whole, as it comes. Returns the status of the run."""
    try:
        with closing(cast("Generator[Solution]", iter(run))) as solutions:
            for solution in solutions:
                progress.clear()
                with INTERRUPTS.held():
                    for emit in emits:
                        emit(solution)
        return run.status
    except KeyboardInterrupt:
        return "interrupted"
    finally:
        progress.clear()


def _solutions(
    run: Run,
    progress: ProgressLine,
    as_json: bool,
    output: str | None,
    quiet: bool,
    numbered: bool,
    facts: Callable[[str], dict[str, object]],
) -> str:
    """Run to the end, writing each solution where it belongs as it comes. Returns the status of the run."""
    result = output if output is None or _is_json(output) else None
    emits: list[Callable[[Solution], None]] = []
    with writing(result) as stream:
        writer = None
        if as_json or result is not None:
            from trisolve.jsonfile import ResultWriter

            writer = ResultWriter(stream, run.puzzle.name)
            emits.append(writer.solution)
        elif output is None:
            emits.append(_printer(stream, numbered=numbered))
        if output is not None and result is None:
            emits.append(_first_picture(output))
        status = _work(run, progress, *emits)
        if writer is not None:
            writer.finish(facts(status))
    if output is not None and (run.found or _is_json(output)):
        say(quiet, f"written to {output}")
    return status


def _best(
    puzzle: str,
    maximize: str | None,
    minimize: str | None,
    as_json: bool,
    output: str | None,
    quiet: bool,
    **options: Any,
) -> int:
    """The best solution: a line for each better one as it comes, and at the end the best one."""
    from trisolve import picture
    from trisolve.engines.optimizing import BestRun
    from trisolve.engines.reasons import reason
    from trisolve.jsonfile import ResultWriter
    from trisolve.objective import Goal

    goal = Goal(maximize or minimize or "", maximize is not None)
    the_puzzle = _load(puzzle, options.pop("tiles"))
    progress = ProgressLine(quiet)
    _log(quiet)
    run = BestRun(the_puzzle, goal, on_tick=progress.tick, **options)
    why: Reason | None = None

    def worth() -> str:
        side = "at most" if goal.maximize else "at least"
        proved = (
            "the best there is" if run.optimal else f"{side} {run.bound:,}" if run.bound is not None else "no bound yet"
        )
        return f"{goal.name} {run.value:,}, {proved}"

    status = _work(run, progress, lambda _: say(quiet, f"{worth()}, {run.seconds:.1f} s"))
    if run.optimal:
        status = "complete"
    if status == "infeasible":
        why = reason(the_puzzle)
    result = output if output is None or _is_json(output) else None
    with writing(result) as stream:
        if as_json or result is not None:
            writer = ResultWriter(stream, the_puzzle.name)
            if run.best is not None:
                writer.solution(run.best)
            facts = {"goal": str(goal), "objective": run.value, "bound": run.bound, "optimal": run.optimal}
            facts |= {"reason": str(why)} if why else {}
            writer.finish({**_facts(run, status), **facts})
        elif output is None and run.best is not None:
            _printer(stream, numbered=False)(run.best)
    if output is not None and result is None and run.best is not None:
        picture.write(run.best, output)
    if output is not None and (run.best is not None or result is not None):
        say(quiet, f"written to {output}")
    if run.best is None:
        say(quiet, _summary(the_puzzle, run, status, why))
    else:
        stopped = {"interrupted": "interrupted: ", "limit": "stopped by a limit: "}.get(status, "")
        effort = f"{run.seconds:.2f} s, {_counted(run.nodes, 'node')}, engine {run.engine}"
        say(quiet, f"{stopped}{worth()}, {effort}")
    return EXIT[status]


def _facts(run: Run, status: str) -> dict[str, object]:
    orbits = {} if run.group is None else {"orbits": run.orbits, "group_order": run.group.order}
    return {
        "engine": run.engine,
        "status": status,
        "complete": run.complete,
        "seconds": round(run.seconds, 6),
        "nodes": run.nodes,
        **orbits,
    }


def _summary(puzzle: Puzzle, run: Run, status: str, why: Reason | None = None, *, counting: bool = False) -> str:
    found = _counted(run.found, "solution")
    effort = f"{run.seconds:.2f} s, {_counted(run.nodes, 'node')}, engine {run.engine}"
    if run.group is not None and run.orbits is not None:
        found = _counted(run.orbits, "orbit") + (f" ({found})" if counting else "")
        effort = f"group of order {run.group.order:,}, {effort}"
    if status == "infeasible":
        exhausted = f"no filling exists (exhausted {_counted(run.nodes, 'node')})"
        return f"no solution: {why or exhausted}, {effort}"
    if run.complete:
        return f"{found}{' in all' * (not counting)}, {effort}"
    if status == "solved":
        return f"{found}, {effort}"
    reason = "interrupted" if status == "interrupted" else "stopped by a limit"
    return f"{reason}: at least {found}, not complete, {effort}"


def _printer(stream: TextIO, *, numbered: bool) -> Callable[[Solution], None]:
    """Prints solutions, as they come, with a blank line between two."""
    number = 0

    def emit(solution: Solution) -> None:
        nonlocal number
        number += 1
        gap = "\n" if number > 1 else ""
        head = f"solution {number}\n" if numbered else ""
        stream.write(f"{gap}{head}{text_picture(solution)}\n")
        stream.flush()

    return emit


def _first_picture(path: str) -> Callable[[Solution], None]:
    written = False

    def emit(solution: Solution) -> None:
        nonlocal written
        if not written:
            from trisolve import picture

            picture.write(solution, path)
            written = True

    return emit


def _duration(seconds: float) -> str:
    """A time in the units that suit it, like 3 h 20 min."""
    whole = round(seconds)
    for size, unit, smaller in ((86400, "d", "h"), (3600, "h", "min"), (60, "min", "s")):
        if whole >= size:
            return f"{whole // size} {unit} {whole % size // (size // (24 if unit == 'd' else 60))} {smaller}"
    return f"{seconds:.1f} s"


def _counted(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'s' * (number != 1)}"


# -- the program --------------------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit with its status."""
    prepare()
    INTERRUPTS.heed()
    # Counts may have more digits than Python prints by default.
    sys.set_int_max_str_digits(0)
    try:
        status = _status(list(sys.argv[1:] if arguments is None else arguments))
    except KeyboardInterrupt:
        status = INTERRUPTED
    except BrokenPipeError:
        status = CLOSED_PIPE
    except Exception:
        traceback.print_exc()
        status = CRASHED
    settle()
    sys.exit(status)


def _status(arguments: list[str]) -> int:
    """Run a command. Bad input is a line on standard error; an error that nobody foresaw goes through."""
    try:
        with commands.make_context("trisolve", arguments) as context:
            status = cast(int, commands.invoke(context))
        sys.stdout.flush()
    except click.exceptions.Exit as done:
        return done.exit_code
    except KeyboardInterrupt:
        # Before the clause that asks _bad_input, for which modules would be loaded.
        raise
    except click.UsageError as error:
        where = error.ctx.command_path if error.ctx else "trisolve"
        message = f"{where}: {plain(error.format_message())} (`{where} --help` tells more)"
    except BrokenPipeError:
        raise
    except OSError as error:
        message = plain(f"trisolve: {f'{error.filename}: ' if error.filename else ''}{error.strerror or error}")
    except _bad_input() as error:
        from trisolve.shapefile import ShapeFileError

        # Only a shape file has several things to say, a line each.
        message = str(error) if isinstance(error, ShapeFileError) else plain(str(error))
    else:
        return status
    print(message, file=sys.stderr)
    return BAD_INPUT


def _bad_input() -> tuple[type[Exception], ...]:
    """The errors that mean bad input. Called, and their modules loaded, only when there was an error."""
    from trisolve.checkpoint import CheckpointError
    from trisolve.engines.base import EngineError
    from trisolve.jsonfile import SolutionFileError
    from trisolve.shapefile import ShapeFileError

    return CheckpointError, EngineError, SolutionFileError, ShapeFileError
