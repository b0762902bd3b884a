"""The oscillator in a real browser: sliders, balance, comparison, records, links."""

import statistics

import pytest
from playwright.sync_api import expect

import hamex as hx

PROBLEM = {"mass": 100.0, "period": 0.5, "ratio": 0.05, "yield_force": 150.0, "viscosity": 200.0, "kinematic": 400.0}


def library(scale=1.0, against=None, **changes):
    """The default state of the view by hamex itself."""
    import math

    given = PROBLEM | changes
    law = hx.Slider(
        yield_force=given["yield_force"], viscosity=given["viscosity"], kinematic=given["kinematic"], isotropic=0.0
    )
    units = hx.Units("m", "kN")
    model = hx.oscillator(
        given["mass"], given["mass"] * (2 * math.pi / given["period"]) ** 2, hx.ratio(given["ratio"]), law, units
    )
    motion = hx.el_centro() if scale == 1 else hx.el_centro().scaled(scale)
    problem = hx.Problem(model, motion.on(model, g=units.gravity), duration=40.0)
    return hx.solve(problem, against or hx.Galerkin(step=0.01))


def opened(page, studio, view="oscillator"):
    page.goto(f"{studio}/#{view}")
    ready(page)


def ready(page, residual="#residual"):
    page.locator(f"{residual}[data-value]").wait_for()
    settled(page)


def settled(page):
    """Wait until every answer that was asked for is drawn: the page says so itself."""
    page.locator('html[data-busy="no"]').wait_for(state="attached")


def slider(page, name, view="oscillator"):
    return page.locator(f'#{view} [data-name="{name}"]')


def type_in(page, name, value, view="oscillator"):
    """Type a value and wait for the answer to it."""
    with page.expect_response("**/api/history"):
        slider(page, name, view).locator('input[type="number"]').fill(str(value))
    settled(page)


def shown(page, selector="#residual"):
    return page.evaluate(f"Number(document.querySelector('{selector}').dataset.value)")


def curve(page, panel, trace=0, view="oscillator"):
    """The y values of a curve in a panel."""
    return page.evaluate(
        """([view, panel, trace]) => {
        const figures = [...document.querySelectorAll(`#${view} figure`)];
        const found = figures.find((one) => one.querySelector("figcaption").textContent.startsWith(panel));
        return Array.from(found.querySelector(".plot").data[trace].y);
    }""",
        [view, panel, trace],
    )


def test_the_residual_and_the_peak_are_those_of_the_library(page, studio):
    opened(page, studio)
    sol = library()
    assert shown(page) == sol.residual
    assert (
        page.evaluate("Number(document.querySelectorAll('#oscillator .card b')[0].dataset.value)")
        == sol.peaks["displacement"].value
    )
    drawn = curve(page, "Displacement")
    assert len(drawn) == 4001
    assert drawn == pytest.approx(sol.values("displacement")[:, 0], abs=1e-7 * max(map(abs, drawn)))
    loop = curve(page, "Hysteresis")
    assert loop == pytest.approx(sol.values("force")[:, 0], abs=1e-7 * max(map(abs, loop)))  # step means


def test_moving_a_slider_changes_the_curves_and_the_residual(page, studio):
    opened(page, studio)
    before = curve(page, "Displacement")
    with page.expect_response("**/api/history"):
        slider(page, "model.yield_force").locator('input[type="range"]').press("ArrowLeft")
    settled(page)
    value = float(slider(page, "model.yield_force").locator('input[type="number"]').input_value())
    assert 100 < value < 150
    sol = library(yield_force=value)
    assert curve(page, "Displacement") != before
    assert shown(page) == sol.residual
    assert curve(page, "Displacement", 1)[-1] == pytest.approx(sol.values("slip")[-1, 0], rel=1e-6)


