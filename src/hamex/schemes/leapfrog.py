"""Explicit leap-frog, which never iterates: for storeys in a row here, for the rest in :mod:`hamex.schemes.lumped`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import OverflowRunError, SchemeError
from hamex.march.leapfrog import Frame, LeapFrogHistory, leapfrog
from hamex.march.run import Kernel, compiled, worth_compiling
from hamex.model.record import Model, dense, per_spring
from hamex.problem import Problem
from hamex.problem.loads import loads_between
from hamex.schemes.linear import LinearMap, alpha_map
from hamex.schemes.lumped import AHEAD, LumpedMarch, check_lumped, longest_step
from hamex.schemes.prepare import is_oscillator
from hamex.schemes.scheme import How, March, Ran, Scheme, check_step
from hamex.schemes.shear_frame import is_shear_frame
from hamex.schemes.stable import longest

Array = NDArray[Any]
_WORK_PER_STOREY = 6  # a storey's step in units of an oscillator's, for the choice to compile


@dataclass(frozen=True)
class LeapFrog(Scheme):
    """Explicit leap-frog with the springs returned to their limit at the nodes: for waves in solids, and short steps.

    For any model with lumped masses: one positive mass per dof, nothing off the diagonal. Nothing is solved, so a step
    costs least of all, but it is stable only up to a step that the highest frequency sets (the time that a wave takes
    through the smallest element, about); longer ones are refused, and ``longest_step`` tells it. Dashpots between nodes
    shorten it, those of one node alone (absorbing boundaries) do not. Velocities stand between the nodes: its state
    carries the last one and the forces. No energy balance is claimed: without damping and yielding
    ``½ v½ᵀ M v½ + ½ uₙᵀ K uₙ₊₁`` is kept to rounding, and ``sol.residual`` tells how far the energies at the nodes are
    from a balance, of second order in the step.

    Parameters
    ----------
    step : h > 0 [s], up to the stable one.

    Examples
    --------
    >>> import hamex as hx
    >>> rod = hx.rod(length=1.0, elements=10, modulus=4.0, density=1.0, mass="lumped", absorbing="end")
    >>> f"{LeapFrog(step=0.04).longest_step(rod):.4f}"    # an element is 0.1 long, a wave goes 2 in a second
    '0.0502'
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
        storeys = _storeys(model)
        return longest_step(model) if storeys is None else _stable(*storeys)

    def prepare(self, problem: Problem, how: How) -> March:
        """One pass over the storeys of a shear frame under one load history, the march for any structure else."""
        if problem.supports is not None:
            raise SchemeError("LeapFrog: moving supports are available with Galerkin(degree=1) only")
        storeys = _storeys(problem.model)
        if storeys is not None and problem.acting.channels == 1:
            return LeapFrogMarch(problem, self, how, storeys)
        return LumpedMarch(problem, self, how, together=storeys is not None)


class LeapFrogMarch:
    """Steps of a shear frame; refuses a step beyond the stable one and names it."""

    def __init__(self, problem: Problem, scheme: LeapFrog, how: How, storeys: tuple[Array, Array, Array]) -> None:
        self.problem, self.scheme, self.how = problem, scheme, how
        k, c, m = storeys
        limit = _stable(k, c, m)
        if scheme.step > limit:
            raise SchemeError(
                f"LeapFrog: the step {scheme.step:g} s is beyond the stable step {limit:.6g} s of this frame"
            )
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
                AHEAD,
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


def _storeys(model: Model) -> tuple[Array, Array, Array] | None:
    """Stiffness and dashpot of every storey, and the masses; None for all but sliders and dashpots of storeys."""
    check_lumped(model)
    if model.damping.weights.size or not (is_shear_frame(model) or _is_storey(model)):
        return None
    from scipy.sparse import csr_array

    C, K = csr_array(model.damping.matrix), csr_array(model.stiffness)
    c = -np.concatenate([[0.0], C.diagonal(-1)])
    main = C.diagonal()
    c[0] = main[0] - (c[1] if len(c) > 1 else 0.0)
    rebuilt = c + np.append(c[1:], 0.0)
    if np.any(K.data != 0) or np.abs(rebuilt - main).max() > 1e-9 * np.abs(main).max():
        return None
    return 1 / csr_array(model.flexibility).diagonal(), c, csr_array(model.mass).diagonal()


def _is_storey(model: Model) -> bool:
    """True for an oscillator whose spring is stretched by its displacement as it is."""
    return is_oscillator(model) and float(dense(model.compatibility)[0, 0]) == 1.0


def _stable(k: Array, c: Array, m: Array) -> float:
    """Stable step of storeys in a row, whatever their dashpots."""
    from scipy.linalg import eigh_tridiagonal

    root, last, seen = np.sqrt(m), len(m) - 1, 1.0 + 2.0 * AHEAD

    def highest(stiff: Array) -> float:
        above = np.append(stiff[1:], 0.0)
        side = -stiff[1:] / (root[1:] * root[:-1])
        return float(eigh_tridiagonal((stiff + above) / m, side, True, "i", (last, last))[0])

    return longest(lambda s: highest(k + seen * s * c), seen * highest(c) if c.any() else 0.0)


def _from_ground(x: Array) -> Array:
    return np.concatenate([[0.0], x])
