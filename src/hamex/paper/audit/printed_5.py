"""Sections 5.1 and 5.2 as printed, eqs. (45)-(68)."""

from __future__ import annotations

import sympy as sp

from hamex.paper.audit.notation import (
    DURATION,
    PAST,
    STEP,
    Fy,
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

B_e = sp.Matrix([[m / h + c / 2, half, 0, 0], [-m / h + c / 2, half, 1, 0], [-half, a / h, 0, 0],
                 [half, -a / h, 0, -1]])
D_e = sp.Matrix([[m / h + c / 2, half, 1, 0], [-m / h + c / 2, half, 0, 0], [half, a / h, 0, -1],
                 [-half, -a / h, 0, 0]])
B_p = sp.Matrix([[m / h + c / 2, half, 0, 0], [-m / h + c / 2, half, 1, 0], [-half, a / h + beta, 0, 0],
                 [half, -a / h + beta, 0, -1]])
D_p = sp.Matrix([[m / h + c / 2, half, 1, 0], [-m / h + c / 2, half, 0, 0], [half, a / h + beta, 0, -1],
                 [-half, -a / h + beta, 0, 0]])
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
    derived("50", _linear("J_h", J_o, J_r), _slope("Jdot_h", J_o, J_r), _linear("dJ_h", vJ_o, vJ_r),
            _slope("dJdot_h", vJ_o, vJ_r)),
    derived("51", says(dA, -m / h * DU * (vu_r - vu_o) + c / 2 * DU * (vu_o + vu_r)
                       + half * DJ * (vu_o + vu_r) - f_r * h / 2 * (vu_o + vu_r)
                       - a / h * DJ * (vJ_r - vJ_o) + half * (u_o + u_r) * (vJ_r - vJ_o) + p_r * vh_r - p_o * vh_o)),
    derived("52", says(dA, (m / h * DU + c / 2 * DU + half * DJ - f_r * h / 2 - p_o) * vu_o
                       + (-m / h * DU + c / 2 * DU + half * DJ - f_r * h / 2 + p_r) * vu_r
                       + (a / h * DJ - half * (u_o + u_r)) * vJ_o + (-a / h * DJ + half * (u_o + u_r)) * vJ_r)),
    derived("53", *rows(B_53, sp.Matrix([u_r, p_r, J_r]), D_53, sp.Matrix([u_o, p_o, J_o]), _z)),
    derived("54", says(p_o + c * u_o + J_o, I0)),
    definition("55", says(I0, PAST.over * f)),
    definition("56", *sampled("phi", sp.Max(sp.Abs(rate) - Fy, 0) ** 2 / (2 * eta), rate)),
    derived("57", *sampled("slip rate", sp.Max(sp.Abs(rate) - Fy, 0) * sp.sign(rate) / eta, rate)),
    derived("58", says(dA, -I_r * _printed_58 + E_r * phat * du)),
    derived("59", says(u, a * dot(J) + u1)),
    definition("60", says(dA_new, -I_r * _printed_60 + E_r * phat * du - E_r * sp.Symbol("uhat") * dJ)),
    derived("61", says(sp.Symbol("dA_phi"), I_r * dot(u1) * dJ),
            *sampled("slip rate", sp.Max(sp.Abs(rate) - Fy, 0) * sp.sign(rate) / eta, rate)),
    derived("62", *(_line(f"dA_phi {b}", e * (vJ_o + vJ_r)) for b, e in _slip.items()), *_margins),
    derived("63", *(_line(f"{row} {b}", e) for b, slip in _slip.items() for row, e in (
        ("du_0", -h / 2 * f_r - p_o + m / h * DU + half * DJ + c / 2 * DU),
        ("du_1", -h / 2 * f_r + p_r - m / h * DU + half * DJ + c / 2 * DU),
        ("dJ_0", a / h * DJ - half * (u_r + u_o) + s_o + slip),
        ("dJ_1", -a / h * DJ + half * (u_r + u_o) - s_r + slip)))),
    definition("64", *(_line(f"phi_r {b}", e) for b, e in _slip.items()), *_margins),
    definition("65", says(alpha, h / 2 * f_r), says(beta, 1 / (2 * eta)), says(gamma, h / (2 * eta) * Fy)),
    derived("66", *rows(B_e, _new, D_e, _old, z_e)),
    derived("67", *rows(B_p, _new, D_p, _old, z_p1)),
    derived("68", *rows(B_p, _new, D_p, _old, z_p2)),
)

_INTEGRAND = (r"m\dot{u}\,\delta\dot{u} - c\dot{u}\,\delta u - \dot{J}\,\delta u + \hat{f}\,\delta u"
              r" + a\dot{J}\,\delta\dot{J} - u\,\delta\dot{J}")
_SLIPPING = rf"\delta A = -\int_{{t_{{r-1}}}}^{{t_r}} \left[ {_INTEGRAND} - \dot{{u}}_1\,\delta J \right] d\tau"
_P_END = r" + \left[\hat{p}\,\delta u\right]_{t_{r-1}}^{t_r}"

CORRECTED = book(
    definition("45", says(dA, -OVER * _right_45 + ENDS * phat * du_hat),
               latex=rf"\delta A = -\int_0^T \left[ {_INTEGRAND} \right] d\tau"
                     r" + \left[\hat{p}\,\delta\hat{u}\right]_0^T", plain="a J̇ δJ̇ − u δJ̇"),
    derived("47", says(dA, -(I_r * _right_45 - E_r * phat * du_hat)),
            latex=rf"\delta A = \sum_{{r=1}}^N -\left( \int_{{t_{{r-1}}}}^{{t_r}} \left[ {_INTEGRAND} \right] d\tau"
                  r" - \left[\hat{p}\,\delta\hat{u}\right]_{t_{r-1}}^{t_r} \right)", plain="a J̇ δJ̇ − u δJ̇"),
    derived("58", says(dA, -I_r * _right_58 + E_r * phat * du), latex=_SLIPPING + _P_END,
            plain="m u̇ δu̇"),
    definition("60", says(dA_new, -I_r * _right_58 + E_r * phat * du - E_r * sp.Symbol("uhat") * dJ),
               latex=_SLIPPING.replace(r"\delta A", r"\delta A_{NEW}") + _P_END
               + r" - \left[\hat{u}_1\,\delta J\right]_{t_{r-1}}^{t_r}", plain="m u̇ δu̇ and a J̇ δJ̇"),
)
