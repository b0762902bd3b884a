"""Families of oscillators under El Centro, as plain arrays: what every rival of the batch is given.

Periods from 0.1 to 3 s, 5 % damping, yield forces from 0.05 to 0.6 of the weight, spread evenly over both, so that a
small family is a fair sample of a large one. Units: mass 1, metre, second.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import hamex as hx

Array = np.ndarray[Any, Any]
Family = dict[str, Array]

GRAVITY = 9.80665  # m/s²
DAMPING = 0.05
RELAXATION = 1.5 / 225.0  # s: η/k of the paper's oscillator
PERIODS = (0.1, 3.0)  # s
STRENGTHS = (0.05, 0.6)  # yield force over weight
LAWS = {"viscous": 1.0, "rate independent": 0.0}  # viscosity, in parts of the paper's

RECORD = hx.el_centro()
STEP = RECORD.step
STEPS = RECORD.acceleration.size - 1  # 1,559
DURATION = STEPS * STEP


def family(count: int, viscosity: float = 1.0) -> Family:
    """Arrays of ``count`` oscillators; ``viscosity`` times the paper's relaxation time."""
    place = (np.arange(count) + 0.5) / count
    other = (np.arange(count) * 0.6180339887498949) % 1.0  # golden section: even over the strengths as well
    periods = PERIODS[0] * (PERIODS[1] / PERIODS[0]) ** place
    strengths = STRENGTHS[0] * (STRENGTHS[1] / STRENGTHS[0]) ** other
    stiffness = (2.0 * np.pi / periods) ** 2
    return {
        "mass": np.ones(count),
        "stiffness": stiffness,
        "damping": 2.0 * DAMPING * np.sqrt(stiffness),
        "yield_force": strengths * GRAVITY,
        "viscosity": viscosity * RELAXATION * stiffness,
        "scale": np.ones(count),
    }


def ground(finer: int = 1, times: int = 1) -> Array:
    """Ground acceleration [m/s²] at the nodes of a step ``finer`` times shorter, linear between samples."""
    samples = GRAVITY * np.tile(RECORD.acceleration, times)
    if finer == 1:
        return samples
    nodes = np.arange((samples.size - 1) * finer + 1) / finer
    return np.interp(nodes, np.arange(samples.size), samples)


def mean_load(finer: int = 1, times: int = 1) -> Array:
    """Load of every step per unit mass: minus the mean of the accelerations at its ends."""
    nodes = ground(finer, times)
    return -0.5 * (nodes[:-1] + nodes[1:])


def marched(given: Family, finer: int) -> Array:
    """Peak displacements by ``hx.solve``, one oscillator at a time."""
    peaks = []
    for m, k, c, fy, eta in zip(
        *(given[name] for name in ("mass", "stiffness", "damping", "yield_force", "viscosity")), strict=True
    ):
        model = hx.oscillator(mass=m, stiffness=k, damping=c, law=hx.Slider(yield_force=fy, viscosity=eta))
        problem = hx.Problem(model, RECORD.on(model, g=GRAVITY), duration=DURATION)
        peaks.append(np.abs(hx.solve(problem, hx.Galerkin(STEP / finer)).values("displacement")).max())
    return np.array(peaks)
