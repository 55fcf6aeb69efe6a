"""The command that writes a page on which a person plays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from trisolve.cli import option
from trisolve.cli.status import DONE, load
from trisolve.cli.work import explaining, searching, start
from trisolve.files import whole_file
from trisolve.terminal import ProgressLine, say
from trisolve.words import counted

if TYPE_CHECKING:
    from trisolve.picture.svg import Style

NUMBER = 1000
"""Solutions in a page unless the user says otherwise."""

MOST = 100_000
"""The most solutions in a page."""

MOST_TILES = 5_000_000
"""The most tiles that all these solutions have together, few enough for a hint to come at once."""

SECONDS = 10.0
"""How long solutions are searched for unless the user says otherwise."""


@click.command()
@option.puzzle
@click.option(
    "--solutions",
    "number",
    type=click.IntRange(0, MOST),
    metavar="N",
    help=f"Put up to N solutions into the page, for its hints.  [default: {NUMBER}]",
)
@click.option("--all", "everything", is_flag=True, help=f"Put all solutions into it, at most {MOST:,}.")
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
    the_puzzle = load(puzzle, tiles)
    wanted = MOST if everything else NUMBER if number is None else number
    wanted = min(wanted, max(1, MOST_TILES // max(1, len(the_puzzle.board))))
    carried = Carried()
    summary = "without solutions, so without hints"
    if wanted:
        progress = ProgressLine(quiet)
        explained = explaining("auto")
        limit = time_limit or SECONDS
        run = start(
            the_puzzle, quiet, engine=explained, limit=wanted, time_limit=limit, workers=workers, on_tick=progress.tick
        )
        with searching(run, progress) as found:
            solutions = list(found) if everything else spread(found, wanted)
        reason = str(explained.reason) if explained.reason else None
        carried = Carried(solutions, run.complete, reason)
        if solutions:
            which = "its only solution" if len(solutions) == 1 else f"all {len(solutions):,} solutions"
            summary = f"with {which if run.complete else counted(len(solutions), 'solution')}"
        elif run.complete:
            summary = f"without hints: no solution exists{f', {reason}' if reason else ''}"
        else:
            summary = f"without hints: no solution was found in {limit:g} s (--time-limit gives more)"
    with whole_file(output) as file:
        file.write(page(the_puzzle, carried, style).encode())
    say(quiet, f"written to {output} {summary}")
    return DONE
