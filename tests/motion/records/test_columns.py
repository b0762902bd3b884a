"""Text records: what is read comes back exactly, and what is wrong is told with file, line and reason."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hamex import el_centro, read_record
from hamex.errors import FileError, LoadError, UnitError
from hamex.motion.records.columns import read_samples


@pytest.fixture
def file(tmp_path):
    def write(text):
        path = tmp_path / "motion.csv"
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize(
    "text",
    [
        "0,0.5\n0.01,-1\n0.02,2e-1\n",
        "time,a\n0,0.5\n0.01,-1\n0.02,2e-1\n",
        "# a comment, with commas\n\ntime [s]; a [g]\n0 ; 0.5\n# inside\n0.01 ;-1\n\n0.02;2e-1",
        "\ufeff0\t0.5\r\n0.01\t-1\r\n0.02\t2e-1\r\n",
        "   0      0.5  \n  0.01  -1\n0.02 +.2\n",
    ],
)
def test_two_columns_in_any_common_dress(file, text):
    samples, step = read_samples(file(text))
    assert samples.tolist() == [0.5, -1.0, 0.2]
    assert step == 0.01


@pytest.mark.parametrize(
    "text",
    [
        "0;0,5\n0,01;-1\n0,02;2e-1\n",
        "Zeit [s];Beschleunigung [m/s2]\n0,00 ; 0,5\n0,01 ; -1,0\n0,02 ; 0,2\n",
        "0,00\t0,5\n0,01\t-1,0\n0,02\t+0,2\n",
        "0,00   0,5\n0,01  -1,0\n0,02   0,2\n",
        "t\ta\n0\t0,5\n0,01\t-1\n0,02\t2,0E-1\n",
    ],
)
def test_decimal_commas_between_semicolons_tabs_and_blanks(file, text):
    samples, step = read_samples(file(text))
    assert (samples.tolist(), step) == ([0.5, -1.0, 0.2], 0.01)


@pytest.mark.parametrize("text", ["0,5\n-1,25\n0,0\n12,75\n", "a\n0,5\n-1,25\n0\n12,75\n", "0,5\n-1,25\n0,00\n12,75"])
def test_decimal_commas_in_one_column(file, text):
    assert read_samples(file(text), step=0.01)[0].tolist() == [0.5, -1.25, 0.0, 12.75]


@pytest.mark.parametrize(
    ("text", "samples"),
    [
        ("0,5\n1,-3\n2,4\n", [5, -3, 4]),
        ("0,5\n1,3\n2,4\n", [5, 3, 4]),
        ("t,a\n0,5\n1,3\n2,4\n", [5, 3, 4]),
        ("0, 5\n1, 3\n2, 4\n", [5, 3, 4]),
    ],
)
def test_whole_numbers_between_commas_are_two_columns(file, text, samples):
    found, step = read_samples(file(text))
    assert (found.tolist(), step) == (samples, 1.0)


@given(
    st.lists(st.integers(-999_999, 999_999), min_size=3, max_size=30),
    st.sampled_from(["one", ";", "\t", "  "]),
    st.sampled_from([0.005, 0.01, 0.02]),
)
def test_decimal_commas_are_read_or_refused_and_never_misread(tmp_path_factory, thousandths, between, step):
    path = tmp_path_factory.mktemp("comma") / "m.txt"
    samples = [n / 1000 for n in thousandths]
    times = [""] * len(samples) if between == "one" else [f"{i * step:.3f}{between}" for i in range(len(samples))]
    path.write_text("\n".join(f"{t}{a:.3f}".replace(".", ",") for t, a in zip(times, samples, strict=True)))
    try:
        found, found_step = read_samples(path, step)
    except LoadError:
        assert between == "one"  # 0,500 1,500 2,500 may be times and samples: then the step does not fit
        return
    assert (found.tolist(), found_step) == (samples, step)


def test_decimal_commas_that_cannot_be_told_from_columns_are_refused_by_name(file):
    with pytest.raises(LoadError, match="line 1: commas between columns and in decimals cannot be told apart"):
        read_samples(file("0,00,0,5\n0,01,-1,0\n0,02,0,2\n"))


def test_one_column_takes_the_given_step(file):
    samples, step = read_samples(file("a\n1\n2\n-3\n"), step=0.02)
    assert samples.tolist() == [1.0, 2.0, -3.0]
    assert step == 0.02


def test_a_motion_carries_unit_step_and_source(file):
    motion = read_record(file("0,0\n0.5,3\n"), unit="cm/s²")
    assert (motion.unit, motion.step, motion.source, motion.peak) == ("cm/s2", 0.5, "motion.csv", 3.0)


@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=40),
    st.sampled_from([0.005, 0.01, 0.02, 1 / 128, 0.1]),
)
def test_written_samples_are_read_back_in_every_bit(tmp_path_factory, samples, step):
    path = tmp_path_factory.mktemp("text") / "m.csv"
    path.write_text("".join(f"{i * step!r},{a!r}\n" for i, a in enumerate(samples)))
    found, found_step = read_samples(path)
    assert found.tolist() == samples
    assert math.isclose(found_step, step, rel_tol=1e-12)


def test_the_shipped_record_reads_the_same_through_this_door():
    from importlib import resources

    with resources.as_file(resources.files("hamex.motion") / "data/el_centro_1940_ns.csv") as path:
        motion = read_record(path, unit="g")
    assert motion.step == el_centro().step
    assert np.array_equal(motion.acceleration, el_centro().acceleration)


def test_times_printed_with_few_digits_are_still_uniform(file):
    path = file("".join(f"{i / 60:.4f},{i}\n" for i in range(301)))
    assert read_samples(path)[1] == pytest.approx(1 / 60, rel=1e-5)
    assert read_samples(path, step=1 / 60)[1] == 1 / 60


@pytest.mark.parametrize(
    ("text", "step", "told"),
    [
        ("", 0.1, "no samples in "),
        ("# nothing\n\n", 0.1, "no samples in "),
        ("time,acceleration\n", None, "no samples in "),
        ("0,1\n0.1,nan\n", None, "line 2: 'nan' is not finite"),
        ("1\n2\ninf\n", 0.1, "line 3: 'inf' is not finite"),
        ("0,1\n0.1,x\n", None, "line 2: 'x' is not a number"),
        ("a\nb\n1\n", 0.1, "line 2: 'b' is not a number"),
        ("1\nb\n2\n", 0.1, "line 2: 'b' is not a number"),
        ("0,1\n0.1,\n", None, "line 2: a value is missing in '0.1,'"),
        ("0,1\n0.1\n", None, "line 2: 1 column, the lines before have 2"),
        ("0,1,2\n", None, "line 1: 3 columns; give one column of samples, or time and samples"),
        ("0,0;1.5\n", None, "line 1: commas and semicolons in one line; write decimals with a point"),
        ("1\n2\n", None, "needs its step"),
        ("0,1\n", None, "need at least two samples"),
        ("# c\n0.02,1\n0.04,1\n", None, "line 2: the times start at 0.02 s"),
        ("0,1\n0.1,1\n0.1,2\n", None, "line 3: the time 0.1 s does not come after 0.1 s"),
        ("0,1\n0.1,1\n0.2,1\n0.35,1\n0.45,1\n", None, "line 4: the time step changes from 0.1 s to 0.15 s"),
        ("0,1\n0.1,1\n0.2,1\n", 0.05, "line 2: the time 0.1 s does not fit the given step of 0.05 s"),
        ("0,1\n0.1,1\n", -0.1, "line 1: the time 0 s does not fit the given step of -0.1 s"),
        ("0,1\n0.1,1\n", math.nan, "line 1: the time 0 s does not fit the given step of nan s"),
    ],
)
def test_broken_files_are_told_by_name_line_and_reason(file, text, step, told):
    path = file(text)
    with pytest.raises(LoadError) as caught:
        read_samples(path, step)
    assert str(path) in str(caught.value)
    assert told in str(caught.value)


def test_an_unknown_unit_is_refused_not_guessed(file):
    with pytest.raises(UnitError, match="unknown unit of acceleration 'furlong/s2'; known: g, m/s2"):
        read_record(file("0,0\n1,1\n"), unit="furlong/s2")


def test_a_step_that_is_not_positive_is_refused(file):
    with pytest.raises(LoadError, match="step must be a positive number of seconds, got 0"):
        read_record(file("0\n1\n"), unit="g", step=0)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(FileError, match=r"cannot read .*gone\.csv: no such file"):
        read_samples(tmp_path / "gone.csv")
    with pytest.raises(FileError, match=r"cannot read .*: it is a folder, not a file"):
        read_samples(tmp_path)
    binary = tmp_path / "binary.csv"
    binary.write_bytes(b"\xff\xfe\x00\x80")
    with pytest.raises(FileError, match="not a text file in UTF-8, it has zero bytes"):
        read_samples(binary)
