"""Explicit schemes for one mass: nothing is solved, and a step beyond the stable one is refused."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hamex.errors import SchemeError
from hamex.march.reference import Mass, explicit
from hamex.march.run import march
from hamex.schemes.oscillator import CollocationMarch, OneMassMarch, one_mass
from hamex.schemes.scheme import Array, How, LinearMap, March, Ran, Scheme, TableScheme, alpha_map, check_step

if TYPE_CHECKING:
    from hamex.model.record import Model
    from hamex.problem import Problem

_ROUND_OFF = 1e-9
_REACH = 4.0  # the stable region of Runge-Kutta 4 ends before this distance from the origin


@dataclass(frozen=True)
class CentralDifference(Scheme):
    """The central difference method (Newmark 1959 with β = 0, γ = ½): explicit, second order, stable up to ωh = 2.

    Displacement and velocity stand at the nodes, unlike with LeapFrog, and the dashpot sees the velocity at the end of
    the step. One mass on one spring with a slider, without isotropic hardening; the spring is returned to its limit at
    the end of the step (backward Euler), which is first order where it is viscous. Longer steps are refused.

    Parameters
    ----------
    step : 0 < h ≤ 2/ω [s].

    Examples
    --------
    >>> import hamex as hx
    >>> CentralDifference(step=0.02).longest_step(hx.oscillator(mass=1, stiffness=100))
    0.2
    """

    step: float

    def __post_init__(self) -> None:
        check_step("CentralDifference", self.step)

    def linear(self, Omega: Array | float, zeta: float = 0.0) -> LinearMap:
        """One step on the linear oscillator."""
        return alpha_map(Omega, zeta, 0.0, 0.0, 0.0, 0.5)

    def longest_step(self, model: Model) -> float:
        """Longest stable step [s]: damping does not change it, slip only softens."""
        x = one_mass(model, self.name)
        return 2 / math.sqrt(x.k / x.m)

    def prepare(self, problem: Problem, how: How) -> March:
        """One mass on one spring: balance at the end of the step, where the displacement is known."""
        prepared = CollocationMarch(problem, self, how, (1.0, 0.0, 0.5))
        _check_stable(self, problem.model)
        return prepared


@dataclass(frozen=True)
class RungeKutta4(TableScheme):
    """The classical Runge-Kutta method (Kutta 1901): explicit, fourth order, stable up to ωh = 2√2 without damping.

    One mass on one spring with a slider, without isotropic hardening. A viscous slip is one more state, whose rate
    k/η also bounds the step; without viscosity each stage returns the spring to its limit from the start of the
    step, and yielding leaves second order. Longer steps are refused.

    Parameters
    ----------
    step : h > 0 [s], up to the stable one.

    Examples
    --------
    >>> import hamex as hx
    >>> f"{RungeKutta4(step=0.02).longest_step(hx.oscillator(mass=1, stiffness=100)):.4f}"
    '0.2828'
    """

    order = 4

    step: float

    def __post_init__(self) -> None:
        check_step("RungeKutta4", self.step)

    def table(self) -> tuple[Array, Array, Array]:
        """Matrix, weights and nodes."""
        A = np.zeros((4, 4))
        A[1, 0], A[2, 1], A[3, 2] = 0.5, 0.5, 1.0
        return A, np.array([1, 2, 2, 1]) / 6, np.array([0.0, 0.5, 0.5, 1.0])

    def longest_step(self, model: Model) -> float:
        """Longest step that is stable while the spring holds and while it slips [s]."""
        x = one_mass(model, self.name)
        return min(_stable_on(rate) for rate in _rates(x))

    def prepare(self, problem: Problem, how: How) -> March:
        """One mass on one spring."""
        prepared = RungeKuttaMarch(problem, self, how)
        _check_stable(self, problem.model)
        return prepared


class RungeKuttaMarch(OneMassMarch):
    """Steps of an explicit table; beside the state only the velocity goes on."""

    def __init__(self, problem: Problem, scheme: RungeKutta4, how: How) -> None:
        super().__init__(problem, scheme, how)
        self.table, self.weights, _ = scheme.table()

    def advance(self, now: Mapping[str, Array], first: int, steps: int) -> Ran:
        """Some steps from a state on."""
        load = self._at_stages(self._loads(first, steps).entered)
        u, v, s, X = self._nodes(now, steps)
        march(
            explicit,
            (load, self.h, self.x, self.table, self.weights),
            (u, v, s, X, *np.zeros((3, len(self.weights)))),
            self.how.steps,
        )
        return self._ran(now, (u, v, s, X), self._balanced(u, v, load, self.weights), {})


def _check_stable(scheme: Scheme, model: Model) -> None:
    limit = scheme.longest_step(model)
    if scheme.step > limit:
        raise SchemeError(
            f"{scheme.name}: the step {scheme.step:g} s is beyond the stable step {limit:.6g} s of this "
            "oscillator; take a shorter one, or an implicit scheme such as Galerkin"
        )


def _rates(x: Mass) -> list[complex]:
    """Eigenvalues of u, u̇ while the spring holds and, with viscosity, of u, u̇ and slip while it slips [1/s]."""
    systems = [[[0.0, 1.0], [-x.k / x.m, -x.c / x.m]]]
    if x.viscosity and math.isfinite(x.yield_force):
        systems.append(
            [
                [0.0, 1.0, 0.0],
                [-x.k / x.m, -x.c / x.m, x.k / x.m],
                [x.k / x.viscosity, 0.0, -(x.k + x.kinematic) / x.viscosity],
            ]
        )
    rates = np.concatenate([np.linalg.eigvals(np.array(system)) for system in systems])
    return [complex(rate) for rate in rates if abs(rate) > _ROUND_OFF * np.abs(rates).max()]  # 0: drift


def _stable_on(rate: complex) -> float:
    """Step at which 1 + z + z²/2 + z³/6 + z⁴/24 first leaves the unit circle, z = h·rate [s]."""

    def grows(distance: float | Array) -> Array:
        z = distance * (rate / abs(rate))
        return np.asarray(np.abs(1 + z * (1 + z / 2 * (1 + z / 3 * (1 + z / 4)))) > 1 + _ROUND_OFF)

    scan = np.linspace(0.0, _REACH, 401)
    first = int(np.argmax(grows(scan)))
    low, high = scan[first - 1], scan[first]
    for _ in range(50):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if grows(middle) else (middle, high)
    return float(low / abs(rate))
