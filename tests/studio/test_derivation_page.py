"""The derivation view in a browser: it derives, points at letters, runs, and says beside a box what is wrong in it."""

import json

import numpy as np
import pytest
from browsing import until
from test_stale_results import Gate

import hamex as hx
from hamex.principle.language import read_action
from hamex.principle.library import action

NUMBERS = {
    "m": 1.0,
    "a": 0.025,
    "c": 0.3,
    "F_y": 1.0,
    "eta": 0.5,
    "f": lambda time: 1.5 * np.sin(2 * np.pi * time / 1.0),
}


FIELDS = "document.querySelector('#derivation .plot').data.map((one) => one.name)"


@pytest.fixture
def opened(page, studio):
    """The view with its first motion."""
    page.goto(f"{studio}/#derivation")
    moved(page)
    return page


def moved(page):
    page.locator("#derivation .card b[data-value]").wait_for()


def derived(page, title):
    page.locator("#derivation .document:not(.busy) section").first.wait_for()
    page.locator("#derivation h2.heading", has_text=title).wait_for()


def residual(page):
    return float(page.locator("#derivation .card b[data-value]").get_attribute("data-value"))


def curve(page, plot=0, trace=0, axis="y"):
    read = "([p, t, a]) => Array.from(document.querySelectorAll('#derivation .plot')[p].data[t][a])"
    return np.array(page.evaluate(read, [plot, trace, axis]))


def test_the_first_view_is_the_viscoplastic_oscillator_and_shows_the_numbers_of_simulate(opened):
    sol = hx.simulate(action("viscoplastic"), NUMBERS, {"P_J": 0.0}, 10.0, 0.02)
    assert residual(opened) == pytest.approx(sol.residual, rel=0.5)  # round-off of two sines
    assert sol.residual < 1e-13
    for i in range(2):
        np.testing.assert_allclose(curve(opened, trace=i), sol.values("displacement")[:, i], rtol=1e-5, atol=1e-6)
    derived(opened, "Viscoplastic: from the action to the time step")
    assert opened.locator("#derivation .document section").count() > 8
    assert opened.locator("#derivation .document .matrix").count() > 3
    opened.locator("#derivation .contents button", has_text="The time step").click()
    heading = opened.locator("#derivation .document h2", has_text="The time step")
    assert opened.evaluate("document.activeElement.textContent") == heading.text_content()


def test_a_slider_changes_the_motion_and_derives_nothing_anew(opened):
    derived(opened, "Viscoplastic")
    asked = []

    def told(request):
        asked.append(request.url.rpartition("/api/")[2])

    opened.on("request", told)
    before = curve(opened)
    opened.locator("#derivation .field[data-name=F_y] input[type=range]").focus()
    opened.keyboard.press("PageUp")
    until(opened, lambda: not np.array_equal(before, curve(opened)), "the curve did not change")
    opened.locator("#derivation .field[data-name=F_y] input[type=number]").fill("10")
    sol = hx.simulate(action("viscoplastic"), {**NUMBERS, "F_y": 10.0}, {"P_J": 0.0}, 10.0, 0.02)
    mine = sol.values("displacement")[:, 0]
    until(opened, lambda: np.allclose(curve(opened), mine, rtol=1e-5, atol=1e-6), "the curve is not that of simulate")
    opened.remove_listener("request", told)
    assert set(asked) == {"derive/run"}


def test_a_letter_shows_its_meaning_and_its_slider_and_the_other_way_round(opened):
    derived(opened, "Viscoplastic")
    letter = opened.locator("#derivation .document .equation g[data-symbol=eta]").first
    letter.hover()
    meaning = opened.locator("#derivation .meaning")
    assert "viscosity beside the slider" in meaning.inner_text()
    assert "force s/length" in meaning.inner_text()
    slider = opened.locator("#derivation .field[data-symbol=eta]")
    assert slider.get_attribute("data-lit") == "yes"
    letter.click()
    assert opened.evaluate("document.activeElement.closest('[data-symbol]').dataset.symbol") == "eta"
    opened.locator("#derivation .field[data-symbol=m]").hover()
    assert opened.locator("#derivation .document g.lit[data-symbol=m]").count() > 10
    assert opened.locator("#derivation .document g.lit[data-symbol=eta]").count() == 0
    opened.locator("#derivation .symbols [data-symbol=F_y]").focus()  # by keyboard alone
    assert "yield force" in meaning.inner_text()
    opened.keyboard.press("Enter")
    assert opened.evaluate("document.activeElement.closest('.field').dataset.name") == "F_y"


