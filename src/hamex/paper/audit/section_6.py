"""Sections 5.3, 5.4 and 6, eqs. (69)-(89): as printed, and derived.

Matrix equations by name use letters that do not commute.
"""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from hamex.paper.audit.engine import amplification, elastic_system, inverse, slider_system, stability, step_rows
from hamex.paper.audit.judging import HOLDS, MISPRINT, Finding, Rule, against, decide, readable
from hamex.paper.audit.notation import (
    Fy,
    J_o,
    J_r,
    NumberedEquation,
    Statement,
    a,
    book,
    c,
    definition,
    derived,
    entries,
    eta,
    f_r,
    h,
    half,
    m,
    p_o,
    p_r,
    s_o,
    s_r,
    says,
    u_o,
    u_r,
)
from hamex.paper.audit.section_5 import B_53, B_e, B_p, D_e, D_p, alpha, beta, gamma, z_e, z_p1, z_p2
from hamex.principle.stepform import gauss, shapes

B, D, x, y, z, x1, x2, y1, y2, y3, z1, z2 = sp.symbols("B D x y z x1 x2 y1 y2 y3 z1 z2", commutative=False)
Be, De, Bp, Dp, Vp, ye, yp, ze, zp1, zp2 = sp.symbols("B_e D_e B_p D_p V_p y_e y_p z_e z_p1 z_p2", commutative=False)
X, Y = sp.symbols("X Y")
u_a, F_mean = sp.symbols("u_a F_mean")
_W = eta * X + 2 * h * m + c * h**2

INVERSE_74 = sp.Matrix(
    [
        [4 * a * h / X, 0, -2 * h**2 / X],
        [-(h**2 + 2 * a * c * h - 4 * a * m) / X, 1, -4 * m * h / X],
        [2 * h**2 / X, 0, 2 * (2 * m + c * h) * h / X],
    ]
)
PRODUCT_76 = (
    sp.Matrix(
        [[4 * m * a + 2 * a * c * h - h**2, 4 * a * h, 0], [-4 * m * h, Y, 0], [2 * (2 * m + c * h) * h, 2 * h**2, X]]
    )
    / X
)
INVERSE_85 = sp.Matrix(
    [
        [4 * a * h / X, 0, -2 * h**2 / X, 0],
        [2 * h**2 / X, 0, 2 * h * (2 * m + c * h) / X, 0],
        [Y / X, 1, -4 * m * h / X, 0],
        [0, 0, -1, -1],
    ]
)
INVERSE_86 = sp.Matrix(
    [
        [2 * h * (h + 2 * a * eta) / _W, 0, -2 * h**2 * eta / _W, 0],
        [2 * h**2 * eta / _W, 0, 2 * h * eta * (2 * m + c * h) / _W, 0],
        [(eta * Y - c * h**2 + 2 * h * m) / _W, 1, -4 * h * m * eta / _W, 0],
        [2 * h**2 / _W, 0, (-eta * X + 2 * h * m + c * h**2) / _W, -1],
    ]
)

PRINTED = book(
    definition("69", says(B * y, D * x + z)),
    definition("70", says(B * y1, D * x1 + z1)),
    definition("71", says(B * y2, D * x2 + z2)),
    derived("72", says(B * y3, D * (x1 + x2) + (z1 + z2))),
    derived("73", says(y3, x1 + x2)),
    derived("74", *entries("B", B_53), *entries("B^-1", INVERSE_74)),
    definition("75", says(X, h**2 + 2 * a * c * h + 4 * a * m)),
    derived("76", *entries("B^-1 D", PRODUCT_76)),
    definition("77", says(Y, 4 * m * a - 2 * a * c * h - h**2)),
    derived("78", says((p_r - p_o) / h + c / h * (u_r - u_o) + (J_r - J_o) / h, f_r)),
    derived("79", says(m * (u_r - u_o), h / 2 * (p_r + p_o))),
    derived("80", says(Be * ye, De * x + ze)),
    derived("81", says(Bp * yp, Vp * x + zp1)),
    derived("82", says(Bp * yp, Vp * x + zp2)),
    definition("83", *entries("B_e", B_e), *entries("D_e", D_e), *entries("z_e", z_e)),
    definition("84", *entries("B_p", B_p), *entries("D_p", D_p), *entries("z_p1", z_p1), *entries("z_p2", z_p2)),
    derived("85", *entries("B_e^-1", INVERSE_85)),
    derived("86", *entries("B_p^-1", INVERSE_86)),
    NumberedEquation("87", "claim", (says(sp.Symbol("c_max"), m / (a * eta) + 2 * sp.sqrt(m / a)),)),
    definition("88", says(u_a, half * (u_o + u_r))),
    definition("89", says(F_mean, (J_r - J_o) / h)),
)

