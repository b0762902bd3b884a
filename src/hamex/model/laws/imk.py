"""Springs that deteriorate: Ibarra, Medina and Krawinkler's law with bilinear, peak-oriented or pinched reloading.

The backbone is that of :mod:`hamex.model.laws.bilinear`, each sign by itself. Energy spent wears it: with
β = (Eᵢ/(E_ref − ΣE))ᶜ the excursion that ended at the last zero crossing lowers, on the side now entered, yield force,
hardening slope (S) and the falling line (C), and moves the target outwards (A); at a reversal it lowers the unloading
stiffness (K), with the energy that unloading gives back taken out. Ibarra, Medina and Krawinkler (2005), Earthquake
Eng. Struct. Dyn. 34:1489; Lignos and Krawinkler (2011), J. Struct. Eng. 137:1291.

What these leave open: a reversal is charged to the stiffness that its excursion began with, and a spring that unloads
for a while comes back to the line that it left (else twenty reversals of no size at all would ruin it); reloading is
never steeper than unloading. ``rule="opensees"`` is that of the materials IMKBilin, IMKPeakOriented and IMKPinching as
of 2023: every reversal is charged with all of its excursion and aims anew, a spring whose energy is used up
deteriorates no more, and bilinear springs have rules of their own near the residual. Two rules are left out: beyond its
ultimate deformation on one side IMKBilin jumps between nothing and the residual force of the other at every reversal;
here the spring is gone, as it is in the other two materials. And one that unloads more softly than it hardens, and so
holds more than its backbone, drops to that when it turns back; here it returns to where it left it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hamex.errors import LawError
from hamex.model.laws.bilinear import Backbone, check_sides, lines, side_of
from hamex.model.laws.law import Array, checked
from hamex.model.laws.path import FOLLOWED, FORCE, LAST, RECOVERABLE, WAY

# State behind that of every law that is followed: the line it is on, wear of the unloading stiffness now and at the
# last zero of the force, energies, the pinching point, the last reversal with the line it left; and of each side what
# its lines have lost, its target, and where it last unloaded from.
BRANCH, SIDE, ANCHOR, AT_ANCHOR, SLOPE, WORN, HELD, ENERGY, CROSSED, CHARGED, PINCH, AT_PINCH, FALLEN = range(5, 18)
TURN, AT_TURN, LEFT, LEFT_ANCHOR, LEFT_AT, LEFT_SLOPE = range(18, 24)
POSITIVE, NEGATIVE = 24, 32
RISE_A, RISE_B, YIELD, CAP_C, CAP_G, PEAK, LOCAL, AT_LOCAL = range(8)
_BOTH = ("branch", "side", "anchor", "at_anchor", "slope", "worn", "held", "energy", "crossed", "charged", "pinch")
_TURN = ("at_pinch", "fallen", "turn", "at_turn", "left", "left_anchor", "left_at", "left_slope")
_SIDE = ("rise_a", "rise_b", "yield", "cap_c", "cap_g", "peak", "local", "at_local")
VARIABLES = FOLLOWED + tuple(
    f"imk_{name}" for name in (*_BOTH, *_TURN, *(f"{x}_{side}" for side in ("positive", "negative") for x in _SIDE))
)
DEAD = 1e-6  # of the yield force: a reversal at a smaller one is not where the next excursion aims
# Branches: elastic before first yield; unloading, with a way back to where it began; towards the pinching point, the
# last reversal, the target; on the backbone; along the unloading stiffness to the backbone; gone for good.
NEW, UNLOADING, PINCHING, TO_LOCAL, TO_PEAK, BACKBONE, INSIDE, GONE = range(8)
# Parameters: of one side behind the stiffness, then of both.
P_SIDE, P_LAMBDA, P_C, P_D, P_KAPPA, P_RELOADING, P_RULE = 8, 17, 21, 25, 27, 29, 30


def backbone(p: Array, s: int, z: Array, q: int, x: float) -> tuple[float, float, float]:
    """Force, slope and end of the piece of the worn backbone at x, which grows outwards."""
    a, b, c, g = p[s] - z[q + RISE_A], p[s + 1] - z[q + RISE_B], p[s + 2] - z[q + CAP_C], p[s + 3] - z[q + CAP_G]
    least, cap = p[s + 4], math.inf
    if b + g > 0.0 and c < math.inf:
        cap = (c - a) / (b + g)
        if a + b * cap <= least:
            return least, 0.0, math.inf
    elif c < a:  # both lines are level
        return max(c, least), 0.0, math.inf
    if b > 0.0 and x < (least - a) / b:
        return least, 0.0, (least - a) / b
    if x < cap:
        return max(a + b * x, least), b, cap
    if g == 0.0:  # nothing falls: the force at the cap is held
        return c, 0.0, math.inf
    if x < (c - least) / g:
        return c - g * x, -g, (c - least) / g
    return least, 0.0, math.inf


def meets(p: Array, s: int, z: Array, q: int, k: float, zero: float) -> float:
    """Where a line of slope k, zero at ``zero``, meets the worn backbone."""
    a, b, c, g = p[s] - z[q + RISE_A], p[s + 1] - z[q + RISE_B], p[s + 2] - z[q + CAP_C], p[s + 3] - z[q + CAP_G]
    least = p[s + 4] / k + zero  # where it reaches the residual force
    # Worn softer than the hardening line, it stays on the side of that on which it comes.
    apart = math.inf if a + b * least > p[s + 4] else -math.inf
    hard = (a + k * zero) / (k - b) if k > b else apart
    return max(least, min(hard, (c + k * zero) / (k + g)))


def worn(spent: float, left: float, power: float, published: bool) -> float:
    """β of a mode; above 1 the spring is gone. OpenSees takes an energy that is used up for no wear."""
    if spent <= 0.0:
        return 0.0
    if left <= 0.0:
        return 2.0 if published else 0.0
    return spent / left if power == 1.0 else (spent / left) ** power  # the same bits


def unloading(p: Array, r: int, z: Array, o: int) -> tuple[float, float]:
    """Unloading stiffness that a reversal here would leave (0: it is gone), and the energy charged with it."""
    published, force = p[r + P_RULE] == 0.0, z[o + FORCE]
    # Published: the excursion wears the stiffness that it began with, however often it turns.
    stiff = p[r] * (1.0 - (z[o + HELD] if published else z[o + WORN]))
    given_back = 0.5 * force * force / stiff
    spent = z[o + ENERGY] - z[o + CROSSED] - given_back
    if published:
        spent = max(spent, z[o + CHARGED])
    left = p[r + P_LAMBDA + 3] - (z[o + ENERGY] - given_back)
    beta = worn(spent, left, p[r + P_C + 3], published)
    # Beyond this a spring would give back more than is put in on the way: its energy is used up to what it holds.
    if published and p[r + P_C + 3] * given_back * (1.0 + beta) > left * ((1.0 - beta) * (1.0 - beta)):
        return 0.0, spent
    if beta >= 1.0:
        return 0.0, spent
    if not published and z[o + FALLEN] != 0.0 and p[r + P_RELOADING] == 0.0:
        return 0.5 * p[r], spent
    return stiff * (1.0 - beta), spent


def crossed(p: Array, r: int, e: float, way: float, z: Array, o: int) -> bool:
    """The force is zero on the way to a side: wear its backbone and aim at it; False when the spring is gone."""
    published = p[r + P_RULE] == 0.0
    s, q = (r + 1, o + POSITIVE) if way > 0.0 else (r + 1 + P_SIDE, o + NEGATIVE)
    spent, total = max(z[o + ENERGY] - z[o + CROSSED], 0.0), z[o + ENERGY]
    share = p[r + P_D] if way > 0.0 else p[r + P_D + 1]
    strength = worn(spent, p[r + P_LAMBDA] - total, p[r + P_C], published)
    cap = worn(spent, p[r + P_LAMBDA + 1] - total, p[r + P_C + 1], published)
    further = worn(spent, p[r + P_LAMBDA + 2] - total, p[r + P_C + 2], published)
    if max(strength, cap, further) > 1.0:
        return False
    if published and z[o + BRANCH] == UNLOADING and abs(z[o + AT_TURN]) > DEAD * p[s + 6]:
        left = o + NEGATIVE if way > 0.0 else o + POSITIVE
        z[left + LOCAL], z[left + AT_LOCAL] = -way * z[o + TURN], -way * z[o + AT_TURN]
    z[o + CROSSED], z[o + CHARGED], z[o + HELD], z[o + SIDE] = total, 0.0, z[o + WORN], way
    wear(p, r, s, z, q, 1.0 - strength * share, 1.0 - cap * share)
    if p[r + P_RELOADING] == 0.0:
        if not published:
            near_residual(p, s, z, q, way * e + p[s + 4] / z[o + SLOPE])
        z[o + BRANCH], z[o + ANCHOR], z[o + AT_ANCHOR] = INSIDE, e, 0.0
        return True
    if z[q + PEAK] == 0.0:  # a side that has not been yet aims at its yield point
        z[q + PEAK], z[q + LOCAL], z[q + AT_LOCAL] = p[s + 5], p[s + 5], p[s + 6]
    z[q + PEAK] *= 1.0 + further * share
    target, _, _ = backbone(p, s, z, q, z[q + PEAK])
    if target <= 0.0:
        return False
    aim(p, r, e, way, target, z, o, q)
    return True


def wear(p: Array, r: int, s: int, z: Array, q: int, strength: float, cap: float) -> None:
    """Lower yield force and hardening slope, and the falling line, by these factors."""
    Fy, b = (p[s + 6] - z[q + YIELD]) * strength, (p[s + 1] - z[q + RISE_B]) * strength
    z[q + YIELD], z[q + RISE_B] = p[s + 6] - Fy, p[s + 1] - b
    z[q + RISE_A] = p[s] - (Fy - b * (Fy / p[r]))
    if cap < 1.0 and p[s + 2] < math.inf:
        z[q + CAP_C] = p[s + 2] - (p[s + 2] - z[q + CAP_C]) * cap


def near_residual(p: Array, s: int, z: Array, q: int, x: float) -> None:
    """OpenSees' bilinear spring: the falling line flattens with the yield force, and nothing rises from below the
    residual, which the elastic line ahead meets at x."""
    Fy, least = p[s + 6] - z[q + YIELD], p[s + 4]
    g = 0.0
    if Fy >= least:  # not worn it is as steep as it was, with a residual as high as the yield force too
        g = p[s + 3] * (Fy - least) / (p[s + 6] - least) if Fy < p[s + 6] else p[s + 3]
    z[q + CAP_G] = p[s + 3] - g
    a, b, c = p[s] - z[q + RISE_A], p[s + 1] - z[q + RISE_B], p[s + 2] - z[q + CAP_C]
    if not (b + g > 0.0 and c < math.inf):
        return
    cap = (c - a) / (b + g)
    top = a + b * cap
    if top < least:
        z[q + RISE_A], z[q + RISE_B], z[q + YIELD] = p[s] - least, p[s + 1], p[s + 6] - least
        z[q + CAP_C], z[q + CAP_G] = p[s + 2] - least, p[s + 3]
        return
    flatter = (top - least) / (cap - x) if cap > x else 0.0
    if 0.0 < flatter < b:
        z[q + RISE_B], z[q + RISE_A] = p[s + 1] - flatter, p[s] - (top - flatter * cap)


def aim(p: Array, r: int, e: float, way: float, target: float, z: Array, o: int, q: int) -> None:
    """Choose the line on which a peak-oriented or pinched spring reloads from the zero of its force at e."""
    x, peak, stiff = way * e, z[q + PEAK], p[r] * (1.0 - z[o + WORN])
    if x >= peak or (p[r + P_RULE] == 0.0 and target >= stiff * (peak - x)):
        z[o + BRANCH], z[o + ANCHOR], z[o + AT_ANCHOR], z[o + SLOPE] = INSIDE, e, 0.0, stiff
        return
    if p[r + P_RELOADING] == 2.0:
        pinch = (1.0 - p[r + P_KAPPA + 1]) * (peak - target / stiff)
        z[o + PINCH], z[o + AT_PINCH] = pinch, p[r + P_KAPPA] * target * (pinch - x) / (peak - x)
        if x < pinch:
            laid(z, o, PINCHING, way, x, 0.0, pinch, z[o + AT_PINCH])
            return
    onwards(p, r, way, x, 0.0, target, z, o, q)


def onwards(p: Array, r: int, way: float, x: float, force: float, target: float, z: Array, o: int, q: int) -> None:
    """From (x, force) to the last reversal, where that is on the steeper way, else to the target."""
    local, at_local, peak = z[q + LOCAL], z[q + AT_LOCAL], z[q + PEAK]
    if x < local < peak and force < at_local < target:
        steep = (at_local - force) / (local - x)
        held = p[r + P_RULE] != 0.0 or steep <= p[r] * (1.0 - z[o + WORN])
        if held and steep > (target - force) / (peak - x):
            laid(z, o, TO_LOCAL, way, x, force, local, at_local)
            return
    laid(z, o, TO_PEAK, way, x, force, peak, target)


def laid(z: Array, o: int, branch: int, way: float, x: float, force: float, end: float, at_end: float) -> None:
    """Take the line from (x, force) to its end, which is its anchor."""
    z[o + BRANCH], z[o + ANCHOR], z[o + AT_ANCHOR] = branch, way * end, way * at_end
    z[o + SLOPE] = (at_end - force) / (end - x) if end > x else 0.0


def turned(p: Array, r: int, e: float, force: float, z: Array, o: int) -> bool:
    """A reversal: remember it, and unload with the stiffness that is left; False when the spring is gone."""
    side = z[o + SIDE]
    q = o + POSITIVE if side > 0.0 else o + NEGATIVE
    stiff, charged = unloading(p, r, z, o)
    if stiff <= 0.0:
        return False
    z[o + TURN], z[o + AT_TURN], z[o + LEFT] = e, force, z[o + BRANCH]
    z[o + LEFT_ANCHOR], z[o + LEFT_AT], z[o + LEFT_SLOPE] = z[o + ANCHOR], z[o + AT_ANCHOR], z[o + SLOPE]
    if p[r + P_RULE] != 0.0:
        z[q + LOCAL], z[q + AT_LOCAL] = side * e, side * force
    z[q + PEAK] = max(z[q + PEAK], side * e)
    z[o + WORN], z[o + CHARGED] = 1.0 - stiff / p[r], charged
    z[o + BRANCH] = INSIDE if p[r + P_RELOADING] == 0.0 else UNLOADING
    z[o + ANCHOR], z[o + AT_ANCHOR], z[o + SLOPE] = e, force, stiff
    return True


def moved(p: Array, r: int, e: float, z: Array, o: int) -> float:
    """Bring the state along its present piece to e; returns the force there."""
    branch, side = z[o + BRANCH], z[o + SIDE]
    if branch == GONE:
        force = 0.0
    elif branch == NEW:
        force = p[r] * e
    elif branch == BACKBONE:
        s, q = (r + 1, o + POSITIVE) if side > 0.0 else (r + 1 + P_SIDE, o + NEGATIVE)
        force = side * backbone(p, s, z, q, side * e)[0]
    else:
        force = z[o + AT_ANCHOR] + z[o + SLOPE] * (e - z[o + ANCHOR])
    z[o + ENERGY] += 0.5 * (force + z[o + FORCE]) * (e - z[o + LAST])
    z[o + LAST], z[o + FORCE] = e, force
    return force


def gone(z: Array, o: int) -> tuple[float, float, float]:
    """Take the spring away for good."""
    z[o + BRANCH], z[o + FORCE], z[o + RECOVERABLE] = GONE, 0.0, 0.0
    return 0.0, 0.0, z[o + WAY] * math.inf


def settled(p: Array, r: int, z: Array, o: int) -> bool:
    """Note the energy that unloading now would give back; False where the spring would not survive a reversal."""
    stiff, branch = p[r] * (1.0 - z[o + WORN]), z[o + BRANCH]
    if branch != NEW and branch != UNLOADING and branch != INSIDE:
        stiff, _ = unloading(p, r, z, o)
    z[o + RECOVERABLE] = 0.5 * z[o + FORCE] * z[o + FORCE] / stiff if stiff > 0.0 else 0.0
    return stiff > 0.0


def piece(p: Array, r: int, e: float, way: float, z: Array, o: int) -> tuple[float, float, float]:
    """See :class:`hamex.model.laws.path.PathLaw`."""
    force = moved(p, r, e, z, o)
    if way == 0.0:
        if z[o + BRANCH] != GONE and not settled(p, r, z, o):
            gone(z, o)
        return force, 0.0, e
    z[o + WAY] = way
    s, q = (r + 1, o + POSITIVE) if way > 0.0 else (r + 1 + P_SIDE, o + NEGATIVE)
    if z[o + BRANCH] == GONE or way * e >= p[s + 7]:
        return gone(z, o)
    if z[o + BRANCH] == NEW and way * e < p[s + 5]:
        settled(p, r, z, o)
        return force, p[r], way * min(p[s + 5], p[s + 7])
    if z[o + BRANCH] == NEW:
        z[o + BRANCH], z[o + SIDE] = BACKBONE, way
    if z[o + SIDE] != way:
        inside = z[o + BRANCH] == UNLOADING or z[o + BRANCH] == INSIDE
        if not inside and not turned(p, r, e, force, z, o):
            return gone(z, o)
        edge = z[o + ANCHOR] - z[o + AT_ANCHOR] / z[o + SLOPE]
        if way * (edge - e) > 0.0:
            settled(p, r, z, o)
            return force, z[o + SLOPE], way * min(way * edge, p[s + 7])
        if not crossed(p, r, e, way, z, o):
            return gone(z, o)
    k, edge = ahead(p, r, s, e, way, z, o, q)
    if k == 0.0 and z[o + BRANCH] == BACKBONE and p[s + 4] == 0.0 and math.isinf(edge) and p[s + 3] > 0.0:
        return gone(z, o)
    settled(p, r, z, o)
    return force, k, way * min(way * edge, p[s + 7])


def ahead(p: Array, r: int, s: int, e: float, way: float, z: Array, o: int, q: int) -> tuple[float, float]:
    """Slope and end of the piece that leads outwards from e; pieces that end here give way to the next."""
    x = way * e
    if z[o + BRANCH] == INSIDE:
        # Back to where it left its backbone, or from zero to a worn one. On the way back it may hold more than that,
        # where it unloads more softly than it hardens.
        left = way * z[o + AT_ANCHOR] > 0.0
        edge = way * z[o + ANCHOR] if left else meets(p, s, z, q, z[o + SLOPE], way * z[o + ANCHOR])
        if edge > x:
            return z[o + SLOPE], way * edge
        z[o + BRANCH] = BACKBONE
    if z[o + BRANCH] == UNLOADING:
        if way * z[o + TURN] > x:
            return z[o + SLOPE], z[o + TURN]
        again(p, r, s, way, z, o, q)
    if z[o + BRANCH] == PINCHING:
        if z[o + PINCH] > x:
            return z[o + SLOPE], way * z[o + PINCH]
        target, _, _ = backbone(p, s, z, q, z[q + PEAK])
        onwards(p, r, way, z[o + PINCH], z[o + AT_PINCH], target, z, o, q)
    if z[o + BRANCH] == TO_LOCAL:
        if z[q + LOCAL] > x:
            return z[o + SLOPE], way * z[q + LOCAL]
        target, _, _ = backbone(p, s, z, q, z[q + PEAK])
        laid(z, o, TO_PEAK, way, z[q + LOCAL], z[q + AT_LOCAL], z[q + PEAK], target)
    if z[o + BRANCH] == TO_PEAK:
        if z[q + PEAK] > x:
            return z[o + SLOPE], way * z[q + PEAK]
        z[o + BRANCH] = BACKBONE
    force, slope, edge = backbone(p, s, z, q, x)
    if force <= p[s + 4] and math.isinf(edge):
        z[o + FALLEN] = 1.0
    return slope, way * edge


def again(p: Array, r: int, s: int, way: float, z: Array, o: int, q: int) -> None:
    """Back at the reversal from which it unloaded: on the line that it left; by OpenSees' rule on a new one, to the
    pinching point or to the target."""
    if p[r + P_RULE] == 0.0:
        z[o + BRANCH], z[o + ANCHOR] = z[o + LEFT], z[o + LEFT_ANCHOR]
        z[o + AT_ANCHOR], z[o + SLOPE] = z[o + LEFT_AT], z[o + LEFT_SLOPE]
        return
    local, at_local, peak = z[q + LOCAL], z[q + AT_LOCAL], z[q + PEAK]
    target, _, _ = backbone(p, s, z, q, peak)
    if p[r + P_RELOADING] == 2.0:
        pinch, at_pinch = z[o + PINCH], z[o + AT_PINCH]
        below = local < pinch < peak and at_local < at_pinch < target
        if below and (at_pinch - at_local) * (peak - local) < (target - at_local) * (pinch - local):
            laid(z, o, PINCHING, way, local, at_local, pinch, at_pinch)
            return
    laid(z, o, TO_PEAK, way, local, at_local, peak, target)


@dataclass(frozen=True)
class IMK(Backbone):
    """Ibarra, Medina and Krawinkler's spring: a backbone with cap and residual that wears with the energy spent. Its
    first six parameters, and those of the negative side, are the numbers of :class:`Backbone`.

    Parameters
    ----------
    reloading : "bilinear", along the unloading stiffness to the backbone; "peak", towards the largest deformation so
        far; "pinching", the same through a point of lower force.
    lambda_s, lambda_c, lambda_a, lambda_k : reference energies over the yield force [length], of strength, cap,
        accelerated reloading (none in bilinear springs) and unloading stiffness; infinite, the default: no wear.
    c_s, c_c, c_a, c_k : exponents of β.
    d_positive, d_negative : share of S, C and A that either side takes, 0 to 1; slabs make it less than 1.
    kappa_f, kappa_d : of pinching springs: force at the pinching point over that of a straight way, and share of the
        plastic deformation at which it lies before the end.
    rule : "published", or "opensees" for what the materials IMKBilin, IMKPeakOriented and IMKPinching do, up to the
        ultimate deformation: beyond it springs are gone by either rule (IMKBilin keeps the residual of the other side).

    Examples
    --------
    >>> import hamex as hx
    >>> law = hx.laws.IMK(1.0, 1.1, plastic=0.03, post_cap=0.15, reloading="peak", lambda_s=1.0, lambda_k=1.0)
    >>> path = [0.0, 0.04, -0.04, 0.04, -0.04, 0.04]
    >>> hx.respond(law, path, stiffness=100.0).force.round(3).tolist()
    [0.0, 1.1, -1.067, 1.05, -1.032, 1.016]
    """

    kind = "imk"
    example: ClassVar[dict[str, Any]] = {
        "stiffness": 15000.0, "reach": 0.12, "yield_force": 150.0, "cap_ratio": 1.15, "plastic": 0.04, "post_cap": 0.15,
        "residual_ratio": 0.2, "reloading": "pinching", "lambda_s": 1.0, "lambda_c": 1.0, "lambda_a": 1.0,
        "lambda_k": 1.5, "kappa_f": 0.4, "kappa_d": 0.5,
    }  # fmt: skip
    variables = VARIABLES
    spring_piece = staticmethod(piece)
    words: ClassVar[dict[str, tuple[str, ...]]] = {
        "reloading": ("bilinear", "peak", "pinching"),
        "rule": ("published", "opensees"),
    }

    reloading: str = "bilinear"
    lambda_s: float = math.inf
    lambda_c: float = math.inf
    lambda_a: float = math.inf
    lambda_k: float = math.inf
    c_s: float = 1.0
    c_c: float = 1.0
    c_a: float = 1.0
    c_k: float = 1.0
    d_positive: float = 1.0
    d_negative: float = 1.0
    kappa_f: float = 1.0
    kappa_d: float = 1.0
    rule: str = "published"

    def __post_init__(self) -> None:
        check_sides(self)
        for name in ("reloading", "rule"):
            self.coded(name, getattr(self, name))
        for mode in "scak":
            checked(self, f"lambda_{mode}", positive=True, finite=False)
            checked(self, f"c_{mode}", positive=True)
        for name in ("d_positive", "d_negative", "kappa_f", "kappa_d"):
            if not checked(self, name) <= 1:
                raise LawError(f"IMK: {name} must be between 0 and 1, got {getattr(self, name):g}")
        if self.reloading == "bilinear" and math.isfinite(self.lambda_a):
            raise LawError('IMK: lambda_a wears the way to a target; reloading="bilinear" has none')
        if self.reloading == "pinching" and self.kappa_f == 0:
            raise LawError("IMK: kappa_f must be positive: without force at the pinching point nothing is reloaded")

    @classmethod
    def is_gone(cls, group: Any, states: Mapping[str, Array]) -> Array:
        return np.asarray(states["imk_branch"] == GONE)

    @classmethod
    def prepared(cls, group: Any, k: Array, tau: float) -> Array:
        columns = [k]
        for sign in ("", "_negative"):
            of_lines, Fy = lines(group, k, sign), side_of(group, "yield_force", sign)
            columns += [*of_lines[:, :5].T, Fy / k, Fy, of_lines[:, 8]]
        energies = [getattr(group, f"lambda_{mode}") * group.yield_force for mode in "scak"]
        rest = ("c_s", "c_c", "c_a", "c_k", "d_positive", "d_negative", "kappa_f", "kappa_d", "reloading", "rule")
        return np.column_stack([*columns, *energies, *(getattr(group, name) for name in rest)])

    def in_opensees(self, stiffness: float) -> tuple[str, list[float | str]]:
        names = ("plastic", "post_cap", "ultimate", "yield_force", "cap_ratio", "residual_ratio")
        given = {name: getattr(self, name) for name in self.names() if name not in self.words}
        given = {name: 1e9 if value == math.inf else value for name, value in given.items()}
        modes = "sck" if self.reloading == "bilinear" else "scak"
        numbers = [given[name + sign] for sign in ("", "_negative") for name in names]
        numbers += [given[letter + mode] for letter in ("lambda_", "c_") for mode in modes]
        pinch = ("kappa_f", "kappa_d") if self.reloading == "pinching" else ()
        material = {"bilinear": "IMKBilin", "peak": "IMKPeakOriented", "pinching": "IMKPinching"}[self.reloading]
        return material, [stiffness, *numbers, *(given[name] for name in ("d_positive", "d_negative", *pinch))]
