"""Counting and listing on other machines, by Dask, which does the distributing.

The parts go to a scheduler as calls of :func:`trisolve.engines.parts.count_part`, or of ``list_part`` beside it; its
workers need trisolve of the same version. When a worker dies, Dask gives its parts to another.
"""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Any

from trisolve.engines.base import EngineError

CONNECT = 10
"""Seconds to wait for a scheduler."""

CHATTY = ("distributed", "tornado.application")
"""What is logged under these names while a cluster is used is said in a line, or is of no concern."""


@contextmanager
def dask_executor(address: str) -> Iterator[Executor]:
    """An executor that hands tasks to the Dask scheduler at this address, like ``tcp://host:8786``.

    Raises EngineError when Dask isn't installed or no scheduler answers.
    """
    try:
        import distributed  # noqa: F401
    except ImportError:
        raise EngineError("a cluster needs Dask: expected `pip install trisolve[dask]`") from None
    match = re.fullmatch(r"(tcp|tls|wss?)://[^\s/]+:([0-9]{1,5})/?", address)
    if not match or not 0 < int(match[2]) < 1 << 16:
        raise EngineError(f"no Dask scheduler at {address}: expected an address like tcp://host:8786")
    loggers = [logging.getLogger(name) for name in CHATTY]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        with _client(address) as client:
            if not client.scheduler_info()["workers"]:
                logging.getLogger("trisolve").info("the scheduler has no workers yet: waiting for some")
            yield client.get_executor(pure=False)
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def _client(address: str) -> Any:
    """A client of the scheduler. Raises EngineError."""
    from distributed import Client

    found: list[Any] = []

    def connect() -> None:
        try:
            found.append(Client(address, timeout=CONNECT, set_as_default=False))
        except Exception as error:  # whatever Dask makes of what answers there
            found.append(error)

    # A port that takes a call and says nothing keeps a client waiting for longer than it was told.
    thread = threading.Thread(target=connect, daemon=True)
    thread.start()
    thread.join(CONNECT + 1)
    if not found or isinstance(found[0], Exception):
        said = str(found[0]).strip() if found else ""
        raise EngineError(f"no Dask scheduler at {address}: {said.splitlines()[0] if said else 'no answer'}")
    return found[0]
