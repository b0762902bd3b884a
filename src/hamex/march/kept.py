"""Compiled code on the disk: names of kernels, folders, and the seconds that compiling took.

Numba's cache notices a change of the file in which a kernel stands, but not of the files of what it calls, nor of a law
that was put into it. The name of a kernel therefore ends with a digest of all these sources. What kernels took to
compile stands in a file of lines beside them, the only thing that is read before Numba is loaded.

Loads nothing but the standard library.
"""

from __future__ import annotations

import contextlib
import glob
import logging
import os
import stat
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any

Kernel = Callable[..., Any]

# Modules whose functions mean machine instructions, and what tells the compiler so.
INSTRUCTIONS = {"hamex.march.lanes": "hamex.march.vector", "hamex.march.run": "hamex.march.compiler"}
_RATE = 2e-4  # s of compiling a byte of the code of Python, for a kernel that was never compiled here


# Names of kernels -----------------------------------------------------------------------------------------------


def kept_name(kernel: Kernel) -> str:
    """By which a kernel is kept: another one after any change of a source."""
    return f"{kernel.__module__}.{kernel.__qualname__}_{sources(kernel)}"


@cache
def sources(kernel: Kernel) -> str:
    """Digest of this layer and of the kernel's own files."""
    return sha256(_layer() + b"".join(file.read_bytes() for file in sorted(_files(kernel)))).hexdigest()[:12]


@cache
def _layer() -> bytes:
    return b"".join(file.read_bytes() for file in sorted(Path(__file__).parent.glob("*.py")))


def _files(kernel: Kernel) -> set[Path]:
    """Files outside this layer that the kernel stands in or calls."""
    own = None if kernel.__module__.startswith("hamex.march") else file_of(kernel)
    return set([own] if own else []).union(*(_files(called) for called in called_by(kernel).values()))


def file_of(kernel: Kernel) -> Path | None:
    """Where a kernel stands; None for what was typed in."""
    assert isinstance(kernel, FunctionType)
    file = Path(kernel.__code__.co_filename)
    return file if file.is_file() else None


def called_by(kernel: Kernel) -> dict[str, Kernel]:
    """Functions of this layer, of its own module or of another law that a kernel calls."""
    return {
        name: function
        for name, function in functions_of(kernel).items()
        if function.__module__ not in INSTRUCTIONS
        and (
            function.__module__.startswith(("hamex.march", "hamex.model.laws"))
            or function.__module__ == kernel.__module__
            or getattr(function, "is_law", False)
        )
    }


def functions_of(kernel: Kernel) -> dict[str, FunctionType]:
    """Functions that a kernel names."""
    assert isinstance(kernel, FunctionType)
    names = {name: kernel.__globals__.get(name) for name in kernel.__code__.co_names}
    return {name: function for name, function in names.items() if isinstance(function, FunctionType)}


# Folders --------------------------------------------------------------------------------------------------------


def folder() -> Path:
    """Folder of the times: beside the kernels that Numba keeps, or where this user may write."""
    return _folder(os.environ.get("NUMBA_CACHE_DIR", ""))


def shipped() -> Path | None:
    """Where the owner of this package may have left kernels, whoever runs it; None where another place is chosen."""
    return None if os.environ.get("NUMBA_CACHE_DIR") else Path(__file__).parent / "__pycache__" / "kept"


@cache
def _folder(chosen: str) -> Path:
    own = Path(__file__).parent / "__pycache__" / "kept"
    places = [Path(chosen, "hamex") if chosen else own]
    with contextlib.suppress(RuntimeError):  # no home
        places.append(Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "hamex", "kept"))
    for place in places:
        with contextlib.suppress(OSError):
            if place != own:  # what stands beside the sources is for all who use them
                place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            place.mkdir(exist_ok=True)
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
        if not unsafe(place):
            return place
    try:
        return Path(tempfile.mkdtemp(prefix="hamex-"))
    except OSError:  # nothing can be written anywhere: what the owner of the package left is read
        return Path(__file__).parent / "__pycache__" / "kept"


@cache
def unsafe(place: Path) -> str:
    """Why code of a folder must not be run, or nothing: the folder and all above it belong to this user or to root, and
    nobody else can write there; above it, to sticky folders. Windows tells no such modes."""
    if os.name == "nt":
        return ""
    user = os.getuid()
    for folder in dict.fromkeys(
        (place.absolute(), *place.absolute().parents, place.resolve(), *place.resolve().parents)
    ):
        try:
            found = folder.lstat()
        except OSError:  # not there yet
            continue
        if found.st_uid not in (0, user):
            return f"{folder} belongs to another user"
        sticky = found.st_mode & stat.S_ISVTX and folder not in (place.absolute(), place.resolve())
        others = found.st_mode & stat.S_IWOTH or (found.st_mode & stat.S_IWGRP and not _is_own(found.st_gid))
        if others and not sticky and not stat.S_ISLNK(found.st_mode):
            return f"{folder} can be written by others"
    return ""


def _is_own(group: int) -> bool:
    """Whether a group has no member but this user, or is root's."""
    import grp
    import pwd

    with contextlib.suppress(KeyError):
        me, found = pwd.getpwuid(os.getuid()).pw_name, grp.getgrgid(group)
        return found.gr_gid == 0 or (found.gr_name == me and set(found.gr_mem) <= {me})
    return False


