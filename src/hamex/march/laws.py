"""Local maps: force and tangent of every spring for a given deformation, at the end of half (or all) of a step.

All laws answer one question, ``A F + τ g(F) ∋ e``: elastic deformation plus the slip of the time τ make up the
deformation e that the spring sees. Letters as in ``docs/glossary.md``: X back force, w accumulated slip at the start;
κ = τ k · rate is the share of the excess force that slipping takes away.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from hamex.march.surfaces import Surfaces, surface_block

Array = Any

# A stage of several may start from an accumulated slip so far below zero that no force is admissible. The law is the
# normal cone of the convex set |F − X| ≤ Fy + Hi w; at its apex, F = X, it allows any slip up to the growth of w.
APEX = 2
_NEWTON = 100           # far more than the quadratic iterations below ever need


class Sliders(NamedTuple):
    """Springs with one force each; rate and κ belong to the step."""

    spring: Array
    k: Array
    yield_force: Array
    kinematic: Array
    isotropic: Array
    rate: Array      # 1/(η + τ(k + Hk + Hi))
    kappa: Array     # τ k rate


class Powers(NamedTuple):
    """Dashpots F = c|v|^α behind a spring."""

    spring: Array
    k: Array
    c: Array
    alpha: Array


def evaluate(e: Array, X: Array, w: Array, tau: float, sliders: Sliders, powers: Powers,
             surfaces: Surfaces | None, work: Array, forced: bool, branch: Array, F: Array, T: Array, slip: Array,
             grown: Array) -> bool:
    """Fill force F, tangent T, slip and growth of w within τ; returns True when a branch changed.

    ``branch`` is −1, 0 or +1 per spring. When ``forced`` the sliders stay on the branch given, on its straight
    line prolonged: that is the first guess of a step. ``surfaces`` is None where a model has none, so that the
    compiler, which takes longest over them, leaves them out.
    """
    changed = False
    for i in range(len(sliders.spring)):
        j = sliders.spring[i]
        trial = sliders.k[i] * e[j]
        from_back = trial - X[j]
        limit = sliders.yield_force[i] + sliders.isotropic[i] * w[j]
        sign = branch[j]
        if not forced:
            sign = 0
            if limit < 0.0 and abs(from_back) <= -limit * (1.0 / (sliders.rate[i] * apex_of(i, tau, sliders)) - 1.0):
                sign = APEX
            elif limit < 0.0:
                sign = 1 if from_back > 0.0 else -1
            elif from_back > limit:
                sign = 1
            elif from_back < -limit:
                sign = -1
            if sign != branch[j]:
                changed = True
                branch[j] = sign
        if sign == 0:
            F[j] = trial
            T[j] = sliders.k[i]
            slip[j] = 0.0
            grown[j] = 0.0
        elif sign == APEX:
            slip[j] = from_back / (sliders.k[i] + sliders.kinematic[i])
            F[j] = trial - sliders.k[i] * slip[j]
            T[j] = sliders.k[i] * (sliders.kinematic[i] / (sliders.k[i] + sliders.kinematic[i]))
            grown[j] = -tau * limit / apex_of(i, tau, sliders)
        else:
            excess = from_back - sign * limit
            F[j] = trial - sliders.kappa[i] * excess
            T[j] = sliders.k[i] * (1.0 - sliders.kappa[i])
            slip[j] = tau * (sliders.rate[i] * excess)
            grown[j] = sign * slip[j]
    flowed(e, tau, powers, F, T, slip, grown)
    if surfaces is not None:
        for i in range(len(surfaces.first)):
            if surface_block(i, e, X, w, tau, surfaces, work, branch, F, T, slip, grown):
                changed = True
    return changed


def apex_of(i: int, tau: float, sliders: Sliders) -> float:
    """η + τ Hi of a slider."""
    return 1.0 / sliders.rate[i] - tau * (sliders.k[i] + sliders.kinematic[i])


def flowed(e: Array, tau: float, powers: Powers, F: Array, T: Array, slip: Array, grown: Array) -> None:
    """Force, tangent and travel of the power-law dashpots."""
    for i in range(len(powers.spring)):
        j = powers.spring[i]
        size = power_force(abs(e[j]), 1.0 / powers.k[i], tau, powers.c[i], powers.alpha[i])
        F[j] = size if e[j] > 0.0 else -size
        T[j] = power_tangent(size, 1.0 / powers.k[i], tau, powers.c[i], powers.alpha[i])
        slip[j] = e[j] - F[j] / powers.k[i]
        grown[j] = abs(slip[j])


def power_force(e: float, a: float, tau: float, c: float, alpha: float) -> float:
    """F ≥ 0 with a F + τ (F/c)^(1/α) = e, by Newton from above on a convex increasing function."""
    if e <= 0.0:
        return 0.0
    if alpha <= 1.0:
        power = 1.0 / alpha
        F = min(e / a, c * (e / tau) ** alpha)
        for _ in range(_NEWTON):
            flow = tau * (F / c) ** power
            step = (a * F + flow - e) / (a + power * flow / F)
            if step <= 1e-16 * F:
                break
            F -= step
        return F
    z = min(e / tau, (e / (a * c)) ** (1.0 / alpha))     # slip rate; here the force is its convex function
    for _ in range(_NEWTON):
        stretch = a * c * z**alpha
        step = (stretch + tau * z - e) / (tau + alpha * stretch / z)
        if step <= 1e-16 * z:
            break
        z -= step
    return c * z**alpha


def power_tangent(F: float, a: float, tau: float, c: float, alpha: float) -> float:
    """dF/de of :func:`power_force`."""
    if F <= 0.0:
        return 1.0 / a if alpha < 1.0 else (0.0 if alpha > 1.0 else 1.0 / (a + tau / c))
    return 1.0 / (a + tau / (alpha * c) * (F / c) ** (1.0 / alpha - 1.0))
