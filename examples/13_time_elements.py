"""13. Time elements of higher degree, and elements with jumps.

Mathematics. The same principle with shape functions of degree s is Gauss collocation: order 2s, conservative, with a
phase error of (s!)²/((2s)!(2s+1)!)·(ωh)^2s. With jumps between the steps it is the L-stable Radau family of order
2s + 1: what rings under the first decays under the second, and the balance shows what the jumps cost.
"""

import math

import numpy as np

import hamex as hx

# Ten steps a period: by how much is the period too long?
omega = 2 * math.pi
free = hx.Problem(hx.oscillator(1, omega**2), hx.Load([0.0], step=1.0), 0.1, start=hx.State(displacement=[1.0]))
for degree, expected in ((1, 3.207), (2, 0.0211), (3, 0.0001)):
    sol = hx.solve(free, hx.Galerkin(0.1, degree=degree))
    phase = math.atan2(-sol.values("momentum")[1, 0] / omega, sol.values("displacement")[1, 0])
    longer = 100 * (0.1 * omega / phase - 1)
    print(f"degree {degree}: period {longer:.4f} % too long")
    assert abs(longer - expected) < 1e-3

# A millionth of the paper's viscosity: the force at the nodes zigzags around its limit, or does not.
model = hx.oscillator(mass=1, stiffness=225, damping=1.5, law=hx.Slider(yield_force=0.27, viscosity=1.5e-6))
problem = hx.Problem(model, hx.el_centro().scaled(2).on(model, g=1.0), duration=40.0)
for scheme in (hx.Galerkin(0.02), hx.DiscontinuousGalerkin(0.02, degree=1), hx.DiscontinuousGalerkin(0.02, degree=2)):
    sol = hx.solve(problem, scheme)
    over = np.abs(sol.values("node_force")).max() / 0.27 - 1
    lost = sol.values("jumps")[-1] / sol.values("input").max()
    print(
        f"{type(scheme).__name__}, degree {scheme.degree}: {100 * over:.2f} % over the yield force, "
        f"{100 * lost:.2f} % of the energy lost at jumps, residual {sol.residual:.0e}"
    )
    assert sol.residual < 1e-12
    assert (over < 0.01) == isinstance(scheme, hx.DiscontinuousGalerkin)
