"""17. A drum from its Lagrangian: derived, put on a mesh, struck and heard.

Mathematics. A membrane of mass μ per area under the tension N has the density l = ½μẇ² − ½N|∇w|², from which the
principle derives μẅ = N∇²w. On a mesh w is a sum of shape functions, and the same density gives M and K, cell by cell:
nobody writes an element. A blow with a round stick excites the tones that are symmetric around the middle, at
ω = jₖ c/a with c = √(N/μ) and jₖ the zeros of Bessel's J₀ (2.4048, 5.5201, 8.6537, …). The rim of the mesh is a
polygon of 32 sides, 0.6 % smaller than the circle in area, so that all tones are 0.3 % higher; the rest is the mesh.
"""

import numpy as np
import skfem
import sympy as sp
from scipy.special import jn_zeros

import hamex as hx
from hamex.principle import t

x, y = sp.symbols("x y", real=True)
mu, N = sp.symbols("mu N", positive=True)
w = sp.Function("w")(x, y, t)
slope = w.diff(x) ** 2 + w.diff(y) ** 2
drum = hx.Action((w,), mu * w.diff(t) ** 2 / 2 - N * slope / 2, space=(x, y), name="drum")
print("equation of motion:", drum.strong_form()[w], "= 0")

radius, mass, tension = 0.3, 0.26, 3500.0  # a kettledrum [m, kg/m², N/m]
c = np.sqrt(tension / mass)
mesh = skfem.MeshTri.init_circle(3).scaled(radius)
model = hx.discretise(drum, mesh, {"mu": mass, "N": tension}, degree=2, fixed={"all": "w"})

# The stick leaves momentum within 6 cm of the middle, and nothing moves yet.
blow = model.fields.load(w=lambda x: 0.5 * np.exp(-((x[0] ** 2 + x[1] ** 2) / 0.06**2)))
period = 2 * np.pi * radius / (jn_zeros(0, 1)[0] * c)
step, steps = period / 40, 1200
still = hx.Load(np.zeros(2), step=step, patterns=np.zeros(len(model.dofs)))
problem = hx.Problem(model, still, duration=step * steps, start=hx.State(momentum=blow))
sol = hx.solve(problem, hx.Galerkin(step=step, degree=2))

middle = sol.values("displacement") @ model.fields.at("w", 0.0, 0.0)
loudness = np.abs(np.fft.rfft(middle * np.hanning(len(middle)), 16 * len(middle)))
omega = 2 * np.pi * np.fft.rfftfreq(16 * len(middle), step)
print(f"{len(model.dofs)} dofs, {steps} steps, energy balanced to {sol.residual:.0e}")
print("tone  exact [Hz]  heard [Hz]  difference")
for k, zero in enumerate(jn_zeros(0, 3), 1):
    exact = zero * c / radius
    near = np.abs(omega / exact - 1) < 0.1
    heard = omega[near][np.argmax(loudness[near])]
    print(f"{k:4d}  {exact / (2 * np.pi):10.2f}  {heard / (2 * np.pi):10.2f}  {heard / exact - 1:10.2%}")
    assert 0.003 < heard / exact - 1 < 0.005
assert sol.residual < 1e-10
