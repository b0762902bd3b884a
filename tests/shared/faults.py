"""Faults as they happen to files, disks and processes: what `make torture` and its short forms in the tests share."""

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np

import hamex as hx
from hamex.study.engine import StudyPart

DAMAGES = ("bit", "zeros", "noise", "cut", "doubled", "swapped", "empty")


def damaged(content: bytes, kind: str, rng) -> bytes:
    """The content as a failing disk, an interrupted copy or a stray writer leaves it; never as it was."""
    at = int(rng.integers(len(content)))
    length = int(rng.integers(1, min(4096, len(content)) + 1))
    if kind == "bit":
        found = content[:at] + bytes([content[at] ^ (1 << int(rng.integers(8)))]) + content[at + 1 :]
    elif kind == "zeros":
        found = content[:at] + bytes(len(content[at : at + length])) + content[at + length :]
    elif kind == "noise":
        found = content[:at] + rng.bytes(len(content[at : at + length])) + content[at + length :]
    elif kind == "cut":
        found = content[:at]
    elif kind == "doubled":
        found = content[:at] + content[at : at + length] * 2 + content[at + length :]
    elif kind == "swapped":
        half = len(content) // 2
        found = content[half:] + content[:half]
    else:
        found = b""
    return found if found != content else damaged(content, "bit", rng)


# Work for parts, in a module that worker processes can import ------------------------------------------------


def squares(payload):
    """Work of a part; leaves a mark of who did it, and takes as long as it is told."""
    if "marks" in payload:
        Path(payload["marks"], str(os.getpid())).touch()
    time.sleep(payload.get("seconds", 0.0))
    values = np.asarray(payload["values"], dtype=float)
    return {
        "square": values**2,
        "name": np.array([f"of {value:g}" for value in values]),
        "status": np.ones(len(values)),
    }


def square_parts(count, **more):
    """Parts for :func:`squares`."""
    return [StudyPart(f"key{i:04d}", 1.0, {"values": [i, i + 1.5, -i], **more}) for i in range(count)]


def expected(count):
    """What their tables hold."""
    return [squares(part.payload)["square"].tolist() for part in square_parts(count)]


# Processes ---------------------------------------------------------------------------------------------------


def alive(pid: int) -> bool:
    """Whether a process runs; one that ended and was not asked for yet does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def children(pid: int) -> list[int]:
    """Processes that this one started."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            if int(stat.read_text().rpartition(")")[2].split()[1]) == pid:
                found.append(int(stat.parent.name))
        except OSError:  # gone meanwhile
            continue
    return found


def wait_for(done, seconds: float = 600.0) -> bool:
    """Until ``done()`` says yes; no where it never does: longer is a hang, on the slowest and busiest machine."""
    end = time.monotonic() + seconds
    while not done():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def killed_study(folder: Path, how: signal.Signals, after: int, where: str = "workers=2") -> list[int]:
    """Run a study of 40 parts with two workers, kill it once ``after`` parts are kept; who of its workers is left."""
    marks, store = folder / "marks", folder / "parts"
    marks.mkdir(exist_ok=True)
    program = (
        "from pathlib import Path\n"
        "from faults import square_parts, squares\n"
        "from hamex.study.engine import run_parts\n"
        "if __name__ == '__main__':\n"
        f"    parts = square_parts(40, marks={str(marks)!r}, seconds=0.05)\n"
        f"    run_parts(squares, parts, store=Path({str(store)!r}), {where})\n"
    )
    script = folder / "study.py"
    script.write_text(program)
    with (folder / "said.txt").open("w") as said:
        child = subprocess.Popen([sys.executable, script], env=_environment(), stdout=said, stderr=said)
    assert wait_for(lambda: child.poll() is not None or len(list(store.glob("key*.parquet"))) >= after)
    child.send_signal(how)
    child.wait()
    workers = [int(mark.name) for mark in marks.iterdir()]
    assert workers
    wait_for(lambda: not any(alive(pid) for pid in workers))
    return [pid for pid in workers if alive(pid)]


def _environment() -> dict[str, str]:
    here = [str(Path(__file__).parent), str(Path(hx.__file__).parents[1])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join([*here, os.environ.get("PYTHONPATH", "")])}


def hamex(*arguments, cwd=None, **more) -> subprocess.CompletedProcess:
    """The command, as a process of its own."""
    command = [sys.executable, "-m", "hamex", *(str(argument) for argument in arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=_environment(), **more)


@contextmanager
def little_room(size: int):
    """Files may not grow beyond so many bytes: as on a full disk, a write fails half-way."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
