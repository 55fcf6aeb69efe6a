"""Long counts and lists, kept on the disk part by part, so that a stop costs no more than the parts under way.

A checkpoint is an SQLite file: what is being done, one row for each finished part, its solutions where they are
listed, and when somebody worked at it. Rows are written in transactions that are on the disk when they end, so
that whatever happens the file holds parts that are whole, each once; what a process was working at is done anew.
One process at a time may work with a file: it holds a lock beside it, which the system takes away when the
process ends, however it ends.

Everything that can go wrong with the file is a :class:`CheckpointError` of one line, and a file that isn't
understood is left as it is.
"""

from __future__ import annotations

import os
import socket
import sqlite3
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, TypeVar

_T = TypeVar("_T")

HEAD = b"SQLite format 3\0"
"""How every SQLite file begins."""

APPLICATION = 0x54524953
"""What marks a file as a checkpoint (SQLite's application_id), ``TRIS``."""

FORMAT = 2
"""The version of the tables."""

COMMIT_AFTER = 0.25
"""Seconds that finished parts may wait for others before they are written together."""

LOOKS = 0.5
"""Seconds that a lock may be held by somebody who only looks whether it is."""

LATE = 1e11
"""A time, in seconds since 1970, that no clock shows."""

PATIENCE = 5.0
"""Seconds to wait while another process reads."""

TABLES = """
CREATE TABLE job (
    puzzle TEXT NOT NULL, digest TEXT NOT NULL, engine TEXT NOT NULL, counting INTEGER NOT NULL, layout TEXT NOT NULL,
    parts INTEGER NOT NULL
) STRICT;
CREATE TABLE part (
    number INTEGER PRIMARY KEY, found TEXT NOT NULL, nodes INTEGER NOT NULL, seal TEXT NOT NULL
) STRICT;
CREATE TABLE solutions (
    number INTEGER PRIMARY KEY, packed BLOB NOT NULL, seal TEXT NOT NULL
) STRICT;
CREATE TABLE run (
    begun REAL NOT NULL, ended REAL NOT NULL, parts INTEGER NOT NULL, host TEXT NOT NULL, process INTEGER NOT NULL
) STRICT;
"""


class CheckpointError(ValueError):
    """A checkpoint that can't be used; the message is one line and begins with the file."""


class CheckpointFull(CheckpointError):
    """A checkpoint that can't be written any longer; what was written before is safe."""


class Job(NamedTuple):
    """What is counted or listed in a file, and how it is cut into parts."""

    puzzle: str
    """The name of the puzzle."""
    digest: str
    """:attr:`trisolve.Puzzle.digest`."""
    engine: str
    counting: bool
    """False when the solutions are kept as well."""
    layout: str
    """A hash of the parts and of how they are made."""
    parts: int


ENGINES = ("frontier", "sweep")
"""The engines that work by parts; only the latter lists solutions."""


class Done(NamedTuple):
    """What a finished part has given."""

    found: int
    """Solutions, in a count as often as they count."""
    nodes: int


@dataclass(frozen=True)
class Progress:
    """What is in a checkpoint."""

    job: Job | None
    """None when the file is new and nothing was begun."""
    done: int
    """Finished parts."""
    found: int
    """What they add up to."""
    nodes: int
    seconds: float
    """Time spent in all runs."""
    runs: int
    rate: float
    """Parts a second in the last run that finished any, or 0."""
    holder: str | None
    """Who works with the file now, None if nobody does; or why that can't be told."""

    @property
    def complete(self) -> bool:
        """True when every part is in."""
        return self.job is not None and self.done == self.job.parts

    @property
    def left(self) -> float | None:
        """Seconds that the rest will take at this rate; None while nobody can tell."""
        if self.job is None or (not self.rate and not self.complete):
            return None
        return (self.job.parts - self.done) / self.rate if not self.complete else 0.0

    def as_json(self) -> dict[str, object]:
        """What is in it, as ``trisolve progress --json`` prints it."""
        job = None if self.job is None else self.job._asdict()
        facts = {name: job and job[name] for name in ("puzzle", "digest", "engine", "counting", "parts")}
        return facts | {
            "done": self.done,
            "count": self.found,
            "complete": self.complete,
            "nodes": self.nodes,
            "seconds": round(self.seconds, 3),
            "runs": self.runs,
            "seconds_left": None if self.left is None else round(self.left, 1),
            "held_by": self.holder,
        }


