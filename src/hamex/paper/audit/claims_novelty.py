"""Claims of novelty, compared with what is older. The page ``docs/what-is-not-new.md`` tells the story in words."""

from __future__ import annotations

import sympy as sp

from hamex.paper.audit.claims import Claim, Judged, judged
from hamex.paper.audit.compare import zero
from hamex.paper.audit.engine import amplification, known, variation, varied, weak
from hamex.paper.audit.notation import DURATION, J, J_o, a, c, dot, du, eta, h, m, u
from hamex.paper.audit.rule import decide


def _varying_action() -> Judged:
    """Hamilton's law of varying action, ∫(δL + δW) dt − [Σ ∂L/∂q̇ δq] = 0, against δA_NEW with P̂ read as P."""
    action, found = known("forced"), variation("forced")
    work = (action.loads[u] - c * dot(u)) * du
    law = DURATION.over * (varied(action.lagrangian) + work) - DURATION.ends * sum(
        (found.ends[q] * found.test(q) for q in (u, J)), sp.S.Zero)
    extended = weak(found, DURATION.over) + DURATION.ends * sum(
        (found.ends[q] * found.test(q) for q in (u, J)), sp.S.Zero)
    identical = zero(law + extended)
    return judged(decide(not identical, identical),
                  "forced damped oscillator: δA_NEW with the reserved momenta read as ∂L/∂q̇ plus Hamilton's law of "
                  f"varying action (Bailey 1975) is {0 if identical else 'not 0'}: the same identity with the other "
                  "sign",
                  "the identity is Hamilton's law of varying action; reserved end values and their order of "
                  "assignment are the paper's")


def midpoint(slipping: bool) -> sp.Matrix:
    """(1 − hA/2)⁻¹(1 + hA/2) for u̇ = p/m, ṗ = −c p/m − F, u̇1 = F/η or 0, F = (u − u1)/a."""
    A = sp.Matrix([[0, 1 / m, 0], [-1 / a, -c / m, 1 / a], [0, 0, 0]])
    if slipping:
        A[2, :] = sp.Matrix([[1 / (a * eta), 0, -1 / (a * eta)]])
    return ((sp.eye(3) - h / 2 * A).inv() * (sp.eye(3) + h / 2 * A)).applyfunc(sp.cancel)


def _known_step() -> Judged:
    """The engine's amplification of (u, p, u1 = −P_J) beside the implicit midpoint rule."""
    turn = sp.diag(1, 1, -1)
    same = {}
    for branch, slipping in (("elastic", False), ("plus", True)):
        G = amplification("viscoplastic", branch)
        ours = turn * G.extract([0, 2, 3], [0, 2, 3]) * turn
        gauge = G.extract([0, 2, 3], [1]).is_zero_matrix
        same[branch] = gauge and (ours - midpoint(slipping)).applyfunc(sp.cancel).is_zero_matrix
    return judged(decide(not any(same.values()), all(same.values())),
                  "amplification of (u, p̂, û1): equal to the implicit midpoint rule (Gauss collocation with one "
                  f"stage) entry by entry on the branches {', '.join(b for b, yes in same.items() if yes)}; {J_o} "
                  "does not enter",
                  "a new derivation; the step itself is the implicit midpoint rule with an exact choice of branch")


CLAIMS = (
    Claim("new action variation", "4, 7: the action variation is newly defined", _varying_action),
    Claim("new numerical method", "5, 7: the numerical method is newly developed", _known_step),
)
