"""The commands that search: solve, count, sample, estimate, and progress for work that takes long."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trisolve.cli import option
from trisolve.cli.option import is_json
from trisolve.cli.status import DONE, EXIT, duration, load
from trisolve.cli.work import (
    executor_at,
    explaining,
    log,
    printer,
    progress_line,
    run_facts,
    solutions,
    start,
    summary,
    work,
)
from trisolve.terminal import ProgressLine, echo, plain, say, writing
from trisolve.words import counted

if TYPE_CHECKING:
    from trisolve.engines.reasons import Reason


@click.command()
@option.puzzle
@click.option("--all", "everything", is_flag=True, help="Print every solution, each as it is found.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Print up to N solutions.  [default: 1]")
@option.up_to
@option.goal("maximize", "Find the solution with the most of it: {}.")
@option.goal("minimize", "Find the solution with the least of it.")
@option.checkpoint
@option.scheduler
@option.output(
    "the first solution (.svg, .png, .pdf, .txt), with --all or --limit a gallery (.html, .pdf), or the result (.json)",
    pictures=True,
    json=True,
    gallery=True,
)
@option.look
@option.work
@option.watch
def solve(
    puzzle: str,
    everything: bool,
    limit: int | None,
    maximize: str | None,
    minimize: str | None,
    scheduler: str | None,
    as_json: bool,
    output: str | None,
    quiet: bool,
    watch: bool,
    look: dict[str, Any],
    **options: Any,
) -> int:
    """Print a solution of PUZZLE, or find that there is none.

    With --maximize or --minimize print the best solution, and say whether it is proved to be the best. With --all and
    --checkpoint a search that was stopped is gone on with; the solutions found before are printed again first.
    """
    if everything and limit is not None:
        raise click.UsageError("--all and --limit exclude each other")
    checkpoint = options.pop("checkpoint")
    if not everything and (checkpoint is not None or scheduler is not None):
        raise click.UsageError("--checkpoint and --scheduler need --all")
    if (checkpoint is not None or scheduler is not None) and options["seed"] is not None:
        raise click.UsageError("--checkpoint, --scheduler and --seed exclude each other")
    _need_two_files(output, checkpoint)
    if maximize is not None or minimize is not None:
        if everything or limit is not None or options.pop("up_to") or (maximize and minimize):
            raise click.UsageError("--maximize, --minimize, --all, --limit and --up-to exclude each other")
        return _best(puzzle, maximize, minimize, as_json, output, quiet, watch, look, **options)
    wanted = None if everything else limit or 1
    the_puzzle = load(puzzle, options.pop("tiles"))
    progress = progress_line(quiet, watch)
    explained = explaining(options.pop("engine"))

    def facts(status: str) -> dict[str, object]:
        return {**run_facts(run, status), **({"reason": str(explained.reason)} if explained.reason else {})}

    with executor_at(scheduler) as executor:
        options |= {"checkpoint": checkpoint, "executor": executor}
        run = start(the_puzzle, quiet, engine=explained, limit=wanted, on_tick=progress.tick, **options)
        status = solutions(run, progress, as_json, output, quiet, wanted != 1, look, facts)
    say(quiet, summary(the_puzzle, run, status, explained.reason))
    return EXIT[status]


@click.command()
@option.puzzle
@option.up_to
@option.memory
@option.checkpoint
@option.scheduler
@option.output("the result (.json)", pictures=False, json=True)
@option.work
@option.watch
def count(
    puzzle: str,
    as_json: bool,
    output: str | None,
    quiet: bool,
    watch: bool,
    scheduler: str | None,
    **options: Any,
) -> int:
    """Print the exact number of solutions of PUZZLE, or of orbits with --up-to.

    A count that is stopped early prints "at least N (not complete)". With --checkpoint the same command goes on
    with it later; `trisolve progress FILE` says how far it is.
    """
    _need_two_files(output, options["checkpoint"])
    the_puzzle = load(puzzle, options.pop("tiles"))
    if watch and options["engine"] != "dlx" and the_puzzle.fill == "board":
        raise click.UsageError("--watch needs --engine dlx: the other engines count many fillings at a time")
    progress = progress_line(quiet, watch)
    with executor_at(scheduler) as executor:
        run = start(the_puzzle, quiet, counting=True, executor=executor, on_tick=progress.tick, **options)
        status = work(run, progress)
    with writing(output) as stream:
        if as_json or output is not None:
            from trisolve.jsonfile import ResultWriter

            ResultWriter(stream, the_puzzle.name).finish(run_facts(run, status), count=run.found)
        else:
            number = run.found if run.orbits is None else run.orbits
            stream.write(f"{number}\n" if run.complete else f"at least {number} (not complete)\n")
    if output is not None:
        say(quiet, f"written to {output}")
    say(quiet, summary(the_puzzle, run, status, counting=True))
    return EXIT[status]


@click.command()
@option.checkpoint_file
@option.json
def progress(file: str, as_json: bool) -> int:
    """Say what is in FILE, a checkpoint of long work, also while somebody works with it."""
    from trisolve.checkpoint import read

    found = read(file)
    job = found.job
    if as_json:
        import json

        echo(json.dumps(found.as_json()))
        return DONE
    if job is None:
        echo(f"{plain(file)}: a new checkpoint, nothing is done yet")
        return DONE
    # Rounded down, for not all is done until it is.
    share = 1000 * found.done // job.parts / 1000 if job.parts else 1.0
    left = "nobody can tell yet" if found.left is None else duration(found.left)
    lines = [
        ("puzzle", f"{plain(job.puzzle) or 'no name'} ({job.digest[:8]}), engine {job.engine}"),
        ("parts", f"{found.done:,} of {job.parts:,} ({share:.1%})"),
        ("count" if job.counting else "found", f"{found.found:,}{'' if found.complete else ' so far, not complete'}"),
        ("time", f"{duration(found.seconds)} in {counted(found.runs, 'run')}, {counted(found.nodes, 'node')}"),
        ("rate", f"{found.rate:.2f} parts a second"),
        ("left", "nothing" if found.complete else left),
        ("held by", plain(found.holder or "nobody")),
    ]
    for name, text in lines:
        echo(f"{name:8}{text}")
    return DONE


@click.command()
@option.puzzle
@click.option("-n", "number", type=click.IntRange(min=1), default=1, metavar="N", help="How many.  [default: 1]")
@option.memory
@option.output(
    "the first solution (.svg, .png, .pdf, .txt), with -n a gallery (.html, .pdf), or the result (.json)",
    pictures=True,
    json=True,
    gallery=True,
)
@option.look
@option.json
@option.chance
@option.time_limit
@option.workers
@option.tiles
@option.quiet
def sample(
    puzzle: str,
    number: int,
    as_json: bool,
    output: str | None,
    quiet: bool,
    look: dict[str, Any],
    **options: Any,
) -> int:
    """Print solutions of PUZZLE drawn at random, every one with the same chance.

    Draws are independent, so a solution may come twice. All solutions are counted first, without being listed.
    """
    from trisolve.engines.sampling import SampleRun

    the_puzzle = load(puzzle, options.pop("tiles"))
    progress = ProgressLine(quiet)
    log(quiet)
    run = SampleRun(the_puzzle, number, on_tick=progress.tick, **options)

    def facts(status: str) -> dict[str, object]:
        return {**run_facts(run, status), "total": run.total, "seed": run.seed}

    status = solutions(run, progress, as_json, output, quiet, number != 1, look, facts)
    if status == "infeasible":
        say(quiet, summary(the_puzzle, run, status))
    else:
        stopped = {"interrupted": "interrupted: ", "limit": "stopped by a limit: "}.get(status, "")
        total = "" if run.total is None else f" of {counted(run.total, 'solution')}"
        effort = f"seed {run.seed}, {run.seconds:.2f} s, {counted(run.nodes, 'node')}, engine {run.engine}"
        say(quiet, f"{stopped}{counted(run.found, 'sample')}{total}, {effort}")
    return EXIT[status]


@click.command()
@option.puzzle
@click.option(
    "--probes", type=click.IntRange(min=1), metavar="N", help="Partial fillings to follow.  [default: 320000]"
)
@option.json
@option.chance
@option.time_limit
@option.tiles
@option.quiet
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

    the_puzzle = load(puzzle, tiles)
    progress = ProgressLine(quiet)
    run = EstimateRun(the_puzzle, probes=probes or PROBES, seed=seed, time_limit=time_limit, on_tick=progress.tick)
    status = work(run, progress)
    found = run.estimate
    if as_json:
        import json

        facts = {**run_facts(run, status), "complete": found.exact, "seed": run.seed}
        echo(json.dumps({"puzzle": the_puzzle.name, **facts, **found.as_json()}))
    else:
        echo(f"solutions  {found.solutions}\nnodes      {found.nodes}")
    reached = f"a solution reached in {found.reached} of {counted(found.repetitions, 'repetition')}"
    if not found.reached and not found.exact:
        reached = "no probe reached a solution, which proves nothing"
    stopped = {"interrupted": "interrupted: ", "limit": "stopped by a limit: "}.get(status, "")
    say(quiet, f"{stopped}{counted(found.probes, 'probe')}, {reached}, seed {run.seed}, {run.seconds:.2f} s")
    return EXIT[status]


def _best(
    puzzle: str,
    maximize: str | None,
    minimize: str | None,
    as_json: bool,
    output: str | None,
    quiet: bool,
    watch: bool,
    look: dict[str, Any],
    **options: Any,
) -> int:
    """The best solution: a line for each better one as it comes, and at the end the best one."""
    from trisolve import picture
    from trisolve.engines.optimizing import BestRun
    from trisolve.engines.reasons import reason
    from trisolve.jsonfile import ResultWriter
    from trisolve.objective import Goal

    goal = Goal(maximize or minimize or "", maximize is not None)
    the_puzzle = load(puzzle, options.pop("tiles"))
    progress = progress_line(quiet, watch)
    log(quiet)
    run = BestRun(the_puzzle, goal, on_tick=progress.tick, **options)
    why: Reason | None = None

    def worth() -> str:
        side = "at most" if goal.maximize else "at least"
        proved = (
            "the best there is" if run.optimal else f"{side} {run.bound:,}" if run.bound is not None else "no bound yet"
        )
        return f"{goal.name} {run.value:,}, {proved}"

    status = work(run, progress, lambda _: say(quiet, f"{worth()}, {run.seconds:.1f} s"))
    if run.optimal:
        status = "complete"
    if status == "infeasible":
        why = reason(the_puzzle)
    result = output if output is None or is_json(output) else None
    with writing(result) as stream:
        if as_json or result is not None:
            writer = ResultWriter(stream, the_puzzle.name)
            if run.best is not None:
                writer.solution(run.best)
            facts = {"goal": str(goal), "objective": run.value, "bound": run.bound, "optimal": run.optimal}
            facts |= {"reason": str(why)} if why else {}
            writer.finish({**run_facts(run, status), **facts})
        elif output is None and run.best is not None:
            printer(stream, numbered=False, **look)(run.best)
    if output is not None and result is None and run.best is not None:
        picture.write(run.best, output, **look)
    if output is not None and (run.best is not None or result is not None):
        say(quiet, f"written to {output}")
    if run.best is None:
        say(quiet, summary(the_puzzle, run, status, why))
    else:
        stopped = {"interrupted": "interrupted: ", "limit": "stopped by a limit: "}.get(status, "")
        effort = f"{run.seconds:.2f} s, {counted(run.nodes, 'node')}, engine {run.engine}"
        say(quiet, f"{stopped}{worth()}, {effort}")
    return EXIT[status]


def _need_two_files(output: str | None, checkpoint: str | None) -> None:
    if output is not None and checkpoint is not None and Path(output).resolve() == Path(checkpoint).resolve():
        raise click.UsageError("-o and --checkpoint need two files")
