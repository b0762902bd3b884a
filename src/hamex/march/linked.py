"""Functions that a compiled kernel calls: lowered straight into the kernel's own code.

Loaded by the compiler only. Left to itself, Numba makes a finished library of every function, and optimises it and
turns it into machine code again with each level of its callers, so that a function four calls down is compiled four
times. Here a function becomes part of the library of the kernel that is being compiled, which is optimised once, when
it is complete. What a function returns must be known before: its annotation says it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from numba.core import compiler, types
from numba.core.targetconfig import ConfigStack
from numba.extending import intrinsic

_KINDS = {"None": types.none, "bool": types.boolean, "int": types.int64, "float": types.float64}
_PARTS: WeakKeyDictionary[Any, dict[Any, Any]] = WeakKeyDictionary()  # library → (function, types) → description


class _Flags(compiler.Flags):
    """Flags of a part, which are quick to compare: the compiler does so ten times for every operator in a function."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Flags) and bool(self._values == other._values)

    def __hash__(self) -> int:
        return hash(_Flags)


def returned(function: Callable[..., Any]) -> Any:
    """What the function returns, by its annotation; None where that says nothing to the compiler."""
    said = str(function.__annotations__.get("return", ""))
    if not said.startswith("tuple["):
        return _KINDS.get(said)
    kinds = [_KINDS.get(part.strip()) for part in said[len("tuple[") : -1].split(",")]
    return types.Tuple(kinds) if None not in kinds else None


def linked(function: Callable[..., Any]) -> Any:
    """The function as compiled kernels call it."""
    result = returned(function)

    def define(typing: Any, *arguments: Any) -> Any:
        return result(*arguments), build

    def build(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        parts = _PARTS.setdefault(context.active_code_library, {})
        if (function, sig.args) not in parts:
            parts[function, sig.args] = _lowered(context, function, sig)
        return context.call_internal(builder, parts[function, sig.args], sig, arguments)

    own = list(inspect.signature(function).parameters.values())
    first = inspect.Parameter("typing", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    define.__signature__ = inspect.Signature([first, *own])  # type: ignore[attr-defined]
    define.__name__ = function.__name__
    return intrinsic(define)


def _lowered(context: Any, function: Callable[..., Any], sig: Any) -> Any:
    library = context.active_code_library
    flags: Any = _Flags(ConfigStack().top())
    flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
    part = compiler.compile_internal(
        context.typing_context, context, library, function, sig.args, sig.return_type, flags, {}
    ).fndesc
    # Dropped where all calls were inlined, as in a library of its own.
    library._final_module.get_function(part.llvm_func_name).linkage = "linkonce_odr"
    return part
