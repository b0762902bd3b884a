"""Sections 5.1 and 5.2 derived, eqs. (45)-(68)."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from hamex.paper.audit.engine import elastic_system, known, slider_system, step, step_rows, variation, weak
from hamex.paper.audit.notation import (
    DURATION,
    PAST,
    STEP,
    Fy,
    Interval,
    J,
    J_o,
    J_r,
    Statement,
    c,
    dA,
    dA_new,
    dJ,
    dot,
    du,
    du_hat,
    eta,
    f,
    f_r,
    h,
    p_o,
    p_r,
    phat,
    rows,
    s_o,
    s_r,
    sampled,
    says,
    t,
    t_o,
    u,
    u1,
    u_o,
    u_r,
    vh_o,
    vh_r,
    vJ_o,
    vJ_r,
    vu_o,
    vu_r,
)
from hamex.paper.audit.printed_5 import I0, alpha, beta, gamma, rate, v_hat
from hamex.paper.audit.rule import Rule, against
from hamex.principle.stepform import shapes

_TAU = sp.Symbol("tau", real=True)
BRANCHES = ("plus", "minus", "elastic")


def _elastic(marks: Interval, name: sp.Symbol) -> tuple[Statement, ...]:
    """Weak form plus [p̂ δû]; the spring is elastic, so that its reserved P̂_J is zero."""
    return (says(name, weak(variation("forced"), marks.over) + marks.ends * phat * du_hat),)


def _slipping(name: sp.Symbol, reserved: bool) -> tuple[Statement, ...]:
    """Weak form with φ_J̇ written u̇1; the engine's rule adds [P̂_J δJ], and P̂_J = −û1."""
    found = variation("viscoplastic")
    law = found.weak[J, ()]
    form = STEP.over * sum((law_or * _test(found.test(q), i) for (q, i), e in found.weak.items()
                            for law_or in [dot(u1) if e == law else e]), sp.S.Zero)
    ends = STEP.ends * phat * du - (STEP.ends * sp.Symbol("uhat") * dJ if reserved else 0)
    return (says(name, sp.expand(form) + ends),)


def _test(function: sp.Expr, index: tuple[sp.Symbol, ...]) -> sp.Expr:
    return sp.Derivative(function, *index) if index else function


def _shape(names: tuple[str, ...], old: sp.Symbol, new: sp.Symbol) -> tuple[Statement, ...]:
    """The engine's linear shape functions and their rate."""
    history = sum((n * v for n, v in zip(shapes(1), (old, new), strict=True)), sp.S.Zero)
    field = history.subs(_TAU, (t - t_o) / h)
    return tuple(says(sp.Symbol(name), field if "dot" not in name else sp.diff(field, t)) for name in names)


def _collected(hats: bool) -> tuple[Statement, ...]:
    """Rows of the elastic step times the virtual values; (51) still tells û from u at the ends."""
    found = [row.xreplace({s_o: sp.S.Zero, s_r: sp.S.Zero}) for row in step_rows("forced")]
    total = sum((row * v for row, v in zip(found, (vu_o, vu_r, vJ_o, vJ_r), strict=True)), sp.S.Zero)
    if hats:
        total += p_r * (vh_r - vu_r) - p_o * (vh_o - vu_o)
    return (says(dA, sp.expand(total)),)


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


def _slider(name: str, derivative: bool) -> tuple[Statement, ...]:
    """Potential of the engine's slider, or its slope, at rates on each side of both kinks."""
    law = variation("viscoplastic").weak[J, ()] if derivative else known("viscoplastic").dissipation - c * dot(u)**2 / 2
    return sampled(name, sp.piecewise_fold(law).xreplace({dot(J): rate}), rate)


def _dissipation(name: sp.Symbol) -> tuple[Statement, ...]:
    """What the slider adds to the weak form, eq. (57) in it."""
    coefficient = sp.sympify(dot(u1) if (J, ()) in variation("viscoplastic").weak else 0)
    return (says(name, STEP.over * coefficient * dJ), *_slider("slip rate", True))


