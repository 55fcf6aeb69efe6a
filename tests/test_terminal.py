"""What a person sees: progress, tables, colours and --watch on a real terminal, the Tab key, and Ctrl-C at any moment.

Commands run on a pseudo-terminal, and pyte plays the terminal: it keeps the screen that a person would see. The
shells are real ones; a test is skipped where a shell isn't installed, unless CI_SHELLS=required is set.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyte
import pytest
from conftest import ROOT, Command, environment, heed_ctrl_c
from hypothesis import given, settings
from rich.console import Console
from strategies import solved_puzzles

import trisolve as ts
from trisolve import terminal
from trisolve.cli.work import log
from trisolve.engines import ENGINES, Run, search
from trisolve.files import bundled
from trisolve.objective import GOALS
from trisolve.tiles import SETS

ENDLESS = "macmahon-hexagon-same"
"""A bundled puzzle that takes long to count, or to list."""


class Screen:
    """A command on a pseudo-terminal, and what it shows there."""

    def __init__(
        self, command: list[str], columns: int, lines: int, cwd: Path, env: dict[str, str], **more: Any
    ) -> None:
        self.screen = pyte.Screen(columns, lines)
        self._stream = pyte.ByteStream(self.screen)
        self._ours, theirs = pty.openpty()
        self.raw = b""
        self.resize(columns, lines)
        ends = {"stdin": theirs, "stdout": theirs, "stderr": theirs} | more
        self.process = subprocess.Popen(
            command, cwd=cwd, env=environment(**{"TERM": "xterm-256color", **env}), start_new_session=True,
            preexec_fn=lambda: self._control(theirs), **ends,
        )  # fmt: skip
        os.close(theirs)

    @staticmethod
    def _control(end: int) -> None:
        # So that Ctrl-C is a character that somebody types.
        fcntl.ioctl(end, termios.TIOCSCTTY, 0)
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    def resize(self, columns: int, lines: int) -> None:
        fcntl.ioctl(self._ours, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self.screen.resize(lines, columns)

    def type(self, text: str) -> None:
        os.write(self._ours, text.encode())

    def read(self, until: str | None = None, seconds: float = 60) -> str:
        """The screen once a pattern is on it, or at the end of the command."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and (until is None or not re.search(until, self.text)):
            if not select.select([self._ours], [], [], max(0, end - time.monotonic()))[0]:
                break
            try:
                piece = os.read(self._ours, 65536)
            except OSError:
                break
            if not piece:
                break
            self.raw += piece
            self._stream.feed(piece)
        if until is not None:
            assert re.search(until, self.text), f"{until} isn't on the screen:\n{self.text}"
        return self.text

    @property
    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self.screen.display).rstrip()

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._ours)


Show = Callable[..., Any]


@pytest.fixture
def show(script: str, tmp_path: Path) -> Show:
    """Runs the command, or another program, on a terminal."""

    @contextmanager
    def run(
        *arguments: str, program: str = script, size: tuple[int, int] = (80, 24), env: Any = (), **more: Any
    ) -> Iterator[Screen]:
        screen = Screen([program, *arguments], *size, tmp_path, dict(env), **more)
        try:
            yield screen
        finally:
            screen.close()

    return run


# -- partial fillings ---------------------------------------------------------------------------------

OPEN = re.compile("is not filled|placed, expected|are not connected|is empty, expected")
"""What is wrong with a partial filling for no other reason than that it is not finished."""


def partial_fillings(puzzle: ts.Puzzle, **options: Any) -> list[ts.Solution]:
    seen: list[ts.Solution] = []

    def look(run: Run) -> None:
        partial = run.partial
        assert partial is not None
        seen.append(partial)

    for _ in Run(puzzle, on_tick=look, **options):
        pass
    return seen


def slow_down(patch: pytest.MonkeyPatch) -> None:
    """Have the search pause at every node."""
    patch.setattr(search, "FIRST_BUDGET", 1)
    patch.setattr(search, "TICK", 0.0)


@pytest.mark.parametrize("engine", ["dlx", "sweep"])
@given(pair=solved_puzzles())
@settings(max_examples=40)
def test_partial_fillings_are_right_as_far_as_they_go(engine: str, pair: tuple[ts.Puzzle, Any]) -> None:
    puzzle = pair[0]
    with pytest.MonkeyPatch.context() as patch:
        slow_down(patch)
        for limit in (None, 1):
            for partial in partial_fillings(puzzle, engine=engine, limit=limit):
                assert [p for p in ts.verify(puzzle, partial).problems if not OPEN.search(p)] == []


