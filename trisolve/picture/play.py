"""A page to play on: one HTML file that works from the disk, with the puzzle and some of its solutions in it.

The page is play.html, with its style and its script from the files beside it. :func:`page` puts them together with
what the script needs to know as JSON: cells and the places where tiles meet, the supply, the clues, the solutions
packed into a string, and the drawings. Tiles and board are drawn here, by :mod:`trisolve.picture.svg`, and the script
only puts the pieces in place. A piece that several drawings share is in the page once.

The page loads nothing and runs nothing but its own script: its policy names that script and that style by their
hashes. Texts from a puzzle are escaped, in the JSON too, where a tag could end the script element.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from importlib.resources import files
from itertools import islice
from string import Template
from typing import Any
from xml.etree import ElementTree

from trisolve import __version__
from trisolve.board import Board
from trisolve.lattice import Cell
from trisolve.picture.rules import rules
from trisolve.picture.svg import EDGE, Style, svg
from trisolve.picture.text import Scene
from trisolve.puzzle import Puzzle, TileClue, ValueClue
from trisolve.solution import Solution
from trisolve.symmetry import group

IMAGES = 720
"""Images of a solution under the puzzle's symmetries that :func:`spread` looks at."""

# Printable, and needing no escape in JSON or HTML.
_ALPHABET = "".join(chr(code) for code in range(0x23, 0x7F) if chr(code) not in "&<>\\'")

_Part = list[Any]


@dataclass(frozen=True)
class Carried:
    """The solutions that a page carries.

    ``complete`` is True when the puzzle has no others; ``reason`` says in a sentence why it has none, if that is known.
    """

    solutions: Sequence[Solution] = ()
    complete: bool = False
    reason: str | None = None


def spread(solutions: Iterable[Solution], number: int) -> list[Solution]:
    """The first so many different solutions among these and their images under the puzzle's symmetries.

    A search finds solutions that are much alike one after the other; their images begin in other ways, so that more
    beginnings of a game have one that goes on from there. Takes no more of ``solutions`` than it needs.
    """
    found: dict[Solution, None] = {}
    symmetries = None
    for solution in solutions:
        if solution in found:
            continue
        puzzle = solution.puzzle
        symmetries = symmetries or list(islice(group(puzzle).elements(), IMAGES))
        for element in symmetries:
            image = dict(element.placed(puzzle, cell, text) for cell, text in solution.cells.items())
            found.setdefault(Solution(puzzle, image))
            if len(found) == number:
                return list(found)
    return list(found)


def page(puzzle: Puzzle, carried: Carried, style: Style | None = None) -> str:
    """The page on which to play the puzzle, as HTML text; the style of its tiles is as in :func:`trisolve.picture.svg`.

    Raises ValueError for another style.
    """
    sources = files("trisolve.picture")
    script = (sources / "play.js").read_text(encoding="utf-8")
    drawing, look = _drawing(puzzle, style)
    sheet = look + (sources / "play.css").read_text(encoding="utf-8")
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(sheet)}'; base-uri 'none'; "
        "form-action 'none'; require-trusted-types-for 'script'"
    )
    data = {**_facts(puzzle), "solutions": _packed(puzzle, carried), "drawing": drawing}
    # Without "<" no tag can begin or end inside the element that holds the data.
    text = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    return Template((sources / "play.html").read_text(encoding="utf-8")).substitute(
        title=escape(Scene.of(puzzle).title),
        version=__version__,
        policy=policy,
        theme=drawing["theme"],
        style=sheet,
        data=text,
        script=script,
    )


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _facts(puzzle: Puzzle) -> dict[str, object]:
    """Rules, board, supply and clues, with cells and spots (points or edges) by their numbers."""
    board = puzzle.board
    spots = {spot: i for i, spot in enumerate(dict.fromkeys(s for cell in board for s in puzzle.spots(cell)))}
    clues: list[list[object]] = []
    for clue in puzzle.clues:
        if isinstance(clue, TileClue):
            clues.append(["tile", board.index(clue.cell), clue.tile.text, clue.placed])
        elif isinstance(clue, ValueClue):
            clues.append(["value", spots[clue.node], str(clue.value)])
        else:
            clues.append(["filled", board.index(clue.cell), clue.filled])
    return {
        "key": puzzle.digest,
        "rules": rules(puzzle),
        "match": puzzle.match,
        "fill": puzzle.fill,
        "border": None if puzzle.border is None else str(puzzle.border),
        "rows": board.rows,
        "columns": board.columns,
        "cells": [[*board.position(cell), int(cell.up)] for cell in board],
        "spots": [[spots[s] for s in puzzle.spots(cell)] for cell in board],
        "rim": [] if puzzle.border is None else sorted(spots[s] for s in puzzle.outer),
        "tiles": [[tile.text, copies] for tile, copies in puzzle.supply.items()],
        "clues": clues,
    }


