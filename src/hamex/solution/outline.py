"""What a solution is to the functions that compute its results, the small records they exchange, and the one schema of
results: name → dimensions, unit, meaning.

``time`` are the nodes 0 … n, ``interval`` the n steps between them: mixing them is a half-step error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from hamex.problem import Limit, Problem, State
from hamex.problem.loads import Loading

if TYPE_CHECKING:
    import xarray as xr

    from hamex.model.laws.law import Split
    from hamex.model.layout import Layout
    from hamex.model.record import Model
    from hamex.schemes import Scheme
    from hamex.schemes.stages import StageHistory


class Variable(NamedTuple):
    """Where a result lives, the kind of its unit, and what it is."""

    dims: tuple[str, ...]
    kind: str
    meaning: str


VARIABLES: dict[str, Variable] = {
    "displacement": Variable(("time", "dof"), "length", "displacement u relative to the ground"),
    "momentum": Variable(("time", "dof"), "momentum", "momentum p = M u̇"),
    "velocity": Variable(("time", "dof"), "velocity", "velocity M⁻¹p"),
    "acceleration": Variable(("interval", "dof"), "acceleration", "mean acceleration of the step, Δu̇/h, relative"),
    "absolute_acceleration": Variable(("interval", "dof"), "acceleration", "acceleration plus that of the ground"),
    "deformation": Variable(("time", "spring"), "length", "deformation Bᵀu of the spring with its slider"),
    "slip": Variable(("time", "spring"), "length", "slip u₁ of the slider"),
    "node_force": Variable(("time", "spring"), "force", "spring force at the nodes, (Bᵀu − u₁)/a"),
    "impulse": Variable(("time", "spring"), "momentum", "impulse J of the spring force, eq. (54) at the start"),
    "back_force": Variable(("time", "spring"), "force", "back force X of kinematic hardening"),
    "accumulated_slip": Variable(("time", "spring"), "length", "accumulated slip ∫|u̇₁|dt"),
    "force": Variable(("interval", "spring"), "force", "mean spring force of the step, ΔJ/h, eq. (89)"),
    "mean_displacement": Variable(("interval", "dof"), "length", "mean displacement of the step, eq. (88)"),
    "load": Variable(("interval", "dof"), "force", "load f* of the step"),
    "damping_force": Variable(("interval", "dof"), "force", "viscous damping force of the step, C Δu/h"),
    "damping_peak": Variable(("dof",), "force", "largest damping force on the dof"),
    "spring_peak": Variable(("dof",), "force", "largest sum of the sizes of all spring forces on the dof"),
    "yield_deformation": Variable(("spring",), "length", "deformation at first yield, Fy a; NaN where not defined"),
    "ductility": Variable(("spring",), "one", "peak deformation over yield deformation; NaN where not defined"),
    "base_shear": Variable(("interval", "direction"), "force", "sum of the spring forces on all dofs, ιᵀBF"),
    "base_damping": Variable(("interval", "direction"), "force", "sum of the damping forces on all dofs"),
    "storey_drift": Variable(("time", "storey"), "length", "displacement of a level relative to the one below"),
    "drift_ratio": Variable(("time", "storey"), "one", "storey drift over storey height"),
    "storey_shear": Variable(("interval", "storey"), "force", "spring forces on everything above the storey's base"),
    "storey_damping": Variable(("interval", "storey"), "force", "damping forces on everything above that base"),
    "overturning_moment": Variable(
        ("interval", "storey"), "moment", "Σ storey shear × height of the storey and those above: moment at its base"
    ),
    "residual_drift": Variable(("storey",), "length", "storey drift at the end of the run"),
    "hinge_rotation": Variable(("time", "hinge"), "angle", "plastic rotation of a hinge, the slip of its moment"),
    "hinge_moment": Variable(("interval", "hinge"), "moment", "mean moment of a hinge in the step"),
    "plastic_by_group": Variable(("time", "group"), "energy", "energy dissipated by slip in a group of springs"),
    "viscous_by_group": Variable(("time", "group"), "energy", "energy dissipated by the dampers of a group"),
    "hardening_by_group": Variable(("time", "group"), "energy", "energy stored by hardening in a group"),
    "stored_by_group": Variable(("time", "group"), "energy", "elastic energy ½eᵀA⁻¹e of a group"),
    "load_factor": Variable(("time",), "one", "factor of the load pattern in slow loading"),
    "iterations": Variable(("interval",), "count", "Newton iterations spent in the step"),
    "pieces": Variable(("interval",), "count", "equal pieces into which the step was cut"),
    "cuts": Variable(("interval",), "count", "how often the step or a part of it was cut in two"),
    "friction": Variable(("interval", "dof"), "force", "mean force of dry friction on a field of a simulated action"),
    "reaction": Variable(
        ("interval", "dof"), "force", "mean force of the constraints on a field of a simulated action"
    ),
    "constraint": Variable(("time",), "one", "largest value of the constraints on places of a simulated action"),
    "constraint_rate": Variable(("time",), "one", "largest rate A q̇ + b of the constraints of a simulated action"),
    "events": Variable(("interval",), "count", "changes of branch, or breaks of springs, located inside the step"),
    "joint_work": Variable(("interval",), "energy", "work of what brings joints without mass back into balance"),
    "event_work": Variable(("interval", "spring"), "energy", "work of a spring in a step that was cut at breaks"),
    "event_damping": Variable(("interval",), "energy", "work of the dashpots in a step that was cut at breaks"),
    "solves": Variable(("interval",), "count", "linear solves spent in the step"),
    "cg_iterations": Variable(("interval",), "count", "iterations of conjugate gradients in the step"),
    "cg_residual": Variable(("interval",), "one", "largest residual that they left, over the right side"),
    "searches": Variable(("interval",), "count", "points looked at by line searches in the step"),
    "kinetic": Variable(("time",), "energy", "kinetic energy ½pᵀM⁻¹p"),
    "stored": Variable(("time",), "energy", "elastic energy ½uᵀKu + ½eᵀA⁻¹e"),
    "viscous": Variable(("time",), "energy", "energy dissipated by dashpots and dampers, cumulative"),
    "plastic": Variable(("time",), "energy", "energy dissipated by slip, cumulative, never negative"),
    "hardening": Variable(("time",), "energy", "energy stored by hardening, X²/2Hk + Hi w²/2"),
    "jumps": Variable(
        ("time",),
        "energy",
        "energy lost at jumps of discontinuous elements, and to bring joints without mass into balance",
    ),
    "input": Variable(("time",), "energy", "work of the load on the displacements, cumulative"),
    "hamiltonian": Variable(("time",), "energy", "Hamiltonian ΣP_q q̇ − L of a simulated action"),
    "charge": Variable(
        ("time", "symmetry"), "one", "charge of a symmetry of a simulated action, in the action's units"
    ),
    "charge_drift": Variable(
        ("time", "symmetry"), "one", "charge found minus charge at the start and what its source gave"
    ),
    "imbalance": Variable(("time",), "energy", "energy found minus energy put in: checks arithmetic, not accuracy"),
    "residual": Variable((), "one", "largest imbalance relative to the largest work"),
}


def variable(name: str) -> Variable:
    """Where a result lives; what the schema does not know is a state variable of a law."""
    return VARIABLES.get(name) or Variable(("time", "spring"), "one", f"{name.replace('_', ' ')}, a state of the law")


# What comes from the forces or the load of a step; in slow loading all of it belongs to the step's end.
OF_FORCES = (
    "force",
    "load",
    "impulse",
    "spring_peak",
    "base_shear",
    "storey_shear",
    "overturning_moment",
    "hinge_moment",
)
# What slow loading has not.
MOVING = {
    *("momentum", "velocity", "acceleration", "absolute_acceleration", "impulse", "kinetic"),
    *("damping_force", "base_damping", "storey_damping"),
}
ENERGIES = ("kinetic", "stored", "viscous", "plastic", "hardening", "jumps", "input", "imbalance", "residual")


# Rotations stand among the dofs and moments among the springs; what they are measured in, beside the rest.
TURNING = {
    "length": "angle",
    "velocity": "angular_velocity",
    "acceleration": "angular_acceleration",
    "force": "moment",
    "momentum": "angular_momentum",
}
# The springs of a body are strains and stresses times the volume of a point.
AT_POINTS = {"length": "one", "force": "moment", "momentum": "angular_momentum"}


def unit(kind: str, length: str, force: str) -> str:
    """Unit of a kind, written with the model's length and force."""
    return {
        "length": length,
        "force": force,
        "momentum": f"{force} s",
        "velocity": f"{length}/s",
        "acceleration": f"{length}/s²",
        "moment": f"{force} {length}",
        "angle": "rad",
        "angular_velocity": "rad/s",
        "angular_acceleration": "rad/s²",
        "angular_momentum": f"{force} {length} s",
        "energy": f"{force} {length}",
        "stress": f"{force}/{length}²",
        "time": "s",
        "count": "1",
        "one": "1",
    }[kind]


