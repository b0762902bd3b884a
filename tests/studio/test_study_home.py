"""The study view taken home: scripts give the numbers of the page, the page of its figures lives from disk."""

import json
import math

import numpy as np
import pytest
from playwright.sync_api import expect
from test_study_ida import FRAME, HUNTED, OSCILLATOR, SCALED, array, finished, started
from test_study_spectrum import EL_CENTRO, PERIODS
from test_take_home import alone, gift, run_code

OWN = {"accelerations": [0.0, 0.1, -0.31, 0.2] * 50, "step": 0.02, "unit": "m/s2", "source": "mine"}
FEW = {"start": 0.1, "stop": 2.0, "count": 5}
SPECTRA = {
    "elastic": {},
    "linear": {"periods": {**PERIODS, "spacing": "linear"}},
    "scaled": {"motion": {"record": "el_centro", "scale": 2.5}, "damping": 0.02},
    "own samples, own gravity": {"motion": OWN, "units": {"length": "in", "force": "kip", "gravity": 386.4}},
    "wave": {"motion": {"wave": {"shape": "sine", "amplitude": 0.3, "period": 0.5, "cycles": 4.0, "step": 0.01}}},
    "synthetic": {"motion": {"synthetic": {"seed": 3, "magnitude": 7.0, "distance": 10.0}}},
    "ductility": {"ductility": [2, 4], "hardening": 0.02, "periods": FEW},
    "both": {"ductility": [2], "periods": FEW, "elastic": PERIODS, "units": {"length": "cm", "force": "kN"}},
}
STUDIES = {
    "stripes": OSCILLATOR,
    "frame": FRAME,
    "scales": SCALED,
    "hunt": HUNTED,
    "all keys": {
        **OSCILLATOR,
        "title": "All keys",
        "duration": 20.0,
        "seed": 5,
        "measures": ["displacement"],
        "model": {
            "kind": "oscillator",
            "mass": 100.0,
            "stiffness": 15000.0,
            "damping": 60.0,
            "strength_ratio": 0.15,
            "kinematic": 300.0,
        },
        "units": {"length": "m", "force": "kN", "gravity": 9.81},
        "intensity": {"kind": "sa", "period": 0.5, "damping": 0.03},
        "stripes": {"levels": [0.2, 0.4, 0.8, 1.6]},
        "fragility": {"method": "capacities", "modelling": 0.2, "resamples": 50},
    },
    "hunt with an end": {**HUNTED, "hunt": {"first": 0.1, "step": 0.2, "growth": 0.05, "runs": 7, "largest": 3.0}},
}


def code(client, path, body):
    answer = client.post(f"/api/study/{path}/python", json=body)
    assert answer.status_code == 200, answer.text
    return answer


@pytest.mark.parametrize("name", SPECTRA)
def test_the_script_of_a_spectrum_gives_its_bits(client, name, capsys):
    body = {**EL_CENTRO, **SPECTRA[name]}
    answer = code(client, "spectrum", body)
    assert answer.headers["content-disposition"] == 'attachment; filename="spectrum.py"'
    names = run_code(answer.text)
    assert capsys.readouterr().out
    fine = body.pop("elastic", None)
    told = client.post("/api/study/spectrum", json=body).json()
    if "ductility" in body:
        for key in ("strength", "displacement", "residual_displacement", "strength_reduction"):
            assert np.array_equal(array(told[key]), names["yielding"].values(key)[0], equal_nan=True), key
        assert ("elastic" in names) is (fine is not None)
        if fine is None:
            return
        told = client.post("/api/study/spectrum", json={**EL_CENTRO, "units": body["units"], "periods": fine}).json()
    elastic = names["elastic"]
    assert np.array_equal(array(told["periods"]), elastic.periods)
    assert np.array_equal(array(told["displacement"]), elastic.values("displacement")[0])
    assert np.array_equal(array(told["pseudo_acceleration"]), elastic.values("pseudo_acceleration")[0] / told["g"])


