"""Multilinear spring with pinching, damage and softer unloading: the rule of OpenSees' material Hysteretic.

An envelope of two or three points on each side; unloading with its steepest slope, softer by (largest deformation over
the first point)^−β; reloading from the zero of the force to the largest deformation so far through a pinching point; at
each reversal the deformation aimed at grows by damage1 times the ductility and damage2 times the energy spent. The rule
is that of Takeda, Sozen and Nielsen (1970), J. Struct. Div. 96:2557, as Filippou and Scott wrote it for OpenSees.

What differs, because the force must not jump along a path: a spring that is still below the envelope at its largest
deformation goes on elastically until it meets it, and one that is above its reloading line keeps its force until the
line reaches it (OpenSees drops it to the line, and lifts it to the envelope). And a spring that turns back within
``DEAD`` of a reversal returns to it and goes on as if it had not turned: by OpenSees' rule every reversal, of any size,
is damaged anew.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hamex.errors import LawError
from hamex.model.laws.law import Array, checked
from hamex.model.laws.path import FOLLOWED, FORCE, LAST, RECOVERABLE, WAY, PathLaw

# Behind the state of every law that is followed: the branch with the line it is on, the work so far, the way of the
# last reversal and where it was, whether the spring returns to it; what a reversal changes: the largest deformation of
# either side, where the force is zero on the way from either side; and all that as it was before the last reversal.
BRANCH, ANCHOR, AT_ANCHOR, SLOPE, ENERGY, TURN, AT_TURN, BACK, PATH = range(5, 14)
LARGEST, ZERO = 14, 16  # of the positive, of the negative side
LEFT = 18  # branch, anchor, force there, slope, path, and the four above
_NAMES = ("branch", "anchor", "at_anchor", "slope", "energy", "turn", "at_turn", "back", "path")
_SIDES = ("largest", "largest_negative", "zero", "zero_negative")
_LEFT = ("branch", "anchor", "at_anchor", "slope", "path", *_SIDES)
NEW, ELASTIC, STRAIGHT, ENVELOPE = range(4)
DEAD = 1e-6  # of the deformation of the first point
NEVER = 1e9  # times the deformation of the first point: as far as damage moves an aim
# What rounding leaves between a spring and the line that it is on: of the force of the first point, of that of the
# spring, and of what its deformation weighs, in which a place is known to 1e-16 only. What is more takes the spring
# further by as large a share of its deformation: each piece leads on.
SAME = 3e-13
SIDE = 11  # numbers of one side behind the stiffness
PINCH_X, PINCH_Y, DAMAGE_1, DAMAGE_2, BETA, AREA = range(1 + 2 * SIDE, 7 + 2 * SIDE)
STEEPEST, VANISHES = 9, 10


def envelope(p: Array, s: int, x: float) -> tuple[float, float, float]:
    """Force, slope and end of the piece of one side's envelope at x ≥ 0."""
    if x < p[s]:
        return p[s + 2] * x, p[s + 2], p[s]
    if x < p[s + 3]:
        return p[s + 1] + p[s + 5] * (x - p[s]), p[s + 5], p[s + 3]
    if x < p[s + 6]:
        return p[s + 4] + p[s + 8] * (x - p[s + 3]), p[s + 8], p[s + 6]
    tail = max(p[s + 8], 0.0)
    return p[s + 7] + tail * (x - p[s + 6]), tail, math.inf


def stiffness(p: Array, r: int, s: int, largest: float) -> float:
    """Unloading stiffness of a side."""
    ratio = largest / p[s]
    return p[s + STEEPEST] * (ratio ** (-p[r + BETA]) if ratio > 1.0 else 1.0)


