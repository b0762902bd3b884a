"""Section 4, eqs. (27)-(44): as printed, and derived.

Index equations are written once and expanded in 1D, 2D and 3D.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import product

import sympy as sp

from hamex.paper.audit.engine import (
    DIMENSIONS,
    GAMMA_PART,
    GAMMA_T,
    GAMMA_TT,
    OMEGA,
    OMEGA_END,
    OMEGA_T,
    SEPARABLE,
    Solid,
    brackets,
    bulk,
    continuum,
    known,
    step,
    variation,
    varied,
    voigt,
    weak,
)
from hamex.paper.audit.judging import Finding, Rule, against, decide
from hamex.paper.audit.notation import (
    DURATION,
    A,
    L_name,
    NumberedEquation,
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
from hamex.principle.action import Action
from hamex.principle.conditions import initial_conditions
from hamex.principle.edges import boundary_conditions
from hamex.principle.jets import jet, partial

OVER, ENDS = DURATION.over, DURATION.ends
PARTICLE = half * m * dot(u) ** 2
v0, v_end, du0, du_end, vbar0, ubar0, u0_hat = sp.symbols(
    "vhat_0 vhat_1 deltahat_u_0 deltahat_u_1 vbar_0 ubar_0 uhat_0", real=True
)
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
    return [
        says(
            l_name,
            half * rho * total(s, lambda i: s.u(i).diff(t) ** 2, 1)
            + half * total(s, lambda i, j, k, n: s.A(i, j, k, n) * s.J(i, j).diff(t) * s.J(k, n).diff(t), 4)
            - total(s, lambda i, j: s.J(i, j).diff(t) * s.strain(i, j), 2),
        )
    ]


def _potential(s: Solid) -> list[Statement]:
    return [
        says(
            V_name,
            OMEGA * total(s, lambda i: s.force(i) * s.u(i), 1)
            + GAMMA_PART * total(s, lambda i: s.given("that", i) * s.u(i), 1),
        )
    ]


def _action(s: Solid) -> list[Statement]:
    """V of (35) put in, so that the loads carry their sign."""
    return [
        says(
            A,
            OMEGA_T * _density(s)[0].right
            + OMEGA_T * total(s, lambda i: s.force(i) * s.u(i), 1)
            + GAMMA_TT * total(s, lambda i: s.given("that", i) * s.u(i), 1),
        )
    ]


def _hats(s: Solid) -> sp.Expr:
    return OMEGA_END * total(s, lambda i: rho * s.given("vhat", i) * s.given("deltahat_u", i), 1)


def _loads(s: Solid) -> sp.Expr:
    return -OMEGA_T * total(s, lambda i: s.force(i) * s.du(i), 1) - GAMMA_TT * total(
        s, lambda i: s.given("that", i) * s.du(i), 1
    )


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
        _loads(s) + _hats(s),
    )
    return [says(dA_new, sum(lines, sp.S.Zero))]


def _in_space(s: Solid) -> list[Statement]:
    inside = OMEGA_T * total(s, lambda i, j: s.J(i, j).diff(t).diff(s.space[j]) * s.du(i), 2)
    return [
        says(W, OMEGA_T * total(s, lambda i, j: s.J(i, j).diff(t) * s.du(i).diff(s.space[j]), 2)),
        says(W, OMEGA_T * total(s, lambda i, j: sp.diff(s.J(i, j).diff(t) * s.du(i), s.space[j]), 2) - inside),
        says(W, GAMMA_T * total(s, lambda i, j: s.J(i, j).diff(t) * s.du(i) * s.normal(j), 2) - inside),
        says(W, GAMMA_T * total(s, lambda i: s.traction(i) * s.du(i), 1) - inside),
    ]


def _final(sign: int) -> Callable[[Solid], list[Statement]]:
    def write(s: Solid) -> list[Statement]:
        balance = total(
            s,
            lambda i: (
                (rho * s.u(i).diff(t, 2) - total(s, lambda j: s.J(i, j).diff(t).diff(s.space[j]), 1) - s.force(i))
                * s.du(i)
            ),
            1,
        )

        def elastic(order: int, k: int, n: int) -> sp.Expr:
            return total(s, lambda i, j: s.A(i, j, k, n) * s.J(i, j).diff(t, order), 2)

        return [
            says(
                dA_new,
                sign * OMEGA_T * balance
                + OMEGA_T * total(s, lambda k, n: (elastic(2, k, n) - s.strain(k, n).diff(t)) * s.dJ(k, n), 2)
                + OMEGA_END * total(s, lambda k, n: (s.strain(k, n) - elastic(1, k, n)) * s.dJ(k, n), 2)
                + GAMMA_T * total(s, lambda i: s.traction(i) * s.du(i), 1)
                - GAMMA_TT * total(s, lambda i: s.given("that", i) * s.du(i), 1)
                + _hats(s)
                - OMEGA_END * total(s, lambda i: rho * s.u(i).diff(t) * s.du(i), 1),
            )
        ]

    return write


def _initial(name: str, order: int) -> Callable[[Solid], list[Statement]]:
    def write(s: Solid) -> list[Statement]:
        return [
            says(a, b)
            for i in s.range
            for a, b in (
                (_start(s.u(i).diff(t) if order else s.u(i)), s.given(f"{name}hat", i)),
                (s.given(f"{name}hat", i), s.given(f"{name}bar", i)),
            )
        ]

    return write


def _traction(name: str) -> Callable[[Solid], list[Statement]]:
    return lambda s: [says(s.traction(i), s.given(name, i)) for i in s.range]


def _clamped(s: Solid) -> list[Statement]:
    return [statement for i in s.range for statement in (says(s.du(i)), says(s.u(i), s.given("uhat", i)))]


@cache
def printed() -> dict[str, NumberedEquation]:
    """All of section 4; built when first asked for, since the 3D sums take a moment."""
    found = (
        definition("27", says(L_name, PARTICLE)),
        definition("28", says(A, OVER * PARTICLE)),
        definition("29", says(dA_new, -OVER * varied(PARTICLE) + HATS)),
        derived(
            "30",
            says(dA_new, -OVER * (partial(SEPARABLE, u, (t,)) * dot(du) + partial(SEPARABLE, u) * du) + HATS),
            says(
                dA_new,
                OVER * (sp.diff(partial(SEPARABLE, u, (t,)), t) - partial(SEPARABLE, u)) * du
                - ENDS * partial(SEPARABLE, u, (t,)) * du
                + HATS,
            ),
        ),
        derived(
            "31",
            says(_start(MOMENTUM), m * v0),
            says(_start(du), du0),
            says(_end(MOMENTUM), m * v_end),
            says(_start(du), du_end),
        ),
        derived("32", says(v0, vbar0)),
        derived("33", says(du0), says(u0_hat, ubar0)),
        definition("34", *_in_all(_density)),
        definition("35", *_in_all(_potential)),
        definition("36", *_in_all(_action)),
        definition("37", *_in_all(_new_variation)),
        derived("38", *_in_all(_in_time)),
        derived("39", *_in_all(_in_space)),
        derived("40", *_in_all(_final(-1))),
        derived("41", *_in_all(_initial("v", 1))),
        derived("42", *_in_all(_initial("u", 0))),
        derived("43", *_in_all(_traction("tbar"))),
        derived("44", *_in_all(_clamped)),
    )
    return {e.number: e for e in found}


@cache
def corrected() -> dict[str, NumberedEquation]:
    """The misprinted ones as they should read."""
    found = (
        derived(
            "31",
            says(_start(MOMENTUM), m * v0),
            says(_start(du), du0),
            says(_end(MOMENTUM), m * v_end),
            says(_end(du), du_end),
            latex=r"\frac{\partial L}{\partial \dot{u}}(0) = m\,\hat{\dot{u}}_0; \quad \delta u(0) = "
            r"\delta\hat{u}_0; \quad \frac{\partial L}{\partial \dot{u}}(T) = m\,\hat{\dot{u}}_T; \quad "
            r"\delta u(T) = \delta\hat{u}_T",
            plain="δu(T) = δû_T at the end",
        ),
        derived(
            "40",
            *_in_all(_final(1)),
            latex=r"\delta A_{NEW} = +\int_0^T\int_{\Omega}\left(\rho\,\ddot{u}_i - \dot{J}_{ij,j} - "
            r"\hat{f}_i\right)\delta u_i\,d\Omega\,d\tau + \ldots",
            plain="+∫∫(ρü − J̇_ij,j − f̂)δu in the first line",
        ),
        derived(
            "43",
            *_in_all(_traction("that")),
            latex=r"t_i = \hat{t}_i \quad \text{on } \Gamma_t",
            plain="t_i = t̂_i on Γ_t, the traction of (35)",
        ),
    )
    return {e.number: e for e in found}


def _expanded(write: Callable[[Solid], list[Statement]]) -> Callable[[], tuple[Statement, ...]]:
    return lambda: tuple(statement for size in DIMENSIONS for statement in write(Solid(size)))


def _reserved() -> sp.Expr:
    """[P̂ δû]: the engine's momentum with the reserved velocity in it, at both ends."""
    momentum = known("particle").momentum(u)
    ends = ((1, v_end, du_end), (-1, v0, du0))
    return sum((sign * momentum.subs(u.diff(t), v) * d for sign, v, d in ends), sp.S.Zero)


