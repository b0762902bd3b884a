"""The study view in a browser: spectra follow sliders, an analysis fills in, is cancelled, and is taken home."""

import csv
import re

import numpy as np
import pytest
from playwright.sync_api import expect

import hamex as hx

CURVE = "node => Array.from(document.querySelector(node).data.find((one) => one.name === 'elastic').y)"
RUN = re.compile("^Run( again)?$")


@pytest.fixture
def spectra(page, studio):
    page.goto(f"{studio}/#study")
    expect(page.locator("#study .js-plotly-plot").first).to_be_visible()
    return page


@pytest.fixture
def analysis(page, studio):
    page.goto(f"{studio}/#study")
    page.get_by_role("button", name="Incremental dynamic analysis").click()
    return page


def typed(page, name, value):
    page.locator(f"#study [data-name='{name}'] input[type=number]:visible").fill(str(value))


def progress(page):
    return page.locator("#study .progress .quiet")


def test_the_spectrum_shown_is_the_library_s_and_follows_the_damping(spectra):
    first = "[data-bench=spectra] .panel.first .plot"
    for damping in (0.05, 0.12):
        typed(spectra, "damping", damping)
        found = hx.spectrum(hx.el_centro(), np.geomspace(0.05, 4, 200), damping, g=9.80665)
        expected = found.values("pseudo_acceleration")[0] / 9.80665
        top = int(expected.argmax())
        note = f"up to {expected[top]:.3g} g at {found.periods[top]:.3g} s"
        expect(spectra.locator("[data-bench=spectra] .panel.first figcaption .quiet")).to_have_text(note)
        assert np.array_equal(spectra.evaluate(CURVE, first), expected)


@pytest.mark.heavy
def test_ductilities_are_drawn_beside_the_elastic_curve_and_can_be_put_away(spectra):
    names = "() => document.querySelector('[data-bench=spectra] .panel.first .plot').data.map((one) => one.name).join()"
    legend = spectra.locator("[data-bench=spectra] .panel.first .legendtext")
    expect(legend).to_have_text(["elastic", "μ = 2", "μ = 4"])
    spectra.get_by_label("μ = 6").check()
    expect(legend).to_have_text(["elastic", "μ = 2", "μ = 4", "μ = 6"])
    spectra.get_by_label("μ = 4", exact=True).uncheck()
    expect(legend).to_have_text(["elastic", "μ = 2", "μ = 6"])
    assert spectra.evaluate(names) == "elastic,μ = 2,μ = 6"


@pytest.mark.parametrize(
    "kind",
    [
        "synthetic",
        *(pytest.param(kind, marks=pytest.mark.heavy) for kind in ("sine", "half_sine", "triangle", "ricker")),
    ],
)
@pytest.mark.heavy
def test_every_motion_has_its_spectrum(spectra, kind):
    before = spectra.evaluate(CURVE, "[data-bench=spectra] .panel.first .plot")
    spectra.locator("#study [data-name='motion.kind'] select").select_option(kind)
    expect(spectra.locator("[data-bench=spectra] .stage .panel figcaption").last).to_contain_text("synthetic")
    assert spectra.evaluate(CURVE, "[data-bench=spectra] .panel.first .plot") != before


def test_what_cannot_be_computed_is_said_beside_its_field(spectra, watched):
    typed(spectra, "damping", 1.5)
    expect(spectra.locator("#study [data-name=damping] .message")).to_contain_text("less than 1")
    typed(spectra, "damping", 0.02)
    expect(spectra.locator("#study [data-name=damping] .message")).to_be_empty()
    watched.complaints[:] = [line for line in watched.complaints if "422" not in line]


@pytest.mark.heavy
def test_a_reload_keeps_the_state(spectra):
    typed(spectra, "damping", 0.17)
    while '"damping":0.17' not in spectra.evaluate("localStorage.getItem('hamex-study')"):
        spectra.wait_for_timeout(50)
    spectra.reload()
    expect(spectra.locator("#study [data-name=damping] input[type=number]")).to_have_value("0.17")


