"""Springs in parallel: multilinear backbones with Masing loops (Iwan), and their fit to a measured or smooth curve."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hamex.checks import is_finite, is_positive
from hamex.errors import LawError
from hamex.model.laws.slider import Slider
from hamex.names import Shown

Array = NDArray[Any]
_STRAIGHT = 1e-9  # relative change of slope below which two segments are one, or a fit is taken as concave
_FINE = 4001  # samples of a curve that is fitted


@dataclass(frozen=True)
class Parallel(Shown):
    """Several springs side by side, each with its own slider: a smooth hysteresis loop from straight pieces.

    It knows its stiffness, so that an element with this law needs none of its own. Unloading and reloading follow
    Masing's rule: the backbone doubled in size.

    Parameters
    ----------
    parts : pairs (stiffness [force/length], :class:`Slider`), one per spring.
    error : largest difference from the curve that was fitted, relative to its largest force [1]; zero if none was.

    Examples
    --------
    >>> law = Parallel(((80.0, Slider(2.0)), (20.0, Slider())))
    >>> law.stiffness
    100.0
    >>> law.force([0.01, 0.1]).tolist()
    [1.0, 4.0]
    """

    parts: tuple[tuple[float, Slider], ...]
    error: float = 0.0

    def __post_init__(self) -> None:
        if not self.parts:
            raise LawError("Parallel: no parts")
        for place, part in enumerate(self.parts, 1):
            if len(part) != 2 or not is_positive(part[0]) or not isinstance(part[1], Slider):
                raise LawError(f"Parallel: part {place} must be a pair (stiffness > 0, Slider), got {part!r}")
        object.__setattr__(self, "parts", tuple((float(stiffness), law) for stiffness, law in self.parts))

    @property
    def stiffness(self) -> float:
        """Initial stiffness, the sum of the parts [force/length]."""
        return math.fsum(stiffness for stiffness, _ in self.parts)

    def force(self, deformation: ArrayLike) -> Array:
        """Backbone: force at a deformation reached slowly and from rest, without turning back [force]."""
        d = np.asarray(deformation, dtype=float)
        total = np.zeros_like(d)
        for k, law in self.parts:
            over = np.maximum(k * abs(d) - law.yield_force, 0.0)
            total = total + np.sign(d) * (k * abs(d) - over * k / (k + law.kinematic + law.isotropic))
        return total


def backbone(
    curve: Sequence[tuple[float, float]] | Callable[[float], float],
    *,
    limit: float | None = None,
    count: int = 8,
    final_slope: float | None = None,
    viscosity: float = 0.0,
) -> Parallel:
    """A law whose backbone passes through points, or approaches a smooth curve, with Masing loops.

    Only concave curves that never fall: each piece is less steep than the one before. Softening and stiffening are
    not convex laws of this kind and are refused.

    Parameters
    ----------
    curve : points (deformation, force) in increasing order from the first beyond the origin, met exactly; or a
        function that gives the force at a deformation ≥ 0, met exactly at ``count`` points.
    limit : deformation up to which a function is fitted [length].
    count : number of points on a function, closer where it bends more. The law's ``error`` says what that costs.
    final_slope : stiffness beyond the last point [force/length]; that of the last piece by default.
    viscosity : coefficient of the dashpot beside all sliders together [force·time/length], shared out by stiffness.

    Examples
    --------
    >>> law = backbone([(0.01, 10.0), (0.03, 16.0), (0.08, 20.0)])
    >>> law.force([0.01, 0.02, 0.03, 0.08]).round(12).tolist()
    [10.0, 13.0, 16.0, 20.0]
    >>> law = backbone(lambda d: 100 * d / (1 + (d / 0.01)**2)**0.5, limit=0.1, count=12)
    >>> law.error < 0.01
    True
    """
    if not callable(curve):
        return _through(_points(curve), final_slope, viscosity)
    if not is_positive(limit) or isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise LawError(
            f"backbone: a function needs limit > 0 and a count of at least one point, got limit={limit!r}, "
            f"count={count!r}"
        )
    d = np.linspace(0.0, float(limit), _FINE)  # type: ignore[arg-type]
    f = np.array([float(curve(float(value))) for value in d])
    if not np.all(np.isfinite(f)) or abs(f[0]) > 1e-9 * abs(f).max():
        raise LawError("backbone: the function must be finite and zero at zero deformation")
    slope = np.diff(f)
    _refuse(d[1:], f[1:], slope, 1e-6)
    # The gap between a curve and its chord grows with bend × length², so points at equal shares of ∫√|bend| level it.
    bend = np.concatenate([[0.0], np.cumsum(np.sqrt(np.maximum(-np.diff(slope), 0.0)) + 1e-6 * abs(slope[0]) ** 0.5)])
    middle = np.interp(np.linspace(0, bend[-1], count + 1)[1:-1], bend, d[1:])
    chosen = np.unique([*middle, d[-1]])
    law = _through([(float(x), float(curve(float(x)))) for x in chosen], final_slope, viscosity)
    return Parallel(law.parts, float(abs(law.force(d) - f).max() / f.max()))


def _points(curve: object) -> list[tuple[float, float]]:
    try:
        points = [(x, y) for x, y in curve]  # type: ignore[attr-defined]
    except (TypeError, ValueError, OverflowError):
        raise LawError(f"backbone: points are pairs (deformation, force), got {curve!r}") from None
    if points and points[0] == (0, 0):
        points = points[1:]
    for place, (x, y) in enumerate(points, 1):
        if not is_positive(x) or not is_finite(y):
            raise LawError(f"backbone: point {place} is ({x!r}, {y!r}); deformations are positive, all numbers finite")
        if place > 1 and x <= points[place - 2][0]:
            raise LawError(f"backbone: the deformation of point {place} must exceed that of point {place - 1}")
    if not points:
        raise LawError("backbone: no points beyond the origin")
    return [(float(x), float(y)) for x, y in points]


def _through(points: list[tuple[float, float]], final_slope: float | None, viscosity: float) -> Parallel:
    d, f = np.array(points).T
    slopes = np.diff(f, prepend=0.0) / np.diff(d, prepend=0.0)
    _refuse(d, f, slopes, _STRAIGHT)
    last = slopes[-1] if final_slope is None else final_slope
    if not is_finite(float(last)) or not 0 <= last <= slopes[-1] * (1 + _STRAIGHT):
        raise LawError(
            f"backbone: final_slope must be between 0 and the last slope {slopes[-1]:g}, got {last!r}; "
            "stiffening and softening are not convex laws of this kind"
        )
    parts = []
    for x, drop in zip(d, slopes - np.append(slopes[1:], last), strict=True):
        if drop > _STRAIGHT * slopes[0]:
            share = drop / slopes[0]
            parts.append((float(drop), Slider(float(drop * x), viscosity * share)))
    if last > _STRAIGHT * slopes[0]:
        parts.append((float(last), Slider()))
    return Parallel(tuple(parts))


def _refuse(d: Array, f: Array, slopes: Array, tolerance: float) -> None:
    if slopes[0] <= 0:
        raise LawError(f"backbone: the first slope must be positive, got force {f[0]:g} at deformation {d[0]:g}")
    falls = np.flatnonzero(slopes < -tolerance * slopes[0])
    if falls.size:
        raise LawError(
            f"backbone: softening: the force falls beyond deformation {d[falls[0] - 1]:g}; "
            "a falling branch is not a convex law and is not supported"
        )
    rises = np.flatnonzero(np.diff(slopes) > tolerance * slopes[0])
    if rises.size:
        raise LawError(f"backbone: the curve is not concave: it stiffens beyond deformation {d[rises[0]]:g}")
