"""Many shear frames at once: one array per parameter, for batches.

The natural frequency that a damping ratio belongs to is found for all frames by bisection on the number of modes below
a bound: modes of small full matrices cost more than the march of a batch.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hamex.checks import check_range, floats
from hamex.errors import ModelError
from hamex.model.damping import Modal, Ratio, Rayleigh, refuse_number
from hamex.model.inputs import beyond
from hamex.model.oscillator import of_sliders, refuse_law
from hamex.model.units import Units
from hamex.names import options_by_keyword

Array = NDArray[Any]
WHO = "shear_frames"
_BLOCK = 4096  # frames that are worked on while they lie close to the processor
_STILL = 1e-14  # ω² relative to the largest one below which a motion counts as free


@of_sliders
@dataclass(frozen=True, eq=False)
class ShearFrames:
    """Shear frames of one number of storeys as arrays (frame, storey); build them with :func:`shear_frames`.

    Side diagonals hold the entries (i, i − 1) of symmetric matrices, the first one zero.

    Attributes
    ----------
    mass : of the floors.
    stiffness : of the storeys.
    damping_main, damping_side : diagonals of C.
    geometric_main, geometric_side : diagonals of the stiffness outside the springs, P-Delta.
    yield_force, viscosity, kinematic, isotropic : of each storey's slider, see :class:`hamex.Slider`.
    heights : of the storeys; NaN where unknown.
    units : names of the units of length and force.

    Examples
    --------
    >>> many = shear_frames(masses=[[2.0, 1.0]] * 3, stiffnesses=[[300.0, 200.0]] * 3)
    >>> many.mass.shape
    (3, 2)
    """

    mass: Array
    stiffness: Array
    damping_main: Array
    damping_side: Array
    geometric_main: Array
    geometric_side: Array
    yield_force: Array
    viscosity: Array
    kinematic: Array
    isotropic: Array
    heights: Array
    units: Units

    def __len__(self) -> int:
        return len(self.mass)

    def __repr__(self) -> str:
        storeys = self.mass.shape[1]
        return f"<ShearFrames: {len(self)} of {storeys} storeys, in {self.units.length} and {self.units.force}>"

    @property
    def storeys(self) -> int:
        """Number of storeys of each frame."""
        return int(self.mass.shape[1])

    def chosen(self, which: Any) -> ShearFrames:
        """Some of them, by index array or slice."""
        return ShearFrames(**{name: getattr(self, name)[which] for name in ARRAYS}, units=self.units)


ARRAYS = tuple(field.name for field in fields(ShearFrames) if field.name != "units")


@options_by_keyword
def shear_frames(
    masses: ArrayLike,
    stiffnesses: ArrayLike,
    damping: ArrayLike | Ratio | Rayleigh = 0.0,
    *,
    yield_forces: ArrayLike = np.inf,
    viscosities: ArrayLike = 0.0,
    kinematic: ArrayLike = 0.0,
    isotropic: ArrayLike = 0.0,
    heights: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    laws: None = None,
    units: Units | None = None,
) -> ShearFrames:
    """Shear frames for :func:`hamex.batch`, all with the same number of storeys, counted from the ground up.

    Parameters are arrays (frame, storey), or (storey,) for what all frames share, or numbers, but for damping; they are
    spread over each other. They mean what they mean for one frame, see :func:`hamex.shear_frame`.

    Parameters
    ----------
    masses : of the floors, > 0 [force·time²/length].
    stiffnesses : of the storeys, > 0 [force/length].
    damping : dashpot coefficients of the storeys ≥ 0 [force·time/length], ``ratio(z, mode=1)`` or ``rayleigh(…)``;
        each frame has its own frequencies.
    yield_forces, viscosities, kinematic, isotropic : of the sliders, as in :class:`hamex.Slider`; elastic by default.
    heights : of the storeys [length].
    weights : gravity loads of the floors [force]; with heights they add P-Delta.
    laws : refused; storeys of any other law, such as those that degrade, are for :func:`hamex.batch` as a list.
    units : names of the units, for labels.

    Examples
    --------
    >>> many = shear_frames([2.0, 1.0], [[300.0, 200.0], [600.0, 400.0]], yield_forces=3.0)
    >>> len(many), many.storeys, many.yield_force.tolist()
    (2, 2, [[3.0, 3.0], [3.0, 3.0]])
    """
    refuse_law(WHO, "hx.shear_frame", laws)
    given = {
        "mass": masses,
        "stiffness": stiffnesses,
        "yield force": yield_forces,
        "viscosity": viscosities,
        "kinematic hardening": kinematic,
        "isotropic hardening": isotropic,
    }
    given |= {name: values for name, values in (("height", heights), ("weight", weights)) if values is not None}
    if isinstance(damping, Modal):
        raise ModelError(
            f"{WHO}: modal damping fills the damping matrix of every frame; use rayleigh(…), or solve "
            "frames made by shear_frame one by one"
        )
    refuse_number(WHO, damping, units)
    if not isinstance(damping, Ratio | Rayleigh):
        given["damping"] = damping
    x = _spread(given)
    for name, values in x.items():
        _check(name, values, positive=name in ("mass", "stiffness", "height"), infinite=name == "yield force")
    resists = (
        (x["yield force"] > 0) | (x["viscosity"] > 0) | (x["kinematic hardening"] > 0) | (x["isotropic hardening"] > 0)
    )
    if not resists.all():
        raise ModelError(
            f"{WHO}: yield force, viscosity and hardening of {_place('', ~resists)} are all zero, so that "
            "the storey resists nothing"
        )
    beside = _p_delta(x)
    main, side = diagonals(x["damping"]) if "damping" in x else _proportional(damping, x, beside)
    geometric = diagonals(beside) if "weight" in x else (_nothing(x), _nothing(x))
    return ShearFrames(
        x["mass"],
        x["stiffness"],
        main,
        side,
        *geometric,
        x["yield force"],
        x["viscosity"],
        x["kinematic hardening"],
        x["isotropic hardening"],
        x.get("height", np.broadcast_to(np.nan, x["mass"].shape)),
        units or Units(),
    )


def diagonals(storeys: Array) -> tuple[Array, Array]:
    """Main and side diagonal of Σ weight · b bᵀ over storeys b."""
    main = storeys.copy()
    main[:, :-1] += storeys[:, 1:]
    side = -storeys
    side[:, 0] = 0.0
    return main, side


def _nothing(x: dict[str, Array]) -> Array:
    return np.broadcast_to(0.0, x["mass"].shape)


def _spread(given: dict[str, Any]) -> dict[str, Array]:
    arrays = {}
    for name, values in given.items():
        arrays[name] = floats(values, f"{WHO}: {name} must be numbers", ModelError)
        if arrays[name].ndim > 2:
            raise ModelError(
                f"{WHO}: {name} has shape {arrays[name].shape}; give (frame, storey), (storey,) or a number"
            )
        if arrays[name].size == 0:
            raise ModelError(
                f"{WHO}: {name} is empty, its shape is {arrays[name].shape}; give at least one frame of one storey"
            )
    try:
        shape = (1, 1, *np.broadcast_shapes(*(values.shape for values in arrays.values())))[-2:]
    except ValueError:
        shapes = ", ".join(f"{name} {values.shape}" for name, values in arrays.items() if values.size > 1)
        raise ModelError(f"{WHO}: shapes do not fit together: {shapes}; storeys are the last dimension") from None
    return {name: np.broadcast_to(values, shape) for name, values in arrays.items()}


def _check(name: str, values: Array, positive: bool, infinite: bool) -> None:
    """Refuse the first value out of range, by its place."""
    good = values > 0 if positive else values >= 0
    if not good.all():
        need = "be positive" if positive else "not be negative"
        raise ModelError(f"{WHO}: {_place(name, ~good)} must {need}, got {values[~good][0]:g}")
    if not infinite and not np.isfinite(values).all():
        raise ModelError(f"{WHO}: {_place(name, ~np.isfinite(values))} must be finite, got inf")
    far = beyond(values)
    if far.any():
        check_range(WHO, _place(name, far), float(values[far][0]), ModelError)


def _place(name: str, bad: Array) -> str:
    frame, storey = np.argwhere(bad)[0]
    of = "floor" if name in ("mass", "weight") else "storey"
    return f"{name}{' of ' if name else ''}frame {frame}, {of} {storey + 1}"


def _p_delta(x: dict[str, Array]) -> Array:
    """Geometric stiffness −P/h of the storeys; loads that the elastic frame cannot carry are refused."""
    if "weight" not in x:
        return _nothing(x)
    if "height" not in x:
        raise ModelError(f"{WHO}: weights act through P-Delta, which needs heights")
    beside = -np.cumsum(x["weight"][:, ::-1], axis=1)[:, ::-1] / x["height"]
    buckles = x["stiffness"] + beside <= 1e-13 * x["stiffness"]
    if buckles.any():
        frame, storey = np.argwhere(buckles)[0]
        factor = -x["stiffness"][frame, storey] / beside[frame, storey]
        raise ModelError(
            f"{WHO}: the gravity loads exceed what the elastic frame {frame} can carry: it buckles at "
            f"{factor:.4g} times these loads, in storey {storey + 1}; reduce them or stiffen the frame"
        )
    return beside


def _proportional(damping: Any, x: dict[str, Array], beside: Array) -> tuple[Array, Array]:
    """C in terms of the modes at rest; a storey that yields at no force counts with its hardening in series."""
    hardening = x["kinematic hardening"] + x["isotropic hardening"]
    share = np.where(x["yield force"] == 0, hardening / (x["stiffness"] + hardening), 1.0)
    alpha, beta = _coefficients(damping, x["mass"], x["stiffness"] * share + beside)
    main, side = diagonals(beta[:, None] * (x["stiffness"] * share + beside))
    return main + alpha[:, None] * x["mass"], side


def _coefficients(damping: Ratio | Rayleigh, mass: Array, storeys: Array) -> tuple[Array, Array]:
    """alpha and beta of C = alpha M + beta K, one of each per frame."""
    count, none = len(mass), np.zeros(len(mass))
    if isinstance(damping, Ratio):
        return none, 2 * damping.value / _frequency(damping.mode, mass, storeys)
    if damping.alpha is not None and damping.beta is not None:
        return np.full(count, damping.alpha), np.full(count, damping.beta)
    (first, second), (low, high) = damping.ratios, (_frequency(mode, mass, storeys) for mode in damping.modes)
    apart = (high - low) * (high + low)
    same = abs(high - low) < 1e-9 * np.maximum(low, high)
    if same.any():
        raise ModelError(
            f"{WHO}: modes {damping.modes} of frame {int(same.argmax())} have one frequency, which does not "
            "fix Rayleigh damping"
        )
    alpha = 2 * low * high * (first * high - second * low) / apart
    beta = 2 * (second * high - first * low) / apart
    for values, what in ((alpha, "mass"), (beta, "stiffness")):
        if (values < -1e-12).any():
            raise ModelError(
                f"{WHO}: ratios {damping.ratios} in modes {damping.modes} need a negative coefficient of {what} "
                f"in frame {int((values < -1e-12).argmax())}, so that some mode gains energy; bring the "
                "ratios closer together"
            )
    return np.maximum(alpha, 0.0), np.maximum(beta, 0.0)


def _frequency(mode: int, mass: Array, storeys: Array) -> Array:
    if mode > mass.shape[1]:
        raise ModelError(
            f"{WHO}: mode {mode} asked for, but frames of {mass.shape[1]} "
            f"storey{'s' if mass.shape[1] > 1 else ''} have no more than {mass.shape[1]}"
        )
    found = frequencies(mass, storeys, mode)
    if not found.all():
        raise ModelError(
            f"{WHO}: mode {mode} of frame {int((found == 0).argmax())} has no stiffness at rest, so that "
            "it has no critical damping; name another mode, or give coefficients"
        )
    return found


def frequencies(mass: Array, storeys: Array, mode: int) -> Array:
    """ω of one mode, counted from 1, of each frame: masses and stiffnesses (frame, storey), from the ground up.

    >>> frequencies(np.array([[1.0, 1.0]]), np.array([[3.0, 2.0]]), 1).round(12).tolist()
    [1.0]
    """
    return np.concatenate(
        [
            _block_frequencies(mass[at : at + _BLOCK], storeys[at : at + _BLOCK], mode)
            for at in range(0, len(mass), _BLOCK)
        ]
    )


def _block_frequencies(mass: Array, storeys: Array, mode: int) -> Array:
    # M^−½ K M^−½, a row per floor.
    root = 1 / np.sqrt(mass.T)
    k = storeys.T
    main = k.copy()
    main[:-1] += k[1:]
    main *= root * root
    side = k[1:] * root[1:] * root[:-1]
    squared = side * side
    bound = main.copy()  # Gershgorin: no eigenvalue beyond
    bound[:-1] += abs(side)
    bound[1:] += abs(side)
    largest = bound.max(axis=0)
    squared = np.maximum(squared, np.finfo(float).tiny)  # so that a pivot of zero gives ∞ and never NaN
    low, high = np.zeros_like(largest), largest * (1 + 1e-15)
    with np.errstate(divide="ignore"):
        while np.any(high - low > 5e-16 * largest):
            middle = 0.5 * (low + high)
            above = _modes_below(main, squared, middle) >= mode
            low, high = np.where(above, low, middle), np.where(above, middle, high)
    found = 0.5 * (low + high)
    return np.sqrt(np.where(found < _STILL * largest, 0.0, found))


def _modes_below(main: Array, squared: Array, bound: Array) -> Array:
    """Number of eigenvalues below a bound: negative pivots of the shifted matrix (Sturm)."""
    pivot = main[0] - bound
    count = (pivot < 0).astype(np.int32)
    for row, coupling in zip(main[1:], squared, strict=True):
        np.divide(coupling, pivot, out=pivot)
        np.subtract(row - bound, pivot, out=pivot)
        count += pivot < 0
    return count
