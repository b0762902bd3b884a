"""Tables of arrays, and calls by address, as compiled code has them: what it reads is what they hold."""

import gc
import signal
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from hamex.march import run
from hamex.march.run import Callback, Table, at, entered, invoke, place

WIDTH, SCALE = 3, 2.0


def row_sum(n, x):
    """Small enough to become part of its callers."""
    total = 0.0
    for i in range(n):
        total += x[i]
    return total


def weighed(N, J, R, k: int, factor: float) -> float:
    """Row k of a table of two axes, weighed, and written elsewhere."""
    row, out = at(R[0], k * WIDTH), R[1]
    for i in range(WIDTH):
        out[i] = factor * row[i] + N[0][i] * J[0][i]
    return row_sum(WIDTH, out)


def twice(N, J, R, k: int) -> float:
    return invoke(N[1][0], (N, J, R, k, SCALE)) + 1.0


def example():
    N, J, R = Table(2, np.int64), Table(1, np.int32), Table(2)
    N[0], J[0] = np.array([3, -4, 5]), np.array([1, 2, 3], dtype=np.int32)
    R[0], R[1], N[1] = np.arange(12.0).reshape(4, 3) / 7, np.zeros(3), np.zeros(1, dtype=np.int64)
    return N, J, R


@pytest.mark.parametrize("compile", [False, True])
def test_kernels_read_and_write_the_arrays_that_stand_in_tables(compile):
    N, J, R = example()
    held = np.zeros((1, 3))
    R[1] = held
    found = entered(weighed, N, J, R, 1, 2.0, compile=compile)(N, J, R, 2, 0.5)
    expected = 0.5 * np.arange(6.0, 9.0) / 7 + np.array([3.0, -8.0, 15.0])
    np.testing.assert_array_equal(held[0], expected)
    assert found == (expected[0] + expected[1]) + expected[2]


def quotients(N, J, R) -> float:
    """Counts, and divides by what may be zero."""
    for i in range(3):
        R[1][i] += 1.0 / (N[0][i] - 3.0)
    return R[1][0]


@pytest.mark.parametrize("compile", [False, True])
def test_what_divides_by_zero_is_infinite_compiled_or_not(compile):
    N, J, R = example()
    N[0] = np.array([4, 3, 5])
    R[1] = (out := np.ones(3))
    assert entered(quotients, N, J, R, compile=compile)(N, J, R) == 2.0
    np.testing.assert_array_equal(out, [2.0, np.inf, 1.5])


def test_what_is_put_anew_is_read_by_the_same_entry():
    N, J, R = example()
    go = entered(weighed, N, J, R, 1, 2.0, compile=True)
    before = go(N, J, R, 0, 1.0)
    R[0] = np.full(12, 100.0)
    assert go(N, J, R, 0, 1.0) == pytest.approx(before + 300.0 - 3 / 7)


@pytest.mark.parametrize("compile", [False, True])
def test_kernels_call_one_another_by_address(compile):
    N, J, R = example()
    N[1][0] = place(weighed, N, J, R, 1, 2.0, compile=compile)
    go = entered(twice, N, J, R, 1, compile=compile)
    assert go(N, J, R, 1) == weighed(N.arrays, J.arrays, R.arrays, 1, SCALE) + 1.0


@pytest.mark.parametrize(
    "array", [np.zeros(6)[::2], np.zeros((3, 2)).T, np.zeros(3, dtype=np.float32), np.zeros(3, int)]
)
def test_arrays_with_gaps_or_of_another_kind_are_refused(array):
    with pytest.raises(ValueError, match="without gaps"):
        Table(1)[0] = array


@pytest.mark.parametrize("compile", [False, True])
def test_kernels_call_functions_of_python_as_long_as_these_are_kept(compile):
    N, J, R = example()
    asked = []
    solver = Callback(lambda *given: asked.append(given[-2:]) or 41.0, N, J, R, 1, 2.0, compile=compile)
    N[1][0] = solver.address
    assert entered(twice, N, J, R, 1, compile=compile)(N, J, R, 7) == 42.0
    assert asked == [(7, 2.0)]
    if not compile:
        address = solver.address
        del solver
        gc.collect()
        assert address not in run.FUNCTIONS


@pytest.mark.parametrize("problem", [ZeroDivisionError("no"), KeyboardInterrupt()])
def test_an_error_in_a_function_of_python_is_raised_behind_the_kernel(problem):
    def fails(*_):
        raise problem

    N, J, R = example()
    N[1][0] = (solver := Callback(fails, N, J, R, 1, 2.0, compile=True)).address
    go = entered(twice, N, J, R, 1, compile=True)
    for _ in range(2):
        with pytest.raises(type(problem)):
            go(N, J, R, 0)
    assert solver is not None
    assert not run._FAILED


def test_errors_belong_to_the_thread_of_their_kernel():
    N, J, R = example()

    def solve(N, J, R, k, factor):
        if k == 3:
            raise ValueError("three")
        return float(k)

    N[1][0] = (solver := Callback(solve, N, J, R, 1, 2.0, compile=True)).address
    go = entered(twice, N, J, R, 1, compile=True)

    def tried(k):
        try:
            return go(N, J, R, k)
        except ValueError as problem:
            return str(problem)

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(tried, range(6))) == [1.0, 2.0, 3.0, "three", 5.0, 6.0]
    assert solver is not None


def test_an_interrupt_reaches_a_march_around_a_solver_of_python():
    N, J, R = example()
    N[1][0] = (
        solver := Callback(lambda *_: signal.raise_signal(signal.SIGINT) or 0.0, N, J, R, 1, 2.0, compile=True)
    ).address
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            entered(twice, N, J, R, 1, compile=True)(N, J, R, 0)
    finally:
        signal.signal(signal.SIGINT, usual)
    assert solver is not None


def test_a_larger_function_is_compiled_once_for_all_that_call_it(monkeypatch):
    from hamex.march import newton, structure

    asked, real = [], run._address
    monkeypatch.setattr(run, "_address", lambda kernel, kinds: asked.append(kernel) or real(kernel, kinds))
    assert not run._is_part(newton.against)
    assert run._is_part(newton.gradient)
    from hamex.march import tables as t

    tables = Table(t.SLOTS_N, np.int64), Table(t.SLOTS_J, np.int32), Table(t.SLOTS_R)
    one = place(newton.newton, *tables, 0, 0, compile=True)
    other = place(structure.linear, *tables, 0, 0, compile=True)
    assert one != other
    assert len(run._PARTS[newton.gradient]) == 1
    assert asked.count(newton.gradient) <= 1
