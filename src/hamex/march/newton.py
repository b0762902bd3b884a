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

from typing import Any, NamedTuple

from hamex.march.matrices import Rows, copied, filled, product
from hamex.march.run import invoke as call_matrix  # its own name: a sparse solver takes its place
from hamex.march.springs import SpringGroups, evaluate

Array = Any

SETTLED = 0.1  # a line search ends where the slope has fallen to this share
ROUND_OFF = 2e-14  # of the terms of a row: the residual that arithmetic leaves
_CANCELLED = 0.05  # and of terms that cancel before they enter the row, which leave a few bits only
_MOST = 500  # Newton steps; hard frames need about 10
_HALVINGS = 12  # of a step towards a zero of the gradient
_PATIENCE = 40  # Newton steps towards one; from then on down Φ
WASTE = 2e-14  # of the work of a step: what its residual may do
AGAIN = 4  # solves that make it smaller; each gains the digits that the matrix has left
# Entries of ``count``.
SOLVES, FACTORS, SEARCHES, UNCERTAIN = 0, 1, 2, 3


class Matrix(NamedTuple):
    """The step's matrix S + weight·reach·B T Bᵀ behind two calls: ``factorise(data, T)`` takes tangents and returns 0
    or 1 + the row of a pivot that is not positive, ``solve(data, x, small)`` puts A⁻¹x in the place of x.

    What stands behind it, a band or a sparse factor, the step does not know; it makes products with S by itself.
    """

    factorise: int
    solve: int
    data: Any


class StepEquation(NamedTuple):
    """What every step shares: S, B by springs, and the scheme's three numbers."""

    S: Rows
    begin: Array
    dof: Array
    share: Array  # B, compressed columns: deformation of spring j is Σ share·u[dof]
    slip: Array  # place of each spring's slip in the state
    stiff: Array  # elastic stiffness of each spring by itself
    elastic: Array  # tangents when nothing slips
    unit: Array  # 1/√ of the elastic diagonal: makes rows of forces and of moments comparable
    pull: Array  # the constrained combination of increments; empty: none
    weight: float
    reach: float
    tau: float
    straight: bool  # every law is piecewise linear
    safeguarded: bool  # False: plain Newton-Raphson with the tolerance below
    reported: bool  # one solution is not promised, but watched
    cuts: bool  # a step in which a spring breaks is not taken whole
    long: bool  # springs outweigh masses so far that the matrix keeps few digits of the masses
    tolerance: float
    most: int
    enough: float  # relative residual at which a step ends: round-off, or what an iterative solver reaches
    wasted: float  # of the work of a step: what its residual may do


class Scratch(NamedTuple):
    """Work space of a step; nothing in it outlives the step but the factored tangent."""

    x: Array
    d: Array
    g: Array
    Sx: Array
    Sd: Array
    size: Array
    z: Array  # A⁻¹ pull
    r: Array
    e0: Array
    moved: Array  # increment of deformation by moving supports
    ex: Array
    ed: Array
    dx: Array  # deformation increment at which the springs are asked
    noise: Array  # per spring: force that cancels in its deformation, the measure of round-off
    dz: Array  # change of state
    T: Array
    factored: Array  # tangents of the last factorisation
    small: Array
    factor: Array  # multiplier of the constraint, one entry
    block: Array


def stretch(step: StepEquation, x: Array, out: Array) -> None:
    """out = Bᵀ x."""
    for j in range(len(out)):
        total = 0.0
        for m in range(step.begin[j], step.begin[j + 1]):
            total += step.share[m] * x[step.dof[m]]
        out[j] = total


def gradient(step: StepEquation, s: Scratch, F: Array) -> float:
    """s.g = S x + weight B F − r − factor·pull; returns the largest |g| relative to the terms of the rows.

    A row that vanishes by symmetry has terms of round-off only, so the largest row is the measure of all.
    """
    g, size = s.g, s.size
    for i in range(len(g)):
        g[i] = s.Sx[i] - s.r[i]
        size[i] = abs(s.Sx[i]) + abs(s.r[i])
    for i in range(len(step.pull)):
        g[i] -= s.factor[0] * step.pull[i]
        size[i] += abs(s.factor[0] * step.pull[i])
    for j in range(len(F)):
        for m in range(step.begin[j], step.begin[j + 1]):
            share = step.weight * step.share[m]
            g[step.dof[m]] += share * F[j]
            size[step.dof[m]] += abs(share) * (abs(F[j]) + s.noise[j])
    worst, largest = 0.0, 0.0
    for i in range(len(g)):
        worst = max(worst, abs(g[i]) * step.unit[i])
        largest = max(largest, size[i] * step.unit[i])
    return worst / largest if largest > 0.0 else 0.0


