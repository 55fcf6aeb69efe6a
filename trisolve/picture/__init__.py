"""Pictures of boards, puzzles and solutions: as text, as SVG, and as files.

:func:`text` and :func:`svg` make the pictures; each is in a module of its own name. :func:`write` puts one
into a file, in the format that the file's ending names. PNG is made from the SVG by the package resvg-py,
which is not installed with trisolve; :func:`check_ending` tells before a long search that the file can't be
written.
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from trisolve.files import whole_file
from trisolve.picture.svg import svg
from trisolve.picture.text import text

__all__ = ["ENDINGS", "check_ending", "png", "svg", "text", "write"]

ENDINGS = (".svg", ".png", ".txt")
"""The endings of the files that :func:`write` can make."""


def check_ending(path: str | os.PathLike[str]) -> str:
    """The ending of a picture file, in small letters, when :func:`write` can make such a file here.

    Raises ValueError for an unknown ending, and for .png when the package for it is missing.
    """
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        found = f"the ending {ending}" if ending else "a name without an ending"
        raise ValueError(f"{os.fspath(path)}: {found} names no picture format, expected one of {', '.join(ENDINGS)}")
    if ending == ".png" and find_spec("resvg_py") is None:
        raise ValueError(f"{os.fspath(path)}: PNG needs the package resvg-py, expected it to be installed")
    return ending


def write(thing: object, path: str | os.PathLike[str], **options: Any) -> None:
    """Write the picture of a Board, Puzzle or Solution to a file; its ending says in which format.

    Options are those of :func:`text` for .txt, of :func:`svg` for .svg and .png.
    Raises ValueError as :func:`check_ending` does, TypeError for another thing, OSError when the file can't
    be written; then a file that was there is as it was.
    """
    ending = check_ending(path)
    if ending == ".png":
        data = png(thing, **options)
    elif ending == ".svg":
        data = svg(thing, **options).encode()
    else:
        data = (text(thing, **options) + "\n").encode()
    with whole_file(path) as file:
        file.write(data)


def png(thing: object, **options: Any) -> bytes:
    """The SVG picture as a PNG file, two pixels to each of the SVG's, at most 8,000 wide and high.

    Options as in :func:`svg`. Raises ImportError without the package resvg-py.
    """
    import resvg_py

    return bytes(resvg_py.svg_to_bytes(svg_string=svg(thing, **options), zoom=2))
