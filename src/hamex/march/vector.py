"""What the functions and operators of :mod:`hamex.march.lanes` mean in machine code: LLVM vectors.

Loaded by the compiler only. Products and sums of lanes that ``take_fusing`` took may be fused (``contract``): which
ones is settled when a kernel is compiled and is the same for every lane, so results do not depend on neighbours, blocks
or threads. They differ from the uncompiled run in the last digits; all others have the same bits.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import lower_builtin, models, register_model, type_callable

from hamex.march import lanes

FUSED = ("contract",)


class LanesType(types.Type):
    """Several numbers in one value; ``fuses``: products with sums."""

    def __init__(self, dtype: types.Float, count: int, fuses: bool = False) -> None:
        self.dtype, self.count, self.fuses = dtype, count, fuses
        super().__init__(name=f"Lanes({dtype}, {count}{', fusing' * fuses})")


class MaskType(types.Type):
    """Several truths in one value."""

    def __init__(self, count: int) -> None:
        self.count = count
        super().__init__(name=f"Mask({count})")


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: LanesType) -> None:
        super().__init__(manager, kind, ir.VectorType(manager.lookup(kind.dtype).get_value_type(), kind.count))


@register_model(MaskType)
class _MaskModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: MaskType) -> None:
        super().__init__(manager, kind, ir.VectorType(ir.IntType(1), kind.count))


def _spread(context: Any, builder: Any, value: Any, kind: types.Type, to: LanesType) -> Any:
    """A lane value as it is, a single number in every lane."""
    if isinstance(kind, LanesType):
        return value
    vector = context.get_value_type(to)
    number = context.cast(builder, value, kind, to.dtype)
    one = builder.insert_element(ir.Constant(vector, ir.Undefined), number, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(
        one, ir.Constant(vector, ir.Undefined), ir.Constant(ir.VectorType(ir.IntType(32), to.count), None)
    )


def _lanes_of(*kinds: types.Type) -> LanesType | None:
    """The lane type among operands that are lanes or single numbers; None for anything else."""
    vectors = [kind for kind in kinds if isinstance(kind, LanesType)]
    rest = [kind for kind in kinds if not isinstance(kind, LanesType)]
    if (
        not vectors
        or any(not isinstance(kind, types.Number) for kind in rest)
        or any(kind != vectors[0] for kind in vectors)
    ):
        return None
    return vectors[0]


def _register(
    function: Callable[..., Any],
    result: Callable[..., types.Type | None],
    build: Callable[..., Any],
    patterns: list[tuple[Any, ...]],
) -> None:
    """Give a function a type and code for lanes; operands are spread where they are single numbers."""
    type_callable(function)(lambda context: _typer(result, len(patterns[0])))

    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        to = _lanes_of(*(kind for kind in sig.args if not isinstance(kind, MaskType)))
        assert to is not None
        values = [
            value if isinstance(kind, MaskType) else _spread(context, builder, value, kind, to)
            for value, kind in zip(args, sig.args, strict=True)
        ]
        return build(builder, *values, flags=FUSED if to.fuses else ())

    for pattern in patterns:
        lower_builtin(function, *pattern)(lower)


def _typer(result: Callable[..., types.Type | None], count: int) -> Callable[..., types.Type | None]:
    # numba reads the number of arguments off the signature.
    if count == 1:
        return lambda x: result(x)
    if count == 2:
        return lambda x, y: result(x, y)
    return lambda x, y, z: result(x, y, z)


_PAIRS = [(LanesType, LanesType), (LanesType, types.Number), (types.Number, LanesType)]


def _mask_of(*kinds: types.Type) -> MaskType | None:
    vector = _lanes_of(*kinds)
    return None if vector is None else MaskType(vector.count)


def _arithmetic(name: str) -> Callable[..., Any]:
    return lambda builder, x, y, flags: getattr(builder, name)(x, y, flags=flags)


def _compared(sign: str) -> Callable[..., Any]:
    # As everywhere: what is not a number differs from all, and no other comparison with it holds.
    kind = "fcmp_unordered" if sign == "!=" else "fcmp_ordered"
    return lambda builder, x, y, flags: getattr(builder, kind)(sign, x, y)


def _built_in(name: str, fast: tuple[str, ...] = ()) -> Callable[..., Any]:
    """An intrinsic of LLVM, which declares them for single numbers only."""

    def build(builder: Any, *values: Any, flags: Any) -> Any:
        vector = values[0].type
        full = f"llvm.{name}.v{vector.count}{vector.element.intrinsic_name}"
        kind = ir.FunctionType(vector, [vector] * len(values))
        function = builder.module.globals.get(full) or ir.Function(builder.module, kind, full)
        return builder.call(function, values, fastmath=fast)

    return build


for _operator, _name in (
    (operator.add, "fadd"),
    (operator.sub, "fsub"),
    (operator.mul, "fmul"),
    (operator.truediv, "fdiv"),
    (operator.iadd, "fadd"),
    (operator.isub, "fsub"),
    (operator.imul, "fmul"),
):
    _register(_operator, _lanes_of, _arithmetic(_name), _PAIRS)
for _operator, _sign in (
    (operator.lt, "<"),
    (operator.gt, ">"),
    (operator.le, "<="),
    (operator.ge, ">="),
    (operator.eq, "=="),
    (operator.ne, "!="),
):
    _register(_operator, _mask_of, _compared(_sign), _PAIRS)
_register(operator.neg, _lanes_of, lambda builder, x, flags: builder.fneg(x), [(LanesType,)])
# "nnan": one instruction of the machine, as "compare and select" is not where the result goes to memory.
_register(lanes.minimum, _lanes_of, _built_in("minnum", ("nnan",)), _PAIRS)
_register(lanes.maximum, _lanes_of, _built_in("maxnum", ("nnan",)), _PAIRS)
_register(lanes.size, _lanes_of, _built_in("fabs"), [(LanesType,)])
_register(
    lanes.choose,
    lambda mask, x, y: _lanes_of(x, y) if isinstance(mask, MaskType) else None,
    lambda builder, mask, x, y, flags: builder.select(mask, x, y),
    [(MaskType, *pair) for pair in _PAIRS],
)


def _same_masks(*kinds: types.Type) -> MaskType | None:
    first = kinds[0]
    return first if isinstance(first, MaskType) and all(kind == first for kind in kinds) else None


def _register_masks(function: Any, name: str, count: int) -> None:
    type_callable(function)(lambda context: _typer(_same_masks, count))

    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return getattr(builder, name)(*args)

    lower_builtin(function, *(MaskType,) * count)(lower)


_register_masks(operator.and_, "and_", 2)
_register_masks(operator.or_, "or_", 2)
_register_masks(operator.invert, "not_", 1)


@type_callable(lanes.some)
def _type_some(context: Any) -> Any:
    return lambda mask: types.boolean if isinstance(mask, MaskType) else None


@lower_builtin(lanes.some, MaskType)
def _some(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    bits = ir.IntType(sig.args[0].count)
    return builder.icmp_unsigned("!=", builder.bitcast(args[0], bits), ir.Constant(bits, 0))


def _place(context: Any, builder: Any, table_type: Any, table: Any, row: Any, first: Any, vector: Any) -> Any:
    """Address of lanes in a table."""
    array = context.make_array(table_type)(context, builder, table)
    assert (table_type.ndim, table_type.layout) == (2, "C"), table_type
    at = builder.add(builder.mul(row, builder.extract_value(array.shape, 1)), first)
    spot = builder.gep(array.data, [at])
    return builder.bitcast(spot, vector.as_pointer())


def _take(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    table, row, first, _ = args
    row, first = (
        context.cast(builder, x, kind, types.intp) for x, kind in zip((row, first), sig.args[1:3], strict=True)
    )
    spot = _place(context, builder, sig.args[0], table, row, first, context.get_value_type(sig.return_type))
    return builder.load(spot, align=sig.args[0].dtype.bitwidth // 8)


def _register_take(function: Callable[..., Any], fuses: bool) -> None:
    def typer(table: Any, row: Any, first: Any, count: Any) -> types.Type | None:
        if isinstance(table, types.Array) and isinstance(count, types.IntegerLiteral):
            return LanesType(table.dtype, count.literal_value, fuses)
        return None

    type_callable(function)(lambda context: typer)
    lower_builtin(function, types.Array, types.Integer, types.Integer, types.IntegerLiteral)(_take)


_register_take(lanes.take, fuses=False)
_register_take(lanes.take_fusing, fuses=True)


@type_callable(lanes.put)
def _type_put(context: Any) -> Any:
    return lambda table, row, first, values: (
        types.none if isinstance(table, types.Array) and isinstance(values, LanesType) else None
    )


@lower_builtin(lanes.put, types.Array, types.Integer, types.Integer, LanesType)
def _put(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    table, row, first, values = args
    row, first = (
        context.cast(builder, x, kind, types.intp) for x, kind in zip((row, first), sig.args[1:3], strict=True)
    )
    spot = _place(context, builder, sig.args[0], table, row, first, values.type)
    builder.store(values, spot, align=sig.args[0].dtype.bitwidth // 8)
    return context.get_dummy_value()


@type_callable(lanes.align)
def _type_align(context: Any) -> Any:
    return lambda: types.none


@lower_builtin(lanes.align)
def _align(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    # Vectors across two lines cost up to half the speed, and whether they are is chance: the caller's stack decides.
    builder.function.attributes.alignstack = 64
    # Left to itself, LLVM halves vectors of 64 bytes where a processor might clock down for them.
    set.add(builder.function.attributes, '"prefer-vector-width"="512"')
    builder.function.attributes.add("norecurse")  # llvmlite writes the alignment only beside another attribute
    return context.get_dummy_value()


@type_callable(lanes.spread)
def _type_spread(context: Any) -> Any:
    return lambda value, like: like if isinstance(like, LanesType) and isinstance(value, types.Number) else None


@lower_builtin(lanes.spread, types.Number, LanesType)
def _spread_like(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return _spread(context, builder, args[0], sig.args[0], sig.args[1])
