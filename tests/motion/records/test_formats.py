"""Every format is read back exactly, from files that the tests write by the formats' descriptions."""

import math

import numpy as np
import pytest
import record_samples as made
from hypothesis import given
from hypothesis import strategies as st

import hamex as hx
from hamex.errors import InputError
from hamex.motion.records.read import FORMATS, format_of
from hamex.motion.records.text import Text

NUMBERS = st.lists(
    st.builds(made.decimal, st.integers(-9_999_999, 9_999_999), exponent=st.integers(-9, 2)), min_size=1, max_size=23
)
FIVE_DECIMALS = st.lists(st.builds(lambda n: n / 1e5, st.integers(-99_999_999, 999_999_999)), min_size=1, max_size=23)


@pytest.fixture
def write(tmp_path):
    def to(name, text, encoding="utf-8"):
        path = tmp_path / name
        path.write_bytes(text.encode(encoding))
        return path

    return to


@pytest.mark.parametrize("style", made.AT2_LINES)
@pytest.mark.parametrize("dt", [".00500", "0.0050", ".5000E-02"])
def test_at2_with_old_and_new_headers(write, style, dt):
    motion = hx.read_record(write("RSN6_NOWHERE_A-180.AT2", made.at2(dt=dt, style=style)))
    assert motion.acceleration.tolist() == made.SAMPLES
    assert (motion.step, motion.unit, motion.component, motion.kind) == (0.005, "g", "180", "recorded")
    assert motion.source == "RSN6_NOWHERE_A-180.AT2: Nowhere-02, 5/19/1999, Made Up Array #9, 180"


@given(NUMBERS, st.sampled_from(sorted(made.AT2_LINES)))
def test_any_at2_samples_come_back_in_every_bit(tmp_path_factory, samples, style):
    path = tmp_path_factory.mktemp("at2") / "a.AT2"
    path.write_text(made.at2(samples, style=style))
    assert hx.read_record(path).acceleration.tolist() == samples


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\r\r\n"])
def test_at2_with_the_line_ends_of_every_system(write, end):
    motion = hx.read_record(write("a.AT2", made.at2().replace("\n", end)))
    assert (motion.acceleration.tolist(), motion.step) == (made.SAMPLES, 0.005)


@pytest.mark.parametrize(
    ("header", "unit"),
    [
        (
            [
                "Data for Nowhere 1940",
                "13 points at 0.005 sec",
                "The units are (g)",
                "*** Begin data ***",
                "NPTS=  13, DT= .005 SEC",
            ],
            "g",
        ),
        (
            [
                "Orig = X.acc, Scale = 2.4",
                "H1: NOWHERE, 000",
                "angle -37.0",
                "FN component",
                "Acceleration in cm/s2",
                "13 0.005 NPTS, DT",
            ],
            "cm/s2",
        ),
        (["A", "B", "ACCELERATION TIME SERIES IN UNITS OF G", "NPTS= 13", "DT= .005 SEC"], "g"),
        (
            [
                "NOWHERE, PEAK VELOCITY 3 CM/S",
                "STATION ON DISPLACEMENT AVE, 90",
                "ACCELERATION IN UNITS OF G",
                "NPTS= 13, DT= .005",
            ],
            "g",
        ),
    ],
)
@pytest.mark.parametrize("end", ["", "*** End Data ***\n\n\n"])
def test_at2_whose_points_stand_elsewhere(write, header, unit, end):
    body = made.at2().split("\n")[4:]
    motion = hx.read_record(write("a.AT2", "\n".join([*header, *body]) + end))
    assert (motion.acceleration.tolist(), motion.step, motion.unit) == (made.SAMPLES, 0.005, unit)


@pytest.mark.parametrize("per_line", [4, 5, 6, 13, 20])
def test_at2_with_a_short_last_line(write, per_line):
    words = [repr(a) for a in made.SAMPLES]
    rows = [" ".join(words[i : i + per_line]) for i in range(0, len(words), per_line)]
    text = "\n".join([*made.at2().split("\n")[:4], *rows])  # and no line feed at the end
    assert hx.read_record(write("a.AT2", text)).acceleration.tolist() == made.SAMPLES


