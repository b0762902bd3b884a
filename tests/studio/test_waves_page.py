"""The waves in a real browser: pictures that move, sliders that change the run, derivation and script beside them."""

import re

import pytest
from browsing import until
from test_oscillator_view import ready, settled

import hamex as hx

SHOWN = "#waves-residual"
LOOK = "(name) => document.querySelector(`#waves .sketch.${name}`).toDataURL()"  # what a canvas shows


def field(page, name):
    return page.locator(f'#waves .controls [data-name="{name}"]')


def type_in(page, name, value, kind="bar"):
    """Type a value and wait for the answer to it."""
    with page.expect_response(f"**/api/waves/{kind}"):
        field(page, name).locator('input[type="number"]').fill(str(value))
    settled(page)


def card(page, words):
    return page.locator("#waves .card", has_text=words).locator("b").inner_text()


def looked(page, name="bar"):
    return page.evaluate(LOOK, name)


@pytest.fixture
def waves(page, studio):
    page.goto(f"{studio}/#waves")
    ready(page, SHOWN)
    return page


@pytest.mark.heavy
def test_the_picture_moves_with_the_clock(waves):
    before, words = looked(waves), waves.locator("#waves .clock").inner_text()
    assert re.fullmatch(r"0\.232 of 0\.773 ms", words)
    waves.locator("#waves .player button").click()
    until(waves, lambda: looked(waves) != before, "the bar stands still")
    waves.locator("#waves .player button").click()
    assert waves.locator("#waves .player button").inner_text() == "Play"
    # By the keyboard: to the start, and a step on.
    scrub = waves.locator('#waves .player input[type="range"]')
    scrub.press("Home")
    assert waves.locator("#waves .clock").inner_text() == "0.000 of 0.773 ms"
    start = looked(waves), looked(waves, "spacetime")
    scrub.press("PageUp")
    assert looked(waves) != start[0]
    assert looked(waves, "spacetime") != start[1]  # the line of the present time
    scrub.press("Space")
    assert waves.locator("#waves .player button").inner_text() == "Pause"
    scrub.press("Space")


@pytest.mark.heavy
def test_sliders_change_the_run_and_the_picture(waves):
    assert card(waves, "wave speed") == "5172 m/s"
    before = looked(waves)
    with waves.expect_response("**/api/waves/bar"):
        field(waves, "modulus").locator('input[type="range"]').press("ArrowLeft")
    settled(waves)
    modulus = float(field(waves, "modulus").locator('input[type="number"]').input_value())
    assert modulus < 210
    speed = waves.evaluate("Number(document.querySelector('#waves .card b').dataset.value)")
    assert speed == pytest.approx((modulus * 1e9 / 7850) ** 0.5, rel=1e-12)
    type_in(waves, "density", 2000)
    assert looked(waves) != before
    assert "plastic" not in [key.inner_text() for key in waves.locator("#waves .key:visible").all()]
    with waves.expect_response("**/api/waves/bar"):
        field(waves, "yields").locator("input").check()
    settled(waves)
    waves.locator("#waves .key:visible", has_text="plastic").wait_for()
    for name in ("yieldStress", "viscosity"):
        assert field(waves, name).is_visible()


@pytest.mark.heavy
def test_the_residual_is_that_of_the_script_beside(waves):
    waves.locator("#waves .script summary").click()
    names = {}
    exec(waves.locator("#waves .script pre").inner_text(), names)
    assert isinstance(names["sol"], hx.Solution)
    assert names["sol"].residual == waves.evaluate(f"Number(document.querySelector('{SHOWN}').dataset.value)")
    waves.locator("#home-open").click()
    with waves.expect_download() as saved:
        waves.locator("#home").get_by_role("button", name="Python").click()
    assert saved.value.suggested_filename == "bar.py"
    assert saved.value.path().read_text(encoding="utf-8") == waves.locator("#home-code pre").inner_text()


def test_a_membrane_is_struck_and_seen_from_elsewhere(waves):
    with waves.expect_response("**/api/waves/membrane"):
        waves.locator('#waves [data-part="membrane"]').click()
    settled(waves)
    assert card(waves, "first frequency") == "131.8 Hz"
    assert not waves.locator("#waves .sketch.bar").is_visible()
    before = looked(waves, "membrane")
    field(waves, "turn").locator('input[type="range"]').press("ArrowRight")
    until(waves, lambda: looked(waves, "membrane") != before, "it does not turn")
    turn = field(waves, "turn").locator('input[type="number"]')
    waves.locator("#waves .sketch.membrane").hover()
    waves.mouse.down()
    waves.mouse.move(500, 300, steps=4)
    waves.mouse.up()
    assert float(turn.input_value()) != 26.0
    before = looked(waves, "membrane")
    type_in(waves, "x", 0.6, "membrane")
    assert looked(waves, "membrane") != before
    with waves.expect_response("**/api/waves/membrane"):
        field(waves, "shape").locator("select").select_option("disc")
    settled(waves)
    assert card(waves, "first frequency") == "111.9 Hz"
    assert not field(waves, "up").is_visible()
    waves.locator("#waves .history .main-svg").first.wait_for()


@pytest.mark.heavy
def test_the_derivation_stands_beside_and_its_letters_know_their_controls(waves):
    waves.locator("#waves .document .equation").first.wait_for()
    assert "Elastic 1d" in waves.locator("#waves .derivation h2.heading").inner_text()
    waves.locator('#waves .document g[data-symbol="rho"]').first.dispatch_event("click")
    assert waves.evaluate("document.activeElement.closest('.field').dataset.name") == "density"
    waves.locator('#waves [data-part="step"]').click()
    waves.locator("#waves .derivation h2.heading", has_text="Forced").wait_for()
    waves.locator("#waves h2[id$=the-time-step]").wait_for()
    # The same document in its own view: no name stands twice.
    link = waves.get_by_role("link", name="Open in the derivation view")
    until(waves, lambda: "/" in link.get_attribute("href"), "the link leads to no system")
    link.click()
    waves.locator("#derivation h2[id$=the-time-step]").wait_for()
    waves.locator("#derivation .derivation h2.heading", has_text="Forced").wait_for()
    names = waves.evaluate("[...document.querySelectorAll('h2[id]')].map((one) => one.id)")
    assert len(names) > 20
    assert len(set(names)) == len(names)
    waves.go_back()
    ready(waves, SHOWN)


@pytest.mark.heavy
def test_a_refusal_names_the_control_and_its_unit(waves, watched):
    field(waves, "modulus").locator('input[type="number"]').fill("-3")
    words = waves.locator("#waves-message")
    words.get_by_text("Modulus of elasticity E must be greater than 0, got -3 GPa").wait_for()
    assert field(waves, "modulus").locator(".message").inner_text() != ""
    assert waves.locator("#waves .stage").get_attribute("data-shown") == "stale"
    type_in(waves, "modulus", 210)
    field(waves, "scheme").locator("select").select_option("leapfrog")
    field(waves, "courant").locator('input[type="number"]').fill("1.5")
    words.get_by_text("Courant number must be 1 at most with leap-frog").wait_for()
    assert "must be" in field(waves, "courant").locator(".message").inner_text()
    type_in(waves, "courant", 1)
    assert words.inner_text() == ""
    watched.complaints.clear()  # the browser's own lines about the status 422