def test_an_analysis_fills_in_and_ends_with_the_numbers_of_hamex(analysis, tmp_path):
    typed(analysis, "records.synthetic.count", 15)
    analysis.get_by_role("button", name=RUN).click()
    expect(progress(analysis)).to_contain_text("15 records, 300 runs")
    with analysis.expect_download() as saved:
        analysis.get_by_role("button", name="Study file").click()
    path = tmp_path / "study.toml"
    saved.value.save_as(path)
    file = hx.read_study(path)
    found = hx.ida(file.study, file.demand, file.limit, intensity=file.intensity, workers=1)
    fit = found.curves[0].fragility(file.modelling, file.study.seed, file.resamples, stripes=file.stripes)
    values = analysis.locator("#study .card b[data-value]").evaluate_all(
        "nodes => nodes.map((one) => +one.dataset.value)"
    )
    assert values == [fit.median, fit.dispersion]
    with analysis.expect_download() as saved:
        analysis.get_by_role("button", name="Runs as CSV").click()
    saved.value.save_as(tmp_path / "runs.csv")
    with (tmp_path / "runs.csv").open(encoding="utf-8") as text:
        rows = list(csv.DictReader(text))
    assert [float(row["drift_ratio"]) for row in rows] == found.columns["drift_ratio"].tolist()
    with analysis.expect_download() as saved:
        analysis.get_by_role("button", name="Fragility as CSV").click()
    saved.value.save_as(tmp_path / "fragility.csv")
    with (tmp_path / "fragility.csv").open(encoding="utf-8") as text:
        im, probability = np.array([[float(row[0]), float(row[1])] for row in list(csv.reader(text))[1:]]).T
    assert np.array_equal(fit.probability(im), probability)


@pytest.mark.heavy
def test_curves_appear_while_it_runs_and_cancel_stops_it(analysis, studio):
    """A large study, so that there is something to see of the way."""
    for name, value in (
        ("records.synthetic.count", 200),
        ("stripes.count", 80),
        ("model.masses", 30),
        ("scheme.step", 0.004),
    ):
        typed(analysis, name, value)
    analysis.get_by_role("button", name=RUN).click()
    expect(progress(analysis)).to_have_text(re.compile(r"^[1-9]\d* of 200 records, .* left$"))
    seen = analysis.locator("[data-bench=ida] .panel.first .legendtext")
    lines = "() => document.querySelector('[data-bench=ida] .plot').data[0].x.filter((x) => x === null).length"
    first = analysis.evaluate(lines)
    expect(progress(analysis)).not_to_have_text(progress(analysis).inner_text())
    assert 0 < first <= analysis.evaluate(lines) < 200
    assert seen.count() <= 1
    with analysis.expect_response(lambda answer: answer.request.method == "DELETE") as ended:
        analysis.get_by_role("button", name="Cancel").click()
    assert ended.value.json() == {"state": "cancelled"}
    expect(progress(analysis)).to_have_text(re.compile(r"^cancelled after \d+ of 200 records$"))
    expect(analysis.get_by_role("button", name=RUN)).to_be_enabled()


def test_a_study_that_cannot_be_run_is_refused_in_place(analysis, watched):
    typed(analysis, "records.synthetic.magnitude", 12)
    analysis.get_by_role("button", name=RUN).click()
    expect(analysis.locator("#study [data-name='records.synthetic.magnitude'] .message")).to_contain_text("8.5")
    expect(analysis.get_by_role("button", name=RUN)).to_be_enabled()
    watched.complaints[:] = [line for line in watched.complaints if "422" not in line]


@pytest.mark.heavy
@pytest.mark.parametrize(("width", "colours"), [(1440, "dark"), (1024, "light"), (390, "light")])
def test_nothing_is_wider_than_the_page(watched, studio, width, colours):
    page = watched.page(viewport={"width": width, "height": 900}, color_scheme=colours)
    page.goto(f"{studio}/#study")
    expect(page.locator("[data-bench=spectra] .panel.first .legendtext").first).to_be_visible()
    for part in ("Spectra", "Incremental dynamic analysis"):
        page.get_by_role("button", name=part).click()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
