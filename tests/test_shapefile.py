"""Shape files: what a good one means, and the exact text of every complaint about a bad one.

Everything here runs with both of PyYAML's parsers, which must agree to the last column. Most of the module is
one table of bad files. Two tests go round it: wherever a scalar of a good file is spoilt, the complaint points
at that very place; and no bytes whatever bring anything but a document or a :class:`ShapeFileError`.
"""

from __future__ import annotations

import io
import json
import os
import pickle
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from trisolve import files, shapefile
from trisolve.board import Board
from trisolve.lattice import Cell
from trisolve.puzzle import Puzzle
from trisolve.shapefile import Document, ShapeFileError, read, read_text
from trisolve.tiles import SETS, Supply, named_set

ROOT = Path(__file__).parent.parent
PARSERS = {"C": getattr(yaml, "CSafeLoader", None), "pure": None}


@pytest.fixture(autouse=True, params=list(PARSERS))
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs a test with either parser; where libyaml is missing both are the pure one."""
    monkeypatch.setattr(shapefile, "_C_LOADER", PARSERS[request.param])


def complaint(text: str) -> list[str]:
    """What is said about a bad file, without the name of the file."""
    with pytest.raises(ShapeFileError) as caught:
        read_text(text, "f.yaml")
    lines = str(caught.value).split("\n")
    assert all(line.startswith("f.yaml:") for line in lines)
    return [line.removeprefix("f.yaml:") for line in lines]


GOOD = "name: a\nboard: {triangle: 2}\n"

# -- what a good file means -----------------------------------------------------------------------

FULL = """\
name: hexagon-7
title: Hexagon: no  # the title is just no, and not false
source: |
  A book,
  page 7
tiles: {set: trioker-24, copies: 3, jokers: 1}
match: corners
fill: board
board:
  drawing: |
    .^v^v^.
    ^v^v^v^
  remove: [r1c2, r2c7]
border: same
clues:
  - {cell: r2c3, tile: 012, corner: left}
  - cell: r2c3
    tile: "012"
  - {corner: r1c3.top, value: 3}
  - {edge: r1c2.right, value: "1"}
  - {cell: r2c1, empty: true}