def turned(p: Array, r: int, e: float, force: float, way: float, z: Array, o: int) -> None:
    """A reversal: remember what was, note the zero of the unloading line ahead, and damage the side now faced."""
    own, other = (0, 1) if way > 0.0 else (1, 0)
    s, q = r + 1 + SIDE * own, r + 1 + SIDE * other
    for v in range(4):
        z[o + LEFT + v] = z[o + BRANCH + v]
        z[o + LEFT + 5 + v] = z[o + LARGEST + v]
    z[o + LEFT + 4] = z[o + PATH]
    z[o + PATH], z[o + TURN], z[o + AT_TURN] = way, e, force
    if z[o + BRANCH] == ELASTIC:
        z[o + LARGEST + other] = max(z[o + LARGEST + other], -way * e)
    if way * force <= 0.0:
        k, reached = stiffness(p, r, q, z[o + LARGEST + other]), z[o + LARGEST + other]
        z[o + ZERO + other] = e - force / k
        if reached > p[q]:
            spent = max(z[o + ENERGY] - 0.5 * force * force / k, 0.0)
            damage = p[r + DAMAGE_2] * spent / p[r + AREA] + p[r + DAMAGE_1] * (reached - p[q]) / p[q]
            z[o + LARGEST + own] = min(z[o + LARGEST + own] * (1.0 + damage), NEVER * p[s])
    z[o + LARGEST + own] = max(z[o + LARGEST + own], p[s])
    z[o + BRANCH] = NEW + 0.5  # none yet


def came_back(z: Array, o: int) -> None:
    """Again at the last reversal: as if it had not been."""
    for v in range(4):
        z[o + BRANCH + v] = z[o + LEFT + v]
        z[o + LARGEST + v] = z[o + LEFT + 5 + v]
    z[o + PATH], z[o + LEFT + 4], z[o + BACK] = z[o + LEFT + 4], 0.0, 0.0


def laid(z: Array, o: int, branch: int, e: float, force: float, slope: float) -> None:
    """Take a line through (e, force), unless the spring is on it."""
    if z[o + BRANCH] != branch or z[o + SLOPE] != slope:
        z[o + BRANCH], z[o + ANCHOR], z[o + AT_ANCHOR], z[o + SLOPE] = branch, e, force, slope


def rising(
    p: Array, r: int, s: int, x: float, f: float, way: float, largest: float, zero: float, z: Array, o: int
) -> float:
    """Choose the line on which a spring with a force f ≥ 0 leaves x outwards; returns where it ends. ``zero`` is where
    reloading begins."""
    k = stiffness(p, r, s, largest)
    if x >= largest:
        on, slope, edge = envelope(p, s, x)
        if f >= on - SAME * (p[s + 1] + f + max(k, slope) * x):
            z[o + BRANCH] = ENVELOPE
            return edge
        laid(z, o, ELASTIC, way * x, way * f, k)
        return min(edge, x + (on - f) / (k - slope)) if k > slope else edge
    top, _, _ = envelope(p, s, largest)
    pinch = zero + (largest - (1.0 - p[r + PINCH_Y]) * top / k - zero) * p[r + PINCH_X]
    # Lines are told from where they begin: damage may move their ends to where a force near zero has no digits left.
    if x < pinch and x < zero:
        begin, at_begin, end, slope = min(zero, pinch), 0.0, min(zero, pinch), 0.0
    elif x < pinch:
        begin, at_begin, end, slope = zero, 0.0, pinch, p[r + PINCH_Y] * top / (pinch - zero)
    else:
        begin, at_begin, end = pinch, p[r + PINCH_Y] * top, largest
        slope = (top - at_begin) / (end - begin)
    over = f - (at_begin + slope * (x - begin))
    same = SAME * (p[s + 1] + f + max(k, slope) * abs(x))
    if over > same:
        laid(z, o, STRAIGHT, way * x, way * f, 0.0)
        return min(end, x + over / slope) if slope > 0.0 else end
    if over >= -same and slope <= k:
        if z[o + BRANCH] != STRAIGHT or z[o + ANCHOR] != way * begin or z[o + SLOPE] != slope:
            z[o + BRANCH], z[o + ANCHOR], z[o + AT_ANCHOR], z[o + SLOPE] = STRAIGHT, way * begin, way * at_begin, slope
        return end
    laid(z, o, ELASTIC, way * x, way * f, k)
    return min(end, x - over / (k - slope)) if k > slope and over < -same else end


