"""The load of a run by channels, computed from its problem and scheme when asked for; and whether the mesh of a body
and the step can carry the waves that it sends out."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hamex.checks import check_memory
from hamex.errors import CoarseWarning, ProblemError
from hamex.model.algebra import static_stiffness
from hamex.model.record import Model
from hamex.motion.load import Load, LoadSum
from hamex.problem import Problem

Array = NDArray[Any]
_WHOLE = 1e-9  # a run that is shorter than its load by this share of it is as long
_STOPS = 0.1  # of its largest value: records end below it, and what ends above it was cut, or meant to stay
_LOOKED_AT = 4096  # samples at a time
_LOOKS = 64  # instants at which a load is looked at to see whether it stays


@dataclass(frozen=True, eq=False)
class Loading:
    """The load of a run by channels, so that a large model never stores steps × dofs numbers.

    Attributes
    ----------
    entered : the values that the march used, at nodes or one per step.
    means : (step, channel), the mean of each step as the scheme sees it.
    patterns : (dof, channel), forces on the dofs per unit of a channel.
    ground : (dof, channel), ground acceleration that the dofs ride on per unit of a channel; zeros for forces.
    moved : (node, spring), deformation that moving supports impose; None when all stand still.
    """

    entered: Array
    means: Array
    patterns: Array
    ground: Array
    moved: Array | None = None


class Reads(Protocol):
    """What is asked of a scheme: its step, and how it reads a load."""

    @property
    def step(self) -> float:
        """Length of a step [s]."""

    def loads(
        self, load: Any, steps: int, quiet: bool = True, *, histories: Mapping[str, Array] = ...
    ) -> tuple[Array, Array]:
        """The values that enter the march, and their mean in each step."""


def left_over(load: Load | LoadSum, time: float) -> float:
    """Seconds from ``time`` to the last sample of the load that is not zero; 0 where there is none later.

    >>> from hamex.motion.load import Load, LoadSum
    >>> left_over(Load([0.0, 1.0, 2.0, 0.0], step=0.5), 0.4), left_over(Load([1.0], step=0.5), 0.0)
    (0.6, 0.0)
    """
    latest = 0.0
    for part in load.parts if isinstance(load, LoadSum) else (load,):
        if callable(part.forces) or part.step is None or part.end <= time:
            continue
        last = _last_acting(part.forces)
        if last >= 0:
            latest = max(latest, last * part.step - sum(part.shifts))
    return latest - time if latest > time * (1 + _WHOLE) + _WHOLE else 0.0


def _last_acting(forces: Array) -> int:
    """The last sample that is not zero, or -1; sought from the end, where nearly all loads have it."""
    for end in range(len(forces), 0, -_LOOKED_AT):
        begin = max(end - _LOOKED_AT, 0)
        acting = np.flatnonzero(forces[begin:end].any(axis=1))
        if len(acting):
            return begin + int(acting[-1])
    return -1


def breaks_off(load: Load | LoadSum, duration: float) -> tuple[float, float] | None:
    """End of the samples that end before the run does [s], and what they end with as a share of their largest value.

    None where none ends with more than a tenth of it: records die down, a load that was to stay does not.

    >>> from hamex.motion.load import Load
    >>> breaks_off(Load([[-50.0]], step=1.0), 40.0), breaks_off(Load([0.0, 1.0, 0.0], step=1.0), 40.0)
    ((0.0, 1.0), None)
    """
    for part in load.parts if isinstance(load, LoadSum) else (load,):
        if callable(part.forces) or part.step is None or not 0 < part.end + part.step <= duration * (1 - _WHOLE):
            continue
        last, largest = np.abs(part.forces[-1]), np.abs(part.forces).max(axis=0)
        share = float(np.divide(last, largest, out=np.zeros_like(largest), where=largest > 0).max())
        if share > _STOPS:
            return max(part.end, 0.0), share
    return None


def standing(load: Load | LoadSum, time: float) -> Array | None:
    """Forces on the dofs that stay when ``time`` is over; None where the load still changes.

    It is looked at for as long again; records are followed by nothing.
    """
    if left_over(load, time):
        return None
    values = load.after(time).node_values(time / _LOOKS, _LOOKS, quiet=True)[1:]
    if np.any(values != values[0]):
        return None
    return np.asarray(values[0] if load.patterns is None else load.patterns @ values[0])


def loads_of(problem: Problem, scheme: Reads, histories: Mapping[str, Array], steps: int) -> Loading:
    """What a run of this problem with this scheme was loaded with, moving supports included."""
    entered, means = scheme.loads(problem.acting, steps, True, histories=histories)
    return moving_supports(problem, loading(problem, entered, means), scheme.step, steps)


def loads_between(problem: Problem, scheme: Reads, first: int, steps: int, quiet: bool) -> Loading:
    """The load of ``steps`` steps from the step ``first`` on; where a run is cut changes no bit of it."""
    late = (
        problem
        if first == 0
        else problem.replace(
            load=problem.load.after(first * scheme.step),
            supports=None if problem.supports is None else problem.supports.after(first * scheme.step),
        )
    )
    entered, means = scheme.loads(late.acting, steps, quiet)
    return moving_supports(late, loading(late, entered, means), scheme.step, steps)


def loading(problem: Problem, entered: Array, means: Array) -> Loading:
    """The load values that entered the march (at nodes or one per step) and their step means, by channel."""
    load = problem.acting
    if load.patterns is None:
        check_memory("Problem", load.width**2, f"a load on each of {load.width:,} dofs", "give patterns and channels")
    patterns = np.eye(load.width) if load.patterns is None else load.patterns
    ground = np.zeros_like(patterns) if load.ground is None else load.ground
    return Loading(entered, means, patterns, ground)


def moving_supports(problem: Problem, loads: Loading, h: float, steps: int) -> Loading:
    """The same load with what the supports impose: a deformation of the springs, and forces of C and K.

    Damping and the stiffness outside the springs act on the motion relative to r d, the slow motion of the dofs with
    the supports. For supports that move as one this is the relative motion that a base acceleration gives. In a body
    the stiffness outside the springs and the dashpots of absorbing boundaries act on the motion itself.
    """
    if problem.supports is None:
        return loads
    model = problem.model
    at_nodes = support_motion(problem.supports, h, steps)
    damped, bent = _relative(model)
    patterns = np.hstack([loads.patterns, damped, bent])
    means = np.hstack([loads.means, np.diff(at_nodes, axis=0) / h, 0.5 * (at_nodes[:-1] + at_nodes[1:])])
    ground = np.hstack([loads.ground, np.zeros((len(damped), 2 * damped.shape[1]))])
    return Loading(means, means, patterns, ground, np.asarray((model.supports.T @ at_nodes.T).T))


def _relative(model: Model) -> tuple[Array, Array]:
    """C r and K r, (dof, support) each: forces per velocity and per displacement of the supports."""
    c, body = model.damping, model.body
    matrix = c.matrix if body is None else c.matrix - body.outgoing
    if body is not None and not c.weights.size and not abs(matrix).sum():
        return (np.zeros((len(model.dofs), len(model.support_names))),) * 2
    slow = slow_motion(model)
    damped = matrix @ slow + c.shapes @ (c.weights[:, None] * (c.shapes.T @ slow))
    return damped, model.stiffness @ slow if body is None else np.zeros_like(damped)


def support_motion(supports: Load, h: float, steps: int) -> Array:
    """Displacements of the supports at the nodes, (node, support) [length]."""
    at_nodes = supports.node_values(h, steps, quiet=True)
    return at_nodes if supports.patterns is None else at_nodes @ supports.patterns.T


def base_motion(problem: Problem, h: float, steps: int) -> Array | None:
    """Mean displacement of the moving supports by direction, (node, direction) [length]; None when they stand still."""
    if problem.supports is None:
        return None
    model, d = problem.model, support_motion(problem.supports, h, steps)
    base = np.zeros((steps + 1, len(model.directions)))
    for column, direction in enumerate(model.directions):
        own = [
            i
            for i, name in enumerate(model.support_names)
            if name.endswith(f".{direction}") or len(model.directions) == 1
        ]
        if own:
            base[:, column] = d[:, own].mean(axis=1)
    return base


def slow_motion(model: Model) -> Array:
    """r, (dof, support): displacements when one support moves slowly, held by the springs that carry force at rest.

    K has no part in it: P-Delta acts on the motion relative to the supports, so that all moving as one give r = ι. In a
    body it is the stiffness of its elastic points.
    """
    from scipy import sparse
    from scipy.sparse.linalg import splu

    dofs, supports = len(model.dofs), len(model.support_names)
    ends = sparse.vstack([sparse.csr_array(model.compatibility), sparse.csr_array(model.supports)])
    outside = sparse.csr_array((dofs, dofs)) if model.body is None else sparse.csr_array(model.stiffness)
    outside = sparse.block_diag([outside, sparse.csr_array((supports, supports))], format="csr")
    whole = static_stiffness(outside, model.flexibility, ends, model.laws)
    pull = -whole[:dofs, dofs:].toarray()
    try:
        return np.asarray(splu(sparse.csc_array(whole[:dofs, :dofs])).solve(pull))
    except RuntimeError:
        raise ProblemError("Problem: the supports move, but no spring holds the structure to them") from None


_SHARE = 0.99  # of the power of a load: what is faster does not count
_NODES, _STEPS = 8.0, 8.0  # per wave length and per period, below which a wave arrives late by some per cent
_ALONG = 0.01  # of the forces of a pattern: a resultant with less pushes in no direction
_MOST = 1 << 16  # samples that are looked at


def pushed_in(problem: Problem) -> Array:
    """Directions of the ground in which a load shakes or pushes."""
    model, load = problem.model, problem.load
    patterns = np.eye(load.width) if load.patterns is None else load.patterns
    along, whole = np.abs(patterns.T @ model.influence), np.abs(patterns).sum(axis=0)
    return np.flatnonzero(np.any(along > _ALONG * whole[:, None], axis=0))


def warn_of_coarse_waves(problem: Problem, step: float) -> None:
    """Say how many nodes and steps the shortest wave of a load has, where they are too few.

    Of a load counts what lies below the frequency with 99 % of its power; a constant load has none.
    """
    body = problem.model.body
    if body is None:
        return
    frequency = fastest(problem.load, problem.duration, step)
    if frequency <= 0:
        return
    nodes, speed = body.nodes_per_wave(frequency)
    if nodes < _NODES:
        warnings.warn(
            f"solve: the mesh has {nodes:.2g} nodes per wave at {frequency:.3g} Hz, below which 99 % of the load's "
            f"power lies (shear waves of speed {speed:.4g}); with fewer than {_NODES:.0f} waves are slow and ragged: "
            "refine the mesh, take degree=2, or filter the load",
            CoarseWarning,
            stacklevel=4,
        )
    steps = 1 / (frequency * step)
    if steps < _STEPS:
        warnings.warn(
            f"solve: the step of {step:g} s makes {steps:.2g} steps of a period at {frequency:.3g} Hz, below which "
            f"99 % of the load's power lies; take {1 / (_STEPS * frequency):.2g} s or less",
            CoarseWarning,
            stacklevel=4,
        )


def fastest(load: Load | LoadSum, duration: float, step: float) -> float:
    """Frequency [Hz] below which 99 % of a load's power lies; 0 for loads that stay as they are.

    >>> wave = Load(lambda t: np.sin(2 * np.pi * 5.0 * t))
    >>> 4.9 < fastest(wave, 2.0, 0.001) < 5.6
    True
    >>> fastest(Load([2.0, 2.0], step=2.0), 2.0, 0.001)
    0.0
    """
    highest = 0.0
    for part in load.parts if isinstance(load, LoadSum) else (load,):
        between = min(step if part.step is None else part.step, duration / 2)  # not beyond the end of the run
        count = int(min(max(round(duration / between), 2), _MOST))
        values = part.node_values(between, count, quiet=True)
        # Less the line from its first to its last value: where a load does not come back, its end is no wave.
        swings = values - np.linspace(values[0], values[-1], len(values))
        power = np.cumsum((np.abs(np.fft.rfft(swings, axis=0)) ** 2).sum(axis=1))
        whole = 0.5 * len(values) * float((values**2).sum())  # Parseval, one side of the spectrum
        slower = power[-1] - (1 - _SHARE) * whole
        if slower > 0:
            highest = max(highest, int(np.searchsorted(power, slower)) / (len(values) * between))
    return highest
