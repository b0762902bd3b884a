"""06. One load value per step: end, average or mean.

Mathematics. The printed load ʳf at the end of a step shifts the load by h/2: first order. The average of both ends, or
the mean over the step, is second order; the average makes the elastic method identical to Newmark's constant
acceleration.
"""

import math

import numpy as np

import hamex as hx

omega, forcing = 2 * math.pi, 3.0
model = hx.oscillator(mass=1, stiffness=omega**2, damping=hx.ratio(0.05))
load = hx.sine(1.0, omega=forcing)
reference = hx.solve(hx.Problem(model, load, duration=8.0), hx.Galerkin(step=1 / 20480, load="mean"))

for rule, order in (("end", 1), ("average", 2), ("mean", 2)):
    errors = []
    for parts in (80, 160, 320):
        sol = hx.solve(hx.Problem(model, load, duration=8.0), hx.Galerkin(step=1 / parts, load=rule))
        errors.append(abs(sol.values("displacement") - reference.values("displacement")[:: 20480 // parts]).max())
    slopes = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    print(f"{rule:8s} errors {', '.join(f'{e:.2e}' for e in errors)}  order {slopes.mean():.2f}")
    assert abs(slopes.mean() - order) < 0.1

newmark = hx.solve(hx.Problem(model, load, duration=8.0), hx.Newmark(step=1 / 80))
galerkin = hx.solve(hx.Problem(model, load, duration=8.0), hx.Galerkin(step=1 / 80))
assert abs(newmark.values("displacement") - galerkin.values("displacement")).max() < 1e-12
