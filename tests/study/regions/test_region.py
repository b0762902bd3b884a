"""Regions: every building as if it were solved alone, the same bits however they are run, and labels on everything."""

import json
import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import polars as pl
import pytest

import hamex as hx
from hamex.errors import ConvergenceError, InputError
from hamex.model.algebra import diagonal
from hamex.model.record import dense
from hamex.study.engine import StoppedError
from hamex.study.regions import shear_frames, types
from hamex.study.regions.inventory import _RANGE, DEGRADING
from hamex.study.regions.region import plan_region
from hamex.study.regions.shear_frames import GRAVITY, regular_shear_frames, single

EL = hx.el_centro()
SHORT = hx.GroundMotion(EL.acceleration[60:360], EL.step, "g", "El Centro, 6 s")
RESULTS = ("drift_ratio", "floor_acceleration", "residual_drift_ratio")
PARAMETERS = ("period", "strength", "damping", "hardening", "relaxation", "height")


def town(count, seed=1, relaxation=None, storeys=(1, 12)):
    made = hx.generate_inventory(count, seed, storeys=storeys)
    return hx.Inventory(
        made.longitude,
        made.latitude,
        made.storeys,
        made.type,
        made.design,
        period=made.period,
        strength=made.strength,
        relaxation=relaxation,
    )


def grid(interpolated=False, **options):
    other = hx.GroundMotion(1.4 * SHORT.acceleration[::-1], 0.01, "g", "backwards", kind="synthetic")
    return hx.MotionGrid([SHORT, other], [-115.6, -115.4], [32.8, 32.8], ["east", "west"], interpolated, **options)


@pytest.fixture(scope="module")
def found():
    viscous = np.where(np.arange(30) % 3 == 0, 0.01, 0.0)
    return hx.region(town(30, relaxation=viscous), grid(True), workers=1, sample=10)


def test_every_building_is_as_if_solved_alone(found):
    x = found.inventory
    assert len(set(x.storeys.tolist())) > 8
    assert set(found.shaking.station.tolist()) == {0, 1}
    assert (found.values("peak_residual_drift_ratio") > 0).sum() > 20  # most of them yield
    for i in range(30):
        frames = regular_shear_frames(int(x.storeys[i]), *(getattr(x, name)[i : i + 1] for name in PARAMETERS))
        model, h = single(frames, 0), float(found.step[i])
        motion = found.grid.motions[found.shaking.station[i]].scaled(float(found.shaking.factor[i]))
        load = motion.on(model, g=GRAVITY)
        problem = hx.Problem(model, load, duration=math.ceil(load.end / h - 1e-9) * h)
        alone = hx.solve(problem, hx.Galerkin(h))
        expected = {
            "drift_ratio": np.abs(alone.values("storey_drift")).max(axis=0) / frames.heights[0],
            "floor_acceleration": np.abs(alone.values("absolute_acceleration")).max(axis=0) / GRAVITY,
            "residual_drift_ratio": np.abs(alone.values("slip")[-1]) / frames.heights[0],
        }
        here = found.building(i)
        for name, values in expected.items():
            scale = here["peak_floor_acceleration"] if name == "floor_acceleration" else here["peak_drift_ratio"]
            assert np.abs(here[name] - values).max() <= 1e-10 * scale, (i, name)
        assert here["peak_drift_ratio"] == here["drift_ratio"].max() == here["drift_ratio"][here["peak_storey"] - 1]
        assert here["peak_residual_drift_ratio"] == here["residual_drift_ratio"].max()


