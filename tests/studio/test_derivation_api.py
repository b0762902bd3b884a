"""The derivation view's door: what it lists, derives, runs and refuses, and workers that come and go."""

import base64
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import httpx2
import numpy as np
import pytest
from browsing import PATIENCE

import hamex as hx
from hamex.principle.language import read_action
from hamex.principle.library import LIBRARY, action
from hamex.studio import derivation_view as view
from hamex.studio import wire
from hamex.studio.jobs import Crew, LostError, QueueFullError, TimeUpError

PENDULUM = {"fields": ["theta"], "lagrangian": "m*l^2*theta'^2/2 + m*g*l*cos(theta)", "dissipation": "c*theta'^2/2"}


class Patient:
    """A client that asks again while the server works."""

    def __init__(self, client):
        self.client = client

    def get(self, path):
        return self._until_done(lambda: self.client.get(path))

    def post(self, path, json):
        return self._until_done(lambda: self.client.post(path, json=json))

    def _until_done(self, ask):
        while (answer := ask()).status_code == 202:
            assert answer.json() == {"working": True}
        return answer


@pytest.fixture
def client(client):
    """The studio of this process, whose workers can be got at."""
    return Patient(client)


@pytest.fixture
def server(studio):
    """The studio of the browser, which derives for both."""
    with httpx2.Client(base_url=studio, timeout=PATIENCE / 1000) as found:
        yield Patient(found)


def unpacked(array):
    return np.frombuffer(base64.b64decode(array["bdata"]), f"<{array['dtype']}")


def test_the_library_is_listed_with_meanings_texts_and_sliders(server):
    systems = {s["name"]: s for s in server.get("/api/derive").json()["systems"]}
    assert list(systems) == list(LIBRARY)
    for name, system in systems.items():
        assert system["about"]
        known = {symbol["name"]: symbol for symbol in system["symbols"]}
        assert {known[q.func.__name__]["kind"] for q in action(name).fields} == {"field"}
        for symbol in known.values():
            assert symbol["meaning"]
            if symbol["kind"] == "parameter":
                assert symbol["min"] <= symbol["value"] <= symbol["max"]
                assert not symbol["log"] or symbol["min"] > 0
        assert system["runs"] == (not action(name).space)
    assert systems["viscoplastic"]["text"]["dissipation"] == "c*u'^2/2 + slider(J', F_y, eta)"
    assert systems["elastic-2d"]["text"] is None
    assert [s["key"] for s in systems["viscoplastic"]["starts"]] == ["u", "u_dot", "P_J"]


def test_a_derivation_is_numbered_sections_whose_letters_know_their_symbol(server):
    found = server.post("/api/derive", json={"system": "viscoplastic"}).json()
    html = found["html"]
    for entry in found["contents"]:
        assert f'id="{entry["link"]}"' in html
    read = server.post("/api/derive/read", json={"system": "viscoplastic"}).json()
    names = {symbol["name"] for symbol in read["symbols"]}
    marked = set(re.findall(r'data-symbol="([^"]+)"', html))
    assert {"u", "J", "m", "a", "c", "eta", "F_y", "f", "p u", "the step"} <= marked <= names
    assert all("<svg" in symbol["svg"] for symbol in read["symbols"])
    assert "|" not in "".join(re.findall(r'fill="([^"]*)"', html))
    assert "<script" not in html
    assert html.count("<section") == html.count("</section>") == len(found["contents"])
    used = set(re.findall(r'<use href="#(\w+)"', html))
    assert used <= set(re.findall(r'<symbol id="(\w+)"', html))


@pytest.mark.heavy
def test_words_of_the_user_are_text_in_the_page(server):
    typed = {**PENDULUM, "meanings": {"m": "<img src=x onerror=alert(1)> $ * [force]"}}
    html = server.post("/api/derive", json=typed).json()["html"]
    assert "<img" not in html
    assert "&lt;img" in html


