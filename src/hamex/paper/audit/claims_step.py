"""Claims of section 5, decided by the engine for all positive parameters."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from hamex.paper.audit.engine import elastic_system, inverse, slider_system, stability, step_rows, variation
from hamex.paper.audit.judging import HOLDS, MISPRINT, Claim, Judged, decide, judged, printed_equation, readable, zero
from hamex.paper.audit.notation import (
    I0,
    LETTERS,
    Fy,
    J,
    J_o,
    J_r,
    a,
    c,
    dot,
    eta,
    f_r,
    h,
    m,
    p_o,
    p_r,
    rate,
    s_o,
    s_r,
    u_o,
    u_r,
    vh_o,
    vh_r,
    vu_o,
    vu_r,
)
from hamex.principle.stability import sign

Array = NDArray[Any]
Signs = tuple[int, ...]
_BRANCHES = ("elastic", "plus", "minus")


@dataclass(frozen=True)
class Trial:
    """What the elastic trial predicts, and the set that satisfies all equations of the step."""

    predicted: Signs
    true: tuple[Signs, ...]
    dissipation: float
    evidence: str

    @property
    def wrong(self) -> bool:
        """True when the prediction is not the solution."""
        return self.predicted not in self.true


def wrong_branch() -> Trial:
    """Two masses, two sliders, one step: where the elastic trial picks the wrong set of slipping sliders.

    A chain m = 1, 1, k = 100, F_y = 1, η = 0.1, h = 0.5 with momenta (−0.75, 1.25).
    """
    h, flexibility, limit, viscosity = 0.5, 0.01, 1.0, 0.1
    momentum = np.array([-0.75, 1.25])
    B = np.array([[1.0, -1.0], [0.0, 1.0]])  # compatibility, dof × spring: stretch = Bᵀu

    def forces(signs: Signs) -> Array:
        """(63) for every mass and spring: (M/h)Δu + (h/2)BF = p, aF + (h/2)u̇1 = BᵀΔu/2."""
        slipping = np.diag([abs(s) for s in signs]) / viscosity
        left = np.block([[np.eye(2) / h, h / 2 * B], [-B.T / 2, flexibility * np.eye(2) + h / 2 * slipping]])
        shift = h / 2 / viscosity * limit * np.array(signs)
        return np.linalg.solve(left, np.concatenate([momentum, shift]))[2:]

    def branch(force: Array) -> Signs:
        return tuple(int(np.sign(f)) if abs(f) > limit else 0 for f in force)

    predicted = branch(forces((0, 0)))
    true = tuple(s for s in product((-1, 0, 1), repeat=2) if branch(forces(s)) == s)
    rate = (forces(predicted) - limit * np.array(predicted)) / viscosity * np.abs(predicted)
    dissipation = float((rate * forces(predicted)).min())
    text = (
        "chain of two masses and two sliders (m = 1, k = 100, F_y = 1, η = 0.1, h = 0.5, p = (−0.75, 1.25)): "
        f"the elastic trial predicts the branches {_show(predicted)}, the only consistent set is "
        f"{', '.join(map(_show, true))}; taking the prediction, one slider dissipates {dissipation:.2g} < 0"
    )
    return Trial(predicted, true, dissipation, text)


def _show(signs: Signs) -> str:
    return "(" + ", ".join("−0+"[s + 1] for s in signs) + ")"


def _relation() -> Judged:
    """Which relation turns (51) into (52)?"""
    gap = sp.expand(printed_equation("51").statements[0].right - printed_equation("52").statements[0].right)
    by_42 = sp.expand(gap.subs(vh_o, vu_o))
    by_31 = sp.expand(by_42.subs(vh_r, vu_r))
    return judged(
        HOLDS if by_42 == 0 else MISPRINT if by_31 == 0 else decide(False),
        f"(51) − (52) = {readable(gap)}; with (42), which speaks of t = 0 in a continuum, "
        f"{readable(by_42)} remains; with (31) at both ends {by_31}",
        "relation (31), δu = δû at both ends of the step",
    )


def _forcing_name() -> Judged:
    printed, meant = LETTERS["t"], LETTERS["f_u"]
    return judged(
        HOLDS if printed == meant else MISPRINT,
        f"t_r has the dimension {printed}, a forcing term {meant}",
        "the discrete forcing term is ʳf̂",
    )


def _three_rows() -> Judged:
    rows = sp.Matrix(
        [
            [sp.diff(row.xreplace({s_o: 0, s_r: 0}), x) for x in (u_r, p_r, J_r, u_o, p_o, J_o, f_r)]
            for row in step_rows("forced")
        ]
    )
    last = (rows.row(2) + rows.row(3)).applyfunc(sp.expand)
    return judged(
        decide(rows.rank() == 3 and last.is_zero_matrix),
        f"rank {rows.rank()} of the four rows of the engine; the third plus the fourth is zero",
    )


def _static_start() -> Judged:
    """(54) solved for ⁰J with p̂ = 0 and no impulse."""
    start = sp.solve(printed_equation("54").statements[0].difference, J_o)[0]
    still = start.subs({p_o: 0, I0: 0})
    B, D, _ = elastic_system()
    gauge = (B.col(2) - D.col(2)).is_zero_matrix
    return judged(
        decide(still == 0, still.subs(u_o, 0) == 0),
        f"(54) with p̂ = 0 and Î = 0 gives ⁰J = {readable(still)}. Nothing depends on it: the J "
        f"columns of B and D {'agree' if gauge else 'differ'}",
        "⁰J = 0 if the system is at rest and undeformed, ⁰u = 0",
    )


def _independent() -> Judged:
    signs = {b: sign(slider_system(b)[0].det()) for b in _BRANCHES}
    return judged(
        decide(all(signs.values())),
        "determinant of B on each branch, sign for all positive parameters: "
        + ", ".join(f"{b} {s:+d}" if s is not None else f"{b} undecided" for b, s in signs.items()),
    )


def _one_slider() -> Judged:
    """Elastic trial force against the force of each branch: F − F_y = κ (Fᴱ − F_y)."""
    trial = _mean_force("elastic")
    ratios = {b: sp.cancel((_mean_force(b) - s * Fy) / (trial - s * Fy)) for b, s in (("plus", 1), ("minus", -1))}
    free = all(not r.has(u_o, p_o, J_o, s_o, f_r) for r in ratios.values())
    positive = free and all(sign(r) == 1 for r in ratios.values())
    return judged(
        decide(positive),
        f"F − F_y = κ (Fᴱ − F_y) with κ = {readable(sp.factor(ratios['plus']))} > 0 for "
        "all positive parameters and any state: the elastic trial fixes branch and direction",
    )


def _mean_force(branch: str) -> sp.Expr:
    _, D, z = slider_system(branch)
    y = inverse(branch) * (D * sp.Matrix([u_o, J_o, p_o, s_o]) + z)
    return sp.cancel((y[1] - J_o) / h)


def _never_iterates() -> Judged:
    one, found = _one_slider().finding.verdict == HOLDS, wrong_branch()
    return judged(
        decide(one and not found.wrong, False),
        found.evidence,
        "non-iterative for one slider; with several the elastic trial can choose the wrong set",
    )


def _inverse_positive() -> Judged:
    B, _, _ = elastic_system()
    positive, undamped = sign(B.det()), sign(B.det().subs(c, 0))
    return judged(
        decide(positive == 1 and undamped == 1),
        f"det B = {readable(sp.factor(B.det()))} > 0 for all positive a, c, m, h, and for c = 0",
    )


def _inverse_real() -> Judged:
    B = slider_system("elastic")[0]
    plain = {s: sp.Symbol(s.name, real=True) for s in B.free_symbols}
    there = {"a": -1, "c": 0, "m": 1, "h": 2}
    at = B.xreplace(plain).subs({sp.Symbol(n, real=True): v for n, v in there.items()}).det()
    positive = all(sign(slider_system(b)[0].det()) for b in _BRANCHES)
    return judged(
        decide(at != 0, positive),
        f"det B_e = {at} at a = −1, c = 0, m = 1, h = 2, which are real; for "
        "positive a, m, h, η and c ≥ 0 no determinant vanishes",
        "for positive a, m, h, η and c ≥ 0",
    )


def _underdamped() -> Judged:
    x = sp.Symbol("s")
    discriminant = sp.discriminant(m * x**2 + c * x + 1 / a, x)
    return judged(
        decide(zero(discriminant * a - (a * c**2 - 4 * m))),
        f"a times the discriminant of m s² + c s + 1/a is {readable(sp.expand(a * discriminant))}",
    )


def _eigenvalues(branch: str) -> Judged:
    found, undamped = stability(branch), stability(branch, undamped=True)
    return judged(
        decide(bool(found.stable)),
        f"{len(found.inequalities)} Jury conditions hold for ALL positive a, "
        f"c, m, h{', η' if branch != 'elastic' else ''}; c = 0: {'stable' if undamped.stable else 'not'}; "
        f"eigenvalue 1 is semisimple: {found.semisimple}. Under-damping suffices but is not needed",
    )


def _unconditional() -> Judged:
    """Energy identity with the slip rate w as a free input, so that it covers every branch and every switch."""
    _, D, z = slider_system("elastic")
    w = sp.Symbol("w", real=True)
    new = inverse("elastic") * (D * sp.Matrix([u_o, J_o, p_o, s_o]) + z - h / 2 * w * sp.Matrix([0, 0, 1, 1]))
    force = (new[1] - J_o) / h

    def energy(place: sp.Expr, momentum: sp.Expr, slip: sp.Expr) -> sp.Expr:
        return momentum**2 / (2 * m) + (place - slip) ** 2 / (2 * a)

    change = energy(new[0], new[2], new[3]) - energy(u_o, p_o, s_o)
    lost = c * (new[0] - u_o) ** 2 / h + h * force * w
    balanced = sp.cancel(sp.together(change + lost - f_r * (new[0] - u_o))) == 0
    slopes, steady = _slider_slopes()
    return judged(
        decide(balanced and steady and min(slopes) >= 0),
        "Δ(p̂²/2m + (u − û1)²/2a) = f Δu − c Δu²/h − h F u̇1 for ANY slip rate u̇1, exactly. The "
        "difference of two runs under one load obeys it with f = 0, and ΔF Δu̇1 ≥ 0 because the slope of φ "
        f"is continuous and never falls (η × its slopes: {', '.join(map(str, slopes))}): two runs never "
        "move apart, for every h, c ≥ 0 and any sequence of branches. The limits on c are not needed",
    )


def _slider_slopes() -> tuple[list[int], bool]:
    """η times the slope of u̇1 over J̇ on each piece, and whether u̇1 is continuous at both kinks."""
    law = variation("viscoplastic").weak[J, ()].xreplace({dot(J): rate})
    pieces = [piece for piece, _ in sp.piecewise_fold(law).args]
    steady = zero(pieces[0].subs(rate, Fy)) and zero(pieces[1].subs(rate, -Fy))
    return [int(sp.diff(piece, rate) * eta) for piece in pieces], steady


CLAIMS = (
    Claim("relation used in (52)", "5.1: the relation (42) is used in (52)", _relation),
    Claim("name of the forcing term", "5.1: the discrete forcing term t_r is introduced", _forcing_name),
    Claim(
        "three independent equations",
        "5.1: (52) has three independent equations, rows 3 and 4 are the same",
        _three_rows,
    ),
    Claim("static start", "5.1: initially static implies ⁰J = 0", _static_start),
    Claim("four independent equations", "5.2: (63) are four independent equations", _independent),
    Claim(
        "non-iterative, one slider",
        "5.2: the elastic trial fixes the plastic direction, no iteration is needed",
        _one_slider,
    ),
    Claim("non-iterative method", "7: the newly developed method is non-iterative", _never_iterates),
    Claim("inverse of B", "5.3: B always has its inverse for a, c, m, h > 0", _inverse_positive),
    Claim("inverses of B_e and B_p", "5.4: they always exist for real a, c, m, h, η", _inverse_real),
    Claim("under-damped", "5.3: under-damped means a c² < 4m", _underdamped),
    Claim(
        "eigenvalues, elastic",
        "5.3, 5.4: magnitudes at most one for the under-damped system",
        lambda: _eigenvalues("elastic"),
    ),
    Claim("eigenvalues, plastic", "5.4: magnitudes at most one under (87)", lambda: _eigenvalues("plus")),
    Claim(
        "unconditional stability",
        "5.3, 5.4: unconditionally stable as long as the system is under-damped",
        _unconditional,
    ),
)
