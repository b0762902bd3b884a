"""The time step: rows and matrices of degree 1, or the residual of the midpoint where there are none; its stability."""

from __future__ import annotations

from typing import Any

from hamex.principle.jets import partial
from hamex.principle.stability import Verdict, verdict
from hamex.principle.stepform import StepForm, h
from hamex.report.derivation import names
from hamex.report.derivation.blocks import Block, Equation, Heading, Paragraph, TextTable, math
from hamex.report.derivation.latex import Expr, field, latex, matrix, walk
from hamex.report.derivation.system import DerivedSystem, name, sum_rows, times

_SMALL = 4  # up to this many unknowns the inverse and the amplification matrix are shown
_LARGEST = 4  # unknowns of a step up to which the test is run in symbols


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


def rows_of_start(system: DerivedSystem, q: Any) -> tuple[str, str] | None:
    """The rows of the test values of one field at the start and at the end of a step, in LaTeX."""
    form = system.form
    if form is None:
        return _residual(system, q) if system.lumped else None
    branch = list(form.branches)[-1]
    seen = 0
    for other in system.fields:
        if other == q:
            break
        seen += 2 if other in form.momentum_old else 1
    shown = readable(form)
    first, second = (form.branches[branch][seen + i].xreplace(shown) for i in (0, 1))
    return _grouped(first, form, shown), _grouped(second, form, shown)


def difference_of_rows(system: DerivedSystem, q: Any) -> str | None:
    """The row of the start minus the row of the end, in LaTeX."""
    form = system.form
    if form is None:
        p = names.momentum(name(q), "")[:-1]
        return rf"2 P_{{{field(q)}}} - {p},r-1}} - {p},r}}" if system.lumped else None
    start = sum(2 if r in form.momentum_old else 1 for r in system.fields[: system.fields.index(q)])
    rows = form.branches[list(form.branches)[-1]]
    shown = readable(form)
    return _grouped((rows[start] - rows[start + 1]).xreplace(shown), form, shown)


def _grouped(row: Expr, form: StepForm, shown: dict[Any, Any]) -> str:
    """A row with each difference of new and old value together, as in eq. (52)."""
    found, rest = [], row.expand()
    for q in form.action.fields:
        new, old = shown[form.new[q][-1]], shown[form.old[q]]
        up, down = rest.coeff(new), rest.coeff(old)
        if up == 0 and down == 0:
            continue
        if (up + down).expand() == 0 or (up - down).expand() == 0:
            sign = "-" if (up + down).expand() == 0 else "+"
            rest = (rest - up * new - down * old).expand()
            pair = rf"\left({latex(new)} {sign} {latex(old)}\right)"
            found.append(times(up, pair))
    parts = [*found, *([latex(rest)] if rest != 0 else [])]
    return " ".join(
        p if not i else (f"- {p[1:].strip()}" if p.startswith("-") else f"+ {p}") for i, p in enumerate(parts)
    )


def _residual(system: DerivedSystem, q: Any) -> tuple[str, str]:
    """∓P_q + h/2 (φ_q̇ − L_q − Q) ± p for one field: one Gauss point, degree 1."""
    of = field(q)
    p = names.momentum(name(q), "")[:-1]
    return (
        rf"P_{{{of}}} + \tfrac{{1}}{{2}} h\,R_{{{of}}} - {p},r-1}}",
        rf"- P_{{{of}}} + \tfrac{{1}}{{2}} h\,R_{{{of}}} + {p},r}}",
    )


def _meant(system: DerivedSystem, q: Any) -> list[Block]:
    """What P and R stand for, at the middle of the step."""
    action = system.action
    force = action.dissipative_force(q) - partial(action.lagrangian, q) - action.loads.get(q, h * 0)
    return [
        Equation(sum_rows(f"{letter}_{{{field(q)}}} =", system.short(expression.expand())))
        for letter, expression in (("P", action.momentum(q)), ("R", force))
    ]