@pytest.mark.parametrize(
    ("system", "start", "shapes"),
    [
        ("harmonic", {"u": 0.1}, {}),
        ("forced", {"P_J": 0}, {}),
        ("viscoplastic", {"P_J": 0.0}, {"f": {"shape": "sine", "amplitude": 1.5, "period": 1.0}}),
        ("duffing", {}, {"f": {"shape": "pulse", "amplitude": 2.0, "length": 0.5}}),
        ("kelvin-voigt", {}, {"f": {"shape": "constant", "amplitude": 2.0}}),
    ],
)
@pytest.mark.chief("viscoplastic-start2-shapes2", "harmonic-start0-shapes0")
def test_a_run_is_the_run_of_simulate(server, system, start, shapes):
    about = next(s for s in server.get("/api/derive").json()["systems"] if s["name"] == system)
    numbers = {s["name"]: s["value"] for s in about["symbols"] if s["kind"] == "parameter"}
    asked = {"system": system, "parameters": numbers, "shapes": shapes, "start": start, "duration": 2.0, "step": 0.02}
    found = server.post("/api/derive/run", json=asked).json()
    histories = {
        "sine": lambda f: lambda t: f["amplitude"] * np.sin(2 * np.pi * t / f["period"]),
        "pulse": lambda f: lambda t: f["amplitude"] * np.sin(np.pi * t / f["length"]) * (t <= f["length"]),
        "constant": lambda f: f["amplitude"],
    }
    given = {s["name"]: 0.0 for s in about["symbols"] if s["kind"] == "load"}
    given |= {name: histories[f["shape"]](f) for name, f in shapes.items()}
    sol = hx.simulate(action(system), {**numbers, **given}, start, 2.0, 0.02)
    assert found["residual"] == pytest.approx(sol.residual, rel=1e-3, abs=1e-15)
    for i, name in enumerate(found["fields"]):
        for word in ("displacement", "velocity", "momentum"):
            np.testing.assert_allclose(unpacked(found[word][name]), sol.values(word)[:, i], rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(unpacked(found["hamiltonian"]), sol.values("hamiltonian"), rtol=1e-5, atol=1e-7)


def test_a_typed_system_runs_as_the_action_it_means(server):
    numbers = {"m": 1.0, "l": 1.0, "g": 9.81, "c": 0.2}
    found = server.post(
        "/api/derive/run",
        json={**PENDULUM, "parameters": numbers, "start": {"theta": 2.0}, "duration": 1.0, "step": 0.01, "degree": 2},
    ).json()
    sol = hx.simulate(read_action(**PENDULUM), numbers, {"theta": 2.0}, 1.0, 0.01, degree=2)
    assert found["residual"] == sol.residual
    assert found["notes"] == []
    np.testing.assert_allclose(unpacked(found["displacement"]["theta"]), sol.values("displacement")[:, 0], rtol=1e-6)


BLADE = {
    "fields": ["x", "y", "theta"],
    "lagrangian": "m*(x'^2 + y'^2)/2 + J*theta'^2/2",
    "constraints": ["x'*sin(theta) - y'*cos(theta)"],
}
ROD = {"fields": ["x", "y"], "lagrangian": "m*(x'^2 + y'^2)/2 - m*g*y", "constraints": ["x^2 + y^2 - l^2"]}


def test_a_constrained_system_offers_the_data_that_are_free(server):
    blade, rod = (server.post("/api/derive/read", json=one).json() for one in (BLADE, ROD))
    assert [(s["key"], s["kind"]) for s in rod["starts"]] == [("x", "value"), ("x_dot", "rate"), ("y", "near")]
    assert {s["key"] for s in blade["starts"]} == {"theta", "x_dot", "theta_dot"}
    assert rod["text"]["constraints"] == ["x^2 + y^2 - l^2"]


def test_constraints_hold_at_every_node_on_the_side_that_is_meant(server):
    numbers = {"m": 1.0, "l": 1.0, "g": 9.81}
    for side in (-1.0, 1.0):
        asked = {**ROD, "parameters": numbers, "start": {"x": 0.6}, "near": {"y": side}, "duration": 1.0, "degree": 2}
        found = server.post("/api/derive/run", json=asked).json()
        x, y = (unpacked(found["displacement"][name]).astype(float) for name in "xy")
        assert y[0] == pytest.approx(0.8 * side)
        np.testing.assert_allclose(x**2 + y**2, 1.0, atol=1e-6)  # curves travel in single precision
        assert found["constraint"] < 1e-13


def test_elements_with_jumps_take_a_stiff_dashpot_at_its_word(server):
    asked = {"lagrangian": "m*u'^2/2", "dissipation": "c*u'^2/2", "parameters": {"m": 1.0, "c": 1e6}, "duration": 1.0}
    asked |= {"fields": ["u"], "start": {"u_dot": 1.0}, "step": 0.01, "jumps": True}
    jumping = server.post("/api/derive/run", json=asked).json()
    assert abs(unpacked(jumping["velocity"]["u"])[-1]) < 1e-9
    assert jumping["constraint"] is None


def test_a_run_far_from_its_balance_is_shown_with_a_word(server):
    numbers = {"m": 1.0, "l": 1.0, "g": 9.81, "c": 0.2}
    asked = {**PENDULUM, "parameters": numbers, "start": {"theta": 2.0}, "duration": 4.0, "step": 0.16}
    found = server.post("/api/derive/run", json=asked).json()
    assert found["residual"] > 0.01
    assert "energy balance is off by" in found["notes"][0]


@pytest.mark.parametrize(
    "asked",
    [
        {
            "system": "viscoplastic",
            "parameters": {"m": 1.0, "a": 0.025, "c": 0.3, "F_y": 1.0, "eta": 0.5},
            "start": {"P_J": 0},
            "shapes": {"f": {"shape": "sine", "amplitude": 1.5, "period": 1.0}},
        },
        {
            **PENDULUM,
            "parameters": {"m": 1.0, "l": 1.0, "g": 9.81, "c": 0.2},
            "start": {"theta": 2.0},
            "degree": 2,
            "loads": {"theta": "M(t)"},
            "meanings": {"m": 'a \'mass\' \\ ["""]'},
            "shapes": {"M": {"shape": "pulse", "amplitude": -2.0, "length": 0.7}},
        },
        {
            "fields": ["x", "y"],
            "lagrangian": "m*(x'^2 + y'^2)/2 - m*g*y",
            "constraints": ["x^2 + y^2 - l^2"],
            "parameters": {"m": 1.0, "l": 1.0, "g": 9.81},
            "start": {"x": 0.6},
            "near": {"y": -1.0},
        },
        {"system": "harmonic", "parameters": {"m": 1.0, "k": 40.0}, "start": {"u": 0.1}, "degree": 0, "jumps": True},
    ],
)
def test_the_script_gives_the_same_numbers_bit_for_bit(server, asked):
    asked = {**asked, "duration": 2.0, "step": 0.02}
    found = server.post("/api/derive/run", json=asked).json()
    names = {}
    exec(server.post("/api/derive/python", json=asked).json()["text"], names)
    for i, name in enumerate(found["fields"]):
        mine = names["sol"].values("displacement")[:, i].astype("f4")
        assert np.array_equal(unpacked(found["displacement"][name]), mine)
    assert found["residual"] == names["sol"].residual


@pytest.mark.heavy
def test_the_derivation_can_be_taken_home(server):
    assert r"\begin{document}" in server.post("/api/derive/latex", json=PENDULUM).json()["text"]
    assert "<!doctype html>" in server.post("/api/derive/page", json=PENDULUM).json()["text"]


def test_a_dissipation_that_feeds_energy_in_is_told(server):
    found = server.post("/api/derive/read", json={"lagrangian": "u'^2", "dissipation": "-c*u'^2"}).json()
    assert "not convex" in found["notes"][0]


@pytest.mark.parametrize(
    ("path", "asked", "field", "said"),
    [
        ("", {"lagrangian": "m*sine(u')"}, "lagrangian", "column 3: 'sine' is not a function; did you mean sin?"),
        ("", {"lagrangian": "u'^2", "dissipation": "u'^2 +"}, "dissipation", "column 7"),
        ("", {"lagrangian": "u'^2", "constraints": ["u + x*("]}, "constraints", "line 1, column"),
        ("", {"lagrangian": "u'^2", "constraints": ["u'^2 - 1"]}, "constraints", "not linear in the rates"),
        ("/run", {"system": "harmonic", "degree": 0}, None, "at least 1"),
        ("", {"lagrangian": "u'^2", "loads": {"u": "f("}}, "loads.u", "column"),
        ("", {"fields": ["h"], "lagrangian": "u"}, "fields", "time step"),
        ("", {}, "lagrangian", "write the Lagrangian"),
        ("", {"system": "harmonik"}, "system", "did you mean 'harmonic'"),
        ("", {"system": "harmonic", "lagrangian": "u"}, None, "not both"),
        ("", {"lagrangian": "9^9^9^9*u'"}, "lagrangian", "exponents"),
        ("", {"lagrangian": "u" * 3000}, None, "lagrangian"),
        ("", {"lagrangian": 3}, None, "lagrangian"),
        ("/read", {"lagrangian": "__import__('os').system('true')"}, "lagrangian", "not a sign"),
        ("/run", {"system": "harmonic"}, None, "lack k, m"),
        ("/run", {"system": "harmonic", "parameters": {"m": 1, "k": -1}}, "parameters.k", "positive"),
        ("/run", {"system": "harmonic", "parameters": {"m": 1, "k": 1}, "start": {"v": 1}}, None, "the start holds"),
        ("/run", {"system": "harmonic", "parameters": {"m": 1, "k": 1}, "duration": 1.0, "step": 0.3}, None, "whole"),
        ("/run", {"system": "harmonic", "step": 1e-9}, None, "at most"),
        ("/run", {"system": "harmonic", "step": 0}, None, "step"),
        ("/run", {"system": "harmonic", "step": 5e-324}, None, "at most"),
        ("/run", {"system": "harmonic", "degree": 9}, None, "degree"),
        ("/run", {"system": "forced", "shapes": {"f": {"shape": "code"}}}, None, "shape"),
        ("/run", {"system": "elastic-2d"}, None, "density"),
        ("/run", {"lagrangian": "u'^2/2 - exp(k*u)", "parameters": {"k": 1e9}, "start": {"u": 1.0}}, None, ""),
    ],
)
def test_what_cannot_be_used_is_refused_beside_its_input(server, path, asked, field, said):
    answer = server.post(f"/api/derive{path}", json=asked)
    assert answer.status_code == 422
    assert said in answer.json()["message"]
    assert field is None or answer.json()["field"].startswith(field)


@pytest.mark.heavy
def test_who_asks_for_the_same_waits_for_one_derivation(client):
    view.kept.clear()
    asked, counted = {"lagrangian": "m*u'^2/2 - k*cosh(u)"}, []
    whole = view.crew.ask

    def ask(*given, **more):
        counted.append(given)
        return whole(*given, **more)

    view.crew.ask = ask
    try:
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda _: client.post("/api/derive", json=asked), range(8)))
    finally:
        del view.crew.ask
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.text for answer in answers}) == len(counted) == 1


