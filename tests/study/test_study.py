"""Studies: one table, whatever runs it; failures are statuses; keys are content."""

import dataclasses
import sys
from functools import partial

import numpy as np
import pytest

import hamex as hx
from hamex.errors import HamexError, InputError, MissingPackageError
from hamex.study.keys import digest

STEP = hx.Galerkin(0.02)
MODEL = hx.oscillator(mass=1, stiffness=225, damping=1.5, law=hx.Slider(0.27, 1.5))


def records(count=3):
    a = hx.el_centro().acceleration
    return [hx.GroundMotion(a[100 * i : 100 * i + 400], 0.02, "g", f"cut {i}") for i in range(count)]


def study(**changes):
    axes = {"record": records(), "scale": [0.5, 1.0, 2.0], "viscosity": [0.0, 1.5]}
    return hx.Study(
        **{"template": MODEL, "axes": axes, "measures": ("ductility", "residual_slip"), "scheme": STEP, "g": 1.0}
        | changes
    )


def frame(stiffness, seed):
    """A frame with random strength."""
    strength = np.random.default_rng(seed).uniform(0.5, 1.5, 2)
    return hx.shear_frame([1.0, 1.0], [stiffness] * 2, laws=[hx.Slider(3.0 * s, 0.5) for s in strength])


def test_cells_are_single_runs():
    table = study().run(workers=1)
    assert table.axes.names == ("record", "viscosity", "scale")
    assert table.values("ductility").shape == (3, 2, 3)
    for i, record in enumerate(records()):
        for j, viscosity in enumerate((0.0, 1.5)):
            model = hx.oscillator(1, 225, 1.5, hx.Slider(0.27, viscosity))
            for k, scale in enumerate((0.5, 1.0, 2.0)):
                problem = hx.Problem(model, record.scaled(scale).on(model, g=1.0), 399 * 0.02)
                sol = hx.solve(problem, STEP)
                assert table.values("ductility")[i, j, k] == pytest.approx(sol.peaks["ductility"].value, rel=1e-11)
    assert table.failed == 0


def test_the_table_is_the_same_from_every_executor_and_after_a_resume(tmp_path):
    one = study().run(workers=1)
    two = study().run(workers=2, store=tmp_path)
    again = study().run(workers=2, store=tmp_path)
    assert (two.found, again.ran) == (0, 0)
    assert again.found == two.ran > 3
    for name in one.columns:
        assert np.array_equal(one.columns[name], two.columns[name])
        assert np.array_equal(one.columns[name], again.columns[name])
    assert one.provenance == again.provenance


def test_more_of_the_same_study_runs_only_what_is_new(tmp_path):
    first = study().run(workers=1, store=tmp_path)
    more = study(axes={**study().axes, "record": records(4)}).run(workers=1, store=tmp_path)
    assert 0 < more.ran < first.ran
    assert np.array_equal(more.values("ductility")[:3], first.values("ductility"))


def test_a_function_builds_models_with_a_seed_of_their_own():
    axes = {"record": records(1), "stiffness": [300.0, 500.0]}
    found = study(template=frame, axes=axes, measures=("drift",), g=9.81).run(workers=1)
    again = study(template=frame, axes=axes, measures=("drift",), g=9.81, seed=1).run(workers=1)
    assert found.values("drift").shape == (1, 2, 1)
    assert set(found.measures) == {"drift", "drift_1", "drift_2"}
    assert np.array_equal(found.values("drift"), np.maximum(found.values("drift_1"), found.values("drift_2")))
    assert not np.array_equal(found.values("drift"), again.values("drift"))


