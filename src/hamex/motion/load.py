"""Load: forces in time, from samples or from a function, and the three rules that give one value a step."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hamex.checks import check_range, floats, is_finite, is_positive
from hamex.errors import LoadError, StepWarning, warn
from hamex.march import samples as sampling
from hamex.march.run import march
from hamex.motion.integrals import evaluate, projected, step_means
from hamex.names import Shown

Array = NDArray[Any]
RULES = ("average", "end", "mean")  # in the order of hamex.march.samples
_WHOLE = 1e-9  # times this close to a multiple of the step are that multiple
_RATIO = 1e-12  # ratios of two steps this close to a small fraction are that fraction


class Reading(NamedTuple):
    """One record as a kernel reads it: samples, the place of the nodes among them, the rule and the pattern."""

    samples: Array
    base: float
    first: int
    ratio: float
    rule: int
    scale: float


@dataclass(frozen=True, eq=False, init=False)
class Load(Shown):
    """Forces on the degrees of freedom: patterns (dof × k) times histories of k channels.

    Parameters
    ----------
    forces : samples from t = 0 on, (n,) or (n, k), linear in between and followed by one zero sample;
        or a function of time in seconds, zero before t = 0 left to the function.
    step : time between samples [s]; left out for a function.
    patterns : (dof, k), forces on the dofs for a unit of each channel; one channel per dof by default.
    ground : (dof, k), ground acceleration under the dofs for a unit of each channel; a motion's ``on`` gives it.
    breaks : times at which a function jumps or kinks [s]; speeds up the rule ``mean``.
    source : where it comes from, in words; a motion's ``on`` hands on its own.

    Examples
    --------
    >>> load = Load([0.0, 1.0, 2.0], step=0.5)
    >>> load.step_values(0.5, 3, "average").ravel().tolist()
    [0.5, 1.5, 1.0]
    """

    forces: Array | Callable[..., Any]
    step: float | None
    patterns: Array | None
    ground: Array | None
    breaks: tuple[float, ...]
    shifts: tuple[float, ...]
    source: str

    def __init__(
        self,
        forces: ArrayLike | Callable[..., Any],
        step: float | None = None,
        *,
        patterns: ArrayLike | None = None,
        ground: ArrayLike | None = None,
        breaks: Sequence[float] = (),
        shifts: Sequence[float] = (),
        source: str = "",
    ) -> None:
        if callable(forces):
            if step is not None:
                raise LoadError("Load: a function has no sample step; leave step out")
        else:
            forces = _samples(forces)
            if step is None:
                raise LoadError("Load: samples need their time step, e.g. step=0.02")
            if not is_positive(step):
                raise LoadError(f"Load: step must be a positive number of seconds, got {step!r}")
            check_range("Load", "step", step, LoadError)
            step = float(step)
        set_field = object.__setattr__
        set_field(self, "forces", forces)
        set_field(self, "step", step)
        set_field(self, "patterns", None if patterns is None else _patterns(patterns, self.channels))
        set_field(self, "ground", None if ground is None else _patterns(ground, self.channels))
        set_field(self, "breaks", _breaks(breaks))
        wrong = [s for s in shifts if not is_finite(s) or s < 0]
        if wrong:
            raise LoadError(f"Load: shifts of the clock must be finite and not negative, got {wrong[0]!r}; use after()")
        set_field(self, "shifts", tuple(shifts))
        set_field(self, "source", source)

    def __repr__(self) -> str:
        what = "a function of time" if callable(self.forces) else f"{len(self.forces)} samples of {self.step:g} s"
        kind = "Load" if self.ground is None else "Load of a moving ground"
        return f"<{kind}: {what}, {self.channels} channels on {self.width} dofs>"

    @property
    def channels(self) -> int:
        """Number of independent histories k."""
        return 1 if callable(self.forces) else int(self.forces.shape[1])

    @property
    def width(self) -> int:
        """Number of degrees of freedom it acts on."""
        return self.channels if self.patterns is None else len(self.patterns)

    def __add__(self, other: Load | LoadSum) -> LoadSum:
        """Both loads at once: two directions of a record, or a record on top of gravity."""
        return LoadSum((self,)) + other

    @property
    def end(self) -> float:
        """Time of the last sample on this load's clock [s]; infinite for a function."""
        if callable(self.forces) or self.step is None:
            return math.inf
        return (len(self.forces) - 1) * self.step - sum(self.shifts)

    def after(self, time: float) -> Load:
        """The rest of the load, with its clock at 0 where this one shows ``time`` [s].

        >>> Load([0.0, 1.0, 2.0], step=0.5).after(0.5).step_values(0.5, 2, "end").ravel().tolist()
        [2.0, 0.0]
        """
        if not is_finite(time) or time < 0:
            raise LoadError(f"Load.after: time must be a finite number ≥ 0, got {time!r}")
        return self._with(shifts=(*self.shifts, float(time)))

    def scaled(self, factor: float) -> Load:
        """The load times a factor."""
        if not is_finite(factor):
            raise LoadError(f"Load.scaled: the factor must be a finite number, got {factor!r}")
        patterns = np.eye(self.channels) if self.patterns is None else self.patterns
        return self._with(patterns=factor * patterns, ground=None if self.ground is None else factor * self.ground)

    def _with(self, **changes: Any) -> Load:
        names = ("patterns", "ground", "breaks", "shifts", "source")
        same = {name: getattr(self, name) for name in names}
        return Load(self.forces, self.step, **same | changes)

    def node_values(self, h: float, steps: int, quiet: bool = False) -> Array:
        """Channel values at the nodes 0, h, … steps·h, (steps + 1, k); ``quiet`` does not warn of skipped samples."""
        if callable(self.forces):
            return evaluate(self.forces, self._times(h, steps))[:, None]
        if not quiet:
            self._warn_if_skipping(h)
        return self._sample(sampling.nodes, h, steps, steps + 1)

    def step_values(self, h: float, steps: int, rule: str, quiet: bool = False) -> Array:
        """One value f* per step and channel, (steps, k).

        ``average``: half the sum of the node values; ``end``: the value at the end, as the paper
        prints it (first order); ``mean``: the integral over the step divided by h.
        """
        if rule == "mean":
            if callable(self.forces):
                return step_means(self.forces, self._times(h, steps), self.breaks)[:, None]
            return self._sample(sampling.means, h, steps, steps)
        if rule not in RULES:
            raise LoadError(f"Load: the rule must be one of {', '.join(RULES)}, got {rule!r}")
        if callable(self.forces):
            values = self.node_values(h, steps)
            return values[1:] if rule == "end" else 0.5 * (values[:-1] + values[1:])
        if not quiet:
            self._warn_if_skipping(h)
        kernel = sampling.averages if rule == "average" else sampling.nodes
        values = self._sample(kernel, h, steps, steps + 1)
        return values[1:] if rule == "end" else values[:-1]

    def stage_values(self, h: float, steps: int, nodes: Sequence[float], rule: str, quiet: bool = False) -> Array:
        """Values at the stages of a time element, (steps, stage, k), with ``nodes`` on [0, 1].

        ``average`` takes the load at the stages; ``mean`` projects it on polynomials over the step, so that no sample
        is skipped. ``end`` is for one stage only.
        """
        if rule == "mean":
            # On the load's own clock, which no restart shifts.
            return projected(self._on_clock, self.channels, self.corners(), *self.clock(h), h, steps, np.asarray(nodes))
        if rule != "average":
            raise LoadError(f'Load: elements of higher degree take the rules "average" and "mean", got {rule!r}')
        if not quiet:
            self._warn_if_skipping(h)
        return np.stack([self.shifted_values(h, steps, node) for node in nodes], axis=1)

    def shifted_values(self, h: float, steps: int, node: float) -> Array:
        """Channel values at r·h + node·h for every step r, (steps, k)."""
        base, first = self.clock(h)
        if callable(self.forces):
            return evaluate(self.forces, base + (np.arange(first, first + steps) + node) * h)[:, None]
        assert self.step is not None
        ratio = _ratio(h, self.step)
        return self._sampled(sampling.nodes, (base / self.step + node * ratio, first, ratio), steps, steps)

    def values_inside(self, h: float, step: int | Array, inside: Array) -> Array:
        """Channel values at times inside a step of a run, (time, k), or inside steps, (step, time, k); the same bits
        wherever the run was split."""
        base, first = self.clock(h)
        times = base + (np.asarray((first + step) * h)[..., None] + inside)
        return self._on_clock(times.ravel()).reshape(*times.shape, self.channels)

    def _on_clock(self, times: Array) -> Array:
        if callable(self.forces):
            return evaluate(self.forces, times)[:, None]
        known, samples = self._ended
        out = np.empty((len(times), self.channels))
        for a, channel in enumerate(samples):
            out[:, a] = np.interp(times, known, channel, left=0.0, right=0.0)
        return out

    @cached_property
    def _ended(self) -> tuple[Array, Array]:
        """Times of the samples on the load's own clock, and their values, (channel, sample), with the zero that follows
        them."""
        assert not callable(self.forces)
        return self.corners(), np.vstack([self.forces, np.zeros((1, self.channels))]).T

    def reading(self, h: float, rule: str, quiet: bool = False) -> Reading | None:
        """How a kernel reads the load by itself, step by step; None where that takes more than one record."""
        if callable(self.forces) or self.channels != 1 or self.width != 1:
            return None
        if not quiet and rule != "mean":
            self._warn_if_skipping(h)
        scale = 1.0 if self.patterns is None else float(self.patterns[0, 0])
        return Reading(self.forces[:, 0], *self._place(h), RULES.index(rule), scale)

    def corners(self) -> Array:
        """Times on the load's own clock at which it may have a kink: its samples, or the breaks of a function."""
        if callable(self.forces):
            return np.array(self.breaks)
        assert self.step is not None
        return np.arange(len(self.forces) + 1) * self.step

    def clock(self, h: float) -> tuple[float, int]:
        """Where node 0 stands on the load's own clock: ``base`` seconds and ``first`` whole steps.

        A restart shifts the clock by whole steps; they stay whole numbers, so that node r is the same
        number in every run.
        """
        base, first = 0.0, 0
        for shift in self.shifts:
            whole = round(shift / h)
            if abs(shift - whole * h) <= _WHOLE * h + 2 * math.ulp(shift):
                first += whole
            else:
                base += shift
        return base, first

    def _times(self, h: float, steps: int) -> Array:
        base, first = self.clock(h)
        return base + np.arange(first, first + steps + 1) * h

    def _sample(self, kernel: Callable[..., int], h: float, steps: int, size: int) -> Array:
        return self._sampled(kernel, self._place(h), steps, size)

    def _place(self, h: float) -> tuple[float, int, float]:
        """Node 0 in samples, whole steps from there and samples per step, as :mod:`hamex.march.samples` takes them."""
        assert self.step is not None
        base, first = self.clock(h)
        return base / self.step, first, _ratio(h, self.step)

    def _sampled(self, kernel: Callable[..., int], place: tuple[float, int, float], steps: int, size: int) -> Array:
        assert not callable(self.forces)
        out = np.empty((self.channels, size))
        for samples, row in zip(self.forces.T, out, strict=True):
            march(kernel, (samples, *place), (row,), steps)
        return out.T

    def _warn_if_skipping(self, h: float) -> None:
        if self.step is not None and h > self.step * (1 + _WHOLE):
            warn(
                f"the step {h:g} s is longer than the record's {self.step:g} s, so samples are skipped; "
                'use load="mean" or a shorter step',
                StepWarning,
            )


