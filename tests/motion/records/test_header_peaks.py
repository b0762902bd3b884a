"""A header's peak and number of samples are compared with the samples; K-NET is read as NIED itself reads it."""

import json

import pytest
import record_samples as made
from hypothesis import given
from hypothesis import strategies as st

import hamex as hx
from hamex.errors import LoadError, RecordWarning

TELLING = r"the header's peak \(.*\) is .*, but the largest sample is"


@pytest.fixture
def write(tmp_path):
    def to(name, text):
        path = tmp_path / name
        path.write_text(text)
        return path

    return to


@given(st.lists(st.integers(-99_999, 99_999), min_size=2, max_size=60), st.integers(-8_000_000, 8_000_000))
def test_the_offset_of_a_k_net_instrument_changes_no_record(tmp_path_factory, counts, offset):
    """The law: counts plus any constant are the same motion, and its peak is the header's."""
    path = tmp_path_factory.mktemp("knet") / "a.EW"
    path.write_text(made.knet(counts))
    still = hx.read_record(path)
    path.write_text(made.knet([n + offset for n in counts], peak=f"{still.peak:.3f}"))
    moved = hx.read_record(path)
    assert moved.acceleration == pytest.approx(still.acceleration, abs=1e-9 * (abs(offset) + 1e5) * 3920 / 6182761)
    assert abs(moved.acceleration.mean()) <= 1e-9 * (abs(offset) + 1e5)


def test_a_quiet_k_net_record_with_a_large_offset_stays_quiet(write):
    """A record of a tenth of a gal on an offset of thirty: the displacement is of millimetres, not of kilometres."""
    counts = [54_000 + (40 if i % 7 == 0 else -9) for i in range(3000)]
    motion = hx.read_record(write("a.NS1", made.knet(counts, direction="1")))
    found = hx.intensities(motion, 9.80665, periods=[0.5])
    assert found["PGA"] < 1e-4
    assert found["PGD"] < 0.05
    assert "mean removed (34." in motion.source
    raw = hx.read_record(write("a.NS1", made.knet(counts, direction="1")), raw=True)
    assert raw.acceleration.min() > 34
    assert "removed" not in raw.source


def test_raw_is_the_same_through_all_doors(write, tmp_path):
    from hamex.motion.records.read import record_from_bytes

    path = write("a.EW", made.knet())
    raw, plain = made.knet_gal(raw=True), made.knet_gal()
    assert hx.read_suite(tmp_path, raw=True)[0].acceleration.tolist() == raw
    assert hx.read_suite(tmp_path)[0].acceleration == pytest.approx(plain, rel=1e-12)
    assert hx.read_suite(tmp_path).statuses[0].why == "1 record; mean removed"
    assert record_from_bytes(path.read_bytes(), "a.EW", raw=True)[0].acceleration.tolist() == raw
    assert hx.read_motions(path, raw=True).motions[0].acceleration.tolist() == raw
    with pytest.raises(LoadError, match="raw must be True or False, got 'yes'"):
        hx.read_record(path, raw="yes")


FILES = {
    "K-NET": ("a.EW", lambda wrong: made.knet(peak="1.000" if wrong else None)),
    "ESM": ("a.asc", lambda wrong: made.esm().replace("PGA_CM/S^2: -1.0", f"PGA_CM/S^2: -{'9' if wrong else '1'}.0")),
    "COSMOS text": ("a.v1c", lambda wrong: made.cosmos(made.cosmos_channel(peak=2.5 if wrong else None))),
    "COSMOS real 64": ("a.v2c", lambda wrong: made.cosmos(made.cosmos_channel(real_peak=-0.105433 if wrong else -1.0))),
    "CSMIP V1": ("a.V1", lambda wrong: made.csmip_v1(peak="-.055" if wrong else "1.000")),
    "CSMIP V2": ("a.V2", lambda wrong: made.csmip_v2(peak="   77.280" if wrong else "   -1.000")),
    "SimCenter": (
        "a.json",
        lambda wrong: json.dumps({"dT": 0.01, "data_x": [0.1, -0.3], "PGA_x": 0.2 if wrong else 0.3}),
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_a_peak_of_the_header_that_is_not_the_samples_is_told(write, name):
    ending, text = FILES[name]
    choices = {"unit": "g"} if ending.endswith("json") else {}
    path = write(ending, text(wrong=False))
    right = hx.read_record(path, component=1, **choices)  # warnings are errors here
    path = write(ending, text(wrong=True))
    with pytest.warns(RecordWarning, match=TELLING) as caught:
        told = hx.read_record(path, component=1, **choices)
    assert str(path) in str(caught[0].message)
    assert told.acceleration.tolist() == right.acceleration.tolist()
    with pytest.warns(RecordWarning, match=TELLING):
        suite = hx.read_suite(path, **choices)
    assert suite.statuses[0].ok
    assert "but the largest sample is" in suite.statuses[0].why


@pytest.mark.parametrize("digits", [".0f", ".1f", ".3f", ".3E"])
def test_a_peak_is_good_to_its_printed_digits(write, digits):
    peak = max(map(abs, made.knet_gal()))
    hx.read_record(write("a.EW", made.knet(peak=f"{peak:{digits}}")))
    with pytest.warns(RecordWarning, match=TELLING):
        hx.read_record(write("a.EW", made.knet(peak=f"{1.01 * peak:{digits}}")))


@pytest.mark.parametrize("key", ["numSteps", "numPoints"])
def test_a_number_of_samples_that_is_one_off_is_told(write, key):
    samples = [0.0, 0.25, -0.5, 0.125]
    for said in (3, 5):
        path = write("e.json", json.dumps({"name": "r", "dT": 0.02, key: said, "accel_data": samples}))
        with pytest.warns(
            RecordWarning, match=rf"{key} is {said}, but 'accel_data' has 4 samples; all of them are taken"
        ):
            motion = hx.read_record(path, unit="g")
        assert motion.acceleration.tolist() == samples
    with pytest.raises(LoadError, match=f"{key} is 6, but 'accel_data' has 4 samples"):
        hx.read_record(write("e.json", json.dumps({"dT": 0.02, key: 6, "accel_data": samples})), unit="g")


def test_an_event_whose_steps_are_one_off_is_told(write):
    text = made.simcenter(units={"acceleration": "g"}).replace('"numSteps": 13', '"numSteps": 12')
    with pytest.warns(RecordWarning, match="numSteps is 12, but 'accel_X' has 13 samples"):
        assert hx.read_record(write("e.json", text)).acceleration.tolist() == made.SAMPLES
