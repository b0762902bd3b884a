"""Material of a body: density, elasticity, and the law by which it yields; numbers, or fields over the body."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hamex.checks import LEAST, MOST, floats
from hamex.errors import ModelError
from hamex.model.laws.law import Law

Array = NDArray[Any]
Field = float | Callable[[Array], Any]
Plane = Literal["strain", "stress", "axisymmetric", "space"]
# Strains in the order of vectors; shear strains are γ = 2ε. Around an axis x is the radius, y the axis, zz the hoop.
STRAINS: dict[str, tuple[str, ...]] = {
    "space": ("xx", "yy", "zz", "xy", "yz", "zx"),
    "strain": ("xx", "yy", "zz", "xy"),
    "axisymmetric": ("xx", "yy", "zz", "xy"),
    "stress": ("xx", "yy", "xy"),
}


@dataclass(frozen=True, eq=False)
class Material:
    """What a body is made of.

    Every number may be a function of the place instead: it is given points (dimension, …) and returns one number for
    each, asked at the points of integration.

    Parameters
    ----------
    density : mass per volume ρ [force·time²/length⁴].
    modulus : Young's modulus E [force/length²].
    poisson : Poisson's ratio ν, between −1 and ½ [1].
    elasticity : instead of both, for materials with directions: the symmetric matrix of stresses over strains, 6 × 6 in
        the order xx, yy, zz, xy, yz, zx, shear strains being γ [force/length²]. In the plane the rows and columns of
        xx, yy, zz, xy count.
    law : how it yields, from :mod:`hamex.laws` (``J2``, ``DruckerPrager``); None: it stays elastic.

    Examples
    --------
    >>> steel = Material(density=7.85e-9, modulus=210e3, poisson=0.3)   # t, mm, s, N
    >>> soil = Material.of_waves(density=1.8, shear=200.0, pressure=400.0)
    >>> soil.modulus, round(soil.poisson, 4)
    (192000.0, 0.3333)
    """

    density: Field
    modulus: Field | None = None
    poisson: Field | None = None
    elasticity: ArrayLike | None = None
    law: Law | None = None

    def __post_init__(self) -> None:
        isotropic = self.modulus is not None and self.poisson is not None
        if isotropic == (self.elasticity is not None) or (self.modulus is None) != (self.poisson is None):
            raise ModelError("Material: give modulus and poisson, or elasticity instead of both")
        if self.law is not None and not isinstance(self.law, Law):
            raise ModelError(f"Material: law must be one of hamex.laws, as J2(…), got {self.law!r:.60}")
        for name in ("density", "modulus", "poisson"):
            value = getattr(self, name)
            if value is not None and not callable(value):
                got = floats(value, f"Material: {name} must be a number or a function of the place", ModelError)
                if got.ndim:
                    raise ModelError(
                        f"Material: {name} must be a number or a function of the place, got {got.size} numbers"
                    )
                object.__setattr__(self, name, float(_checked(name, got)))
        if self.elasticity is not None:
            object.__setattr__(self, "elasticity", _definite(self.elasticity))

    @classmethod
    def of_waves(cls, density: float, shear: float, pressure: float, law: Law | None = None) -> Material:
        """From the speeds of shear and pressure waves [length/time], as soils are measured.

        ``c_S² = G/ρ`` and ``c_P² = (λ + 2G)/ρ``; c_P must exceed √(4/3) c_S.
        """
        ratio = float(pressure) / float(shear) if float(shear) > 0 else 0.0
        if not ratio > np.sqrt(4 / 3):
            raise ModelError(
                f"Material.of_waves: pressure waves must be faster than √(4/3) times shear waves, got {pressure!r} "
                f"and {shear!r}"
            )
        poisson = (ratio**2 - 2) / (2 * (ratio**2 - 1))
        return cls(density, 2 * density * shear**2 * (1 + poisson), poisson, law=law)

    @property
    def uniform(self) -> bool:
        """True when no number is a field."""
        return not any(callable(x) for x in (self.density, self.modulus, self.poisson))

    def weight(self, x: Array) -> Array:
        """Density at points (dimension, …)."""
        return _asked("density", self.density, x)

    def stiffness(self, plane: str, x: Array) -> Array:
        """Stresses over strains at points (dimension, …): (…, m, m) in the order xx, yy, zz, xy, yz, zx."""
        if self.elasticity is not None:
            full = np.asarray(self.elasticity)
            return np.broadcast_to(reduced(full, plane), (*x.shape[1:], *(len(STRAINS[plane]),) * 2))
        E, nu = _asked("modulus", self.modulus, x), _asked("poisson", self.poisson, x)
        lame, shear = E * nu / ((1 + nu) * (1 - 2 * nu)), E / (2 * (1 + nu))
        full = np.zeros((*E.shape, 6, 6))
        for i in range(3):
            for j in range(3):
                full[..., i, j] = lame
            full[..., i, i] += 2 * shear
            full[..., 3 + i, 3 + i] = shear
        return reduced(full, plane)

    def speeds(self, x: Array) -> tuple[Array, Array]:
        """Speeds of pressure and shear waves at points (dimension, …) [length/time]; the largest moduli of anisotropic
        ones."""
        rho = self.weight(x)
        D = self.stiffness("space", x)
        stiff = np.maximum.reduce([D[..., i, i] for i in range(3)])
        shear = np.maximum.reduce([D[..., i, i] for i in range(3, 6)])
        return np.sqrt(stiff / rho), np.sqrt(shear / rho)

    def with_law(self, law: Law | None) -> Material:
        """The same with another law."""
        return replace(self, law=law)


def reduced(full: Array, plane: str) -> Array:
    """The rows of a plane out of (…, 6, 6): strains that are zero left out, stresses that are zero condensed."""
    if plane == "space":
        return full
    if plane != "stress":
        return full[..., :4, :4]
    keep, out = [0, 1, 3], [2, 4, 5]
    own, across = full[..., keep, :][..., keep], full[..., keep, :][..., out]
    return own - across @ np.linalg.solve(full[..., out, :][..., out], np.swapaxes(across, -1, -2))


def _asked(name: str, given: Any, x: Array) -> Array:
    if not callable(given):
        return np.full(x.shape[1:], given)
    values = floats(given(x), f"Material: {name} must return numbers", ModelError)
    try:
        values = np.broadcast_to(values, x.shape[1:])
    except ValueError:
        raise ModelError(
            f"Material: {name} returned shape {values.shape} for points of shape {x.shape[1:]}; return one each"
        ) from None
    return _checked(name, values)


def _checked(name: str, values: Array) -> Array:
    if name == "poisson":
        bad, wanted = ~((values > -1) & (values < 0.5)), "between −1 and 0.5; nearly incompressible is 0.499"
    else:
        bad, wanted = ~((values > LEAST) & (values < MOST)), "positive, and of a size that can be computed with"
    if np.any(bad):
        raise ModelError(f"Material: {name} must be {wanted}; got {np.asarray(values)[bad].flat[0]:g}")
    return values


def _definite(given: ArrayLike) -> Array:
    D = floats(given, "Material: elasticity must be a 6 × 6 matrix of numbers", ModelError)
    if D.shape != (6, 6) or not np.all(np.isfinite(D)):
        raise ModelError(f"Material: elasticity must be a finite 6 × 6 matrix, got shape {D.shape}")
    size = np.abs(D).max()
    if not np.allclose(D, D.T, rtol=0, atol=1e-9 * size):
        raise ModelError("Material: elasticity must be symmetric: stresses come from an energy")
    low = np.linalg.eigvalsh(0.5 * (D + D.T)).min()
    if not low > 0 or not LEAST < size < MOST:
        raise ModelError(
            f"Material: elasticity must be positive definite, its least eigenvalue is {low:g}: some strain would "
            "give energy away"
        )
    return 0.5 * (D + D.T)