def test_a_second_scheme_stands_beside_with_iterations_and_bars(page, studio):
    opened(page, studio)
    with page.expect_response("**/api/history"):
        slider(page, "against").locator("select").select_option("newmark")
    table = page.locator("#oscillator table")
    table.wait_for()
    other = library(against=hx.Newmark(0.01))
    words = table.inner_text()
    assert f"{int(other.values('iterations').sum())} Newton iterations" in words
    assert "±" in words
    peak = other.peaks["displacement"].value
    assert f"{peak:.5g}"[:6] in words
    # Two curves, the slip, two bars.
    assert (
        len(
            page.evaluate("""[...document.querySelectorAll('#oscillator .plot')].find(
        (one) => one.parentElement.textContent.startsWith('Displacement')).data""")
        )
        == 5
    )


def test_bad_values_get_their_message_beside_the_field_and_leave_the_picture(page, studio, watched):
    opened(page, studio)
    before = curve(page, "Displacement")
    type_in(page, "model.mass", -3)
    field = slider(page, "model.mass")
    assert field.locator(".message").inner_text() == "model.mass must be positive, got -3"
    assert field.locator('input[type="number"]').get_attribute("aria-invalid") == "true"
    assert curve(page, "Displacement") == before
    watched.complaints.clear()  # the browser's own line about the status 422
    type_in(page, "model.mass", 100)
    assert field.locator(".message").inner_text() == ""
    field.locator('input[type="number"]').fill("")
    assert field.locator(".message").inner_text() == "a number is needed"


def drop(page, name, content):
    """Drop a file on the place for records."""
    page.evaluate(
        """([name, content]) => {
        const data = new DataTransfer();
        data.items.add(new File([content], name));
        document.querySelector("#oscillator .drop").dispatchEvent(
            new DragEvent("drop", {dataTransfer: data, bubbles: true}));
    }""",
        [name, content],
    )


def test_a_record_is_dropped_and_shakes_the_mass(page, studio, watched, tmp_path):
    opened(page, studio)
    slider(page, "motion.kind").locator("select").select_option("own")
    samples = [round(0.3 * (-1) ** i * i / 400, 6) for i in range(400)]
    content = "\n".join(map(str, samples))
    drop(page, "mine.txt", content)
    message = page.locator("#oscillator .drop > .message")
    message.get_by_text("unit").wait_for()
    assert "the file does not tell the unit" in message.inner_text() or "step" in message.inner_text()
    watched.complaints.clear()
    page.locator('#oscillator [data-name="record.unit"] select').select_option("g")
    with page.expect_response(lambda answer: "/api/record" in answer.url and answer.status == 200):
        page.locator('#oscillator .drop input[type="number"]').fill("0.02")
    page.locator("#oscillator .drop").get_by_text("400 samples").wait_for()
    settled(page)
    watched.complaints.clear()
    path = tmp_path / "mine.txt"
    path.write_text(content)
    motion = hx.read_record(path, unit="g", step=0.02)
    units = hx.Units("m", "kN")
    model = hx.oscillator(
        100.0,
        100.0 * (2 * 3.141592653589793 / 0.5) ** 2,
        hx.ratio(0.05),
        hx.Slider(yield_force=150.0, viscosity=200.0, kinematic=400.0, isotropic=0.0),
        units,
    )
    sol = hx.solve(hx.Problem(model, motion.on(model, g=units.gravity), duration=13.0), hx.Galerkin(step=0.01))
    assert slider(page, "duration").locator('input[type="number"]').input_value() == "13"  # 8 s, and 5 s after it
    assert shown(page) == sol.residual


def test_a_bad_file_gives_its_message(page, studio, watched):
    opened(page, studio)
    slider(page, "motion.kind").locator("select").select_option("own")
    drop(
        page,
        "broken.AT2",
        "PEER\nsomewhere\nACCELERATION TIME HISTORY IN UNITS OF G\nNPTS= 5, DT= .01 SEC\n 0.1 0.2 oops",
    )
    message = page.locator("#oscillator .drop > .message")
    message.get_by_text("broken").wait_for()
    assert "broken.AT2" in message.inner_text()
    assert "line 5" in message.inner_text()
    watched.complaints.clear()


