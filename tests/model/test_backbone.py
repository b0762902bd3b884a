"""Parallel laws and backbones: exact at the points, Masing loops, stated error, softening refused."""

import math

import numpy as np
import pytest

import hamex as hx
from hamex.errors import LawError

POINTS = [(0.01, 10.0), (0.03, 16.0), (0.08, 20.0), (0.2, 23.0)]


def cycle(law, path):
    """Forces along a path of deformations, each part a rate-independent slider with return map."""
    slips = np.zeros(len(law.parts))
    forces = []
    for d in path:
        total = 0.0
        for place, (k, slider) in enumerate(law.parts):
            trial = k * (d - slips[place])
            force = np.clip(trial, -slider.yield_force, slider.yield_force)
            slips[place] = d - force / k
            total += force
        forces.append(total)
    return np.array(forces)


def test_a_backbone_passes_through_its_points():
    law = hx.backbone(POINTS)
    d, f = np.array(POINTS).T
    assert np.allclose(law.force(d), f, rtol=1e-13)
    assert np.allclose(law.force(-d), -f, rtol=1e-13)
    assert law.force((d[1] + d[2]) / 2) == pytest.approx((f[1] + f[2]) / 2)
    assert law.stiffness == pytest.approx(1000.0)
    assert law.error == 0


def test_slow_loading_of_the_parts_follows_the_backbone():
    law = hx.backbone(POINTS)
    path = np.linspace(0, 0.3, 601)
    assert np.allclose(cycle(law, path), law.force(path), atol=1e-11)


def test_loops_obey_masing():
    """From a reversal at (d0, f0) the branch is f0 − 2 f((d0 − d)/2)."""
    law = hx.backbone(POINTS)
    up, down = np.linspace(0, 0.1, 401), np.linspace(0.1, -0.1, 801)
    back = cycle(law, np.concatenate([up, down]))[up.size :]
    assert np.allclose(back, law.force(0.1) - 2 * law.force((0.1 - down) / 2), atol=1e-11)


def test_the_last_slope_goes_on_unless_told_otherwise():
    assert hx.backbone(POINTS).force(0.4) == pytest.approx(23 + 0.2 * 25)
    assert hx.backbone(POINTS, final_slope=0.0).force(0.4) == pytest.approx(23)
    assert hx.backbone(POINTS, final_slope=10.0).force(0.4) == pytest.approx(25)


def test_one_point_and_no_slope_is_elastic_perfectly_plastic():
    law = hx.backbone([(0.02, 4.0)], final_slope=0.0)
    assert law.parts == ((200.0, hx.Slider(4.0)),)


def test_points_on_a_line_are_one_piece_and_the_origin_may_be_given():
    law = hx.backbone([(0, 0), (0.01, 1.0), (0.02, 2.0), (0.04, 2.0)])
    assert len(law.parts) == 1
    assert law.parts[0][1].yield_force == pytest.approx(2.0)


def test_viscosity_is_shared_by_stiffness():
    law = hx.backbone(POINTS, viscosity=8.0)
    assert [part[1].viscosity / part[0] for part in law.parts[:3]] == pytest.approx([0.008] * 3)


def menegotto(d):
    return 5.0 * d + 95.0 * d / (1 + (d / 0.02) ** 4) ** 0.25


@pytest.mark.parametrize(
    "curve",
    [menegotto, lambda d: 3 * math.tanh(d / 0.03), lambda d: 1 - math.exp(-d / 0.05)],
    ids=["menegotto", "tanh", "exponential"],
)
def test_a_smooth_curve_is_met_with_the_error_that_is_stated(curve):
    d = np.linspace(0, 0.3, 1234)
    exact = np.array([curve(x) for x in d])
    errors = []
    for count in (4, 8, 16):
        law = hx.backbone(curve, limit=0.3, count=count)
        errors.append(abs(law.force(d) - exact).max() / exact.max())
        assert errors[-1] == pytest.approx(law.error, rel=0.2)
        assert law.force(0.3) == pytest.approx(exact[-1], rel=1e-9)
    assert errors[0] > 2.5 * errors[1] > 6 * errors[2]


def test_ramberg_osgood_by_its_points():
    force = np.linspace(0.5, 12, 12)
    deformation = force / 500 + 0.002 * (force / 8) ** 7
    law = hx.backbone(list(zip(deformation, force, strict=True)))
    assert np.allclose(law.force(deformation), force, rtol=1e-12)


@pytest.mark.parametrize(
    ("points", "options", "message"),
    [
        ([(0.01, 1), (0.02, 0.9)], {}, r"softening: the force falls beyond deformation 0\.01"),
        ([(0.01, 1), (0.02, 3)], {}, r"not concave: it stiffens beyond deformation 0\.01"),
        ([(0.01, -1)], {}, "first slope must be positive"),
        ([(0.02, 1), (0.01, 2)], {}, "deformation of point 2 must exceed that of point 1"),
        ([(0.01, math.nan)], {}, "point 1"),
        ([(-0.01, 1)], {}, "point 1"),
        ([], {}, "no points"),
        ([(0, 0)], {}, "no points"),
        (3.0, {}, "points are pairs"),
        ([(0.01, 1)], {"final_slope": -1.0}, "final_slope must be between 0 and the last slope 100"),
        ([(0.01, 1)], {"final_slope": 101.0}, "final_slope must be between"),
        (math.sin, {"limit": 3.0}, "softening: the force falls beyond"),
        (lambda d: d**2, {"limit": 3.0}, "not concave|first slope"),
        (lambda d: 1 + d, {"limit": 3.0}, "zero at zero deformation"),
        (math.tanh, {}, "a function needs limit > 0"),
        (math.tanh, {"limit": 1.0, "count": 0}, "count of at least one"),
    ],
    ids=lambda x: getattr(x, "__name__", str(x)),
)
def test_what_is_no_convex_law_is_refused(points, options, message):
    with pytest.raises(LawError, match=f"backbone: .*({message})"):
        hx.backbone(points, **options)


@pytest.mark.parametrize("parts", [(), ((0.0, hx.Slider(1.0)),), ((1.0, 2.0),), ((1.0,),)], ids=str)
def test_parts_are_checked(parts):
    with pytest.raises(LawError, match="Parallel: "):
        hx.Parallel(parts)
