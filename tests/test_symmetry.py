"""Groups, canonical forms, and counting up to symmetry, against lists of everything.

The lists are made here: all pairs of a symmetry of the board and a permutation of the values that pass
``is_symmetry``, all solutions by the reference engine, and orbits by taking images until nothing is new.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice, permutations
from math import factorial

import pytest
from conftest import Command
from hypothesis import assume, given, reject, settings
from hypothesis import strategies as st
from strategies import Filling, clues, filling_of, fillings, supplies, symmetries
from strategies import cells as any_cell

import trisolve as ts
from trisolve.board import Board
from trisolve.encoding import encode
from trisolve.engines import ENGINES, Run, burnside
from trisolve.lattice import SYMMETRIES, Cell, Symmetry
from trisolve.puzzle import Puzzle, PuzzleError
from trisolve.solution import Solution, canonical
from trisolve.symmetry import CHOICES, Element, Group, UpTo, board_symmetries, group, is_symmetry
from trisolve.tiles import SETS, Supply, Tile

MOST_SOLUTIONS = 700
"""Puzzles with more solutions are drawn anew."""

FIGURES = [
    (Board.triangle(1), "trioker-24", 3, 144),
    (Board.parallelogram(1, 1), "trioker-24", 6, 96),
    (Board.triangle(2), "trioker-24", 22, 144),
    (Board.hexagon([1] * 6), "trioker-24", 15, 288),
    (Board.hexagon([2] * 6), "trioker", 70, 24),
]


# -- lists of everything ------------------------------------------------------------------------------


def listed(puzzle: Puzzle, up_to: str = "symmetry") -> list[Element]:
    """All symmetries of a puzzle of one of the four sorts."""
    values = puzzle.supply.values
    return [
        element
        for lattice in board_symmetries(puzzle.board)
        for images in permutations(values)
        for element in [Element(lattice, dict(zip(values, images, strict=True)))]
        if (up_to != "values" or lattice == SYMMETRIES[0])
        and (up_to not in ("rotation", "reflection") or images == values)
        and not (up_to == "rotation" and lattice.reflects)
        and is_symmetry(puzzle, element)
    ]


def images(puzzle: Puzzle, elements: list[Element], filling: Filling) -> set[Filling]:
    """The orbit of a filling."""
    return {frozenset(element.placed(puzzle, cell, text) for cell, text in filling) for element in elements}


def orbits(puzzle: Puzzle, elements: list[Element], found: frozenset[Filling]) -> list[set[Filling]]:
    """All orbits of these fillings."""
    left = set(found)
    parts = []
    while left:
        orbit = images(puzzle, elements, next(iter(left)))
        assert orbit <= left
        left -= orbit
        parts.append(orbit)
    return parts


def texts(board: Board, filling: Filling) -> tuple[str, ...]:
    """The placed tiles in reading order."""
    return tuple(text for _, text in sorted(filling, key=lambda pair: board.index(pair[0])))


def closed(cells: list[Cell], symmetry: Symmetry, most: int) -> list[Cell]:
    """These cells and their images, orbit by orbit while there is room. The symmetry must be of finite order."""
    kept: dict[Cell, None] = {}
    for cell in cells:
        orbit = [cell]
        while (image := symmetry.cell(orbit[-1])) != cell:
            orbit.append(image)
        if len(kept.keys() | set(orbit)) <= most:
            kept.update(dict.fromkeys(orbit))
    return list(kept)


@st.composite
def symmetric_puzzles(draw: st.DrawFn, most: int = 6) -> tuple[Puzzle, frozenset[Filling]]:
    """A puzzle that often has symmetries, and its solutions; boards and clues are closed under one of them."""
    symmetry = draw(symmetries)
    unshifted = symmetry._replace(dx=0, dy=0)
    if symmetry.reflects or unshifted == SYMMETRIES[0]:  # with a shift it may be a glide or a translation
        symmetry = unshifted
    start = draw(any_cell)
    near = [start, *start.neighbours(), *(n for p in start.corners() for n in p.cells())]
    built = draw(st.sampled_from([True, True, False]))
    supply = draw(supplies())
    if len(supply.values) > 4:
        supply = SETS["trioker"].supply()
    if not built and len(supply) >= 8:
        most = 3
    board = Board(closed(draw(st.permutations(near))[:3], symmetry, most))
    match = draw(st.sampled_from(["corners", "edges"]))
    border = draw(st.sampled_from([None, None, None, "same", *supply.values[:1]]))
    given_clues: list[dict[str, object]] = []
    if built:
        filling = draw(fillings(board, match))
        supply = Supply.of(Tile(text) for text in filling.values())
        supply = supply.times(draw(st.integers(1, 2)))
        if draw(st.booleans()):
            supply = Supply.of([*supply, *(tile.mirrored() for tile in supply)]).times(draw(st.integers(1, 3)))
        if draw(st.booleans()) and board.cells:
            given_clues = draw(clues(board, match, filling))
    try:
        puzzle = Puzzle(board, supply, match=match, border=border, clues=given_clues)  # type: ignore[arg-type]
        if draw(st.booleans()) and puzzle.clues:
            bare = listed(Puzzle(board, supply, match=match, border=border))  # type: ignore[arg-type]
            element = draw(st.sampled_from(bare))
            more = list(puzzle.clues)
            for clue in puzzle.clues:
                image = element.clue(puzzle, clue)
                while image not in more:
                    more.append(image)
                    image = element.clue(puzzle, image)
            puzzle = Puzzle(board, supply, match=match, border=border, clues=more)  # type: ignore[arg-type]
    except PuzzleError:
        reject()
    assume(supply.total >= len(board) or len(board) <= 4)
    found = list(islice(Run(puzzle, engine="reference"), MOST_SOLUTIONS + 1))
    assume(len(found) <= MOST_SOLUTIONS)
    return puzzle, frozenset(map(filling_of, found))


# -- figures ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("board", "tiles", "number", "order"), FIGURES)
def test_figures_of_orbits(board: Board, tiles: str, number: int, order: int) -> None:
    puzzle = Puzzle(board, tiles)
    counted = ts.count(puzzle, up_to="symmetry")
    assert (counted, counted.orbits, counted.group_order, counted.complete) == (number, number, order, True)
    assert counted.solutions == ts.count(puzzle)
    found = list(ts.solutions(puzzle, up_to="symmetry"))
    assert len(found) == len(set(found)) == number
    assert all(canonical(solution) == solution for solution in found)


def test_the_parts_of_the_group_on_the_hexagon() -> None:
    hexagon = ts.load("hexagon")
    counts = {up_to: int(ts.count(hexagon, up_to=up_to)) for up_to in CHOICES}
    # A mirrored joker is no joker unless 1 and 2 are exchanged too.
    assert counts == {"rotation": 280, "reflection": 280, "values": 840, "symmetry": 70}


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_counts_orbits(engine: str) -> None:
    puzzle = Puzzle(Board.triangle(2), "trioker-24")
    assert ts.count(puzzle, up_to="symmetry", engine=engine) == 22
    if engine != "frontier":
        assert len(list(ts.solutions(puzzle, up_to="symmetry", engine=engine))) == 22


def test_more_permutations_than_can_be_listed() -> None:
    whole = group(Puzzle(Board.parallelogram(1, 1), "complete-10"))
    assert whole.order == 4 * factorial(10)
    assert sum(size for _, size in whole.conjugates()) == whole.order
    # A cell shows one value, two or three.
    cell = Puzzle(Board.triangle(1), "complete-10")
    assert ts.count(cell, up_to="symmetry") == 3
    assert {solution["r1c1"] for solution in ts.solutions(cell, up_to="symmetry")} == {"000", "001", "012"}
    six = Puzzle(Board.parallelogram(1, 1), "complete-6")
    assert ts.count(six, up_to="symmetry") == len(list(ts.solutions(six, up_to="symmetry")))


def test_ten_values_that_clues_tell_apart() -> None:
    board = Board.parallelogram(5, 2)
    values = [{"corner": f"{board.name(cell)}.left", "value": v} for v, cell in enumerate(board.cells[:20:2])]
    assert group(Puzzle(board, "complete-10", clues=values)).order == 1


# -- against the lists --------------------------------------------------------------------------------


def check_orbits(puzzle: Puzzle, found: frozenset[Filling], up_to: UpTo) -> None:
    """Compare what is counted, listed and called canonical with the orbits of these solutions, all there are."""
    elements = listed(puzzle, up_to)
    parts = orbits(puzzle, elements, found)
    counted = ts.count(puzzle, up_to=up_to)
    assert counted.complete
    assert (counted, counted.group_order, counted.solutions) == (len(parts), len(elements), len(found))
    least = {min(texts(puzzle.board, filling) for filling in orbit) for orbit in parts}
    for limit in (None, len(found) + 2):
        shown = [filling_of(s) for s in ts.solutions(puzzle, up_to=up_to, limit=limit)]
        assert len(shown) == len(least)
        assert {texts(puzzle.board, filling) for filling in shown} == least
    for orbit in parts[:3]:
        forms = {filling_of(canonical(Solution(puzzle, dict(f)), up_to)) for f in islice(orbit, 3)}
        assert {texts(puzzle.board, form) for form in forms} <= least
        assert len(forms) == 1


@settings(max_examples=150)
@given(symmetric_puzzles(), st.sampled_from(["symmetry", *CHOICES]))
def test_orbits_and_representatives(drawn: tuple[Puzzle, frozenset[Filling]], up_to: UpTo) -> None:
    check_orbits(*drawn, up_to)


CENTRE = {"corner": "r1c2.bottom", "value": 0}

MANY_KINDS = {
    "joker": Puzzle(Board.hexagon([1] * 6), ["12W", "012", "021", "112", "221", "001", "002", "000"]),
    "wild in the middle": Puzzle(Board.triangle(2), Supply.of(["WWW", "000", "012", "021"]).times(2)),
    "wild and a fixed cell": Puzzle(Board.triangle(2), ["0WW", "0WW", "1WW", "2WW", "012", "000", "WWW"]),
    "two wild corners, copies": Puzzle(Board.parallelogram(1, 1), Supply.of(["01W", "10W", "0WW", "1WW"]).times(2)),
    "copies on a ring": Puzzle(Board.hexagon([1] * 6), Supply.of(["000", "001", "011", "111"]).times(3)),
    "copies, clue in the middle": Puzzle(
        Board.hexagon([1] * 6), Supply.of(["000", "001", "011", "012", "021", "022", "002"]).times(2), clues=[CENTRE]
    ),
    "edges": Puzzle(Board.triangle(2), Supply.of(["000", "001", "011", "111"]).times(2), match="edges"),
    "edges, border": Puzzle(Board.hexagon([1] * 6), "macmahon", border=4),
    "edges, one value on the border": Puzzle(Board.triangle(2), "macmahon", border="same"),
    "one value on the border": Puzzle(
        Board.hexagon([1] * 6), Supply.of(["000", "001", "01W", "110"]).times(3), border="same"
    ),
    "values in a circle": Puzzle(Board.triangle(2), Supply.of(["001", "112", "220", "012"]).times(3)),
    "two parts": Puzzle(Board([Cell(0, 0, True), Cell(5, 0, True)]), ["000", "111", "001", "110", "WWW", "00W"]),
    "two pairs of values": Puzzle(
        Board([Cell(0, 0, True), Cell(5, 0, True)]), ["000", "001", "011", "111", "222", "223", "233", "333"]
    ),
    "nothing": Puzzle(Board([]), "trioker-24"),
    "no tiles": Puzzle(Board([]), []),
    "too few tiles": Puzzle(Board.triangle(2), ["000", "001"]),
}


@pytest.mark.parametrize("name", MANY_KINDS)
def test_orbits_of_puzzles_of_many_kinds(name: str) -> None:
    puzzle = MANY_KINDS[name]
    found = frozenset(map(filling_of, Run(puzzle, engine="reference")))
    assert bool(found) == (name != "too few tiles")
    for up_to in CHOICES:
        check_orbits(puzzle, found, up_to)


@settings(max_examples=40)
@given(symmetric_puzzles())
def test_groups(drawn: tuple[Puzzle, frozenset[Filling]]) -> None:
    puzzle, found = drawn
    for up_to in CHOICES:
        some = group(puzzle, up_to)
        elements = {key(e): e for e in some.elements()}
        assert set(elements) == {key(e) for e in listed(puzzle, up_to)}
        assert some.order == len(elements)
        assert key(some.representatives[0]) == key(Element(SYMMETRIES[0], {v: v for v in puzzle.supply.values}))
        for e in islice(elements.values(), 0, None, 7):
            assert key(e.after(e.inverse())) == key(some.representatives[0])
            assert key(e.inverse()) in elements
            for other in islice(elements.values(), 0, None, 5):
                assert key(e.after(other)) in elements
                for cell in puzzle.board:
                    tile = next(iter(puzzle.supply)).text
                    assert e.after(other).placed(puzzle, cell, tile) == e.placed(
                        puzzle, *other.placed(puzzle, cell, tile)
                    )
        parts = some.conjugates()
        assert sum(size for _, size in parts) == some.order
        if len(elements) * len(found) < 1000:
            fixed = {key(e): sum(images(puzzle, [e], f) == {f} for f in found) for e in elements.values()}
            assert sum(fixed[key(e)] * size for e, size in parts) == sum(fixed.values())


def key(element: Element) -> tuple[object, ...]:
    """An element as something that can be hashed."""
    return element.lattice, tuple(sorted(element.values.items()))


# -- manners ------------------------------------------------------------------------------------------


def test_many_small_batches_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = Puzzle(Board.hexagon([1] * 6), Supply.of(["000", "001", "011", "111", "12W"]).times(4))
    expected = ts.count(puzzle, up_to="symmetry")
    monkeypatch.setattr(burnside, "MOST_STATES", 1)
    assert ts.count(puzzle, up_to="symmetry") == expected


def fixed_by(puzzle: Puzzle, element: Element) -> int:
    """How many solutions an element maps to themselves, by the quotient."""
    steps = burnside.Quotient.of(encode(puzzle), element).fillings()
    while True:
        try:
            next(steps)
        except StopIteration as done:
            return int(done.value)


def test_numbers_beyond_64_bits() -> None:
    puzzle = Puzzle(Board.parallelogram(40, 1), Supply.of(["000", "001", "011", "111"]).times(100))
    (turn,) = [e for e in group(puzzle, "rotation").representatives if e.lattice != SYMMETRIES[0]]
    assert fixed_by(puzzle, turn) == 2**41
    counted = ts.count(puzzle, up_to="rotation")
    assert counted.solutions == 2**82
    assert counted == (2**82 + 2**41) // 2


def test_a_count_that_is_stopped_is_a_lower_bound() -> None:
    puzzle = ts.load("macmahon-hexagon")
    counted = ts.count(puzzle, up_to="symmetry", time_limit=0.2)
    assert not counted.complete
    assert -(-counted.solutions // 72) == counted <= 164_636
    assert repr(counted).startswith("at least")


def test_one_solution_comes_in_canonical_form() -> None:
    puzzle = ts.load("hexagon")
    solution = ts.solve(puzzle, up_to="symmetry")
    assert solution is not None
    assert ts.verify(puzzle, solution)
    assert canonical(solution) == solution
    other = ts.solve(puzzle)
    assert other is not None
    assert ts.verify(puzzle, canonical(other))


def test_what_is_refused() -> None:
    puzzle = Puzzle(Board.triangle(2), "trioker")
    with pytest.raises(ValueError, match="up to 'turns': expected one of rotation, reflection, values, symmetry"):
        group(puzzle, "turns")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="every cell"):
        canonical(Solution(puzzle, {puzzle.board.cells[0]: "012"}))
    with pytest.raises(ValueError, match="every cell"):
        canonical(Solution(puzzle, dict.fromkeys(puzzle.board, "555")))


def test_the_command_line(trisolve: Command) -> None:
    done = trisolve("count", "rhombus", "--up-to", "symmetry")
    assert (done.returncode, done.stdout) == (0, "6\n")
    assert done.stderr.startswith("6 orbits (216 solutions), group of order 96, ")
    result = json.loads(trisolve("count", "rhombus", "--up-to", "rotation", "--json").stdout)
    # Only a rhombus of two equal tiles would be its own image when turned, and there is one tile of each kind.
    assert {k: result[k] for k in ("count", "orbits", "group_order", "complete")} == {
        "count": 216, "orbits": 108, "group_order": 2, "complete": True,
    }  # fmt: skip
    listed = json.loads(trisolve("solve", "rhombus", "--all", "--up-to", "symmetry", "--json").stdout)
    assert len(listed["solutions"]) == listed["orbits"] == 6
    assert listed["solutions"][-1]["cells"].keys() == {"r1c1", "r1c2"}
    stopped = trisolve("count", "macmahon-hexagon", "--up-to", "symmetry", "--time-limit", "0.2")
    assert stopped.returncode == 3
    assert re.fullmatch(r"at least \d+ \(not complete\)\n", stopped.stdout)
    assert "orbits" in stopped.stderr
    assert "not complete" in stopped.stderr
    assert trisolve("count", "rhombus", "--up-to", "nothing").returncode == 2
    assert "group   96: 2 rotations, 2 reflections, 0, 1, 2 and 3 inter" in trisolve("check", "rhombus").stdout
    assert json.loads(trisolve("check", "rhombus", "--json").stdout)["group"]["order"] == 96


def described() -> Iterator[tuple[Puzzle, str]]:
    """Puzzles and what their groups are in words."""
    yield ts.load("hexagon"), "24: 6 rotations, 6 reflections (with 1 and 2 exchanged), 0 and 3 interchangeable"
    yield ts.load("eagle"), "2: 0 and 3 interchangeable"
    yield ts.load("three-clues"), "1: the identity only"
    clue = [{"cell": "r1c1", "tile": "012"}]
    yield (
        Puzzle(Board([Cell(0, 0, True), Cell(1, 0, True), Cell(0, 0, False)]), "trioker-24", clues=clue),
        "3: 3 ways to rename the values (one is 0 -> 1 -> 2 -> 0)",
    )
    yield Puzzle(Board.parallelogram(1, 1), ["001", "110"]), "8: 2 rotations, 2 reflections, 0 and 1 interchangeable"
    yield Puzzle(Board.triangle(1), "trioker-24"), "144: 3 rotations, 3 reflections, 0, 1, 2 and 3 interchangeable"


@pytest.mark.parametrize(("puzzle", "text"), list(described()))
def test_a_group_in_words(puzzle: Puzzle, text: str) -> None:
    whole: Group = group(puzzle)
    assert str(whole) == text
    assert repr(whole) == f"Group({text})"
    facts = whole.as_json()
    assert facts["order"] == whole.order
    ways = sum(int(str(facts[k])) for k in ("rotations", "reflections"))
    assert ways * int(str(facts["permutations"])) == whole.order
