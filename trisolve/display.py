"""What makes a board, a puzzle, a solution or a position show itself: the one place that calls forward in the flow.

Data flows from shape file to picture, and modules import only what comes before them. A user still wants to
write ``board.svg()`` and to see a picture as the last line of a notebook cell, so the four classes inherit
these methods, and the import of the drawing code happens here, when it is first used.
A list of solutions shows as a gallery, and a count as a small table.
"""

from __future__ import annotations

from html import escape
from typing import Any, SupportsIndex, overload

from trisolve.words import counted


class Displayed:
    """Adds text and SVG pictures to a board, a puzzle, a solution or a position."""

    def text(self, **options: Any) -> str:
        """The picture as text; options as in :func:`trisolve.picture.text`."""
        from trisolve import picture

        return picture.text(self, **options)

    def svg(self, **options: Any) -> str:
        """The picture as SVG; options as in :func:`trisolve.picture.svg`."""
        from trisolve import picture

        return picture.svg(self, **options)

    def _repr_svg_(self) -> str:
        return self.svg()


class Gallery(list[Any]):
    """A list of solutions that a notebook shows as a gallery of pictures, the first ones of a long list.

    Parts of it are galleries too. ``trisolve.picture.write(gallery, "gallery.html")`` makes a file of all of them.
    """

    @overload
    def __getitem__(self, index: SupportsIndex) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> Gallery: ...
    def __getitem__(self, index: SupportsIndex | slice) -> Any:
        found = super().__getitem__(index)
        return Gallery(found) if isinstance(index, slice) else found

    def __repr__(self) -> str:
        return f"Gallery({counted(len(self), 'solution')})"

    def _repr_html_(self) -> str | None:
        return gallery_html(self)


def gallery_html(things: list[Any]) -> str | None:
    """A list as a gallery for a notebook; None for a list that isn't one of solutions."""
    from trisolve.picture.gallery import notebook

    return notebook(things)


def table_html(caption: str, rows: list[tuple[str, str]]) -> str:
    """A small table for a notebook, each row with its heading."""
    lines = "".join(
        f'<tr><th scope="row" style="text-align:left">{escape(name)}</th>'
        f'<td style="text-align:right">{escape(value)}</td></tr>'
        for name, value in rows
    )
    return f"<table><caption>{escape(caption)}</caption><tbody>{lines}</tbody></table>"
