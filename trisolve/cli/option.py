"""The options and arguments that several commands take, each defined once.

A value is checked while the command line is read, so a command never begins work whose result it couldn't write.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

_Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


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


def tile_set(ctx: click.Context, param: click.Parameter, name: str | None) -> str | None:
    from trisolve.tiles import named_set

    try:
        return None if name is None else named_set(name).name
    except ValueError as error:
        raise click.BadParameter(str(error), ctx, param) from None


def output(what: str, *, pictures: bool, json: bool) -> _Decorator:
    """The option -o. Refuses a file that couldn't be written before any work is done."""

    def checked(ctx: click.Context, param: click.Parameter, path: str | None) -> str | None:
        if path is None or (json and is_json(path)):
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


def goal(name: str, text: str) -> _Decorator:
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


puzzle = click.argument("puzzle")
tiles = click.option("--tiles", metavar="SET", callback=tile_set, help="Use this tile set, not that of the file.")
json = click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON object.")
up_to = click.option(
    "--up-to",
    type=click.Choice(["rotation", "reflection", "values", "symmetry"]),
    help="Take solutions that differ by so much for one: turned, turned or mirrored, values renamed, or all of these.",
)
time_limit = click.option("--time-limit", callback=_seconds, metavar="SECONDS", help="Stop after so much time.")
workers = click.option("--workers", type=click.IntRange(min=1), metavar="N", help="Threads to use.  [default: all]")
memory = click.option(
    "--memory",
    callback=_bytes,
    metavar="SIZE",
    help="Memory to use, like 4G.  [default: half of what is free]",
)
checkpoint = click.option(
    "--checkpoint",
    metavar="FILE",
    callback=_checkpoint_file,
    help="Keep finished parts in FILE, and go on from there if it exists.",
)
scheduler = click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Count on a Dask cluster, with its scheduler at ADDRESS, like tcp://host:8786.",
)
chance = click.option("--seed", type=int, metavar="N", help="Draw the same for the same N.  [default: a random one]")
quiet = click.option("--quiet", is_flag=True, help="Print results and errors, nothing else.")


def work(command: Callable[..., Any]) -> Callable[..., Any]:
    options: list[_Decorator] = [
        click.option(
            "--engine", cls=_EngineOption, callback=_engine, default="auto", help="How to solve.  [default: auto]"
        ),
        json,
        click.option("--seed", type=int, metavar="N", help="Search in another order, the same for the same N."),
        time_limit,
        workers,
        tiles,
        quiet,
    ]
    for option in reversed(options):
        command = option(command)
    return command


def is_json(path: str | None) -> bool:
    return path is not None and path.lower().endswith(".json")
