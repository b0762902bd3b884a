"""Results of structures: storeys, base, hinges, groups, envelopes, frames, damping, limits, files."""

import dataclasses
import functools
import warnings

import numba  # noqa: F401  kernels run compiled once it is loaded: same bits, much faster
import numpy as np
import pytest

import hamex as hx
from hamex.errors import DampingWarning, InputError, OverflowRunError, ProblemError
from hamex.solution.outline import VARIABLES, unit
from hamex.solution.solution import Status

H = 0.01
UNITS = hx.Units("m", "kN")
KINEMATIC = hx.Slider(30.0, kinematic=60.0)


def shear_frame(**changes):
    given = {
        "masses": [2.0, 2.0, 1.5],
        "stiffnesses": [3000.0, 2500.0, 2000.0],
        "damping": hx.rayleigh(0.03, (1, 2)),
        "laws": [KINEMATIC, hx.Slider(22.0, 1.0, isotropic=40.0), hx.backbone([(0.004, 8.0), (0.02, 14.0)])],
        "heights": [3.5, 3.0, 3.0],
        "weights": 20.0,
        "units": UNITS,
    }
    return hx.shear_frame(**given | changes)


def plane_frame(**changes):
    column = {"modulus": 200e6, "area": 0.0149, "inertia": 2.5e-4, "hinges": hx.Slider(150.0, kinematic=200.0)}
    beam = column | {"hinges": hx.Slider(100.0)}
    given = {
        "nodes": {"A": (0, 0), "B": (0, 3), "C": (5, 3), "D": (5, 0)},
        "members": [hx.Member("A", "B", **column), hx.Member("D", "C", **column), hx.Member("B", "C", **beam)],
        "supports": {"A": "fixed", "D": "fixed"},
        "masses": {"B": (20, 20, 2), "C": (20, 20, 2)},
        "damping": hx.rayleigh(0.02, (1, 2)),
        "levels": [["B", "C"]],
        "units": UNITS,
    }
    return hx.frame(**given | changes)


def space_frame():
    column = {
        "modulus": 200e6,
        "area": 0.0118,
        "inertia": 1.4e-4,
        "inertia_y": 1e-4,
        "shear_modulus": 77e6,
        "torsion": 1e-5,
    }
    hinged = column | {"hinges": hx.Surface((120.0, 90.0), kinematic=100.0)}
    low = {"A": (0, 0, 0), "B": (5, 0, 0), "C": (5, 4, 0), "D": (0, 4, 0)}
    top = {name * 2: (x, y, 3.0) for name, (x, y, _) in low.items()}
    members = [hx.Member(name, name * 2, **hinged) for name in low]
    ring = list(top)
    members += [hx.Member(a, b, **column) for a, b in zip(ring, ring[1:] + ring[:1], strict=True)]
    masses = {name: (9.0, 9.0, 9.0, 1.0, 1.0, 1.0) for name in top} | {"AA": (20.0, 20.0, 20.0, 1.0, 1.0, 1.0)}
    return hx.frame(
        low | top,
        members,
        dict.fromkeys(low, "fixed"),
        masses,
        hx.modal(0.03),
        levels=[ring],
        diaphragms={"slab": ring},
        units=UNITS,
    )


def truss():
    nodes = {"A": (0, 0), "B": (4, 0), "C": (0, 4), "D": (4, 4)}
    bars = [hx.Bar("A", "C"), hx.Bar("B", "D"), hx.Bar("C", "D"), hx.Bar("A", "D", rigidity=4e4, law=hx.Slider(20.0))]
    links = [hx.power_damper("B", "C", coefficient=10.0, exponent=0.5, stiffness=5e3)]
    return hx.truss(
        nodes,
        bars,
        {"A": "pinned", "B": "pinned"},
        {"C": 8.0, "D": 8.0},
        hx.ratio(0.01),
        rigidity=2e5,
        links=links,
        units=UNITS,
    )


def shaken(model, scheme=None, duration=8.0, scale=2.0, **options):
    load = hx.el_centro().scaled(scale).on(model, g=9.81)
    if "y" in model.directions and model.directions[-1] == "z":
        load = load + hx.el_centro().scaled(0.7 * scale).on(model, g=9.81, direction="y")
    return hx.solve(hx.Problem(model, load, duration), scheme or hx.Galerkin(H), **options)


MODELS = {"shear frame": shear_frame, "plane frame": plane_frame, "space frame": space_frame, "truss": truss}


