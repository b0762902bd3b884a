"""07. Newmark with Newton-Raphson beside the step that needs no iteration.

Mathematics. With one slider the elastic trial fixes sign and branch of the slip, so eqs. (66)-(68) are solved in one
pass. Newmark with a return map iterates, and in hard cases does not converge.
"""

import warnings

import hamex as hx
from hamex.errors import CoarseStepWarning, ConvergenceError

hard = hx.oscillator(mass=1, stiffness=400, damping=0.5, law=hx.Slider(yield_force=0.3, viscosity=1e-3))
problem = hx.Problem(hard, hx.el_centro().scaled(3).on(hard, g=9.80665), duration=40.0)

with warnings.catch_warnings():
    warnings.simplefilter("ignore", CoarseStepWarning)  # as coarse as can be, on purpose
    sol = hx.solve(problem, hx.Galerkin(step=0.2, load="mean"))
print(f"new method, h = 0.2 s: {sol.status.value}, energy residual {sol.residual:.0e}")
assert sol.residual < 1e-12

fine = hx.solve(problem, hx.Newmark(step=0.02))
print(f"Newmark, h = 0.02 s: {int(fine.values('iterations').sum())} iterations in {fine.steps} steps")

load = hx.Load(problem.load.step_values(0.2, 200, "mean") @ problem.load.patterns.T, step=0.2)
failure = None
try:
    hx.solve(problem.replace(load=load), hx.Newmark(step=0.2))
except ConvergenceError as error:
    failure = error
print(f"Newmark, h = 0.2 s: {failure}")
assert failure is not None