def time_step(system: DerivedSystem) -> list[Block]:
    """Galerkin in time, degree 1."""
    head: list[Block] = [Heading("The time step")]
    if not system.lumped:
        return [
            *head,
            Paragraph(
                "A continuum is discretised in space first. Finite elements for the fields turn "
                "densities into matrices "
                "(mass $M$, flexibility $A$, compatibility $B$), and the fields into functions of "
                "time alone. From there "
                "the step is that of a lumped system: run `hamex derive chain` or `hamex derive "
                "mixed` for its matrices. "
                "The boundary conditions above say which rows carry tractions and which values are given.".replace(
                    "`", ""
                )
            ),
        ]
    head.append(
        Paragraph(
            "Fields and variations are linear over a step from $t_{r-1}$ to $t_r = t_{r-1} + h$, "
            "eqs. (48)-(50), and the "
            "integrals are taken with one Gauss point, the middle. Each virtual value gives one row: "
            "what it multiplies "
            "must vanish."
        )
    )
    form = system.form
    return [*head, *(_nonlinear(system) if form is None else _linear(system, form))]


def _nonlinear(system: DerivedSystem) -> list[Block]:
    why = "depends on time" if system.explicit_time and system.linear else "is not of second degree"
    blocks: list[Block] = [
        Paragraph(
            rf"$L$ {why}, so there are no constant matrices. The rows are a residual to be driven to zero by Newton's "
            r"method. $P_q$ is the momentum and $R_q$ all forces, with the sign they have on the left "
            r"of the equation of "
            r"motion, both at the middle of the step: with $q = \tfrac{1}{2}(q_{r-1} + q_r)$ and "
            r"$\dot{q} = (q_r - q_{r-1})/h$"
            + (r", at $t = t_{r-1} + \tfrac{1}{2}h$" if system.explicit_time else "")
            + ":"
        )
    ]
    for q in system.carriers:
        blocks += [Equation((f"{row} = 0",)) for row in _residual(system, q)] + _meant(system, q)
    for q in system.fields:
        if q not in system.carriers:
            force = system.variation.bulk[q]
            blocks.append(Equation(sum_rows("", system.short(force), " = 0")))
    return [
        *blocks,
        Paragraph(
            "The first row of each pair gives the new value, the second the new momentum. "
            "hx.simulate(action, …) runs them as they stand and reports the drift of the energy."
        ),
    ]


def _linear(system: DerivedSystem, form: StepForm) -> list[Block]:
    shown = readable(form)
    unknowns = type(form.matrices()[2])([s.xreplace(shown) for s in form.unknowns])
    knowns = type(unknowns)([s.xreplace(shown) for s in form.knowns])
    blocks: list[Block] = [
        Paragraph("Collected, eq. (69), with new values $y$, old values $x$ and loads $z$:"),
        Equation((rf"B\,y = D\,x + z,\qquad y = {matrix(unknowns)},\qquad x = {matrix(knowns)}",)),
    ]
    if form.load_symbols:
        blocks.append(
            Paragraph(
                "One load value per step: $f_*$ is the mean of its ends (second order), or its end as "
                "in the paper (first order)."
            )
        )
    conditions = _conditions(system, form)
    if conditions:
        blocks.append(Paragraph("Rates in the conditions below are those of the step, $\\dot{q} = (q_r - q_{r-1})/h$."))
    for branch in form.branches:
        if len(form.branches) > 1:
            condition = conditions.get(branch, form.conditions[branch].xreplace(shown))
            when = "otherwise" if str(condition) == "True" else f"if {math(latex(condition))}"
            blocks += [Heading(f"Branch *{branch}*", 3), Paragraph(f"It holds {when}.")]
        B, D, z = form.matrices(branch)
        same = system.same_matrices(branch)
        if same:
            blocks.append(Paragraph(f"$B$, $D$ and what follows from them as for *{same}*; only $z$ differs:"))
        else:
            blocks += [Equation((f"B = {matrix(B)}",)), Equation((f"D = {matrix(D)}",))]
        blocks.append(Equation((f"z = {matrix(z.xreplace(shown))}",)) if any(z) else Paragraph("$z = 0$: no load."))
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
    determinant = B.det().cancel()
    if determinant == 0:
        return [Paragraph("$B$ has no inverse.")]
    inverse = B.adjugate().applyfunc(lambda e: (e / determinant).cancel())
    return [
        Paragraph("Its inverse, and what turns an old state into a new one:"),
        *_over_common("B^{-1}", inverse),
        *_over_common("G = B^{-1} D", system.amplifications[branch]),
    ]


