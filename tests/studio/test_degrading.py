"""Springs that degrade in the studio: offered as their constructors have them, run, shown, taken home bit for bit."""

import gzip
import json
import re
from dataclasses import fields

import numpy as np
import pytest
from test_oscillator_view import ready
from test_study_ida import array, finished, started

import hamex as hx
from hamex.errors import SchemeError
from hamex.model.laws import known
from hamex.studio.history import history_answer
from hamex.studio.home import assets
from hamex.studio.problems import HistoryRequest, law_choices
from hamex.studio.scripts import python_code

FORCE, STIFFNESS = 180.0, 20000.0


def table(law, **changes):
    """A law as the page writes it: for a spring of this strength and stiffness."""
    scales = {"force": FORCE, "length": FORCE / STIFFNESS}
    numbers = {
        number["name"]: number["value"] * scales.get(number["unit"], 1.0)
        if isinstance(number["value"], float)
        else number["value"]
        for number in law["numbers"]
        if number["seen"]
    }
    return {"kind": law["kind"], **({"yield_force": FORCE} if law["yields"] else {}), **numbers, **changes}


def asked(laws, scale=2.0, **more):
    n = len(laws)
    model = {
        "kind": "shear_frame",
        "masses": [40.0] * n,
        "stiffnesses": [STIFFNESS] * n,
        "heights": 3.0,
        "laws": laws,
        "weights": [40.0 * 9.8] * n,
        "damping": {"kind": "ratio", "ratio": 0.03},
    }
    problem = {
        "duration": 8.0,
        "units": {"length": "m", "force": "kN"},
        "model": model,
        "motion": {"record": "el_centro", "scale": scale},
        "scheme": {"kind": "galerkin", "step": 0.01},
    }
    return HistoryRequest.model_validate({"problem": problem | more})


def test_laws_are_offered_as_their_constructors_have_them():
    offered = {law["kind"]: law for law in law_choices()}
    assert {"bilinear", "imk", "pinching4", "hysteretic", "menegotto_pinto"} <= set(offered)
    for kind, law in offered.items():
        own, example = {field.name: field for field in fields(known()[kind])}, known()[kind].example
        force = known()[kind].first_yield(known()[kind].grouped([known()[kind](**numbers_of(example))], [0]))[0]
        scales = {"force": force, "length": force / example["stiffness"]}
        for number in law["numbers"]:
            assert number["name"] in own
            assert number["meaning"]
            value, expected = number["value"], example.get(number["name"], own[number["name"]].default)
            if isinstance(value, float):
                value, expected = value * scales.get(number["unit"], 1.0), pytest.approx(expected, rel=1e-9)
            assert value == expected
    written = re.search(r'id="laws">(.*?)</script>', gzip.decompress(assets()["index.html"].packed).decode())
    assert json.loads(written[1]) == json.loads(json.dumps(law_choices()))


def numbers_of(example):
    return {name: value for name, value in example.items() if name not in ("stiffness", "reach")}


@pytest.mark.parametrize("kind", [law["kind"] for law in law_choices()])
def test_every_law_runs_and_its_script_gives_the_same_bits(kind):
    law = next(law for law in law_choices() if law["kind"] == kind)
    wish = asked([table(law), table(law)])
    answer = history_answer(wish)
    assert answer["residual"] < 1e-11
    assert (answer["strength"] is None) == (not known()[kind].softens)
    names: dict = {}
    exec(compile(python_code(wish.problem), "taken_home.py", "exec"), names)
    assert np.array_equal(names["sol"].values("displacement").T.ravel(), answer["displacement"])


def test_a_law_inside_a_law_goes_home_as_a_call():
    inner = {"kind": "bilinear", "yield_force": FORCE}
    side = {"kind": "parallel", "laws": [inner, {"kind": "gap", "gap": 0.01}], "shares": [0.6, 0.4]}
    wish = asked([{"kind": "min_max", "max": 0.1, "law": side}, inner])
    code = python_code(wish.problem)
    assert "hx.laws.ParallelLaws(laws=[hx.laws.Bilinear(yield_force=180.0), hx.laws.Gap(gap=0.01)], shares=(" in code
    names: dict = {}
    exec(compile(code.partition("scheme = ")[0], "taken_home.py", "exec"), names)
    assert "min_max:(parallel:bilinear+gap)" in names["model"].laws


