"""Work that may take for ever goes to other processes, which are kept warm and ended when their time is over.

A worker is a Python module run on its own. It reads one JSON request per line and answers with one line: a status and
the answer as JSON, which is passed on as it stands. It ends when its input ends, so that none outlives the server.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from hamex.errors import HamexError

Answer = tuple[int, bytes]
_WAITING = 24  # requests in the queue, beyond which the server says that it is busy


class QueueFullError(HamexError):
    """Too many others wait for a worker."""


class TimeUpError(HamexError):
    """A worker was ended because its time was over."""


class LostError(HamexError):
    """A worker ended before it answered."""


class Worker:
    """One process."""

    def __init__(self, module: str) -> None:
        # One thread of linear algebra, and no drawing is kept on disk.
        environment = {
            **os.environ,
            "HAMEX_CACHE": "",
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
            "PYTHONIOENCODING": "utf-8",
        }
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
        )
        self._lines: queue.Queue[bytes] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def ask(self, request: bytes, seconds: float, wanted: Callable[[], bool]) -> Answer:
        """The answer to one request, or an error after so many seconds; then the worker is of no more use."""
        assert self.process.stdin is not None
        limit = time.monotonic() + seconds
        try:
            self.process.stdin.write(request + b"\n")
            self.process.stdin.flush()
            line = self._answer(limit, wanted)
        except OSError:
            line = b""
        if line is None:
            raise TimeUpError(f"this took longer than {seconds:g} s and was stopped") from None
        if not line:
            raise LostError("the worker ended before it answered: the system may need too much memory")
        status, _, body = line.partition(b" ")
        return int(status), body

    def _answer(self, limit: float, wanted: Callable[[], bool]) -> bytes | None:
        """The next line; None when the time is over or nobody wants it any more."""
        while (left := limit - time.monotonic()) > 0 and wanted():
            with suppress(queue.Empty):
                return self._lines.get(timeout=min(left, 0.5))
        return None

    def end(self) -> None:
        """Stop it, whatever it does."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            with suppress(OSError):
                assert pipe is not None
                pipe.close()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with suppress(OSError, ValueError):
            for line in self.process.stdout:
                self._lines.put(line)
        self._lines.put(b"")


class Crew:
    """A few workers for many clients. Long work leaves one worker free, so that short work never waits behind it."""

    def __init__(self, module: str, size: int) -> None:
        self.module, self.size = module, size
        self._idle: list[Worker] = []
        self._busy: set[Worker] = set()
        self._lock = threading.Lock()
        self._places = threading.Semaphore(size)
        self._long = threading.Semaphore(size - 1)
        self._waiting = 0
        self._ended = False

    def ask(
        self, task: str, given: Any, seconds: float, long: bool = False, wanted: Callable[[], bool] = lambda: True
    ) -> Answer:
        """Hand a task to the next free worker; wait in the queue for as long as it may work.

        ``wanted`` is asked now and then: the work is given up when it says no.
        """
        request = json.dumps({"task": task, "given": given}).encode()
        gates = [self._long, self._places] if long else [self._places]
        passed: list[threading.Semaphore] = []
        try:
            self._enter(gates, passed, seconds)
            if not wanted():
                raise LostError("nobody waits for this any more")
            return self._work(request, seconds, wanted)
        finally:
            for gate in passed:
                gate.release()

    def warm(self) -> None:
        """Start a worker before it is asked for."""
        with self._lock:
            self._ended = False
            self._replenish()

    def end(self) -> None:
        """Stop all."""
        with self._lock:
            self._ended = True
            workers = [*self._idle, *self._busy]
            self._idle.clear()
        for worker in workers:
            worker.end()

    def _enter(self, gates: list[threading.Semaphore], passed: list[threading.Semaphore], seconds: float) -> None:
        with self._lock:
            if self._waiting >= _WAITING:
                raise QueueFullError("many derivations wait already; try again in a moment")
            self._waiting += 1
        try:
            for gate in gates:
                if not gate.acquire(timeout=seconds):
                    raise QueueFullError("others use all workers; try again in a moment")
                passed.append(gate)
        finally:
            with self._lock:
                self._waiting -= 1

    def _work(self, request: bytes, seconds: float, wanted: Callable[[], bool]) -> Answer:
        with self._lock:
            worker = self._idle.pop() if self._idle else Worker(self.module)
            self._busy.add(worker)
            if not self._idle and len(self._busy) < self.size:
                self._idle.append(Worker(self.module))  # loads while this one works
        whole = False
        try:
            answer = worker.ask(request, seconds, wanted)
            whole = True
            return answer
        finally:
            with self._lock:
                self._busy.discard(worker)
                if whole:
                    self._idle.append(worker)
            if not whole:
                worker.end()
                with self._lock:
                    self._replenish()

    def _replenish(self) -> None:
        """At least one worker, unless all were ended."""
        if not self._ended and not self._idle and not self._busy:
            self._idle.append(Worker(self.module))
