"""The door of the spectra: check, choose who computes, label."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hamex import __version__
from hamex.errors import InputError
from hamex.model.units import Units
from hamex.motion.ground import GroundMotion, kinds_of
from hamex.study.spectrum import inputs
from hamex.study.spectrum.elastic import PARTS, PEAKS, SHORTEST, Elastic
from hamex.study.spectrum.records import FINER, INTERPOLATIONS, Record, record
from hamex.study.spectrum.result import Spectrum
from hamex.study.spectrum.rotated import COMBINATIONS, MEANING, Rotated
from hamex.study.spectrum.yielding import SEARCH, SHORTEST_YIELDING, STEPS, Yielding

Array = NDArray[Any]


def spectrum(
    motion: GroundMotion | Sequence[GroundMotion],
    periods: ArrayLike,
    damping: ArrayLike = 0.05,
    *,
    g: float,
    across: GroundMotion | Sequence[GroundMotion] | None = None,
    peaks: Literal["inside", "samples"] = "inside",
    interpolation: Literal["linear", "band-limited"] = "linear",
    measures: Sequence[str] = ("displacement",),
    ductility: ArrayLike | None = None,
    strength: ArrayLike | None = None,
    branches: bool = False,
    hardening: float = 0.0,
    viscosity: float = 0.0,
    units: Units | None = None,
    threads: int | None = None,
) -> Spectrum:
    """Response spectrum: the largest that oscillators of many periods do under a ground motion.

    Elastic unless ``ductility`` or ``strength`` is given; then the oscillators yield, and each point is the largest
    strength that gives a ductility, or what a strength gives, with error bars.

    The motion of the oscillators is exact for the interpolated record. Results are the same bits for any number of
    threads, any order of the periods and whatever else is computed beside them.

    Parameters
    ----------
    motion : a ground motion, or a list of them for the dimension motion in front. One zero sample follows the last.
    periods : natural periods [s], a number or (n,).
    damping : ratios of critical damping, 0 ≤ ζ < 1, a number or (n,).
    g : one gravity in the units of the result, e.g. 9.80665 for metres or 386.0886 for inches.
    across : the other horizontal component, at 90° to ``motion`` and with the same step; results then have the
        dimension combination: RotD00, RotD50 and RotD100 over 180 directions one degree apart, and the geometric mean.
        The shorter component is followed by zeros.
    peaks : "inside" finds the peak at any time, between samples to round-off and in the free vibration after the
        record too; "samples" looks at the samples only, as many programs do, and falls short of it for short periods.
    interpolation : of the record between its samples, "linear" or "band-limited".
    measures : names to compute at once; the others are computed when first asked for.
    ductility : largest displacement over that at first yield, above 1: spectra of constant ductility.
    strength : yield force over weight, above 0: spectra of constant strength.
    branches : every strength that gives a ductility, as dimension branch, the largest first; NaN where there are fewer.
    hardening : stiffness after yield over elastic stiffness, 0 ≤ … < 1 (kinematic).
    viscosity : of the slider, over the elastic stiffness [s]: the time in which overstress decays.
    units : names of the units, for labels.
    threads : number of threads; by default as many as pay.

    Returns
    -------
    Spectrum with displacement [length], pseudo_velocity [length/s], pseudo_acceleration [length/s²], velocity,
    absolute_acceleration and, for single components, input_energy [length²/s²], dims (damping, period). Inelastic ones
    have strength, yield_displacement, reached_ductility, residual_displacement, error bars and more, dims (damping,
    ductility or strength, period).

    Examples
    --------
    >>> import hamex as hx
    >>> spec = hx.spectrum(hx.el_centro(), [0.1, 0.5, 2.0], damping=0.05, g=9.80665)
    >>> (spec.values("pseudo_acceleration") / 9.80665).round(3).tolist()
    [[0.649, 0.919, 0.137]]
    >>> spec.attributes["interpolation"]
    'linear between samples; one zero sample follows the last'
    >>> hx.spectrum(hx.el_centro(), [0.5], g=9.80665, ductility=[4]).values("strength").round(3).tolist()
    [[[0.18]]]
    """
    first = inputs.motions("motion", motion)
    several = not isinstance(motion, GroundMotion)
    others = None if across is None else inputs.motions("across", across)
    period, ratio = inputs.periods(periods), inputs.damping(damping)
    length = inputs.gravity(g, units)
    inputs.choice("peaks", peaks, tuple(PEAKS))
    inputs.choice("interpolation", interpolation, tuple(INTERPOLATIONS))
    inputs.threads(threads)
    if ductility is not None or strength is not None:
        inputs.elastic_only(across=across is not None, interpolation=interpolation != "linear", peaks=peaks != "inside")
        return _yielding(first, several, period, ratio, ductility, strength, inputs.share("hardening", hardening),
                         inputs.share("viscosity", viscosity, math.inf), bool(branches), float(g), length, threads)
    shortest = SHORTEST[peaks] / (FINER if interpolation == "band-limited" else 1)
    inputs.span(period, [given.step for given in first], shortest)
    omega, zeta = np.empty((ratio.size, period.size)), np.empty((ratio.size, period.size))
    omega[:], zeta[:] = 2 * math.pi / period, ratio[:, None]
    coordinates: dict[str, Array] = {"damping": ratio, "period": period}
    family: Elastic | Rotated
    if others is None:
        records = tuple(record(given, g, interpolation) for given in first)
        family = Elastic(records, several, omega, zeta, peaks, threads)
    else:
        inputs.pairs(first, others)
        inputs.choice("peaks of two components", peaks, ("inside",))
        family = Rotated(tuple(_pair(x, y, g, interpolation) for x, y in zip(first, others, strict=True)), several,
                         omega, zeta, threads)
        coordinates = {"combination": np.array(COMBINATIONS), **coordinates}
    wanted = inputs.names(measures, tuple(family.quantities))
    if several:
        labels = [given.source or f"motion {number}" for number, given in enumerate(first)]
        coordinates = {"motion": np.array(labels), **coordinates}
    words: dict[str, str | float] = {
        "interpolation": INTERPOLATIONS[interpolation], "peaks": PEAKS[peaks], "parts_of_steps": PARTS[peaks],
        "source": _sources(first), "motions": kinds_of(first), "g": float(g), "length": length, "hamex": __version__}
    if others is not None:
        words |= {"across": _sources(others), "combination": MEANING}
    result = Spectrum(coordinates, family, length, words)
    for name in wanted:
        result.values(name)
    return result


def _yielding(motions: list[GroundMotion], several: bool, periods: Array, damping: Array, ductility: ArrayLike | None,
              strength: ArrayLike | None, hardening: float, viscosity: float, branches: bool, g: float, length: str,
              threads: int | None) -> Spectrum:
    if ductility is not None and strength is not None:
        raise InputError("spectrum: give either ductility or strength")
    by = "strength" if ductility is None else "ductility"
    targets = inputs.targets(by, strength if ductility is None else ductility, 0.0 if ductility is None else 1.0)
    if branches and by == "strength":
        raise InputError("spectrum: branches are of a ductility; a strength gives one answer")
    inputs.span(periods, [motion.step for motion in motions], SHORTEST_YIELDING)
    still = [number for number, motion in enumerate(motions) if motion.peak == 0]
    if still and by == "ductility":
        raise InputError(f"spectrum: motion {still[0]} is zero throughout; nothing yields under it")
    family = Yielding(tuple(motions), several, periods, damping, targets, by == "ductility", branches, hardening,
                      viscosity, g, threads)
    coordinates: dict[str, Array] = {"damping": damping, by: targets}
    if several:
        labels = [motion.source or f"motion {number}" for number, motion in enumerate(motions)]
        coordinates = {"motion": np.array(labels), **coordinates}
    if branches:
        coordinates["branch"] = np.arange(family.width)
    words: dict[str, str | float] = {
        "interpolation": INTERPOLATIONS["linear"], "peaks": "largest value at the ends of the steps", "steps": STEPS,
        "law": f"bilinear, hardening {hardening:g}, viscosity over stiffness {viscosity:g} s", "g": g, "length": length,
        "source": _sources(motions), "motions": kinds_of(motions), "hamex": __version__}
    if by == "ductility":
        words["search"] = SEARCH
    return Spectrum({**coordinates, "period": periods}, family, length, words)


def _sources(motions: list[GroundMotion]) -> str:
    return "; ".join(motion.source for motion in motions)


def _pair(x: GroundMotion, y: GroundMotion, g: float, interpolation: str) -> tuple[Record, Record]:
    count = max(x.acceleration.size, y.acceleration.size)
    return record(x, g, interpolation, count), record(y, g, interpolation, count)
