"""Damaged files: each kind gives an error with file, line and reason; none gets through as NaN or as a bare error."""

import math
import warnings

import network_samples as networks
import numpy as np
import pytest
import record_samples as made
from hypothesis import given
from hypothesis import strategies as st

import hamex as hx
from hamex.errors import FileError, HamexError, LoadError, RecordWarning, UnitError
from hamex.model.units import ACCELERATION_UNITS

GOOD = {
    "a.AT2": made.at2(),
    "old.AT2": made.at2(style="oldest"),
    "a.v2c": made.cosmos(),
    "three.v1": made.cosmos(made.cosmos_channel(), made.cosmos_channel(component="Up", channel=2)),
    "a.V2": made.csmip_v2(),
    "a.V1": made.csmip_v1(),
    "a.ASC": made.esm(),
    "a.EW": made.knet(),
    "a.json": made.simcenter(units={"acceleration": "g"}),
    "a.csv": made.columns(),
    "a.smc": networks.smc(),
    "a.V2A": networks.geonet(corrected=True),
    "renadic.v1": networks.volume_one(),
    "bhrc.V1": networks.volume_one(network="bhrc"),
    "ACAC1709.191": networks.asa(),
    "nsmn.txt": networks.nsmn(),
    "1-EAS.dat": networks.cwa(),
}
COUNTED = [name for name in GOOD if not name.endswith((".csv", ".json"))]


def changed(name, old, new, count=1):
    assert old in GOOD[name], old
    return name, GOOD[name].replace(old, new, count)


def without_line(name, line):
    lines = GOOD[name].split("\n")
    return name, "\n".join(lines[: line - 1] + lines[line:])


def first_lines(name, count):
    return name, "\n".join(GOOD[name].split("\n")[:count]) + "\n"


