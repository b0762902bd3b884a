"""The audit finds every misprint of the text, and every misprint that is planted into a copy of it."""

import json
from functools import cache

import pytest
import sympy as sp
from misprints import misprints
from repetitions import chiefly

from hamex.cli import main
from hamex.paper.audit import run
from hamex.paper.audit.claims_step import wrong_branch
from hamex.paper.audit.judging import (
    HOLDS,
    VERDICTS,
    corrected,
    corrected_equation,
    printed_equation,
    printed_latex,
    read,
    same,
)
from hamex.paper.audit.notation import dot, says, u
from hamex.paper.audit.notation import m as mass
from hamex.principle.grammar import LanguageError

NUMBERS = [str(n) for n in range(1, 90)]
# Read in the paper by eye, before any code was written.
MISPRINTS = {
    "31": r"\delta u(T)",
    "40": r"+\int_0^T",
    "43": r"\hat{t}_i",
    "45": r"a\dot{J}\,\delta\dot{J} - u\,\delta\dot{J}",
    "47": r"a\dot{J}\,\delta\dot{J} - u\,\delta\dot{J}",
    "58": r"m\dot{u}\,\delta\dot{u}",
    "60": r"a\dot{J}\,\delta\dot{J}",
    "73": "y_1 + y_2",
    "81": "D_p x",
    "82": "D_p x",
}
# (equation, kind, column) of planted misprints that change nothing, each with its reason.
EQUIVALENT: dict[tuple[str, str, int], str] = {}
SPOKEN = {
    "claim: relation used in (52)",
    "claim: name of the forcing term",
    "claim: unit of F_y",
    "claim: unit of p̂ in Table 2",
}


