"""Starts: completed from what is given, refused where they contradict a relation or leave a choice."""

import math

import numpy as np
import pytest
import sympy as sp

import hamex as hx
from hamex.errors import ProblemError
from hamex.principle import t
from hamex.principle.numeric import functions
from hamex.simulate.start import start_values
from hamex.simulate.system import NumericAction

m, k, g, l = sp.symbols("m k g l", positive=True)
x, y, u, v, p, J, theta, lam, f = (
    sp.Function(name)(t) for name in ("x", "y", "u", "v", "p", "J", "theta", "lambda", "f")
)


def d(q):
    return q.diff(t)


MIDDLE = hx.Action((x, y), m * d(x) ** 2 / 2 - k * (x - y) ** 2 / 2 - k * y**2 / 2)
PAIR = hx.Action((u, v), (v * d(u) - u * d(v)) / 2 - k * (u**2 + v**2) / 2)
PHASE = hx.Action((x, p), p * d(x) - p**2 / (2 * m) - k * x**2 / 2)
PLANE = m * (d(x) ** 2 + d(y) ** 2) / 2
ROD = hx.Action((x, y, lam), PLANE - m * g * y + d(lam) * (x**2 + y**2 - l**2))
BLADE = hx.Action((x, y, theta), PLANE + d(theta) ** 2 / 2, constraints=(d(x) * sp.sin(theta) - d(y) * sp.cos(theta),))
DRIVEN = hx.Action((x, y), PLANE, constraints=(x - f,))
NUMBERS = {"m": 2.0, "k": 3.0, "g": 9.81, "l": 1.0, "f": lambda time: 0.3 + math.sin(2 * time)}


def completed(system, start):
    found = functions(system)
    numbers = {name: NUMBERS[name] for name in (*found.parameters, *found.given)}
    return start_values(system, NumericAction(found, numbers, 0.01), start, {})


# Analysis: y = x/2; u̇ = kv, v̇ = −ku, P_u = v/2; ẋ = p/m; x ẋ + y ẏ = 0; ẏ = ẋ tan θ.
COMPLETED = {
    "dependent value": (MIDDLE, {"x": 1.0}, [1, 0.5], [0, 0]),
    "the other way round": (MIDDLE, {"y": 0.5}, [1, 0.5], [0, 0]),
    "both, in accord": (MIDDLE, {"x": 1.0, "y": 0.5, "x_dot": 0.4}, [1, 0.5], [0.4, 0.2]),
    "a momentum": (MIDDLE, {"P_x": 3.0}, [0, 0], [1.5, 0.75]),
    "nothing": (MIDDLE, {}, [0, 0], [0, 0]),
    "first order": (PAIR, {"u": 1.0, "v": 2.0}, [1, 2], [6, -3]),
    "a momentum for a value": (PAIR, {"P_u": 0.3}, [0, 0.6], [1.8, 0]),
    "a rate for a value": (PAIR, {"u_dot": 3.0}, [0, 1], [3, 0]),
    "a rate for a momentum": (PHASE, {"x": 1.0, "x_dot": 2.0}, [1, 4], [2, -3]),
    "a rate along a rod": (ROD, {"x": 0.6, "y": -0.8, "x_dot": 1.0}, [0.6, -0.8], [1, 0.75]),
    "a rate across a slope of zero": (ROD, {"x": 1.0, "y": 0.0, "y_dot": 2.0}, [1, 0], [0, 2]),
    "a rate along a blade": (BLADE, {"theta": 0.3, "x_dot": 1.0}, [0, 0, 0.3], [1, math.tan(0.3), 0]),
    "a given motion": (DRIVEN, {"y": 1.0}, [0.3, 1], [2, 0]),
}


@pytest.mark.parametrize("name", COMPLETED)
def test_what_follows_is_computed_and_what_is_given_is_kept(name):
    system, start, places, rates = COMPLETED[name]
    q, v, momentum = completed(system, start)
    n = len(functions(system).fields)
    assert q[:n] == pytest.approx(places, rel=1e-15, abs=1e-15)
    assert v[:n] == pytest.approx(rates, rel=1e-9 if name == "a given motion" else 1e-14, abs=1e-15)
    for key, value in start.items():
        i = functions(system).fields.index(key.removeprefix("P_").removesuffix("_dot"))
        assert (momentum if key.startswith("P_") else v if key.endswith("_dot") else q)[i] == value


REFUSED = {
    "a relation": (
        MIDDLE,
        {"x": 1.0, "y": 1.0},
        r"breaks the relation x\(t\) - 2\*y\(t\) = 0 \(primary\): it is -1 there, with x = 1, y = 1",
    ),
    "a momentum": (PAIR, {"u": 1.0, "P_v": 0.3}, r"contradicts itself: P_v = 0.3 is off by 0.8 with u = 1"),
    "a length": (ROD, {"x": 1.0, "y": 0.1}, r"breaks the relation .*l\*\*2 .* = 0 \(stated\): it is 0.01"),
    "a rate": (ROD, {"x": 0.6, "y": -0.8, "x_dot": 0.8, "y_dot": 1.0}, r"it is -0.32 there"),
    "a slip": (BLADE, {"theta": 0.3, "x_dot": 1.0, "y_dot": 1.0}, r"sin\(theta\(t\)\).*\(stated\)"),
    "a drive": (DRIVEN, {"x": 1.0}, r"it is -0.7 there, with x = 1"),
    "two places": (ROD, {"x": 0.6}, r"several starts fit: \(y = -?0.8\) or \(y = -?0.8\). Give y as well"),
    "a turning point": (ROD, {"x": 1.0}, "singular.*Give y"),
    "a gauge": (hx.Action((x, y), (d(x) - y) ** 2 / 2), {}, "nothing determines y"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_start_that_contradicts_or_leaves_a_choice_is_refused(name):
    system, start, says = REFUSED[name]
    with pytest.raises(ProblemError, match=says):
        completed(system, start)


def test_the_run_is_that_of_the_condensed_system():
    """Reference: analysis. m ẍ + (k/2) x = 0 with y = x/2 throughout, from either datum."""
    for start in ({"x": 1.0}, {"y": 0.5}):
        sol = hx.simulate(MIDDLE, {"m": 1.0, "k": 2.0}, start, 5.0, 0.05, 3)
        moved = sol.values("displacement")
        assert moved[:, 0] == pytest.approx(np.cos(sol.times), abs=1e-9)
        assert moved[:, 1] == pytest.approx(moved[:, 0] / 2, abs=1e-14)
