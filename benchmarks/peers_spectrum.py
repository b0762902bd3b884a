"""Rivals of the elastic spectrum: each turns periods into pseudo-accelerations of El Centro, by its own convention."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import limits
import measuring
import numpy as np
import oscillators
import ours
import peers
from measuring import NotMeasuredError

Array = np.ndarray[Any, Any]
SAMPLES = "peaks at the samples"


@dataclass(frozen=True)
class Rival:
    """``compute()`` gives pseudo-accelerations [m/s²]; ``convention`` says what is taken for the peak."""

    name: str
    kind: str  # hamex, limit or peer
    compute: Callable[[], Array]
    convention: str
    compiled: bool = False


def step_matrices(periods: Array, step: float, damping: float) -> tuple[Array, Array]:
    """Exact ``x ← A x + B (a₀, a₁)`` of x = (u, u') under a ground acceleration that is linear in the step.

    Differences of near numbers cost digits of B where steps are short, but of a B that is small as well: errors are
    about 1e-15 of the static displacement.
    """
    omega, root = 2.0 * np.pi / periods, math.sqrt(1.0 - damping**2)
    decay, angle = np.exp(-damping * omega * step), root * omega * step
    a11 = decay * (damping / root * np.sin(angle) + np.cos(angle))
    a12 = decay * np.sin(angle) / (root * omega)
    # From rest: a unit acceleration, and a unit slope, which is its integral in time.
    held, held_velocity = (a11 - 1.0) / omega**2, -a12
    ramp, ramp_velocity = (2.0 * damping / omega * (1.0 - a11) + a12 - step) / omega**2, held
    A = np.stack(
        [np.stack([a11, a12], axis=1), np.stack([-(omega**2) * a12, a11 - 2.0 * damping * omega * a12], axis=1)], axis=1
    )
    end = np.stack([ramp, ramp_velocity], axis=1) / step
    return A, np.stack([np.stack([held, held_velocity], axis=1) - end, end], axis=2)


def continuous(periods: Array, ground: Array, step: float, damping: float, parts: int = 200) -> Array:
    """Pseudo-accelerations with peaks looked for at ``parts`` points of every step of the exact motion."""
    A, B = step_matrices(periods, step, damping)
    states = np.zeros((ground.size, len(periods), 2))
    for r in range(ground.size - 1):
        states[r + 1] = (
            A[:, :, 0] * states[r, :, :1]
            + A[:, :, 1] * states[r, :, 1:]
            + B[:, :, 0] * ground[r]
            + B[:, :, 1] * ground[r + 1]
        )
    # Inside the step the motion is the same formula with a shorter step and the acceleration reached by then.
    peaks = np.zeros(len(periods))
    for j in range(1, parts + 1):
        share = j / parts
        A, B = step_matrices(periods, share * step, damping)
        reached = (1.0 - share) * ground[:-1] + share * ground[1:]
        u = (
            A[:, 0, 0] * states[:-1, :, 0]
            + A[:, 0, 1] * states[:-1, :, 1]
            + np.outer(ground[:-1], B[:, 0, 0])
            + np.outer(reached, B[:, 0, 1])
        )
        peaks = np.maximum(peaks, np.abs(u).max(axis=0))
    return (2.0 * np.pi / periods) ** 2 * peaks


def hamex(periods: Array, peaks: str) -> Rival:
    """``hx.spectrum``, the whole call."""
    ours.need("spectrum")
    inside = peaks == "inside"
    return Rival(
        f"hamex, peaks {'inside the step' if inside else 'at samples'}",
        "hamex",
        lambda: ours.spectrum(periods, peaks),
        "peaks inside the step" if inside else SAMPLES,
    )


def limit(periods: Array) -> Rival:
    """C across periods."""
    try:
        one = limits.Spectrum(periods, oscillators.ground(), oscillators.STEP, oscillators.DAMPING)
    except limits.LimitError as error:
        raise NotMeasuredError(str(error)) from error
    found = measuring.alternate({str(n): (lambda n=n: measuring.cpu(lambda: one.run(n))) for n in one.vectors}, 30)
    best = int(min(found, key=found.__getitem__))
    omega = (2.0 * np.pi / periods) ** 2
    return Rival("C with vectors", "limit", lambda: omega * one.run(best), SAMPLES)


def lfilter(periods: Array) -> Rival:
    """The exact recurrence as a digital filter, one call of SciPy per period."""
    from scipy.signal import lfilter as run

    def compute() -> Array:
        ground, step = oscillators.ground(), oscillators.STEP
        A, B = step_matrices(periods, step, oscillators.DAMPING)
        (a11, a12), (a21, a22) = A.transpose(1, 2, 0)
        (b11, b12), (b21, b22) = B.transpose(1, 2, 0)
        now, before = b11 + a12 * b22 - a22 * b12, a12 * b21 - a22 * b11
        forward = np.stack([b12, now, before], axis=1)
        back = np.stack([np.ones_like(a11), -(a11 + a22), a11 * a22 - a12 * a21], axis=1)
        rest = np.stack([-b12, b11 - now], axis=1) * ground[0]  # at rest at the first sample
        peaks = [np.abs(run(*row, ground, zi=zi)[0]).max() for *row, zi in zip(forward, back, rest, strict=True)]
        return (2.0 * np.pi / periods) ** 2 * peaks

    return Rival("scipy.signal.lfilter per period", "peer", compute, SAMPLES)


def eqsig_pseudo(periods: Array) -> Rival:
    """eqsig's function."""
    sdof = peers.load("eqsig.sdof")
    return Rival(
        "eqsig, pseudo_response_spectra",
        "peer",
        lambda: sdof.pseudo_response_spectra(oscillators.ground(), oscillators.STEP, periods, oscillators.DAMPING)[2],
        f"{SAMPLES}; PGA below T = 6 dt",
    )


def eqsig_signal(periods: Array) -> Rival:
    """eqsig's object."""
    eqsig = peers.load("eqsig")

    def compute() -> Array:
        signal = eqsig.AccSignal(oscillators.ground(), oscillators.STEP, response_times=periods)
        return np.asarray(signal.s_a)

    return Rival("eqsig, AccSignal.s_a", "peer", compute, "peaks at samples four times finer; PGA below six of these")


def pyrotd(periods: Array, zeros: int = 0) -> Rival:
    """pyrotd, on one core; the record as it is, or followed by zeros that keep its periods apart."""
    package = peers.load("pyrotd")
    package.processes = 1

    def compute() -> Array:
        record = np.append(oscillators.ground(), np.zeros(zeros))
        return np.asarray(
            package.calc_spec_accels(oscillators.STEP, record, 1.0 / periods, oscillators.DAMPING).spec_accel
        )

    name, after = ("pyrotd, zeros appended", ", zeros after") if zeros else ("pyrotd", ", record periodic")
    return Rival(name, "peer", compute, f"band-limited between samples{after}")


def gmspy(periods: Array) -> Rival:
    """gmspy's Nigam-Jennings."""
    package = peers.load("gmspy")
    return Rival(
        "gmspy",
        "peer",
        lambda: package.elas_resp_spec(oscillators.STEP, oscillators.ground(), periods, oscillators.DAMPING)[:, 0],
        SAMPLES,
        compiled=True,
    )


def dvars(periods: Array) -> Rival:
    """dvars: a C translation of Boore's rdcalcdp; it chooses the frequencies, spread as our periods are."""
    package = peers.load("dvars")
    ends = 1.0 / periods[-1], 1.0 / periods[0]

    def compute() -> Array:
        frequency, displacement, _ = package.dars(
            oscillators.ground(), 1.0 / oscillators.STEP, len(periods), *ends, oscillators.DAMPING
        )
        return np.asarray(((2.0 * np.pi * frequency) ** 2 * displacement)[::-1])

    return Rival("dvars", "peer", compute, f"{SAMPLES}, record in float32", compiled=True)


def esi(periods: Array) -> Rival:
    """The compiled part of USGS's gmprocess."""
    kernel = peers.load("esi_core.gmprocess.metrics.oscillators").calculate_spectrals
    omega = (2.0 * np.pi / periods) ** 2

    def compute() -> Array:
        ground, step = oscillators.ground(), oscillators.STEP
        return omega * [
            np.abs(kernel(ground, ground.size, step, 1.0 / step, period, oscillators.DAMPING)[2]).max()
            for period in periods
        ]

    return Rival("esi-core", "peer", compute, f"{SAMPLES} (gmprocess resamples first)", compiled=True)


def sdof(periods: Array) -> Rival:
    """STAIRlab's C library, one history per period."""
    integrate = peers.load("sdof").integrate
    omega = 2.0 * np.pi / periods

    def compute() -> Array:
        load = -oscillators.ground()
        return omega**2 * [
            np.abs(integrate(load, oscillators.STEP, w * w, 2.0 * oscillators.DAMPING * w, 1.0)[0]).max() for w in omega
        ]

    return Rival("sdof", "peer", compute, f"{SAMPLES} of Newmark's average acceleration", compiled=True)


def structdyn(periods: Array) -> Rival:
    """structdyn's exact recurrence in plain Python."""
    spectrum = peers.load("structdyn.sdf.response_spectrum").ResponseSpectrum
    motion = peers.load("structdyn.ground_motions.ground_motion").GroundMotion
    record = motion.from_arrays(oscillators.RECORD.acceleration, oscillators.STEP, scale_factor=oscillators.GRAVITY)
    omega = (2.0 * np.pi / periods) ** 2
    return Rival(
        "structdyn",
        "peer",
        lambda: omega * spectrum(periods, oscillators.DAMPING, record).compute()["Sd"].to_numpy(),
        SAMPLES,
    )


RIVALS: dict[str, Callable[[Array], Rival]] = {
    "hamex, peaks at samples": lambda periods: hamex(periods, "samples"),
    "hamex, peaks inside the step": lambda periods: hamex(periods, "inside"),
    "C with vectors": limit,
    "dvars": dvars,
    "esi-core": esi,
    "gmspy": gmspy,
    "sdof": sdof,
    "scipy.signal.lfilter per period": lfilter,
    "pyrotd": pyrotd,
    "pyrotd, zeros appended": lambda periods: pyrotd(periods, oscillators.RECORD.acceleration.size),
    "eqsig, pseudo_response_spectra": eqsig_pseudo,
    "eqsig, AccSignal.s_a": eqsig_signal,
    "structdyn": structdyn,
}


def available(periods: Array) -> tuple[dict[str, Rival], dict[str, str]]:
    """Rivals that can be measured here, and why the others cannot."""
    found: dict[str, Rival] = {}
    missing: dict[str, str] = {}
    for name, make in RIVALS.items():
        try:
            found[name] = make(periods)
        except NotMeasuredError as reason:
            missing[name] = str(reason)
    return found, missing
