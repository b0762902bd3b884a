"""Recognise a shear frame and read its step off the record: the tridiagonal route."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.discretise._stepforms import linear_element as linear_element_form
from hamex.discretise.lift import lift
from hamex.model.record import Model

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class ChainNumbers:
    """Arrays of :class:`hamex.march.chain.Chain`, in its order, and whether K is there at all."""

    arrays: tuple[Array, ...]
    softens: bool


def is_chain(model: Model) -> bool:
    """True for floors in a row, each on one storey spring with a slider, and matrices no wider than that."""
    n, B = len(model.dofs), model.compatibility
    if set(model.laws) != {"slider"} or len(model.springs) != n or model.damping.weights.size or n < 2:
        return False
    if not hasattr(B, "indptr") or B.format != "csr" or B.nnz != 2 * n - 1:
        return False
    straight = np.minimum(2 * np.arange(n + 1), 2 * n - 1)
    i = np.arange(2 * n - 1)
    return bool(np.array_equal(B.indptr, straight) and np.array_equal(B.indices, (i + 1) // 2)
                and np.array_equal(B.data, 1.0 - 2.0 * (i % 2))
                and _within(model.mass, 0) and _within(model.flexibility, 0) and np.all(model.mass.diagonal() > 0)
                and _within(model.stiffness, 1) and _within(model.damping.matrix, 1))


def _within(matrix: Any, width: int) -> bool:
    """True when no stored entry lies further than ``width`` from the diagonal."""
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    return bool(np.all(np.abs(rows - matrix.indices) <= width))


def chain_numbers(model: Model, h: float) -> ChainNumbers:
    """The step of a shear frame, from the generated step form."""
    form = linear_element_form(h)
    start, end, spring = form["motion_start"], form["motion_end"], form["spring_start"]
    m, k = model.mass.diagonal(), 1 / model.flexibility.diagonal()
    mains = {"m": m, "c": model.damping.matrix.diagonal(), "k": model.stiffness.diagonal()}
    sides = {"m": np.zeros_like(m), "c": _side(model.damping.matrix), "k": _side(model.stiffness)}
    tau = lift(spring, {"a": 1.0, "b": 1.0})["g"]
    momentum = (start["du"]["m"] - end["du"]["m"]) * m
    law = model.laws["slider"]
    yield_force, viscosity, kinematic, isotropic = (
        x[np.argsort(law.springs)] for x in (law.yield_force, law.viscosity, law.kinematic, law.isotropic))
    rate = 1 / (viscosity + tau * (k + kinematic + isotropic))
    main, side = (lift({"du": start["du"]}, blocks)["du"] for blocks in (mains, sides))
    return ChainNumbers(tuple(np.ascontiguousarray(x, dtype=float) for x in (
        main, side, mains["k"], sides["k"], momentum, k, yield_force, kinematic, isotropic, rate, tau * k * rate)),
        bool(np.any(model.stiffness.data)))


def _side(matrix: Any) -> Array:
    """Entries (i, i − 1), the first one zero."""
    return np.concatenate([[0.0], matrix.diagonal(-1)])
