"""Noether's theorem for an action: the charge of a symmetry, its balance law, and which time element keeps it.

A symmetry ξ^μ ∂_μ + η_a ∂_a changes L by a divergence, pr X(L) + L div ξ = div K. With the characteristics
Q_a = η_a − ξ^μ ∂_μ q_a its density and flux are

    ρ = Σ P_a Q_a + L ξ^t − K^t,        j^i = (flux of the variation with δq = Q)^i + L ξ^i − K^i,

and ∂ρ/∂t + div j = −Σ E_a Q_a identically, E_a the Euler expressions of L; along the motion that is the work of loads
and dissipation on Q. In a lumped system this is dI/dt = Σ (Q_a^load − φ_a)(η_a − ξ q̇_a). Reactions λ A of constraints
A q̇ + b = 0 work on Q like loads: λ (A η + ξ b), nothing where the symmetry keeps the constraint.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import sympy as sp
from sympy.core.function import AppliedUndef

from hamex.principle.jets import Index, indices, is_zero, jet, partial, t, total
from hamex.principle.readable import described
from hamex.principle.variation import StatedAction, antiderivative, stated_rows


@dataclass(frozen=True)
class Charge:
    """A quantity whose rate is known: d(value)/dt = source, in a continuum d(density)/dt + div(flux) = source.

    A shift that changes L by a total derivative dK/dt (a quasi-symmetry) has the charge Σ P_q s_q − K. Dissipation
    and loads that are rates themselves are taken into ``value``: the momentum balance (54) is a charge with source 0.
    ``shift`` is the change η of the fields, ``name`` says of what it is the charge.
    """

    shift: dict[AppliedUndef, sp.Expr]
    value: sp.Expr
    source: sp.Expr
    flux: tuple[sp.Expr, ...] = ()
    name: str = ""


@dataclass(frozen=True, eq=False)
class Symmetry:
    """A point symmetry of an action: coordinates change by ``time`` and ``space``, fields by ``change``, times ε.

    ``kind`` is shift, boost, rotation, time, translation, scaling, projective, mode or other. The sign is such
    that the charge of time is H and that of a rotation x P_y − y P_x.
    """

    action: StatedAction
    time: sp.Expr
    space: tuple[sp.Expr, ...]
    change: dict[AppliedUndef, sp.Expr]
    kind: str
    name: str

    @classmethod
    def of(
        cls, action: StatedAction, time: sp.Expr, space: tuple[sp.Expr, ...], change: dict[AppliedUndef, sp.Expr]
    ) -> Symmetry:
        """With its kind, its name and its sign."""
        kind, name, sign = described(action, time, space, change)
        turned = {q: sp.expand(sign * c) for q, c in change.items()}
        return cls(action, sign * time, tuple(sign * x for x in space), turned, kind, name)

    def __repr__(self) -> str:
        moved = [*zip((*self.action.space, t), (*self.space, self.time), strict=True), *self.change.items()]
        return f"Symmetry({self.name}: " + ", ".join(f"{q} → {q} + ε·({c})" for q, c in moved if c != 0) + ")"

    def characteristic(self, q: AppliedUndef) -> sp.Expr:
        """Q = η − ξ^μ ∂_μ q: the change of the field at a fixed place and instant."""
        moves = [*zip(self.space, self.action.space, strict=True), (self.time, t)]
        return self.change.get(q, sp.S.Zero) - sum((xi * total(q, x) for xi, x in moves if xi != 0), sp.S.Zero)

    @cached_property
    def gain(self) -> tuple[sp.Expr, ...]:
        """K^i and, last, K^t: L changes by div K. Zeros when it does not change at all."""
        W = _change_of_lagrangian(self)
        variables = (*self.action.space, t)
        if W == 0 or is_zero(W):
            return (sp.S.Zero,) * len(variables)
        K = _potentials(self.action, W) if self.action.space else (_potential(self.action, W),)
        if K[-1] is None:
            raise ValueError(
                f"the Lagrangian is not invariant under the shift {self.change}, not even up to a total derivative"
            )
        return K

    @cached_property
    def balance(self) -> Charge:
        """Density, source and flux with nothing taken into the density: what the march adds up; certified."""
        action, K = self.action, self.gain
        Q = {q: self.characteristic(q) for q in action.fields}
        value = sum((action.momentum(q) * Q[q] for q in action.fields), sp.S.Zero)
        value = sp.expand(value + action.lagrangian * self.time - K[-1])
        source = sum((f * sign for _, f, sign in _works(self)), sp.S.Zero)
        flux = [action.lagrangian * x - k for x, k in zip(self.space, K[:-1], strict=True)]
        for (q, index), through in action.variation().fluxes.items():
            tested = _derivative(Q[q], index)
            flux = [f + g * tested for f, g in zip(flux, through, strict=True)]
        for (q, index), through in action.variation().rims.items():  # rates with space derivatives: a flux of momentum
            tested = _derivative(Q[q], index)
            flux = [f - total(g * tested, t) for f, g in zip(flux, through, strict=True)]
        found = Charge(dict(self.change), value, source, tuple(sp.expand(f.doit()) for f in flux), self.name)
        self._certify(found, Q)
        return found

    def _certify(self, found: Charge, Q: dict[AppliedUndef, sp.Expr]) -> None:
        """∂ρ/∂t + div j = Σ (left side of the equation of motion) Q + source, identically."""
        bulk = self.action.variation().bulk
        rate = total(found.value, t) + sum(
            (total(f, x) for f, x in zip(found.flux, self.action.space, strict=True)), sp.S.Zero
        )
        work = sum((bulk[q] * Q[q] for q in self.action.fields), sp.S.Zero) + found.source
        for reaction, row, rest in stated_rows(self.action):  # the source has A q̇ = −b in it
            broken = sum((a * q.diff(t) for a, q in zip(row, self.action.fields, strict=True)), rest)
            work -= reaction * self.time * broken
        if not is_zero((rate - work).doit()):
            raise ArithmeticError(f"the charge of {self.name} does not satisfy its identity")

    @cached_property
    def charge(self) -> Charge:
        """The charge, with what is a rate itself taken into its value."""
        plain = self.balance
        value, source = plain.value, sp.S.Zero
        for q, work, sign in _works(self):
            stored = None
            if not work.has(sp.Piecewise) and (q is not None):
                stored = antiderivative(work, self.action.fields)
            if stored is None:
                source += sign * work
            else:
                value -= sign * stored
        return Charge(plain.shift, sp.expand(value), source, plain.flux, self.name)

    @property
    def is_gauge(self) -> bool:
        """Whether the charge is no more than a number: the change is one of names, not of motions."""
        return not self.balance.value.has(*self.action.fields)


def _works(symmetry: Symmetry) -> list[tuple[AppliedUndef | None, sp.Expr, int]]:
    """Work of dissipation, loads and reactions on Q, each with its field and its sign in the source."""
    action, found = symmetry.action, []
    for q in action.fields:
        Q = symmetry.characteristic(q)
        for force, sign in ((action.dissipative_force(q), -1), (action.loads.get(q, sp.S.Zero), 1)):
            if force != 0 and Q != 0:
                found.append((q, force * Q, sign))
        for index in indices(action.dissipation, q):
            along = tuple(v for v in index if v != t)
            if along:
                stress = partial(action.dissipation, q, index) * _derivative(Q, along)
                found += [(None, stress, -1)] if stress != 0 else []
    for reaction, row, rest in stated_rows(action):
        along_it = [a * symmetry.change.get(q, sp.S.Zero) for a, q in zip(row, action.fields, strict=True)]
        work = sp.expand(sum(along_it, symmetry.time * rest))
        found += [(None, reaction * work, 1)] if not is_zero(work) else []
    return found


def _derivative(expression: sp.Expr, index: Index) -> sp.Expr:
    for variable in index:
        expression = total(expression, variable)
    return expression


def _change_of_lagrangian(symmetry: Symmetry) -> sp.Expr:
    """pr X(L) + L div ξ, with η_I,i = D_i η_I − q_I,μ D_i ξ^μ (Olver, theorem 2.36)."""
    action, L = symmetry.action, symmetry.action.lagrangian
    moves = dict(zip((*action.space, t), (*symmetry.space, symmetry.time), strict=True))
    moves = {x: xi for x, xi in moves.items() if xi != 0}

    def prolonged(q: AppliedUndef, index: Index) -> sp.Expr:
        if not index:
            return symmetry.change.get(q, sp.S.Zero)
        rest, by = index[:-1], index[-1]
        moved = total(prolonged(q, rest), by)
        return moved - sum((jet(q, (*rest, x)) * total(xi, by) for x, xi in moves.items()), sp.S.Zero)

    W = sum((L * sp.diff(xi, x) for x, xi in moves.items()), sp.S.Zero)
    nodes = {jet(q, i): (q, i) for q in action.fields for i in indices(L, q)}
    frozen = {node: sp.Dummy(real=True) for node in nodes}
    back = {dummy: node for node, dummy in frozen.items()}
    W += sum((xi * sp.diff(L.xreplace(frozen), x).xreplace(back) for x, xi in moves.items()), sp.S.Zero)
    for q, index in nodes.values():
        moved = prolonged(q, index)
        if moved != 0:
            W += partial(L, q, index) * moved
    return sp.expand(W.doit())


def _potential(action: StatedAction, W: sp.Expr) -> sp.Expr | None:
    """K(q, t) with dK/dt = W, which is affine in the rates: what does not vanish of its coefficients is integrated."""
    rates = {q.diff(t): sp.S.Zero for q in action.fields}
    parts = [(partial(W, q, (t,)).xreplace(rates), q.diff(t)) for q in action.fields]
    affine = sum((a * v for a, v in parts if not is_zero(a)), sp.S.Zero)
    rest = W.xreplace(rates)
    affine += sp.S.Zero if is_zero(rest) else rest
    if not is_zero(W - affine):
        return None
    found = antiderivative(affine, action.fields)
    return found if found is not None else _homotopy(action, affine)


def _homotopy(action: StatedAction, affine: sp.Expr) -> sp.Expr | None:
    """K = ∫₀¹ Σ (∂W/∂q̇)(λq, t) q dλ of a polynomial in q, where coefficients cancel by more than expansion."""
    scale = sp.Dummy(positive=True)
    path = {q: scale * q for q in action.fields}
    along = sp.expand(sum((partial(affine, q, (t,)).xreplace(path) * q for q in action.fields), sp.S.Zero))
    if not along.is_polynomial(scale):
        return None
    K = sp.expand(sp.integrate(sp.Poly(along, scale).as_expr(), (scale, 0, 1)))
    return K if is_zero(affine - sp.diff(K, t)) else None


def _potentials(action: StatedAction, W: sp.Expr) -> tuple[sp.Expr | None, ...]:
    """K with div K = W, by the homotopy K = ∫₀¹ (bracket of W at λq with δq = q) dλ/λ; W a polynomial of the jets."""
    variables = (*action.space, t)
    K = dict.fromkeys(variables, sp.S.Zero)
    for q in action.fields:
        for index in indices(W, q):
            coefficient, rest = partial(W, q, index), index
            while rest:
                by, rest = rest[0], rest[1:]
                K[by] += coefficient * jet(q, rest)
                coefficient = -total(coefficient, by)
    nodes = sorted(
        {jet(q, i) for q in action.fields for e in (W, *K.values()) for i in indices(e.doit(), q)},
        key=sp.default_sort_key,
        reverse=True,
    )
    scale = sp.Dummy("lambda")
    letters = {node: scale * sp.Dummy() for node in nodes}
    back = {letter / scale: node for node, letter in letters.items()}
    for x, bracket in K.items():
        p = sp.Poly(sp.expand(bracket.doit().xreplace(letters)), scale)
        K[x] = sp.expand(sum((c / n for (n,), c in p.terms() if n), sp.S.Zero).xreplace(back))
    at_rest = W.xreplace(dict.fromkeys(nodes, sp.S.Zero))
    if at_rest != 0:
        K[t] += sp.integrate(at_rest, t)
    exact = is_zero((W - sum((total(k, x) for x, k in K.items()), sp.S.Zero)).doit())
    return tuple(K.values()) if exact else (None,) * len(variables)


@dataclass(frozen=True)
class Kept:
    """Whether a time element keeps a charge, or its balance with the source at the element's own points, exactly."""

    holds: bool
    reason: str

    def words(self, order: str) -> str:
        """``kept exactly: …``, or ``drifts, order h^…``."""
        return f"kept exactly: {self.reason}" if self.holds else f"drifts, of order {order}: {self.reason}"


