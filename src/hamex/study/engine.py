"""Engine of studies: parts of work to any executor, results to a store, in a fixed order.

A part is seconds of work with a key, the hash of all that determines it. Its result is a table of equal columns,
written whole or not at all as ``<key>.parquet``, with its key and a checksum inside; a part whose file is there and
verifies is not run again. Workers only compute; this process writes and merges, so a cluster needs no shared disk.
"""

from __future__ import annotations

import os
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_context, parent_process
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hamex.errors import DamageWarning, FileError, InputError, MissingPackageError, StudyError
from hamex.files import make_folder
from hamex.march.run import processors, told

Array = NDArray[Any]
Columns = dict[str, Array]
Work = Callable[[Any], Columns]

_ENOUGH, _LONG, _PIECES = 1.0, 4.0, 200  # seconds of a sample, of one piece that is enough, and pieces at most
SECONDS = "kernel_seconds"  # column that a part may carry: what its computation took, without the engine
_KEPT = "parts of a study that are kept in a folder"
_QUICK = 2.0  # seconds of work below which other processes cost more than they bring
_TRIES = 3  # times a part may take its worker with it


@dataclass(frozen=True, eq=False)
class StudyPart:
    """One piece of work: its key, its weight in units of work, and what to hand over."""

    key: str
    weight: float
    payload: Any


@dataclass(frozen=True)
class Progress:
    """Where a study stands.

    Attributes
    ----------
    done, parts : parts finished (those found in the store included) and all parts.
    found : parts that were finished before.
    share : of the work that is done.
    seconds : since the start.
    left : seconds to go at the rate so far; None before anything is known.
    damaged : parts that were there and did not verify; they are run again.
    """

    done: int
    parts: int
    found: int
    share: float
    seconds: float
    left: float | None
    damaged: int = 0


Tell = Callable[[Progress], None]


@dataclass(frozen=True, eq=False)
class Outcome:
    """Tables of all parts in their order, and how many were run and how many were found."""

    tables: tuple[Columns, ...]
    ran: int
    found: int
    seconds: float


class StoppedError(StudyError):
    """A study was interrupted; finished parts are kept."""


def run_parts(
    work: Work,
    parts: Sequence[StudyPart],
    *,
    store: Path | None = None,
    executor: Executor | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    tell: Tell | None = None,
) -> Outcome:
    """Run what the store does not hold yet; ``work`` must be a function of a module, so that workers can find it.

    Parameters
    ----------
    store : folder of finished parts; None keeps them in memory only. A part that does not verify is run again, with
        a :class:`hamex.errors.DamageWarning`.
    executor : anything with the interface of ``concurrent.futures``.
    workers : processes of a pool of our own; 1 runs here. By default one per processor, for what is left after two
        seconds of work here.
    cluster : address of a dask scheduler, e.g. "tcp://host:8786", or "local" for one of our own.
    tell : called after each part.
    """
    if sum(choice is not None for choice in (executor, workers, cluster)) > 1:
        raise InputError("study: give one of executor, workers and cluster")
    if store is not None:
        from hamex.study.table import polars_for

        polars_for(_KEPT)
        make_folder(store)
    watch = _Watch(parts, tell)
    tables = {} if store is None else _found(store, parts, watch)
    watch.found = len(tables)
    watch.update(tables)
    open_ = [number for number in range(len(parts)) if number not in tables]

    def finish(number: int, table: Columns) -> None:
        if store is not None:
            _write(store, parts[number].key, table)
        tables[number] = table
        watch.update(tables)

    try:
        _run(work, parts, open_, finish, executor, workers, cluster)
    except (KeyboardInterrupt, FileError) as problem:
        kept = f"{len(tables)} of {len(parts)} parts are finished"
        how = f" and kept in {store}; the same command goes on from there" if store is not None else ""
        if isinstance(problem, FileError):
            raise FileError(f"study: {problem}; {kept}{how}") from None
        raise StoppedError(f"study: interrupted; {kept}{how}") from None
    return Outcome(tuple(tables[number] for number in range(len(parts))), len(open_), watch.found, watch.seconds)


