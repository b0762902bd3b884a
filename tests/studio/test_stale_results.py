"""What is on the page before the first answer, while one is computed, and when there is none."""

import json

import pytest
from browsing import until
from playwright.sync_api import expect
from repetitions import chiefly
from test_oscillator_view import curve, opened, settled, slider, type_in

# The words that a plot shows instead of itself, and how strongly it is drawn.
INSTEAD = "(node) => getComputedStyle(node, '::after').content"
OPACITY = "(node) => Number(getComputedStyle(node).opacity)"


class Gate:
    """Holds the page's questions back until it is opened."""

    def __init__(self, page, path):
        self.page, self.path, self.held, self.open = page, path, [], False
        page.route(path, self.decide)

    def decide(self, route):
        if self.open:
            route.continue_()
        else:
            self.held.append(route)

    def let_through(self):
        """For good: the page is as if there had been no gate."""
        self.open = True
        for route in self.held:
            route.continue_()
        self.page.unroute(self.path)


def in_sight(page, selector):
    """Whether a node is on the screen, and nothing covers it."""
    return page.evaluate(
        """(selector) => {
        const node = document.querySelector(selector), box = node.getBoundingClientRect();
        const on = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
        return box.top >= 0 && box.bottom <= innerHeight && (node === on || node.contains(on));
    }""",
        selector,
    )


@pytest.mark.heavy
@pytest.mark.parametrize("view", chiefly(["building", "study"], ["oscillator", "building", "study", "paper"]))
@pytest.mark.chief("building")
def test_before_the_first_answer_there_is_a_sign_of_work(watched, studio, view):
    page = watched.page()
    gate = Gate(page, "**/api/**")
    page.goto(f"{studio}/#{view}")
    plot = page.locator(f"#{view} .plot").first
    plot.wait_for()
    until(page, lambda: gate.held, "nothing is asked")  # and the answer is not there
    assert plot.evaluate(INSTEAD) == '"computing …"'
    assert page.evaluate("document.documentElement.dataset.busy") == "yes"
    if view == "building":  # it stands there already
        assert page.locator("#building svg.sketch rect").count() == 10
    gate.let_through()
    page.locator(f"#{view} .plot .main-svg").first.wait_for()
    assert page.locator(f"#{view} .stage").first.get_attribute("data-shown") == "current"


@pytest.mark.parametrize("width", chiefly([1440], [1440, 390]))
def test_a_refusal_stands_over_the_plots_and_dims_them(watched, studio, width):
    """Leap-frog with a long step: the message was scrolled away, and old results stood there as if they were new."""
    page = watched.page(viewport={"width": width, "height": 800})
    opened(page, studio)
    before = curve(page, "Displacement")
    page.evaluate("for (const one of document.querySelectorAll('#oscillator details')) one.open = true")
    slider(page, "against").locator("select").select_option("leap_frog")
    settled(page)
    slider(page, "scheme.step").scroll_into_view_if_needed()
    type_in(page, "scheme.step", 0.19)
    message = page.locator("#oscillator-message")
    expect(message).to_contain_text("step")
    assert in_sight(page, "#oscillator-message")
    assert in_sight(page, '#oscillator [data-name="scheme.step"] input')
    expect(page.locator("#oscillator .notice")).to_contain_text("computed before this change")
    plot = page.locator("#oscillator .plot").first
    cards = page.locator("#oscillator .cards")
    until(page, lambda: max(plot.evaluate(OPACITY), cards.evaluate(OPACITY)) < 0.6, "old results stay as they were")
    assert curve(page, "Displacement") == before
    watched.complaints.clear()  # the browser's own line about the status 422
    type_in(page, "scheme.step", 0.01)
    expect(message).to_be_hidden()
    until(page, lambda: plot.evaluate(OPACITY) == 1, "new results stay dim")


@pytest.mark.heavy
def test_a_field_is_called_by_its_label_over_the_plots(page, studio, watched):
    opened(page, studio)
    type_in(page, "model.mass", -3)
    expect(page.locator("#oscillator-message")).to_have_text("Mass must be positive, got -3")
    watched.complaints.clear()


@pytest.mark.heavy
def test_a_first_question_that_is_refused_leaves_no_sign_of_work(watched, studio):
    page = watched.page()
    refusal = {"status": 422, "content_type": "application/json", "body": json.dumps({"message": "not today"})}
    page.route("**/api/history", lambda route: route.fulfill(**refusal))
    page.goto(f"{studio}/#building")
    expect(page.locator("#building .notice")).to_contain_text("Nothing could be computed yet")
    assert page.locator("#building .plot").first.evaluate(INSTEAD) == '"nothing to show yet"'
    watched.complaints.clear()


def test_an_answer_that_takes_long_is_waited_for_dimly(page, studio):
    opened(page, studio)
    gate = Gate(page, "**/api/history")
    slider(page, "model.mass").locator('input[type="number"]').fill("120")
    plot = page.locator("#oscillator .plot").first
    until(page, lambda: gate.held and plot.evaluate(OPACITY) < 0.6, "old results stay as they were")
    gate.let_through()
    settled(page)
    until(page, lambda: plot.evaluate(OPACITY) == 1, "new results stay dim")


@pytest.mark.heavy
def test_an_analysis_with_other_settings_is_dimmed(page, studio):
    page.goto(f"{studio}/#study")
    page.locator('#study [data-part="ida"]').click()
    for name, value in (("records.synthetic.count", 2), ("stripes.count", 2), ("model.masses", 2)):
        page.locator(f'#study [data-name="{name}"] input[type="number"]').fill(str(value))
    page.locator("#study .run .primary").click()
    page.locator("#study .run").get_by_text("2 records,").wait_for()
    stage = page.locator('#study [data-bench="ida"] .stage')
    expect(stage).to_have_attribute("data-shown", "current")
    page.locator('#study [data-name="model.period"] input[type="number"]').fill("0.7")
    expect(stage).to_have_attribute("data-shown", "stale")
    expect(page.locator("#study .run")).to_contain_text("The settings have changed since this run.")


@pytest.mark.heavy
def test_an_answer_that_is_lost_on_its_way_takes_no_later_one_with_it(watched, studio):
    """Half an answer was an error that nobody caught, and what had been asked meanwhile was never asked."""
    page, lost = watched.page(), []
    page.route("**/api/study/spectrum", lambda route: route.continue_() if lost else lost.append(route))
    page.goto(f"{studio}/#study")
    until(page, lambda: lost, "nothing is asked")
    page.evaluate("""async () => (await import("/page/views.js")).currentView().set({ductility: []}) && null""")
    lost[0].fulfill(status=200, content_type="application/json", body='{"periods": ')
    expect(page.locator("#study .panel.first .legendtext")).to_have_text(["elastic"])
    expect(page.locator("#spectra-message")).to_be_hidden()
