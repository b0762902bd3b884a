"""What Numba is taught: named tuples behind one pointer, functions linked into their caller, calls by address.

Loaded by the compiler only (:mod:`hamex.march.run`).

*Named tuples.* Left to itself, Numba passes a tuple of twenty arrays as 140 numbers, takes it apart and puts it
together again at every call, and spends most of its time on that. Here the numbers stand in memory, where a function
reads the few that it uses: per array its address and its lengths, per number itself, and tuples within tuples in their
place. Nothing writes to them, and the compiler is told so; so what a loop reads is read once, before it.

*Functions that a kernel calls.* Left to itself, Numba makes a finished library of every function, and optimises it and
turns it into machine code again with each level of its callers, so that a function four calls down is compiled four
times. Here a function becomes part of the library of the kernel that is being compiled, which is optimised once, when
it is complete. What a function returns must be known before: its annotation says it.

*Calls by address*, which is what :func:`hamex.march.run.invoke` means compiled. A function that is called so is neither
compiled nor optimised again with every caller, and which one it is may be decided at run time. Both sides agree on the
types, because the address was compiled for the very arguments (:func:`hamex.march.run.address`); all return a number.

*What operators mean* is taught before anything is compiled (:mod:`hamex.march.vector`, below). Numba takes new meanings
up whenever it begins a function, between the halves of another one too, and then no longer finds what it has settled
there: a kernel that one thread compiled failed when another thread's kernel brought them.

*Kept code.* Left to itself, Numba ends a run whose machine code finds no room on the disk, and runs code that a failing
disk has changed. Here what cannot be written, or does not verify, only costs the time to compile it; a temporary folder
serves where no other can be written; and what compiling took is kept too.
"""

from __future__ import annotations

import glob
import inspect
import pickle
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from llvmlite import ir
from numba import typeof, types
from numba.core import compiler
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile, UserProvidedCacheLocator
from numba.core.registry import cpu_target
from numba.core.runtime.nrt import rtsys
from numba.core.targetconfig import ConfigStack
from numba.core.typing.templates import AttributeTemplate
from numba.extending import NativeValue, infer_getattr, intrinsic, lower_getattr_generic, models, register_model, unbox

import hamex.march.vector  # noqa: F401  (teaches Numba the operators of lanes)
from hamex.march import kept

_INT, _INDEX = ir.IntType(64), ir.IntType(32)
_NOTHING = ir.Constant(ir.IntType(8).as_pointer(), None)
_KINDS = {"None": types.none, "bool": types.boolean, "int": types.int64, "float": types.float64}
WHOLE: set[str] = set()  # kernels into which their law, and steps around it, are inlined, whatever their size
_PARTS: WeakKeyDictionary[Any, dict[Any, Any]] = WeakKeyDictionary()  # library → (function, types) → description


class Struct(types.Type):
    """A named tuple behind a pointer: names and types of its fields, and where each begins [words]."""

    def __init__(self, name: str, fields: tuple[tuple[str, Any], ...]) -> None:
        self.fields = dict(fields)
        self.begin, self.size = {}, 0
        for field, kind in fields:
            self.begin[field] = self.size
            self.size += kind.size if isinstance(kind, Struct) else 1 + getattr(kind, "ndim", 0)
        super().__init__(f"{name}({', '.join(f'{field}: {kind}' for field, kind in fields)})")


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
    error = c.pyapi.err_occurred()
    failed = c.builder.icmp_unsigned("!=", error, ir.Constant(error.type, None))
    return NativeValue(c.builder.inttoptr(number, _INT.as_pointer()), is_error=failed)


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
        "shape": _packed(builder, lengths),
        "strides": _packed(builder, strides),
    }
    array = ir.Constant(model.get_value_type(), ir.Undefined)
    for field, value in own.items():
        array = builder.insert_value(array, value, model.get_field_position(field))
    return array


def _packed(builder: Any, words: list[Any]) -> Any:
    array = ir.Constant(ir.ArrayType(_INT, len(words)), ir.Undefined)
    for place, word in enumerate(words):
        array = builder.insert_value(array, word, place)
    return array


def _read(builder: Any, pointer: Any, at: int) -> Any:
    """A word that never changes."""
    loaded = builder.load(builder.gep(pointer, [_INDEX(at)]))
    loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
    return loaded


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
    made = library._final_module.get_function(part.llvm_func_name)
    made.linkage = "linkonce_odr"  # dropped where all calls were inlined, as in a library of its own
    is_of_law = function.__module__.startswith("hamex.model.laws") or getattr(function, "is_law", False)
    if library.name in WHOLE and is_of_law:
        made.add_function_attribute("alwaysinline")
    return part


