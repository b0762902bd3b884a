"""The shear frame: matrices by hand, P-Delta, supports, and a message for every wrong input."""

import math

import numpy as np
import pytest

import hamex as hx
from hamex.errors import ModelError
from hamex.model.record import dense

GOOD = {"masses": [3.0, 2.0, 1.0], "stiffnesses": [300.0, 200.0, 100.0]}


def elastic(model):
    b = dense(model.compatibility)
    return dense(model.stiffness) + b @ np.linalg.inv(dense(model.flexibility)) @ b.T


def test_the_stiffness_is_that_of_a_chain():
    model = hx.shear_frame(**GOOD)
    assert np.allclose(elastic(model), [[500, -200, 0], [-200, 300, -100], [0, -100, 100]], rtol=1e-14, atol=1e-12)
    assert dense(model.mass).tolist() == np.diag([3.0, 2.0, 1.0]).tolist()
    assert dense(model.stiffness).tolist() == np.zeros((3, 3)).tolist()
    assert model.dofs == ("floor 1", "floor 2", "floor 3")
    assert model.springs == tuple(model.groups) == ("storey 1", "storey 2", "storey 3")
    assert model.influence.tolist() == [[1.0]] * 3


def test_the_ground_is_the_one_support_and_rigid_motion_strains_nothing():
    links = [hx.elastic_link(0, 2, 5.0), hx.elastic_link(3, "ground", 5.0), hx.friction_slider(1, 3, 2.0, 5.0)]
    model = hx.shear_frame(**GOOD, links=links)
    assert model.support_names == ("ground",)
    assert np.abs(model.compatibility.T @ np.ones(3) + model.supports.T @ np.ones(1)).max() < 1e-15
    assert abs(dense(model.supports)).sum() == 3


def test_links_join_floors_by_number_or_name():
    model = hx.shear_frame(**GOOD, links=[hx.elastic_link(1, "floor 3", 7.0)])
    b = np.array([-1.0, 0.0, 1.0])
    assert np.allclose(elastic(model), elastic(hx.shear_frame(**GOOD)) + 7 * np.outer(b, b), rtol=1e-14, atol=1e-12)
    assert model.springs[-1] == "elastic link 1"


@pytest.mark.parametrize("laws", [hx.Slider(2.0), [hx.Slider(2.0)] * 3])
def test_one_law_serves_all_storeys(laws):
    assert hx.shear_frame(**GOOD, laws=laws).laws["slider"].yield_force.tolist() == [2.0] * 3


def test_a_storey_without_a_law_is_elastic():
    law = hx.shear_frame(**GOOD, laws=[None, hx.Slider(2.0, 0.1), None]).laws["slider"]
    assert law.yield_force.tolist() == [math.inf, 2.0, math.inf]
    assert law.viscosity.tolist() == [0, 0.1, 0]


def test_a_power_law_makes_a_storey_a_damper():
    model = hx.shear_frame(**GOOD, laws=[None, hx.PowerLaw(5.0, 0.3), None])
    assert model.laws["power"].springs.tolist() == [1]
    assert model.laws["slider"].springs.tolist() == [0, 2]


def test_a_parallel_law_becomes_springs_side_by_side():
    law = hx.backbone([(0.01, 2.0), (0.03, 3.0)])
    model = hx.shear_frame([3.0, 2.0], [None, 100.0], laws=[law, None])
    assert model.springs == ("storey 1/1", "storey 1/2", "storey 2")
    assert model.groups["storey 1"] == (0, 1)
    assert np.allclose(elastic(model), [[300, -100], [-100, 100]], rtol=1e-14)
    assert np.allclose(dense(model.supports), [[-1, -1, 0]])
    with pytest.raises(ModelError, match=r"storey 1 has stiffness 150, but its Parallel law has 200"):
        hx.shear_frame([3.0], [150.0], laws=law)


def test_storeys_say_drift_and_shear():
    model = hx.shear_frame(**GOOD, heights=[4.0, 3.0, 3.0])
    u = np.array([1.0, 3.0, 7.0])
    force = elastic(model) @ u
    assert np.allclose(model.storeys.drift @ u, [1, 2, 4])
    assert np.allclose(model.storeys.above @ force, [300, 400, 400])  # k · drift, storey by storey
    assert model.storeys.heights.tolist() == [4, 3, 3]
    assert np.isnan(hx.shear_frame(**GOOD).storeys.heights).all()


