"""How the runs of a study end: collapse and rest, in tables, curves, files and on the screen."""

import warnings

import numpy as np
import pytest

import hamex as hx
from hamex.errors import ProblemError, ShortRunWarning, StepWarning, SwingWarning
from hamex.spec.study import read_study

G = 9.80665
LAWS = [hx.Slider(300.0), hx.Slider(260.0), hx.Slider(180.0)]
FRAME = hx.shear_frame([60.0] * 3, [60e3, 55e3, 48e3], hx.ratio(0.03), laws=LAWS, heights=3.2, weights=[590.0] * 3)
MEASURES = ("drift", "residual_drift")
RECORDS = [hx.el_centro(), hx.GroundMotion(hx.el_centro().acceleration[::-1], 0.02, "g", source="backwards")]


def study(model=FRAME, scales=(0.1, 0.5, 1.0, 4.0, 20.0), **more):
    axes = {"record": RECORDS, **({} if scales is None else {"scale": list(scales)})}
    return hx.Study(model, axes, MEASURES, hx.Galerkin(0.02), g=G, **more)


@pytest.mark.parametrize("scheme", [hx.Galerkin(0.02), hx.Galerkin(0.02, degree=2)], ids=["many", "one by one"])
def test_a_study_says_collapse_and_shows_what_was_before(scheme):
    """Of the runs that fall some would show 1e34 m, and some would overflow."""
    found = study().replace(scheme=scheme).run(workers=1)
    status = found.columns["status"]
    assert set(status) == {"finished", "collapsed"}
    assert found.failed == 0
    assert found.collapsed == np.count_nonzero(status == "collapsed") > 2
    drift = found.columns["drift"]
    assert (drift[status == "collapsed"] > 0.32).all()
    assert (drift[status == "finished"] <= 0.32).all()
    assert drift.max() < 1.0
    tight = study(limit=hx.Limit(0.01)).replace(scheme=scheme).run(workers=1)
    assert tight.collapsed > found.collapsed


def test_curves_count_collapse_as_passing_every_limit_and_interpolate_to_where_it_ended():
    for limit in (0.05, 0.5):
        (curves,) = hx.ida(study(), "drift_ratio", limit, intensity=hx.Pga(), workers=1)
        fell = np.isfinite(curves.reached)
        assert fell.any()
        assert np.isinf(curves.demand[fell]).all()
        assert (curves.reached[fell] > 0.1).all()
        for row, capacity in enumerate(curves.capacities):
            first = int(np.argmax(curves.demand[row] > limit))
            low_im, low = curves.im[row, first - 1], curves.demand[row, first - 1]
            high = curves.reached[row, first] if fell[row, first] else curves.demand[row, first]
            share = (limit - low) / (high - low) if high > limit else 1.0
            assert capacity == pytest.approx(low_im + share * (curves.im[row, first] - low_im), rel=1e-12)
        assert any("2 of 2 records ended at a drift that counts as collapse" in flag for flag in curves.flags)
    hunted = hx.ida(study(scales=None), "drift_ratio", 0.3, intensity=hx.Pga(), hunting=hx.Hunt(0.2, 0.4), workers=1)
    assert np.isfinite(hunted.curves[0].capacities).all()


def test_a_residual_stands_beside_its_swing_and_settles_where_asked():
    plain, settled = (study(scales=[0.5, 1.0], **more).run(workers=1) for more in ({}, {"settle": 0.001}))
    peak = np.abs(plain.columns["drift"])
    assert (plain.columns["swing"] > 0.001 * peak).all()
    assert (settled.columns["swing"] <= 0.001 * np.abs(settled.columns["drift"])).all()
    assert settled.columns["settled"].all()
    assert settled.provenance["study"] != plain.provenance["study"]  # parts of the one are not those of the other
    (curves,) = hx.ida(study(scales=[0.5, 1.0]), "residual_drift_ratio", 0.002, intensity=hx.Pga(), workers=1)
    assert curves.swinging == 4
    assert any("4 of 4 runs may still swing by more than 1 % of the limit" in flag for flag in curves.flags)
    (curves,) = hx.ida(
        study(scales=[0.5, 1.0], settle=1e-4), "residual_drift_ratio", 0.002, intensity=hx.Pga(), workers=1
    )
    assert curves.swinging == 0


def test_what_a_study_cannot_wait_for_is_said():
    with pytest.warns(ShortRunWarning, match="2 of 2 motions go on"):
        study(scales=[0.5], duration=10.0).run(workers=1)
    with pytest.raises(ProblemError, match="settle goes on without load"):
        study(scales=[0.5], duration=10.0, settle=0.01).run(workers=1)
    with pytest.raises(ProblemError, match="Study: settle is the share"):
        study(settle=3.0)
    undamped = hx.shear_frame([60.0] * 2, [60e3] * 2, laws=hx.Slider(1e6), heights=3.2)
    with pytest.warns(SwingWarning, match="2 of 2 runs have not come to rest"):
        study(undamped, scales=[0.5], settle=0.001).run(workers=1)