@intrinsic
def invoke(typing: Any, address: Any, arguments: Any) -> Any:
    kinds = tuple(types.unliteral(kind) for kind in arguments.types)
    signature = types.float64(types.int64, arguments)

    def build(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        function = context.call_conv.get_function_type(types.float64, kinds)
        pointer = builder.inttoptr(args[0], function.as_pointer())
        given = [builder.extract_value(args[1], place) for place in range(len(kinds))]
        values = [
            context.cast(builder, value, old, new)
            for value, old, new in zip(given, sig.args[1].types, kinds, strict=True)
        ]
        status, result = context.call_conv.call_function(builder, pointer, types.float64, kinds, values)
        with builder.if_then(status.is_error, likely=False):
            context.call_conv.return_status_propagate(builder, status)
        return result

    return signature, build


# Kept code ---------------------------------------------------------------------------------------------------


def keep(machine: Any, tell: Callable[[bool], object]) -> Any:
    """Keep what this function is compiled to on the disk, where it has a place there; ``tell`` True before it is
    compiled, and False after."""
    with suppress(OSError, RuntimeError):  # no folder that can be written: compiled anew in every process
        cache = KernelCache(machine.py_func, tell)
        if reason := kept.unsafe(Path(cache.cache_path)):
            kept.refuse(reason)
        else:
            machine._cache = cache
    return machine


class _TemporaryPlace(UserProvidedCacheLocator):
    """Where a function is kept that has no other place."""

    def __init__(self, function: Any, file: str) -> None:
        self._py_file, self._lineno = file, function.__code__.co_firstlineno
        self._cache_path = str(kept.temporary() / self.get_suitable_cache_subpath(file))

    def ensure_cache_path(self) -> None:
        """Where it cannot be written, what the owner of the source left is read all the same."""
        with suppress(OSError):
            super().ensure_cache_path()

    @classmethod
    def from_function(cls, function: Any, file: str) -> Any:
        """The place; None for what stands in no file."""
        return super(UserProvidedCacheLocator, cls).from_function(function, file)


class _Places(CompileResultCacheImpl):
    _locator_classes = [*CompileResultCacheImpl._locator_classes, _TemporaryPlace]  # noqa: RUF012  (Numba's)


class KernelCache(FunctionCache):
    """Numba's, in files that verify."""

    _impl_class = _Places

    def __init__(self, function: Callable[..., Any], tell: Callable[[bool], object]) -> None:
        super().__init__(function)
        self._tell, self._begun = tell, 0.0
        self._named = f"{function.__module__}.{function.__qualname__}"
        base, stamp = self._impl.filename_base, self._cache_file._source_stamp
        self._own = self._cache_file = KernelFile(self._cache_path, base, stamp)
        beside = str(Path(inspect.getfile(function)).parent / "__pycache__")
        if kept.shipped() is not None and not kept.unsafe(Path(beside)):
            self._own.shipped = KernelFile(beside, base, stamp)

    def is_there(self) -> bool:
        """Whether code of this function was kept for this processor, for arguments of whatever kinds."""
        shipped = self._own.shipped
        return bool(self._own.found() or (shipped is not None and shipped.found()))

    def load_overload(self, kinds: Any, context: Any) -> Any:
        """The code for arguments of these kinds; where there is none, Numba compiles it next.

        Left to itself, Numba first loads the meanings of everything that it can compile, a quarter of a second for code
        that is compiled already. What is compiled next loads them by itself.
        """
        rtsys.initialize(context)  # kept code counts references
        found = None
        with self._guard_against_spurious_io_errors():
            found = self._load_overload(kinds, context)
        if found is None:
            self._begun = time.process_time()
            self._tell(True)
        return found

    def save_overload(self, kinds: Any, data: Any) -> None:
        """Keep the code for arguments of these kinds, if there is room."""
        spent = time.process_time() - self._begun
        with suppress(OSError):
            super().save_overload(kinds, data)
            kept.learn(self._named, spent)
        self._tell(False)


class KernelFile(IndexDataCacheFile):
    """A file for each kind of arguments, with a digest of its name and its code in front.

    ``shipped``: where the owner of the source may have kept code for those who cannot write there, as in an image.
    """

    shipped: KernelFile | None = None

    def found(self) -> list[Path]:
        """Files of this function for this processor, for arguments of whatever kinds."""
        machine = cpu_target.target_context.codegen().magic_tuple()
        return list(Path(self._cache_path).glob(f"{glob.escape(self._base(machine))}*"))

    def save(self, key: Any, data: Any) -> None:
        """Write the code under its key: kinds of arguments, processor, bytes of Python's code."""
        place, content = self._place(key), self._dump(data)
        with self._open_for_write(str(place)) as file:
            file.write(sha256(place.name.encode() + content).digest() + content)

    def load(self, key: Any) -> Any:
        """The code under this key; None where there is none that verifies."""
        place, whole = self._place(key), b""
        with suppress(OSError):
            whole = place.read_bytes()
        if sha256(place.name.encode() + whole[32:]).digest() == whole[:32]:
            return pickle.loads(whole[32:])
        return None if self.shipped is None else self.shipped.load(key)

    def _base(self, machine: Any) -> str:
        return f"{self._index_name.removesuffix('.nbi')}.{sha256(repr(machine).encode()).hexdigest()[:8]}."

    def _place(self, key: Any) -> Path:
        return Path(self._cache_path, f"{self._base(key[1])}{sha256(repr(key).encode()).hexdigest()[:16]}.nbc")
