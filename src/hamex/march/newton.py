"""One step of a structure: the minimum of a strictly convex potential, by semismooth Newton with a line search.

Every scheme of one stage asks for the increment x of the displacements in

    S x + weight · B F(e₀ + reach · dx) = r,    dx = Bᵀx + what moving supports add

where F is the springs' local map. S + weight·reach · B T Bᵀ is positive definite (the scheme sees to it beforehand), so
the left side is the gradient of a strictly convex potential Φ. Full Newton steps can cycle; a step that goes no further
than Φ falls along the line cannot. Where all laws are straight on each branch, the step ends when the signed branches
repeat, which is exact; else when the residual is at round-off.

Under displacement control the increment also obeys ``pull · x = given``. The start obeys it, every direction keeps it,
and Φ falls on what is left; the multiplier of the constraint is the load factor.

Where one solution is not promised (``reported``), Φ may have no minimum. A tangent that is not positive definite then
leads to where the gradient vanishes, by steps that make it smaller, and the step says that its solution may be one of
several. Such steps may go round in circles, as beside a hinge that snaps back; those that last too long go down Φ
instead, with the falling tangents held at zero: to a minimum, which is where inertia would come to rest.
"""

from __future__ import annotations

from typing import Any

from hamex.march import tables as t
from hamex.march.matrices import backsolve, capped, copied, filled, product
from hamex.march.matrices import factorise as factorise_band
from hamex.march.run import at, invoke
from hamex.march.springs import evaluate

Array = Any

SETTLED = 0.1  # a line search ends where the slope has fallen to this share
ROUND_OFF = 2e-14  # of the terms of a row: the residual that arithmetic leaves
_CANCELLED = 0.05  # and of terms that cancel before they enter the row, which leave a few bits only
_MOST = 500  # Newton steps; hard frames need about 10
_HALVINGS = 12  # of a step towards a zero of the gradient
_PATIENCE = 40  # Newton steps towards one; from then on down Φ
WASTE = 2e-14  # of the work of a step: what its residual may do
AGAIN = 4  # solves that make it smaller; each gains the digits that the matrix has left


def stretch(N: Array, J: Array, R: Array, x: Array, out: Array) -> None:
    """out = Bᵀ x."""
    begin, dof, share = N[t.BEGIN], J[t.DOF], R[t.SHARE]
    for j in range(N[t.HEAD][t.SPRINGS]):
        total = 0.0
        for m in range(begin[j], begin[j + 1]):
            total += share[m] * x[dof[m]]
        out[j] = total


def asked(N: Array, R: Array, z: Array, forced: int, F: Array) -> bool:
    """Ask the springs at the deformation placed; True when a branch changed."""
    scheme = R[t.NUMBERS]
    return evaluate(
        N[t.GROUPS],
        N[t.LAWS],
        R[t.LAW],
        R[t.E0],
        R[t.DX],
        scheme[t.REACH],
        scheme[t.TAU],
        z,
        forced,
        F,
        R[t.T],
        R[t.DZ],
        N[t.BRANCH],
        R[t.BLOCK],
    )


def gradient(N: Array, J: Array, R: Array, F: Array) -> float:
    """g = S x + weight B F − r − factor·pull; returns the largest |g| relative to the terms of the rows.

    A row that vanishes by symmetry has terms of round-off only, so the largest row is the measure of all.
    """
    g, size, Sx, r, unit, noise = R[t.G], R[t.SIZE], R[t.SX], R[t.RIGHT], R[t.UNIT], R[t.NOISE]
    begin, dof, shares, weight, n = N[t.BEGIN], J[t.DOF], R[t.SHARE], R[t.NUMBERS][t.WEIGHT], N[t.HEAD][t.DOFS]
    for i in range(n):
        g[i] = Sx[i] - r[i]
        size[i] = abs(Sx[i]) + abs(r[i])
    if N[t.HEAD][t.CONTROLLED]:
        pull, factor = R[t.PULL], R[t.MULTIPLIER][0]
        for i in range(n):
            g[i] -= factor * pull[i]
            size[i] += abs(factor * pull[i])
    for j in range(N[t.HEAD][t.SPRINGS]):
        for m in range(begin[j], begin[j + 1]):
            share = weight * shares[m]
            g[dof[m]] += share * F[j]
            size[dof[m]] += abs(share) * (abs(F[j]) + noise[j])
    worst, largest = 0.0, 0.0
    for i in range(n):
        worst = max(worst, abs(g[i]) * unit[i])
        largest = max(largest, size[i] * unit[i])
    return worst / largest if largest > 0.0 else 0.0