@pytest.fixture(scope="module", autouse=True)
def rules():
    """The rules judge an equation once: the whole audit, its corrections and the planted misprints ask again."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "RULES", {number: cache(rule) for number, rule in run.RULES.items()})
        yield


@pytest.fixture(scope="module")
def items():
    return {item.equation: item for item in run.audit()}


def test_everything_is_covered_once_and_in_order(items):
    assert [name for name in items if name.isdigit()] == NUMBERS
    assert {"Table 1", "Table 2"} <= set(items)
    assert sum(name.startswith("claim: ") for name in items) >= 25
    assert {item.kind for item in items.values()} == {"definition", "derived", "claim"}
    for item in items.values():
        assert item.verdict in VERDICTS
        assert item.printed
        assert item.correct
        assert item.evidence


def test_the_misprints_of_the_text_are_found_and_no_others(items):
    found = {name for name, item in items.items() if item.verdict == "misprint"}
    assert found == set(MISPRINTS) | SPOKEN
    for number, better in MISPRINTS.items():
        assert better in items[number].correct
        assert better not in items[number].printed
        assert "passes the same test" in items[number].evidence


def test_conditions_and_what_is_not_true(items):
    def of(verdict):
        return {name for name, item in items.items() if item.verdict == verdict}

    assert of("holds with a condition") >= {
        "5",
        "20",
        "33",
        "Table 2",
        "claim: equal to Newmark",
        "claim: Noether charge is conserved",
        "claim: Hamiltonian is conserved",
        "claim: new action variation",
        "claim: new numerical method",
    }
    assert of("not true in general") == {"claim: non-iterative method"}
    for name in (
        "unconditional stability",
        "symplecticity",
        "eigenvalues, elastic",
        "eigenvalues, plastic",
        "three independent equations",
        "non-iterative, one slider",
    ):
        assert items[f"claim: {name}"].verdict == HOLDS
    assert items["87"].verdict == HOLDS
    assert "not needed" in items["87"].evidence
    assert "12 of 12" in items["Table 2"].evidence


@pytest.mark.parametrize("number", ["5", "20", *MISPRINTS])
def test_a_correction_passes_the_rule_that_the_print_fails(number):
    assert run.RULES[number](printed_equation(number)).verdict != HOLDS
    assert run.RULES[number](corrected_equation(number)).verdict == HOLDS


# ---- planted misprints -------------------------------------------------------------------------------------------


def sound(number):
    """The equation as it should be: what a planted misprint starts from."""
    return corrected_equation(number) if number in MISPRINTS else printed_equation(number)


def judge_planted(number, misprint):
    """The verdict on changed LaTeX; none where it can no longer be read."""
    try:
        planted = read(number, sound(number).kind, misprint.latex)
    except LanguageError:
        return None
    return run.RULES[number](planted).verdict


def chosen(number):
    """One misprint of each equation, another kind in each: the first that can be read, from a different place on."""
    found = list(misprints(sound(number).latex))
    start = 7 * int(number) % len(found)
    return next(m for m in (*found[start:], *found[:start]) if judge_planted(number, m) is not None)


@pytest.mark.parametrize("number", chiefly([n for n in NUMBERS[::3] if n != "37"], NUMBERS))  # which takes longest
def test_a_misprint_planted_into_what_is_shown_is_found(number):
    misprint = chosen(number)
    assert judge_planted(number, misprint) not in (run.RULES[number](sound(number)).verdict, None), str(misprint)


@pytest.mark.heavy
@pytest.mark.parametrize("number", NUMBERS)
def test_every_misprint_planted_into_what_is_shown_is_found(number):
    """All kinds at all places; what changes nothing is listed in EQUIVALENT with its reason."""
    before = run.RULES[number](sound(number)).verdict
    verdicts = {m: judge_planted(number, m) for m in misprints(sound(number).latex)}
    missed = {m for m, verdict in verdicts.items() if verdict == before}
    assert {(number, m.kind, m.column) for m in missed} == {key for key in EQUIVALENT if key[0] == number}
    found = sum(verdict is not None for verdict in verdicts.values()) - len(missed)
    assert found >= 4


def test_a_misprint_of_what_is_printed_wrong_already_changes_the_evidence():
    for number in ("45", "58", "73", "81"):
        before = run.RULES[number](printed_equation(number))
        for misprint in misprints(printed_latex()[number]):
            if misprint.kind == "sign":
                planted = run.RULES[number](read(number, "derived", misprint.latex))
                assert planted.verdict == "misprint"
                assert planted.evidence != before.evidence


def test_the_shown_latex_is_what_is_checked():
    """(11) with −2k in the file that is shown."""
    shown = printed_latex()["11"].replace("+ k", "- 2k")
    item = run.judge(read("11", "derived", shown))
    assert item.verdict == "misprint"
    assert item.printed == shown
    assert "−3 k u" in item.evidence


def test_a_missing_or_an_additional_statement_is_found():
    latex = printed_latex()["26"]
    assert run.judge(read("26", "derived", latex.split(";")[0])).verdict == "misprint"
    assert run.judge(read("26", "derived", latex + r"; \quad u = 0")).verdict == "misprint"


@pytest.mark.parametrize(
    ("number", "changed", "fault"),
    [
        ("1", r"A(u,u;t) = \int_{t_0}^{t_1} L(u,\dot{u};\tau)\,d\tau", "other arguments"),
        ("1", r"A(u,\dot{u};t) = \int_{t_0}^{t_1} L(u,\dot{u};t)\,d\tau", "does not run here"),
        ("35", r"V = \int_\Omega \hat{f}_i u_j d\Omega + \int_{\Gamma_t} \hat{t}_i u_i d\Gamma", "free indices"),
        ("35", r"V = \int_\Omega \hat{f}_i u_i d\Gamma + \int_{\Gamma_t} \hat{t}_i u_i d\Gamma", "does not belong"),
        ("11", r"m \ddot{u} + q \, u = 0", "the letter q"),
    ],
)
def test_what_cannot_be_meant_is_a_fault(number, changed, fault):
    assert fault in run.RULES[number](read(number, "derived", changed)).evidence


# ---- the parts ---------------------------------------------------------------------------------------------------


def test_an_equation_is_not_changed_by_a_constant_factor_but_a_definition_is():
    motion = mass * dot(u, 2) + u
    assert same(says(motion), says(-3 * motion))
    assert not same(says(sp.Symbol("A"), motion), says(sp.Symbol("A"), 2 * motion))


def test_dimensions_see_a_lost_dot(items):
    assert {name for name, item in items.items() if "dimensions differ" in item.evidence} == {"45", "47", "58", "60"}


def test_the_latex_of_every_equation_is_at_hand():
    assert list(printed_latex()) == NUMBERS
    assert printed_latex()["73"] == "y_3 = (x_1 + x_2)"
    assert len(printed_latex()["40"].split("\n\n")) == 5
    assert set(corrected()) == {"5", "20", *MISPRINTS}


def test_two_sliders_can_mislead_the_elastic_trial():
    trial = wrong_branch()
    assert (trial.predicted, trial.true) == ((1, 1), ((-1, 1),))
    assert trial.dissipation < 0


@pytest.mark.parametrize("whole", ["few", pytest.param("all", marks=pytest.mark.heavy)])
def test_command_line(items, whole, monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(run, "judged", lambda: iter(items.values()))

    def call(*arguments):
        with pytest.raises(SystemExit) as end:
            main(["audit", *arguments])
        assert end.value.code == 0
        return capsys.readouterr().out

    entries = json.loads(call("--json"))
    assert [e["equation"] for e in entries][:89] == NUMBERS
    assert all(set(e) == {"equation", "kind", "verdict", "printed", "correct", "evidence"} for e in entries)
    text = call()
    assert "14  misprint" in text
    assert max(len(line) for line in text.splitlines()) <= 84  # combining marks count as letters
    if whole == "few":  # to draw an equation takes a tenth of a second
        items = {name: items[name] for name in ("1", "31", "84", "87", "Table 2", "claim: non-iterative method")}
        monkeypatch.setattr(run, "audit", lambda: list(items.values()))
    pytest.importorskip("ziamath")
    target = tmp_path / "audit.html"
    assert str(target) in call("--html", str(target))
    page = target.read_text(encoding="utf-8")
    assert page.count('<section class="item"') == len(items)
    assert page.count("<svg") > sum(name.isdigit() for name in items)
    assert "<script" not in page
    assert "http" not in page.replace("http://www.w3.org", "")
