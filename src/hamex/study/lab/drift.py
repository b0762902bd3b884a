"""Energy of an undamped vibration over 100,000 periods."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.discretise.linear import start
from hamex.discretise.schemes import Scheme
from hamex.discretise.time_elements import TimeElement
from hamex.march.reference import free_energy
from hamex.march.run import march
from hamex.model.oscillator import oscillator
from hamex.motion.pulses import constant
from hamex.problem import State
from hamex.solve import Problem, solve

Array = NDArray[Any]
PERIODS = 100_000
STEPS_PER_PERIOD = 20
_LEG = 500      # periods of one run, so that no long history is kept


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
        march(free_energy, (one.matrix, Omega**2, steps_per_period), (x, np.zeros(one.size), energy),
              periods * steps_per_period)
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