DAMAGED = {
    # PEER AT2
    "at2 no points": (first_lines("a.AT2", 3), "line 3: the file ends before NPTS and DT"),
    "at2 one line": (first_lines("a.AT2", 1), "line 1: the file ends before event and station"),
    "at2 no samples": (
        first_lines("a.AT2", 4),
        "line 4: the file ends after 0 of the 13 samples that line 4 announces",
    ),
    "at2 cut": (first_lines("a.AT2", 5), "line 5: the file ends after 5 of the 13 samples that line 4 announces"),
    "at2 too many": (changed("a.AT2", "    13,", "    12,"), "line 7: more than the 12 samples that line 4 announces"),
    "at2 points line gone": (without_line("a.AT2", 4), "line 4: expected NPTS and DT, as in"),
    "at2 points in words": (
        changed("a.AT2", "    13,", "  many,"),
        "line 4: NPTS must be a whole number above 0, got 'many'",
    ),
    "at2 no points at all": (
        changed("a.AT2", "    13,", "     0,"),
        "line 4: NPTS must be a whole number above 0, got '0'",
    ),
    "at2 step zero": (changed("a.AT2", ".00500", ".00000"), "line 4: DT must be a positive number, got '.00000'"),
    "at2 step negative": (changed("a.AT2", ".00500", "-.0050"), "line 4: DT must be a positive number, got '-.0050'"),
    "at2 step not finite": (changed("a.AT2", ".00500", "1E999"), "line 4: DT must be a positive number, got '1E999'"),
    "at2 stars": (changed("a.AT2", " 0.9999999E+00", "**************"), "line 5: '**************' is not a number"),
    "at2 nan": (
        changed("a.AT2", "0.9999999E+00", "          NaN"),
        "line 5: 'NaN' is not finite; mend or cut the record",
    ),
    "at2 overflow": (changed("a.AT2", "0.9999999E+00", "0.999999E+999"), "line 5: '0.999999E+999' is not finite"),
    "at2 decimal comma": (
        changed("a.AT2", "0.9999999E+00", "0,9999999E+00"),
        "line 5: '0,9999999E+00' is not a number",
    ),
    "at2 underscore": (changed("a.AT2", "0.9999999E+00", "   1_000.0000"), "line 5: '1_000.0000' is not a number"),
    "at2 velocity": (
        changed("a.AT2", "ACCELERATION TIME SERIES IN UNITS OF G", "VELOCITY TIME SERIES IN UNITS OF CM/S"),
        "line 3: this is a history of velocity; give the file of accelerations",
    ),
    "at2 words at the end": (("a.AT2", GOOD["a.AT2"] + "end\n"), "line 8: 'end' is not a number"),
    # COSMOS
    "cosmos integers short": (
        first_lines("a.v2c", 20),
        "line 20: the file ends after 60 of the 100 Integer-header values",
    ),
    "cosmos integer line gone": (without_line("a.v2c", 14), "line 14: expected '100 Integer-header values follow"),
    "cosmos integer row gone": (
        without_line("a.v2c", 20),
        "line 24: expected 10 Integer-header values in this line, found ",
    ),
    "cosmos real line gone": (without_line("a.v2c", 25), "line 25: expected '100 Real-header values follow"),
    "cosmos step zero": (
        changed("a.v2c", "       5.000000", "       0.000000"),
        "line 26: real-header value 62, the step, must be",
    ),
    "cosmos step and length": (
        changed("a.v2c", "       5.000000", "     500.000000"),
        "line 48: 13 samples of 0.5 s (real-header value 62) are 6.5 s, but this line says approx 0 secs",
    ),
    "cosmos comments": (
        changed("a.v2c", "Comment line", "Commentary"),
        "line 46: expected the number of comment lines",
    ),
    "cosmos comments miscounted": (
        changed("a.v2c", " 1 Comment line", " 2 Comment line"),
        "line 49: expected the line that announces the data",
    ),
    "cosmos data line": (
        changed("a.v2c", "pts, approx", "points"),
        "line 48: expected the line that announces the data",
    ),
    "cosmos format": (
        changed("a.v2c", "Format=(8F10.5)", "Format=(free)"),
        "line 48: expected a format as in (8F10.5), got (free)",
    ),
    "cosmos units disagree": (
        changed("a.v2c", "units=cm/sec2(04)", "units=cm/sec2(02)"),
        "line 48: unit code 02, but the header says 4 (line 15, third number)",
    ),
    "cosmos words disagree": (
        changed("a.v2c", "units=cm/sec2(04)", "units=in/sec2(04)"),
        "line 48: units=in/sec2, but the header's code 4 is cm/s2",
    ),
    "cosmos cut": (first_lines("a.v2c", 49), "line 49: the file ends after 8 of the 13 samples"),
    "cosmos no end": (first_lines("a.v2c", 50), "line 50: expected the end of the data after 13 samples"),
    "cosmos value gone": (changed("a.v2c", "   1.00000", "          "), "line 49: a value is missing"),
    "cosmos text after": (("a.v2c", GOOD["a.v2c"] + "more\n"), "line 52: expected a channel to start here"),
    "cosmos velocity only": (
        ("v.v2c", made.cosmos(made.cosmos_channel(quantity=2, code=5))),
        "no channel of acceleration",
    ),
    "cosmos header of ten": (
        changed("a.v2c", " 100 Integer", "  10 Integer"),
        "line 14: 10 Integer-header values do not tell unit and step",
    ),
    # CSMIP
    "csmip nothing announced": (
        ("a.V2", "Corrected accelerogram\n" * 9),
        "no line announces equally spaced accelerations",
    ),
    "csmip cut": (first_lines("a.V2", 16), "line 16: the file ends after 8 of the 13 samples"),
    "csmip step": (
        changed("a.V2", "at  .005 sec", "at  .0o5 sec"),
        "line 15: the step must be a positive number, got '.0o5'",
    ),
    "csmip rate": (changed("a.V1", "at 100 pts", "at 0 pts"), "line 10: the rate must be a positive number, got '0'"),
    "csmip letter": (changed("a.V2", "   1.00000", "   1.0000l"), "line 16: '1.0000l' is not a number"),
    "csmip short line": (changed("a.V1", "  1.00000", ""), "line 11: expected 8 samples in this line, found 7"),
    # ESM
    "esm no step": (without_line("a.ASC", 29), "line 63: the header ends here without SAMPLING_INTERVAL_S"),
    "esm no unit key": (without_line("a.ASC", 33), "line 63: the header ends here without UNITS"),
    "esm no quantity": (without_line("a.ASC", 50), "line 63: the header ends here without DATA_TYPE"),
    "esm header cut": (first_lines("a.ASC", 31), "line 31: the header ends here without DATA_TYPE"),
    "esm data cut": (
        first_lines("a.ASC", 70),
        "line 70: the file ends after 6 of the 13 samples that line 30 announces",
    ),
    "esm velocity": (
        changed("a.ASC", "DATA_TYPE: ACCELERATION", "DATA_TYPE: VELOCITY"),
        "line 50: DATA_TYPE is 'VELOCITY'; give a file of ACCELERATION",
    ),
    "esm strange unit": (
        changed("a.ASC", "UNITS: cm/s^2", "UNITS: furlong"),
        "line 33: UNITS is 'furlong', no unit of acceleration",
    ),
    "esm count": (
        changed("a.ASC", "NDATA: 13", "NDATA: -13"),
        "line 30: NDATA must be a whole number above 0, got '-13'",
    ),
    "esm key in lower case": (changed("a.ASC", "NDATA", "ndata"), "line 29: the header ends here without DATA_TYPE"),
    "esm infinite": (changed("a.ASC", "    1.000000", "         inf"), "line 67: 'inf' is not finite"),
    # K-NET
    "knet label": (
        changed("a.EW", "Scale Factor", "Scale_Factor"),
        "line 14: expected 'Scale Factor', got 'Scale_Factor'",
    ),
    "knet line gone": (without_line("a.EW", 5), "line 5: expected 'Mag', got 'Station Code'"),
    "knet scale": (
        changed("a.EW", "3920(gal)/6182761", "3920/6182761"),
        "line 14: expected a scale factor as in '3920(gal)/6182761'",
    ),
    "knet scale zero": (
        changed("a.EW", "/6182761", "/0"),
        "line 14: the scale factor must be a positive number, got '0'",
    ),
    "knet rate": (
        changed("a.EW", "100Hz", "fast"),
        "line 11: the sampling frequency must be a positive number, got 'fast'",
    ),
    "knet duration": (
        changed("a.EW", "Duration Time(s)  0.1", "Duration Time(s)  9"),
        "line 19: the file ends after 10 of the 900 samples that line 12 announces",
    ),
    "knet for ever": (
        changed("a.EW", "Duration Time(s)  0.1", "Duration Time(s)  9e307"),
        "line 12: 9e+307 s at 100 samples a second are more than any record holds",
    ),
    "cwa for ever": (
        changed("1-EAS.dat", "(sec): 0.13", "(sec): 1e308"),
        "line 7: 1e+308 s at 100 samples a second are more than any record holds",
    ),
    "asa row cut": (
        changed("ACAC1709.191", "    3.2500   -3.0000", "    3.2500"),
        "expected 3 values in this line, found 2",
    ),
    "geonet step": (
        changed("a.V2A", "  0.0050  0.0050", "  0.0050 -0.0050"),
        "the step (sixth real of this line) must be",
    ),
    "smc no values": (changed("a.smc", "        13", "         0"), "the number of values (integer 17) must be"),
    "volume 1 points": (changed("renadic.v1", "NO. OF POINTS", "NO  OF POINTZ", 2), "no line announces"),
    "bhrc rate": (changed("bhrc.V1", "2.000000E+02", "1.000000E+02"), "are a step of 0.005 s, but line 22 tells 100"),
    "knet header only": (first_lines("a.EW", 10), "line 10: the file ends before 'Sampling Freq'"),
    "knet letter": (changed("a.EW", "7998", "79g8"), "line 18: '79g8' is not a number"),
    # SimCenter
    "json broken": (changed("a.json", '"data": [', '"data": ['[:-1]), "line 15: not valid JSON"),
    "json a list": (("a.json", "[1, 2]"), "expected an object with Events, data_x or accel_data"),
    "json events": (("a.json", '{"Events": 3}'), "Events must be a list of objects"),
    "json nothing": (("a.json", '{"Events": [{"name": "x"}]}'), "no accelerations: expected timeSeries"),
    "json series missing": (
        changed("a.json", '"timeSeries": "accel_X"', '"timeSeries": "accel_Q"'),
        "Events[0]: a pattern names the series 'accel_Q', which is not in timeSeries",
    ),
    "json samples in words": (
        changed("a.json", "0.9999999", '"0.9999999"'),
        "data of 'accel_X'[2] must be a finite number",
    ),
    "json nan": (changed("a.json", "0.9999999", "NaN"), "data of 'accel_X'[2] must be a finite number, got nan"),
    "json steps": (
        changed("a.json", '"numSteps": 13', '"numSteps": 11'),
        "numSteps is 11, but 'accel_X' has 13 samples",
    ),
    "json step": (
        changed("a.json", '"dT": 0.005,\n     "data"', '"dT": -1,\n     "data"'),
        "dT must be a positive number, got -1",
    ),
    "json strange unit": (
        changed("a.json", '"acceleration": "g"', '"acceleration": "furlong"'),
        "'furlong' is no unit of acceleration",
    ),
    "json file elsewhere": (
        changed("a.json", '"type": "Value"', '"type": "PathFile"'),
        "is of type 'PathFile'; its samples are elsewhere",
    ),
    # Columns
    "columns nan": (changed("a.csv", "0.9999999", "nan"), "line 4: 'nan' is not finite"),
    "columns value gone": (changed("a.csv", "0.9999999", ""), "line 4: a value is missing in '0.01,'"),
    "columns one too many": (
        changed("a.csv", "0.9999999", "0.9999999,1"),
        "line 4: 3 columns, the lines before have 2",
    ),
    "columns time backwards": (
        changed("a.csv", "0.015,", "0.005,"),
        "line 5: the time 0.005 s does not come after 0.01 s",
    ),
    "columns gap": (without_line("a.csv", 7), "line 7: the time step changes from 0.005 s to 0.01 s"),
    "columns late start": (without_line("a.csv", 2), "line 2: the times start at 0.005 s"),
    "columns milliseconds": (
        changed("a.csv", "time_s", "time [ms]"),
        "line 1: times must be in seconds, the column is named 'time [ms]'",
    ),
    "columns names only": (first_lines("a.csv", 1), "no samples in "),
    "columns letter": (changed("a.csv", "0.9999999", "0.99x"), "line 4: '0.99x' is not a number"),
    "columns three": (("a.csv", "0,1,2\n1,2,3\n"), "line 1: 3 columns; choose one with column="),
    "empty": (("a.AT2", ""), "the file is empty"),
    "blank": (("a.EW", " \n\n"), "the file is empty"),
}


