"""Written records are read back to the last bit."""

import json

import pytest
import record_samples as made
from hypothesis import given
from hypothesis import strategies as st

import hamex as hx
from hamex.errors import LoadError, UnitError
from hamex.motion.records.suite import ENDINGS, record_text

MOTION = hx.GroundMotion(made.SAMPLES, 0.005, "g", "made up, by hand; twice", "N 12 E", "synthetic")
FINITE = st.floats(allow_nan=False, allow_infinity=False, width=64)


@pytest.mark.parametrize("ending", [*ENDINGS, ".AT2"])
def test_every_ending_is_read_back(tmp_path, ending):
    path = tmp_path / f"a{ending}"
    path.write_text(record_text(MOTION, ending))
    bare = ending == ".txt"
    back = hx.read_record(path, **({"unit": "g", "step": 0.005} if bare else {}))
    assert back.acceleration.tolist() == made.SAMPLES
    assert (back.step, back.unit) == (0.005, "g")
    assert back.component == ("" if bare else "N 12 E")


def test_csv_keeps_source_and_kind(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(record_text(MOTION, ".csv"))
    back = hx.read_record(path)
    assert (back.kind, back.source) == ("synthetic", "a.csv: made up, by hand; twice")


@given(st.lists(FINITE, min_size=2, max_size=12), st.floats(1e-4, 1.0), st.sampled_from([".csv", ".at2", ".json"]))
def test_any_motion_comes_back_in_every_bit(tmp_path_factory, samples, step, ending):
    path = tmp_path_factory.mktemp("write") / f"a{ending}"
    samples = [a for a in samples if abs(a) < 1e300] or [0.0, 1.0]
    if len(samples) < 2:
        samples *= 2
    path.write_text(record_text(hx.GroundMotion(samples, step, "g"), ending))
    back = hx.read_record(path)
    assert back.acceleration.tolist() == samples
    assert back.step == pytest.approx(step, rel=1e-11)
    if ending != ".csv":  # times in seconds give the step to twelve digits
        assert back.step == step


def test_units_and_endings_that_a_format_does_not_have():
    with pytest.raises(UnitError, match=r"AT2 files are in g, this motion is in cm/s2; convert it first"):
        record_text(MOTION.converted("cm/s2"), ".at2")
    with pytest.raises(LoadError, match=r"endings \.csv, \.at2, \.json, \.txt; got '\.mat'"):
        record_text(MOTION, ".mat")


def test_json_is_an_event_that_others_read():
    event = json.loads(record_text(MOTION.converted("m/s2"), ".json"))["Events"][0]
    assert event["units"] == {"acceleration": "m/s2"}
    assert event["numSteps"] == len(event["timeSeries"][0]["data"]) == 13
    assert event["pattern"][0] == {"type": "UniformAcceleration", "timeSeries": "N 12 E", "dof": 1}
