"""Manners of a command: where text goes, and what it looks like there.

Results go to standard output, everything else to standard error. A terminal gets colours, tables with headings and,
while a search has been silent for a second, a line of progress, or with ``--watch`` a picture of the board as the
search fills it; a pipe gets plain text. A reader that goes away, a stream that is closed and an encoding that lacks a
character are everyday things here, not errors.

Rich draws all that moves and all that has columns. It is loaded when there is something of the kind to show. The
colours of pictures are escape codes of :mod:`trisolve.picture.text`, for pictures go to files too.
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
from datetime import timedelta
from itertools import zip_longest
from typing import TYPE_CHECKING, NoReturn, TextIO

from trisolve.files import whole_file

if TYPE_CHECKING:
    from types import FrameType

    from rich.console import RenderableType
    from rich.live import Live

    from trisolve.display import Displayed
    from trisolve.engines import Run
    from trisolve.solution import Solution

PROGRESS_AFTER = 1.0
"""Seconds of silent work after which progress is shown."""

REFRESH = 0.2
"""Seconds between two pictures of what is going on."""

BAR = 20
"""Characters of the bar. The line with it should stay whole when somebody makes the window a little narrower."""

LEAST, USUAL = 10, 80
"""Columns below which a terminal can't be meant, and those that it is then taken to have."""

ECHO = 0.3
"""Seconds after a signal in which another one says nothing new."""

GRACE = 0.4
"""Seconds that a search has to come to its next tick after a signal."""

LOADING = 0.02
"""Seconds after which a signal that came while a module was loading is looked at again."""


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
        except (OSError, KeyboardInterrupt):
            discard(stream)


def discard(stream: TextIO) -> None:
    """Let what is still to be written to a stream go nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


class Interrupts:
    """Ctrl-C, and SIGTERM, which does the same: both raise KeyboardInterrupt.

    What is being printed is printed to its end first. If that takes too long, because the reader is in no hurry, a
    second signal acts at once. A search is left at its next tick, where it holds no lock that its threads might wait
    for; if none comes in :data:`GRACE` seconds, wherever it is. What is being loaded is loaded to its end in any case:
    the locks of Python's imports don't survive an exception at the wrong moment, and other threads would wait for
    them for ever.
    """

    def __init__(self) -> None:
        self._held = False
        self._ticking = False
        self._waiting = False
        self._deaf_until = 0.0

    def heed(self) -> None:
        """Install the handler, except for signals that the caller wants ignored, as in the background of a shell."""
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, self._handle)

    def rest(self) -> None:
        """Let a signal end the process, as it does for any other program: there is nothing left to be saved."""
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) == self._handle:
                signal.signal(number, signal.SIG_DFL)
        self._again(0.0)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        # Two at once, as from Ctrl-C in a shell that also ends its jobs, are one: the first is being seen to.
        if now < self._deaf_until:
            return
        if hasattr(signal, "setitimer") and _loading(frame):
            self._again(LOADING)
            return
        self._deaf_until = now + ECHO
        if self._waiting or not (self._held or self._ticking):
            self._act()
        self._waiting = True
        if not self._held:
            self._again(GRACE)

    def _again(self, seconds: float) -> None:
        """Have the signal come once more after so long, or with 0 no more; where there is no clock for it, never."""
        if hasattr(signal, "setitimer"):
            signal.signal(signal.SIGALRM, self._handle)
            signal.setitimer(signal.ITIMER_REAL, seconds)

    def _act(self) -> NoReturn:
        self._waiting = False
        self._again(0.0)
        raise KeyboardInterrupt

    def tick(self) -> None:
        """Let a signal act that has waited for this."""
        if self._waiting and not self._held:
            self._act()

    @contextmanager
    def ticking(self) -> Iterator[None]:
        """Put off a signal until the next :meth:`tick`, but not for long."""
        self._ticking = True
        try:
            yield
        finally:
            self._ticking = False
        self.tick()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Put off a signal until the block is left; inside another one this changes nothing."""
        if self._held:
            yield
            return
        self.tick()
        self._held = True
        try:
            yield
        except KeyboardInterrupt:
            # The second signal: the reader doesn't read, and all that is printed from now on would wait for it.
            discard(sys.stdout)
            raise
        finally:
            self._held = False
        self.tick()