@functools.cache
def standing(name):
    """A model and what the earthquake did to it, once for all that look at it."""
    model = MODELS[name]()
    return model, shaken(model)


@pytest.fixture(params=MODELS)
def case(request):
    return standing(request.param)


@pytest.fixture
def tall():
    return standing("shear frame")


# The schema ------------------------------------------------------------------------------------------------


def test_every_result_is_labelled_with_dims_and_units_of_the_schema(case):
    _, sol = case
    sizes = {"time": sol.steps + 1, "interval": sol.steps}
    for name in sol.names:
        dims, kind, meaning = VARIABLES[name]
        labelled = sol[name]
        assert labelled.dims == dims
        assert labelled.shape == tuple(sizes.get(dim) or len(sol.labels(dim)) for dim in dims)
        assert labelled.attrs["units"] == unit(kind, "m", "kN")
        assert labelled.attrs["long_name"] == meaning
        for dim in set(dims) - {"time", "interval"}:
            assert tuple(labelled[dim].values) == sol.labels(dim)


def test_rotations_and_moments_are_marked_and_have_their_own_units():
    sol = shaken(plane_frame(), duration=0.5)
    u = sol["displacement"]
    assert u.attrs["units_where_turning"] == "rad"
    assert u["dof"][u["dof_turns"]].values.tolist() == ["B.rz", "C.rz"]
    F = sol["force"]
    assert F.attrs["units_where_turning"] == "kN m"
    assert all(name.endswith(("M1", "M2")) for name in F["spring"][F["spring_turns"]].values)
    assert (sol["hinge_rotation"].attrs["units"], sol["hinge_moment"].attrs["units"]) == ("rad", "kN m")


def test_what_a_model_does_not_know_is_not_there():
    no_heights = shaken(shear_frame(heights=None, weights=None), duration=0.5)
    assert {"storey_drift", "storey_shear"} <= set(no_heights.names)
    assert not {"drift_ratio", "overturning_moment", "hinge_rotation"} & set(no_heights.names)
    no_levels = shaken(truss(), duration=0.5)
    assert "base_shear" in no_levels.names
    assert "storey_drift" not in no_levels.names
    with pytest.raises(InputError, match="no 'storey_drift'"):
        no_levels["storey_drift"]
    oscillator = hx.solve(hx.Problem(hx.oscillator(1, 100), hx.constant(1.0), 1.0), hx.Galerkin(H))
    assert "base_shear" not in oscillator.names
    with pytest.raises(InputError, match="no dimension 'storey'"):
        oscillator.labels("storey")


# Statics and kinematics -------------------------------------------------------------------------------------


def test_the_forces_on_the_dofs_are_in_equilibrium(case):
    """M a + C v + K u + B F = f in every step, with what the solution hands out."""
    model, sol = case
    inertia = np.diff(sol.values("momentum"), axis=0) / H
    springs = np.asarray((model.compatibility @ sol.values("force").T).T)
    outside = np.asarray((model.stiffness @ sol.values("mean_displacement").T).T)
    gap = inertia + sol.values("damping_force") + outside + springs - sol.values("load")
    assert np.abs(gap).max() <= 1e-9 * np.abs(springs).max()


def test_base_shear_balances_the_inertia_of_the_whole(case):
    model, sol = case
    total = np.asarray((model.mass @ sol.values("absolute_acceleration").T).T)
    outside = np.asarray((model.stiffness @ sol.values("mean_displacement").T).T)
    light = np.asarray(model.mass.diagonal()) == 0
    assert not (total[:, light]).any()
    found = -(total + outside) @ model.influence - sol.values("base_damping")
    assert np.abs(found - sol.values("base_shear")).max() <= 1e-9 * np.abs(sol.values("base_shear")).max()


def test_storeys_of_a_shear_frame(tall):
    _, sol = tall
    u, F = sol.values("displacement"), sol.values("force")
    assert np.allclose(sol.values("storey_drift"), np.diff(u, axis=1, prepend=0.0), rtol=0, atol=1e-16)
    assert np.allclose(sol.values("drift_ratio"), sol.values("storey_drift") / [3.5, 3.0, 3.0], rtol=1e-15)
    shear = np.stack([F[:, 0], F[:, 1], F[:, 2:].sum(axis=1)], axis=1)  # the third storey is a Parallel law
    assert np.allclose(sol.values("storey_shear"), shear, rtol=0, atol=1e-12)
    assert np.array_equal(sol.values("base_shear")[:, 0], sol.values("storey_shear")[:, 0])
    moment = sol.values("overturning_moment")
    assert np.allclose(moment[:, 2], 3.0 * shear[:, 2], rtol=1e-14)
    assert np.allclose(moment[:, 0], shear @ [3.5, 3.0, 3.0], rtol=1e-13)
    assert np.array_equal(sol.values("residual_drift"), sol.values("storey_drift")[-1])


