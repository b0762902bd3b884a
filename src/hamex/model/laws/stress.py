"""Laws of a point of a solid: von Mises plasticity of metals and undrained clay, Drucker-Prager plasticity of soil,
rock and concrete, whose strength grows with pressure.

They share stresses times volume as the forces of a block, isotropic elasticity, and the answers that every law gives,
from the numbers of a cone (:mod:`hamex.model.laws.cones`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from hamex.errors import LawError
from hamex.model.algebra import forces_of
from hamex.model.laws.cones import at
from hamex.model.laws.law import Array, Group, Law, Split, checked, number

_ISOTROPIC = 1e-9  # of the largest entry: how far an elasticity may be from an isotropic one, by round-off


class Cone(NamedTuple):
    """The numbers of a law, one per block, all but ``slope`` times the volume: ``q + slope · p ≤ limit``, q the von
    Mises norm and p the mean stress, and what hardens and resists beyond it."""

    limit: Array
    slope: Array
    viscosity: Array
    kinematic: Array
    isotropic: Array


class StressLaw(Law):
    """A law of the stresses at a point of a solid with isotropic elasticity; a subclass says its :class:`Cone`.

    A block of m springs is a point: deformations are strains [1], xx, yy, zz, xy, yz, zx (m = 6), xx, yy, zz, xy (m =
    4) or xx, yy, xy (m = 3, plane stress), shear strains engineering strains; forces are stresses times the volume of
    the point, so that slip is plastic strain. The accumulated slip of a block stands at its first spring.
    """

    variables: ClassVar[tuple[str, ...]] = ("slip", "accumulated_slip")
    group_at = staticmethod(at)
    separate = True
    stresses: ClassVar[Mapping[int, str]] = {6: "3D", 4: "plane strain or axisymmetry", 3: "plane stress"}

    components: int
    volume: float

    def check_point(self) -> None:
        """Refuse a number of stresses that the law has no form for, and a volume that is none."""
        who = type(self).__name__
        size = number(who, "components", self.components)
        if size not in self.stresses:
            known = ", ".join(f"{m} ({what})" for m, what in self.stresses.items())
            raise LawError(f"{who}: components must be one of {known}; got {self.components!r}")
        object.__setattr__(self, "components", int(size))
        checked(self, "volume", positive=True)

    @property
    def size(self) -> int:
        """Number of stresses."""
        return self.components

    @classmethod
    def cone(cls, group: Any) -> Cone:
        """The numbers of all blocks."""
        raise NotImplementedError

    @classmethod
    def recorded(cls, group: Any) -> tuple[str, ...]:
        """What no hardening needs says nothing."""
        cone = cls.cone(group)
        needed = {"back_force": cone.kinematic.any(), "accumulated_slip": cone.isotropic.any()}
        return tuple(name for name, wanted in needed.items() if wanted)

    @classmethod
    def prepared(cls, group: Any, k: Array, tau: float) -> Array:
        stiff, shear = moduli(group, k)
        cone = cls.cone(group)
        return np.stack(
            [stiff, shear, cone.limit, cone.slope, cone.viscosity / tau, cone.kinematic, cone.isotropic], axis=1
        )

    @classmethod
    def softest(cls, group: Any, k: Array, tau: float, isotropic: bool = True) -> Array:
        """Each part of the elasticity behind its softest slip: q² has the share ½ of the sum of the normal stresses in
        plane stress, slope² of the mean stress else, and 3 of shear; at an apex nothing resists shear."""
        stiff, shear = moduli(group, k)
        cone = cls.cone(group)
        held = cone.viscosity / tau + cone.kinematic + (cone.isotropic if isotropic else 0.0)
        give = 0.5 + 0.0 * stiff if group.components == 3 else cone.slope**2
        with np.errstate(invalid="ignore"):
            stiff = np.where(give > 0, stiff * held / (held + give * stiff), stiff)
        shear = np.where(cone.slope > 0, 0.0, shear * held / (held + 3 * shear))
        return elasticity(stiff, shear, group.components)

    @classmethod
    def slow_tangent(cls, group: Any, k: Array, isotropic: bool = True) -> Array:
        return cls.softest(group, k, math.inf, isotropic)

    @classmethod
    def slow(cls, group: Any) -> Any:
        still = np.zeros(len(group.first))
        return Group(cls, group.first, group.components, {**group.parameters, "viscosity": still})

    @classmethod
    def per_spring(cls, group: Any, name: str) -> Array:
        """Hardening and viscosity as the springs have them: times volume, and isotropic at the first of a block."""
        m, cone = group.components, cls.cone(group)
        if name == "kinematic":
            return np.outer(cone.kinematic, np.diag(_back(m))).ravel()
        if name == "isotropic":
            return np.outer(cone.isotropic, np.arange(m) == 0).ravel()
        if name == "viscosity":
            return np.repeat(cone.viscosity, m)
        return super().per_spring(group, name)

    @classmethod
    def back_force(cls, group: Any, slip: Array) -> Array:
        """X = Hk M⁺ slip: 2/3 Hk of the plastic strain's deviator as a tensor; in plane stress the zz part is in it."""
        return _times(slip, _back(group.components), cls.cone(group).kinematic)

    @classmethod
    def yields(cls, group: Any) -> Array:
        return np.ones(len(group.springs), dtype=bool)

    @classmethod
    def together(cls, group: Any) -> Array:
        return np.ones(len(group.springs), dtype=bool)

    @classmethod
    def first_yield(cls, group: Any) -> Array:
        """Of each stress alone; of a normal stress the smaller one, that of tension."""
        cone, m = cls.cone(group), group.components
        normal = np.arange(m) < normals(m)
        pulled = (cone.limit / (1 + cone.slope / 3))[:, None]
        return np.where(normal, pulled, cone.limit[:, None] / math.sqrt(3)).ravel()

    @classmethod
    def split(
        cls, group: Any, k: Array, h: float, deformation: Array, force: Array, states: Mapping[str, Array]
    ) -> Split:
        """A point dissipates ``Δw (limit + η Δw/h)``, Δw the growth of its accumulated slip; each of its springs has
        the share of its slip in the square of the whole."""
        m, cone, slip = group.components, cls.cone(group), states["slip"]
        elastic = deformation - slip
        soft = np.divide(1.0, cone.kinematic, out=np.zeros_like(cone.kinematic), where=cone.kinematic > 0)
        back = states.get("back_force", np.zeros_like(slip))
        hardening = 0.5 * back * _times(back, np.linalg.pinv(_back(m)), soft)
        hardening[:, ::m] += 0.5 * cone.isotropic * states["accumulated_slip"][:, ::m] ** 2
        steps = np.diff(slip, axis=0).reshape(len(slip) - 1, -1, m)
        grown = growth(steps, cone.slope)
        squares = steps**2 * np.where(np.arange(m) < normals(m), 1.0, 0.5)
        whole = squares.sum(axis=2)
        lost = grown * (cone.limit + cone.viscosity * grown / h)
        share = np.divide(lost, whole, out=np.zeros_like(lost), where=whole > 0)
        plastic = (squares * share[..., None]).reshape(len(slip) - 1, -1)
        return Split(0.5 * elastic * forces_of(k, elastic), hardening, plastic, np.zeros_like(plastic))


