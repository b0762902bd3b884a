"""Formats of single networks are read back exactly, from files that the tests write by the formats' descriptions."""

import network_samples as made
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hamex as hx
from hamex.errors import FileError, LoadError, RecordWarning

FILES = {
    "smc": (made.smc, "cm/s2", 0.005, ["360"], 1.0),
    "geonet": (made.geonet, "mm/s2", 0.005, ["N10E", "S80E", "Up"], 1.0),
    "volume1": (made.volume_one, "g", 0.005, ["L", "V", "T"], 0.1),
    "asa": (made.asa, "gal", 0.005, ["V", "N00E", "N90E"], 1.0),
    "nsmn": (made.nsmn, "gal", 0.01, ["N-S", "E-W", "U-D"], 1.0),
    "cwa": (made.cwa, "gal", 0.01, ["U", "N", "E"], 1.0),
}
ENDINGS = {"smc": "a.smc", "geonet": "a.V1A", "volume1": "a.v1", "asa": "ACAC1709.191", "nsmn": "a.txt", "cwa": "1.dat"}


@pytest.fixture
def write(tmp_path):
    def to(name, text):
        path = tmp_path / name
        path.write_text(text, newline="")
        return path

    return to


@pytest.mark.parametrize("format_", FILES)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r\r\n"])
def test_every_network_is_read_back(write, format_, end):
    writer, unit, step, components, factor = FILES[format_]
    suite = hx.read_suite(write(ENDINGS[format_], writer().replace("\n", end)))
    assert not suite.failed, suite.failed
    assert [motion.component for motion in suite] == components
    for motion, samples in zip(suite, made.THREE, strict=False):
        assert (motion.unit, motion.step) == (unit, step)
        assert motion.acceleration.tolist() == [a * factor for a in samples]
        assert "nowhere" in motion.source.lower() or "event" in motion.source or "XXX" in motion.source


@pytest.mark.parametrize("format_", FILES)
def test_a_header_whose_peak_is_another_is_told(write, format_):
    path = write(ENDINGS[format_], FILES[format_][0](told=99.0))
    with pytest.warns(RecordWarning, match=r"line \d+: the header's peak \(.*\) is .*, but the largest sample is"):
        hx.read_record(path, component=1)


@given(st.sampled_from(sorted(FILES)), st.data())
def test_a_file_of_a_network_cut_anywhere_never_passes_for_a_shorter_record(tmp_path_factory, format_, data):
    text = FILES[format_][0]()
    path = tmp_path_factory.mktemp("cut") / ENDINGS[format_]
    path.write_text(text)
    whole = hx.read_record(path, component=1).acceleration
    path.write_text(text[: data.draw(st.integers(0, len(text) - 1))])
    suite = hx.read_suite(path)
    if not suite.failed and suite[0].unit == FILES[format_][1]:
        # The digits of the very last number may be cut without a trace.
        assert suite[0].acceleration[:-1].tolist() == whole[:-1].tolist()


def test_smc_with_more_digits_and_of_other_quantities(write):
    assert hx.read_record(write("a.smc", made.smc(digits=8))).acceleration.tolist() == made.THREE[0]
    with pytest.raises(LoadError, match="line 1: this is an SMC file of velocity"):
        hx.read_record(write("v.smc", made.smc(kind="3 VELOCITY")))
    with pytest.raises(LoadError, match=r"no sampling rate \(real 2\): its accelerations are at unequal times"):
        hx.read_record(write("u.smc", made.smc(kind="1 UNCORRECTED ACCELEROGRAM", pairs=True)))


def test_smc_of_an_unknown_quantity_needs_its_unit(write):
    path = write("a.smc", made.smc(kind="0 UNKNOWN"))
    with pytest.raises(hx.errors.UnitError, match="does not tell the unit"):
        hx.read_record(path)
    assert hx.read_record(path, unit="g").acceleration.tolist() == made.THREE[0]


def test_geonet_passes_over_velocities_and_displacements(write):
    suite = hx.read_suite(write("a.V2A", made.geonet(corrected=True, step=0.02)))
    assert [motion.step for motion in suite] == [0.02] * 3
    assert [motion.acceleration.tolist() for motion in suite] == made.THREE


def test_volume_one_of_a_digital_instrument_holds_no_times(write):
    suite = hx.read_suite(write("5520-1.V1", made.volume_one(network="bhrc")))
    assert [(motion.component, motion.step, motion.unit) for motion in suite] == [
        (name, 0.005, "g") for name in ("L1", "V2", "T3")
    ]
    assert suite[0].acceleration.tolist() == [0.1 * a for a in made.THREE[0]]


def test_volume_one_at_unequal_times_is_refused_by_name(write):
    with pytest.raises(
        LoadError, match=r"line 28: the accelerations are at unequal times, as read off a film \(SMA-1\)"
    ):
        hx.read_record(write("a.raw", made.volume_one(jitter=0.002)), component=1)


@pytest.mark.parametrize("writer", [made.asa, made.nsmn])
def test_more_rows_than_announced_are_told_and_fewer_are_refused(write, writer):
    with pytest.warns(RecordWarning, match=r"line \d+ announces 11 samples, there are 13"):
        motion = hx.read_record(write("a.txt", writer(count=11)), component=2)
    assert motion.acceleration.tolist() == made.THREE[1]
    with pytest.raises(LoadError, match=r"the file ends after 13 of the 14 samples that line \d+ announces"):
        hx.read_record(write("a.txt", writer(count=14)), component=2)


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.mseed", b"000001D STA  \x00\x00\x07", "MiniSEED"),
        ("a.sac", bytes(304) + b"\x06\0\0\0" + bytes(400), "SAC"),
        ("big.sac", bytes(304) + b"\0\0\0\x06" + bytes(400), "SAC"),
        ("a.zip", b"PK\x03\x04\x00", "a ZIP archive"),
        ("a.mat", b"MATLAB 5.0 MAT-file\x00", "a MATLAB file"),
        ("a.h5", b"\x89HDF\r\n\x1a\n", "HDF5"),
        ("a.evt", b"K\x01\x01\x14\x00", "Kinemetrics EVT"),
    ],
)
def test_binary_formats_are_named_in_the_refusal(tmp_path, name, content, told):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(FileError, match=rf"this is {told}.*, which hamex does not read"):
        hx.read_record(path)


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("a.AT2", "<!DOCTYPE html>\n<html>Sign in</html>\n", "a web page"),
        ("a.xml", '<?xml version="1.0"?>\n', "XML"),
        ("a.V3", "Response and Fourier amplitude spectra (78 periods)\n", "spectra"),
        ("a.gse", "WID2 2001/01/01 12:00:00.000 XXX\n", "GSE"),
        (
            "a.044",
            " X\n 090 DEGREES\n Y\n Z\n W\n SAMPLES/SEC=200 DATA TYPE=AC\n NO OF POINTS= 3\n 1 2 3\n",
            "tape format",
        ),
        ("a.asc", "DELTA: 5e-2\nLENGTH: 3\n1 2 3\n", "Seismic Handler"),
    ],
)
def test_text_formats_that_are_not_read_are_named_in_the_refusal(write, name, text, told):
    with pytest.raises(LoadError, match=rf"this is .*{told}.*, which hamex does not read"):
        hx.read_record(write(name, text), unit="g", step=0.01)
