"""Fields and probes of bodies: against fields that are known, between ways to the same run, and after files."""

import numpy as np
import pytest

import hamex as hx
from hamex.errors import InputError, ModelError
from hamex.model.solids import body as bodies
from hamex.solution.peaks import BodyPeaks

RUBBER = hx.Material(density=1.0, modulus=100.0, poisson=0.25)
CLAY = RUBBER.with_law(hx.laws.J2(yield_stress=0.5, isotropic=5.0))
UNITS = hx.Units("m", "kN")
H = 0.01
PLACES = [(3.9, 0.2), (1.0, 0.5)]  # inside a cell, and on a side between two


def model(material=RUBBER, **more):
    return hx.solid(hx.meshes.rectangle(4.0, 1.0, (8, 2)), material, **{"fixed": ["left"], "units": UNITS} | more)


def pulled(body, steps=40, **more):
    load = hx.Load([1.0, 1.0], step=steps * H, patterns=body.body.traction("right", (1.0, 0.3)))
    return hx.Problem(body, load, steps * H, **more)


def run(material=RUBBER, keep=None, **more):
    return hx.solve(pulled(model(material, **more)), hx.Galerkin(H), keep=keep)


@pytest.fixture(scope="module")
def elastic():
    return run()


@pytest.fixture(scope="module")
def yielding():
    found = run(CLAY)
    assert np.abs(found.values("slip")).max() > 1e-3
    return found


