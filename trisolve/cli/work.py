"""How a command does its work: it drives a run, prints what comes of it as it comes, and sums it up at the end."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, cast

import click

from trisolve.cli.option import is_json
from trisolve.files import whole_file
from trisolve.terminal import INTERRUPTS, Log, ProgressLine, say, text_picture, writing
from trisolve.words import counted

if TYPE_CHECKING:
    from collections.abc import Generator
    from concurrent.futures import Executor

    from trisolve.engines import Run
    from trisolve.engines.reasons import Explaining, Reason
    from trisolve.puzzle import Puzzle
    from trisolve.solution import Solution


@contextmanager
def executor_at(scheduler: str | None) -> Iterator[Executor | None]:
    """What does the parts of the work: a Dask cluster at this address, or None for this process."""
    if scheduler is None:
        yield None
        return
    from trisolve.engines.cluster import dask_executor

    with dask_executor(scheduler) as executor:
        yield executor


def start(puzzle: Puzzle, quiet: bool, **options: Any) -> Run:
    from trisolve.engines import Run

    log(quiet)
    return Run(puzzle, **options)


def explaining(engine: str) -> Explaining:
    from trisolve.engines import engine_named
    from trisolve.engines.reasons import Explaining

    return Explaining(engine_named(engine))


def progress_line(quiet: bool, watch: bool) -> ProgressLine:
    if quiet and watch:
        raise click.UsageError("--watch and --quiet exclude each other")
    return ProgressLine(quiet, watch)


def log(quiet: bool) -> None:
    """Show what the engines have to say; once each, also in a command with several runs."""
    logger = logging.getLogger("trisolve")
    if not any(isinstance(handler, Log) for handler in logger.handlers):
        logger.addHandler(Log())
    logger.setLevel(logging.ERROR if quiet else logging.INFO)


@contextmanager
def searching(run: Run, progress: ProgressLine) -> Iterator[Iterator[Solution]]:
    """The solutions of a run as they come; when the block is left the run ends, and the line of progress goes away."""
    try:
        with INTERRUPTS.ticking(), closing(cast("Generator[Solution]", iter(run))) as found:
            yield found
    finally:
        progress.clear()


def work(run: Run, progress: ProgressLine, *emits: Callable[[Solution], None]) -> str:
    """Run to the end, passing on each solution, whole, as it comes. Returns the status of the run."""
    try:
        with searching(run, progress) as found:
            for solution in found:
                with INTERRUPTS.held():
                    for emit in emits:
                        emit(solution)
                progress.tick(run)
        return run.status
    except KeyboardInterrupt:
        return "interrupted"


def solutions(
    run: Run,
    progress: ProgressLine,
    as_json: bool,
    output: str | None,
    quiet: bool,
    numbered: bool,
    look: dict[str, Any],
    facts: Callable[[str], dict[str, object]],
) -> str:
    """Run to the end, writing each solution where it belongs as it comes. Returns the status of the run."""
    result = output if output is None or is_json(output) else None
    ending = Path(output or "").suffix.lower()
    emits: list[Callable[[Solution], None]] = []
    with ExitStack() as stack:
        stream = stack.enter_context(writing(result))
        writer = gallery = None
        if as_json or result is not None:
            from trisolve.jsonfile import ResultWriter

            writer = ResultWriter(stream, run.puzzle.name)
            emits.append(writer.solution)
        elif output is None:
            emits.append(printer(stream, numbered=numbered, **look))
        if output is not None and (ending == ".html" or (ending == ".pdf" and numbered)):
            from trisolve.picture.gallery import gallery_file, summary

            gallery = gallery_file(ending, stack.enter_context(whole_file(output)), run.puzzle, **look)
            emits.append(gallery.add)
        elif output is not None and result is None:
            emits.append(first_picture(output, **look))
        if result is None and (as_json or output is None):
            emits.insert(0, lambda _: progress.give_way())
        status = work(run, progress, *emits)
        if writer is not None:
            writer.finish(facts(status))
        if gallery is not None:
            number = counted(gallery.found, "solution" if run.group is None else "orbit")
            total = facts(status).get("total")
            if isinstance(total, int) and total:
                number = f"{counted(gallery.found, 'sample')} of {counted(total, 'solution')}"
            gallery.finish(summary(number, complete=run.complete, stopped=status in ("limit", "interrupted")))
    if output is not None and (run.found or gallery is not None or is_json(output)):
        cut = f", the first {gallery.most:,} only" if gallery is not None and gallery.found > gallery.most else ""
        if gallery is None and not is_json(output) and run.found > 1:
            cut = ", the first solution only"
        say(quiet, f"written to {output}{cut}")
    return status


def run_facts(run: Run, status: str) -> dict[str, object]:
    orbits = {} if run.group is None else {"orbits": run.orbits, "group_order": run.group.order}
    return {
        "engine": run.engine,
        "status": status,
        "complete": run.complete,
        "seconds": round(run.seconds, 6),
        "nodes": run.nodes,
        **orbits,
    }


def summary(puzzle: Puzzle, run: Run, status: str, why: Reason | None = None, *, counting: bool = False) -> str:
    found = counted(run.found, "solution")
    effort = f"{run.seconds:.2f} s, {counted(run.nodes, 'node')}, engine {run.engine}"
    if run.group is not None and run.orbits is not None:
        found = counted(run.orbits, "orbit") + (f" ({found})" if counting else "")
        effort = f"group of order {run.group.order:,}, {effort}"
    if status == "infeasible":
        exhausted = f"no filling exists (exhausted {counted(run.nodes, 'node')})"
        return f"no solution: {why or exhausted}, {effort}"
    if run.complete:
        return f"{found}{' in all' * (not counting)}, {effort}"
    if status == "solved":
        return f"{found}, {effort}"
    reason = "interrupted" if status == "interrupted" else "stopped by a limit"
    return f"{reason}: at least {found}, not complete, {effort}"


def printer(stream: TextIO, *, numbered: bool, names: bool = False) -> Callable[[Solution], None]:
    """Prints solutions, as they come, with a blank line between two."""
    number = 0

    def emit(solution: Solution) -> None:
        nonlocal number
        number += 1
        gap = "\n" if number > 1 else ""
        head = f"solution {number}\n" if numbered else ""
        stream.write(f"{gap}{head}{text_picture(solution, names=names)}\n")
        stream.flush()

    return emit


def first_picture(path: str, **look: Any) -> Callable[[Solution], None]:
    written = False

    def emit(solution: Solution) -> None:
        nonlocal written
        if not written:
            from trisolve import picture

            picture.write(solution, path, **look)
            written = True

    return emit
