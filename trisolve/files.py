"""Files: written so that they are there whole or not at all, even if the machine stops; standard input; bundled ones.

A file is written beside its place under another name, brought to the disk, and then moved. Everything
that trisolve writes goes through :func:`whole_file`, but for checkpoints, which SQLite keeps whole.
"""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import BinaryIO


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write to that appears under its name when the block ends, and not at all if it fails.

    A symbolic link is followed; the new file has the usual rights. Raises OSError, about ``path`` itself.
    """
    target = Path(os.path.realpath(path))
    beside = target.with_name(f".trisolve-{secrets.token_hex(8)}.tmp")
    try:
        # Opened with the rights of any new file, so the umask applies; "x" never follows a link.
        file = beside.open("xb")
    except OSError as error:
        raise type(error)(error.errno, error.strerror, os.fspath(path)) from None
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        beside.replace(target)
    except BaseException as error:
        beside.unlink(missing_ok=True)
        # A full disk has no name of its own, and a file that was to be read has another.
        if isinstance(error, OSError) and error.errno and error.filename in (None, os.fspath(beside)):
            raise type(error)(error.errno, error.strerror, os.fspath(path)) from None
        raise


def standard_input() -> BinaryIO:
    """Standard input as bytes; empty where it has been closed."""
    return BytesIO() if sys.stdin is None else sys.stdin.buffer


def bundled(folder: str = "") -> dict[str, Path]:
    """The bundled shapes by name, in sorted order; with ``"positions"`` the bundled positions."""
    here = Path(__file__).resolve().parent
    # In a wheel they are inside the package, in a checkout beside it.
    shapes = here / "shapes" if (here / "shapes").is_dir() else here.parent / "shapes"
    return {path.stem: path for path in sorted((shapes / folder).glob("*.yaml"), key=lambda path: path.stem)}