""".replace("Hexagon: no", "no")


def test_a_whole_file() -> None:
    document = read_text(FULL)
    assert (document.path, document.name, document.title) == (None, "hexagon-7", "no")
    assert document.source == "A book,\npage 7"
    # Removing r1c2 moves the left side of the bounding box nowhere: r2c1 is still there.
    assert document.board == Board.drawing("  v^v^\n^v^v^v")
    assert document.supply == named_set("trioker-24").supply().times(3).with_jokers(1)
    assert document.supply.name == "3 x trioker-24 with 1 joker"
    assert (document.match, document.match_given, document.fill, document.border) == ("corners", True, "board", "same")
    assert document.clues == [
        {"cell": "r2c3", "tile": "012", "corner": "left"},
        {"cell": "r2c3", "tile": "012"},
        {"corner": "r1c3.top", "value": 3},
        {"edge": "r1c2.right", "value": 1},
        {"cell": "r2c1", "empty": True},
    ]


def test_what_is_left_out() -> None:
    document = read_text(GOOD)
    assert (document.title, document.source, document.border, document.clues) == ("", "", None, [])
    assert (document.match, document.match_given, document.fill) == ("corners", False, "board")
    assert document.supply == named_set("trioker").supply()
    assert document.supply.name == "trioker"


@pytest.mark.parametrize(
    ("form", "board"),
    [
        ("{hexagon: [1, 2, 1, 2, 1, 2]}", Board.hexagon([1, 2, 1, 2, 1, 2])),
        ("{hexagon: [3, 0, 3, 0, 3, 0]}", Board.triangle(3)),
        ("{triangle: 3}", Board.triangle(3)),
        ("{triangle: 0}", Board([])),
        ("{triangle: '3'}", Board.triangle(3)),
        ("{parallelogram: [3, 2]}", Board.parallelogram(3, 2)),
        ("{outline: [[0, 0], [2, 0], [0, 2]]}", Board.triangle(2)),
        ("{cells: [[-1, 2, up], [-1, 2, down]]}", Board([Cell(-1, 2, True), Cell(-1, 2, False)])),
        ("{cells: []}", Board([])),
        ("{triangle: 2, remove: [r1c2]}", Board.drawing("^v^")),
        ("{drawing: ^v^}", Board.drawing("^v^")),
        ('{drawing: "^v^\\nv^v"}', Board.drawing("^v^\nv^v")),
        ('{drawing: ""}', Board([])),
        ("\n  drawing: |\n    .^\n    ^v^", Board.drawing(".^\n^v^")),
        ("\n  drawing: |+\n    .^\n    ^v^\n\n", Board.drawing(".^\n^v^")),
        ("\n  drawing: |2\n     ^\n    ^v^\n", Board.drawing(" ^\n^v^")),
        ("\n  drawing: >-\n    ^v^\n", Board.drawing("^v^")),
        ("\n    drawing: |\n\n      ^v^\n\n      ^v^\n", Board.drawing("\n^v^\n\n^v^")),
    ],
)
def test_boards(form: str, board: Board) -> None:
    assert read_text(f"name: a\nboard: {form}\n").board == board


def test_a_block_that_holds_no_drawing() -> None:
    assert not read_text("name: a\nboard:\n  drawing: |\nfill: board\n").board


@pytest.mark.parametrize(
    ("tiles", "supply", "name", "match"),
    [
        ("macmahon", named_set("macmahon").supply(), "macmahon", "edges"),
        ("{set: macmahon}", named_set("macmahon").supply(), "macmahon", "edges"),
        ("{set: macmahon, copies: 2}", named_set("macmahon").supply().times(2), "2 x macmahon", "edges"),
        ("{set: trioker, jokers: 0}", named_set("trioker-24").supply(), "trioker with 0 jokers", "corners"),
        ("{set: trioker-24, copies: 1}", named_set("trioker-24").supply(), "trioker-24", "corners"),
        ("{list: [012, 120, '000', 12W]}", Supply.of(["012", "012", "000", "12W"]), "own tiles", "corners"),
        ("{list: [001], copies: 4}", Supply.of(["001"] * 4), "4 x own tiles", "corners"),
        ("{list: [], jokers: 2}", Supply.of(["12W"] * 2), "own tiles with 2 jokers", "corners"),
    ],
)
def test_tiles(tiles: str, supply: Supply, name: str, match: str) -> None:
    document = read_text(GOOD + f"tiles: {tiles}\n")
    assert (document.supply, document.supply.name, document.match) == (supply, name, match)
    assert not document.match_given


def test_every_set_by_name() -> None:
    for name, tile_set in SETS.items():
        assert read_text(GOOD + f"tiles: {name}\n").supply == tile_set.supply()


def test_a_rule_that_is_given_wins_over_the_set() -> None:
    document = read_text(GOOD + "tiles: macmahon\nmatch: corners\n")
    assert (document.match, document.match_given) == ("corners", True)


@pytest.mark.parametrize("typed", ["no", "1969", "true", "1e3", "012", "off", "0x10", "1-30", "-"])
def test_a_name_is_the_text_that_was_typed(typed: str) -> None:
    # A lone hyphen would begin a list, so that one needs quotes.
    quoted = "'-'" if typed == "-" else typed
    document = read_text(f"name: {quoted}\ntitle: {quoted}\nboard: {{triangle: 1}}\n")
    assert (document.name, document.title) == (typed, typed)


@pytest.mark.parametrize("title", ["|\n  A line\n", ">\n  A\n  line\n", '" A line "', "A\n  line"])
def test_a_title_is_one_line(title: str) -> None:
    assert read_text(GOOD + f"title: {title}\n").title == "A line"


def test_quotes_make_a_text_of_null() -> None:
    assert read_text(GOOD + "title: 'null'\nsource: \"~\"\n").title == "null"


@pytest.mark.parametrize("text", [GOOD, FULL])
def test_line_ends_and_byte_order_marks_change_nothing(text: str, tmp_path: Path) -> None:
    path = tmp_path / "f.yaml"
    for data in (text, text.replace("\n", "\r\n"), text.replace("\n", "\r"), "\ufeff" + text, "---\n" + text + "...\n"):
        path.write_bytes(data.encode())
        document, plain = read(path), read_text(text)
        assert (document.board, document.clues, document.source) == (plain.board, plain.clues, plain.source)


def test_titles_in_any_script() -> None:
    title = "Hexagone \u00ab\u00a0r\u00e9gulier\u00a0\u00bb \u516d\u89d2\u5f62 \U0001f53a what? [yes]"
    assert read_text(GOOD + f"title: {title}\n").title == title


# -- what is said about a bad one -----------------------------------------------------------------

KEYS = "expected one of name, title, source, tiles, match, board, fill, border, clues, score"
BOARD_KEYS = "expected one of drawing, hexagon, triangle, parallelogram, outline, cells, remove"
ONE_FORM = "expected exactly one of drawing, hexagon, triangle, parallelogram, outline, cells"
A_FORM = "expected a mapping with one of drawing, hexagon, triangle, parallelogram, outline, cells"
SET = (
    "expected a tile set: trioker, trioker-24, trioker-even, trioker-odd, macmahon, triominoes, "
    "triominoes-6, or complete-1 to complete-10"
)
TILE = "expected a tile: three characters, each a digit or W, like 012 or 12W"
FILE = "expected a mapping with name, board and tiles"
BOTH = "expected name and board in every shape file"
YAML = "expected 'key: value' or '- item', in line with the entries around it"
COLON = "a colon out of place: expected 'key: value' with a space, and quotes around text with colons"
LEFT = "a row further left than the first of its drawing: expected . instead of spaces before a row"
PART = "expected a part of a cell like left, or with the cell like r1c2.left"
LENGTH = "expected a whole number from 0 to 10,000"

# fmt: off
BAD: list[tuple[str, list[str]]] = [
    # the file as text
    ("", [f"1:1: nothing in the file: {FILE}"]),
    ("# nothing\n", [f"1:1: nothing in the file: {FILE}"]),
    ("---\n", [f"1:1: nothing in the file: {FILE}"]),
    ("- a\n", [f"1:1: a list of 1: {FILE}"]),
    ("hexagon\n", [f"1:1: 'hexagon': {FILE}"]),
    (GOOD + "title: a\tb\n\tx: 1\n", ["3:9: a tab: expected spaces", "4:1: a tab: expected spaces"]),
    ("name: a\x00b\n", ["1:8: '\\x00': expected printable text"]),
    (GOOD + "title: \u202eab\n", ["3:8: '\\u202e': expected printable text"]),
    (GOOD + 'title: "\\x1b[31mred"\n', ["3:8: '\\x1b' in a text: expected printable characters"]),
    (GOOD + 'title: "\\ud800"\n', ["3:8: '\\ud800' in a text: expected printable characters"]),
    (GOOD + 'title: "\\UFFFFFFFF"\n', ["3:11: a number too large for YAML: expected plain text"]),
    (GOOD + 'source: "a\\tb"\n', ["3:9: '\\t' in a text: expected printable characters"]),
    # YAML
    ("name: a\nboard: {triangle: 2\n", ["2:8: { is never closed: expected }"]),
    ("name: a\nboard: {hexagon: [1, 1, 1}\n", ["2:26: not readable as YAML: expected , or ] after the [ in line 2"]),
    ('name: "a\nboard: {triangle: 2}\n', ['1:7: " is never closed: expected another "']),
    (GOOD + 'title: "a\\qb"\n', [f"3:11: not readable as YAML: {YAML}"]),
    (GOOD + "source: |x\n  a\n", [f"3:10: not readable as YAML: {YAML}"]),
    (GOOD + "source: |#\n  a\n", [f"3:10: not readable as YAML: {YAML}"]),
    # Where the C parser would go on.
    ("{name: a, title: what?, board: {triangle: 2}}\n",
     ["1:22: not readable as YAML: expected , or } after the { in line 1"]),
    ("name: a\nboard {triangle: 2}\n",
     [f"1:1: the key board is missing: {BOTH}",
      f"2:1: unknown key 'board {{triangle': {KEYS}"]),
    ("name:a\nboard: {triangle: 2}\n", [f"2:6: {COLON}"]),
    ("name: a: b\n", [f"1:8: {COLON}"]),
    ("name: a\n board: {triangle: 2}\n", [f"2:7: {COLON}"]),
    ("name: @a\n", [f"1:7: not readable as YAML: {YAML}"]),
    ("name: a\nboard:\n  drawing: |\n      ^\n     ^v^\n", [f"5:6: {LEFT}"]),
    ("name: a\nboard:\n  drawing: |\n     .^\n   .^v^\nfill: board\n", [f"5:4: {LEFT}"]),
    (GOOD + "name: b\n", ["3:1: the key 'name' again: expected it once, and line 1 has it"]),
    ("name: a\nboard:\n  triangle: 2\n  remove: [r1c2]\n  remove: [r9c9, {x: 1, x: 2}]\n",
     ["5:3: the key 'remove' again: expected it once, and line 4 has it",
      "5:25: the key 'x' again: expected it once, and line 5 has it"]),
    ("name: &n a\nboard: {triangle: 2}\n", ["1:7: an anchor (&): expected none"]),
    ("name: a\ntitle: *n\nboard: {triangle: 2}\n", ["2:8: an alias (*): expected the value itself"]),
    ("name: !!str a\nboard: {triangle: 2}\n", ["1:7: a tag (!): expected none"]),
    ("<<: *x\nname: a\nboard: {triangle: 2}\n",
     [f"1:1: unknown key '<<': {KEYS}",
      "1:5: an alias (*): expected the value itself"]),
    ("%YAML 1.2\n---\nname: a\nboard: {triangle: 2}\n", ["1:1: a directive (%): expected none"]),
    ("%ODD\n---\nname: a\nboard: {triangle: 2}\n", ["1:1: a directive (%): expected none"]),
    (GOOD + "---\nname: a\nboard: {triangle: 2}\n",
     ["3:1: more text after the end of the document: expected one document"]),
    (GOOD + "...\nx: 1\n", ["4:1: more text after the end of the document: expected one document"]),
    ("name: [[[[[[[[[1]]]]]]]]]\n", ["1:14: nested too deeply: expected at most 8 levels"]),
    (GOOD + "[a, b]: 1\n", ["3:1: a list of 2 as a key: expected a word"]),
    (GOOD + "~: 1\n", ["3:1: no value as a key: expected a word"]),
    (GOOD + "? {a: 1}\n: 2\n", ["3:3: a mapping as a key: expected a word"]),
    # keys
    ("board: {triangle: 2}\n", [f"1:1: the key name is missing: {BOTH}"]),
    ("name: a\n", [f"1:1: the key board is missing: {BOTH}"]),
    ("{}\n", [f"1:1: the key board is missing: {BOTH}", f"1:1: the key name is missing: {BOTH}"]),
    (GOOD + "bord: same\n", [f"3:1: unknown key 'bord': {KEYS}"]),
    (GOOD + "clues: [{cel: r1c2, tile: '012'}]\n",
     ["3:10: unknown key 'cel': expected one of cell, tile, corner, edge, value, empty, filled"]),
    (GOOD + "tiles: {sett: trioker}\n", ["3:9: unknown key 'sett': expected one of set, list, copies, jokers"]),
    ("name: a\nboard: {hexagn: [1, 1, 1, 1, 1, 1]}\n", [f"2:9: unknown key 'hexagn': {BOARD_KEYS}"]),
    ("name: a\nboard: {remove: [r1c1]}\n", [f"2:8: nothing given: {ONE_FORM}"]),
    ("name: a\nboard: {}\n", [f"2:8: nothing given: {ONE_FORM}"]),
    ("name: a\nboard:\n  triangle: 2\n  hexagon: [1, 1, 1, 1, 1, 1]\n",
     [f"4:3: hexagon besides triangle: {ONE_FORM}"]),
    (GOOD + "tiles: {copies: 2}\n", ["3:8: nothing given: expected exactly one of set, list"]),
    (GOOD + 'tiles: {set: trioker, list: ["012"]}\n', ["3:23: list besides set: expected exactly one of set, list"]),
    # texts
    ("name: Hexagon 2\nboard: {triangle: 2}\n",
     ["1:7: 'Hexagon 2': expected lower-case letters, digits and hyphens"]),
    ("name:\nboard: {triangle: 2}\n", ["1:1: no value: expected lower-case letters, digits and hyphens"]),
    ("name: [a]\nboard: {triangle: 2}\n", ["1:7: a list of 1: expected lower-case letters, digits and hyphens"]),
    ("name: ~\nboard: {triangle: 2}\n", ["1:7: no value: expected lower-case letters, digits and hyphens"]),
    (GOOD + "title: null\n", ["3:8: no value: expected a line of text"]),
    (GOOD + "title: ''\n", ["3:8: '': expected a line of text"]),
    (GOOD + 'title: "a\\nb"\n', ["3:8: 'a\\nb': expected a line of text"]),
    (GOOD + "title: {a: b}\n", ["3:8: a mapping: expected a line of text"]),
    (GOOD + "source:\n", ["3:1: no value: expected text"]),
    # tiles
    (GOOD + "tiles: trioka\n", [f"3:8: 'trioka': {SET}"]),
    (GOOD + "tiles: complete-11\n", [f"3:8: 'complete-11': {SET}"]),
    (GOOD + 'tiles: ["012"]\n', ["3:8: a list of 1: expected the name of a tile set, or a mapping with set or list"]),
    (GOOD + "tiles:\n", ["3:1: no value: expected the name of a tile set, or a mapping with set or list"]),
    (GOOD + "tiles: {list: 012}\n", ["3:15: '012': expected a list of tiles"]),
    (GOOD + 'tiles: {list: [012, 0123, 12w, "", 01, [0, 1, 2]]}\n',
     [f"3:21: '0123': {TILE}",
      f"3:27: '12w': {TILE}",
      f"3:32: '': {TILE}",
      f"3:36: '01': {TILE}",
      f"3:40: a list of 3: {TILE}"]),
    (GOOD + "tiles: {set: trioker, copies: 0, jokers: -1}\n",
     ["3:31: '0': expected a whole number from 1 to 1,000,000",
      "3:42: '-1': expected a whole number from 0 to 1,000,000"]),
    (GOOD + "tiles: {list: [012, 120], copies: 1000000}\n", ["3:35: 2000000 copies of 012: expected 0 to 1,000,000"]),
    (GOOD + "tiles: {set: nope, copies: many}\n",
     [f"3:14: 'nope': {SET}",
      "3:28: 'many': expected a whole number from 1 to 1,000,000"]),
    # match, fill, border
    (GOOD + "match: corner\nfill: all\nborder: 10\n",
     ["3:8: 'corner': expected corners or edges",
      "4:7: 'all': expected board or tiles",
      "5:9: '10': expected a value from 0 to 9, or same"]),
    (GOOD + "border: ~\n", ["3:9: no value: expected a value from 0 to 9, or same"]),
    (GOOD + "border:\n", ["3:1: no value: expected a value from 0 to 9, or same"]),
    (GOOD + "border: any\n", ["3:9: 'any': expected a value from 0 to 9, or same"]),
    (GOOD + "border: 00\n", ["3:9: '00': expected a value from 0 to 9, or same"]),
    # numbers
    ("name: a\nboard: {triangle: 0x10}\n", [f"2:19: '0x10': {LENGTH}"]),
    ("name: a\nboard: {triangle: 1_000}\n", [f"2:19: '1_000': {LENGTH}"]),
    ("name: a\nboard: {triangle: 1e3}\n", [f"2:19: '1e3': {LENGTH}"]),
    ('name: a\nboard: {triangle: "3.0"}\n', [f"2:19: '3.0': {LENGTH}"]),
    ("name: a\nboard: {triangle: +3}\n", [f"2:19: '+3': {LENGTH}"]),
    ("name: a\nboard: {triangle: 03}\n", [f"2:19: '03': {LENGTH}"]),
    ("name: a\nboard: {triangle: -1}\n", [f"2:19: '-1': {LENGTH}"]),
    ("name: a\nboard: {triangle: 10001}\n", [f"2:19: '10001': {LENGTH}"]),
    ("name: a\nboard: {triangle: 999999999999999999999999999999999999999999999999999999999999}\n",
     [f"2:19: '9999999999999999999999999999999999999999'...: {LENGTH}"]),
    ("name: a\nboard: {triangle: ٣}\n", [f"2:19: '٣': {LENGTH}"]),
    ("name: a\nboard: {triangle: 1:30}\n", [f"2:19: '1:30': {LENGTH}"]),
    ("name: a\nboard: {triangle: ~}\n", [f"2:19: no value: {LENGTH}"]),
    ("name: a\nboard: {triangle: [2]}\n", [f"2:19: a list of 1: {LENGTH}"]),
    # boards
    ("name: a\nboard: {triangle: 101}\n", ["2:19: 10,201 cells are too many: a board may have 10,000"]),
    ("name: a\nboard: {parallelogram: [3]}\n", ["2:24: a list of 1: expected a width and a height"]),
    ("name: a\nboard: {parallelogram: 3 x 4}\n", ["2:24: '3 x 4': expected a width and a height"]),
    ("name: a\nboard: {hexagon: [1, 2, 3]}\n", ["2:18: a list of 3: expected six side lengths"]),
    ("name: a\nboard: {hexagon: [1, 2, 1, 1, 1, 1]}\n",
     ["2:18: side lengths [1, 2, 1, 1, 1, 1] don't close up: "
      "expected a+b = d+e and b+c = e+f, but 1+2 = 3, 1+1 = 2 and 2+1 = 3, 1+1 = 2"]),
    ("name: a\nboard: hexagon\n", [f"2:8: 'hexagon': {A_FORM}"]),
    ("name: a\nboard:\n", [f"2:1: no value: {A_FORM}"]),
    ("name: a\nboard: {outline: [[0, 0], [2, 0], [1, 2]]}\n",
     ["2:27: the side from [2, 0] to [1, 2] doesn't run along a lattice line"]),
    ("name: a\nboard: {outline: [[0, 0], [2, 0], [x, 2], 7, [1]]}\n",
     ["2:36: 'x': expected a whole number from -1,000,000 to 1,000,000",
      "2:43: '7': expected a point [x, y]",
      "2:46: a list of 1: expected a point [x, y]"]),
    ("name: a\nboard: {outline: [[0, 0], [1000001, 0]]}\n",
     ["2:28: '1000001': expected a whole number from -1,000,000 to 1,000,000"]),
    ("name: a\nboard: {outline: [[0, 0]]}\n", ["2:18: an outline of 1 points: expected three or more"]),
    ("name: a\nboard:\n  cells:\n  - [0, 0, up]\n  - [0, 0, down]\n  - [0, 0, up]\n",
     ["6:5: cell [0, 0, up] is given twice"]),
    ("name: a\nboard: {cells: [[0, 0, left], [0, 0], [0, 0, up, 1], up]}\n",
     ["2:24: 'left': expected up or down",
      "2:31: a list of 2: expected a cell [x, y, up] or [x, y, down]",
      "2:39: a list of 4: expected a cell [x, y, up] or [x, y, down]",
      "2:54: 'up': expected a cell [x, y, up] or [x, y, down]"]),
    ("name: a\nboard: {triangle: 2, remove: [r1c1, r3c1, r1c2, 12]}\n",
     ["2:49: '12': expected a cell name like r2c4"]),
    ("name: a\nboard: {triangle: 2, remove: [r1c1, r3c1, r1c2]}\n",
     ["2:31: there is no cell r1c1 on the board (2 rows, 3 columns)",
      "2:37: there is no cell r3c1 on the board (2 rows, 3 columns)"]),
    ("name: a\nboard: {triangle: 2, remove: [r1c2, r2c2, r1c2]}\n", ["2:43: r1c2 is removed twice"]),
    ("name: a\nboard: {triangle: 2, remove: r1c2}\n", ["2:30: 'r1c2': expected a list of cell names like r2c4"]),
    # drawings
    ("name: a\nboard:\n  drawing: |\n    .^.\n    ^vx\n", ["5:7: 'x' in a drawing: expected ^, v, . or a space"]),
    ("name: a\nboard:\n  drawing: |2\n      ^\n     ^^^\n",
     ["5:7: '^' where up and down must alternate: expected 'v'"]),
    ("name: a\r\nboard:\r\n  drawing: |\r\n    ^v^\r\n    ^v^\r\n",
     ["5:5: '^' where up and down must alternate: expected 'v'"]),
    ("name: a\nboard: {drawing: ^v^^}\n", ["2:21: '^' where up and down must alternate: expected 'v'"]),
    ("name: a\nboard: {drawing: '^v^^'}\n", ["2:22: '^' where up and down must alternate: expected 'v'"]),
    ('name: a\nboard: {drawing: "^v\\x5e^"}\n', ["2:18: '^' where up and down must alternate: expected 'v'"]),
    ("name: a\nboard:\n  drawing: >\n    ^v^^\n", ["3:12: '^' where up and down must alternate: expected 'v'"]),
    ("name: a\nboard:\n  drawing:\n    ^v^\n    v^v\n",
     ["4:5: lines that YAML joins into one: expected drawing: | and the lines below it"]),
    ('name: a\nboard: {drawing: "\n  ^v^\n  v^v"}\n',
     ["2:18: lines that YAML joins into one: expected drawing: | and the lines below it"]),
    ("name: a\nboard: {drawing: [^v^]}\n", ["2:18: a list of 1: expected rows of ^, v and . below drawing: |"]),
    ("name: a\nboard:\n  drawing:\n", ["3:3: no value: expected rows of ^, v and . below drawing: |"]),
    # clues
    (GOOD + "clues: {cell: r1c2, tile: '012'}\n", ["3:8: a mapping: expected a list of clues"]),
    (GOOD + "clues: [r1c2]\n", ["3:9: 'r1c2': expected a clue like {cell: r2c4, tile: 012}"]),
    (GOOD + "clues:\n- {cell: c2r1, tile: 01, corner: up, edge: r1c1.up, value: 1.0, empty: yes}\n- {value: 12}\n",
     ["4:10: 'c2r1': expected a cell name like r2c4",
      f"4:22: '01': {TILE}",
      f"4:34: 'up': {PART}",
      f"4:44: 'r1c1.up': {PART}",
      "4:60: '1.0': expected a whole number from 0 to 9",
      "4:72: 'yes': expected true",
      "5:11: '12': expected a whole number from 0 to 9"]),
    (GOOD + "clues:\n-\n", ["4:2: no value: expected a clue like {cell: r2c4, tile: 012}"]),
    # several
    ("nam: x\nboard: {triangle: two}\ntiles: {set: trioker, copies: x}\nmatch: sides\nclues:\n- {tile: abc}\n",
     [f"1:1: the key name is missing: {BOTH}",
      f"1:1: unknown key 'nam': {KEYS}",
      f"2:19: 'two': {LENGTH}",
      "3:31: 'x': expected a whole number from 1 to 1,000,000",
      "4:8: 'sides': expected corners or edges",
      f"6:10: 'abc': {TILE}"]),
]
# fmt: on


@pytest.mark.parametrize(("text", "expected"), BAD)
def test_complaints(text: str, expected: list[str]) -> None:
    assert complaint(text) == expected


def test_columns_count_characters_and_a_byte_order_mark_is_none(tmp_path: Path) -> None:
    path = tmp_path / "f.yaml"
    path.write_bytes(
        '\ufeffname: \u00e9\U0001f53a\nboard: {triangle: 2} # \u00e9\ntitle: \u00e9 "\u00e9\nx: 1\n'.encode()
    )
    with pytest.raises(ShapeFileError) as caught:
        read(path)
    assert [problem[:2] for problem in caught.value.problems] == [(1, 7), (4, 1)]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"name: a\ntitle: caf\xe9\n", "2:11: the byte 0xe9: expected text in UTF-8"),
        (b"\xef\xbb\xbfname: \xc3\xa9\xff", "1:8: the byte 0xff: expected text in UTF-8"),
        (b"a\r\nb\rc\xc3", "3:2: the byte 0xc3: expected text in UTF-8"),
        ("name: a\n".encode("utf-16"), "1:1: the byte 0xff: expected text in UTF-8"),
        (b"#" * (2**20 + 1), "1:1: larger than 1,048,576 bytes: expected a shape file"),
    ],
)
def test_bytes_that_are_no_text(data: bytes, expected: str, tmp_path: Path) -> None:
    path = tmp_path / "f.yaml"
    path.write_bytes(data)
    with pytest.raises(ShapeFileError) as caught:
        read(path)
    assert str(caught.value) == f"{path}:{expected}"


def test_the_largest_file() -> None:
    assert read_text(GOOD + "#" * (2**20 - len(GOOD))).name == "a"
    assert complaint(GOOD + "#" * (2**20 - len(GOOD) + 1)) == [
        "1:1: larger than 1,048,576 bytes: expected a shape file"
    ]
    assert complaint("\ud800") == ["1:1: '\\ud800': expected printable text"]


@pytest.mark.parametrize(
    "form",
    [
        "drawing: |\n" + "    ^v^v^v^v^v\n    v^v^v^v^v^\n" * 500 + "    ^\n",
        "cells:\n" + "".join(f"  - [{i}, 0, up]\n" for i in range(10_001)),
        "triangle: 101",
        "parallelogram: [5001, 1]",
        "outline: [[0, 0], [101, 0], [0, 101]]",
        "hexagon: [101, 0, 101, 0, 101, 0]",
    ],
)
def test_a_board_that_is_too_large(form: str) -> None:
    (line,) = complaint(f"name: a\nboard:\n  {form}\n")
    assert "may have 10,000" in line
    row = 1004 if form.startswith("drawing") else 4 if form.startswith("cells") else 3
    assert line.startswith(f"{row}:")


def test_a_file_with_too_many_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shapefile, "MAX_ENTRIES", 10)
    assert complaint(GOOD + "clues: [a, b]") == ["3:12: too many keys and values: expected at most 10"]
    monkeypatch.setattr(shapefile, "MAX_ENTRIES", 11)
    assert len(complaint(GOOD + "clues: [a, b]")) == 2


def test_only_the_first_twenty_are_listed() -> None:
    with pytest.raises(ShapeFileError) as caught:
        read_text("board: {triangle: 2}\nname: a\n" + "".join(f"x{i}: 1\n" for i in range(22)), "f")
    lines = str(caught.value).split("\n")
    assert len(lines) == 21
    assert lines[0].startswith("f:3:1: unknown key 'x0'")
    assert lines[19].startswith("f:22:1: unknown key 'x19'")
    assert lines[20] == "f: and 2 more problems"
    assert [line for line, _, _ in caught.value.problems] == list(range(3, 25))
    twenty_one = ShapeFileError("f", [(i, 1, "x") for i in range(1, 22)])
    assert str(twenty_one).endswith("\nf: and 1 more problem")
    assert "more" not in str(ShapeFileError("f", [(i, 1, "x") for i in range(1, 21)]))


def test_the_error_survives_a_trip_between_processes() -> None:
    error = ShapeFileError("f", [(2, 1, "b"), (1, 1, "a")])
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.problems, copy.file) == (str(error), error.problems, "f")
    assert str(error) == "f:1:1: a\nf:2:1: b"


# -- places ---------------------------------------------------------------------------------------


def scalars(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of every scalar that is a value in a text."""
    depth: list[bool] = []
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        if isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            if depth and depth[-1] is not None:
                depth[-1] = not depth[-1]
            depth.append(isinstance(event, yaml.MappingStartEvent) or None)
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            depth.pop()
        elif isinstance(event, yaml.ScalarEvent):
            if depth[-1] is not True:
                yield event.start_mark.index, event.end_mark.index
            if depth[-1] is not None:
                depth[-1] = not depth[-1]


