"""Sections 5.1 and 5.2, eqs. (45)-(68), derived."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from hamex.paper.audit.engine import elastic_system, known, slider_system, step, step_rows, variation, weak
from hamex.paper.audit.judging import Finding, Rule, against
from hamex.paper.audit.notation import (
    DURATION,
    I0,
    PAST,
    STEP,
    Fy,
    Interval,
    J,
    J_o,
    J_r,
    NumberedEquation,
    Statement,
    alpha,
    beta,
    c,
    dA,
    dA_new,
    dA_phi,
    dA_phi_D,
    dA_r,
    dJ,
    dot,
    du,
    du_hat,
    eta,
    f,
    f_r,
    gamma,
    h,
    half,
    p_o,
    p_r,
    phat,
    phi_name,
    phi_r,
    rows,
    s_o,
    s_r,
    says,
    t,
    t_o,
    u,
    u1,
    u1_hat,
    u_o,
    u_r,
    v_any,
    vh_o,
    vh_r,
    vJ_o,
    vJ_r,
    vu_o,
    vu_r,
)
from hamex.principle.stepform import shapes

SUM = sp.Symbol("sum[r=1,N]")
_TAU = sp.Symbol("tau", real=True)
BRANCHES = ("plus", "minus", "elastic")


def _elastic(marks: Interval) -> sp.Expr:
    """Weak form plus [p̂ δû]; the spring is elastic, so that its reserved P̂_J is zero."""
    return weak(variation("forced"), marks.over) + marks.ends * phat * du_hat


def _slipping(name: sp.Symbol, reserved: bool) -> tuple[Statement, ...]:
    """Weak form with φ_J̇ written u̇1; the engine's rule adds [P̂_J δJ], and P̂_J = −û1."""
    found = variation("viscoplastic")
    law = found.weak[J, ()]
    form = STEP.over * sum(
        (
            law_or * (sp.Derivative(found.test(q), *i) if i else found.test(q))
            for (q, i), e in found.weak.items()
            for law_or in [dot(u1) if e == law else e]
        ),
        sp.S.Zero,
    )
    ends = STEP.ends * phat * du - (STEP.ends * u1_hat * dJ if reserved else 0)
    return (says(name, sp.expand(form) + ends),)


def _shape(old: sp.Symbol, new: sp.Symbol, *lefts: sp.Expr) -> tuple[Statement, ...]:
    """The engine's linear shape functions and their rate."""
    history = sum((n * v for n, v in zip(shapes(1), (old, new), strict=True)), sp.S.Zero)
    field = history.subs(_TAU, (t - t_o) / h)
    return tuple(says(left, sp.diff(field, t) if isinstance(left, sp.Derivative) else field) for left in lefts)


def _collected(hats: bool) -> tuple[Statement, ...]:
    """Rows of the elastic step times the virtual values; (51) still tells û from u at the ends."""
    found = [row.xreplace({s_o: sp.S.Zero, s_r: sp.S.Zero}) for row in step_rows("forced")]
    total = sum((row * v for row, v in zip(found, (vu_o, vu_r, vJ_o, vJ_r), strict=True)), sp.S.Zero)
    if hats:
        total += p_r * (vh_r - vu_r) - p_o * (vh_o - vu_o)
    return (says(dA_r, sp.expand(total)),)


def _compact() -> tuple[Statement, ...]:
    B, D, z = elastic_system()
    return rows(B, sp.Matrix([u_r, p_r, J_r]), D, sp.Matrix([u_o, p_o, J_o]), z)


def _momentum_balance() -> tuple[Statement, ...]:
    """The engine's charge of a shift of u, at t = 0; zero before any load acted."""
    charge = known("forced").charges([{u: sp.S.One}])[0]
    if charge.source != 0:
        return ()
    impulse = next(node for node in charge.value.atoms(sp.Integral) if node.function == f)
    value = charge.value.xreplace({impulse: I0, known("forced").momentum(u): p_o}).xreplace({u: u_o, J: J_o})
    return (says(sp.expand(value + I0), I0),)