def test_at2_with_d_exponents_and_touching_lines(write):
    text = made.at2().replace("E-0", "D-0")
    assert hx.read_record(write("a.at2", text)).acceleration.tolist() == made.SAMPLES


@pytest.mark.parametrize(("volume", "ending"), [(1, "v1"), (2, "V2c")])
def test_cosmos_one_channel(write, volume, ending):
    path = write(f"a.{ending}", made.cosmos(made.cosmos_channel(volume=volume)))
    motion = hx.read_record(path)
    assert motion.acceleration.tolist() == made.FIXED
    assert (motion.step, motion.unit, motion.component) == (0.005, "cm/s2", "90 Deg")
    assert "Nowhere Earthquake" in motion.source


@given(FIVE_DECIMALS, st.sampled_from(["8F10.5", "1F15.5", "5F12.5"]))
def test_any_cosmos_samples_come_back_in_every_bit_even_where_they_touch(tmp_path_factory, samples, format_):
    path = tmp_path_factory.mktemp("cosmos") / "a.V1"
    path.write_text(made.cosmos(made.cosmos_channel(samples, format_=format_)))
    assert hx.read_record(path).acceleration.tolist() == samples


@pytest.mark.parametrize(
    ("code", "words", "unit", "factor"),
    [
        (2, "g", "g", 1),
        (4, "cm/s^2", "cm/s2", 1),
        (4, "gal", "cm/s2", 1),
        (7, "in/sec/sec", "in/s2", 1),
        (10, "gal", "gal", 1),
        (11, "mg", "g", 1e-3),
        (4, "cm/sec2 ", "cm/s2", 1),
        (None, "cm/sec/sec", "cm/s2", 1),
    ],
)
def test_cosmos_units_by_code_and_by_words(write, code, words, unit, factor):
    channel = made.cosmos_channel(code=code, unit=words, header_code=-999 if code is None else None)
    motion = hx.read_record(write("a.v2", made.cosmos(channel)))
    assert motion.unit == unit
    assert motion.acceleration.tolist() == [factor * a for a in made.FIXED]


@pytest.mark.parametrize("announced", ["units=g.     (02)Format=(8f9.6)", "units=g(02) ,Format = (8F9.6)"])
def test_cosmos_with_its_data_announced_without_a_comma(write, announced):
    channel = made.cosmos_channel(code=2, unit="g", format_="8F9.6")
    told = next(line for line in channel if "pts, approx" in line)
    text = made.cosmos(channel).replace(told, told[: told.index("units=")] + announced)
    motion = hx.read_record(write("CE23837.V1C", text))
    assert (motion.acceleration.tolist(), motion.unit) == (made.FIXED, "g")


def test_cosmos_of_an_unknown_quantity_is_what_its_data_line_says(write):
    assert hx.read_record(write("a.v1", made.cosmos(made.cosmos_channel(quantity=-999)))).peak == 1.0


def test_csmip_as_usc_writes_it(write):
    """ACC for ACCEL, COMP for CHAN, and the unit only beside the peak."""
    text = made.csmip_v2((("Chan  1: 90 Deg", made.FIXED),), peak="   -1.000").replace("of accel data", "OF ACC DATA")
    text = (
        text.replace("Chan  1: 90 Deg", "COMP N08W").replace(", in cm/sec2.", "").replace("cm/sec/sec", "CMS/SEC/SEC")
    )
    motion = hx.read_record(write("a.s0a", text.replace("Corrected accelerogram   99999-X-01001.01       ", "")))
    assert (motion.acceleration.tolist(), motion.unit, motion.component) == (made.FIXED, "cm/s2", "N08W")


