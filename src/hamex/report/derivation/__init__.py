"""A derivation that reads like a lecture, from an action alone: one document, three ways to show it.

Here it is put together, and written as a page or as LaTeX; and here stands its end: limits, exercises.
"""

from __future__ import annotations

from pathlib import Path

from hamex.files import check_writable, write_atomically
from hamex.principle.action import Action
from hamex.principle.library import LIBRARY
from hamex.report.derivation.admissible import dimension_table, freedom, functional
from hamex.report.derivation.atoms import PARTIAL, ROOM
from hamex.report.derivation.boundary import bent, boundary
from hamex.report.derivation.conserved import conserved
from hamex.report.derivation.document import Block, Bullets, Document, Equation, Exercise, Heading, Paragraph, quoted
from hamex.report.derivation.expressions import field, formula_of
from hamex.report.derivation.formula import (
    HALF,
    equal,
    exp,
    root,
    say,
    sin,
    small_bracket,
    spaced,
    sym,
    thin,
    tight,
    upright,
    virtual,
)
from hamex.report.derivation.frameworks import (
    end_point_problem,
    frequency,
    lost_velocity,
    side_by_side,
    values_at_the_ends,
)
from hamex.report.derivation.opening import four_steps, symbols
from hamex.report.derivation.stepping import difference_of_rows, stability, time_step
from hamex.report.derivation.system import DerivedSystem, delta, end_points
from hamex.report.derivation.written import html, tex
from hamex.report.style import check_installed

HTML, LATEX = (".html",), (".tex",)


def derivation(action: Action) -> Document:
    """Everything that follows from an action, in the order of a lecture."""
    system = DerivedSystem(action)
    title = (action.name.replace("-", " ") if action.name in LIBRARY else action.name) or "your action"
    sections = (
        symbols,
        four_steps,
        freedom,
        side_by_side,
        values_at_the_ends,
        lost_velocity,
        end_point_problem,
        functional,
        boundary,
        conserved,
        time_step,
        stability,
        dimension_table,
        limits,
        exercises,
    )
    # These speak of fields that nothing holds: with constraints the step is another one, and so are its rows.
    loose = (values_at_the_ends, lost_velocity, end_point_problem, functional, time_step, stability, exercises)
    # Where momenta are tied to values there is no initial velocity that could be lost.
    tied = (values_at_the_ends, lost_velocity, end_point_problem, exercises) if system.first_order else ()
    held = loose if action.constrained().constraints else tied
    blocks = tuple(block for section in sections if section not in held for block in section(system))
    goal = "time step" if time_step not in held else "free data"
    title = f"{title[0].upper()}{title[1:]}: from the action to the {goal}"
    return Document(title, _lead(action), blocks, _foot(action))


def _lead(action: Action) -> str:
    words = ""
    if action.name in LIBRARY:
        words = " ".join((LIBRARY[action.name].__doc__ or "").split("\n\n")[0].split())
        words = words if words.endswith(".") else f"{words}."
    promise = "Derived from the Lagrangian by the extended Hamilton's principle; every line is computed."
    return quoted(f"{words} ".lstrip()) + promise


def _foot(action: Action) -> str:
    source = f"Source: {quoted(action.citation)}. " if action.citation else ""
    return f"{source}Principle: J. Kim, *Extended Hamilton's principle*, sections 2-5."


def check_outputs(page: Path | None, latex: Path | None) -> None:
    """Refuse what cannot be drawn or written, before any work starts."""
    if page is not None:
        check_installed()
        check_writable(page, HTML)
    if latex is not None:
        check_writable(latex, LATEX)


def write_html(document: Document, path: Path) -> Path:
    """One page that needs no network."""
    content = html(document)
    return write_atomically(path, lambda temporary: temporary.write_text(content, encoding="utf-8"))


def write_latex(document: Document, path: Path) -> Path:
    """A document that any LaTeX compiles."""
    content = tex(document)
    return write_atomically(path, lambda temporary: temporary.write_text(content, encoding="utf-8"))