def test_the_storey_of_a_frame_agrees_with_its_columns():
    _, sol = standing("plane frame")
    F = {name: sol.values("force")[:, i] for i, name in enumerate(sol.springs)}
    columns = sum(F[f"{column}.M{end}"] for column in ("A-B", "D-C") for end in (1, 2)) / 3.0
    assert np.allclose(sol.values("storey_shear")[:, 0], columns, rtol=1e-9, atol=1e-9)
    drift = sol.values("displacement")[:, [sol.dofs.index("B.x"), sol.dofs.index("C.x")]].mean(axis=1)
    assert np.allclose(sol.values("storey_drift")[:, 0], drift, rtol=1e-14)


def test_a_frame_in_space_keeps_its_directions_apart():
    _, sol = standing("space frame")
    assert sol.labels("storey") == ("storey 1 x", "storey 1 y")
    assert np.allclose(sol.values("overturning_moment"), 3.0 * sol.values("storey_shear"), rtol=1e-14)
    assert np.allclose(sol.values("base_shear")[:, :2], sol.values("storey_shear"), rtol=1e-9, atol=1e-9)
    assert sol.peaks["base_shear"].where in ("x", "y")


def test_hinge_rotations_are_the_slips_of_the_moments():
    _, sol = standing("plane frame")
    hinges = sol.labels("hinge")
    assert set(hinges) == {f"{member}.M{end}" for member in ("A-B", "D-C", "B-C") for end in (1, 2)}
    for column, name in enumerate(hinges):
        assert np.array_equal(sol.values("hinge_rotation")[:, column], sol.values("slip")[:, sol.springs.index(name)])
        assert np.array_equal(sol.values("hinge_moment")[:, column], sol.values("force")[:, sol.springs.index(name)])
    assert sol.peaks["hinge_rotation"].value > 0


def test_supports_that_move_as_one_give_the_same_storeys_as_a_base_acceleration():
    model = shear_frame(weights=None)
    t = np.arange(0, 4.0, H)
    ground, acceleration = 0.05 * (t - np.sin(8 * t) / 8), 0.05 * 8 * np.sin(8 * t)
    absolute = hx.solve(
        hx.Problem(model, hx.Load(np.zeros((1, 3)), 1.0), 3.0, supports=hx.Load(ground, H)), hx.Galerkin(H)
    )
    motion = hx.GroundMotion(acceleration, H, "m/s2").on(model, g=9.80665)
    relative = hx.solve(hx.Problem(model, motion, 3.0), hx.Galerkin(H))
    for name in ("storey_drift", "storey_shear", "absolute_acceleration", "storey_damping"):
        size = np.abs(relative.values(name)).max()
        assert np.abs(absolute.values(name) - relative.values(name)).max() < 0.02 * size, name
    assert np.abs(absolute.values("displacement")).max() > 3 * np.abs(absolute.values("storey_drift")).max()
    assert (
        np.abs(absolute.frames(9).positions - relative.frames(9).positions).max()
        < 0.02 * relative.peaks["displacement"].value
    )


# Energies ---------------------------------------------------------------------------------------------------


def test_energies_of_the_groups_add_up_to_the_whole(case):
    model, sol = case
    outside = 0.5 * np.sum(sol.values("displacement") * (model.stiffness @ sol.values("displacement").T).T, axis=1)
    for name, rest in (("plastic", 0.0), ("hardening", 0.0), ("stored", outside)):
        whole, parts = sol.values(name), sol.values(f"{name}_by_group")
        assert np.abs(parts.sum(axis=1) + rest - whole).max() <= 1e-12 * max(np.abs(whole).max(), 1e-9)
        assert parts.shape[1] == len(model.groups)
    assert np.diff(sol.values("plastic_by_group"), axis=0).min() >= -1e-12 * sol.values("plastic")[-1]
    assert sol.values("plastic")[-1] > 0
    assert sol.residual < 1e-11


# Peaks ------------------------------------------------------------------------------------------------------


