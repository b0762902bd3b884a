"""The lecture: one key, and the picture, its loop and one history fill the screen."""

import pytest
from browsing import PATIENCE
from repetitions import chiefly

VIEWS = {
    "oscillator": ("#residual[data-value]", ["The system", "Hysteresis", "Displacement, slip"]),
    "building": ("#building-residual[data-value]", ["The building", "Roof and ground", "Hysteresis of storey 8"]),
}
SEEN = """(view) => [...document.querySelectorAll(`#${view} .panel`)].filter((one) => one.offsetParent)
    .map((one) => one.querySelector("figcaption span")?.textContent ?? "numbers")"""
SIZE = "getComputedStyle(document.querySelector('#stage')).fontSize"


@pytest.fixture(params=chiefly(["building"], VIEWS))
def lecture(request, watched, studio):
    """A view on a projector, before the lecture."""
    page = watched.page(viewport={"width": 1920, "height": 1080})
    page.goto(f"{studio}/#{request.param}")
    page.locator(VIEWS[request.param][0]).wait_for()
    page.locator('html[data-busy="no"]').wait_for(state="attached")
    page.view = request.param
    return page


def test_one_key_leaves_the_picture_its_loop_and_one_history(lecture):
    before, size = lecture.evaluate(SEEN, lecture.view), lecture.evaluate(SIZE)
    assert len(before) > 4
    lecture.keyboard.press("l")
    lecture.locator("html[data-lecture=yes]").wait_for(state="attached")
    assert sorted(lecture.evaluate(SEEN, lecture.view)) == sorted(VIEWS[lecture.view][1])
    assert not lecture.locator("header.top").is_visible()
    assert not lecture.locator(f"#{lecture.view} .controls").is_visible()
    assert float(lecture.evaluate(SIZE)[:-2]) >= 1.35 * float(size[:-2])
    fonts = """[...document.querySelectorAll('.js-plotly-plot')].filter((one) => one.offsetParent)
        .map((one) => one.layout.font.size)"""
    for _ in range(PATIENCE // 50):  # they are drawn anew
        if min(lecture.evaluate(fonts)) >= 16:
            break
        lecture.wait_for_timeout(50)
    else:
        pytest.fail("the letters of the plots stay small")
    assert lecture.evaluate("document.documentElement.scrollHeight") <= 1080, "it fills the screen and no more"
    lecture.keyboard.press("c")
    assert lecture.locator(f"#{lecture.view} .controls").is_visible()
    lecture.keyboard.press("Escape")
    assert lecture.evaluate(SEEN, lecture.view) == before
    assert lecture.locator("header.top").is_visible()


def test_the_button_does_the_same_and_letters_typed_into_a_box_do_not(lecture):
    box = lecture.locator(f"#{lecture.view} input[type=number]").first
    box.focus()
    lecture.keyboard.press("l")
    assert lecture.evaluate("document.documentElement.dataset.lecture") != "yes"
    lecture.get_by_role("button", name="Lecture").click()
    assert lecture.evaluate("document.documentElement.dataset.lecture") == "yes"
    clock = lecture.locator(f"#{lecture.view} .clock").inner_text()
    lecture.locator("body").press(" ")
    lecture.get_by_role("button", name="Pause").wait_for()
    lecture.wait_for_timeout(300)
    assert lecture.locator(f"#{lecture.view} .clock").inner_text() != clock
    lecture.get_by_role("button", name="Leave").click()
    assert lecture.evaluate("document.documentElement.dataset.lecture") == "no"
