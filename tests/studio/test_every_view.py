"""Every view at three widths, light and dark: nothing complains, nothing sticks out, nothing jumps.

``HAMEX_SHOTS=folder pytest tests/studio/test_every_view.py`` saves a picture of each, to be looked at.
"""

import os
from pathlib import Path

import pytest

VIEWS = {
    "scenes": "#scenes .tile",
    "oscillator": "#residual[data-value]",
    "building": "#building-residual[data-value]",
    "derivation": "#derivation .plot .main-svg",
    "study": "#study .plot .main-svg",
    "paper": "#paper table td",
}
SHIFTS = """() => new Promise((tell) => {
    let sum = 0;
    new PerformanceObserver((list) => { for (const one of list.getEntries()) sum += one.value; })
        .observe({type: "layout-shift", buffered: true});
    setTimeout(() => tell(sum), 100);
})"""


OTHERS = [
    pytest.param(width, theme, marks=pytest.mark.heavy)
    for width, theme in ((1440, "dark"), (1024, "light"), (1024, "dark"), (390, "light"))
]


@pytest.mark.parametrize(("width", "theme"), [(1440, "light"), (390, "dark"), *OTHERS])
def test_views_fit_and_keep_still(watched, studio, width, theme):
    """Every view as the first that is loaded; at one width and theme, as one that is opened after another."""
    page = watched.page(viewport={"width": width, "height": 900}, color_scheme=theme)
    for view, shown in VIEWS.items():
        if (width, theme) != (1440, "light"):
            page.goto("about:blank")
        page.goto(f"{studio}/#{view}")
        page.locator(shown).first.wait_for()
        page.locator('html[data-busy="no"]').wait_for(state="attached")
        page.wait_for_load_state("networkidle")
        page.wait_for_timeout(200)
        assert page.evaluate("document.documentElement.scrollWidth") == width, view
        assert page.evaluate("document.documentElement.dataset.theme") == theme
        assert page.evaluate(SHIFTS) < 0.1, view  # what browsers call good
        if os.environ.get("HAMEX_SHOTS"):
            page.screenshot(path=Path(os.environ["HAMEX_SHOTS"], f"{view}-{width}-{theme}.png"), full_page=True)


def test_the_theme_can_be_chosen_and_is_kept(page, studio):
    page.goto(f"{studio}/#oscillator")
    page.locator(VIEWS["oscillator"]).wait_for()
    colour = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(colour)
    page.locator("#theme").click()
    dark = page.evaluate(colour)
    assert dark != light
    page.reload()
    page.locator(VIEWS["oscillator"]).wait_for()
    assert page.evaluate(colour) == dark
    page.locator("#theme").click()
    assert page.evaluate(colour) == light


def test_a_damaged_link_says_so(page, studio):
    page.goto(f"{studio}/#building/not-a-state")
    page.locator("#trouble").get_by_text("This link is damaged").wait_for()
    page.locator(VIEWS["building"]).wait_for()


def test_a_studio_that_has_ended_is_told(page, studio, watched):
    page.goto(f"{studio}/#oscillator")
    page.locator(VIEWS["oscillator"]).wait_for()
    page.route("**/api/history", lambda route: route.abort())
    page.locator('#oscillator [data-name="model.mass"] input[type="number"]').fill("120")
    page.locator("#oscillator-message").get_by_text("is `hamex studio` still running?").wait_for()
    watched.complaints.clear()  # the browser's own line about the request
    page.unroute("**/api/history")
