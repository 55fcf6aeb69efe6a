"""The documentation against reality: all code in the README and on the pages is run, and its output compared.

``console`` blocks are commands with all that they print, ``sh`` blocks commands without; of these only ``trisolve`` is
run. ``python`` blocks are run, those of a page one after the other; with ``>>>`` their output is compared. ``yaml``
blocks are shape files, which the other blocks of the page may use by name. A comment before a block says when it is
left out, and why::

    <!-- slow: takes a minute -->
    <!-- not run: what it prints depends on the machine -->
"""

from __future__ import annotations

import importlib.util
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import click
import pytest
from conftest import ROOT, environment
from sybil import Document, Example
from sybil.parsers.markdown import CodeBlockParser, PythonCodeBlockParser

import trisolve as ts
from trisolve.cli import commands

DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md")), *sorted((ROOT / "notebooks").glob("*.md"))]
TEXTS = {page.relative_to(ROOT).as_posix(): page.read_text(encoding="utf-8") for page in PAGES}

NOT_OURS = {"text", "{code-cell} ipython3", "{toctree}", "{eval-rst}", "{literalinclude} shape-file.schema.json"}
"""Blocks of other kinds. Code cells are run by test_notebooks.py."""

LEFT_OUT = {
    "docs/command-line.md": ["slow"],
    "docs/counting.md": ["not run"],
    "docs/long-counts.md": ["not run", "not run"],
    "docs/objectives.md": ["not run", "not run"],
    "docs/positions.md": ["not run"],
    "docs/start.md": ["not run"],
    "docs/triominoes.md": ["slow"],
}
"""The blocks that aren't run with the quick tests, or not at all; the pages say why."""


def timeless(text: str) -> str:
    """Output without what differs from run to run."""
    text = re.sub(r"^compiled .*\n", "", text, flags=re.MULTILINE)
    return re.sub(r"[\d,]+ nodes?\b", "N nodes", re.sub(r"\d+\.\d\d s\b", "N s", text))


def status(shown: str) -> int:
    """The exit status that goes with an output."""
    return 2 if re.search(r"^\S+\.yaml:\d+:\d+: ", shown, re.MULTILINE) else int("no solution: " in shown)


def run(example: Example, line: str) -> tuple[str, int]:
    """Run a command of a block; what it prints, and its exit status."""
    program, *arguments = shlex.split(line, comments=True)
    assert program == "trisolve"
    command = [example.namespace["script"], *arguments]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", env=environment(), check=False)
    return done.stdout + done.stderr, done.returncode


def run_console(example: Example) -> None:
    """Run the commands of a block, and compare what they print."""
    for command in re.split(r"^\$ ", example.parsed, flags=re.MULTILINE)[1:]:
        line, _, shown = command.partition("\n")
        printed, code = run(example, line)
        assert timeless(printed) == timeless(shown)
        assert code == status(shown)


def run_shell(example: Example) -> None:
    """Run the commands of a block."""
    for line in example.parsed.splitlines():
        if line.startswith("trisolve "):
            printed, code = run(example, line)
            assert code == 0, printed


def load_yaml(example: Example) -> None:
    """Load a shape file, or a position."""
    path = f"{name(example.parsed)}.yaml"
    puzzle = ts.Position.load(path).puzzle if "\nplaced:" in example.parsed else ts.load(path)
    assert puzzle.name == name(example.parsed)
    assert len(puzzle.board) > 0


def name(shape: str) -> str:
    """The name in a shape file."""
    return re.findall(r"^name: (.*)", shape)[0]


PARSERS = [
    CodeBlockParser("console", run_console),
    CodeBlockParser("sh", run_shell),
    CodeBlockParser("yaml", load_yaml),
    PythonCodeBlockParser(),
]
EXAMPLES = [example for page in PAGES for example in Document.parse(str(page), *PARSERS).examples()]


def left_out(example: Example) -> tuple[str, str] | None:
    """``slow`` or ``not run``, with the reason, if a comment before the block says so."""
    found = re.search(r"<!-- (slow|not run): ([^>]+) -->\s*\Z", example.document.text[: example.start])
    return None if found is None else (found[1], found[2])


