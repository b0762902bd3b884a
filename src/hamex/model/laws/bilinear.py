"""Bilinear spring with a cap: elastic between two bounds that harden, fall beyond the cap and end at a residual."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from hamex.errors import LawError
from hamex.model.laws.law import Array, checked
from hamex.model.laws.path import FOLLOWED, FORCE, LAST, RECOVERABLE, SLIP, WAY, PathLaw

ON = len(FOLLOWED)  # 0 inside, ±1 on the upper or the lower bound, GONE for good
GONE = 2.0
_SIDE = ("yield_force", "cap_ratio", "plastic", "post_cap", "residual_ratio", "ultimate")
SIDE = 9  # numbers of one side behind the stiffness: those of Sides


def bound(p: Array, s: int, x: float) -> tuple[float, float, float]:
    """Force, slope and end of the piece of a bound at x, which grows outwards: max(residual, min(hardening, cap))."""
    if x < p[s + 5]:
        return p[s + 4], 0.0, p[s + 5]
    if x < p[s + 6]:
        return p[s] + p[s + 1] * x, p[s + 1], p[s + 6]
    if x < p[s + 7]:
        return p[s + 2] - p[s + 3] * x, -p[s + 3], p[s + 7]
    return p[s + 4], 0.0, math.inf


def meeting(p: Array, s: int, k: float, slip: float) -> float:
    """Where an elastic line, zero at ``slip``, meets a bound; it is steeper than all of its pieces."""
    hard = (p[s] + k * slip) / (k - p[s + 1])
    cap = (p[s + 2] + k * slip) / (k + p[s + 3])
    return max(p[s + 4] / k + slip, min(hard, cap))


def piece(p: Array, r: int, e: float, way: float, z: Array, o: int) -> tuple[float, float, float]:
    """See :class:`hamex.model.laws.path.PathLaw`."""
    k, on = p[r], z[o + ON]
    force = 0.0
    if on == 0.0:
        force = k * (e - z[o + SLIP])
    elif on != GONE:
        force = on * bound(p, r + 1 if on > 0.0 else r + 1 + SIDE, on * e)[0]
    z[o + LAST] = e
    z[o + FORCE] = force
    z[o + RECOVERABLE] = 0.5 * force * force / k
    if on != 0.0:
        z[o + SLIP] = e - force / k
    if way == 0.0:
        return force, 0.0, e
    z[o + WAY] = way
    s = r + 1 if way > 0.0 else r + 1 + SIDE
    last = p[s + 8]
    if on != GONE and way * e >= last:
        on = GONE
        z[o + FORCE] = z[o + RECOVERABLE] = 0.0
        z[o + SLIP] = e
    if on == GONE:
        z[o + ON] = on
        return 0.0, 0.0, way * math.inf
    if on != way:
        on = 0.0
        edge = min(meeting(p, s, k, way * z[o + SLIP]), last)
        if edge > way * e:
            z[o + ON] = on
            return force, k, way * edge
        on = way
    z[o + ON] = on
    _, slope, edge = bound(p, s, way * e)
    return force, slope, way * min(edge, last)


@dataclass(frozen=True)
class Backbone(PathLaw):
    """Base of laws with a backbone: elastic up to yield, then hardening up to a cap, falling beyond it to a residual
    force, and gone at an ultimate deformation; each sign by itself.

    Parameters
    ----------
    yield_force : Fy (My) [force].
    cap_ratio : force at the cap over Fy (Mc/My), at least 1 [1].
    plastic : deformation from yield to the cap (θp) [length]; infinite, the default: there is no cap.
    post_cap : deformation from the cap to where the falling line would reach zero (θpc) [length].
    residual_ratio : residual force over Fy (κ) [1].
    ultimate : deformation at which the spring breaks (θu) [length]; infinite by default.
    yield_force_negative, cap_ratio_negative, plastic_negative : the same on the side of negative forces, as positive
        numbers; left out: as on the other side.
    post_cap_negative, residual_ratio_negative, ultimate_negative : likewise.

    Examples
    --------
    >>> import hamex as hx
    >>> issubclass(hx.laws.Bilinear, Backbone), issubclass(hx.laws.IMK, Backbone)
    (True, True)
    """

    softens = True
    sides: ClassVar[dict[str, tuple[str, float]]] = {f"{name}_negative": (name, 1.0) for name in _SIDE}

    yield_force: float
    cap_ratio: float = 1.0
    plastic: float = math.inf
    post_cap: float = math.inf
    residual_ratio: float = 0.0
    ultimate: float = math.inf
    _: KW_ONLY
    yield_force_negative: float | None = None
    cap_ratio_negative: float | None = None
    plastic_negative: float | None = None
    post_cap_negative: float | None = None
    residual_ratio_negative: float | None = None
    ultimate_negative: float | None = None

    @classmethod
    def slow_tangent(cls, group: Any, k: Array, isotropic: bool = True) -> Array:
        """The steeper of the two falling lines; nothing where none falls, and wear makes none steeper."""
        return -np.maximum(*(lines(group, k, sign)[:, 3] for sign in ("", "_negative")))

    @classmethod
    def jumps(cls, group: Any) -> Array:
        return np.isfinite(side_of(group, "ultimate", "")) | np.isfinite(side_of(group, "ultimate", "_negative"))

    @classmethod
    def first_yield(cls, group: Any) -> Array:
        return np.minimum(*(side_of(group, "yield_force", sign) for sign in ("", "_negative")))


@dataclass(frozen=True)
class Bilinear(Backbone):
    """Elastic up to yield, then hardening up to a cap, falling beyond it to a residual force, and gone at an ultimate
    deformation; each sign by itself. Unloading is elastic, and the bounds stay where they are. A bound does not fall
    below its residual force, on the other side of zero either: with hardening b it is level from (1 − b)/b yield
    deformations there on, where the bounds of a :class:`hamex.Slider` with kinematic hardening, or of OpenSees'
    Steel01, go on.

    Parameters
    ----------
    hardening : slope beyond yield where there is no cap, over the stiffness [1].

    Examples
    --------
    >>> import hamex as hx
    >>> law = hx.laws.Bilinear(yield_force=2.0, cap_ratio=1.1, plastic=0.03, post_cap=0.1, residual_ratio=0.2)
    >>> model = hx.oscillator(mass=1.0, stiffness=400.0, damping=hx.ratio(0.03), law=law)
    >>> problem = hx.Problem(model, hx.el_centro().on(model, g=9.81), duration=40.0)
    >>> sol = hx.solve(problem, hx.Galerkin(0.01))
    >>> sol.residual < 1e-12, round(hx.Galerkin(0.01).longest_step(model), 3)
    (True, 0.484)
    """

    kind = "bilinear"
    example: ClassVar[dict[str, Any]] = {
        "stiffness": 15000.0, "reach": 0.12, "yield_force": 150.0, "cap_ratio": 1.15, "plastic": 0.04, "post_cap": 0.15,
        "residual_ratio": 0.2,
    }  # fmt: skip
    variables = (*FOLLOWED, "bound")
    spring_piece = staticmethod(piece)

    hardening: float = 0.0

    def __post_init__(self) -> None:
        if not checked(self, "hardening") < 1:
            raise LawError(f"Bilinear: hardening must be below 1, got {self.hardening:g}")
        check_sides(self)
        if self.hardening > 0 and (math.isfinite(self.plastic) or math.isfinite(self.plastic_negative or 0)):
            raise LawError("Bilinear: hardening is for a spring without a cap; with one, cap_ratio and plastic tell it")

    @classmethod
    def is_gone(cls, group: Any, states: Mapping[str, Array]) -> Array:
        return np.asarray(states["bound"] == GONE)

    @classmethod
    def prepared(cls, group: Any, k: Array, tau: float) -> Array:
        sides = [lines(group, k, sign) for sign in ("", "_negative")]
        return np.hstack([k[:, None], *sides])


def check_sides(law: Any) -> None:
    """Numbers of the backbone of both signs, in their ranges and in proportion; those left out are put in."""
    who = type(law).__name__
    for sign in ("", "_negative"):
        for name in _SIDE:
            given = getattr(law, name + sign)
            if sign and (given is None or (isinstance(given, float) and math.isnan(given))):
                object.__setattr__(law, name + sign, getattr(law, name))
        checked(law, "yield_force" + sign, positive=True)
        cap = checked(law, "cap_ratio" + sign, positive=True)
        if cap < 1:
            raise LawError(f"{who}: cap_ratio{sign} must be at least 1: the cap comes after yield; got {cap:g}")
        plastic = checked(law, "plastic" + sign, finite=False)
        if plastic == 0 and cap > 1:
            raise LawError(f"{who}: with plastic{sign} zero the cap is at yield, and cap_ratio{sign} must be 1")
        if math.isinf(plastic) and cap > 1:
            raise LawError(f"{who}: cap_ratio{sign} belongs to a cap; give plastic{sign}, the deformation up to it")
        post = checked(law, "post_cap" + sign, positive=True, finite=False)
        if math.isfinite(post) and math.isinf(plastic):
            raise LawError(f"{who}: post_cap{sign} begins at a cap; give plastic{sign}, the deformation up to it")
        residual = checked(law, "residual_ratio" + sign)
        if residual > 1:
            raise LawError(f"{who}: residual_ratio{sign} must be at most 1, the yield force; got {residual:g}")
        checked(law, "ultimate" + sign, positive=True, finite=False)


def side_of(group: Any, name: str, sign: str) -> Array:
    """A parameter of one side, (spring,)."""
    own = np.asarray(group.parameters[name + sign], dtype=float)
    return np.where(np.isnan(own), group.parameters[name], own)


def lines(group: Any, k: Array, sign: str) -> Array:
    """(spring, 9): bound lines a + b·x and c − g·x, residual, where hardening begins to count, cap, where the residual
    begins, ultimate deformation; x and forces are positive on both sides."""
    Fy, cap, plastic, post, residual, ultimate = (side_of(group, name, sign) for name in _SIDE)
    capped, falls = np.isfinite(plastic), np.isfinite(post)
    rise = np.where(capped & (plastic > 0), (cap - 1) * Fy / np.where(capped & (plastic > 0), plastic, 1.0), 0.0)
    rise = np.where(capped, rise, group.parameters.get("hardening", np.zeros_like(k)) * k)
    if np.any(rise >= k):
        at = int(np.argmax(rise >= k))
        raise LawError(
            f"{group.law.__name__}: from yield to the cap the force would rise by {rise[at]:.4g} per unit of "
            f"deformation, not less steeply than the elastic spring, {k[at]:.4g}; raise plastic{sign} or lower "
            f"cap_ratio{sign}"
        )
    fall = np.where(falls, cap * Fy / np.where(falls, post, 1.0), 0.0)
    at_yield = Fy / k
    at_cap = np.where(capped, at_yield + np.where(capped, plastic, 0.0), np.inf)
    a = Fy - rise * at_yield
    c = np.where(capped, cap * Fy + fall * np.where(capped, at_cap, 0.0), np.inf)
    least = residual * Fy
    with np.errstate(invalid="ignore"):
        begins = np.where(rise > 0, (least - a) / np.where(rise > 0, rise, 1.0), -np.inf)
    ends = np.where(fall > 0, (c - least) / np.where(fall > 0, fall, 1.0), np.inf)
    return np.stack([a, rise, c, fall, least, begins, at_cap, ends, ultimate], axis=1)
