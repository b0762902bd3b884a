"""Run a kernel compiled or not: the same function, the same bits; many of them in threads.

Importing Numba and loading a kernel that was kept costs about half a second, compiling one some seconds; an uncompiled
step costs well under a microsecond on lists. Below ``WORTH_COMPILING`` steps the kernel therefore runs as plain Python,
unless Numba is loaded already. Where its machine code was kept by itself (:func:`hamex.march.loaded`), a process
that has not loaded Numba does without, from ``WORTH_LOADING`` steps on: the same code, the same bits. A kernel that is
not there yet is ordered (:mod:`hamex.march.tiers`): another process compiles it, and the run goes on without, until the
compiled one is there at the beginning of a block, or to its end. Where no other process may, it is compiled here, when
what ran without it would have paid for that: ``FIRST_TIME`` times as many steps, or what compiling took the last time.
So it is with what a kernel calls by address, the laws of its springs. ``benchmarks/threshold.py`` measures the
break-even.

A function that is chosen at run time is called by :func:`invoke`: by its number uncompiled, by its machine address
compiled. Where Numba cannot be loaded (:func:`can_compile`), every kernel runs as the plain Python that it is.
"""

from __future__ import annotations

import math
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from types import FunctionType, SimpleNamespace
from typing import Any, TypeVar

import numpy as np

from hamex.march import tiers
from hamex.march.bare import (
    INSTRUCTIONS,
    Held,
    bare,
    called_by,
    file_of,
    functions_of,
    is_bare,
    is_disabled,
    kept_name,
    loaded,
    runs_here,
    sketch,
    sources,
    token,
)

Kernel = Callable[..., Any]
Task = TypeVar("Task")
Result = TypeVar("Result")

WORTH_COMPILING = 600_000  # steps; CPU of a fresh process: 0.8 s either way
WORTH_LOADING = 100_000  # the same where machine code was kept that runs without Numba
WORTH_LINKING = 1_000  # the same where other such code runs already
FIRST_TIME = 5  # times that, for a kernel that no run has compiled before
_LATE = 4  # times its price, after which a run no longer waits for what was ordered
_UNCOMPILED: dict[Kernel, float] = defaultdict(float)  # steps that ran without, in this process
_WANTED: set[Kernel] = set()  # what runs lack and another process may compile
_ORDERED: set[tuple[Kernel, bool]] = set()  # of these, and whether by address
_AWAITED: dict[tuple[Kernel, ...], int] = {}  # what runs wait for, and how many kernels had been kept when they began
_ARRIVED: list[tuple[Kernel, ...]] = []  # what came
FUNCTIONS: list[Callable[..., Any]] = []  # what the numbers mean in uncompiled runs
_NUMBERS: dict[Callable[..., Any], int] = {}
COMPILING: list[Callable[[float], object]] = []  # told the seconds it takes before a kernel is compiled, 0 after
_LONGEST = 64  # characters of the name of a law in that of a kernel around it
_KEPT: dict[Kernel, list[Any]] = defaultdict(list)  # compiled functions whose addresses are in use must stay
_TRIED: list[bool] = []  # whether Numba was to be loaded
# Python never calls what another kernel calls, nor what is called by its address: half of the compiler's time goes into
# the wrappers that it would need for that.
_BARE = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


@cache
def can_compile() -> bool:
    """Whether Numba can be loaded, and compiles (``NUMBA_DISABLE_JIT=1`` lets it not)."""
    _TRIED.append(True)
    try:
        numba = import_module("numba")
    except (ImportError, OSError):  # a library of LLVM that does not load is an OSError
        return False
    return not numba.config.DISABLE_JIT


def may_compile() -> bool:
    """Whether Numba seems to be there, without loading it."""
    return can_compile() if "numba" in sys.modules or _TRIED else not is_disabled() and _is_installed()


@cache
def _is_installed() -> bool:
    return find_spec("numba") is not None


@cache
def compiled(kernel: Kernel) -> Kernel:
    """The kernel as machine code; no fastmath, so that compiled and plain runs agree in every bit.

    Functions of this layer that the kernel calls are compiled with it: kernels stay plain Python with plain calls.
    """
    return _without_numba(kernel) if is_bare(kernel) else _by_numba(kernel)


@cache
def _by_numba(kernel: Kernel) -> Kernel:
    if not can_compile():
        return kernel
    numba: Any = import_module("numba")

    ready = _ready(kernel)
    if getattr(kernel, "inlines", False):
        from hamex.march.compiler import WHOLE

        WHOLE.add(ready.__qualname__)
    return _kept(kernel, numba.njit(**_options(kernel), no_cfunc_wrapper=True)(ready))


