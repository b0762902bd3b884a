"""Reference kernels, compiled or as plain Python: the same bits."""

import numpy as np
import pytest

from hamex.march import reference, run
from hamex.schemes.explicit import RungeKutta4
from hamex.schemes.implicit import composite

RNG = np.random.default_rng(11)
LOAD = RNG.normal(size=(150, 4))


def nodes(count):
    return [np.zeros(151) for _ in range(count)]


def calls(eta):
    spring = (0.02, reference.Mass(1.0, 1.5, 225.0, 0.27, eta, 20.0))
    bathe, classical = composite(0.5), RungeKutta4(0.02).table()
    yield reference.collocation, (LOAD, *spring, 1.4, 1 / 6, 0.5), nodes(5)
    for by_table in (0, 1):
        yield (
            reference.diagonal,
            (LOAD, *spring, bathe[0], bathe[2], by_table),
            [*nodes(4), *(np.zeros(3) for _ in range(4))],
        )
    yield reference.explicit, (LOAD, *spring, classical[0], classical[1]), [*nodes(4), *(np.zeros(4) for _ in range(3))]
    yield reference.linear_map, (LOAD, 0.4 * RNG.normal(size=(3, 3)), RNG.normal(size=(3, 4))), [np.zeros((151, 3))]
    rotation = np.array([[0.8, 0.6], [-0.6, 0.8]])
    yield reference.free_energy, (rotation, 1.0, 7), [np.array([1.0, 0.2]), np.zeros(2), np.zeros(40)]
    yield reference.free_energy, (2e9 * rotation, 1.0, 7), [np.array([1.0, 0.2]), np.zeros(2), np.zeros(40)]


@pytest.mark.parametrize("eta", [0.0, 1.5])
def test_compiled_and_plain_agree_in_every_bit(eta):
    for kernel, inputs, outputs in calls(eta):
        results = []
        for machine in (False, True):
            copies = [out.copy() for out in outputs]
            code = run.march(kernel, inputs, copies, steps=150, compile=machine)
            results.append((code, [out.tobytes() for out in copies]))
            assert any(out.any() for out in copies)
        assert results[0] == results[1], kernel.__name__


def test_small_parts_agree_too():
    for trial in (-1.0, 0.1, 2.0):
        assert run.compiled(reference.flow)(trial, 0.3, 0.7) == reference.flow(trial, 0.3, 0.7)
        arguments = (1.1, 0.9, 0.01, trial, 0.4, 225.0, 0.02, 0.3, 0.004)
        assert run.compiled(reference.acceleration)(*arguments) == reference.acceleration(*arguments)


def test_a_run_away_vibration_is_stopped():
    *_, (kernel, inputs, outputs) = calls(0.0)
    assert run.march(kernel, inputs, outputs, steps=150, compile=False) > 0
