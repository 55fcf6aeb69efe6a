"""Compiling the kernels, at the moment when a search turns out to be long, and never before.

Loading numba takes most of a second and compiling a kernel a few more, once for each machine: the result is
kept in numba's cache. If the cache can't be written (a read-only install, no home) or read (cut short by a
full disk), the kernel is compiled without one. If numba isn't there at all, which happens on a Python that
is newer than it, the search goes on interpreted, with one warning.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Any

from trisolve.engines import kernels

log = logging.getLogger("trisolve")

_lock = threading.Lock()
_ready: dict[tuple[object, ...], Callable[..., int] | None] = {}


def is_ready(kernel: Callable[..., int]) -> bool:
    """True when the kernel has been compiled already."""
    return _ready.get(_key(kernel)) is not None


def _key(kernel: Callable[..., int]) -> tuple[object, ...]:
    constants = getattr(kernel, "__closure__", None) or ()
    return getattr(kernel, "__qualname__", ""), *(cell.cell_contents for cell in constants)


def compiled(kernel: Callable[..., int], example: tuple[Any, ...]) -> Callable[..., int] | None:
    """The kernel, compiled, or None when numba can't be used.

    ``example`` is a tuple of arguments whose types it is compiled for; it isn't called.
    """
    key = _key(kernel)
    with _lock:
        if key not in _ready:
            try:
                _ready[key] = _compile(kernel, example)
            except ImportError as error:
                log.warning("searching without compiled kernels, which is slower: %s", error)
                _ready[key] = None
        return _ready[key]


def _compile(kernel: Callable[..., int], example: tuple[Any, ...]) -> Callable[..., int]:
    import numba

    _teach_numba()
    began = time.monotonic()
    signature = tuple(numba.typeof(argument) for argument in example)  # type: ignore[no-untyped-call]
    try:
        dispatcher = numba.njit(cache=True, nogil=True)(kernel)
        dispatcher.compile(signature)
        known = sum(dispatcher.stats.cache_hits.values()) > 0
    except numba.core.errors.NumbaError:
        raise
    except Exception as error:  # whatever an unwritable or damaged cache raises
        log.debug("no cache for compiled kernels: %s", error)
        dispatcher = numba.njit(nogil=True)(kernel)
        dispatcher.compile(signature)
        known = False
    if not known:
        log.info("compiled the search kernel %s in %.1f s", kernel.__name__, time.monotonic() - began)
    result: Callable[..., int] = dispatcher
    return result


_taught = False


def _teach_numba() -> None:
    """Give numba the processor's own instructions for the two functions on words."""
    global _taught
    if _taught:
        return
    from llvmlite import ir  # type: ignore[import-untyped]
    from numba.core import types
    from numba.extending import intrinsic, overload

    @intrinsic
    def count_ones(typing: Any, word: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.ctpop(arguments[0])

        return types.int64(types.int64), generate

    @intrinsic
    def count_trailing_zeros(typing: Any, word: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

        return types.int64(types.int64), generate

    @overload(kernels.popcount)
    def popcount(word: Any) -> Any:
        def implementation(word: Any) -> Any:
            return count_ones(word)  # type: ignore[call-arg]

        return implementation

    @overload(kernels.trailing)
    def trailing(word: Any) -> Any:
        def implementation(word: Any) -> Any:
            return count_trailing_zeros(word)  # type: ignore[call-arg]

        return implementation

    _taught = True
