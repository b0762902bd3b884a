"""A pendulum on a cart with a dashpot: the action that ``cart_and_pendulum.tex`` is held against.

hamex audit cart_and_pendulum.tex --action cart_and_pendulum.py
"""

import sympy as sp

from hamex.principle import Action, t

M, m, length, g, c = sp.symbols("M m l g c", positive=True)
x, theta, F = sp.Function("x")(t), sp.Function("theta")(t), sp.Function("F")(t)
v, omega = x.diff(t), theta.diff(t)
kinetic = M * v**2 / 2 + m * (v**2 + 2 * length * v * omega * sp.cos(theta) + length**2 * omega**2) / 2
action = Action((x, theta), kinetic + m * g * length * sp.cos(theta), c * v**2 / 2, {x: F}, name="cart and pendulum")
