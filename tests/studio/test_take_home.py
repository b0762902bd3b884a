"""Take home: the code and the files give the numbers of the page; the page of its own moves without a server."""

import base64
import csv
import io
import json
import re
import subprocess
import sys
import zlib

import numpy as np
import pytest
from playwright.sync_api import expect
from repetitions import chiefly
from test_oscillator_view import opened, ready, shown, type_in

import hamex as hx
from hamex.studio.history import history_answer
from hamex.studio.problems import HistoryRequest
from hamex.studio.wire import taken_home, thrifty

OSCILLATOR = {
    "kind": "oscillator",
    "mass": 100.0,
    "period": 0.5,
    "damping_ratio": 0.05,
    "yield_force": 150.0,
    "viscosity": 200.0,
    "kinematic": 400.0,
    "isotropic": 0.0,
}
FRAME = {
    "kind": "shear_frame",
    "masses": [100.0] * 5,
    "stiffnesses": [150000.0, 140000.0, 130000.0, 120000.0, 110000.0],
    "heights": 3.0,
    "damping": {"kind": "rayleigh", "ratio": 0.05, "modes": [1, 3]},
    "laws": [{"yield_force": 900.0 - 100.0 * i, "viscosity": 200.0, "kinematic": 3000.0} for i in range(5)],
}
GALERKIN = {"kind": "galerkin", "step": 0.01}
HISTORIES = ("displacement", "loop_displacement", "loop_force")
LARGEST = 3_000_000  # bytes of a page that is sent by mail without a second thought


def problem(model=OSCILLATOR, scheme=GALERKIN, **tables):
    given = {
        "title": "A test",
        "duration": 20.0,
        "units": {"length": "m", "force": "kN"},
        "model": model,
        "scheme": scheme,
    }
    return given | (tables or {"motion": {"record": "el_centro"}})


STATES = {
    "oscillator": problem(),
    "stiffness and coefficient": problem({"kind": "oscillator", "mass": 3.0, "stiffness": 500.0, "damping": 2.0}),
    "strength ratio": problem({"kind": "oscillator", "mass": 3.0, "period": 0.8, "strength_ratio": 0.1}),
    "scaled": problem(motion={"record": "el_centro", "scale": 2.5}),
    "own samples": problem(
        motion={"accelerations": [0.0, 0.1, -0.31, 0.2] * 50, "step": 0.02, "unit": "m/s2", "source": "mine"}
    ),
    "sine": problem(motion={"wave": {"shape": "sine", "amplitude": 0.3, "period": 0.5, "cycles": 4.0, "step": 0.01}}),
    "ricker": problem(motion={"wave": {"shape": "ricker", "amplitude": 0.3, "period": 0.5, "step": 0.01}}),
    "synthetic": problem(motion={"synthetic": {"seed": 4, "magnitude": 7.0, "distance": 12.0, "vs30": 300.0}}),
    "let go": problem(load={"kind": "none"}, start={"displacement": 0.05}),
    "let go with velocity": problem(load={"kind": "none"}, start={"displacement": 0.05, "velocity": 0.2}),
    "half sine force": problem(load={"kind": "half_sine", "amplitude": 120.0, "duration": 0.3}),
    "sine force": problem(load={"kind": "sine", "amplitude": 20.0, "period": 0.3}),
    "tail": {**{k: v for k, v in problem().items() if k != "duration"}, "tail": 5.0},
    "gravity": {**problem(), "units": {"length": "in", "force": "kip", "gravity": 386.4}},
    "discontinuous": problem(scheme={"kind": "discontinuous_galerkin", "step": 0.02, "degree": 2}),
    "newmark": problem(scheme={"kind": "newmark", "step": 0.01}),
    "paper": problem(scheme={"kind": "galerkin", "step": 0.01, "load": "end"}),
    "frame": problem(FRAME),
    "frame, modal": problem({**FRAME, "damping": {"kind": "modal", "ratio": 0.03}}),
    "frame, ratio": problem({**FRAME, "damping": {"kind": "ratio", "ratio": 0.03, "mode": 2}}),
    "frame, dampers": problem(
        {
            "kind": "shear_frame",
            "masses": [1.0, 2.0],
            "stiffnesses": [100.0, 90.0],
            "laws": [{"kind": "power", "coefficient": 2.0, "exponent": 0.5}, {"yield_force": 3.0}],
        }
    ),
    "frame, P-Delta and dampers between floors": problem(
        {
            **FRAME,
            "weights": [980.0] * 5,
            "links": [
                {"kind": "viscous_damper", "start": "ground", "end": "floor 1", "coefficient": 900.0},
                {"kind": "friction_slider", "start": 1, "end": 3, "force": 40.0, "stiffness": 9000.0, "name": "brace"},
            ],
        }
    ),
    "frame, one law": problem(
        {
            "kind": "shear_frame",
            "masses": [1.0, 2.0],
            "stiffnesses": [100.0, 90.0],
            "law": {"yield_force": 3.0},
            "damping": {"kind": "coefficients", "storeys": [0.5, 0.5]},
        }
    ),
}


