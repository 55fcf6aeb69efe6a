"""The command line, through the installed script: what it prints where, and the status it ends with.

Each test starts real processes. Those that interrupt a search first wait until it shows that it is at work.
"""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import resource
import select
import shutil
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import jsonschema
import pytest
from conftest import ROOT, Command, environment, heed_ctrl_c

import trisolve as ts
from trisolve.engines import ENGINES
from trisolve.shapefile import bundled

SUMMARY = re.compile(r"(.*), \d+\.\d\d s, [\d,]+ nodes?, engine \w+")

IMPOSSIBLE = """
name: impossible
tiles: {list: ["000", "111"]}
board: {parallelogram: [1, 1]}
"""

WIDE = """
name: wide
tiles: {set: complete-2, copies: 1200}
board: {parallelogram: [30, 20]}
"""
"""A puzzle whose solutions are many, and larger than what a pipe takes in one piece."""

LONG = "strip-12"
"""A bundled puzzle with more solutions than can be printed while a test looks on."""

ENDLESS = "macmahon-hexagon-same"
"""A bundled puzzle that takes long to count."""


def summary(stderr: str) -> str:
    """The last line of standard error without what it took."""
    match = SUMMARY.fullmatch(stderr.splitlines()[-1])
    assert match, stderr
    return match[1]


