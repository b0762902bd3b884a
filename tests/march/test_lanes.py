"""Lanes: what compiled vectors do is what the plain twin says, operation by operation."""

import numpy as np
import pytest

from hamex.march.lanes import choose, maximum, minimum, padded, put, size, some, spread, take

WIDTH = 8


def compiled(kernel):
    import numba

    import hamex.march.vector  # noqa: F401

    return numba.njit(kernel)


def arithmetic(a, out):
    x, y = take(a, 0, 0, WIDTH), take(a, 1, 0, WIDTH)
    put(out, 0, 0, x + y)
    put(out, 1, 0, x - y)
    put(out, 2, 0, x / y)
    put(out, 3, 0, -x)
    put(out, 4, 0, 2.0 * x)
    put(out, 5, 0, 1.0 - x)
    put(out, 6, 0, spread(3.0, x))
    return 0


def ordering(a, out):
    x, y = take(a, 0, 0, WIDTH), take(a, 1, 0, WIDTH)
    put(out, 0, 0, minimum(x, y))
    put(out, 1, 0, maximum(x, 0.5))
    put(out, 2, 0, size(x))
    put(out, 3, 0, choose(x < y, x, y))
    put(out, 4, 0, choose((x > 0.0) & (y > 0.0), x, spread(-7.0, x)))
    put(out, 5, 0, choose((x >= y) | (y <= -1.0), x * y, y))
    put(out, 6, 0, choose(~(x == y), spread(1.0, x), spread(0.0, x)))
    return 0


def asking(a, out):
    x = take(a, 0, 0, WIDTH)
    return 2 * int(some(x > 100.0)) + int(some(x != x))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("kernel", [arithmetic, ordering])
def test_compiled_lanes_do_what_the_plain_twin_does(kernel, dtype):
    a = np.random.default_rng(3).normal(size=(2, WIDTH)).astype(dtype)
    a[1, 2] = a[0, 2]
    plain, machine = np.zeros((7, WIDTH), dtype), np.zeros((7, WIDTH), dtype)
    kernel(a, plain)
    compiled(kernel)(a, machine)
    assert plain.any(axis=1).all()
    assert np.array_equal(plain, machine)


@pytest.mark.parametrize(("value", "answer"), [(0.0, 0), (200.0, 2), (np.nan, 1)])
def test_one_lane_is_enough_for_some(value, answer):
    a = np.zeros((1, WIDTH))
    a[0, 5] = value
    assert asking(a, a) == answer
    assert compiled(asking)(a, a) == answer


def test_padding_rounds_up():
    assert [padded(count, 8) for count in (1, 8, 9)] == [8, 8, 16]
