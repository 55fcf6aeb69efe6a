"""The documentation against reality: commands are run and compared with the output shown, examples are loaded."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT, environment

import trisolve as ts

README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(text: str, language: str) -> list[str]:
    """The code blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


EXAMPLES = [block for path in DOCUMENTS for block in blocks(path.read_text(encoding="utf-8"), "yaml")]
# Pages whose commands are run: their output is the same everywhere.
PAGES_RUN = ("impossible", "positions", "trioker")
PAGES = [README, *((ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8") for page in PAGES_RUN)]
SESSIONS = [
    (page, *command.partition("\n")[::2])
    for page in PAGES
    for block in blocks(page, "console")
    for command in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
]


def timeless(text: str) -> str:
    """Output without what differs from run to run."""
    text = re.sub(r"^compiled .*\n", "", text, flags=re.MULTILINE)
    return re.sub(r"\d+\.\d\d s, [\d,]+ node", "N s, N node", text)


def name(example: str) -> str:
    """The name in a shape file."""
    return re.findall(r"^name: (.*)", example)[0]


@pytest.mark.parametrize(("page", "command", "shown"), SESSIONS, ids=[command for _, command, _ in SESSIONS])
def test_pages_show_what_happens(script: str, tmp_path: Path, page: str, command: str, shown: str) -> None:
    (tmp_path / "shapes").symlink_to(ROOT / "shapes")
    for example in blocks(page, "yaml"):
        (tmp_path / f"{name(example)}.yaml").write_text(example, encoding="utf-8")
    program, *arguments = shlex.split(command)
    assert program == "trisolve"
    done = subprocess.run(
        [script, *arguments], capture_output=True, encoding="utf-8", env=environment(), cwd=tmp_path, check=False
    )
    assert done.returncode == ("no solution: " in shown)
    assert timeless(done.stdout + done.stderr) == timeless(shown)


@pytest.mark.parametrize("example", EXAMPLES, ids=name)
def test_example_files_are_right(tmp_path: Path, example: str) -> None:
    path = tmp_path / "example.yaml"
    path.write_text(example, encoding="utf-8")
    puzzle = ts.Position.load(path).puzzle if "\nplaced:" in example else ts.load(str(path))
    assert puzzle.name == name(example)
    assert len(puzzle.board) > 0


def test_python_in_the_readme_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = blocks(README, "python")
    exec(compile(code, "README.md", "exec"), {})
    assert "2184" in capsys.readouterr().out


def test_links_lead_somewhere() -> None:
    for path in DOCUMENTS:
        for target in re.findall(r"\]\(([^)#:]+)", path.read_text(encoding="utf-8")):
            assert (path.parent / target).exists(), f"{path.name}: {target}"