@dataclass(frozen=True, eq=False)
class LoadSum(Shown):
    """Several loads at once, each with its own samples; made by adding loads.

    >>> both = Load([1.0], step=0.5, patterns=[1.0, 0.0]) + Load([2.0], step=0.1, patterns=[0.0, 1.0])
    >>> both.channels, both.width
    (2, 2)
    """

    parts: tuple[Load, ...]

    def __post_init__(self) -> None:
        if len({part.width for part in self.parts}) > 1:
            raise LoadError(
                "loads that act on different numbers of degrees of freedom cannot be added: "
                + ", ".join(str(part.width) for part in self.parts)
            )

    def __repr__(self) -> str:
        return " + ".join(repr(part) for part in self.parts)

    def __add__(self, other: Load | LoadSum) -> LoadSum:
        """One more load."""
        if not isinstance(other, Load | LoadSum):
            raise LoadError(f"only loads can be added to loads, got {type(other).__name__}")
        return LoadSum((*self.parts, *(other.parts if isinstance(other, LoadSum) else (other,))))

    @property
    def channels(self) -> int:
        """Number of independent histories."""
        return sum(part.channels for part in self.parts)

    @property
    def width(self) -> int:
        """Number of degrees of freedom they act on."""
        return self.parts[0].width

    @property
    def patterns(self) -> Array:
        """Patterns of all channels, (dof, k)."""
        return np.hstack([np.eye(part.width) if part.patterns is None else part.patterns for part in self.parts])

    @property
    def ground(self) -> Array:
        """Ground acceleration of all channels, (dof, k)."""
        return np.hstack(
            [np.zeros((part.width, part.channels)) if part.ground is None else part.ground for part in self.parts]
        )

    @property
    def end(self) -> float:
        """Time of the last sample [s]."""
        return max(part.end for part in self.parts)

    @property
    def source(self) -> str:
        """Where the parts come from, each once."""
        return " + ".join(dict.fromkeys(part.source for part in self.parts if part.source))

    def after(self, time: float) -> LoadSum:
        """The rest of every load from ``time`` on."""
        return LoadSum(tuple(part.after(time) for part in self.parts))

    def scaled(self, factor: float) -> LoadSum:
        """Every load times a factor."""
        return LoadSum(tuple(part.scaled(factor) for part in self.parts))

    def node_values(self, h: float, steps: int, quiet: bool = False) -> Array:
        """Channel values at the nodes, side by side."""
        return np.hstack([part.node_values(h, steps, quiet) for part in self.parts])

    def step_values(self, h: float, steps: int, rule: str, quiet: bool = False) -> Array:
        """One value per step and channel, side by side."""
        return np.hstack([part.step_values(h, steps, rule, quiet) for part in self.parts])

    def values_inside(self, h: float, step: int | Array, inside: Array) -> Array:
        """Channel values at times inside a step or steps, side by side."""
        return np.concatenate([part.values_inside(h, step, inside) for part in self.parts], axis=-1)

    def reading(self, h: float, rule: str, quiet: bool = False) -> None:
        """A sum is no single record."""

    def stage_values(self, h: float, steps: int, nodes: Sequence[float], rule: str, quiet: bool = False) -> Array:
        """Values at the stages of a time element, side by side."""
        return np.concatenate([part.stage_values(h, steps, nodes, rule, quiet) for part in self.parts], axis=2)