def _loading(frame: FrameType | None) -> bool:
    """True when a module is being imported, as far back as the command line's own beginning."""
    while frame is not None and frame.f_globals.get("__name__") != "trisolve.cli":
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            return True
        frame = frame.f_back
    return False


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
    """Print what isn't a result, on one line, after the results so far, unless only those are wanted."""
    if not quiet:
        sys.stdout.flush()
        print(plain(text), file=sys.stderr)


def can_move(stream: TextIO) -> bool:
    """True for a terminal on which something can be drawn over."""
    return stream.isatty() and os.environ.get("TERM") not in ("dumb", "unknown")


def has_colour(stream: TextIO) -> bool:
    """True where colours are wanted: on a terminal, or anywhere with FORCE_COLOR, but never with NO_COLOR."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or can_move(stream)


def can_show(text: str, stream: TextIO) -> bool:
    """True where the stream's encoding has all these characters."""
    try:
        text.encode(stream.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True


def text_picture(thing: Displayed, *, names: bool = False, stream: TextIO | None = None) -> str:
    """The text picture that suits a stream, by default standard output."""
    from trisolve import picture

    stream = stream or sys.stdout
    color = has_colour(stream)
    fancy = picture.text(thing, names=names, unicode=True, color=color)
    return fancy if can_show(fancy, stream) else picture.text(thing, names=names, unicode=False, color=color)


def table(rows: Sequence[tuple[str, ...]], headings: Sequence[str] = ()) -> None:
    """Columns on a terminal, under headings, folded where it is narrow; elsewhere lines with tabs, without headings.

    Rows may be shorter than others. Columns of numbers are set to the right.
    """
    if not sys.stdout.isatty():
        echo("\n".join("\t".join(row) for row in rows))
        return
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    if console.width < LEAST:
        console.width = USUAL
    drawn = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=bool(headings))
    for heading, *column in zip_longest(headings, *rows, fillvalue=""):
        numbers = all(text.isdecimal() for text in column)
        # The first one has the names, which should stay whole where there is any room for others beside them.
        whole = not drawn.columns and max(map(cell_len, column)) <= console.width // 2
        drawn.add_column(Text(heading), justify="right" if numbers else "left", overflow="fold", no_wrap=whole)
    for row in rows:
        drawn.add_row(*map(Text, row))
    console.print(drawn)


def plain(text: str) -> str:
    """Text from a file, on one line and with nothing in it that a terminal would obey."""
    return "".join(c if c.isprintable() else " " for c in text)


