"""The exact step of a linear oscillator, ``ü + 2ζω u̇ + ω²u = l(t)`` with l linear in time.

With g the response to a unit impulse, all that a step of length h needs is

    σ = g(h)/h   and the moments   φₖ = ∫ (τ/h)ᵏ g dτ / h²,   k = 0, 1, 2,

which tend to 1 and 1/(k + 2) for slow oscillators. With θ = ωh and β = ζθ, displacement and h times the velocity go

    u  ←  (1 − θ²φ₀) u + σ hv              + h² (φ₁ l₀ + (φ₀ − φ₁) l₁)
    hv ←  (1 − θ²φ₀ − 2βσ) hv − θ²σ u      + h² ((σ − φ₀) l₀ + φ₀ l₁).

The numbers come from a power series for a step so short that it converges at once, and from two steps making one as
often as it takes: no sines, no cases for under-, critical and over-damping, no difference of nearly equal numbers.
"""

from __future__ import annotations

TERMS = 24  # of the power series; it ends before
SHORT = 1.0  # θ + 2β of a step that is short
SMALL = 2.0**-60
INVERSE = (0.0, *(1.0 / k for k in range(1, 32)))


def propagator(theta: float, zeta: float) -> tuple[float, float, float, float]:
    """σ, φ₀, φ₁, φ₂ of a step, for any damping ratio ζ ≥ 0.

    >>> propagator(1e-9, 0.05)[:2]
    (0.99999999995, 0.49999999998333333)
    """
    beta = zeta * theta
    halvings = 0
    while theta + 2.0 * beta > SHORT:
        theta *= 0.5
        beta *= 0.5
        halvings += 1
    # g(xh)/h = Σ pₖ xᵏ, by the differential equation; its end and its moments.
    before, term = 0.0, 1.0
    sigma, phi0, phi1, phi2 = 1.0, 1.0 / 2.0, 1.0 / 3.0, 1.0 / 4.0
    for k in range(2, TERMS):
        # Products of constants first: they do not wait for the last term.
        after = -((2.0 * beta * INVERSE[k]) * term + (theta * theta * INVERSE[k] * INVERSE[k - 1]) * before)
        before, term = term, after
        sigma += term
        phi0 += INVERSE[k + 1] * term
        phi1 += INVERSE[k + 2] * term
        phi2 += INVERSE[k + 3] * term
        if abs(term) + abs(before) < SMALL:
            break
    for _ in range(halvings):
        # In the second step the impulse response starts at σ with the slope vv: the parts of it and their moments.
        vv = 1.0 - theta * theta * phi0 - 2.0 * beta * sigma
        moment0 = sigma * (sigma + 2.0 * beta * phi0) + vv * phi0
        moment1 = sigma * (sigma - phi0 + 2.0 * beta * phi1) + vv * phi1
        moment2 = sigma * (sigma - 2.0 * phi1 + 2.0 * beta * phi2) + vv * phi2
        sigma *= vv + beta * sigma
        phi2 = 0.0625 * (phi2 + moment0 + 2.0 * moment1 + moment2)
        phi1 = 0.125 * (phi1 + moment0 + moment1)
        phi0 = 0.25 * (phi0 + moment0)
        theta *= 2.0
        beta *= 2.0
    return sigma, phi0, phi1, phi2