def test_a_derivation_without_end_is_stopped_and_the_next_one_finds_a_worker(client, monkeypatch):
    monkeypatch.setattr(wire, "DERIVATION", 0.05)
    stopped = client.post("/api/derive", json={"system": "elastic-3d"})
    assert stopped.status_code == 422
    assert "was stopped" in stopped.json()["message"]
    monkeypatch.undo()
    assert client.post("/api/derive/read", json=PENDULUM).status_code == 200


SLEEPER = """
import sys, time, os
for line in sys.stdin.buffer:
    if b'"nap"' in line: time.sleep(1000)
    if b'"die"' in line: os._exit(3)
    sys.stdout.write("200 {\\"pid\\": %d}\\n" % os.getpid()); sys.stdout.flush()
"""


@pytest.fixture
def sleepers(tmp_path, monkeypatch):
    """A crew whose workers nap, die or answer as they are asked to."""
    (tmp_path / "sleeper.py").write_text(SLEEPER)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    crew = Crew("sleeper", size=2)
    yield crew
    crew.end()


def gone(pid, seconds=600.0):
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False


def test_a_worker_is_kept_replaced_when_late_and_replaced_when_dead(sleepers):
    first = json.loads(sleepers.ask("hello", {}, 600.0)[1])["pid"]
    assert json.loads(sleepers.ask("hello", {}, 600.0)[1])["pid"] == first
    with pytest.raises(TimeUpError, match="longer than"):
        sleepers.ask("nap", {}, 0.05)
    assert gone(first)
    second = json.loads(sleepers.ask("hello", {}, 600.0)[1])["pid"]
    with pytest.raises(LostError, match=r"ended by itself \(exit code 3\) before it answered"):
        sleepers.ask("die", {}, 600.0)
    assert json.loads(sleepers.ask("hello", {}, 600.0)[1])["pid"] not in (first, second)


