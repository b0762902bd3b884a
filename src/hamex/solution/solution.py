"""Solution: what happened, as labelled histories, balance, peaks and the state to go on from."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hamex.errors import InputError
from hamex.model.inputs import few
from hamex.model.laws.law import Split
from hamex.model.layout import Layout
from hamex.model.record import Model
from hamex.names import Shown, options_by_keyword
from hamex.problem import Limit, Problem, State
from hamex.problem.loads import Loading, left_over, standing
from hamex.schemes import Scheme
from hamex.schemes.stages import StageHistory
from hamex.solution.energy import check_energies, energy_of, split_of
from hamex.solution.outline import (
    AT_POINTS,
    ENERGIES,
    OF_FORCES,
    TURNING,
    VARIABLES,
    Collapse,
    Driven,
    Exceedance,
    Extent,
    Peak,
    Promises,
    UnitNames,
    unit,
    variable,
)
from hamex.solution.peaks import BodyPeaks, DampingShare, Peaks, damping_share, exceedance, most_moved
from hamex.solution.results import derivable
from hamex.solution.shaking import Rest, collapse_of, places_of, rest_of
from hamex.solution.source import HistoriesOnly, Run

if TYPE_CHECKING:
    import xarray as xr

    from hamex.motion.ground import GroundMotion
    from hamex.solution.fields import Times
    from hamex.solution.results import Frames

Array = NDArray[Any]


class Status(Enum):
    """How a run ended; the value is the message."""

    FINISHED = "every step solved"
    EXCEEDS = "a physical limit was passed; every step up to the end of the run solved"
    STOPPED = "stopped before its end; every step up to there solved"
    SWINGS = "every step solved, but the motion has not died down"
    EARLY = "every step solved, but the run ends before its load"


@dataclass(frozen=True, eq=False)
class Solution(Shown):
    """Result of :func:`hamex.solve`.

    ``sol["displacement"]`` is a labelled array with dims (time, dof), ``sol.values("displacement")`` the same as
    plain NumPy; ``hamex.solution.outline`` lists every name. Nothing is ever squeezed.

    Attributes
    ----------
    source : the run it comes from, or the record of one whose problem is not known.
    histories : what the march left, by name.
    internal : internal variables at the end, beside displacement, momentum and slip.
    error : estimated error of each peak and of the residual slip, by name; empty when not asked for.
    limit : storey drift beyond which the structure counts as collapsed.
    inside : stage values of elements with several stages.
    extent : which steps of the run it tells of.

    Examples
    --------
    >>> import hamex as hx
    >>> model = hx.oscillator(mass=1, stiffness=225, damping=1.5, law=hx.Slider(yield_force=0.27, viscosity=1.5))
    >>> sol = hx.solve(hx.Problem(model, hx.el_centro().on(model, g=1.0), duration=10.0), hx.Galerkin(step=0.02))
    >>> sol["displacement"].dims, sol.values("slip").shape
    (('time', 'dof'), (501, 1))
    >>> sol.residual < 1e-12
    True
    >>> sol.final.slip.tolist() == sol.values("slip")[-1].tolist()
    True
    """

    source: Run | HistoriesOnly
    histories: Mapping[str, Array]
    internal: Mapping[str, Array]
    error: Mapping[str, float] = field(default_factory=dict)
    limit: Limit = field(default_factory=Limit)
    inside: StageHistory | None = None
    extent: Extent = field(default_factory=Extent)
    _cache: dict[str, Array] = field(default_factory=dict, repr=False)

    @cached_property
    def _found(self) -> dict[str, Peak]:
        """Peaks that were asked for. The mapping itself is not kept: it holds the solution, and a circle of the two
        would outlive its last user."""
        return {}

    def __repr__(self) -> str:
        dofs, springs = len(self.dofs), len(self.springs)
        thinned = f", every {self.extent.every}th kept" if self.extent.every > 1 else ""
        went = "increments" if self.at_ends else f"steps of {self.step:g} s"
        return (
            f"<Solution: {self.all_steps} {went}{thinned}, {dofs} dof{'s' * (dofs != 1)}, "
            f"{springs} spring{'s' * (springs != 1)}, {self.source.by}>"
        )

    @property
    def problem(self) -> Problem:
        """The problem that was solved. Raises :class:`hamex.errors.NoProblemError` where only histories were kept."""
        return self.source.problem

    @property
    def scheme(self) -> Scheme:
        """The scheme that solved it. Raises :class:`hamex.errors.NoProblemError` where only histories were kept."""
        return self.source.scheme

    @property
    def model(self) -> Model:
        """The model of the problem."""
        return self.problem.model

    @property
    def layout(self) -> Layout:
        """Names and places of dofs and springs: the model, or what a file kept of one."""
        return self.source.layout

    @property
    def dofs(self) -> tuple[str, ...]:
        """Names of the degrees of freedom."""
        return self.layout.dofs

    @property
    def springs(self) -> tuple[str, ...]:
        """Names of the springs."""
        return self.layout.springs

    @property
    def units(self) -> UnitNames:
        """Names of the units of length and force."""
        return self.source.units

    @property
    def step(self) -> float:
        """Length of a step [s]."""
        return self.source.step

    @cached_property
    def loading(self) -> Loading:
        """The load of the run, by channels, as its scheme read it."""
        return self.source.loading(self.histories, self.all_steps)

    @cached_property
    def base(self) -> Array | None:
        """Mean displacement of moving supports, (node, direction) [length]; None when they stand still."""
        return self.source.base(self.steps)

    @cached_property
    def driven(self) -> Driven | None:
        """Motion of boundaries of a body that move as given, at the nodes that are kept; None where none do."""
        return self.source.driven(self.all_steps, self.extent.every, self.steps + 1)

    @property
    def steps(self) -> int:
        """Number of steps that are kept."""
        return len(self.histories["displacement" if "displacement" in self.histories else "kinetic"]) - 1

    @property
    def all_steps(self) -> int:
        """Number of steps that were taken."""
        return self.steps if self.extent.steps is None else self.extent.steps

    @property
    def is_thinned(self) -> bool:
        """True when not every step, or not every history, was kept."""
        return self.extent.steps is not None

    @property
    def at_ends(self) -> bool:
        """True where results of a step belong to its end: in slow loading, not in motion."""
        return self.source.at_ends

    @cached_property
    def times(self) -> Array:
        """Node times [s]: multiples of the step, never accumulated sums."""
        return (self.extent.first + np.arange(self.steps + 1) * self.extent.every) * self.step

    @cached_property
    def middles(self) -> Array:
        """Middles of the steps, of those that end at a kept node [s]; the ends of increments in slow loading."""
        if self.at_ends:
            return self.times[1:]
        return (self.extent.first + np.arange(1, self.steps + 1) * self.extent.every - 0.5) * self.step

    def values(self, name: str) -> Array:
        """A result as a plain array, (nodes or steps, components)."""
        if name in self.histories:
            return self.histories[name]
        if name not in self._cache:
            self._derive(name)
            for array in self._cache.values():
                array.flags.writeable = False  # handing out must not mean changing
        return self._cache[name]

    def _derive(self, name: str) -> None:
        results = derivable(self)
        if name not in self.names:
            more = "; not everything was kept, ask for it with keep=" if self.is_thinned else ""
            raise InputError(f"the solution holds no {name!r}; it has {', '.join(self.names)}{more}")
        # A collapsing structure may run away beyond what squares can hold: its energies are refused by name.
        with np.errstate(over="ignore", invalid="ignore"):
            found = energy_of(self, name) if name in ENERGIES else {name: results[name](self)}
        if name in ENERGIES:
            check_energies(found, self.scheme.name, self.step, self.extent.first)
        for each, values in found.items():
            self._cache.setdefault(each, values)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names that ``values`` and ``[...]`` understand, in the order of the schema."""
        derived = derivable(self)
        known = {*self.histories, *derived, *(ENERGIES if derived and not self.is_thinned else ())}
        return (
            *(name for name in VARIABLES if name in known),
            *(name for name in self.histories if name not in VARIABLES),
        )

    def labels(self, dim: str) -> tuple[str, ...]:
        """Names along a dimension: dof, spring, storey, direction, group, hinge or symmetry."""
        if dim == "symmetry" and "charge" in self.histories:
            return tuple(self.provenance["charges"].split("; "))
        if dim in ("dof", "spring"):
            return self.dofs if dim == "dof" else self.springs
        layout = self.layout
        if not layout.is_structure or (dim == "storey" and layout.storeys is None):
            raise InputError(f"the solution has no dimension {dim!r}")
        if dim == "hinge":
            return tuple(self.springs[number] for number in layout.hinges)
        if dim == "storey" and layout.storeys is not None:
            return layout.storeys.names
        return layout.directions if dim == "direction" else tuple(layout.groups)

    def __getitem__(self, name: str) -> xr.DataArray:
        """A result as a labelled array."""
        return self.labelled([name])[name]

    @property
    def dataset(self) -> xr.Dataset:
        """All results in one labelled dataset."""
        return self.labelled(self.names)

    @cached_property
    def energy(self) -> xr.Dataset:
        """Energy balance: kinetic, stored, viscous, plastic, hardening, input and imbalance on ``time``, and the
        largest imbalance relative to the largest work as ``residual``: a check of the arithmetic, not of accuracy. Of
        an action its Hamiltonian and the imbalance."""
        if "hamiltonian" in self.histories:
            return self.labelled([name for name in ("hamiltonian", *ENERGIES) if name in self.histories])
        return self.labelled(ENERGIES)

    @cached_property
    def split(self) -> Split:
        """Where the work of the springs went, spring by spring, by their laws."""
        return split_of(self)

    @property
    def residual(self) -> float:
        """Largest energy imbalance relative to the largest work (0 if there is none)."""
        return float(self.values("residual"))

    @property
    def peaks(self) -> Mapping[str, Peak]:
        """Peaks of displacement, velocity, force, node_force and slip, the ductility and the residual slip; of a
        structure also accelerations, base shear, hinges and storeys. Of a body the farthest and fastest node with its
        place, the largest plastic strain, and the largest von Mises stress. With error bars when ``error=True`` was
        asked for. Each is computed when asked for."""
        if self.layout.body is not None:
            return BodyPeaks(self, self._found)
        return Peaks(self, self._found) if self.extent.peaks is None else self.extent.peaks

    @cached_property
    def damping_share(self) -> DampingShare:
        """Largest damping force beside the largest spring force, where the ratio is worst. Warns
        (:class:`hamex.errors.DampingWarning`) where damping carries more than a fifth while springs yield."""
        return damping_share(self)

    @cached_property
    def exceeded(self) -> Exceedance | None:
        """The first passing of a physical limit (by default a storey drift ratio of 0.1), or None."""
        return self.extent.exceeded if self.is_thinned else exceedance(self)

    @cached_property
    def collapse(self) -> Collapse | None:
        """Sidesway: since when the structure goes down by itself, which storey and in which shape; None where it stands
        at the end of the run. A drift beyond the limit is not yet a collapse, see ``exceeded``."""
        return collapse_of(self)

    @property
    def uncertain(self) -> float | None:
        """Instant from which one solution per step is not certain [s], for runs with ``promise="reported"``."""
        return self.extent.uncertain

    @cached_property
    def promises(self) -> Promises:
        """What was promised of the run, one solution per step, contraction and balance, and whether it held."""
        return self.source.promises(self.extent)

    @property
    def status(self) -> Status:
        """How the run ended."""
        if self.exceeded is not None:
            return Status.EXCEEDS
        if self.extent.stopped:
            return Status.STOPPED
        if self.extent.settled is False:
            return Status.SWINGS
        return Status.EARLY if self.left_over > 0 else Status.FINISHED

    @property
    def message(self) -> str:
        """How the run ended, in words: the limit that was passed, or how much of the load was not seen; and which
        springs have lost their force for good."""
        gone = f"; broken: {few(self._gone, count=4)}" if self._gone else ""
        if self.exceeded is not None:
            return str(self.exceeded) + ("; the run ends there" if self.extent.stopped else "") + gone
        early = self.status is Status.EARLY
        goes_on = f", which goes on for {self.left_over:g} s" if early else ""
        return self.status.value + goes_on + gone

    @cached_property
    def _gone(self) -> tuple[str, ...]:
        """Springs that have lost their force for good, or a part of it: where they break or have fallen to zero, or at
        a node, where they would not have survived a reversal."""
        if not isinstance(self.source, Run):
            return ()
        none, found = np.zeros(len(self.springs)), list[int]()
        for group in self.model.laws.values():
            states = {name: self.internal.get(name, none)[group.springs] for name in group.law.variables}
            found += group.springs[group.law.is_gone(group, states)].tolist()
        return tuple(self.springs[i] for i in sorted(found))

    @property
    def left_over(self) -> float:
        """How long the load goes on after the end of the run [s]; 0 where it does not, or is a function."""
        return left_over(self.problem.load, self.all_steps * self.step) if isinstance(self.source, Run) else 0.0

    @cached_property
    def rest(self) -> Rest | None:
        """Where the structure comes to rest if nothing slips once more, and how far it still swings about that place.

        None where it is not known: a load that still changes, moving supports, laws whose slip does not stay (gaps), a
        structure that does not stand by itself, or a file without its problem.
        """
        if not isinstance(self.source, Run) or self.problem.supports is not None:
            return None
        force = standing(self.problem.acting, self.all_steps * self.step)
        if force is None:
            return None
        moved = self.peaks["displacement" if self.model.storeys is None else "storey_drift"]
        if self.model.body is not None:
            dof = most_moved(self)
        else:
            dof = self.dofs.index(moved.where) if self.model.storeys is None else 0
        end, places = vars(self.final), places_of(self.model, dof)
        return rest_of(self.model, end, force, places, moved.value)

    def envelope(self, name: str) -> xr.Dataset:
        """Largest and smallest value of a history in each component, and when: ``max``, ``min``, ``time_of_max``,
        ``time_of_min``."""
        dims = variable(name).dims if name in self.names else ()
        if not dims or dims[0] not in ("time", "interval"):
            raise InputError(f"envelope: {name!r} is no history; it has none in time")
        history = self[name]
        clock = history[dims[0]]
        found = {"max": history.max(dims[0], keep_attrs=True), "min": history.min(dims[0], keep_attrs=True)}
        for extreme, where in (("max", history.argmax(dims[0])), ("min", history.argmin(dims[0]))):
            found[f"time_of_{extreme}"] = clock[where].drop_vars([dims[0], "step"], errors="ignore")
        import xarray as xr

        return xr.Dataset(found)

    @options_by_keyword
    def field(self, name: str, time: Times = None, *, at: str | None = None) -> xr.DataArray:
        """A field of a body (:func:`hamex.solid`) at one instant or several: (node, component) for motions, (cell,
        point, component) for strains and stresses, with their places as coordinates x, y and z.

        Parameters
        ----------
        name : "displacement", "velocity", "acceleration" or "absolute_acceleration" (mean of a step), and their lengths
            "displacement_size" and "speed"; "strain", "plastic_strain", "stress", and of these "von_mises",
            "mean_stress", "principal_stress", "equivalent_plastic_strain". Displacements and velocities are relative to
            the ground; around an axis xx is the radial, yy the axial and zz the hoop direction.
        time : one instant or several [s]; the end by default. The nearest instant that was kept is taken, and ``time``
            of the result is its own.
        at : for strains and stresses: "points" of integration, where they are computed; "nodes", carried linearly to
            the nodes of each cell and means over the cells around them; or "cells", their means.

        Examples
        --------
        >>> import hamex as hx
        >>> steel = hx.Material(density=7.85e-9, modulus=210e3, poisson=0.3)
        >>> model = hx.solid(hx.meshes.rectangle(100.0, 10.0, (20, 4)), steel, fixed=["left"], plane="stress",
        ...                  units=hx.Units("mm", "N"))
        >>> pulled = hx.Load([1.0, 1.0], step=1e-4, patterns=model.body.traction("right", (1.0, 0.0)))
        >>> sol = hx.solve(hx.Problem(model, pulled, 1e-4), hx.Galerkin(1e-6))
        >>> sol.field("displacement", time=5e-5).dims, sol.field("stress", time=5e-5).dims
        (('node', 'component'), ('cell', 'point', 'component'))
        >>> sol.field("von_mises", at="nodes").attrs["units"]
        'N/mm²'
        """
        from hamex.solution.fields import field

        return field(self, name, time, at)

    @options_by_keyword
    def probe(self, places: ArrayLike, name: str = "displacement", *, times: Times = None) -> xr.DataArray:
        """A field of a body in time at points of it, (time, point, component); accelerations are (interval, point,
        component).

        Parameters
        ----------
        places : coordinates of one point or of several, (point, dimension) [length].
        name : as in :meth:`field`. Stresses are carried linearly from the points of integration of the cell that a
            point lies in.
        times : instants [s], of which the nearest ones that were kept are taken; all of them by default.

        Examples
        --------
        >>> import hamex as hx
        >>> rubber = hx.Material(density=1.0, modulus=100.0, poisson=0.3)
        >>> model = hx.solid(hx.meshes.rectangle(4.0, 1.0, (8, 2)), rubber, fixed=["left"])
        >>> pulled = hx.Load([1.0, 1.0], step=1.0, patterns=model.body.traction("right", (1.0, 0.0)))
        >>> sol = hx.solve(hx.Problem(model, pulled, 1.0), hx.Galerkin(0.01))
        >>> tip = sol.probe((4.0, 0.5), "velocity").sel(component="x")
        >>> tip.shape, tip.attrs["units"]
        ((101, 1), 'length/s')
        """
        from hamex.solution.fields import probe

        return probe(self, places, name, times)

    def probe_line(
        self, start: ArrayLike, end: ArrayLike, name: str = "displacement", *, count: int = 101, times: Times = None
    ) -> xr.DataArray:
        """:meth:`probe` at ``count`` points evenly spaced from ``start`` to ``end``, with their ``distance`` from the
        start [length]."""
        from hamex.solution.fields import probe_line

        return probe_line(self, start, end, name, count, times)

    @options_by_keyword
    def frames(self, count: int = 60, *, scale: float = 1.0) -> Frames:
        """Deformed shapes at ``count`` evenly spaced instants, displacements times ``scale``; positions of the
        nodes, and which elements and springs have yielded by then."""
        from hamex.solution.results import frames

        return frames(self, count, scale)

    def motion(self, at: str | ArrayLike, direction: str | None = None) -> GroundMotion:
        """Total acceleration of a place as a ground motion, for spectra and other models: of a floor, or a site.

        Samples are the means of the steps, at their middles: the clock of the motion begins half a step into the run.

        Parameters
        ----------
        at : name of a dof or a storey, "ground", or coordinates of a place in a solid [length].
        direction : of a place by coordinates or the ground, "x", "y" or "z"; by default that in which the ground shakes
            most.

        Examples
        --------
        >>> import hamex as hx
        >>> soil = hx.rod(30.0, 15, modulus=72e3, density=1.8, damping=hx.rayleigh(0.05, modes=(1, 3)),
        ...               units=hx.Units("m", "kN"))                                # in shear: G = ρ c², c = 200 m/s
        >>> sol = hx.solve(hx.Problem(soil, hx.el_centro().on(soil), duration=31.2), hx.Galerkin(step=0.01))
        >>> surface = sol.motion("node 15")
        >>> surface.unit, surface.step, surface.peak > 1.5 * 0.319 * 9.81
        ('m/s2', 0.01, True)
        """
        from hamex.solution.shaking import motion

        return motion(self, at, direction)

    def floor_spectrum(self, levels: str | Sequence[str] | None = None, **options: Any) -> Any:
        """Response spectra of the absolute accelerations of floors, see :func:`hamex.floor_spectrum`."""
        return sys.modules["hamex"].floor_spectrum(self, levels, **options)

    def animate(self, path: str | Path, **options: Any) -> Path:
        """Write the motion as a film, ``.gif``, ``.mp4`` or a page ``.html``; see :func:`hamex.animate`."""
        found: Path = sys.modules["hamex"].animate(self, path, **options)
        return found

    def error_of(self, name: str) -> float | None:
        """Estimated error of a peak, or None."""
        return self.error.get(name)

    @cached_property
    def final(self) -> State:
        """State at the end: start of the next problem, bitwise."""
        if self.extent.final is not None:
            return self.extent.final
        internal = {**self.internal, "impulse": self.values("impulse")[-1]}
        last = {name: self.histories[name][-1] for name in ("displacement", "momentum", "slip")}
        return State(**last, internal=internal)

    @cached_property
    def provenance(self) -> dict[str, str]:
        """Version, scheme and hash of the problem."""
        return self.source.provenance(self)

    def save(
        self,
        path: str | Path,
        problem: bool = True,
        *,
        times: Times = None,
        names: Sequence[str] | None = None,
        every: int = 1,
    ) -> Path:
        """Write ``.nc`` (NetCDF, complete, readable by :func:`hamex.read`), ``.csv`` (histories) or ``.xlsx`` (Excel:
        peaks and histories, one sheet a table), atomically. Of a body also ``.pvd``, a series that ParaView opens, with
        one ``.vtu`` an instant in a folder of the same name; or one ``.vtu``.

        A NetCDF file keeps the problem and the scheme as well, so that the run can be continued or repeated;
        ``problem=False`` leaves them out, for small files; fields and probes of a body work without them.

        ``times`` are the instants of a series [s], the nearest ones that were kept; all of them by default, of a single
        ``.vtu`` the last. ``names`` are the results that a ``.csv`` holds, all by default, at every so many nodes
        (``every``); of one beyond 50 MB a warning tells the size first.
        """
        from hamex.solution.files import save

        return save(self, Path(path), problem, times, names, every)

    def labelled(self, names: Sequence[str]) -> xr.Dataset:
        """Some results in one labelled dataset."""
        import xarray as xr

        values = {name: self.values(name) for name in names}  # refuses unknown names
        variables = {
            name: xr.Variable(variable(name).dims, array, self._attributes(name)) for name, array in values.items()
        }
        used = {dim for name in names for dim in variable(name).dims}
        return xr.Dataset(variables, coords=self._coordinates(used))

    def _attributes(self, name: str) -> dict[str, str]:
        dims, kind, meaning = variable(name)
        if self.layout.is_body and dims and dims[-1] == "spring":
            kind = AT_POINTS.get(kind, kind)
        if self.at_ends and name in OF_FORCES:
            meaning = f"{name.replace('_', ' ')} at the end of the increment, in equilibrium with its load"
        words = {"units": unit(kind, self.units.length, self.units.force), "long_name": meaning}
        if dims and kind in TURNING and self._turning(dims[-1]) is not None:
            words["units_where_turning"] = unit(TURNING[kind], self.units.length, self.units.force)
        return words

    def _turning(self, dim: str) -> Array | None:
        """Which dofs are rotations and which springs are moments; None where there are none."""
        if dim not in ("dof", "spring"):
            return None
        turning = self.layout.turning_dofs if dim == "dof" else self.layout.turning_springs
        return turning if turning.any() else None

    def _coordinates(self, dims: set[str]) -> dict[str, xr.Variable]:
        import xarray as xr

        seconds = {"units": "s"}
        found = {}
        if "time" in dims:
            found["time"] = xr.Variable("time", self.times, seconds | {"long_name": "nodes"})
        if "interval" in dims:
            where = "ends of the increments" if self.at_ends else "middles of the steps"
            found["interval"] = xr.Variable("interval", self.middles, seconds | {"long_name": where})
            found["step"] = xr.Variable("interval", np.full(self.steps, self.step), seconds | {"long_name": "length"})
        for dim in sorted(dims - {"time", "interval"}):
            found[dim] = xr.Variable(dim, np.array(self.labels(dim), dtype=str))
            turning = self._turning(dim)
            if turning is not None:
                found[f"{dim}_turns"] = xr.Variable(dim, turning, {"long_name": "rotation or moment"})
        return found
