"""Run a kernel compiled or not: the same function, the same bits.

Importing Numba and loading a cached kernel costs about half a second; an uncompiled step costs well
under a microsecond on lists. Below ``WORTH_COMPILING`` steps the kernel therefore runs as plain
Python, unless Numba is loaded already. ``benchmarks/threshold.py`` measures the break-even.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

Kernel = Callable[..., int]

WORTH_COMPILING = 600_000  # steps; CPU of a fresh process: 0.8 s either way


@cache
def compiled(kernel: Kernel) -> Kernel:
    """The kernel as machine code; no fastmath, so that compiled and plain runs agree in every bit."""
    import numba

    return numba.njit(cache=True, nogil=True, error_model="numpy")(kernel)


def march(kernel: Kernel, inputs: Sequence[Any], outputs: Sequence[np.ndarray[Any, Any]], steps: int,
          compile: bool | None = None) -> int:
    """Call ``kernel(*inputs, *outputs)``, filling the output arrays in place; returns its code.

    ``compile`` forces the choice (tests compare both); None decides by ``steps``.
    """
    if compile is None:
        compile = steps >= WORTH_COMPILING or "numba" in sys.modules
    if compile:
        return int(compiled(kernel)(*inputs, *outputs))
    # Plain floats in lists are three times faster to index than NumPy scalars.
    lists = [out.tolist() for out in outputs]
    code = kernel(*(x.tolist() if isinstance(x, np.ndarray) else x for x in inputs), *lists)
    for out, values in zip(outputs, lists, strict=True):
        out[:] = values
    return code
