"""Cases compare as they say, and the runner goes on past failures and skips what cannot run."""

import dataclasses
from collections import Counter

import pytest

from hamex.errors import InputError, MissingPackageError
from hamex.paper import opensees
from hamex.verify import CHAPTERS, Case, case, cases, run, summary

ALL = cases()


@pytest.mark.parametrize("each", ALL, ids=lambda each: each.id)
def test_every_case_passes(each):
    if each.kind == "live" and (reason := opensees.available()):
        pytest.skip(reason)
    result = each.run()
    assert result.verdict == "passed", (result.note, result.reference, result.result)


def test_there_are_forty_cases_and_thirty_are_not_our_own():
    kinds = Counter(each.kind for each in ALL)
    assert len(ALL) >= 40
    assert len(ALL) - kinds["own"] >= 30
    assert set(kinds) <= set(case.KINDS)
    assert {each.chapter for each in ALL} == set(CHAPTERS)


def test_every_case_has_an_id_of_its_own_a_title_and_a_source():
    assert len({each.id for each in ALL}) == len(ALL)
    assert all(each.title and each.source for each in ALL)


def test_only_printed_numbers_have_a_tolerance_by_their_digits():
    assert all(each.printed or each.within is not None for each in ALL)
    assert all((each.kind == "published") or not each.printed for each in ALL)


def made(compute, **given):
    return Case("X1", "examples", "an example", "nowhere", "analytic", "m", compute, **given)


@pytest.mark.parametrize(
    ("found", "printed", "verdict"),
    [
        (1.2345, "1.23", "passed"),
        (1.2351, "1.23", "failed"),
        (-0.04999, "-0.05", "passed"),
        (1249.9, "1.2e3", "passed"),
        (1250.1, "1.2e3", "failed"),
        (8.4, "8", "passed"),
        ([1.0, 2.06], "1.0 2.0", "failed"),
        (float("nan"), "1.0", "failed"),
    ],
)
def test_printed_numbers_allow_half_of_their_last_digit(found, printed, verdict):
    assert made(lambda: found, printed=printed).run().verdict == verdict


def test_the_number_that_uses_most_of_its_tolerance_is_shown():
    result = made(lambda: ([1.0, 2.02, 300.0], [1.001, 2.0, 300.0]), within=0.1).run()
    assert (result.verdict, result.result, result.reference) == ("passed", 2.02, 2.0)
    assert result.values == ((1.001, 1.0), (2.0, 2.02), (300.0, 300.0))
    assert result.difference == pytest.approx(0.01)
    assert result.tolerance == pytest.approx(0.1)


def test_histories_are_compared_relative_to_their_largest_value():
    history = ([1e-6, 5.0], [0.0, 5.0])
    assert made(lambda: history, within=1e-6, of="largest").run().verdict == "passed"
    assert made(lambda: history, within=1e-6).run().verdict == "failed"


@pytest.mark.parametrize("right", [each for each in ALL if each.printed and not each.within], ids=lambda each: each.id)
def test_a_wrong_digit_at_the_end_of_a_printed_number_fails(right):
    first, *rest = right.printed.split()
    wrong = dataclasses.replace(right, printed=" ".join([first[:-1] + str((int(first[-1]) + 5) % 10), *rest]))
    assert wrong.run().verdict == "failed"


def test_what_is_raised_or_misshapen_is_a_failure_with_its_words():
    def broken():
        raise ZeroDivisionError("nothing\nto share")

    assert made(broken).run().note == "ZeroDivisionError: nothing to share"
    assert made(lambda: ([], []), within=1.0).run().verdict == "failed"
    assert made(lambda: ([1.0, 2.0], [1.0]), within=1.0).run().note.startswith("ValueError: 2 results")


def test_a_missing_package_skips():
    def missing():
        raise MissingPackageError("install it")

    result = made(missing).run()
    assert (result.verdict, result.note) == ("skipped", "install it")


def test_without_opensees_live_cases_are_skipped_with_the_reason(monkeypatch):
    monkeypatch.setattr(opensees, "available", lambda: "OpenSees is not installed.")
    told = []
    results = run("trusses", told.append)
    assert told == results
    skipped = [result for result in results if result.verdict == "skipped"]
    assert [result.case.kind for result in skipped] == ["live"]
    assert skipped[0].note == "OpenSees is not installed."
    counts = summary(results)
    assert (counts["failed"], counts["skipped"], counts["not_own"]) == (0, 1, len(results) - 1)


def test_a_chapter_that_is_not_there_is_refused_with_those_that_are():
    with pytest.raises(InputError, match="oscillators, spectra"):
        run("bridges")
