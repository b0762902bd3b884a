"""The building in a real browser."""

import pytest
from test_oscillator_view import curve, ready, settled, shown, slider, type_in

import hamex as hx

VIEW, RESIDUAL = "building", "#building-residual"


def library(storeys=10, strength=0.15, duration=40.0):
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
    problem = hx.Problem(model, hx.el_centro().on(model, g=units.gravity), duration=duration)
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


@pytest.mark.heavy
def test_a_click_on_a_storey_shows_its_loop(building):
    with building.expect_response("**/api/history"):
        building.locator("#building svg.sketch rect").nth(2).click()
    building.get_by_text("Hysteresis of storey 3").wait_for()
    assert slider(building, "Loop of storey", VIEW).locator("select").input_value() == "2"


@pytest.mark.heavy
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


RESIDUALS = """() => {
    const plot = [...document.querySelectorAll("#building .plot")].find((one) =>
        one.parentElement.textContent.startsWith("Storey drift"));
    const marks = plot.data.find((one) => one.mode === "markers");
    return {title: plot.layout.xaxis.title.text, marks: marks ? marks.y.map((y, i) => [y, marks.x[i]]) : []};
}"""


@pytest.mark.heavy
def test_a_residual_is_told_where_something_yielded_and_nothing_swings_any_more(building):
    """At 40 s the building still swings by more than a hundredth of its largest drift, at 90 s it does not."""
    assert library().rest.swings
    told = building.evaluate(RESIDUALS)
    assert told == {"title": "largest drift [m]", "marks": []}
    assert "still swings at the end" in building.get_by_text("storeys yield (hatched)").inner_text()
    type_in(building, "duration", 90, VIEW)
    sol = library(duration=90.0)
    assert not sol.rest.swings
    told = building.evaluate(RESIDUALS)
    assert told["title"] == "largest drift [m]; ◆ residual"
    yielded = [i for i in range(10) if (sol.values("slip")[:, i] != 0).any()]
    assert [storey - 1 for storey, _ in told["marks"]] == yielded
    left = abs(sol.values("storey_drift")[-1])
    assert [value for _, value in told["marks"]] == pytest.approx([left[i] for i in yielded], abs=1e-5 * max(left))
    type_in(building, "strength", 2, VIEW)  # it never yields, and rests at zero
    assert building.evaluate(RESIDUALS) == {"title": "largest drift [m]", "marks": []}
    building.get_by_text("no storey yields").wait_for()
