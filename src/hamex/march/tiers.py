"""What a process of its own compiles while runs go on without it: orders, who works on them, and what it took.

Uncompiled and compiled runs have equal bits, so nobody need wait for the compiler. A run orders what it lacks: a file
that names a kernel, what was settled in it and the kinds of its arguments, from which another process builds it again.
That process (``hamex warm --asked-by``, nice and detached) is the only one of its kind: a lock says who it is and since
when. It compiles into the place where kernels are kept, for this run or the next, and ends when nothing is ordered, or
a minute after the process that asked. What kernels took stands in a file of lines beside them, the only thing that is
read before Numba is loaded.

Loads nothing but NumPy. ``HAMEX_WARM=off`` leaves the other process out, e.g. in tests and containers.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

Tuples = type[tuple[Any, ...]] | tuple[()]  # for isinstance: a class of them, all, or none

SWITCH = "HAMEX_WARM"
GUESS = 4.0  # s of compiling, of a kernel whose like was never compiled here
FORGOTTEN = 600.0  # s after which a lock that nobody touched is nobody's
OUTLIVES = 60  # s by which the compiling process outlives the one that asked
_PATIENCE = 5.0  # s for which a writer waits for another
_started: list[subprocess.Popen[bytes]] = []


# Places -------------------------------------------------------------------------------------------------------


def folder() -> Path:
    """Where orders and times stand: beside the kernels that Numba keeps, or where this user may write."""
    return _folder(os.environ.get("NUMBA_CACHE_DIR", ""))


def shipped() -> Path | None:
    """Where the owner of this package may have left kernels, whoever runs it; None where another place is chosen."""
    return None if os.environ.get("NUMBA_CACHE_DIR") else Path(__file__).parent / "__pycache__" / "orders"


@cache
def _folder(chosen: str) -> Path:
    places = [Path(chosen, "hamex")] if chosen else [Path(__file__).parent / "__pycache__" / "orders"]
    with contextlib.suppress(RuntimeError):  # no home
        places.append(Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "hamex", "orders"))
    for place in places:
        with contextlib.suppress(OSError):
            place.mkdir(parents=True, exist_ok=True)
            if os.access(place, os.W_OK | os.X_OK):
                return place
    return temporary()


@cache
def temporary() -> Path:
    """A folder for the time being, which nobody else may write to: one for all processes of a user."""
    user = os.getuid() if hasattr(os, "getuid") else 0
    with contextlib.suppress(OSError):
        place = Path(tempfile.gettempdir(), f"hamex-{user}")
        place.mkdir(mode=0o700, exist_ok=True)
        found = place.lstat()
        if os.name == "nt" or (stat.S_ISDIR(found.st_mode) and found.st_uid == user and not found.st_mode & 0o077):
            return place
    try:
        return Path(tempfile.mkdtemp(prefix="hamex-"))
    except OSError:  # nothing can be written anywhere: what the owner of the package left is read
        return Path(__file__).parent / "__pycache__" / "orders"


# What kernels took ----------------------------------------------------------------------------------------------


def lines() -> list[tuple[str, float]]:
    """Kernels that were compiled and kept, with the seconds that they took, the oldest first."""
    found: list[tuple[str, float]] = []
    for place in dict.fromkeys((shipped() or folder(), folder())):
        with contextlib.suppress(OSError):
            found += _read(place / "times", (place / "times").stat().st_size)  # which grows with every line
    return found


@lru_cache(maxsize=4)
def _read(file: Path, size: int) -> list[tuple[str, float]]:
    found = []
    for line in file.read_text(encoding="utf-8", errors="replace").splitlines():  # where a disk failed, the rest counts
        seconds, _, name = line.partition(" ")
        with contextlib.suppress(ValueError):
            if float(seconds) >= 0.0:
                found.append((name, float(seconds)))
    return found


def learn(name: str, seconds: float) -> None:
    """A kernel was compiled and kept; infinite seconds: it cannot be. One line, written at once by whoever comes."""
    with contextlib.suppress(OSError), (folder() / "times").open("a", encoding="utf-8") as file:
        file.write(f"{seconds:.2f} {name}\n")


def seconds_of(name: str) -> float:
    """What a kernel takes to compile: what it took last, itself or an older edition, whose name ends otherwise."""
    stem, found = name.rpartition("_")[0], GUESS
    for other, seconds in lines():
        if other.rpartition("_")[0] == stem and (seconds < float("inf") or other == name):
            found = seconds
    return found


def say(seconds: float) -> None:
    """A line on a terminal, where somebody has to wait."""
    with contextlib.suppress(AttributeError, OSError, ValueError):  # no stream, a closed one, or a program's own
        if seconds >= 1 and sys.stderr.isatty():
            print(f"hamex: compiling, about {seconds:.0f} s; it is kept for later runs", file=sys.stderr)


# Arguments by their kinds ---------------------------------------------------------------------------------------


def described(value: Any, by_pointer: Tuples = ()) -> Any:
    """The kind of an argument in words of JSON; a TypeError for what has none. ``by_pointer``: tuples that are taken
    so, with all tuples within them."""
    if isinstance(value, np.ndarray):
        layout = "C" if value.flags.c_contiguous else "F" if value.flags.f_contiguous else "A"
        return ["array", value.dtype.str, value.ndim, layout, bool(value.flags.writeable)]
    if hasattr(value, "_fields"):
        kind, within = ("held", tuple) if isinstance(value, by_pointer) else ("fields", by_pointer)
        return [kind, _named(type(value)), [described(part, within) for part in value]]
    if type(value) is tuple:
        return ["tuple", [described(part, by_pointer) for part in value]]
    if value is None or isinstance(value, bool | np.bool_ | int | np.integer | float):
        return ["number", None if value is None else type(np.asarray(value).item())(1)]
    raise TypeError(f"no words for {type(value).__name__}")


def example(kind: Sequence[Any]) -> Any:
    """A value of a kind; one that is held is a named tuple still."""
    what, *more = kind
    if what == "array":
        dtype, ndim, layout, writeable = more
        array = np.zeros((4,) * ndim, dtype, order="F" if layout == "F" else "C")
        if layout == "A":
            array = array[(slice(None, None, 2),) * ndim]
        array.flags.writeable = writeable
        return array
    if what == "number":
        return more[0]
    values = map(example, more[-1])
    return tuple(values) if what == "tuple" else found_by(more[0])._make(values)


def _named(thing: Any) -> str:
    """``module:name``, by which this very thing is found; a TypeError where it is not, or not ours."""
    name = f"{thing.__module__}:{thing.__qualname__}"
    if not thing.__module__.startswith("hamex.") or found_by(name) is not thing:
        raise TypeError(f"{name} is not found by its name")
    return name


def found_by(name: str) -> Any:
    """What stands in a module of ours by this name, or None."""
    module, _, own = name.partition(":")
    if not module.startswith("hamex."):
        raise TypeError(f"{name} is not ours")  # an order runs no code but that of this package
    return getattr(import_module(module), own, None)


def recipe(kernel: Any) -> Any:
    """How a kernel is built again, in words of JSON: what was noted when it was made, else its name."""
    return getattr(kernel, "recipe", None) or _named(kernel)


# Orders ---------------------------------------------------------------------------------------------------------


def order(job: dict[str, Any]) -> None:
    """Leave an order, and start who works on orders unless somebody does."""
    text = json.dumps(job, sort_keys=True)
    with contextlib.suppress(OSError):
        place = folder() / "wanted" / f"{sha256(text.encode()).hexdigest()[:24]}.json"
        place.parent.mkdir(exist_ok=True)
        part = place.with_suffix(f".{os.getpid()}")
        part.write_text(text, encoding="utf-8")
        part.replace(place)
        start()


def orders() -> Iterator[dict[str, Any]]:
    """Orders, the oldest first; each is gone when it is handed out, so that none is tried twice."""
    left: set[Path] = set()
    with contextlib.suppress(OSError):
        while found := sorted(set((folder() / "wanted").glob("*.json")) - left, key=_age):
            for place in found:
                try:
                    text = place.read_bytes()
                    place.unlink()
                except OSError:  # what cannot be taken away is left to others
                    left.add(place)
                    continue
                with contextlib.suppress(ValueError):
                    yield json.loads(text)


def _age(place: Path) -> float:
    try:
        return place.stat().st_mtime
    except OSError:
        return 0.0


# Who works on them ----------------------------------------------------------------------------------------------


class Lock:
    """A file with process and host of who holds it; its time says since when, or when it was last touched."""

    def __init__(self, name: str) -> None:
        self.path = folder() / name

    def is_free(self) -> bool:
        """Whether nobody holds it who lives."""
        try:
            pid, host = self.path.read_text(encoding="utf-8").split()
            return abs(time.time() - self.path.stat().st_mtime) > FORGOTTEN or (  # clocks are set back, too
                host == socket.gethostname() and (int(pid) <= 0 or not lives(int(pid)))
            )
        except FileNotFoundError:
            return True
        except (OSError, ValueError):  # being written
            return time.time() - _age(self.path) > _PATIENCE

    def take(self) -> bool:
        """Hold it, if it is free."""
        with contextlib.suppress(OSError):
            if self.path.exists() and self.is_free():
                self.path.unlink(missing_ok=True)
            with self.path.open("x", encoding="utf-8") as file:
                file.write(f"{os.getpid()} {socket.gethostname()}")
            return True
        return False

    def touch(self) -> None:
        """Still at work."""
        with contextlib.suppress(OSError):
            os.utime(self.path)

    def give(self) -> None:
        """Hold it no longer."""
        self.path.unlink(missing_ok=True)


def lives(pid: int) -> bool:
    """Whether a process is there and works; where that cannot be asked, it does."""
    if os.name == "nt":
        return True
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    try:  # one that ended may stay listed, as in containers where nobody waits for it
        told = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2]
    except OSError:  # no such list here
        return True
    return not told.startswith(b" Z")


@contextlib.contextmanager
def one_writer() -> Iterator[None]:
    """Numba's index of a kernel is read, changed and written: one process at a time, or without after some seconds."""
    lock, begun = Lock("writing"), time.monotonic()
    while not (held := lock.take()) and lock.path.exists() and time.monotonic() - begun < _PATIENCE:
        time.sleep(0.01)
    try:
        yield
    finally:
        if held:
            lock.give()