def limits(system: DerivedSystem) -> list[Block]:
    """What the method does not do, for this system."""
    items = []
    if system.lumped and system.form is not None:
        items.append(
            say(
                "Degree 1 is of second order in {h} when the load of a step is the mean of its ends. The "
                "printed end-of-step load makes it first order: the solution shifted by {}.",
                sym.h / 2,
            )
        )
        items.append(
            "The balance of energy closes to round-off in every step. That checks the arithmetic, not the "
            "accuracy; a coarse run closes too."
        )
    if system.piecewise:
        items += [
            "One slider needs no iteration: the elastic trial fixes the branch. With several sliders the trial "
            "can choose the wrong set, and a convex solve is needed.",
            "Not L-stable: as the viscosity tends to zero the slip of a step alternates about its mean. Step "
            "means stay right, node values overshoot the yield limit.",
            "A kink inside a step limits any fixed step to second order.",
        ]
    if not system.linear:
        items += [
            "Nonlinear: each step needs Newton's method, and no energy identity holds to the last digit. The "
            "drift of the energy is the thing to report.",
            say(
                "Integrals take as many Gauss points as the degree; exact integration of a term in the "
                "value alone would be unstable beyond {}.",
                equal(sym.omega * sym.h, root(12)),
            ),
        ]
    if system.explicit_time:
        items.append(
            say(
                "{L} depends on time: the Hamiltonian is not conserved, and the step matrices change from step to step."
            )
        )
    if not system.lumped:
        items += [
            "Small strains and displacements; the reference domain does not move.",
            "Nothing is marched here: space comes first (finite elements), and wave fronts ring with continuous "
            "elements in time.",
            "Off-diagonal components that are counted once carry a factor 2.",
        ]
    if any(q not in system.carriers for q in system.fields):
        items.append(
            "Fields without momentum need tests of one degree less; with full tests two contradictory steps "
            "would result."
        )
    items.append(
        say(
            "Covered: rates once in {L}, space derivatives up to the second, dissipation as a convex "
            "function of rates, constraints on places and linear ones on rates. Not covered: velocity constraints "
            "multiplied inside {L}, constraints of a continuum, non-associated friction."
        )
    )
    return [Heading("Limits"), Bullets(tuple(items))]


def exercises(system: DerivedSystem) -> list[Block]:
    """Three exercises with answers."""
    return [Heading("Exercises"), _order(system), _ends(system), _last(system)]


def _order(system: DerivedSystem) -> Exercise:
    if not system.carriers:
        q = system.fields[0]
        return Exercise(
            say("1. Give {} a small mass and let it go to zero. What becomes of the initial momentum?", field(q)),
            (
                Paragraph(
                    "With a mass there is a bracket at the start, and a momentum to assign. As the mass "
                    "goes to zero so does the bracket: the datum loses its place, and only the initial "
                    "value is left. A velocity given anyway would contradict the equation."
                ),
            ),
        )
    q = system.carriers[0]
    first = formula_of(system.variation.ends[q])
    return Exercise(
        say("1. Assign the value {} before the momentum. Which datum is lost, and where?", field(q)(0)),
        (
            Paragraph(
                say(
                    "Giving the value makes {}. It multiplies the bracket that holds {} against its given "
                    "value, so the initial momentum drops out. Momentum first, while the variation is still "
                    "free; then the value.",
                    equal(delta(q)(0), 0),
                    first,
                )
            ),
        ),
    )


