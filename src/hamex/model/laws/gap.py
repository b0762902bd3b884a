"""Springs that are elastic but not straight: a gap or hook, which carries nothing until it touches, and lines from
point to point, each sign by itself."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hamex.errors import LawError
from hamex.model.laws.law import Array, Group, Indices, Law, Split, checked, number


def at(p: Array, r: int, e: float, tau: float, z: Array, o: int, dz: Array) -> tuple[float, float, int]:
    """Force and slope at a deformation; pieces are 0 (open), ±1 (touching), ±2 (beyond the corner)."""
    side = 1 if e > 0.0 else -1
    beyond = abs(e) - (p[r + 2] if side > 0 else p[r + 1])
    if not beyond > 0.0:
        return 0.0, 0.0, 0
    force = p[r] * beyond
    if force <= p[r + 3]:
        return side * force, p[r], side
    return side * (p[r + 3] + p[r + 4] * (beyond - p[r + 3] / p[r])), p[r + 4], 2 * side


def along(p: Array, r: int, e: float, d: float, h: float, z: Array, o: int, dz: Array) -> tuple[float, float, int]:
    """Mean force on the way from e to e + d, its slope in d, and the state at the end.

    Piece by piece, by moments: with slope kₘ between the shares σₘ and σₘ₊₁ of the way, the mean is
    F(e) + d Σ kₘ(σₘ₊₁ − σₘ)(1 − (σₘ + σₘ₊₁)/2) and its slope Σ kₘ(σₘ₊₁² − σₘ²)/2; no difference of two large energies.
    """
    start, tangent, piece = at(p, r, e, h, z, o, dz)
    end, final, last = at(p, r, e + d, h, z, o, dz)
    dz[o] = (e + d) - end / p[r]
    if piece == last:
        return start + 0.5 * tangent * d, 0.5 * tangent, last
    corner = p[r + 3] / p[r]
    way, mean, slope, here = 1 if d > 0.0 else -1, 0.0, 0.0, 0.0
    while way * (last - piece) > 0:  # numbers that overflowed have no way
        # The end of this piece on the way: pieces follow each other from −2 to 2.
        border = piece if way > 0 else piece - 1  # −2: lower corner, −1: gap, 0: hook, 1: upper corner
        edge = -p[r + 1] if border < 0 else p[r + 2]
        if border == -2:
            edge -= corner
        elif border == 1:
            edge += corner
        there = min(max((edge - e) / d, here), 1.0)
        mean += tangent * (there - here) * (1.0 - 0.5 * (here + there))
        slope += 0.5 * tangent * (there * there - here * here)
        here = there
        piece += way
        tangent = 0.0 if piece == 0 else (p[r] if abs(piece) == 1 else p[r + 4])
    mean += final * (1.0 - here) * (0.5 - 0.5 * here)
    slope += 0.5 * final * (1.0 - here * here)
    return start + d * mean, slope, last


@dataclass(frozen=True)
class Gap(Law):
    """Contact after a gap, and a hook that catches: nothing, then a bilinear elastic line; it gives back all work.

    The spring's stiffness k acts once the gap is closed (deformation below ``−gap``) or the hook catches (above
    ``hook``), up to the force ``corner``, and ``post_stiffness`` beyond. Its slip is the part of the deformation that
    the gap takes. Pounding buildings, a bar at a wall, uplift of a footing, cables.

    Parameters
    ----------
    gap : how far the ends may approach before they touch [length]; infinite: they never do.
    hook : how far the ends may part before they catch [length]; infinite, the default: they never do.
    corner : force at which the slope changes [force]; infinite, the default: never.
    post_stiffness : slope beyond the corner, not negative; it may be steeper than before [force/length].

    Examples
    --------
    >>> import hamex as hx
    >>> wall = hx.laws.Gap(gap=0.02)
    >>> model = hx.oscillator(mass=1.0, stiffness=100.0, law=wall)
    >>> load = hx.Load(lambda t: 0.0 * t)
    >>> coming = hx.Problem(model, load, 1.0, start=hx.State(momentum=-1.0))
    >>> sol = hx.solve(coming, hx.Galerkin(step=0.001))
    >>> round(float(sol.values("momentum")[-1, 0]), 6)       # thrown back with the speed it came
    1.0
    """

    kind = "gap"
    example: ClassVar[dict[str, Any]] = {"stiffness": 15000.0, "reach": 0.05, "gap": 0.02, "hook": 0.03}
    form = "elastic"
    spring_at = staticmethod(at)
    spring_along = staticmethod(along)

    gap: float = 0.0
    hook: float = math.inf
    corner: float = math.inf
    post_stiffness: float = 0.0

    def __post_init__(self) -> None:
        checked(self, "gap", finite=False)
        checked(self, "hook", finite=False)
        checked(self, "corner", finite=False)
        checked(self, "post_stiffness", hint="; a contact that softens is not elastic")
        if math.isinf(self.gap) and math.isinf(self.hook):
            raise LawError("Gap: gap and hook are both infinite, so the spring never touches; give one of them")
        if self.corner == 0:
            raise LawError("Gap: corner must be above zero; for none, give the spring the post_stiffness itself")

    @classmethod
    def slow_tangent(cls, group: Any, k: Array, isotropic: bool = True) -> Array:
        return np.zeros_like(k)

    @classmethod
    def stiffest(cls, group: Any, k: Array) -> Array:
        return np.where(np.isinf(group.corner), k, np.maximum(k, group.post_stiffness))

    @classmethod
    def static_share(cls, group: Any, k: Array) -> Array:
        """An open gap resists nothing."""
        return np.where((group.gap == 0) & (group.hook == 0), 1.0, 0.0)

    @classmethod
    def split(
        cls, group: Any, k: Array, h: float, deformation: Array, force: Array, states: Mapping[str, Array]
    ) -> Split:
        beyond = np.maximum(np.abs(deformation) - np.where(deformation > 0, group.hook, group.gap), 0.0)
        straight = np.minimum(beyond, group.corner / k)
        rest = beyond - straight
        stored = 0.5 * k * straight**2 + rest * (k * straight) + 0.5 * group.post_stiffness * rest**2
        lost = np.zeros_like(force)
        return Split(stored, np.zeros_like(stored), lost, lost)


Points = Sequence[tuple[float, float]]
ROW = 4  # numbers of one line: where it begins, force there, slope, energy there; all positive on both sides


def line(p: Array, r: int, x: float, side: int) -> int:
    """Place in p of the line of one side on which x ≥ 0 lies."""
    many = int(p[r + 1])
    at = r + 2 if side > 0 else r + 2 + ROW * many
    last = at + ROW * (many - 1)
    while at < last and x >= p[at + ROW]:
        at += ROW
    return at


def at_lines(p: Array, r: int, e: float, tau: float, z: Array, o: int, dz: Array) -> tuple[float, float, int]:
    """Force and slope at a deformation; the piece is the place of its line."""
    side = 1 if e >= 0.0 else -1
    q = line(p, r, abs(e), side)
    return side * (p[q + 1] + p[q + 2] * (abs(e) - p[q])), p[q + 2], q - r


def along_lines(
    p: Array, r: int, e: float, d: float, h: float, z: Array, o: int, dz: Array
) -> tuple[float, float, int]:
    """Mean force on the way from e to e + d, its slope in d, and the state at the end: by moments, as in a gap."""
    start, _, _ = at_lines(p, r, e, h, z, o, dz)
    end, _, last = at_lines(p, r, e + d, h, z, o, dz)
    dz[o] = (e + d) - end / p[r]
    many, way = int(p[r + 1]), 1 if d > 0.0 else -1
    mean, tilt, here = 0.0, 0.0, 0.0
    side = 1 if e > 0.0 or (e == 0.0 and way > 0) else -1
    q = line(p, r, abs(e), side)
    while True:
        first = r + 2 if side > 0 else r + 2 + ROW * many
        edge = p[q]
        if side == way:  # outwards
            edge = p[q + ROW] if q < first + ROW * (many - 1) else math.inf
        there = 1.0 if way * (side * edge - (e + d)) >= 0.0 else min(max((side * edge - e) / d, here), 1.0)
        mean += p[q + 2] * (there - here) * (1.0 - 0.5 * (here + there))
        tilt += 0.5 * p[q + 2] * (there * there - here * here)
        here = there
        if not here < 1.0:  # nor does a way that is not a number lead anywhere
            return start + d * mean, tilt, last
        if side == way:
            q += ROW
        elif q > first:
            q -= ROW
        else:
            side = way
            q = r + 2 if side > 0 else r + 2 + ROW * many


@dataclass(frozen=True)
class MultilinearElastic(Law):
    """Elastic spring whose force follows straight lines from zero through given points, and the last line beyond them.

    It gives back all work. A side without points carries nothing: no tension, or no compression. Lines may fall, which
    shortens the longest step; the force must keep its sign.

    Parameters
    ----------
    points : (deformation, force) of the positive side, both positive, deformations growing [length, force].
    points_negative : the same of the negative side, as positive numbers; left out: as on the other side; an empty list:
        nothing.

    Examples
    --------
    >>> import hamex as hx
    >>> law = hx.laws.MultilinearElastic([(0.01, 1.0), (0.03, 1.5)], points_negative=[])     # no compression
    >>> hx.respond(law, [0.02, 0.05, -0.03, 0.01], stiffness=100.0).force.round(12).tolist()
    [1.25, 2.0, 0.0, 1.0]
    """

    kind = "multilinear_elastic"
    example: ClassVar[dict[str, Any]] = {
        "stiffness": 15000.0, "reach": 0.05, "points": [(0.01, 150.0), (0.03, 200.0)], "points_negative": [],
    }  # fmt: skip
    form = "elastic"
    spring_at = staticmethod(at_lines)
    spring_along = staticmethod(along_lines)
    softens = True

    points: Points
    points_negative: Points | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", _checked("points", self.points))
        other = self.points if self.points_negative is None else _checked("points_negative", self.points_negative)
        object.__setattr__(self, "points_negative", other)
        if not self.points and not other:
            raise LawError("MultilinearElastic: neither side has points, so the spring carries nothing; give some")

    @classmethod
    def grouped(cls, laws: Sequence[Any], first: Sequence[int] | Indices) -> Group:
        """Springs with fewer points than others have NaN behind them."""
        rows = {name: [np.ravel(getattr(law, name)) for law in laws] for name in cls.names()}
        width = max((len(row) for both in rows.values() for row in both), default=0)
        filled = {
            name: np.array([np.concatenate([row, np.full(width - len(row), np.nan)]) for row in both]).reshape(
                -1, width
            )
            for name, both in rows.items()
        }
        return Group(cls, np.asarray(first, dtype=np.intp), 1, filled)

    @classmethod
    def prepared(cls, group: Any, k: Array, tau: float) -> Array:
        sides = [lines(getattr(group, name)) for name in cls.names()]
        many = np.full((len(k), 1), sides[0].shape[1])
        return np.hstack([k[:, None], many, *(side.reshape(len(k), -1) for side in sides)])

    @classmethod
    def slow_tangent(cls, group: Any, k: Array, isotropic: bool = True) -> Array:
        return np.minimum(*(lines(getattr(group, name))[:, :, 2].min(axis=1) for name in cls.names()))

    @classmethod
    def stiffest(cls, group: Any, k: Array) -> Array:
        return np.maximum(*(lines(getattr(group, name))[:, :, 2].max(axis=1) for name in cls.names()))

    @classmethod
    def static_share(cls, group: Any, k: Array) -> Array:
        """The softer of both first lines."""
        return np.minimum(*(lines(getattr(group, name))[:, 0, 2] for name in cls.names())) / k

    @classmethod
    def split(
        cls, group: Any, k: Array, h: float, deformation: Array, force: Array, states: Mapping[str, Array]
    ) -> Split:
        stored = np.zeros_like(deformation)
        for name, sign in (("points", 1.0), ("points_negative", -1.0)):
            for i, own in enumerate(lines(getattr(group, name))):
                x = sign * deformation[..., i]
                begin, at_begin, slope, energy = own[np.maximum(np.searchsorted(own[:, 0], x, side="right") - 1, 0)].T
                stored[..., i] += np.where(x > 0, energy + (x - begin) * (at_begin + 0.5 * slope * (x - begin)), 0.0)
        lost = np.zeros_like(force)
        return Split(stored, np.zeros_like(stored), lost, lost)


def lines(points: Array) -> Array:
    """(spring, line, 4) of one side: begin, force and energy there, slope; what has no points has one line of nothing,
    what has fewer than others lines that begin at infinity."""
    spring, width = points.shape
    out = np.zeros((spring, max(width // 2, 1), ROW))
    for own, row in zip(out, points.reshape(spring, -1, 2), strict=True):
        known = row[~np.isnan(row[:, 0])]
        x, f = np.vstack([[0.0, 0.0], known]).T
        slope = np.diff(f) / np.diff(x) if len(known) else np.zeros(1)
        energy = np.concatenate([[0.0], np.cumsum(0.5 * (f[1:] + f[:-1]) * np.diff(x))])
        many = len(slope)
        own[:many] = np.stack([x[:many], f[:many], slope, energy[:many]], axis=1)
        own[many:] = np.inf, 0.0, slope[-1], 0.0
    return out


def _checked(name: str, given: Any) -> tuple[tuple[float, float], ...]:
    """Points in their order, as plain numbers."""
    try:
        rows = np.asarray(given, dtype=float).reshape(-1, 2)
    except (TypeError, ValueError):
        raise LawError(f"MultilinearElastic: {name} must be pairs (deformation, force), got {given!r:.60}") from None
    who = "MultilinearElastic"
    found = tuple((number(who, name, e), number(who, name, f)) for e, f in rows[~np.isnan(rows).all(axis=1)])
    for (before, _), (e, f) in zip(((0.0, 0.0), *found), found, strict=False):
        if not before < e < math.inf:
            raise LawError(f"MultilinearElastic: deformations of {name} must grow from zero; {e:g} follows {before:g}")
        if not 0 <= f < math.inf:
            raise LawError(f"MultilinearElastic: forces of {name} must not be negative on either side, got {f:g}")
    if len(found) > 1 and found[-1][1] < found[-2][1]:
        raise LawError(
            f"MultilinearElastic: the last line of {name} falls and would go on below zero; end with a level one"
        )
    return found