@pytest.mark.parametrize("kind", DAMAGED)
def test_each_kind_of_damage_is_told_by_file_line_and_reason(tmp_path, kind):
    (name, text), told = DAMAGED[kind]
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(LoadError) as caught:
        hx.read_record(path, component=1)
    assert str(path) in str(caught.value)
    assert told in str(caught.value)


def test_there_are_at_least_thirty_kinds():
    assert len(DAMAGED) >= 30


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            made.cosmos(made.cosmos_channel(made.COUNTS, code=50, unit="counts", format_="10I8")),
            "line 48: raw counts of the instrument",
        ),
        (made.cosmos(made.cosmos_channel(code=6, unit="cm")), "line 48: unit code 6 is none of acceleration"),
    ],
)
def test_cosmos_units_that_are_no_acceleration(tmp_path, text, told):
    path = tmp_path / "a.v1"
    path.write_text(text)
    with pytest.raises(UnitError, match=told):
        hx.read_record(path)


def test_files_that_are_no_text(tmp_path):
    path = tmp_path / "a.AT2"
    path.write_bytes(b"PEER\x00\x01\x02" * 9)
    with pytest.raises(FileError, match=r"cannot read .*a\.AT2: not a text file"):
        hx.read_record(path)
    with pytest.raises(FileError, match=r"cannot read .*gone\.AT2: no such file"):
        hx.read_record(tmp_path / "gone.AT2")
    with pytest.raises(FileError, match=r"cannot read .*: it is a folder, not a file"):
        hx.read_record(tmp_path)


