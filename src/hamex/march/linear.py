"""One step of a structure whose springs, if any, are elastic: one linear solve, and nothing to decide.

    S x + weight · B F(e₀ + reach · dx) = r,    F linear,

so that the tangent at the start of the step is that of its end: what is left of r at dx = 0, solved with it, is x.
"""

from __future__ import annotations

from typing import Any

from hamex.march.matrices import added, copied, filled, product
from hamex.march.newton import (
    SOLVES,
    Matrix,
    Scratch,
    StepEquation,
    against,
    constrain,
    gradient,
    placed,
    renewed,
    stretch,
)
from hamex.march.run import invoke as call_matrix  # its own name: a sparse solver takes its place
from hamex.march.springs import SpringGroups, evaluate

Array = Any


def linear(
    step: StepEquation,
    matrix: Matrix,
    s: Scratch,
    springs: SpringGroups,
    z: Array,
    branch: Array,
    F: Array,
    count: Array,
) -> float:
    """Solve one step, like :func:`hamex.march.newton.newton`; returns 0, or −1 − (row of a pivot that is not positive).

    Under displacement control s.x obeys the constraint on entry, and every correction keeps it.
    """
    asked = len(step.pull) > 0  # the increment is the sum of what was given and what is solved for
    if not asked:
        filled(0.0, s.ex)
    else:
        product(step.S, s.x, s.Sx)
        stretch(step, s.x, s.ex)
    placed(step, s, 0.0)
    held = step.tau > 0.0  # true
    evaluate(springs, s.e0, s.dx, step.reach, step.tau, z, held, F, s.T, s.dz, branch, s.block)
    code = renewed(step, matrix, s, count)
    if code > 0.0:
        return -code
    if asked:
        gradient(step, s, F)
        against(s.g, s.d)
    else:
        left_over(step, s, F)
    call_matrix(matrix.solve, (matrix.data, s.d, s.small))
    count[SOLVES] += 1
    if asked:
        constrain(step.pull, s.z, s.factor, s.d)
        added(s.x, s.d, s.x)
    else:
        copied(s.d, s.x)
    stretch(step, s.x, s.ex)
    placed(step, s, 0.0)
    evaluate(springs, s.e0, s.dx, step.reach, step.tau, z, held, F, s.T, s.dz, branch, s.block)
    return 0.0


def left_over(step: StepEquation, s: Scratch, F: Array) -> None:
    """d = r − weight B F."""
    copied(s.r, s.d)
    for j in range(len(F)):
        for m in range(step.begin[j], step.begin[j + 1]):
            s.d[step.dof[m]] -= step.weight * step.share[m] * F[j]