def test_a_link_restores_the_state_elsewhere_and_a_reload_keeps_it(page, watched, studio):
    first = page
    opened(first, studio)
    type_in(first, "model.yield_force", 97.5)
    type_in(first, "motion.scale", 1.75)
    slider(first, "against").locator("select").select_option("newmark")
    first.locator("#oscillator table").wait_for()
    residual = shown(first)
    first.locator("#home-open").click()
    link = first.locator("#permalink").input_value()
    assert link.startswith(f"{studio}/#oscillator/")
    second = watched.page()  # a browser that has never been here
    second.goto(link)
    ready(second)
    assert slider(second, "model.yield_force").locator('input[type="number"]').input_value() == "97.5"
    assert slider(second, "motion.scale").locator('input[type="number"]').input_value() == "1.75"
    assert slider(second, "against").locator("select").input_value() == "newmark"
    assert shown(second) == residual == library(scale=1.75, yield_force=97.5).residual
    first.goto("about:blank")
    first.goto(studio)
    ready(first)
    assert slider(first, "model.yield_force").locator('input[type="number"]').input_value() == "97.5"


def test_play_pause_and_scrub_move_the_mass(page, studio):
    opened(page, studio)
    mass = page.locator("#oscillator rect.mass")
    place = mass.get_attribute("x")
    page.locator("#oscillator .player input").fill("60")
    assert mass.get_attribute("x") != place
    clock = page.locator("#oscillator .clock")
    scrubbed = clock.inner_text()
    page.get_by_role("button", name="Play").click()
    expect(clock).not_to_have_text(scrubbed)
    page.get_by_role("button", name="Pause").click()
    stopped = clock.inner_text()
    assert float(stopped.split()[0]) > float(scrubbed.split()[0]) == 2.4
    page.evaluate("new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))")
    assert clock.inner_text() == stopped


def test_the_keyboard_is_enough(page, studio):
    opened(page, studio)
    page.locator("#tab-oscillator").focus()
    page.keyboard.press("ArrowRight")
    ready(page, "#building-residual")
    assert page.locator("#tab-building").get_attribute("aria-selected") == "true"
    unnamed = page.evaluate("""[...document.querySelectorAll(
        '#building input, #building select, #building button')].filter((one) =>
        !one.labels?.length && !one.getAttribute('aria-label') && !one.textContent.trim()).length""")
    assert unnamed == 0


def redraws(page, name, view, count=9):
    return page.evaluate(
        """async ([name, view, count]) => {
        const range = document.querySelector(`#${view} [data-name="${name}"] input[type=range]`);
        performance.clearMeasures();
        for (let i = 0; i < count; i++) {
            const done = performance.getEntriesByName("redraw").length;
            range.value = Number(range.value) + (i % 2 ? 13 : -7) * (range.max - range.min) / 1000;
            range.dispatchEvent(new Event("input", {bubbles: true}));
            while (performance.getEntriesByName("redraw").length === done) await new Promise((go) => setTimeout(go, 1));
            await new Promise((go) => setTimeout(go, 40));
        }
        return performance.getEntriesByName("redraw").map((one) => one.duration);
    }""",
        [name, view, count],
    )


@pytest.mark.heavy
def test_the_time_from_slider_to_redraw_is_reported(watched, studio, record_property):
    page = watched.page()
    opened(page, studio)
    oscillator = redraws(page, "model.yield_force", "oscillator")
    page.goto(f"{studio}/#building")
    ready(page, "#building-residual")
    type_in(page, "storeys", 20, "building")
    building = redraws(page, "strength", "building")
    record_property(
        "measured: slider to redraw, median of 9",
        f"oscillator {statistics.median(oscillator):.0f} ms, "
        f"building of 20 storeys {statistics.median(building):.0f} ms",
    )
    assert len(oscillator) == len(building) == 9  # every move was drawn
