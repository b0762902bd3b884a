"""Step forms: the extended principle over one step, fields and their variations of degree s in time.

Rows are the coefficients of the virtual values δq_i, i = 0 … s: trial values at the start of a step are given, test
functions there are free. Integrals use s Gauss points: exact for the mixed forms of the paper, and what makes terms in
the displacement alone unconditionally stable.

The points of a rule are roots of a polynomial N, and its sums need no roots: with p = q·N + r the rule sees only r and
integrates it exactly, so that polynomials are summed in rational numbers. What is no polynomial (a pendulum, explicit
time) is taken at the points.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

import sympy as sp
from sympy.core.function import AppliedUndef

from hamex.principle.action import Action, ActionError
from hamex.principle.jets import partial, t

tau = sp.Symbol("tau", real=True)
h = sp.Symbol("h", positive=True)
t_0 = sp.Symbol("t_0", real=True)  # start of the step, where time is explicit
# Order of the pieces in `slider_potential`: slip forward, slip backward, no slip.
BRANCH_NAMES = ("plus", "minus", "elastic")


@dataclass(frozen=True)
class QuadratureRule:
    """Quadrature in τ over [0, 1] at the roots of ``nodal``, exact for every polynomial of lower degree than it."""

    nodal: sp.Poly

    @property
    def size(self) -> int:
        """How many points."""
        return int(self.nodal.degree())

    @cached_property
    def roots(self) -> tuple[sp.Expr, ...]:
        """The points, exactly, in order."""
        return tuple(sorted(self.nodal.real_roots(), key=lambda root: root.evalf()))

    @cached_property
    def weight(self) -> sp.Poly:
        """A rational polynomial whose value at a point is the weight there.

        The weight of c is ∫ N(σ)/((σ − c) N′(c)) dσ, reduced modulo N(c) = 0: no root is ever divided by.
        """
        sigma = sp.Dummy()
        N = self.nodal.as_expr()
        quotient = sp.cancel((N.subs(tau, sigma) - N) / (sigma - tau))
        moment = sp.Poly(sp.integrate(sp.expand(quotient), (sigma, 0, 1)), tau)
        return (moment * self.nodal.diff().invert(self.nodal)).rem(self.nodal)

    def weighted(self, factor: sp.Expr = sp.S.One) -> list[sp.Expr]:
        """Weight times the value of a polynomial, point by point."""
        reduced = (self.weight * sp.Poly(factor, tau)).rem(self.nodal).as_expr()
        return [sp.expand(reduced.subs(tau, root)) for root in self.roots]

    def integral(self, expression: sp.Expr) -> sp.Expr:
        """The sum over the points."""
        expanded = sp.expand(expression)
        if not expanded.is_polynomial(tau):
            pairs = zip(self.roots, self.weighted(), strict=True)
            return sum((weight * expression.subs(tau, root) for root, weight in pairs), sp.S.Zero)
        rest = sp.Poly(expanded, tau).rem(self.nodal)
        return sp.expand(sum(c / (n + 1) for (n,), c in rest.terms()))


@lru_cache
def gauss_rule(points: int) -> QuadratureRule:
    """Roots of the Legendre polynomial: exact up to degree 2·points − 1."""
    return QuadratureRule(sp.Poly(sp.legendre(points, 2 * tau - 1), tau))


@lru_cache
def radau_rule(points: int) -> QuadratureRule:
    """The end of the step and what orthogonality leaves: exact up to degree 2·points − 2 (right Radau)."""
    x = 2 * tau - 1
    return QuadratureRule(sp.Poly(sp.expand(sp.legendre(points, x) - sp.legendre(points - 1, x)), tau))


def shapes(degree: int) -> list[sp.Expr]:
    """Lagrange polynomials on [0, 1] through equidistant nodes; degree 0 is the constant."""
    nodes = [sp.Rational(i, degree) for i in range(degree + 1)] if degree else [sp.S.Zero]
    return [sp.expand(sp.prod([(tau - b) / (a - b) for b in nodes if b != a])) for a in nodes]


def gauss(expression: sp.Expr, points: int) -> sp.Expr:
    """Gauss quadrature in τ over [0, 1]; of a polynomial, without the irrational points."""
    return gauss_rule(points).integral(expression)


@dataclass(frozen=True, eq=False)
class StepForm:
    """One step of an action: rows that vanish, linear in the new values on each branch of the dissipation.

    Attributes
    ----------
    unknowns : new node values of each field, then new momenta, as symbols.
    knowns : the same at the start of the step.
    rows : residual of each virtual value, with the field and the virtual node it belongs to.
    branches : rows for each branch of a piecewise dissipation, by the name of the branch.
    rule : the points at which forces and loads are taken.
    """

    action: Action
    degree: int
    new: dict[AppliedUndef, list[sp.Symbol]]
    old: dict[AppliedUndef, sp.Symbol]
    momentum_new: dict[AppliedUndef, sp.Symbol]
    momentum_old: dict[AppliedUndef, sp.Symbol]
    branches: dict[str, tuple[sp.Expr, ...]]
    conditions: dict[str, sp.Basic]
    rule: QuadratureRule

    @property
    def unknowns(self) -> tuple[sp.Symbol, ...]:
        """New node values of the fields in order, then new momenta."""
        values = [symbol for q in self.action.fields for symbol in self.new[q]]
        return (*values, *self.momentum_new.values())

    @property
    def knowns(self) -> tuple[sp.Symbol, ...]:
        """Old values of the fields in order, then old momenta."""
        return (*self.old.values(), *self.momentum_old.values())

    def matrices(self, branch: str = "") -> tuple[sp.Matrix, sp.Matrix, sp.Matrix]:
        """B, D, z with ``B y = D x + z``, eq. (69), on a branch."""
        rows = self.branches[branch or next(iter(self.branches))]
        B = sp.Matrix([[sp.expand(row).coeff(y) for y in self.unknowns] for row in rows])
        D = sp.Matrix([[-sp.expand(row).coeff(x) for x in self.knowns] for row in rows])
        z = -sp.Matrix(rows) + B * sp.Matrix(self.unknowns) - D * sp.Matrix(self.knowns)
        z = z.applyfunc(sp.expand)
        if z.has(*self.unknowns, *self.knowns):
            raise ActionError(f"the step of {self.action.name or 'this action'} is not linear: it has no matrices")
        return B, D, z

    def amplification(self, branch: str = "", values: Mapping[sp.Symbol, sp.Expr] | None = None) -> sp.Matrix:
        """The matrix that turns old (fields, momenta) into new ones at the end of the step, z = 0.

        ``values`` are put in before solving: with units in which mass and flexibility are 1, degree 3 takes a second.
        """
        B, D, _ = self.matrices(branch)
        if values:
            B, D = B.subs(values), D.subs(values)
        G = _solve(B, D)
        ends = [self.unknowns.index(self.new[q][-1]) for q in self.action.fields]
        ends += [self.unknowns.index(symbol) for symbol in self.momentum_new.values()]
        return G.extract(ends, range(G.cols))

    @cached_property
    def load_symbols(self) -> dict[AppliedUndef, list[sp.Symbol]]:
        """One load value per point of the rule and loaded field."""
        return {q: load_values(q, self.rule) for q in self.action.loads}


def step_form(action: Action, degree: int = 1) -> StepForm:
    """Substitute shape functions of the given degree and collect the virtual values, eqs. (48)-(52), (62)-(68)."""
    if action.space:
        raise ActionError("step_form: a continuum needs a discretisation in space first")
    if degree < 1:
        raise ActionError(f"step_form: the degree must be at least 1, got {degree}")
    N = shapes(degree)
    name = {q: q.func.__name__ for q in action.fields}
    old = {q: sp.Symbol(f"{name[q]}_0", real=True) for q in action.fields}
    new = {q: [sp.Symbol(f"{name[q]}_{i + 1}", real=True) for i in range(degree)] for q in action.fields}
    carriers = [q for q in action.fields if action.has_momentum[q]]
    p_old = {q: sp.Symbol(f"P_{name[q]}_0", real=True) for q in carriers}
    p_new = {q: sp.Symbol(f"P_{name[q]}_1", real=True) for q in carriers}
    trial: dict[sp.Basic, sp.Expr] = {t: t_0 + tau * h}
    for q in action.fields:
        history = sum((n * v for n, v in zip(N, [old[q], *new[q]], strict=True)), sp.S.Zero)
        trial[q.diff(t)] = sp.expand(sp.diff(history, tau) / h)
        trial[q] = sp.expand(history)
    branches, conditions = forces_by_branch(action)
    rule, found = gauss_rule(degree), {}
    for branch, forces in branches.items():
        rows: list[sp.Expr] = []
        for q in action.fields:
            # A field without momentum has no end term: s rows for s unknowns need tests of degree s − 1.
            tests = N if q in p_old else shapes(degree - 1)
            for i, test in enumerate(tests):
                row = virtual_work(action, q, test, trial, forces[q], rule)
                if q in p_old:
                    row += (p_new[q] if i == degree else 0) - (p_old[q] if i == 0 else 0)
                rows.append(sp.expand(row))
        found[branch] = tuple(rows)
    met = {branch: condition.xreplace(trial) for branch, condition in conditions.items()}
    return StepForm(action, degree, new, old, p_new, p_old, found, met, rule)


def virtual_work(
    action: Action, q: AppliedUndef, test: sp.Expr, trial: dict[sp.Basic, sp.Expr], force: sp.Expr, rule: QuadratureRule
) -> sp.Expr:
    """∫ (−L_q̇ δq̇ − L_q δq + φ_q̇ δq − Q δq) dt for one virtual value, summed by the rule."""
    rate, value = partial(action.lagrangian, q, (t,)), partial(action.lagrangian, q)
    integrand = -rate.xreplace(trial) * sp.diff(test, tau) / h + (force - value).xreplace(trial) * test
    row = h * rule.integral(integrand)
    if q in action.loads:
        row -= h * sum((f * x for f, x in zip(rule.weighted(test), load_values(q, rule), strict=True)), sp.S.Zero)
    return row


def load_values(q: AppliedUndef, rule: QuadratureRule) -> list[sp.Symbol]:
    """The load on a field at the points of a rule, as symbols."""
    name = f"f_{q.func.__name__}"
    return [sp.Symbol(name if rule.size == 1 else f"{name}_{i + 1}", real=True) for i in range(rule.size)]


def forces_by_branch(action: Action) -> tuple[dict[str, dict[AppliedUndef, sp.Expr]], dict[str, sp.Basic]]:
    """The dissipative forces on each branch of a piecewise potential, named by their conditions' order."""
    potential = sp.piecewise_fold(action.dissipation)
    if not isinstance(potential, sp.Piecewise):
        return {"smooth": {q: action.dissipative_force(q) for q in action.fields}}, {"smooth": sp.true}
    forces, conditions = {}, {}
    for i, (piece, condition) in enumerate(potential.args):
        label = BRANCH_NAMES[i] if len(potential.args) == len(BRANCH_NAMES) else f"branch {i + 1}"
        forces[label] = {q: partial(piece, q, (t,)) for q in action.fields}
        conditions[label] = condition
    return forces, conditions


def slider_potential(rate: sp.Expr, yield_force: sp.Expr, viscosity: sp.Expr) -> sp.Piecewise:
    """φ = ⟨|J̇| − Fy⟩²/2η, eq. (56), piece by piece."""
    return sp.Piecewise(
        ((rate - yield_force) ** 2 / (2 * viscosity), rate > yield_force),
        ((rate + yield_force) ** 2 / (2 * viscosity), rate < -yield_force),
        (0, True),
    )


def _solve(B: sp.Matrix, D: sp.Matrix) -> sp.Matrix:
    """B⁻¹D over the field of rational functions, where elimination stays fast."""
    from sympy.polys.matrices import DomainMatrix

    left, right = DomainMatrix.from_Matrix(B), DomainMatrix.from_Matrix(D)
    left, right = left.unify(right)
    left, right = left.to_field(), right.to_field()
    return left.lu_solve(right).to_Matrix().applyfunc(sp.cancel)
