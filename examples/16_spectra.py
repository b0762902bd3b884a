"""16. Spectra, with the peak inside the step and with a ductility that is reached.

Mathematics. Between samples the ground acceleration is taken as linear, and the oscillator's motion there is known in
closed form; its peak is where the velocity vanishes, seldom at a sample. At short periods the largest sample falls
short of it. The strength that gives a ductility is a root of a curve that is not monotone; the largest root is the one
to design for.
"""

import numpy as np

import hamex as hx

motion, periods = hx.el_centro(), np.geomspace(0.03, 10.0, 60)
inside = hx.spectrum(motion, periods, damping=0.05, g=9.80665)
samples = hx.spectrum(motion, periods, damping=0.05, g=9.80665, peaks="samples")
short = (1 - samples.values("pseudo_acceleration") / inside.values("pseudo_acceleration")).ravel()
print(f"peaks at samples fall short by up to {100 * short.max():.1f} %, at T = {periods[short.argmax()]:.3f} s")
assert short.min() > -1e-12
assert 0.05 < short.max() < 0.6

yielding = hx.spectrum(motion, [0.2, 0.5, 1.0, 2.0], damping=0.05, g=9.80665, ductility=[2, 4, 8])
strength = yielding.values("strength")  # yield force over weight, (damping, ductility, period)
for mu, row in zip((2, 4, 8), strength[0], strict=True):
    print(f"ductility {mu}: yield force over weight", "  ".join(f"{value:.3f}" for value in row))
assert (np.diff(strength, axis=1) < 0).all()  # more ductility, less strength

# The point T = 0.5 s, ductility 4, by a run of its own.
k = (2 * np.pi / 0.5) ** 2
law = hx.Slider(yield_force=strength[0, 1, 1] * 9.80665)
model = hx.oscillator(mass=1, stiffness=k, damping=hx.ratio(0.05), law=law)
step = float(yielding.values("step")[1])
sol = hx.solve(hx.Problem(model, motion.on(model, g=9.80665), duration=32.0), hx.Galerkin(step))
print(f"run by itself: ductility {sol.peaks['ductility'].value:.4f}")
assert abs(sol.peaks["ductility"].value / 4 - 1) < 1e-3