def _thirty() -> tuple[Statement, ...]:
    found = Action((u,), SEPARABLE).variation()
    hats = _reserved()
    return says(dA_new, weak(found, OVER) + hats), says(dA_new, bulk(found, OVER) + brackets(found, ENDS) + hats)


def _matching() -> tuple[Statement, ...]:
    """What makes −[P δu] + [P̂ δû] vanish term by term: momenta and variations agree at each end."""
    momentum = variation("particle").ends[u]
    pairs = ((sp.S.Zero, v0, du0), (T_end, v_end, du_end))
    found = [
        s for instant, v, d in pairs for s in (says(momentum.subs(t, instant), m * v), says(du.subs(t, instant), d))
    ]
    both = -(momentum * du).subs(t, T_end) + (momentum * du).subs(t, 0) + HATS
    left = both.subs({s.left: s.right for s in found})
    if sp.expand(left) != 0:
        raise ArithmeticError("the matched ends do not cancel")
    return tuple(found)


def _first_datum() -> tuple[Statement, ...]:
    first = initial_conditions(known("particle"))[0]
    if first.kind != "momentum":
        return ()
    return (says(v0, sp.solve(first.equation.lhs.subs(u.diff(t).subs(t, 0), v0) - m * vbar0, v0)[0]),)


def _second_datum(equation: NumberedEquation) -> Finding:
    """(33) offers two readings: no virtual displacement at the start, or a given displacement there."""
    base = against(lambda: (says(du0), says(u0_hat, ubar0)), "the engine's second datum is the value u(0)")(equation)
    order = [c.kind for c in initial_conditions(known("particle"))]
    if base.verdict != "holds" or order != ["momentum", "value"]:
        return base
    form = step("particle")
    B, D, _ = form.matrices()
    free, held = B.rank(), B.extract([1], list(range(B.cols))).rank()
    lost = not D.extract([1], [1]).has(sp.S.One)
    verdict = decide(held == B.cols and not lost, free == B.cols)
    return Finding(
        verdict,
        f"particle, one step, {B.cols} unknowns (u, p at T): with u(0) given and its row kept, "
        f"rank {free}; with δu(0) = 0 imposed on the test function its row goes, rank {held}, and the "
        f"initial velocity {'no longer enters' if lost else 'still enters'}. Read it as: u(0) is given, "
        "δu(0) free",
    )


