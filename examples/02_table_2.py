"""02. One row of the paper's Table 2, from the public names alone.

Mathematics. Eqs. (66)-(68): one linear solve per step; the elastic trial says whether the slider moves and which way.
Conventions that the paper leaves out: f = −m·2·a(t) with El Centro in g as a bare number, load at the end of a step.
"""

import hamex as hx

law = hx.Slider(yield_force=0.27, viscosity=1.5)
model = hx.oscillator(mass=1, stiffness=225, damping=1.5, law=law, units=hx.Units("in", "kip"))
load = hx.el_centro().scaled(2).on(model, g=1.0)
sol = hx.solve(hx.Problem(model, load, duration=40.0), hx.Galerkin(step=0.02, load="end"))

slip, momentum = 1e3 * sol.final.slip[0], 1e3 * sol.final.momentum[0]
print(f"u1 = {slip:.4f} milli-in (printed -5.1638), p = {momentum:.4f} milli-in/s (printed -0.0054)")
print(sol)
print(f"energy residual {sol.residual:.1e}: a check of the arithmetic, not of accuracy")
assert (f"{slip:.4f}", f"{momentum:.4f}") == ("-5.1638", "-0.0054")