def _impulse() -> tuple[Statement, ...]:
    """What the charge contains of the load: its integral over all time before."""
    charge = known("forced").charges([{u: sp.S.One}])[0]
    impulse = next(iter(charge.value.atoms(sp.Integral)))
    return (says(I0, PAST.over * -charge.value.coeff(impulse) * impulse.function),)


def _slider(left: sp.Expr, derivative: bool) -> Statement:
    """Potential of the engine's slider, or its slope."""
    law = (
        variation("viscoplastic").weak[J, ()] if derivative else known("viscoplastic").dissipation - c * dot(u) ** 2 / 2
    )
    return says(left, sp.piecewise_fold(law))


def _sampled(statement: Statement) -> tuple[Statement, ...]:
    """A law with kinks at ±F_y only, quadratic at most, fixed by values on each side of both kinks."""
    if not statement.right.has(sp.Max, sp.Abs, sp.Piecewise, sp.sign):
        return (statement,)
    return tuple(
        says(sp.Symbol(f"{statement.left} at {rate}F_y"), statement.right.xreplace({dot(J): rate * Fy}).doit())
        for rate in (-6, -4, -2, -half, 0, half, 2, 4, 6)
    )


def _at_rates(derive: Callable[[], tuple[Statement, ...]], how: str) -> Rule:
    """Compare laws with kinks by their values at nine rates, three or more per piece."""

    def values(statements: tuple[Statement, ...]) -> tuple[Statement, ...]:
        return tuple(value for statement in statements for value in _sampled(statement))

    rule = against(lambda: values(derive()), how)
    return lambda equation: rule(equation.with_statements(values(equation.statements)))


def _dissipation() -> tuple[Statement, ...]:
    """What the slider adds to the weak form: its rate, in words and by eq. (57)."""
    there = (J, ()) in variation("viscoplastic").weak
    law = STEP.over * _slider(dA_phi, True).right * dJ
    return says(dA_phi, STEP.over * dot(u1) * dJ if there else sp.S.Zero), says(dA_phi, law), says(dA_phi, law)


def _branch_rows() -> tuple[Statement, ...]:
    return tuple(
        says(sp.Symbol(f"terms {v}"), row)
        for b in BRANCHES
        for v, row in zip((vu_o, vu_r, vJ_o, vJ_r), step_rows("viscoplastic", b), strict=True)
    )


def _on_branches(rule: Rule) -> Rule:
    """Put what the engine's slider adds on each branch into the print before comparing."""

    def judge(equation: NumberedEquation) -> Finding:
        base = step_rows("viscoplastic", "elastic")
        slips = [sp.expand(step_rows("viscoplastic", b)[2] - base[2]) for b in BRANCHES]
        return rule(
            equation.with_statements(
                tuple(says(s.left, s.right.subs(phi_r, slip)) for slip in slips for s in equation.statements)
            )
        )

    return judge


def _slip_terms(name: sp.Symbol, virtual: tuple[sp.Expr, sp.Expr] | None) -> tuple[Statement, ...]:
    """Branch minus elastic rows: what the slider adds to δJ_(r−1) and δJ_r, and when."""
    base = step_rows("viscoplastic", "elastic")
    found = []
    for i, b in enumerate(BRANCHES, 1):
        first, second = (sp.expand(step_rows("viscoplastic", b)[row] - base[row]) for row in (2, 3))
        if virtual is None and sp.expand(first - second) != 0:
            return ()
        value = first if virtual is None else sp.expand(first * virtual[0] + second * virtual[1])
        found.append(says(sp.Symbol(f"{name} {i}"), value))
        if b != "elastic":
            condition = step("viscoplastic").conditions[b]
            found.append(says(sp.Symbol(f"margin {i}"), condition.gts - condition.lts))
    return tuple(found)