def test_cosmos_with_three_channels_more_text_lines_and_other_quantities(write):
    channels = [
        made.cosmos_channel([a + n for a in made.FIXED], component=name, channel=n + 1, text_lines=14)
        for n, name in enumerate(("90 Deg", "Up", "360 Deg"))
    ]
    velocity = made.cosmos_channel(component="Up", quantity=2, unit="cm/sec", code=5)
    path = write("a.v1", made.cosmos(channels[0], velocity, *channels[1:]))
    suite = hx.read_suite(path)
    assert [motion.component for motion in suite] == ["90 Deg", "Up", "360 Deg"]
    assert suite[2].acceleration.tolist() == [round(a + 2, 5) for a in made.FIXED]
    with pytest.raises(InputError, match=r"holds 3 records: 1 '90 Deg', 2 'Up', 3 '360 Deg'"):
        hx.read_record(path)
    assert hx.read_record(path, component="up").acceleration.tolist() == suite[1].acceleration.tolist()
    assert hx.read_record(path, component=3).component == "360 Deg"


def test_csmip_volume_2_passes_over_velocity_and_displacement(write):
    path = write("CE99999.V2", made.csmip_v2())
    suite = hx.read_suite(path)
    assert [(m.component, m.unit, m.step) for m in suite] == [("360 Deg", "cm/s2", 0.005), ("Up", "cm/s2", 0.005)]
    assert all(m.acceleration.tolist() == made.FIXED for m in suite)


def test_csmip_volume_1_at_a_rate(write):
    suite = hx.read_suite(write("CI.v1", made.csmip_v1()))
    assert [(m.component, m.unit, m.step) for m in suite] == [(name, "g", 0.01) for name in ("90 Deg", "Up", "360 Deg")]
    assert all(m.acceleration.tolist() == made.FIXED for m in suite)


def test_csmip_values_that_touch(write):
    samples = [-123.45678, -999.99999, 100.00001]
    text = made.csmip_v2((("Chan  1: 90 Deg", samples),))
    assert "-123.45678-999.99999" in text
    assert hx.read_record(write("a.v2", text)).acceleration.tolist() == samples


def test_esm(write):
    motion = hx.read_record(write("XX.NWH.00.HNE.D.20010101.ACC.MP.ASC", made.esm()))
    assert motion.acceleration.tolist() == made.FIXED
    assert (motion.step, motion.unit, motion.component) == (0.005, "cm/s2", "HNE")
    assert "XX NWH XX-2001-0001 NOWHERE 20010101_120005.000" in motion.source


def test_esm_in_latin_1(write):
    path = write("a.asc", made.esm().replace("STATION_NAME: NOWHERE", "STATION_NAME: L'Àquila"), encoding="latin-1")
    assert hx.read_record(path).acceleration.tolist() == made.FIXED


def test_knet(write):
    motion = hx.read_record(write("XYZ0020101182325.NS", made.knet()))
    assert motion.acceleration == pytest.approx(made.knet_gal(), rel=1e-12)
    assert (motion.step, motion.unit, motion.component) == (0.01, "gal", "N-S")
    about = "XYZ0020101182325.NS: XYZ002, 2001/01/18 23:25:46, event of 2001/01/18 23:25:00"
    assert motion.source == f"{about}; mean removed (81.89 gal, the instrument's offset)"
    raw = hx.read_record(write("XYZ0020101182325.NS", made.knet()), raw=True)
    assert (raw.source, raw.acceleration.tolist()) == (about, made.knet_gal(raw=True))


def test_kiknet_channels_are_named_as_the_endings_of_its_files(write):
    path = write(
        "a.EW2", made.knet(direction="5", frequency=200).replace("Lon. ", "Long.").replace("Max. Acc.", "Max Acc. ")
    )
    motion = hx.read_record(path)
    assert (motion.component, motion.step) == ("EW2", 0.005)


@given(st.lists(st.integers(-9_999_999, 9_999_999), min_size=1, max_size=40), st.sampled_from([50, 100, 200]))
def test_any_knet_counts_come_back_in_every_bit(tmp_path_factory, counts, frequency):
    path = tmp_path_factory.mktemp("knet") / "a.EW"
    path.write_text(made.knet(counts, frequency))
    assert hx.read_record(path, raw=True).acceleration.tolist() == made.knet_gal(counts, raw=True)
    assert hx.read_record(path).acceleration == pytest.approx(made.knet_gal(counts), rel=1e-9, abs=1e-8)


