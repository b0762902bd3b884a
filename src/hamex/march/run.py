"""Run a kernel compiled or not: the same function, the same bits; many of them in threads.

Loading Numba costs a third of a second and compiling a kernel some seconds; a step of an oscillator as plain Python on
lists costs well under a microsecond. Work is counted in such steps, kernel by kernel in each process. Below
``WORTH_LOADING`` a kernel runs as plain Python, unless Numba is loaded and the kernel was compiled before. Beyond that
what was compiled before is loaded. Beyond ``WORTH_COMPILING`` a kernel is compiled, after one sentence that says how
long that takes; a kernel and what it calls by address, the laws of its springs, have one answer. The choice is made
when a run is prepared and holds to its end. ``benchmarks/threshold.py`` measures the break-even.

A function that is chosen at run time is called by :func:`invoke`: by its number uncompiled, by its machine address
compiled. Where Numba cannot be loaded (:func:`can_compile`), every kernel runs as the plain Python that it is.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial, wraps
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from threading import RLock
from types import FunctionType, SimpleNamespace
from typing import Any, TypeVar

import numpy as np

from hamex.march import kept
from hamex.march.kept import INSTRUCTIONS, called_by, file_of, functions_of, kept_name, sources

Kernel = Callable[..., Any]
Task = TypeVar("Task")
Result = TypeVar("Result")

WORTH_LOADING = 600_000  # steps of plain Python that take as long as loading Numba and a kernel
WORTH_COMPILING = 5_000_000  # steps of plain Python, all runs of this process together: about three seconds
_UNCOMPILED: dict[Kernel, float] = defaultdict(float)  # steps that ran without, in this process
FUNCTIONS: list[Callable[..., Any]] = []  # what the numbers mean in uncompiled runs
_NUMBERS: dict[Callable[..., Any], int] = {}
COMPILING: list[Callable[[float], object]] = []  # told the seconds it takes before a kernel is compiled, 0 after
_SAID: set[Kernel] = set()  # kernels of which the user was told
_LONGEST = 64  # characters of the name of a law in that of a kernel around it
_KEPT: dict[Kernel, list[Any]] = defaultdict(list)  # compiled functions whose addresses are in use must stay
_ONE_AT_A_TIME = RLock()
# Python never calls what another kernel calls, nor what is called by its address: half of the compiler's time goes into
# the wrappers that it would need for that.
_BARE = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


# Whether to compile ---------------------------------------------------------------------------------------------


def worth_compiling(steps: float, *kernels: Kernel) -> bool:
    """True when compiled code costs less than it saves, with what it takes to load and to compile it.

    ``kernels`` are the march and what it calls by address: the one that ran least without the compiler decides.
    """
    ran = min(_UNCOMPILED[kernel] for kernel in kernels) + steps
    loads = "numba" in sys.modules or ran >= WORTH_LOADING
    if loads and all(map(_at_hand, kernels)):
        return True
    if ran >= WORTH_COMPILING and can_compile():
        announce(*(kernel for kernel in kernels if not _at_hand(kernel)))
        return True
    for kernel in kernels:
        _UNCOMPILED[kernel] += steps
    return False


def _at_hand(kernel: Kernel) -> bool:
    """Whether this process or one before it compiled the kernel; without loading Numba where none has."""
    if kernel in _KEPT:
        return True
    if "numba" not in sys.modules and kept_name(kernel) not in dict(kept.times()):
        return False
    if not can_compile():
        return False
    machine = _by_numba(kernel)
    cache = getattr(machine, "_cache", None)
    return bool(getattr(machine, "overloads", True)) or bool(getattr(cache, "is_there", bool)())


@cache
def can_compile() -> bool:
    """Whether Numba can be loaded, and compiles (``NUMBA_DISABLE_JIT=1`` lets it not); says where it is missing."""
    try:
        numba = import_module("numba")
    except (ImportError, OSError) as reason:  # a library of LLVM that does not load is an OSError
        kept.say(f"Numba cannot be loaded ({reason}); runs go on uncompiled, long ones a hundred times slower")
        return False
    return not numba.config.DISABLE_JIT


def may_compile() -> bool:
    """Whether Numba seems to be there, without loading it."""
    if "numba" in sys.modules:
        return can_compile()
    return os.environ.get("NUMBA_DISABLE_JIT", "0").strip() in {"", "0"} and _is_installed()


@cache
def _is_installed() -> bool:
    return find_spec("numba") is not None


@contextmanager
def compiling_at_once() -> Iterator[None]:
    """Everything that runs meanwhile is compiled before, however short it is."""
    global WORTH_COMPILING
    usual, WORTH_COMPILING = WORTH_COMPILING, 0
    try:
        yield
    finally:
        WORTH_COMPILING = usual


@contextmanager
def told(listener: Callable[[float], object] | None) -> Iterator[None]:
    """Tell a listener, instead of the user, the seconds that a kernel will take before it is compiled, and 0 after."""
    if listener is None:
        yield
        return
    COMPILING.append(listener)
    try:
        yield
    finally:
        COMPILING.remove(listener)


def announce(*kernels: Kernel) -> None:
    """Say once that kernels will be compiled, where that takes a second or more and nothing else shows it."""
    new = [kernel for kernel in kernels if kernel not in _SAID]
    _SAID.update(new)
    seconds = sum(map(kept.seconds_of, new))
    if seconds >= 1 and not COMPILING:
        kept.say(f"compiling, about {seconds:.0f} s; it is kept for later runs")


# Kernels as machine code ----------------------------------------------------------------------------------------


def _once(build: Callable[..., Any]) -> Any:
    """A cache that builds one thing at a time: a thread that asks for what another one compiles waits for that, and one
    that asks for what is there does not."""
    known: dict[tuple[Any, ...], Any] = {}

    @wraps(build)
    def found(*arguments: Any) -> Any:
        if arguments not in known:
            with _ONE_AT_A_TIME:
                if arguments not in known:
                    known[arguments] = build(*arguments)
        return known[arguments]

    found.cache_clear = known.clear  # type: ignore[attr-defined]
    return found


def compiled(kernel: Kernel) -> Kernel:
    """The kernel as machine code; no fastmath, so that compiled and plain runs agree in every bit.

    Functions of this layer that the kernel calls are compiled with it: kernels stay plain Python with plain calls.
    """
    found: Kernel = _by_numba(kernel)
    return found


@_once
def _by_numba(kernel: Kernel) -> Kernel:
    if not can_compile():
        return kernel
    numba: Any = import_module("numba")

    ready = _ready(kernel)
    if getattr(kernel, "inlines", False):
        from hamex.march.compiler import WHOLE

        WHOLE.add(ready.__qualname__)
    return _kept(kernel, numba.njit(**_options(kernel), no_cfunc_wrapper=True)(ready))


def _options(kernel: Kernel) -> dict[str, Any]:
    # What makes no arrays needs no counts of references, which are a sixth of the compiler's work; where it makes one
    # all the same, the compiler says so.
    return {"nogil": True, "error_model": "numpy", "_nrt": _allocates(kernel)}


def _kept(kernel: Kernel, machine: Any) -> Any:
    from hamex.march.compiler import keep

    def tell(starts: bool) -> None:
        if starts:
            announce(kernel)
        for listener in COMPILING:
            listener(max(kept.seconds_of(kernel), 0.1) if starts else 0.0)

    # Code that was typed in has no file, and nothing to keep compiled code beside.
    return keep(machine, tell) if file_of(kernel) is not None and hasattr(machine, "py_func") else machine


def _allocates(kernel: Kernel) -> bool:
    """Whether the kernel may make arrays: laws of others may; ours say it by these names."""
    assert isinstance(kernel, FunctionType)
    return (
        not kernel.__module__.startswith("hamex.")
        or not {"empty", "copy"}.isdisjoint(kernel.__code__.co_names)
        or any(_allocates(function) for function in called_by(kernel).values())
    )


def _ready(kernel: Kernel) -> Kernel:
    """The kernel around compiled functions, under a name that changes with any source it depends on."""
    called = {name: _inner(function) for name, function in called_by(kernel).items()}
    instructions = {
        name: getattr(import_module(INSTRUCTIONS[function.__module__]), function.__name__, function)
        for name, function in functions_of(kernel).items()
        if function.__module__ in INSTRUCTIONS
    }
    twin = bound(kernel, {**called, **instructions})
    twin.__qualname__ += f"_{sources(kernel)}"
    return twin


@_once
def _inner(kernel: Kernel) -> Kernel:
    """A function that compiled code alone calls; it is kept with its callers."""
    numba: Any = import_module("numba")

    from hamex.march.compiler import linked, returned

    if kernel.__module__.startswith("hamex.") and returned(kernel) is not None:
        return linked(_ready(kernel))
    return numba.njit(nogil=True, error_model="numpy", **_BARE)(_ready(kernel))


def invoke(address: int, arguments: tuple[Any, ...]) -> Any:
    """Call a function by its number; compiled code calls its address, see :mod:`hamex.march.compiler`."""
    return FUNCTIONS[address](*arguments)


def numbered(function: Callable[..., Any]) -> int:
    """The number of a function in uncompiled runs."""
    if function not in _NUMBERS:
        _NUMBERS[function] = len(FUNCTIONS)
        FUNCTIONS.append(function)
    return _NUMBERS[function]


def place(kernel: Kernel, *arguments: Any, compile: bool) -> int:
    """What a kernel is called by: its address, or uncompiled its number."""
    return address(kernel, *arguments) if compile else numbered(kernel)


def address(kernel: Kernel, *arguments: Any) -> int:
    """Machine address of the kernel compiled for these arguments, for :func:`hamex.march.run.invoke`."""
    if not can_compile():
        return numbered(kernel)
    from hamex.march.compiler import kind_of

    return int(_address(kernel, tuple(kind_of(argument) for argument in arguments)))


def called(kernel: Kernel, *arguments: Any) -> Kernel:
    """The kernel at its address as Python calls it, with what others compiled for these arguments."""
    return _through(address(kernel, *arguments)) if can_compile() else kernel


@cache
def _through(address: int) -> Kernel:
    return partial(compiled(through), address)


def through(address: int, *arguments: Any) -> Any:
    """Call the function at an address."""
    return invoke(address, arguments)


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
        elif name == "_numba_type_":
            from hamex.march.compiler import struct_of

            value = struct_of(self.fields)
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


def held(value: Any) -> Any:
    """What a compiled kernel is given: a named tuple by one pointer, to be kept as long as it is used; else itself."""
    return Held(value) if hasattr(value, "_fields") and may_compile() else value


def as_it_is(value: Any) -> Any:
    """What an uncompiled kernel is given."""
    return value


@_once
def _address(kernel: Kernel, kinds: tuple[Any, ...]) -> int:
    numba: Any = import_module("numba")

    machine = _kept(kernel, numba.njit(**_options(kernel), **_BARE)(_ready(kernel)))
    machine.compile(numba.types.float64(*kinds))
    machine.disable_compile()
    _KEPT[kernel].append(machine)
    overload = machine.overloads[kinds]
    return int(overload.library.get_pointer_to_function(overload.fndesc.llvm_func_name))


@cache
def settled(kernel: Kernel, **constants: Any) -> Kernel:
    """The kernel with some of its module's constants settled anew, itself and what it calls; not compiled yet."""
    called = {name: settled(function, **constants) for name, function in called_by(kernel).items()}
    twin = bound(kernel, {**called, **constants})
    twin.__qualname__ += "".join(f"_{name}{value}" for name, value in sorted(constants.items()))
    return twin


