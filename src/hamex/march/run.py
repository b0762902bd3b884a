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
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial, wraps
from hashlib import sha256
from importlib import import_module
from itertools import count
from threading import RLock, get_ident
from types import FunctionType, SimpleNamespace
from typing import Any, TypeVar
from weakref import finalize

import numpy as np

from hamex.march import kept
from hamex.march.kept import INSTRUCTIONS, called_by, file_of, functions_of, kept_name, sources
from hamex.march.tables import Table

Kernel = Callable[..., Any]
Task = TypeVar("Task")
Result = TypeVar("Result")

WORTH_LOADING = 600_000  # steps of plain Python that take as long as loading Numba and a kernel
WORTH_COMPILING = 5_000_000  # steps of plain Python, all runs of this process together: about three seconds
_UNCOMPILED: dict[Kernel, float] = defaultdict(float)  # steps that ran without, in this process
FUNCTIONS: dict[int, Callable[..., Any]] = {}  # what the numbers mean in uncompiled runs
_NUMBER = count()
_NUMBERS: dict[Callable[..., Any], int] = {}
COMPILING: list[Callable[[float], object]] = []  # told the seconds it takes before a kernel is compiled, 0 after
_SAID: set[Kernel] = set()  # kernels of which the user was told
_LONGEST = 64  # characters of the name of a law in that of a kernel around it
_KEPT: dict[Kernel, list[Any]] = defaultdict(list)  # compiled functions whose addresses are in use must stay
_ONE_AT_A_TIME = RLock()
_PART = 500  # bytes of Python's code from which on a function is compiled by itself
_PARTS: dict[Kernel, dict[str, str]] = defaultdict(dict)  # their symbols by the kinds of their arguments
_DEPTH = 0  # of kernels that are being compiled
_PLAIN = {bool, float, int}
_FAILED: dict[int, BaseException] = {}  # by thread: what a function of Python raised below a kernel


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
    return kept.is_there(kept_name(kernel))


@cache
def can_compile() -> bool:
    """Whether Numba can be loaded, and compiles (``NUMBA_DISABLE_JIT=1`` lets it not); says where it is missing."""
    try:
        numba = import_module("numba")
        if not numba.config.DISABLE_JIT:
            import_module("hamex.march.compiler")  # Numba is to know all meanings before it compiles
    except (ImportError, OSError) as reason:  # a library of LLVM that does not load is an OSError
        kept.say(f"Numba cannot be loaded ({reason}); runs go on uncompiled, long ones a hundred times slower")
        return False
    return not numba.config.DISABLE_JIT


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
    """The kernel as machine code, for the arrays that it is called with; no fastmath, so that compiled and plain runs
    agree in every bit.

    Functions of this layer that the kernel calls are compiled with it: kernels stay plain Python with plain calls.
    """
    found: Kernel = _by_arrays(kernel)
    return found


@_once
def _by_arrays(kernel: Kernel) -> Kernel:
    if not can_compile():
        return kernel
    numba: Any = import_module("numba")
    ready, known = _ready(kernel), set()

    def machine(*arguments: Any) -> Any:
        given = [_one_kind(argument) for argument in arguments]
        alike = tuple(map(_alike, given))
        if alike not in known:
            with _ONE_AT_A_TIME:
                if alike not in known:
                    kinds = tuple(map(numba.typeof, given))
                    _kept(kernel, lambda cache: compile_for(kinds, cache))
                    known.add(alike)
        return machine.function(*given)  # type: ignore[attr-defined]

    def compile_for(kinds: Any, cache: bool) -> bool:
        if not hasattr(machine, "function"):
            machine.function = numba.njit(cache=cache, nogil=True, error_model="numpy")(ready)  # type: ignore[attr-defined]
        machine.function.compile(kinds)  # type: ignore[attr-defined]
        return bool(machine.function.stats.cache_hits.get(kinds))  # type: ignore[attr-defined]

    return machine


