"""The page to play on, in a real browser: games from empty to solved by mouse, touch and keyboard, and the rules.

The browser is Chromium or Chrome, whichever is installed; none is ever downloaded. Without one, or without the package
playwright, the tests are skipped, and with CI_BROWSER=required in the environment they fail. Every page is opened
from the disk with the network cut off; a request, a message on the console or an error in the script fails the test.

``python tests/test_play.py`` writes the pictures in docs/play.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest
from conftest import ROOT, Command
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import puzzles

import trisolve as ts
from trisolve.board import Board
from trisolve.lattice import Cell
from trisolve.picture.play import Carried, page, spread
from trisolve.puzzle import Puzzle
from trisolve.solution import Solution, verify
from trisolve.tiles import Supply, Tile, rotations

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
FLAGS += ["--disable-component-update", "--disable-sync"]


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser without a window. Raises ImportError or FileNotFoundError where there is none."""
    from playwright.sync_api import sync_playwright

    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
    path = next(filter(None, map(shutil.which, names)), None)
    if path is None:
        raise FileNotFoundError(f"no browser: looked for {', '.join(names)}")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    try:
        with chromium() as found:
            yield found
    except (ImportError, FileNotFoundError) as error:
        if os.environ.get("CI_BROWSER") == "required":
            pytest.fail(f"a browser is required: {error}")
        pytest.skip(str(error))


class Game:
    """A page in a browser, and what a player does there."""

    def __init__(self, page: Page, puzzle: Puzzle) -> None:
        self.page = page
        self.puzzle = puzzle

    # -- what there is to see --

    @property
    def message(self) -> str:
        return self.page.inner_text("#message")

    def filling(self) -> dict[str, str]:
        texts = self.page.evaluate("trisolve.filling()")
        return {name: text for name, text in zip(self.puzzle.board.names(), texts, strict=True) if text}

    def tray(self) -> dict[str, str]:
        """The kinds in the tray, and how each lies there."""
        script = "items => items.map(({dataset}) => [dataset.kind, dataset.text])"
        return dict(self.page.eval_on_selector_all("#tray li", script))

    def crosses(self) -> int:
        return len(self.page.query_selector_all(".wrong:not(.maybe)"))

    def solved(self) -> bool:
        return self.page.is_visible("#end")

    # -- what a player does --

    def view(self, cell: str) -> str:
        return f'[data-cell="{self.puzzle.board.names().index(cell)}"]'

    def middle(self, selector: str) -> tuple[float, float]:
        script = """element => {
            element.scrollIntoView({block: "nearest", inline: "nearest"});
            const {left, right, top, bottom} = element.getBoundingClientRect();
            return [(left + right) / 2, (top + bottom) / 2];
        }"""
        x, y = self.page.eval_on_selector(selector, script)
        return x, y

    def cell_at(self, cell: str) -> tuple[float, float]:
        return self.middle(f"{self.view(cell)} .hit")

    def drag(self, start: tuple[float, float], end: tuple[float, float], turns: int = 0) -> None:
        """By mouse, with the wheel turning the tile on the way."""
        mouse = self.page.mouse
        mouse.move(*start)
        mouse.down()
        mouse.move(start[0] + 9, start[1] + 9)
        for _ in range(turns):
            before = self.page.get_attribute("#ghost", "data-shown")
            mouse.wheel(0, 100)
            self.wait(lambda before=before: self.page.get_attribute("#ghost", "data-shown") != before)
        mouse.move(*end, steps=3)
        mouse.up()

    def wait(self, reached: Callable[[], bool]) -> None:
        """The browser's own way to wait is to evaluate a text, which the policy of the page forbids."""
        for _ in range(500):
            if reached():
                return
            self.page.wait_for_timeout(10)
        raise TimeoutError

    def turns(self, text: str) -> int:
        """How often a tile of the tray must be turned to lie so."""
        return rotations(self.tray()[Tile(text).text]).index(text)

    def lay(self, cell: str, text: str) -> None:
        """From the tray to a cell, by mouse."""
        self.drag(self.middle(f'#tray [data-kind="{Tile(text).text}"]'), self.cell_at(cell), self.turns(text))

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)


Opener = Callable[..., Game]