class Checkpoint:
    """A checkpoint file that this process works with; made if it isn't there. Raises CheckpointError."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        _look(self.path)
        self._lock = _Lock(self.path)
        self._last_commit = 0.0
        self._pending: dict[int, tuple[Done, bytes | None]] = {}
        self._run = 0
        self._begun: Job | None = None
        try:
            self._file = _connect(self.path, "rwc")
            try:
                with _explained(self.path):
                    _patiently(self._prepare)
            except BaseException:
                self._file.close()
                raise
        except BaseException:
            self._lock.release()
            raise

    def _prepare(self) -> None:
        self._file.execute("PRAGMA synchronous = EXTRA")
        if _is_new(self._file):
            self._file.executescript(
                f"BEGIN; PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {FORMAT}; {TABLES} COMMIT"
            )
        _check(self._file, self.path)

    @property
    def engine(self) -> str | None:
        """The engine whose parts are in the file; None if there are none yet."""
        with _explained(self.path):
            return _patiently(self._engine)

    def _engine(self) -> str | None:
        job = _job(self._file, self.path)
        return job.engine if job is not None and (self._pending or _has_parts(self._file)) else None

    def begin(self, job: Job) -> dict[int, Done]:
        """Begin or resume this job: the parts that are done. Raises CheckpointError when the file has another job."""
        with _explained(self.path):
            return _patiently(lambda: self._begin(job))

    def _begin(self, job: Job) -> dict[int, Done]:
        with self._file:
            known = _job(self._file, self.path)
            if known is None or (known.digest == job.digest and self._engine() is None):
                # Nothing is lost if it was begun in another way.
                self._file.execute("DELETE FROM job")
                self._file.execute("INSERT INTO job VALUES (?, ?, ?, ?, ?, ?)", job)
            elif known.digest != job.digest:
                message = f"belongs to another puzzle, {_named(known)}: expected {_named(job)}"
                raise CheckpointError(f"{self.path}: {message}")
            elif known.counting != job.counting:
                raise CheckpointError(f"{self.path}: belongs to {_task(known)}: expected {_task(job)}")
            elif known.engine != job.engine:
                raise CheckpointError(f"{self.path}: belongs to a count by engine {known.engine}, not {job.engine}")
            elif known != job._replace(puzzle=known.puzzle):
                raise CheckpointError(f"{self.path}: belongs to another version of trisolve, which made other parts")
            else:
                job = known
            done = _parts(self._file, self.path, job)
            now = time.time()
            row = now, now, socket.gethostname(), os.getpid()
            self._run = self._file.execute("INSERT INTO run VALUES (?, ?, 0, ?, ?)", row).lastrowid or 0
        self._begun = job
        return done

    def record(self, number: int, done: Done, solutions: bytes | None = None) -> None:
        """Keep a finished part, and its solutions if they are listed; one that is there already stays as it is.

        Raises CheckpointFull.
        """
        self._pending[number] = done, solutions
        self.tick()

    def solutions(self, number: int) -> bytes:
        """The solutions of a part that was finished by an earlier run. Raises CheckpointError."""
        assert self._begun is not None
        with _explained(self.path):
            row = _patiently(lambda: self._solutions(number))
        if row is None or row[1] != _seal(self._begun, number, row[0]):
            raise CheckpointError(f"{self.path}: damaged, the solutions of part {number} aren't what was written")
        return row[0]

    def _solutions(self, number: int) -> tuple[bytes, str] | None:
        found: tuple[bytes, str] | None = self._file.execute(
            "SELECT packed, seal FROM solutions WHERE number = ?", (number,)
        ).fetchone()
        return found

    def tick(self) -> None:
        """Bring what is finished to the disk if it has waited long enough. Raises CheckpointFull."""
        if self._pending and time.monotonic() - self._last_commit >= COMMIT_AFTER:
            self.flush()

    def flush(self) -> None:
        """Bring what is finished to the disk. Raises CheckpointFull."""
        try:
            _patiently(self._write)
        except sqlite3.Error as error:
            self._pending.clear()
            raise CheckpointFull(f"{self.path}: can't be written any longer: {error}") from None
        self._pending.clear()
        self._last_commit = time.monotonic()

    def _write(self) -> None:
        assert self._begun is not None
        with self._file:
            rows = [
                (number, hex(done.found), done.nodes, _seal(self._begun, number, hex(done.found), done.nodes))
                for number, (done, _) in self._pending.items()
            ]
            lists = [
                (number, solutions, _seal(self._begun, number, solutions))
                for number, (_, solutions) in self._pending.items()
                if solutions is not None
            ]
            self._file.executemany("INSERT OR IGNORE INTO solutions VALUES (?, ?, ?)", lists)
            fresh = self._file.executemany("INSERT OR IGNORE INTO part VALUES (?, ?, ?, ?)", rows).rowcount
            mine = self._file.execute(
                "UPDATE run SET ended = ?, parts = parts + ? WHERE rowid = ? AND process = ?",
                (time.time(), fresh, self._run, os.getpid()),
            ).rowcount
            if mine != 1 or _job(self._file, self.path) != self._begun or not os.path.exists(self.path):
                raise sqlite3.OperationalError("something else has been put in its place")

    def close(self) -> None:
        """Write what is finished and let go of the file. Raises CheckpointFull."""
        try:
            if self._run:
                self.flush()
        finally:
            self._file.close()
            self._lock.release()


def _seal(job: Job, *row: int | str | bytes) -> str:
    """A hash that a row carries, so that a damaged one is not taken for what was written."""
    seal = sha256(f"{job.digest} {job.layout}".encode())
    for field in row:
        seal.update(b" " + (field if isinstance(field, bytes) else str(field).encode()))
    return seal.hexdigest()[:16]


def _parts(file: sqlite3.Connection, path: str, job: Job) -> dict[int, Done]:
    """The finished parts of a job. Raises CheckpointError for a part that can't be."""
    done = {}
    for number, found, nodes, seal in file.execute("SELECT number, found, nodes, seal FROM part"):
        if not 0 <= number < job.parts or seal != _seal(job, number, found, nodes):
            raise CheckpointError(f"{path}: damaged, part {number} isn't what was written; it is left as it is")
        done[number] = Done(int(found, 16), nodes)
    return done


