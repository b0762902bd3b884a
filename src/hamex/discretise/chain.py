"""Recognise a shear frame and read its step off the record: the tridiagonal route."""

from __future__ import annotations

from collections.abc import Mapping
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
    rows = tuple(np.ascontiguousarray(row, dtype=float) for row in chain_rows(storeys_of(model), h))
    return ChainNumbers(rows, bool(np.any(model.stiffness.data)))


def storeys_of(model: Model) -> dict[str, Array]:
    """A shear frame as arrays (storey,), by the names of :class:`hamex.ShearFrames`."""
    law = model.laws["slider"]
    order = np.argsort(law.springs)
    return {"mass": model.mass.diagonal(), "stiffness": 1 / model.flexibility.diagonal(),
            "damping_main": model.damping.matrix.diagonal(), "damping_side": _side(model.damping.matrix),
            "geometric_main": model.stiffness.diagonal(), "geometric_side": _side(model.stiffness),
            "yield_force": law.yield_force[order], "viscosity": law.viscosity[order],
            "kinematic": law.kinematic[order], "isotropic": law.isotropic[order]}


def chain_rows(x: Mapping[str, Array], h: float) -> tuple[Array, ...]:
    """Rows of :mod:`hamex.march.chain` from the generated step form; arrays (…, storey), one frame or many."""
    form = linear_element_form(h)
    start, end = form["motion_start"]["du"], form["motion_end"]["du"]
    tau = lift(form["spring_start"], {"a": 1.0, "b": 1.0})["g"]
    mass, k = x["mass"], x["stiffness"]
    mains: Any = {"m": mass, "c": x["damping_main"], "k": x["geometric_main"]}
    sides: Any = {"m": np.zeros_like(mass), "c": x["damping_side"], "k": x["geometric_side"]}
    main, side = (np.asarray(lift({"du": start}, blocks)["du"]) for blocks in (mains, sides))
    rate = 1 / (x["viscosity"] + tau * (k + x["kinematic"] + x["isotropic"]))
    return (main, side, mains["k"], sides["k"], (start["m"] - end["m"]) * mass, k, x["yield_force"], x["kinematic"],
            x["isotropic"], rate, tau * k * rate)


def _side(matrix: Any) -> Array:
    """Entries (i, i − 1), the first one zero."""
    return np.concatenate([[0.0], matrix.diagonal(-1)])