def moved(p: Array, r: int, e: float, z: Array, o: int) -> float:
    """Bring the state along its present piece to e; returns the force there."""
    way, branch = z[o + PATH], z[o + BRANCH]
    side = 0 if way > 0.0 else 1
    if branch == NEW:
        force = 0.0
    elif z[o + BACK] != 0.0:
        x = z[o + TURN] - z[o + LAST]
        share = (e - z[o + LAST]) / x if x != 0.0 else 1.0
        force = z[o + FORCE] + share * (z[o + AT_TURN] - z[o + FORCE])
    elif branch == ENVELOPE:
        force = way * envelope(p, r + 1 + SIDE * side, way * e)[0]
        z[o + LARGEST + side] = max(z[o + LARGEST + side], way * e)
    else:
        force = z[o + AT_ANCHOR] + z[o + SLOPE] * (e - z[o + ANCHOR])
    z[o + ENERGY] += 0.5 * (force + z[o + FORCE]) * (e - z[o + LAST])
    z[o + LAST], z[o + FORCE] = e, force
    full = 0 if force > 0.0 else 1
    reached = z[o + LARGEST + full]
    if branch == ELASTIC:  # its slope stays to its end, and only a reversal there counts
        reached = max(reached, way * e)
    z[o + RECOVERABLE] = 0.5 * force * force / stiffness(p, r, r + 1 + SIDE * full, reached)
    return force


def piece(p: Array, r: int, e: float, way: float, z: Array, o: int) -> tuple[float, float, float]:
    """See :class:`hamex.model.laws.path.PathLaw`."""
    force = moved(p, r, e, z, o)
    if way == 0.0:
        return force, 0.0, e
    z[o + WAY] = way
    if z[o + BACK] != 0.0 and way != z[o + PATH] and way * (z[o + TURN] - e) > 0.0:
        return force, (z[o + AT_TURN] - force) / (z[o + TURN] - e), z[o + TURN]
    own, other = (0, 1) if way > 0.0 else (1, 0)
    s, q = r + 1 + SIDE * own, r + 1 + SIDE * other
    if z[o + BACK] != 0.0 and way != z[o + PATH]:
        came_back(z, o)
        force = z[o + FORCE] = z[o + AT_TURN]
    elif z[o + PATH] == 0.0:
        z[o + PATH] = way
    elif z[o + PATH] == way:
        z[o + BACK] = 0.0
    elif z[o + LEFT + 4] != 0.0 and way * (z[o + TURN] - e) >= 0.0 and abs(e - z[o + TURN]) <= DEAD * p[s]:
        z[o + BACK] = 1.0
        if e != z[o + TURN]:
            return force, (z[o + AT_TURN] - force) / (z[o + TURN] - e), z[o + TURN]
        came_back(z, o)
    else:
        turned(p, r, e, force, way, z, o)
    first = z[o + BRANCH] == ENVELOPE and z[o + LEFT + 4] == 0.0
    if first and way * force >= 0.0 and way * e >= z[o + LARGEST + own] - DEAD * p[s]:
        _, k, edge = envelope(p, s, way * e)
        return force, k, way * edge
    x, f, zero = way * e, way * force, way * z[o + ZERO + other]
    if f < 0.0 and x < zero:
        k = stiffness(p, r, q, z[o + LARGEST + other])
        laid(z, o, STRAIGHT, way * zero, 0.0, k)
        return force, k, way * zero
    if z[o + LARGEST + own] == 0.0 or z[o + BRANCH] == NEW:
        z[o + BRANCH] = ENVELOPE
        edge = envelope(p, s, x)[2]
    else:
        edge = rising(p, r, s, x, max(f, 0.0), way, z[o + LARGEST + own], max(zero, -p[q + VANISHES]), z, o)
    k = envelope(p, s, x)[1] if z[o + BRANCH] == ENVELOPE else z[o + SLOPE]
    return force, k, way * edge


