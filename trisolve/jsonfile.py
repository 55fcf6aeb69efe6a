"""Results as JSON: written while they are found, read back with suspicion.

A result is one object, but a search may find millions of solutions, so :class:`ResultWriter` writes it
piece by piece, a solution on a line, and never holds more than one. What comes back to be verified may be
anything: :func:`read_solutions` takes a result or a single solution, refuses whatever is not exactly that,
and says in one line where in the file it went wrong.

Python's own parser does the parsing. It tells no positions except for bad syntax, so when an entry is
refused for another reason, :func:`_places` walks over the text once more to find out where the entry is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path as FilePath
from typing import Any, BinaryIO, NoReturn, TextIO

from trisolve.files import standard_input

MAX_BYTES = 64 * 1024 * 1024
"""The largest file of solutions that is read."""

_DEEP = 20
"""Where brackets are nested too deep for the parser, the message points at the first one this deep."""

Path = tuple[str | int, ...]


class SolutionFileError(ValueError):
    """A file of solutions that can't be read; the message is one line, ``FILE:LINE:COLUMN: what is wrong``."""


class ResultWriter:
    """Writes one result to a text stream, piece by piece."""

    def __init__(self, stream: TextIO, puzzle: str) -> None:
        self._stream = stream
        self._puzzle = json.dumps(puzzle)
        self._lead = f'{{"puzzle": {self._puzzle}, "solutions": [\n'

    def solution(self, cells: Mapping[str, str]) -> None:
        """Add a solution, cell name to placed tile."""
        text = json.dumps({"cells": dict(cells)})
        self._stream.write(self._lead + text)
        self._lead = ",\n"
        self._stream.flush()

    def finish(self, facts: Mapping[str, object], *, count: int | None = None) -> None:
        """Close the object with these facts; ``count`` stands in place of the solutions when given."""
        if count is not None:
            lead = f'{{"puzzle": {self._puzzle}, "count": {count}, '
        elif self._lead == ",\n":
            lead = "\n], "
        else:
            lead = f'{{"puzzle": {self._puzzle}, "solutions": [], '
        self._stream.write(f"{lead}{json.dumps(dict(facts))[1:]}\n")
        self._stream.flush()


def read_solutions(stream: BinaryIO, name: str) -> list[dict[str, str]]:
    """The solutions in a JSON file: one object with ``cells``, or a result with ``solutions``.

    ``name`` is the file's name in messages. Raises SolutionFileError.
    """
    source = _Source(stream, name)
    document = source.parse()
    if not isinstance(document, dict):
        source.refuse((), "expected a JSON object, a solution or a result with solutions")
    if "cells" in document:
        return [source.cells(document, ())]
    if "solutions" not in document:
        source.refuse((), 'expected the key "cells" (one solution) or "solutions" (a result)')
    solutions = document["solutions"]
    if not isinstance(solutions, list):
        source.refuse(("solutions",), '"solutions" must be a list')
    if not solutions:
        source.refuse(("solutions",), "the list of solutions is empty, so there is nothing to check")
    return [source.cells(entry, ("solutions", i)) for i, entry in enumerate(solutions)]


class _Repeated(ValueError):
    """A key that occurs twice in one object."""


class _Constant(ValueError):
    """NaN or an infinity, which Python reads though JSON has no such thing."""


class _Source:
    """The text of a file, and the means to say where in it something is wrong."""

    def __init__(self, stream: BinaryIO, name: str) -> None:
        self.name = name
        data = stream.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise SolutionFileError(f"{name}:1:1: the file is too large: expected at most {MAX_BYTES >> 20} MiB")
        try:
            self.text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            self.text = data[: error.start].decode("utf-8-sig")
            self.refuse_at(len(self.text), f"byte 0x{data[error.start]:02x} is not UTF-8 text")

    def refuse_at(self, offset: int, message: str) -> NoReturn:
        """Raise the error for this place in the text."""
        line = self.text.count("\n", 0, offset) + 1
        column = offset - self.text.rfind("\n", 0, offset)
        raise SolutionFileError(f"{self.name}:{line}:{column}: {message}")

    def refuse(self, path: Path, message: str) -> NoReturn:
        """Raise the error for the entry at this path."""
        self.refuse_at(next((at for place, at in _places(self.text) if place == path), 0), message)

    def parse(self) -> Any:
        """The document. Raises SolutionFileError."""
        try:
            # Numbers are of no interest here, and a float takes any number of digits.
            return json.loads(self.text, object_pairs_hook=_once, parse_constant=_no_constant, parse_int=float)
        except json.JSONDecodeError as error:
            self.refuse_at(error.pos, f"not JSON: {error.msg}")
        except _Constant as error:
            constant = str(error)
            offset = next((m.start() for m in _TOKEN.finditer(self.text) if m[0] == constant), 0)
            self.refuse_at(offset, f"not JSON: {constant} is no JSON value")
        except _Repeated:
            seen: set[Path] = set()
            for path, offset in _places(self.text):
                if path in seen:
                    self.refuse_at(offset, f"the key {json.dumps(path[-1])} is given twice")
                seen.add(path)
            raise
        except RecursionError:
            deep = (offset for path, offset in _places(self.text) if len(path) > _DEEP)
            self.refuse_at(next(deep, 0), "the brackets are nested too deep")

    def cells(self, entry: object, path: Path) -> dict[str, str]:
        """The cells of a solution, checked to be a mapping of texts."""
        if not isinstance(entry, dict) or "cells" not in entry:
            self.refuse(path, 'expected a solution, an object with the key "cells"')
        cells, path = entry["cells"], (*path, "cells")
        if not isinstance(cells, dict):
            self.refuse(path, '"cells" must be an object: cell names and placed tiles, like {"r1c2": "012"}')
        for name, tile in cells.items():
            if not isinstance(tile, str):
                self.refuse((*path, name), f'{json.dumps(name)} must be a placed tile in quotes, like "012"')
        return cells


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entries = dict(pairs)
    if len(entries) < len(pairs):
        raise _Repeated
    return entries


def _no_constant(name: str) -> NoReturn:
    raise _Constant(name)


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


def _places(text: str) -> Iterator[tuple[Path, int]]:
    """Every entry's path and offset, in order; for a member of an object, the offset of its key.

    The text must be JSON as far as the iteration is carried.
    """
    path: list[str | int] = []
    wants_key = False
    for token in _TOKEN.finditer(text):
        mark = token[0]
        if mark == ",":
            if isinstance(path[-1], int):
                path[-1] += 1
            else:
                wants_key = True
        elif mark in "}]":
            wants_key = False
            path.pop()
        elif wants_key:
            path[-1] = json.loads(mark)
            wants_key = False
            yield tuple(path), token.start()
        elif mark != ":":
            if not path or isinstance(path[-1], int):
                yield tuple(path), token.start()
            if mark in "{[":
                wants_key = mark == "{"
                path.append("" if wants_key else 0)


def open_solutions(path: str) -> list[dict[str, str]]:
    """:func:`read_solutions` for a path, ``-`` being standard input. Raises OSError too."""
    if path == "-":
        return read_solutions(standard_input(), "<stdin>")
    with FilePath(path).open("rb") as stream:
        return read_solutions(stream, path)