def test_a_cell_that_fails_is_a_status():
    runs_away = hx.Model(**{**vars(MODEL), "stiffness": np.array([[-200.0]])})
    axes = {"record": records(1), "model": [MODEL, runs_away], "scale": [1e-6, 1.0]}
    table = study(axes=axes, duration=100.0).run(workers=1)
    status = table.values("status")[0]
    assert (status == "finished").tolist() == [[True, True], [True, False]]
    assert table.failed == 1
    assert status[1, 1].startswith("OverflowRunError")
    assert np.isnan(table.values("ductility")[0, 1, 1])
    assert np.isfinite(table.values("ductility")[0, 1, 0])
    assert table.axes.values("model").tolist() == ["model 1", "model 2"]
    alone = study(axes={**axes, "model": [MODEL]}, duration=100.0).run(workers=1)
    assert np.array_equal(alone.values("ductility")[0, 0], table.values("ductility")[0, 0])


def test_tables_for_people_tell_a_failure_in_words(tmp_path):
    import openpyxl
    import polars as pl

    runs_away = hx.Model(**{**vars(MODEL), "stiffness": np.array([[-200.0]])})
    table = study(axes={"record": records(1), "model": [MODEL, runs_away]}, duration=100.0).run(workers=1)
    rows = openpyxl.load_workbook(table.save(tmp_path / "t.xlsx"))["runs"].iter_rows(values_only=True)
    names, *cells = rows
    sheet = [row[names.index("status")] for row in cells]
    for good, bad in (sheet, pl.read_csv(table.save(tmp_path / "t.csv"))["status"].to_list()):
        assert good == "finished"
        assert bad.startswith("ran away: ")
        assert "Error" not in bad


def test_a_storey_has_a_drift_also_where_there_is_one_only():
    one = hx.shear_frame([1.0], [225.0], laws=hx.Slider(0.27), heights=3.0, damping=hx.ratio(0.05))
    axes = {"record": records(1), "scale": [1.0, 2.0]}
    found = study(template=one, axes=axes, measures=("drift", "ductility")).run(workers=1)
    assert found.failed == 0
    same = study(template=one, axes=axes, measures=("displacement", "ductility")).run(workers=1)
    assert found.values("drift") == pytest.approx(same.values("displacement"), rel=1e-12)
    assert found.values("ductility") == pytest.approx(same.values("ductility"), rel=1e-12)


def test_levels_scale_every_record_to_the_same_intensity():
    axes = {"record": records(), "level": [0.1, 0.3]}
    table = study(axes=axes, intensity=hx.Pga()).run(workers=1)
    assert table.axes.names == ("record", "level")
    for record, scale in zip(records(), table.values("scale"), strict=True):
        assert scale * record.peak == pytest.approx([0.1, 0.3], rel=1e-14)


def test_other_schemes_run_too():
    table = study(axes={"record": records(1)}, measures=("ductility",), scheme=hx.Newmark(0.02)).run(workers=1)
    load = records(1)[0].on(MODEL, g=1.0)
    sol = hx.solve(hx.Problem(MODEL, load, 399 * 0.02), hx.Newmark(0.02))
    assert table.values("ductility")[0, 0] == sol.peaks["ductility"].value


def test_no_time_is_told_of_runs_that_all_fail():
    with pytest.raises(InputError, match="measures"):
        study(measures=("beauty",)).timed()


def test_a_plan_tells_what_will_happen():
    plan = study().plan()
    assert "seconds" not in repr(plan)
    assert f"{plan.runs} runs in {plan.parts} parts" in repr(plan)
    assert "timed()" in repr(plan)
    assert plan.runs == 18
    assert plan.steps == pytest.approx(18 * 399)
    assert plan.parts == 6


def test_tables_are_saved_with_the_kind_of_their_motions(tmp_path):
    import polars as pl

    synthetic = [
        hx.GroundMotion(record.acceleration, 0.02, "g", record.source, kind="synthetic") for record in records()
    ]
    table = study(axes={**study().axes, "record": synthetic}).run(workers=1)
    assert table.provenance["motions"] == "synthetic"
    for read, name in ((pl.read_parquet, "t.parquet"), (pl.read_csv, "t.csv")):
        frame = read(table.save(tmp_path / name))
        assert frame["motions"].unique().to_list() == ["synthetic"]
        assert frame["ductility"].to_list() == table.columns["ductility"].tolist()
    table.save(tmp_path / "t.nc")


