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


ISOLATOR = hx.bilinear_isolator(0, 1, stiffness=30e3, yield_force=180.0, post_stiffness=2e3)
ISOLATED = {"masses": [150.0, 120.0, 90.0], "damping": [60.0, 400.0, 300.0], "units": hx.Units("m", "kN")}


@pytest.mark.parametrize("nothing", [None, 0.0])
@pytest.mark.parametrize("scheme", [hx.Galerkin(0.02), hx.Galerkin(0.02, degree=2), hx.Newmark(0.02)], ids=repr)
def test_an_isolator_holds_a_level_by_itself(scheme, nothing):
    """Own reference: the isolator's law as that of the first storey, bit for bit."""
    runs = []
    for model in (
        hx.shear_frame(stiffnesses=[nothing, 180e3, 120e3], heights=[0.0, 3.0, 3.0], links=[ISOLATOR], **ISOLATED),
        hx.shear_frame(stiffnesses=[30e3, 180e3, 120e3], laws=[ISOLATOR.law, None, None], **ISOLATED),
    ):
        runs.append(hx.solve(hx.Problem(model, hx.el_centro().scaled(2).on(model), 8.0), scheme))
    assert runs[0].springs == ("isolator 1", "storey 2", "storey 3")
    assert np.array_equal(runs[0].values("displacement"), runs[1].values("displacement"))
    drift, ratio = (np.abs(runs[0].values(name)).max(axis=0) for name in ("storey_drift", "drift_ratio"))
    assert drift[0] > 0.1  # beyond the usual limit of a storey, which isolators have not
    assert runs[0].exceeded is None
    assert ratio[0] == 0
    assert ratio[1:] == pytest.approx(drift[1:] / 3)


def test_isolated_frames_go_into_batches():
    model = hx.shear_frame(stiffnesses=[None, 180e3, 120e3], links=[ISOLATOR], **ISOLATED)
    one = hx.solve(hx.Problem(model, hx.el_centro().on(model), 31.2), hx.Galerkin(0.02))
    found = hx.batch([model], [hx.el_centro()], hx.Galerkin(0.02), measures=("drift",))
    assert found.values("drift").max() == pytest.approx(one.peaks["storey_drift"].value, rel=1e-9)


@pytest.mark.parametrize(
    "link",
    [hx.viscous_damper(0, 1, 10.0), hx.power_damper(0, 1, 10.0, 0.5, 1e4), hx.maxwell_damper(0, 1, 10.0, 1e4)],
    ids=lambda link: link.kind,
)
def test_dampers_hold_no_level(link):
    with pytest.raises(ModelError, match="storey 1 needs a stiffness, unless a link across it holds it"):
        hx.shear_frame([1.0, 1.0], [None, 100.0], links=[link])


def test_only_a_level_on_links_has_no_height():
    with pytest.raises(ModelError, match="height of storey 2 must be positive, got 0"):
        hx.shear_frame([1.0, 1.0], [None, 100.0], heights=[0.0, 0.0], links=[ISOLATOR])
    falls = hx.shear_frame([1.0, 1.0], [None, 100.0], heights=[0.0, 3.0], weights=9.81, links=[ISOLATOR])
    assert falls.stiffness.toarray() == pytest.approx(np.array([[-3.27, 3.27], [3.27, -3.27]]))


def isolated_portal(levels, supports, *links):
    members = {pair: hx.Member(*pair, modulus=30e6, area=0.16, inertia=2e-3) for pair in ("AB", "BC", "CD", "AD")}
    feet = [hx.bilinear_isolator(None, node, 2e3, 20.0, 200.0, direction="x", name=f"below {node}") for node in "AD"]
    masses = dict.fromkeys("ABCD", 10.0)
    units = hx.Units("m", "kN")
    return hx.frame(NODES, members, supports, masses, links=[*feet, *links], levels=levels, units=units)


def test_storeys_of_an_isolated_frame_begin_at_its_base():
    held = {"A": "y rz", "D": "y rz"}
    runs = []
    for levels in ({"isolation": ["A", "D"], "storey": ["B", "C"]}, [["B", "C"]], 0.1):
        model = isolated_portal(levels, held)
        runs.append(hx.solve(hx.Problem(model, hx.el_centro().scaled(2).on(model), 8.0), hx.Galerkin(0.02)))
    first = runs[0]
    u = {node: first.values("displacement")[:, first.dofs.index(f"{node}.x")] for node in "ABCD"}
    feet, floor = (u["A"] + u["D"]) / 2, (u["B"] + u["C"]) / 2
    assert first.layout.storeys.heights.tolist() == [0.0, 3.0]
    assert first.values("storey_drift")[:, 0] == pytest.approx(feet, abs=1e-15)
    assert first.values("storey_shear")[:, 0] == pytest.approx(first.values("base_shear")[:, 0], abs=1e-9)
    for sol in runs:
        assert sol.values("storey_drift")[:, -1] == pytest.approx(floor - feet, abs=1e-15)
        assert sol.exceeded is None


def test_links_to_the_ground_may_hold_everything():
    up = [hx.elastic_link(None, node, 1e6, direction="y", name=f"under {node}") for node in "AD"]
    model = isolated_portal(0.1, {}, *up)
    assert len(model.dofs) == 12
    assert model.storeys.heights.tolist() == [3.0]
    with pytest.raises(ModelError, match="nothing resists it"):
        isolated_portal(0.1, {})


def test_a_friction_pendulum_has_its_friction_where_it_is_undeformed():
    """Analytic: beyond yield the force is μW + W/R e, in both directions; W, μ, R of the docstring."""
    weight, radius, friction, k = 1000.0, 2.0, 0.05, 20e3
    force = friction * weight * k / (k - weight / radius)
    link = hx.bilinear_isolator(0, 1, k, force, weight / radius)
    e = np.array([0.0, 0.1, 0.2, 0.1, 0.0, -0.1, 0.0, 0.1])
    found = hx.respond(link.law, e, stiffness=k).force
    assert found[1:3] == pytest.approx(friction * weight + weight / radius * e[1:3], rel=1e-9)
    assert found[4:6] == pytest.approx(-friction * weight + weight / radius * e[4:6], rel=1e-9)
