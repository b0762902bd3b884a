"""What is left of the strength of springs that degrade."""

import numpy as np
import pytest

import hamex as hx
from hamex.solution.results import strength_left


def pushed(law, way=1.0):
    """An oscillator that is pushed slowly beyond the cap of its spring."""
    model = hx.oscillator(mass=1.0, stiffness=100.0, damping=40.0, law=law)
    load = hx.Load(way * np.linspace(0.0, 3.0, 401), step=0.01)
    return hx.solve(hx.Problem(model, load, duration=4.0), hx.Galerkin(0.01), limit=hx.Limit(None, stop=False))


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_beyond_the_cap_it_is_the_force_over_that_of_the_cap(way):
    law = hx.laws.Bilinear(yield_force=1.0, cap_ratio=1.5, plastic=0.02, post_cap=0.6)  # analytic: the falling branch
    sol = pushed(law, way)
    e = np.abs(sol.values("deformation")[:, 0])
    assert np.all(np.diff(e) >= 0)
    assert 0.05 < e[-1] < 0.6  # beyond the cap at 0.03, before the end of the branch
    left = strength_left(sol, np.arange(sol.steps + 1))[:, 0]
    assert left == pytest.approx(1.0 - np.maximum(e - 0.03, 0.0) / 0.6, abs=1e-12)


def test_it_does_not_depend_on_the_nodes_asked_for_and_never_grows():
    law = hx.laws.IMK(1.0, cap_ratio=1.1, plastic=0.03, post_cap=0.3, reloading="pinching", lambda_s=0.5, kappa_f=0.4)
    model = hx.oscillator(mass=1.0, stiffness=100.0, damping=0.3, law=law)
    sol = hx.solve(hx.Problem(model, hx.el_centro().scaled(1.0).on(model, g=9.81), 31.18), hx.Galerkin(0.02))
    every = strength_left(sol, np.arange(0, sol.steps + 1, 10))[:, 0]
    assert every[[0, 40, 80]] == pytest.approx(strength_left(sol, np.array([0, 400, 800]))[:, 0], abs=1e-12)
    assert np.all(np.diff(every) <= 1e-12)
    assert every[-1] < 0.8


def test_springs_that_cannot_lose_any_have_none():
    model = hx.shear_frame(
        [1.0, 1.0], [100.0, 100.0], laws=[hx.Slider(1.0), hx.laws.Bilinear(1.0, post_cap=0.5, plastic=0.01)]
    )
    sol = hx.solve(hx.Problem(model, hx.el_centro().on(model, g=1.0), 31.18), hx.Galerkin(0.02))
    left = strength_left(sol, np.array([0, 10]))
    assert np.isnan(left[:, 0]).all()
    assert np.isfinite(left[:, 1]).all()
