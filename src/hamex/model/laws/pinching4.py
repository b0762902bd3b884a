# ruff: noqa: N815 — the names of the field
"""Pinching spring with four points on each side and three kinds of damage: the rule of OpenSees' Pinching4.

Lowes, Mitra and Altoontash (2003), PEER 2003/10. From a reversal the spring goes to the largest deformation of the
other side over two points: one on its unloading line at uForce of the strength, one at rDisp and rForce of the target.
Damage grows with the largest deformation (gK1, gK3) and with energy or cycles (gK2, gK4): it softens unloading (gK…),
moves the targets outwards (gD…) and lowers the envelopes (gF…); a reversal applies what there is of it.

What differs, because the force must not jump along a path, nor fall beyond all bounds: a spring that holds more force
than the target it turns back to, because damage has lowered that meanwhile, keeps its force until the envelope reaches
it (OpenSees takes the straight line down, however steep); where OpenSees leads a path over the origin it does so only
if that lies between reversal and target (else it jumps) and not below the reversal (else it falls, however steeply).
And a spring that turns back within ``DEAD`` of a reversal returns to it and goes on as if it had not turned.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hamex.errors import LawError
from hamex.model.laws.hysteretic import check_points, missing, under
from hamex.model.laws.law import Array, checked
from hamex.model.laws.path import FOLLOWED, FORCE, LAST, RECOVERABLE, WAY, PathLaw

# Behind the state of every law that is followed: work and cycles so far, damage as it is now (γK, γD, γF), the last
# reversal, whether the spring returns to it, the way; then what a reversal changes: the branch, the deformations aimed
# at, damage as it is applied, the four points of the path (deformation and force, outwards); and all that as it was
# before the last reversal, with the way.
ENERGY, CYCLES, NOW_K, NOW_D, NOW_F, TURN, AT_TURN, BACK, PATH = range(5, 14)
BRANCH, DEMAND, USED_K, USED_F, POINTS = 14, 15, 17, 18, 19
LEFT = POINTS + 8
CHANGED = LEFT - BRANCH
_NOW = ("energy", "cycles", "now_k", "now_d", "now_f", "turn", "at_turn", "back", "path")
_KEPT = ("branch", "demand", "demand_negative", "used_k", "used_f", *(f"{x}{i}" for i in range(4) for x in "xf"))
NEW, ENVELOPE, FOLLOWS, LEVEL = range(4)
DEAD = 1e-6  # of the deformation of the first point
SAME = 1e-13  # of a force, and of what its deformation weighs: rounding between a spring and the line it has met
NOTHING = 1e-14  # of the energy that may be spent: what rounding leaves of none, small powers of which are not small
SIDE = 15  # numbers of one side: five points, slope beyond, stiffness, rDisp, rForce, uForce
TAIL, STIFF, R_DISP, R_FORCE, U_FORCE = range(10, 15)
GAMMA_K, GAMMA_D, GAMMA_F, CAPACITY, ULTIMATE, BY_CYCLES = (1 + 2 * SIDE + i for i in (0, 5, 10, 15, 16, 17))


def envelope(p: Array, s: int, kept: float, x: float) -> tuple[float, float, float]:
    """Force, slope and end of the piece of one side's envelope at x, of which damage has left ``kept``."""
    if x < p[s]:
        return kept * (p[s + 1] / p[s]) * x, kept * (p[s + 1] / p[s]), p[s]
    for i in range(s, s + 8, 2):
        if x < p[i + 2]:
            slope = (p[i + 3] - p[i + 1]) / (p[i + 2] - p[i])
            return kept * (p[i + 1] + slope * (x - p[i])), kept * slope, p[i + 2]
    return kept * (p[s + 9] + p[s + TAIL] * (x - p[s + 8])), kept * p[s + TAIL], math.inf


def worn(p: Array, g: int, grown: float, spent: float, cap: float) -> float:
    """γ of one kind."""
    return min(p[g] * grown ** p[g + 2] + (p[g + 1] * spent ** p[g + 3] if spent > NOTHING else 0.0), cap)


