"""Residual lock for structures: marched states vanish in the rows of the action of two masses, on all nine branches.

The action shares nothing with the kernels. There is one for each combination of branches, with their dissipation.
"""

from itertools import product

import numpy as np
import pytest
import sympy as sp

import hamex as hx
from hamex.principle import t
from hamex.principle.stepform import h, step_form

H, STEPS = 0.05, 600
MASS, STIFF, YIELD, ETA, DAMPING = (1.3, 0.9), (90.0, 60.0), (0.6, 0.45), (0.9, 0.5), (0.8, 0.3)


def rows(branches):
    """Residual of one step in (old, new, loads), lambdified, when the sliders are on these branches."""
    u, v, J, I = (sp.Function(name)(t) for name in "uvJI")
    du, dv, dJ, dI = (q.diff(t) for q in (u, v, J, I))
    lagrangian = (MASS[0] * du**2 + MASS[1] * dv**2 + dJ**2 / STIFF[0] + dI**2 / STIFF[1]) / 2 - dJ * u - dI * (v - u)
    dissipation = (DAMPING[0] * du**2 + DAMPING[1] * (dv - du) ** 2) / 2
    for rate, q, fy, eta in zip((dJ, dI), branches, YIELD, ETA, strict=True):
        dissipation += abs(q) * (rate - q * fy) ** 2 / (2 * eta)
    f, g = sp.symbols("f g", real=True)
    form = step_form(hx.Action((u, v, J, I), lagrangian, dissipation, {u: f, v: g}))
    (residual,) = form.branches.values()
    loads = [symbol for symbols in form.load_symbols.values() for symbol in symbols]
    return sp.lambdify([*form.knowns, *form.unknowns, *loads], [row.subs(h, H) for row in residual])


@pytest.fixture(scope="module")
def residuals():
    return {branches: rows(branches) for branches in product((-1, 0, 1), repeat=2)}


def marched(seed, route):
    rng = np.random.default_rng(seed)
    laws = [hx.Slider(fy, eta) for fy, eta in zip(YIELD, ETA, strict=True)]
    links = () if route == "chain" else [hx.elastic_link(0, 2, 1e-40)]  # a spring that does nothing
    model = hx.shear_frame(MASS, STIFF, DAMPING, laws, links=links)
    load = hx.Load(3 * np.cumsum(rng.normal(size=(STEPS + 1, 2)), axis=0) % 4 - 2, step=H)
    start = hx.State(0.01 * rng.normal(size=2), 0.1 * rng.normal(size=2))
    return hx.solve(hx.Problem(model, load, STEPS * H, start=start), hx.Galerkin(H))


def states(sol):
    return np.hstack(
        [sol.values("displacement"), sol.values("impulse")[:, :2], sol.values("momentum"), -sol.values("slip")[:, :2]]
    )


@pytest.mark.parametrize("route", ["chain", "general"])
@pytest.mark.parametrize("seed", range(2))
def test_marched_states_kill_the_residual_on_all_nine_branches(residuals, seed, route):
    sol = marched(seed, route)
    state, force = states(sol), sol.values("force")[:, :2]
    branches = (np.sign(force) * (np.abs(force) > YIELD)).astype(int)
    assert {tuple(row) for row in branches.tolist()} == set(residuals)
    size = max(np.abs(state).max(), 1.0)
    for r, branch in enumerate(branches.tolist()):
        left = residuals[tuple(branch)](*state[r], *state[r + 1], *sol.values("load")[r])
        assert np.abs(left).max() <= 1e-13 * size


def test_a_wrong_branch_does_not_vanish(residuals):
    sol = marched(0, "chain")
    state, force = states(sol), sol.values("force")
    r = int(np.argmax(np.abs(force[:, 0])))
    wrong = (0, int(np.sign(force[r, 1]) * (abs(force[r, 1]) > YIELD[1])))
    assert np.abs(residuals[wrong](*state[r], *state[r + 1], *sol.values("load")[r])).max() > 1e-5