def kept(symmetry: Symmetry, jumps: bool = False) -> Kept:
    """What continuous elements of any degree s with s Gauss points keep, or discontinuous ones (``jumps``).

    What is not kept drifts with the order of the element, 2s or 2s + 1.

    The continuous element is stationary for Σ w L at its Gauss points over polynomials of degree s. A change η that is
    affine in (q, t) maps such polynomials to such polynomials: it is one of the virtual changes, and what L gains,
    dK/dt with K of degree 2, is integrated exactly. So the charge is kept whatever L is, loads and dissipation
    included (discrete Noether theorem; Marsden and West, Acta Numerica 10 (2001) 357, § 1.3.3). In (q, p) the element
    is Gauss collocation for any L whose rates are functions of the momenta (Hairer, Lubich and Wanner, Geometric
    Numerical Integration, § VI.6), which keeps all that is quadratic in (t, q, p) (Cooper, IMA J. Numer. Anal. 7 (1987)
    1): the energy of a quadratic L. Discontinuous elements are Radau IIA collocation, which keeps what is linear.

    >>> from hamex.principle.library import action
    >>> {s.name: kept(s).holds for s in action("gyroscopic").symmetries()}
    {'time: energy': True, 'rotation in (x, y)': True}
    >>> [kept(s).holds for s in action("pendulum").symmetries()]
    [False]
    """
    action = symmetry.action
    if action.space:
        raise ValueError("which charges are kept is decided for lumped systems; a mesh comes first")
    if action.constraints:
        return _kept_with_constraints(symmetry, jumps)
    if _is_followed(action, pushed=not jumps):
        return Kept(True, "the forces are constant, and the element follows the motion itself")
    still, K = symmetry.time == 0, symmetry.gain[-1]
    degree = max((_degree(c, action) for c in symmetry.change.values()), default=0)
    if jumps or any(e.has(sp.Abs, sp.sign) for e in (action.dissipation, *action.loads.values())):
        # With friction the steps in which a contact turns are taken by elements with jumps.
        return _kept_with_jumps(symmetry, still, degree, K)
    if still and degree <= 1 and _degree(K, action) <= 2 and _is_tested(symmetry):
        return Kept(True, "the change is one of the element's own virtual changes")
    if symmetry.time.is_number and degree <= 1 and _is_quadratic(action) and _degree(K, action) <= 2:
        return Kept(True, "quadratic in (t, q, p), as Gauss points keep it")
    if still and degree <= 1 and _degree(K, action) <= 2:
        return Kept(False, "a field without momentum is tested with one degree less")
    what = "neither affine in (q, t) nor quadratic in (t, q, p)" if still else "not quadratic in (t, q, p)"
    return Kept(False, what)


