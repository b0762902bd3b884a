"""Response spectra of motions whose answer is known, spectra of codes, intensities."""

from __future__ import annotations

import numpy as np

import hamex as hx
from hamex.verify.case import Pair, chapter

case = chapter("spectra")
G = 9.80665
CHOPRA = "Chopra, Dynamics of Structures"


@case("S1", f"{CHOPRA}, § 4.5", unit="m", within=1e-11)
def finite_rise_time() -> Pair:
    """Shock spectrum of a force that rises in a straight line and stays."""
    rise, periods = 0.3, np.array([0.1, 0.25, 0.4, 0.8, 1.5])
    ramp = hx.GroundMotion(np.minimum(np.arange(400) * 0.01 / rise, 1.0), 0.01, "m/s2", "ramp")
    x = np.pi * rise / periods
    found = hx.spectrum(ramp, periods, 0.0, g=G).values("displacement")
    return found, (periods / (2 * np.pi)) ** 2 * (1 + np.abs(np.sin(x)) / x)


@case("S2", f"{CHOPRA}, § 4.8", unit="m", within=1e-6)
def half_sine() -> Pair:
    """Shock spectrum of a short half sine of 4000 samples, undamped."""
    lasts, periods = 0.2, np.array([0.5, 0.8, 1.0, 2.0])
    pulse = hx.GroundMotion(np.sin(np.pi * np.arange(4000) / 4000), lasts / 4000, "m/s2", "half sine")
    x = lasts / periods
    exact = (periods / (2 * np.pi)) ** 2 * np.cos(np.pi * x) / x / ((0.5 / x) ** 2 - 1)
    return hx.spectrum(pulse, periods, 0.0, g=G).values("displacement"), exact


@case("S3", "energy balance of the perfectly plastic oscillator", unit="g", within=5e-6)
def constant_ductility() -> Pair:
    """Strength for a ductility under a step, 2μ/(2μ − 1); the search ends at 10⁻⁵ of the strength."""
    samples = np.append(np.full(201, 3.0), np.linspace(3.0, 0.0, 2000))  # it fades so slowly that no peak comes after
    ductility = np.array([1.5, 2.0, 4.0, 8.0])
    found = hx.spectrum(hx.GroundMotion(samples, 0.01, "m/s2", "step"), [0.4], 0.0, g=G, ductility=ductility)
    return found.values("strength"), 3.0 / G * 2 * ductility / (2 * ductility - 1)


@case("S4", "EN 1998-1:2004, 3.2.2.2 and table 3.2, ground C", "published", "g", within=1e-14)
def eurocode() -> Pair:
    """Elastic spectrum of Eurocode 8, type 1, at and between its corners."""
    ag, S, tb, tc, td, eta = 0.25, 1.15, 0.2, 0.6, 2.0, np.sqrt(10 / (5 + 2))
    branches = [1 + 0.5 * (2.5 * eta - 1), 2.5 * eta, 2.5 * eta, 2.5 * eta * tc / 1.2, 2.5 * eta * tc * td / 9]
    target = hx.targets.eurocode8(ag, "C", damping=0.02)
    return target.acceleration(np.array([tb / 2, tb, tc, 1.2, 3.0])), ag * S * np.array(branches)


@case("S5", "ASCE/SEI 7-22, two-period design response spectrum", "published", "g", within=1e-14)
def asce() -> Pair:
    """Design spectrum of ASCE 7, at and between its corners."""
    sds, sd1, tl = 1.0, 0.6, 8.0
    t0, ts = 0.2 * sd1 / sds, sd1 / sds
    exact = [0.4 * sds, 0.7 * sds, sds, sds, sd1 / 2, sd1 * tl / 100]
    return hx.targets.asce7(sds, sd1, tl).acceleration(np.array([0.0, t0 / 2, t0, ts, 2.0, 10.0])), exact


@case("S6", "definitions, π/2g ∫a² dt, ∫|a| dt and ∫a dt", within=1e-12)
def intensities() -> Pair:
    """Arias intensity [m/s], CAV [m/s] and peak velocity [m/s] of a triangle, straight lines between samples."""
    top, half = 2.0, 1.0
    triangle = hx.GroundMotion(np.array([0.0, top, 0.0]), half, "m/s2", "triangle")
    found = hx.intensities(triangle, G, periods=[0.5], length="m", rule="lines")
    names = ("Arias", "CAV", "PGV")
    return [found[name] for name in names], [np.pi / (2 * G) * top**2 * 2 * half / 3, top * half, top * half]
