"""Load: forces in time, from samples or from a function, and the three rules that give one value a step."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hamex.errors import LoadError, StepWarning
from hamex.march import sampling
from hamex.march.run import march
from hamex.motion.quadrature import evaluate, step_means

Array = NDArray[Any]
RULES = ("average", "end", "mean")
_WHOLE = 1e-9      # times this close to a multiple of the step are that multiple
_RATIO = 1e-12     # ratios of two steps this close to a small fraction are that fraction


@dataclass(frozen=True, eq=False, init=False)
class Load:
    """Forces on the degrees of freedom: patterns (dof × k) times histories of k channels.

    Parameters
    ----------
    forces : samples from t = 0 on, (n,) or (n, k), linear in between and followed by one zero sample;
        or a function of time in seconds, zero before t = 0 left to the function.
    step : time between samples [s]; left out for a function.
    patterns : (dof, k), forces on the dofs for a unit of each channel; one channel per dof by default.
    breaks : times at which a function jumps or kinks [s]; speeds up the rule ``mean``.

    Examples
    --------
    >>> load = Load([0.0, 1.0, 2.0], step=0.5)
    >>> load.step_values(0.5, 3, "average").ravel().tolist()
    [0.5, 1.5, 1.0]
    """

    forces: Array | Callable[..., Any]
    step: float | None
    patterns: Array | None
    breaks: tuple[float, ...]
    start: float

    def __init__(self, forces: ArrayLike | Callable[..., Any], step: float | None = None, *,
                 patterns: ArrayLike | None = None, breaks: Sequence[float] = (), start: float = 0.0) -> None:
        if callable(forces):
            if step is not None:
                raise LoadError("Load: a function has no sample step; leave step out")
        else:
            forces = _samples(forces)
            if step is None:
                raise LoadError("Load: samples need their time step, e.g. step=0.02")
            step = _positive_step(step)
        set_field = object.__setattr__
        set_field(self, "forces", forces)
        set_field(self, "step", step)
        set_field(self, "patterns", None if patterns is None else _patterns(patterns, self.channels))
        set_field(self, "breaks", tuple(float(b) for b in breaks))
        set_field(self, "start", float(start))

    @property
    def channels(self) -> int:
        """Number of independent histories k."""
        return 1 if callable(self.forces) else int(self.forces.shape[1])

    @property
    def end(self) -> float:
        """Time of the last sample on this load's clock [s]; infinite for a function."""
        if callable(self.forces) or self.step is None:
            return math.inf
        return (len(self.forces) - 1) * self.step - self.start

    def after(self, time: float) -> Load:
        """The rest of the load, with its clock at 0 where this one shows ``time`` [s].

        >>> Load([0.0, 1.0, 2.0], step=0.5).after(0.5).step_values(0.5, 2, "end").ravel().tolist()
        [2.0, 0.0]
        """
        if not (math.isfinite(time) and time >= 0):
            raise LoadError(f"Load.after: time must be a finite number ≥ 0, got {time!r}")
        return replace_start(self, self.start + time)

    def scaled(self, factor: float) -> Load:
        """The load times a factor."""
        if not math.isfinite(factor):
            raise LoadError(f"Load.scaled: the factor must be finite, got {factor!r}")
        patterns = np.eye(self.channels) if self.patterns is None else self.patterns
        return Load(self.forces, self.step, patterns=factor * patterns, breaks=self.breaks, start=self.start)

    def node_values(self, h: float, steps: int) -> Array:
        """Channel values at the nodes 0, h, … steps·h, (steps + 1, k)."""
        if callable(self.forces):
            return evaluate(self.forces, self._times(h, steps))[:, None]
        self._warn_if_skipping(h)
        return self._sample(sampling.nodes, h, steps, steps + 1)

    def step_values(self, h: float, steps: int, rule: str) -> Array:
        """One value f* per step and channel, (steps, k).

        ``average``: half the sum of the node values; ``end``: the value at the end, as the paper
        prints it (first order); ``mean``: the integral over the step divided by h.
        """
        if rule == "mean":
            if callable(self.forces):
                return step_means(self.forces, self._times(h, steps), self.breaks)[:, None]
            return self._sample(sampling.means, h, steps, steps)
        values = self.node_values(h, steps)
        return values[1:] if rule == "end" else 0.5 * (values[:-1] + values[1:])

    def _times(self, h: float, steps: int) -> Array:
        """Node times on the function's own clock, as multiples of the step wherever they are."""
        first = round(self.start / h)
        if abs(self.start - first * h) <= _WHOLE * h:
            return np.arange(first, first + steps + 1) * h
        return self.start + np.arange(steps + 1) * h

    def _sample(self, kernel: Callable[..., int], h: float, steps: int, size: int) -> Array:
        assert self.step is not None
        assert not callable(self.forces)
        first, num, den = positions(self.start / self.step, h / self.step)
        out = np.empty((self.channels, size))
        for samples, row in zip(self.forces.T, out, strict=True):
            march(kernel, (np.append(samples, 0.0), first, num, den), (row,), steps)
        return out.T

    def _warn_if_skipping(self, h: float) -> None:
        if self.step is not None and h > self.step * (1 + _WHOLE):
            warnings.warn(f"the step {h:g} s is longer than the record's {self.step:g} s, so samples are skipped; "
                          'use load="mean" or a shorter step', StepWarning, stacklevel=2)


def replace_start(load: Load, start: float) -> Load:
    """The same forces seen from another start of the clock."""
    return Load(load.forces, load.step, patterns=load.patterns, breaks=load.breaks, start=start)


def positions(offset: float, ratio: float) -> tuple[int, int, int]:
    """Node r stands at ``(first + r·num) / den`` samples: whole numbers, so nothing drifts.

    >>> positions(10.0, 0.5)
    (20, 1, 2)
    """
    per_node = _small_fraction(ratio, _RATIO)
    den = per_node.denominator
    on_grid = round(offset * den)
    if abs(offset * den - on_grid) > _WHOLE * den:
        shift = _small_fraction(offset, _WHOLE)
        den = math.lcm(den, shift.denominator)
        on_grid = int(shift * den)
    return on_grid, int(per_node * den), den


def _small_fraction(value: float, tolerance: float) -> Fraction:
    exact = Fraction(value)
    for largest in (1, 100, 10_000, 1_000_000):
        candidate = exact.limit_denominator(largest)
        if abs(float(candidate - exact)) <= tolerance * max(1.0, value):
            break
    return candidate


def _samples(forces: ArrayLike) -> Array:
    try:
        array = np.array(forces, dtype=float)
    except (TypeError, ValueError):
        raise LoadError("Load: forces must be numbers, (n,) or (n, k), or a function of time") from None
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2 or array.size == 0:
        raise LoadError(f"Load: forces must hold at least one sample, (n,) or (n, k); got shape {array.shape}")
    bad = np.argwhere(~np.isfinite(array))
    if len(bad):
        raise LoadError(f"Load: sample {bad[0][0]} is not finite ({array[tuple(bad[0])]})")
    array.setflags(write=False)
    return array


def _positive_step(step: float) -> float:
    if not (isinstance(step, (int, float, np.number)) and math.isfinite(step) and step > 0):
        raise LoadError(f"Load: step must be a positive number of seconds, got {step!r}")
    return float(step)


def _patterns(patterns: ArrayLike, channels: int) -> Array:
    array = np.array(patterns, dtype=float)
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2 or array.shape[1] != channels or not np.all(np.isfinite(array)):
        raise LoadError(f"Load: patterns must be finite, (dof, {channels}); got shape {array.shape}")
    return array
