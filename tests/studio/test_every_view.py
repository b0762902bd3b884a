"""Every view at five widths, light and dark, and after a resize: nothing complains, sticks out or jumps however late an
answer comes, plots fill their cards, and what moves over them stands right.

``HAMEX_SHOTS=folder pytest tests/studio/test_every_view.py`` saves a picture of each, to be looked at.
"""

import os
from pathlib import Path

import pytest
from browsing import until

VIEWS = {
    "scenes": "#scenes .tile",
    "oscillator": "#residual[data-value]",
    "building": "#building-residual[data-value]",
    "waves": "#waves-residual[data-value]",
    "derivation": "#derivation .plot .main-svg",
    "study": "#study .plot .main-svg",
    "paper": "#paper table td",
}
PARTS = {"study": '#study [data-part="ida"]', "paper": '#paper [data-part="audit"]'}  # second parts of views
# Every answer of the studio is kept back. `letGo` shows one after the other, each in a frame of its own, once all that
# were asked for are there, and returns when nothing more is asked.
LATE = """(() => {
    const real = window.fetch, held = [];
    let open = 0;
    window.fetch = async (...asked) => {
        if (!String(asked[0].url ?? asked[0]).includes("/api/")) return real(...asked);
        open += 1;
        const answer = await real(...asked).finally(() => { open -= 1; });
        await new Promise((go) => held.push(go));
        return answer;
    };
    window.letGo = async (newestFirst) => {
        for (let still = 0; still < 5;) {
            await new Promise(requestAnimationFrame);
            if (open || held.length || document.documentElement.dataset.busy === "yes") still = 0;
            else still += 1;
            if (!open && held.length) (newestFirst ? held.pop() : held.shift())();
        }
    };
})()"""
# Where cards and groups stand on the page; a document is as long as it is.
PLACED = """(view) => {
    const of = [...document.querySelectorAll(`#${view} :is(.panel, .group, .cards, .card)`)];
    return of.map((one) => {
        const {top, height} = one.getBoundingClientRect();
        return one.checkVisibility({visibilityProperty: true})
            ? [top + scrollY, one.matches(".derivation") ? 0 : height].map(Math.round) : null;
    }).map((place, i) => place && [`${i} ${of[i].className}`, ...place]).filter(Boolean);
}"""
SHIFTS = """(begin) => new Promise((tell) => {
    let sum = 0;
    const add = (one) => { if (one.startTime > begin) sum += one.value; };
    new PerformanceObserver((list) => list.getEntries().forEach(add))
        .observe({type: "layout-shift", buffered: true});
    setTimeout(() => tell(sum), 100);
})"""


# Plots whose drawing has not the size of their box, and those that leave half of their card empty.
MISFITS = """(view) => [...document.querySelectorAll(`#${view} .plot`)].filter((plot) => plot.checkVisibility()
    && plot.querySelector(".main-svg")).filter((plot) => {
        const box = plot.getBoundingClientRect(), drawn = plot.querySelector(".main-svg").getBoundingClientRect(),
              card = plot.closest(".panel").getBoundingClientRect();
        return Math.abs(box.width - drawn.width) > 1.5 || Math.abs(box.height - drawn.height) > 1.5
            || box.width < Math.min(card.width - 40, 0.85 * card.width);
    }).map((plot) => [plot.closest(".panel").textContent.slice(0, 40), plot.offsetWidth, plot.offsetHeight])"""
