"""A phone: fingers instead of a pointer, 390 pixels, the picture above what changes it."""

import pytest
from repetitions import chiefly
from test_oscillator_view import ready, slider

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
FINGER = 44  # pixels: WCAG 2.2, 2.5.5 (external)
# Everything that can be hit and is seen, with its box; a box to tick is as large as its line, which ticks it too.
TARGETS = """(view) => [...document.querySelectorAll(
        `.top button, #${view} :is(button, select, summary, input, textarea, a)`)]
    .filter((node) => node.checkVisibility() && !node.closest("svg"))
    .map((node) => [node, (node.type === "checkbox" ? node.closest(".toggle") : node).getBoundingClientRect()])
    .filter(([, {width, height}]) => Math.min(width, height) < 43.5)
    .map(([node, {width, height}]) => `${node.outerHTML.slice(0, 90)}: ${width} × ${height}`)"""
VIEWS = {
    "oscillator": "#residual",
    "building": "#building-residual",
    "waves": "#waves .plot .main-svg",
    "derivation": "#derivation .plot .main-svg",
    "study": "#study .plot .main-svg",
    "paper": "#paper table td",
}


@pytest.fixture(scope="module")
def in_hand(all_watched):
    """One phone for all tests: what one of them changes, no other reads."""
    with all_watched.held(**PHONE) as page:
        yield page


@pytest.fixture
def phone(watched, in_hand):
    return in_hand


@pytest.mark.heavy
@pytest.mark.parametrize("view", chiefly(["building"], ["oscillator", "building"]))
def test_picture_and_loop_stay_in_sight_above_the_sliders(phone, studio, view):
    phone.goto(f"{studio}/#{view}")
    ready(phone, VIEWS[view])
    phone.evaluate(f"for (const one of document.querySelectorAll('#{view} details')) one.open = true")
    for name in ("scheme.step", "duration"):  # far down
        field = slider(phone, name, view)
        field.evaluate("(node) => node.scrollIntoView({block: 'center'})")
        boxes = {part: phone.locator(f"#{view} {part}").bounding_box() for part in (".sketch", ".loop .plot")}
        below = max(box["y"] + box["height"] for box in boxes.values())
        for box in boxes.values():
            assert box["y"] >= 0
            assert box["width"] > 150
            assert box["height"] > 100
        assert below < field.bounding_box()["y"] < 844
    # Below the controls they are out of the way.
    phone.locator(f"#{view} .stage > .panel").last.evaluate("(node) => node.scrollIntoView({block: 'end'})")
    phone.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    phone.locator(f"#{view} .bench.past").wait_for()
    gone = phone.locator(f"#{view} .sketch").bounding_box()
    assert gone["y"] + gone["height"] < 0
    assert phone.evaluate("document.documentElement.scrollWidth") == 390


def test_a_storey_is_found_by_finger(phone, studio):
    phone.goto(f"{studio}/#building")
    ready(phone, VIEWS["building"])
    phone.locator("#building svg.sketch rect").nth(2).tap()
    phone.get_by_text("Hysteresis of storey 3").wait_for()


@pytest.mark.parametrize("view", chiefly(["oscillator", "study"], VIEWS))
@pytest.mark.chief("oscillator")
def test_targets_are_as_large_as_a_finger_and_plots_have_no_toolbar(phone, studio, view):
    phone.goto(f"{studio}/#{view}")
    phone.locator(VIEWS[view]).first.wait_for()
    phone.locator('html[data-busy="no"]').wait_for(state="attached")
    phone.evaluate(f"for (const one of document.querySelectorAll('#{view} details')) one.open = true")
    assert phone.evaluate(TARGETS, view) == []
    assert phone.locator(f"#{view} .plot .main-svg").count() > 0
    assert phone.locator(f"#{view} .modebar-btn").count() == 0
    assert phone.evaluate("document.documentElement.scrollWidth") == 390


def test_a_scene_is_opened_and_left_by_finger(phone, studio):
    phone.goto(f"{studio}/#scenes")
    tile = phone.locator(".tile[data-scene=yielding][href*='/']")
    assert phone.evaluate(TARGETS, "scenes") == []
    tile.tap()
    ready(phone, VIEWS["oscillator"])
    assert phone.evaluate(TARGETS, "scene") == []  # the links of the question
    phone.get_by_role("button", name="×").tap()
    phone.locator("#scene").wait_for(state="hidden")
    assert phone.evaluate("document.documentElement.scrollWidth") == 390
