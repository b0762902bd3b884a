"""Sidesway: told by the structure's own forces, not by a solver that fails. Analytic: the barrier of an elastic-plastic
storey with P-Delta."""

import numpy as np
import pytest

import hamex as hx
from hamex.errors import InputError
from hamex.study.ida import Hunt

K, FY, THETA, HEIGHT = 100.0, 1.0, 20.0, 3.0
STILL = hx.Load([[0.0], [0.0]], step=1.0)
ON = hx.Limit(None, stop=False)


def storey(law, theta=THETA):
    return hx.shear_frame([1.0], [K], laws=law, heights=HEIGHT, weights=theta * HEIGHT)


def barrier(theta=THETA):
    """Work to where the yield force balances the weight: ∫(F − θu)du up to u = Fy/θ."""
    at_yield, top = FY / K, FY / theta
    work = 0.5 * (K - theta) * at_yield**2 + FY * (top - at_yield) - 0.5 * theta * (top**2 - at_yield**2)
    return work, top


@pytest.mark.parametrize("law", [hx.Slider(FY), hx.laws.Bilinear(FY)])
def test_a_storey_goes_down_when_it_is_thrown_over_its_barrier(law):
    work, top = barrier()
    model, step = storey(law), 0.002
    for share, falls in ((0.93, False), (1.07, True)):
        start = hx.State(momentum=[share * np.sqrt(2 * work)])
        sol = hx.solve(hx.Problem(model, STILL, 1.2, start), hx.Galerkin(step, law="path"), limit=ON)
        assert (sol.collapse is not None) == falls
        if falls:
            assert sol.collapse.where == "storey 1"
            fastest = np.abs(sol.values("velocity")).max()
            assert sol.collapse.drift == pytest.approx(top, abs=2 * fastest * step)
            assert sol.collapse.mode.tolist() == [1.0]
            assert "goes down sideways" in str(sol.collapse)
        assert sol.residual < 1e-12


def test_a_drift_beyond_the_limit_is_no_collapse_by_itself():
    """Without weight nothing drives it on."""
    sol = hx.solve(
        hx.Problem(storey(hx.laws.Bilinear(FY), 1e-6), STILL, 1.0, hx.State(momentum=[1.0])),
        hx.Galerkin(0.01),
        limit=hx.Limit(drift=0.05),
    )
    assert sol.exceeded is not None
    assert sol.collapse is None


def test_a_soft_storey_goes_down_below_strong_ones():
    """Own: the storey that yields is the one that goes down, and the others ride on it as one."""
    laws = [hx.laws.Bilinear(FY, 1.05, plastic=0.02, post_cap=0.1), hx.laws.Bilinear(50.0), hx.laws.Bilinear(50.0)]
    model = hx.shear_frame([0.5] * 3, [K, 4 * K, 4 * K], damping=hx.ratio(0.02), laws=laws, heights=3.0, weights=12.0)
    push = hx.Load(np.full((3, 3), 0.5), step=1.0)
    sol = hx.solve(hx.Problem(model, push, 2.0), hx.Galerkin(0.005))
    assert sol.collapse is not None
    assert sol.collapse.where == "storey 1" == sol.exceeded.where
    assert sol.collapse.time < sol.exceeded.time
    assert sol.collapse.mode.min() > 0.95
    with pytest.raises(InputError, match="not every step was kept"):
        assert hx.solve(hx.Problem(model, push, 2.0), hx.Galerkin(0.005), keep=10, limit=ON).collapse


# --- to collapse by halving ---------------------------------------------------------------------------------------


def degrading():
    law = hx.laws.IMK(FY, 1.1, 0.03, 0.15, 0.1, reloading="peak", lambda_s=1.0, lambda_k=1.0)
    return hx.shear_frame([1.0], [K], damping=hx.ratio(0.05), laws=law, heights=1.0, weights=3.0)


def records():
    rng = np.random.default_rng(5)
    times = 0.02 * np.arange(500)
    return [
        hx.GroundMotion(0.1 * np.exp(-0.2 * times) * np.sin(rng.uniform(4, 12) * times + rng.uniform(0, 6)), 0.02, "g")
        for _ in range(4)
    ]


def test_records_are_followed_to_collapse_by_halving():
    study = hx.Study(degrading(), {"record": records()}, ("drift",), hx.Galerkin(0.02), g=9.81)
    hunting = Hunt(first=0.2, step=0.2, growth=0.1, runs=40, tolerance=0.02)
    (curves,) = found = hx.ida(study, "drift_ratio", None, intensity=hx.Pga(), hunting=hunting, workers=1)
    assert curves.limit == 0.1
    assert np.isfinite(curves.capacities).all()
    for motion, capacity in zip(records(), curves.capacities, strict=True):
        fell = []
        for share in (0.97, 1.03):
            load = motion.scaled(share * capacity / motion.peak).on(degrading(), g=9.81)
            fell.append(
                hx.solve(hx.Problem(degrading(), load, motion.duration), hx.Galerkin(0.02)).exceeded is not None
            )
        assert fell == [False, True]
    assert len(found.columns["status"]) < 4 * 20  # a handful of steps up, and six halvings
    fit = curves.fragility()
    assert fit.median == pytest.approx(np.exp(np.log(curves.capacities).mean()), rel=1e-6)
    assert fit.margin(0.5) == fit.median / 0.5


def test_what_is_no_way_to_collapse_is_named():
    study = hx.Study(degrading(), {"record": records()}, ("drift", "force"), hx.Galerkin(0.02), g=9.81)
    with pytest.raises(InputError, match="collapse is the storey drift ratio at which runs end"):
        hx.ida(study, "force", None, intensity=hx.Pga(), hunting=Hunt(0.2, 0.2))
    with pytest.raises(InputError, match="tolerance must be a share"):
        Hunt(0.2, 0.2, tolerance=1.5)