def test_results_do_not_depend_on_company_order_or_executor(found):
    turn = np.random.default_rng(3).permutation(30)
    with ThreadPoolExecutor(2) as pool:
        other = hx.region(found.inventory.chosen(turn), grid(True), executor=pool, sample=0)
    for name in ("peak_drift_ratio", "peak_floor_acceleration", "p_moderate", "peak_storey", "status"):
        assert np.array_equal(other.values(name), found.values(name)[turn]), name
    for place, i in enumerate(turn):
        for name in RESULTS:
            assert np.array_equal(other.building(place)[name], found.building(int(i))[name])
    few = hx.region(found.inventory.chosen([4]), grid(True), workers=1, sample=0)
    assert few.values("peak_drift_ratio")[0] == found.values("peak_drift_ratio")[4]


def test_parts_are_cut_by_height_and_size(monkeypatch, found):
    monkeypatch.setattr(shear_frames, "_WORK", 6_000.0)
    many = hx.region(found.inventory, grid(True), workers=1, sample=0)
    assert many.ran > len(set(found.inventory.storeys.tolist())) + 5
    assert np.array_equal(many.by_storey["drift_ratio"], found.by_storey["drift_ratio"])
    for part in shear_frames.region_parts(many.inventory, many.grid, many.shaking, many.step):
        rows = part.payload["row"]
        assert len(set(many.inventory.storeys[rows].tolist())) == 1
        for begin, end, motion, h in part.payload["groups"]:
            assert set(many.step[rows[begin:end]].tolist()) == {h}
            assert {id(many.grid.motions[s]) for s in many.shaking.station[rows[begin:end]]} == {
                id(part.payload["motions"][motion])
            }


def test_an_interrupted_region_goes_on_where_it_stopped(tmp_path):
    def stop(now):
        if now.done == 3:
            raise KeyboardInterrupt

    given = town(40, seed=4), SHORT
    with pytest.raises(StoppedError, match="finished and kept in"):
        hx.region(*given, workers=1, store=tmp_path, sample=5, tell=stop)
    again = hx.region(*given, workers=1, store=tmp_path, sample=5)
    whole = hx.region(*given, workers=1, sample=5)
    assert (again.found, again.ran + again.found) == (3, whole.ran)
    for name in RESULTS:
        assert np.array_equal(again.by_storey[name], whole.by_storey[name])
    assert np.array_equal(again.values("status"), whole.values("status"))
    assert again.check.summary == whole.check.summary
    changed = hx.region(given[0], SHORT.scaled(1.1), workers=1, store=tmp_path, sample=5)
    assert changed.found == 0


def test_step_is_the_record_s_halved_until_short_enough():
    two = hx.MotionGrid([SHORT, hx.GroundMotion([0.1, 0.2], 0.004, "g")], [0.0, 1.0], [0.0, 0.0])
    found = shear_frames.steps_for(np.array([2.0, 0.4, 0.39, 0.1, 2.0, 0.1]), np.array([0, 0, 0, 0, 1, 1]), two, None)
    assert found == pytest.approx([0.01, 0.01, 0.005, 0.0025, 0.004, 0.002])
    assert shear_frames.steps_for(np.ones(2), np.zeros(2, dtype=int), two, 0.003).tolist() == [0.003, 0.003]


def test_step_error_is_that_of_a_run_at_an_eighth(found):
    check, x = found.check, found.inventory
    assert (len(check.rows), check.finer) == (10, 8)
    i = int(check.rows[0])
    finer = hx.region(x.chosen([i]), grid(True), step=float(found.step[i] / 8), workers=1, sample=0)
    for name in ("peak_drift_ratio", "peak_floor_acceleration"):
        error = abs(found.values(name)[i] / finer.values(name)[0] - 1)
        assert check.errors[name][0] == pytest.approx(error, rel=1e-9)
        assert 0 < check.errors[name].max() < 0.2
    assert check.share(within=1.0) == 1.0
    assert check.share(within=0.0) == 0.0
    assert check.share() == np.mean(check.errors["peak_drift_ratio"] <= 0.02)