def sizes(step: StepEquation, u: Array, z: Array, noise: Array) -> None:
    """noise = k (|B|ᵀ|u| + |slip|), spring by spring, weighed as what cancels."""
    for j in range(len(noise)):
        total = abs(z[step.slip[j]])
        for m in range(step.begin[j], step.begin[j + 1]):
            total += abs(step.share[m] * u[step.dof[m]])
        noise[j] = _CANCELLED * step.stiff[j] * total


def placed(step: StepEquation, s: Scratch, alpha: float) -> None:
    """The deformation increment at x + α d."""
    for j in range(len(s.dx)):
        s.dx[j] = s.moved[j] + (s.ex[j] + alpha * s.ed[j])


def newton(
    step: StepEquation,
    matrix: Matrix,
    s: Scratch,
    springs: SpringGroups,
    z: Array,
    branch: Array,
    F: Array,
    count: Array,
) -> float:
    """Solve one step: s.x, F, s.dz and branch are filled; s.x and branch hold the guess on entry, s.r, s.e0, s.moved
    and s.noise the question.

    ``count`` gathers linear solves, factorisations and line-search points, and whether the tangent at a solution was
    not positive definite. Returns the relative residual that is left (0 where the branches repeated), or −1 − (row of a
    pivot that is not positive), or infinity on failure.
    """
    product(step.S, s.x, s.Sx)
    stretch(step, s.x, s.ex)
    filled(0.0, s.ed)  # the guess lies along no direction yet, and nothing times what an overflow left there is NaN
    placed(step, s, 0.0)
    guess = step.safeguarded
    held = step.tau > 0.0  # true; the compiler makes a copy of a function for every literal
    evaluate(springs, s.e0, s.dx, step.reach, step.tau, z, held, F, s.T, s.dz, branch, s.block)
    worst = gradient(step, s, F)
    before, left, again = worst, float("inf"), 0
    for iteration in range(_MOST):
        code = renewed(step, matrix, s, count)
        if code > 0.0:
            left = -code
            break
        down = iteration >= _PATIENCE and step.reported
        if down and count[UNCERTAIN] != 0:
            convex(step, matrix, s, count)
        slope0 = direction(step, matrix, s, count)
        placed(step, s, 1.0)
        # The full step first.
        changed = evaluate(springs, s.e0, s.dx, step.reach, step.tau, z, not held, F, s.T, s.dz, branch, s.block)
        alpha = 1.0
        exact = step.safeguarded and step.straight and not changed and not down
        if step.safeguarded and not (guess or exact):
            if count[UNCERTAIN] == 0:
                alpha = search(step, s, springs, z, branch, F, slope0, count)
            else:
                alpha = smaller(step, s, springs, z, branch, F, worst, count)
        guess = False
        advance(s, alpha)
        if exact and not step.long:
            left = 0.0
            break
        worst = gradient(step, s, F)
        if not step.safeguarded:
            if longest(s.d) <= step.tolerance:
                left = worst
                break
            if iteration + 1 == step.most:
                break
        # At round-off, or stuck just above it: nothing more can be gained.
        elif exact or worst <= step.enough or (worst <= 1e3 * step.enough and worst >= 0.5 * before):
            left = 0.0 if exact else worst
            if again == AGAIN or waste(s) <= step.wasted:
                break
            again += 1
        before = worst
    if step.reported and left >= 0.0:
        renewed(step, matrix, s, count)
        if iteration >= _PATIENCE:
            count[UNCERTAIN] = 1
            s.factored[0] = float("nan")  # the next step asks anew
    return left


def renewed(step: StepEquation, matrix: Matrix, s: Scratch, count: Array) -> float:
    """Factor the tangent unless it is the last one; returns 0, or 1 + the row whose pivot is not positive."""
    if same(s.T, s.factored):
        return 0.0
    copied(s.T, s.factored)
    code = call_matrix(matrix.factorise, (matrix.data, s.T))
    count[FACTORS] += 1
    if code > 0.0 and not step.reported:
        s.factored[0] = float("nan")  # equal to nothing: the next step factors anew
        return code
    count[UNCERTAIN] = 1 if code > 0.0 else 0
    if len(step.pull) > 0:
        copied(step.pull, s.z)
        call_matrix(matrix.solve, (matrix.data, s.z, s.small))
    return 0.0


def convex(step: StepEquation, matrix: Matrix, s: Scratch, count: Array) -> None:
    """Factor a tangent that is positive definite in place of one that is not: without what falls, else the elastic."""
    for j in range(len(s.T)):
        s.T[j] = max(s.T[j], 0.0) if j < len(step.stiff) else s.T[j]
    renewed(step, matrix, s, count)
    if count[UNCERTAIN] != 0:
        copied(step.elastic, s.T)
        renewed(step, matrix, s, count)


