"""Incremental dynamic analysis: capacities, fractiles, hunts and stripes."""

import numpy as np
import pytest

import hamex as hx
from hamex.errors import InputError
from hamex.study.engine import StoppedError
from hamex.study.ida import hunt_part
from hamex.study.ida.curves import IdaCurves, curves_of
from hamex.study.table import in_words

STEP = hx.Galerkin(0.02)
MODEL = hx.oscillator(mass=1, stiffness=225, damping=1.5, law=hx.Slider(0.27, 1.5))
INF, NAN = np.inf, np.nan


def records(count=4):
    a = hx.el_centro().acceleration
    return [hx.GroundMotion(a[100 * i : 100 * i + 300], 0.02, "g", f"cut {i}") for i in range(count)]


def study(model=MODEL, measures=("ductility",), g=1.0, **axes):
    return hx.Study(model, {"record": records(), **axes}, measures, STEP, g=g, intensity=hx.Pga())


def frame(**changes):
    return hx.shear_frame(
        **{
            "masses": [1.0, 1.0],
            "stiffnesses": [300.0, 250.0],
            "laws": hx.Slider(3.0, 0.5),
            "damping": hx.ratio(0.03),
            "heights": [3.0, 2.0],
        }
        | changes
    )


def curves(demand, limit=2.0, im=None, scale=None, motions="recorded"):
    demand = np.array(demand, dtype=float)
    im = np.tile(np.arange(1.0, demand.shape[1] + 1), (len(demand), 1)) if im is None else np.array(im)
    return IdaCurves(
        "",
        tuple("abcdefgh"[: len(demand)]),
        im,
        im if scale is None else scale,
        demand,
        "PGA [g]",
        "ductility",
        limit,
        motions,
    )


def test_capacities_are_interpolated_from_the_first_passing_on():
    found = curves(
        [
            [1.0, 3.0, 4.0],  # between 1 and 2
            [4.0, 1.0, 5.0],  # passes at once, from zero at zero on; what it does later does not matter
            [0.5, 1.0, 1.9],  # never
            [1.0, 2.0, INF],  # equal is not beyond; then ran away: the intensity of that run
            [INF, INF, INF],
        ]
    )
    assert found.capacities.tolist() == [1.5, 0.5, INF, 3.0, 1.0]
    assert found.tried.tolist() == [3.0] * 5
    assert any("1 of 5 records never pass ductility > 2; they are censored" in flag for flag in found.flags)
    assert any("2 of 5 records ran away" in flag for flag in found.flags)


def test_records_with_fewer_runs_end_earlier():
    found = curves([[1.0, 1.5, 3.0], [1.0, 1.5, NAN]], im=[[1.0, 2.0, 3.0], [1.0, 2.0, NAN]])
    assert found.tried.tolist() == [3.0, 2.0]
    assert found.levels is None
    assert np.isinf(found.capacities).tolist() == [False, True]
    assert np.isnan(found.demand_at([2.5])).all()
    assert found.demand_at([1.5]).tolist() == [[1.25], [1.25], [1.25]]


def test_fractiles_among_censored_records_are_not_known():
    found = curves([[1.0, 3.0, 5.0], [1.0, 2.5, 5.0], [1.0, 1.5, 3.0], [0.5, 0.6, 0.7], [0.5, 0.6, 0.7]])
    at = found.intensity_for([2.0, 100.0])
    assert at[:2, 0] == pytest.approx([1.5, 2 + 1 / 3])
    assert np.isnan(at[2, 0])
    assert np.isnan(at[:, 1]).all()


def test_fractiles_above_the_bound_of_a_censored_record_are_not_known():
    found = curves([[1.0, 1.5, 3.0], [1.0, 1.5, 3.0], [0.5, NAN, NAN]], im=[[1.0, 2.0, 3.0]] * 2 + [[1.0, NAN, NAN]])
    assert np.isnan(found.intensity_for([2.0])[1, 0])  # its capacity may be anything above 1


def test_demands_at_a_level_before_a_run_that_ran_away_are_finite():
    found = curves([[1.0, 2.0, INF], [1.0, 3.0, INF], [1.0, 4.0, 5.0]])
    assert found.demand_at([1.0, 2.0, 3.0], [50]).tolist() == [[1.0, 3.0, INF]]


def test_the_highest_level_is_a_level_whatever_its_factor_rounds_to():
    levels = [0.1, 0.3, 0.7]
    (found,) = hx.ida(study(level=levels), "ductility", 2.0, intensity=hx.Pga(), workers=1)
    assert found.levels.tolist() == levels
    assert np.isfinite(found.demand_at(levels)).all()
    assert found.demand_at(levels, [50])[0] == pytest.approx(
        np.percentile(found.demand, 50, axis=0, method="inverted_cdf"), rel=1e-15
    )


