"""Machine code that is kept by itself: under which name, for which arguments, and how it is called without Numba.

Importing Numba takes longer than many runs. What it compiled is therefore kept a second time as bare machine code, by
the name of its kernel, in which every source that it rests on counts, and the kinds of its arguments. A later process
that has not loaded Numba loads that by LLVM alone and calls it through ``ctypes`` as the compiler lays arguments out.
It is the same code, so the bits are the same. What cannot be known to be the same, or to be called alike, is left to
Numba: other machines, code that needs Numba's own library, laws of users.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import struct
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from threading import RLock
from types import FunctionType
from typing import Any

import numpy as np

from hamex.march import tiers

Kernel = Callable[..., Any]

# Modules whose functions mean machine instructions, and what tells the compiler so.
INSTRUCTIONS = {"hamex.march.lanes": "hamex.march.vector", "hamex.march.run": "hamex.march.compiler"}
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
_FOUND: set[Kernel] = set()  # kernels of which machine code was kept that runs without Numba
_LOADING = RLock()
_BARE_CODES: dict[tuple[Kernel, str], Code | None] = {}  # by address, and kinds of arguments


# Names of kernels -----------------------------------------------------------------------------------------------


def kept_name(kernel: Kernel) -> str:
    """By which a kernel is kept: another one after any change of a source."""
    return f"{kernel.__module__}.{kernel.__qualname__}_{sources(kernel)}"


@cache
def sources(kernel: Kernel) -> str:
    """Digest of this layer and of the kernel's own files: Numba's cache minds the file that a kernel stands in, not the
    files of what it calls, nor those of a law that was put into it."""
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


# Arguments ------------------------------------------------------------------------------------------------------


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


def token(value: Any) -> Any:
    """What tells kinds of arguments apart, quickly: values with equal tokens have equal sketches."""
    kind = type(value)
    if kind is np.ndarray:
        return value.dtype, value.ndim, value.flags.num
    if kind is Held:
        return value.sketch
    return (kind, *[token(part) for part in value]) if isinstance(value, tuple) else kind


# Code -----------------------------------------------------------------------------------------------------------


class Code:
    """A function of machine code that was kept, called as the compiler lays arguments out: arrays by seven words and
    more, tuples part by part, what is held by its address. The engine keeps it in memory."""

    def __init__(self, address: int, result: str, engine: Any) -> None:
        self.address, self._result, self._engine = address, result, engine
        self._call: Any = None

    def __call__(self, *arguments: Any) -> Any:
        """What it returns; a RuntimeError where it ended with one of its own."""
        words: list[int | float] = []
        for argument in arguments:
            _lay_out(words, argument)
        if self._call is None:
            kinds = [ctypes.c_double if isinstance(word, float) else ctypes.c_int64 for word in words]
            self._call = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, *kinds)(self.address)
        found, raised = _RESULTS[self._result](), ctypes.c_void_p()
        status = self._call(ctypes.addressof(found), ctypes.addressof(raised), *words)
        if status not in (_RETURNED, _RETURNED_NOTHING):
            raise RuntimeError(f"machine code ended with status {status}")
        return None if status == _RETURNED_NOTHING else found.value


def _lay_out(words: list[int | float], value: Any) -> None:
    if isinstance(value, np.ndarray):
        words += (0, 0, value.size, value.itemsize, value.__array_interface__["data"][0])  # two: who owns it
        words += value.shape
        words += value.strides
    elif isinstance(value, Held):
        words.append(value.address)
    elif isinstance(value, tuple):
        for part in value:
            _lay_out(words, part)
    elif value is None:
        words.append(0)
    else:
        words.append(float(value) if isinstance(value, float) else int(value))


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
    place = tiers.folder() / _place_of(name, arguments)
    with contextlib.suppress(OSError):
        place.parent.mkdir(exist_ok=True)
        part = place.with_suffix(f".{os.getpid()}")
        part.write_bytes(sha256(content).digest() + content)
        part.replace(place)


def has_code(name: str) -> bool:
    """Whether some code of this kernel was kept that this process can run."""
    return any(
        _read_code(place) is not None
        for where in dict.fromkeys((tiers.folder(), tiers.shipped() or tiers.folder()))
        for place in (where / "code").glob(f"{_digest(name)}-*")
        if not place.suffix  # else being written
    )


def loaded(name: str, arguments: str) -> Code | None:
    """The machine code of a kernel for arguments of these kinds; None where none was kept that verifies."""
    for where in dict.fromkeys((tiers.folder(), tiers.shipped() or tiers.folder())):
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


def is_bare(kernel: Kernel) -> bool:
    """Whether the kernel is to run as machine code that was kept, without Numba: where that is not loaded anyhow."""
    return "numba" not in sys.modules and not is_disabled() and _was_kept(kernel)


def is_disabled() -> bool:
    """Whether nothing is to be compiled, by Numba's own switch."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0").strip() not in {"", "0"}


def _was_kept(kernel: Kernel) -> bool:
    if kernel not in _FOUND:
        with contextlib.suppress(TypeError):
            tiers.recipe(kernel)  # ours, by name: Numba minds more than names
            if has_code(kept_name(kernel)):
                _FOUND.add(kernel)
    return kernel in _FOUND


def bare(kernel: Kernel, arguments: Sequence[Any]) -> Code | None:
    """The kernel as machine code that was kept for these arguments by address, where it is to run so."""
    if not is_bare(kernel):
        return None
    kinds = " ".join(sketch(argument, by_address=True) for argument in arguments)
    with _LOADING:  # an engine that another thread replaces would be gone, and with it code whose address is in use
        if (kernel, kinds) not in _BARE_CODES:
            _BARE_CODES[kernel, kinds] = loaded(kept_name(kernel), kinds)
        return _BARE_CODES[kernel, kinds]