def test_slip_is_the_drift_once_everything_is_at_rest():
    x = town(12, seed=9, storeys=(3, 3)).filled()
    frames = regular_shear_frames(3, *(getattr(x, name) for name in PARAMETERS))
    longer = SHORT.scaled(2).padded(after=60.0)
    rest = hx.batch(frames, longer, hx.Galerkin(0.01), ("residual_drift", "residual_slip", "drift"), g=GRAVITY)
    drift, slip = (rest.values(name)[:, 0, 0] for name in ("residual_drift", "residual_slip"))
    largest = rest.values("drift")[:, 0, 0].max(axis=1)
    assert (np.abs(slip).max(axis=1) > 0.01 * largest).any()
    assert np.abs(drift - slip).max() < 1e-3 * largest.min()


def test_a_building_that_fails_leaves_the_others_alone(monkeypatch, tmp_path):
    given = town(40, seed=2, storeys=(2, 3))
    good = hx.region(given, SHORT, workers=1, sample=0)
    lost = np.isin(np.arange(40), [3, 17, 30])
    weak = given.filled().strength[lost]

    def refusing(frames, *rest, **options):
        base = frames.yield_force[:, 0] / (frames.storeys * GRAVITY)
        if np.isin(np.round(base, 12), np.round(weak, 12)).any():
            raise ConvergenceError("not solved")
        return hx.batch(frames, *rest, **options)

    monkeypatch.setattr(shear_frames, "batch", refusing)
    found = hx.region(given, SHORT, workers=1, sample=40)
    assert found.failed == 3
    assert found.values("status")[lost].tolist() == ["ConvergenceError: not solved"] * 3
    points = json.loads(found.save(tmp_path / "a.geojson").read_text(encoding="utf-8"))["features"]
    assert points[3]["properties"]["status"] == "no result: not solved"
    assert np.isnan(found.values("peak_drift_ratio")[lost]).all()
    assert np.array_equal(found.values("peak_drift_ratio")[~lost], good.values("peak_drift_ratio")[~lost])
    assert found.summary["all"]["buildings"] == 37
    assert np.isfinite(found.summary["all"]["expected_buildings"]["none"])
    assert found.check.summary["peak_drift_ratio"]["median"] < 0.02


def test_everything_says_what_it_is(found, tmp_path):
    label = "demands of bilinear and viscoplastic shear models: no pinching, no degradation, no P-Delta"
    assert (found.label, found.motions) == (label, "recorded + synthetic")
    assert found.summary["label"] == label
    assert "Hazus" in found.summary["defaults"]
    assert found.provenance["motions"] == "recorded + synthetic"
    assert set(found.frame["motions"]) == {"recorded + synthetic"}
    viscous = found.inventory.relaxation > 0
    assert found.frame["model"].to_list() == np.where(viscous, "viscoplastic shear", "bilinear shear").tolist()
    assert pl.read_parquet_metadata(found.save(tmp_path / "a.parquet"))["label"] == label
    assert json.loads(found.save(tmp_path / "a.geojson").read_text())["hamex"]["label"] == label


def test_parquet_keeps_every_digit_and_geojson_six(found, tmp_path):
    table = pl.read_parquet(found.save(tmp_path / "a.parquet"))
    features = json.loads(found.save(tmp_path / "a.geojson").read_text())["features"]
    assert table.height == len(features) == 30
    for i, (row, feature) in enumerate(zip(table.iter_rows(named=True), features, strict=True)):
        here, about = found.building(i), feature["properties"]
        assert feature["geometry"]["coordinates"] == pytest.approx([here["longitude"], here["latitude"]], abs=1e-6)
        for name in RESULTS:
            assert row[name] == here[name].tolist()
            assert about[name] == pytest.approx(here[name], rel=1e-5)
        for name in ("period", "strength", "peak_drift_ratio", "p_slight", "factor", "distance_km", "step"):
            assert row[name] == here[name]
            assert about[name] == pytest.approx(here[name], rel=1e-5)
        for name in ("id", "type", "design", "station", "storeys", "peak_storey", "status"):
            assert row[name] == about[name] == here[name]