class _Watch:
    """Progress by work done, not by parts: parts differ in length."""

    def __init__(self, parts: Sequence[StudyPart], tell: Tell | None) -> None:
        self.weights = [part.weight for part in parts]
        self.tell, self.begin, self.found, self.damaged = tell, time.monotonic(), 0, 0
        self.before: float | None = None

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.begin

    def update(self, tables: dict[int, Columns]) -> None:
        total = sum(self.weights) or 1.0
        share = sum(self.weights[number] for number in tables) / total
        if self.before is None:
            self.before = share  # found in the store: tells nothing about the rate
        if self.tell is not None:
            fresh = share - self.before
            left = (1 - share) / fresh * self.seconds if fresh > 0 else None
            done, parts = len(tables), len(self.weights)
            self.tell(Progress(done, parts, self.found, share, self.seconds, left, self.damaged))


# Executors ---------------------------------------------------------------------------------------------------


def _run(
    work: Work,
    parts: Sequence[StudyPart],
    open_: list[int],
    finish: Callable[[int, Columns], None],
    executor: Executor | None,
    workers: int | None,
    cluster: str | None,
) -> None:
    if not open_:
        return
    own, begun = executor is None and cluster is None and workers is None, time.perf_counter()
    while open_ and (workers == 1 or (own and (len(open_) == 1 or time.perf_counter() - begun < _QUICK))):
        finish(open_[0], work(parts[open_[0]].payload))
        open_ = open_[1:]
    tries = dict.fromkeys(open_, 0)
    while open_:
        with _executor(executor, workers, cluster) as (pool, width):
            lost = _feed(pool, width, work, parts, open_, finish)
        for number in lost:
            tries[number] += 1
            if tries[number] > _TRIES:
                raise StudyError(
                    f"study: part {number} ended its worker process {_TRIES} times; run it with workers=1 to see why"
                )
        open_ = lost


def _feed(
    pool: Executor,
    width: int,
    work: Work,
    parts: Sequence[StudyPart],
    open_: list[int],
    finish: Callable[[int, Columns], None],
) -> list[int]:
    """Keep the pool busy, a few parts ahead; returns parts that were lost with a worker that died."""
    waiting: dict[Future[Columns], int] = {}
    ahead = iter(open_)
    lost: list[int] = []
    broken = False
    try:
        while True:
            while not broken and len(waiting) < 2 * width + 2:
                number = next(ahead, None)
                if number is None:
                    break
                try:
                    waiting[pool.submit(work, parts[number].payload)] = number
                except BrokenProcessPool:
                    broken = True
                    lost.append(number)
            if not waiting:
                break
            done, _ = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                number = waiting.pop(future)
                try:
                    table = future.result()
                except BrokenProcessPool:
                    broken = True
                    lost.append(number)
                    continue
                finish(number, table)
    except BaseException:
        for future in waiting:
            future.cancel()
        raise
    return sorted([*lost, *ahead])


