"""Lock 3: a kernel is any code that kills the residual of the action. Nothing here is shared with the kernels."""

import numpy as np
import pytest
import sympy as sp

import hamex as hx
from hamex.principle.library import action
from hamex.principle.stepform import h, step_form

H, STEPS = 0.05, 400
NUMBERS = {"m": 1.3, "c": 0.8, "a": 1 / 90.0, "F_y": 0.6, "eta": 0.9}


@pytest.fixture(scope="module")
def residuals():
    """Row functions of the viscoplastic action, one per branch, in (old, new, load)."""
    form = step_form(action("viscoplastic"))
    load = form.load_symbols[form.action.fields[0]][0]
    order = [*form.knowns, *form.unknowns, load]
    values = {h: H} | {
        s: NUMBERS[s.name]
        for rows in form.branches.values()
        for row in rows
        for s in row.free_symbols
        if s.name in NUMBERS
    }
    return {name: sp.lambdify(order, [row.subs(values) for row in rows]) for name, rows in form.branches.items()}


def marched(rule, seed):
    rng = np.random.default_rng(seed)
    model = hx.oscillator(NUMBERS["m"], 1 / NUMBERS["a"], NUMBERS["c"], hx.Slider(NUMBERS["F_y"], NUMBERS["eta"]))
    load = hx.Load(2 * rng.normal(size=STEPS + 1), step=H)
    start = hx.State(displacement=0.01 * rng.normal(), momentum=0.1 * rng.normal(), slip=0.01 * rng.normal())
    return hx.solve(hx.Problem(model, load, STEPS * H, start=start), hx.Galerkin(H, load=rule))


def branch_of(force):
    return np.where(force > NUMBERS["F_y"], "plus", np.where(force < -NUMBERS["F_y"], "minus", "elastic"))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("rule", ["average", "end", "mean"])
def test_marched_states_kill_the_residual_on_every_branch(residuals, rule, seed):
    sol = marched(rule, seed)
    state = np.hstack([sol.values("displacement"), sol.values("impulse"), sol.values("momentum"), -sol.values("slip")])
    branches = branch_of(sol.values("force")[:, 0])
    assert set(branches) == {"plus", "minus", "elastic"}
    size = max(np.abs(sol.values("momentum")).max(), np.abs(sol.values("displacement")).max())
    worst = 0.0
    for r, name in enumerate(branches):
        rows = residuals[str(name)](*state[r], *state[r + 1], sol.values("load")[r, 0])
        worst = max(worst, float(np.abs(rows).max()))
    assert worst <= 1e-13 * max(size, 1.0)


def test_a_wrong_branch_does_not_vanish(residuals):
    """The lock can fail: on slipping steps the elastic rows are far from zero."""
    sol = marched("average", 0)
    state = np.hstack([sol.values("displacement"), sol.values("impulse"), sol.values("momentum"), -sol.values("slip")])
    slipping = int(np.flatnonzero(branch_of(sol.values("force")[:, 0]) == "plus")[0])
    rows = residuals["elastic"](*state[slipping], *state[slipping + 1], sol.values("load")[slipping, 0])
    assert np.abs(rows).max() > 1e-5