def test_without_polars_a_table_says_what_its_files_need(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    table = study(axes={"record": records(1)}).run(workers=1)
    assert table.dataset["ductility"].values.ravel().tolist() == table.columns["ductility"].tolist()
    for use in (lambda: table.frame, *(partial(table.save, tmp_path / name) for name in ("t.csv", "t.parquet"))):
        with pytest.raises(MissingPackageError, match=r"need polars: pip install 'hamex\[tables\]'"):
            use()
    with pytest.raises(MissingPackageError, match=r"inventories of buildings need polars"):
        hx.generate_inventory(2)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"axes": {"scale": [1.0]}}, 'need "record"'),
        ({"axes": {"record": []}}, "is empty"),
        ({"axes": {"record": ["el centro"]}}, "must be a GroundMotion"),
        ({"axes": {"record": records(), "scale": [np.nan]}}, "finite numbers"),
        ({"axes": {"record": records(), "level": [1.0]}}, "needs the intensity"),
        ({"g": 0.0}, "g must be positive"),
        ({"axes": {"record": records(), "colour": [1.0]}}, "no parameter 'colour'"),
        ({"axes": {"record": records(), "stiffness": [1.0]}, "template": frame(300.0, 1)}, "change an oscillator only"),
    ],
)
def test_bad_studies_are_refused(change, message):
    with pytest.raises(InputError, match=message):
        study(**change).run(workers=1)


def test_hashes_are_of_content():
    assert digest(np.array([1.0, 2.0])) != digest(np.array([2.0, 1.0]))
    assert digest(np.array([1, 2])) != digest(np.array([1.0, 2.0]))
    assert digest({"a": 1, "b": [1.0]}) == digest({"b": [1.0], "a": 1})
    assert digest(hx.Galerkin(0.02)) != digest(hx.Galerkin(0.01))
    with pytest.raises(InputError, match="cannot be hashed"):
        digest(object())


def test_a_standing_load_is_that_of_every_run_and_part_of_what_is_kept(tmp_path):
    """Reference: own, a batch; parts that were kept for another load are not found."""
    model = hx.shear_frame([1.0, 1.0], [300.0, 200.0], laws=hx.Slider(0.9, kinematic=20.0), heights=3.0)
    axes = {"record": [hx.el_centro()], "scale": [0.1, 0.2]}
    study = hx.Study(model, axes, ("drift",), hx.Galerkin(0.02), g=9.81, standing={"floor 2": 0.2})
    found = study.run(workers=1, store=tmp_path)
    own = hx.batch(model, hx.el_centro(), hx.Galerkin(0.02), ("drift",), scales=[0.1, 0.2], g=9.81, standing=[0, 0.2])
    assert found.values("drift").ravel().tolist() == own.values("drift")[0, 0].max(axis=-1).tolist()
    assert study.run(workers=1, store=tmp_path).ran == 0
    other = study.replace(standing=None).run(workers=1, store=tmp_path)
    assert other.ran > 0
    assert not np.allclose(other.values("drift"), found.values("drift"), rtol=1e-3)
    with pytest.raises(HamexError, match="no dof 'roof'"):
        study.replace(standing={"roof": 1.0}).run(workers=1)


def test_measures_that_a_model_does_not_give_are_refused_before_any_run(tmp_path):
    study = hx.Study(hx.oscillator(1.0, 225.0), {"record": [hx.el_centro()]}, ("drift",), hx.Galerkin(0.02), g=9.81)
    with pytest.raises(InputError, match="there is no 'drift' here; known are displacement"):
        study.run(workers=1, store=tmp_path)
    assert not list(tmp_path.iterdir())