def test_flags_tell_of_scales_components_and_motions():
    big = hx.ida(study(scale=[1.0, 20.0]), "ductility", 2.0, intensity=hx.Sa(0.4), workers=1).curves[0]
    assert any("4 of 4 records are scaled by more than 10, up to 20" in flag for flag in big.flags)
    assert any(flag.startswith("Sa(0.4 s, 5 %) is that of one component") for flag in big.flags)
    assert "motions are synthetic" in curves([[1.0, 3.0]], motions="synthetic").flags


def hunted(demand_of, hunting, limit=2.0, monkeypatch=None):
    """A hunt of a curve that is known."""

    def known(payload):
        return {
            "ductility": np.array([demand_of(payload["scales"][0] * payload["size"])]),
            "status": np.array(["finished"]),
            "kernel_seconds": np.zeros(1),
        }

    monkeypatch.setattr("hamex.study.ida.run_part", known)
    table = hunt_part(
        {"hunting": hunting, "demand": "ductility", "limit": limit, "size": 0.5, "systems": hx.Oscillators.of([MODEL])}
    )
    return table["scale"] * 0.5, table["ductility"]


def test_a_hunt_brackets_the_limit_of_a_known_curve(monkeypatch):
    im, demand = hunted(lambda x: 4 * x**2, hx.Hunt(0.1, 0.1, 0.05, runs=16), monkeypatch=monkeypatch)
    assert len(im) == 16
    assert np.all(np.diff(im) > 0)
    assert demand == pytest.approx(4 * im**2)
    found = curves([demand], im=[im])
    assert found.capacities[0] == pytest.approx(np.sqrt(0.5), rel=2e-3)
    steps = 0.1 + np.cumsum([0, 0.1, 0.15, 0.2, 0.25])
    assert np.isin(np.round(steps, 9), np.round(im, 9)).all()


def test_a_hunt_gives_up_at_the_largest_intensity_and_is_censored(monkeypatch):
    im, demand = hunted(lambda x: x, hx.Hunt(0.1, 0.1, runs=30, largest=1.0), monkeypatch=monkeypatch)
    assert im[-1] == pytest.approx(1.0)  # met, not lost to rounding
    assert np.isinf(curves([demand], im=[im]).capacities[0])
    assert len(im) == 30


def test_a_hunt_that_passes_at_once_fills_below(monkeypatch):
    im, demand = hunted(lambda x: 100 * x, hx.Hunt(1.0, 0.5, runs=8), monkeypatch=monkeypatch)
    assert im[-1] == 1.0
    assert curves([demand], im=[im]).capacities[0] == pytest.approx(0.02, rel=1e-12)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"first": 0.0}, "first must be a positive number"),
        ({"step": -1.0}, "step must be"),
        ({"growth": NAN}, "growth must be"),
        ({"runs": 1}, "runs must be"),
        ({"largest": 0.05}, "not be below first"),
    ],
)
def test_bad_hunts_are_refused(values, message):
    with pytest.raises(InputError, match=message):
        hx.Hunt(**{"first": 0.1, "step": 0.1} | values)


def test_hunt_and_stripes_agree_with_dense_scales():
    (dense,) = hx.ida(study(level=np.linspace(0.02, 1.6, 80)), "ductility", 3.0, intensity=hx.Pga(), workers=1)
    (hunt,) = hx.ida(study(), "ductility", 3.0, intensity=hx.Pga(), hunting=hx.Hunt(0.05, 0.05, 0.02, 24), workers=1)
    (stripes,) = hx.ida(study(level=[0.05, 0.1, 0.2, 0.4, 0.8, 1.6]), "ductility", 3.0, intensity=hx.Pga(), workers=1)
    assert hunt.capacities == pytest.approx(dense.capacities, rel=0.02)
    assert stripes.capacities == pytest.approx(dense.capacities, rel=0.25)
    # A run is a run, whoever asked for it.
    for i in range(len(records())):
        (alone,) = hx.ida(study(scale=hunt.scale[i]), "ductility", 3.0, intensity=hx.Pga(), workers=1)
        assert alone.demand[i].tolist() == hunt.demand[i].tolist()


