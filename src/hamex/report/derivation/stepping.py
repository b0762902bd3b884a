"""The time step: rows and matrices of degree 1, or the residual of the midpoint where there are none; its stability."""

from __future__ import annotations

from typing import Any

from hamex.principle.jets import partial
from hamex.principle.readable import inverse, over_common
from hamex.principle.stability import Verdict, verdict
from hamex.principle.stepform import StepForm, h
from hamex.report.derivation.atoms import BLANK, QQUAD, QUAD
from hamex.report.derivation.document import Block, Equation, Heading, Paragraph, TextTable
from hamex.report.derivation.expressions import Expr, field, formula_of, momentum, walk
from hamex.report.derivation.formula import (
    HALF,
    Formula,
    Text,
    bracket,
    equal,
    fraction,
    joined,
    say,
    small_bracket,
    spaced,
    sym,
    thin,
    tight,
)
from hamex.report.derivation.system import DerivedSystem, name, signed, sum_rows, times, zero_rows

_SMALL = 4  # up to this many unknowns the inverse and the amplification matrix are shown
_LARGEST = 4  # unknowns of a step up to which the test is run in symbols


STEP_RATE = equal(sym.q.dot, small_bracket(sym.q["r"] - sym.q["r-1"]) / "h")


def readable(form: StepForm) -> dict[Any, Any]:
    """Step symbols as the paper reads: u at r − 1 is given, u at r is sought."""

    def called(text: str) -> Any:
        return h.func(text, real=True)

    found = {}
    for q in form.action.fields:
        found[form.old[q]] = called(f"{name(q)}_r-1")
        found[form.new[q][-1]] = called(f"{name(q)}_r")
        if q in form.momentum_old:
            found[form.momentum_old[q]] = called(f"p_{name(q)}_r-1")
            found[form.momentum_new[q]] = called(f"p_{name(q)}_r")
    for q, values in form.load_symbols.items():
        found[values[0]] = called("f_*" if len(form.action.loads) == 1 else f"f_{name(q)}_*")
    return found


def rows_of_start(system: DerivedSystem, q: Any) -> tuple[Formula, Formula] | None:
    """The rows of the test values of one field at the start and at the end of a step."""
    form = system.form
    if form is None:
        return _residual(q) if system.lumped else None
    branch = list(form.branches)[-1]
    seen = 0
    for other in system.fields:
        if other == q:
            break
        seen += 2 if other in form.momentum_old else 1
    shown = readable(form)
    first, second = (form.branches[branch][seen + i].xreplace(shown) for i in (0, 1))
    return _grouped(first, form, shown), _grouped(second, form, shown)


def difference_of_rows(system: DerivedSystem, q: Any) -> Formula | None:
    """The row of the start minus the row of the end."""
    form = system.form
    if form is None:
        return spaced(2, sym.P[field(q)]) - _at("r-1", q) - _at("r", q) if system.lumped else None
    start = sum(2 if r in form.momentum_old else 1 for r in system.fields[: system.fields.index(q)])
    rows = form.branches[list(form.branches)[-1]]
    shown = readable(form)
    return _grouped((rows[start] - rows[start + 1]).xreplace(shown), form, shown)


def _at(instant: str, q: Any) -> Formula:
    """The momentum of a field at the start or the end of a step."""
    return momentum(name(q), "", ",", instant)


def _grouped(row: Expr, form: StepForm, shown: dict[Any, Any]) -> Formula:
    """A row with each difference of new and old value together, as in eq. (52)."""
    found, rest = [], row.expand()
    for q in form.action.fields:
        new, old = shown[form.new[q][-1]], shown[form.old[q]]
        up, down = rest.coeff(new), rest.coeff(old)
        if up == 0 and down == 0:
            continue
        if (up + down).expand() == 0 or (up - down).expand() == 0:
            first, second = formula_of(new), formula_of(old)
            pair = first - second if (up + down).expand() == 0 else first + second
            rest = (rest - up * new - down * old).expand()
            found.append(times(up, bracket(pair)))
    return spaced(*signed([*found, *([formula_of(rest)] if rest != 0 else [])]))


