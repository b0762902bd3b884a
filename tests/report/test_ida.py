"""Pictures and exports of an incremental dynamic analysis show what was found, with every label."""

import csv
import json

import numpy as np
import pytest

import hamex as hx
from hamex.report.ida import draw_curves, draw_fragility, draw_stripes, flags_of, kaplan_meier
from hamex.report.ida_page import write_fragility, write_pictures, write_report
from hamex.report.style import PAPER
from hamex.study.ida.runs import IdaRuns, demands_of, measures_in, read_runs, write_demands, write_edp
from hamex.study.table import words_of


@pytest.fixture(scope="module")
def found():
    a = hx.el_centro().acceleration
    cuts = [hx.GroundMotion(a[40 * i : 40 * i + 250], 0.02, "g", f"cut {i}", kind="synthetic") for i in range(8)]
    frame = hx.shear_frame(
        [1.0, 1.0], 300.0, laws=hx.Slider(3.0, 0.5), heights=3.0, damping=hx.ratio(0.03), units=hx.Units("m", "kN")
    )
    study = hx.Study(
        frame,
        {"record": cuts, "level": np.linspace(0.1, 0.8, 8)},
        ("drift", "absolute_acceleration", "displacement"),
        hx.Galerkin(0.02),
        g=9.80665,
        intensity=hx.Pga(),
    )
    return hx.ida(study, "drift_ratio", 0.03, intensity=hx.Pga(), workers=1)


@pytest.fixture(scope="module")
def curves(found):
    return found.curves[0]


@pytest.fixture(scope="module")
def runs(found):
    words = {name: words_of(name, hx.Units("m", "kN"), True) for name in measures_in(found.columns)}
    return IdaRuns(
        "A frame",
        found.columns,
        (),
        "PGA [g]",
        "synthetic",
        words,
        "drift_ratio",
        0.03,
        stripes=True,
        about={"length": "m"},
    )


def texts(drawing):
    return " | ".join(text.get_text() for text in drawing.findobj(lambda item: hasattr(item, "get_text")))


def lines(axes, label):
    return next(line for line in axes.lines if line.get_label() == label)


def test_curves_show_capacities_fractiles_and_the_limit(curves):
    drawing = draw_curves(curves, "A frame")
    axes = drawing.axes[0]
    shown = lines(axes, "limit passed").get_ydata()
    assert sorted(shown) == sorted(curves.capacities[np.isfinite(curves.capacities)])
    x, y = lines(axes, "median").get_data()
    place = np.flatnonzero(~np.isnan(y))[-1]
    assert y[place] == pytest.approx(curves.intensity_for([x[place]], [50])[0, 0])
    said = texts(drawing)
    assert all(word in said for word in ("storey drift ratio > 0.03", "8 synthetic motions", "motions are synthetic"))
    assert "collapse" not in said


def test_censored_curves_end_with_an_open_mark(curves):
    cut = curves.replace(im=curves.im[:, :4], scale=curves.scale[:, :4], demand=curves.demand[:, :4])
    hidden = np.isinf(cut.capacities)
    assert 0 < hidden.sum() < len(hidden)
    drawing = draw_curves(cut)
    mark = lines(drawing.axes[0], "never passed (censored)")
    assert mark.get_markerfacecolor() == PAPER
    assert sorted(mark.get_xdata()) == sorted(cut.demand[hidden, -1])
    assert f"{hidden.sum()} of 8 records never pass" in texts(drawing).replace("\n", " ")


def test_a_run_that_ran_away_ends_flat_and_beyond_the_picture(curves):
    demand = curves.demand.copy()
    demand[0, 3:] = np.inf
    drawing = draw_curves(curves.replace(demand=demand))
    line = drawing.axes[0].lines[0]
    assert line.get_xdata()[-1] > drawing.axes[0].get_xlim()[1]
    assert line.get_ydata()[-1] == curves.im[0, 3]
    assert "beyond the picture" in texts(draw_stripes(curves.replace(demand=demand)))


def test_stripes_count_what_is_beyond(curves):
    said = texts(draw_stripes(curves, "A frame"))
    beyond = (curves.demand > curves.limit).sum(axis=0)
    assert all(f"{count}/8" in said for count in beyond)
    assert "synthetic" in said