def bound(kernel: Kernel, replaced: Mapping[str, Any]) -> Kernel:
    """The same function with other meanings for some of the global names it uses."""
    assert isinstance(kernel, FunctionType)
    twin = FunctionType(kernel.__code__, {**kernel.__globals__, **replaced}, kernel.__name__, kernel.__defaults__)
    twin.__qualname__, twin.__module__ = kernel.__qualname__, kernel.__module__
    twin.__annotations__ = kernel.__annotations__
    twin.is_law = getattr(kernel, "is_law", False)  # type: ignore[attr-defined]
    return twin


@cache
def around_law(kernel: Kernel, name: str, law: Kernel, inlines: bool = False) -> Kernel:
    """A loop over springs around the law of one spring, which it knows as ``name``.

    ``inlines``: all functions of the law, and loops around it in this loop, become part of it, where the numbers of its
    one spring stand at known places. That takes the compiler some seconds more, and a half off the time of a step.
    """
    law.is_law = True  # type: ignore[attr-defined]
    twin = bound(kernel, {name: law})
    twin.inlines = inlines  # type: ignore[attr-defined]
    twin.__qualname__ += f"_{_short(f'{law.__module__}_{law.__qualname__}'.replace('.', '_'))}"
    return twin


def _short(name: str) -> str:
    """A name that files can have, where functions stand around functions around a law."""
    return name if len(name) <= _LONGEST else f"{sha256(name.encode()).hexdigest()[:12]}_{name[-_LONGEST // 2 :]}"