def works_on(symmetry: Symmetry) -> bool:
    """Whether reactions of constraints work on a symmetry: its charge then changes with them."""
    return any(symmetry.balance.source.has(reaction) for reaction, _, _ in stated_rows(symmetry.action))


def _kept_with_constraints(symmetry: Symmetry, jumps: bool) -> Kept:
    """Impulses at the nodes do no work on a change that keeps the constraints, nor on a motion if they are straight."""
    action = symmetry.action
    if works_on(symmetry):
        return Kept(False, "reactions of the constraints work on it")
    if jumps:
        return Kept(False, "elements with jumps keep the constraints, and no charge beside them")
    affine = all(_degree(e, action) <= 1 for e in symmetry.change.values()) and _degree(symmetry.gain[-1], action) <= 2
    if symmetry.time == 0 and affine and _is_tested(symmetry):
        return Kept(True, "the change is one of the element's own virtual changes, and keeps the constraints")
    straight = all(_degree(e, action) <= 1 for e in action.constraints)
    if straight and symmetry.time.is_number and affine and _is_quadratic(action):
        return Kept(True, "quadratic in (t, q, p), and the constraints are straight")
    return Kept(False, "not quadratic in (t, q, p), or the constraints are curved")


def _kept_with_jumps(symmetry: Symmetry, still: bool, degree: float, K: sp.Expr) -> Kept:
    action = symmetry.action
    shift = still and not any(c.has(*action.fields) for c in symmetry.change.values())
    constant = shift and degree == 0 and _degree(K, action) <= 1
    # a + bt against the shift: the charge of b is kept at every stage, and adds up exactly.
    steady = shift and degree <= 1 and _degree(K, action) <= 1 and not _timed(K, action)
    steady = steady and not _timed(action.lagrangian, action) and is_zero(symmetry.balance.source)
    if (constant or steady) and all(action.has_momentum.values()):
        return Kept(True, "linear in (q, p)")
    return Kept(False, "not linear in (q, p)")


