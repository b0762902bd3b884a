"""21. A half-space under a point load: the Rayleigh wave.

Mathematics. Along a free surface a wave runs at ξ c_s, ξ the zero of (2 − ξ²)² = 4√(1 − ξ²)√(1 − ξ²c_s²/c_p²): 0.9194
for ν = ¼. Far from the load it is the largest of all motions, since it spreads along the surface only. At a frequency ω
its phase falls by k = ω/(ξ c_s) per length. Where the model of the ground ends, dashpots ρc_p and ρc_s let waves out.
"""

import numpy as np

import hamex as hx

rho, c_s, f, n = 1.0, 1.0, 1.0, 3
c_p = np.sqrt(3.0) * c_s  # ν = ¼
xi = np.sqrt(2 - 2 / np.sqrt(3))
ground = hx.Material.of_waves(rho, shear=c_s, pressure=c_p)
mesh = hx.meshes.rectangle(10.0, 2.5, (120, 30), origin=(0.0, -2.5))  # half of it: x = 0 is a line of symmetry
model = hx.solid(mesh, ground, fixed={"left": "x"}, absorbing=["right", "bottom"])


def burst(t):
    return np.where(t < n / f, np.sin(2 * np.pi * f * t) * np.sin(np.pi * f * t / n) ** 2, 0.0)


load = hx.Load(burst, patterns=model.body.point_force((0.0, 0.0), (0.0, -1.0)), breaks=[n / f])
sol = hx.solve(hx.Problem(model, load, duration=13.8), hx.Galerkin(step=0.06))

surface = sol.probe_line((2.5, 0.0), (7.5, 0.0), count=101).sel(component="y")
turned = np.exp(-2j * np.pi * f * sol.times) @ surface.values  # the part of frequency f, place by place
k = -np.polyfit(surface["distance"], np.unwrap(np.angle(turned)), 1)[0]
found = 2 * np.pi * f / k
print(f"c/c_s = {found / c_s:.4f}, exactly {xi:.4f}; P waves would give {c_p / c_s:.4f}, S waves 1")
assert abs(found / (xi * c_s) - 1) < 0.01
assert sol.residual < 1e-10