def test_fragility_shows_shares_of_stripes(curves):
    fit = curves.fragility(0.2, stripes=True, resamples=50)
    drawing = draw_fragility([(curves, fit)], "A frame")
    axes = drawing.axes[0]
    assert lines(axes, "share of 8 motions").get_ydata() == pytest.approx((curves.demand > 0.03).mean(axis=0))
    im, p = lines(axes, "lognormal fit with modelling dispersion").get_data()
    assert p == pytest.approx(fit.probability(im))
    said = texts(drawing)
    assert f"median {fit.median:.3g} g" in said
    assert "with modelling 0.2" in said
    assert "P(storey drift ratio > 0.03)" in said
    assert "motions are synthetic" in said


def test_fragility_of_capacities_shows_the_distribution_with_censoring(curves):
    cut = curves.replace(im=curves.im[:, :4], scale=curves.scale[:, :4], demand=curves.demand[:, :4])
    fit = cut.fragility(resamples=50)
    axes = draw_fragility([(cut, fit)]).axes[0]
    x, share = lines(axes, "capacities of 8 motions").get_data()
    capacity = cut.capacities[np.isfinite(cut.capacities)]
    assert sorted(x) == sorted(set(capacity))
    assert share[-1] == pytest.approx(len(capacity) / 8)  # all censored records lie above
    assert any(line.get_label().endswith("censored, tried up to here") for line in axes.lines)


def test_the_distribution_with_censoring_is_kaplan_and_meiers():
    place, share = kaplan_meier(np.array([1.0, 2.0, 2.0, 3.0, 4.0]), np.array([False, False, True, False, True]))
    assert place.tolist() == [1.0, 2.0, 3.0]
    assert share == pytest.approx([0.2, 1 - 0.8 * 0.75, 1 - 0.8 * 0.75 * 0.5])


def test_pictures_and_report_are_written(curves, runs, tmp_path):
    fits = [(curves, runs.replace(resamples=50).fragility(curves))]
    written = write_pictures(fits, tmp_path, "A <frame>")
    assert {path.name for path in written} == {
        f"{name}.{ending}" for name in ("curves", "stripes", "fragility") for ending in ("png", "svg")
    }
    page = write_report(fits, tmp_path / "report.html", "A <frame>", {"runs": 64}, ["table.csv"]).read_text()
    assert "A &lt;frame&gt;" in page
    assert page.count("<svg") == 3
    assert page.count("synthetic") > 5
    assert "<script" not in page
    assert "collapse" not in page.partition("</style>")[2]
    assert "synthetic" in write_fragility(fits, tmp_path / "f.html", "A").read_text()


def test_a_limit_that_is_collapse_is_called_so_and_has_its_margin(runs, tmp_path):
    """Runs that end at the limit collapse; the same runs with another limit exceed it."""
    own = runs.replace(resamples=50, stripes=False, about={"collapse drift ratio": 0.03})
    (curves,) = own.curves()
    fits = [(curves, own.fragility(curves))]
    page = write_report(fits, tmp_path / "report.html", "A", {}, [], 0.2).read_text().partition("</style>")[2]
    assert f"<b>{fits[0][1].median / 0.2:.2f}</b><span>collapse margin ratio over 0.2 g</span>" in page
    assert f"At 0.2 g it is {100 * float(fits[0][1].probability(0.2)):.2g} %." in page
    assert "none counts as collapsed because its equations were not solved" in page
    assert "exceed" not in page.lower()
    assert "collapse, storey drift ratio > 0.03" in texts(draw_curves(curves))
    (other,) = own.replace(limit=0.02).curves()
    assert (other.collapse, other.event) == (False, "exceedance of storey drift ratio > 0.02")


def test_a_study_without_a_fragility_is_told_and_drawn(curves, runs, tmp_path):
    far = curves.replace(limit=9.0)
    fits = [(far, runs.replace(limit=9.0).fragility(far))]
    assert fits[0][1] == "nothing exceeds the limit at any level; go higher"
    assert "fragility.png" not in {path.name for path in write_pictures(fits, tmp_path, "A")}
    assert "no fragility: " in write_report(fits, tmp_path / "r.html", "A", {}, []).read_text()