def damage(p: Array, r: int, e: float, force: float, z: Array, o: int) -> None:
    """Damage as it is now; beyond the last points of the envelopes it stays as it was."""
    if abs(e) > p[r + ULTIMATE]:
        return
    kept, stiff = 1.0 - z[o + USED_F], 1.0 - z[o + USED_K]
    largest = max(z[o + DEMAND], z[o + DEMAND + 1])
    secant = 0.0
    for side in range(2):
        s = r + 1 + SIDE * side
        demand = z[o + DEMAND + side]
        secant = max(secant, envelope(p, s, kept, demand)[0] / (demand * p[s + STIFF]))
    most = max(1.0 - secant, 0.0)
    spent, grown = z[o + CYCLES], largest / p[r + ULTIMATE]
    if p[r + BY_CYCLES] == 0.0:
        held = 0.5 * force * force / (p[r + 1 + (0 if e > 0.0 else SIDE) + STIFF] * stiff)
        spent = (z[o + ENERGY] - held) / p[r + CAPACITY]
    if z[o + ENERGY] >= p[r + CAPACITY]:
        z[o + NOW_K], z[o + NOW_D], z[o + NOW_F] = min(p[r + GAMMA_K + 4], most), p[r + GAMMA_D + 4], p[r + GAMMA_F + 4]
        return
    z[o + NOW_K] = worn(p, r + GAMMA_K, grown, spent, min(p[r + GAMMA_K + 4], most))
    z[o + NOW_D] = worn(p, r + GAMMA_D, grown, spent, p[r + GAMMA_D + 4])
    z[o + NOW_F] = worn(p, r + GAMMA_F, grown, spent, p[r + GAMMA_F + 4])


def lay(
    p: Array, r: int, way: float, x0: float, f0: float, demand: float, used_k: float, used_f: float, now_d: float
) -> tuple[float, float, float, float, float, float]:
    """Three points of the path from a reversal at (x₀, f₀), outwards on the way, to the target of the side ahead."""
    own = 0 if way > 0.0 else 1
    s, kept, stiff = r + 1 + SIDE * own, 1.0 - used_f, 1.0 - used_k
    k_own = p[s + STIFF] * stiff
    k = p[r + 1 + STIFF + (0 if way * x0 >= 0.0 else SIDE)] * stiff
    x3 = demand * (1.0 + now_d)
    f3 = envelope(p, s, kept, x3)[0]
    straight, x1, f1, x2, f2 = x0 * x3 >= 0.0, 0.0, 0.0, 0.0, 0.0
    if not straight:
        strength = kept * (p[s + 9] if demand > p[s + 6] else p[s + 7])
        x2, f2 = x3 * p[s + R_DISP], f3 * p[s + R_FORCE]
        if p[s + U_FORCE] != 0.0 and p[s + R_FORCE] - p[s + U_FORCE] <= 1e-8:
            base = f3 if demand > p[s + 6] else kept * p[s + 7]
            f2 = max(base * p[s + U_FORCE], kept * p[s + 9]) * (1.0 + 1e-6)
        if f3 - f2 > k_own * (x3 - x2):
            x2 = x3 - (f3 - f2) / k_own
        f1 = p[s + U_FORCE] * strength
        x1 = x0 + (f1 - f0) / k
        if x2 < x0:
            straight = True
        elif x1 < x0:
            x1, f1 = 0.5 * (x0 + x2), 0.5 * (f0 + f2)
        elif x2 > x1 and f2 - f1 > max(k, k_own) * (x2 - x1):
            straight = True
        elif x2 < x1 or f2 < f1:
            if x1 > 0.0:
                x1, f1 = 0.5 * (x0 + x2), 0.5 * (f0 + f2)
            elif x2 < 0.0:
                x2, f2 = 0.5 * (x1 + x3), 0.5 * (f1 + f3)
            else:
                middle = 0.5 * (f1 + f2)
                up, down = (f1 - f0) / (x1 - x0), (f3 - f2) / (x3 - x2)
                f1, f2 = middle - 0.01 * abs(middle), middle + 0.01 * abs(middle)
                x1, x2 = x0 + (f1 - f0) / up, x3 - (f3 - f2) / down
    fallen = not straight and (min(x1 - x0, x2 - x1, x3 - x2) < 0.0 or min(f1 - f0, f2 - f1, f3 - f2) < 0.0)
    if straight or fallen:
        x1, f1 = x0 + 0.33 * (x3 - x0), f0 + 0.33 * (f3 - f0)
        x2, f2 = x0 + 0.67 * (x3 - x0), f0 + 0.67 * (f3 - f0)
    if fallen and x0 < 0.0 < x3 and f0 <= 0.0:  # a reversal at the origin has no line to it
        ends = f0 / x0 if way > 0.0 else f3 / x3
        if 1e-8 * (x3 - x0) < f3 - f0 < ends * (x3 - x0):
            if way > 0.0:
                x1, f1, x2, f2 = 0.0, 0.0, 0.5 * x3, 0.5 * f3
            else:
                x1, f1, x2, f2 = 0.5 * x0, 0.5 * f0, 0.0, 0.0
    return x1, f1, x2, f2, x3, f3


