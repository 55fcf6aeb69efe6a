"""The page "Every command", made from the command line itself.

    python docs/commands.py

writes docs/commands.md. A test holds the page against the program, so it can't go stale.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from trisolve.cli import commands

PAGE = Path(__file__).parent / "commands.md"

HEAD = """\
# Every command

This page is made by the program itself (`python docs/commands.py`), and `trisolve COMMAND --help` says the same. What
the options have to do with each other, the exit statuses and the JSON are told in [The command line](command-line.md).
"""


def sections(command: click.Command, path: str) -> Iterator[str]:
    """What the help of a command says, and of those below it, as Markdown."""
    context = click.Context(command, info_name=path)
    paragraphs = "\n".join(line.strip() for line in (command.help or "").strip().splitlines())
    yield f"\n## {path}\n\n{paragraphs}\n\n```text\n{path} {' '.join(command.collect_usage_pieces(context))}\n```\n"
    records = [option.get_help_record(context) for option in command.params if isinstance(option, click.Option)]
    rows = [[text.replace("|", "\\|") for text in record] for record in records if record is not None]
    if rows:
        yield "\n| option | meaning |\n|---|---|\n" + "".join(f"| `{names}` | {meaning} |\n" for names, meaning in rows)
    if isinstance(command, click.Group):
        for name, below in command.commands.items():
            yield from sections(below, f"{path} {name}")


def page() -> str:
    """The whole page."""
    return HEAD + "".join(sections(commands, "trisolve"))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
