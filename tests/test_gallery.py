"""Galleries: as HTML and PDF files, in notebooks, and by the command."""

from __future__ import annotations

import io
import re
import signal
import subprocess
import time
from html.parser import HTMLParser
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from conftest import Command, environment, heed_ctrl_c

import trisolve as ts
from trisolve import picture
from trisolve.display import gallery_html
from trisolve.engines import Count
from trisolve.lattice import Cell
from trisolve.picture import gallery
from trisolve.picture.gallery import HtmlGallery, gallery_file, notebook, summary
from trisolve.picture.pieces import pieces

RHOMBUS = ts.Puzzle(ts.Board.parallelogram(1, 1), "trioker-24", title="A rhombus")
CLUED = ts.Puzzle(
    ts.Board.triangle(2),
    "trioker",
    clues=[{"cell": "r1c2", "tile": "012"}, {"corner": "r2c1.left", "value": 3}],
)
SOME = ts.Puzzle(ts.Board.triangle(3), ["000", "001", "01W"], fill="tiles")


def some(puzzle: ts.Puzzle, number: int) -> ts.Gallery:
    return ts.Gallery(islice(ts.solutions(puzzle), number))


def html(solutions: list[ts.Solution], said: str = "so many", **options: Any) -> str:
    file = io.BytesIO()
    page = HtmlGallery(file, solutions[0].puzzle, **options)
    for solution in solutions:
        page.add(solution)
    page.finish(said)
    return file.getvalue().decode()


