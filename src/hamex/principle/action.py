"""Action: fields, Lagrangian, dissipation and loads; what follows from them are its values.

For coordinates q with P_q = ∂L/∂q̇, dissipation φ(q̇) and loads Q_q the extended principle is

    δA_NEW = −∫ (L_q̇ δq̇ + L_q δq) dt + ∫ (φ_q̇ − Q_q) δq dt + [ P̂_q δq̂ ]₀ᵀ = 0.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import sympy as sp
from sympy.core.function import AppliedUndef

from hamex.errors import ActionError, ConvexityWarning
from hamex.principle.convexity import convexity
from hamex.principle.refusals import check
from hamex.principle.variation import StatedAction

if TYPE_CHECKING:
    from hamex.principle.charges import Charge
    from hamex.principle.conditions import BoundaryCondition, EndPointConstraints, InitialCondition
    from hamex.principle.steps import Step

__all__ = ["Action", "ActionError"]


@dataclass(frozen=True, eq=False)
class Action(StatedAction):
    """A system in symbols.

    Parameters
    ----------
    fields : unknown functions, ``Function("u")(t)`` or ``Function("u")(x, t)``.
    lagrangian : L(q, q̇), or a density of the fields and their first or second space derivatives.
    dissipation : φ of the rates q̇ alone; Piecewise for sliders.
    loads : generalised force Q_q for a field; in a continuum, force per volume.
    space : the coordinates of a density; empty for a lumped system.
    name, citation : what it is and where it comes from.
    meanings : what each parameter stands for, with its unit, for pages and messages.

    Examples
    --------
    >>> from hamex.principle import t
    >>> m, k = sp.symbols("m k", positive=True)
    >>> u = sp.Function("u")(t)
    >>> Action((u,), m * u.diff(t)**2 / 2 - k * u**2 / 2).strong_form()[u]
    k*u(t) + m*Derivative(u(t), (t, 2))
    """

    def __post_init__(self) -> None:
        object.__setattr__(self, "lagrangian", sp.sympify(self.lagrangian))
        object.__setattr__(self, "dissipation", sp.sympify(self.dissipation))
        object.__setattr__(self, "loads", {q: sp.sympify(Q) for q, Q in self.loads.items()})
        check(self)
        _flag(self)

    def steps(self) -> tuple[Step, ...]:
        """The four steps of section 4.1, in order."""
        from hamex.principle.steps import steps

        return steps(self)

    def initial_conditions(self) -> list[InitialCondition]:
        """Which data the principle accepts at t = 0, in the order of their assignment, eqs. (32)-(33), (41)-(42)."""
        from hamex.principle.conditions import initial_conditions

        return initial_conditions(self)

    def boundary_conditions(self) -> list[BoundaryCondition]:
        """Force or motion on the boundary, eqs. (43)-(44); empty for a lumped system."""
        from hamex.principle.conditions import boundary_conditions

        return boundary_conditions(self)

    def classical(self) -> EndPointConstraints:
        """Hamilton's own principle beside it, with its end-point constraints, eqs. (9) and (24)."""
        from hamex.principle.conditions import classical

        return classical(self)

    def charges(self, shifts: list[Mapping[AppliedUndef, sp.Expr]] | None = None) -> list[Charge]:
        """Charges of the given constant shifts, or of all that the Lagrangian allows, quasi-symmetries included."""
        from hamex.principle.charges import charges

        return charges(self, shifts)


def _flag(action: Action) -> None:
    """Say aloud that a dissipation is not convex, and in which rates."""
    fields = convexity(action).fields
    if fields:
        rates = ", ".join(f"d{q}/dt" for q in fields)
        warnings.warn(
            f"the dissipation is not convex in {rates}: it can feed energy in, and a step may have several solutions",
            ConvexityWarning,
            stacklevel=4,
        )