def _kept(kernel: Kernel, build: Callable[[bool], bool]) -> None:
    """Load or compile: ``build`` is told whether the disk has room for the code, and tells whether it was there."""
    global _DEPTH
    name, begun = kept_name(kernel), time.process_time()
    place = kept.place() if file_of(kernel) is not None else None  # what was typed in has no file
    known = place is not None and kept.verified(name, place) and _load_parts(kernel, kept.parts(name, place))
    if place is not None and not known:
        kept.forget(name, place)
    tells = not known and not _DEPTH  # with a kernel its parts are told
    _DEPTH += 1
    try:
        if tells:
            announce(kernel)
            for listener in COMPILING:
                listener(max(kept.seconds_of(kernel), 0.1))
        try:
            with kept.numba_keeps_in(place):
                there = build(place is not None)
        except OSError:  # no room
            there = build(False)
        if place is not None and not there:
            parts = [f"{kept_name(part)} {kinds}" for part in _parts_of(kernel) for kinds in _PARTS[part]]
            kept.seal(name, place, parts)
            kept.learn(name, time.process_time() - begun)
    finally:
        _DEPTH -= 1
        for listener in COMPILING if tells else ():
            listener(0.0)
    _KEPT[kernel] += []  # now it is known


@_once
def _ready(kernel: Kernel, inlines: bool = False, by_parts: bool = False) -> Kernel:
    """The kernel around compiled functions, under a name that changes with any source it depends on."""
    inlines = inlines or getattr(kernel, "inlines", False)
    called = {name: _inner(function, inlines, by_parts) for name, function in called_by(kernel).items()}
    instructions = {
        name: getattr(import_module(INSTRUCTIONS[function.__module__]), function.__name__, function)
        for name, function in functions_of(kernel).items()
        if function.__module__ in INSTRUCTIONS
    }
    twin = bound(kernel, {**called, **instructions})
    twin.__qualname__ += f"_{sources(kernel)}"
    return twin


@_once
def _inner(kernel: Kernel, inlines: bool, by_parts: bool) -> Kernel:
    """A function that compiled code alone calls: a part, or kept with its callers."""
    of_law = kernel.__module__.startswith("hamex.model.laws") or getattr(kernel, "is_law", False)
    if by_parts and not inlines and _is_part(kernel):
        from hamex.march.compiler import part

        _ready(kernel, False, True)  # Numba is to know all parts before it begins with one
        return part(kernel, partial(_part_for, kernel))
    numba: Any = import_module("numba")
    # Python never calls it: half of the compiler's time would go into the wrappers for that.
    bare = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    found: Kernel = numba.njit(error_model="numpy", forceinline=inlines and of_law, **bare)(
        _ready(kernel, inlines, by_parts)
    )
    return found


def _is_part(kernel: Kernel) -> bool:
    assert isinstance(kernel, FunctionType)
    returned = str(kernel.__annotations__.get("return"))
    return len(kernel.__code__.co_code) > _PART and returned in ("None", "bool", "int", "float")


def _part_for(kernel: Kernel, kinds: tuple[Any, ...]) -> str:
    """Compile a part for these kinds; its symbol."""
    from hamex.march.compiler import known_as

    text = ",".join(map(str, kinds))
    if text not in _PARTS[kernel]:
        symbol = f"{kept_name(kernel)}_{sha256(text.encode()).hexdigest()[:8]}"
        known_as(symbol, _address(kernel, kinds))
        _PARTS[kernel][text] = symbol
    return _PARTS[kernel][text]


def _load_parts(kernel: Kernel, parts: Sequence[str]) -> bool:
    """Load what code of a kernel depends on before that itself, which is kept with their symbols alone."""
    functions = {kept_name(part): part for part in _parts_of(kernel)}
    for part in parts:
        from hamex.march.compiler import KINDS

        name, _, text = part.partition(" ")
        if name not in functions or not all(kind in KINDS for kind in text.split(",")):
            return False
        _part_for(functions[name], tuple(KINDS[kind] for kind in text.split(",")))
    return True


def _parts_of(kernel: Kernel) -> Iterator[Kernel]:
    """Parts that a kernel calls, itself or by functions that are compiled with it."""
    for function in called_by(kernel).values():
        if _is_part(function):
            yield function
        else:
            yield from _parts_of(function)


def invoke(address: int, arguments: tuple[Any, ...]) -> Any:
    """Call a function by its number; compiled code calls its address, see :mod:`hamex.march.compiler`."""
    return FUNCTIONS[address](*arguments)


def at(array: Any, first: int) -> Any:
    """The array from an entry on; what is written to it is written to the array."""
    return array[first:]


def numbered(function: Callable[..., Any]) -> int:
    """The number of a function in uncompiled runs."""
    if function not in _NUMBERS:
        _NUMBERS[function] = next(_NUMBER)
        FUNCTIONS[_NUMBERS[function]] = function
    return _NUMBERS[function]


