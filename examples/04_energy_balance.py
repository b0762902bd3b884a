"""04. Energy: an identity of every step, and why it is not accuracy.

Mathematics. Δ(½p²/m) + Δ(½e²/a) + cΔu²/h + FΔu₁ = f*Δu holds exactly for any law, damping and step. With hardening,
FΔu₁ splits into what is stored, Δ(X²/2Hk + Hi w²/2), and what is dissipated, which is never negative.
A coarse run closes the balance as well as a fine one; only the comparison of steps shows its error.
"""

import numpy as np

import hamex as hx

law = hx.Slider(yield_force=0.3, viscosity=0.2, kinematic=10.0, isotropic=3.0)
model = hx.oscillator(mass=1, stiffness=60, damping=hx.ratio(0.02), law=law)
problem = hx.Problem(model, hx.el_centro().on(model, g=9.80665), duration=40.0)

for step in (0.1, 0.02):
    sol = hx.solve(problem, hx.Galerkin(step=step, load="mean"), error=True)
    peak = sol.peaks["displacement"]
    print(f"h = {step}: peak {peak.value:.5f} ± {peak.error:.5f} m, energy residual {sol.residual:.0e}")
    assert sol.residual < 1e-12
    assert np.all(np.diff(sol.values("plastic")) >= 0)
