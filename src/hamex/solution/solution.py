"""Solution: what happened, as labelled histories, balance, peaks and the state to go on from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hamex.errors import InputError
from hamex.solution.energy import balance
from hamex.solution.peaks import Peak, peaks
from hamex.solution.schema import ENERGIES, VARIABLES, unit
from hamex.solution.state import State
from hamex.solution.system import System

if TYPE_CHECKING:
    import xarray as xr

Array = NDArray[Any]


class Status(Enum):
    """How a run ended; the value is the message."""

    FINISHED = "every step solved"


class UnitNames(Protocol):
    """Names of the units of length and force."""

    @property
    def length(self) -> str:
        """Unit of length."""

    @property
    def force(self) -> str:
        """Unit of force."""


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


@dataclass(frozen=True, eq=False)
class Solution:
    """Result of :func:`hamex.solve`.

    ``sol["displacement"]`` is a labelled array with dims (time, dof), ``sol.values("displacement")`` the same as
    plain NumPy; ``hamex.solution.schema`` lists every name. Nothing is ever squeezed.

    Attributes
    ----------
    step : length of a step [s].
    dofs, springs : names of the components.
    units : names of the units of length and force.
    status : how the run ended.
    error : estimated error of each peak and of the residual slip, by name; empty when not asked for.
    """

    histories: Mapping[str, Array]
    step: float
    dofs: tuple[str, ...]
    springs: tuple[str, ...]
    units: UnitNames
    system: System | None
    internal: Mapping[str, Array]
    describe: Callable[[], dict[str, str]]
    status: Status = Status.FINISHED
    error: Mapping[str, float] = field(default_factory=dict)
    loading: Loading | None = None
    _cache: dict[str, Array] = field(default_factory=dict, repr=False)

    def __repr__(self) -> str:
        peak = self.peaks["displacement"]
        return (f"<Solution: {self.steps} steps of {self.step:g} s, peak displacement {peak.value:.6g} {peak.unit}, "
                f"energy residual {self.residual:.1e}, {self.status.value}>")

    @property
    def steps(self) -> int:
        """Number of steps."""
        return len(self.histories["displacement"]) - 1

    @cached_property
    def times(self) -> Array:
        """Node times [s]: multiples of the step, never accumulated sums."""
        return np.arange(self.steps + 1) * self.step

    @cached_property
    def middles(self) -> Array:
        """Middles of the steps [s]."""
        return (np.arange(self.steps) + 0.5) * self.step

    def values(self, name: str) -> Array:
        """A result as a plain array, (nodes or steps, components)."""
        if name in self.histories:
            return self.histories[name]
        if name not in self._cache:
            self._derive(name)
            for array in self._cache.values():
                array.flags.writeable = False   # handing out must not mean changing
        return self._cache[name]

    def _derive(self, name: str) -> None:
        u, slip = self.histories["displacement"], self.histories["slip"]
        if self.system is None or name not in _DERIVED:
            raise InputError(f"the solution holds no {name!r}; it has {', '.join(self.names)}")
        assert self.loading is not None
        if name == "load":
            self._cache[name] = self.loading.means @ self.loading.patterns.T
        elif name == "velocity":
            self._cache[name] = self._velocity()
        elif name == "deformation":
            moved = self.loading.moved
            self._cache[name] = self.system.deformation(u) + (0.0 if moved is None else moved)
        elif name == "node_force":
            self._cache[name] = self.system.force(self.values("deformation") - slip)
        elif name == "acceleration":
            self._cache[name] = np.diff(self.values("velocity"), axis=0) / self.step
        elif name == "absolute_acceleration":
            ground = self.loading.means @ self.loading.ground.T
            self._cache[name] = self.values("acceleration") + ground
        elif name == "mean_displacement":
            self._cache[name] = 0.5 * (u[:-1] + u[1:])                                   # eq. (88)
        elif name == "impulse":
            start = self.internal["start_impulse"][None, :]
            self._cache[name] = np.cumsum(np.vstack([start, self.step * self.values("force")]), axis=0)
        else:
            work = ((np.diff(u, axis=0) @ self.loading.patterns) * self.loading.means).sum(axis=1)
            self._cache.update(balance(
                self.system, self.step, u, self.histories["momentum"], slip, self.histories["force"],
                self.histories.get("back_force"), self.histories.get("accumulated_slip"), work, self.loading.moved))

    def _velocity(self) -> Array:
        """M⁻¹p; a dof without mass has no momentum, its velocity is the central difference."""
        assert self.system is not None
        velocity = self.system.velocity(self.histories["momentum"])
        light = self.system.massless
        if np.any(light):
            u = self.histories["displacement"][:, light]
            velocity[:, light] = np.gradient(u, self.step, axis=0) if len(u) > 1 else 0.0
        return velocity

    @property
    def names(self) -> tuple[str, ...]:
        """Names that ``values`` and ``[...]`` understand, in the order of the schema."""
        derived = _DERIVED if self.system is not None else ()
        return tuple(name for name in VARIABLES if name in self.histories or name in derived)

    def __getitem__(self, name: str) -> xr.DataArray:
        """A result as a labelled array."""
        return self._label([name])[name]

    @property
    def dataset(self) -> xr.Dataset:
        """All results in one labelled dataset."""
        return self._label(self.names)

    @cached_property
    def energy(self) -> xr.Dataset:
        """Energy balance: kinetic, stored, viscous, plastic, hardening, input and imbalance on ``time``, and the
        largest imbalance relative to the largest work as ``residual``: a check of the arithmetic, not of accuracy."""
        return self._label(ENERGIES)

    @property
    def residual(self) -> float:
        """Largest energy imbalance relative to the largest work (0 if there is none)."""
        return float(self.values("residual"))

    @cached_property
    def peaks(self) -> dict[str, Peak]:
        """Peaks of displacement, velocity, force, node_force and slip, and the residual slip, with error bars
        when ``error=True`` was asked for."""
        return peaks(self)

    def error_of(self, name: str) -> float | None:
        """Estimated error of a peak, or None."""
        return self.error.get(name)

    @cached_property
    def final(self) -> State:
        """State at the end: start of the next problem, bitwise."""
        internal = {name: value for name, value in self.internal.items() if name != "start_impulse"}
        internal["impulse"] = self.values("impulse")[-1]
        last = {name: self.histories[name][-1] for name in ("displacement", "momentum", "slip")}
        return State(**last, internal=internal)

    @cached_property
    def provenance(self) -> dict[str, str]:
        """Version, scheme and hash of the problem."""
        return self.describe()

    def save(self, path: str | Path) -> Path:
        """Write ``.nc`` (NetCDF, complete, readable by :func:`hamex.read`) or ``.csv`` (histories), atomically."""
        from hamex.solution.files import save

        return save(self, Path(path))

    def _label(self, names: tuple[str, ...] | list[str]) -> xr.Dataset:
        import xarray as xr

        variables = {}
        for name in names:
            values = self.values(name)
            dims, kind, meaning = VARIABLES[name]
            attributes = {"units": unit(kind, self.units.length, self.units.force), "long_name": meaning}
            variables[name] = xr.Variable(dims, values, attributes)
        seconds = {"units": "s"}
        coordinates = {
            "time": xr.Variable("time", self.times, seconds | {"long_name": "nodes"}),
            "interval": xr.Variable("interval", self.middles, seconds | {"long_name": "middles of the steps"}),
            "step": xr.Variable("interval", np.full(self.steps, self.step), seconds | {"long_name": "length"}),
            "dof": xr.Variable("dof", np.array(self.dofs, dtype=str)),
            "spring": xr.Variable("spring", np.array(self.springs, dtype=str)),
        }
        used = {dim for variable in variables.values() for dim in variable.dims}
        kept = {name: c for name, c in coordinates.items() if c.dims[0] in used}
        return xr.Dataset(variables, coords=kept)


_DERIVED = ("load", "velocity", "deformation", "node_force", "acceleration", "absolute_acceleration",
            "mean_displacement", "impulse", *ENERGIES)