def read(path: str | os.PathLike[str]) -> Progress:
    """What is in a checkpoint, also while another process works with it. Raises CheckpointError."""
    name = os.fspath(path)
    if not Path(name).exists():
        raise CheckpointError(f"{name}: there is no such file: expected a checkpoint, as --checkpoint makes it")
    _look(name)
    with _explained(name):
        return _patiently(lambda: _progress(name))


def _progress(name: str) -> Progress:
    file = _connect(name, "rw" if os.access(name, os.W_OK) else "ro")
    try:
        if _is_new(file):
            return Progress(None, 0, 0, 0, 0.0, 0, 0.0, _holder(name))
        _check(file, name)
        job = _job(file, name)
        parts = list(_parts(file, name, job).values()) if job is not None else []
        times = file.execute("SELECT begun, ended, parts FROM run ORDER BY rowid")
        # A clock may have been put back.
        runs = [(begun, max(begun, ended), parts) for begun, ended, parts in times if 0 <= begun < LATE > ended]
    finally:
        file.close()
    rates = [parts / max(ended - begun, 1e-3) for begun, ended, parts in runs if parts]
    return Progress(
        job,
        len(parts),
        sum(done.found for done in parts),
        sum(done.nodes for done in parts),
        sum(ended - begun for begun, ended, _ in runs),
        len(runs),
        rates[-1] if rates else 0.0,
        _holder(name),
    )


def _patiently(action: Callable[[], _T]) -> _T:
    """Do something with a file, again and again for a while if it is locked.

    SQLite waits for a lock by itself, but not where waiting might last for ever, as when several processes at once want
    to put right what a crash has left.
    """
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return action()
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(0.02)