Array = NDArray[Any]


class UnitNames(Protocol):
    """Names of the units of length and force."""

    @property
    def length(self) -> str: ...

    @property
    def force(self) -> str: ...


@dataclass(frozen=True)
class Peak:
    """Largest absolute value of a result over all its components, when and where it occurs.

    ``error`` is half the width of the error bar, None when no estimate was asked for. ``residual_slip`` and
    ``residual_drift`` are the signed values at the end, where they are largest; ``ductility`` is the largest
    deformation of a spring relative to its deformation at first yield. Rotations and moments do not compete with
    displacements and forces. ``slow`` peaks are those of slow loading, whose ``time`` counts increments.
    """

    value: float
    time: float
    where: str
    unit: str
    error: float | None = None
    slow: bool = False

    def __str__(self) -> str:
        bar = "" if self.error is None else f" ± {self.error:.2g}"
        when = f"increment {self.time:g}" if self.slow else f"t = {self.time:g} s"
        return f"{self.value:.6g}{bar} {self.unit}, {self.where}, {when}"


@dataclass(frozen=True)
class Exceedance:
    """The first passing of a limit: what, where, the first node beyond it [s], and the limit.

    ``crossing`` is when it was passed [s], by a line between this node and the one before; None in older files.
    """

    quantity: str
    where: str
    time: float
    limit: float
    crossing: float | None = None

    def __str__(self) -> str:
        inside = "" if self.crossing in (None, self.time) else f" (crossed at {self.crossing:.5g} s)"
        return f"{self.where} passed {self.quantity.replace('_', ' ')} {self.limit:g} at t = {self.time:g} s{inside}"