@cache
def refuse(reason: str) -> None:
    """Say once why a folder is neither read nor written."""
    say(f"compiled code is neither read nor kept, as {reason}; name a folder of your own by NUMBA_CACHE_DIR")


def say(text: str) -> None:
    """Tell the user: a line on a terminal, else as the logger ``hamex`` at level info."""
    with contextlib.suppress(AttributeError, OSError, ValueError):  # no stream, a closed one, or a program's own
        if sys.stderr.isatty():
            print(f"hamex: {text}", file=sys.stderr)
            return
    logging.getLogger("hamex").info(text)


# Code -----------------------------------------------------------------------------------------------------------


def place() -> Path | None:
    """Folder below which Numba keeps code; None where it must not or cannot be kept."""
    found = folder() / "code"
    with contextlib.suppress(OSError):
        found.mkdir(mode=0o755 if folder() == shipped() else 0o700, exist_ok=True)  # the owner's is read by all
        if reason := unsafe(found):
            refuse(reason)
        elif os.access(found, os.W_OK | os.X_OK):
            return found
    return None


@contextlib.contextmanager
def numba_keeps_in(place: Path | None) -> Iterator[None]:
    """Numba keeps in this folder what is compiled meanwhile."""
    numba: Any = import_module("numba")
    usual = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(place or usual)
    try:
        yield
    finally:
        numba.config.CACHE_DIR = usual


def is_there(name: str) -> bool:
    """Whether code of a kernel was kept, here or by the owner of this package."""
    return any(os.path.isfile(_seal(name, place / "code")) for place in (folder(), shipped()) if place is not None)


def seal(name: str, place: Path, parts: Iterable[str]) -> None:
    """Note the digests of what Numba kept of a kernel, and the parts that it calls."""
    lines = [f"{_digest(file)} {file.relative_to(place).as_posix()}\n" for file in _kept(name, place)]
    lines += [f"part {each}\n" for each in parts]
    file = _seal(name, place).with_suffix(f".{os.getpid()}")
    with contextlib.suppress(OSError):
        file.write_text("".join(lines), encoding="utf-8")
        file.replace(_seal(name, place))


def parts(name: str, place: Path) -> list[str]:
    """What a kernel calls that is kept by itself: names and kinds of arguments."""
    return [line for mark, line in _sealed(name, place) if mark == "part"]


def verified(name: str, place: Path) -> bool:
    """Whether there is code of a kernel, and all of it as it was noted."""
    left = shipped()
    if left is not None and not os.path.isfile(_seal(name, place)) and not unsafe(left / "code"):
        _copied(name, left / "code", place)
    noted = [(place / file, digest) for digest, file in _sealed(name, place) if digest != "part"]
    return bool(noted) and all(file.is_file() and _digest(file) == digest for file, digest in noted)


def forget(name: str, place: Path) -> None:
    """Remove code that does not verify, so that Numba does not load it."""
    for file in _kept(name, place):
        file.unlink(missing_ok=True)


def _sealed(name: str, place: Path) -> list[tuple[str, str]]:
    lines: list[str] = []
    with contextlib.suppress(OSError, ValueError):
        lines = _seal(name, place).read_text(encoding="utf-8").splitlines()
    return [(first, rest) for first, _, rest in (line.partition(" ") for line in lines)]


def _copied(name: str, left: Path, place: Path) -> None:
    """Take over what the owner of this package left of a kernel, for those who cannot write there."""
    with contextlib.suppress(OSError):
        for file in [*_kept(name, left), _seal(name, left)]:
            target = place / file.relative_to(left)
            target.parent.mkdir(mode=0o700, exist_ok=True)
            target.write_bytes(file.read_bytes())


def _seal(name: str, place: Path) -> Path:
    return place / f"{name}.{sys.implementation.cache_tag}.sha256"


def _kept(name: str, place: Path) -> list[Path]:
    """Files of a kernel by the names that Numba gives them: module, kernel, line, version of Python."""
    kernel = glob.escape(name.rpartition(".")[2].replace("<", "").replace(">", ""))
    return sorted(place.glob(f"*/*.{kernel}-*.nb[ic]"))


def _digest(file: Path) -> str:
    return sha256(file.read_bytes()).hexdigest()


# Seconds of compiling -------------------------------------------------------------------------------------------


def times() -> list[tuple[str, float]]:
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
    """Note what a kernel took that was compiled and kept, in one line that is written at once."""
    with contextlib.suppress(OSError), (folder() / "times").open("a", encoding="utf-8") as file:
        file.write(f"{seconds:.2f} {name}\n")


def seconds_of(kernel: Kernel) -> float:
    """What a kernel takes to compile: what it took last, itself or an older edition, or by the size of its code."""
    stem, found = f"{kernel.__module__}.{kernel.__qualname__}", None
    for name, seconds in times():
        found = seconds if name.rpartition("_")[0] == stem else found
    return _RATE * _size(kernel, set()) if found is None else found


def _size(kernel: Kernel, known: set[Kernel]) -> int:
    """Bytes of Python's code of a kernel and of all that it calls, each once."""
    if kernel in known:
        return 0
    known.add(kernel)
    assert isinstance(kernel, FunctionType)
    return len(kernel.__code__.co_code) + sum(_size(function, known) for function in called_by(kernel).values())
