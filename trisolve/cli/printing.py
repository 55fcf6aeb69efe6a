"""The commands that make sheets to print: tiles to cut out, boards, and puzzles with their solutions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from trisolve.cli import option
from trisolve.cli.status import DONE, INTERRUPTED, load
from trisolve.cli.work import explaining, start, summary, work
from trisolve.terminal import ProgressLine, plain, say
from trisolve.words import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from trisolve.picture.sheets import Sheet

TIME_LIMIT = 10.0
"""Seconds to look for the solution of a puzzle on a sheet."""


side = click.option(
    "--side",
    metavar="MM",
    callback=option.measure(lambda length: 5 <= length <= 1000, "a number of millimetres, 5 to 1000"),
    help="Length of a tile's side in millimetres.  [default: 50]",
)
paper = click.option("--paper", type=click.Choice(["a4", "letter"]), default="a4", help="Paper size.  [default: a4]")


def _look(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of a picture that say something about tiles alone."""
    for name in ("outlines", "labels", "style"):
        command = option.LOOK[name](command)
    return command


@click.group("print", no_args_is_help=False)
def printing() -> None:
    """Make sheets to print, as PDF: tiles, boards, puzzles.

    Print them at 100 %, without fitting to the page; each has a ruler to check.
    """


@printing.command()
@click.argument("puzzle", metavar="[PUZZLE]", required=False, shell_complete=option.complete_puzzle)
@click.option(
    "--set",
    "--tiles",
    "tiles",
    metavar="SET",
    callback=option.tile_set,
    shell_complete=option.complete_set,
    help="Print this tile set.",
)
@side
@paper
@_look
@click.option("--backs", is_flag=True, help="A page of backs after each page, to print on both sides.")
@option.sheets
@option.quiet
def tiles(
    puzzle: str | None,
    tiles: str | None,
    side: float | None,
    paper: str,
    backs: bool,
    output: str,
    quiet: bool,
    **look: Any,
) -> int:
    """Print the tiles of a SET, or of PUZZLE with all copies and jokers, to cut out."""
    from trisolve.picture import sheets
    from trisolve.picture.pdf import PAPERS
    from trisolve.tiles import named_set

    if (puzzle is None) == (tiles is None):
        raise click.UsageError("expected a PUZZLE or --set SET, one of them")
    if puzzle is not None:
        the_puzzle = load(puzzle, None)
        supply, match = the_puzzle.supply, the_puzzle.match
    else:
        chosen = named_set(tiles or "")
        supply, match = chosen.supply(), chosen.match
    given = {name: value for name, value in look.items() if value is not None}
    return _written(
        output,
        quiet,
        lambda file: sheets.tile_sheets(
            file, supply, match, side=side or sheets.SIDE, paper=PAPERS[paper], backs=backs, **given
        ),
    )


@printing.command()
@option.puzzle
@side
@paper
@click.option("--fit", is_flag=True, help="As large as it can be on one page, not at the size of the tiles.")
@option.sheets
@option.look
@option.quiet
def board(
    puzzle: str, side: float | None, paper: str, fit: bool, look: dict[str, Any], output: str, quiet: bool
) -> int:
    """Print the board of PUZZLE with its clues, to lay tiles on, over as many pages as it takes."""
    from trisolve.picture import sheets
    from trisolve.picture.pdf import PAPERS

    if fit and side is not None:
        raise click.UsageError("--fit and --side exclude each other")
    the_puzzle = load(puzzle, None)
    return _written(
        output,
        quiet,
        lambda file: sheets.board_sheets(
            file, the_puzzle, side=side or sheets.SIDE, paper=PAPERS[paper], fit=fit, **look
        ),
    )


@printing.command("puzzle")
@click.argument("puzzles", metavar="PUZZLE...", nargs=-1, required=True, shell_complete=option.complete_puzzle)
@option.tiles
@paper
@click.option("--seed", type=int, metavar="N", help="Look for another solution, the same for the same N.")
@option.time_limit
@option.sheets
@option.look
@option.quiet
def puzzle_(
    puzzles: tuple[str, ...],
    tiles: str | None,
    paper: str,
    seed: int | None,
    time_limit: float | None,
    look: dict[str, Any],
    output: str,
    quiet: bool,
) -> int:
    """Print a sheet for each PUZZLE: board, tiles, rules, and on its back a solution.

    The limit of time, by default 10 seconds, is for each puzzle. A sheet without a solution says why.
    """
    from trisolve.picture import sheets
    from trisolve.picture.pdf import PAPERS

    loaded = [load(puzzle, tiles) for puzzle in puzzles]
    made: list[Sheet] = []
    for puzzle in loaded:
        progress = ProgressLine(quiet)
        explained = explaining("auto")
        run = start(
            puzzle,
            quiet,
            engine=explained,
            limit=1,
            seed=seed,
            time_limit=time_limit or TIME_LIMIT,
            on_tick=progress.tick,
        )
        found: list[Any] = []
        status = work(run, progress, found.append)
        if status == "interrupted":
            return INTERRUPTED
        if not found and status == "infeasible":
            back = f"This puzzle has no solution{f': {explained.reason}' if explained.reason else ''}."
        elif not found:
            back = f"No solution was found in {time_limit or TIME_LIMIT:g} seconds. There may be one."
        if not found:
            say(quiet, f"{plain(puzzle.name)}: {summary(puzzle, run, status, explained.reason)}")
        made.append(sheets.Sheet(puzzle, found[0] if found else back))
    return _written(output, quiet, lambda file: sheets.puzzle_sheets(file, made, paper=PAPERS[paper], **look))


def _written(path: str, quiet: bool, make: Callable[[Any], int]) -> int:
    from trisolve.files import whole_file

    try:
        with whole_file(path) as file:
            pages = make(file)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    say(quiet, f"{counted(pages, 'page')} written to {path}")
    return DONE