def test_an_axis_of_anything_else_than_numbers_is_refused():
    axes = {"record": [hx.el_centro()], "scale": [object()]}
    with pytest.raises(InputError, match="the axis 'scale' must be finite numbers"):
        hx.Study(hx.oscillator(1.0, 225.0), axes, ("slip",), hx.Galerkin(0.02))


@pytest.mark.heavy
def test_axes_reach_the_parts_of_a_law():
    """Each cell is the run of a model that is made with that number."""

    def made(E0, fy):
        bar = hx.laws.Fatigue(hx.laws.Bilinear(1.0), E0=E0)
        law = hx.laws.ParallelLaws([bar, hx.laws.IMK(fy, 1.1, 0.03, 0.15, 0.2, reloading="peak")])
        return hx.oscillator(mass=1.0, stiffness=100.0, damping=0.5, law=law)

    short = dataclasses.replace(hx.el_centro(), acceleration=hx.el_centro().acceleration[:300])
    axes = {"record": [short], "part1.E0": [0.05, 0.5], "part2.yield_force": [0.4, 0.8]}
    table = hx.Study(made(0.2, 0.5), axes, ("displacement",), hx.Galerkin(0.02), g=9.81).run(workers=1)
    for E0, fy, found in zip(
        *(table.columns[x] for x in ("part1.E0", "part2.yield_force", "displacement")), strict=True
    ):
        alone = hx.batch([made(E0, fy)], short, hx.Galerkin(0.02), ("displacement",), g=9.81)
        assert found == pytest.approx(alone.values("displacement").item(), rel=1e-12)
    assert len(set(table.columns["displacement"].tolist())) == 4


@pytest.mark.parametrize(
    ("law", "axis", "told"),
    [
        (
            hx.laws.MinMax(hx.laws.Bilinear(1.0), max=0.1),
            "part2.yield_force",
            "no parameter 'part2.yield_force'; .*part1.yield",
        ),
        (hx.laws.MinMax(hx.laws.Bilinear(1.0), max=0.1), "part1.yield_force", "Bilinear: yield_force must be positive"),
        (
            hx.laws.MultilinearElastic([(0.01, 1.0)]),
            "points",
            "points are points of a law; give a function that builds",
        ),
    ],
)
def test_axes_that_reach_nothing_are_named(law, axis, told):
    model = hx.oscillator(mass=1.0, stiffness=100.0, law=law)
    with pytest.raises(InputError, match=told):
        hx.Study(model, {"record": [hx.el_centro()], axis: [-1.0]}, ("displacement",), hx.Galerkin(0.02), g=9.81).run()


@pytest.mark.parametrize(
    ("law", "name", "value", "same"),
    [
        (hx.laws.IMK(1.0, plastic=0.02, post_cap=0.1, reloading="peak"), "plastic", 0.04, "plastic_negative"),
        (hx.laws.IMK(1.0, plastic=0.02, plastic_negative=0.03, post_cap=0.1), "plastic", 0.04, None),
        (hx.laws.Hysteretic(1.0, 0.01, 1.2, 0.05, 0.6, 0.1), "s2p", 1.3, "s2n"),
    ],
)
def test_a_parameter_of_a_law_changes_both_sides_where_both_were_the_same(law, name, value, same):
    from hamex.study.axes import _changed

    model = hx.oscillator(1.0, 100.0, 0.1, law)
    before = next(iter(model.laws.values())).parameters
    after = next(iter(_changed(model, {name: value}).laws.values())).parameters
    changed = {key for key in before if not np.array_equal(before[key], after[key])}
    assert changed == {name, *([same] if same else [])}
    assert abs(after[name][0]) == value


def test_mass_stiffness_and_damping_change_whatever_the_law():
    from hamex.study.axes import _changed

    for law in (hx.laws.MultilinearElastic([(0.01, 1.0)]), hx.laws.MinMax(hx.laws.Bilinear(1.0), max=0.1)):
        assert _changed(hx.oscillator(1.0, 100.0, 0.1, law), {"mass": 2.0}).mass[0, 0] == 2.0
