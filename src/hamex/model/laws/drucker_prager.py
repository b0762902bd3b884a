"""Drucker-Prager plasticity of solids: soil, rock and concrete, whose strength grows with pressure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from hamex.errors import LawError
from hamex.model.laws.law import Array, checked
from hamex.model.laws.stress import Cone, StressLaw

Fit = Literal["compression", "extension", "plane strain"]
_FITS: tuple[Fit, ...] = ("compression", "extension", "plane strain")


@dataclass(frozen=True)
class DruckerPrager(StressLaw):
    """Drucker-Prager plasticity of a point of a solid, associated, with linear overstress; its apex is included.

    The von Mises stress q is bounded by a cone, ``q ≤ slope · pressure + strength``, fitted to the Mohr-Coulomb
    criterion ``|τ| ≤ cohesion + pressure on the plane · tan φ``: ``slope = 3 sin φ/d``, ``strength = 3 cohesion cos
    φ/d`` with d = (3 − sin φ)/2 (triaxial compression), (3 + sin φ)/2 (triaxial extension) or √(3 + sin²φ) (plane
    strain; it touches the hexagon from inside). Tension is positive. The multiplier λ of the flow obeys ``viscosity ·
    λ = ⟨q − slope · pressure − strength⟩``: λ is the equivalent plastic strain rate of the deviator, and volume grows
    by ``slope · λ``, as associated flow has it, which is more than most soils do. Elasticity is isotropic.

    Parameters
    ----------
    cohesion : c > 0 [stress].
    friction_angle : φ, from 0 to below 90 [degrees].
    fit : where cone and Mohr-Coulomb criterion meet.
    viscosity : overstress per rate of λ [stress·time]; 0 is rate independent.
    isotropic : growth of the cohesion per accumulated slip w = ∫λ dt [stress].
    components : stresses of a point: 6 (3D) or 4 (plane strain, axisymmetry) [1].
    volume : of the point, forces per stress [length³]; builders fill it in.

    Examples
    --------
    >>> import hamex as hx
    >>> sand = hx.laws.DruckerPrager(cohesion=5.0, friction_angle=30.0)
    >>> round(float(sand.slope), 12), round(float(sand.strength), 6)  # 6 sin φ/(3 − sin φ), 6 c cos φ/(3 − sin φ)
    (1.2, 10.392305)
    """

    kind = "drucker_prager"
    words: ClassVar[Mapping[str, tuple[str, ...]]] = {"fit": _FITS}
    stresses: ClassVar[Mapping[int, str]] = {m: what for m, what in StressLaw.stresses.items() if m != 3}

    cohesion: float
    friction_angle: float
    fit: Fit = "compression"
    viscosity: float = 0.0
    isotropic: float = 0.0
    components: int = 6
    volume: float = 1.0

    def __post_init__(self) -> None:
        hint = "; a point without cohesion stands at the apex of its cone, where nothing resists tension"
        checked(self, "cohesion", positive=True, hint=f"{hint}: give a small one")
        if checked(self, "friction_angle") >= 90:
            raise LawError(f"DruckerPrager: friction_angle must be below 90 degrees, got {self.friction_angle:g}")
        self.coded("fit", self.fit)
        checked(self, "viscosity")
        checked(self, "isotropic", hint="; softening is not a convex law")
        if self.components == 3:
            raise LawError(
                "DruckerPrager: plane stress (components=3) has no closed form with a cone; use plane strain "
                "(components=4), 3D (components=6), or J2"
            )
        self.check_point()

    @property
    def slope(self) -> float:
        """Growth of the von Mises stress at yield per pressure [1]."""
        return float(_cone(self.friction_angle, self.coded("fit", self.fit))[0])

    @property
    def strength(self) -> float:
        """Von Mises stress at yield without pressure [stress]."""
        return float(self.cohesion * _cone(self.friction_angle, self.coded("fit", self.fit))[1])

    @classmethod
    def cone(cls, group: Any) -> Cone:
        slope, factor = _cone(group.friction_angle, group.fit)
        v = group.volume
        return Cone(
            group.cohesion * factor * v, slope, group.viscosity * v, np.zeros_like(v), group.isotropic * factor * v
        )


def _cone(angle: Any, fit: Any) -> tuple[Array, Array]:
    """Slope [1], and strength per cohesion [1], for angles in degrees and numbers of fits."""
    sine, cosine = np.sin(np.radians(angle)), np.cos(np.radians(angle))
    d = np.choose(np.asarray(fit, dtype=int), [(3 - sine) / 2, (3 + sine) / 2, np.sqrt(3 + sine**2)])
    return 3 * sine / d, 3 * cosine / d
