"""Sections 5.3, 5.4 and 6, eqs. (69)-(89), derived.

Matrix equations by name use letters that do not commute.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import sympy as sp

from hamex.paper.audit.engine import amplification, elastic_system, inverse, slider_system, stability, step_rows
from hamex.paper.audit.judging import HOLDS, MISPRINT, Finding, Rule, against, decide, printed_equation, readable
from hamex.paper.audit.notation import (
    F_mean,
    Fy,
    J_o,
    J_r,
    NumberedEquation,
    Statement,
    X,
    Y,
    a,
    alpha,
    beta,
    c,
    eta,
    f_r,
    gamma,
    h,
    m,
    matrix,
    p_o,
    p_r,
    s_o,
    s_r,
    says,
    u_a,
    u_o,
    u_r,
)
from hamex.paper.audit.reading import entries
from hamex.principle.stepform import gauss, shapes

B, D, x, y, z, x1, x2, y1, y2, y3, z1, z2 = (
    matrix(name) for name in ["B", "D", "x", "y", "z", "x_1", "x_2", "y_1", "y_2", "y_3", "z_1", "z_2"]
)

_TAU = sp.Symbol("tau", real=True)


def _linear(left: sp.Expr, one: sp.Expr, load: sp.Expr) -> tuple[Statement, ...]:
    """``B y = D x + z`` is what the engine's rows say: they are linear with these matrices."""
    matrices = elastic_system()
    unknowns, knowns = sp.Matrix([u_r, p_r, J_r]), sp.Matrix([u_o, p_o, J_o])
    rows = [row.xreplace({s_o: sp.S.Zero, s_r: sp.S.Zero}) for row in step_rows("forced")[:3]]
    rest = (matrices[0] * unknowns - matrices[1] * knowns - matrices[2] - sp.Matrix(rows)).applyfunc(sp.expand)
    return (says(B * left, D * one + load),) if rest.is_zero_matrix else ()


def _superposed() -> tuple[Statement, ...]:
    """(70) plus (71), their solutions added."""
    first, second = _linear(y1, x1, z1)[0], _linear(y2, x2, z2)[0]
    left = sp.expand((first.left + second.left).subs(y2, y3 - y1))
    return (says(left, first.right + second.right),)


def _solution() -> tuple[Statement, ...]:
    """y₃ = B⁻¹(D(x₁+x₂) + z₁+z₂), with B⁻¹D and the sums worked out in components."""
    matrices, inv = elastic_system(), inverse("damped")
    known = [sp.Matrix(sp.symbols(f"{name}_1:4")) for name in ("xa", "xb", "za", "zb")]
    each = [inv * (matrices[1] * known[i] + known[i + 2]) for i in (0, 1)]
    both = inv * (matrices[1] * (known[0] + known[1]) + known[2] + known[3])
    if (both - each[0] - each[1]).applyfunc(sp.cancel).is_zero_matrix:
        return (says(y3, y1 + y2),)
    return ()


@cache
def _determinant() -> sp.Expr:
    """X is the determinant of B times 4h², Y what remains in G_pp."""
    return sp.expand(sp.cancel(elastic_system()[0].det() * 4 * h**2))


@cache
def _y() -> sp.Expr:
    G = amplification("forced")
    return sp.expand(sp.cancel(G[2, 2] * _determinant()))


def _open(rule: Rule) -> Rule:
    """Put the derived X and Y into the print before comparing."""

    def judge(equation: NumberedEquation) -> Finding:
        opened = tuple(says(s.left, s.right.subs({X: _determinant(), Y: _y()})) for s in equation.statements)
        return rule(equation.with_statements(opened))

    return judge


def _inverted() -> tuple[Statement, ...]:
    return (*entries("matrix", elastic_system()[0]), *entries("inverse", inverse("damped")))


def _amplified() -> sp.Matrix:
    """B⁻¹D from the engine's amplification of (u, J, p, P_J), in the order (u, p, J) with P_J = 0."""
    G = amplification("forced")
    return G.extract([0, 2, 1], [0, 2, 1])


def _two_rows() -> tuple[sp.Expr, sp.Expr]:
    first, second = step_rows("forced")[:2]
    return first, second


def _sum() -> tuple[Statement, ...]:
    first, second = _two_rows()
    return (says(sp.expand((first + second) / h + f_r), f_r),)


def _difference() -> tuple[Statement, ...]:
    first, second = _two_rows()
    half_h = h / 2
    return (says(m * (u_r - u_o), sp.expand(m * (u_r - u_o) - half_h * (first - second))),)


def _named(branch: str, unknown: str) -> Callable[[], tuple[Statement, ...]]:
    """(66)-(68) with the names under which (83) and (84) introduce the engine's matrices."""

    def derive() -> tuple[Statement, ...]:
        listed: dict[str, list[sp.Expr]] = {}
        for number in ("83", "84"):
            for s in printed_equation(number).statements:
                listed.setdefault(s.left.name.partition("[")[0], []).append(s.right)
        names = []
        for letter in ("B", "D", "z"):
            wanted = [s.right for s in _matrices(branch, letter)]
            names += [name for name, values in listed.items() if values == wanted and name[0] == letter][:1]
        if len(names) < 3:
            return ()
        B_name, D_name, z_name = (matrix(name) for name in names)
        return (says(B_name * matrix(unknown), D_name * x + z_name),)

    return derive


