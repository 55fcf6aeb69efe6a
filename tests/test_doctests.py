"""The examples in docstrings are run."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import trisolve

MODULES = [m.name for m in pkgutil.walk_packages(trisolve.__path__, "trisolve.") if not m.name.endswith("__main__")]


@pytest.mark.parametrize("name", ["trisolve", *MODULES])
def test_docstrings(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert result.failed == 0


def test_there_are_some() -> None:
    finder = doctest.DocTestFinder()
    examples = [t for name in MODULES for t in finder.find(importlib.import_module(name)) if t.examples]
    assert len(examples) >= 3
