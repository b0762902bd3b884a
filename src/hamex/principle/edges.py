"""What holds on the boundary: forces and the motions that they work on, on straight and curved edges of every
direction, at corners, across interfaces, and on the parts of an action.

Integration by parts in space leaves, on a boundary with outward normal n, Q_i n_i δq + M_ij n_j ∂_i δq. Along the
boundary ∂_i δq is known from δq itself; only ∂δq/∂n is free beside it. With D_i the derivative along the boundary and
b_ij = D_i n_j its curvature, M_ij n_j ∂_i δq = M_n ∂δq/∂n + D_i(m_i δq) − (D_i m_i) δq, m the tangential part of M n:

    q ↔ V_n = Q_n − n_j D_i M_ij − M_ij b_ij + b_kk M_n,      ∂q/∂n ↔ M_n = M_ij n_i n_j,

and ν_i M_ij n_j from each side of a corner or edge, ν its outward tangent (Kirchhoff 1850; Thomson and Tait 1867;
Toupin 1962 and Mindlin 1964 for solids). None of it depends on how a mixed derivative was split between the axes: an
antisymmetric part of M cancels in V_n, in M_n and at corners. The variation splits evenly, so that M_ij and Q_i are
tensors themselves, and everything is the same in every frame of axes.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import sympy as sp
from sympy.core.function import AppliedUndef

from hamex.errors import ActionError
from hamex.principle.jets import Index, jet, t
from hamex.principle.parts import Part
from hamex.principle.variation import StatedAction, energy_rate

Vector = Sequence[sp.Expr]
_PLACES = 2


@dataclass(frozen=True)
class BoundaryCondition:
    """On each piece of the boundary either the force or the conjugate motion is given, eqs. (43)-(44)."""

    field: AppliedUndef
    motion: sp.Expr
    force: sp.Expr


@dataclass(frozen=True)
class Balance:
    """What holds on a part of an action: ``equation`` = 0 with the body's ``force`` in it, or a motion that is given.

    ``momentum`` is what sits there, the part's own and the body's: it starts with a given value like that of a field.
    """

    part: Part
    field: AppliedUndef
    motion: sp.Expr
    force: sp.Expr
    equation: sp.Expr
    momentum: sp.Expr
    given: bool = False


@dataclass(frozen=True)
class PartEnergy:
    """``hamiltonian`` of a part, and ``rate``: what its loads and given motions bring in, less what it dissipates.

    The energy of the body and of all parts changes by the body's rate and theirs.
    """

    part: Part
    hamiltonian: sp.Expr
    rate: sp.Expr


@dataclass(frozen=True)
class Shape:
    """A piece of boundary: its normal, the projection P_ij along it, and its curvature b_ij = D_i n_j."""

    normal: tuple[sp.Expr, ...]
    along: sp.Matrix
    curvature: sp.Matrix

    @classmethod
    def of(cls, action: StatedAction, normal: Vector | None = None, curvature: object = None) -> Shape:
        """Any edge when nothing is said; a straight one in the direction of a given normal."""
        space = action.space
        n = tuple(sp.sympify(c) for c in normal) if normal is not None else normal_of(action)
        length = sp.simplify(sum(c**2 for c in n) - 1) if normal is not None else sp.S.Zero
        if len(n) != len(space) or (length.is_number and length != 0):
            raise ActionError(f"Action: the normal {n} must be a unit vector with {len(space)} components")
        if curvature is None and normal is None:
            curvature = _unknown_curvature(space)
        if len(space) == 2:  # a tangent spares the relation n·n = 1
            s = sp.Matrix([-n[1], n[0]])
            return cls(n, s * s.T, sp.sympify(curvature or 0) * s * s.T)
        b = sp.zeros(len(space)) if curvature is None else sp.Matrix(curvature)
        if b.shape != (len(space),) * 2 or b != b.T:
            raise ActionError("Action: the curvature of a surface is the symmetric matrix b_ij = D_i n_j of its normal")
        flat = sp.zeros(1) if len(space) == 1 else sp.eye(3) - sp.Matrix(n) * sp.Matrix(n).T
        return cls(n, flat, b)


def normal_of(action: StatedAction) -> tuple[sp.Symbol, ...]:
    """The outward normal of any piece of the boundary, in symbols."""
    return tuple(sp.Symbol(f"n_{x}", real=True) for x in action.space)


def _unknown_curvature(space: tuple[sp.Symbol, ...]) -> object:
    if len(space) == 2:
        return sp.Symbol("kappa", real=True)
    if len(space) == 3:
        return [[sp.Symbol("b_" + "".join(sorted(f"{x}{y}")), real=True) for y in space] for x in space]
    return None


Fluxes = Mapping[tuple[AppliedUndef, Index], tuple[sp.Expr, ...]]


def double_forces(action: StatedAction, q: AppliedUndef, fluxes: Fluxes | None = None) -> sp.Matrix | None:
    """M_ij of a field, which works on ∂_i δq through n_j; None where the density has no second derivatives."""
    found, space = action.variation().fluxes if fluxes is None else fluxes, action.space
    if not any(f == q and index for f, index in found):
        return None
    nothing = (sp.S.Zero,) * len(space)
    return -sp.Matrix([found.get((q, (x,)), nothing) for x in space])


def shears(action: StatedAction, q: AppliedUndef, fluxes: Fluxes | None = None) -> tuple[sp.Expr, ...]:
    """Q_i of a field: what flows along each axis and works on δq itself."""
    nothing = (sp.S.Zero,) * len(action.space)
    found = action.variation().fluxes if fluxes is None else fluxes
    return tuple(-f for f in found.get((q, ()), nothing))


def boundary_conditions(
    action: StatedAction, normal: Vector | None = None, curvature: object = None
) -> list[BoundaryCondition]:
    """Natural force and essential motion of every field, and of its slope across the boundary where it has a moment."""
    if not action.space:
        return []
    return _on(action, Shape.of(action, normal, curvature), action.variation().fluxes)


def boundary_momenta(
    action: StatedAction, normal: Vector | None = None, curvature: object = None
) -> list[BoundaryCondition]:
    """Momenta that sit on the boundary itself, where rates stand with space derivatives: what stands before δq, or
    ∂δq/∂n, there at the ends of the window. In ``force``, beside the motion whose virtual value it meets."""
    if not action.variation().rims:
        return []
    return _on(action, Shape.of(action, normal, curvature), action.variation().rims)


def _on(action: StatedAction, shape: Shape, fluxes: Fluxes) -> list[BoundaryCondition]:
    space, found = action.space, []
    for q in action.fields:
        Q, M = shears(action, q, fluxes), double_forces(action, q, fluxes)
        if M is None:
            force = sp.expand(sum((a * c for a, c in zip(Q, shape.normal, strict=True)), sp.S.Zero))
        else:
            _certify(len(space))
            force, moment = map(sp.expand, _forces(sp.Matrix(Q), M, [M.diff(x) for x in space], shape))
        if force != 0:
            found.append(BoundaryCondition(q, q, force))
        if M is not None:
            found.append(BoundaryCondition(q, _across(q, shape, space), moment))
    return found


def _across(q: AppliedUndef, shape: Shape, space: tuple[sp.Symbol, ...]) -> sp.Expr:
    """∂q/∂n; along the axis at an end of a line, whose normal is in the moment."""
    if len(space) == 1:
        return q.diff(space[0])
    return sum((a * q.diff(x) for a, x in zip(shape.normal, space, strict=True)), sp.S.Zero)


def _forces(Q: sp.Matrix, M: sp.Matrix, slopes: Sequence[sp.Matrix], shape: Shape) -> tuple[sp.Expr, sp.Expr]:
    """V_n and M_n; ``slopes`` are the derivatives of M along the axes."""
    n, P, b = sp.Matrix(shape.normal), shape.along, shape.curvature
    force, moment = (Q.T * n)[0], (n.T * M * n)[0]
    if len(n) == 1:
        return force, (M * n)[0]
    for k, slope in enumerate(slopes):
        if any(P[k, :]):
            force -= (P[k, :] * slope * n)[0]
    return force - sum((e * c for e, c in zip(M, b, strict=True)), sp.S.Zero) + b.trace() * moment, moment


@cache
def _certify(dimensions: int) -> None:
    """Q_n δ + M_ij n_j ∂_i δ = V_n δ + M_n ∂δ/∂n + D_i(m_i δ), compared exactly.

    Everything is linear about a point of the boundary, with random coefficients: M, δ, and the normal, whose length
    stays one to first order because n_j b_ij = 0. D_i(m_i δ) is differentiated as it stands.
    """
    x, axes = sp.symbols(f"x_0:{dimensions}"), range(dimensions)
    for seed in range(_PLACES if dimensions > 1 else 0):
        source = random.Random(seed)
        shape = _random_shape(dimensions, source)
        Q, M, *slopes = (_random_matrix(dimensions, source) for _ in range(dimensions + 2))
        n = sp.Matrix(shape.normal) + shape.curvature * sp.Matrix(x)
        moments = M + sum((slopes[k] * x[k] for k in axes), sp.zeros(dimensions))
        delta = 1 + sum((source.randint(1, 9) * v for v in x), sp.S.Zero)
        rest = dict.fromkeys(x, sp.S.Zero)
        pulled = moments * n
        tangential = (pulled - n * (n.T * pulled)[0]) * delta
        around = (shape.along * tangential.jacobian(x).subs(rest)).trace()
        force, moment = _forces(Q[:, 0], M, slopes, shape)
        gradient, unit = sp.Matrix([delta.diff(v) for v in x]), sp.Matrix(shape.normal)
        left = (Q[:, 0].T * unit)[0] + (unit.T * M * gradient)[0]
        if sp.expand(left - force - moment * (unit.T * gradient)[0] - around) != 0:
            raise ArithmeticError("integration along the boundary does not satisfy its identity")


def _random_matrix(size: int, source: random.Random) -> sp.Matrix:
    half = sp.Matrix(size, size, lambda i, j: source.randint(-9, 9))
    return half + half.T


def _random_shape(dimensions: int, source: random.Random) -> Shape:
    """A normal with rational components of unit length, and a curvature along its boundary."""
    a, b = (sp.Rational(source.randint(1, 9), source.randint(1, 9)) for _ in range(2))
    if dimensions == 2:
        n = sp.Matrix([1 - a**2, 2 * a]) / (1 + a**2)
    else:
        n = sp.Matrix([2 * a, 2 * b, a**2 + b**2 - 1]) / (a**2 + b**2 + 1)
    along = sp.eye(dimensions) - n * n.T
    return Shape(tuple(n), along, along * _random_matrix(dimensions, source) * along)


def corners(action: StatedAction, sides: Sequence[tuple[Vector, Vector]] | None = None) -> list[BoundaryCondition]:
    """Forces on a corner of the boundary, or along an edge of a body: Σ ν_i M_ij n_j over the two sides that meet.

    ``sides`` are pairs (outward normal, tangent that points out of the side); by default a right angle between the
    first two axes.
    """
    if len(action.space) < 2:
        return []
    x, y = (sp.eye(len(action.space)).col(i) for i in range(2))
    pairs = [(sp.Matrix(n), sp.Matrix(v)) for n, v in sides] if sides is not None else [(x, y), (y, x)]
    found = []
    for q in action.fields:
        M = double_forces(action, q)
        force = sp.S.Zero if M is None else sp.expand(sum(((v.T * M * n)[0] for n, v in pairs), sp.S.Zero))
        if force != 0:
            found.append(BoundaryCondition(q, q, force))
    return found


def interface(
    action: StatedAction, other: StatedAction | None = None, normal: Vector | None = None, curvature: object = None
) -> list[BoundaryCondition]:
    """Across an interface motions are common and forces are in balance: ``force`` is what jumps, V_n⁻ − V_n⁺.

    The normal points from this action's side, fields ``w_minus``, to the other's, ``w_plus``.
    """
    beyond = other or action
    if {q.func for q in beyond.fields} != {q.func for q in action.fields} or beyond.space != action.space:
        raise ActionError("interface: both sides must have the same fields and coordinates")
    mine, theirs = (boundary_conditions(a, normal, curvature) for a in (action, beyond))
    return _jumps(mine, theirs, action, beyond)


def _jumps(
    mine: list[BoundaryCondition], theirs: list[BoundaryCondition], action: StatedAction, beyond: StatedAction
) -> list[BoundaryCondition]:
    if [c.motion for c in mine] != [c.motion for c in theirs]:
        raise ActionError("interface: the forces of the two sides work on different motions")
    return [
        BoundaryCondition(
            c.field, c.motion, sp.expand(sided(c.force, action, "minus") - sided(d.force, beyond, "plus"))
        )
        for c, d in zip(mine, theirs, strict=True)
    ]


def sided(expression: sp.Expr, action: StatedAction, side: str) -> sp.Expr:
    """An expression with the fields of the body as they are on one side of an interface."""
    names = {q: sp.Function(f"{q.func.__name__}_{side}")(*q.args) for q in action.fields if q not in action.lumped}
    return expression.xreplace(names)


def balances(action: StatedAction) -> list[Balance]:
    """On every part: the body's force and what the part itself says of each motion add up to zero, or it is given."""
    found = []
    for part, varied in zip(action.parts, action.variation().parts, strict=True):
        said, moved = (
            {part.body(f, action): part.body(e, action) for f, e in of.items()} for of in (varied.bulk, varied.ends)
        )
        carried = {c.motion: c.force for c in conditions_on(part, action, action.variation().rims)}
        for c in conditions_on(part, action):
            momentum = sp.expand(carried.get(c.motion, sp.S.Zero) + moved.get(c.motion, sp.S.Zero))
            equation = sp.expand(c.force + said.get(c.motion, sp.S.Zero))
            given = c.motion in part.motions
            if given:
                equation, momentum = c.motion - part.motions[c.motion], sp.S.Zero
            found.append(Balance(part, c.field, c.motion, c.force, equation, momentum, given))
    return found


