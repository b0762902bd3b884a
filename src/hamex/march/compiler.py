"""What Numba is taught, by its public means; loaded by :mod:`hamex.march.run` when something is compiled.

*Kinds.* Kernels of structures take tables of arrays, flat arrays and numbers; compiled, these are pointers to pointers,
pointers, 64-bit integers and doubles. Numba passes such arguments on as they are, where of an array it takes seven
numbers apart and puts them together at every call.

*Calls by address*, which is what :func:`hamex.march.run.invoke` means compiled. A function that is called so is neither
compiled nor optimised again with every caller, and which one it is may be decided at run time. All return a double, and
both sides agree on the kinds, because the address was compiled for them.

*What operators mean* on lanes is taught before anything is compiled (:mod:`hamex.march.vector`). Numba takes new
meanings up whenever it begins a function, between the halves of another one too, and then no longer finds what it has
settled there: a kernel that one thread compiled failed when another thread's kernel brought them.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

import hamex.march.vector  # noqa: F401  (teaches Numba the operators of lanes)
from hamex.march.run import Table

_ARRAYS = {np.dtype(str(kind)): types.CPointer(kind) for kind in (types.int64, types.int32, types.float64)}
_TO_CTYPES = {types.int64: ctypes.c_int64, types.float64: ctypes.c_double}


def kind_of(value: Any) -> Any:
    """The kind of an argument of a kernel that is called by its address."""
    if isinstance(value, Table):
        return types.CPointer(_ARRAYS[value.kind])
    if isinstance(value, np.ndarray):
        return _ARRAYS[value.dtype]
    return types.float64 if isinstance(value, float) else types.int64


def prototype(kinds: tuple[Any, ...]) -> Any:
    """How Python calls, and is called by, what takes these kinds."""
    return ctypes.CFUNCTYPE(ctypes.c_double, *(_TO_CTYPES.get(kind, ctypes.c_void_p) for kind in kinds))


@intrinsic
def invoke(typing: Any, address: Any, arguments: Any) -> Any:
    kinds = tuple(types.unliteral(kind) for kind in arguments.types)

    def build(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        function = ir.FunctionType(ir.DoubleType(), [context.get_value_type(kind) for kind in kinds])
        pointer = builder.inttoptr(args[0], function.as_pointer())
        given = [builder.extract_value(args[1], place) for place in range(len(kinds))]
        return builder.call(
            pointer,
            [context.cast(builder, value, *pair) for value, *pair in zip(given, sig.args[1].types, kinds, strict=True)],
        )

    return types.float64(types.int64, arguments), build


@intrinsic
def at(typing: Any, array: Any, first: Any) -> Any:
    def build(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.gep(args[0], [args[1]])

    return array(array, types.int64), build