@pytest.mark.parametrize("engine", ["dlx", "sweep"])
def test_partial_fillings_grow(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    slow_down(monkeypatch)
    sizes = Counter(len(partial) for partial in partial_fillings(ts.load("small-hexagon"), engine=engine, limit=200))
    assert set(sizes) == set(range(max(sizes) + 1))
    assert max(sizes) >= 5


def test_partial_fillings_where_cells_stay_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trisolve.engines.growing.TICK", -1.0)
    puzzle = ts.Puzzle(ts.Board.triangle(4), ts.tiles.SETS["complete-2"].supply(), fill="tiles")
    seen = partial_fillings(puzzle, engine="dlx", limit=30)
    for partial in seen:
        assert [p for p in ts.verify(puzzle, partial).problems if not OPEN.search(p)] == []
    assert {len(partial) for partial in seen} == {0, 1, 2, 3, 4}


def test_a_compiled_search_tells_too() -> None:
    puzzle = ts.load(ENDLESS)
    seen = partial_fillings(puzzle, engine="dlx", counting=True, time_limit=2)
    assert all(not [p for p in ts.verify(puzzle, partial).problems if not OPEN.search(p)] for partial in seen)
    assert max(map(len, seen)) > 12


def test_an_engine_without_a_filling_has_none() -> None:
    run = Run(ts.load("rhombus"), engine="sweep", counting=True)
    list(run)
    assert run.partial is None


# -- progress -----------------------------------------------------------------------------------------

LINE = r"\d:\d\d:\d\d .*nodes/s"


@pytest.mark.parametrize(
    ("columns", "command"),
    [
        (40, f"count {ENDLESS}"),
        (120, f"count {ENDLESS} --checkpoint count.db"),
        (120, f"solve {ENDLESS} --all -o all.json"),
        (40, "solve complete-6-76 --engine dlx"),
        (80, f"sample {ENDLESS} --memory 100M"),
        (60, "estimate board-73 --probes 100000000"),
    ],
)
def test_progress_comes_and_goes(show: Show, columns: int, command: str) -> None:
    with show(*command.split(), size=(columns, 24)) as screen:
        shown = screen.read("found[^$]*nodes/s")
        assert len(re.findall(r"\d:\d\d:\d\d ", shown)) == 1 + shown.count(" left,")
        assert len(shown.splitlines()) <= (1 if columns > 80 else 3)
        assert screen.screen.cursor.hidden
        # Many pictures later it still stands where it stood.
        for _ in range(3):
            time.sleep(0.2)
            screen.read(LINE.replace(".*", "[^$]*"))
        assert screen.text.count("nodes/s") == 1
        screen.type("\x03")
        left = screen.read()
        assert screen.process.wait() == 130
        assert "nodes/s" not in left
        assert "^C" not in left
        assert "interrupted" in left.replace("\n", "")
        assert not screen.screen.cursor.hidden


def test_progress_tells_the_share_and_the_time_left(show: Show) -> None:
    with show("count", ENDLESS, "--engine", "dlx") as screen:
        shown = screen.read(r"% .*left, [\d,]+ found, [\d,]+ nodes/s")
        assert re.search(r"^\d:\d\d:\d\d [━╸╺]{10,} +\d+%  [\d:.]+(,\d+)*( days)? left", shown)


def test_progress_goes_when_the_work_fails(show: Show) -> None:
    code = (
        "from trisolve import cli, terminal\n"
        "draw = terminal.ProgressLine.tick\n"
        "def tick(self, run):\n"
        "    draw(self, run)\n"
        "    if self._live: raise RuntimeError('it broke')\n"
        "terminal.ProgressLine.tick = tick\n"
        f"cli.main(['count', '{ENDLESS}'])"
    )
    with show("-c", code, program=sys.executable) as screen:
        left = screen.read()
        assert screen.process.wait() == 70
    assert "RuntimeError: it broke" in left
    assert "nodes/s\n" not in left
    assert not screen.screen.cursor.hidden


def test_progress_fits_a_window_that_changes(show: Show) -> None:
    with show("count", ENDLESS, "--engine", "dlx", size=(120, 24)) as screen:
        screen.read(r"━[^$]*nodes/s")
        screen.resize(38, 12)
        screen.read(r"left,\n[^$]*nodes/s")
        screen.resize(100, 24)
        screen.read(r"━[^$]*nodes/s")
        screen.type("\x03")
        assert "nodes/s" not in screen.read().splitlines()[-1]


def test_a_dumb_terminal_shows_no_progress(show: Show) -> None:
    with show("count", ENDLESS, "--time-limit", "2", env={"TERM": "dumb"}) as screen:
        screen.read()
    assert b"\x1b" not in screen.raw
    assert b"nodes/s" not in screen.raw


def test_a_reader_that_does_not_read_is_left_by_the_second_ctrl_c(script: str, tmp_path: Path) -> None:
    command = [script, "solve", "eagle", "--all", "--engine", "dlx"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(), preexec_fn=heed_ctrl_c
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(1)
        time.sleep(1)
        for _ in range(2):
            assert process.poll() is None
            process.send_signal(signal.SIGINT)
            time.sleep(2 * terminal.ECHO)
        assert process.wait(20) == 130
        said = process.stderr.read().decode()
    assert "Traceback" not in said
    assert "interrupted: at least" in said


def test_signals_wait_for_nested_blocks() -> None:
    interrupts = terminal.Interrupts()
    reached = []

    def work() -> None:
        with interrupts.held():
            with interrupts.held():
                interrupts._handle(signal.SIGINT, None)
            reached.append("the end")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert reached


def test_a_signal_waits_for_a_tick_but_not_for_long() -> None:
    interrupts = terminal.Interrupts()
    reached = []

    def work(then: Callable[[], object]) -> None:
        with interrupts.ticking():
            interrupts.tick()
            interrupts._deaf_until = 0.0
            interrupts._handle(signal.SIGINT, None)
            reached.append(then)
            then()
            pytest.fail("the signal did nothing")

    for then in (interrupts.tick, interrupts.held().__enter__, lambda: time.sleep(30)):
        with pytest.raises(KeyboardInterrupt):
            work(then)
        assert reached.pop() is then
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


@pytest.mark.parametrize("share", [0.0, 0.004, 0.5, 1.0])
def test_there_is_room_for_what_ctrl_c_types(share: float) -> None:
    facts = ["0:12:34 left", "1,234,567 found", "12,345,678 nodes/s"]
    for width in range(30, 130):
        console = Console(width=width)
        lines = console.render_lines(terminal._progress("0:00:12", share, facts, width), pad=False)
        assert max(sum(part.cell_length for part in line) for line in lines) <= width - 3


def test_messages_come_once_and_on_one_line(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    logger = logging.getLogger("trisolve")
    monkeypatch.setattr(logger, "handlers", [])
    monkeypatch.setattr(logger, "level", logger.level)
    for _ in range(3):
        log(False)
    logger.info("a file with a\nstrange \x1b[1m name")
    assert capsys.readouterr().err == "a file with a strange  [1m name\n"


def test_clock() -> None:
    assert [terminal.clock(s) for s in (0, 59.9, 3600, 86399)] == ["0:00:00", "0:00:59", "1:00:00", "23:59:59"]
    assert terminal.clock(1e12) == "11,574,074.1 days"


# -- watching -----------------------------------------------------------------------------------------


def test_watch_shows_the_board_and_leaves_nothing(show: Show, tmp_path: Path) -> None:
    with show("solve", ENDLESS, "--all", "--watch", "--engine", "dlx", "-o", "all.json") as screen:
        shown = screen.read(r"\d+ of 24 cells")
        *picture, line = shown.splitlines()
        assert len(picture) == 17
        assert len(re.findall(r"[1-4]", "".join(picture))) == 3 * int(re.search(r"(\d+) of 24", line)[1])
        assert "\x1b[1;38;5;" in screen.raw.decode()
        screen.type("\x03")
        left = screen.read().splitlines()
    assert left[0] == "written to all.json"
    assert len(left) <= 3
    assert json.loads((tmp_path / "all.json").read_text())["status"] == "interrupted"


def test_watch_leaves_standard_output_clean(show: Show) -> None:
    with show("count", "hexagon", "--watch", "--engine", "dlx", stdout=subprocess.PIPE) as screen:
        screen.read("of 24 cells")
        left = screen.read()
        assert screen.process.stdout.read() == b"1680\n"
        screen.process.stdout.close()
    assert "of 24 cells" not in left
    assert re.search("^1,680 solutions, ", left, re.MULTILINE)


def test_watch_in_small_windows(show: Show) -> None:
    arguments = ("count", ENDLESS, "--watch", "--engine", "dlx")
    with show(*arguments, size=(80, 10)) as screen:
        # The first time a line above says that the kernel was compiled.
        shown = [row for row in screen.read(r"of 24 cells").splitlines() if not row.startswith("compiled")]
        assert all(re.fullmatch(" *[▲▼·]+", row) for row in shown[:4]), shown
        assert "".join(shown[:4]).count("·") == 24 - len(re.findall("[▲▼]", "".join(shown)))
        assert len(shown) == 5
        screen.resize(80, 6)
        screen.read(r"\A(compiled.*\n)?\s*\d:\d\d:\d\d[^▲▼·]*of 24[ \n]cells\Z")
        screen.resize(20, 24)
        screen.read(r"[▲▼·][^$]*of 24[ \n]cells")
    with show(*arguments, size=(80, 10), env={"PYTHONIOENCODING": "ascii"}) as screen:
        assert re.search(r"[\^v]", screen.read(r"of 24 cells"))


def test_watch_without_a_filling_says_so(show: Show) -> None:
    with show("solve", "complete-6-76", "--watch", "--engine", "cpsat") as screen:
        screen.read("engine cpsat has no filling to show")


def test_watch_without_colour(show: Show) -> None:
    with show("count", ENDLESS, "--watch", "--engine", "dlx", env={"NO_COLOR": "1"}) as screen:
        screen.read("of 24 cells")
    assert b"\x1b[1;38" not in screen.raw


def test_watch_without_a_terminal_is_a_line(trisolve: Command) -> None:
    done = trisolve("solve", "rhombus", "--watch")
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 5)
    assert done.stderr.splitlines()[0] == "--watch needs a terminal on standard error: there is nothing to watch here"
    assert len(done.stderr.splitlines()) == 2


def test_watch_is_refused_where_it_makes_no_sense(trisolve: Command) -> None:
    for arguments, message in (
        ("solve rhombus --watch --quiet", "trisolve solve: --watch and --quiet exclude each other"),
        ("count rhombus --watch", "trisolve count: --watch needs --engine dlx: the other engines count many fillings"),
    ):
        done = trisolve(*arguments.split())
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
        assert done.stderr.startswith(message)


# -- tables and colours -------------------------------------------------------------------------------


def visible(text: str) -> Counter[str]:
    return Counter("".join(text.split()))


@pytest.mark.parametrize("columns", [40, 60, 200])
@pytest.mark.parametrize("command", [["shapes"], ["tiles"], ["moves", "even-odd"]], ids=" ".join)
def test_tables_lose_nothing(show: Show, trisolve: Command, command: list[str], columns: int) -> None:
    plain = trisolve(*command).stdout
    with show(*command, size=(columns, 400), stderr=subprocess.DEVNULL) as screen:
        text = screen.read()
    heading = {"shapes": "name cells tiles title", "tiles": "set tiles match note"}.get(command[0], "")
    assert visible(text) == visible(plain + heading)
    if columns >= 120:
        assert len(text.splitlines()) == len(plain.splitlines()) + bool(heading)
    if columns >= 60:
        assert {row.split("\t")[0] for row in plain.splitlines()} <= set(text.split())


def test_a_table_takes_text_as_it_is(show: Show) -> None:
    code = "from trisolve.terminal import table; table([('[red]a[/]', ':star:', '12')], ('[bold]', 'b', 'c'))"
    with show("-c", code, program=sys.executable) as screen:
        rows = [line.split() for line in screen.read().splitlines()]
    assert rows == [["[bold]", "b", "c"], ["[red]a[/]", ":star:", "12"]]


def test_colours_in_a_pipe_only_when_asked_for(trisolve: Command) -> None:
    assert "\x1b[" in trisolve("solve", "rhombus", FORCE_COLOR="1").stdout
    assert "\x1b" not in trisolve("solve", "rhombus", FORCE_COLOR="1", NO_COLOR="1").stdout
    assert "\x1b" not in trisolve("solve", "rhombus", FORCE_COLOR="").stdout
    assert trisolve("tiles", FORCE_COLOR="1").stdout == trisolve("tiles").stdout


# -- completion ---------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with shapes, pictures and other things."""
    (tmp_path / "sub" / "deep").mkdir(parents=True)
    (tmp_path / "empty").mkdir()
    for name in ("mine.yaml", "other.yml", "notes.txt", "old.svg", "sub/deep/far.yaml", ".hidden.yaml", "run.json"):
        (tmp_path / name).write_text("")
    return tmp_path


MOST = list(bundled())
SOME_FILES = ["empty/", "mine.yaml", "other.yml", "sub/"]


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("so", ["solve"]),
        ("completion ", ["bash", "zsh", "fish"]),
        ("solve ", MOST + SOME_FILES),
        ("check hexagon-", ["hexagon-24", "hexagon-412321"]),
        ("show mi", ["mine.yaml"]),
        ("show su", ["sub/deep/far.yaml"]),
        ("show sub/deep/", ["sub/deep/far.yaml"]),
        ("show emp", []),
        ("show .", [".hidden.yaml"]),
        ("show nowhere/", []),
        ("moves ", [*bundled("positions"), *SOME_FILES]),
        ("tiles tri", [name for name in SETS if name.startswith("tri")]),
        ("print tiles --set tri", [name for name in SETS if name.startswith("tri")]),
        ("print puzzle hexagon eag", ["eagle"]),
        ("print tiles eag", ["eagle"]),
        ("solve hexagon --tiles compl", [name for name in SETS if name.startswith("compl")]),
        ("count hexagon --engine ", list(ENGINES)),
        ("solve hexagon --maximize ", list(GOALS)),
        ("solve hexagon --minimize p", ["perimeter", "pips-inside"]),
        ("count hexagon --up-to r", ["rotation", "reflection"]),
        ("count hexagon -o x", ["x.json"]),
        ("count hexagon -o sub/x.j", ["sub/x.json"]),
        ("show hexagon -o old.s", ["old.svg"]),
        ("verify hexagon r", ["run.json"]),
        ("progress notes", ["notes.txt"]),
        ("solve hexagon --wat", ["--watch"]),
    ],
)
def test_completion(trisolve: Command, folder: Path, typed: str, offered: list[str]) -> None:
    words = typed.split(" ")
    done = trisolve(COMP_WORDS=f"trisolve {typed}", COMP_CWORD=str(len(words)), _TRISOLVE_COMPLETE="bash_complete")
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.removeprefix("plain,") for line in done.stdout.split()] == offered


