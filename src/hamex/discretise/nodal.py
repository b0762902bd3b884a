"""Schemes that balance at the nodes with Newmark's interpolation: Newmark's own family, and what weighs both ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hamex.checks import is_positive
from hamex.discretise.linear import LinearMap, alpha_map
from hamex.discretise.scheme import Array, Scheme, check_step
from hamex.errors import SchemeError

if TYPE_CHECKING:
    from hamex.discretise.marching import How, March
    from hamex.discretise.onestage import Newton
    from hamex.discretise.promise import Form
    from hamex.model.record import Model
    from hamex.problem import Problem


class NodalScheme(Scheme):
    """``M[(1−α_m)a₁ + α_m a₀] + C[(1−α_f)v₁ + α_f v₀] + … = (1−α_f)f₁ + α_f f₀`` with Newmark's β and γ, the springs
    returned to their limit at the end of the step (backward Euler). A scheme of this family is its numbers."""

    step: float

    def numbers(self) -> tuple[float, float, float, float]:
        """β, γ, α_m and α_f."""
        raise NotImplementedError

    def newton(self) -> Newton:
        """How a step is solved: it is the minimum of a convex potential, found by descent."""
        from hamex.discretise.onestage import Newton

        return Newton()

    def linear(self, Omega: Array | float, zeta: float = 0.0) -> LinearMap:
        """One step on the linear oscillator."""
        beta, gamma, alpha_m, alpha_f = self.numbers()
        return alpha_map(Omega, zeta, alpha_m, alpha_f, beta, gamma)

    def longest_step(self, model: Model) -> float:
        """Longest step with exactly one solution whatever the springs do [s]."""
        from hamex.discretise.promised import admissible

        return admissible(model, self)

    @property
    def label(self) -> str:
        """Name in messages."""
        return self.name

    def form(self) -> Form:
        """The numbers of the step's promise, see :mod:`hamex.discretise.promise`."""
        from hamex.discretise.promise import one_stage

        beta, gamma, alpha_m, alpha_f = self.numbers()
        return one_stage((1 - alpha_m) / ((1 - alpha_f) * beta), gamma / beta, 1.0)

    def prepare(self, problem: Problem, how: How) -> March:
        """The march for any structure."""
        from hamex.discretise.structure_march import nodal_march

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
        from hamex.discretise.onestage import Newton

        return Newton() if self.safeguarded else Newton(self.tolerance, self.max_iterations)

    def prepare(self, problem: Problem, how: How) -> March:
        """One mass on one spring has a kernel of its own, which counts its iterations as section 6 does."""
        from hamex.discretise.prepare import is_oscillator

        if is_oscillator(problem.model) and problem.supports is None and not self.safeguarded:
            from hamex.discretise.oscillator import NewmarkOscillator

            return NewmarkOscillator(problem, self, how)
        return super().prepare(problem, how)