@pytest.mark.parametrize(
    ("text", "unit", "line"),
    [
        (made.at2(), "m/s2", 3),
        (made.esm(), "g", 33),
        (made.knet(), "g", 14),
        (made.cosmos(), "g", 48),
        (made.csmip_v1(), "cm/s2", 10),
        (made.columns(), "cm/s2", 1),
    ],
)
def test_a_unit_that_contradicts_the_file_is_refused(tmp_path, text, unit, line):
    path = tmp_path / "a.txt"
    path.write_text(text)
    with pytest.raises(UnitError, match=rf"a\.txt, line {line}: the file is in \S+, which contradicts unit='{unit}'"):
        hx.read_record(path, unit=unit, component=1)


@pytest.mark.parametrize(
    ("text", "line"), [(made.at2(), 4), (made.esm(), 29), (made.knet(), 11), (made.csmip_v2(), 15)]
)
def test_a_step_that_contradicts_the_file_is_refused(tmp_path, text, line):
    path = tmp_path / "a.txt"
    path.write_text(text)
    with pytest.raises(LoadError, match=rf"line {line}: the file's step is .* s, which contradicts step=0.02"):
        hx.read_record(path, step=0.02, component=1)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (made.at2(unit="FURLONG"), "a.AT2"),
        (made.at2().replace("IN UNITS OF G", ""), "a.AT2"),
        (made.esm(unit=""), "a.ASC"),
        (made.simcenter(), "a.json"),
        (made.cosmos(made.cosmos_channel(code=None, unit="", header_code=-999)), "a.v2c"),
        (made.columns(names="t,a"), "a.csv"),
    ],
)
def test_a_unit_is_never_guessed(tmp_path, text, name):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(UnitError, match=r"does not tell the unit of its accelerations; say it, as in unit=\"g\""):
        hx.read_record(path)
    assert hx.read_record(path, unit="in/s2").unit == "in/s2"