FORMS = [
    "hexagon: [1, 2, 1, 2, 1, 2]",
    "triangle: 3",
    "parallelogram: [3, 2]",
    "outline: [[0, 0], [2, 0], [0, 2]]",
    "cells:\n  - [0, 0, up]\n  -  - 0\n     - 0\n     - down",
]


@pytest.mark.parametrize("text", [FULL, *(f"name: a\ntiles: {{list: [012]}}\nboard:\n  {form}\n" for form in FORMS)])
def test_a_spoilt_value_is_pointed_at(text: str) -> None:
    places = list(scalars(text))
    assert len(places) >= 3
    for start, end in places:
        if text[start] == "|":
            continue
        spoilt = text[:start] + "{}" + text[end:]
        line, column = text[:start].count("\n") + 1, start - text.rfind("\n", 0, start)
        with pytest.raises(ShapeFileError) as caught:
            read_text(spoilt)
        assert caught.value.problems[0][:2] == (line, column), spoilt


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(st.sampled_from(["^v^v^", ".v^v^", "", "  ^v", "^v^v^    "]), min_size=1, max_size=5),
    indent=st.integers(1, 6),
    base=st.integers(1, 3),
    header=st.sampled_from(["|", "|-", "|+", "|  # rows"]),
    indicator=st.booleans(),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    data=st.data(),
)
def test_the_place_in_a_drawing(
    rows: list[str], indent: int, base: int, header: str, indicator: bool, end: str, data: st.DataObject
) -> None:
    i = data.draw(st.integers(0, len(rows) - 1))
    j = data.draw(st.integers(0, len(rows[i])))
    # Nothing before the bad character may be wrong, so the rows above are emptied.
    rows = ["." * len(row) if k < i else row for k, row in enumerate(rows)]
    rows[i] = "." * j + "X" + rows[i][j:]
    if indicator:
        header = header[0] + str(indent) + header[1:]
    lines = [
        "name: a",
        "board:",
        f"{' ' * base}drawing: {header}",
        *(" " * (base + indent) + row for row in rows),
        "fill: board",
    ]
    text = end.join([*lines, ""])
    if not indicator:
        # YAML takes the indentation from the first row that isn't empty.
        first = next(row for row in rows if row.strip())
        if first.startswith(" "):
            return
    row = next(k for k, line in enumerate(lines) if "X" in line)
    assert complaint(text) == [f"{row + 1}:{lines[row].index('X') + 1}: 'X' in a drawing: expected ^, v, . or a space"]


