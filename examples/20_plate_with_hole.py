"""20. A plate with a hole, pulled into yield.

Mathematics. Where the von Mises stress q reaches σ_y the material flows, ε̇ᵖ along ∂q/∂σ. Pulled slowly, a plate in
plane stress first shows the elastic concentration of stress at the hole, about three times the pull; then flow spreads
from the hole to the edges, and the plate carries no more than its net section, p = σ_y (1 − r/w) (Gaydon and McCrum).
"""

import numpy as np

import hamex as hx

w, r, E, nu, s_y = 100.0, 20.0, 210e3, 0.3, 250.0  # mm, MPa
steel = hx.Material(density=7.85e-9, modulus=E, poisson=nu, law=hx.laws.J2(yield_stress=s_y))
quarter = hx.meshes.plate_with_hole(w, 2 * w, r, (8, 12), grading=5.0)
plate = hx.solid(quarter, steel, fixed={"left": "x", "bottom": "y"}, plane="stress", units=hx.Units("mm", "N"))
p = plate.body.traction("top", (0.0, 1.0))  # 1 MPa

push = hx.pushover(plate, p, displacement=0.5, steps=25)
pull = push.values("load_factor")  # MPa
first = int(np.argmax(np.abs(push.values("slip")).max(axis=1) > 0))
near = push.probe((r * 1.001, 0.0), "stress", times=[push.times[first - 1]]).sel(component="yy").item()
concentration = near / pull[first - 1]
flowed = push.field("equivalent_plastic_strain", at="cells").values > 1e-6
print(f"elastic: {concentration:.2f} times the pull at the hole (Howland: 3.14)")
print(f"limit: {pull[-1]:.1f} MPa; net section σ_y (1 − r/w) = {s_y * (1 - r / w):.1f} MPa")
print(f"{100 * flowed.mean():.0f} % of the cells have flowed")
assert abs(concentration / 3.14 - 1) < 0.05
assert 0 < pull[-1] / (s_y * (1 - r / w)) - 1 < 0.02  # displacements that are continuous give bounds from above