def _ends(system: DerivedSystem) -> Exercise:
    found = end_points(system)
    if found.kind == "single":
        return Exercise(
            say(
                "2. For which {T} does the end-point problem of {} fail, and is the initial value problem "
                "in trouble there?",
                field(system.fields[0]),
            ),
            (
                Paragraph(
                    say(
                        "Where {}, that is {}, with {}. The initial value problem is not: value and momentum at 0 "
                        "fix both constants at once, for every {T}.",
                        equal(sin(sym.omega * sym.T), 0),
                        equal(sym.T, tight("n", sym.pi) / sym.omega),
                        frequency(found),
                    )
                ),
            ),
        )
    if found.kind == "free":
        return Exercise(
            "2. Solve the end-point problem, and the initial value problem. How do they differ here?",
            (
                Paragraph(
                    "Position at both ends: a straight line through two points, always possible. Value "
                    "and momentum at the start: a straight line by point and slope. The second needs "
                    "nothing from the future."
                ),
            ),
        )
    return Exercise(
        say(
            "2. Count, for degree {}, rows and unknowns of one field with a momentum: in the extended "
            "principle, with {} alone, and with both end-point constraints.",
            equal(sym.s, 2),
            equal(virtual(sym.q)(0), 0),
        ),
        (
            Paragraph(
                say(
                    "Extended: 3 rows for 2 new values and 1 momentum. With {} alone: 2 rows for these 3 "
                    "unknowns, and the given momentum appears nowhere. With both constraints: 1 row for the "
                    "one inner value, the end being 'known'.",
                    equal(virtual(sym.q)(0), 0),
                )
            ),
        ),
    )


def _last(system: DerivedSystem) -> Exercise:
    if not system.lumped:
        straight = [int(x == system.action.space[0]) for x in system.action.space] if bent(system) else None
        condition = system.action.boundary_conditions(straight)[0]
        return Exercise(
            "3. Nothing is prescribed on some part of the boundary. What holds there?",
            (
                Paragraph(
                    r"Variations are free there, so every conjugate force vanishes: a free boundary. "
                    "For instance"
                ),
                Equation((equal(formula_of(condition.force), 0),)),
            ),
        )
    dashpot = system.dissipative and system.linear and not system.piecewise and not system.kinked
    if dashpot and len(system.fields) == 1 and system.carriers and not end_points(system).linearised:
        u, E, growth = field(system.fields[0]), spaced(PARTIAL, "E"), exp(sym.gamma * sym.t)
        adjoint = equal(
            E / tight(PARTIAL, u.dot), tight(upright("d") / upright("d"), "t", ROOM, E / tight(PARTIAL, u.ddot))
        )
        return Exercise(
            say("3. Multiply the equation of motion by {}. For which {gamma} does it pass the Helmholtz test?", growth),
            (
                Paragraph(
                    say(
                        "{} becomes {}: {}. Then {}, the library's caldirola-kanai.",
                        adjoint,
                        equal(thin("c", growth), thin(tight("m", sym.gamma), growth)),
                        equal(sym.gamma, sym.c / sym.m),
                        equal(
                            sym.L,
                            tight(
                                exp(tight("c", sym.t) / "m"),
                                small_bracket(tight(HALF, "m", sym.u.dot**2) - tight(HALF, "k", sym.u**2)),
                            ),
                        ),
                    )
                ),
            ),
        )
    rows = difference_of_rows(system, system.carriers[0]) if system.carriers else None
    if rows is not None:
        return Exercise(
            say("3. Subtract the two rows of {}. What do you get?", field(system.carriers[0])),
            (
                Equation((equal(rows, 0),)),
                Paragraph(
                    "The forces at mid-step cancel. What is left says that the mean of the old and the new momentum "
                    "is the momentum of the mean rate, eq. (79): the linear relation behind Newmark's average "
                    "acceleration."
                ),
            ),
        )
    if system.carriers:
        q = system.carriers[0]
        return Exercise(
            say("3. Add the two rows of {}. What do you get?", field(q)),
            (
                Paragraph(
                    "The momentum at mid-step cancels. What is left is the balance of momentum over the step, eq. "
                    "(78): the new momentum is the old one less the step length times all forces at mid-step."
                ),
            ),
        )
    return Exercise(
        "3. The field has no momentum. What does a given initial velocity do?",
        (Paragraph("Nothing: it appears in no row. The equation fixes the rate from the value and the load."),),
    )