@pytest.mark.parametrize(
    ("choices", "told"),
    [
        ({"unit": "furlong"}, "unknown unit of acceleration 'furlong'"),
        ({"step": 0}, "step must be a positive number"),
        ({"step": math.nan}, "step must be a positive number"),
        ({"format": "at3"}, "unknown format 'at3' of a record; known: at2"),
        ({"column": 1.5}, "column must be a number counted from 1 or a name"),
    ],
)
def test_wrong_choices_are_refused_before_any_file_is_opened(tmp_path, choices, told):
    for read in (hx.read_record, hx.read_suite):
        with pytest.raises(HamexError, match=told):
            read(tmp_path / "gone.AT2", **choices)


@pytest.mark.parametrize(
    ("choices", "told"),
    [
        ({"component": 4}, "has no record 4; it holds 1 '90 Deg', 2 'Up', 3 '360 Deg'"),
        ({"component": 0}, "has no record 0"),
        ({"component": "45 Deg"}, "has no record '45 Deg'"),
        ({"component": 1.0}, "component must be a number counted from 1 or a name"),
        ({"component": True}, "component must be"),
        ({"component": 1, "column": 2}, "column= belongs to text columns, this file is read as CSMIP"),
        ({}, "choose one with component="),
    ],
)
def test_wrong_choices_of_a_record(tmp_path, choices, told):
    path = tmp_path / "a.V1"
    path.write_text(made.csmip_v1())
    with pytest.raises(LoadError, match=told):
        hx.read_record(path, **choices)


@pytest.mark.parametrize(
    ("column", "told"),
    [
        (3, "column 3 does not exist; the file has 2"),
        (0, "column 0 does not exist"),
        ("x", "no column is named 'x'; columns are time_s"),
        (1, "does not tell the time between its samples"),
    ],
)
def test_wrong_choices_of_a_column(tmp_path, column, told):
    path = tmp_path / "a.csv"
    path.write_text(made.columns())
    with pytest.raises(LoadError, match=told):
        hx.read_record(path, column=column, unit="g")


