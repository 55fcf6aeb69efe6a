"""The command line: reads a puzzle, runs an engine, prints what it found.

Nothing is solved or drawn here. What this module sees to is manners. Results go to standard output,
everything else to standard error, and progress only to a terminal. A solution is printed the moment it is
found, also into a pipe. Ctrl-C keeps what was printed; a reader that goes away is no accident; bad input is
one line and exit status 2. The statuses are listed once, in :mod:`trisolve.cli.status`.

Start-up counts: everything but click is imported inside the command that needs it.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from typing import NoReturn, cast

import click

from trisolve import __version__
from trisolve.cli import looking, playing, printing, solving
from trisolve.cli.completion import VARIABLE, answer, completion
from trisolve.cli.status import BAD_INPUT, CLOSED_PIPE, CRASHED, INTERRUPTED
from trisolve.terminal import INTERRUPTS, plain, prepare, settle


@click.group(no_args_is_help=False, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="trisolve", message="%(prog)s %(version)s")
def commands() -> None:
    """Solve triangular tile puzzles: Trioker, MacMahon's triangles, Triominoes.

    PUZZLE is a shape file or the name of a bundled shape; `trisolve shapes` lists those.

    Exit status: 0 done, 1 no solution (or verify found a mistake), 2 bad input, 3 stopped by a limit,
    130 interrupted.
    """


for _command in (
    solving.solve,
    solving.count,
    solving.progress,
    solving.sample,
    solving.estimate,
    playing.play,
    printing.printing,
    looking.show,
    looking.check,
    looking.verify,
    looking.moves,
    looking.shapes,
    looking.tiles,
    looking.schema,
    completion,
):
    commands.add_command(_command)


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
    except Exception as error:
        if _interrupted(error):
            status = INTERRUPTED
        else:
            traceback.print_exc()
            status = CRASHED
    settle()
    INTERRUPTS.rest()
    if status == INTERRUPTED:
        # A thread that is compiling a kernel can't be stopped, and nobody is to wait for it.
        os._exit(status)
    sys.exit(status)


def _interrupted(error: BaseException | None) -> bool:
    """True when Ctrl-C is behind an error: what is interrupted while it is loaded may make something else of it."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def _status(arguments: list[str]) -> int:
    """Run a command. Bad input is a line on standard error; an error that nobody foresaw goes through."""
    if VARIABLE in os.environ:
        return answer(commands)
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