def test_a_storey_that_goes_down_is_told():
    law = next(law for law in law_choices() if law["kind"] == "imk")
    weak, strong = table(law), table(law) | {"yield_force": 3 * FORCE}
    answer = history_answer(asked([weak, strong], scale=3.0))
    assert answer["collapse"]["where"] == "storey 1"
    assert "storey 1 goes down sideways from t = " in answer["collapse"]["message"]
    assert answer["status"] == "exceeds"
    left = answer["strength"]["left"]
    assert left["storey 1"][0] == 1.0
    assert left["storey 1"][-1] < 0.3
    assert min(left["storey 2"]) > 0.9
    assert np.all(np.diff(left["storey 1"]) <= 1e-4)
    assert answer["promises"]["one_solution"] == "promised beforehand"
    cut = asked([weak, strong], promise="cut", scheme={"kind": "galerkin", "step": 0.25})
    assert 'hx.solve(problem, scheme, promise="cut")' in python_code(cut.problem)
    with pytest.raises(SchemeError, match="the step must be below"):
        history_answer(asked([table(law, post_cap=0.001), strong], scheme={"kind": "galerkin", "step": 0.1}))


def to_collapse(law, **more):
    """A study of two storeys that seeks their collapse by halving."""
    model = {
        "kind": "shear_frame",
        "masses": [40.0] * 2,
        "stiffnesses": STIFFNESS,
        "heights": 3.0,
        "weights": 40.0 * 9.8,
        "damping": {"kind": "ratio", "ratio": 0.03},
        "law": law,
    }
    return {
        "duration": 12.0,
        "units": {"length": "m", "force": "kN"},
        "model": model,
        "records": {"synthetic": {"count": 2, "seed": 1}},
        "intensity": {"kind": "sa", "period": 0.4},
        "hunt": {"first": 0.2, "step": 0.4, "growth": 0.4, "runs": 6, "tolerance": 0.05},
        "limit": {"measure": "drift_ratio", "value": 0.08},
        "collapse": {"drift_ratio": 0.08},
        "fragility": {"mce": 0.5, "resamples": 50},
        "scheme": {"kind": "galerkin", "step": 0.01},
    } | more


@pytest.mark.filterwarnings("ignore::hamex.errors.ShortRunWarning")
@pytest.mark.chief("bilinear")
@pytest.mark.parametrize("kind", ["bilinear", "imk"])
def test_an_analysis_to_collapse_is_that_of_its_file_and_of_its_script(client, tmp_path, kind):
    law = next(law for law in law_choices() if law["kind"] == kind)
    body = to_collapse(table(law))
    result = finished(client, started(client, body))["result"]
    assert result["collapse"]
    assert result["limit_name"].startswith("collapse, ")
    path = tmp_path / "study.toml"
    path.write_text(client.post("/api/study/ida/file", json=body).json()["text"], encoding="utf-8")
    file = hx.read_study(path)
    assert file.study.together
    found = hx.ida(file.study, file.demand, None, intensity=file.intensity, hunting=file.hunting, workers=1)
    curves = found.curves[0]
    fit = curves.fragility(file.modelling, file.study.seed, file.resamples)
    for told, demand in zip(result["curves"], curves.demand, strict=True):
        assert np.array_equal(array(told["demand"]), demand[~np.isnan(demand)])
    assert result["capacities"] == curves.capacities.tolist()
    margin = {"level": file.mce, "ratio": fit.margin(0.5), "probability": float(fit.probability(0.5))}
    assert result["fragility"]["margin"] == margin
    names: dict = {}
    exec(compile(client.post("/api/study/ida/python", json=body).text, "taken_home.py", "exec"), names)
    assert names["fit"].margin(names["mce"]) == margin["ratio"]
    assert names["curves"].collapse


def test_steps_beyond_the_promise_are_refused_before_an_analysis(client):
    law = next(law for law in law_choices() if law["kind"] == "imk")
    answer = client.post("/api/study/ida", json=to_collapse(table(law), scheme={"kind": "galerkin", "step": 0.5}))
    assert answer.status_code == 422
    assert answer.json()["field"] == "scheme.step"
    assert "scheme.step must be below 0." in answer.json()["message"]