def sizes(N: Array, J: Array, R: Array, u: Array, z: Array) -> None:
    """noise = k (|B|ᵀ|u| + |slip|), spring by spring, weighed as what cancels: the measure of round-off."""
    begin, slip, dof, share, stiff, noise = N[t.BEGIN], N[t.SLIP], J[t.DOF], R[t.SHARE], R[t.STIFF], R[t.NOISE]
    for j in range(N[t.HEAD][t.SPRINGS]):
        total = abs(z[slip[j]])
        for m in range(begin[j], begin[j + 1]):
            total += abs(share[m] * u[dof[m]])
        noise[j] = _CANCELLED * stiff[j] * total


def placed(N: Array, R: Array, alpha: float) -> None:
    """The deformation increment at x + α d."""
    moved, ex, ed, dx = R[t.MOVED], R[t.EX], R[t.ED], R[t.DX]
    for j in range(N[t.HEAD][t.SPRINGS]):
        dx[j] = moved[j] + (ex[j] + alpha * ed[j])


def newton(N: Array, J: Array, R: Array, k: int, node: int) -> float:
    """Solve step k: x, F, dz and branches are filled; x and the branches hold the guess on entry, RIGHT, E0, MOVED and
    NOISE the question, and ``node`` is 1 where forces belong to the end of a step.

    COUNT gathers linear solves, factorisations and line-search points, and whether the tangent at a solution was not
    positive definite. Returns the relative residual that is left (0 where the branches repeated), or −1 − (row of a
    pivot that is not positive), or infinity on failure.
    """
    head, count, scheme, springs = N[t.HEAD], N[t.COUNT], R[t.NUMBERS], N[t.HEAD][t.SPRINGS]
    z, F = at(R[t.STATE], k * head[t.STATES]), at(R[t.FORCE], (k + node) * springs)
    product(N, J, R, 0, head[t.DOFS], R[t.X], R[t.SX])
    stretch(N, J, R, R[t.X], R[t.EX])
    filled(springs, 0.0, R[t.ED])  # the guess lies along no direction yet, and nothing times an overflow is NaN
    placed(N, R, 0.0)
    guess = head[t.SAFEGUARDED] != 0
    asked(N, R, z, head[t.YES], F)
    worst = gradient(N, J, R, F)
    before, left, again, iteration = worst, float("inf"), 0, 0
    for iteration in range(_MOST):
        code = renewed(N, J, R)
        if code > 0.0:
            left = -code
            break
        down = iteration >= _PATIENCE and head[t.REPORTED] != 0
        if down and count[t.UNCERTAIN] != 0:
            convex(N, J, R)
        slope0 = direction(N, J, R)
        placed(N, R, 1.0)
        # The full step first.
        changed = asked(N, R, z, head[t.NO], F)
        alpha = 1.0
        exact = head[t.SAFEGUARDED] != 0 and head[t.STRAIGHT] != 0 and not changed and not down
        if head[t.SAFEGUARDED] != 0 and not (guess or exact):
            alpha = search(N, J, R, z, F, slope0) if count[t.UNCERTAIN] == 0 else smaller(N, J, R, z, F, worst)
        guess = False
        advance(N, R, alpha)
        if exact and head[t.LONG] == 0:
            left = 0.0
            break
        worst = gradient(N, J, R, F)
        if head[t.SAFEGUARDED] == 0:
            if longest(head[t.DOFS], R[t.D]) <= scheme[t.TOLERANCE]:
                left = worst
                break
            if iteration + 1 == head[t.ITERATIONS]:
                break
        # At round-off, or stuck just above it: nothing more can be gained.
        elif exact or worst <= scheme[t.ENOUGH] or (worst <= 1e3 * scheme[t.ENOUGH] and worst >= 0.5 * before):
            left = 0.0 if exact else worst
            if again == AGAIN or waste(N, R) <= scheme[t.WASTED]:
                break
            again += 1
        before = worst
    if head[t.REPORTED] != 0 and left >= 0.0:
        renewed(N, J, R)
        if iteration >= _PATIENCE:
            count[t.UNCERTAIN] = 1
            R[t.FACTORED][0] = float("nan")  # the next step asks anew
    return left