def same(x: Array, y: Array) -> bool:
    """True when all entries are equal."""
    i = 0
    while i < len(x) and x[i] == y[i]:
        i += 1
    return i == len(x)


def against(x: Array, out: Array) -> None:
    """out = −x."""
    for i in range(len(out)):
        out[i] = -x[i]


def along(x: Array, y: Array) -> float:
    """xᵀy."""
    total = 0.0
    for i in range(len(x)):
        total += x[i] * y[i]
    return total


def direction(step: StepEquation, matrix: Matrix, s: Scratch, count: Array) -> float:
    """Newton's direction s.d with S d and Bᵀ d; returns the slope of Φ along it."""
    against(s.g, s.d)
    call_matrix(matrix.solve, (matrix.data, s.d, s.small))
    count[SOLVES] += 1
    if len(step.pull) > 0:
        constrain(step.pull, s.z, s.factor, s.d)
    slope0 = along(s.d, s.g)
    product(step.S, s.d, s.Sd)
    stretch(step, s.d, s.ed)
    return slope0


def waste(s: Scratch) -> float:
    """Work of the residual on the increment, relative to that of inertia and load: what it takes out of the energy
    balance. Springs are no measure of it: where they are stiff, most of their work is done against each other."""
    lost, size = 0.0, 0.0
    for i in range(len(s.x)):
        lost += s.x[i] * s.g[i]
        size += abs(s.x[i]) * (abs(s.r[i]) + abs(s.Sx[i]))
    return abs(lost) / size if size > 0.0 else 0.0


def longest(d: Array) -> float:
    """Largest |d|."""
    size = 0.0
    for i in range(len(d)):
        size = max(size, abs(d[i]))
    return size


def constrain(pull: Array, z: Array, factor: Array, d: Array) -> None:
    """Take the constrained combination out of d, and put the multiplier that does it into ``factor``."""
    moved, across = 0.0, 0.0
    for i in range(len(d)):
        moved += pull[i] * d[i]
        across += pull[i] * z[i]
    for i in range(len(d)):
        d[i] -= moved / across * z[i]
    factor[0] -= moved / across


def advance(s: Scratch, alpha: float) -> None:
    """x += α d, with S x and Bᵀx."""
    for i in range(len(s.x)):
        s.x[i] += alpha * s.d[i]
        s.Sx[i] += alpha * s.Sd[i]
    for j in range(len(s.ex)):
        s.ex[j] += alpha * s.ed[j]


def search(
    step: StepEquation,
    s: Scratch,
    springs: SpringGroups,
    z: Array,
    branch: Array,
    F: Array,
    slope0: float,
    count: Array,
) -> float:
    """Length of the step along d: the slope of Φ there is at most a tenth of the first, and Φ is lower.

    The springs are evaluated at the point returned.
    """
    low, high, alpha = 0.0, 1.0, 1.0
    held = step.tau <= 0.0  # never
    slope_low, slope_high = slope0, slope(step, s, F, 1.0)
    count[SEARCHES] += 1
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
        placed(step, s, alpha)
        evaluate(springs, s.e0, s.dx, step.reach, step.tau, z, held, F, s.T, s.dz, branch, s.block)
        slope_here = slope(step, s, F, alpha)
        count[SEARCHES] += 1
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
    placed(step, s, low)
    evaluate(springs, s.e0, s.dx, step.reach, step.tau, z, held, F, s.T, s.dz, branch, s.block)
    return low


def smaller(
    step: StepEquation, s: Scratch, springs: SpringGroups, z: Array, branch: Array, F: Array, worst: float, count: Array
) -> float:
    """Length of a step towards a zero of the gradient: halved until that is smaller than ``worst``; whole if it never
    is.

    The springs are evaluated at the point returned.
    """
    held, alpha = step.tau <= 0.0, 1.0
    for _ in range(_HALVINGS):
        advance(s, alpha)
        residual = gradient(step, s, F)
        advance(s, -alpha)
        count[SEARCHES] += 1
        if residual < worst:
            return alpha
        alpha *= 0.5
        placed(step, s, alpha)
        evaluate(springs, s.e0, s.dx, step.reach, step.tau, z, held, F, s.T, s.dz, branch, s.block)
    placed(step, s, 1.0)
    evaluate(springs, s.e0, s.dx, step.reach, step.tau, z, held, F, s.T, s.dz, branch, s.block)
    return 1.0


def slope(step: StepEquation, s: Scratch, F: Array, alpha: float) -> float:
    """dΦ/dα along d."""
    total = 0.0
    for i in range(len(s.r)):
        total += s.d[i] * (s.Sx[i] + alpha * s.Sd[i] - s.r[i])
    for j in range(len(F)):
        total += step.weight * s.ed[j] * F[j]
    return total