@pytest.mark.parametrize("per_line", [1, 5, 8])
def test_opensees_path_file(write, per_line):
    words = [repr(a) for a in made.SAMPLES]
    text = "\n".join(" ".join(words[i : i + per_line]) for i in range(0, len(words), per_line))
    path = write("elcentro.g3", text)
    motion = hx.read_record(path, format="opensees", unit="g", step=0.02)
    assert motion.acceleration.tolist() == made.SAMPLES
    assert (motion.step, motion.unit, motion.component, motion.source) == (0.02, "g", "", "elcentro.g3")


@pytest.mark.parametrize("end", ["", "\n", "\n*** End Data ***\n"])
@pytest.mark.parametrize("format_", [None, "opensees"])
def test_a_path_file_with_a_short_last_line_is_told_from_columns(write, end, format_):
    words = [repr(a) for a in made.SAMPLES]
    text = "\n".join("   ".join(words[i : i + 8]) for i in range(0, len(words), 8)) + end
    choices = {"unit": "g", "step": 0.02} | ({} if format_ is None else {"format": format_})
    assert hx.read_record(write("elcentro.dat", text), **choices).acceleration.tolist() == made.SAMPLES


def test_a_table_whose_last_row_is_cut_is_no_path_file(write):
    path = write("a.txt", "0 1 2\n0.01 3 4\n0.02 5\n")
    with pytest.raises(InputError, match="line 3: 2 columns, the lines before have 3"):
        hx.read_record(path, unit="g", step=0.01)


@pytest.mark.parametrize(
    ("units", "given", "unit"),
    [
        ({"acceleration": "g"}, None, "g"),
        ({"length": "in", "time": "sec"}, None, "in/s2"),
        (None, "m/s2", "m/s2"),
        ({"acceleration": "mps2"}, "m/s2", "m/s2"),
        ({"force": "kips"}, "g", "g"),
    ],
)
def test_simcenter_event(write, units, given, unit):
    motion = hx.read_record(write("EVENT.json", made.simcenter(units=units)), unit=given)
    assert motion.acceleration.tolist() == made.SAMPLES
    assert (motion.step, motion.unit, motion.component, motion.source) == (
        0.005,
        unit,
        "accel_X",
        "EVENT.json: made up",
    )


def test_simcenter_with_several_directions_and_a_factor(write):
    path = write("e.json", made.simcenter(names=("accel_X", "accel_Y"), factor=2.0))
    suite = hx.read_suite(path, unit="g")
    assert [motion.component for motion in suite] == ["accel_X", "accel_Y"]
    assert hx.read_record(path, unit="g", component="accel_Y").acceleration.tolist() == [2 * a for a in made.SAMPLES]


@pytest.mark.parametrize("word", ["data", "accel"])
def test_simcenter_single_record(write, word):
    text = f'{{"name": "r", "dT": 0.01, "{word}_x": [0.0, 0.5, -1e-3], "{word}_y": [1, 2, 3]}}'
    suite = hx.read_suite(write("r.json", text), unit="g")
    assert [(m.component, m.step, m.acceleration.tolist()) for m in suite] == [
        ("x", 0.01, [0.0, 0.5, -1e-3]),
        ("y", 0.01, [1.0, 2.0, 3.0]),
    ]


def test_a_stochastic_event_is_called_synthetic(write):
    text = made.simcenter().replace('"name": "made up"', '"name": "StochasticGroundMotion"')
    assert hx.read_record(write("e.json", text), unit="g").kind == "synthetic"