def renewed(N: Array, J: Array, R: Array) -> float:
    """Factor the tangent unless it is the last one; returns 0, or 1 + the row whose pivot is not positive."""
    head, count, tangents, factored = N[t.HEAD], N[t.COUNT], R[t.T], R[t.FACTORED]
    if same(head[t.TANGENTS], tangents, factored):
        return 0.0
    copied(head[t.TANGENTS], tangents, factored)
    code = invoke(N[t.CALL][t.FACTORISE], (N, J, R))
    count[t.FACTORS] += 1
    if code > 0.0 and head[t.REPORTED] == 0:
        factored[0] = float("nan")  # equal to nothing: the next step factors anew
        return code
    count[t.UNCERTAIN] = 1 if code > 0.0 else 0
    if head[t.CONTROLLED]:
        copied(head[t.DOFS], R[t.PULL], R[t.Z])
        invoke(N[t.CALL][t.SOLVE], (N, J, R, t.Z))
    return 0.0


def convex(N: Array, J: Array, R: Array) -> None:
    """Factor a tangent that is positive definite in place of one that is not: without what falls, else the elastic."""
    head, tangents = N[t.HEAD], R[t.T]
    for j in range(head[t.SPRINGS]):
        tangents[j] = max(tangents[j], 0.0)
    renewed(N, J, R)
    if N[t.COUNT][t.UNCERTAIN] != 0:
        copied(head[t.TANGENTS], R[t.ELASTIC], tangents)
        renewed(N, J, R)


def same(n: int, x: Array, y: Array) -> bool:
    """True when all entries are equal."""
    i = 0
    while i < n and x[i] == y[i]:
        i += 1
    return i == n


def against(n: int, x: Array, out: Array) -> None:
    """out = −x."""
    for i in range(n):
        out[i] = -x[i]


def along(n: int, x: Array, y: Array) -> float:
    """xᵀy."""
    total = 0.0
    for i in range(n):
        total += x[i] * y[i]
    return total


def direction(N: Array, J: Array, R: Array) -> float:
    """Newton's direction d with S d and Bᵀ d; returns the slope of Φ along it."""
    n, d, g = N[t.HEAD][t.DOFS], R[t.D], R[t.G]
    against(n, g, d)
    if invoke(N[t.CALL][t.SOLVE], (N, J, R, t.D)) != 0.0:
        R[t.FACTORED][0] = float("nan")  # an error in a solver of Python: factoring will fail too
    N[t.COUNT][t.SOLVES] += 1
    if N[t.HEAD][t.CONTROLLED]:
        constrain(n, R[t.PULL], R[t.Z], R[t.MULTIPLIER], d)
    slope0 = along(n, d, g)
    product(N, J, R, 0, n, d, R[t.SD])
    stretch(N, J, R, d, R[t.ED])
    return slope0


def waste(N: Array, R: Array) -> float:
    """Work of the residual on the increment, relative to that of inertia and load: what it takes out of the energy
    balance. Springs are no measure of it: where they are stiff, most of their work is done against each other."""
    x, g, r, Sx = R[t.X], R[t.G], R[t.RIGHT], R[t.SX]
    lost, size = 0.0, 0.0
    for i in range(N[t.HEAD][t.DOFS]):
        lost += x[i] * g[i]
        size += abs(x[i]) * (abs(r[i]) + abs(Sx[i]))
    return abs(lost) / size if size > 0.0 else 0.0


def longest(n: int, d: Array) -> float:
    """Largest |d|."""
    size = 0.0
    for i in range(n):
        size = max(size, abs(d[i]))
    return size


def constrain(n: int, pull: Array, z: Array, factor: Array, d: Array) -> None:
    """Take the constrained combination out of d, and put the multiplier that does it into ``factor``."""
    moved, across = 0.0, 0.0
    for i in range(n):
        moved += pull[i] * d[i]
        across += pull[i] * z[i]
    for i in range(n):
        d[i] -= moved / across * z[i]
    factor[0] -= moved / across


def advance(N: Array, R: Array, alpha: float) -> None:
    """x += α d, with S x and Bᵀx."""
    x, d, Sx, Sd, ex, ed = R[t.X], R[t.D], R[t.SX], R[t.SD], R[t.EX], R[t.ED]
    for i in range(N[t.HEAD][t.DOFS]):
        x[i] += alpha * d[i]
        Sx[i] += alpha * Sd[i]
    for j in range(N[t.HEAD][t.SPRINGS]):
        ex[j] += alpha * ed[j]


