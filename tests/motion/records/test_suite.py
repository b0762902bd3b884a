"""Suites: a folder, a pattern or a list; broken files are listed and do not stop the others."""

from collections.abc import Sequence

import pytest
import record_samples as made

import hamex as hx
from hamex.errors import FileError, LoadError


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "deeper").mkdir()
    for name, text in {
        "1.AT2": made.at2(),
        "2.AT2": made.at2().replace("0.9999999E+00", "          NaN"),
        "3.V1": made.csmip_v1(),
        "4.EW": made.knet(),
        "5.ASC": made.esm(),
        "notes.txt": "Where these come from.",
        "deeper/6.AT2": made.at2(style="old"),
        ".hidden": "x",
    }.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "7.pdf").write_bytes(b"%PDF\x00")
    return tmp_path


def test_a_folder_gives_all_that_can_be_read_and_lists_the_rest(folder):
    suite = hx.read_suite(folder)
    assert [motion.component for motion in suite] == ["180", "90 Deg", "Up", "360 Deg", "N-S", "HNE"]
    assert len(suite) == len(suite.motions) == 6
    assert suite[0] is suite.motions[0]
    assert [(status.file.name, status.ok) for status in suite.statuses] == [
        ("1.AT2", True),
        ("2.AT2", False),
        ("3.V1", True),
        ("4.EW", True),
        ("5.ASC", True),
        ("7.pdf", False),
        ("notes.txt", False),
    ]
    why = {status.file.name: status.why for status in suite.statuses}
    assert why["3.V1"] == "3 records"
    assert why["2.AT2"] == f"{folder / '2.AT2'}, line 5: 'NaN' is not finite; mend or cut the record"
    assert why["7.pdf"].endswith("this is PDF, which hamex does not read; give its accelerations as text")
    assert [status.file.name for status in suite.failed] == ["2.AT2", "7.pdf", "notes.txt"]


def test_patterns_and_lists(folder):
    assert [s.file.name for s in hx.read_suite(str(folder / "*.AT2")).statuses] == ["1.AT2", "2.AT2"]
    assert [s.file.name for s in hx.read_suite(str(folder / "**" / "*.AT2")).statuses] == ["1.AT2", "2.AT2", "6.AT2"]
    listed = hx.read_suite([folder / "4.EW", str(folder / "*.ASC"), folder / "gone.AT2", folder / "deeper"])
    assert [s.file.name for s in listed.statuses] == ["4.EW", "5.ASC", "gone.AT2", "6.AT2"]
    assert listed.statuses[2].why.endswith("no such file")
    assert len(listed) == 3


def test_a_pattern_in_the_name_of_a_file_is_no_pattern(tmp_path):
    path = tmp_path / "a[1].AT2"
    path.write_text(made.at2())
    assert len(hx.read_suite(str(path))) == 1


def test_one_component_of_every_file(folder):
    suite = hx.read_suite([folder / "3.V1", folder / "1.AT2"], component="up")
    assert [motion.component for motion in suite] == ["Up"]
    assert "has no record 'up'" in suite.failed[0].why


def test_a_unit_that_contradicts_one_file_fails_that_file(folder):
    suite = hx.read_suite([folder / "1.AT2", folder / "4.EW"], unit="g")
    assert [status.ok for status in suite.statuses] == [True, False]


@pytest.mark.parametrize("path", ["gone", "gone/*.AT2", "gone.AT2"])
def test_nothing_to_read_is_an_error(tmp_path, path):
    with pytest.raises(FileError, match=f"cannot read .*{path.partition('/')[0]}"):
        hx.read_suite(str(tmp_path / path))


def test_an_empty_folder_and_no_path_at_all(tmp_path):
    with pytest.raises(FileError, match="the folder has no files"):
        hx.read_suite(tmp_path)
    with pytest.raises(LoadError, match="path must be a folder, a pattern or a list of files, got 3"):
        hx.read_suite(3)


def test_all_broken_is_an_empty_suite_that_says_why(tmp_path):
    (tmp_path / "a.AT2").write_text("x")
    suite = hx.read_suite(tmp_path)
    assert len(suite) == 0
    assert not suite.statuses[0].ok


def test_a_suite_is_a_sequence_of_motions(folder):
    suite = hx.read_suite([folder / "1.AT2", folder / "4.EW"])
    assert isinstance(suite, Sequence)
    assert list(suite) == list(suite.motions)
    assert suite[-1] is suite.motions[1]
    assert suite[:1] == suite.motions[:1]
    model = hx.oscillator(1.0, 100.0)
    assert [motion.on(model, g=9.80665).width for motion in suite] == [1, 1]
