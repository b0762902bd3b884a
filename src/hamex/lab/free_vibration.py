"""What a scheme makes of free vibration: spectral radius, period and damping against h/T, overshoot, energy drift.

Hilber & Hughes (1978): spectral radii say nothing about overshoot; started with u₀ or v₀, the first steps of a motion
much faster than the step can be far too large although it decays later.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.march.reference import free_energy, linear_map
from hamex.march.run import march
from hamex.model.oscillator import oscillator
from hamex.motion.pulses import constant
from hamex.problem import State
from hamex.schemes import Newmark, Scheme
from hamex.schemes.linear import start
from hamex.schemes.time_elements import TimeElement
from hamex.solve import Problem, solve

Array = NDArray[Any]
COARSE, FIRST = 10.0, 20  # overshoot: h/T, and how many steps are the first
PERIODS = 100_000  # of the energy drift
STEPS_PER_PERIOD = 20
_LEG = 500  # periods of one run, so that no long history is kept
_REAL = 1e-9  # |Im λ| below this: the pair has become real and no longer swings
_ROUND_OFF = 1e-7  # of the modulus of a double eigenvalue


@dataclass(frozen=True)
class SpectralProperties:
    """Arrays over ``step`` = h/T: spectral radius; (T̄ − T)/T; ζ̄; the last two NaN where the motion does not swing."""

    step: Array
    radius: Array
    elongation: Array
    damping: Array


def spectral_properties(scheme: Scheme, step: Array | float, zeta: float = 0.0) -> SpectralProperties:
    """Numbers of the free vibration that the scheme computes for step/period ratios ``step``.

    The principal pair λ = exp((−ζ̄ ± i) Ω̄) is the one nearest to the exact exp(iΩ), from small steps on.
    """
    step = np.atleast_1d(np.asarray(step, dtype=float))
    Omega = 2 * np.pi * step
    values = np.linalg.eigvals(scheme.linear(Omega, zeta).matrix).astype(complex)
    exact = np.exp((-zeta + 1j * np.sqrt(1 - zeta**2)) * Omega)
    swinging = np.where(values.imag > _REAL, values, np.nan)
    distance = np.abs(swinging - exact[:, None])
    nearest = np.argmin(np.where(np.isnan(distance), np.inf, distance), axis=1)
    principal = swinging[np.arange(len(step)), nearest]
    with np.errstate(invalid="ignore"):
        angle, decay = np.angle(principal), -np.log(np.abs(principal))
    damped = Omega * np.sqrt(1 - zeta**2)
    return SpectralProperties(step, np.abs(values).max(axis=1), damped / angle - 1, decay / angle)


def stability_limit(scheme: Scheme, largest: float = 1e3) -> float:
    """Largest ωh up to which an undamped vibration stays bounded; infinite if that is beyond ``largest``."""
    scan = np.geomspace(0.1, largest, 400)
    grows = spectral_radius(scheme, scan) > 1 + _ROUND_OFF
    if not grows.any():
        return float("inf")
    first = int(np.argmax(grows))
    low, high = scan[first - 1] if first else 0.0, scan[first]
    for _ in range(50):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if spectral_radius(scheme, middle)[0] > 1 + _ROUND_OFF else (middle, high)
    return float(low)


def spectral_radius(scheme: Scheme, Omega: Array | float) -> Array:
    """Spectral radius at Ω = ωh, undamped."""
    values = np.linalg.eigvals(scheme.linear(np.atleast_1d(Omega)).matrix)
    return np.asarray(np.abs(values).max(axis=1))


def remains(scheme: Scheme) -> float:
    """ρ∞: the share of an infinitely fast undamped motion that one step leaves."""
    return float(spectral_radius(scheme, 1e5)[0])


@dataclass(frozen=True)
class Overshoot:
    """Largest |u| and |u̇| over the first steps, relative to the exact ones; histories (steps + 1, 2) of both."""

    from_displacement: tuple[float, float]
    from_velocity: tuple[float, float]
    displaced: Array
    kicked: Array


def overshoot(scheme: Scheme) -> Overshoot | None:
    """Undamped, h/T = 10, maxima over the first steps relative to the exact ones, 1 at best: u/u₀ and u̇/(ωu₀) from a
    displacement, ωu/v₀ and u̇/v₀ from a velocity; None for a scheme that is unstable at this step."""
    omega = 2 * np.pi
    if spectral_radius(scheme, omega * COARSE)[0] > 1 + 1e-7:
        return None
    load = np.zeros((FIRST, len(scheme.linear(1.0).nodes)))
    displaced = oscillator_history(scheme, omega, 0.0, COARSE, load, u=1.0) / [1.0, omega]
    kicked = oscillator_history(scheme, omega, 0.0, COARSE, load, v=omega) / [1.0, omega]
    (u_u, v_u), (u_v, v_v) = (np.abs(history).max(axis=0).tolist() for history in (displaced, kicked))
    return Overshoot((u_u, v_u), (u_v, v_v), displaced, kicked)


@dataclass(frozen=True)
class Drift:
    """Energy relative to the start: at the end, and its largest distance from 1."""

    end: float
    largest: float


def drift(make: Callable[[float], Scheme], periods: int = PERIODS, steps_per_period: int = STEPS_PER_PERIOD) -> Drift:
    """Free vibration from u = 1, its energy looked at once a period; time elements as :func:`hamex.solve` runs
    them, the others by the matrix of their step, whose rounding can gather about 1e-16 a step."""
    scheme = make(1 / steps_per_period)
    if isinstance(scheme, TimeElement):
        relative = _solved(scheme, periods, steps_per_period)
    else:
        Omega = 2 * np.pi / steps_per_period
        one = scheme.linear(Omega)
        x = start(one.size, Omega, 0.0, 1.0, 0.0)
        energy = np.zeros(periods + 1)
        march(
            free_energy,
            (one.matrix, Omega**2, steps_per_period),
            (x, np.zeros(one.size), energy),
            periods * steps_per_period,
        )
        relative = energy / energy[0]
    return Drift(float(relative[-1]), float(np.abs(relative - 1).max()))


def _solved(scheme: Scheme, periods: int, steps_per_period: int) -> Array:
    """Runs of some periods of 1 s, each starting where the last one ended."""
    stiffness = 4 * math.pi**2
    state, found = State(displacement=np.ones(1)), [np.ones(1)]
    problem = Problem(oscillator(1.0, stiffness), constant(0.0), duration=1.0)
    for leg in range(0, periods, _LEG):
        here = problem.replace(duration=float(min(_LEG, periods - leg)), start=state)
        solution = solve(here, scheme)
        u, p = (solution.values(name)[steps_per_period::steps_per_period, 0] for name in ("displacement", "momentum"))
        found.append((p**2 + stiffness * u**2) / stiffness)
        state = solution.final
    return np.concatenate(found)


def oscillator_history(
    scheme: Scheme, omega: float, zeta: float, step: float, load: Array, u: float = 0.0, v: float = 0.0
) -> Array:
    """Displacement and velocity (steps + 1, 2) of ü + 2ζω u̇ + ω² u = f.

    ``load`` (steps, k) is f at the scheme's load nodes; omega in 1/s, step in s.
    """
    Omega = omega * step
    one = scheme.linear(Omega, zeta)
    x = np.empty((len(load) + 1, one.size))
    x[0] = start(one.size, Omega, zeta, u, step * v, step**2 * load[0, 0] if one.nodes[0] == 0 else 0.0)
    march(linear_map, (step**2 * load, one.matrix, one.loading), (x,), len(load))
    return x[:, :2] / [1.0, step]


def return_map(step: float) -> Scheme:
    """Newmark with its return map at the end of the step, to round-off: what rate-independent references rest on."""
    return Newmark(step, tolerance=1e-12, max_iterations=60)


def load_at(problem: Problem, step: float, steps: int, nodes: Array) -> Array:
    """The load of one mass (steps, k) at the given fractions of each step."""
    values = problem.acting.stage_values(step, steps, nodes.tolist(), "average", quiet=True)
    patterns = problem.acting.patterns
    return np.asarray(values[:, :, 0] if patterns is None else values @ patterns[0])


def at_nodes(function: Callable[[Array], Array], nodes: Array, step: float, steps: int) -> Array:
    """A function of time at the load nodes of every step, (steps, k)."""
    return np.asarray(function((np.arange(steps)[:, None] + nodes) * step))
