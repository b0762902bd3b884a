"""Named tuples as compiled code takes them: what it reads is what they hold."""

from typing import Any, NamedTuple

import numpy as np
import pytest

from hamex.march.compiler import struct_of
from hamex.march.run import Held, compiled, held


class Inner(NamedTuple):
    values: Any
    number: int


class Outer(NamedTuple):
    line: Any
    inner: Inner
    table: Any
    cube: Any
    whole: Any
    small: float
    below: int
    yes: bool
    no: bool


def read(outer, out):
    out[0] = outer.line[2] + outer.inner.values[1] + outer.inner.number
    out[1] = outer.table[1, 2] + outer.table.shape[0] + len(outer.table[0])
    out[2] = outer.cube[1, 2, 3] + outer.cube.size
    out[3] = outer.whole[-1] + outer.below
    out[4] = outer.small
    out[5] = 1.0 if outer.yes and not outer.no else 0.0
    row = outer.table[1]
    for j in range(len(row)):
        row[j] = row[j] + outer.small
    return out[0]


def example():
    return Outer(
        np.array([1.0, 2.0, 3.5]),
        Inner(np.array([0.25, 0.5]), 7),
        np.arange(6.0).reshape(2, 3),
        np.arange(24.0).reshape(2, 3, 4),
        np.array([4, 5, -6]),
        0.1,
        -3,
        True,
        False,
    )


def test_compiled_code_reads_what_plain_python_reads_and_writes_where_it_writes():
    plain, machine = example(), example()
    there, here = np.zeros(6), np.zeros(6)
    read(plain, there)
    compiled(read)(held(machine), here)
    np.testing.assert_array_equal(here, there)
    np.testing.assert_array_equal(machine.table, plain.table)
    assert machine.table[1, 0] == 3.1


def test_plain_python_reads_what_is_held():
    outer, out = held(example()), np.zeros(6)
    assert isinstance(outer, Held)
    assert isinstance(outer.inner, Held)
    assert read(outer, out) == 11.0


def test_arrays_live_as_long_as_what_holds_them():
    made = held(Inner(np.full(1000, 2.0), 1))
    assert made.address == made.words.ctypes.data
    assert made.words[0] == made.fields.values.ctypes.data


def test_the_type_knows_names_and_kinds_but_not_whether_an_array_may_be_written():
    locked = example()
    locked.line.flags.writeable = False
    assert struct_of(locked) == struct_of(example())
    assert struct_of(example().inner) != struct_of(Inner(np.array([1, 2]), 7))


def test_arrays_with_gaps_are_refused():
    with pytest.raises(ValueError, match="without gaps"):
        _ = held(Inner(np.zeros(6)[::2], 1)).address
