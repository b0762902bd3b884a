"""Jobs: work of seconds or minutes in threads of the server, asked about by id and forgotten when nobody asks.

Kernels hold no lock, so that other requests are answered meanwhile; where the system lets threads have a priority of
their own, those of jobs step back behind them.
"""

from __future__ import annotations

import logging
import os
import secrets
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
        self.asked = time.monotonic()
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
        if time.monotonic() - self.asked > PATIENCE:
            self.cancel()
        if self.state != RUNNING:
            raise StopError

    def wait(self, seconds: float) -> None:
        """Until the thread has ended, or this long."""
        self._thread.join(seconds)

    def _run(self) -> None:
        _step_back()
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
                job.asked = time.monotonic()
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
        over = sorted((job for job in self._jobs.values() if not job.busy), key=lambda job: job.asked)
        for number, job in enumerate(over):
            if now - job.asked > MEMORY or len(over) - number > KEPT:
                del self._jobs[job.id]


def _step_back() -> None:
    """On Linux a thread has a priority of its own; elsewhere this would slow the whole server."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICE)
