"""Work that outlasts a request: jobs in threads of the server, and what may take for ever in processes beside it.

A job takes seconds or minutes, is asked about by id and forgotten when nobody asks. Kernels hold no lock, so that other
requests are answered meanwhile; where the system lets threads have a priority of their own, those of jobs step back
behind them.

A worker is a Python module run on its own, kept warm and ended when its time is over. It reads one JSON request per
line and answers with one line: a status and the answer as JSON, which is passed on as it stands. It ends when its input
ends, so that none outlives the server.
"""

from __future__ import annotations

import json
import logging
import os
import queue
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Generic, TypeVar

from hamex.errors import HamexError

RUNNING, FINISHED, CANCELLED, FAILED = "running", "finished", "cancelled", "failed"
PATIENCE = 60.0  # seconds without a question after which a running job is given up: its page went away
MEMORY = 600.0  # seconds without a question after which a job is forgotten
KEPT = 16  # jobs that are over and still remembered
_NICE = 5
Work = TypeVar("Work", bound=Callable[..., Any])  # called with its job
Answer = tuple[int, bytes]
_WAITING = 24  # requests in the queue, beyond which the server says that it is busy


class TooManyJobsError(HamexError):
    """As many jobs as the server takes are running."""


class StopError(Exception):
    """Ends the work of a job from inside."""


class Job(Generic[Work]):
    """One piece of work: where it stands, and what came of it.

    Attributes
    ----------
    id : by which its page asks; cannot be guessed.
    work : what is done, called with the job itself.
    state : running, finished, cancelled or failed.
    message : why it failed.
    result : what the work returned; None until it is finished.
    """

    def __init__(self, work: Work) -> None:
        self.id = secrets.token_hex(16)
        self.state, self.message = RUNNING, ""
        self.result: Any = None
        self.last_question = time.monotonic()
        self.work = work
        self._thread = threading.Thread(target=self._run, name=f"job {self.id[:6]}", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    @property
    def busy(self) -> bool:
        """Whether its thread still works; a cancelled job may, for a moment."""
        return self._thread.is_alive()

    def cancel(self) -> None:
        """Over for whoever asks; the thread ends at its next check."""
        if self.state == RUNNING:
            self.state = CANCELLED

    def check(self) -> None:
        """Called by the work as often as it can: ends it if it is cancelled, or if nobody asks any more."""
        if time.monotonic() - self.last_question > PATIENCE:
            self.cancel()
        if self.state != RUNNING:
            raise StopError

    def wait(self, seconds: float) -> None:
        """Until the thread has ended, or this long."""
        self._thread.join(seconds)

    def _run(self) -> None:
        if sys.platform == "linux":  # a thread has a priority of its own; elsewhere the whole server would slow down
            with suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICE)
        try:
            self.result = self.work(self)
            self._over(FINISHED)
        except StopError:
            pass
        except HamexError as problem:
            self._over(FAILED, str(problem))
        except Exception as problem:
            logging.getLogger(__name__).exception("a job failed")
            self._over(FAILED, f"the server made a mistake ({type(problem).__name__}); its log tells more")

    def _over(self, state: str, message: str = "") -> None:
        if self.state == RUNNING:
            self.message = message
            self.state = state


class Jobs(Generic[Work]):
    """All jobs of one kind."""

    def __init__(self, at_once: int) -> None:
        self.at_once = at_once
        self._jobs: dict[str, Job[Work]] = {}
        self._lock = threading.Lock()

    def start(self, work: Work) -> Job[Work]:
        """A new job; refused while ``at_once`` others work."""
        with self._lock:
            self._forget()
            if sum(job.busy for job in self._jobs.values()) >= self.at_once:
                raise TooManyJobsError(
                    f"the server takes {self.at_once} at once, and as many are running; cancel one, or wait"
                )
            job = Job(work)
            self._jobs[job.id] = job
            job.start()
        return job

    def find(self, name: str) -> Job[Work] | None:
        """The job, which now knows that someone asks for it; None if there is none."""
        with self._lock:
            self._forget()
            job = self._jobs.get(name)
            if job is not None:
                job.last_question = time.monotonic()
            return job

    def end(self, seconds: float = 2.0) -> None:
        """Cancel all, and wait a little for their threads."""
        with self._lock:
            jobs = list(self._jobs.values())
            self._jobs.clear()
        for job in jobs:
            job.cancel()
        limit = time.monotonic() + seconds
        for job in jobs:
            job.wait(max(0.0, limit - time.monotonic()))

    def _forget(self) -> None:
        """Jobs that are over: the oldest beyond some, and those that nobody asks for."""
        now = time.monotonic()
        over = sorted((job for job in self._jobs.values() if not job.busy), key=lambda job: job.last_question)
        for number, job in enumerate(over):
            if now - job.last_question > MEMORY or len(over) - number > KEPT:
                del self._jobs[job.id]


# Workers ---------------------------------------------------------------------------------------------------


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
            raise LostError(self._lost())
        status, _, body = line.partition(b" ")
        return int(status), body

    @property
    def alive(self) -> bool:
        """Whether it can be asked."""
        return self.process.poll() is None

    def _lost(self) -> str:
        """What became of a process that gave no answer."""
        try:
            code = self.process.wait(1.0)
        except subprocess.TimeoutExpired:
            return "the worker closed its output before it answered; another takes its place, ask again"
        return (
            f"the worker {ending(code)} before it answered; another takes its place, ask again. If this comes back, "
            "the system may need more memory than there is"
        )

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


def ending(code: int) -> str:
    """How a process ended, by its exit code.

    >>> ending(-9), ending(1)
    ('was ended from outside (SIGKILL)', 'ended by itself (exit code 1)')
    """
    if code >= 0:
        return f"ended by itself (exit code {code})"
    names = {each.value: each.name for each in signal.Signals}
    return f"was ended from outside ({names.get(-code, f'signal {-code}')})"


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
            dead = [worker for worker in self._idle if not worker.alive]  # ended from outside while they waited
            self._idle = [worker for worker in self._idle if worker.alive]
            worker = self._idle.pop() if self._idle else Worker(self.module)
            self._busy.add(worker)
            if not self._idle and len(self._busy) < self.size:
                self._idle.append(Worker(self.module))  # loads while this one works
        for each in dead:
            each.end()
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