@pytest.fixture
def play(browser: Browser, tmp_path: Path) -> Iterator[Opener]:
    """Opens the page of a puzzle from the disk, without a network."""
    complaints: list[str] = []
    contexts = []

    def opened(
        puzzle: Puzzle | str,
        solutions: list[Solution] | int = 5,
        *,
        complete: bool = False,
        reason: str | None = None,
        size: tuple[int, int] = (1100, 760),
        **options: Any,
    ) -> Game:
        the_puzzle = ts.load(puzzle) if isinstance(puzzle, str) else puzzle
        found = list(ts.solutions(the_puzzle, limit=solutions)) if isinstance(solutions, int) else solutions
        path = tmp_path / f"{len(contexts)}.html"
        path.write_text(page(the_puzzle, Carried(found, complete, reason)), encoding="utf-8")
        context = browser.new_context(
            viewport={"width": size[0], "height": size[1]}, offline=True, reduced_motion="reduce", **options
        )
        contexts.append(context)
        tab = context.new_page()
        tab.set_default_timeout(10_000)
        tab.on("request", lambda request: request.url == path.as_uri() or complaints.append(f"asked for {request.url}"))
        tab.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
        tab.on("pageerror", lambda error: complaints.append(str(error)))
        tab.goto(path.as_uri())
        return Game(tab, the_puzzle)

    yield opened
    for context in contexts:
        context.close()
    assert not complaints


# -- whole games ---------------------------------------------------------------------------------------


def test_the_hexagon_from_empty_to_solved_by_mouse(play: Opener) -> None:
    game = play("hexagon")
    solution = ts.solve(game.puzzle, seed=3)
    assert solution is not None
    assert len(game.tray()) == 25
    for cell, text in solution.items():
        assert not game.solved()
        game.lay(cell, text)
    assert game.solved()
    assert game.filling() == dict(solution)
    assert re.fullmatch(r"Solved in \d+:\d\d\.", game.message)
    assert "24 moves, no hints" in game.page.inner_text("#summary")
    assert game.page.inner_text("#left") == "1 tile left over"
    game.page.click("#again")
    assert not game.filling()
    assert not game.solved()


def test_a_game_by_touch(play: Opener) -> None:
    game = play("trapezoid", size=(390, 700), has_touch=True, is_mobile=True)
    solution = ts.solve(game.puzzle)
    assert solution is not None
    touch = game.page.context.new_cdp_session(game.page)

    def event(kind: str, *place: float) -> None:
        points = [{"x": place[0], "y": place[1]}] if place else []
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    for cell, text in solution.items():
        chosen = f'#tray [data-kind="{Tile(text).text}"]'
        for _ in range(game.turns(text)):
            # The first tap takes the tile, and each one after that turns it.
            if game.page.get_attribute(chosen, "aria-selected") != "true":
                game.page.tap(chosen)
            game.page.tap(chosen)
        (x, y), (to_x, to_y) = game.middle(chosen), game.cell_at(cell)
        event("touchStart", x, y)
        for share in (0.1, 0.5, 1):
            # The tile is carried above the finger, so that it can be seen.
            finger = y + (to_y + 44 - y) * share
            event("touchMove", x + (to_x - x) * share, finger)
        game.wait(lambda above=finger - 44: abs(game.middle("#ghost")[1] - above) < 1)
        event("touchEnd")
    assert game.solved()
    assert game.filling() == dict(solution)


@pytest.mark.parametrize("key", ["u", "U", "h", "Delete", "Enter", "Escape", "Control+z", "r", "?"])
def test_a_key_in_the_middle_of_a_drag(play: Opener, key: str) -> None:
    game = play("small-hexagon")
    solution = ts.solve(game.puzzle)
    assert solution is not None
    (first, text), (second, other) = list(solution.items())[:2]
    game.lay(first, text)
    mouse = game.page.mouse
    for far in (2, 30):
        mouse.move(*game.cell_at(first) if key == "Enter" else game.middle("#tray li"))
        mouse.down()
        mouse.move(100 + far, 300 + far)
        game.page.keyboard.press(key)
        game.page.keyboard.press("Escape")
        mouse.move(*game.cell_at(second), steps=2)
        mouse.up()
    for cell in list(game.filling()):
        assert ts.Tile(game.filling()[cell])
    game.page.click("#new")
    game.lay(second, other)
    assert game.filling() == {second: other}


