"""Run a kernel compiled or not: the same function, the same bits.

Importing Numba and loading a cached kernel costs about half a second; an uncompiled step costs well
under a microsecond on lists. Below ``WORTH_COMPILING`` steps the kernel therefore runs as plain
Python, unless Numba is loaded already. ``benchmarks/threshold.py`` measures the break-even.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import FunctionType
from typing import Any

import numpy as np

Kernel = Callable[..., Any]

_LANES = "hamex.march.lanes"    # its functions mean machine instructions, see hamex.march.vector
WORTH_COMPILING = 600_000  # steps; CPU of a fresh process: 0.8 s either way


@cache
def compiled(kernel: Kernel) -> Kernel:
    """The kernel as machine code; no fastmath, so that compiled and plain runs agree in every bit.

    Functions of this layer that the kernel calls are compiled with it: kernels stay plain Python with plain calls.
    """
    import numba

    called = {name: compiled(function) for name, function in _called(kernel).items()}
    lanes = _uses_lanes(kernel)
    if lanes:
        import hamex.march.vector  # noqa: F401  (tells numba what lanes are)
    if called or lanes:
        kernel = bound(kernel, called)
        kernel.__qualname__ += f"_{_sources()}"
    return numba.njit(cache=True, nogil=True, error_model="numpy")(kernel)


@cache
def settled(kernel: Kernel, **constants: Any) -> Kernel:
    """The kernel with some of its module's constants settled anew, itself and what it calls; not compiled yet."""
    called = {name: settled(function, **constants) for name, function in _called(kernel).items()}
    twin = bound(kernel, {**called, **constants})
    twin.__qualname__ += "".join(f"_{name}{value}" for name, value in sorted(constants.items()))
    return twin


@cache
def _sources() -> str:
    """Digest of this layer: Numba's cache minds the file that a kernel stands in, not the files of what it calls."""
    from hashlib import sha256
    from pathlib import Path

    files = sorted(Path(__file__).parent.glob("*.py"))
    return sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:12]


def bound(kernel: Kernel, replaced: Mapping[str, Any]) -> Kernel:
    """The same function with other meanings for some of the global names it uses."""
    assert isinstance(kernel, FunctionType)
    twin = FunctionType(kernel.__code__, {**kernel.__globals__, **replaced}, kernel.__name__, kernel.__defaults__)
    twin.__qualname__, twin.__module__ = kernel.__qualname__, kernel.__module__
    return twin


def interpreted(kernel: Kernel, replaced: Mapping[str, Kernel]) -> Kernel:
    """The kernel as plain Python around other functions, e.g. a sparse solver; what does not call them is compiled."""
    called = {name: replaced.get(name) or _around(function, replaced) for name, function in _called(kernel).items()}
    return bound(kernel, called)


def _around(function: Kernel, replaced: Mapping[str, Kernel]) -> Kernel:
    return interpreted(function, replaced) if _reaches(function, replaced) else compiled(function)


def _reaches(function: Kernel, names: Mapping[str, Kernel]) -> bool:
    return any(name in names or _reaches(called, names) for name, called in _called(function).items())


def _called(kernel: Kernel) -> dict[str, Kernel]:
    assert isinstance(kernel, FunctionType)
    names = {name: kernel.__globals__.get(name) for name in kernel.__code__.co_names}
    return {name: function for name, function in names.items()
            if isinstance(function, FunctionType) and function.__module__.startswith("hamex.march")
            and function.__module__ != _LANES}


def _uses_lanes(kernel: Kernel) -> bool:
    assert isinstance(kernel, FunctionType)
    return any(getattr(kernel.__globals__.get(name), "__module__", None) == _LANES for name in kernel.__code__.co_names)


def march(kernel: Kernel, inputs: Sequence[Any], outputs: Sequence[np.ndarray[Any, Any]], steps: int,
          compile: bool | None = None) -> int:
    """Call ``kernel(*inputs, *outputs)``, filling the output arrays in place; returns its code.

    ``compile`` forces the choice (tests compare both); None decides by ``steps``.
    """
    if compile is None:
        compile = worth_compiling(steps)
    if compile:
        return int(compiled(kernel)(*inputs, *outputs))
    # Plain floats in lists are three times faster to index than NumPy scalars.
    lists = [out.tolist() for out in outputs]
    code = kernel(*(x.tolist() if isinstance(x, np.ndarray) else x for x in inputs), *lists)
    for out, values in zip(outputs, lists, strict=True):
        out[:] = values
    return int(code)


def worth_compiling(steps: int) -> bool:
    """True when loading the compiler costs less than it saves, or is paid already."""
    return steps >= WORTH_COMPILING or "numba" in sys.modules
