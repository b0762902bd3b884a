"""Studies over http: they fill in, can be cancelled, and end with the numbers of the library and of ``hamex ida``."""

import base64
import json
import threading
import time

import numpy as np
import pytest
from browsing import PATIENCE
from fastapi.testclient import TestClient

import hamex as hx
from hamex.cli import main
from hamex.studio import ida, wire
from hamex.studio.app import create_app
from hamex.studio.ida import jobs
from hamex.study.engine import Timing

OSCILLATOR = {
    "units": {"length": "m", "force": "kN"},
    "model": {"kind": "oscillator", "mass": 100.0, "period": 0.5, "damping_ratio": 0.05, "yield_force": 150.0},
    "records": {"synthetic": {"count": 6, "seed": 1, "magnitude": 7.0, "distance": 12.0}},
    "intensity": {"kind": "sa", "period": 0.5},
    "stripes": {"start": 0.2, "stop": 2.0, "count": 10},
    "limit": {"measure": "ductility", "value": 4.0},
    "scheme": {"kind": "galerkin", "step": 0.01},
}
FRAME = {
    **OSCILLATOR,
    "model": {
        "kind": "shear_frame",
        "masses": [100.0] * 3,
        "stiffnesses": 80000.0,
        "heights": 3.2,
        "damping": {"kind": "rayleigh", "ratio": 0.05, "modes": [1, 2]},
        "law": {"kind": "slider", "yield_force": 300.0, "kinematic": 800.0},
    },
    "stripes": {"start": 0.2, "stop": 2.0, "count": 31},
    "limit": {"measure": "drift_ratio", "value": 0.015},
}
SCALED = {key: value for key, value in FRAME.items() if key != "stripes"} | {
    "scales": {"start": 0.5, "stop": 6.0, "count": 9}
}
HUNTED = {key: value for key, value in OSCILLATOR.items() if key != "stripes"} | {
    "hunt": {"first": 0.1, "step": 0.2, "runs": 9},
    "intensity": {"kind": "pga"},
}


def array(told):
    found = np.frombuffer(base64.b64decode(told["bdata"]), dtype=f"<{told['dtype']}")
    return found.reshape([int(n) for n in told["shape"].split(",")]) if "shape" in told else found


def started(client, body):
    answer = client.post("/api/study/ida", json=body)
    assert answer.status_code == 200, answer.json()
    return answer.json()["id"]


def finished(client, name):
    while (told := client.get(f"/api/study/ida/{name}").json())["state"] == "running":
        time.sleep(0.01)
    assert told["state"] == "finished", told["message"]
    return told


ONE_STOREY = {
    **FRAME,
    "model": {**FRAME["model"], "masses": [100.0], "damping": {"kind": "ratio", "ratio": 0.05}, "weights": 981.0},
}


@pytest.mark.parametrize(
    "body", [OSCILLATOR, FRAME, SCALED, HUNTED, ONE_STOREY], ids=["stripes", "frame", "scales", "hunt", "one storey"]
)
@pytest.mark.chief("frame", "hunt")
def test_a_finished_study_has_the_bits_of_the_library(client, tmp_path, body):
    name = started(client, body)
    result = finished(client, name)["result"]
    path = tmp_path / "study.toml"
    path.write_text(client.post("/api/study/ida/file", json=body).json()["text"], encoding="utf-8")
    file = hx.read_study(path)
    found = hx.ida(file.study, file.demand, file.limit, intensity=file.intensity, hunting=file.hunting, workers=1)
    curves = found.curves[0]
    assert len(result["curves"]) == len(curves.labels) == 6
    for told, label, im, demand in zip(result["curves"], curves.labels, curves.im, curves.demand, strict=True):
        there = ~np.isnan(im)
        assert told["label"] == label
        assert np.array_equal(array(told["im"]), im[there])
        assert np.array_equal(array(told["demand"]), demand[there])
    assert [np.inf if value is None else value for value in result["capacities"]] == curves.capacities.tolist()
    fit = curves.fragility(file.modelling, file.study.seed, file.resamples, stripes=file.stripes)
    assert (result["fragility"]["median"], result["fragility"]["dispersion"]) == (fit.median, fit.dispersion)
    im = array(result["fragility"]["im"])
    assert np.array_equal(array(result["fragility"]["probability"]), fit.probability(im))
    assert np.array_equal(array(result["fragility"]["low"]), fit.band(im)[0])
    demands = array(result["fractiles"]["demand"])
    expected = curves.intensity_for(demands.tolist())
    assert np.array_equal(array(result["fractiles"]["im"]), expected, equal_nan=True)
    # What was told on the way is the same but for the rounding of a level's factor.
    partial = client.get(f"/api/study/ida/{name}").json()["curves"]
    for early, late in zip(partial, result["curves"], strict=True):
        assert np.allclose(array(early["im"]), array(late["im"]), rtol=1e-14)
        assert np.array_equal(array(early["demand"]), array(late["demand"]))
    rows = client.get(f"/api/study/ida/{name}/runs.csv").text.splitlines()
    assert len(rows) == result["runs"] + 1
    assert rows[0].split(",")[0] == "record"