def is_off() -> bool:
    """Whether somebody said that nothing is to be compiled ahead."""
    return os.environ.get(SWITCH, "").strip().lower() in {"off", "0", "no", "false"}


def may_start(processors: int) -> bool:
    """Whether another process may compile: not on one processor, nor where somebody says no."""
    ours = "python" in Path(sys.executable or "").name.lower() and not getattr(sys, "frozen", False)  # or an embedder's
    return not is_off() and processors > 1 and ours


def start() -> None:
    """Start who works on orders, unless somebody does; a run never fails for want of it."""
    _started[:] = [child for child in _started if child.poll() is None]
    if _started or not Lock("child").is_free():
        return
    places = [place for place in sys.path if place and isinstance(place, str)]  # Python passes over others
    with contextlib.suppress(OSError):
        _started.append(
            subprocess.Popen(
                [sys.executable, "-P", "-m", "hamex", "warm", "--asked-by", str(os.getpid())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                env={**os.environ, SWITCH: "off", "PYTHONPATH": os.pathsep.join(places)},
            )
        )


def end_after(asker: int) -> None:
    """End this process a minute after the one that asked for it, whatever it is at."""
    from threading import Thread

    def watch() -> None:
        left = OUTLIVES
        while left > 0:
            time.sleep(1.0)
            left -= not lives(asker)
        Lock("child").give()
        os._exit(0)

    Thread(target=watch, daemon=True).start()
