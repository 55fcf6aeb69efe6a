"""The command that writes a page on which a person plays."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, cast

import click

from trisolve.cli import option
from trisolve.cli.status import DONE, counted, load
from trisolve.cli.work import explaining, start
from trisolve.files import whole_file
from trisolve.terminal import ProgressLine, say

if TYPE_CHECKING:
    from collections.abc import Generator

    from trisolve.picture.svg import Style
    from trisolve.solution import Solution

NUMBER = 1000
"""Solutions in a page unless the user says otherwise."""

SECONDS = 10.0
"""How long solutions are searched for unless the user says otherwise."""


@click.command()
@option.puzzle
@click.option(
    "--solutions",
    "number",
    type=click.IntRange(min=0),
    metavar="N",
    help=f"Put up to N solutions into the page, for its hints.  [default: {NUMBER}]",
)
@click.option("--all", "everything", is_flag=True, help="Put all solutions into it.")
@option.page
@option.style
@option.time_limit
@option.workers
@option.tiles
@option.quiet
def play(
    puzzle: str,
    number: int | None,
    everything: bool,
    output: str,
    style: Style | None,
    time_limit: float | None,
    workers: int | None,
    tiles: str | None,
    quiet: bool,
) -> int:
    """Write a page on which to play PUZZLE: one HTML file that needs no network.

    Solutions are searched for 10 seconds, or as long as --time-limit says. Without any the page has no hints.
    """
    from trisolve.picture.play import Carried, page, spread

    if everything and number is not None:
        raise click.UsageError("--all and --solutions exclude each other")
    wanted = None if everything else NUMBER if number is None else number
    the_puzzle = load(puzzle, tiles)
    carried = Carried()
    summary = "without solutions, so without hints"
    if wanted != 0:
        progress = ProgressLine(quiet)
        explained = explaining("auto")
        limit = time_limit or SECONDS
        run = start(
            the_puzzle, quiet, engine=explained, limit=wanted, time_limit=limit, workers=workers, on_tick=progress.tick
        )
        try:
            with closing(cast("Generator[Solution]", iter(run))) as found:
                solutions = list(found) if wanted is None else spread(found, wanted)
        finally:
            progress.clear()
        reason = str(explained.reason) if explained.reason else None
        carried = Carried(solutions, run.complete, reason)
        if solutions:
            which = "its only solution" if len(solutions) == 1 else f"all {len(solutions):,} solutions"
            summary = f"with {which if run.complete else counted(len(solutions), 'solution')}"
        elif run.complete:
            summary = f"without hints: no solution exists{f', {reason}' if reason else ''}"
        else:
            summary = f"without hints: no solution was found in {limit:g} s"
    with whole_file(output) as file:
        file.write(page(the_puzzle, carried, style).encode())
    say(quiet, f"written to {output} {summary}")
    return DONE