def test_a_game_by_taps_alone(play: Opener) -> None:
    game = play("rhombus", size=(320, 640), has_touch=True, is_mobile=True)
    solution = ts.solve(game.puzzle)
    assert solution is not None
    for cell, text in solution.items():
        for _ in range(1 + game.turns(text)):
            game.page.tap(f'#tray [data-kind="{Tile(text).text}"]')
        game.page.touchscreen.tap(*game.cell_at(cell))
    assert game.solved()
    first = next(iter(solution))
    game.page.touchscreen.tap(*game.cell_at(first))
    game.page.tap("#back")
    assert not game.solved()
    assert len(game.filling()) == 1


def test_a_game_by_keyboard_alone(play: Opener) -> None:
    game = play("small-hexagon")
    solution = ts.solve(game.puzzle, seed=1)
    assert solution is not None
    names = game.puzzle.board.names()
    for cell, text in solution.items():
        # To the tray: forward from the top of the page, or back from the board.
        for _ in range(20):
            if game.page.evaluate("document.activeElement.closest('#tray') !== null"):
                break
            game.press("Shift+Tab" if game.filling() else "Tab")
        game.press("Home")
        for _ in range(list(game.tray()).index(Tile(text).text)):
            game.press("ArrowRight")
        for _ in range(game.turns(text)):
            game.press("r")
        game.press("Enter")
        for _ in range(30):
            here = int(game.page.evaluate("document.activeElement.dataset.cell"))
            if names[here] == cell:
                break
            row, to = (int(re.findall(r"\d+", name)[0]) for name in (names[here], cell))
            game.press("ArrowDown" if row < to else "ArrowRight" if here < names.index(cell) else "ArrowLeft")
        game.press("Enter")
        assert game.filling()[cell] == text, game.message
    assert game.solved()
    # Taking one away and undoing that is done by keyboard too.
    game.press("Delete")
    assert not game.solved()
    game.press("u")
    assert game.solved()


def test_arrow_keys_go_where_they_point(play: Opener) -> None:
    game = play("board-73", [])
    board = game.puzzle.board
    game.page.focus(game.view("r3c5"))

    def here() -> str:
        return board.names()[int(game.page.evaluate("document.activeElement.dataset.cell"))]

    for key, cell in (
        ("ArrowRight", "r3c6"),
        ("ArrowDown", "r4c6"),
        ("ArrowDown", "r5c6"),
        ("ArrowLeft", "r5c5"),
        ("ArrowUp", "r4c5"),
        ("ArrowUp", "r3c5"),
        ("End", "r3c12"),
        ("Home", "r3c2"),
    ):
        game.press(key)
        assert here() == cell


# -- moves that are refused, marked, undone --------------------------------------------------------------


def test_a_wrong_move_is_refused(play: Opener) -> None:
    game = play("rhombus")
    game.lay("r1c1", "000")
    game.lay("r1c2", "012")
    assert game.filling() == {"r1c1": "000"}
    assert "012 doesn't fit in row 1, column 2" in game.message
    assert "corners that meet there show 0 and " in game.message
    assert "Turned, it would fit" not in game.message
    game.lay("r1c2", "100")
    assert "Turned, it would fit" in game.message
    assert game.crosses() == 0
    assert "012" in game.tray()


def test_wrong_corners_are_marked_when_wrong_moves_are_allowed(play: Opener) -> None:
    game = play("rhombus")
    game.page.uncheck("#strict")
    game.lay("r1c1", "000")
    assert game.crosses() == 0
    game.lay("r1c2", "111")
    assert game.filling() == {"r1c1": "000", "r1c2": "111"}
    assert game.crosses() == 2
    assert "That is wrong" in game.message
    assert str(game.page.get_attribute(game.view("r1c2"), "aria-label")).endswith("wrong")
    assert not game.solved()
    game.press("c")
    assert "2 places wrong" in game.message
    game.press("u")
    assert game.crosses() == 0


