"""Ways to say how much viscous damping a model has, and what each of them does by name."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.checks import check_memory, is_finite, is_whole, said
from hamex.errors import ImplausibleWarning, ModelError
from hamex.model.units import Units
from hamex.names import options_by_keyword

Array = NDArray[Any]


@dataclass(frozen=True)
class Ratio:
    """Fraction of critical damping in one mode; build it with :func:`ratio`."""

    value: float
    mode: int = 1


@dataclass(frozen=True)
class Rayleigh:
    """``C = alpha M + beta K`` by two ratios or by its coefficients; build it with :func:`rayleigh`."""

    ratios: tuple[float, float] = (0.0, 0.0)
    modes: tuple[int, int] = (1, 2)
    alpha: float | None = None
    beta: float | None = None


@dataclass(frozen=True)
class Modal:
    """Ratios mode by mode, None for all modes alike; build it with :func:`modal`."""

    ratios: tuple[float, ...]
    modes: tuple[int, ...] | None


def ratio(value: float, mode: int = 1) -> Ratio:
    """Damping as a fraction of critical, e.g. ``damping=ratio(0.05)`` for 5 %.

    For an oscillator ``c = 2 value √(k m)``. A structure gets damping proportional to its initial stiffness,
    ``C = (2 value/ω) K``, with ``value`` in the mode named; mode n then has ``value · ωₙ/ω``, more in higher modes.

    Parameters
    ----------
    value : fraction of critical damping, ≥ 0 [1].
    mode : the mode that has it, counted from 1.

    Examples
    --------
    >>> ratio(0.05).value
    0.05
    """
    if not is_finite(value) or value < 0:
        raise ModelError(f"ratio: the damping ratio must be a finite number ≥ 0, got {value!r} (0.05 is 5 %)")
    _warn_overdamped("ratio", value)
    return Ratio(float(value), _mode("ratio", mode))


@options_by_keyword
def rayleigh(
    ratio: float | Sequence[float] | None = None,
    *,
    modes: tuple[int, int] = (1, 2),
    alpha: float | None = None,
    beta: float | None = None,
) -> Rayleigh:
    """Rayleigh damping ``C = alpha M + beta K``, with K the initial stiffness (P-Delta included).

    Parameters
    ----------
    ratio : fraction of critical damping in both modes, or one for each [1].
    modes : the two modes that have it, counted from 1. Between them damping is less, outside more.
    alpha, beta : the coefficients instead of ratios [1/time], [time]; what is left out is zero.

    Examples
    --------
    >>> rayleigh(0.05, modes=(1, 3)).ratios
    (0.05, 0.05)
    >>> rayleigh(beta=0.002).beta
    0.002
    """
    if (ratio is None) == (alpha is None and beta is None):
        raise ModelError("rayleigh: give either ratios or the coefficients alpha and beta")
    if ratio is None:
        return Rayleigh(alpha=_share("rayleigh", "alpha", alpha or 0.0), beta=_share("rayleigh", "beta", beta or 0.0))
    pair = tuple(_share("rayleigh", "ratio", value) for value in ([ratio] * 2 if is_finite(ratio) else _list(ratio)))
    places = tuple(_mode("rayleigh", mode) for mode in _list(modes))
    if len(pair) != 2 or len(places) != 2 or places[0] == places[1]:
        raise ModelError(f"rayleigh: one or two ratios at two different modes, got {ratio!r} at {modes!r}")
    return Rayleigh((pair[0], pair[1]), (places[0], places[1]))


def modal(ratio: float | Sequence[float], modes: int | Sequence[int] | None = None) -> Modal:
    """Damping ratios superposed mode by mode; modes that are not listed receive nothing.

    Parameters
    ----------
    ratio : fraction of critical damping: one number for all modes, or one per mode from the first on [1].
    modes : with one number, how many modes have it; or the numbers of the modes, counted from 1. With one ratio and
        no modes every mode of the model has it.

    Examples
    --------
    >>> modal([0.05, 0.03]).modes
    (1, 2)
    >>> modal(0.05, modes=3).ratios
    (0.05, 0.05, 0.05)
    """
    if is_finite(ratio):
        value = _share("modal", "ratio", ratio)
        if modes is None:
            return Modal((value,), None)
        if is_whole(modes):
            check_memory("modal", 8 * modes, f"{said(modes)} modes", "name those that are damped")  # type: ignore
            places = tuple(range(1, modes + 1))  # type: ignore[operator]
        else:
            places = tuple(_mode("modal", m) for m in _list(modes))
        ratios = (value,) * len(places)
    else:
        ratios = tuple(_share("modal", "ratio", each) for each in _list(ratio))
        places = (
            tuple(range(1, len(ratios) + 1))
            if modes is None or (is_whole(modes) and modes == len(ratios))
            else tuple(_mode("modal", m) for m in _list(modes))
        )
    if not places or len(places) != len(ratios) or len(set(places)) < len(places):
        raise ModelError(f"modal: give one ratio for each mode named, got {ratio!r} for modes {modes!r}")
    return Modal(ratios, places)


def refuse_number(who: str, damping: Any, units: Units | None) -> None:
    """Refuse a bare number but 0 where there are many dofs: what is meant as a ratio would be taken for a coefficient.

    >>> from hamex.model.units import Units
    >>> refuse_number("frame", 0.05, Units("m", "kN"))
    Traceback (most recent call last):
    hamex.errors.ModelError: frame: damping=0.05 is a coefficient [kN·s/m]; for 5 % of critical write hx.ratio(0.05), \