def _packed(puzzle: Puzzle, carried: Carried) -> dict[str, object]:
    """The solutions as one string: for each cell the number of what lies there, in one or two characters."""
    texts = ["", *sorted({text for solution in carried.solutions for text in solution.cells.values()})]
    base = len(_ALPHABET)
    width = 1 if len(texts) <= base else 2
    digits = {
        text: _ALPHABET[i] if width == 1 else _ALPHABET[i // base] + _ALPHABET[i % base] for i, text in enumerate(texts)
    }
    packed = "".join(digits[s.cells.get(cell, "")] for s in carried.solutions for cell in puzzle.board)
    return {
        "alphabet": _ALPHABET,
        "texts": texts,
        "width": width,
        "packed": packed,
        "number": len(carried.solutions),
        "complete": carried.complete,
        "reason": carried.reason,
    }


def _drawing(puzzle: Puzzle, style: Style | None) -> tuple[dict[str, Any], str]:
    """The drawings of the board and of every tile as it can lie, in parts, and the style sheet that they need."""
    # The page itself lays the tiles that the puzzle gives.
    others = [c for c in puzzle.clues if not isinstance(c, TileClue) or c.placed is None]
    told = Puzzle(puzzle.board, puzzle.supply, match=puzzle.match, fill=puzzle.fill, border=puzzle.border, clues=others)
    root = _root(told, style)
    numbers: dict[str, int] = {}
    parts: list[_Part] = []
    tiles: dict[str, list[int]] = {}
    rings: dict[str, list[_Part]] = {}
    single: list[float] = []
    for up, letter in ((True, "u"), (False, "d")):
        cell = Cell(0, 0, up)
        alone = Puzzle(Board([cell]), puzzle.supply, match=puzzle.match)
        empty = _root(alone, style)
        single = _size(empty)
        for tile in puzzle.supply:
            for text in tile.orientations():
                drawn = _parts(_root(Solution(alone, {cell: text}), style))
                if letter not in rings:
                    clued = Puzzle(alone.board, alone.supply, match=alone.match, clues=[TileClue(cell, tile, text)])
                    ringed = _root(Solution(clued, {cell: text}), style, clues=True)
                    rings[letter] = _beyond(_parts(ringed), drawn)
                tiles[letter + text] = []
                for part in _beyond(drawn, _parts(empty)):
                    key = json.dumps(part)
                    if key not in numbers:
                        numbers[key] = len(parts)
                        parts.append(part)
                    tiles[letter + text].append(numbers[key])
    drawing = {
        "edge": EDGE,
        "theme": root.attrib["class"],
        "size": _size(root),
        "single": single,
        "board": _parts(root),
        "parts": parts,
        "tiles": tiles,
        "rings": rings,
    }
    return drawing, "".join(element.text or "" for element in root.iter(f"{_SVG}style"))


_SVG = "{http://www.w3.org/2000/svg}"


def _root(thing: Puzzle | Solution, style: Style | None, *, clues: bool = False) -> ElementTree.Element:
    return ElementTree.fromstring(svg(thing, style=style, theme="auto", clues=clues))


def _size(root: ElementTree.Element) -> list[float]:
    return [float(number) for number in root.attrib["viewBox"].split()[2:]]


def _parts(root: ElementTree.Element) -> list[_Part]:
    """What a picture is drawn with, its cells opened: each part a tag, its attributes and its children."""
    found: list[_Part] = []
    for element in root:
        tag = element.tag.removeprefix(_SVG)
        if tag == "g" and "data-cell" in element.attrib:
            found += _parts(element)
        elif tag not in ("title", "desc", "style"):
            found.append([tag, dict(element.attrib), *([_parts(element)] if len(element) else [])])
    return found


def _beyond(parts: list[_Part], others: list[_Part]) -> list[_Part]:
    return [part for part in parts if part not in others]