# Cards whose last row is not full, and panels that leave room below what they show.
LOOSE = """(view) => {
    const seen = (query) => [...document.querySelectorAll(`#${view} ${query}`)].filter((one) => one.checkVisibility()),
          box = (one) => one.getBoundingClientRect(), wrong = [];
    for (const cards of seen(".cards")) {
        const tops = [...cards.children].map((one) => box(one).top),
              [first, last] = [tops[0], tops.at(-1)].map((top) => tops.filter((one) => one === top).length);
        if (last < first) wrong.push(`${first} cards above ${last}`);
        if (box(cards.children[0]).width < 105) wrong.push("cards too narrow for their words");
    }
    for (const panel of seen(".stage > .panel")) {
        const low = Math.max(...[...panel.children].filter((one) => !one.matches(".cursor, .dot")
            && one.checkVisibility()).map((one) => box(one).bottom));
        const free = box(panel).bottom - low;
        if (free > 24) wrong.push(`${panel.textContent.slice(0, 30)}: ${free} free`);
    }
    return wrong;
}"""
# Boxes that show less than what stands in them.
CLIPPED = """(view) => [...document.querySelectorAll(`#${view} :is(input[type=number], select)`)].filter((one) =>
    one.checkVisibility()).filter((one) => {
        if (one.tagName === "INPUT") return one.scrollWidth > one.clientWidth + 1;
        const whole = one.cloneNode(false);
        whole.append(one.selectedOptions[0].cloneNode(true));
        Object.assign(whole.style, {position: "absolute", visibility: "hidden", maxWidth: "none", width: "auto"});
        one.parentElement.append(whole);
        const needed = whole.offsetWidth;
        whole.remove();
        return one.offsetWidth < needed - 1;
    }).map((one) => [one.closest(".field, .player, .panel")?.textContent.slice(0, 40), one.value, one.offsetWidth])"""
# Where the dot of a loop and the cursors stand, and where plotly itself draws their values, in pixels of the page.
PLACES = """(view) => {
    const there = (plot, axis, value) =>
        plot.getBoundingClientRect()[axis === "xaxis" ? "left" : "top"] + plot._fullLayout[axis]._offset
        + plot._fullLayout[axis].d2p(value);
    const loop = document.querySelector(`#${view} .loop`), plot = loop.querySelector(".plot"),
          [clock, length] = document.querySelector(`#${view} .clock`).textContent.match(/[\\d.]+/g).map(Number),
          dot = loop.querySelector(".dot").getBoundingClientRect(),
          {x, y} = plot.data[0], entry = Math.max(Math.round(clock / length * x.length) - 1, 0);
    const shown = [...document.querySelectorAll(`#${view} .cursor`)].filter((line) => !line.closest(".panel").hidden);
    const cursors = shown.map((line) => {
        const own = line.closest(".panel").querySelector(".plot");
        return line.getBoundingClientRect().left - there(own, "xaxis", clock);
    });
    return [dot.left + dot.width / 2 - there(plot, "xaxis", x[entry]),
            dot.top + dot.height / 2 - there(plot, "yaxis", y[entry]), ...cursors];
}"""


def shot(page, name):
    if os.environ.get("HAMEX_SHOTS"):
        page.screenshot(path=Path(os.environ["HAMEX_SHOTS"], f"{name}.png"), full_page=True)


def is_near(one, other):
    return other is not None and all(abs(a - b) <= 2 for a, b in zip(one, other, strict=True))


def fits(page, view):
    """Plots follow their boxes in a moment; on a busy machine it is a long one."""
    for wrong in (MISFITS, LOOSE, CLIPPED):
        until(page, lambda wrong=wrong: page.evaluate(wrong, view) == [], f"{view}: {wrong}")


ALWAYS = [
    pytest.param(1440, "light", tuple(VIEWS), id="1440-light"),
    pytest.param(390, "dark", ("scenes",), id="390-dark"),
]
OTHERS = [
    pytest.param(width, theme, tuple(VIEWS), id=f"{width}-{theme}-all", marks=pytest.mark.heavy)
    for width in (390, 1024, 1440, 1920, 2560)
    for theme in ("light", "dark")
    if (width, theme) != (1440, "light")
]


