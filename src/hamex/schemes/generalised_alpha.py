"""Generalised-α and HHT-α: second order with the fastest motion damped, by weighing both ends of the step."""

from __future__ import annotations

from dataclasses import dataclass

from hamex.checks import is_finite
from hamex.errors import SchemeError
from hamex.schemes.newmark import NodalScheme
from hamex.schemes.scheme import check_step


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