class ProgressLine:
    """A line of progress on a terminal, shown while a search has been silent for a while.

    It gives way to a result that is printed on the same terminal. With ``watch`` it comes at once, and above it stands
    a picture of the board as it is being filled.
    """

    def __init__(self, quiet: bool, watch: bool = False) -> None:
        # Kept, for while something is shown sys.stderr is a stand-in that prints above it.
        self._stream = sys.stderr
        self._wanted = not quiet and can_move(self._stream)
        if watch and not self._wanted:
            say(quiet, "--watch needs a terminal on standard error: there is nothing to watch here")
        self._watch = watch
        self._silence = REFRESH if watch else PROGRESS_AFTER
        self._due = time.monotonic() + self._silence
        self._live: Live | None = None
        # When the work began, with how many nodes, and how much done: earlier runs tell nothing about the rate.
        self._first: tuple[float, int, float] | None = None

    def tick(self, run: Run) -> None:
        """Show how far the run is, if it is time to."""
        INTERRUPTS.tick()
        now = time.monotonic()
        if self._first is None:
            self._first = now, run.nodes, run.fraction
        if not self._wanted or now < self._due:
            return
        # A signal in the midst of it would leave a line behind, or a terminal without a cursor.
        with INTERRUPTS.held():
            if self._live is None:
                from rich.console import Console
                from rich.live import Live

                console = Console(stderr=True, highlight=False, force_terminal=True)
                self._live = Live(console=console, auto_refresh=False, transient=True, redirect_stdout=False)
                self._live.start()
            self._live.update(self._drawn(run, now, *self._first), refresh=True)
        self._due = time.monotonic() + REFRESH

    def give_way(self) -> None:
        """Make room for a result on standard output, which may be the same terminal."""
        if sys.stdout.isatty():
            self.clear()

    def clear(self) -> None:
        """Take away what is shown; it comes back after the next silence."""
        if self._live is not None:
            with INTERRUPTS.held():
                self._live.stop()
                self._live = None
        self._due = time.monotonic() + self._silence

    def _drawn(self, run: Run, now: float, began: float, nodes: int, before: float) -> RenderableType:
        from rich.console import Group
        from rich.text import Text

        assert self._live is not None
        width, height = self._live.console.size
        elapsed, share = now - began, run.fraction
        facts = [f"{run.found:,} found", f"{max(0, run.nodes - nodes) / max(elapsed, 1e-3):,.0f} nodes/s"]
        if share > before:
            facts.insert(0, f"{clock(elapsed * (1 - share) / (share - before))} left")
        if not self._watch:
            return _progress(clock(elapsed), share, facts, width)
        partial = run.partial
        pictures = []
        if partial is None:
            facts.append(f"engine {run.engine} has no filling to show")
        else:
            facts.append(f"{len(partial):,} of {len(run.puzzle.board):,} cells")
            pictures = [text_picture(partial, stream=self._stream), filled_cells(partial, self._stream)]
        line = _progress(clock(elapsed), share, facts, width)
        for picture in pictures:
            drawn = Text.from_ansi(picture, no_wrap=True)
            # Below it stand at most three lines, and the cursor.
            if picture.count("\n") + 4 < height and max(part.cell_len for part in drawn.split("\n")) <= width:
                return Group(drawn, line)
        return line


def _progress(elapsed: str, share: float, facts: Sequence[str], width: int) -> RenderableType:
    """Time, bar, share and facts, on a line; in a narrow window without the bar, on as many as it takes."""
    from rich.constrain import Constrain
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    # The ^C that a terminal shows must not begin another line.
    width -= len("^C") + 1
    text = ", ".join(facts)
    if not share:
        return Constrain(Text(f"{elapsed}  {text}"), width)
    text = f"{int(100 * share):3}%  {text}"
    bar = min(BAR, width - len(elapsed) - len(text) - 2)
    if bar < BAR // 2:
        return Constrain(Text(f"{elapsed} {text}"), width)
    line = Table.grid(padding=(0, 1))
    line.add_row(elapsed, ProgressBar(1.0, share, bar, complete_style="green", finished_style="green"), Text(text))
    return line


def filled_cells(partial: Solution, stream: TextIO) -> str:
    """A small picture for a board too large for a real one: a character for each cell, a dot where it is open."""
    board = partial.puzzle.board
    grid = [[" "] * board.columns for _ in range(board.rows)]
    for cell in board:
        row, column = board.position(cell)
        grid[row][column] = "." if cell not in partial.cells else "^" if cell.up else "v"
    small = "\n".join("".join(row).rstrip() for row in grid)
    pretty = small.translate(str.maketrans(".^v", "·▲▼"))
    return pretty if can_show(pretty, stream) else small


def clock(seconds: float) -> str:
    """A time as on a stop watch; in days where it is long."""
    return str(timedelta(seconds=int(seconds))) if seconds < 86400 else f"{seconds / 86400:,.1f} days"


class Log(logging.Handler):
    """What the engines have to say goes to standard error, above the line of progress."""

    def emit(self, record: logging.LogRecord) -> None:
        print(plain(record.getMessage()), file=sys.stderr)