@contextmanager
def _executor(executor: Executor | None, workers: int | None, cluster: str | None) -> Iterator[tuple[Executor, int]]:
    """The executor and how many parts it runs at once."""
    if executor is not None:
        yield executor, int(getattr(executor, "_max_workers", 8))
    elif cluster is not None:
        with _dask(cluster) as found:
            yield found
    else:
        count = workers or processors()
        # spawn: a forked child would inherit threads and locks in an unknown state.
        pool = ProcessPoolExecutor(count, mp_context=get_context("spawn"), initializer=_follow_parent)
        try:
            yield pool, count
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _follow_parent() -> None:
    """In a worker: end with the process that started it, however that ends; it alone answers Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    # The parent's end of a pipe, or on Windows its handle, tells of its death; a process that waits for work does not.
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


@contextmanager
def _dask(address: str) -> Iterator[tuple[Executor, int]]:
    try:
        from distributed import Client
    except ImportError:
        raise MissingPackageError("a cluster needs distributed: pip install 'hamex[cluster]'") from None
    own = (
        {"n_workers": None, "threads_per_worker": 1, "dashboard_address": None}
        if address == "local"
        else {"address": address}
    )
    try:
        # Not as the default: a client that never came up would stay behind as one, and whoever writes a file through
        # xarray in this process after that would ask it for a lock.
        client = Client(**own, set_as_default=False)
    except (OSError, ValueError) as problem:
        raise StudyError(f"study: no dask scheduler answers at {address}: {problem}") from None
    with client:
        width = sum(client.ncores().values()) or 1
        # pure=False: two parts with equal content are two parts; retries: a killed worker does not end the study.
        yield client.get_executor(pure=False, retries=_TRIES), width


# Store -------------------------------------------------------------------------------------------------------


def _found(store: Path, parts: Sequence[StudyPart], watch: _Watch) -> dict[int, Columns]:
    """Tables of the parts that were finished before."""
    try:
        store.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise FileError(f"study: cannot keep parts in {store}: {problem.strerror}") from None
    tables: dict[int, Columns] = {}
    reason = ""
    for number, part in enumerate(parts):
        try:
            table = _read(store, part.key)
        except FileError as problem:
            watch.damaged += 1
            reason = reason or str(problem)
            continue
        if table is not None:
            tables[number] = table
    if watch.damaged:
        warnings.warn(
            f"study: {watch.damaged} of {len(parts)} parts do not verify and are run again; {reason}",
            DamageWarning,
            stacklevel=3,
        )
    return tables


def _write(store: Path, key: str, table: Columns) -> None:
    from hamex.files import write_atomically
    from hamex.study.table import polars_for, write_table

    frame = polars_for(_KEPT).DataFrame(table)
    write_atomically(store / f"{key}.parquet", lambda path: write_table(frame, path, key=key))


def _read(store: Path, key: str) -> Columns | None:
    """The table of a part; None where there is none yet."""
    from hamex.study.table import read_table

    path = store / f"{key}.parquet"
    if not path.exists():
        return None
    frame = read_table(path, key)
    return {name: np.asarray(frame[name].to_numpy()) for name in frame.columns}


# How long it takes -------------------------------------------------------------------------------------------


class Timing(NamedTuple):
    """Seconds of a whole on one processor, told from a sample, and seconds that went into compiling kernels for it."""

    seconds: float
    compiling: float


def timed(run: Callable[[Any], object], count: int, piece: Callable[[int], tuple[Any, float]], total: float) -> Timing:
    """Run pieces from all over a whole for a second or more, and tell from them what the whole takes.

    Parameters
    ----------
    run : what a worker does.
    count, piece : how many pieces there are; the payload and the weight of one, by its number.
    total : weight of the whole.

    Seconds are those of the processor: other programs that run meanwhile do not count.
    """
    compiling, since = 0.0, 0.0

    def listen(expected: float) -> None:
        nonlocal compiling, since
        now = time.process_time()
        compiling, since = (compiling, now) if expected else (compiling + now - since, now)

    def seconds(payload: Any) -> float:
        before, begun = compiling, time.process_time()
        run(payload)
        return time.process_time() - begun - (compiling - before)

    spent = work = 0.0
    with told(listen):
        places = list(islice(spread(count), _PIECES))
        first, weight = piece(places[0])
        begun = seconds(first)  # loads packages too, which the others find loaded
        if begun > _LONG:
            return Timing(begun * total / weight, compiling)
        for place in places:
            payload, weight = piece(place)
            spent, work = spent + seconds(payload), work + weight
            if spent > _ENOUGH:
                break
    return Timing(spent * total / work, compiling)


def spread(count: int) -> Iterator[int]:
    """All numbers below a count, so that the first few come from all over.

    >>> list(spread(5))
    [2, 1, 3, 0, 4]
    """
    seen: set[int] = set()
    parts = 2
    while len(seen) < count:
        for odd in range(1, parts, 2):
            place = count * odd // parts
            if place not in seen:
                seen.add(place)
                yield place
        parts *= 2
