"""The stability statement: Jury's conditions for all positive parameters, branch by branch."""

from __future__ import annotations

from hamex.principle.stability import Verdict, verdict
from hamex.report.derivation.blocks import Block, Equation, Heading, Paragraph, Table, math
from hamex.report.derivation.latex import latex
from hamex.report.derivation.system import System

_LARGEST = 4        # unknowns of a step up to which the test is run in symbols


def stability(system: System) -> list[Block]:
    """Whether repeated steps stay bounded, and how that is known."""
    head: list[Block] = [Heading("Stability of the step")]
    form = system.form
    if not system.lumped:
        return [*head, Paragraph("After discretisation in space the step is the implicit midpoint rule of a monotone "
                                 "flow: the energy distance of two runs under one load never grows, for every step "
                                 "$h > 0$.")]
    if form is None:
        return [*head, Paragraph("The step is not linear, so there is no amplification matrix to test. About a stable "
                                 "rest position its linearisation is the midpoint rule, which does not grow. For large "
                                 "motion no energy identity holds to the last digit: watch the drift.")]
    if len(form.unknowns) > _LARGEST:
        return [*head, Paragraph(f"With {len(form.unknowns)} unknowns the test in symbols is not run for a page. The "
                                 "general argument: the step is the implicit midpoint rule of a monotone flow, so the "
                                 "energy distance of two runs under one load never grows, for every $h > 0$.")]
    blocks = [*head, Paragraph(
        r"A step multiplies the state by $G$. Runs stay bounded when every eigenvalue $\lambda$ of $G$ lies within the "
        "unit circle and those on it are simple (or have as many eigenvectors as their multiplicity). Jury's "
        "conditions say it without computing $\\lambda$; the sign of each expression is decided for *all* positive "
        "parameters from the signs of its coefficients, not from samples.")]
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
        blocks += _shown(system, branch, found, len(form.branches) > 1)
    return blocks


def _shown(system: System, branch: str, found: Verdict, several: bool) -> list[Block]:
    factors = r",\quad ".join(rf"\left({latex(f)}\right)" + (f"^{{{n}}}" if n > 1 else "") if f.is_Add else latex(f)
                              for f, n in found.factors)
    answers = {True: "holds", False: "does not hold", None: "not decided"}
    rows = tuple((i.name, math(latex(i.expression)), answers[i.holds]) for i in found.inequalities)
    name = f"Branch *{branch}*. " if several else ""
    blocks: list[Block] = [Paragraph(f"{name}Factors of the characteristic polynomial:"), Equation((factors,)),
                           Table(("condition", "expression", "for all positive parameters"), rows)]
    words = {True: "**Stable for every step** $h > 0$ and all positive parameters.",
             False: "**Not bounded**: a condition fails.",
             None: "Not decided by signs alone."}[found.stable]
    if found.stable is False and not found.semisimple and all(i.holds for i in found.inequalities):
        words = ("The eigenvalue 1 is double with one eigenvector: repeated steps grow **linearly**, as the exact "
                 "motion does (nothing holds the system back). It is not an instability of the step.")
    return [*blocks, Paragraph(words)]
