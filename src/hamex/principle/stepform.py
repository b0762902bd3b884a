"""Step forms: the extended principle over one step, fields and their variations of degree s in time.

Rows are the coefficients of the virtual values δq_i, i = 0 … s: trial values at the start of a step are given, test
functions there are free. Integrals use s Gauss points: exact for the mixed forms of the paper, and what makes terms in
the displacement alone unconditionally stable.

The points of a rule are roots of a polynomial N, and its sums need no roots: with p = q·N + r the rule sees only r and
integrates it exactly, so that polynomials are summed in rational numbers. What is no polynomial (a pendulum, explicit
time) is taken at the points.

Step forms with jumps: fields of degree s in each step, free to jump between steps.

The extended principle reserves one value of place and momentum at both ends of its window, eq. (29), and assigns what
is given at the start, eqs. (32)-(33). Taken for one step after the other, what is given is what the last step left:

* The place is assigned weakly. A history that jumps from q₋ to q₊ at t_{r−1} has the rate q̇ + [q]δ(t − t_{r−1}); among
  polynomials of degree s that is v = q̇ + [q]ℓ/h, where ∫ℓπ dτ = π(0) for every π of degree s. L and φ take v for the
  rate, and s + 1 values of q are unknown.
* The momentum is assigned by the bracket: P̂ at the start is the old momentum, P̂ at the end the trace of ∂L/∂v:

      −∫ (P δq̇ + L_q δq) dt + ∫ (φ_v − Q) δq dt + P(t_r) δq(t_r) − P̂_{r−1} δq(t_{r−1}) = 0,   P = ∂L/∂v.

By parts this is ∫ (Ṗ − L_q + φ_v − Q) δq dt + [P] δq(t_{r−1}) = 0: the jump of the momentum works on δq. The assignment
matters: plain stationarity of the action summed over the steps would put the momentum on the far side of the jump in
the bracket, and degree 0 would be the symplectic Euler step, conditionally stable, instead of an L-stable one.

Integrals are sums over the s + 1 right Radau points: exact up to degree 2s, hence for everything in a quadratic
Lagrangian, and with a point at t_r, where the momentum is handed over.

The energy identity of such a step is read off its rows. Take the rates for the virtual values, δq = v. Each term of a
quadratic Lagrangian then meets ∫ẏy dt + [y]y₊ = ½y_r² − ½y_{r−1}² + ½[y]², and what is left over is

    H(t_r) − H(t_{r−1}) + H([q], [v]) + h Σ wᵢ (φ_v v)ᵢ = h Σ wᵢ (Q v)ᵢ,

with H = Σ P v − L, [v] the jump of the rates and wᵢ the weights of the Radau points. A jump costs the energy of the
jump itself, never negative where H is not. For the structure (F = v_J, X = v_X, R = v_R; slip rates g, w as forces):

    Δ(½m v² + ½k u² + ½a F² + ½x X² + ½r R²) + ½m[v]² + ½k[u]² + ½a[F]² + ½x[X]² + ½r[R]²
        + h Σ wᵢ (c v² + g(F − X) − w R)ᵢ = h Σ wᵢ (f v)ᵢ.

Nothing is assumed of the slip rates: the identity holds for any law taken at the Radau points, at round-off."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

import sympy as sp
from sympy.core.function import AppliedUndef

from hamex.principle.action import Action, ActionError
from hamex.principle.jets import partial, t
from hamex.principle.readable import solve

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
        parts = (term.as_independent(tau, as_Add=False) for term in sp.Add.make_args(expanded))
        return sp.expand(sum((c * _moment(self, power) for c, power in parts), sp.S.Zero))


@lru_cache
def _moment(rule: QuadratureRule, power: sp.Expr) -> sp.Expr:
    """The sum over the points of a power of τ."""
    return sum((c / (n + 1) for (n,), c in sp.Poly(power, tau).rem(rule.nodal).terms()), sp.S.Zero)


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
        branch = branch or next(iter(self.branches))
        if branch not in self._known:
            self._known[branch] = self._matrices(branch)
        return self._known[branch]

    @cached_property
    def _known(self) -> dict[str, tuple[sp.Matrix, sp.Matrix, sp.Matrix]]:
        return {}

    def _matrices(self, branch: str) -> tuple[sp.Matrix, sp.Matrix, sp.Matrix]:
        rows = [sp.expand(row) for row in self.branches[branch]]
        B = sp.Matrix([[row.coeff(y) for y in self.unknowns] for row in rows])
        D = sp.Matrix([[-row.coeff(x) for x in self.knowns] for row in rows])
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
        G = solve(B, D)
        ends = [self.unknowns.index(self.new[q][-1]) for q in self.action.fields]
        ends += [self.unknowns.index(symbol) for symbol in self.momentum_new.values()]
        return G.extract(ends, range(G.cols))

    @cached_property
    def load_symbols(self) -> dict[AppliedUndef, list[sp.Symbol]]:
        """One load value per point of the rule and field with a load of time."""
        return {q: load_values(q, self.rule) for q in self.action.loads if load_parts(self.action, q)[0] != 0}


def step_form(action: Action, degree: int = 1) -> StepForm:
    """Substitute shape functions of the given degree and collect the virtual values, eqs. (48)-(52), (62)-(68)."""
    if action.space:
        raise ActionError("step_form: a continuum needs a discretisation in space first")
    if action.constrained().constraints:
        raise ActionError("step_form: constraints have no rows in a step form; hamex.simulate keeps them")
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
    """∫ (−L_q̇ δq̇ − L_q δq + φ_q̇ δq − Q δq) dt for one virtual value, summed by the rule.

    What a load has of time alone enters as one symbol per point; what depends on places or rates, as it stands there.
    """
    rate, value = partial(action.lagrangian, q, (t,)), partial(action.lagrangian, q)
    given, moved = load_parts(action, q)
    integrand = -rate.xreplace(trial) * sp.diff(test, tau) / h + (force - value - moved).xreplace(trial) * test
    row = h * rule.integral(integrand)
    if given != 0:
        row -= h * sum((f * x for f, x in zip(rule.weighted(test), load_values(q, rule), strict=True)), sp.S.Zero)
    return row


def load_parts(action: Action, q: AppliedUndef) -> tuple[sp.Expr, sp.Expr]:
    """The load on a field as a sum: a function of time, and what depends on places or rates."""
    load = action.loads.get(q, sp.S.Zero)
    if not load.has(*action.fields):
        return load, sp.S.Zero
    given, moved = sp.expand(load).as_independent(*action.fields, as_Add=True)
    return given, moved


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


Trial = dict[sp.Basic, sp.Expr]


def lifting(degree: int) -> sp.Expr:
    """ℓ with ∫ℓπ dτ = π(0) for every polynomial π of the degree: the jump at the start, seen by such polynomials."""
    N = shapes(degree)
    gram = sp.Matrix([[sp.integrate(sp.expand(a * b), (tau, 0, 1)) for b in N] for a in N])
    values = gram.LUsolve(sp.Matrix([n.subs(tau, 0) for n in N]))
    return sp.expand(sum((c * n for c, n in zip(values, N, strict=True)), sp.S.Zero))


def histories(
    action: Action, degree: int, old: dict[AppliedUndef, sp.Symbol], new: dict[AppliedUndef, list[sp.Symbol]]
) -> Trial:
    """Each field in the step, and its rate with the jump in it."""
    N, ell = shapes(degree), lifting(degree)
    trial: Trial = {t: t_0 + tau * h}
    for q in action.fields:
        inside = sum((n * x for n, x in zip(N, new[q], strict=True)), sp.S.Zero)
        jump = inside.subs(tau, 0) - old[q]
        trial[q.diff(t)] = sp.expand((sp.diff(inside, tau) + jump * ell) / h)
        trial[q] = sp.expand(inside)
    return trial


def jump_form(action: Action, degree: int = 0) -> StepForm:
    """One step with a jump at its start; ``new`` lists the values at τ = 0₊, 1/s, …, 1 (degree 0: the one value).

    Fields without momentum need no other test space here: s + 1 tests meet s + 1 values.
    """
    if action.space:
        raise ActionError("jump_form: a continuum needs a discretisation in space first")
    if action.constrained().constraints:
        raise ActionError("jump_form: constraints have no rows in a step form; hamex.simulate keeps them")
    if degree < 0:
        raise ActionError(f"jump_form: the degree must not be negative, got {degree}")
    name = {q: q.func.__name__ for q in action.fields}
    old = {q: sp.Symbol(f"{name[q]}_0", real=True) for q in action.fields}
    new = {q: [sp.Symbol(f"{name[q]}_{i + 1}", real=True) for i in range(degree + 1)] for q in action.fields}
    carriers = [q for q in action.fields if action.has_momentum[q]]
    p_old = {q: sp.Symbol(f"P_{name[q]}_0", real=True) for q in carriers}
    p_new = {q: sp.Symbol(f"P_{name[q]}_1", real=True) for q in carriers}
    trial = histories(action, degree, old, new)
    branches, conditions = forces_by_branch(action)
    rule, found = radau_rule(degree + 1), {}
    handed = [sp.expand(p_new[q] - action.momentum(q).xreplace(trial).subs(tau, 1)) for q in carriers]
    for branch, forces in branches.items():
        rows: list[sp.Expr] = []
        for q in action.fields:
            for test in shapes(degree):
                row = virtual_work(action, q, test, trial, forces[q], rule)
                if q in p_old:
                    row += p_new[q] * test.subs(tau, 1) - p_old[q] * test.subs(tau, 0)
                rows.append(sp.expand(row))
        found[branch] = (*rows, *handed)
    met = {branch: condition.xreplace(trial) for branch, condition in conditions.items()}
    return StepForm(action, degree, new, old, p_new, p_old, found, met, rule)


@dataclass(frozen=True)
class JumpBalance:
    """gained + jumps + dissipated = supplied whenever the rows vanish; ``rest`` is their difference from the rows.

    ``rates`` are symbols of the rates at the end of the step before, ``jump_rates`` the jumps of the rates.
    """

    gained: sp.Expr
    jumps: sp.Expr
    dissipated: sp.Expr
    supplied: sp.Expr
    rest: sp.Expr
    rates: dict[AppliedUndef, sp.Symbol]
    jump_rates: dict[AppliedUndef, sp.Expr]


def jump_balance(form: StepForm, branch: str = "") -> JumpBalance:
    """The identity of a form with jumps on a branch; ``rest`` vanishes identically."""
    action, s = form.action, form.degree
    name = branch or next(iter(form.branches))
    if not _quadratic(action):
        raise ActionError(
            f"the Lagrangian of {action.name or 'this action'} is not quadratic: its steps have no exact "
            "energy identity; report the drift instead"
        )
    trial = histories(action, s, form.old, form.new)
    before = {q: sp.Symbol(f"{q.func.__name__}_dot_0", real=True) for q in action.fields}
    old: Trial = {q.diff(t): before[q] for q in action.fields} | {q: form.old[q] for q in action.fields}
    start, end = ({key: sp.expand(e.subs(tau, instant)) for key, e in trial.items()} for instant in (0, 1))
    jump = {key: start[key] - value for key, value in old.items()}
    H = action.hamiltonian()
    momenta = {form.momentum_new[q]: action.momentum(q).xreplace(end) for q in form.momentum_new}
    momenta |= {form.momentum_old[q]: action.momentum(q).xreplace(old) for q in form.momentum_old}
    nodes = [sp.Rational(i, s) for i in range(s + 1)] if s else [sp.S.Zero]
    virtual = [trial[q.diff(t)].subs(tau, node) for q in action.fields for node in nodes]
    rows = form.branches[name][: len(virtual)]
    work = sum((row.xreplace(momenta) * v for row, v in zip(rows, virtual, strict=True)), sp.S.Zero)
    forces = forces_by_branch(action)[0][name]
    gained, jumps = H.xreplace(end) - H.xreplace(old), H.xreplace(jump)
    power = sum((forces[q] * q.diff(t) for q in action.fields), sp.S.Zero)
    dissipated = h * form.rule.integral(power.xreplace(trial))
    following = sum((load_parts(action, q)[1] * q.diff(t) for q in action.fields), sp.S.Zero)
    supplied = h * form.rule.integral(following.xreplace(trial)) + sum(
        (
            h * weight * load
            for q, values in form.load_symbols.items()
            for weight, load in zip(form.rule.weighted(trial[q.diff(t)]), values, strict=True)
        ),
        sp.S.Zero,
    )
    rest = sp.expand(work - gained - jumps - dissipated + supplied)
    return JumpBalance(gained, jumps, dissipated, supplied, rest, before, {q: jump[q.diff(t)] for q in action.fields})


def _quadratic(action: Action) -> bool:
    """A quadratic form of places and rates with constant coefficients."""
    flat = {x: sp.Dummy() for q in action.fields for x in (q.diff(t), q)}
    L, z = action.lagrangian.xreplace(flat), list(flat.values())
    second = sp.hessian(L, z)
    form = (sp.Matrix([z]) * second * sp.Matrix(z))[0] / 2
    return not second.has(t, *z) and sp.expand(L - form) == 0
