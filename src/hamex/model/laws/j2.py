"""Von Mises plasticity of solids: metals and undrained clay."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hamex.model.laws.law import checked
from hamex.model.laws.stress import Cone, StressLaw


@dataclass(frozen=True)
class J2(StressLaw):
    """Von Mises plasticity of a point of a solid, with linear overstress (Perzyna) and linear hardening.

    Flow is associated, its multiplier λ the equivalent plastic strain rate: ``viscosity · λ = ⟨q − yield_stress −
    isotropic · w⟩``, q the von Mises stress of the stress less the back stress ⅔ kinematic · (plastic strain, as a
    tensor), and w = ∫λ dt the accumulated slip. In uniaxial tension this is ``σ = yield_stress + kinematic · εᵖ +
    isotropic · w + viscosity · ε̇ᵖ``. Elasticity is isotropic. Springs are the stresses of the point times its volume.

    Parameters
    ----------
    yield_stress : uniaxial stress at first flow [stress].
    viscosity : uniaxial overstress per plastic strain rate [stress·time]; 0 is rate independent.
    kinematic : slope of the uniaxial back stress over plastic strain (Prager) [stress].
    isotropic : slope of the uniaxial yield stress over accumulated plastic strain [stress].
    components : stresses of a point: 6 (3D), 4 (plane strain, axisymmetry) or 3 (plane stress) [1].
    volume : of the point, forces per stress [length³]; builders fill it in.

    Examples
    --------
    >>> import hamex as hx
    >>> hx.laws.J2(yield_stress=250.0, kinematic=2000.0).size
    6
    >>> points = hx.laws.Group.of(hx.laws.J2, [0, 4], yield_stress=[250.0, 300.0], components=4, volume=[0.1, 0.2])
    >>> points.springs.tolist()
    [0, 1, 2, 3, 4, 5, 6, 7]
    """

    kind = "j2"
    variables = ("slip", "back_force", "accumulated_slip")

    yield_stress: float
    viscosity: float = 0.0
    kinematic: float = 0.0
    isotropic: float = 0.0
    components: int = 6
    volume: float = 1.0

    def __post_init__(self) -> None:
        checked(self, "yield_stress", positive=True, hint="; for an elastic point leave the law out")
        checked(self, "viscosity")
        for name in ("kinematic", "isotropic"):
            checked(self, name, hint="; softening is not a convex law")
        self.check_point()

    @classmethod
    def cone(cls, group: Any) -> Cone:
        v = group.volume
        return Cone(
            group.yield_stress * v, np.zeros_like(v), group.viscosity * v, group.kinematic * v, group.isotropic * v
        )
