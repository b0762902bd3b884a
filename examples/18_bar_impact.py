"""18. A bar hits a wall.

Mathematics. ρ ü = E u'', section 4.3 of the paper in one dimension. A bar of length L flies at −v against a wall at
x = 0. The wave that says "stop" runs through it at c = √(E/ρ), its stress is σ = ρ c v, and it comes back as release:
the bar touches for 2L/c and leaves with +v, all of its energy kinetic again. The wall is a gap: it pushes, never pulls.
"""

import numpy as np

import hamex as hx

E, rho, area, L, v = 200e6, 8.0, 1e-3, 2.5, 2.0  # kN/m², t/m³, m², m, m/s
c = np.sqrt(E / rho)
n = 100
wall = hx.spring_link(None, 0, stiffness=E * area / (L / n), law=hx.laws.Gap())
bar = hx.rod(L, n, modulus=E, density=rho, area=area, fixed="none", links=[wall], units=hx.Units("m", "kN"))

flies = hx.State(momentum=bar.mass @ np.full(n + 1, -v))
nothing = hx.Load([0.0, 0.0], step=1.0, patterns=np.zeros((n + 1, 1)))
h = 0.5 * L / n / c
sol = hx.solve(hx.Problem(bar, nothing, duration=600 * h, start=flies), hx.Galerkin(step=h))

t, N = sol.middles, sol.values("force")  # of the elements, and of the wall at the end
pushed = t[-N[:, -1] > 0.5 * rho * c * v * area]
contact = pushed[-1] - pushed[0]
middle = (t > 0.8 * L / c) & (t < 1.2 * L / c)
stress = -N[middle, n // 2].mean() / area
momentum = (bar.mass @ sol.values("velocity")[-1]).sum() / bar.mass.sum()
print(f"contact {1e3 * contact:.4f} ms, 2L/c is {2e3 * L / c:.4f} ms")
print(f"stress {stress / 1e3:.2f} MPa, ρcv is {rho * c * v / 1e3:.2f} MPa")
print(f"it came at {v} m/s and leaves at {momentum:.4f} m/s; energy residual {sol.residual:.0e}")
assert abs(contact / (2 * L / c) - 1) < 0.02
assert abs(stress / (rho * c * v) - 1) < 0.01
assert abs(momentum / v - 1) < 0.02
assert sol.residual < 1e-11