@pytest.mark.parametrize(
    ("entries", "places"),
    [
        ("clues: [{cell: r9c9, tile: '012'}]", [(3, 16)]),
        ("clues: [{cell: r1c2, tile: '044'}]", [(3, 28)]),
        ("clues:\n- {cell: r1c2, tile: '012'}\n- cell: r1c2\n  tile: '000'\n", [(5, 3)]),
        ("clues: [{corner: r1c2.top, value: 9}, {corner: r1c2.left, value: 8}]", [(3, 35), (3, 66)]),
        ("border: 7", [(3, 9)]),
    ],
)
def test_what_a_puzzle_refuses_is_placed_too(entries: str, places: list[tuple[int, int]], tmp_path: Path) -> None:
    path = tmp_path / "f.yaml"
    path.write_text(GOOD + entries, encoding="utf-8")
    with pytest.raises(ShapeFileError) as caught:
        Puzzle.load(path)
    assert [problem[:2] for problem in caught.value.problems] == places
    assert str(caught.value).startswith(f"{path}:{places[0][0]}:{places[0][1]}: ")


def test_a_path_that_ends_before_or_behind_what_is_there() -> None:
    document = read_text(GOOD + "clues:\n- {cell: r1c2, tile: '012'}\n", "f")
    paths = [("clues", 0, "tile"), ("clues", 0), ("clues", 0, "corner"), ("clues", 5), ("border",), ()]
    error = document.error([(path, "x") for path in paths])
    assert sorted(error.problems) == [(1, 1, "x"), (1, 1, "x"), (4, 1, "x"), (4, 3, "x"), (4, 3, "x"), (4, 22, "x")]


