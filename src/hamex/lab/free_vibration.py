"""What a scheme makes of free vibration: spectral radius, period and damping against h/T, overshoot, energy drift.

Hilber & Hughes (1978): spectral radii say nothing about overshoot; started with u₀ or v₀, the first steps of a motion
much faster than the step can be far too large although it decays later.

What a scheme makes of modes that are faster than its step, in two structures marched mode by mode.

A stiff spring before a soft one, moved at its end: the model problem of Bathe & Noh (2012). Masses m₂ = m₃ = 1, springs
k₁ = 10⁷ (stiff) and k₂ = 1, and a support that moves by u₁ = sin 1.2t. The stiff motion has a period of 0.002 s, the
step is 0.2618 s: what a good scheme computes is the slow motion, with the stiff part following its force. That is also
the reference here: the soft mode exactly, the stiff one statically.

A step load at the end of an elastic bar: how much the front rings. Length 1, wave speed 1, stiffness EA = 1: a row of
masses, fixed at x = 0, pulled by a unit force at x = 1 from t = 0. The exact force at mid-length is 0 before the front
(t = 0.5), 1 behind it and 2 after its reflection (t = 1.5)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.march.reference import free_energy, linear_map
from hamex.march.run import march
from hamex.model.oscillator import oscillator
from hamex.motion.artificial import constant
from hamex.problem import State
from hamex.schemes import Newmark, Scheme
from hamex.schemes.scheme import start
from hamex.schemes.time_elements import TimeElement
from hamex.solve import Problem
from hamex.solve import run as solve  # without what users are warned of

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


STIFF, SOFT, FORCING = 1e7, 1.0, 1.2
STIFF_SOFT_STEP = 0.2618  # s, a twentieth of the period of the support
STIFF_SOFT_STEPS = 76  # about 20 s
SETTLED = 10  # steps after which a scheme should have forgotten the start
BAR_MASSES = 100
BAR_DURATION = 2.0
COURANT = (0.5, 1.0, 2.0)  # h c/Δx


@dataclass(frozen=True)
class StiffSoft:
    """Largest errors after the first steps, relative to the largest true value; infinite if the scheme is unstable."""

    soft_displacement: float
    stiff_velocity: float
    reaction: float
    time: Array
    velocity: Array


def stiff_soft(scheme: Scheme) -> StiffSoft:
    """Motion of the soft mass, velocity of the stiff one, and the reaction at the support."""
    omega, shapes, push = _stiff_soft_modes()
    u, v = modal_history(scheme, omega, shapes, push, lambda t: np.sin(FORCING * t), STIFF_SOFT_STEP, STIFF_SOFT_STEPS)
    time = np.arange(STIFF_SOFT_STEPS + 1) * STIFF_SOFT_STEP
    exact_u, exact_v = stiff_soft_reference(time)
    support = np.sin(FORCING * time)

    def error(found: Array, exact: Array) -> float:
        worst = float(np.abs(found - exact)[SETTLED:].max() / np.abs(exact).max())
        return worst if worst < 1e6 else float("inf")

    with np.errstate(invalid="ignore", over="ignore"):
        return StiffSoft(
            error(u[:, 1], exact_u[:, 1]),
            error(v[:, 0], exact_v[:, 0]),
            error(STIFF * (support - u[:, 0]), STIFF * (support - exact_u[:, 0])),
            time,
            v[:, 0],
        )


def stiff_soft_reference(time: Array) -> tuple[Array, Array]:
    """Displacements and velocities (n, 2): the soft mode from rest, the stiff one at its static value."""
    omega, shapes, push = _stiff_soft_modes()
    (slow, fast), (load, stiff_load) = omega, shapes.T @ push
    gain = load / (slow**2 - FORCING**2)
    y = np.stack(
        [
            gain * (np.sin(FORCING * time) - FORCING / slow * np.sin(slow * time)),
            stiff_load / (fast**2 - FORCING**2) * np.sin(FORCING * time),
        ],
        axis=1,
    )
    rate = np.stack(
        [
            gain * FORCING * (np.cos(FORCING * time) - np.cos(slow * time)),
            stiff_load / (fast**2 - FORCING**2) * FORCING * np.cos(FORCING * time),
        ],
        axis=1,
    )
    return y @ shapes.T, rate @ shapes.T


@cache
def _stiff_soft_modes() -> tuple[Array, Array, Array]:
    """Frequencies, shapes with unit modal mass, and the force for a unit displacement of the support."""
    values, shapes = np.linalg.eigh([[STIFF + SOFT, -SOFT], [-SOFT, SOFT]])
    values[0] = (STIFF * SOFT) / values[1]  # the product is the determinant: no cancellation
    return np.sqrt(values), shapes, np.array([STIFF, 0.0])


@dataclass(frozen=True)
class Front:
    """Force in the bar at mid-length in time. ``overshoot``: largest force behind the front, before the reflection,
    minus 1; ``ringing``: root mean square distance from 1 there; ``smear``: time the force takes from 0.1 to 0.9."""

    time: Array
    force: Array
    overshoot: float
    ringing: float
    smear: float


def front(scheme: Scheme, courant: float = 1.0) -> Front | None:
    """The wave front at a Courant number; None if the scheme is unstable there."""
    omega, shapes, push = _bar_modes()
    step = courant / BAR_MASSES
    steps = round(BAR_DURATION / step)
    if spectral_radius(scheme, omega * step).max() > 1 + 1e-7:
        return None
    u, _ = modal_history(scheme, omega, shapes, push, np.ones_like, step, steps)
    middle = BAR_MASSES // 2
    force = 0.5 * (u[:, middle] - u[:, middle - 2]) * BAR_MASSES  # at the mass, from the springs on both sides
    time = np.arange(steps + 1) * step
    behind = force[(time > 0.55) & (time < 1.4)]
    reached = [
        float(np.interp(1.0, [force[i - 1] / level, force[i] / level], time[i - 1 : i + 1]))
        for level in (0.1, 0.9)
        for i in [int(np.argmax(force >= level))]
    ]
    return Front(
        time,
        force,
        float(force[time < 1.4].max() - 1),
        float(np.sqrt(np.mean((behind - 1) ** 2))),
        reached[1] - reached[0],
    )


def exact_front(time: Array) -> Array:
    """Force at mid-length of the continuous bar."""
    return np.where(time < 0.5, 0.0, np.where(time < 1.5, 1.0, 2.0))


@cache
def _bar_modes() -> tuple[Array, Array, Array]:
    """Frequencies, shapes of unit modal mass (mass i at (i + 1)Δx, half a mass at the end), and the pull."""
    size = 1 / BAR_MASSES
    mass = np.full(BAR_MASSES, size)
    mass[-1] /= 2
    stiffness = (np.diag([2.0] * (BAR_MASSES - 1) + [1.0]) - np.eye(BAR_MASSES, k=1) - np.eye(BAR_MASSES, k=-1)) / size
    root = 1 / np.sqrt(mass)
    values, vectors = np.linalg.eigh(root[:, None] * stiffness * root)
    push = np.zeros(BAR_MASSES)
    push[-1] = 1.0
    return np.sqrt(values), root[:, None] * vectors, push


def modal_history(
    scheme: Scheme, omega: Array, shapes: Array, push: Array, load: Callable[[Array], Array], step: float, steps: int
) -> tuple[Array, Array]:
    """Displacements and velocities (steps + 1, dof) of an undamped structure from rest, mode by mode.

    ``shapes`` (dof, mode) are normalised to unit modal mass, ``push`` (dof,) is the force for a unit of ``load``.
    """
    Omega = omega * step
    one = scheme.linear(Omega)
    q = step**2 * (shapes.T @ push)
    values = at_nodes(load, one.nodes, step, steps)
    first = float(load(np.zeros(1))[0])
    x = np.empty((steps + 1, len(omega), one.size))
    x[0] = start(one.size, Omega, 0.0, 0.0, 0.0, q * first)
    kicks = np.einsum("mik,m,rk->rmi", one.loading, q, values)
    with np.errstate(over="ignore", invalid="ignore"):  # unstable schemes run away; the caller looks
        for r in range(steps):
            x[r + 1] = (one.matrix @ x[r, :, :, None])[:, :, 0] + kicks[r]
        return x[:, :, 0] @ shapes.T, x[:, :, 1] @ shapes.T / step
