"""What all tests share: settings for hypothesis, and a way to run the installed command."""

from __future__ import annotations

import os
import signal
import subprocess
import sysconfig
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Machines differ in speed, so no test fails for being slow; the same examples come every time.
settings.register_profile(
    "trisolve", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("trisolve")

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def script() -> str:
    """The path of the installed command ``trisolve``."""
    path = Path(sysconfig.get_path("scripts"), "trisolve")
    if not path.exists():
        try:
            metadata.distribution("trisolve")
        except metadata.PackageNotFoundError:
            pytest.skip("trisolve isn't installed here")
    return str(path)


def heed_ctrl_c() -> None:
    """For a child process: undo the deafness to Ctrl-C that background jobs of a shell inherit."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def environment(**more: str) -> dict[str, str]:
    """The environment without what would change the output, and with ``more``."""
    unwanted = ("NO_COLOR", "FORCE_COLOR", "PYTHONIOENCODING", "PYTHONUTF8", "COLUMNS", "LINES")
    return {k: v for k, v in os.environ.items() if k not in unwanted} | {"PYTHONIOENCODING": "utf-8"} | more


Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def trisolve(script: str, tmp_path: Path) -> Command:
    """Runs the command in an empty folder, in pipes, and returns what came of it."""

    def run(*arguments: object, stdin: str = "", **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [script, *map(str, arguments)],
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            env=environment(**env),
            cwd=tmp_path,
            timeout=300,
            check=False,
        )

    return run
