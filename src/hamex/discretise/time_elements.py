"""Time elements: displacement and impulse as polynomials over each step, continuous or with jumps between the steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from hamex.checks import is_positive
from hamex.discretise.linear import LinearMap, table_map
from hamex.discretise.scheme import Array, Histories, Scheme, check_step
from hamex.errors import SchemeError

if TYPE_CHECKING:
    from hamex.discretise.promise import Form
    from hamex.discretise.scheme import How, March
    from hamex.discretise.stages import Table
    from hamex.model.record import Model
    from hamex.problem import Problem

LoadRule = Literal["average", "end", "mean"]
LOAD_RULES: tuple[str, ...] = get_args(LoadRule)
_NOTHING: Mapping[str, Array] = {}


class TimeElement(Scheme):
    """A time element reads one load a step, or one for each of its stages."""

    step: float
    degree: int
    load: LoadRule
    locate: bool
    tolerance: float | None
    means = True

    @property
    def whole(self) -> bool:
        """True for the element of one stage, whose steps are neither cut nor halved."""
        return False

    @property
    def label(self) -> str:
        """Name with its degree, for messages; the paper's element is known by its name alone."""
        return self.name if self.whole else f"{self.name}(degree={self.degree})"

    @property
    def stages(self) -> int:
        """Unknown nodes of the shape functions."""
        return self.degree if self.continuous else self.degree + 1

    @property
    def halves(self) -> bool:
        """True with a tolerance."""
        return self.tolerance is not None

    def balances(self, model: Model) -> bool:
        """True for laws that flow, where jumps dissipate what they are said to; of others one stage alone knows the
        mean force."""
        return all(
            group.law.form == "flow" or (self.whole and group.law.spring_along is not None)
            for group in model.laws.values() if len(group.springs))

    def table(self) -> Table:
        """Nodes, matrix and weights of the element on [0, 1]."""
        from hamex.discretise.elements import element

        return element(self)

    def loads(self, load: Histories, steps: int, quiet: bool = True,
              histories: Mapping[str, Array] = _NOTHING) -> tuple[Array, Array]:
        """The values that enter the march, and their mean in each step (steps, k); ``quiet`` warns of nothing."""
        if self.whole:
            values = load.step_values(self.step, steps, self.load, quiet)
            return values, values
        table = self.table()
        values = load.stage_values(self.step, steps, table.c.tolist(), self.load, quiet)
        return values, np.einsum("i,rik->rk", table.b, values)

    def linear(self, Omega: Array | float, zeta: float = 0.0) -> LinearMap:
        """One step on the linear oscillator; the element of one stage takes the average of its ends as load."""
        table = self.table()
        found = table_map(Omega, zeta, table.A, table.b, table.c)
        if not (self.whole and self.load == "average"):
            return found
        total = found.loading.sum(axis=-1, keepdims=True)
        return LinearMap(found.matrix, total * [0.5, 0.5], np.array([0.0, 1.0]))

    def longest_step(self, model: Model) -> float:
        """Longest step with exactly one solution whatever the springs do [s]."""
        from hamex.discretise.promised import admissible

        return admissible(model, self)

    def form(self) -> Form:
        """The numbers of the step's promise, see :mod:`hamex.discretise.promise`."""
        from hamex.discretise import promise

        A = self.table().A
        D, elastic = ((promise.GAUSS, promise.ELASTIC_GAUSS) if self.continuous else
                      (promise.RADAU, promise.ELASTIC_RADAU))
        return promise.collocation(A, D[len(A)], elastic[len(A)])

    def prepare(self, problem: Problem, how: How) -> March:
        """The march of this element: its fast route where the model has one, else the one for any structure."""
        if self.whole:
            return self._linear(problem, how)
        from hamex.discretise.stage_marches import stage_march

        return stage_march(problem, self, how)

    def _linear(self, problem: Problem, how: How) -> March:
        """The element of one stage: one oscillator, one shear frame, or any structure."""
        from hamex.discretise.prepare import is_oscillator
        from hamex.discretise.shear_frame import is_chain

        if problem.supports is None and how.promise == "beforehand":
            if is_oscillator(problem.model):
                from hamex.discretise.oscillator import GalerkinOscillator

                return GalerkinOscillator(problem, self, how)
            if is_chain(problem.model):
                from hamex.discretise.shear_frame import ShearFrameMarch

                return ShearFrameMarch(problem, self, how)
        from hamex.discretise.structure_march import galerkin_march

        return galerkin_march(problem, self, how)


@dataclass(frozen=True)
class Galerkin(TimeElement):
    """The paper's time element: displacement and impulse of one degree in time over each step.

    Order 2·degree where the motion is smooth, unconditionally stable, one solution per step, energy balance at
    round-off. A spring that starts to slip inside a step limits the order to about 2. At viscosity 0 step means obey
    the yield limit while node forces overshoot it.

    Parameters
    ----------
    step : length of a step, h > 0 [s].
    degree : degree of the shape functions in time, 1 to 4; 1 is the paper's.
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
    def order(self) -> int:  # type: ignore[override]
        """Twice the degree."""
        return 2 * self.degree

    @property
    def whole(self) -> bool:
        """True for the element of one stage, whose steps are neither cut nor halved."""
        return self.degree == 1 and not self.locate and self.tolerance is None


@dataclass(frozen=True)
class DiscontinuousGalerkin(TimeElement):
    """Time element with jumps at the start of each step: L-stable, order 2·degree + 1.

    What rings under the continuous element decays at once: springs with little or no viscosity, stiff dashpots, wave
    fronts. The jumps dissipate; the energy balance shows how much.

    Parameters
    ----------
    step : length of a step, h > 0 [s].
    degree : degree of the shape functions in time, 0 to 2.
    load : "average", the load at the stages, or "mean", its projection.
    locate : cut steps where a spring starts or stops to slip; slower.
    tolerance : halve a step inside until its end changes by less than this [length]; None keeps the step whole.

    Examples
    --------
    >>> DiscontinuousGalerkin(step=0.02).degree
    1
    """

    continuous = False

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

    @property
    def order(self) -> int:  # type: ignore[override]
        """Twice the degree, and one."""
        return 2 * self.degree + 1


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


def is_linear(scheme: object) -> bool:
    """True for the paper's element as it stands, which batches march many at a time."""
    return isinstance(scheme, Galerkin) and scheme.whole
