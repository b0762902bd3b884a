"""The audit finds every misprint of the text, and every misprint that is planted into a copy of it."""

import json
from functools import cache

import pytest
import sympy as sp

from hamex.cli import main
from hamex.paper.audit import run
from hamex.paper.audit.claims_step import wrong_branch
from hamex.paper.audit.judging import HOLDS, VERDICTS, same
from hamex.paper.audit.notation import Statement, dot, fault, printed_latex, printed_lines, says, t, u
from hamex.paper.audit.notation import m as mass

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


@pytest.mark.parametrize("number", sorted(run.corrected(), key=int))
def test_a_correction_passes_the_rule_that_the_print_fails(number):
    assert run.RULES[number](run.printed()[number]).verdict != HOLDS
    assert run.RULES[number](run.corrected()[number]).verdict == HOLDS


# ---- planted misprints -------------------------------------------------------------------------------------------


def terms(expression):
    return list(sp.Add.make_args(sp.expand(expression)))


def flip_a_sign(statement):
    """Turn the sign of the last term; of the whole side if it has one term only."""
    side = statement.right if statement.right != 0 else statement.left
    parts = terms(side)
    return rebuilt(statement, sum(parts[:-1], -parts[-1]))


def change_a_coefficient(statement):
    """Double the first term."""
    side = statement.right if statement.right != 0 else statement.left
    return rebuilt(statement, side + terms(side)[0])


def move_a_dot(statement):
    """Drop the dot of the first rate, or put one where there is none: in one place only."""
    side = statement.right if statement.right != 0 else statement.left
    parts = terms(side)
    for i, part in enumerate(parts):
        rates = sorted(part.atoms(sp.Derivative), key=sp.default_sort_key)
        for rate in rates:
            times = dict(rate.variable_count).get(t, 0)
            if times:
                fewer = rate.expr.diff(t, times - 1) if times > 1 else rate.expr
                rest = [v for v, n in rate.variable_count if v != t for _ in range(n)]
                changed = part.xreplace({rate: sp.diff(fewer, *rest) if rest else fewer})
                return rebuilt(statement, sum(parts[:i] + parts[i + 1 :], changed))
    return None


def rebuilt(statement, side):
    return Statement(statement.left, side) if statement.right != 0 else Statement(side, statement.right)


MUTATIONS = {"sign": flip_a_sign, "coefficient": change_a_coefficient, "dot": move_a_dot}


def sound(number):
    """The equation as it should be: what a planted misprint starts from."""
    return run.corrected().get(number) or run.printed()[number]


def places(equation):
    """Statements worth changing: the first and the last that say more than ``x = 0``."""
    useful = [i for i, s in enumerate(equation.statements) if s.right != 0 or len(terms(s.left)) > 1]
    return sorted({useful[0], useful[-1]}) if useful else []


# One misprint in every other equation, each kind in every sixth; all of them in make test-all.
CASES = [
    (number, name) if i % 2 == 0 and (i // 2 + j) % 3 == 0 else pytest.param(number, name, marks=pytest.mark.heavy)
    for i, number in enumerate(NUMBERS)
    for j, name in enumerate(MUTATIONS)
]


@pytest.mark.parametrize(("number", "name"), CASES)
def test_a_planted_misprint_is_found(number, name):
    equation = sound(number)
    before = run.RULES[number](equation).verdict
    tried = 0
    for place in places(equation):
        changed = MUTATIONS[name](equation.statements[place])
        if changed is None or changed.difference == equation.statements[place].difference:
            continue
        planted = equation.with_statements((*equation.statements[:place], changed, *equation.statements[place + 1 :]))
        assert run.RULES[number](planted).verdict != before, f"({number}): {changed}"
        tried += 1
    if not tried and name != "dot" and number not in ("9", "24"):
        pytest.fail(f"nothing could be planted into ({number})")


@pytest.mark.parametrize("number", ["9", "24"])
def test_a_planted_condition_at_the_wrong_end_is_found(number):
    first, *rest = run.printed()[number].statements
    planted = run.printed()[number].with_statements((rest[0], *rest))
    assert first.left != rest[0].left
    assert run.judge(planted).verdict == "misprint"


def test_a_missing_or_an_additional_statement_is_found():
    equation = run.printed()["26"]
    assert run.judge(equation.with_statements(equation.statements[:1])).verdict == "misprint"
    assert run.judge(equation.with_statements((*equation.statements, says(u)))).verdict == "misprint"


def test_a_planted_misprint_shows_in_the_whole_audit():
    pages = dict(run.printed())
    pages["79"] = pages["79"].with_statements((flip_a_sign(pages["79"].statements[0]),))
    verdicts = {number: run.judge(pages[number]).verdict for number in ("78", "79")}
    assert verdicts == {"78": HOLDS, "79": "misprint"}


# ---- the parts ---------------------------------------------------------------------------------------------------


def test_an_equation_is_not_changed_by_a_constant_factor_but_a_definition_is():
    motion = mass * dot(u, 2) + u
    assert same(says(motion), says(-3 * motion))
    assert not same(says(sp.Symbol("A"), motion), says(sp.Symbol("A"), 2 * motion))


def test_dimensions_see_a_lost_dot():
    faults = {number for number, equation in run.printed().items() if fault(equation)}
    assert faults == {"45", "47", "58", "60"}


def test_the_latex_of_every_equation_is_at_hand():
    assert list(printed_latex()) == NUMBERS
    assert printed_latex()["73"] == "y_3 = (x_1 + x_2)"
    assert len(printed_lines("40")) == 5


def test_two_sliders_can_mislead_the_elastic_trial():
    trial = wrong_branch()
    assert (trial.predicted, trial.true) == ((1, 1), ((-1, 1),))
    assert trial.dissipation < 0


def test_command_line(items, monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(run, "audit", lambda: list(items.values()))

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
    pytest.importorskip("ziamath")
    target = tmp_path / "audit.html"
    assert str(target) in call("--html", str(target))
    page = target.read_text(encoding="utf-8")
    assert page.count('<section class="item"') == len(items)
    assert page.count("<svg") > 89
    assert "<script" not in page
    assert "http" not in page.replace("http://www.w3.org", "")
