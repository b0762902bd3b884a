"""Gap and hook: a spring that carries nothing until it touches, then follows a bilinear elastic line."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hamex.errors import LawError
from hamex.model.laws.law import Array, Law, Split, checked


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
    while piece != last:
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
