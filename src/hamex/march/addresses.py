"""Calls through machine addresses: what :func:`hamex.march.calls.invoke` means compiled.

Loaded by the compiler only. A function that is called by its address is neither compiled nor optimised again with every
caller, and which one it is may be decided at run time. Both sides agree on the types, because the address was compiled
for the very arguments (:func:`hamex.march.run.address`); all return a number.
"""

from __future__ import annotations

from typing import Any

from numba.core import cgutils, types
from numba.extending import intrinsic


@intrinsic
def invoke(typing: Any, address: Any, arguments: Any) -> Any:
    kinds = tuple(types.unliteral(kind) for kind in arguments.types)
    signature = types.float64(types.int64, arguments)

    def build(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        function = context.call_conv.get_function_type(types.float64, kinds)
        pointer = builder.inttoptr(args[0], function.as_pointer())
        given = cgutils.unpack_tuple(builder, args[1])
        values = [
            context.cast(builder, value, old, new)
            for value, old, new in zip(given, sig.args[1].types, kinds, strict=True)
        ]
        status, result = context.call_conv.call_function(builder, pointer, types.float64, kinds, values)
        with cgutils.if_unlikely(builder, status.is_error):
            context.call_conv.return_status_propagate(builder, status)
        return result

    return signature, build
