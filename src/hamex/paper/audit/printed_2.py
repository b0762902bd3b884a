"""Sections 2 and 3 as printed, eqs. (1)-(26)."""

from __future__ import annotations

import sympy as sp

from hamex.paper.audit.engine import GENERIC, GENERIC_MIXED, HARMONIC, MIXED, varied
from hamex.paper.audit.notation import (
    WINDOW,
    A,
    F_name,
    J,
    L_name,
    T_name,
    U_name,
    a,
    book,
    c,
    dA,
    definition,
    derived,
    dJ,
    dot,
    du,
    half,
    k,
    m,
    phi_name,
    says,
    t,
    u,
)
from hamex.principle.jets import partial

OVER, ENDS = WINDOW.over, WINDOW.ends
t0, t1 = sp.symbols("t_0 t_1", real=True)


def at(function: sp.Expr, instant: sp.Symbol) -> sp.Expr:
    """A variation at an instant."""
    return function.subs(t, instant)


PRINTED = book(
    definition("1", says(A, OVER * HARMONIC)),
    definition("2", says(L_name, T_name - U_name)),
    definition("3", says(T_name, half * m * dot(u) ** 2)),
    definition("4", says(U_name, half * k * u**2)),
    derived("5", says(dA, -OVER * varied(HARMONIC))),
    derived("6", says(dA, -OVER * (partial(GENERIC, u, (t,)) * dot(du) + partial(GENERIC, u) * du))),
    derived("7", says(dA, -OVER * (m * dot(u) * dot(du) - k * u * du))),
    derived("8", says(dA, OVER * (m * dot(u, 2) + k * u) * du - ENDS * m * dot(u) * du)),
    derived("9", says(at(du, t0)), says(at(du, t1))),
    derived("10", says(dA, OVER * (m * dot(u, 2) + k * u) * du)),
    derived("11", says(m * dot(u, 2) + k * u)),
    derived("12", says(sp.diff(partial(GENERIC, u, (t,)), t) - partial(GENERIC, u))),
    definition("13", says(phi_name, half * c * dot(u) ** 2)),
    definition("14", says(dA, -OVER * varied(HARMONIC) + OVER * partial(half * c * dot(u) ** 2, u, (t,)) * du)),
    derived("15", says(dA, OVER * (m * dot(u, 2) + c * dot(u) + k * u) * du)),
    definition("16", says(L_name, half * m * dot(u) ** 2 + half * a * dot(J) ** 2 - dot(J) * u)),
    definition("17", says(F_name, dot(J))),
    derived("18", says(u - a * dot(J))),
    definition("19", says(A, OVER * MIXED)),
    derived("20", says(dA, -OVER * varied(MIXED))),
    derived("21", says(dA, -OVER * (partial(GENERIC_MIXED, u, (t,)) * dot(du) + partial(GENERIC_MIXED, u) * du
                                 + partial(GENERIC_MIXED, J, (t,)) * dot(dJ)))),
    derived("22", says(dA, -OVER * (m * dot(u) * dot(du) + a * dot(J) * dot(dJ) - u * dot(dJ) - dot(J) * du))),
    derived("23", says(dA, -ENDS * m * dot(u) * du + ENDS * (u - a * dot(J)) * dJ
                       + OVER * (m * dot(u, 2) + dot(J)) * du + OVER * (a * dot(J, 2) - dot(u)) * dJ)),
    derived("24", says(at(du, t0)), says(at(du, t1)), says(at(dJ, t0)), says(at(dJ, t1))),
    derived("25", says(dA, OVER * ((m * dot(u, 2) + dot(J)) * du + (a * dot(J, 2) - dot(u)) * dJ))),
    derived("26", says(m * dot(u, 2) + dot(J)), says(a * dot(J, 2) - dot(u))),
)

CORRECTED = book(
    derived("5", says(dA, OVER * varied(HARMONIC)),
            latex=r"\delta A = \delta \int_{t_0}^{t_1} L \, d\tau = 0 \quad "
                  r"\text{or define } A = -\int_{t_0}^{t_1} L \, d\tau \text{ in (1)}",
            plain="δA = +δ∫L dτ = 0, or A = −∫L dτ in (1)"),
    derived("20", says(dA, OVER * varied(MIXED)),
            latex=r"\delta A = \delta \int_{t_0}^{t_1} L \, d\tau = 0 \quad "
                  r"\text{or define } A = -\int_{t_0}^{t_1} L \, d\tau \text{ in (19)}",
            plain="δA = +δ∫L dτ = 0, or A = −∫L dτ in (19)"),
)