@dataclass(frozen=True)
class Hysteretic(PathLaw):
    """Multilinear envelope with pinching, damage and softer unloading, with the parameters of OpenSees' Hysteretic.

    Points are given as there: the stiffness of the model is that of its modes, and the first line should have it. A
    later line may be steeper than the first, as of a gap that closes; unloading then has the steepest slope, as there.

    Parameters
    ----------
    s1p, e1p, s2p, e2p : force and deformation of the first two points of the positive side [force, length].
    s3p, e3p : of the third point [force, length]; left out: two points, and the second line goes on where it rises.
    s1n, e1n, s2n, e2n, s3n, e3n : the same of the negative side, as negative numbers; left out: as on the other side.
    pinchX : place of the pinching point, from 0 at the zero of the force to 1 on the unloading line [1].
    pinchY : its force over that at the largest deformation [1].
    damage1 : growth of the deformation aimed at with the ductility, at each reversal [1].
    damage2 : its growth with the energy spent, over the area of both envelopes [1].
    beta : exponent of the unloading stiffness [1].

    Examples
    --------
    >>> import hamex as hx
    >>> law = hx.laws.Hysteretic(s1p=1.0, e1p=0.01, s2p=1.2, e2p=0.05, s3p=0.6, e3p=0.1, pinchX=0.8, pinchY=0.3)
    >>> hx.respond(law, [0.0, 0.03, -0.03, 0.03, 0.07], stiffness=100.0).force.round(6).tolist()
    [0.0, 1.1, -1.1, 1.1, 0.96]
    """

    kind = "hysteretic"
    example: ClassVar[dict[str, Any]] = {
        "stiffness": 15000.0, "reach": 0.1, "s1p": 150.0, "e1p": 0.01, "s2p": 180.0, "e2p": 0.05, "s3p": 90.0,
        "e3p": 0.1, "pinchX": 0.8, "pinchY": 0.3, "beta": 0.2,
    }  # fmt: skip
    variables = (*FOLLOWED, *(f"hysteretic_{x}" for x in (*_NAMES, *_SIDES)), *(f"hysteretic_left_{x}" for x in _LEFT))
    softens = True
    spring_piece = staticmethod(piece)
    sides: ClassVar[dict[str, tuple[str, float]]] = {f"{x}{i}n": (f"{x}{i}p", -1.0) for i in (1, 2, 3) for x in "se"}

    s1p: float
    e1p: float
    s2p: float
    e2p: float
    s3p: float | None = None
    e3p: float | None = None
    s1n: float | None = None
    e1n: float | None = None
    s2n: float | None = None
    e2n: float | None = None
    s3n: float | None = None
    e3n: float | None = None
    pinchX: float = 1.0  # noqa: N815 — the names of the field
    pinchY: float = 1.0  # noqa: N815
    damage1: float = 0.0
    damage2: float = 0.0
    beta: float = 0.0

    def __post_init__(self) -> None:
        for side, sign in (("p", 1.0), ("n", -1.0)):
            if sign < 0 and all(missing(getattr(self, name)) for name in self.sides):
                for name, (first, _) in self.sides.items():
                    value = getattr(self, first)
                    object.__setattr__(self, name, None if missing(value) else -value)
            two = missing(getattr(self, f"s3{side}")) and missing(getattr(self, f"e3{side}"))
            check_points(self, [(f"s{i}{side}", f"e{i}{side}") for i in ((1, 2) if two else (1, 2, 3))], sign)
        for name in ("pinchX", "pinchY"):
            if not checked(self, name) <= 1:
                raise LawError(f"Hysteretic: {name} must be between 0 and 1, got {getattr(self, name):g}")
        for name in ("damage1", "damage2", "beta"):
            checked(self, name)

    def in_opensees(self, stiffness: float) -> tuple[str, list[float | str]]:
        points = (1, 2) if missing(self.s3p) and missing(self.s3n) else (1, 2, 3)
        sides = [getattr(self, f"{x}{i}{side}") for side in "pn" for i in points for x in "se"]
        return "Hysteretic", [*sides, self.pinchX, self.pinchY, self.damage1, self.damage2, self.beta]

    @classmethod
    def prepared(cls, group: Any, k: Array, tau: float) -> Array:
        sides = [envelopes(group, sign) for sign in "pn"]
        area = sum(under(side[:, [0, 3, 6]], side[:, [1, 4, 7]]) for side in sides)
        rest = [getattr(group, name) for name in ("pinchX", "pinchY", "damage1", "damage2", "beta")]
        return np.column_stack([k, *sides, *rest, area])

    @classmethod
    def slow_tangent(cls, group: Any, k: Array, isotropic: bool = True) -> Array:
        """The steepest falling line of the envelopes: reloading never falls."""
        return np.minimum(np.minimum(*(envelopes(group, sign)[:, [5, 8]].min(axis=1) for sign in "pn")), 0.0)

    @classmethod
    def stiffest(cls, group: Any, k: Array) -> Array:
        return np.maximum(*(envelopes(group, sign)[:, STEEPEST] for sign in "pn"))

    @classmethod
    def static_share(cls, group: Any, k: Array) -> Array:
        return np.minimum(*(envelopes(group, sign)[:, 2] for sign in "pn")) / k

    @classmethod
    def first_yield(cls, group: Any) -> Array:
        return np.minimum(*(envelopes(group, sign)[:, 1] for sign in "pn"))