def test_the_geometry_is_a_stick():
    geometry = hx.shear_frame(**GOOD, heights=3.0, links=[hx.viscous_damper(0, 2, 1.0)]).geometry
    assert geometry.nodes == ("ground", "floor 1", "floor 2", "floor 3")
    assert geometry.coordinates.tolist() == [[0, 0], [0, 3], [0, 6], [0, 9]]
    assert (geometry.motion @ np.array([1.0, 2.0, 3.0])).reshape(4, 2).tolist() == [[0, 0], [1, 0], [2, 0], [3, 0]]
    assert geometry.elements.tolist() == [[0, 1], [1, 2], [2, 3], [0, 2]]
    assert geometry.springs == ((0,), (1,), (2,), ())


def test_p_delta_takes_the_weight_above_over_the_height():
    model = hx.shear_frame([1.0, 1.0], [100.0, 50.0], heights=[4.0, 2.0], weights=[30.0, 10.0])
    assert np.allclose(dense(model.stiffness), [[-10 - 5, 5], [5, -5]], rtol=1e-14)  # 40/4 and 10/2


@pytest.mark.parametrize(("factor", "stands"), [(0.999, True), (1.001, False)])
def test_elastic_instability_is_refused_at_the_critical_load(factor, stands):
    """Storey 2 is critical: weight above = k h."""
    weights = factor * np.array([0.0, 50.0 * 2.0])
    build = {"masses": [1.0, 1.0], "stiffnesses": [100.0, 50.0], "heights": [4.0, 2.0], "weights": weights}
    if stands:
        hx.shear_frame(**build)
    else:
        with pytest.raises(ModelError, match=r"buckles at 0\.999 times these loads, in storey 2"):
            hx.shear_frame(**build)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"masses": []}, "no floors"),
        ({"masses": 3.0}, "masses must be a sequence"),
        ({"masses": [1, -1, 1]}, "mass of floor 2 must not be negative, got -1"),
        ({"masses": [1, math.nan, 1]}, "mass of floor 2 must be a finite number"),
        ({"masses": [0, 0, 0]}, "every mass is zero"),
        ({"stiffnesses": [1, 2]}, r"stiffnesses: 2 given for 3 \(storey 1 to storey 3\)"),
        ({"stiffnesses": [1, 2, 0]}, "stiffness of storey 3 must be positive, got 0"),
        ({"stiffnesses": [1, math.inf, 1]}, "stiffness of storey 2 must be a finite number"),
        ({"stiffnesses": [1, None, 1]}, "storey 2 needs a stiffness"),
        ({"laws": [None, 3.0, None]}, r"storey 2: the law must be a law such as Slider\(…\), got 3.0"),
        ({"laws": [None]}, "laws: 1 given for 3"),
        ({"laws": hx.Surface((1.0, 2.0))}, "storey 1: Surface couples 2 forces, and this is one spring"),
        ({"heights": [3, 3, -3]}, "height of storey 3 must be positive"),
        ({"weights": 1.0}, "needs heights"),
        ({"weights": [1, 1, -1], "heights": 3}, "weight of floor 3 must not be negative"),
        ({"damping": [1, 2]}, "damping: 2 given for 3"),
        ({"damping": [-1.0, 1.0, 1.0]}, "damping of storey 1 must not be negative"),
        ({"names": ["a\0b", "c", "d"]}, "zero character"),
        ({"damping": "much"}, "damping must be a matrix, ratio"),
        ({"names": ["a", "b", "a"]}, "two floors are named 'a'"),
        ({"names": ["a", "b", "ground"]}, "no floor may be named 'ground'"),
        ({"links": [hx.viscous_damper(0, 4, 1.0)]}, "viscous damper 1: there is no floor 4; floors are 1 to 3"),
        ({"links": [hx.viscous_damper(0, "roof", 1.0)]}, "there is no floor 'roof'"),
        ({"links": [hx.viscous_damper(2, "floor 2", 1.0)]}, "begins and ends at the same level"),
        ({"links": [hx.viscous_damper(0, 1, 1.0, direction="y")]}, "it has x only"),
        ({"links": [hx.plan_isolator(0, 1, 10.0, 1.0, 1.0)]}, "it has x only"),
        ({"links": [3.0]}, "links are what viscous_damper"),
        ({"links": [hx.elastic_link(0, 1, 1.0, name="storey 2")]}, "two elements are named 'storey 2'"),
    ],
    ids=str,
)
def test_wrong_input_is_named(wrong, message):
    with pytest.raises(ModelError, match=f"(shear_frame: )?.*{message}"):
        hx.shear_frame(**GOOD | wrong)


def test_two_thousand_storeys_are_built_at_once():
    model = hx.shear_frame(np.ones(2000), 100.0, hx.ratio(0.05), hx.Slider(1.0))
    assert model.compatibility.nnz == 3999
    assert model.damping.matrix.nnz == 5998