@dataclass(frozen=True, eq=False)
class Collapse:
    """Sidesway: from an instant to the end of the run drifts only grow, driven by the structure's own forces, and the
    stiffness along the motion stays negative.

    Attributes
    ----------
    time : that instant [s]: no load is needed any more.
    where : storey that goes down, or dof where there are no storeys.
    drift : of it at that instant [length].
    mode : (dof,), shape of the motion at the end, its largest entry 1: along it the stiffness is negative.
    """

    time: float
    where: str
    drift: float
    mode: Array

    def __str__(self) -> str:
        return f"{self.where} goes down sideways from t = {self.time:g} s on"


@dataclass(frozen=True, eq=False)
class Extent:
    """Which steps of a run a solution tells of.

    Attributes
    ----------
    first : step at which it begins; a run is told in parts where histories are thinned.
    every : steps between two nodes.
    spent : energies lost and given before ``first``, by name.
    steps : of the whole run; None where all of them are there.
    peaks, final, exceeded : of all steps, where not all of them are there.
    promise : how one solution per step was promised, see :func:`hamex.solve`.
    uncertain : instant from which a step's solution may be one of several [s]; None where one was promised or found.
    stopped : the run was stopped before its end.
    settled : whether the motion died down, where the run was to go on until it did.
    solver : what solved the linear systems of its steps, where that is a choice: empty for what is small.
    """

    first: int = 0
    every: int = 1
    spent: Mapping[str, float] = field(default_factory=dict)
    steps: int | None = None
    peaks: Mapping[str, Peak] | None = None
    final: State | None = None
    exceeded: Exceedance | None = None
    promise: str = "beforehand"
    uncertain: float | None = None
    stopped: bool = False
    settled: bool | None = None
    solver: str = ""