def turned(p: Array, r: int, e: float, force: float, way: float, z: Array, o: int) -> None:
    """A reversal: remember what was, apply the damage there is, and lay the path to the other side."""
    for v in range(CHANGED):
        z[o + LEFT + v] = z[o + BRANCH + v]
    z[o + LEFT + CHANGED] = z[o + PATH]
    z[o + PATH], z[o + TURN], z[o + AT_TURN] = way, e, force
    behind = 1 if way > 0.0 else 0
    if z[o + BRANCH] != FOLLOWS:  # on an envelope
        moved_out = z[o + DEMAND + behind] * (1.0 + z[o + NOW_D])
        z[o + DEMAND + behind] = max(z[o + DEMAND + behind], -way * e, moved_out)
    z[o + USED_K], z[o + USED_F] = z[o + NOW_K], z[o + NOW_F]
    q, x, f, demand = o + POINTS, way * e, way * force, z[o + DEMAND + 1 - behind]
    x1, f1, x2, f2, x3, f3 = lay(p, r, way, x, f, demand, z[o + USED_K], z[o + USED_F], z[o + NOW_D])
    z[q], z[q + 1], z[q + 2], z[q + 3], z[q + 4], z[q + 5], z[q + 6], z[q + 7] = x, f, x1, f1, x2, f2, x3, f3
    z[o + BRANCH] = FOLLOWS if f3 >= f and x3 > x else LEVEL


def on_path(z: Array, o: int, x: float) -> tuple[float, float, float]:
    """Force, slope and end of the piece of the path at x."""
    q = o + POINTS
    i = q + 2 if x >= z[q + 2] else q
    i = q + 4 if x >= z[q + 4] else i
    slope = (z[i + 3] - z[i + 1]) / (z[i + 2] - z[i])
    return z[i + 1] + slope * (x - z[i]), slope, z[i + 2]


def gives_back(p: Array, r: int, e: float, force: float, z: Array, o: int) -> float:
    """Energy that unloading now gives back: the area of the path that leads to the zero of the force."""
    way = -1.0 if force > 0.0 else 1.0
    if force == 0.0 or z[o + BRANCH] == NEW:
        return 0.5 * force * e
    x, f, q, demand = way * e, way * force, o + POINTS, z[o + DEMAND + (0 if way > 0.0 else 1)]
    x1, f1, x2, f2, x3, f3 = z[q + 2], z[q + 3], z[q + 4], z[q + 5], z[q + 6], z[q + 7]
    if z[o + BRANCH] != FOLLOWS or z[o + PATH] != way:
        x1, f1, x2, f2, x3, f3 = lay(p, r, way, x, f, demand, z[o + NOW_K], z[o + NOW_F], z[o + NOW_D])
    total = 0.0
    for there, at_there in ((x1, f1), (x2, f2), (x3, f3)):
        if x < there:
            if at_there >= 0.0:
                return total + 0.5 * f * f * (there - x) / (at_there - f)
            total -= 0.5 * (f + at_there) * (there - x)
            x, f = there, at_there
    return total


