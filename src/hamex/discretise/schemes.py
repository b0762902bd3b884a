"""Schemes: time element and step, as data. A wrong choice cannot be built."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from hamex.checks import is_positive
from hamex.errors import SchemeError

LoadRule = Literal["average", "end", "mean"]
LOAD_RULES: tuple[str, ...] = get_args(LoadRule)


@dataclass(frozen=True)
class Galerkin:
    """The paper's time element: displacement and impulse linear in time over each step.

    Second order, unconditionally stable, one solution per step, energy balance at round-off. At viscosity 0
    step means obey the yield limit while node forces overshoot it.

    Parameters
    ----------
    step : h > 0 [s].
    degree : degree of the shape functions in time; 1 is the paper's.
    load : the value of the load in a step: "average" of its ends (second order), its "end" (the paper, first
        order), or the "mean" over the step.

    Examples
    --------
    >>> Galerkin(step=0.02).load
    'average'
    """

    step: float
    degree: int = 1
    load: LoadRule = "average"

    def __post_init__(self) -> None:
        check_step("Galerkin", self.step)
        if self.degree != 1:
            raise SchemeError(f"Galerkin: only degree 1 is available, got {self.degree!r}")
        if self.load not in LOAD_RULES:
            raise SchemeError(f"Galerkin: load must be one of {', '.join(LOAD_RULES)}, got {self.load!r}")


@dataclass(frozen=True)
class Newmark:
    """Newmark's method with Newton-Raphson, the reference of section 6.

    Average acceleration by default. A step starts from the last displacement and ends when the displacement
    increment is at most ``tolerance`` [length]; more than ``max_iterations`` is a ConvergenceError.
    The spring returns to its yield limit at the end of the step (backward Euler). ``safeguarded`` solves the step,
    which is a convex problem too, by the line-search Newton of the linear time element instead: it cannot fail, and
    ``tolerance`` and ``max_iterations`` are not used.

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


@dataclass(frozen=True)
class PiecewiseExact:
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


Scheme = Galerkin | Newmark | PiecewiseExact


def check_step(who: str, step: float) -> None:
    """Refuse a step that is not a positive number of seconds."""
    if not is_positive(step):
        raise SchemeError(f"{who}: step must be a positive number of seconds, got {step!r}")