def test_the_ductility_names_the_spring_where_it_is_largest(tall):
    _, sol = tall
    limits = np.array([30 / 3000, 22 / 2500])
    found = np.abs(sol.values("deformation")).max(axis=0)
    assert np.allclose(sol.values("ductility")[:2], found[:2] / limits, rtol=1e-14)
    peak = sol.peaks["ductility"]
    assert peak.value == np.nanmax(sol.values("ductility"))
    assert sol.springs[np.nanargmax(sol.values("ductility"))] == peak.where
    assert np.isnan(sol.values("ductility")[-1])  # the elastic spring of the backbone
    damped = shaken(truss(), duration=0.5)
    assert np.isnan(damped.values("ductility")[damped.springs.index("power damper 1")])


def test_peaks_never_mix_units():
    peaks = standing("plane frame")[1].peaks
    assert peaks["displacement"].where.endswith((".x", ".y"))
    assert peaks["force"].where.endswith(".N")
    assert peaks["hinge_rotation"].unit == "rad"
    assert "ductility" not in peaks  # ends of a beam share their flexibility


def test_storey_peaks_are_the_extremes_of_their_histories(tall):
    _, sol = tall
    for name in ("storey_drift", "drift_ratio", "storey_shear", "overturning_moment", "base_shear"):
        assert sol.peaks[name].value == np.abs(sol.values(name)).max()
    worst = np.abs(sol.values("residual_drift")).argmax()
    assert sol.peaks["residual_drift"].value == sol.values("residual_drift")[worst]
    assert sol.peaks["residual_drift"].where == sol.labels("storey")[worst]


def test_error_bars_of_a_structure_cover_a_converged_run():
    model = shear_frame()
    barred = shaken(model, duration=4.0, error=True)
    fine = shaken(model, hx.Galerkin(H / 32), duration=4.0)
    assert set(barred.error) == set(barred.peaks)
    for name in (
        "displacement",
        "velocity",
        "storey_drift",
        "storey_shear",
        "base_shear",
        "ductility",
        "residual_drift",
        "overturning_moment",
    ):
        peak = barred.peaks[name]
        assert abs(peak.value - fine.peaks[name].value) <= peak.error < 0.5 * abs(peak.value) + 1e-3, name


def test_error_bars_of_a_frame_with_hinges():
    error = shaken(plane_frame(), duration=3.0, error=True).error
    assert all(0 <= bar < np.inf for bar in error.values())
    assert {"hinge_rotation", "storey_drift", "residual_drift"} <= set(error)


# Envelopes and frames ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["storey_drift", "storey_shear", "kinetic"])
def test_an_envelope_is_reached_where_it_says(tall, name):
    _, sol = tall
    found, values = sol.envelope(name), sol.values(name)
    clock = sol.times if VARIABLES[name].dims[0] == "time" else sol.middles
    assert np.array_equal(found["max"], values.max(axis=0))
    assert np.array_equal(found["min"], values.min(axis=0))
    assert np.array_equal(found["time_of_max"], clock[values.argmax(axis=0)])
    assert np.array_equal(found["time_of_min"], clock[values.argmin(axis=0)])
    assert found["max"].attrs["units"] == sol[name].attrs["units"]
    assert found["time_of_max"].attrs["units"] == "s"


def test_only_histories_have_envelopes(tall):
    for name in ("residual_drift", "nonsense"):
        with pytest.raises(InputError, match="envelope"):
            tall[1].envelope(name)


def test_frames_show_where_nodes_are_and_what_has_yielded(case):
    model, sol = case
    frames = sol.frames(5, scale=10.0)
    assert frames.times[0] == 0
    assert frames.times[-1] == sol.times[-1]
    assert frames.positions.shape == (5, *model.geometry.coordinates.shape)
    assert np.array_equal(frames.positions[0], model.geometry.coordinates)
    moved = (model.geometry.motion @ sol.values("displacement")[-1]).reshape(model.geometry.coordinates.shape)
    assert np.allclose(frames.positions[-1], model.geometry.coordinates + 10 * moved, rtol=1e-14, atol=1e-14)
    assert not frames.yielded[0].any()
    assert not (frames.yielded[:-1] & ~frames.yielded[1:]).any()
    for element, springs in enumerate(model.geometry.springs):
        ever = [s for s in springs if sol.layout.yields[s] and sol.values("slip")[:, s].any()]
        assert frames.yielded[-1, element] == bool(ever)
    assert frames.yielded[-1].any()