@pytest.mark.parametrize(
    ("names", "unit"),
    [
        ("time_s,acceleration_g", "g"),
        ("time [s],acc [cm/s2]", "cm/s2"),
        ("t;a (m/s^2)", "m/s2"),
        ("Time (sec),Accel (Gal)", "gal"),
        ("time\tacceleration_m/s2", "m/s2"),
        ("time_s   acceleration_g", "g"),
    ],
)
def test_columns_whose_names_tell_the_unit(write, names, unit):
    motion = hx.read_record(write("a.csv", made.columns(names=names)))
    assert motion.acceleration.tolist() == made.SAMPLES
    assert (motion.step, motion.unit, motion.source) == (0.005, unit, "a.csv")


@pytest.mark.parametrize(
    "names",
    [
        "t,acc [cm/s2]",
        "Time,Acceleration\n(s),(cm/s^2)",
        "# time_s,acceleration_cm/s2",
        "# unit: cm/s2\ntime,a",
        "time_s,NS_cm/s2",
        "Time (s);Acceleration, cm/s/s",
    ],
)
def test_a_unit_in_the_header_is_taken_agreed_with_or_contradicted(write, names):
    text = made.columns(names=names)
    path = write("a.csv", text.replace(",", ";") if ";" in names else text)
    path.write_text(path.read_text().replace("Acceleration;", "Acceleration,"))
    for agreed in ({}, {"unit": "cm/s2"}, {"unit": "cm/s^2"}, {"unit": "gal"}):
        motion = hx.read_record(path, **agreed)
        assert (motion.unit, motion.acceleration.tolist()) == ("cm/s2", made.SAMPLES)
    for other in ("g", "m/s2"):
        with pytest.raises(InputError, match=rf"line \d: the file is in cm/s2, which contradicts unit='{other}'"):
            hx.read_record(path, unit=other)


@pytest.mark.parametrize(
    "name",
    [
        "velocity_m/s",
        "Velocity [m/s]",
        "vel",
        "NS [cm/s]",
        "Displacement (m)",
        "disp_x",
        "Arias intensity [m/s]",
        "CAV",
        "Sa (g)",
        "5% Damped Spectral Acceleration [g]",
        "Husid [-]",
        "a [%g]",
        "acc [mg]",
    ],
)
def test_a_column_that_calls_itself_something_else_is_no_acceleration(write, name):
    path = write("a.csv", made.columns(names=f"time [s],{name}"))
    for choices in ({}, {"unit": "g"}, {"unit": "g", "column": 2}, {"unit": "g", "column": name}):
        with pytest.raises(
            InputError, match=r"line 1: the column is named .*, which is no acceleration, whatever its unit"
        ):
            hx.read_record(path, **choices)


def test_the_one_acceleration_of_several_quantities_is_found(write):
    path = write("a.csv", "Time [s],Acceleration [g],Velocity [m/s],Displacement [m]\n0,1,4,7\n0.01,2,5,8\n")
    assert hx.read_record(path).acceleration.tolist() == [1, 2]
    two = write("b.csv", "time,NS [g],EW [g],vel\n0,1,4,7\n0.01,2,5,8\n")
    with pytest.raises(InputError, match="4 columns; choose one with column="):
        hx.read_record(two)


@pytest.mark.parametrize("names", ["Period [s],a [g]", "Frequency,a [g]"])
def test_a_spectrum_is_no_record(write, names):
    with pytest.raises(InputError, match="the first column must be the time, it is named"):
        hx.read_record(write("a.csv", made.columns(names=names)))


@pytest.mark.parametrize("ending", [".vel", ".disp"])
def test_an_ending_that_says_velocity_is_no_acceleration(write, ending):
    with pytest.raises(InputError, match=f"the ending {ending} says that these numbers are no accelerations"):
        hx.read_record(write(f"Rock-x{ending}", "0.1\n0.2\n"), unit="g", step=0.01)


@pytest.mark.parametrize("names", ["time,acceleration", "t,a", "time,a [V]", "# nothing"])
def test_columns_whose_names_tell_no_unit_need_one(write, names):
    path = write("a.txt", made.columns(names=names))
    with pytest.raises(InputError, match=r"does not tell the unit .* unit=\"g\""):
        hx.read_record(path)
    assert hx.read_record(path, unit="g").acceleration.tolist() == made.SAMPLES


