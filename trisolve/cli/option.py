"""The options and arguments that several commands take, each defined once.

A value is checked while the command line is read, so a command never begins work whose result it couldn't write.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import wraps
from math import inf, nan
from pathlib import Path
from typing import Any

import click

from trisolve.cli.completion import files, names, new_file
from trisolve.files import bundled

_Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


class _EngineOption(click.Option):
    """Names the engines in the help; the registry is loaded only when they are needed."""

    def make_metavar(self, *args: Any, **kwargs: Any) -> str:
        from trisolve.engines import ENGINES

        return f"[{'|'.join(ENGINES)}]"


def _engine(ctx: click.Context, param: click.Parameter, name: str) -> str:
    if ctx.resilient_parsing:
        # A shell asks what could come next, and the engines take long to load.
        return name
    from trisolve.engines import ENGINES

    if name not in ENGINES:
        raise click.BadParameter(f"no engine {name!r}: expected one of {', '.join(ENGINES)}", ctx, param)
    return name


def measure(fits: Callable[[float], bool], expected: str) -> Callable[..., float | None]:
    """A callback that makes a number of a text, one that ``fits``."""

    def checked(ctx: click.Context, param: click.Parameter, text: str | None) -> float | None:
        if text is None:
            return None
        try:
            number = float(text)
        except ValueError:
            number = nan
        if not fits(number):
            raise click.BadParameter(f"{text!r}: expected {expected}", ctx, param)
        return number

    return checked


def _bytes(ctx: click.Context, param: click.Parameter, text: str | None) -> int | None:
    if text is None:
        return None
    match = re.fullmatch(r"([0-9]{1,12})([KMGT]?)(i?B)?", text, re.ASCII | re.IGNORECASE)
    if not match or not int(match[1]):
        raise click.BadParameter(f"{text!r}: expected a size above 0, like 4G or 500M", ctx, param)
    return int(match[1]) << 10 * " KMGT".index(match[2].upper() or " ")


def _engines() -> Iterable[str]:
    from trisolve.engines import ENGINES

    return ENGINES


def tile_sets() -> Iterable[str]:
    """The names of the tile sets."""
    from trisolve.tiles import SETS

    return SETS


def _goals() -> Iterable[str]:
    from trisolve.objective import GOALS

    return GOALS


def tile_set(ctx: click.Context, param: click.Parameter, name: str | None) -> str | None:
    from trisolve.tiles import named_set

    try:
        return None if name is None else named_set(name).name
    except ValueError as error:
        raise click.BadParameter(str(error), ctx, param) from None


def _file_path(ctx: click.Context, param: click.Parameter, path: str | None) -> str | None:
    if path is not None and not Path(path).parent.is_dir():
        raise click.BadParameter(f"{path}: there is no such folder", ctx, param)
    if path is not None and Path(path).is_dir():
        raise click.BadParameter(f"{path}: a folder, expected a file", ctx, param)
    return path


def output(what: str, *, pictures: bool, json: bool, gallery: bool = False) -> _Decorator:
    """The option -o. Refuses a file that couldn't be written before any work is done."""

    def check(path: str) -> None:
        if json and is_json(path):
            return
        if not pictures:
            raise ValueError(f"{path}: expected a file name that ends in .json")
        from trisolve import picture

        picture.check_ending(path, tuple(endings()))

    def endings() -> Iterable[str]:
        if pictures:
            from trisolve import picture

            yield from picture.ENDINGS
            if gallery:
                yield from (ending for ending in picture.GALLERY_ENDINGS if ending not in picture.ENDINGS)
        if json:
            yield ".json"

    return _output(f"{what} to FILE", check, endings)


def _output(
    what: str, check: Callable[[str], object], endings: Callable[[], Iterable[str]], *, required: bool = False
) -> _Decorator:
    """An option -o; ``check`` raises ValueError for a name that won't do."""

    def checked(ctx: click.Context, param: click.Parameter, path: str | None) -> str | None:
        try:
            if path is not None:
                check(path)
        except ValueError as error:
            raise click.BadParameter(str(error), ctx, param) from None
        return _file_path(ctx, param, path)

    return click.option(
        "-o",
        "--output",
        metavar="FILE",
        required=required,
        callback=checked,
        shell_complete=new_file(endings),
        help=f"Write {what}.",
    )