@pytest.mark.parametrize("name", STUDIES)
@pytest.mark.chief("hunt", "all keys")
def test_the_script_of_a_study_gives_its_curves_and_its_fragility(client, name, capsys):
    answer = code(client, "ida", STUDIES[name])
    assert answer.headers["content-disposition"] == 'attachment; filename="study.py"'
    names = run_code(answer.text)
    printed = capsys.readouterr().out
    result = finished(client, started(client, STUDIES[name]))["result"]
    curves, fit = names["curves"], names["fit"]
    for told, label, im, demand in zip(result["curves"], curves.labels, curves.im, curves.demand, strict=True):
        there = ~np.isnan(im)
        assert told["label"] == label
        assert np.array_equal(array(told["im"]), im[there])
        assert np.array_equal(array(told["demand"]), demand[there])
    assert [math.inf if value is None else value for value in result["capacities"]] == curves.capacities.tolist()
    told = result["fragility"]
    assert (told["median"], told["total_dispersion"], told["method"]) == (fit.median, fit.total_dispersion, fit.method)
    assert np.array_equal(array(told["low"]), fit.band(array(told["im"]))[0])
    assert f"median capacity {fit.median:.8g} g" in printed


def test_a_record_alone_has_a_script_without_fragility(client, capsys):
    names = run_code(code(client, "ida", {**OSCILLATOR, "records": {"name": "el-centro"}}).text)
    assert len(names["curves"].labels) == 1
    assert "fit" not in names


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n", "\x0c", "\x00", "\u2028", "\u202e", '")\n', "\\", "'", "😀\n"])
def test_no_text_of_a_study_becomes_code(client, capsys, end):
    trap = f"harmless{end}raise SystemExit('taken over')  #"
    names = run_code(code(client, "spectrum", {**EL_CENTRO, "motion": {**OWN, "source": trap}, "periods": FEW}).text)
    assert names["motion"].source == trap
    small = {
        **FRAME,
        "title": trap,
        "stripes": {"levels": [0.3, 0.9]},
        "fragility": {"resamples": 2},
        "records": {"synthetic": {"count": 1, "seed": 1}},
        "model": {**FRAME["model"], "names": [f"{trap}{i}" for i in range(3)]},
    }
    if end == "\x00":  # no name of a floor: no file keeps it
        assert "zero character" in client.post("/api/study/ida/python", json=small).text
        return
    names = run_code(code(client, "ida", small).text)
    assert names["model"].dofs[0].startswith(trap)


@pytest.mark.parametrize(
    ("path", "body", "words"),
    [
        ("spectrum", {**EL_CENTRO, "motion": {"file": "/etc/passwd", "unit": "g", "step": 0.01}}, "problem files only"),
        ("spectrum", {**EL_CENTRO, "motion": {"synthetic": {"seed": 1, "duration": 1e12}}}, "motion.synthetic.step"),
        ("spectrum", {**EL_CENTRO, "elastic": PERIODS}, "elastic belongs to ductility"),
        ("spectrum", {**EL_CENTRO, "units": {"length": "import os", "force": "kN"}}, "unknown unit"),
        ("ida", {**OSCILLATOR, "records": {"files": ["/etc/passwd"], "unit": "g", "step": 0.01}}, "records.files"),
        ("ida", {**OSCILLATOR, "measures": ["import os"]}, "import os"),
        ("ida", {**OSCILLATOR, "scheme": {"kind": "galerkin", "step": 1e-9}}, "scheme.step"),
        (
            "ida",
            {
                **FRAME,
                "model": {
                    **FRAME["model"],
                    "links": [
                        {"kind": "spring_link", "start": 0, "end": 1, "stiffness": 1.0, "law": {"yield_force": 1.0}}
                    ],
                },
            },
            "shear frames without links",
        ),
    ],
)
def test_what_cannot_be_run_has_no_script(client, path, body, words):
    answer = client.post(f"/api/study/{path}/python", json=body)
    assert answer.status_code == 422
    assert words in answer.json()["message"]


def data(page, selector):
    """Everything that plots show. As text, which travels faster; what is no number is null in it."""
    return json.loads(
        page.evaluate(
            """selector => JSON.stringify([...document.querySelectorAll(selector)].map(
        (plot) => plot.data.map(({x, y}) => [Array.from(x), Array.from(y)])))""",
            selector,
        )
    )