def _derived_density(s: Solid) -> list[Statement]:
    return [says(l_name, voigt(s.size).lagrangian)]


def _work(s: Solid) -> tuple[sp.Expr, sp.Expr]:
    """Potentials of the loads: the engine's generalised forces times the displacements."""
    loads = voigt(s.size).loads
    inside = sum((force * q for q, force in loads.items()), sp.S.Zero)
    return inside, sum((s.given("that", i) * s.u(i) for i in s.range), sp.S.Zero)


def _derived_potential(s: Solid) -> list[Statement]:
    inside, surface = _work(s)
    return [says(V_name, OMEGA * inside + GAMMA_PART * surface)]


def _derived_action(s: Solid) -> list[Statement]:
    inside, surface = _work(s)
    return [says(A, OMEGA_T * (voigt(s.size).lagrangian + inside) + GAMMA_TT * surface)]


def _surface_load(s: Solid) -> sp.Expr:
    return -GAMMA_TT * varied(_work(s)[1], tuple(s.u(i) for i in s.range))


def _reserved_solid(s: Solid) -> sp.Expr:
    """[P̂ δû] of the displacements; an elastic body has no reserved slip, P̂_J = 0."""
    momenta = continuum(s.size).ends
    return OMEGA_END * sum(
        (momenta[s.u(i)].subs(s.u(i).diff(t), s.given("vhat", i)) * s.given("deltahat_u", i) for i in s.range),
        sp.S.Zero,
    )


def _weak(s: Solid) -> list[Statement]:
    return [says(dA_new, weak(continuum(s.size), OMEGA_T) + _surface_load(s) + _reserved_solid(s))]


def _derived_in_time(s: Solid) -> list[Statement]:
    """Parts in time alone: rates of δq go to the ends, space derivatives stay."""
    found = continuum(s.size)
    inside = sp.S.Zero
    for (q, index), coefficient in found.weak.items():
        if t in index:
            inside -= coefficient.diff(t) * found.test(q)
        else:
            inside += coefficient * jet(found.test(q), index)
    return [
        says(dA_new, sp.expand(OMEGA_T * inside) + brackets(found, OMEGA_END) + _surface_load(s) + _reserved_solid(s))
    ]


