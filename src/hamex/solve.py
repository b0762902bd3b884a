"""The one joint: a problem and a scheme go in, a solution comes out."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex import __version__
from hamex.checks import is_positive, whole_steps
from hamex.discretise.prepare import Scalars, exact_recurrence, linear_element, scalars
from hamex.discretise.schemes import Galerkin, Newmark, PiecewiseExact, Scheme
from hamex.errors import ConvergenceError, OverflowRunError, ProblemError
from hamex.march.linear import recurrence
from hamex.march.newmark import newmark
from hamex.march.oscillator import galerkin
from hamex.march.run import march
from hamex.model.record import Model
from hamex.motion.load import Load
from hamex.solution.energy import System
from hamex.solution.error import estimate
from hamex.solution.solution import Solution
from hamex.solution.state import State

__all__ = ["Problem", "State", "solve"]

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Problem:
    """Model, load, start and duration; the clock starts at 0.

    Parameters
    ----------
    model : what is shaken.
    load : what shakes it.
    duration : length of the history [s], a whole number of solver steps.
    start : state at t = 0; at rest by default.
    prior_impulse : impulse of the load before t = 0, eq. (55), one per degree of freedom [force·time]. With eq. (54)
        it fixes the constant in the springs' impulse J and nothing else.

    Examples
    --------
    >>> from hamex import oscillator, sine
    >>> problem = Problem(oscillator(mass=1, stiffness=225), sine(0.2, omega=15), duration=40.0)
    >>> problem.replace(duration=60.0).duration
    60.0
    """

    model: Model
    load: Load
    duration: float
    start: State = field(default_factory=State)
    prior_impulse: float | Array = 0.0

    def __post_init__(self) -> None:
        for name, kind in (("model", Model), ("load", Load), ("start", State)):
            given = getattr(self, name)
            if not isinstance(given, kind):
                raise ProblemError(f"Problem: {name} must be a {kind.__name__}, got {type(given).__name__}")
        if not is_positive(self.duration):
            raise ProblemError(f"Problem: duration must be a positive number of seconds, got {self.duration!r}")
        dofs = len(self.model.dofs)
        loaded = self.load.channels if self.load.patterns is None else len(self.load.patterns)
        if loaded != dofs:
            raise ProblemError(f"Problem: the load acts on {loaded} degrees of freedom, the model has {dofs}")
        object.__setattr__(self, "prior_impulse", _impulse(self.prior_impulse, dofs))
        object.__setattr__(self, "start", self.start.filled(dofs, len(self.model.springs)))
        if np.any((self.start.internal["back_force"] != 0) & (self.model.laws["slider"].kinematic == 0)):
            raise ProblemError("Problem: a spring without kinematic hardening cannot start with a back_force")

    def replace(self, **changes: Any) -> Problem:
        """A copy with changes."""
        return dataclasses.replace(self, **changes)

    def steps(self, step: float) -> int:
        """Number of steps of this length; refuses a duration that is not a whole number of them."""
        return whole_steps("Problem", self.duration, step)


def _impulse(given: object, dofs: int) -> Array:
    try:
        impulse = np.broadcast_to(np.asarray(given, dtype=float), (dofs,))
    except (TypeError, ValueError):
        impulse = np.array([np.nan])
    if not np.all(np.isfinite(impulse)):
        raise ProblemError(f"Problem: prior_impulse must be finite, one number or one per dof; got {given!r}")
    return impulse


def solve(problem: Problem, scheme: Scheme, error: bool = False) -> Solution:
    """March a problem through its duration.

    Parameters
    ----------
    problem : model, load, start and duration.
    scheme : :class:`Galerkin`, :class:`Newmark` or :class:`PiecewiseExact`, with its step.
    error : also run with a half and a quarter of the step and put error bars on the peaks and the residual slip.

    Examples
    --------
    >>> import hamex as hx
    >>> model = hx.oscillator(mass=1, stiffness=225, damping=1.5, law=hx.Slider(yield_force=0.27, viscosity=1.5))
    >>> load = hx.el_centro().scaled(2).on(model, g=1.0)   # the paper uses the record as a bare number
    >>> sol = hx.solve(hx.Problem(model, load, duration=40.0), hx.Galerkin(step=0.02, load="end"))
    >>> f"{1000 * sol.values('slip')[-1, 0]:.4f}"          # Table 2
    '-5.1638'
    """
    solution = _run(problem, scheme)
    if error:
        finer = (_run(problem, dataclasses.replace(scheme, step=scheme.step / parts), quiet=True) for parts in (2, 4))
        solution = dataclasses.replace(solution, error=estimate(solution, *finer))
    return solution


def _run(problem: Problem, scheme: Scheme, quiet: bool = False) -> Solution:
    """One march; ``quiet`` runs do not repeat the warning about a step longer than the record's."""
    if isinstance(scheme, Galerkin):
        return _galerkin(problem, scheme, quiet)
    if isinstance(scheme, Newmark):
        return _newmark(problem, scheme, quiet)
    if isinstance(scheme, PiecewiseExact):
        return _exact(problem, scheme, quiet)
    raise ProblemError(f"solve: the scheme must be Galerkin, Newmark or PiecewiseExact, got {scheme!r}")


