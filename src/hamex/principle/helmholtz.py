"""Helmholtz's test: are these the Euler-Lagrange equations of any functional at all?

Equations E_a[q] = 0 come from a functional, as they stand, exactly when their linearisation is its own adjoint. Written
out for one equation of second order, ∂E/∂q̇ = d/dt ∂E/∂q̈: a dashpot fails, and that is why (14) is no variation of
anything. A factor such as e^{ct/m} may repair it (Caldirola, Kanai), because it changes the equations.
Olver, Applications of Lie Groups to Differential Equations, theorem 5.92.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sympy as sp
from sympy.core.function import AppliedUndef

from hamex.principle.identity import is_zero
from hamex.principle.jets import Index, indices, jet, partial


@dataclass(frozen=True)
class Failure:
    """One coefficient that differs between the linearisation and its adjoint: of ∂^index v_column in row ``row``."""

    row: AppliedUndef
    column: AppliedUndef
    index: Index
    residual: sp.Expr


@dataclass(frozen=True)
class Helmholtz:
    """The verdict: ``failures`` is empty when a functional exists."""

    failures: tuple[Failure, ...]

    @property
    def holds(self) -> bool:
        """True when the equations are those of a functional."""
        return not self.failures


def helmholtz(
    equations: Mapping[AppliedUndef, sp.Expr] | Sequence[sp.Expr], fields: Sequence[AppliedUndef] | None = None
) -> Helmholtz:
    """Test whether equations, paired with the fields in their order, are those of a functional.

    >>> from hamex.principle.jets import t
    >>> m, c, k = sp.symbols("m c k", positive=True)
    >>> u = sp.Function("u")(t)
    >>> helmholtz({u: m * u.diff(t, 2) + k * u}).holds
    True
    >>> [failure.residual for failure in helmholtz({u: m * u.diff(t, 2) + c * u.diff(t) + k * u}).failures]
    [2*c]
    """
    paired = dict(equations) if isinstance(equations, Mapping) else dict(zip(fields or (), equations, strict=True))
    unknowns = tuple(fields or paired)
    failures = []
    for a, q in enumerate(unknowns):
        for r in unknowns[a:]:  # the pair (r, q) repeats what (q, r) says
            failures += _compare(paired, q, r)
    return Helmholtz(tuple(failures))


def _compare(equations: Mapping[AppliedUndef, sp.Expr], q: AppliedUndef, r: AppliedUndef) -> list[Failure]:
    """Σ ∂E_q/∂(∂^I r) ∂^I v against Σ (−∂)^I (∂E_r/∂(∂^I q) v), coefficient by coefficient of a free function v."""
    v = sp.Function("_virtual")(*q.args)  # a name that no field has
    forward = sum((partial(equations[q], r, i) * jet(v, i) for i in indices(equations[q], r)), sp.S.Zero)
    backward = sp.S.Zero
    for i in indices(equations[r], q):
        moved = partial(equations[r], q, i) * v
        for variable in i:
            moved = -sp.diff(moved, variable)
        backward += moved
    difference = sp.expand((forward - backward).doit())
    found = []
    for i in indices(difference, v):
        residual = partial(difference, v, i)
        if not is_zero(residual):
            found.append(Failure(q, r, i, sp.factor(residual) if not residual.has(sp.Piecewise) else residual))
    return found