def _look(path: str) -> None:
    """Refuse a file that can't be a checkpoint before anything is done with it."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise CheckpointError(f"{path}: not a file: expected one, or a name for a new one")
        with open(path, "rb") as file:
            head = file.read(len(HEAD))
    except FileNotFoundError:
        return
    except OSError as error:
        raise CheckpointError(f"{path}: can't be read: {error.strerror or error}") from None
    if head and head != HEAD:
        raise CheckpointError(f"{path}: not a checkpoint of trisolve; it is left as it is")


def _task(job: Job) -> str:
    return "a count" if job.counting else "a list of all solutions"


def _named(job: Job) -> str:
    return f"{job.puzzle or 'a puzzle without a name'} ({job.digest[:8]})"


def _connect(path: str, mode: str) -> sqlite3.Connection:
    try:
        uri = f"{Path(path).absolute().as_uri()}?mode={mode}"
        # Python's own transactions begin only before a change, which is what is wanted here.
        return sqlite3.connect(uri, uri=True, timeout=PATIENCE, check_same_thread=False)
    except sqlite3.Error as error:
        raise CheckpointError(f"{path}: can't be opened: {error}") from None


def _is_new(file: sqlite3.Connection) -> bool:
    """True when nothing is in a file, not even the mark of another program."""
    marks = (file.execute(f"PRAGMA {mark}").fetchone()[0] for mark in ("application_id", "user_version"))
    return not any(marks) and not file.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]


def _check(file: sqlite3.Connection, path: str) -> None:
    """Refuse a file that isn't a checkpoint, or that is damaged."""
    if file.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
        raise CheckpointError(f"{path}: not a checkpoint of trisolve; it is left as it is")
    if file.execute("PRAGMA user_version").fetchone()[0] != FORMAT:
        raise CheckpointError(f"{path}: made by another version of trisolve; it is left as it is")
    if file.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
        raise CheckpointError(f"{path}: damaged; it is left as it is")


def _job(file: sqlite3.Connection, path: str) -> Job | None:
    """What a file is for, None if nothing yet. Raises CheckpointError when it says what can't be."""
    rows = file.execute("SELECT puzzle, digest, engine, counting, layout, parts FROM job").fetchall()
    jobs = [Job(puzzle, digest, engine, bool(counting), *rest) for puzzle, digest, engine, counting, *rest in rows]
    if (
        len(jobs) > 1
        or (not jobs and _has_parts(file))
        or any(job.engine not in ENGINES or job.parts < 0 for job in jobs)
    ):
        raise CheckpointError(f"{path}: damaged, it doesn't say what is counted; it is left as it is")
    return jobs[0] if jobs else None


def _has_parts(file: sqlite3.Connection) -> bool:
    return bool(file.execute("SELECT EXISTS (SELECT 1 FROM part)").fetchone()[0])


@contextmanager
def _explained(path: str) -> Iterator[None]:
    """Whatever SQLite has to say about a file, in one line."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise CheckpointError(f"{path}: can't be used: {error}") from None
    except (sqlite3.Error, ValueError, TypeError, OverflowError) as error:
        if isinstance(error, CheckpointError):
            raise
        raise CheckpointError(
            f"{path}: not a checkpoint of trisolve, or damaged ({error}); it is left as it is"
        ) from None


class _Lock:
    """The right to work with a file: a lock on a file beside it, which stays there."""

    def __init__(self, path: str) -> None:
        from filelock import FileLock, Timeout

        # Whatever thread the work ends in lets go of it.
        self._lock = FileLock(_lock_file(path), thread_local=False)
        try:
            self._lock.acquire(timeout=LOOKS, poll_interval=LOOKS / 20)
        except Timeout:
            raise CheckpointError(f"{path}: in use by {_last(path)}: expected a file that nobody works with") from None
        except OSError as error:
            raise CheckpointError(f"{path}: can't be written: {error.strerror or error}") from None

    def release(self) -> None:
        """Let go."""
        self._lock.release()


def _lock_file(path: str) -> str:
    # One for a file, whatever links lead to it.
    return f"{os.path.realpath(path)}.lock"


def _holder(path: str) -> str | None:
    """Who works with a file now, None if nobody does; or why that can't be told."""
    from filelock import FileLock, Timeout

    if not Path(_lock_file(path)).exists():
        return None
    try:
        with FileLock(_lock_file(path)).acquire(timeout=LOOKS, poll_interval=LOOKS / 20):
            return None
    except Timeout:
        return _last(path)
    except OSError as error:
        return f"unknown, {_lock_file(path)}: {error.strerror or error}"


def _last(path: str) -> str:
    """The process that began to work with a file last."""
    with suppress(CheckpointError, sqlite3.Error, OverflowError, ValueError, OSError):
        file = _connect(path, "ro")
        try:
            row = file.execute("SELECT process, host, begun FROM run ORDER BY rowid DESC LIMIT 1").fetchone()
        finally:
            file.close()
        if row is not None:
            since = datetime.fromtimestamp(row[2]).astimezone().isoformat(" ", "seconds")
            return f"process {row[0]} on {row[1]} since {since}"
    return "another process"