def tower(storeys, **masses):
    """A building of many storeys, weaker and softer towards its top."""
    share = [1 - 0.5 * i / storeys for i in range(storeys)]
    return {
        "kind": "shear_frame",
        "masses": [masses.get("mass", 100.0)] * storeys,
        "stiffnesses": [150000.0 * part for part in share],
        "heights": 3.0,
        "damping": {"kind": "rayleigh", "ratio": 0.05, "modes": [1, 3]},
        "laws": [{"yield_force": 1200.0 * part, "viscosity": 200.0, "kinematic": 3000.0} for part in share],
    }


@pytest.mark.heavy
def test_a_page_of_many_storeys_and_steps_is_small_and_says_what_it_leaves_out(client, watched, tmp_path):
    many = {"duration": 40.0, "motion": {"record": "el_centro"}}
    history = {"problem": problem(tower(20), **many) | many, "against": {"kind": "newmark", "step": 0.01}}
    variants = [
        {"value": mass, "problem": problem(tower(20, mass=mass), **many) | many} for mass in (60.0, 80.0, 120.0, 140.0)
    ]
    body = {"view": "building", "history": history, "label": "Mass", "unit": "t", "variants": variants}
    path = tmp_path / "a-test.html"
    path.write_bytes(client.post("/api/home/page", json=body).content)
    page = alone(watched.page(offline=True), path)
    assert re.search(r"curves: one of \d+ time steps, and every peak", page.locator("main > p").text_content())
    assert "Galerkin, degree 1, time step 0.01 s" in page.locator("main > p").text_content(), "no Python"
    ends = "getComputedStyle(document.querySelector('#stage'), '::after').content"
    assert page.evaluate(ends) == "none", "nothing is loading any more"
    vary = page.locator(".vary").bounding_box()
    assert vary["height"] < 60 < page.locator("#varied").bounding_box()["width"], "label, control and value in one row"
    page.locator("#varied").fill("0")
    told = page.evaluate("""() => Object.fromEntries([...document.querySelectorAll(".panel")].filter((one) =>
        !one.hidden && one.querySelector(".plot")).map((one) => [one.querySelector("figcaption span").textContent,
        [...one.querySelector(".plot").data].map(({x, y}) => [x.length, ...[x, y].map((values) =>
            Math.max(...Array.from(values, Number).map(Math.abs)))])]))""")
    exact = history_answer(HistoryRequest.model_validate({**history, "problem": variants[0]["problem"]}))
    (nodes, end, roof), *_ = told["Roof and ground"]
    assert (nodes, end) == (exact["steps"] + 1, pytest.approx(40.0))
    displacement, means, force = (exact[name].reshape(20, -1) for name in HISTORIES)
    assert roof == pytest.approx(np.abs(displacement[-1]).max(), rel=1e-3)
    (_, drift, most), *_ = told["Hysteresis of storey 1"]
    assert (drift, most) == pytest.approx((np.abs(means[0]).max(), np.abs(force[0]).max()), rel=2e-3)


@pytest.mark.parametrize("every", [2, 3, 7])
@pytest.mark.parametrize("scheme", [GALERKIN, {"kind": "newmark", "step": 0.01}], ids=["means", "nodes"])
def test_histories_that_are_thinned_out_keep_their_peaks(every, scheme):
    asked = HistoryRequest.model_validate({"problem": problem(tower(6), scheme)})
    whole = history_answer(asked)
    few = taken_home(whole, 15, every)
    nodes = np.append(0, np.cumsum(whole_numbers(few["gaps"])))
    assert nodes[-1] == whole["steps"]
    assert whole["steps"] / every <= len(nodes) < whole["steps"] / every + 150
    assert few["peaks"] == whole["peaks"]
    kept = {
        name: few[name]["scale"] * whole_numbers(few[name]).reshape(6, -1) for name in ("displacement", "loop_force")
    }
    assert kept["displacement"].shape[1] == len(nodes)
    for name, values in kept.items():
        full = whole[name].reshape(6, -1)
        rounding = few[name]["scale"]
        assert np.abs(values).max(axis=1) == pytest.approx(np.abs(full).max(axis=1), abs=rounding)
        drifts, all_drifts = np.diff(values, axis=0), np.diff(full, axis=0)
        assert np.abs(drifts).max(axis=1) == pytest.approx(np.abs(all_drifts).max(axis=1), abs=2 * rounding)


