"""Named tuples of arrays as compiled code takes them: one pointer each.

Loaded by the compiler only. Left to itself, Numba passes a tuple of twenty arrays as 140 numbers, takes it apart and
puts it together again at every call, and spends most of its time on that. Here the numbers stand in memory, where a
function reads the few that it uses: per array its address and its lengths, per number itself, and tuples within tuples
in their place. Nothing writes to them, and the compiler is told so; so what a loop reads is read once, before it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
from llvmlite import ir
from numba import typeof
from numba.core import cgutils, types
from numba.core.typing.templates import AttributeTemplate
from numba.extending import NativeValue, infer_getattr, lower_getattr_generic, models, register_model, unbox

_INT, _INDEX = ir.IntType(64), ir.IntType(32)
_NOTHING = ir.Constant(cgutils.voidptr_t, None)


class Struct(types.Type):
    """A named tuple behind a pointer: names and types of its fields, and where each begins [words]."""

    def __init__(self, name: str, fields: tuple[tuple[str, Any], ...]) -> None:
        self.fields = dict(fields)
        self.begin, self.size = {}, 0
        for field, kind in fields:
            self.begin[field] = self.size
            self.size += kind.size if isinstance(kind, Struct) else 1 + getattr(kind, "ndim", 0)
        super().__init__(f"{name}({', '.join(f'{field}: {kind}' for field, kind in fields)})")


class Held:
    """A named tuple of C-contiguous arrays, numbers and such tuples, laid out for compiled code when that first asks.

    Plain Python reads it as it reads the tuple, so that a march around a sparse solver hands it on.
    """

    def __init__(self, fields: Any) -> None:
        self.fields = fields

    def __getattr__(self, name: str) -> Any:
        if name == "address":
            self.words = np.array(list(_words(self.fields)), dtype=np.uint64)
            found: Any = self.words.ctypes.data
        elif name == "_numba_type_":
            found = struct_of(self.fields)
        else:
            found = getattr(self.fields, name)
            found = Held(found) if isinstance(found, tuple) else found
        self.__dict__[name] = found
        return found


def _words(fields: Any) -> Iterator[int]:
    for value in fields:
        if isinstance(value, np.ndarray):
            if not value.flags.c_contiguous:
                raise ValueError(f"compiled code reads arrays without gaps; got strides {value.strides}")
            yield value.__array_interface__["data"][0]
            yield from value.shape
        elif isinstance(value, tuple):
            yield from _words(value)
        elif isinstance(value, float):
            yield ctypes.c_uint64.from_buffer(ctypes.c_double(value)).value
        else:
            yield int(value) % 2**64


def struct_of(fields: Any) -> Struct:
    """The type behind a named tuple."""
    return _struct(type(fields).__name__, fields._fields, tuple(kind_of(value) for value in fields))


def kind_of(value: Any) -> Any:
    """The type of a kernel's argument, or of a field: arrays without gaps, whether or not Python may write to them."""
    if isinstance(value, np.ndarray):
        return _array(value.dtype, value.ndim)
    return struct_of(value) if isinstance(value, tuple) else typeof(value)


@cache
def _array(dtype: Any, ndim: int) -> Any:
    return typeof(np.empty((1,) * ndim, dtype=dtype))


@cache
def _struct(name: str, fields: tuple[str, ...], kinds: tuple[Any, ...]) -> Struct:
    return Struct(name, tuple(zip(fields, kinds, strict=True)))


@register_model(Struct)
class _Model(models.PrimitiveModel):
    def __init__(self, dmm: Any, kind: Any) -> None:
        super().__init__(dmm, kind, _INT.as_pointer())


@unbox(Struct)
def _unboxed(kind: Any, held: Any, c: Any) -> Any:
    address = c.pyapi.object_getattr_string(held, "address")
    number = c.pyapi.long_as_longlong(address)
    c.pyapi.decref(address)
    return NativeValue(
        c.builder.inttoptr(number, _INT.as_pointer()), is_error=cgutils.is_not_null(c.builder, c.pyapi.err_occurred())
    )


@infer_getattr
class _Fields(AttributeTemplate):
    key = Struct

    def generic_resolve(self, struct: Struct, name: str) -> Any:  # type: ignore[override]
        return struct.fields.get(name)


@lower_getattr_generic(Struct)
def _field(context: Any, builder: Any, struct: Struct, pointer: Any, name: str) -> Any:
    kind, at = struct.fields[name], struct.begin[name]
    if isinstance(kind, Struct):
        return builder.gep(pointer, [_INDEX(at)])
    if isinstance(kind, types.Array):
        return _viewed(context, builder, kind, pointer, at)
    word = _read(builder, pointer, at)
    if kind == types.float64:
        return builder.bitcast(word, ir.DoubleType())
    return builder.icmp_signed("!=", word, _INT(0)) if kind == types.boolean else word


def _viewed(context: Any, builder: Any, kind: Any, pointer: Any, at: int) -> Any:
    """The array whose address and lengths stand from a word on."""
    entry, model = context.get_data_type(kind.dtype), context.data_model_manager[kind]
    size = _INT(context.get_abi_sizeof(entry))
    lengths = [_read(builder, pointer, at + 1 + axis) for axis in range(kind.ndim)]
    strides, items = [size], lengths[-1]
    for length in lengths[-2::-1]:
        strides.insert(0, builder.mul(items, size))
        items = builder.mul(items, length)
    own = {
        "meminfo": _NOTHING,
        "parent": _NOTHING,
        "nitems": items,
        "itemsize": size,
        "data": builder.inttoptr(_read(builder, pointer, at), entry.as_pointer()),
        "shape": cgutils.pack_array(builder, lengths),
        "strides": cgutils.pack_array(builder, strides),
    }
    array = ir.Constant(model.get_value_type(), ir.Undefined)
    for field, value in own.items():
        array = builder.insert_value(array, value, model.get_field_position(field))
    return array


def _read(builder: Any, pointer: Any, at: int) -> Any:
    """A word that never changes."""
    loaded = builder.load(builder.gep(pointer, [_INDEX(at)]))
    loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
    return loaded