def test_a_bad_lagrangian_is_refused_beside_its_box_and_a_good_one_is_read(opened, watched):
    system = opened.locator("#derivation .field[data-name=system] select")
    system.select_option("harmonic")  # is derived anew in less time than the first one
    box = opened.locator("#derivation-lagrangian")
    box.fill("m*u'^2/2 - k*sine(u)^2/2")
    message = opened.locator("#derivation-lagrangian-message")
    message.filter(has_text="did you mean sin?").wait_for()
    assert box.get_attribute("aria-invalid") == "true"
    text, caret = opened.locator("#derivation .box[data-name=lagrangian] .caret").inner_text().split("\n")
    assert text[caret.index("^") :].startswith("sine")
    assert system.input_value() == ""
    watched.complaints[:] = [line for line in watched.complaints if "422" not in line]
    box.fill("m*u'^2/2 - k*u^2/2 - b*u^4/4")
    opened.locator("#derivation .field[data-symbol=b]").wait_for()
    assert message.inner_text() == ""
    derived(opened, "Your action")


@pytest.mark.heavy
def test_a_run_asks_with_the_numbers_of_its_own_system(opened, watched):
    """The time element was changed while a typed system was being read, or after it could not be: it was run with the
    parameters of the system before it, and refused."""
    runs = []

    def told(request):
        if request.url.endswith("/derive/run"):
            runs.append(request.post_data_json)

    gate = Gate(opened, "**/api/derive/read")
    opened.on("request", told)
    element = opened.locator("#derivation .field[data-name=degree] select")
    opened.evaluate("""async () => (await import("/page/views.js")).currentView().set(
        {system: "", fields: "u", lagrangian: "m*u'^2/2 - k*u^2/2", dissipation: "", meanings: ""}) && null""")
    until(opened, lambda: gate.held, "the system is not read")
    element.select_option("2")
    opened.evaluate("new Promise(requestAnimationFrame)")
    assert runs == []
    gate.let_through()
    opened.locator("#derivation .field[data-symbol=k]").wait_for()
    until(opened, lambda: curve(opened).size and len(opened.evaluate(FIELDS)) == 1, "the system does not move")
    assert {tuple(sorted(run["parameters"])) for run in runs} == {("k", "m")}
    assert runs[-1]["degree"] == 2
    runs.clear()
    opened.locator("#derivation-lagrangian").fill("m*u'^2/2 - k*sine(u)")
    message = opened.locator("#derivation-lagrangian-message")
    message.filter(has_text="did you mean sin?").wait_for()
    element.select_option("1")
    opened.evaluate("new Promise(requestAnimationFrame)")
    assert runs == []
    assert "did you mean sin?" in message.inner_text()
    opened.remove_listener("request", told)
    watched.complaints[:] = [line for line in watched.complaints if "422" not in line or "/derive/run" in line]


@pytest.mark.heavy
def test_a_typed_pendulum_with_friction_runs_as_the_action_it_means(opened):
    opened.get_by_role("button", name="Example: pendulum with friction").click()
    system = read_action(["theta"], "m*l^2*theta'^2/2 + m*g*l*cos(theta)", "c*theta'^2/2")
    sol = hx.simulate(system, {"m": 1.0, "l": 1.0, "g": 9.81, "c": 0.3}, {"theta": 2.0}, 10.0, 0.02)
    mine = sol.values("displacement")[:, 0]
    until(opened, lambda: np.allclose(curve(opened)[:5], mine[:5], rtol=1e-5), "the pendulum does not swing")
    np.testing.assert_allclose(curve(opened), mine, rtol=1e-5, atol=1e-6)
    assert residual(opened) == pytest.approx(sol.residual, rel=1e-9)
    derived(opened, "Your action")
    assert opened.locator("#derivation .document g[data-symbol=theta]").count() > 10


def test_equations_stand_first_with_their_contents_and_the_moving_system_beside_them(opened):
    derived(opened, "Viscoplastic")
    places = {
        name: opened.locator(f"#derivation {name}").first.bounding_box()
        for name in (".document", ".panel.moving", ".index", ".running")
    }
    window = opened.viewport_size
    assert places[".document"]["y"] < window["height"] / 3
    for name in (".panel.moving", ".index"):
        assert places[name]["x"] > places[".document"]["x"] + places[".document"]["width"], name
        assert places[name]["y"] + places[name]["height"] < window["height"], name
    assert places[".running"]["y"] > places[".index"]["y"]
    # It moves with the clock, the motion of the field that was computed.
    mass = opened.locator("#derivation .panel.moving rect.mass")
    opened.locator("#derivation .player input").fill("0")
    before = float(mass.get_attribute("x"))
    peak = int(np.argmax(curve(opened)))
    opened.locator("#derivation .player input").fill(str(2 * peak))  # thousandths of 10 s in steps of 0.02 s
    assert float(mass.get_attribute("x")) > before + 10


