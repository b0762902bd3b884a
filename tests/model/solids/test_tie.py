"""Structures on bodies: one model, against the structure on rigid ground and the flexibility of the body alone."""

import numpy as np
import pytest

import hamex as hx
from hamex.errors import ModelError

COLUMN = {"modulus": 30e6, "area": 0.09, "inertia": 6.75e-4}


def portal():
    members = [hx.Member(a, b, **COLUMN) for a, b in (("A", "C"), ("B", "D"), ("C", "D"))]
    nodes = {"A": (-2.0, 0.0), "B": (2.0, 0.0), "C": (-2.0, 3.0), "D": (2.0, 3.0)}
    return hx.frame(
        nodes, members, {"A": "fixed", "B": "fixed"}, {"C": 10.0, "D": 10.0}, hx.rayleigh(0.03), levels=[["C", "D"]]
    )


def ground(modulus, **more):
    soil = hx.Material(density=2.0, modulus=modulus, poisson=0.3)
    return hx.solid(hx.meshes.half_space(16.0, 6.0, (16, 6)), soil, fixed=["bottom"], **more)


PLACES = {"A": (-2.0, 0.0), "B": (2.0, 0.0)}


def test_on_stiff_ground_a_frame_is_the_frame_on_rigid_ground():
    frame, both = portal(), hx.tie(portal(), ground(1e12), PLACES)
    own = hx.modes(frame, 2).frequencies
    assert hx.modes(both, 2).frequencies == pytest.approx(own, rel=2e-5)
    motion = hx.el_centro()
    alone, on = (
        hx.solve(hx.Problem(model, motion.on(model, g=9.81), duration=2.0), hx.Galerkin(0.01))
        for model in (frame, both)
    )
    assert on.residual < 1e-10
    assert on.values("storey_drift") == pytest.approx(alone.values("storey_drift"), rel=0, abs=2e-4 * 0.01)
    assert np.abs(alone.values("storey_drift")).max() > 0.005


def test_a_column_on_soft_ground_rests_on_the_flexibility_of_the_body():
    """Static: the tip follows the base (its displacement and its height times its rotation) and bends by itself."""
    column = hx.Member("A", "B", **COLUMN)
    mast = hx.frame({"A": (0, 0), "B": (0, 3)}, [column], {"A": "fixed"}, {"B": 10.0})
    soil = ground(40e3)
    both = hx.tie(mast, soil, {"A": (0.0, 0.0)})
    K = both.stiffness + both.compatibility @ np.linalg.inv(both.flexibility.toarray()) @ both.compatibility.T
    push = np.zeros(len(both.dofs))
    push[both.dofs.index("B.x")] = 1.0
    tip = np.linalg.solve(K, push)[both.dofs.index("B.x")]
    alone = np.linalg.solve(
        (mast.compatibility @ np.linalg.inv(mast.flexibility.toarray()) @ mast.compatibility.T), [1.0, 0.0, 0.0]
    )[0]
    body = soil.body
    values, slopes = body.interpolation([[0.0, 0.0]]), body.slopes(np.array([0.0, 0.0]))
    moved = np.stack(
        [
            (values @ body.motion[0::2]).toarray()[0],
            0.5 * ((slopes[[0]] @ body.motion[1::2]) - (slopes[[1]] @ body.motion[0::2])).toarray()[0],
        ]
    )
    base = moved @ np.linalg.solve(soil.stiffness.toarray(), moved.T)  # displacement and rotation by force and moment
    lever = np.array([1.0, -3.0])  # a force at the tip is one at the base and a moment −3, clockwise
    assert tip == pytest.approx(alone + lever @ base @ lever, rel=1e-9)
    assert tip > 1.05 * alone


def test_drift_and_damping_are_relative_to_the_base():
    """Ground that moves as a whole bends no column: all tied motion rigid, no spring of the frame is strained."""
    both = hx.tie(portal(), ground(1e5), PLACES)
    rigid = both.influence[:, 0]
    assert both.storeys.drift @ rigid == pytest.approx([0.0], abs=1e-12)
    strained = both.compatibility.T @ rigid
    assert np.abs(strained).max() < 1e-12
    only = hx.tie(portal(), ground(1e5), PLACES).damping
    assert np.abs(only.dense() @ rigid).max() < 1e-9 * np.abs(only.dense()).max()


def test_a_rod_stands_on_a_body_in_one_direction():
    rod = hx.rod(3.0, 3, 1e5, 2.0)
    both = hx.tie(rod, ground(1e5), {"node 0": ((0.0, 0.0), "y")})
    assert both.support_names == ()
    assert both.influence[-3:].tolist() == [[0.0, 1.0]] * 3
    assert both.mass.sum() == pytest.approx(ground(1e5).mass.sum() + rod.mass.sum(), rel=1e-12)


@pytest.mark.parametrize(
    ("places", "word"),
    [
        ({"Z": (0.0, 0.0)}, "no support"),
        ({"A": (50.0, 0.0)}, "not in the body"),
        ({}, "must map"),
        ({"A": "x"}, "coordinates"),
    ],
)
def test_ties_that_cannot_be_are_refused(places, word):
    with pytest.raises(ModelError, match=word):
        hx.tie(portal(), ground(1e5), places)
    with pytest.raises(ModelError, match="ties a structure"):
        hx.tie(ground(1e5), ground(1e5), PLACES)