def test_a_worker_that_is_killed_while_it_waits_is_replaced_without_a_word(sleepers):
    first = json.loads(sleepers.ask("hello", {}, 600.0)[1])["pid"]
    for worker in list(sleepers._idle):
        os.kill(worker.process.pid, signal.SIGKILL)
        worker.process.wait()
    assert json.loads(sleepers.ask("hello", {}, 600.0)[1])["pid"] != first


def test_a_worker_that_is_killed_at_its_work_is_told_as_what_it_is_and_replaced(client):
    """Not as a wrong input, and not as a hang."""
    given = {"lagrangian": "m*u'^2/2 - k*u^2/2 - a*u^4/4 + b*cos(w*u)"}
    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(client.post, "/api/derive", given)
        while not asking.done() and not view.crew._busy:
            time.sleep(0.001)
        for worker in list(view.crew._busy):
            worker.process.kill()
        answer = asking.result()
    assert answer.status_code == 503
    said = answer.json()["message"]
    assert said.startswith("the worker was ended from outside (SIGKILL) before it answered; another takes its place")
    assert client.post("/api/derive/read", given).status_code == 200


def test_short_work_does_not_wait_behind_long_work(sleepers):
    def rest():
        with pytest.raises(LostError):
            sleepers.ask("nap", {}, 600.0, long=True)

    nap = threading.Thread(target=rest)
    nap.start()
    while not sleepers._busy:
        time.sleep(0.01)
    with pytest.raises(QueueFullError):
        sleepers.ask("hello", {}, 0.3, long=True)
    assert sleepers.ask("hello", {}, 600.0)[0] == 200
    sleepers.end()
    nap.join()


