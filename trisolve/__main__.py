"""The command ``trisolve``, and ``python -m trisolve``.

Loading the command line takes a tenth of a second. Nothing has been done by then, so Ctrl-C in that time ends the
process at once, without the account that Python would give of what was being loaded.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType


def main() -> None:
    """Run the command line and exit with its status."""
    # First of all, for even the module of signals takes a moment to load.
    sys.excepthook = _report
    import signal

    # Where the caller wants Ctrl-C ignored, as in the background of a shell, it is.
    for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGTERM, signal.SIG_DFL)):
        if signal.getsignal(number) == usual:
            signal.signal(number, lambda number, frame: os._exit(130))
    from trisolve.cli import main as command_line

    command_line()


def _report(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Nothing about Ctrl-C, on which Python ends as the shell expects; what is usual about anything else."""
    if not issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)


if __name__ == "__main__":
    main()
