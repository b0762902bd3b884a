"""The lecture: one key, and the picture, its loop and one history fill the screen."""

import pytest
from browsing import until
from playwright.sync_api import expect
from repetitions import chiefly

VIEWS = {
    "oscillator": ("#residual[data-value]", ["The system", "Hysteresis", "Displacement, slip"]),
    "building": ("#building-residual[data-value]", ["The building", "Roof and ground", "Hysteresis of storey 8"]),
}
SEEN = """(view) => [...document.querySelectorAll(`#${view} .panel`)].filter((one) => one.offsetParent)
    .map((one) => one.querySelector("figcaption span")?.textContent ?? "numbers")"""
SIZE = "getComputedStyle(document.querySelector('#stage')).fontSize"


@pytest.fixture(scope="module", params=chiefly(["building"], VIEWS))
def projected(request, all_watched, studio):
    """A view on a projector, before the lecture."""
    with all_watched.held(viewport={"width": 1920, "height": 1080}) as page:
        page.goto(f"{studio}/#{request.param}")
        page.locator(VIEWS[request.param][0]).wait_for()
        page.locator('html[data-busy="no"]').wait_for(state="attached")
        page.view = request.param
        yield page


@pytest.fixture
def lecture(watched, projected):
    """Every test ends the lecture that it begins."""
    return projected


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
    until(lecture, lambda: min(lecture.evaluate(fonts)) >= 16, "the letters of the plots stay small")
    assert lecture.evaluate("document.documentElement.scrollHeight") <= 1080, "it fills the screen and no more"
    lecture.keyboard.press("c")
    assert lecture.locator(f"#{lecture.view} .controls").is_visible()
    lecture.keyboard.press("Escape")
    assert lecture.evaluate(SEEN, lecture.view) == before
    assert lecture.locator("header.top").is_visible()


# What the lecture shows with the question above it: every panel inside the screen, plots and picture large enough to be
# read, none below the buttons of the mode, letters of the size of the text.
FITS = """(view) => {
    const wrong = [], {innerWidth, innerHeight} = window, root = document.documentElement;
    if (root.scrollHeight > innerHeight || root.scrollWidth > innerWidth)
        wrong.push(`scrolls: ${root.scrollWidth} × ${root.scrollHeight}`);
    const bar = document.querySelector(".lecture-bar").getBoundingClientRect();
    for (const one of document.querySelectorAll(`#scene, #${view} .panel`)) {
        const {left, right, top, bottom} = one.getBoundingClientRect();
        if (!one.checkVisibility()) continue;
        if (left < 0 || top < 0 || right > innerWidth || bottom > innerHeight)
            wrong.push(`${one.className} sticks out`);
        if (right > bar.left && bottom > bar.top) wrong.push(`${one.className} is below the buttons`);
    }
    for (const one of document.querySelectorAll(`#${view} .stage :is(.plot, svg.sketch)`)) {
        if (!one.checkVisibility()) continue;
        const {height} = one.getBoundingClientRect();
        if (height < 0.16 * innerHeight) wrong.push(`${one.classList} is ${height} high`);
        const size = one.layout?.font.size, text = parseFloat(getComputedStyle(root).fontSize);
        if (size && Math.abs(size / text - 1) > 0.1) wrong.push(`letters of ${size} beside ${text}`);
    }
    return wrong;
}"""


@pytest.mark.heavy
@pytest.mark.parametrize("scene", chiefly(["yielding"], ["yielding", "isolation"]))
def test_a_question_and_its_picture_fit_every_screen(watched, studio, scene):
    page = watched.page(viewport={"width": 1440, "height": 900})
    page.add_init_script("delete Element.prototype.requestFullscreen")  # a full screen has the size that it has
    page.goto(f"{studio}/#scenes")
    page.locator(f".tile[data-scene={scene}][href*='/']").click()
    view = "building" if scene == "isolation" else "oscillator"
    page.locator(VIEWS[view][0]).wait_for()
    page.locator('html[data-busy="no"]').wait_for(state="attached")
    page.locator("body").press("l")
    for width, height in ((1440, 900), (1024, 768), (1920, 1080), (2560, 1440)):
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))")
        until(page, lambda: page.evaluate(FITS, view) == [], f"{width} × {height}: it does not fit")  # plots follow


@pytest.mark.heavy
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
    expect(lecture.locator(f"#{lecture.view} .clock")).not_to_have_text(clock)
    lecture.locator("body").press(" ")
    lecture.get_by_role("button", name="Play").wait_for()
    lecture.get_by_role("button", name="Leave").click()
    assert lecture.evaluate("document.documentElement.dataset.lecture") == "no"