for coefficients a matrix, or one each storey
    """
    if is_finite(damping) and damping != 0:
        units, share = units or Units(), damping if 0 < damping < 1 else 0.05
        raise ModelError(
            f"{who}: damping={damping:g} is a coefficient [{units.force}·s/{units.length}]; for {100 * share:g} % of "
            f"critical write hx.ratio({share:g}), for coefficients a matrix, or one each storey"
        )


def _share(who: str, what: str, value: object) -> float:
    if not is_finite(value) or float(value) < 0:  # type: ignore[arg-type]
        raise ModelError(f"{who}: {what} must be a finite number ≥ 0, got {value!r}")
    if what == "ratio":
        _warn_overdamped(who, float(value))  # type: ignore[arg-type]
    return float(value)  # type: ignore[arg-type]


def _warn_overdamped(who: str, ratio: float) -> None:
    if ratio >= 1:
        warnings.warn(
            f"{who}: a damping ratio of {ratio:g} is {100 * ratio:g} % of critical, under which nothing swings; "
            f"{ratio:g} % is {ratio / 100:g}",
            ImplausibleWarning,
            stacklevel=4,
        )


def _mode(who: str, mode: object) -> int:
    if isinstance(mode, bool) or not isinstance(mode, int | np.integer) or mode < 1:
        raise ModelError(f"{who}: modes are whole numbers from 1 on, got {mode!r}")
    return int(mode)


def _list(values: Any) -> list[Any]:
    return [values] if isinstance(values, str) or not hasattr(values, "__iter__") else list(values)


@dataclass(frozen=True, eq=False)
class Damping:
    """Damping matrix ``C = matrix + shapes · diag(weights) · shapesᵀ``.

    Modal damping of a few modes is the low-rank part, so that it never fills a sparse ``C``.
    """

    matrix: Any  # plain or sparse
    shapes: Array
    weights: Array

    @classmethod
    def full(cls, matrix: Any) -> Damping:
        """A damping matrix with no low-rank part."""
        return cls(matrix, np.zeros((matrix.shape[0], 0)), np.zeros(0))

    def dense(self) -> Array:
        """``C`` as one full matrix."""
        matrix = self.matrix if isinstance(self.matrix, np.ndarray) else self.matrix.toarray()
        return np.asarray(matrix + (self.shapes * self.weights) @ self.shapes.T)


def widened(damping: Damping, more: int) -> Damping:
    """The same damping, and further dofs without any."""
    from scipy import sparse

    if not more:
        return damping
    matrix = sparse.block_diag([damping.matrix, sparse.csr_array((more, more))], format="csr")
    return Damping(matrix, np.vstack([damping.shapes, np.zeros((more, damping.shapes.shape[1]))]), damping.weights)


def proportional(who: str, damping: Ratio | Rayleigh | Modal, mass: Any, stiffness: Any) -> Damping:
    """What ratios of modes mean for a mass and an initial stiffness."""
    from scipy import sparse

    if isinstance(damping, Modal):
        return _superposed(who, damping, mass, stiffness)
    if isinstance(damping, Ratio):
        alpha, beta = 0.0, 2 * damping.value / _frequencies(who, (damping.mode,), mass, stiffness)[0]
    elif damping.alpha is not None and damping.beta is not None:
        alpha, beta = damping.alpha, damping.beta
    else:
        w = _frequencies(who, damping.modes, mass, stiffness)
        if np.ptp(w) < 1e-9 * w.max():
            raise ModelError(f"{who}: modes {damping.modes} have one frequency, which does not fix Rayleigh damping")
        alpha, beta = np.linalg.solve(np.stack([1 / (2 * w), w / 2], axis=1), damping.ratios)
        if min(alpha, beta) < -1e-12:
            raise ModelError(
                f"{who}: ratios {damping.ratios} in modes {damping.modes} need a negative coefficient of "
                f"{'mass' if alpha < 0 else 'stiffness'}, so that some mode gains energy; "
                "bring the ratios closer together"
            )
        alpha, beta = max(alpha, 0.0), max(beta, 0.0)
    return Damping.full(sparse.csr_array(alpha * mass + beta * stiffness))


def _superposed(who: str, damping: Modal, mass: Any, stiffness: Any) -> Damping:
    from scipy import sparse

    from hamex.model.algebra import eigen

    w, shapes = eigen(mass, stiffness, None if damping.modes is None else max(damping.modes), who=who)
    places = np.arange(w.size) if damping.modes is None else np.array(damping.modes) - 1
    weights = 2 * np.array(damping.ratios) * w[places]
    places, weights = places[weights > 0], weights[weights > 0]  # what has no frequency at rest has none to damp
    return Damping(sparse.csr_array(mass.shape), np.asarray(mass @ shapes[:, places]), weights)


def _frequencies(who: str, modes: Sequence[int], mass: Any, stiffness: Any) -> Array:
    from hamex.model.algebra import eigen

    w = eigen(mass, stiffness, max(modes), who=who)[0][np.array(modes) - 1]
    if w.min() == 0:
        raise ModelError(
            f"{who}: mode {modes[int(w.argmin())]} has no stiffness at rest, or less than "
            "rounding leaves of much stiffer parts, so that it has no critical damping; name another mode, or give "
            "coefficients"
        )
    return w
