"""Local maps of :class:`hamex.model.laws.stress.J2` and :class:`hamex.model.laws.stress.DruckerPrager`: the
stresses of a point of a solid, with isotropic elasticity.

The question is ``A F + τ g(F) ∋ e``. With the von Mises norm q of ``F − X``, the mean stress p and the multiplier λ of
the time τ, the law is

    κ λ = ⟨q + α p − limit − H w⟩,    slip = λ (∂q/∂F + α ∂p/∂F),    X = Hk M⁺ slip,    w grows by λ,

κ = η/τ and q² = ξᵀMξ. Isotropic elasticity leaves the direction of the deviator alone, so that λ is a quotient; where
the deviator would turn over, the force is on the axis of the cone, and any slip up to the growth of w goes with it (its
apex, when κ = 0). A start below no slip, which a stage of several may see, is a cone whose tip has passed its base, and
nothing else. In plane stress the sum of the normal stresses returns at another pace than the rest: one equation.

A row of P holds, all times the volume of the point: bulk modulus (plane stress: stiffness of the sum, E/(1 − ν)),
shear modulus, limit, α (a plain number), κ, Hk and H. The state of a spring is its slip, its back force in laws that
have one, and last the accumulated slip, that of the block at its first spring. Of ``work``, row 0 holds the elastic
trial deformation, and row 1 the distance ξ from the back force.
"""

from __future__ import annotations

import math

from hamex.model.laws.ellipsoids import WIDEST
from hamex.model.laws.law import Array

HEAD = 8  # entries of I before the blocks, see hamex.march.springs
SPRINGS = 6  # entry of I that tells the springs of the group
ELASTIC, FLOWS, APEX = 0, 1, 2  # branches of a block, told at its first spring
_NEWTON = 50  # far more than the 3 to 5 iterations of the equation of plane stress


def at(
    I: Array,
    begin: int,
    P: Array,
    row: int,
    e0: Array,
    dx: Array,
    reach: float,
    tau: float,
    z: Array,
    forced: int,
    F: Array,
    T: Array,
    dz: Array,
    branch: Array,
    work: Array,
) -> bool:
    """All points of a group: blocks of 6, 4 or 3 stresses."""
    blocks, width, many, changed = I[begin], I[begin + 1], I[begin + 2], False
    m = I[begin + SPRINGS] // blocks
    for i in range(blocks):
        first, r = I[begin + HEAD + i], row + width * i
        o, place = I[begin + 3] + many * m * i, I[begin + 4] + m * m * i
        for a in range(m):
            work[a] = (e0[first + a] + reach * dx[first + a]) - z[o + many * a]
            F[first + a] = z[o + many * a + 1] if many == 3 else 0.0
            for v in range(many):
                dz[o + many * a + v] = 0.0
        if m == 3:
            piece = plane_return(P, r, first, o, many, place, z, F, T, dz, work)
        else:
            piece = cone_return(P, r, m, first, o, many, place, z, F, T, dz, work)
        if piece != branch[first]:
            branch[first] = piece
            changed = True
    return changed