def moved(p: Array, r: int, e: float, z: Array, o: int) -> float:
    """Bring the state along its present piece to e; returns the force there."""
    way, branch = z[o + PATH], z[o + BRANCH]
    s = r + 1 if way > 0.0 else r + 1 + SIDE
    if z[o + DEMAND] == 0.0:
        z[o + DEMAND], z[o + DEMAND + 1] = p[r + 3], p[r + 3 + SIDE]
    if z[o + BACK] != 0.0:
        x = z[o + TURN] - z[o + LAST]
        share = (e - z[o + LAST]) / x if x != 0.0 else 1.0
        force = z[o + FORCE] + share * (z[o + AT_TURN] - z[o + FORCE])
    elif branch == NEW:
        force = (p[r + 2] / p[r + 1]) * e
    elif branch == ENVELOPE:
        force = way * envelope(p, s, 1.0 - z[o + USED_F], way * e)[0]
    elif branch == LEVEL:
        force = z[o + AT_TURN]
    else:
        force = way * on_path(z, o, way * e)[0]
    step = e - z[o + LAST]
    z[o + ENERGY] += 0.5 * (force + z[o + FORCE]) * step
    z[o + CYCLES] += abs(step) / (4.0 * max(z[o + DEMAND], z[o + DEMAND + 1]))
    z[o + LAST], z[o + FORCE] = e, force
    damage(p, r, e, force, z, o)
    z[o + RECOVERABLE] = gives_back(p, r, e, force, z, o)
    return force


def piece(p: Array, r: int, e: float, way: float, z: Array, o: int) -> tuple[float, float, float]:
    """See :class:`hamex.model.laws.path.PathLaw`."""
    force = moved(p, r, e, z, o)
    if way == 0.0:
        return force, 0.0, e
    z[o + WAY] = way
    if z[o + BRANCH] == NEW and abs(e) < p[r + 1]:
        return force, p[r + 2] / p[r + 1], way * p[r + 1]
    if z[o + BRANCH] == NEW:
        z[o + BRANCH], z[o + PATH] = ENVELOPE, (1.0 if e > 0.0 else -1.0)
    if z[o + PATH] == way:
        z[o + BACK] = 0.0
    elif z[o + BACK] != 0.0 or (z[o + LEFT + CHANGED] != 0.0 and abs(e - z[o + TURN]) <= DEAD * p[r + 3]):
        z[o + BACK] = 1.0
        if way * (z[o + TURN] - e) > 0.0:
            return force, (z[o + AT_TURN] - force) / (z[o + TURN] - e), z[o + TURN]
        for v in range(CHANGED):
            z[o + BRANCH + v] = z[o + LEFT + v]
        z[o + PATH], z[o + LEFT + CHANGED], z[o + BACK] = way, 0.0, 0.0
    else:
        turned(p, r, e, force, way, z, o)
    k, edge = ahead(p, r, way, way * e, way * force, z, o)
    last = p[r + ULTIMATE]
    if way * e < last:  # beyond it damage stays as it was
        edge = min(edge, last if way * e >= -last else -last)
    return force, k, way * edge


def ahead(p: Array, r: int, way: float, x: float, f: float, z: Array, o: int) -> tuple[float, float]:
    """Slope and end of the piece that leads outwards from x; pieces that end here give way to the next."""
    s, kept = (r + 1 if way > 0.0 else r + 1 + SIDE), 1.0 - z[o + USED_F]
    if z[o + BRANCH] == FOLLOWS:
        if x < z[o + POINTS + 6]:
            _, slope, edge = on_path(z, o, x)
            return slope, edge
        z[o + BRANCH] = ENVELOPE
    on, slope, edge = envelope(p, s, kept, x)
    if z[o + BRANCH] == LEVEL:
        target = z[o + POINTS + 6]
        if x < target:
            return 0.0, target
        if f > on + SAME * (on + abs(slope * x)):
            return 0.0, (min(edge, x + (f - on) / slope) if slope > 0.0 else edge)
        z[o + BRANCH] = ENVELOPE
    return slope, edge


