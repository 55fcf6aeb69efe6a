"""Positions: what can be done in them, against a slow reading of the rules; files that are wrong; the command."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, Command
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import boards, fillings

import trisolve as ts
from trisolve import picture, shapefile
from trisolve.board import Board
from trisolve.lattice import Cell, Point
from trisolve.position import Position
from trisolve.puzzle import Puzzle, PuzzleError
from trisolve.shapefile import ShapeFileError
from trisolve.solution import verify
from trisolve.tiles import Supply, Tile

SHAPES = [Board.hexagon([1] * 6), Board.hexagon([2, 1, 2, 1, 2, 1]), Board.hexagon([2] * 6), Board.triangle(4)]

# -- a slow reading of the rules --------------------------------------------------------------------


def agree(puzzle: Puzzle, cells: Mapping[str, str]) -> bool:
    """True when verify finds nothing wrong but cells that aren't filled."""
    return all("is not filled" in problem for problem in verify(puzzle, cells).problems)


def shared(a: Cell, b: Cell) -> int:
    """Corners that two cells have in common: two when they are side by side."""
    return len(set(a.corners()) & set(b.corners()))


def around(board: Board, centre: Point) -> list[Cell]:
    """The cells of the board at a point."""
    return [cell for cell in board if centre in cell.corners()]


def slow_moves(game: Position) -> Counter[tuple[Any, ...]]:
    """Every legal placement as (cell, tile, hand, hexagons, bridge), by trying all of them."""
    board = game.board
    placed = {board.name(cell): text for cell, text in game.placed.items()}
    found: Counter[tuple[Any, ...]] = Counter()
    for cell in board:
        if cell in game.placed:
            continue
        beside = [other for other in game.placed if shared(cell, other) == 2]
        if (game.placed and not beside) or (not game.placed and cell not in game.first_cells):
            continue
        filled = {*game.placed, cell}
        hexagons = {p for p in cell.corners() if len(set(around(board, p)) & filled) == 6}
        tip = [p for p in cell.corners() if len(beside) == 1 and p not in beside[0].corners()]
        bridge = {p for p in tip if any(p in other.corners() for other in game.placed)}
        for player, supply in game.hands.items():
            for tile in supply:
                for text in {tile.text, tile.text[1:] + tile.text[:1], tile.text[2:] + tile.text[:2]}:
                    if not game.placed and tile in game.not_first:
                        continue
                    if agree(game.puzzle, {**placed, board.name(cell): text}):
                        found[board.name(cell), text, player, frozenset(hexagons), frozenset(bridge)] += 1
    return found


def fillable(game: Position, cells: list[Cell]) -> bool:
    """True when the remaining tiles fill all of these cells, by trying all ways."""
    board = game.board
    start = {board.name(cell): text for cell, text in game.placed.items()}

    def fill(rest: list[Cell], placed: dict[str, str], left: Counter[Tile]) -> bool:
        if not rest:
            return True
        return any(
            agree(game.puzzle, after) and fill(rest[1:], after, left - Counter([tile]))
            for tile in left
            for text in tile.orientations()
            for after in ({**placed, board.name(rest[0]): text},)
        )

    return fill(cells, start, Counter(dict(game.remaining.items())))


