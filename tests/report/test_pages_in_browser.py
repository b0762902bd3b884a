"""Every page in a real browser: it fits a phone, light and dark, says nothing to the console and asks nobody."""

import pytest
from every_page import KINDS
from repetitions import chiefly

THEMES = ("light", "dark")
COLOURED = ("run", "spectrum", "paper", "region", "bench")


@pytest.fixture(scope="module")
def loaded(browser, pages):
    """Loads each page once, and tells what the pages have asked for and complained of since they were asked last."""
    complaints, found = [], {}

    def load(name):
        if name in found:
            return found[name]
        context = browser.new_context(viewport={"width": 390, "height": 844}, color_scheme="dark")
        own = pages[name].as_uri()

        def decide(route):
            if route.request.url == own or route.request.url.startswith("data:"):
                route.continue_()
            else:
                complaints.append(f"asked for {route.request.url}")
                route.abort()

        context.route("**/*", decide)
        page = found[name] = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda problem: complaints.append(str(problem)))
        page.goto(own)
        return page

    yield load, complaints
    for page in found.values():
        page.context.close()


@pytest.fixture
def opened(loaded):
    """Show a page; at the end it must have asked for itself alone and complained of nothing."""
    load, complaints = loaded

    def show(name, theme="light", width=390):
        page = load(name)
        page.set_viewport_size({"width": width, "height": 844})
        page.emulate_media(media="screen", color_scheme=theme)
        page.evaluate("delete document.documentElement.dataset.theme")
        return page

    yield show
    said = complaints[:]
    complaints.clear()
    assert said == []


@pytest.mark.parametrize("theme", ["dark", pytest.param("light", marks=pytest.mark.heavy)])
@pytest.mark.parametrize("name", chiefly(["run", "region", "bench", "lumped"], KINDS))
def test_a_page_fits_a_phone(opened, name, theme):
    page = opened(name, theme)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    # What is wider than the phone stands in a box that scrolls by itself.
    assert (
        page.evaluate("""() => [...document.querySelectorAll('main *, header, footer')].filter((node) => {
        const box = node.getBoundingClientRect();
        if (!box.width || box.right <= 391) return false;
        for (let up = node.parentElement; up; up = up.parentElement)
            if (['auto', 'scroll'].includes(getComputedStyle(up).overflowX)) return false;
        return !node.closest('svg');
    }).map((node) => node.outerHTML.slice(0, 80))""")
        == []
    )


def red_green_blue(page, script):
    """A colour as three numbers."""
    return [int(part) for part in page.evaluate(script).removeprefix("rgb(").rstrip(")").split(",")]


@pytest.mark.parametrize("name", COLOURED)
@pytest.mark.chief("run", "region")
def test_figures_follow_the_theme(opened, name):
    """Letters of a figure are dark on light paper and light on dark paper, and no figure has a paper of its own."""
    for theme in THEMES:
        page = opened(name, theme, 1440)
        paper = sum(red_green_blue(page, "getComputedStyle(document.body).backgroundColor"))
        letter = sum(
            red_green_blue(
                page,
                """getComputedStyle([...document.querySelectorAll('.chart g[style]')]
            .find((node) => node.getAttribute('style').includes('--ink') && node.querySelector('use'))).fill""",
            )
        )
        assert (paper > 600, letter < 200) == ((True, True) if theme == "light" else (False, False))
        assert page.evaluate("""[...document.querySelectorAll('.chart')].every(
            (chart) => getComputedStyle(chart).backgroundColor == 'rgba(0, 0, 0, 0)')""")


def test_print_is_on_white_whatever_the_theme(opened):
    page = opened("run", "dark")
    assert sum(red_green_blue(page, "getComputedStyle(document.body).backgroundColor")) < 150
    page.emulate_media(media="print", color_scheme="dark")
    assert red_green_blue(page, "getComputedStyle(document.body).backgroundColor") == [255, 255, 255]
    assert page.evaluate("getComputedStyle(document.querySelector('.scroll')).overflowX") == "visible"


def test_a_switch_of_the_page_wins_over_the_system(opened):
    page = opened("run", "dark")
    page.evaluate("document.documentElement.dataset.theme = 'light'")
    assert red_green_blue(page, "getComputedStyle(document.body).backgroundColor") == [255, 255, 255]
    page = opened("run", "light")
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    assert sum(red_green_blue(page, "getComputedStyle(document.body).backgroundColor")) < 150