def test_one_of_several_columns_by_number_and_by_name(write):
    path = write("a.csv", "time [s],NS [g],UD [g]\n0,1,4\n0.01,2,5\n0.02,3,6\n")
    assert hx.read_record(path, column=2).acceleration.tolist() == [1, 2, 3]
    motion = hx.read_record(path, column="UD [g]")
    assert (motion.acceleration.tolist(), motion.unit, motion.component) == ([4, 5, 6], "g", "UD [g]")
    bare = write("b.csv", "1 2\n3 4\n")
    assert hx.read_record(bare, column=1, unit="g", step=0.1).acceleration.tolist() == [1, 3]


@pytest.mark.parametrize(
    ("name", "text", "format_"),
    [
        ("a.AT2", made.at2(), "at2"),
        ("a.dat", made.at2(style="old"), "at2"),
        ("a.v2", made.cosmos(), "cosmos"),
        ("a.V2", made.csmip_v2(), "csmip"),
        ("a.raw", made.csmip_v1(), "csmip"),
        ("a.txt", made.esm(), "esm"),
        ("a.EW", made.knet(), "knet"),
        ("noending", made.knet(), "knet"),
        ("a.json", made.simcenter(), "simcenter"),
        ("a.csv", made.columns(), "columns"),
        ("a.AT2", "nothing of the kind", "at2"),
        ("a.V1", "x", "csmip"),
        ("a.asc", "x", "esm"),
        ("a.ud2", "x", "knet"),
        ("a.tcl", "1\n2\n", "columns"),
    ],
)
def test_the_format_is_told_by_content_then_by_ending(tmp_path, name, text, format_):
    assert format_of(Text(tmp_path / name, text)).name == format_


def test_line_ends_and_marks_of_other_systems(write):
    for text in (
        made.at2().replace("\n", "\r\n"),
        made.at2().replace("\n", "\r"),
        "\ufeff" + made.at2(),
        made.at2() + "\x1a",
    ):
        assert hx.read_record(write("a.AT2", text)).acceleration.tolist() == made.SAMPLES


def test_every_format_has_a_test_above():
    here = {"at2", "cosmos", "csmip", "esm", "knet", "simcenter", "opensees", "columns"}
    networks = {"volume1", "smc", "geonet", "asa", "nsmn", "cwa"}  # test_networks.py
    assert set(FORMATS) == here | networks


def test_a_given_step_may_sharpen_a_rounded_one(write):
    path = write("a.AT2", made.at2(dt=".0167"))
    assert hx.read_record(path).step == 0.0167
    assert hx.read_record(path, step=1 / 60).step == 1 / 60


def test_given_units_that_agree_are_no_contradiction(write):
    assert hx.read_record(write("a.AT2", made.at2()), unit="G").unit == "g"
    assert hx.read_record(write("a.EW", made.knet()), unit="cm/s2").unit == "gal"


def test_component_labels_a_record_that_has_none(write):
    path = write("a.csv", made.columns())
    assert hx.read_record(path, component="NS").component == "NS"


def test_an_azimuth_may_be_given_as_a_number(write):
    path = write("a.AT2", made.at2())
    assert hx.read_record(path, component=180).component == "180"
    assert hx.read_record(path, component=1).component == "180"


def test_a_long_record_is_read_at_the_speed_of_numpy(write):
    """Two hundred thousand numbers in a fraction of a second, not word by word."""
    import time

    samples = np.round(np.sin(np.arange(200_000) / 37), 6)
    text = made.at2([0.5]).replace("NPTS=      1", "NPTS= 200000").rsplit("\n", 2)[0] + "\n"
    path = write("long.AT2", text + "\n".join(map(repr, samples.tolist())))
    begun = time.process_time()
    motion = hx.read_record(path)
    assert time.process_time() - begun < 1.0
    assert np.array_equal(motion.acceleration, samples)
    assert math.isclose(motion.duration, 199_999 * 0.005)