# -- where files come from ------------------------------------------------------------------------


def refusal(puzzle: str | os.PathLike[str]) -> str:
    with pytest.raises(ShapeFileError) as caught:
        read(puzzle)
    return str(caught.value)


def test_a_path_or_the_name_of_a_bundled_shape(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert read("hexagon").path == shapefile.bundled()["hexagon"]
    Path("hexagon").mkdir()
    assert read("hexagon").path == shapefile.bundled()["hexagon"]
    Path("hexagon").rmdir()
    Path("hexagon").write_text(GOOD, encoding="utf-8")
    assert read("hexagon").name == "a"
    assert read(tmp_path / "hexagon").path == tmp_path / "hexagon"
    Path("hexagon").write_text("x: 1", encoding="utf-8")
    assert refusal("hexagon").startswith("hexagon:1:1: ")
    assert refusal("./hexagon").startswith("./hexagon:1:1: ")


def test_nothing_to_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    none = "no such file or bundled shape"
    assert refusal("hexagn") == f"hexagn: {none} (did you mean hexagon or hexagon-24 or small-hexagon?)"
    assert refusal("seated-man.yaml") == f"seated-man.yaml: {none} (did you mean seated-man?)"
    assert refusal("qqqq") == f"qqqq: {none} (`trisolve shapes` lists the bundled ones)"
    assert refusal(tmp_path) == f"{tmp_path}: a folder: expected a shape file"
    assert refusal("a\0b") == "a\\x00b: can't be read (not a path): expected a shape file"
    assert refusal("a\x1b[31m\nb") == f"a\\x1b[31m\\nb: {none} (`trisolve shapes` lists the bundled ones)"
    assert "can't be read" in refusal("x" * 5000)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="everything is readable for root")
