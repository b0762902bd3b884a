"""What a motion brings: intensities of the ground's, peaks, integrals, durations and what oscillators feel of it; and
spectra of the floors', what equipment on a structure feels.

``intensities`` tells all measures at once; ``Sa`` and ``Pga`` are single ones, what levels, curves and fragilities are
drawn over. Floor spectra are those of the absolute accelerations of a run.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hamex.checks import check_range, floats, is_one_of, is_positive
from hamex.errors import InputError, LoadError, UnitError
from hamex.model.algebra import rows
from hamex.model.layout import Layout
from hamex.model.units import METRE, UNSTATED_LENGTH, Units, in_gravities
from hamex.motion import integrals as measures
from hamex.motion.ground import GroundMotion
from hamex.names import options_by_keyword
from hamex.solution.shaking import GROUND, check_accelerations, ground_accelerations
from hamex.solution.solution import Solution
from hamex.solution.source import Run
from hamex.study.spectra import check_peak, spectrum
from hamex.study.spectra.elastic import Spectrum

Array = NDArray[Any]
PERIODS = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0)
HOUSNER = np.arange(10, 251) / 100  # periods of Housner's integral [s], every 0.01 s from 0.1 to 2.5

# Name, unit and meaning, in the order of the table. L stands for the user's unit of length.
_MEANING = {
    "PGA": ("g", "peak ground acceleration"),
    "PGV": ("L/s", "peak ground velocity"),
    "PGD": ("L", "peak ground displacement"),
    "Arias": ("L/s", "Arias intensity, π/(2g) ∫a² dt, {rule}"),
    "CAV": ("L/s", "cumulative absolute velocity, ∫|a| dt, {rule}"),
    "D5-75": ("s", "time from 5 to 75 % of the Arias intensity"),
    "D5-95": ("s", "time from 5 to 95 % of the Arias intensity"),
    "Sa": ("g", "pseudo-acceleration at the periods"),
    "Sa_avg": ("g", "geometric mean of Sa over the periods"),
    "Housner": ("L", "Housner's spectrum intensity, ∫PSv dT from 0.1 to 2.5 s"),
    "FIV3": ("L/s", "filtered incremental velocity at the periods, α = 0.7, β = 0.85"),
}

_RULES = {"trapezoid": "trapezoidal rule", "lines": "exact for straight lines"}


@dataclass(frozen=True, eq=False)
class Intensities(Mapping[str, Any]):
    """Measures by name; ``Sa`` and ``FIV3`` are arrays over ``periods``, all others numbers.

    Attributes
    ----------
    periods : of Sa, Sa_avg and FIV3 [s].
    damping : fraction of critical behind Sa, Sa_avg and Housner.
    units : unit of every measure.
    meanings : what every measure is.
    rule : how Arias, CAV, D5-75 and D5-95 were integrated, "trapezoid" or "lines".
    """

    found: dict[str, Any]
    periods: Array
    damping: float
    units: dict[str, str]
    meanings: dict[str, str]
    rule: str = "trapezoid"

    def __getitem__(self, name: str) -> Any:
        return self.found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)


@options_by_keyword
def intensities(
    motion: GroundMotion,
    g: float,
    periods: Sequence[float] | None = None,
    *,
    damping: float = 0.05,
    length: str = UNSTATED_LENGTH,
    rule: str = "trapezoid",
) -> Intensities:
    """Intensity measures of a motion.

    Parameters
    ----------
    motion : ground motion; samples are linear in between, and PGV and PGD are exact for that.
    g : one gravity in your units, e.g. 9.80665 for metres; velocities and displacements come in that unit of length.
    periods : of Sa, of the average Sa (their geometric mean, all of equal weight) and of FIV3 [s]; by default nine
        from 0.1 to 3 s, those left out whose FIV3 needs a longer record.
    damping : fraction of critical of the oscillators.
    length : name of your unit of length, for the labels; "m", "cm", "mm", "in" or "ft".
    rule : of Arias, CAV and the durations. "trapezoid", the trapezoidal rule on a² and |a| at the samples, is the
        convention of other programs; "lines" is exact for straight lines between samples, and smaller.

    Returns
    -------
    Measures by name: PGA [g], PGV, PGD, Arias, CAV, D5-75 and D5-95 [s], Sa [g], Sa_avg [g], Housner, FIV3.

    Examples
    --------
    >>> from hamex.motion.ground import el_centro
    >>> found = intensities(el_centro(), g=9.80665, periods=[0.5, 1.0], length="m")
    >>> round(found["PGA"], 4), round(found["PGV"], 3), found.units["PGV"]
    (0.3188, 0.362, 'm/s')
    >>> found.rule, round(found["Arias"], 3), round(intensities(el_centro(), 9.80665, rule="lines")["Arias"], 3)
    ('trapezoid', 1.801, 1.724)
    """
    if not isinstance(motion, GroundMotion):
        raise LoadError(f"intensities: motion must be a GroundMotion, got {type(motion).__name__}")
    check_peak("intensities", motion)
    if rule not in measures.RULES:
        raise InputError(f"intensities: rule must be one of {', '.join(measures.RULES)}, got {rule!r}")
    if not is_positive(g):
        raise LoadError(f"intensities: g must be positive, one gravity in your units; got {g!r}")
    check_range("intensities", "g", g, LoadError)
    if not is_one_of(length, (*METRE, UNSTATED_LENGTH)):
        raise UnitError(f"unknown unit of length {length!r}; known: {', '.join(METRE)}")
    if periods is None:
        periods = [T for T in PERIODS if motion.duration > measures.ALPHA * T] or [PERIODS[0]]
    wanted = floats(periods, "intensities: periods must be positive numbers of seconds", LoadError)
    if wanted.ndim != 1 or not wanted.size or not (np.isfinite(wanted).all() and (wanted > 0).all()):
        raise LoadError(f"intensities: periods must be positive numbers of seconds, got {periods!r}")
    a, step = motion.acceleration * (in_gravities(motion.unit) * g), motion.step
    fiv3 = np.array([measures.fiv3(a, step, T) for T in wanted])  # first: it refuses records that are too short
    sa = pseudo_acceleration(motion, np.concatenate([wanted, HOUSNER]), damping)
    at_periods, for_housner = sa[: len(wanted)], sa[len(wanted) :]
    found = {
        "PGA": float(np.abs(a).max()) / g,
        "PGV": measures.peak_velocity(a, step),
        "PGD": measures.peak_displacement(a, step),
        "Arias": measures.arias(a, step, g, rule),
        "CAV": measures.cumulative_absolute_velocity(a, step, rule),
        "D5-75": measures.significant_duration(a, step, 0.05, 0.75, rule),
        "D5-95": measures.significant_duration(a, step, 0.05, 0.95, rule),
        "Sa": at_periods,
        "Sa_avg": float(np.exp(np.log(at_periods).mean())) if (at_periods > 0).all() else 0.0,
        "Housner": float(np.trapezoid(for_housner * g * HOUSNER / (2 * np.pi), HOUSNER)),
        "FIV3": fiv3,
    }
    return Intensities(
        found,
        wanted,
        float(damping),
        {name: unit.replace("L", length) for name, (unit, _) in _MEANING.items()},
        {name: meaning.format(rule=_RULES[rule]) for name, (_, meaning) in _MEANING.items()},
        rule,
    )


def pseudo_acceleration(motion: GroundMotion, periods: Array, damping: float) -> Array:
    """Elastic pseudo-accelerations at periods [s], in g."""
    return spectrum(motion, periods, damping=damping, g=1.0).values("pseudo_acceleration")[0]


@dataclass(frozen=True, eq=False)
class MotionHistories:
    """What a picture of a motion shows.

    Attributes
    ----------
    times : of the samples and of the zero that follows them [s].
    acceleration : [g].
    velocity, displacement : from rest, in the unit of length that ``g`` tells.
    husid : share of the Arias intensity reached, from 0 to 1.
    periods : [s].
    pseudo_acceleration : at the periods [g].
    damping : fraction of critical behind it.
    peaks : largest absolute acceleration, velocity and displacement, those inside the steps included.
    """

    times: Array
    acceleration: Array
    velocity: Array
    displacement: Array
    husid: Array
    periods: Array
    pseudo_acceleration: Array
    damping: float
    peaks: dict[str, float]


def histories(motion: GroundMotion, g: float, damping: float = 0.05) -> MotionHistories:
    """Acceleration, velocity, displacement, Husid curve and spectrum of a motion, for a picture."""
    a = motion.acceleration * (in_gravities(motion.unit) * g)
    rising = measures.husid(a, motion.step)
    periods = np.geomspace(0.03, 5.0, 120)
    peaks = {
        "acceleration": float(np.abs(a).max()) / g,
        "velocity": measures.peak_velocity(a, motion.step),
        "displacement": measures.peak_displacement(a, motion.step),
    }
    return MotionHistories(
        np.arange(len(a) + 1) * motion.step,
        np.append(a, 0.0) / g,
        measures.velocity(a, motion.step),
        measures.displacement(a, motion.step),
        rising / rising[-1] if rising[-1] > 0 else rising,
        periods,
        pseudo_acceleration(motion, periods, damping),
        damping,
        peaks,
    )


class Intensity(Protocol):
    """A number of a record that grows in proportion to its scale."""

    @property
    def name(self) -> str:
        """What stands at an axis."""

    @property
    def unit(self) -> str:
        """Its unit."""

    def __call__(self, motion: GroundMotion) -> float:
        """Its value for a record."""


@dataclass(frozen=True)
class Sa:
    """Spectral acceleration, PSa(T) of one component as it was recorded.

    Examples
    --------
    >>> from hamex import el_centro
    >>> round(Sa(0.5)(el_centro()), 3)
    0.919
    """

    period: float
    damping: float = 0.05

    def __post_init__(self) -> None:
        if not is_positive(self.period):
            raise InputError(f"Sa: the period must be positive, got {self.period!r}")

    @property
    def name(self) -> str:
        """What stands at an axis."""
        return f"Sa({self.period:g} s, {100 * self.damping:g} %)"

    @property
    def unit(self) -> str:
        """Gravities."""
        return "g"

    def __call__(self, motion: GroundMotion) -> float:
        """PSa in gravities, peaks inside the steps included."""
        return float(pseudo_acceleration(motion, np.array([self.period]), self.damping)[0])


@dataclass(frozen=True)
class Pga:
    """Peak ground acceleration.

    Examples
    --------
    >>> from hamex import el_centro
    >>> round(Pga()(el_centro()), 3)
    0.319
    """

    @property
    def name(self) -> str:
        """What stands at an axis."""
        return "PGA"

    @property
    def unit(self) -> str:
        """Gravities."""
        return "g"

    def __call__(self, motion: GroundMotion) -> float:
        """PGA in gravities."""
        return motion.peak * in_gravities(motion.unit)


_RESOLVED = 10  # steps a period: the shortest period by default
_LONGEST, _COUNT = 5.0, 150  # s, and periods from there down to the shortest
_READ = (
    "acceleration of a floor: mean of each step, with that of the ground, linear between the middles of the steps; an "
    "oscillator with 20 steps a period feels 1 % less of it, one with 10 steps 5 %"
)


def floor_spectrum(
    solution: Solution,
    levels: str | Sequence[str] | None = None,
    *,
    periods: ArrayLike | None = None,
    damping: ArrayLike = 0.05,
    interpolation: Literal["linear", "band-limited"] = "linear",
    threads: int | None = None,
) -> Spectrum:
    """Response spectra of the absolute accelerations of floors; ``sol.floor_spectrum(…)`` is the same.

    Equipment is light: it feels the floor, and the structure does not feel the equipment.

    Parameters
    ----------
    solution : a run of :func:`hamex.solve` in time, with every step kept.
    levels : names, or one name: storeys (the level on top of each; mean motion of its nodes), degrees of freedom such
        as "floor 3" or "B.x", or "ground". All storeys by default, all degrees of freedom where there are none.
    periods : of the equipment [s]; by default 150 from ten steps of the run to 5 s.
    damping : of the equipment, ratios of critical, a number or (n,).
    interpolation : of the acceleration between the middles of the steps, as for :func:`hamex.spectrum`.
    threads : number of threads; by default as many as pay.

    Returns
    -------
    Spectrum with dims (level, damping, period): absolute_acceleration, pseudo_acceleration [length/s²], velocity,
    pseudo_velocity [length/s], displacement relative to the floor [length]; ``.plot()`` draws it.

    Examples
    --------
    >>> import hamex as hx
    >>> frame = hx.shear_frame([1.0, 1.0], [300.0, 200.0], hx.modal(0.05), units=hx.Units("m", "kN"))
    >>> sol = hx.solve(hx.Problem(frame, hx.el_centro().on(frame), 30.0), hx.Galerkin(0.01))
    >>> floors = sol.floor_spectrum(["ground", "floor 2"], periods=[0.2, 1.0])
    >>> floors["absolute_acceleration"].dims, floors.unit("absolute_acceleration")
    (('level', 'damping', 'period'), 'm/s²')
    """
    if not isinstance(solution, Solution):
        raise InputError(f"floor_spectrum: needs the solution of a run, got {type(solution).__name__}")
    check_accelerations("floor_spectrum", solution)
    known = _levels(solution)
    chosen = _chosen(levels, known, solution.layout)
    stated = solution.units.length != UNSTATED_LENGTH
    gravity = Units(solution.units.length, solution.units.force).gravity if stated else 1.0
    absolute, h = solution.values("absolute_acceleration"), solution.step
    motions = [GroundMotion(_motion(solution, known[name], absolute) / gravity, h, "g", name) for name in chosen]
    wanted = np.geomspace(min(_RESOLVED * h, _LONGEST / 2), _LONGEST, _COUNT) if periods is None else periods
    found = spectrum(motions, wanted, damping, g=gravity, interpolation=interpolation, threads=threads)
    coordinates = {"level": np.array(chosen), **{k: v for k, v in found.coordinates.items() if k != "motion"}}
    words = {key: value for key, value in found.attributes.items() if key not in ("source", "motions")}
    return dataclasses.replace(
        found,
        coordinates=coordinates,
        length=solution.units.length,
        attributes=words
        | {
            "source": f"{len(chosen)} levels, {solution.source.by}, step {h:g} s",
            "floors": _READ,
            "length": solution.units.length,
        },
    )


def _levels(solution: Solution) -> dict[str, Any]:
    """Levels by name: rows over the dofs, the number of a dof, or None for a ground that moves as one."""
    layout = solution.layout
    found: dict[str, Any] = {}
    if layout.storeys is not None and layout.storeys.floors is not None:
        found |= {name: layout.storeys.floors[[place]] for place, name in enumerate(layout.storeys.names)}
    for place, (name, turns) in enumerate(zip(layout.dofs, layout.turning_dofs, strict=True)):
        if not turns:
            found.setdefault(name, place)
    if isinstance(solution.source, Run) and np.any(solution.loading.ground):
        found.setdefault(GROUND, None)
    return found


def _chosen(levels: Any, known: dict[str, Any], layout: Layout) -> list[str]:
    if levels is None:
        of_storeys = layout.storeys is not None and layout.storeys.floors is not None
        return [name for name, level in known.items() if level is not None and isinstance(level, int) != of_storeys]
    names = [levels] if isinstance(levels, str) or not isinstance(levels, Iterable) else list(levels)
    if not names:
        raise InputError("floor_spectrum: no levels; leave them out for all")
    for name in names:
        if not is_one_of(name, known):
            few = ", ".join(map(repr, list(known)[:12])) + (" …" if len(known) > 12 else "")
            raise InputError(f"floor_spectrum: there is no level {name!r}; there are {few}")
    return names


def _motion(solution: Solution, level: Any, absolute: Array) -> Array:
    """Acceleration of a level in the middle of every step [length/s²]."""
    if isinstance(level, int):
        return absolute[:, level]
    if level is not None:
        return rows(absolute, level.T)[:, 0]
    ways = ground_accelerations(solution)
    return np.asarray(ways[:, int(np.abs(ways).max(axis=0).argmax())])  # in the direction in which it shakes most
