"""14. Yield instants: the order of the element survives them.

Mathematics. On fixed branches the motion is analytic; where a spring starts or stops to slip it has a kink, and a step
across the kink is of second order whatever the degree. Cut the step at the kink, and the order is 2s again.
"""

import math

import numpy as np

import hamex as hx

model = hx.oscillator(mass=1, stiffness=225, damping=1.5, law=hx.Slider(yield_force=0.72, viscosity=1.5))
load = hx.Load(lambda t: 0.5 * np.sin(7 * t) + 0.3 * np.cos(3 * t))
problem = hx.Problem(model, load, duration=4.0)
exact = hx.solve(problem, hx.Galerkin(4 / 1600, degree=4, locate=True)).values("displacement")

for locate in (False, True):
    errors = []
    for steps in (50, 100, 200, 400):
        sol = hx.solve(problem, hx.Galerkin(4 / steps, degree=2, locate=locate))
        errors.append(np.abs(sol.values("displacement") - exact[:: 1600 // steps]).max())
    order = math.log2(errors[0] / errors[-1]) / 3
    print(f"locate={locate}: errors {', '.join(f'{e:.1e}' for e in errors)}; order {order:.2f}")
    assert order > 3.5 if locate else order < 2.5