@lru_cache(maxsize=256)
def _ratio(h: float, step: float) -> float:
    """h/step, as the small fraction it was meant to be: 0.3/0.1 is 3."""
    exact = h / step
    small = float(Fraction(exact).limit_denominator(1000))
    return small if abs(small - exact) <= _RATIO * exact else exact


def _samples(forces: ArrayLike) -> Array:
    array = floats(forces, "Load: forces must be numbers, (n,) or (n, k), or a function of time", LoadError)
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2 or array.size == 0:
        raise LoadError("Load: forces must hold at least one sample, (n,) or (n, k)")
    bad = np.argwhere(~np.isfinite(array))
    if len(bad):
        raise LoadError(f"Load: sample {bad[0][0]} is not finite ({array[tuple(bad[0])]})")
    array.setflags(write=False)
    return array


def _breaks(breaks: Sequence[float]) -> tuple[float, ...]:
    wrong = [b for b in breaks if not is_finite(b)]
    if wrong:
        raise LoadError(f"Load: breaks must be finite times in seconds, got {wrong[0]!r}")
    return tuple(float(b) for b in breaks)


def _patterns(patterns: ArrayLike, channels: int) -> Array:
    array = floats(patterns, "Load: patterns must be numbers, (dof, k)", LoadError)
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2 or array.shape[1] != channels or not np.all(np.isfinite(array)):
        raise LoadError(f"Load: patterns must be finite, (dof, {channels}); got shape {array.shape}")
    return array