def _residual(q: Any) -> tuple[Formula, Formula]:
    """∓P_q + h/2 (φ_q̇ − L_q − Q) ± p for one field: one Gauss point, degree 1."""
    of = field(q)
    force = HALF * thin(sym.h, sym.R[of])
    return sym.P[of] + force - _at("r-1", q), -sym.P[of] + force + _at("r", q)


def _meant(system: DerivedSystem, q: Any) -> list[Block]:
    """What P and R stand for, at the middle of the step."""
    action = system.action
    force = action.dissipative_force(q) - partial(action.lagrangian, q) - action.loads.get(q, h * 0)
    return [
        Equation(sum_rows(called[field(q)], system.short(expression.expand())))
        for called, expression in ((sym.P, action.momentum(q)), (sym.R, force))
    ]


def time_step(system: DerivedSystem) -> list[Block]:
    """Galerkin in time, degree 1."""
    head: list[Block] = [Heading("The time step")]
    if not system.lumped:
        return [
            *head,
            Paragraph(
                say(
                    "A continuum is discretised in space first. Finite elements for the fields turn densities "
                    "into matrices (mass {M}, flexibility {A}, compatibility {B}), and the fields into "
                    "functions of time alone. From there the step is that of a lumped system: run hamex "
                    "derive chain or hamex derive mixed for its matrices. The boundary conditions above say "
                    "which rows carry tractions and which values are given."
                )
            ),
        ]
    head.append(
        Paragraph(
            say(
                "Fields and variations are linear over a step from {} to {}, eqs. (48)-(50), and the "
                "integrals are taken with one Gauss point, the middle. Each virtual value gives one row: "
                "what it multiplies must vanish.",
                sym.t["r-1"],
                equal(sym.t["r"], sym.t["r-1"] + sym.h),
            )
        )
    )
    form = system.form
    return [*head, *(_nonlinear(system) if form is None else _linear(system, form))]


def _nonlinear(system: DerivedSystem) -> list[Block]:
    why = "is not of second degree"
    if system.linear:
        why = "depends on time" if system.explicit_time else "is of second degree, but dissipation or loads are not"
    blocks: list[Block] = [
        Paragraph(
            say(
                "{L} {}, so there are no constant matrices. The rows are a residual to be driven to zero "
                "by Newton's method. {} is the momentum and {} all forces, with the sign they have on the "
                "left of the equation of motion, both at the middle of the step: with {} and {}{}:",
                why,
                sym.P["q"],
                sym.R["q"],
                equal(sym.q, tight(HALF, small_bracket(sym.q["r-1"] + sym.q["r"]))),
                STEP_RATE,
                say(", at {}", equal(sym.t, sym.t["r-1"] + tight(HALF, sym.h))) if system.explicit_time else "",
            )
        )
    ]
    for q in system.carriers:
        blocks += [Equation((equal(row, 0),)) for row in _residual(q)] + _meant(system, q)
    for q in system.fields:
        if q not in system.carriers:
            force = system.variation.bulk[q]
            blocks.append(Equation(zero_rows(system.short(force))))
    return [
        *blocks,
        Paragraph(
            "The first row of each pair gives the new value, the second the new momentum. "
            "hx.simulate(action, …) runs them as they stand and reports the drift of the energy."
            + (
                " What sticks, and when it turns, is solved for and not smoothed: a step in which it does is cut there "
                "or taken with Radau points."
                if system.kinked
                else ""
            )
        ),
    ]


