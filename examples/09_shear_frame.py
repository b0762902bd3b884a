"""09. A shear frame: several sliders, one convex step.

Mathematics. With one slider the elastic trial fixes the branch; with several it can be wrong, and "repeat until the set
stops changing" can cycle. The step is the minimum of a strictly convex potential, M̂Δu + (h/2)BF = p₀ + (h/2)(f* − Ku₀),
so it has one solution, and Newton with a line search on that potential finds it.
"""

import warnings

import numpy as np

import hamex as hx

# The chain of two masses in which the elastic trial says (+, +) and the truth is (−, +), in one long step.
warnings.simplefilter("ignore", hx.errors.CoarseStepWarning)
chain = hx.shear_frame(masses=[1, 1], stiffnesses=[100, 100], laws=hx.Slider(yield_force=1.0, viscosity=0.1))
rest = hx.Load(np.zeros((1, 2)), step=0.5)
sol = hx.solve(hx.Problem(chain, rest, 0.5, start=hx.State(momentum=[-0.75, 1.25])), hx.Galerkin(step=0.5))
print("slip of the two storeys after one step:", sol.values("slip")[1].round(4))
assert sol.values("slip")[1, 0] < 0 < sol.values("slip")[1, 1]

# Five storeys through El Centro: every step solved, the energies balanced, a restart to the last bit.
frame = hx.shear_frame(
    masses=[60.0] * 5,
    stiffnesses=[60e3, 55e3, 48e3, 38e3, 25e3],
    damping=hx.modal(0.03),
    laws=[hx.Slider(fy, kinematic=1500.0) for fy in (600.0, 560.0, 480.0, 380.0, 250.0)],
    heights=3.2,
    units=hx.Units("m", "kN"),
)
load = hx.el_centro().on(frame, g=9.80665)
problem = hx.Problem(frame, load, duration=40.0)
sol = hx.solve(problem, hx.Galerkin(step=0.01))
drift = sol.peaks["storey_drift"]
print(
    f"T1 = {hx.modes(frame).periods[0]:.3f} s; largest storey drift {1e3 * drift.value:.1f} mm at {drift.where}; "
    f"at most {sol.values('solves').max()} solves in a step; "
    f"energy residual {sol.residual:.0e}"
)
assert sol.residual < 1e-11
assert sol.values("solves").max() <= 10

warnings.simplefilter("ignore", hx.errors.ShortRunWarning)  # the record goes on in the next run
first = hx.solve(hx.Problem(frame, load, duration=5.0), hx.Galerkin(step=0.01))
second = hx.solve(hx.Problem(frame, load.after(5.0), duration=35.0, start=first.final), hx.Galerkin(step=0.01))
assert np.array_equal(second.values("displacement"), sol.values("displacement")[500:])