def _branch_rows() -> tuple[Statement, ...]:
    return tuple(says(sp.Symbol(f"{name} {b}"), row) for b in BRANCHES for name, row in zip(
        ("du_0", "du_1", "dJ_0", "dJ_1"), step_rows("viscoplastic", b), strict=True))


def _slip_terms(name: str, virtual: tuple[sp.Expr, sp.Expr] | None) -> tuple[Statement, ...]:
    """Branch minus elastic rows: what the slider adds to δJ_(r−1) and δJ_r, and when."""
    base = step_rows("viscoplastic", "elastic")
    found = []
    for b in BRANCHES:
        first, second = (sp.expand(step_rows("viscoplastic", b)[i] - base[i]) for i in (2, 3))
        if virtual is None and sp.expand(first - second) != 0:
            return ()
        found.append(says(sp.Symbol(f"{name} {b}"), first if virtual is None
                          else sp.expand(first * virtual[0] + second * virtual[1])))
    for b in BRANCHES[:2]:
        condition = step("viscoplastic").conditions[b]
        found.append(says(sp.Symbol(f"margin {b}"), condition.gts - condition.lts))
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


def _compatibility() -> tuple[Statement, ...]:
    """The bracket (P_J + û1) δJ of (60) vanishes: P_J = −u1."""
    return (says(u, variation("viscoplastic").ends[J] + u + u1),)


RULES: dict[str, Rule] = {
    "45": against(lambda: _elastic(DURATION, dA), "weak form of the engine plus [p̂ δû]"),
    "46": against(lambda: (says(phat, known("forced").momentum(u).subs(dot(u), v_hat)),), "∂L/∂u̇ of the engine"),
    "47": against(lambda: _elastic(STEP, dA), "weak form of the engine over one step"),
    "48": against(lambda: _shape(("u_h",), u_o, u_r), "the engine's shape functions"),
    "49": against(lambda: _shape(("udot_h",), u_o, u_r) + _shape(("du_h", "dudot_h"), vu_o, vu_r),
                  "the engine's shape functions, differentiated"),
    "50": against(lambda: _shape(("J_h", "Jdot_h"), J_o, J_r) + _shape(("dJ_h", "dJdot_h"), vJ_o, vJ_r),
                  "the engine's shape functions, differentiated"),
    "51": against(lambda: _collected(hats=True), "step form of the engine times the virtual values"),
    "52": against(lambda: _collected(hats=False), "step form of the engine times the virtual values"),
    "53": against(_compact, "step matrices of the engine, P_J = 0"),
    "54": against(_momentum_balance, "charge of a shift of u, zero before any load: m u̇ + c u + J − ∫f is constant"),
    "55": against(_impulse, "the load's part of that charge"),
    "56": against(lambda: _slider("phi", False), "the engine's slider at 9 rates, 3 or more per piece"),
    "57": against(lambda: _slider("slip rate", True), "slope of the engine's slider at 9 rates"),
    "58": against(lambda: _slipping(dA, reserved=False), "weak form of the engine, φ_J̇ = u̇1"),
    "59": against(_compatibility, "the bracket of δJ, P_J = a J̇ − u = −u1"),
    "60": against(lambda: _slipping(dA_new, reserved=True), "weak form of the engine plus [P̂ δq], û1 = −P̂_J"),
    "61": against(lambda: _dissipation(sp.Symbol("dA_phi")), "the slider's term of the weak form"),
    "62": against(lambda: _slip_terms("dA_phi", (vJ_o, vJ_r)), "step form: slipping minus elastic rows"),
    "63": against(_branch_rows, "rows of the step form on the three branches"),
    "64": against(lambda: _slip_terms("phi_r", None), "step form: slipping minus elastic row"),
    "65": against(_letters, "what these letters replace in the engine's matrices"),
    "66": against(_system("elastic"), "step matrices of the engine"),
    "67": against(_system("plus"), "step matrices of the engine, slip forward"),
    "68": against(_system("minus"), "step matrices of the engine, slip backward"),
}