def _galerkin(problem: Problem, scheme: Galerkin, quiet: bool) -> Solution:
    x, steps = scalars(problem.model), problem.steps(scheme.step)
    element = linear_element(x, scheme)
    load = _on_dofs(problem, problem.load.step_values(scheme.step, steps, scheme.load, quiet))
    nodes = _Nodes(problem.start, x, steps)
    force = np.empty(steps)
    inputs = (load[:, 0], *dataclasses.astuple(element), x.yield_force, x.kinematic, x.isotropic, nodes.stride)
    march(galerkin, inputs, (*nodes.arrays, force), steps)
    return _solution(problem, scheme, x, nodes, load, load, {"force": force[:, None]})


def _newmark(problem: Problem, scheme: Newmark, quiet: bool) -> Solution:
    x, steps = scalars(problem.model), problem.steps(scheme.step)
    at_nodes = _on_dofs(problem, problem.load.node_values(scheme.step, steps, quiet))
    nodes = _Nodes(problem.start, x, steps)
    start = problem.start.internal
    carried = np.array([_start_acceleration(problem, x, at_nodes), 1 / x.a])
    if "acceleration" in start and "tangent" in start:
        carried = np.array([start["acceleration"][0], start["tangent"][0]])
    iterations, worst = np.zeros(steps, dtype=np.int64), np.zeros(1)
    inputs = (at_nodes[:, 0], scheme.step, x.m, x.c, x.K, x.b, 1 / x.a, scheme.beta, scheme.gamma, scheme.tolerance,
              scheme.max_iterations, x.yield_force, x.viscosity, x.kinematic, x.isotropic, nodes.stride)
    failed = march(newmark, inputs, (*nodes.arrays, carried, iterations, worst), steps)
    if failed:
        raise ConvergenceError(
            f"Newmark: step {failed} (t = {failed * scheme.step:g} s) did not converge in {scheme.max_iterations} "
            f"iterations: last increment {worst[0]:.3g}, tolerance {scheme.tolerance:g}. Take a shorter step, more "
            "iterations, or Galerkin, which needs none")
    node_force = (x.b * nodes.u - nodes.s) / x.a
    force = 0.5 * (node_force[:-1] + node_force[1:])
    load = 0.5 * (at_nodes[:-1] + at_nodes[1:])
    extra = {"force": force[:, None], "iterations": iterations}
    return _solution(problem, scheme, x, nodes, at_nodes, load, extra,
                     {"acceleration": carried[:1], "tangent": carried[1:]})


def _exact(problem: Problem, scheme: PiecewiseExact, quiet: bool) -> Solution:
    x, steps = scalars(problem.model), problem.steps(scheme.step)
    coefficients = exact_recurrence(x, scheme.step)
    at_nodes = _on_dofs(problem, problem.load.node_values(scheme.step, steps, quiet))
    nodes = _Nodes(problem.start, x, steps)
    # A given slip only moves the spring's origin; the recurrence works from there.
    origin = x.b / x.a * nodes.s[0]
    march(recurrence, (at_nodes[:, 0] + origin, *coefficients), (nodes.u, nodes.p), steps)
    nodes.s[:] = nodes.s[0]
    load = 0.5 * (at_nodes[:-1] + at_nodes[1:])
    # Momentum balance of the step gives the mean of all restoring forces; stiffness shares it out.
    resisting = load[:, 0] - (x.c * np.diff(nodes.u) + np.diff(nodes.p)) / scheme.step
    mean = (resisting + origin) / (x.b**2 / x.a + x.K)
    extra = {"force": ((x.b * mean - nodes.s[0]) / x.a)[:, None], "mean_displacement": mean[:, None]}
    return _solution(problem, scheme, x, nodes, at_nodes, load, extra)