def test_a_file_without_permission(tmp_path: Path) -> None:
    path = tmp_path / "f.yaml"
    path.write_text(GOOD, encoding="utf-8")
    path.chmod(0)
    assert refusal(path) == f"{path}: can't be read (Permission denied): expected a shape file"


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no such device")
def test_a_file_without_end() -> None:
    assert refusal("/dev/zero") == "/dev/zero:1:1: larger than 1,048,576 bytes: expected a shape file"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_a_pipe(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_text, args=(GOOD,))
    writer.start()
    assert read(path).name == "a"
    writer.join()


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(GOOD.encode())))
    assert (read("-").name, read_text(GOOD).path) == ("a", None)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"name: A")))
    assert refusal("-").split("\n")[1] == "<stdin>:1:7: 'A': expected lower-case letters, digits and hyphens"


def test_bundled_shapes_of_a_wheel_and_of_a_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "trisolve"
    for folder in (package, tmp_path / "shapes"):
        folder.mkdir()
    for name in ("b", "a-2", "a"):
        (tmp_path / "shapes" / f"{name}.yaml").write_text(GOOD, encoding="utf-8")
    monkeypatch.setattr(files, "__file__", str(package / "files.py"))
    assert list(shapefile.bundled()) == ["a", "a-2", "b"]
    (package / "shapes").mkdir()
    (package / "shapes" / "c.yaml").write_text(GOOD, encoding="utf-8")
    assert shapefile.bundled() == {"c": package / "shapes" / "c.yaml"}


