"""The end of a derivation: dimensions, limits, exercises with answers."""

from __future__ import annotations

from hamex.report.derivation import dimensions
from hamex.report.derivation.blocks import Block, Bullets, Equation, Exercise, Heading, Paragraph, Table, math, quoted
from hamex.report.derivation.endpoints import end_points, frequency
from hamex.report.derivation.latex import field, latex
from hamex.report.derivation.stepping import difference_of_rows
from hamex.report.derivation.system import System, delta


def dimension_table(system: System) -> list[Block]:
    """Dimensions of L, φ, momenta and equations, each sum checked term by term."""
    action = system.action
    quantities = [("$L$", action.lagrangian)]
    if system.dissipative:
        quantities.append((r"$\varphi$", action.dissipation))
    quantities += [(f"momentum of {math(field(q))}", action.momentum(q)) for q in system.carriers[:4]]
    quantities += [(f"equation of {math(field(q))}", e) for q, e in list(system.variation.bulk.items())[:4]]
    rows = []
    for title, expression in quantities:
        try:
            rows.append((title, quoted(dimensions.words(dimensions.of(expression, action))), "all terms agree"))
        except dimensions.MixedDimensionError as problem:
            rows.append((title, "–", f"**terms differ**: {quoted(str(problem))}"))
        except dimensions.UnknownDimensionError as problem:
            rows.append((title, "–", f"not checked: {quoted(str(problem))}"))
    note = (r"$\varphi$ is energy per time, not energy like $L$: it cannot be added to the Lagrangian, and only its "
            r"derivative by a rate, a force, joins the variation. " if system.dissipative else "")
    return [Heading("Dimensions"),
            Paragraph(f"{note}Each equation times its field has the dimension of $L$: the principle compares virtual "
                      "work with virtual work. Checked from the units above, term by term:"),
            Table(("quantity", "dimension", "check"), tuple(rows))]


def limits(system: System) -> list[Block]:
    """What the method does not do, for this system."""
    items = []
    if system.lumped and system.form is not None:
        items.append("Degree 1 is of second order in $h$ when the load of a step is the mean of its ends. The printed "
                     "end-of-step load makes it first order: the solution shifted by $h/2$.")
        items.append("The balance of energy closes to round-off in every step. That checks the arithmetic, not the "
                     "accuracy; a coarse run closes too.")
    if system.piecewise:
        items += ["One slider needs no iteration: the elastic trial fixes the branch. With several sliders the trial "
                  "can choose the wrong set, and a convex solve is needed.",
                  "Not L-stable: as the viscosity tends to zero the slip of a step alternates about its mean. Step "
                  "means stay right, node values overshoot the yield limit.",
                  "A kink inside a step limits any fixed step to second order."]
    if not system.linear:
        items += ["Nonlinear: each step needs Newton's method, and no energy identity holds to the last digit. The "
                  "drift of the energy is the thing to report.",
                  "Integrals take as many Gauss points as the degree; exact integration of a term in the value alone "
                  r"would be unstable beyond $\omega h = \sqrt{12}$."]
    if system.explicit_time:
        items.append("$L$ depends on time: the Hamiltonian is not conserved, and the step matrices change from step to "
                     "step.")
    if not system.lumped:
        items += ["Small strains and displacements; the reference domain does not move.",
                  "Nothing is marched here: space comes first (finite elements), and wave fronts ring with continuous "
                  "elements in time.",
                  "Off-diagonal components that are counted once carry a factor 2."]
    if any(q not in system.carriers for q in system.fields):
        items.append("Fields without momentum need tests of one degree less; with full tests two contradictory steps "
                     "would result.")
    items.append("Covered: rates once in $L$, space derivatives up to the second, dissipation as a convex function of "
                 "rates. Not covered: constraints on velocities, multipliers on positions (index 3), non-associated "
                 "friction.")
    return [Heading("Limits"), Bullets(tuple(items))]


def exercises(system: System) -> list[Block]:
    """Three exercises with answers."""
    return [Heading("Exercises"), _order(system), _ends(system), _last(system)]


