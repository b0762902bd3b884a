"""Schemes: time element and step, as data. A wrong choice cannot be built."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from hamex.checks import is_positive
from hamex.errors import SchemeError

Array = NDArray[Any]
LoadRule = Literal["average", "end", "mean"]
LOAD_RULES: tuple[str, ...] = get_args(LoadRule)
_NOTHING: Mapping[str, Array] = {}


class Histories(Protocol):
    """What a scheme asks of a load; its own words are in :mod:`hamex.motion.load`."""

    def node_values(self, h: float, steps: int, quiet: bool = False) -> Array:
        """Channel values at the nodes, (steps + 1, k)."""

    def step_values(self, h: float, steps: int, rule: str, quiet: bool = False) -> Array:
        """One value per step and channel, (steps, k)."""

    def stage_values(self, h: float, steps: int, nodes: Sequence[float], rule: str, quiet: bool = False) -> Array:
        """Values at the stages, (steps, stage, k)."""


class ReadsNodes:
    """A scheme that reads its load at the nodes and takes it linear in between."""

    step: float

    def loads(self, load: Histories, steps: int, quiet: bool = True,
              histories: Mapping[str, Array] = _NOTHING) -> tuple[Array, Array]:
        """The values that enter the march, and their mean in each step (steps, k); ``quiet`` warns of nothing."""
        values = load.node_values(self.step, steps, quiet)
        return values, 0.5 * (values[:-1] + values[1:])


class ReadsSteps:
    """A time element: one value a step, or one for each of its stages."""

    step: float
    load: LoadRule

    @property
    def whole(self) -> bool:
        """True for the element of one stage, whose steps are neither cut nor halved."""
        return False

    def loads(self, load: Histories, steps: int, quiet: bool = True,
              histories: Mapping[str, Array] = _NOTHING) -> tuple[Array, Array]:
        """The values that enter the march, and their mean in each step (steps, k); ``quiet`` warns of nothing."""
        if self.whole:
            values = load.step_values(self.step, steps, self.load, quiet)
            return values, values
        from hamex.discretise.elements import element

        table = element(self)  # type: ignore[arg-type]
        values = load.stage_values(self.step, steps, table.c.tolist(), self.load, quiet)
        return values, np.einsum("i,rik->rk", table.b, values)


@dataclass(frozen=True)
class Galerkin(ReadsSteps):
    """The paper's time element: displacement and impulse of one degree in time over each step.

    Order 2·degree where the motion is smooth, unconditionally stable, one solution per step, energy balance at
    round-off. A spring that starts to slip inside a step limits the order to about 2. At viscosity 0 step means obey
    the yield limit while node forces overshoot it.

    Parameters
    ----------
    step : h > 0 [s].
    degree : degree of the shape functions in time, 1 to 4; 1 is the paper's and takes every law, the others take
        sliders.
    load : the load in a step. Degree 1: "average" of its ends (second order), its "end" (the paper, first order), or
        the "mean" over the step. Higher degrees: "average" is the load at the stages, "mean" its projection.
    locate : cut steps where a spring starts or stops to slip, so that the order survives; slower.
    tolerance : halve a step inside until its end changes by less than this [length]; None keeps the step whole.

    Examples
    --------
    >>> Galerkin(step=0.02).load
    'average'
    """

    step: float
    degree: int = 1
    load: LoadRule = "average"
    locate: bool = False
    tolerance: float | None = None

    def __post_init__(self) -> None:
        check_step("Galerkin", self.step)
        check_degree("Galerkin", self.degree, 1, 4)
        if self.load not in LOAD_RULES:
            raise SchemeError(f"Galerkin: load must be one of {', '.join(LOAD_RULES)}, got {self.load!r}")
        check_inside("Galerkin", self.load, self.locate, self.tolerance)
        if self.degree > 1 and self.load == "end":
            raise SchemeError('Galerkin: load="end" is the paper\'s rule for degree 1; use "average" or "mean"')

    @property
    def whole(self) -> bool:
        """True for the element of one stage, whose steps are neither cut nor halved."""
        return self.degree == 1 and not self.locate and self.tolerance is None


@dataclass(frozen=True)
class DiscontinuousGalerkin(ReadsSteps):
    """Time element with jumps at the start of each step: L-stable, order 2·degree + 1.

    What rings under the continuous element decays at once: springs with little or no viscosity, stiff dashpots, wave
    fronts. The jumps dissipate; the energy balance shows how much. Springs with sliders.

    Parameters
    ----------
    step : h > 0 [s].
    degree : degree of the shape functions in time, 0 to 2.
    load : "average", the load at the stages, or "mean", its projection.
    locate : cut steps where a spring starts or stops to slip; slower.
    tolerance : halve a step inside until its end changes by less than this [length]; None keeps the step whole.

    Examples
    --------
    >>> DiscontinuousGalerkin(step=0.02).degree
    1
    """

    step: float
    degree: int = 1
    load: LoadRule = "average"
    locate: bool = False
    tolerance: float | None = None

    def __post_init__(self) -> None:
        check_step("DiscontinuousGalerkin", self.step)
        check_degree("DiscontinuousGalerkin", self.degree, 0, 2)
        if self.load not in ("average", "mean"):
            raise SchemeError(f'DiscontinuousGalerkin: load must be "average" or "mean", got {self.load!r}')
        check_inside("DiscontinuousGalerkin", self.load, self.locate, self.tolerance)


@dataclass(frozen=True)
class Newmark(ReadsNodes):
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
class PiecewiseExact(ReadsNodes):
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


@dataclass(frozen=True)
class LeapFrog(ReadsNodes):
    """Explicit leap-frog with the springs returned to their limit at the nodes: the rival for shear frames.

    Nothing is solved, so a step costs least of all, but it is stable only up to a step that the stiffest storey sets;
    longer ones are refused. Its runs do not restart bitwise, because velocities stand between the nodes.

    Examples
    --------
    >>> LeapFrog(step=0.005).step
    0.005
    """

    step: float

    def __post_init__(self) -> None:
        check_step("LeapFrog", self.step)


@dataclass(frozen=True)
class QuasiStatic:
    """Slow loading in increments, which count as time: what :func:`hamex.pushover` and its kin record as scheme.

    Examples
    --------
    >>> QuasiStatic(by="force").step
    1.0
    """

    by: Literal["displacement", "force"] = "displacement"
    step: float = 1.0

    def loads(self, load: Histories, steps: int, quiet: bool = True,
              histories: Mapping[str, Array] = _NOTHING) -> tuple[Array, Array]:
        """The run found the factor of the first channel itself, and keeps it; the second is there all the time."""
        factor = histories["load_factor"]
        values = np.column_stack([factor, np.ones_like(factor)])
        return values, 0.5 * (values[:-1] + values[1:])


Scheme = Galerkin | DiscontinuousGalerkin | Newmark | PiecewiseExact | LeapFrog | QuasiStatic
SCHEMES = {scheme.__name__: scheme for scheme in get_args(Scheme)}      # by the names that files keep


def is_linear(scheme: object) -> bool:
    """True for the paper's element as it stands, which batches march many at a time."""
    return isinstance(scheme, Galerkin) and scheme.whole


def check_degree(who: str, degree: int, least: int, most: int) -> None:
    """Refuse a degree that is not a whole number in range."""
    if not isinstance(degree, int) or isinstance(degree, bool) or not least <= degree <= most:
        raise SchemeError(f"{who}: degree must be {least} to {most}, got {degree!r}")


def check_inside(who: str, load: str, locate: bool, tolerance: float | None) -> None:
    """Refuse contradictory wishes for what happens inside a step."""
    if tolerance is not None and not is_positive(tolerance):
        raise SchemeError(f"{who}: tolerance must be a positive length, got {tolerance!r}")
    if locate and tolerance is not None:
        raise SchemeError(f"{who}: choose locate or tolerance, not both")
    if (locate or tolerance is not None) and load == "end":
        raise SchemeError(f'{who}: load="end" is for whole steps')
    if locate and load != "average":
        raise SchemeError(f'{who}: locate needs load="average", the load at the stages')


def check_step(who: str, step: float) -> None:
    """Refuse a step that is not a positive number of seconds."""
    if not is_positive(step):
        raise SchemeError(f"{who}: step must be a positive number of seconds, got {step!r}")

