"""The step of many shear frames: the numbers of :mod:`hamex.schemes.shear_frame` for all of them at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import ModelError, SchemeError
from hamex.model.record import Model, dense
from hamex.model.shear_frames import ARRAYS, ShearFrames, diagonals
from hamex.schemes._stepforms import linear_element as linear_element_form
from hamex.schemes.prepare import lift
from hamex.schemes.shear_frame import is_shear_frame, shear_frame_rows, storeys_of

Array = NDArray[Any]
_ZERO = 1e-13  # of the elastic diagonal: what counts as no resistance, as in schemes.structure


def shear_frames_of(models: Sequence[Model]) -> ShearFrames:
    """Models of floors in a row, each on one storey spring with a slider, as arrays; all of one height."""
    if not models:
        raise ModelError("shear_frames: no models; give at least one")
    storeys = len(models[0].dofs)
    rows: list[dict[str, Array]] = []
    for number, model in enumerate(models):
        if not (is_shear_frame(model) or _is_one_storey(model)):
            raise ModelError(
                f"shear_frames: model {number} is not a plain shear frame: floors in a row, one slider "
                "per storey, masses everywhere, and neither links nor modal damping"
            )
        if len(model.dofs) != storeys:
            raise ModelError(
                f"shear_frames: model {number} has {len(model.dofs)} storeys and model 0 has {storeys}; "
                "batch those of one height"
            )
        if not np.all(model.influence == 1) or model.influence.shape[1] != 1:
            raise ModelError(f"shear_frames: the floors of model {number} do not all move with the ground")
        heights = np.full(storeys, np.nan) if model.storeys is None else model.storeys.heights
        rows.append({**storeys_of(model), "heights": heights})
    return ShearFrames(**{name: np.array([row[name] for row in rows]) for name in ARRAYS}, units=models[0].units)


def _is_one_storey(model: Model) -> bool:
    return (
        len(model.dofs) == len(model.springs) == 1
        and set(model.laws) == {"slider"}
        and not model.damping.weights.size
        and dense(model.compatibility)[0, 0] == 1
        and model.mass.diagonal()[0] > 0
    )


def shear_frames_numbers(frames: ShearFrames, h: float) -> Array:
    """The step of every frame from the generated step form, (frame, row, storey): rows as in ``march.shear_frame``."""
    rows = shear_frame_rows(vars(frames), h)
    out = np.empty((len(frames), len(rows), frames.storeys))
    for place, row in enumerate(rows):
        out[:, place] = row
    return out


def softens(frames: ShearFrames) -> Array:
    """Which frames have stiffness outside their springs."""
    return np.asarray(np.any(frames.geometric_main != 0, axis=1) | np.any(frames.geometric_side != 0, axis=1))


def check_convex(frames: ShearFrames, h: float, first: int = 0) -> None:
    """Refuse a step at which some frame's potential is not strictly convex; name the frame and the admissible step.

    Frames are counted from ``first``. See :mod:`hamex.schemes.promise`.
    """
    some = np.flatnonzero(softens(frames))
    weak = some[~_is_convex(frames.chosen(some), h)]
    if not weak.size:
        return
    frame = frames.chosen(weak[:1])
    low = h
    while low > 1e-9 * h and not _is_convex(frame, low)[0]:
        low *= 0.5
    high = min(2 * low, h)
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if _is_convex(frame, middle)[0] else (low, middle)
    raise SchemeError(
        f"Galerkin: with the negative stiffness of frame {first + weak[0]} the step must be below "
        f"{low:.6g} s, got {h:g} s"
    )


def _is_convex(frames: ShearFrames, h: float) -> Array:
    """Whether M̂ + (h/4) B T Bᵀ is positive definite in the softest state, everything slipping."""
    form = linear_element_form(h)
    spring = lift(form["spring_start"], {"a": 1.0, "b": 1.0})
    factor = -form["motion_start"]["F"]["b"] * spring["du"]
    numbers = shear_frames_numbers(frames, h)
    k = frames.stiffness
    held = frames.viscosity + spring["g"] * (frames.kinematic + frames.isotropic)
    soft = np.where(np.isinf(frames.yield_force), k, k * held / (held + spring["g"] * k))
    main, side = (factor * x for x in diagonals(soft))
    scale = 1 / np.sqrt(abs(numbers[:, 0]) + factor * diagonals(k)[0])
    main = (main + numbers[:, 0]) * scale * scale - _ZERO
    side = (side + numbers[:, 1])[:, 1:] * scale[:, 1:] * scale[:, :-1]
    pivot, good = main[:, 0], main[:, 0] > 0
    for i in range(1, frames.storeys):
        pivot = main[:, i] - side[:, i - 1] ** 2 / np.where(good, pivot, 1.0)
        good &= pivot > 0
    return np.asarray(good)