@dataclass(frozen=True)
class Pinching4(PathLaw):
    """Pinching spring with four points on each side and damage, with the parameters of OpenSees' Pinching4.

    Parameters
    ----------
    ePf1, ePd1, ePf2, ePd2, ePf3, ePd3, ePf4, ePd4 : force and deformation of the points of the positive side [force,
        length].
    rDispP, rForceP : deformation and force at which reloading begins, over those of the target [1].
    uForceP : force at the end of unloading, over the strength; negative: on the other side of zero [1].
    gK1, gK2, gK3, gK4, gKLim : damage of the unloading stiffness: gK1·(largest deformation)^gK3 + gK2·(energy or
        cycles)^gK4, at most gKLim [1].
    gD1, gD2, gD3, gD4, gDLim : the same of the deformations aimed at [1].
    gF1, gF2, gF3, gF4, gFLim : the same of the strength [1].
    gE : energy that may be spent, over the area of an envelope [1].
    dmgType : "energy" or "cycle", what the second part of the damage grows with.
    eNf1, eNd1, eNf2, eNd2, eNf3, eNd3, eNf4, eNd4 : points of the negative side, as negative numbers; left out: as on
        the other side.
    rDispN, rForceN, uForceN : the same of the negative side; left out: as on the other side.

    Examples
    --------
    >>> import hamex as hx
    >>> law = hx.laws.Pinching4(1.0, 0.01, 1.2, 0.03, 1.1, 0.06, 0.4, 0.1, rDispP=0.5, rForceP=0.25, uForceP=0.05)
    >>> hx.respond(law, [0.0, 0.04, -0.04, 0.04], stiffness=100.0).force.round(4).tolist()
    [0.0, 1.1667, -1.1667, 1.1667]
    """

    kind = "pinching4"
    example: ClassVar[dict[str, Any]] = {
        "stiffness": 15000.0, "reach": 0.1, "ePf1": 150.0, "ePd1": 0.01, "ePf2": 180.0, "ePd2": 0.03, "ePf3": 165.0,
        "ePd3": 0.06, "ePf4": 60.0, "ePd4": 0.1, "gF1": 0.1, "gF3": 0.4, "gFLim": 0.4, "gD1": 0.1, "gD3": 0.5,
        "gDLim": 0.2,
    }  # fmt: skip
    variables = (*FOLLOWED, *(f"pinching4_{x}" for x in (*_NOW, *_KEPT, *(f"left_{x}" for x in (*_KEPT, "path")))))
    softens = True
    spring_piece = staticmethod(piece)
    words: ClassVar[dict[str, tuple[str, ...]]] = {"dmgType": ("energy", "cycle")}
    sides: ClassVar[dict[str, tuple[str, float]]] = {
        **{f"eN{x}{i}": (f"eP{x}{i}", -1.0) for i in (1, 2, 3, 4) for x in "fd"},
        **{f"{name}N": (f"{name}P", 1.0) for name in ("rDisp", "rForce", "uForce")},
    }

    ePf1: float
    ePd1: float
    ePf2: float
    ePd2: float
    ePf3: float
    ePd3: float
    ePf4: float
    ePd4: float
    rDispP: float = 0.5
    rForceP: float = 0.25
    uForceP: float = 0.05
    gK1: float = 0.0
    gK2: float = 0.0
    gK3: float = 0.0
    gK4: float = 0.0
    gKLim: float = 0.0
    gD1: float = 0.0
    gD2: float = 0.0
    gD3: float = 0.0
    gD4: float = 0.0
    gDLim: float = 0.0
    gF1: float = 0.0
    gF2: float = 0.0
    gF3: float = 0.0
    gF4: float = 0.0
    gFLim: float = 0.0
    gE: float = 10.0
    dmgType: str = "energy"
    eNf1: float | None = None
    eNd1: float | None = None
    eNf2: float | None = None
    eNd2: float | None = None
    eNf3: float | None = None
    eNd3: float | None = None
    eNf4: float | None = None
    eNd4: float | None = None
    rDispN: float | None = None
    rForceN: float | None = None
    uForceN: float | None = None

    def in_opensees(self, stiffness: float) -> tuple[str, list[float | str]]:
        names = [f"e{side}{x}{i}" for side in "PN" for i in (1, 2, 3, 4) for x in "fd"]
        names += [f"{name}{side}" for side in "PN" for name in ("rDisp", "rForce", "uForce")]
        names += [f"g{kind}{i}" for kind in "KDF" for i in (1, 2, 3, 4, "Lim")]
        return "Pinching4", [getattr(self, name) for name in (*names, "gE", "dmgType")]

    def __post_init__(self) -> None:
        points = [f"{x}{i}" for i in (1, 2, 3, 4) for x in "fd"]
        for side, sign in (("P", 1.0), ("N", -1.0)):
            if sign < 0 and all(missing(getattr(self, f"eN{name}")) for name in points):
                for name in points:
                    object.__setattr__(self, f"eN{name}", -getattr(self, f"eP{name}"))
            for name in ("rDisp", "rForce", "uForce"):
                if sign < 0 and missing(getattr(self, f"{name}N")):
                    object.__setattr__(self, f"{name}N", getattr(self, f"{name}P"))
            check_points(self, [(f"e{side}f{i}", f"e{side}d{i}") for i in (1, 2, 3, 4)], sign)
            for name in (f"rDisp{side}", f"rForce{side}", f"uForce{side}"):
                if not -1 < checked(self, name, signed=True) < 1:
                    raise LawError(f"Pinching4: {name} must lie between −1 and 1, got {getattr(self, name):g}")
        for kind in "KDF":
            for name in (f"g{kind}1", f"g{kind}2", f"g{kind}3", f"g{kind}4", f"g{kind}Lim"):
                checked(self, name)
        for name in ("gKLim", "gFLim"):
            if getattr(self, name) >= 1:
                raise LawError(f"Pinching4: {name} must be below 1, else nothing is left; got {getattr(self, name):g}")
        checked(self, "gE", positive=True)
        self.coded("dmgType", self.dmgType)

    @classmethod
    def prepared(cls, group: Any, k: Array, tau: float) -> Array:
        sides = envelopes(group)
        area = np.maximum(*(under(side[:, 0:10:2], side[:, 1:10:2]) for side in sides))
        gammas = [getattr(group, f"g{kind}{i}") for kind in "KDF" for i in (1, 2, 3, 4, "Lim")]
        last = np.maximum(*(side[:, 8] for side in sides))
        return np.column_stack([k, *sides, *gammas, group.gE * area, last, group.dmgType])

    @classmethod
    def slow_tangent(cls, group: Any, k: Array, isotropic: bool = True) -> Array:
        """The steepest falling line of the envelopes: damage makes none steeper, and paths do not fall."""
        return np.minimum(np.minimum(*(slopes(side).min(axis=1) for side in envelopes(group))), 0.0)

    @classmethod
    def stiffest(cls, group: Any, k: Array) -> Array:
        return np.maximum(*(np.maximum(slopes(side).max(axis=1), side[:, 1] / side[:, 0]) for side in envelopes(group)))

    @classmethod
    def static_share(cls, group: Any, k: Array) -> Array:
        return envelopes(group)[0][:, 1] / envelopes(group)[0][:, 0] / k

    @classmethod
    def first_yield(cls, group: Any) -> Array:
        return np.minimum(*(side[:, 3] for side in envelopes(group)))


