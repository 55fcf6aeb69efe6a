"""What the Tab key offers: names of bundled puzzles, tile sets, engines and goals, and files with the right ending.

Click has the scripts for bash, zsh and fish. Such a script runs `trisolve` with what has been typed in the environment,
and prints what comes back; so what is called here should load next to nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

import click
from click.shell_completion import get_completion_class, shell_complete

from trisolve.terminal import echo

VARIABLE = "_TRISOLVE_COMPLETE"
"""The environment variable by which a shell asks what could come next."""

DEEPEST = 16
"""How many folders are entered by one press of Tab, where each holds nothing but the next."""

CAREFUL = {
    "IFS=',' read type": "IFS=',' read -r type",
    "COMPREPLY+=($value)": 'COMPREPLY+=("$value")',
    "complete -o nosort": "complete -o filenames -o nosort",
}
"""What keeps bash from splitting and expanding file names that click's script offers it."""

Completer = Callable[[click.Context, click.Parameter, str], list[str]]


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> int:
    """Print the script that makes SHELL complete the commands, options and values of trisolve.

    In bash or zsh, run eval "$(trisolve completion bash)", with the name of the shell, at start-up; in fish,
    trisolve completion fish | source.
    """
    maker = get_completion_class(shell)
    assert maker is not None
    script = maker(ctx.find_root().command, {}, "trisolve", VARIABLE).source()
    for careless, careful in CAREFUL.items() if shell == "bash" else ():
        script = script.replace(careless, careful)
    echo(script)
    return 0


def answer(commands: click.Command) -> int:
    """Answer a shell that asks."""
    return shell_complete(commands, {}, "trisolve", VARIABLE, os.environ[VARIABLE])


def names(known: Callable[[], Iterable[str]], *endings: str) -> Completer:
    """Offers the names that ``known`` gives, and files with these endings if there are any."""

    def complete(ctx: click.Context, param: click.Parameter, typed: str) -> list[str]:
        return [name for name in known() if name.startswith(typed)] + (
            files(*endings)(ctx, param, typed) if endings else []
        )

    return complete


def files(*endings: str) -> Completer:
    """Offers files with these endings (by default any), and the way to them."""

    def complete(ctx: click.Context, param: click.Parameter, typed: str) -> list[str]:
        found = _inside(typed, endings)
        # A shell takes the only thing offered for the last word and types a space. A folder is not the last word.
        for _ in range(DEEPEST):
            if len(found) != 1 or not found[0].endswith("/"):
                break
            found = _inside(found[0], endings)
        return found

    return complete


def new_file(endings: Callable[[], Iterable[str]]) -> Completer:
    """Offers a file to be written: what was typed with each of these endings, and files that are there already."""

    def complete(ctx: click.Context, param: click.Parameter, typed: str) -> list[str]:
        allowed = list(endings())
        stem, _, begun = os.path.basename(typed).partition(".")
        made = [f"{typed.removesuffix('.' + begun)}{e}" for e in allowed if stem and e.startswith("." + begun)]
        return sorted({*made, *files(*allowed)(ctx, param, typed)})

    return complete


def _inside(typed: str, endings: tuple[str, ...]) -> list[str]:
    """The paths that begin with what was typed: folders, with a slash, and files with these endings."""
    folder, name = os.path.split(typed)
    before = typed.removesuffix(name)
    found = []
    try:
        with os.scandir(os.path.expanduser(folder) or ".") as entries:
            for entry in entries:
                if not entry.name.startswith(name) or (entry.name.startswith(".") and not name):
                    continue
                if entry.is_dir():
                    found.append(f"{before}{entry.name}/")
                elif not endings or entry.name.lower().endswith(endings):
                    found.append(before + entry.name)
    except OSError:
        # There is no such folder, or nobody may look into it.
        return []
    return sorted(found)