def whole_numbers(packed):
    """As the page reads them."""
    data = np.frombuffer(zlib.decompress(base64.b64decode(packed["bdata"])), dtype=np.uint8).astype(np.int16)
    low, high = data.reshape(2, -1)
    found = low | high << 8
    for _ in range(packed["order"]):
        found = np.cumsum(found, dtype=np.int16)
    return found.astype(int)


def run_code(code):
    """Run a script as a user would, and take its names."""
    names = {}
    exec(compile(code, "taken_home.py", "exec"), names)
    return names


def run(code):
    """Run a script, and take what it found."""
    names = run_code(code)
    return names["sol"], names


def gift(page, name, path):
    """Take something home."""
    page.locator("#home-open").click()
    with page.expect_download() as got:
        page.get_by_role("button", name=name, exact=True).click()
    assert got.value.suggested_filename == path.name
    got.value.save_as(path)
    page.get_by_label("Close").click()
    return path


def alone(page, path, figures=True):
    """A page that was taken home, opened from disk without network; it is small enough to be sent."""
    assert path.stat().st_size < LARGEST
    page.goto(path.as_uri())
    if figures:
        page.locator(".plot .main-svg").first.wait_for()
    assert page.evaluate("""[...document.querySelectorAll("[src], link, [href]")].every(
        (node) => (node.getAttribute("href") || "").startsWith("#"))""")
    return page


@pytest.mark.parametrize("state", STATES)
def test_the_code_reproduces_the_numbers_bit_for_bit(client, state, capsys):
    answer = client.post("/api/home/python", json={"problem": STATES[state]})
    assert answer.status_code == 200, answer.text
    sol, _ = run(answer.text)
    page = history_answer(HistoryRequest.model_validate({"problem": STATES[state]}))
    assert {name: peak.value for name, peak in sol.peaks.items()} == {
        name: peak["value"] for name, peak in page["peaks"].items()
    }
    assert sol.residual == page["residual"]
    assert (sol.values("displacement").T.ravel() == page["displacement"]).all()


def test_the_code_runs_the_second_scheme_too(client, capsys):
    wish = {"problem": STATES["oscillator"], "against": {"kind": "newmark", "step": 0.01}}
    _, names = run(client.post("/api/home/python", json=wish).text)
    assert names["other"].residual == history_answer(HistoryRequest.model_validate(wish))["against"]["residual"]


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n", "\x0c", "\u2028", '")\n', "\\"])
def test_no_text_of_a_state_becomes_code(client, capsys, end):
    """A link may come from a stranger; what it says is data, in the title and everywhere else."""
    trap = f"harmless{end}raise SystemExit('taken over')  #"
    own = {"accelerations": [0.0, 0.1], "step": 0.02, "unit": "g", "source": trap}
    frame = {**FRAME, "names": [f"{trap}{i}" for i in range(5)]}
    for state in ({**problem(motion=own), "title": trap}, {**problem(frame, motion=own), "title": trap}):
        answer = client.post("/api/home/python", json={"problem": state})
        assert answer.status_code == 200, answer.text
        run(answer.text)


def test_the_code_is_a_script_that_prints(client, tmp_path):
    path = tmp_path / "home.py"
    path.write_text(client.post("/api/home/python", json={"problem": STATES["frame"]}).text)
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=True)
    assert "energy residual" in done.stdout
    assert "drift_ratio" in done.stdout


@pytest.mark.parametrize("state", STATES)
def test_the_problem_file_is_read_back_to_the_same_bits(client, state, tmp_path):
    path = tmp_path / "problem.toml"
    path.write_text(client.post("/api/home/problem", json={"problem": STATES[state]}).text)
    file = hx.read_problem(path)
    sol = hx.solve(file.problem, file.scheme)
    page = history_answer(HistoryRequest.model_validate({"problem": STATES[state]}))
    assert (sol.values("displacement").T.ravel() == page["displacement"]).all()
    assert sol.residual == page["residual"]


@pytest.mark.parametrize("state", ["oscillator", "frame"])
@pytest.mark.chief("frame")
def test_data_files_hold_the_histories(client, state, tmp_path):
    sol, _ = run(client.post("/api/home/python", json={"problem": STATES[state]}).text)
    rows = list(csv.reader(io.StringIO(client.post("/api/home/csv", json={"problem": STATES[state]}).text)))
    column = next(i for i, name in enumerate(rows[0]) if name.startswith("displacement"))
    assert [float(row[column]) for row in rows[1:]] == sol.values("displacement")[:, 0].tolist()
    path = tmp_path / "home.nc"
    answer = client.post("/api/home/netcdf", json={"problem": STATES[state]})
    path.write_bytes(answer.content)
    assert answer.headers["content-disposition"] == 'attachment; filename="a-test.nc"'
    back = hx.read(path)
    assert (back.values("displacement") == sol.values("displacement")).all()
    assert back.residual == sol.residual


