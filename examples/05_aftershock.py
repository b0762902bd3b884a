"""05. Mainshock and aftershock: a restart loses nothing, not even a bit.

Mathematics. The state of the dynamics is (u, p, u₁) and the internal variables of hardening: with them at t_N the
paper's "necessary and sufficient information" for what follows is complete. The split run is the whole run.
"""

import warnings

import numpy as np

import hamex as hx

law = hx.Slider(yield_force=0.27, viscosity=0.5, kinematic=5.0, isotropic=1.0)
model = hx.oscillator(mass=1, stiffness=225, damping=1.5, law=law)
record = hx.el_centro().scaled(2).on(model, g=1.0)
scheme = hx.Galerkin(step=0.02)

whole = hx.solve(hx.Problem(model, record, duration=40.0), scheme)
warnings.simplefilter("ignore", hx.errors.ShortRunWarning)  # the record goes on in the next run
first = hx.solve(hx.Problem(model, record, duration=7.3), scheme)
rest = hx.solve(hx.Problem(model, record.after(7.3), duration=32.7, start=first.final), scheme)
assert np.array_equal(whole.values("displacement")[365:], rest.values("displacement"))

aftershock = hx.el_centro().scaled(1.2).on(model, g=1.0)
second = hx.solve(hx.Problem(model, aftershock, duration=40.0, start=whole.final), scheme)
print(
    f"residual slip: {1e3 * whole.final.slip[0]:.3f} after the mainshock, "
    f"{1e3 * second.final.slip[0]:.3f} milli-in after the aftershock"
)
assert second.final.internal["accumulated_slip"][0] > whole.final.internal["accumulated_slip"][0]
