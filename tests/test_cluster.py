"""Counting on a Dask cluster: in one process tree, and as separate processes of which one is killed."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import pytest
from conftest import ROOT

from trisolve.checkpoint import read
from trisolve.engines import Run, count, solutions
from trisolve.engines.base import EngineError
from trisolve.engines.cluster import dask_executor
from trisolve.puzzle import Puzzle

pytest.importorskip("distributed")

PUZZLE = "macmahon-hexagon-same"
TOTAL = 47_415_168
ENVIRONMENT = os.environ | {
    "PYTHONPATH": str(ROOT),
    "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "10s",
    "DASK_DISTRIBUTED__ADMIN__TICK__LIMIT": "60s",
}


@contextmanager
def process(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A program of Dask that says on standard error where it listens."""
    program = subprocess.Popen(
        [sys.executable, "-m", *arguments], env=ENVIRONMENT, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert program.stderr is not None
    try:
        for line in program.stderr:
            found = re.search(r"(?:Scheduler|Start worker) at: *(tcp://\S+)", line)
            if found:
                break
        else:
            raise AssertionError(f"{arguments} ended before it listened")
        yield program, found[1]
    finally:
        if program.poll() is None:
            os.killpg(program.pid, signal.SIGKILL)
        program.communicate()


@contextmanager
def cluster() -> Iterator[tuple[str, list[subprocess.Popen[str]]]]:
    """A scheduler and two workers, each a process of its own: the address, and the workers."""
    scheduler = ("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
    with process(*scheduler) as (_, address):
        # Without a nanny, so that what is killed stays dead.
        worker = ("distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard")
        with process(*worker) as (one, _), process(*worker) as (two, _):
            yield address, [one, two]


def test_a_local_cluster_counts_the_same() -> None:
    from distributed import LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as local,
        dask_executor(local.scheduler_address) as executor,
    ):
        for engine in ("sweep", "frontier"):
            assert count(Puzzle.load("eagle"), engine=engine, executor=executor) == 2_314_500
        triangle = Puzzle.load("triangle-5")
        assert list(solutions(triangle, executor=executor)) == list(solutions(triangle))
        assert count(Puzzle.load("triangle-2"), up_to="symmetry", executor=executor, engine="sweep") == count(
            Puzzle.load("triangle-2"), up_to="symmetry"
        )


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["sweep", "frontier"])
def test_a_worker_killed_under_way_changes_nothing(tmp_path: Path, engine: str) -> None:
    path = tmp_path / "count"
    with cluster() as (address, workers):
        counting = subprocess.Popen(
            [
                *(sys.executable, "-m", "trisolve", "count", PUZZLE, "--engine", engine),
                *("--scheduler", address, "--checkpoint", str(path)),
            ],
            env=ENVIRONMENT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        until = time.monotonic() + 120
        while time.monotonic() < until and not (path.exists() and read(path).done):
            time.sleep(0.05)
        before = read(path)
        assert before.job is not None
        assert 0 < before.done < before.job.parts
        workers[0].kill()
        output, errors = counting.communicate(timeout=200)
        assert (counting.returncode, output) == (0, f"{TOTAL}\n"), errors
    assert (read(path).found, read(path).complete) == (TOTAL, True)


def dies(run: Run, workers: list[subprocess.Popen[str]]) -> None:
    """Kill all workers once something has been found: nobody is left to count the rest, so a time limit ends it."""
    if run.found and workers[0].poll() is None:
        for worker in workers:
            worker.kill()
            worker.wait()
        run._time_limit = run.seconds + 3


@pytest.mark.slow
def test_a_cluster_that_dies_leaves_what_there_was(tmp_path: Path) -> None:
    path = tmp_path / "count"
    with cluster() as (address, workers), dask_executor(address) as executor:
        run = Run(
            Puzzle.load(PUZZLE),
            engine="sweep",
            counting=True,
            executor=executor,
            checkpoint=path,
            time_limit=90,
            on_tick=lambda run: dies(run, workers),
        )
        with patch("trisolve.checkpoint.COMMIT_AFTER", -1.0):
            list(run)
    assert (run.status, run.complete) == ("limit", False)
    assert read(path).found == run.found > 0


def test_without_dask_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(EngineError, match="expected `pip install trisolve\\[dask\\]`"), dask_executor("tcp://x:1"):
        pass
