"""The energy identity of a step with a jump, read off its rows.

Take the rates for the virtual values, δq = v. Each term of a quadratic Lagrangian then meets ∫ẏy dt + [y]y₊ =
½y_r² − ½y_{r−1}² + ½[y]², and what is left over is

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
from hamex.principle.jumps import Trial, histories
from hamex.principle.quadrature import tau
from hamex.principle.stepform import StepForm, forces_by_branch, h


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