@contextmanager
def running(script: str, *arguments: str, cwd: Path, **more: object) -> Iterator[subprocess.Popen[bytes]]:
    """The command at work, ended when the block is left. Its output goes to pipes unless ``more`` says otherwise."""
    settings = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | more
    process = subprocess.Popen(
        [script, *arguments],
        env=environment(TERM="xterm-256color"),
        cwd=cwd,
        preexec_fn=heed_ctrl_c,
        **settings,  # type: ignore[call-overload]
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()


@contextmanager
def terminal() -> Iterator[tuple[int, Callable[[str], str]]]:
    """A pseudo-terminal: the end for the process, and a function that reads until a pattern shows or nothing comes."""
    ours, theirs = pty.openpty()
    seen = ""

    def read(pattern: str) -> str:
        nonlocal seen
        while not re.search(pattern, seen) and select.select([ours], [], [], 120)[0]:
            try:
                seen += os.read(ours, 65536).decode()
            except OSError:  # every process has closed its end
                break
        return seen

    try:
        yield theirs, read
    finally:
        os.close(ours)
        os.close(theirs)


# -- solving ------------------------------------------------------------------------------------------


def test_a_solution_is_a_picture_on_stdout_and_a_line_on_stderr(trisolve: Command) -> None:
    done = trisolve("solve", "hexagon")
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 17
    assert "\x1b" not in done.stdout
    assert len(re.findall(r"[0-3W]", done.stdout)) == 3 * 24
    assert summary(done.stderr) == "1 solution"
    assert trisolve("solve", "hexagon", "--quiet").stderr == ""


@pytest.mark.parametrize("engine", [name for name in ENGINES if name != "frontier"])
def test_all_solutions_are_numbered_and_apart(trisolve: Command, engine: str) -> None:
    done = trisolve("solve", "rhombus", "--all", "--engine", engine)
    assert done.returncode == 0
    pictures = done.stdout.removesuffix("\n").split("\n\n")
    assert [p.split("\n")[0] for p in pictures] == [f"solution {i}" for i in range(1, 217)]
    assert len({p.split("\n", 1)[1] for p in pictures}) == 216
    assert summary(done.stderr) == "216 solutions in all"


def test_an_engine_that_cannot_take_the_puzzle_says_so(trisolve: Command) -> None:
    done = trisolve("solve", "rhombus", "--engine", "frontier")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("engine frontier can't take this puzzle: ")
    assert done.stderr.count("\n") == 1


def test_limit(trisolve: Command) -> None:
    done = trisolve("solve", "rhombus", "--limit", 3)
    assert done.stdout.count("solution ") == 3
    assert done.returncode == 0
    assert summary(done.stderr) == "3 solutions"


def test_a_limit_above_the_number_of_solutions_gives_them_all(trisolve: Command) -> None:
    done = trisolve("solve", "rhombus", "--limit", 1000, "--json")
    result = json.loads(done.stdout)
    assert (len(result["solutions"]), result["status"], result["complete"]) == (216, "complete", True)
    assert done.returncode == 0


def test_no_solution(trisolve: Command, tmp_path: Path) -> None:
    (tmp_path / "impossible.yaml").write_text(IMPOSSIBLE)
    done = trisolve("solve", "impossible.yaml")
    assert (done.returncode, done.stdout) == (1, "")
    assert summary(done.stderr).startswith("no solution: no filling exists (exhausted ")
    done = trisolve("solve", "impossible.yaml", "--json")
    result = json.loads(done.stdout)
    assert (done.returncode, result["status"], result["complete"]) == (1, "infeasible", True)
    assert result["solutions"] == []


def test_too_few_tiles(trisolve: Command) -> None:
    done = trisolve("solve", "board-73", "--tiles", "trioker-24")
    assert done.returncode == 1
    assert summary(done.stderr) == "no solution: too few tiles: 24 for 73 cells"


def test_seed(trisolve: Command) -> None:
    def solution(seed: int) -> str:
        return trisolve("solve", "small-hexagon", "--seed", seed, "--quiet").stdout

    assert solution(-5) == solution(-5)
    assert len({solution(seed) for seed in range(5)}) > 1


def test_json_of_a_solution(trisolve: Command) -> None:
    done = trisolve("solve", "hexagon", "--json", "--engine", "dlx")
    result = json.loads(done.stdout)
    assert list(result) == ["puzzle", "solutions", "engine", "status", "complete", "seconds", "nodes"]
    assert (result["puzzle"], result["engine"], result["status"]) == ("hexagon", "dlx", "solved")
    (solution,) = result["solutions"]
    assert ts.verify(ts.load("hexagon"), solution["cells"])


def test_json_is_a_line_for_each_solution(trisolve: Command) -> None:
    done = trisolve("solve", "rhombus", "--all", "--json")
    lines = done.stdout.splitlines()
    assert len(lines) == 218
    assert {json.loads(line.removesuffix(","))["cells"]["r1c1"] for line in lines[1:-1]} >= {"000", "123"}


# -- counting -----------------------------------------------------------------------------------------


def test_count_is_a_number(trisolve: Command) -> None:
    done = trisolve("count", "rhombus")
    assert (done.returncode, done.stdout) == (0, "216\n")
    assert summary(done.stderr) == "216 solutions"


def test_count_of_zero_is_an_answer(trisolve: Command, tmp_path: Path) -> None:
    (tmp_path / "impossible.yaml").write_text(IMPOSSIBLE)
    done = trisolve("count", "impossible.yaml")
    assert (done.returncode, done.stdout) == (0, "0\n")
    assert summary(done.stderr) == "0 solutions"


def test_json_of_a_count(trisolve: Command) -> None:
    result = json.loads(trisolve("count", "rhombus", "--json").stdout)
    assert list(result) == ["puzzle", "count", "engine", "status", "complete", "seconds", "nodes"]
    assert (result["count"], result["status"], result["complete"]) == (216, "complete", True)


def test_a_time_limit_stops_a_count(trisolve: Command) -> None:
    done = trisolve("count", ENDLESS, "--time-limit", "0.2")
    assert done.returncode == 3
    assert re.fullmatch(r"at least \d+ \(not complete\)\n", done.stdout)
    assert re.fullmatch(r"stopped by a limit: at least [\d,]+ solutions?, not complete", summary(done.stderr))
    done = trisolve("count", ENDLESS, "--time-limit", "0.2", "--json")
    result = json.loads(done.stdout)
    assert (done.returncode, result["status"], result["complete"]) == (3, "limit", False)


def test_a_time_limit_stops_a_search(trisolve: Command) -> None:
    done = trisolve("solve", LONG, "--all", "--time-limit", "0.5", "--json")
    result = json.loads(done.stdout)
    assert (done.returncode, result["status"], result["complete"]) == (3, "limit", False)
    assert result["solutions"]


# -- other commands -----------------------------------------------------------------------------------


def test_show(trisolve: Command) -> None:
    done = trisolve("show", "small-hexagon")
    assert done.returncode == 0
    assert re.findall(r"r\dc\d", done.stdout) == ["r1c2", "r1c1", "r1c3", "r2c1", "r2c3", "r2c2"]
    assert "r1c1" not in trisolve("show", "small-hexagon", "--no-names").stdout


def test_check(trisolve: Command) -> None:
    done = trisolve("check", "hexagon")
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "hexagon: Regular hexagon of side 2",
        "board   24 cells, 4 rows x 7 columns, 19 points",
        "tiles   trioker: 25 tiles of 25 kinds, values 0 1 2 3",
        "        1 left over",
        "match   corners",
        "border  any values",
        "clues   0",
        "group   24: 6 rotations, 6 reflections (with 1 and 2 exchanged), 0 and 3 interchangeable",
        "filling possible: no reason found why there should be none",
    ]
    facts = json.loads(trisolve("check", "board-73", "--tiles", "trioker-24", "--json").stdout)
    assert (facts["cells"], facts["tiles"], facts["left_over"], facts["border"]) == (73, 24, -49, None)


