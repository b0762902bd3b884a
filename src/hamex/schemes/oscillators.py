"""The step of many oscillators: coefficients of :mod:`hamex.march.oscillators`, from the generated step form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamex.errors import SchemeError
from hamex.model.oscillators import Oscillators
from hamex.schemes._stepforms import linear_element as linear_element_form
from hamex.schemes.prepare import lift

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class BatchElement:
    """One step of every oscillator, by the names of :mod:`hamex.march.oscillators`, and the scales of its numbers.

    Lengths are in units of ``unit``, the deformation Q Fy at which the mean of a step begins to slip. What only some
    kernels need is computed when asked for.
    """

    x: Oscillators
    effective: Array  # M̂
    flexibility: Array  # Q
    unit: Array  # [length]
    push: Array  # per unit of force on the mass
    beta: Array
    rho: Array
    mu: Array
    softening: Any  # impulse of the stiffness outside the spring per displacement

    @property
    def kappa(self) -> Array:
        """e' per y."""
        return np.asarray(2 / (self.x.stiffness * self.flexibility))

    @property
    def beside(self) -> Array:
        """Free motion per displacement, by the stiffness outside the spring."""
        return np.asarray(self.softening / self.effective)

    @property
    def limit(self) -> Array:
        """1, or what the unit leaves of it: 0 for a spring that yields at no force."""
        return np.where(self.x.yield_force == 0, 0.0, 1.0)

    @property
    def shift(self) -> Array:
        """Back force per slip, in the units of y."""
        return np.asarray(self.flexibility * self.x.kinematic)

    @property
    def grow(self) -> Array:
        """Growth of the limit per accumulated slip, in the units of y."""
        return np.asarray(self.flexibility * self.x.isotropic)

    @property
    def force(self) -> Array:
        """Spring force per unit of y."""
        return np.asarray(self.unit / self.flexibility)

    @property
    def velocity(self) -> Array:
        """Velocity per unit of q."""
        return np.asarray(2 * self.unit * self.effective / self.x.mass)


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
        raise SchemeError(
            f"Galerkin: with the negative stiffness {k:g} of oscillator {first + i} the step must be "
            f"below {limit:.6g} s, got {h:g} s"
        )
    momentum = start["du"] - lift({"du": form["motion_end"]["du"]}, blocks)["du"]
    recoil = start["F"] / effective
    flexibility = spring["F"] - spring["du"] * recoil
    half = spring["g"]
    stiff = half / flexibility
    yields = np.isfinite(x.yield_force)
    unit = flexibility * x.yield_force
    # A spring that never yields, or yields at no force, has no length of its own.
    unit[~yields | (unit == 0)] = 1.0
    beta = stiff / (x.viscosity + stiff + half * (x.kinematic + x.isotropic))
    return BatchElement(
        x,
        effective,
        np.asarray(flexibility),
        unit,
        push=-start["f"] / (2 * unit * effective),
        beta=np.where(yields, beta, 0.0),
        rho=recoil / (2 * flexibility),
        mu=momentum / effective,
        softening=start["u"],
    )


def peak_factors(h: float) -> Array:
    """Factors of the step form in the order of :mod:`hamex.march.peaks`, where nothing stands beside the spring."""
    form = linear_element_form(h)
    start, end, spring = form["motion_start"], form["motion_end"], form["spring_start"]
    return np.array(
        [
            start["du"]["m"],
            start["du"]["c"],
            start["F"]["b"],
            spring["F"]["a"],
            spring["du"]["b"],
            spring["g"][""],
            -start["f"][""],
            start["du"]["m"] - end["du"]["m"],
        ]
    )
