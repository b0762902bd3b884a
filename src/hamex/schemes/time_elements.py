"""Time elements: displacement and impulse as polynomials over each step, continuous or with jumps between the steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hamex.checks import is_one_of, is_positive
from hamex.errors import SchemeError
from hamex.schemes.families import LAW_FORMS, LOAD_RULES, ElementScheme, LawForm, LoadRule
from hamex.schemes.scheme import check_step

if TYPE_CHECKING:
    from hamex.model.record import Model
    from hamex.problem import Problem
    from hamex.schemes.scheme import How, March


class TimeElement(ElementScheme):
    """A time element: its data, and which march takes its steps."""

    def prepare(self, problem: Problem, how: How) -> March:
        """The march of this element: its fast route where the model has one, else the one for any structure."""
        if self.whole:
            return self._linear(problem, how)
        from hamex.schemes.stage_march import ElementMarch, check_stages

        check_stages(problem, self, how)
        if self.locate:
            from hamex.schemes.located import LocatedMarch

            return LocatedMarch(problem, self, how)
        if self.tolerance is not None:
            from hamex.schemes.located import AdaptiveMarch

            return AdaptiveMarch(problem, self, how)
        return ElementMarch(problem, self, how)

    def _linear(self, problem: Problem, how: How) -> March:
        """The element of one stage: one oscillator, one shear frame, or any structure."""
        from hamex.schemes.families import galerkin_march

        promised = problem.supports is None and how.promise == "beforehand"
        quick = self._quick(problem, self.sees(problem.model)) if promised else None
        return galerkin_march(problem, self, how) if quick is None else quick(problem, self, how)

    def _quick(self, problem: Problem, seen: Model) -> Callable[..., March] | None:
        """The march of models that have one of their own, ``seen`` as the scheme asks their laws; None for others."""
        from hamex.schemes.oscillator import FollowedOscillator, GalerkinOscillator, is_followed
        from hamex.schemes.prepare import is_long, is_oscillator
        from hamex.schemes.springs import can_break

        if is_followed(seen):
            return None if can_break(seen) else FollowedOscillator
        if seen is problem.model and is_oscillator(seen):
            return GalerkinOscillator
        from hamex.schemes.shear_frame import (
            FollowedFrame,
            ModalFrameMarch,
            ShearFrameMarch,
            is_followed_frame,
            is_modal_frame,
            is_shear_frame,
        )

        if is_followed_frame(seen):
            return None if is_long(seen, self.step) else FollowedFrame
        if seen is not problem.model:
            return None
        if is_shear_frame(seen):
            return ShearFrameMarch
        return ModalFrameMarch if is_modal_frame(seen, self.step) else None


@dataclass(frozen=True)
class Galerkin(TimeElement):
    """The paper's time element: displacement and impulse of one degree in time over each step.

    Order 2·degree where the motion is smooth, unconditionally stable, one solution per step, energy balance at
    round-off. A spring that starts to slip inside a step limits the order to about 2. In the mean form node forces
    overshoot the yield limit at viscosity 0 while step means obey it; in the path form they lie on the law.

    Parameters
    ----------
    step : length of a step, h > 0 [s].
    degree : degree of the shape functions in time, 1 to 4; 1 is the paper's.
    load : the load in a step. Degree 1: "average" of its ends (second order), its "end" (the paper, first order), or
        the "mean" over the step. Higher degrees: "average" is the load at the stages, "mean" its projection.
    locate : cut steps where a spring starts or stops to slip, so that the order survives; slower.
    tolerance : halve a step inside until its end changes by less than this [length]; None keeps the step whole.
    law : how springs are asked. "mean" is the paper's form, the law at the mean of the step; "path" follows each spring
        along the straight path of the step and takes the mean force of that. None: sliders in the mean form, laws that
        depend on their path in the path form. Degree 1 alone has a path; dampers and surfaces stay in the mean form.

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
    law: LawForm | None = None

    def __post_init__(self) -> None:
        check_step("Galerkin", self.step)
        check_degree("Galerkin", self.degree, 1, 4)
        if not is_one_of(self.load, LOAD_RULES):
            raise SchemeError(f"Galerkin: load must be one of {', '.join(LOAD_RULES)}, got {self.load!r}")
        check_inside("Galerkin", self.load, self.locate, self.tolerance)
        if self.degree > 1 and self.load == "end":
            raise SchemeError('Galerkin: load="end" is the paper\'s rule for degree 1; use "average" or "mean"')
        if self.law is not None and not is_one_of(self.law, LAW_FORMS):
            raise SchemeError(f"Galerkin: law must be one of {', '.join(LAW_FORMS)} or None, got {self.law!r}")
        if self.law == "path" and not self.whole:
            raise SchemeError(
                'Galerkin: law="path" follows the path of a whole step of degree 1; leave degree, locate '
                "and tolerance out, or law"
            )

    @property
    def order(self) -> int:  # type: ignore[override]
        """Twice the degree."""
        return 2 * self.degree

    def sees(self, model: Model) -> Model:
        """With ``law="path"`` sliders are followed too; the mean form of a law that has none is refused."""
        if self.law == "mean":
            for group in model.laws.values():
                if group.law.form == "path" and len(group.first):
                    raise SchemeError(
                        f"{self.label}: {group.law.__name__} depends on its path and has no mean form; leave "
                        'law="mean" out'
                    )
        if self.law != "path" or not any(group.law.followed for group in model.laws.values()):
            return model
        laws = {
            kind: group if group.law.followed is None else replace(group, law=group.law.followed)
            for kind, group in model.laws.items()
        }
        return replace(model, laws=laws)

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
        if not is_one_of(self.load, ("average", "mean")):
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
    """Refuse options for the inside of a step that contradict each other."""
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
    return isinstance(scheme, Galerkin) and scheme.whole and scheme.law != "path"
