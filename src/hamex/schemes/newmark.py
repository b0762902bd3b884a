"""Schemes that balance at the nodes with Newmark's interpolation: Newmark's own family; generalised-α and HHT-α, second
order with the fastest motion damped, by weighing both ends of the step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hamex.checks import is_finite, is_positive
from hamex.errors import SchemeError
from hamex.schemes.families import NodeScheme
from hamex.schemes.scheme import check_step

if TYPE_CHECKING:
    from hamex.problem import Problem
    from hamex.schemes.onestage import Newton
    from hamex.schemes.scheme import How, March


class NodalScheme(NodeScheme):
    """A scheme that balances at the nodes: its numbers, and the march that takes its steps."""

    def prepare(self, problem: Problem, how: How) -> March:
        """The march for any structure."""
        from hamex.schemes.families import nodal_march

        return nodal_march(problem, self, how)


@dataclass(frozen=True)
class Newmark(NodalScheme):
    """Newmark's method with Newton-Raphson, the reference of section 6.

    Average acceleration by default. A step starts from the last displacement and ends when the displacement
    increment is at most ``tolerance`` [length]; more than ``max_iterations`` is a ConvergenceError.
    The spring returns to its yield limit at the end of the step (backward Euler). ``safeguarded`` solves the step,
    which is a convex problem too, by the line-search Newton of the linear time element instead: it cannot fail, and
    ``tolerance`` and ``max_iterations`` are not used.

    Parameters
    ----------
    beta, gamma : of Newmark's formulas; 1/4 and 1/2 are average acceleration.
    tolerance : largest increment of the displacement at which a step ends [length].
    max_iterations : of Newton-Raphson in a step.
    safeguarded : solve the step by descent, which cannot fail.

    Examples
    --------
    >>> Newmark(step=0.02).beta
    0.25
    """

    step: float
    beta: float = 0.25
    gamma: float = 0.5
    tolerance: float = 1e-7
    max_iterations: int = 10
    safeguarded: bool = False

    def __post_init__(self) -> None:
        check_step("Newmark", self.step)
        for name in ("beta", "gamma", "tolerance"):
            value = getattr(self, name)
            if not is_positive(value):
                raise SchemeError(f"Newmark: {name} must be positive, got {value!r}")
        if not isinstance(self.max_iterations, int) or self.max_iterations < 1:
            raise SchemeError(f"Newmark: max_iterations must be at least 1, got {self.max_iterations!r}")

    @property
    def order(self) -> int:  # type: ignore[override]
        """2 for γ = ½, else 1."""
        return 2 if self.gamma == 0.5 else 1

    def numbers(self) -> tuple[float, float, float, float]:
        """β, γ, and no weight on the old node."""
        return self.beta, self.gamma, 0.0, 0.0

    def newton(self) -> Newton:
        """Newton-Raphson as others have it, or the descent that cannot fail."""
        from hamex.schemes.onestage import Newton

        return Newton() if self.safeguarded else Newton(self.tolerance, self.max_iterations)

    def prepare(self, problem: Problem, how: How) -> March:
        """One mass on one spring has a kernel of its own, which counts its iterations as section 6 does."""
        from hamex.schemes.prepare import is_oscillator

        if is_oscillator(problem.model) and problem.supports is None and not self.safeguarded:
            from hamex.march.oscillator import NewmarkRule
            from hamex.schemes.oscillator import NewmarkOscillator

            rule = NewmarkRule(
                float(self.step), float(self.beta), float(self.gamma), float(self.tolerance), self.max_iterations
            )
            return NewmarkOscillator(problem, self, how, rule)
        return super().prepare(problem, how)


@dataclass(frozen=True)
class GeneralisedAlpha(NodalScheme):
    """Generalised-α (Chung and Hulbert 1993): second order, and a step leaves the share ``rho`` of the fastest motion.

    On any structure and law; the springs are returned to their limit at the end of the step, which is the minimum of a
    convex potential and found by descent. ``rho`` 1 is average acceleration, 0 damps most.

    Parameters
    ----------
    step : length of a step, h > 0 [s].
    rho : 0 ≤ ρ∞ ≤ 1 [1].

    Examples
    --------
    >>> GeneralisedAlpha(step=0.01, rho=1.0).numbers()       # the trapezoidal rule, at the middle of the step
    (0.25, 0.5, 0.5, 0.5)
    """

    step: float
    rho: float = 0.8

    def __post_init__(self) -> None:
        check_step("GeneralisedAlpha", self.step)
        if not is_finite(self.rho) or not 0 <= self.rho <= 1:
            raise SchemeError(f"GeneralisedAlpha: rho must be between 0 and 1, got {self.rho!r}")

    def numbers(self) -> tuple[float, float, float, float]:
        """β, γ, α_m and α_f that keep second order."""
        m, f = (2 * self.rho - 1) / (self.rho + 1), self.rho / (self.rho + 1)
        return (1 - m + f) ** 2 / 4, 0.5 - m + f, m, f


@dataclass(frozen=True)
class HilberHughesTaylor(NodalScheme):
    """HHT-α (Hilber, Hughes and Taylor 1977): second order, and −1/3 ≤ ``alpha`` ≤ 0 damps fast motion.

    On any structure and law. Programs differ in the sign and origin of α: OpenSees' is 1 + this one.

    Parameters
    ----------
    step : length of a step, h > 0 [s].
    alpha : α [1]; 0 is average acceleration.

    Examples
    --------
    >>> HilberHughesTaylor(step=0.01, alpha=0.0).numbers()
    (0.25, 0.5, 0.0, 0.0)
    """

    step: float
    alpha: float = -0.1

    def __post_init__(self) -> None:
        check_step("HilberHughesTaylor", self.step)
        if not is_finite(self.alpha) or not -1 / 3 <= self.alpha <= 0:
            raise SchemeError(f"HilberHughesTaylor: alpha must be between −1/3 and 0, got {self.alpha!r}")

    def numbers(self) -> tuple[float, float, float, float]:
        """β, γ, α_m and α_f that keep second order."""
        return (1 - self.alpha) ** 2 / 4, 0.5 - self.alpha, 0.0, abs(self.alpha)
