"""How numbers of things are said, the same way in every message and under every picture."""

from __future__ import annotations


def counted(number: int, thing: str) -> str:
    """A number with what it counts, like 1 tile or 1,680 solutions.

    >>> counted(1, "tile"), counted(1680, "solution")
    ('1 tile', '1,680 solutions')
    """
    return f"{number:,} {thing}{'s' * (number != 1)}"