def test_a_wrong_corner_shows_while_the_tile_is_carried(play: Opener) -> None:
    game = play("rhombus")
    game.lay("r1c1", "000")
    mouse, start, end = game.page.mouse, game.middle('#tray [data-kind="111"]'), game.cell_at("r1c2")
    mouse.move(*start)
    mouse.down()
    mouse.move(*end, steps=4)
    assert len(game.page.query_selector_all(".wrong.maybe")) == 2
    game.press("Escape")
    mouse.up()
    assert game.filling() == {"r1c1": "000"}
    assert not game.page.query_selector_all(".wrong")


def test_tiles_move_about_the_board_and_back_to_the_tray(play: Opener) -> None:
    game = play("triangle-2")
    game.lay("r1c2", "012")
    game.drag(game.cell_at("r1c2"), game.cell_at("r2c3"))
    assert game.filling() == {"r2c3": "012"}
    assert "012" not in game.tray()
    game.lay("r2c3", "000")
    assert game.filling() == {"r2c3": "000"}
    assert "012 is back in the tray" in game.message
    game.drag(game.cell_at("r2c3"), (5, 5))
    assert game.filling() == {"r2c3": "000"}
    game.drag(game.cell_at("r2c3"), game.middle(".head"))
    assert game.filling() == {}
    assert len(game.tray()) == game.puzzle.supply.total


def test_turning_a_laid_tile_skips_what_does_not_fit(play: Opener) -> None:
    # Two cells that touch in a point only, the left corner of the upper one; a third keeps the game open.
    game = play(Puzzle(Board([Cell(0, 0, True), Cell(-1, -1, False), Cell(3, 0, True)]), "trioker-24"), [])
    game.lay("r1c3", "010")
    game.page.focus(game.view("r1c3"))
    game.press("r")
    assert game.filling() == {"r1c3": "100"}
    game.press("Shift+R")
    assert game.filling() == {"r1c3": "010"}
    game.lay("r2c1", "000")
    game.page.focus(game.view("r1c3"))
    game.press("r")
    assert game.filling() == {"r1c3": "001", "r2c1": "000"}
    game.lay("r1c3", "012")
    game.page.focus(game.view("r1c3"))
    game.press("r")
    assert game.filling() == {"r1c3": "012", "r2c1": "000"}
    assert "012 can't lie otherwise" in game.message


def test_undo_and_redo(play: Opener) -> None:
    game = play("triangle-2")
    states = [game.filling()]
    for cell, text in dict(next(ts.solutions(game.puzzle))).items():
        game.lay(cell, text)
        states.append(game.filling())
    assert len({json.dumps(state) for state in states}) == 5
    for state in reversed(states[:-1]):
        game.press("Control+z")
        assert game.filling() == state
    assert game.page.is_disabled("#undo")
    for state in states[1:3]:
        game.press("Control+Shift+Z")
        assert game.filling() == state
    game.page.click("#redo")
    assert game.filling() == states[3]
    game.page.click("#new")
    assert not game.filling()
    game.page.click("#undo")
    assert game.filling() == states[3]


# -- hints ---------------------------------------------------------------------------------------------------


def test_hints_lead_to_a_carried_solution(play: Opener) -> None:
    puzzle = ts.load("hexagon")
    (solution,) = ts.solutions(puzzle, limit=1, seed=5)
    game = play(puzzle, [solution])
    game.lay("r2c3", solution["r2c3"])
    for _ in range(23):
        game.press("h")
    assert game.solved()
    assert game.filling() == dict(solution)
    assert "23 hints" in game.page.inner_text("#summary")


@pytest.mark.parametrize("complete", [True, False])
def test_a_hint_says_what_is_in_the_way(play: Opener, complete: bool) -> None:
    puzzle = ts.load("trapezoid")
    one, other = ts.solutions(puzzle, limit=2)
    game = play(puzzle, [one], complete=complete)
    cell = next(cell for cell in one if one[cell] != other[cell])
    for name in (cell, *[name for name in one if one[name] == other[name]][:1]):
        game.lay(name, other[name])
    before = game.filling()
    game.press("c")
    assert ("the only one is known" if complete else "There may be others") in game.message
    game.page.click("#hint")
    assert game.filling() == before
    game.page.click("#follow")
    assert game.page.locator(".astray").count() == 1
    game.page.click("#follow")
    assert game.filling() == {name: text for name, text in before.items() if name != cell}
    game.press("c")
    assert game.message.startswith("Yes, this can be solved")


