"""Other units on the page: the same structure in other numbers, with the same periods and results."""

import pytest
from test_oscillator_view import curve, opened, settled, shown, slider

import hamex as hx

POUND = 4.4482216152605  # newtons: exact, 0.45359237 kg × 9.80665 m/s² (external: NIST SP 811, appendix B)
INCH = 0.0254  # metres: exact
KIP_IN = INCH / (POUND)  # kip/in in a kN/m
START = {"model.mass": 100.0, "model.yield_force": 150.0, "model.viscosity": 200.0, "model.kinematic": 400.0}


def choose(page, label, unit, view="oscillator"):
    with page.expect_response("**/api/history") as answer:
        slider(page, label, view).locator("select").select_option(unit)
    settled(page)
    return answer.value.request.post_data_json["problem"]


def in_kip_and_inches(page, studio):
    opened(page, studio)
    choose(page, "Unit of force", "kip")
    return choose(page, "Unit of length", "in")


def peak(page):
    return page.evaluate("Number(document.querySelector('#oscillator .card b').dataset.value)")


def test_the_page_converts_by_the_units_of_the_package(page, studio):
    page.goto(f"{studio}/#oscillator")
    found = page.evaluate("""async () => {
        const {GRAVITY, LENGTHS, FORCES, FORCE, LENGTH, STIFFNESS, METRIC, factor} = await import("/page/units.js");
        const sizes = (names, dimension, key) => Object.fromEntries(
            names.map(([unit]) => [unit, factor(dimension, METRIC, {...METRIC, [key]: unit})]));
        return {gravity: GRAVITY, lengths: sizes(LENGTHS, LENGTH, "length"), forces: sizes(FORCES, FORCE, "force"),
                stiffness: factor(STIFFNESS, METRIC, {length: "in", force: "kip"})};
    }""")
    metre = hx.Units("m", "kN").gravity
    for unit, gravity in found["gravity"].items():
        assert gravity == hx.Units(unit, "kN").gravity
        assert found["lengths"][unit] == pytest.approx(gravity / metre, rel=1e-15)
    assert found["forces"] == pytest.approx(
        {"kN": 1, "N": 1e3, "MN": 1e-3, "kip": 1 / POUND, "lbf": 1e3 / POUND}, rel=1e-14
    )
    assert found["stiffness"] == pytest.approx(KIP_IN, rel=1e-14)


@pytest.mark.heavy
def test_150_kn_in_kip_is_the_same_structure(page, studio):
    """Analytic: a change of units scales numbers and leaves periods, ductility and the energy residual alone."""
    opened(page, studio)
    before = curve(page, "Displacement"), peak(page), shown(page)
    cards = page.locator("#oscillator .card b")
    ductility, period = cards.nth(2).inner_text(), cards.nth(5).inner_text()
    problem = in_kip_and_inches(page, studio)
    assert problem["units"] == {"length": "in", "force": "kip"}
    for name, value in START.items():
        factor = 1 / POUND if name == "model.yield_force" else KIP_IN
        assert problem["model"][name.removeprefix("model.")] == pytest.approx(value * factor, rel=1e-11)
        typed = slider(page, name).locator('input[type="number"]').input_value()
        assert float(typed) == pytest.approx(value * factor, rel=1e-6)
    assert slider(page, "model.yield_force").locator(".unit").inner_text() == "kip"
    assert cards.nth(2).inner_text() == ductility
    assert cards.nth(5).inner_text() == period
    assert peak(page) * INCH == pytest.approx(before[1], rel=1e-9)
    assert [INCH * u for u in curve(page, "Displacement")] == pytest.approx(before[0], abs=1e-6 * before[1])
    assert shown(page) < 1e-12


def test_there_and_back_again_gives_the_numbers_that_were_typed(page, studio):
    in_kip_and_inches(page, studio)
    choose(page, "Unit of length", "ft")
    choose(page, "Unit of force", "lbf")
    choose(page, "Unit of force", "kN")
    problem = choose(page, "Unit of length", "m")
    assert {name: problem["model"][name.removeprefix("model.")] for name in START} == START


@pytest.mark.heavy
def test_a_start_is_converted_too_and_sliders_reach_as_far_as_before(page, studio):
    opened(page, studio)
    with page.expect_response("**/api/history"):
        slider(page, "motion.kind").locator("select").select_option("none")
    problem = choose(page, "Unit of length", "mm")
    assert problem["start"] == {"displacement": 50.0}  # 0.05 m
    reach = slider(page, "start.displacement").locator('input[type="range"]')
    assert (reach.get_attribute("min"), reach.get_attribute("max")) == ("-500", "500")
    mass = slider(page, "model.mass").locator('input[type="range"]')
    assert 300 < float(mass.input_value()) < 700  # of 0 … 1000: 100 t lie in the middle of 1 … 10,000 t
    with page.expect_response("**/api/history") as answer:
        mass.press("ArrowRight")
    moved = answer.value.request.post_data_json["problem"]["model"]["mass"]
    assert 0.1 < moved < 0.11  # kN s²/mm


@pytest.mark.heavy
def test_a_study_takes_its_structure_along(page, studio):
    page.goto(f"{studio}/#study")
    page.locator('#study [data-part="ida"]').click()
    field = page.locator('#study [data-name="model.heights"]')
    assert field.locator('input[type="number"]').input_value() == "3.2"
    page.locator('#study [data-bench="ida"] [data-name="Unit of length"] select').select_option("in")
    assert float(field.locator('input[type="number"]').input_value()) == pytest.approx(3.2 / INCH, rel=1e-6)
    assert float(field.locator('input[type="range"]').get_attribute("max")) == 400  # 10 m, in round inches