def _surface(s: Solid) -> sp.Expr:
    """−flux·n δu, the engine's bracket on the boundary."""
    found = continuum(s.size)
    return GAMMA_T * sum(
        (
            -flux[j] * s.normal(j) * jet(found.test(q), index)
            for (q, index), flux in found.fluxes.items()
            for j in s.range
        ),
        sp.S.Zero,
    )


def _derived_in_space(s: Solid) -> list[Statement]:
    found = continuum(s.size)
    spatial = {key: e for key, e in found.weak.items() if key[1] and t not in key[1]}
    before = OMEGA_T * sum((e * jet(found.test(q), i) for (q, i), e in spatial.items()), sp.S.Zero)
    after = _surface(s) - OMEGA_T * sum((e.diff(*i) * found.test(q) for (q, i), e in spatial.items()), sp.S.Zero)
    return [says(W, before), says(W, before), says(W, after), says(W, after)]


def _derived_final(s: Solid) -> list[Statement]:
    found = continuum(s.size)
    return [
        says(
            dA_new,
            bulk(found, OMEGA_T) + brackets(found, OMEGA_END) + _surface(s) + _surface_load(s) + _reserved_solid(s),
        )
    ]


def _data(kind: str, name: str) -> Callable[[Solid], list[Statement]]:
    """The engine's data of one kind for the displacements, in their order."""

    def write(s: Solid) -> list[Statement]:
        places = [s.u(i) for i in s.range]
        found = [c for c in initial_conditions(voigt(s.size)) if c.kind == kind and c.field in places]
        factor = rho if kind == "momentum" else sp.S.One
        return [
            one
            for i, c in enumerate(found)
            for one in (
                says(c.equation.lhs.doit() / factor, s.given(f"{name}hat", i)),
                says(s.given(f"{name}hat", i), s.given(f"{name}bar", i)),
            )
        ]

    return write


def _derived_traction(s: Solid) -> list[Statement]:
    """Natural condition: the engine's boundary force meets the load of (35), which is written t̂."""
    conditions = {c.field: c.force for c in boundary_conditions(voigt(s.size))}
    given = _surface_load(s)
    return [says(conditions[s.u(i)], -given.coeff(GAMMA_TT).expand().coeff(s.du(i))) for i in s.range]


def _derived_clamped(s: Solid) -> list[Statement]:
    """Essential condition: the motion conjugate to the boundary force."""
    motions = [c.motion for c in boundary_conditions(voigt(s.size))]
    test = continuum(s.size).test
    return [one for i, q in enumerate(motions) for one in (says(test(q)), says(q, s.given("uhat", i)))]


_DIMS = "fully anisotropic, 1D, 2D and 3D"
RULES: dict[str, Rule] = {
    "27": against(lambda: (says(L_name, known("particle").lagrangian),), "the engine's free particle"),
    "28": against(
        lambda: (says(A, OVER * known("particle").lagrangian),), "its variation is minus the engine's weak form"
    ),
    "29": against(lambda: (says(dA_new, weak(variation("particle"), OVER) + _reserved()),), "weak form plus [P̂ δû]"),
    "30": against(_thirty, "weak form and parts for L = ½ m u̇² − w(u), w any cubic"),
    "31": against(_matching, "what cancels −[P δu] + [P̂ δû] term by term"),
    "32": against(_first_datum, "first datum that the engine assigns: the momentum"),
    "33": _second_datum,
    "34": against(_expanded(_derived_density), f"Voigt's form, {_DIMS}"),
    "35": against(_expanded(_derived_potential), f"work of the loads, {_DIMS}"),
    "36": against(_expanded(_derived_action), f"density plus work of the loads, {_DIMS}"),
    "37": against(_expanded(_weak), f"weak form plus [P̂_u δû], {_DIMS}; the counterpart [P̂_J δĴ] is zero when elastic"),
    "38": against(_expanded(_derived_in_time), f"parts in time, {_DIMS}"),
    "39": against(_expanded(_derived_in_space), f"parts in space, {_DIMS}"),
    "40": against(_expanded(_derived_final), f"bulk, ends and boundary, {_DIMS}"),
    "41": against(_expanded(_data("momentum", "v")), f"data of the engine, {_DIMS}"),
    "42": against(_expanded(_data("value", "u")), f"data of the engine, {_DIMS}"),
    "43": against(_expanded(_derived_traction), f"natural condition, {_DIMS}"),
    "44": against(_expanded(_derived_clamped), f"essential condition, {_DIMS}"),
}
