"""The step of many oscillators: coefficients of :mod:`hamex.march.batch`, from the generated step form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.discretise._stepforms import linear_element as linear_element_form
from hamex.discretise.lift import lift
from hamex.errors import SchemeError
from hamex.model.oscillators import Oscillators

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class BatchElement:
    """One step of every oscillator, by the names of :mod:`hamex.march.batch`, and the scales of its numbers.

    Lengths are in units of ``unit``, the deformation Q Fy at which the mean of a step begins to slip.
    """

    push: Array         # per unit of force on the mass
    beta: Array
    rho: Array
    kappa: Array
    mu: Array
    beside: Array
    limit: Array        # 1, or what the unit leaves of it
    shift: Array
    grow: Array
    unit: Array         # [length]
    force: Array        # spring force per unit of y
    velocity: Array     # velocity per unit of q


def batch_element(x: Oscillators, h: float, first: int = 0) -> BatchElement:
    """The step's coefficients; refuses a step at which some problem stops being convex, counted from ``first``."""
    form = linear_element_form(h)
    blocks: Any = {"m": x.mass, "c": x.damping, "k": x.geometric, "a": 1 / x.stiffness, "b": 1.0}
    start, spring = lift(form["motion_start"], blocks), lift(form["spring_start"], blocks)
    effective = np.asarray(start["du"])
    bad = effective <= 0
    if bad.any():
        i = int(bad.argmax())
        c, k, m = x.damping[i], x.geometric[i], x.mass[i]
        limit = (c + np.sqrt(c * c - 4 * k * m)) / -k
        raise SchemeError(f"Galerkin: with the negative stiffness {k:g} of oscillator {first + i} the step must be "
                          f"below {limit:.6g} s, got {h:g} s")
    momentum = start["du"] - lift({"du": form["motion_end"]["du"]}, blocks)["du"]
    recoil = start["F"] / effective
    flexibility = spring["F"] - spring["du"] * recoil                         # Q
    half = spring["g"]
    rate = 1 / (x.viscosity + half * (1 / flexibility + x.kinematic + x.isotropic))
    yields = np.isfinite(x.yield_force)
    # A spring that never yields, or yields at no force, has no length of its own.
    own = yields & (x.yield_force > 0)
    unit = np.where(own, flexibility * np.where(own, x.yield_force, 0.0), 1.0)
    none = np.zeros(len(x))
    return BatchElement(
        push=-start["f"] / effective / (2 * unit),
        beta=np.where(yields, half / flexibility * rate, 0.0),
        rho=recoil / flexibility / 2,
        kappa=2 * blocks["a"] / flexibility,
        mu=momentum / effective,
        beside=none + start["u"] / effective,
        limit=np.where(own | ~yields, 1.0, 0.0),
        shift=flexibility * x.kinematic,
        grow=flexibility * x.isotropic,
        unit=unit,
        force=unit / flexibility,
        velocity=2 * unit * effective / x.mass,
    )