class Page(HTMLParser):
    """A gallery read back: symbols, and for each figure the symbols it uses, its caption, and its texts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.opened: list[str] = []
        self.symbols: dict[str, str] = {}
        self.figures: list[dict[str, Any]] = []
        self.texts: dict[str, str] = {}
        for name, body in re.findall(r'<symbol id="([^"]*)"[^>]*>(.*?)</symbol>', text, re.DOTALL):
            assert name not in self.symbols
            self.symbols[name] = body
        self.feed(text)
        assert not self.opened

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "figure":
            self.figures.append({"uses": [], "caption": "", "desc": "", "svg": {}})
        elif tag == "svg" and self.opened[-1] == "figure":
            self.figures[-1]["svg"] = given
        elif tag == "use":
            where = float(given.get("x", 0)), float(given.get("y", 0))
            self.figures[-1]["uses"].append((given["href"].removeprefix("#"), *where))
        if tag not in ("meta", "use"):
            self.opened.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag != "use":
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.opened.pop() == tag

    def handle_data(self, data: str) -> None:
        tag = self.opened[-1] if self.opened else ""
        if tag == "figcaption":
            self.figures[-1]["caption"] += data
        elif tag == "desc":
            self.figures[-1]["desc"] += data
        else:
            self.texts[tag] = self.texts.get(tag, "") + data


def drawn(body: str, x: float = 0, y: float = 0) -> list[Any]:
    """What SVG text without arcs draws: the classes, and all places moved."""
    found: list[Any] = []
    for tag, attributes in re.findall(r"<(\w+)((?: [^>]*)?)>", body):
        given = dict(re.findall(r'([\w-]+)="([^"]*)"', attributes))
        places = [(float(given[a]), float(given[b])) for a, b in (("cx", "cy"), ("width", "height")) if a in given]
        moved = re.findall(r"([\d.-]+) ([\d.-]+)", given.get("transform", "") or given.get("d", ""))
        places += [(float(a), float(b)) for a, b in moved]
        # Of letters the form is told by the path, and the place by the transform.
        letters = given["d"] if "transform" in given else ""
        found.append((tag, f"{given.get('class')} {letters}", [(a + x, b + y) for a, b in places]))
    return found


def same(one: list[Any], other: list[Any]) -> bool:
    def flat(things: list[Any]) -> tuple[list[Any], list[float]]:
        return [(t, c, len(p)) for t, c, p in things], [v for *_, places in things for pair in places for v in pair]

    (kinds, values), (other_kinds, other_values) = flat(one), flat(other)
    return kinds == other_kinds and values == pytest.approx(other_values, abs=0.021)


# -- HTML ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("puzzle", "options"),
    [
        (RHOMBUS, {}),
        (RHOMBUS, {"names": True}),
        (CLUED, {"clues": True, "theme": "dark"}),
        (SOME, {}),
        (SOME, {"names": True}),
        (ts.Puzzle(ts.Board.triangle(2), "macmahon"), {"style": "pips"}),
        (ts.Puzzle(ts.Board.triangle(2), "macmahon"), {"outlines": False}),
    ],
)
def test_every_figure_shows_its_solution(puzzle: ts.Puzzle, options: dict[str, Any]) -> None:
    solutions = some(puzzle, 60)
    page = Page(html(solutions, **options))
    assert len(page.figures) == len(solutions) > 10
    for figure, solution in zip(page.figures, solutions, strict=True):
        parts = [part for name, x, y in figure["uses"] for part in drawn(page.symbols[name], x, y)]
        alone = pieces(solution, **options)
        assert same(parts, drawn(alone.table + alone.board()))
        assert figure["desc"].split() == [word for pair in solution.items() for word in pair]
        assert figure["svg"]["viewbox"] == f"0 0 {alone.width} {alone.height}"


def test_each_distinct_placed_tile_is_drawn_once() -> None:
    solutions = some(ts.Puzzle(ts.Board.hexagon([1] * 6), "trioker-24"), 200)
    text = html(solutions)
    page = Page(text)
    placed = {(cell.up, tile) for solution in solutions for cell, tile in solution.cells.items()}
    assert len(page.symbols) == len(placed) + 1
    used: set[str] = set()
    for line in text.splitlines():
        used |= set(re.findall(r'href="#([^"]*)"', line))
        assert used <= set(re.findall(r'id="([^"]*)"', text[: text.index(line) + len(line)]))


def test_a_page_needs_nothing_but_itself() -> None:
    text = html(some(RHOMBUS, 5))
    assert not re.search(r"<script|https?:|src=|url\(|@import|<link| on\w+=", text)
    assert "default-src 'none'" in text
    assert "prefers-color-scheme:dark" in text
    assert "break-inside:avoid" in text
    assert "@page" in text
    assert text.startswith('<!DOCTYPE html>\n<html lang="en">')
    assert text.endswith("</html>\n")


def test_a_page_can_be_read_aloud() -> None:
    page = Page(html(some(RHOMBUS, 3), "3 solutions."))
    assert page.texts["h1"] == page.texts["title"] == "A rhombus"
    assert page.texts["p"].split() == ["3", "solutions."]
    assert [figure["svg"]["aria-label"] for figure in page.figures] == ["Solution 1", "Solution 2", "Solution 3"]
    assert all(figure["svg"]["role"] == "img" for figure in page.figures)


def test_captions_and_titles_are_text() -> None:
    puzzle = ts.Puzzle(RHOMBUS.board, "trioker-24", title="</h1><script>\x00\ud800 SUMMARY RULES")
    page = Page(html(some(puzzle, 2), "<i>", caption=lambda number, solution: f"<b>{number} & {solution['r1c2']}"))
    assert [figure["caption"] for figure in page.figures] == [
        f"<b>{k} & {s['r1c2']}" for k, s in enumerate(some(puzzle, 2), 1)
    ]
    assert "script" not in page.texts
    assert page.texts["h1"].startswith("</h1><script>")
    assert page.texts["p"].strip() == "<i>"


def test_a_page_is_written_while_solutions_come() -> None:
    file = io.BytesIO()
    page = HtmlGallery(file, RHOMBUS)
    sizes = []
    for solution in some(RHOMBUS, 100):
        page.add(solution)
        sizes.append(file.tell())
    assert sizes == sorted(set(sizes))
    # Late ones are all repeats.
    assert sizes[-1] - sizes[-2] < 500 < sizes[1] - sizes[0]
    page.finish("done")


@pytest.mark.parametrize("ending", [".html", ".pdf"])
def test_a_long_gallery_shows_the_first_ones_and_says_so(ending: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gallery, "MOST_TILES", 2 * 7 + 1)
    solutions = some(RHOMBUS, 30)
    if ending == ".html":
        page = Page(html(solutions, "30 solutions."))
        assert len(page.figures) == 7
        assert page.texts["p"].strip() == "30 solutions. The first 7 are shown."
    else:
        (text,) = pdf_texts(solutions, "30 solutions.")
        assert "30 solutions. The first 7 are shown." in text
        assert text.split()[-7:] == list("1234567")
    monkeypatch.setattr(gallery, "MOST_TILES", 1)
    assert len(Page(html(solutions)).figures) == 1


def test_a_gallery_is_of_one_puzzle(tmp_path: Path) -> None:
    other = ts.Puzzle(ts.Board.triangle(1), "trioker-24")
    with pytest.raises(ValueError, match="solutions of two puzzles in one gallery: expected one puzzle"):
        html([*some(RHOMBUS, 1), *some(other, 1)])
    again = ts.Puzzle(RHOMBUS.board, "trioker-24", title="The same")
    assert len(Page(html([*some(RHOMBUS, 1), *some(again, 1)])).figures) == 2
    for things in ([], [RHOMBUS], [1]):
        with pytest.raises(TypeError, match="a gallery is of solutions: expected a list of at least one Solution"):
            picture.write(things, tmp_path / "a.html")
    with pytest.raises(ValueError, match=r"the ending \.svg names no picture format, expected one of \.html, \.pdf$"):
        picture.write(some(RHOMBUS, 2), tmp_path / "a.svg")
    assert not list(tmp_path.iterdir())


def test_write_makes_galleries(tmp_path: Path) -> None:
    picture.write(some(RHOMBUS, 12), tmp_path / "a.HTML", style="digits")
    picture.write(some(RHOMBUS, 1)[0], tmp_path / "b.html")
    many, one = (Page((tmp_path / name).read_text("utf-8")) for name in ("a.HTML", "b.html"))
    assert (many.texts["p"].strip(), one.texts["p"].strip()) == ("12 solutions.", "1 solution.")
    assert not any("ts-pip" in body for body in many.symbols.values())
    assert any("ts-pip" in body for body in one.symbols.values())


def test_what_the_summary_says() -> None:
    assert summary("3 solutions", complete=True) == "3 solutions in all."
    assert summary("3 solutions") == "3 solutions."
    assert summary("3 solutions", stopped=True).endswith("this isn't complete.")


# -- PDF ----------------------------------------------------------------------------------------------


def pdf_file(solutions: list[ts.Solution], said: str = "so many", **options: Any) -> bytes:
    pytest.importorskip("reportlab")
    pytest.importorskip("svglib")
    file = io.BytesIO()
    made = gallery_file(".pdf", file, solutions[0].puzzle, **options)
    for solution in solutions:
        made.add(solution)
    made.finish(said)
    return file.getvalue()


def pdf_texts(solutions: list[ts.Solution], said: str, **options: Any) -> list[str]:
    pdfium = pytest.importorskip("pypdfium2")
    document = pdfium.PdfDocument(pdf_file(solutions, said, **options))
    return [page.get_textpage().get_text_range().replace("\r\n", "\n") for page in document]


def test_a_pdf_gallery_has_numbered_pages_and_captions() -> None:
    solutions = some(RHOMBUS, 70)
    texts = pdf_texts(solutions, "70 solutions.", caption=lambda number, solution: f"no. {number}: {solution['r1c1']}")
    assert len(texts) > 1
    captions = [line for text in texts for line in re.findall(r"no\. \d+: \d{3}", text)]
    assert captions == [f"no. {k}: {s['r1c1']}" for k, s in enumerate(solutions, 1)]
    for number, text in enumerate(texts, 1):
        assert "A rhombus" in text
        assert "70 solutions." in text
        assert re.search(rf"page {number}\s+of {len(texts)}\b", text)


def test_a_pdf_gallery_shows_what_the_pictures_show() -> None:
    pdfium = pytest.importorskip("pypdfium2")
    from PIL import ImageChops, ImageStat

    # Tiles come again in other rows.
    puzzle = ts.Puzzle(ts.Board.triangle(3), {"000": 9, "001": 9, "011": 9, "111": 9, "222": 9})
    solutions = [list(ts.solutions(puzzle))[k] for k in (100, 300, 500, 700, 900)]
    page = pdfium.PdfDocument(pdf_file(solutions, caption=lambda number, solution: ""))[0]
    # Between header and footer there is one row of five pictures.
    row = page.render(scale=3).to_pil().convert("L").crop((0, 230, 1785, 2400))
    row = row.crop(row.point(lambda value: 255 * (value < 252)).getbbox())
    step = 190 / 25.4 * 72 * 3 / 5
    for k, solution in enumerate(solutions):
        wide = row.width - 4 * step
        found = row.crop((round(k * step), 0, round(k * step + wide), row.height))
        alone = pdfium.PdfDocument(picture.pdf(solution))[0]
        expected = alone.render(scale=4).to_pil().convert("L").resize(found.size)
        assert ImageStat.Stat(ImageChops.difference(found, expected)).mean[0] < 4


def test_the_same_gallery_has_the_same_bytes() -> None:
    assert pdf_file(some(CLUED, 40), clues=True) == pdf_file(some(CLUED, 40), clues=True)
    assert html(some(CLUED, 40)) == html(some(CLUED, 40))


@pytest.mark.parametrize("ending", [".html", ".pdf"])
def test_galleries_of_extreme_boards(ending: str) -> None:
    for board in (ts.Board([]), ts.Board([Cell(0, 0, False)]), ts.Board.parallelogram(60, 20)):
        puzzle = ts.Puzzle(board, "trioker-24")
        solution = ts.Solution(puzzle, dict.fromkeys(board, "012"))
        if ending == ".html":
            assert len(Page(html([solution])).figures) == 1
        else:
            assert pdf_file([solution]).startswith(b"%PDF")


# -- notebooks ----------------------------------------------------------------------------------------


def test_a_gallery_is_a_list_whose_parts_are_galleries() -> None:
    solutions = some(RHOMBUS, 30)
    assert isinstance(solutions, list)
    assert isinstance(solutions[2:5], ts.Gallery)
    assert isinstance(solutions[2], ts.Solution)
    assert (repr(solutions), repr(solutions[:1])) == ("Gallery(30 solutions)", "Gallery(1 solution)")
    assert isinstance(ts.sample(RHOMBUS, 3, seed=1), ts.Gallery)


def test_a_notebook_shows_the_first_pictures_of_a_list() -> None:
    solutions = some(RHOMBUS, 30)
    shown = solutions._repr_html_()
    assert shown is not None
    assert shown.count("<svg ") == 24
    assert "and 6 more" in shown
    assert not re.search(r"\bid=", shown)
    few = solutions[:2]._repr_html_()
    assert few is not None
    assert few.count("<svg ") == 2
    assert "more" not in few
    assert few == gallery_html(list(solutions[:2])) == notebook(solutions[:2])
    # The picture is as wide as its figure, not as its own pixels.
    assert not re.search(r'<svg [^>]* width="\d', few)
    for things in ([], [1], [solutions[0], 1]):
        assert gallery_html(things) is None
        assert ts.Gallery(things)._repr_html_() is None


def test_the_extension_shows_plain_lists() -> None:
    class Formatter(dict[Any, Any]):
        def for_type(self, kind: type, make: Any) -> None:
            self[kind] = make

    class Shell:
        def __init__(self) -> None:
            self.display_formatter = self
            self.formatters = {"text/html": Formatter()}

    shell = Shell()
    ts.load_ipython_extension(shell)
    assert shell.formatters["text/html"][list]([1, 2]) is None
    assert "<svg" in shell.formatters["text/html"][list](list(some(RHOMBUS, 2)))
    ts.unload_ipython_extension(shell)
    assert not shell.formatters["text/html"]


def test_in_a_real_notebook_shell() -> None:
    pytest.importorskip("IPython")
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance()
    kept = list(some(RHOMBUS, 2))
    formatter = shell.display_formatter
    assert "text/html" not in formatter.format(kept)[0]
    shell.run_line_magic("load_ext", "trisolve")
    assert "<svg" in formatter.format(kept)[0]["text/html"]
    assert "text/html" not in formatter.format([1, 2])[0]
    assert "<svg" in formatter.format(some(RHOMBUS, 2))[0]["text/html"]
    assert "<table" in formatter.format(ts.count(RHOMBUS))[0]["text/html"]
    assert "image/svg+xml" in formatter.format(RHOMBUS)[0]
    shell.run_line_magic("unload_ext", "trisolve")
    assert "text/html" not in formatter.format(kept)[0]


def test_a_count_shows_a_table() -> None:
    def rows(count: Count) -> dict[str, str]:
        shown = count._repr_html_()
        assert shown.count('<th scope="row"') == shown.count("<td") == shown.count("<tr>")
        cells = re.findall(r"<th[^>]*>(.*?)</th><td[^>]*>(.*?)</td>", shown)
        (caption,) = re.findall("<caption>(.*?)</caption>", shown)
        return {"caption": caption, **dict(cells)}

    shown = rows(ts.count(RHOMBUS, engine="dlx"))
    assert shown.pop("seconds")
    assert int(shown.pop("nodes").replace(",", "")) > 0
    assert shown == {"caption": "Number of solutions", "exactly": "216", "complete": "yes", "engine": "dlx"}
    shown = rows(ts.count(RHOMBUS, up_to="symmetry"))
    assert shown["caption"] == "Number of orbits"
    assert (shown["exactly"], shown["solutions"], shown["order of the group"]) == ("6", "216", "96")
    stopped = Count(5)
    stopped.engine, stopped.complete, stopped.nodes, stopped.seconds = "sweep", False, 9, 1.5
    stopped.solutions, stopped.orbits, stopped.group_order = 5, None, None
    assert (rows(stopped)["at least"], rows(stopped)["complete"]) == ("5", "no")


# -- the command --------------------------------------------------------------------------------------


def test_solve_writes_galleries(trisolve: Command, tmp_path: Path) -> None:
    done = trisolve("solve", "hexagon", "--tiles", "trioker", "--all", "-o", "a.html")
    assert done.returncode == 0
    assert done.stdout == ""
    assert done.stderr.startswith("written to a.html\n1,680 solutions in all, ")
    text = (tmp_path / "a.html").read_text("utf-8")
    assert len(text) < 4_000_000
    page = Page(text)
    assert len(page.figures) == 1680
    assert page.texts["h1"] == "Regular hexagon of side 2"
    assert page.texts["p"].strip() == "1,680 solutions in all."
    assert len(page.symbols) < 160


def test_other_ways_to_a_gallery(trisolve: Command, tmp_path: Path) -> None:
    for arguments, said, figures in (
        (("solve", "rhombus", "--limit", "3"), "3 solutions.", 3),
        (("solve", "rhombus", "--all", "--up-to", "symmetry"), "6 orbits in all.", 6),
        (("solve", "rhombus", "--all", "--tiles", "complete-1"), "0 solutions in all.", 0),
        (("solve", "rhombus"), "1 solution.", 1),
        (("sample", "rhombus", "-n", "4", "--seed", "1"), "4 samples of 216 solutions.", 4),
    ):
        done = trisolve(*arguments, "-o", "a.html")
        assert done.returncode == (figures == 0)
        page = Page((tmp_path / "a.html").read_text("utf-8"))
        assert (page.texts["p"].strip(), len(page.figures)) == (said, figures)


def test_a_pdf_is_a_gallery_when_many_are_asked_for(trisolve: Command, tmp_path: Path) -> None:
    pdfium = pytest.importorskip("pypdfium2")
    pytest.importorskip("svglib")
    assert trisolve("solve", "small-hexagon", "--limit", "31", "-o", "a.pdf").returncode == 0
    assert trisolve("solve", "small-hexagon", "-o", "b.pdf").returncode == 0
    many, one = (pdfium.PdfDocument(tmp_path / name) for name in ("a.pdf", "b.pdf"))
    assert (len(many), len(one)) == (2, 1)
    assert "31 solutions." in many[0].get_textpage().get_text_range()
    assert one[0].get_width() < 400


def test_a_gallery_that_was_stopped_says_so(trisolve: Command, tmp_path: Path) -> None:
    done = trisolve("solve", "eagle", "--all", "--time-limit", "0.5", "-o", "a.html")
    assert done.returncode == 3
    page = Page((tmp_path / "a.html").read_text("utf-8"))
    assert "the search was stopped, this isn't complete." in page.texts["p"]
    assert page.figures


def test_an_interrupted_gallery_is_a_whole_page(script: str, tmp_path: Path) -> None:
    process = subprocess.Popen(
        [script, "solve", "eagle", "--all", "-o", "a.html"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env=environment(),
        preexec_fn=heed_ctrl_c,
    )
    for _ in range(600):
        if any(path.stat().st_size > 100_000 for path in tmp_path.iterdir()):
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    page = Page((tmp_path / "a.html").read_text("utf-8"))
    assert "the search was stopped, this isn't complete." in page.texts["p"]
    assert len(page.figures) > 10
    assert "written to a.html" in said
    assert [path.name for path in tmp_path.iterdir()] == ["a.html"]


def test_only_commands_with_solutions_take_html(trisolve: Command) -> None:
    done = trisolve("show", "hexagon", "-o", "a.html")
    assert done.returncode == 2
    assert "names no picture format, expected one of .svg, .png, .pdf, .txt" in done.stderr
    done = trisolve("solve", "hexagon", "--all", "-o", "a.jpg")
    assert done.returncode == 2
    assert "expected one of .svg, .png, .pdf, .txt, .html, .json" in done.stderr
