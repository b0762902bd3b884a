"""Sections 5.1 and 5.2, eqs. (45)-(68): as printed, and derived."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from hamex.paper.audit.engine import elastic_system, known, slider_system, step, step_rows, variation, weak
from hamex.paper.audit.judging import Rule, against
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
    a,
    book,
    c,
    dA,
    dA_new,
    definition,
    derived,
    dJ,
    dot,
    du,
    du_hat,
    eta,
    f,
    f_r,
    h,
    half,
    m,
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
from hamex.principle.stepform import shapes

OVER, ENDS, I_r, E_r = DURATION.over, DURATION.ends, STEP.over, STEP.ends
v_hat, I0, rate = sp.Symbol("vhat", real=True), sp.Symbol("I_hat_0", real=True), sp.Symbol("rate", real=True)
t_r = t_o + h
alpha, beta, gamma = sp.symbols("alpha beta gamma")
PLUS, MINUS = "plus", "minus"

# What (45), (47), (58) and (60) integrate. Dots as printed; `right` is how they should read.
_drive = -c * dot(u) * du - dot(J) * du + f * du
_printed_45 = m * dot(u) * dot(du) + _drive + a * J * dJ - u * dJ
_printed_58 = m * dot(u, 2) * dot(du) + _drive + a * dot(J) * dot(dJ) - u * dot(dJ) - dot(u1) * dJ
_printed_60 = m * dot(u, 2) * dot(du) + _drive + a * J * dJ - u * dot(dJ) - dot(u1) * dJ
_right_45 = m * dot(u) * dot(du) + _drive + a * dot(J) * dot(dJ) - u * dot(dJ)
_right_58 = _right_45 - dot(u1) * dJ


def _linear(name: str, old: sp.Symbol, new: sp.Symbol) -> Statement:
    return says(sp.Symbol(name), ((t_r - t) * old + (t - t_o) * new) / h)


def _slope(name: str, old: sp.Symbol, new: sp.Symbol) -> Statement:
    return says(sp.Symbol(name), (-old + new) / h)


def _line(name: str, expression: sp.Expr) -> Statement:
    return says(sp.Symbol(name), expression)


DU, DJ = u_r - u_o, J_r - J_o
_slip = {PLUS: h / (2 * eta) * (DJ / h - Fy), MINUS: h / (2 * eta) * (DJ / h + Fy), "elastic": sp.S.Zero}
_margins = (_line("margin plus", DJ / h - Fy), _line("margin minus", -Fy - DJ / h))

B_e = sp.Matrix(
    [[m / h + c / 2, half, 0, 0], [-m / h + c / 2, half, 1, 0], [-half, a / h, 0, 0], [half, -a / h, 0, -1]]
)
D_e = sp.Matrix(
    [[m / h + c / 2, half, 1, 0], [-m / h + c / 2, half, 0, 0], [half, a / h, 0, -1], [-half, -a / h, 0, 0]]
)
B_p = sp.Matrix(
    [
        [m / h + c / 2, half, 0, 0],
        [-m / h + c / 2, half, 1, 0],
        [-half, a / h + beta, 0, 0],
        [half, -a / h + beta, 0, -1],
    ]
)
D_p = sp.Matrix(
    [
        [m / h + c / 2, half, 1, 0],
        [-m / h + c / 2, half, 0, 0],
        [half, a / h + beta, 0, -1],
        [-half, -a / h + beta, 0, 0],
    ]
)
z_e, z_p1, z_p2 = (sp.Matrix([alpha, alpha, g, g]) for g in (sp.S.Zero, gamma, -gamma))
B_53 = sp.Matrix([[m / h + c / 2, 0, half], [-m / h + c / 2, 1, half], [-half, 0, a / h]])
D_53 = sp.Matrix([[m / h + c / 2, 1, half], [-m / h + c / 2, 0, half], [half, 0, a / h]])
_z = sp.Matrix([h / 2 * f_r, h / 2 * f_r, 0])
_new, _old = sp.Matrix([u_r, J_r, p_r, s_r]), sp.Matrix([u_o, J_o, p_o, s_o])

PRINTED = book(
    definition("45", says(dA, -OVER * _printed_45 + ENDS * phat * du_hat)),
    definition("46", says(phat, m * v_hat)),
    derived("47", says(dA, -(I_r * _printed_45 - E_r * phat * du_hat))),
    definition("48", _linear("u_h", u_o, u_r)),
    derived("49", _slope("udot_h", u_o, u_r), _linear("du_h", vu_o, vu_r), _slope("dudot_h", vu_o, vu_r)),
    derived(
        "50",
        _linear("J_h", J_o, J_r),
        _slope("Jdot_h", J_o, J_r),
        _linear("dJ_h", vJ_o, vJ_r),
        _slope("dJdot_h", vJ_o, vJ_r),
    ),
    derived(
        "51",
        says(
            dA,
            -m / h * DU * (vu_r - vu_o)
            + c / 2 * DU * (vu_o + vu_r)
            + half * DJ * (vu_o + vu_r)
            - f_r * h / 2 * (vu_o + vu_r)
            - a / h * DJ * (vJ_r - vJ_o)
            + half * (u_o + u_r) * (vJ_r - vJ_o)
            + p_r * vh_r
            - p_o * vh_o,
        ),
    ),
    derived(
        "52",
        says(
            dA,
            (m / h * DU + c / 2 * DU + half * DJ - f_r * h / 2 - p_o) * vu_o
            + (-m / h * DU + c / 2 * DU + half * DJ - f_r * h / 2 + p_r) * vu_r
            + (a / h * DJ - half * (u_o + u_r)) * vJ_o
            + (-a / h * DJ + half * (u_o + u_r)) * vJ_r,
        ),
    ),
    derived("53", *rows(B_53, sp.Matrix([u_r, p_r, J_r]), D_53, sp.Matrix([u_o, p_o, J_o]), _z)),
    derived("54", says(p_o + c * u_o + J_o, I0)),
    definition("55", says(I0, PAST.over * f)),
    definition("56", *sampled("phi", sp.Max(sp.Abs(rate) - Fy, 0) ** 2 / (2 * eta), rate)),
    derived("57", *sampled("slip rate", sp.Max(sp.Abs(rate) - Fy, 0) * sp.sign(rate) / eta, rate)),
    derived("58", says(dA, -I_r * _printed_58 + E_r * phat * du)),
    derived("59", says(u, a * dot(J) + u1)),
    definition("60", says(dA_new, -I_r * _printed_60 + E_r * phat * du - E_r * sp.Symbol("uhat") * dJ)),
    derived(
        "61",
        says(sp.Symbol("dA_phi"), I_r * dot(u1) * dJ),
        *sampled("slip rate", sp.Max(sp.Abs(rate) - Fy, 0) * sp.sign(rate) / eta, rate),
    ),
    derived("62", *(_line(f"dA_phi {b}", e * (vJ_o + vJ_r)) for b, e in _slip.items()), *_margins),
    derived(
        "63",
        *(
            _line(f"{row} {b}", e)
            for b, slip in _slip.items()
            for row, e in (
                ("du_0", -h / 2 * f_r - p_o + m / h * DU + half * DJ + c / 2 * DU),
                ("du_1", -h / 2 * f_r + p_r - m / h * DU + half * DJ + c / 2 * DU),
                ("dJ_0", a / h * DJ - half * (u_r + u_o) + s_o + slip),
                ("dJ_1", -a / h * DJ + half * (u_r + u_o) - s_r + slip),
            )
        ),
    ),
    definition("64", *(_line(f"phi_r {b}", e) for b, e in _slip.items()), *_margins),
    definition("65", says(alpha, h / 2 * f_r), says(beta, 1 / (2 * eta)), says(gamma, h / (2 * eta) * Fy)),
    derived("66", *rows(B_e, _new, D_e, _old, z_e)),
    derived("67", *rows(B_p, _new, D_p, _old, z_p1)),
    derived("68", *rows(B_p, _new, D_p, _old, z_p2)),
)

_INTEGRAND = (
    r"m\dot{u}\,\delta\dot{u} - c\dot{u}\,\delta u - \dot{J}\,\delta u + \hat{f}\,\delta u"
    r" + a\dot{J}\,\delta\dot{J} - u\,\delta\dot{J}"
)
_SLIPPING = rf"\delta A = -\int_{{t_{{r-1}}}}^{{t_r}} \left[ {_INTEGRAND} - \dot{{u}}_1\,\delta J \right] d\tau"
_P_END = r" + \left[\hat{p}\,\delta u\right]_{t_{r-1}}^{t_r}"

CORRECTED = book(
    definition(
        "45",
        says(dA, -OVER * _right_45 + ENDS * phat * du_hat),
        latex=rf"\delta A = -\int_0^T \left[ {_INTEGRAND} \right] d\tau"
        r" + \left[\hat{p}\,\delta\hat{u}\right]_0^T",
        plain="a J̇ δJ̇ − u δJ̇",
    ),
    derived(
        "47",
        says(dA, -(I_r * _right_45 - E_r * phat * du_hat)),
        latex=rf"\delta A = \sum_{{r=1}}^N -\left( \int_{{t_{{r-1}}}}^{{t_r}} \left[ {_INTEGRAND} \right] d\tau"
        r" - \left[\hat{p}\,\delta\hat{u}\right]_{t_{r-1}}^{t_r} \right)",
        plain="a J̇ δJ̇ − u δJ̇",
    ),
    derived("58", says(dA, -I_r * _right_58 + E_r * phat * du), latex=_SLIPPING + _P_END, plain="m u̇ δu̇"),
    definition(
        "60",
        says(dA_new, -I_r * _right_58 + E_r * phat * du - E_r * sp.Symbol("uhat") * dJ),
        latex=_SLIPPING.replace(r"\delta A", r"\delta A_{NEW}")
        + _P_END
        + r" - \left[\hat{u}_1\,\delta J\right]_{t_{r-1}}^{t_r}",
        plain="m u̇ δu̇ and a J̇ δJ̇",
    ),
)


_TAU = sp.Symbol("tau", real=True)
BRANCHES = ("plus", "minus", "elastic")


def _elastic(marks: Interval, name: sp.Symbol) -> tuple[Statement, ...]:
    """Weak form plus [p̂ δû]; the spring is elastic, so that its reserved P̂_J is zero."""
    return (says(name, weak(variation("forced"), marks.over) + marks.ends * phat * du_hat),)


def _slipping(name: sp.Symbol, reserved: bool) -> tuple[Statement, ...]:
    """Weak form with φ_J̇ written u̇1; the engine's rule adds [P̂_J δJ], and P̂_J = −û1."""
    found = variation("viscoplastic")
    law = found.weak[J, ()]
    form = STEP.over * sum(
        (
            law_or * _test(found.test(q), i)
            for (q, i), e in found.weak.items()
            for law_or in [dot(u1) if e == law else e]
        ),
        sp.S.Zero,
    )
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
    law = (
        variation("viscoplastic").weak[J, ()] if derivative else known("viscoplastic").dissipation - c * dot(u) ** 2 / 2
    )
    return sampled(name, sp.piecewise_fold(law).xreplace({dot(J): rate}), rate)