def _without_numba(kernel: Kernel) -> Kernel:
    """The kernel as machine code that was kept; for arguments of other kinds as Numba makes it."""
    name, codes = kept_name(kernel), dict[Any, Kernel]()

    def call(*arguments: Any) -> Any:
        kinds = tuple([token(value) for value in arguments])
        if kinds not in codes:
            try:
                found: Kernel | None = loaded(name, " ".join(map(sketch, arguments)))
            except TypeError:
                found = None
            codes[kinds] = found or _by_numba(kernel)
        return codes[kinds](*arguments)

    return call


def _options(kernel: Kernel) -> dict[str, Any]:
    # What makes no arrays needs no counts of references, which are a sixth of the compiler's work; where it makes one
    # all the same, the compiler says so.
    return {"nogil": True, "error_model": "numpy", "_nrt": _allocates(kernel)}


def _kept(kernel: Kernel, machine: Any) -> Any:
    from hamex.march.compiler import keep

    # Code that was typed in has no file, and nothing to keep compiled code beside.
    return keep(machine, _tell) if file_of(kernel) is not None and hasattr(machine, "py_func") else machine


def _tell(seconds: float) -> None:
    if not COMPILING:
        tiers.say(seconds)
    for listener in COMPILING:
        listener(seconds)


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


@cache
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
    if compile:
        return address(kernel, *arguments)
    _order(kernel, arguments, by_address=True)
    return numbered(kernel)


def address(kernel: Kernel, *arguments: Any) -> int:
    """Machine address of the kernel compiled for these arguments, for :func:`hamex.march.run.invoke`."""
    code = bare(kernel, arguments)
    if code is not None:
        return code.address
    if not can_compile():
        return numbered(kernel)
    from hamex.march.compiler import kind_of

    return _address(kernel, tuple(kind_of(argument) for argument in arguments))


def called(kernel: Kernel, *arguments: Any) -> Kernel:
    """The kernel at its address as Python calls it, with what others compiled for these arguments."""
    code = bare(kernel, arguments)
    if code is not None:
        return code
    return _through(address(kernel, *arguments)) if can_compile() else kernel


@cache
def _through(address: int) -> Kernel:
    return partial(compiled(through), address)


def through(address: int, *arguments: Any) -> Any:
    """Call the function at an address."""
    return invoke(address, arguments)


def held(value: Any) -> Any:
    """What a compiled kernel is given: a named tuple by one pointer, to be kept as long as it is used; else itself."""
    return Held(value) if hasattr(value, "_fields") and may_compile() else value


def as_it_is(value: Any) -> Any:
    """What an uncompiled kernel is given."""
    return value


@cache
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
    _note(twin, lambda: {"settled": tiers.recipe(kernel), "constants": constants})
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
    _note(twin, lambda: {"around": tiers.recipe(law), "kernel": tiers.recipe(kernel), "name": name, "inlines": inlines})
    return twin


def _note(twin: Kernel, recipe: Callable[[], dict[str, Any]]) -> None:
    """Note how a kernel is built again; nothing where it stands around what has no name that others find."""
    with suppress(TypeError):
        twin.recipe = recipe()  # type: ignore[attr-defined]


def _built(recipe: Any) -> Kernel:
    """The kernel of a recipe."""
    if isinstance(recipe, str):
        found: Kernel = tiers.found_by(recipe)
        return found
    if "settled" in recipe:
        return settled(_built(recipe["settled"]), **recipe["constants"])
    return around_law(_built(recipe["kernel"]), recipe["name"], _built(recipe["around"]), recipe["inlines"])


def _short(name: str) -> str:
    """A name that files can have, where functions stand around functions around a law."""
    from hashlib import sha256

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
        compile = worth_compiling(steps, kernel, waits=False)
    if compile:
        return int(compiled(kernel)(*map(_one_kind, inputs), *outputs))
    if kernel in _WANTED:
        _order(kernel, (*map(_one_kind, inputs), *outputs))
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


def worth_compiling(steps: float, *kernels: Kernel, waits: bool = True) -> bool:
    """True when compiled code costs less than it saves, with what it takes to load and to compile it.

    ``kernels`` are the march and what it calls by address: the one that ran least without the compiler decides.
    ``waits``: the run can change to compiled code on its way, so that another process compiles what it lacks.
    """
    before = min(_UNCOMPILED[kernel] for kernel in kernels)
    ran = before + steps
    loads = "numba" in sys.modules or ran >= WORTH_COMPILING
    least = WORTH_LINKING if "llvmlite.binding" in sys.modules else WORTH_LOADING
    loads = loads or (math.inf > WORTH_COMPILING and ran >= least and all(map(is_bare, kernels)))
    missing = tuple(kernel for kernel in kernels if not _at_hand(kernel)) if loads else kernels
    if not missing:
        return True
    for kernel in kernels:
        _UNCOMPILED[kernel] += steps
    if ran >= worth_ordering() > 0 and _can_order(missing):
        _WANTED.update(missing)
        if waits:
            _AWAITED.setdefault(missing, len(tiers.lines()))
            ran = before / _LATE
    return loads and ran >= sum(map(_price, missing)) and can_compile()


