"""08. A pendulum from its Lagrangian: simulated as it stands, its energy beside that of Runge and Kutta.

Mathematics. L = ½ml²θ̇² + mgl cos θ and the extended principle over each step, θ a polynomial of degree s in time, s
Gauss points: order 2s, symplectic, so that the energy error stays within a bound for ever. The classical Runge-Kutta
method of order 4 loses energy in every swing. For a nonlinear Lagrangian no identity conserves the energy to
round-off: the drift is reported, not claimed away.
"""

import math

import sympy as sp

import hamex as hx
from hamex.principle import t

m, l, g = sp.symbols("m l g", positive=True)
theta = sp.Function("theta")(t)
pendulum = hx.Action((theta,), m * l**2 * theta.diff(t) ** 2 / 2 + m * g * l * sp.cos(theta))
print("equation of motion:", pendulum.strong_form()[theta], "= 0")

h, steps, start = 0.1, 2000, 2.0
numbers = {"m": 1.0, "l": 1.0, "g": 9.81}
drift = {}
for degree in (1, 2):
    sol = hx.simulate(pendulum, numbers, {"theta": start}, duration=h * steps, step=h, degree=degree)
    error = abs(sol.values("imbalance"))
    drift[degree] = error[: steps // 2].max(), error[steps // 2 :].max()


def rate(x: float, v: float) -> tuple[float, float]:
    """The equation of motion solved for θ̈, by hand."""
    return v, -9.81 * math.sin(x)


def energy(x: float, v: float) -> float:
    """H = ½ml²θ̇² − mgl cos θ."""
    return v**2 / 2 - 9.81 * math.cos(x)


x, v, lost = start, 0.0, [0.0]
for _ in range(steps):
    a = rate(x, v)
    b = rate(x + h / 2 * a[0], v + h / 2 * a[1])
    c = rate(x + h / 2 * b[0], v + h / 2 * b[1])
    d = rate(x + h * c[0], v + h * c[1])
    x, v = (y + h / 6 * (p + 2 * q + 2 * r + s) for y, p, q, r, s in zip((x, v), a, b, c, d, strict=True))
    lost.append(abs(energy(x, v) - energy(start, 0.0)))
drift["RK4"] = max(lost[: steps // 2]), max(lost[steps // 2 :])

print(f"largest energy error over the first and the second {h * steps / 2:g} s [J]:")
for name, (first, second) in drift.items():
    print(f"  {f'degree {name}' if name != 'RK4' else name:9s} {first:.2e}  {second:.2e}")
assert all(second < 1.1 * first for first, second in (drift[1], drift[2]))
assert drift["RK4"][1] > 1.5 * drift["RK4"][0]
assert drift[2][1] < 0.01 * drift["RK4"][1]
