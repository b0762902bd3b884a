"""Dissipation and loads of places and rates: strong form, power, step matrices and the balance with jumps."""

import sympy as sp

from hamex.principle.action import Action
from hamex.principle.jets import t
from hamex.principle.stepform import h, jump_balance, jump_form, step_form
from hamex.principle.variation import energy_rate

m, k, c, b, P = sp.symbols("m k c b P", positive=True)
x, y, f = (sp.Function(name)(t) for name in "xyf")
v, w = x.diff(t), y.diff(t)
ROTOR = Action(
    (x, y), m * (v**2 + w**2) / 2 - k * (x**2 + y**2) / 2, c * v**2 / 2, {x: f - P * y + b * w, y: P * x - b * v}
)


def test_strong_form_and_power():
    """By hand: a gyroscopic force does no work, a circulatory one P(xẏ − yẋ)."""
    assert sp.expand(ROTOR.strong_form()[x] - (m * x.diff(t, 2) + c * v + k * x - f + P * y - b * w)) == 0
    assert sp.expand(energy_rate(ROTOR) - (f * v + P * (x * w - y * v) - c * v**2)) == 0


def test_loads_of_the_motion_enter_the_matrices_and_loads_of_time_the_symbols():
    form = step_form(ROTOR, 1)
    B, D, z = form.matrices()
    assert [str(s) for s in form.load_symbols[x]] == ["f_x"]
    assert y not in form.load_symbols
    assert sp.expand(B[0, 1] - (P * h / 4 - b / 2)) == 0
    assert sp.expand(D[0, 1] + (P * h / 4 + b / 2)) == 0
    assert z == sp.Matrix([h * form.load_symbols[x][0] / 2] * 2 + [0, 0])


def test_the_balance_with_jumps_counts_their_work():
    assert jump_balance(jump_form(ROTOR, 1)).rest == 0