def energies(action: StatedAction) -> list[PartEnergy]:
    """Energy of every part, and its rate."""
    found = []
    for part, varied in zip(action.parts, action.variation().parts, strict=True):
        rate = energy_rate(varied.action)
        for c in conditions_on(part, action):  # a given motion is driven by all that resists it
            if c.motion in part.motions:
                own = {part.body(f, action): part.body(e, action) for f, e in varied.bulk.items()}
                rate += (c.force + own.get(c.motion, sp.S.Zero)) * part.motions[c.motion].diff(t)
        found.append(PartEnergy(part, *(sp.expand(part.body(e, action)) for e in (varied.action.hamiltonian(), rate))))
    return found


def conditions_on(part: Part, action: StatedAction, fluxes: Fluxes | None = None) -> list[BoundaryCondition]:
    """The body's forces on a part; where it is inside the body, the difference of those of both sides."""
    through = action.variation().fluxes if fluxes is None else fluxes
    if part.axis is None:
        found = _on(action, Shape.of(action), through)
        return _jumps(found, found, action, action) if part.side == "inside" else found
    normal = [sp.Integer(x == part.axis) for x in action.space]
    found = _on(action, Shape.of(action, normal), through)
    if part.side == "inside":
        return _jumps(found, found, action, action)
    # Parts are written in slopes along the axis, whichever way the normal points; shears and moments turn with it.
    sign = -1 if part.side == "start" else 1
    return [BoundaryCondition(c.field, c.motion, sign * c.force) for c in found]