def _dissipation(name: sp.Symbol) -> tuple[Statement, ...]:
    """What the slider adds to the weak form, eq. (57) in it."""
    coefficient = sp.sympify(dot(u1) if (J, ()) in variation("viscoplastic").weak else 0)
    return (says(name, STEP.over * coefficient * dJ), *_slider("slip rate", True))


def _branch_rows() -> tuple[Statement, ...]:
    return tuple(
        says(sp.Symbol(f"{name} {b}"), row)
        for b in BRANCHES
        for name, row in zip(("du_0", "du_1", "dJ_0", "dJ_1"), step_rows("viscoplastic", b), strict=True)
    )


def _slip_terms(name: str, virtual: tuple[sp.Expr, sp.Expr] | None) -> tuple[Statement, ...]:
    """Branch minus elastic rows: what the slider adds to δJ_(r−1) and δJ_r, and when."""
    base = step_rows("viscoplastic", "elastic")
    found = []
    for b in BRANCHES:
        first, second = (sp.expand(step_rows("viscoplastic", b)[i] - base[i]) for i in (2, 3))
        if virtual is None and sp.expand(first - second) != 0:
            return ()
        found.append(
            says(
                sp.Symbol(f"{name} {b}"),
                first if virtual is None else sp.expand(first * virtual[0] + second * virtual[1]),
            )
        )
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
    "49": against(
        lambda: _shape(("udot_h",), u_o, u_r) + _shape(("du_h", "dudot_h"), vu_o, vu_r),
        "the engine's shape functions, differentiated",
    ),
    "50": against(
        lambda: _shape(("J_h", "Jdot_h"), J_o, J_r) + _shape(("dJ_h", "dJdot_h"), vJ_o, vJ_r),
        "the engine's shape functions, differentiated",
    ),
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