def place(kernel: Kernel, *given: Any, compile: bool) -> int:
    """What other kernels call a kernel by (:func:`invoke`), with arguments like those given: tables, flat arrays and
    numbers. Uncompiled its number, else its address."""
    if not (compile and can_compile()):
        return numbered(kernel)
    from hamex.march.compiler import kind_of

    return int(_address(kernel, tuple(map(kind_of, given))))


@_once
def _address(kernel: Kernel, kinds: tuple[Any, ...]) -> int:
    numba: Any = import_module("numba")
    ready, made = _ready(kernel, False, True), list[Any]()
    result = numba.void if kernel.__annotations__.get("return") == "None" else numba.float64

    def build(cache: bool) -> bool:
        made[:] = [numba.cfunc(result(*kinds), cache=cache, error_model="numpy")(ready)]
        return bool(made[0].cache_hits)

    _kept(kernel, build)
    _KEPT[kernel] += made
    return int(made[0].address)


def entered(kernel: Kernel, *given: Any, compile: bool) -> Kernel:
    """The kernel as Python calls it, with arguments like those given: tables, flat arrays and numbers."""
    if not (compile and can_compile()):
        return lambda *arguments: _uncompiled(kernel, arguments)
    from hamex.march.compiler import kind_of, prototype

    function = prototype(tuple(map(kind_of, given)))(place(kernel, *given, compile=True))

    def call(*arguments: Any) -> Any:
        result = function(*map(_word, arguments))
        if get_ident() in _FAILED:
            raise _FAILED.pop(get_ident())
        return result

    return call


def _uncompiled(kernel: Kernel, arguments: tuple[Any, ...]) -> Any:
    """Call a kernel on views of memory, whose entries are Python's own numbers: those of NumPy take twice as long. But
    what divides by zero is called again on NumPy's, which go on with infinity as compiled code does."""
    arrays = [x for one in arguments for x in (one.arrays if isinstance(one, Table) else [one])]
    before = [(x, x.copy()) for x in arrays if isinstance(x, np.ndarray) and x.flags.writeable]
    try:
        return kernel(*map(_plain, arguments))
    except ArithmeticError:
        for array, values in before:
            array[...] = values
        with np.errstate(all="ignore"):
            return kernel(*(one.arrays if isinstance(one, Table) else one for one in arguments))


def _plain(value: Any) -> Any:
    if isinstance(value, Table):
        return [_plain(array) for array in value.arrays]
    return memoryview(value.data) if isinstance(value, np.ndarray) else value


def _word(value: Any) -> Any:
    """What compiled code is given for an argument."""
    if isinstance(value, np.ndarray):
        return value.__array_interface__["data"][0]
    return value.address if isinstance(value, Table) else value


class Callback:
    """A function of Python that kernels call by ``address``, as a sparse solver, for as long as this object is kept.

    Compiled kernels hand it addresses for arrays. An error in it is raised when the kernel comes back, and until then
    it answers 1.
    """

    def __init__(self, function: Callable[..., Any], *given: Any, compile: bool) -> None:
        if not (compile and can_compile()):
            self.address = next(_NUMBER)
            FUNCTIONS[self.address] = function
            finalize(self, FUNCTIONS.pop, self.address)
            return
        from hamex.march.compiler import kind_of, prototype

        def guarded(*arguments: Any) -> float:
            if get_ident() not in _FAILED:
                try:
                    return float(function(*arguments))
                except BaseException as problem:
                    _FAILED[get_ident()] = problem
            return 1.0

        self._held = prototype(tuple(map(kind_of, given)))(guarded)
        self.address = ctypes.cast(self._held, ctypes.c_void_p).value or 0


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
        return int(compiled(kernel)(*inputs, *outputs))
    # Plain floats in lists are three times faster to index than NumPy scalars.
    lists = [out.tolist() for out in outputs]
    code = kernel(*(x.tolist() if isinstance(x, np.ndarray) else x for x in inputs), *lists)
    for out, values in zip(outputs, lists, strict=True):
        out[:] = values
    return int(code)


def _alike(value: Any) -> Any:
    """What arguments of one kind have in common; the compiler's own answer takes a tenth of a short run."""
    if isinstance(value, np.ndarray):
        return value.dtype.char, value.ndim, value.flags.c_contiguous
    if isinstance(value, tuple):
        kinds = tuple(map(type, value))
        return type(value), kinds if _PLAIN.issuperset(kinds) else tuple(map(_alike, value))
    return type(value)


def _one_kind(value: Any) -> Any:
    """Arrays as if Python might write to them: a kernel writes to its outputs only, and is not compiled for both."""
    if isinstance(value, tuple) and not _PLAIN.issuperset(map(type, value)):
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
