"""Locks 1 and 2: the kernels rest on a generated form, and the form is derived again."""

import pytest
import sympy as sp

from hamex.model.laws.slider import Slider
from hamex.model.oscillator import oscillator
from hamex.principle import emit
from hamex.principle.action import Action
from hamex.schemes import _generated
from hamex.schemes.prepare import linear_element, scalars


@pytest.fixture(scope="module")
def derived():
    return emit.step_forms_source()


def test_the_generated_file_is_what_the_action_yields(derived):
    text = emit.GENERATED.read_text(encoding="utf-8")
    found = text[: text.index("\n\nclass ElementTable")]  # the rest: test_elements
    assert found == emit.HEAD + derived, "run python -m hamex.principle.emit and see what changed"


def test_one_flipped_sign_in_the_principle_changes_the_file(derived, monkeypatch):
    action = emit.structure()
    b = next(s for s in action.lagrangian.free_symbols if s.name == "b")
    wrong = Action(action.fields, sp.expand(action.lagrangian.subs(b, -b)), action.dissipation, action.loads)
    monkeypatch.setattr(emit, "structure", lambda: wrong)
    assert emit.step_forms_source() != derived


@pytest.mark.parametrize("row", ["motion_start", "motion_end", "spring_start", "spring_end"])
def test_prepare_uses_the_generated_rows(row, monkeypatch):
    """The form is not decoration: change a row and the prepared step changes."""
    x = scalars(oscillator(2.0, 50.0, 0.7, Slider(1.0, 0.3)))
    before = linear_element(x, 0.1)
    form = _generated.linear_element(0.1)
    changed = {v: {s: 1.01 * f for s, f in parts.items()} for v, parts in form[row].items()}
    monkeypatch.setattr("hamex.schemes.prepare.linear_element_form", lambda h: {**form, row: changed})
    assert linear_element(x, 0.1) != before


def test_prepare_meets_the_closed_form():
    """Analytic reference: mathematics of the step with M̂ = m/h + c/2, Q = a + h/(4M̂), by hand."""
    m, k, c, eta, hk, hi, h = 2.0, 50.0, 0.7, 0.3, 4.0, 2.0, 0.1
    found = linear_element(scalars(oscillator(m, k, c, Slider(1.0, eta, hk, hi))), h)
    mass = m / h + c / 2
    flex = 1 / k + h / (4 * mass)
    assert found.inv_mass == pytest.approx(1 / mass, rel=1e-14)
    assert found.inv_flex == pytest.approx(1 / flex, rel=1e-14)
    assert found.recoil == pytest.approx(h / (2 * mass), rel=1e-14)
    assert found.momentum == pytest.approx(2 * m / h, rel=1e-14)
    assert found.rate == pytest.approx(1 / (eta + h / 2 * (1 / flex + hk + hi)), rel=1e-14)
    assert (found.impulse, found.slip, found.b, found.half_b, found.beside) == pytest.approx((h / 2, h, 1, 0.5, 0))