def test_pages_without_solutions_say_so(play: Opener) -> None:
    game = play("rhombus", [])
    game.press("h")
    assert "carries no solution" in game.message
    assert "There may be one" in game.message
    game = play("hexagon-24", [], complete=True, reason="the border needs more tiles")
    assert game.message == "This puzzle has no solution: the border needs more tiles."


def test_solutions_survive_packing(play: Opener) -> None:
    # 1,000 ways to lie need two characters each.
    puzzle = Puzzle(Board.triangle(2), "complete-10")
    solutions = list(ts.solutions(puzzle, limit=400, seed=1))
    game = play(puzzle, solutions)
    assert game.page.evaluate("trisolve.data.solutions.width") == 2
    assert game.page.evaluate("trisolve.solutions()") == [list(s.values()) for s in solutions]
    loose = ts.load("tiles-on-board-52")
    (solution,) = ts.solutions(loose, limit=1)
    packed = play(loose, [solution]).page.evaluate("trisolve.solutions()")
    assert packed == [[solution.cells.get(cell, "") for cell in loose.board]]


def test_spread_adds_images_and_repeats_nothing() -> None:
    puzzle = ts.load("parallelogram-4x3")
    everything = set(ts.solutions(puzzle))
    some = spread(ts.solutions(puzzle), 50)
    assert len(some) == len(set(some)) == 50
    assert set(some) <= everything
    assert set(spread(ts.solutions(puzzle), 1000)) == everything


# -- kinds of puzzles ------------------------------------------------------------------------------------


def test_clues_are_kept(play: Opener) -> None:
    game = play("three-clues", complete=True)
    given = game.filling()
    assert given == {"r3c1": "120"}
    game.page.uncheck("#strict")
    game.drag(game.cell_at("r3c1"), game.cell_at("r2c3"))
    game.page.check("#strict")
    assert game.filling() == given
    game.page.focus(game.view("r3c1"))
    game.press("Delete", "r")
    assert game.filling() == given
    assert "given" in game.message
    game.lay("r3c5", "000")
    assert "that cell is for the tile 132" in game.message
    game.lay("r1c3", "000")
    assert "the value 1 is given there" in game.message
    assert game.filling() == given
    for _ in range(8):
        game.press("h")
    assert game.solved()
    assert verify(game.puzzle, game.filling())


@pytest.mark.parametrize(
    "name", ["macmahon-hexagon", "macmahon-hexagon-same", "triominoes-ring", "tiles-on-board-52", "two-points"]
)
def test_other_puzzles_are_played_to_the_end(play: Opener, name: str) -> None:
    game = play(name, 1)
    solution = game.page.evaluate("trisolve.solutions()[0]")
    cells = [(cell, text) for cell, text in zip(game.puzzle.board.names(), solution, strict=True) if text]
    for _ in cells[1:]:
        game.press("h")
    assert not game.solved()
    (last,) = ((cell, text) for cell, text in cells if cell not in game.filling())
    game.lay(*last)
    assert game.solved(), game.message
    assert verify(game.puzzle, game.filling())


def test_a_border_of_one_value(play: Opener) -> None:
    game = play("macmahon-hexagon-same", [])
    game.lay("r1c2", "112")
    assert game.filling() == {"r1c2": "112"}
    game.lay("r1c5", "333")
    assert re.search("the border shows [12] everywhere, the tile shows 3 there", game.message)
    assert game.filling() == {"r1c2": "112"}


def test_tiles_that_lie_apart_are_no_solution(play: Opener) -> None:
    puzzle = Puzzle(Board.parallelogram(3, 1), ["000", "111"], fill="tiles")
    game = play(puzzle, [])
    names = puzzle.board.names()
    game.lay(names[0], "000")
    game.lay(names[-1], "111")
    assert not game.solved()
    assert "hang together" in game.message


def test_texts_of_a_puzzle_are_only_texts(play: Opener) -> None:
    title = "</title></script><script>alert(1)</script><!--<img src=x onerror=alert(2)> $script $& &amp; \u2028\u202e"
    puzzle = Puzzle(Board.triangle(1), "trioker", title=title)
    game = play(puzzle, 2, complete=True, reason="</script><!--<script>")
    assert game.page.text_content("h1") == title
    assert game.page.evaluate("document.scripts.length") == 2
    assert game.page.evaluate("document.images.length") == 0
    assert game.page.title().startswith("</title></script>")


