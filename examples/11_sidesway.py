"""11. Sidesway collapse: a physical limit, not a failure of the solver.

Mathematics. An undamped elastic-perfectly-plastic storey under a weight with P/h = θk loses its equilibrium where
Fy = θku. To get there from rest costs ½ku_y²(1/θ − 1), so it collapses when v₀ > ωu_y √(1/θ − 1), ω = √(k/m): three
times ωu_y for θ = 0.1. P-Delta is a negative stiffness beside the spring; the step stays convex below a length that
is computed beforehand.
"""

import math

import numpy as np

import hamex as hx

mass, stiffness, yield_force, height = 1.0, 100.0, 2.0, 3.0
theta = 0.1
frame = hx.shear_frame(
    [mass], [stiffness], laws=hx.Slider(yield_force), heights=height, weights=theta * stiffness * height
)
critical = math.sqrt(stiffness / mass) * (yield_force / stiffness) * math.sqrt(1 / theta - 1)
rest = hx.Load(np.zeros((1, 1)), step=1.0)

for share in (0.999, 1.001):
    start = hx.State(momentum=[share * critical * mass])
    sol = hx.solve(hx.Problem(frame, rest, duration=6.0, start=start), hx.Galerkin(step=0.001))
    gone = abs(sol.values("displacement")[-1, 0]) > yield_force / stiffness / theta
    print(f"v0 = {share} v_critical: {'collapses' if gone else 'recovers'}; {sol.status.value}")
    assert gone == (share > 1)

try:
    hx.solve(hx.Problem(frame, rest, duration=6.0), hx.Galerkin(step=2.0))
except hx.errors.SchemeError as refused:
    print(refused)
