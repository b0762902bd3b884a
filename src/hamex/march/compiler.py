"""What Numba is taught, by its public means; loaded by :mod:`hamex.march.run` when something is compiled.

*Kinds.* Kernels of structures take tables of arrays, flat arrays and numbers; compiled, these are pointers to pointers,
pointers, 64-bit integers and doubles. Numba passes such arguments on as they are, where of an array it takes seven
numbers apart and puts them together at every call.

*Calls by address*, which is what :func:`hamex.march.run.invoke` means compiled. A function that is called so is neither
compiled nor optimised again with every caller, and which one it is may be decided at run time. All return a double, and
both sides agree on the kinds, because the address was compiled for them.

*Parts.* Left to itself, Numba optimises a function and turns it into machine code again with each level of its callers,
so that a function four calls down is compiled four times. A larger function is therefore a kernel by itself, which its
callers know by a symbol: compiled once, and kept once for all of them.

*What operators mean* on lanes is taught before anything is compiled (:mod:`hamex.march.vector`). Numba takes new
meanings up whenever it begins a function, between the halves of another one too, and then no longer finds what it has
settled there: a kernel that one thread compiled failed when another thread's kernel brought them.
"""

from __future__ import annotations

import ctypes
import inspect
from typing import Any

import numpy as np
from llvmlite import binding, ir
from numba import types
from numba.extending import intrinsic

import hamex.march.vector  # noqa: F401  (teaches Numba the operators of lanes)
from hamex.march.tables import Table

_ARRAYS = {np.dtype(str(kind)): types.CPointer(kind) for kind in (types.int64, types.int32, types.float64)}
KINDS = {str(kind): kind for array in _ARRAYS.values() for kind in (array, types.CPointer(array), array.dtype)}
_RESULTS = {"None": types.none, "bool": types.boolean, "int": types.int64, "float": types.float64}
_TO_CTYPES: dict[Any, Any] = {types.int64: ctypes.c_int64, types.float64: ctypes.c_double}


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


def part(function: Any, compiled_for: Any) -> Any:
    """A larger function as its callers know it; ``compiled_for`` compiles it for some kinds and tells its symbol."""
    result = _RESULTS[str(function.__annotations__["return"])]

    def define(typing: Any, *arguments: Any) -> Any:
        kinds = tuple(types.unliteral(kind) for kind in arguments)
        kinds = tuple(types.int64 if kind == types.boolean else kind for kind in kinds)
        symbol = compiled_for(kinds)

        def build(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            answer = ir.VoidType() if result == types.none else ir.DoubleType()
            kind = ir.FunctionType(answer, [context.get_value_type(kind) for kind in kinds])
            called = builder.module.globals.get(symbol) or ir.Function(builder.module, kind, symbol)
            given = [context.cast(builder, *each) for each in zip(args, sig.args, kinds, strict=True)]
            found = builder.call(called, given)
            if result == types.none:
                return context.get_dummy_value()
            return context.cast(builder, found, types.float64, result)

        return result(*arguments), build

    own = list(inspect.signature(function).parameters.values())
    first = inspect.Parameter("typing", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    define.__signature__ = inspect.Signature([first, *own])  # type: ignore[attr-defined]
    return intrinsic(define)


def known_as(symbol: str, address: int) -> None:
    """Tell LLVM where the function behind a symbol stands."""
    binding.add_symbol(symbol, address)


@intrinsic
def at(typing: Any, array: Any, first: Any) -> Any:
    def build(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        kind, (pointer, entry) = sig.args[0], args
        if isinstance(kind, types.Array):  # of a kernel on arrays, for what it calls by address
            pointer = context.make_array(kind)(context, builder, pointer).data
        return builder.gep(pointer, [entry])

    kind = types.CPointer(array.dtype) if isinstance(array, types.Array) else array
    return kind(array, types.int64), build
