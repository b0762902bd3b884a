"""Waves in bodies: whether the mesh and the step can carry those that a load sends out."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import CoarseWarning
from hamex.motion.load import Load, LoadSum
from hamex.problem import Problem

Array = NDArray[Any]
_SHARE = 0.99  # of the power of a load: what is faster does not count
_NODES, _STEPS = 8.0, 8.0  # per wave length and per period, below which a wave arrives late by some per cent
_MOST = 1 << 16  # samples that are looked at


def warn_of_coarse_waves(problem: Problem, step: float) -> None:
    """Say how many nodes and steps the shortest wave of a load has, where they are too few.

    Of a load counts what lies below the frequency with 99 % of its power; a constant load has none.
    """
    body = problem.model.body
    if body is None:
        return
    frequency = fastest(problem.load, problem.duration, step)
    if frequency <= 0:
        return
    nodes, speed = body.nodes_per_wave(frequency)
    if nodes < _NODES:
        warnings.warn(
            f"solve: the mesh has {nodes:.2g} nodes per wave at {frequency:.3g} Hz, below which 99 % of the load's "
            f"power lies (shear waves of speed {speed:.4g}); with fewer than {_NODES:.0f} waves are slow and ragged: "
            "refine the mesh, take degree=2, or filter the load",
            CoarseWarning,
            stacklevel=4,
        )
    steps = 1 / (frequency * step)
    if steps < _STEPS:
        warnings.warn(
            f"solve: the step of {step:g} s makes {steps:.2g} steps of a period at {frequency:.3g} Hz, below which "
            f"99 % of the load's power lies; take {1 / (_STEPS * frequency):.2g} s or less",
            CoarseWarning,
            stacklevel=4,
        )


def fastest(load: Load | LoadSum, duration: float, step: float) -> float:
    """Frequency [Hz] below which 99 % of a load's power lies; 0 for loads that stay as they are.

    >>> wave = Load(lambda t: np.sin(2 * np.pi * 5.0 * t))
    >>> 4.9 < fastest(wave, 2.0, 0.001) < 5.6
    True
    >>> fastest(Load([2.0, 2.0], step=2.0), 2.0, 0.001)
    0.0
    """
    highest = 0.0
    for part in load.parts if isinstance(load, LoadSum) else (load,):
        between = min(step if part.step is None else part.step, duration / 2)  # not beyond the end of the run
        count = int(min(max(round(duration / between), 2), _MOST))
        values = part.node_values(between, count, quiet=True)
        # Less the line from its first to its last value: where a load does not come back, its end is no wave.
        swings = values - np.linspace(values[0], values[-1], len(values))
        power = np.cumsum((np.abs(np.fft.rfft(swings, axis=0)) ** 2).sum(axis=1))
        whole = 0.5 * len(values) * float((values**2).sum())  # Parseval, one side of the spectrum
        slower = power[-1] - (1 - _SHARE) * whole
        if slower > 0:
            highest = max(highest, int(np.searchsorted(power, slower)) / (len(values) * between))
    return highest