CORRECTED = book(
    derived("73", says(y3, y1 + y2), latex=r"y_3 = y_1 + y_2", plain="y₃ = y₁ + y₂"),
    derived("81", says(Bp * yp, Dp * x + zp1), latex=r"B_p y_p = D_p x + z_{p_1}", plain="D_p x for V_p x"),
    derived("82", says(Bp * yp, Dp * x + zp2), latex=r"B_p y_p = D_p x + z_{p_2}", plain="D_p x for V_p x"),
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


def _determinant() -> sp.Expr:
    """X is the determinant of B times 4h², Y what remains in G_pp."""
    return sp.expand(sp.cancel(elastic_system()[0].det() * 4 * h**2))


def _y() -> sp.Expr:
    G = amplification("forced")
    return sp.expand(sp.cancel(G[2, 2] * _determinant()))


def _open(rule: Rule) -> Rule:
    """Put the derived X and Y into the print before comparing."""

    def judge(equation: NumberedEquation) -> Finding:
        opened = tuple(says(s.left, s.right.subs({X: _determinant(), Y: _y()})) for s in equation.statements)
        return rule(equation.with_statements(opened))

    return judge


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


def _named(branch: str, unknown: sp.Symbol) -> Callable[[], tuple[Statement, ...]]:
    """(66)-(68) with the names under which (83) and (84) introduce the engine's matrices."""

    def derive() -> tuple[Statement, ...]:
        listed: dict[str, list[sp.Expr]] = {}
        for number in ("83", "84"):
            for s in PRINTED[number].statements:
                listed.setdefault(s.left.name.partition("[")[0], []).append(s.right)
        names = []
        for letter in ("B", "D", "z"):
            wanted = [s.right for s in _matrices(branch, letter)]
            names += [name for name, values in listed.items() if values == wanted and name[0] == letter][:1]
        if len(names) < 3:
            return ()
        B_name, D_name, z_name = (sp.Symbol(name, commutative=False) for name in names)
        return (says(B_name * unknown, D_name * x + z_name),)

    return derive


def _matrices(branch: str, *names: str) -> tuple[Statement, ...]:
    """B, D, z of the engine with α, β, γ."""
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
            f"{name}_{'e' if branch == 'elastic' else 'p'}"
            + ({"plus": "1", "minus": "2"}.get(branch, "") if name == "z" else ""),
            matrix,
        )
    )


def _bound(equation: NumberedEquation) -> Finding:
    """(87) as a sufficient condition, against an exact test for all positive parameters."""
    printed = equation.statements[0].right
    found = stability("plus")
    c_lo = sp.Symbol("c_lo", positive=True)
    # Slipping without load: (m s + c)(a s + 1/η) + 1 = 0. Its discriminant in s vanishes where oscillation ends.
    s = sp.Symbol("s")
    ends = sp.solve(sp.discriminant(sp.expand((m * s + c_lo) * (a * s + 1 / eta) + 1), s), c_lo)
    meets = any(sp.simplify(sp.expand(end - printed)) == 0 for end in ends)
    if not meets:
        return Finding(
            MISPRINT, f"the slipping branch stops oscillating at c = {readable(ends)}, not at the printed bound"
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
    "74": _open(against(lambda: entries("B", elastic_system()[0]) + entries("B^-1", inverse("damped")), _INV)),
    "75": against(lambda: (says(X, _determinant()),), "4h² det B"),
    "76": _open(against(lambda: entries("B^-1 D", _amplified()), "amplification matrix of the engine")),
    "77": against(lambda: (says(Y, _y()),), "X times ∂p_r/∂p_(r−1) of the engine"),
    "78": against(_sum, "sum of the first two rows of the engine"),
    "79": against(_difference, "difference of the first two rows of the engine"),
    "80": against(_named("elastic", ye), "(66) with the names that (83) defines"),
    "81": against(_named("plus", yp), "(67) with the names that (84) defines"),
    "82": against(_named("minus", yp), "(68) with the names that (84) defines"),
    "83": against(lambda: _matrices("elastic", "B", "D", "z"), "step matrices of the engine"),
    "84": against(lambda: _matrices("plus", "B", "D", "z") + _matrices("minus", "z"), "step matrices of the engine"),
    "85": _open(against(lambda: entries("B_e^-1", inverse("elastic")), _INV)),
    "86": _open(against(lambda: entries("B_p^-1", inverse("plus")), _INV)),
    "87": _bound,
    "88": against(_mean, "mean over the step of the engine's linear field"),
    "89": against(_force, "rate of the engine's linear field"),
}