def test_every_bundled_shape_is_a_puzzle_of_its_name() -> None:
    assert shapefile.bundled()
    for name, path in shapefile.bundled().items():
        puzzle = Puzzle.load(path)
        assert puzzle.name == name
        assert puzzle.title


# -- the schema that editors use ------------------------------------------------------------------

SCHEMA_FILE = ROOT / "docs" / "shape-file.schema.json"


def accepts(instance: Any) -> bool:
    return jsonschema.Draft202012Validator(shapefile.schema()).is_valid(instance)


def test_the_schema_on_disk() -> None:
    jsonschema.Draft202012Validator.check_schema(shapefile.schema())
    with SCHEMA_FILE.open(encoding="utf-8") as file:
        on_disk = json.load(file)
    assert on_disk == shapefile.schema(), "run: python -m trisolve schema > docs/shape-file.schema.json"


def test_the_schema_describes_every_key() -> None:
    schema = shapefile.schema()
    for part in (schema, *schema["$defs"].values()):
        assert all(key.get("description") for key in part["properties"].values())
    assert schema["properties"]["match"]["enum"] == ["corners", "edges"]
    assert schema["required"] == ["name", "board"]


def test_the_schema_accepts_every_bundled_shape() -> None:
    for path in shapefile.bundled().values():
        text = path.read_text(encoding="utf-8")
        # As texts, which is what the loader sees, and as values, which is what an editor sees.
        assert accepts(yaml.load(text, Loader=yaml.BaseLoader)), path
        assert accepts(yaml.safe_load(text)), path