# What is known ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("plane", "degree"), [("strain", 1), ("stress", 2), ("axisymmetric", 1)])
def test_fields_of_a_known_displacement(plane, degree):
    """Analytic: a linear displacement has one strain everywhere, and Hooke's law its stress."""
    body = model(plane=plane, degree=degree, fixed=())
    slopes = np.array([[0.02, 0.0 if plane == "axisymmetric" else 0.01], [0.005, -0.03]])
    start = hx.State(displacement=body.body.field(lambda x: np.einsum("ij,j...->i...", slopes, x)))
    nothing = hx.Load(np.zeros(2), step=1.0, patterns=np.zeros(len(body.dofs)))
    sol = hx.solve(hx.Problem(body, nothing, H, start), hx.Galerkin(H))
    exact = {
        "xx": 0.02,
        "yy": -0.03,
        "zz": 0.02 if plane == "axisymmetric" else 0.0,
        "xy": slopes[0, 1] + 0.005,
    }  # u_r/r
    strain = sol.field("strain", 0.0)
    assert strain.dims == ("cell", "point", "component")
    for name in strain.component.values:
        assert strain.sel(component=name).values == pytest.approx(exact[str(name)], abs=1e-12), name
    stress = sol.field("stress", 0.0)
    D = body.body.elasticity[0]
    assert stress.values == pytest.approx(np.broadcast_to(D @ strain.values[0, 0], stress.shape), abs=1e-10)
    zz = 0.0 if plane == "stress" else float(stress.sel(component="zz")[0, 0])
    xx, yy, xy = (float(stress.sel(component=name)[0, 0]) for name in ("xx", "yy", "xy"))
    mises = np.sqrt(0.5 * ((xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2) + 3 * xy**2)
    for at in ("points", "nodes", "cells"):
        assert sol.field("von_mises", 0.0, at=at).values == pytest.approx(mises, rel=1e-10)
    assert sol.field("mean_stress", 0.0).values == pytest.approx((xx + yy + zz) / 3, rel=1e-10)
    assert sol.field("principal_stress", 0.0).values.sum(axis=-1) == pytest.approx(xx + yy + zz, rel=1e-10)
    assert sol.probe(PLACES, "displacement").values[0] == pytest.approx(np.array(PLACES) @ slopes.T, abs=1e-12)
    assert sol.probe(PLACES, "stress").values[0] == pytest.approx(np.tile(stress.values[0, 0], (2, 1)), abs=1e-10)


def test_labels_units_and_places(elastic):
    shift = elastic.field("displacement", time=0.2)
    assert shift.dims == ("node", "component")
    assert (shift.attrs["units"], shift.component.values.tolist()) == ("m", ["x", "y"])
    assert np.stack([shift.x, shift.y], axis=1) == pytest.approx(elastic.model.body.nodes)
    assert elastic.field("stress").attrs["units"] == "kN/m²"
    assert elastic.field("velocity", time=[0.1, 0.2]).dims == ("time", "node", "component")
    assert elastic.field("acceleration", time=0.1).time == pytest.approx(0.105, abs=0.006)
    assert elastic.probe(PLACES[0], "acceleration").dims == ("interval", "point", "component")
    assert elastic.probe(PLACES, "von_mises").shape == (41, 2)
    line = elastic.probe_line((0.0, 0.5), (4.0, 0.5), "stress", count=9, times=[0.1, 0.2])
    assert (line.shape, line.distance.values[-1]) == ((2, 9, 4), 4.0)


# Ways to the same ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["displacement", "velocity", "acceleration", "stress", "strain", "von_mises"])
def test_with_springs_and_without_them_fields_are_the_same(elastic, name):
    springs = run(condense=False)
    assert len(springs.springs) > 0 == len(elastic.springs)
    one, other = elastic.probe(PLACES, name), springs.probe(PLACES, name)
    assert other.values == pytest.approx(one.values, rel=0, abs=1e-10 * float(np.abs(one).max()))


@pytest.mark.parametrize("name", ["displacement", "velocity", "stress", "plastic_strain", "von_mises"])
def test_probes_are_fields_at_their_places(yielding, name):
    """At a node motions are those of the node; means over a cell agree with linear values at its middle."""
    body, instant = yielding.model.body, 30
    if name in ("displacement", "velocity"):
        node = 11
        field = yielding.field(name, time=instant * H).values[node]
        assert yielding.probe(body.nodes[node], name).values[instant, 0] == pytest.approx(field, abs=1e-14)
        return
    middle = body.nodes[body.corners[5]].mean(axis=0)
    probed = yielding.probe(middle, name, times=instant * H).values[0, 0]
    assert probed == pytest.approx(yielding.field(name, time=instant * H, at="cells").values[5], rel=1e-10)


def test_velocities_of_few_places_come_the_other_way_round(elastic):
    """With fewer instants than places each instant is solved for, with more each place."""
    many = [(x, 0.3) for x in np.linspace(0.1, 3.9, 8)]
    few = elastic.probe(many, "velocity", times=[0.1, 0.3])
    whole = elastic.probe(many, "velocity").sel(time=few.time)
    assert few.values == pytest.approx(whole.values, rel=1e-11)
    p = elastic.values("momentum")[10] @ elastic.values("velocity")[10]
    assert p == pytest.approx(2 * elastic.values("kinetic")[10], rel=1e-12)


def test_stresses_of_a_yielding_body_are_those_of_its_springs(yielding):
    """The force of a point is its stress times its volume, (Bᵀu − slip)/A."""
    body = yielding.model.body
    force = yielding.values("node_force")[-1][body.slipping[..., None] + np.arange(4)]
    stress = yielding.field("stress").values
    assert stress * body.volumes[..., None] == pytest.approx(force, abs=1e-12)


# Boundaries that move, the ground ------------------------------------------------------------------------------


def driven(condense=True, keep=None, damping=0.0):
    body = model(fixed={"right": "x"}, moving={"left": "y"}, condense=condense, damping=damping)
    shake = hx.Load(lambda t: 0.05 * np.sin(9.0 * np.asarray(t)), patterns=np.ones((1, 1)))
    still = hx.Load(np.zeros(2), step=1.0, patterns=np.zeros(len(body.dofs)))
    return hx.solve(hx.Problem(body, still, 0.4, supports=shake), hx.Galerkin(H), keep=keep)


def test_given_displacements_are_in_the_fields():
    sol = driven()
    t = sol.times
    edge = sol.probe((0.0, 0.3))
    assert edge.sel(component="y").values[:, 0] == pytest.approx(0.05 * np.sin(9 * t), abs=1e-14)
    speed = sol.probe((0.0, 0.3), "velocity").sel(component="y").values[:, 0]
    assert speed == pytest.approx(0.45 * np.cos(9 * t), abs=2e-3)  # differences of the second order
    assert sol.peaks["displacement"].value >= 0.0499
    thin = driven(keep=4)
    assert thin.probe((0.0, 0.3), "velocity").values == pytest.approx(
        sol.probe((0.0, 0.3), "velocity").values[::4], abs=1e-12
    )


@pytest.mark.parametrize("damping", [0.0, "rayleigh"])
def test_a_moving_boundary_strains_a_condensed_body_as_one_of_springs(damping):
    """The stiffness of elastic cells acts on the displacement itself, and holds the body to its supports."""
    damping = hx.rayleigh(0.02) if damping else 0.0
    one, other = (driven(condense, damping=damping).probe(PLACES, "stress") for condense in (True, False))
    assert float(np.abs(one).max()) > 0.1
    assert one.values == pytest.approx(other.values, rel=0, abs=1e-9 * float(np.abs(other).max()))


def test_held_nodes_ride_on_the_ground():
    body = model(hx.Material(density=1.0, modulus=1e6, poisson=0.25), fixed=["bottom"])
    wave = hx.ground_wave("sine", amplitude=3.0, period=0.4, cycles=2)
    sol = hx.solve(hx.Problem(body, wave.on(body, g=1.0, direction="x"), 0.4), hx.Galerkin(0.005))
    ground = sol.loading.means[:, 0] * sol.loading.ground.max()
    held = sol.probe((1.0, 0.0), "absolute_acceleration")
    assert held.sel(component="x").values[:, 0] == pytest.approx(ground, abs=1e-12)
    assert not sol.probe((1.0, 0.0), "acceleration").any()
    dof = sol.model.body.dof((4.0, 1.0), "x")
    free = sol.probe((4.0, 1.0), "absolute_acceleration").sel(component="x").values[:, 0]
    assert free == pytest.approx(sol.values("absolute_acceleration")[:, dof], abs=1e-10)
    field = sol.field("absolute_acceleration", time=0.2)
    bottom = field.where(field.y == 0, drop=True).sel(component="x").values
    assert bottom == pytest.approx(np.interp(float(field.time), sol.middles, ground), abs=1e-12)
    assert np.abs(ground).max() > 1.0


# What was kept -------------------------------------------------------------------------------------------------


def test_the_instant_is_the_one_that_was_kept(elastic):
    thin = run(keep=8)
    found = thin.field("displacement", time=0.2)
    assert float(found.time) == pytest.approx(0.16) or float(found.time) == pytest.approx(0.24)
    assert found.values == pytest.approx(elastic.field("displacement", time=float(found.time)).values, abs=1e-15)
    assert "every 8 steps" in found.attrs["kept"]
    with pytest.raises(InputError, match=r"two nodes in a row.*every 8th was kept"):
        thin.probe(PLACES, "acceleration")
    some = run(keep=hx.Keep(every=8, results=("displacement", "acceleration")))
    assert some.probe(PLACES, "acceleration").values == pytest.approx(
        elastic.probe(PLACES, "acceleration").values[7::8], abs=1e-10
    )
    with pytest.raises(InputError, match="kept no momentum"):
        some.field("velocity")


def test_peaks_name_the_node_and_its_place(elastic):
    thin = run(keep=8)
    whole = elastic.field("displacement_size", time=elastic.times).values
    peak = elastic.peaks["displacement"]
    instant, node = np.unravel_index(whole.argmax(), whole.shape)
    assert peak.value == whole.max() == thin.peaks["displacement"].value
    assert (peak.time, peak.unit) == (elastic.times[instant], "m")
    x, y = elastic.model.body.nodes[node]
    assert peak.where == f"node {node + 1} at ({x:g}, {y:g})"
    assert list(elastic.peaks) == ["displacement", "velocity", "von_mises"]
    assert elastic.peaks["von_mises"].value == elastic.field("von_mises", time=elastic.times).values.max()
    assert "of every 8th step" in thin.peaks["von_mises"].where
    assert "von_mises" in str(elastic.peaks)


def test_peaks_of_a_yielding_body(yielding):
    strain = yielding.field("equivalent_plastic_strain", time=yielding.times).values
    assert yielding.peaks["equivalent_plastic_strain"].value == strain.max() > 0
    assert "force" not in yielding.peaks


def test_a_large_body_is_asked_for_its_stress_by_name(elastic, monkeypatch):
    monkeypatch.setattr("hamex.solution.peaks._CHEAP", 10)
    peaks = BodyPeaks(elastic, {})
    assert "von_mises" not in list(peaks)
    assert peaks["von_mises"] == elastic.peaks["von_mises"]
    with pytest.raises(KeyError):
        peaks["force"]


def test_error_bars_of_a_body_cover_a_finer_run():
    problem = pulled(model())
    barred = hx.solve(problem, hx.Galerkin(H), error=True).peaks["displacement"]
    fine = hx.solve(problem, hx.Galerkin(H / 16)).peaks["displacement"]
    assert 0 < barred.error < 0.1 * barred.value
    assert abs(barred.value - fine.value) <= barred.error


# Refusals ------------------------------------------------------------------------------------------------------


def test_what_is_no_body_is_told_what_to_ask():
    sol = hx.solve(hx.Problem(hx.oscillator(1.0, 225.0), hx.constant(1.0), 0.1), hx.Galerkin(H))
    for ask in (lambda: sol.field("stress"), lambda: sol.probe((0.0, 0.0)), lambda: sol.probe_line((0, 0), (1, 1))):
        with pytest.raises(InputError, match=r"no body on a mesh.*displacement and force"):
            ask()


@pytest.mark.parametrize(
    ("ask", "error", "said"),
    [
        (lambda s: s.field("stresses"), InputError, "there is no field 'stresses'; known are .*stress"),
        (lambda s: s.field("velocity", at="points"), InputError, "velocity is known at the nodes"),
        (lambda s: s.field("stress", at="corners"), InputError, "at must be one of points, nodes, cells"),
        (lambda s: s.field("stress", time=7.0), InputError, "no instant near .*0 to 0.4 s"),
        (lambda s: s.probe([(9.0, 9.0)]), ModelError, "is not in the body"),
        (lambda s: s.probe([(1.0, 1.0, 1.0)]), InputError, "2 coordinates each"),
        (lambda s: s.probe_line((0, 0), (1, 1), count=1), InputError, "whole number ≥ 2"),
        (lambda s: s.damping_share, InputError, "a body has no storeys"),
    ],
)
def test_bad_questions_are_refused_by_name(elastic, ask, error, said):
    with pytest.raises(error, match=said):
        ask(elastic)


def test_to_print_a_solution_computes_nothing(tmp_path, elastic, monkeypatch):
    again = hx.read(elastic.save(tmp_path / "run.nc"))
    monkeypatch.setattr(bodies, "scikit_fem", lambda: pytest.fail("a mesh was made"))
    assert repr(again).startswith("<Solution: 40 steps of 0.01 s, 48 dofs, 0 springs")
    assert not again._cache
