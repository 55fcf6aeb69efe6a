"""Shape files: YAML text in, a board with its tiles and clues out, or a list of all that is wrong.

A file is read in three steps. First PyYAML's *events* are built into a tree in which every scalar is
the text that was typed: an unquoted 012 stays the tile 012 and ``no`` stays a name, because nothing
here guesses types. On the way a table notes where each entry stands. Then pydantic models give the
text its meaning; what they refuse comes with the path of the entry, and the table turns the path into
a line and a column. Last, boards and supplies are made, and what *they* refuse is placed in the same
way, down to the character of a drawing. So a file with five mistakes gets five lines, each pointing at
its own mistake. The JSON Schema that editors use is generated from the same models.

All of PyYAML that can surprise is left out: tags, anchors and aliases, directives, tabs, several
documents, characters that could steer a terminal. The C parser is used where it is installed; whatever
it refuses, and text with the few characters on which the two parsers differ, goes through the pure
one, so that a file reads the same everywhere.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, TypeVar, cast

import yaml
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    PrivateAttr,
    ValidationError,
    model_validator,
)
from pydantic_core import CoreSchema, ErrorDetails, PydanticCustomError, core_schema

from trisolve.board import MAX_CELLS, MAX_COORDINATE, Board, BoardError
from trisolve.files import bundled as bundled
from trisolve.files import standard_input
from trisolve.lattice import CORNER_NAMES, SIDE_NAMES, Cell
from trisolve.tiles import MAX_COPIES, SETS, Supply, Tile

MAX_BYTES = 1 << 20
"""The largest file that is read."""

MAX_DEPTH = 8
"""How deep lists and mappings may be nested; the format itself needs four levels."""

MAX_ENTRIES = 200_000
"""How many keys and values a file may have: a board of the largest size with a clue in each cell has half as many."""

MAX_POINTS = 1_000_000
"""The most points that an entry of a score gives or takes."""

MAX_SHOWN = 20
"""How many problems a message lists before it only counts the rest."""

EntryPath = tuple[str | int, ...]
"""Where an entry is in the tree, as in ``("clues", 2, "tile")``."""


class ShapeFileError(ValueError):
    """A shape file that can't be used.

    ``problems`` holds (line, column, message) for all that is wrong, in the order of the file, lines and
    columns counted from 1 (both 0 where the file as a whole can't be read). The text of the error is a
    line ``FILE:LINE:COLUMN: message`` for each of the first :data:`MAX_SHOWN`.
    """

    def __init__(self, file: str, problems: Iterable[tuple[int, int, str]]) -> None:
        self.file = file
        self.problems = tuple(sorted(problems))
        super().__init__(file, self.problems)

    def __str__(self) -> str:
        file = _UNPRINTABLE.sub(lambda m: ascii(m[0])[1:-1], self.file.replace("\n", r"\n")) or "''"
        lines = [
            f"{file}:{line}:{column}: {message}" if line else f"{file}: {message}"
            for line, column, message in self.problems[:MAX_SHOWN]
        ]
        more = len(self.problems) - MAX_SHOWN
        return "\n".join([*lines, f"{file}: and {more:,} more problem{'s' * (more > 1)}"] if more > 0 else lines)


# -- the tree, and where its entries stand --------------------------------------------------------

# Control characters, lone surrogates, line breaks that only YAML knows, and marks that turn the
# direction of writing: none belongs in a shape file, and some would act on the terminal that shows them.
_UNPRINTABLE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]")

# Where the C parser and the pure one are known to read the same text differently.
_DISPUTED = re.compile(r"[?!&*%]|[|>][-+0-9]*#")

_C_LOADER: Any = getattr(yaml, "CSafeLoader", None)

_NO_VALUE = ("", "~", "null", "Null", "NULL")


class _Source:
    """The text of a file, its tree of text, and where each entry of the tree stands."""

    def __init__(self, text: str, file: str) -> None:
        self.file = file
        self.text = text
        self.lines = re.split(r"\r\n|\r|\n", text)
        self._problems: list[tuple[int, int, str]] = []
        self._spoilt: set[tuple[int, int]] = set()
        for i, line in enumerate(self.lines):
            if found := _UNPRINTABLE.search(line):
                what = "a tab: expected spaces" if found[0] == "\t" else f"{found[0]!a}: expected printable text"
                self._report((i + 1, found.start() + 1), what)
        self.finish()
        if _C_LOADER is not None and not _DISPUTED.search(text):
            try:
                self.tree = self._parse(_C_LOADER(text))
                return
            except yaml.YAMLError:
                pass  # The two disagree on where an error is, so the pure parser has the last word.
        loader = yaml.SafeLoader(text)
        try:
            self.tree = self._parse(loader)
            return
        except ShapeFileError:
            raise
        except yaml.MarkedYAMLError as error:
            self._report(*self._unreadable(error))
        except (yaml.YAMLError, ValueError, OverflowError):
            # The number of a character (or of a YAML version) may be too large for the parser.
            self._report((loader.line + 1, loader.column + 1), "a number too large for YAML: expected plain text")
        self.finish()

    # -- problems ---------------------------------------------------------------------------------

    def _report(self, position: tuple[int, int], message: str) -> None:
        self._problems.append((*position, message))
        self._spoilt.add(position)

    def report(self, path: EntryPath, message: str, key: bool = False) -> None:
        """Note a problem with the value at a path, or with its key."""
        line, column = self._key(path) if key else self.place(path)
        # An alias, say, isn't wrong a second time for having no value.
        if (line, column) not in self._spoilt:
            self._problems.append((line, column, message))

    def error(self) -> ShapeFileError:
        """All problems noted so far."""
        return ShapeFileError(self.file, self._problems)

    def finish(self) -> None:
        """Raise what has been noted, if anything."""
        if self._problems:
            raise self.error()

    # -- places -----------------------------------------------------------------------------------

    def _key(self, path: EntryPath) -> tuple[int, int]:
        return _position(self._keys[path])

    def place(self, path: EntryPath) -> tuple[int, int]:
        """Line and column, from 1, of the value at a path, or of the nearest entry that holds it.

        A path may go on into a drawing, with the line and column inside it (from 0).
        """
        known = next(n for n in range(len(path), -1, -1) if path[:n] in self._values)
        event, rest = self._values[path[:known]], path[known:]
        if isinstance(event, yaml.ScalarEvent):
            if event.implicit[0] and not event.value and path[:known] in self._keys:
                # The parsers put an entry that isn't there in different places.
                return self._key(path[:known])
            if len(rest) == 2:
                return self._inside(event, *cast("tuple[int, int]", rest))
        return _position(event)

    def _inside(self, event: Any, line: int, column: int) -> tuple[int, int]:
        """The place in the file of a character of a scalar; the scalar's own where that can't be told."""
        start = event.start_mark
        typed = event.value.split("\n")[line]
        if event.style == "|":
            # What stands before the text on its line is the indentation.
            row = start.line + 1 + line
            return row + 1, len(self.lines[row]) - len(typed) + column + 1
        quote = 1 if event.style in ("'", '"') else 0
        if self.lines[start.line][start.column + quote :].startswith(event.value):
            return start.line + 1, start.column + quote + column + 1
        return _position(event)

    def check_rows(self, path: EntryPath) -> None:
        """Note a text whose lines YAML joins, where the lines matter."""
        event: Any = self._values.get(path)
        if getattr(event, "style", "|") != "|":
            several = event.end_mark.line > event.start_mark.line
            if several and re.search(r"\s", event.value.strip()):
                self._report(
                    self.place(path), f"lines that YAML joins into one: expected {path[-1]}: | and the lines below it"
                )

    # -- from events to a tree --------------------------------------------------------------------

    def _parse(self, loader: Any) -> object:
        """The tree of the one document. Raises yaml.YAMLError, and ShapeFileError where going on makes no sense."""
        self._problems.clear()
        self._spoilt.clear()
        self._values: dict[EntryPath, Any] = {}
        self._keys: dict[EntryPath, Any] = {}
        self._last: Any = None
        self._entries = 0
        self._loader = loader
        try:
            self._next()
            document = self._next()
            if getattr(document, "explicit", False) and self.text.startswith("%", document.start_mark.index):
                self._report(_position(document), "a directive (%): expected none")
            # A document that isn't there has no events, or one empty scalar.
            empty = isinstance(document, yaml.StreamEndEvent)
            tree = None if empty else self._node(self._next(), ())
            if tree is None:
                self.finish()
                self._report((1, 1), "nothing in the file: expected a mapping with name, board and tiles")
                raise self.error()
            self._next()
            after = self._next()
            if not isinstance(after, yaml.StreamEndEvent):
                self._report(_position(after), _SECOND)
                raise self.error()
            return tree
        finally:
            loader.dispose()

    def _next(self) -> Any:
        self._last = self._loader.get_event()
        return self._last

    def _node(self, event: Any, path: EntryPath) -> object:
        self._values[path] = event
        self._entries += 1
        if self._entries > MAX_ENTRIES:
            self._report(_position(event), f"too many keys and values: expected at most {MAX_ENTRIES:,}")
            raise self.error()
        if isinstance(event, yaml.AliasEvent):
            self._report(_position(event), "an alias (*): expected the value itself")
            return None
        if event.anchor is not None:
            self._report(_position(event), "an anchor (&): expected none")
        if event.tag is not None:
            self._report(_position(event), "a tag (!): expected none")
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event)
        if len(path) == MAX_DEPTH:
            self._report(_position(event), f"nested too deeply: expected at most {MAX_DEPTH} levels")
            raise self.error()
        if isinstance(event, yaml.SequenceStartEvent):
            items: list[object] = []
            while not isinstance(item := self._next(), yaml.SequenceEndEvent):
                items.append(self._node(item, (*path, len(items))))
            return items
        return self._mapping(path)

    def _mapping(self, path: EntryPath) -> dict[str, object]:
        seen: dict[str, object] = {}
        while not isinstance(key := self._next(), yaml.MappingEndEvent):
            name = self._node(key, (*path, _UNKEPT))
            if not isinstance(name, str):
                self._report(_position(key), f"{_shown(name)} as a key: expected a word")
                self._node(self._next(), (*path, _UNKEPT))
                continue
            if name in seen:
                first = self._key((*path, name))[0]
                self._report(_position(key), f"the key {_shown(name)} again: expected it once, and line {first} has it")
                self._node(self._next(), (*path, _UNKEPT))
                continue
            self._keys[*path, name] = key
            seen[name] = self._node(self._next(), (*path, name))
        return seen

    def _scalar(self, event: Any) -> str | None:
        """The text that was typed; None for an entry that YAML calls null, which no key of the format takes."""
        if found := _UNPRINTABLE.search(event.value):
            self._report(_position(event), f"{found[0]!a} in a text: expected printable characters")
            return None
        if event.implicit[0] and event.value in _NO_VALUE:
            return None
        return cast(str, event.value)

    def _unreadable(self, error: yaml.MarkedYAMLError) -> tuple[tuple[int, int], str]:
        """Where the text stops being YAML, and what one would expect there."""
        opened: Any = error.context_mark
        mark: Any = error.problem_mark or opened
        opener = self.text[opened.index : opened.index + 1] if opened else ""
        if opener in _CLOSING and mark.index >= len(self.text.rstrip()):
            return (opened.line + 1, opened.column + 1), f"{opener} is never closed: expected {_CLOSING[opener]}"
        # In a line without a colon the parser goes on to the next line before it complains.
        if opener and isinstance(error, yaml.scanner.ScannerError) and opener not in "\"'|>%&*!":
            mark = opened
        position = mark.line + 1, mark.column + 1
        if isinstance(self._last, yaml.DocumentEndEvent):
            return position, _SECOND
        if getattr(self._last, "style", "") == "|" and re.fullmatch("[ .^v]+", self.lines[mark.line]):
            return (
                position,
                "a row further left than the first of its drawing: expected . instead of spaces before a row",
            )
        if self.text.startswith(":", mark.index):
            return (
                position,
                "a colon out of place: expected 'key: value' with a space, and quotes around text with colons",
            )
        if opener in ("[", "{"):
            return (
                position,
                f"not readable as YAML: expected , or {_CLOSING[opener]} after the {opener} in line {opened.line + 1}",
            )
        return position, "not readable as YAML: expected 'key: value' or '- item', in line with the entries around it"


_UNKEPT = -1  # stands in the path of what is read but not kept: no key, and no place in a list
_SECOND = "more text after the end of the document: expected one document"
_CLOSING = {'"': 'another "', "'": "another '", "[": "]", "{": "}"}


def _position(event: Any) -> tuple[int, int]:
    return event.start_mark.line + 1, event.start_mark.column + 1


# -- the models -----------------------------------------------------------------------------------


def _shown(value: object) -> str:
    """What stands in the file, short enough for a message."""
    if isinstance(value, str):
        return repr(value) if len(value) <= 40 else f"{value[:40]!r}..."
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return "no value" if value is None else "a mapping"


class _Problem(NamedTuple):
    """What is wrong, the path of the entry below the one being checked, and whether its key is meant."""

    message: str
    path: EntryPath = ()
    key: bool = False


def _wrong(*problems: _Problem) -> PydanticCustomError:
    """Our problems in the form that pydantic carries to the end."""
    return PydanticCustomError("shape", "wrong", {"problems": problems})


@dataclass(frozen=True)
class _Scalar:
    """What a text may be, what is made of it (or a ValueError raised), and what an editor may take it for."""

    expected: str
    pattern: str
    make: Callable[[str], object] = str
    schema: Mapping[str, object] = field(default_factory=lambda: {"type": "string"})

    def check(self, value: object) -> object:
        """The value that the text stands for."""
        try:
            if isinstance(value, str) and re.fullmatch(self.pattern, value):
                return self.make(value)
        except ValueError:
            pass
        raise _wrong(_Problem(f"{_shown(value)}: expected {self.expected}"))

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self.check)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"pattern": f"^({self.pattern})$", **self.schema} if "type" in self.schema else dict(self.schema)


def _number(low: int, high: int) -> _Scalar:
    def make(text: str) -> int:
        # Nine digits are beyond every limit, and more could take long to convert.
        if len(text) <= 9 and low <= (number := int(text)) <= high:
            return number
        raise ValueError

    schema = {"type": ["integer", "string"], "minimum": low, "maximum": high}
    return _Scalar(f"a whole number from {low:,} to {high:,}", "0|-?[1-9][0-9]*", make, schema)


def _choice(*words: str) -> _Scalar:
    return _Scalar(" or ".join(words), "|".join(words), schema={"enum": list(words)})


def _tile(text: str) -> str:
    Tile(text)
    return text


def _one_line(text: str) -> str:
    if "\n" in (line := text.strip()):
        raise ValueError
    return line


def _listed(expected: str, length: int | None = None) -> BeforeValidator:
    """Accepts a list, of the given length if there is one."""

    def check(value: object) -> object:
        if isinstance(value, list) and length in (None, len(value)):
            return tuple(value)
        raise _wrong(_Problem(f"{_shown(value)}: expected {expected}"))

    return BeforeValidator(check)


def _part(names: dict[bool, tuple[str, str, str]]) -> _Scalar:
    parts = "|".join(sorted({*names[True], *names[False]}))
    return _Scalar("a part of a cell like left, or with the cell like r1c2.left", rf"({_CELL}\.)?({parts})")


_CELL = "r[1-9][0-9]{0,8}c[1-9][0-9]{0,8}"
_NAMED = ", ".join(name for name in SETS if not name.startswith("complete-"))
_FORMS = ("drawing", "hexagon", "triangle", "parallelogram", "outline", "cells")
# Text without quotes that may look like something else: the title 1969, a shape named true.
_LOOSE = {"type": ["string", "number", "boolean"]}
_FILLED = {**_LOOSE, "pattern": r"\S"}

Name = Annotated[str, _Scalar("lower-case letters, digits and hyphens", "[a-z0-9-]+", schema=_LOOSE)]
Line = Annotated[str, _Scalar("a line of text", r"(?s:.*\S.*)", _one_line, _FILLED)]
Text = Annotated[str, _Scalar("text", r"(?s:.*\S.*)", str.strip, _FILLED)]
TileText = Annotated[
    str,
    _Scalar(
        "a tile: three characters, each a digit or W, like 012 or 12W",
        "[0-9W]{3}",
        _tile,
        {"type": ["string", "integer"], "minimum": 0, "maximum": 999},
    ),
]
SetName = Annotated[
    str, _Scalar(f"a tile set: {_NAMED}, or complete-1 to complete-10", "|".join(SETS), schema={"enum": list(SETS)})
]
Value = Annotated[int, _number(0, 9)]
Border = Annotated[
    int | Literal["same"] | None,
    _Scalar(
        "a value from 0 to 9, or same",
        "[0-9]|same",
        lambda text: text if text == "same" else int(text),
        {"type": ["integer", "string"], "minimum": 0, "maximum": 9},
    ),
]
Match = Literal["corners", "edges"]
CellName = Annotated[str, _Scalar("a cell name like r2c4", _CELL)]
Length = Annotated[int, _number(0, MAX_CELLS)]
Coordinate = Annotated[int, _number(-MAX_COORDINATE, MAX_COORDINATE)]
Corner = Annotated[tuple[Coordinate, Coordinate], _listed("a point [x, y]", 2)]
Way = Annotated[Literal["up", "down"], _choice("up", "down")]
Triangle = Annotated[tuple[Coordinate, Coordinate, Way], _listed("a cell [x, y, up] or [x, y, down]", 3)]
Drawing = Annotated[
    str,
    _Scalar("rows of ^, v and . below drawing: |", r"(?s:.*)", schema={"type": "string", "pattern": r"^[\^v. \n]*$"}),
]
Sides = Annotated[tuple[Length, Length, Length, Length, Length, Length], _listed("six side lengths", 6)]


def _one_of(*keys: Sequence[str]) -> dict[str, Any]:
    """For an editor: exactly one of these groups of keys is given."""
    return {"oneOf": [{"required": list(group)} for group in keys]}


def _check_one_of(data: object, keys: Sequence[str], others: Sequence[str]) -> None:
    """Exactly one of the keys may be given; but an unknown key, refused anyway, may be one of them misspelt."""
    if not isinstance(data, dict):
        return
    given = [key for key in data if key in keys]
    expected = f"expected exactly one of {', '.join(keys)}"
    if len(given) > 1:
        raise _wrong(_Problem(f"{given[1]} besides {given[0]}: {expected}", (given[1],), key=True))
    if not given and all(key in others for key in data):
        raise _wrong(_Problem(f"nothing given: {expected}"))


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    expected: ClassVar[str]


class Clue(_Model):
    """Something that every solution must show."""

    model_config = ConfigDict(
        json_schema_extra=_one_of(
            ("cell", "tile"), ("corner", "value"), ("edge", "value"), ("cell", "empty"), ("cell", "filled")
        )
    )
    expected = "a clue like {cell: r2c4, tile: 012}"

    cell: CellName = Field("", description="The cell that the clue is about.")
    tile: TileText = Field("", description="The tile in the cell, its first character at the corner or edge if given.")
    corner: Annotated[str, _part(CORNER_NAMES)] = Field(
        "", description="With a tile, a corner of its cell like left; with a value, a lattice point like r1c2.top."
    )
    edge: Annotated[str, _part(SIDE_NAMES)] = Field(
        "", description="With a tile, a side of its cell like left; with a value, an edge like r1c2.right."
    )
    value: Value = Field(0, description="The value at the corner or edge.")
    empty: Annotated[bool, _Scalar("true", "true", bool, {"enum": [True, "true"]})] = Field(
        False, description="The cell stays empty; only with fill: tiles."
    )
    filled: Annotated[bool, _Scalar("true", "true", bool, {"enum": [True, "true"]})] = Field(
        False, description="The cell holds a tile; only with fill: tiles."
    )


class Score(_Model):
    """Points for every placed tile of a kind, for a tile in a cell, or for one in the other."""

    model_config = ConfigDict(json_schema_extra={"anyOf": [{"required": ["cell"]}, {"required": ["tile"]}]})
    expected = "points for a tile or a cell, like {tile: 333, points: 5}"

    cell: CellName = Field("", description="The cell that counts; any cell if left out.")
    tile: TileText = Field("", description="The tile that counts; any tile if left out.")
    points: Annotated[int, _number(-MAX_POINTS, MAX_POINTS)] = Field(description="What it is worth.")


class Tiles(_Model):
    """A named set or a list of tiles, how often, and with how many jokers."""

    model_config = ConfigDict(json_schema_extra=_one_of(("set",), ("list",)))
    expected = "the name of a tile set, or a mapping with set or list"

    set: SetName = Field("", description="A named set of tiles.")
    list: Annotated[tuple[TileText, ...], _listed("a list of tiles")] = Field(
        (), description="Tiles one by one; a kind listed twice has two copies."
    )
    copies: Annotated[int, _number(1, MAX_COPIES)] = Field(1, description="Multiplies every kind of the set or list.")
    jokers: Annotated[int, _number(0, MAX_COPIES)] = Field(0, description="How many tiles 12W there are in the end.")
    _supply: Supply = PrivateAttr()

    @model_validator(mode="before")
    @classmethod
    def _form(cls, data: object) -> object:
        if isinstance(data, str):
            return {"set": data}
        _check_one_of(data, ("set", "list"), ("copies", "jokers"))
        return data

    @model_validator(mode="after")
    def _make(self) -> Tiles:
        supply = SETS[self.set].supply() if self.set else Supply.of(self.list)
        try:
            if self.copies != 1:
                supply = supply.times(self.copies)
        except ValueError as error:
            raise _wrong(_Problem(str(error), ("copies",))) from None
        self._supply = supply.with_jokers(self.jokers) if "jokers" in self.model_fields_set else supply
        return self


class Shape(_Model):
    """The cells to fill: exactly one of six forms, less the cells to remove."""

    model_config = ConfigDict(json_schema_extra=_one_of(*((form,) for form in _FORMS)))
    expected = f"a mapping with one of {', '.join(_FORMS)}"

    drawing: Drawing = Field("", description="A line per row: ^ an up cell, v a down cell, . or a space no cell.")
    hexagon: Sides = Field(
        (0,) * 6, description="Six side lengths, anticlockwise from the bottom side; zero is allowed."
    )
    triangle: Length = Field(0, description="The side length of a triangle that points up.")
    parallelogram: Annotated[tuple[Length, Length], _listed("a width and a height", 2)] = Field(
        (0, 0), description="Width (to the right) and height (to the upper right)."
    )
    outline: Annotated[tuple[Corner, ...], _listed("a list of points [x, y]")] = Field(
        (), description="The corners [x, y] of a closed polygon whose sides run along lattice lines."
    )
    cells: Annotated[tuple[Triangle, ...], _listed("a list of cells [x, y, up] or [x, y, down]")] = Field(
        (), description="Cells one by one."
    )
    remove: Annotated[tuple[CellName, ...], _listed("a list of cell names like r2c4")] = Field(
        (), description="Cells to take away, by their names on the board before."
    )
    _board: Board = PrivateAttr()

    @model_validator(mode="before")
    @classmethod
    def _form(cls, data: object) -> object:
        _check_one_of(data, _FORMS, ("remove",))
        return data

    @model_validator(mode="after")
    def _make(self) -> Shape:
        form = next(form for form in _FORMS if form in self.model_fields_set)
        try:
            if form == "cells":
                board = Board(Cell(x, y, way == "up") for x, y, way in self.cells)
            elif form == "parallelogram":
                board = Board.parallelogram(*self.parallelogram)
            else:
                board = getattr(Board, form)(getattr(self, form))
        except BoardError as error:
            raise _wrong(_Problem(str(error), (form, *error.at))) from None
        missing = []
        for i, name in enumerate(self.remove):
            try:
                board.cell(name)
            except BoardError as error:
                missing.append(_Problem(str(error), ("remove", i)))
        if missing:
            raise _wrong(*missing)
        try:
            self._board = board.without(self.remove)
        except BoardError as error:
            raise _wrong(_Problem(str(error), ("remove", *error.at))) from None
        return self


class Frame(_Model):
    """What a puzzle and a position have in common: a shape, tiles, and where they match."""

    name: Name = Field(description="A short name: lower-case letters, digits and hyphens.")
    title: Line = Field("", description="What the shape is, in a line.")
    source: Text = Field("", description="Where the shape comes from.")
    tiles: Tiles = Field(
        default_factory=lambda: Tiles.model_validate("trioker"),
        description="The name of a tile set, or a mapping; trioker if left out.",
    )
    match: Annotated[Match, _choice("corners", "edges")] = Field(
        "corners", description="Where values must agree; if left out, what the tile set says, else corners."
    )
    board: Shape = Field(description="The cells to fill.")


class File(Frame):
    """A puzzle: a shape on the triangular lattice, and the tiles to fill it with."""

    expected = "a mapping with name, board and tiles"

    fill: Annotated[Literal["board", "tiles"], _choice("board", "tiles")] = Field(
        "board", description="What must be used up: every cell of the board (if left out), or every tile."
    )
    border: Border = Field(None, description="The value on the whole outer border, or same: one value, whichever.")
    clues: Annotated[tuple[Clue, ...], _listed("a list of clues")] = Field(
        (), description="What is known of a solution."
    )
    score: Annotated[tuple[Score, ...], _listed("a list of points for tiles and cells")] = Field(
        (), description="What a solution is worth, for solve --maximize score."
    )


class Placed(_Model):
    """A tile that lies in a cell, and how it is turned."""

    model_config = ConfigDict(json_schema_extra=_one_of(("corner",), ("edge",)))
    expected = "a placed tile like {cell: r2c4, tile: 012, corner: left}"

    cell: CellName = Field(description="The cell that the tile lies in.")
    tile: TileText = Field(description="The tile, its first character at the corner or edge that is given.")
    corner: Annotated[str, _part(CORNER_NAMES)] = Field("", description="A corner of the cell, like left.")
    edge: Annotated[str, _part(SIDE_NAMES)] = Field("", description="Where edges match, a side of the cell, like left.")

    @model_validator(mode="before")
    @classmethod
    def _form(cls, data: object) -> object:
        _check_one_of(data, ("corner", "edge"), ("cell", "tile"))
        return data


class Hand(Tiles):
    """The tiles of a player: a set less what is placed of it, or a list as it is."""

    expected = "the name of a tile set, a list of tiles, or a mapping with set or list"

    @property
    def whole_set(self) -> bool:
        """True for a named set and nothing else."""
        return self.model_fields_set == {"set"}

    @model_validator(mode="before")
    @classmethod
    def _plain(cls, data: object) -> object:
        return {"list": data} if isinstance(data, list) else data


class Opening(_Model):
    """Rules for the first tile."""

    expected = "a mapping with cells or without"

    cells: Annotated[tuple[CellName, ...], _listed("a list of cell names like r2c4")] = Field(
        (), description="Where the first tile goes; the middle of the board if left out."
    )
    without: Annotated[tuple[TileText, ...], _listed("a list of tiles")] = Field(
        (), description="Tiles that may not be the first."
    )


def _players(value: object) -> object:
    if isinstance(value, dict) and value:
        return value
    raise _wrong(_Problem(f"{_shown(value)}: expected a mapping of players to their tiles"))


class PositionFile(Frame):
    """A partly filled board, and the tiles in hand."""

    expected = "a mapping with name, board, tiles and placed"

    placed: Annotated[tuple[Placed, ...], _listed("a list of placed tiles")] = Field(
        (), description="The tiles on the board."
    )
    hands: Annotated[dict[str, Hand], BeforeValidator(_players)] = Field(
        {}, description="The players with their tiles; one hand with all that aren't placed if left out."
    )
    opening: Opening = Field(
        default_factory=lambda: Opening.model_validate({}), description="Rules for the first tile."
    )


_MODELS: dict[object, type[_Model]] = {
    "board": Shape,
    "tiles": Tiles,
    "clues": Clue,
    "score": Score,
    "placed": Placed,
    "hands": Hand,
    "opening": Opening,
}

# Where keys may not be left out, and which.
_NEEDED: dict[object, tuple[str, str]] = {
    "": ("every shape file", "name and board"),
    "score": ("every entry of a score", "points"),
    "placed": ("every placed tile", "cell and tile"),
}


def _note(source: _Source, error: ErrorDetails, root: type[_Model]) -> None:
    """Put one of pydantic's errors in its place, in our words."""
    path: EntryPath = error["loc"]
    above = _MODELS[path[0]] if len(path) > 1 else root
    if error["type"] == "shape":
        for problem in error["ctx"]["problems"]:
            source.report((*path, *problem.path), problem.message, problem.key)
    elif error["type"] == "extra_forbidden":
        message = f"unknown key {_shown(path[-1])}: expected one of {', '.join(above.model_fields)}"
        source.report(path, message, key=True)
    elif error["type"] == "missing":
        where, wanted = _NEEDED[path[0] if len(path) > 1 else ""]
        source.report(path[:-1], f"the key {path[-1]} is missing: expected {wanted} in {where}")
    else:
        model = _MODELS[path[0]] if path else root
        source.report(path, f"{_shown(error['input'])}: expected {model.expected}")


# -- reading --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Document:
    """What a shape file says, its parts made but not yet put together as a puzzle.

    ``path`` is None for text that came from elsewhere. ``match`` is the file's rule or else the tile
    set's, ``match_given`` tells which. ``clues`` are mappings as in the file, values as integers.
    """

    path: Path | None
    name: str
    title: str
    source: str
    board: Board
    supply: Supply
    match: Match
    match_given: bool
    fill: str
    border: int | Literal["same"] | None
    clues: list[dict[str, object]]
    score: list[dict[str, object]]
    _source: _Source = field(repr=False, compare=False)

    def error(self, problems: Iterable[tuple[EntryPath, str]]) -> ShapeFileError:
        """The error that places each (path, message) in the file; a path need not be in the file to its end."""
        found = [(*self._source.place(path), message) for path, message in problems]
        return ShapeFileError(self._source.file, found)


@dataclass(frozen=True)
class PositionDocument(Document):
    """What a position file says. ``placed`` has mappings as in the file; ``hands`` None when none are given.

    A hand that is a named set is still its name, for what is placed of it must be taken away.
    """

    placed: list[dict[str, str]]
    hands: dict[str, str | Supply] | None
    first_cells: tuple[str, ...]
    not_first: tuple[str, ...]


def read(puzzle: str | os.PathLike[str]) -> Document:
    """Read a shape file.

    Parameters
    ----------
    puzzle
        A path, the name of a bundled shape, or ``-`` for standard input.

    Raises
    ------
    ShapeFileError
        with all that is wrong with the file, or saying why there is none to read.

    >>> len(read("hexagon").board)
    24
    """
    return _document(*_data(puzzle, bundled(), "shape", "`trisolve shapes` lists the bundled ones"))


def read_position(position: str | os.PathLike[str]) -> PositionDocument:
    """Read a position file: a path, the name of a bundled position, or ``-``. Raises ShapeFileError."""
    known = bundled("positions")
    data, file, path = _data(position, known, "position", f"bundled are {' and '.join(known)}")
    source, frame = _validated(PositionFile, data, file)
    hands = {player: hand.set if hand.whole_set else hand._supply for player, hand in frame.hands.items()}
    return PositionDocument(
        **_common(source, frame, path),
        fill="board",
        border=None,
        clues=[],
        score=[],
        placed=[entry.model_dump(exclude_unset=True) for entry in frame.placed],
        hands=hands or None,
        first_cells=frame.opening.cells,
        not_first=frame.opening.without,
    )


def _data(
    puzzle: str | os.PathLike[str], shapes: Mapping[str, Path], kind: str, hint: str
) -> tuple[bytes, str, Path | None]:
    """The text of a file, its name in messages, and its path. Raises ShapeFileError when it can't be read."""
    typed = os.fsdecode(puzzle)
    if typed == "-":
        return standard_input().read(MAX_BYTES + 1), "<stdin>", None
    path = Path(typed)
    if typed in shapes and not path.is_file():
        path = shapes[typed]
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        from difflib import get_close_matches  # takes a tenth of this module's time to load

        close = get_close_matches(path.stem[:100].lower(), shapes, n=3)
        wanted = f"did you mean {' or '.join(close)}?" if close else hint
        raise ShapeFileError(typed, [(0, 0, f"no such file or bundled {kind} ({wanted})")]) from None
    except IsADirectoryError:
        raise ShapeFileError(typed, [(0, 0, "a folder: expected a shape file")]) from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "not a path"
        raise ShapeFileError(typed, [(0, 0, f"can't be read ({why}): expected a shape file")]) from None
    return data, typed if path == Path(typed) else str(path), path


def read_text(text: str, name: str = "<string>") -> Document:
    """Read a shape from text in memory; ``name`` stands for the file in messages. Raises ShapeFileError."""
    return _document(text.encode("utf-8", "surrogatepass"), name, None, "surrogatepass")


_FrameT = TypeVar("_FrameT", bound=Frame)


def _validated(model: type[_FrameT], data: bytes, file: str, errors: str = "strict") -> tuple[_Source, _FrameT]:
    """The source and the model that is made of it. Raises ShapeFileError."""
    if len(data) > MAX_BYTES:
        raise ShapeFileError(file, [(1, 1, f"larger than {MAX_BYTES:,} bytes: expected a shape file")])
    try:
        text = data.decode("utf-8", errors)
    except UnicodeDecodeError as error:
        before = re.split(r"\r\n|\r|\n", data[: error.start].decode().removeprefix("\ufeff"))
        message = f"the byte {data[error.start]:#04x}: expected text in UTF-8"
        raise ShapeFileError(file, [(len(before), len(before[-1]) + 1, message)]) from None
    source = _Source(text.removeprefix("\ufeff"), file)
    source.check_rows(("board", "drawing"))
    made = None
    try:
        made = model.model_validate(source.tree)
    except ValidationError as error:
        for problem in error.errors(include_url=False):
            _note(source, problem, model)
    source.finish()
    assert made is not None
    return source, made


def _common(source: _Source, frame: Frame, path: Path | None) -> dict[str, Any]:
    """The fields of a document that every file has."""
    tiles = frame.tiles
    given = "match" in frame.model_fields_set
    default: Match = SETS[tiles.set].match if tiles.set else "corners"
    return {
        "path": path,
        "name": frame.name,
        "title": frame.title,
        "source": frame.source,
        "board": frame.board._board,
        "supply": tiles._supply,
        "match": frame.match if given else default,
        "match_given": given,
        "_source": source,
    }


def _document(data: bytes, file: str, path: Path | None, errors: str = "strict") -> Document:
    source, shape = _validated(File, data, file, errors)
    return Document(
        **_common(source, shape, path),
        fill=shape.fill,
        border=shape.border,
        clues=[clue.model_dump(exclude_unset=True) for clue in shape.clues],
        score=[entry.model_dump(exclude_unset=True) for entry in shape.score],
    )


def schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of shape files, for editors that complete and check them."""
    made = File.model_json_schema()
    tiles = made["properties"]["tiles"]
    tiles["anyOf"] = [{"enum": list(SETS)}, {"$ref": tiles.pop("$ref")}]
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Shape file of trisolve"}
    return {**head, **_tidied(made)}


def _tidied(schema: Any) -> Any:
    """The schema without the titles that repeat names, and without the defaults that stand for "not given"."""
    if isinstance(schema, list):
        return [_tidied(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {k: _tidied(v) for k, v in schema.items() if k != "default" and not (k == "title" and isinstance(v, str))}
