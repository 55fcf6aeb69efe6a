"""Pictures of boards, puzzles and solutions: as text, as SVG, and as files.

:func:`text` and :func:`svg` make the pictures; each is in a module of its own name. :func:`write` puts one
into a file, in the format that the file's ending names; many solutions become a gallery. PNG is made from the SVG by
the package resvg-py, PDF by svglib and reportlab, which are not installed with trisolve; :func:`check_ending` tells
before a long search that the file can't be written.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from trisolve.files import whole_file
from trisolve.picture.pdf import pdf
from trisolve.picture.svg import svg
from trisolve.picture.text import text
from trisolve.words import counted

__all__ = ["ENDINGS", "GALLERY_ENDINGS", "check_ending", "pdf", "png", "svg", "text", "write"]

ENDINGS = (".svg", ".png", ".pdf", ".txt")
"""The endings of the files that :func:`write` can make of one thing."""

GALLERY_ENDINGS = (".html", ".pdf")
"""The endings of the files that :func:`write` can make of many solutions."""

_PACKAGES = {".png": ("PNG", ("resvg_py",), "png"), ".pdf": ("PDF", ("reportlab", "svglib"), "print")}


def check_ending(path: str | os.PathLike[str], endings: Collection[str] = ENDINGS) -> str:
    """The ending of a picture file, in small letters, when :func:`write` can make such a file here.

    Raises ValueError for an ending that isn't one of ``endings``, and for .png and .pdf when a package for it is
    missing.
    """
    ending = Path(path).suffix.lower()
    if ending not in endings:
        found = f"the ending {ending}" if ending else "a name without an ending"
        expected = f"{'one of ' * (len(endings) > 1)}{', '.join(endings)}"
        raise ValueError(f"{os.fspath(path)}: {found} names no picture format, expected {expected}")
    name, packages, extra = _PACKAGES.get(ending, ("", (), ""))
    if not all(map(find_spec, packages)):
        wanted = " and ".join(package.replace("_", "-") for package in packages)
        raise ValueError(f"{os.fspath(path)}: {name} needs {wanted}, expected pip install 'trisolve[{extra}]'")
    return ending


def write(thing: object, path: str | os.PathLike[str], **options: Any) -> None:
    """Write the picture of a Board, Puzzle, Solution or Position to a file; its ending says in which format.

    A list of solutions of one puzzle becomes a gallery, .html or .pdf; a single solution can be .html too.
    Options are those of :func:`text` for .txt, of :func:`svg` for the others, of a gallery also ``caption`` as in
    :class:`trisolve.picture.gallery.GalleryFile`.
    Raises ValueError as :func:`check_ending` does, TypeError for another thing, OSError when the file can't
    be written; then a file that was there is as it was.
    """
    if isinstance(thing, list) or Path(path).suffix.lower() == ".html":
        _write_gallery(thing if isinstance(thing, list) else [thing], path, **options)
        return
    ending = check_ending(path)
    if ending == ".png":
        data = png(thing, **options)
    elif ending == ".pdf":
        data = pdf(thing, **options)
    elif ending == ".svg":
        data = svg(thing, **options).encode()
    else:
        data = (text(thing, **options) + "\n").encode()
    with whole_file(path) as file:
        file.write(data)


def _write_gallery(solutions: list[Any], path: str | os.PathLike[str], **options: Any) -> None:
    from trisolve.picture.gallery import gallery_file, summary
    from trisolve.solution import Solution

    ending = check_ending(path, GALLERY_ENDINGS)
    if not solutions or not all(isinstance(solution, Solution) for solution in solutions):
        raise TypeError("a gallery is of solutions: expected a list of at least one Solution")
    with whole_file(path) as file:
        gallery = gallery_file(ending, file, solutions[0].puzzle, **options)
        for solution in solutions:
            gallery.add(solution)
        gallery.finish(summary(counted(len(solutions), "solution")))


def png(thing: object, **options: Any) -> bytes:
    """The SVG picture as a PNG file, two pixels to each of the SVG's, at most 8,000 wide and high.

    Options as in :func:`svg`. Raises ImportError without the package resvg-py.
    """
    import resvg_py

    return bytes(resvg_py.svg_to_bytes(svg_string=svg(thing, **options), zoom=2))