def interpreted(kernel: Kernel, replaced: Mapping[str, Kernel]) -> Kernel:
    """The kernel as plain Python around other functions, e.g. a sparse solver; what does not call them is compiled."""
    called = {name: _around(function, replaced) for name, function in called_by(kernel).items()}
    return bound(kernel, {**called, **replaced})


def _around(function: Kernel, replaced: Mapping[str, Kernel]) -> Kernel:
    return interpreted(function, replaced) if _reaches(function, replaced) else compiled(function)


def _reaches(function: Kernel, names: Mapping[str, Kernel]) -> bool:
    assert isinstance(function, FunctionType)
    return any(name in names for name in function.__code__.co_names) or any(
        _reaches(called, names) for called in called_by(function).values()
    )


def march(
    kernel: Kernel,
    inputs: Sequence[Any],
    outputs: Sequence[np.ndarray[Any, Any]],
    steps: int,
    compile: bool | None = None,
) -> int:
    """Call ``kernel(*inputs, *outputs)``, filling the output arrays in place; returns its code.

    ``compile`` forces the choice (tests compare both); None decides by ``steps``.
    """
    if compile is None:
        compile = worth_compiling(steps, kernel)
    if compile:
        return int(compiled(kernel)(*map(_one_kind, inputs), *outputs))
    # Plain floats in lists are three times faster to index than NumPy scalars.
    lists = [out.tolist() for out in outputs]
    code = kernel(*(x.tolist() if isinstance(x, np.ndarray) else x for x in inputs), *lists)
    for out, values in zip(outputs, lists, strict=True):
        out[:] = values
    return int(code)


