"""Measured order: how the error falls when the step is halved, on smooth and on yielding problems.

The oscillator of the paper (m = 1, k = 225, c = 1.5) from rest under a sine off resonance, five periods.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.discretise.schemes import Galerkin, Scheme
from hamex.model.laws.slider import Slider
from hamex.model.oscillator import oscillator
from hamex.motion.pulses import sine
from hamex.solve import Problem, solve
from hamex.study.lab.catalogue import Entry
from hamex.study.lab.marching import at_nodes, oscillator_history, return_map

Array = NDArray[Any]
MASS, STIFFNESS, DAMPING = 1.0, 225.0, 1.5
OMEGA, ZETA = 15.0, 0.05
FORCING = 11.0                                  # rad/s
PERIOD = 2 * math.pi / OMEGA
DURATION = 5 * PERIOD
COARSEST = {"smooth": PERIOD / 10, "viscous": PERIOD / 80, "rate-independent": PERIOD / 80}
HALVINGS = {"smooth": 9, "viscous": 7, "rate-independent": 7}   # runs, each with half the step of the last
VISCOSITY = {"viscous": 1.5, "rate-independent": 0.0}
_FLOOR = 3e-12                                  # errors below are round-off
_REFERENCE = 2048                               # times finer than the coarsest


@dataclass(frozen=True)
class Order:
    """Steps [s], relative errors of the displacement (root mean square over the nodes of the coarsest run), slope."""

    steps: Array
    errors: Array
    order: float


def measure(entry: Entry, case: str) -> Order:
    """Order of a scheme on "smooth", "viscous" (yielding) or "rate-independent" (yielding) problems."""
    parts = 2 ** np.arange(HALVINGS[case])
    steps = COARSEST[case] / parts
    exact = smooth_solution(round(DURATION / COARSEST[case])) if case == "smooth" else yielding_solution(case)
    scale = np.sqrt(np.mean(exact**2))
    errors = []
    for part, step in zip(parts.tolist(), steps.tolist(), strict=True):
        count = round(DURATION / step)
        u = smooth_run(entry.scheme, step, count) if case == "smooth" else solve(
            yielding_problem(case), entry.make(step)).values("displacement")[:, 0]
        with np.errstate(over="ignore", invalid="ignore"):
            errors.append(float(np.sqrt(np.mean((u[::part] - exact) ** 2)) / scale))
    return Order(steps, np.array(errors), slope(steps, np.array(errors), 4 if case == "smooth" else HALVINGS[case]))


def slope(steps: Array, errors: Array, last: int) -> float:
    """Slope of log error over log step, over the last pairs that are neither round-off nor far off."""
    good = np.flatnonzero((errors > _FLOOR) & (errors < 0.3))[-last:]
    if len(good) < 2:
        return float("nan")
    return float(np.polyfit(np.log(steps[good]), np.log(errors[good]), 1)[0])


def smooth_run(scheme: Scheme, step: float, count: int) -> Array:
    """Elastic displacement by the linear map of the scheme."""
    load = at_nodes(lambda t: np.sin(FORCING * t), scheme.linear(1.0).nodes, step, count)
    return oscillator_history(scheme, OMEGA, ZETA, step, load)[:, 0]


def smooth_solution(count: int) -> Array:
    """Closed form: ü + 2ζω u̇ + ω² u = sin ft from rest."""
    t = np.arange(count + 1) * DURATION / count
    z = 1 / (OMEGA**2 - FORCING**2 + 2j * ZETA * OMEGA * FORCING)
    decay, wd = ZETA * OMEGA, OMEGA * math.sqrt(1 - ZETA**2)
    b = (-FORCING * z.real - decay * z.imag) / wd
    return np.asarray(np.imag(z * np.exp(1j * FORCING * t)) + np.exp(-decay * t) * (
        -z.imag * np.cos(wd * t) + b * np.sin(wd * t)))


@cache
def yielding_problem(case: str) -> Problem:
    """A spring that yields both ways."""
    model = oscillator(MASS, STIFFNESS, DAMPING, Slider(0.27, VISCOSITY[case]))
    return Problem(model, sine(0.6, omega=FORCING), DURATION)


@cache
def yielding_solution(case: str) -> Array:
    """Displacement at the nodes of the coarsest run, from much finer ones: with viscosity by Richardson's rule from
    the linear element, without by the return map."""
    problem, step = yielding_problem(case), COARSEST[case]
    if case == "rate-independent":
        return np.asarray(solve(problem, return_map(step / _REFERENCE)).values("displacement")[::_REFERENCE, 0])
    fine, finer = (solve(problem, Galerkin(step / n)).values("displacement")[::n, 0]
                   for n in (_REFERENCE // 2, _REFERENCE))
    return np.asarray((4 * finer - fine) / 3)