def _linear(system: DerivedSystem, form: StepForm) -> list[Block]:
    shown = readable(form)
    unknowns = type(form.matrices()[2])([s.xreplace(shown) for s in form.unknowns])
    knowns = type(unknowns)([s.xreplace(shown) for s in form.knowns])
    states = equal(sym.y, formula_of(unknowns)), equal(sym.x, formula_of(knowns))
    collected = equal(thin(sym.B, "y"), thin(sym.D, "x") + "z"), *states
    blocks: list[Block] = [
        Paragraph(say("Collected, eq. (69), with new values {y}, old values {x} and loads {z}:")),
        Equation((joined(collected, ",", QQUAD, BLANK),)),
    ]
    if form.load_symbols:
        blocks.append(
            Paragraph(
                say(
                    "One load value per step: {} is the mean of its ends (second order), or its end as in the "
                    "paper (first order).",
                    sym.f["*"],
                )
            )
        )
    conditions = _conditions(system, form)
    if conditions:
        blocks.append(Paragraph(say("Rates in the conditions below are those of the step, {}.", STEP_RATE)))
    for branch in form.branches:
        if len(form.branches) > 1:
            condition = conditions.get(branch, form.conditions[branch].xreplace(shown))
            when: Text = "otherwise" if str(condition) == "True" else say("if {}", formula_of(condition))
            blocks += [Heading(f"Branch *{branch}*", 3), Paragraph(say("It holds {}.", when))]
        B, D, z = form.matrices(branch)
        same = system.same_matrices(branch)
        if same:
            blocks.append(
                Paragraph(say("{B}, {D} and what follows from them as for {}; only {z} differs:", f"*{same}*"))
            )
        else:
            blocks += [Equation((equal(sym.B, formula_of(B)),)), Equation((equal(sym.D, formula_of(D)),))]
        blocks.append(
            Equation((equal(sym.z, formula_of(z.xreplace(shown))),))
            if any(z)
            else Paragraph(say("{}: no load.", equal(sym.z, 0)))
        )
        if len(form.unknowns) <= _SMALL and not same:
            blocks += _solved(system, form, branch)
    return [*blocks, *_sums(system, form)]


def _conditions(system: DerivedSystem, form: StepForm) -> dict[str, Any]:
    """The conditions of the branches as the dissipation function states them, in rates."""
    pieces = [node for node in walk(system.action.dissipation) if type(node).__name__ == "Piecewise"]
    if len(pieces) != 1 or len(pieces[0].args) != len(form.branches):
        return {}
    return {branch: condition for branch, (_, condition) in zip(form.branches, pieces[0].args, strict=True)}


def _solved(system: DerivedSystem, form: StepForm, branch: str) -> list[Block]:
    """Inverse and amplification matrix, with their common denominator taken out as in eqs. (74)-(77)."""
    B, _, _ = form.matrices(branch)
    inverted = inverse(B)
    if inverted is None:
        return [Paragraph(say("{B} has no inverse."))]
    return [
        Paragraph("Its inverse, and what turns an old state into a new one:"),
        *_over_common(sym.B ** "-1", inverted),
        *_over_common(equal(sym.G, sym.B ** "-1" * sym.D), system.amplifications[branch]),
    ]


def _over_common(head: Formula, entries: Any) -> list[Block]:
    denominator, above = over_common(entries)
    if not denominator.free_symbols:
        return [Equation((equal(head, formula_of(entries)),))]
    common = h.func("X" if "X" not in {s.name for s in denominator.free_symbols} else "Delta")
    scaled = [top if entry.free_symbols else entry * common for entry, top in zip(entries, above, strict=True)]
    shown = formula_of(entries._new(*entries.shape, scaled))
    return [
        Equation((equal(head, fraction(1, formula_of(common)) * shown),)),
        Paragraph(say("with {}.", equal(formula_of(common), formula_of(denominator.expand())))),
    ]


def _sums(system: DerivedSystem, form: StepForm) -> list[Block]:
    """Adding the rows of a field gives its balance over the step, as in eq. (78)."""
    if not system.carriers:
        return []
    q = system.carriers[0]
    branch = list(form.branches)[-1]
    shown = readable(form)
    start = sum(2 if r in form.momentum_old else 1 for r in system.fields[: system.fields.index(q)])
    total = sum(form.branches[branch][start : start + 2], h * 0).xreplace(shown)
    return [
        Paragraph(say("The two rows of {} added up are its balance of momentum over the step, eq. (78):", field(q))),
        Equation((equal(_grouped(total, form, shown), 0),)),
    ]


