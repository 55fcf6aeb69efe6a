"""Manners of a command: where text goes, and what it looks like there.

Results go to standard output, everything else to standard error. A terminal gets colours, aligned tables and,
while a search has been silent for a second, a line of progress; a pipe gets plain text. A reader that goes
away, a stream that is closed and an encoding that lacks a character are everyday things here, not errors.
"""

from __future__ import annotations

import io
import logging
import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from typing import TYPE_CHECKING, TextIO

from trisolve.files import whole_file

if TYPE_CHECKING:
    from rich.progress import Progress

    from trisolve.display import Displayed
    from trisolve.engines import Run

PROGRESS_AFTER = 1.0
"""Seconds of silent work after which progress is shown."""


ECHO = 0.3
"""Seconds after a signal in which another one says nothing new."""


def prepare() -> None:
    """Make the standard streams ones that any text can be written to, and in whole."""
    for name in ("stdout", "stderr"):
        given = getattr(sys, name)
        # Without a buffer, as PYTHONUNBUFFERED has it, text is lost when a signal comes while it is written.
        # A stream that the caller closed is None: what is printed goes nowhere.
        stream = open(  # noqa: SIM115
            given.fileno() if given else os.devnull,
            "w",
            buffering=1 if name == "stderr" else -1,
            encoding=given.encoding if given else "utf-8",
            errors="backslashreplace",
            closefd=given is None,
        )
        setattr(sys, name, stream)


def settle() -> None:
    """Leave nothing in the buffers that could fail when Python closes them."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


class Interrupts:
    """Ctrl-C, and SIGTERM, which does the same: both raise KeyboardInterrupt.

    What is being printed is printed to its end first. If that takes too long, because the reader is in
    no hurry, a second signal acts at once.
    """

    def __init__(self) -> None:
        self._held = False
        self._waiting = False
        self._deaf_until = 0.0

    def heed(self) -> None:
        """Install the handler, except for signals that the caller wants ignored, as in the background of a shell."""
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, self._handle)

    def _handle(self, number: int, frame: object) -> None:
        now = time.monotonic()
        # Two at once, as from Ctrl-C in a shell that also ends its jobs, are one: the first is being seen to.
        if now < self._deaf_until:
            return
        self._deaf_until = now + ECHO
        if self._waiting or not self._held:
            raise KeyboardInterrupt
        self._waiting = True

    @contextmanager
    def held(self) -> Iterator[None]:
        """Put off a signal until the block is left."""
        self._held = True
        try:
            yield
        finally:
            self._held = False
        if self._waiting:
            self._waiting = False
            raise KeyboardInterrupt


INTERRUPTS = Interrupts()
"""The one there is, since signals belong to the process."""


@contextmanager
def writing(path: str | None) -> Iterator[TextIO]:
    """Standard output, or a file that appears under its name only when it is whole."""
    if path is None:
        yield sys.stdout
        return
    with whole_file(path) as file:
        stream = io.TextIOWrapper(file, encoding="utf-8", newline="\n")
        yield stream
        stream.detach()


def echo(text: str) -> None:
    """Print a result."""
    sys.stdout.write(f"{text}\n")


def say(quiet: bool, text: str) -> None:
    """Print what isn't a result, after the results so far, unless only those are wanted."""
    if not quiet:
        sys.stdout.flush()
        print(text, file=sys.stderr)


def text_picture(thing: Displayed, *, names: bool = False) -> str:
    """The text picture that suits standard output."""
    from trisolve import picture

    color = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    fancy = picture.text(thing, names=names, unicode=True, color=color)
    try:
        fancy.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return picture.text(thing, names=names, unicode=False, color=color)
    return fancy


def table(rows: Sequence[tuple[str, ...]]) -> None:
    """Columns aligned on a terminal, separated by tabs elsewhere; rows may be shorter than others."""
    if not sys.stdout.isatty():
        echo("\n".join("\t".join(row) for row in rows))
        return
    widths = [max(map(len, column)) for column in zip_longest(*rows, fillvalue="")]
    for row in rows:
        echo("  ".join(f"{text:{width}}" for text, width in zip(row, widths, strict=False)).rstrip())


def plain(text: str) -> str:
    """Text from a file, on one line and with nothing in it that a terminal would obey."""
    return "".join(c if c.isprintable() else " " for c in text)


class ProgressLine:
    """A line of progress on a terminal, shown while a search has been silent for a while.

    It goes away before a result is printed, since results go to the same terminal.
    """

    def __init__(self, quiet: bool) -> None:
        self._wanted = not quiet and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._due = time.monotonic() + PROGRESS_AFTER
        self._live: Progress | None = None
        # When the work began, and with how many nodes: those of earlier runs tell nothing about the rate.
        self._first: tuple[float, int] | None = None

    def tick(self, run: Run) -> None:
        """Show how far the run is, if it is time to."""
        now = time.monotonic()
        if self._first is None:
            self._first = now, run.nodes
        if not self._wanted or now < self._due:
            return
        if self._live is None:
            from rich import progress
            from rich.console import Console

            self._live = progress.Progress(
                progress.TimeElapsedColumn(),
                progress.BarColumn(),
                progress.TaskProgressColumn(),
                progress.TimeRemainingColumn(),
                progress.TextColumn("left, {task.fields[found]:,} found, {task.fields[rate]:,.0f} nodes/s"),
                console=Console(stderr=True),
                transient=True,
                auto_refresh=False,
                redirect_stdout=False,
            )
            self._live.add_task("", total=None, found=0, rate=0)
            self._live.start()
        self._due = now + 0.2
        done = run.fraction
        before, nodes = self._first
        rate = max(0, run.nodes - nodes) / max(now - before, 1e-3)
        self._live.update(
            self._live.task_ids[0],
            total=1.0 if done else None,
            completed=done,
            found=run.found,
            rate=rate,
            refresh=True,
        )

    def clear(self) -> None:
        """Take the line away; it comes back after the next silent second."""
        if self._live is not None:
            self._live.stop()
            self._live = None
        self._due = time.monotonic() + PROGRESS_AFTER


class Log(logging.Handler):
    """What the engines have to say goes to standard error, above the line of progress."""

    def emit(self, record: logging.LogRecord) -> None:
        print(record.getMessage(), file=sys.stderr)