def test_storeys_of_several_laws_are_analysed_too(client):
    law = next(law for law in law_choices() if law["kind"] == "imk")
    mixed = to_collapse(None)
    mixed["model"] = {key: value for key, value in mixed["model"].items() if key != "law"}
    mixed["model"]["laws"] = [table(law), {"yield_force": FORCE}]
    result = finished(client, started(client, mixed))["result"]
    assert result["collapse"]
    assert len(result["capacities"]) == 2


@pytest.mark.heavy
def test_the_page_of_analyses_offers_laws_and_collapse(page, studio, watched):
    page.goto(f"{studio}/#study")
    page.locator('#study [data-part="ida"]').click()
    number = '#study [data-name="{}"] input[type=number]'.format
    page.select_option('#study [data-name="law"] select', "imk")
    page.select_option('#study [data-name="measure"] select', "collapse")
    page.select_option('#study [data-name="way"] select', "halve")
    page.locator(number("model.laws.post_cap")).fill("0.5")
    page.locator(number("fragility.mce")).fill("0.7")
    page.locator(number("scheme.step")).fill("0.4")
    with page.expect_request("**/api/study/ida") as asked:
        page.get_by_role("button", name="Run", exact=True).click()
    body = asked.value.post_data_json
    first = body["model"]["laws"][0]
    assert first["kind"] == "imk"
    assert first["post_cap"] == pytest.approx(0.5 * first["yield_force"] / body["model"]["stiffnesses"], rel=1e-6)
    assert body["collapse"] == {"drift_ratio": 0.1}
    assert body["limit"] == {"measure": "drift_ratio", "value": 0.1}
    assert body["fragility"] == {"mce": 0.7}
    assert body["hunt"]["tolerance"] == 0.01
    page.locator('#study [data-name="scheme.step"] .message', has_text="scheme.step must be below").wait_for()
    assert page.locator("#study .card", has_text="collapse margin ratio").is_visible()
    assert page.locator(number("model.viscosity")).is_hidden()
    watched.complaints.clear()  # the browser's own line about the status 422


@pytest.mark.heavy
def test_the_page_shows_a_storey_that_loses_its_strength(page, studio, watched):
    page.goto(f"{studio}/#building")
    ready(page, "#building-residual")
    stage = page.locator("#building .stage")
    assert page.locator("#building .panel", has_text="Strength that is left").is_hidden()
    for change in (
        lambda: page.select_option('#building [data-name="law"] select', "imk"),
        lambda: page.get_by_label("Gravity pulls where it leans").check(),
        lambda: page.locator('#building [data-name="model.laws.post_cap"] input[type=number]').fill("5"),
        lambda: page.locator('#building [data-name="motion.scale"] input[type=number]').fill("3"),
    ):
        with page.expect_response("**/api/history"):
            change()
    page.get_by_text("goes down sideways").first.wait_for()
    assert stage.get_attribute("data-shown") == "current"
    assert page.locator("#building .panel", has_text="Strength that is left").is_visible()
    promises = page.locator("#building .promises")
    assert "one solution per step: promised beforehand; " in promises.inner_text()
    page.locator('#building [data-name="scheme.step"] input[type=number]').fill("0.2")
    promise = page.locator('#building [data-name="promise"]')
    promise.locator(".message", has_text="the step must be below").wait_for()
    promise.locator("select").select_option("cut")
    promises.get_by_text(", cut from 0.2 s").wait_for()
    assert promise.locator(".message").inner_text() == ""
    watched.complaints.clear()  # the browser's own line about the status 422


@pytest.mark.heavy
def test_the_sketch_of_the_oscillator_names_its_law(page, studio):
    law = next(law for law in law_choices() if law["kind"] == "menegotto_pinto")
    page.goto(f"{studio}/#oscillator")
    page.locator("#residual[data-value]").wait_for()
    page.select_option('#oscillator [data-name="law"] select', law["kind"])
    page.locator("#oscillator .sketch text", has_text=law["name"]).wait_for()