def test_frames_are_asked_for_sensibly(tall):
    _, sol = tall
    for count in (0, True, 2.5):
        with pytest.raises(InputError, match="count must be a whole number"):
            sol.frames(count)
    with pytest.raises(InputError, match="scale must be a finite number"):
        sol.frames(3, scale=np.nan)
    matrices = hx.structure([2.0, 1.0], 0, [1 / 300, 1 / 200], [[1, -1], [0, 1]])
    with pytest.raises(InputError, match="no geometry"):
        shaken(matrices, duration=0.1).frames(2)


# Damping ----------------------------------------------------------------------------------------------------


def test_the_damping_share_is_the_worst_storey(tall):
    _, sol = tall
    share = sol.damping_share
    ratios = np.abs(sol.values("storey_damping")).max(axis=0) / np.abs(sol.values("storey_shear")).max(axis=0)
    assert share.share == ratios.max()
    assert share.where == sol.labels("storey")[ratios.argmax()]
    assert share.share == pytest.approx(share.damping / share.spring)
    assert share.unit == "kN"


def test_too_much_damping_in_a_structure_that_yields_is_told():
    weak = shaken(shear_frame(damping=hx.ratio(0.15)), scale=4.0)
    with pytest.warns(DampingWarning, match=r"damping carries \d+ % of the largest spring force at 'storey"):
        assert weak.damping_share.share > 0.2


