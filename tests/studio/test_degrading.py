"""Springs that degrade in the studio: offered as their constructors have them, run, shown, taken home bit for bit."""

import gzip
import json
import re
from dataclasses import fields

import numpy as np
import pytest
from test_oscillator_view import ready

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


def test_the_page_shows_a_storey_that_loses_its_strength(page, studio):
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
    assert "one solution per step: promised beforehand" in page.locator("#building .promises").inner_text()