def test_every_axis_has_its_unit(opened):
    read = """[...document.querySelectorAll('#derivation .plot')].flatMap(({layout}) =>
        Object.keys(layout).filter((key) => /^[xy]axis/.test(key)).map((key) => layout[key].title.text))"""
    assert sorted(opened.evaluate(read)) == [
        "H [force length]",
        "J [force s]",
        "J\u2032 [force]",
        "imbalance [force length]",
        "time [s]",
        "time [s]",
        "u [length]",
        "u [length]",
    ]


@pytest.mark.heavy
def test_a_derivation_that_takes_long_shows_that_it_is_under_way(opened):
    def later(route):
        opened.wait_for_timeout(1200)
        route.continue_()

    opened.route("**/api/derive", later)
    opened.locator("#derivation .field[data-name=system] select").select_option("damped")
    opened.locator("#derivation header progress").wait_for()
    opened.locator("#derivation header [role=status]", has_text="deriving … 1 s").wait_for()
    derived(opened, "Damped")
    assert not opened.locator("#derivation header progress").is_visible()
    opened.unroute("**/api/derive")


@pytest.mark.heavy
@pytest.mark.parametrize(("system", "seen"), [("pendulum", "circle"), ("chain", "rect.mass"), ("string", "path.line")])
def test_systems_move_as_what_they_are(opened, system, seen):
    opened.locator("#derivation .field[data-name=system] select").select_option(system)
    picture = opened.locator(f"#derivation svg.moving[aria-label^='{system}']")
    picture.wait_for()
    assert picture.locator(seen).count() >= {"pendulum": 2, "chain": 3, "string": 1}[system]
    shape = "(node) => node.innerHTML"
    before = picture.evaluate(shape)
    opened.locator("#derivation .player input").fill("137")
    assert picture.evaluate(shape) != before


@pytest.mark.heavy
def test_a_new_system_starts_to_move_unless_the_reader_wants_stillness(opened):
    play = opened.locator("#derivation .player button")
    assert play.get_attribute("aria-pressed") != "true"
    opened.emulate_media(reduced_motion="no-preference")
    opened.locator("#derivation .field[data-name=system] select").select_option("harmonic")
    opened.locator("#derivation .player button[aria-pressed=true]").wait_for()
    opened.emulate_media(reduced_motion="reduce")


@pytest.mark.heavy
def test_a_continuum_is_derived_and_says_that_it_is_not_run(opened):
    opened.locator("#derivation .field[data-name=system] select").select_option("euler-bernoulli")
    opened.locator("#derivation .still", has_text="not run here").wait_for()
    derived(opened, "Euler bernoulli")
    assert not opened.locator("#derivation .running").is_visible()


@pytest.mark.heavy
def test_a_link_restores_the_system_and_its_numbers(opened, watched):
    opened.locator("#derivation .field[data-name=system] select").select_option("duffing")
    field = opened.locator("#derivation .field[data-name=k_3] input[type=number]")
    field.fill("123")
    opened.evaluate("() => new Promise((over) => setTimeout(over, 600))")  # it stands in the address, by its own clock
    other = watched.page()
    other.goto(opened.url)
    moved(other)
    assert other.locator("#derivation .field[data-name=k_3] input[type=number]").input_value() == "123"
    assert other.locator("#derivation .field[data-name=system] select").input_value() == "duffing"
    np.testing.assert_array_equal(curve(other), curve(opened))


@pytest.mark.heavy
def test_the_script_taken_home_gives_the_numbers_shown(opened):
    opened.get_by_role("button", name="Take home").click()
    with opened.expect_download() as saved:
        opened.get_by_role("button", name="Python").click()
    names = {}
    exec(saved.value.path().read_text(encoding="utf-8"), names)
    assert names["sol"].residual == residual(opened)


@pytest.mark.heavy
@pytest.mark.parametrize(("width", "scheme"), [(1440, "dark"), (1024, "light"), (390, "dark")])
def test_nothing_is_wider_than_the_window(watched, studio, width, scheme):
    page = watched.page(viewport={"width": width, "height": 844}, color_scheme=scheme)
    page.goto(f"{studio}/#derivation")
    moved(page)
    derived(page, "Viscoplastic")
    assert page.evaluate("document.documentElement.scrollWidth") == width
    unlabelled = page.evaluate("""() => [...document.querySelectorAll('#derivation :is(input, select, textarea)')]
        .filter((node) => !node.labels.length && !node.getAttribute('aria-label')).map((node) => node.outerHTML)""")
    assert json.dumps(unlabelled) == "[]"
