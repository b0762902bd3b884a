"""Schemes for one mass on one spring with a slider: what they refuse, and what their marches share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import SchemeError
from hamex.march.reference import Mass, collocation
from hamex.march.run import march
from hamex.model.record import Model
from hamex.problem import Problem
from hamex.problem.loads import Loading, loads_between
from hamex.schemes.prepare import scalars
from hamex.schemes.scheme import How, Ran, Scheme, on_dof

Array = NDArray[Any]
_INSTEAD = "use GeneralisedAlpha, Newmark or Galerkin"


def one_mass(model: Model, who: str) -> Mass:
    """The numbers of one mass on one spring; refuses every other model by name and says what to use."""
    x = scalars(model, who)
    if x.K:
        raise SchemeError(f"{who}: stiffness beside the spring (P-Delta) is not available; {_INSTEAD}")
    if x.isotropic:
        raise SchemeError(f"{who}: isotropic hardening is not available; {_INSTEAD}, or kinematic hardening")
    if x.b != 1:
        raise SchemeError(
            f"{who}: the spring must follow the mass one to one, its compatibility is {x.b:g}; {_INSTEAD}"
        )
    return Mass(x.m, x.c, 1 / x.a, x.yield_force, x.viscosity, x.kinematic)


class OneMassMarch:
    """What the marches of one mass share: its numbers, node arrays with the start in entry 0, and the next state.

    Velocity and whatever else a kernel carries go on in the state as they are, so that no restart rounds them.
    """

    def __init__(self, problem: Problem, scheme: Scheme, how: How) -> None:
        if problem.supports is not None:
            raise SchemeError(f"{scheme.name}: moving supports are available with Galerkin only")
        self.problem, self.how, self.h, self.reads = problem, how, scheme.step, scheme
        self.x = one_mass(problem.model, scheme.name)

    def _loads(self, first: int, steps: int) -> Loading:
        return loads_between(self.problem, self.reads, first, steps, self.how.quiet or first > 0)

    def _at_stages(self, values: Array) -> Array:
        """Load on the mass at the stages, (step, stage), from channels (step, stage, k)."""
        steps, stages, channels = values.shape
        return np.ascontiguousarray(on_dof(self.problem, values.reshape(-1, channels)).reshape(steps, stages))

    def _nodes(self, now: Mapping[str, Array], steps: int) -> tuple[Array, ...]:
        """Displacement, velocity, slip and back force, the start in entry 0."""
        u, v, s, X = np.empty((4, steps + 1))
        u[0], s[0], X[0] = (now[name][0] for name in ("displacement", "slip", "back_force"))
        v[0] = now["velocity"][0] if "velocity" in now else now["momentum"][0] / self.x.m
        return u, v, s, X

    def _balanced(self, u: Array, v: Array, load: Array, weights: Array) -> Array:
        """Mean spring force of the steps from their balance of momentum, which Runge-Kutta tables keep.

        ``load`` at the stages is summed stage by stage: a product of matrices rounds one row in another way than many.
        """
        mean = sum(weight * load[:, i] for i, weight in enumerate(weights.tolist()))
        return np.asarray(mean - (self.x.c * np.diff(u) + self.x.m * np.diff(v)) / self.h)

    def _ran(
        self, now: Mapping[str, Array], arrays: tuple[Array, ...], force: Array, carried: Mapping[str, Array]
    ) -> Ran:
        """Histories, mean spring force of the steps and the next state, with what the kernel carries on."""
        u, v, s, X = arrays
        p = self.x.m * v
        p[0] = now["momentum"][0]
        nodes = {"displacement": u, "momentum": p, "slip": s}
        end = {"accumulated_slip": now["accumulated_slip"].copy(), "back_force": X[-1:].copy()}
        if self.x.kinematic:
            slipped = np.cumsum(np.concatenate([now["accumulated_slip"], np.abs(np.diff(s))]))
            nodes |= {"back_force": X, "accumulated_slip": slipped}
        end |= {name: value[-1:].copy() for name, value in nodes.items()} | {"velocity": v[-1:].copy(), **carried}
        return Ran({name: value[:, None] for name, value in nodes.items()}, {"force": force[:, None]}, end)


class CollocationMarch(OneMassMarch):
    """Balance at t + θh with Newmark's β and γ; the acceleration goes on from step to step."""

    def __init__(self, problem: Problem, scheme: Scheme, how: How, numbers: tuple[float, float, float]) -> None:
        super().__init__(problem, scheme, how)
        self.numbers = numbers

    def advance(self, now: Mapping[str, Array], first: int, steps: int) -> Ran:
        """Some steps from a state on."""
        x, at_nodes = self.x, on_dof(self.problem, self._loads(first, steps).entered)
        u, v, s, X = self._nodes(now, steps)
        a = np.empty(steps + 1)
        going = "velocity" in now and "acceleration" in now
        a[0] = now["acceleration"][0] if going else (at_nodes[0] - x.c * v[0] - x.k * (u[0] - s[0])) / x.m
        load = np.stack([at_nodes[:-1], at_nodes[1:]], axis=1)
        march(collocation, (load, self.h, x, *self.numbers), (u, v, a, s, X), self.how.steps)
        force = x.k * (u - s)
        return self._ran(now, (u, v, s, X), 0.5 * (force[:-1] + force[1:]), {"acceleration": a[-1:].copy()})