def test_the_summary_adds_up(found):
    every = found.summary["all"]
    assert sum(every["expected_buildings"].values()) == pytest.approx(30)
    for key in ("by_type", "by_storeys"):
        assert sum(row["buildings"] for row in found.summary[key]) == 30
        for state, total in every["expected_buildings"].items():
            assert sum(row["expected_buildings"][state] for row in found.summary[key]) == pytest.approx(total)
    assert every["peak_drift_ratio"]["median"] == pytest.approx(np.median(found.values("peak_drift_ratio")))
    json.dumps(found.summary)


def test_buildings_without_limits_have_demands_but_no_states(tmp_path):
    given = hx.Inventory(
        [0.0], [0.0], [2], [""], period=[0.5], strength=[0.1], damping=[0.05], hardening=[0.05], height=[3.0]
    )
    found = hx.region(given, SHORT, workers=1, sample=0)
    assert found.values("peak_drift_ratio")[0] > 0
    assert np.isnan(found.values("p_none")[0])
    feature = json.loads(found.save(tmp_path / "a.geojson").read_text())["features"][0]
    assert feature["properties"]["p_none"] is None


def test_a_plan_tells_the_work_without_doing_it():
    plan = plan_region(town(50), SHORT, sample=10)
    assert plan.buildings == 50
    assert plan.parts >= 10
    # At most 0.01 s, 5.98 s in all; the sample is an eighth of the step.
    assert plan.steps > 598 * plan.storeys * (1 + 8 * 10 / 50)


def test_wrong_use_is_told():
    with pytest.raises(InputError, match="give an Inventory and a MotionGrid"):
        hx.region([1, 2], SHORT)
    with pytest.raises(InputError, match="step must be a positive number"):
        hx.region(town(2), SHORT, step=-1)
    with pytest.raises(InputError, match="sample must be a whole number"):
        hx.region(town(2), SHORT, sample=-1)


def test_the_region_tells_what_it_has(found):
    with pytest.raises(InputError, match=r"the region has no 'drift'; it has .*peak_drift_ratio"):
        found.values("drift")
    with pytest.raises(InputError, match="buildings 0 to 29, not 30"):
        found.building(30)
    assert repr(found) == "<Region: 30 buildings, recorded + synthetic motions, 0 failed>"


# Buildings that degrade ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def degraded():
    return hx.region(town(14, seed=3, storeys=(1, 3)), EL.scaled(4.0), workers=1, sample=0, degrading=True)


@pytest.mark.heavy
def test_a_building_that_degrades_is_as_if_solved_alone(degraded):
    x = degraded.inventory
    going = down = 0
    for i in range(len(x)):
        frames = regular_shear_frames(int(x.storeys[i]), *(getattr(x, name)[i : i + 1] for name in PARAMETERS))
        about = {name: getattr(x, name)[i : i + 1] for name in ("hardening", *DEGRADING)}
        (model,) = shear_frames.degrading(frames, about)
        h = float(degraded.step[i])
        load = degraded.grid.motions[0].on(model, g=GRAVITY)
        problem = hx.Problem(model, load, duration=math.ceil(load.end / h - 1e-9) * h)
        alone = hx.solve(problem, hx.Galerkin(h), limit=hx.Limit(0.2))
        here = degraded.building(i)
        assert here["drift_ratio"] == pytest.approx(np.abs(alone.values("drift_ratio")).max(axis=0), rel=1e-9)
        assert here["status"] == ("finished" if alone.exceeded is None else "collapsed")
        if alone.exceeded is None:
            going += 1
            B, k = dense(model.compatibility), 1 / diagonal(model.flexibility)  # at rest (B k Bᵀ + K) u = B k s
            u = np.linalg.solve((B * k) @ B.T + dense(model.stiffness), B @ (k * alone.values("slip")[-1]))
            assert here["residual_drift_ratio"] == pytest.approx(np.abs(B.T @ u) / x.height[i], rel=1e-9, abs=1e-15)
        else:
            down += 1
            assert alone.collapse is not None  # sidesway: driven on by its own forces, its tangent indefinite
            assert here["p_complete"] == 1.0
            assert np.isnan(here["peak_residual_drift_ratio"])
    assert going > 2
    assert down > 2
    assert (degraded.collapsed, degraded.failed) == (down, 0)


