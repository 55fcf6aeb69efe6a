"""The package as a whole: who imports whom, what importing it costs, and what is in what people install."""

from __future__ import annotations

import ast
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ROOT

import trisolve

PACKAGE = Path(trisolve.__file__).parent

FLOW = (
    "words",
    "lattice",
    "tiles",
    "files",
    "display",
    "board",
    "shapefile",
    "puzzle",
    "symmetry",
    "solution",
    "objective",
    "jsonfile",
    "checkpoint",
    "encoding",
    "engines",
    "position",
    "picture",
    "terminal",
    "cli",
)
"""The modules in the order in which data flows. Imports go from later to earlier ones only."""

EXCEPTIONS = {("display", "picture")}
"""``board.svg()`` has to call forward; display.py is the one place that does."""

HEAVY = {
    "numpy",
    "numba",
    "ortools",
    "pandas",
    "yaml",
    "pydantic",
    "rich",
    "click",
    "resvg_py",
    "reportlab",
    "svglib",
    "lxml",
}


def imported(source: Path) -> Iterator[str]:
    """The names under ``trisolve.`` that a file imports, wherever in the file."""
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{source}: a relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from (name.removeprefix("trisolve.") for name in names if name.startswith("trisolve."))


def test_imports_follow_the_flow() -> None:
    forward = set()
    for module in FLOW:
        path = PACKAGE / f"{module}.py"
        for source in [path] if path.exists() else (PACKAGE / module).rglob("*.py"):
            used = {name.split(".")[0] for name in imported(source)} & set(FLOW)
            forward |= {(module, name) for name in used if FLOW.index(name) > FLOW.index(module)}
    assert forward == EXCEPTIONS


def test_every_module_has_its_place_in_the_flow() -> None:
    modules = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert modules - {"__init__", "__main__"} == set(FLOW)


@pytest.mark.parametrize(
    "code", ["import trisolve", "import trisolve as ts; ts.Board.triangle(3); ts.Puzzle; ts.Solution"]
)
def test_importing_is_light(code: str) -> None:
    code += "\nimport sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {name.split(".")[0] for name in done.stdout.split()} & HEAVY


def test_every_public_name_is_there() -> None:
    for name in trisolve.__all__:
        assert getattr(trisolve, name) is not None
    assert set(trisolve.__all__) <= set(dir(trisolve))
    with pytest.raises(AttributeError):
        trisolve.nonsense  # noqa: B018


@pytest.mark.slow
def test_what_is_in_the_sdist_and_in_the_wheel(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(tmp_path), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    shapes = {path.relative_to(ROOT / "shapes").as_posix() for path in (ROOT / "shapes").rglob("*.yaml")}
    assert "hexagon.yaml" in shapes

    (sdist,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        files = {name.partition("/")[2] for name in archive.getnames()}
    assert {f"shapes/{name}" for name in shapes} <= files
    assert {"README.md", "LICENSE", "pyproject.toml", "tests/conftest.py", "trisolve/py.typed"} <= files

    # The wheel is built from the sdist, so this also says that the sdist is enough.
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert {name for name in names if name.endswith(".yaml")} == {f"trisolve/shapes/{name}" for name in shapes}
    sources = {path.relative_to(ROOT).as_posix() for path in (ROOT / "trisolve").rglob("*.py")}
    assert {name for name in names if name.endswith(".py")} == sources
    assert {"trisolve/py.typed", *(f"trisolve/picture/play.{kind}" for kind in ("css", "html", "js"))} <= names
    assert {f"trisolve/picture/fonts/{name}" for name in ("DejaVuSans-subset.ttf", "LICENSE.txt")} <= names
    assert {name.split("/")[0] for name in names} == {"trisolve", f"trisolve-{trisolve.__version__}.dist-info"}