def test_the_study_file_gives_hamex_ida_the_same_numbers(client, tmp_path, capsys):
    result = finished(client, started(client, FRAME))["result"]
    path = tmp_path / "study.toml"
    path.write_text(client.post("/api/study/ida/file", json=FRAME).json()["text"], encoding="utf-8")
    with pytest.raises(SystemExit):
        main(["ida", str(path), "-o", str(tmp_path / "out"), "--json", "--workers", "1"])
    model = json.loads(capsys.readouterr().out)["models"][0]
    assert model["fragility"]["median"] == result["fragility"]["median"]
    assert model["fragility"]["dispersion"] == result["fragility"]["dispersion"]
    assert list(model["capacities"].values()) == result["capacities"]


class Gate:
    """Lets one record pass at a time."""

    def __init__(self, monkeypatch):
        self.open = threading.Semaphore(0)
        submit = ida.WatchedExecutor.submit

        def gated(watched, fn, /, *args, **kwargs):
            while not self.open.acquire(timeout=0.01):
                watched.check()
            return submit(watched, fn, *args, **kwargs)

        monkeypatch.setattr(ida.WatchedExecutor, "submit", gated)


def until(client, name, done):
    while (told := client.get(f"/api/study/ida/{name}").json())["done"] < done:
        time.sleep(0.005)
    return told


def test_curves_come_one_by_one_and_are_not_told_twice(client, monkeypatch):
    gate = Gate(monkeypatch)
    name = started(client, OSCILLATOR)
    for number in range(1, 6):
        gate.open.release()
        told = until(client, name, number)
        assert (told["state"], told["done"], told["total"], told["result"]) == ("running", number, 6, None)
        assert len(told["curves"]) == number
        # The first waits for what is compiled: minutes were told for a study of seconds.
        assert told["left"] is None if number == 1 else told["left"] > 0
        assert len(client.get(f"/api/study/ida/{name}?since={number - 1}").json()["curves"]) == 1
    assert client.get(f"/api/study/ida/{name}/runs.csv").status_code == 409
    gate.open.release()
    assert finished(client, name)["done"] == 6


def test_a_cancelled_study_ends_keeps_its_curves_and_has_no_result(client, monkeypatch):
    gate = Gate(monkeypatch)
    name = started(client, OSCILLATOR)
    gate.open.release()
    until(client, name, 1)
    assert client.delete(f"/api/study/ida/{name}").json() == {"state": "cancelled"}
    job = jobs.find(name)
    job.wait(PATIENCE / 1000)
    assert not job.busy
    told = client.get(f"/api/study/ida/{name}").json()
    assert (told["state"], told["done"], told["result"]) == ("cancelled", 1, None)


def test_only_so_many_studies_run_at_once(client, monkeypatch):
    Gate(monkeypatch)
    names = [started(client, OSCILLATOR) for _ in range(wire.STUDIES)]
    answer = client.post("/api/study/ida", json=OSCILLATOR)
    assert answer.status_code == 429
    assert "at once" in answer.json()["message"]
    for name in names:
        client.delete(f"/api/study/ida/{name}")
        jobs.find(name).wait(PATIENCE / 1000)
    client.delete(f"/api/study/ida/{started(client, OSCILLATOR)}")


def test_the_end_of_the_server_ends_its_studies(monkeypatch):
    Gate(monkeypatch)
    with TestClient(create_app()) as client:
        job = jobs.find(started(client, OSCILLATOR))
        assert job.busy
    assert not job.busy


def test_a_record_alone_has_curves_but_no_fragility(client):
    result = finished(client, started(client, {**HUNTED, "records": {"name": "el-centro"}}))["result"]
    assert len(result["curves"]) == 1
    assert "n ≥ 2" in result["fragility"]["why"]
    assert result["motions"] == "recorded"


