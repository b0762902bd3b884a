"""GroundMotion: a record of ground acceleration with its step, unit and source."""

from __future__ import annotations

import csv
from dataclasses import dataclass, replace
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.checks import is_finite, is_positive
from hamex.errors import LoadError
from hamex.model.record import Model
from hamex.motion.load import Load
from hamex.motion.units import acceleration_unit, in_gravities

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class GroundMotion:
    """Ground acceleration, sampled from t = 0 on, linear in between, followed by one zero sample.

    Parameters
    ----------
    acceleration : samples, (n,), in ``unit``.
    step : time between samples [s].
    unit : "g", "m/s2", "cm/s2" (also "gal"), "mm/s2", "in/s2" or "ft/s2".
    source : where the numbers come from.

    Examples
    --------
    >>> GroundMotion([0.0, 0.1, -0.2], step=0.01, unit="g").peak
    0.2
    """

    acceleration: Array
    step: float
    unit: str
    source: str = ""

    def __post_init__(self) -> None:
        try:
            a = np.array(self.acceleration, dtype=float)
        except (TypeError, ValueError):
            raise LoadError("GroundMotion: acceleration must be numbers") from None
        if a.ndim != 1 or a.size == 0:
            raise LoadError(f"GroundMotion: acceleration must be (n,) with at least one sample, got shape {a.shape}")
        bad = np.flatnonzero(~np.isfinite(a))
        if bad.size:
            raise LoadError(f"GroundMotion: sample {bad[0]} is not finite ({a[bad[0]]}); mend or cut the record")
        if not is_positive(self.step):
            raise LoadError(f"GroundMotion: step must be a positive number of seconds, got {self.step!r}")
        a.setflags(write=False)
        object.__setattr__(self, "acceleration", a)
        object.__setattr__(self, "step", float(self.step))
        object.__setattr__(self, "unit", acceleration_unit(self.unit))

    @property
    def peak(self) -> float:
        """Largest absolute sample, in the motion's unit."""
        return float(np.abs(self.acceleration).max())

    @property
    def duration(self) -> float:
        """Time of the last sample [s]."""
        return (len(self.acceleration) - 1) * self.step

    def scaled(self, factor: float) -> GroundMotion:
        """The motion times a factor; the source remembers it.

        >>> el_centro().scaled(2).peak == 2 * el_centro().peak
        True
        """
        if not is_finite(factor):
            raise LoadError(f"GroundMotion.scaled: the factor must be finite, got {factor!r}")
        return replace(self, acceleration=factor * self.acceleration, source=f"{self.source} × {factor:g}")

    def on(self, model: Model, *, g: float, direction: str | None = None) -> Load:
        """Effective forces ``f = −M ι a`` on a model that moves with the ground.

        ``g`` is one gravity in the model's units, e.g. 9.80665 for metres or 386.0886 for inches.
        """
        if not is_positive(g):
            raise LoadError(f"GroundMotion.on: g must be positive, one gravity in the model's units; got {g!r}")
        name = model.directions[0] if direction is None else direction
        if name not in model.directions:
            raise LoadError(f"GroundMotion.on: the model has no direction {name!r}; "
                            f"it has {', '.join(model.directions)}")
        column = model.influence[:, [model.directions.index(name)]]
        samples = (in_gravities(self.unit) * g) * self.acceleration
        return Load(samples, self.step, patterns=-(model.mass @ column), ground=column)


def el_centro() -> GroundMotion:
    """El Centro 1940, north-south: 1560 samples at 0.02 s in g, peak 0.319 g, as printed in Chopra's appendix.

    >>> el_centro().acceleration.size, el_centro().step
    (1560, 0.02)
    """
    text = resources.files("hamex.motion").joinpath("data/el_centro_1940_ns.csv").read_text()
    rows = csv.reader(line for line in text.splitlines() if not line.startswith("#"))
    next(rows)
    samples = np.array([float(a) for _, a in rows])
    return GroundMotion(samples, step=0.02, unit="g", source="El Centro 1940 NS (USC&GS; Chopra, appendix 6)")