def test_what_has_no_code_says_so(client):
    wish = {"problem": problem(FRAME, load={"kind": "constant", "amplitude": 1.0, "at": "floor 1"})}
    answer = client.post("/api/home/python", json=wish)
    assert answer.status_code == 422
    assert answer.json()["message"] == "there is no code for forces on chosen floors; take the problem file home"


def test_code_taken_home_in_the_browser_gives_the_number_that_was_shown(page, studio, capsys):
    opened(page, studio)
    type_in(page, "model.viscosity", 330)
    page.locator("#home-open").click()
    with page.expect_download() as got:
        page.get_by_role("button", name="Python").click()
    code = got.value.path().read_text()
    assert got.value.suggested_filename == "oscillator-of-the-studio.py"
    assert run(code)[0].residual == shown(page)
    assert page.locator("pre.code").inner_text().strip() == code.strip()


def test_pictures_are_taken_home(page, studio):
    opened(page, studio)
    page.locator("#home-open").click()
    for name, start in (("PNG", b"\x89PNG"), ("SVG", b"<svg")):
        with page.expect_download() as got:
            page.get_by_role("button", name=name, exact=True).click()
        assert got.value.path().read_bytes().startswith(start)


@pytest.fixture(scope="module", params=chiefly(["oscillator"], ["oscillator", "building"]))
def classroom(request, all_watched, studio, tmp_path_factory):
    """The page of a view's first state: where its residual stands, what the view draws, and what was taken home."""
    view = request.param
    residual = "#residual" if view == "oscillator" else "#building-residual"
    name = "oscillator-of-the-studio" if view == "oscillator" else "building-of-10-storeys"
    with all_watched.held() as page:
        page.goto(f"{studio}/#{view}")
        ready(page, residual)
        path = gift(page, "Page", tmp_path_factory.mktemp("home") / f"{name}.html")
        drawn = page.evaluate(CURVES, f"#{view}")
    with all_watched.held(offline=True) as other:
        yield residual, drawn, alone(other, path)


CURVES = """(view) => [...document.querySelectorAll(`${view} .plot`)].slice(0, 3).flatMap(({data = []}) =>
    data.filter(({x}) => x && x.length > 1000).map(({y}) => Array.from(y)))"""


def test_a_page_of_the_first_state_is_small_and_its_curves_are_those_of_the_studio(watched, classroom):
    """Rounded to less than a pixel, with every history of its control."""
    _, theirs, page = classroom
    place = len(json.loads(page.locator("#data").text_content())["answers"]) // 2 - 1
    page.locator("#varied").fill(str(place))
    mine = page.evaluate(CURVES, "body")
    assert len(mine) == len(theirs) > 1
    for one, two in zip(mine, theirs, strict=True):
        assert one == pytest.approx(two, abs=5e-4 * max(map(abs, two)))


def test_the_page_of_its_own_moves_from_disk(watched, classroom):
    residual, _, page = classroom
    first = shown(page, residual)
    assert page.locator("#varied").count() == 1
    held = page.evaluate("""JSON.parse(document.getElementById('data').textContent).answers.map(
        (one) => one.answer.residual)""")
    assert first in held
    before = page.evaluate("Array.from(document.querySelectorAll('.plot')[0].data[0].y)")
    page.locator("#varied").press("ArrowRight")
    assert shown(page, residual) in held
    assert page.evaluate("Array.from(document.querySelectorAll('.plot')[0].data[0].y)") != before
    clock = page.locator(".clock").inner_text()
    page.get_by_role("button", name="Play").click()
    expect(page.locator(".clock")).not_to_have_text(clock)


def test_rounded_arrays_come_back_as_they_were(page, studio):
    """Jumps, wraps beyond 16 bits of the differences, zeros and one value, through the reader of the page."""
    given = [np.sin(np.linspace(0, 9, 500)), np.array([1.0, -1.0, 1.0, -1.0, 0.5]), np.zeros(7), np.array([-3.0])]
    page.goto(f"{studio}/#oscillator")
    read = """async (packed) => {
        const {unpacked} = await import("/page/home/packed.js");
        return Array.from(await unpacked(packed));
    }"""
    for values in given:
        for bits in (12, 15):
            found = page.evaluate(read, thrifty(values, bits))
            assert found == pytest.approx(values, abs=0.51 * abs(values).max() / (2 ** (bits - 1) - 1))


def test_nothing_in_a_page_can_close_its_script(client):
    title = "</script><script>alert(1)</script>"
    wish = {"view": "oscillator", "history": {"problem": {**STATES["oscillator"], "title": title}}, "label": title}
    text = client.post("/api/home/page", json=wish).text
    assert "<script>alert(1)" not in text
    start = text.index('id="data">') + len('id="data">')
    assert json.loads(text[start : text.index("</script>", start)])["label"] == title
    assert "http://" not in text[:start].replace("http://www.w3.org", "")