def envelopes(group: Any) -> tuple[Array, Array]:
    """(spring, 15) of either side. Before the first point stands one at 1e-4 of its deformation, with the stiffer of
    both first lines, up to which a new spring is elastic."""
    found = []
    numbers = {
        side: np.abs([[getattr(group, f"e{side}{x}{i}") for x in "df"] for i in (1, 2, 3, 4)]).astype(float)
        for side in "PN"
    }
    begin = 1e-4 * np.maximum(numbers["P"][0, 0], numbers["N"][0, 0])
    stiff = np.maximum(*(numbers[side][0, 1] / numbers[side][0, 0] for side in "PN"))
    for side in "PN":
        (d1, f1), (d2, f2), (d3, f3), (d4, f4) = numbers[side]
        last = (f4 - f3) / (d4 - d3)
        tail = np.where(last > 0, last, 0.1 * f4 / ((1e6 - 1) * d4))
        rest = [np.asarray(getattr(group, f"{name}{side}"), dtype=float) for name in ("rDisp", "rForce", "uForce")]
        found.append(np.stack([begin, begin * stiff, d1, f1, d2, f2, d3, f3, d4, f4, tail, f1 / d1, *rest], axis=1))
    return found[0], found[1]


def slopes(side: Array) -> Array:
    """(spring, 4), of the lines between the points."""
    return np.diff(side[:, 1:10:2]) / np.diff(side[:, 0:10:2])
