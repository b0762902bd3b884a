"""The building in a real browser."""

import pytest
from test_oscillator_view import curve, ready, settled, shown, slider, type_in

import hamex as hx

VIEW, RESIDUAL = "building", "#building-residual"


def library(storeys=10, strength=0.15):
    """The default state of the view by hamex itself, as an engineer would write it."""
    n, units = storeys, hx.Units("m", "kN")
    stiffnesses = [150000 * (1 - 0.5 * i / (n - 1)) for i in range(n)]
    total = n * (n + 1) / 2
    weight = n * 100 * units.gravity
    laws = [
        hx.Slider(yield_force=strength * weight * (total - i * (i + 1) / 2) / total, viscosity=200, kinematic=0.02 * k)
        for i, k in enumerate(stiffnesses)
    ]
    model = hx.shear_frame([100.0] * n, stiffnesses, hx.rayleigh(0.05, modes=(1, 3)), laws, heights=3, units=units)
    problem = hx.Problem(model, hx.el_centro().on(model, g=units.gravity), duration=40.0)
    return hx.solve(problem, hx.Galerkin(step=0.01))


@pytest.fixture
def building(page, studio):
    page.goto(f"{studio}/#building")
    ready(page, RESIDUAL)
    return page


def test_profiles_and_roof_are_those_of_the_library(building):
    sol = library()
    roof = curve(building, "Roof", view=VIEW)
    assert roof == pytest.approx(sol.values("displacement")[:, -1], abs=1e-6 * max(map(abs, roof)))
    drifts = building.evaluate("""[...document.querySelectorAll('#building .plot')].find((one) =>
        one.parentElement.textContent.startsWith('Storey drift')).data.slice(0, 2).flatMap((one) =>
        one.y.map((storey, i) => [storey, one.x[i]])).sort((a, b) => a[0] - b[0])""")
    expected = abs(sol.values("storey_drift")).max(axis=0)
    assert [storey for storey, _ in drifts] == list(range(1, 11))
    assert [value for _, value in drifts] == pytest.approx(expected, rel=1e-6)
    assert shown(building, RESIDUAL) < 1e-12


def test_storeys_that_have_yielded_are_marked(building):
    sol = library()
    building.locator("#building .player input").fill("1000")
    columns = building.locator("#building svg.sketch path[stroke-dasharray='7 3']")
    slipped = (abs(sol.values("slip")) > 0).any(axis=0).sum()
    last = (sol.values("slip")[-1] != sol.values("slip")[-2]).sum()
    assert columns.count() == slipped - last > 5


def test_a_click_on_a_storey_shows_its_loop(building):
    with building.expect_response("**/api/history"):
        building.locator("#building svg.sketch rect").nth(2).click()
    building.get_by_text("Hysteresis of storey 3").wait_for()
    assert slider(building, "Loop of storey", VIEW).locator("select").input_value() == "2"


def test_twenty_storeys_and_a_weak_one(building):
    type_in(building, "storeys", 20, VIEW)
    sol = library(20)
    assert curve(building, "Roof", view=VIEW) == pytest.approx(
        sol.values("displacement")[:, -1], abs=1e-5 * abs(sol.values("displacement")).max()
    )
    with building.expect_response("**/api/history"):
        slider(building, "A weak storey", VIEW).locator("select").select_option("2")
    settled(building)
    assert building.locator("#building svg.sketch rect").count() == 20