def test_a_path_file_needs_step_and_unit(tmp_path):
    path = tmp_path / "a.g3"
    path.write_text("1 2 3\n4 5\n")
    with pytest.raises(LoadError, match=r"does not tell the time between its samples; say it, as in step=0\.01"):
        hx.read_record(path, format="opensees", unit="g")
    with pytest.raises(UnitError, match="does not tell the unit"):
        hx.read_record(path, format="opensees", step=0.01)


def attempt(file, **choices):
    """A motion, or the words it is refused with. Any other error is the reader's own fault."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RecordWarning)  # a header that is damaged disagrees with its samples
        try:
            return hx.read_record(file, **choices), ""
        except HamexError as problem:
            return None, str(problem)


def outcome(path, name, text):
    """The motion that a text gives, None if it is refused properly; anything else is a failure of the reader."""
    file = path / name
    file.write_text(text, encoding="utf-8", newline="")
    motion, refusal = attempt(file, component=1)
    if motion is None:
        assert str(file) in refusal
        return None
    assert np.isfinite(motion.acceleration).all()
    assert math.isfinite(motion.step)
    assert motion.step > 0
    assert motion.unit in ACCELERATION_UNITS
    return motion


@given(st.sampled_from(COUNTED), st.data())
def test_a_file_cut_anywhere_never_passes_for_a_shorter_record(tmp_path, name, data):
    text = GOOD[name]
    motion = outcome(tmp_path, name, text[: data.draw(st.integers(0, len(text) - 1))])
    if motion is not None:
        whole = outcome(tmp_path, name, text).acceleration
        # The digits of the very last number may be cut without a trace.
        assert len(motion.acceleration) == len(whole)
        moved = (motion.acceleration - whole)[:-1]
        if name == "a.EW":  # K-NET's are freed from their mean, which the last number moves for all
            assert np.ptp(moved) <= 1e-12 * np.abs(motion.acceleration).max()
        else:
            assert moved.tolist() == [0.0] * len(moved)


@given(st.sampled_from(sorted(GOOD)), st.data())
def test_a_changed_character_never_gets_through_as_nonsense(tmp_path, name, data):
    text = GOOD[name]
    at = data.draw(st.integers(0, len(text) - 1))
    new = data.draw(st.sampled_from("0 9.-+eE,;x_*\n\t\x00éN(") | st.characters(exclude_categories=["Cs"]))
    outcome(tmp_path, name, text[:at] + new + text[at + 1 :])


@given(st.sampled_from(sorted(GOOD)), st.data())
def test_lines_taken_out_doubled_or_exchanged_never_get_through_as_nonsense(tmp_path, name, data):
    lines = GOOD[name].split("\n")
    first, second = (data.draw(st.integers(0, len(lines) - 1)) for _ in range(2))
    how = data.draw(st.sampled_from(["out", "double", "exchange"]))
    if how == "out":
        del lines[first]
    elif how == "double":
        lines.insert(first, lines[second])
    else:
        lines[first], lines[second] = lines[second], lines[first]
    outcome(tmp_path, name, "\n".join(lines))


@given(st.sampled_from(sorted(GOOD)), st.data())
def test_a_number_that_is_not_finite_never_gets_through(tmp_path, name, data):
    text = GOOD[name]
    at = data.draw(st.integers(0, len(text)))
    word = data.draw(st.sampled_from([" nan ", " NaN ", " inf ", " -Infinity ", "1e999", " 1e400 "]))
    outcome(tmp_path, name, text[:at] + word + text[at:])


@given(st.sampled_from(["a.AT2", "a.v2", "a.asc", "a.EW", "a.json", "a.csv", "a"]), st.binary(max_size=200))
def test_any_bytes_are_a_record_or_a_named_error(tmp_path, name, content):
    file = tmp_path / name
    file.write_bytes(content)
    motion, refusal = attempt(file, unit="g", step=0.01)
    assert str(file) in refusal if motion is None else np.isfinite(motion.acceleration).all()