class Promises(NamedTuple):
    """What was promised of a run, and whether it held, in words.

    Attributes
    ----------
    one_solution : of every step: known beforehand, or watched (``promise="reported"``) and until when.
    contraction : whether two motions under one load never part: claimed where it is proved, for sliders of any kind and
        no negative stiffness in the element of one stage.
    balance : whether the energy balance closes to rounding.
    """

    one_solution: str
    contraction: str
    balance: str

    def __str__(self) -> str:
        return "; ".join(f"{name.replace('_', ' ')} {words}" for name, words in self._asdict().items())


@dataclass(frozen=True, eq=False)
class Driven:
    """Motion of the supports at the nodes that were kept.

    Attributes
    ----------
    displacement : (node, support) [length].
    velocity : (node, support), central differences of the displacement at all nodes [length/time].
    acceleration : (node less the first, support), mean of the step that ends at the node [length/time²].
    """

    displacement: Array
    velocity: Array
    acceleration: Array

    @classmethod
    def of(cls, motion: Array, step: float, every: int, count: int) -> Driven:
        """From displacements at all nodes (node, support): at ``count`` nodes, one of ``every``."""
        rate = np.gradient(motion, step, axis=0, edge_order=2 if len(motion) > 2 else 1)
        rows = np.arange(count) * every
        return cls(motion[rows], rate[rows], (np.diff(rate, axis=0) / step)[rows[1:] - 1])

    def at(self, what: str) -> Array:
        """(instant, support): displacement, velocity or acceleration, absolute or not: supports ride on nothing."""
        found: Array = getattr(self, what.removeprefix("absolute_"))
        return found


class Answers(Protocol):
    """What is asked of a solution: see the properties of the same names in :class:`hamex.Solution`."""

    @property
    def source(self) -> Any: ...

    @property
    def histories(self) -> Mapping[str, Array]: ...

    @property
    def peaks(self) -> Mapping[str, Peak]: ...

    @property
    def residual(self) -> float: ...

    @property
    def message(self) -> str: ...

    @property
    def internal(self) -> Mapping[str, Array]: ...

    @property
    def inside(self) -> StageHistory | None: ...

    @property
    def extent(self) -> Extent: ...

    @property
    def limit(self) -> Limit: ...

    @property
    def error(self) -> Mapping[str, float]: ...

    @property
    def problem(self) -> Problem: ...

    @property
    def scheme(self) -> Scheme: ...

    @property
    def model(self) -> Model: ...

    @property
    def layout(self) -> Layout: ...

    @property
    def dofs(self) -> tuple[str, ...]: ...

    @property
    def springs(self) -> tuple[str, ...]: ...

    @property
    def units(self) -> UnitNames: ...

    @property
    def step(self) -> float: ...

    @property
    def loading(self) -> Loading: ...

    @property
    def base(self) -> Array | None: ...

    @property
    def driven(self) -> Driven | None: ...

    @property
    def steps(self) -> int: ...

    @property
    def all_steps(self) -> int: ...

    @property
    def is_thinned(self) -> bool: ...

    @property
    def at_ends(self) -> bool: ...

    @property
    def times(self) -> Array: ...

    @property
    def middles(self) -> Array: ...

    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def split(self) -> Split: ...

    @property
    def exceeded(self) -> Exceedance | None: ...

    @property
    def dataset(self) -> xr.Dataset: ...

    @property
    def final(self) -> State: ...

    @property
    def status(self) -> Enum: ...

    @property
    def provenance(self) -> Mapping[str, str]: ...

    def values(self, name: str) -> Array: ...

    def labelled(self, names: Sequence[str]) -> xr.Dataset: ...

    def labels(self, dim: str) -> tuple[str, ...]: ...

    def error_of(self, name: str) -> float | None: ...
