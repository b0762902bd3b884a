"""The audit of the paper in child processes: started once, told while it runs, kept while the server lives."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from hamex.studio.jobs import FAILED, FINISHED, RUNNING

_PARTS = ("verdicts", "drawings")


class Stream:
    """Lines of one child process."""

    def __init__(self, what: str) -> None:
        self.total = 0
        self.lines: list[dict[str, Any]] = []
        # Nothing from a request reaches the child. Equations are drawn again rather than kept on disk, and the child
        # finds this very copy of the package.
        paths = [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]
        self._child = subprocess.Popen(
            [sys.executable, "-P", "-m", "hamex.paper.audit.run", what],
            text=True,
            encoding="utf-8",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(filter(None, paths)),
                "HAMEX_CACHE": "",
                "PYTHONIOENCODING": "utf-8",
            },
        )
        self._reader = threading.Thread(target=self._read, name=f"audit {what}", daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._child.stdout is not None
        with self._child.stdout as lines:
            for line in lines:
                message = json.loads(line)
                if "total" in message:
                    self.total = message["total"]
                else:
                    self.lines.append(next(iter(message.values())))
        self._child.wait()

    @property
    def state(self) -> str:
        """Running, finished or failed."""
        if self._reader.is_alive():
            return RUNNING
        return FINISHED if self._child.returncode == 0 and len(self.lines) == self.total else FAILED

    def end(self) -> None:
        """Kill the child."""
        self._child.kill()
        self._reader.join(2.0)


class Audit:
    """Verdicts and drawings, side by side: on two processors they are ready together."""

    def __init__(self) -> None:
        self._streams: dict[str, Stream] = {}
        self._lock = threading.Lock()
        atexit.register(self.end)

    def ask(self, items: int, drawings: int) -> dict[str, Any]:
        """What there is from these numbers on; the first question starts it, and starts it again after a failure."""
        with self._lock:
            failed = any(stream.state == FAILED for stream in self._streams.values())
            if not self._streams or (failed and not items and not drawings):
                self._end()
                self._streams = {what: Stream(what) for what in _PARTS}
            verdicts, drawn = (self._streams[what] for what in _PARTS)
        # States are read before the lines: what is finished has all of them.
        state = {what: stream.state for what, stream in self._streams.items()}
        return {
            "state": state["verdicts"],
            "total": verdicts.total,
            "done": len(verdicts.lines),
            "items": verdicts.lines[items:],
            "drawn": state["drawings"],
            "drawings": drawn.lines[drawings:],
        }

    def end(self) -> None:
        """Kill what runs and forget it."""
        with self._lock:
            self._end()

    def _end(self) -> None:
        for stream in self._streams.values():
            if stream.state == RUNNING:
                stream.end()
        self._streams = {}