def search(N: Array, J: Array, R: Array, z: Array, F: Array, slope0: float) -> float:
    """Length of the step along d: the slope of Φ there is at most a tenth of the first, and Φ is lower.

    The springs are evaluated at the point returned.
    """
    low, high, alpha, count = 0.0, 1.0, 1.0, N[t.COUNT]
    slope_low, slope_high = slope0, slope(N, R, F, 1.0)
    count[t.SEARCHES] += 1
    if slope_high <= 0.0:
        return 1.0
    weight_low = slope_low
    for trial in range(60):
        # Regula falsi (Illinois) towards a slope of half the limit, on the falling side; halving keeps it honest.
        aim = 0.5 * SETTLED * slope0
        if trial % 3 == 2:
            alpha = 0.5 * (low + high)
        else:
            alpha = low + (high - low) * (aim - weight_low) / (slope_high - weight_low)
        if not low < alpha < high:
            alpha = 0.5 * (low + high)
        placed(N, R, alpha)
        asked(N, R, z, N[t.HEAD][t.NO], F)
        slope_here = slope(N, R, F, alpha)
        count[t.SEARCHES] += 1
        if slope_here > 0.0:
            high, slope_high = alpha, slope_here
            weight_low = 0.5 * weight_low if trial > 0 else weight_low
        else:
            low, slope_low, weight_low = alpha, slope_here, slope_here
            if slope_here >= SETTLED * slope0:
                # Φ has fallen by α·|slope_here| at least. The rising end is better where it is flatter and Φ falls
                # there too: full steps that overshoot a little then stay quadratic.
                if slope_high < -slope_here and (high - alpha) * slope_high < -alpha * slope_here:
                    low = high
                    break
                return alpha
    if low == 0.0:
        low = alpha
    placed(N, R, low)
    asked(N, R, z, N[t.HEAD][t.NO], F)
    return low


def smaller(N: Array, J: Array, R: Array, z: Array, F: Array, worst: float) -> float:
    """Length of a step towards a zero of the gradient: halved until that is smaller than ``worst``; whole if it never
    is.

    The springs are evaluated at the point returned.
    """
    alpha = 1.0
    for _ in range(_HALVINGS):
        advance(N, R, alpha)
        residual = gradient(N, J, R, F)
        advance(N, R, -alpha)
        N[t.COUNT][t.SEARCHES] += 1
        if residual < worst:
            return alpha
        alpha *= 0.5
        placed(N, R, alpha)
        asked(N, R, z, N[t.HEAD][t.NO], F)
    placed(N, R, 1.0)
    asked(N, R, z, N[t.HEAD][t.NO], F)
    return 1.0


def slope(N: Array, R: Array, F: Array, alpha: float) -> float:
    """dΦ/dα along d."""
    total = 0.0
    d, Sx, Sd, r, ed, weight = R[t.D], R[t.SX], R[t.SD], R[t.RIGHT], R[t.ED], R[t.NUMBERS][t.WEIGHT]
    for i in range(N[t.HEAD][t.DOFS]):
        total += d[i] * (Sx[i] + alpha * Sd[i] - r[i])
    for j in range(N[t.HEAD][t.SPRINGS]):
        total += weight * ed[j] * F[j]
    return total


def factorise(N: Array, J: Array, R: Array) -> int:
    """Factor the band at the tangents T, and its low-rank part, which is that of S."""
    head, n = N[t.HEAD], N[t.HEAD][t.DOFS]
    bad = factorise_band(
        n, head[t.COLUMNS], R[t.BASE], head[t.CONTRIBUTIONS], N[t.PLACE], N[t.SOURCE], R[t.OF_T], R[t.T], R[t.BAND]
    )
    worse = capped(n, head[t.COLUMNS], R[t.BAND], head[0], R[t.LOW], R[t.LOW_WEIGHT], R[t.SPREAD], R[t.CAP])
    return bad if bad != 0 else worse


def solve(N: Array, J: Array, R: Array, slot: int) -> int:
    """Put A⁻¹x in the place of the vector in a slot."""
    head = N[t.HEAD]
    backsolve(head[t.DOFS], head[t.COLUMNS], R[t.BAND], head[0], R[t.LOW], R[t.SPREAD], R[t.CAP], R[slot], R[t.SMALL])
    return 0