def cone_return(
    P: Array,
    r: int,
    m: int,
    first: int,
    o: int,
    many: int,
    place: int,
    z: Array,
    F: Array,
    T: Array,
    dz: Array,
    work: Array,
) -> int:
    """One point with three normal stresses, and all shear stresses or one; returns its branch. F holds the back force.

    The distance ξ keeps a share of what it was, and slip is a multiple of it; both are written without differences of
    large numbers, so that a trial far outside costs no digits.
    """
    bulk, shear, alpha, hard = P[r], P[r + 1], P[r + 3], P[r + 5]
    limit, firm = P[r + 2] + P[r + 6] * z[o + many - 1], P[r + 4] + P[r + 6]
    trace = work[0] + work[1] + work[2]
    size = 0.0
    for a in range(m):
        if a < 3:
            work[WIDEST + a] = 2.0 * shear * (work[a] - trace / 3.0) - F[first + a]
            size += work[WIDEST + a] * work[WIDEST + a]
        else:
            work[WIDEST + a] = shear * work[a] - F[first + a]
            size += 2.0 * (work[WIDEST + a] * work[WIDEST + a])
    q, pressed = math.sqrt(1.5 * size), bulk * trace
    beyond = alpha * pressed - limit  # what is left of the excess where q vanishes
    axial, radial = firm + bulk * alpha * alpha, 3.0 * shear + hard
    piece, flow, left, slid, along, cross = ELASTIC, 0.0, 1.0, 0.0, 0.0, 0.0
    if q + beyond > 0.0 and radial * beyond < q * axial:
        piece, rate = FLOWS, 1.0 / (axial + radial)
        flow = (q + beyond) * rate
        slid = 1.5 * flow / q
        left = (axial * q - radial * beyond) * rate / q
        along, cross = 9.0 * shear * (shear * beyond * rate) / (q * q * q), -3.0 * shear * bulk * alpha * rate / q
        pressed = (pressed * (firm + radial) - bulk * alpha * (q - limit)) * rate
        bulk *= (firm + radial) * rate
    elif q + beyond > 0.0:
        piece, rate = APEX, 1.0 / axial
        flow, slid, left = beyond * rate, 1.5 / radial, 0.0
        pressed = (pressed * firm + bulk * alpha * limit) * rate
        bulk *= firm * rate
    hardened = hard * (2.0 / 3.0) * slid
    for a in range(m):
        if many == 3:
            dz[o + many * a + 1] = hardened * work[WIDEST + a]
        F[first + a] += (left + hardened) * work[WIDEST + a]
        if a < 3:
            F[first + a] += pressed
            dz[o + many * a] = slid * work[WIDEST + a] + alpha * flow / 3.0
        else:
            dz[o + many * a] = 2.0 * slid * work[WIDEST + a]
    dz[o + many - 1] = flow
    cone_tangent(m, place, bulk, 2.0 * shear * (left + hardened), along, cross, T, work)
    return piece


def cone_tangent(
    m: int, place: int, bulk: float, shear: float, along: float, cross: float, T: Array, work: Array
) -> None:
    """T = bulk 1 1ᵀ + shear · deviator + along ξ ξᵀ + cross (ξ 1ᵀ + 1 ξᵀ), ξ in row 1 of the work space."""
    for a in range(3):
        for b in range(3):
            T[place + m * a + b] = (
                along * (work[WIDEST + a] * work[WIDEST + b])
                + cross * (work[WIDEST + a] + work[WIDEST + b])
                + (bulk - shear / 3.0)
            )
        T[place + m * a + a] += shear
    for a in range(3, m):
        for b in range(3):
            T[place + m * a + b] = along * (work[WIDEST + a] * work[WIDEST + b]) + cross * work[WIDEST + a]
            T[place + m * b + a] = T[place + m * a + b]
        for b in range(3, m):
            T[place + m * a + b] = along * (work[WIDEST + a] * work[WIDEST + b])
        T[place + m * a + a] += 0.5 * shear


def plane_return(
    P: Array, r: int, first: int, o: int, many: int, place: int, z: Array, F: Array, T: Array, dz: Array, work: Array
) -> int:
    """One point in plane stress; returns its branch. F holds the back force.

    Sum and difference of the normal stresses, and the shear stress, return by themselves: with the multiplier θ = λ/q
    each is what it was over 1 + bθ, b = k/2 + Hk of the sum, b = 3G + Hk of the others.
    """
    k, shear, hard, kappa = P[r], P[r + 1], P[r + 5], P[r + 4] + P[r + 6]
    limit = P[r + 2] + P[r + 6] * z[o + many - 1]
    bs, bd, bt = F[first] + F[first + 1], F[first] - F[first + 1], F[first + 2]
    xs, xd = k * (work[0] + work[1]) - bs, 2.0 * shear * (work[0] - work[1]) - bd
    xt = shear * work[2] - bt
    A, B = 0.25 * (xs * xs), 0.75 * (xd * xd) + 3.0 * (xt * xt)
    a, b = 0.5 * k + hard, 3.0 * shear + hard
    # Slip per distance, and the share of the distance that is left in the force: of the sum, and of the others.
    piece, f, g, left, kept, grown, bend, v, w = ELASTIC, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0
    if limit < 0.0 and kappa * math.sqrt(A / (a * a) + B / (b * b)) <= -limit:
        piece, f, g, left, kept, grown = APEX, 1.0 / a, 1.0 / b, hard / a, hard / b, -limit / kappa
    elif math.sqrt(A + B) > limit:
        piece, theta = FLOWS, multiplier(A, B, a, b, limit, kappa)
        v, w = 1.0 + a * theta, 1.0 + b * theta
        f, g, left, kept = theta / v, theta / w, (1.0 + hard * theta) / v, (1.0 + hard * theta) / w
        q = math.sqrt(A / (v * v) + B / (w * w))
        grown = theta * q
        bend = limit / (kappa * (q * q * q) + limit * (A * a / (v * v * v) + B * b / (w * w * w)))
    ds, dd = 0.5 * f * xs, 1.5 * g * xd
    dz[o], dz[o + many], dz[o + 2 * many] = 0.5 * (ds + dd), 0.5 * (ds - dd), 3.0 * g * xt
    if many == 3:
        hs, hd = hard * f * xs, hard * g * xd
        dz[o + 1], dz[o + many + 1], dz[o + 2 * many + 1] = 0.5 * (hs + hd), 0.5 * (hs - hd), hard * g * xt
    dz[o + many - 1] = grown
    fs, fd = bs + left * xs, bd + kept * xd
    F[first], F[first + 1], F[first + 2] = 0.5 * (fs + fd), 0.5 * (fs - fd), bt + kept * xt
    us, ud = 0.5 * k * xs / (v * v), 3.0 * shear * xd / (w * w)
    work[WIDEST], work[WIDEST + 1], work[WIDEST + 2] = 0.5 * (us + ud), 0.5 * (us - ud), 3.0 * shear * xt / (w * w)
    for i in range(3):
        for j in range(3):
            T[place + 3 * i + j] = -bend * (work[WIDEST + i] * work[WIDEST + j])
    same, across = 0.5 * k * left + shear * kept, 0.5 * k * left - shear * kept
    T[place] += same
    T[place + 4] += same
    T[place + 1] += across
    T[place + 3] += across
    T[place + 8] += shear * kept
    return piece


def multiplier(A: float, B: float, a: float, b: float, limit: float, kappa: float) -> float:
    """θ > 0 with limit/q(θ) = 1 − κθ, q² = A/(1 + aθ)² + B/(1 + bθ)².

    1/q is concave and grows, as any power mean of straight lines with exponent −2: Newton's steps from zero stay below
    the root, and from the zero of its asymptote they stay above it where the limit is negative.
    """
    theta = 0.0
    if limit < 0.0:
        far = math.sqrt(A / (a * a) + B / (b * b))
        shift = (A / (a * a * a) + B / (b * b * b)) / (far * far * far)
        theta = (1.0 - limit * shift) / (kappa + limit / far)
    for _ in range(_NEWTON):
        v, w = 1.0 + a * theta, 1.0 + b * theta
        q = math.sqrt(A / (v * v) + B / (w * w))
        left = limit / q - 1.0 + kappa * theta
        step = left / (limit * ((A * a / (v * v * v) + B * b / (w * w * w)) / (q * q * q)) + kappa)
        if abs(left) <= 4e-16 or abs(step) <= 2e-16 * theta:
            break
        theta -= step
    return theta
