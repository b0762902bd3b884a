"""Section 4 as printed, eqs. (27)-(44). Index equations are written once and expanded in 1D, 2D and 3D."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import product

import sympy as sp

from hamex.paper.audit.engine import SEPARABLE, varied
from hamex.paper.audit.notation import (
    DURATION,
    A,
    Equation,
    L_name,
    Statement,
    dA_new,
    definition,
    derived,
    dot,
    du,
    half,
    m,
    rho,
    says,
    t,
    u,
)
from hamex.paper.audit.solid import (
    DIMENSIONS,
    GAMMA_PART,
    GAMMA_T,
    GAMMA_TT,
    OMEGA,
    OMEGA_END,
    OMEGA_T,
    Solid,
)
from hamex.principle.jets import partial

OVER, ENDS = DURATION.over, DURATION.ends
PARTICLE = half * m * dot(u) ** 2
v0, v_end, du0, du_end, vbar0, ubar0, u0_hat = sp.symbols("vhat_0 vhat_1 deltahat_u_0 deltahat_u_1 vbar_0 ubar_0 "
    "uhat_0",
                                                    real=True)
T_end = sp.Symbol("T_end", positive=True)
HATS = m * v_end * du_end - m * v0 * du0
MOMENTUM = partial(PARTICLE, u, (t,))
l_name, V_name, W = sp.symbols("l V W", real=True)


def _start(expression: sp.Expr) -> sp.Expr:
    return expression.subs(t, 0)


def _end(expression: sp.Expr) -> sp.Expr:
    return expression.subs(t, T_end)


def _in_all(write: Callable[[Solid], list[Statement]]) -> tuple[Statement, ...]:
    return tuple(statement for size in DIMENSIONS for statement in write(Solid(size)))


def total(body: Solid, term: Callable[..., sp.Expr], indices: int) -> sp.Expr:
    """Einstein's sum over repeated indices."""
    return sp.Add(*(term(*values) for values in product(body.range, repeat=indices)))


def _density(s: Solid) -> list[Statement]:
    return [says(l_name, half * rho * total(s, lambda i: s.u(i).diff(t) ** 2, 1)
                 + half * total(s, lambda i, j, k, n: s.A(i, j, k, n) * s.J(i, j).diff(t) * s.J(k, n).diff(t), 4)
                 - total(s, lambda i, j: s.J(i, j).diff(t) * s.strain(i, j), 2))]


def _potential(s: Solid) -> list[Statement]:
    return [says(V_name, OMEGA * total(s, lambda i: s.force(i) * s.u(i), 1)
                 + GAMMA_PART * total(s, lambda i: s.given("that", i) * s.u(i), 1))]


def _action(s: Solid) -> list[Statement]:
    """V of (35) put in, so that the loads carry their sign."""
    return [says(A, OMEGA_T * _density(s)[0].right + OMEGA_T * total(s, lambda i: s.force(i) * s.u(i), 1)
                 + GAMMA_TT * total(s, lambda i: s.given("that", i) * s.u(i), 1))]


def _hats(s: Solid) -> sp.Expr:
    return OMEGA_END * total(s, lambda i: rho * s.given("vhat", i) * s.given("deltahat_u", i), 1)


def _loads(s: Solid) -> sp.Expr:
    return -OMEGA_T * total(s, lambda i: s.force(i) * s.du(i), 1) - GAMMA_TT * total(
        s, lambda i: s.given("that", i) * s.du(i), 1)


def _new_variation(s: Solid) -> list[Statement]:
    fields = tuple(s.u(i) for i in s.range) + tuple(s.J(i, j) for i, j in s.pairs)
    return [says(dA_new, -OMEGA_T * varied(_density(s)[0].right, fields) + _loads(s) + _hats(s))]


def _in_time(s: Solid) -> list[Statement]:
    lines = (
        -OMEGA_END * total(s, lambda i: rho * s.u(i).diff(t) * s.du(i), 1)
        + OMEGA_T * total(s, lambda i: rho * s.u(i).diff(t, 2) * s.du(i), 1),
        -OMEGA_END * total(s, lambda i, j, k, n: s.A(i, j, k, n) * s.J(i, j).diff(t) * s.dJ(k, n), 4)
        + OMEGA_T * total(s, lambda i, j, k, n: s.A(i, j, k, n) * s.J(i, j).diff(t, 2) * s.dJ(k, n), 4),
        OMEGA_END * total(s, lambda i, j: s.strain(i, j) * s.dJ(i, j), 2)
        - OMEGA_T * total(s, lambda i, j: s.strain(i, j).diff(t) * s.dJ(i, j), 2)
        + OMEGA_T * total(s, lambda i, j: s.J(i, j).diff(t) * s.dstrain(i, j), 2),
        _loads(s) + _hats(s))
    return [says(dA_new, sum(lines, sp.S.Zero))]


def _in_space(s: Solid) -> list[Statement]:
    inside = OMEGA_T * total(s, lambda i, j: s.J(i, j).diff(t).diff(s.space[j]) * s.du(i), 2)
    return [
        says(W, OMEGA_T * total(s, lambda i, j: s.J(i, j).diff(t) * s.du(i).diff(s.space[j]), 2)),
        says(W, OMEGA_T * total(s, lambda i, j: sp.diff(s.J(i, j).diff(t) * s.du(i), s.space[j]), 2) - inside),
        says(W, GAMMA_T * total(s, lambda i, j: s.J(i, j).diff(t) * s.du(i) * s.normal(j), 2) - inside),
        says(W, GAMMA_T * total(s, lambda i: s.traction(i) * s.du(i), 1) - inside)]


