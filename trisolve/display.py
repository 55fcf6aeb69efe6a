"""What makes a board, a puzzle or a solution show itself: the one place that calls forward in the flow.

Data flows from shape file to picture, and modules import only what comes before them. A user still wants to
write ``board.svg()`` and to see a picture as the last line of a notebook cell, so the three classes inherit
these methods, and the import of the drawing code happens here, when it is first used.
"""

from __future__ import annotations

from typing import Any


class Displayed:
    """Adds text and SVG pictures to a board, a puzzle or a solution."""

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