@pytest.mark.parametrize(("width", "theme", "views"), [*ALWAYS, *OTHERS])
def test_views_fit_and_keep_still(watched, studio, width, theme, views):
    """Every view as the first that is loaded, with answers that come late, in their order; at one width and theme, as
    one that is opened after another, with answers in the order that is not theirs."""
    page = watched.page(viewport={"width": width, "height": 1080 if width > 1440 else 900}, color_scheme=theme)
    page.add_init_script(LATE)
    one_after_another = (width, theme) == (1440, "light")
    for view in views:
        if not one_after_another:
            page.goto("about:blank")
        begin = (
            page.evaluate("performance.now()") if page.url.startswith(studio) else 0
        )  # a picture shifts the page too
        page.goto(f"{studio}/#{view}")
        page.locator(f"#{view}").wait_for()
        places = {one: place for one, *place in page.evaluate(PLACED, view)}
        page.evaluate("letGo", one_after_another)
        page.locator(VIEWS[view]).first.wait_for()
        now = {one: place for one, *place in page.evaluate(PLACED, view)}
        moved = {one: (place, now.get(one)) for one, place in places.items() if not is_near(place, now.get(one))}
        assert moved == {}, view
        assert page.evaluate("document.documentElement.scrollWidth") == width, view
        assert page.evaluate("document.documentElement.dataset.theme") == theme
        assert page.evaluate(SHIFTS, begin) < 0.02, view  # browsers call 0.1 good
        assert page.evaluate("document.querySelector('[role=tab]:last-child').getBoundingClientRect().right") <= width
        fits(page, view)
        if view == "scenes":
            assert page.evaluate("document.querySelector('.tiles').getBoundingClientRect().width") > 0.9 * width
        shot(page, f"{view}-{width}-{theme}")
        if view in PARTS:
            page.locator(PARTS[view]).click()
            page.evaluate("letGo", one_after_another)
            fits(page, view)
            assert page.evaluate("document.documentElement.scrollWidth") == width, view
            shot(page, f"{view}-second-{width}-{theme}")


@pytest.mark.parametrize(
    ("before", "after", "views"),
    [
        ((2560, 1080), (390, 844), ("oscillator",)),
        pytest.param((2560, 1080), (390, 844), tuple(VIEWS), marks=pytest.mark.heavy),
        pytest.param((1440, 900), (1920, 1080), tuple(VIEWS), marks=pytest.mark.heavy),
    ],
)
def test_plots_cursors_and_dots_follow_a_resize(watched, studio, before, after, views):
    """Also those of a view that was out of sight meanwhile."""
    page = watched.page(viewport=dict(zip(("width", "height"), before, strict=True)))
    for view, shown in ((view, VIEWS[view]) for view in views):
        page.goto(f"{studio}/#{view}")
        page.locator(shown).first.wait_for()
        page.locator('html[data-busy="no"]').wait_for(state="attached")
    page.goto(f"{studio}/#oscillator")
    page.locator('html[data-busy="no"]').wait_for(state="attached")
    page.set_viewport_size(dict(zip(("width", "height"), after, strict=True)))
    for view in views:
        page.goto(f"{studio}/#{view}")
        page.locator('html[data-busy="no"]').wait_for(state="attached")
        until(page, lambda view=view: page.evaluate(MISFITS, view) == [], f"plots of {view} do not fit")
        assert page.evaluate("document.documentElement.scrollWidth") == after[0], view
        shot(page, f"{view}-{before[0]}-to-{after[0]}")
        if view in ("oscillator", "building"):
            until(page, lambda view=view: max(map(abs, page.evaluate(PLACES, view))) <= 3.0, f"{view}: cursors are off")


def test_the_theme_can_be_chosen_and_is_kept(page, studio):
    page.goto(f"{studio}/#scenes")  # the view that is loaded soonest
    page.locator(VIEWS["scenes"]).first.wait_for()
    colour = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(colour)
    page.locator("#theme").click()
    dark = page.evaluate(colour)
    assert dark != light
    page.reload()
    page.locator(VIEWS["scenes"]).first.wait_for()
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
