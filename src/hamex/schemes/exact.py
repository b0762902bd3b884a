"""The exact solution of an elastic oscillator, step by step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hamex.schemes.scheme import Scheme, check_step

if TYPE_CHECKING:
    from hamex.problem import Problem
    from hamex.schemes.scheme import How, March


@dataclass(frozen=True)
class PiecewiseExact(Scheme):
    """Exact solution of an elastic oscillator under a load that is linear between nodes.

    Exact for sampled records when the step divides the record's; refused for springs that can slip.

    Examples
    --------
    >>> PiecewiseExact(step=0.02).step
    0.02
    """

    step: float

    def __post_init__(self) -> None:
        check_step("PiecewiseExact", self.step)

    def prepare(self, problem: Problem, how: How) -> March:
        """One elastic mass on one spring."""
        from hamex.schemes.oscillator import ExactOscillator

        return ExactOscillator(problem, self, how)
