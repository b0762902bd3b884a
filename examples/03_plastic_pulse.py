"""03. Perfect plasticity: viscosity 0 needs no other code.

Mathematics. An undamped elastic-perfectly-plastic oscillator under a suddenly applied force P0 = r·Fy, ½ < r < 1, stops
when the work of the force equals the energy stored and dissipated: P0·u = Fy·u − ½Fy·uy, so μ = u/uy = 1/(2(1 − r)).
"""

import math

import hamex as hx

stiffness, yield_force = 100.0, 2.0
model = hx.oscillator(mass=1, stiffness=stiffness, law=hx.Slider(yield_force=yield_force))
h = 2 * math.pi / math.sqrt(stiffness) / 200

for r in (0.6, 0.75, 0.9):
    problem = hx.Problem(model, hx.constant(r * yield_force), duration=800 * h)
    sol = hx.solve(problem, hx.Galerkin(step=h))
    ductility = sol.peaks["displacement"].value / (yield_force / stiffness)
    exact = 1 / (2 * (1 - r))
    print(f"P0/Fy = {r}: ductility {ductility:.4f}, exact {exact:.4f}")
    assert abs(ductility / exact - 1) < 0.005
