"""``hamex verify``: the door is thin; cases and runner have their own tests."""

import dataclasses
import json
import sys

import pytest

from hamex.paper import opensees
from hamex.verify import case, cases


@pytest.fixture
def wrong(monkeypatch):
    """The first case of trusses with another reference, the second broken."""
    good = cases("trusses")
    first = dataclasses.replace(good[0], compute=lambda: (good[0].compute()[0], [1.0, 2.0]))
    second = dataclasses.replace(good[1], compute=lambda: 1 / 0)
    monkeypatch.setitem(case._KNOWN, "trusses", [first, second, *good[2:]])


def test_a_chapter_within_eighty_columns(hamex):
    code, out, err = hamex("verify", "--chapter", "spectra")
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    assert "S1  Shock spectrum" in out
    assert f"{len(cases('spectra'))} passed, 0 failed, 0 skipped" in out


@pytest.mark.usefixtures("wrong")
def test_a_wrong_reference_ends_with_one_and_the_others_still_run(hamex):
    code, out, _ = hamex("verify", "--chapter", "trusses")
    assert code == 1
    assert out.count("FAILED") == 2
    assert "ZeroDivisionError" in out
    assert "2 failed" in out
    assert "T3" in out


def test_what_is_skipped_is_named_and_no_failure(hamex, monkeypatch):
    monkeypatch.setattr(opensees, "available", lambda: "OpenSees is not installed (pip install it).")
    code, out, _ = hamex("verify", "--chapter", "trusses")
    assert code == 0
    assert "skipped\n      OpenSees is not installed" in out
    assert "1 skipped" in out


@pytest.mark.usefixtures("wrong")
def test_json_has_every_number_and_the_time_of_each(hamex):
    code, out, _ = hamex("verify", "--chapter", "trusses", "--json")
    answer = json.loads(out)
    assert code == 1
    assert answer["failed"] == 2
    assert answer["seconds"] >= sum(each["seconds"] for each in answer["cases"]) > 0
    first, second = answer["cases"][:2]
    assert (first["id"], first["verdict"], first["count"]) == ("T1", "failed", 2)
    assert [reference for reference, _ in first["values"]] == [1.0, 2.0]
    assert first["difference"] > first["tolerance"]
    assert second["note"].startswith("ZeroDivisionError")
    assert second["result"] is None


def test_a_page_and_its_place_are_checked_first(hamex, tmp_path):
    code, out, _ = hamex("verify", "--chapter", "fragility", "--html", "out.html")
    assert code == 0
    assert "wrote out.html" in out
    assert "P1" in (tmp_path / "out.html").read_text(encoding="utf-8")
    assert hamex("verify", "--html", "out.txt")[0] == 2


def test_a_chapter_that_is_not_there_is_an_error_with_those_that_are(hamex):
    code, out, err = hamex("verify", "--chapter", "bridges")
    assert (code, out) == (2, "")
    assert "oscillators, spectra" in err


@pytest.mark.usefixtures("wrong")
def test_colours_on_a_terminal_stay_within_the_line(hamex, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda self: True, raising=False)
    assert "\033[31mFAILED\033[0m\n" in hamex("verify", "--chapter", "trusses")[1]