def _final(sign: int) -> Callable[[Solid], list[Statement]]:
    def write(s: Solid) -> list[Statement]:
        balance = total(s, lambda i: (rho * s.u(i).diff(t, 2) - total(
            s, lambda j: s.J(i, j).diff(t).diff(s.space[j]), 1) - s.force(i)) * s.du(i), 1)

        def elastic(order: int, k: int, n: int) -> sp.Expr:
            return total(s, lambda i, j: s.A(i, j, k, n) * s.J(i, j).diff(t, order), 2)

        return [says(dA_new, sign * OMEGA_T * balance
                     + OMEGA_T * total(s, lambda k, n: (elastic(2, k, n) - s.strain(k, n).diff(t)) * s.dJ(k, n), 2)
                     + OMEGA_END * total(s, lambda k, n: (s.strain(k, n) - elastic(1, k, n)) * s.dJ(k, n), 2)
                     + GAMMA_T * total(s, lambda i: s.traction(i) * s.du(i), 1)
                     - GAMMA_TT * total(s, lambda i: s.given("that", i) * s.du(i), 1)
                     + _hats(s) - OMEGA_END * total(s, lambda i: rho * s.u(i).diff(t) * s.du(i), 1))]
    return write


def _initial(name: str, order: int) -> Callable[[Solid], list[Statement]]:
    def write(s: Solid) -> list[Statement]:
        return [says(a, b) for i in s.range for a, b in (
            (_start(s.u(i).diff(t) if order else s.u(i)), s.given(f"{name}hat", i)),
            (s.given(f"{name}hat", i), s.given(f"{name}bar", i)))]
    return write


def _traction(name: str) -> Callable[[Solid], list[Statement]]:
    return lambda s: [says(s.traction(i), s.given(name, i)) for i in s.range]


def _clamped(s: Solid) -> list[Statement]:
    return [statement for i in s.range for statement in (says(s.du(i)), says(s.u(i), s.given("uhat", i)))]


@cache
def printed() -> dict[str, Equation]:
    """All of section 4; built when first asked for, since the 3D sums take a moment."""
    found = (
        definition("27", says(L_name, PARTICLE)),
        definition("28", says(A, OVER * PARTICLE)),
        definition("29", says(dA_new, -OVER * varied(PARTICLE) + HATS)),
        derived("30", says(dA_new, -OVER * (partial(SEPARABLE, u, (t,)) * dot(du) + partial(SEPARABLE, u) * du) + HATS),
                says(dA_new, OVER * (sp.diff(partial(SEPARABLE, u, (t,)), t) - partial(SEPARABLE, u)) * du
                     - ENDS * partial(SEPARABLE, u, (t,)) * du + HATS)),
        derived("31", says(_start(MOMENTUM), m * v0), says(_start(du), du0), says(_end(MOMENTUM), m * v_end),
                says(_start(du), du_end)),
        derived("32", says(v0, vbar0)),
        derived("33", says(du0), says(u0_hat, ubar0)),
        definition("34", *_in_all(_density)), definition("35", *_in_all(_potential)),
        definition("36", *_in_all(_action)), definition("37", *_in_all(_new_variation)),
        derived("38", *_in_all(_in_time)), derived("39", *_in_all(_in_space)), derived("40", *_in_all(_final(-1))),
        derived("41", *_in_all(_initial("v", 1))), derived("42", *_in_all(_initial("u", 0))),
        derived("43", *_in_all(_traction("tbar"))), derived("44", *_in_all(_clamped)))
    return {e.number: e for e in found}


@cache
def corrected() -> dict[str, Equation]:
    """The misprinted ones as they should read."""
    found = (
        derived("31", says(_start(MOMENTUM), m * v0), says(_start(du), du0), says(_end(MOMENTUM), m * v_end),
                says(_end(du), du_end),
                latex=r"\frac{\partial L}{\partial \dot{u}}(0) = m\,\hat{\dot{u}}_0; \quad \delta u(0) = "
                      r"\delta\hat{u}_0; \quad \frac{\partial L}{\partial \dot{u}}(T) = m\,\hat{\dot{u}}_T; \quad "
                      r"\delta u(T) = \delta\hat{u}_T", plain="δu(T) = δû_T at the end"),
        derived("40", *_in_all(_final(1)),
                latex=r"\delta A_{NEW} = +\int_0^T\int_{\Omega}\left(\rho\,\ddot{u}_i - \dot{J}_{ij,j} - "
                      r"\hat{f}_i\right)\delta u_i\,d\Omega\,d\tau + \ldots",
                plain="+∫∫(ρü − J̇_ij,j − f̂)δu in the first line"),
        derived("43", *_in_all(_traction("that")), latex=r"t_i = \hat{t}_i \quad \text{on } \Gamma_t",
                plain="t_i = t̂_i on Γ_t, the traction of (35)"))
    return {e.number: e for e in found}