@pytest.mark.parametrize(
    "changes",
    [
        {"damping": hx.ratio(0.15), "laws": None},  # elastic
        {"damping": 0.0, "links": [hx.viscous_damper(0, 1, 60.0), hx.viscous_damper(1, 2, 60.0)]},  # meant to carry
        {"damping": hx.rayleigh(0.01, (1, 2))},
    ],
)
def test_damping_is_not_told_where_it_is_plausible(changes):
    sol = shaken(shear_frame(**changes), scale=4.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sol.damping_share.share > 0


def test_damping_moments_at_joints_count():
    """Stiffness-proportional damping holds a joint whose hinges have yielded."""
    sol = shaken(plane_frame(damping=hx.ratio(0.10), levels=None), scale=3.0)
    with pytest.warns(DampingWarning):
        share = sol.damping_share
    assert share.where in ("B.rz", "C.rz", "x")
    joints = [i for i, name in enumerate(sol.dofs) if name.endswith("rz")]
    assert (sol.values("damping_peak")[joints] > 0).all()


# Limits -----------------------------------------------------------------------------------------------------


def collapse(duration=20.0, theta=0.3, **options):
    """One storey that keeps no stiffness after yield under heavy gravity, kicked hard."""
    k, h = 100.0, 3.0
    model = hx.shear_frame([1.0], [k], laws=hx.Slider(2.0), heights=h, weights=theta * k * h, units=UNITS)
    start = hx.State(momentum=[20 * 0.02 * 10])
    load = hx.Load(np.zeros((1, 1)), 1.0)
    return hx.solve(hx.Problem(model, load, duration, start), hx.Galerkin(H), **options)


def test_sidesway_is_flagged_by_a_physical_limit():
    sol = collapse(2.0)
    passed = sol.exceeded
    assert sol.status is Status.EXCEEDS
    assert (passed.quantity, passed.where, passed.limit) == ("drift_ratio", "storey 1", 0.1)
    node = round(passed.time / H)
    ratio = np.abs(sol.values("drift_ratio")[:, 0])
    assert ratio[node] > 0.1 >= ratio[:node].max()
    assert len(ratio) == node + 1  # the run ends there
    on = collapse(2.0, limit=hx.Limit(stop=False))
    assert on.exceeded == passed
    assert on.steps > node
    assert np.array_equal(on.values("displacement")[: node + 1], sol.values("displacement"))
    share = (0.1 - ratio[node - 1]) / (ratio[node] - ratio[node - 1])
    assert passed.crossing == pytest.approx((node - 1 + share) * H)
    crossed = f"(crossed at {passed.crossing:.5g} s)"
    assert str(passed) == f"storey 1 passed drift ratio 0.1 at t = {passed.time:g} s {crossed}"
    assert "physical limit" in sol.status.value


def test_limits_are_the_users():
    assert collapse(2.0, limit=hx.Limit(drift_ratio=None)).status is Status.FINISHED
    assert collapse(2.0, limit=hx.Limit(drift_ratio=None, drift=0.05)).exceeded.quantity == "storey_drift"
    both = collapse(2.0, limit=hx.Limit(drift_ratio=0.1, drift=0.05))
    assert both.exceeded.quantity == "storey_drift"  # the one that is passed first
    assert shaken(shear_frame(), duration=1.0).exceeded is None
    assert shaken(truss(), duration=1.0).exceeded is None  # no storeys, no limit
    for wrong in (0.0, -1.0, "10 %"):
        with pytest.raises(ProblemError, match="Limit: drift_ratio must be a positive number or None"):
            hx.Limit(drift_ratio=wrong)


def test_a_collapse_that_runs_away_is_readable_or_a_named_error():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sol = collapse(80.0, limit=hx.Limit(stop=False))  # squares overflow, numbers do not
        assert sol.status is Status.EXCEEDS
        assert np.isfinite(sol.peaks["displacement"].value)
        assert "Galerkin" in repr(sol)
    with pytest.raises(OverflowRunError, match="collapsed and ran away: then let the run end at a limit"):
        collapse(200.0, limit=hx.Limit(stop=False))


@pytest.mark.parametrize("duration", [2.0, 80.0, 200.0])
def test_a_collapse_shows_what_was_before_the_limit_however_long_it_would_go_on(duration):
    """Nothing of 8.7e34 m: peaks, energies and histories are those up to the first node beyond the limit."""
    short, sol = collapse(2.0), collapse(duration)
    assert sol.status is Status.EXCEEDS
    assert sol.exceeded == short.exceeded
    assert 0.1 < sol.peaks["drift_ratio"].value < 0.12
    assert sol.values("displacement").tobytes() == short.values("displacement").tobytes()
    assert sol.residual < 1e-10
    thin = collapse(duration, keep=("displacement",))
    assert thin.exceeded == sol.exceeded
    assert thin.peaks["drift_ratio"] == sol.peaks["drift_ratio"]


# Files ------------------------------------------------------------------------------------------------------


@pytest.mark.chief("space frame", "shear frame")
def test_files_keep_everything(case, tmp_path):
    _, sol = case
    back = hx.read(sol.save(tmp_path / "out.nc"))
    assert back.names == sol.names
    for name in sol.names:
        assert back.values(name).tobytes() == sol.values(name).tobytes(), name
        assert back[name].identical(sol[name]), name
    assert back.peaks == sol.peaks
    assert back.damping_share == sol.damping_share
    assert (back.status, back.exceeded, back.limit) == (sol.status, sol.exceeded, sol.limit)
    ours, theirs = sol.frames(4, 3.0), back.frames(4, 3.0)
    assert np.array_equal(ours.positions, theirs.positions)
    assert np.array_equal(ours.slipped, theirs.slipped)
    assert np.array_equal(ours.yielded, theirs.yielded)
    assert ours.geometry.names == theirs.geometry.names
    again = hx.read(back.save(tmp_path / "again.nc"))
    assert again.dataset.identical(sol.dataset)


def test_files_keep_limits_and_moving_supports(tmp_path):
    sol = collapse(2.0, limit=hx.Limit(drift_ratio=0.05, drift=None))
    back = hx.read(sol.save(tmp_path / "out.nc"))
    assert back.exceeded == sol.exceeded
    model = shear_frame(weights=None)
    moved = hx.Load(0.1 * np.sin(np.arange(0, 2, H)), H)
    sol = hx.solve(hx.Problem(model, hx.Load(np.zeros((1, 3)), 1.0), 1.0, supports=moved), hx.Galerkin(H))
    back = hx.read(sol.save(tmp_path / "moved.nc"))
    assert np.array_equal(back.frames(3).positions, sol.frames(3).positions)


def test_csv_names_the_storeys(tall, tmp_path):
    header = tall[1].save(tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()[0]
    assert "storey_drift storey 2 [m]" in header
    assert "storey_shear storey 1 [kN] step mean" in header


def test_newmark_gives_the_same_results_by_name():
    model = shear_frame()
    ours, theirs = shaken(model), shaken(model, hx.Newmark(H, safeguarded=True))
    assert set(ours.names) <= set(theirs.names)
    assert theirs.peaks["storey_drift"].value == pytest.approx(ours.peaks["storey_drift"].value, rel=0.05)


def test_a_solution_with_another_limit_is_a_copy(tall):
    _, sol = tall
    strict = dataclasses.replace(sol, limit=hx.Limit(drift_ratio=1e-4))
    assert strict.status is Status.EXCEEDS
    assert sol.status is Status.EARLY  # eight seconds of a record