class _Nodes:
    """Node arrays of one oscillator with the start in entry 0; X and w in full only where a spring hardens."""

    def __init__(self, start: State, x: Scalars, steps: int) -> None:
        self.stride = int(x.hardens)
        self.u, self.p, self.s = (np.empty(steps + 1) for _ in range(3))
        self.X, self.w = (np.empty(steps * self.stride + 1) for _ in range(2))
        first = (start.displacement, start.momentum, start.slip, start.internal["back_force"],
                 start.internal["accumulated_slip"])
        for array, value in zip(self.arrays, first, strict=True):
            assert value is not None
            array[0] = value[0]

    @property
    def arrays(self) -> tuple[Array, ...]:
        return self.u, self.p, self.s, self.X, self.w


def _on_dofs(problem: Problem, channels: Array) -> Array:
    return channels if problem.load.patterns is None else channels @ problem.load.patterns.T


def _start_acceleration(problem: Problem, x: Scalars, at_nodes: Array) -> float:
    u, p, s = problem.start.displacement, problem.start.momentum, problem.start.slip
    assert u is not None
    assert p is not None
    assert s is not None
    spring = x.b * (x.b * u[0] - s[0]) / x.a
    return float((at_nodes[0, 0] - x.c * p[0] / x.m - x.K * u[0] - spring) / x.m)


def _solution(problem: Problem, scheme: Scheme, x: Scalars, nodes: _Nodes, entered: Array, load: Array,
              extra: Mapping[str, Array], carried: Mapping[str, Array] | None = None) -> Solution:
    """Gather what the march left; ``entered`` are the load values it used, ``load`` their step means."""
    model = problem.model
    if not np.all(np.isfinite([nodes.u[-1], nodes.p[-1]])):
        raise OverflowRunError(f"{type(scheme).__name__}: the numbers are not finite at the end of the run; the scheme "
                               "is not stable at this step, or loads and units are out of proportion")
    histories: dict[str, NDArray[Any]] = {
        "displacement": nodes.u[:, None], "momentum": nodes.p[:, None], "slip": nodes.s[:, None], "load": load, **extra}
    if x.hardens:
        histories |= {"back_force": nodes.X[:, None], "accumulated_slip": nodes.w[:, None]}
    for array in histories.values():
        array.flags.writeable = False
    internal = {"back_force": nodes.X[-1:].copy(), "accumulated_slip": nodes.w[-1:].copy(), **(carried or {}),
                "start_impulse": _start_impulse(problem, x)}
    law = model.laws["slider"]
    system = System(model.mass, model.damping.dense(), model.stiffness, model.flexibility, model.compatibility,
                    law.yield_force, law.viscosity, law.kinematic, law.isotropic)
    return Solution(histories, scheme.step, model.dofs, model.springs, model.units, system, internal,
                    lambda: _provenance(problem, scheme, entered))


def _start_impulse(problem: Problem, x: Scalars) -> Array:
    """Impulse of the spring at the start: as given, or from p + c u + b J = Î, eq. (54)."""
    start = problem.start
    if "impulse" in start.internal:
        return start.internal["impulse"]
    assert start.displacement is not None
    assert start.momentum is not None
    return np.asarray((problem.prior_impulse - start.momentum - x.c * start.displacement) / x.b)


def _provenance(problem: Problem, scheme: Scheme, entered: Array) -> dict[str, str]:
    """What a reader needs to repeat the run. The hash covers every number that enters it, under its name."""
    model, start = problem.model, problem.start
    law = model.laws["slider"]
    numbers = {"M": model.mass, "C": model.damping.dense(), "K": model.stiffness, "A": model.flexibility,
               "B": model.compatibility, "yield_force": law.yield_force, "viscosity": law.viscosity,
               "kinematic": law.kinematic, "isotropic": law.isotropic, "duration": problem.duration, "load": entered,
               "prior_impulse": problem.prior_impulse, "displacement": start.displacement, "momentum": start.momentum,
               "slip": start.slip, **start.internal}
    digest = hashlib.sha256(repr(scheme).encode())
    for name in sorted(numbers):
        array = np.ascontiguousarray(numbers[name], dtype=float)
        digest.update(f"{name}{array.shape}".encode() + array.tobytes())
    return {"hamex": __version__, "scheme": repr(scheme), "problem": digest.hexdigest()}
