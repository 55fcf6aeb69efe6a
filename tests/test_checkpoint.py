"""Counts in parts: checkpoints that survive anything, executors, and what is refused."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from conftest import ROOT, heed_ctrl_c
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import Filling, solved_puzzles

import trisolve as ts
from trisolve import checkpoint as checkpoints
from trisolve.board import Board
from trisolve.checkpoint import Checkpoint, CheckpointError, CheckpointFull, Done, Job, read
from trisolve.encoding import encode
from trisolve.engines import Run, auto, count, engine_named, frontier, meeting, order, parts, points, sweep
from trisolve.engines.base import EngineError, Request
from trisolve.puzzle import Puzzle
from trisolve.tiles import Supply, named_set

STRIP = Puzzle(Board.parallelogram(4, 1), "trioker-24", name="strip")
JOB = Job("strip", STRIP.digest, "sweep", True, "a layout", 10)


@pytest.fixture
def many_parts() -> Iterator[None]:
    """Small counts, too, are cut into many parts."""
    with patch.multiple(parts, WORTH_SHARING=-1.0, SHARED=40):
        yield


# -- the file -----------------------------------------------------------------------------------------


def test_what_is_recorded_is_there_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "count"
    first = Checkpoint(path)
    assert first.engine is None
    assert first.begin(JOB) == {}
    first.record(3, Done(1 << 70, 5))
    first.record(4, Done(-2, 1))
    first.close()
    second = Checkpoint(path)
    assert second.engine == "sweep"
    assert second.begin(JOB) == {3: Done(1 << 70, 5), 4: Done(-2, 1)}
    second.close()
    found = read(path)
    assert (found.job, found.done, found.found, found.nodes, found.runs) == (JOB, 2, (1 << 70) - 2, 6, 2)
    assert not found.complete
    assert found.holder is None


def test_a_part_counts_once(tmp_path: Path) -> None:
    file = Checkpoint(tmp_path / "count")
    file.begin(JOB)
    file.record(3, Done(7, 1))
    file.flush()
    file.record(3, Done(9, 1))
    file.close()
    assert read(tmp_path / "count").found == 7


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (JOB._replace(digest="0" * 64, puzzle="eagle"), "belongs to another puzzle, strip"),
        (JOB._replace(counting=False), "belongs to a count: expected a list of all solutions"),
        (JOB._replace(engine="frontier"), "belongs to a count by engine sweep, not frontier"),
        (JOB._replace(layout="another"), "belongs to another version of trisolve"),
        (JOB._replace(parts=11), "belongs to another version of trisolve"),
    ],
)
def test_another_job_is_refused(tmp_path: Path, other: Job, message: str) -> None:
    path = tmp_path / "count"
    file = Checkpoint(path)
    file.begin(JOB)
    file.record(0, Done(5, 1))
    file.close()
    file = Checkpoint(path)
    with pytest.raises(CheckpointError, match=message) as raised:
        file.begin(other)
    file.close()
    assert "\n" not in str(raised.value)
    assert read(path).found == 5


def test_the_name_of_a_puzzle_does_not_matter(tmp_path: Path) -> None:
    for name in ("strip", "the same by another name"):
        file = Checkpoint(tmp_path / "count")
        file.begin(JOB._replace(puzzle=name))
        file.close()


def test_one_process_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "count"
    file = Checkpoint(path)
    file.begin(JOB)
    with pytest.raises(CheckpointError, match=rf"in use by process {os.getpid()} on .+ since \d{{4}}-"):
        Checkpoint(path)
    assert f"process {os.getpid()}" in (read(path).holder or "")
    file.close()
    Checkpoint(path).close()


def test_a_link_is_no_second_file(tmp_path: Path) -> None:
    path, link = tmp_path / "count", tmp_path / "link"
    link.symlink_to(path)
    file = Checkpoint(path)
    with pytest.raises(CheckpointError, match="in use by"):
        Checkpoint(link)
    assert read(link).holder is not None
    file.close()


def test_a_holder_that_cannot_be_told_is_not_nobody(tmp_path: Path) -> None:
    path = tmp_path / "count"
    Checkpoint(path).close()
    with patch("filelock.FileLock.acquire", side_effect=PermissionError(13, "Permission denied")):
        assert re.fullmatch(r"unknown, .*count\.lock: Permission denied", read(path).holder or "")


def _truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def _scribbled(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4096:] = os.urandom(len(data) - 4096)
    path.write_bytes(bytes(data))


def _text(path: Path) -> None:
    path.write_text("name: hexagon\n")


def _another_database(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as file:
        file.execute("CREATE TABLE things (a)")
        file.commit()


def _of_another_program(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as file:
        file.execute("PRAGMA application_id = 77")


def _from_the_future(path: Path) -> None:
    with closing(sqlite3.connect(path)) as file:
        file.execute("PRAGMA user_version = 99")


def _edited(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as file:
        file.execute(statement)
        file.commit()


def _without_a_job(path: Path) -> None:
    _edited(path, "DELETE FROM job")


def _of_an_unknown_engine(path: Path) -> None:
    _edited(path, "UPDATE job SET engine = 'auto'")


def _with_another_number(path: Path) -> None:
    _edited(path, "UPDATE part SET found = '0x6'")


def _with_a_flipped_bit(path: Path) -> None:
    data = path.read_bytes()
    assert data.count(b"0x5") == 1
    path.write_bytes(data.replace(b"0x5", b"0x7"))


def _with_a_strange_part(path: Path) -> None:
    _edited(path, "INSERT INTO part VALUES (99, '0x1', 1, 'seal')")


def _with_a_strange_number(path: Path) -> None:
    _edited(path, "UPDATE part SET found = 'many'")


@pytest.mark.parametrize(
    "damage",
    [
        _without_a_job,
        _of_an_unknown_engine,
        _with_another_number,
        _with_a_flipped_bit,
        _truncated,
        _scribbled,
        _text,
        _another_database,
        _of_another_program,
        _from_the_future,
        _with_a_strange_part,
        _with_a_strange_number,
    ],
)
def test_a_file_that_is_not_understood_is_left_alone(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    path = tmp_path / "count"
    file = Checkpoint(path)
    file.begin(JOB)
    file.record(0, Done(5, 1))
    file.close()
    damage(path)
    before = path.read_bytes()
    with pytest.raises(CheckpointError, match=r"count: ") as raised:  # noqa: PT012
        file = Checkpoint(path)
        try:
            file.begin(JOB)
        finally:
            file.close()
    assert "\n" not in str(raised.value)
    assert path.read_bytes() == before


@pytest.mark.parametrize("also_gone", [False, True])
def test_a_file_that_is_replaced_under_way_takes_no_parts(tmp_path: Path, also_gone: bool) -> None:
    path, other = tmp_path / "count", tmp_path / "other"
    mine, yours = Checkpoint(path), Checkpoint(other)
    mine.begin(JOB)
    yours.begin(JOB._replace(engine="frontier", layout="another"))
    yours.record(2, Done(7, 1))
    yours.close()
    if also_gone:
        path.unlink()
    else:
        shutil.copyfile(other, path)
    mine._last_commit = 0.0
    with pytest.raises(CheckpointFull, match=r"something else|malformed|readonly"):
        mine.record(1, Done(5, 1))
    with suppress(CheckpointFull):
        mine.close()
    if not also_gone:
        assert read(path).found == 7


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no such files here")
def test_only_files_are_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (str(tmp_path / "pipe"), os.devnull):
        for use in (read, Checkpoint):
            with pytest.raises(CheckpointError, match="not a file"):
                use(path)
    assert not Path(f"{os.devnull}.lock").exists()


def test_strange_times_do_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "count"
    file = Checkpoint(path)
    file.begin(JOB)
    file.close()
    _edited(path, "UPDATE run SET begun = -1e308, ended = 1e308")
    assert read(path).seconds == 0


def test_an_empty_file_is_a_new_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "count"
    path.touch()
    assert read(path).job is None
    Checkpoint(path).close()
    assert read(path).job is None


def test_a_full_disk_stops_the_count_and_keeps_what_there_was(tmp_path: Path, many_parts: None) -> None:
    path = tmp_path / "count"

    class Full(Checkpoint):
        flushed = 0

        def begin(self, job: Job) -> dict[int, Done]:
            done = super().begin(job)
            pages = self._file.execute("PRAGMA page_count").fetchone()[0]
            self._file.execute(f"PRAGMA max_page_count = {pages}")
            return done

    with patch.multiple(checkpoints, COMMIT_AFTER=-1.0), patch("trisolve.engines.Checkpoint", Full):
        run = Run(Puzzle(Board.parallelogram(5, 1), "trioker"), counting=True, engine="sweep", checkpoint=path)
        with patch.object(parts, "SHARED", 3000):
            list(run)
    assert (run.status, run.complete) == ("limit", False)
    kept = read(path)
    assert 0 < kept.done < (kept.job or JOB).parts
    resumed = Run(Puzzle(Board.parallelogram(5, 1), "trioker"), counting=True, engine="sweep", checkpoint=path)
    with patch.object(parts, "SHARED", 3000):
        list(resumed)
    assert resumed.complete
    assert resumed.found == count(Puzzle(Board.parallelogram(5, 1), "trioker"))


# -- counting with one --------------------------------------------------------------------------------


class Stopped(Exception):
    """Raised to stop a count."""


def failing(after: int) -> Callable[..., None]:
    """``Checkpoint.record``, which raises Stopped when it is called so often."""
    record = Checkpoint.record
    calls = iter(range(1, after + 1))

    def limited(self: Checkpoint, *finished: Any) -> None:
        if next(calls) == after:
            raise Stopped
        record(self, *finished)

    return limited


@settings(max_examples=40, deadline=None)
@given(
    solved=solved_puzzles(),
    engine=st.sampled_from(["sweep", "frontier", "auto"]),
    chance=st.randoms(use_true_random=False),
)
def test_stopped_and_resumed_counts_are_exact(
    solved: tuple[Puzzle, frozenset[Filling]], engine: str, chance: Random, tmp_path_factory: pytest.TempPathFactory
) -> None:
    puzzle, expected = solved
    assume(len(puzzle.board) > 1)
    path = tmp_path_factory.mktemp("checkpoint") / "count"
    with (
        patch.multiple(parts, WORTH_SHARING=-1.0, SHARED=20),
        patch.object(points, "WORTH_ORDERING", -1.0),
        patch.multiple(checkpoints, COMMIT_AFTER=-1.0),
    ):
        for stops in range(1000):
            run = Run(puzzle, engine=engine, counting=True, workers=1, checkpoint=path)
            with patch.object(Checkpoint, "record", failing(chance.randrange(1, 6 + stops))):
                try:
                    list(run)
                    break
                except Stopped:
                    assert not run.complete
    assert run.complete
    assert run.found == len(expected)


def test_a_finished_count_is_not_counted_again(tmp_path: Path, many_parts: None) -> None:
    path = tmp_path / "count"
    first = count(STRIP, engine="sweep", checkpoint=path)
    with patch.object(points.PointPlan, "count", side_effect=AssertionError):
        again = count(STRIP, engine="sweep", checkpoint=path)
    assert (int(again), again.nodes, again.complete) == (int(first), first.nodes, True)
    assert read(path).complete


def test_auto_goes_on_with_the_engine_of_the_file(tmp_path: Path) -> None:
    for engine in ("sweep", "frontier"):
        path = tmp_path / engine
        count(STRIP, engine=engine, checkpoint=path)
        assert count(STRIP, checkpoint=path).engine == engine


def test_auto_goes_over_to_the_sweep_when_memory_runs_out(tmp_path: Path) -> None:
    path = tmp_path / "count"
    with patch.object(auto, "counts_by_parts", lambda e: True):
        assert count(STRIP, checkpoint=path, memory=100).engine == "sweep"
        other = tmp_path / "other"
        run = Run(STRIP, counting=True, engine="frontier", checkpoint=other)
        with patch.object(Checkpoint, "record", failing(2)), pytest.raises(Stopped):
            list(run)
        assert read(other).done == 1
        run = Run(STRIP, counting=True, checkpoint=other, memory=100)
        list(run)
        assert (run.status, run.complete) == ("limit", False)
        assert count(STRIP, checkpoint=other) == count(STRIP)


def test_what_parts_are_made_of_is_in_the_layout(tmp_path: Path, many_parts: None) -> None:
    for engine in ("sweep", "frontier"):
        path = tmp_path / engine
        count(STRIP, engine=engine, checkpoint=path)
        greedy = order.Layout.greedy

        def backwards(self: order.Layout, *arguments: Any, greedy: Any = greedy) -> Any:
            cells, nodes, fillings = greedy(self, *arguments)
            return cells[::-1], nodes, fillings

        order.layout_of.cache_clear()
        with (
            patch.object(order.Layout, "greedy", backwards),
            pytest.raises(CheckpointError, match="another version of trisolve"),
        ):
            count(STRIP, engine=engine, checkpoint=path)
        order.layout_of.cache_clear()
        assert count(STRIP, engine=engine, checkpoint=path) == count(STRIP)


def test_a_long_case_is_several_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    for puzzle in (STRIP, Puzzle(Board.hexagon([1] * 6), "macmahon", border=1)):
        expected = count(puzzle, engine="sweep")
        few = engine_parts(puzzle)
        monkeypatch.setattr(meeting, "LONG", 30.0)
        assert engine_parts(puzzle) > few
        assert [count(puzzle, engine="frontier", workers=workers) for workers in (1, 3)] == [expected] * 2
        monkeypatch.undo()


def engine_parts(puzzle: Puzzle) -> int:
    """Parts of a count by engine frontier."""
    return len(meeting.Meeting(encode(puzzle), Request()).parts)


def test_the_lock_is_let_go_in_whatever_thread_the_count_ends(tmp_path: Path) -> None:
    path = tmp_path / "count"
    run = Run(STRIP, counting=True, checkpoint=path)
    thread = threading.Thread(target=lambda: list(run))
    thread.start()
    thread.join()
    assert count(STRIP, checkpoint=path) == run.found


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes aren't forked here")
def test_orphans_of_a_killed_count_do_not_keep_the_file(tmp_path: Path) -> None:
    path = tmp_path / "count"
    code = """if True:
        import os, sys, time
        from trisolve.checkpoint import Checkpoint
        file = Checkpoint(sys.argv[1])
        child = os.fork()
        if not child:
            time.sleep(60)
        print(child, flush=True)
        os._exit(9)
    """
    process = subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    child = int(process.stdout.readline())
    process.wait()
    try:
        Checkpoint(path).close()
    finally:
        os.kill(child, signal.SIGKILL)
        process.stdout.close()


def test_a_run_that_cannot_begin_lets_go(tmp_path: Path) -> None:
    path = tmp_path / "count"
    with pytest.raises(ValueError, match="nonsense"):
        Run(STRIP, counting=True, checkpoint=path, up_to="nonsense")  # type: ignore[arg-type]
    with patch.object(auto.Auto, "start", side_effect=ZeroDivisionError), pytest.raises(ZeroDivisionError):
        Run(STRIP, counting=True, checkpoint=path)
    Checkpoint(path).close()


def test_an_interrupt_while_parts_are_written_loses_none(tmp_path: Path) -> None:
    path = tmp_path / "count"
    file = Checkpoint(path)
    file.begin(JOB)

    class Interrupting:
        def __init__(self, file: sqlite3.Connection) -> None:
            self.file = file

        def __enter__(self) -> None:
            raise KeyboardInterrupt

        def __exit__(self, *_: object) -> None: ...

    real, file._file = file._file, Interrupting(file._file)  # type: ignore[assignment]
    with pytest.raises(KeyboardInterrupt):
        file.record(1, Done(5, 1))
    file._file = real
    file.close()
    assert read(path).found == 5


def test_looking_does_not_get_in_the_way(tmp_path: Path) -> None:
    path = tmp_path / "count"
    Checkpoint(path).close()
    stop = threading.Event()
    holders = []

    def look() -> None:
        while not stop.is_set():
            holders.append(read(path).holder)

    threads = [threading.Thread(target=look) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(30):
        time.sleep(0.01)
    stop.set()
    for thread in threads:
        thread.join()
    assert set(holders) == {None}


def test_numbers_of_any_length(tmp_path: Path) -> None:
    path = tmp_path / "count"
    file = Checkpoint(path)
    file.begin(JOB)
    file.record(1, Done(1 << 20_000, 1))
    file.record(2, Done(-1, 1))
    file.close()
    assert read(path).found == (1 << 20_000) - 1


def test_orbits_are_counted_with_a_checkpoint(tmp_path: Path, many_parts: None) -> None:
    for puzzle, orbits in ((Puzzle(Board.hexagon([1] * 6), "trioker-24"), 15), (Puzzle.load("rhombus"), 6)):
        for _ in range(2):
            assert count(puzzle, up_to="symmetry", checkpoint=tmp_path / str(orbits)) == orbits


def test_a_count_with_copies_without_end_is_one_part(tmp_path: Path) -> None:
    puzzle = Puzzle(Board.hexagon([1] * 6), Supply.of(["000", "001", "011", "111"]).times(6))
    with patch.object(frontier, "chosen_method", lambda e: ("transfer", 1.0)):
        assert count(puzzle, engine="frontier", checkpoint=tmp_path / "count") == 2**7
    assert read(tmp_path / "count").done == 1


@pytest.mark.parametrize("jokers", [0, 1])
def test_large_boards_are_cut_soon(jokers: int) -> None:
    tiles = named_set("trioker-24").supply().times(9999).with_jokers(jokers)
    engine: Any = engine_named("sweep")
    plan = engine.plan(encode(Puzzle(Board.parallelogram(25, 12), tiles)), Request())
    assert len(plan.parts) < 10 * parts.MOST_PARTS


def test_cells_far_apart_are_cut_in_few_parts() -> None:
    board = Board([c._replace(x=c.x + 9 * i) for i in range(20) for c in Board.triangle(1)])
    engine: Any = engine_named("sweep")
    plan = engine.plan(encode(Puzzle(board, named_set("complete-10").supply().times(2))), Request())
    assert len(plan.parts) <= 4 * parts.MOST_PARTS


@pytest.mark.parametrize("engine", ["dlx", "cpsat", "reference"])
def test_engines_that_cannot_count_by_parts_say_so(engine: str, tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="doesn't work by parts: expected auto, sweep, or frontier"):
        Run(STRIP, engine=engine, counting=True, checkpoint=tmp_path / "count")
    assert not (tmp_path / "count").exists()
    for few in ({"limit": 3}, {"seed": 1}):
        with pytest.raises(ValueError, match="are for counts and for all solutions"):
            Run(STRIP, checkpoint=tmp_path / "count", **few)


def test_the_digest_is_that_of_the_puzzle_however_it_is_written() -> None:
    clues = [{"cell": "r1c1", "tile": "012"}, {"corner": "r1c2.right", "value": 3}]
    one = Puzzle(Board.parallelogram(3, 1), "trioker-24", clues=clues, name="one", title="One")
    far = Board([c._replace(x=c.x + 7, y=c.y - 2) for c in reversed(Board.parallelogram(3, 1).cells)])
    other = Puzzle(far, list(reversed(list(ts.Supply(one.supply)))), match="corners", clues=clues[::-1])
    assert one.digest == other.digest
    different = [
        Puzzle(Board.parallelogram(4, 1), "trioker-24", clues=clues),
        Puzzle(Board.parallelogram(3, 1), "trioker", clues=clues),
        Puzzle(Board.parallelogram(3, 1), "trioker-24", clues=clues[:1]),
        Puzzle(Board.parallelogram(3, 1), "trioker-24", clues=clues[1:], border=3),
        Puzzle(Board.parallelogram(3, 1), "trioker-24", match="edges", clues=clues[:1]),
    ]
    assert len({p.digest for p in [one, *different]}) == 1 + len(different)


@pytest.mark.parametrize("name", ["hexagon", "macmahon-hexagon", "strip-12"])
@pytest.mark.parametrize("engine", ["sweep", "frontier"])
def test_parts_are_the_same_in_every_process(name: str, engine: str) -> None:
    code = (
        "import sys; from trisolve.engines import engine_named; from trisolve.engines.base import Request; "
        "from trisolve.encoding import encode; from trisolve.puzzle import Puzzle; "
        "e = encode(Puzzle.load(sys.argv[1])); "
        "print(engine_named(sys.argv[2]).plan(e, Request(workers=int(sys.argv[3]))).layout)"
    )
    layouts = {
        subprocess.run(
            [sys.executable, "-c", code, name, engine, workers],
            env=os.environ | {"PYTHONHASHSEED": workers},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for workers in ("1", "7")
    }
    assert len(layouts) == 1


def test_cells_cut_in_parts_count_the_same() -> None:
    puzzle = Puzzle(Board.hexagon([1] * 6), Supply.of(["000", "001", "011", "111", "012", "12W"]).times(2))
    whole = Run(puzzle, engine="sweep", counting=True)
    list(whole)
    with patch.multiple(parts, WORTH_SHARING=-1.0, SHARED=200):
        engine: Any = engine_named("sweep")
        plan = engine.plan(encode(puzzle), Request())
        assert len(plan.parts) > 200
        assert sum(plan.count(part)[0] for part in plan.parts) == whole.found
    reference = Run(puzzle, engine="reference", counting=True)
    list(reference)
    assert whole.found == reference.found


# -- executors ----------------------------------------------------------------------------------------


class Twice(Executor):
    """Does everything twice, as a cluster does that takes a slow worker for a dead one."""

    calls = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        for _ in range(2):
            self.calls += 1
            result = fn(*args, **kwargs)
        future.set_result(result)
        return future


class Broken(Executor):
    """Loses its workers after a few tasks."""

    left = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.left -= 1
        if self.left < 0:
            future.set_exception(BrokenExecutor("the worker died"))
        else:
            future.set_result(fn(*args, **kwargs))
        return future


@pytest.mark.parametrize("engine", ["sweep", "frontier", "auto"])
@pytest.mark.parametrize("make", [lambda: ThreadPoolExecutor(3), lambda: ProcessPoolExecutor(2), Twice])
def test_any_executor_counts_the_same(make: Callable[[], Executor], engine: str, many_parts: None) -> None:
    others = [Puzzle(Board.triangle(n), "trioker-24") for n in (1, 2)]
    expected = [count(puzzle) for puzzle in [STRIP, *others]]
    # Workers outlive a count, and what they know of one mustn't be taken for another.
    with make() as executor:
        for _ in range(2):
            assert [count(puzzle, engine=engine, executor=executor) for puzzle in [STRIP, *others]] == expected


@pytest.mark.parametrize("make", [lambda: ThreadPoolExecutor(3), Twice])
def test_any_executor_counts_cell_by_cell_the_same(make: Callable[[], Executor]) -> None:
    puzzles = [Puzzle(Board.triangle(n), Supply.of(["000", "001", "011", "111"]).times(9)) for n in (1, 2, 3)]
    with make() as executor, patch.object(frontier, "chosen_method", lambda e: ("transfer", 1.0)):
        for _ in range(2):
            assert [count(p, engine="frontier", executor=executor) for p in puzzles] == [2**3, 2**6, 2**10]


def test_a_mistake_in_a_part_is_not_taken_for_a_lost_worker() -> None:
    with (
        ThreadPoolExecutor(1) as executor,
        patch.object(parts, "count_part", side_effect=ZeroDivisionError),
        pytest.raises(ZeroDivisionError),
    ):
        count(STRIP, executor=executor)


def test_an_executor_that_breaks_leaves_what_there_was(tmp_path: Path, many_parts: None) -> None:
    path = tmp_path / "count"
    plan = points.PointPlan(encode(STRIP))
    executor = Broken()
    executor.left = len(plan.parts) - 2
    order = list(range(len(plan.parts)))
    Random(0).shuffle(order)
    expected = sum(plan.parts[i].weight * plan.count(plan.parts[i])[0] for i in order[: executor.left])
    with patch.multiple(checkpoints, COMMIT_AFTER=-1.0):
        run = Run(STRIP, engine="sweep", counting=True, executor=executor, checkpoint=path)
        list(run)
    assert (run.status, run.complete, run.found) == ("limit", False, expected)
    assert (read(path).done, read(path).found) == (len(plan.parts) - 2, expected)
    assert count(STRIP, engine="sweep", checkpoint=path) == count(STRIP)


def test_workers_of_another_version_are_refused(many_parts: None) -> None:
    errand = parts.Errand(STRIP, "sweep", True, "another layout", None)
    with pytest.raises(EngineError, match="expected the same version of trisolve"):
        parts.count_part(errand, 0)


# -- lists of all solutions ---------------------------------------------------------------------------


def listed(puzzle: Puzzle, **options: Any) -> list[str]:
    """All solutions, in the order in which they come."""
    return [str(solution.as_json()) for solution in ts.solutions(puzzle, engine="sweep", **options)]


@settings(max_examples=60, deadline=None)
@given(solved=solved_puzzles(), wanted=st.sampled_from([2, 5, 60]))
def test_parts_of_a_list_are_disjoint_and_cover_the_whole(
    solved: tuple[Puzzle, frozenset[Filling]], wanted: int
) -> None:
    puzzle, expected = solved
    assume(len(puzzle.board) > 0)
    e = encode(puzzle)
    engine: Any = engine_named("sweep")
    with patch.multiple(parts, WORTH_SHARING=-1.0, SHARED=wanted):
        plan = engine.plan(e, Request())
    fillings = []
    for part in plan.parts:
        packed, number, _ = plan.solutions(part)
        found = [labels for block in plan.unpacked(packed) for labels in block.tolist()]
        assert len(found) == number
        fillings += [frozenset(e.decode(labels).items()) for labels in found]
    assert len(fillings) == len(set(fillings))
    assert set(fillings) == expected
    with patch.multiple(parts, WORTH_SHARING=-1.0, SHARED=wanted), ThreadPoolExecutor(2) as executor:
        assert listed(puzzle, executor=executor) == listed(puzzle)


@pytest.mark.parametrize("make", [lambda: ThreadPoolExecutor(3), lambda: ProcessPoolExecutor(2), Twice])
def test_any_executor_lists_the_same(make: Callable[[], Executor], many_parts: None) -> None:
    boards = Board.hexagon([1] * 6), Board.triangle(2), Board([])
    with make() as executor:
        for board in boards:
            puzzle = Puzzle(board, Supply.of(["000", "001", "011", "111", "012", "12W"]).times(2))
            for up_to in (None, "symmetry"):
                expected = listed(puzzle, up_to=up_to)
                assert expected
                assert listed(puzzle, executor=executor, up_to=up_to) == expected


def test_long_lists_are_shared_by_threads(many_parts: None, monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = Puzzle(Board.triangle(2), "trioker-24")
    expected = listed(puzzle, workers=1)
    monkeypatch.setattr(sweep, "LONG_LIST", -1.0)
    monkeypatch.setattr(sweep, "PART_ROOM", 3)
    monkeypatch.setattr(parts, "AHEAD", 7)
    shared = Run(puzzle, engine="sweep", workers=2)
    assert isinstance(shared._work, parts.ListWork)
    assert [str(solution.as_json()) for solution in shared] == expected
    assert (shared.status, shared.complete, shared.found) == ("complete", True, len(expected))
    early = Run(puzzle, engine="sweep", workers=2)
    assert str(next(iter(early)).as_json()) == expected[0]


@settings(max_examples=25, deadline=None)
@given(solved=solved_puzzles(), chance=st.randoms(use_true_random=False))
def test_stopped_and_resumed_lists_are_whole(
    solved: tuple[Puzzle, frozenset[Filling]], chance: Random, tmp_path_factory: pytest.TempPathFactory
) -> None:
    puzzle, expected = solved
    assume(len(puzzle.board) > 1)
    path = tmp_path_factory.mktemp("checkpoint") / "list"
    with patch.multiple(parts, WORTH_SHARING=-1.0, SHARED=20, AHEAD=5), patch.multiple(checkpoints, COMMIT_AFTER=-1.0):
        for stops in range(1000):
            run = Run(puzzle, engine="auto", workers=1, checkpoint=path)
            with patch.object(Checkpoint, "record", failing(chance.randrange(1, 6 + stops))):
                try:
                    found = list(run)
                    break
                except Stopped:
                    assert not run.complete
    assert run.complete
    assert len(found) == len(expected)
    assert {frozenset(solution.cells.items()) for solution in found} == expected
    kept = read(path)
    assert (kept.found, kept.complete) == (len(expected), True)
    assert kept.job is not None
    assert not kept.job.counting


def test_what_is_done_is_written_while_solutions_are_taken(tmp_path: Path, many_parts: None) -> None:
    path = tmp_path / "list"
    # Six cells with ten values that are alike: each solution stands for many.
    puzzle = Puzzle(Board.hexagon([1] * 6), "complete-10")
    with patch.multiple(checkpoints, COMMIT_AFTER=0.05), Twice() as executor:
        run = Run(puzzle, engine="sweep", executor=executor, checkpoint=path)
        taken: Any = iter(run)
        next(taken)
        time.sleep(0.1)
        for _ in range(3000):
            next(taken)
        done = read(path)
        taken.close()
    assert done.done == min(parts.AHEAD, done.job.parts if done.job else 0)


def test_lists_are_unpacked_piece_by_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "PIECE", 1000)
    rows = np.random.default_rng(1).integers(0, 1331, (777, 7)) * (np.arange(777) % 50 == 0)[:, None]
    packed = pack(rows)
    pieces = list(parts.unpacked(packed, 7))
    assert max(map(len, pieces)) == 71
    assert (np.concatenate(pieces) == rows).all()
    for damaged in (packed[:-1], packed[:100], packed + b"x", b"", packed[:100] + b"y" + packed[101:]):
        with pytest.raises(ValueError, match=r"."):
            list(parts.unpacked(damaged, 7))
    assert sum(map(len, parts.unpacked(pack(np.zeros((0, 7))), 7))) == 0


def pack(solutions: Any) -> bytes:
    packer = parts.Packer(1 << 20)
    packer.add(solutions)
    return packer.bytes()


def test_a_list_that_an_executor_gives_up_says_so(many_parts: None) -> None:
    with pytest.raises(EngineError, match="the executor gave up: BrokenExecutor: the worker died"):
        listed(STRIP, executor=Broken())


def test_a_part_with_too_many_solutions_stops_the_list(tmp_path: Path, many_parts: None) -> None:
    run = Run(STRIP, engine="sweep", memory=1000, checkpoint=tmp_path / "list")
    found = len(list(run))
    assert (run.status, run.complete, run.found) == ("limit", False, found)
    assert len(listed(STRIP, checkpoint=tmp_path / "list")) == count(STRIP)


def test_a_list_without_end_is_not_kept() -> None:
    """It streams, as it did before there were parts, though nobody could keep a part of it."""
    run = Run(Puzzle(Board.parallelogram(30, 20), named_set("complete-2").supply().times(1200)), workers=2)
    assert not isinstance(run._work, parts.ListWork)


@pytest.mark.parametrize("change", ["packed = x'00'", "packed = zeroblob(length(packed))", "seal = '0'", None])
def test_damaged_solutions_are_not_handed_out(tmp_path: Path, many_parts: None, change: str | None) -> None:
    path = tmp_path / "list"
    listed(STRIP, checkpoint=path)
    with closing(sqlite3.connect(path)) as file:
        file.execute(f"UPDATE solutions SET {change}" if change else "DELETE FROM solutions")
        file.commit()
    with pytest.raises(CheckpointError, match="damaged, the solutions of part 0 aren't what was written"):
        listed(STRIP, checkpoint=path)
    # A seal can be forged; what it then says must still be solutions.
    with closing(sqlite3.connect(path)) as file:
        job = checkpoints._job(file, str(path))
        assert job is not None
        for data in (b"no solutions", pack(np.array([9999] * len(STRIP.board))), pack(np.ones(3))):
            seal = checkpoints._seal(job, 0, data)
            file.execute("INSERT OR REPLACE INTO solutions VALUES (0, ?, ?)", (data, seal))
            file.commit()
            with pytest.raises(CheckpointError, match="damaged, part 0 isn't what was written") as raised:
                listed(STRIP, checkpoint=path)
            assert "\n" not in str(raised.value)


# -- the command --------------------------------------------------------------------------------------

COMMAND = [sys.executable, "-m", "trisolve"]


def trisolve(*arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *map(str, arguments)], capture_output=True, text=True, check=False, **options)


def test_count_and_progress(tmp_path: Path) -> None:
    path = tmp_path / "hexagon.count"
    done = trisolve("count", "hexagon", "--checkpoint", path)
    assert (done.returncode, done.stdout) == (0, "1680\n")
    shown = trisolve("progress", path)
    lines = dict(line.split(None, 1) for line in shown.stdout.splitlines())
    assert lines["count"] == "1,680"
    assert lines["puzzle"].startswith("hexagon (")
    assert "(100.0%)" in lines["parts"]
    facts = json.loads(trisolve("progress", path, "--json").stdout)
    assert (facts["count"], facts["complete"], facts["held_by"]) == (1680, True, None)
    assert facts["done"] == facts["parts"]


def test_progress_is_complete_only_when_it_is(tmp_path: Path) -> None:
    path = tmp_path / "count"
    file = Checkpoint(path)
    file.begin(JOB._replace(parts=3000))
    for number in range(2999):
        file.record(number, Done(1, 1))
    file.close()
    assert "2,999 of 3,000 (99.9%)" in trisolve("progress", path).stdout


def test_refusals_are_one_line(tmp_path: Path) -> None:
    path = tmp_path / "hexagon.count"
    trisolve("count", "hexagon", "--checkpoint", path)
    broken = tmp_path / "broken"
    shutil.copy(path, broken)
    broken.write_bytes(broken.read_bytes()[:3000])
    holder = Checkpoint(tmp_path / "held")
    for arguments, message in [
        (("count", "eagle", "--checkpoint", path), "belongs to another puzzle, hexagon"),
        (("count", "hexagon", "--checkpoint", broken), "broken: "),
        (("count", "hexagon", "--checkpoint", tmp_path / "held"), "in use by "),
        (("count", "hexagon", "--checkpoint", tmp_path), "a folder, expected a file"),
        (("count", "hexagon", "--checkpoint", tmp_path / "no" / "count"), "there is no such folder"),
        (("count", "hexagon", "--checkpoint", ROOT / "README.md"), "not a checkpoint of trisolve"),
        (("count", "hexagon", "--checkpoint", path, "--engine", "dlx"), "doesn't work by parts"),
        (("solve", "hexagon", "--checkpoint", path), "need --all"),
        (("solve", "hexagon", "--all", "--seed", 1, "--checkpoint", path), "exclude each other"),
        (("solve", "hexagon", "--all", "--checkpoint", path), "belongs to a count: expected a list of all"),
        (("solve", "hexagon", "--all", "-o", path, "--checkpoint", path), "expected one of"),
        (
            ("count", "hexagon", "-o", os.path.relpath(tmp_path / "c.json"), "--checkpoint", tmp_path / "c.json"),
            "two files",
        ),
        (("solve", "tiles-on-board-73", "--all", "--checkpoint", tmp_path / "c"), "fill: tiles is not done by parts"),
        (("count", "hexagon", "--scheduler", "tcp://127.0.0.1:1"), "no Dask scheduler at tcp://127.0.0.1:1"),
        (("count", "hexagon", "--scheduler", "nonsense://"), "no Dask scheduler at nonsense://"),
        (("progress", tmp_path / "nothing"), "there is no such file"),
        (("progress", broken), "broken: "),
        (("progress", ROOT / "README.md"), "not a checkpoint of trisolve"),
    ]:
        done = trisolve(*arguments)
        assert (done.returncode, done.stdout) == (2, ""), arguments
        assert message in done.stderr
        assert done.stderr.count("\n") == 1, done.stderr
    holder.close()
    assert not (ROOT / "README.md.lock").exists()


@pytest.mark.skipif(sys.platform == "win32" or not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write")
def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    done = trisolve("count", "hexagon", "--checkpoint", tmp_path / "count")
    tmp_path.chmod(0o700)
    assert done.returncode == 2
    assert "can't be written: Permission denied" in done.stderr


LONG = ["count", "macmahon-hexagon-same", "--engine", "sweep"]
LONG_TOTAL = 47_415_168
"""Four times as many as with a border of one colour that is given."""


@pytest.mark.slow
def test_killed_at_twenty_random_moments(tmp_path: Path) -> None:
    path = tmp_path / "count"
    random = Random(4)
    done = 0
    for i in range(20):
        process = subprocess.Popen(
            [*COMMAND, *LONG, "--workers", "1", "--checkpoint", str(path)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        if i < 8:
            # Perhaps before the file is there.
            time.sleep(0.8 * random.random())
        else:
            wanted = done + random.randrange(1, 30)
            until = time.monotonic() + 60
            while time.monotonic() < until and not (path.exists() and read(path).done >= wanted):
                time.sleep(0.02 * random.random())
            time.sleep(0.3 * random.random())
        process.kill()
        output = process.communicate()[0]
        if output:
            # A fast machine is done before it is killed, and begins again.
            assert output == f"{LONG_TOTAL}\n".encode()
            path.unlink()
            done = 0
            continue
        kept = read(path).done if path.exists() else 0
        assert kept >= done
        done = kept
    done_now = trisolve(*LONG, "--checkpoint", path)
    assert (done_now.returncode, done_now.stdout) == (0, f"{LONG_TOTAL}\n")
    assert (read(path).complete, read(path).found) == (True, LONG_TOTAL)


@pytest.mark.slow
def test_interrupted_and_resumed(tmp_path: Path) -> None:
    path = tmp_path / "count"
    process = subprocess.Popen(
        [*COMMAND, *LONG, "--checkpoint", str(path), "--workers", "1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heed_ctrl_c,
    )
    until = time.monotonic() + 60
    while time.monotonic() < until and not (path.exists() and read(path).done):
        time.sleep(0.05)
    while_running = read(path)
    assert f"process {process.pid} " in (while_running.holder or "")
    second = trisolve(*LONG, "--checkpoint", path)
    assert second.returncode == 2
    assert f"in use by process {process.pid} " in second.stderr
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=10)
    assert process.returncode == 130
    kept = read(path)
    # Parts under way are known to hold some as well.
    (number,) = re.findall(r"^at least (\d+) \(not complete\)\n$", output)
    assert int(number) >= kept.found
    assert "interrupted" in errors
    assert kept.done >= while_running.done
    assert kept.holder is None
    resumed = trisolve(*LONG, "--checkpoint", path)
    assert (resumed.returncode, resumed.stdout) == (0, f"{LONG_TOTAL}\n")
    assert read(path).runs == 2


@pytest.mark.slow
def test_a_list_killed_at_random_moments_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "list"
    command = ["solve", "seated-man", "--tiles", "trioker-24", "--all", "--json", "--workers", "1"]
    command += ["--checkpoint", str(path)]
    random = Random(5)
    kept = 0
    for _ in range(8):
        process = subprocess.Popen([*COMMAND, *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + 60
        wanted = kept + random.randrange(1, 10)
        while process.poll() is None and time.monotonic() < until and not (path.exists() and read(path).done >= wanted):
            time.sleep(0.02 * random.random())
        process.kill()
        process.wait()
        assert read(path).done >= kept
        kept = read(path).done
    done = trisolve(*command)
    found = json.loads(done.stdout)
    assert (done.returncode, found["status"], found["complete"]) == (0, "complete", True)
    assert found["solutions"] == json.loads(trisolve(*command[:-2]).stdout)["solutions"]
    shown = trisolve("progress", path).stdout
    assert f"found   {len(found['solutions']):,}\n" in shown
