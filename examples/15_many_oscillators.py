"""15. A hundred thousand histories in one call.

Mathematics. The step of the paper's oscillator needs no iteration, so many oscillators can march side by side: one
instruction for all, the slider a clip instead of a branch. Ten viscosities × a thousand periods × ten scales of El
Centro are 100,000 histories of 1,559 steps. What comes out is what single runs give, to round-off, and to the last bit
the same on any number of threads.
"""

import numpy as np

import hamex as hx

period, relaxation = (axis.ravel() for axis in np.meshgrid(np.geomspace(0.1, 3.0, 1000), np.geomspace(0.001, 0.1, 10)))
k = (2 * np.pi / period) ** 2
many = hx.oscillators(stiffness=k, damping_ratio=0.05, yield_force=0.1 * 9.80665, viscosity=relaxation * k)
scales = np.linspace(0.5, 3.0, 10)
found = hx.batch(many, hx.el_centro(), hx.Galerkin(0.02), ("ductility", "residual_slip"), scales=scales, g=9.80665)
print(
    f"{found.values('ductility').size:,} histories; median ductility at scale {scales[-1]:g}: "
    f"{np.median(found.values('ductility')[:, 0, -1]):.2f}"
)

# One of them by itself.
i, j = 4321, 7
law = hx.Slider(yield_force=many.yield_force[i], viscosity=many.viscosity[i])
model = hx.oscillator(mass=1, stiffness=many.stiffness[i], damping=many.damping[i], law=law)
load = hx.el_centro().scaled(scales[j]).on(model, g=9.80665)
sol = hx.solve(hx.Problem(model, load, duration=1559 * 0.02), hx.Galerkin(0.02))
apart = abs(found.values("ductility")[i, 0, j] / sol.peaks["ductility"].value - 1)
print(f"alone and in company: {apart:.0e} apart")
assert apart < 1e-11

again = hx.batch(
    many,
    hx.el_centro(),
    hx.Galerkin(0.02),
    ("ductility", "residual_slip"),
    scales=scales,
    g=9.80665,
    threads=1,
    block=777,
)
assert np.array_equal(again.values("ductility"), found.values("ductility"))
