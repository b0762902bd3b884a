"""Explicit leap-frog for shear frames: the rival that never iterates, and its stable step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import OverflowRunError, SchemeError
from hamex.march.leapfrog import Frame, LeapFrogHistory, leapfrog, stable_step
from hamex.march.run import Kernel, compiled, worth_compiling
from hamex.model.record import Model, per_spring
from hamex.problem import Problem
from hamex.problem.loads import loads_between
from hamex.schemes.linear import LinearMap, alpha_map
from hamex.schemes.prepare import is_oscillator
from hamex.schemes.scheme import How, Ran, Scheme, check_step
from hamex.schemes.shear_frame import is_shear_frame

Array = NDArray[Any]
_AHEAD = 0.5  # dashpots see the velocity extrapolated to the node: second order
_WORK_PER_STOREY = 6  # a storey's step in units of an oscillator's, for the choice to compile


@dataclass(frozen=True)
class LeapFrog(Scheme):
    """Explicit leap-frog with the springs returned to their limit at the nodes: the rival for shear frames.

    Nothing is solved, so a step costs least of all, but it is stable only up to a step that the stiffest storey sets;
    longer ones are refused. Velocities stand between the nodes: its state carries the last one, and the storey forces.

    Examples
    --------
    >>> LeapFrog(step=0.005).step
    0.005
    """

    step: float

    def __post_init__(self) -> None:
        check_step("LeapFrog", self.step)

    def linear(self, Omega: Array | float, zeta: float = 0.0) -> LinearMap:
        """One step on the undamped linear oscillator: the central difference method."""
        if zeta:
            raise SchemeError("LeapFrog: dashpots see an extrapolated velocity; its linear map is for zeta = 0")
        return alpha_map(Omega, zeta, 0.0, 0.0, 0.0, 0.5)

    def longest_step(self, model: Model) -> float:
        """Longest stable step [s]; nothing is solved, so that every step has one solution."""
        return _stable(*_storeys(model))

    def prepare(self, problem: Problem, how: How) -> LeapFrogMarch:
        """Shear frames with storey dashpots and lumped masses."""
        return LeapFrogMarch(problem, self, how)


class LeapFrogMarch:
    """Steps of a shear frame; refuses a step beyond the stable one and names it."""

    def __init__(self, problem: Problem, scheme: LeapFrog, how: How) -> None:
        self.problem, self.scheme, self.how = problem, scheme, how
        if problem.supports is not None:
            raise SchemeError("LeapFrog: moving supports are available with Galerkin(degree=1) only")
        k, c, m = _storeys(problem.model)
        limit = _stable(k, c, m)
        if scheme.step > limit:
            raise SchemeError(
                f"LeapFrog: the step {scheme.step:g} s is beyond the stable step {limit:.6g} s of this frame"
            )
        if problem.acting.channels != 1:
            raise SchemeError("LeapFrog: takes one load history; use Galerkin for several")
        laws = per_spring(problem.model)
        self.k, self.m = k, m
        self.frame = Frame(
            *(
                _from_ground(x)
                for x in (1 / m, k, c, laws["yield_force"], laws["viscosity"], laws["kinematic"], laws["isotropic"])
            )
        )
        self.hardens = bool(np.any(laws["kinematic"] > 0) or np.any(laws["isotropic"] > 0))
        work = how.steps * len(m) * _WORK_PER_STOREY
        self.kernel: Kernel = compiled(leapfrog) if worth_compiling(work) else leapfrog

    def advance(self, now: Mapping[str, Array], first: int, steps: int) -> Ran:
        """Some steps from a state on."""
        n, h = len(self.m), self.scheme.step
        loads = loads_between(self.problem, self.scheme, first, steps, self.how.quiet or first > 0)
        u, slip, p = (np.zeros((steps + 1, n + 1)) for _ in range(3))
        u[0, 1:], slip[0, 1:], p[0, 1:] = now["displacement"], now["slip"], now["momentum"]
        going = "half_velocity" in now and "storey_force" in now
        v = _from_ground(now["half_velocity"] if going else now["momentum"] / self.m)
        stride = int(self.hardens)
        X, w, F = np.zeros((stride * steps + 1, n + 1)), np.zeros((stride * steps + 1, n + 1)), np.zeros(n + 2)
        X[0, 1:], w[0, 1:] = now["back_force"], now["accumulated_slip"]
        if going:
            F[1:-1] = now["storey_force"]
        walk = LeapFrogHistory(u, slip, p, v, X, w, F, np.zeros(n + 1), np.zeros(n + 1))
        with np.errstate(over="ignore", invalid="ignore"):  # what runs away is told by name below
            failed = self.kernel(
                np.ascontiguousarray(loads.entered[:, 0]),
                _from_ground(loads.patterns[:, 0]),
                h,
                _AHEAD,
                int(going),
                stride,
                self.frame,
                walk,
            )
        if failed:
            raise OverflowRunError(f"LeapFrog: step {first + failed} left the finite numbers; take a shorter step")
        u, slip, p = (np.ascontiguousarray(x[:, 1:]) for x in (u, slip, p))
        node_force = self.k * (np.diff(u, axis=1, prepend=0.0) - slip)
        nodes = {"displacement": u, "momentum": p, "slip": slip}
        if self.hardens:
            nodes |= {"back_force": np.ascontiguousarray(X[:, 1:]), "accumulated_slip": np.ascontiguousarray(w[:, 1:])}
        end = {
            "displacement": u[-1].copy(),
            "momentum": p[-1].copy(),
            "slip": slip[-1].copy(),
            "back_force": X[-1, 1:].copy(),
            "accumulated_slip": w[-1, 1:].copy(),
            "half_velocity": v[1:],
            "storey_force": F[1:-1],
        }
        return Ran(nodes, {"force": 0.5 * (node_force[:-1] + node_force[1:])}, end)


def _storeys(model: Model) -> tuple[Array, Array, Array]:
    """Stiffness and dashpot of every storey, and the masses; refuses what the rival cannot march."""
    if not (is_shear_frame(model) or is_oscillator(model)):
        raise SchemeError("LeapFrog: only shear frames with one slider per storey, storey dashpots and lumped masses")
    from scipy.sparse import csr_array

    C, K = csr_array(model.damping.matrix), csr_array(model.stiffness)
    c = -np.concatenate([[0.0], C.diagonal(-1)])
    main = C.diagonal()
    c[0] = main[0] - (c[1] if len(c) > 1 else 0.0)
    rebuilt = c + np.append(c[1:], 0.0)
    if np.any(K.data != 0) or np.abs(rebuilt - main).max() > 1e-9 * np.abs(main).max():
        raise SchemeError("LeapFrog: P-Delta and damping other than storey dashpots are not available; use Galerkin")
    return 1 / csr_array(model.flexibility).diagonal(), c, csr_array(model.mass).diagonal()


def _stable(k: Array, c: Array, m: Array) -> float:
    """Stable step of the mode of the highest frequency."""
    from scipy.linalg import eigh_tridiagonal

    above, root = np.append(k[1:], 0.0), np.sqrt(m)
    squares, shapes = eigh_tridiagonal(
        (k + above) / m, -k[1:] / (root[1:] * root[:-1]), select="i", select_range=(len(m) - 1, len(m) - 1)
    )
    shape = shapes[:, 0] / root
    omega = float(np.sqrt(squares[0]))
    ratio = float(c @ np.diff(shape, prepend=0.0) ** 2) / (2 * omega)
    return stable_step(omega, ratio, _AHEAD)


def _from_ground(x: Array) -> Array:
    return np.concatenate([[0.0], x])