def test_sequences_collapse_and_settle_too():
    pair = hx.MotionSequence((hx.el_centro(), hx.el_centro().scaled(0.2)), gap=5.0)
    one = study(scales=[0.5, 20.0], settle=0.001)
    found = one.replace(axes={**one.axes, "record": [pair]}).run(workers=1)
    assert found.columns["status"].tolist() == ["finished", "collapsed"]
    assert found.columns["settled"][0] == 1
    assert found.columns["swing"][0] <= 0.001 * found.columns["drift"][0]


def test_study_files_know_settle_and_collapse(tmp_path):
    path = tmp_path / "study.toml"
    path.write_text("""
settle = 0.002
units = {length = "m", force = "kN"}
model = {kind = "shear_frame", masses = [60.0, 60.0], stiffnesses = 60e3, heights = 3.2}
records = {synthetic = {count = 2, seed = 1, magnitude = 6.5, distance = 20.0, vs30 = 400.0}}
intensity = {kind = "pga"}
scales = {values = [1.0, 2.0]}
limit = {measure = "drift_ratio", value = 0.03}
collapse = {drift_ratio = 0.06}
scheme = {kind = "galerkin", step = 0.01}
""")
    found = read_study(path).study
    assert found.settle == 0.002
    assert found.limit == hx.Limit(0.06)


def test_regions_may_settle():
    town = hx.generate_inventory(30, seed=1, storeys=(1, 3))
    plain, settled = (
        hx.region(town, hx.el_centro().scaled(2), workers=1, sample=0, **more) for more in ({}, {"settle": 0.001})
    )
    first, second = (found.values("peak_residual_drift_ratio") for found in (plain, settled))
    assert set(settled.columns["status"]) == {"finished"}
    assert np.median(np.abs(second - first)) < 1e-6  # at rest either way
    with pytest.raises(ProblemError, match="region: settle is the share"):
        hx.region(town, hx.el_centro(), settle=0)


@pytest.mark.heavy
def test_studies_of_degrading_frames_have_the_same_bits_in_parts_processes_and_after_a_stop(tmp_path):
    """Two models of a study are two parts; half of them are taken away, as if the run had been stopped there."""
    laws = [hx.laws.IMK(force, 1.1, 0.03, 0.15, 0.2, lambda_s=1.0, lambda_c=1.0) for force in (300.0, 260.0, 180.0)]
    falls = hx.shear_frame([60.0] * 3, [60e3, 55e3, 48e3], hx.rayleigh(0.03), laws, heights=3.2, weights=[590.0] * 3)
    given = study(falls, (0.5, 1.0, 3.0))
    whole, parts = given.run(workers=2), given.run(workers=1, store=tmp_path)
    written = sorted(path for path in tmp_path.rglob("*") if path.is_file() and path.suffix == ".parquet")
    assert len(written) > 1
    written[0].unlink()
    again = given.run(workers=1, store=tmp_path)
    assert again.ran == 1
    assert parts.collapsed > 0
    single = hx.batch(falls, RECORDS, hx.Galerkin(0.02), MEASURES, scales=[0.5, 1.0, 3.0], g=G, block=1)
    for name in ("drift_1", "drift_2", "drift_3", "residual_drift_3"):
        assert np.array_equal(whole.columns[name], parts.columns[name])
        assert np.array_equal(whole.columns[name], again.columns[name])
    assert np.array_equal(whole.columns["drift_2"], single.values("drift")[0, ..., 1].ravel())


# ------------------------------------------------------------------------------------- samples that are skipped
FINE = [hx.GroundMotion(hx.el_centro().acceleration, 0.005, "g", source=f"fine {i}") for i in range(4)]


@pytest.mark.parametrize("scheme", [hx.Galerkin(0.02), hx.Galerkin(0.02, degree=2), hx.Newmark(0.02)], ids=str)
@pytest.mark.parametrize(
    "go",
    [
        lambda many: hx.batch([FRAME], many.axes["record"], many.scheme, ("drift",), g=G),
        lambda many: many.run(workers=1),
        lambda many: hx.ida(many, "drift", 0.1, intensity=hx.Sa(0.5), workers=1),
    ],
    ids=["batch", "study", "ida"],
)
def test_skipped_samples_are_told_once_with_their_records(scheme, go):
    many = hx.Study(FRAME, {"record": [*RECORDS, *FINE], "scale": [0.1, 0.2]}, ("drift",), scheme, g=G)
    with pytest.warns(StepWarning) as told:
        go(many)
    (said,) = [one for one in told if one.category is StepWarning]
    assert "4 of 6 motions (fine 0, fine 1, fine 2 …)" in str(said.message)
    assert said.filename == __file__


def test_a_scheme_that_takes_means_skips_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error", StepWarning)
        hx.batch([FRAME], FINE, hx.Galerkin(0.02, load="mean"), ("drift",), g=G)