def test_new_files_are_offered_with_every_ending(trisolve: Command) -> None:
    env = {"COMP_WORDS": "trisolve solve hexagon -o out", "COMP_CWORD": "4", "_TRISOLVE_COMPLETE": "bash_complete"}
    offered = {line.removeprefix("plain,out") for line in trisolve(**env).stdout.splitlines()}
    assert offered >= {".svg", ".png", ".txt", ".json"}


@pytest.mark.parametrize("typed", ["so", "solve hex", "solve hexagon --tiles t", "moves e", "solve hexagon -o x."])
def test_completing_loads_nothing_heavy(typed: str) -> None:
    code = "import sys\nfrom trisolve.cli import main\ntry: main()\nexcept SystemExit: print(*sys.modules)"
    env = environment(
        COMP_WORDS=f"trisolve {typed}", COMP_CWORD=str(len(typed.split())), _TRISOLVE_COMPLETE="bash_complete"
    )
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True, cwd=ROOT)
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert "click" in loaded
    assert not loaded & {"numpy", "numba", "ortools", "rich", "pydantic", "yaml", "resvg_py", "reportlab"}


def test_a_shell_without_a_script_is_refused(trisolve: Command) -> None:
    done = trisolve("completion", "tcsh")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "'bash', 'zsh', 'fish'" in done.stderr


