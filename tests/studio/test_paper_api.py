"""The paper over http: Table 2 in every digit, the same histories as ``hamex paper``, and the audit as it runs."""

import base64
import signal
import time

import httpx2
import numpy as np
import pytest
from browsing import PATIENCE

from hamex.paper import results
from hamex.paper.audit import run
from hamex.paper.audit.judging import printed_equation
from hamex.paper.results import CASES
from hamex.schemes import Galerkin, Newmark
from hamex.solve import solve
from hamex.studio import paper
from hamex.studio.paper import Audit


def array(told):
    return np.frombuffer(base64.b64decode(told["bdata"]), dtype=f"<{told['dtype']}")


def test_table_2_comes_out_in_every_digit(client):
    told = client.post("/api/paper", json={}).json()
    assert told["paper"]
    assert (told["matches"], told["numbers"]) == (12, 12)
    for row, case in zip(told["rows"], CASES, strict=True):
        assert row["slip"]["printed"] == row["slip"]["computed"] == case.slip_printed
        assert row["momentum"]["computed"] == case.momentum_printed
    assert 0 < told["residual"] < 1e-12


@pytest.mark.parametrize(("load", "place"), [("end", 0), ("average", 3), ("mean", 5)])
def test_the_histories_are_those_of_the_library(client, load, place):
    case = CASES[place]
    row = client.post("/api/paper", json={"load": load}).json()["rows"][place]
    new, old = solve(case.problem, Galerkin(case.step, load=load)), solve(case.problem, Newmark(case.step))
    for told, values in (
        (row["displacement"], 1e3 * new.values("displacement")[:, 0]),
        (row["mean_displacement"], 1e3 * new.values("mean_displacement")[:, 0]),
        (row["force"], new.values("force")[:, 0]),
        (row["newmark"]["displacement"], 1e3 * old.values("displacement")[:, 0]),
        (row["newmark"]["force"], old.values("node_force")[:, 0]),
    ):
        assert np.array_equal(array(told), values.astype("f4"))
    assert row["residual"] == new.residual
    assert row["newmark"]["iterations"] == old.values("iterations").sum()


def test_other_settings_are_not_the_paper_s_and_say_so(client):
    for changes in ({"load": "average"}, {"parts": 2}, {"viscosity": 0.5}, {"kinematic": 10.0}):
        told = client.post("/api/paper", json=changes).json()
        assert not told["paper"], changes
        assert told["matches"] < 12, changes


@pytest.mark.heavy
def test_a_shorter_step_keeps_the_points_of_the_figures_and_comes_closer_to_the_limit(client):
    coarse, fine = (client.post("/api/paper", json={"parts": parts}).json()["rows"][0] for parts in (1, 8))
    assert len(array(coarse["displacement"])) == len(array(fine["displacement"])) == 2001
    assert fine["steps"] == 8 * coarse["steps"]
    case = CASES[0]
    limit = 1e3 * solve(case.problem, Galerkin(case.step / 64)).values("displacement")[::64, 0]
    errors = [np.abs(array(row["displacement"]) - limit).max() for row in (coarse, fine)]
    assert errors[1] < errors[0] / 4


@pytest.mark.parametrize(
    "body", [{"load": "middle"}, {"parts": 3}, {"viscosity": -1}, {"kinematic": "much"}, {"step": 1e-9}, [], "end"]
)
def test_what_the_paper_view_does_not_know_is_refused(client, body):
    answer = client.post("/api/paper", json=body)
    assert answer.status_code == 422
    assert answer.json()["message"]


def test_opensees_is_run_here_or_recorded_and_says_which(client):
    told = client.get("/api/paper/opensees").json()
    assert told["live"] is (told["reason"] == "")
    assert told["eta_honoured"]
    assert set(told["cases"]) == {case.name for case in CASES}
    assert told["cases"]["elcentro-0.05"]["difference"] < 1e-6


def test_recorded_values_stand_in_for_opensees(client, monkeypatch):
    monkeypatch.setattr(results.opensees, "available", lambda: "OpenSees is not installed.")
    told = paper.ComputedOnce(paper._compared)()
    assert (told["live"], told["reason"]) == (False, "OpenSees is not installed.")
    assert told["cases"] == client.get("/api/paper/opensees").json()["cases"]


def test_something_costly_is_computed_once():
    calls = []
    once = paper.ComputedOnce(lambda: calls.append(1) or {"number": len(calls)})
    assert once() is once()
    assert calls == [1]


@pytest.mark.heavy
def test_the_convergence_study_has_its_orders(client):
    study = client.get("/api/paper/convergence").json()["studies"][1]
    assert study["orders"]["average"] == pytest.approx(2, abs=0.15)
    assert study["orders"]["end"] == pytest.approx(1, abs=0.15)


def test_the_audit_is_told_as_it_runs(studio):
    """The first items of the real thing; ``tests/paper`` holds the whole of it."""
    with httpx2.Client(base_url=studio, timeout=PATIENCE / 1000) as server:
        while len((told := server.get("/api/paper/audit").json())["items"]) < 4 or not told["drawings"]:
            assert told["state"] == told["drawn"] == "running"
            time.sleep(0.05)
        assert server.get("/api/paper/audit", params={"items": len(told["items"])}).json()["items"] != told["items"]
    assert told["total"] == run.size()
    for item, equation in zip(told["items"], map(printed_equation, "1234"), strict=False):
        assert run.judge(equation).as_json().items() <= item.items()
    assert told["items"][0]["section"] == "2. Hamilton's principle"
    assert told["drawings"][0]["equation"] == "1"
    assert "<svg" in told["drawings"][0]["html"]


def test_an_audit_can_be_ended():
    audit = Audit()
    told = audit.ask(0, 0)
    assert told["state"] == told["drawn"] == "running"
    children = [stream._child for stream in audit._streams.values()]
    audit.end()
    assert [child.wait() for child in children] == [-signal.SIGKILL] * 2


def test_an_audit_whose_process_is_killed_says_so():
    audit = Audit()
    assert audit.ask(0, 0)["why"] == ""
    stream = audit._streams["verdicts"]
    stream._child.kill()
    stream._reader.join()
    told = audit.ask(1, 0)
    audit.end()
    assert told["state"] == "failed"
    assert told["why"].startswith("the audit's process was ended from outside (SIGKILL); reload the page")


def test_an_audit_that_fails_says_so_and_can_be_started_again(monkeypatch):
    monkeypatch.setattr("hamex.studio.paper.sys.executable", "/bin/false")
    audit = Audit()
    audit.ask(0, 0)
    first = audit._streams["verdicts"]
    first._reader.join()
    assert audit.ask(1, 0)["state"] == "failed"
    audit.ask(0, 0)
    assert audit._streams["verdicts"] is not first
    audit.end()