def refuse_part(part: Part, action: StatedAction) -> None:
    """A part has a place, a side, and works on motions that the boundary has."""
    who = f"Part {part.name or part.where}"
    if isinstance(part.where, str):
        if part.side not in ("boundary", "inside"):
            raise ActionError(f'{who}: the side of a named piece is "boundary" or "inside", got {part.side!r}')
    elif len(part.where) != 1 or part.axis not in action.space:
        known = ", ".join(map(str, action.space)) or "the coordinates of a density"
        raise ActionError(
            f"{who}: say where one of {known} has a value, e.g. {{x: l}}, or name a piece of the boundary; points of a "
            "plane or a body are not covered"
        )
    elif part.side not in ("start", "end", "inside"):
        raise ActionError(
            f'{who}: say on which side the body is: side="end" where it ends there, "start" where it begins, "inside" '
            f"where it goes on; got {part.side!r}"
        )
    motions = part.motions_of(action)
    local = action.of_part(part)
    for e in (local.lagrangian, local.dissipation, *local.loads):
        left = [q for q in action.fields if q not in action.lumped and e.has(q)]
        if left:
            raise ActionError(
                f"{who}: {e} holds a derivative of {left[0]} that a part does not have; values, and where a coordinate "
                "has a value their first derivative by it, with rates and derivatives along the part"
            )
        if e.has(*action.lumped) and (local.space or isinstance(part.where, str)):
            raise ActionError(
                f"{who}: a field of t alone joins at a point; on an edge or a surface it would need a sum"
            )
    there = {condition.motion for condition in conditions_on(part, action)}
    for f in local.fields:
        q, across = motions[f]
        if q not in action.lumped and jet(q, across) not in there:
            raise ActionError(
                f"{who}: nothing resists {jet(q, across)} there: the density has no force that works on it"
            )
    for motion in part.motions:
        if motion not in there:
            raise ActionError(f"{who}: {motion} cannot be given; motions there are {', '.join(map(str, there))}")
