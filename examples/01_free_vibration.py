"""01. Free vibration: the step from the action conserves energy and is late by a known amount.

Mathematics. With L = ½mu̇² + ½aJ̇² − J̇u and u, J linear over a step h, eq. (53) turns the phase of an undamped
oscillator by tan(φ/2) = ωh/2 each step. Its period is therefore longer than T by the factor ωh/φ, about
1 + (ωh)²/12, and its energy stays what it was.
"""

import math

import hamex as hx

mass, stiffness, u0 = 2.0, 50.0, 0.01
omega = math.sqrt(stiffness / mass)
period = 2 * math.pi / omega
h = period / 40

model = hx.oscillator(mass, stiffness)
start = hx.State(displacement=u0)
problem = hx.Problem(model, hx.constant(0.0), duration=4000 * h, start=start)
sol = hx.solve(problem, hx.Galerkin(step=h))

phase = 2 * math.atan(omega * h / 2)
exact_for_the_scheme = u0 * math.cos(4000 * phase)
elongation = omega * h / phase - 1
drift = abs(sol.values("kinetic") + sol.values("stored") - 0.5 * stiffness * u0**2).max() / (0.5 * stiffness * u0**2)

print(f"displacement after 4000 steps {sol.values('displacement')[-1, 0]:.9f}, predicted {exact_for_the_scheme:.9f}")
print(f"period elongation {100 * elongation:.4f} %, (ωh)²/12 = {100 * (omega * h) ** 2 / 12:.4f} %")
print(f"energy drift {drift:.1e} of the energy over 100 periods")
assert abs(sol.values("displacement")[-1, 0] - exact_for_the_scheme) < 1e-9 * u0
assert drift < 1e-12