@st.composite
def positions(draw: st.DrawFn, most_left: int = 8) -> Position:
    """A position read off a random filling: some of its tiles in one piece, others in one or two hands or in none."""
    match: Any = draw(st.sampled_from(["corners", "edges"]))
    board = draw(st.sampled_from(SHAPES) | boards(least=1, most=9))
    filling = draw(fillings(board, match))
    placed: list[Cell] = []
    for _ in range(draw(st.integers(0, len(board)))):
        near = [c for c in board if c not in placed and any(shared(c, other) == 2 for other in placed)]
        if placed and not near:
            break
        placed.append(draw(st.sampled_from(near if placed else board.cells)))
    others = [Tile(text) for cell, text in filling.items() if cell not in placed]
    extra = st.text("0123W", min_size=3, max_size=3).map(Tile)
    left = [t for t in draw(st.permutations(others)) if draw(st.booleans())][: most_left // 2]
    left += draw(st.lists(extra, max_size=most_left // 2))
    tiles = Supply.of([*(Tile(filling[cell]) for cell in placed), *left])
    cut, end = sorted(draw(st.tuples(*[st.integers(0, len(left))] * 2)))
    hands = draw(st.sampled_from([None, {"a": left[:cut], "b": left[cut:end]}]))
    return Position(
        board,
        tiles,
        {board.name(cell): filling[cell] for cell in placed},
        hands=hands,
        first_cells=draw(st.sampled_from([[], board.names()[:2]])) if not placed else [],
        not_first=draw(st.lists(st.sampled_from(left), max_size=2)) if left else [],
        match=match,
    )


def points(game: Position, names: Any) -> frozenset[Point]:
    return frozenset(game.board.corner(name) for name in names)


@settings(max_examples=150)
@given(game=positions())
def test_moves_are_all_that_the_rules_allow(game: Position) -> None:
    moves = game.moves()
    found = Counter(
        (m.cell, m.tile, m.hand, points(game, m.hexagons), points(game, [m.bridge] if m.bridge else [])) for m in moves
    )
    assert found == slow_moves(game)
    assert [m for player in game.hands for m in game.moves(player)] == sorted(
        moves, key=lambda m: list(game.hands).index(m.hand)
    )
    order = [game.board.index(game.board.cell(m.cell)) for m in moves]
    assert all(a <= b for a, b in pairwise(order))


@settings(max_examples=100)
@given(game=positions())
def test_a_dead_cell_is_one_that_nothing_fits(game: Position) -> None:
    expected = [game.board.name(c) for c in game.board if c not in game.placed and not fillable(game, [c])]
    assert list(game.dead_cells()) == expected


@settings(max_examples=60)
@given(game=positions(most_left=5))
def test_open_hexagons_are_those_that_can_be_filled(game: Position) -> None:
    inner = [p for p in game.board.points if len(around(game.board, p)) == 6]
    empty = {p: [c for c in around(game.board, p) if c not in game.placed] for p in inner}
    assert points(game, game.hexagons()) == {p for p in inner if not empty[p]}
    expected = {p for p in inner if 0 < len(empty[p]) < 6 and fillable(game, empty[p])}
    assert points(game, game.open_hexagons()) == expected


# -- hands, and the first tile ----------------------------------------------------------------------

TRIANGLE = Board.triangle(2)


def test_the_first_tile_goes_to_the_middle() -> None:
    def first(board: Board, **rules: Any) -> set[str]:
        return {move.cell for move in Position(board, "trioker-24", **rules).moves()}

    assert first(TRIANGLE) == {"r2c2"}
    assert first(Board.hexagon([2] * 6)) == {"r2c3", "r2c4", "r2c5", "r3c3", "r3c4", "r3c5"}
    assert first(Board.hexagon([4, 3, 4, 3, 4, 3])) == {"r4c7"}
    assert first(TRIANGLE, first_cells=["r1c2", "r2c1"]) == {"r1c2", "r2c1"}
    assert Position(Board([]), "trioker-24").moves() == []


def test_some_tiles_may_not_be_the_first() -> None:
    game = Position(TRIANGLE, "trioker-24", not_first=["000", "222"])
    assert {Tile(m.tile).text for m in game.moves()} == {t.text for t in game.remaining} - {"000", "222"}
    later = Position(TRIANGLE, "trioker-24", {"r2c2": "001"}, not_first=["000"])
    assert "000" in {m.tile for m in later.moves()}


def test_a_set_in_hand_is_less_what_is_placed_and_a_list_is_as_it_is() -> None:
    placed = {"r2c2": "001", "r1c2": "103"}
    game = Position(TRIANGLE, "trioker-24", placed, hands={"even": "trioker-even", "odd": ["330", "331"]})
    assert game.hands["even"].total == 10
    assert Tile("001") not in game.hands["even"]
    assert [t.text for t in game.hands["odd"]] == ["033", "133"]
    assert game.remaining.total == 22
    twice = Supply.of(["012", "012", "000"])
    assert Position(TRIANGLE, twice, {"r2c2": "012"}, hands={"a": ["012"]}).hands["a"].total == 1
    with pytest.raises(ValueError, match="no hand 'c': expected even or odd"):
        game.moves("c")


def test_dead_cells_are_about_all_remaining_tiles() -> None:
    placed = {"r2c2": "001"}
    game = Position(TRIANGLE, ["001", "000", "012"], placed, hands={"a": ["000"]})
    assert {m.cell for m in game.moves()} <= {"r1c2", "r2c1", "r2c3"}
    assert game.dead_cells() == Position(TRIANGLE, ["001", "000", "012"], placed).dead_cells()


@pytest.mark.parametrize(
    ("placed", "more", "message"),
    [
        ({"r9c9": "012"}, {}, r"placed\[0\].cell: there is no cell r9c9"),
        ({"r2c2": "01"}, {}, r"placed\[0\].tile: '01' is not a tile"),
        ([("r2c2", "012"), ("r2c2", "013")], {}, r"placed\[1\].cell: r2c2 holds a tile already"),
        ({"r2c2": "444"}, {}, r"placed\[0\].tile: tile 444 is not in trioker-24"),
        ({"r2c2": "000", "r2c1": "000"}, {}, r"tile 000 lies on the board more often than trioker-24 has it \(1\)"),
        ({"r2c2": "012", "r2c1": "333"}, {}, "r2c1 shows 3 at its right, but r2c2 shows 0 there"),
        ({"r1c2": "012", "r2c1": "330"}, {}, "r2c1 isn't joined to r1c2 by tiles side by side"),
        ({"r2c2": "012"}, {"first_cells": ["r2c1"]}, "none of r2c1 is filled"),
        ({}, {"first_cells": ["r7c1"]}, r"opening.cells\[0\]: there is no cell r7c1"),
        ({}, {"hands": {"a": ["444"]}}, "hands.a: tile 444 is not in trioker-24"),
        ({}, {"hands": {"a": "trioker-42"}}, "hands.a: no tile set 'trioker-42'"),
        ({}, {"hands": {"a": ["x"]}}, "hands.a: 'x' is not a tile"),
        ({"r2c2": "012"}, {"hands": {"a": ["012"]}}, r"a can't have 012: expected at most as many as are left \(0\)"),
        ({}, {"hands": {"a": ["012"], "b": "trioker-even"}}, r"b can't have 012: expected at most .* left \(1\)"),
    ],
)
def test_what_makes_no_sense_is_refused(placed: Any, more: dict[str, Any], message: str) -> None:
    with pytest.raises(PuzzleError, match=message):
        Position(TRIANGLE, "trioker-24", placed, **more)


def test_nobody_can_tell_whose_copy_is_placed() -> None:
    two = Supply.of(["012", "000"]).times(2)
    with pytest.raises(PuzzleError, match="nobody can tell whose 012 is on the board"):
        Position(TRIANGLE, ts.Supply.of(["012"] * 48), {"r2c2": "012"}, hands={"a": "trioker-24", "b": "trioker-24"})
    assert Position(TRIANGLE, two, {"r2c2": "012"}, hands={"a": ["012"], "b": ["000"]}).hands["a"].total == 1


# -- files ------------------------------------------------------------------------------------------

FILE = """\
name: game
tiles: trioker-24
board: {triangle: 2}
placed:
- {cell: r2c2, tile: "012", corner: right}
- {cell: r1c2, tile: "011", corner: right}
hands:
  anna: trioker-even
  ben: [333, 331]
opening: {cells: [r2c2], without: [000]}
"""


def read(tmp_path: Path, text: str) -> Position:
    path = tmp_path / "game.yaml"
    path.write_text(text, encoding="utf-8")
    return Position.load(path)


def test_a_file_says_all(tmp_path: Path) -> None:
    game = read(tmp_path, FILE)
    # The first character stands at the corner that is named.
    assert {game.board.name(c): t for c, t in game.placed.items()} == {"r2c2": "201", "r1c2": "101"}
    assert {player: held.total for player, held in game.hands.items()} == {"anna": 10, "ben": 2}
    assert game.not_first == {Tile("000")}
    assert game.first_cells == {game.board.cell("r2c2")}
    assert repr(game) == "Position(game: 2 of 4 cells filled, in hand: anna 10, ben 2)"
    sides = read(
        tmp_path, 'name: x\nboard: {triangle: 2}\ntiles: macmahon\nplaced: [{cell: r2c2, tile: "123", edge: top}]'
    )
    assert list(sides.placed.values()) == ["312"]
    assert list(sides.hands) == ["hand"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            'tile: "011", corner: right',
            'tile: "333", corner: right',
            "6:22: r1c2 shows 3 at its left, but r2c2 shows 1 there",
        ),
        ("r1c2", "r7c2", "6:10: there is no cell r7c2 on the board (2 rows, 3 columns)"),
        (
            'cell: r1c2, tile: "011", corner: right',
            'cell: r2c2, tile: "011", corner: right',
            "6:10: r2c2 holds a tile already: expected every cell once",
        ),
        ('"011"', '"012"', "6:22: tile 012 lies on the board more often than trioker-24 has it (1)"),
        ('"011"', '"01W"', "6:22: tile 01W is not in trioker-24"),
        (
            '011", corner: right',
            '011", corner: bottom',
            "6:37: 'bottom' is no corner of an up cell: expected left, right or top",
        ),
        (
            '011", corner: right',
            '011", edge: left',
            "6:35: values lie on the corners of a tile here: expected the key corner, not edge",
        ),
        (", corner: right}\nhands", "}\nhands", "6:3: nothing given: expected exactly one of corner, edge"),
        (', tile: "011"', "", "6:3: the key tile is missing: expected cell and tile in every placed tile"),
        (
            '011", corner: right',
            '011", corner: right, turn: 1',
            "6:44: unknown key 'turn': expected one of cell, tile, corner, edge",
        ),
        ("[333, 331]", "[333, 012]", "9:8: ben can't have 012: expected at most as many as are left (0)"),
        ("[333, 331]", "trioker-42", "9:8: 'trioker-42': expected a tile set"),
        ("[333, 331]", "{set: trioker-odd, list: [333]}", "9:27: list besides set: expected exactly one of set, list"),
        ("cells: [r2c2]", "cells: [r7c7]", "10:19: there is no cell r7c7 on the board (2 rows, 3 columns)"),
        ("cells: [r2c2]", "cells: [r2c1]", "10:18: none of r2c1 is filled: expected the first tile there"),
        ("without", "witout", "10:26: unknown key 'witout': expected one of cells, without"),
        (
            "opening: {",
            "clues: []\nopening: {",
            "10:1: unknown key 'clues': expected one of name, title, source, tiles, ",
        ),
        ("name: game\n", "", "1:1: the key name is missing: expected name and board in every shape file"),
    ],
)
def test_a_mistake_in_a_file_has_its_place(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in FILE
    with pytest.raises(ShapeFileError) as caught:
        read(tmp_path, FILE.replace(old, new))
    line = str(caught.value).split("\n")[0]
    assert line.startswith(f"{tmp_path / 'game.yaml'}:{message}")


def test_a_mapping_of_hands_is_needed(tmp_path: Path) -> None:
    for hands in ("", "[a, b]", "{}"):
        text = FILE[: FILE.index("hands")] + f"hands: {hands}\n"
        with pytest.raises(ShapeFileError, match=r":7:\d+: .*expected a mapping of players to their tiles"):
            read(tmp_path, text)


# -- the bundled ones, and the command --------------------------------------------------------------

EVEN_ODD = """\
place\tr2c3\t030\todd
place\tr2c5\t333\todd
place\tr4c1\t021\todd
place\tr4c1\t221\todd
place\tr4c4\t001\teven\thexagon r3c2.right
place\tr4c5\t030\todd\tbridge r4c3.right
place\tr4c8\t202\teven
place\tr4c8\t222\teven
place\tr4c8\t212\todd
place\tr5c3\t002\teven
place\tr5c3\t202\teven
place\tr5c3\t102\todd
place\tr5c6\t113\todd
place\tr6c7\t131\todd
dead\tr3c7
dead\tr5c9
dead\tr6c10
dead\tr7c9
open\tr3c2.right
open\tr3c4.right
open\tr4c1.right
"""


def test_the_bundled_positions_are_games_that_the_rules_allow() -> None:
    names = {path.stem for path in (ROOT / "shapes" / "positions").iterdir()}
    assert names == set(shapefile.bundled("positions")) == {"even-odd", "triominoes"}
    for name in names:
        game = Position.load(name)
        assert game.puzzle.name == name
        order = [(game.board.name(cell), text) for cell, text in game.placed.items()]
        # The tiles are listed as they were laid, and in Even-Odd the players took turns.
        for i, (cell, text) in enumerate(order):
            hands = {"even": "trioker-even", "odd": "trioker-odd"} if name == "even-odd" else None
            before = Position(
                game.board,
                game.puzzle.supply,
                order[:i],
                hands=hands,
                first_cells=[game.board.name(c) for c in game.first_cells],
                not_first=game.not_first,
            )
            player = ("even", "odd")[i % 2] if hands else None
            assert (cell, text) in {(m.cell, m.tile) for m in before.moves(player)} or (name, i) == ("triominoes", 0)


def test_moves_on_the_command_line(trisolve: Command, tmp_path: Path) -> None:
    done = trisolve("moves", "even-odd")
    assert (done.returncode, done.stdout) == (0, EVEN_ODD)
    assert done.stderr == "14 placements (1 hexagon, 1 bridge), 4 dead cells, 3 hexagons still open\n"
    done = trisolve("moves", "even-odd", "--hand", "even", "--quiet")
    assert done.stderr == ""
    assert done.stdout.count("place") == 5
    result = json.loads(trisolve("moves", "triominoes", "--json").stdout)
    game = Position.load("triominoes")
    assert list(result) == ["position", "filled", "hands", "moves", "dead_cells", "hexagons"]
    assert (result["position"], result["filled"]) == ("triominoes", 20)
    assert result["moves"] == [move.as_json() for move in game.moves()]
    assert result["dead_cells"] == list(game.dead_cells())
    assert result["hexagons"] == {"complete": [], "open": list(game.open_hexagons())}
    assert result["hands"]["ben"] == [tile.text for tile in game.hands["ben"]]


def test_a_picture_crosses_out_the_dead_cells(trisolve: Command, tmp_path: Path) -> None:
    done = trisolve("moves", "even-odd", "-o", "game.svg")
    assert done.returncode == 0
    assert "written to game.svg" in done.stderr
    drawn = (tmp_path / "game.svg").read_text()
    assert drawn.count('class="ts-mark"') == 4
    assert drawn == Position.load("even-odd").svg(names=True)
    text = picture.text(Position.load("even-odd"))
    assert text.count("x") == 4
    assert picture.text(Position(TRIANGLE, "trioker-24")) == picture.text(TRIANGLE)


def test_mistakes_on_the_command_line(trisolve: Command, tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text(FILE.replace('"011"', '"012"'))
    done = trisolve("moves", "bad.yaml")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "bad.yaml:6:22: tile 012 lies on the board more often than trioker-24 has it (1)\n"
    done = trisolve("moves", "nonsense")
    assert done.stderr == "nonsense: no such file or bundled position (bundled are even-odd and triominoes)\n"
    done = trisolve("moves", "even-odd", "--hand", "x")
    assert done.returncode == 2
    assert "no hand 'x': expected even or odd" in done.stderr