def _matrices(branch: str, *names: str) -> tuple[Statement, ...]:
    """B, D, z of the engine with α, β, γ, under the names of (83) and (84)."""
    letter = "e" if branch == "elastic" else "p"
    short = {1 / eta: 2 * beta, f_r: 2 * alpha / h}
    found = [
        matrix.applyfunc(lambda e: sp.expand(e).subs(h * Fy / (2 * eta), gamma).subs(short))
        for matrix in slider_system(branch)
    ]
    return tuple(
        s
        for name, matrix in zip(("B", "D", "z"), found, strict=True)
        if name in names
        for s in entries(
            f"{name}_" + ({"plus": "{p_1}", "minus": "{p_2}"}.get(branch, "e") if name == "z" else letter), matrix
        )
    )


def _bound(equation: NumberedEquation) -> Finding:
    """(87) as a sufficient condition, against an exact test for all positive parameters."""
    (lower, upper), printed = equation.statements, equation.statements[1].right
    if (
        equation.faults
        or (lower.left, lower.right, upper.left) != (0, c, c)
        or {lower.relation, upper.relation} != {"<"}
    ):
        return Finding(MISPRINT, "an interval of positive c is expected")
    found = stability("plus")
    c_lo = sp.Symbol("c_lo", positive=True)
    # Slipping without load: (m s + c)(a s + 1/η) + 1 = 0. Its discriminant in s vanishes where oscillation ends.
    s = sp.Symbol("s")
    ends = sp.solve(sp.discriminant(sp.expand((m * s + c_lo) * (a * s + 1 / eta) + 1), s), c_lo)
    one = dict.fromkeys((a, c, m, eta), sp.S.One)
    upper = max(ends, key=lambda end: end.subs(one))  # above it no slip oscillates
    meets = sp.simplify(sp.expand(upper - printed)) == 0
    if not meets:
        return Finding(
            MISPRINT, f"the slipping branch stops oscillating at c = {readable(upper)}, not at the printed bound"
        )
    return Finding(
        HOLDS if found.stable else decide(False, bool(found.stable)),
        f"{len(found.inequalities)} Jury conditions of G = B_p⁻¹D_p have the right sign for ALL positive "
        "a, c, m, h, η, and eigenvalue 1 is semisimple: the bound suffices but is not needed. It is where "
        "the discriminant of (m s + c)(a s + 1/η) + 1 vanishes, the end of oscillation, not of stability",
    )


def _mean() -> tuple[Statement, ...]:
    history = sum((n * v for n, v in zip(shapes(1), (u_o, u_r), strict=True)), sp.S.Zero)
    return (says(u_a, gauss(history, 1)),)


def _force() -> tuple[Statement, ...]:
    old, new = sp.symbols("J_0 J_1", real=True)
    history = sum((n * v for n, v in zip(shapes(1), (old, new), strict=True)), sp.S.Zero)
    return (says(F_mean, sp.diff(history, _TAU) / h),)


_INV = "adjugate over determinant of the engine's B"
RULES: dict[str, Rule] = {
    "69": against(lambda: _linear(y, x, z), "the engine's elastic rows are linear with B, D, z"),
    "70": against(lambda: _linear(y1, x1, z1), "an instance of (69)"),
    "71": against(lambda: _linear(y2, x2, z2), "an instance of (69)"),
    "72": against(_superposed, "(70) plus (71)"),
    "73": against(_solution, "B⁻¹(D(x₁+x₂)+z₁+z₂) in components, with the engine's B and D"),
    "74": _open(
        against(lambda: (*entries("matrix", elastic_system()[0]), *entries("inverse", inverse("damped"))), _INV)
    ),
    "75": against(lambda: (says(X, _determinant()),), "4h² det B"),
    "76": _open(against(lambda: tuple(entries("value", _amplified())), "amplification matrix of the engine")),
    "77": against(lambda: (says(Y, _y()),), "X times ∂p_r/∂p_(r−1) of the engine"),
    "78": against(_sum, "sum of the first two rows of the engine"),
    "79": against(_difference, "difference of the first two rows of the engine"),
    "80": against(_named("elastic", "y_e"), "(66) with the names that (83) defines"),
    "81": against(_named("plus", "y_p"), "(67) with the names that (84) defines"),
    "82": against(_named("minus", "y_p"), "(68) with the names that (84) defines"),
    "83": against(lambda: _matrices("elastic", "B", "D", "z"), "step matrices of the engine"),
    "84": against(lambda: _matrices("plus", "B", "D", "z") + _matrices("minus", "z"), "step matrices of the engine"),
    "85": _open(against(lambda: tuple(entries("B_e**(-1)", inverse("elastic"))), _INV)),
    "86": _open(against(lambda: tuple(entries("B_p**(-1)", inverse("plus"))), _INV)),
    "87": _bound,
    "88": against(_mean, "mean over the step of the engine's linear field"),
    "89": against(_force, "rate of the engine's linear field"),
}
