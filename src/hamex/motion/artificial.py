"""Loads and motions that nobody recorded, by a formula or by a seed.

Forces and ground motions by a formula: sine, constant, rectangle, triangle, half sine, Ricker's wavelet; and what a
file keeps of any other function. Each function of a load is a small frozen record that can be called, so that loads
pickle, print and compare by value.

Synthetic ground motions: seeded noise, shaped in time and frequency by magnitude, distance and site. For teaching,
demonstrations and load tests; they are labelled synthetic and are no substitute for records. White noise is split into
bands of an octave. Each band has an envelope in time of its own, lower frequencies longer ones, so that the frequency
content changes as the shaking goes on; the sum is given the expected Fourier amplitude.

That amplitude and the duration of shaking follow the stochastic method of Boore (2003, Pure and Applied Geophysics
160:635-676) in SI units: the ω² source of Brune (1970) × geometrical spreading and anelastic attenuation ×
amplification by a soil whose velocity grows with depth × loss near the surface (κ). Values are typical of active
crustal regions and round. Nothing here replaces a ground-motion model: there is a point source and no fault, no
direction, no nonlinear soil.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hamex.checks import check_memory, is_finite, is_one_of, is_positive, is_whole, said
from hamex.errors import LoadError
from hamex.model.units import STANDARD_GRAVITY
from hamex.motion.ground import GroundMotion, at_rest
from hamex.motion.load import Load
from hamex.names import options_by_keyword

Array = NDArray[Any]
_WHOLE = 1e-9  # times this close to a sample are the sample's
Shape = Literal["sine", "half_sine", "triangle", "ricker"]
SHAPES: tuple[str, ...] = get_args(Shape)
_LONGEST = 1_000_000  # samples: more is a mistake in the step or in the number of cycles
_RICKER = 3.0  # periods that the wavelet lasts: 1e-8 of its peak is cut off at either end
VELOCITY = 3500.0  # of shear waves at the source [m/s]
DENSITY = 2800.0  # there [kg/m³]
SOIL_DENSITY = 2000.0  # [kg/m³]
RADIATION = 0.55 / math.sqrt(2) * 2  # mean radiation of S waves, one of two components, free surface (Boore 2003)
STRESS_DROP = 10e6  # [Pa]
KAPPA = 0.04  # [s]; Anderson and Hough (1984)
SPREADING = 40e3  # 1/R up to this distance [m], 1/√R beyond; with Q = 180 f^0.45 of Raoof et al. (1999)
STIFFENING = 0.25  # exponent of the mean velocity down to a depth, vs30 (depth/30 m)^STIFFENING
LOW_CUT = 0.05  # [Hz]: below, the amplitude falls fast, as in a processed record
LEAD = 2.0  # seconds before the envelope starts
LENGTH = 3.0  # of the envelope over the duration of shaking, so that D5-95 is about 1.2 times that
STRETCH = 0.15  # duration of a band ∝ f^−STRETCH, 1 at 1 Hz
PEAK, LEFT = 0.2, 0.05  # the envelope peaks at this share of its length; at its end this share of it is left
SPREADS = {"stress drop": 0.5, "duration": 0.3, "kappa": 0.3}  # standard deviations of logarithms
LIMITS = {"magnitude": (4.0, 8.5), "distance": (1.0, 300.0), "vs30": (150.0, 2000.0), "step": (1e-4, 0.05)}


@dataclass(frozen=True)
class Sine:
    """``amplitude · sin(omega t + phase)`` while 0 ≤ t ≤ duration."""

    amplitude: float
    omega: float
    phase: float
    duration: float

    def __call__(self, t: ArrayLike) -> Array:
        time = np.asarray(t, dtype=float)
        on = (time >= 0) & (time <= self.duration)
        return np.where(on, self.amplitude * np.sin(self.omega * time + self.phase), 0.0)


@dataclass(frozen=True)
class Polyline:
    """Straight lines between ``(times, values)``, zero outside."""

    times: tuple[float, ...]
    values: tuple[float, ...]

    def __call__(self, t: ArrayLike) -> Array:
        return np.interp(np.asarray(t, dtype=float), self.times, self.values, left=0.0, right=0.0)


@dataclass(frozen=True, eq=False)
class Sampled:
    """What a file keeps of any other function: samples from t = 0 on, exact at their times and linear in between.

    Nothing is known after the last one.

    Examples
    --------
    >>> kept = Sampled(np.array([0.0, 1.0, 4.0]), step=0.5)
    >>> kept([0.5, 0.75]).tolist()
    [1.0, 2.5]
    """

    values: Array
    step: float

    @property
    def end(self) -> float:
        """Time of the last sample [s]."""
        return (len(self.values) - 1) * self.step

    def __call__(self, t: ArrayLike) -> Array:
        place = np.asarray(t, dtype=float) / self.step
        last = len(self.values) - 1
        near = np.round(place)
        near = np.where(np.abs(place - near) <= _WHOLE * (1 + np.abs(place)), near, place)
        if np.any(near > last) or np.any(near < 0):
            raise LoadError(
                f"this load was a function, of which the file keeps samples up to t = {self.end:g} s; give "
                "the function again: problem.replace(load=hx.Load(function, patterns=problem.load.patterns,"
                " ground=problem.load.ground))"
            )
        below = np.minimum(np.floor(near).astype(int), last)
        part = near - below
        after = self.values[np.minimum(below + 1, last)]
        return np.asarray(np.where(part == 0, self.values[below], self.values[below] * (1 - part) + after * part))


FORMULAS: dict[str, Any] = {"Sine": Sine, "Polyline": Polyline}  # by the names that files keep


@options_by_keyword
def sine(amplitude: float, omega: float, duration: float = math.inf, *, phase: float = 0.0) -> Load:
    """Harmonic force, ``amplitude`` [force], ``omega`` [rad/s], on until ``duration`` [s] inclusive.

    >>> float(sine(2.0, omega=math.pi).forces(0.5))
    2.0
    """
    _finite("sine", amplitude=amplitude, omega=omega, phase=phase)
    _duration("sine", duration)
    breaks = (duration,) if math.isfinite(duration) else ()
    return Load(Sine(amplitude, omega, phase, duration), breaks=breaks)


def constant(amplitude: float, duration: float = math.inf) -> Load:
    """Force switched on at t = 0 and kept until ``duration`` [s] inclusive: a step load.

    >>> float(constant(3.0).forces(10.0))
    3.0
    """
    _finite("constant", amplitude=amplitude)
    _duration("constant", duration)
    return sine(amplitude, omega=0.0, duration=duration, phase=math.pi / 2)


def half_sine(amplitude: float, duration: float) -> Load:
    """One half wave of ``duration`` [s].

    Examples
    --------
    >>> half_sine(2.0, duration=0.5).node_values(0.25, 3).ravel().round(12).tolist()
    [0.0, 2.0, 0.0, 0.0]
    """
    _duration("half_sine", duration, finite=True)
    return sine(amplitude, omega=math.pi / duration, duration=duration)


def triangle(amplitude: float, duration: float, peak: float = 0.5) -> Load:
    """Rise to ``amplitude`` at ``peak · duration``, back to zero at ``duration`` [s]; peak=0 is a blast.

    >>> float(triangle(4.0, duration=2.0).forces(0.5))
    2.0
    """
    _finite("triangle", amplitude=amplitude)
    _duration("triangle", duration, finite=True)
    if not (is_finite(peak) and 0 <= peak <= 1):
        raise LoadError(f"triangle: peak must lie between 0 and 1, got {peak!r}")
    top = peak * duration
    corners = [(0.0, 0.0)] * (peak > 0) + [(top, amplitude)] + [(duration, 0.0)] * (peak < 1)
    times, values = zip(*corners, strict=True)
    return Load(Polyline(times, values), breaks=times)


def _finite(who: str, **values: float) -> None:
    for name, value in values.items():
        if not is_finite(value):
            raise LoadError(f"{who}: {name} must be finite, got {value!r}")


def _duration(who: str, duration: float, finite: bool = False) -> None:
    endless = isinstance(duration, float) and duration == math.inf and not finite
    if not is_positive(duration) and not endless:
        raise LoadError(f"{who}: duration must be a positive number of seconds, got {duration!r:.60}")


def ground_wave(
    shape: Shape, amplitude: float, period: float, *, cycles: float = 1.0, step: float = 0.005, unit: str = "g"
) -> GroundMotion:
    """A ground motion by a formula, sampled; between samples it is linear, as every ground motion.

    Parameters
    ----------
    shape : "sine", so many cycles of it; "half_sine" or "triangle", one pulse of half a period; "ricker", the wavelet
        (1 − 2a) exp(−a), a = (π (t − t₀) / period)², with its peak at t₀ = 1.5 periods.
    amplitude : largest acceleration, in ``unit``.
    period : of a full cycle [s].
    cycles : of the sine, need not be whole; other shapes have one.
    step : time between samples [s].
    unit : of the amplitude, "g", "m/s2" …

    Examples
    --------
    >>> motion = ground_wave("sine", 0.3, period=0.5, cycles=4)
    >>> motion.peak, motion.duration, motion.kind
    (0.3, 2.0, 'synthetic')
    """
    if not is_one_of(shape, SHAPES):
        raise LoadError(f"ground_wave: shape must be one of {', '.join(SHAPES)}, got {shape!r}")
    if not is_finite(amplitude):
        raise LoadError(f"ground_wave: amplitude must be finite, got {amplitude!r}")
    for name, value in (("period", period), ("cycles", cycles), ("step", step)):
        if not is_positive(value):
            raise LoadError(f"ground_wave: {name} must be a positive number, got {value!r}")
    if shape != "sine" and cycles != 1:
        raise LoadError(f"ground_wave: cycles belongs to a sine; a {shape} has one, got {cycles!r}")
    length = period * {"sine": cycles, "half_sine": 0.5, "triangle": 0.5, "ricker": _RICKER}[shape]
    if not length / step < _LONGEST:
        raise LoadError(
            f"ground_wave: {length:g} s in steps of {step:g} s are more than {_LONGEST:,} samples; give a longer step"
        )
    t = step * np.arange(math.ceil(length / step - 1e-9) + 1)
    a = np.where(t <= length * (1 + 1e-12), amplitude * _unit_wave(shape, t / period), 0.0)
    words = f"{shape.replace('_', ' ')} of {period:g} s" + (f", {cycles:g} cycles" if shape == "sine" else "")
    return GroundMotion(a, step, unit, words, kind="synthetic")


def _unit_wave(shape: str, x: NDArray[Any]) -> NDArray[Any]:
    """Amplitude 1, in periods."""
    if shape == "triangle":
        return np.interp(x, (0.0, 0.25, 0.5), (0.0, 1.0, 0.0))
    if shape == "ricker":
        a = (math.pi * (x - _RICKER / 2)) ** 2
        return (1 - 2 * a) * np.exp(-a)
    return np.sin(2 * math.pi * x)


def synthetic_suite(
    count: int,
    *,
    seed: int,
    magnitude: float = 6.5,
    distance: float = 20.0,
    vs30: float = 400.0,
    step: float = 0.01,
    duration: float | None = None,
    scatter: float = 1.0,
) -> tuple[GroundMotion, ...]:
    """So many synthetic ground motions in g.

    Motion i depends on the seed, its place i and the parameters, not on how many are asked for. Every motion starts and
    ends at rest.

    Parameters
    ----------
    count : number of motions.
    seed : whole number ≥ 0; the same seed gives the same bits with the same NumPy on the same kind of processor.
    magnitude : moment magnitude, 4 to 8.5.
    distance : to the fault [km], 1 to 300.
    vs30 : mean shear-wave velocity of the upper 30 m [m/s], 150 to 2000.
    step : time between samples [s], up to 0.05.
    duration : of the record [s]; by default long enough for the envelopes, the same for all.
    scatter : 1 for a stress drop, duration and κ that vary from motion to motion, 0 for none.

    Examples
    --------
    >>> first, second = synthetic_suite(2, seed=1)
    >>> first.kind, first.unit, 0.02 < first.peak < 1.0
    ('synthetic', 'g', True)
    >>> bool((synthetic_suite(1, seed=1)[0].acceleration == first.acceleration).all())
    True
    """
    given = {"magnitude": magnitude, "distance": distance, "vs30": vs30, "step": step}
    for name, value in given.items():
        low, high = LIMITS[name]
        if not is_finite(value) or not low <= value <= high:
            raise LoadError(f"synthetic_suite: {name} must lie between {low:g} and {high:g}, got {value!r}")
    for name, number in (("count", count), ("seed", seed)):
        if not is_whole(number, name == "count"):
            raise LoadError(
                f"synthetic_suite: {name} must be a whole number ≥ {int(name == 'count')}, got {number!r:.40}"
            )
    if not is_finite(scatter) or scatter < 0:
        raise LoadError(f"synthetic_suite: scatter must be a number ≥ 0, got {scatter!r}")
    shaking = shaking_duration(magnitude, distance)
    shortest = LEAD + LENGTH * shaking
    if duration is None:
        duration = 5.0 * math.ceil((LEAD + 2 * LENGTH * shaking) / 5.0)
    elif not is_positive(duration) or duration < shortest:
        raise LoadError(
            f"synthetic_suite: the duration must be at least {shortest:.3g} s for this magnitude and "
            f"distance, got {duration!r}"
        )
    samples = round(min(duration / step, 2.0**62)) + 1
    check_memory(
        "synthetic_suite",
        samples * (int(count) + 100),
        f"{said(count)} motions of {said(samples)} samples",
        "take fewer motions, a shorter duration or a longer step",
    )
    size = 1 << (2 * samples - 1).bit_length()  # zeros behind, so that nothing wraps around
    f = np.fft.rfftfreq(size, step)
    bands = _bands(f)
    what = f"synthetic: M {magnitude:g}, {distance:g} km, vs30 {vs30:g} m/s, scatter {scatter:g}, seed {seed}, motion"
    # Random numbers of each motion by its place, so that the number of motions does not matter.
    streams = (np.random.SeedSequence(int(seed), spawn_key=(i,)) for i in range(count))
    generators = [np.random.Generator(np.random.PCG64(stream)) for stream in streams]
    return tuple(
        GroundMotion(
            _motion(generator, samples, f, bands, magnitude, distance, vs30, scatter) / STANDARD_GRAVITY,
            step,
            "g",
            source=f"{what} {i}",
            kind="synthetic",
        )
        for i, generator in enumerate(generators)
    )


def _motion(
    generator: np.random.Generator,
    samples: int,
    f: Array,
    bands: list[tuple[float, Array]],
    magnitude: float,
    distance: float,
    vs30: float,
    scatter: float,
) -> Array:
    """Acceleration [m/s²] of one motion, from frequencies and bands of a record padded with zeros."""
    size = 2 * (len(f) - 1)
    step = 0.5 / f[-1]
    drop, longer, kappa = (
        math.exp(scatter * spread * z)
        for spread, z in zip(SPREADS.values(), generator.standard_normal(3).tolist(), strict=True)
    )
    stress_drop = STRESS_DROP * drop
    shaking = shaking_duration(magnitude, distance) * longer
    noise = generator.standard_normal(samples)
    shaped = np.zeros(len(f), dtype=complex)
    t = np.arange(samples) * step - LEAD
    for centre, share in bands:
        window = envelope(t, LENGTH * shaking * centre**-STRETCH)
        window /= math.sqrt(step * np.square(window).sum())
        shaped += share * np.fft.rfft(noise * window, size)
    # E|shaped|² = 1/step, but for a per cent where two bands of slightly different envelopes meet: the expected
    # amplitude is the one wanted.
    shaped *= fourier_amplitude(f, magnitude, distance, vs30, stress_drop, KAPPA * kappa)
    return at_rest(np.fft.irfft(shaped, size)[:samples] / math.sqrt(step), step)


def envelope(t: Array, length: float) -> Array:
    """Saragoni and Hart (1974): t^b exp(−ct) from 0 on, 1 at its peak, :data:`LEFT` at ``length`` (Boore 2003).

    >>> envelope(np.array([-1.0, 0.0, 2.0, 10.0]), 10.0).round(3).tolist()
    [0.0, 0.0, 1.0, 0.05]
    """
    b = -PEAK * math.log(LEFT) / (1 + PEAK * (math.log(PEAK) - 1))
    x = np.maximum(t, 0.0) / (PEAK * length)
    return x**b * np.exp(b * (1 - x))


def _bands(f: Array) -> list[tuple[float, Array]]:
    """Bands of an octave: centre [Hz] and share over f; the shares add up to 1."""
    octaves = np.log2(np.maximum(f, f[1] / 2))
    centres = np.arange(-4.0, math.ceil(octaves[-1]) + 1)  # from 1/16 Hz on
    place = np.clip(octaves, centres[0], centres[-1])
    bands = []
    for centre in centres.tolist():
        off = np.abs(place - centre)
        bands.append((2.0**centre, np.where(off < 1, np.cos(0.5 * np.pi * off) ** 2, 0.0)))
    return bands


def seismic_moment(magnitude: float) -> float:
    """Seismic moment [N m] (Hanks and Kanamori 1979).

    >>> f"{seismic_moment(6.5):.2g}"
    '6.3e+18'
    """
    return 10 ** (1.5 * magnitude + 9.05)


def corner_frequency(magnitude: float, stress_drop: float) -> float:
    """Corner frequency of the source [Hz]: Brune's circle, 2.34/2π (16/7)^⅓ β (Δσ/M₀)^⅓; stress drop [Pa].

    >>> round(corner_frequency(6.5, 10e6), 2)
    0.2
    """
    return 2.34 / (2 * math.pi) * (16 / 7) ** (1 / 3) * VELOCITY * (stress_drop / seismic_moment(magnitude)) ** (1 / 3)


def effective_distance(magnitude: float, distance: float) -> float:
    """Distance of a point [m] that shakes like a fault as far away as ``distance`` [km] (Yenier and Atkinson 2014)."""
    return 1e3 * math.hypot(distance, 10 ** (-1.72 + 0.43 * magnitude))


def fourier_amplitude(
    f: Array, magnitude: float, distance: float, vs30: float, stress_drop: float = STRESS_DROP, kappa: float = KAPPA
) -> Array:
    """Fourier amplitude of the ground acceleration [m/s] at frequencies f ≥ 0 [Hz].

    ``distance`` in km, ``vs30`` in m/s, ``stress_drop`` in Pa, ``kappa`` in s.
    """
    R = effective_distance(magnitude, distance)
    source = (
        RADIATION
        * seismic_moment(magnitude)
        / (4 * math.pi * DENSITY * VELOCITY**3)
        * (2 * np.pi * f) ** 2
        / (1 + (f / corner_frequency(magnitude, stress_drop)) ** 2)
    )
    spread = 1 / min(R, SPREADING) * math.sqrt(min(1.0, SPREADING / R))
    # f/Q(f) = f^0.55/180; low frequencies are cut as by a Butterworth filter of fourth order, once.
    path = spread * np.exp(-np.pi * R / VELOCITY * f**0.55 / 180)
    ratio = (f / LOW_CUT) ** 4
    return source * path * soil_amplification(f, vs30) * np.exp(-np.pi * kappa * f) * ratio / np.sqrt(1 + ratio**2)


def soil_amplification(f: Array, vs30: float) -> Array:
    """Square root of impedances, source over soil down to a quarter of a wavelength (Joyner et al. 1981).

    With the mean velocity v = vs30 (z/30 m)^p down to a depth z, and z = v/(4f), it is v^(1−p) = vs30 (120 m f)^−p.

    >>> soil_amplification(np.array([400 / 120]), 400.0).round(2).tolist()     # a quarter of a wavelength is 30 m
    [3.5]
    """
    p = STIFFENING
    with np.errstate(divide="ignore"):
        v = np.minimum((vs30 * (120.0 * f) ** -p) ** (1 / (1 - p)), VELOCITY)
    return np.sqrt(np.maximum(DENSITY * VELOCITY / (SOIL_DENSITY * v), 1.0))


def shaking_duration(magnitude: float, distance: float, stress_drop: float = STRESS_DROP) -> float:
    """Duration of strong shaking [s]: that of the source, 1/corner, and that of the path, 0.2 s/km up to 40 km and
    0.05 s/km beyond, close to what Boore and Thompson (2014) found."""
    return 1 / corner_frequency(magnitude, stress_drop) + 0.2 * min(distance, 40.0) + 0.05 * max(distance - 40.0, 0.0)
