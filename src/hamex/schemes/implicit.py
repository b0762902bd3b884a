"""Implicit schemes of the literature. Those that balance at the nodes with Newmark's interpolation: Newmark's own
family; generalised-α and HHT-α, second order with the fastest motion damped, by weighing both ends of the step. And
those with points inside or beyond a step: Wilson's θ method, and steps in two parts, the trapezoidal rule and three
points, as a diagonally implicit table."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from hamex.checks import is_finite, is_positive
from hamex.errors import SchemeError
from hamex.march.reference import diagonal, flow
from hamex.march.run import march
from hamex.schemes.families import NodeScheme
from hamex.schemes.oscillator import OneMassMarch
from hamex.schemes.scheme import Array, How, LinearMap, Ran, Scheme, TableScheme, check_step, collocation_map

if TYPE_CHECKING:
    from hamex.problem import Problem
    from hamex.schemes.onestage import Newton
    from hamex.schemes.scheme import March

BETA, GAMMA = 1 / 6, 0.5  # of Wilson: the acceleration is linear in time


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
        from hamex.schemes.oscillator import CollocationMarch

        return CollocationMarch(problem, self, how, (self.theta, BETA, GAMMA))


class Composite(TableScheme):
    """Trapezoidal rule up to a share of the step, then three points up to its end: second order, two solves a step."""

    slip_by_table: ClassVar[bool] = False  # the slip is one more state of the table, instead of returned part by part

    def parts(self) -> tuple[float, float]:
        """Where the step is split, as a share of it, and the share ρ∞ of the fastest motion that it leaves."""
        raise NotImplementedError

    def table(self) -> tuple[Array, Array, Array]:
        """Matrix, weights and nodes of the step as a Runge-Kutta table."""
        return composite(*self.parts())

    def prepare(self, problem: Problem, how: How) -> CompositeMarch:
        """One mass on one spring."""
        return CompositeMarch(problem, self, how)


@dataclass(frozen=True)
class Bathe(Composite):
    """Bathe's composite scheme (Bathe and Baig 2005; Bathe 2007): what is much faster than the step is gone at once.

    Second order, L-stable, hardly any damping of slow motion; two solves a step. One mass on one spring with a slider,
    without isotropic hardening; the spring is returned to its limit at the end of each part (backward Euler), which is
    first order where it is viscous.

    Parameters
    ----------
    step : h > 0 [s].
    split : share of the step that the trapezoidal rule takes, 0 < γ < 1 [1].

    Examples
    --------
    >>> Bathe(step=0.02).parts()
    (0.5, 0.0)
    """

    step: float
    split: float = 0.5

    def __post_init__(self) -> None:
        check_step("Bathe", self.step)
        if not is_finite(self.split) or not 0 < self.split < 1:
            raise SchemeError(f"Bathe: split must be between 0 and 1, got {self.split!r}")

    def parts(self) -> tuple[float, float]:
        """The split as given; nothing of the fastest motion is left."""
        return self.split, 0.0


@dataclass(frozen=True)
class RhoBathe(Composite):
    """The ρ∞-Bathe method (Noh and Bathe 2019): a step leaves the share ``rho`` of the fastest motion.

    The step is split so that both parts have the same effective stiffness; ``rho`` 0 is TR-BDF2 but for the slip, 1 two
    trapezoidal halves. One mass on one spring with a slider, without isotropic hardening; the spring is returned to its
    limit at the end of each part.

    Parameters
    ----------
    step : h > 0 [s].
    rho : 0 ≤ ρ∞ ≤ 1 [1].

    Examples
    --------
    >>> RhoBathe(step=0.02, rho=1.0).parts()
    (0.5, 1.0)
    """

    step: float
    rho: float = 0.5

    def __post_init__(self) -> None:
        check_step("RhoBathe", self.step)
        if not is_finite(self.rho) or not 0 <= self.rho <= 1:
            raise SchemeError(f"RhoBathe: rho must be between 0 and 1, got {self.rho!r}")

    def parts(self) -> tuple[float, float]:
        """The split of equal parts."""
        return equal_parts(self.rho), self.rho


@dataclass(frozen=True)
class TrBdf2(Composite):
    """TR-BDF2 (Bank et al. 1985; Hosea and Shampine 1996): trapezoidal rule, then the second backward difference.

    Second order and L-stable; the slip is one more state of the table, as a program for differential equations has it,
    so that the order survives viscous yielding. One mass on one spring with a slider, without isotropic hardening.

    Parameters
    ----------
    step : h > 0 [s].

    Examples
    --------
    >>> split, rho = TrBdf2(step=0.02).parts()
    >>> f"{split:.4f}", rho
    ('0.5858', 0.0)
    """

    slip_by_table = True

    step: float

    def __post_init__(self) -> None:
        check_step("TrBdf2", self.step)

    def parts(self) -> tuple[float, float]:
        """Split at 2 − √2: one effective stiffness for both parts."""
        return equal_parts(0.0), 0.0


class CompositeMarch(OneMassMarch):
    """Steps of a composite scheme; velocity and slip rate go on from step to step."""

    def __init__(self, problem: Problem, scheme: Composite, how: How) -> None:
        super().__init__(problem, scheme, how)
        self.table, self.weights, self.nodes = scheme.table()
        self.by_table = scheme.slip_by_table

    def advance(self, now: Mapping[str, Array], first: int, steps: int) -> Ran:
        """Some steps from a state on."""
        x, load = self.x, self._at_stages(self._loads(first, steps).entered)
        u, v, s, X = self._nodes(now, steps)
        *stages, rates = np.zeros((4, len(self.nodes)))
        if "slip_rate" in now:
            rates[0] = now["slip_rate"][0]
        elif x.viscosity:  # the rate at which the spring slips already
            rates[0] = flow(x.k * (u[0] - s[0]) - X[0], x.yield_force, 1 / x.viscosity)
        march(
            diagonal,
            (load, self.h, x, self.table, self.nodes, int(self.by_table)),
            (u, v, s, X, *stages, rates),
            self.how.steps,
        )
        carried = {"slip_rate": rates[:1].copy()} if self.by_table else {}
        return self._ran(now, (u, v, s, X), self._balanced(u, v, load, self.weights), carried)


def composite(split: float, rho: float = 0.0) -> tuple[Array, Array, Array]:
    """Table (A, b, c): the trapezoidal rule up to ``split``·h, then three points that leave the share ``rho`` of the
    fastest motion.

    split = 1/2, rho = 0: Bathe; split = 2 − √2, rho = 0: TR-BDF2; rho > 0: the ρ∞-Bathe method.
    """
    middle = (1 + rho) / (2 * split * (rho - 1) + 4)
    first, last = (split - 1) * middle + 0.5, 0.5 - split * middle
    A = np.array([[0.0, 0.0, 0.0], [split / 2, split / 2, 0.0], [first, middle, last]])
    return A, A[2].copy(), np.array([0.0, split, 1.0])


def equal_parts(rho: float) -> float:
    """The split for which both parts of a composite step have the same effective stiffness; 2 − √2 at ``rho`` = 0."""
    return (2 - math.sqrt(2 + 2 * rho)) / (1 - rho) if rho < 1 else 0.5