def worth_ordering() -> int:
    """Steps from which on another process compiles what a run lacks: those for which the next run would load it."""
    return min(WORTH_COMPILING, WORTH_LOADING) if runs_here() else WORTH_COMPILING


@contextmanager
def compiling_at_once() -> Iterator[None]:
    """Everything that runs meanwhile is compiled before, however short it is."""
    global WORTH_COMPILING
    usual, WORTH_COMPILING = WORTH_COMPILING, 0
    try:
        yield
    finally:
        WORTH_COMPILING = usual


def _price(kernel: Kernel) -> float:
    """What compiling costs, in steps."""
    return FIRST_TIME * WORTH_COMPILING * tiers.seconds_of(kept_name(kernel)) / tiers.GUESS


def _at_hand(kernel: Kernel) -> bool:
    """Whether this process or one before it compiled the kernel; without loading Numba where none has."""
    if kernel in _KEPT or is_bare(kernel):
        return True
    if "numba" not in sys.modules and kept_name(kernel) not in dict(tiers.lines()):
        return False
    if not can_compile():
        return False
    machine = _by_numba(kernel)
    kept = getattr(machine, "_cache", None)
    return bool(getattr(machine, "overloads", True)) or bool(getattr(kept, "is_there", bool)())


# Kernels that another process compiles ----------------------------------------------------------------------------


def _can_order(kernels: Sequence[Kernel]) -> bool:
    """Whether another process may compile these and can: it builds what is ours by name, and runs no code of users."""
    try:
        named = all(tiers.recipe(kernel) and tiers.seconds_of(kept_name(kernel)) < math.inf for kernel in kernels)
    except TypeError:
        return False
    return named and find_spec("numba") is not None and tiers.may_start(processors())


def awaited(kernel: Kernel, by_pointer: tiers.Tuples = ()) -> Kernel:
    """The kernel as plain Python, which is ordered at its first call where a run lacks it.

    ``by_pointer``: which named tuples it takes so when compiled (:func:`held`); ``tuple`` for all.
    """

    def plain(*arguments: Any) -> Any:
        _order(kernel, arguments, by_pointer=by_pointer)
        return kernel(*arguments)

    return plain


def fuses(steps: float, *kernels: Kernel) -> bool:
    """Whether kernels that fuse products when compiled are to run so: the last digits of the two differ.

    Where nothing is to be compiled ahead they always are, so that digits depend on nothing but the machine.
    """
    return tiers.is_off() or worth_compiling(steps, *kernels, waits=False)


def _order(kernel: Kernel, arguments: Sequence[Any], by_pointer: tiers.Tuples = (), by_address: bool = False) -> None:
    if kernel not in _WANTED or (kernel, by_address) in _ORDERED:
        return
    _ORDERED.add((kernel, by_address))
    with suppress(TypeError):
        kinds = [tiers.described(argument, tuple if by_address else by_pointer) for argument in arguments]
        tiers.order({"kernel": tiers.recipe(kernel), "kinds": kinds, "by_address": by_address})


def waiting() -> bool:
    """Whether some run of this process waits for kernels that another process compiles."""
    return bool(_AWAITED)


def arrivals() -> int:
    """How often all kernels that a run waited for have come, in this process."""
    for kernels, at in list(_AWAITED.items()):
        if {kept_name(kernel) for kernel in kernels} <= {name for name, _ in tiers.lines()[at:]}:
            _AWAITED.pop(kernels, None)
            _ARRIVED.append(kernels)
    return len(_ARRIVED)


def compile_orders() -> None:
    """Compile what runs of other processes ordered, until nothing is left."""
    lock, some = tiers.Lock("child"), can_compile()  # else orders wait until Numba can be loaded
    # Who ordered while the last one was looked for saw a lock: so look again when it was given back.
    while some and lock.take():
        some = False
        try:
            for job in tiers.orders():
                _compile(job)
                lock.touch()
                some = True
        finally:
            lock.give()


def _compile(job: dict[str, Any]) -> None:
    """Compile what one order names; what cannot be compiled is not ordered again."""
    try:
        kernel, values = _built(job["kernel"]), [tiers.example(kind) for kind in job["kinds"]]
        name, before = kept_name(kernel), len(tiers.lines())
    except Exception:  # of another edition of this package
        return
    try:
        if job["by_address"]:
            address(kernel, *values)
        else:
            numba: Any = import_module("numba")
            given = zip(values, job["kinds"], strict=True)
            hands = [held(value) if kind[0] == "held" else value for value, kind in given]
            _by_numba(kernel).compile(tuple(map(numba.typeof, hands)))  # type: ignore[attr-defined]
    except (OSError, MemoryError):  # of this hour, not of the kernel
        return
    except Exception:
        tiers.learn(name, math.inf)
    if name not in dict(tiers.lines()[before:]):  # it was there, for whoever waits
        tiers.learn(name, tiers.seconds_of(name))


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