def zoomed(page, selector):
    """Zoom a plot of a page and tell its range."""
    return page.evaluate(
        """async (selector) => {
        const plot = document.querySelector(selector);
        await Plotly.relayout(plot, {"yaxis.range": [0.1, 0.2]});
        return plot._fullLayout.yaxis.range;
    }""",
        selector,
    )


@pytest.mark.heavy
def test_spectra_are_taken_home_in_the_browser(watched, studio, tmp_path, capsys):
    page = watched.page(color_scheme="dark", viewport={"width": 1440, "height": 500})  # plots are out of sight
    page.goto(f"{studio}/#study")
    trap = "</script><script>window.taken = 1</script><img src=x onerror='window.taken = 1'>"
    page.evaluate(
        """async (source) => {
        const {currentView} = await import("/page/views.js");
        const view = currentView(), accelerations = Array.from({length: 500}, (_, i) => Math.sin(0.4 * i));
        view.set({ductility: [3], damping: 0.07, motion: {...view.state.motion, kind: "own",
                  own: {accelerations, step: 0.02, unit: "g", source}}});
    }""",
        trap,
    )
    first = "[data-bench=spectra] .panel.first"
    expect(page.locator(f"{first} .legendtext")).to_have_text(["elastic", "μ = 3"])
    expect(page.locator("[data-bench=spectra] .panel figcaption").last).to_contain_text("</script>")
    names = run_code(gift(page, "Python", tmp_path / "spectrum.py").read_text(encoding="utf-8"))
    shown = data(page, f"{first} .plot")[0]
    assert names["motion"].source == trap
    assert shown[0] == [
        names["elastic"].periods.tolist(),
        (names["elastic"].values("pseudo_acceleration")[0] / 9.80665).tolist(),
    ]
    assert shown[1][1] == names["yielding"].values("strength")[0, 0].tolist()
    path = gift(page, "Page", tmp_path / "spectra.html")
    home = alone(watched.page(offline=True), path)
    assert data(home, ".plot") == data(page, "[data-bench=spectra] .plot")
    assert home.locator(".plot .main-svg").count() >= 6
    assert home.evaluate("document.documentElement.dataset.theme") == "dark"
    assert home.evaluate("window.taken") is None
    assert "Damping ratio 0.07 of critical" in home.locator("main > p").first.inner_text()
    assert home.title().startswith("Spectra of </script><script>")
    assert zoomed(home, ".plot") == [0.1, 0.2]


@pytest.mark.heavy
def test_an_analysis_is_taken_home_in_the_browser(watched, studio, tmp_path, capsys):
    page = watched.page()
    page.goto(f"{studio}/#study")
    page.get_by_role("button", name="Incremental dynamic analysis").click()
    page.locator("#home-open").click()
    page.get_by_role("button", name="Page", exact=True).click()
    expect(page.locator("#home-said")).to_have_text("run the analysis first")
    page.get_by_label("Close").click()
    page.locator("#study [data-name='records.synthetic.count'] input[type=number]").fill("5")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator("#study .progress .quiet")).to_contain_text("5 records, 100 runs")
    # What is taken home is the run that is shown, whatever the sliders say by now.
    page.locator("#study [data-name='records.synthetic.count'] input[type=number]").fill("7")
    names = run_code(gift(page, "Python", tmp_path / "study.py").read_text(encoding="utf-8"))
    values = page.locator("#study .card b[data-value]").evaluate_all("nodes => nodes.map((one) => +one.dataset.value)")
    assert values == [names["fit"].median, names["fit"].dispersion]
    home = alone(watched.page(offline=True), gift(page, "Page", tmp_path / "ida.html"))
    assert data(home, ".plot") == data(page, "[data-bench=ida] .plot")
    assert home.locator(".card b").first.inner_text() == page.locator("#study .card b").first.inner_text()
    assert home.locator("input, select, progress, button:not(.modebar-btn)").count() == 0
    assert "Records" not in home.locator("main").inner_text()
    assert zoomed(home, ".plot") == [0.1, 0.2]
