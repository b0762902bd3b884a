"""12. A power-law damper in a harmonic cycle.

Mathematics. F = c|v|^α dissipates W = λ c ω^α A^(1+α) in a cycle of amplitude A, with λ = 2^(2+α) Γ(1+α/2)²/Γ(2+α):
3.675 for α = 0.3, 3.496 for α = 0.5. Here the damper is held between the ground and a support that moves.
"""

import math

import numpy as np

import hamex as hx

c, omega, amplitude = 40.0, 2 * math.pi, 0.05
for alpha in (0.3, 0.5):
    # A mass held still by a stiff spring; the damper runs from it to the moving ground.
    still = hx.truss(
        nodes={"wall": (0, 0), "mass": (1, 0), "shaker": (2, 0)},
        bars=[hx.Bar("wall", "mass", stiffness=1e9)],
        supports={"wall": ("x", "y"), "mass": ("y",), "shaker": ("x", "y")},
        masses={"mass": 1.0},
        links=[hx.power_damper("mass", "shaker", c, alpha, stiffness=1e7, direction="x")],
    )
    h, steps = 1 / 4000, 8000
    times = np.arange(steps + 1) * h
    motion = np.zeros((steps + 1, len(still.support_names)))
    motion[:, still.support_names.index("shaker.x")] = amplitude * np.sin(omega * times)
    quiet = hx.Load(np.zeros((1, len(still.dofs))), step=1.0)
    problem = hx.Problem(still, quiet, duration=2.0, supports=hx.Load(motion, step=h))
    sol = hx.solve(problem, hx.Galerkin(step=h))
    cycle = sol.values("viscous")[8000] - sol.values("viscous")[4000]
    factor = 2 ** (2 + alpha) * math.gamma(1 + alpha / 2) ** 2 / math.gamma(2 + alpha)
    exact = factor * c * omega**alpha * amplitude ** (1 + alpha)
    print(f"alpha = {alpha}: lambda = {factor:.3f}, dissipated {cycle:.5f}, exact {exact:.5f}")
    assert abs(cycle / exact - 1) < 1e-3