def missing(value: Any) -> bool:
    """True for what was left out: None, or NaN in a group."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def check_points(law: Any, names: list[tuple[str, str]], sign: float) -> None:
    """Points (force, deformation) of one side, in their order; forces keep their sign."""
    who, before, word = type(law).__name__, 0.0, "positive" if sign > 0 else "negative"
    for force, at in names:
        for name, other in ((force, at), (at, force)):
            if missing(getattr(law, name)):
                raise LawError(f"{who}: {name} is missing; it belongs to {other} on the {word} side")
        f, e = (sign * checked(law, name, signed=True) for name in (force, at))
        if f < 0 or (f == 0 and not before):
            raise LawError(f"{who}: {force} must be {word}, got {getattr(law, force):g}; an envelope keeps its sign")
        if e <= before:
            raise LawError(f"{who}: the points of the {word} side must go outwards; {at} is {getattr(law, at):g}")
        before = e


def envelopes(group: Any, side: str) -> Array:
    """(spring, 11): of the three points deformation, force and the slope of the line that leads there, all positive;
    then the steepest slope, and where the envelope has vanished. Of two points the third is the second, and the second
    half way."""
    names = [f"{x}{i}{side}" for x in "es" for i in (1, 2, 3)]
    e1, e2, e3, s1, s2, s3 = (np.abs(np.asarray(getattr(group, name), dtype=float)) for name in names)
    two = np.isnan(s3)
    e3, s3 = np.where(two, e2, e3), np.where(two, s2, s3)
    e2, s2 = np.where(two, 0.5 * (e1 + e3), e2), np.where(two, 0.5 * (s1 + s3), s2)
    k1, k2, k3 = s1 / e1, (s2 - s1) / (e2 - e1), (s3 - s2) / (e3 - e2)
    gone = np.where((s3 <= 0) & (k3 < 0), e3, np.inf)
    return np.stack([e1, s1, k1, e2, s2, k2, e3, s3, k3, np.maximum(k1, np.maximum(k2, k3)), gone], axis=1)


def under(e: Array, s: Array) -> Array:
    """(spring,), area below an envelope through points (spring, point) up to the last."""
    return 0.5 * (e[:, 0] * s[:, 0] + np.sum(np.diff(e) * (s[:, 1:] + s[:, :-1]), axis=1))
