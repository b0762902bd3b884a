"""Python's way into a compiled driver, without the wrapper that Numba would make for it.

A driver takes some eighty arrays in named tuples. The wrapper that takes them apart keeps the compiler busy for longer
than the driver itself, and every driver would need one of its own. Here Python takes them apart, and calls the machine
address as C would. Numba's convention: place of the result, place of an error, then all arguments flattened; an
array is meminfo, parent (neither is needed where nothing is allocated), entries, bytes per entry, data, shape, strides.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from hamex.march.run import Kernel, address

_WORD, _FLAG, _NUMBER = ctypes.c_int64, ctypes.c_uint8, ctypes.c_double


def entered(kernel: Kernel) -> Callable[..., Any]:
    """The kernel compiled, to be called from Python with arrays, numbers and tuples of them; it returns a number."""

    def call(*arguments: Any) -> float:
        words = list(_flat(arguments))
        kinds = tuple(_FLAG if isinstance(x, bool) else _NUMBER if isinstance(x, float) else _WORD for x in words)
        function = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, *kinds)
        result, error = _NUMBER(), ctypes.c_void_p()
        status = function(address(kernel, *arguments))(ctypes.addressof(result), ctypes.addressof(error), *words)
        if status != 0:
            raise RuntimeError(f"{kernel.__name__}: the compiled kernel raised an error; kernels must not")
        return result.value

    return call


def _flat(arguments: tuple[Any, ...]) -> Iterator[int | float | bool]:
    for argument in arguments:
        if isinstance(argument, tuple):
            yield from _flat(argument)
        elif isinstance(argument, np.ndarray):
            yield from (0, 0, argument.size, argument.itemsize, argument.ctypes.data)
            yield from (*argument.shape, *argument.strides)
        else:
            yield argument
