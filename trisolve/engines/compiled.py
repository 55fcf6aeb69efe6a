"""Compiling the kernels, at the moment when a search turns out to be long, and never before.

Loading numba takes most of a second and compiling a kernel a few more, once for each installation: the result is
kept in numba's cache. If the cache can't be written (a read-only install, no home) or read (cut short by a
full disk), the kernel is compiled without one. If numba isn't there at all, which happens on a Python that
is newer than it, the search goes on interpreted, with one warning.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np

from trisolve.engines import kernels

log = logging.getLogger("trisolve")

COMPILE_ABOVE = 2e5
"""Expected nodes above which a kernel is compiled at once."""

PATIENCE = 0.6
"""Seconds of interpreted search before a search is compiled."""

SLICE = 2_000_000
"""Nodes, or steps of a join, between two looks at whether to stop; a hundredth of it when interpreted."""

WORD_MASK = (1 << 64) - 1

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


def as_arrays(lists: Any) -> Any:
    """A named tuple of lists as one of int64 arrays, the bits of each number kept."""

    def convert(value: Any) -> Any:
        if not isinstance(value, list):
            return value
        try:
            return np.array(value, dtype=np.int64)
        except OverflowError:
            return np.array([v & WORD_MASK for v in value], dtype=np.uint64).view(np.int64)

    return type(lists)(*(convert(value) for value in lists))


class Runner:
    """A kernel with its tables, for several threads: interpreted on lists until it pays to compile it.

    ``work`` is the number of nodes expected; ``example`` a state.
    """

    def __init__(self, kernel: Callable[..., int], tables: Any, example: Any, work: float) -> None:
        # One attribute, so that another thread sees all of it change at once.
        self._now: tuple[bool, Callable[..., int], Any] = False, kernel, tables
        self._example = example
        at_once = work > COMPILE_ABOVE or is_ready(kernel)
        self._until = -inf if at_once else time.monotonic() + PATIENCE

    @property
    def fast(self) -> bool:
        """True once it is compiled."""
        return self._now[0]

    def _settle(self) -> None:
        """Compile the kernel if it is time to."""
        if self.fast or time.monotonic() <= self._until:
            return
        self._until = inf
        _, kernel, tables = self._now
        tables = as_arrays(tables)
        fast = compiled(kernel, (tables, as_arrays(self._example), 1, False))
        if fast is not None:
            self._now = True, fast, tables

    def ready(self, state: Any) -> Any:
        """A state in lists as a state of its own, in lists or in arrays."""
        self._settle()
        return as_arrays(state) if self.fast else type(state)(*(list(value) for value in state))

    def run(self, state: Any, counting: bool = False) -> tuple[Any, int]:
        """Run for a slice: the state, which may have become one in arrays, and what the kernel returns."""
        self._settle()
        fast, kernel, tables = self._now
        if fast and isinstance(state.scalars, list):
            state = as_arrays(state)
        return state, kernel(tables, state, SLICE if fast else SLICE // 100, counting)


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