def _order(system: System) -> Exercise:
    if not system.carriers:
        q = system.fields[0]
        return Exercise(f"1. Give {math(field(q))} a small mass and let it go to zero. What becomes of the initial "
                        "momentum?",
                        (Paragraph("With a mass there is a bracket at the start, and a momentum to assign. As the mass "
                                   "goes to zero so does the bracket: the datum loses its place, and only the initial "
                                   "value is left. A velocity given anyway would contradict the equation."),))
    q = system.carriers[0]
    first = f"{latex(system.variation.ends[q])}"
    return Exercise(
        f"1. Assign the value {math(field(q) + '(0)')} before the momentum. Which datum is lost, and where?",
        (Paragraph(rf"Giving the value makes {math(delta(q) + '(0) = 0')}. It multiplies the bracket that holds "
                   rf"{math(first)} against its given value, so the initial momentum drops out. Momentum first, while "
                   r"the variation is still free; then the value."),))


def _ends(system: System) -> Exercise:
    found = end_points(system)
    if found.kind == "single":
        return Exercise(
            rf"2. For which $T$ does the end-point problem of {math(field(system.fields[0]))} fail, and is the initial "
            "value problem in trouble there?",
            (Paragraph(rf"Where $\sin\omega T = 0$, that is $T = n\pi/\omega$, with "
                       rf"{frequency(found)}. The initial value problem is not: value and "
                       "momentum at 0 fix both constants at once, for every $T$."),))
    if found.kind == "free":
        return Exercise("2. Solve the end-point problem, and the initial value problem. How do they differ here?",
                        (Paragraph("Position at both ends: a straight line through two points, always possible. Value "
                                   "and momentum at the start: a straight line by point and slope. The second needs "
                                   "nothing from the future."),))
    return Exercise(
        "2. Count, for degree $s = 2$, rows and unknowns of one field with a momentum: in the extended principle, "
        r"with $\delta q(0) = 0$ alone, and with both end-point constraints.",
        (Paragraph("Extended: 3 rows for 2 new values and 1 momentum. With $\\delta q(0) = 0$ alone: 2 rows for these "
                   "3 unknowns, and the given momentum appears nowhere. With both constraints: 1 row for the one inner "
                   "value, the end being 'known'."),))


def _last(system: System) -> Exercise:
    if not system.lumped:
        condition = system.action.boundary_conditions()[0]
        return Exercise("3. Nothing is prescribed on some part of the boundary. What holds there?",
                        (Paragraph(r"Variations are free there, so every conjugate force vanishes: a free boundary. "
                                   "For instance"), Equation((f"{latex(condition.force)} = 0",))))
    if system.dissipative and system.linear and not system.piecewise and len(system.fields) == 1 and system.carriers:
        q = system.fields[0]
        return Exercise(
            r"3. Multiply the equation of motion by $\mathrm{e}^{\gamma t}$. For which $\gamma$ does it pass the "
            "Helmholtz test?",
            (Paragraph(rf"$\partial E/\partial\dot{{{field(q)}}} = \mathrm{{d}}/\mathrm{{d}}t\;\partial E/\partial"
                       rf"\ddot{{{field(q)}}}$ becomes "
                       r"$c\,\mathrm{e}^{\gamma t} = m\gamma\,\mathrm{e}^{\gamma t}$: $\gamma = c/m$. "
                       r"Then $L = \mathrm{e}^{ct/m}(\tfrac{1}{2}m\dot{u}^2 - \tfrac{1}{2}ku^2)$, the "
                       "library's caldirola-kanai."),))
    rows = difference_of_rows(system, system.carriers[0]) if system.carriers else None
    if rows is not None:
        return Exercise(
            f"3. Subtract the two rows of {math(field(system.carriers[0]))}. What do you get?",
            (Equation((f"{rows} = 0",)),
             Paragraph("The forces at mid-step cancel. What is left says that the mean of the old and the new momentum "
                       "is the momentum of the mean rate, eq. (79): the linear relation behind Newmark's average "
                       "acceleration."),))
    return Exercise("3. The field has no momentum. What does a given initial velocity do?",
                    (Paragraph("Nothing: it appears in no row. The equation fixes the rate from the value and the "
                               "load."),))