def parameter(example: Example) -> object:
    comment = left_out(example)
    marks = []
    if comment is not None:
        marks = [pytest.mark.slow if comment[0] == "slow" else pytest.mark.skip(reason=comment[1])]
    page = Path(example.path).relative_to(ROOT).as_posix()
    return pytest.param(example, id=f"{page}:{example.line}", marks=marks)


@pytest.mark.parametrize("example", [parameter(example) for example in EXAMPLES])
def test_code_does_what_the_page_says(
    example: Example, script: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shapes").symlink_to(ROOT / "shapes")
    (tmp_path / "docs").mkdir()
    for kept in DOCS.glob("complete*.json"):
        shutil.copy(kept, tmp_path / "docs")
    for other in EXAMPLES:
        if other.path == example.path and other.region.evaluator is load_yaml:
            (tmp_path / f"{name(other.parsed)}.yaml").write_text(other.parsed, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    example.namespace["script"] = script
    example.evaluate()


def test_what_is_left_out_is_listed_here() -> None:
    found: dict[str, list[str]] = {}
    for example in EXAMPLES:
        comment = left_out(example)
        if comment is not None:
            found.setdefault(Path(example.path).relative_to(ROOT).as_posix(), []).append(comment[0])
    assert found == LEFT_OUT
    comments = sum(len(re.findall(r"<!-- (?:slow|not run)", text)) for text in TEXTS.values())
    assert comments == sum(map(len, LEFT_OUT.values())), "a comment that isn't right before a block"


@pytest.mark.parametrize("page", TEXTS)
def test_no_code_escapes(page: str) -> None:
    """Every block says what it is, and no session hides as indented text."""
    opening = re.findall(r"^```(.*)\n", TEXTS[page], re.MULTILINE)[::2]
    assert set(opening) <= NOT_OURS | {"console", "python", "sh", "yaml"}
    assert not re.search(r"^    (\$|>>>) ", TEXTS[page], re.MULTILINE)


@pytest.mark.parametrize("page", TEXTS)
def test_links_lead_somewhere(page: str) -> None:
    for target in re.findall(r"\]\(([^)#:]+)[)#]|src=\"([^\":]+)\"", TEXTS[page]):
        assert (ROOT / page).parent.joinpath("".join(target)).exists(), target


# -- the pages that name things -----------------------------------------------------------------------


def every_command(group: click.Group = commands, path: str = "") -> list[str]:
    """The names of the commands, those of a group as ``print tiles``."""
    found: list[str] = []
    for name, command in group.commands.items():
        found += every_command(command, f"{name} ") if isinstance(command, click.Group) else [path + name]
    return found


def test_every_command_is_in_the_table() -> None:
    table = TEXTS["docs/command-line.md"].partition("| command | does |\n")[2].partition("\n\n")[0]
    assert sorted(re.findall(r"^\| `([a-z]+(?: [a-z]+)*)", table, re.MULTILINE)) == sorted(every_command())


def test_the_page_of_commands_is_what_the_program_says() -> None:
    assert TEXTS["docs/commands.md"] == script_of(DOCS / "commands.py").page(), "run python docs/commands.py"


def test_every_public_name_is_in_the_reference() -> None:
    library = TEXTS["docs/library.md"]
    for public in set(ts.__all__) - {"__version__"}:
        assert re.search(rf"auto(function|class|exception):: {public}$", library, re.MULTILINE), public


def test_every_module_has_its_paragraph() -> None:
    package = Path(ts.__file__).parent
    modules = {
        ".".join(path.relative_to(package.parent).with_suffix("").parts).removesuffix(".__init__")
        for path in package.rglob("*.py")
    }
    named = set(re.findall(r"automodule:: (\S+)", TEXTS["docs/inside.md"] + TEXTS["docs/library.md"]))
    assert modules - {"trisolve", "trisolve.__main__"} == named


def script_of(path: Path) -> ModuleType:
    """A script, imported."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_drawings_are_what_the_script_makes() -> None:
    drawings = script_of(DOCS / "drawings.py")
    made = {f"{what}.svg": str(draw()) for what, draw in drawings.DRAWINGS.items()}
    assert made == {path.name: path.read_text(encoding="utf-8") for path in (DOCS / "search").iterdir()}


@pytest.mark.slow
def test_nodes_are_what_the_page_says() -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / "nodes.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout in TEXTS["docs/how-the-search-works.md"]
