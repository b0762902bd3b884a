"""Undo: Ctrl-Z and the browser's Back and Forward step through states."""

import pytest
from playwright.sync_api import expect
from test_oscillator_view import opened, settled, shown, slider, type_in

RESTED = 1300  # milliseconds after which a change is a step of its own


def typed(page, name, view="oscillator"):
    return slider(page, name, view).locator('input[type="number"]')


def rested(page):
    """Until the last change stands in the address, and the next one is another step, by the clock of the page: one that
    is late with its own timers is late with this one."""
    page.evaluate("(rested) => new Promise((over) => setTimeout(over, rested))", RESTED)


@pytest.fixture(scope="module")
def changed(all_watched):
    """A page of its own, whose history begins here: two numbers changed, one after the other."""
    with all_watched.held() as page:
        opened(page, all_watched.base)
        rested(page)
        type_in(page, "model.mass", 120)
        rested(page)
        type_in(page, "model.yield_force", 90)
        rested(page)
        yield page


@pytest.fixture
def steps(watched, changed):
    """The page after these changes: every test comes back to them."""
    expect(typed(changed, "model.mass")).to_have_value("120")
    expect(typed(changed, "model.yield_force")).to_have_value("90")
    rested(changed)
    return changed


@pytest.mark.heavy
def test_back_and_forward_step_through_states(steps):
    residual = shown(steps)
    steps.go_back()
    expect(typed(steps, "model.yield_force")).to_have_value("150")
    expect(typed(steps, "model.mass")).to_have_value("120")
    settled(steps)
    assert shown(steps) != residual
    steps.go_back()
    expect(typed(steps, "model.mass")).to_have_value("100")
    steps.go_forward()
    expect(typed(steps, "model.mass")).to_have_value("120")
    steps.go_forward()
    expect(typed(steps, "model.yield_force")).to_have_value("90")
    settled(steps)
    assert shown(steps) == residual


def test_ctrl_z_undoes_and_ctrl_y_does_again(steps):
    """The number that was typed last has the focus: it changes all the same."""
    steps.keyboard.press("Control+z")
    expect(typed(steps, "model.yield_force")).to_have_value("150")
    steps.keyboard.press("Control+z")
    expect(typed(steps, "model.mass")).to_have_value("100")
    steps.keyboard.press("Control+z")  # there is nothing before it: the page stays
    rested(steps)
    expect(typed(steps, "model.mass")).to_have_value("100")
    assert "#oscillator/" in steps.url
    steps.keyboard.press("Control+y")
    expect(typed(steps, "model.mass")).to_have_value("120")
    steps.keyboard.press("Control+Shift+Z")
    expect(typed(steps, "model.yield_force")).to_have_value("90")


@pytest.mark.heavy
def test_a_slider_that_is_dragged_is_one_step(steps):
    """Before the tests that leave something to be done again: a step takes its place in the history."""
    length = steps.evaluate("history.length")
    reach = slider(steps, "motion.scale").locator('input[type="range"]')
    reach.scroll_into_view_if_needed()
    reached = []
    for share in (0.7, 0.8):  # two drags are two steps, however soon the second follows
        box = reach.bounding_box()
        steps.mouse.move(box["x"] + 0.55 * box["width"], box["y"] + box["height"] / 2)
        steps.mouse.down()
        steps.mouse.move(box["x"] + share * box["width"], box["y"] + box["height"] / 2, steps=4)
        steps.mouse.up()
        reached.append(typed(steps, "motion.scale").input_value())
    settled(steps)
    rested(steps)
    assert steps.evaluate("history.length") == length + 2
    assert 1 < float(reached[0]) < float(reached[1])
    steps.keyboard.press("Control+z")
    expect(typed(steps, "motion.scale")).to_have_value(reached[0])
    steps.keyboard.press("Control+z")
    expect(typed(steps, "motion.scale")).to_have_value("1")


def test_a_change_that_is_undone_at_once_is_undone_alone(steps):
    typed(steps, "model.mass").fill("140")
    steps.keyboard.press("Control+z")
    expect(typed(steps, "model.mass")).to_have_value("120")
    expect(typed(steps, "model.yield_force")).to_have_value("90")


@pytest.mark.heavy
def test_a_view_is_left_and_found_again(steps):
    steps.locator("#tab-building").click()
    steps.locator("#building-residual[data-value]").wait_for()
    rested(steps)
    steps.go_back()
    expect(steps.locator("#oscillator")).to_be_visible()
    expect(typed(steps, "model.yield_force")).to_have_value("90")
    steps.go_back()
    expect(typed(steps, "model.yield_force")).to_have_value("150")
    steps.go_forward()
    expect(typed(steps, "model.yield_force")).to_have_value("90")


@pytest.mark.heavy
def test_a_text_keeps_its_own_undo(page, studio):
    page.goto(f"{studio}/#paper")
    page.locator('#paper [data-part="audit"]').click()
    rested(page)
    words = page.locator("#audit-words")
    words.press_sequentially("energy")
    rested(page)
    words.press("Control+z")
    expect(words).not_to_have_value("energy")  # the browser takes letters back
    expect(page.locator("#paper .audit")).to_be_visible()


@pytest.mark.heavy
def test_undo_takes_a_unit_back_with_its_numbers(steps):
    with steps.expect_response("**/api/history"):
        slider(steps, "Unit of force").locator("select").select_option("kip")
    rested(steps)
    settled(steps)
    steps.keyboard.press("Control+z")
    expect(slider(steps, "Unit of force").locator("select")).to_have_value("kN")
    expect(typed(steps, "model.yield_force")).to_have_value("90")
