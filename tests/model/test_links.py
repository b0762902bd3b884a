"""Links: what each device becomes in a shear frame, a truss and a frame."""

import math

import numpy as np
import pytest
from statics import elastic

import hamex as hx
from hamex.errors import LawError, ModelError
from hamex.model.record import dense

NODES = {"A": (0, 0), "B": (0, 3), "C": (4, 3), "D": (4, 0)}
COLUMN = {"modulus": 200.0, "area": 5.0, "inertia": 7.0}


def frame(*links, **options):
    members = [hx.Member(a, b, **COLUMN) for a, b in ("AB", "BC", "CD")]
    return hx.frame(NODES, members, {"A": "fixed", "D": "fixed"}, {"B": 1.0, "C": 1.0}, links=links, **options)


def added(part, *links):
    """Change that links make to a matrix of the frame."""
    return part(frame(*links)) - part(frame())


def test_a_viscous_damper_is_damping_along_its_line():
    c = added(lambda model: model.damping.dense(), hx.viscous_damper("A", "C", 10.0))
    line = np.array([0.8, 0.6])
    place = [frame().dofs.index(f"C.{part}") for part in "xy"]
    expected = np.zeros_like(c)
    expected[np.ix_(place, place)] = 10 * np.outer(line, line)
    assert np.allclose(c, expected, atol=1e-14)
    assert frame(hx.viscous_damper("A", "C", 10.0)).springs == frame().springs


@pytest.mark.parametrize(("direction", "vector"), [("x", (1, 0)), ("y", (0, 1)), (None, (0.8, 0.6))])
def test_an_elastic_link_stiffens_its_direction(direction, vector):
    model = frame(hx.elastic_link("D", "B", 10.0, direction=direction))
    k = elastic(model) - elastic(frame())
    place = [model.dofs.index(f"B.{part}") for part in "xy"]
    line = np.array(vector) * (np.array([-1, 1]) if direction is None else 1)
    assert np.allclose(k[np.ix_(place, place)], 10 * np.outer(line, line), atol=1e-12)
    assert abs(k).sum() == pytest.approx(abs(10 * np.outer(line, line)).sum(), rel=1e-9)


def test_a_link_may_turn_a_joint():
    model = frame(hx.elastic_link(None, "B", 10.0, direction="rz"))
    k = elastic(model) - elastic(frame())
    assert k[model.dofs.index("B.rz"), model.dofs.index("B.rz")] == pytest.approx(10.0)
    assert "ground.rz" in model.support_names


def test_a_link_to_the_ground_moves_with_it():
    model = frame(hx.friction_slider("ground", "B", 3.0, 10.0, direction="x"))
    spring = model.springs.index("friction slider 1")
    row = dense(model.supports)[:, spring]
    assert dict(zip(model.support_names, row, strict=True))["ground.x"] == -1
    assert np.count_nonzero(row) == 1
    assert model.geometry.elements[-1].tolist() == [1, 1]


@pytest.mark.parametrize("post", [0.0, 10.0, 60.0])
def test_a_bilinear_isolator_has_its_post_stiffness(post):
    """Spring k and hardening Hk in series: k Hk/(k + Hk)."""
    link = hx.bilinear_isolator(0, 1, stiffness=100.0, yield_force=5.0, post_stiffness=post)
    hardening = hx.shear_frame([1.0], [1.0], links=[link]).laws["slider"].kinematic[1]
    assert 100 * hardening / (100 + hardening) == pytest.approx(post)


def test_an_isolator_in_plan_yields_on_a_circle():
    nodes = {"base": (0, 0, 0), "top": (0, 0, 0.2), "roof": (0, 0, 3.2)}
    column = hx.Member("top", "roof", **COLUMN, inertia_y=7.0, shear_modulus=80.0, torsion=1.0)
    model = hx.frame(
        nodes,
        [column],
        {"base": "fixed", "top": "z rx ry rz"},
        {"top": 1.0, "roof": 1.0},
        links=[hx.plan_isolator("base", "top", 100.0, 5.0, 10.0, viscosity=0.3, name="bearing")],
    )
    first = model.springs.index("bearing.x")
    assert model.springs[first + 1] == "bearing.y"
    surfaces = model.laws["surface"]
    block = surfaces.first.tolist().index(first)
    row = surfaces.begin[block]
    assert np.allclose(surfaces.weight[row][:2], 0.04)
    assert np.allclose(surfaces.kinematic[block][:2], 1000 / 90)
    assert surfaces.viscosity[row] == 0.3
    assert np.allclose(dense(model.flexibility)[first : first + 2, first : first + 2], np.eye(2) / 100)
    assert model.groups["bearing"] == (first, first + 1)


def test_dampers_with_their_laws():
    model = hx.shear_frame(
        [1.0, 1.0],
        50.0,
        links=[
            hx.power_damper(0, 1, 4.0, 0.3, 900.0),
            hx.maxwell_damper(0, 2, 6.0, 800.0),
            hx.friction_slider(1, 2, 7.0, 700.0),
        ],
    )
    assert model.laws["power"].coefficient.tolist() == [4.0]
    assert model.laws["power"].exponent.tolist() == [0.3]
    assert model.laws["power"].springs.tolist() == [2]
    slider = model.laws["slider"]
    assert slider.yield_force.tolist() == [math.inf, math.inf, 0, 7]
    assert slider.viscosity.tolist() == [0, 0, 6, 0]
    assert np.allclose(1 / dense(model.flexibility).diagonal(), [50, 50, 900, 800, 700])
    assert model.springs[2:] == ("power damper 1", "maxwell damper 1", "friction slider 1")


def test_links_are_counted_by_kind():
    model = hx.shear_frame(
        [1.0], [1.0], links=[hx.elastic_link(0, 1, 1.0), hx.friction_slider(0, 1, 1.0, 1.0), hx.elastic_link(0, 1, 1.0)]
    )
    assert model.springs[1:] == ("elastic link 1", "friction slider 1", "elastic link 2")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: hx.viscous_damper(0, 1, 0.0), "viscous_damper: coefficient must be positive"),
        (lambda: hx.viscous_damper(0, 1, math.nan), "coefficient must be a finite number"),
        (lambda: hx.maxwell_damper(0, 1, 1.0, 0.0), "maxwell_damper: stiffness must be positive"),
        (lambda: hx.maxwell_damper(0, 1, -1.0, 1.0), "maxwell_damper: coefficient must be positive"),
        (lambda: hx.power_damper(0, 1, 1.0, 0.3, -1.0), "power_damper: stiffness must be positive"),
        (lambda: hx.friction_slider(0, 1, 0.0, 1.0), "friction_slider: force must be positive"),
        (lambda: hx.friction_slider(0, 1, 1.0, math.inf), "friction_slider: stiffness must be a finite"),
        (lambda: hx.elastic_link(0, 1, "stiff"), "elastic_link: stiffness must be a finite number, got 'stiff'"),
        (lambda: hx.bilinear_isolator(0, 1, 10.0, 1.0, 10.0), "post_stiffness 10 must be below the stiffness 10"),
        (lambda: hx.bilinear_isolator(0, 1, 10.0, 1.0, -1.0), "post_stiffness must not be negative"),
        (lambda: hx.plan_isolator(0, 1, 10.0, 1.0, 1.0, directions=("x", "x")), "two different directions"),
    ],
)
def test_wrong_devices_are_named(make, message):
    with pytest.raises(ModelError, match=message):
        make()


def test_a_power_law_checks_its_exponent():
    with pytest.raises(LawError, match="exponent must be positive"):
        hx.power_damper(0, 1, 1.0, 0.0, 1.0)
