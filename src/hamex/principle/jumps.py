"""Step forms with jumps: fields of degree s in each step, free to jump between steps.

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

Nothing is assumed of the slip rates: the identity holds for any law taken at the Radau points, at round-off.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp
from sympy.core.function import AppliedUndef

from hamex.principle.action import Action, ActionError
from hamex.principle.jets import t
from hamex.principle.stepform import StepForm, forces_by_branch, h, radau_rule, shapes, t_0, tau, virtual_work

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
class Balance:
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


def jump_balance(form: StepForm, branch: str = "") -> Balance:
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
    supplied = sum(
        (
            h * weight * load
            for q, values in form.load_symbols.items()
            for weight, load in zip(form.rule.weighted(trial[q.diff(t)]), values, strict=True)
        ),
        sp.S.Zero,
    )
    rest = sp.expand(work - gained - jumps - dissipated + supplied)
    return Balance(gained, jumps, dissipated, supplied, rest, before, {q: jump[q.diff(t)] for q in action.fields})


def _quadratic(action: Action) -> bool:
    """A quadratic form of places and rates with constant coefficients."""
    flat = {x: sp.Dummy() for q in action.fields for x in (q.diff(t), q)}
    L, z = action.lagrangian.xreplace(flat), list(flat.values())
    second = sp.hessian(L, z)
    form = (sp.Matrix([z]) * second * sp.Matrix(z))[0] / 2
    return not second.has(t, *z) and sp.expand(L - form) == 0
