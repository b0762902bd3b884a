"""Spectra over http: the library's numbers, and refusals that name the field."""

import base64
import json

import numpy as np
import pytest

import hamex as hx
from hamex.studio import wire

UNITS = {"length": "m", "force": "kN"}
PERIODS = {"start": 0.1, "stop": 3.0, "count": 12}
EL_CENTRO = {"units": UNITS, "motion": {"record": "el_centro"}, "damping": 0.05, "periods": PERIODS}


def array(told):
    found = np.frombuffer(base64.b64decode(told["bdata"]), dtype=f"<{told['dtype']}")
    return found.reshape([int(n) for n in told["shape"].split(",")]) if "shape" in told else found


def ask(client, **changes):
    return client.post("/api/study/spectrum", json={**EL_CENTRO, **changes})


def test_an_elastic_spectrum_is_the_library_s_to_the_last_bit(client):
    told = ask(client).json()
    periods = np.geomspace(0.1, 3.0, 12)
    found = hx.spectrum(hx.el_centro(), periods, 0.05, g=9.80665)
    assert np.array_equal(array(told["periods"]), periods)
    assert np.array_equal(array(told["displacement"]), found.values("displacement")[0])
    assert np.array_equal(array(told["pseudo_velocity"]), found.values("pseudo_velocity")[0])
    assert np.array_equal(array(told["pseudo_acceleration"]), found.values("pseudo_acceleration")[0] / 9.80665)
    assert told["length"] == "m"
    assert told["motion"]["peak"] == pytest.approx(0.319, abs=5e-4)
    assert np.allclose(array(told["motion"]["acceleration"]), hx.el_centro().acceleration, rtol=1e-6, atol=1e-9)


def test_a_spectrum_of_constant_ductility_is_the_library_s(client):
    told = ask(client, ductility=[2, 4], hardening=0.02, periods={**PERIODS, "count": 5, "spacing": "linear"}).json()
    found = hx.spectrum(hx.el_centro(), np.linspace(0.1, 3, 5), 0.05, g=9.80665, ductility=[2, 4], hardening=0.02)
    assert told["ductility"] == [2.0, 4.0]
    for name in ("strength", "displacement", "residual_displacement", "strength_reduction", "displacement_error"):
        assert np.array_equal(array(told[name]), found.values(name)[0], equal_nan=True), name


@pytest.mark.parametrize(
    "motion",
    [
        {"synthetic": {"seed": 3, "magnitude": 7.0, "distance": 10.0}},
        {"wave": {"shape": "sine", "amplitude": 0.3, "period": 0.5, "cycles": 4}},
        {"accelerations": [0.0, 0.1, -0.2, 0.0], "step": 0.1, "unit": "g"},
    ],
)
def test_motions_of_every_kind_are_taken(client, motion):
    assert ask(client, motion=motion).status_code == 200


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"motion": {"file": "/etc/passwd", "unit": "g", "step": 0.01}}, "motion.file", "problem files only"),
        ({"motion": {}}, "motion", "exactly one"),
        ({"motion": {"synthetic": {"seed": 1, "step": 1e-4, "duration": 1e9}}}, "motion", "samples"),
        ({"motion": {"synthetic": {"seed": 1, "magnitude": 20.0}}}, "motion.synthetic.magnitude", "between 4 and 8.5"),
        ({"damping": 1.5}, "damping", "less than"),
        ({"damping": "5 %"}, "damping", "must be a number"),
        ({"periods": {**PERIODS, "count": wire.PERIODS + 1}}, "periods.count", "less than or equal"),
        ({"periods": {**PERIODS, "stop": 0.05}}, "periods", "above start"),
        ({"ductility": [2, 3, 4, 5, 6]}, "ductility", "at most 4"),
        ({"ductility": [0.5]}, "ductility[0]", "greater than 1"),
        (
            {
                "ductility": [2],
                "motion": {"synthetic": {"seed": 1, "step": 0.005, "magnitude": 8.5, "distance": 300.0}},
                "periods": {**PERIODS, "count": 400},
            },
            "periods.count",
            "smaller",
        ),
        (
            {"ductility": [2], "motion": {"wave": {"shape": "sine", "amplitude": 0.3, "period": 0.5, "step": 1e308}}},
            "motion.wave.step",
            "sizes from 1e-50",
        ),
        ({"periods": {**PERIODS, "start": 1e-320}}, "periods.start", "greater than"),
        ({"frequency": 1.0}, "frequency", "unknown key"),
        ({"units": {"length": "furlong", "force": "kN"}}, "units", "unknown unit"),
    ],
)
def test_what_cannot_be_used_is_refused_by_its_field(client, changes, field, words):
    answer = ask(client, **changes)
    assert answer.status_code == 422
    assert words in answer.json()["message"]
    assert answer.json()["field"] == field or field in answer.json()["message"]


def test_numbers_beyond_what_json_has_are_refused_not_answered(client):
    for text in ("1e999", "NaN", "-Infinity"):
        body = json.dumps(EL_CENTRO).replace('"damping": 0.05', f'"damping": {text}')
        answer = client.post("/api/study/spectrum", content=body, headers={"content-type": "application/json"})
        assert answer.status_code in (400, 422), text