def _times(values: Array, matrix: Array, factors: Array) -> Array:
    """(…, spring): a matrix (m, m) times the values of every block, times a factor of the block."""
    blocks = values.reshape(*values.shape[:-1], -1, len(matrix)) @ matrix
    return np.asarray((blocks * factors[:, None]).reshape(values.shape))


def normals(m: int) -> int:
    """Normal stresses among m."""
    return 2 if m == 3 else 3


def growth(slip: Array, slope: Array) -> Array:
    """(…, block): λ of slips (…, block, m): the equivalent plastic strain, or at the apex of a cone the volume over its
    slope, which is larger there and the same elsewhere."""
    m = slip.shape[-1]
    shape = np.sqrt(np.maximum(np.einsum("...i,ij,...j->...", slip, _back(m), slip), 0.0))
    if m == 3:
        return shape
    volume = slip[..., :3].sum(axis=-1)
    return np.maximum(shape, np.divide(volume, slope, out=np.zeros_like(volume), where=slope > 0))


def _back(m: int) -> Array:
    """M⁺ (m, m), q² = ξᵀMξ: what Prager's rule makes of a slip."""
    if m == 3:
        return np.array([[4.0, 2.0, 0.0], [2.0, 4.0, 0.0], [0.0, 0.0, 1.0]]) / 3
    return _parts(m)[1] / 3


def _parts(m: int) -> tuple[Array, Array]:
    """(m, m) each: what bulk modulus (plane stress: half the stiffness of the sum) and shear modulus multiply."""
    one = (np.arange(m) < normals(m)).astype(float)
    outer = np.outer(one, one)
    return (outer / 2 if m == 3 else outer), np.diag(1.0 + one) - outer * (2 / one.sum())


def elasticity(stiff: Array, shear: Array, m: int) -> Array:
    """(block, m, m): isotropic, from what :func:`moduli` gives."""
    bulk, deviator = _parts(m)
    return np.asarray(stiff[:, None, None] * bulk + shear[:, None, None] * deviator)


def moduli(group: Any, k: Array) -> tuple[Array, Array]:
    """(block,) each: bulk modulus (plane stress: E/(1 − ν)) and shear modulus, times volume; LawError if there are more
    than these two."""
    m = group.components
    stiff = k[:, 0, 0] + k[:, 0, 1] if m == 3 else k[:, :3, :3].sum(axis=(1, 2)) / 9
    shear = np.ascontiguousarray(k[:, m - 1, m - 1])
    off = np.abs(k - elasticity(stiff, shear, m)).max(axis=(1, 2)) > _ISOTROPIC * np.abs(k).max(axis=(1, 2))
    if off.any():
        place = int(np.argmax(off))
        raise LawError(
            f"{group.law.__name__}: the elasticity of block {place} (spring {group.first[place]} on) is not isotropic; "
            "its flow is known for isotropic elasticity only. Give such points an elastic material, or isotropic moduli"
        )
    return stiff, shear


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