def _one_kind(value: Any) -> Any:
    """Arrays as if Python might write to them: a kernel writes to its outputs only, and is not compiled for both."""
    if isinstance(value, tuple):
        given = map(_one_kind, value)
        return value._make(given) if hasattr(value, "_make") else tuple(given)
    if not isinstance(value, np.ndarray) or value.flags.writeable:
        return value
    seen = value.__array_interface__
    return np.asarray(SimpleNamespace(__array_interface__={**seen, "data": (seen["data"][0], False)}))


def processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@cache
def vector_bytes() -> int:
    """Size of the processor's vectors; that of AVX2 where it cannot be asked."""
    try:
        features = import_module("llvmlite.binding").get_host_cpu_features()
    except (ImportError, OSError, RuntimeError):
        return 32
    return 64 if features.get("avx512f") and features.get("avx512vl") else 32


def in_threads(go: Callable[[Task], Result], tasks: Sequence[Task], threads: int) -> list[Result]:
    """What comes of all tasks, in their order; the first error stops those that have not begun."""
    if threads == 1 or len(tasks) == 1:
        return [go(task) for task in tasks]
    from concurrent.futures import ThreadPoolExecutor  # ten milliseconds that one run should not pay

    with ThreadPoolExecutor(threads) as pool:
        try:
            return list(pool.map(go, tasks))
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise
