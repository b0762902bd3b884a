"""Local maps of :class:`hamex.model.laws.j2.J2` and :class:`hamex.model.laws.drucker_prager.DruckerPrager`: the
stresses of a point of a solid, with isotropic elasticity.

The question is ``A F + τ g(F) ∋ e``. With the von Mises norm q of ``F − X``, the mean stress p and the multiplier λ of
the time τ, the law is

    κ λ = ⟨q + α p − limit − H w⟩,    slip = λ (∂q/∂F + α ∂p/∂F),    X = Hk M⁺ slip,    w grows by λ,

κ = η/τ and q² = ξᵀMξ. Isotropic elasticity leaves the direction of the deviator alone, so that λ is a quotient; where
the deviator would turn over, the force is on the axis of the cone, and any slip up to the growth of w goes with it (its
apex, when κ = 0). A start below no slip, which a stage of several may see, is a cone whose tip has passed its base, and
nothing else. In plane stress the sum of the normal stresses returns at another pace than the rest: one equation.

A row of P holds, all times the volume of the point: bulk modulus (plane stress: stiffness of the sum, E/(1 − ν)),
shear modulus, limit, α (a plain number), κ, Hk and H. Of ``work``, row 0 holds the elastic trial deformation, and row 1
the distance ξ from the back force, then the direction n = ∂q/∂F.
"""

from __future__ import annotations

import math

from hamex.model.laws.law import Array

HEAD = 8  # entries of I before the blocks, see hamex.march.springs
SPRINGS = 6  # entry of I that tells the springs of the group
VARIABLES = 2  # per spring: slip, accumulated slip (that of the block stands at its first spring)
ELASTIC, FLOWS, APEX = 0, 1, 2
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
    forced: bool,
    F: Array,
    T: Array,
    dz: Array,
    branch: Array,
    work: Array,
) -> bool:
    """All points of a group: blocks of 6, 4 or 3 stresses."""
    blocks, width, changed = I[begin], I[begin + 1], False
    m = I[begin + SPRINGS] // blocks
    for i in range(blocks):
        first, r = I[begin + HEAD + i], row + width * i
        o, place = I[begin + 3] + VARIABLES * m * i, I[begin + 4] + m * m * i
        for a in range(m):
            work[0, a] = (e0[first + a] + reach * dx[first + a]) - z[o + VARIABLES * a]
        if m == 3:
            piece = plane_return(P, r, first, o, place, z, F, T, dz, work)
        else:
            piece = cone_return(P, r, m, first, o, place, z, F, T, dz, work)
        if piece != branch[first]:
            branch[first] = piece
            changed = True
    return changed


def cone_return(
    P: Array, r: int, m: int, first: int, o: int, place: int, z: Array, F: Array, T: Array, dz: Array, work: Array
) -> int:
    """One point with three normal stresses, and all shear stresses or one; returns its branch."""
    bulk, shear, alpha, hard = P[r], P[r + 1], P[r + 3], P[r + 5]
    limit = P[r + 2] + P[r + 6] * z[o + 1]
    trace = work[0, 0] + work[0, 1] + work[0, 2]
    pressed = bulk * trace
    moved = (z[o] + z[o + VARIABLES] + z[o + 2 * VARIABLES]) / 3.0
    size = 0.0
    for a in range(m):
        if a < 3:
            F[first + a] = 2.0 * shear * (work[0, a] - trace / 3.0)
            work[1, a] = F[first + a] - hard * (2.0 / 3.0) * (z[o + VARIABLES * a] - moved)
            size += work[1, a] * work[1, a]
        else:
            F[first + a] = shear * work[0, a]
            work[1, a] = F[first + a] - hard * z[o + VARIABLES * a] / 3.0
            size += 2.0 * (work[1, a] * work[1, a])
    q = math.sqrt(1.5 * size)
    beyond = alpha * pressed - limit  # what is left of the excess where q vanishes
    axial, radial = P[r + 4] + P[r + 6] + bulk * alpha * alpha, 3.0 * shear + hard
    piece, rate, turned, flow, share, normal = ELASTIC, 0.0, 0.0, 0.0, 0.0, 0.0
    if q + beyond > 0.0:
        if radial * beyond < q * axial:
            piece, rate = FLOWS, 1.0 / (axial + radial)
            flow = (q + beyond) * rate
            turned, share, normal = rate, 3.0 * shear * flow / q, 1.5 / q
        else:
            piece, rate = APEX, 1.0 / axial
            flow, share = beyond * rate, 3.0 * shear / radial
    for a in range(m):
        back = share * work[1, a]
        F[first + a] -= back
        if a < 3:
            F[first + a] += pressed - bulk * alpha * flow
            dz[o + VARIABLES * a] = back / (2.0 * shear) + alpha * flow / 3.0
        else:
            dz[o + VARIABLES * a] = back / shear
        dz[o + VARIABLES * a + 1] = 0.0
        work[1, a] *= normal
    dz[o + 1] = flow
    along = 4.0 * shear * (shear * (flow * normal / 1.5) - shear * turned)
    cross = -2.0 * shear * bulk * alpha * turned
    bulk -= bulk * alpha * (bulk * alpha * rate)
    cone_tangent(m, place, bulk, 2.0 * shear * (1.0 - share), along, cross, T, work)
    return piece


def cone_tangent(
    m: int, place: int, bulk: float, shear: float, along: float, cross: float, T: Array, work: Array
) -> None:
    """T = bulk 1 1ᵀ + shear · deviator + along n nᵀ + cross (n 1ᵀ + 1 nᵀ), n in row 1 of the work space."""
    for a in range(m):
        for b in range(m):
            total = along * (work[1, a] * work[1, b])
            if a < 3 and b < 3:
                total += (bulk - shear / 3.0) + cross * (work[1, a] + work[1, b])
            elif a < 3:
                total += cross * work[1, b]
            elif b < 3:
                total += cross * work[1, a]
            if a == b:
                total += shear if a < 3 else 0.5 * shear
            T[place + m * a + b] = total


def plane_return(
    P: Array, r: int, first: int, o: int, place: int, z: Array, F: Array, T: Array, dz: Array, work: Array
) -> int:
    """One point in plane stress; returns its branch.

    Sum and difference of the normal stresses, and the shear stress, return by themselves: with the multiplier θ = λ/q
    each is what it was over 1 + bθ, b = k/2 + Hk of the sum, b = 3G + Hk of the others.
    """
    k, shear, hard, kappa = P[r], P[r + 1], P[r + 5], P[r + 4] + P[r + 6]
    limit = P[r + 2] + P[r + 6] * z[o + 1]
    total, apart, turn = k * (work[0, 0] + work[0, 1]), 2.0 * shear * (work[0, 0] - work[0, 1]), shear * work[0, 2]
    xs = total - hard * 2.0 * (z[o] + z[o + VARIABLES])
    xd = apart - hard * (2.0 / 3.0) * (z[o] - z[o + VARIABLES])
    xt = turn - hard * z[o + 2 * VARIABLES] / 3.0
    A, B = 0.25 * (xs * xs), 0.75 * (xd * xd) + 3.0 * (xt * xt)
    a, b = 0.5 * k + hard, 3.0 * shear + hard
    piece, f, g, grown, bend = ELASTIC, 0.0, 0.0, 0.0, 0.0  # f = θ/(1 + aθ), g = θ/(1 + bθ)
    v, w = 1.0, 1.0
    if limit < 0.0 and kappa * math.sqrt(A / (a * a) + B / (b * b)) <= -limit:
        piece, f, g, grown = APEX, 1.0 / a, 1.0 / b, -limit / kappa
    elif math.sqrt(A + B) > limit:
        piece, theta = FLOWS, multiplier(A, B, a, b, limit, kappa)
        v, w = 1.0 + a * theta, 1.0 + b * theta
        f, g = theta / v, theta / w
        q = math.sqrt(A / (v * v) + B / (w * w))
        grown = theta * q
        bend = limit / (kappa * (q * q * q) + limit * (A * a / (v * v * v) + B * b / (w * w * w)))
    ds, dd, dt = 0.5 * f * xs, 1.5 * g * xd, 3.0 * g * xt
    dz[o], dz[o + VARIABLES], dz[o + 2 * VARIABLES] = 0.5 * (ds + dd), 0.5 * (ds - dd), dt
    dz[o + 1], dz[o + VARIABLES + 1], dz[o + 2 * VARIABLES + 1] = grown, 0.0, 0.0
    total -= k * ds
    apart -= 2.0 * shear * dd
    F[first], F[first + 1], F[first + 2] = 0.5 * (total + apart), 0.5 * (total - apart), turn - shear * dt
    us, ud = 0.5 * k * xs / (v * v), 3.0 * shear * xd / (w * w)
    work[1, 0], work[1, 1], work[1, 2] = 0.5 * (us + ud), 0.5 * (us - ud), 3.0 * shear * xt / (w * w)
    ts, td = k * (1.0 - 0.5 * k * f), 2.0 * shear * (1.0 - 3.0 * shear * g)
    for i in range(3):
        for j in range(3):
            T[place + 3 * i + j] = -bend * (work[1, i] * work[1, j])
    T[place] += 0.5 * (ts + td)
    T[place + 4] += 0.5 * (ts + td)
    T[place + 1] += 0.5 * (ts - td)
    T[place + 3] += 0.5 * (ts - td)
    T[place + 8] += 0.5 * td
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