def test_the_policy_allows_no_other_scripts() -> None:
    page_text = page(ts.load("rhombus"), Carried())
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page_text)
    assert policy
    assert policy[1].startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy[1]
    assert not re.search(r"<[^>]*\son[a-z]+=|\sstyle=|https?://(?!www\.w3\.org/2000/svg)", page_text)


# -- the same rules in two languages ----------------------------------------------------------------------

UNFINISHED = ("is not filled", " placed, expected ", "not connected", "is empty, expected")


def fillings(puzzle: Puzzle, solutions: list[Solution], number: int, seed: int) -> list[list[str]]:
    """Random fillings, of all sorts between nonsense and a solution."""
    draw = random.Random(seed)
    lies = [text for tile in puzzle.supply for text in tile.orientations()]
    found = []
    for _ in range(number):
        base = draw.choice(solutions).cells if solutions and draw.random() < 0.8 else {}
        texts = [base.get(cell, "") for cell in puzzle.board]
        for i in range(len(texts)):
            if draw.random() < draw.choice([0, 0, 0.1, 0.1, 0.5, 1]) and lies:
                texts[i] = draw.choice(["", draw.choice(lies), draw.choice(rotations(texts[i])) if texts[i] else ""])
        found.append(texts)
    return found


def judged(game: Game, texts: list[list[str]]) -> list[tuple[bool, bool, int]]:
    """What the page says to each: solved, nothing wrong so far, places where tiles don't agree."""
    found = game.page.evaluate(
        "all => all.map(trisolve.judge).map(({wrong, missing}) => [!wrong.length && !missing.length, !wrong.length,"
        "wrong.filter(({why}) => /that meet there/.test(why)).length])",
        texts,
    )
    return [tuple(entry) for entry in found]


def verified(puzzle: Puzzle, texts: list[str]) -> tuple[bool, bool, int]:
    """What verify says to it."""
    given = {name: text for name, text in zip(puzzle.board.names(), texts, strict=True) if text}
    problems = verify(puzzle, given).problems
    wrong = [problem for problem in problems if not any(words in problem for words in UNFINISHED)]
    return not problems, not wrong, sum("that meet don't agree" in problem for problem in problems)


WILD_BORDER = Puzzle(
    Board.hexagon([1] * 6), Supply.of(["00W", "0WW", "WWW", "001", "011", "111", "00W", "112", "WW1"]), border="same"
)
GIVEN_BORDER = Puzzle(
    Board.triangle(2),
    Supply.of(["11W", "1WW", "WWW", "111", "00W", "112"]),
    border="same",
    clues=[{"corner": "r2c1.left", "value": 1}],
)
PAIRS = Puzzle(
    Board.parallelogram(3, 1),
    Supply.of(["000", "001", "0W1"]),
    fill="tiles",
    clues=[{"cell": "r1c2", "filled": True}, {"cell": "r1c6", "empty": True}, {"cell": "r1c3", "tile": "001"}],
)


@pytest.mark.parametrize(
    "puzzle",
    [
        "trapezoid",
        "three-clues",
        "macmahon-hexagon-same",
        "two-points",
        "ring",
        "tiles-on-board-52",
        WILD_BORDER,
        GIVEN_BORDER,
        PAIRS,
    ],
    ids=lambda puzzle: puzzle if isinstance(puzzle, str) else "own",
)
def test_page_and_verify_agree(play: Opener, puzzle: Puzzle | str) -> None:
    game = play(puzzle, 3)
    solutions = list(ts.solutions(game.puzzle, limit=3))
    texts = fillings(game.puzzle, solutions, 400, 7) + [
        [s.cells.get(c, "") for c in game.puzzle.board] for s in solutions
    ]
    expected = [verified(game.puzzle, entry) for entry in texts]
    assert judged(game, texts) == expected
    # Both answers occur, or the comparison is worth nothing.
    assert {right for _, right, _ in expected} == {True, False}
    assert any(solved for solved, _, _ in expected)


