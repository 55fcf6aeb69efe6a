"""How a command does its work: it drives a run, prints what comes of it as it comes, and sums it up at the end."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING, Any, TextIO, cast

from trisolve.cli.option import is_json
from trisolve.cli.status import counted
from trisolve.terminal import INTERRUPTS, Log, ProgressLine, say, text_picture, writing

if TYPE_CHECKING:
    from collections.abc import Generator

    from trisolve.engines import Run
    from trisolve.engines.reasons import Explaining, Reason
    from trisolve.puzzle import Puzzle
    from trisolve.solution import Solution


def start(puzzle: Puzzle, quiet: bool, **options: Any) -> Run:
    from trisolve.engines import Run

    log(quiet)
    return Run(puzzle, **options)


def explaining(engine: str) -> Explaining:
    from trisolve.engines import engine_named
    from trisolve.engines.reasons import Explaining

    return Explaining(engine_named(engine))


def log(quiet: bool) -> None:
    log = logging.getLogger("trisolve")
    log.addHandler(Log())
    log.setLevel(logging.ERROR if quiet else logging.INFO)


def work(run: Run, progress: ProgressLine, *emits: Callable[[Solution], None]) -> str:
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


def solutions(
    run: Run,
    progress: ProgressLine,
    as_json: bool,
    output: str | None,
    quiet: bool,
    numbered: bool,
    facts: Callable[[str], dict[str, object]],
) -> str:
    """Run to the end, writing each solution where it belongs as it comes. Returns the status of the run."""
    result = output if output is None or is_json(output) else None
    emits: list[Callable[[Solution], None]] = []
    with writing(result) as stream:
        writer = None
        if as_json or result is not None:
            from trisolve.jsonfile import ResultWriter

            writer = ResultWriter(stream, run.puzzle.name)
            emits.append(writer.solution)
        elif output is None:
            emits.append(printer(stream, numbered=numbered))
        if output is not None and result is None:
            emits.append(first_picture(output))
        status = work(run, progress, *emits)
        if writer is not None:
            writer.finish(facts(status))
    if output is not None and (run.found or is_json(output)):
        say(quiet, f"written to {output}")
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


def printer(stream: TextIO, *, numbered: bool) -> Callable[[Solution], None]:
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


def first_picture(path: str) -> Callable[[Solution], None]:
    written = False

    def emit(solution: Solution) -> None:
        nonlocal written
        if not written:
            from trisolve import picture

            picture.write(solution, path)
            written = True

    return emit