@pytest.mark.heavy
def test_runs_that_collapse_are_told_as_beyond_every_limit(client):
    """Storeys whose second-order effect outgrows their hardening have no way back once they yield far enough."""
    falling = {
        **FRAME,
        "model": {**FRAME["model"], "weights": 15000.0},
        "duration": 400.0,
        "stripes": {"start": 0.02, "stop": 1.0, "count": 15},
    }
    result = finished(client, started(client, falling))["result"]
    demands = [array(curve["demand"]) for curve in result["curves"]]
    assert any(np.isinf(values).any() for values in demands)
    assert all(np.isfinite(values[0]) for values in demands)
    assert any("counts as collapse" in flag for flag in result["flags"])
    # Where nothing ends a run that collapses, its numbers grow until the machine cannot hold them.
    name = started(client, {**falling, "collapse": {"stop": False}})
    finished(client, name)
    rows = client.get(f"/api/study/ida/{name}/runs.csv").text
    assert "Error" not in rows, "a table for engineers speaks no Python"
    assert "ran away: " in rows


def changed(**changes):
    """The oscillator's study with other tables; null is a table left out."""
    return {**OSCILLATOR, **changes}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (changed(records={"files": ["/etc/passwd"], "unit": "g", "step": 0.01}), "records.files"),
        (changed(parameters={"mass": [1.0, 2.0]}), "parameters"),
        (changed(records={"synthetic": {"count": 10**9, "seed": 1}}), "records.synthetic.count"),
        (changed(records={"synthetic": {"count": 0, "seed": 1}}), "count"),
        (changed(records={"synthetic": {"count": 3, "seed": 1, "duration": 1e12}}), "records.synthetic.step"),
        (changed(stripes={"start": 0.1, "stop": 1.0, "count": 10**9}), "stripes.count"),
        (changed(stripes=None), "stripes"),
        (changed(stripes=None, hunt={"first": 0.1, "step": 0.1, "runs": 10**9}), "runs"),
        (changed(scheme={"kind": "galerkin", "step": 1e-9}), "scheme.step"),
        (changed(scheme={"kind": "newmark", "step": 0.01}), "scheme.kind"),
        (changed(model={**OSCILLATOR["model"], "mass": -1.0}), "model.mass"),
        (changed(model={**FRAME["model"], "masses": [1.0] * 201}), "model.masses"),
        (changed(model={"kind": "frame"}), "model.kind"),
        (changed(limit={"measure": "drift_ratio", "value": 0.02}), "drift_ratio"),
        (changed(limit={"measure": "beauty", "value": 0.02}), "limit"),
        (changed(fragility={"resamples": 10**9}), "fragility.resamples"),
        (changed(model={**OSCILLATOR["model"], "period": None}), "exactly one of stiffness and period"),
        (changed(model={**FRAME["model"], "masses": [1e-320, 1.0, 1.0]}), "mass of floor 1 is 9.99989e-321; sizes"),
        (changed(records={"synthetic": {"count": 3, "seed": 1, "scatter": 1e6}}), "records.synthetic.scatter"),
        (changed(intensity={"kind": "sa", "period": -1.0}), "[intensity] the period"),
    ],
)
def test_what_cannot_be_studied_is_refused_before_anything_runs(client, body, field):
    answer = client.post("/api/study/ida", json=body)
    assert answer.status_code == 422, answer.json()
    assert field in answer.json()["message"]


def test_a_study_that_a_sample_tells_to_take_too_long_is_refused(client, monkeypatch):
    """The plan tells large models several times too quick."""
    monkeypatch.setattr("hamex.studio.ida._DOUBTFUL", 0.0)
    monkeypatch.setattr("hamex.study.study.Study.timed", lambda _: Timing(100.0, 0.0))
    answer = client.post("/api/study/ida", json=OSCILLATOR)
    assert answer.status_code == 422, answer.json()
    assert "would take about 600 s" in answer.json()["message"]


def test_unknown_studies_are_not_there(client):
    for call in (client.get, client.delete):
        assert call("/api/study/ida/nothing").status_code == 404
    assert client.get("/api/study/ida/nothing/runs.csv").status_code == 404
    assert client.get("/api/study/ida/nothing?since=-1").status_code == 422


def test_a_hunt_whose_steps_vanish_beside_its_first_is_refused(client):
    answer = client.post("/api/study/ida", json={**HUNTED, "hunt": {"first": 0.1, "step": 1e-320, "runs": 9}})
    assert answer.status_code == 422
    assert answer.json()["message"].startswith("hunt.step")