def _over_common(head: str, entries: Any) -> list[Block]:
    denominator = h / h
    for entry in entries:
        below = entry.as_numer_denom()[1]
        denominator = (denominator * (denominator / below).cancel().as_numer_denom()[1]).expand()
    if not denominator.free_symbols:
        return [Equation((f"{head} = {matrix(entries)}",))]
    common = h.func("X" if "X" not in {s.name for s in denominator.free_symbols} else "Delta")

    def scaled(entry: Expr) -> Expr:
        return (entry * denominator).cancel() if entry.free_symbols else entry * common

    shown = matrix(entries.applyfunc(scaled))
    return [
        Equation((rf"{head} = \frac{{1}}{{{latex(common)}}} {shown}",)),
        Paragraph(f"with {math(latex(common) + ' = ' + latex(denominator.expand()))}."),
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
        Paragraph(f"The two rows of {math(field(q))} added up are its balance of momentum over the step, eq. (78):"),
        Equation((f"{_grouped(total, form, shown)} = 0",)),
    ]


def stability(system: DerivedSystem) -> list[Block]:
    """Whether repeated steps stay bounded, and how that is known."""
    head: list[Block] = [Heading("Stability of the step")]
    form = system.form
    if not system.lumped:
        return [
            *head,
            Paragraph(
                "After discretisation in space the step is the implicit midpoint rule of a monotone "
                "flow: the energy distance of two runs under one load never grows, for every step "
                "$h > 0$."
            ),
        ]
    if form is None:
        return [
            *head,
            Paragraph(
                "The step is not linear, so there is no amplification matrix to test. About a stable "
                "rest position its linearisation is the midpoint rule, which does not grow. For large "
                "motion no energy identity holds to the last digit: watch the drift."
            ),
        ]
    if len(form.unknowns) > _LARGEST:
        return [
            *head,
            Paragraph(
                f"With {len(form.unknowns)} unknowns the test in symbols is not run for a page. The "
                "general argument: the step is the implicit midpoint rule of a monotone flow, so the "
                "energy distance of two runs under one load never grows, for every $h > 0$."
            ),
        ]
    blocks = [
        *head,
        Paragraph(
            r"A step multiplies the state by $G$. Runs stay bounded when every eigenvalue $\lambda$ "
            r"of $G$ lies within the "
            "unit circle and those on it are simple (or have as many eigenvectors as their multiplicity). Jury's "
            "conditions say it without computing $\\lambda$; the sign of each expression is decided for *all* positive "
            "parameters from the signs of its coefficients, not from samples."
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
    factors = r",\quad ".join(
        rf"\left({latex(f)}\right)" + (f"^{{{n}}}" if n > 1 else "") if f.is_Add else latex(f) for f, n in found.factors
    )
    answers = {True: "holds", False: "does not hold", None: "not decided"}
    rows = tuple((i.name, math(latex(i.expression)), answers[i.holds]) for i in found.inequalities)
    name = f"Branch *{branch}*. " if several else ""
    blocks: list[Block] = [
        Paragraph(f"{name}Factors of the characteristic polynomial:"),
        Equation((factors,)),
        TextTable(("condition", "expression", "for all positive parameters"), rows),
    ]
    words = {
        True: "**Stable for every step** $h > 0$ and all positive parameters.",
        False: "**Not bounded**: a condition fails.",
        None: "Not decided by signs alone.",
    }[found.stable]
    if found.stable is False and not found.semisimple and all(i.holds for i in found.inequalities):
        words = (
            "The eigenvalue 1 is double with one eigenvector: repeated steps grow **linearly**, as the exact "
            "motion does (nothing holds the system back). It is not an instability of the step."
        )
    return [*blocks, Paragraph(words)]