def look(command: Callable[..., Any], *, prints: bool = True) -> Callable[..., Any]:
    """The options of a picture. Those that were given reach the command as one mapping, ``look``.

    Without a picture they are refused. Names of cells go into a picture of text as well, such as a command
    that ``prints`` one makes without -o.
    """

    @wraps(command)
    def checked(**arguments: Any) -> Any:
        given = {name: arguments.pop(name) for name in LOOK}
        given = {name: value for name, value in given.items() if value is not None}
        output = (arguments["output"] or "").lower()
        is_text = output.endswith(".txt") or (prints and not output and not arguments.get("as_json"))
        is_drawn = output and not is_json(output) and not is_text
        vain = [f"--{name}" for name in given if not is_drawn and (name != "names" or not is_text)]
        if vain:
            needs = "needs" if len(vain) == 1 else "need"
            raise click.UsageError(f"{', '.join(vain)} {needs} a picture, expected -o FILE.svg, .png or .pdf")
        return command(look=given, **arguments)

    decorated: Callable[..., Any] = checked
    for option in reversed(LOOK.values()):
        decorated = option(decorated)
    return decorated


LOOK: dict[str, _Decorator] = {
    "names": click.option("--names/--no-names", default=None, help="Write the name of each cell into the picture."),
    "style": click.option(
        "--style", type=click.Choice(["pips", "digits", "colors"]), help="How a picture shows the values."
    ),
    "theme": click.option(
        "--theme",
        type=click.Choice(["light", "dark", "auto"]),
        help="Colours of a picture; auto follows the reader's setting.  [default: light]",
    ),
    "labels": click.option(
        "--labels/--no-labels", default=None, help="Write digits beside the pips, or on the colours of a picture."
    ),
    "clues": click.option("--clues", is_flag=True, default=None, help="Mark in a picture what the puzzle gave."),
    "outlines": click.option(
        "--outlines/--no-outlines", default=None, help="Leave gaps between the tiles of a picture, or none."
    ),
}
"""The options of a picture by name."""


def goal(name: str, text: str) -> _Decorator:
    """The option --maximize or --minimize."""

    def checked(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
        from trisolve.objective import GOALS

        if value is not None and value not in GOALS:
            raise click.BadParameter(f"{value!r}: expected one of {', '.join(GOALS)}", ctx, param)
        return value

    goals = "hexagons, area, perimeter, pips-inside or score"
    return click.option(
        f"--{name}", metavar="WHAT", callback=checked, shell_complete=names(_goals), help=text.format(goals)
    )


def _check_page(path: str) -> None:
    if not path.lower().endswith(".html"):
        raise ValueError(f"{path}: expected a file name that ends in .html")


def _check_sheets(path: str) -> None:
    from trisolve import picture

    picture.check_ending(path, (".pdf",))


complete_puzzle = names(bundled, ".yaml", ".yml")
complete_set = names(tile_sets)
puzzle = click.argument("puzzle", shell_complete=complete_puzzle)
position = click.argument(
    "position", metavar="POSITION", shell_complete=names(lambda: bundled("positions"), ".yaml", ".yml")
)
solution = click.argument("solution", metavar="SOLUTION.json", shell_complete=files(".json"))
checkpoint_file = click.argument("file", metavar="FILE", shell_complete=files())
style = LOOK["style"]
page = _output("the page to FILE (.html)", _check_page, lambda: (".html",), required=True)
sheets = _output("the sheets to FILE (.pdf)", _check_sheets, lambda: (".pdf",), required=True)
tiles = click.option(
    "--tiles",
    metavar="SET",
    callback=tile_set,
    shell_complete=complete_set,
    help="Use this tile set, not that of the file.",
)
json = click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON object.")
up_to = click.option(
    "--up-to",
    type=click.Choice(["rotation", "reflection", "values", "symmetry"]),
    help="Take solutions that differ by so much for one: turned, turned or mirrored, values renamed, or all of these.",
)
time_limit = click.option(
    "--time-limit",
    callback=measure(lambda seconds: 0 < seconds < inf, "a number of seconds above 0"),
    metavar="SECONDS",
    help="Stop after so much time.",
)
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
    callback=_file_path,
    shell_complete=files(),
    help="Keep finished parts in FILE, and go on from there if it exists.",
)
scheduler = click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Work on a Dask cluster, with its scheduler at ADDRESS, like tcp://host:8786.",
)
chance = click.option("--seed", type=int, metavar="N", help="Draw the same for the same N.  [default: a random one]")
watch = click.option("--watch", is_flag=True, help="Show the board while it is being filled, on a terminal.")
quiet = click.option("--quiet", is_flag=True, help="Print results and errors, nothing else.")


def work(command: Callable[..., Any]) -> Callable[..., Any]:
    options: list[_Decorator] = [
        click.option(
            "--engine",
            cls=_EngineOption,
            callback=_engine,
            default="auto",
            shell_complete=names(_engines),
            help="How to solve.  [default: auto]",
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