def stability(system: DerivedSystem) -> list[Block]:
    """Whether repeated steps stay bounded, and how that is known."""
    head: list[Block] = [Heading("Stability of the step")]
    form = system.form
    if not system.lumped:
        return [
            *head,
            Paragraph(
                say(
                    "After discretisation in space the step is the implicit midpoint rule of a monotone flow: "
                    "the energy distance of two runs under one load never grows, for every step {}.",
                    sym.h > 0,
                )
            ),
        ]
    if form is None:
        return [
            *head,
            Paragraph(
                "The step is not linear, so there is no amplification matrix to test. "
                + (
                    "Friction has no linearisation at rest either. "
                    if system.kinked
                    else "About a stable rest position its linearisation is the midpoint rule, which does not grow. "
                )
                + (
                    "L being of second degree, the balance of energy closes in every step to round-off: it changes by "
                    "what loads and dissipation do at mid-step."
                    if system.linear and not system.explicit_time and not system.kinked
                    else "For large motion no energy identity holds to the last digit: watch the drift."
                )
            ),
        ]
    if len(form.unknowns) > _LARGEST:
        return [
            *head,
            Paragraph(
                say(
                    "With {} unknowns the test in symbols is not run for a page. The general argument: the "
                    "step is the implicit midpoint rule of a monotone flow, so the energy distance of two runs "
                    "under one load never grows, for every {}.",
                    str(len(form.unknowns)),
                    sym.h > 0,
                )
            ),
        ]
    blocks = [
        *head,
        Paragraph(
            say(
                "A step multiplies the state by {G}. Runs stay bounded when every eigenvalue {lambda} of "
                "{G} lies within the unit circle and those on it are simple (or have as many eigenvectors "
                "as their multiplicity). Jury's conditions say it without computing {lambda}; the sign of "
                "each expression is decided for *all* positive parameters from the signs of its "
                "coefficients, not from samples."
            )
        ),
    ]
    for branch in form.branches:
        same = system.same_matrices(branch)
        if same:
            blocks.append(Paragraph(f"Branch *{branch}*: the same matrices as *{same}*, the same verdict."))
            continue
        try:
            found = verdict(system.amplifications[branch])
        except (NotImplementedError, ArithmeticError, ValueError) as problem:
            which = f"Branch *{branch}*: not" if len(form.branches) > 1 else "Not"
            blocks.append(Paragraph(f"{which} decided in symbols here ({problem})."))
            continue
        blocks += _verdict(system, branch, found, len(form.branches) > 1)
    return blocks


def _verdict(system: DerivedSystem, branch: str, found: Verdict, several: bool) -> list[Block]:
    factors = joined((_factor(f, n) for f, n in found.factors), ",", QUAD, BLANK)
    answers = {True: "holds", False: "does not hold", None: "not decided"}
    rows = tuple((i.name, formula_of(i.expression), answers[i.holds]) for i in found.inequalities)
    name = f"Branch *{branch}*. " if several else ""
    blocks: list[Block] = [
        Paragraph(f"{name}Factors of the characteristic polynomial:"),
        Equation((factors,)),
        TextTable(("condition", "expression", "for all positive parameters"), rows),
    ]
    words = {
        True: say("**Stable for every step** {} and all positive parameters.", sym.h > 0),
        False: "**Not bounded**: a condition fails.",
        None: "Not decided by signs alone.",
    }[found.stable]
    if found.exceptions and found.semisimple and all(i.holds for i in found.inequalities):
        but = say("**Stable for every step** {} and all positive parameters, except perhaps where", sym.h > 0)
        where = joined((equal(formula_of(f), 0) for f in found.exceptions), ",", QUAD, BLANK)
        blocks += [Paragraph(but), Equation((where,))]
        words = "There eigenvalues meet on the circle; they do not leave it, but growth as a power is not ruled out."
    if found.stable is False and not found.semisimple and all(i.holds for i in found.inequalities):
        words = (
            "The eigenvalue 1 is double with one eigenvector: repeated steps grow **linearly**, as the exact "
            "motion does (nothing holds the system back). It is not an instability of the step."
        )
    return [*blocks, Paragraph(words)]


def _factor(factor: Expr, power: int) -> Formula:
    if not factor.is_Add:
        return formula_of(factor)
    return bracket(formula_of(factor)) ** int(power) if power > 1 else bracket(formula_of(factor))
