"""Every view by axe-core: no violations, light and dark, on a screen and on a phone.

axe-core comes from npm's registry with the tools that check the page's scripts (`make lint-page`).
"""

import os
import sys
from pathlib import Path

import pytest
from browsing import until
from test_every_view import PARTS, VIEWS

AXE = Path(sys.prefix, "page", "node_modules", "axe-core", "axe.min.js")
# Whether what fades in or out has done so, two frames after what began it.
STILL = """() => new Promise((tell) => requestAnimationFrame(() => requestAnimationFrame(() =>
    tell(!document.getAnimations().some((one) => one instanceof CSSTransition)))))"""
# What is wrong, by rule, with the first nodes that show it.
RUN = """async () => (await axe.run(document, {resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a",
        "wcag21aa", "wcag22aa", "best-practice"]})).violations.map(({id, help, nodes}) =>
        `${id} (${help}), ${nodes.length} times: ` +
        nodes.slice(0, 3).map((one) => `${one.target} ${one.html.slice(0, 120)}`).join(" | "))"""


@pytest.fixture(scope="session")
def axe():
    if not AXE.exists():
        words = "axe-core is not here: `make lint-page` installs it where npm's registry can be reached"
        if os.environ.get("CI") == "true":
            pytest.fail(words)
        pytest.skip(words)
    return AXE.read_text(encoding="utf-8")


def violations(page, axe):
    page.locator('html[data-busy="no"]').wait_for(state="attached")
    until(page, lambda: page.evaluate(STILL), "something fades for ever")
    page.evaluate(f"if (!window.axe) {{ {axe} }}")
    return page.evaluate(RUN)


# In every run of the tests a view of controls, plots and tables, with a refusal and the window over it: below.
@pytest.mark.heavy
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_views_have_no_violations(watched, studio, axe, width, theme):
    phone = {"has_touch": True, "is_mobile": True} if width == 390 else {}
    page = watched.page(viewport={"width": width, "height": 900}, color_scheme=theme, **phone)
    found = {}
    for view in VIEWS:
        page.goto(f"{studio}/#{view}")
        page.locator(VIEWS[view]).first.wait_for()
        found[view] = violations(page, axe)
        if view in PARTS:
            page.locator(PARTS[view]).click()
            found[f"{view}, second part"] = violations(page, axe)
        if view == "oscillator":  # the same from every view; this one has the fewest nodes to look through
            page.locator("#home-open").click()
            found["take home"] = violations(page, axe)
            page.get_by_label("Close").click()
    assert {view: said for view, said in found.items() if said} == {}


@pytest.mark.heavy
def test_a_scene_and_its_lecture_have_no_violations(watched, studio, axe):
    page = watched.page(viewport={"width": 1440, "height": 900})
    page.goto(f"{studio}/#scenes")
    page.locator(".tile[data-scene=isolation][href*='/']").click()
    page.locator(VIEWS["building"]).wait_for()
    assert violations(page, axe) == []
    page.keyboard.press("l")
    page.locator("html[data-lecture=yes]").wait_for(state="attached")
    assert violations(page, axe) == []


def test_a_refusal_and_the_window_over_it_have_no_violations(watched, studio, axe):
    page = watched.page()
    page.goto(f"{studio}/#oscillator")
    page.locator(VIEWS["oscillator"]).wait_for()
    page.locator('#oscillator [data-name="model.mass"] input[type="number"]').fill("-3")
    page.locator("#oscillator-message").get_by_text("must be positive").wait_for()
    watched.complaints.clear()  # the browser's own line about the status 422
    until(page, lambda: page.evaluate(STILL), "something fades for ever")
    page.evaluate(f"if (!window.axe) {{ {axe} }}")
    # What is dimmed is meant to be hard to read.
    exempt = "{exclude: [['.stage .plot'], ['.stage .cards'], ['.sketch']]}"
    assert page.evaluate(RUN.replace("document,", f"{exempt},")) == []
    page.locator("#home-open").click()
    until(page, lambda: page.evaluate(STILL), "something fades for ever")
    assert page.evaluate(RUN.replace("document,", "'dialog[open]',")) == []