def test_records_hunted_for_one_limit_are_no_bounds_for_a_higher_one(runs, curves):
    hunted = runs.replace(hunted=("drift_ratio", 0.03), stripes=False, resamples=50)
    assert hunted.fragility(curves).limit == "storey drift ratio > 0.03"
    higher = curves.replace(limit=0.06)
    assert 0 < np.isinf(higher.capacities).sum() < 8
    assert "before their hunt for storey drift ratio > 0.03 ends" in hunted.replace(limit=0.06).fragility(higher)
    assert runs.replace(stripes=False, limit=0.06).fragility(higher).limit == "storey drift ratio > 0.06"


def test_flags_of_some_models_carry_their_names(curves):
    one, two = curves.replace(model="a = 1"), curves.replace(model="a = 2", limit=0.06)
    said = flags_of(one, two)
    assert "motions are synthetic" in said
    assert any(flag.startswith("a = 2: ") and "censored" in flag for flag in said)
    assert "a = 1" in texts(draw_fragility([(c, c.fragility(resamples=50)) for c in (one, two)]))


def test_demands_are_named_as_pelicun_names_them(runs, tmp_path):
    demands = demands_of(runs, 9.80665, "m")
    rows = list(csv.reader(write_demands(runs, demands, tmp_path / "demands.csv").read_text().splitlines()))
    assert rows[0] == [
        "motions: synthetic",
        "1-PGA-0-1",
        "1-PFA-0-1",
        "1-PFA-1-1",
        "1-PFA-2-1",
        "1-PFD-1-1",
        "1-PFD-2-1",
        "1-PID-1-1",
        "1-PID-2-1",
    ]
    assert rows[1] == ["Units", *["g"] * 4, "m", "m", "rad", "rad"]
    assert len(rows) == 2 + 64
    values = np.array(rows[2:], dtype=float)[:, 1:].T
    assert np.array_equal(values[7], runs.columns["drift_2"] / 3.0)
    assert values[2] == pytest.approx(runs.columns["absolute_acceleration_1"] / 9.80665, rel=1e-15)
    assert np.array_equal(values[1], runs.columns["pga"])


def test_edp_json_has_simcenters_shape(runs, tmp_path):
    demands = demands_of(runs, 9.80665, "m")
    data = json.loads(write_edp(runs, demands, tmp_path / "EDP.json").read_text())
    assert data["motions"] == "synthetic"
    assert data["total_number_edp"] == 7 * 64
    event = data["EngineeringDemandParameters"][5]
    drift = next(response for response in event["responses"] if response["type"] == "max_drift")
    assert {"cline", "floor1", "floor2", "dofs", "scalar_data"} <= set(drift)
    assert drift["scalar_data"] == [runs.columns["drift_ratio_1"][5]]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_tables_come_back(runs, curves, tmp_path, ending):
    back = read_runs(runs.save_table(tmp_path / f"table.{ending}"), "drift_ratio", 0.03)
    (again,) = back.curves()
    assert back.motions == again.motions == "synthetic"
    assert again.labels == curves.labels
    assert np.array_equal(again.demand, curves.demand)
    assert np.array_equal(again.capacities, curves.capacities)


def test_results_come_back_from_json(runs, curves, tmp_path):
    path = tmp_path / "result.json"
    path.write_text(json.dumps(runs.to_dict(), allow_nan=False))
    (again,) = read_runs(tmp_path).curves()
    assert np.array_equal(again.demand, curves.demand)
    assert (again.limit_name, again.motions) == (curves.limit_name, "synthetic")
    (other,) = read_runs(path, "displacement", 0.1).curves()
    assert other.limit_name == "displacement > 0.1 m"


def test_a_run_that_fell_may_swing_without_bound_and_comes_back_so(runs, tmp_path):
    name = next(name for name in runs.words if name != runs.demand)
    values = runs.columns[name].copy()
    values[:2] = np.inf, np.nan
    changed = runs.replace(columns={**runs.columns, name: values})
    (tmp_path / "result.json").write_text(json.dumps(changed.to_dict(), allow_nan=False))
    assert np.array_equal(read_runs(tmp_path).columns[name], values, equal_nan=True)
