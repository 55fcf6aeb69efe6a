"""The notebooks are executed from beginning to end, and show what they should."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from conftest import ROOT

jupytext = pytest.importorskip("jupytext", reason="notebooks need the extra notebook")
nbclient = pytest.importorskip("nbclient", reason="notebooks need the extra notebook")
pytest.importorskip("ipykernel", reason="notebooks need the extra notebook")
pytest.importorskip("reportlab", reason="a notebook prints sheets, with the extra print")

PICTURES = {"first-steps": 4, "counting-and-symmetry": 1, "a-figure-of-your-own": 3}
"""Boards, puzzles and solutions that a notebook shows."""

TABLES = {"first-steps": 4, "counting-and-symmetry": 3, "a-figure-of-your-own": 2}
"""Galleries and counts that it shows."""

SAID = {
    "first-steps": ["1680", "Verdict(problems=())", "None", "the tiles have 9 corners with a 0"],
    "counting-and-symmetry": ["2184", "206,472", "sum 3216", "sum 1680"],
    "a-figure-of-your-own": ["17796", "(48, 2)", "solutions left: 1\n", "True", "cat.pdf", "tiles.pdf"],
}
"""What it must come to."""


def test_every_notebook_is_tested() -> None:
    assert {path.stem for path in (ROOT / "notebooks").glob("*.md")} == {"README", *SAID}


@pytest.mark.parametrize("name", SAID)
def test_notebooks_run(name: str, tmp_path: Path) -> None:
    notebook = jupytext.read(ROOT / "notebooks" / f"{name}.md")
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    shown = Counter(kind for output in outputs for kind in output.get("data", ()))
    assert (shown["image/svg+xml"], shown["text/html"]) == (PICTURES[name], TABLES[name])
    said = "".join(output.get("text", "") + output.get("data", {}).get("text/plain", "") for output in outputs)
    assert [text for text in SAID[name] if text not in said] == []
    assert [output for output in outputs if output.get("name") == "stderr"] == [], json.dumps(outputs)[:2000]