def _degree(expression: sp.Expr, action: StatedAction) -> float:
    """Degree as a polynomial of t and the fields, or infinity."""
    letters = {q: sp.Dummy() for q in action.fields}
    flat = expression.xreplace(letters)
    if not flat.is_polynomial(t, *letters.values()):
        return float("inf")
    return int(sp.Poly(flat, t, *letters.values()).total_degree()) if flat != 0 else 0


def _is_tested(symmetry: Symmetry) -> bool:
    """Fields without momentum are tested with degree s − 1: only constant changes of them are among the tests."""
    lesser = [c for q, c in symmetry.change.items() if not symmetry.action.has_momentum[q]]
    return not any(c.has(t, *symmetry.action.fields) for c in lesser)


def _jets_of(action: StatedAction) -> list[sp.Expr]:
    return [jet(q, i) for q in action.fields for i in ((t,), ())]


def _is_quadratic(action: StatedAction) -> bool:
    """L of degree 2 in (q, q̇) with constant coefficients and a mass matrix that can be inverted."""
    nodes = {node: sp.Dummy() for node in _jets_of(action)}
    flat = action.lagrangian.xreplace(nodes)
    if flat.has(t) or not flat.is_polynomial(*nodes.values()):
        return False
    rates = [nodes[q.diff(t)] for q in action.fields]
    return sp.Poly(flat, *nodes.values()).total_degree() <= 2 and not is_zero(sp.hessian(flat, rates).det())


def _timed(expression: sp.Expr, action: StatedAction) -> bool:
    return bool(expression.xreplace({node: sp.Dummy() for node in _jets_of(action)}).has(t))


def _is_followed(action: StatedAction, pushed: bool) -> bool:
    """L is a quadratic form of the rates, beside constant forces when ``pushed``, and nothing else acts."""
    if action.dissipation != 0 or any(Q != 0 for Q in action.loads.values()) or not _is_quadratic(action):
        return False
    forces = [partial(action.lagrangian, q) for q in action.fields]
    mixed = any(f.has(*action.fields) for f in forces)
    return not mixed and (pushed or not any(forces))
