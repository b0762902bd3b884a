"""Target spectra of building codes, and factors that bring motions close to one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hamex.checks import floats, is_finite, is_one_of, is_positive, is_whole
from hamex.errors import InputError
from hamex.motion.ground import GroundMotion
from hamex.names import Shown, options_by_keyword
from hamex.study.spectra import spectrum

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Target(Shown):
    """A spectrum to aim at: pseudo-acceleration [g] over period [s].

    ``shape`` maps periods to accelerations; ``longest`` is the longest period it is defined for [s], ``corners`` are
    periods at which it bends, ``damping`` is the fraction of critical it holds for.

    Examples
    --------
    >>> asce7(1.0, 0.6).acceleration([0.0, 0.3, 1.2]).round(3).tolist()
    [0.4, 1.0, 0.5]
    """

    name: str
    shape: Callable[[Array], Array] = field(repr=False)
    corners: tuple[float, ...] = ()
    longest: float = math.inf
    shortest: float = 0.0
    damping: float = 0.05

    @classmethod
    @options_by_keyword
    def from_points(
        cls, periods: ArrayLike, accelerations: ArrayLike, name: str = "points", *, damping: float = 0.05
    ) -> Target:
        """Through points, accelerations in g; linear between them in logarithms of both.

        >>> Target.from_points([0.1, 1.0], [1.0, 0.1]).acceleration(0.2).round(3).tolist()
        0.5
        """
        T = floats(periods, "Target.from_points: periods must be numbers")
        a = floats(accelerations, "Target.from_points: accelerations must be numbers")
        if T.ndim != 1 or T.shape != a.shape or len(T) < 2:
            raise InputError(
                f"Target.from_points: periods and accelerations must be (n,) alike, n ≥ 2; got {T.shape} and {a.shape}"
            )
        for values, label in ((T, "periods"), (a, "accelerations")):
            bad = np.flatnonzero(~(np.isfinite(values) & (values > 0)))
            if bad.size:
                raise InputError(f"Target.from_points: {label}[{bad[0]}] = {values[bad[0]]:g}; it must be positive")
        late = np.flatnonzero(np.diff(T) <= 0)
        if late.size:
            raise InputError(f"Target.from_points: periods[{late[0] + 1}] must be above the one before")
        shape = partial(_between_points, log_periods=np.log(T), log_accelerations=np.log(a))
        return cls(name, shape, tuple(T.tolist()), float(T[-1]), float(T[0]), damping)

    def acceleration(self, periods: ArrayLike) -> Array:
        """Pseudo-acceleration [g] at periods [s], of their shape."""
        T = floats(periods, f"{self.name}: periods must be numbers")
        bad = np.flatnonzero(~((T.ravel() >= self.shortest) & (T.ravel() <= self.longest) & np.isfinite(T.ravel())))
        if bad.size:
            raise InputError(
                f"{self.name}: periods[{bad[0]}] = {T.ravel()[bad[0]]:g} s; the spectrum is defined from "
                f"{self.shortest:g} to {self.longest:g} s"
            )
        return np.asarray(self.shape(T))


def asce7(sds: float, sd1: float, tl: float = 8.0, *, mce: bool = False) -> Target:
    """Design response spectrum of ASCE/SEI 7-16, section 11.4.6 (the two-period spectrum of 7-22, 11.4.5.2).

    Parameters
    ----------
    sds, sd1 : design accelerations at short periods and at 1 s, S_DS and S_D1 [g].
    tl : long-period transition T_L [s].
    mce : the risk-targeted maximum considered earthquake instead, 1.5 times as much (11.4.7).

    Examples
    --------
    >>> asce7(1.0, 0.6).corners      # T0 = 0.2 SD1/SDS, TS = SD1/SDS, TL
    (0.12, 0.6, 8.0)
    """
    for label, value in (("sds", sds), ("sd1", sd1), ("tl", tl)):
        if not is_positive(value):
            raise InputError(f"asce7: {label} must be positive, got {value!r}")
    ts = sd1 / sds
    if tl < ts:
        raise InputError(f"asce7: tl = {tl:g} s lies below TS = sd1/sds = {ts:g} s")
    factor = 1.5 if mce else 1.0
    name = f"ASCE 7 {'MCE_R' if mce else 'design'} spectrum, SDS {sds:g}, SD1 {sd1:g}, TL {tl:g} s"
    return Target(
        name,
        partial(_four_branches, start=0.4 * factor * sds, flat=factor * sds, tb=0.2 * ts, tc=ts, td=tl),
        (0.2 * ts, ts, tl),
    )


# EN 1998-1:2004, tables 3.2 and 3.3: soil factor S, corner periods T_B, T_C and T_D [s] by ground type.
_GROUND = {
    1: {
        "A": (1.0, 0.15, 0.4, 2.0),
        "B": (1.2, 0.15, 0.5, 2.0),
        "C": (1.15, 0.2, 0.6, 2.0),
        "D": (1.35, 0.2, 0.8, 2.0),
        "E": (1.4, 0.15, 0.5, 2.0),
    },
    2: {
        "A": (1.0, 0.05, 0.25, 1.2),
        "B": (1.35, 0.05, 0.25, 1.2),
        "C": (1.5, 0.1, 0.25, 1.2),
        "D": (1.8, 0.1, 0.3, 1.2),
        "E": (1.6, 0.05, 0.25, 1.2),
    },
}


def eurocode8(ag: float, ground: str = "A", *, kind: int = 1, damping: float = 0.05) -> Target:
    """Horizontal elastic spectrum of EN 1998-1:2004, 3.2.2.2, with its recommended values; up to 4 s, as there.

    Parameters
    ----------
    ag : design ground acceleration on rock, importance factor included [g].
    ground : ground type "A" to "E".
    kind : 1 or 2; 2 is for regions whose hazard comes from earthquakes of surface-wave magnitude up to 5.5.
    damping : fraction of critical; η = √(10/(5 + 100 damping)) ≥ 0.55 scales all but the start.

    Examples
    --------
    >>> eurocode8(0.2, "B").acceleration([0.0, 0.3, 1.0, 4.0]).round(4).tolist()
    [0.24, 0.6, 0.3, 0.0375]
    """
    if not is_positive(ag):
        raise InputError(f"eurocode8: ag must be a positive number of g, got {ag!r}")
    if not is_whole(kind) or kind not in _GROUND or not is_one_of(ground, _GROUND[kind]):
        raise InputError(f"eurocode8: kind must be 1 or 2 and ground one of A, B, C, D, E; got {kind!r} and {ground!r}")
    if not is_finite(damping) or not 0 <= damping < 1:
        raise InputError(f"eurocode8: damping must be a fraction of critical such as 0.05, got {damping!r}")
    S, tb, tc, td = _GROUND[kind][ground]
    eta = max(0.55, math.sqrt(10 / (5 + 100 * damping)))
    name = f"EN 1998-1 type {kind} elastic spectrum, ag {ag:g} g, ground {ground}, damping {damping:g}"
    return Target(
        name,
        partial(_four_branches, start=ag * S, flat=2.5 * eta * ag * S, tb=tb, tc=tc, td=td),
        (tb, tc, td),
        4.0,
        0.0,
        damping,
    )


def _four_branches(periods: Array, start: float, flat: float, tb: float, tc: float, td: float) -> Array:
    """A line from ``start`` to ``flat`` at T_B, constant up to T_C, falling as 1/T up to T_D and as 1/T² beyond."""
    t = np.maximum(periods, tb)
    falling = flat * tc / t * np.minimum(1.0, td / t)
    return np.where(periods < tb, start + (flat - start) * periods / tb, np.where(periods <= tc, flat, falling))


def _between_points(periods: Array, log_periods: Array, log_accelerations: Array) -> Array:
    return np.exp(np.interp(np.log(periods), log_periods, log_accelerations))


@dataclass(frozen=True, eq=False, repr=False)
class Scaling(Shown):
    """Factors that bring motions close to a target, and how close they come.

    Attributes
    ----------
    factors : one a motion.
    method : how they were found.
    periods : [s] at which distances are measured.
    spectra : pseudo-accelerations of the scaled motions [g], (motion, period).
    wanted : those of the target [g].
    motions : the scaled motions; empty if only spectra were given.

    Examples
    --------
    >>> scale_to_target([], asce7(1.0, 0.6), [0.2, 0.5], spectra=[[0.5, 0.5]]).factors.round(12).tolist()
    [2.0]
    """

    target: Target
    factors: Array
    method: str
    periods: Array
    spectra: Array
    wanted: Array
    motions: tuple[GroundMotion, ...]

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__}: {len(self.factors)} motions for {self.target.name}, factors from "
            f"{self.factors.min():.3g} to {self.factors.max():.3g}, their mean off by {100 * self.suite_error:.1f} %>"
        )

    @property
    def errors(self) -> Array:
        """Root mean square of ln(spectrum/target) over the periods, one a motion; 0.1 is about ten per cent."""
        return np.asarray(np.sqrt(np.mean(np.log(self.spectra / self.wanted) ** 2, axis=1)))

    @property
    def mean(self) -> Array:
        """Arithmetic mean of the scaled spectra [g], as codes take it."""
        return np.asarray(self.spectra.mean(axis=0))

    @property
    def suite_error(self) -> float:
        """Root mean square of ln(mean/target) over the periods."""
        return float(np.sqrt(np.mean(np.log(self.mean / self.wanted) ** 2)))

    @property
    def least_ratio(self) -> float:
        """Smallest ratio of mean to target; codes ask for 0.9 or so over a range of periods."""
        return float((self.mean / self.wanted).min())

    @property
    def spread(self) -> Array:
        """Standard deviation of ln(spectrum) over the motions, one a period; zero for a single motion."""
        logs = np.log(self.spectra)
        return np.asarray(logs.std(axis=0, ddof=1) if len(logs) > 1 else np.zeros(logs.shape[1]))


def scale_to_target(
    motions: Iterable[GroundMotion],
    target: Target,
    periods: ArrayLike,
    *,
    at: float | None = None,
    spectra: ArrayLike | None = None,
) -> Scaling:
    """Scale motions to a target spectrum.

    Parameters
    ----------
    motions : to be scaled; may be empty if ``spectra`` are given.
    target : spectrum to aim at, with the damping it holds for.
    periods : [s], at which spectra are compared.
    at : match exactly at this period [s]; by default least squares of ln(spectrum/target) over ``periods``, each of
        them with the same weight.
    spectra : pseudo-accelerations of the motions [g], (motion, period), if you have them; computed otherwise.

    Examples
    --------
    >>> target = asce7(1.0, 0.6)
    >>> found = scale_to_target([], target, [0.2, 0.5, 1.0], spectra=[[0.5, 0.5, 0.3], [2.0, 2.0, 1.2]])
    >>> found.factors.round(12).tolist(), bool(found.suite_error < 1e-12)
    ([2.0, 0.5], True)
    """
    who = "scale_to_target"
    motions = motions_for(who, motions, target)
    T = floats(periods, f"{who}: periods must be (n,) of positive seconds")
    if T.ndim != 1 or not T.size or not (np.isfinite(T) & (T > 0)).all():
        raise InputError(f"{who}: periods must be (n,) of positive seconds")
    given = (
        response(motions, T, target.damping)
        if spectra is None
        else floats(spectra, f"{who}: spectra must be numbers, (motion, period)")
    )
    if given.ndim != 2 or given.shape[1] != len(T) or len(given) == 0 or (motions and len(given) != len(motions)):
        raise InputError(
            f"{who}: spectra must be (motion, period), here ({len(motions) or 'n'}, {len(T)}); got {given.shape}"
        )
    bad = np.argwhere(~(np.isfinite(given) & (given > 0)))
    if bad.size:
        raise InputError(
            f"{who}: the spectrum of motion {bad[0][0]} at {T[bad[0][1]]:g} s is "
            f"{given[tuple(bad[0])]:g}; it must be positive"
        )
    wanted = target.acceleration(T)
    if at is None:
        factors, method = np.exp(np.mean(np.log(wanted / given), axis=1)), "least squares in log"
    else:
        factors, method = _at(who, motions, target, T, at, given, spectra is None), f"at {at:g} s"
    scaled = tuple(motion.scaled(float(factor)) for motion, factor in zip(motions, factors, strict=False))
    return Scaling(target, factors, method, T, factors[:, None] * given, wanted, scaled)


def motions_for(who: str, motions: Iterable[GroundMotion], target: Target) -> tuple[GroundMotion, ...]:
    """The motions, all of which and the target are what they are called."""
    if not isinstance(target, Target):
        raise InputError(f"{who}: target must be a Target, got {target!r:.60}")
    found = tuple(motions) if isinstance(motions, Iterable) else None
    if found is None or not all(isinstance(motion, GroundMotion) for motion in found):
        raise InputError(f"{who}: motions must be ground motions, got {motions!r:.60}")
    return found


def response(motions: Sequence[GroundMotion], periods: Array, damping: float) -> Array:
    """Pseudo-acceleration spectra of motions [g], (motion, period)."""
    # One gravity is 1 here, so that accelerations come out in g; dims are (motion, damping, period).
    return np.asarray(spectrum(list(motions), periods, damping=damping, g=1.0).values("pseudo_acceleration")[:, 0])


def _at(
    who: str, motions: Sequence[GroundMotion], target: Target, periods: Array, at: float, given: Array, computed: bool
) -> Array:
    if not is_positive(at):
        raise InputError(f"{who}: at must be a period in seconds, got {at!r}")
    if computed:
        here = response(motions, np.array([float(at)]), target.damping)[:, 0]
    else:
        place = np.flatnonzero(np.isclose(periods, at, rtol=1e-9, atol=0))
        if not place.size:
            raise InputError(f"{who}: at = {at:g} s must be one of the periods of the spectra given")
        here = given[:, place[0]]
    return np.asarray(target.acceleration(at) / here)