GOOD_TREE = {"name": "a", "board": {"triangle": 2}}


@pytest.mark.parametrize(
    "more",
    [
        {"name": 1969, "title": True, "source": 3.5},
        {"tiles": "complete-4"},
        {"tiles": {"list": [12, "012", "12W", 0], "copies": 2, "jokers": 0}},
        {"tiles": {"set": "macmahon", "copies": "2"}},
        {"border": 0},
        {"border": "same"},
        {"border": "3"},
        {"clues": [{"cell": "r1c2", "tile": 12}, {"cell": "r1c2", "tile": "012", "corner": "left"}]},
        {
            "clues": [
                {"corner": "r1c2.top", "value": 3},
                {"edge": "r1c2.right", "value": 1},
                {"cell": "r1c2", "empty": True},
            ]
        },
        {"board": {"drawing": "^v\nv^", "remove": ["r1c1"]}},
        {"board": {"cells": [[0, -1, "up"]]}},
    ],
)
def test_the_schema_accepts(more: dict[str, Any]) -> None:
    assert accepts(GOOD_TREE | more)


@pytest.mark.parametrize(
    "more",
    [
        {"name": "Hexagon"},
        {"title": None},
        {"title": []},
        {"bord": "same"},
        {"tiles": "trioka"},
        {"tiles": {}},
        {"tiles": {"set": "trioker", "list": []}},
        {"tiles": {"list": ["0123"]}},
        {"tiles": {"list": [1000]}},
        {"tiles": {"set": "trioker", "copies": 0}},
        {"match": "sides"},
        {"border": 10},
        {"border": "any"},
        {"board": {}},
        {"board": {"triangle": 2, "hexagon": [1, 1, 1, 1, 1, 1]}},
        {"board": {"triangle": -1}},
        {"board": {"triangle": 2.5}},
        {"board": {"hexagon": [1, 1, 1]}},
        {"board": {"cells": [[0, 0, "left"]]}},
        {"board": {"drawing": "^x"}},
        {"board": {"triangle": 2, "remove": ["r0c1"]}},
        {"clues": [{"cell": "r1c2"}]},
        {"clues": [{"cell": "r1c2", "tile": "012", "value": 1, "corner": "left"}]},
        {"clues": [{"cell": "r1c2", "empty": False}]},
    ],
)
def test_the_schema_rejects(more: dict[str, Any]) -> None:
    assert not accepts(GOOD_TREE | more)


def test_the_schema_needs_name_and_board() -> None:
    assert accepts(GOOD_TREE)
    assert not accepts({"name": "a"})
    assert not accepts({"board": {"triangle": 2}})


# -- whatever comes -------------------------------------------------------------------------------

ALIASES = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{new}: &{new} [{','.join([f'*{old}'] * 9)}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        "{" * 100_000,
        "- " * 100_000,
        "? " * 100_000,
        "-" * 2**20,
        "!" * 100_000,
        "&a " * 100_000,
        "k" * 500_000 + ": 1",
        "name: " + "9" * 1_000_000,
        "border: " + "9" * 1_000_000,
        "name: '" + " " * 1_000_000,
        'title: "a' + " " * 500_000 + '\\n b"\n',
        "%YAML 1." + "9" * 5000 + "\n---\n" + GOOD,
        ALIASES,
        "\0" * 1000,
    ],
    ids=lambda text: ascii(text[:8]),
)
def test_hostile_files_are_refused(text: str) -> None:
    for line in complaint(text):
        assert len(line) < 400


ODDS = [
    "\n  ",
    "\n- ",
    ": ",
    "? ",
    "#",
    "---\n",
    "...\n",
    "|2",
    ">-",
    "%A\n",
    "*a",
    "&a ",
    "!t ",
    "\t",
    "\r",
    "\0",
    '"',
    "'",
]
ODDS += [
    "[",
    "]",
    "{",
    "}",
    ",",
    "~",
    "null",
    "\\ud800",
    "\\x1b",
    "\u00e9",
    "\u2028",
    "\U0001f53a",
    "r1c1",
    "-1",
    "99",
    "^",
    "v",
]


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_good_file_gone_wrong_reads_the_same_with_both_parsers(data: st.DataObject) -> None:
    text = FULL
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = start + data.draw(st.integers(0, 3))
        text = text[:start] + data.draw(st.sampled_from(ODDS)) + text[end:]
    results = []
    for loader in PARSERS.values():
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(shapefile, "_C_LOADER", loader)
            results.append(outcome(text))
    assert results[0] == results[1]
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for problem in results[0]:
        if isinstance(problem, tuple):
            line, column, message = problem
            assert 1 <= line <= len(lines)
            assert 1 <= column <= len(lines[line - 1]) + 1
            assert message.isprintable()


def outcome(text: str) -> tuple[object, ...]:
    """What a file says, or what is wrong with it."""
    try:
        document = read_text(text)
    except ShapeFileError as error:
        return error.problems
    return tuple(value for key, value in vars(document).items() if key != "_source")


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=200) | st.text(max_size=100).map(lambda text: text.encode("utf-8", "surrogatepass")))
@example(b"\xed\xa0\x80")
@example(b"name: a\nboard: {triangle: 2}\n")
def test_any_bytes(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "f.yaml"
    path.write_bytes(data)
    said = f"{path}:"
    try:
        document: Document | None = read(path)
    except ShapeFileError as error:
        document, said = None, str(error)
    assert document or said.startswith(f"{path}:")
