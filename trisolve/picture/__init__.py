"""Pictures of boards, puzzles and solutions: as text, as SVG, and as files.

:func:`text` and :func:`svg` make the pictures; each is in a module of its own name. :func:`write` puts one
into a file, in the format that the file's ending names. A file appears whole or not at all: it is written beside
its place under another name and then moved. PNG is made from the SVG by the package resvg-py, which
is not installed with trisolve; :func:`check_ending` tells before a long search that the file can't be written.
"""

from __future__ import annotations

import os
import secrets
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from trisolve.picture.svg import svg
from trisolve.picture.text import text

__all__ = ["ENDINGS", "check_ending", "png", "svg", "text", "write", "write_file"]

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
        raise ValueError(f"{os.fspath(path)}: PNG needs the package resvg-py: pip install 'trisolve[png]'")
    return ending


def write(thing: object, path: str | os.PathLike[str], **options: Any) -> None:
    """Write the picture of a Board, Puzzle or Solution to a file; its ending says in which format.

    Options are those of :func:`text` for .txt, of :func:`svg` for .svg and .png.
    Raises ValueError as :func:`check_ending` does, TypeError for another thing, OSError when the file can't
    be written; then a file that was there is as it was.
    """
    ending = check_ending(path)
    if ending == ".png":
        write_file(path, png(thing, **options))
    elif ending == ".svg":
        write_file(path, svg(thing, **options).encode())
    else:
        write_file(path, (text(thing, **options) + "\n").encode())


def png(thing: object, **options: Any) -> bytes:
    """The SVG picture as a PNG file, two pixels to each of the SVG's, at most 8,000 wide and high.

    Options as in :func:`svg`. Raises ImportError without the package resvg-py.
    """
    import resvg_py

    return bytes(resvg_py.svg_to_bytes(svg_string=svg(thing, **options), zoom=2))


def write_file(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file so that it is there whole or not at all, even if the machine stops.

    A symbolic link is followed; the new file has the usual rights. Raises OSError.
    """
    target = Path(os.path.realpath(path))
    beside = target.with_name(f".trisolve-{secrets.token_hex(8)}.tmp")
    try:
        # Opened with the rights of any new file, so the umask applies; "x" never follows a link.
        with beside.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
