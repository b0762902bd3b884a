"""Schemes that balance at the nodes with Newmark's interpolation; Newmark's own family is one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hamex.checks import is_positive
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
        from hamex.schemes.structure_march import nodal_march

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