def shell(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        if os.environ.get("CI_SHELLS") == "required":
            pytest.fail(f"{name} isn't installed, and CI_SHELLS says that it must be")
        pytest.skip(f"{name} isn't installed")
    return path


@pytest.fixture
def on_path(script: str) -> dict[str, str]:
    return {"PATH": f"{Path(script).parent}:{os.environ['PATH']}", "PS1": "$ ", "PROMPT": "$ ", "HISTFILE": ""}


START = {
    "bash": (["--norc", "--noprofile", "-i"], 'eval "$(trisolve completion bash)"'),
    "zsh": (["-f", "-i"], 'autoload -Uz compinit; compinit -u -D; eval "$(trisolve completion zsh)"'),
}


@pytest.mark.parametrize("name", list(START))
def test_the_tab_key(show: Show, folder: Path, on_path: dict[str, str], name: str) -> None:
    arguments, start = START[name]
    (folder / "sp ace $HOME.yaml").touch()
    with show(*arguments, program=shell(name), env=on_path, size=(120, 40)) as screen:
        screen.read(r"\$ *$")
        screen.type(f"{start}; echo rea''dy\r")
        screen.read("ready")
        for typed, becomes in (
            ("trisolve sol", "trisolve solve "),
            ("trisolve solve seat", "trisolve solve seated-man "),
            ("trisolve solve su", "trisolve solve sub/deep/far.yaml "),
            ("trisolve solve hexagon --tiles trioker-e", "trisolve solve hexagon --tiles trioker-even "),
            ("trisolve count hexagon --engine swe", "trisolve count hexagon --engine sweep "),
            ("trisolve count hexagon -o new", "trisolve count hexagon -o new.json "),
            ("trisolve solve sp", "trisolve solve sp\\ ace\\ \\$HOME.yaml "),
        ):
            screen.type(f"{typed}\t")
            screen.read(re.escape(f"$ {becomes.rstrip()}") + " *$")
            # What comes next tells that the word was ended by a space.
            screen.type("X")
            screen.read(re.escape(f"$ {becomes}X") + "$")
            screen.type("\x15")
            screen.read(r"\$ *$")


def test_fish_completes(folder: Path, on_path: dict[str, str]) -> None:
    fish = shell("fish")
    for typed, offered in (
        ("trisolve sol", ["solve"]),
        ("trisolve solve seat", ["seated-man"]),
        ("trisolve solve su", ["sub/deep/far.yaml"]),
        ("trisolve solve hexagon --tiles trioker-", ["trioker-24", "trioker-even", "trioker-odd"]),
        ("trisolve count hexagon --engine swe", ["sweep"]),
    ):
        code = f"trisolve completion fish | source; complete -C'{typed}'"
        env = environment(HOME=str(folder), **on_path)
        command = [fish, "--no-config", "-c", code]
        done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=True)
        assert [line.split("\t")[0] for line in done.stdout.splitlines()] == offered