def test_page_and_verify_agree_on_random_puzzles(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "random.html"
    tab = browser.new_page()

    @settings(max_examples=20)
    @given(puzzles(), st.integers(0, 1000))
    def agree(puzzle: Puzzle, seed: int) -> None:
        solutions = list(ts.solutions(puzzle, engine="reference", limit=3))
        path.write_text(page(puzzle, Carried(solutions)), encoding="utf-8")
        tab.goto(path.as_uri())
        texts = fillings(puzzle, solutions, 60, seed)
        assert judged(Game(tab, puzzle), texts) == [verified(puzzle, entry) for entry in texts]

    agree()
    tab.close()


# -- looks -------------------------------------------------------------------------------------------------


def test_dark_mode_changes_the_colours(play: Opener) -> None:
    def colours(game: Game) -> list[str]:
        return [
            game.page.evaluate(f"getComputedStyle(document.querySelector('{selector}')).{name}")
            for selector, name in (("body", "backgroundColor"), (".table", "backgroundColor"), (".ts-tile", "fill"))
        ]

    light, dark = (colours(play("rhombus", color_scheme=scheme)) for scheme in ("light", "dark"))
    assert all(one != other for one, other in zip(light, dark, strict=True))
    game = play("rhombus", color_scheme="light")
    game.page.emulate_media(color_scheme="dark")
    game.wait(lambda: colours(game) == dark)


def test_a_narrow_screen_holds_everything(play: Opener) -> None:
    game = play("board-73", [], size=(320, 640))
    assert game.page.evaluate("document.documentElement.scrollWidth") <= 320
    assert game.page.evaluate("document.documentElement.scrollHeight") <= 640
    for selector in (".bar button", ".zoom button:enabled", "#tray li", ".head label"):
        for button in game.page.query_selector_all(selector)[:8]:
            box = button.bounding_box()
            assert box
            assert box["height"] >= 44, selector
            assert box["width"] >= 44, selector
    wide = game.page.locator(".frame>svg").bounding_box()
    assert wide
    assert wide["width"] > 260
    for _ in range(3):
        game.page.click("#larger")
    box = game.page.locator(f"{game.view('r4c6')} .hit").bounding_box()
    assert box
    assert box["width"] > 70
    game.page.focus(game.view("r1c7"))
    game.press("ArrowRight", "ArrowDown")
    game.lay("r4c7", "012")
    assert game.filling() == {"r4c7": "012"}


def test_a_game_is_kept_from_one_visit_to_the_next(play: Opener) -> None:
    game = play("trapezoid")
    game.lay("r1c1", "000")
    game.page.reload()
    assert game.filling() == {"r1c1": "000"}
    assert "from before" in game.message
    game.page.evaluate('localStorage.setItem(localStorage.key(0), \'{"filling": ["999", 7]}\')')
    game.page.reload()
    assert game.filling() == {}


def test_a_page_that_may_keep_nothing_works(play: Opener) -> None:
    game = play("rhombus")
    game.page.add_init_script(
        "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('no', 'SecurityError'); }})"
    )
    game.page.reload()
    game.lay("r1c1", "000")
    assert game.filling() == {"r1c1": "000"}


def test_every_cell_and_tile_says_what_it_is(play: Opener) -> None:
    game = play("three-clues")
    label = game.page.get_attribute(game.view("r3c1"), "aria-label")
    assert label == "row 3, column 1, pointing up, tile left 1, right 2, top 0, given"
    assert game.page.get_attribute(game.view("r1c3"), "aria-label") == (
        "row 1, column 3, pointing up, empty, right must show 1"
    )
    assert game.page.get_attribute("#message", "role") == "status"
    unnamed = game.page.evaluate(
        "[...document.querySelectorAll('button, [role=gridcell], [role=option], input')].filter(element =>"
        "!(element.hidden || element.ariaLabel || element.textContent.trim() || element.labels?.length)).length"
    )
    assert unnamed == 0
    game.press("?")
    assert game.page.is_visible("#help")
    game.press("Escape")
    assert not game.page.is_visible("#help")


# -- the command -----------------------------------------------------------------------------------------


def test_the_command_writes_a_page(trisolve: Command, tmp_path: Path) -> None:
    done = trisolve("play", "triangle-2", "-o", "page.html", "--solutions", 20)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "written to page.html with 20 solutions\n"
    assert (tmp_path / "page.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    done = trisolve("play", "parallelogram-4x3", "-o", "page.html", "--all", "--time-limit", 100)
    assert done.stderr == "written to page.html with all 120 solutions\n"
    done = trisolve("play", "hexagon-24", "-o", "page.html")
    assert done.returncode == 0
    assert done.stderr == "written to page.html without hints: no solution exists\n"
    done = trisolve("play", "rhombus", "-o", "page.html", "--solutions", 0, "--quiet", "--style", "colors")
    assert (done.returncode, done.stderr) == (0, "")
    written = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert '"number":0,' in written
    assert '"ts-v3"' in written


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["rhombus"], "Missing option '-o'"),
        (["rhombus", "-o", "page.pdf"], "ends in .html"),
        (["rhombus", "-o", "nowhere/page.html"], "no such folder"),
        (["nothing", "-o", "page.html"], "nothing"),
        (["rhombus", "-o", "page.html", "--all", "--solutions", "3"], "exclude each other"),
        (["rhombus", "-o", "page.html", "--solutions", "100001"], "100001 is not in the range 0<=x<=100000"),
    ],
)
def test_bad_input_is_one_line(trisolve: Command, tmp_path: Path, arguments: list[str], said: str) -> None:
    done = trisolve("play", *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_pages_are_small() -> None:
    puzzle = ts.load("hexagon")
    solutions = list(ts.solutions(puzzle, limit=200))
    assert len(page(puzzle, Carried(solutions))) < 120_000


def test_a_board_without_cells_is_solved(play: Opener) -> None:
    assert play(Puzzle(Board([]), "trioker"), 1).solved()


# -- pictures for the documentation ------------------------------------------------------------------------


def draw_pictures() -> None:
    """Write the pictures of docs/play: a page as it looks while somebody plays."""
    from PIL import Image

    folder = ROOT / "docs" / "play"
    folder.mkdir(exist_ok=True)

    def wrong(game: Game) -> None:
        hints(game, 11)
        game.page.uncheck("#strict")
        cell = next(name for name in game.puzzle.board.names() if name not in game.filling())
        game.lay(cell, "333" if "333" in dict(game.tray()) else "222")

    def hints(game: Game, number: int) -> None:
        game.press(*"h" * number)

    def solved(game: Game) -> None:
        solution = ts.solve(game.puzzle, seed=2)
        assert solution
        for cell, text in solution.items():
            game.lay(cell, text)
            game.page.clock.fast_forward(19_000)

    def carried(game: Game) -> None:
        hints(game, 4)
        game.page.click("#tray li:nth-child(3)")
        game.page.mouse.move(*game.cell_at("r2c4"))

    scenes: list[tuple[str, str, tuple[int, int], dict[str, Any], Callable[[Game], None]]] = [
        ("hexagon", "hexagon", (960, 640), {"color_scheme": "light"}, wrong),
        ("colors", "hexagon", (960, 640), {"color_scheme": "dark"}, solved),
        ("board-73", "board-73", (960, 640), {"color_scheme": "dark"}, lambda game: hints(game, 31)),
        ("narrow", "three-clues", (320, 640), {"color_scheme": "light"}, carried),
    ]
    with chromium() as browser, TemporaryDirectory() as scratch:
        for name, shape, (width, height), options, play_on in scenes:
            puzzle = ts.load(shape)
            path = Path(scratch, "page.html")
            solutions = list(ts.solutions(puzzle, limit=20, seed=2))
            path.write_text(page(puzzle, Carried(solutions), "colors" if name == "colors" else None), encoding="utf-8")
            size: Any = {"width": width, "height": height}
            tab = browser.new_page(viewport=size, reduced_motion="reduce", **options)
            tab.clock.install(time=0)
            tab.goto(path.as_uri())
            tab.clock.pause_at(1)
            play_on(Game(tab, puzzle))
            tab.clock.fast_forward(252_000)
            picture = Image.open(BytesIO(tab.screenshot())).quantize(96, dither=Image.Dither.NONE)
            picture.save(folder / f"{name}.png", optimize=True)
            tab.close()


if __name__ == "__main__":
    draw_pictures()