@pytest.mark.heavy
def test_hunts_are_the_same_from_all_workers_and_after_a_resume(tmp_path):
    wish = {"intensity": hx.Pga(), "hunting": hx.Hunt(0.05, 0.1, 0.05, 9)}
    given = study(viscosity=[0.5, 1.5])
    one = hx.ida(given, "ductility", 3.0, workers=1, **wish)

    def stop(progress):
        if progress.done == 5:
            raise KeyboardInterrupt

    with pytest.raises(StoppedError, match="5 of 8 parts are finished and kept in"):
        hx.ida(given, "ductility", 3.0, workers=1, store=tmp_path, tell=stop, **wish)
    two = hx.ida(given, "ductility", 3.0, workers=2, store=tmp_path, **wish)
    assert (two.ran, two.found) == (3, 5)
    assert [one_.model for one_ in one] == ["viscosity = 0.5", "viscosity = 1.5"]
    for name, values in one.columns.items():
        assert np.array_equal(values, two.columns[name])
    assert one.table is None
    assert len(one) == 2


def test_drift_ratios_are_drifts_over_heights():
    given = study(frame(), ("drift", "residual_drift"), g=9.81, level=[0.1, 0.4])
    found = hx.ida(given, "drift_ratio", 0.01, intensity=hx.Pga(), workers=1)
    columns, curve = found.columns, found.curves[0]
    assert curve.limit_name == "storey drift ratio > 0.01"
    worst = np.maximum(columns["drift_1"] / 3.0, columns["drift_2"] / 2.0)
    assert curve.demand.ravel().tolist() == worst.tolist()
    assert np.abs(columns["residual_drift_ratio_2"]).tolist() == (np.abs(columns["residual_drift_2"]) / 2.0).tolist()
    hunt = hx.ida(
        study(frame(), ("drift",), g=9.81),
        "drift_ratio",
        0.01,
        intensity=hx.Pga(),
        hunting=hx.Hunt(0.1, 0.3, runs=3),
        workers=1,
    )
    (alone,) = hx.ida(
        study(frame(), ("drift",), g=9.81, scale=hunt.curves[0].scale[0]),
        "drift_ratio",
        0.01,
        intensity=hx.Pga(),
        workers=1,
    )
    assert alone.demand[0].tolist() == hunt.curves[0].demand[0].tolist()
    assert {"drift_ratio", "drift_ratio_1", "drift"} <= set(hunt.columns)


def test_a_run_that_ran_away_has_passed_every_limit():
    runs_away = hx.Model(**{**vars(MODEL), "stiffness": np.array([[-200.0]])})
    given = hx.Study(
        runs_away, {"record": records(2), "scale": [1e-6, 1.0, 2.0]}, ("ductility",), STEP, g=1.0, duration=100.0
    )
    runs = hx.ida(given, "ductility", 1e9, intensity=hx.Pga(), workers=1)
    (found,) = runs
    assert np.isinf(found.demand).tolist() == [[False, True, True]] * 2
    (read,) = curves_of(in_words(runs.columns), (), "ductility", 1e9, found.im_name, ("ductility", ""), "recorded")
    assert np.array_equal(read.demand, found.demand), "the same from a table that tells it in words"
    assert found.capacities == pytest.approx(found.im[:, 1])
    (hunt,) = hx.ida(
        given.replace(axes={"record": records(2)}),
        "ductility",
        1e9,
        intensity=hx.Pga(),
        hunting=hx.Hunt(0.2, 0.1, runs=5),
        workers=1,
    )
    assert np.isinf(hunt.demand).any(axis=1).all()
    assert np.isfinite(hunt.capacities).all()


def test_fragility_from_capacities_and_from_stripes():
    (found,) = hx.ida(study(level=np.linspace(0.05, 0.6, 12)), "ductility", 2.0, intensity=hx.Pga(), workers=1)
    both = found.fragility(), found.fragility(stripes=True)
    assert both[0].median == pytest.approx(both[1].median, rel=0.1)
    assert both[0].limit == both[1].limit == "ductility > 2"
    assert found.fragility(0.2, stripes=True, link="logit").link == "logit"
    with pytest.raises(InputError, match="needs stripes"):
        found.fragility(link="logit")
    (uneven,) = hx.ida(study(scale=[1.0, 2.0]), "ductility", 2.0, intensity=hx.Pga(), workers=1)
    with pytest.raises(InputError, match="all scaled to the same levels"):
        uneven.fragility(stripes=True)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"limit": 0.0}, "limit must be a positive"),
        ({"demand": "slip"}, "none of the study's measures"),
        ({"hunting": hx.Hunt(0.1, 0.1)}, 'leave the axes "scale" and "level" out'),
    ],
)
def test_bad_wishes_are_refused(change, message):
    wish = {"demand": "ductility", "limit": 1.0, "intensity": hx.Pga(), "workers": 1} | change
    with pytest.raises(InputError, match=message):
        hx.ida(study(scale=[1.0]), **wish)


def test_drift_ratios_without_heights_are_refused():
    with pytest.raises(InputError, match="needs the heights"):
        hx.ida(study(frame(heights=None), ("drift",), scale=[1.0]), "drift_ratio", 0.01, intensity=hx.Pga(), workers=1)
