"""What a process of its own compiles while runs go on without it: orders, who works on them, and what it took.

Uncompiled and compiled runs have equal bits, so nobody need wait for the compiler. A run orders what it lacks: a file
that names a kernel, what was settled in it and the kinds of its arguments, from which another process builds it again.
That process (``hamex warm --asked-by``, nice and detached) is the only one of its kind: a lock says who it is and since
when. It compiles into the place where kernels are kept, for this run or the next, and ends when nothing is ordered, or
a minute after the process that asked. What kernels took stands in a file of lines beside them, the only thing that is
read before Numba is loaded.

What Numba compiled is kept a second time as bare machine code, which a later process loads and calls without Numba,
whose import takes longer than many runs.

Loads nothing but NumPy. ``HAMEX_WARM=off`` leaves the other process out, e.g. in tests and containers.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

Tuples = type[tuple[Any, ...]] | tuple[()]  # for isinstance: a class of them, all, or none

SWITCH = "HAMEX_WARM"
GUESS = 4.0  # s of compiling, of a kernel whose like was never compiled here
FORGOTTEN = 600.0  # s after which a lock that nobody touched is nobody's
OUTLIVES = 60  # s by which the compiling process outlives the one that asked
_PATIENCE = 5.0  # s for which a writer waits for another
_WORDS = (("none", type(None)), ("bool", (bool, np.bool_)), ("int", (int, np.int64)), ("float", float))
_RESULTS: dict[str, Any] = {
    "int": ctypes.c_int64,
    "float": ctypes.c_double,
    "bool": ctypes.c_bool,
    "none": ctypes.c_int64,
}
_RETURNED, _RETURNED_NOTHING = 0, -2  # what Numba's functions say of themselves
_SYMBOLS = 2  # a section of this kind holds names
# What Numba's own wrapper of a function would need, where Python called that.
_FOR_PYTHON = {"numba_adapt_ndarray", "numba_do_raise", "numba_unpickle", "numba_runtime_build_excinfo_struct"}
type_of: Callable[[Any], Any] | None = None  # how the compiler types what is held, once it is loaded
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


class Held:
    """A named tuple of C-contiguous arrays, numbers and such tuples, laid out for compiled code when that first asks.

    Plain Python reads it as it reads the tuple, so that a march around a sparse solver hands it on.
    """

    def __init__(self, fields: Any) -> None:
        self.fields = fields

    def __getattr__(self, name: str) -> Any:
        if name == "address":
            self.words = np.array(list(_words(self.fields)), dtype=np.uint64)
            value: Any = self.words.ctypes.data
        elif name == "sketch":
            value = sketch(self.fields, by_address=True)
        elif name == "_numba_type_":
            if type_of is None:
                raise AttributeError(name)
            value = type_of(self.fields)
        else:
            value = getattr(self.fields, name)
            value = Held(value) if isinstance(value, tuple) else value
        self.__dict__[name] = value
        return value


def _words(fields: Any) -> Iterator[int]:
    for value in fields:
        if isinstance(value, np.ndarray):
            if not value.flags.c_contiguous:
                raise ValueError(f"compiled code reads arrays without gaps; got strides {value.strides}")
            yield value.__array_interface__["data"][0]
            yield from value.shape
        elif isinstance(value, tuple):
            yield from _words(value)
        elif isinstance(value, float):
            yield ctypes.c_uint64.from_buffer(ctypes.c_double(value)).value
        else:
            yield int(value) % 2**64


def sketch(value: Any, by_address: bool = False) -> str:
    """The kind of an argument of machine code, as the compiler tells its type: arrays by entries, dimensions, layout,
    and whether they are read only. ``by_address``: as what is called by address takes it, arrays without gaps and
    tuples by pointer. A TypeError for what has no word."""
    if isinstance(value, np.ndarray):
        flags = value.flags
        layout = "C" if flags.c_contiguous or by_address else "F" if flags.f_contiguous else "A"
        return f"{value.dtype.str}{value.ndim}{layout}{'' if flags.writeable or by_address else 'R'}"
    if isinstance(value, Held):
        return value.sketch
    if isinstance(value, tuple):
        name = type(value).__name__ if hasattr(value, "_fields") else ""
        pointer = "*" if name and by_address else ""
        return f"{name}{pointer}({' '.join(sketch(part, by_address) for part in value)})"
    for word, kinds in _WORDS:
        if isinstance(value, kinds):
            return word
    raise TypeError(f"no word for {type(value).__name__}")


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


# Machine code that runs without Numba ---------------------------------------------------------------------------


class Code:
    """A function of machine code that was kept, called as the compiler lays arguments out: arrays by seven words and
    more, tuples part by part, what is held by its address. The engine keeps it in memory."""

    def __init__(self, address: int, result: str, engine: Any) -> None:
        self.address, self._result, self._engine = address, result, engine
        self._call: Any = None

    def __call__(self, *arguments: Any) -> Any:
        """What it returns; a RuntimeError where it ended with one of its own."""
        words = [word for argument in arguments for word in _laid_out(argument)]
        if self._call is None:
            kinds = [ctypes.c_double if isinstance(word, float) else ctypes.c_int64 for word in words]
            self._call = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, *kinds)(self.address)
        found, raised = _RESULTS[self._result](), ctypes.c_void_p()
        status = self._call(ctypes.addressof(found), ctypes.addressof(raised), *words)
        if status not in (_RETURNED, _RETURNED_NOTHING):
            raise RuntimeError(f"machine code ended with status {status}")
        return None if status == _RETURNED_NOTHING else found.value


def _laid_out(value: Any) -> Iterator[int | float]:
    if isinstance(value, np.ndarray):
        yield from (0, 0, value.size, value.itemsize, value.__array_interface__["data"][0])  # two: who owns it
        yield from (*value.shape, *value.strides)
    elif isinstance(value, Held):
        yield value.address
    elif isinstance(value, tuple):
        for part in value:
            yield from _laid_out(part)
    elif value is None:
        yield 0
    else:
        yield float(value) if isinstance(value, float) else int(value)


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:24]


def _place_of(name: str, arguments: str) -> Path:
    return Path("code", f"{_digest(name)}-{_digest(arguments + _machine())}")


def keep_code(name: str, arguments: str, symbol: str, result: str, code: bytes) -> None:
    """Keep the machine code of a kernel for arguments of these kinds, if a process without Numba can run it."""
    if result not in _RESULTS or not runs_here() or _asks_numba(code):
        return
    head = json.dumps({"symbol": symbol, "result": result, "machine": _machine()})
    content = head.encode() + b"\n" + code
    place = folder() / _place_of(name, arguments)
    with contextlib.suppress(OSError):
        place.parent.mkdir(exist_ok=True)
        part = place.with_suffix(f".{os.getpid()}")
        part.write_bytes(sha256(content).digest() + content)
        part.replace(place)


def has_code(name: str) -> bool:
    """Whether some code of this kernel was kept that this process can run."""
    return any(
        _read_code(place) is not None
        for where in dict.fromkeys((folder(), shipped() or folder()))
        for place in (where / "code").glob(f"{_digest(name)}-*")
        if not place.suffix  # else being written
    )


def loaded(name: str, arguments: str) -> Code | None:
    """The machine code of a kernel for arguments of these kinds; None where none was kept that verifies."""
    for where in dict.fromkeys((folder(), shipped() or folder())):
        read = _read_code(where / _place_of(name, arguments))
        if read is not None:
            return _linked(*read)
    return None


def _read_code(place: Path) -> tuple[str, str, bytes] | None:
    try:
        whole = place.read_bytes()
        digest, content = whole[:32], whole[32:]
        if sha256(content).digest() != digest:
            return None
        head, _, code = content.partition(b"\n")
        said = json.loads(head)
        if not runs_here() or said["machine"] != _machine():
            return None
        return said["symbol"], said["result"], code
    except (OSError, ValueError, KeyError, ImportError):
        return None


def _linked(symbol: str, result: str, code: bytes) -> Code | None:
    """An engine of its own for every code: names within it are its own."""
    from llvmlite import binding as llvm

    target = llvm.Target.from_default_triple().create_target_machine(jit=True)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target)
    for name in _foreign(code):  # with an engine, LLVM knows what this process knows
        if llvm.address_of_symbol(name) is None:
            if name not in _FOR_PYTHON:
                return None
            llvm.add_symbol(name, llvm.address_of_symbol("abort"))
    engine.add_object_file(llvm.object_file.ObjectFileRef.from_data(code))
    engine.finalize_object()
    address = engine.get_function_address(symbol)
    return Code(address, result, engine) if address else None


def runs_here() -> bool:
    """Whether bare machine code runs here: files and calls are laid out as above on Linux on x86-64."""
    return sys.platform == "linux" and os.uname().machine == "x86_64"


@cache
def _machine() -> str:
    """What machine code was made for and by: processor, LLVM, Numba."""
    import llvmlite
    from llvmlite import binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    found = find_spec("numba")
    numba = Path(found.origin).with_name("_version.py").stat() if found and found.origin else None
    by = (llvmlite.__version__, numba and (numba.st_mtime_ns, numba.st_size))
    return f"{llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()} {by}"


def _asks_numba(code: bytes) -> bool:
    own = {name for name in _foreign(code) if name.startswith(("numba_", "NRT_"))}
    return not own <= _FOR_PYTHON


def _foreign(code: bytes) -> set[str]:
    """Names that an ELF file of 64 bits takes from elsewhere."""
    begin, size, count = *struct.unpack_from("<Q", code, 0x28), *struct.unpack_from("<HH", code, 0x3A)
    sections = [struct.unpack_from("<IIQQQQIIQQ", code, begin + i * size) for i in range(count)]
    found = set()
    for _, kind, _, _, start, length, link, *_ in sections:
        if kind != _SYMBOLS:
            continue
        names = sections[link][4]
        for at in range(start, start + length, 24):
            name, _, _, section = struct.unpack_from("<IBBH", code, at)
            if name and not section:
                found.add(code[names + name : code.index(b"\0", names + name)].decode())
    return found


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