def test_shapes_in_a_pipe(trisolve: Command) -> None:
    done = trisolve("shapes")
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert [row[0] for row in rows] == list(bundled())
    assert ["hexagon", "24", "trioker", "Regular hexagon of side 2"] in rows


def test_shapes_on_a_terminal_are_a_table(script: str, tmp_path: Path) -> None:
    with terminal() as (end, read), running(script, "shapes", cwd=tmp_path, stdout=end) as process:
        process.wait()
        lines = read(r"two-points.*\n").splitlines()
    assert "\t" not in "".join(lines)
    assert len({line.index("24  trioker ") for line in lines if "24  trioker " in line}) == 1


def test_tiles(trisolve: Command) -> None:
    assert "trioker\t25\tcorners\t" in trisolve("tiles").stdout
    assert trisolve("tiles", "complete-2").stdout.split() == ["000", "001", "011", "111"]


def test_schema_accepts_what_the_loader_accepts(trisolve: Command) -> None:
    schema = json.loads(trisolve("schema").stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate({"name": "a", "board": {"triangle": 2}}, schema)


def test_version(trisolve: Command) -> None:
    assert trisolve("--version").stdout == f"trisolve {ts.__version__}\n"


def test_help_names_the_engines(trisolve: Command) -> None:
    assert f"[{'|'.join(ENGINES)}]" in trisolve("solve", "--help").stdout


def test_python_dash_m(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "trisolve", "count", "rhombus"]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, check=True).stdout == b"216\n"


# -- verifying ----------------------------------------------------------------------------------------


def test_what_solve_writes_is_verified(trisolve: Command, tmp_path: Path) -> None:
    result = trisolve("solve", "rhombus", "--all", "--json").stdout
    (tmp_path / "all.json").write_text(result)
    (tmp_path / "one.json").write_text(json.dumps(json.loads(result)["solutions"][7]))
    done = trisolve("verify", "rhombus", "all.json")
    assert (done.returncode, done.stdout) == (0, "correct: 216 solutions of rhombus\n")
    assert trisolve("verify", "rhombus", "one.json").stdout == "correct: 1 solution of rhombus\n"
    assert trisolve("verify", "rhombus", "-", "--quiet", stdin=result).stdout == ""
    done = trisolve("verify", "rhombus", "all.json", "--tiles", "complete-2")
    assert done.returncode == 1
    assert "is used more often than the supply has it (0)" in done.stdout


def test_a_wrong_solution(trisolve: Command) -> None:
    right = {"cells": {"r1c1": "001", "r1c2": "011"}}
    wrong = {"cells": {"r1c1": "001", "r9c9": "\x1b[31m"}}
    done = trisolve("verify", "rhombus", "-", stdin=json.dumps({"solutions": [right, wrong]}))
    assert (done.returncode, done.stderr) == (1, "")
    assert all(line.startswith("solution 2: ") for line in done.stdout.splitlines())
    assert "r1c2 is not filled" in done.stdout
    assert "\x1b" not in done.stdout