def test_degradation_is_told_wherever_numbers_are(degraded, tmp_path):
    assert "lose their strength, with P-Delta" in degraded.label
    assert degraded.summary["collapsed"] == degraded.collapsed
    assert set(degraded.frame["model"]) == {"degrading shear"}
    assert {"ductility", "softening", "residual", "loops"} <= set(degraded.frame.columns)
    text = degraded.save(tmp_path / "town.geojson").read_text(encoding="utf-8")
    assert "NaN" not in text
    assert "lose their strength" in text
    states = np.stack([degraded.values(name) for name in shear_frames.PROBABILITIES])
    assert states.sum(axis=0) == pytest.approx(1.0, abs=1e-12)


def test_nothing_changes_where_no_degradation_is_asked_for():
    plain = town(6, seed=2)
    told = hx.Inventory(
        plain.longitude, plain.latitude, plain.storeys, plain.type, plain.design, plain.period, plain.strength,
        ductility=3.0, loops=0.4,
    )  # fmt: skip
    a, b = (hx.region(each, SHORT, workers=1, sample=0) for each in (plain, told))
    assert a.provenance["region"] == b.provenance["region"]
    assert "collapsed" not in a.summary
    assert not a.degrading


@pytest.mark.parametrize("loops", [1.0, 0.5, 0.4, 0.2])
def test_the_area_of_large_loops_is_the_share_asked_for(loops):
    """Analytic: cycles of plastic amplitude p lose 4 Fy p in bilinear loops, without hardening."""
    law = shear_frames.storey_law(
        1.0, 0.01, 3.0, hardening=0.0, ductility=1e6, softening=1e6, residual=0.0, loops=loops
    )
    u = 200.0
    lost = hx.respond(law, [0.0, u, -u, u, -u, u], stiffness=100.0).dissipated
    assert lost[-1] - lost[-3] == pytest.approx(4.0 * loops * (u - 0.01), rel=1e-4)


def test_no_type_has_strength_left_where_it_counts_as_collapsed():
    for name, (low, high) in _RANGE.items():
        for storeys in {low, high}:
            for level in range(4):
                row = types.defaults(np.array([types.NAMES.index(name)]), np.array([storeys]), np.array([level]))
                if np.isfinite(row["strength"][0]):
                    frames = regular_shear_frames(storeys, *(row[each] for each in PARAMETERS))
                    cap = row["ductility"][0] * frames.yield_force / frames.stiffness / frames.heights
                    assert cap.max() + row["softening"][0] < shear_frames.COLLAPSE


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ductility": 1.0}, "column ductility: must be above 1"),
        ({"loops": 1.2}, "column loops: must be a share above 0 and up to 1"),
        ({"residual": -0.1}, "column residual: must be a share of the yield force"),
        ({"relaxation": 0.01}, "column relaxation: storeys that degrade have no viscosity"),
        ({"type": "", "period": 1.0, "strength": 0.1, "damping": 0.05, "hardening": 0.1, "height": 3.0},
         "column ductility: is missing, and the building has no type"),
    ],
)  # fmt: skip
def test_what_cannot_degrade_is_named_before_any_run(changes, message):
    with pytest.raises(InputError, match=message):
        hx.region(hx.Inventory([0.0], [0.0], [2], **{"type": "C1", **changes}), SHORT, workers=1, degrading=True)
    with pytest.raises(InputError, match="do not settle"):
        hx.region(hx.Inventory([0.0], [0.0], [2], "C1"), SHORT, workers=1, degrading=True, settle=0.01)
