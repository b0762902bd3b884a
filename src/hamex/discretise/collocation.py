"""Collocation beyond the end of the step: Wilson's θ method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hamex.checks import is_finite
from hamex.discretise.linear import LinearMap, collocation_map
from hamex.discretise.scheme import Array, Scheme, check_step
from hamex.errors import SchemeError

if TYPE_CHECKING:
    from hamex.discretise.marching import How, March
    from hamex.problem import Problem

BETA, GAMMA = 1 / 6, 0.5     # the acceleration is linear in time


@dataclass(frozen=True)
class WilsonTheta(Scheme):
    """Wilson-θ (Wilson 1968; Bathe and Wilson 1973): the acceleration is linear up to t + θh, where the balance stands.

    Second order, and unconditionally stable on linear systems for θ ≥ 1.37; θ = 1 is Newmark's linear acceleration.
    What is much faster than the step decays, but overshoots first by factors of hundreds. One mass on one spring with
    a slider, without isotropic hardening; the spring is returned to its limit at the end of the step (backward Euler),
    which is first order where it is viscous.

    Parameters
    ----------
    step : h > 0 [s].
    theta : θ ≥ 1 [1].

    Examples
    --------
    >>> import hamex as hx
    >>> model = hx.oscillator(mass=1, stiffness=225, law=hx.Slider(yield_force=0.27))
    >>> sol = hx.solve(hx.Problem(model, hx.constant(0.2), duration=1.0), WilsonTheta(step=0.02))
    >>> bool(sol.values("slip")[-1, 0] > 0)
    True
    """

    step: float
    theta: float = 1.4

    def __post_init__(self) -> None:
        check_step("WilsonTheta", self.step)
        if not is_finite(self.theta) or self.theta < 1:
            raise SchemeError(f"WilsonTheta: theta must be a number of at least 1, got {self.theta!r}")

    def linear(self, Omega: Array | float, zeta: float = 0.0) -> LinearMap:
        """One step on the linear oscillator."""
        return collocation_map(Omega, zeta, self.theta, BETA, GAMMA)

    def prepare(self, problem: Problem, how: How) -> March:
        """One mass on one spring."""
        from hamex.discretise.one_mass import CollocationMarch

        return CollocationMarch(problem, self, how, (self.theta, BETA, GAMMA))