# -- Ctrl-C while the command is loading --------------------------------------------------------------

EARLY = """
import os, sys
from trisolve.__main__ import main

class Finder:
    left = int(sys.argv.pop())
    def find_spec(self, name, path, target=None):
        Finder.left -= 1
        if Finder.left == 0:
            os.kill(os.getpid(), 2)

sys.meta_path.insert(0, Finder())
main()
"""
"""The command, interrupted when it imports its n-th module."""


def test_ctrl_c_while_loading_is_never_a_traceback() -> None:
    # The first few modules are those before any handler is there; then some all the way to the engine.
    endings = Counter()
    for n in [1, 2, 3, 4, *range(5, 400, 33)]:
        command = [sys.executable, "-c", EARLY, "solve", "hexagon", str(n)]
        done = subprocess.run(
            command, capture_output=True, text=True, env=environment(), preexec_fn=heed_ctrl_c, check=False
        )
        assert "Traceback" not in done.stderr, done.stderr
        endings[done.returncode] += 1
    assert set(endings) <= {130, -signal.SIGINT, 0}
    assert endings[130] > 8


def test_what_is_being_loaded_is_loaded_to_its_end(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text("import os, time\nos.kill(os.getpid(), 2)\ntime.sleep(0.1)\ndone = True\n")
    code = (
        "import sys, time\n"
        "from trisolve.terminal import INTERRUPTS\n"
        "INTERRUPTS.heed()\n"
        "try:\n"
        "    import slow\n"
        "    time.sleep(60)\n"
        "except KeyboardInterrupt: print('loaded', slow.done)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, preexec_fn=heed_ctrl_c, check=False
    )
    assert (done.stdout, done.stderr) == ("loaded True\n", "")


def test_what_an_interrupt_has_become_is_still_one() -> None:
    code = (
        "from trisolve import cli\n"
        "from trisolve.cli import looking\n"
        "def broken(*_):\n"
        "    try: raise KeyboardInterrupt\n"
        "    except KeyboardInterrupt as error: raise RuntimeError('loading failed') from error\n"
        "looking.table = broken\n"
        "cli.main(['tiles'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment(), check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