def test_work_that_nobody_waits_for_is_given_up(sleepers):
    answers = iter([True, True, False, False])
    with pytest.raises(TimeUpError):
        sleepers.ask("nap", {}, 600.0, wanted=lambda: next(answers))


SERVER = """
import sys, uvicorn
from hamex.studio.app import create_app
from hamex.studio import derivation_view as view
class Told(uvicorn.Server):
    async def startup(self, sockets=None):
        await super().startup(sockets)
        print(view.crew._idle[0].process.pid, self.servers[0].sockets[0].getsockname()[1], flush=True)
Told(uvicorn.Config(create_app(), port=0, log_level="warning", timeout_graceful_shutdown=5)).run()
"""


@pytest.mark.heavy
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL, pytest.param(signal.SIGTERM, marks=pytest.mark.heavy)])
@pytest.mark.chief("2")
def test_no_worker_outlives_the_server(end):
    with subprocess.Popen(
        [sys.executable, "-c", SERVER],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
    ) as server:
        worker, port = map(int, server.stdout.readline().split())
        # In the middle of its work, with somebody waiting for it.
        body = b'{"system": "elastic-3d"}'
        with socket.create_connection(("127.0.0.1", port)) as waiting:
            waiting.sendall(
                b"POST /api/derive HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
            )
            assert waiting.recv(12) == b"HTTP/1.1 202"
        if end == signal.SIGINT:
            os.killpg(server.pid, end)  # as a terminal does: everyone gets it
        else:
            server.send_signal(end)
        said = server.communicate(timeout=600)[1]
    assert gone(worker)
    assert "leaked" not in said
    assert "Traceback" not in said or "KeyboardInterrupt" in said