def test_a_malformed_solution(trisolve: Command, tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text('{"cells": {"r1c1": "000",\n "r1c2": 11}}')
    done = trisolve("verify", "rhombus", "s.json")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == 's.json:2:2: "r1c2" must be a placed tile in quotes, like "012"\n'


# -- files --------------------------------------------------------------------------------------------


def test_pictures_in_files(trisolve: Command, tmp_path: Path) -> None:
    for name, start in (("s.svg", b"<svg"), ("s.png", b"\x89PNG"), ("s.txt", b" ")):
        done = trisolve("solve", "small-hexagon", "-o", name)
        assert (done.returncode, done.stdout) == (0, "")
        assert done.stderr.startswith(f"written to {name}\n")
        assert (tmp_path / name).read_bytes().startswith(start)
    assert trisolve("show", "small-hexagon", "-o", "board.svg").returncode == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == ["board.svg", "s.png", "s.svg", "s.txt"]


def test_results_in_files(trisolve: Command, tmp_path: Path) -> None:
    for command, key in (("solve", "solutions"), ("count", "count")):
        done = trisolve(command, "rhombus", "-o", f"{command}.json")
        assert (done.returncode, done.stdout) == (0, "")
        assert key in json.loads((tmp_path / f"{command}.json").read_text())


def test_a_picture_in_a_file_and_json_on_stdout(trisolve: Command, tmp_path: Path) -> None:
    done = trisolve("solve", "rhombus", "--json", "-o", "s.svg")
    assert json.loads(done.stdout)["status"] == "solved"
    assert (tmp_path / "s.svg").exists()


def test_no_picture_of_no_solution(trisolve: Command, tmp_path: Path) -> None:
    done = trisolve("solve", "board-73", "--tiles", "trioker-24", "-o", "s.svg")
    assert done.returncode == 1
    assert "written" not in done.stderr
    assert list(tmp_path.iterdir()) == []


# -- bad input ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("", "trisolve: Missing command. (`trisolve --help` tells more)"),
        ("print", "trisolve print: Missing command. (`trisolve print --help` tells more)"),
        ("frobnicate", "trisolve: No such command 'frobnicate'"),
        ("solve", "trisolve solve: Missing argument 'PUZZLE'"),
        ("solve hexagon --frobnicate", "trisolve solve: No such option"),
        ("solve hexagon extra", "trisolve solve: Got unexpected extra argument"),
        ("solve hexagon --limit 0", "trisolve solve: Invalid value for '--limit'"),
        ("solve hexagon --limit -1", "trisolve solve: Invalid value for '--limit'"),
        ("solve hexagon --all --limit 2", "trisolve solve: --all and --limit exclude each other"),
        ("solve hexagon --time-limit 0", "trisolve solve: Invalid value for '--time-limit'"),
        ("solve hexagon --time-limit nan", "trisolve solve: Invalid value for '--time-limit'"),
        ("count hexagon --time-limit inf", "trisolve count: Invalid value for '--time-limit'"),
        ("count hexagon --time-limit soon", "trisolve count: Invalid value for '--time-limit'"),
        ("count hexagon --workers 0", "trisolve count: Invalid value for '--workers'"),
        ("count hexagon --seed x", "trisolve count: Invalid value for '--seed'"),
        ("count hexagon --engine best", "trisolve count: Invalid value for '--engine': no engine 'best': expected one"),
        ("count hexagon --tiles best", "trisolve count: Invalid value for '--tiles': no tile set 'best': expected one"),
        ("tiles best", "trisolve tiles: Invalid value for '[SET]': no tile set 'best': expected one"),
        ("solve hexagon -o s.gif", "trisolve solve: Invalid value for '-o' / '--output': s.gif: the ending .gif"),
        ("solve hexagon -o none/s.svg", "trisolve solve: Invalid value for '-o' / '--output': none/s.svg: there is no"),
        ("solve hexagon -o none/s.json", "trisolve solve: Invalid value for '-o' / '--output': none/s.json: there is"),
        ("count hexagon -o s.svg", "trisolve count: Invalid value for '-o' / '--output': s.svg: expected a file name"),
        ("show hexagon -o s.json", "trisolve show: Invalid value for '-o' / '--output': s.json: the ending .json"),
        ("solve hexagn", "hexagn: no such file or bundled shape (did you mean hexagon"),
        ("solve .", ".: a folder"),
        ("solve bad.yaml", "bad.yaml:2:8: "),
        ("solve far.yaml", "far.yaml:4:12: "),
        ("verify hexagon none.json", "trisolve: none.json: No such file or directory"),
        ("verify hexagon .", "trisolve: .: Is a directory"),
    ],
)
def test_bad_input_is_one_line(trisolve: Command, tmp_path: Path, arguments: str, message: str) -> None:
    (tmp_path / "bad.yaml").write_text("name: bad\ntiles: trioka\nboard: {triangle: 2}\n")
    (tmp_path / "far.yaml").write_text("name: far\nboard: {triangle: 2}\nclues:\n- {corner: r7c7.top, value: 0}\n")
    done = trisolve(*arguments.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(message)
    assert done.stderr.count("\n") == 1


def test_hostile_arguments_stay_on_one_line(trisolve: Command) -> None:
    for arguments in (
        ["solve", "a\nb\x1b[31m"],
        ["solve", "hexagon", "-o", "a\nb\x1b.gif"],
        ["verify", "hexagon", "\n"],
    ):
        done = trisolve(*arguments)
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1
        assert "\x1b" not in done.stderr
    done = trisolve("show", "hexagon", "-o", "a\nb\x1b.svg")
    assert (done.returncode, done.stderr) == (0, "written to a b .svg\n")


def test_a_full_disk_is_told_of_the_file(script: str, tmp_path: Path) -> None:
    def small() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

    for arguments in (["show", "hexagon", "-o", "x.svg"], ["solve", "rhombus", "--all", "-o", "x.html"]):
        done = subprocess.run(
            [script, *arguments], cwd=tmp_path, capture_output=True, text=True, preexec_fn=small, check=False
        )
        assert (done.returncode, done.stderr) == (2, f"trisolve: {arguments[-1]}: File too large\n")
        assert not list(tmp_path.iterdir())


# -- streams ------------------------------------------------------------------------------------------


def test_ascii_where_the_encoding_has_no_more(trisolve: Command) -> None:
    assert "╱" in trisolve("solve", "rhombus", PYTHONIOENCODING="utf-8").stdout
    for encoding in ("ascii", "latin-1", "cp437"):
        done = trisolve("solve", "rhombus", PYTHONIOENCODING=encoding)
        assert done.returncode == 0
        assert done.stdout.isascii()
        assert "/" in done.stdout


def test_text_that_the_encoding_lacks_is_spelt(trisolve: Command, tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text("name: s\ntitle: Zürich\nboard: {triangle: 1}\n", encoding="utf-8")
    assert trisolve("check", "s.yaml", PYTHONIOENCODING="ascii").stdout.startswith("s: Z\\xfcrich\n")


def test_each_solution_is_printed_when_it_is_found(script: str, tmp_path: Path) -> None:
    with running(script, "solve", LONG, "--all", cwd=tmp_path) as process:
        assert process.stdout.readline() == b"solution 1\n"
        assert process.poll() is None


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_reader_that_goes_away(script: str, tmp_path: Path, form: list[str]) -> None:
    with running(script, "solve", LONG, "--all", *form, cwd=tmp_path) as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.wait() == 141
        assert process.stderr.read() == b""


def test_no_reader_at_all(script: str, tmp_path: Path) -> None:
    for arguments in (["count", "rhombus"], ["shapes"], ["--help"], ["check", "rhombus"]):
        reading, writing = os.pipe()
        os.close(reading)
        with running(script, *arguments, cwd=tmp_path, stdout=writing) as process:
            os.close(writing)
            assert process.wait() == 141
            assert process.stderr.read() == b""


def test_closed_standard_streams(script: str, tmp_path: Path) -> None:
    command = f"exec '{script}' solve rhombus >&- 2>&- <&-"
    assert subprocess.run(["sh", "-c", command], cwd=tmp_path, env=environment(), check=False).returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk(script: str, tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full, running(script, "count", "rhombus", cwd=tmp_path, stdout=full) as process:
        assert process.wait() == 2
        assert process.stderr.read().splitlines()[-1] == b"trisolve: No space left on device"


def test_colour_on_a_terminal_only_and_not_against_wishes(script: str, tmp_path: Path) -> None:
    def on_a_terminal(**env: str) -> str:
        with terminal() as (end, read):
            subprocess.run([script, "solve", "rhombus"], stdout=end, env=environment(**env), cwd=tmp_path, check=True)
            return read(r"(.*\n){5}")

    assert "\x1b[" in on_a_terminal(TERM="xterm")
    assert "\x1b" not in on_a_terminal(TERM="xterm", NO_COLOR="1")
    assert "\x1b" not in on_a_terminal(TERM="dumb")


# -- interruption -------------------------------------------------------------------------------------


def test_progress_and_ctrl_c_on_a_terminal(script: str, tmp_path: Path) -> None:
    with terminal() as (end, read), running(script, "count", ENDLESS, cwd=tmp_path, stderr=end) as process:
        assert "nodes" in read("found.*nodes")
        process.send_signal(signal.SIGINT)
        stdout, _ = process.communicate()
        assert process.returncode == 130
        assert re.fullmatch(rb"at least \d+ \(not complete\)\n", stdout)
        assert re.search(r"interrupted: at least [\d,]+ solutions?, not complete", read("interrupted: .*\n"))


def test_quiet_shows_no_progress(script: str, tmp_path: Path) -> None:
    with terminal() as (end, read):
        with running(script, "count", ENDLESS, "--quiet", "--time-limit", "2", cwd=tmp_path, stderr=end) as process:
            assert process.wait() == 3
        os.write(end, b"END")
        assert read("END") == "END"


PIPE_SIZE = 4096


def wait_for_output(process: subprocess.Popen[bytes], number: int) -> None:
    """Wait until so many bytes are in the pipe from the process."""
    waiting = 0
    while waiting < number:
        assert process.poll() is None
        time.sleep(0.05)
        answer = fcntl.ioctl(process.stdout, termios.FIONREAD, b"\0" * 4)
        waiting = int.from_bytes(answer, sys.byteorder)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("stuck", [False, True], ids=["", "while-the-pipe-is-full"])
def test_what_was_found_stays(script: str, tmp_path: Path, number: signal.Signals, stuck: bool) -> None:
    (tmp_path / "wide.yaml").write_text(WIDE)
    command, size = ("solve", "wide.yaml", "--all", "--json"), PIPE_SIZE if stuck else -1
    with running(script, *command, cwd=tmp_path, pipesize=size) as process:
        # A full pipe has the command waiting in the middle of a solution.
        wait_for_output(process, PIPE_SIZE if stuck else 1)
        process.send_signal(number)
        stdout, stderr = process.communicate()
        assert process.returncode == 130
        result = json.loads(stdout)
        assert (result["status"], result["complete"]) == ("interrupted", False)
        found = re.match(r"interrupted: at least (\d+) solutions?, not complete", summary(stderr.decode()))
        assert int(found[1]) == len(result["solutions"])


@pytest.mark.parametrize("engine", [name for name in ENGINES if name != "reference"])
def test_every_engine_heeds_ctrl_c(script: str, tmp_path: Path, engine: str) -> None:
    arguments = ["count", ENDLESS, "--engine", engine]
    with terminal() as (end, read), running(script, *arguments, cwd=tmp_path, stderr=end) as process:
        read("found.*nodes")
        process.send_signal(signal.SIGINT)
        process.communicate()
        assert process.returncode == 130


# -- what is loaded -----------------------------------------------------------------------------------


def loaded_after(code: str) -> set[str]:
    """The packages that are loaded when a new Python has run the code."""
    code += "\nimport sys; print('\\n'.join(sys.modules), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment(), check=True)
    return {name.split(".")[0] for name in done.stderr.split()}


def test_the_command_line_starts_light() -> None:
    assert not loaded_after("import trisolve.cli") & {"numpy", "numba", "ortools", "rich", "pydantic", "yaml"}


def test_a_quick_search_loads_neither_numba_nor_ortools() -> None:
    code = (
        "import trisolve.cli\ntry: trisolve.cli.main(['solve', 'hexagon'])\nexcept SystemExit as e: assert not e.code"
    )
    assert not loaded_after(code) & {"numba", "ortools", "pandas", "rich"}


def test_read_only_install_and_no_home(tmp_path: Path) -> None:
    site = tmp_path / "site"
    shutil.copytree(Path(ts.__file__).parent, site / "trisolve", ignore=shutil.ignore_patterns("__pycache__"))
    # A file where a folder has to be made can't be overcome, not even by root.
    for folder in [site / "trisolve", *(p for p in (site / "trisolve").rglob("*") if p.is_dir())]:
        (folder / "__pycache__").write_text("")
    nowhere = str(site / "trisolve" / "__pycache__" / "nowhere")
    done = subprocess.run(
        [sys.executable, "-m", "trisolve", "count", str(ROOT / "shapes" / "hexagon.yaml"), "--engine", "sweep"],
        cwd=site,
        env=environment(HOME=nowhere, NUMBA_CACHE_DIR=nowhere, XDG_CACHE_HOME=nowhere, PYTHONPATH=str(site)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "1680\n")
    *warnings, compiled, last = done.stderr.splitlines()
    assert len(warnings) <= 1
    assert compiled.startswith("compiled the search kernel")
    assert SUMMARY.fullmatch(last)
