"""Section 4, eqs. (27)-(44), derived; index equations in one, two and three dimensions."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

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
    voigt,
    weak,
    work,
)
from hamex.paper.audit.judging import Finding, Rule, against, decide
from hamex.paper.audit.notation import (
    DURATION,
    A,
    L_name,
    NumberedEquation,
    Statement,
    T_end,
    V_name,
    dA_new,
    du,
    du0,
    du_end,
    dubar0,
    l_name,
    m,
    rho,
    says,
    t,
    u,
    ubar0,
    v0,
    v_end,
    vbar0,
)
from hamex.paper.audit.reading import GIVEN
from hamex.principle.action import Action
from hamex.principle.conditions import InitialCondition, initial_conditions
from hamex.principle.jets import jet

OVER, ENDS = DURATION.over, DURATION.ends
HATS = m * v_end * du_end - m * v0 * du0


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
    said = (says(du0, dubar0), says(du0), says(ubar0, GIVEN))
    base = against(lambda: said, "the engine's second datum is the value u(0)")(equation)
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


def _derived_potential(s: Solid) -> list[Statement]:
    inside, surface = work(s.size)
    return [says(V_name, OMEGA * inside + GAMMA_PART * surface)]


def _derived_action(s: Solid) -> list[Statement]:
    inside, surface = work(s.size)
    return [says(A, OMEGA_T * (voigt(s.size).lagrangian + inside) + GAMMA_TT * surface)]


def _surface_load(s: Solid) -> sp.Expr:
    """What the engine varies of the tractions on Γ_t, a part of the action."""
    action, found = voigt(s.size), continuum(s.size)
    (part,), (on_part,) = action.parts, found.parts
    terms = [c * found.test(part.body(q, action)) for (q, _), c in on_part.weak.items()]
    return sp.expand(GAMMA_TT * sum(terms, sp.S.Zero))


def _reserved_solid(s: Solid) -> sp.Expr:
    """[P̂ δû] of the displacements; an elastic body has no reserved slip, P̂_J = 0."""
    momenta = continuum(s.size).ends
    return OMEGA_END * sum(
        (momenta[s.u(i)].subs(s.u(i).diff(t), s.given("vhat", i)) * s.given("deltahat_u", i) for i in s.range),
        sp.S.Zero,
    )


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
    return [says(before, form) for form in (before, before, after, after)]


def _derived_final(s: Solid) -> list[Statement]:
    found = continuum(s.size)
    return [
        says(
            dA_new,
            bulk(found, OMEGA_T) + brackets(found, OMEGA_END) + _surface(s) + _surface_load(s) + _reserved_solid(s),
        )
    ]


@cache
def _conditions(size: int) -> list[InitialCondition]:
    return initial_conditions(voigt(size))


def _data(kind: str, name: str) -> Callable[[Solid], list[Statement]]:
    """The engine's data of one kind for the displacements, in their order."""

    def write(s: Solid) -> list[Statement]:
        places = [s.u(i) for i in s.range]
        start = r"@\vec{x},0"
        found = [c for c in _conditions(s.size) if c.kind == kind and c.field in places]
        factor = rho if kind == "momentum" else sp.S.One
        return [
            one
            for i, c in enumerate(found)
            for one in (
                says(c.equation.lhs.doit() / factor, s.given(f"{name}hat", i, start)),
                says(c.equation.lhs.doit() / factor, s.given(f"{name}bar", i, start)),
            )
        ]

    return write


def _derived_traction(s: Solid) -> list[Statement]:
    """Natural condition: the engine's boundary force meets the load of (35), which is written t̂."""
    conditions = {c.field: c.force for c in voigt(s.size).boundary_conditions()}
    given = _surface_load(s)
    return [
        Statement(conditions[s.u(i)], -given.coeff(GAMMA_PART).coeff(OVER).coeff(s.du(i)), where=r"\Gamma_{t}")
        for i in s.range
    ]


def _derived_clamped(s: Solid) -> list[Statement]:
    """Essential condition: the motion conjugate to the boundary force."""
    motions = [c.motion for c in voigt(s.size).boundary_conditions()]
    test = continuum(s.size).test
    at = dict(zip(s.space, s.edge, strict=True))
    held = [says(test(q).subs(at)) for q in motions]
    given = [s.given("uhat", i, r"@\hat{\vec{x}},t") for i in s.range]
    return held + [Statement(q.subs(at), value, where=r"\Gamma_{u}") for q, value in zip(motions, given, strict=True)]


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
    "34": against(_expanded(lambda s: [says(l_name, voigt(s.size).lagrangian)]), f"Voigt's form, {_DIMS}"),
    "35": against(_expanded(_derived_potential), f"work of the loads, {_DIMS}"),
    "36": against(_expanded(_derived_action), f"density plus work of the loads, {_DIMS}"),
    "37": against(
        _expanded(lambda s: [says(dA_new, weak(continuum(s.size), OMEGA_T) + _surface_load(s) + _reserved_solid(s))]),
        f"weak form plus [P̂_u δû], {_DIMS}; the counterpart [P̂_J δĴ] is zero when elastic",
    ),
    "38": against(_expanded(_derived_in_time), f"parts in time, {_DIMS}"),
    "39": against(_expanded(_derived_in_space), f"parts in space, {_DIMS}"),
    "40": against(_expanded(_derived_final), f"bulk, ends and boundary, {_DIMS}"),
    "41": against(_expanded(_data("momentum", "v")), f"data of the engine, {_DIMS}"),
    "42": against(_expanded(_data("value", "u")), f"data of the engine, {_DIMS}"),
    "43": against(_expanded(_derived_traction), f"natural condition, {_DIMS}"),
    "44": against(_expanded(_derived_clamped), f"essential condition, {_DIMS}"),
}
