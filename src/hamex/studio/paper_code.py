"""Table 2 of the paper as a script: its numbers are written out, and so are the changes that were asked for."""

from __future__ import annotations

from hamex.paper.cases import (
    CASES,
    DURATION,
    MASS,
    RECORD_SCALE,
    RESONANT_END,
    RESONANT_OMEGA,
    RESONANT_SCALE,
    STIFFNESS,
    YIELD_FORCE,
)
from hamex.studio.code_parts import headline, said
from hamex.studio.paper_table import PaperRequest

_LOOP = """
slips, momenta, residuals = [], [], []
print("case                   slip (printed)  computed   momentum (printed)  computed")
for loading, parameter, step, damping, slip_printed, momentum_printed in cases:
    law = hx.Slider(yield_force, viscosity=viscosity * damping, kinematic=kinematic)
    model = hx.oscillator(mass, stiffness, damping, law, units)
    if loading == "Resonant":
        load = hx.sine(-mass * {sine_scale!r}, omega={omega!r}, duration={end!r})
    else:
        load = hx.el_centro().scaled({scale!r}).on(model, g=1.0)      # values in g, used as bare numbers
    problem = hx.Problem(model, load, duration={duration!r})
    sol = hx.solve(problem, hx.Galerkin(step / parts, load={load}))
    slips.append(1e3 * sol.values("slip")[-1, 0])
    momenta.append(1e3 * sol.values("momentum")[-1, 0])
    residuals.append(sol.residual)
    print(f"{{loading + ', ' + parameter:22s}} {{slip_printed:>14s}} {{slips[-1]:9.4f}} "
          f"{{momentum_printed:>20s}} {{momenta[-1]:9.4f}}")
    try:
        newmark = hx.solve(problem, hx.Newmark(step / parts))
    except ConvergenceError as failure:
        print(f"    Newmark: {{failure}}")
        continue
    print(f"    Newmark: slip {{1e3 * newmark.values('slip')[-1, 0]:.4f}}, "
          f"momentum {{1e3 * newmark.values('momentum')[-1, 0]:.4f}}, "
          f"{{int(newmark.values('iterations').sum())}} iterations")
print("largest energy residual", max(residuals))
"""


def paper_code(request: PaperRequest) -> str:
    """A script that computes Table 2 as the view shows it."""
    rows = [f'"{case.loading}", "{case.parameter}", {case.step!r}, {case.damping!r}, "{case.slip_printed}", '
            f'"{case.momentum_printed}"' for case in CASES]
    lines = [headline("Table 2 of the paper" if request.is_the_paper_s else "Table 2 with other settings"), "",
             "import hamex as hx", "from hamex.errors import ConvergenceError", "",
             'units = hx.Units(length="in", force="kip")',
             f"mass, stiffness, yield_force = {MASS!r}, {STIFFNESS!r}, {YIELD_FORCE!r}",
             f"parts = {request.parts!r}          # of every step of the paper",
             f"viscosity = {request.viscosity!r}    # times the paper's",
             f"kinematic = {request.kinematic!r}    # hardening [kip/in], none in the paper",
             "# Loading, what is varied, step [s], c = η [kip·s/in], and what the paper prints [milli-in, milli-in/s].",
             "cases = [", *(f"    ({row})," for row in rows), "]",
             _LOOP.strip().format(sine_scale=RESONANT_SCALE, omega=RESONANT_OMEGA, end=RESONANT_END,
                                  scale=RECORD_SCALE, duration=DURATION, load=said(request.load))]
    return "\n".join(lines) + "\n"