def _letters() -> tuple[Statement, ...]:
    B_e, _, z_e = slider_system("elastic")
    B_p, _, z_p = slider_system("plus")
    return says(alpha, z_e[0]), says(beta, (B_p - B_e)[2, 1]), says(gamma, z_p[2])


def _system(branch: str) -> Callable[[], tuple[Statement, ...]]:
    """The engine's rows, with α, β and γ for what (65) calls so."""

    def derive() -> tuple[Statement, ...]:
        B, D, z = slider_system(branch)
        short = {1 / eta: 2 * beta, f_r: 2 * alpha / h}
        z = z.applyfunc(lambda e: sp.expand(e).subs(h * Fy / (2 * eta), gamma).subs(short))
        B, D = (matrix.applyfunc(lambda e: e.subs(short)) for matrix in (B, D))
        return rows(B, sp.Matrix([u_r, J_r, p_r, s_r]), D, sp.Matrix([u_o, J_o, p_o, s_o]), z)

    return derive


RULES: dict[str, Rule] = {
    "45": against(lambda: (says(dA, _elastic(DURATION)),), "weak form of the engine plus [p̂ δû]"),
    "46": against(
        lambda: (says(phat, known("forced").momentum(u).subs(dot(u), sp.Symbol(f"{v_any}@t", real=True))),),
        "∂L/∂u̇ of the engine",
    ),
    "47": against(
        lambda: (says(dA, SUM * dA_r), says(dA, SUM * _elastic(STEP))), "weak form of the engine over one step"
    ),
    "48": against(lambda: _shape(u_o, u_r, u), "the engine's shape functions"),
    "49": against(
        lambda: _shape(u_o, u_r, dot(u)) + _shape(vu_o, vu_r, du, dot(du)),
        "the engine's shape functions, differentiated",
    ),
    "50": against(
        lambda: _shape(J_o, J_r, J, dot(J)) + _shape(vJ_o, vJ_r, dJ, dot(dJ)),
        "the engine's shape functions, differentiated",
    ),
    "51": against(lambda: _collected(hats=True), "step form of the engine times the virtual values"),
    "52": against(lambda: _collected(hats=False), "step form of the engine times the virtual values"),
    "53": against(_compact, "step matrices of the engine, P_J = 0"),
    "54": against(_momentum_balance, "charge of a shift of u, zero before any load: m u̇ + c u + J − ∫f is constant"),
    "55": against(_impulse, "the load's part of that charge"),
    "56": _at_rates(lambda: (_slider(phi_name, False),), "the engine's slider at 9 rates, 3 or more per piece"),
    "57": _at_rates(lambda: (_slider(dot(u1), True),) * 2, "slope of the engine's slider at 9 rates"),
    "58": against(lambda: _slipping(dA, reserved=False), "weak form of the engine, φ_J̇ = u̇1"),
    "59": against(
        lambda: (says(u, variation("viscoplastic").ends[J] + u + u1),), "the bracket of δJ, P_J = a J̇ − u = −u1"
    ),
    "60": against(lambda: _slipping(dA_new, reserved=True), "weak form of the engine plus [P̂ δq], û1 = −P̂_J"),
    "61": _at_rates(_dissipation, "the slider's term of the weak form"),
    "62": against(lambda: _slip_terms(dA_phi_D, (vJ_o, vJ_r)), "step form: slipping minus elastic rows"),
    "63": _on_branches(against(_branch_rows, "rows of the step form on the three branches")),
    "64": against(lambda: _slip_terms(phi_r, None), "step form: slipping minus elastic row"),
    "65": against(_letters, "what these letters replace in the engine's matrices"),
    "66": against(_system("elastic"), "step matrices of the engine"),
    "67": against(_system("plus"), "step matrices of the engine, slip forward"),
    "68": against(_system("minus"), "step matrices of the engine, slip backward"),
}
